//! How sources written in all sorts of styles are formatted.

use super::format_str;

/// A source, formatted; formatting the result again changes nothing.
#[track_caller]
fn formatted(source: &str) -> String {
    let once = format_str("x.ron", source).unwrap_or_else(|it| panic!("{source}{it}"));
    let twice = format_str("x.ron", &once).unwrap_or_else(|it| panic!("{once}{it}"));
    assert_eq!(once, twice, "of\n{source}");
    once
}

/// Checks that these stay as they are, with the line break at the end.
#[track_caller]
fn stays(sources: &[&str]) {
    for source in sources {
        assert_eq!(formatted(source), format!("{source}\n"));
    }
}

#[test]
fn brackets_that_fit_stand_on_one_line() {
    assert_eq!(formatted("A( b :1,c:[ 1,2 ,], d:{\"x\":(1,2),},)"), "A(b: 1, c: [1, 2], d: { \"x\": (1, 2) })\n");
    assert_eq!(formatted("A(b: 1,\n    c: 2)"), "A(b: 1, c: 2)\n");
    assert_eq!(formatted("(\n)"), "()\n");
    assert_eq!(formatted("[[ ],{\n},A ( ) ]"), "[[], {}, A()]\n");
}

#[test]
fn brackets_that_are_broken_stay_so() {
    assert_eq!(
        formatted("A(\nb: 1, c: [\n1], d: (2\n))"),
        "A(\n    b: 1,\n    c: [\n        1,\n    ],\n    d: (2),\n)\n"
    );
    stays(&["[\n    A(b: 1, c: [\n        1,\n        B(c: [\n            2,\n        ]),\n    ]),\n]"]);
    // Not the outermost.
    assert_eq!(formatted("A(b: 1, c: [\n2])"), "A(\n    b: 1,\n    c: [\n        2,\n    ],\n)\n");
    // The broken bracket is not the last.
    assert_eq!(
        formatted("(A(b: [\n1], c: 2))"),
        "(\n    A(\n        b: [\n            1,\n        ],\n        c: 2,\n    ),\n)\n"
    );
}

#[test]
fn long_lines_are_broken() {
    let long = "x".repeat(60);
    let two = format!(
        "[A(name: \"{long}\", b: [Wait(1.0), Wait(2.0)]), A(b: C(d: [{long}, {long}])), A(b: {long}, c: B({long}))]"
    );
    let expected = format!(
        "[\n    A(name: \"{long}\", b: [Wait(1.0), Wait(2.0)]),\n    A(b: C(d: [\n        {long},\n        {long},\n    \
         ])),\n    A(\n        b: {long},\n        c: B({long}),\n    ),\n]\n"
    );
    assert_eq!(formatted(&two), expected);
    // 120 characters and one more; a comment behind does not count.
    for (length, lines) in [(109, 1), (110, 4)] {
        let source = format!("(a: 1, b: {}, )", "é".repeat(length));
        assert_eq!(formatted(&source).lines().count(), lines);
    }
    let nested = format!("[\n(a: 1, b: {}) // {long}\n]", "y".repeat(104));
    assert_eq!(formatted(&nested).lines().count(), 3);
}

#[test]
fn comments_stay_at_what_they_stand_at() {
    stays(&[
        "// a\n// b\n\n(\n    // c\n    d: 1, // e\n\n    // f\n\n    g: 2, // h\n    // i\n) // j\n\n// k",
        "( // a\n    b: 1,\n)",
        "[ // a\n    // b\n]",
        "(/* a */ b: 1 /* c */, /* d */ e: [1 /* f */] /* g */) /* h */ // i",
        "(\n    a: 1, /* b\n  c */ // d\n    e: 2,\n)",
        "(\n    /* a\n  b */\n    c: 1,\n)",
        "[\n    A(b: 1, c: [ // d\n        1,\n    ]),\n]",
    ]);
    assert_eq!(formatted("(a: 1 // b\n)"), "(\n    a: 1, // b\n)\n");
    assert_eq!(formatted("(a: 1 // b\n, c: 2)"), "(\n    a: 1, // b\n    c: 2,\n)\n");
    assert_eq!(formatted("(a: 1 // b\n, // c\n d: 2)"), "(\n    a: 1, // b\n    // c\n    d: 2,\n)\n");
    assert_eq!(formatted("(a: 1, /* b */)"), "(a: 1 /* b */)\n");
    assert_eq!(formatted("(/* a */)"), "(\n    /* a */\n)\n");
}

#[test]
fn comments_within_an_item_go_above_it() {
    assert_eq!(
        formatted("(a: 0, b // c\n: /* d */ E // f\n (1))"),
        "(\n    a: 0,\n    // c\n    // f\n    /* d */ b: E(1),\n)\n"
    );
    assert_eq!(
        formatted("{ (1, 2) /* a */ : // b\n 3, 4: 5 }"),
        "{\n    (1, 2): 3,\n    /* a */\n    // b\n    4: 5,\n}\n"
    );
    assert_eq!(formatted("A // a\n ()"), "// a\nA()\n");
}

#[test]
fn blank_lines_between_items_stay() {
    assert_eq!(formatted("\n\n(\n\n\n  a: 1,\n\n\n\n  b: 2,\n\n)\n\n\n"), "(\n    a: 1,\n\n    b: 2,\n)\n");
    assert_eq!(formatted("(a: 1,\n\nb: 2)"), "(\n    a: 1,\n\n    b: 2,\n)\n");
    assert_eq!(formatted("// a\n\n\n// b\n(a\n\n: 1)"), "// a\n\n// b\n(a: 1)\n");
}

#[test]
fn what_is_in_texts_is_not_touched() {
    stays(&["A(r#\"a  \"b\"#, 'c', b\"\\x00\", -1.5e3, 0x1F, r#d-e, \"//\")", "(\n    \"a\n  b\",\n)"]);
    assert_eq!(formatted("(\"a  \n b\")"), "(\n    \"a  \n b\",\n)\n");
}

#[test]
fn attributes_stand_before_the_value() {
    assert_eq!(
        formatted("#![ enable( implicit_some ,unwrap_newtypes, ) ] /* a */ # ! [type=\"x, )\"]// b\n\nA(1)"),
        "#![enable(implicit_some, unwrap_newtypes)]\n/* a */ #![type = \"x, )\"] // b\n\nA(1)\n"
    );
}

#[test]
fn line_ends_and_the_mark_stay() {
    let mark = "\u{feff}";
    assert_eq!(
        formatted(&format!("{mark}( // a\r\n b: \"c\nd\" )")),
        format!("{mark}( // a\r\n    b: \"c\nd\",\r\n)\r\n")
    );
    assert_eq!(formatted(&format!("{mark}\n// a\n(1)")), format!("{mark}// a\n(1)\n"));
}

#[test]
fn what_cannot_be_read_is_told() {
    for (source, expected) in [
        ("", "x.ron:1:1: error[P0101]: the file is empty"),
        ("// a", "x.ron:1:5: error[P0101]: the file has nothing but comments"),
        (
            "(a: 1",
            "x.ron:1:1: error[P0103]: this `(` is never closed; the file ends here: x.ron:1:5; help: write `)` at the end of the file",
        ),
        ("(a: 1))", "x.ron:1:7: error[P0103]: this `)` closes nothing"),
        ("(a: /* b", "x.ron:1:5: error[P0104]: this comment is never closed"),
    ] {
        let report = format_str("x.ron", source).expect_err(source);
        assert_eq!(report.plain().lines().next().unwrap_or_default(), expected);
    }
}
