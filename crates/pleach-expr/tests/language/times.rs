//! Times in expressions (SEMANTICS 8.38).

use super::*;
use pleach_expr::expr::doubts;
use pleach_expr::runtime::{next_turn, turns_once};

/// A key of each kind that matters, and clocks at 2.5 and 7 seconds.
struct Clocks;

const KEYS: [(&str, Value); 4] = [
    ("met", Value::Time(Time::from_nanos(1_500_000_000))),
    ("year", Value::Time(Time::from_nanos(31_536_000_000_000_001))),
    ("f", Value::Float(0.7)),
    ("n", Value::Int(3)),
];

impl Names for Clocks {
    fn resolve(&self, _: Option<&str>, name: &str) -> Option<KeyIndex> {
        KeyIndex::new(KEYS.iter().position(|it| it.0 == name)?)
    }
    fn key_type(&self, key: KeyIndex) -> Type {
        KEYS[key.index()].1.ty()
    }
    fn words(&self, _: KeyIndex) -> Vec<&str> {
        Vec::new()
    }
    fn names(&self) -> Vec<&str> {
        KEYS.map(|it| it.0).to_vec()
    }
}

impl Read for Clocks {
    fn value(&mut self, key: KeyIndex) -> Value {
        KEYS[key.index()].1
    }
    fn time(&mut self) -> Time {
        Time::from_secs(2.5)
    }
    fn now(&mut self) -> Time {
        Time::from_secs(7.0)
    }
}

fn at(source: &str, expected: Option<Type>) -> Value {
    Expr::compile(source, &Clocks, expected).unwrap_or_else(|it| panic!("{source}: {it:?}")).eval(Clocks)
}

fn nanos(it: u64) -> Value {
    Value::Time(Time::from_nanos(it))
}

#[test]
fn a_time_moves_by_numbers_and_stays_in_its_range() {
    for (source, expected) in [
        ("met + f", nanos(2_200_000_000)),
        ("f + met", nanos(2_200_000_000)),
        ("met - 10", nanos(0)),
        ("year + 9223372036854775807", Value::Time(Time::END)),
        ("met - -9223372036854775808", Value::Time(Time::END)),
        ("met + 1 / 0.0", Value::Time(Time::END)),
        ("met - 0.0 / 0", nanos(1_500_000_000)),
        ("min(time, now)", nanos(2_500_000_000)),
        ("clamp(now, met, met + 1)", nanos(2_500_000_000)),
        ("if(n > 2, met, now)", nanos(1_500_000_000)),
    ] {
        assert_eq!(at(source, None), expected, "{source}");
    }
}

#[test]
fn a_difference_is_exact_before_it_is_rounded() {
    assert_eq!(at("year - (year - 0.25)", None), Value::Float(0.25));
    assert_eq!(at("met - now", None), Value::Float(-5.5));
    assert_eq!(at("year * 1 - (year - 0.25) * 1", None), Value::Float(0.0), "as floats they are the same");
}

#[test]
fn comparisons_with_numbers_are_exact() {
    for source in
        ["year > 31536000", "31536000 < year", "met + f == 2.2", "year < 1e30", "met > -1e30", "met != 0.0 / 0"]
    {
        assert_eq!(at(source, None), Value::Bool(true), "{source}");
    }
    for source in ["met < 0.0 / 0", "met >= 0.0 / 0", "year == 31536000", "now < time"] {
        assert_eq!(at(source, None), Value::Bool(false), "{source}");
    }
}

#[test]
fn where_a_float_is_wanted_a_time_is_one() {
    for (source, expected) in [
        ("time", 2.5),
        ("time * 2", 5.0),
        ("met + met", 3.0),
        ("10 - met", 8.5),
        ("-met", -1.5),
        ("max(met, 7)", 7.0),
        ("if(n > 2, met, 7)", 1.5),
        ("time % 2", 0.5),
        ("sqrt(time * 1.6)", 2.0),
        ("now - 2", 5.0),
    ] {
        assert_eq!(at(source, Some(Type::Float)), Value::Float(expected), "{source}");
    }
    assert_eq!(at("floor(time)", None), Value::Int(2));
    assert_eq!(at("vec2(1, 2) * time", None), Value::Vec2([2.5, 5.0]));
}

