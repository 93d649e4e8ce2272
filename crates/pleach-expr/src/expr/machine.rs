//! The general machine: runs any code on a stack of fixed size (SEMANTICS 8.23).

use super::code::{Arith, Cmp, Component, Instruction};
use super::{KeyIndex, Read};
use crate::time::{NANOS, Time, signed_nanoseconds};
use crate::value::{Entity, Symbol, Type, Value};

/// A stack of this size is enough for nearly every expression.
pub(super) const SMALL_STACK: usize = 8;
/// A stack of this size is enough for most others. Only deep nesting, which people hardly write,
/// takes the largest stack.
pub(super) const MIDDLE_STACK: usize = 32;

/// One value on the stack. Its type says which fields count, and the instructions know the type.
/// With a stack of [`Value`]s, evaluation took half as long again: a `Value` is copied as a whole
/// right after a part of it was written, which stalls the processor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    /// An int, a bool as 0 or 1, the bits of an entity, or the nanoseconds of a Time.
    word: u64,
    /// A float, or a vector together with the next two.
    x: f32,
    y: f32,
    z: f32,
    symbol: Symbol,
}

impl Operand {
    const EMPTY: Operand = Operand { word: 0, x: 0.0, y: 0.0, z: 0.0, symbol: Symbol::new("") };

    /// This operand as a value of type `ty`.
    #[inline]
    pub(super) fn value(self, ty: Type) -> Value {
        match ty {
            Type::Bool => Value::Bool(self.is_true()),
            Type::Int => Value::Int(self.int()),
            Type::Float => Value::Float(self.x),
            Type::Vec2 => Value::Vec2([self.x, self.y]),
            Type::Vec3 => Value::Vec3([self.x, self.y, self.z]),
            Type::Entity => Value::Entity(Entity::from_bits(self.word)),
            Type::Symbol => Value::Symbol(self.symbol),
            Type::Time => Value::Time(self.time()),
        }
    }

    #[inline(always)]
    pub(super) fn is_true(self) -> bool {
        self.word != 0
    }

    #[inline(always)]
    pub(super) fn float(self) -> f32 {
        self.x
    }

    #[inline(always)]
    fn int(self) -> i64 {
        self.word.cast_signed()
    }

    #[inline(always)]
    fn time(self) -> Time {
        Time::from_nanos(self.word)
    }

    /// A Time, or a number of seconds since 0, in nanoseconds. `None` for a NaN.
    fn nanoseconds(self, ty: Type) -> Option<i128> {
        match ty {
            Type::Time => Some(self.word.into()),
            Type::Int => Some(i128::from(self.int()) * i128::from(NANOS)),
            _ => signed_nanoseconds(self.x),
        }
    }

    #[inline(always)]
    fn of_time(it: Time) -> Operand {
        Operand { word: it.as_nanos(), ..Operand::EMPTY }
    }

    #[inline(always)]
    fn of_bool(it: bool) -> Operand {
        Operand { word: u64::from(it), ..Operand::EMPTY }
    }

    #[inline(always)]
    fn of_int(it: i64) -> Operand {
        Operand { word: it.cast_unsigned(), ..Operand::EMPTY }
    }

    #[inline(always)]
    fn of_float(x: f32) -> Operand {
        Operand { x, ..Operand::EMPTY }
    }

    #[inline(always)]
    fn of(value: Value) -> Operand {
        match value {
            Value::Bool(it) => Operand::of_bool(it),
            Value::Int(it) => Operand::of_int(it),
            Value::Float(it) => Operand::of_float(it),
            Value::Vec2([x, y]) => Operand { x, y, ..Operand::EMPTY },
            Value::Vec3([x, y, z]) => Operand { x, y, z, ..Operand::EMPTY },
            Value::Entity(it) => Operand { word: it.to_bits(), ..Operand::EMPTY },
            Value::Symbol(symbol) => Operand { symbol, ..Operand::EMPTY },
            Value::Time(it) => Operand::of_time(it),
        }
    }

    #[inline(always)]
    fn part(self, part: Component) -> f32 {
        match part {
            Component::X => self.x,
            Component::Y => self.y,
            Component::Z => self.z,
        }
    }

    /// Applies `on` to each component. The third component of a Vec2 is never read.
    #[inline(always)]
    fn zip(self, other: Operand, on: impl Fn(f32, f32) -> f32) -> Operand {
        Operand { x: on(self.x, other.x), y: on(self.y, other.y), z: on(self.z, other.z), ..Operand::EMPTY }
    }

    /// The square root of the sum of the squares.
    #[inline(always)]
    fn length(self, ty: Type) -> f32 {
        let flat = self.x * self.x + self.y * self.y;
        if ty == Type::Vec2 { flat.sqrt() } else { (flat + self.z * self.z).sqrt() }
    }
}

