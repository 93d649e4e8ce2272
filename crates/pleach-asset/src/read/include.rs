//! What stands in place of a node: `Subtree(asset: "fight.ron", with: { "target": "suspect" })`,
//! `Use("go", { "to": "home" })`, `Slot(name: "weapon", trees: ["sword.ron", "bow.ron"])`.

use std::collections::HashMap;

use pleach_core::error::SchemaError;
use pleach_core::expr::{is_name, is_word};

use super::node::Below;
use super::{AssetReader, first};
use crate::asset::{AssetNode, Body, Given, Include, Nodes, Sort, Takes, Template, With};
use crate::code::Code;
use crate::path;
use crate::span::{Span, Word};
use crate::suggest::{did_you_mean, list};
use crate::syntax::{Args, Data, Value};

/// The word of a slot that holds nothing.
pub(crate) const EMPTY: &str = "empty";

/// The names of such nodes.
const SORTS: [(&str, Sort); 5] = [
    ("Subtree", Sort::Subtree),
    ("Use", Sort::Use),
    ("Slot", Sort::Slot),
    (Takes::One.written(), Sort::Hole(Takes::One)),
    (Takes::Many.written(), Sort::Hole(Takes::Many)),
];

/// Whether a node of that name includes something else.
pub(super) fn sort_of(name: &str) -> Option<Sort> {
    SORTS.iter().find(|it| it.0 == name).map(|it| it.1)
}

/// Its own fields: the required ones, and the optional ones.
fn fields(sort: Sort) -> (&'static [&'static str], &'static [&'static str]) {
    match sort {
        Sort::Subtree => (&["asset"], &["with", "nodes"]),
        Sort::Use => (&["template"], &["with", "nodes"]),
        Sort::Slot => (&["name", "trees"], &["initial", "with"]),
        Sort::Hole(_) => (&["hole"], &[]),
    }
}

/// The most files in `templates_from`.
const MAX_LENDERS: usize = 64;

impl AssetReader {
    /// Reads all of it except the nodes given for holes, which are returned.
    pub(super) fn include<'a>(&mut self, node: &mut AssetNode<'a>, sort: Sort, args: Args<'a>) -> Below<'a> {
        let head = node.kind;
        let mut include = Include::new(sort);
        let mut below = Below::default();
        self.includes = true;
        let (needed, more) = fields(sort);
        // A misspelt or wrong field is not missing.
        let mut found: Vec<&str> = Vec::new();
        match args {
            Args::None => {}
            Args::Tuple(mut values) => {
                let positional: Vec<&str> = needed.iter().chain(more).copied().collect();
                for name in &positional {
                    let Some(value) = values.next() else { break };
                    found.push(name);
                    self.include_field(
                        (node, &mut include, &mut below),
                        Word { text: name, span: value.span() },
                        value,
                    );
                }
                if let Some(more) = values.next() {
                    let message = format!("without field names, `{}` takes only {}", head.text, list(&positional));
                    self.error(Code::Nameless, first(more.span()), message).help =
                        Some("to give other fields, write their names".into());
                }
            }
            Args::Named(fields) => {
                // The nodes given for a hole have a name and an id of their own.
                let common: &[&str] =
                    if let Sort::Hole(_) = sort { &["disabled"] } else { &["name", "id", "note", "allow", "disabled"] };
                for (field, value) in fields.without(&self.doubled(fields, head.text)) {
                    let is_common = common.contains(&field.text);
                    if needed.contains(&field.text) || more.contains(&field.text) || is_common {
                        found.push(field.text);
                        self.include_field((node, &mut include, &mut below), field, value);
                        continue;
                    }
                    let known: Vec<&str> = needed
                        .iter()
                        .chain(more)
                        .chain(common.iter().filter(|it| !needed.contains(it)))
                        .copied()
                        .collect();
                    let near = self.meant_field(field.text, &known);
                    let help = did_you_mean(near).unwrap_or_else(|| match field.text {
                        "child" | "children" if more.contains(&"nodes") => {
                            "what it runs is in the file or template that it names; give nodes for its holes with `nodes: {..}`".into()
                        }
                        "name" | "id" | "note" | "allow" => "write it on the node that is given for the hole".into(),
                        _ => format!("its fields are {}", list(&known)).into(),
                    });
                    let near = near.map(|it| it.name);
                    found.extend(near);
                    include.lost_with |= near == Some("with");
                    include.lost_fillings |= near == Some("nodes");
                    self.error(
                        Code::UnknownField,
                        field.span,
                        format!("`{}` has no field `{}`", head.text, field.text),
                    )
                    .help = Some(help);
                }
            }
        }
        for field in needed.iter().filter(|it| !found.contains(it)) {
            let (what, example) = match *field {
                "asset" => ("the name of a file", "write `asset: \"other.ron\"`, relative to this file"),
                "template" => ("a template of this file", "write `Use(\"name\")`"),
                "name" => ("what the slot is called", "write `name: \"weapon\"`"),
                "hole" => ("the name of a hole", "write `Node(\"body\")`, and declare it: `nodes: { \"body\": One }`"),
                _ => ("the files that it can hold", "write `trees: [\"sword.ron\", \"bow.ron\"]`"),
            };
            self.error(Code::MissingField, head.span, format!("`{}` needs `{field}`: {what}", head.text)).help =
                Some(example.into());
        }
        if sort == Sort::Slot {
            self.slot(node, &include);
        }
        node.body = Body::Include(Box::new(include));
        below
    }

