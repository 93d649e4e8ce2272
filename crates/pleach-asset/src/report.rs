//! [`Report`]: every problem of a file, in file order.

#[cfg(feature = "reports")]
mod drawn;
mod plain;

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::code::{Code, Severity};
use crate::finding::{Finding, Findings};
use crate::span::{self, Span};
use crate::suggest::{Advice, Edit as Remedy};
use indexmap::IndexMap;
use pleach_core::limits::{MAX_DRAWN_PROBLEMS, MAX_PROBLEMS};

/// One problem of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    code: Code,
    span: Range<usize>,
    line: usize,
    column: usize,
    message: String,
    help: Option<String>,
    fixes: Vec<Fix>,
    also: Option<(Range<usize>, String)>,
    file: Arc<SourceFile>,
    other: Option<(Arc<SourceFile>, Range<usize>, String)>,
    unknown_leaf: bool,
    refused_by: Option<Range<usize>>,
}

/// A mechanical fix for a problem: something that may have been meant instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    title: String,
    edits: Vec<Edit>,
}

/// A part of a file that a [`Fix`] replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    span: Range<usize>,
    text: String,
}

/// Another place that is related to a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label<'a> {
    file: &'a SourceFile,
    span: &'a Range<usize>,
    text: &'a str,
}

impl Fix {
    /// What it does, in words.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// All in the file of the problem, in file order, without overlaps.
    #[must_use]
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }
}

impl Edit {
    /// The bytes of the source that are replaced; if there are none, the text is inserted.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The replacement text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl<'a> Label<'a> {
    /// The name of its file, which may differ from that of the problem.
    #[must_use]
    pub fn file(&self) -> &'a str {
        &self.file.name
    }

    /// The text of its file.
    #[must_use]
    pub fn source(&self) -> &'a str {
        &self.file.source
    }

    /// The bytes of its file that it marks.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// What it says about them.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }
}

/// A file of a report.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SourceFile {
    pub(crate) name: Arc<str>,
    pub(crate) source: Arc<str>,
    /// What includes it, in words.
    pub(crate) included: Option<String>,
}

impl Diagnostic {
    /// The name of the file that it is about, as it was given.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file.name
    }

    /// What includes that file, if it was loaded because of that: `guard.ron:12:20, and that by
    /// squad.ron:3:9`.
    #[must_use]
    pub fn included_by(&self) -> Option<&str> {
        self.file.included.as_deref()
    }

    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// The kind of problem, such as `P0201`. A code keeps its meaning in later versions.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code.number()
    }

    /// The text of its file.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.file.source
    }

    /// Ways to mend it, the likeliest first.
    #[must_use]
    pub fn fixes(&self) -> &[Fix] {
        &self.fixes
    }

    /// Other places that have to do with it.
    pub fn labels(&self) -> impl Iterator<Item = Label<'_>> {
        let here = self.also.iter().map(|(span, text)| Label { file: &self.file, span, text });
        here.chain(self.other.iter().map(|(file, span, text)| Label { file, span, text }))
    }

    /// The bytes of the source that it is about.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The line, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column, from 1, in characters.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// What is wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The name of the leaf, if the problem is an unregistered leaf, and no registered leaf or
    /// built-in node has a similar name. It may be a leaf of another game.
    #[must_use]
    pub fn unknown_leaf(&self) -> Option<&str> {
        self.file.source.get(self.span.clone()).filter(|_| self.unknown_leaf)
    }

    /// The name of the registered leaf that refuses its parameters, if that is the problem, and
    /// nothing similar was probably meant. Another game may have another leaf of that name.
    #[must_use]
    pub fn refused_by(&self) -> Option<&str> {
        self.file.source.get(self.refused_by.clone()?)
    }
}

/// Every problem of one file, in the order of the file; or of several that include each other, file
/// by file.
///
/// [`Display`](fmt::Display) draws the first
/// [`MAX_DRAWN_PROBLEMS`](pleach_core::limits::MAX_DRAWN_PROBLEMS) as compilers do, without
/// colours; `Report::styled` has colours. Both need the feature `reports`; without it `Display`
/// writes [`Report::plain`].
#[derive(Clone, PartialEq, Eq)]
pub struct Report {
    file: Arc<str>,
    diagnostics: Vec<Diagnostic>,
    more: usize,
}

impl Report {
    pub(crate) fn new(file: &Arc<str>, source: &Arc<str>, findings: impl Into<Findings>) -> Self {
        let only = SourceFile { name: file.clone(), source: source.clone(), included: None };
        Report::of_files(file, &[only.into()], findings)
    }

