//! Types of leaf parameters that refuse nonsense when the asset is loaded, so that no tick has to.

use std::fmt;

use pleach::Key;
use serde::de::{self, Deserialize, Deserializer, IntoDeserializer, Visitor};

use crate::host::Cx;

/// A number of metres, seconds or points: finite and not negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Deserialize)]
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
#[derive(Clone, Copy, Debug)]
pub(super) enum Amount {
    Fixed(Positive),
    Key(Key<f32>),
}

impl Amount {
    /// The amount now; what a key holds that is no amount counts as 0.
    pub(super) fn of(self, cx: &Cx<'_, '_>) -> f32 {
        match self {
            Amount::Fixed(amount) => amount.0,
            Amount::Key(key) => Positive::try_from(cx.get(key)).map_or(0.0, |amount| amount.0),
        }
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrKey;
        impl Visitor<'_> for NumberOrKey {
            type Value = Amount;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or the name of a Float key in quotes")
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Amount, E> {
                #[expect(clippy::cast_possible_truncation, reason = "the nearest f32 is what is meant")]
                Positive::try_from(value as f32).map(Amount::Fixed).map_err(E::custom)
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Amount, E> {
                self.visit_f64(value as f64)
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Amount, E> {
                self.visit_f64(value as f64)
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Amount, E> {
                Key::deserialize(name.into_deserializer()).map(Amount::Key)
            }
        }
        deserializer.deserialize_any(NumberOrKey)
    }
}
