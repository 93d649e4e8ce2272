//! Blackboard keys, and expressions over them.

mod exprs;
mod ports;
mod times;

use exprs::literal;

use crate::dice::Dice;
use std::collections::{BTreeMap, BTreeSet};

use crate::scenario::{Key, KeyName, Keys, Port, Scope, Value, ValueType};

/// The words of modes, and of moods: keys of both share some.
const MODES: &[&str] = &["idle", "alert", "afraid"];
const MOODS: &[&str] = &["calm", "afraid"];

/// The keys of a scenario, or those that the nodes of a file see; there may be none.
#[derive(Default)]
pub(super) struct Data {
    pub(super) keys: Keys,
    /// The agent keys that are read-only ports.
    read_only: BTreeSet<String>,
    /// Whether there are keys of other types than bools and numbers.
    wide: bool,
    /// The keys that switches are on: they are written more often than others.
    switched: Vec<String>,
}

const PLAIN: [ValueType; 3] = [ValueType::Bool, ValueType::Int, ValueType::Float];
const OTHERS: [ValueType; 5] =
    [ValueType::Vec2, ValueType::Vec3, ValueType::Entity, ValueType::Symbol, ValueType::Time];
const ALL: [ValueType; 8] = [
    ValueType::Bool,
    ValueType::Int,
    ValueType::Float,
    ValueType::Vec2,
    ValueType::Vec3,
    ValueType::Entity,
    ValueType::Symbol,
    ValueType::Time,
];

impl Data {
    /// A key of each type, so that every expression has something to read. Some are shared, and
    /// some of the shared ones have the names of others.
    pub(super) fn roll(dice: &mut Dice, some: bool) -> Data {
        let (wide, shared) = (some && dice.chance(50), some && dice.chance(50));
        let mut data = Data { wide, ..Data::default() };
        if some {
            let own = [
                ("hp", ValueType::Float),
                ("n", ValueType::Int),
                ("on", ValueType::Bool),
                ("x", ValueType::Float),
                ("m", ValueType::Int),
            ];
            data.declare(dice, Scope::Agent, &own);
        }
        if shared {
            let group = [("hp", ValueType::Float), ("g", ValueType::Int), ("seen", ValueType::Bool)];
            data.declare(dice, Scope::Group, &group);
            let global = [("n", ValueType::Int), ("g", ValueType::Int), ("alarm", ValueType::Bool)];
            data.declare(dice, Scope::Global, &global);
        }
        if wide {
            let own = [
                ("pos", ValueType::Vec2),
                ("home", ValueType::Vec3),
                ("who", ValueType::Entity),
                ("mode", ValueType::Symbol),
                ("met", ValueType::Time),
            ];
            data.declare(dice, Scope::Agent, &own);
        }
        if wide && shared {
            let group = [
                ("pos", ValueType::Vec2),
                ("foe", ValueType::Entity),
                ("mood", ValueType::Symbol),
                ("met", ValueType::Time),
            ];
            data.declare(dice, Scope::Group, &group);
            data.declare(
                dice,
                Scope::Global,
                &[("sun", ValueType::Vec3), ("mode", ValueType::Symbol), ("rung", ValueType::Time)],
            );
        }
        data
    }

    fn is_written(&self, name: &KeyName) -> bool {
        name.scope != Scope::Agent || !self.read_only.contains(&name.name)
    }

    fn declare(&mut self, dice: &mut Dice, scope: Scope, keys: &[(&str, ValueType)]) {
        for &(name, value_type) in keys {
            let words = if name == "mood" { MOODS } else { MODES };
            let default = value(dice, value_type, words);
            let words = if value_type == ValueType::Symbol { words } else { &[] };
            self.keys.declare(scope, name, Key { default, words: words.iter().map(|w| (*w).to_owned()).collect() });
        }
    }

    /// How an expression names a key: sometimes without its scope, if that is the same key.
    fn path(&self, dice: &mut Dice, name: &KeyName) -> String {
        let bare = self.keys.find(&name.name).is_some_and(|(found, _)| found == name);
        if bare && dice.chance(75) { name.name.clone() } else { format!("{}.{}", name.scope.name(), name.name) }
    }

