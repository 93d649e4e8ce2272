//! The scenario files themselves: checks that they are what they say, and that the oracle prints
//! every trace, line by line.

use std::path::{Path, PathBuf};

use pleach_conform::{Scenario, oracle, suite};

fn scenarios() -> Vec<(PathBuf, Scenario)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trees/conformance");
    let files = suite::files(&dir).expect("the scenarios are part of the repository");
    let load = |path: PathBuf| {
        let scenario = Scenario::load(&path).unwrap_or_else(|e| panic!("{e}"));
        (path, scenario)
    };
    files.into_iter().map(load).collect()
}

#[test]
fn prints_every_trace() {
    let mut wrong = Vec::new();
    for (path, scenario) in scenarios() {
        if let Some(difference) = suite::difference(&scenario.trace, &oracle::trace(&scenario)) {
            wrong.push(format!("{}: {difference}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn numbered_and_named() {
    let scenarios = scenarios();
    assert!(scenarios.len() >= 350, "scenarios are missing: {} found", scenarios.len());
    for (i, (path, scenario)) in scenarios.iter().enumerate() {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        assert_eq!(stem, format!("{:03}-{}", i + 1, scenario.name));
        assert!(!scenario.about.is_empty() && !scenario.trace.is_empty(), "{stem}");
    }
}

#[test]
fn written_and_read_back_equal() {
    for (path, scenario) in scenarios() {
        let text = scenario.to_json();
        let read = Scenario::from_json(&text).unwrap_or_else(|e| panic!("{}: {e}\n{text}", path.display()));
        assert_eq!(read, scenario, "{}", path.display());
    }
}
