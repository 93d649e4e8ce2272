//! From text to values with spans, by way of the `ron` crate.
//!
//! `ron` hands out no positions, loses the names of variants when it does not know the type, and has to be told what to
//! expect. But identifiers and raw values that it hands out borrow the source, and so their address is their position;
//! between two of those there is nothing but white space, comments and punctuation. So one look ahead at the character
//! where the next value begins tells what to ask `ron` for. Should a look-ahead ever be wrong, then `ron` reports a
//! syntax error where there is none, and nothing worse.

use std::cell::{Cell, RefCell};
use std::fmt;

use ron::value::RawValue;
use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

use crate::report::Finding;
use crate::scan;
use crate::span::{Span, Word};

/// The most values in one source: a bound for the memory that a hostile one can take.
const MAX_VALUES: usize = 1 << 21;

/// A RON value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    pub(crate) span: Span,
    pub(crate) data: Data,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    /// A string, without quotes and escapes.
    Text(Box<str>),
    /// A number, character or byte string, as it is written.
    Literal(Box<str>),
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
    /// What may have a name and parentheses: `true`, `Wait(2.0)`, `(a: 1)`, `()`.
    Call(Option<Word>, Args),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Args {
    None,
    Tuple(Vec<Value>),
    Named(Vec<(Word, Value)>),
}

impl Value {
    /// What this is, for messages: "a string".
    pub(crate) fn what(&self) -> String {
        match &self.data {
            Data::Text(_) => "a string".into(),
            Data::Literal(text) if text.contains('\'') => "a character".into(),
            Data::Literal(text) if text.contains('"') => "a byte string".into(),
            Data::Literal(text) => format!("the number {text}"),
            Data::List(_) => "a list".into(),
            Data::Map(_) => "a map".into(),
            Data::Call(None, Args::Tuple(_) | Args::None) => "a tuple".into(),
            Data::Call(None, Args::Named(_)) => "a struct".into(),
            Data::Call(Some(name), Args::None) => format!("`{}`", name.text),
            Data::Call(Some(name), Args::Tuple(_) | Args::Named(_)) => format!("`{}(..)`", name.text),
        }
    }
}

/// Reads one value, which is all that the source holds.
pub(crate) fn read(source: &str) -> Result<Value, Finding> {
    if source.len() > scan::MAX_SOURCE {
        let message = format!("{} bytes are too many for one file: at most {}", source.len(), scan::MAX_SOURCE);
        return Err(Finding::error(Span::new(0, 0), message));
    }
    scan::brackets(source)?;
    let options = ron::Options::default().without_recursion_limit();
    let start = scan::start(source);
    let mut ron = match ron::Deserializer::from_str_with_options(&source[start..], &options) {
        Ok(it) => it,
        Err(error) => {
            return Err(Finding::error(Span::new(start, start + 1), lower(&error.code)));
        }
    };
    let cursor = Cursor {
        source,
        at: Cell::new(source.len() - ron.remainder().len()),
        values: Cell::new(0),
        stack: RefCell::default(),
    };
    match ValueSeed(&cursor).deserialize(&mut ron).and_then(|()| ron.end()) {
        Ok(()) => Ok(cursor.pop()),
        Err(error) => Err(syntax_error(source, source.len() - ron.remainder().len(), &error)),
    }
}

