//! The tree of a save: its outline, what its agents may hold, and how they and their keys carry on
//! under the loaded tree.

use std::borrow::Cow;
use std::ops::Range;

use indexmap::IndexMap;

use super::damage::Damage;
use super::heirs::owner;
use super::replaced::{KeyChange, WhatChanged};
use crate::blackboard::{KeyDecl, Scope};
use crate::clock::Moment;
use crate::index::{LeafId, MemoryOffset};
use crate::keys::rows::{AgentKeys, KeyRows};
use crate::machine::carry::{Carry, Memory, Remembers};
use crate::row::{CHUNK, Row};
use crate::save::model::{SavedAgent, SavedKey, SavedNode, SavedPhase, SavedTree, SavedValue};
use crate::save::packed::Unpacking;
use crate::tree::kind::NodeKind;
use crate::tree::outline::{Outline, OutlineNode};
use crate::tree::pairs::{Cut, Pairs, ServicePlace, Versions};
use crate::{Host, NodeId, Tree, Value};

/// A saved tree, decoded.
pub(crate) struct Understood<'s> {
    pub(crate) saved: &'s SavedTree,
    pub(crate) outline: Outline<'s>,
    /// For each node, where its words are in [`Words`], and how many.
    slots: Vec<(u32, usize)>,
    /// How many words all nodes have.
    words: u32,
    /// The leaves that remember something.
    pub(crate) stateful: Vec<usize>,
}

/// What the nodes of a saved agent remember, each at its own place.
pub(crate) type Words = Vec<u32>;

impl Memory for Understood<'_> {
    fn slot(&self, node: NodeId) -> MemoryOffset {
        MemoryOffset::new(self.slots[node.index()].0)
    }
    fn service(&self, (node, at): ServicePlace) -> MemoryOffset {
        // The words of the services come after those of the node itself.
        let own = self.slots[node.index()].1 - 2 * self.outline.node(node).services.len();
        self.slot(node).after(count(own + 2 * at))
    }
}

/// The leaves of a save and those of a tree: the same if they have the same names.
struct NamedLeaves<'a>(&'a Outline<'a>, &'a Outline<'a>);

impl<'a> Versions for NamedLeaves<'a> {
    type Identity = &'a str;
    fn of_old(&self, leaf: LeafId) -> &'a str {
        &self.0.leaves[leaf.index()]
    }
    fn of_new(&self, leaf: LeafId) -> &'a str {
        &self.1.leaves[leaf.index()]
    }
    fn can_resume(&self, _: LeafId, _: LeafId) -> bool {
        // There is no old leaf to ask about.
        true
    }
}

