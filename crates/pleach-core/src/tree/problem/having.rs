//! Which nodes have an option, for the message about a node that does not.

use crate::tree::kind::NodeKind;

/// The kinds that have an option, as in "only … can have it". A required field does not count as an
/// option.
pub(super) fn having(option: &str) -> String {
    let with = |it: &NodeKind| match option {
        "weights" => it.child_value().is_some_and(|it| it.name == "weight"),
        _ => it.fields().iter().any(|it| it.name == option && !it.is_required()),
    };
    let mut all: Vec<&str> = NodeKind::ALL.iter().filter(|it| with(it)).map(|it| it.name()).collect();
    match option {
        "described" => all.push("leaves of the host"),
        "observes" | "every" => all.push("conditions of the host"),
        "jitter" => all.push("services"),
        _ => {}
    }
    match all.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => all.concat(),
    }
}
