//! What can be wrong with a tree. Validation reports all problems at once.

mod token;

mod having;

use std::fmt;
use std::ops::Range;

use pleach_expr::expr::ExprErrorKind;
use pleach_expr::names::Help;

use super::node::Case;
pub use token::TokenProblem;

use crate::blackboard::{EventError, KeyProblem, SchemaError, Scope};
use crate::limits::{
    MAX_DEPTH, MAX_INSTANCE_DEPTH, MAX_INSTANCES, MAX_NAME, MAX_NODES, MAX_ORDERED_CHILDREN, MAX_PROBLEMS, MAX_SECONDS,
};
use crate::{NodeId, Type, text};

/// How much of an expression a problem quotes.
const MAX_SHOWN_EXPR: usize = 60;

/// One thing that is wrong with a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What is wrong.
    pub kind: ProblemKind,
    /// The node, by its index in pre-order; `None` for the tree as a whole.
    pub node: Option<NodeId>,
    /// The node's path, for people: `guard/fight[1]/MoveTo[0]`.
    pub path: String,
    /// The origin that the node was built with, if any.
    pub origin: Option<u32>,
    /// The part of the node or tree that the problem is about; `None` for the whole of it.
    pub field: Option<Field>,
    /// The bytes of that field's text that are wrong, if it is an expression.
    pub span: Option<Range<usize>>,
}

