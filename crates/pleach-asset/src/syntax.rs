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

use std::fmt;
use std::sync::Arc;

use crate::finding::Finding;
use crate::lex::{self, Kind, Token};
use crate::span::{self, Span, Word, narrow};
pub(crate) use number::{Number, float32, integer, number};
pub(crate) use quoted::character;
use token::quote;

/// The most values in one source: a bound for the memory that a hostile one can take.
const MAX_VALUES: usize = 1 << 21;

/// All values of a source, in pre-order: of each what it is and where it stands. That is one list,
/// whatever is in which bracket, and texts stay in the source.
#[derive(Debug)]
pub(crate) struct Values {
    source: Arc<str>,
    items: Vec<Item>,
    /// The texts of strings that have escapes, by their places in the list, in order.
    unescaped: Vec<(u32, Box<str>)>,
}

/// A value, or the name before a bracket or a field.
#[derive(Clone, Copy, Debug)]
struct Item {
    sort: Sort,
    /// Where it stands; of names without `r#`, of strings with their quotes.
    span: Span,
    /// The place in the list behind all that is in it.
    end: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// A name alone: a value, or the name of a field, whose value comes next.
    Word,
    /// A name right before a bracket, which comes next.
    Head,
    /// A string without escapes.
    Text,
    /// A string that is not as it is written.
    Unescaped,
    /// A number, character or byte string.
    Literal,
    List,
    /// Keys and values in turn.
    Map,
    Tuple,
    /// Names and values in turn.
    Named,
}

/// A RON value.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a> {
    of: &'a Values,
    at: u32,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Data<'a> {
    /// A string, without quotes and escapes.
    Text(&'a str),
    /// A number, character or byte string, as it is written.
    Literal(&'a str),
    List(List<'a>),
    Map(List<'a>),
    /// What may have a name and parentheses: `true`, `Wait(2.0)`, `(a: 1)`, `()`.
    Call(Option<Word<'a>>, Args<'a>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Args<'a> {
    None,
    Tuple(List<'a>),
    Named(Fields<'a, 'a>),
}

/// Values that stand one behind the other; of a map its keys and values in turn.
#[derive(Clone, Copy)]
pub(crate) struct List<'a> {
    of: &'a Values,
    at: u32,
    end: u32,
}

/// Named fields, but for those at the places that are left out.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a, 'w> {
    left: List<'a>,
    without: &'w [u32],
}

impl Values {
    /// The value that is all of the source.
    pub(crate) fn root(&self) -> Value<'_> {
        Value { of: self, at: 0 }
    }

    /// The value at a place that [`Value::place`] gave.
    pub(crate) fn at(&self, place: u32) -> Value<'_> {
        Value { of: self, at: place }
    }

    fn item(&self, at: u32) -> &Item {
        &self.items[at as usize]
    }

    fn text(&self, span: Span) -> &str {
        &self.source[span.start()..span.end()]
    }

    fn word(&self, at: u32) -> Word<'_> {
        let span = self.item(at).span;
        Word { text: self.text(span), span }
    }

    /// What is in a bracket.
    fn inside(&self, at: u32) -> List<'_> {
        List { of: self, at: at + 1, end: self.item(at).end }
    }
}

impl<'a> Value<'a> {
    pub(crate) fn place(self) -> u32 {
        self.at
    }

    /// The place of its name, if it is that of a field.
    pub(crate) fn name_place(self) -> u32 {
        self.at - 1
    }

    /// Where it stands.
    pub(crate) fn span(self) -> Span {
        let Item { sort, span, .. } = *self.of.item(self.at);
        if sort == Sort::Head { Span { end: self.of.item(self.at + 1).span.end, ..span } } else { span }
    }

