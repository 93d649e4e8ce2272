//! From text to values with spans.
//!
//! Words, numbers and strings are read by the `ron` crate, so that they are what they are
//! everywhere in RON; one that it hands out raw borrows the source, and so its length says where it
//! ends. But the crate hands out no positions, loses the names of variants when it does not know
//! the type, and recurses into whatever is in brackets. What is in which bracket is therefore found
//! here, on a stack of our own.
//!
//! The crate takes long for each word. Those that can only mean one thing are read here: ASCII
//! words, strings without escapes, numbers of few digits. Most are. A test has `ron` as the judge.

use std::fmt;

use ron::value::RawValue;
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use crate::report::Finding;
use crate::scan;
use crate::span::{self, Span, Word};

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

impl Args {
    /// How deep brackets stand inside each other, those of the arguments included.
    pub(crate) fn nesting(&self) -> usize {
        fn push<'a>(args: &'a Args, level: usize, waiting: &mut Vec<(usize, &'a Value)>) {
            match args {
                Args::None => {}
                Args::Tuple(values) => waiting.extend(values.iter().map(|it| (level, it))),
                Args::Named(fields) => waiting.extend(fields.iter().map(|it| (level, &it.1))),
            }
        }
        let mut waiting = Vec::new();
        push(self, 2, &mut waiting);
        let mut deepest = 1;
        while let Some((level, value)) = waiting.pop() {
            match &value.data {
                Data::Text(_) | Data::Literal(_) | Data::Call(_, Args::None) => continue,
                Data::List(items) => waiting.extend(items.iter().map(|it| (level + 1, it))),
                Data::Map(entries) => {
                    waiting.extend(entries.iter().flat_map(|it| [(level + 1, &it.0), (level + 1, &it.1)]))
                }
                Data::Call(_, args) => push(args, level + 1, &mut waiting),
            }
            deepest = deepest.max(level);
        }
        deepest
    }
}

/// Reads one value, which is all that the source holds.
pub(crate) fn read(source: &str) -> Result<Value, Finding> {
    if source.len() > scan::MAX_SOURCE {
        let message = format!("{} bytes are too many for one file: at most {}", source.len(), scan::MAX_SOURCE);
        return Err(Finding::error(Span::new(0, 0), message));
    }
    scan::brackets(source)?;
    let start = span::start(source);
    // It reads what may stand before the value: comments, and which extensions are on.
    let at = match ron::Deserializer::from_str(&source[start..]) {
        Ok(it) => source.len() - it.remainder().len(),
        Err(error) => {
            return Err(Finding::error(Span::new(start, start + 1), lower(&error.code)));
        }
    };
    let mut reader = Reader { source, at, values: 0 };
    let value = reader.whole()?;
    match reader.next() {
        Some(_) => Err(reader.expected("nothing more after the tree")),
        None => Ok(value),
    }
}

