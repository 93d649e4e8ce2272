//! Missing quotes: strings that run on over the end of their line.

use super::{Kind, token};
use crate::code::Code;
use crate::finding::Finding;
use crate::span::Span;
use crate::suggest::{Advice, Edit};

/// The first string before a place that runs on over the end of its line, and is followed by
/// something that cannot stand there.
pub(super) fn runaway(source: &str, before: usize) -> Option<Finding> {
    let mut at = 0;
    loop {
        let string = token(source, at);
        at = string.end();
        let quote = Span::new(string.start(), string.start() + 1);
        match string.kind {
            Kind::Unclosed if string.text(source).starts_with('"') => return no_opening(source, quote),
            Kind::End | Kind::Unclosed => return None,
            _ if string.start() >= before => return None,
            _ => {}
        }
        let is_long = string.kind == Kind::Text && string.text(source).starts_with('"');
        if is_long && string.text(source).contains('\n') {
            let next = token(source, at);
            if !matches!(next.kind, Kind::Sign(',' | ':' | ')' | ']' | '}') | Kind::End) {
                if let Some(finding) = no_opening(source, quote) {
                    return Some(finding);
                }
                let finding = Finding::new(Code::OpenString, quote, "this string is not closed in its line");
                let closed = Span::new(at - 1, at);
                return Some(finding.also(closed, "so it ends here").help("write `\"` where it should end"));
            }
        }
    }
}

/// A string whose opening quote is missing: directly after a word, a quote can only close.
fn no_opening(source: &str, quote: Span) -> Option<Finding> {
    let before = &source[..quote.start()];
    before.ends_with(|it: char| it.is_alphanumeric()).then_some(())?;
    let start = before.rfind(['(', '[', '{', ',', ':', '\n', '"']).map_or(0, |it| it + 1);
    let text = before[start..].trim_start();
    let start = quote.start() - text.len();
    let edit = Edit::At(vec![(Span::new(start, start), "\"".into())]);
    Some(
        Finding::new(Code::OpenString, Span::new(start, quote.start()), "this string has no quote at its beginning")
            .also(quote, "it ends here")
            .help(Advice::from(format!("write `\"{}\"`", pleach_core::text::shorten(text, 40))).edit(edit)),
    )
}
