//! Which conditions can abort what: section 5 of the semantics, applied to a tree instead of an
//! agent.

use pleach_core::{Host, NodeRef, kinds::ChildOrder, nodes::Abort};

use super::Written;
use super::flow::Flow;

/// What a whole tree can abort, by the index of the node.
pub(super) struct Watch {
    /// For each composite, the halves of its abort type without which some condition would abort
    /// less.
    used: Vec<Abort>,
    /// The place of each node among its siblings.
    position: Vec<usize>,
    /// For each composite, the first and the last child that can be found running.
    lasting: Vec<Option<(usize, usize)>>,
}

/// A composite at which a condition can abort something.
pub(super) struct Watcher<'a, H: Host> {
    pub(super) at: NodeRef<'a, H>,
    /// The child of it that holds the condition.
    pub(super) child: NodeRef<'a, H>,
    /// The abort types that allow it.
    pub(super) by: Abort,
}

pub(super) type Watched<'a, H> = Vec<(NodeRef<'a, H>, Vec<Watcher<'a, H>>)>;

impl Watch {
    pub(super) fn of<H: Host>(written: &Written<'_, H>, flow: &Flow) -> Watch {
        let len = written.tree.len();
        let mut watch = Watch { used: vec![Abort::NONE; len], position: vec![0; len], lasting: vec![None; len] };
        for node in written.tree.nodes() {
            for (position, child) in node.children().enumerate() {
                watch.position[child.id().index()] = position;
                if flow.is_reachable(child) && flow.ends(child).lasts {
                    let lasting = &mut watch.lasting[node.id().index()];
                    *lasting = Some((lasting.map_or(position, |it| it.0), position));
                }
            }
        }
        for condition in written.tree.nodes().filter(|it| it.is_condition() && flow.is_reachable(*it)) {
            watch.note(condition);
        }
        watch
    }

    /// The halves of a composite's abort type that have an effect.
    pub(super) fn used<H: Host>(&self, node: NodeRef<'_, H>) -> Abort {
        self.used[node.id().index()]
    }

    fn note<H: Host>(&mut self, condition: NodeRef<'_, H>) {
        let (mut by_self, mut by_priority) = (None, None);
        for watcher in self.watchers(condition, NodeRef::abort) {
            by_self = if watcher.by.contains(Abort::SELF) { Some(watcher.at.id()) } else { by_self };
            by_priority = if watcher.by.contains(Abort::LOWER_PRIORITY) { Some(watcher.at.id()) } else { by_priority };
            if watcher.at.abort().contains(Abort::SELF) {
                // It would abort there anyway, but it does fire.
                let used = &mut self.used[watcher.at.id().index()];
                *used = *used | Abort::SELF;
            }
        }
        for at in std::iter::successors(condition.nearest_composite(), |it| it.nearest_composite()) {
            let used = &mut self.used[at.id().index()];
            if by_self.is_some_and(|it| it <= at.id()) {
                *used = *used | Abort::SELF;
            }
            if by_priority.is_some_and(|it| it < at.id()) {
                *used = *used | Abort::LOWER_PRIORITY;
            }
        }
    }

    /// The conditions that can abort something, in pre-order, each with where.
    pub(super) fn all<'a, H: Host>(&self, written: &Written<'a, H>, flow: &Flow) -> Watched<'a, H> {
        let conditions = written.tree.nodes().filter(|it| it.is_condition() && flow.is_reachable(*it));
        let watched = conditions.map(|it| (it, self.watchers(it, NodeRef::abort)));
        watched.filter(|it| !it.1.is_empty()).collect()
    }

    /// Where a condition can abort something, lowest first, if composites had these abort types.
    pub(super) fn watchers<'a, H: Host>(
        &self,
        condition: NodeRef<'a, H>,
        abort: impl Fn(NodeRef<'a, H>) -> Abort,
    ) -> Vec<Watcher<'a, H>> {
        let mut watchers = Vec::new();
        let mut child = condition;
        for (at, by) in condition.watched_at(abort) {
            while let Some(parent) = child.parent().filter(|it| it.id() != at.id()) {
                child = parent;
            }
            if self.interrupts(at, child) {
                watchers.push(Watcher { at, child, by });
            }
            child = at;
        }
        watchers
    }

    /// Whether a composite can have another running child, while the conditions in this one are
    /// monitored.
    fn interrupts<H: Host>(&self, at: NodeRef<'_, H>, child: NodeRef<'_, H>) -> bool {
        let Some((first, last)) = self.lasting[at.id().index()] else { return false };
        let position = self.position[child.id().index()];
        match at.node_kind().order() {
            Some(ChildOrder::Written) => position < last,
            Some(ChildOrder::Found) => position != first || position != last,
            // Children before the running one run again before any monitor is checked.
            Some(ChildOrder::Reactive) => first < position,
            Some(ChildOrder::Together | ChildOrder::Selected) | None => false,
        }
    }
}
