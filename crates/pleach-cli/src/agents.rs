//! The names of agents: the label that the game has set, or else their number.

use pleach::tools::text::plain;

use crate::world::World;

/// Gives each agent that has no label the label "agent 17", so that outputs name an agent by it and
/// not by its id.
pub(crate) fn label<W: World>(game: &mut W) {
    for (number, id) in game.agents().to_vec().into_iter().enumerate() {
        if game.forest().agent(id).is_ok_and(|it| it.label().is_none())
            && let Ok(mut agent) = game.forest_mut().agent_mut(id)
        {
            agent.set_label(by_number(number));
        }
    }
}

pub(crate) fn by_number(number: usize) -> String {
    format!("agent {number}")
}

/// The name of an agent in a heading, by its number: "agent 17", or "guard 3 (agent 17)".
pub(crate) fn heading(label: Option<&str>, number: usize) -> String {
    let by_number = by_number(number);
    match label {
        Some(label) if label != by_number => format!("{} ({by_number})", plain(label)),
        _ => by_number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_stands_before_the_number() {
        assert_eq!(heading(None, 17), "agent 17");
        assert_eq!(heading(Some("agent 17"), 17), "agent 17");
        assert_eq!(heading(Some("guard\u{1b} 3"), 17), format!("{} (agent 17)", plain("guard\u{1b} 3")));
    }
}
