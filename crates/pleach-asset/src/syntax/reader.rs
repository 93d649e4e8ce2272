//! From text to values: see [`syntax`](super).
//!
//! The nesting of brackets is kept on a stack of our own, so it takes no stack of the thread. It is
//! bounded nevertheless, because values are written, compared and dropped by recursion.

use std::sync::Arc;

use super::token::{self, quote};
use super::value::{Item, Sort, Values};
use crate::code::Code;
use crate::finding::Finding;
use crate::lex::{self, Kind, Token};
use crate::limits;
use crate::span::{self, Span, narrow};
use crate::suggest::{Advice, Edit, with_a_point};

/// The most values in one source: a bound for the memory that a hostile one can take.
const MAX_VALUES: usize = 1 << 21;

/// Help for an expression without quotes.
const EXPRESSION: &str = "an expression is a string: `Check(\"health < 0.3\")`";

/// What a file must be, for one that is written in another language.
pub(crate) const A_TREE: &str = "a tree is written as `Tree(version: 1, root: ..)`";

/// About how many bytes of a source make one item of the list, white space included.
const BYTES_PER_ITEM: usize = 10;

/// Reads the one value of a source.
pub(crate) fn read(source: &Arc<str>) -> Result<Values, Finding> {
    if source.len() > limits::MAX_SOURCE {
        let message = format!("{} bytes are too many for one file: at most {}", source.len(), limits::MAX_SOURCE);
        return Err(Finding::new(Code::Limit, Span::new(0, 0), message));
    }
    // What is wrong with the brackets says more than what that leads to; but before a bracket that
    // closes too much, what is wrong first is where the one that opens is missing.
    whole(source).map_err(|error| match lex::brackets(source) {
        Err(found) if !(found.is_closing(source) && error.span.start < found.span.start) => found,
        _ => error,
    })
}

/// The values of a source. If it does not begin as a tree does, an error of its syntax says how one
/// begins. A lost bracket or quote has a remedy of its own.
pub(crate) fn read_tree(source: &Arc<str>) -> Result<Values, Finding> {
    read(source).map_err(|error| {
        if error.help.is_some() || !matches!(error.code, Code::NotATree | Code::Syntax) {
            return error;
        }
        let first = lex::token(source, span::start(source));
        let is_ours = match first.kind {
            Kind::Word => matches!(first.text(source), "Tree" | "Manifest" | "Tests"),
            Kind::End | Kind::Sign('#') => true,
            _ => false,
        };
        if is_ours { error } else { error.help(A_TREE) }
    })
}

fn whole(source: &Arc<str>) -> Result<Values, Finding> {
    let mut start = span::start(source);
    if lex::token(source, start).kind == Kind::Sign('#') {
        let is_attribute = source[start..].starts_with("#!");
        let help = |it: Finding| it.maybe_help((!is_attribute).then(|| lex::foreign("#")).flatten());
        start = token::attributes(source, start).map_err(help)?;
    }
    let next = lex::token(source, start);
    // Growing copies the whole list. A value and its name are rarely shorter.
    let items = Vec::with_capacity(source.len() / BYTES_PER_ITEM);
    let mut reader = Reader { source, end: start, next, count: 0, items, unescaped: Vec::new() };
    reader.whole().map_err(|it| *it)?;
    match reader.next.kind {
        Kind::End => Ok(Values::new(Arc::clone(source), reader.items, reader.unescaped)),
        _ => Err(reader.expected("nothing more after the tree").maybe_help(reader.unopened())),
    }
}

