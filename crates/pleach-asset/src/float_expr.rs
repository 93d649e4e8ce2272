//! [`FloatExpr`]: a parameter that can be tuned in the asset or worked out from the blackboard.

use std::fmt;

use pleach_core::expr::{Expr, ExprError, ExprErrorKind, KeyIndex};
use pleach_core::{AgentContext, Key, Observes, Type, schema::NodeKeys};
use serde_core::de::{self, Deserialize, Deserializer, Visitor};

/// A leaf's parameter that is a number, or an expression over the blackboard that gives one:
/// `speed: 5.0`, `speed: "pace"` or `speed: "pace * 2"`. The expression gives a Float or an Int,
/// and reads the keys that its node sees. It is compiled when the tree is loaded, and what is wrong
/// with it is a problem there.
///
/// Functions with `#[leaf]` take it by `&`.
///
/// ```
/// # mod pleach {
/// #     pub use pleach_asset::{FloatExpr, Registry, load_str};
/// #     pub use pleach_core::{Action, Context, Host, Status};
/// # }
/// use pleach::{Action, Context, FloatExpr, Host, Registry, Status, load_str};
/// use serde::Deserialize;
///
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = ();
/// # }
/// #[derive(Deserialize)]
/// struct Flee {
///     speed: FloatExpr,
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
/// assert!(tree("5").is_ok() && tree("\"pace\"").is_ok() && tree("\"min(pace * 2, 5)\"").is_ok());
/// let report = tree("\"fast\"").unwrap_err();
/// assert_eq!(
///     report.diagnostics()[0].message(),
///     "`speed` of `Flee`: unknown key `fast`"
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FloatExpr(Source);

#[derive(Clone, Debug)]
enum Source {
    Literal(f32),
    Key(Key<f32>),
    Expr(Box<Expr>),
}

/// What stands for it when serde asks for a value: parameters are read with better words for what
/// is neither.
pub(crate) const FLOAT_EXPR: &str = "pleach::FloatExpr";

/// For messages.
pub(crate) const EXPECTED: &str = "a number, or an expression that gives one";

impl FloatExpr {
    /// The number now. `cx` is a context, or the part of one that
    /// [`Context::split`](pleach_core::Context::split) lends. An expression can give any number,
    /// NaN included. Allocates nothing.
    ///
    /// # Panics
    /// If it is of another tree and a key that it reads is not in this one, as
    /// [`AgentContext::get`] does; parameters out of assets are never of another tree.
    #[must_use]
    pub fn get<'a>(&self, cx: &impl AsRef<AgentContext<'a>>) -> f32 {
        match &self.0 {
            Source::Literal(it) => *it,
            Source::Key(key) => cx.as_ref().get(*key),
            Source::Expr(expr) => expr.eval_float(cx.as_ref()),
        }
    }

    /// The number, if it is a literal.
    #[must_use]
    pub fn literal(&self) -> Option<f32> {
        if let Source::Literal(it) = self.0 { Some(it) } else { None }
    }

    /// What a condition observes if its answer depends on this alone: the keys that it reads, of
    /// any scope. If it reads `time` or `now`, the condition is asked every tick.
    #[must_use]
    pub fn observes(&self) -> Observes {
        let mut keys = Vec::new();
        if self.observe(&mut keys) { Observes::Keys(keys) } else { Observes::EveryTick }
    }

    /// Adds the keys that it reads. `false` if it depends on something else as well.
    pub(crate) fn observe(&self, keys: &mut Vec<KeyIndex>) -> bool {
        match &self.0 {
            Source::Literal(_) => true,
            Source::Key(key) => {
                keys.push(key.index());
                true
            }
            Source::Expr(expr) => {
                keys.extend(expr.keys());
                !expr.reads_clock()
            }
        }
    }
}

/// For defaults of parameters.
impl From<f32> for FloatExpr {
    fn from(it: f32) -> Self {
        FloatExpr(Source::Literal(it))
    }
}

impl From<Key<f32>> for FloatExpr {
    fn from(it: Key<f32>) -> Self {
        FloatExpr(Source::Key(it))
    }
}

impl<'de> Deserialize<'de> for FloatExpr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(FLOAT_EXPR, NumberOrExpr)
    }
}

struct NumberOrExpr;

impl<'de> Visitor<'de> for NumberOrExpr {
    type Value = FloatExpr;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }

    /// From other formats than assets.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<FloatExpr, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_f32<E: de::Error>(self, value: f32) -> Result<FloatExpr, E> {
        if value.is_finite() { Ok(FloatExpr::from(value)) } else { Err(E::custom("numbers must be finite")) }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the nearest f32 is what is meant, and what is too large is seen"
    )]
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<FloatExpr, E> {
        self.visit_f32(value as f32)
    }

    #[expect(clippy::cast_precision_loss, reason = "the nearest f32 is what is meant")]
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<FloatExpr, E> {
        self.visit_f32(value as f32)
    }

    #[expect(clippy::cast_precision_loss, reason = "the nearest f32 is what is meant")]
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<FloatExpr, E> {
        self.visit_f32(value as f32)
    }

    fn visit_str<E: de::Error>(self, source: &str) -> Result<FloatExpr, E> {
        // The type of the whole, if that is what is wrong.
        let mut gives = None;
        let found = NodeKeys::lent(|keys| -> Result<FloatExpr, ExprError> {
            if let Ok(key) = keys.key::<f32>(source) {
                return Ok(key.into());
            }
            // Of several errors the first: a deserializer tells of one.
            let expr = keys.expr(source, Some(Type::Float)).map_err(|errors| {
                let error = errors.into_iter().next().expect("some");
                if let ExprErrorKind::Mismatch { expected: Type::Float, found } = error.kind {
                    gives = Some(found).filter(|_| source[error.span.clone()] == *source.trim());
                }
                error
            })?;
            Ok(FloatExpr(Source::Expr(Box::new(expr))))
        });
        found.map_err(|it: String| match gives {
            Some(found) => E::custom(format_args!("the expression gives {found}, not a number")),
            None => E::custom(it),
        })
    }
}
