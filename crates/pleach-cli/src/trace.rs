//! `pleach run --trace`: everything that happens to one agent, tick by tick. A trace holds no time
//! that was measured, so that two traces can be compared.

use std::io::{self, BufWriter, Write};

use clap::builder::styling::Style;
use pleach::tools::text::plain;
use pleach::{
    Host, Tree,
    trace::{Recorder, TraceEvent},
};
use pleach_draw::{TraceLine, TraceRole};

use crate::agents;
use crate::failure::Failure;
use crate::paint::{ABORT, BAD, FAINT, GOOD, Parts, RESET, STRONG, VALUE, painted};
use crate::play::Witness;
use crate::session::Session;
use crate::world::World;

/// Prints the trace of the agent that was spawned as the `agent`-th.
pub(crate) fn trace<W: World>(game: &mut W, agent: usize, session: &mut Session<'_, W::Host>) -> Result<(), Failure> {
    let pace = session.pace;
    let mut recorder = Recorder::of([game.agents()[agent]]);
    let traced = game.forest().agent(game.agents()[agent]).map_err(|error| Failure::Failed(error.to_string()))?;
    let (mut tree, heading) = (traced.tree().clone(), agents::heading(traced.label(), agent));
    let mut out = BufWriter::new(anstream::stdout().lock());
    writeln!(out, "{}", head(&tree, &heading))?;
    let mut lines = TraceLines::default();
    let mut ended_early = false;
    for at in 1..=pace.frames {
        if session.follows_files() {
            out.flush()?;
            session.wait(at);
            if let Some(news) = session.look(game, Some(Witness::Recorder(&mut recorder))) {
                lines.end(&mut out)?;
                writeln!(out, "{}", news.text())?;
                news.tell_warnings();
                // The nodes that end are of the old tree.
                for event in recorder.take() {
                    if let Some(line) = line(&tree, event.event) {
                        writeln!(out, "  {line}")?;
                    }
                }
                if let Some(new) = news.tree {
                    (tree, lines) = (new, TraceLines::default());
                }
            }
        }
        session.frame(game, Some(Witness::Recorder(&mut recorder)))?;
        let events = recorder.take().into_iter().map(|it| it.event).collect();
        lines.frame(&mut out, &tree, (at.into(), pace.seconds(at)), events)?;
        if session.ctrl_c.pressed() {
            ended_early = true;
            break;
        }
    }
    lines.end(&mut out)?;
    out.flush()?;
    if ended_early { Err(Failure::EndedEarly) } else { Ok(()) }
}

/// The line above a trace.
pub(crate) fn head<H: Host>(tree: &Tree<H>, heading: &str) -> String {
    format!("{STRONG}{}{RESET}  {heading}", plain(tree.name()))
}

/// The lines of a trace, in which equal ticks are printed once.
#[derive(Debug, Default)]
pub(crate) struct TraceLines {
    last: Vec<TraceEvent>,
    /// The last tick with the same events as the last printed one, and its time.
    same: Option<(u64, f64)>,
}

impl TraceLines {
    /// Prints what an agent did in a frame of this number and time.
    pub(crate) fn frame<H: Host>(
        &mut self,
        out: &mut impl Write,
        tree: &Tree<H>,
        (tick, seconds): (u64, f64),
        events: Vec<TraceEvent>,
    ) -> io::Result<()> {
        if events.is_empty() {
            // The agent is asleep. The number of the next tick shows it.
        } else if events == self.last {
            self.same = Some((tick, seconds));
        } else {
            self.end(out)?;
            writeln!(out, "{FAINT}tick {tick}, {seconds:.3} s{RESET}")?;
            for event in &events {
                if let Some(line) = line(tree, *event) {
                    writeln!(out, "  {line}")?;
                }
            }
            self.last = events;
        }
        Ok(())
    }

    /// Prints up to which tick all are the same.
    pub(crate) fn end(&mut self, out: &mut impl Write) -> io::Result<()> {
        match self.same.take() {
            Some((tick, seconds)) => writeln!(out, "  {FAINT}… the same until tick {tick}, {seconds:.3} s{RESET}"),
            None => Ok(()),
        }
    }
}

/// The line of an event. The begin and the end of a tick have none: the heading says the same.
pub(crate) fn line<H: Host>(tree: &Tree<H>, event: TraceEvent) -> Option<String> {
    let style = |role: TraceRole| match role {
        TraceRole::Word if matches!(event, TraceEvent::Abort { .. }) => ABORT,
        TraceRole::Word | TraceRole::Text => Style::new(),
        TraceRole::Success => GOOD,
        TraceRole::Failure => BAD,
        TraceRole::Running | TraceRole::Time => FAINT,
        TraceRole::Aborted => ABORT,
        TraceRole::Value => VALUE,
    };
    match event {
        TraceEvent::Tick | TraceEvent::TickEnd => None,
        _ => {
            let spans = TraceLine::of(tree, event).spans.into_iter();
            Some(painted(&spans.map(|(role, text)| (style(role), text)).collect::<Parts>()))
        }
    }
}
