//! The fields of test files. This table is for completion and documentation, and the program that
//! runs tests reads no others.

/// What a field of a step is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The time of the step.
    Moment,
    /// What must hold then.
    Expectation,
    /// What is done then.
    Deed,
    /// Anything else: the fields of cases and files.
    Other,
}

/// What can be written for a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestShape {
    /// A whole number.
    Whole,
    /// A number of seconds.
    Seconds,
    /// `true` or `false`.
    Bool,
    /// Any text.
    Text,
    /// The file of a tree.
    Tree,
    /// Names of nodes, one or several.
    Nodes,
    /// Expressions, one or several.
    Exprs,
    /// Names of events, one or several.
    EventNames,
    /// Events, or a map from events to payloads.
    Events,
    /// How a tree ended.
    Status,
    /// What is done to the life of an agent, one or several.
    Turns,
    /// A map from names to cases.
    Cases,
    /// A list of steps.
    Steps,
    /// A map from leaves to what they answer.
    Answers,
    /// A map from nodes to numbers.
    Counts,
    /// A map from nodes to nodes.
    Aborts,
    /// A map from keys to values.
    Keys,
    /// A map from slots to trees.
    Slots,
    /// What is done to other agents.
    Others,
}

impl TestShape {
    /// The same in words.
    #[must_use]
    pub const fn what(self) -> &'static str {
        match self {
            TestShape::Whole => "a whole number",
            TestShape::Seconds => "a number of seconds",
            TestShape::Bool => "`true` or `false`",
            TestShape::Text | TestShape::Tree => "a string",
            TestShape::Nodes | TestShape::EventNames => "a string, or a list of them",
            TestShape::Exprs => "a string with an expression, or a list of them",
            TestShape::Events => "a string, a list of them, or a map from events to payloads",
            TestShape::Status => "`Success`, `Failure` or `Running`",
            TestShape::Turns => "`Pause`, `Unpause` or `Restart`, or a list of them",
            TestShape::Cases => "a map from names to cases",
            TestShape::Steps => "a list of steps",
            TestShape::Answers => "a map from leaves to answers",
            TestShape::Counts => "a map from nodes to numbers",
            TestShape::Aborts => "a map from nodes to nodes",
            TestShape::Keys => "a map from keys to values",
            TestShape::Slots => "a map from slots to trees",
            TestShape::Others => "`(set: .., send: .., fill: ..)`",
        }
    }
}

/// A field of a test file, of a case, or of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestField {
    /// Its name.
    pub name: &'static str,
    /// What can be written for it.
    pub shape: TestShape,
    /// What it means, in a sentence.
    pub doc: &'static str,
    /// Whether it is required.
    pub is_required: bool,
    /// What it is about.
    pub part: Part,
}

const fn field(part: Part, name: &'static str, shape: TestShape, doc: &'static str) -> TestField {
    TestField { name, shape, doc, is_required: false, part }
}

const fn other(name: &'static str, shape: TestShape, doc: &'static str) -> TestField {
    field(Part::Other, name, shape, doc)
}

const fn required(it: TestField) -> TestField {
    TestField { is_required: true, ..it }
}

const fn moment(name: &'static str, shape: TestShape, doc: &'static str) -> TestField {
    field(Part::Moment, name, shape, doc)
}

const fn holds(name: &'static str, shape: TestShape, doc: &'static str) -> TestField {
    field(Part::Expectation, name, shape, doc)
}

const fn done(name: &'static str, shape: TestShape, doc: &'static str) -> TestField {
    field(Part::Deed, name, shape, doc)
}

const TREE: TestField = other(
    "tree",
    TestShape::Tree,
    "The file of the tree, from the folder of the test file. A case can name another than the file.",
);
const SEED: TestField = other("seed", TestShape::Whole, "The seed of all random numbers. Without it 1.");
const DT: TestField = other("dt", TestShape::Seconds, "How long a tick is. Without it 0.1 s.");
const WORLD: TestField = other(
    "world",
    TestShape::Bool,
    "Whether the case is played in the world of the program, with the leaves of the game.",
);
const LEAVES: TestField = other(
    "leaves",
    TestShape::Answers,
    "What leaves answer, by their names or by those of nodes: `{ \"Flee\": Success(after: 2.0), \"Sees\": true }`.",
);

/// The fields of a test file.
pub const TEST_FILE: &[TestField] = &[
    required(other("version", TestShape::Whole, "The version of the format: 1.")),
    TREE,
    SEED,
    DT,
    WORLD,
    LEAVES,
    required(other("cases", TestShape::Cases, "What is tested.")),
];

/// The fields of a case.
pub const TEST_CASE: &[TestField] = &[
    required(other("steps", TestShape::Steps, "What happens, in the order of time.")),
    LEAVES,
    other("never", TestShape::Nodes, "Nodes that must not start."),
    other("always", TestShape::Exprs, "What is true after every tick."),
    other("order", TestShape::Nodes, "Nodes whose first starts come in this order: two or more."),
    other("at_most", TestShape::Counts, "How often nodes may start."),
    other("at_least", TestShape::Counts, "How often nodes must start."),
    other("golden", TestShape::Text, "A file with the whole trace, with which that of the case is compared."),
    other(
        "begin",
        TestShape::Text,
        "A file with a save of the agent, in which the case begins: `pleach replay --into` writes one.",
    ),
    other("others", TestShape::Whole, "How many other agents of the tree are in the group of the agent."),
    other("note", TestShape::Text, "What people should know about the case."),
    TREE,
    SEED,
    DT,
    WORLD,
];

/// The fields of a step.
pub const TEST_STEP: &[TestField] = &[
    moment("at", TestShape::Seconds, "The step is at this time from the start."),
    moment("tick", TestShape::Whole, "The step is after this tick."),
    moment("after", TestShape::Seconds, "The step is so long after the one before it."),
    moment(
        "within",
        TestShape::Seconds,
        "The step is as soon as all holds, and at most so long after the one before it.",
    ),
    holds("running", TestShape::Nodes, "Nodes that run."),
    holds("not_running", TestShape::Nodes, "Nodes that do not run."),
    holds("started", TestShape::Nodes, "Nodes that have started since the step before."),
    holds("succeeded", TestShape::Nodes, "Nodes that have succeeded since the step before."),
    holds("failed", TestShape::Nodes, "Nodes that have failed since the step before."),
    holds(
        "aborted",
        TestShape::Aborts,
        "Which node was aborted since the step before, and by which condition or by one in which node.",
    ),
    holds("emitted", TestShape::EventNames, "Events that the tree has given to the game since the step before."),
    holds("expect", TestShape::Exprs, "What is true."),
    holds("keys", TestShape::Keys, "What keys hold."),
    holds("status", TestShape::Status, "How the whole tree ended last, or that it runs."),
    done("set", TestShape::Keys, "Keys get these values."),
    done("send", TestShape::Events, "The agent gets these events."),
    done("fill", TestShape::Slots, "Slots get other trees."),
    done("answer", TestShape::Answers, "Leaves answer something else from now on."),
    done("do", TestShape::Turns, "The agent is paused, carries on, or starts again."),
    done("dt", TestShape::Seconds, "Ticks take so long from now on. The steps of the case are then at ticks."),
    done("others", TestShape::Others, "The same is done to all other agents."),
];

/// What a step can do to other agents.
pub const TEST_OTHERS: [&str; 3] = ["set", "send", "fill"];

/// What leaves answer.
pub(crate) const ANSWERS: &[&str] = &["Success", "Failure", "Running", "true", "false", "Own"];
