//! `pleach run --trace`: everything that happens to one agent, tick by tick. A trace holds no time
//! that was measured, so that two traces can be compared.

use std::io::{BufWriter, Write};

use clap::builder::styling::Style;
use pleach::tools::text::plain;
use pleach::{
    Host, Tree,
    trace::{Recorder, TraceEvent},
};
use pleach_draw::{TraceLine, TraceRole};

use crate::agents;
use crate::ctrl_c::CtrlC;
use crate::failure::Failure;
use crate::pace::Pace;
use crate::paint::{ABORT, BAD, FAINT, GOOD, Parts, RESET, STRONG, VALUE, painted};
use crate::play::{Witness, traced_frame};
use crate::reload::Reload;
use crate::world::World;

/// Prints the trace of the agent that was spawned as the `agent`-th.
pub(crate) fn trace<W: World>(
    game: &mut W,
    agent: usize,
    pace: Pace,
    mut reload: Option<Reload<'_, W::Host>>,
    ctrl_c: &CtrlC,
) -> Result<(), Failure> {
    let mut recorder = Recorder::of([game.agents()[agent]]);
    let traced = game.forest().agent(game.agents()[agent]).map_err(|error| Failure::Failed(error.to_string()))?;
    let (mut tree, heading) = (traced.tree().clone(), agents::heading(traced.label(), agent));
    let mut out = BufWriter::new(anstream::stdout().lock());
    writeln!(out, "{STRONG}{}{RESET}  {heading}", plain(tree.name()))?;
    let mut last: Vec<TraceEvent> = Vec::new();
    // The last tick whose events are those of the tick that was printed last.
    let mut same: Option<u32> = None;
    let mut ended_early = false;
    for at in 1..=pace.frames {
        if let Some(reload) = &mut reload {
            out.flush()?;
            reload.wait(pace, at, ctrl_c);
            if let Some(news) = reload.look(game, Some(Witness::Recorder(&mut recorder))) {
                more(&mut out, same.take(), pace)?;
                writeln!(out, "{}", news.text())?;
                // What ends is of the old tree.
                for event in recorder.take() {
                    if let Some(line) = line(&tree, event.event) {
                        writeln!(out, "  {line}")?;
                    }
                }
                if let Some(new) = news.tree {
                    (tree, last) = (new, Vec::new());
                }
            }
        }
        traced_frame(game, pace.dt, &mut recorder)?;
        let events: Vec<TraceEvent> = recorder.take().into_iter().map(|it| it.event).collect();
        if events.is_empty() {
            // The agent is asleep. The number of the next tick shows it.
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
        if ctrl_c.pressed() {
            ended_early = true;
            break;
        }
    }
    more(&mut out, same, pace)?;
    out.flush()?;
    if ended_early { Err(Failure::EndedEarly) } else { Ok(()) }
}

fn more(out: &mut impl Write, same: Option<u32>, pace: Pace) -> std::io::Result<()> {
    match same {
        Some(tick) => writeln!(out, "  {FAINT}… the same until tick {tick}, {:.3} s{RESET}", pace.seconds(tick)),
        None => Ok(()),
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
