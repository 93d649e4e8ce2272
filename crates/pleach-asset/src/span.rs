//! Where things stand in a source, and [`Text`]: a part of a source that costs no copy.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A range of bytes of the source. All spans are equal: what was read is compared without where it
/// stood, and this lets every type derive that.
#[derive(Clone, Copy, Default)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        let narrow = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        Span { start: narrow(start), end: narrow(end.max(start)) }
    }

    pub(crate) fn start(self) -> usize {
        self.start as usize
    }

    pub(crate) fn end(self) -> usize {
        self.end as usize
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

/// Where a source begins: after the mark that some editors put before UTF-8.
pub(crate) fn start(source: &str) -> usize {
    if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// An identifier or a string, and where it stands; of a string, with its quotes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    pub(crate) text: Text,
    pub(crate) span: Span,
}

/// A text. Most are parts of a source, which they share: an asset has some ten of them per node.
#[derive(Clone)]
pub(crate) struct Text(Of);

#[derive(Clone)]
enum Of {
    /// Invariant: the span is in the source, and begins and ends between characters.
    Part(Arc<str>, Span),
    Static(&'static str),
}

impl Text {
    /// What stands there.
    pub(crate) fn part(source: &Arc<str>, span: Span) -> Self {
        Text(Of::Part(Arc::clone(source), span))
    }

    /// A text that stands nowhere as it is.
    pub(crate) fn own(text: &str) -> Self {
        Text(Of::Part(text.into(), Span::new(0, text.len())))
    }
}

impl From<&'static str> for Text {
    fn from(text: &'static str) -> Self {
        Text(Of::Static(text))
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Of::Part(source, span) => &source[span.start()..span.end()],
            Of::Static(text) => text,
        }
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text {}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
