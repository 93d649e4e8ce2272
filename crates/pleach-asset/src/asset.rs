//! [`Asset`]: a tree as a file describes it, before anyone asks whether its leaves exist.

use std::sync::Arc;

use pleach_core::{Abort, Case, Host, KeyDefault, NodeKind, Outcome, Policy, Scope, Tree, Type};

use crate::finding::{Finding, Findings};
use crate::report::Report;
use crate::span::{Span, Text, Word};
use crate::syntax::Value;
use crate::{Registry, build, read, syntax, write};

/// A tree as a file describes it: well-formed, with every built-in node's parameters of the right
/// type; whether keys, expressions and leaves exist is asked by [`build`](Asset::build).
///
/// Two assets are equal when they say the same, wherever it stands in their files. Comments of the
/// source are not kept; notes are.
#[derive(Clone, Debug, PartialEq)]
pub struct Asset {
    pub(crate) origin: Origin,
    pub(crate) name: Option<Word>,
    pub(crate) note: Option<Word>,
    pub(crate) keys: Vec<KeyEntry>,
    pub(crate) events: Vec<EventEntry>,
    pub(crate) interrupts: Vec<Interrupt>,
    pub(crate) root: AssetNode,
}

/// The file that an asset was read from; not a part of what it says.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) file: Arc<str>,
    pub(crate) source: Arc<str>,
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A key's declaration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeyEntry {
    pub(crate) scope: Scope,
    pub(crate) name: Word,
    pub(crate) default: KeyDefault,
    /// Where each of a symbol's words stands.
    pub(crate) words: Vec<Span>,
}

/// An event's declaration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EventEntry {
    pub(crate) name: Word,
    pub(crate) payload: Option<Type>,
}

/// What may take over from the root.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Interrupt {
    pub(crate) when: Argument,
    pub(crate) run: AssetNode,
}

/// A service of a composite.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Service {
    pub(crate) every: Argument,
    pub(crate) run: AssetNode,
}

/// One node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AssetNode {
    pub(crate) kind: Word,
    pub(crate) name: Option<Word>,
    pub(crate) id: Option<Word>,
    pub(crate) note: Option<Word>,
    pub(crate) disabled: bool,
    pub(crate) body: Body,
    /// Something of it could not be read, and has been reported.
    pub(crate) broken: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    BuiltIn(BuiltIn),
    /// A leaf of the host: a call with its parameters as they are written, without the fields that
    /// every node has. It is shared with what makes the leaf.
    Leaf(Arc<Value>),
}

/// What only built-in nodes have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BuiltIn {
    pub(crate) kind: NodeKind,
    pub(crate) fields: Fields,
    /// What leaves do not have.
    pub(crate) parent: Option<Box<Parent>>,
}

/// What only composites and decorators have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parent {
    pub(crate) abort: Option<(Abort, Span)>,
    pub(crate) services: Vec<Service>,
    pub(crate) keys: Vec<KeyEntry>,
    /// Of a switch the values of its children, but for the default.
    pub(crate) cases: Vec<CaseEntry>,
    /// Whether the last child is the default of a switch.
    pub(crate) default: bool,
    pub(crate) children: Vec<AssetNode>,
}

/// A case of a switch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CaseEntry {
    pub(crate) value: Case,
    pub(crate) span: Span,
}

/// A parameter of a built-in with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) span: Span,
    pub(crate) value: Param,
}

/// The parameters of a built-in. Most have at most one, which needs no list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fields {
    first: Option<Argument>,
    more: Vec<Argument>,
}

