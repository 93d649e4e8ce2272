//! Trees and manifests in one style: see [`format_str`].
//!
//! [`pieces`] reads the tokens of a source together with its comments and blank lines, and finds
//! where each comment goes. [`layout`] decides for each bracket how it is broken, and writes.

mod layout;
mod pieces;

use std::sync::Arc;

use crate::code::Code;
use crate::finding::Finding;
use crate::lex::{self, Kind};
use crate::report::Report;
use crate::span::{self, Span};
use crate::syntax;

/// The most characters in a line, as far as there is a place to break it.
pub(crate) const WIDTH: usize = 120;

/// Writes RON in one style, with all its comments, blank lines and its order: a tree, a manifest,
/// or any other file of one value. `file` is its name in messages; this opens no file. Formatting
/// the result again changes nothing. Costs time and memory in proportion to the source.
///
/// ```
/// let source = "Tree(version:1,root:Wait( 2.0 ), // rests\n)";
/// let formatted = pleach_asset::format_str("rest.ron", source).unwrap();
/// assert_eq!(formatted, "Tree(\n    version: 1,\n    root: Wait(2.0), // rests\n)\n");
/// ```
///
/// # The style
///
/// - A bracket stays broken, one item per line, if there is a line break behind its opening
///   bracket, a blank line or a comment `//` between its items, or a string of several lines.
///   Remove the line break to join it.
/// - Any other bracket stands on one line if it fits in 120 characters. If it does not, and its
///   last item ends in a bracket that is broken, or longer than all before it, only that one is
///   broken: `Sequence(name: "a", children: [`. That holds for parentheses inside others. Otherwise
///   each item gets a line of its own.
/// - Four spaces per level; `name: value`; `[a, b]`, `(a, b)` and `{ "a": b }`; a comma behind the
///   last item only where the bracket is broken.
/// - Comments stay at the item that they stand at: above it, or behind it on its line. One inside
///   an item, as in `name: // why`, moves above it. Comment lines keep their text.
/// - Blank lines between items stay, several become one; at the beginning and end of a bracket
///   there are none. The file ends with a line break.
/// - A byte order mark stays. If the first line that ends outside of texts and comments ends with
///   `\r\n`, all lines do; texts of several lines and comments `/* .. */` keep what is in them.
///
/// # Errors
/// The source is not RON: the same syntax error as that of [`load_str`](crate::load_str). The
/// meaning of the file is not checked.
pub fn format_str(file: &str, source: &str) -> Result<String, Report> {
    let (file, source): (Arc<str>, Arc<str>) = (file.into(), source.into());
    let told = |finding| Report::new(&file, &source, vec![finding]);
    syntax::read_tree(&source).map_err(told)?;
    let text = layout::write(&source, &pieces::of(&source), newline(&source));
    if let Some(at) = difference(&source, &text) {
        let message = "pleach cannot format this without a change of what it says";
        let help = "this is a mistake in pleach: report it with the file, which stays as it is";
        return Err(told(Finding::new(Code::NotWritten, at, message).help(help)));
    }
    Ok(text)
}

/// The first token of a source that is not at its place in a text, or the beginning if the text
/// lacks a comment. Texts with the same tokens read as equal: reading looks at nothing else. A
/// comma after the last item of a bracket does not count.
fn difference(source: &str, text: &str) -> Option<Span> {
    let (mut ours, mut theirs) = (Significant::new(source), Significant::new(text));
    loop {
        let (a, b) = (ours.next(), theirs.next());
        if a.map(|it| &source[it.start()..it.end()]) != b.map(|it| &text[it.start()..it.end()]) {
            return Some(a.unwrap_or(Span::new(source.len(), source.len())));
        }
        if a.is_none() {
            break;
        }
    }
    (comments(source) != comments(text)).then(|| Span::new(0, 0))
}

/// The tokens that make up what a source says.
struct Significant<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Significant<'s> {
    fn new(source: &'s str) -> Self {
        Significant { source, at: span::start(source) }
    }
}

impl Iterator for Significant<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        loop {
            let token = lex::token(self.source, self.at);
            if token.kind == Kind::End {
                return None;
            }
            self.at = token.end();
            let is_last = || matches!(lex::token(self.source, token.end()).kind, Kind::Sign(')' | ']' | '}'));
            if token.kind != Kind::Sign(',') || !is_last() {
                return Some(token.span);
            }
        }
    }
}

/// The comments of a source, in the order of their texts: one that moves out of an item may change
/// places with another.
fn comments(source: &str) -> Vec<&str> {
    let mut all = Vec::new();
    // Line comments lose trailing white space.
    between_tokens(source, |_, comment| all.push(source[comment.start()..comment.end()].trim_end()));
    all.retain(|it| !it.is_empty());
    all.sort_unstable();
    all
}

/// The line ending: that of the first line that ends outside strings and comments.
fn newline(source: &str) -> &'static str {
    let mut first = None;
    between_tokens(source, |white, _| {
        first = first.or_else(|| Some(white.start() + source[white.start()..white.end()].find('\n')?));
    });
    match first {
        Some(at) if source[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Passes on all white space, each with the comment after it, which may be empty.
fn between_tokens(source: &str, mut each: impl FnMut(Span, Span)) {
    let mut at = span::start(source);
    loop {
        let token = lex::token(source, at);
        while let Some(it) = lex::next_comment(&source[..token.start()], at) {
            each(Span::new(at, it.start()), it);
            at = it.end();
        }
        each(Span::new(at, token.start()), Span::new(at, at));
        if token.kind == Kind::End {
            return;
        }
        at = token.end();
    }
}

#[cfg(test)]
mod tests;