    /// About several files; `about` is the name of the report.
    pub(crate) fn of_files(about: &Arc<str>, files: &[Arc<SourceFile>], findings: impl Into<Findings>) -> Self {
        let (mut kept, more) = findings.into().into_parts();
        kept.sort_by_key(|it| (it.file.unwrap_or_default(), it.span.start));
        let mut diagnostics = Vec::with_capacity(kept.len());
        let mut kept = kept.into_iter().peekable();
        while let Some(at) = kept.peek().map(|it| it.file.unwrap_or_default()) {
            let Some(file) = files.get(at as usize) else { break };
            let mut cursor = Cursor { source: &file.source, at: span::start(&file.source), line: 1, column: 1 };
            while let Some(it) = kept.next_if(|it| it.file.unwrap_or_default() == at) {
                diagnostics.push(locate(&mut cursor, file, files, it));
            }
        }
        Report { file: about.clone(), diagnostics, more }
    }

    /// All of these as one, named `about`, with each problem once, and those of a file together.
    pub(crate) fn merged(about: &str, mut reports: Vec<Report>) -> Option<Report> {
        if reports.len() < 2 {
            return reports.pop();
        }
        let mut merged = Report { file: about.into(), diagnostics: Vec::new(), more: 0 };
        let mut files: IndexMap<String, Vec<Diagnostic>> = IndexMap::new();
        let mut seen = HashSet::new();
        for report in reports {
            let mut new = 0;
            for it in report.diagnostics {
                if seen.insert((it.file.name.clone(), it.span.start, it.message.clone())) {
                    new += 1;
                    files.entry(it.file().to_owned()).or_default().push(it);
                }
            }
            // A report without any new problem has no new unlisted ones, either.
            if new > 0 {
                merged.more += report.more;
            }
        }
        merged.diagnostics = files.into_values().flatten().collect();
        merged.more += merged.diagnostics.len().saturating_sub(MAX_PROBLEMS);
        merged.diagnostics.truncate(MAX_PROBLEMS);
        Some(merged)
    }

    /// Without the errors: the caller got those from loading.
    pub(crate) fn only_warnings(mut self) -> Report {
        let listed = self.diagnostics.len();
        self.diagnostics.retain(|it| it.severity() == Severity::Warning);
        // Only errors are counted without being listed.
        if self.diagnostics.len() < listed {
            self.more = 0;
        }
        self
    }

    /// One report for each file that has problems, in their order. The last one counts those that
    /// are not listed.
    #[must_use]
    pub fn split(self) -> Vec<Report> {
        let mut reports: Vec<Report> = Vec::new();
        for it in self.diagnostics {
            match reports.last_mut() {
                Some(last) if *last.file == *it.file.name => last.diagnostics.push(it),
                _ => reports.push(Report { file: it.file.name.clone(), diagnostics: vec![it], more: 0 }),
            }
        }
        if let Some(last) = reports.last_mut() {
            last.more = self.more;
        }
        reports
    }

    /// The name of the file, as it was given; for several files, the name of the report.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The problems, file by file and in the order of each; at most
    /// [`MAX_PROBLEMS`](pleach_core::limits::MAX_PROBLEMS).
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// How many more problems there are than are listed.
    #[must_use]
    pub fn more(&self) -> usize {
        self.more
    }

    /// Whether there is nothing to report.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// One line per problem, without colours, regardless of features.
    ///
    /// `guard.ron:7:23: error: what is wrong; in: Tree > Selector > Sequence "look"; help: what to
    /// do`, for at most [`MAX_DRAWN_PROBLEMS`](pleach_core::limits::MAX_DRAWN_PROBLEMS) of them,
    /// and a last line that counts the others. Without the feature `reports` this is what
    /// [`Display`](fmt::Display) writes.
    #[must_use]
    pub fn plain(&self) -> String {
        plain::text(self)
    }

    /// The problems that a text shows, and how many more there are.
    fn shown(&self) -> (&[Diagnostic], usize) {
        let shown = &self.diagnostics[..self.diagnostics.len().min(MAX_DRAWN_PROBLEMS)];
        (shown, self.diagnostics.len() - shown.len() + self.more)
    }

    /// The line about those not shown.
    fn more_text(&self, more: usize) -> String {
        let s = if more == 1 { "" } else { "s" };
        format!("... and {more} more problem{s} in {}", self.file)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "reports")]
        return f.write_str(&self.drawn());
        #[cfg(not(feature = "reports"))]
        return f.write_str(&self.plain());
    }
}

impl fmt::Debug for Report {
    /// The text: a report is most often met as the `Err` of an `unwrap`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() { Ok(()) } else { write!(f, "\n{self}") }
    }
}

