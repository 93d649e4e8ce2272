//! The model of a conformance scenario: a tree, a script for its leaves, the calls made to the
//! agent, the trace.
//!
//! `trees/conformance/FORMAT.md` describes the file format, and this model mirrors it. Where types
//! allow it, shapes that the format forbids (a decorator with two children, a leaf with one) cannot
//! be written.

mod amount;
mod check;
mod error;
pub(crate) mod expand;
mod fields;
mod files;
mod node;
mod read;
mod scan;
mod write;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use pleach_core::limits::MAX_DEPTH;

pub use crate::keys::{Key, KeyName, Keys, Scope, Value, ValueType, Values};
use crate::stack;
pub use amount::{Amount, Jittered};
pub use error::{Problem, ScenarioError};
pub use files::{Direction, File, Filling, Given, Hole, Port, Slot, Subtree, Takes, Written};
pub use node::{Abort, CompositeKind, DecoratorKind, Ending, LeafKind, Node, Policy, Service, Shape, Test, Token};

/// One scenario file.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The file's name without its number.
    pub name: String,
    /// What it shows, for readers.
    pub about: String,
    /// The tree in short notation, for readers.
    pub notation: Option<String>,
    /// The state of the agent's random stream when it is made.
    pub seed: u64,
    /// The blackboard.
    pub keys: Keys,
    /// The declared events, each with the type of its payload; `None` if any event is known.
    pub events: Option<Events>,
    /// Whether the agent is in a group with another agent, whose tree knows any event.
    pub squad: bool,
    /// Whether that other agent's tree knows no event of the scenario instead.
    pub stranger: bool,
    /// The tree without the interrupts, see [`Scenario::root`]. Files replace its subtrees.
    pub tree: Node,
    /// The branches before the tree: see [`Scenario::root`].
    pub interrupts: Vec<Interrupt>,
    /// The scripts of the conditions, by name.
    pub conditions: BTreeMap<String, ConditionScript>,
    /// The scripts of the actions, by name; an action without one takes [`ActionScript::default`].
    pub actions: BTreeMap<String, ActionScript>,
    /// The calls made between ticks, in file order.
    pub ops: Vec<TimedCall>,
    /// How many ticks are run.
    pub ticks: u32,
    /// The expected lines; empty in a generated scenario.
    pub trace: Vec<String>,
    /// The source, if there are files: see [`Scenario::as_written`].
    pub written: Option<Box<Written>>,
}

/// Events by their names, each with the type of its payload, or `None` if it has none.
pub type Events = BTreeMap<String, Option<ValueType>>;

/// A branch before the tree that aborts it.
#[derive(Clone, Debug, PartialEq)]
pub struct Interrupt {
    /// While this holds, the branch may run.
    pub test: Test,
    /// The branch.
    pub run: Node,
}

/// How a node ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// `S`
    Success,
    /// `F`
    Failure,
}

/// What an update returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// `S`
    Success,
    /// `F`
    Failure,
    /// `R`
    Running,
}

/// What a condition returns, and when it is evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionScript {
    /// One result per tick; the last one repeats. Never empty.
    pub results: Vec<Status>,
    /// `"every"`: the host declares that it is evaluated every this many seconds.
    pub every: Option<i32>,
}

/// What an action does, counted from each of its starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionScript {
    /// The update that returns the result, 1-based; 0: none.
    pub ticks: u32,
    /// The result of the first start, of the second, and so on, repeating. Never empty.
    pub results: Vec<Outcome>,
}

/// A call made between two ticks.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedCall {
    /// The number of the tick that comes next, 1-based.
    pub before: u32,
    /// What is called.
    pub call: Call,
}

/// What is called between two ticks.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// `enable`
    Enable,
    /// `disable`
    Disable,
    /// `restart`
    Restart,
    /// `pause`
    Pause,
    /// `unpause`
    Unpause,
    /// `set`
    Set {
        /// The key that is written, which may begin with its scope.
        key: String,
        /// Of the key's type.
        value: Value,
    },
    /// `event`
    Event {
        /// The name of the event.
        event: String,
        /// Its payload.
        payload: Option<Value>,
    },
    /// `rate`
    Rate {
        /// The frames from one turn to the next. 0: no turns.
        frames: u32,
    },
    /// `budget`
    Budget {
        /// How many agents the next tick may tick.
        agents: u32,
    },
    /// `panic`
    Panic,
    /// `fill`
    Fill {
        /// The slot, after the names of the instances around it.
        slot: String,
        /// The new content.
        word: String,
        /// Whose slot.
        of: Whose,
    },
    /// `replace`: for all agents of the tree.
    Replace {
        /// The new tree, without the interrupts.
        tree: Box<Node>,
        /// Whether running nodes go on. If not, all agents restart.
        keeps: bool,
    },
    /// `save`: the forest.
    Save,
    /// `restore`: the last save, into a new forest.
    Restore {
        /// The tree there, if it is a new one, without the interrupts.
        tree: Option<Box<Node>>,
    },
}

