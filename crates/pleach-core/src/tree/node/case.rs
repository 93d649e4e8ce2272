//! [`Case`]: a value for which a switch has a child.

use std::fmt;

use crate::Type;

/// A value for which a switch has a child.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Case {
    /// A bool.
    Bool(bool),
    /// An int.
    Int(i64),
    /// A symbol, by its word.
    Word(String),
}

impl Case {
    /// Its type.
    #[must_use]
    pub fn ty(&self) -> Type {
        match self {
            Case::Bool(_) => Type::Bool,
            Case::Int(_) => Type::Int,
            Case::Word(_) => Type::Symbol,
        }
    }
}

impl From<bool> for Case {
    fn from(it: bool) -> Self {
        Case::Bool(it)
    }
}

impl From<i64> for Case {
    fn from(it: i64) -> Self {
        Case::Int(it)
    }
}

impl From<i32> for Case {
    fn from(it: i32) -> Self {
        Case::Int(it.into())
    }
}

impl From<&str> for Case {
    fn from(it: &str) -> Self {
        Case::Word(it.into())
    }
}

impl From<String> for Case {
    fn from(it: String) -> Self {
        Case::Word(it)
    }
}

/// As it would be written: `true`, `7`, `alert`.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Case::Bool(it) => it.fmt(f),
            Case::Int(it) => it.fmt(f),
            Case::Word(it) => f.write_str(it),
        }
    }
}
