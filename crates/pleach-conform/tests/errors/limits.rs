//! How deep a scenario may nest, and which numbers it may hold: at each limit it is read, checked,
//! played and written, and past it rejected with a message that names the limit. All on a small
//! stack.

use pleach_conform::expr::{Clock, Expr};
use pleach_conform::runner;
use pleach_conform::scenario::{CompositeKind, DecoratorKind, Key, Keys, Node, Scenario, Scope, Shape, Value, Values};
use pleach_conform::{compare, oracle};
use pleach_core::expr::{KeyIndex, Names};
use pleach_core::limits::{MAX_DEPTH, MAX_EXPR_SOURCE};

fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 << 10).spawn(run).expect("a thread").join().expect("no overflow");
}

/// The core's result for an expression without keys.
fn in_the_core(text: &str) -> Result<pleach_core::Value, String> {
    struct Nothing;
    impl Names for Nothing {
        fn resolve(&self, _: Option<&str>, _: &str) -> Option<KeyIndex> {
            None
        }
        fn key_type(&self, _: KeyIndex) -> pleach_core::Type {
            unreachable!("there are no keys")
        }
        fn words(&self, _: KeyIndex) -> Vec<&str> {
            Vec::new()
        }
        fn names(&self) -> Vec<&str> {
            Vec::new()
        }
    }
    match pleach_core::expr::Expr::compile(text, &Nothing, None) {
        Ok(expr) => Ok(expr.eval(|_| unreachable!("it reads no keys"))),
        Err(errors) => Err(errors[0].to_string()),
    }
}

fn here(text: &str) -> Result<Value, String> {
    match Expr::parse(text, &Keys::default()) {
        Ok(expr) => Ok(expr.eval(&Values::new(), Clock::default())),
        Err(error) => Err(error.what),
    }
}

/// Expressions of this many parts, one for each way to nest them.
fn of_parts(parts: usize) -> Vec<String> {
    let around = |open: &str, inner: &str, close: &str, each: usize| {
        // The remainder that does not fill a level becomes prefixes.
        let (levels, rest) = ((parts - 1) / each, (parts - 1) % each);
        let prefix = if inner == "true" { "!" } else { "- " };
        format!("{}{}{inner}{}", prefix.repeat(rest), open.repeat(levels), close.repeat(levels))
    };
    vec![
        around("", "1.5", " + 1", 2),
        around("1 + (", "1.5", ")", 3),
        around("1 - 2 * (", "1.5", ")", 5),
        around("(", "1.5", ")", 1),
        around("!", "true", "", 1),
        around("not ", "true", "", 1),
        around("false or true and true == (", "true", ")", 7),
        around("sign(sqrt(", "1.5", "))", 2),
        around("clamp(1, 2, ", "1.5", ")", 3),
        around("- ", "1.5", "", 1),
        around("false || true && true == (", "true", ")", 7),
        around("max(1, ", "1.5", ")", 2),
        around("abs(", "1.5", ")", 1),
        around("length(vec2(1, ", "1.5", "))", 3),
        around("vec3(1, 2, ", "1.5", ").x", 4),
        around("distance(vec2(1, 2), vec2(1, ", "1.5", "))", 6),
    ]
}

#[test]
fn up_to_256_parts_nest_in_any_way() {
    on_a_small_stack(|| {
        // Up to two dozen levels run on the caller's stack.
        for parts in [1, 2, 24, 25, 60, 255, 256] {
            for text in of_parts(parts) {
                let (ours, theirs) = (here(&text), in_the_core(&text));
                match (ours, theirs) {
                    (Ok(Value::Bool(a)), Ok(pleach_core::Value::Bool(b))) => assert_eq!(a, b, "{text}"),
                    (Ok(Value::Float(a)), Ok(pleach_core::Value::Float(b))) => {
                        assert_eq!(a.to_bits(), b.to_bits(), "{text}");
                    }
                    other => panic!("{parts}: {text}: {other:?}"),
                }
                let copy = Expr::parse(&text, &Keys::default()).expect("as before");
                assert_eq!(copy.clone(), copy, "{text}");
            }
        }
        for text in of_parts(257) {
            assert_eq!(here(&text), Err("more than 256 parts".into()), "{text}");
        }
        for open in ["(", "!", "not ", "-", "abs(", "1+(", "1+", "vec2(1,", "false||true&&1<2+2*-("] {
            let text = open.repeat(MAX_EXPR_SOURCE / open.len());
            assert_eq!(here(&text), Err("more than 256 parts".into()), "{open}");
        }
    });
}

