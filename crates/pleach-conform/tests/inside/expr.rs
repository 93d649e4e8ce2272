//! Tests of the expressions of scenarios.

use pleach_conform::expr::{Clock, Expr, ExprError};
use pleach_conform::scenario::{Key, Keys, Scope, Value};

/// 2.5 and 7 seconds.
const CLOCK: Clock = Clock { time: 2_500_000_000, now: 7_000_000_000 };

fn mode() -> Key {
    Key { default: Value::Symbol("idle".into()), words: vec!["idle".into(), "alert".into()] }
}

fn keys() -> Keys {
    let mut keys = Keys::default();
    for (name, value) in [
        ("hp", Value::Float(0.5)),
        ("n", Value::Int(7)),
        ("on", Value::Bool(true)),
        ("pos", Value::Vec2([3.0, 4.0])),
        ("home", Value::Vec3([1.0, 2.0, -2.0])),
        ("who", Value::Entity(7)),
        ("met", Value::Time(1_500_000_000)),
    ] {
        keys.declare(Scope::Agent, name, value.into());
    }
    keys.declare(Scope::Agent, "mode", mode());
    keys.declare(Scope::Group, "n", Value::Int(8).into());
    keys.declare(Scope::Group, "g", Value::Int(9).into());
    keys.declare(Scope::Global, "g", Value::Int(10).into());
    keys.declare(Scope::Global, "spot", Value::Vec2([0.0, 0.5]).into());
    keys
}

fn eval(text: &str) -> Value {
    Expr::parse(text, &keys()).unwrap_or_else(|e| panic!("{text}: {e}")).eval(&keys().defaults(), CLOCK)
}

