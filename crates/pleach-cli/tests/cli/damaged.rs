//! `replay` of recordings that are torn, changed, or of another version.

use std::fs;

use super::replays::{TREES, guards};
use super::{Place, pleach, refused};

#[test]
fn a_torn_recording_is_played_up_to_the_tear() {
    let place = Place::new("replay_torn");
    let whole = fs::read(guards(&place, &[])).unwrap();
    let header = 20 + usize::try_from(u64::from_le_bytes(whole[12..20].try_into().unwrap())).unwrap();
    for length in [0, 7, 8, 11, 12, 19, 20, 500, header - 1] {
        let torn = place.file("torn.rec", &whole[..length]);
        let message =
            if length < 8 { "is not a recording of pleach" } else { "the recording is cut off in its header" };
        refused(&["replay", &torn], 1, message);
    }
    for length in [header, header + 1, (header + whole.len()) / 2, whole.len() - 1] {
        let torn = place.file("torn.rec", &whole[..length]);
        let (code, out, err) = pleach(&["replay", &torn]);
        assert!(code == 1 && out.contains(" of 480, ") && !err.contains("panicked"), "{out}{err}");
        let message = ["torn.rec`: the recording is damaged after ", "torn.rec`: the recording ends after "];
        assert!(message.iter().any(|it| err.contains(it)), "{err}");
    }
    // The part before the tear is shown.
    let torn = place.file("torn.rec", &whole[..whole.len() - 1]);
    let (code, out, err) = pleach(&["replay", &torn, "--agent", "3", "--explain"]);
    assert!(code == 1 && out.starts_with("agent 3 (guard), 7.983 s") && err.contains("after 479"), "{out}{err}");
    let (code, ..) = pleach(&["replay", &torn, "--agent", "3", "--explain", "--to", "3"]);
    assert_eq!(code, 0, "the tear is later");
}

#[test]
fn a_replay_that_diverges_says_where_and_plays_on() {
    let place = Place::new("replay_diverges");
    let mut bytes = fs::read(guards(&place, &[])).unwrap();
    // In the first frame the root of agent 0 answers, which it is never asked.
    bytes.extend([3, 0, 0, 0, 0]);
    let (code, out, err) = pleach(&["replay", &place.file("other.rec", &bytes)]);
    assert_eq!((code, err.as_str()), (1, ""), "{out}");
    assert!(out.contains("  frames        482 of 480, ") && out.contains("  divergences   1 agent, 1 time\n"), "{out}");
    let said = "diverged at frame 481, 8.017 s, agent 0: when this was recorded, n0 Selector \"guard\" answered success; \
                the replay did not ask for it; now it runs n";
    assert!(out.contains(said), "{out}");
}

#[test]
fn what_follows_a_divergence_is_not_told_as_what_happened() {
    let place = Place::new("replay_strayed");
    let whole = guards(&place, &[]);
    let mut bytes = fs::read(&whole).unwrap();
    bytes.extend([3, 0, 0, 0, 0]);
    let file = place.file("other.rec", &bytes);
    let out = |it: &str| format!("{}/{it}", place.path());
    let (html, log) = (out("it.html"), out("it.btlog"));
    let asked: [&[&str]; 4] = [
        &["--find", "Attack"],
        &["--find", "Dead"],
        &["--agent", "0", "--report", &html],
        &["--agent", "0", "--btlog", &log],
    ];
    for options in asked {
        let (code, out, err) = pleach(&[&["replay", &file], options].concat());
        assert!(code == 1 && err.contains("diverge") && !out.is_empty(), "{options:?} {out}{err}");
    }
    // Before the divergence all is as it was.
    let (code, _, err) = pleach(&["replay", &file, "--find", "patrol by day", "--to", "7"]);
    assert_eq!((code, err.as_str()), (0, ""));
    fs::copy(format!("{TREES}/guard.ron"), out("guard.ron")).unwrap();
    let case = out("guard.test.ron");
    let into = ["replay", &file, "--agent", "0", "--from", "7", "--into", &case];
    refused(&into, 1, "agent 0 diverged at frame 481");
    assert!(!fs::exists(&case).unwrap());
    // A comparison shows what is wrong with the other recording, too.
    let (code, out, err) = pleach(&["replay", &whole, "--against", &file]);
    assert!(code == 0 && err.is_empty(), "it ends before that: {out}{err}");
    let torn = place.file("torn.rec", &bytes[..bytes.len() - 100]);
    let (code, out, err) = pleach(&["replay", &whole, "--against", &torn]);
    assert!(code == 1 && out.contains("  differences   none\n"), "{out}{err}");
    assert!(err.contains("torn.rec`: the recording ends after "), "{err}");
}

#[test]
fn a_damaged_state_is_told_in_place_of_its_agent() {
    let place = Place::new("replay_state");
    let mut bytes = fs::read(guards(&place, &[])).unwrap();
    let header = 20 + usize::try_from(u64::from_le_bytes(bytes[12..20].try_into().unwrap())).unwrap();
    // The length of the first frame, its head, and the code and length of the first state.
    let mut told = 0;
    for at in header + 16..header + 48 {
        let before = std::mem::replace(&mut bytes[at], 0xfe);
        let (code, out, err) = pleach(&["replay", &place.file("state.rec", &bytes), "--agent", "0", "--explain"]);
        bytes[at] = before;
        assert!(!err.contains("is not in this forest") && !err.contains("Found a"), "{at}: {out}{err}");
        told += i32::from(code == 1 && err.contains("the state of an agent cannot be read"));
    }
    assert!(told > 0);
}

#[test]
fn other_files_are_refused() {
    let place = Place::new("replay_other");
    let mut bytes = fs::read(guards(&place, &[])).unwrap();
    // The version comes after the first eight bytes.
    assert_eq!(bytes[8], 4);
    bytes[8] = 9;
    let newer = place.file("newer.rec", &bytes);
    refused(&["replay", &newer], 1, "newer.rec`: the recording is of version 9, and this program reads version 4");
    refused(&["replay", &format!("{TREES}/guard.ron")], 1, "guard.ron`: this is not a recording of pleach");
    refused(&["replay", "nowhere.rec"], 2, "there is no file `nowhere.rec`");
    refused(&["replay", TREES], 2, "is a directory: name a file");
}

#[test]
fn a_recorded_text_that_does_not_parse_any_more_is_reported() {
    let place = Place::new("replay_unparsed");
    let mut bytes = fs::read(guards(&place, &[])).unwrap();
    let root = b"root: Selector(";
    let at = bytes.windows(root.len()).position(|it| it == root).unwrap();
    bytes[at + 4] = b'!';
    let file = place.file("unparsed.rec", &bytes);
    refused(&["replay", &file], 1, "root! Selector(");
    refused(&["replay", &file], 1, "unparsed.rec` do not load: give a version of the tree that does with --with");
    let (code, out, err) = pleach(&["replay", &file, "--with", &format!("{TREES}/guard.ron")]);
    assert!(code == 0 && out.contains("  divergences   none\n"), "{out}{err}");
    assert!(err.contains("makes its tree `guard`: it is played with the tree that you gave"), "{err}");
}