    #[inline]
    pub(crate) fn data(self) -> Data<'a> {
        let Value { of, at } = self;
        let Item { sort, span, .. } = *of.item(at);
        match sort {
            Sort::Text => Data::Text(of.text(Span { start: span.start + 1, end: span.end - 1 })),
            Sort::Unescaped => Data::Text(self.unescaped()),
            Sort::Literal => Data::Literal(of.text(span)),
            Sort::Word => Data::Call(Some(of.word(at)), Args::None),
            Sort::Head => Data::Call(Some(of.word(at)), self.to(at + 1).args()),
            Sort::List => Data::List(of.inside(at)),
            Sort::Map => Data::Map(of.inside(at)),
            Sort::Tuple | Sort::Named => Data::Call(None, self.args()),
        }
    }

    #[cold]
    fn unescaped(self) -> &'a str {
        let Value { of, at } = self;
        let place = of.unescaped.binary_search_by_key(&at, |it| it.0);
        place.map(|it| &*of.unescaped[it].1).unwrap_or_default()
    }

    /// What is in these parentheses.
    fn args(self) -> Args<'a> {
        let left = self.of.inside(self.at);
        match self.of.item(self.at).sort {
            Sort::Named => Args::Named(Fields { left, without: &[] }),
            _ => Args::Tuple(left),
        }
    }

    fn to(self, at: u32) -> Value<'a> {
        Value { at, ..self }
    }

    /// A list of nothing else.
    pub(crate) fn alone(self) -> List<'a> {
        List { of: self.of, at: self.at, end: self.of.item(self.at).end }
    }

    /// What this is, for messages.
    pub(crate) fn what(self) -> String {
        self.data().what()
    }
}

impl Data<'_> {
    /// What this is, for messages: "a string".
    pub(crate) fn what(self) -> String {
        match self {
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

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.data() == other.data()
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.data().fmt(f)
    }
}

impl<'a> List<'a> {
    pub(crate) fn is_empty(self) -> bool {
        self.at == self.end
    }

    /// The only value, if there is no other.
    pub(crate) fn only(mut self) -> Option<Value<'a>> {
        self.next().filter(|_| self.is_empty())
    }

    /// Of a map its entries.
    pub(crate) fn entries(mut self) -> impl Iterator<Item = (Value<'a>, Value<'a>)> {
        std::iter::from_fn(move || Some((self.next()?, self.next()?)))
    }
}

impl<'a> Iterator for List<'a> {
    type Item = Value<'a>;

    #[inline]
    fn next(&mut self) -> Option<Value<'a>> {
        let List { of, at, end } = *self;
        (at < end).then(|| {
            self.at = of.item(at).end;
            Value { of, at }
        })
    }
}

impl PartialEq for List<'_> {
    fn eq(&self, other: &Self) -> bool {
        Iterator::eq(*self, *other)
    }
}

impl fmt::Debug for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

impl<'a> Fields<'a, '_> {
    pub(crate) fn is_empty(mut self) -> bool {
        if self.without.is_empty() { self.left.is_empty() } else { self.next().is_none() }
    }

    /// Leaves out the fields whose names are at these places, in order.
    pub(crate) fn without<'w>(self, without: &'w [u32]) -> Fields<'a, 'w> {
        Fields { left: self.left, without }
    }
}

impl<'a> Iterator for Fields<'a, '_> {
    type Item = (Word<'a>, Value<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            // A name has nothing in it.
            let List { of, at, end } = self.left;
            if at == end {
                return None;
            }
            let value = Value { of, at: at + 1 };
            self.left.at = of.item(value.at).end;
            if self.without.is_empty() || self.without.binary_search(&at).is_err() {
                return Some((of.word(at), value));
            }
        }
    }
}

impl PartialEq for Fields<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        Iterator::eq(*self, *other)
    }
}

impl fmt::Debug for Fields<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