fn lower(error: &ron::Error) -> String {
    let text = error.to_string();
    let mut chars = text.chars();
    chars.next().map(|it| it.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// How far the source has been read.
struct Reader<'s> {
    source: &'s str,
    at: usize,
    values: usize,
}

/// A bracket that is open, and what has been read in it.
struct Open {
    start: usize,
    name: Option<Word>,
    sort: Sort,
    /// Of a map its keys and values in turn.
    values: Vec<Value>,
    /// The name of each value, if they have names.
    names: Vec<Word>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    List,
    Map,
    Tuple,
    Named,
}

enum Begun {
    Value(Value),
    Open(Open),
}

impl Open {
    fn closing(&self) -> char {
        match self.sort {
            Sort::List => ']',
            Sort::Map => '}',
            Sort::Tuple | Sort::Named => ')',
        }
    }

    /// Whether the value of a key comes next.
    fn is_after_key(&self) -> bool {
        self.sort == Sort::Map && self.values.len() % 2 == 1
    }

    fn value(self, end: usize) -> Value {
        let Open { start, name, sort, values, names } = self;
        let data = match sort {
            Sort::List => Data::List(values),
            Sort::Tuple => Data::Call(name, Args::Tuple(values)),
            Sort::Named => Data::Call(name, Args::Named(names.into_iter().zip(values).collect())),
            Sort::Map => {
                let mut entries = Vec::with_capacity(values.len() / 2);
                let mut values = values.into_iter();
                while let (Some(key), Some(value)) = (values.next(), values.next()) {
                    entries.push((key, value));
                }
                Data::Map(entries)
            }
        };
        Value { span: Span::new(start, end), data }
    }
}

impl<'s> Reader<'s> {
    /// A value with all that is in it.
    fn whole(&mut self) -> Result<Value, Finding> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut done = match self.begin()? {
                Begun::Value(it) => Some(it),
                Begun::Open(it) => {
                    open.push(it);
                    None
                }
            };
            // What is done may be the last in its bracket, which is done then, and so on.
            while let Some(top) = open.last_mut() {
                if let Some(value) = done.take() {
                    top.values.push(value);
                    self.separator(top)?;
                }
                if self.next() != Some(top.closing()) || top.is_after_key() {
                    if top.sort == Sort::Named {
                        top.names.push(self.word()?);
                        self.colon()?;
                    }
                    break;
                }
                self.at += 1;
                done = open.pop().map(|it| it.value(self.at));
            }
            if let Some(value) = done {
                return Ok(value);
            }
        }
    }

    /// What begins here.
    fn begin(&mut self) -> Result<Begun, Finding> {
        let next = self.next();
        let start = self.at;
        self.values += 1;
        if self.values > MAX_VALUES {
            let message = format!("more than {MAX_VALUES} values in one file");
            return Err(Finding::error(Span::new(start, start + next.map_or(0, char::len_utf8)), message));
        }
        let sort = match next {
            Some('[') => Sort::List,
            Some('{') => Sort::Map,
            Some('(') => self.in_parentheses(),
            _ if begins_word(&self.source[start..]) => {
                let word = self.word()?;
                if self.next() == Some('(') {
                    let sort = self.in_parentheses();
                    return Ok(Begun::Open(self.open(word.span.start(), Some(word), sort)));
                }
                let span = word.span;
                return Ok(Begun::Value(Value { span, data: Data::Call(Some(word), Args::None) }));
            }
            _ => return self.literal().map(Begun::Value),
        };
        Ok(Begun::Open(self.open(start, None, sort)))
    }

    /// Steps over the bracket.
    fn open(&mut self, start: usize, name: Option<Word>, sort: Sort) -> Open {
        self.at += 1;
        Open { start, name, sort, values: Vec::new(), names: Vec::new() }
    }

    fn in_parentheses(&self) -> Sort {
        let first = scan::skip(self.source, self.at + 1, &[]);
        if scan::named(self.source, first) { Sort::Named } else { Sort::Tuple }
    }

    /// What stands behind a value in a bracket.
    fn separator(&mut self, around: &Open) -> Result<(), Finding> {
        if around.is_after_key() {
            return self.colon();
        }
        match self.next() {
            Some(',') => self.at += 1,
            // None is needed behind the last.
            Some(it) if it == around.closing() => {}
            Some(':') => {
                let finding =
                    Finding::error(Span::new(self.at, self.at + 1), "a parameter with a name after one without");
                let help = "write all of them with their names, as in `Wait(seconds: 2.0, name: \"rest\")`";
                return Err(finding.help(help));
            }
            Some(_) | None => return Err(self.expected("`,`")),
        }
        Ok(())
    }

    fn colon(&mut self) -> Result<(), Finding> {
        if self.next() != Some(':') {
            return Err(self.expected("`:` and a value"));
        }
        self.at += 1;
        Ok(())
    }

    /// The next character that is neither white space nor in a comment; afterwards that is where
    /// reading goes on.
    fn next(&mut self) -> Option<char> {
        self.at = scan::skip(self.source, self.at, &[]);
        self.source[self.at..].chars().next()
    }

    /// That something else comes next than must.
    fn expected(&mut self, what: &str) -> Finding {
        self.next();
        let rest = &self.source[self.at..];
        let word = rest.len() - rest.trim_start_matches(|it: char| it.is_alphanumeric() || it == '_').len();
        let length = word.max(rest.chars().next().map_or(0, char::len_utf8));
        let found = match &rest[..length] {
            "" => "the end of the file".to_owned(),
            it if it.contains(char::is_control) => format!("`{}`", it.escape_debug()),
            it => format!("`{it}`"),
        };
        Finding::error(Span::new(self.at, self.at + length), format!("expected {what}, found {found}"))
    }

    /// Lets `ron` read something without brackets, and goes on behind it.
    fn token<T>(
        &mut self,
        what: &str,
        read: impl FnOnce(&mut ron::Deserializer<'s>) -> ron::Result<T>,
    ) -> Result<T, Finding> {
        use ron::Error as E;
        // It would take attributes to begin here, or half a comment.
        if let Some('#' | '/') = self.next() {
            return Err(self.expected(what));
        }
        let read = ron::Deserializer::from_str(&self.source[self.at..]).map_err(|it| it.code).and_then(|mut ron| {
            let result = read(&mut ron);
            self.at = self.source.len() - ron.remainder().len();
            result
        });
        read.map_err(|error| match error {
            E::ExpectedIdentifier | E::Eof | E::UnexpectedChar(_) => self.expected(what),
            other => {
                // These stop within or after what they are about: show the character before.
                let before = self.source[..self.at].chars().next_back().map_or(0, char::len_utf8);
                Finding::error(Span::new(self.at - before, self.at), lower(&other))
            }
        })
    }

    /// The length of what comes next, if it is nothing but such bytes, and what ends it can be no
    /// part of it.
    fn plain(&mut self, part: impl Fn(u8) -> bool) -> usize {
        self.next();
        let rest = &self.source.as_bytes()[self.at..];
        let length = rest.iter().position(|it| !part(*it)).unwrap_or(rest.len());
        let end = |it: &u8| b" \t\r\n,:()]}".contains(it);
        if rest.get(length).is_none_or(end) { length } else { 0 }
    }

    fn word(&mut self) -> Result<Word, Finding> {
        let length = self.plain(|it| it.is_ascii_alphanumeric() || it == b'_');
        let text = &self.source[self.at..self.at + length];
        if text.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_') {
            let span = Span::new(self.at, self.at + length);
            self.at += length;
            return Ok(Word { text: text.into(), span });
        }
        let text = self.token("a name", |ron| ron.deserialize_identifier(Identifier))?;
        let start = self.at - text.len();
        Ok(Word { text: text.into(), span: Span::new(start, self.at) })
    }

    /// A string without escapes, or a number of few digits without a sign.
    fn plain_literal(&mut self) -> Option<Value> {
        let length = self.plain(|it| it.is_ascii_digit() || it == b'.');
        let (start, rest) = (self.at, &self.source[self.at..]);
        let (length, data) = match rest.strip_prefix('"') {
            Some(body) => {
                let end = body.find(['"', '\\']).filter(|it| body[*it..].starts_with('"'))?;
                (end + 2, Data::Text(body[..end].into()))
            }
            None => {
                let (whole, part) = rest[..length].split_once('.').unwrap_or((&rest[..length], "0"));
                let digits = |it: &str| (1..10).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_digit());
                (digits(whole) && digits(part)).then_some((length, Data::Literal(rest[..length].into())))?
            }
        };
        self.at += length;
        Some(Value { span: Span::new(start, self.at), data })
    }

    fn literal(&mut self) -> Result<Value, Finding> {
        if let Some(it) = self.plain_literal() {
            return Ok(it);
        }
        let start = self.at;
        self.token("a value", |ron| <&RawValue>::deserialize(ron))?;
        let span = Span::new(start, scan::literal_end(self.source, start).min(self.at));
        let text = &self.source[span.start()..span.end()];
        let plain = text.strip_prefix('"').and_then(|it| it.strip_suffix('"')).filter(|it| !it.contains('\\'));
        let data = match plain {
            Some(plain) => Data::Text(plain.into()),
            None if text.starts_with(['"', 'r']) => {
                let string = ron::from_str::<String>(text).map_err(|it| Finding::error(span, lower(&it.code)))?;
                Data::Text(string.into())
            }
            None => Data::Literal(text.into()),
        };
        Ok(Value { span, data })
    }
}

