//! From values to an [`Asset`]: which fields there are, and of which type. Records every problem
//! and reads on.

mod allow;
mod cases;
mod entries;
mod events;
mod holes;
mod include;
mod keys;
mod nameless;
mod node;
mod parameter;
mod ports;
mod services;

pub(crate) use events::payload_name;
pub(crate) use include::EMPTY;
pub(crate) use ports::{literal, type_name};

use std::collections::HashMap;

use pleach_core::names::{Near, near};
use pleach_core::{kinds::NodeKind, schema::Scope};

use crate::asset::{
    Arguments, AssetNode, AssetTree, Body, Broken, BuiltIn, Declares, EventEntry, HoleEntry, Interrupt, KeyEntry,
    Nodes, PortEntry, Template,
};
use crate::code::Code;
use crate::finding::{Finding, Findings};
use crate::foreign;
use crate::span::{Span, Word};
use crate::suggest::{Advice, did_you_mean, list, suggest, unquoted};
use crate::syntax::{A_TREE, Args, Data, Fields, Value};
use crate::tree_fields::TREE_FIELDS;

/// The version of the format that this crate reads and writes.
pub const FORMAT_VERSION: u64 = 1;

/// The state of the pass.
struct AssetReader {
    findings: Findings,
    /// How many nodes have been read.
    nodes: usize,
    /// How many keys have been declared.
    keys: usize,
    /// Whether there was a node that includes another file, or a hole.
    includes: bool,
    /// Whether the default of a hole is being read.
    in_default: bool,
    broken: Broken,
}

/// Reads the whole file. An error means that nothing usable is left.
pub(crate) fn asset(value: Value<'_>) -> Result<(AssetTree<'_>, Findings), Findings> {
    let mut reader = AssetReader {
        findings: Findings::default(),
        nodes: 0,
        keys: 0,
        includes: false,
        in_default: false,
        broken: Broken::default(),
    };
    match reader.tree(value) {
        Some(tree) => Ok((tree, reader.findings)),
        None => Err(reader.findings),
    }
}

impl AssetReader {
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Finding {
        self.findings.push(Finding::new(code, span, message))
    }

    /// [`near`], while problems are still kept: a million names that no report shows are not
    /// looked up.
    fn meant<'a>(&self, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<Near<'a>> {
        if self.findings.is_full() { None } else { near(name, candidates) }
    }

