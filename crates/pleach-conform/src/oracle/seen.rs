//! What an agent is doing, as seen from outside.

use super::Agent;
use crate::happening::NodeIndex;

impl Agent<'_> {
    /// What runs: the tops of the run stacks that are not parallels, in pre-order.
    pub(crate) fn running(&self) -> Vec<NodeIndex> {
        let tops = self.stacks.iter().filter_map(|s| s.nodes.last()).filter(|n| !n.is_parallel());
        let mut running: Vec<_> = tops.map(|n| n.index).collect();
        running.sort();
        running
    }

    /// The run stacks that are not empty, ordered by bottom node, each bottom first, by index.
    pub(crate) fn run_stacks(&self) -> Vec<Vec<NodeIndex>> {
        let mut stacks: Vec<Vec<NodeIndex>> =
            self.stacks.iter().map(|s| s.nodes.iter().map(|n| n.index).collect()).collect();
        stacks.sort();
        stacks
    }
}
