//! What `xtask conformance` and `xtask fuzz` say. That all scenarios pass is tested by
//! pleach-conform.

use std::fs;
use std::path::{Path, PathBuf};

/// A separate folder for each test, with these scenarios of the repository; the last one's trace is
/// made wrong.
fn folder(test: &str, scenarios: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    // It may be left from an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be made");
    for (index, name) in scenarios.iter().enumerate() {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trees/conformance").join(name);
        let mut text = fs::read_to_string(from).expect("the scenarios are part of the repository");
        if index + 1 == scenarios.len() {
            text = text.replace("\"end 1:a S\"", "\"end 1:a F\"");
        }
        fs::write(folder.join(name), text).expect("the scenario can be written");
    }
    folder
}

/// Exit code, standard output, standard error.
fn xtask(args: &[&str]) -> (i32, String, String) {
    let output = crate::xtask(args);
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("it ends by itself"), text(output.stdout), text(output.stderr))
}

#[test]
fn conformance_shows_where_a_trace_differs_and_counts() {
    let folder = folder("differs", &["001-seq-all-succeed.json", "002-seq-stops-at-failure.json"]);
    let (code, out, err) = xtask(&["conformance", &folder.to_string_lossy()]);
    assert_eq!((code, err.as_str()), (1, ""), "{out}");
    let first = out.lines().next().unwrap_or_default();
    assert!(first.ends_with("002-seq-stops-at-failure.json: the traces differ in line 6:"), "{out}");
    assert!(out.contains("    - end 1:a F\n    + end 1:a S\n"), "{out}");
    assert!(out.ends_with("\n1 passed, 1 failed\n"), "{out}");
}

#[test]
fn conformance_wants_a_folder_with_scenarios() {
    let folder = folder("empty", &[]);
    let (code, out, err) = xtask(&["conformance", &folder.to_string_lossy()]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("there is no scenario (`*.json`) in this folder"), "{err}");
    let (code, out, err) = xtask(&["conformance", &folder.join("nowhere").to_string_lossy()]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("nowhere: "), "{err}");
}

#[test]
fn fuzz_counts() {
    let (code, out, err) = xtask(&["fuzz", "--seed", "7", "--count", "3"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.ends_with("\n3 passed, 0 failed\n"), "{out}");
}