    fn types(&self) -> &'static [ValueType] {
        if self.wide { &ALL } else { &PLAIN }
    }

    /// A key of that type and its name in expressions, if there is one.
    fn pick(&self, dice: &mut Dice, value_type: Option<ValueType>) -> Option<(String, &Key)> {
        self.pick_among(dice, value_type, |_| true)
    }

    /// The same for a key that can be written.
    fn pick_written(&self, dice: &mut Dice, value_type: Option<ValueType>) -> Option<(String, &Key)> {
        self.pick_among(dice, value_type, |it| self.is_written(it))
    }

    /// A key of the agent that is not a port.
    pub(super) fn local(&self, dice: &mut Dice, ports: &BTreeMap<String, Port>) -> Option<String> {
        Some(self.pick_among(dice, None, |it| it.scope == Scope::Agent && !ports.contains_key(&it.name))?.0)
    }

    fn pick_among(
        &self,
        dice: &mut Dice,
        value_type: Option<ValueType>,
        can_be: impl Fn(&KeyName) -> bool,
    ) -> Option<(String, &Key)> {
        let wanted = |key: &Key| value_type.is_none_or(|wanted| key.default.value_type() == wanted);
        let keys: Vec<(&KeyName, &Key)> = self.keys.iter().filter(|it| wanted(it.1) && can_be(it.0)).collect();
        if keys.is_empty() {
            return None;
        }
        let (name, key) = dice.pick(&keys);
        Some((self.path(dice, name), key))
    }

    fn any(&self, dice: &mut Dice) -> (String, &Key) {
        self.pick_written(dice, None).expect("it is asked for keys where there are some")
    }

    /// A key that is written: often one that a switch is on.
    fn written(&self, dice: &mut Dice) -> (String, &Key) {
        if self.switched.is_empty() || dice.chance(25) {
            return self.any(dice);
        }
        let path = dice.pick(&self.switched);
        let key = self.keys.find(&path).expect("it was picked").1;
        (path, key)
    }

    /// A key for an event's payload.
    pub(super) fn receiver(&self, dice: &mut Dice) -> String {
        self.any(dice).0
    }

    /// The same for a type, if there is one.
    pub(super) fn receiver_of(&self, dice: &mut Dice, value_type: ValueType) -> Option<String> {
        self.pick_written(dice, Some(value_type)).map(|it| it.0)
    }

    /// The type of an event's payload.
    pub(super) fn payload_type(&self, dice: &mut Dice) -> Option<ValueType> {
        dice.chance(70).then(|| dice.pick(self.types()))
    }

    pub(super) fn value_of(&self, dice: &mut Dice, value_type: ValueType) -> Value {
        let words = dice.pick(&[MODES, MODES, MOODS]);
        value(dice, value_type, words)
    }

    /// An expression for a payload of this type.
    pub(super) fn payload_of(&self, dice: &mut Dice, value_type: ValueType) -> String {
        match value_type {
            ValueType::Symbol => self.atom(dice, ValueType::Symbol),
            // An int becomes a float.
            ValueType::Float if dice.chance(30) => self.expr(dice, ValueType::Int, 1),
            other => self.expr(dice, other, 1),
        }
    }

    pub(super) fn value(&self, dice: &mut Dice) -> Value {
        let value_type = dice.pick(self.types());
        let words = dice.pick(&[MODES, MODES, MOODS]);
        value(dice, value_type, words)
    }

    /// A key and a value for it.
    pub(super) fn write(&self, dice: &mut Dice) -> (String, Value) {
        let (path, key) = self.written(dice);
        if key.default.value_type() == ValueType::Int && self.switched.contains(&path) {
            return (path, Value::Int(dice.pick(&[0, 0, 1, 1, 2, 3, 7])));
        }
        (path, value(dice, key.default.value_type(), &words(key)))
    }

    /// A key and an expression for it, which mostly changes it.
    pub(super) fn assignment(&self, dice: &mut Dice) -> (String, String) {
        let (path, key) = self.written(dice);
        let expr = match key.default.value_type() {
            ValueType::Bool if dice.chance(60) => format!("!{path}"),
            ValueType::Int if dice.chance(60) => format!("{path} {} 1", dice.pick(&["+", "-"])),
            ValueType::Float if dice.chance(60) => format!("{path} {} 0.25", dice.pick(&["+", "-"])),
            ValueType::Symbol => self.symbol(dice, key),
            ValueType::Time if dice.chance(20) => literal(dice, ValueType::Float),
            ValueType::Time if dice.chance(50) => dice.pick(&["now", "time"]).into(),
            other => self.expr(dice, other, 2),
        };
        (path, expr)
    }

    /// A key, and the bounds of its roll, if any key can be written.
    pub(super) fn rolled(&self, dice: &mut Dice) -> Option<(String, String, String)> {
        let value_type = self.number_type(dice);
        let (path, _) = self.pick_written(dice, Some(value_type))?;
        let (least, most) = ("-9223372036854775808", "9223372036854775807");
        let [from, to] = if value_type == ValueType::Int {
            dice.pick(&[["0", "1"], ["1", "3"], ["-2", "7"], ["2", "2"], [least, most], [least, "4"], ["-1", most]])
        } else {
            dice.pick(&[["0.0", "1.0"], ["-1.5", "2"], ["0", "0.25"], ["0.1", "0.1"], ["-3000000000.0", "1"]])
        };
        // A written key is not a constant, so it may be above the other bound.
        let of = if value_type == ValueType::Int || dice.chance(30) { ValueType::Int } else { ValueType::Float };
        let Some((key, _)) = self.pick_written(dice, Some(of)) else { return Some((path, from.into(), to.into())) };
        Some(match dice.below(6) {
            0 => (path, key, to.into()),
            1 => (path, from.into(), key),
            2 => (path, key.clone(), format!("{key} + 2")),
            _ => (path, from.into(), to.into()),
        })
    }

    pub(super) fn truth(&self, dice: &mut Dice) -> String {
        self.expr(dice, ValueType::Bool, 2)
    }

    pub(super) fn payload(&self, dice: &mut Dice) -> String {
        match dice.pick(self.types()) {
            // A word alone does not say which key it belongs to.
            ValueType::Symbol => self.atom(dice, ValueType::Symbol),
            other => self.expr(dice, other, 1),
        }
    }

    /// A number of times or ticks.
    pub(super) fn count(&self, dice: &mut Dice) -> String {
        let depth = dice.pick(&[0, 0, 1]);
        self.expr(dice, ValueType::Int, depth)
    }

    pub(super) fn score(&self, dice: &mut Dice) -> String {
        let value_type = dice.pick(&[ValueType::Int, ValueType::Float]);
        let depth = dice.pick(&[0, 0, 0, 1, 2]);
        self.expr(dice, value_type, depth)
    }

    /// A value for a switch, and cases for it.
    pub(super) fn switched(&mut self, dice: &mut Dice) -> (String, Vec<Value>) {
        let symbol = if dice.chance(40) { self.pick(dice, Some(ValueType::Symbol)) } else { None };
        if let Some((path, key)) = symbol {
            let words = key.words.iter().cloned().map(Value::Symbol).collect();
            self.note_switched(&path);
            return (path, words);
        }
        if dice.chance(30) {
            (self.moving(dice, ValueType::Bool), vec![Value::Bool(true), Value::Bool(false)])
        } else {
            self.counted(dice, 5)
        }
    }

    /// An int for a switch, and at least this many cases for it.
    pub(super) fn counted(&mut self, dice: &mut Dice, cases: usize) -> (String, Vec<Value>) {
        let on = self.moving(dice, ValueType::Int);
        let cases = i64::try_from(cases).expect("a tree has not that many nodes");
        (on, (0..=cases).map(Value::Int).collect())
    }

    /// Mostly a key, which is then written often.
    fn moving(&mut self, dice: &mut Dice, value_type: ValueType) -> String {
        match self.pick(dice, Some(value_type)).filter(|_| dice.chance(80)) {
            Some((path, _)) => {
                self.note_switched(&path);
                path
            }
            None => self.expr(dice, value_type, 1),
        }
    }

    fn note_switched(&mut self, path: &str) {
        if self.keys.find(path).is_some_and(|it| self.is_written(it.0)) {
            self.switched.push(path.to_owned());
        }
    }
}