/// How far the source has been read.
struct Reader<'s> {
    source: &'s str,
    /// The end of what has been read.
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
    /// Moves past the next token.
    fn take(&mut self) -> Token {
        let token = self.next;
        self.end = token.end();
        self.next = lex::token(self.source, self.end);
        token
    }

    /// Adds something empty, or empty so far.
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

    /// Reads a value with everything in it.
    fn whole(&mut self) -> Result<(), Box<Finding>> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut is_done = match self.begin()? {
                None => true,
                Some(_) if open.len() == limits::MAX_NESTING => return Err(lex::too_deep(self.next).into()),
                Some(it) => {
                    open.push(it);
                    false
                }
            };
            // A finished value may be the last of its bracket, which then ends too, and so on.
            while let Some(top) = open.last_mut() {
                if is_done {
                    top.is_after_key = top.sort == Sort::Map && !top.is_after_key;
                    self.separator(top)?;
                }
                if top.is_after_key || self.next.kind != top.closing() {
                    if top.sort == Sort::Named {
                        let at = top.at;
                        let span = self.word().map_err(|it| self.nameless(it, at))?;
                        self.push(Sort::Word, span);
                        self.colon().map_err(|it| self.nameless(it, at))?;
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

    /// Reads what begins here: a whole value, or the start of a bracket.
    fn begin(&mut self) -> Result<Option<Open>, Box<Finding>> {
        let token = self.next;
        self.count += 1;
        if self.count > MAX_VALUES {
            let message = format!("more than {MAX_VALUES} values in one file");
            return Err(Finding::new(Code::Limit, token.span, message).into());
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
        self.push(sort, bracket.span);
        Ok(Some(Open { sort, at, has_name, is_after_key: false }))
    }

    /// Whether a named field comes next.
    fn is_named(&self) -> bool {
        let end = self.next.end();
        let is_right_behind = || self.source.as_bytes().get(end) == Some(&b':');
        self.next.kind == Kind::Word && (is_right_behind() || lex::token(self.source, end).kind == Kind::Sign(':'))
    }

    /// Reads what follows a value in a bracket.
    fn separator(&mut self, around: &Open) -> Result<(), Box<Finding>> {
        match self.next.kind {
            _ if around.is_after_key => self.colon().map_err(|it| self.bare_event(around, it)),
            Kind::Sign(',') => {
                self.take();
                Ok(())
            }
            // The last needs no comma.
            it if it == around.closing() => Ok(()),
            Kind::Sign(':')
                if matches!(around.sort, Sort::Named | Sort::List) && self.source[..self.end].ends_with('"') =>
            {
                let bracket = self.items[around.at].span.start();
                let finding = self.expected("`,`").help("a map stands in `{ }`: `{ \"key\": value }`");
                Err(finding.also(Span::new(bracket, bracket + 1), "opened here").into())
            }
            Kind::Sign(':') => {
                let finding = Finding::new(Code::Syntax, self.next.span, "a parameter with a name follows one without");
                let help = "write all of them with their names, as in `Wait(seconds: 2.0, name: \"rest\")`";
                Err(finding.help(help).into())
            }
            _ => Err(self.unseparated(around)),
        }
    }

    /// Reports a missing comma.
    fn unseparated(&self, around: &Open) -> Box<Finding> {
        let found = self.expected("`,`");
        if around.has_name
            && self.next.start() == self.end
            && let Some(help) = self.quoted_inside()
        {
            return found.help(help).into();
        }
        let rest = &self.source[self.next.start()..];
        if rest.starts_with('=') && !rest.starts_with("==") {
            return found.help(self.colon_instead()).into();
        }
        let before = &self.source[..self.end];
        let number = &before[before.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.').len()..];
        if rest.starts_with('%')
            && let Ok(percent) = number.parse::<f64>()
        {
            let share = format!("{:?}", percent / 100.0);
            let help = Advice::from(format!("write `{share}`: a share is a number from 0 to 1"));
            let whole = Span::new(self.end - number.len(), self.next.start() + 1);
            return found.help(help.edit(Edit::At(vec![(whole, share)]))).into();
        }
        if let Some(help) = self.unopened() {
            return found.help(help).into();
        }
        if rest.starts_with(['{', '[']) && before.ends_with(|it: char| it.is_alphanumeric()) {
            return found.help("what a node takes stands in `( )`: `Wait(seconds: 1.0)`").into();
        }
        let is_word = matches!(self.next.text(self.source), "and" | "or");
        if is_word || rest.starts_with(['<', '>', '=', '!', '&', '|', '+', '-', '*', '/', '%']) {
            return found.help(EXPRESSION).into();
        }
        found
    }

    /// What to do about a name of a field right after the name of a node: `Wait seconds: 1.0`.
    fn unopened(&self) -> Option<Advice> {
        let node = self.items.last().filter(|it| it.sort == Sort::Word)?.span;
        let node = &self.source[node.start()..node.end()];
        let is_node = node.starts_with(|it: char| it.is_ascii_uppercase());
        (is_node && self.is_named()).then(|| format!("write `(` behind `{node}`, and `)` where it ends").into())
    }

    /// What to do about quotes inside a string, which end it: `"mode == "alert""`.
    fn quoted_inside(&self) -> Option<Advice> {
        let first = self.items.last().filter(|it| it.sort == Sort::Text)?.span;
        let inside = |span: Span| &self.source[span.start() + 1..span.end() - 1];
        // A word right behind the string, and a string right behind that.
        let word = if self.next.kind == Kind::Word { self.next.text(self.source) } else { "" };
        let rest = if word.is_empty() { self.next } else { lex::token(self.source, self.next.end()) };
        if rest.kind != Kind::Text || !rest.plain || rest.start() != self.next.end() && !word.is_empty() {
            return None;
        }
        let before = inside(first);
        let is_operator = |it: char| matches!(it, '=' | '<' | '>' | '!');
        let behind = inside(rest.span);
        if !before.trim_end().ends_with(is_operator) && !behind.trim_start().starts_with(is_operator) {
            return Some("write `\\\"` for a quote inside a string".into());
        }
        let expr = format!("{before}{word}{behind}");
        let shown = pleach_core::text::shorten(expr.trim(), 40).into_owned();
        let edit = Edit::At(vec![(Span::new(first.start(), rest.end()), format!("\"{expr}\""))]);
        let advice = Advice::from(format!("write a word without quotes inside an expression: `{shown}`"));
        Some(if word.is_empty() { advice } else { advice.edit(edit) })
    }

    /// What to do about a value without a name, after one that has a name.
    fn nameless(&self, error: Box<Finding>, bracket: usize) -> Box<Finding> {
        let before = self.last_field(bracket).filter(|it| &self.source[it.start()..it.end()] == "children");
        if let (Kind::Sign('('), Some(children)) = (self.next.kind, before) {
            let help = "put the children in `[ ]`: `children: [..]`";
            return error.also(children, "no `[` follows").help(help).into();
        }
        let help = match self.next.kind {
            Kind::Sign('[') => "this one needs its name too: `children: [..]`",
            Kind::Number if self.is_decimal_comma() => return error.help(self.with_a_point()).into(),
            Kind::Sign('(' | ')' | ',') => "this one needs its name too, as in `child: Idle`",
            _ => return error,
        };
        error.help(help).into()
    }

    /// The name of the last field of a bracket that has a value.
    fn last_field(&self, bracket: usize) -> Option<Span> {
        let (mut at, mut last) = (bracket + 1, None);
        while at + 1 < self.items.len() {
            last = Some(self.items[at].span);
            at = self.items[at + 1].end as usize;
        }
        last
    }

    /// Whether a number follows a number and a comma: `0,5`.
    fn is_decimal_comma(&self) -> bool {
        let before = self.source[..self.next.start()].strip_suffix(',');
        before.is_some_and(|it| it.ends_with(|it: char| it.is_ascii_digit()))
    }

    fn with_a_point(&self) -> Advice {
        let before = &self.source[..self.next.start() - 1];
        let whole = before.len() - before.trim_end_matches(|it: char| it.is_ascii_digit()).len();
        let (start, end) = (before.len() - whole, self.next.end());
        with_a_point(&self.source[start..end], Span::new(start, end))
    }

    /// What to do about an event without a type in the map `events`.
    fn bare_event(&self, map: &Open, error: Box<Finding>) -> Box<Finding> {
        let is_events = map.at.checked_sub(1).is_some_and(|it| {
            let span = self.items[it].span;
            &self.source[span.start()..span.end()] == "events"
        });
        let end = self.source[..self.next.start()].trim_end().len();
        if !is_events || !self.source[..end].ends_with('"') || !matches!(self.next.kind, Kind::Sign(',' | '}')) {
            return error;
        }
        let edit = Edit::At(vec![(Span::new(end, end), ": ()".into())]);
        error.help(Advice::from("write `: ()` behind an event that has no payload").edit(edit)).into()
    }

    /// What to write instead of the `=`, `=>` or `==` that comes next.
    fn colon_instead(&self) -> Advice {
        let start = self.next.start();
        let length =
            if self.source[start..].starts_with("=>") || self.source[start..].starts_with("==") { 2 } else { 1 };
        let edit = Edit::At(vec![(Span::new(start, start + length), ":".into())]);
        Advice::from("write `:` between a name and its value").edit(edit)
    }

    #[inline]
    fn colon(&mut self) -> Result<(), Box<Finding>> {
        if self.next.kind != Kind::Sign(':') {
            return Err(self.no_colon());
        }
        self.take();
        Ok(())
    }

    #[cold]
    fn no_colon(&self) -> Box<Finding> {
        let expected = self.expected("`:` and a value");
        if self.next.kind == Kind::Sign('=') { expected.help(self.colon_instead()).into() } else { expected }
    }

    /// Reports that something unexpected comes next.
    fn expected(&self, what: &str) -> Box<Finding> {
        let Token { kind, span, plain: _ } = self.next;
        let (start, end) = (span.start(), span.end());
        // For strings the quote says enough.
        let end = match kind {
            Kind::Text | Kind::Letter | Kind::Bytes => start + 1,
            _ => end,
        };
        if kind == Kind::End && self.items.is_empty() {
            let is_blank = self.source.trim_start_matches('\u{feff}').trim().is_empty();
            let message = if is_blank { "the file is empty" } else { "the file has nothing but comments" };
            return Finding::new(Code::NotATree, Span::new(start, end), message).into();
        }
        let found = match &self.source[start..end] {
            "" => "the end of the file".to_owned(),
            it => quote(it),
        };
        let finding = Finding::new(Code::Syntax, Span::new(start, end), format!("expected {what}, found {found}"));
        let sign = if self.source[start..].starts_with("<!--") { "<!--" } else { &self.source[start..end] };
        finding.maybe_help(lex::foreign(sign)).into()
    }

    fn word(&mut self) -> Result<Span, Box<Finding>> {
        if self.next.kind != Kind::Word {
            return Err(self.expected("a name"));
        }
        let token = self.take();
        if token.plain {
            return Ok(token.span);
        }
        let text = token.text(self.source);
        if !text.is_ascii() {
            token::check(self.source, token)?;
        }
        let bare = text.strip_prefix("r#").unwrap_or(text);
        if self.next.start() == token.end() && self.next.kind == Kind::Number {
            let raw = &self.source[token.start()..];
            let raw = &raw[..raw.find(|it| !lex::is_raw(it)).unwrap_or(raw.len())];
            let message = format!("found invalid std identifier {raw:?}, try the raw identifier `r#{raw}` instead");
            return Err(Finding::new(Code::Syntax, token.span, message).into());
        }
        Ok(Span::new(token.end() - bare.len(), token.end()))
    }

    fn literal(&mut self) -> Result<(), Box<Finding>> {
        let token = self.next;
        let sort = match token.kind {
            Kind::Text if token.plain => Sort::Text,
            Kind::Text => {
                let text = token::text(self.source, token)?;
                self.unescaped.push((narrow(self.items.len()), text.into()));
                Sort::Unescaped
            }
            Kind::Number if token.plain => Sort::Literal,
            Kind::Number | Kind::Letter | Kind::Bytes => {
                token::check(self.source, token)?;
                Sort::Literal
            }
            Kind::Sign('!') => return Err(self.expected("a value").help(EXPRESSION).into()),
            Kind::End | Kind::Sign(_) | Kind::Word | Kind::Unclosed => return Err(self.expected("a value")),
        };
        self.push(sort, token.span);
        self.take();
        Ok(())
    }
}

#[cfg(test)]
mod judge;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Args, Data, Value};

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
