//! What a node sees of its tree's keys.

use pleach_expr::expr::{KeyIndex, Names, SCOPES};
use pleach_expr::known;
use pleach_expr::names::{self, Near};
use pleach_expr::runtime::{SLOT, TOKEN};

use super::{FrameId, KeyDecl, Namesakes, Schema, SchemaError};
use crate::{BlackboardType, Key, NodeId, Symbol, Type, Value};

/// Where names of keys are looked up from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight {
    /// The node and its ancestors, nearest first. It does not see the keys of those in another
    /// frame.
    pub(crate) path: Vec<NodeId>,
    pub(crate) frame: FrameId,
}

/// A schema as one node sees it: its own keys and those of the nodes above it first.
pub(crate) struct NodeView<'a> {
    pub(crate) schema: &'a Schema,
    /// The node and its ancestors, nearest first.
    pub(crate) path: &'a [NodeId],
    pub(crate) frame: FrameId,
    /// No node asks: everything in the tree is seen, the keys of instances by their full names.
    pub(crate) outside: bool,
}

impl Schema {
    /// The schema as the host sees it.
    pub(crate) fn host_view(&self) -> NodeView<'_> {
        NodeView { schema: self, path: &[], frame: FrameId::WHOLE, outside: true }
    }

    pub(crate) fn view<'a>(&'a self, sight: &'a Sight) -> NodeView<'a> {
        NodeView { schema: self, path: &sight.path, frame: sight.frame, outside: false }
    }
}

/// A value for people: see [`Schema::describe`].
pub(crate) fn describe<'a>(value: Value, word: impl Fn(Symbol) -> Option<&'a str>) -> String {
    match value {
        Value::Bool(it) => it.to_string(),
        Value::Int(it) => it.to_string(),
        Value::Float(it) => it.to_string(),
        Value::Vec2([x, y]) => format!("({x}, {y})"),
        Value::Vec3([x, y, z]) => format!("({x}, {y}, {z})"),
        Value::Time(it) => format!("{it} s"),
        Value::Entity(it) if it.to_bits() == 0 => "none".into(),
        Value::Entity(it) => format!("#{}", it.to_bits()),
        Value::Symbol(it) => word(it).map_or_else(|| format!("{it:?}"), Into::into),
    }
}

impl NodeView<'_> {
    pub(crate) fn typed<T: BlackboardType>(&self, name: &str) -> Result<Key<T>, SchemaError> {
        self.schema.typed(self.find(name)?)
    }

    /// The key of that name, which may begin with its scope.
    pub(crate) fn find(&self, name: &str) -> Result<KeyIndex, SchemaError> {
        let (scope, bare) = match name.split_once('.') {
            Some((scope, bare)) => (Some(scope), bare),
            None => (None, name),
        };
        let by_full_name = || if self.outside { self.schema.full_name(name) } else { None };
        self.resolve(scope, bare).or_else(by_full_name).ok_or_else(|| {
            // Those of the named scope, with its prefix; if there is no such scope, all.
            let scope = scope.filter(|it| SCOPES.contains(it));
            let seen = self.names().into_iter().filter(|it| scope.is_none() || self.resolve(scope, it).is_some());
            let written = |it: &str| scope.map_or_else(|| it.to_owned(), |scope| format!("{scope}.{it}"));
            let seen: Vec<String> = seen.map(written).collect();
            let seen = || seen.iter().map(String::as_str);
            let meant = names::near(name, seen()).or_else(|| names::near(bare, self.names()));
            let help = meant.map(Near::help).or_else(|| known::keys(seen()));
            SchemaError::Unknown { name: name.into(), help }
        })
    }
}

impl NodeView<'_> {
    /// The key of that name in its own frame.
    fn resolve_here(&self, scope: Option<&str>, name: &str) -> Option<KeyIndex> {
        // The keys of instances are private to them.
        if name.contains('.') && !self.outside {
            return None;
        }
        let Namesakes { nodes, agent, group, global, read_only: _, hidden_group, hidden_global } =
            self.schema.names_in(self.frame).get(name)?;
        let group = group.filter(|_| !hidden_group || self.outside);
        let global = global.filter(|_| !hidden_global || self.outside);
        let at = |node: &NodeId| nodes.binary_search_by_key(node, |it| it.0).ok().map(|it| nodes[it].1);
        let node = || if nodes.is_empty() { None } else { self.path.iter().find_map(at) };
        match scope {
            Some("node") => node(),
            Some("agent") => *agent,
            Some("group") => group,
            Some("global") => global,
            Some(_) => None,
            None => node().or(*agent).or(group).or(global),
        }
    }

    /// What a template sees besides its ports: the keys of its file, except those of nodes.
    fn file(&self) -> Option<Self> {
        let frame = self.schema.file_of(self.frame);
        (frame != self.frame).then_some(NodeView { schema: self.schema, path: &[], frame, outside: false })
    }
}

impl Names for NodeView<'_> {
    fn resolve(&self, scope: Option<&str>, name: &str) -> Option<KeyIndex> {
        self.resolve_here(scope, name).or_else(|| self.file()?.resolve_here(scope, name))
    }

    fn key_type(&self, key: KeyIndex) -> Type {
        self.schema.value_type(key)
    }

    fn constant(&self, key: KeyIndex) -> Option<Value> {
        self.schema.constant(key)
    }

    fn are_of_instance(&self) -> bool {
        !self.frame.is_whole()
    }

    fn words(&self, key: KeyIndex) -> Vec<&str> {
        if self.schema.silent { Vec::new() } else { self.schema.decl(key).words().collect() }
    }

    fn has_word(&self, key: KeyIndex, word: &str) -> bool {
        let symbol = Symbol::new(word);
        // Two declared words never share a hash, but this word may be undeclared.
        self.schema.decl(key).symbols.binary_search(&symbol).is_ok() && self.schema.word(symbol) == Some(word)
    }

    fn names(&self) -> Vec<&str> {
        if self.schema.silent {
            return Vec::new();
        }
        if !self.frame.is_whole() {
            let names = self.schema.names_in(self.frame).keys().map(|it| &**it);
            let of_file = self.file().map(|it| self.schema.names_in(it.frame).keys().map(|it| &**it));
            let names = names.chain(of_file.into_iter().flatten().filter(|it| !it.contains('.')));
            return names
                .filter(|it| !it.starts_with(SLOT) && !it.starts_with(TOKEN) && self.resolve(None, it).is_some())
                .collect();
        }
        // This node sees neither the keys of other nodes nor those of instances: these have names
        // only from outside.
        let seen = |it: &&KeyDecl| {
            let is_hidden = it.is_of_instance() && !self.outside;
            it.node.is_none_or(|node| self.path.contains(&node)) && !is_hidden && it.slot().is_none() && !it.is_token()
        };
        let names = self.schema.keys.iter().filter(seen).map(KeyDecl::name);
        if !self.schema.has_instances() {
            return names.collect();
        }
        names.filter(|it| self.resolve(None, it).is_some()).collect()
    }
}
