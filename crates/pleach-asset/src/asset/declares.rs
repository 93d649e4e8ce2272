//! Where a tree declares its keys, and which declarations are wrong.

use std::collections::HashSet;

use pleach_core::schema::Scope;

use crate::span::Span;

/// Where a tree declares the keys of each scope: at the field, or the word `Tree` without one. Two
/// trees with the same keys are the same, whatever the order of their fields.
#[derive(Debug, PartialEq)]
pub(crate) struct Declares {
    pub(crate) agent: Span,
    pub(crate) group: Span,
    pub(crate) global: Span,
}

impl Declares {
    pub(crate) fn at(&self, scope: Scope) -> Span {
        match scope {
            Scope::Node | Scope::Agent => self.agent,
            Scope::Group => self.group,
            Scope::Global => self.global,
        }
    }
}

/// Wrong declarations, already reported: their uses are not reported as well.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Broken {
    /// Keys whose type is not even known.
    pub(crate) keys: HashSet<String>,
    /// Events whose payload is not known.
    pub(crate) events: HashSet<String>,
    /// Whether all keys of a scope are lost.
    pub(crate) all_keys: bool,
    /// Whether holes are lost, of a template or of the file.
    pub(crate) holes: bool,
    /// Whether all events are lost.
    pub(crate) all_events: bool,
}