impl Args<'_> {
    /// How deep brackets stand inside each other, those of the arguments included.
    pub(crate) fn nesting(&self) -> usize {
        let (Args::Tuple(list) | Args::Named(Fields { left: list, .. })) = *self else { return 1 };
        let (mut open, mut deepest): (Vec<u32>, usize) = (Vec::new(), 1);
        for (at, item) in (list.at..).zip(&list.of.items[list.at as usize..list.end as usize]) {
            if let Sort::List | Sort::Map | Sort::Tuple | Sort::Named = item.sort {
                while open.last().is_some_and(|&end| end <= at) {
                    open.pop();
                }
                open.push(item.end);
                deepest = deepest.max(1 + open.len());
            }
        }
        deepest
    }
}

/// Reads one value, which is all that the source holds.
pub(crate) fn read(source: &Arc<str>) -> Result<Values, Finding> {
    if source.len() > lex::MAX_SOURCE {
        let message = format!("{} bytes are too many for one file: at most {}", source.len(), lex::MAX_SOURCE);
        return Err(Finding::error(Span::new(0, 0), message));
    }
    // What is wrong with the brackets says more than what that leads to.
    whole(source).map_err(|error| lex::brackets(source).err().unwrap_or(error))
}

fn whole(source: &Arc<str>) -> Result<Values, Finding> {
    let mut start = span::start(source);
    if lex::token(source, start).kind == Kind::Sign('#') {
        start = token::attributes(source, start)?;
    }
    let next = lex::token(source, start);
    let mut reader = Reader { source, end: start, next, count: 0, items: Vec::new(), unescaped: Vec::new() };
    reader.whole().map_err(|it| *it)?;
    match reader.next.kind {
        Kind::End => Ok(Values { source: Arc::clone(source), items: reader.items, unescaped: reader.unescaped }),
        _ => Err(*reader.expected("nothing more after the tree")),
    }
}

fn is_digit(it: char) -> bool {
    it.is_ascii_digit()
}

/// How far the source has been read.
struct Reader<'s> {
    source: &'s str,
    /// Where what has been read ends.
    end: usize,
    next: Token,
    /// How many values there were.
    count: usize,
    items: Vec<Item>,
    unescaped: Vec<(u32, Box<str>)>,
}

/// A bracket that is open.
struct Open {
    sort: Sort,
    /// Its place in the list.
    at: usize,
    has_name: bool,
    /// Whether the value of a key comes next.
    is_after_key: bool,
}

impl Open {
    fn closing(&self) -> Kind {
        match self.sort {
            Sort::List => Kind::Sign(']'),
            Sort::Map => Kind::Sign('}'),
            _ => Kind::Sign(')'),
        }
    }
}