    fn include_field<'a>(
        &mut self,
        (node, include, below): (&mut AssetNode<'a>, &mut Include<'a>, &mut Below<'a>),
        field: Word<'_>,
        value: Value<'a>,
    ) {
        match field.text {
            "asset" | "template" | "hole" => include.asset = self.text(field, value),
            "initial" => include.initial = self.text(field, value),
            "with" => self.with(value, include),
            "nodes" => below.single = self.fillings(value, include).into_iter(),
            "trees" => {
                let Some(trees) = self.files(field, value) else { return };
                include.trees = trees;
                if matches!(value.data(), Data::List(items) if items.is_empty()) {
                    self.error(
                        Code::MissingField,
                        first(value.span()),
                        "a slot needs at least one file that it can hold",
                    );
                }
            }
            _ => self.common(node, field, value),
        }
    }

    /// A list of names of files.
    pub(super) fn files<'a>(&mut self, field: Word<'_>, value: Value<'a>) -> Option<Vec<Word<'a>>> {
        let Data::List(items) = value.data() else {
            let message = format!("`{}` must be a list of files, not {}", field.text, value.what());
            self.error(Code::WrongValue, first(value.span()), message);
            return None;
        };
        Some(items.filter_map(|it| self.text(field, it)).collect())
    }

    /// The files whose templates a file can use, each once.
    pub(super) fn lenders<'a>(&mut self, field: Word<'_>, value: Value<'a>) -> Vec<Word<'a>> {
        let mut files = self.files(field, value).unwrap_or_default();
        if let Some(more) = files.get(MAX_LENDERS) {
            self.error(Code::Limit, more.span, format!("more than {MAX_LENDERS} files in `templates_from`"));
            files.truncate(MAX_LENDERS);
        }
        let mut seen: HashMap<&str, Span> = HashMap::new();
        files.retain(|it| {
            let first = seen.insert(it.text, it.span);
            if first.is_some() {
                self.error(Code::DoubledName, it.span, format!("`{}` is there twice", it.text)).also =
                    first.map(|it| Box::new((it, "before".into())));
            }
            first.is_none()
        });
        files
    }

    /// A slot's name is that of a key, and its files are known by their stems.
    fn slot(&mut self, node: &AssetNode<'_>, include: &Include<'_>) {
        if let Some(name) = node.name.filter(|it| !is_name(it.text)) {
            self.error(Code::BadName, name.span, SchemaError::BadName(name.text.into()).to_string());
        }
        let mut seen: HashMap<&str, Span> = HashMap::from([(EMPTY, Span::default())]);
        for tree in &include.trees {
            let stem = path::file_stem(tree.text);
            if !is_word(stem) {
                let message =
                    format!("`{stem}` cannot be the word of a slot: use letters, digits and `_` in the file's name");
                self.error(Code::SlotTrees, tree.span, message);
            } else if let Some(first) = seen.insert(stem, tree.span) {
                let message = match stem {
                    EMPTY => format!("`{EMPTY}` means an empty slot: rename the file"),
                    _ => format!("another file of this slot is also called `{stem}`: rename one of them"),
                };
                let finding = self.error(Code::DoubledName, tree.span, message);
                if stem != EMPTY {
                    finding.also = Some(Box::new((first, "the first".into())));
                }
            }
        }
        if let Some(initial) = include.initial.filter(|it| !seen.contains_key(it.text)) {
            let mut words: Vec<&str> = seen.keys().copied().collect();
            words.sort_unstable();
            let help = self.meant(initial.text, words.iter().copied());
            let help = did_you_mean(help).unwrap_or_else(|| format!("its words are {}", list(&words)).into());
            self.error(Code::SlotTrees, initial.span, format!("the slot has no tree `{}`", initial.text)).help =
                Some(help);
        }
    }

