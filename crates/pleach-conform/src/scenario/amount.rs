//! Numbers that nodes take: seconds, counts, probabilities, and the jitter of seconds.

use std::fmt;

use pleach_core::limits::MAX_SECONDS;

use super::fields::{Fields, Json, Spot, error};
use super::{Problem, ScenarioError};

/// A number: a literal, or an expression that gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Amount<T> {
    /// This one.
    Literal(T),
    /// A number, or an int where times or ticks are counted.
    Expr(String),
}

impl<T> Amount<T> {
    /// The expression, if it is one.
    #[must_use]
    pub fn expr(&self) -> Option<&str> {
        match self {
            Amount::Literal(_) => None,
            Amount::Expr(expr) => Some(expr),
        }
    }

    pub(super) fn read(
        spot: &Spot<'_>,
        literal: impl FnOnce(&Spot<'_>) -> Result<T, ScenarioError>,
    ) -> Result<Self, ScenarioError> {
        match spot.json {
            Json::String(expr) => Ok(Amount::Expr(expr.clone())),
            _ => literal(spot).map(Amount::Literal),
        }
    }
}

impl<T: fmt::Debug> Amount<T> {
    /// As JSON.
    pub(super) fn json(&self) -> String {
        match self {
            Amount::Literal(it) => format!("{it:?}"),
            Amount::Expr(expr) => serde_json::Value::from(expr.as_str()).to_string(),
        }
    }
}

/// A number of seconds with an optional jitter.
#[derive(Clone, Debug, PartialEq)]
pub struct Jittered {
    /// Seconds.
    pub ticks: Amount<i32>,
    /// How many seconds longer or shorter they can be; 0: none.
    pub jitter: f64,
}

impl Jittered {
    pub(super) fn read(f: &mut Fields<'_>, name: &'static str) -> Result<Self, ScenarioError> {
        let ticks = seconds(f, name)?;
        Ok(Jittered { ticks, jitter: f.or("jitter", 0.0, |s| s.number())? })
    }

    /// Checks that the jitter is valid.
    pub(super) fn check(&self, at: &str) -> Result<(), ScenarioError> {
        let most = match self.ticks {
            Amount::Literal(ticks) => f64::from(ticks.max(0)),
            Amount::Expr(_) => MAX_SECONDS,
        };
        if (0.0..=most).contains(&self.jitter) {
            return Ok(());
        }
        let what = format!("{:?} is no jitter: from 0 to {most} seconds", self.jitter);
        Err(error(format!("{at}.jitter"), Problem::Value(what)))
    }
}

pub(super) fn seconds(f: &mut Fields<'_>, name: &'static str) -> Result<Amount<i32>, ScenarioError> {
    Amount::read(&f.need(name)?, |s| s.int("a number of seconds"))
}
