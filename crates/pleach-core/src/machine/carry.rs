//! What carries on when an agent's tree is replaced by another version of it (SEMANTICS 10): first
//! everything that cannot carry on ends, under the old tree; then the rest is carried over, without
//! a callback.
//!
//! Everything that depends only on the trees is worked out once and put into tables, so that an
//! agent costs a few look-ups.

use super::Machine;
use super::state::{RunColumns, RunState};
use crate::bits;
use crate::host::Host;
use crate::host::leaf::states::StateLists;
use crate::index::{LeafId, MemoryOffset, ObserverId, Stacks, narrow};
use crate::life::{Flags, LastAbort};
use crate::row::Row;
use crate::trace::Tracer;
use crate::tree::kind::NodeMemory;
use crate::tree::outline::Outline;
use crate::tree::pairs::{Cut, LoadedTrees, Pairs, ServicePlace};
#[cfg(feature = "save")]
use crate::tree::record::Cools;
use crate::{NodeId, Outcome, Reason, Tree};

/// How the agents of one tree carry on under another.
pub(crate) struct Carry {
    pub(crate) pairs: Pairs,
    /// For each old node, what it remembers while it is active.
    moves: Vec<Box<[Move]>>,
    /// Words of Cooldown and Limit, which outlive an activation.
    kept: Vec<Move>,
    /// Old node -> new observer, for the conditions whose monitors stay.
    monitors: Vec<ObserverId>,
    /// The observers of the new tree that are asked only when a key changes.
    observers: Vec<u64>,
    resume: Option<MemoryOffset>,
}

/// How a piece of node memory gets to its new place.
#[derive(Clone, Debug)]
enum Move {
    Words {
        from: MemoryOffset,
        to: MemoryOffset,
        count: u32,
    },
    /// An order of children, and how many have been tried. Old place -> new place.
    Order {
        from: MemoryOffset,
        to: MemoryOffset,
        places: Box<[u16]>,
    },
    /// A selected child.
    Selected {
        from: MemoryOffset,
        to: MemoryOffset,
    },
}

/// What happened to an agent.
#[derive(Debug, Default)]
pub(crate) struct Cuts {
    /// The nodes of the old tree to start when their stacks have their turns. The caller passes in
    /// those pending from before.
    pub(crate) starts: Vec<NodeId>,
    /// What restarts, outermost first.
    pub(crate) cuts: Vec<Cut>,
    /// The root is among these: the agent starts from the beginning.
    pub(crate) anew: bool,
}

impl Cuts {
    /// Clears it for the next agent.
    pub(crate) fn clear(&mut self) {
        self.starts.clear();
        self.cuts.clear();
        self.anew = false;
    }
}

/// Where a version of a tree keeps what its nodes remember.
pub(crate) trait Memory {
    /// The first word of a node that remembers something.
    fn slot(&self, node: NodeId) -> MemoryOffset;
    /// Where it keeps when a service of a node runs next.
    fn service(&self, place: ServicePlace) -> MemoryOffset;
}

impl<H: Host> Memory for Tree<H> {
    fn slot(&self, node: NodeId) -> MemoryOffset {
        self.rec(node).op.slot().expect("a node that remembers something has a place for it")
    }
    fn service(&self, (node, at): ServicePlace) -> MemoryOffset {
        self.services_of(node)[at].slot
    }
}

/// What a node of an outline remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remembers {
    Nothing,
    /// This many words while it is active.
    Words(u32),
    /// This many words for as long as the agent is enabled.
    Kept(u32),
    /// An order of this many children.
    Order(u32),
    /// A child.
    Selected,
}

impl Remembers {
    /// How many words that is.
    #[cfg(feature = "save")]
    pub(crate) fn words(self) -> usize {
        match self {
            Remembers::Nothing => 0,
            Remembers::Words(it) | Remembers::Kept(it) => it as usize,
            Remembers::Order(children) => 1 + children.div_ceil(2) as usize,
            Remembers::Selected => 1,
        }
    }

    pub(crate) fn of(outline: &Outline<'_>, id: NodeId) -> Self {
        let node = outline.node(id);
        match node.node_kind.memory() {
            NodeMemory::Rounds if node.counted => Remembers::Words(1),
            NodeMemory::Nothing | NodeMemory::Rounds | NodeMemory::Cache => Remembers::Nothing,
            NodeMemory::Words(words) => Remembers::Words(words),
            NodeMemory::Kept(words) => Remembers::Kept(words),
            NodeMemory::Order => Remembers::Order(u32::from(narrow(outline.children(id).count()))),
            NodeMemory::Selected => Remembers::Selected,
        }
    }
}