fn lower(error: &ron::Error) -> String {
    let text = error.to_string();
    let mut chars = text.chars();
    chars.next().map(|it| it.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

fn syntax_error(source: &str, stopped: usize, error: &ron::Error) -> Finding {
    use ron::Error as E;
    let at = scan::skip(source, stopped, &[]);
    let rest = &source[at..];
    let word = rest.len() - rest.trim_start_matches(|it: char| it.is_alphanumeric() || it == '_').len();
    let length = word.max(rest.chars().next().map_or(0, char::len_utf8));
    let span = Span::new(at, at + length);
    let found = match &rest[..length] {
        "" => "the end of the file".to_owned(),
        it if it.contains(char::is_control) => format!("`{}`", it.escape_debug()),
        it => format!("`{it}`"),
    };
    let expected = match error {
        E::ExpectedComma if found == "`:`" => {
            return Finding::error(span, "a parameter with a name after one without")
                .help("write all of them with their names, as in `Wait(seconds: 2.0, name: \"rest\")`");
        }
        // Brackets have been matched before, so it is not a closing one that is missing.
        E::ExpectedComma | E::ExpectedStructLikeEnd | E::ExpectedArrayEnd | E::ExpectedMapEnd => "`,`",
        E::ExpectedMapColon => "`:` and a value",
        E::ExpectedIdentifier => "a name",
        E::ExpectedStructLike | E::ExpectedNamedStructLike(_) => "`(`",
        E::Eof => "a value",
        E::TrailingCharacters => "nothing more after the tree",
        E::UnexpectedChar(_) if !found.starts_with("`/") => "a value",
        other => {
            // These stop within or after what they are about: show the character before.
            let before = source[..stopped].chars().next_back().map_or(0, char::len_utf8);
            return Finding::error(Span::new(stopped - before, stopped), lower(other));
        }
    };
    Finding::error(span, format!("expected {expected}, found {found}"))
}

/// How far the source has been read.
struct Cursor<'s> {
    source: &'s str,
    at: Cell<usize>,
    values: Cell<usize>,
    /// What has been read and not yet become a part of something.
    stack: RefCell<Vec<Value>>,
}

impl<'s> Cursor<'s> {
    /// Where the next value begins.
    fn next(&self) -> usize {
        scan::skip(self.source, self.at.get(), &[',', ':'])
    }

    /// Steps over the bracket at `at`.
    fn open(&self, at: usize) {
        self.at.set(at + 1);
    }

    /// Steps over the closing bracket of what began at `start`, and puts it on the stack.
    fn push(&self, start: usize, data: Data) {
        let end = (self.next() + 1).min(self.source.len());
        self.at.set(end);
        self.stack.borrow_mut().push(Value { span: Span::new(start, end), data });
    }

    fn pop(&self) -> Value {
        self.stack.borrow_mut().pop().expect("each seed leaves one value")
    }

    /// The position of a part of the source.
    fn place(&self, part: &'s str) -> usize {
        let at = (part.as_ptr() as usize).wrapping_sub(self.source.as_ptr() as usize);
        if at <= self.source.len() { at } else { self.at.get() }
    }

    fn word(&self, text: &'s str) -> Word {
        let start = self.place(text);
        self.at.set((start + text.len()).min(self.source.len()));
        Word { text: text.into(), span: Span::new(start, start + text.len()) }
    }

    fn count<E: de::Error>(&self) -> Result<(), E> {
        self.values.set(self.values.get() + 1);
        if self.values.get() > MAX_VALUES {
            return Err(E::custom(format_args!("more than {MAX_VALUES} values in one file")));
        }
        Ok(())
    }
}

/// Reads one value and puts it on the cursor's stack: values would pass through so many frames of `ron` that, without
/// optimisation, they would more than double the stack that a level of nesting takes. For the same reason each sort of
/// value has a function of its own.
#[derive(Clone, Copy)]
struct ValueSeed<'a, 's>(&'a Cursor<'s>);

impl<'de> DeserializeSeed<'de> for ValueSeed<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<(), D::Error> {
        self.0.count()?;
        let start = self.0.next();
        match self.0.source.as_bytes().get(start) {
            Some(b'[') => self.list(start, de),
            Some(b'{') => self.map(start, de),
            Some(b'(') if scan::named(self.0.source, scan::skip(self.0.source, start + 1, &[])) => {
                self.fields(start, de)
            }
            Some(b'(') => self.tuple(start, de),
            _ if begins_word(&self.0.source[start..]) => de.deserialize_enum("", &[], CallVisitor(self.0)),
            _ => self.literal(start, de),
        }
    }
}

impl<'de> ValueSeed<'_, 'de> {
    fn list<D: Deserializer<'de>>(self, start: usize, de: D) -> Result<(), D::Error> {
        self.0.open(start);
        let list = de.deserialize_seq(ListVisitor(self.0))?;
        self.0.push(start, Data::List(list));
        Ok(())
    }

    fn map<D: Deserializer<'de>>(self, start: usize, de: D) -> Result<(), D::Error> {
        self.0.open(start);
        let map = de.deserialize_map(MapVisitor(self.0))?;
        self.0.push(start, Data::Map(map));
        Ok(())
    }

    fn fields<D: Deserializer<'de>>(self, start: usize, de: D) -> Result<(), D::Error> {
        self.0.open(start);
        let fields = de.deserialize_struct("", &[], FieldsVisitor(self.0))?;
        self.0.push(start, Data::Call(None, Args::Named(fields)));
        Ok(())
    }

    fn tuple<D: Deserializer<'de>>(self, start: usize, de: D) -> Result<(), D::Error> {
        self.0.open(start);
        let tuple = de.deserialize_tuple(0, ListVisitor(self.0))?;
        self.0.push(start, Data::Call(None, Args::Tuple(tuple)));
        Ok(())
    }

    fn literal<D: Deserializer<'de>>(self, start: usize, de: D) -> Result<(), D::Error> {
        let cursor = self.0;
        let raw = <&RawValue>::deserialize(de)?.get_ron();
        let end = (cursor.place(raw) + raw.len()).min(cursor.source.len());
        let span = Span::new(start, scan::literal_end(cursor.source, start).min(end));
        cursor.at.set(end);
        let data = literal(cursor.source, span)?;
        cursor.stack.borrow_mut().push(Value { span, data });
        Ok(())
    }
}

