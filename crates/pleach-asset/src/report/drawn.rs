//! A report drawn as compilers do it, with the source line and a caret.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Renderer, Snippet};

use super::{Diagnostic, Report, Severity, SourceFile, floor, line_of, position};

/// The most bytes of the source that are drawn: a file may be one line of ten megabytes.
const MAX_SHOWN: usize = 4096;

/// Marks a place in the renderer's text whose line and column are to be removed: two characters
/// without a meaning, which no source is likely to have.
const CUT: &str = "\u{e000}\u{e001}";

impl Report {
    /// The same text as [`Display`](std::fmt::Display) writes, with ANSI colours, for terminals.
    #[must_use]
    #[cfg_attr(docsrs, doc(cfg(feature = "reports")))]
    pub fn styled(&self) -> String {
        self.render(&Renderer::styled())
    }

    pub(super) fn drawn(&self) -> String {
        self.render(&Renderer::plain())
    }

    fn render(&self, renderer: &Renderer) -> String {
        let (shown, more) = self.shown();
        let mut parts: Vec<String> = shown.iter().map(|it| self.draw(it, renderer)).collect();
        if more > 0 {
            parts.push(self.more_text(more));
        }
        parts.join("\n\n")
    }

    fn draw(&self, it: &Diagnostic, renderer: &Renderer) -> String {
        let level = match it.severity() {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = level.primary_title(it.message.as_str()).id(it.code()).elements(it.snippets());
        let included = it.included_by().map(|it| format!("included by {it}"));
        if let Some(included) = &included {
            group = group.element(Level::NOTE.message(included.as_str()));
        }
        if let Some(help) = &it.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let groups: [Group<'_>; 1] = [group];
        let mut text = renderer.render(&groups);
        while let Some(at) = text.find(CUT) {
            let rest = &text[at + CUT.len()..];
            let end = text.len() - rest.trim_start_matches(|it: char| it == ':' || it.is_ascii_digit()).len();
            text.replace_range(at..end, "");
        }
        text
    }
}

impl Diagnostic {
    /// The lines to show.
    fn snippets(&self) -> Vec<Element<'_>> {
        let mut snippets = self.file.snippets(self);
        if let Some((file, span, label)) = &self.other {
            snippets.push(file.snippet(file.lines(span), &[(span, label.as_str(), AnnotationKind::Context)]));
        }
        snippets
    }
}

impl SourceFile {
    /// The lines of this file to show. Too long ones are cut, and lines far apart come in parts.
    fn snippets<'a>(&'a self, it: &'a Diagnostic) -> Vec<Element<'a>> {
        let primary = self.lines(&it.span);
        let mark = (&it.span, "", AnnotationKind::Primary);
        let Some((span, label)) = &it.also else { return vec![self.snippet(primary, &[mark])] };
        let context = (span, label.as_str(), AnnotationKind::Context);
        let other = self.lines(span);
        let both = primary.start.min(other.start)..primary.end.max(other.end);
        if both.len() <= MAX_SHOWN {
            return vec![self.snippet(both, &[mark, context])];
        }
        vec![self.snippet(primary, &[mark]), self.snippet(other, &[context])]
    }

    /// The line in which a span begins, or as much of it as is reasonable.
    fn lines(&self, span: &Range<usize>) -> Range<usize> {
        let (_, from) = line_of(&self.source, span.start);
        let rest = &self.source[span.start..];
        let to = span.start + rest.find('\n').unwrap_or(rest.len());
        if to - from <= MAX_SHOWN {
            return from..to;
        }
        let cut = floor(&self.source, span.start.saturating_sub(MAX_SHOWN / 2).max(from));
        cut..floor(&self.source, (cut + MAX_SHOWN).min(to))
    }

    /// A part of the source with its marks, the first of which gives it its place.
    fn snippet<'a>(&'a self, part: Range<usize>, marks: &[(&Range<usize>, &'a str, AnnotationKind)]) -> Element<'a> {
        let (line, from) = line_of(&self.source, part.start);
        let mut snippet = Snippet::source(&self.source[part.clone()]).line_start(line);
        snippet = if part.start == from {
            snippet.path(&*self.name)
        } else {
            // Columns are counted from the beginning of the part, which is not that of the line.
            let (line, column) = position(&self.source, marks[0].0.start);
            snippet.path(format!("{}:{line}:{column}{CUT}", self.name))
        };
        for (span, label, kind) in marks {
            let start = span.start.clamp(part.start, part.end) - part.start;
            let end = span.end.clamp(part.start + start, part.end) - part.start;
            let mark = kind.span(start..end);
            snippet = snippet.annotation(if label.is_empty() { mark } else { mark.label(*label) });
        }
        snippet.into()
    }
}
