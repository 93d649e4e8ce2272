//! From an [`Asset`] to a tree: makes the leaves, hands the nodes to the core, and finds the places of what it complains
//! about.

mod amounts;
mod assemble;
mod lint;
mod place;

use std::rc::Rc;

use pleach_core::{self as core, Host, HostLeaf, Node, NodeId, ProblemKind, Schema, Scope, Tree, When};

use crate::Registry;
use crate::asset::{Asset, AssetNode, Body, BuiltIn, Field, Interrupt, KeyEntry, Param};
use crate::kind::Kind;
use crate::report::{Finding, Findings, MAX_PROBLEMS, Report};
use crate::write;
use assemble::assemble;
use place::{Place, place};

/// Builds, with what has already been found.
pub(crate) fn build<H: Host>(asset: &Asset, registry: &Registry<H>, findings: Findings) -> Result<Tree<H>, Report> {
    with_places(asset, registry, findings).map(|it| it.0)
}

/// Builds and says of what is probably not meant.
pub(crate) fn check<H: Host>(
    asset: &Asset,
    registry: &Registry<H>,
    findings: Findings,
) -> Result<(Tree<H>, Report), Report> {
    let (tree, places) = with_places(asset, registry, findings)?;
    let mut warnings = lint::warnings(asset, &tree, &places);
    warnings.extend(amounts::warnings(asset));
    Ok((tree, asset.report(warnings)))
}

/// A tree, and where its nodes come from.
type Built<'a, H> = (Tree<H>, Vec<Place<'a>>);

fn with_places<'a, H: Host>(
    asset: &'a Asset,
    registry: &'a Registry<H>,
    findings: Findings,
) -> Result<Built<'a, H>, Report> {
    let mut builder = Tree::<H>::builder(asset.name());
    let mut schema = Schema::default();
    for KeyEntry { scope, name, default } in &asset.keys {
        builder.declare(*scope, &name.text, default.clone());
        // The same keys in the same order, to look the keys of leaves up in. What is wrong, the builder reports.
        let _ = schema.declare(&name.text, *scope, None, default.clone());
    }
    let mut build = Builder { registry, findings, schema: Rc::new(schema), path: Vec::new(), places: Vec::new() };
    let root = build.whole(asset);
    match builder.build(root) {
        Ok(tree) if build.findings.is_empty() => Ok((tree, build.places)),
        Ok(_) => Err(asset.report(build.findings)),
        Err(error) => {
            let Builder { mut findings, places, .. } = build;
            for problem in &error.problems {
                if let Some(finding) = place(asset, &places, problem) {
                    findings.push(finding);
                }
            }
            findings.add_more(error.more);
            Err(asset.report(findings))
        }
    }
}

/// The state of the pass, which goes over the nodes in pre-order: the number of a node is its index in the tree.
struct Builder<'a, H: Host> {
    registry: &'a Registry<H>,
    findings: Findings,
    /// The keys that the current node sees, and others: a growing copy of what the tree's schema will be.
    schema: Rc<Schema>,
    /// The current node and its ancestors, root first.
    path: Vec<NodeId>,
    places: Vec<Place<'a>>,
}

impl<'a, H: Host> Builder<'a, H> {
    fn whole(&mut self, asset: &'a Asset) -> Node<H> {
        let interrupts: Vec<&Interrupt> = asset.interrupts.iter().filter(|it| !it.run.disabled).collect();
        let root = if interrupts.is_empty() {
            self.node(&asset.root)
        } else {
            self.enter(Place::Whole, |it| {
                let mut children: Vec<Node<H>> =
                    interrupts.into_iter().map(|interrupt| it.interrupt(interrupt)).collect();
                children.push(it.node(&asset.root));
                core::reactive_selector(children)
            })
        };
        match asset.note() {
            Some(note) if asset.root.note.is_none() && asset.interrupts.is_empty() => root.with_note(note),
            _ => root,
        }
    }

    fn interrupt(&mut self, interrupt: &'a Interrupt) -> Node<H> {
        self.enter(Place::Interrupt(interrupt), |it| {
            let when = it.when(Some(&interrupt.when));
            core::guard(when, it.node(&interrupt.run))
        })
    }

    /// Gives the node its number, and makes it.
    fn enter(&mut self, place: Place<'a>, make: impl FnOnce(&mut Self) -> Node<H>) -> Node<H> {
        let index = self.places.len();
        self.places.push(place);
        // Past the limit the core refuses the tree for its size: what keys a node sees no longer matters.
        let id = NodeId::new(index);
        self.path.extend(id);
        let node = make(self);
        if id.is_some() {
            self.path.pop();
        }
        node.from_origin(u32::try_from(index).unwrap_or(u32::MAX))
    }

