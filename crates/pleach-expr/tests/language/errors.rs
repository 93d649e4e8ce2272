//! Which errors are reported, where, and in which words.

use super::*;
use pleach_expr::names::Help;

#[track_caller]
fn reports(source: &str, expected: &[(&str, &str)]) {
    let found = errors(source, None);
    let found: Vec<(&str, String)> = found.iter().map(|(text, kind)| (&**text, kind.to_string())).collect();
    let expected: Vec<(&str, String)> = expected.iter().map(|&(text, message)| (text, message.to_owned())).collect();
    assert_eq!(found, expected, "{source}");
}

#[test]
fn syntax() {
    reports("", &[("", "expected a value, but the expression ends here")]);
    reports("  ", &[("", "expected a value, but the expression ends here")]);
    reports("1 +", &[("", "expected a value, but the expression ends here")]);
    reports("1 + * 2", &[("*", "expected a value, found `*`")]);
    reports("(1 + 2", &[("", "expected an operator or `)`, but the expression ends here")]);
    reports("1 2", &[("2", "expected an operator or the end, found `2`")]);
    reports("1)", &[(")", "expected an operator or the end, found `)`")]);
    reports("()", &[(")", "expected a value, found `)`")]);
    reports("min(1, 2", &[("", "expected an operator, `,` or `)`, but the expression ends here")]);
    reports("min(1,)", &[(")", "expected a value, found `)`")]);
    reports("min(1 2)", &[("2", "expected an operator, `,` or `)`, found `2`")]);
    reports("pos.", &[("", "expected a name, but the expression ends here")]);
    reports("pos.1", &[("1", "expected a name, found `1`")]);
    reports("(pos).+", &[("+", "expected `x`, `y` or `z`, found `+`")]);
    reports("flag AND flag", &[("AND", "expected an operator or the end, found `AND`")]);
    reports("and", &[("and", "expected a value, found `and`")]);
    reports("flag or", &[("", "expected a value, but the expression ends here")]);
    reports("flag not flag", &[("not", "expected an operator or the end, found `not`")]);
    reports("not", &[("", "expected a value, but the expression ends here")]);
    reports("agent.or", &[("or", "expected a name, found `or`")]);
    reports("1 < 2 and and", &[("and", "expected a value, found `and`")]);
    reports("1 < 2 < 3", &[("<", "comparisons do not chain: join two of them with `&&`, or use parentheses")]);
    assert_eq!(Expr::compile("1 < 2 < 3", &schema(), None).unwrap_err()[0].span, 6..7);
    assert_eq!(Expr::compile("1 + ", &schema(), None).unwrap_err()[0].span, 4..4);
}

#[test]
fn characters() {
    reports("flag & flag", &[("&", "unexpected character '&': did you mean `&&`?")]);
    reports("flag | flag", &[("|", "unexpected character '|': did you mean `||`?")]);
    reports("health = 1", &[("=", "unexpected character '=': did you mean `==`?")]);
    reports("flag ? 1 : 2", &[("?", "unexpected character '?'")]);
    reports(
        "\"alert\"",
        &[("\"", "unexpected character '\"': words are written without quotes, as in `mode == alert`")],
    );
    reports("target != None", &[("None", "unknown key `None`: did you mean `none`?")]);
    reports("größe + 😀", &[("😀", "unexpected character '😀'")]);
    reports("a\u{0}", &[("\u{0}", "unexpected character '\\0'")]);
}

#[test]
fn numbers() {
    reports("9223372036854775808", &[("9223372036854775808", "the number `9223372036854775808` is out of range")]);
    reports("-9223372036854775809", &[("-9223372036854775809", "the number `-9223372036854775809` is out of range")]);
    reports("99999999999999999999", &[("99999999999999999999", "the number `99999999999999999999` is out of range")]);
    reports("1e39", &[("1e39", "the number `1e39` is out of range")]);
    for number in ["1.", "1e", "1e+", "1.5e-", "2x", "1_000", "1.5f", "0x10", "1.é"] {
        reports(&format!("flag && {number}"), &[(number, &format!("malformed number `{number}`"))]);
    }
    for (number, meant) in [(".5", "0.5"), ("0,5", "0.5"), ("12,75", "12.75")] {
        reports(&format!("health < {number}"), &[(number, &format!("malformed number `{number}`"))]);
        let mut kind = ExprErrorKind::MalformedNumber { text: number.into() };
        assert_eq!(kind.take_help(), Some(Help::Meant(meant.into())), "{number}");
    }
}

