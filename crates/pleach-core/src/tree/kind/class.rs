//! Properties of a kind of node: how many children it takes, in which order, and what it remembers.

/// How many children a kind of node takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// None.
    Leaf,
    /// Exactly one.
    Decorator,
    /// One or more.
    Composite,
}

/// The role of a kind of node, for a reader of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeClass {
    /// Has children, and decides which of them runs.
    Composite,
    /// Changes how its one child runs or counts.
    Decorator,
    /// A leaf that answers a question.
    Condition,
    /// A leaf that does something.
    Action,
}

impl NodeClass {
    /// In a word: `composite`, `decorator`, `condition`, `action`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            NodeClass::Composite => "composite",
            NodeClass::Decorator => "decorator",
            NodeClass::Condition => "condition",
            NodeClass::Action => "action",
        }
    }

    /// How many children its kinds take.
    #[must_use]
    pub const fn arity(self) -> Arity {
        match self {
            NodeClass::Composite => Arity::Composite,
            NodeClass::Decorator => Arity::Decorator,
            NodeClass::Condition | NodeClass::Action => Arity::Leaf,
        }
    }
}

/// In which order a composite tries its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChildOrder {
    /// As they are written, each once.
    Written,
    /// As they are written; in every tick those before the running one are run again.
    Reactive,
    /// In an order that is found while the composite runs.
    Found,
    /// One of them, which a value or a draw selects.
    Selected,
    /// Side by side.
    Together,
}

/// What a node of a kind remembers in the words of its agent. Layout, reloads and saves all ask
/// here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeMemory {
    Nothing,
    /// This many words while it is active.
    Words(u32),
    /// This many words for as long as the agent is enabled.
    Kept(u32),
    /// One word while it is active, if it has a count.
    Rounds,
    /// The order of its children, and how many of them were tried, while it is active.
    Order,
    /// One of its children, while it is active.
    Selected,
    /// One word while it is active, which can be recomputed: no reload keeps it.
    Cache,
}
