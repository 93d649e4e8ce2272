//! What ran in an agent in the last half minute, and what was aborted: made of its trace.

use std::collections::VecDeque;

use pleach::trace::{TraceEntry, TraceEvent, TraceKinds};
use pleach::{Host, NodeId, Outcome, Tree};

use crate::interruption::{Collector, Interruption};

/// How far back a time line goes, in seconds.
pub const SPAN: f64 = 30.0;

/// The events that a time line needs.
#[must_use]
pub fn kinds() -> TraceKinds {
    TraceKinds::STARTS | TraceKinds::ENDS | TraceKinds::ABORTS
}

/// How a node ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Itself(Outcome),
    /// From outside.
    Aborted,
}

/// A time during which a node was active.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// The node.
    pub node: NodeId,
    /// Since when, in seconds of the forest.
    pub from: f64,
    /// Until when, and how it ended; `None` while it runs.
    pub to: Option<(f64, Ended)>,
}

/// What happened in one agent.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    bars: VecDeque<Bar>,
    interruptions: VecDeque<Interruption>,
    now: f64,
    /// Since when it is known what ran.
    since: f64,
}

impl Timeline {
    /// Begins now, with these nodes active.
    #[must_use]
    pub fn begin(active: impl IntoIterator<Item = NodeId>, now: f64) -> Self {
        let bars = active.into_iter().map(|node| Bar { node, from: now, to: None }).collect();
        Timeline { bars, interruptions: VecDeque::new(), now, since: now }
    }

    /// Adds what has happened in one step, and forgets what is too long ago.
    pub fn extend<H: Host>(&mut self, entries: impl IntoIterator<Item = TraceEntry>, now: f64, tree: &Tree<H>) {
        let mut collector = Collector::new(tree);
        for TraceEntry { time, event, .. } in entries {
            collector.see(time, &event);
            match event {
                TraceEvent::Start(node) => self.bars.push_back(Bar { node, from: time, to: None }),
                TraceEvent::End(node, outcome) => self.end(node, time, Ended::Itself(outcome)),
                TraceEvent::Aborted(node, _) => self.end(node, time, Ended::Aborted),
                _ => {}
            }
        }
        self.interruptions.extend(collector.take());
        self.now = now;
        let first = self.first();
        self.bars.retain(|it| it.to.is_none_or(|(to, _)| to >= first));
        self.interruptions.retain(|it| it.time >= first);
    }

    fn end(&mut self, node: NodeId, time: f64, how: Ended) {
        let Some(at) = self.bars.iter().rposition(|it| it.node == node && it.to.is_none()) else { return };
        if self.bars[at].from >= time {
            // It took no time, as most conditions.
            self.bars.remove(at);
        } else {
            self.bars[at].to = Some((time, how));
        }
    }

    /// The latest moment that it knows of.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.now
    }

    /// The first moment that is shown: [`SPAN`] seconds ago.
    #[must_use]
    pub fn first(&self) -> f64 {
        self.now - SPAN
    }

    /// Since when it is known what ran.
    #[must_use]
    pub fn since(&self) -> f64 {
        self.since
    }

    /// When each node was active, in the order of their starts.
    pub fn bars(&self) -> impl ExactSizeIterator<Item = &Bar> {
        self.bars.iter()
    }

    /// What was ended from outside, oldest first.
    pub fn interruptions(&self) -> impl ExactSizeIterator<Item = &Interruption> + DoubleEndedIterator {
        self.interruptions.iter()
    }

    /// The nodes that were active at that time, in the order of the tree.
    #[must_use]
    pub fn active_at(&self, time: f64) -> Vec<NodeId> {
        let was = |it: &&Bar| it.from <= time && it.to.is_none_or(|(to, _)| to > time);
        let mut nodes: Vec<NodeId> = self.bars.iter().filter(was).map(|it| it.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// The nodes that have a bar and are chosen, at most so many: those that ran last, in the order
    /// of the tree.
    #[must_use]
    pub fn rows(&self, most: usize, chosen: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
        let mut rows: Vec<NodeId> = Vec::new();
        for bar in self.bars.iter().rev().filter(|it| chosen(it.node)) {
            if rows.len() < most && !rows.contains(&bar.node) {
                rows.push(bar.node);
            }
        }
        rows.sort_unstable();
        rows
    }
}

#[cfg(test)]
mod tests {
    use pleach::trace::Recorder;
    use pleach::{Forest, Host, Tree, nodes};

    use super::*;
    use crate::interruption::Cause;

    struct Plain;
    impl Host for Plain {
        type Cx<'a> = ();
    }

    #[test]
    fn bars_are_when_nodes_were_active() {
        let mut builder = Tree::<Plain>::builder("nap");
        let alarm = builder.key("alarm", false);
        let watch = nodes::sequence([nodes::check("alarm"), nodes::idle()]).aborts(nodes::Abort::LOWER_PRIORITY);
        let nap = nodes::repeat_forever(nodes::sequence([nodes::wait(1.0), nodes::wait(2.0)]));
        let tree = builder.build(nodes::selector([watch, nap])).unwrap();
        let mut forest = Forest::new(7);
        let tree = forest.add_tree(tree).unwrap();
        let agent = forest.spawn(&mut (), tree).unwrap();
        let mut recorder = Recorder::of([agent]).only(kinds());
        let mut timeline = Timeline::begin([], forest.time());
        let node = |at: usize| NodeId::new(at).unwrap();
        for tick in 0..100 {
            if tick == 35 {
                forest.keys_mut(agent).unwrap().set(alarm, true);
            }
            forest.traced(&mut recorder).tick(&mut (), 0.1).unwrap();
            timeline.extend(recorder.take(), forest.time(), forest.tree(tree).unwrap());
        }
        // n0 Selector, n1 Sequence, n2 Check, n3 Idle, n4 Repeat, n5 Sequence, n6 and n7 Wait.
        assert_eq!(timeline.active_at(0.5), [node(0), node(4), node(5), node(6)]);
        assert_eq!(timeline.active_at(1.5), [node(0), node(4), node(5), node(7)]);
        assert_eq!(timeline.active_at(9.0), [node(0), node(1), node(3)]);
        let first = timeline.interruptions().next().unwrap();
        assert!((first.time - 3.6).abs() < 0.11, "{first:?}");
        assert_eq!((timeline.interruptions().len(), first.ended), (1, node(4)), "the outermost");
        assert_eq!(first.cause, Cause::Condition(node(2)));
        assert_eq!(timeline.rows(9, |it| it.index() > 5), [node(6), node(7)]);
        assert_eq!(timeline.rows(1, |_| true), [node(3)]);
        assert!(timeline.bars().any(|it| matches!(it.to, Some((_, Ended::Aborted)))));
        for _ in 0..400 {
            forest.traced(&mut recorder).tick(&mut (), 0.1).unwrap();
            timeline.extend(recorder.take(), forest.time(), forest.tree(tree).unwrap());
        }
        assert_eq!(timeline.interruptions().len(), 0);
        assert_eq!(timeline.active_at(timeline.first()), [node(0), node(1), node(3)]);
        assert_eq!(timeline.bars().len(), 3, "what ended long ago is forgotten");
    }
}
