//! Children with a value beside each: `[(score: "hunger", child: ..), ..]`.

use pleach_core::kinds::{FieldDefault, NodeField};

use super::AssetReader;
use super::node::{Room, first_line};
use crate::asset::{Argument, BuiltIn, Number, Param};
use crate::code::Code;
use crate::span::{Span, Word};
use crate::syntax::{Data, List, Value};

impl AssetReader {
    /// The children. Their values become an argument of the node, with one item per child; none if
    /// no child has a value.
    pub(super) fn entries<'a>(
        &mut self,
        own: &mut BuiltIn<'a>,
        field: &'static NodeField,
        items: List<'a>,
    ) -> Vec<(Value<'a>, Room)> {
        let with_values = field.is_required() || items.clone().any(|it| matches!(it.data(), Data::Call(None, _)));
        if !with_values {
            return items.map(|it| (it, Room::List)).collect();
        }
        let kind = own.kind.name();
        let (mut texts, mut numbers, mut children) = (Vec::new(), Vec::new(), Vec::new());
        for item in items {
            let (value, child) = match (item.data(), field.default) {
                (Data::Call(Some(_), _), FieldDefault::Value(text)) => {
                    numbers.push(Number { text, value: text.parse().unwrap_or_default(), span: first_line(item) });
                    children.push((item, Room::With(field.name)));
                    continue;
                }
                (Data::Call(Some(node), _), _) => {
                    let message = format!("a child of `{kind}` needs a `{}`", field.name);
                    self.error(Code::MissingField, node.span, message).help =
                        Some(format!("write `({}: \"..\", child: {}(..))`", field.name, node.text).into());
                    // Problems below it are reported all the same.
                    children.push((item, Room::One));
                    continue;
                }
                _ => match self.pair(item, "entry of `children`", [field.name, "child"], None) {
                    Some(([value, child], _)) => (value, child),
                    None => continue,
                },
            };
            children.push((child, Room::One));
            let span = first_line(value);
            match self.parameter(format_args!("a child of `{kind}`"), field, value).map(|it| it.value) {
                Some(Param::Text(text)) => texts.push(Word { text, span }),
                Some(Param::Number(it)) => numbers.push(it),
                _ => {}
            }
        }
        let value = if numbers.is_empty() { Param::Texts(texts) } else { Param::Numbers(numbers) };
        own.fields.push(Argument { field, span: Span::default(), value });
        children
    }
}
