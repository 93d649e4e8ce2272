//! The reevaluation pass, prepared: which conditions, guards, timeouts and reactive composites
//! ("observers") it may have to look at while a node is on top of a stack.
//!
//! Whether a condition is watched (SEMANTICS 5) depends on the condition and on the lowest active
//! composite above it, and so only on which node is on top. That is a bit mask per node. For trees
//! so large that the masks would take more than [`MAX_MASK_BYTES`], the interpreter climbs from
//! each set monitor instead.

use std::borrow::Cow;

use pleach_expr::expr::{Expr, KeyIndex};
use pleach_expr::runtime::{Cmp, Comparison, With, as_key, readings, turns_once};

use super::abort::watching;
use super::amount::{NodeCount, NodeSpan};
use super::lists::Lists;
use super::record::{Cases, GuardTest, Op, Record};
use crate::blackboard::Schema;
use crate::blackboard::flips::Watches;
use crate::blackboard::token_decl::TokenDecl;
use crate::index::{ExprId, LeafId, ObserverId};

use crate::clock::{self, Moment, Span};
use crate::{AgentId, NodeId, Observes, Type};

/// The most memory that the masks of one tree may take.
const MAX_MASK_BYTES: usize = 8 << 20;

/// An observer that is asked at intervals (SEMANTICS 8.5): at the agent's own time, offset from
/// other agents by a part of the interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Periodic {
    pub(crate) observer: ObserverId,
    pub(crate) interval: Span,
}

impl Periodic {
    /// The next time after `now` for an agent.
    pub(crate) fn next(self, agent: AgentId, now: Moment) -> Moment {
        // Neighbouring places get phases far apart: a Fibonacci hash of the place.
        let spread = (agent.to_bits() & 0xffff_ffff).wrapping_mul(0x9e37_79b9) & 0xffff_ffff;
        let phase =
            u64::try_from((u128::from(spread) * u128::from(self.interval.0)) >> 32).expect("less than one interval");
        let rounds = (now.0 + phase) / self.interval.0 + 1;
        // Past the end of time there is none.
        Moment(rounds * self.interval.0 - phase).min(Moment::NEVER)
    }
}

/// A host's condition to ask, and for which agents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask {
    pub(crate) node: NodeId,
    /// [`LeafId::NONE`] if the observer asks something else.
    pub(crate) leaf: LeafId,
}

/// What the pass needs to know about a tree.
#[derive(Debug)]
pub(crate) struct ObserverTable {
    /// Observer -> node.
    pub(crate) nodes: Vec<NodeId>,
    /// The same of the first word, with what to ask.
    pub(crate) asks: Box<[Ask; 64]>,
    /// Words of 64 observers.
    pub(crate) words: usize,
    /// The observers to look at while a node is on top of a stack.
    masks: Masks,
    /// The observers that are not monitors, and so always set.
    pub(crate) always: Vec<u64>,
    /// The observers whose answer can change without a key of the agent changing.
    pub(crate) polled: Vec<u64>,
    /// Those of them that ask for an event. Without mail they fail, so that only an answer that was
    /// yes has to be asked again. Mail ends any sleep.
    pub(crate) events: Vec<u64>,
    /// Those of them that can tell at runtime when they next have something to do: timeouts,
    /// services, reactive composites, and expressions that turn once.
    pub(crate) timed: Vec<u64>,
    /// The observers that are asked only at intervals; and their bits.
    pub(crate) periodic: Vec<Periodic>,
    pub(crate) rare: Vec<u64>,
    /// All cooldowns.
    pub(crate) cooldowns: Vec<NodeId>,
    /// Whether one of the timed expressions reads the forest's time.
    pub(crate) timed_by_now: bool,
}

impl ObserverTable {
    /// The mask of a node, unless this tree does without.
    #[inline]
    pub(crate) fn mask(&self, top: NodeId) -> Option<&[u64]> {
        let from = *self.masks.row_of.get(top.index())? as usize * self.words;
        self.masks.rows.get(from..from + self.words)
    }

    pub(crate) fn has_masks(&self) -> bool {
        !self.masks.row_of.is_empty()
    }
}

/// Whether an abort of this condition can ever happen.
fn can_fire(records: &[Record], kids: &impl Fn(NodeId) -> usize, condition: NodeId) -> bool {
    watching(records, records[condition.index()].nearest_composite.some()).any(|at| kids(at) > 1)
}

