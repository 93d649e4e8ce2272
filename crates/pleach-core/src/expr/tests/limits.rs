//! Each limit, at it and past it.

use super::*;

fn kind(source: &str) -> Option<ExprErrorKind> {
    Expr::compile(source, &schema(), None).err().map(|mut errors| errors.remove(0).kind)
}

#[test]
fn length() {
    let source = format!("1{}", " ".repeat(MAX_SOURCE - 1));
    assert_eq!(kind(&source), None);
    assert_eq!(kind(&format!("{source} ")), Some(ExprErrorKind::TooLong { len: MAX_SOURCE + 1 }));
    let wide = "é".repeat(MAX_SOURCE);
    assert_eq!(kind(&wide), Some(ExprErrorKind::TooLong { len: 2 * MAX_SOURCE }));
    assert_eq!(Expr::compile(&wide, &schema(), None).unwrap_err()[0].span, 0..wide.len());
}

#[test]
fn depth() {
    let nested = |open: &str, inner: &str, close: &str, n| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    for (open, inner, close) in [("(", "1", ")"), ("!", "flag", ""), ("- ", "health", ""), ("abs(", "1", ")")] {
        assert_eq!(kind(&nested(open, inner, close, MAX_DEPTH)), None, "{open}");
        assert_eq!(kind(&nested(open, inner, close, MAX_DEPTH + 1)), Some(ExprErrorKind::TooDeep), "{open}");
    }
    for open in ["(", "!", "-", "abs(", "1+(", "if(", "vec2(1,"] {
        let source = open.repeat(MAX_SOURCE / open.len());
        assert_eq!(kind(&source), Some(ExprErrorKind::TooDeep), "{open}");
    }
}

#[test]
fn values_at_once() {
    let nested = |n: usize| format!("{}health{}", "health + (".repeat(n), ")".repeat(n));
    for n in [6, 7, 8, MAX_STACK - 1] {
        let expr = compile(&nested(n));
        assert_eq!(expr.stack, n + 1);
        assert_eq!(eval(&nested(n)), Value::Float(0.25 * (n + 1) as f32));
    }
    assert_eq!(kind(&nested(MAX_STACK)), Some(ExprErrorKind::TooManyValues));
    let calls = |n: usize| format!("{}health{}", "clamp(0, 0, ".repeat(n), ")".repeat(n));
    assert_eq!(kind(&calls(15)), None);
    eval(&calls(15));
    assert_eq!(kind(&calls(16)), Some(ExprErrorKind::TooManyValues));
    assert_eq!(kind(&format!("{}1{}", "1+(".repeat(40), ")".repeat(40))), Some(ExprErrorKind::TooManyValues));
}

#[test]
fn chains_are_not_deep() {
    for (first, link) in
        [("flag", "||flag"), ("flag", "&&flag"), ("1", "+1"), ("min", "-min"), ("!flag", "||health<.5")]
    {
        let link = link.replace('.', "0.");
        let source = format!("{first}{}", link.repeat((MAX_SOURCE - first.len()) / link.len()));
        let expr = compile(&source);
        assert!(expr.stack <= 2);
        eval_in(&expr, &schema());
    }
    assert!(kind(&format!("pos{}", ".x".repeat(2000))).is_some());
    assert_eq!(eval(&format!("min{}", "-1".repeat(1000))), Value::Int(11 - 1000));
}

/// Parsing recurses; at its limit it has to fit a small thread.
#[test]
fn a_small_stack_is_enough() {
    let work = || {
        for open in ["(", "!", "-", "abs(", "1+2*(", "flag||flag&&1<2+2*-("] {
            assert!(Expr::compile(&open.repeat(MAX_SOURCE / open.len()), &schema(), None).is_err());
        }
        let source = format!("{}1{}", "(".repeat(MAX_DEPTH), ")".repeat(MAX_DEPTH));
        assert!(Expr::compile(&source, &schema(), None).is_ok());
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(work).unwrap().join().unwrap();
}
