//! [`Finding`]: a problem that is found while the source is not at hand.

use std::collections::HashSet;

use pleach_core::limits::MAX_PROBLEMS;

use crate::code::{Code, Severity};
use crate::span::Span;
use crate::suggest::Advice;

/// One problem, while the source is not at hand.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) code: Code,
    pub(crate) span: Span,
    pub(crate) message: String,
    pub(crate) help: Option<Advice>,
    pub(crate) also: Option<Box<(Span, String)>>,
    /// The file that it is in, if that is not the current one.
    pub(crate) file: Option<FileAt>,
    /// A place in another file, with a label.
    pub(crate) other: Option<Box<(FileAt, Span, String)>>,
    /// It is an unknown leaf, at its name.
    pub(crate) unknown_leaf: bool,
    /// The name of the leaf that refuses its parameters, if these are not just misspelt.
    pub(crate) refused_by: Option<Span>,
}

/// The place of a file among those that are loaded together.
pub(crate) type FileAt = u32;

impl Finding {
    pub(crate) fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Finding {
            code,
            span,
            message: message.into(),
            help: None,
            also: None,
            file: None,
            other: None,
            unknown_leaf: false,
            refused_by: None,
        }
    }

    pub(crate) fn help(mut self, help: impl Into<Advice>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Marks this as the name of an unknown leaf.
    pub(crate) fn of_unknown_leaf(mut self) -> Self {
        self.unknown_leaf = true;
        self
    }

    pub(crate) fn maybe_help(mut self, help: Option<Advice>) -> Self {
        self.help = help.or(self.help);
        self
    }

    pub(crate) fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.also = Some(Box::new((span, label.into())));
        self
    }

    /// A second place, which may be in another file.
    pub(crate) fn also_at(self, (file, span): (FileAt, Span), label: impl Into<String>) -> Self {
        if self.file.unwrap_or_default() == file { self.also(span, label) } else { self.other(file, span, label) }
    }

    /// Whether it is about a bracket that closes something.
    pub(crate) fn is_closing(&self, source: &str) -> bool {
        source[self.span.start()..].starts_with([')', ']', '}'])
    }

    pub(crate) fn in_file(mut self, file: FileAt) -> Self {
        self.file = Some(file);
        self
    }

    pub(crate) fn other(mut self, file: FileAt, span: Span, label: impl Into<String>) -> Self {
        self.other = Some(Box::new((file, span, label.into())));
        self
    }
}

/// Problems as they are found: the first [`MAX_PROBLEMS`] are kept, the rest are only counted. A
/// file of some megabytes can have a million of them.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    kept: Vec<Finding>,
    /// The latest of those only counted, as the caller that pushes it may add more to it.
    spare: Option<Box<Finding>>,
    more: usize,
    /// The current file.
    file: FileAt,
    /// With several files, what was found: the same problem may come up again wherever a file is
    /// included.
    seen: Option<HashSet<(FileAt, u32, String)>>,
    /// How many were repeats.
    repeated: usize,
}

impl Findings {
    /// For several files, each of which may be visited more than once.
    pub(crate) fn of_files() -> Self {
        Findings { seen: Some(HashSet::new()), ..Findings::default() }
    }

    /// From now on, leaves out repeats.
    pub(crate) fn tell_once(&mut self) {
        self.seen.get_or_insert_default();
    }

    /// Findings from now on are in this file, unless they say otherwise.
    pub(crate) fn set_file(&mut self, file: FileAt) {
        self.file = file;
    }

    pub(crate) fn push(&mut self, mut it: Finding) -> &mut Finding {
        if let Some(seen) = &mut self.seen {
            let file = *it.file.get_or_insert(self.file);
            if !seen.insert((file, it.span.start, it.message.clone())) {
                self.repeated += 1;
                return self.spare.insert(Box::new(it));
            }
        }
        if self.is_full() {
            self.more += 1;
            return self.spare.insert(Box::new(it));
        }
        self.kept.push(it);
        self.kept.last_mut().expect("just pushed")
    }

    /// Marks what `find` reports as refused by this leaf, unless it is only a misspelling.
    pub(crate) fn refused_by<T>(&mut self, leaf: Span, find: impl FnOnce(&mut Self) -> T) -> T {
        let from = self.kept.len();
        let found = find(self);
        let is_misspelt = |it: &Finding| it.help.as_ref().is_some_and(Advice::is_name);
        let refusals = self.kept[from..].iter_mut().filter(|it| !is_misspelt(it));
        refusals.for_each(|it| it.refused_by = Some(leaf));
        found
    }

    /// Whether the next one is only counted, so that looking for help is pointless.
    pub(crate) fn is_full(&self) -> bool {
        self.kept.len() >= MAX_PROBLEMS
    }

    /// Whether anything is wrong with a file.
    pub(crate) fn is_about(&self, file: FileAt) -> bool {
        self.kept.iter().any(|it| it.code.severity() == Severity::Error && it.file.unwrap_or_default() == file)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// How many were found, including those only counted or found before.
    pub(crate) fn count(&self) -> usize {
        self.kept.len() + self.more + self.repeated
    }

    /// Adds warnings while there is room: only errors are counted beyond that.
    pub(crate) fn warn(&mut self, warnings: Vec<Finding>) {
        for warning in warnings {
            if self.is_full() {
                break;
            }
            self.push(warning);
        }
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
        Findings { kept, ..Findings::default() }
    }
}
