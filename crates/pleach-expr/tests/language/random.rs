//! Seeded random expressions, compared with their values in plain Rust; and random garbage.

use super::*;

/// SplitMix64 (Steele, Lea, Flood, 2014): a few lines, and its sequence never changes.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap()
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// The source, how tightly its outermost operator binds (9 if it needs no parentheses), and the
/// value.
type Made<T> = (String, u8, T);

struct Maker<'a> {
    rng: Rng,
    schema: &'a Schema,
}

impl Maker<'_> {
    fn key<T: Copy>(&mut self, get: impl Fn(Value) -> Option<T>) -> Made<T> {
        let keys: Vec<_> = self.schema.0.iter().filter_map(|it| Some((it.1, get(it.2)?))).collect();
        let (name, value) = self.rng.pick(&keys);
        (name.to_owned(), 9, value)
    }

    /// The source. In parentheses where `least` needs them, and sometimes where they are not
    /// needed.
    fn at(&mut self, (text, binds, _): &Made<impl Copy>, least: u8) -> String {
        if *binds < least || self.rng.below(8) == 0 { format!("({text})") } else { text.clone() }
    }

    fn infix<T: Copy, U: Copy>(&mut self, a: &Made<U>, op: &str, b: &Made<impl Copy>, binds: u8, value: T) -> Made<T> {
        // Comparisons do not chain, so their left side has to bind tighter too.
        let left = if binds == 3 { 4 } else { binds };
        let (a, b) = (self.at(a, left), self.at(b, binds + 1));
        let gap = self.rng.pick(&["", " "]);
        (format!("{a}{gap}{op}{gap}{b}"), binds, value)
    }

    fn bool(&mut self, depth: usize) -> Made<bool> {
        let pick = if depth == 0 { self.rng.below(3) } else { self.rng.below(16) };
        let depth = depth.saturating_sub(1);
        match pick {
            0 => self.rng.pick(&[("true", true), ("false", false)]).into_made(),
            1 | 2 => self.key(|it| if let Value::Bool(it) = it { Some(it) } else { None }),
            3..6 => {
                let (a, b) = (self.bool(depth), self.bool(depth));
                let op = self.rng.pick(&["&&", " and "]);
                self.infix(&a, op, &b, 2, a.2 && b.2)
            }
            6..9 => {
                let (a, b) = (self.bool(depth), self.bool(depth));
                let op = self.rng.pick(&["||", " or "]);
                self.infix(&a, op, &b, 1, a.2 || b.2)
            }
            9 | 10 => {
                let a = self.bool(depth);
                (format!("{}{}", self.rng.pick(&["!", "not "]), self.at(&a, 6)), 6, !a.2)
            }
            11 => {
                let (c, a, b) = (self.bool(depth), self.bool(depth), self.bool(depth));
                (format!("if({}, {}, {})", c.0, a.0, b.0), 9, if c.2 { a.2 } else { b.2 })
            }
            12 => {
                let (a, b) = (self.bool(depth), self.bool(depth));
                self.infix(&a, "!=", &b, 3, a.2 != b.2)
            }
            13 | 14 => {
                let small = self.rng.below(2) == 0;
                let (a, b) =
                    if small { (self.float(0), self.float(0)) } else { (self.float(depth), self.float(depth)) };
                self.compare(&a, &b)
            }
            _ => {
                let small = self.rng.below(2) == 0;
                let (a, b) = if small { (self.int(0), self.int(0)) } else { (self.int(depth), self.int(depth)) };
                self.compare(&a, &b)
            }
        }
    }

    fn compare<T: Copy + PartialOrd>(&mut self, a: &Made<T>, b: &Made<T>) -> Made<bool> {
        let (x, y) = (a.2, b.2);
        let all = [("<", x < y), ("<=", x <= y), (">", x > y), (">=", x >= y), ("==", x == y), ("!=", x != y)];
        let (op, value) = self.rng.pick(&all);
        self.infix(a, op, b, 3, value)
    }

    fn int(&mut self, depth: usize) -> Made<i64> {
        let pick = if depth == 0 { self.rng.below(3) } else { self.rng.below(12) };
        let depth = depth.saturating_sub(1);
        match pick {
            0 => {
                let value = self.rng.pick(&[0, 1, 2, 3, 7, -1, -5, i64::MAX, i64::MIN]);
                (value.to_string(), if value < 0 { 6 } else { 9 }, value)
            }
            1 | 2 => self.key(|it| if let Value::Int(it) = it { Some(it) } else { None }),
            3..8 => {
                let (a, b) = (self.int(depth), self.int(depth));
                let (x, y) = (a.2, b.2);
                let (op, binds, value) = self.rng.pick(&[
                    ("+", 4, x.wrapping_add(y)),
                    ("-", 4, x.wrapping_sub(y)),
                    ("*", 5, x.wrapping_mul(y)),
                    ("/", 5, if y == 0 { 0 } else { x.wrapping_div(y) }),
                    ("%", 5, if y == 0 { 0 } else { x.wrapping_rem(y) }),
                ]);
                self.infix(&a, op, &b, binds, value)
            }
            8 => {
                let a = self.int(depth);
                (format!("-{}", self.at(&a, 7)), 6, a.2.wrapping_neg())
            }
            9 => {
                let (a, b) = (self.int(depth), self.int(depth));
                let (name, value) = self.rng.pick(&[("min", a.2.min(b.2)), ("max", a.2.max(b.2))]);
                (format!("{name}({}, {})", a.0, b.0), 9, value)
            }
            10 => {
                let (c, a, b) = (self.bool(depth), self.int(depth), self.int(depth));
                (format!("if({}, {}, {})", c.0, a.0, b.0), 9, if c.2 { a.2 } else { b.2 })
            }
            _ => {
                let a = self.float(depth);
                #[expect(clippy::cast_possible_truncation, reason = "it saturates, as `floor` does")]
                let value = a.2.floor() as i64;
                (format!("floor({})", a.0), 9, value)
            }
        }
    }

    fn float(&mut self, depth: usize) -> Made<f32> {
        let pick = if depth == 0 { self.rng.below(3) } else { self.rng.below(15) };
        let depth = depth.saturating_sub(1);
        match pick {
            0 => self.rng.pick(&[("0.0", 0.0), ("0.25", 0.25), ("1e3", 1e3), ("2.5e-3", 2.5e-3)]).into_made(),
            1 | 2 => self.key(|it| if let Value::Float(it) = it { Some(it) } else { None }),
            3..7 => {
                let (a, b) = (self.float(depth), self.float(depth));
                let (x, y) = (a.2, b.2);
                let all = [("+", 4, x + y), ("-", 4, x - y), ("*", 5, x * y), ("/", 5, x / y), ("%", 5, x % y)];
                let (op, binds, value) = self.rng.pick(&all);
                self.infix(&a, op, &b, binds, value)
            }
            7 => {
                let (a, b) = (self.int(depth), self.float(depth));
                if self.rng.below(2) == 0 {
                    self.infix(&a, "+", &b, 4, a.2 as f32 + b.2)
                } else {
                    self.infix(&b, "-", &a, 4, b.2 - a.2 as f32)
                }
            }
            8 => {
                let a = self.float(depth);
                (format!("-{}", self.at(&a, 7)), 6, -a.2)
            }
            9 => {
                let (c, a, b) = (self.bool(depth), self.int(depth), self.float(depth));
                (format!("if({}, {}, {})", c.0, a.0, b.0), 9, if c.2 { a.2 as f32 } else { b.2 })
            }
            10 => {
                let a = self.vec2(depth);
                let (part, value) = self.rng.pick(&[("x", a.2[0]), ("y", a.2[1])]);
                (format!("{}.{part}", self.at(&a, 9)), 9, value)
            }
            11 => {
                let a = self.vec2(depth);
                (format!("length({})", a.0), 9, (a.2[0] * a.2[0] + a.2[1] * a.2[1]).sqrt())
            }
            12 => {
                let a = self.float(depth);
                (format!("sqrt({})", a.0), 9, a.2.sqrt())
            }
            13 => {
                let a = self.float(depth);
                let sign = if a.2 > 0.0 { 1.0 } else { -1.0 };
                (format!("sign({})", a.0), 9, if a.2 == 0.0 || a.2.is_nan() { a.2 } else { sign })
            }
            _ => {
                let a = self.float(depth);
                (format!("abs({})", a.0), 9, a.2.abs())
            }
        }
    }

    fn vec2(&mut self, depth: usize) -> Made<[f32; 2]> {
        let pick = if depth == 0 { 0 } else { self.rng.below(6) };
        let depth = depth.saturating_sub(1);
        match pick {
            0 => self.key(|it| if let Value::Vec2(it) = it { Some(it) } else { None }),
            1 | 2 => {
                let (x, y) = (self.float(depth), self.float(depth));
                (format!("vec2({}, {})", x.0, y.0), 9, [x.2, y.2])
            }
            3 => {
                let (a, b) = (self.vec2(depth), self.vec2(depth));
                self.infix(&a, "-", &b, 4, [a.2[0] - b.2[0], a.2[1] - b.2[1]])
            }
            4 => {
                let (a, b) = (self.vec2(depth), self.float(depth));
                self.infix(&a, "*", &b, 5, a.2.map(|x| x * b.2))
            }
            _ => {
                let (a, b) = (self.float(depth), self.vec2(depth));
                self.infix(&a, "*", &b, 5, b.2.map(|x| a.2 * x))
            }
        }
    }
}

