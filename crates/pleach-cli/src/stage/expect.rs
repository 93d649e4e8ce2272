//! What scripts and tests expect of an agent: nodes that run, and expressions that are true.

use pleach::expr::{Expr, KeyIndex, Read};
use pleach::inspect::AgentView;
use pleach::tools::text::plain;
use pleach::{Host, Time, Value};

use crate::words::value;

/// Whether an expression is true.
pub(crate) fn holds<H: Host>(view: &AgentView<H>, expr: &Expr) -> bool {
    expr.eval_bool(Keys(view))
}

/// That an expression is false, and what its keys hold.
pub(crate) fn is_false<H: Host>(view: &AgentView<H>, expr: &Expr) -> String {
    let keys = expr.keys().iter().filter_map(|it| view.keys.get(it.index()));
    let keys: Vec<String> =
        keys.map(|(decl, held)| format!("{} = {}", decl.name(), value(view.tree.schema(), *held))).collect();
    let with = if keys.is_empty() { String::new() } else { format!(": {}", keys.join(", ")) };
    format!("`{expr}` is false{with}")
}

/// What runs, in words, after `does not run`.
pub(crate) fn runs<H: Host>(view: &AgentView<H>, paths: &[String]) -> String {
    let names: Vec<String> = view.current().map(|it| format!("`{}`", plain(&paths[it.index()]))).collect();
    match (&names[..], view.last_outcome) {
        ([], Some(last)) => format!("nothing runs, the tree ended with {last}"),
        ([], None) => "nothing runs".into(),
        (names, _) => format!("{} {}", names.join(" and "), if names.len() == 1 { "does" } else { "do" }),
    }
}

/// The keys of an agent, to read in expressions.
struct Keys<'v, H: Host>(&'v AgentView<H>);

impl<H: Host> Read for Keys<'_, H> {
    fn value(&mut self, key: KeyIndex) -> Value {
        self.0.keys.get(key.index()).map_or(Value::Bool(false), |it| it.1)
    }
    fn time(&mut self) -> Time {
        Time::from_secs(self.0.time)
    }
    fn now(&mut self) -> Time {
        self.0.now
    }
}
