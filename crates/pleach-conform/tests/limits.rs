//! How much a scenario may nest, and which numbers it may hold: at each limit it is read, checked, played and written, and
//! past it refused with a message that names the limit. All on a small stack.

use pleach_conform::expr::Expr;
use pleach_conform::scenario::{Key, Keys, Scope, Value, Values};
use pleach_core::expr::{KeyIndex, Names};
use pleach_core::limits::MAX_EXPR_SOURCE;

fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 << 10).spawn(run).expect("a thread").join().expect("no overflow");
}

/// What the core makes of an expression without keys.
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
        Ok(expr) => Ok(expr.eval(&Values::new())),
        Err(error) => Err(error.what),
    }
}

/// Expressions of so many parts, one for each way to nest them.
fn of_parts(parts: usize) -> Vec<String> {
    let around = |open: &str, inner: &str, close: &str, each: usize| {
        // What does not divide into whole levels are prefixes.
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
        for parts in [1, 2, 255, 256] {
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
        for open in ["(", "!", "-", "abs(", "1+(", "1+", "vec2(1,", "false||true&&1<2+2*-("] {
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

/// Wherever blanks may stand in the core.
#[test]
fn blanks_around_points() {
    let mut keys = Keys::default();
    keys.declare(Scope::Agent, "p", Key::from(Value::Vec2([3.0, 4.0])));
    for text in ["agent.p.y", "agent . p . y", "agent .p. y", "(p) .y", "p\n.\ty"] {
        let expr = Expr::parse(text, &keys).unwrap_or_else(|it| panic!("{text}: {it}"));
        assert_eq!(expr.eval(&keys.defaults()), Value::Float(4.0), "{text}");
    }
}
