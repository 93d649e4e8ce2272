//! One agent, played tick by tick: on paper, where leaves only answer, or in a world.

use std::sync::Arc;

use pleach::trace::Recorder;
use pleach::{AgentId, Forest, Host, Save, Spawn, Tree};

use super::Stage;
use crate::play::traced_frame;
use crate::words::plural;
use crate::world::World;

/// A forest with the agent of a case.
pub(crate) trait Scene {
    type Host: Host;
    fn forest(&self) -> &Forest<Self::Host>;
    fn forest_mut(&mut self) -> &mut Forest<Self::Host>;
    fn agent(&self) -> AgentId;
    /// The other agents.
    fn others(&self) -> &[AgentId];
    /// # Errors
    /// It cannot continue.
    fn tick(&mut self, dt: f32, recorder: &mut Recorder) -> Result<(), String>;
    /// # Errors
    /// That is not possible here.
    fn turn(&mut self, turn: Turn) -> Result<(), String>;
}

/// What can be done to the life of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Pause,
    Unpause,
    Restart,
}

/// The stage alone.
pub(crate) struct Paper {
    forest: Forest<Stage>,
    agent: AgentId,
    others: Vec<AgentId>,
}

impl Paper {
    /// # Errors
    /// The forest refuses the tree.
    pub(crate) fn begin(tree: &Arc<Tree<Stage>>, seed: u64, others: u32) -> Result<Self, String> {
        let mut forest = Forest::new(seed);
        let tree = forest.add_tree(Arc::clone(tree)).map_err(|it| it.to_string())?;
        // A group of its own, so that it has group keys.
        let group = Some(forest.new_group());
        let mut spawn = || {
            let spawn = Spawn { group, ..Spawn::default() };
            forest.spawn_with(&mut (), tree, spawn).map_err(|it| it.to_string())
        };
        let agent = spawn()?;
        let others = (0..others).map(|_| spawn()).collect::<Result<_, _>>()?;
        let mut paper = Paper { forest, agent, others };
        paper.label();
        Ok(paper)
    }

    /// With the agent of a save.
    ///
    /// # Errors
    /// The save is not of one agent of this tree, or does not fit.
    pub(crate) fn restored(tree: &Arc<Tree<Stage>>, save: &Save) -> Result<Self, String> {
        let mut forest = Forest::new(save.seed());
        let id = forest.add_tree(Arc::clone(tree)).map_err(|it| it.to_string())?;
        forest.restore(&mut (), save).map_err(|it| it.to_string())?;
        let agents: Vec<AgentId> = forest.population(id).map(|it| it.agents().collect()).unwrap_or_default();
        match agents[..] {
            [agent] => Ok(Paper { forest, agent, others: Vec::new() }),
            _ => Err(format!("it has {}, and a case has one", plural(agents.len(), "agent"))),
        }
    }

    /// Labels the agents where there are several, as in "taken (by other 1)".
    fn label(&mut self) {
        if self.others.is_empty() {
            return;
        }
        let others = self.others.iter().enumerate().map(|(at, id)| (*id, format!("other {}", at + 1)));
        for (id, label) in std::iter::once((self.agent, "the agent".to_owned())).chain(others) {
            if let Ok(mut agent) = self.forest.agent_mut(id) {
                agent.set_label(label);
            }
        }
    }
}

impl Scene for Paper {
    type Host = Stage;

    fn forest(&self) -> &Forest<Stage> {
        &self.forest
    }
    fn forest_mut(&mut self) -> &mut Forest<Stage> {
        &mut self.forest
    }
    fn agent(&self) -> AgentId {
        self.agent
    }
    fn others(&self) -> &[AgentId] {
        &self.others
    }
    fn tick(&mut self, dt: f32, recorder: &mut Recorder) -> Result<(), String> {
        let ticked = self.forest.traced(recorder).tick(&mut (), dt);
        ticked.map(|_| ()).map_err(|it| it.to_string())
    }
    fn turn(&mut self, turn: Turn) -> Result<(), String> {
        let agent = self.forest.agent_mut(self.agent).map_err(|it| it.to_string())?;
        match turn {
            Turn::Pause => agent.pause(&mut ()),
            Turn::Unpause => agent.unpause(&mut ()),
            Turn::Restart => agent.restart(&mut ()),
        }
        Ok(())
    }
}

/// A world with one agent.
pub(crate) struct InWorld<W> {
    world: W,
    agent: AgentId,
    others: Vec<AgentId>,
}

impl<W: World> InWorld<W> {
    /// # Errors
    /// The world cannot play the tree.
    pub(crate) fn begin(tree: &Arc<Tree<W::Host>>, seed: u64, others: u32) -> Result<Self, String> {
        let refused = |it: &dyn std::fmt::Display| format!("cannot play the tree in {}: {it}", W::NAME);
        let world = W::begin(Arc::clone(tree), 1 + others, seed).map_err(|it| refused(&it))?;
        let (agent, others) = world.agents().split_first().ok_or_else(|| refused(&"it has no agent"))?;
        let (agent, others) = (*agent, others.to_vec());
        Ok(InWorld { world, agent, others })
    }
}

impl<W: World> Scene for InWorld<W> {
    type Host = W::Host;

    fn forest(&self) -> &Forest<W::Host> {
        self.world.forest()
    }
    fn forest_mut(&mut self) -> &mut Forest<W::Host> {
        self.world.forest_mut()
    }
    fn agent(&self) -> AgentId {
        self.agent
    }
    fn others(&self) -> &[AgentId] {
        &self.others
    }
    fn tick(&mut self, dt: f32, recorder: &mut Recorder) -> Result<(), String> {
        traced_frame(&mut self.world, dt, recorder).map(|_| ()).map_err(|it| it.to_string())
    }
    fn turn(&mut self, _: Turn) -> Result<(), String> {
        Err(format!("an agent in {} cannot be paused or restarted by a test", W::NAME))
    }
}
