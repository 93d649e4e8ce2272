//! The content of a recorder, as text for people.

use std::fmt;

use pleach_core::AgentId;
use pleach_core::trace::{Recorder, TraceEvent, TraceNames};

use crate::TraceLine;

/// The content of a recorder, to be printed: a heading for each tick of an agent, and below it a
/// line for each event. Consecutive recorded ticks of an agent with the same events are counted,
/// and printed only once.
///
/// ```text
/// 1.200 s  guard 3
///   start     n12 Approach(target: "player")
///   update    n12 Approach(target: "player") -> running
/// 1.217 s  guard 3
///   update    n12 Approach(target: "player") -> running
///   x 28, until 1.683 s
/// ```
///
/// ```
/// # use pleach_core::{Forest, Host, Tree, nodes::wait, trace::{Recorder, TraceKinds}};
/// # use pleach_draw::Log;
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = ();
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut forest = Forest::new(7);
/// # let guards = forest.add_tree(Tree::<Game>::builder("guard").build(wait(2.0))?)?;
/// # let guard = forest.spawn(&mut (), guards)?;
/// let mut recorder = Recorder::all().only(TraceKinds::DECISIONS).last_seconds(5.0);
/// forest.traced(&mut recorder).tick(&mut (), 0.1)?;
/// let log = Log::of(&recorder).labels(|_| Some("guard 3".into())).to_string();
/// assert_eq!(log, "0.100 s  guard 3\n  start     n0 Wait(2 s)\n");
/// # Ok(())
/// # }
/// ```
pub struct Log<'a> {
    recorder: &'a Recorder,
    label: Box<dyn Fn(AgentId) -> Option<String> + 'a>,
}

impl fmt::Debug for Log<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").field("recorder", self.recorder).finish_non_exhaustive()
    }
}

impl<'a> Log<'a> {
    /// Everything that the recorder has kept. Agents have their ids.
    #[must_use]
    pub fn of(recorder: &'a Recorder) -> Self {
        Log { recorder, label: Box::new(|_| None) }
    }

    /// Writes these labels in place of the ids of agents. `None` leaves the id, as for an agent
    /// that is gone: `Forest::agent` and `AgentRef::label` know the others.
    #[must_use]
    pub fn labels(self, label: impl Fn(AgentId) -> Option<String> + 'a) -> Self {
        Log { label: Box::new(label), ..self }
    }
}

/// An event, and the names of the nodes at that time.
type Named<'a> = (TraceEvent, Option<&'a TraceNames>);

/// What happened to an agent in one frame.
struct Block<'a> {
    agent: AgentId,
    frame: u64,
    time: f64,
    events: Vec<Named<'a>>,
    /// How many consecutive ticks of the agent these are, and when the last one was.
    times: u32,
    until: f64,
}

impl Block<'_> {
    fn is_same(&self, other: &Self) -> bool {
        let names = |it: &Named<'_>| it.1.map(std::ptr::from_ref);
        let alike = |(one, two): (&Named<'_>, &Named<'_>)| one.0 == two.0 && names(one) == names(two);
        self.events.len() == other.events.len() && self.events.iter().zip(&other.events).all(alike)
    }
}

/// The ticks of all agents, in the order of their first event.
fn blocks(recorder: &Recorder) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    // The last block of each agent.
    let mut last: Vec<(AgentId, usize)> = Vec::new();
    for (entry, names) in recorder.named().filter(|it| !matches!(it.0.event, TraceEvent::Tick | TraceEvent::TickEnd)) {
        let (agent, event) = (entry.agent, (entry.event, names));
        let known = last.binary_search_by_key(&agent, |it| it.0);
        if let Ok(at) = known
            && let Some(block) = blocks.get_mut(last[at].1).filter(|it| it.frame == entry.frame)
        {
            block.events.push(event);
            continue;
        }
        let (frame, time) = (entry.frame, entry.time);
        match known {
            Ok(at) => last[at].1 = blocks.len(),
            Err(at) => last.insert(at, (agent, blocks.len())),
        }
        blocks.push(Block { agent, frame, time, events: vec![event], times: 1, until: time });
    }
    blocks
}