/// A part of a node, or of a tree, that a problem is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Field {
    /// The node's name.
    Name,
    /// The node's id.
    Id,
    /// The node's abort type.
    Abort,
    /// A parameter, as it is called in assets.
    Param(&'static str),
    /// One item of a parameter that is a list, by its place from 0.
    Item(&'static str, usize),
    /// The interval of a service, by the place of the service from 0.
    Service(usize),
    /// The jitter of a service, by the place of the service from 0.
    Jitter(usize),
    /// The declaration of a key: by the node, if the scope is [`Scope::Node`], else by the tree.
    Key(Scope, String),
    /// The tree's, or an instance's, declaration of an event.
    Event(String),
    /// The binding of a port of an instance.
    Port(String),
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Field::Name => f.write_str("`name`"),
            Field::Id => f.write_str("`id`"),
            Field::Abort => f.write_str("`abort`"),
            Field::Param(name) => write!(f, "`{name}`"),
            Field::Item(list, at) => write!(f, "`{list}[{at}]`"),
            Field::Service(at) => write!(f, "`services[{at}]`"),
            Field::Jitter(at) => write!(f, "`jitter` of `services[{at}]`"),
            Field::Key(scope, name) => write!(f, "{scope} key `{name}`"),
            Field::Event(name) => write!(f, "event `{name}`"),
            Field::Port(name) => write!(f, "port `{name}`"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        if let Some(field) = &self.field {
            write!(f, "{field}: ")?;
        }
        write!(f, "{}", self.kind)
    }
}

/// What can be wrong.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// A composite without children.
    NoChildren {
        /// The kind of the node.
        kind: String,
    },
    /// A decorator with any other number of children than one, or a leaf with children.
    ChildCount {
        /// The kind of the node.
        kind: String,
        /// How many it takes.
        wanted: usize,
        /// How many it has.
        found: usize,
    },
    /// More than [`MAX_NODES`] nodes.
    TooManyNodes(usize),
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep(usize),
    /// More than [`MAX_INSTANCES`] instances.
    TooManyInstances,
    /// More than [`MAX_INSTANCE_DEPTH`] instances inside each other.
    InstancesTooDeep,
    /// Two instances of one name have keys of one name.
    InstancesAlike {
        /// The full name that both would have.
        key: String,
    },
    /// More than [`MAX_NODES`] leaves of the host, services and guards' conditions included.
    TooManyLeaves,
    /// An abort type on a node that is not a composite.
    AbortWithoutComposite {
        /// The kind of the node.
        kind: String,
    },
    /// A service on a node that is not a composite.
    ServiceWithoutComposite {
        /// The kind of the node.
        kind: String,
    },
    /// A condition as a service.
    ConditionAsService,
    /// A node in the `do` of a Finally that is not an action, or may take time.
    NotInstant {
        /// Its kind.
        kind: String,
    },
    /// An action as a guard's `when`.
    ActionAsTest,
    /// A policy of a parallel that can never be met, or is always met.
    Policy {
        /// What was asked for.
        wanted: u16,
        /// How many children there are.
        children: usize,
    },
    /// Not one weight or score per child.
    Count {
        /// How many there are.
        found: usize,
        /// How many children there are.
        children: usize,
    },
    /// More children than [`MAX_ORDERED_CHILDREN`].
    TooManyOrdered(usize),
    /// A switch without a case: it could only fail, or run its default.
    NoCases,
    /// A switch on a value that has no cases.
    SwitchType(Type),
    /// A case of a different type than the switch's value.
    CaseType {
        /// The case.
        case: Case,
        /// The type that the switch is on.
        on: Type,
    },
    /// A case that equals an earlier one.
    DoubledCase(Case),
    /// A weight below zero, NaN or infinite.
    Weight(f64),
    /// Weights whose sum is infinite: nothing could be drawn.
    WeightSum,
    /// A duration that is NaN, infinite, or longer than [`MAX_SECONDS`].
    Duration(f64),
    /// A jitter below zero, NaN, infinite, or longer than [`MAX_SECONDS`].
    Jitter(f64),
    /// An inertia that is below zero, NaN, or more than a 32-bit float can hold.
    Inertia(f64),
    /// An inertia without `reevaluate`, which would have no effect.
    InertiaAlone,
    /// A jitter that is more than the literal span it applies to.
    JitterAboveSpan {
        /// The jitter.
        jitter: f64,
        /// The span, in seconds.
        seconds: f64,
    },
    /// An option of a node whose kind has no such option.
    NoOption {
        /// The kind of the node.
        kind: String,
        /// The option, by its field in assets, or else its method.
        option: &'static str,
    },
    /// An option that was given twice.
    OptionTwice {
        /// The option.
        option: &'static str,
    },
    /// A guard's condition, a service or the result of `deferred` is neither an action nor a
    /// condition of the host.
    NotALeaf {
        /// Its kind.
        kind: String,
    },
    /// A guard's condition, a service or the result of `deferred` has something that only a full
    /// node can have.
    PartOfNode {
        /// Its kind.
        kind: String,
        /// What that is, as assets call it.
        what: &'static str,
    },
    /// An expression of another type where a number is needed.
    NotANumber {
        /// The expression.
        expr: String,
        /// The type that is needed.
        expected: Type,
        /// The type that it has.
        found: Type,
    },
    /// A probability outside 0 to 1.
    Probability(f64),
    /// A key that a roll cannot write.
    RollType(Type),
    /// An end of a roll that is NaN, infinite or too large for a Float.
    RollEnd(f64),
    /// A roll with two constant ends, of which `to` is below `from`.
    RollOrder {
        /// The first end.
        from: String,
        /// The other end.
        to: String,
    },
    /// A repeat with no rounds.
    NoRounds,
    /// Something about a token.
    Token(TokenProblem),
    /// An attempt count of zero.
    NoAttempts,
    /// A name, id or event name that is empty or longer than [`MAX_NAME`].
    BadName(String),
    /// Two nodes with the same id.
    DoubledId {
        /// The id.
        id: String,
        /// The path of the other node.
        other: String,
    },
    /// An expression does not compile.
    Expr(ExprErrorKind),
    /// A key cannot be declared or found.
    Key(SchemaError),
    /// The tree does not have a key that the game relies on.
    Need(Box<KeyProblem>),
    /// An event is not known, comes with another payload, or is declared wrongly.
    Event(EventError),
    /// A deferred leaf cannot be made, for a reason of the host.
    Leaf(String),
    /// A condition observes a key that this tree does not have.
    Observes,
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProblemKind::NoChildren { kind } => write!(f, "{kind} needs at least one child"),
            ProblemKind::ChildCount { kind, wanted, found } => write!(
                f,
                "{kind} takes {}, but has {found}",
                if *wanted == 0 { "no children" } else { "exactly one child" }
            ),
            ProblemKind::TooManyNodes(it) => write!(f, "the tree has {it} nodes, the most is {MAX_NODES}"),
            ProblemKind::TooDeep(it) => write!(f, "nested {it} levels deep, the most is {MAX_DEPTH}"),
            ProblemKind::TooManyInstances => write!(f, "the tree has more than {MAX_INSTANCES} instances"),
            ProblemKind::InstancesTooDeep => write!(f, "more than {MAX_INSTANCE_DEPTH} instances inside each other"),
            ProblemKind::InstancesAlike { key } => {
                let name = key.rsplit_once('.').map_or("", |it| it.0);
                write!(
                    f,
                    "another instance is called `{name}` too, and both have keys: give one of them another `name`"
                )
            }
            ProblemKind::TooManyLeaves => write!(f, "more than {MAX_NODES} host leaves, services and tests together"),
            ProblemKind::AbortWithoutComposite { kind } => {
                write!(f, "{kind} is not a composite: only composites have an abort type")
            }
            ProblemKind::ServiceWithoutComposite { kind } => {
                write!(f, "{kind} is not a composite: only composites have services")
            }
            ProblemKind::ConditionAsService => f.write_str("a condition cannot be a service: use an action"),
            ProblemKind::NotInstant { kind } => write!(
                f,
                "{kind} cannot stand in `do`: use actions that are done at once, as Set, Log, Emit, or your own"
            ),
            ProblemKind::ActionAsTest => f.write_str("an action cannot be a test: use a condition or an expression"),
            ProblemKind::Policy { wanted, children } => {
                write!(f, "`AtLeast({wanted})` is impossible with {children} children: use 1 to {children}")
            }
            ProblemKind::Count { found, children } => {
                write!(f, "there are {found} for {children} children: give one for each child")
            }
            ProblemKind::TooManyOrdered(it) => {
                write!(f, "{it} children, the most for a random or utility composite is {MAX_ORDERED_CHILDREN}")
            }
            ProblemKind::NoCases => f.write_str("a switch needs at least one case"),
            ProblemKind::SwitchType(it) => {
                write!(f, "a switch chooses by a Bool, an Int or a Symbol, but this is of type {it}")
            }
            ProblemKind::CaseType { case, on } => {
                write!(f, "the case `{case}` is of type {}, but `on` is of type {on}", case.ty())
            }
            ProblemKind::DoubledCase(it) => write!(f, "the case `{it}` appears twice"),
            ProblemKind::Weight(it) => write!(f, "the weight {it} is not a finite number of at least 0"),
            ProblemKind::WeightSum => {
                f.write_str("the weights add up to more than a number can hold: use smaller ones")
            }
            ProblemKind::Duration(it) => {
                write!(f, "{it} is not a duration: use a finite number of seconds, at most {MAX_SECONDS:e}")
            }
            ProblemKind::Jitter(it) => {
                write!(f, "{it} is not a jitter: use a number of seconds from 0 to {MAX_SECONDS:e}")
            }
            ProblemKind::Inertia(it) => write!(f, "{it} is not an inertia: use a number from 0 to 3.4e38"),
            ProblemKind::InertiaAlone => {
                f.write_str("`inertia` has no effect without `reevaluate`: add `reevaluate: true`, or remove it")
            }
            ProblemKind::JitterAboveSpan { jitter, seconds } => {
                write!(
                    f,
                    "the jitter, {jitter} s, is longer than the time that it varies, {seconds} s: use at most that"
                )
            }
            ProblemKind::NoOption { kind, option } => {
                write!(f, "{kind} has no `{option}`: only {} can have it", having::having(option))
            }
            ProblemKind::OptionTwice { option } => write!(f, "`{option}` is given twice: once is enough"),
            ProblemKind::NotALeaf { kind } => {
                write!(f, "{kind} is not allowed here: use an action or a condition of the host")
            }
            ProblemKind::PartOfNode { kind, what } => {
                write!(f, "{kind} is a part of this node here, so it cannot have its own `{what}`: give it to the node")
            }
            ProblemKind::NotANumber { expr, expected, found } => {
                let wanted = if *expected == Type::Int { "an Int" } else { "a Float or an Int" };
                write!(f, "`{}` is of type {found}: use {wanted}", text::plain(&text::shorten(expr, MAX_SHOWN_EXPR)))
            }
            ProblemKind::Probability(it) => write!(f, "{it} is not a probability: use a number from 0 to 1"),
            ProblemKind::RollType(it) => {
                write!(f, "a roll writes a key that is an Int or a Float, and this is of type {it}")
            }
            ProblemKind::RollEnd(it) => {
                write!(f, "{it:?} cannot be drawn: use a finite number that a Float can hold")
            }
            ProblemKind::RollOrder { from, to } => write!(f, "{to} is below `from`, {from}: swap them"),
            ProblemKind::NoAttempts => {
                f.write_str("a count of 0 makes no sense here: use at least 1, or leave out `count`")
            }
            ProblemKind::NoRounds => f.write_str("a count of 0 makes no sense here: use at least 1, or `forever`"),
            ProblemKind::Token(it) => write!(f, "{it}"),
            ProblemKind::BadName(it) => write!(f, "{it:?} cannot be a name: it must have 1 to {MAX_NAME} bytes"),
            ProblemKind::DoubledId { id, other } => write!(f, "the id {id:?} is already used by {other}"),
            ProblemKind::Expr(it) => write!(f, "{it}"),
            ProblemKind::Key(it) => write!(f, "{it}"),
            ProblemKind::Need(it) => write!(f, "{it}"),
            ProblemKind::Event(it) => write!(f, "{it}"),
            ProblemKind::Leaf(it) => write!(f, "{it}"),
            ProblemKind::Observes => f.write_str("a condition can only observe keys of its own tree"),
        }
    }
}

