//! A RON file as far as it is written: [`Syntax`] takes any text, and never fails.
//!
//! A file is half written while a person types. The loader reports what is wrong with it; here each
//! value only has a place and a parent. Unmatched brackets are closed with the next outer ones.

use std::ops::Range;

use pleach::tools::ron::{TokenKind, tokens};

/// A value of a [`Syntax`]. A parent comes before its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct At(u32);

impl At {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The values and comments of a file, with their places.
#[derive(Debug, Default)]
pub(crate) struct Syntax {
    values: Vec<Value>,
    comments: Vec<Range<usize>>,
}

#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) span: Range<usize>,
    pub(crate) parent: Option<At>,
    pub(crate) shape: Shape,
    /// The name of a call, or the word itself.
    pub(crate) name: Option<Range<usize>>,
    /// The content of its brackets, without them.
    pub(crate) inside: Option<Range<usize>>,
    pub(crate) items: Vec<Item>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Text,
    Literal,
    Word,
    /// Parentheses, with or without a name before them.
    Call,
    List,
    Map,
}

/// The part between two commas.
#[derive(Clone, Debug, Default)]
pub(crate) struct Item {
    pub(crate) key: Option<At>,
    /// Where its colon ends.
    pub(crate) colon: Option<usize>,
    pub(crate) value: Option<At>,
}

/// The place of a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// The innermost brackets around it.
    pub(crate) around: Option<At>,
    /// Which item of these it is in, counted from 0.
    pub(crate) item: usize,
    /// The name of the field, or the key of the map, whose value it is at.
    pub(crate) key: Option<At>,
    /// The word, string or number that it is in, or directly after.
    pub(crate) touched: Option<At>,
}

impl Item {
    fn is_empty(&self) -> bool {
        self.key.is_none() && self.value.is_none() && self.colon.is_none()
    }
}

impl Syntax {
    pub(crate) fn of(text: &str) -> Self {
        let mut parser =
            Parser { text, syntax: Syntax::default(), open: Vec::new(), counts: [0; 3], root: Item::default() };
        // How many brackets of an attribute, `#![enable(..)]`, are open: it is none of the values.
        let mut attribute = None;
        for (kind, span) in tokens(text) {
            attribute = match (attribute, kind) {
                (None, TokenKind::Sign('#'))
                    if parser.syntax.values.is_empty() && text[span.end..].starts_with("![") =>
                {
                    Some(0)
                }
                (Some(1), TokenKind::Sign(']')) => {
                    attribute = None;
                    continue;
                }
                (Some(depth), TokenKind::Sign('[')) => Some(depth + 1),
                (Some(depth), TokenKind::Sign(']')) => Some(depth - 1),
                (it, _) => it,
            };
            if attribute.is_none() || kind == TokenKind::Comment {
                parser.token(kind, span);
            }
        }
        while !parser.open.is_empty() {
            parser.close(text.len(), text.len());
        }
        parser.syntax
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (At, &Value)> {
        self.values.iter().enumerate().map(|it| (At(u32::try_from(it.0).unwrap_or(u32::MAX)), it.1))
    }

    pub(crate) fn get(&self, at: At) -> &Value {
        &self.values[at.0 as usize]
    }

    pub(crate) fn root(&self) -> Option<At> {
        (!self.values.is_empty()).then_some(At(0))
    }

    /// The value of a field or a key, given its name.
    pub(crate) fn field(&self, text: &str, of: At, name: &str) -> Option<At> {
        self.get(of).items.iter().find(|it| it.key.is_some_and(|key| self.word(text, key) == name))?.value
    }

    /// A string without its quotes, or another value as written; for a call its name.
    pub(crate) fn word<'t>(&self, text: &'t str, at: At) -> &'t str {
        text.get(self.word_span(text, at)).unwrap_or_default()
    }

    /// The span of that.
    pub(crate) fn word_span(&self, text: &str, at: At) -> Range<usize> {
        let value = self.get(at);
        if value.shape != Shape::Text {
            return value.name.clone().unwrap_or(value.span.clone());
        }
        let written = &text[value.span.clone()];
        let open = written.find('"').map_or(0, |it| it + 1);
        let closing = written[open..].trim_end_matches('#');
        let end = if closing.ends_with('"') { open + closing.len() - 1 } else { written.len() };
        value.span.start + open..value.span.start + end.max(open)
    }

    /// The value itself and everything around it, from the inside out.
    pub(crate) fn chain(&self, at: At) -> impl Iterator<Item = At> + '_ {
        std::iter::successors(Some(at), |it| self.get(*it).parent)
    }

    /// The places of comments, in order.
    pub(crate) fn comments(&self) -> &[Range<usize>] {
        &self.comments
    }

    pub(crate) fn in_comment(&self, at: usize) -> bool {
        self.comments.iter().any(|it| it.start < at && at <= it.end)
    }

    /// The innermost value that holds a byte, or ends before it.
    pub(crate) fn innermost(&self, at: usize) -> Option<At> {
        // Values that begin later are inside, or after it.
        let holds = |it: &(At, &Value)| it.1.span.start <= at && at <= it.1.span.end;
        let is_one = |it: &&(At, &Value)| it.1.span.start <= at;
        let mut best: Option<(At, &Value)> = None;
        for it in self.all().filter(|it| is_one(&it) && holds(it)) {
            // At a border, the value that begins there is meant.
            best = Some(it);
        }
        best.map(|it| it.0)
    }

    pub(crate) fn cursor(&self, at: usize) -> Cursor {
        let is_around = |it: &&Value| it.inside.as_ref().is_some_and(|it| it.start <= at && at <= it.end);
        let around = self.all().filter(|it| is_around(&it.1)).map(|it| it.0).last();
        let is_token = |it: &Value| it.inside.is_none() && it.span.start <= at && at <= it.span.end;
        let names =
            |it: &Value| it.shape == Shape::Call && it.name.as_ref().is_some_and(|it| it.start <= at && at <= it.end);
        let of_here = |it: &Value| it.parent == around && (is_token(it) || names(it));
        let touched = self.all().filter(|it| of_here(it.1)).map(|it| it.0).last();
        let mut cursor = Cursor { around, item: 0, key: None, touched };
        let Some(around) = around else { return cursor };
        let from = |it: &Item| {
            let start = |it: At| self.get(it).span.start;
            it.key.map(start).or(it.value.map(start)).or(it.colon).unwrap_or(usize::MAX)
        };
        for (number, item) in self.get(around).items.iter().enumerate() {
            if from(item) > at {
                break;
            }
            let end = item.value.map_or(item.colon.unwrap_or(0), |it| self.get(it).span.end);
            // After a whole item the next one begins.
            let is_behind = item.value.is_some() && end < at;
            cursor.item = if is_behind { number + 1 } else { number };
            cursor.key = item.key.filter(|_| !is_behind && item.colon.is_some_and(|it| it <= at));
        }
        cursor
    }
}

