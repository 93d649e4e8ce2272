//! [`Parameter`]: the types that a parameter of a function can have, and how they are called.

use std::fmt;
use std::marker::PhantomData;

use pleach_core::expr::KeyIndex;
use pleach_core::{BlackboardType, EventName, Key, Symbol, Type, Words};
use serde_core::de::{self, DeserializeOwned, Deserializer, Visitor};

use crate::float_expr::{self, FloatExpr};

/// What a parameter of a `#[leaf]` function can be: `bool`, numbers, `char`, [`Symbol`],
/// [`EventName`], [`Key`], and options and arrays of these; and behind a `&` strings (`&str`),
/// lists (`&[f32]`), [`FloatExpr`] and any other parameter.
///
/// A type of your own derives `Deserialize` (and `Copy`, unless functions take it by `&`), and says
/// so:
///
/// ```
/// # mod pleach {
/// #     pub(crate) use pleach_asset as asset;
/// # }
/// #[derive(Clone, Copy, serde::Deserialize)]
/// enum Gait {
///     Walk,
///     Run,
/// }
/// impl pleach::asset::Parameter for Gait {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of a parameter of a leaf",
    label = "assets cannot give this",
    note = "a parameter is a `bool`, a number, a `char`, a `&str`, a `Symbol`, an `EventName`, a `Key<..>`, a \
            `&FloatExpr`, or an option, list or array of these",
    note = "a type of your own derives `serde::Deserialize`, and has `impl pleach::asset::Parameter for .. {{}}`; an enum may derive \
            `pleach::Words` instead"
)]
pub trait Parameter: DeserializeOwned + Send + Sync + 'static {
    /// What it is, for tools.
    const TYPE: ParameterType = ParameterType::Other;

    /// What it is when it is left out, if that is allowed.
    #[must_use]
    fn left_out() -> Option<Self> {
        None
    }
}

/// What a parameter is, for tools that write or check assets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterType {
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// A character: `'a'`.
    Char,
    /// A string.
    Text,
    /// A word of a symbol key, as a string.
    Word,
    /// One of these words, as a string.
    OneOf(&'static [&'static str]),
    /// The name of an event that the tree knows, as a string.
    Event,
    /// The name of a key of that type, as a string.
    Key(Type),
    /// A number, or a string with an expression that gives one.
    FloatExpr,
    /// One of these, or nothing.
    Option(&'static ParameterType),
    /// A list of these.
    List(&'static ParameterType),
    /// So many of these.
    Array(&'static ParameterType, usize),
    /// A type of the host.
    Other,
}

impl fmt::Display for ParameterType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterType::Bool => f.write_str("true or false"),
            ParameterType::Int => f.write_str("a whole number"),
            ParameterType::Float => f.write_str("a number"),
            ParameterType::Char => f.write_str("a character"),
            ParameterType::Text => f.write_str("a string"),
            ParameterType::Word => f.write_str("a word"),
            ParameterType::OneOf(words) => write!(f, "one of `{}`", words.join("`, `")),
            ParameterType::Event => f.write_str("the name of an event"),
            ParameterType::Key(ty) => write!(f, "the name of a key of type {ty}"),
            ParameterType::FloatExpr => f.write_str(float_expr::EXPECTED),
            ParameterType::Option(it) => write!(f, "{it}, or nothing"),
            ParameterType::List(it) => write!(f, "a list of: {it}"),
            ParameterType::Array(it, count) => write!(f, "{count} of: {it}"),
            ParameterType::Other => f.write_str("what the game says"),
        }
    }
}

macro_rules! parameters {
    ($($rust:ty => $is:ident;)*) => {$(
        impl Parameter for $rust {
            const TYPE: ParameterType = ParameterType::$is;
        }
    )*};
}

parameters! {
    bool => Bool;
    i8 => Int;
    i16 => Int;
    i32 => Int;
    i64 => Int;
    u8 => Int;
    u16 => Int;
    u32 => Int;
    u64 => Int;
    usize => Int;
    f32 => Float;
    f64 => Float;
    char => Char;
    String => Text;
    Symbol => Word;
    EventName => Event;
    FloatExpr => FloatExpr;
}

impl<T: BlackboardType> Parameter for Key<T> {
    const TYPE: ParameterType = ParameterType::Key(T::TYPE);
}

impl<T: Parameter> Parameter for Option<T> {
    const TYPE: ParameterType = ParameterType::Option(&T::TYPE);
    fn left_out() -> Option<Self> {
        Some(None)
    }
}

impl<T: Parameter> Parameter for Vec<T> {
    const TYPE: ParameterType = ParameterType::List(&T::TYPE);
}

/// Serde reads arrays of up to 32.
impl<T: Parameter, const N: usize> Parameter for [T; N]
where
    [T; N]: DeserializeOwned,
{
    const TYPE: ParameterType = ParameterType::Array(&T::TYPE, N);
}

/// A parameter that reads keys, on which an answer can depend.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no key, so no condition can observe it",
    note = "`observes(..)` names parameters of type `Key<..>` or `FloatExpr`"
)]
pub trait Observed {
    /// Adds the keys that it reads. `false` if what it gives depends on more than these.
    fn observe(&self, keys: &mut Vec<KeyIndex>) -> bool;
}

impl<T> Observed for Key<T> {
    fn observe(&self, keys: &mut Vec<KeyIndex>) -> bool {
        keys.push(self.index());
        true
    }
}

impl Observed for FloatExpr {
    fn observe(&self, keys: &mut Vec<KeyIndex>) -> bool {
        FloatExpr::observe(self, keys)
    }
}

impl<T: Observed> Observed for Option<T> {
    fn observe(&self, keys: &mut Vec<KeyIndex>) -> bool {
        self.as_ref().is_none_or(|it| it.observe(keys))
    }
}

/// A parameter of a leaf, for tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParameterInfo {
    /// Its name in assets.
    pub name: &'static str,
    /// What it is, if that is known: of a struct's fields only the names are.
    pub ty: Option<ParameterType>,
    /// Its default as the host's code has it, if it can be left out and that is known.
    pub default: Option<&'static str>,
}

impl ParameterInfo {
    /// The same for a field of a struct.
    pub(crate) fn field(name: &'static str) -> Self {
        ParameterInfo { name, ty: None, default: None }
    }

    /// A function's parameter, and its default in Rust.
    pub(crate) const fn of<T: Parameter>(name: &'static str, default: Option<&'static str>) -> Self {
        let default = match (default, T::TYPE) {
            (None, ParameterType::Option(_)) => Some("None"),
            (default, _) => default,
        };
        ParameterInfo { name, ty: Some(T::TYPE), default }
    }
}

/// Reads a value of an enum by its word.
pub(crate) fn word<'de, T: Words, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct Word<T>(PhantomData<fn() -> T>);

    impl<T: Words> Visitor<'_> for Word<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a word")
        }

        fn visit_str<E: de::Error>(self, word: &str) -> Result<T, E> {
            let at = T::WORDS.iter().position(|it| *it == word);
            at.map(|it| T::ALL[it]).ok_or_else(|| E::unknown_variant(word, T::WORDS))
        }
    }

    deserializer.deserialize_str(Word(PhantomData))
}
