//! The expression language of the blackboard: `health < 0.3 && (sees_player || noise_age <= 2)`.
//!
//! An expression is parsed, typed and compiled once, when its tree is loaded (SEMANTICS 8.23).
//! Every name in it becomes a [`KeyIndex`]. After that [`Expr::eval`] neither fails nor allocates.
//!
//! # The language
//!
//! Loosest first: `||` or `or`, `&&` or `and`, one of `< <= > >= == !=` (they do not chain), `+ -`,
//! `* / %`, the prefixes `-` and `!` or `not`, and the components `.x .y .z`. `&&`, `||` and `if`
//! evaluate only the operands that they need. `not` binds as tightly as `!`: of a comparison it is
//! written `not (a < b)`.
//!
//! | written | means |
//! |---|---|
//! | `1` `1.5` `1e-3` `true` `false` | literals |
//! | `none` | the entity 0, unless a key has that name |
//! | `time` `now` | the agent's own time and the forest's, Times; unless a key has that name |
//! | `name`, `node.name` `agent.name` `group.name` `global.name` | a key; a scope's key comes before a component |
//! | `mode == alert` | a word, where a Symbol is wanted; a Symbol key of that name comes first |
//! | `min(a, b)` `max(a, b)` `clamp(x, low, high)` `abs(x)` `sign(x)` | of ints or floats; if `clamp`'s bounds are in the wrong order, `high` counts; `sign` is -1, 0 or 1, and of -0.0 and a NaN what it is given |
//! | `floor(x)` | a float's whole part as an int: saturating, and 0 for a NaN |
//! | `sqrt(x)` | a float; a NaN for what is below zero |
//! | `vec2(x, y)` `vec3(x, y, z)` `length(v)` `distance(a, b)` | vectors, which also add, subtract, negate and scale |
//! | `if(test, a, b)` | one of the two |
//!
//! A Time is a moment in whole nanoseconds. `now - seen`, of two Times, is a float of seconds, and
//! a Time with a number added or taken off is a Time. Times are compared exactly, also with
//! numbers, which count as seconds since 0. `min`, `max` and `clamp` of Times are a Time.
//! Everywhere else, and where a float is wanted, a Time becomes a float of seconds. A literal
//! number where a Time is wanted is a Time.
//!
//! An int becomes a float where a float is wanted, or where the other operand is a float. Ints
//! wrap, and their division and remainder by zero are 0. Floats are IEEE `f32`: a comparison with a
//! NaN is false, except `!=`. The smallest int is written `-9223372036854775808`, a minus and a
//! number. Without the minus directly before it, that number is out of range.
//!
//! A word is a name, as keys have ([`is_word`]): letters, digits and `_`, no digit first, and none
//! of `true`, `false`, `not`, `and` and `or` ([`RESERVED`]).
//!
//! There are no random numbers, and nothing else that two evaluations at one time could answer
//! differently: a condition has one answer per state of its agent. Chance is a node of its own
//! (`Probability`, `RandomSelector`), and draws once per visit. `time` and `now` are the same
//! during a whole tick.
//!
//! Up to 256 literals, names, operators, functions and parentheses can be combined in any way,
//! within [`MAX_EXPR_SOURCE`](crate::limits::MAX_EXPR_SOURCE) bytes. Beyond that
//! [`MAX_EXPR_DEPTH`](crate::limits::MAX_EXPR_DEPTH) and [`MAX_EXPR_VALUES`] hold.

mod check;
pub(crate) mod code;
pub(crate) mod compared;
pub(crate) mod compiler;
mod error;
pub(crate) mod lex;
mod machine;
mod parse;
pub(crate) mod turning;

use std::fmt;

use crate::limits::MAX_EXPR_VALUES;
use crate::time::Time;
use crate::value::{Type, Value};
use code::Instruction;
use compiler::Compiler;
use machine::Operand;

pub use check::{Doubt, FunctionInfo, functions};
pub use error::{ExprError, ExprErrorKind};
pub use lex::{RESERVED, is_name, is_word};

/// The words that name a scope before a dot.
pub const SCOPES: [&str; 4] = ["node", "agent", "group", "global"];

/// The index of a key in its tree's schema.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyIndex(u16);

impl KeyIndex {
    /// The key at `index`, if a schema may be that long.
    #[inline]
    #[must_use]
    pub fn new(index: usize) -> Option<Self> {
        u16::try_from(index).ok().map(KeyIndex)
    }

