//! What is found wrong while the source is not at hand: [`Finding`].

use std::fmt;

use pleach_core::limits::MAX_PROBLEMS;

use crate::span::Span;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The tree can be used, but something in it is probably not meant.
    Warning,
    /// There is no tree.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// One problem, while the source is not at hand.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    pub(crate) span: Span,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) also: Option<(Span, String)>,
}

impl Finding {
    pub(crate) fn error(span: Span, message: impl Into<String>) -> Self {
        Finding { severity: Severity::Error, span, message: message.into(), help: None, also: None }
    }

    pub(crate) fn warning(span: Span, message: impl Into<String>) -> Self {
        Finding { severity: Severity::Warning, ..Finding::error(span, message) }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    pub(crate) fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.also = Some((span, label.into()));
        self
    }
}

/// Problems as they are found: the first [`MAX_PROBLEMS`] are kept, and the rest is counted. A
/// file of some megabytes can have a million of them.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    kept: Vec<Finding>,
    /// The latest of those that are only counted, as whoever pushes one may have more to say of it.
    spare: Option<Box<Finding>>,
    more: usize,
}

impl Findings {
    pub(crate) fn push(&mut self, it: Finding) -> &mut Finding {
        if self.is_full() {
            self.more += 1;
            return self.spare.insert(Box::new(it));
        }
        self.kept.push(it);
        self.kept.last_mut().expect("just pushed")
    }

    /// Whether the next one is only counted, so that looking for help is in vain.
    pub(crate) fn is_full(&self) -> bool {
        self.kept.len() >= MAX_PROBLEMS
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    pub(crate) fn count(&self) -> usize {
        self.kept.len() + self.more
    }

    /// Counts some that are not even found.
    pub(crate) fn add_more(&mut self, count: usize) {
        self.more += count;
    }

    /// Those that were kept, and how many more there are.
    pub(crate) fn into_parts(self) -> (Vec<Finding>, usize) {
        (self.kept, self.more)
    }

    pub(crate) fn append(&mut self, other: Findings) {
        self.more += other.more;
        for it in other.kept {
            self.push(it);
        }
    }
}

impl From<Vec<Finding>> for Findings {
    fn from(kept: Vec<Finding>) -> Self {
        Findings { kept, spare: None, more: 0 }
    }
}
