//! Checks switches, their value and their cases; and the locals of nodes.

use super::{Checked, Checker, same_type, value_error};
use crate::expr::Expr;
use crate::scenario::fields::error;
use crate::scenario::{Node, Problem, Scope, Value, ValueType};

impl Checker<'_> {
    pub(super) fn switch(&self, at: &str, on: &str, cases: &[Value], children: usize, default: bool) -> Checked {
        let (on_at, cases_at) = (format!("{at}.on"), format!("{at}.cases"));
        let on = match Expr::parse_on(on, &self.scenario.keys) {
            Ok(expr) => expr,
            Err(e) => return Err(error(on_at, Problem::Expr { expr: on.to_owned(), what: e.to_string() })),
        };
        if !matches!(on.value_type(), ValueType::Bool | ValueType::Int | ValueType::Symbol) {
            return Err(error(on_at, Problem::Type { must: "a bool, an int or a symbol", is: on.value_type().name() }));
        }
        if cases.is_empty() {
            return Err(value_error(cases_at, "a switch has one case or more"));
        }
        let wanted = children - usize::from(default);
        if cases.len() != wanted {
            let what = format!("{} cases for {wanted} children without the default", cases.len());
            return Err(value_error(cases_at, what));
        }
        for (i, case) in cases.iter().enumerate() {
            let at = format!("{cases_at}[{i}]");
            same_type(&at, on.value_type(), case.value_type())?;
            if let Value::Symbol(word) = case {
                let keys = on.keys();
                if !self.scenario.keys.iter().any(|(name, key)| keys.contains(&name) && key.words.contains(word)) {
                    return Err(value_error(at, format!("`{word}` is no word of a key that `on` reads")));
                }
            }
            if cases[..i].contains(case) {
                return Err(value_error(at, format!("the case {case} is there twice")));
            }
        }
        Ok(())
    }

    /// The keys that a node resets: keys of the agent, each once.
    pub(super) fn locals(&self, at: &str, node: &Node) -> Checked {
        for (i, key) in node.locals.iter().enumerate() {
            let at = format!("{at}.locals[{i}]");
            self.key(&at, key)?;
            if self.scenario.keys.find(key).is_none_or(|it| it.0.scope != Scope::Agent) {
                return Err(value_error(at, format!("`{key}` is no key of the agent")));
            }
            if node.locals[..i].contains(key) {
                return Err(value_error(at, format!("`{key}` is there twice")));
            }
        }
        Ok(())
    }
}
