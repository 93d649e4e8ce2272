//! The bytes of what entries hold. Numbers are LEB128 (seven bits to a byte, the lowest first);
//! signed ones are zigzag encoded first.

use pleach_expr::runtime::{hash_of, of_hash};
use pleach_expr::{Entity, Symbol, Time, Value};

use crate::NodeId;

/// What a field of an entry may be.
pub(super) trait Wire: Sized {
    fn put(&self, to: &mut Vec<u8>);
    /// `None` if the bytes are malformed.
    fn take(from: &mut &[u8]) -> Option<Self>;
}

/// Writes a number.
pub(crate) fn put_number(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    to.push(number.to_le_bytes()[0]);
}

/// Reads a number.
pub(crate) fn take_number(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Reads bytes after their number, without a copy.
pub(super) fn take_bytes<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let count = usize::try_from(take_number(from)?).ok()?;
    let (taken, rest) = from.split_at_checked(count)?;
    *from = rest;
    Some(taken)
}

/// Reads this many bytes.
pub(super) fn take_array<const N: usize>(from: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(*taken)
}

impl Wire for u32 {
    fn put(&self, to: &mut Vec<u8>) {
        put_number(to, (*self).into());
    }
    fn take(from: &mut &[u8]) -> Option<Self> {
        take_number(from)?.try_into().ok()
    }
}

impl Wire for i64 {
    fn put(&self, to: &mut Vec<u8>) {
        put_number(to, (self << 1 ^ self >> 63).cast_unsigned());
    }
    fn take(from: &mut &[u8]) -> Option<Self> {
        let number = take_number(from)?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }
}

impl Wire for NodeId {
    fn put(&self, to: &mut Vec<u8>) {
        put_number(to, self.index() as u64);
    }
    fn take(from: &mut &[u8]) -> Option<Self> {
        NodeId::new(take_number(from)?.try_into().ok()?)
    }
}

impl Wire for Vec<u8> {
    fn put(&self, to: &mut Vec<u8>) {
        put_number(to, self.len() as u64);
        to.extend(self);
    }
    fn take(from: &mut &[u8]) -> Option<Self> {
        take_bytes(from).map(<[u8]>::to_vec)
    }
}

impl Wire for Symbol {
    fn put(&self, to: &mut Vec<u8>) {
        to.extend(hash_of(*self).to_le_bytes());
    }
    fn take(from: &mut &[u8]) -> Option<Self> {
        take_array(from).map(|it| of_hash(u64::from_le_bytes(it)))
    }
}

fn take_floats<const N: usize>(from: &mut &[u8]) -> Option<[f32; N]> {
    let mut all = [0.0; N];
    for it in &mut all {
        *it = f32::from_bits(u32::from_le_bytes(take_array(from)?));
    }
    Some(all)
}

impl Wire for Value {
    fn put(&self, to: &mut Vec<u8>) {
        let mut floats = |tag, all: &[f32]| {
            to.push(tag);
            all.iter().for_each(|it| to.extend(it.to_bits().to_le_bytes()));
        };
        match self {
            Value::Bool(false) => to.push(0),
            Value::Bool(true) => to.push(1),
            Value::Float(it) => floats(2, &[*it]),
            Value::Vec2(it) => floats(3, it),
            Value::Vec3(it) => floats(4, it),
            Value::Int(it) => {
                to.push(5);
                it.put(to);
            }
            Value::Entity(it) => {
                to.push(6);
                put_number(to, it.to_bits());
            }
            Value::Symbol(it) => {
                to.push(7);
                it.put(to);
            }
            Value::Time(it) => {
                to.push(8);
                put_number(to, it.as_nanos());
            }
        }
    }
    fn take(from: &mut &[u8]) -> Option<Self> {
        let [tag] = take_array(from)?;
        Some(match tag {
            0 => Value::Bool(false),
            1 => Value::Bool(true),
            2 => Value::Float(take_floats::<1>(from)?[0]),
            3 => Value::Vec2(take_floats(from)?),
            4 => Value::Vec3(take_floats(from)?),
            5 => Value::Int(i64::take(from)?),
            6 => Value::Entity(Entity::from_bits(take_number(from)?)),
            7 => Value::Symbol(Symbol::take(from)?),
            8 => Value::Time(Time::from_nanos(take_number(from)?)),
            _ => return None,
        })
    }
}
