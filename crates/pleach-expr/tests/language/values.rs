//! Each operator and function on each type, and the conversions (SEMANTICS 8.23).

use super::*;
use pleach_expr::expr::functions;
use pleach_expr::runtime::hash_of;

#[test]
fn ints_wrap_and_divide_by_zero_to_zero() {
    assert_eq!(eval("9223372036854775807 + 1"), Value::Int(i64::MIN));
    assert_eq!(eval("-9223372036854775808 - 1"), Value::Int(i64::MAX));
    assert_eq!(eval("9223372036854775807 * 2"), Value::Int(-2));
    assert_eq!(eval("-(-9223372036854775808)"), Value::Int(i64::MIN));
    assert_eq!(eval("abs(-9223372036854775808)"), Value::Int(i64::MIN));
    assert_eq!(eval("-9223372036854775808 / -1"), Value::Int(i64::MIN));
    assert_eq!(eval("-9223372036854775808 % -1"), Value::Int(0));
    assert_eq!(eval("noise_age / 0"), Value::Int(0));
    assert_eq!(eval("noise_age % 0"), Value::Int(0));
    assert_eq!(eval("-7 / 2"), Value::Int(-3));
    assert_eq!(eval("-7 % 3"), Value::Int(-1));
}

#[test]
fn floats_are_ieee() {
    assert_eq!(eval("1.0 / 0"), Value::Float(f32::INFINITY));
    assert_eq!(eval("-1 / 0.0"), Value::Float(f32::NEG_INFINITY));
    assert_eq!(eval("7.5 % 2"), Value::Float(1.5));
    assert_eq!(eval("0.1 + 0.2"), Value::Float(0.1 + 0.2));
    assert_eq!(eval("-0.0"), Value::Float(-0.0));
    assert!(holds("0.0 == -0.0"));
    let Value::Float(it) = eval("0.0 / 0.0") else { panic!() };
    assert!(it.is_nan());
}

#[test]
fn a_nan_compares_as_different_from_all() {
    for cmp in ["<", "<=", ">", ">=", "=="] {
        for other in ["1.0", "1", "nan", "health", "0.0/0.0"] {
            assert!(!holds(&format!("nan {cmp} {other}")), "{cmp} {other}");
            assert!(!holds(&format!("{other} {cmp} nan")), "{cmp} {other}");
            assert!(holds(&format!("!(nan {cmp} {other})")), "{cmp} {other}");
        }
    }
    assert!(holds("nan != nan"));
    assert!(holds("nan != 1"));
    assert!(holds("vec2(nan, 0) != vec2(nan, 0)"));
    assert!(!holds("vec2(nan, 0) == vec2(nan, 0)"));
}

#[test]
fn comparisons() {
    for (cmp, less, same, more) in [
        ("<", true, false, false),
        ("<=", true, true, false),
        (">", false, false, true),
        (">=", false, true, true),
        ("==", false, true, false),
        ("!=", true, false, true),
    ] {
        for number in ["3", "3.0", "noise_age", "cell.x"] {
            for (other, result) in [("4", less), ("3", same), ("2", more), ("3.5", less), ("3.0", same), ("2.5", more)]
            {
                assert_eq!(holds(&format!("{number} {cmp} {other}")), result, "{number} {cmp} {other}");
            }
        }
        for (other, result) in [("2", less), ("3", same), ("4", more), ("2.5", less)] {
            assert_eq!(holds(&format!("{other} {cmp} noise_age")), result, "{other} {cmp} noise_age");
        }
        for (other, result) in [("0.0", less), ("0.25", same), ("0.5", more), ("0", less), ("1", more)] {
            assert_eq!(holds(&format!("{other} {cmp} health")), result, "{other} {cmp} health");
        }
    }
}

