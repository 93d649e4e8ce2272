//! [`FloatOrKey`]: a parameter that can be tuned in the asset or looked up on the blackboard.

use std::fmt;

use pleach_core::{AgentContext, Key};
use serde_core::de::{self, Deserialize, Deserializer, IntoDeserializer, Visitor};

/// A leaf's parameter that is a number, or the name of a `Float` key that holds one: `speed: 5.0`
/// or `speed: "pace"`.
///
/// An untagged enum would read the same, but serde could not say what is wrong with what is
/// neither.
///
/// ```
/// # mod pleach {
/// #     pub use pleach_asset::{FloatOrKey, Registry, load_str};
/// #     pub use pleach_core::{Action, Context, Host, Status};
/// # }
/// use pleach::{Action, Context, FloatOrKey, Host, Registry, Status, load_str};
/// use serde::Deserialize;
///
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = ();
/// # }
/// #[derive(Deserialize)]
/// struct Flee {
///     speed: FloatOrKey,
/// }
/// impl Action<Game> for Flee {
///     type State = ();
///     fn update(&self, (): &mut (), cx: &mut Context<'_, '_, Game>) -> Status {
///         let _ = self.speed.get(cx);
///         Status::Running
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut registry = Registry::<Game>::new();
/// registry.action::<Flee>("Flee")?;
/// let tree = |speed: &str| {
///     let source = format!("Tree(version: 1, blackboard: {{ \"pace\": Float(2.0) }}, root: Flee(speed: {speed}))");
///     load_str("flee.ron", &source, &registry)
/// };
/// assert!(tree("5").is_ok() && tree("\"pace\"").is_ok());
/// let report = tree("\"fast\"").unwrap_err();
/// assert_eq!(
///     report.diagnostics()[0].message(),
///     "`speed` of `Flee`: expected a number, or the name of a Float key: there is no key `fast`"
/// );
/// // Expressions are for the spans and counts of the nodes of the runtime.
/// let report = tree("\"pace / 2\"").unwrap_err();
/// assert_eq!(
///     report.diagnostics()[0].message(),
///     "`speed` of `Flee`: expected a number, or the name of a Float key: `pace / 2` is an expression, which only the \
///      nodes of the runtime take"
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FloatOrKey {
    /// A number, which is finite.
    Float(f32),
    /// A key; what it holds may be any number, NaN included.
    Key(Key<f32>),
}

/// What stands for it when serde asks for a value: parameters are read with better words for what
/// is neither.
pub(crate) const FLOAT_OR_KEY: &str = "pleach::FloatOrKey";

/// For messages.
pub(crate) const EXPECTED: &str = "a number, or the name of a Float key";

impl FloatOrKey {
    /// The number, or what the key holds now. `cx` is a context, or the part of one that
    /// [`Context::split`](pleach_core::Context::split) lends.
    ///
    /// # Panics
    /// If the key is of another tree, as [`AgentContext::get`] does; keys out of assets never are.
    #[must_use]
    pub fn get<'a>(self, cx: &impl AsRef<AgentContext<'a>>) -> f32 {
        match self {
            FloatOrKey::Float(it) => it,
            FloatOrKey::Key(key) => cx.as_ref().get(key),
        }
    }
}

impl<'de> Deserialize<'de> for FloatOrKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(FLOAT_OR_KEY, NumberOrName)
    }
}

struct NumberOrName;

impl<'de> Visitor<'de> for NumberOrName {
    type Value = FloatOrKey;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }

    /// From other formats than assets.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<FloatOrKey, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_f32<E: de::Error>(self, value: f32) -> Result<FloatOrKey, E> {
        if value.is_finite() { Ok(FloatOrKey::Float(value)) } else { Err(E::custom("numbers must be finite")) }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the nearest f32 is what is meant, and what is too large is seen"
    )]
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<FloatOrKey, E> {
        self.visit_f32(value as f32)
    }

    #[expect(clippy::cast_precision_loss, reason = "the nearest f32 is what is meant")]
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<FloatOrKey, E> {
        self.visit_f32(value as f32)
    }

    #[expect(clippy::cast_precision_loss, reason = "the nearest f32 is what is meant")]
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<FloatOrKey, E> {
        self.visit_f32(value as f32)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<FloatOrKey, E> {
        if name.contains(|it: char| "+-*/%()".contains(it)) {
            return Err(E::custom(format_args!(
                "expected {EXPECTED}: `{name}` is an expression, which only the nodes of the runtime take"
            )));
        }
        let key = Key::deserialize(name.into_deserializer());
        key.map(FloatOrKey::Key).map_err(|it: E| E::custom(format_args!("expected {EXPECTED}: {it}")))
    }
}
