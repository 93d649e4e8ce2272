//! Types of leaf parameters. Bad values are refused when the asset is loaded.

use pleach::FloatExpr;
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

/// A [`Positive`], or an expression that gives it.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "FloatExpr")]
pub(super) struct Amount(FloatExpr);

impl Amount {
    /// The amount now. An expression that gives less than 0, or nothing finite, counts as 0.
    pub(super) fn of(&self, cx: &Cx<'_, '_>) -> f32 {
        Positive::try_from(self.0.get(cx)).map_or(0.0, |amount| amount.0)
    }
}

impl TryFrom<FloatExpr> for Amount {
    type Error = String;
    fn try_from(value: FloatExpr) -> Result<Self, String> {
        value.literal().map(Positive::try_from).transpose()?;
        Ok(Amount(value))
    }
}
