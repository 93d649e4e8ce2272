//! `pleach run --trace`: everything that happens to one agent, tick by tick. No times of this machine are in it, so that
//! two traces can be compared.

use std::io::{BufWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::builder::styling::Style;
use pleach::{AgentId, NodeId, Outcome, Reason, Recorder, Status, TraceEvent, Tree};
use pleach_arena::{Arena, Game};

use crate::failure::Failure;
use crate::paint::{ABORT, BAD, FAINT, GOOD, RESET, STRONG, VALUE};
use crate::run::{Pace, frame};
use crate::words::{node, value};

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
    writeln!(out, "{STRONG}{}{RESET}  agent {agent}", tree.name().escape_debug())?;
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
    let label = |id: NodeId| tree.node(id).map_or_else(|| id.to_string(), node);
    let word = |word: &str| format!("{word:<10}");
    Some(match event {
        TraceEvent::Tick | TraceEvent::TickEnd => return None,
        TraceEvent::Start(id) => format!("{}{}", word("start"), label(id)),
        TraceEvent::Update(id, status) => format!("{}{} -> {}", word("update"), label(id), status_word(status)),
        TraceEvent::Recheck(id, status) => format!("{}{} -> {}", word("recheck"), label(id), status_word(status)),
        TraceEvent::Check(id, holds) => {
            format!("{}{} -> {}", word("check"), label(id), status_word(Status::from_bool(holds)))
        }
        TraceEvent::Service(id, index) => format!("{}{}, service {index}", word("service"), label(id)),
        TraceEvent::Switch(id) => format!("{}{} turns to a better child", word("switch"), label(id)),
        TraceEvent::Emit(id, event) => {
            let payload = event.value().map(|it| format!(" {VALUE}{}{RESET}", value(tree.schema(), it)));
            format!("{}{}{}", word("emit"), label(id), payload.unwrap_or_default())
        }
        TraceEvent::End(id, outcome) => format!("{}{} -> {}", word("end"), label(id), outcome_word(outcome)),
        TraceEvent::Interrupted(id, reason) => {
            format!("{}{} -> {ABORT}ended: {}{RESET}", word("end"), label(id), reason_word(reason))
        }
        TraceEvent::Abort { scope, by } => {
            format!("{ABORT}{}{RESET}{} goes on at {}", word("abort"), label(scope), label(by))
        }
        TraceEvent::Pause(id) => format!("{}{}", word("pause"), label(id)),
        TraceEvent::Unpause(id) => format!("{}{}", word("unpause"), label(id)),
    })
}

pub(crate) fn status_word(status: Status) -> String {
    let (style, word): (Style, &str) = match status {
        Status::Success => (GOOD, "success"),
        Status::Failure => (BAD, "failure"),
        Status::Running => (FAINT, "running"),
    };
    format!("{style}{word}{RESET}")
}

fn outcome_word(outcome: Outcome) -> String {
    status_word(outcome.into())
}

fn reason_word(reason: Reason) -> &'static str {
    match reason {
        Reason::Abort => "aborted",
        Reason::Decided => "the parallel is decided",
        Reason::Stopped => "stopped",
        Reason::Replaced => "the tree was replaced",
        Reason::Despawned => "despawned",
    }
}
