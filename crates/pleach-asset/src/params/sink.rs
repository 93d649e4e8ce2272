//! Problems of a leaf's parameters that do not end their reading: [`Sink`].

use std::cell::{Cell, RefCell};

use crate::code::Code;
use crate::finding::{Finding, Findings};
use crate::span::Span;
use crate::suggest::{Advice, list, suggest};

/// What has named values.
#[derive(Clone, Copy)]
pub(crate) enum Owner<'a> {
    /// A leaf has parameters.
    Leaf(&'a str),
    /// A struct in a parameter has fields: it may have the leaf's name.
    Struct(&'a str),
    /// A variant of an enum has fields.
    Variant(&'a str),
}

impl Owner<'_> {
    fn lacks(self, field: &str) -> String {
        match self {
            Owner::Leaf(name) => format!("`{name}` has no parameter `{field}`"),
            Owner::Struct(name) => format!("the struct `{name}` has no field `{field}`"),
            Owner::Variant(name) => format!("`{name}` has no field `{field}`"),
        }
    }

    fn takes_nothing(self) -> String {
        match self {
            Owner::Leaf(name) => format!("`{name}` takes no parameters"),
            Owner::Struct(name) => format!("the struct `{name}` has no fields"),
            Owner::Variant(name) => format!("`{name}` has no fields"),
        }
    }
}

/// Problems that do not end the reading, and whose they are.
pub(crate) struct Sink<'a> {
    pub(super) owner: &'a str,
    findings: RefCell<Findings>,
    /// Parameters are read several times, and unknown ones come up each time.
    told: Cell<bool>,
    /// What the leaf takes, once that is known: not every type that parameters can be read into
    /// says so.
    pub(super) takes: Cell<&'static [&'static str]>,
}

impl<'a> Sink<'a> {
    pub(crate) fn new(owner: &'a str) -> Self {
        Sink { owner, findings: RefCell::default(), told: Cell::new(false), takes: Cell::new(&[]) }
    }

    /// Help for a missing parameter. Serde reports only the first, and cannot tell which are
    /// optional.
    pub(crate) fn takes(&self) -> Option<Advice> {
        let takes = self.takes.get();
        (takes.len() > 1).then(|| format!("it takes {}", list(takes)).into())
    }

    /// What the first reading found.
    pub(crate) fn take(&mut self) -> Findings {
        self.told.set(true);
        self.findings.take()
    }

    pub(crate) fn unknown(&self, span: Span, owner: Owner<'_>, field: &str, fields: &[&str]) {
        let mut findings = self.findings.borrow_mut();
        if self.told.get() || findings.is_full() {
            findings.add_more(usize::from(!self.told.get()));
            return;
        }
        let help = match fields {
            [] => owner.takes_nothing().into(),
            _ => suggest(field, fields.iter().copied()).unwrap_or_else(|| format!("it takes {}", list(fields)).into()),
        };
        findings.push(Finding::new(Code::Parameters, span, owner.lacks(field)).help(help));
    }
}