fn words(key: &Key) -> Vec<&str> {
    key.words.iter().map(String::as_str).collect()
}

fn value(dice: &mut Dice, value_type: ValueType, words: &[&str]) -> Value {
    match value_type {
        ValueType::Bool => Value::Bool(dice.chance(50)),
        ValueType::Int => Value::Int(dice.pick(&[-3, 0, 1, 2, 3, 7])),
        ValueType::Float => Value::Float(dice.pick(&[-1.5, 0.0, 0.2, 0.5, 1.0, 2.75])),
        ValueType::Vec2 => Value::Vec2(dice.pick(&[[0.0, 0.0], [0.5, -1.5], [3.0, 4.0], [-0.0, 0.1]])),
        ValueType::Vec3 => Value::Vec3(dice.pick(&[[0.0, 0.0, 0.0], [1.0, 2.0, -2.0], [0.1, 0.2, 0.3]])),
        ValueType::Entity => Value::Entity(dice.pick(&[0, 0, 1, 7, u64::MAX])),
        ValueType::Symbol => Value::Symbol(dice.pick(words).to_owned()),
        ValueType::Time => {
            Value::Time(dice.pick(&[0, 0, 1, 1_500_000_000, 3_000_000_000, 5_000_000_000, i64::MAX.cast_unsigned()]))
        }
    }
}
