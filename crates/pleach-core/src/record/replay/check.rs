//! Where a replay strays from its recording.

use std::sync::Arc;

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

    /// Compares where agents are with what was noted.
    pub(super) fn check(&mut self, stood: &[(u32, Vec<u8>)]) {
        for (first, checks) in stood {
            // Not `first..`, which overflows at the greatest number.
            for (number, check) in (*first..=u32::MAX).zip(checks).filter(|it| *it.1 != 0) {
                let agent = self.numbers.get(&number).copied().flatten();
                let here = agent.and_then(|it| Some((it, check_of(self.forest.tops(it)?))));
                let here = here.filter(|it| Self::replayer(&mut self.inputs).edit(it.0).is_none());
                if let Some((agent, _)) = here.filter(|it| it.1 != *check) {
                    self.diverge_here(agent, None, "the agent ran something else".to_owned());
                }
            }
        }
    }

    /// Reports the nodes for which nothing was recorded, as they are new.
    pub(super) fn tell_unknown(&mut self) {
        for (agent, node) in std::mem::take(&mut Self::replayer(&mut self.inputs).unknown) {
            let tree = self.forest.agent(agent).ok().map(|it| Arc::clone(it.tree()));
            let name = tree.and_then(|it| it.node(node).map(|it| it.to_string())).unwrap_or_else(|| node.to_string());
            let recorded = format!("there was no {name}, so nothing says what it answers");
            self.diverge(Divergence {
                frame: self.forest.frame(),
                agent,
                node: Some(node),
                recorded,
                is_new_leaf: true,
            });
        }
    }

    /// Notes that an agent diverged in the frame that was just played.
    pub(super) fn diverge_here(&mut self, agent: AgentId, node: Option<NodeId>, recorded: String) {
        let frame = self.forest.frame();
        self.diverge(Divergence { frame, agent, node, recorded, is_new_leaf: false });
    }

    fn diverge(&mut self, divergence: Divergence) {
        if self.diverged == self.divergences.len() {
            self.divergences.push(divergence);
        }
        self.diverged += 1;
    }
}