/// Numbers the observers and fills the records' observer fields.
pub(super) fn number(records: &mut [Record], kids: impl Fn(NodeId) -> usize) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    for index in 0..records.len() {
        let id = NodeId::new(index).expect("T1");
        records[index].observers.from = ObserverId::new(nodes.len());
        let record = &records[index];
        let observer = match record.op {
            Op::Guard { .. } | Op::Timeout { .. } => true,
            Op::ReactiveSequence { .. } | Op::ReactiveSelector { .. } => record.serves || kids(id) > 1,
            Op::UtilitySelector { reevaluate, .. } => record.serves || (reevaluate && kids(id) > 1),
            Op::Switch { latch, .. } => record.serves || !latch,
            Op::Condition { .. } | Op::Check { .. } | Op::OnEvent { .. } | Op::Free { .. } => {
                can_fire(records, &kids, id)
            }
            // So that its keys wake the agent; the pass has nothing to do with it.
            Op::WaitUntil { .. } => true,
            // Every other composite has one if it has services.
            _ => record.serves,
        };
        if observer {
            if record.is_condition() {
                records[index].monitor = ObserverId::new(nodes.len());
            }
            nodes.push(id);
        }
    }
    for index in 0..records.len() {
        let end = records[index].end.index();
        records[index].observers.to =
            if end < records.len() { records[end].observers.from } else { ObserverId::new(nodes.len()) };
    }
    nodes
}

/// Works out the masks, and which changes of which keys matter to which observers.
pub(super) fn table(
    records: &[Record],
    nodes: Vec<NodeId>,
    (exprs, cases, tokens): (&[Expr], &[Cases], &[TokenDecl]),
    observes: &dyn Fn(LeafId) -> Observes,
    kids: &dyn Fn(NodeId) -> usize,
    child_conditions: &Lists,
    schema: &Schema,
) -> (ObserverTable, Watches) {
    let words = nodes.len().div_ceil(64);
    let mut always = vec![0; words];
    let mut polled = vec![0; words];
    let mut events = vec![0; words];
    let mut timed = vec![0; words];
    let mut periodic = Vec::new();
    let mut rare = vec![0; words];
    let mut timed_by_now = false;
    let mut watches = Watches::new(schema.columns(), words);
    for (index, &node) in nodes.iter().enumerate() {
        let observer = ObserverId::new(index);
        let (word, mask) = (observer.word(), observer.bit());
        let record = &records[node.index()];
        if record.monitor == ObserverId::NONE {
            always[word] |= mask;
        }
        if let Op::OnEvent { .. } = record.op {
            events[word] |= mask;
        }
        let takes_scores = matches!(record.op, Op::UtilitySelector { reevaluate: true, .. }) && kids(node) > 1;
        // Whether reruns can be quiet, if the node has any.
        let reruns = match record.op {
            Op::ReactiveSequence { slot } | Op::ReactiveSelector { slot } if kids(node) > 1 => Some(slot.is_some()),
            _ => None,
        };
        if reruns == Some(true) {
            for it in before_last_child(records, node) {
                match (tested(it.op), it.op) {
                    (Some(on), Op::Switch { cases: of, .. }) => {
                        watch_switch(&mut watches, schema, &exprs[on.index()], &cases[of.index()], observer);
                    }
                    (Some(expr), _) => watch(&mut watches, schema, &exprs[expr.index()], observer),
                    (None, _) => {}
                }
            }
        }
        let expr = match record.op {
            Op::Check { expr }
            | Op::WaitUntil { expr }
            | Op::Guard { when: GuardTest::Expr(expr), .. }
            | Op::Switch { on: expr, latch: false, .. } => Some(&exprs[expr.index()]),
            _ => None,
        };
        let keys: Option<Cow<'_, [KeyIndex]>> = match record.op {
            Op::Condition { leaf, .. } | Op::Guard { when: GuardTest::Leaf(leaf), .. } => match observes(leaf) {
                Observes::EveryTick => None,
                Observes::Keys(keys) => Some(keys.into()),
                Observes::Every(seconds) => match clock::span(seconds.into()) {
                    Some(interval) if interval > Span::ZERO => {
                        periodic.push(Periodic { observer, interval });
                        rare[word] |= mask;
                        Some(Cow::default())
                    }
                    _ => None,
                },
            },
            Op::Free { token } => Some(vec![tokens[token.index()].index].into()),
            _ => expr.map(|it| it.keys().into()),
        };
        // Time changes without a key changing.
        let turns = expr.is_some_and(turns_once);
        let reads_time = expr.is_some_and(Expr::reads_clock) && !turns;
        timed_by_now |= turns && expr.is_some_and(Expr::reads_now);
        let acts_in_every_tick = takes_scores || reads_time;
        let is_timed = turns || matches!(record.op, Op::Timeout { .. }) || reruns.is_some();
        if is_timed || (record.serves && !acts_in_every_tick) {
            timed[word] |= mask;
        }
        match keys {
            Some(keys) if !reads_time => {
                match (expr, record.op) {
                    (Some(on), Op::Switch { cases: of, .. }) => {
                        watch_switch(&mut watches, schema, on, &cases[of.index()], observer)
                    }
                    (Some(expr), _) => watch(&mut watches, schema, expr, observer),
                    (None, _) => keys.iter().for_each(|&key| watches.any(schema.decl(key), observer)),
                }
                // It is asked whether it is time, even if no key changes.
                if record.serves || turns {
                    polled[word] |= mask;
                }
            }
            _ => polled[word] |= mask,
        }
    }
    let masks = masks(records, &nodes, child_conditions, words).unwrap_or_default();
    let mut asks = Box::new([Ask { node: NodeId::NONE, leaf: LeafId::NONE }; 64]);
    for (ask, &node) in asks.iter_mut().zip(&nodes) {
        let leaf = if let Op::Condition { leaf, .. } = records[node.index()].op { leaf } else { LeafId::NONE };
        *ask = Ask { node, leaf };
    }
    let is_cooldown = |it: &NodeId| matches!(records[it.index()].op, Op::Cooldown { .. });
    let cooldowns = (0..records.len()).filter_map(NodeId::new).filter(is_cooldown).collect();
    (
        ObserverTable {
            nodes,
            asks,
            words,
            masks,
            always,
            polled,
            events,
            timed,
            periodic,
            rare,
            cooldowns,
            timed_by_now,
        },
        watches,
    )
}

