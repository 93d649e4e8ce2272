//! Inserted nodes: new ones, moved ones, and those that are put around others.

use std::ops::Range;

use pleach::tools::kinds::{NodeClass, NodeKind};
use pleach::tools::ron::tokens;

use super::change::{Change, Piece};
use super::units::{Seat, comments_beside, entry_of, item, unit};
use super::values::placeholder;
use super::{EditError, Side, refused};
use crate::fields::{Entries, Items, Need, Role, Stands, built_in};
use crate::names;
use crate::syntax::{At, Shape, Syntax};

/// A node with its comments.
pub(super) struct Taken {
    /// The comments above it, each with the end of its line.
    pub(super) lead: String,
    pub(super) text: String,
    /// The entry around it, if it is in one, and the value of its case.
    entry: Option<(NodeKind, String)>,
    /// The comments of that entry.
    lost: String,
    case: Option<String>,
    pub(super) trail: String,
}

/// Where a node can go.
enum Spot {
    /// Into brackets, before the item of that index.
    Item(At, usize),
    /// As a field that is missing.
    Field(At, &'static str),
}

impl Change<'_, '_> {
    pub(super) fn insert(&mut self, node: usize, side: Side, text: &str) -> Result<(), EditError> {
        let text = one_value(text)?;
        let spot = self.spot(node, side)?;
        let new =
            Taken { lead: String::new(), text, entry: None, lost: String::new(), case: None, trail: String::new() };
        self.place(spot, &new, None)
    }

    pub(super) fn shift(&mut self, node: usize, to: usize, side: Side) -> Result<(), EditError> {
        let (at, other) = (self.inner(node)?, self.node(to)?);
        if !matches!(self.doc.role(at), Role::Node(_)) {
            return refused("only nodes can be moved: not templates, services and interrupts");
        }
        if self.doc.syntax.chain(other).any(|it| it == at) {
            return refused("a node cannot be moved into itself");
        }
        let from = self.seat(at)?;
        let spot = self.spot(to, side)?;
        let taken = self.taken(at)?;
        let is_beside = matches!(spot, Spot::Item(within, index)
            if within == from.within && (index == from.item || index == from.item + 1));
        if is_beside {
            return refused("it stands there already");
        }
        self.cut(from, false)?;
        self.place(spot, &taken, Some(from))
    }

    /// A node to be moved or copied.
    pub(super) fn taken(&self, at: At) -> Result<Taken, EditError> {
        let outer = unit(self.doc, at);
        let Seat { within, item: number } = self.seat(at)?;
        let it = item(self.doc, within, number);
        let (own, span) = (self.span(outer), self.span(at));
        let mut lead = self.text(it.lead..it.body.start).to_owned();
        // The comments between a key and its value.
        lead += &comments_beside(self.doc, it.body.start..own.start, &[]);
        let entry = entry_of(self.doc, outer).map(|kind| (kind, self.written(outer).to_owned()));
        let text = self.written(at).to_owned();
        let key = self.doc.syntax.get(within).items[number].key;
        let case = key.filter(|_| self.shape(within) == Shape::Map).map(|it| self.written(it).to_owned());
        let trail = comments_beside(self.doc, it.body.end..it.end, &[]).trim_end().to_owned();
        let lost = comments_beside(self.doc, own, std::slice::from_ref(&span));
        Ok(Taken { lead, text, entry, lost, case, trail })
    }

    /// Where a new node goes.
    fn spot(&self, node: usize, side: Side) -> Result<Spot, EditError> {
        let at = self.node(node)?;
        if side == Side::Into {
            return self.inside(at);
        }
        let Seat { within, item } = self.seat(at)?;
        let index = if side == Side::Before { item } else { item + 1 };
        match (self.shape(within), self.doc.role(within)) {
            (Shape::List, Role::ListOf(Items::Nodes(_) | Items::Entries(_)) | Role::Node(Stands::Filling))
            | (Shape::Map, Role::MapOf(Entries::Switch)) => Ok(Spot::Item(within, index)),
            _ => {
                let name = self.doc.word(within);
                refused(format!(
                    "only one node can stand here in `{name}`: wrap it in a composite, or choose another place"
                ))
            }
        }
    }

