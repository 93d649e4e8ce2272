//! Other RON files than trees, for programs that have some: read with the reader of trees, and
//! reported in the same form.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::code::Code;
use crate::finding::{Finding, Findings};
use crate::report::{Report, floor, position};
use crate::span::{Span, start};
use crate::suggest::{Advice, Edit};
use crate::syntax::{self, Args, Data, Value};

/// A RON file as written: each value with its place.
#[derive(Debug)]
pub struct Document {
    file: Arc<str>,
    source: Arc<str>,
    root: Datum,
}

/// A value of a [`Document`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datum {
    /// Its bytes in the source.
    pub span: Range<usize>,
    /// Its shape.
    pub shape: Shape,
    what: String,
}

/// What a [`Datum`] is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A string, without quotes and escapes.
    Text(String),
    /// A number, character or byte string, as written.
    Literal(String),
    /// `[a, b]`
    List(Vec<Datum>),
    /// `{ a: b }`
    Map(Vec<(Datum, Datum)>),
    /// What may have a name and parentheses: `true`, `Wait(2.0)`, `(a: 1)`, `()`.
    Call(Option<Name>, Arguments),
}

/// A name before a bracket or a field, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its bytes in the source.
    pub span: Range<usize>,
}

/// The content of the parentheses of a [`Shape::Call`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// There are no parentheses.
    None,
    /// `(a, b)`
    Tuple(Vec<Datum>),
    /// `(a: 1, b: 2)`
    Named(Vec<(Name, Datum)>),
}

/// Something that is wrong with a [`Document`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The bytes of the source that it is about.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Document {
    /// Reads a file. `what` names its kind in messages: `a test file`. `file` is its name there;
    /// this opens no file.
    ///
    /// # Errors
    /// It is empty, or it is not RON.
    pub fn read(file: &str, source: &str, what: &str) -> Result<Document, Report> {
        let (file, source): (Arc<str>, Arc<str>) = (file.into(), source.into());
        let report = |finding: Finding| Report::new(&file, &source, vec![finding]);
        if source[start(&source)..].trim().is_empty() {
            return Err(report(Finding::new(
                Code::Document,
                Span::default(),
                format!("the file is empty: expected {what}"),
            )));
        }
        let root = match syntax::read(&source) {
            Ok(values) => Datum::of(values.root()),
            Err(it) => {
                let message = it.message.replace("nothing more after the tree", "nothing more after its end");
                return Err(report(Finding { message, ..it }));
            }
        };
        Ok(Document { file, source, root })
    }

    /// The value of the whole file.
    #[must_use]
    pub fn root(&self) -> &Datum {
        &self.root
    }

    /// The source text of a span.
    #[must_use]
    pub fn text(&self, span: &Range<usize>) -> &str {
        self.source.get(span.clone()).unwrap_or_default()
    }

    /// The line and the column of a place, from 1, in characters.
    #[must_use]
    pub fn place(&self, at: usize) -> (usize, usize) {
        position(&self.source, floor(&self.source, at.min(self.source.len())))
    }

    /// These problems as a report, in the order of the file.
    #[must_use]
    pub fn report(&self, problems: Vec<Problem>) -> Report {
        let mut findings = Findings::default();
        for it in problems {
            let finding = Finding::new(Code::Document, Span::new(it.span.start, it.span.end), it.message);
            let name = it.help.as_deref().and_then(meant).map(|it| Edit::Name(it.to_owned()));
            let help = it.help.map(Advice::from);
            findings.push(finding.maybe_help(match name {
                Some(name) => help.map(|it| it.edit(name)),
                None => help,
            }));
        }
        Report::new(&self.file, &self.source, findings)
    }
}

/// The name that a help says was meant, if it says a single one.
fn meant(help: &str) -> Option<&str> {
    let (name, behind) = help.strip_prefix("did you mean `")?.split_once('`')?;
    behind.starts_with('?').then_some(name)
}

impl Datum {
    /// Nesting is bounded by [`MAX_NESTING`](crate::MAX_NESTING).
    fn of(value: Value<'_>) -> Datum {
        let span = |it: Span| it.start()..it.end();
        let shape = match value.data() {
            Data::Text(text) => Shape::Text(text.into()),
            Data::Literal(text) => Shape::Literal(text.into()),
            Data::List(items) => Shape::List(items.map(Datum::of).collect()),
            Data::Map(items) => Shape::Map(items.entries().map(|it| (Datum::of(it.0), Datum::of(it.1))).collect()),
            Data::Call(name, args) => {
                let args = match args {
                    Args::None => Arguments::None,
                    Args::Tuple(items) => Arguments::Tuple(items.map(Datum::of).collect()),
                    Args::Named(fields) => {
                        let name = |text: &str, at: Span| Name { text: text.into(), span: span(at) };
                        Arguments::Named(fields.map(|it| (name(it.0.text, it.0.span), Datum::of(it.1))).collect())
                    }
                };
                Shape::Call(name.map(|it| Name { text: it.text.into(), span: span(it.span) }), args)
            }
        };
        Datum { span: span(value.span()), shape, what: value.what() }
    }
}

/// What it is, for messages: `a string`.
impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl Problem {
    /// Something is wrong there.
    #[must_use]
    pub fn new(span: &Range<usize>, message: impl Into<String>) -> Self {
        Problem { span: span.clone(), message: message.into(), help: None }
    }

    /// With what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(source: &str) -> String {
        Document::read("a.test.ron", source, "`Tests(..)`").unwrap_err().plain()
    }

    #[test]
    fn values_have_places() {
        let read = Document::read("a.test.ron", "\u{feff}A(\n  b: [1, \"c\\n\"], d: { \"e\": f() })", "it").unwrap();
        let Shape::Call(Some(name), Arguments::Named(fields)) = &read.root().shape else { panic!("{read:?}") };
        assert_eq!((&*name.text, read.text(&name.span), fields.len()), ("A", "A", 2));
        let (b, list) = &fields[0];
        assert_eq!((read.text(&list.span), read.place(b.span.start)), ("[1, \"c\\n\"]", (2, 3)));
        let Shape::List(items) = &list.shape else { panic!("{list:?}") };
        assert_eq!((&items[1].shape, items[0].to_string()), (&Shape::Text("c\n".into()), "the number 1".into()));
        let report = read.report(vec![Problem::new(&list.span, "no").help("yes")]);
        assert!(report.plain().starts_with("a.test.ron:2:6: error[P0702]: no; in: A; help: yes"), "{}", report.plain());
    }

    #[test]
    fn what_was_meant_is_an_edit_where_it_is_one_name() {
        let read = Document::read("a.test.ron", "A(b: \"rset\")", "it").unwrap();
        let fixes = |message: &str, help: &str| -> Vec<String> {
            let report = read.report(vec![Problem::new(&(5..11), message).help(help)]);
            report.fixes().iter().flat_map(|it| it.1.edits()).map(|it| it.text().to_owned()).collect()
        };
        assert_eq!(fixes("no node is called `rset`", "did you mean `rest`? Names count"), ["\"rest\""]);
        assert!(fixes("no node is called `rset`", "did you mean `rest` or `reset`?").is_empty());
        // Only a part of what stands there.
        assert!(fixes("unknown key `set`", "did you mean `seat`?").is_empty());
    }

    #[test]
    fn broken_files_are_reported() {
        assert_eq!(problem(" \n"), "a.test.ron:1:1: error[P0702]: the file is empty: expected `Tests(..)`");
        assert!(problem("A(b: [").starts_with("a.test.ron:1:"));
        assert!(problem("A() B").contains("nothing more after its end"), "{}", problem("A() B"));
    }
}
