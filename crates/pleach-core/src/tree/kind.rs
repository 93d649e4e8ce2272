//! The kinds of nodes: one table with the name, the parameters and the behaviour of each.
//! Everything else that has to name kinds asks here.

mod class;
mod field;
#[cfg(test)]
mod tests;

pub(crate) use class::NodeMemory;
pub use class::{Arity, ChildOrder, NodeClass};
pub(crate) use field::Receiver;
pub use field::{FieldDefault, FieldShape, NodeField};
use field::{needs, or, takes};

/// The table's entry for a kind.
struct Entry {
    name: &'static str,
    class: NodeClass,
    order: Option<ChildOrder>,
    memory: NodeMemory,
    fields: &'static [NodeField],
    example: &'static str,
    doc: &'static str,
}

macro_rules! order {
    () => {
        None
    };
    ($order:ident) => {
        Some(ChildOrder::$order)
    };
}

/// Makes the type and its table from one list, so that neither can lack a kind. The comment of a
/// kind is its [`doc`](NodeKind::doc).
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident: $class:ident $(in $order:ident)?, $memory:ident$(($words:literal))?, $example:literal,
        $fields:expr;)*) => {
        /// What a node is: one of the built-in kinds, or a leaf of the host.
        ///
        /// ```
        /// # use pleach_core as pleach;
        /// use pleach::kinds::{Arity, NodeKind};
        ///
        /// let kind = NodeKind::from_name("Timeout").unwrap();
        /// assert_eq!((kind, kind.arity()), (NodeKind::Timeout, Arity::Decorator));
        /// let fields: Vec<&str> = kind.fields().iter().map(|it| it.name).collect();
        /// assert_eq!(fields, ["seconds", "result"]);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum NodeKind {
            $($(#[doc = $doc])+ $kind,)*
        }

        /// The same for the crates of this workspace, which have to know every kind. Not part of
        /// the interface.
        #[doc(hidden)]
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs)]
        pub enum EveryNodeKind {
            $($kind,)*
        }

        impl NodeKind {
            /// Not part of the interface.
            #[doc(hidden)]
            #[must_use]
            pub const fn every(self) -> EveryNodeKind {
                match self {
                    $(NodeKind::$kind => EveryNodeKind::$kind,)*
                }
            }
        }

        const KINDS: [NodeKind; TABLE.len()] = [$(NodeKind::$kind),*];

        /// Not by the table, as names of another length are passed over at once.
        fn named(name: &str) -> Option<NodeKind> {
            match name {
                $(stringify!($kind) => Some(NodeKind::$kind),)*
                _ => None,
            }
        }

        const TABLE: &[Entry] = &[$(Entry {
            name: stringify!($kind),
            class: NodeClass::$class,
            order: order!($($order)?),
            memory: NodeMemory::$memory$(($words))?,
            fields: $fields,
            example: $example,
            doc: concat!($($doc),+),
        }),*];
    };
}

