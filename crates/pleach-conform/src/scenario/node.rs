//! The nodes of a scenario's tree.

use super::{Amount, Jittered, Outcome, Slot, Subtree, Takes, Value};

/// A node of the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its name in the trace; `None`: its type.
    pub name: Option<String>,
    /// What identifies it when the tree is replaced.
    pub id: Option<String>,
    /// The keys of the agent that get their defaults back when it starts.
    pub locals: Vec<String>,
    /// Its kind, with its children.
    pub shape: Shape,
}

/// The kind of a node, with its children.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A node with one child or more.
    Composite {
        /// Which composite.
        kind: CompositeKind,
        /// Its abort type.
        abort: Abort,
        /// What runs beside its children.
        services: Vec<Service>,
        /// At least one.
        children: Vec<Node>,
    },
    /// A node with exactly one child.
    Decorator {
        /// Which decorator.
        kind: DecoratorKind,
        /// The child. For a finally, the leaves of `do` follow it.
        children: Vec<Node>,
    },
    /// A node without children.
    Leaf(LeafKind),
}

/// The composites.
#[derive(Clone, Debug, PartialEq)]
pub enum CompositeKind {
    /// `sequence`
    Sequence,
    /// `selector`
    Selector,
    /// `parallel`
    Parallel {
        /// How many children must succeed.
        success: Policy,
        /// How many children must fail.
        failure: Policy,
    },
    /// `reactive_sequence`
    ReactiveSequence,
    /// `reactive_selector`
    ReactiveSelector,
    /// `random_sequence`
    RandomSequence {
        /// One per child; `None`: all the same.
        weights: Option<Vec<f64>>,
    },
    /// `random_selector`
    RandomSelector {
        /// One per child; `None`: all the same.
        weights: Option<Vec<f64>>,
    },
    /// `random_choice`
    RandomChoice {
        /// One per child; `None`: all the same.
        weights: Option<Vec<f64>>,
    },
    /// `utility_selector`
    UtilitySelector {
        /// One expression per child.
        scores: Vec<String>,
        /// Whether a better child may take the place of the running one.
        reevaluate: bool,
        /// How much better it must be.
        inertia: f64,
    },
    /// `switch`
    Switch {
        /// A bool, an int or a symbol.
        on: String,
        /// One per child, but for the default.
        cases: Vec<Value>,
        /// Whether the last child is the default.
        default: bool,
        /// Whether the selected child stays.
        latch: bool,
    },
}

/// The decorators. Seconds that are literals are whole because every tick lasts one.
#[derive(Clone, Debug, PartialEq)]
pub enum DecoratorKind {
    /// `inverter`
    Inverter,
    /// `return_success`
    ReturnSuccess,
    /// `return_failure`
    ReturnFailure,
    /// `until_success`
    UntilSuccess {
        /// How many attempts; `None`: as many as it takes.
        count: Option<Amount<u32>>,
    },
    /// `until_failure`
    UntilFailure {
        /// How many attempts; `None`: as many as it takes.
        count: Option<Amount<u32>>,
    },
    /// `repeater`
    Repeater {
        /// `None`: for ever.
        count: Option<Amount<u32>>,
        /// Whether a failure of the child ends it.
        end_on_failure: bool,
    },
    /// `guard`
    Guard {
        /// What is checked.
        test: Test,
        /// What it returns when that is false.
        result: Outcome,
    },
    /// `timeout`
    Timeout {
        /// Seconds.
        ticks: Amount<i32>,
        /// What it returns after these seconds.
        result: Outcome,
    },
    /// `cooldown`
    Cooldown {
        /// Seconds.
        time: Jittered,
        /// The child's status that starts it; `None`: any end.
        after: Option<Outcome>,
    },
    /// `limit`
    Limit {
        /// How often the child may start.
        count: Amount<u32>,
        /// What it returns after that.
        exhausted: Outcome,
    },
    /// `delay`
    Delay(Jittered),
    /// `probability`
    Probability {
        /// 0 to 1.
        p: Amount<f64>,
    },
    /// `token`
    Token(Token),
    /// `finally`
    Finally {
        /// Which ends of the child it waits for.
        on: Ending,
    },
}

/// What a `token` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The name of the token.
    pub token: String,
    /// How many places there are.
    pub count: u32,
    /// For how many seconds a place that is given back rests.
    pub rest: u32,
    /// `"of": "global"`
    pub global: bool,
}

/// Ends of the child of a finally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All.
    Any,
    /// `"I"`: from outside.
    Aborted,
    /// `"S"`, `"F"`: by itself, with this status.
    Itself(Outcome),
}