#[test]
fn values() {
    for (text, value) in [
        ("1 + 2 * 3", Value::Int(7)),
        ("(1 + 2) * 3", Value::Int(9)),
        ("10 - 4 - 3", Value::Int(3)),
        ("-7 / 2", Value::Int(-3)),
        ("-7 % 2", Value::Int(-1)),
        ("7 / 0 + 7 % 0", Value::Int(0)),
        ("9223372036854775807 + 1", Value::Int(i64::MIN)),
        ("n / 2.0", Value::Float(3.5)),
        ("0.1 + 0.2", Value::Float(0.1_f32 + 0.2_f32)),
        ("1.0 / 0", Value::Float(f32::INFINITY)),
        ("min(n, 3)", Value::Int(3)),
        ("max(hp, 3)", Value::Float(3.0)),
        ("1.0 / min(0.0, -0.0)", Value::Float(f32::INFINITY)),
        ("1.0 / min(-0.0, 0.0)", Value::Float(f32::NEG_INFINITY)),
        ("1.0 / max(0.0, -0.0)", Value::Float(f32::INFINITY)),
        ("1.0 / max(-0.0, 0)", Value::Float(f32::NEG_INFINITY)),
        ("min(0.0 / 0.0, 2.0) + min(2.0, 0.0 / 0.0)", Value::Float(4.0)),
        ("max(0.0 / 0.0, 2) + max(2, 0.0 / 0.0)", Value::Float(4.0)),
        ("abs(-n)", Value::Int(7)),
        ("--n", Value::Int(7)),
        ("hp<0.6&&!on||n>=7", Value::Bool(true)),
        ("false && false || true", Value::Bool(true)),
        ("true || false && false", Value::Bool(true)),
        ("on == (n != 7)", Value::Bool(false)),
        ("!on == false", Value::Bool(true)),
        ("n == 7.0", Value::Bool(true)),
        ("0.0 / 0.0 == 0.0 / 0.0", Value::Bool(false)),
        ("n + agent.n + group.n", Value::Int(22)),
        ("g - global.g", Value::Int(-1)),
        ("pos + vec2(1, 0.5) * 2", Value::Vec2([5.0, 5.0])),
        ("2 * pos / 4 - global.spot", Value::Vec2([1.5, 1.5])),
        ("-home", Value::Vec3([-1.0, -2.0, 2.0])),
        ("length(pos) + length(home)", Value::Float(8.0)),
        ("distance(pos, vec2(0, 0)) == 5", Value::Bool(true)),
        ("-pos.y + (home * 2).z + spot.y + global.spot.y", Value::Float(-7.0)),
        ("pos == vec2(3, 4)", Value::Bool(true)),
        ("pos != vec2(3, 5)", Value::Bool(true)),
        ("vec2(0.0 / 0.0, 1) == vec2(0.0 / 0.0, 1)", Value::Bool(false)),
        ("vec2(0.0, 1) == vec2(-0.0, 1)", Value::Bool(true)),
        ("who == none || none != who", Value::Bool(true)),
        ("mode == idle && alert != mode && mode == mode", Value::Bool(true)),
        ("mode", Value::Symbol("idle".into())),
        ("hp < 0.6 and not on or n >= 7", Value::Bool(true)),
        ("true or false and false", Value::Bool(true)),
        ("not on == false", Value::Bool(true)),
        ("not(on)or(on)and(not on)", Value::Bool(false)),
        ("sqrt(n + 2) + sqrt(-0.0)", Value::Float(3.0)),
        ("1 / sqrt(-0.0)", Value::Float(f32::NEG_INFINITY)),
        ("sqrt(-1) == sqrt(-1)", Value::Bool(false)),
        ("floor(-2.25) + floor(2.75) + floor(n)", Value::Int(6)),
        ("floor(1.0 / 0)", Value::Int(i64::MAX)),
        ("floor(0.0 / 0)", Value::Int(0)),
        ("clamp(n, 1, 5)", Value::Int(5)),
        ("clamp(n, 9, 5)", Value::Int(5)),
        ("clamp(n, 8.5, 9)", Value::Float(8.5)),
        ("clamp(n, 0.0 / 0, 3)", Value::Float(3.0)),
        ("sign(-n) + sign(0) * 5", Value::Int(-1)),
        ("sign(-hp)", Value::Float(-1.0)),
        ("1 / sign(-0.0)", Value::Float(f32::NEG_INFINITY)),
        ("sign(0.0 / 0) == 0", Value::Bool(false)),
        ("if(on, n, 1)", Value::Int(7)),
        ("if(!on, 1, n)", Value::Int(7)),
        ("if(on, n, hp)", Value::Float(7.0)),
        ("if(not on, 0.5, n) / 2", Value::Float(3.5)),
        ("if(n > 3, pos, global.spot).y", Value::Float(4.0)),
        ("if(on, who, none) != none", Value::Bool(true)),
        ("if(on, time, time) * 2", Value::Float(5.0)),
        ("if(on, if(n < 3, 1, time), 4)", Value::Float(2.5)),
        ("mode == if(on, idle, alert)", Value::Bool(true)),
        ("if(on, mode, alert) == if(not on, alert, idle)", Value::Bool(true)),
        ("(if(on, (alert), mode)) != (mode)", Value::Bool(true)),
        ("time * 2", Value::Float(5.0)),
        ("now - met", Value::Float(5.5)),
        ("met - now", Value::Float(-5.5)),
        ("met + 0.7", Value::Time(2_200_000_000)),
        ("1 + met", Value::Time(2_500_000_000)),
        ("met - 10", Value::Time(0)),
        ("met + 1.0 / 0", Value::Time(i64::MAX.cast_unsigned())),
        ("met + 0.0 / 0", Value::Time(1_500_000_000)),
        ("met + met", Value::Float(3.0)),
        ("10 - met", Value::Float(8.5)),
        ("-met", Value::Float(-1.5)),
        ("min(met, now)", Value::Time(1_500_000_000)),
        ("max(met, 3)", Value::Float(3.0)),
        ("clamp(time, met, now)", Value::Time(2_500_000_000)),
        ("met < 1.6 and met > 1 and met != 0.0 / 0 and not (met < 0.0 / 0)", Value::Bool(true)),
        ("met + 0.1 == 1.6 and time == 2.5 and 7 == now", Value::Bool(true)),
        ("met > -1 and met < 10000000000 and -1.5 < met", Value::Bool(true)),
        ("floor(met)", Value::Int(1)),
        ("vec2(1, 2) * time", Value::Vec2([2.5, 5.0])),
        ("time > 2 and time < 3", Value::Bool(true)),
    ] {
        assert_eq!(eval(text), value, "{text}");
    }
}

#[test]
fn time_may_be_a_key_or_a_word() {
    let mut keys = keys();
    let words = Key { default: Value::Symbol("time".into()), words: vec!["time".into(), "idle".into()] };
    keys.declare(Scope::Agent, "phase", words);
    let eval = |text: &str, keys: &Keys| Expr::parse(text, keys).map(|it| it.eval(&keys.defaults(), CLOCK));
    assert_eq!(eval("phase == time", &keys), Ok(Value::Bool(true)));
    assert_eq!(eval("time", &keys), Ok(Value::Time(2_500_000_000)));
    keys.declare(Scope::Group, "time", Value::Int(7).into());
    assert_eq!(eval("time + group.time", &keys), Ok(Value::Int(14)));
}

