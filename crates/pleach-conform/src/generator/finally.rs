//! Random finallys.

use super::Maker;
use super::tree::leaf;
use crate::scenario::{DecoratorKind, Ending, LeafKind, Node, Outcome, Shape};

/// What a finally can wait for.
pub(super) const ENDINGS: [Ending; 6] = [
    Ending::Any,
    Ending::Any,
    Ending::Any,
    Ending::Aborted,
    Ending::Itself(Outcome::Success),
    Ending::Itself(Outcome::Failure),
];

impl Maker {
    /// A finally. Some of its leaves take time, which is ignored.
    pub(super) fn finally(&mut self, budget: usize, depth: usize) -> Node {
        let mut children = vec![self.node(budget - 1, depth + 1)];
        for _ in 0..self.dice.pick(&[0, 1, 1, 1, 2, 3]) {
            let odds = [3, if self.flavour.data { 4 } else { 0 }, if self.flavour.events { 2 } else { 0 }, 1, 1];
            children.push(match self.dice.weighted(&odds) {
                0 => {
                    let ticks = self.dice.pick(&[0, 1, 1, 1, 2]);
                    self.action_of(ticks)
                }
                1 => self.writer(),
                2 => self.emit(),
                3 => leaf(LeafKind::Log { text: "over".to_owned() }),
                _ => leaf(self.dice.pick(&[LeafKind::Succeed, LeafKind::Fail])),
            });
        }
        let kind = DecoratorKind::Finally { on: self.dice.pick(&ENDINGS) };
        Node { name: None, id: None, locals: Vec::new(), shape: Shape::Decorator { kind, children } }
    }

    /// A leaf that writes a key.
    fn writer(&mut self) -> Node {
        match self.data.rolled(&mut self.dice).filter(|_| self.dice.chance(25)) {
            Some((key, from, to)) => leaf(LeafKind::Roll { key, from, to }),
            None => {
                let (key, expr) = self.data.assignment(&mut self.dice);
                leaf(LeafKind::Set { key, expr })
            }
        }
    }
}
