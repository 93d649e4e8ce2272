//! The general machine: runs any code on a stack of fixed size.

use super::code::{Arith, Op, Part};
use super::{KeyIndex, Read};
use crate::value::Value;

/// The stack that does for nearly every expression.
pub(super) const SMALL_STACK: usize = 8;

/// Runs `code` on a stack of `N` values, a power of two that is enough for it, and gives the value on top. The indices
/// are masked rather than checked: with the depth known from emission, neither ever changes them.
#[inline]
pub(super) fn run<const N: usize>(code: &[Op], read: &mut impl Read) -> Value {
    const { assert!(N.is_power_of_two()) };
    let mut stack = [Value::Bool(false); N];
    // The value on top stays out of the array, which holds what is below it.
    let mut top = Value::Bool(false);
    let mut below = 0_usize;
    let mut at = 0;
    macro_rules! push {
        ($value:expr) => {{
            let value = $value;
            stack[below & (N - 1)] = top;
            below = below.wrapping_add(1);
            top = value;
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
            Op::Push(value) => push!(value),
            Op::Load(key) => push!(read.value(key)),
            Op::LoadPart(key, which) => push!(Value::Float(part(read.value(key), which))),
            Op::Part(which) => top = Value::Float(part(top, which)),
            Op::IntToFloat => top = Value::Float(to_float(int(top))),
            Op::Not => top = Value::Bool(!bool(top)),
            Op::Negate => top = negate(top),
            Op::Abs => top = abs(top),
            Op::Floor => top = Value::Int(floor(float(top))),
            Op::Clamp => {
                let low = pop!();
                let x = pop!();
                top = clamp(x, low, top);
            }
            Op::Int(arith) => top = Value::Int(int_arith(arith, int(pop!()), int(top))),
            Op::Float(arith) => top = Value::Float(float_arith(arith, float(pop!()), float(top))),
            Op::Vector(arith) => top = vector_arith(arith, pop!(), top),
            Op::CompareInt(cmp) => top = Value::Bool(cmp.holds(int(pop!()), int(top))),
            Op::CompareFloat(cmp) => top = Value::Bool(cmp.holds(float(pop!()), float(top))),
            Op::Equal => top = Value::Bool(equal(pop!(), top)),
            Op::NotEqual => top = Value::Bool(!equal(pop!(), top)),
            Op::Distance => top = Value::Float(length(vector_arith(Arith::Sub, pop!(), top))),
            Op::Length => top = Value::Float(length(top)),
            Op::Vec2 => top = Value::Vec2([float(pop!()), float(top)]),
            Op::Vec3 => {
                let y = float(pop!());
                top = Value::Vec3([float(pop!()), y, float(top)]);
            }
            Op::Skip(by) => at += by,
            Op::SkipIfFalse(by) => {
                at += if bool(top) { 0 } else { by };
                top = pop!();
            }
            Op::And(by) if !bool(top) => at += by,
            Op::Or(by) if bool(top) => at += by,
            Op::And(_) | Op::Or(_) => top = pop!(),
        }
    }
    top
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

/// To the nearest float, as everywhere in Rust.
fn to_float(value: i64) -> f32 {
    value as f32
}

#[expect(clippy::cast_possible_truncation, reason = "`as` saturates and makes 0 of a NaN, as the language promises")]
fn floor(value: f32) -> i64 {
    value.floor() as i64
}

fn part(value: Value, part: Part) -> f32 {
    match (value, part) {
        (Value::Vec2([x, _]) | Value::Vec3([x, ..]), Part::X) => x,
        (Value::Vec2([_, y]) | Value::Vec3([_, y, _]), Part::Y) => y,
        (Value::Vec3([.., z]), Part::Z) => z,
        _ => 0.0,
    }
}

fn negate(value: Value) -> Value {
    match value {
        Value::Int(it) => Value::Int(it.wrapping_neg()),
        Value::Float(it) => Value::Float(-it),
        Value::Vec2(it) => Value::Vec2(it.map(|x| -x)),
        Value::Vec3(it) => Value::Vec3(it.map(|x| -x)),
        Value::Bool(_) | Value::Entity(_) | Value::Symbol(_) => value,
    }
}

fn abs(value: Value) -> Value {
    match value {
        Value::Int(it) => Value::Int(it.wrapping_abs()),
        _ => Value::Float(float(value).abs()),
    }
}

/// `f32::clamp` panics when the bounds are in the wrong order. A NaN stays one; a bound that is one does not bind.
fn clamp(x: Value, low: Value, high: Value) -> Value {
    match (x, low, high) {
        (Value::Int(x), Value::Int(low), Value::Int(high)) => Value::Int(x.max(low).min(high)),
        _ => {
            let (x, low, high) = (float(x), float(low), float(high));
            let x = if x < low { low } else { x };
            Value::Float(if x > high { high } else { x })
        }
    }
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
        // `f32::min` leaves open which of two zeros it gives, and every machine has to give the same. Like it, these
        // give the other one if one is a NaN.
        Arith::Min => {
            if a < b || b.is_nan() {
                a
            } else {
                b
            }
        }
        Arith::Max => {
            if a > b || b.is_nan() {
                a
            } else {
                b
            }
        }
    }
}

fn vector_arith(arith: Arith, a: Value, b: Value) -> Value {
    let on = |x, y| float_arith(arith, x, y);
    match (a, b) {
        (Value::Vec2([ax, ay]), Value::Vec2([bx, by])) => Value::Vec2([on(ax, bx), on(ay, by)]),
        (Value::Vec3([ax, ay, az]), Value::Vec3([bx, by, bz])) => Value::Vec3([on(ax, bx), on(ay, by), on(az, bz)]),
        (Value::Vec2(a), Value::Float(b)) => Value::Vec2(a.map(|x| on(x, b))),
        (Value::Vec3(a), Value::Float(b)) => Value::Vec3(a.map(|x| on(x, b))),
        (Value::Float(a), Value::Vec2(b)) => Value::Vec2(b.map(|x| on(a, x))),
        (Value::Float(a), Value::Vec3(b)) => Value::Vec3(b.map(|x| on(a, x))),
        _ => a,
    }
}

fn length(value: Value) -> f32 {
    match value {
        Value::Vec2([x, y]) => (x * x + y * y).sqrt(),
        Value::Vec3([x, y, z]) => (x * x + y * y + z * z).sqrt(),
        _ => 0.0,
    }
}

/// As numbers compare: unlike `Value`'s own equality, a NaN in a vector differs from itself and the two zeros do not.
fn equal(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::Vec2(a), Value::Vec2(b)) => a == b,
        (Value::Vec3(a), Value::Vec3(b)) => a == b,
        _ => a == b,
    }
}

/// Lets emission run constant code, which reads nothing.
pub(super) struct NoKeys;

impl Read for NoKeys {
    fn value(&mut self, _: KeyIndex) -> Value {
        Value::Bool(false)
    }
}
