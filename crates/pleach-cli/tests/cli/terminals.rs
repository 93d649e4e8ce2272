//! `run --watch` on a terminal: its keys, and the state it leaves the terminal in.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::process::Child;

use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::{CLOCK, Place, command};

const SECOND_SCREEN: &str = "\u{1b}[?1049h";
const FIRST_SCREEN: &str = "\u{1b}[?1049l";
const NO_CURSOR: &str = "\u{1b}[?25l";
const CURSOR: &str = "\u{1b}[?25h";

/// A program on a terminal of its own.
struct Terminal {
    side: File,
    child: Child,
    shown: String,
}

impl Terminal {
    fn watch(file: &str) -> Terminal {
        Terminal::of(file, 80, 24)
    }

    fn of(file: &str, ws_col: u16, ws_row: u16) -> Terminal {
        let side = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&side).unwrap();
        unlockpt(&side).unwrap();
        tcsetwinsize(&side, Winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&side, Vec::new()).unwrap();
        let end =
            || -> OwnedFd { open(&*name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap() };
        let args = ["run", file, "--agents", "2", "--seconds", "3600", "--watch", "0"];
        let mut command = command(&args);
        let child = command.env("TERM", "xterm").stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
        Terminal { side: side.into(), child, shown: String::new() }
    }

    /// Reads until this text is shown.
    fn read_until(&mut self, text: &str) {
        let mut bytes = [0; 4096];
        while !self.shown.contains(text) {
            let count = self.side.read(&mut bytes).expect("it runs");
            self.shown.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    }

    /// Reads the rest, and returns everything that was shown and the exit code.
    fn end(mut self) -> (String, Option<i32>) {
        let mut bytes = [0; 4096];
        loop {
            match self.side.read(&mut bytes) {
                Ok(0) => break,
                Ok(count) => self.shown.push_str(&String::from_utf8_lossy(&bytes[..count])),
                // Linux reports this way that the other end is closed.
                Err(error) if error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => panic!("{error}"),
            }
        }
        (self.shown, self.child.wait().unwrap().code())
    }
}

#[track_caller]
fn ends(test: &str, end: impl FnOnce(&mut Terminal), expected: i32) {
    let place = Place::new(test);
    let mut terminal = Terminal::watch(&place.file("clock.ron", CLOCK));
    terminal.read_until("agent 0");
    assert!(terminal.shown.contains(SECOND_SCREEN) && terminal.shown.contains(NO_CURSOR), "{}", terminal.shown);
    assert!(!terminal.shown.contains(FIRST_SCREEN));
    end(&mut terminal);
    let (shown, code) = terminal.end();
    assert_eq!(code, Some(expected), "{shown}");
    for (on, off) in [(SECOND_SCREEN, FIRST_SCREEN), (NO_CURSOR, CURSOR)] {
        assert!(shown.rfind(off) > shown.rfind(on), "the terminal is as it was before");
    }
}

fn kill(terminal: &Terminal, signal: Signal) {
    kill_process(Pid::from_child(&terminal.child), signal).unwrap();
}

#[test]
fn a_signal_that_ends_a_watch_gives_the_terminal_back() {
    ends("watch-term", |it| kill(it, Signal::TERM), 143);
    ends("watch-hup", |it| kill(it, Signal::HUP), 129);
    ends("watch-int", |it| kill(it, Signal::INT), 130);
}

#[test]
fn a_key_that_ends_a_watch_gives_the_terminal_back() {
    ends("watch-q", |it| it.side.write_all(b"q").unwrap(), 0);
    ends("watch-ctrl-c", |it| it.side.write_all(b"\x03").unwrap(), 130);
}

#[test]
fn a_watch_ends_with_its_terminal() {
    let place = Place::new("watch-closed");
    let mut terminal = Terminal::watch(&place.file("clock.ron", CLOCK));
    terminal.read_until("agent 0");
    let Terminal { side, mut child, .. } = terminal;
    // Soon the program reads its keyboard, and that never returns.
    drop(side);
    std::thread::sleep(std::time::Duration::from_millis(300));
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(129));
}

/// A tree of 30 lines, of which the last runs.
fn tall(place: &Place) -> String {
    let part = "Sequence(children: [Check(\"false\"), Idle, Idle, Idle, Idle])";
    let parts = [part; 4].join(", ");
    let tree = format!("Tree(version: 1, root: Selector(children: [{parts}, Wait(name: \"last\", seconds: 4000)]))");
    place.file("tall.ron", &tree)
}

#[test]
fn keys_fold_and_scroll() {
    let place = Place::new("watch-keys");
    let mut terminal = Terminal::of(&tall(&place), 80, 10);
    terminal.read_until("nodes below");
    terminal.read_until("f unfold");
    terminal.read_until("[left: 3");
    for (key, expected) in [
        ("f", "f fold"),
        ("\x1b[H", "lines 1-7 of "),
        ("j", "lines 2-8 of "),
        ("k\x1b[6~", "lines 7-13 of "),
        ("\x1b[B", "lines 8-14 of "),
        ("\x1b[F\x1b[A\x1b[5~", "Enter follow"),
        ("\r", "space stop/go"),
        ("f", "f unfold"),
    ] {
        terminal.shown.clear();
        terminal.side.write_all(key.as_bytes()).unwrap();
        terminal.read_until(expected);
    }
    terminal.side.write_all(b"q").unwrap();
    assert_eq!(terminal.end().1, Some(0));
}

#[test]
fn a_terminal_of_twenty_columns_and_five_lines_is_enough() {
    let place = Place::new("watch-small");
    for (columns, rows) in [(20, 5), (3, 2), (1, 1)] {
        let mut terminal = Terminal::of(&tall(&place), columns, rows);
        terminal.read_until(NO_CURSOR);
        if columns == 20 {
            terminal.read_until("\u{25b6} Wait(4000 s)");
        }
        terminal.side.write_all(b"jf\x1b[6~\x1b[F").unwrap();
        if columns == 20 {
            terminal.read_until(" Enter");
        }
        terminal.side.write_all(b"q").unwrap();
        let (shown, code) = terminal.end();
        assert_eq!(code, Some(0), "{shown}");
    }
}