impl std::error::Error for ProblemKind {}

impl ProblemKind {
    /// Takes out what to do about it, for callers that show that in another place: the rest only
    /// says what is wrong.
    pub fn take_help(&mut self) -> Option<Help> {
        match self {
            ProblemKind::Expr(error) => error.take_help(),
            ProblemKind::Key(error) => error.take_help(),
            ProblemKind::Need(problem) => problem.take_help(),
            ProblemKind::Event(error) => error.take_help(),
            ProblemKind::Token(TokenProblem::Unknown { help, .. }) => help.take(),
            _ => None,
        }
    }
}

/// Everything that is wrong with a tree, in the order of its nodes.
#[derive(Clone, PartialEq)]
pub struct TreeError {
    /// At most [`MAX_PROBLEMS`]; none only if the makers of leaves reported all of them.
    pub problems: Vec<Problem>,
    /// How many more there are.
    pub more: usize,
    /// How many others the makers of leaves reported: [`LeafError::Told`](super::LeafError::Told).
    pub told: usize,
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.problems.len() + self.more + self.told;
        write!(f, "the tree has {count} problem{}", if count == 1 { "" } else { "s" })?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        if self.more > 0 {
            write!(f, "\n  ... and {} more", self.more)?;
        }
        if self.told > 0 {
            write!(f, "\n  {} of them were reported by the code that made the leaves", self.told)?;
        }
        Ok(())
    }
}

