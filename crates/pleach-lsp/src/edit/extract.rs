//! A node that becomes a template, or a file of its own.

use std::collections::BTreeMap;

use pleach::asset::{Access, Manifest, ValueType};
use pleach::tools::{file_stem, included_name, relative};

use super::apply::{finished, formatted};
use super::change::{Change, Piece};
use super::patch::Patch;
use super::values::quoted;
use super::{EditError, Edited, refused};
use crate::doc::Doc;
use crate::fields::{DIRECTIONS, Role, Sort, Stands};
use crate::names::{self, Key, Name};
use crate::syntax::{At, Shape};

/// Moves a node to a file of its own: the text of the old file, with a Subtree in its place, and
/// that of the new one.
///
/// # Errors
/// As [`edit`](super::edit); or the node needs something that only its file has.
pub fn extract(
    manifest: &Manifest,
    name: &str,
    text: &str,
    node: usize,
    new: &str,
) -> Result<(Edited, String), EditError> {
    formatted(name, text)?;
    let doc = Doc::new(manifest, name, text);
    let mut change = Change::new(manifest, &doc);
    let file = change.file(node, new)?;
    Ok((finished(manifest, name, text, change.patch)?, formatted(new, &file)?))
}

impl Change<'_, '_> {
    pub(super) fn template(&mut self, node: usize, name: &str) -> Result<(), EditError> {
        let at = self.extracted(node, name)?;
        let Some(root) = self.doc.syntax.root() else { return refused("the file is empty") };
        if names::entries(self.doc, root, "templates").iter().any(|it| self.doc.word(it.0) == name) {
            return refused(format!("there is a template `{name}` already: choose another name"));
        }
        let is_own = |key: &Key| key.scope == "node";
        let (ports, with) = self.ports(at, is_own);
        let template = format!("{}: ({ports}root: {})", quoted(name), self.written(at));
        match self.held(root, "templates") {
            Some((_, map)) if self.shape(map) == Shape::Map => {
                let count = self.doc.syntax.get(map).items.len();
                self.put(map, count, &Piece { lead: "", body: &template, trail: "", focus: None }, None);
            }
            _ => self.add_field(root, "templates", &format!("{{ {template} }}"), "", None)?,
        }
        self.patch.replace(self.span(at), format!("Use(template: {}{with})", quoted(name)));
        self.patch.focus(0);
        Ok(())
    }

    fn file(&mut self, node: usize, new: &str) -> Result<String, EditError> {
        let stem = file_stem(new).to_owned();
        let at = self.extracted(node, &stem)?;
        let Some(root) = self.doc.syntax.root() else { return refused("the file is empty") };
        let uses = self.names_in(at);
        let own = names::entries(self.doc, root, "templates");
        let is_own =
            |it: &&Name| it.sort == Sort::Template && own.iter().any(|own| self.doc.word(own.0) == self.name(it));
        if let Some(it) = uses.iter().find(is_own) {
            return refused(format!(
                "it uses the template `{}` of this file: make a template of it, too",
                self.name(it)
            ));
        }
        let (ports, with) = self.ports(at, |key| matches!(key.scope, "node" | "agent"));
        let mut head = format!("version: 1, name: {}, {ports}", quoted(&stem));
        for scope in ["group", "global"] {
            let keys = uses.iter().filter(|it| it.sort == Sort::Key).filter_map(|it| {
                let key = names::key_at(self.doc, it.at, self.name(it), it.scope).filter(|key| key.scope == scope)?;
                Some((self.name(it), self.written(key.value?)))
            });
            head += &map(scope, keys);
        }
        let events = names::entries(self.doc, root, "events");
        let declared = |name: &str| events.iter().find(|it| self.doc.word(it.0) == name).and_then(|it| it.1);
        let carried = uses.iter().filter(|it| it.sort == Sort::Event);
        head += &map("events", carried.filter_map(|it| Some((self.name(it), self.written(declared(self.name(it))?)))));
        let from = |at: At| {
            let path = included_name(&self.doc.name, self.doc.word(at))?;
            Some(quoted(&relative(new, &path)))
        };
        if let Some((_, lenders)) =
            self.held(root, "templates_from").filter(|_| uses.iter().any(|it| it.sort == Sort::Template))
        {
            let all: Vec<String> = self.doc.syntax.get(lenders).items.iter().filter_map(|it| from(it.value?)).collect();
            head += &format!("templates_from: [{}], ", all.join(", "));
        }
        // Files are named relative to the text.
        let mut patch = Patch::default();
        for it in uses.iter().filter(|it| it.sort == Sort::File) {
            if let Some(path) = from(it.at) {
                patch.replace(self.span(it.at), path);
            }
        }
        let span = self.span(at);
        let behind = self.doc.text.len() - span.end;
        let (moved, _) = patch.apply(&self.doc.text);
        let body = moved[span.start..moved.len() - behind].to_owned();
        let path = relative(&self.doc.name, new);
        self.patch.replace(span, format!("Subtree(asset: {}{with})", quoted(&path)));
        self.patch.focus(0);
        Ok(format!("Tree({head}root: {body})"))
    }