impl Reader<'_> {
    /// Goes on behind the next token.
    fn take(&mut self) -> Token {
        let token = self.next;
        self.end = token.end;
        self.next = lex::token(self.source, self.end);
        token
    }

    /// Notes what has nothing in it, or nothing yet.
    fn push(&mut self, sort: Sort, span: Span) {
        let end = narrow(self.items.len() + 1);
        self.items.push(Item { sort, span, end });
    }

    /// Ends a bracket that has just been closed.
    fn close(&mut self, bracket: &Open) {
        let end = narrow(self.items.len());
        self.items[bracket.at].end = end;
        self.items[bracket.at].span.end = narrow(self.end);
        if bracket.has_name {
            self.items[bracket.at - 1].end = end;
        }
    }

    /// A value with all that is in it.
    fn whole(&mut self) -> Result<(), Box<Finding>> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut is_done = match self.begin()? {
                None => true,
                Some(_) if open.len() == lex::MAX_NESTING => return Err(lex::too_deep(self.next).into()),
                Some(it) => {
                    open.push(it);
                    false
                }
            };
            // What is done may be the last in its bracket, which is done then, and so on.
            while let Some(top) = open.last_mut() {
                if is_done {
                    top.is_after_key = top.sort == Sort::Map && !top.is_after_key;
                    self.separator(top)?;
                }
                if top.is_after_key || self.next.kind != top.closing() {
                    if top.sort == Sort::Named {
                        let span = self.word()?;
                        self.push(Sort::Word, span);
                        self.colon()?;
                    }
                    break;
                }
                self.take();
                self.close(top);
                open.pop();
                is_done = true;
            }
            if open.is_empty() {
                return Ok(());
            }
        }
    }

    /// What begins here: a value, which is read, or a bracket.
    fn begin(&mut self) -> Result<Option<Open>, Box<Finding>> {
        let token = self.next;
        self.count += 1;
        if self.count > MAX_VALUES {
            let message = format!("more than {MAX_VALUES} values in one file");
            return Err(Finding::error(token.span(), message).into());
        }
        let has_name = match token.kind {
            Kind::Word => {
                let span = self.word()?;
                if self.next.kind != Kind::Sign('(') {
                    self.push(Sort::Word, span);
                    return Ok(None);
                }
                self.push(Sort::Head, span);
                true
            }
            Kind::Sign('(' | '[' | '{') => false,
            _ => return self.literal().map(|()| None),
        };
        let bracket = self.take();
        let sort = match bracket.kind {
            Kind::Sign('[') => Sort::List,
            Kind::Sign('{') => Sort::Map,
            _ if self.is_named() => Sort::Named,
            _ => Sort::Tuple,
        };
        let at = self.items.len();
        self.push(sort, bracket.span());
        Ok(Some(Open { sort, at, has_name, is_after_key: false }))
    }

    /// Whether a named field comes next.
    fn is_named(&self) -> bool {
        self.next.kind == Kind::Word && lex::token(self.source, self.next.end).kind == Kind::Sign(':')
    }

    /// What stands behind a value in a bracket.
    fn separator(&mut self, around: &Open) -> Result<(), Box<Finding>> {
        match self.next.kind {
            _ if around.is_after_key => self.colon(),
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

    fn word(&mut self) -> Result<Span, Box<Finding>> {
        if self.next.kind != Kind::Word {
            return Err(self.expected("a name"));
        }
        let token = self.take();
        let text = token.text(self.source);
        if lex::is_plain(text) && self.next.start != token.end {
            return Ok(token.span());
        }
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
        Ok(Span::new(start, token.end))
    }

    fn literal(&mut self) -> Result<(), Box<Finding>> {
        let token = self.next;
        let text = token.text(self.source);
        // Digits, and one dot at most between some.
        let plain = |it: &str| {
            let mut dots = it.bytes().filter(|it| !it.is_ascii_digit());
            it.starts_with(is_digit)
                && it.ends_with(is_digit)
                && matches!((dots.next(), dots.next()), (None | Some(b'.'), None))
        };
        let sort = match token.kind {
            // Most strings have no escapes, and most numbers no more than digits.
            Kind::Text if text.starts_with('"') && text.bytes().all(|it| it != b'\\') => Sort::Text,
            Kind::Text => {
                let text = token::text(self.source, token)?;
                self.unescaped.push((narrow(self.items.len()), text.into()));
                Sort::Unescaped
            }
            Kind::Number if plain(text) => Sort::Literal,
            Kind::Number | Kind::Letter | Kind::Bytes => {
                token::check(self.source, token)?;
                Sort::Literal
            }
            Kind::End | Kind::Sign(_) | Kind::Word | Kind::Unclosed => return Err(self.expected("a value")),
        };
        self.push(sort, token.span());
        self.take();
        Ok(())
    }
}

#[cfg(test)]
mod judge;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Result<Values, Finding> {
        super::read(&source.into())
    }

    #[test]
    fn values_know_where_they_stand() {
        let source = "a /* [ */ (b: [1, \"x\\n\", (),], r#c-d: {2: e}, f: -1.5) // end";
        let text = |it: Value<'_>| source[it.span().start()..it.span().end()].to_owned();
        let values = read(source).expect("it is right");
        let Data::Call(Some(name), Args::Named(fields)) = values.root().data() else { panic!("a call") };
        assert_eq!((name.text, name.span.end(), text(values.root()).len()), ("a", 1, source.len() - 7));
        let fields: Vec<(String, String)> = fields.map(|it| (it.0.text.to_owned(), text(it.1))).collect();
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
