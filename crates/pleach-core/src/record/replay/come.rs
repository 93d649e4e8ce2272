//! Adds agents to a replay.

use std::sync::Arc;

use pleach_expr::expr::KeyIndex;

use super::{Replay, ReplayTree, Replaying};
use crate::TreeId;
use crate::blackboard::Scope;
use crate::inputs::chunk::Answer;
use crate::inputs::replayer::RecordedTurns;
use crate::machine::inputs::facts_of;
use crate::record::ReplayError;
use crate::save::Save;
use crate::save::model::{Body, SavedAgent, SavedTree, SavedValue};
use crate::trace::NoTracer;
use crate::{AgentId, Host, Value};

/// An agent to add.
pub(super) struct NewAgent {
    /// The number of its tree.
    pub(super) tree: usize,
    pub(super) agent: AgentId,
    pub(super) turns: Option<RecordedTurns>,
    /// The last answers of nodes.
    pub(super) answers: Vec<Answer>,
    /// What its expressions last read, where its keys do not hold it.
    pub(super) read: Vec<(u16, SavedValue)>,
    pub(super) label: Option<String>,
}

impl<H: Host> Replay<H> {
    /// Puts agents into the forest.
    pub(super) fn restore(&mut self, coming: Vec<Vec<SavedAgent>>, cx: &mut H::Cx<'_>) -> Result<(), ReplayError> {
        if coming.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let needed: Vec<bool> = coming.iter().map(|it| !it.is_empty()).collect();
        self.add_trees(&needed, cx)?;
        let mut trees = Vec::new();
        for (at, agents) in coming.into_iter().enumerate().filter(|it| !it.1.is_empty()) {
            let tree = &self.trees[at].outlined.tree;
            // Their order distinguishes trees of one name.
            let before = self.forest.trees().take_while(|it| Some(*it) != self.trees[at].id);
            let same = before.filter(|it| self.forest.tree(*it).is_ok_and(|it| it.name() == tree.name));
            let place = u32::try_from(same.count()).unwrap_or(u32::MAX);
            trees.push((place, agents, at));
        }
        // In the order of the forest.
        let order: Vec<TreeId> = self.forest.trees().collect();
        trees.sort_by_key(|it| order.iter().position(|id| Some(*id) == self.trees[it.2].id));
        let trees = trees.into_iter().map(|(place, agents, at)| {
            let tree = self.trees[at].outlined.tree.clone();
            SavedTree { agents, place, ..tree }
        });
        let trees = trees.collect();
        let body = Body {
            seed: self.forest.seed(),
            time: self.forest.moment(),
            tickets: 0,
            whole: None,
            trees,
            group_keys: Vec::new(),
            groups: Vec::new(),
            waiting: Vec::new(),
            tokens: Vec::new(),
        };
        self.forest.forget_agents();
        let mut replaying = Replaying { inputs: &mut self.inputs, tracer: &mut NoTracer };
        let restored = self.forest.traced(&mut replaying).restore(cx, &Save { body });
        let frame = self.played;
        restored.map(|_| ()).map_err(|it| ReplayError::Damaged { frame, what: it.to_string() })
    }

    /// Puts trees into the forest. Versions of a tree may declare what they share differently, so
    /// those that no agent has any more are removed first.
    fn add_trees(&mut self, needed: &[bool], cx: &mut H::Cx<'_>) -> Result<(), ReplayError> {
        let new =
            |trees: &[ReplayTree<H>]| trees.iter().zip(needed).position(|(tree, needed)| *needed && tree.id.is_none());
        if new(&self.trees).is_some() {
            for (tree, _) in self.trees.iter_mut().zip(needed).filter(|it| !it.1) {
                let empty = |it: &mut TreeId| self.forest.population(*it).is_ok_and(|it| it.is_empty());
                if let Some(id) = tree.id.take_if(empty) {
                    self.forest.remove_tree(cx, id).map_err(|it| ReplayError::Conflict(it.to_string()))?;
                }
            }
        }
        while let Some(at) = new(&self.trees) {
            let made = Arc::clone(&self.trees[at].tree);
            self.trees[at].id = Some(self.forest.add_tree(made).map_err(|it| ReplayError::Conflict(it.to_string()))?);
        }
        Ok(())
    }

    /// Notes what the expressions of added agents would read.
    pub(super) fn know(&mut self, new: Vec<NewAgent>) {
        for NewAgent { tree, agent, turns, answers, read, label } in new {
            if let Some((label, mut agent)) = label.zip(self.forest.agent_mut(agent).ok()) {
                agent.set_label(label);
            }
            let made = &self.trees[tree].tree;
            let (_, facts) = self.inputs.facts(made, || facts_of(made));
            let Ok(seen) = self.forest.agent(agent) else { continue };
            let (keys, schema) = (seen.keys(), made.schema());
            let mut keys: Vec<Value> = facts.keys.iter().map(|key| keys.read(schema.decl(*key))).collect();
            let edit = self.trees[tree].edit.as_ref().map(|it| Arc::clone(&it.1));
            // A recording of all keys has the value of each from here on.
            let recorded = self.trees[tree].recorded().schema().keys().enumerate();
            let own = recorded.filter(|it| self.keys_every > 0 && matches!(it.1.scope(), Scope::Node | Scope::Agent));
            let noted = own.filter_map(|(at, _)| {
                let key = KeyIndex::new(at)?;
                let here = edit.as_ref().map_or(Some(key), |it| it.edited_key(key))?;
                Some((key, seen.keys().read(schema.decl(here))))
            });
            let noted = noted.collect();
            let mut changes = Vec::new();
            for (place, value) in read {
                match &edit {
                    Some(edit) => changes.extend(edit.key(place).map(|it| (it, value.into()))),
                    None => {
                        if let Some(known) = keys.get_mut(usize::from(place)) {
                            *known = value.into();
                        }
                    }
                }
            }
            let known = Self::replayer(&mut self.inputs).agents.entry(agent).or_default();
            let is_rated = turns.is_some();
            (known.keys, known.turns) = (keys, turns);
            known.answers = match &edit {
                Some(edit) => answers.into_iter().filter_map(|it| Some((edit.node(it.0)?, it.1))).collect(),
                None => answers.into_iter().collect(),
            };
            (known.edit, known.changes) = (edit, changes);
            known.noted = noted;
            Self::replayer(&mut self.inputs).rated |= is_rated;
        }
    }
}