kinds! {
    /// Runs its children in order until one fails. Succeeds if all of them succeed.
    Sequence: Composite in Written, Nothing, "", &[];
    /// Runs its children in order until one succeeds. Fails if all of them fail.
    Selector: Composite in Written, Nothing, "", &[];
    /// Runs all its children at once until enough of them have succeeded or failed. Failure is
    /// checked first.
    Parallel: Composite in Together, Words(2), "success: All, failure: Any", &[
        or("success", FieldShape::Policy, "All", "How many children must succeed for the node to succeed."),
        or("failure", FieldShape::Policy, "Any", "How many children must fail for the node to fail."),
    ];
    /// A sequence that reruns its earlier children every tick while a later one is running.
    ReactiveSequence: Composite in Reactive, Cache, "", &[];
    /// A selector that reruns its earlier children every tick while a later one is running.
    ReactiveSelector: Composite in Reactive, Cache, "", &[];
    /// A sequence that draws a random order of its children at each start.
    RandomSequence: Composite in Found, Order, "", &[];
    /// A selector that draws a random order of its children at each start.
    RandomSelector: Composite in Found, Order, "", &[];
    /// Draws one of its children at each start and runs only that one. Ends as that child ends.
    RandomChoice: Composite in Selected, Selected, "", &[];
    /// A selector that tries its children by descending score.
    UtilitySelector: Composite in Found, Order, "reevaluate: true, inertia: 0.1", &[
        or(
            "reevaluate",
            FieldShape::Bool,
            "false",
            "Whether to compute the scores every tick, so that a better child takes over from the running one.",
        ),
        takes(
            "inertia",
            FieldShape::Amount,
            "How much higher another child's score must be to take over. Needs `reevaluate`.",
        ),
    ];
    /// Runs the child whose case equals a value, and switches when the value selects another child.
    /// Fails if the value selects none.
    Switch: Composite in Selected, Selected, r#"on: "mood", cases: {1: Succeed}, default: Fail, latch: true"#, &[
        needs("on", FieldShape::Expr, "The value: a bool, an int or a symbol."),
        needs("cases", FieldShape::Cases, "The children, each under the value that selects it; at least one."),
        takes("default", FieldShape::Node, "The child for all other values."),
        or("latch", FieldShape::Bool, "false", "Whether the started child keeps running, whatever the value becomes."),
    ];
    /// Succeeds when its child fails, and fails when its child succeeds.
    Inverter: Decorator, Nothing, "", &[];
    /// Succeeds however its child ends.
    ForceSuccess: Decorator, Nothing, "", &[];
    /// Fails however its child ends.
    ForceFailure: Decorator, Nothing, "", &[];
    /// Repeats its child until the child succeeds; an instant child runs once per tick. With a
    /// `count` it fails after that many attempts.
    UntilSuccess: Decorator, Rounds, "count: 3", &[ATTEMPTS];
    /// Repeats its child until the child fails, and then fails; an instant child runs once per
    /// tick. With a `count` it succeeds after that many attempts.
    UntilFailure: Decorator, Rounds, "count: 3", &[ATTEMPTS];
    /// Runs its child several times, or for ever; an instant child runs once per tick. Ends with
    /// the outcome of the last run.
    Repeat: Decorator, Rounds, "count: 3, end_on_failure: true", &[
        takes("count", FieldShape::Count, "How many times, at least 1; if an expression gives less, the node succeeds at once. Required unless `forever` is `true`."),
        or("forever", FieldShape::Bool, "false", "Whether to repeat without end, instead of `count` times."),
        or("end_on_failure", FieldShape::Bool, "false", "Whether the node fails as soon as a run fails."),
    ];
    /// Runs its child while a condition holds. Fails as soon as it does not; with `result: Success`
    /// it succeeds, so that a sequence skips it.
    Guard: Decorator, Nothing, r#"when: "true", result: Failure"#, &[
        needs("when", FieldShape::Test, "What must hold."),
        or("result", FieldShape::Outcome, "Failure", "How the node ends when `when` does not hold."),
    ];
    /// Ends its child if the child runs for too long.
    Timeout: Decorator, Words(2), "seconds: 2.0, result: Failure", &[
        needs("seconds", FieldShape::Number, "How long the child may run; at 0 or less it does not start."),
        or("result", FieldShape::Outcome, "Failure", "How the node ends when the time is up."),
    ];
    /// Fails, without running its child, until enough time has passed since the child last ended.
    Cooldown: Decorator, Kept(2), "seconds: 2.0, after: End, jitter: 0.5", &[
        needs("seconds", FieldShape::Number, "How long the child is blocked after it has ended."),
        or("after", FieldShape::ChildEnd, "End", "Which end of the child starts the cooldown: any end, aborts included, or only success or failure."),
        JITTER,
    ];
    /// Runs its child at most a given number of times. The count starts again when the agent is
    /// next enabled or restarted.
    Limit: Decorator, Kept(1), "count: 3, exhausted: Failure", &[
        needs("count", FieldShape::Count, "How many times the child may start."),
        or("exhausted", FieldShape::Outcome, "Failure", "How the node ends after that."),
    ];
    /// Waits for some time, then runs its child.
    Delay: Decorator, Words(2), "seconds: 2.0, jitter: 0.5", &[
        needs("seconds", FieldShape::Number, "How long it waits."),
        JITTER,
    ];
    /// Runs its child with a given probability, else fails.
    Probability: Decorator, Nothing, "p: 0.5", &[
        needs("p", FieldShape::Number, "The probability that the child runs, from 0 to 1."),
    ];
    /// Runs its child only while the agent holds one of a few places, which the agents of a group
    /// or of the forest share. Fails if no place is free.
    Token: Decorator, Kept(2), r#"token: "attack", count: 2, rest: 1.0, of: Group"#, &[
        needs("token", FieldShape::Text, "The name of the token, as that of a key: Tokens of one name share their places."),
        needs("count", FieldShape::Whole, "How many places there are."),
        takes("rest", FieldShape::Amount, "For how many seconds a place that is given back is not free."),
        or("of", FieldShape::Sharers, "Group", "Who shares the places: the agents of a `Group`, or all (`Global`)."),
    ];
    /// However its child ends, by itself or from outside, calls the leaves of `do`. Ends as the
    /// child ends.
    Finally: Decorator, Nothing, r#"do: [Log("over")], on: Any"#, &[
        needs("do", FieldShape::Actions, "The actions, each of which is done at once: it is started, updated once and ended, whatever it gives."),
        or("on", FieldShape::Ending, "Any", "Which ends of the child count: any, only an end from outside, or only success or failure."),
    ];
    /// An action of the host. Assets write its registered name.
    Action: Action, Nothing, "", &[];
    /// A condition of the host. Assets write its registered name.
    Condition: Condition, Nothing, "", &[];
    /// Runs for some time, then succeeds.
    Wait: Action, Words(2), "seconds: 2.0, jitter: 0.5", &[needs("seconds", FieldShape::Number, "How long it runs."), JITTER];
    /// Runs for a number of ticks, then succeeds.
    WaitTicks: Action, Words(1), "ticks: 3", &[needs("ticks", FieldShape::Count, "How many ticks it runs.")];
    /// Runs until an expression is true, then succeeds.
    WaitUntil: Action, Nothing, r#"expr: "true""#, &[needs("expr", FieldShape::Expr, "What must hold.")];
    /// Waits for an event that is sent after the node's start, then succeeds.
    WaitFor: Action, Words(1), r#"event: "answer", into: "place""#, &[
        needs("event", FieldShape::Event, "The name of the event."),
        takes("into", FieldShape::Key, "The key that receives the payload of the first such event."),
    ];
    /// A condition on the blackboard.
    Check: Condition, Nothing, r#"expr: "true""#, &[needs("expr", FieldShape::Expr, "What it checks.")];
    /// A condition: whether the event is visible to the agent in this tick.
    OnEvent: Condition, Nothing, r#"event: "noise", into: "place""#, &[
        needs("event", FieldShape::Event, "The name of the event."),
        takes("into", FieldShape::Key, "The key that receives the payload of the first such event."),
    ];
    /// A condition: whether a `Token` would get a place for the agent.
    Free: Condition, Nothing, r#"token: "attack""#, &[needs("token", FieldShape::Text, "The name of a token of this tree.")];
    /// Writes the value of an expression to a key, and succeeds.
    Set: Action, Nothing, r#"key: "mood", to: "mood + 1""#, &[
        needs("key", FieldShape::Key, "The key to write."),
        needs("to", FieldShape::Expr, "The value to write."),
    ];
    /// Draws a random number into a key, and succeeds: an Int up to `to`, a Float below `to`.
    Roll: Action, Nothing, r#"key: "mood", from: 1, to: 6"#, &[
        needs("key", FieldShape::Key, "The key: an Int or a Float."),
        needs("from", FieldShape::Number, "The least number."),
        needs("to", FieldShape::Number, "The largest number; a Float stays below it."),
    ];
    /// Hands a text to `Host::on_log`, and succeeds.
    Log: Action, Nothing, r#"text: "here""#, &[needs("text", FieldShape::Text, "The text.")];
    /// Hands an event to `Host::on_emit`, or sends it to the other members of the agent's group,
    /// and succeeds.
    Emit: Action, Nothing, r#"event: "shout", payload: "mood", to: Group"#, &[
        needs("event", FieldShape::Event, "The name of the event."),
        takes("payload", FieldShape::Expr, "What the event carries."),
        or("to", FieldShape::Receiver, "Host", "Who gets it: the game, or the other members of the agent's group, in their next ticks."),
    ];
    /// Succeeds.
    Succeed: Action, Nothing, "", &[];
    /// Fails.
    Fail: Action, Nothing, "", &[];
    /// Runs for ever.
    Idle: Action, Nothing, "", &[];
}

