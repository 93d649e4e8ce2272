//! Which nodes belong to which instance, and what each of them sees: keys, events and ports.

use std::rc::Rc;

use pleach_expr::expr::KeyIndex;

use super::super::instance::{Binding, Border, Instance, InstanceInfo, Port};
use super::super::node::Spec;
use super::super::preorder::PreOrder;
use super::super::problem::{Field, Problem, ProblemKind};
use super::{Flatten, shortened};
use crate::blackboard::{Default as KeyDefault, Direction, FrameId, SchemaError, Scope, Sight};
use crate::limits::{MAX_INSTANCE_DEPTH, MAX_INSTANCES, MAX_NAME};
use crate::{Host, NodeId, Symbol, Value};

impl<H: Host> Flatten<H> {
    /// Declares what nodes and instances have for themselves, in pre-order: nodes further down may
    /// name it.
    pub(super) fn declare_below(&mut self, specs: &mut [Spec<H>], layout: &PreOrder) {
        let any = specs.iter().filter_map(|it| it.rest.as_deref()).any(|it| !it.borders.is_empty());
        if any {
            self.tree.frames = vec![FrameId::WHOLE; layout.post.len()].into();
            let schema = Rc::make_mut(&mut self.schema);
            let own = schema.events().filter(|it| !it.is_of_host());
            let own: Vec<Symbol> = own.map(|it| Symbol::new(it.name())).collect();
            schema.know_events(FrameId::WHOLE, own.into_iter());
        }
        for (index, &at) in layout.post.iter().enumerate() {
            let id = NodeId::new(index).expect("T1");
            if let (true, Some(parent)) = (any, self.tree.rec(id).parent.some()) {
                self.tree.frames[index] = self.tree.frames[parent.index()];
            }
            if let Some(rest) = &mut specs[usize::from(at)].rest {
                // The outer ones were noted last.
                while let Some(border) = rest.borders.pop() {
                    match border {
                        Border::Instance(it) => self.instance(id, *it),
                        Border::Given => {
                            let instance = self.tree.frames[index].instance();
                            self.tree.frames[index] =
                                instance.map(|it| self.tree.instances[it].around).unwrap_or_default();
                        }
                    }
                }
            }
            if let (true, Some(stable)) = (any, &self.tree.infos[index].id)
                && let Some(prefix) = self.id_prefix(self.tree.instance_at(id))
            {
                self.tree.infos[index].id = Some(format!("{prefix}.{stable}").into());
            }
            if let Some(rest) = &mut specs[usize::from(at)].rest {
                let keys = std::mem::take(&mut rest.keys);
                let resets = std::mem::take(&mut rest.resets);
                if !keys.is_empty() {
                    self.declare_node_keys(id, keys);
                }
                if !resets.is_empty() {
                    self.see_from(id);
                    resets.iter().for_each(|it| self.reset(id, it));
                }
            }
        }
    }

    /// The prefix of the ids of the nodes of an instance.
    pub(super) fn id_prefix(&self, instance: Option<usize>) -> Option<&str> {
        let it = &self.tree.instances[instance?];
        Some(it.id.as_deref().unwrap_or(&it.full))
    }

    /// From now on looks names up as a node sees them.
    pub(in super::super) fn see_from(&mut self, id: NodeId) {
        let frame = self.tree.frame(id);
        let sight = Rc::make_mut(&mut self.sight);
        sight.path.clear();
        sight.path.extend(std::iter::successors(Some(id), |it| self.tree.rec(*it).parent.some()));
        sight.frame = frame;
    }

    fn declare_node_keys(&mut self, id: NodeId, keys: Vec<(String, KeyDefault)>) {
        let frame = self.tree.frame(id);
        let owner = self.owner(id);
        for (name, default) in keys {
            let declared = Rc::make_mut(&mut self.schema).declare_for_node(frame, &name, (id, &owner), None, default);
            for error in declared.err().into_iter().flatten() {
                self.problem(id, Some(Field::Key(Scope::Node, name.clone())), ProblemKind::Key(error));
            }
        }
    }