/// Which keys there are.
const KEYS: &str =
    "the keys are `health`, `sees_player`, `noise_age`, `pos`, `home`, `cell`, `target`, `mode` and 7 more";

const RANDOM: &str = "nothing in an expression is random: `Probability` runs its child by chance, and \
                      `RandomSelector` one of several";

/// The message for a key that is similar to no other.
fn unknown(name: &str) -> String {
    format!("unknown key `{name}`: {KEYS}")
}

#[test]
fn names_with_suggestions() {
    reports("heath < 1", &[("heath", "unknown key `heath`: did you mean `health`?")]);
    reports("zzz < 1", &[("zzz", &unknown("zzz"))]);
    reports("group.heath < 1", &[("group.heath", "unknown key `group.heath`: did you mean `group.health`?")]);
    reports(
        "group.noise_age < 1",
        &[("group.noise_age", "unknown key `group.noise_age`: the keys are `group.health` and `group.agent`")],
    );
    reports("agnet.health < 1", &[("agnet", "unknown key `agnet`: did you mean `agent`?")]);
    reports("grösse > 0", &[("grösse", "unknown key `grösse`: did you mean `größe`?")]);
    reports("maxx(1, 2)", &[("maxx", "unknown function `maxx`: did you mean `max`?")]);
    reports("sqr(2)", &[("sqr", "unknown function `sqr`: did you mean `sqrt`?")]);
    reports("time(2)", &[("time", "unknown function `time`")]);
    reports("tmie > 2", &[("tmie", "unknown key `tmie`: did you mean `time`?")]);
    reports("random() < 0.5", &[("random", &format!("unknown function `random`: {RANDOM}"))]);
    reports("rand < 0.5", &[("rand", &format!("unknown key `rand`: {RANDOM}"))]);
    reports("mode == time", &[("time", "unknown symbol `time`: the words are `idle`, `alert`, `none` and `flag`")]);
    reports("mode == alrt", &[("alrt", "unknown symbol `alrt`: did you mean `alert`?")]);
    reports("zzz != mode", &[("zzz", "unknown symbol `zzz`: the words are `idle`, `alert`, `none` and `flag`")]);
    reports("mdoe == alert", &[("mdoe", "unknown key `mdoe`: did you mean `mode`?")]);
    reports("agent.mdoe == alert", &[("agent.mdoe", "unknown key `agent.mdoe`: did you mean `agent.mode`?")]);
    reports("alert", &[("alert", &unknown("alert"))]);
    reports("(heath) < 1", &[("heath", "unknown key `heath`: did you mean `health`?")]);
    reports("pos.w > 0", &[("w", "Vec3 has no component `w`")]);
    reports("cell.z > 0", &[("z", "Vec2 has no component `z`")]);
    reports("health.x > 0", &[("x", "Float has no component `x`")]);
    reports("(cell + cell).z", &[("z", "Vec2 has no component `z`")]);
    reports("pos.x.x", &[("x", "Float has no component `x`")]);
}

