//! Composites that order their children: by lot, or by score. The order is a permutation of child
//! places in node memory, two to a word, behind a word that counts the children already tried.

use super::Machine;
use crate::index::narrow;
use crate::trace::Tracer;
use crate::tree::record::{ExprId, Slot};
use crate::{Host, NodeId};

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    fn get_place(&self, order: Slot, place: usize) -> usize {
        let word = self.columns.memory(self.cx.agent.at)[order.0 as usize + 1 + place / 2];
        (if place.is_multiple_of(2) { word & 0xffff } else { word >> 16 }) as usize
    }

    fn put_place(&mut self, order: Slot, place: usize, child: usize) {
        let word = &mut self.columns.memory_mut(self.cx.agent.at)[order.0 as usize + 1 + place / 2];
        let child = u32::from(narrow(child));
        *word = if place.is_multiple_of(2) { *word & 0xffff_0000 | child } else { *word & 0xffff | child << 16 };
    }

    fn swap_places(&mut self, order: Slot, a: usize, b: usize) {
        let (at_a, at_b) = (self.get_place(order, a), self.get_place(order, b));
        self.put_place(order, a, at_b);
        self.put_place(order, b, at_a);
    }

    /// The child at a place of the order.
    pub(super) fn ordered(&self, id: NodeId, order: Slot, place: usize) -> NodeId {
        self.tree.children.of(id)[self.get_place(order, place)]
    }

    /// The place of a child in the order.
    pub(super) fn place_of(&self, id: NodeId, order: Slot, child: NodeId) -> usize {
        let count = self.tree.children.of(id).len();
        (0..count).find(|&place| self.ordered(id, order, place) == child).expect("an order holds every child")
    }

    pub(super) fn tried(&self, order: Slot) -> usize {
        self.columns.memory(self.cx.agent.at)[order.0 as usize] as usize
    }

    pub(super) fn put_tried(&mut self, order: Slot, tried: usize) {
        self.columns.memory_mut(self.cx.agent.at)[order.0 as usize] = u32::from(narrow(tried));
    }

    /// Puts all children in their own order.
    fn reset_order(&mut self, id: NodeId, order: Slot) -> usize {
        let count = self.tree.children.of(id).len();
        for place in 0..count {
            self.put_place(order, place, place);
        }
        self.put_tried(order, 0);
        count
    }

    /// Draws the order: each next child by weight among those that remain, which stay in child
    /// order. Costs the square of the number of children.
    pub(super) fn draw_order(&mut self, id: NodeId, weights: Option<u16>, order: Slot) {
        let tree = self.tree;
        let count = self.reset_order(id, order);
        let weight = |child: usize| weights.map_or(1.0, |it| tree.weights[usize::from(it)][child]);
        for place in 0..count - 1 {
            let total: f64 = (place..count).map(|it| weight(self.get_place(order, it))).sum();
            if total == 0.0 {
                return;
            }
            let x = self.cx.random() * total;
            let mut sum = 0.0;
            let mut chosen = place;
            for candidate in place..count {
                let weight = weight(self.get_place(order, candidate));
                if weight > 0.0 {
                    // The last one with a weight, if rounding lets x be the whole sum.
                    chosen = candidate;
                    sum += weight;
                    if sum > x {
                        break;
                    }
                }
            }
            let child = self.get_place(order, chosen);
            for candidate in (place..chosen).rev() {
                self.put_place(order, candidate + 1, self.get_place(order, candidate));
            }
            self.put_place(order, place, child);
        }
    }

    /// A score; NaN is the lowest.
    fn score(&self, scores: ExprId, child: usize) -> f32 {
        let expr = &self.tree.exprs[scores.0 as usize + child];
        let score = expr.eval_float(&self.cx.agent);
        if score.is_nan() { f32::NEG_INFINITY } else { score }
    }

    /// Orders the children by descending score, equal ones in child order.
    pub(super) fn score_order(&mut self, id: NodeId, scores: ExprId, order: Slot) {
        let count = self.reset_order(id, order);
        for child in 0..count {
            self.scratch.scores[child] = self.score(scores, child);
        }
        self.sort_places(order, 0, count);
    }

    /// Sorts places `from..to` by the scores in the scratch. An insertion sort: short lists, mostly
    /// sorted already.
    fn sort_places(&mut self, order: Slot, from: usize, to: usize) {
        for place in from + 1..to {
            let mut at = place;
            while at > from {
                let (left, right) = (self.get_place(order, at - 1), self.get_place(order, at));
                let (a, b) = (self.scratch.scores[left], self.scratch.scores[right]);
                if a > b || (a == b && left < right) {
                    break;
                }
                self.swap_places(order, at - 1, at);
                at -= 1;
            }
        }
    }

    /// Takes the scores of the running and the untried children anew; if an untried one is better
    /// than the running one, orders them all by their new scores behind those already tried.
    pub(super) fn better_child(&mut self, id: NodeId, running: NodeId, scores: ExprId, order: Slot) -> bool {
        let count = self.tree.children.of(id).len();
        let from = self.place_of(id, order, running);
        for place in from..count {
            let child = self.get_place(order, place);
            self.scratch.scores[child] = self.score(scores, child);
        }
        let current = self.scratch.scores[self.get_place(order, from)];
        if (from + 1..count).all(|it| self.scratch.scores[self.get_place(order, it)] <= current) {
            return false;
        }
        self.put_tried(order, from);
        self.sort_places(order, from, count);
        true
    }
}