    /// Declares a key for the part of the tree that begins with a node, which resets it when it
    /// starts: a key of the whole tree, or of the instance of this full name. Returns what is wrong
    /// with it.
    pub(super) fn declare_local(
        &mut self,
        (root, frame): (NodeId, FrameId),
        instance: Option<&str>,
        name: &str,
        default: KeyDefault,
    ) -> Vec<SchemaError> {
        let (owner, full) = (self.owner(root), instance.map(|it| format!("{it}.{name}")));
        match Rc::make_mut(&mut self.schema).declare_for_node(frame, name, (root, &owner), full, default) {
            Ok(key) => {
                self.resets(root, key);
                Vec::new()
            }
            Err(errors) => errors,
        }
    }

    /// Makes a node reset a key that it sees.
    fn reset(&mut self, id: NodeId, name: &str) {
        match self.schema.view(&self.sight).find(name) {
            Ok(key) => self.resets(id, key),
            Err(error) => {
                self.problem(id, Some(Field::Key(Scope::Node, name.to_owned())), ProblemKind::Key(error));
            }
        }
    }

    fn resets(&mut self, id: NodeId, key: KeyIndex) {
        self.tree.records[id.index()].resets = true;
        self.tree.resets.push((id, key));
    }

    /// What identifies a node when the tree is replaced (SEMANTICS 8.10).
    fn owner(&self, id: NodeId) -> String {
        let node = self.tree.node(id).expect("described");
        node.id_text().map_or_else(|| format!("/{}", node.path()), |it| format!("#{it}"))
    }

    /// Notes an instance, inside those that were noted before at its root.
    fn instance(&mut self, root: NodeId, instance: Instance) {
        let around = self.tree.frame(root);
        if self.tree.instances.len() == MAX_INSTANCES {
            self.problem(root, None, ProblemKind::TooManyInstances);
            return;
        }
        // A node that was given to an instance belongs to it, although it does not see its names.
        let parent = self.tree.instance_at(root);
        let outward = |it: &usize| self.tree.instances[*it].parent.map(usize::from);
        if std::iter::successors(parent, outward).count() == MAX_INSTANCE_DEPTH {
            self.problem(root, None, ProblemKind::InstancesTooDeep);
            return;
        }
        let Instance { name: whole, file, id: whole_id, note, keys, locals, events, ports, sees_file, origin } =
            instance;
        // A name that is too long will be refused: until then it prefixes the names of others.
        let (name, id) = (shortened(&whole), whole_id.as_deref().map(shortened));
        let outer = parent.map(|it| &self.tree.instances[it]);
        let full = outer.map_or_else(|| name.to_owned(), |it| format!("{}.{name}", it.full));
        let id = id.map(|id| self.id_prefix(parent).map_or_else(|| id.to_owned(), |it| format!("{it}.{id}")));
        let at = self.tree.instances.len();
        self.tree.instances.push(InstanceInfo {
            root,
            around,
            parent: parent.and_then(|it| u16::try_from(it).ok()),
            name: name.into(),
            full: full.as_str().into(),
            file: file.map(Into::into),
            id: id.map(Into::into),
            note: note.map(Into::into),
            origin,
        });
        let frame = Rc::make_mut(&mut self.schema).add_frame(sees_file.then_some(around));
        if name.is_empty() || name.len() < whole.len() {
            self.of_instance(at, Some(Field::Name), ProblemKind::BadName(name.to_owned()));
        }
        if let Some(id) = whole_id.filter(|it| it.is_empty() || it.len() > MAX_NAME) {
            self.of_instance(at, Some(Field::Id), ProblemKind::BadName(shortened(&id).to_owned()));
        }
        for (scope, name, default) in keys {
            let schema = Rc::make_mut(&mut self.schema);
            let declared = match scope {
                Scope::Node | Scope::Agent => schema.declare_private(frame, &full, &name, default).map(|_| ()),
                Scope::Group | Scope::Global => {
                    schema.declare_shared(frame, scope, &name, default.clone()).inspect_err(|_| {
                        // What uses it is not wrong too.
                        let _ = schema.declare_private(frame, &full, &name, default);
                    })
                }
            };
            if let Err(error) = declared {
                self.of_instance(at, Some(Field::Key(scope, name)), named_alike(error));
            }
        }
        for (name, default) in locals {
            for error in self.declare_local((root, frame), Some(&full), &name, default) {
                self.of_instance(at, Some(Field::Key(Scope::Node, name.clone())), ProblemKind::Key(error));
            }
        }
        for (name, payload) in &events {
            if let Err(error) = Rc::make_mut(&mut self.schema).declare_event_alike(name, *payload) {
                self.of_instance(at, Some(Field::Event(name.clone())), ProblemKind::Event(error));
            }
        }
        Rc::make_mut(&mut self.schema).know_events(frame, events.iter().map(|it| Symbol::new(&it.0)));
        for port in ports {
            let (name, default) = (port.name.clone(), port.default.clone());
            if let Err(kind) = self.bind(root, frame, &full, port) {
                // What uses it is not wrong too.
                let _ = Rc::make_mut(&mut self.schema).declare_private(frame, &full, &name, default);
                self.of_instance(at, Some(Field::Port(name)), kind);
            }
        }
        self.tree.frames[root.index()] = frame;
    }

