//! Numbers that nodes take: literals, or expressions that are evaluated when the measured time or
//! count begins (SEMANTICS 8.25).

use std::fmt;

use pleach_expr::expr::is_name;

use crate::clock::Span;
use crate::index::{ExprId, SpanId};

/// A number of seconds, or a probability: a literal, or an expression over the blackboard that
/// gives a Float or an Int. The name of a key is the shortest expression.
///
/// ```
/// # use pleach_core::nodes::{sequence, wait};
/// # use pleach_core::{Host, Tree};
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = ();
/// # }
/// let mut builder = Tree::<Game>::builder("nap");
/// builder.key("pause", 1.5_f32);
/// assert!(builder.build(sequence([wait(2.0), wait("pause * 2")])).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// This one.
    Literal(f64),
    /// The value of the expression when it is evaluated.
    Expr(String),
}

/// A number of times or ticks: a literal, or an expression over the blackboard that gives an Int.
/// The name of a key is the shortest expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// This one.
    Literal(u32),
    /// The value of the expression when it is evaluated.
    Expr(String),
}

/// An end of the range of a roll: a literal, or an expression over the blackboard that gives a
/// number of the key's type. The name of a key is the shortest expression.
///
/// ```
/// # use pleach_core::nodes::{roll, sequence};
/// # use pleach_core::{Host, Tree};
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = ();
/// # }
/// let mut builder = Tree::<Game>::builder("dice");
/// builder.key("eyes", 1_i64);
/// builder.key("pause", 0.0_f32);
/// assert!(builder.build(sequence([roll("eyes", 1, 6), roll("pause", 0.5, "eyes")])).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// This whole number, also for a Float key.
    Int(i64),
    /// This number, for a Float key: the nearest of 32 bits.
    Float(f64),
    /// The value of the expression when the node is updated.
    Expr(String),
}

impl From<i64> for Bound {
    fn from(it: i64) -> Self {
        Bound::Int(it)
    }
}

impl From<i32> for Bound {
    fn from(it: i32) -> Self {
        Bound::Int(it.into())
    }
}

impl From<f64> for Bound {
    fn from(it: f64) -> Self {
        Bound::Float(it)
    }
}

impl From<&str> for Bound {
    fn from(it: &str) -> Self {
        Bound::Expr(it.into())
    }
}

impl From<String> for Bound {
    fn from(it: String) -> Self {
        Bound::Expr(it)
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Int(it) => it.fmt(f),
            Bound::Float(it) => it.fmt(f),
            Bound::Expr(it) => it.fmt(f),
        }
    }
}

impl From<f64> for Number {
    fn from(it: f64) -> Self {
        Number::Literal(it)
    }
}

impl From<&str> for Number {
    fn from(it: &str) -> Self {
        Number::Expr(it.into())
    }
}

impl From<String> for Number {
    fn from(it: String) -> Self {
        Number::Expr(it)
    }
}

impl From<u32> for Count {
    fn from(it: u32) -> Self {
        Count::Literal(it)
    }
}

impl From<&str> for Count {
    fn from(it: &str) -> Self {
        Count::Expr(it.into())
    }
}

impl From<String> for Count {
    fn from(it: String) -> Self {
        Count::Expr(it)
    }
}

/// As it is written before a unit: `2`, `pause`, `(pause * 2)`.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Literal(it) => it.fmt(f),
            Number::Expr(it) => before_unit(f, it),
        }
    }
}

/// As it is written before a unit: `2`, `rounds`, `(rounds + 1)`.
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Count::Literal(it) => it.fmt(f),
            Count::Expr(it) => before_unit(f, it),
        }
    }
}

fn before_unit(f: &mut fmt::Formatter<'_>, expr: &str) -> fmt::Result {
    if expr.split('.').all(is_name) { f.write_str(expr) } else { write!(f, "({expr})") }
}

/// The span of a node, compiled. A literal without jitter costs no more than the span itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeSpan {
    Fixed(Span),
    Found(SpanId),
}

/// How to find a span that is not a literal, or has a jitter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpanRule {
    pub(crate) base: Base,
    /// In seconds; 0 is none, and draws nothing.
    pub(crate) jitter: f64,
}

/// A span before its jitter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Base {
    Fixed(Span),
    Expr(ExprId),
}

/// A count of a node, compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeCount {
    Fixed(u32),
    Expr(ExprId),
}

/// A probability of a node, compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NodeChance {
    Fixed(f64),
    Expr(ExprId),
}
