//! What nodes remember about an agent: the remaining time, counts, orders.

use std::fmt;

use pleach_expr::text::plain;

use crate::clock::Moment;
use crate::forest::{AgentView, TokenView};
use crate::index::{ExprId, MemoryOffset};
use crate::tree::amount::NodeCount;
use crate::tree::record::Op;
use crate::{Host, NodeId, Value};

/// What a node remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// The node.
    pub node: NodeId,
    /// Its line.
    pub label: String,
    /// What it remembers.
    pub left: Remaining,
}

/// What is left, and of what kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Remaining {
    /// This many seconds of the agent's own time until a wait or a delay is over, a timeout ends
    /// its child, or a cooldown lets its child start again.
    Seconds(f64),
    /// This many rounds of a repeat, attempts, updates of a wait, or starts of a limited child.
    Count(u32),
    /// The children of a random or utility composite in the order in which it tries them: each
    /// one's line, and its present score if it has one.
    Order(Vec<(String, Option<f32>)>),
    /// The places of a token: for a Token that holds one, or that would get none.
    Places(TokenView),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Note { node: _, label, left } = self;
        write!(f, "{:<8} {label}: {left}", left.word())
    }
}

impl Remaining {
    /// What it is, in a word: `left`, `order` or `places`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Remaining::Order(_) => "order",
            Remaining::Places(_) => "places",
            Remaining::Seconds(_) | Remaining::Count(_) => "left",
        }
    }
}

impl fmt::Display for Remaining {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remaining::Seconds(seconds) => write!(f, "{seconds:.3} s"),
            Remaining::Count(count) => write!(f, "{count}"),
            Remaining::Places(places) => write!(f, "{places}"),
            Remaining::Order(children) => {
                for (at, (child, score)) in children.iter().enumerate() {
                    let comma = if at > 0 { ", " } else { "" };
                    write!(f, "{comma}{child}")?;
                    score.map_or(Ok(()), |it| write!(f, " ({it:.3})"))?;
                }
                Ok(())
            }
        }
    }
}

impl<H: Host> AgentView<H> {
    /// What active nodes remember, and inactive ones that have something left; for active
    /// composites also the time to the next run of each service.
    pub(super) fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        for node in self.tree.nodes() {
            let id = node.id();
            notes.extend(self.left(id).map(|left| Note { node: id, label: self.line(id), left }));
            if node.services() == 0 || !self.is_active(id) {
                continue;
            }
            for (service, kind) in self.tree.services_of(id).iter().zip(node.service_kinds()) {
                let note = |left| Note { node: id, label: format!("service {} of {node}", plain(kind)), left };
                notes.extend(self.seconds_to(service.slot).map(note));
            }
        }
        notes
    }

    pub(super) fn left(&self, node: NodeId) -> Option<Remaining> {
        let active = || self.is_active(node).then_some(());
        match self.tree.rec(node).op {
            Op::Wait { slot, .. } | Op::Delay { slot, .. } | Op::Timeout { slot, .. } => {
                active()?;
                // A delay that is over runs its child.
                self.seconds_to(slot)
            }
            Op::Cooldown { slot, .. } => self.seconds_to(slot),
            Op::Token { token, .. } => {
                let places = &self.tokens[token.index()];
                (self.is_active(node) || !places.free).then(|| Remaining::Places(places.clone()))
            }
            Op::Repeat { count: NodeCount::Fixed(0), .. } => None,
            Op::Repeat { slot, .. } | Op::Attempts { slot, .. } | Op::WaitTicks { slot, .. } => {
                active()?;
                Some(Remaining::Count(self.memory[slot.index()]))
            }
            Op::Limit { count, slot, .. } => {
                let started = self.memory[slot.index()];
                (started > 0).then(|| Remaining::Count(self.count(count).saturating_sub(started)))
            }
            Op::RandomSequence { order, .. } | Op::RandomSelector { order, .. } => {
                active()?;
                Some(self.order(node, order, |_| None))
            }
            Op::UtilitySelector { scores, order, .. } => {
                active()?;
                Some(self.order(node, order, |child| Some(self.score(scores, child))))
            }
            _ => None,
        }
    }

    fn seconds_to(&self, slot: MemoryOffset) -> Option<Remaining> {
        let at = slot.index();
        let deadline = Moment(u64::from(self.memory[at]) | u64::from(self.memory[at + 1]) << 32);
        (deadline > self.own).then(|| Remaining::Seconds((deadline - self.own).seconds()))
    }

    fn order(&self, node: NodeId, order: MemoryOffset, score: impl Fn(usize) -> Option<f32>) -> Remaining {
        let children = self.tree.children.of(node);
        let places = (0..children.len()).map(|place| {
            let word = self.memory[order.next().index() + place / 2];
            let child = (if place % 2 == 0 { word } else { word >> 16 } & 0xFFFF) as usize;
            (self.line(children[child]), score(child))
        });
        Remaining::Order(places.collect())
    }

    fn score(&self, scores: ExprId, child: usize) -> f32 {
        self.tree.exprs[scores.index() + child].eval_float(self)
    }

    fn count(&self, count: NodeCount) -> u32 {
        match count {
            NodeCount::Fixed(count) => count,
            NodeCount::Expr(expr) => match self.tree.expr(expr).eval(self) {
                Value::Int(count) => u32::try_from(count.max(0)).unwrap_or(u32::MAX),
                _ => 0,
            },
        }
    }
}