/// Runs `code` on a stack of `N` values, and returns the value on top. `N` is a power of two that
/// is enough for the code. Indices are masked, not checked: the depth is known from emission, so
/// the mask never changes them.
#[inline]
pub(super) fn run<const N: usize>(code: &[Instruction], read: &mut impl Read) -> Operand {
    const { assert!(N.is_power_of_two()) };
    let mut stack = [Operand::EMPTY; N];
    // The value on top is not in the array, which holds the values below it.
    let mut top = Operand::EMPTY;
    let mut below = 0_usize;
    let mut at = 0;
    macro_rules! push {
        ($slot:expr) => {{
            let slot = $slot;
            stack[below & (N - 1)] = top;
            below = below.wrapping_add(1);
            top = slot;
        }};
    }
    macro_rules! pop {
        () => {{
            below = below.wrapping_sub(1);
            stack[below & (N - 1)]
        }};
    }
    while let Some(op) = code.get(at) {
        at += 1;
        match *op {
            Instruction::Push(value) => push!(Operand::of(value)),
            Instruction::Load(key, ty) => push!(load(read, key, ty)),
            Instruction::LoadPart(key, which) => push!(Operand::of_float(Operand::of(read.value(key)).part(which))),
            Instruction::Time => push!(Operand::of_time(read.time())),
            Instruction::Now => push!(Operand::of_time(read.now())),
            Instruction::Component(which) => top = Operand::of_float(top.part(which)),
            Instruction::IntToFloat => top = Operand::of_float(to_float(top.int())),
            Instruction::TimeToFloat => top = Operand::of_float(seconds(top.time(), Time::ZERO)),
            Instruction::Not => top = Operand::of_bool(!top.is_true()),
            Instruction::NegateInt => top = Operand::of_int(top.int().wrapping_neg()),
            Instruction::Negate(_) => top = Operand { x: -top.x, y: -top.y, z: -top.z, ..top },
            Instruction::AbsInt => top = Operand::of_int(top.int().wrapping_abs()),
            Instruction::Abs => top = Operand::of_float(top.x.abs()),
            Instruction::SignInt => top = Operand::of_int(top.int().signum()),
            Instruction::Sign => top = Operand::of_float(sign(top.x)),
            Instruction::Floor => top = Operand::of_int(floor(top.x)),
            Instruction::Sqrt => top = Operand::of_float(top.x.sqrt()),
            Instruction::ClampInt => {
                let low = pop!().int();
                let x = pop!().int();
                top = Operand::of_int(x.max(low).min(top.int()));
            }
            Instruction::Clamp => {
                let low = pop!().x;
                let x = pop!().x;
                top = Operand::of_float(clamp(x, low, top.x));
            }
            Instruction::Int(arith) => top = Operand::of_int(int_arith(arith, pop!().int(), top.int())),
            Instruction::Float(arith) => top = Operand::of_float(float_arith(arith, pop!().x, top.x)),
            Instruction::AddVectors(_) => top = pop!().zip(top, |a, b| a + b),
            Instruction::SubVectors(_) => top = pop!().zip(top, |a, b| a - b),
            Instruction::MulVector(_) => top = pop!().zip(Operand { y: top.x, z: top.x, ..top }, |a, b| a * b),
            Instruction::DivVector(_) => top = pop!().zip(Operand { y: top.x, z: top.x, ..top }, |a, b| a / b),
            Instruction::VectorAfter(_) => {
                let a = pop!().x;
                top = Operand { x: a, y: a, z: a, ..top }.zip(top, |a, b| a * b);
            }
            Instruction::CompareInt(cmp) => top = Operand::of_bool(cmp.holds(pop!().int(), top.int())),
            Instruction::CompareFloat(cmp) => top = Operand::of_bool(cmp.holds(pop!().x, top.x)),
            Instruction::CompareTime(cmp, a, b) => top = Operand::of_bool(compare_times(cmp, (pop!(), a), (top, b))),
            Instruction::Seconds => top = Operand::of_float(seconds(pop!().time(), top.time())),
            Instruction::OfTimes(arith, a, b) => top = Operand::of_time(of_times(arith, (pop!(), a), (top, b))),
            Instruction::ClampTime => {
                let low = pop!().time();
                let x = pop!().time();
                top = Operand::of_time(x.max(low).min(top.time()));
            }
            Instruction::Equal(ty) => top = Operand::of_bool(equal(pop!(), top, ty)),
            Instruction::NotEqual(ty) => top = Operand::of_bool(!equal(pop!(), top, ty)),
            Instruction::Distance(ty) => top = Operand::of_float(pop!().zip(top, |a, b| a - b).length(ty)),
            Instruction::Length(ty) => top = Operand::of_float(top.length(ty)),
            Instruction::Vec2 => top = Operand { x: pop!().x, y: top.x, ..Operand::EMPTY },
            Instruction::Vec3 => {
                let y = pop!().x;
                top = Operand { x: pop!().x, y, z: top.x, ..Operand::EMPTY };
            }
            Instruction::Skip(by) => at += by,
            Instruction::SkipIfFalse(by) => {
                at += if top.is_true() { 0 } else { by };
                top = pop!();
            }
            Instruction::And(by) if !top.is_true() => at += by,
            Instruction::Or(by) if top.is_true() => at += by,
            Instruction::And(_) | Instruction::Or(_) => top = pop!(),
        }
    }
    top
}

