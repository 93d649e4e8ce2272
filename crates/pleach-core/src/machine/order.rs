//! Composites with an order of their own, drawn (SEMANTICS 8.13) or by score (8.15), and the draw
//! of one child (8.32).
//!
//! The order is a permutation of child places in node memory (8.14), two to a word. Before it is a
//! word that counts the children already tried.

use std::ops::Range;

use super::Machine;
use crate::index::{ExprId, MemoryOffset, WeightsId, narrow};
use crate::trace::Tracer;
use crate::{Host, NodeId};

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    fn get_place(&self, order: MemoryOffset, place: usize) -> usize {
        let word = self.columns.memory(self.cx.agent.at)[order.next().index() + place / 2];
        (if place.is_multiple_of(2) { word & 0xffff } else { word >> 16 }) as usize
    }

    fn put_place(&mut self, order: MemoryOffset, place: usize, child: usize) {
        let word = &mut self.columns.memory_mut(self.cx.agent.at)[order.next().index() + place / 2];
        let child = u32::from(narrow(child));
        *word = if place.is_multiple_of(2) { *word & 0xffff_0000 | child } else { *word & 0xffff | child << 16 };
    }

    fn swap_places(&mut self, order: MemoryOffset, a: usize, b: usize) {
        let (at_a, at_b) = (self.get_place(order, a), self.get_place(order, b));
        self.put_place(order, a, at_b);
        self.put_place(order, b, at_a);
    }

    /// The child at a place of the order.
    pub(super) fn ordered(&self, id: NodeId, order: MemoryOffset, place: usize) -> NodeId {
        self.tree.children.of(id)[self.get_place(order, place)]
    }

    /// The place of a child in the order.
    pub(super) fn place_of(&self, id: NodeId, order: MemoryOffset, child: NodeId) -> usize {
        let count = self.tree.children.of(id).len();
        (0..count).find(|&place| self.ordered(id, order, place) == child).expect("an order holds every child")
    }

    pub(super) fn tried(&self, order: MemoryOffset) -> usize {
        self.columns.memory(self.cx.agent.at)[order.index()] as usize
    }

    pub(super) fn put_tried(&mut self, order: MemoryOffset, tried: usize) {
        self.columns.memory_mut(self.cx.agent.at)[order.index()] = u32::from(narrow(tried));
    }

    /// Puts the children back into child order.
    fn reset_order(&mut self, id: NodeId, order: MemoryOffset) -> usize {
        let count = self.tree.children.of(id).len();
        for place in 0..count {
            self.put_place(order, place, place);
        }
        self.put_tried(order, 0);
        count
    }

    /// Draws the order (SEMANTICS 8.13): each next child by weight among those that remain. These
    /// stay in child order. Costs the square of the number of children.
    pub(super) fn draw_order(&mut self, id: NodeId, weights: Option<WeightsId>, order: MemoryOffset) {
        let count = self.reset_order(id, order);
        for place in 0..count - 1 {
            let Some(chosen) = self.draw(place..count, weights, |it, at| it.get_place(order, at)) else { return };
            let child = self.get_place(order, chosen);
            for candidate in (place..chosen).rev() {
                self.put_place(order, candidate + 1, self.get_place(order, candidate));
            }
            self.put_place(order, place, child);
        }
    }

    /// Draws the only child that a RandomChoice runs (SEMANTICS 8.32).
    pub(super) fn draw_child(&mut self, id: NodeId, weights: Option<WeightsId>, slot: MemoryOffset) {
        let tree = self.tree;
        let children = tree.children.of(id);
        let drawn = if children.len() == 1 { None } else { self.draw(0..children.len(), weights, |_, at| at) };
        self.put_selected(slot, Some(children[drawn.unwrap_or(0)]));
    }

    /// Draws one of some candidates by the weights of their children; none if all weights are 0.
    #[inline]
    fn draw(
        &mut self,
        candidates: Range<usize>,
        weights: Option<WeightsId>,
        child: impl Fn(&Self, usize) -> usize,
    ) -> Option<usize> {
        let weights = weights.map(|it| &self.tree.weights[it.index()]);
        let weight = |it: &Self, at| weights.map_or(1.0, |all| all[child(it, at)]);
        let total: f64 = candidates.clone().map(|at| weight(self, at)).sum();
        if total == 0.0 {
            return None;
        }
        let x = self.random() * total;
        let mut sum = 0.0;
        let mut chosen = None;
        for at in candidates {
            let weight = weight(self, at);
            if weight > 0.0 {
                // So that the last child with a weight is chosen, if rounding leaves none.
                chosen = Some(at);
                sum += weight;
                if sum > x {
                    break;
                }
            }
        }
        chosen
    }

    /// A score; NaN is the lowest.
    fn score(&mut self, scores: ExprId, child: usize) -> f32 {
        let score = self.expr(ExprId::new(scores.index() + child)).eval_float(&self.cx.agent);
        if score.is_nan() { f32::NEG_INFINITY } else { score }
    }

    /// Orders the children by descending score; children of equal score stay in child order.
    pub(super) fn score_order(&mut self, id: NodeId, scores: ExprId, order: MemoryOffset) {
        let count = self.reset_order(id, order);
        for child in 0..count {
            self.scratch.lists_mut().scores[child] = self.score(scores, child);
        }
        self.sort_places(order, 0, count);
    }

    /// Sorts places `from..to` by the scores in the scratch. Insertion sort fits: the lists are
    /// short and mostly sorted.
    fn sort_places(&mut self, order: MemoryOffset, from: usize, to: usize) {
        for place in from + 1..to {
            let mut at = place;
            while at > from {
                let (left, right) = (self.get_place(order, at - 1), self.get_place(order, at));
                let (a, b) = (self.scratch.lists().scores[left], self.scratch.lists().scores[right]);
                if a > b || (a == b && left < right) {
                    break;
                }
                self.swap_places(order, at - 1, at);
                at -= 1;
            }
        }
    }

    /// Evaluates the scores of the running and the untried children again (SEMANTICS 8.15). If an
    /// untried child is better than the running one by more than `inertia`, orders them all by
    /// their new scores, after the children already tried. Returns whether that is so.
    pub(super) fn better_child(
        &mut self,
        id: NodeId,
        running: NodeId,
        scores: ExprId,
        inertia: f32,
        order: MemoryOffset,
    ) -> bool {
        let count = self.tree.children.of(id).len();
        let from = self.place_of(id, order, running);
        for place in from..count {
            let child = self.get_place(order, place);
            self.scratch.lists_mut().scores[child] = self.score(scores, child);
        }
        let current = self.scratch.lists().scores[self.get_place(order, from)] + inertia;
        if (from + 1..count).all(|it| self.scratch.lists().scores[self.get_place(order, it)] <= current) {
            return false;
        }
        self.put_tried(order, from);
        self.sort_places(order, from, count);
        true
    }
}