/// The nodes below all children but the last.
fn before_last_child(records: &[Record], node: NodeId) -> &[Record] {
    let mut last = node.next();
    while records[last.index()].end != records[node.index()].end {
        last = records[last.index()].end;
    }
    &records[node.next().index()..last.index()]
}

/// What a node evaluates when a reactive composite runs it again, if it does nothing else.
fn tested(op: Op) -> Option<ExprId> {
    match op {
        Op::Check { expr } | Op::Guard { when: GuardTest::Expr(expr), .. } | Op::Switch { on: expr, .. } => Some(expr),
        _ => None,
    }
}

/// What it means for a rerun of a reactive composite that it starts a node (SEMANTICS 8.37).
#[derive(Clone, Copy, PartialEq)]
enum Rerun {
    /// The node does nothing but start its first child.
    StartsFirst,
    /// It does nothing visible by itself. A Cooldown, a Limit and an OnEvent say at runtime whether
    /// they did something.
    Quiet,
    /// It does something, or may do something else the next time.
    Loud,
}

impl Rerun {
    fn of(record: &Record, exprs: &[Expr]) -> Self {
        match record.op {
            _ if record.serves || record.resets => Rerun::Loud,
            Op::Sequence
            | Op::Selector
            | Op::ReactiveSequence { .. }
            | Op::ReactiveSelector { .. }
            | Op::Inverter
            | Op::ForceSuccess
            | Op::ForceFailure
            | Op::UntilSuccess
            | Op::UntilFailure => Rerun::StartsFirst,
            Op::Timeout { seconds: NodeSpan::Fixed(_), .. }
            | Op::Cooldown { .. }
            | Op::Limit { count: NodeCount::Fixed(_), .. }
            | Op::OnEvent { .. }
            | Op::Succeed
            | Op::Fail => Rerun::Quiet,
            // Time changes without a key changing.
            op if tested(op).is_some_and(|it| !exprs[it.index()].reads_clock()) => Rerun::Quiet,
            _ => Rerun::Loud,
        }
    }
}

/// Works out which nodes are loud, if any is run again by a reactive composite. A reactive
/// composite whose first child always starts a loud node loses its word of memory: none of its
/// reruns is quiet.
pub(super) fn mark_loud(records: &mut [Record], exprs: &[Expr]) {
    if !records.iter().any(|it| matches!(it.op, Op::ReactiveSequence { .. } | Op::ReactiveSelector { .. })) {
        return;
    }
    // Whether the node after this one, in a parent its first child, always starts a loud node.
    let mut next_is_loud = false;
    for record in records.iter_mut().rev() {
        let rerun = Rerun::of(record, exprs);
        record.loud = rerun == Rerun::Loud;
        if let Op::ReactiveSequence { slot } | Op::ReactiveSelector { slot } = &mut record.op
            && next_is_loud
        {
            *slot = None;
        }
        next_is_loud = record.loud || (rerun == Rerun::StartsFirst && next_is_loud);
    }
}

/// Notes which changes can give an expression another value.
fn watch(watches: &mut Watches, schema: &Schema, expr: &Expr, observer: ObserverId) {
    for (key, comparison) in readings(expr) {
        match comparison {
            Some(it) => watches.compared(schema.decl(key), &it, |other| schema.decl(other), observer),
            None => watches.any(schema.decl(key), observer),
        }
    }
}

