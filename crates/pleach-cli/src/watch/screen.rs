//! The live view, on a second screen of the terminal. The first screen stays as it was.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use clap::builder::styling::Style;
use crossterm::event::{self, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::{cursor, execute, queue, terminal};
use pleach_view::living;

use super::Watched;
use super::page::{self, Look, Move, Shown};
use crate::ctrl_c::EndSignals;
use crate::failure::Failure;
use crate::pace::Pace;
use crate::paint::{Parts, fitted};
use crate::session::Session;
use crate::world::World;

/// The most time that the frames of one picture may take. A slow machine then plays slower than
/// real time, but still reads the keyboard.
const MOST_AT_ONCE: Duration = Duration::from_millis(50);
/// How long the program may take to end by itself after a signal.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long a picture stays.
const PICTURE: Duration = Duration::from_millis(33);
/// The fastest is 16 times real time, the slowest a 16th.
const FASTEST: i32 = 4;

/// The second screen. When it is dropped, the terminal is as before.
struct Screen;

impl Screen {
    fn open() -> io::Result<Screen> {
        terminal::enable_raw_mode()?;
        // From here on, the drop undoes everything.
        let screen = Screen;
        execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
        Ok(screen)
    }

    /// Gives the terminal back while another thread may hold the lock of standard output, or be in
    /// the middle of a picture.
    fn abandon() {
        #[cfg(unix)]
        {
            let mut bytes = Vec::new();
            // A list takes all bytes, and errors of the terminal cannot be shown any more.
            let _ = execute!(bytes, terminal::EndSynchronizedUpdate, cursor::Show, terminal::LeaveAlternateScreen);
            let _ = rustix::io::write(rustix::stdio::stdout(), &bytes);
            let _ = terminal::disable_raw_mode();
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // An error cannot be shown any more.
        let _ = execute!(io::stdout(), cursor::Show, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// What the user asked for with the keyboard.
#[derive(Default)]
struct Controls {
    paused: bool,
    step: bool,
    /// How many times as fast as real time, as a power of two.
    speed: i32,
    quit: bool,
    /// Ctrl-C was pressed. A terminal in raw mode sends no signal for it.
    ctrl_c: bool,
    /// By how many agents to move on: -1, 0 or 1.
    other: i8,
    look: Look,
}

pub(super) fn run<W: World>(game: &mut W, agent: usize, session: &mut Session<'_, W::Host>) -> Result<(), Failure> {
    let signals = EndSignals::listen(PATIENCE, Screen::abandon)?;
    let screen = Screen::open()?;
    let done = play(game, agent, session, &|| match signals.exit_code() {
        Some(code) => Err(Failure::Signal(code)),
        None => Ok(()),
    });
    drop(screen);
    // A terminal that was closed can be neither written nor read. That may show before the signal
    // comes.
    match (done, signals.exit_code()) {
        (Err(_), Some(code)) => Err(Failure::Signal(code)),
        (Err(Failure::Output(_)), None) => Err(Failure::Signal(EndSignals::HANG_UP)),
        (done, _) => done,
    }
}

/// Plays until the user quits, or `go_on` says why not.
fn play<W: World>(
    game: &mut W,
    agent: usize,
    session: &mut Session<'_, W::Host>,
    go_on: &dyn Fn() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let pace = session.pace;
    let plain = anstream::AutoStream::choice(&io::stdout()) == anstream::ColorChoice::Never;
    let mut watched = Watched::new(game, agent);
    let mut controls = Controls::default();
    let mut at = 0;
    // Seconds of game time that are still to be played.
    let mut due = 0.0;
    let mut last = Instant::now();
    let mut news = Vec::new();
    loop {
        if let Some(found) = session.look(game, None) {
            news = found.into_lines();
        }
        let now = Instant::now();
        due += (now - last).min(Duration::from_millis(250)).as_secs_f64() * f64::from(controls.speed).exp2();
        last = now;
        if controls.paused {
            due = 0.0;
        }
        if std::mem::take(&mut controls.step) {
            due = f64::from(pace.dt);
        }
        while due >= f64::from(pace.dt) && at < pace.frames {
            due -= f64::from(pace.dt);
            at += 1;
            session.frame(game, None)?;
            if now.elapsed() > MOST_AT_ONCE {
                due = 0.0;
            }
        }
        let shown = draw(&watched, game, pace, at, &controls, &news, plain)?;
        let next = now + PICTURE;
        while event::poll(next.saturating_duration_since(Instant::now()))? {
            if let event::Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
            {
                press(&mut controls, key.code, key.modifiers, &shown);
            }
            // A key that is held down must not stop the picture.
            if Instant::now() >= next {
                break;
            }
        }
        go_on()?;
        if controls.ctrl_c || session.ctrl_c.pressed() {
            return Err(Failure::EndedEarly);
        }
        if controls.quit {
            return Ok(());
        }
        let agents = game.agents().len();
        match std::mem::take(&mut controls.other) {
            0 => {}
            by => {
                let number = if by > 0 { watched.number + 1 } else { watched.number + agents - 1 };
                watched = Watched::new(game, number % agents);
            }
        }
    }
}

/// `shown` is what the user saw when a key was pressed.
fn press(controls: &mut Controls, code: KeyCode, modifiers: KeyModifiers, shown: &Shown) {
    match code {
        KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => controls.ctrl_c = true,
        KeyCode::Char(_) if modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {}
        KeyCode::Char('q') | KeyCode::Esc => controls.quit = true,
        KeyCode::Char(' ') => controls.paused = !controls.paused,
        KeyCode::Char('n') => (controls.paused, controls.step) = (true, true),
        KeyCode::Char('+' | '=') => controls.speed = (controls.speed + 1).min(FASTEST),
        KeyCode::Char('-') => controls.speed = (controls.speed - 1).max(-FASTEST),
        KeyCode::Left => controls.other = -1,
        KeyCode::Right => controls.other = 1,
        _ => {
            let it = match code {
                KeyCode::Up | KeyCode::Char('k') => Move::Lines(-1),
                KeyCode::Down | KeyCode::Char('j') => Move::Lines(1),
                KeyCode::PageUp => Move::Pages(-1),
                KeyCode::PageDown => Move::Pages(1),
                KeyCode::Home => Move::Begin,
                KeyCode::End => Move::End,
                KeyCode::Enter => Move::Follow,
                KeyCode::Char('f') => Move::Fold,
                _ => return,
            };
            controls.look.go(it, shown);
        }
    }
}

fn draw<W: World>(
    watched: &Watched,
    game: &W,
    pace: Pace,
    at: u32,
    controls: &Controls,
    news: &[Parts],
    plain: bool,
) -> Result<Shown, Failure> {
    let (columns, rows) = terminal::size()?;
    let (columns, rows) = (usize::from(columns), usize::from(rows));
    let view = watched.view(game)?;
    let moment = living(&view, pace.seconds(at));
    let mut heading = watched.heading(&view, &moment, at);
    let state = match controls {
        _ if at >= pace.frames => "  the end".into(),
        it if it.paused => "  stopped".into(),
        it if it.speed < 0 => format!("  1/{} of real time", 1 << -it.speed),
        it if it.speed > 0 => format!("  {} x real time", 1 << it.speed),
        _ => String::new(),
    };
    heading.push((Style::new(), state));
    let shown = page::shown(heading, news, (&view, &moment), controls.look, (columns, rows));
    let mut out = io::BufWriter::new(io::stdout().lock());
    queue!(out, terminal::BeginSynchronizedUpdate)?;
    for (row, line) in (0_u16..).zip(&shown.lines) {
        queue!(out, cursor::MoveTo(0, row))?;
        write!(out, "{}", fitted(line, columns, plain))?;
        queue!(out, terminal::Clear(terminal::ClearType::UntilNewLine))?;
    }
    queue!(out, terminal::Clear(terminal::ClearType::FromCursorDown))?;
    queue!(out, cursor::MoveTo(0, u16::try_from(rows.saturating_sub(1)).unwrap_or(0)))?;
    write!(out, "{}", fitted(&shown.help, columns, plain))?;
    queue!(out, terminal::EndSynchronizedUpdate)?;
    out.flush()?;
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_do_what_the_help_says() {
        let mut controls = Controls::default();
        let mut press = |code, modifiers| super::press(&mut controls, code, modifiers, &Shown::default());
        press(KeyCode::Char('q'), KeyModifiers::CONTROL);
        press(KeyCode::Char('f'), KeyModifiers::ALT);
        press(KeyCode::Char('c'), KeyModifiers::CONTROL);
        (0..9).for_each(|_| press(KeyCode::Char('+'), KeyModifiers::NONE));
        assert!(controls.ctrl_c && !controls.quit, "the exit code says so");
        assert_eq!((controls.look, controls.speed), (Look::default(), FASTEST));
        let mut press = |code| super::press(&mut controls, code, KeyModifiers::NONE, &Shown::default());
        press(KeyCode::Char('q'));
        press(KeyCode::Char('f'));
        press(KeyCode::Char('-'));
        assert!(controls.quit && controls.look != Look::default());
        assert_eq!(controls.speed, FASTEST - 1);
    }
}
