//! `pleach run --trace`: everything that happens to one agent, tick by tick. No times of this
//! machine are in it, so that two traces can be compared.

use std::io::{BufWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::builder::styling::Style;
use pleach::text::plain;
use pleach::{AgentId, Recorder, TraceEvent, Tree};
use pleach_arena::{Arena, Game};
use pleach_draw::{TraceLine, TraceRole};

use crate::failure::Failure;
use crate::paint::{ABORT, BAD, FAINT, GOOD, Parts, RESET, STRONG, VALUE, painted};
use crate::run::{Pace, frame};

/// A recorder of nobody: which agent it is to follow is known when the agents are there.
pub(crate) fn tracer() -> Recorder {
    Recorder::of(AgentId::default())
}

/// Prints the trace of the agent that was spawned as the `agent`-th.
pub(crate) fn trace(
    game: &mut Game<Recorder>,
    agent: usize,
    pace: Pace,
    interrupted: &AtomicBool,
) -> Result<(), Failure> {
    let id = game.agents()[agent];
    *game.forest.tracer_mut() = Recorder::of(id);
    let tree = game.forest.tree(game.tree()).map_err(|error| Failure::Failed(error.to_string()))?.clone();
    let mut out = BufWriter::new(anstream::stdout().lock());
    writeln!(out, "{STRONG}{}{RESET}  agent {agent}", plain(tree.name()))?;
    let mut last: Vec<TraceEvent> = Vec::new();
    // The tick up to which nothing else happened than in the last one that was printed.
    let mut same: Option<u32> = None;
    let mut stopped = false;
    for at in 1..=pace.frames {
        frame(game, pace.dt)?;
        let events: Vec<TraceEvent> = game.forest.tracer_mut().take().into_iter().map(|it| it.1).collect();
        if events.is_empty() {
            // Asleep: the next tick's number will show it.
        } else if events == last {
            same = Some(at);
        } else {
            more(&mut out, same.take(), pace)?;
            writeln!(out, "{FAINT}tick {at}, {:.3} s{RESET}", pace.seconds(at))?;
            for event in &events {
                if let Some(line) = line(&tree, *event) {
                    writeln!(out, "  {line}")?;
                }
            }
            last = events;
        }
        if interrupted.load(Ordering::Relaxed) {
            stopped = true;
            break;
        }
    }
    more(&mut out, same, pace)?;
    out.flush()?;
    if stopped { Err(Failure::Interrupted) } else { Ok(()) }
}

fn more(out: &mut impl Write, same: Option<u32>, pace: Pace) -> std::io::Result<()> {
    match same {
        Some(tick) => writeln!(out, "  {FAINT}… the same until tick {tick}, {:.3} s{RESET}", pace.seconds(tick)),
        None => Ok(()),
    }
}

/// One event, or nothing for those that say no more than the tick's heading.
fn line(tree: &Tree<Arena>, event: TraceEvent) -> Option<String> {
    let style = |role: TraceRole| match role {
        TraceRole::Word if matches!(event, TraceEvent::Abort { .. }) => ABORT,
        TraceRole::Word | TraceRole::Text => Style::new(),
        TraceRole::Success => GOOD,
        TraceRole::Failure => BAD,
        TraceRole::Running => FAINT,
        TraceRole::Interrupted => ABORT,
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
