//! The arena as a world.

use std::sync::Arc;

use pleach::inspect::ReplaceReport;
use pleach::trace::Tracer;
use pleach::{AgentId, Forest, Tree};
use pleach_arena::{Arena, Game};

use crate::world::{FrameReport, World, WorldError};

impl World for Game {
    type Host = Arena;

    const NAME: &'static str = "the arena";

    /// Its actor, and room to grow.
    const BYTES_PER_AGENT: u64 = 640;

    fn begin(tree: Arc<Tree<Arena>>, agents: u32, seed: u64) -> Result<Self, WorldError> {
        Ok(Game::new(tree, agents as usize, seed)?)
    }

    fn forest(&self) -> &Forest<Arena> {
        &self.forest
    }

    fn forest_mut(&mut self) -> &mut Forest<Arena> {
        &mut self.forest
    }

    fn agents(&self) -> &[AgentId] {
        Game::agents(self)
    }

    fn sense(&mut self) -> Result<u64, WorldError> {
        Ok(self.perceive()?)
    }

    fn think<T: Tracer>(&mut self, dt: f32, tracer: &mut T) -> Result<FrameReport, WorldError> {
        let pleach_arena::FrameReport { tick, events } = self.think_traced(dt, tracer)?;
        Ok(FrameReport { tick, events })
    }

    fn step(&mut self, dt: f32) -> Result<(), WorldError> {
        Ok(self.world.step(dt)?)
    }

    fn replace_tree<T: Tracer>(&mut self, tree: Arc<Tree<Arena>>, tracer: &mut T) -> Result<ReplaceReport, WorldError> {
        Ok(Game::replace_tree(self, tree, tracer)?)
    }

    fn digest(&self) -> Option<u64> {
        Some(self.world.digest())
    }
}