impl Fields {
    pub(crate) fn push(&mut self, it: Argument) {
        match self.first {
            None => self.first = Some(it),
            Some(_) => self.more.push(it),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Argument> {
        self.first.iter().chain(&self.more)
    }

    /// The first, if there is no other.
    pub(crate) fn only(&self) -> Option<&Argument> {
        self.first.as_ref().filter(|_| self.more.is_empty())
    }

    pub(crate) fn sort_by_key<K: Ord>(&mut self, key: impl FnMut(&Argument) -> K) {
        if !self.more.is_empty() {
            let mut all: Vec<Argument> = self.first.take().into_iter().chain(self.more.drain(..)).collect();
            all.sort_by_key(key);
            all.into_iter().for_each(|it| self.push(it));
        }
    }
}

/// A number, and how it was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Number {
    pub(crate) text: Text,
    pub(crate) value: f64,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Param {
    Number(Number),
    Count(u32),
    Bool(bool),
    Text(Text),
    Texts(Vec<Word>),
    Numbers(Vec<Number>),
    Outcome(Outcome),
    Policy(Policy),
    Leaf(Box<AssetNode>),
}

impl AssetNode {
    pub(crate) fn built_in(&self) -> Option<&BuiltIn> {
        match &self.body {
            Body::BuiltIn(it) => Some(it),
            Body::Leaf(_) => None,
        }
    }
}

/// That of leaves.
static NO_PARENT: Parent = Parent {
    abort: None,
    services: Vec::new(),
    keys: Vec::new(),
    cases: Vec::new(),
    default: false,
    children: Vec::new(),
};

impl BuiltIn {
    /// What it has as a parent; a leaf has nothing of it.
    pub(crate) fn parent(&self) -> &Parent {
        self.parent.as_deref().unwrap_or(&NO_PARENT)
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Argument> {
        self.fields.iter().find(|it| it.name == name)
    }

    /// The enabled cases of a switch.
    pub(crate) fn enabled_cases(&self) -> impl Iterator<Item = &CaseEntry> {
        self.enabled(&self.parent().cases)
    }

    /// Of a list with one element for each child but the default of a switch, those whose child is
    /// enabled.
    pub(crate) fn enabled<'a, T>(&'a self, list: &'a [T]) -> impl Iterator<Item = &'a T> {
        let Parent { default, children, .. } = self.parent();
        let matches = list.len() + usize::from(*default) == children.len();
        list.iter().enumerate().filter(move |it| !matches || !children[it.0].disabled).map(|it| it.1)
    }
}

impl Asset {
    /// Reads an asset. `file` is its name in messages; nothing is opened.
    ///
    /// # Errors
    /// The first syntax error; or, if the syntax is right, everything that can be known to be wrong
    /// without the host's leaves.
    pub fn parse(file: &str, source: &str) -> Result<Asset, Report> {
        let (asset, findings) = Asset::read(file, source)?;
        if findings.is_empty() { Ok(asset) } else { Err(asset.report(findings)) }
    }

    /// Reads an asset from bytes, which may be anything.
    ///
    /// # Errors
    /// As [`parse`](Asset::parse); and if the bytes are not UTF-8.
    pub fn parse_bytes(file: &str, bytes: &[u8]) -> Result<Asset, Report> {
        match std::str::from_utf8(bytes) {
            Ok(source) => Asset::parse(file, source),
            Err(error) => {
                let at = error.valid_up_to();
                // What follows the wrong byte is not needed to show it.
                let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(at + 100)]);
                let message = format!("the file is not UTF-8: byte {at} (0x{:02x}) cannot stand here", bytes[at]);
                let finding = Finding::error(Span::new(at, at + 3), message).help("save the file as UTF-8");
                Err(Report::new(&file.into(), &shown.as_ref().into(), vec![finding]))
            }
        }
    }

    /// Reads as much as can be read, for [`load_str`](crate::load_str) to look for more.
    pub(crate) fn read(file: &str, source: &str) -> Result<(Asset, Findings), Report> {
        let origin = Origin { file: file.into(), source: source.into() };
        let fatal = |findings: Findings| Report::new(&origin.file, &origin.source, findings);
        let value = syntax::read(&origin.source).map_err(|it| fatal(vec![it].into()))?;
        read::asset(value, origin.clone()).map_err(fatal)
    }

    pub(crate) fn report(&self, findings: impl Into<Findings>) -> Report {
        Report::new(&self.origin.file, &self.origin.source, findings)
    }

    /// Makes a tree of it, with leaves from `registry`.
    ///
    /// # Errors
    /// Everything that is wrong: unknown leaves, wrong parameters, expressions that do not compile.
    pub fn build<H: Host>(&self, registry: &Registry<H>) -> Result<Tree<H>, Report> {
        build::build(self, registry, Findings::default())
    }

    /// The name of the tree: what the file says, or else the file's own name without directory and
    /// extension.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.name {
            Some(it) => &it.text,
            None => {
                let file = self.origin.file.rsplit(['/', '\\']).next().unwrap_or_default();
                let stem = file.split('.').next().unwrap_or_default();
                if stem.is_empty() { "tree" } else { stem }
            }
        }
    }

    /// The note on the tree.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.note.as_ref().map(|it| &*it.text)
    }

    /// The file's name, as it was given.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.origin.file
    }

    /// Writes it as RON, always in the same form. Reading that gives an equal asset.
    #[must_use]
    pub fn to_ron(&self) -> String {
        write::asset(self)
    }
}

/// What a leaf is used as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Node,
    /// It runs beside a composite. It can be disabled, and has no other field of nodes.
    Service,
    /// It is asked by another node, and has no fields but its parameters.
    Test,
}