impl<'s> Understood<'s> {
    pub(crate) fn of(saved: &'s SavedTree) -> Result<Self, Damage> {
        let leaves = saved.leaves.iter().map(|it| Cow::Borrowed(&*it.0)).collect::<Vec<_>>();
        let leaf = |it: u16| if usize::from(it) < leaves.len() { Ok(LeafId::new(it.into())) } else { Err(LEAF) };
        const LEAF: Damage = Damage::UnknownLeaf;
        let node = |it: &'s SavedNode| {
            let node_kind = NodeKind::from_name(it.built_in.as_ref().unwrap_or(&it.kind)).ok_or(Damage::UnknownKind)?;
            let host = matches!(node_kind, NodeKind::Action | NodeKind::Condition);
            if host != it.leaf.is_some() && !(node_kind == NodeKind::Guard && it.leaf.is_some()) {
                return Err(LEAF);
            }
            Ok(OutlineNode {
                node_kind,
                kind: Cow::Borrowed(&*it.kind),
                name: it.name.as_deref().map(Cow::Borrowed),
                id: it.id.as_deref().map(Cow::Borrowed),
                parent: it
                    .parent
                    .map_or(Some(NodeId::NONE), |it| NodeId::new(it.into()))
                    .ok_or(Damage::UnknownParent)?,
                counted: it.counted,
                asks: it.asks.as_deref().map(Cow::Borrowed),
                leaf: it.leaf.map(leaf).transpose()?,
                services: it.services.iter().map(|it| leaf(*it)).collect::<Result<_, _>>()?,
            })
        };
        let nodes = saved.nodes.iter().map(node).collect::<Result<Vec<_>, _>>()?;
        let mut used = vec![false; saved.leaves.len()];
        for it in nodes.iter().flat_map(|it| it.leaf.iter().chain(&it.services)) {
            if std::mem::replace(&mut used[it.index()], true) {
                return Err(Damage::DoubledLeaf);
            }
        }
        let outline = Outline::link(nodes, leaves).ok_or(Damage::NotATree)?;
        let mut words = 0;
        let slots = outline.nodes().map(|(id, node)| {
            let own = Remembers::of(&outline, id).words() + 2 * node.services.len();
            let slot = (words, own);
            words += count(own);
            slot
        });
        let slots = slots.collect();
        let stateful = (0..saved.leaves.len()).filter(|it| saved.leaves[*it].1).collect();
        Ok(Understood { saved, outline, slots, words, stateful })
    }

    /// How its agents carry on under this tree.
    pub(crate) fn carry<H: Host>(&self, new: &Tree<H>) -> Carry {
        let outline = Outline::of(new);
        Carry::between((&self.outline, self), (&outline, new), self.pairs(&outline))
    }

    fn pairs(&self, new: &Outline<'_>) -> Pairs {
        Pairs::of(&self.outline, new, &NamedLeaves(&self.outline, new))
    }

    /// For each node, the matching node of this tree.
    pub(crate) fn nodes_in<H: Host>(&self, new: &Tree<H>) -> Vec<Option<NodeId>> {
        let pairs = self.pairs(&Outline::of(new));
        self.outline.nodes().map(|it| pairs.to(it.0)).collect()
    }

    /// The path of a node.
    pub(crate) fn path(&self, node: NodeId) -> String {
        let step = |it: NodeId| {
            let saved = &self.saved.nodes[it.index()];
            saved.step.as_ref().or(saved.name.as_ref()).unwrap_or(&saved.kind)
        };
        let mut parts = Vec::new();
        let mut at = node;
        while let Some(parent) = self.outline.node(at).parent.some() {
            parts.push(format!("/{}[{}]", step(at), self.outline.place(at)));
            at = parent;
        }
        parts.push(step(at).clone());
        parts.into_iter().rev().collect()
    }

    /// What the nodes of an agent remember.
    pub(crate) fn words(&self, agent: &SavedAgent) -> Words {
        let mut all = vec![0; self.words as usize];
        let own = agent.kept.iter().chain(&agent.memory);
        for (node, words) in own {
            all[self.slots[node.index()].0 as usize..][..words.len()].copy_from_slice(words);
        }
        all
    }

    /// The bottom of the run stack of a node.
    fn bottom(&self, node: NodeId) -> NodeId {
        let mut at = node;
        while let Some(parent) = self.outline.node(at).parent.some()
            && self.outline.node(parent).node_kind != NodeKind::Parallel
        {
            at = parent;
        }
        at
    }

    /// Whether a tree like this could have such an agent. A save written by pleach has no other;
    /// anything that would be an index out of bounds, or a loop, must be stopped here.
    pub(crate) fn check(&self, agent: &SavedAgent) -> Result<(), Damage> {
        let nodes = self.outline.len();
        if agent.tops.len().max(agent.starts.len()) > nodes {
            return Err(Damage::TooManyStacks);
        }
        let ids = agent.tops.iter().chain(&agent.starts).chain(agent.monitors.iter().map(|it| &it.0));
        let ids = ids.chain(agent.memory.iter().chain(&agent.kept).map(|it| &it.0));
        let ids = ids.copied().chain(agent.abort.iter().flat_map(|it| [it.0, it.1]).map(|it| NodeId::end(it.into())));
        if ids.into_iter().any(|it| it.index() >= nodes) {
            return Err(Damage::UnknownNode);
        }
        // An enabled agent runs from its root on, or is about to begin. One that is off does
        // neither.
        let on = matches!(agent.phase, SavedPhase::Active | SavedPhase::Paused);
        let runs = agent.tops.iter().any(|it| self.bottom(*it) == NodeId::ROOT);
        let idle = agent.tops.is_empty() && agent.starts.is_empty();
        if if on { runs == agent.fresh || agent.fresh && !idle } else { agent.fresh || !idle } {
            return Err(Damage::Phase);
        }
        if agent.time.0.max(agent.turn.map_or(0, |it| it.passed.0)) > Moment::END.0 {
            return Err(Damage::Time);
        }
        self.check_stacks(agent)?;
        for (node, words) in &agent.kept {
            if !matches!(Remembers::of(&self.outline, *node), Remembers::Kept(it) if it as usize == words.len()) {
                return Err(Damage::NodeMemory);
            }
        }
        if !typed(&self.saved.keys, &agent.keys) {
            return Err(Damage::AgentValue);
        }
        let mut states = agent.states.read();
        if self.stateful.iter().any(|_| states.is_empty() || states.skip().is_err()) || !states.is_empty() {
            return Err(Damage::LeafStates);
        }
        Ok(())
    }

    fn check_stacks(&self, agent: &SavedAgent) -> Result<(), Damage> {
        const STACKS: Damage = Damage::Stacks;
        let mut bottoms: Vec<(NodeId, NodeId)> = agent.tops.iter().map(|it| (self.bottom(*it), *it)).collect();
        bottoms.sort_unstable();
        let top = |bottom: NodeId| bottoms.binary_search_by_key(&bottom, |it| it.0).ok().map(|it| bottoms[it].1);
        if bottoms.windows(2).any(|it| it[0].0 == it[1].0) {
            return Err(STACKS);
        }
        // The parallel of a branch is the top of its own stack.
        let hangs = |bottom: NodeId| match self.outline.node(bottom).parent.some() {
            Some(parallel) => top(self.bottom(parallel)) == Some(parallel),
            None => true,
        };
        let mut starts = agent.starts.clone();
        starts.sort_unstable();
        for start in &starts {
            let bottom = self.bottom(*start);
            // Either its stack is empty, and this starts it; or it is a child of the top.
            let fits = match top(bottom) {
                None => *start == bottom && hangs(bottom),
                Some(top) => {
                    self.outline.node(*start).parent == top && bottom != *start && !self.outline.is_in_do(*start)
                }
            };
            if !fits {
                return Err(STACKS);
            }
        }
        let mut starting: Vec<NodeId> = starts.iter().map(|it| self.bottom(*it)).collect();
        starting.dedup();
        if starting.len() < starts.len() {
            return Err(STACKS);
        }
        let mut memory = agent.memory.iter().peekable();
        if agent.memory.windows(2).any(|it| it[0].0 >= it[1].0) {
            return Err(Damage::MemoryOrder);
        }
        let mut active: Vec<NodeId> = Vec::new();
        for &(bottom, top) in &bottoms {
            let kind = self.outline.node(top).node_kind;
            // A decorator waits for its next round, or until its child may start.
            let goes_on = matches!(kind.arity(), crate::tree::Arity::Leaf | crate::tree::Arity::Decorator)
                || kind == NodeKind::Parallel
                || starting.binary_search(&bottom).is_ok();
            // A leaf of `do` is not active between two calls.
            if !hangs(bottom) || !goes_on || self.outline.is_in_do(top) {
                return Err(STACKS);
            }
            let mut at = top;
            active.push(at);
            while at != bottom {
                at = self.outline.node(at).parent;
                active.push(at);
            }
        }
        active.sort_unstable();
        for node in active {
            let remembers = Remembers::of(&self.outline, node);
            let own = if matches!(remembers, Remembers::Kept(_)) { 0 } else { remembers.words() };
            let all = own + 2 * self.outline.node(node).services.len();
            let words = memory.next_if(|it| it.0 == node).map_or(&[][..], |it| &it.1);
            if words.len() != all || !self.remembers(node, remembers, words, &bottoms, &starts) {
                return Err(Damage::NodeMemory);
            }
        }
        if memory.next().is_some() { Err(Damage::InactiveMemory) } else { Ok(()) }
    }

    /// Whether an active node can remember this.
    fn remembers(
        &self,
        node: NodeId,
        what: Remembers,
        words: &[u32],
        bottoms: &[(NodeId, NodeId)],
        starts: &[NodeId],
    ) -> bool {
        let children = self.outline.children(node).count();
        match what {
            Remembers::Order(count) => {
                let count = count as usize;
                let place = |it: usize| (words[1 + it / 2] >> (16 * (it % 2)) & 0xffff) as usize;
                let mut places: Vec<usize> = (0..count).map(place).collect();
                places.sort_unstable();
                words[0] as usize <= count && places.into_iter().eq(0..count)
            }
            Remembers::Selected => {
                words[0] == 0 || self.outline.children(node).any(|it| it.index() + 1 == words[0] as usize)
            }
            _ if self.outline.node(node).node_kind == NodeKind::Parallel => {
                let [started, succeeded] = [words[0] & 0xffff, words[0] >> 16];
                let [failed, verdict] = [words[1] & 0xffff, words[1] >> 16];
                let runs = |child: NodeId| {
                    bottoms.binary_search_by_key(&child, |it| it.0).is_ok() || starts.binary_search(&child).is_ok()
                };
                let running = self.outline.children(node).filter(|it| runs(*it)).count();
                let late = self.outline.children(node).skip(started as usize).any(runs);
                let over = (succeeded + failed) as usize;
                started as usize <= children && !late && over + running == started as usize && verdict <= 2
            }
            _ => true,
        }
    }

    /// What carries on in an agent: the remaining tops and starts, under the old tree.
    pub(crate) fn part(&self, carry: &Carry, agent: &SavedAgent) -> Cuts {
        let mut parted = Cuts { tops: agent.tops.clone(), starts: agent.starts.clone(), ..Cuts::default() };
        let all = parted.tops.iter().chain(&parted.starts);
        let mut cuts: Vec<Cut> = all.filter_map(|it| carry.pairs.cut(*it)).collect();
        cuts.sort_by_key(|it| (it.at, it.node));
        let mut outer: Option<NodeId> = None;
        cuts.retain(|it| {
            let stays = outer.is_none_or(|outer| !self.outline.contains(outer, it.at));
            if stays {
                outer = Some(it.at);
            }
            stays
        });
        for cut in &cuts {
            let within = |it: NodeId| self.outline.contains(cut.at, it);
            let bottom = self.bottom(cut.at);
            let mut left = Vec::new();
            for &top in &parted.tops {
                if !within(top) {
                    left.push(top);
                    continue;
                }
                // Its path ends, up to the node that restarts or to the bottom of its stack.
                let mut at = top;
                loop {
                    let parent = self.outline.node(at).parent;
                    if let Some(parent) =
                        parent.some().filter(|it| self.outline.node(*it).node_kind == NodeKind::Cooldown)
                    {
                        parted.cools.extend(carry.pairs.to(parent));
                    }
                    if at == cut.at {
                        left.extend(parent.some().filter(|_| cut.at != bottom));
                        break;
                    }
                    if at == self.bottom(at) {
                        break;
                    }
                    at = parent;
                }
            }
            parted.tops = left;
            parted.starts.retain(|it| !within(*it));
            parted.starts.push(cut.at);
        }
        if cuts.first().is_some_and(|it| it.at == NodeId::ROOT) {
            parted.anew = true;
            parted.starts.clear();
        }
        parted.cuts = cuts;
        parted
    }

    /// Reads the states of an agent's leaves, in the order of the save.
    pub(crate) fn states<'a>(&'a self, agent: &'a SavedAgent) -> (impl Iterator<Item = usize> + 'a, Unpacking<'a>) {
        (self.stateful.iter().copied(), agent.states.read())
    }
}

