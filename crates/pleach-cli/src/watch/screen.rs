//! The live view: a second screen of the terminal, left as it was found.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::builder::styling::Style;
use crossterm::event::{self, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::{cursor, execute, queue, terminal};
use pleach::Recorder;
use pleach_arena::Game;

use super::Watched;
use crate::failure::Failure;
use crate::paint::{FAINT, Parts, fitted};
use crate::run::Pace;

/// The longest time that one picture may stand for, so that a slow machine falls behind instead of hanging.
const MOST_AT_ONCE: Duration = Duration::from_millis(50);
const PICTURE: Duration = Duration::from_millis(33);
const SLOWEST: f64 = 1.0 / 16.0;
const FASTEST: f64 = 16.0;

/// Gives the terminal back, however the view ends.
struct Screen;

impl Screen {
    fn open() -> io::Result<Screen> {
        terminal::enable_raw_mode()?;
        // From here on dropping it undoes everything.
        let screen = Screen;
        execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // There is nobody left to tell.
        let _ = execute!(io::stdout(), cursor::Show, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// What the keyboard decided.
struct Controls {
    paused: bool,
    step: bool,
    speed: f64,
    quit: bool,
    /// To another agent.
    other: i8,
}

pub(super) fn run(
    game: &mut Game<Recorder>,
    agent: usize,
    pace: Pace,
    interrupted: &AtomicBool,
) -> Result<(), Failure> {
    let plain = anstream::AutoStream::choice(&io::stdout()) == anstream::ColorChoice::Never;
    let mut watched = Watched::new(game, agent);
    let mut controls = Controls { paused: false, step: false, speed: 1.0, quit: false, other: 0 };
    let _screen = Screen::open()?;
    let mut at = 0;
    // Seconds of the game that are to be made up.
    let mut due = 0.0;
    let mut last = Instant::now();
    loop {
        let now = Instant::now();
        due += (now - last).min(Duration::from_millis(250)).as_secs_f64() * controls.speed;
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
            watched.step(game, pace, at)?;
            if now.elapsed() > MOST_AT_ONCE {
                due = 0.0;
            }
        }
        draw(&watched, game, pace, at, &controls, plain)?;
        let next = now + PICTURE;
        while event::poll(next.saturating_duration_since(Instant::now()))? {
            if let event::Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
            {
                press(&mut controls, key.code, key.modifiers);
            }
            // A held key must not keep the picture from moving.
            if Instant::now() >= next {
                break;
            }
        }
        if controls.quit || interrupted.load(Ordering::Relaxed) {
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

fn press(controls: &mut Controls, code: KeyCode, modifiers: KeyModifiers) {
    match code {
        KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => controls.quit = true,
        KeyCode::Char('q') | KeyCode::Esc => controls.quit = true,
        KeyCode::Char(' ') => controls.paused = !controls.paused,
        KeyCode::Char('n') => (controls.paused, controls.step) = (true, true),
        KeyCode::Char('+' | '=') => controls.speed = (controls.speed * 2.0).min(FASTEST),
        KeyCode::Char('-') => controls.speed = (controls.speed / 2.0).max(SLOWEST),
        KeyCode::Left => controls.other = -1,
        KeyCode::Right => controls.other = 1,
        _ => {}
    }
}

fn draw(
    watched: &Watched,
    game: &Game<Recorder>,
    pace: Pace,
    at: u32,
    controls: &Controls,
    plain: bool,
) -> Result<(), Failure> {
    let (columns, rows) = terminal::size()?;
    let (columns, rows) = (usize::from(columns), usize::from(rows));
    let view = watched.view(game)?;
    let mut heading = watched.heading(&view, pace, at);
    let state = match controls {
        _ if at >= pace.frames => "  the end".into(),
        it if it.paused => "  stopped".into(),
        it if it.speed < 1.0 => format!("  1/{} of real time", 1.0 / it.speed),
        it if it.speed > 1.0 => format!("  {} x real time", it.speed),
        _ => String::new(),
    };
    heading.push((Style::new(), state));
    let help: Parts = vec![(FAINT, "space stop/go   n one frame   ←→ other agent   +- speed   q quit".into())];
    let facts = watched.facts(&view, pace);
    // The heading, the help and two empty lines stay; the tree has what is left, but at least half.
    let room = rows.saturating_sub(4);
    let for_tree = room.saturating_sub(facts.len()).max(room / 2).min(view.tree.len());
    let top = view.tops().map(pleach::NodeId::index).min().unwrap_or(0);
    // A tree that is too tall is shown around the first top.
    let from = top.saturating_sub(for_tree / 2).min(view.tree.len() - for_tree);
    let tree = Watched::drawing(&view);
    let empty = [Parts::new()];
    let mut lines: Vec<&Parts> = vec![&heading, &empty[0]];
    lines.extend(tree.iter().skip(from).take(for_tree));
    lines.push(&empty[0]);
    lines.extend(facts.iter().take(room - for_tree));
    lines.truncate(rows.saturating_sub(1));
    let mut out = io::BufWriter::new(io::stdout().lock());
    queue!(out, terminal::BeginSynchronizedUpdate)?;
    for (row, line) in (0_u16..).zip(&lines) {
        queue!(out, cursor::MoveTo(0, row))?;
        write!(out, "{}", fitted(line, columns, plain))?;
        queue!(out, terminal::Clear(terminal::ClearType::UntilNewLine))?;
    }
    queue!(out, terminal::Clear(terminal::ClearType::FromCursorDown))?;
    queue!(out, cursor::MoveTo(0, u16::try_from(rows.saturating_sub(1)).unwrap_or(0)))?;
    write!(out, "{}", fitted(&help, columns, plain))?;
    queue!(out, terminal::EndSynchronizedUpdate)?;
    out.flush()?;
    Ok(())
}
