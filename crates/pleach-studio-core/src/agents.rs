//! All agents after a frame: those that match a filter, and what they do.

use std::sync::Arc;

use pleach::expr::Expr;
use pleach::handles::AgentRef;
use pleach::record::Replay;
use pleach::tools::text::plain;
use pleach::{NodeId, Phase, Tree, Value};

use crate::behaviour::behaviour;
use crate::crowd::{Crowd, place};
use crate::model::{AgentRow, AgentsView};
use crate::named;
use crate::stage::Stage;

/// A condition on an agent.
enum Part {
    /// One of these nodes is active.
    Active(Vec<NodeId>),
    True(Expr),
    /// Its label contains this, in lower case.
    Called(String),
}

/// The conditions on an agent, by the trees in which they can hold.
pub(crate) struct Filter {
    of: Vec<(Arc<Tree<Stage>>, Vec<Part>)>,
}

impl Filter {
    /// Parts with `&` between them: each one the name of a node, an expression, or a part of a
    /// label in quotes.
    ///
    /// # Errors
    /// A part is neither in any tree.
    pub(crate) fn of(trees: &[Arc<Tree<Stage>>], text: &str) -> Result<Self, String> {
        let (mut of, mut wrong) = (Vec::new(), Vec::new());
        for tree in trees {
            let paths = named::paths(tree);
            let parts: Result<Vec<Part>, String> = parts(text).map(|it| part(tree, &paths, it)).collect();
            match parts {
                Ok(parts) => of.push((Arc::clone(tree), parts)),
                Err(it) => wrong.push(it),
            }
        }
        wrong.dedup();
        if of.is_empty() && !wrong.is_empty() { Err(wrong.join("; ")) } else { Ok(Filter { of }) }
    }

    fn holds(&self, agent: &AgentRef<'_, Stage>) -> bool {
        let own = self.of.iter().find(|it| Arc::ptr_eq(&it.0, agent.tree()));
        let holds = |it: &Part| match it {
            Part::Active(nodes) => nodes.iter().any(|it| agent.is_active(*it)),
            Part::True(expr) => agent.eval(expr) == Value::Bool(true),
            Part::Called(name) => agent.label().is_some_and(|it| it.to_lowercase().contains(name)),
        };
        own.is_some_and(|it| it.1.iter().all(holds))
    }
}

/// The parts between single `&`: `&&` belongs to an expression.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut ends: Vec<usize> = Vec::new();
    let bytes = text.as_bytes();
    let is_and = |at: usize| bytes.get(at) == Some(&b'&');
    for at in 0..bytes.len() {
        let is_double = is_and(at + 1) || at.checked_sub(1).is_some_and(is_and);
        ends.extend((is_and(at) && !is_double).then_some(at));
    }
    let mut begin = 0;
    ends.push(text.len());
    ends.into_iter().map(move |end| text[std::mem::replace(&mut begin, end + 1)..end].trim())
}

fn part(tree: &Tree<Stage>, paths: &[String], text: &str) -> Result<Part, String> {
    if let Some(name) = text.strip_prefix('"').and_then(|it| it.strip_suffix('"')) {
        return Ok(Part::Called(name.to_lowercase()));
    }
    match (named::nodes(tree, paths, text), named::test(tree, text)) {
        (Ok(nodes), _) => Ok(Part::Active(nodes)),
        (_, Ok(expr)) => Ok(Part::True(expr)),
        // Text that looks like an expression is reported as one.
        (Err(_), Err(error)) if text.contains(['<', '>', '=', '(', '!', '&', '|']) => Err(error),
        (Err(error), _) => {
            Err(format!("{error}; an expression over keys works, too, as in `health < 0.3`, and a label in quotes"))
        }
    }
}

/// All agents as they are. `trees` are those of the overview.
pub(crate) fn view(
    replay: &Replay<Stage>,
    trees: &[Arc<Tree<Stage>>],
    frame: u64,
    filter: Option<&Filter>,
    limit: usize,
) -> AgentsView {
    let (mut crowd, mut counts) = (Crowd::default(), Vec::new());
    let mut view = AgentsView { frame, count: 0, matching: 0, rows: Vec::new(), crowd: Vec::new() };
    let forest = replay.forest();
    let mut last = 0;
    for (number, id) in replay.agents() {
        let Some(agent) = id.and_then(|it| forest.agent(it).ok()) else { continue };
        let tree = place(trees, &agent, &mut last);
        crowd.add(&agent, tree, &mut counts);
        view.count += 1;
        if filter.is_some_and(|it| !it.holds(&agent)) {
            continue;
        }
        view.matching += 1;
        if view.rows.len() < limit {
            let label = pleach_view::label(agent.label(), number);
            view.rows.push(AgentRow { number, tree, running: doing(&agent), label });
        }
    }
    view.crowd = crowd.shares(&counts);
    view
}

/// What an agent does: `fight › Attack`, or its phase.
fn doing(agent: &AgentRef<'_, Stage>) -> String {
    let node = |it: NodeId| {
        let node = agent.tree().node(it)?;
        let (behaviour, own) = (behaviour(node), plain(node.label()).into_owned());
        let is_same = behaviour == own || node.name().is_none() && behaviour.starts_with(&own);
        Some(if is_same { behaviour } else { format!("{behaviour} › {own}") })
    };
    let running: Vec<String> = agent.current().filter_map(node).collect();
    match agent.phase() {
        _ if !running.is_empty() => running.join(", "),
        Phase::Active | Phase::Asleep => "(nothing)".to_owned(),
        phase => format!("({phase})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_ands_part() {
        let of = |text| parts(text).collect::<Vec<_>>();
        assert_eq!(of("fight & health < 0.3"), ["fight", "health < 0.3"]);
        assert_eq!(of("a && b&c"), ["a && b", "c"]);
        assert_eq!(of("木 & é"), ["木", "é"]);
        assert_eq!((of(""), of("&")), (vec![""], vec!["", ""]));
    }
}
