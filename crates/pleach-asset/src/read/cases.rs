//! The cases of a switch: `{ "idle": Idle, "alert": Fight }`, `{ 1: .., 2: .. }`, `{ true: .. }`.

use pleach_core::nodes::Case;

use super::node::first_line;
use super::{AssetReader, first, keys};
use crate::asset::CaseEntry;
use crate::code::Code;
use crate::literal;
use crate::suggest::unquoted;
use crate::syntax::{Data, Value};

impl AssetReader {
    /// The children of a switch without its default; records for which values they are.
    pub(super) fn cases<'a>(&mut self, value: Value<'a>, cases: &mut Vec<CaseEntry>) -> Vec<Value<'a>> {
        let Data::Map(entries) = value.data() else {
            let message = format!("`cases` must be a map from values to nodes, not {}", value.what());
            self.error(Code::WrongValue, first(value.span()), message).help =
                Some("write `cases: { \"word\": .., \"other\": .. }`".into());
            return Vec::new();
        };
        let mut children = Vec::new();
        for (key, child) in entries.entries() {
            let value = match (key.data(), keys::boolean(key), literal::signed(key.data())) {
                (Data::Text(word), ..) => Case::Word(word.to_string()),
                (_, Some(it), _) => Case::Bool(it),
                (_, _, Some(it)) => Case::Int(it),
                _ => {
                    let message = format!("a case must be a string, a whole number or a bool, not {}", key.what());
                    let help = match key.data() {
                        Data::Call(Some(word), _) => unquoted(word.text),
                        _ => None,
                    };
                    self.error(Code::WrongValue, first_line(key), message).help = help;
                    continue;
                }
            };
            cases.push(CaseEntry { value, span: key.span() });
            children.push(child);
        }
        children
    }
}
