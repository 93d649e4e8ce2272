//! The gap between two tokens: comments and line breaks.

use crate::lex::{self, Token};
use crate::span::Span;

#[derive(Clone, Copy, Debug)]
pub(super) struct Comment {
    pub(super) span: Span,
    /// The line breaks before it.
    pub(super) lines: usize,
}

impl Comment {
    /// Whether it can stand before something else on its line.
    pub(super) fn is_short(&self, source: &str) -> bool {
        let text = &source[self.span.start()..self.span.end()];
        text.starts_with("/*") && !text.contains('\n')
    }
}

#[derive(Debug, Default)]
pub(super) struct Gap {
    pub(super) comments: Vec<Comment>,
    /// The line breaks after the last comment, or in the whole gap if there is none.
    pub(super) last: usize,
    /// The line breaks before the first.
    begin: Option<usize>,
}

impl Gap {
    /// The gap before a token, after the end of the one before it. The beginning of a file begins a
    /// line.
    pub(super) fn before(source: &str, end: usize, next: Token, is_first: bool) -> Gap {
        let (mut at, mut comments) = (end, Vec::new());
        let mut lines = usize::from(is_first);
        let until = &source[..next.start()];
        while let Some(span) = lex::next_comment(until, at) {
            lines += breaks(&source[at..span.start()]);
            comments.push(Comment { span, lines });
            (at, lines) = (span.end(), 0);
        }
        let last = lines + breaks(&source[at..next.start()]);
        let begin = comments.first().map(|it| it.lines).or(Some(last));
        Gap { comments, last, begin }
    }

    pub(super) fn of(comment: Comment) -> Gap {
        Gap { comments: vec![comment], last: 0, begin: Some(comment.lines) }
    }

    /// Appends the gap after a comma to the gap before it.
    pub(super) fn append(&mut self, other: Gap) {
        let from = self.comments.len();
        self.comments.extend(other.comments);
        // Those before a comma without a comment do not count.
        let carried = if from > 0 { self.last } else { 0 };
        match self.comments.get_mut(from) {
            Some(it) => {
                it.lines += carried;
                self.last = other.last;
            }
            None => self.last = carried + other.last,
        }
        self.begin = if from > 0 { self.begin } else { other.begin };
    }

    /// Whether a line begins with the first of it.
    pub(super) fn begins_line(&self) -> bool {
        self.begin.is_some_and(|it| it > 0)
    }

    /// How many comments are on the line of the token before them.
    pub(super) fn on_line(&self) -> usize {
        self.comments.iter().take_while(|it| it.lines == 0).count()
    }

    /// The comments on lines of their own, and those after them on the line of the next token.
    pub(super) fn of_next(&self, source: &str) -> (Vec<Comment>, &[Comment]) {
        let (mut from, mut lines) = (self.comments.len(), self.last);
        while let Some(it) = from.checked_sub(1).map(|it| &self.comments[it])
            && lines == 0
            && it.is_short(source)
        {
            lines = it.lines;
            from -= 1;
        }
        let (own, before) = self.comments.split_at(from);
        (own.to_vec(), before)
    }
}

fn breaks(white: &str) -> usize {
    white.bytes().filter(|it| *it == b'\n').count()
}