/// Notes which changes can make a switch select another child. One over a key compares it with its
/// cases.
fn watch_switch(watches: &mut Watches, schema: &Schema, on: &Expr, cases: &Cases, observer: ObserverId) {
    let Some(key) = as_key(on) else { return watch(watches, schema, on, observer) };
    let decl = schema.decl(key);
    if decl.ty() == Type::Symbol && decl.symbols().len() <= cases.children.len() + 1 {
        // At most one word has no case: no two words are alike.
        return watches.any(decl, observer);
    }
    for &(case, _) in &cases.children {
        let comparison = Comparison { cmp: Cmp::Eq, with: With::Value(case), floats: false };
        watches.compared(decl, &comparison, |other| schema.decl(other), observer);
    }
}

/// Sets of observers, one for each node. Most nodes have the set of their parent or of a sibling.
#[derive(Debug, Default)]
struct Masks {
    /// Node -> its row. Empty if the rows would be too many, or all would be empty.
    row_of: Vec<u32>,
    rows: Vec<u64>,
}

impl Masks {
    fn row(&mut self, row: u32, words: usize) -> &mut [u64] {
        &mut self.rows[row as usize * words..][..words]
    }

    /// A copy of a row.
    fn copy(&mut self, row: u32, words: usize) -> u32 {
        let copy = u32::try_from(self.rows.len() / words).expect("bounded by MAX_MASK_BYTES");
        let from = row as usize * words;
        self.rows.extend_from_within(from..from + words);
        copy
    }
}

/// The masks of all nodes; `None` if they would take too much memory.
fn masks(records: &[Record], nodes: &[NodeId], child_conditions: &Lists, words: usize) -> Option<Masks> {
    if words == 0 {
        return None;
    }
    let row = |index: u32| index as usize * words..(index as usize + 1) * words;
    // First, at each composite, what is watched there; then, from the root down, what that means
    // for each top. Few composites watch anything: a row for each of these, and which one it
    // belongs to.
    let mut watched: Vec<u64> = Vec::new();
    let mut watching_row: Vec<Option<u32>> = vec![None; records.len()];
    let mut rows = 0;
    for index in 0..records.len() {
        let composite = NodeId::new(index).expect("T1");
        let mut monitors = child_conditions.of(composite).iter().filter_map(|it| records[it.index()].monitor.some());
        let Some(first) = monitors.next() else { continue };
        for at in watching(records, Some(composite)) {
            let own = *watching_row[at.index()].get_or_insert_with(|| {
                watched.resize(watched.len() + words, 0);
                rows += 1;
                rows - 1
            });
            let own = &mut watched[row(own)];
            for observer in [first].into_iter().chain(monitors.clone()) {
                own[observer.word()] |= observer.bit();
            }
        }
    }
    // Row 0 is empty.
    let mut masks = Masks { row_of: Vec::with_capacity(records.len()), rows: vec![0; words] };
    // The row of the children that have no observers, by their parents.
    let mut shared: Vec<Option<u32>> = vec![None; records.len()];
    for (index, record) in records.iter().enumerate() {
        let mut own = 0;
        if let Some(parent) = record.parent.some().filter(|_| !record.bottom) {
            let above = masks.row_of[parent.index()];
            let (watching, work) = (watching_row[parent.index()], work(&records[parent.index()], nodes, parent));
            own = match shared[parent.index()].filter(|_| record.observers.is_empty()) {
                Some(row) => row,
                None if watching.is_none() && work.is_none() => above,
                None => {
                    let own = masks.copy(above, words);
                    let bits = masks.row(own, words);
                    if let Some(at) = watching {
                        for (word, watched) in bits.iter_mut().zip(&watched[row(at)]) {
                            *word |= watched;
                        }
                        // What is watched above lies outside of the parent: of its own subtree a
                        // node has only what the parent watches.
                        record.observers.clear(bits);
                    }
                    if let Some(observer) = work {
                        bits[observer.word()] |= observer.bit();
                    }
                    if record.observers.is_empty() {
                        shared[parent.index()] = Some(own);
                    }
                    own
                }
            };
        }
        if record.serves
            && let Some(observer) = work(record, nodes, NodeId::new(index).expect("T1"))
        {
            own = masks.copy(own, words);
            masks.row(own, words)[observer.word()] |= observer.bit();
        }
        if masks.rows.len() * 8 > MAX_MASK_BYTES {
            return None;
        }
        masks.row_of.push(own);
    }
    Some(masks)
}

/// The observer of a parent, if it has one: by T5 the first of its subtree, if it is the parent's
/// own.
fn work(record: &Record, nodes: &[NodeId], own: NodeId) -> Option<ObserverId> {
    let first = record.observers.from;
    (!record.observers.is_empty() && nodes[first.index()] == own).then_some(first)
}