/// The leaves.
#[derive(Clone, Debug, PartialEq)]
pub enum LeafKind {
    /// `action`; the node's name selects its script.
    Action,
    /// `condition`; the node's name selects its script.
    Condition,
    /// `check`
    Check {
        /// A bool.
        expr: String,
    },
    /// `on_event`
    OnEvent {
        /// The event to check for.
        event: String,
        /// The key that takes its payload; it may begin with its scope.
        into: Option<String>,
    },
    /// `free`
    Free {
        /// The name of the token.
        token: String,
    },
    /// `wait`
    Wait(Jittered),
    /// `wait_ticks`
    WaitTicks {
        /// Updates that return Running.
        ticks: Amount<u32>,
    },
    /// `wait_until`
    WaitUntil {
        /// A bool.
        expr: String,
    },
    /// `wait_for`
    WaitFor {
        /// The event that is waited for.
        event: String,
        /// The key that takes its payload; it may begin with its scope.
        into: Option<String>,
    },
    /// `set`
    Set {
        /// The key that is written; it may begin with its scope.
        key: String,
        /// Of the key's type.
        expr: String,
    },
    /// `roll`
    Roll {
        /// The key that is written, an int or a float; it may begin with its scope.
        key: String,
        /// An int for an int, a number for a float, as `to`.
        from: String,
        /// The last int, or the excluded upper bound of floats.
        to: String,
    },
    /// `log`
    Log {
        /// What is printed.
        text: String,
    },
    /// `emit`
    Emit {
        /// The event that is handed to the host, or sent to the agent's group.
        event: String,
        /// Its payload.
        payload: Option<String>,
        /// `"to": "group"`
        to_group: bool,
    },
    /// `succeed`
    Succeed,
    /// `fail`
    Fail,
    /// `idle`
    Idle,
    /// `subtree`: only as written, never in the tree that is run.
    Subtree(Subtree),
    /// `slot`: only as written; in the tree that is run it is a switch.
    Slot(Slot),
    /// `node` and `nodes`: only as written; the running tree has the given nodes instead.
    Hole(String, Takes),
}

/// What a guard checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// `"when"`: the script of that condition.
    When(String),
    /// `"expr"`: a bool.
    Expr(String),
}

/// Something that a composite runs beside its children.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// How the trace calls it.
    pub name: String,
    /// Seconds; zero and less: every tick.
    pub interval: Jittered,
}

/// The abort type of a composite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Abort {
    /// Its conditions are not monitored.
    #[default]
    None,
    /// `"self"`
    Own,
    /// `"lp"`
    LowerPriority,
    /// `"both"`
    Both,
}

/// When a parallel has succeeded, or failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// `"all"`
    All,
    /// `"any"`
    Any,
    /// A number.
    AtLeast(u32),
}

impl Node {
    /// The node type, as `"type"` has it.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match &self.shape {
            Shape::Composite { kind, .. } => kind.type_name(),
            Shape::Decorator { kind, .. } => kind.type_name(),
            Shape::Leaf(kind) => kind.type_name(),
        }
    }

    /// Its name in the trace: its own, or else its type.
    #[must_use]
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(self.type_name())
    }

    /// How many levels there are from here down, this one included. Not recursive.
    #[must_use]
    pub fn depth(&self) -> usize {
        let (mut level, mut depth) = (vec![self], 0);
        while !level.is_empty() {
            level = level.into_iter().flat_map(Node::children).collect();
            depth += 1;
        }
        depth
    }

    /// The children, in order; for a subtree what it gives to holes.
    #[must_use]
    pub fn children(&self) -> &[Node] {
        match &self.shape {
            Shape::Composite { children, .. } | Shape::Decorator { children, .. } => children,
            Shape::Leaf(LeafKind::Subtree(it)) => &it.nodes,
            Shape::Leaf(_) => &[],
        }
    }
}

impl CompositeKind {
    /// The node type, as `"type"` has it.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            CompositeKind::Sequence => "sequence",
            CompositeKind::Selector => "selector",
            CompositeKind::Parallel { .. } => "parallel",
            CompositeKind::ReactiveSequence => "reactive_sequence",
            CompositeKind::ReactiveSelector => "reactive_selector",
            CompositeKind::RandomSequence { .. } => "random_sequence",
            CompositeKind::RandomSelector { .. } => "random_selector",
            CompositeKind::RandomChoice { .. } => "random_choice",
            CompositeKind::UtilitySelector { .. } => "utility_selector",
            CompositeKind::Switch { .. } => "switch",
        }
    }
}

impl DecoratorKind {
    /// The node type, as `"type"` has it.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            DecoratorKind::Inverter => "inverter",
            DecoratorKind::ReturnSuccess => "return_success",
            DecoratorKind::ReturnFailure => "return_failure",
            DecoratorKind::UntilSuccess { .. } => "until_success",
            DecoratorKind::UntilFailure { .. } => "until_failure",
            DecoratorKind::Repeater { .. } => "repeater",
            DecoratorKind::Guard { .. } => "guard",
            DecoratorKind::Timeout { .. } => "timeout",
            DecoratorKind::Cooldown { .. } => "cooldown",
            DecoratorKind::Limit { .. } => "limit",
            DecoratorKind::Delay(_) => "delay",
            DecoratorKind::Probability { .. } => "probability",
            DecoratorKind::Token(_) => "token",
            DecoratorKind::Finally { .. } => "finally",
        }
    }
}

impl LeafKind {
    /// The node type, as `"type"` has it.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            LeafKind::Action => "action",
            LeafKind::Condition => "condition",
            LeafKind::Check { .. } => "check",
            LeafKind::OnEvent { .. } => "on_event",
            LeafKind::Free { .. } => "free",
            LeafKind::Wait(_) => "wait",
            LeafKind::WaitTicks { .. } => "wait_ticks",
            LeafKind::WaitUntil { .. } => "wait_until",
            LeafKind::WaitFor { .. } => "wait_for",
            LeafKind::Set { .. } => "set",
            LeafKind::Roll { .. } => "roll",
            LeafKind::Log { .. } => "log",
            LeafKind::Emit { .. } => "emit",
            LeafKind::Succeed => "succeed",
            LeafKind::Fail => "fail",
            LeafKind::Idle => "idle",
            LeafKind::Subtree(_) => "subtree",
            LeafKind::Slot(_) => "slot",
            LeafKind::Hole(_, Takes::One) => "node",
            LeafKind::Hole(_, Takes::Many) => "nodes",
        }
    }
}