/// Problems as they are found: the first [`MAX_PROBLEMS`] are kept, and the rest are counted.
#[derive(Debug, Default)]
pub(super) struct Problems {
    kept: Vec<Problem>,
    /// The latest of the counted ones, as its reporter may have more to add to it.
    spare: Option<Problem>,
    more: usize,
    told: usize,
}

impl Problems {
    pub(super) fn push(&mut self, problem: Problem) {
        if self.is_full() {
            self.spare = Some(problem);
            self.more += 1;
        } else {
            self.kept.push(problem);
        }
    }

    /// Whether the next one is only counted.
    pub(super) fn is_full(&self) -> bool {
        self.kept.len() >= MAX_PROBLEMS
    }

    /// Counts problems that are reported in another way; at least one, or there would be no error.
    pub(super) fn told_elsewhere(&mut self, count: usize) {
        self.told += count.max(1);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    pub(super) fn count(&self) -> usize {
        self.kept.len() + self.more + self.told
    }

    /// The one that was pushed last.
    pub(super) fn last_mut(&mut self) -> Option<&mut Problem> {
        self.spare.as_mut().or(self.kept.last_mut())
    }

    /// In node order.
    pub(super) fn into_error(mut self) -> TreeError {
        // Stable: several problems of one node stay in the order in which its parameters were
        // checked.
        self.kept.sort_by_key(|it| it.node);
        TreeError { problems: self.kept, more: self.more, told: self.told }
    }
}

impl fmt::Debug for TreeError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for TreeError {}
