//! `allow`: which warnings a file or a node silences.

use super::AssetReader;
use crate::code::{Code, Severity};
use crate::span::Word;
use crate::suggest::{Advice, Edit, suggest};
use crate::syntax::{Data, Value};

impl AssetReader {
    /// The codes of a list, each of which is a warning.
    pub(super) fn allow<'a>(&mut self, field: Word<'_>, value: Value<'a>) -> Vec<Word<'a>> {
        let Data::List(items) = value.data() else {
            let message = format!("`{}` must be a list of codes, not {}", field.text, value.what());
            let help = match value.data() {
                Data::Text(code) => {
                    let list = format!("[{code:?}]");
                    Advice::from(format!("write `{list}`")).edit(Edit::Instead(list))
                }
                _ => "write `allow: [\"P1006\"]`".into(),
            };
            self.error(Code::WrongValue, super::node::first_line(value), message).help = Some(help);
            return Vec::new();
        };
        items.filter_map(|it| self.code(it)).collect()
    }

    fn code<'a>(&mut self, value: Value<'a>) -> Option<Word<'a>> {
        let span = value.span();
        let Data::Text(text) = value.data() else {
            self.error(Code::WrongValue, span, format!("a code must be a string, not {}", value.what()));
            return None;
        };
        match Code::of(text) {
            Some(code) if code.severity() == Severity::Warning => return Some(Word { text, span }),
            Some(_) => {
                self.error(Code::BadAllow, span, format!("`{text}` is an error: only warnings can be allowed")).help =
                    Some("mend the error; `pleach explain` says how".into());
            }
            None => {
                let warnings = Code::ALL.iter().filter(|it| it.severity() == Severity::Warning);
                let help = suggest(text, warnings.map(|it| it.number()));
                self.error(Code::BadAllow, span, format!("unknown code `{text}`")).help =
                    Some(help.unwrap_or_else(|| "the code of a warning stands in its report: `warning[P1006]`".into()));
            }
        }
        None
    }
}
