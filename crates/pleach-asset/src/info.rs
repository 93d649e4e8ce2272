//! What is known of a leaf, for tools that list, write or check assets.

use std::fmt;

use pleach_core::{Type, schema::Access};

use crate::float_expr;
use crate::parameter::{FnParameter, ParameterType};

/// What is known of a leaf of a registry.
///
/// For a function with `#[leaf]`, everything. For a struct, its name, its kind, the documentation
/// of its `impl` with `#[leaf]`, and the parameters that serde asks for. Nothing is guessed: what
/// is unknown says so.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeafInfo {
    /// Its name in assets.
    pub name: String,
    /// Whether it is an action or a condition.
    pub kind: LeafKind,
    /// Its documentation.
    pub doc: String,
    /// Its parameters in the order in which they can be written without their names; `None` if they
    /// are not known.
    pub parameters: Option<Vec<ParameterInfo>>,
}

/// Whether a leaf is an action or a condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LeafKind {
    /// It does something.
    Action,
    /// It answers a question.
    Condition,
    /// It is one of the two; which one is known only when a leaf is made.
    #[default]
    Unknown,
}

/// A parameter of a leaf, for tools.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParameterInfo {
    /// Its name in assets.
    pub name: String,
    /// What can be written for it.
    pub ty: ValueType,
    /// Whether it has to be written, and what holds if it is not.
    pub presence: Presence,
    /// For a key or an event that it names, what the leaf does with it; `None` if that is not
    /// known. Receiving an event reads it, sending it writes it.
    pub access: Option<Access>,
    /// Its documentation.
    pub doc: String,
}

/// Whether a parameter has to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// It has to be.
    Required,
    /// It can be left out; what holds then is not known.
    Optional,
    /// It can be left out, and then has this value, as an asset would write it.
    Default(String),
    /// Whether it has to be is not known.
    #[default]
    Unknown,
}

/// What can be written for a parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueType {
    /// It is not known, or up to the host.
    #[default]
    Unknown,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// A character: `'a'`.
    Char,
    /// A string.
    Text,
    /// A word of a symbol key, as a string.
    Word,
    /// One of these words, as a string.
    OneOf(Vec<String>),
    /// A variant of an enum, by one of these names, which have no quotes: `Loop`, perhaps with
    /// values of its own: `Run(factor: 2.0)`.
    Variant(Vec<String>),
    /// The name of an event that the tree knows, as a string.
    Event,
    /// The name of a key of that type, as a string.
    Key(Type),
    /// A number, or a string with an expression that gives one.
    FloatExpr,
    /// One of these, or nothing.
    Option(Box<ValueType>),
    /// A list of these.
    List(Box<ValueType>),
    /// An array of exactly this many.
    Array(Box<ValueType>, usize),
}

impl LeafInfo {
    /// A leaf without documentation and parameters, to fill in: for
    /// [`Registry::described`](crate::Registry::described).
    #[must_use]
    pub fn new(name: impl Into<String>, kind: LeafKind) -> Self {
        LeafInfo { name: name.into(), kind, doc: String::new(), parameters: Some(Vec::new()) }
    }

    /// A leaf of which only the name is known.
    pub(crate) fn named(name: &str) -> Self {
        LeafInfo { name: name.into(), kind: LeafKind::Unknown, doc: String::new(), parameters: None }
    }

    /// The parameter of that name.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&ParameterInfo> {
        self.parameters.iter().flatten().find(|it| it.name == name)
    }
}

impl LeafKind {
    /// Whether a condition stands for it, at a place where one has to stand or not.
    pub(crate) fn is_condition(self, is_test: bool) -> bool {
        match self {
            LeafKind::Condition => true,
            LeafKind::Action => false,
            LeafKind::Unknown => is_test,
        }
    }

    /// The kind of a condition or an action, or of a leaf not known to be either.
    pub(crate) fn of(is_condition: Option<bool>) -> Self {
        match is_condition {
            Some(true) => LeafKind::Condition,
            Some(false) => LeafKind::Action,
            None => LeafKind::Unknown,
        }
    }
}

impl ParameterInfo {
    /// A parameter that has to be written, without documentation, to fill in.
    #[must_use]
    pub fn new(name: impl Into<String>, ty: ValueType) -> Self {
        ParameterInfo { name: name.into(), ty, presence: Presence::Required, access: None, doc: String::new() }
    }

    pub(crate) fn named(name: &str) -> Self {
        let (ty, presence) = (ValueType::Unknown, Presence::Unknown);
        ParameterInfo { name: name.into(), ty, presence, access: None, doc: String::new() }
    }

    /// What serde asks for.
    pub(crate) fn asked(name: &str, ty: ValueType, presence: Presence) -> Self {
        // An expression writes nothing.
        let access = (ty == ValueType::FloatExpr).then_some(Access::Read);
        ParameterInfo { ty, presence, access, ..ParameterInfo::named(name) }
    }

    /// A function's parameter.
    pub(crate) fn of(parameter: &FnParameter, presence: Presence) -> Self {
        let FnParameter { name, ty, doc, reads, writes } = *parameter;
        // An expression writes nothing.
        let reads = reads || ty == ParameterType::FloatExpr;
        let access = match (reads, writes) {
            (true, true) => Some(Access::ReadWrite),
            (true, false) => Some(Access::Read),
            (false, true) => Some(Access::Write),
            (false, false) => None,
        };
        ParameterInfo { name: name.into(), ty: ty.into(), presence, access, doc: doc.into() }
    }
}

impl From<ParameterType> for ValueType {
    fn from(it: ParameterType) -> Self {
        let of = |it: &ParameterType| Box::new(ValueType::from(*it));
        match it {
            ParameterType::Bool => ValueType::Bool,
            ParameterType::Int => ValueType::Int,
            ParameterType::Float => ValueType::Float,
            ParameterType::Char => ValueType::Char,
            ParameterType::Text => ValueType::Text,
            ParameterType::Word => ValueType::Word,
            ParameterType::OneOf(words) => ValueType::OneOf(words.iter().map(|it| (*it).into()).collect()),
            ParameterType::Event => ValueType::Event,
            ParameterType::Key(ty) => ValueType::Key(ty),
            ParameterType::FloatExpr => ValueType::FloatExpr,
            ParameterType::Option(it) => ValueType::Option(of(it)),
            ParameterType::List(it) => ValueType::List(of(it)),
            ParameterType::Array(it, count) => ValueType::Array(of(it), count),
            ParameterType::Other => ValueType::Unknown,
        }
    }
}

/// In words: `a number`.
impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueType::Unknown => f.write_str("anything the game accepts"),
            ValueType::Bool => f.write_str("true or false"),
            ValueType::Int => f.write_str("a whole number"),
            ValueType::Float => f.write_str("a number"),
            ValueType::Char => f.write_str("a character"),
            ValueType::Text => f.write_str("a string"),
            ValueType::Word => f.write_str("a word"),
            ValueType::OneOf(words) => write!(f, "one of `{}`", words.join("`, `")),
            ValueType::Variant(names) => write!(f, "one of `{}`, without quotes", names.join("`, `")),
            ValueType::Event => f.write_str("the name of an event"),
            ValueType::Key(ty) => write!(f, "the name of a key of type {ty}"),
            ValueType::FloatExpr => f.write_str(float_expr::EXPECTED),
            ValueType::Option(it) => write!(f, "{it}, or nothing"),
            ValueType::List(it) => write!(f, "a list, each item {it}"),
            ValueType::Array(it, count) => write!(f, "{count} values, each {it}"),
        }
    }
}
