//! [`Asset`]: a tree as a file describes it, before anyone asks whether its leaves exist.

mod declares;
mod include;
mod role;
mod walk;

use std::fmt;
use std::ops::Deref;
use std::str::Utf8Error;
use std::sync::Arc;

use pleach_core::{
    Host, Outcome, Tree, Type,
    kinds::{NodeField, NodeKind},
    nodes::{Abort, Case, Policy},
    schema::{KeyDefault, Scope},
};

use crate::code::Code;
use crate::finding::{Finding, Findings};
use crate::report::Report;
use crate::span::{Span, Word};
use crate::syntax::{Args, Data, HostCall, Values};
use crate::{Registry, build, path::file_stem, read, syntax};
pub(crate) use declares::{Broken, Declares};
pub(crate) use include::{Filling, Given, HoleEntry, Include, PortEntry, Sort, Takes, Template, With};
pub(crate) use role::Role;

/// A tree as a file describes it: well-formed, with every built-in node's parameters of the right
/// type; [`build`](Asset::build) checks whether keys, expressions and leaves exist.
///
/// Two assets are equal if they say the same, at any positions in their files. Notes are kept,
/// comments of the source are not.
#[derive(Clone)]
pub struct Asset {
    pub(crate) file: Arc<str>,
    pub(crate) source: Arc<str>,
    pub(crate) values: Arc<Values>,
}

/// The contents of an asset, as values that borrow from its source.
#[derive(Debug, PartialEq)]
pub(crate) struct AssetTree<'a> {
    pub(crate) name: Option<Word<'a>>,
    pub(crate) note: Option<Word<'a>>,
    /// The codes of warnings that it silences.
    pub(crate) allow: Vec<Word<'a>>,
    pub(crate) keys: Vec<KeyEntry<'a>>,
    pub(crate) declares: Declares,
    pub(crate) events: Vec<EventEntry<'a>>,
    pub(crate) ports: Vec<PortEntry<'a>>,
    pub(crate) holes: Vec<HoleEntry<'a>>,
    pub(crate) templates: Vec<Template<'a>>,
    /// The files whose templates it uses, too.
    pub(crate) templates_from: Vec<Word<'a>>,
    pub(crate) interrupts: Vec<Interrupt<'a>>,
    pub(crate) root: Nodes<'a>,
    /// Whether the root is written: a file with templates for others needs none.
    pub(crate) has_root: bool,
    /// Whether it has nodes that include others, or holes.
    pub(crate) includes: bool,
    pub(crate) broken: Broken,
}

/// A key's declaration.
#[derive(Debug, PartialEq)]
pub(crate) struct KeyEntry<'a> {
    pub(crate) scope: Scope,
    pub(crate) name: Word<'a>,
    pub(crate) default: KeyDefault,
    /// Where each of a symbol's words stands.
    pub(crate) words: Vec<Span>,
    /// Whether it is one of the `locals`, of the file, of a template or of a node.
    pub(crate) local: bool,
}

/// An event's declaration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EventEntry<'a> {
    pub(crate) name: Word<'a>,
    pub(crate) payload: Option<Type>,
}

/// What may take over from the root.
#[derive(Debug, PartialEq)]
pub(crate) struct Interrupt<'a> {
    pub(crate) when: Argument<'a>,
    pub(crate) run: Nodes<'a>,
}

/// A service of a composite.
#[derive(Debug, PartialEq)]
pub(crate) struct Service<'a> {
    pub(crate) every: Argument<'a>,
    pub(crate) jitter: Option<Argument<'a>>,
    pub(crate) run: Nodes<'a>,
}

/// A node and everything below it, in pre-order. Never empty.
#[derive(Debug, PartialEq)]
pub(crate) struct Nodes<'a>(pub(crate) Vec<AssetNode<'a>>);

/// The same, as a slice of a larger list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subtree<'a>(&'a [AssetNode<'a>]);

/// One node.
#[derive(Debug, PartialEq)]
pub(crate) struct AssetNode<'a> {
    pub(crate) kind: Word<'a>,
    pub(crate) name: Option<Word<'a>>,
    pub(crate) body: Body<'a>,
    /// The number of nodes in its subtree, itself included.
    pub(crate) size: u32,
    pub(crate) disabled: bool,
    /// Something of it could not be read, and has been reported.
    pub(crate) broken: bool,
    pub(crate) abort: Option<(Abort, Span)>,
    rest: Option<Box<Rest<'a>>>,
}