struct Parser<'t> {
    text: &'t str,
    syntax: Syntax,
    /// The brackets that are open, and the item of each that is being written.
    open: Vec<(At, Item)>,
    /// How many of them have each shape: of a call, of a list, of a map.
    counts: [usize; 3],
    /// The part outside all brackets.
    root: Item,
}

impl Parser<'_> {
    fn item(&mut self) -> &mut Item {
        self.open.last_mut().map_or(&mut self.root, |it| &mut it.1)
    }

    fn token(&mut self, kind: TokenKind, span: Range<usize>) {
        match kind {
            TokenKind::Comment => self.syntax.comments.push(span),
            TokenKind::Word => _ = self.value(Shape::Word, span),
            TokenKind::Text => _ = self.value(Shape::Text, span),
            TokenKind::Number | TokenKind::Other => _ = self.value(Shape::Literal, span),
            TokenKind::Sign('(') => self.call(span),
            TokenKind::Sign('[') => self.begin(Shape::List, span),
            TokenKind::Sign('{') => self.begin(Shape::Map, span),
            TokenKind::Sign(it @ (')' | ']' | '}')) => self.closing(it, span),
            TokenKind::Sign(',') => self.end_item(),
            TokenKind::Sign(':') => {
                // `a: b: c` lacks the value of `a`.
                if self.item().key.is_some() {
                    let next = self.item().value.take();
                    self.end_item();
                    self.item().value = next;
                }
                let item = self.item();
                item.key = item.value.take();
                item.colon = Some(span.end);
            }
            TokenKind::Sign(_) => {}
        }
    }

    fn value(&mut self, shape: Shape, span: Range<usize>) -> At {
        // Without a comma a new item begins, too.
        if self.item().value.is_some() {
            self.end_item();
        }
        let at = At(u32::try_from(self.syntax.values.len()).unwrap_or(u32::MAX));
        let parent = self.open.last().map(|it| it.0);
        let name = (shape == Shape::Word).then(|| span.clone());
        self.syntax.values.push(Value { span, parent, shape, name, inside: None, items: Vec::new() });
        self.item().value = Some(at);
        at
    }

    fn call(&mut self, span: Range<usize>) {
        let named = self.item().value.filter(|it| self.syntax.get(*it).shape == Shape::Word);
        match named {
            Some(at) => {
                self.syntax.values[at.0 as usize].shape = Shape::Call;
                self.open(at, span.end);
            }
            None => self.begin(Shape::Call, span),
        }
    }

    fn begin(&mut self, shape: Shape, span: Range<usize>) {
        let end = span.end;
        let at = self.value(shape, span);
        self.open(at, end);
    }

    fn open(&mut self, at: At, inside: usize) {
        self.syntax.values[at.0 as usize].inside = Some(inside..inside);
        *self.count(self.syntax.get(at).shape) += 1;
        self.open.push((at, Item::default()));
    }

    fn end_item(&mut self) {
        let item = std::mem::take(self.item());
        let Some(&(at, _)) = self.open.last() else { return };
        if !item.is_empty() {
            self.syntax.values[at.0 as usize].items.push(item);
        }
    }

    fn closing(&mut self, sign: char, span: Range<usize>) {
        let shape = match sign {
            ')' => Shape::Call,
            ']' => Shape::List,
            _ => Shape::Map,
        };
        // Nothing to close. Knowing that without a search keeps the parser linear.
        if *self.count(shape) == 0 {
            return;
        }
        while self.open.last().is_some_and(|it| self.syntax.get(it.0).shape != shape) {
            self.close(span.start, span.start);
        }
        self.close(span.start, span.end);
    }

    fn count(&mut self, shape: Shape) -> &mut usize {
        let [calls, lists, maps] = &mut self.counts;
        match shape {
            Shape::List => lists,
            Shape::Map => maps,
            Shape::Call | Shape::Text | Shape::Literal | Shape::Word => calls,
        }
    }

    fn close(&mut self, inside: usize, end: usize) {
        self.end_item();
        let Some((at, _)) = self.open.pop() else { return };
        *self.count(self.syntax.get(at).shape) -= 1;
        let value = &mut self.syntax.values[at.0 as usize];
        value.inside = value.inside.as_ref().map(|it| it.start..inside.max(it.start));
        value.span.end = end.max(value.span.end).min(self.text.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text with its cursor at `|`.
    fn at(text: &str) -> (Syntax, String, Cursor) {
        let place = text.find('|').expect("a cursor");
        let text = text.replacen('|', "", 1);
        let syntax = Syntax::of(&text);
        let cursor = syntax.cursor(place);
        (syntax, text, cursor)
    }

    fn told(text: &str) -> String {
        let (syntax, text, cursor) = at(text);
        let word = |it: Option<At>| it.map_or("-", |it| syntax.word(&text, it)).to_owned();
        let around = cursor.around.map_or("-".into(), |it| match syntax.get(it).name.clone() {
            Some(name) => text[name].to_owned(),
            None => text[syntax.get(it).span.start..][..1].to_owned(),
        });
        format!("in {around} item {} key {} touched {}", cursor.item, word(cursor.key), word(cursor.touched))
    }

    #[test]
    fn cursors_know_where_they_are() {
        assert_eq!(told("|"), "in - item 0 key - touched -");
        assert_eq!(told("Tree(ver|)"), "in Tree item 0 key - touched ver");
        assert_eq!(told("Tree(version: 1, |)"), "in Tree item 1 key - touched -");
        assert_eq!(told("Tree(version: 1, root: |)"), "in Tree item 1 key root touched -");
        assert_eq!(told("Tree(root: Wai|)"), "in Tree item 0 key root touched Wai");
        assert_eq!(told("Tree(root: Wai|t(2.0))"), "in Tree item 0 key root touched Wait");
        assert_eq!(told("A([B, C(x: \"he|y\"), D])"), "in C item 0 key x touched hey");
        assert_eq!(told("A({ \"k\": |, \"l\": 1 })"), "in { item 0 key k touched -");
    }

    #[test]
    fn attributes_are_no_values() {
        assert_eq!(
            told("#![enable(implicit_some)]\n#![enable(unwrap_newtypes)] Tree(ver|)"),
            "in Tree item 0 key - touched ver"
        );
        assert_eq!(told("#![enable(|"), "in - item 0 key - touched -");
        assert_eq!(told("# [a] Tree(|)"), "in Tree item 0 key - touched -");
    }

    #[test]
    fn half_documents_have_cursors() {
        assert_eq!(
            told("Tree(root: Sequence(children: [Check(\"hea|\n    Wait(1.0)])"),
            "in Check item 0 key - touched hea"
        );
        assert_eq!(told("S(abort: |\n children: [A])"), "in S item 0 key abort touched -");
        assert_eq!(told("S(name: \"x\" |children: [A])"), "in S item 1 key - touched children");
        assert_eq!(told("S(children: [A(b: | ])"), "in A item 0 key b touched -");
        assert_eq!(told("S(children: [A(b|"), "in A item 0 key - touched b");
        assert_eq!(told(") ] A(|"), "in A item 0 key - touched -");
        assert_eq!(told("A([B(}}, C: |"), "in B item 0 key C touched -");
        assert_eq!(told("A([B({)]], C: |"), "in A item 1 key C touched -");
    }
}