#[test]
fn words_of_a_target() {
    let set = |text: &str, target: &Key| {
        Expr::parse_for(text, &keys(), target)
            .map(|it| it.eval(&keys().defaults(), Clock::default()))
            .map_err(|it| it.what)
    };
    assert_eq!(set("alert", &mode()), Ok(Value::Symbol("alert".into())));
    assert_eq!(set("mode", &mode()), Ok(Value::Symbol("idle".into())));
    assert_eq!(set("if(n > 3, alert, mode)", &mode()), Ok(Value::Symbol("alert".into())));
    assert_eq!(set("if(n > 3, if(on, alert, idle), idle)", &mode()), Ok(Value::Symbol("alert".into())));
    assert_eq!(set("if(on, alert, idel)", &mode()), Err("`idel` is none of the key's words".into()));
    assert_eq!(set("alter", &mode()), Err("`alter` is none of the key's words".into()));
    assert_eq!(set("alert", &Value::Int(0).into()), Err("`keys` has no `alert`".into()));
}

#[test]
fn errors() {
    for (text, at, what) in [
        ("", 0, "expected a number, a key, true, false, ( or a function"),
        ("n <", 3, "expected a number, a key, true, false, ( or a function"),
        ("n n", 2, "expected an operator or the end"),
        ("(n", 2, "expected )"),
        ("m + 1", 0, "`keys` has no `m`"),
        ("1 + m", 4, "`keys` has no `m`"),
        ("group.hp < 1", 0, "`keys` has no `group.hp`"),
        ("idle", 0, "`keys` has no `idle`"),
        ("idle == alert", 0, "`keys` has no `idle`"),
        ("n == idle", 5, "`keys` has no `idle`"),
        ("mode == iddle", 8, "`iddle` is none of the key's words"),
        ("mode < alert", 7, "`keys` has no `alert`"),
        ("mode == who", 5, "this cannot be done to symbol and entity"),
        ("pos + home", 4, "this cannot be done to vec2 and vec3"),
        ("1 / pos", 2, "this cannot be done to int and vec2"),
        ("pos * pos", 4, "this cannot be done to vec2 and vec2"),
        ("pos < pos", 4, "this cannot be done to vec2 and vec2"),
        ("pos.z", 4, "vec2 has no `z`"),
        ("n.x", 2, "int has no `x`"),
        ("length(n)", 0, "length wants a vector, not int"),
        ("vec2(on, 1)", 0, "vec2 wants a number, not bool"),
        ("distance(pos, home)", 0, "this cannot be done to vec2 and vec3"),
        ("n + on", 2, "this cannot be done to int and bool"),
        ("on < on", 3, "this cannot be done to bool and bool"),
        ("n && on", 2, "this cannot be done to int and bool"),
        ("!n", 0, "! wants a bool, not int"),
        ("-on", 0, "- wants a number, not bool"),
        ("1 < n < 3", 6, "comparisons do not chain: write parentheses"),
        ("1. + 2", 0, "a point wants digits after it"),
        ("99999999999999999999", 0, "this number is too large"),
        ("min(n)", 5, "expected 2 arguments in parentheses"),
        ("on andon", 3, "expected an operator or the end"),
        ("and", 0, "`keys` has no `and`"),
        ("on and or", 7, "`keys` has no `or`"),
        ("not n", 0, "! wants a bool, not int"),
        ("notn", 0, "`keys` has no `notn`"),
        ("time.x", 5, "time has no `x`"),
        ("mode == time", 8, "`time` is none of the key's words"),
        ("sqrt(pos)", 0, "sqrt wants a number, not vec2"),
        ("clamp(1, 2)", 10, "expected 3 arguments in parentheses"),
        ("abs n", 4, "expected 1 arguments in parentheses"),
        ("if(on, 1)", 8, "expected 3 arguments in parentheses"),
        ("if(n, 1, 2)", 0, "if wants a bool, not int"),
        ("if(on, 1, on)", 0, "if gives int or bool"),
        ("if(on, alert, idle)", 7, "`keys` has no `alert`"),
        ("if(on, mode, iddle) == idle", 13, "`iddle` is none of the key's words"),
        ("if(alert, 1, 2)", 3, "`keys` has no `alert`"),
        ("mode == if(on, time, 1)", 5, "this cannot be done to symbol and float"),
    ] {
        assert_eq!(Expr::parse(text, &keys()), Err(ExprError { at, what: what.into() }), "{text}");
    }
    for deep in ["(".repeat(100_000), "-".repeat(100_000), "1+".repeat(100_000), "abs(".repeat(100_000)] {
        let error = Expr::parse(&deep, &keys()).expect_err("too deep");
        assert_eq!(error.what, "more than 256 parts");
    }
}