/// Whose slot is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// That of the agent.
    Agent,
    /// `"of": "group"`: those of all members of its group that have it.
    Group,
    /// `"of": "all"`: those of all agents of the tree.
    All,
}

impl Whose {
    /// All of them.
    pub const ALL: [Whose; 3] = [Whose::Agent, Whose::Group, Whose::All];

    /// As written in `"of"`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Whose::Agent => "agent",
            Whose::Group => "group",
            Whose::All => "all",
        }
    }
}

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// The first problem, with its field. Unknown fields are errors: a typing mistake must not
    /// make a scenario show less than it seems to.
    pub fn from_json(text: &str) -> Result<Scenario, ScenarioError> {
        let nesting = scan::nesting(text)?;
        stack::with_room_for(nesting / 2 + if text.contains("\"files\"") { MAX_DEPTH } else { 0 }, || {
            let scenario = read::scenario(text)?;
            scenario.check()?;
            Ok(scenario)
        })
    }

    /// Reads a scenario file.
    ///
    /// # Errors
    /// As [`Scenario::from_json`], with the file; and when the file cannot be read.
    pub fn load(path: &Path) -> Result<Scenario, ScenarioError> {
        std::fs::read_to_string(path)
            .map_err(|e| ScenarioError { file: None, at: String::new(), problem: Problem::File(e) })
            .and_then(|text| Scenario::from_json(&text))
            .map_err(|e| ScenarioError { file: Some(path.to_path_buf()), ..e })
    }

    /// What [`Scenario::from_json`] checks beyond the shape of the text: for scenarios that were
    /// put together by code.
    ///
    /// # Errors
    /// The first problem: a name without script or key, an expression that is wrong or of the
    /// wrong type, a list that does not match the children, a value out of range, more levels than
    /// a tree can have.
    pub fn check(&self) -> Result<(), ScenarioError> {
        check::scenario(self)
    }

    /// How many levels the running tree has: see [`Scenario::root`].
    #[must_use]
    pub fn levels(&self) -> usize {
        let tree = self.versions().map(Node::depth).max().unwrap_or_default();
        let below = self.interrupts.iter().map(|it| 2 + it.run.depth()).max();
        below.map_or(tree, |it| it.max(1 + tree))
    }

    /// The tree and those that replace it later, in file order, each as written.
    pub fn versions(&self) -> impl Iterator<Item = &Node> {
        let later = self.ops.iter().filter_map(|it| it.call.version());
        std::iter::once(&self.tree).chain(later)
    }

    /// The same as run: see [`Scenario::root`].
    #[must_use]
    pub fn roots(&self) -> Vec<Node> {
        self.versions().map(|it| rooted(it, &self.interrupts)).collect()
    }

    /// Whether some version of the tree sends an event to the group. That is a request, which
    /// waits for the next call if a leaf panics, and until then nothing can be saved (SEMANTICS
    /// 8.6, 11.1).
    pub(crate) fn tells_group(&self) -> bool {
        fn tells(node: &Node) -> bool {
            let here = matches!(node.shape, Shape::Leaf(LeafKind::Emit { to_group: true, .. }));
            here || node.children().iter().any(tells)
        }
        self.roots().iter().any(tells)
    }

    /// The scenario as JSON, one line for the tree and one for each line of the trace.
    /// [`Scenario::from_json`] reads it back to an equal scenario.
    #[must_use]
    pub fn to_json(&self) -> String {
        stack::with_room_for(self.levels(), || write::scenario(&self.as_written()))
    }

    /// The tree that runs and is numbered: with the interrupts before it, if there are any, as
    /// `reactive_selector([guard(test, run)…, tree])`.
    #[must_use]
    pub fn root(&self) -> Node {
        rooted(&self.tree, &self.interrupts)
    }
}