#[test]
fn ints_become_floats_beside_floats() {
    assert_eq!(eval("1 + 0.5"), Value::Float(1.5));
    assert_eq!(eval("0.5 + 1"), Value::Float(1.5));
    assert_eq!(eval("noise_age * health"), Value::Float(0.75));
    assert_eq!(eval("1 / 2 + 0.5"), Value::Float(0.5));
    assert_eq!(eval("max(noise_age, health)"), Value::Float(3.0));
    assert_eq!(eval("clamp(noise_age, 0, 2.5)"), Value::Float(2.5));
    assert_eq!(eval("if(flag, health, noise_age)"), Value::Float(3.0));
    assert_eq!(eval("if(sees_player, noise_age, 0.5)"), Value::Float(3.0));
    assert_eq!(eval("9223372036854775807 + 0.0"), Value::Float(9_223_372_036_854_775_807_i64 as f32));
}

#[test]
fn an_expected_float_takes_an_int() {
    for source in ["3", "noise_age", "if(flag, 1, noise_age)", "1 + 2", "floor(3.5)"] {
        let expr = Expr::compile(source, &schema(), Some(Type::Float)).unwrap();
        assert_eq!(eval_in(&expr, &schema()), Value::Float(3.0), "{source}");
    }
}

#[test]
fn bools() {
    for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
        let schema = Schema(vec![("agent", "a", Value::Bool(a)), ("agent", "b", Value::Bool(b))]);
        let holds =
            |source: &str| eval_in(&Expr::compile(source, &schema, None).unwrap(), &schema) == Value::Bool(true);
        assert_eq!(holds("a && b"), a && b);
        assert_eq!(holds("a || b"), a || b);
        assert_eq!(holds("!a"), !a);
        assert_eq!(holds("!a && !b"), !a && !b);
        assert_eq!(holds("!(a || b)"), !(a || b));
        assert_eq!(holds("a == b"), a == b);
        assert_eq!(holds("a != b"), a != b);
        assert_eq!(holds("if(a, b, !b)"), if a { b } else { !b });
        assert_eq!(holds("a == true || b == false"), a || !b);
    }
}

#[test]
fn only_what_is_needed_is_read() {
    for (source, read) in [
        ("sees_player && health < 0.3 && flag", vec![1, 0, 9]),
        ("flag && sees_player", vec![9]),
        ("sees_player || flag", vec![1]),
        ("flag || sees_player", vec![9, 1]),
        ("if(flag, health, group.health)", vec![9, 11]),
        ("if(sees_player, health, group.health)", vec![1, 0]),
        ("pos.x > 2 && flag", vec![3]),
    ] {
        let (expr, schema) = (compile(source), schema());
        let mut reads = Vec::new();
        expr.eval(|key: KeyIndex| {
            reads.push(key.index());
            schema.0[key.index()].2
        });
        assert_eq!(reads, read, "{source}");
    }
}

#[test]
fn vectors() {
    assert_eq!(eval("vec2(1, 2.5)"), Value::Vec2([1.0, 2.5]));
    assert_eq!(eval("vec3(noise_age, health, 0)"), Value::Vec3([3.0, 0.25, 0.0]));
    assert_eq!(eval("cell + vec2(1, 2)"), Value::Vec2([4.0, 6.0]));
    assert_eq!(eval("home - pos"), Value::Vec3([0.0, 3.0, 4.0]));
    assert_eq!(eval("-cell"), Value::Vec2([-3.0, -4.0]));
    assert_eq!(eval("-pos"), Value::Vec3([-1.0, -2.0, -3.0]));
    assert_eq!(eval("cell * 2"), Value::Vec2([6.0, 8.0]));
    assert_eq!(eval("0.5 * cell"), Value::Vec2([1.5, 2.0]));
    assert_eq!(eval("noise_age * pos"), Value::Vec3([3.0, 6.0, 9.0]));
    assert_eq!(eval("pos / 2"), Value::Vec3([0.5, 1.0, 1.5]));
    assert_eq!(eval("pos.x + pos.y * pos.z"), Value::Float(7.0));
    assert_eq!(eval("(home - pos).z"), Value::Float(4.0));
    assert_eq!(eval("if(flag, home, pos).y"), Value::Float(2.0));
    assert_eq!(eval("length(cell)"), Value::Float(5.0));
    assert_eq!(eval("length(vec3(2, 3, 6))"), Value::Float(7.0));
    assert_eq!(eval("distance(pos, home)"), Value::Float(5.0));
    assert_eq!(eval("distance(cell, vec2(0, 0))"), Value::Float(5.0));
    assert!(holds("cell == vec2(3, 4)"));
    assert!(holds("pos != home"));
    assert!(holds("vec2(0.0, 1) == vec2(-0.0, 1)"));
}

