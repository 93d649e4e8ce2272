//! What a heist tells the user: the goal, the possible actions, a hint for the first minute, signs
//! over heads, and how it ended.

use pleach_arena::{Heist, Offer, Point, Stage, World};

use crate::panel::Tone;

/// The current objective, in a line.
#[must_use]
pub fn objective(heist: &Heist) -> &'static str {
    match heist.stage() {
        Stage::GetIn if heist.lock().is_some() => "Get into the vault: pick its lock",
        Stage::GetIn => "Take the treasure",
        Stage::GetOut => "Get out: back to the cart with the treasure",
        Stage::Won => "You got away",
        Stage::Lost => "They have you",
    }
}

/// Where that is; `None` at the end.
#[must_use]
pub fn goal(heist: &Heist) -> Option<Point> {
    let plan = heist.plan();
    match heist.stage() {
        Stage::GetIn if heist.lock().is_some() => Some([plan.lock[0], plan.lock[1] + 1.2]),
        Stage::GetIn => Some(plan.treasure),
        Stage::GetOut => Some(plan.exit),
        Stage::Won | Stage::Lost => None,
    }
}

/// What can be done where the thief is.
#[must_use]
pub fn prompt(world: &World) -> Option<&'static str> {
    let heist = world.heist()?;
    Some(match world.offer()? {
        Offer::Take(number) if heist.loot().get(number).is_some_and(|it| it.is_treasure) => {
            "E: take the treasure (the bell will ring)"
        }
        Offer::Take(_) => "E: take it",
        Offer::Pick => "hold E: pick the lock",
        Offer::Leave => "E: leave with the treasure",
    })
}

/// What the user has learned. Each hint is shown until then.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Learned {
    /// How far the user has walked, in metres.
    pub walked: f32,
    /// Whether the user has sneaked.
    pub sneaked: bool,
    /// Whether a coin was thrown.
    pub threw: bool,
    /// Whether the user has hidden.
    pub hid: bool,
}

/// After this distance, in metres, the user knows how to walk.
const KNOWS: f32 = 6.0;

impl Learned {
    /// The hint for now.
    #[must_use]
    pub fn hint(&self, world: &World) -> Option<&'static str> {
        let heist = world.heist().filter(|it| !it.is_over())?;
        if !world.is_alive(heist.thief()) {
            return Some("They struck you down. What you took is back; you start at the cart");
        }
        if heist.is_seen() {
            return Some("You are seen! Run (Shift) out of the light, then hide in a bush");
        }
        if world.is_hidden(heist.thief()) {
            return Some("Hidden: only who stands next to you sees you");
        }
        if self.walked < KNOWS {
            return Some("WASD or a click: walk. Shift: run, which is loud. Ctrl: sneak");
        }
        if !self.sneaked {
            return Some("Guards see what is in their light, and hear steps. Hold Ctrl to sneak");
        }
        if !self.threw && heist.coins() > 0 {
            return Some("Right click: throw a coin. Guards go and look where it falls");
        }
        (!self.hid).then_some("Sneak into a bush or a dark niche to hide. At night they see less far")
    }
}

/// The sign over the head of an agent that does this.
#[must_use]
pub fn sign(behaviour: &str) -> Option<(Tone, &'static str)> {
    Some(match behaviour {
        "fight" | "second wind" | "last stand" => (Tone::Bad, "!"),
        "notice" => (Tone::Name, "?"),
        "hunt" | "help" => (Tone::Abort, "?!"),
        "investigate" | "gape" => (Tone::Plain, "?"),
        "panic" => (Tone::Bad, "!!"),
        "out cold" => (Tone::Faint, "* *"),
        _ => return None,
    })
}

