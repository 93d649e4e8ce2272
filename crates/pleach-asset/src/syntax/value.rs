//! The content of a source: [`Values`], and views of them. Only texts with escapes are copied out
//! of the source.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::span::{Span, Word};

/// All values of a source, in pre-order: the sort and place of each. One flat list for any nesting;
/// texts stay in the source. Empty if nothing was read.
#[derive(Debug)]
pub(crate) struct Values {
    pub(super) source: Arc<str>,
    pub(super) items: Vec<Item>,
    /// The texts of strings with escapes, by their index in the list, in order.
    pub(super) unescaped: Vec<(u32, Box<str>)>,
}

/// A value, or the name before a bracket or a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) sort: Sort,
    /// Its place; names without `r#`, strings with their quotes.
    pub(super) span: Span,
    /// The index in the list after everything in it.
    pub(super) end: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// A name alone: a value, or the name of a field, whose value comes next.
    Word,
    /// A name right before a bracket, which comes next.
    Head,
    /// A string without escapes.
    Text,
    /// A string with escapes.
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
    /// A number, character or byte string, as written.
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

/// Values in a row; for a map its keys and values in turn.
#[derive(Clone, Copy)]
pub(crate) struct List<'a> {
    of: &'a Values,
    at: u32,
    end: u32,
}

/// Named fields, except those at the skipped indices.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a, 'w> {
    left: List<'a>,
    without: &'w [u32],
}

impl Default for Values {
    fn default() -> Self {
        Values { source: "".into(), items: Vec::new(), unescaped: Vec::new() }
    }
}

impl Values {
    pub(super) fn new(source: Arc<str>, items: Vec<Item>, unescaped: Vec<(u32, Box<str>)>) -> Self {
        Values { source, items, unescaped }
    }

    /// The value of the whole source.
    pub(crate) fn root(&self) -> Value<'_> {
        Value { of: self, at: 0 }
    }

    /// What nodes this may include, perhaps with some that are not nodes after all: to know what
    /// has to be read before anything is understood.
    pub(crate) fn included(&self) -> impl Iterator<Item = &str> {
        let head = |it: &Item| match it.sort {
            Sort::Head => matches!(self.text(it.span), "Subtree" | "Slot"),
            // The name of a field, whose value comes next.
            Sort::Word => self.text(it.span) == "templates_from",
            _ => false,
        };
        let heads = (0..).zip(&self.items).filter(move |it| head(it.1));
        // The strings among its parameters, and in lists: perhaps too many, but never too few.
        // One may be inside another.
        let mut seen = 0;
        let inside = heads.flat_map(move |(at, _)| {
            let (own, args) = (self.item(at), at + 1);
            let end = self.items.get(args as usize).map_or(args, |it| it.end).max(own.end);
            let from = args.max(seen);
            seen = seen.max(end);
            (from..end).map(|at| Value { of: self, at })
        });
        inside.filter_map(Value::text)
    }

    /// The files whose templates this uses, if it is a tree.
    pub(crate) fn lenders(&self) -> impl Iterator<Item = &str> {
        let fields = match self.root().data() {
            Data::Call(_, Args::Named(fields)) => Some(fields),
            _ => None,
        };
        let from = fields.into_iter().flatten().filter(|it| it.0.text == "templates_from");
        let items = from.filter_map(|it| if let Data::List(items) = it.1.data() { Some(items) } else { None });
        items.flatten().filter_map(Value::text)
    }

    /// The value at an index that [`Value::place`] returned.
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

    /// The content of a bracket.
    fn inside(&self, at: u32) -> List<'_> {
        List { of: self, at: at + 1, end: self.item(at).end }
    }
}

impl<'a> Value<'a> {
    pub(crate) fn place(self) -> u32 {
        self.at
    }

    /// The place of its name, if it is a field.
    pub(crate) fn name_place(self) -> u32 {
        self.at - 1
    }

    /// Its place.
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

    /// The content of these parentheses.
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

    /// This with the name before it as written, if that is how [`write`](crate::write) writes them:
    /// ASCII, `name: `, and a word, a number or a string without escapes.
    pub(crate) fn written_with(self, name: Word<'a>) -> Option<&'a str> {
        let Item { sort, span, .. } = *self.of.item(self.at);
        let (start, end) = (name.span.start(), span.end());
        let source = self.of.source.as_bytes();
        let is_plain = matches!(sort, Sort::Word | Sort::Literal | Sort::Text)
            && source.get(name.span.end()..span.start()) == Some(b": ")
            // A raw name has an `r#` before it.
            && source[..start].last() != Some(&b'#')
            && source[start..end].iter().all(|it| matches!(it, b' '..=b'~'));
        is_plain.then(|| &self.of.source[start..end])
    }

    /// It, if it is a string.
    fn text(self) -> Option<&'a str> {
        if let Data::Text(text) = self.data() { Some(text) } else { None }
    }

    /// A list of only this value.
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
            Data::Call(None, Args::Named(_)) => "fields in parentheses".into(),
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

    /// An empty list.
    pub(crate) fn nothing(self) -> Self {
        List { end: self.at, ..self }
    }

    /// The only value, if there is no other.
    pub(crate) fn only(mut self) -> Option<Value<'a>> {
        self.next().filter(|_| self.is_empty())
    }

    /// The entries of a map.
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

    /// Whether there are at most four, each with a name, as nearly everywhere.
    pub(crate) fn are_few_and_differ(self) -> bool {
        let mut names = [""; 4];
        for (count, (field, _)) in self.enumerate() {
            if count == names.len() || names[..count].contains(&field.text) {
                return false;
            }
            names[count] = field.text;
        }
        true
    }

    /// Skips the fields whose names are at these indices, in order.
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
    /// Whether more than `most` brackets are inside each other, those of the arguments included.
    pub(crate) fn is_nested_deeper(&self, most: usize) -> bool {
        let (Args::Tuple(list) | Args::Named(Fields { left: list, .. })) = *self else { return false };
        if ((list.end - list.at) as usize) < most {
            return false;
        }
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
        deepest > most
    }
}

/// A leaf of the host, with its parameters as they are written.
#[derive(Clone, Debug)]
pub(crate) struct HostCall<'a> {
    pub(crate) value: Value<'a>,
    /// The indices of the fields that are not its own parameters, or are doubled.
    pub(crate) without: Cow<'a, [u32]>,
}

impl HostCall<'_> {
    pub(crate) fn head(&self) -> Word<'_> {
        match self.value.data() {
            Data::Call(Some(head), _) => head,
            _ => unreachable!("the reader takes nothing else for a leaf"),
        }
    }

    pub(crate) fn args(&self) -> Args<'_> {
        match self.value.data() {
            Data::Call(_, Args::Tuple(values)) if !values.is_empty() => Args::Tuple(values),
            Data::Call(_, Args::Named(fields)) if !fields.without(&self.without).is_empty() => {
                Args::Named(fields.without(&self.without))
            }
            _ => Args::None,
        }
    }
}

impl PartialEq for HostCall<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.head(), self.args()) == (other.head(), other.args())
    }
}
