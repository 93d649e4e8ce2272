//! Games as commands play them: begun, and stepped frame by frame.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pleach::{TickReport, Tree, trace::Recorder};
use pleach_arena::{Arena, FrameError, FrameReport, Game};

use crate::failure::Failure;
use crate::paths::shown;

/// A game with so many agents of the file's tree.
///
/// # Errors
/// A tree that the arena cannot play.
pub(crate) fn begin(file: &Path, tree: Arc<Tree<Arena>>, agents: u32, seed: u64) -> Result<Game, Failure> {
    let game = Game::new(tree, agents as usize, seed);
    game.map_err(|error| Failure::Failed(format!("cannot play `{}` in the arena: {error}", shown(file))))
}

/// Plays one frame.
pub(crate) fn frame(game: &mut Game, dt: f32) -> Result<FrameReport, Failure> {
    Ok(timed_frame(game, dt)?.0)
}

/// Plays one frame. Returns what happened in it, and how long the agents' tick took.
pub(crate) fn timed_frame(game: &mut Game, dt: f32) -> Result<(FrameReport, Duration), Failure> {
    let mut play = || {
        let heard = game.perceive()?;
        let before = Instant::now();
        let report = game.think(dt)?;
        let tick = before.elapsed();
        game.world.step(dt)?;
        Ok((FrameReport { events: heard + report.events, ..report }, tick))
    };
    play().map_err(stopped)
}

/// Plays one frame that a recorder sees.
pub(crate) fn traced_frame(game: &mut Game, dt: f32, recorder: &mut Recorder) -> Result<FrameReport, Failure> {
    game.frame_traced(dt, recorder).map_err(stopped)
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` gives it away")]
fn stopped(error: FrameError) -> Failure {
    Failure::Failed(format!("the arena stopped: {error}"))
}

/// Adds the report of a tick to a sum.
pub(crate) fn add(sum: &mut TickReport, tick: TickReport) {
    let TickReport { ticked, asleep, ended, aborts } = tick;
    sum.ticked += ticked;
    sum.asleep += asleep;
    sum.ended += ended;
    sum.aborts += aborts;
}
