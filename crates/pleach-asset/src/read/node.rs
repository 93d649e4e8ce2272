//! Nodes: which fields they have, and of which type.

use std::borrow::Cow;

use pleach_core::limits::{MAX_DEPTH, MAX_NAME, MAX_NODES};
use pleach_core::{
    kinds::{Arity, FieldShape, NodeField, NodeKind},
    nodes::Abort,
    schema::Scope,
};

use super::{AssetReader, did_you_mean, first, include, keys, list};
use crate::asset::{Arguments, AssetNode, Body, BuiltIn, Nodes, Param, Role, Sort, Takes};
use crate::code::Code;
use crate::kind;
use crate::limits::MAX_PARAMETER_NESTING;
use crate::span::{Span, Word, narrow};
use crate::suggest::write;
use crate::syntax::{Args, Data, HostCall, List, Value};

/// A node whose children are being read.
struct OpenNode<'a> {
    /// Its place among the nodes.
    at: usize,
    /// How many findings there were before.
    before: usize,
    waiting: Below<'a>,
}

/// The nodes below a node, in order.
#[derive(Default)]
pub(super) struct Below<'a> {
    children: Option<(List<'a>, Room)>,
    /// Children that are not a plain list: of a switch, with scores or weights, given for holes, in
    /// a `do`.
    pub(super) single: std::vec::IntoIter<(Value<'a>, Room)>,
    default: Option<Value<'a>>,
}

/// Where a node stands.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Room {
    /// One node has to stand there.
    #[default]
    One,
    /// In a list, which may be of any length.
    List,
    /// In a list in which others have a value of this name beside them.
    With(&'static str),
}

impl<'a> Below<'a> {
    fn next(&mut self) -> Option<(Value<'a>, Room)> {
        let child = self.children.as_mut().and_then(|(list, room)| Some((list.next()?, *room)));
        child.or_else(|| self.single.next()).or_else(|| Some((self.default.take()?, Room::One)))
    }
}

/// What a built-in node has besides its fields.
#[derive(Default)]
struct Found<'a> {
    /// The fields that are there, but wrong.
    wrong: Vec<&'static str>,
    below: Below<'a>,
    /// Whether the field is there that holds children.
    has_below: bool,
    /// Whether that field does not hold a list, which has been reported.
    is_told: bool,
    /// Whether there is a `do`.
    has_do: bool,
}

