//! `run --listen`: a run that `pleach studio` watches and steers.

use std::thread::sleep;
use std::time::{Duration, Instant};

use pleach::Host;
use pleach_tap::Tap;

use crate::args::RunArgs;
use crate::failure::{Failure, say};
use crate::session::Session;
use crate::world::World;

/// Plays the run in real time until its end or Ctrl-C. While the studio has stopped the clock, no
/// frame is played.
///
/// # Errors
/// No port can be opened, or the world stops.
pub(super) fn listen<W: World>(
    game: &mut W,
    args: &RunArgs,
    session: &mut Session<'_, W::Host>,
) -> Result<(), Failure> {
    let name = args.listen.as_deref().unwrap_or_default();
    let mut tap = Tap::listen(name).map_err(|it| Failure::Failed(format!("cannot listen: {it}")))?;
    say(format_args!("listens as `{name}`: `pleach studio` shows it. Ctrl-C ends the run"));
    let pace = session.pace;
    let step = Duration::from_secs_f64(1.0 / f64::from(pace.hz));
    let (mut due, mut played, mut is_reloaded) = (Instant::now(), 0, false);
    while played < pace.frames && !session.ctrl_c.pressed() {
        if let Some(news) = session.look(game, None) {
            say(news.text());
            news.tell_warnings();
            is_reloaded = news.tree.is_some();
            tap.say(&news.for_studio(tap.is_paused()));
        }
        if let Some(dt) = tap.pace(pace.dt) {
            session.frame_of(game, dt, None)?;
            played += 1;
            if is_reloaded {
                // The frame shows it.
                tap.say("");
                is_reloaded = false;
            }
        }
        pump(&mut tap, game, session);
        // A late frame is not made up for.
        due = (due + step).max(Instant::now());
        sleep(due.saturating_duration_since(Instant::now()));
    }
    Ok(())
}

fn pump<W: World<Host = H>, H: Host>(tap: &mut Tap, game: &mut W, session: &mut Session<'_, H>) {
    if let Some(recording) = session.recording() {
        tap.pump(game.forest_mut(), recording);
    }
}