/// Fields that few nodes have.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Rest<'a> {
    pub(crate) id: Option<Word<'a>>,
    pub(crate) note: Option<Word<'a>>,
    /// The codes of warnings that it silences.
    pub(crate) allow: Vec<Word<'a>>,
    /// The span of the whole node, if it silences any.
    pub(crate) whole: Span,
    pub(crate) services: Vec<Service<'a>>,
    pub(crate) keys: Vec<KeyEntry<'a>>,
    /// The values of a switch's children, except the default.
    pub(crate) cases: Vec<CaseEntry>,
    /// Whether the last child is the default of a switch.
    pub(crate) default: bool,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Body<'a> {
    BuiltIn(BuiltIn<'a>),
    Leaf(HostCall<'a>),
    Include(Box<Include<'a>>),
}

/// Fields that only built-in nodes have.
#[derive(Debug, PartialEq)]
pub(crate) struct BuiltIn<'a> {
    pub(crate) kind: NodeKind,
    pub(crate) fields: Arguments<'a>,
}

/// A case of a switch.
#[derive(Debug, PartialEq)]
pub(crate) struct CaseEntry {
    pub(crate) value: Case,
    pub(crate) span: Span,
}

/// A parameter of a built-in with its value.
#[derive(Debug, PartialEq)]
pub(crate) struct Argument<'a> {
    pub(crate) field: &'static NodeField,
    pub(crate) span: Span,
    pub(crate) value: Param<'a>,
}

/// The parameters of a built-in. Most have at most one, which needs no list.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Arguments<'a> {
    first: Option<Argument<'a>>,
    #[allow(clippy::box_collection, reason = "few nodes have it")]
    more: Option<Box<Vec<Argument<'a>>>>,
}

impl<'a> Arguments<'a> {
    pub(crate) fn push(&mut self, it: Argument<'a>) {
        match self.first {
            None => self.first = Some(it),
            Some(_) => self.more.get_or_insert_default().push(it),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Argument<'a>> {
        self.first.iter().chain(self.more.iter().flat_map(|it| &**it))
    }

    /// The first, if there is no other.
    pub(crate) fn only(&self) -> Option<&Argument<'a>> {
        self.first.as_ref().filter(|_| self.more.is_none())
    }

    pub(crate) fn sort_by_key<K: Ord>(&mut self, key: impl FnMut(&Argument<'a>) -> K) {
        if let Some(more) = self.more.take() {
            let mut all: Vec<Argument<'_>> = self.first.take().into_iter().chain(*more).collect();
            all.sort_by_key(key);
            all.into_iter().for_each(|it| self.push(it));
        }
    }
}

/// A number, and how it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number<'a> {
    pub(crate) text: &'a str,
    pub(crate) value: f64,
    pub(crate) span: Span,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Param<'a> {
    Number(Number<'a>),
    Count(u32),
    Bool(bool),
    Text(&'a str),
    Texts(Vec<Word<'a>>),
    Numbers(Vec<Number<'a>>),
    Outcome(Outcome),
    Policy(Policy),
    /// One of the words that are fixed for its field.
    Word(&'static str),
    Leaf(Nodes<'a>),
}

/// The fields of a node that has none of them.
static NOTHING: Rest<'_> = Rest {
    id: None,
    note: None,
    allow: Vec::new(),
    whole: Span { start: 0, end: 0 },
    services: Vec::new(),
    keys: Vec::new(),
    cases: Vec::new(),
    default: false,
};

impl<'a> AssetNode<'a> {
    pub(crate) fn new(kind: Word<'a>, body: Body<'a>) -> Self {
        AssetNode { kind, name: None, body, size: 1, disabled: false, broken: false, abort: None, rest: None }
    }

    pub(crate) fn built_in(&self) -> Option<&BuiltIn<'a>> {
        match &self.body {
            Body::BuiltIn(it) => Some(it),
            Body::Leaf(_) | Body::Include(_) => None,
        }
    }

    /// What it includes, if anything.
    pub(crate) fn include(&self) -> Option<&Include<'a>> {
        match &self.body {
            Body::Include(it) => Some(it),
            Body::Leaf(_) | Body::BuiltIn(_) => None,
        }
    }

    /// The name of the instance that replaces it; a slot's instances have names below it.
    pub(crate) fn instance_name(&self) -> Option<&'a str> {
        let include = self.include()?;
        let own = self.name.map(|it| it.text);
        own.or_else(|| include.asset.map(|it| if include.sort == Sort::Use { it.text } else { file_stem(it.text) }))
    }

    /// Its fields that few nodes have.
    pub(crate) fn rest(&self) -> &Rest<'a> {
        self.rest.as_deref().unwrap_or(&NOTHING)
    }

    pub(crate) fn rest_mut(&mut self) -> &mut Rest<'a> {
        self.rest.get_or_insert_default()
    }

