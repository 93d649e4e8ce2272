//! Trace events as lines of text, with the names of the nodes.

use std::fmt;

use pleach_core::{
    AgentId, Host, NodeId, Status, Tree, text,
    trace::{EveryTraceEvent, Recorder, TraceEntry, TraceEvent, TraceNames},
};

/// The role of a part of a trace line, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TraceRole {
    /// What happened: `start`, `update`, `abort`.
    Word,
    /// The node, and all text without a role of its own.
    Text,
    /// That a node succeeded.
    Success,
    /// That it failed.
    Failure,
    /// That it keeps running.
    Running,
    /// That it was aborted: ended from outside, and why.
    Aborted,
    /// The payload of an event.
    Value,
    /// When it happened, and to which agent.
    Time,
}

/// One trace event of an agent, with the names of its tree's nodes. Displays as its plain text.
///
/// ```
/// # mod pleach {
/// #     pub use pleach_core::{Forest, Host, Tree, nodes, trace};
/// #     pub(crate) use pleach_draw as draw;
/// # }
/// use pleach::draw::TraceLine;
/// use pleach::nodes::{sequence, wait};
/// use pleach::{Forest, Host, Tree, trace::Recorder};
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = ();
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tree = Tree::<Game>::builder("guard").build(sequence([wait(2.0).named("rest")]))?;
/// let (mut forest, mut recorder) = (Forest::new(7), Recorder::all());
/// let guards = forest.add_tree(tree)?;
/// let guard = forest.spawn(&mut (), guards)?;
/// forest.traced(&mut recorder).tick(&mut (), 0.1)?;
///
/// let tree = forest.tree(guards)?;
/// let lines: Vec<String> = recorder.entries().map(|it| TraceLine::of(tree, it.event).to_string()).collect();
/// assert_eq!(lines, [
///     "tick",
///     "start     n0 Sequence",
///     "start     n1 Wait(2 s) \"rest\"",
///     "update    n1 Wait(2 s) \"rest\" -> running",
///     "tick end",
/// ]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceLine {
    /// The parts of the line, from left to right.
    pub spans: Vec<(TraceRole, String)>,
}

impl fmt::Display for TraceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spans.iter().try_for_each(|(_, text)| f.write_str(text))
    }
}

impl TraceLine {
    /// The line of an event that happened to an agent of that tree.
    #[must_use]
    pub fn of<H: Host>(tree: &Tree<H>, event: TraceEvent) -> Self {
        TraceLine::named(Some(tree.trace_names()), event)
    }

    /// The line of an event that happened to an agent of a tree with these names; without names,
    /// nodes have only their numbers.
    #[must_use]
    pub fn named(names: Option<&TraceNames>, event: TraceEvent) -> Self {
        let label = |id: NodeId| names.and_then(|it| it.node(id)).map_or_else(|| id.to_string(), ToOwned::to_owned);
        let line = |word: &str, text: String| TraceLine {
            spans: vec![(TraceRole::Word, format!("{word:<10}")), (TraceRole::Text, text)],
        };
        match event.every() {
            EveryTraceEvent::Tick => TraceLine { spans: vec![(TraceRole::Word, "tick".into())] },
            EveryTraceEvent::TickEnd => TraceLine { spans: vec![(TraceRole::Word, "tick end".into())] },
            EveryTraceEvent::Start(id) => line("start", label(id)),
            EveryTraceEvent::Update(id, status) => line("update", label(id)).says(status),
            EveryTraceEvent::Recheck(id, status) => line("recheck", label(id)).says(status),
            EveryTraceEvent::Check(id, holds) => line("check", label(id)).says(Status::from_bool(holds)),
            EveryTraceEvent::Service(id, index) => {
                let kind = names.and_then(|it| it.service(id, index));
                let kind = kind.map_or_else(|| format!("number {index}"), |it| text::plain(it).into_owned());
                line("service", format!("{kind} of {}", label(id)))
            }
            EveryTraceEvent::Switch(id) => line("switch", format!("{} turns to another child", label(id))),
            EveryTraceEvent::Emit(id, event) => {
                let words = |it| names.map_or_else(|| format!("{it:?}"), |names| names.describe(it));
                let payload = event.value().map(|it| (TraceRole::Value, format!(" {}", words(it))));
                line("emit", label(id)).and(payload)
            }
            EveryTraceEvent::End(id, outcome) => line("end", label(id)).says(outcome.into()),
            EveryTraceEvent::Aborted(id, reason) => {
                let why = (TraceRole::Aborted, format!("ended: {reason}"));
                line("end", label(id)).and([(TraceRole::Text, " -> ".into()), why])
            }
            EveryTraceEvent::Abort { scope, by } => line("abort", format!("{} goes on at {}", label(scope), label(by))),
            EveryTraceEvent::Pause(id) => line("pause", label(id)),
            EveryTraceEvent::Unpause(id) => line("unpause", label(id)),
        }
    }

