//! Completion: what can stand at the cursor.

mod cases;
mod expr;
mod insert;
mod keys;

use pleach::asset::{LeafKind, ValueType};
use pleach::tools::kinds::NodeClass;
use pleach::tools::{INCLUDES, file_stem, relative};
use serde_json::{Value as Json, json};

use crate::doc::{Doc, Form};
use crate::fields::{
    DIRECTIONS, Entries, Need, Role, Sort, Stands, TYPES, built_in, entry_roles, fields, item_role, positional,
};
use crate::hover;
use crate::names::{self, Key};
use crate::syntax::{At, Cursor, Shape};
use crate::targets;
use crate::workspace::Workspace;
use insert::{Insert, Kind, snippet_of, value_of};

/// What can stand at a place.
pub(crate) fn complete(workspace: &Workspace<'_>, doc: &Doc<'_>, byte: usize, has_snippets: bool) -> Json {
    if doc.syntax.in_comment(byte) {
        return json!([]);
    }
    let cursor = doc.syntax.cursor(byte);
    let mut list = List { workspace, doc, byte, cursor, has_snippets, items: Vec::new() };
    list.fill();
    Json::Array(list.items)
}

struct List<'a, 'g> {
    workspace: &'a Workspace<'g>,
    doc: &'a Doc<'g>,
    byte: usize,
    cursor: Cursor,
    has_snippets: bool,
    items: Vec<Json>,
}

