//! `run --set`, `--send` and `--fill`: what the user does to agents during a run, on top of what
//! the world does.

use std::sync::Arc;

use pleach::inspect::ReplaceReport;
use pleach::tools::text::plain;
use pleach::trace::Tracer;
use pleach::{AgentId, Event, Forest, Tree, Value, expr::KeyIndex};

use crate::args::RunArgs;
use crate::failure::{Failure, say};
use crate::pace::Pace;
use crate::paint::{DOUBTFUL, RESET};
use crate::stage;
use crate::world::{FrameReport, World, WorldError};

/// A deed, by the names in the tree: they are looked up when it is done, as a reload may have
/// changed the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed<'a> {
    Set(&'a str, &'a str),
    Fill(&'a str, &'a str),
    Send(&'a str, Option<&'a str>),
}

/// The same, looked up in a tree.
#[derive(Clone, Copy)]
enum Known {
    Write(KeyIndex, Value),
    Send(Event),
}

/// The agents of a deed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whom {
    /// A percentage of the agents, evenly spread from the first one.
    Percent(u32),
    Agent(u32),
}

impl Whom {
    fn has(self, agent: usize) -> bool {
        match self {
            Whom::Percent(percent) => {
                let before = |agent: usize| (agent as u64 * u64::from(percent)).div_ceil(100);
                before(agent + 1) > before(agent)
            }
            Whom::Agent(number) => agent == number as usize,
        }
    }
}

/// A deed, when and to whom.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Act<'a> {
    deed: Deed<'a>,
    /// The frames in which it is done, counted from 0.
    first: u32,
    end: u32,
    whom: Whom,
}

impl Act<'_> {
    /// A note if the game overwrites the value in the next frame.
    fn note<H: pleach::Host>(&self, known: Known, tree: &Tree<H>) -> Option<String> {
        let (Deed::Set(name, _), Known::Write(key, _)) = (self.deed, known) else { return None };
        let is_short = self.end == self.first + 1 && tree.key_use(key).is_some_and(|it| it.writes());
        let name = plain(name);
        is_short.then(|| format!("the game writes `{name}`, so this value lasts one frame: hold it with `until`"))
    }
}

/// Everything that the command line asks for: keys first, then slots, then events.
#[derive(Debug, Default)]
pub(super) struct Acts<'a>(Vec<Act<'a>>);

impl<'a> Acts<'a> {
    /// # Errors
    /// All problems with them: their syntax, their times and agents, and what the tree does not
    /// have.
    pub(super) fn of<H: pleach::Host>(args: &'a RunArgs, pace: Pace, tree: &Tree<H>) -> Result<Self, Failure> {
        let sets = args.set.iter().map(|it| ("--set", it, set as Split));
        let fills = args.fill.iter().map(|it| ("--fill", it, fill as Split));
        let sends = args.send.iter().map(|it| ("--send", it, send as Split));
        let (mut acts, mut wrong, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for (option, text, split) in sets.chain(fills).chain(sends) {
            let act = read(text, split, pace, args.agents);
            match act.and_then(|act| known(&act.deed, tree).map(|it| (act, it))) {
                Ok((act, known)) => {
                    acts.push(act);
                    notes.extend(act.note(known, tree));
                }
                Err(why) => wrong.push(format!("{option} `{}`: {why}", plain(text))),
            }
        }
        if !wrong.is_empty() {
            return Err(Failure::Usage(wrong.join("\n  ")));
        }
        notes.dedup();
        notes.into_iter().for_each(|it| say(format_args!("{DOUBTFUL}note:{RESET} {it}")));
        Ok(Acts(acts))
    }
}

/// Reads the part before times and agents.
type Split = for<'a> fn(&'a str) -> Result<Deed<'a>, &'static str>;

fn set(text: &str) -> Result<Deed<'_>, &'static str> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE, as in `health=0.3`")?;
    Ok(Deed::Set(key.trim(), value.trim()))
}

fn fill(text: &str) -> Result<Deed<'_>, &'static str> {
    let (slot, file) = text.split_once('=').ok_or("write SLOT=TREE or SLOT=empty, as in `weapon=bow`")?;
    Ok(Deed::Fill(slot.trim(), file.trim()))
}

fn send(text: &str) -> Result<Deed<'_>, &'static str> {
    match text.split_once('=') {
        Some((event, value)) => Ok(Deed::Send(event.trim(), Some(value.trim()))),
        None if text.trim().is_empty() => Err("write EVENT or EVENT=VALUE"),
        None => Ok(Deed::Send(text.trim(), None)),
    }
}

