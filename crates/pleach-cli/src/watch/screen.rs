//! The live view, on a second screen of the terminal. The first screen stays as it was.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use clap::builder::styling::Style;
use crossterm::event::{self, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::{cursor, execute, queue, terminal};
use unicode_width::UnicodeWidthStr;

use super::Watched;
use crate::ctrl_c::{CtrlC, EndSignals};
use crate::failure::Failure;
use crate::pace::Pace;
use crate::paint::{FAINT, Parts, fitted};
use crate::play::frame;
use crate::reload::Reload;
use crate::world::World;

/// The most time that the frames of one picture may take. A slow machine then plays slower than
/// real time, but still reads the keyboard.
const MOST_AT_ONCE: Duration = Duration::from_millis(50);
/// How long a picture stands.
const PICTURE: Duration = Duration::from_millis(33);
const SLOWEST: f64 = 1.0 / 16.0;
const FASTEST: f64 = 16.0;

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

const LONG_HELP: &str = "space stop/go   n one frame   ←→ other agent   +- speed   q quit";
/// The same in short, for narrow terminals.
const HELP: &str = "space n ←→ +- q";
/// In a terminal that is narrower than this, the running leaf may be indented out of sight.
const NARROW: usize = 40;

/// Everything that can be shown. The size of the terminal decides how much of it is.
struct Page {
    heading: Parts,
    /// What became of the last change of the files.
    news: Vec<Parts>,
    doing: Parts,
    tree: Vec<Parts>,
    /// The line of the tree that must be visible: the top of a run stack.
    top: usize,
    facts: Vec<Parts>,
}

impl Page {
    /// At most as many lines as there are rows, the important ones first: what the agent is doing,
    /// the tree around that, the last abort, the blackboard.
    fn lines(mut self, columns: usize, rows: usize) -> Vec<Parts> {
        let mut lines = Vec::new();
        if columns < NARROW || self.tree.len() + 3 > rows {
            lines.push(self.doing);
        }
        lines.push(self.heading);
        // A small terminal shows that something has changed, and a large one what.
        let news = (rows / 4).min(self.news.len());
        lines.extend(self.news.drain(..news));
        let left = rows.saturating_sub(lines.len());
        let spaced = self.tree.len() + self.facts.len() + 2 <= left;
        if spaced {
            lines.push(Parts::new());
        }
        // A tall tree leaves a third of the rows to the facts, unless the terminal is very small.
        let rest = if left < 9 || self.tree.len() + 2 <= left { 0 } else { (left / 3).min(self.facts.len()) };
        let for_tree = (left - rest).min(self.tree.len());
        // The lines that are farthest from the top are left out.
        let from = self.top.saturating_sub(for_tree / 2).min(self.tree.len() - for_tree);
        lines.extend(self.tree.drain(from..from + for_tree));
        if spaced {
            lines.push(Parts::new());
        }
        let room = rows.saturating_sub(lines.len());
        if self.facts.len() > room && room > 0 {
            self.facts.truncate(room - 1);
            self.facts.push(vec![(FAINT, "…".into())]);
        }
        lines.extend(self.facts);
        lines.truncate(rows);
        lines
    }
}

/// What the user asked for with the keyboard.
struct Controls {
    paused: bool,
    step: bool,
    speed: f64,
    quit: bool,
    /// Ctrl-C was pressed. A terminal in raw mode sends no signal for it.
    ctrl_c: bool,
    /// By how many agents to move on: -1, 0 or 1.
    other: i8,
}

pub(super) fn run<W: World>(
    game: &mut W,
    agent: usize,
    pace: Pace,
    reload: Option<Reload<'_, W::Host>>,
    ctrl_c: &CtrlC,
) -> Result<(), Failure> {
    let signals = EndSignals::listen(Screen::abandon)?;
    let screen = Screen::open()?;
    let done = play(game, agent, pace, reload, &|| {
        if let Some(code) = signals.exit_code() {
            return Err(Failure::Signal(code));
        }
        if ctrl_c.pressed() { Err(Failure::EndedEarly) } else { Ok(()) }
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
    pace: Pace,
    mut reload: Option<Reload<'_, W::Host>>,
    go_on: &dyn Fn() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let plain = anstream::AutoStream::choice(&io::stdout()) == anstream::ColorChoice::Never;
    let mut watched = Watched::new(game, agent);
    let mut controls = Controls { paused: false, step: false, speed: 1.0, quit: false, ctrl_c: false, other: 0 };
    let mut at = 0;
    // Seconds of game time that are still to be played.
    let mut due = 0.0;
    let mut last = Instant::now();
    let mut news = Vec::new();
    loop {
        if let Some(found) = reload.as_mut().and_then(|it| it.look(game, None)) {
            news = found.into_lines();
        }
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
            frame(game, pace.dt)?;
            if now.elapsed() > MOST_AT_ONCE {
                due = 0.0;
            }
        }
        draw(&watched, game, pace, at, &controls, &news, plain)?;
        let next = now + PICTURE;
        while event::poll(next.saturating_duration_since(Instant::now()))? {
            if let event::Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
            {
                press(&mut controls, key.code, key.modifiers);
            }
            // A key that is held down must not stop the picture.
            if Instant::now() >= next {
                break;
            }
        }
        go_on()?;
        if controls.ctrl_c {
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

fn press(controls: &mut Controls, code: KeyCode, modifiers: KeyModifiers) {
    match code {
        KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => controls.ctrl_c = true,
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

fn draw<W: World>(
    watched: &Watched,
    game: &W,
    pace: Pace,
    at: u32,
    controls: &Controls,
    news: &[Parts],
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
    let help: Parts = vec![(FAINT, if columns < LONG_HELP.width() { HELP } else { LONG_HELP }.into())];
    let top = view.current().map(pleach::NodeId::index).min().unwrap_or(0);
    let page = Page {
        heading,
        news: news.to_vec(),
        doing: Watched::doing(&view),
        tree: Watched::drawing(&view),
        top,
        facts: Watched::facts(&view),
    };
    let lines = page.lines(columns, rows.saturating_sub(1));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(columns: usize, rows: usize) -> Vec<String> {
        let line = |text: &str| vec![(Style::new(), text.to_string())];
        let numbered = |what: &str| (0..10).map(|it| line(&format!("{what} {it}"))).collect();
        let (heading, doing, tree, facts) = (line("heading"), line("doing"), numbered("node"), numbered("fact"));
        let page = Page { heading, news: Vec::new(), doing, tree, top: 9, facts };
        page.lines(columns, rows).iter().map(|it| fitted(it, 99, true)).collect()
    }

    #[test]
    fn ctrl_c_is_not_quit() {
        let mut controls = Controls { paused: false, step: false, speed: 1.0, quit: false, ctrl_c: false, other: 0 };
        press(&mut controls, KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert!(controls.ctrl_c && !controls.quit, "the exit code says so");
        press(&mut controls, KeyCode::Char('q'), KeyModifiers::NONE);
        assert!(controls.quit);
    }

    #[test]
    fn a_large_terminal_shows_all_with_space_between() {
        let lines = shown(80, 30);
        assert_eq!(lines.len(), 23);
        assert_eq!([&lines[0], &lines[1], &lines[2], &lines[12], &lines[22]], ["heading", "", "node 0", "", "fact 9"]);
    }

    #[test]
    fn news_stand_below_the_heading_in_a_quarter_of_the_rows() {
        let line = |text: &str| vec![(Style::new(), text.to_string())];
        let numbered = |what: &str| (0..5).map(|it| line(&format!("{what} {it}"))).collect();
        for (rows, expected) in [(40, 5), (16, 4), (4, 1), (3, 0)] {
            let (heading, doing, tree, facts) = (line("heading"), line("doing"), numbered("node"), Vec::new());
            let lines = Page { heading, news: numbered("news"), doing, tree, top: 0, facts }.lines(80, rows);
            let lines: Vec<String> = lines.iter().map(|it| fitted(it, 99, true)).collect();
            let below = lines.iter().skip_while(|it| *it != "heading").skip(1);
            assert_eq!(below.take_while(|it| it.starts_with("news")).count(), expected, "{lines:?}");
            assert_eq!(lines.iter().filter(|it| it.starts_with("news")).count(), expected, "{lines:?}");
            assert!(lines.len() <= rows);
        }
    }

    #[test]
    fn a_small_one_shows_the_leaf_first_and_the_blackboard_last() {
        assert_eq!(shown(20, 4), ["doing", "heading", "node 8", "node 9"]);
        assert_eq!(shown(80, 14)[..3], ["heading", "node 0", "node 1"]);
        assert_eq!(shown(80, 14)[11..], ["fact 0", "fact 1", "…"]);
        let short = shown(80, 12);
        assert_eq!(
            [&short[..3], &short[8..]].concat(),
            ["doing", "heading", "node 3", "node 9", "fact 0", "fact 1", "…"]
        );
        assert_eq!(shown(20, 1), ["doing"]);
        assert_eq!(shown(20, 0), [""; 0]);
    }
}