const ATTEMPTS: NodeField = takes(
    "count",
    FieldShape::Count,
    "The most attempts, at least 1. If an expression gives 0 or less, the child is not started. Without `count` there is no limit.",
);

const JITTER: NodeField = takes(
    "jitter",
    FieldShape::Amount,
    "Lengthens or shortens the time at random, by up to this many seconds; drawn again each time.",
);

const BLACKBOARD: NodeField = takes(
    "blackboard",
    FieldShape::Keys,
    "Keys of the node. Each agent has its own values; the node and everything below it see them.",
);

const LOCALS: NodeField =
    takes("locals", FieldShape::Keys, "Keys of the node that get their defaults back whenever it starts.");

const COMPOSITE_FIELDS: &[NodeField] = &[
    or("abort", FieldShape::Abort, "None", "What the conditions below may abort when they change."),
    takes("services", FieldShape::Services, "Actions that run at intervals beside the children."),
    BLACKBOARD,
    LOCALS,
];

const DECORATOR_FIELDS: &[NodeField] = &[BLACKBOARD, LOCALS];

const CHILDREN: &[NodeField] = &[needs("children", FieldShape::Nodes, "The children, at least one.")];

const SCORED: &[NodeField] =
    &[needs("children", FieldShape::Scored, "The children, at least one, each with its score.")];

