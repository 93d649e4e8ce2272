//! Reads a leaf's parameters by serde into the leaf's own struct, from values that know their
//! places, so each error does too. It knows the fields of the struct, so nothing that was written
//! is ignored.

mod access;
mod sink;

use std::fmt;

use serde_core::de::{self, Deserializer, Unexpected, Visitor};
use serde_core::forward_to_deserialize_any;

use crate::float_expr::{self, FLOAT_EXPR};
use crate::literal::{self, Int};
use crate::span::Span;
use crate::suggest::{self, Advice, list, suggest, unquoted};
use crate::syntax::{self, Args, Data, Fields, List, Value};
use access::{Entries, EnumEntry, Items, NamedFields};
pub(crate) use sink::{Owner, Sink};

/// What ends the reading of one leaf's parameters.
#[derive(Debug)]
pub(crate) struct Fail {
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) help: Option<Advice>,
    pub(crate) span: Option<Span>,
    /// The missing parameter, if that is the error.
    pub(crate) missing: Option<&'static str>,
}

impl Fail {
    fn new(span: Span, message: impl Into<String>) -> Self {
        Fail { message: message.into(), help: None, span: Some(span), missing: None }
    }

    /// The innermost value that knows the error is the one to show.
    fn at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }
}

impl fmt::Display for Fail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        // A caller that wraps the error in its own words keeps the help.
        self.help.as_ref().map_or(Ok(()), |it| write!(f, ": {}", it.text))
    }
}

impl std::error::Error for Fail {}

impl de::Error for Fail {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Fail { message: message.to_string(), help: None, span: None, missing: None }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        de::Error::custom(format_args!("expected {expected}, found {found}"))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        de::Error::custom(format_args!("expected {expected}, found {found}"))
    }

    fn invalid_length(len: usize, expected: &dyn de::Expected) -> Self {
        let s = if len == 1 { "" } else { "s" };
        de::Error::custom(format_args!("expected {expected}, found {len} value{s}"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let help = suggest(variant, expected.iter().copied());
        let help = help.unwrap_or_else(|| format!("use {}", list(expected).replace(" and ", " or ")).into());
        Fail { message: format!("unknown value `{variant}`"), help: Some(help), span: None, missing: None }
    }

    fn missing_field(field: &'static str) -> Self {
        Fail { message: format!("the parameter `{field}` is missing"), help: None, span: None, missing: Some(field) }
    }
}

/// What the reader wants, in its own words: a key name is more than a string.
struct Expecting<'a, E>(&'a E);

impl<E: de::Expected> fmt::Display for Expecting<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A value to read from.
#[derive(Clone, Copy)]
pub(crate) struct De<'a> {
    pub(crate) data: Data<'a>,
    /// Where errors without a place point to.
    pub(crate) span: Span,
    /// Whether this is the whole list of parameters: the name before it is the leaf's.
    pub(crate) root: bool,
    pub(crate) sink: &'a Sink<'a>,
}

impl<'a> De<'a> {
    fn to(self, value: Value<'a>) -> Self {
        De { data: value.data(), span: value.span(), root: false, ..self }
    }

    fn wrong(self, expected: &str) -> Fail {
        let found = match self.data {
            Data::Call(_, Args::None) if self.root => "nothing".to_owned(),
            Data::Call(_, Args::Tuple(_) | Args::Named(_)) if self.root => "parameters".to_owned(),
            _ => self.data.what(),
        };
        Fail::new(self.span, format!("expected {expected}, found {found}"))
    }

    /// Help for a word where a string is wanted.
    fn unquoted(self) -> Option<Advice> {
        match self.data {
            Data::Call(Some(word), Args::None) if !self.root => unquoted(word.text),
            _ => None,
        }
    }

    fn no_number(self, expected: &str) -> Fail {
        let help = match self.data {
            Data::Text(text) if literal::parse_float(text).is_some() => Some(suggest::write(text)),
            Data::Text(_) => Some("this parameter takes no expression".into()),
            _ => None,
        };
        Fail { help, ..self.wrong(expected) }
    }

