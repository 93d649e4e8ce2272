//! What is legal but probably a mistake, and what looks like it but is meant.

use super::*;

/// The doubts about an expression: each part with its message.
fn doubts(source: &str, expected: Option<Type>) -> Vec<String> {
    Expr::compile(source, &schema(), expected).unwrap_or_else(|errors| panic!("{source}: {errors:?}"));
    let found = pleach_expr::expr::doubts(source, &schema(), expected);
    found.into_iter().map(|it| format!("{} | {} | {}", &source[it.span], it.message, it.help)).collect()
}

#[test]
fn whole_numbers_that_are_divided_where_a_fraction_is_meant() {
    let says = |source: &str, part: &str, help: &str| {
        let told = format!("{part} | `{part}` divides whole numbers, and drops the fraction | {help}");
        assert_eq!(doubts(source, Some(Type::Bool)), [told], "{source}");
    };
    says("noise_age / min > 0.2", "noise_age / min", "make one of them a float: `1.0 * noise_age / min`");
    says(
        "0.2 < (noise_age + 1) / min",
        "(noise_age + 1) / min",
        "make one of them a float: `1.0 * (noise_age + 1) / min`",
    );
    says("health > noise_age / 10", "noise_age / 10", "divide by a float: `noise_age / 10.0`");
    says("health > 1 - noise_age / 10", "noise_age / 10", "divide by a float: `noise_age / 10.0`");
    says("health > -1 / noise_age", "-1 / noise_age", "divide a float: `-1.0 / noise_age`");
    says("max(noise_age / 2, 1) * health > 1", "noise_age / 2", "divide by a float: `noise_age / 2.0`");
    says("if(flag, noise_age / 2, 1) > health", "noise_age / 2", "divide by a float: `noise_age / 2.0`");
    // Literals, anywhere.
    says("1 / 2 * noise_age > 3", "1 / 2", "it is 0: write `0` if that is meant");
    assert_eq!(doubts("1 / 2", Some(Type::Float)).len(), 1, "of a `Wait`");
    assert_eq!(doubts("noise_age / 2", Some(Type::Float)).len(), 1, "set to a float");
    assert_eq!(doubts("noise_age / min / 2", Some(Type::Float)).len(), 1, "told once");
}

#[test]
fn divisions_that_are_meant_are_not_doubted() {
    for source in [
        "noise_age / 2 > 1",
        "noise_age / min == 1",
        "noise_age * 100 / min > 20",
        "noise_age % 4 / 2 == 1",
        "1.0 * noise_age / min > 0.2",
        "noise_age / 10.0 > health",
        "floor(noise_age / 2) > 1",
        "health > floor(noise_age / 2)",
        "health > 6 / 2",
        "health > noise_age / 1",
        "health / noise_age > 0.5",
        "pos / 2 == home",
    ] {
        assert_eq!(doubts(source, Some(Type::Bool)), [""; 0], "{source}");
    }
    assert_eq!(doubts("noise_age / 2", Some(Type::Int)), [""; 0]);
    let zero = ["1 / 0 | `1 / 0` divides by zero | divide by another number"];
    assert_eq!(doubts("1 / 0 == 0", Some(Type::Bool)), zero);
}