    /// Ends the reading: an empty rest counts as not written.
    pub(crate) fn drop_empty_rest(&mut self) {
        self.rest.take_if(|it| **it == Rest::default());
    }
}

impl<'a> BuiltIn<'a> {
    pub(crate) fn field(&self, name: &str) -> Option<&Argument<'a>> {
        self.fields.iter().find(|it| it.field.name == name)
    }
}

impl<'a> Nodes<'a> {
    /// The whole tree.
    pub(crate) fn whole(&self) -> Subtree<'_> {
        Subtree(&self.0)
    }

    /// The nodes that are not disabled, nor below one that is, in pre-order.
    pub(crate) fn enabled(&self) -> impl Iterator<Item = &AssetNode<'a>> {
        enabled(&self.0).map(|it| it.1)
    }
}

/// With their places.
fn enabled<'n, 'a>(nodes: &'n [AssetNode<'a>]) -> impl Iterator<Item = (usize, &'n AssetNode<'a>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let node = nodes.get(at)?;
            if !node.disabled {
                at += 1;
                return Some((at - 1, node));
            }
            at += node.size as usize;
        }
    })
}

impl<'a> Subtree<'a> {
    pub(crate) fn node(self) -> &'a AssetNode<'a> {
        &self.0[0]
    }

    /// This subtree and every one below it, without disabled ones.
    pub(crate) fn enabled_subtrees(self) -> impl Iterator<Item = Subtree<'a>> {
        enabled(self.0).map(|(at, it)| Subtree(&self.0[at..at + it.size as usize]))
    }

    /// Its children, including disabled ones.
    pub(crate) fn children(self) -> Children<'a> {
        Children(&self.0[1..])
    }

    /// The enabled cases of a switch.
    pub(crate) fn enabled_cases(self) -> impl Iterator<Item = &'a CaseEntry> {
        self.enabled(&self.node().rest().cases)
    }

    /// From a list with one element per child (a switch's default aside), the elements whose child
    /// is enabled.
    pub(crate) fn enabled<T>(self, list: &'a [T]) -> impl Iterator<Item = &'a T> {
        let all = list.len() + usize::from(self.node().rest().default) != self.children().count();
        let mut children = self.children();
        list.iter().filter(move |_| children.next().is_none_or(|it| all || !it.disabled))
    }
}

impl<'a> Deref for Subtree<'a> {
    type Target = AssetNode<'a>;

    fn deref(&self) -> &AssetNode<'a> {
        &self.0[0]
    }
}

/// Sibling subtrees, in pre-order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Children<'a>(&'a [AssetNode<'a>]);

impl Children<'_> {
    pub(crate) fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> Iterator for Children<'a> {
    type Item = Subtree<'a>;

    fn next(&mut self) -> Option<Subtree<'a>> {
        let (child, rest) = self.0.split_at(self.0.first()?.size as usize);
        self.0 = rest;
        Some(Subtree(child))
    }
}

impl Asset {
    /// Reads an asset. `file` is its name in messages; nothing is opened.
    ///
    /// # Errors
    /// The first syntax error; or, if there is none, every problem that can be found without the
    /// host's leaves.
    pub fn parse(file: &str, source: &str) -> Result<Asset, Report> {
        let asset = Asset::read(file, source)?;
        match asset.tree() {
            Ok((_, findings)) if findings.is_empty() => Ok(asset),
            Ok((_, findings)) | Err(findings) => Err(asset.report(findings)),
        }
    }

