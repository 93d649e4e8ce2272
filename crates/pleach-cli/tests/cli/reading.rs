//! What is read as a tree, and what happens to the rest.

use std::fs;
use std::path::PathBuf;

use crate::{BAD, CLOCK, Place, pleach, refused};

/// A pipe that holds a tree for its reader.
#[cfg(unix)]
fn pipe(path: PathBuf) -> String {
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    let shown = path.display().to_string();
    // The thread waits for a reader. There should be none, so the thread is not joined.
    std::thread::spawn(move || fs::write(path, CLOCK));
    shown
}

#[cfg(unix)]
fn link(target: impl AsRef<std::path::Path>, path: PathBuf) -> String {
    std::os::unix::fs::symlink(target, &path).unwrap();
    path.display().to_string()
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_named_and_not_opened() {
    let place = Place::new("no-files");
    let pipe = pipe(place.0.join("pipe.ron"));
    let linked = link(&pipe, place.0.join("linked.ron"));
    // Paths of sockets are limited: the place may be too deep for one.
    let listening = std::env::temp_dir().join(format!("pleach-{}", std::process::id()));
    let listener = std::os::unix::net::UnixListener::bind(&listening).unwrap();
    let socket = link(&listening, place.0.join("socket.ron"));
    let device = link("/dev/zero", place.0.join("device.ron"));
    for command in ["run", "show", "bench", "check"] {
        for (file, what) in [
            (&pipe, "pipe.ron` is a pipe, not a file: give `-` to read from standard input"),
            (&linked, "linked.ron` is a pipe, not a file"),
            (&socket, "socket.ron` is a socket, not a file"),
            (&device, "device.ron` is a device, not a file"),
        ] {
            refused(&[command, file], 2, what);
        }
    }
    refused(
        &["check", "--leaves", "/dev/null", &pipe],
        2,
        "`/dev/null` is a device, not a file: give `-` to read from",
    );
    let (code, out, err) = pleach(&["check", &place.path()]);
    assert_eq!((code, err.as_str()), (1, ""), "{out}");
    for what in ["pipe.ron` is a pipe", "linked.ron` is a pipe", "socket.ron` is a socket", "device.ron` is a device"] {
        assert!(out.contains(what), "{out}");
    }
    assert!(out.ends_with("\n4 files, 4 errors, 0 warnings\n"), "{out}");
    refused(&["bench", &place.path()], 1, "linked.ron` is a pipe");
    drop(listener);
    fs::remove_file(listening).unwrap();
}

#[cfg(unix)]
#[test]
fn an_entry_that_cannot_be_read_is_named_and_the_others_are_checked() {
    let place = Place::new("entries");
    place.file("a.ron", CLOCK);
    place.file("z.ron", BAD);
    link("nowhere", place.0.join("dangling.ron"));
    link("loop.ron", place.0.join("loop.ron"));
    link("/dev/null/below", place.0.join("below.ron"));
    place.file("latin.ron", [b'"', 0xe9, b'"']);
    place.file("dir.ron/inside.ron", BAD);
    fs::create_dir(place.0.join("empty.ron")).unwrap();
    link("dir.ron", place.0.join("linked.ron"));
    place.file("c\u{1b}[2J\n.ron", BAD);
    place.file(".hidden.ron", BAD);
    place.file(".hidden/x.ron", BAD);
    place.file("notes.txt", BAD);
    let (code, out, err) = pleach(&["check", &place.path()]);
    assert_eq!((code, err.as_str()), (1, ""), "{out}");
    for what in [
        "dangling.ron` is a link to `nowhere`, which does not exist\n",
        "cannot read `",
        "/loop.ron`: ",
        "/below.ron`: ",
        "latin.ron` is not UTF-8 text: invalid byte at offset 1\n",
        "/linked.ron` is a directory: name a file, for example `",
        "dir.ron/inside.ron:1:57\n",
        "/c\\u{1b}[2J\\n.ron:1:57\n",
        "/z.ron:1:57\n",
    ] {
        assert!(out.contains(what), "no {what} in {out}");
    }
    assert!(!out.contains("hidden") && !out.contains("notes") && !out.contains("empty"), "{out}");
    // Five cannot be read, three have two errors each.
    assert!(out.ends_with("\n9 files, 11 errors, 0 warnings\n"), "{out}");
    let (code, out, err) = pleach(&["bench", &place.path()]);
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("dangling.ron` is a link") && err.contains("/z.ron:1:57"), "{err}");
}