    /// Its place in the schema.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for KeyIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "k{}", self.0)
    }
}

/// What the compiler of expressions needs to know of a schema. Called only at load.
pub trait Names {
    /// The key of that name: in the scope given (one of [`SCOPES`]), or in the first scope that has
    /// it.
    fn resolve(&self, scope: Option<&str>, name: &str) -> Option<KeyIndex>;
    /// The type of a key that [`resolve`](Names::resolve) returned.
    fn key_type(&self, key: KeyIndex) -> Type;
    /// The value of a name that is not a key after all: of a port that was given a literal.
    fn constant(&self, key: KeyIndex) -> Option<Value> {
        let _ = key;
        None
    }
    /// Whether names mean something else elsewhere: they are those of an instance.
    fn are_of_instance(&self) -> bool {
        false
    }
    /// The words that a Symbol key may hold, for suggestions.
    fn words(&self, key: KeyIndex) -> Vec<&str>;
    /// Whether a Symbol key may hold a word. With many words, an implementation of its own pays
    /// off.
    fn has_word(&self, key: KeyIndex, word: &str) -> bool {
        self.words(key).contains(&word)
    }
    /// The names of the visible keys, without their scopes, for suggestions.
    fn names(&self) -> Vec<&str>;
}

/// Where an expression reads its keys while it is evaluated. A closure `|key: KeyIndex| -> Value`
/// is enough. A blackboard that knows where its floats are can implement the typed methods faster.
///
/// A value of another type than [`Names::key_type`] promised makes the result meaningless, but does
/// no other harm.
pub trait Read {
    /// The value of a key.
    fn value(&mut self, key: KeyIndex) -> Value;

    /// The agent's own time. For a closure it is 0.
    fn time(&mut self) -> Time;

    /// The forest's time; for a brain its own. For a closure it is 0.
    fn now(&mut self) -> Time;

    /// The value of a Bool key.
    #[inline]
    fn bool(&mut self, key: KeyIndex) -> bool {
        machine::bool(self.value(key))
    }

    /// The value of an Int key.
    #[inline]
    fn int(&mut self, key: KeyIndex) -> i64 {
        machine::int(self.value(key))
    }

    /// The value of a Float key.
    #[inline]
    fn float(&mut self, key: KeyIndex) -> f32 {
        machine::float(self.value(key))
    }
}

impl<F: FnMut(KeyIndex) -> Value> Read for F {
    #[inline]
    fn value(&mut self, key: KeyIndex) -> Value {
        self(key)
    }
    #[inline]
    fn time(&mut self) -> Time {
        Time::ZERO
    }
    #[inline]
    fn now(&mut self) -> Time {
        Time::ZERO
    }
}

/// The keys of an expression. Most have a few, which need no list.
#[derive(Clone, Debug, PartialEq)]
enum Keys {
    /// The keys and their count; the other entries are 0.
    Few([KeyIndex; FEW_KEYS], u8),
    Many(Box<[KeyIndex]>),
}

const FEW_KEYS: usize = 6;

impl Keys {
    fn new(keys: &[KeyIndex]) -> Self {
        let mut few = [KeyIndex(0); FEW_KEYS];
        match (few.get_mut(..keys.len()), u8::try_from(keys.len())) {
            (Some(room), Ok(count)) => {
                room.copy_from_slice(keys);
                Keys::Few(few, count)
            }
            _ => Keys::Many(keys.into()),
        }
    }
}

/// A compiled expression. Two are equal if both their sources and their compiled forms are equal.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    source: Box<str>,
    ty: Type,
    keys: Keys,
    reads_time: bool,
    reads_now: bool,
    code: Box<[Instruction]>,
    /// How many values `code` holds at once: at most [`MAX_EXPR_VALUES`].
    stack: usize,
    /// In an instance, what its names and literals mean, in the order of the source.
    means: Box<[Instruction]>,
}

impl Expr {
    /// Parses, types and compiles `source`; if `expected` is given, its result is of that type. A
    /// bare word where a Symbol is expected may be a word of any key: see [`Expr::compile_for`].
    ///
    /// # Errors
    /// A syntax error alone; without one, every wrong name and type, in the order of the source.
    pub fn compile(source: &str, names: &dyn Names, expected: Option<Type>) -> Result<Expr, Vec<ExprError>> {
        Compiler::default().compile(source.into(), names, expected, None)
    }