/// The same, with each agent's repeated ticks folded together.
fn folded(all: Vec<Block<'_>>) -> Vec<Block<'_>> {
    let mut folded: Vec<Block<'_>> = Vec::new();
    let mut last: Vec<(AgentId, usize)> = Vec::new();
    for block in all {
        let known = last.binary_search_by_key(&block.agent, |it| it.0);
        if let Ok(at) = known
            && let Some(before) = folded.get_mut(last[at].1).filter(|it| it.is_same(&block))
        {
            before.times += 1;
            before.until = block.time;
            continue;
        }
        match known {
            Ok(at) => last[at].1 = folded.len(),
            Err(at) => last.insert(at, (block.agent, folded.len())),
        }
        folded.push(block);
    }
    folded
}

impl fmt::Display for Log<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.recorder.lost() > 0 {
            writeln!(f, "({} older events are not kept)", self.recorder.lost())?;
        }
        for Block { agent, frame: _, time, events, times, until } in folded(blocks(self.recorder)) {
            let label = (self.label)(agent).unwrap_or_else(|| format!("{agent:?}"));
            writeln!(f, "{time:.3} s  {}", pleach_core::text::plain(&label))?;
            for (event, names) in events {
                writeln!(f, "  {}", TraceLine::named(names, event))?;
            }
            if times > 1 {
                writeln!(f, "  x {times}, until {until:.3} s")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use pleach_core::nodes::{action, sequence, wait};
    use pleach_core::{Forest, Status, Tree};

    use super::*;
    use crate::sample::Game;

    #[test]
    fn ticks_that_are_alike_are_counted_for_each_agent() {
        let mut forest = Forest::<Game>::new(7);
        let root =
            sequence([action(|_: &mut pleach_core::Context<'_, '_, Game>| Status::Running).named("walk"), wait(1.0)]);
        let tree = forest.add_tree(Tree::builder("t").build(root).unwrap()).unwrap();
        let [one, other] = [(); 2].map(|()| forest.spawn(&mut (), tree).unwrap());
        forest.agent_mut(one).unwrap().set_label("one\n");
        let mut recorder = Recorder::of([one, other]);
        for _ in 0..29 {
            forest.traced(&mut recorder).tick(&mut (), 0.5).unwrap();
        }
        let label = |agent| Some(forest.agent(agent).ok()?.label()?.to_owned());
        let log = Log::of(&recorder).labels(label).to_string();
        let expected = |name: &str, rest: bool| match rest {
            false => format!(
                "0.500 s  {name}\n  start     n0 Sequence\n  start     n1 Action \"walk\"\n  update    n1 Action \"walk\" -> running\n"
            ),
            true => format!("1.000 s  {name}\n  update    n1 Action \"walk\" -> running\n  x 28, until 14.500 s\n"),
        };
        let id = format!("{other:?}");
        let name = "one\\n";
        let all = [expected(name, false), expected(&id, false), expected(name, true), expected(&id, true)];
        assert_eq!(log, all.concat());
    }

    #[test]
    fn what_is_older_is_not_kept() {
        let mut forest = Forest::<Game>::new(7);
        let tree = forest.add_tree(Tree::builder("t").build(wait(1.0)).unwrap()).unwrap();
        forest.spawn(&mut (), tree).unwrap();
        let mut recorder = Recorder::all().last_seconds(2.0);
        for _ in 0..10 {
            forest.traced(&mut recorder).tick(&mut (), 0.5).unwrap();
        }
        assert!(recorder.lost() > 0 && recorder.entries().all(|it| it.time >= 3.0));
        let log = Log::of(&recorder).to_string();
        assert!(log.starts_with(&format!("({} older events are not kept)\n", recorder.lost())), "{log}");
    }
}