fn rooted(tree: &Node, interrupts: &[Interrupt]) -> Node {
    if interrupts.is_empty() {
        return tree.clone();
    }
    let guard = |i: &Interrupt| Node {
        name: None,
        id: None,
        locals: Vec::new(),
        shape: Shape::Decorator {
            kind: DecoratorKind::Guard { test: i.test.clone(), result: Outcome::Failure },
            children: vec![i.run.clone()],
        },
    };
    Node {
        name: None,
        id: None,
        locals: Vec::new(),
        shape: Shape::Composite {
            kind: CompositeKind::ReactiveSelector,
            abort: Abort::None,
            services: Vec::new(),
            children: interrupts.iter().map(guard).chain([tree.clone()]).collect(),
        },
    }
}

impl Call {
    /// The call's tree, without the interrupts.
    #[must_use]
    pub fn version(&self) -> Option<&Node> {
        match self {
            Call::Replace { tree, .. } => Some(tree),
            Call::Restore { tree } => tree.as_deref(),
            _ => None,
        }
    }

    /// The call, as written in `"op"`.
    #[must_use]
    pub fn op_name(&self) -> &'static str {
        match self {
            Call::Enable => "enable",
            Call::Disable => "disable",
            Call::Restart => "restart",
            Call::Pause => "pause",
            Call::Unpause => "unpause",
            Call::Set { .. } => "set",
            Call::Event { .. } => "event",
            Call::Rate { .. } => "rate",
            Call::Budget { .. } => "budget",
            Call::Panic => "panic",
            Call::Fill { .. } => "fill",
            Call::Replace { .. } => "replace",
            Call::Save => "save",
            Call::Restore { .. } => "restore",
        }
    }
}

/// The call's line in the trace.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.op_name())?;
        match self {
            Call::Enable
            | Call::Disable
            | Call::Restart
            | Call::Pause
            | Call::Unpause
            | Call::Panic
            | Call::Save
            | Call::Restore { .. } => Ok(()),
            Call::Set { key, value } => write!(f, " {key} {value}"),
            Call::Event { event, payload: None } => write!(f, " {event}"),
            Call::Event { event, payload: Some(value) } => write!(f, " {event} {value}"),
            Call::Rate { frames } => write!(f, " {frames}"),
            Call::Budget { agents } => write!(f, " {agents}"),
            Call::Fill { slot, word, of: Whose::Agent } => write!(f, " {slot} {word}"),
            Call::Fill { slot, word, of } => write!(f, " {slot} {word} {}", of.name()),
            Call::Replace { keeps: true, .. } => Ok(()),
            Call::Replace { keeps: false, .. } => write!(f, " restart"),
        }
    }
}

impl Status {
    /// Its letter in scripts and in the trace.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Status::Success => 'S',
            Status::Failure => 'F',
            Status::Running => 'R',
        }
    }
}

impl From<Outcome> for Status {
    fn from(outcome: Outcome) -> Status {
        match outcome {
            Outcome::Success => Status::Success,
            Outcome::Failure => Status::Failure,
        }
    }
}

impl From<Vec<Status>> for ConditionScript {
    /// A script that is evaluated in every pass.
    fn from(results: Vec<Status>) -> ConditionScript {
        ConditionScript { results, every: None }
    }
}

impl ConditionScript {
    /// The result in tick `tick`, 1-based; after the end, the last one repeats.
    ///
    /// # Panics
    /// When the script is empty, which it never is in a scenario that was read or checked.
    #[must_use]
    pub fn at(&self, tick: u32) -> Status {
        let tick = usize::try_from(tick).unwrap_or(usize::MAX).max(1);
        self.results[tick.min(self.results.len()) - 1]
    }
}

impl ActionScript {
    /// What update number `update` after start number `start` returns, both 1-based.
    ///
    /// # Panics
    /// When the script has no results, which never happens in a scenario that was read or checked.
    #[must_use]
    pub fn at(&self, start: u32, update: u32) -> Status {
        if self.ticks == 0 || update < self.ticks {
            return Status::Running;
        }
        let start = usize::try_from(start).unwrap_or(usize::MAX).max(1);
        self.results[(start - 1) % self.results.len()].into()
    }
}

impl Default for ActionScript {
    fn default() -> Self {
        ActionScript { ticks: 1, results: vec![Outcome::Success] }
    }
}