#[test]
fn the_longest_expression() {
    let padded = |len: usize| format!("{:1$}", "1", len);
    assert_eq!(here(&padded(MAX_EXPR_SOURCE)), Ok(Value::Int(1)));
    assert!(in_the_core(&padded(MAX_EXPR_SOURCE)).is_ok());
    assert_eq!(here(&padded(MAX_EXPR_SOURCE + 1)), Err("more than 4096 bytes".into()));
    assert!(in_the_core(&padded(MAX_EXPR_SOURCE + 1)).is_err());
}

#[test]
fn the_smallest_int_is_a_minus_and_a_number() {
    for text in [
        "-9223372036854775808",
        "- 9223372036854775808",
        "-\t009223372036854775808",
        "--9223372036854775808",
        "-(-9223372036854775808)",
        "0 - -9223372036854775808",
        "0--9223372036854775808",
        "min(-9223372036854775808, 0)",
        "-9223372036854775807 - 1",
    ] {
        assert_eq!(here(text), Ok(Value::Int(i64::MIN)), "{text}");
        assert_eq!(in_the_core(text), Ok(pleach_core::Value::Int(i64::MIN)), "{text}");
    }
    assert_eq!(here("-9223372036854775808 * 1.0"), Ok(Value::Float(-9_223_372_036_854_775_808.0)));
    assert_eq!(in_the_core("-9223372036854775808 * 1.0"), Ok(pleach_core::Value::Float(-9_223_372_036_854_775_808.0)));
    for text in [
        "9223372036854775808",
        "(9223372036854775808)",
        "-(9223372036854775808)",
        "0 - 9223372036854775808",
        "0-9223372036854775808",
        "!9223372036854775808",
        "-9223372036854775809",
        "18446744073709551616",
        "-18446744073709551616",
    ] {
        assert_eq!(here(text), Err("this number is too large".into()), "{text}");
        assert!(in_the_core(text).is_err_and(|it| it.contains("out of range")), "{text}");
    }
    for text in ["-9223372036854775808.x", "-1.", "- 1 .x"] {
        assert!(here(text).is_err() && in_the_core(text).is_err(), "{text}");
    }
}

/// Blanks are allowed wherever the core allows them.
#[test]
fn blanks_around_points() {
    let mut keys = Keys::default();
    keys.declare(Scope::Agent, "p", Key::from(Value::Vec2([3.0, 4.0])));
    for text in ["agent.p.y", "agent . p . y", "agent .p. y", "(p) .y", "p\n.\ty"] {
        let expr = Expr::parse(text, &keys).unwrap_or_else(|it| panic!("{text}: {it}"));
        assert_eq!(expr.eval(&keys.defaults(), Clock::default()), Value::Float(4.0), "{text}");
    }
}

