//! Why something was ended from outside, from an agent's trace.

use pleach::tools::kinds::NodeKind;
use pleach::trace::TraceEvent;
use pleach::{Host, NodeId, Reason, Tree};

/// What ended a node from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A watched condition has changed.
    Condition(NodeId),
    /// That guard no longer holds.
    Guard(NodeId),
    /// That timeout has run out.
    Timeout(NodeId),
    /// An earlier child of that reactive composite has decided, or runs.
    Rerun(NodeId),
    /// A child of that utility selector has a better score.
    Better(NodeId),
    /// The value of that switch, or slot, selects another child.
    Switched(NodeId),
    /// That parallel has its verdict.
    Decided(NodeId),
    /// Something outside the tree did.
    Outside(Reason),
}

/// A part of the tree that was ended from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interruption {
    /// When, in seconds of the forest.
    pub time: f64,
    /// The outermost node that was ended.
    pub ended: NodeId,
    /// What ended it.
    pub cause: Cause,
}

/// Collects the interruptions of one step of an agent.
#[derive(Debug)]
pub(crate) struct Collector<'t, H: Host> {
    tree: &'t Tree<H>,
    found: Vec<Interruption>,
}

impl<'t, H: Host> Collector<'t, H> {
    pub(crate) fn new(tree: &'t Tree<H>) -> Self {
        Collector { tree, found: Vec::new() }
    }

    /// Processes the next event.
    pub(crate) fn see(&mut self, time: f64, event: &TraceEvent) {
        match *event {
            TraceEvent::Aborted(ended, reason) => {
                // The deepest end comes first; the nodes around it stand for it.
                self.found.retain(|it| !self.tree.contains(ended, it.ended));
                self.found.push(Interruption { time, ended, cause: self.cause(ended, reason) });
            }
            TraceEvent::Abort { scope, by } => {
                let parent = |node| self.tree.node(node).and_then(|it| it.parent()).map(pleach::NodeRef::id);
                if let Some(it) = self.found.iter_mut().rfind(|it| parent(it.ended) == Some(scope)) {
                    it.cause = Cause::Condition(by);
                }
            }
            _ => {}
        }
    }

    /// The cause, from the node above. A conditional abort adds to it.
    fn cause(&self, ended: NodeId, reason: Reason) -> Cause {
        let Some(parent) = self.tree.node(ended).and_then(|it| it.parent()) else { return Cause::Outside(reason) };
        match (reason, parent.node_kind()) {
            (Reason::Abort, NodeKind::Guard) => Cause::Guard(parent.id()),
            (Reason::Abort, NodeKind::Timeout) => Cause::Timeout(parent.id()),
            (Reason::Abort, NodeKind::ReactiveSequence | NodeKind::ReactiveSelector) => Cause::Rerun(parent.id()),
            (Reason::Abort, NodeKind::UtilitySelector) => Cause::Better(parent.id()),
            (Reason::Switched, _) => Cause::Switched(parent.id()),
            (Reason::Decided, _) => Cause::Decided(parent.id()),
            _ => Cause::Outside(reason),
        }
    }

    /// What was ended, in order.
    pub(crate) fn take(self) -> Vec<Interruption> {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use pleach::Forest;
    use pleach::nodes::{
        Node, check, guard, idle, parallel, reactive_selector, selector, switch, timeout, utility_selector,
    };
    use pleach::trace::Recorder;

    use super::*;

    struct Plain;
    impl Host for Plain {
        type Cx<'a> = ();
    }

    /// What is ended when `on` becomes true, between half a second and a second.
    fn interruptions(root: Node<Plain>) -> Vec<(usize, Cause)> {
        let mut builder = Tree::<Plain>::builder("tree");
        let on = builder.key("on", false);
        let mut forest = Forest::new(7);
        let tree = forest.add_tree(builder.build(root).unwrap()).unwrap();
        let agent = forest.spawn(&mut (), tree).unwrap();
        let mut recorder = Recorder::of([agent]);
        let mut found = Vec::new();
        for tick in 0..12 {
            if tick == 5 {
                forest.keys_mut(agent).unwrap().set(on, true);
            }
            forest.traced(&mut recorder).tick(&mut (), 0.1).unwrap();
            let mut collector = Collector::new(forest.tree(tree).unwrap());
            recorder.take().into_iter().for_each(|it| collector.see(it.time, &it.event));
            found.extend(collector.take().into_iter().map(|it| (it.ended.index(), it.cause)));
        }
        found
    }

    #[test]
    fn each_cause_has_its_name() {
        let node = |at: usize| NodeId::new(at).unwrap();
        let watched = || pleach::nodes::sequence([check("on"), idle()]).aborts(pleach::nodes::Abort::LOWER_PRIORITY);
        let inner = || pleach::nodes::sequence([idle()]);
        assert_eq!(interruptions(selector([watched(), inner()])), [(4, Cause::Condition(node(2)))]);
        assert_eq!(interruptions(selector([guard("!on", inner()), idle()])), [(2, Cause::Guard(node(1)))]);
        assert_eq!(interruptions(selector([timeout(1.0, inner()), idle()])), [(2, Cause::Timeout(node(1)))]);
        assert_eq!(interruptions(reactive_selector([guard("on", idle()), inner()])), [(3, Cause::Rerun(node(0)))]);
        let scored = utility_selector([("0.5", inner()), ("if(on, 1.0, 0.0)", idle())]).reevaluate();
        assert_eq!(interruptions(scored), [(1, Cause::Better(node(0)))]);
        assert_eq!(interruptions(switch("on", [(false, inner()), (true, idle())])), [(1, Cause::Switched(node(0)))]);
        let decided = selector([parallel([inner(), pleach::nodes::wait_until("on"), guard("!on", idle())]), idle()]);
        let found = interruptions(decided);
        assert_eq!(found, [(6, Cause::Guard(node(5))), (2, Cause::Decided(node(1)))], "the parallel fails");
    }
}
