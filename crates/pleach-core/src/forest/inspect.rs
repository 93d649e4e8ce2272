//! "What is it doing?": a view of one agent.

use std::sync::Arc;

use pleach_expr::expr::KeyIndex;
use pleach_expr::text::plain;

use super::{AgentId, Phase};
use crate::blackboard::shared::{Cell, Shared, SharedMap};
use crate::blackboard::token_decl::TokenDecl;
use crate::blackboard::{KeyDecl, KeyNeed, KeyUse};
use crate::clock::{Moment, Span};
use crate::index::ObserverId;
use crate::life::{Flags, LastAbort, Life};
use crate::tree::record::{Op, Record};
use crate::{Event, GroupId, Host, NodeId, Outcome, Time, Tree, Value};

/// A condition that has a monitor. [`AgentView::explain`] gives its present answer, if it can be
/// known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonitorView {
    /// The condition.
    pub condition: NodeId,
    /// Its status when it last ran.
    pub stored: Outcome,
    /// Whether a change could abort something now.
    pub watched: bool,
}

/// A conditional abort.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AbortView {
    /// The composite that carried on at its child that holds `by`.
    pub scope: NodeId,
    /// The condition whose status changed.
    pub by: NodeId,
    /// Its status before the change.
    pub was: Outcome,
    /// The child of `scope` that was running, and was ended.
    pub ended: NodeId,
    /// When it happened, in the agent's own time: in seconds, exact to the millisecond; from an age
    /// of 18 hours on, to seven digits.
    pub time: f64,
}

impl AbortView {
    /// The abort in words, with the names of the agent's tree: `at 1.200 s: n2 Check(late), which
    /// was failure, changed; n5 Sequence "tick" ended, n0 Selector "clock" went on`.
    #[must_use]
    pub fn describe<H: Host>(&self, tree: &Tree<H>) -> String {
        self.with(|it| tree.node(it).map_or_else(|| it.to_string(), |it| it.to_string()))
    }

    fn with(&self, label: impl Fn(NodeId) -> String) -> String {
        let AbortView { scope, by, was, ended, time } = *self;
        let (scope, by, ended) = (label(scope), label(by), label(ended));
        format!("at {time:.3} s: {by}, which was {was}, changed; {ended} ended, {scope} went on")
    }
}

/// In words, with the numbers of the nodes; [`describe`](AbortView::describe) gives their names.
impl std::fmt::Display for AbortView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.with(|it| it.to_string()))
    }
}

/// The places of a token, as an agent sees them. Displays as `2 of 2 places are taken (by guard 3,
/// guard 7)`.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenView {
    /// The token.
    pub token: String,
    /// How many places there are.
    pub count: u32,
    /// The holders; an agent that holds several places appears once.
    pub holders: Vec<TokenHolder>,
    /// How many places are held.
    pub held: u32,
    /// How many places rest.
    pub resting: u32,
    /// When the first of these is free, in seconds of the forest's time from now.
    pub rests_for: Option<f64>,
    /// The waiting agents, in order.
    pub queue: Vec<AgentId>,
    /// Whether the agent would get a place.
    pub free: bool,
}

/// An agent that holds a place of a token. Displays as its label, or as its id if it has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenHolder {
    /// The agent.
    pub agent: AgentId,
    /// Its label for people.
    pub label: Option<Arc<str>>,
}

impl std::fmt::Display for TokenHolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.label {
            Some(label) => f.write_str(&plain(label)),
            None => write!(f, "{:?}", self.agent),
        }
    }
}

impl TokenView {
    /// The tokens of a tree for an agent in a group. `label` gives an agent's label.
    pub(crate) fn all<H: Host>(
        tree: &Tree<H>,
        (map, shared): (&SharedMap, &Shared),
        (agent, group): (AgentId, Option<GroupId>),
        now: Moment,
        label: impl Fn(AgentId) -> Option<Arc<str>>,
    ) -> Vec<TokenView> {
        let view = |it: &TokenDecl| {
            let cell = Cell::of(map, group.unwrap_or_default(), it.scope, it.key);
            let (seen, rests) = shared.seen_places(cell, now);
            TokenView {
                token: (*it.name).to_owned(),
                count: it.terms.count,
                holders: seen.holders.into_iter().map(|agent| TokenHolder { agent, label: label(agent) }).collect(),
                held: seen.taken,
                resting: seen.resting,
                rests_for: rests.map(Span::seconds),
                queue: seen.queue,
                free: shared.places(cell).is_none_or(|places| places.would_give(agent, it.terms.count)),
            }
        };
        tree.tokens.iter().map(view).collect()
    }
}