    /// Where a child of a node goes: after the last one.
    fn inside(&self, at: At) -> Result<Spot, EditError> {
        let known = self.fields(at);
        let holds = |role: Role<'_>| {
            matches!(
                role,
                Role::Node(Stands::Any)
                    | Role::ListOf(Items::Nodes(Stands::Any) | Items::Entries(_))
                    | Role::MapOf(Entries::Switch)
            )
        };
        let name = self.doc.word(at);
        // The child of a Repeat, but not the `default` of a Switch.
        let Some(field) = known.iter().find(|it| holds(it.role)) else {
            return refused(format!("`{name}` has no children: insert before or behind it"));
        };
        match (self.held(at, field.name), field.role) {
            (Some((_, value)), Role::ListOf(_) | Role::MapOf(_)) => {
                Ok(Spot::Item(value, self.doc.syntax.get(value).items.len()))
            }
            (Some(_), _) => refused(format!("`{name}` has its only child already: wrap that in a composite first")),
            (None, _) => {
                let all = ["children", "child", "root", "cases", "run"];
                match all.into_iter().find(|it| *it == field.name) {
                    Some(it) => Ok(Spot::Field(at, it)),
                    None => refused(format!("`{name}` takes no node here")),
                }
            }
        }
    }

    fn place(&mut self, spot: Spot, new: &Taken, gone: Option<Seat>) -> Result<(), EditError> {
        let Taken { text, trail, .. } = new;
        match spot {
            Spot::Item(within, index) => {
                let role = self.doc.role(within);
                let keeps =
                    matches!((role, &new.entry), (Role::ListOf(Items::Entries(kind)), Some((own, _))) if kind == *own);
                let lead = new.lead.clone() + if keeps { "" } else { &new.lost };
                let (before, body) = match (role, &new.entry) {
                    (_, Some((_, whole))) if keeps => (0, whole.clone()),
                    (Role::ListOf(Items::Entries(NodeKind::UtilitySelector)), _) => scored(text),
                    (Role::MapOf(Entries::Switch), _) => {
                        let case = new.case.clone().filter(|it| !self.has_case(within, it));
                        let case = case.unwrap_or_else(|| self.free_case(within));
                        (case.len() + 2, format!("{case}: {text}"))
                    }
                    _ => (0, text.clone()),
                };
                let gone = gone.filter(|it| it.within == within).map(|it| it.item);
                self.put(within, index, &Piece { lead: &lead, body: &body, trail, focus: Some(before) }, gone);
                Ok(())
            }
            Spot::Field(of, name) => {
                let (before, body) = match (name, built_in(self.doc.word(of))) {
                    ("children", Some(NodeKind::UtilitySelector)) => {
                        let (before, text) = scored(text);
                        (before + 1, format!("[{text}]"))
                    }
                    ("children", _) => (1, format!("[{text}]")),
                    ("cases", _) => {
                        let case = self.free_case_of(of, None);
                        (case.len() + 4, format!("{{ {case}: {text} }}"))
                    }
                    _ => (0, text.clone()),
                };
                let trail = if trail.is_empty() { String::new() } else { format!("{trail}\n") };
                self.add_field(of, name, &body, &format!("{}{}{trail}", new.lead, new.lost), Some(before))
            }
        }
    }

    fn has_case(&self, cases: At, case: &str) -> bool {
        let items = &self.doc.syntax.get(cases).items;
        items.iter().filter_map(|it| it.key).any(|it| self.written(it) == case)
    }

    /// A case that a Switch lacks: one of the words of its key, if any is left.
    fn free_case(&self, cases: At) -> String {
        match self.doc.syntax.get(cases).parent {
            Some(of) => self.free_case_of(of, Some(cases)),
            None => "\"case\"".to_owned(),
        }
    }