/// Whether the values belong to distinct keys and have their types.
pub(crate) fn typed(keys: &[SavedKey], values: &[(u32, SavedValue)]) -> bool {
    let fits = |(at, value): &(u32, SavedValue)| {
        let key = keys.get(*at as usize);
        key.is_some_and(|it| Value::from(it.default).ty() == Value::from(*value).ty())
    };
    values.windows(2).all(|it| it[0].0 < it[1].0) && values.iter().all(fits)
}

/// Narrows a number of words. No leaf is two services, so a whole tree has few.
fn count(words: usize) -> u32 {
    u32::try_from(words).expect("T3")
}

/// What is left of a saved agent under another tree.
#[derive(Default)]
pub(crate) struct Cuts {
    pub(crate) tops: Vec<NodeId>,
    pub(crate) starts: Vec<NodeId>,
    pub(crate) cuts: Vec<Cut>,
    pub(crate) anew: bool,
    /// The Cooldowns of the new tree whose children ended.
    pub(crate) cools: Vec<NodeId>,
}

/// A saved key that exists here: its default then, and its declaration now.
pub(crate) type KnownKey<'t> = (Value, &'t KeyDecl);

/// The keys of a save, each with its present declaration, if it still exists.
pub(crate) fn known_keys<'t, H: Host>(saved: &SavedTree, tree: &'t Tree<H>) -> Vec<Option<KnownKey<'t>>> {
    let here: IndexMap<_, &KeyDecl> = tree.schema.columned().map(|it| ((owner(tree, it), it.name()), it)).collect();
    let find = |key: &SavedKey| {
        let was = Value::from(key.default);
        let here = here.get(&(key.node.clone(), &*key.name)).copied();
        here.filter(|it| it.ty() == was.ty()).map(|it| (was, it))
    };
    saved.keys.iter().map(find).collect()
}