    /// The elements, if it is a list or a tuple.
    fn items(self) -> Option<List<'a>> {
        match self.data {
            Data::List(items) => Some(items),
            Data::Call(None, Args::Tuple(items)) => Some(items),
            Data::Call(_, Args::Tuple(items)) if self.root => Some(items),
            _ => None,
        }
    }

    /// Named fields, if it has any; an empty value counts as none.
    fn fields(self, name: &str) -> Option<Option<Fields<'a, 'a>>> {
        match self.data {
            Data::Call(head, args) => {
                let mine = self.root || head.is_none_or(|it| it.text == name);
                match args {
                    Args::Named(fields) if mine => Some(Some(fields)),
                    Args::Tuple(items) if mine && items.is_empty() => Some(None),
                    Args::None if mine => Some(None),
                    Args::Named(_) | Args::Tuple(_) | Args::None => None,
                }
            }
            Data::Text(_) | Data::Literal(_) | Data::List(_) | Data::Map(_) => None,
        }
    }

    fn integer<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        let result = match literal::int(self.data) {
            Some(Int::Signed(it)) => visitor.visit_i64(it),
            Some(Int::Unsigned(it)) => visitor.visit_u64(it),
            None => return Err(self.wrong("a whole number")),
        };
        result.map_err(|it: Fail| it.at(self.span))
    }

    fn seq<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        let Some(items) = self.items() else { return Err(self.wrong("a list")) };
        let mut access = Items { de: self, left: items };
        let value = visitor.visit_seq(&mut access).map_err(|it| it.at(self.span))?;
        match access.left.next() {
            Some(extra) => Err(Fail::new(extra.span(), "too many values")),
            None => Ok(value),
        }
    }

    fn unit<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        match self.data {
            Data::Call(_, Args::None) => {}
            Data::Call(_, Args::Tuple(items)) if items.is_empty() => {}
            Data::Call(_, Args::Named(fields)) if self.root => {
                for (field, _) in fields {
                    self.sink.unknown(field.span, Owner::Leaf(self.sink.owner), field.text, &[]);
                }
            }
            Data::Call(_, Args::Tuple(mut items)) if self.root => {
                let span = items.next().map_or(self.span, Value::span);
                return Err(Fail::new(span, "it takes no parameters"));
            }
            _ => return Err(self.wrong("nothing")),
        }
        visitor.visit_unit()
    }
}