impl AssetReader {
    /// A node at that depth with everything below it; `None` if it is nothing like a node. Takes no
    /// more stack for a deep tree than for a flat one.
    pub(super) fn node<'a>(&mut self, value: Value<'a>, depth: usize) -> Option<Nodes<'a>> {
        self.node_as(Role::Node, value, depth)
    }

    pub(super) fn node_as<'a>(&mut self, role: Role, value: Value<'a>, depth: usize) -> Option<Nodes<'a>> {
        let mut nodes = Vec::new();
        let mut open = Vec::from_iter(self.begin(role, (value, Room::One), depth, &mut nodes));
        while let Some(top) = open.last_mut() {
            match top.waiting.next() {
                // A child that is not a node is reported, and its siblings are read all the same.
                Some(child) => open.extend(self.begin(Role::Node, child, depth + open.len(), &mut nodes)),
                None => {
                    let size = nodes.len() - top.at;
                    nodes[top.at].size = narrow(size);
                    // Wrong children are reported themselves, and leave their parents with too few.
                    nodes[top.at].broken = self.findings.count() > top.before;
                    open.pop();
                }
            }
        }
        (!nodes.is_empty()).then_some(Nodes(nodes))
    }

    /// Reads a node without its children.
    fn begin<'a>(
        &mut self,
        role: Role,
        (value, room): (Value<'a>, Room),
        depth: usize,
        nodes: &mut Vec<AssetNode<'a>>,
    ) -> Option<OpenNode<'a>> {
        let (kind, args) = match value.data() {
            Data::Call(Some(kind), args) => (kind, args),
            Data::Call(None, _) | Data::Text(_) | Data::Literal(_) | Data::List(_) | Data::Map(_) => {
                let help = "a node begins with its name, as in `Sequence(children: [..])` or `Check(\"..\")`";
                let message = format!("expected a node, found {}", value.what());
                self.error(Code::NotANode, first(value.span()), message).help = Some(help.into());
                return None;
            }
        };
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            // The core would report this too, but only after work that a hostile file can make
            // arbitrarily long.
            if self.nodes == MAX_NODES + 1 {
                self.error(Code::Limit, kind.span, format!("more than {MAX_NODES} nodes"));
            }
            return None;
        }
        if kind.text.len() > MAX_NAME {
            // No leaf can have it, and it would be quoted in every problem of the node.
            self.error(Code::Limit, kind.span, format!("a name of {} bytes is too long for a node", kind.text.len()))
                .help = Some(format!("names have at most {MAX_NAME}").into());
            return None;
        }
        if depth > MAX_DEPTH {
            self.error(
                Code::Limit,
                kind.span,
                format!("nested too deep: more than {MAX_DEPTH} nodes inside each other"),
            );
            return None;
        }
        let (at, before) = (nodes.len(), self.findings.count());
        // Pushed first, as a node is large.
        nodes.push(AssetNode::new(kind, Body::Leaf(HostCall { value, without: Cow::default() })));
        let node = &mut nodes[at];
        let built_in = kind::built_in(kind.text);
        let sort = if built_in.is_none() { include::sort_of(kind.text) } else { None };
        let waiting = match (built_in, sort) {
            (Some(it), _) => self.built_in(node, it, args),
            (None, Some(sort)) => {
                if role != Role::Node {
                    let message = format!("a `{}` is not allowed here: only leaves of the host are", kind.text);
                    self.error(Code::Misplaced, kind.span, message);
                    nodes.pop();
                    return None;
                }
                let below = self.include(node, sort, args);
                if let Sort::Hole(takes) = sort
                    && !self.can_stand(kind, takes, room)
                    && let Body::Include(it) = &mut node.body
                {
                    // A node without a target is given nothing.
                    it.asset = None;
                }
                below
            }
            (None, None) if args.is_nested_deeper(MAX_PARAMETER_NESTING) => {
                let message = format!(
                    "the parameters of `{}` are nested too deep: more than {MAX_PARAMETER_NESTING} brackets inside each other",
                    kind.text
                );
                self.error(Code::Limit, kind.span, message);
                nodes.pop();
                return None;
            }
            (None, None) => {
                self.leaf(node, role, value, args);
                Below::default()
            }
        };
        if !nodes[at].rest().allow.is_empty() {
            nodes[at].rest_mut().whole = value.span();
        }
        Some(OpenNode { at, before, waiting })
    }

    /// Takes a field that every node has.
    pub(super) fn common<'a>(&mut self, node: &mut AssetNode<'a>, field: Word<'_>, value: Value<'a>) {
        match field.text {
            "name" => node.name = self.text(field, value),
            "id" => node.rest_mut().id = self.text(field, value),
            "note" => node.rest_mut().note = self.text(field, value),
            "allow" => node.rest_mut().allow = self.allow(field, value),
            _ => match keys::boolean(value) {
                Some(it) => node.disabled = it,
                None => {
                    self.error(
                        Code::WrongValue,
                        value.span(),
                        format!("`disabled` must be `true` or `false`, not {}", value.what()),
                    );
                }
            },
        }
    }

    /// The parameters of a leaf of the host, which its type reads.
    fn leaf<'a>(&mut self, node: &mut AssetNode<'a>, role: Role, value: Value<'a>, args: Args<'a>) {
        let Args::Named(fields) = args else { return };
        let mut without = self.doubled(fields, node.kind.text);
        let doubled = without.len();
        let common = fields.without(&without).filter(|it| kind::is_common(it.0.text));
        let common: Vec<_> = common.collect();
        for (field, value) in common {
            without.push(value.name_place());
            if role == Role::Node || (role == Role::Service && field.text == "disabled") {
                self.common(node, field, value);
            } else {
                let help = match role {
                    Role::Service => "a service is not a node of the tree: its only common field is `disabled`",
                    Role::Node | Role::Test => "a condition used as a test is not a node of the tree",
                };
                self.error(Code::Misplaced, field.span, format!("`{}` is not allowed here", field.text)).help =
                    Some(help.into());
            }
        }
        if doubled > 0 {
            without.sort_unstable();
        }
        if !without.is_empty() {
            node.body = Body::Leaf(HostCall { value, without: without.into() });
        }
    }

    /// Reads all of it except what is below it, which is returned.
    fn built_in<'a>(&mut self, node: &mut AssetNode<'a>, kind: NodeKind, args: Args<'a>) -> Below<'a> {
        let head = node.kind;
        let mut own = BuiltIn { kind, fields: Arguments::default() };
        let mut found = Found::default();
        match args {
            Args::None => {}
            Args::Named(fields) => {
                for (field, value) in fields.without(&self.doubled(fields, kind.name())) {
                    self.field(node, &mut own, &mut found, field, value);
                }
            }
            Args::Tuple(values) => {
                let mut values = values;
                for name in kind::positional(kind) {
                    let Some(value) = values.next() else { break };
                    // The position of a value is also that of its field.
                    let field = Word { text: name, span: value.span() };
                    self.field(node, &mut own, &mut found, field, value);
                }
                // Several nodes in place of a list: reported already.
                if let Some(more) = values.next()
                    && !found.is_told
                {
                    self.too_many(kind, more);
                }
            }
        }
        let Found { wrong, below, has_below, is_told: _, has_do } = found;
        let there = |it: &NodeField| match it.shape {
            FieldShape::Node | FieldShape::Nodes | FieldShape::Scored | FieldShape::Weighted | FieldShape::Cases => {
                has_below
            }
            FieldShape::Actions => has_do,
            _ => own.field(it.name).is_some(),
        };
        for field in kind.fields().iter().chain(kind.child_fields()).filter(|it| it.is_required()) {
            if !there(field) && !wrong.contains(&field.name) {
                self.missing(head.span, kind, field);
            }
        }
        if kind == NodeKind::Repeat {
            self.repeat(head.span, &own, &wrong);
        }
        if !node.rest().keys.is_empty() {
            // Keys of the two fields have no common order.
            node.rest_mut().keys.sort_by_key(|it| it.local);
            self.doubled_locals(&mut node.rest_mut().keys, &[]);
        }
        if below.default.is_some() {
            node.rest_mut().default = true;
        }
        // In the order of the table, so that equal nodes are equal however they were written.
        own.fields.sort_by_key(|it| kind.fields().iter().position(|field| field.name == it.field.name));
        node.body = Body::BuiltIn(own);
        node.drop_empty_rest();
        below
    }

    /// Whether the nodes of a hole can stand there; if not, reports it.
    fn can_stand(&mut self, head: Word<'_>, takes: Takes, room: Room) -> bool {
        if self.in_default {
            self.error(Code::HoleNodes, head.span, "the default of a hole cannot hold a hole").help =
                Some("write a node that needs nothing given, as `Succeed`".into());
            return false;
        }
        let (message, help) = match (takes, room) {
            (Takes::One, _) | (_, Room::List) => return true,
            (Takes::Many, Room::One) => (
                "`Nodes` stands only in a list of children".to_owned(),
                "put it into a list, as in `Sequence([Nodes(\"steps\")])`, or use `Node` with a hole for `One`",
            ),
            (Takes::Many, Room::With(value)) => (
                format!("`Nodes` cannot stand beside children with a `{value}`"),
                "use a hole for `One` for each child: `Node(\"body\")`",
            ),
        };
        self.error(Code::HoleNodes, head.span, message).help = Some(help.into());
        false
    }

    /// Takes one field of a built-in node.
    fn field<'a>(
        &mut self,
        node: &mut AssetNode<'a>,
        own: &mut BuiltIn<'a>,
        found: &mut Found<'a>,
        field: Word<'_>,
        value: Value<'a>,
    ) {
        let kind = own.kind;
        let Some(known) = kind.field(field.text) else {
            found.wrong.extend(self.no_field(kind, field.text, field.span));
            return;
        };
        match known.shape {
            FieldShape::Nodes => {
                let children = self.children(value, known).map(|it| (it, Room::List));
                (found.is_told, found.has_below) = (children.is_none(), true);
                found.below.children = children;
            }
            FieldShape::Scored | FieldShape::Weighted => {
                let children = self.children(value, known);
                (found.is_told, found.has_below) = (children.is_none(), true);
                if let (Some(list), Some(value)) = (children, kind.child_value()) {
                    found.below.single = self.entries(own, value, list).into_iter();
                }
            }
            FieldShape::Actions => {
                let leaves: Vec<_> =
                    self.children(value, known).into_iter().flatten().map(|it| (it, Room::List)).collect();
                (found.below.single, found.has_do) = (leaves.into_iter(), true);
            }
            FieldShape::Node if known.is_required() => {
                (found.below.children, found.has_below) = (Some((value.alone(), Room::One)), true);
            }
            FieldShape::Node => found.below.default = Some(value),
            FieldShape::Cases => {
                let cases = self.cases(value, &mut node.rest_mut().cases);
                let cases: Vec<_> = cases.into_iter().map(|it| (it, Room::One)).collect();
                (found.below.single, found.has_below) = (cases.into_iter(), true);
            }
            FieldShape::Abort => node.abort = self.abort(value),
            FieldShape::Services => node.rest_mut().services = self.services(value),
            FieldShape::Keys if known.name == "locals" => self.locals(value, &mut node.rest_mut().keys),
            FieldShape::Keys => self.keys(Scope::Node, value, &mut node.rest_mut().keys),
            _ if kind::is_common(known.name) => self.common(node, field, value),
            _ => match self.parameter(format_args!("`{}`", kind.name()), known, value) {
                Some(it) => own.fields.push(it),
                None => found.wrong.push(known.name),
            },
        }
    }

    fn repeat(&mut self, head: Span, own: &BuiltIn<'_>, wrong: &[&str]) {
        let forever = own.field("forever").is_some_and(|it| it.value == Param::Bool(true));
        match own.field("count") {
            Some(count) if forever => {
                self.error(Code::WrongValue, count.span, "`Repeat` is either `forever` or has a `count`, not both");
            }
            None if !forever && wrong.is_empty() => {
                self.error(Code::MissingField, head, "`Repeat` needs `count: n` or `forever: true`");
            }
            _ => {}
        }
    }

    fn missing(&mut self, span: Span, kind: NodeKind, field: &NodeField) {
        self.error(
            Code::MissingField,
            span,
            format!("`{}` needs `{}`: {}", kind.name(), field.name, field.shape.what()),
        );
    }

    /// Reports which field was meant, if that can be guessed: it is not missing then.
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
                (format!("`{name}` is not a composite: only composites have `{field}`"), None, None)
            }
            _ if kind.child_value().is_some_and(|it| field.strip_suffix('s').unwrap_or(field) == it.name) => (
                format!("`{name}` has no field `{field}`"),
                kind.child_fields().first().map(|it| format!("`children` is {}", it.shape.what()).into()),
                None,
            ),
            _ => {
                let meant = self.meant_field(field, &fields);
                let help = did_you_mean(meant).unwrap_or_else(|| format!("its fields are {}", list(&fields)).into());
                (format!("`{name}` has no field `{field}`"), Some(help), meant.map(|it| it.name))
            }
        };
        self.error(Code::UnknownField, span, message).help = help;
        meant
    }

    fn children<'a>(&mut self, value: Value<'a>, field: &NodeField) -> Option<List<'a>> {
        match value.data() {
            Data::List(items) => Some(items),
            Data::Call(..) | Data::Text(_) | Data::Literal(_) | Data::Map(_) => {
                let NodeField { name, shape, .. } = field;
                let message = format!("`{name}` must be {}, not {}", shape.what(), value.what());
                let help = if *shape == FieldShape::Nodes { "put the children in `[ ]`" } else { "put them in `[ ]`" };
                self.error(Code::WrongValue, first(value.span()), message).help = Some(help.into());
                None
            }
        }
    }

    fn abort(&mut self, value: Value<'_>) -> Option<(Abort, Span)> {
        let types = [
            ("None", Abort::NONE),
            ("Self", Abort::SELF),
            ("LowerPriority", Abort::LOWER_PRIORITY),
            ("Both", Abort::BOTH),
        ];
        let name = name_of(value);
        if let Some((_, abort)) = types.iter().find(|it| Some(it.0) == name) {
            return Some((*abort, value.span()));
        }
        let names = types.map(|it| it.0);
        let near = match value.data() {
            Data::Text(text) if names.contains(&text) => Some(write(text)),
            _ => did_you_mean(name.and_then(|it| self.meant(it, names))),
        };
        let help = near.unwrap_or_else(|| format!("the types are {}", list(&names)).into());
        self.error(Code::WrongValue, first_line(value), format!("{} is not an abort type", value.what())).help =
            Some(help);
        None
    }
}

/// The built-in that stands where only a leaf of the host can.
pub(super) fn built_in(value: Value<'_>) -> Option<(NodeKind, Span)> {
    match value.data() {
        Data::Call(Some(name), _) => kind::built_in(name.text).map(|it| (it, name.span)),
        Data::Call(None, _) | Data::Text(_) | Data::Literal(_) | Data::List(_) | Data::Map(_) => None,
    }
}

/// The name, if the value is just a name.
pub(super) fn name_of<'a>(value: Value<'a>) -> Option<&'a str> {
    match value.data() {
        Data::Call(Some(name), Args::None) => Some(name.text),
        _ => None,
    }
}

/// The first character of lists and structs, as they may span many lines.
pub(super) fn first_line(value: Value<'_>) -> Span {
    match value.data() {
        Data::Text(_) | Data::Literal(_) => value.span(),
        Data::Call(Some(name), _) => name.span,
        Data::List(_) | Data::Map(_) | Data::Call(None, _) => first(value.span()),
    }
}
