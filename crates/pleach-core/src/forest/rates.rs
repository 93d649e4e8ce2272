//! The rates of a forest's agents (SEMANTICS 8.2).

use super::{AgentId, Forest, TreeId};
use crate::Host;
use crate::ids::StaleError;
use crate::turns::rate::Rate;

impl<H: Host> Forest<H> {
    /// How often an agent is ticked.
    ///
    /// # Errors
    /// If it is not here.
    pub fn rate(&self, agent: AgentId) -> Result<Rate, StaleError> {
        let (_, chunk, at) = self.find(agent)?;
        Ok(chunk.extras.turns().map_or(Rate::EVERY_FRAME, |it| it.rate(at)))
    }

    /// Changes how often an agent is ticked, from the next frame on. Agents of one rate take turns,
    /// so that each frame does its share. After a change, or when it has moved because others were
    /// despawned, an agent can wait for up to twice its rate.
    ///
    /// Costs nine bytes per agent in chunks of 1 024 with such an agent.
    ///
    /// # Errors
    /// If it is not here.
    pub fn set_rate(&mut self, agent: AgentId, rate: Rate) -> Result<(), StaleError> {
        let (frame, now) = (self.frame, self.call.now);
        let (chunk, at) = self.chunk_mut(agent)?;
        if rate != Rate::EVERY_FRAME || chunk.extras.turns().is_some() {
            chunk.turns(frame, now).set_rate(at, rate, frame);
        }
        Ok(())
    }

    /// Changes the rates of all agents of a tree: `rate` gets each agent and its rate, and returns
    /// its new rate; see [`Bands`](crate::Bands) for rates by distance. Returns how many changed.
    ///
    /// # Errors
    /// If the tree is not here.
    pub fn update_rates(
        &mut self,
        tree: TreeId,
        mut rate: impl FnMut(AgentId, Rate) -> Rate,
    ) -> Result<usize, StaleError> {
        let (frame, now) = (self.frame, self.call.now);
        let population = self.trees.get_mut(tree).ok_or(StaleError::Tree(tree))?;
        let mut changed = 0;
        for chunk in &mut population.chunks {
            for row in chunk.rows() {
                let old = chunk.extras.turns().map_or(Rate::EVERY_FRAME, |it| it.rate(row));
                let new = rate(chunk.ids[row.index()], old);
                if new != old {
                    chunk.turns(frame, now).set_rate(row, new, frame);
                    changed += 1;
                }
            }
        }
        Ok(changed)
    }
}