impl Carry {
    /// How agents carry on under another version of a loaded tree. Asks leaves, which is host code
    /// and may panic.
    pub(crate) fn new<H: Host>(old: &Tree<H>, new: &Tree<H>) -> Self {
        let outlines = (Outline::of(old), Outline::of(new));
        let pairs = Pairs::of(&outlines.0, &outlines.1, &LoadedTrees(old, new));
        Carry { resume: old.resume, ..Carry::between((&outlines.0, old), (&outlines.1, new), pairs) }
    }

    /// The same for any two versions.
    pub(crate) fn between<H: Host>(
        (outline, old): (&Outline<'_>, &impl Memory),
        (their_outline, new): (&Outline<'_>, &Tree<H>),
        pairs: Pairs,
    ) -> Self {
        let mut moves: Vec<Vec<Move>> = vec![Vec::new(); outline.len()];
        let mut kept = Vec::new();
        for (node, other) in pairs.iter() {
            let own = &mut moves[node.index()];
            let words = |count| Move::Words { from: old.slot(node), to: new.slot(other), count };
            match Remembers::of(outline, node) {
                Remembers::Nothing => {}
                Remembers::Kept(count) => kept.push(words(count)),
                // A node that has lost its count has no place for it, and restarts.
                Remembers::Words(_) if Remembers::of(their_outline, other) == Remembers::Nothing => {}
                Remembers::Words(count) => own.push(words(count)),
                Remembers::Order(_) => {
                    // Without a place for each child the composite restarts, and draws again.
                    let theirs: Vec<NodeId> = their_outline.children(other).collect();
                    let place = |it: NodeId| theirs.binary_search(&pairs.to(it)?).ok();
                    let places: Option<Vec<usize>> = outline.children(node).map(place).collect();
                    if let Some(places) = places.filter(|it| it.len() == theirs.len()) {
                        let places = places.into_iter().map(narrow).collect();
                        own.push(Move::Order { from: old.slot(node), to: new.slot(other), places });
                    }
                }
                Remembers::Selected => own.push(Move::Selected { from: old.slot(node), to: new.slot(other) }),
            }
        }
        for &(service, other) in &pairs.services {
            let (from, to) = (old.service(service), new.service(other));
            moves[service.0.index()].push(Move::Words { from, to, count: 2 });
        }
        let mut monitors = vec![ObserverId::NONE; outline.len()];
        for &(node, other) in &pairs.monitors {
            monitors[node.index()] = new.rec(other).monitor;
        }
        let mut observers = vec![0; new.observers.words];
        for index in 0..new.observers.nodes.len() {
            let it = ObserverId::new(index);
            observers[it.word()] |= it.bit();
        }
        for (word, observers) in observers.iter_mut().enumerate() {
            // They are asked without a mark, or have their own time. A mark would wake the agent
            // for nothing.
            *observers &= !(new.observers.polled[word] | new.observers.rare[word]);
        }
        let moves = moves.into_iter().map(Into::into).collect();
        Carry { pairs, moves, kept, monitors, observers, resume: None }
    }

    /// The last abort, if the new tree has its nodes.
    pub(crate) fn last_abort(&self, abort: LastAbort) -> LastAbort {
        let to = |node: NodeId| node.some().and_then(|it| self.pairs.to(it));
        // The node that was ended had a parent, which carried on.
        let ended = to(abort.ended).filter(|it| *it != NodeId::ROOT);
        ended.zip(to(abort.by)).map_or(LastAbort::NONE, |(ended, by)| abort.of(ended, by))
    }

    /// The leaves with an `awake` that match no leaf of the old tree.
    pub(crate) fn new_leaves<H: Host>(&self, new: &Tree<H>) -> Vec<LeafId> {
        let mut known = vec![false; new.leaves.len()];
        self.pairs.leaves.iter().for_each(|it| known[it.1.index()] = true);
        new.lifecycle.iter().copied().filter(|it| !known[it.index()]).collect()
    }

    /// Carries over the states of leaves, for all agents.
    pub(crate) fn carry_states<H: Host>(
        &self,
        [old, new]: [&Tree<H>; 2],
        from: &mut StateLists<H>,
        to: &mut StateLists<H>,
    ) {
        for &(leaf, other) in &self.pairs.leaves {
            to.take_over(&new.leaves[other.index()], from, &old.leaves[leaf.index()]);
        }
    }

    /// Carries an agent over once everything that does not carry on has ended. The new columns are
    /// empty. Returns how many nodes are active.
    pub(crate) fn carry<H: Host>(
        &self,
        [old, new]: [&Tree<H>; 2],
        from: &RunColumns<'_>,
        to: &mut RunColumns<'_>,
        at: Row,
    ) -> u64 {
        let mut nodes = 0;
        for &top in from.tops(at) {
            let mut node = top;
            if let Some(to_top) = top.some().and_then(|it| self.pairs.to(it)) {
                to.put_top(at, new.rec(to_top).stack, to_top);
            }
            while let Some(active) = node.some() {
                nodes += 1;
                self.moves[active.index()].iter().for_each(|it| self.apply(it, from.memory(at), to.memory_mut(at)));
                let record = old.rec(active);
                node = if record.bottom { NodeId::NONE } else { record.parent };
            }
        }
        self.kept.iter().for_each(|it| self.apply(it, from.memory(at), to.memory_mut(at)));
        for (word, &bits) in from.monitors(at).iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let observer = ObserverId::lowest(word, bits);
                bits &= bits - 1;
                if let Some(now) = self.monitors[old.observers.nodes[observer.index()].index()].some() {
                    let status = from.status(at, observer);
                    to.set_monitor(at, now, if status { Outcome::Success } else { Outcome::Failure });
                }
            }
        }
        nodes
    }