/// Not every system accepts such names.
#[cfg(target_os = "linux")]
#[test]
fn a_file_whose_name_is_no_text_is_checked() {
    use std::os::unix::ffi::OsStrExt;

    let place = Place::new("no-text");
    fs::write(place.0.join(std::ffi::OsStr::from_bytes(b"b\xff.ron")), BAD).unwrap();
    let (code, out, _) = pleach(&["check", &place.path()]);
    assert!(code == 1 && out.contains("/b\u{fffd}.ron:1:57\n"), "{out}");
    assert!(out.ends_with("\n1 file, 2 errors, 0 warnings\n"), "{out}");
}

/// Not even root can read it: its path is longer than the system accepts.
#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_cannot_be_listed_is_named_and_the_others_are_checked() {
    let place = Place::new("unlisted");
    place.file("a.ron", CLOCK);
    place.file("z.ron", BAD);
    let long = "d".repeat(250);
    let short: PathBuf = std::iter::repeat_n("d", 20).collect();
    fs::create_dir_all(place.0.join(&short)).unwrap();
    // From the innermost to the outermost, so that no path is too long on the way.
    for at in short.ancestors().filter(|it| it.file_name().is_some()) {
        let at = place.0.join(at);
        fs::rename(&at, at.with_file_name(&long)).unwrap();
    }
    let (code, out, err) = pleach(&["check", &place.path()]);
    assert_eq!((code, err.as_str()), (1, ""), "{out}");
    let named = out.lines().find(|it| it.contains("cannot read `")).unwrap_or_default();
    assert!(named.contains(&format!("/{long}/{long}/")) && named.contains("too long"), "{out}");
    assert!(out.ends_with("\n2 files, 3 errors, 0 warnings\n"), "{out}");
    fs::remove_dir_all(&place.0).unwrap();
}

#[test]
fn directories_that_are_too_deep_are_named() {
    let place = Place::new("deep");
    let deep: PathBuf = std::iter::repeat_n("d", 66).collect();
    place.file(deep.join("x.ron").to_str().unwrap(), CLOCK);
    place.file("a.ron", CLOCK);
    let (code, out, _) = pleach(&["check", &place.path()]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("d` is not searched: it is more than 64 directories deep\n"), "{out}");
    assert!(out.ends_with("\n1 file, 1 error, 0 warnings\n"), "{out}");
}

/// A text as Notepad may write it.
fn of_windows(text: &str) -> String {
    format!("\u{feff}{}", text.replace('\n', "\r\n"))
}

#[test]
fn a_byte_order_mark_and_line_ends_of_windows_are_read() {
    let place = Place::new("windows");
    let tree = place.file("clock.ron", of_windows(CLOCK));
    let script =
        "// Late already.\ntick\nexpect running tick/Wait // still\nset late true\ntick; expect running chime\n";
    let path = place.file("late.play", of_windows(script));
    let (code, out, err) = pleach(&["play", &tree, "--script", &path]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.starts_with("-- tick at 0.1 s\n"), "{out}");
    let first = place.file("first.play", of_windows("tock\n"));
    refused(&["play", &tree, "--script", &first], 2, "step 1 of the script, `tock`: ");

    let case = "\"it ticks\": (steps: [(at: 0.2, running: \"tick\")], golden: \"clock.trace\")";
    let tests = format!("Tests(\n    version: 1,\n    tree: \"clock.ron\",\n    cases: {{ {case} }},\n)\n");
    let tests = place.file("clock.test.ron", of_windows(&tests));
    let seen = place.0.join("seen.json");
    let (code, out, _) = pleach(&["test", &tests, "--bless", "--coverage-json", &seen.display().to_string()]);
    assert_eq!(code, 0, "{out}");
    for path in [&seen, &place.0.join("clock.trace")] {
        fs::write(path, of_windows(&fs::read_to_string(path).unwrap())).unwrap();
    }
    let (code, out, _) = pleach(&["test", &tests]);
    assert_eq!(code, 0, "{out}");
    let (code, out, err) = pleach(&["show", &tree, "--coverage", &seen.display().to_string()]);
    assert!(code == 0 && err.is_empty() && out.contains("of 9 nodes started"), "{out}{err}");
}
