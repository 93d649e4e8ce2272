//! Each limit, reached and exceeded.

use super::*;
use pleach_expr::limits::{MAX_EXPR_DEPTH, MAX_EXPR_SOURCE};
use pleach_expr::runtime::most_values;

fn kind(source: &str) -> Option<ExprErrorKind> {
    Expr::compile(source, &schema(), None).err().map(|mut errors| errors.remove(0).kind)
}

#[test]
fn length() {
    let source = format!("1{}", " ".repeat(MAX_EXPR_SOURCE - 1));
    assert_eq!(kind(&source), None);
    assert_eq!(kind(&format!("{source} ")), Some(ExprErrorKind::TooLong { len: MAX_EXPR_SOURCE + 1 }));
    let wide = "é".repeat(MAX_EXPR_SOURCE);
    assert_eq!(kind(&wide), Some(ExprErrorKind::TooLong { len: 2 * MAX_EXPR_SOURCE }));
    assert_eq!(Expr::compile(&wide, &schema(), None).unwrap_err()[0].span, 0..wide.len());
}

#[test]
fn depth() {
    let nested = |open: &str, inner: &str, close: &str, n| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    for (open, inner, close) in [("(", "1", ")"), ("!", "flag", ""), ("- ", "health", ""), ("abs(", "1", ")")] {
        assert_eq!(kind(&nested(open, inner, close, MAX_EXPR_DEPTH)), None, "{open}");
        assert_eq!(kind(&nested(open, inner, close, MAX_EXPR_DEPTH + 1)), Some(ExprErrorKind::TooDeep), "{open}");
    }
    for open in ["(", "!", "-", "abs(", "1+(", "if(", "vec2(1,"] {
        let source = open.repeat(MAX_EXPR_SOURCE / open.len());
        assert_eq!(kind(&source), Some(ExprErrorKind::TooDeep), "{open}");
    }
}

#[test]
fn values_at_once() {
    let nested = |n: usize| format!("{}health{}", "health + (".repeat(n), ")".repeat(n));
    for n in [6, 7, 8, MAX_EXPR_VALUES - 1] {
        let expr = compile(&nested(n));
        assert_eq!(most_values(&expr), n + 1);
        assert_eq!(eval(&nested(n)), Value::Float(0.25 * (n + 1) as f32));
    }
    assert_eq!(kind(&nested(MAX_EXPR_VALUES)), Some(ExprErrorKind::TooManyValues));
    let calls = |n: usize| format!("{}health{}", "clamp(0, 0, ".repeat(n), ")".repeat(n));
    // Each holds two values while the next is evaluated.
    let most = (MAX_EXPR_VALUES - 1) / 2;
    for n in [3, 4, 15, 16, most] {
        assert_eq!(most_values(&compile(&calls(n))), 2 * n + 1);
        eval(&calls(n));
    }
    assert_eq!(kind(&calls(most + 1)), Some(ExprErrorKind::TooManyValues));
    let constant = format!("{}1{}", "1+(".repeat(MAX_EXPR_VALUES), ")".repeat(MAX_EXPR_VALUES));
    assert_eq!(kind(&constant), Some(ExprErrorKind::TooManyValues));
}

/// An expression of `parts` parts for each way to nest them. Parts are literals, keys, operators,
/// functions and brackets.
fn of_parts(parts: usize) -> Vec<String> {
    let around = |open: &str, inner: &str, close: &str, each: usize, inner_parts: usize| {
        // The parts that do not fill a whole level are `-`s and `!`s in front, which every level
        // takes.
        let levels = (parts - inner_parts) / each;
        let rest = parts - inner_parts - levels * each;
        let prefix = if inner.contains("flag") { "!" } else { "- " };
        format!("{}{}{inner}{}", prefix.repeat(rest), open.repeat(levels), close.repeat(levels))
    };
    vec![
        around("", "noise_age", " + 1", 2, 1),
        around("1 + (", "noise_age", ")", 3, 1),
        around("1 - 2 * (", "noise_age", ")", 5, 1),
        around("(", "noise_age", ")", 1, 1),
        around("!", "flag", "", 1, 1),
        around("- ", "health", "", 1, 1),
        around("flag || flag && flag == (", "flag", ")", 7, 1),
        around("min(1, ", "noise_age", ")", 2, 1),
        around("clamp(1, 2, ", "noise_age", ")", 3, 1),
        around("abs(", "health", ")", 1, 1),
        around("if(flag, 1, ", "noise_age", ")", 3, 1),
        around("vec3(1, health, ", "health", ").x", 4, 1),
    ]
}

#[test]
fn up_to_256_parts_nest_in_any_way() {
    let work = || {
        for parts in [2, 255, 256, 257] {
            for source in of_parts(parts) {
                assert!(source.len() <= MAX_EXPR_SOURCE, "{source}");
                eval(&source);
            }
        }
    };
    std::thread::Builder::new().stack_size(64 * 1024).spawn(work).unwrap().join().unwrap();
}

#[test]
fn chains_are_not_deep() {
    for (first, link) in
        [("flag", "||flag"), ("flag", "&&flag"), ("1", "+1"), ("min", "-min"), ("!flag", "||health<.5")]
    {
        let link = link.replace('.', "0.");
        let source = format!("{first}{}", link.repeat((MAX_EXPR_SOURCE - first.len()) / link.len()));
        let expr = compile(&source);
        assert!(most_values(&expr) <= 2);
        eval_in(&expr, &schema());
    }
    assert!(kind(&format!("pos{}", ".x".repeat(2000))).is_some());
    assert_eq!(eval(&format!("min{}", "-1".repeat(1000))), Value::Int(11 - 1000));
}

/// Nothing recurses: an expression at the limits fits a small thread.
#[test]
fn a_small_stack_is_enough() {
    let work = || {
        for open in ["(", "!", "-", "abs(", "1+2*(", "flag||flag&&1<2+2*-("] {
            assert!(Expr::compile(&open.repeat(MAX_EXPR_SOURCE / open.len()), &schema(), None).is_err());
        }
        let source = format!("{}1{}", "(".repeat(MAX_EXPR_DEPTH), ")".repeat(MAX_EXPR_DEPTH));
        assert!(Expr::compile(&source, &schema(), None).is_ok());
    };
    std::thread::Builder::new().stack_size(64 * 1024).spawn(work).unwrap().join().unwrap();
}
