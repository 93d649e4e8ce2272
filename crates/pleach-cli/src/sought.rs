//! What `run` and `replay` search for.

use pleach::tools::text::plain;
use pleach_studio_core::{Seeking, Wrong, model};

use crate::args::Ended;
use crate::failure::Failure;

/// How a node ended, as a search takes it.
pub(crate) fn ended(it: Ended) -> model::Ended {
    match it {
        Ended::Success => model::Ended::Success,
        Ended::Failure => model::Ended::Failure,
        Ended::Aborted => model::Ended::Aborted,
    }
}

/// # Errors
/// Options that do not go together.
pub(crate) fn refuse(ended: Option<Ended>, by: Option<&str>) -> Result<(), Failure> {
    match (by, ended) {
        (Some(_), ended) if ended != Some(Ended::Aborted) => Err(Failure::Usage("--by needs --ended aborted".into())),
        _ => Ok(()),
    }
}

/// The parts of a search that no tree has, with their options.
pub(crate) fn wrong(all: Vec<Wrong>) -> Failure {
    let told = all.into_iter().map(|it| match it {
        Wrong::Node(it) => format!("--find: {it}"),
        Wrong::By(it) => format!("--by: {it}"),
        Wrong::Event(it) => format!("--event: {it}"),
        Wrong::Condition(it) => format!("--where: {it}"),
    });
    Failure::Usage(told.collect::<Vec<_>>().join("\n  "))
}

/// The search, in words.
pub(crate) fn in_words(it: Seeking<'_>) -> String {
    let quoted = |text: &str| format!("`{}`", plain(text));
    let by = it.by.map(|it| format!(" by {}", quoted(it))).unwrap_or_default();
    let condition = it.condition.map(quoted);
    let (what, condition) = match (it.node, it.ended, it.event) {
        (Some(node), None, _) => (format!("{} started", quoted(node)), condition),
        (Some(node), Some(model::Ended::Success), _) => (format!("{} succeeded", quoted(node)), condition),
        (Some(node), Some(model::Ended::Failure), _) => (format!("{} failed", quoted(node)), condition),
        (Some(node), Some(model::Ended::Aborted), _) => (format!("{} was aborted{by}", quoted(node)), condition),
        (None, _, Some(event)) => (format!("{} came", quoted(event)), condition),
        (None, _, None) => (format!("{} became true", condition.unwrap_or_default()), None),
    };
    condition.map_or(what.clone(), |it| format!("{what} where {it}"))
}