const WEIGHTED: &[NodeField] = &[needs(
    "children",
    FieldShape::Weighted,
    "The children, at least one. A child with a higher weight is likelier to be drawn before the others; the weight is 1 unless given.",
)];

const SCORE: NodeField = needs("score", FieldShape::Expr, "The score of the child.");

const WEIGHT: NodeField = or("weight", FieldShape::Amount, "1", "The weight of the child, 0 or more.");

const CHILD: &[NodeField] = &[needs("child", FieldShape::Node, "The child.")];

impl NodeKind {
    /// Every kind: composites, decorators, leaves.
    pub const ALL: [NodeKind; TABLE.len()] = KINDS;

    /// The fields that every node has, besides those of its kind and class.
    pub const COMMON_FIELDS: &'static [NodeField] = &[
        takes("name", FieldShape::Text, "A name for traces, drawings and look-ups."),
        takes("id", FieldShape::Text, "An id that stays the same when the tree is edited; unique in its tree."),
        takes("note", FieldShape::Text, "A note for people."),
        takes("allow", FieldShape::Codes, "Codes of warnings that are silenced for this node and everything below it."),
        or(
            "disabled",
            FieldShape::Bool,
            "false",
            "Whether the node, with everything below it, is left out of the tree.",
        ),
    ];

    /// The fields of an entry of `services`.
    pub const SERVICE_FIELDS: &'static [NodeField] = &[
        needs("every", FieldShape::Number, "Seconds between two runs; at 0 or less it runs every tick."),
        needs("run", FieldShape::Leaf, "The action to run."),
        JITTER,
    ];

    /// The fields of an entry of a tree's `interrupts`.
    pub const INTERRUPT_FIELDS: &'static [NodeField] = &[
        needs("when", FieldShape::Test, "When the interrupt takes over."),
        needs("run", FieldShape::Node, "What runs then."),
    ];

    /// The kind of that name. [`NodeKind::Action`] and [`NodeKind::Condition`] have names too, but
    /// not in assets: see [`is_built_in`](NodeKind::is_built_in).
    #[must_use]
    pub fn from_name(name: &str) -> Option<NodeKind> {
        named(name)
    }

    /// Its name; for a built-in kind the one that assets write.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// Whether assets write it under its own name: all except the leaves of the host.
    #[must_use]
    pub const fn is_built_in(self) -> bool {
        !matches!(self, NodeKind::Action | NodeKind::Condition)
    }

    /// Its role, for a reader of a tree.
    #[must_use]
    pub const fn class(self) -> NodeClass {
        self.entry().class
    }

    /// How many children it takes.
    #[must_use]
    pub const fn arity(self) -> Arity {
        self.class().arity()
    }

    /// The order in which it tries its children, if it is a composite.
    #[must_use]
    pub const fn order(self) -> Option<ChildOrder> {
        self.entry().order
    }

    /// Whether two children can be active at once: the branches of a parallel, and the newcomer of
    /// a reactive composite, which starts before the old child ends.
    pub(crate) const fn runs_children_together(self) -> bool {
        matches!(self.order(), Some(ChildOrder::Together | ChildOrder::Reactive))
    }

    /// Whether a change of a condition below it can abort its running child. It cannot where the
    /// other children are not alternatives to that one.
    pub(crate) const fn watches_conditions(self) -> bool {
        !matches!(self.order(), None | Some(ChildOrder::Together | ChildOrder::Selected))
    }

    /// Whether it is allowed in the `do` of a [`Finally`](NodeKind::Finally): an instant action, or
    /// one of the host.
    #[must_use]
    pub const fn is_instant(self) -> bool {
        matches!(
            self,
            NodeKind::Set
                | NodeKind::Roll
                | NodeKind::Log
                | NodeKind::Emit
                | NodeKind::Succeed
                | NodeKind::Fail
                | NodeKind::Action
        )
    }

    /// Its own fields, in the order in which their names can be left out.
    #[must_use]
    pub const fn fields(self) -> &'static [NodeField] {
        self.entry().fields
    }

    /// The fields that hold its children, if it has none of its own for them.
    #[must_use]
    pub const fn child_fields(self) -> &'static [NodeField] {
        match (self.arity(), self) {
            (Arity::Composite, NodeKind::Switch) => &[],
            (Arity::Composite, NodeKind::UtilitySelector) => SCORED,
            (Arity::Composite, NodeKind::RandomSequence | NodeKind::RandomSelector | NodeKind::RandomChoice) => {
                WEIGHTED
            }
            (Arity::Composite, _) => CHILDREN,
            (Arity::Decorator, _) => CHILD,
            (Arity::Leaf, _) => &[],
        }
    }

    /// What an entry of its children holds besides the child, if they can be entries: the `score`
    /// of `children: [(score: "..", child: ..)]`.
    #[must_use]
    pub const fn child_value(self) -> Option<&'static NodeField> {
        match self {
            NodeKind::UtilitySelector => Some(&SCORE),
            NodeKind::RandomSequence | NodeKind::RandomSelector | NodeKind::RandomChoice => Some(&WEIGHT),
            _ => None,
        }
    }

    /// Every field it accepts: its own, the common ones, those of its class, its children.
    pub fn all_fields(self) -> impl Iterator<Item = &'static NodeField> {
        self.fields().iter().chain(NodeKind::COMMON_FIELDS).chain(self.class().fields()).chain(self.child_fields())
    }

    /// The field of that name among those it accepts.
    #[must_use]
    pub fn field(self, name: &str) -> Option<&'static NodeField> {
        self.all_fields().find(|it| it.name == name)
    }

    /// What it does, in a sentence or two.
    #[must_use]
    pub const fn doc(self) -> &'static str {
        self.entry().doc.trim_ascii_start()
    }

    /// A built-in as it is written in an asset, with each of its own fields that can be combined
    /// with the others: `Wait(seconds: 2.0)`. Empty for leaves of the host.
    #[must_use]
    pub fn example(self) -> String {
        if !self.is_built_in() {
            return String::new();
        }
        let below = self.child_fields().iter().map(|it| match it.shape {
            FieldShape::Nodes => "children: [Succeed]",
            FieldShape::Scored => r#"children: [(score: "1.0", child: Succeed)]"#,
            FieldShape::Weighted => "children: [(weight: 1.0, child: Succeed)]",
            _ => "child: Succeed",
        });
        let fields: Vec<&str> = [self.entry().example].into_iter().chain(below).filter(|it| !it.is_empty()).collect();
        if fields.is_empty() { self.name().into() } else { format!("{}({})", self.name(), fields.join(", ")) }
    }

    /// What a node of this kind remembers.
    pub(crate) const fn memory(self) -> NodeMemory {
        self.entry().memory
    }

    const fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }
}

impl NodeClass {
    /// The fields that all its kinds have besides the common ones and their children.
    #[must_use]
    pub const fn fields(self) -> &'static [NodeField] {
        match self {
            NodeClass::Composite => COMPOSITE_FIELDS,
            NodeClass::Decorator => DECORATOR_FIELDS,
            NodeClass::Condition | NodeClass::Action => &[],
        }
    }
}
