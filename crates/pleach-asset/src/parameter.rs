//! [`Parameter`]: the types that a parameter of a function can have, and their names.

use std::fmt;
use std::marker::PhantomData;

use pleach_core::expr::KeyIndex;
use pleach_core::{BlackboardType, EventName, Key, Symbol, SymbolEnum, Type};
use serde_core::de::{self, Deserialize, DeserializeOwned, Deserializer, Visitor};

use crate::FloatExpr;

/// A type whose values assets can give: it derives `serde::Deserialize`, and needs nothing else.
#[diagnostic::on_unimplemented(
    message = "assets cannot supply a `{Self}`: it does not derive `Deserialize`",
    label = "add `#[derive(serde::Deserialize)]` to `{Self}`",
    note = "`derive` is a feature of serde: in Cargo.toml, serde = {{ version = \"1\", features = [\"derive\"] }}"
)]
pub trait FromAsset: Sized {
    /// Reads one. `DeserializeOwned` is not a bound of the trait, because compiler errors would
    /// then be about that bound, however reached, and not about the derive.
    #[doc(hidden)]
    fn from_asset<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

#[diagnostic::do_not_recommend]
impl<T: for<'de> Deserialize<'de>> FromAsset for T {
    fn from_asset<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer)
    }
}

/// A value that an asset gives, for serde.
pub(crate) struct Given<T>(pub(crate) T);

impl<'de, T: FromAsset> Deserialize<'de> for Given<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::from_asset(deserializer).map(Given)
    }
}

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
    message = "`{Self}` cannot be the type of a leaf's parameter",
    label = "assets cannot supply this",
    note = "a parameter is a `bool`, a number, a `char`, a `&str`, a `Symbol`, an `EventName`, a `Key<..>`, a \
            `&FloatExpr`, or an option, list or array of these",
    note = "for your own type, derive `serde::Deserialize` and add `impl pleach::asset::Parameter for .. {{}}`; an enum can derive \
            `pleach::SymbolEnum` instead"
)]
pub trait Parameter: FromAsset + Send + Sync + 'static {
    /// What it is, for tools.
    const TYPE: ParameterType = ParameterType::Other;

    /// Its value when it is left out, if that is allowed.
    #[must_use]
    fn left_out() -> Option<Self> {
        None
    }

    /// This value as an asset would write it, if possible: tools show defaults this way.
    #[must_use]
    fn written(&self) -> Option<String> {
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
    /// An array of exactly this many.
    Array(&'static ParameterType, usize),
    /// A type of the host.
    Other,
}

macro_rules! parameters {
    ($($rust:ty => $is:ident, $written:expr;)*) => {$(
        impl Parameter for $rust {
            const TYPE: ParameterType = ParameterType::$is;
            fn written(&self) -> Option<String> {
                let written: fn(&$rust) -> Option<String> = $written;
                written(self)
            }
        }
    )*};
}

parameters! {
    bool => Bool, shown;
    i8 => Int, shown;
    i16 => Int, shown;
    i32 => Int, shown;
    i64 => Int, shown;
    u8 => Int, shown;
    u16 => Int, shown;
    u32 => Int, shown;
    u64 => Int, shown;
    usize => Int, shown;
    f32 => Float, |it| shown(it).filter(|_| it.is_finite());
    f64 => Float, |it| shown(it).filter(|_| it.is_finite());
    char => Char, shown;
    String => Text, shown;
    Symbol => Word, |_| None;
    EventName => Event, |_| None;
    FloatExpr => FloatExpr, |it| it.literal().and_then(|it| it.written());
}

/// Rust writes these as RON does.
#[allow(clippy::unnecessary_wraps, reason = "others cannot be written")]
fn shown(it: &impl fmt::Debug) -> Option<String> {
    Some(format!("{it:?}"))
}

impl<T: BlackboardType> Parameter for Key<T> {
    const TYPE: ParameterType = ParameterType::Key(T::TYPE);
}

impl<T: Parameter + DeserializeOwned> Parameter for Option<T> {
    const TYPE: ParameterType = ParameterType::Option(&T::TYPE);
    fn left_out() -> Option<Self> {
        Some(None)
    }
    fn written(&self) -> Option<String> {
        match self {
            Some(it) => it.written(),
            None => Some("None".into()),
        }
    }
}

impl<T: Parameter + DeserializeOwned> Parameter for Vec<T> {
    const TYPE: ParameterType = ParameterType::List(&T::TYPE);
    fn written(&self) -> Option<String> {
        list(self)
    }
}

/// Items in brackets.
fn list<T: Parameter>(items: &[T]) -> Option<String> {
    let items: Option<Vec<String>> = items.iter().map(Parameter::written).collect();
    items.map(|it| format!("[{}]", it.join(", ")))
}

/// Serde reads arrays of up to 32.
impl<T: Parameter, const N: usize> Parameter for [T; N]
where
    [T; N]: DeserializeOwned,
{
    const TYPE: ParameterType = ParameterType::Array(&T::TYPE, N);
    fn written(&self) -> Option<String> {
        list(self)
    }
}

/// A parameter that reads keys, on which an answer can depend.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a key, so no condition can observe it",
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

/// A parameter of a function, as `#[leaf]` writes it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FnParameter {
    pub(crate) name: &'static str,
    pub(crate) ty: ParameterType,
    pub(crate) doc: &'static str,
    /// Whether the leaf reads the key that it names, or hears the event.
    pub(crate) reads: bool,
    /// Whether the leaf writes the key that it names, or sends the event.
    pub(crate) writes: bool,
}

impl FnParameter {
    pub(crate) const fn of<T: Parameter>(name: &'static str, doc: &'static str, reads: bool, writes: bool) -> Self {
        FnParameter { name, ty: T::TYPE, doc, reads, writes }
    }
}

/// The word of a value of an enum, as an asset writes it.
pub(crate) fn written_word<T: SymbolEnum>(value: T) -> Option<String> {
    let symbol = value.symbol();
    T::SYMBOLS.iter().position(|it| *it == symbol).map(|it| format!("{:?}", T::WORDS[it]))
}

/// Reads a value of an enum by its word.
pub(crate) fn word<'de, T: SymbolEnum, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct Word<T>(PhantomData<fn() -> T>);

    impl<T: SymbolEnum> Visitor<'_> for Word<T> {
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
