//! Parameters of built-in nodes, of services and of interrupts: values of the shapes that the core
//! names.

use std::fmt;

use pleach_core::{
    Outcome,
    kinds::{FieldShape, NodeField, NodeKind},
    nodes::Policy,
};

use super::node::{built_in, first_line, name_of};
use super::{AssetReader, did_you_mean, keys};
use crate::asset::{Argument, Number, Param, Role};
use crate::code::Code;
use crate::literal;
use crate::span::Span;
use crate::suggest::{Advice, unquoted, write};
use crate::syntax::{Args, Data, Value};

impl AssetReader {
    /// A parameter's value. `owner` is a phrase for messages.
    pub(super) fn parameter<'a>(
        &mut self,
        owner: fmt::Arguments<'_>,
        field: &'static NodeField,
        value: Value<'a>,
    ) -> Option<Argument<'a>> {
        let span = first_line(value);
        let NodeField { name, shape, .. } = *field;
        match self.value(shape, value) {
            Ok(value) => Some(Argument { field, span, value }),
            Err(Wrong::Told) => None,
            Err(Wrong::Type) => {
                let near = match value.data() {
                    Data::Call(Some(word), _) if !shape.words().contains(&word.text) => {
                        self.meant(word.text, shape.words().iter().copied())
                    }
                    _ => None,
                };
                let message = format!("`{name}` of {owner} must be {}, not {}", shape.what(), value.what());
                let help = did_you_mean(near).or_else(|| child(field, value)).or_else(|| quoted(shape, value));
                self.error(Code::WrongValue, span, message).help = help;
                None
            }
            Err(Wrong::Infinite(span)) => {
                self.error(Code::WrongValue, span, format!("`{name}` of {owner} must be finite"));
                None
            }
        }
    }

    /// Reads a value of such a shape.
    fn value<'a>(&mut self, shape: FieldShape, value: Value<'a>) -> Result<Param<'a>, Wrong> {
        match shape {
            FieldShape::Number => match value.data() {
                Data::Text(expr) => Ok(Param::Text(expr)),
                _ => number(value).map(Param::Number),
            },
            FieldShape::Count => match value.data() {
                Data::Text(expr) => Ok(Param::Text(expr)),
                data => {
                    literal::unsigned(data).and_then(|it| u32::try_from(it).ok()).map(Param::Count).ok_or(Wrong::Type)
                }
            },
            FieldShape::Whole => {
                let count = literal::unsigned(value.data()).and_then(|it| u32::try_from(it).ok());
                count.filter(|it| *it > 0).map(Param::Count).ok_or(Wrong::Type)
            }
            FieldShape::Amount => number(value).map(Param::Number),
            FieldShape::Bool => keys::boolean(value).map(Param::Bool).ok_or(Wrong::Type),
            FieldShape::Text | FieldShape::Key | FieldShape::Event | FieldShape::Expr => match value.data() {
                Data::Text(text) => Ok(Param::Text(text)),
                _ => Err(Wrong::Type),
            },
            FieldShape::Outcome => match name_of(value) {
                Some("Success") => Ok(Param::Outcome(Outcome::Success)),
                Some("Failure") => Ok(Param::Outcome(Outcome::Failure)),
                _ => Err(Wrong::Type),
            },
            FieldShape::Policy => policy(value).map(Param::Policy).ok_or(Wrong::Type),
            FieldShape::Receiver | FieldShape::ChildEnd | FieldShape::Sharers | FieldShape::Ending => {
                let word = name_of(value).and_then(|name| shape.words().iter().find(|it| **it == name));
                word.map(|it| Param::Word(it)).ok_or(Wrong::Type)
            }
            FieldShape::Test => match value.data() {
                Data::Text(text) => Ok(Param::Text(text)),
                Data::Call(Some(_), _) => {
                    if let Some((kind, span)) = built_in(value) {
                        self.error(Code::Misplaced, span, format!("`{}` cannot be used as a test", kind.name())).help =
                            Some("write an expression as a string, or a condition of the host".into());
                        return Err(Wrong::Told);
                    }
                    let node = self.node_as(Role::Test, value, 1).ok_or(Wrong::Told)?;
                    Ok(Param::Leaf(node))
                }
                Data::Call(None, _) | Data::Literal(_) | Data::List(_) | Data::Map(_) => Err(Wrong::Type),
            },
            // Fields of a class of nodes are not parameters of a kind; they are read elsewhere.
            FieldShape::Abort
            | FieldShape::Services
            | FieldShape::Keys
            | FieldShape::Leaf
            | FieldShape::Node
            | FieldShape::Nodes
            | FieldShape::Scored
            | FieldShape::Weighted
            | FieldShape::Actions
            | FieldShape::Cases
            | FieldShape::Codes => Err(Wrong::Type),
        }
    }
}

/// Help for a node where the count of a `Repeat` stands.
fn child(field: &NodeField, value: Value<'_>) -> Option<Advice> {
    let Data::Call(Some(word), args) = value.data() else { return None };
    let is_count = field.name == "count" && NodeKind::Repeat.fields().contains(field);
    let is_node = !matches!(args, Args::None) || word.text.starts_with(char::is_uppercase);
    let shown = if matches!(args, Args::None) { word.text.to_owned() } else { format!("{}(..)", word.text) };
    (is_count && is_node)
        .then(|| format!("write `Repeat(forever: true, child: {shown})`, or `count: ..` instead").into())
}

/// Help for a word or a number where a string can stand.
fn quoted(shape: FieldShape, value: Value<'_>) -> Option<Advice> {
    use FieldShape::{Count, Event, Expr, Key, Number, Text};
    let takes_text = matches!(shape, Number | Count | Text | Key | Event | Expr);
    match value.data() {
        // An expression that is a number.
        Data::Literal(text) if shape == Expr => Some(write(format!("\"{text}\""))),
        Data::Literal(text) if shape == FieldShape::Policy => Some(write(format!("AtLeast({text})"))),
        Data::Call(Some(word), Args::None) if shape == Expr && ["true", "false"].contains(&word.text) => {
            Some(write(format!("\"{}\"", word.text)))
        }
        _ => name_of(value).filter(|_| takes_text).and_then(unquoted),
    }
}

/// Why a value is not of the wanted type.
enum Wrong {
    Type,
    Infinite(Span),
    /// It has been reported.
    Told,
}

fn number(value: Value<'_>) -> Result<Number<'_>, Wrong> {
    let it = literal::float(value.data()).ok_or(Wrong::Type)?;
    match value.data() {
        Data::Literal(text) if it.is_finite() => Ok(Number { text, value: it, span: value.span() }),
        _ => Err(Wrong::Infinite(value.span())),
    }
}

fn policy(value: Value<'_>) -> Option<Policy> {
    match value.data() {
        Data::Call(Some(name), Args::None) if name.text == "All" => Some(Policy::All),
        Data::Call(Some(name), Args::None) if name.text == "Any" => Some(Policy::Any),
        Data::Call(Some(name), Args::Tuple(args)) if name.text == "AtLeast" => {
            let count = literal::unsigned(args.only()?.data())?;
            Some(Policy::AtLeast(u16::try_from(count).ok()?))
        }
        _ => None,
    }
}
