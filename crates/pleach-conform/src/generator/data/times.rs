//! Expressions over times, and distances between vectors.

use super::Data;
use super::exprs::literal;
use crate::dice::Dice;
use crate::scenario::ValueType;

impl Data {
    /// A time.
    pub(super) fn moment(&self, dice: &mut Dice, depth: usize) -> String {
        let time = ValueType::Time;
        match dice.below(7) {
            0 | 1 => {
                let (operator, by) = (dice.pick(&["+", "-"]), self.span(dice));
                format!("({}) {operator} {by}", self.expr(dice, time, depth - 1))
            }
            2 => format!("{} + ({})", self.span(dice), self.expr(dice, time, depth - 1)),
            3 => {
                let name = dice.pick(&["min", "max"]);
                format!("{name}({}, {})", self.expr(dice, time, depth - 1), self.expr(dice, time, depth - 1))
            }
            4 => {
                let parts = [time; 3].map(|it| self.expr(dice, it, depth - 1));
                format!("clamp({})", parts.join(", "))
            }
            _ => self.atom(dice, time),
        }
    }

    /// A number that is not a time.
    fn span(&self, dice: &mut Dice) -> String {
        let number = self.number_type(dice);
        let key = if dice.chance(50) { self.pick(dice, Some(number)) } else { None };
        key.map_or_else(|| literal(dice, number), |(path, _)| path)
    }

    /// A float that is computed from times.
    pub(super) fn age(&self, dice: &mut Dice, depth: usize) -> String {
        let (number, time) = (self.number_type(dice), ValueType::Time);
        match dice.below(5) {
            0 => self.two(dice, time, number, &["*", "/", "%"], depth),
            1 => self.two(dice, number, time, &["-", "*", "/"], depth),
            2 => format!("{}({})", dice.pick(&["-", "abs", "sign", "sqrt"]), self.expr(dice, time, depth - 1)),
            _ => self.two(dice, time, time, &["-", "-", "-", "+", "*"], depth),
        }
    }

    /// A value that changes with time alone, without any key.
    pub(super) fn clock(&self, dice: &mut Dice) -> String {
        let n = dice.pick(&[1, 2, 3, 5, 8]);
        match dice.below(3) {
            0 => format!("time >= {n}"),
            1 => format!("not (time > {n}.5)"),
            _ => format!("time % {} < {n}", 2 * n),
        }
    }

    /// A float that is computed from vectors.
    pub(super) fn measure(&self, dice: &mut Dice, depth: usize) -> String {
        let of = dice.pick(&[ValueType::Vec2, ValueType::Vec3]);
        match dice.below(3) {
            0 => format!("length({})", self.expr(dice, of, depth - 1)),
            1 => format!("distance({}, {})", self.expr(dice, of, depth - 1), self.expr(dice, of, depth - 1)),
            _ => {
                let part = if of == ValueType::Vec2 { dice.pick(&["x", "y"]) } else { dice.pick(&["x", "y", "z"]) };
                format!("({}).{part}", self.expr(dice, of, depth - 1))
            }
        }
    }
}