    fn with<'a>(&mut self, value: Value<'a>, include: &mut Include<'a>) {
        let Data::Map(entries) = value.data() else {
            let message = format!("`with` must be a map from ports to keys or values, not {}", value.what());
            self.error(Code::WrongValue, first(value.span()), message).help =
                Some("write `with: { \"port\": \"key\" }`".into());
            include.lost_with = true;
            return;
        };
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for (name, value) in entries.entries() {
            let span = name.span();
            let Data::Text(text) = name.data() else {
                self.error(
                    Code::WrongValue,
                    span,
                    format!("the name of a port must be a string, not {}", name.what()),
                )
                .help = super::bare(name);
                include.lost_with = true;
                continue;
            };
            if let Some(first) = seen.insert(text, span) {
                let finding = self.error(Code::DoubledName, span, format!("the port `{text}` is given twice"));
                finding.also = Some(Box::new((first, "the first".into())));
                continue;
            }
            let given = match value.data() {
                Data::Text(key) => Given::Key(key),
                Data::Literal(_) | Data::List(_) | Data::Map(_) | Data::Call(..) => Given::Literal(value),
            };
            include.with.push(With { port: Word { text, span }, value: given, span: value.span() });
        }
    }

    /// Reports slots of one name, which would share a key.
    pub(super) fn doubled_slots<'n, 'a: 'n>(&mut self, nodes: impl Iterator<Item = &'n Nodes<'a>>) {
        if !self.includes {
            return;
        }
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for node in nodes.flat_map(Nodes::enabled).filter(|it| it.include().is_some_and(|it| it.sort == Sort::Slot)) {
            let Some(name) = node.name else { continue };
            if let Some(first) = seen.insert(name.text, name.span) {
                let finding =
                    self.error(Code::DoubledName, name.span, format!("another slot is also called `{}`", name.text));
                finding.also = Some(Box::new((first, "the first".into())));
            }
        }
    }

    /// Parts of the file that are used in several places: `{ "go": (ports: {..}, root: ..) }`.
    pub(super) fn templates<'a>(&mut self, value: Value<'a>) -> Vec<Template<'a>> {
        let Data::Map(entries) = value.data() else {
            let message = format!("templates must be a map like {{ \"go\": (root: ..) }}, not {}", value.what());
            self.error(Code::WrongValue, first(value.span()), message);
            return Vec::new();
        };
        let mut templates: Vec<Template<'a>> = Vec::new();
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for (name, value) in entries.entries() {
            let span = name.span();
            let Data::Text(text) = name.data() else {
                self.error(
                    Code::WrongValue,
                    span,
                    format!("the name of a template must be a string, not {}", name.what()),
                )
                .help = super::bare(name);
                continue;
            };
            if let Some(first) = seen.insert(text, span) {
                let finding = self.error(Code::DoubledName, span, format!("the template `{text}` is declared twice"));
                finding.also = Some(Box::new((first, "the first".into())));
                continue;
            }
            templates.extend(self.template(Word { text, span }, value));
        }
        templates
    }

    fn template<'a>(&mut self, name: Word<'a>, template: Value<'a>) -> Option<Template<'a>> {
        let Data::Call(None, Args::Named(fields)) = template.data() else {
            let message = format!("expected a template as `(ports: {{..}}, root: ..)`, found {}", template.what());
            self.error(Code::WrongValue, first(template.span()), message);
            return None;
        };
        let (mut note, mut ports, mut holes, mut root) = (None, Vec::new(), Vec::new(), None);
        let mut locals = Vec::new();
        let known = ["note", "ports", "nodes", "locals", "root"];
        // A misspelt field is not missing.
        let mut meant = None;
        for (field, value) in fields.without(&self.doubled(fields, "template")) {
            match field.text {
                "note" => note = self.text(field, value),
                "ports" => ports = self.ports(value),
                "nodes" => holes = self.holes(value),
                "locals" => self.locals(value, &mut locals),
                "root" => root = Some(value),
                other => {
                    let near = self.meant_field(other, &known);
                    let help = did_you_mean(near).unwrap_or_else(|| format!("its fields are {}", list(&known)).into());
                    let near = near.map(|it| it.name);
                    meant = meant.or(near);
                    // Uses of its ports, holes or locals are not errors too.
                    match near {
                        Some("ports") => ports = self.ports(value),
                        Some("nodes") => holes = self.holes(value),
                        Some("locals") => self.locals(value, &mut locals),
                        _ => {}
                    }
                    self.error(Code::UnknownField, field.span, format!("a template has no field `{other}`")).help =
                        Some(help);
                }
            }
        }
        let Some(root) = root else {
            if meant != Some("root") {
                self.error(Code::MissingField, name.span, format!("the template `{}` has no `root`", name.text));
            }
            return None;
        };
        let root = self.node(root, 1)?;
        if root.whole().disabled {
            self.error(Code::DisabledRoot, root.whole().kind.span, "the root of a template cannot be disabled");
        }
        self.doubled_locals(&mut locals, &ports);
        Some(Template { name, note, ports, holes, locals, root, span: template.span() })
    }
}
