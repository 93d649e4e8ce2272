//! From text to values with spans.
//!
//! The `ron` crate hands out no positions, loses the names of variants when it does not know the
//! type, and recurses into whatever is in brackets. With what it needs it also is a fifth of what a
//! small game compiles. So it is only asked for words, in `token`, about single tokens that are
//! wrong. Tests compare all that is read with what it reads.
//!
//! What is in which bracket is found on a stack of our own, so that nesting takes no stack of the
//! thread; it is bounded nevertheless, for what is read is written, compared and dropped by
//! recursion.

mod number;
mod quoted;
mod token;

use std::sync::Arc;

use crate::finding::Finding;
use crate::lex::{self, Kind, Token};
use crate::span::{self, Span, Text, Word};
pub(crate) use number::{Number, float32, integer, number};
pub(crate) use quoted::character;
use token::quote;

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
    Text(Text),
    /// A number, character or byte string, as it is written.
    Literal(Text),
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
    /// Takes it out; what is left is `()`.
    pub(crate) fn take(&mut self) -> Value {
        let nothing = Value { span: self.span, data: Data::Call(None, Args::None) };
        std::mem::replace(self, nothing)
    }

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
pub(crate) fn read(source: &Arc<str>) -> Result<Value, Finding> {
    if source.len() > lex::MAX_SOURCE {
        let message = format!("{} bytes are too many for one file: at most {}", source.len(), lex::MAX_SOURCE);
        return Err(Finding::error(Span::new(0, 0), message));
    }
    // What is wrong with the brackets says more than what that leads to.
    whole(source).map_err(|error| lex::brackets(source).err().unwrap_or(error))
}

fn whole(source: &Arc<str>) -> Result<Value, Finding> {
    let mut start = span::start(source);
    if lex::token(source, start).kind == Kind::Sign('#') {
        start = token::attributes(source, start)?;
    }
    let next = lex::token(source, start);
    let mut reader = Reader { source, end: start, next, after: None, count: 0, values: Vec::new(), names: Vec::new() };
    let value = reader.whole().map_err(|it| *it)?;
    match reader.next.kind {
        Kind::End => Ok(value),
        _ => Err(*reader.expected("nothing more after the tree")),
    }
}

fn is_digit(it: char) -> bool {
    it.is_ascii_digit()
}

/// How far the source has been read.
struct Reader<'s> {
    source: &'s Arc<str>,
    /// Where what has been read ends.
    end: usize,
    next: Token,
    /// The token behind the next, if it has been looked at.
    after: Option<Token>,
    /// How many values there were.
    count: usize,
    /// What has been read in all open brackets, of the outermost first. Of a map its keys and
    /// values in turn.
    values: Vec<Value>,
    /// The name of each value in those of these brackets in which values have names.
    names: Vec<Word>,
}

/// A bracket that is open.
struct Open {
    start: usize,
    name: Option<Word>,
    sort: Sort,
    /// Where what is in it begins.
    values: usize,
    names: usize,
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
    fn closing(&self) -> Kind {
        match self.sort {
            Sort::List => Kind::Sign(']'),
            Sort::Map => Kind::Sign('}'),
            Sort::Tuple | Sort::Named => Kind::Sign(')'),
        }
    }
}

impl<'s> Reader<'s> {
    /// Goes on behind the next token.
    fn take(&mut self) -> Token {
        let token = self.next;
        self.end = token.end;
        self.next = self.after.take().unwrap_or_else(|| lex::token(self.source, self.end));
        token
    }

    /// What stands there.
    fn text(&self, start: usize, end: usize) -> Text {
        Text::part(self.source, Span::new(start, end))
    }

    /// Whether the value of a key comes next.
    fn is_after_key(&self, around: &Open) -> bool {
        around.sort == Sort::Map && (self.values.len() - around.values) % 2 == 1
    }