impl<'g> List<'_, 'g> {
    fn fill(&mut self) {
        let Some(around) = self.cursor.around else { return self.file() };
        let touched = self.cursor.touched.filter(|it| self.doc.syntax.get(*it).shape == Shape::Text);
        if let Some(text) = touched {
            // Nothing can stand after its closing quote.
            let span = self.doc.syntax.word_span(&self.doc.text, text);
            if span.start <= self.byte && self.byte <= span.end {
                self.at_text(text);
            }
            return;
        }
        let (role, name) = (self.doc.role(around), self.doc.word(around).to_owned());
        match self.doc.syntax.get(around).shape {
            Shape::Call => self.in_call(around, role, &name),
            Shape::List => match role {
                Role::ListOf(items) => self.value(item_role(items, true), Some(item_role(items, false))),
                Role::Node(Stands::Filling) => self.value(Role::Node(Stands::Any), None),
                Role::NodeName | Role::Answer | Role::Words(_) => self.value(role, None),
                _ => {}
            },
            Shape::Map => {
                let Role::MapOf(entries) = role else { return };
                let (keys, values) = entry_roles(entries);
                if self.cursor.key.is_some() { self.value(values, None) } else { self.value(keys, None) }
            }
            Shape::Text | Shape::Literal | Shape::Word => {}
        }
    }

    /// At the beginning of a file.
    fn file(&mut self) {
        if self.doc.form() != Form::Begun {
            return;
        }
        let tree = "Tree(\n    version: 1,\n    root: $0,\n)\n";
        let tests =
            "Tests(\n    version: 1,\n    tree: \"$1\",\n    cases: {\n        \"$2\": (steps: [$0]),\n    },\n)\n";
        self.push(Insert::new("Tree", Kind::Node).snippet(tree).detail("a behaviour tree"));
        self.push(Insert::new("Tests", Kind::Node).snippet(tests).detail("test cases of a tree"));
    }

    fn in_call(&mut self, around: At, role: Role<'g>, name: &str) {
        let known = fields(self.workspace.manifest, role, name);
        if let Some(key) = self.cursor.key {
            if let Some(field) = known.iter().find(|it| it.name == self.doc.word(key)) {
                self.value(field.role, None);
            }
            return;
        }
        if role == Role::PortType {
            return self.words(TYPES);
        }
        // `Symbol("a", [..])` and the like have no fields.
        let items = &self.doc.syntax.get(around).items;
        let is_used = |name: &str| {
            let others = items.iter().enumerate().filter(|it| it.0 != self.cursor.item).filter_map(|it| it.1.key);
            others.into_iter().any(|it| self.doc.word(it) == name)
        };
        let unnamed = items.iter().take(self.cursor.item).all(|it| it.key.is_none());
        let free: Vec<_> = known.iter().filter(|it| !is_used(it.name)).copied().collect();
        let has_colon = items.get(self.cursor.item).is_some_and(|it| it.colon.is_some());
        if self.cursor.item == 0 || !unnamed {
            for field in free {
                let rank = match field.need {
                    Need::Required => 0,
                    _ if field.is_common => 2,
                    Need::Optional | Need::Default(_) => 1,
                };
                let value = if has_colon { String::new() } else { format!(": {}", value_of(field.role, 1)) };
                let insert = Insert::new(field.name, Kind::Field).snippet(&format!("{}{value}", field.name));
                self.push(insert.rank(rank).docs(hover::field(&field)).detail(&field.what.to_string()));
            }
        }
        if unnamed && !has_colon {
            let field = positional(self.workspace.manifest, role, name).into_iter().nth(self.cursor.item);
            if let Some(field) = field {
                self.value(field.role, None);
            }
        }
    }

    /// What can be written for a value of that role, or of the other.
    fn value(&mut self, role: Role<'g>, other: Option<Role<'g>>) {
        match role {
            Role::Node(stands) => self.nodes(stands),
            Role::Words(words) => self.words(words),
            Role::EventType => {
                self.words(TYPES);
                self.words(&["()"]);
            }
            Role::HoleType => self.words(&["One", "Many"]),
            Role::PortType => {
                for direction in DIRECTIONS {
                    self.push(Insert::new(direction, Kind::Word).snippet(&format!("{direction}($1)")));
                }
            }
            Role::KeyType => self.key_types(),
            Role::Declares(Sort::Key) => self.needed_keys(),
            Role::Parameter(ty) => self.parameter(ty),
            Role::Names(sort) | Role::Declares(sort @ Sort::Token) => self.names(sort),
            Role::Events => self.names(Sort::Event),
            Role::Connected => {
                self.names(Sort::Key);
                self.words(&["true", "false", "none"]);
            }
            Role::CaseValue => self.case_words(),
            Role::NodeName => self.node_names(),
            Role::LeafName => self.leaf_names(),
            Role::Answer => self.answers(),
            Role::Entry(_)
            | Role::Service
            | Role::Interrupt
            | Role::Template
            | Role::Case
            | Role::Step
            | Role::Others => {
                let all = fields(self.workspace.manifest, role, "");
                let needed = all.into_iter().filter(|it| it.need == Need::Required);
                let (label, text) = snippet_of("", needed);
                self.push(Insert::new(&label, Kind::Value).snippet(&text));
            }
            Role::Unknown
            | Role::File
            | Role::Field
            | Role::Text
            | Role::Expr
            | Role::Number
            | Role::Declares(_)
            | Role::ListOf(_)
            | Role::MapOf(_) => {}
        }
        if let Some(other) = other.filter(|it| *it != role) {
            self.value(other, None);
        }
    }

    /// Inside a string.
    fn at_text(&mut self, at: At) {
        match self.doc.role(at) {
            Role::Expr => self.expr(at),
            Role::Names(sort) | Role::Declares(sort @ Sort::Token) => self.names(sort),
            Role::Declares(Sort::Key) => self.needed_keys(),
            Role::Parameter(ty) => self.parameter(ty),
            Role::CaseValue => self.case_words(),
            Role::NodeName => self.node_names(),
            Role::LeafName => self.leaf_names(),
            _ => {}
        }
    }

    fn nodes(&mut self, stands: Stands) {
        let manifest = self.workspace.manifest;
        let mut known: Vec<(&str, NodeClass)> = Vec::new();
        if matches!(stands, Stands::Any | Stands::Filling | Stands::Instant) {
            let kinds = hover::kinds().filter(|it| stands != Stands::Instant || it.is_instant());
            known.extend(kinds.map(|it| (it.name(), it.class())));
        }
        if matches!(stands, Stands::Any | Stands::Filling) {
            known.extend(INCLUDES.iter().map(|it| (it.name, NodeClass::Decorator)));
        }
        let fits = |kind: LeafKind| match stands {
            Stands::Any | Stands::Filling => true,
            Stands::Test => kind != LeafKind::Action,
            Stands::Service | Stands::Instant => kind != LeafKind::Condition,
        };
        let leaves = manifest.leaves.iter().filter(|it| fits(it.kind));
        known.extend(leaves.map(|it| (&*it.name, NodeClass::Action)));
        let is_named = self.cursor.touched.is_some_and(|it| self.doc.syntax.get(it).shape == Shape::Call);
        for (name, class) in known {
            let required = fields(manifest, Role::Node(Stands::Any), name);
            let required =
                required.into_iter().filter(|it| it.need == Need::Required || (name == "Repeat" && it.name == "count"));
            let text = if is_named { name.to_owned() } else { snippet_of(name, required).1 };
            let kind =
                if class == NodeClass::Action || class == NodeClass::Condition { Kind::Leaf } else { Kind::Node };
            let docs = hover::node(self.workspace, name).unwrap_or_default();
            let rank = u8::from(built_in(name).is_some() || crate::fields::include(name).is_some());
            let detail = hover::detail(self.workspace, name);
            self.push(Insert::new(name, kind).snippet(&text).docs(docs).detail(&detail).rank(rank));
        }
    }

    fn words(&mut self, words: &[&str]) {
        for word in words {
            let insert = Insert::new(word, Kind::Word);
            self.push(if *word == "AtLeast" { insert.snippet("AtLeast($1)") } else { insert });
        }
    }

    fn key_types(&mut self) {
        for (label, text) in [
            ("Bool", "Bool(${1:false})"),
            ("Int", "Int(${1:0})"),
            ("Float", "Float(${1:0.0})"),
            ("Vec2", "Vec2(${1:0}, ${2:0})"),
            ("Vec3", "Vec3(${1:0}, ${2:0}, ${3:0})"),
            ("Entity", "Entity(${1:none})"),
            ("Time", "Time(${1:0})"),
            ("Symbol", "Symbol(\"$1\", [\"$1\"$2])"),
        ] {
            self.push(Insert::new(label, Kind::Word).snippet(text));
        }
    }

    fn parameter(&mut self, ty: &ValueType) {
        match ty {
            ValueType::OneOf(words) => words.iter().for_each(|it| self.push(self.text(it, Kind::Word))),
            ValueType::Variant(names) => names.iter().for_each(|it| self.push(Insert::new(it, Kind::Word))),
            ValueType::List(it) | ValueType::Array(it, _) | ValueType::Option(it) => self.parameter(it),
            _ => {}
        }
    }

    /// A string: with quotes, if it has none yet.
    fn text(&self, text: &str, kind: Kind) -> Insert {
        let touched = self.cursor.touched.map(|it| self.doc.syntax.get(it).shape);
        let insert = Insert::new(text, kind);
        if touched == Some(Shape::Text) { insert } else { insert.text(&format!("\"{text}\"")) }
    }

    fn names(&mut self, sort: Sort) {
        let (workspace, doc) = (self.workspace, self.doc);
        let here = self.cursor.touched.or(self.cursor.around);
        let found: Vec<Insert> = match sort {
            Sort::Key => {
                let (there, keys) = self.keys();
                keys.iter().map(|it| self.key(there, it, false)).collect()
            }
            Sort::Event => {
                let tree = here.and_then(|it| workspace.tested(doc, it)).filter(|_| doc.form() == Form::Tests);
                let all = targets::events(workspace, tree.unwrap_or(doc));
                all.into_iter().map(|(name, carries)| self.text(name, Kind::Event).detail(&carries)).collect()
            }
            Sort::Template => {
                let all = targets::templates(workspace, doc);
                let note =
                    |it: &targets::Declaration<'_, '_>| Some(it.doc.word(it.doc.field(it.value?, "note")?).to_owned());
                let text = |it: &targets::Declaration<'_, '_>| self.text(it.doc.word(it.name), Kind::Node);
                all.iter().map(|it| text(it).docs(note(it).unwrap_or_default())).collect()
            }
            Sort::File => {
                let trees = workspace.all().filter(|it| it.form() == Form::Tree && it.name != doc.name);
                trees.map(|it| self.text(&relative(&doc.name, &it.name), Kind::File)).collect()
            }
            Sort::Port => {
                let include = here.and_then(|it| self.include(it));
                let parts = include.map(|it| targets::included(workspace, doc, it)).unwrap_or_default();
                let mut ports: Vec<Insert> = Vec::new();
                for (there, owner) in parts {
                    for (name, value) in names::entries(there, owner, "ports") {
                        let declared = value.map_or("", |it| &there.text[there.syntax.get(it).span.clone()]);
                        ports.push(self.text(there.word(name), Kind::Port).detail(declared));
                    }
                }
                ports.iter().map(|it| self.with_colon(it)).collect()
            }
            Sort::Hole => {
                let owners = here.into_iter().flat_map(|it| doc.syntax.chain(it));
                let is_owner = |it: &At| matches!(doc.role(*it), Role::Template | Role::File);
                let own = owners.filter(is_owner).flat_map(|it| names::entries(doc, it, "nodes"));
                let given = here.and_then(|it| self.include(it)).filter(|_| self.in_fillings());
                let parts = given.map(|it| targets::included(workspace, doc, it)).unwrap_or_default();
                let of_parts = parts.into_iter().flat_map(|(there, owner)| {
                    names::entries(there, owner, "nodes").into_iter().map(|it| there.word(it.0).to_owned())
                });
                if self.in_fillings() {
                    of_parts.map(|it| self.with_colon(&self.text(&it, Kind::Port))).collect()
                } else {
                    own.map(|it| self.text(doc.word(it.0), Kind::Port)).collect()
                }
            }
            Sort::Token => {
                let declared = names::names(doc).into_iter().filter(|it| it.sort == Sort::Token);
                let is_here = |it: &names::Name| Some(it.at) == self.cursor.touched;
                let mut all: Vec<&str> = declared.filter(|it| !is_here(it)).map(|it| &doc.text[it.span]).collect();
                all.sort_unstable();
                all.dedup();
                all.into_iter().map(|it| self.text(it, Kind::Word)).collect()
            }
            Sort::SlotWord => {
                let slot = self.cursor.around;
                let trees = slot.and_then(|it| doc.field(it, "trees")).map(|it| &doc.syntax.get(it).items);
                let trees = trees.into_iter().flatten().filter_map(|it| it.value);
                let stems = trees.map(|it| file_stem(doc.word(it)).to_owned());
                stems.chain(["empty".to_owned()]).map(|it| self.text(&it, Kind::Word)).collect()
            }
        };
        found.into_iter().for_each(|it| self.push(it));
    }

    /// The visible keys, and the file that declares them.
    fn keys(&self) -> (&Doc<'g>, Vec<Key>) {
        let Some(here) = self.cursor.touched.or(self.cursor.around) else { return (self.doc, Vec::new()) };
        if self.doc.form() == Form::Tests {
            let Some(tree) = self.workspace.tested(self.doc, here) else { return (self.doc, Vec::new()) };
            let mut keys = Vec::new();
            names::file_keys(tree, &mut keys);
            return (tree, keys);
        }
        (self.doc, names::keys_at(self.doc, here))
    }

    fn key(&self, there: &Doc<'_>, key: &Key, in_expr: bool) -> Insert {
        let declared = key.value.map_or("", |it| &there.text[there.syntax.get(it).span.clone()]);
        let name = there.word(key.name);
        let insert = if in_expr { Insert::new(name, Kind::Key) } else { self.text(name, Kind::Key) };
        insert.detail(declared).docs(hover::key(there, key))
    }

    /// The include that the map around the cursor belongs to.
    fn include(&self, here: At) -> Option<At> {
        let map = self.cursor.around.filter(|it| self.doc.syntax.get(*it).shape == Shape::Map)?;
        let include = self.doc.syntax.get(map).parent?;
        (here.index() >= map.index()).then_some(include)
    }

    fn in_fillings(&self) -> bool {
        self.cursor.around.is_some_and(|it| self.doc.role(it) == Role::MapOf(Entries::Fillings))
    }

    /// A key of a map, with a colon if it has none yet.
    fn with_colon(&self, insert: &Insert) -> Insert {
        if self.has_colon() { insert.clone() } else { insert.clone().with(": ") }
    }

    /// Whether a colon follows. Inside quotes only the name is replaced, so none is added there.
    fn has_colon(&self) -> bool {
        let behind = self.doc.text[self.byte..].trim_start_matches('"').trim_start();
        let in_text = self.cursor.touched.is_some_and(|it| self.doc.syntax.get(it).shape == Shape::Text);
        in_text || behind.starts_with(':')
    }

    /// The words of the key that a switch looks at.
    fn case_words(&mut self) {
        let Some(switch) = self.cursor.around.and_then(|it| self.doc.syntax.get(it).parent) else { return };
        let Some(on) = self.doc.field_or_first(switch, "on") else { return };
        let Some(key) = names::key_at(self.doc, on, self.doc.word(on), None) else { return };
        let words = key.value.map(|it| names::symbol_words(self.doc, it)).unwrap_or_default();
        for word in words {
            let insert = self.with_colon(&self.text(self.doc.word(word), Kind::Word));
            self.push(insert);
        }
    }
}
