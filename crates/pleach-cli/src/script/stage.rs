//! The host of trees that a script plays: what leaves answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use pleach::nodes::{Node, action, condition};
use pleach::{Context, Host, Registry, Status};

use super::steps::{Answer, Step};

/// The host of a script. What leaves see is what they shall answer.
pub(crate) struct Stage;
impl Host for Stage {
    type Cx<'a> = Answers;
}

/// What leaves answer, by their names.
#[derive(Debug, Default)]
pub(crate) struct Answers(BTreeMap<String, Status>);

impl Answers {
    pub(crate) fn say(&mut self, leaf: &str, status: Status) {
        self.0.insert(leaf.to_owned(), status);
    }
}

/// The names of the leaves that trees have asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked(Arc<Mutex<BTreeSet<String>>>);

impl Asked {
    pub(crate) fn names(&self) -> BTreeSet<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Leaves that answer what the script says. Until then an action runs, and a condition does not
/// hold. What the script answers with `true` or `false` is a condition, whatever is known of it.
pub(crate) fn leaves<H: Host>(of: &Registry<H>, steps: &[Step<'_>], asked: &Asked) -> Registry<Stage> {
    let conditions: BTreeSet<String> = steps
        .iter()
        .filter_map(|it| match it {
            Step::Answer(leaf, Answer { of_condition: true, .. }) => Some((*leaf).to_owned()),
            _ => None,
        })
        .collect();
    let asked = asked.clone();
    of.stand_in(move |name, is_condition| {
        asked.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
        leaf(name.to_owned(), is_condition || conditions.contains(name))
    })
}

fn leaf(name: String, is_condition: bool) -> Node<Stage> {
    if is_condition {
        condition(move |cx: &mut Context<'_, '_, Stage>| cx.host.0.get(&name) == Some(&Status::Success))
    } else {
        action(move |cx: &mut Context<'_, '_, Stage>| cx.host.0.get(&name).copied().unwrap_or(Status::Running))
    }
}
