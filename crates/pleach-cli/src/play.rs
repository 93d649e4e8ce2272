//! Games as commands play them: begun, and stepped frame by frame.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pleach::record::Recording;
use pleach::trace::{NoTracer, Recorder, TraceEvent, TraceNames, Tracer};
use pleach::{AgentId, TickReport, Tree};

use crate::counts::{self, Counts};
use crate::failure::Failure;
use crate::paths::shown;
use crate::world::{FrameReport, World, WorldError};

/// Receives the agents' events.
pub(crate) enum Witness<'a> {
    Recorder(&'a mut Recorder),
    /// Counts for all nodes of the tree.
    Counts(&'a mut [Counts]),
}

/// Receives the agents' events, and records the run. It is one type for all commands, as the
/// machine is compiled once per type of tracer.
pub(crate) type Watchers<'a> = (Option<Witness<'a>>, Option<&'a mut Recording>);

impl Tracer for Witness<'_> {
    const ENABLED: bool = true;
    fn wants(&self, agent: AgentId) -> bool {
        match self {
            Witness::Recorder(it) => it.wants(agent),
            Witness::Counts(_) => true,
        }
    }
    fn frame(&mut self, frame: u64, time: f64) {
        match self {
            Witness::Recorder(it) => it.frame(frame, time),
            Witness::Counts(_) => {}
        }
    }
    fn record(&mut self, agent: AgentId, event: TraceEvent) {
        match self {
            Witness::Recorder(it) => it.record(agent, event),
            Witness::Counts(it) => counts::count(it, &event),
        }
    }
    fn record_named(&mut self, names: impl FnOnce() -> Arc<TraceNames>, agent: AgentId, event: TraceEvent) {
        match self {
            Witness::Recorder(it) => it.record_named(names, agent, event),
            Witness::Counts(it) => counts::count(it, &event),
        }
    }
}

/// A game with `agents` agents of the file's tree.
///
/// # Errors
/// The world cannot play the tree.
pub(crate) fn begin<W: World>(file: &Path, tree: Arc<Tree<W::Host>>, agents: u32, seed: u64) -> Result<W, Failure> {
    let game = W::begin(tree, agents, seed);
    game.map_err(|error| Failure::Failed(format!("cannot play `{}` in {}: {error}", shown(file), W::NAME)))
}

/// Plays one frame that a recorder sees.
pub(crate) fn traced_frame<W: World>(game: &mut W, dt: f32, recorder: &mut Recorder) -> Result<FrameReport, Failure> {
    Ok(timed_frame(game, dt, Some((Some(Witness::Recorder(recorder)), None)))?.0)
}

/// Plays one frame. Returns what happened in it, and how long the agents' tick took.
pub(crate) fn timed_frame<W: World>(
    game: &mut W,
    dt: f32,
    watchers: Option<Watchers<'_>>,
) -> Result<(FrameReport, Duration), Failure> {
    match watchers {
        Some(mut it) => play(game, dt, &mut it),
        None => play(game, dt, &mut NoTracer),
    }
    .map_err(stopped::<W>)
}

fn play<W: World>(game: &mut W, dt: f32, tracer: &mut impl Tracer) -> Result<(FrameReport, Duration), WorldError> {
    let heard = game.sense()?;
    let before = Instant::now();
    let report = game.think(dt, tracer)?;
    let tick = before.elapsed();
    game.step(dt)?;
    Ok((FrameReport { events: heard + report.events, ..report }, tick))
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` gives it away")]
fn stopped<W: World>(error: WorldError) -> Failure {
    Failure::Failed(format!("{} stopped: {error}", W::NAME))
}

/// Adds the report of a tick to a sum.
pub(crate) fn add(sum: &mut TickReport, tick: TickReport) {
    let TickReport { ticked, asleep, ended, aborts, .. } = tick;
    sum.ticked += ticked;
    sum.asleep += asleep;
    sum.ended += ended;
    sum.aborts += aborts;
}
