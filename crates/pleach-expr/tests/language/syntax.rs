//! Literals, names, precedence, and what a compiled expression reports about itself.

use super::*;
use pleach_expr::expr::is_name;
use pleach_expr::runtime::as_key;

/// The code that an expression is compiled to.
fn code(source: &str) -> String {
    let expr = format!("{:?}", compile(source));
    expr.split_once("code: ").map(|it| it.1.to_owned()).unwrap()
}

#[test]
fn literals() {
    assert_eq!(eval("1"), Value::Int(1));
    assert_eq!(eval("1.5"), Value::Float(1.5));
    assert_eq!(eval("1e-3"), Value::Float(0.001));
    assert_eq!(eval("25E+1"), Value::Float(250.0));
    assert_eq!(eval("1e-60"), Value::Float(0.0));
    assert_eq!(eval("true"), Value::Bool(true));
    assert_eq!(eval("false"), Value::Bool(false));
    assert_eq!(eval("none"), Value::Entity(Entity::NONE));
    assert_eq!(eval("9223372036854775807"), Value::Int(i64::MAX));
    assert_eq!(eval("-9223372036854775808"), Value::Int(i64::MIN));
    assert_eq!(eval("- 1"), Value::Int(-1));
}

#[test]
fn precedence_and_grouping() {
    assert_eq!(eval("2 + 3 * 4"), Value::Int(14));
    assert_eq!(eval("(2 + 3) * 4"), Value::Int(20));
    assert_eq!(eval("10 - 3 - 2"), Value::Int(5));
    assert_eq!(eval("10 - (3 - 2)"), Value::Int(9));
    assert_eq!(eval("100 / 5 / 2 * 3 % 7"), Value::Int(2));
    assert_eq!(eval("-2 * -3"), Value::Int(6));
    assert_eq!(eval("2--2"), Value::Int(4));
    assert_eq!(eval("- -2"), Value::Int(2));
    assert_eq!(eval("-cell.x + 1"), Value::Float(-2.0));
    assert_eq!(eval("-(cell).y"), Value::Float(-4.0));
    assert!(holds("true || true && false"));
    assert!(!holds("(true || true) && false"));
    assert!(!holds("!true || false"));
    assert!(holds("!(true && false)"));
    assert!(holds("!!true"));
    assert!(holds("1 + 1 == 2 && 3 < 2 + 2"));
    assert!(holds("1 < 2 && 2 < 3 || 1 == 2"));
    assert!(holds("(1 < 2) == (2 < 3)"));
    assert!(holds("!false == true"));
    assert!(holds("true or true and false"));
    assert!(!holds("(true or true) and false"));
    assert!(!holds("not true or false"));
    assert!(holds("not(true)or(true and(true))"));
    assert!(holds("not not true and true && !not true == true"));
    assert!(holds("not false == true"));
    assert!(holds("1 < 2 and 2 < 3 or 1 == 2"));
    assert_eq!(code("flag and not sees_player or flag"), code("flag && !sees_player || flag"));
}

#[test]
fn white_space_is_free() {
    assert_eq!(eval("\t1\n+\r\n2\u{a0}"), Value::Int(3));
    assert_eq!(eval("min ( 1 , 2 )"), Value::Int(1));
    assert_eq!(eval("cell . y"), Value::Float(4.0));
}

#[test]
fn keys_in_scopes() {
    assert_eq!(eval("health"), Value::Float(0.25));
    assert_eq!(eval("agent.health"), Value::Float(0.25));
    assert_eq!(eval("group.health"), Value::Float(0.75));
    assert_eq!(eval("agent.pos.z"), Value::Float(3.0));
    assert_eq!(eval("größe"), Value::Int(-8));
    assert_eq!(eval("global.größe"), Value::Int(-8));
}

#[test]
fn a_scope_comes_before_a_key_of_its_name() {
    assert_eq!(eval("agent"), Value::Vec2([5.0, 6.0]));
    assert_eq!(eval("agent.x"), Value::Float(5.0));
    assert_eq!(eval("group.agent.y"), Value::Float(6.0));
    let mut schema = schema();
    schema.0.push(("agent", "x", Value::Int(1)));
    let expr = Expr::compile("agent.x", &schema, None).unwrap();
    assert_eq!(eval_in(&expr, &schema), Value::Int(1));
}

#[test]
fn a_key_may_have_the_name_of_a_function_or_of_none() {
    assert_eq!(eval("min(min, 12)"), Value::Int(11));
    let schema = Schema(vec![("agent", "none", Value::Int(5))]);
    let expr = Expr::compile("none", &schema, None).unwrap();
    assert_eq!(eval_in(&expr, &schema), Value::Int(5));
}