/// Gives an agent its saved key values. A key that held its old default gets the present one.
pub(crate) fn take_keys(mut keys: KeyRows<'_>, row: Row, agent: &SavedAgent, known: &[Option<KnownKey<'_>>]) {
    for (at, value) in &agent.keys {
        let value = Value::from(*value);
        if let Some((was, decl)) = known[*at as usize]
            && decl.admits(value)
            && (value != was || was == decl.default())
        {
            keys.write(row, decl, value);
        }
    }
}

/// The keys that differ.
pub(crate) fn changes<H: Host>(saved: &SavedTree, tree: &Tree<H>) -> Vec<KeyChange> {
    let mut known: IndexMap<_, &SavedKey> = saved.keys.iter().map(|it| ((it.node.clone(), &*it.name), it)).collect();
    let of = |name: &str, node: bool, what| {
        let scope = if node { Scope::Node } else { Scope::Agent };
        KeyChange { name: name.into(), scope, what }
    };
    let mut all = Vec::new();
    for key in tree.schema.columned() {
        let what = match known.shift_remove(&(owner(tree, key), key.name())) {
            None => WhatChanged::Added,
            Some(was) if Value::from(was.default).ty() != key.ty() => WhatChanged::Type,
            Some(was) if !key.words().eq(was.words.iter().map(|it| &**it)) => WhatChanged::Words,
            Some(was) if format!("{:?}", Value::from(was.default)) != format!("{:?}", key.default()) => {
                WhatChanged::Default
            }
            Some(_) => continue,
        };
        all.push(of(key.name(), key.node().is_some(), what));
    }
    all.extend(known.into_values().map(|it| of(&it.name, it.node.is_some(), WhatChanged::Removed)));
    all
}