/// A scenario around a tree, with these further fields.
fn scenario(tree: &str, more: &str) -> String {
    format!(r#"{{"name": "n", "about": "", "tree": {tree}{more}, "ticks": 3, "trace": []}}"#)
}

const IDLE: &str = r#"{"type": "idle"}"#;

/// This many nested nodes.
fn nested(levels: usize, open: &str, close: &str) -> String {
    format!(r#"{}{{"type": "action", "name": "deepest"}}{}"#, open.repeat(levels - 1), close.repeat(levels - 1))
}

const INVERTERS: [&str; 2] = [r#"{"type": "inverter", "children": ["#, "]}"];
const REPEATERS: [&str; 2] = [r#"{"type": "repeater", "forever": true, "children": ["#, "]}"];
const SEQUENCES: [&str; 2] = [
    r#"{"type": "sequence", "abort": "both", "services": [{"name": "s", "interval": 1}], "children": [{"type": "check", "expr": "true"}, "#,
    "]}",
];
const REACTIVE: [&str; 2] =
    [r#"{"type": "reactive_selector", "children": [{"type": "fail"}, "#, r#", {"type": "idle"}]}"#];
const PARALLELS: [&str; 2] = [r#"{"type": "parallel", "children": [{"type": "idle"}, "#, "]}"];
const UTILITIES: [&str; 2] =
    [r#"{"type": "utility_selector", "scores": ["1"], "reevaluate": true, "children": ["#, "]}"];
const ALL: [[&str; 2]; 6] = [INVERTERS, REPEATERS, SEQUENCES, REACTIVE, PARALLELS, UTILITIES];

/// Does everything that can be done with a scenario.
fn goes_through(text: &str) {
    let read = Scenario::from_json(text).unwrap_or_else(|it| panic!("{it}"));
    compare::check(&read, 2, 1).unwrap_or_else(|it| panic!("{it}"));
    assert!(oracle::trace(&read).len() > read.root().depth());
    assert_eq!(Scenario::from_json(&read.to_json()).expect("its own output"), read.clone());
    assert!(format!("{read:?}").len() > read.tree.depth());
}

fn refused(text: &str) -> String {
    Scenario::from_json(text).expect_err("past the limit").to_string()
}

#[test]
fn trees_nest_as_deep_as_the_core_takes_them() {
    on_a_small_stack(|| {
        for [open, close] in ALL {
            for levels in [1, 24, 25, MAX_DEPTH] {
                goes_through(&scenario(&nested(levels, open, close), ""));
            }
            let deeper = refused(&scenario(&nested(MAX_DEPTH + 1, open, close), ""));
            assert_eq!(deeper, "tree: nested 257 levels deep, the most is 256");
            let far = refused(&scenario(&nested(300, open, close), ""));
            assert!(far.contains("at most 256 levels"), "{far}");
        }
    });
}

#[test]
fn interrupts_add_levels() {
    on_a_small_stack(|| {
        let [open, close] = SEQUENCES;
        let interrupted = |tree: usize, run: usize| {
            let interrupts = format!(r#", "interrupts": [{{"expr": "true", "run": {}}}]"#, nested(run, open, close));
            scenario(&nested(tree, open, close).replace("deepest", "other"), &interrupts)
        };
        goes_through(&interrupted(MAX_DEPTH - 1, MAX_DEPTH - 2));
        assert_eq!(
            refused(&interrupted(MAX_DEPTH, 1)),
            "tree: nested 257 levels deep, the most is 256: the interrupts add 1"
        );
        assert_eq!(
            refused(&interrupted(1, MAX_DEPTH - 1)),
            "interrupts[0].run: nested 257 levels deep, the most is 256: an interrupt adds 2"
        );
    });
}

/// Neither endless brackets nor a scenario built by code overflows the stack.
#[test]
fn nothing_overflows() {
    on_a_small_stack(|| {
        for [open, close] in ALL.into_iter().chain([["[", "]"], [r#"{"a":"#, "}"]]) {
            for levels in [1_000, 100_000] {
                for text in [
                    scenario(&nested(levels, open, close), ""),
                    scenario(&open.repeat(levels), ""),
                    scenario(IDLE, &format!(r#", "keys": {{"k": {}}}"#, nested(levels, open, close))),
                    open.repeat(levels),
                ] {
                    let error = refused(&text);
                    assert!(error.contains("brackets inside each other"), "{error}");
                    assert!(error.contains("256 levels"), "{error}");
                }
            }
        }
        // Brackets in strings do not count.
        let quoted = format!(r#"{{"type": "log", "text": "{}\"[[["}}"#, "[{".repeat(10_000));
        goes_through(&scenario(&quoted, ""));
        // A scenario built by code is checked on any stack.
        let wrap = |child| Node {
            id: None,
            name: None,
            locals: Vec::new(),
            shape: Shape::Decorator { kind: DecoratorKind::Inverter, children: vec![child] },
        };
        let mut made = Scenario::from_json(&scenario(IDLE, "")).expect("the frame is right");
        made.tree = (1..=MAX_DEPTH).fold(made.tree, |it, _| wrap(it));
        assert_eq!(made.tree.depth(), MAX_DEPTH + 1);
        let error = made.check().expect_err("too deep").to_string();
        assert_eq!(error, "tree: nested 257 levels deep, the most is 256");
    });
}

/// A scenario with a number as a default, as a set value, and as a payload.
fn with_number(number: &str) -> String {
    let ops = format!(
        r#"{{"before": 2, "op": "set", "key": "n", "value": {number}}}, {{"before": 3, "op": "event", "event": "e", "payload": {number}}}"#
    );
    let tree = r#"{"type": "parallel", "children": [{"type": "emit", "event": "e", "expr": "n"}, {"type": "idle"}]}"#;
    scenario(tree, &format!(r#", "keys": {{"n": {number}}}, "ops": [{ops}]"#))
}

#[test]
fn ints_have_64_bits() {
    for number in [i64::MIN, i64::MIN + 1, -1, 0, i64::MAX] {
        let text = with_number(&number.to_string());
        goes_through(&text);
        let trace = oracle::trace(&Scenario::from_json(&text).expect("as before"));
        for line in [format!("emit 1:emit e {number}"), format!("set n {number}"), format!("event e {number}")] {
            assert!(trace.contains(&line), "{line} is not in {trace:?}");
        }
    }
    for (number, what) in [
        ("9223372036854775808", "found 9223372036854775808"),
        ("18446744073709551615", "found 18446744073709551615"),
        (
            "18446744073709551616",
            "18446744073709551616 does not fit into 64 bits: write a point after it for the float",
        ),
        ("-9223372036854775809", "-9223372036854775809 does not fit into 64 bits"),
        ("-0", "-0 is no int: write 0, or -0.0 for the float (line 1, column"),
    ] {
        let error = refused(&with_number(number));
        assert!(error.contains(what), "{error}");
    }
    let floats = ["18446744073709551616.0", "-9223372036854775809e0", "-0.0", "1e16", "3.4028235e38"];
    for number in floats.into_iter().chain([r#"{"entity": 18446744073709551615}"#, r#""a-0 [{-0""#]) {
        let text = with_number(number);
        if number.starts_with('"') {
            assert!(refused(&text).contains("a symbol is declared with its words"));
        } else {
            goes_through(&text);
        }
    }
}

/// Numbers without a short form in JSON are read back unchanged.
#[test]
fn weights_of_any_size() {
    let children = format!("[{IDLE}, {IDLE}]");
    for weights in [
        "0, -0.0",
        "1e300, 1e20",
        "0.1, 5e-324",
        "18446744073709551615, 1",
        "2.2250738585072014e-308, 1.234567890123456e-7",
    ] {
        let tree = format!(r#"{{"type": "random_selector", "weights": [{weights}], "children": {children}}}"#);
        goes_through(&scenario(&tree, ""));
    }
    goes_through(&scenario(&format!(r#"{{"type": "probability", "p": 1e-20, "children": [{IDLE}]}}"#), ""));
    // Bits that no one would write by hand.
    let mut bits = 1_u64;
    for _ in 0..200 {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let weight = f64::from_bits(bits & !(3 << 62));
        let tree = format!(r#"{{"type": "random_selector", "weights": [{weight:?}], "children": [{IDLE}]}}"#);
        let read = Scenario::from_json(&scenario(&tree, "")).unwrap_or_else(|it| panic!("{it}"));
        let Shape::Composite { kind: CompositeKind::RandomSelector { weights }, .. } = read.tree.shape else {
            panic!("{:?}", read.tree)
        };
        assert_eq!(weights, Some(vec![weight]));
    }
}

#[test]
fn no_rounds_are_refused() {
    for more in ["", r#", "end_on_failure": true"#] {
        let tree = |count: u32| format!(r#"{{"type": "repeater", "count": {count}{more}, "children": [{IDLE}]}}"#);
        goes_through(&scenario(&tree(1), ""));
        goes_through(&scenario(&tree(u32::MAX), ""));
        assert_eq!(
            refused(&scenario(&tree(0), "")),
            "tree.count: a count of 0 makes no sense here: use at least 1, or `forever`"
        );
    }
    for kind in ["until_success", "until_failure"] {
        let tree = |count: &str| format!(r#"{{"type": "{kind}"{count}, "children": [{IDLE}]}}"#);
        goes_through(&scenario(&tree(""), ""));
        goes_through(&scenario(&tree(r#", "count": 1"#), ""));
        assert_eq!(
            refused(&scenario(&tree(r#", "count": 0"#), "")),
            "tree.count: a count of 0 makes no sense here: use at least 1, or none"
        );
    }
}

/// What the core rejects is rejected when the file is read, and what is read can be played.
#[test]
fn the_limits_of_the_core() {
    let tree = |text: &str| scenario(text, "");
    let leaf = |rest: &str| tree(&format!(r#"{{"type": {rest}}}"#));
    let over = |rest: &str| tree(&format!(r#"{{"type": {rest}, "children": [{IDLE}]}}"#));
    let children = |kind: &str, count: usize, more: &str| {
        tree(&format!(r#"{{"type": "{kind}"{more}, "children": [{}]}}"#, vec![IDLE; count].join(", ")))
    };
    let long = |bytes: usize| "n".repeat(bytes);
    let keys = |count: usize| (0..count).map(|it| format!(r#""k{it}": 1"#)).collect::<Vec<_>>().join(", ");
    let words = |count: usize| (0..count).map(|it| format!(r#""w{it}""#)).collect::<Vec<_>>().join(", ");
    let scores = |count: usize| format!(r#", "scores": [{}]"#, vec![r#""1""#; count].join(", "));
    for (at_the_limit, past_it, message) in [
        (
            leaf(&format!(r#""idle", "name": "{}""#, long(256))),
            leaf(&format!(r#""idle", "name": "{}""#, long(257))),
            "tree.name: 257 bytes are too many for a name: at most 256",
        ),
        (
            leaf(&format!(r#""emit", "event": "{}""#, long(256))),
            leaf(&format!(r#""emit", "event": "{}""#, long(257))),
            "tree.event: 257 bytes are too many for a name: at most 256",
        ),
        (
            scenario(IDLE, &format!(r#", "global": {{"{}": 1}}"#, long(256))),
            scenario(IDLE, &format!(r#", "global": {{"{}": 1}}"#, long(257))),
            "global: 257 bytes are too many for a name: at most 256",
        ),
        (
            scenario(IDLE, &format!(r#", "keys": {{{}}}"#, keys(4_096))),
            scenario(IDLE, &format!(r#", "keys": {{{}}}, "group": {{"more": 1}}"#, keys(4_096))),
            "4097 keys are too many: at most 4096",
        ),
        (
            scenario(IDLE, &format!(r#", "keys": {{"k": {{"symbol": "w1", "words": [{}]}}}}"#, words(4_096))),
            scenario(IDLE, &format!(r#", "keys": {{"k": {{"symbol": "w1", "words": [{}]}}}}"#, words(4_097))),
            "keys.k.words: 4097 words are too many: at most 4096",
        ),
        (
            children("random_sequence", 1_024, ""),
            children("random_sequence", 1_025, ""),
            "tree: 1025 children are too many for an order: at most 1024",
        ),
        (
            children("utility_selector", 1_024, &scores(1_024)),
            children("utility_selector", 1_025, &scores(1_025)),
            "tree: 1025 children are too many for an order: at most 1024",
        ),
        (
            children("random_selector", 2, r#", "weights": [1e308, 1]"#),
            children("random_selector", 2, r#", "weights": [1e308, 1e308]"#),
            "tree.weights: they add up to more than a number can hold",
        ),
        (
            leaf(r#""wait", "ticks": 1000000000"#),
            leaf(r#""wait", "ticks": 1000000001"#),
            "tree.ticks: 1000000001 seconds are too long: at most 1000000000",
        ),
        (
            over(r#""timeout", "ticks": 1000000000"#),
            over(r#""timeout", "ticks": 1000000001"#),
            "tree.ticks: 1000000001 seconds are too long: at most 1000000000",
        ),
        (
            over(r#""delay", "ticks": -2147483648"#),
            over(r#""delay", "ticks": 1000000001"#),
            "tree.ticks: 1000000001 seconds are too long: at most 1000000000",
        ),
        (
            over(r#""sequence", "services": [{"name": "s", "interval": 1000000000}]"#),
            over(r#""sequence", "services": [{"name": "s", "interval": 1000000001}]"#),
            "tree.services[0].interval: 1000000001 seconds are too long: at most 1000000000",
        ),
    ] {
        goes_through(&at_the_limit);
        assert_eq!(refused(&past_it), message);
    }
    let served = |count: usize| {
        let services = vec![r#"{"name": "s", "interval": 9}"#; count].join(", ");
        children("sequence", 1, &format!(r#", "services": [{services}]"#))
    };
    for (at_the_limit, past_it, message) in [
        (
            children("sequence", 65_534, ""),
            children("sequence", 65_535, ""),
            "tree: 65536 nodes are too many: at most 65535",
        ),
        (
            served(65_535),
            served(65_536),
            "tree: 65536 actions, conditions, services and `when`s are too many: at most 65535",
        ),
    ] {
        let read = Scenario::from_json(&at_the_limit).expect("at the limit");
        assert!(runner::run(&read).is_ok());
        assert_eq!(refused(&past_it), message);
    }
}