/// Takes `at 5`, `until 8`, `for 30%` and `for agent 7` off the end, in any order.
fn read(text: &str, split: Split, pace: Pace, agents: u32) -> Result<Act<'_>, String> {
    let (mut at, mut until, mut whom) = (None, None, None);
    let mut rest = text.trim();
    while let Some((place, word)) = last_word(rest) {
        let value = rest[place + word.len() + 2..].trim();
        let twice = match word {
            "at" => at.replace(seconds(value)?).is_some(),
            "until" => until.replace(seconds(value)?).is_some(),
            _ => whom.replace(self::whom(value, agents)?).is_some(),
        };
        if twice {
            return Err(format!("`{word}` stands twice"));
        }
        rest = rest[..place].trim_end();
    }
    let deed = split(rest)?;
    let at = at.unwrap_or(0.0);
    let first = frame(at, pace);
    if first >= pace.frames {
        let last = pace.seconds(pace.frames - 1);
        return Err(format!(
            "the last frame begins at {last:.3} s: make the run longer with --seconds, or `at` earlier"
        ));
    }
    let end = match until {
        Some(_) if matches!(deed, Deed::Send(..)) => return Err("an event is sent once: leave out `until`".into()),
        Some(until) if until <= at => return Err(format!("`until {until}` is not after `at {at}`")),
        Some(until) => frame(until, pace).max(first + 1),
        None => first + 1,
    };
    Ok(Act { deed, first, end, whom: whom.unwrap_or(Whom::Percent(100)) })
}

/// The last of the words before times and agents, and where the space before it stands.
fn last_word(text: &str) -> Option<(usize, &'static str)> {
    ["at", "until", "for"].into_iter().filter_map(|it| Some((text.rfind(&format!(" {it} "))?, it))).max()
}

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('s').unwrap_or(text).trim_end().parse::<f64>().ok();
    number
        .filter(|it| it.is_finite() && *it >= 0.0)
        .ok_or_else(|| format!("`{}` is not a number of seconds, 0 or more", plain(text)))
}

fn whom(text: &str, agents: u32) -> Result<Whom, String> {
    if let Some(number) = text.strip_prefix("agent ") {
        let number = number.trim().parse().ok().filter(|it| *it < agents);
        return number
            .map(Whom::Agent)
            .ok_or_else(|| format!("there is no {}: agents are numbered 0 to {}", plain(text), agents - 1));
    }
    let percent = text.strip_suffix('%').and_then(|it| it.trim_end().parse().ok());
    percent.filter(|it| (1..=100).contains(it)).map(Whom::Percent).ok_or_else(|| {
        format!(
            "`{}` is neither a share from 1% to 100%, as in `for 30%`, nor an agent, as in `for agent 7`",
            plain(text)
        )
    })
}

/// The first frame that begins at this time or later.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of frames, cut at the most")]
fn frame(seconds: f64, pace: Pace) -> u32 {
    // An inexact time, such as 0.1, must not miss its frame.
    (seconds * f64::from(pace.hz) - 1e-6).ceil().max(0.0).min(f64::from(u32::MAX)) as u32
}

fn known<H: pleach::Host>(deed: &Deed<'_>, tree: &Tree<H>) -> Result<Known, String> {
    Ok(match *deed {
        Deed::Set(key, value) => stage::key_value(tree, key, value).map(|(key, value)| Known::Write(key, value))?,
        Deed::Fill(slot, file) => stage::slot(tree, slot, file).map(|(key, value)| Known::Write(key, value))?,
        Deed::Send(event, value) => Known::Send(stage::event(tree, event, value)?),
    })
}

/// A world in which this is done to agents in each frame, after they have perceived it: a key set
/// here keeps its value until the world or the tree writes it again.
pub(super) struct Acted<'a, W> {
    world: W,
    acts: Acts<'a>,
    frame: u32,
}

impl<'a, W: World> Acted<'a, W> {
    pub(super) fn new(world: W, acts: Acts<'a>) -> Self {
        Acted { world, acts, frame: 0 }
    }

    /// Returns how many events it sent.
    fn act(&mut self) -> Result<u64, WorldError> {
        let frame = self.frame;
        self.frame += 1;
        let mut sent = 0;
        for act in self.acts.0.iter().filter(|it| (it.first..it.end).contains(&frame)) {
            let agents = self.world.agents().iter().enumerate().filter(|it| act.whom.has(it.0));
            let agents: Vec<AgentId> = agents.map(|it| *it.1).collect();
            // What it means in the tree of the previous agent.
            let mut meant: Option<(Arc<Tree<W::Host>>, Known)> = None;
            for agent in agents {
                // Agents that are gone are skipped.
                let Ok(tree) = self.world.forest().agent(agent).map(|it| Arc::clone(it.tree())) else { continue };
                let known = match meant.take().filter(|it| Arc::ptr_eq(&it.0, &tree)) {
                    Some((_, known)) => known,
                    None => known(&act.deed, &tree)?,
                };
                match known {
                    Known::Write(key, value) => {
                        self.world.forest_mut().keys_mut(agent)?.set_value(key, value)?;
                    }
                    Known::Send(event) => {
                        self.world.forest_mut().agent_mut(agent)?.send(event)?;
                        sent += 1;
                    }
                }
                meant = Some((tree, known));
            }
        }
        Ok(sent)
    }
}

