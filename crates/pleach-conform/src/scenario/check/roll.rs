//! What a roll may be given (SEMANTICS 8.28).

use super::{Checked, Checker, Problem, error, same_type, value_error};
use crate::scenario::ValueType;

impl Checker<'_> {
    pub(super) fn roll(&self, at: &str, key: &str, from: &str, to: &str) -> Checked {
        let declared = self.key(&format!("{at}.key"), key)?.default.value_type();
        if !declared.is_number() {
            return Err(error(format!("{at}.key"), Problem::Type { must: "a number", is: declared.name() }));
        }
        for (field, text) in [("from", from), ("to", to)] {
            let at = format!("{at}.{field}");
            if declared == ValueType::Int {
                same_type(&at, ValueType::Int, self.expr(&at, text)?)?;
            }
            self.number(&at, text)?;
        }
        // The interpreter also evaluates constants that are more than literals.
        let crossed = match (from.parse::<i64>(), to.parse::<i64>()) {
            (Ok(from), Ok(to)) => to < from,
            _ => matches!((from.parse::<f64>(), to.parse::<f64>()), (Ok(from), Ok(to)) if to < from),
        };
        if crossed { Err(value_error(format!("{at}.to"), format!("{to} is below {from}"))) } else { Ok(()) }
    }
}