#[test]
fn where_a_time_is_wanted_only_a_literal_number_is_one() {
    assert_eq!(at("3", Some(Type::Time)), nanos(3_000_000_000));
    assert_eq!(at("0.7", Some(Type::Time)), nanos(700_000_000));
    for (source, found) in [("f", "Float"), ("n + 1", "Int"), ("now - met", "Float"), ("n == 3", "Bool")] {
        let errors = Expr::compile(source, &Clocks, Some(Type::Time)).unwrap_err();
        assert_eq!(errors[0].kind.to_string(), format!("expected Time, found {found}"), "{source}");
    }
}

#[test]
fn a_time_below_zero_is_doubted() {
    let told = |source: &str| doubts(source, &Clocks, None).into_iter().map(|it| it.message).collect::<Vec<_>>();
    assert_eq!(told("time - 10 < 0"), ["`time - 10 < 0` is never true"]);
    assert_eq!(told("now > 5 && now < 3"), ["`now > 5 && now < 3` is never true: its parts exclude each other"]);
    assert!(told("now - met < 0 || time * -1 > -3").is_empty());
}

/// The clocks of [`Clocks`] this many nanoseconds later.
#[derive(Clone, Copy)]
struct Later(u64);

impl Read for Later {
    fn value(&mut self, key: KeyIndex) -> Value {
        Clocks.value(key)
    }
    fn time(&mut self) -> Time {
        Time::from_nanos(Clocks.time().as_nanos().saturating_add(self.0))
    }
    fn now(&mut self) -> Time {
        Time::from_nanos(Clocks.now().as_nanos().saturating_add(self.0))
    }
}

#[test]
fn it_is_known_when_a_comparison_of_a_time_turns() {
    let millisecond = 1 << 20;
    for (source, seconds) in [
        ("now >= 9", Some(2.0)),
        ("9 <= now", Some(2.0)),
        ("time < 9 and n == 3", Some(6.5)),
        ("time < 9 and n == 4", None),
        ("now - met >= 10", Some(4.5)),
        ("met - now < -f * 10", Some(1.5)),
        ("not (now - met > f + 9.0)", Some(4.2)),
        ("now - met > -1", None),
        ("met + 6 > now", Some(0.5)),
        ("time > year", Some(31_535_997.5)),
        ("if(n > 5, met, now) - met > 6.5", Some(1.0)),
        ("now > 0.0 / 0", None),
        ("now < 1 / 0.0", None),
    ] {
        let expr = Expr::compile(source, &Clocks, Some(Type::Bool)).unwrap_or_else(|it| panic!("{source}: {it:?}"));
        assert!(turns_once(&expr), "{source}");
        let turn = next_turn(&expr, Later(0));
        assert_eq!(turn.is_some(), seconds.is_some(), "{source}: {turn:?}");
        let (Some(turn), Some(seconds)) = (turn, seconds) else { continue };
        let turn_at = Time::from_secs(seconds).as_nanos();
        // A difference is rounded to a float before it is compared.
        assert!(turn <= turn_at + 1 && turn + millisecond + turn_at / 10_000_000 >= turn_at, "{source}: {turn}");
        let at = |by| expr.eval(Later(by));
        assert_eq!(at(turn - 1), at(0), "{source}");
        assert_ne!(at(turn + millisecond), at(0), "{source}");
    }
}

#[test]
fn what_may_turn_more_than_once_is_not_said_to_turn_once() {
    for source in [
        "n > 2",
        "now == 9",
        "now != met",
        "now > time",
        "now > 9 and time < 20",
        "floor(now) > 3",
        "now % 2 < 1.0",
        "abs(now - 9) < 1",
        "now - if(n > 2, met, year) > 2",
        "(now - met) * f > 2",
        "sqrt(now - 9) < 1",
        "min(now, 9) > 8",
        "(now > 9) == (n > 2) and (time > 3)",
    ] {
        let expr = Expr::compile(source, &Clocks, Some(Type::Bool)).unwrap_or_else(|it| panic!("{source}: {it:?}"));
        assert!(!turns_once(&expr), "{source}");
    }
}