impl<W: World> World for Acted<'_, W> {
    type Host = W::Host;
    const NAME: &'static str = W::NAME;
    const BYTES_PER_AGENT: u64 = W::BYTES_PER_AGENT;

    fn begin(tree: Arc<Tree<W::Host>>, agents: u32, seed: u64) -> Result<Self, WorldError> {
        Ok(Acted::new(W::begin(tree, agents, seed)?, Acts::default()))
    }
    fn forest(&self) -> &Forest<W::Host> {
        self.world.forest()
    }
    fn forest_mut(&mut self) -> &mut Forest<W::Host> {
        self.world.forest_mut()
    }
    fn agents(&self) -> &[AgentId] {
        self.world.agents()
    }
    fn sense(&mut self) -> Result<u64, WorldError> {
        Ok(self.world.sense()? + self.act()?)
    }
    fn think<T: Tracer>(&mut self, dt: f32, tracer: &mut T) -> Result<FrameReport, WorldError> {
        self.world.think(dt, tracer)
    }
    fn step(&mut self, dt: f32) -> Result<(), WorldError> {
        self.world.step(dt)
    }
    fn replace_tree<T: Tracer>(
        &mut self,
        tree: Arc<Tree<W::Host>>,
        tracer: &mut T,
    ) -> Result<ReplaceReport, WorldError> {
        self.world.replace_tree(tree, tracer)
    }
    fn digest(&self) -> Option<u64> {
        self.world.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { frames: 600, dt: 1.0 / 60.0, hz: 60 };

    #[test]
    fn times_and_agents_stand_behind_in_any_order() {
        let read = |text| read(text, set, PACE, 10);
        let act = |deed, first, end, whom| Ok(Act { deed, first, end, whom });
        assert_eq!(read("a=1"), act(Deed::Set("a", "1"), 0, 1, Whom::Percent(100)));
        assert_eq!(read("at = (3, 4) at 0.1"), act(Deed::Set("at", "(3, 4)"), 6, 7, Whom::Percent(100)));
        let held = act(Deed::Set("a", "1"), 60, 120, Whom::Percent(30));
        assert_eq!(read("a = 1 at 1 until 2s for 30%"), held);
        assert_eq!(read("a=1 for 30 % until 2 at 1"), held);
        assert_eq!(read("a=1 for agent 9 at 1"), act(Deed::Set("a", "1"), 60, 61, Whom::Agent(9)));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let why = |text: &str, split: Split| read(text, split, PACE, 10).unwrap_err();
        assert_eq!(why("a", set), "write KEY=VALUE, as in `health=0.3`");
        assert_eq!(why("a=1 at soon", set), "`soon` is not a number of seconds, 0 or more");
        assert_eq!(why("a=1 at -1", set), "`-1` is not a number of seconds, 0 or more");
        assert_eq!(why("a=1 at 1 at 2", set), "`at` stands twice");
        for late in ["a=1 at 10", "a=1 at 9.99"] {
            let why = why(late, set);
            assert_eq!(why, "the last frame begins at 9.983 s: make the run longer with --seconds, or `at` earlier");
        }
        assert_eq!(why("a=1 at 3 until 3", set), "`until 3` is not after `at 3`");
        assert_eq!(why("a=1 for agent 10", set), "there is no agent 10: agents are numbered 0 to 9");
        for share in ["0%", "101%", "all", "1.5%"] {
            let text = format!("a=1 for {share}");
            assert!(why(&text, set).ends_with("nor an agent, as in `for agent 7`"), "{share}");
        }
        assert_eq!(why("noise until 3", send), "an event is sent once: leave out `until`");
        assert_eq!(why("", send), "write EVENT or EVENT=VALUE");
    }

    #[test]
    fn shares_are_spread_from_the_first_agent_on() {
        let of = |percent: u32, agents: usize| -> Vec<usize> {
            (0..agents).filter(|it| Whom::Percent(percent).has(*it)).collect()
        };
        assert_eq!(of(30, 10), [0, 3, 6]);
        assert_eq!(of(1, 10), [0]);
        assert_eq!(of(100, 3), [0, 1, 2]);
        assert_eq!(of(33, 1_000).len(), 330);
    }
}
