//! Types of leaf parameters. Bad values are refused when the asset is loaded.

use pleach::{FloatOrKey, Key};
use serde::Deserialize;

use crate::host::Cx;

/// A number of metres, seconds or points: finite and not negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "f32")]
pub(super) struct Positive(pub(super) f32);

impl TryFrom<f32> for Positive {
    type Error = String;
    fn try_from(value: f32) -> Result<Self, String> {
        if value.is_finite() && value >= 0.0 {
            Ok(Positive(value))
        } else {
            Err(format!("{value} must be a finite number and not negative"))
        }
    }
}

/// A [`Positive`], or the name of a `Float` key that holds it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "FloatOrKey")]
pub(super) enum Amount {
    Fixed(Positive),
    Key(Key<f32>),
}

impl Amount {
    /// The amount now. A key with a negative or non-finite value counts as 0.
    pub(super) fn of(self, cx: &Cx<'_, '_>) -> f32 {
        match self {
            Amount::Fixed(amount) => amount.0,
            Amount::Key(key) => Positive::try_from(cx.get(key)).map_or(0.0, |amount| amount.0),
        }
    }
}

impl TryFrom<FloatOrKey> for Amount {
    type Error = String;
    fn try_from(value: FloatOrKey) -> Result<Self, String> {
        match value {
            FloatOrKey::Float(value) => Positive::try_from(value).map(Amount::Fixed),
            FloatOrKey::Key(key) => Ok(Amount::Key(key)),
        }
    }
}