#[test]
fn functions_of_numbers() {
    assert_eq!(eval("min(2, noise_age)"), Value::Int(2));
    assert_eq!(eval("max(2, noise_age)"), Value::Int(3));
    assert_eq!(eval("min(health, 0.1)"), Value::Float(0.1));
    assert_eq!(eval("abs(größe)"), Value::Int(8));
    assert_eq!(eval("abs(-health)"), Value::Float(0.25));
    assert_eq!(eval("clamp(noise_age, 5, 9)"), Value::Int(5));
    assert_eq!(eval("clamp(health, 0.5, 1)"), Value::Float(0.5));
    assert_eq!(eval("clamp(health, 0.0, 0.125)"), Value::Float(0.125));
    assert_eq!(eval("floor(2.75)"), Value::Int(2));
    assert_eq!(eval("floor(-2.25)"), Value::Int(-3));
    assert_eq!(eval("floor(noise_age)"), Value::Int(3));
    assert_eq!(eval("floor(1e30)"), Value::Int(i64::MAX));
    assert_eq!(eval("floor(-1e30)"), Value::Int(i64::MIN));
    assert_eq!(eval("floor(nan)"), Value::Int(0));
    assert_eq!(eval("sqrt(noise_age + 1)"), Value::Float(2.0));
    assert_eq!(eval("sqrt(2.0)"), Value::Float(2.0_f32.sqrt()));
    assert_eq!(eval("sqrt(-0.0)"), Value::Float(-0.0));
    assert_eq!(eval("sqrt(1 / 0.0)"), Value::Float(f32::INFINITY));
    assert_eq!(eval("sign(noise_age)"), Value::Int(1));
    assert_eq!(eval("sign(größe)"), Value::Int(-1));
    assert_eq!(eval("sign(-9223372036854775808)"), Value::Int(-1));
    assert_eq!(eval("sign(0)"), Value::Int(0));
    assert_eq!(eval("sign(health)"), Value::Float(1.0));
    assert_eq!(eval("sign(-1 / 0.0)"), Value::Float(-1.0));
    assert_eq!(eval("sign(0.0)"), Value::Float(0.0));
    assert_eq!(eval("sign(-0.0)"), Value::Float(-0.0));
}

#[test]
fn bounds_the_wrong_way_round_and_nans() {
    assert_eq!(eval("clamp(5, 9, 1)"), Value::Int(1));
    assert_eq!(eval("clamp(5.0, 9, 1)"), Value::Float(1.0));
    assert_eq!(eval("clamp(2.0, nan, 1)"), Value::Float(1.0));
    assert_eq!(eval("min(nan, 2)"), Value::Float(2.0));
    assert_eq!(eval("min(2, nan)"), Value::Float(2.0));
    assert_eq!(eval("max(nan, 2)"), Value::Float(2.0));
    assert_eq!(eval("max(2, nan)"), Value::Float(2.0));
    for source in ["clamp(nan, 0, 1)", "sqrt(-1)", "sqrt(-1e-30)", "sqrt(nan)", "sign(nan)"] {
        let Value::Float(it) = eval(source) else { panic!() };
        assert!(it.is_nan(), "{source}");
    }
}

#[test]
fn symbols() {
    assert!(holds("mode == alert"));
    assert!(holds("alert == mode"));
    assert!(holds("mode != idle"));
    assert!(holds("(mode) == (alert)"));
    assert!(holds("mode != old_mode"));
    assert!(holds("mode == if(sees_player, alert, idle)"));
    assert!(holds("if(flag, alert, idle) == old_mode"));
    assert!(holds("if(flag, old_mode, alert) == mode"));
    assert!(holds("if(sees_player, if(flag, mode, idle), alert) == idle"));
    assert!(holds("if(sees_player, alert, if(flag, none, idle)) == mode"));
}