    /// The line of an entry about an agent of that tree: the frame, the time, the agent, and then
    /// the text of [`of`](TraceLine::of).
    ///
    /// ```text
    /// 12 1.200 s AgentId(1v1) start     n1 Wait(2 s) "rest"
    /// ```
    #[must_use]
    pub fn of_entry<H: Host>(tree: &Tree<H>, entry: &TraceEntry) -> Self {
        TraceLine::of(tree, entry.event).at(entry)
    }

    /// The lines of everything that a recorder has kept, oldest first, as
    /// [`of_entry`](TraceLine::of_entry) writes them. Nodes are named as they were when it
    /// happened, even if the agent's tree was replaced since, or the agent is gone.
    ///
    /// ```
    /// # use pleach_core::{Forest, Host, Tree, nodes::wait, trace::Recorder};
    /// # use pleach_draw::TraceLine;
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut forest = Forest::new(7);
    /// # let guards = forest.add_tree(Tree::<Game>::builder("guard").build(wait(2.0))?)?;
    /// # let guard = forest.spawn(&mut (), guards)?;
    /// let mut recorder = Recorder::all().latest(1_000);
    /// forest.traced(&mut recorder).tick(&mut (), 0.1)?;
    /// forest.agent_mut(guard)?.despawn(&mut ());
    /// for line in TraceLine::of_agent(&recorder, guard) {
    ///     println!("{line}");
    /// }
    /// # assert_eq!(TraceLine::of_all(&recorder).nth(1).unwrap().to_string(), format!("1 0.100 s {guard:?} start     n0 Wait(2 s)"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn of_all(recorder: &Recorder) -> impl Iterator<Item = TraceLine> {
        recorder.named().map(|(entry, names)| TraceLine::named(names, entry.event).at(entry))
    }

    /// The same of one agent.
    pub fn of_agent(recorder: &Recorder, agent: AgentId) -> impl Iterator<Item = TraceLine> {
        let own = recorder.named().filter(move |it| it.0.agent == agent);
        own.map(|(entry, names)| TraceLine::named(names, entry.event).at(entry))
    }

    /// Adds when it happened, and to which agent.
    fn at(mut self, entry: &TraceEntry) -> Self {
        let TraceEntry { frame, time, agent, event: _ } = entry;
        self.spans.insert(0, (TraceRole::Time, format!("{frame} {time:.3} s {agent:?} ")));
        self
    }

    fn says(self, status: Status) -> Self {
        let role = match status {
            Status::Success => TraceRole::Success,
            Status::Failure => TraceRole::Failure,
            Status::Running => TraceRole::Running,
        };
        self.and([(TraceRole::Text, " -> ".into()), (role, status.to_string())])
    }

    fn and(mut self, more: impl IntoIterator<Item = (TraceRole, String)>) -> Self {
        self.spans.extend(more);
        self
    }
}

