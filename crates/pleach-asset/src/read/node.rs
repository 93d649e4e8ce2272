//! Nodes: which fields they have, and of which type.

use std::sync::Arc;

use pleach_core::limits::{MAX_DEPTH, MAX_NAME, MAX_NODES};
use pleach_core::{Abort, Arity, FieldShape, NodeField, NodeKind, Scope};

use super::{AssetReader, did_you_mean, first, keys, list};
use crate::asset::{AssetNode, Body, BuiltIn, Fields, Param, Role, Service};
use crate::kind;
use crate::lex::MAX_PARAMETER_NESTING;
use crate::span::{Span, Word};
use crate::syntax::{Args, Data, Value};

/// A node of which the children are being read.
struct OpenNode {
    node: AssetNode,
    /// How many findings there were before.
    before: usize,
    waiting: std::vec::IntoIter<Value>,
    /// Where its children begin among those of all open nodes.
    children: usize,
}

/// What a built-in node has besides its fields.
#[derive(Default)]
struct Rest {
    /// The fields that are there, but wrong.
    wrong: Vec<&'static str>,
    below: Option<Vec<Value>>,
    default: Option<Value>,
}

impl AssetReader {
    /// A node at that depth with all below it; `None` if it is nothing like a node. Takes no more
    /// stack for a deep tree than for a flat one.
    pub(super) fn node(&mut self, value: Value, depth: usize) -> Option<AssetNode> {
        self.node_as(Role::Node, value, depth)
    }

    pub(super) fn node_as(&mut self, mut role: Role, value: Value, depth: usize) -> Option<AssetNode> {
        let mut open: Vec<OpenNode> = Vec::new();
        // The children of all open nodes that have been read, of the outermost first.
        let mut children: Vec<AssetNode> = Vec::new();
        let mut next = Some(value);
        loop {
            if let Some(value) = next.take() {
                match self.begin(role, value, depth + open.len(), children.len()) {
                    Some(begun) if begun.waiting.as_slice().is_empty() => {
                        self.finish(begun, &mut children);
                        if open.is_empty() {
                            return children.pop();
                        }
                    }
                    Some(begun) => open.push(begun),
                    // What is no node is reported, and its siblings are read all the same.
                    None => {}
                }
                role = Role::Node;
            }
            let top = open.last_mut()?;
            next = top.waiting.next();
            if next.is_none() {
                self.finish(open.pop()?, &mut children);
                if open.is_empty() {
                    return children.pop();
                }
            }
        }
    }

