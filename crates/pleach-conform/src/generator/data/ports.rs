//! The keys and ports of files, and what ports are connected to.

use std::collections::BTreeMap;

use super::{Data, value, words};
use crate::dice::Dice;
use crate::keys::SLOT;
use crate::scenario::{Direction, Given, Key, KeyName, Keys, Port, Scope, Value, ValueType};

/// The ports that files can have: those of one name have one type. Some have the names of keys.
const PORTS: [(&str, ValueType); 11] = [
    ("hp", ValueType::Float),
    ("n", ValueType::Int),
    ("speed", ValueType::Float),
    ("k", ValueType::Int),
    ("flag", ValueType::Bool),
    ("goal", ValueType::Vec2),
    ("far", ValueType::Vec3),
    ("whom", ValueType::Entity),
    ("since", ValueType::Time),
    ("way", ValueType::Symbol),
    ("mood", ValueType::Symbol),
];

impl Data {
    /// What the nodes of a file see, and its ports. Its shared keys are among those of `host`, or
    /// are declared alike wherever they are.
    pub(in crate::generator) fn of_file(dice: &mut Dice, host: &Data) -> (Data, BTreeMap<String, Port>) {
        let mut data = Data { wide: host.wide, ..Data::default() };
        for (name, key) in host.keys.iter() {
            if name.scope == Scope::Agent {
                // Mostly of the same name, and sometimes with another default.
                if dice.chance(25) {
                    data.declare(dice, Scope::Agent, &[(&name.name, key.default.value_type())]);
                }
            } else if dice.chance(50) {
                data.keys.declare(name.scope, &name.name, key.clone());
            }
        }
        if dice.chance(15) {
            data.keys.declare(Scope::Group, "tally", Key::from(Value::Int(2)));
        }
        let mut ports = BTreeMap::new();
        for _ in 0..dice.pick(&[0, 1, 1, 2, 2, 3, 4]) {
            let (name, value_type) = dice.pick(&PORTS);
            if !data.types().contains(&value_type) || data.keys.of(Scope::Agent).any(|it| it.0 == name) {
                continue;
            }
            let direction = [Direction::In, Direction::Out, Direction::InOut][dice.weighted(&[60, 15, 25])];
            let mut port = Data::default();
            port.declare(dice, Scope::Agent, &[(name, value_type)]);
            let mut key = port.keys.find(name).expect("it was declared").1.clone();
            if let Value::Entity(it) = &mut key.default {
                // Others cannot be written as a constant.
                *it = 0;
            }
            data.keys.declare(Scope::Agent, name, key.clone());
            if direction == Direction::In {
                data.read_only.insert(name.to_owned());
            }
            let needed = direction == Direction::In && dice.chance(30);
            ports.insert(name.to_owned(), Port { direction, key, needed });
        }
        // There is a key to write, and if there are words, a key that has them.
        if !data.keys.of(Scope::Agent).any(|it| !data.read_only.contains(it.0)) {
            data.declare(dice, Scope::Agent, &[("m", ValueType::Int)]);
        }
        let is_symbol = |it: &Key| it.default.value_type() == ValueType::Symbol;
        if data.wide && !data.keys.iter().any(|it| is_symbol(it.1)) {
            data.declare(dice, Scope::Agent, &[("mode", ValueType::Symbol)]);
        }
        (data, ports)
    }

    /// The keys of instances, and the slots with their words, of all keys of a tree.
    pub(in crate::generator) fn inner(keys: &Keys) -> (Data, Vec<(String, Vec<String>)>) {
        let (mut data, mut slots) = (Data::default(), Vec::new());
        for (name, key) in keys.of(Scope::Agent) {
            if name.contains(SLOT) {
                slots.push((name.replace(SLOT, ""), key.words.clone()));
            } else if name.contains('.') {
                data.keys.declare(Scope::Agent, name, key.clone());
            }
        }
        (data, slots)
    }

    /// A connection for a port from these keys. `None`: no key fits.
    pub(in crate::generator) fn given(&self, dice: &mut Dice, port: &Port, needs_key: bool) -> Option<Given> {
        let reads = port.direction == Direction::In;
        let value_type = port.key.default.value_type();
        if reads && dice.chance(45) {
            let value = match value(dice, value_type, &words(&port.key)) {
                // Others cannot be written as a constant.
                Value::Entity(_) if !needs_key => Value::Entity(0),
                value => value,
            };
            return Some(Given::Literal(value));
        }
        let fits = |(name, key): &(&KeyName, &Key)| {
            key.default.value_type() == value_type && key.words == port.key.words && (reads || self.is_written(name))
        };
        let keys: Vec<_> = self.keys.iter().filter(fits).collect();
        if keys.is_empty() {
            return reads.then(|| Given::Literal(port.key.default.clone()));
        }
        let (name, _) = dice.pick(&keys);
        Some(Given::Key(self.path(dice, name)))
    }

    /// The keys that are not ports.
    pub(in crate::generator) fn without(&self, ports: &BTreeMap<String, Port>) -> Keys {
        let mut keys = Keys::default();
        for (name, key) in self.keys.iter() {
            if name.scope != Scope::Agent || !ports.contains_key(&name.name) {
                keys.declare(name.scope, &name.name, key.clone());
            }
        }
        keys
    }
}