    /// Puts a saved agent into empty columns, once everything that does not carry on has been
    /// removed. Its node memory is that of the `outline`. Returns how many nodes are active.
    #[cfg(feature = "save")]
    pub(crate) fn restore<H: Host>(
        &self,
        (outline, new): (&Outline<'_>, &Tree<H>),
        (tops, words, monitors): (&[NodeId], &[u32], &[(NodeId, bool)]),
        to: &mut RunColumns<'_>,
        at: Row,
    ) -> u64 {
        let mut nodes = 0;
        for &top in tops {
            if let Some(to_top) = self.pairs.to(top) {
                to.put_top(at, new.rec(to_top).stack, to_top);
            }
            let mut node = top.some();
            while let Some(active) = node {
                nodes += 1;
                self.moves[active.index()].iter().for_each(|it| self.apply(it, words, to.memory_mut(at)));
                let parent = outline.node(active).parent.some();
                node = parent.filter(|it| outline.node(*it).node_kind != crate::kinds::NodeKind::Parallel);
            }
        }
        self.kept.iter().for_each(|it| self.apply(it, words, to.memory_mut(at)));
        for &(node, status) in monitors {
            if let Some(now) = self.monitors[node.index()].some() {
                to.set_monitor(at, now, if status { Outcome::Success } else { Outcome::Failure });
            }
        }
        nodes
    }

    /// Marks every key observer dirty. Returns whether there is any.
    pub(crate) fn ask_all(&self, dirty: &mut [u64], at: Row) -> bool {
        dirty[at.cells(self.observers.len())].copy_from_slice(&self.observers);
        self.observers.iter().any(|&it| it != 0)
    }

    fn apply(&self, it: &Move, from: &[u32], to: &mut [u32]) {
        match it {
            Move::Words { from: old, to: new, count } => {
                let words = *count as usize;
                to[new.index()..][..words].copy_from_slice(&from[old.index()..][..words]);
            }
            Move::Order { from: old, to: new, places } => {
                to[new.index()] = from[old.index()];
                let half = |place: usize| 16 * (place % 2);
                let (from, to) = (&from[old.next().index()..], &mut to[new.next().index()..]);
                for place in 0..places.len() {
                    let child = (from[place / 2] >> half(place) & 0xffff) as usize;
                    let child = places.get(child).copied().unwrap_or_default();
                    let word = &mut to[place / 2];
                    *word = *word & !(0xffff << half(place)) | u32::from(child) << half(place);
                }
            }
            Move::Selected { from: old, to: new } => {
                let selected = from[old.index()].checked_sub(1).and_then(|it| NodeId::new(it as usize));
                let selected = selected.and_then(|it| self.pairs.to(it));
                to[new.index()] = selected.map_or(0, |it| u32::from(narrow(it.index())) + 1);
            }
        }
    }
}

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    /// Ends what does not carry on under the new tree, in pre-order of what restarts (SEMANTICS
    /// 10.2). Calls only `end`s.
    pub(crate) fn part(&mut self, carry: &Carry, parted: &mut Cuts) {
        let at = self.cx.agent.at;
        let Cuts { starts, cuts, anew } = parted;
        if let Some(from) = carry.resume {
            for stack in self.tree.bottoms.ids() {
                starts.extend(self.columns.node(at, from.of_stack(stack)));
            }
        }
        let tops = self.columns.tops(at).iter().filter(|&&it| it != NodeId::NONE);
        cuts.extend(tops.chain(&*starts).filter_map(|it| carry.pairs.cut(*it)));
        if cuts.is_empty() {
            return;
        }
        cuts.sort_by_key(|it| (it.at, it.node));
        let tree = self.tree;
        let mut outer: Option<NodeId> = None;
        // A cut inside another ends with it, and is not started by itself.
        cuts.retain(|it| {
            let stays = outer.is_none_or(|outer| !tree.contains(outer, it.at));
            if stays {
                outer = Some(it.at);
            }
            stays
        });
        for cut in &*cuts {
            let top = self.columns.top(at, tree.rec(cut.at).stack);
            if top != NodeId::NONE && tree.contains(cut.at, top) {
                self.end_subtree(cut.at, Reason::Replaced);
            }
        }
        starts.retain(|it| {
            let before = cuts.partition_point(|cut| cut.at <= *it);
            before == 0 || !tree.contains(cuts[before - 1].at, *it)
        });
        starts.extend(cuts.iter().map(|it| it.at));
        if cuts[0].at == NodeId::ROOT {
            *anew = true;
            starts.clear();
            self.columns.clear_all_monitors(at);
        }
    }

