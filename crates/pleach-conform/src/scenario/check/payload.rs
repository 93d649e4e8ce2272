//! Checks the payloads of events.

use super::{Checked, value_error};
use crate::scenario::ValueType;

pub(super) fn comes_with(at: &str, declared: Option<ValueType>, found: Option<ValueType>) -> Checked {
    let name = |it: Option<ValueType>| it.map_or("no payload", ValueType::name);
    if declared == found {
        return Ok(());
    }
    Err(value_error(at, format!("the event comes with {}, not with {}", name(declared), name(found))))
}