#[test]
fn time_is_the_readers_unless_a_key_has_that_name() {
    struct At(f64);
    impl Read for At {
        fn value(&mut self, _: KeyIndex) -> Value {
            Value::Int(7)
        }
        fn time(&mut self) -> Time {
            Time::from_secs(self.0)
        }
        fn now(&mut self) -> Time {
            Time::from_secs(self.0 + 100.0)
        }
    }
    let expr = compile("time * 2 + 1");
    assert!(expr.reads_time() && expr.keys().is_empty());
    assert_eq!(expr.eval(At(1.5)), Value::Float(4.0));
    let expr = Expr::compile("time", &schema(), Some(Type::Float)).unwrap();
    assert_eq!(expr.eval_float(At(1.5)), 1.5);
    assert!(compile("time > 1 and not (time >= 2)").eval_bool(At(1.5)));
    assert!(!compile("false and time > 1").reads_time(), "it cannot be reached");
    assert!(compile("false and now > 1").keys().is_empty() && !compile("false and now > 1").reads_clock());
    let expr = compile("now - time == 100");
    assert!(expr.reads_time() && expr.reads_now() && expr.eval_bool(At(1.5)));
    let schema = Schema(vec![("global", "time", Value::Int(5))]);
    let expr = Expr::compile("time + global.time", &schema, None).unwrap();
    assert!(!expr.reads_time());
    assert_eq!(expr.eval(At(1.5)), Value::Int(14));
    // Beside a symbol it is a word, like any name.
    struct Words;
    impl Names for Words {
        fn resolve(&self, _: Option<&str>, name: &str) -> Option<KeyIndex> {
            KeyIndex::new(0).filter(|_| name == "mode")
        }
        fn key_type(&self, _: KeyIndex) -> Type {
            Type::Symbol
        }
        fn words(&self, _: KeyIndex) -> Vec<&str> {
            vec!["time"]
        }
        fn names(&self) -> Vec<&str> {
            vec!["mode"]
        }
    }
    let expr = Expr::compile("mode == time", &Words, None).unwrap();
    assert!(!expr.reads_time());
    assert!(expr.eval_bool(|_: KeyIndex| Value::Symbol(Symbol::new("time"))));
}

#[test]
fn names() {
    for name in ["a", "_", "sees_player", "größe", "x2", "標的", "none", "min", "agent", "time", "nota", "And"] {
        assert!(is_name(name), "{name}");
    }
    for name in ["", "2x", "a-b", "a b", "a.b", "true", "false", "not", "and", "or", "é!", "😀"] {
        assert!(!is_name(name), "{name}");
    }
}

#[test]
fn what_is_known_of_it() {
    let source = "health < 0.3 && (sees_player || noise_age <= 2 && health > 0)";
    let expr = compile(source);
    assert_eq!(expr.ty(), Type::Bool);
    assert_eq!(expr.source(), source);
    assert_eq!(expr.to_string(), source);
    assert_eq!(format!("{:?}", expr.keys()), "[k0, k1, k2]");
    assert_eq!(expr, compile(source));
    assert_ne!(expr, compile("health < 0.3"));
    assert_ne!(compile("1 + 1"), compile("1+1"));
    let elsewhere = Schema(vec![("node", "flag", Value::Bool(true))]);
    assert_ne!(compile("flag"), Expr::compile("flag", &elsewhere, None).unwrap());
}

#[test]
fn constants_are_folded() {
    for (source, value) in [
        ("1 + 2 * 3.0 - -1", Value::Float(8.0)),
        ("distance(vec2(0, 3), vec2(4, 0)) * 2", Value::Float(10.0)),
        ("vec3(1, 2, 3).y", Value::Float(2.0)),
        ("if(1 < 2, 3, noise_age)", Value::Int(3)),
        ("if(1 < 2, 3, health)", Value::Float(3.0)),
        ("false && flag", Value::Bool(false)),
        ("true || flag", Value::Bool(true)),
        ("clamp(5, 1, 3)", Value::Int(3)),
        ("!(2 >= 3)", Value::Bool(true)),
    ] {
        assert_eq!(compile(source).constant(), Some(value), "{source}");
        eval(source);
    }
    assert_eq!(compile("false && flag").keys(), []);
    assert_eq!(as_key(&compile("true && (false || flag)")), KeyIndex::new(9));
    holds("true && (false || flag)");
}

#[test]
fn key_indices() {
    assert_eq!(KeyIndex::new(12).map(KeyIndex::index), Some(12));
    assert_eq!(KeyIndex::new(65_535).map(KeyIndex::index), Some(65_535));
    assert_eq!(KeyIndex::new(65_536), None);
}