    fn node(&mut self, it: &'a AssetNode) -> Node<H> {
        let mut node = self.enter(Place::Node(it), |build| match &it.body {
            Body::BuiltIn(own) => build.built_in(it, own),
            // In place of a leaf that cannot be made, so that the rest can be checked.
            Body::Leaf(_) => build.leaf(it).map_or_else(core::fail, core::leaf),
        });
        if let Body::Leaf(_) = it.body {
            node = node.of_kind(&*it.kind.text);
        }
        if let Some(name) = &it.name {
            node = node.named(&*name.text);
        }
        if let Some(id) = &it.id {
            node = node.with_id(&*id.text);
        }
        if let Some(note) = &it.note {
            node = node.with_note(&*note.text);
        }
        node
    }

    fn leaf(&mut self, it: &'a AssetNode) -> Option<HostLeaf<H>> {
        let Body::Leaf(args) = &it.body else { return None };
        let nearest: Vec<NodeId> = self.path.iter().rev().copied().collect();
        if self.findings.count() >= MAX_PROBLEMS {
            Rc::make_mut(&mut self.schema).stop_suggesting();
        }
        let leaf =
            core::with_schema(&self.schema, &nearest, || self.registry.make(&it.kind, args, &mut self.findings))?;
        // Unless the host has said it in words of its own.
        Some(if leaf.detail().is_empty() { leaf.described(write::args(args)) } else { leaf })
    }

    fn service(&mut self, it: &'a AssetNode) -> HostLeaf<H> {
        let leaf = self.leaf(it);
        if leaf.as_ref().is_some_and(HostLeaf::is_condition) {
            // The core would say so too, but of the interval.
            self.findings.push(Finding::error(it.kind.span, ProblemKind::ConditionAsService.to_string()));
        }
        // In place of one that cannot be, so that the core counts as the file does.
        leaf.filter(|it| !it.is_condition()).unwrap_or_else(|| core::action(|_| core::Status::Failure))
    }

    fn when(&mut self, field: Option<&'a Field>) -> When<H> {
        match field.map(|it| &it.value) {
            Some(Param::Text(expr)) => When::Expr(expr.to_string()),
            Some(Param::Leaf(node)) => match self.leaf(node) {
                Some(leaf) => {
                    let detail = match leaf.detail() {
                        "" => node.kind.text.to_string(),
                        parameters => format!("{}({parameters})", node.kind.text),
                    };
                    When::Condition(leaf.described(detail))
                }
                None => When::Expr("true".into()),
            },
            // Missing, and reported: something that compiles.
            _ => When::Expr("true".into()),
        }
    }

    fn declare(&mut self, keys: &[KeyEntry]) {
        let node = self.path.last().copied();
        let schema = Rc::make_mut(&mut self.schema);
        for key in keys {
            let _ = schema.declare(&key.name.text, Scope::Node, node, key.default.clone());
        }
    }

    /// The enabled children.
    fn children(&mut self, it: &'a AssetNode, own: &'a BuiltIn) -> Vec<Node<H>> {
        let enabled: Vec<&AssetNode> = own.children.iter().filter(|it| !it.disabled).collect();
        if enabled.is_empty() && !own.children.is_empty() {
            let name = own.kind.name();
            let (message, help) = if own.kind.arity() == core::Arity::Decorator {
                (format!("the child of this `{name}` is disabled"), format!("disable the `{name}` too"))
            } else {
                (format!("all children of this `{name}` are disabled"), format!("disable the `{name}` itself"))
            };
            self.findings.push(Finding::error(it.kind.span, message).help(help));
            return vec![core::fail()];
        }
        if enabled.is_empty() && it.broken {
            return vec![core::fail()];
        }
        enabled.into_iter().map(|child| self.node(child)).collect()
    }

    fn built_in(&mut self, it: &'a AssetNode, own: &'a BuiltIn) -> Node<H> {
        self.declare(&own.keys);
        // Leaves get their indices in pre-order, which does not depend on when these are made: they have no nodes.
        let services: Vec<(f64, HostLeaf<H>)> = own
            .services
            .iter()
            .filter(|it| !it.run.disabled)
            .map(|it| (seconds(&it.every), self.service(&it.run)))
            .collect();
        let when = (own.kind == Kind::Guard).then(|| self.when(own.field("when")));
        let children = self.children(it, own);
        if own.kind == Kind::UtilitySelector {
            self.scores(it, own);
        }
        let mut node = assemble(own, when, children).aborts(own.abort.map(|it| it.0).unwrap_or_default());
        for (every, leaf) in services {
            node = node.with_service(every, leaf);
        }
        for key in &own.keys {
            node = node.with_key(&*key.name.text, key.default.clone());
        }
        node
    }
    /// The core takes scores and children in pairs, so one too many or few is for us to notice.
    fn scores(&mut self, it: &AssetNode, own: &BuiltIn) {
        let Some(Field { value: Param::Texts(scores), span, .. }) = own.field("scores") else { return };
        let children = own.children.len();
        if scores.len() != children && !it.broken {
            let kind = ProblemKind::Count { found: scores.len(), children };
            self.findings.push(Finding::error(*span, format!("`scores`: {kind}")));
        }
    }
}

fn seconds(field: &Field) -> f64 {
    match &field.value {
        Param::Number(it) => it.value,
        _ => 0.0,
    }
}