#[test]
fn a_word_may_be_the_name_of_something_that_is_no_symbol() {
    assert!(holds("mode != none"));
    assert!(holds("mode != flag"));
    assert!(holds("if(sees_player, none, alert) != mode"));
    assert!(holds("mode != if(sees_player, flag, flag)"));
    assert!(holds("if(sees_player, if(flag, none, none), alert) != mode"));
    let schema = Schema(vec![
        ("agent", "mode", Value::Symbol(Symbol::new("idle"))),
        ("agent", "alert", Value::Symbol(Symbol::new("idle"))),
    ]);
    let expr = Expr::compile("mode == alert", &schema, None).unwrap();
    assert_eq!(eval_in(&expr, &schema), Value::Bool(true), "a Symbol key comes first");
}

#[test]
fn an_expected_symbol_takes_words() {
    let symbol = |word| Value::Symbol(Symbol::new(word));
    for (source, value) in [
        ("idle", "idle"),
        ("mode", "alert"),
        ("if(flag, idle, none)", "none"),
        ("flag", "flag"),
        ("if(flag, flag, flag)", "flag"),
    ] {
        let expr = Expr::compile(source, &schema(), Some(Type::Symbol)).unwrap();
        assert_eq!(eval_in(&expr, &schema()), symbol(value), "{source}");
        let expr = Expr::compile_for(source, &schema(), KeyIndex::new(7).unwrap()).unwrap();
        assert_eq!(eval_in(&expr, &schema()), symbol(value), "{source}");
    }
    assert!(Expr::compile_for("health", &schema(), KeyIndex::new(0).unwrap()).is_ok());
    assert!(Expr::compile_for("1", &schema(), KeyIndex::new(0).unwrap()).is_ok());
    assert!(Expr::compile_for("flag", &schema(), KeyIndex::new(0).unwrap()).is_err());
}

#[test]
fn entities() {
    assert!(holds("target != none"));
    assert!(holds("none == none"));
    assert!(holds("if(flag, target, none) == none"));
}

#[test]
fn a_reader_of_wrong_types_does_no_harm() {
    for source in ["health < 0.3", "pos.z + length(cell)", "mode == alert", "noise_age / 2", "home - pos", "!flag"] {
        let expr = compile(source);
        for value in [Value::Bool(true), Value::Int(1), Value::Vec2([1.0, 2.0]), Value::Symbol(Symbol::new("x"))] {
            expr.eval(|_: KeyIndex| value);
            expr.eval_bool(|_: KeyIndex| value);
            expr.eval_float(|_: KeyIndex| value);
        }
    }
}

#[test]
fn nans_are_the_same_and_zeros_differ() {
    assert_eq!(Value::Float(f32::NAN), Value::Float(-f32::NAN));
    assert_eq!(Value::Vec2([f32::NAN, 1.0]), Value::Vec2([f32::from_bits(0x7fc0_0001), 1.0]));
    assert_ne!(Value::Vec3([f32::NAN, 1.0, 0.0]), Value::Vec3([f32::NAN, 1.0, -0.0]));
    assert_ne!(Value::Float(f32::INFINITY), Value::Float(f32::NEG_INFINITY));
    assert_ne!(Value::Float(0.0), Value::Float(-0.0));
    assert_ne!(Value::Int(0), Value::Float(0.0));
}

#[test]
fn symbols_are_stable() {
    assert_eq!(hash_of(Symbol::new("")), 0xcbf2_9ce4_8422_2325);
    assert_eq!(hash_of(Symbol::new("a")), 0xaf63_dc4c_8601_ec8c);
}

#[test]
fn usages_of_functions() {
    for it in functions() {
        let (name, parameters) = it.usage.split_once('(').unwrap();
        let one_more = format!("{name}({})", vec!["1"; parameters.split(',').count() + 1].join(", "));
        let kind = errors(&one_more, None).remove(0).1;
        let ExprErrorKind::WrongArgumentCount { function, expected, .. } = kind else { panic!("{one_more}: {kind:?}") };
        assert_eq!((name, parameters.split(',').count()), (function, expected));
        assert!(it.doc.ends_with('.'));
    }
}
