//! The blackboard of a scenario: its keys, and the values that they and events hold.

use std::collections::BTreeMap;
use std::fmt;

/// The prefix of the slot's name in the key of a slot.
pub(crate) const SLOT: &str = "slot:";

/// Which agents share a key. A name without scope is looked up in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// `keys`: the agent's.
    Agent,
    /// `group`: that of the agent's group, in which it is alone.
    Group,
    /// `global`: that of all agents.
    Global,
}

/// A key, known by its scope and its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyName {
    /// Its scope.
    pub scope: Scope,
    /// Its name in that scope.
    pub name: String,
}

/// A key's declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Its default, which also fixes its type.
    pub default: Value,
    /// The words that a symbol can be; empty for the other types.
    pub words: Vec<String>,
}

/// All keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keys(BTreeMap<KeyName, Key>);

/// What the keys hold.
pub type Values = BTreeMap<KeyName, Value>;

/// A value of the blackboard or of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// JSON `true` and `false`.
    Bool(bool),
    /// A JSON number without point and exponent.
    Int(i64),
    /// A JSON number with a point or an exponent.
    Float(f32),
    /// `[x, y]`
    Vec2([f32; 2]),
    /// `[x, y, z]`
    Vec3([f32; 3]),
    /// `{"entity": n}`; 0 is none.
    Entity(u64),
    /// `"word"`
    Symbol(String),
    /// `{"time": n}`, in nanoseconds; at most 2^63 - 1.
    Time(u64),
}

/// The type of a [`Value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// Of [`Value::Bool`].
    Bool,
    /// Of [`Value::Int`].
    Int,
    /// Of [`Value::Float`].
    Float,
    /// Of [`Value::Vec2`].
    Vec2,
    /// Of [`Value::Vec3`].
    Vec3,
    /// Of [`Value::Entity`].
    Entity,
    /// Of [`Value::Symbol`].
    Symbol,
    /// Of [`Value::Time`].
    Time,
}

impl Scope {
    /// All of them, in the order in which a name is looked up.
    pub const ALL: [Scope; 3] = [Scope::Agent, Scope::Group, Scope::Global];

    /// As written before the point of a name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scope::Agent => "agent",
            Scope::Group => "group",
            Scope::Global => "global",
        }
    }

    /// The field of a scenario that declares its keys.
    #[must_use]
    pub fn field(self) -> &'static str {
        match self {
            Scope::Agent => "keys",
            Scope::Group => "group",
            Scope::Global => "global",
        }
    }
}

impl Keys {
    /// Adds or replaces a key.
    pub fn declare(&mut self, scope: Scope, name: &str, key: Key) {
        self.0.insert(KeyName { scope, name: name.to_owned() }, key);
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every key, scope by scope.
    pub fn iter(&self) -> impl Iterator<Item = (&KeyName, &Key)> {
        self.0.iter()
    }

    /// Those of one scope.
    pub fn of(&self, scope: Scope) -> impl Iterator<Item = (&str, &Key)> {
        self.0.iter().filter(move |(name, _)| name.scope == scope).map(|(name, key)| (name.name.as_str(), key))
    }

    /// The key that a name refers to, which may begin with its scope: `hp`, `group.hp`, `fight.hp`.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<(&KeyName, &Key)> {
        let (scopes, name) = match path.split_once('.') {
            Some((scope, name)) => (Scope::ALL.iter().filter(|s| s.name() == scope).collect::<Vec<_>>(), name),
            None => (Scope::ALL.iter().collect(), path),
        };
        let get = |scope, name: &str| self.0.get_key_value(&KeyName { scope, name: name.to_owned() });
        // A key of an instance has the instance's name before its own.
        scopes.into_iter().find_map(|&scope| get(scope, name)).or_else(|| get(Scope::Agent, path))
    }

    /// The default of each key.
    #[must_use]
    pub fn defaults(&self) -> Values {
        self.0.iter().map(|(name, key)| (name.clone(), key.default.clone())).collect()
    }
}

impl Key {
    /// Whether it can hold this value of its type. A symbol key holds only its own words.
    #[must_use]
    pub fn takes(&self, value: &Value) -> bool {
        match value {
            Value::Symbol(word) => self.words.contains(word),
            Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Vec2(_)
            | Value::Vec3(_)
            | Value::Entity(_)
            | Value::Time(_) => true,
        }
    }
}

impl From<Value> for Key {
    /// A key of any type but a symbol.
    fn from(default: Value) -> Key {
        Key { default, words: Vec::new() }
    }
}

impl Value {
    /// The value's type.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        match self {
            Value::Bool(_) => ValueType::Bool,
            Value::Int(_) => ValueType::Int,
            Value::Float(_) => ValueType::Float,
            Value::Vec2(_) => ValueType::Vec2,
            Value::Vec3(_) => ValueType::Vec3,
            Value::Entity(_) => ValueType::Entity,
            Value::Symbol(_) => ValueType::Symbol,
            Value::Time(_) => ValueType::Time,
        }
    }

    /// Whether every float in it is finite; true for the other types.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        match self {
            Value::Float(x) => x.is_finite(),
            Value::Vec2(v) => v.iter().all(|x| x.is_finite()),
            Value::Vec3(v) => v.iter().all(|x| x.is_finite()),
            Value::Bool(_) | Value::Int(_) | Value::Entity(_) | Value::Symbol(_) | Value::Time(_) => true,
        }
    }
}

/// As the trace writes it: a float always with a point or an exponent.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(v) => write!(f, "{v}"),
            Value::Int(v) => write!(f, "{v}"),
            Value::Float(v) => write!(f, "{v:?}"),
            Value::Vec2([x, y]) => write!(f, "({x:?}, {y:?})"),
            Value::Vec3([x, y, z]) => write!(f, "({x:?}, {y:?}, {z:?})"),
            Value::Entity(v) => write!(f, "#{v}"),
            Value::Symbol(v) => f.write_str(v),
            Value::Time(v) => {
                let text = format!("{}.{:09}", v / 1_000_000_000, v % 1_000_000_000);
                write!(f, "{}s", text.trim_end_matches('0').trim_end_matches('.'))
            }
        }
    }
}

impl ValueType {
    /// All of them.
    pub const ALL: [ValueType; 8] = [
        ValueType::Bool,
        ValueType::Int,
        ValueType::Float,
        ValueType::Vec2,
        ValueType::Vec3,
        ValueType::Entity,
        ValueType::Symbol,
        ValueType::Time,
    ];

    /// `bool`, `int`, `float`, `vec2`, `vec3`, `entity`, `symbol` or `time`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ValueType::Bool => "bool",
            ValueType::Int => "int",
            ValueType::Float => "float",
            ValueType::Vec2 => "vec2",
            ValueType::Vec3 => "vec3",
            ValueType::Entity => "entity",
            ValueType::Symbol => "symbol",
            ValueType::Time => "time",
        }
    }

    /// Whether it is one of the two that arithmetic mixes.
    #[must_use]
    pub fn is_number(self) -> bool {
        matches!(self, ValueType::Int | ValueType::Float)
    }

    /// Whether it is a number, or becomes one where a number is wanted: a time.
    #[must_use]
    pub fn counts(self) -> bool {
        self.is_number() || self == ValueType::Time
    }

    /// Whether it is made of floats with a name each.
    #[must_use]
    pub fn is_vector(self) -> bool {
        matches!(self, ValueType::Vec2 | ValueType::Vec3)
    }
}
