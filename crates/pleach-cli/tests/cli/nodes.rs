//! `pleach nodes`.

use super::{pleach, refused};

#[test]
fn all_that_trees_are_made_of_is_listed() {
    let (code, text, err) = pleach(&["nodes"]);
    assert_eq!((code, err.as_str()), (0, ""));
    for line in [
        "composites\n",
        "\ndecorators\n",
        "\nconditions\n",
        "\nactions\n",
        "\nother files, templates and holes\n",
        "\nstandard templates\n",
        "\nleaves of the arena\n",
        "\nfunctions for expressions\n",
        "  clamp(a, low, high)  A number or Time, but no less than `low` and no more than `high`.\n",
    ] {
        assert!(text.contains(line), "{line:?} in\n{text}");
    }
    for name in
        ["Selector", "Cooldown", "WaitUntil", "MoveTo", "Switch", "Subtree", "Use", "Slot", "Node", "Retry", "ForEach"]
    {
        assert!(
            text.lines().any(|it| it.strip_prefix("  ").is_some_and(|it| it.split(' ').next() == Some(name))),
            "{name} in\n{text}"
        );
    }
    assert!(!text.contains('\u{1b}'), "a pipe gets no colours");
}

#[test]
fn one_of_them_is_told_whole() {
    for (name, expected) in [
        (
            "Wait",
            &["Wait  action\n", "  Wait(seconds: 2.0, jitter: 0.5)\n", "\nfields\n  seconds: a number", "(required)"][..],
        ),
        (
            "MoveTo",
            &[
                "MoveTo  action of the arena\nGoes to the place",
                "\nparameters\n  target: the name of a key of type Vec2 (required)\n",
                "\n  within: a number (optional)\n",
            ],
        ),
        ("Patrol", &["\n  mode: one of `None`, `Once`, `Loop`, `RoundTrip`, without quotes (optional)\n"]),
        (
            "Tree",
            &[
                "Tree  a file\n",
                "\n  root: a node\n      What the tree does. Only a file of templates",
                "\n  templates: a map",
            ],
        ),
        ("services", &["services  field\n\nof every composite\n  services: "]),
        ("asset", &["\nof Subtree\n  asset: a string (required)\n"]),
        ("note", &["\nof every node\n  note: a string\n", "\nof Tree\n  note: a string\n"]),
        ("seconds", &["\nof Timeout\n", "\nof Wait\n  seconds: a number, or"]),
        ("Nodes", &["\n  hole: a string (required)\n", "\n  disabled: `true` or `false`\n"]),
        (
            "nodes",
            &["\nof Subtree\n  nodes: a map from the names of holes", "\nof Tree\n  nodes: a map from names to `One`"],
        ),
        (
            "Retry",
            &[
                "Retry  a standard template\nRuns `body` until",
                "\n  \"Retry\": (\n      note: \"Runs",
                "\n      root: Sequence(\n",
                "\n  )\n",
            ],
        ),
        ("sqrt", &["sqrt(a)  function\nThe square root"]),
    ] {
        let (code, text, err) = pleach(&["nodes", name]);
        assert_eq!((code, err.as_str()), (0, ""), "{name}");
        expected.iter().for_each(|it| assert!(text.contains(it), "{it:?} in\n{text}"));
    }
}

#[test]
fn an_unknown_name_is_an_error_with_a_suggestion() {
    let message = "error: there is no node, leaf, field or function `Selektor`, did you mean `Selector`?; `pleach nodes` lists all";
    refused(&["nodes", "Selektor"], 2, message);
}
