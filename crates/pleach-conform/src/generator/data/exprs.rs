//! Expressions of each type.

use super::{Data, OTHERS, words};
use crate::dice::Dice;
use crate::scenario::{Key, ValueType};

impl Data {
    pub(super) fn expr(&self, dice: &mut Dice, value_type: ValueType, depth: usize) -> String {
        if depth == 0 {
            return self.atom(dice, value_type);
        }
        if dice.chance(5) {
            return self.choice(dice, value_type, depth);
        }
        match value_type {
            ValueType::Bool if dice.chance(6) => self.clock(dice),
            ValueType::Bool => match dice.below(6) {
                0 => self.atom(dice, value_type),
                1 => format!("{}({})", dice.pick(&["!", "not "]), self.expr(dice, ValueType::Bool, depth - 1)),
                2 => {
                    let operators = ["&&", "||", "and", "or", "==", "!="];
                    self.two(dice, ValueType::Bool, ValueType::Bool, &operators, depth)
                }
                3 | 4 => self.equality(dice, depth),
                _ => {
                    let (a, b) = (self.number_type(dice), self.number_type(dice));
                    self.two(dice, a, b, &["<", "<=", ">", ">=", "==", "!="], depth)
                }
            },
            ValueType::Int => self.number(dice, ValueType::Int, ValueType::Int, depth),
            ValueType::Float if self.wide && dice.chance(10) => self.age(dice, depth),
            ValueType::Float if self.wide && dice.chance(25) => self.measure(dice, depth),
            ValueType::Float => {
                let mixed = self.number_type(dice);
                if dice.chance(50) {
                    self.number(dice, ValueType::Float, mixed, depth)
                } else {
                    self.number(dice, mixed, ValueType::Float, depth)
                }
            }
            ValueType::Vec2 | ValueType::Vec3 => self.vector(dice, value_type, depth),
            ValueType::Entity | ValueType::Symbol => self.atom(dice, value_type),
            ValueType::Time => self.moment(dice, depth),
        }
    }

    /// One of two values, chosen by a test.
    pub(super) fn choice(&self, dice: &mut Dice, value_type: ValueType, depth: usize) -> String {
        let test = self.expr(dice, ValueType::Bool, depth - 1);
        let (a, b) = match value_type {
            ValueType::Symbol => {
                let (path, key) = self.pick(dice, Some(value_type)).expect("there is one of each type");
                (path, dice.pick(&words(key)).to_owned())
            }
            // Beside a float an int becomes one.
            ValueType::Float => {
                let mixed = self.number_type(dice);
                (self.expr(dice, value_type, depth - 1), self.expr(dice, mixed, depth - 1))
            }
            same => (self.expr(dice, same, depth - 1), self.expr(dice, same, depth - 1)),
        };
        let (a, b) = if dice.chance(50) { (a, b) } else { (b, a) };
        format!("if({test}, {a}, {b})")
    }

    /// Two of a type that only `==` and `!=` compare, if there is one.
    pub(super) fn equality(&self, dice: &mut Dice, depth: usize) -> String {
        let operator = dice.pick(&["==", "!="]);
        // Numbers are compared elsewhere.
        let types = if self.wide && dice.chance(80) { &OTHERS } else { self.types() };
        match dice.pick(types) {
            ValueType::Symbol => {
                let (a, key) = self.pick(dice, Some(ValueType::Symbol)).expect("there is one of each type");
                let b = self.symbol(dice, key);
                let a = if dice.chance(10) {
                    let test = self.expr(dice, ValueType::Bool, depth - 1);
                    format!("if({test}, {a}, {})", dice.pick(&words(key)))
                } else {
                    a
                };
                let (a, b) = if dice.chance(50) { (a, b) } else { (b, a) };
                format!("{a} {operator} {b}")
            }
            same @ (ValueType::Vec2 | ValueType::Vec3 | ValueType::Entity) => {
                self.two(dice, same, same, &["==", "!="], depth)
            }
            // How long ago something was, or a moment beside a number or another one.
            ValueType::Time if dice.chance(50) => {
                let clock = dice.pick(&["now", "now", "time"]);
                let (since, n) = (self.expr(dice, ValueType::Time, 0), dice.pick(&["0", "1", "2", "3", "2.5"]));
                format!("{clock} - {since} {} {n}", dice.pick(&["<", "<=", ">", ">=", "=="]))
            }
            ValueType::Time => {
                let b = dice.pick(&[ValueType::Time, ValueType::Int, ValueType::Float]);
                let (a, b) = if dice.chance(50) { (ValueType::Time, b) } else { (b, ValueType::Time) };
                self.two(dice, a, b, &["<", "<=", ">", ">=", "==", "!="], depth)
            }
            ValueType::Bool | ValueType::Int | ValueType::Float => {
                let (a, b) = (self.number_type(dice), self.number_type(dice));
                self.two(dice, a, b, &["<", "<=", ">", ">=", "==", "!="], depth)
            }
        }
    }

