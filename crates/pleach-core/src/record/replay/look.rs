//! What you can ask a replay besides its forest, and which agents it plays.

use std::ops::Range;
use std::sync::Arc;

use pleach_expr::expr::KeyIndex;

use super::Replay;
use crate::blackboard::Scope;
use crate::error::SaveError;
use crate::forest::{AgentView, Phase};
use crate::ids::StaleError;
use crate::inputs::Mode;
use crate::inputs::replayer::Given;
use crate::machine::inputs::facts_of;
use crate::save::Save;
use crate::{AgentId, Host, Tree, Value};

impl<H: Host> Replay<H> {
    /// Plays the agent of this number alone, from the first frame on. No agent needs another one
    /// for what it was told, so it decides as it does among all; a frame costs what this agent
    /// does, and reading. [`Recording::number_of`](crate::record::Recording::number_of) has the
    /// number of a living agent.
    #[must_use]
    pub fn only(mut self, number: u32) -> Self {
        self.begin();
        self.divergences.clear();
        self.only = Some(number);
        self
    }

    /// All agents added so far, by their numbers in the recording, which counts them; `None` for
    /// one that was removed. If frames were dropped, some numbers are missing.
    pub fn agents(&self) -> impl ExactSizeIterator<Item = (u32, Option<AgentId>)> + '_ {
        self.numbers.iter().map(|it| (*it.0, *it.1))
    }

    /// The agent of a number; `Some(None)` if it was removed, `None` if there was none of that
    /// number so far.
    #[must_use]
    pub fn agent(&self, number: u32) -> Option<Option<AgentId>> {
        self.numbers.get(&number).copied()
    }

    /// The present state of an agent, for people: as [`AgentRef::inspect`] shows it. One that
    /// sleeps is active here, as a replay does not know whether it slept: it lets every agent sleep
    /// until it has an input.
    ///
    /// # Errors
    /// If there is no such agent now.
    ///
    /// [`AgentRef::inspect`]: crate::handles::AgentRef::inspect
    pub fn inspect(&self, agent: AgentId) -> Result<AgentView<H>, StaleError> {
        let mut view = self.forest.agent(agent)?.inspect();
        if view.phase == Phase::Asleep {
            view.phase = Phase::Active;
        }
        Ok(view)
    }

    /// An agent in its present state, to continue elsewhere: as
    /// [`Forest::save_agents`](crate::Forest::save_agents). It is awake, and its leaves remember
    /// nothing.
    ///
    /// # Errors
    /// If there is no such agent now, or if a leaf of its tree remembers something and does not
    /// save it.
    pub fn save(&self, agent: AgentId) -> Result<Save, SaveError> {
        let mut save = self.forest.save_agents([agent])?;
        // It sleeps here until it has an input, which it does not in a game.
        save.body.waiting.clear();
        Ok(save)
    }

    /// Whether a key of this tree is recorded: whether an expression reads it, or the recording has
    /// [all keys](crate::record::Recording::keys_every). The key then holds the value that an
    /// expression last read, or that was noted after that. Another key holds its value when its
    /// agent was last noted as a whole, or what the tree itself has written since.
    #[must_use]
    pub fn records(&self, tree: &Tree<H>, key: KeyIndex) -> bool {
        let is_shared = || matches!(tree.schema().decl(key).scope(), Scope::Group | Scope::Global);
        (self.keys_every > 0 && !is_shared()) || tree.reads(key)
    }

    /// How many frames apart the keys of agents were noted; 0 if only those that expressions read
    /// were: see [`Recording::keys_every`](crate::record::Recording::keys_every).
    #[must_use]
    pub fn keys_every(&self) -> u32 {
        self.keys_every
    }

    /// Writes the keys that were noted after a frame: `noted` by agents and numbers of keys, and
    /// all keys of the agents with the numbers `looked`.
    pub(super) fn write_noted(&mut self, noted: &[(AgentId, u32, Value)], looked: &[Range<u32>]) {
        let mut agents: Vec<AgentId> = Vec::new();
        for &(agent, key, value) in noted {
            let key = KeyIndex::new(usize::try_from(key).unwrap_or(usize::MAX));
            let known = Self::replayer(&mut self.inputs).agents.get_mut(&agent);
            if let Some((known, key)) = known.zip(key) {
                known.noted.insert(key, value);
                agents.extend((agents.last() != Some(&agent)).then_some(agent));
            }
        }
        for numbers in looked {
            agents.extend(self.numbers.range(numbers.clone()).filter_map(|it| *it.1));
        }
        for agent in agents {
            let Some(tree) = self.forest.agent(agent).ok().map(|it| Arc::clone(it.tree())) else { continue };
            let (_, facts) = self.inputs.facts(&tree, || facts_of(&tree));
            let Some(known) = Self::replayer(&mut self.inputs).agents.get_mut(&agent) else { continue };
            let values = known.values_noted();
            for &(key, value) in &values {
                known.changes.retain(|it| it.0 != key);
                if let Some(last) = facts.place(key).and_then(|it| known.keys.get_mut(it)) {
                    *last = value;
                }
            }
            let changed = self.forest.put_keys(agent, values);
            let given = changed.into_iter().map(|(key, value)| (agent, Given::Noted(key, value)));
            Self::replayer(&mut self.inputs).given.extend(given);
        }
    }

    /// What agents were given from outside in the frame that was played last, besides the answers
    /// of leaves, which a trace shows: in the order in which they took it. Keys noted after the
    /// frame come last.
    #[must_use]
    pub fn given(&self) -> &[(AgentId, Given)] {
        match &self.inputs.mode {
            Mode::Replay(it) => &it.given,
            _ => &[],
        }
    }

    /// After how many frames the replay has all agents: 0, unless frames before the first were
    /// dropped, as by [`Recording::last_seconds`](crate::record::Recording::last_seconds). Until
    /// then an agent is added when it is noted.
    #[must_use]
    pub fn complete_after(&self) -> u64 {
        self.whole_after
    }

    /// The number of the frame that was played last, as the recorded forest counted it.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.forest.frame()
    }

    /// How many seconds the frame that was played last took.
    #[must_use]
    pub fn last_step(&self) -> f64 {
        self.step.seconds()
    }

    /// How many bytes the frames take, without the trees and the texts.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.frames.len()
    }

    /// The trees that are played, in the order in which agents of them were added: the recorded
    /// ones, or [edited](Replay::edited) ones.
    pub fn trees(&self) -> impl Iterator<Item = &Arc<Tree<H>>> {
        self.trees.iter().map(|it| &it.tree)
    }
}
