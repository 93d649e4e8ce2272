//! `fmt`: what it writes, what it leaves alone, and what it reports.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::{Place, command, pleach, refused};

const UGLY: &str = "// Rests.\nTree(version:1,\n  root:Wait( 2.0 ) )\n";
const FINE: &str = "// Rests.\nTree(version: 1, root: Wait(2.0))\n";

/// Exit code, standard output and standard error, with this on standard input.
fn fed(args: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut child = command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It may refuse the arguments before it reads.
    let _ = child.stdin.take().unwrap().write_all(input);
    let out = child.wait_with_output().unwrap();
    let text = |it| String::from_utf8(it).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

#[test]
fn files_are_formatted_and_then_stay() {
    let place = Place::new("fmt");
    let (ugly, fine) = (place.file("a/ugly.ron", UGLY), place.file("fine.ron", FINE));
    let leaves = place.file("game.leaves", "Manifest(version:1,leaves:[])");
    let (code, out, err) = pleach(&["fmt", &place.path(), &leaves]);
    let expected = format!("formatted: {ugly}\nformatted: {leaves}\n2 files formatted, 1 unchanged\n");
    assert_eq!((code, out, err.as_str()), (0, expected, ""));
    assert_eq!(fs::read_to_string(&ugly).unwrap(), FINE);
    assert_eq!(fs::read_to_string(&fine).unwrap(), FINE);
    assert_eq!(pleach(&["fmt", &place.path()]), (0, "0 files formatted, 2 unchanged\n".into(), String::new()));
    let left = fs::read_dir(place.0.join("a")).unwrap().count();
    assert_eq!(left, 1, "nothing else is left");
}

#[test]
fn check_and_diff_write_nothing() {
    let place = Place::new("fmt-check");
    let (ugly, fine) = (place.file("ugly.ron", UGLY), place.file("fine.ron", FINE));
    let (code, out, _) = pleach(&["fmt", "--check", &place.path()]);
    assert_eq!((code, out), (1, format!("not formatted: {ugly}\n1 file not formatted, 1 unchanged\n")));
    let diff = format!(
        "--- {ugly}\n+++ {ugly} (formatted)\n@@ -1,3 +1,2 @@\n // Rests.\n-Tree(version:1,\n-  root:Wait( 2.0 ) )\n\
         +Tree(version: 1, root: Wait(2.0))\n"
    );
    assert_eq!(pleach(&["fmt", "--diff", &ugly]), (0, diff.clone(), String::new()));
    let (code, out, _) = pleach(&["fmt", "--diff", "--check", &place.path()]);
    assert_eq!((code, out), (1, format!("{diff}1 file not formatted, 1 unchanged\n")));
    assert_eq!(fs::read_to_string(&ugly).unwrap(), UGLY);
    assert_eq!(pleach(&["fmt", "--check", &fine]).0, 0);
    let (_, out, _) = fed(&["fmt", "--diff", "-"], b"(1)");
    assert!(out.ends_with("-(1)\n\\ No newline at end of file\n+(1)\n"), "{out}");
}

#[test]
fn standard_input_goes_to_standard_output() {
    assert_eq!(fed(&["fmt", "-"], UGLY.as_bytes()), (0, FINE.into(), String::new()));
    assert_eq!(fed(&["fmt", "--check", "-"], UGLY.as_bytes()), (1, "not formatted: <stdin>\n".into(), String::new()));
    assert_eq!(fed(&["fmt", "--check", "-"], FINE.as_bytes()), (0, String::new(), String::new()));
    let (code, out, err) = fed(&["fmt", "-"], b"Tree(version: 1, root: Sequence([");
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("this `[` is never closed") && err.contains("<stdin>:1:33"), "{err}");
    let (code, _, err) = fed(&["fmt", "-"], b"\xff");
    assert!(code == 1 && err.contains("standard input is not UTF-8 text"), "{err}");
    refused(&["fmt", "-", "trees"], 2, "give it alone");
    refused(&["fmt"], 2, "required");
}

#[test]
fn a_file_that_cannot_be_read_does_not_stop_the_others() {
    let place = Place::new("fmt-broken");
    let half = place.file("a.ron", "Tree(version: 1, // and\n  root: Sequence([");
    let letters = place.file("b.ron", b"(\xff)");
    let huge = place.file("c.ron", " ".repeat(50 << 20));
    let ugly = place.file("d.ron", UGLY);
    let empty = place.file("e.ron", "");
    let (code, out, err) = pleach(&["fmt", &place.path()]);
    assert_eq!((code, out), (1, format!("formatted: {ugly}\n1 file formatted, 0 unchanged, 4 failed\n")));
    let messages =
        ["this `[` is never closed", "a.ron:2:", "b.ron` is not UTF-8", "c.ron` is larger than", "e.ron:1:1"];
    for message in messages {
        assert!(err.contains(message), "no {message} in {err}");
    }
    assert_eq!(fs::read_to_string(half).unwrap(), "Tree(version: 1, // and\n  root: Sequence([");
    assert_eq!(fs::read(letters).unwrap(), b"(\xff)");
    assert_eq!(fs::metadata(huge).unwrap().len(), 50 << 20);
    assert_eq!(fs::metadata(empty).unwrap().len(), 0);
    // It is the report of `check`.
    let report = err.split("error[P0103]: this").nth(1).unwrap().lines().take(4).collect::<Vec<_>>().join("\n");
    assert!(pleach(&["check", &place.path()]).1.contains(&report), "{report}");
    fs::create_dir(place.0.join("none")).unwrap();
    refused(&["fmt", &format!("{}/none", place.path())], 2, "there are no trees in");
    refused(&["fmt", &format!("{}/x.ron", place.path())], 2, "there is no file");
}

#[test]
fn the_mark_and_the_line_ends_stay() {
    let place = Place::new("fmt-lines");
    let file = place.file("a.ron", "\u{feff}// a\r\nTree(version:1, // b\r\n root: Idle)");
    assert_eq!(pleach(&["fmt", &file]).0, 0);
    let expected = "\u{feff}// a\r\nTree(\r\n    version: 1, // b\r\n    root: Idle,\r\n)\r\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), expected);
    assert_eq!(pleach(&["fmt", "--check", &file]).0, 0);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new("fmt-links");
    let target = place.file("real/tree.ron", UGLY);
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    let link = place.0.join("link.ron");
    symlink("real/tree.ron", &link).unwrap();
    assert_eq!(pleach(&["fmt", link.to_str().unwrap()]).0, 0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&target).unwrap(), FINE);
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
    // For a read-only file, only its state is printed.
    fs::write(&target, UGLY).unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o440)).unwrap();
    let (code, out, err) = pleach(&["fmt", &target]);
    assert_eq!((code, out.as_str()), (1, "0 files formatted, 0 unchanged, 1 failed\n"));
    assert!(err.contains("tree.ron` stays as it is: it is read-only"), "{err}");
    assert_eq!(fs::read_to_string(&target).unwrap(), UGLY);
    assert_eq!(pleach(&["fmt", "--check", &target]).0, 1);
}
