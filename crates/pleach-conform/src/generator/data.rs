//! Blackboard keys, and expressions over them.

use std::collections::BTreeMap;

use super::dice::Dice;
use crate::scenario::{Value, ValueType};

/// The keys of a scenario; there may be none.
pub(super) struct Data {
    pub(super) keys: BTreeMap<String, Value>,
}

impl Data {
    /// A key of each type, so that every expression has something to read.
    pub(super) fn roll(dice: &mut Dice, some: bool) -> Data {
        let mut keys = BTreeMap::new();
        if some {
            for (name, value_type) in [
                ("hp", ValueType::Float),
                ("n", ValueType::Int),
                ("on", ValueType::Bool),
                ("x", ValueType::Float),
                ("m", ValueType::Int),
            ] {
                keys.insert(name.to_owned(), value(dice, value_type));
            }
        }
        Data { keys }
    }

    pub(super) fn any_key(&self, dice: &mut Dice) -> String {
        let names: Vec<&String> = self.keys.keys().collect();
        dice.pick(&names).clone()
    }

    pub(super) fn value(&self, dice: &mut Dice) -> Value {
        let value_type = dice.pick(&[ValueType::Bool, ValueType::Int, ValueType::Float]);
        value(dice, value_type)
    }

    /// A key and a value for it.
    pub(super) fn write(&self, dice: &mut Dice) -> (String, Value) {
        let key = self.any_key(dice);
        let value = value(dice, self.keys[&key].value_type());
        (key, value)
    }

    /// A key and an expression for it, which mostly moves it on.
    pub(super) fn assignment(&self, dice: &mut Dice) -> (String, String) {
        let key = self.any_key(dice);
        let expr = match self.keys[&key].value_type() {
            ValueType::Bool if dice.chance(60) => format!("!{key}"),
            ValueType::Int if dice.chance(60) => format!("{key} {} 1", dice.pick(&["+", "-"])),
            ValueType::Float if dice.chance(60) => format!("{key} {} 0.25", dice.pick(&["+", "-"])),
            other => self.expr(dice, other, 2),
        };
        (key, expr)
    }

    pub(super) fn truth(&self, dice: &mut Dice) -> String {
        self.expr(dice, ValueType::Bool, 2)
    }

    pub(super) fn payload(&self, dice: &mut Dice) -> String {
        let value_type = dice.pick(&[ValueType::Bool, ValueType::Int, ValueType::Float]);
        self.expr(dice, value_type, 1)
    }

    pub(super) fn score(&self, dice: &mut Dice) -> String {
        let value_type = dice.pick(&[ValueType::Int, ValueType::Float]);
        let depth = dice.pick(&[0, 0, 0, 1, 2]);
        self.expr(dice, value_type, depth)
    }

    fn expr(&self, dice: &mut Dice, value_type: ValueType, depth: usize) -> String {
        if depth == 0 {
            return self.atom(dice, value_type);
        }
        match value_type {
            ValueType::Bool => match dice.below(6) {
                0 => self.atom(dice, value_type),
                1 => format!("!({})", self.expr(dice, ValueType::Bool, depth - 1)),
                2 => self.two(dice, ValueType::Bool, ValueType::Bool, &["&&", "||", "==", "!="], depth),
                _ => {
                    let (a, b) = (self.number_type(dice), self.number_type(dice));
                    self.two(dice, a, b, &["<", "<=", ">", ">=", "==", "!="], depth)
                }
            },
            ValueType::Int => self.number(dice, ValueType::Int, ValueType::Int, depth),
            ValueType::Float => {
                let mixed = self.number_type(dice);
                if dice.chance(50) {
                    self.number(dice, ValueType::Float, mixed, depth)
                } else {
                    self.number(dice, mixed, ValueType::Float, depth)
                }
            }
        }
    }

    fn number_type(&self, dice: &mut Dice) -> ValueType {
        dice.pick(&[ValueType::Int, ValueType::Float])
    }

    fn number(&self, dice: &mut Dice, a: ValueType, b: ValueType, depth: usize) -> String {
        match dice.below(6) {
            0 if a == b => format!("-({})", self.expr(dice, a, depth - 1)),
            1 if a == b => format!("abs({})", self.expr(dice, a, depth - 1)),
            2 => {
                let name = dice.pick(&["min", "max"]);
                format!("{name}({}, {})", self.expr(dice, a, depth - 1), self.expr(dice, b, depth - 1))
            }
            _ => self.two(dice, a, b, &["+", "-", "*", "/", "%"], depth),
        }
    }

    fn two(&self, dice: &mut Dice, a: ValueType, b: ValueType, operators: &[&str], depth: usize) -> String {
        let operator = dice.pick(operators);
        format!("({}) {operator} ({})", self.expr(dice, a, depth - 1), self.expr(dice, b, depth - 1))
    }

    fn atom(&self, dice: &mut Dice, value_type: ValueType) -> String {
        let keys: Vec<&String> =
            self.keys.iter().filter(|(_, v)| v.value_type() == value_type).map(|(name, _)| name).collect();
        if keys.is_empty() || dice.chance(35) { literal(dice, value_type) } else { dice.pick(&keys).clone() }
    }
}

fn literal(dice: &mut Dice, value_type: ValueType) -> String {
    match value_type {
        ValueType::Bool => dice.pick(&["true", "false"]),
        ValueType::Int => dice.pick(&["0", "1", "2", "3", "5"]),
        ValueType::Float => dice.pick(&["0.0", "0.25", "0.5", "1.0", "1.5", "0.1"]),
    }
    .to_owned()
}

fn value(dice: &mut Dice, value_type: ValueType) -> Value {
    match value_type {
        ValueType::Bool => Value::Bool(dice.chance(50)),
        ValueType::Int => Value::Int(dice.pick(&[-3, 0, 1, 2, 3, 7])),
        ValueType::Float => Value::Float(dice.pick(&[-1.5, 0.0, 0.2, 0.5, 1.0, 2.75])),
    }
}
