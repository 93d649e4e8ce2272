//! Games as commands play them: begun, and stepped frame by frame.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pleach::trace::{NoTracer, Tracer};
use pleach::{TickReport, Tree};

use crate::failure::Failure;
use crate::paths::shown;
use crate::world::{FrameReport, World, WorldError};

/// A game with so many agents of the file's tree.
///
/// # Errors
/// A tree that the world cannot play.
pub(crate) fn begin<W: World>(file: &Path, tree: Arc<Tree<W::Host>>, agents: u32, seed: u64) -> Result<W, Failure> {
    let game = W::begin(tree, agents, seed);
    game.map_err(|error| Failure::Failed(format!("cannot play `{}` in {}: {error}", shown(file), W::NAME)))
}

/// Plays one frame.
pub(crate) fn frame<W: World>(game: &mut W, dt: f32) -> Result<FrameReport, Failure> {
    Ok(timed_frame(game, dt)?.0)
}

/// Plays one frame. Returns what happened in it, and how long the agents' tick took.
pub(crate) fn timed_frame<W: World>(game: &mut W, dt: f32) -> Result<(FrameReport, Duration), Failure> {
    play(game, dt, &mut NoTracer).map_err(stopped::<W>)
}

/// Plays one frame that a recorder sees.
pub(crate) fn traced_frame<W: World>(game: &mut W, dt: f32, tracer: &mut impl Tracer) -> Result<FrameReport, Failure> {
    Ok(play(game, dt, tracer).map_err(stopped::<W>)?.0)
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