    pub(super) fn vector(&self, dice: &mut Dice, value_type: ValueType, depth: usize) -> String {
        let number = self.number_type(dice);
        match dice.below(5) {
            0 => self.two(dice, value_type, value_type, &["+", "-"], depth),
            1 => self.two(dice, value_type, number, &["*", "/"], depth),
            2 => self.two(dice, number, value_type, &["*"], depth),
            3 => format!("-({})", self.expr(dice, value_type, depth - 1)),
            _ => {
                let count = if value_type == ValueType::Vec2 { 2 } else { 3 };
                let parts: Vec<String> = (0..count)
                    .map(|_| {
                        let number = self.number_type(dice);
                        self.expr(dice, number, depth - 1)
                    })
                    .collect();
                format!("vec{count}({})", parts.join(", "))
            }
        }
    }

    pub(super) fn number_type(&self, dice: &mut Dice) -> ValueType {
        dice.pick(&[ValueType::Int, ValueType::Float])
    }

    pub(super) fn number(&self, dice: &mut Dice, a: ValueType, b: ValueType, depth: usize) -> String {
        match dice.below(8) {
            0 if a == b => format!("-({})", self.expr(dice, a, depth - 1)),
            1 if a == b => format!("{}({})", dice.pick(&["abs", "sign"]), self.expr(dice, a, depth - 1)),
            3 => {
                let parts = [a, b, dice.pick(&[a, b])].map(|it| self.expr(dice, it, depth - 1));
                format!("clamp({})", parts.join(", "))
            }
            4 if a == b && a == ValueType::Int => {
                let of = self.number_type(dice);
                format!("floor({})", self.expr(dice, of, depth - 1))
            }
            4 if a == ValueType::Float || b == ValueType::Float => {
                format!("sqrt({})", self.expr(dice, b, depth - 1))
            }
            2 => {
                let name = dice.pick(&["min", "max"]);
                format!("{name}({}, {})", self.expr(dice, a, depth - 1), self.expr(dice, b, depth - 1))
            }
            _ => self.two(dice, a, b, &["+", "-", "*", "/", "%"], depth),
        }
    }

    pub(super) fn two(&self, dice: &mut Dice, a: ValueType, b: ValueType, operators: &[&str], depth: usize) -> String {
        let operator = dice.pick(operators);
        format!("({}) {operator} ({})", self.expr(dice, a, depth - 1), self.expr(dice, b, depth - 1))
    }

    /// A key or a literal; for a symbol always a key.
    pub(super) fn atom(&self, dice: &mut Dice, value_type: ValueType) -> String {
        if value_type == ValueType::Float && dice.chance(6) {
            return "time".into();
        }
        if value_type == ValueType::Time && dice.chance(50) {
            return dice.pick(&["now", "now", "time"]).into();
        }
        let word = value_type == ValueType::Symbol;
        let key = if !word && dice.chance(35) { None } else { self.pick(dice, Some(value_type)) };
        key.map_or_else(|| literal(dice, value_type), |(path, _)| path)
    }

    /// What can stand beside a symbol key, or be stored in it.
    pub(super) fn symbol(&self, dice: &mut Dice, key: &Key) -> String {
        let words = words(key);
        if dice.chance(10) {
            let test = self.expr(dice, ValueType::Bool, 1);
            return format!("if({test}, {}, {})", dice.pick(&words), dice.pick(&words));
        }
        if dice.chance(55) { dice.pick(&words).to_owned() } else { self.atom(dice, ValueType::Symbol) }
    }
}

pub(super) fn literal(dice: &mut Dice, value_type: ValueType) -> String {
    match value_type {
        ValueType::Bool => dice.pick(&["true", "false"]),
        ValueType::Int => dice.pick(&["0", "1", "2", "3", "5"]),
        ValueType::Float => dice.pick(&["0.0", "0.25", "0.5", "1.0", "1.5", "0.1"]),
        ValueType::Vec2 => dice.pick(&["vec2(0, 0)", "vec2(0.5, -1.5)", "vec2(3, 4)"]),
        ValueType::Vec3 => dice.pick(&["vec3(0, 0, 0)", "vec3(1, 2.0, -2)"]),
        ValueType::Entity => "none",
        ValueType::Symbol => unreachable!("words are only written beside keys"),
        // A literal time is not allowed everywhere.
        ValueType::Time => "now",
    }
    .to_owned()
}
