//! `replay --report`.

use std::fs;

use super::replays::guards;
use super::{Place, pleach, refused};

#[test]
fn a_report_is_one_file() {
    let place = Place::new("report");
    let file = guards(&place, &[]);
    let page = format!("{}/agent.html", place.path());
    let (code, out, err) = pleach(&["replay", &file, "--agent", "17", "--from", "2", "--to", "6", "--report", &page]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with("wrote agent 17 from 2.000 to 6.000 s to `") && out.ends_with("agent.html`\n"), "{out}");
    let page = fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.len() < 300 << 10, "{}", page.len());
    let data = pleach_studio_core::page::data_of(&page).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&data).unwrap();
    let overview = &report["overview"];
    assert_eq!((&overview["agent"], &overview["from"], &overview["to"]), (&17.into(), &120.into(), &360.into()));
    assert_eq!(overview["title"], "guard.rec");
    let place = &overview["trees"][0]["nodes"][5]["place"];
    assert!(place["file"].as_str().unwrap().ends_with("guard.ron") && place["line"].as_u64() > Some(1), "{place}");
    // The terminal's output for the same moment.
    let (_, explained, _) = pleach(&["replay", &file, "--agent", "17", "--frame", "120", "--explain"]);
    let lines = report["lines"].as_array().unwrap();
    let first = &report["moments"][0]["explain"];
    for line in first.as_array().unwrap() {
        let line = &lines[usize::try_from(line.as_u64().unwrap()).unwrap()];
        assert!(explained.contains(line["text"].as_str().unwrap()), "{line}: {explained}");
    }
}

#[test]
fn a_report_that_cannot_be_is_refused() {
    let place = Place::new("report_wrong");
    let file = guards(&place, &[]);
    let page = format!("{}/agent.html", place.path());
    let tree = place.file("tree.html", "Tree(version: 1, root: Wait(1.0))");
    let with = |options: &[&str], message: &str| refused(&[&["replay", &file][..], options].concat(), 2, message);
    with(&["--report", &page], "--agent <AGENT>");
    with(&["--agent", "1", "--report", &page, "--trace"], "cannot be used with");
    with(&["--agent", "1", "--report", &page, "--with", &tree], "cannot be used with");
    with(&["--agent", "1", "--report", &file], "is the recording itself: give --report another file");
    with(&["--agent", "1", "--report", &tree], "is another tree: give it another name, for example `");
    with(&["--agent", "1", "--report", "x.ron"], "is the name of a tree: give it another name, for example `x.html`");
    with(&["--agent", "77", "--report", &page], "agent 77 does not exist: the 30 agents have the numbers 0 to 29");
    with(&["--agent", "7", "--from", "77", "--report", &page], "--from 77: the recording ends at 8.000 s");
    with(&["--agent", "7", "--from", "7", "--to", "6", "--report", &page], "--from 7 is after --to 6");
    assert!(!fs::exists(&page).unwrap());
    refused(&["replay", &file, "--agent", "7", "--report", &place.path()], 1, "cannot write `");
}

#[test]
fn a_torn_recording_is_reported_up_to_there() {
    let place = Place::new("report_torn");
    let file = guards(&place, &[]);
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() - 500]).unwrap();
    let page = format!("{}/agent.html", place.path());
    let (code, out, err) = pleach(&["replay", &file, "--agent", "3", "--report", &page]);
    assert!(out.starts_with("wrote agent 3 from 0.017 to "), "{out}");
    assert!(code == 1 && err.contains("guard.rec`: the recording "), "{err}");
    let data = pleach_studio_core::page::data_of(&fs::read_to_string(page).unwrap()).unwrap();
    assert!(String::from_utf8(data).unwrap().contains("Only a part can be shown: the recording "));
}

#[test]
fn nothing_is_reported_of_what_follows_damage() {
    let place = Place::new("report_damaged");
    let file = guards(&place, &[]);
    let bytes = fs::read(&file).unwrap();
    let page = format!("{}/agent.html", place.path());
    let report = |more: &[&str], message: &str| {
        refused(&[&["replay", &file, "--agent", "3", "--report", &page][..], more].concat(), 1, message);
        assert!(!fs::exists(&page).unwrap());
    };
    // All except the last frames.
    fs::write(&file, &bytes[..bytes.len() - 500]).unwrap();
    report(&["--from", "7.99"], "there is nothing from 7.99 s on, as only ");
    // The header, and a byte of the first frame.
    let header = u64::from_le_bytes(bytes[12..20].try_into().unwrap());
    fs::write(&file, &bytes[..21 + usize::try_from(header).unwrap()]).unwrap();
    report(&[], "guard.rec`: no frame can be played: the recording is damaged after 0 frames");
}