    /// The value of a bracket that has just been closed.
    fn close(&mut self, bracket: Open) -> Value {
        let Open { start, name, sort, values, names } = bracket;
        let mut values = self.values.drain(values..);
        let data = match sort {
            Sort::List => Data::List(values.collect()),
            Sort::Tuple => Data::Call(name, Args::Tuple(values.collect())),
            Sort::Named => Data::Call(name, Args::Named(self.names.drain(names..).zip(values).collect())),
            Sort::Map => {
                let mut entries = Vec::with_capacity(values.len() / 2);
                while let (Some(key), Some(value)) = (values.next(), values.next()) {
                    entries.push((key, value));
                }
                Data::Map(entries)
            }
        };
        Value { span: Span::new(start, self.end), data }
    }

    /// A value with all that is in it.
    fn whole(&mut self) -> Result<Value, Box<Finding>> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut done = match self.begin()? {
                Begun::Value(it) => Some(it),
                Begun::Open(_) if open.len() == lex::MAX_NESTING => return Err(lex::too_deep(self.next).into()),
                Begun::Open(it) => {
                    open.push(it);
                    None
                }
            };
            // What is done may be the last in its bracket, which is done then, and so on.
            while let Some(top) = open.last() {
                if let Some(value) = done.take() {
                    self.values.push(value);
                    self.separator(top)?;
                }
                if self.next.kind != top.closing() || self.is_after_key(top) {
                    if top.sort == Sort::Named {
                        let name = self.word()?;
                        self.names.push(name);
                        self.colon()?;
                    }
                    break;
                }
                self.take();
                done = open.pop().map(|it| self.close(it));
            }
            if let Some(value) = done {
                return Ok(value);
            }
        }
    }

    /// What begins here.
    fn begin(&mut self) -> Result<Begun, Box<Finding>> {
        let token = self.next;
        self.count += 1;
        if self.count > MAX_VALUES {
            let message = format!("more than {MAX_VALUES} values in one file");
            return Err(Finding::error(token.span(), message).into());
        }
        let (name, start) = match token.kind {
            Kind::Word => {
                let word = self.word()?;
                let span = word.span;
                if self.next.kind != Kind::Sign('(') {
                    return Ok(Begun::Value(Value { span, data: Data::Call(Some(word), Args::None) }));
                }
                (Some(word), span.start())
            }
            Kind::Sign('(' | '[' | '{') => (None, token.start),
            _ => return self.literal().map(Begun::Value),
        };
        let sort = match self.take().kind {
            Kind::Sign('[') => Sort::List,
            Kind::Sign('{') => Sort::Map,
            _ if self.is_named() => Sort::Named,
            _ => Sort::Tuple,
        };
        Ok(Begun::Open(Open { start, name, sort, values: self.values.len(), names: self.names.len() }))
    }

    /// Whether a named field comes next.
    fn is_named(&mut self) -> bool {
        if self.next.kind != Kind::Word {
            return false;
        }
        let after = lex::token(self.source, self.next.end);
        self.after = Some(after);
        after.kind == Kind::Sign(':')
    }

    /// What stands behind a value in a bracket.
    fn separator(&mut self, around: &Open) -> Result<(), Box<Finding>> {
        match self.next.kind {
            _ if self.is_after_key(around) => self.colon(),
            Kind::Sign(',') => {
                self.take();
                Ok(())
            }
            // None is needed behind the last.
            it if it == around.closing() => Ok(()),
            Kind::Sign(':') => {
                let finding = Finding::error(self.next.span(), "a parameter with a name after one without");
                let help = "write all of them with their names, as in `Wait(seconds: 2.0, name: \"rest\")`";
                Err(finding.help(help).into())
            }
            _ => Err(self.expected("`,`")),
        }
    }

    fn colon(&mut self) -> Result<(), Box<Finding>> {
        match self.next.kind {
            Kind::Sign(':') => self.take(),
            _ => return Err(self.expected("`:` and a value")),
        };
        Ok(())
    }

    /// That something else comes next than must.
    fn expected(&self, what: &str) -> Box<Finding> {
        let Token { kind, start, end } = self.next;
        // Of strings the quote says enough.
        let end = match kind {
            Kind::Text | Kind::Letter | Kind::Bytes => start + 1,
            _ => end,
        };
        let found = match &self.source[start..end] {
            "" => "the end of the file".to_owned(),
            it => quote(it),
        };
        Finding::error(Span::new(start, end), format!("expected {what}, found {found}")).into()
    }

    fn word(&mut self) -> Result<Word, Box<Finding>> {
        if self.next.kind != Kind::Word {
            return Err(self.expected("a name"));
        }
        let token = self.take();
        let text = token.text(self.source);
        if !text.is_ascii() {
            token::check(self.source, token)?;
        }
        let bare = text.strip_prefix("r#").unwrap_or(text);
        if self.next.start == token.end && self.next.kind == Kind::Number {
            let raw = &self.source[token.start..];
            let raw = &raw[..raw.find(|it| !lex::is_raw(it)).unwrap_or(raw.len())];
            let message = format!("found invalid std identifier {raw:?}, try the raw identifier `r#{raw}` instead");
            return Err(Finding::error(token.span(), message).into());
        }
        let start = token.end - bare.len();
        Ok(Word { text: self.text(start, token.end), span: Span::new(start, token.end) })
    }

    fn literal(&mut self) -> Result<Value, Box<Finding>> {
        let token = self.next;
        let text = token.text(self.source);
        // Digits, and one dot at most between some.
        let plain = |it: &str| {
            let mut dots = it.bytes().filter(|it| !it.is_ascii_digit());
            it.starts_with(is_digit)
                && it.ends_with(is_digit)
                && matches!((dots.next(), dots.next()), (None | Some(b'.'), None))
        };
        let data = match token.kind {
            // Most strings have no escapes, and most numbers no more than digits.
            Kind::Text => match text.strip_prefix('"').and_then(|it| it.strip_suffix('"')) {
                Some(it) if !it.contains('\\') => Data::Text(self.text(token.start + 1, token.end - 1)),
                _ => Data::Text(Text::own(&token::text(self.source, token)?)),
            },
            Kind::Number if plain(text) => Data::Literal(self.text(token.start, token.end)),
            Kind::Number | Kind::Letter | Kind::Bytes => {
                token::check(self.source, token)?;
                Data::Literal(self.text(token.start, token.end))
            }
            Kind::End | Kind::Sign(_) | Kind::Word | Kind::Unclosed => return Err(self.expected("a value")),
        };
        self.take();
        Ok(Value { span: token.span(), data })
    }
}

