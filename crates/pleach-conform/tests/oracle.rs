//! The oracle against the scenario files: every trace, line by line.

use std::path::Path;

use pleach_conform::{Scenario, oracle, suite};

#[test]
fn prints_every_trace() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trees/conformance");
    let files = suite::files(&dir).expect("the scenarios are part of the repository");
    assert!(files.len() >= 167, "scenarios are missing: {} found", files.len());
    let mut wrong = Vec::new();
    for path in files {
        let scenario = Scenario::load(&path).unwrap_or_else(|e| panic!("{e}"));
        if let Some(difference) = suite::difference(&scenario.trace, &oracle::trace(&scenario)) {
            wrong.push(format!("{}: {difference}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