    /// Finds what a port is bound to, in the tree around its instance.
    fn bind(&mut self, root: NodeId, frame: FrameId, full: &str, port: Port) -> Result<(), ProblemKind> {
        let Port { name, direction, default, binding } = port;
        let read_only = direction == Direction::In;
        match (binding, default) {
            (Binding::Key(key), default) => {
                let outer = self.tree.frame(root);
                let sight = self.around(root, outer);
                let found = self.schema.view(&sight).find(&key).map_err(ProblemKind::Key)?;
                self.schema.fits(found, &name, &key, &default).map_err(ProblemKind::Key)?;
                if !read_only && self.schema.is_read_only(outer, found, &key) {
                    return Err(ProblemKind::Key(SchemaError::PortOfIn { port: name, key, direction }));
                }
                Rc::make_mut(&mut self.schema).bind(frame, &name, found, read_only).map_err(ProblemKind::Key)
            }
            // The words of a symbol are those of a key.
            (Binding::Constant, KeyDefault::Value(value)) if !matches!(value, Value::Symbol(_)) => {
                Rc::make_mut(&mut self.schema).bind_constant(frame, &name, value).map_err(ProblemKind::Key)
            }
            (Binding::Constant | Binding::Own, default) => {
                let schema = Rc::make_mut(&mut self.schema);
                schema.declare_private(frame, full, &name, default).map_err(named_alike)?;
                if read_only {
                    schema.set_read_only(frame, &name);
                }
                Ok(())
            }
        }
    }

    /// What is seen in this frame at a node's place. Of the keys of the node itself these are only
    /// the ones declared for a part of the tree that begins with it.
    fn around(&self, root: NodeId, frame: FrameId) -> Sight {
        let parent = |it: NodeId| self.tree.rec(it).parent.some();
        Sight { path: std::iter::successors(Some(root), |it| parent(*it)).collect(), frame }
    }

    /// Notes a problem with an instance as a whole.
    fn of_instance(&mut self, at: usize, field: Option<Field>, kind: ProblemKind) {
        let InstanceInfo { root, origin, .. } = self.tree.instances[at];
        // As in `problem`.
        let path =
            if self.problems.is_full() { String::new() } else { self.tree.node(root).expect("described").path() };
        self.problems.push(Problem { kind, node: Some(root), path, origin, field, span: None });
    }

    /// As `words_that_are_keys`, for what instances see.
    pub(super) fn words_that_are_keys_of_instances(&mut self) {
        let mut found = Vec::new();
        for at in 0..self.tree.instances.len() {
            let frame = FrameId::of_instance(at);
            let root = self.tree.instances[at].root;
            for (scope, name, key) in self.schema.symbols_in(frame) {
                let sight = Sight { path: vec![root], frame };
                let is_below = |it| self.tree.contains(root, it);
                let words = self.schema.decl(key).words().filter(|it| self.schema.is_named(frame, it));
                for word in words.filter(|it| self.schema.is_hidden(it, &sight, is_below)) {
                    found.push((at, scope, name.to_owned(), word.to_owned()));
                }
            }
        }
        for (at, scope, name, word) in found {
            let error = SchemaError::WordIsKey { name: name.clone(), word };
            self.of_instance(at, Some(Field::Key(scope, name)), ProblemKind::Key(error));
        }
    }
}

/// Two instances of one name whose keys would have the same full name.
fn named_alike(error: SchemaError) -> ProblemKind {
    match error {
        SchemaError::Doubled { name, .. } if name.contains('.') => ProblemKind::InstancesAlike { key: name },
        error => ProblemKind::Key(error),
    }
}
