//! What restoring a forest and restoring a brain have in common.

use indexmap::{IndexMap, IndexSet};

use super::damage::Damage;
use super::error::RestoreError;
use super::saved_tree::{Understood, typed};
use crate::blackboard::shared::Shared;
use crate::blackboard::shared::saved::Groups;
use crate::clock::Moment;
use crate::host::leaf::states::StateLists;
use crate::ids::salted::Salt;
use crate::machine::carry::Carry;
use crate::row::Row;
use crate::save::model::{Body, SavedAgent, SavedTree};
use crate::{Host, Tree};

pub(crate) const SAVE: Option<String> = None;

pub(crate) fn damaged(tree: &SavedTree, what: Damage) -> RestoreError {
    RestoreError::Damaged { tree: Some(tree.name.clone()), what }
}

/// Whether a save can be this old.
pub(crate) fn check_counters(body: &Body) -> Result<(), RestoreError> {
    // No forest counts to the end of time.
    let counters = body.whole.as_ref().map_or([0; 2], |it| [it.frame, it.spawned]);
    if counters.into_iter().chain([body.tickets, body.time.0]).any(|it| it > Moment::END.0) {
        return Err(RestoreError::Damaged { tree: SAVE, what: Damage::Time });
    }
    Ok(())
}

/// The groups of a forest, or of a brain, with those of a save.
pub(crate) fn plan_groups(shared: &Shared, body: &Body, salt: Salt) -> Result<Groups, RestoreError> {
    let damaged = |what| RestoreError::Damaged { tree: SAVE, what };
    let mut agents: IndexMap<u64, bool> = IndexMap::new();
    agents.extend(body.trees.iter().flat_map(|it| &it.agents).map(|it| (it.id, false)));
    let mut ids = IndexSet::new();
    for group in &body.groups {
        if !ids.insert(group.id) {
            return Err(damaged(Damage::DoubledGroup));
        }
        for member in &group.members {
            if agents.insert(*member, true) != Some(false) {
                return Err(damaged(Damage::Members));
            }
        }
        if group.own && group.members.len() != 1 {
            return Err(damaged(Damage::OwnGroup));
        }
        if !typed(&body.group_keys, &group.values) {
            return Err(damaged(Damage::GroupValue));
        }
    }
    let vacant = body.whole.as_ref().map(|it| &it.groups);
    if let Some(whole) = &body.whole
        && !typed(&whole.global_keys, &whole.globals)
    {
        return Err(damaged(Damage::GlobalValue));
    }
    let groups = shared.with_groups(salt, &body.group_keys, &body.groups, vacant);
    let lost = if body.whole.is_some() { damaged(Damage::GroupIds) } else { RestoreError::Groups };
    groups.ok_or(lost)
}

/// What the leaves of a tree remember about agents of a save. This is host code, which may panic.
pub(crate) fn read_states<H: Host>(
    understood: &Understood<'_>,
    carry: &Carry,
    tree: &Tree<H>,
    agents: &[SavedAgent],
) -> Result<StateLists<H>, RestoreError> {
    let saved = understood.saved;
    let mut now = vec![None; saved.leaves.len()];
    for &(leaf, other) in &carry.pairs.leaves {
        now[leaf.index()] = Some(other);
    }
    let mut states = tree.stateful.lists(agents.len());
    for (row, agent) in Row::of_agents(agents.len()).zip(agents) {
        let (leaves, mut left) = understood.states(agent);
        for leaf in leaves {
            let read = match now[leaf] {
                Some(other) => states.load(&tree.leaves[other.index()], row, &mut left),
                None => left.skip(),
            };
            let (tree, leaf) = (saved.name.clone(), saved.leaves[leaf].0.clone());
            read.map_err(|error| RestoreError::State { leaf, tree, error })?;
        }
    }
    Ok(states)
}