    /// All of a node but its children, which will begin at that place.
    fn begin(&mut self, role: Role, value: Value, depth: usize, children: usize) -> Option<OpenNode> {
        let (kind, args) = match value.data {
            Data::Call(Some(kind), args) => (kind, args),
            Data::Call(None, _) | Data::Text(_) | Data::Literal(_) | Data::List(_) | Data::Map(_) => {
                let help = "a node begins with its name, as in `Sequence(children: [..])` or `Check(\"..\")`";
                let message = format!("expected a node, found {}", value.what());
                self.error(first(value.span), message).help = Some(help.into());
                return None;
            }
        };
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            // The core would say so too, but only after much work that a hostile file can make as
            // long as it likes.
            if self.nodes == MAX_NODES + 1 {
                self.error(kind.span, format!("more than {MAX_NODES} nodes"));
            }
            return None;
        }
        if kind.text.len() > MAX_NAME {
            // No leaf can have it, and it would be quoted in every problem of the node.
            self.error(kind.span, format!("a name of {} bytes is too long for a node", kind.text.len())).help =
                Some(format!("names have at most {MAX_NAME}"));
            return None;
        }
        if depth > MAX_DEPTH {
            self.error(kind.span, format!("nested too deep: more than {MAX_DEPTH} nodes inside each other"));
            return None;
        }
        if matches!(&*kind.text, "Subtree" | "Slot") {
            let help = "write the nodes here: a tree cannot take in another one yet";
            self.error(kind.span, format!("`{}` is not supported in this version", kind.text)).help = Some(help.into());
            return None;
        }
        let mut node = AssetNode {
            kind,
            name: None,
            id: None,
            note: None,
            disabled: false,
            body: Body::Leaf(Arc::clone(&self.nothing)),
            broken: false,
        };
        let before = self.findings.count();
        let waiting = match kind::built_in(&node.kind.text) {
            Some(kind) => self.built_in(&mut node, kind, args),
            None if args.nesting() > MAX_PARAMETER_NESTING => {
                let message = format!(
                    "the parameters of `{}` are nested too deep: more than {MAX_PARAMETER_NESTING} brackets inside each other",
                    node.kind.text
                );
                self.error(node.kind.span, message);
                return None;
            }
            None => {
                self.leaf(&mut node, role, args);
                Vec::new()
            }
        };
        Some(OpenNode { node, before, waiting: waiting.into_iter(), children })
    }

    /// Puts a node among the children that have been read, in place of its own.
    fn finish(&mut self, begun: OpenNode, children: &mut Vec<AssetNode>) {
        let OpenNode { mut node, before, waiting: _, children: from } = begun;
        if let Body::BuiltIn(BuiltIn { parent: Some(parent), .. }) = &mut node.body {
            parent.children = children.drain(from..).collect();
        }
        // Wrong children report for themselves, and then their parents have too few of them.
        node.broken = self.findings.count() > before;
        children.push(node);
    }

    /// Takes a field that every node has.
    fn common(&mut self, node: &mut AssetNode, field: &Word, value: Value) {
        match &*field.text {
            "name" => node.name = self.text(field, value),
            "id" => node.id = self.text(field, value),
            "note" => node.note = self.text(field, value),
            _ => match keys::boolean(&value) {
                Some(it) => node.disabled = it,
                None => {
                    self.error(value.span, format!("`disabled` must be `true` or `false`, not {}", value.what()));
                }
            },
        }
    }

    fn leaf(&mut self, node: &mut AssetNode, role: Role, args: Args) {
        let args = match args {
            Args::None => Args::None,
            Args::Tuple(values) if values.is_empty() => Args::None,
            Args::Tuple(values) => Args::Tuple(values),
            Args::Named(fields) => {
                let owner = node.kind.text.clone();
                let mut kept = self.once(fields, &owner);
                let is_common = |it: &mut (Word, Value)| kind::is_common(&it.0.text);
                for (field, value) in kept.extract_if(.., is_common).collect::<Vec<_>>() {
                    if role == Role::Node || (role == Role::Service && &*field.text == "disabled") {
                        self.common(node, &field, value);
                    } else {
                        let help = match role {
                            Role::Service => "a service is no node of the tree: it can only be `disabled`",
                            Role::Node | Role::Test => "a condition that is asked is no node of the tree",
                        };
                        self.error(field.span, format!("`{}` cannot stand here", field.text)).help = Some(help.into());
                    }
                }
                if kept.is_empty() { Args::None } else { Args::Named(kept) }
            }
        };
        let head = node.kind.clone();
        node.body = Body::Leaf(Arc::new(Value { span: head.span, data: Data::Call(Some(head), args) }));
    }

    /// All fields but the children, which it returns.
    fn built_in(&mut self, node: &mut AssetNode, kind: NodeKind, args: Args) -> Vec<Value> {
        let is_leaf = kind.arity() == Arity::Leaf;
        let mut own = BuiltIn { kind, fields: Fields::default(), parent: (!is_leaf).then(Box::default) };
        let mut rest = Rest::default();
        match args {
            Args::None => {}
            Args::Named(fields) => {
                for (field, value) in self.once(fields, kind.name()) {
                    self.field(node, &mut own, &mut rest, &field, value);
                }
            }
            Args::Tuple(values) => {
                let most = kind::positional(kind).count();
                if values.len() > most {
                    let span = first(values[most].span);
                    if most == 0 {
                        self.error(span, format!("`{}` takes nothing", kind.name()));
                    } else {
                        let names: Vec<&str> = kind::positional(kind).collect();
                        self.error(span, format!("`{}` without names takes {}", kind.name(), list(&names))).help =
                            Some("write the names of the fields to give more".into());
                    }
                }
                for (name, value) in kind::positional(kind).zip(values) {
                    // The position of a value is also that of its field.
                    let field = Word { text: name.into(), span: value.span };
                    self.field(node, &mut own, &mut rest, &field, value);
                }
            }
        }
        let Rest { wrong, below, default } = rest;
        let there = |it: &NodeField| match it.shape {
            FieldShape::Node | FieldShape::Nodes | FieldShape::Cases => below.is_some(),
            _ => own.field(it.name).is_some(),
        };
        for field in kind.fields().iter().chain(kind.child_fields()).filter(|it| it.is_required()) {
            if !there(field) && !wrong.contains(&field.name) {
                self.missing(node.kind.span, kind, field);
            }
        }
        if kind == NodeKind::Repeat {
            self.repeat(node.kind.span, &own, &wrong);
        }
        if let Some(parent) = &mut own.parent {
            parent.default = default.is_some();
        }
        // In the order of the table, so that equal nodes are equal however they were written.
        own.fields.sort_by_key(|it| kind.fields().iter().position(|field| field.name == it.name));
        node.body = Body::BuiltIn(own);
        let mut below = below.unwrap_or_default();
        below.extend(default);
        below
    }

    /// Takes one field of a built-in node.
    fn field(&mut self, node: &mut AssetNode, own: &mut BuiltIn, rest: &mut Rest, field: &Word, value: Value) {
        let BuiltIn { kind, fields, parent } = own;
        let kind = *kind;
        let Some(known) = kind.field(&field.text) else {
            rest.wrong.extend(self.no_field(kind, &field.text, field.span));
            return;
        };
        match (known.shape, parent) {
            _ if kind::is_common(known.name) => self.common(node, field, value),
            (FieldShape::Nodes, _) => rest.below = Some(self.children(value)),
            (FieldShape::Node, _) if known.is_required() => rest.below = Some(vec![value]),
            (FieldShape::Node, _) => rest.default = Some(value),
            (FieldShape::Cases, Some(parent)) => rest.below = Some(self.cases(value, &mut parent.cases)),
            (FieldShape::Abort, Some(parent)) => parent.abort = self.abort(&value),
            (FieldShape::Services, Some(parent)) => parent.services = self.services(value),
            (FieldShape::Keys, Some(parent)) => self.keys(Scope::Node, value, &mut parent.keys),
            _ => match self.parameter(format_args!("`{}`", kind.name()), known, value) {
                Some(it) => fields.push(it),
                None => rest.wrong.push(known.name),
            },
        }
    }

    fn repeat(&mut self, head: Span, own: &BuiltIn, wrong: &[&str]) {
        let forever = own.field("forever").is_some_and(|it| it.value == Param::Bool(true));
        match own.field("count") {
            Some(count) if forever => {
                self.error(count.span, "`Repeat` is either `forever` or has a `count`, not both");
            }
            None if !forever && wrong.is_empty() => {
                self.error(head, "`Repeat` needs `count: n` or `forever: true`");
            }
            _ => {}
        }
    }

    fn missing(&mut self, span: Span, kind: NodeKind, field: &NodeField) {
        self.error(span, format!("`{}` needs `{}`: {}", kind.name(), field.name, field.shape.what()));
    }

    /// Says which field was meant, if that can be guessed: it is not missing then.
    fn no_field(&mut self, kind: NodeKind, field: &str, span: Span) -> Option<&'static str> {
        let name = kind.name();
        let fields: Vec<&'static str> = kind.all_fields().map(|it| it.name).collect();
        let (message, help, meant) = match (field, kind.arity()) {
            ("children", Arity::Decorator) => (
                format!("`{name}` has exactly one child"),
                Some("write `child: ..`, with a node".into()),
                Some("child"),
            ),
            ("child", Arity::Composite) if kind.field("children").is_some() => {
                (format!("`{name}` has a list of children"), Some("write `children: [..]`".into()), Some("children"))
            }
            ("child" | "children", Arity::Leaf) => (format!("`{name}` is a leaf: it has no children"), None, None),
            ("abort" | "services", _) => {
                (format!("`{name}` is no composite: only composites have `{field}`"), None, None)
            }
            _ => {
                let meant = self.meant(field, fields.iter().copied());
                let help = did_you_mean(meant).unwrap_or_else(|| format!("its fields are {}", list(&fields)));
                (format!("`{name}` has no field `{field}`"), Some(help), meant)
            }
        };
        self.error(span, message).help = help;
        meant
    }

    fn children(&mut self, value: Value) -> Vec<Value> {
        match value.data {
            Data::List(items) => items,
            Data::Call(..) | Data::Text(_) | Data::Literal(_) | Data::Map(_) => {
                self.error(first(value.span), format!("`children` must be a list of nodes, not {}", value.what()));
                Vec::new()
            }
        }
    }

    fn abort(&mut self, value: &Value) -> Option<(Abort, Span)> {
        let types = [
            ("None", Abort::empty()),
            ("Self", Abort::SELF),
            ("LowerPriority", Abort::LOWER_PRIORITY),
            ("Both", Abort::BOTH),
        ];
        let name = name_of(value);
        if let Some((_, abort)) = types.iter().find(|it| Some(it.0) == name) {
            return Some((*abort, value.span));
        }
        let names = types.map(|it| it.0);
        let near = did_you_mean(name.and_then(|it| self.meant(it, names)));
        let help = near.unwrap_or_else(|| format!("the types are {}", list(&names)));
        self.error(first_line(value), format!("{} is no abort type", value.what())).help = Some(help);
        None
    }

    fn services(&mut self, value: Value) -> Vec<Service> {
        let Data::List(items) = value.data else {
            self.error(first(value.span), format!("`services` must be a list, not {}", value.what()));
            return Vec::new();
        };
        items.into_iter().filter_map(|it| self.service(it)).collect()
    }

    fn service(&mut self, value: Value) -> Option<Service> {
        let [every_field, _, jitter_field] = NodeKind::SERVICE_FIELDS else { return None };
        let ([every, run], jitter) =
            self.pair(value, "entry of `services`", ["every", "run"], Some(jitter_field.name))?;
        let every = self.parameter(format_args!("a service"), every_field, every);
        let jitter = jitter.map(|it| self.parameter(format_args!("a service"), jitter_field, it));
        if let Some((kind, span)) = built_in(&run) {
            self.error(span, format!("`{}` cannot be a service: only actions of the host can", kind.name()));
            return None;
        }
        let run = self.node_as(Role::Service, run, 1)?;
        // A jitter that is wrong has been reported.
        Some(Service { every: every?, jitter: jitter.flatten(), run })
    }
}

/// The built-in that stands where only a leaf of the host can.
pub(super) fn built_in(value: &Value) -> Option<(NodeKind, Span)> {
    match &value.data {
        Data::Call(Some(name), _) => kind::built_in(&name.text).map(|it| (it, name.span)),
        Data::Call(None, _) | Data::Text(_) | Data::Literal(_) | Data::List(_) | Data::Map(_) => None,
    }
}

/// The name, if the value is one and nothing more.
pub(super) fn name_of(value: &Value) -> Option<&str> {
    match &value.data {
        Data::Call(Some(name), Args::None) => Some(&name.text),
        _ => None,
    }
}

/// Of lists and structs the first character, as they may go over many lines.
pub(super) fn first_line(value: &Value) -> Span {
    match &value.data {
        Data::Text(_) | Data::Literal(_) => value.span,
        Data::Call(Some(name), _) => name.span,
        Data::List(_) | Data::Map(_) | Data::Call(None, _) => first(value.span),
    }
}
