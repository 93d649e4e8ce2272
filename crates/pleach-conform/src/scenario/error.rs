//! What can be wrong with a scenario.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

/// Why a text is not a scenario: where, and what.
#[derive(Debug, Error)]
#[error("{}{}{problem}", file.as_ref().map(|f| format!("{}: ", f.display())).unwrap_or_default(), At(at))]
pub struct ScenarioError {
    /// The file, when it was read from one.
    pub file: Option<PathBuf>,
    /// The field, as in `tree.children[1].abort`; empty for the whole.
    pub at: String,
    /// What is wrong.
    #[source]
    pub problem: Problem,
}

struct At<'a>(&'a str);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "{}: ", self.0) }
    }
}

/// What is wrong with a scenario.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    File(std::io::Error),
    /// The text is not JSON.
    #[error("not JSON: {0}")]
    Json(serde_json::Error),
    /// A required field is missing.
    #[error("field `{0}` is missing")]
    Missing(&'static str),
    /// A field is not allowed.
    #[error("unknown field `{field}`; here stand: {allowed}")]
    UnknownField {
        /// The field.
        field: String,
        /// The allowed fields.
        allowed: String,
    },
    /// A field has the wrong kind of value.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What was expected.
        expected: String,
        /// What was found, as JSON.
        found: String,
    },
    /// There is no node type of that name.
    #[error("there is no node type `{0}`")]
    UnknownType(String),
    /// A composite without children, or a decorator with any other number than one.
    #[error("`{node}` has {must}, here are {found}")]
    Children {
        /// The node type.
        node: String,
        /// How many there must be.
        must: &'static str,
        /// How many there are.
        found: usize,
    },
    /// A list with one entry per child has another length.
    #[error("{found} for {children} children")]
    Length {
        /// Its length.
        found: usize,
        /// Their number.
        children: usize,
    },
    /// A condition that has no script.
    #[error("`conditions` has no script `{0}`")]
    NoScript(String),
    /// Two nodes that would share a script.
    #[error("two nodes are named `{0}`, which selects a script")]
    SameName(String),
    /// A key that is not declared.
    #[error("`keys` has no `{0}`")]
    NoKey(String),
    /// An expression that cannot be read, or does not fit.
    #[error("in \"{expr}\": {what}")]
    Expr {
        /// The expression.
        expr: String,
        /// What is wrong with it.
        what: String,
    },
    /// A value, or an expression, of the wrong type.
    #[error("must be {must}, is {is}")]
    Type {
        /// What it must be.
        must: &'static str,
        /// What it is.
        is: &'static str,
    },
    /// A value that is well-formed but out of range.
    #[error("{0}")]
    Value(String),
}