    /// As [`compile`](Expr::compile), for a value that is to be stored in `key`: it is of the key's
    /// type, and a symbol is one of the key's words.
    ///
    /// # Errors
    /// As [`compile`](Expr::compile).
    pub fn compile_for(source: &str, names: &dyn Names, key: KeyIndex) -> Result<Expr, Vec<ExprError>> {
        Compiler::default().compile(source.into(), names, Some(names.key_type(key)), Some(key))
    }

    /// The type of its result.
    #[inline]
    #[must_use]
    pub fn ty(&self) -> Type {
        self.ty
    }

    /// The text it was compiled from.
    #[inline]
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The keys that it may read, in ascending order, each once. A part that a constant makes
    /// unreachable reads no keys.
    #[inline]
    #[must_use]
    pub fn keys(&self) -> &[KeyIndex] {
        match &self.keys {
            Keys::Few(keys, count) => &keys[..usize::from(*count)],
            Keys::Many(keys) => keys,
        }
    }

    /// Whether it may read `time`, the agent's own.
    #[inline]
    #[must_use]
    pub fn reads_time(&self) -> bool {
        self.reads_time
    }

    /// Whether it may read `now`, the forest's time.
    #[inline]
    #[must_use]
    pub fn reads_now(&self) -> bool {
        self.reads_now
    }

    /// Whether it may read `time` or `now`: then its value can change without a change of a key.
    #[inline]
    #[must_use]
    pub fn reads_clock(&self) -> bool {
        self.reads_time || self.reads_now
    }

    /// Its value, if that is the same for all values of its keys.
    #[inline]
    #[must_use]
    pub fn constant(&self) -> Option<Value> {
        if let [Instruction::Push(value)] = &*self.code { Some(*value) } else { None }
    }

    /// Its value now. Costs some nanoseconds, never allocates, never fails.
    #[inline]
    pub fn eval(&self, mut read: impl Read) -> Value {
        match &*self.code {
            [Instruction::Push(value)] => *value,
            [Instruction::Load(key, _)] => read.value(*key),
            _ => self.run(&mut read).value(self.ty),
        }
    }

    /// [`eval`](Expr::eval) of an expression that was compiled to be a Bool; false for any other.
    #[inline]
    pub fn eval_bool(&self, mut read: impl Read) -> bool {
        match &*self.code {
            [Instruction::Load(key, _)] if self.ty == Type::Bool => read.bool(*key),
            _ => self.ty == Type::Bool && self.run(&mut read).is_true(),
        }
    }

    /// [`eval`](Expr::eval) of an expression that was compiled to be a Float; 0 for any other.
    #[inline]
    pub fn eval_float(&self, mut read: impl Read) -> f32 {
        match &*self.code {
            _ if self.ty != Type::Float => 0.0,
            [Instruction::Push(value)] => machine::float(*value),
            [Instruction::Load(key, _)] => read.float(*key),
            _ => self.run(&mut read).float(),
        }
    }

    /// The general case, which works for every expression.
    fn run(&self, read: &mut impl Read) -> Operand {
        // Clearing the stack is a good part of the cost of a small expression, and nearly all are
        // small.
        if self.stack <= machine::SMALL_STACK {
            machine::run::<{ machine::SMALL_STACK }>(&self.code, read)
        } else if self.stack <= machine::MIDDLE_STACK {
            machine::run::<{ machine::MIDDLE_STACK }>(&self.code, read)
        } else {
            self.run_deep(read)
        }
    }

    /// A separate function, so that its stack is not a part of every frame that evaluates
    /// something.
    #[cold]
    #[inline(never)]
    fn run_deep(&self, read: &mut impl Read) -> Operand {
        machine::run::<MAX_EXPR_VALUES>(&self.code, read)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

/// What is legal in an expression but probably a mistake; nothing if it does not compile. The
/// arguments are those of [`Expr::compile`].
#[must_use]
pub fn doubts(source: &str, names: &dyn Names, expected: Option<Type>) -> Vec<Doubt> {
    let (mut parsing, mut meanings) = (parse::Buffers::default(), Vec::new());
    let Ok(ast) = parse::parse(source, &mut parsing) else { return Vec::new() };
    match check::check(source, ast, names, expected, None, &mut meanings) {
        Ok(_) => check::doubts(source, ast, &meanings),
        Err(_) => Vec::new(),
    }
}