#[cfg(test)]
mod tests {
    use pleach_core::nodes::{fail, on_event, selector, wait};
    use pleach_core::{AgentId, Event, Forest, Outcome, Reason, Replace, trace::TraceKinds};

    use super::*;
    use crate::sample;

    /// A ring that is read after the tree was replaced and the agent is gone.
    #[test]
    fn a_recorder_names_nodes_as_they_were() {
        let root = |word: &str| selector([on_event("stop"), wait(9.0).named(word)]);
        let tree = |word: &str| Tree::<sample::Game>::builder("t").build(root(word)).unwrap();
        let (mut forest, mut recorder) = (Forest::new(1), Recorder::all().only(TraceKinds::STARTS).latest(100));
        let id = forest.add_tree(tree("old")).unwrap();
        let [one, other] = [(); 2].map(|()| forest.spawn(&mut (), id).unwrap());
        forest.traced(&mut recorder).tick(&mut (), 0.1).unwrap();
        forest.agent_mut(one).unwrap().despawn(&mut ());
        let longer = selector([fail(), root("new")]);
        let new = Tree::<sample::Game>::builder("t").build(longer).unwrap();
        forest.replace_tree(&mut (), id, Replace::restart(new)).unwrap();
        forest.traced(&mut recorder).tick(&mut (), 0.1).unwrap();
        let told = |agent| -> Vec<String> {
            let lines = TraceLine::of_agent(&recorder, agent).map(|it| it.to_string());
            lines.map(|it| it.split_once("start     ").unwrap().1.to_owned()).collect()
        };
        let old = ["n0 Selector", "n1 OnEvent(stop)", "n2 Wait(9 s) \"old\""];
        assert_eq!(told(one), old);
        let new = ["n0 Selector", "n1 Fail", "n2 Selector", "n3 OnEvent(stop)", "n4 Wait(9 s) \"new\""];
        assert_eq!(told(other), [&old[..], &new].concat());
        assert_eq!(TraceLine::of_all(&recorder).count(), 11);
    }

    #[test]
    fn every_event_is_a_line() {
        let tree = sample::tree();
        let line = |event| TraceLine::of(&tree, event).to_string();
        let node = |index| NodeId::new(index).unwrap();
        let lines = [
            (TraceEvent::Update(node(2), Status::Failure), "update    n2 Check(health < 0.3) -> failure"),
            (TraceEvent::Recheck(node(2), Status::Success), "recheck   n2 Check(health < 0.3) -> success"),
            (TraceEvent::Check(node(3), true), "check     n3 Timeout(4 s) -> success"),
            (TraceEvent::Service(node(1), 0), "service   Action of n1 Sequence \"flee\""),
            (TraceEvent::Switch(node(0)), "switch    n0 Selector \"guard\" turns to another child"),
            (TraceEvent::Emit(node(8), Event::new("x").with(1.5_f32)), "emit      n8 Wait(2 s) 1.5"),
            (TraceEvent::End(node(7), Outcome::Failure), "end       n7 Fail \"a\\n\"b\"\" -> failure"),
            (TraceEvent::Aborted(node(8), Reason::Abort), "end       n8 Wait(2 s) -> ended: aborted"),
            (
                TraceEvent::Abort { scope: node(0), by: node(2) },
                "abort     n0 Selector \"guard\" goes on at n2 Check(health < 0.3)",
            ),
            (TraceEvent::Pause(node(99)), "pause     n99"),
        ];
        for (event, expected) in lines {
            assert_eq!(line(event), expected);
        }
        let event = TraceEvent::Start(node(8));
        let entry = TraceEntry { frame: 12, time: 1.25, agent: AgentId::default(), event };
        assert_eq!(TraceLine::of_entry(&tree, &entry).to_string(), "12 1.250 s AgentId(null) start     n8 Wait(2 s)");
    }
}
