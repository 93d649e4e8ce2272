//! What `xtask bench` says before it measures anything.

use std::process::Output;

fn bench(args: &[&str]) -> Output {
    crate::xtask(&[&["bench"], args].concat())
}

#[test]
fn unknown_workloads_are_usage_errors_with_a_suggestion() {
    let output = bench(&["--quick", "--workload", "S2", "--workload", "S5-mixed"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("'S5-mixed'") && text.contains("did you mean `S5`?"), "{text}");
}

#[test]
fn unwritable_results_are_told_before_minutes_are_spent() {
    for option in ["--out", "--docs"] {
        let output = bench(&["--quick", option, concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml/rows.csv")]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("cannot write `") && text.contains("Cargo.toml/rows.csv"), "{text}");
        assert!(output.stdout.is_empty());
    }
}