    /// Before a tick of an agent with mail: notes which nodes to start when their stacks have their
    /// turns. An agent that starts from the beginning starts nothing else.
    #[inline]
    pub(crate) fn load_starts(&mut self, flags: Flags) {
        if !self.cx.agent.call.opened.starts().is_empty() && !flags.contains(Flags::FRESH) {
            self.load_all_starts();
        }
    }

    /// A parallel starts: none of its branches has to be started again.
    #[cold]
    pub(super) fn forget_branches(&mut self, stacks: Stacks) {
        stacks.iter().for_each(|it| self.scratch.stack(it).resume = NodeId::NONE);
    }

    #[cold]
    fn load_all_starts(&mut self) {
        for index in 0..self.cx.agent.call.opened.starts().len() {
            let node = self.cx.agent.call.opened.starts()[index];
            let record = self.tree.rec(node);
            self.scratch.stack(record.stack).resume = node;
            if record.bottom {
                self.scratch.branches = true;
            }
        }
    }

    /// Brings a restored agent into line with its tree: of the Cooldowns whose children ended,
    /// those that begin after every end do so, and these leaves hear that they are `restored`.
    #[cfg(feature = "save")]
    pub(crate) fn restored(&mut self, cools: &[NodeId], leaves: &[LeafId]) {
        for &cooldown in cools.iter().filter(|it| self.tree.rec(it.next()).cools == Cools::End) {
            self.cool(cooldown);
        }
        for &leaf in leaves {
            self.cx.agent.node = self.tree.leaf_nodes[leaf.index()];
            if !T::REPLAYS {
                self.leaves[leaf.index()].restored(&mut self.states, &mut self.cx);
            }
        }
    }

    /// Calls `awake` of these leaves.
    pub(crate) fn awake(&mut self, leaves: &[LeafId]) {
        for &leaf in leaves {
            self.cx.agent.node = self.tree.leaf_nodes[leaf.index()];
            if !T::REPLAYS {
                self.leaves[leaf.index()].awake(&mut self.states, &mut self.cx);
            }
        }
    }
}

impl RunState {
    /// Carries over these agents, if they carry on, from the run state under the old tree. This one
    /// is empty, with as much room. Returns how many nodes are active.
    pub(crate) fn carry<H: Host>(
        &mut self,
        carry: &Carry,
        trees: [&Tree<H>; 2],
        old: &mut RunState,
        rows: impl Iterator<Item = (Row, bool)>,
    ) -> u64 {
        let mut nodes = 0;
        let (from, ..) = old.lend();
        let (mut to, changes, _) = self.lend();
        for (row, goes_on) in rows {
            if goes_on {
                nodes += carry.carry(trees, &from, &mut to, row);
                if carry.ask_all(changes.dirty, row) {
                    bits::add(changes.agents, row);
                }
            }
        }
        nodes
    }
}