    /// Reads an asset from bytes, which may be anything.
    ///
    /// # Errors
    /// As [`parse`](Asset::parse); and if the bytes are not UTF-8.
    pub fn parse_bytes(file: &str, bytes: &[u8]) -> Result<Asset, Report> {
        match std::str::from_utf8(bytes) {
            Ok(source) => Asset::parse(file, source),
            Err(error) => {
                let (shown, finding) = not_utf8(bytes, error);
                Err(Report::new(&file.into(), &shown.into(), vec![finding]))
            }
        }
    }

    /// Reads the syntax of arbitrary bytes, or reports what is wrong with them.
    pub(crate) fn read_bytes(file: &str, bytes: &[u8]) -> (Asset, Option<Finding>) {
        let source: Arc<str> = match std::str::from_utf8(bytes) {
            Ok(source) => source.into(),
            Err(error) => {
                let (shown, finding) = not_utf8(bytes, error);
                return (Asset { source: shown.into(), ..Asset::empty(file) }, Some(finding));
            }
        };
        match syntax::read_tree(&source) {
            Ok(values) => (Asset { file: file.into(), source, values: values.into() }, None),
            Err(error) => (Asset { source, ..Asset::empty(file) }, Some(error)),
        }
    }

    /// A file of which only the name is known.
    pub(crate) fn empty(file: &str) -> Asset {
        Asset { file: file.into(), source: "".into(), values: Values::default().into() }
    }

    /// Reads the syntax, for [`load_str`](crate::load_str) to look for more.
    pub(crate) fn read(file: &str, source: &str) -> Result<Asset, Report> {
        let (file, source): (Arc<str>, Arc<str>) = (file.into(), source.into());
        match syntax::read_tree(&source) {
            Ok(values) => Ok(Asset { file, source, values: values.into() }),
            Err(error) => Err(Report::new(&file, &source, vec![error])),
        }
    }

    /// Its contents, and their problems. An error if nothing usable is left.
    pub(crate) fn tree(&self) -> Result<(AssetTree<'_>, Findings), Findings> {
        read::asset(self.values.root())
    }

    pub(crate) fn report(&self, findings: impl Into<Findings>) -> Report {
        Report::new(&self.file, &self.source, findings)
    }

    /// Makes a tree of it, with leaves from `registry`.
    ///
    /// # Errors
    /// Every problem: unknown leaves, wrong parameters, expressions that do not compile.
    pub fn build<H: Host>(&self, registry: &Registry<H>) -> Result<Tree<H>, Report> {
        build::build(self, registry)
    }

    /// The name of the tree: what the file says, or else the file's own name without directory and
    /// extension.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text("name").unwrap_or_else(|| file_stem(&self.file))
    }

    /// The note on the tree.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.text("note")
    }

    /// A text of the tree as a whole.
    fn text(&self, field: &str) -> Option<&str> {
        let Data::Call(_, Args::Named(mut fields)) = self.values.root().data() else { return None };
        match fields.find(|it| it.0.text == field)?.1.data() {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The file's name, as it was given.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Writes it as RON, always in the same form. Reading that gives an equal asset.
    #[cfg(feature = "reports")]
    #[cfg_attr(docsrs, doc(cfg(feature = "reports")))]
    #[must_use]
    pub fn to_ron(&self) -> String {
        self.tree().map(|it| crate::write::asset(&it.0)).unwrap_or_default()
    }
}

/// The part of the bytes that is needed to show what is wrong with them.
fn not_utf8(bytes: &[u8], error: Utf8Error) -> (String, Finding) {
    let at = error.valid_up_to();
    // What follows the wrong byte is not needed to show it.
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(at + 100)]).into_owned();
    let message = format!("the file is not UTF-8: byte {at} (0x{:02x}) is invalid", bytes[at]);
    (shown, Finding::new(Code::NotATree, Span::new(at, at + 3), message).help("save the file as UTF-8"))
}

impl PartialEq for Asset {
    fn eq(&self, other: &Self) -> bool {
        matches!((self.tree(), other.tree()), (Ok(a), Ok(b)) if a.0 == b.0)
    }
}

impl fmt::Debug for Asset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asset").field("file", &self.file).field("values", &self.values.root()).finish()
    }
}
