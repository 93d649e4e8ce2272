//! Values without names.

use pleach_core::kinds::{Arity, NodeKind};

use super::{AssetReader, first, list};
use crate::code::Code;
use crate::kind;
use crate::syntax::{Data, Value};

impl AssetReader {
    /// Reports a value after those of a node that need no names.
    pub(super) fn too_many(&mut self, kind: NodeKind, more: Value<'_>) {
        let span = first(more.span());
        let names: Vec<&str> = kind::positional(kind).collect();
        if names.is_empty() {
            let name = kind.name();
            let help = match more.data() {
                Data::Text(text) => Some(format!("to give it a name, write `{name}(name: {text:?})`").into()),
                _ => None,
            };
            self.error(Code::Nameless, span, format!("`{name}` takes no values")).help = help;
        } else {
            let named = kind.fields().iter().find(|it| !names.contains(&it.name));
            let wrapped = "to give it several children, wrap them in one: `Sequence([..])`";
            let help = match (kind.arity(), more.data()) {
                (Arity::Decorator, Data::Call(Some(_), _)) => match named {
                    Some(field) => {
                        format!("write the names of other fields, as in `{}: ..`; {wrapped}", field.name).into()
                    }
                    None => wrapped.into(),
                },
                _ => "to give other fields, write their names".into(),
            };
            self.error(
                Code::Nameless,
                span,
                format!("without field names, `{}` takes only {}", kind.name(), list(&names)),
            )
            .help = Some(help);
        }
    }
}
