//! The script language of BehaviorTree.CPP: `a := 1; b = a > 2 ? 'x' : 'y'`.

mod read;
mod write;

pub(crate) use read::{condition, statements};
pub(crate) use write::{At, emit, kind_of};

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Bool(bool),
    /// As it is written; whether it is whole.
    Number(String, bool),
    Text(String),
    Name(String),
    Not(Box<Expr>),
    Minus(Box<Expr>),
    /// An operator as it is written.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// `key = value`, or with another operator in front of the `=`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Assignment {
    pub(crate) key: String,
    pub(crate) value: Expr,
}

impl Expr {
    pub(crate) fn not(self) -> Expr {
        match self {
            Expr::Not(it) => *it,
            other => Expr::Not(Box::new(other)),
        }
    }

    pub(crate) fn and(self, other: Expr) -> Expr {
        if self == other { self } else { Expr::Binary("&&", Box::new(self), Box::new(other)) }
    }

    pub(crate) fn or(self, other: Expr) -> Expr {
        if self == other { self } else { Expr::Binary("||", Box::new(self), Box::new(other)) }
    }
}
