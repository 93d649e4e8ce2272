//! Where things stand in a source.

use std::fmt;

/// A range of bytes of the source. All spans are equal: what was read is compared regardless of
/// place, and this lets every type derive `PartialEq`.
#[derive(Clone, Copy, Default)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Span { start: narrow(start), end: narrow(end.max(start)) }
    }

    pub(crate) fn start(self) -> usize {
        self.start as usize
    }

    pub(crate) fn end(self) -> usize {
        self.end as usize
    }

    /// Whether another lies in it.
    pub(crate) fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// How many bytes it holds.
    pub(crate) fn size(self) -> usize {
        self.end().saturating_sub(self.start())
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// A place in a source, or in a list that is no longer than one.
pub(crate) fn narrow(it: usize) -> u32 {
    u32::try_from(it).unwrap_or(u32::MAX)
}

/// Where a source begins: after the byte order mark that some editors write.
pub(crate) fn start(source: &str) -> usize {
    if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// An identifier or a string, and its place; for a string, with its quotes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) span: Span,
}