#[test]
fn types() {
    reports("flag && 1", &[("1", "expected Bool, found Int")]);
    reports("!health", &[("health", "expected Bool, found Float")]);
    let on_bool = "`<` cannot be applied to Bool and Int";
    reports("not health < 1", &[("not health < 1", on_bool), ("health", "expected Bool, found Float")]);
    reports("flag and time", &[("time", "expected Bool, found Time")]);
    reports("sqrt(flag)", &[("flag", "expected Float, found Bool")]);
    reports("sign(pos)", &[("pos", "`sign` takes a number, not Vec3")]);
    reports("sqrt(1, 2)", &[("sqrt", "`sqrt` takes 1 argument, not 2")]);
    reports("-flag", &[("-flag", "`-` cannot be applied to Bool")]);
    reports("1 + flag", &[("1 + flag", "`+` cannot be applied to Int and Bool")]);
    reports("1 - (flag)", &[("1 - (flag)", "`-` cannot be applied to Int and Bool")]);
    reports("pos * pos", &[("pos * pos", "`*` cannot be applied to Vec3 and Vec3")]);
    reports("2 / pos", &[("2 / pos", "`/` cannot be applied to Int and Vec3")]);
    reports("pos % 2", &[("pos % 2", "`%` cannot be applied to Vec3 and Int")]);
    reports("pos + cell", &[("pos + cell", "`+` cannot be applied to Vec3 and Vec2")]);
    reports("pos < home", &[("pos < home", "`<` cannot be applied to Vec3 and Vec3")]);
    reports("target < none", &[("target < none", "`<` cannot be applied to Entity and Entity")]);
    reports("mode < old_mode", &[("mode < old_mode", "`<` cannot be applied to Symbol and Symbol")]);
    reports("flag < true", &[("flag < true", "`<` cannot be applied to Bool and Bool")]);
    reports("flag == 1", &[("flag == 1", "`==` cannot be applied to Bool and Int")]);
    reports("mode == 1", &[("mode == 1", "`==` cannot be applied to Symbol and Int")]);
    reports("mode == health", &[("health", "expected Symbol, found Float")]);
    reports("target == mode", &[("target", "expected Symbol, found Entity")]);
    reports("if(1, 2, 3)", &[("1", "expected Bool, found Int")]);
    reports("if(flag, 2, true)", &[("2, true", "`if` gives Int or Bool: both must have one type")]);
    reports("min(flag, 2)", &[("flag", "`min` takes a number, not Bool")]);
    reports("length(2)", &[("2", "`length` takes a vector, not Int")]);
    reports("distance(pos, cell)", &[("cell", "expected Vec3, found Vec2")]);
    reports("vec2(1, flag)", &[("flag", "expected Float, found Bool")]);
    reports("floor(pos)", &[("pos", "expected Float, found Vec3")]);
    reports("abs(1, 2)", &[("abs", "`abs` takes 1 argument, not 2")]);
    reports("clamp()", &[("clamp", "`clamp` takes 3 arguments, not 0")]);
}

#[test]
fn expected_types() {
    let one = |source, ty| errors(source, Some(ty)).remove(0);
    let mismatch = |expected, found| ExprErrorKind::Mismatch { expected, found };
    assert_eq!(one("1.5", Type::Int), ("1.5".into(), mismatch(Type::Int, Type::Float)));
    assert_eq!(one("1 + 2", Type::Bool), ("1 + 2".into(), mismatch(Type::Bool, Type::Int)));
    assert_eq!(one("(flag)", Type::Float), ("(flag)".into(), mismatch(Type::Float, Type::Bool)));
    assert_eq!(one("pos", Type::Vec2), ("pos".into(), mismatch(Type::Vec2, Type::Vec3)));
    assert_eq!(one("health", Type::Symbol), ("health".into(), mismatch(Type::Symbol, Type::Float)));
    assert_eq!(one("alert", Type::Bool).1.to_string(), unknown("alert"));
    let kind = ExprErrorKind::UnknownWord { word: "alrt".into(), help: Some(Help::Meant("alert".into())) };
    assert_eq!(one("alrt", Type::Symbol), ("alrt".into(), kind.clone()));
    assert_eq!(one("if(flag, idle, alrt)", Type::Symbol), ("alrt".into(), kind));
    assert_eq!(one("1 == 1", Type::Symbol), ("1 == 1".into(), mismatch(Type::Symbol, Type::Bool)));
}

#[test]
fn all_at_once_and_in_order() {
    reports(
        "heath < 0.3 && (sees_plyer || 1 + flag > cell.z) && mode == alrt && foo(bar)",
        &[
            ("heath", "unknown key `heath`: did you mean `health`?"),
            ("sees_plyer", "unknown key `sees_plyer`: did you mean `sees_player`?"),
            ("1 + flag", "`+` cannot be applied to Int and Bool"),
            ("z", "Vec2 has no component `z`"),
            ("alrt", "unknown symbol `alrt`: did you mean `alert`?"),
            ("foo", "unknown function `foo`"),
            ("bar", &unknown("bar")),
        ],
    );
    reports("if(flag, abc, def) + 1", &[("abc", &unknown("abc")), ("def", &unknown("def"))]);
    reports("abc == def", &[("abc", &unknown("abc")), ("def", &unknown("def"))]);
    reports("min(abc)", &[("min", "`min` takes 2 arguments, not 1"), ("abc", &unknown("abc"))]);
}

#[test]
fn an_error_shows_its_kind() {
    let error = Expr::compile("1 +", &schema(), None).unwrap_err().remove(0);
    assert_eq!(error.to_string(), error.kind.to_string());
    assert_eq!(error.span, 3..3);
}