impl std::fmt::Display for TokenView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let TokenView { count, holders, held, resting, rests_for, queue, .. } = self;
        let places = if *count == 1 { "place is" } else { "places are" };
        write!(f, "{held} of {count} {places} taken")?;
        for (at, holder) in holders.iter().take(MOST_SHOWN).enumerate() {
            let before = if at == 0 { " (by " } else { ", " };
            write!(f, "{before}{holder}")?;
        }
        if holders.len() > MOST_SHOWN {
            write!(f, " and {} others", holders.len() - MOST_SHOWN)?;
        }
        if !holders.is_empty() {
            f.write_str(")")?;
        }
        if let Some(seconds) = rests_for {
            let verb = if *resting == 1 { "rests" } else { "rest, the first" };
            write!(f, ", {resting} {verb} for {seconds:.3} s")?;
        }
        if !queue.is_empty() {
            write!(f, ", {} waiting", queue.len())?;
        }
        Ok(())
    }
}

/// How many holders of a token are listed.
const MOST_SHOWN: usize = 4;

/// Everything that people ask about an agent. Made on demand; allocates.
pub struct AgentView<H: Host> {
    /// The agent.
    pub agent: AgentId,
    /// Its label for people.
    pub label: Option<Arc<str>>,
    /// Its tree.
    pub tree: Arc<Tree<H>>,
    /// What it is doing, in one word.
    pub phase: Phase,
    /// Its own time, in seconds.
    pub time: f64,
    /// How its root last ended.
    pub last_outcome: Option<Outcome>,
    /// The non-empty run stacks, by their bottoms, each from bottom to top. The first is the active
    /// path from the root.
    pub stacks: Vec<Vec<NodeId>>,
    /// The conditions with a monitor, in pre-order.
    pub monitors: Vec<MonitorView>,
    /// The last conditional abort.
    pub last_abort: Option<AbortView>,
    /// Every key with its value, in the order of declaration.
    pub keys: Vec<(KeyDecl, Value)>,
    /// The events that wait for its next tick, in the order in which they were sent.
    pub mail: Vec<Event>,
    /// The tokens of its tree, in the order of their first nodes.
    pub tokens: Vec<TokenView>,
    /// The keys that the game has bound.
    pub(crate) needs: Vec<KeyNeed>,
    /// The forest's time, or the brain's.
    pub now: Time,
    /// Its own time.
    pub(crate) own: Moment,
    /// What nodes remember about it.
    pub(crate) memory: Vec<u32>,
}

impl<H: Host> std::fmt::Debug for AgentView<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentView")
            .field("agent", &self.agent)
            .field("phase", &self.phase)
            .field("stacks", &self.stacks)
            .field("monitors", &self.monitors)
            .field("last_abort", &self.last_abort)
            .finish_non_exhaustive()
    }
}

/// What it is doing: the labels of the running nodes. If there are none: `(not started)` before the
/// first tick, `(between runs, last: success)` when the root has ended and starts again in the next
/// tick, else the phase, such as `(Off)`.
impl<H: Host> std::fmt::Display for AgentView<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let labels: Vec<&str> = self.current().filter_map(|it| Some(self.tree.node(it)?.label())).collect();
        match (self.phase, self.last_outcome) {
            _ if !labels.is_empty() => f.write_str(&labels.join(", ")),
            (Phase::Active, Some(last)) if self.stacks.is_empty() => write!(f, "(between runs, last: {last})"),
            (Phase::Active, None) if self.stacks.is_empty() => f.write_str("(not started)"),
            _ => write!(f, "({:?})", self.phase),
        }
    }
}

impl<H: Host> AgentView<H> {
    /// What the game does with a key: according to the sets bound to the agent's tree, and as
    /// [`Tree::key_use`].
    #[must_use]
    pub fn key_use(&self, key: KeyIndex) -> Option<KeyUse<'_>> {
        KeyUse::of(key, self.tree.needs.iter().chain(&self.needs), self.tree.schema())
    }

    /// Whether a node is active. Costs two binary searches.
    #[must_use]
    pub fn is_active(&self, node: NodeId) -> bool {
        if node.index() >= self.tree.len() {
            return false;
        }
        // The stacks are ordered by their bottoms, and a path descends in pre-order.
        let bottom = self.tree.bottoms[self.tree.rec(node).stack];
        let stack = self.stacks.binary_search_by_key(&Some(bottom), |it| it.first().copied());
        stack.is_ok_and(|it| self.stacks[it].binary_search(&node).is_ok())
    }

    /// The nodes that run, in pre-order: see
    /// [`AgentRef::current`](crate::handles::AgentRef::current).
    pub fn current(&self) -> impl Iterator<Item = NodeId> {
        let is_parallel = |it: NodeId| matches!(self.tree.rec(it).op, Op::Parallel { .. });
        // The stacks are ordered by their bottoms. A parallel is on the stack before those of its
        // branches, and is left out.
        self.stacks.iter().filter_map(|it| it.last().copied()).filter(move |&it| !is_parallel(it))
    }
}