/// Whether a value begins with an identifier, rather than with a string that has a prefix.
fn begins_word(rest: &str) -> bool {
    let strings = ["b\"", "b'", "br\"", "br#", "r\"", "r#\"", "r##"];
    let first = rest.chars().next();
    first.is_some_and(|it| it == '_' || it.is_alphabetic()) && !strings.iter().any(|it| rest.starts_with(it))
}

struct Identifier;

impl<'de> Visitor<'de> for Identifier {
    type Value = &'de str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<&'de str, E> {
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever can be put together of so many of these, it is accepted when `ron` accepts it.
    #[test]
    fn brackets_hold_what_they_hold_in_ron() {
        const LENGTH: u32 = 6;
        const TOKENS: [&str; 11] = ["(", ")", "[", "]", "{", "}", ",", ":", "a", "1", "\"s\""];
        let mut accepted = 0;
        for number in 0..TOKENS.len().pow(LENGTH) {
            let mut rest = number;
            let mut source = String::new();
            for _ in 0..LENGTH {
                source.push_str(TOKENS[rest % TOKENS.len()]);
                // Not `aa` or `a1`, which would be one word.
                source.push(' ');
                rest /= TOKENS.len();
            }
            let here = read(&source);
            accepted += usize::from(here.is_ok());
            assert_eq!(here.is_ok(), ron::from_str::<&RawValue>(&source).is_ok(), "{source}: {here:?}");
        }
        assert!(accepted > 100, "{accepted}");
    }

    /// Whatever word, number or string can be put together of so many of these, it is accepted when
    /// `ron` accepts it, and is what it is there.
    #[test]
    fn words_and_literals_are_what_they_are_in_ron() {
        const LENGTH: u32 = 5;
        const LETTERS: [char; 14] = ['a', 'r', '_', '0', '1', '7', '.', '-', 'e', '"', '\\', '#', 'é', ' '];
        let mut accepted = 0;
        for number in 0..LETTERS.len().pow(LENGTH) {
            let mut rest = number;
            let mut source = String::from("[");
            for _ in 0..LENGTH {
                source.push(LETTERS[rest % LETTERS.len()]);
                rest /= LETTERS.len();
            }
            source.push(']');
            let here = read(&source);
            assert_eq!(here.is_ok(), ron::from_str::<&RawValue>(&source).is_ok(), "{source}: {here:?}");
            let Ok(Value { data: Data::List(items), .. }) = here else { continue };
            let [item] = &items[..] else { continue };
            accepted += 1;
            match (&item.data, ron::from_str::<ron::Value>(&source)) {
                (Data::Text(text), Ok(ron::Value::Seq(strings))) => {
                    assert_eq!(strings, [ron::Value::String(text.to_string())], "{source}");
                }
                (Data::Literal(text), Ok(ron::Value::Seq(numbers))) => {
                    assert_eq!(ron::from_str::<ron::Value>(text), Ok(numbers[0].clone()), "{source}");
                }
                _ => {}
            }
        }
        assert!(accepted > 1_000, "{accepted}");
    }

    #[test]
    fn values_know_where_they_stand() {
        let source = "a /* [ */ (b: [1, \"x\\n\", (),], r#c-d: {2: e}, f: -1.5) // end";
        let text = |it: &Value| source[it.span.start()..it.span.end()].to_owned();
        let Data::Call(Some(name), Args::Named(fields)) = read(source).expect("it is right").data else {
            panic!("a call")
        };
        assert_eq!((&*name.text, name.span.end()), ("a", 1));
        let fields: Vec<(String, String)> = fields.iter().map(|it| (it.0.text.to_string(), text(&it.1))).collect();
        let expected = [("b", "[1, \"x\\n\", (),]"), ("c-d", "{2: e}"), ("f", "-1.5")];
        assert_eq!(fields, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
