//! What scripts and tests expect of an agent: nodes that run, and expressions that are true.

use pleach::error::FindError;
use pleach::expr::{Expr, KeyIndex, Read};
use pleach::inspect::AgentView;
use pleach::tools::names::nearest;
use pleach::tools::text::plain;
use pleach::{Host, NodeId, NodeRef, Time, Tree, Type, Value};

use super::leaves::called;
use crate::words::{not_found, value};

/// The nodes that a name means: as [`paths`](super::paths) has it, or as all tools take it; the
/// name of a leaf means all nodes that call it.
///
/// # Errors
/// There is no such node, or there are several.
pub(crate) fn nodes<H: Host>(tree: &Tree<H>, paths: &[String], name: &str) -> Result<Vec<NodeId>, String> {
    if let Some(node) = by_path(tree, paths, name) {
        return Ok(vec![node]);
    }
    let of_leaf = || -> Vec<NodeId> { tree.nodes().filter(|it| called(*it) == Some(name)).map(|it| it.id()).collect() };
    match tree.find_printed(name) {
        Ok(node) => Ok(vec![node.id()]),
        Err(FindError::Several { .. }) if !of_leaf().is_empty() && tree.find(name).next().is_none() => Ok(of_leaf()),
        Err(FindError::Several { nodes: [one, other], name, .. }) => {
            let [one, other] = [one, other].map(|it| plain(&paths[it.index()]).into_owned());
            Err(format!("several nodes are called `{}`: write `{one}` or `{other}`", plain(&name)))
        }
        Err(error) => {
            let kinds = tree.nodes().map(|it| it.kind());
            let known = paths.iter().map(String::as_str).chain(kinds);
            Err(match nearest(name, known) {
                Some(near) => format!("the tree has no node `{}`: did you mean `{}`?", plain(name), plain(near)),
                None => not_found(&error),
            })
        }
    }
}

/// The node of a path; the node that it begins with may have any name that means it.
pub(super) fn by_path<H: Host>(tree: &Tree<H>, paths: &[String], name: &str) -> Option<NodeId> {
    let at = |path: &str| tree.nodes().nth(paths.iter().position(|it| it == path)?).map(NodeRef::id);
    at(name).or_else(|| {
        name.match_indices('/').find_map(|(slash, _)| {
            let first = tree.find_printed(&name[..slash]).ok()?;
            at(&format!("{}{}", paths[first.id().index()], &name[slash..]))
        })
    })
}

/// An expression over the keys that the root sees.
///
/// # Errors
/// It is wrong, or no Bool.
pub(crate) fn test<H: Host>(tree: &Tree<H>, text: &str) -> Result<Expr, String> {
    tree.root().expr(text, Some(Type::Bool)).map_err(|it| {
        let all: Vec<String> = it.iter().map(ToString::to_string).collect();
        format!("in `{}`: {}", plain(text), all.join("; "))
    })
}

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