impl std::error::Error for Report {}

pub(crate) fn floor(source: &str, mut at: usize) -> usize {
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The line, from 1, and where it begins. A byte order mark is not part of the first.
fn line_of(source: &str, at: usize) -> (usize, usize) {
    let before = &source[..at];
    let start = || span::start(source).min(at);
    (before.bytes().filter(|it| *it == b'\n').count() + 1, before.rfind('\n').map_or_else(start, |it| it + 1))
}

/// The line and the column, from 1.
pub(crate) fn position(source: &str, at: usize) -> (usize, usize) {
    let (line, from) = line_of(source, at);
    (line, source[from..at].chars().count() + 1)
}

/// Counts lines and columns from one place on to a later one: the source may be long, and so may
/// one of its lines.
struct Cursor<'s> {
    source: &'s str,
    at: usize,
    line: usize,
    column: usize,
}

impl Cursor<'_> {
    /// The line and the column, from 1. It cannot go back, except to the byte order mark, which has
    /// the place of what follows it.
    fn go_to(&mut self, at: usize) -> (usize, usize) {
        let passed = self.source.get(self.at..at).unwrap_or_default();
        let last = passed.rfind('\n').map(|it| &passed[it + 1..]);
        self.column = last.map_or(self.column, |_| 1) + last.unwrap_or(passed).chars().count();
        self.line += passed.bytes().filter(|it| *it == b'\n').count();
        self.at = self.at.max(at);
        (self.line, self.column)
    }
}

fn locate(cursor: &mut Cursor<'_>, file: &Arc<SourceFile>, files: &[Arc<SourceFile>], it: Finding) -> Diagnostic {
    let range = |source: &str, span: Span| {
        let start = floor(source, span.start().min(source.len()));
        start..floor(source, span.end().min(source.len())).max(start)
    };
    let source = cursor.source;
    let span = range(source, it.span);
    let (line, column) = cursor.go_to(span.start);
    let also = it.also.map(|it| (range(source, it.0), it.1));
    let fix = it.help.as_ref().and_then(|help| fix(help, &it.message, &span, |it| range(source, it), source));
    let other = it.other.and_then(|other| {
        let (at, span, label) = *other;
        let file = files.get(at as usize)?;
        Some((file.clone(), range(&file.source, span), label))
    });
    let (message, help) = (shorten(it.message), it.help.map(|it| shorten(it.text)));
    let refused_by = it.refused_by.map(|it| range(source, it));
    let Finding { code, unknown_leaf, .. } = it;
    Diagnostic {
        code,
        span,
        line,
        column,
        message,
        help,
        fixes: fix.into_iter().collect(),
        also,
        file: file.clone(),
        other,
        unknown_leaf,
        refused_by,
    }
}

/// What advice does to its file, if it is about the text at that place.
fn fix(
    advice: &Advice,
    message: &str,
    span: &Range<usize>,
    range: impl Fn(Span) -> Range<usize>,
    source: &str,
) -> Option<Fix> {
    let edit = |span: Range<usize>, text: &str| Edit { span, text: text.to_owned() };
    let edits = match &**advice.edit.as_ref()? {
        Remedy::Name(name) => {
            let old = source.get(span.clone())?;
            let bare = old.trim_matches('"');
            // The name may be a part of what is shown, as in the expression of a leaf.
            if !message.contains(&format!("`{bare}`")) && !message.contains(&format!("'{bare}'")) {
                return None;
            }
            vec![edit(span.clone(), &if bare == old { name.clone() } else { format!("{name:?}") })]
        }
        Remedy::Choose => return None,
        Remedy::Instead(text) => vec![edit(span.clone(), text)],
        Remedy::At(edits) => edits.iter().map(|(span, text)| edit(range(*span), text)).collect(),
    };
    Some(Fix { title: advice.text.clone(), edits })
}

/// Where something stands, as in `guard.ron:12:20`.
pub(crate) fn place_of(file: &SourceFile, span: Span) -> String {
    let (line, column) = position(&file.source, floor(&file.source, span.start().min(file.source.len())));
    format!("{}:{line}:{column}", file.name)
}

/// Messages quote what they are about, which may be a name of ten megabytes. What is wrong with it
/// stands before or after the quote.
fn shorten(mut text: String) -> String {
    const LONGEST: usize = 1_000;
    const END: usize = 300;
    if text.len() > LONGEST {
        let cut = floor(&text, LONGEST - END)..floor(&text, text.len() - END);
        text.replace_range(cut, " ... ");
    }
    text
}