/// The agents of each chunk that a save has.
pub(super) fn runs_of_chunks(saved: &SavedTree) -> Result<Vec<(usize, Range<usize>)>, Damage> {
    let mut from = 0;
    let mut runs = Vec::with_capacity(saved.chunks.len());
    for (at, &agents) in saved.chunks.iter().enumerate() {
        let agents = usize::from(agents);
        if agents > CHUNK {
            return Err(Damage::ChunkSize);
        }
        runs.push((at, from..from + agents));
        from += agents;
    }
    if from != saved.agents.len() {
        return Err(Damage::ChunkAgents);
    }
    if saved.chunks.last() == Some(&0) { Err(Damage::EmptyChunk) } else { Ok(runs) }
}

/// Chunks with room for this many agents: existing ones, and then new ones.
pub(super) fn runs_in(here: impl Iterator<Item = usize>, agents: usize, most: usize) -> Vec<(usize, Range<usize>)> {
    let mut from = 0;
    let mut runs = Vec::new();
    for (at, taken) in here.chain(std::iter::repeat(0)).enumerate() {
        if from == agents {
            break;
        }
        let some = most.saturating_sub(taken).min(agents - from);
        if some > 0 {
            runs.push((at, from..from + some));
            from += some;
        }
    }
    runs
}