/// Whether a value begins with an identifier, rather than with a string that has a prefix.
fn begins_word(rest: &str) -> bool {
    let strings = ["b\"", "b'", "br\"", "br#", "r\"", "r#\"", "r##"];
    let first = rest.chars().next();
    first.is_some_and(|it| it == '_' || it.is_alphabetic()) && !strings.iter().any(|it| rest.starts_with(it))
}

fn literal<E: de::Error>(source: &str, span: Span) -> Result<Data, E> {
    let text = source.get(span.start()..span.end()).unwrap_or_default();
    let plain = text.strip_prefix('"').and_then(|it| it.strip_suffix('"')).filter(|it| !it.contains('\\'));
    if let Some(plain) = plain {
        return Ok(Data::Text(plain.into()));
    }
    if text.starts_with(['"', 'r']) {
        return ron::from_str::<String>(text).map(|it| Data::Text(it.into())).map_err(E::custom);
    }
    Ok(Data::Literal(text.into()))
}

struct ListVisitor<'a, 's>(&'a Cursor<'s>);

impl<'de> Visitor<'de> for ListVisitor<'_, 'de> {
    type Value = Vec<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(()) = seq.next_element_seed(ValueSeed(self.0))? {
            list.push(self.0.pop());
        }
        Ok(list)
    }
}

struct MapVisitor<'a, 's>(&'a Cursor<'s>);

impl<'de> Visitor<'de> for MapVisitor<'_, 'de> {
    type Value = Vec<(Value, Value)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(()) = map.next_key_seed(ValueSeed(self.0))? {
            map.next_value_seed(ValueSeed(self.0))?;
            let value = self.0.pop();
            entries.push((self.0.pop(), value));
        }
        Ok(entries)
    }
}

struct FieldsVisitor<'a, 's>(&'a Cursor<'s>);

impl<'de> Visitor<'de> for FieldsVisitor<'_, 'de> {
    type Value = Vec<(Word, Value)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("named fields")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(name) = map.next_key_seed(WordSeed(self.0))? {
            map.next_value_seed(ValueSeed(self.0))?;
            fields.push((name, self.0.pop()));
        }
        Ok(fields)
    }
}

struct WordSeed<'a, 's>(&'a Cursor<'s>);

impl<'de> DeserializeSeed<'de> for WordSeed<'_, 'de> {
    type Value = Word;

    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<Word, D::Error> {
        de.deserialize_identifier(self)
    }
}

impl<'de> Visitor<'de> for WordSeed<'_, 'de> {
    type Value = Word;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Word, E> {
        Ok(self.0.word(text))
    }
}

/// A name and what follows it.
struct CallVisitor<'a, 's>(&'a Cursor<'s>);

impl<'de> Visitor<'de> for CallVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<(), A::Error> {
        let cursor = self.0;
        let (word, content) = access.variant_seed(WordSeed(cursor))?;
        let next = scan::skip(cursor.source, cursor.at.get(), &[]);
        if !cursor.source[next..].starts_with('(') {
            let value = Value { span: word.span, data: Data::Call(Some(word), Args::None) };
            cursor.stack.borrow_mut().push(value);
            return content.unit_variant();
        }
        cursor.open(next);
        let start = word.span.start();
        let args = if scan::named(cursor.source, scan::skip(cursor.source, next + 1, &[])) {
            Args::Named(content.struct_variant(&[], FieldsVisitor(cursor))?)
        } else {
            Args::Tuple(content.tuple_variant(0, ListVisitor(cursor))?)
        };
        cursor.push(start, Data::Call(Some(word), args));
        Ok(())
    }
}