#[test]
fn comparisons_that_are_never_true() {
    let says = |source: &str, part: &str, help: &str| {
        assert_eq!(doubts(source, Some(Type::Bool)), [format!("{part} | `{part}` is never true | {help}")], "{source}");
    };
    says("flag || length(pos) < 0", "length(pos) < 0", "`length(pos)` is 0 or more");
    says("0 > distance(pos, home)", "0 > distance(pos, home)", "`distance(pos, home)` is 0 or more");
    says("abs(noise_age) <= -1", "abs(noise_age) <= -1", "`abs(noise_age)` is 0 or more");
    says("sqrt(health) == -0.5", "sqrt(health) == -0.5", "`sqrt(health)` is 0 or more");
    says("sign(health) > 1", "sign(health) > 1", "`sign(health)` is between -1 and 1");
    says("noise_age % 3 == 3", "noise_age % 3 == 3", "`noise_age % 3` is between -2 and 2");
    says("clamp(health, 0, 1) >= 66", "clamp(health, 0, 1) >= 66", "`clamp(health, 0, 1)` is between 0 and 1");
    says("noise_age == 0.5", "noise_age == 0.5", "`noise_age` is a whole number");
    says("min(health, 1) > 1", "min(health, 1) > 1", "`min(health, 1)` is 1 or less");
    says("max(noise_age, 3) < 3", "max(noise_age, 3) < 3", "`max(noise_age, 3)` is 3 or more");
    says("noise_age % 3 * 2 + 1 > 5", "noise_age % 3 * 2 + 1 > 5", "`noise_age % 3 * 2 + 1` is between -3 and 5");
    says("if(flag, 1, 2) == 3", "if(flag, 1, 2) == 3", "`if(flag, 1, 2)` is between 1 and 2");
    says(
        "floor(clamp(health, 0, 1)) > 1",
        "floor(clamp(health, 0, 1)) > 1",
        "`floor(clamp(health, 0, 1))` is between 0 and 1",
    );
    says("-length(pos) > 0", "-length(pos) > 0", "`-length(pos)` is 0 or less");
}

#[test]
fn tests_that_exclude_each_other() {
    for source in [
        "health < 0.3 && health > 0.5",
        "health < 0.3 and flag and 0.3 <= health",
        "noise_age > 2 && noise_age < 3",
        "noise_age == 1 && noise_age == 2",
        "distance(pos, home) > 5 && distance( pos,home ) < 3",
        "mode == idle && flag && mode == alert",
        "mode == idle && alert == mode",
        "flag && not flag",
        "!flag && (sees_player && agent.flag && flag)",
    ] {
        let told = format!(
            "{source} | `{source}` is never true: its parts exclude each other | if one of them is enough, write `||`"
        );
        assert_eq!(doubts(source, Some(Type::Bool)), [told], "{source}");
    }
    let inner = "flag || health < 0.3 && health > 0.5";
    assert!(doubts(inner, Some(Type::Bool))[0].starts_with("health < 0.3 && health > 0.5 |"), "{inner}");
}

#[test]
fn comparisons_that_can_be_true_are_not_doubted() {
    for source in [
        // Switched on or off.
        "1 > 2",
        "true",
        "false && flag",
        "health < 66",
        "noise_age == 2.0",
        "noise_age < 0.5",
        "length(pos) <= 0",
        "noise_age % 3 == -2",
        "noise_age % min == 7",
        "clamp(health, 0, 1) >= 1",
        // The bounds may be in the wrong order, and a NaN has no effect.
        "clamp(health, nan, 1) < 0",
        // A NaN loses.
        "min(clamp(health, 0, 1), 5) > 4",
        "max(clamp(health, 0, 1), -5) < -4",
        // Ints wrap.
        "abs(noise_age) + 1 < 0",
        "noise_age * noise_age < 0",
        // 32-bit floats do not hold every int.
        "max(noise_age, 16777217) <= 16777216.0",
        "health < 0.3 || health > 0.5",
        "health >= 0.3 && health <= 0.3",
        "noise_age > 2 && noise_age < 4",
        "health > 2 && health < 3",
        "group.health < 0.3 && agent.health > 0.5",
        "(health < 0.3 || flag) && (health > 0.5 || flag)",
        "mode == idle && old_mode == alert",
        "mode != idle && mode != alert",
        "mode == old_mode && mode == idle",
        "not (health < 0.3) && health > 0.5",
        "flag && not sees_player",
        "noise_age != 0.5",
    ] {
        assert_eq!(doubts(source, Some(Type::Bool)), [""; 0], "{source}");
    }
}

#[test]
fn nothing_is_doubted_of_what_does_not_compile() {
    for source in ["", "1 / 2 >", "helath / 2 > 0.5", "1 / 2"] {
        assert_eq!(pleach_expr::expr::doubts(source, &schema(), Some(Type::Bool)), [], "{source}");
    }
}
