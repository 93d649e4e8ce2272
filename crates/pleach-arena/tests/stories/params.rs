//! Senseless parameters are found when the tree is loaded, with the place in the file.

use pleach_arena::registry;

/// The report of loading a tree with this leaf.
fn report(leaf: &str) -> String {
    let source = format!(
        "Tree(version: 1, name: \"t\", blackboard: {{ \"at\": Vec2(0, 0), \"pace\": Float(1.0), \"who\": Entity(0) }},\n\
         root: {leaf})"
    );
    match pleach_asset::load_str("t.ron", &source, &registry()) {
        Ok(_) => String::new(),
        Err(report) => report.to_string(),
    }
}

#[test]
fn numbers_and_expressions_are_both_amounts() {
    for speed in ["2", "2.5", "0", "\"pace\"", "\"pace * 2 + 1\""] {
        assert_eq!(report(&format!("MoveTo(target: \"at\", speed: {speed})")), "", "{speed}");
    }
}

#[test]
fn nonsense_is_reported() {
    for (leaf, word) in [
        ("MoveTo(target: \"at\", speed: -1)", "negative"),
        ("MoveTo(target: \"at\", speed: \"at\")", "Vec2"),
        ("MoveTo(target: \"att\", speed: 1)", "`at`"),
        ("MoveTo(target: \"at\", speed: true)", "a number, or an expression that gives one"),
        ("MoveTo(target: \"at\", speed: 1, within: -0.5)", "negative"),
        ("MoveTo(target: \"at\", speeed: 1)", "speed"),
        ("MoveTo(target: \"at\")", "speed"),
        ("Pursuit(target: \"pace\", speed: 1, within: 1)", "Entity"),
        ("Patrol(speed: 1, mode: Zigzag)", "RoundTrip"),
        ("Play(animation: Dance)", "Alert"),
    ] {
        let report = report(leaf);
        assert!(report.contains(word) && report.contains("t.ron:2"), "{leaf}:\n{report}");
    }
}