    /// Which field was meant: one with this name in another system, or else the nearest.
    fn meant_field<'c>(&self, field: &str, known: &[&'c str]) -> Option<Near<'c>> {
        if self.findings.is_full() {
            None
        } else {
            let foreign = foreign::field(field, known).map(|name| Near { name, tie: None, slips: None });
            foreign.or_else(|| near(field, known.iter().copied()))
        }
    }

    fn tree<'a>(&mut self, value: Value<'a>) -> Option<AssetTree<'a>> {
        let span = value.span();
        let (head, fields) = match value.data() {
            Data::Call(Some(head), args) if head.text == "Tree" => match args {
                Args::Named(fields) => (head, fields),
                Args::None | Args::Tuple(_) => {
                    self.error(
                        Code::Nameless,
                        head.span,
                        "the fields of `Tree` have names: `Tree(version: 1, root: ..)`",
                    );
                    return None;
                }
            },
            _ => {
                let first = Span::new(span.start(), span.end().min(span.start() + 1));
                let finding = self.error(Code::NotATree, first, format!("expected `Tree(..)`, found {}", value.what()));
                finding.help = match value.data() {
                    Data::Call(Some(Word { text: "Manifest", .. }), _) => {
                        Some("this is a manifest, which lists leaves, not a tree".into())
                    }
                    Data::Call(Some(Word { text: "Tests", .. }), _) => {
                        Some("these are tests of a tree: `pleach test` runs them".into())
                    }
                    _ => Some(A_TREE.into()),
                };
                return None;
            }
        };
        let known = TREE_FIELDS.map(|it| it.name);
        let (mut version, mut name, mut note, mut root) = (None, None, None, None);
        let mut allow = Vec::new();
        let (mut keys, mut interrupts) = (Vec::<KeyEntry<'a>>::new(), Vec::<Interrupt<'a>>::new());
        let mut templates_from = Vec::new();
        let (mut templates, mut holes) = (Vec::<Template<'a>>::new(), Vec::<HoleEntry<'a>>::new());
        let (mut events, mut ports) = (Vec::<EventEntry<'a>>::new(), Vec::<PortEntry<'a>>::new());
        // A misspelt field is not missing.
        let mut meant = Vec::new();
        let mut declares = Declares { agent: head.span, group: head.span, global: head.span };
        for (field, value) in fields.without(&self.doubled(fields, "Tree")) {
            match field.text {
                "blackboard" => declares.agent = field.span,
                "group" => declares.group = field.span,
                "global" => declares.global = field.span,
                _ => {}
            }
            match field.text {
                "version" => version = Some(value),
                "name" => name = self.text(field, value),
                "note" => note = self.text(field, value),
                "allow" => allow = self.allow(field, value),
                "blackboard" => self.keys(Scope::Agent, value, &mut keys),
                "group" => self.keys(Scope::Group, value, &mut keys),
                "global" => self.keys(Scope::Global, value, &mut keys),
                "locals" => self.locals(value, &mut keys),
                "events" => events.extend(self.events(value)),
                "ports" => ports = self.ports(value),
                "nodes" => holes = self.holes(value),
                "templates" => templates = self.templates(value),
                "templates_from" => {
                    self.includes = true;
                    templates_from = self.lenders(field, value);
                }
                "interrupts" => interrupts = self.interrupts(value),
                "root" => root = Some(value),
                other => {
                    let near = self.meant_field(other, &known);
                    let help = did_you_mean(near).unwrap_or_else(|| format!("its fields are {}", list(&known)).into());
                    let near = near.map(|it| it.name);
                    meant.extend(near);
                    self.error(Code::UnknownField, field.span, format!("`Tree` has no field `{other}`")).help =
                        Some(help);
                    // Uses of its keys or events are not errors too.
                    match near {
                        Some("blackboard") => self.keys(Scope::Agent, value, &mut keys),
                        Some("locals") => self.locals(value, &mut keys),
                        Some("group") => self.keys(Scope::Group, value, &mut keys),
                        Some("global") => self.keys(Scope::Global, value, &mut keys),
                        Some("events") => events.extend(self.events(value)),
                        Some("ports") => ports = self.ports(value),
                        Some("nodes") => holes = self.holes(value),
                        Some("root") if root.is_none() => root = Some(value),
                        _ => {}
                    }
                }
            }
        }
        if version.is_some() || !meant.contains(&"version") {
            self.version(head.span, version);
        }
        if root.is_none() && templates.is_empty() {
            if !meant.contains(&"root") {
                self.error(Code::MissingField, head.span, "the tree has no `root`");
            }
            return None;
        }
        // In the order in which they are written: those of different scopes have no common order.
        keys.sort_by_key(|it| it.scope);
        // The core puts a selector over them and the root, and a guard over each.
        let depth = if interrupts.iter().any(|it| !it.run.whole().disabled) { 2 } else { 1 };
        let has_root = root.is_some();
        let root = root.map_or_else(|| Some(nothing(head)), |it| self.node(it, depth))?;
        if root.whole().disabled {
            self.error(Code::DisabledRoot, root.whole().kind.span, "the root cannot be disabled");
        }
        self.doubled_slots(interrupts.iter().map(|it| &it.run).chain([&root]).chain(defaults(&holes)));
        templates.iter().for_each(|it| self.doubled_slots([&it.root].into_iter().chain(defaults(&it.holes))));
        let broken = std::mem::take(&mut self.broken);
        self.doubled_locals(&mut keys, &ports);
        for port in &ports {
            if let Some(key) = keys.iter().find(|it| it.scope == Scope::Agent && it.name.text == port.name.text) {
                let message = format!("`{}` is a port and a key of the blackboard: rename one of them", port.name.text);
                self.findings
                    .push(Finding::new(Code::DoubledName, port.name.span, message).also(key.name.span, "the key"));
            }
        }
        Some(AssetTree {
            name,
            note,
            allow,
            keys,
            declares,
            events,
            ports,
            holes,
            templates,
            templates_from,
            interrupts,
            root,
            has_root,
            includes: self.includes,
            broken,
        })
    }

    fn version(&mut self, head: Span, version: Option<Value<'_>>) {
        let Some(value) = version else {
            self.error(Code::Version, head, "the tree does not say its `version`").help =
                Some("write `version: 1`".into());
            return;
        };
        match crate::literal::unsigned(value.data()) {
            Some(FORMAT_VERSION) => {}
            Some(other) => {
                self.error(
                    Code::Version,
                    value.span(),
                    format!("unknown format version {other}: this pleach reads version {FORMAT_VERSION}"),
                );
            }
            None => {
                self.error(Code::Version, value.span(), format!("`version` must be a number, not {}", value.what()));
            }
        }
    }

    /// Reports doubled fields, and returns where they are: the first of each counts.
    fn doubled(&mut self, fields: Fields<'_, '_>, owner: &str) -> Vec<u32> {
        let mut doubled = Vec::new();
        if fields.are_few_and_differ() {
            return doubled;
        }
        // Few fields in sane files, but a hostile one can have a million.
        let mut few = [""; FEW];
        let mut many: HashMap<&str, Span> = HashMap::new();
        for (count, (field, value)) in fields.enumerate() {
            let first = if count < FEW {
                few[count] = field.text;
                let first = few[..count].iter().position(|it| *it == field.text);
                first.and_then(|it| fields.take(it + 1).last()).map(|it| it.0.span)
            } else {
                if count == FEW {
                    fields.take(count).for_each(|it| _ = many.entry(it.0.text).or_insert(it.0.span));
                }
                let first = many.get(field.text).copied();
                many.entry(field.text).or_insert(field.span);
                first
            };
            if let Some(first) = first {
                let message = format!("`{owner}` has two fields `{}`", field.text);
                self.findings.push(Finding::new(Code::DoubledField, field.span, message).also(first, "the first"));
                doubled.push(value.name_place());
            }
        }
        doubled
    }

    fn text<'a>(&mut self, field: Word<'_>, value: Value<'a>) -> Option<Word<'a>> {
        let span = value.span();
        match value.data() {
            Data::Text(text) => Some(Word { text, span }),
            _ => {
                self.error(
                    Code::WrongValue,
                    span,
                    format!("`{}` must be a string, not {}", field.text, value.what()),
                )
                .help = bare(value);
                None
            }
        }
    }

    fn interrupts<'a>(&mut self, value: Value<'a>) -> Vec<Interrupt<'a>> {
        let Data::List(items) = value.data() else {
            self.error(Code::WrongValue, value.span(), format!("`interrupts` must be a list, not {}", value.what()));
            return Vec::new();
        };
        items.filter_map(|it| self.interrupt(it)).collect()
    }

    fn interrupt<'a>(&mut self, value: Value<'a>) -> Option<Interrupt<'a>> {
        let ([when, run], _) = self.pair(value, "interrupt", ["when", "run"], None)?;
        let when = self.parameter(format_args!("an interrupt"), &NodeKind::INTERRUPT_FIELDS[0], when);
        let run = self.node(run, 3);
        Some(Interrupt { when: when?, run: run? })
    }

    /// A nameless struct of two fields, an interrupt or a service, perhaps with a third, optional
    /// one.
    fn pair<'a>(
        &mut self,
        value: Value<'a>,
        owner: &str,
        names: [&str; 2],
        third: Option<&str>,
    ) -> Option<([Value<'a>; 2], Option<Value<'a>>)> {
        let span = value.span();
        let Data::Call(None, Args::Named(fields)) = value.data() else {
            let ([a, b], what) = (names, value.what());
            let message = format!("expected an {owner} as `({a}: .., {b}: ..)`, found {what}");
            // The node is there, and its other fields are not.
            let help = match value.data() {
                Data::Call(Some(node), Args::None) => Some(format!("write `({a}: .., {b}: {})`", node.text)),
                Data::Call(Some(node), _) => Some(format!("write `({a}: .., {b}: {}(..))`", node.text)),
                _ => None,
            };
            self.error(Code::WrongValue, first(span), message).help = help.map(Into::into);
            return None;
        };
        let mut found = [None, None];
        let mut extra = None;
        let known: Vec<&str> = names.into_iter().chain(third).collect();
        // A misspelt field is not missing.
        let mut meant = Vec::new();
        for (field, value) in fields.without(&self.doubled(fields, owner)) {
            match names.iter().position(|it| *it == field.text) {
                Some(at) => found[at] = Some(value),
                None if third == Some(field.text) => extra = Some(value),
                None => {
                    let near = self.meant_field(field.text, &known);
                    let help = did_you_mean(near).unwrap_or_else(|| format!("its fields are {}", list(&known)).into());
                    let near = near.map(|it| it.name);
                    // Its value counts, unless that is there too.
                    if let Some(at) = names.iter().position(|it| Some(*it) == near && field.text != *it) {
                        found[at] = found[at].or(Some(value));
                    }
                    self.error(Code::UnknownField, field.span, format!("an {owner} has no field `{}`", field.text))
                        .help = Some(help);
                    meant.extend(near);
                }
            }
        }
        for (name, found) in names.iter().zip(&found) {
            if found.is_none() && !meant.contains(name) {
                self.error(Code::MissingField, first(span), format!("the {owner} has no `{name}`"));
            }
        }
        let [a, b] = found;
        Some(([a?, b?], extra))
    }
}

/// Help for a word where a string is wanted.
fn bare(value: Value<'_>) -> Option<Advice> {
    match value.data() {
        Data::Call(Some(word), Args::None) => unquoted(word.text),
        _ => None,
    }
}

/// The placeholder root of a file that has only templates.
fn nothing(head: Word<'_>) -> Nodes<'_> {
    let body = Body::BuiltIn(BuiltIn { kind: NodeKind::Succeed, fields: Arguments::default() });
    Nodes(vec![AssetNode::new(Word { text: NodeKind::Succeed.name(), ..head }, body)])
}

/// Up to this many fields, comparing is faster than hashing.
const FEW: usize = 16;

/// The first character of something that may span many lines.
fn first(span: Span) -> Span {
    Span::new(span.start(), span.end().min(span.start() + 1))
}

/// The defaults of holes.
fn defaults<'n, 'a>(holes: &'n [HoleEntry<'a>]) -> impl Iterator<Item = &'n Nodes<'a>> {
    holes.iter().flat_map(|it| it.default.iter().flatten())
}