/// How it ended, line by line; `None` before.
#[must_use]
pub fn ending(world: &World) -> Option<Vec<(Tone, String)>> {
    let heist = world.heist().filter(|it| it.is_over())?;
    let won = heist.stage() == Stage::Won;
    let (score, seconds) = (heist.score(world.time()), heist.seconds(world.time()));
    let rank = match (won, heist.sightings(), score.falls) {
        (false, ..) => "caught",
        (true, 0, _) => "a ghost: nobody saw you",
        (true, _, 0) => "a thief: seen, and never caught",
        (true, ..) => "a brawler: it hurt, but you got away",
    };
    let line = |what: &str, points: i64| (Tone::Plain, format!("{what:<28}{points:>6}"));
    let mut lines = vec![
        (if won { Tone::Good } else { Tone::Bad }, if won { "YOU GOT AWAY" } else { "THEY HAVE YOU" }.to_owned()),
        (Tone::Faint, rank.to_owned()),
        (Tone::Plain, String::new()),
        line("loot", score.loot.into()),
    ];
    if won {
        lines.push(line("quick", score.quick.into()));
        lines.push(line("never seen", score.unseen.into()));
    }
    let lives = if heist.lives() == 1 { "1 life left".to_owned() } else { format!("{} lives left", heist.lives()) };
    lines.push(line(&format!("struck down, {lives}"), -i64::from(score.falls)));
    lines.push((Tone::Value, format!("{:<28}{:>6}", "SCORE", score.total())));
    lines.push((Tone::Faint, format!("{} in {}", seen(heist.sightings()), clock(seconds))));
    lines.push((Tone::Plain, String::new()));
    lines.push((Tone::Name, "Enter: play again    Esc: quit".to_owned()));
    Some(lines)
}

fn seen(times: u32) -> String {
    match times {
        0 => "never seen".to_owned(),
        1 => "seen once".to_owned(),
        times => format!("seen {times} times"),
    }
}

/// Seconds as minutes and seconds.
#[must_use]
pub fn clock(seconds: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and hours at most")]
    let whole = seconds.max(0.0) as u64;
    format!("{}:{:02}", whole / 60, whole % 60)
}

#[cfg(test)]
mod tests {
    use pleach_arena::{Estate, Gait, Kinds};

    use super::*;

    fn alone() -> World {
        let mut world = World::estate(&Estate { seed: 7, crowd: 30 }).unwrap();
        let others: Vec<_> = world.actors_of(!Kinds::PLAYER).collect();
        others.into_iter().for_each(|it| world.despawn(it).unwrap());
        world
    }

    fn walk(world: &mut World, to: Point) {
        while world.thief_goes(to, Gait::Run, 0.1) == pleach_arena::Progress::Moving {
            world.step(0.1).unwrap();
        }
    }

    #[test]
    fn it_leads_through_a_heist() {
        let mut world = alone();
        let mut said = Vec::new();
        for _ in 0..3 {
            let heist = world.heist().unwrap();
            said.push(objective(heist));
            let goal = goal(heist).unwrap();
            walk(&mut world, goal);
            assert!(prompt(&world).unwrap().contains("E:"), "{said:?}");
            assert_eq!(ending(&world), None);
            for _ in 0..30 {
                let done = world.thief_acts(0.1);
                if !matches!(done, Some(Offer::Pick)) {
                    break;
                }
            }
        }
        assert!(said[0].contains("lock") && said[1].contains("treasure") && said[2].contains("out"), "{said:?}");
        let lines: Vec<String> = ending(&world).unwrap().into_iter().map(|it| it.1).collect();
        assert!(lines[0] == "YOU GOT AWAY" && lines[1].contains("ghost"), "{lines:#?}");
        assert!(lines.iter().any(|it| it.starts_with("SCORE")) && lines.iter().all(|it| it.len() < 40), "{lines:#?}");
    }

    #[test]
    fn hints_are_shown_until_they_are_known() {
        let world = alone();
        let mut learned = Learned::default();
        let mut hints = Vec::new();
        let mut see = |learned: &Learned| hints.push(learned.hint(&world));
        see(&learned);
        learned.walked = 9.0;
        see(&learned);
        learned.sneaked = true;
        see(&learned);
        learned.threw = true;
        see(&learned);
        learned.hid = true;
        see(&learned);
        assert!(hints[..4].iter().all(Option::is_some) && hints[4].is_none(), "{hints:?}");
        assert_eq!(clock(75.9), "1:15");
    }
}