trait IntoMade<T> {
    fn into_made(self) -> Made<T>;
}

impl<T> IntoMade<T> for (&str, T) {
    fn into_made(self) -> Made<T> {
        (self.0.to_owned(), 9, self.1)
    }
}

/// Equal, where all NaNs are equal: Rust does not say which NaN arithmetic gives.
fn same(a: Value, b: Value) -> bool {
    let both_nan = |a: f32, b: f32| a.is_nan() && b.is_nan();
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => both_nan(a, b) || a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

#[test]
fn values_are_those_of_rust() {
    let (mut compiled, mut rejected, mut never) = (0, 0, 0);
    for seed in 0..6000 {
        let mut rng = Rng(seed);
        let mut schema = schema();
        for (_, _, value) in &mut schema.0 {
            match value {
                Value::Bool(it) => *it = rng.below(2) == 0,
                Value::Int(it) => *it = rng.pick(&[-8, 0, 1, 3, i64::MAX]),
                Value::Float(it) => *it = rng.pick(&[0.0, -0.0, 0.25, -7.5, f32::NAN, f32::INFINITY]),
                _ => {}
            }
        }
        schema.0.retain(|it| it.1 != "agent");
        // The second `health` is hidden by the first.
        schema.0.retain(|it| it.0 != "group");
        let mut maker = Maker { rng, schema: &schema };
        let depth = maker.rng.below(7);
        let (source, expected) = match seed % 4 {
            0 | 1 => map(maker.bool(depth), Value::Bool),
            2 => map(maker.int(depth), Value::Int),
            _ => map(maker.float(depth), Value::Float),
        };
        match Expr::compile(&source, &schema, Some(expected.ty())) {
            Ok(expr) => {
                let found = eval_in_any_nan(&expr, &schema);
                assert!(same(found, expected), "seed {seed}: {source}: {found:?}, not {expected:?}: {expr:?}");
                compiled += 1;
                for it in pleach_expr::expr::doubts(&source, &schema, Some(expr.ty())) {
                    if it.message.contains("is never true") {
                        let part = Expr::compile(&source[it.span], &schema, Some(Type::Bool)).unwrap();
                        assert_eq!(
                            eval_in_any_nan(&part, &schema),
                            Value::Bool(false),
                            "seed {seed}: {part}: {}",
                            it.help
                        );
                        never += 1;
                    }
                }
            }
            Err(errors) => {
                let limits = [ExprErrorKind::TooLong { len: source.len() }, ExprErrorKind::TooManyValues];
                assert!(limits.contains(&errors[0].kind), "seed {seed}: {source}: {errors:?}");
                rejected += 1;
            }
        }
    }
    assert!(compiled > 2500 && rejected < 600, "{compiled} compiled, {rejected} rejected");
    assert!(never > 20, "{never} parts are never true");
}

/// As [`eval_in`], which compares floats by their bits.
fn eval_in_any_nan(expr: &Expr, schema: &Schema) -> Value {
    let mut read = |key: KeyIndex| schema.0[key.index()].2;
    let value = expr.eval(&mut read);
    assert!(same(value, eval_on::<MAX_EXPR_VALUES>(expr, &mut read)), "{expr}");
    value
}

fn map<T>((source, _, value): Made<T>, into: impl Fn(T) -> Value) -> (String, Value) {
    (source, into(value))
}

/// Any input: no panic, and errors point into the source, in order.
#[test]
fn garbage() {
    const PIECES: [&str; 66] = [
        "not ",
        " and ",
        " or ",
        "not",
        "and",
        "sqrt(",
        "sign(",
        "time",
        "+",
        "-",
        "*",
        "/",
        "%",
        "!",
        "&&",
        "||",
        "<",
        "<=",
        "==",
        "!=",
        ">",
        ">=",
        "(",
        ")",
        "(",
        ")",
        ",",
        ".",
        ".x",
        ".z",
        "min(",
        "if(",
        "clamp(",
        "distance(",
        "length(",
        "vec2(",
        "vec3(",
        "floor(",
        "abs(",
        "foo(",
        "health",
        "flag",
        "pos",
        "cell",
        "noise_age",
        "mode",
        "target",
        "none",
        "alert",
        "idle",
        "agent.",
        "group.health",
        "zzz",
        "1",
        "2.5",
        "0",
        "1e9",
        "true",
        "false",
        "9223372036854775808",
        "é",
        "😀",
        "=",
        "\u{0}",
        " ",
        "if(flag,",
    ];
    let names = schema();
    let all = [Type::Bool, Type::Int, Type::Float, Type::Vec2, Type::Vec3, Type::Entity, Type::Symbol];
    let (mut good, mut typed) = (0, 0);
    for seed in 0..60_000 {
        let mut rng = Rng(seed);
        let source: String = (0..=rng.below(12)).map(|_| rng.pick(&PIECES)).collect();
        let expected = if rng.below(2) == 0 { None } else { Some(rng.pick(&all)) };
        match Expr::compile(&source, &names, expected) {
            Ok(expr) => {
                good += 1;
                assert!(expected.is_none_or(|it| it == expr.ty()), "{source}");
                let value = eval_in_any_nan(&expr, &names);
                assert_eq!(value.ty(), expr.ty(), "{source}");
            }
            Err(errors) => {
                typed += usize::from(errors.len() > 1);
                assert!(!errors.is_empty(), "{source}");
                assert!(errors.iter().all(|it| source.get(it.span.clone()).is_some()), "{source}: {errors:?}");
                assert!(errors.is_sorted_by_key(|it| it.span.start), "{source}: {errors:?}");
                assert!(errors.iter().all(|it| !it.to_string().is_empty()));
            }
        }
    }
    assert!(good > 500 && typed > 100, "{good} good, {typed} with several errors");
}

/// Well-formed syntax of any types: reaches code that random pieces rarely reach.
#[test]
fn nonsense_that_parses() {
    fn make(rng: &mut Rng, depth: usize) -> String {
        const LEAVES: [&str; 16] = [
            "health",
            "flag",
            "pos",
            "cell",
            "noise_age",
            "mode",
            "old_mode",
            "target",
            "none",
            "alert",
            "idle",
            "zzz",
            "1",
            "2.5",
            "true",
            "min",
        ];
        if depth == 0 {
            return rng.pick(&LEAVES).to_owned();
        }
        let mut next = || make(rng, depth - 1);
        let (a, b, c) = (next(), next(), next());
        match rng.below(8) {
            0 | 1 => format!("({a} {} {b})", rng.pick(&["+", "-", "*", "/", "%", "&&", "||", "<"])),
            2 => format!("({a} {} {b})", rng.pick(&["==", "!="])),
            3 => format!("{}{a}", rng.pick(&["!", "-"])),
            4 => format!("({a}).{}", rng.pick(&["x", "z"])),
            5 | 6 => format!("if({a}, {b}, {c})"),
            _ => format!("{}({a}, {b})", rng.pick(&["min", "distance", "vec2", "abs"])),
        }
    }
    let names = schema();
    let mut good = 0;
    for seed in 0..60_000 {
        let mut rng = Rng(seed);
        let depth = 1 + rng.below(3);
        let source = make(&mut rng, depth);
        let expected = rng.pick(&[None, Some(Type::Symbol), Some(Type::Bool), Some(Type::Float)]);
        match Expr::compile(&source, &names, expected) {
            Ok(expr) => {
                good += 1;
                assert_eq!(eval_in_any_nan(&expr, &names).ty(), expr.ty(), "{source}");
            }
            Err(errors) => assert!(errors.is_sorted_by_key(|it| it.span.start), "{source}: {errors:?}"),
        }
    }
    assert!(good > 300, "{good} good");
}