    fn free_case_of(&self, of: At, cases: Option<At>) -> String {
        let key = self.held(of, "on").and_then(|(_, on)| names::key_at(self.doc, on, self.doc.word(on), None));
        let declared = key.and_then(|it| it.value);
        let words = declared.map(|it| names::symbol_words(self.doc, it)).unwrap_or_default();
        let words = words.into_iter().map(|it| format!("\"{}\"", self.doc.word(it)));
        let bools = ["true".to_owned(), "false".to_owned()];
        let is_bool = declared.is_some_and(|it| self.doc.word(it) == "Bool");
        let others =
            (0..=self.nodes.len()).map(|it| if it == 0 { "\"case\"".to_owned() } else { format!("\"case_{it}\"") });
        let bools = bools.into_iter().filter(|_| is_bool);
        let all = words.chain(bools).chain(others);
        let is_free = |it: &String| cases.is_none_or(|cases| !self.has_case(cases, it));
        all.into_iter().find(is_free).unwrap_or_default()
    }

    pub(super) fn wrap(&mut self, node: usize, kind: &str) -> Result<(), EditError> {
        let at = self.inner(node)?;
        if !matches!(self.doc.role(at), Role::Node(Stands::Any)) {
            return refused("only a node of the tree can be wrapped");
        }
        let class = built_in(kind).map(|it| (it, it.class()));
        let Some((outer, NodeClass::Composite | NodeClass::Decorator)) = class else {
            return refused(format!("`{kind}` is not a composite or a decorator"));
        };
        let keys = names::keys_at(self.doc, at);
        let key = keys.first().map(|it| self.doc.word(it.name));
        let text = self.written(at);
        let mut fields = Vec::new();
        for field in crate::fields::fields(self.manifest, Role::Node(Stands::Any), kind) {
            let is_needed = field.need == Need::Required || (outer == NodeKind::Repeat && field.name == "count");
            match field.role {
                Role::Node(Stands::Any) if field.name == "child" => fields.push(format!("child: {text}")),
                Role::ListOf(Items::Nodes(Stands::Any)) => fields.push(format!("children: [{text}]")),
                Role::ListOf(Items::Entries(NodeKind::UtilitySelector)) => {
                    fields.push(format!("children: [{}]", scored(text).1));
                }
                Role::ListOf(Items::Entries(_)) => fields.push(format!("children: [{text}]")),
                Role::MapOf(Entries::Switch) => fields.push(format!("cases: {{ \"case\": {text} }}")),
                _ if is_needed => fields.push(format!("{}: {}", field.name, placeholder(&field, key))),
                _ => {}
            }
        }
        self.patch.replace(self.span(at), format!("{kind}({})", fields.join(", ")));
        self.patch.focus(0);
        Ok(())
    }

    pub(super) fn become_kind(&mut self, node: usize, kind: &str) -> Result<(), EditError> {
        let at = self.inner(node)?;
        let is_node = matches!(self.doc.role(at), Role::Node(_));
        let Some(name) = self.doc.syntax.get(at).name.clone().filter(|_| is_node) else {
            return refused("only nodes have a kind");
        };
        let is_word =
            Syntax::of(kind).all().map(|it| (it.1.shape, it.1.span.clone())).eq([(Shape::Word, 0..kind.len())]);
        if !is_word {
            return refused(format!("`{}` is not the name of a node", pleach::tools::text::plain(kind)));
        }
        self.name_all(at)?;
        self.patch.replace(name, kind);
        self.patch.focus(0);
        Ok(())
    }
}

/// A node in an entry of a utility composite, and the offset at which it begins.
fn scored(text: &str) -> (usize, String) {
    let begin = "(score: \"1\", child: ";
    (begin.len(), format!("{begin}{text})"))
}

/// A text of exactly one value: a node as a file has it, or the name of a kind.
///
/// # Errors
/// It has no value, or more than one.
fn one_value(text: &str) -> Result<String, EditError> {
    let text = text.trim();
    let syntax = Syntax::of(text);
    let tops: Vec<Range<usize>> = syntax.all().filter(|it| it.1.parent.is_none()).map(|it| it.1.span.clone()).collect();
    let is_one = matches!(&tops[..], [only] if *only == (0..text.len())) && syntax.comments().is_empty();
    let is_named = syntax.root().is_some_and(|it| syntax.get(it).name.is_some());
    if !is_one || !is_named || tokens(text).next().is_none() {
        return refused(format!("`{}` is not a node: write one as in a file", pleach::tools::text::plain(text)));
    }
    super::apply::formatted("the node", text)?;
    Ok(text.to_owned())
}