#[inline(always)]
fn load(read: &mut impl Read, key: KeyIndex, ty: Type) -> Operand {
    match ty {
        Type::Bool => Operand::of_bool(read.bool(key)),
        Type::Int => Operand::of_int(read.int(key)),
        Type::Float => Operand::of_float(read.float(key)),
        Type::Vec2 | Type::Vec3 | Type::Entity | Type::Symbol | Type::Time => Operand::of(read.value(key)),
    }
}

#[inline(always)]
pub(super) fn bool(value: Value) -> bool {
    matches!(value, Value::Bool(true))
}

#[inline(always)]
pub(super) fn int(value: Value) -> i64 {
    if let Value::Int(it) = value { it } else { 0 }
}

#[inline(always)]
pub(super) fn float(value: Value) -> f32 {
    if let Value::Float(it) = value { it } else { 0.0 }
}

/// To the nearest float, as `as` does.
fn to_float(value: i64) -> f32 {
    value as f32
}

#[expect(clippy::cast_possible_truncation, reason = "`as` saturates and makes 0 of a NaN, as the language promises")]
fn floor(value: f32) -> i64 {
    value.floor() as i64
}

/// The two zeros and a NaN stay as they are, where `f32::signum` turns the zeros into 1 and -1.
fn sign(value: f32) -> f32 {
    if value == 0.0 || value.is_nan() { value } else { value.signum() }
}

/// Here the bounds may be in the wrong order; `f32::clamp` panics then. A NaN stays NaN; a bound
/// that is NaN has no effect.
fn clamp(x: f32, low: f32, high: f32) -> f32 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

fn int_arith(arith: Arith, a: i64, b: i64) -> i64 {
    match arith {
        Arith::Add => a.wrapping_add(b),
        Arith::Sub => a.wrapping_sub(b),
        Arith::Mul => a.wrapping_mul(b),
        Arith::Div if b == 0 => 0,
        Arith::Rem if b == 0 => 0,
        Arith::Div => a.wrapping_div(b),
        Arith::Rem => a.wrapping_rem(b),
        Arith::Min => a.min(b),
        Arith::Max => a.max(b),
    }
}

#[inline]
fn float_arith(arith: Arith, a: f32, b: f32) -> f32 {
    match arith {
        Arith::Add => a + b,
        Arith::Sub => a - b,
        Arith::Mul => a * b,
        Arith::Div => a / b,
        Arith::Rem => a % b,
        // `f32::min` may give either of two zeros, but every machine has to give the same one: the
        // first. As with `f32::min`, the result is the other value if one is NaN.
        Arith::Min => {
            if b < a || a.is_nan() {
                b
            } else {
                a
            }
        }
        Arith::Max => {
            if b > a || a.is_nan() {
                b
            } else {
                a
            }
        }
    }
}

/// The seconds from one moment to another, as the nearest float.
#[expect(clippy::cast_possible_truncation, reason = "expressions have 32-bit floats")]
fn seconds(to: Time, from: Time) -> f32 {
    to.seconds_since(from) as f32
}

/// Compares moments exactly; numbers count as seconds since 0 (SEMANTICS 8.38).
fn compare_times(cmp: Cmp, (a, a_ty): (Operand, Type), (b, b_ty): (Operand, Type)) -> bool {
    match (a.nanoseconds(a_ty), b.nanoseconds(b_ty)) {
        (Some(a), Some(b)) => cmp.holds(a, b),
        // Like every comparison with a NaN.
        _ => cmp == Cmp::Ne,
    }
}

/// An operation that gives a Time; a NaN adds nothing.
fn of_times(arith: Arith, (a, a_ty): (Operand, Type), (b, b_ty): (Operand, Type)) -> Time {
    let [x, y] = [a.nanoseconds(a_ty), b.nanoseconds(b_ty)].map(|it| it.unwrap_or(0));
    Time::ZERO.moved(match arith {
        Arith::Min => x.min(y),
        Arith::Max => x.max(y),
        Arith::Sub => x - y,
        _ => x + y,
    })
}

/// Equality of numbers. Unlike `Value`'s own equality, a NaN in a vector differs from itself, and
/// the two zeros are equal.
#[inline(always)]
fn equal(a: Operand, b: Operand, ty: Type) -> bool {
    match ty {
        Type::Bool | Type::Int | Type::Entity | Type::Time => a.word == b.word,
        Type::Float => a.x == b.x,
        Type::Vec2 => a.x == b.x && a.y == b.y,
        Type::Vec3 => a.x == b.x && a.y == b.y && a.z == b.z,
        Type::Symbol => a.symbol == b.symbol,
    }
}

/// For constant code, which reads nothing and runs during emission.
pub(super) struct NoKeys;

impl Read for NoKeys {
    fn value(&mut self, _: KeyIndex) -> Value {
        Value::Bool(false)
    }
    fn time(&mut self) -> Time {
        Time::ZERO
    }
    fn now(&mut self) -> Time {
        Time::ZERO
    }
}