#[cfg(test)]
mod judge;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Result<Value, Finding> {
        super::read(&source.into())
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
    #[test]
    fn what_is_no_token_of_ron_is_shown_as_a_whole() {
        let wrong = |source: &str| {
            let error = read(source).expect_err("it is wrong");
            (source[error.span.start()..error.span.end()].to_owned(), error.message)
        };
        for text in ["12x", "×", "é×", "1..x"] {
            let expected = (text.to_owned(), format!("`{text}` is neither a name nor a number"));
            assert_eq!(wrong(&format!("[{text}]")), expected);
        }
        let message = "found invalid std identifier \"a-b\", try the raw identifier `r#a-b` instead";
        assert_eq!(wrong("[a-b]"), ("a".to_owned(), message.to_owned()));
    }

    #[cfg(feature = "reports")]
    #[test]
    fn what_is_wrong_within_a_token_is_shown_alone() {
        let wrong = |source: &str| {
            let error = read(source).expect_err("it is wrong");
            (source[error.span.start()..error.span.end()].to_owned(), error.message)
        };
        assert_eq!(wrong("[.]"), (".".to_owned(), "expected float".to_owned()));
        assert_eq!(wrong("[300u8]"), ("8".to_owned(), "integer is out of bounds".to_owned()));
        assert_eq!(wrong(r#"["\q"]"#), ("q".to_owned(), "unknown escape character".to_owned()));
    }
}
