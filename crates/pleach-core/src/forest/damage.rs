//! What can be wrong with a save that pleach did not write, or that was changed.

use std::fmt;

/// What is wrong with a save that was changed since it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Damage {
    /// A node has an unknown kind.
    UnknownKind,
    /// A node names a leaf that does not exist.
    UnknownLeaf,
    /// A node names a parent that does not exist.
    UnknownParent,
    /// Two nodes have the same leaf.
    DoubledLeaf,
    /// The nodes do not form a tree.
    NotATree,
    /// An agent has more run stacks than its tree.
    TooManyStacks,
    /// An agent names a node that its tree does not have.
    UnknownNode,
    /// The phase of an agent does not fit what it runs.
    Phase,
    /// A time or a counter is beyond the end of time.
    Time,
    /// A node has memory that its kind cannot have.
    NodeMemory,
    /// A node that is not active has memory.
    InactiveMemory,
    /// The memory of an agent's nodes is not in their order.
    MemoryOrder,
    /// A value belongs to no key of the tree, or has another type.
    AgentValue,
    /// The same for a group.
    GroupValue,
    /// The same for the forest.
    GlobalValue,
    /// An agent does not have one state for each leaf that keeps one.
    LeafStates,
    /// The run stacks of an agent cannot be those of its tree.
    Stacks,
    /// A chunk has more agents than it can have.
    ChunkSize,
    /// The chunks of a tree do not add up to its agents.
    ChunkAgents,
    /// The last chunk of a tree is empty.
    EmptyChunk,
    /// An agent waits for something that its tree does not have.
    UnknownWait,
    /// What agents wait for is missing for some trees.
    MissingWaits,
    /// A tree appears twice.
    DoubledTree,
    /// An agent appears twice.
    DoubledAgent,
    /// The ids of agents cannot be those of one forest.
    AgentIds,
    /// A group appears twice.
    DoubledGroup,
    /// An agent is in two groups, or a group has an agent that is not in the save.
    Members,
    /// A group that is an agent's own does not have exactly one member.
    OwnGroup,
    /// The ids of groups cannot be those of one forest.
    GroupIds,
    /// A brain was to be restored, but the save is not one of a brain.
    NotABrain,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Damage::UnknownKind => "a node has an unknown kind",
            Damage::UnknownLeaf => "a node names a leaf that does not exist",
            Damage::UnknownParent => "a node names a parent that does not exist",
            Damage::DoubledLeaf => "two nodes have the same leaf",
            Damage::NotATree => "its nodes do not form a tree",
            Damage::TooManyStacks => "an agent has more run stacks than its tree",
            Damage::UnknownNode => "an agent names a node that its tree does not have",
            Damage::Phase => "the phase of an agent does not fit what it runs",
            Damage::Time => "it is older than time can be",
            Damage::NodeMemory => "a node has memory that its kind cannot have",
            Damage::InactiveMemory => "a node that is not active has memory",
            Damage::MemoryOrder => "the memory of an agent is out of order",
            Damage::AgentValue => "a value has no declared key",
            Damage::GroupValue => "a group value has no declared key",
            Damage::GlobalValue => "a global value has no declared key",
            Damage::LeafStates => "an agent does not have one state for each of its leaves",
            Damage::Stacks => "the run stacks of an agent do not fit together",
            Damage::ChunkSize => "a chunk has more agents than fit in it",
            Damage::ChunkAgents => "its chunks do not have as many agents as it has",
            Damage::EmptyChunk => "its last chunk has no agents",
            Damage::UnknownWait => "an agent waits for something that its tree does not have",
            Damage::MissingWaits => "it does not say for every tree what its agents wait for",
            Damage::DoubledTree => "a tree appears twice",
            Damage::DoubledAgent => "an agent appears twice",
            Damage::AgentIds => "the ids of its agents do not fit together",
            Damage::DoubledGroup => "a group appears twice",
            Damage::Members => "an agent is in two groups, or a group has an agent that is not in the save",
            Damage::OwnGroup => "a group that is an agent's own does not have exactly one member",
            Damage::GroupIds => "its groups do not fit together",
            Damage::NotABrain => "it is not the save of a brain",
        })
    }
}