    /// The node, if it can stand elsewhere.
    fn extracted(&self, node: usize, name: &str) -> Result<At, EditError> {
        let at = self.inner(node)?;
        if name.trim().is_empty() || name.contains(['"', '\\']) || name.contains(char::is_control) {
            return refused("give it a name without `\"` and `\\`");
        }
        if !matches!(self.doc.role(at), Role::Node(Stands::Any)) || self.doc.word(at) == "Nodes" {
            return refused("only a node of the tree can be extracted");
        }
        let is_hole = |it: &&Name| {
            let within = self.doc.syntax.get(it.at).parent;
            it.sort == Sort::Hole && within.is_some_and(|it| self.shape(it) != Shape::Map)
        };
        match self.names_in(at).iter().find(is_hole) {
            Some(it) => refused(format!(
                "it holds the hole `{}`, which only stands in the part that declares it",
                self.name(it)
            )),
            None => Ok(at),
        }
    }

    /// The names that a node and those below it use.
    fn names_in(&self, at: At) -> Vec<Name> {
        let span = self.span(at);
        let is_in = |it: &Name| span.start <= it.span.start && it.span.end <= span.end && !it.is_declared;
        names::names(self.doc).into_iter().filter(is_in).collect()
    }

    fn name(&self, it: &Name) -> &str {
        &self.doc.text[it.span.clone()]
    }

    /// The ports through which a node reaches keys that are declared outside it, and what its user
    /// connects to them.
    fn ports(&self, at: At, is_port: impl Fn(&Key) -> bool) -> (String, String) {
        let span = self.span(at);
        let mut ports: BTreeMap<String, (String, bool)> = BTreeMap::new();
        for it in self.names_in(at).iter().filter(|it| it.sort == Sort::Key) {
            let Some(key) = names::key_at(self.doc, it.at, self.name(it), it.scope) else { continue };
            let declared = self.span(key.name);
            let is_outside = declared.start < span.start || declared.end > span.end;
            let Some(value) = key.value.filter(|_| is_outside && is_port(&key)) else { continue };
            let is_in = self.doc.word(value) == DIRECTIONS[0];
            let reads = is_in || self.reads(it.at);
            let known = ports.entry(self.name(it).to_owned()).or_insert_with(|| (self.port_type(value), true));
            known.1 &= reads;
        }
        if ports.is_empty() {
            return (String::new(), String::new());
        }
        let declared: Vec<String> = ports
            .iter()
            .map(|(name, (ty, reads))| format!("{}: {}({ty})", quoted(name), if *reads { "In" } else { "InOut" }))
            .collect();
        let with: Vec<String> = ports.keys().map(|it| format!("{0}: {0}", quoted(it))).collect();
        (format!("ports: {{ {} }}, ", declared.join(", ")), format!(", with: {{ {} }}", with.join(", ")))
    }

    /// Whether the name of a key is only read at this place.
    fn reads(&self, at: At) -> bool {
        if self.doc.role(at) == Role::Expr {
            return true;
        }
        let Some(owner) = self.doc.syntax.get(at).parent else { return false };
        let items = &self.doc.syntax.get(owner).items;
        let Some(index) = items.iter().position(|it| it.value == Some(at)) else { return false };
        let positional = crate::fields::positional(self.manifest, self.doc.role(owner), self.doc.word(owner));
        let field = items[index].key.map(|it| self.doc.word(it)).or(positional.get(index).map(|it| it.name));
        let Some(field) = field else { return false };
        match self.manifest.leaf(self.doc.word(owner)).and_then(|it| it.parameter(field)) {
            Some(it) => it.access == Some(Access::Read) || it.ty == ValueType::FloatExpr,
            None => field == "on" || field == "payload",
        }
    }

    /// The type of such a declaration: `Float` of `Float(1.0)` and of `In(Float, 3.0)`.
    fn port_type(&self, declared: At) -> String {
        let name = self.doc.word(declared);
        if DIRECTIONS.contains(&name) {
            let ty = self.doc.syntax.get(declared).items.first().and_then(|it| it.value);
            return ty.map_or_else(String::new, |it| self.written(it).to_owned());
        }
        if name != "Symbol" {
            return name.to_owned();
        }
        let words: Vec<&str> = names::symbol_words(self.doc, declared).into_iter().map(|it| self.written(it)).collect();
        format!("Symbol([{}])", words.join(", "))
    }
}

/// A field with a map of these entries, each once.
fn map<'t>(name: &str, entries: impl Iterator<Item = (&'t str, &'t str)>) -> String {
    let all: BTreeMap<&str, &str> = entries.collect();
    let all: Vec<String> = all.into_iter().map(|(name, value)| format!("{}: {value}", quoted(name))).collect();
    if all.is_empty() { String::new() } else { format!("{name}: {{ {} }}, ", all.join(", ")) }
}