/// The nodes that run in an agent, in pre-order: see
/// [`AgentRef::current`](crate::handles::AgentRef::current).
#[derive(Clone, Debug)]
pub struct Current<'a> {
    /// The tops in the order of the stacks, in which a branch comes before those right of it.
    tops: std::slice::Iter<'a, NodeId>,
    records: &'a [Record],
}

impl<'a> Current<'a> {
    /// `tops` are the tops of an agent's run stacks.
    pub(crate) fn new<H: Host>(tree: &'a Tree<H>, tops: &'a [NodeId], flags: Flags) -> Self {
        // Nodes that a panic left on the stacks are not active.
        let tops = if flags.contains(Flags::PANICKED) { &[] } else { tops };
        Current { tops: tops.iter(), records: &tree.records }
    }

    /// Whether a node is active.
    pub(crate) fn is_active(&self, node: NodeId) -> bool {
        let Some(record) = self.records.get(node.index()) else { return false };
        let top = self.tops.as_slice().get(record.stack.index()).and_then(|it| it.some());
        // The top of the stack on which the node runs is the node itself or below it.
        top.is_some_and(|top| node <= top && top < record.end)
    }
}

impl Iterator for Current<'_> {
    type Item = NodeId;
    fn next(&mut self) -> Option<NodeId> {
        let is_parallel = |it: NodeId| matches!(self.records[it.index()].op, Op::Parallel { .. });
        self.tops.by_ref().find_map(|it| it.some().filter(|&it| !is_parallel(it)))
    }
}

/// What a view of an agent is made from.
pub(crate) struct AgentState<'a> {
    pub(crate) agent: AgentId,
    pub(crate) label: Option<&'a Arc<str>>,
    pub(crate) flags: Flags,
    pub(crate) life: &'a Life,
    /// The forest's time.
    pub(crate) now: Moment,
    pub(crate) last_outcome: Option<Outcome>,
    pub(crate) tops: &'a [NodeId],
    pub(crate) monitors: &'a [u64],
    pub(crate) statuses: &'a [u64],
    pub(crate) memory: &'a [u32],
}

impl AgentState<'_> {
    /// The view. `value` reads a key; `needs` are the keys that the game has bound.
    pub(crate) fn view<H: Host>(
        self,
        tree: &Arc<Tree<H>>,
        value: impl Fn(&KeyDecl) -> Value,
        mail: Vec<Event>,
        tokens: Vec<TokenView>,
        needs: &[KeyNeed],
    ) -> AgentView<H> {
        let phase = Phase::of(self.flags);
        let own = self.life.time.at(self.flags, self.now);
        let mut stacks: Vec<Vec<NodeId>> = Vec::new();
        for (stack, &bottom) in tree.bottoms.iter() {
            let top = self.tops[stack.index()];
            if top != NodeId::NONE && phase != Phase::Panicked {
                let mut path = vec![top];
                while path[path.len() - 1] != bottom {
                    path.push(tree.rec(path[path.len() - 1]).parent);
                }
                path.reverse();
                stacks.push(path);
            }
        }
        stacks.sort_by_key(|it| it[0]);
        let mut monitors = Vec::new();
        for (index, &condition) in tree.observers.nodes.iter().enumerate() {
            let observer = ObserverId::new(index);
            if phase != Phase::Panicked && tree.rec(condition).monitor == observer && observer.is_in(self.monitors) {
                let success = observer.is_in(self.statuses);
                monitors.push(MonitorView {
                    condition,
                    stored: if success { Outcome::Success } else { Outcome::Failure },
                    watched: tree.scope(condition, self.tops).is_some(),
                });
            }
        }
        AgentView {
            agent: self.agent,
            label: self.label.cloned(),
            tree: Arc::clone(tree),
            phase,
            time: own.seconds(),
            last_outcome: self.last_outcome,
            stacks,
            monitors,
            last_abort: Some(self.life.last_abort).filter(|&it| it != LastAbort::NONE).map(|it| AbortView {
                scope: tree.rec(it.ended).parent,
                by: it.by,
                was: if it.was() { Outcome::Success } else { Outcome::Failure },
                ended: it.ended,
                time: it.at().seconds(),
            }),
            // The keys of tokens come last.
            keys: tree.schema().keys().filter(|it| !it.is_token()).map(|it| (it.clone(), value(it))).collect(),
            mail,
            tokens,
            needs: needs.to_vec(),
            now: self.now.time(),
            own,
            memory: self.memory.to_vec(),
        }
    }
}