impl<'de> Deserializer<'de> for De<'_> {
    type Error = Fail;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        let span = self.span;
        match self.data {
            Data::Text(text) => visitor.visit_str(text).map_err(|it: Fail| it.at(span)),
            Data::Literal(text) if text.contains('\'') => self.deserialize_char(visitor),
            Data::Literal(_) if literal::int(self.data).is_some() => self.integer(visitor),
            Data::Literal(_) => self.deserialize_f64(visitor),
            Data::List(_) => self.seq(visitor),
            Data::Map(_) => self.deserialize_map(visitor),
            Data::Call(None, Args::None) => self.unit(visitor),
            Data::Call(_, args) if self.root || matches!(self.data, Data::Call(None, _)) => match args {
                Args::None => self.deserialize_map(visitor),
                Args::Tuple(items) if items.is_empty() => self.unit(visitor),
                Args::Tuple(_) => self.seq(visitor),
                Args::Named(_) => self.deserialize_map(visitor),
            },
            Data::Call(Some(name), args) => match (name.text, args) {
                ("true" | "false", Args::None) => self.deserialize_bool(visitor),
                ("None", Args::None) => visitor.visit_none(),
                ("inf" | "NaN", Args::None) => self.deserialize_f64(visitor),
                (text, Args::None) => visitor.visit_str(text).map_err(|it: Fail| it.at(span)),
                // But for `Some` as serde's own buffer writes enums, so that untagged ones can be
                // read.
                (text, Args::Tuple(_) | Args::Named(_)) => {
                    if let (Args::Tuple(items), "Some") = (args, text)
                        && let Some(it) = items.only()
                    {
                        return visitor.visit_some(self.to(it));
                    }
                    visitor.visit_map(EnumEntry { de: self, done: false }).map_err(|it| it.at(span))
                }
            },
            Data::Call(None, _) => self.seq(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        match self.data {
            Data::Call(Some(name), Args::None) if matches!(name.text, "true" | "false") => {
                visitor.visit_bool(name.text == "true").map_err(|it: Fail| it.at(self.span))
            }
            _ => Err(self.wrong("`true` or `false`")),
        }
    }

    fn deserialize_i8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.integer(visitor)
    }

    fn deserialize_i16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.integer(visitor)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.integer(visitor)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.integer(visitor)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.integer(visitor)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.integer(visitor)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.integer(visitor)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.integer(visitor)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        match literal::float32(self.data) {
            Some(it) if it.is_finite() => visitor.visit_f32(it).map_err(|it: Fail| it.at(self.span)),
            Some(_) => Err(Fail::new(self.span, "parameters must be finite numbers")),
            None => Err(self.no_number("a number")),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        match literal::float(self.data) {
            Some(it) if it.is_finite() => visitor.visit_f64(it).map_err(|it: Fail| it.at(self.span)),
            Some(_) => Err(Fail::new(self.span, "parameters must be finite numbers")),
            None => Err(self.no_number("a number")),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        match self.data {
            Data::Literal(text) if text.starts_with('\'') => match syntax::character(text) {
                Some(it) => visitor.visit_char(it).map_err(|it: Fail| it.at(self.span)),
                None => Err(self.wrong("a character")),
            },
            _ => Err(self.wrong("a character")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        match self.data {
            Data::Text(text) => visitor.visit_str(text).map_err(|it: Fail| it.at(self.span)),
            _ => Err(Fail { help: self.unquoted(), ..self.wrong(&Expecting(&visitor).to_string()) }),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        match self.data {
            Data::Call(Some(name), Args::None) if name.text == "None" && !self.root => visitor.visit_none(),
            Data::Call(Some(name), Args::Tuple(items)) if name.text == "Some" && !self.root => match items.only() {
                Some(it) => visitor.visit_some(self.to(it)),
                None => visitor.visit_some(self),
            },
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.unit(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fail> {
        self.unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Fail> {
        if name == FLOAT_EXPR {
            return match self.data {
                Data::Text(_) => self.deserialize_str(visitor),
                _ if literal::float32(self.data).is_some() => self.deserialize_f32(visitor),
                _ => Err(Fail { help: self.unquoted(), ..self.wrong(float_expr::EXPECTED) }),
            };
        }
        let inner = match self.data {
            Data::Call(head, Args::Tuple(items)) => {
                let mine = self.root || head.is_none_or(|it| it.text == name);
                items.only().filter(|_| mine).map(|it| self.to(it))
            }
            _ => None,
        };
        visitor.visit_newtype_struct(inner.unwrap_or(self))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.seq(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fail> {
        self.seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Fail> {
        if let Data::Call(Some(head), Args::Tuple(items)) = self.data
            && head.text == name
        {
            return visitor.visit_seq(Items { de: self, left: items }).map_err(|it| it.at(self.span));
        }
        self.seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        let result = match self.data {
            Data::Map(entries) => visitor.visit_map(Entries { de: self, left: entries, value: None }),
            // Structs with a flattened part are read as maps.
            _ => match self.fields("") {
                Some(fields) => visitor.visit_map(NamedFields { de: self, left: fields, known: None, value: None }),
                None => return Err(self.wrong("a map")),
            },
        };
        result.map_err(|it| it.at(self.span))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fail> {
        if self.root {
            self.sink.takes.set(known);
        }
        if let Some(fields) = self.fields(name) {
            for (field, _) in fields.into_iter().flatten().filter(|it| !known.contains(&it.0.text)) {
                let owner = if self.root { Owner::Leaf(self.sink.owner) } else { Owner::Struct(name) };
                self.sink.unknown(field.span, owner, field.text, known);
            }
            let access = NamedFields { de: self, left: fields, known: Some(known), value: None };
            return visitor.visit_map(access).map_err(|it| it.at(self.span));
        }
        // Only the parameters of the leaf itself may go without names, as those of built-ins do.
        if self.root && self.items().is_some() {
            return self.seq(visitor);
        }
        Err(self.wrong(&format!("a struct of {}", list(known))))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fail> {
        if !matches!(self.data, Data::Call(Some(_), _)) || self.root {
            return Err(self.wrong("a name"));
        }
        visitor.visit_enum(self).map_err(|it| it.at(self.span))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { bytes byte_buf i128 u128 }
}
