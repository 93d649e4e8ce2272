//! `pleach run --watch`: what one agent is doing, as a drawing of its tree. Live on a terminal; elsewhere a new drawing
//! for each change of its active path.

mod screen;

use std::io::{BufWriter, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::builder::styling::Style;
use pleach::{AgentId, AgentView, NodeId, Phase, Recorder, Status, TraceEvent};
use pleach_arena::{Arena, Game};
use pleach_draw::{Drawing, Highlight};

use crate::failure::Failure;
use crate::paint::{ABORT, FAINT, GOOD, Parts, STRONG, VALUE, painted, parts};
use crate::run::{Pace, frame};
use crate::words::{node, value};

pub(crate) fn watch(
    game: &mut Game<Recorder>,
    agent: usize,
    pace: Pace,
    interrupted: &AtomicBool,
) -> Result<(), Failure> {
    let dumb = std::env::var_os("TERM").is_some_and(|it| it == "dumb");
    if !dumb && std::io::stdout().is_terminal() && std::io::stdin().is_terminal() {
        screen::run(game, agent, pace, interrupted)
    } else {
        print_changes(game, agent, pace, interrupted)
    }
}

/// The abort that an agent had last, with what its trace knows of it.
#[derive(Clone, Copy, Debug)]
struct LastAbort {
    frame: u32,
    scope: NodeId,
    by: NodeId,
    became: Option<Status>,
}

/// One agent, followed through the frames.
struct Watched {
    number: usize,
    id: AgentId,
    last_abort: Option<LastAbort>,
}

impl Watched {
    fn new(game: &mut Game<Recorder>, number: usize) -> Self {
        let id = game.agents()[number];
        *game.forest.tracer_mut() = Recorder::of(id);
        Watched { number, id, last_abort: None }
    }

    /// Lets a frame pass.
    fn step(&mut self, game: &mut Game<Recorder>, pace: Pace, at: u32) -> Result<(), Failure> {
        frame(game, pace.dt)?;
        let mut rechecked = None;
        for (_, event) in game.forest.tracer_mut().take() {
            match event {
                TraceEvent::Recheck(node, status) => rechecked = Some((node, status)),
                TraceEvent::Abort { scope, by } => {
                    let became = rechecked.filter(|it| it.0 == by).map(|it| it.1);
                    self.last_abort = Some(LastAbort { frame: at, scope, by, became });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn view(&self, game: &Game<Recorder>) -> Result<AgentView<Arena>, Failure> {
        game.forest.inspect(self.id).map_err(|error| Failure::Failed(error.to_string()))
    }

    /// The line above the drawing.
    fn heading(&self, view: &AgentView<Arena>, pace: Pace, at: u32) -> Parts {
        let phase = match view.phase {
            Phase::Active => "active",
            Phase::Asleep => "asleep",
            Phase::Paused => "paused",
            Phase::Off => "off",
            Phase::Panicked => "panicked",
        };
        vec![
            (STRONG, view.tree.name().escape_debug().to_string()),
            (Style::new(), format!("  agent {}", self.number)),
            (FAINT, format!("  {:.2} s, frame {at}, ", pace.seconds(at))),
            (if view.phase == Phase::Active { GOOD } else { FAINT }, phase.into()),
        ]
    }

    fn drawing(view: &AgentView<Arena>) -> Vec<Parts> {
        Drawing::of(&view.tree).highlight(Highlight::of(view)).text().lines.iter().map(parts).collect()
    }

    /// The lines below the drawing: every key, and the last abort.
    fn facts(&self, view: &AgentView<Arena>, pace: Pace) -> Vec<Parts> {
        let width = view.keys.iter().map(|it| it.0.name().chars().count()).max().unwrap_or(0);
        let mut lines: Vec<Parts> = Vec::new();
        if let Some(LastAbort { frame, scope, by, became }) = self.last_abort {
            let label = |id: NodeId| view.tree.node(id).map_or_else(|| id.to_string(), node);
            let became = match became {
                Some(Status::Success) => " became true",
                Some(Status::Failure) => " became false",
                Some(Status::Running) | None => " changed",
            };
            lines.push(vec![
                (ABORT, "last abort  ".into()),
                (
                    Style::new(),
                    format!("at {:.2} s: {}{became}, {} went there", pace.seconds(frame), label(by), label(scope)),
                ),
            ]);
        }
        for (key, held) in &view.keys {
            let changed = *held != key.default();
            lines.push(vec![
                (FAINT, format!("{:width$}  ", key.name())),
                (if changed { VALUE } else { FAINT }, value(view.tree.schema(), *held)),
            ]);
        }
        lines
    }
}

fn print_changes(game: &mut Game<Recorder>, agent: usize, pace: Pace, interrupted: &AtomicBool) -> Result<(), Failure> {
    let mut watched = Watched::new(game, agent);
    let mut out = BufWriter::new(anstream::stdout().lock());
    let mut path: Option<Vec<Vec<NodeId>>> = None;
    for at in 1..=pace.frames {
        watched.step(game, pace, at)?;
        let view = watched.view(game)?;
        if path.as_ref() != Some(&view.stacks) {
            if path.is_some() {
                writeln!(out)?;
            }
            writeln!(out, "{}", painted(&watched.heading(&view, pace, at)))?;
            for line in Watched::drawing(&view).iter().chain(&watched.facts(&view, pace)) {
                writeln!(out, "{}", painted(line))?;
            }
            // Whoever reads the pipe wants to see it now.
            out.flush()?;
            path = Some(view.stacks);
        }
        if interrupted.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
    }
    Ok(())
}
