//! Where a replay strays from its recording.

use super::super::Divergence;
use super::Replay;
use crate::inputs::log::check_of;
use crate::{AgentId, Host, NodeId};

impl<H: Host> Replay<H> {
    /// Where agents did not ask for what was recorded, or ran something else, so far.
    #[must_use]
    pub fn divergences(&self) -> &[Divergence] {
        &self.divergences[..self.diverged]
    }

    /// Compares where agents stand with what was noted of it.
    pub(super) fn check(&mut self, stood: &[(u32, Vec<u8>)]) {
        for (first, checks) in stood {
            // Not `first..`, which overflows at the greatest number.
            for (number, check) in (*first..=u32::MAX).zip(checks).filter(|it| *it.1 != 0) {
                let agent = self.numbers.get(&number).copied().flatten();
                let here = agent.and_then(|it| Some((it, check_of(self.forest.tops(it)?))));
                if let Some((agent, _)) = here.filter(|it| it.1 != *check) {
                    self.diverge(agent, None, "the agent ran something else".to_owned());
                }
            }
        }
    }

    pub(super) fn diverge(&mut self, agent: AgentId, node: Option<NodeId>, recorded: String) {
        if self.diverged == self.divergences.len() {
            self.divergences.push(Divergence { frame: self.forest.frame(), agent, node, recorded });
        }
        self.diverged += 1;
    }
}
