//! From an [`Asset`] to a tree: makes the leaves, hands the nodes to the core, and finds the places
//! of what it complains about.

mod amounts;
mod assemble;
mod lint;
mod place;

use std::rc::Rc;

use pleach_core::{self as core, Host, HostLeaf, Node, NodeId, ProblemKind, Schema, Scope, Tree, When};

use crate::Registry;
use crate::asset::{Argument, Asset, AssetNode, Body, BuiltIn, Interrupt, KeyEntry, Param};
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
    for KeyEntry { scope, name, default, words: _ } in &asset.keys {
        builder.declare(*scope, &name.text, default.clone());
        // The same keys in the same order, to look the keys of leaves up in. What is wrong, the
        // builder reports.
        let _ = schema.declare(&name.text, *scope, None, default.clone());
    }
    let mut build = Builder { registry, findings, schema: Rc::new(schema), path: Vec::new(), places: Vec::new() };
    let root = build.whole(asset);
    match builder.build(root) {
        Ok(tree) if build.findings.is_empty() => Ok((tree, build.places)),
        Ok(_) => Err(asset.report(build.findings)),
        Err(error) => {
            let Builder { mut findings, places, .. } = build;
            // The reader says of a node where it is too deep; what was put in its place is so too.
            let told = findings.count() > 0;
            for problem in error.problems {
                if told && matches!(problem.kind, ProblemKind::TooDeep(_)) {
                    continue;
                }
                if let Some(finding) = place(asset, &places, problem) {
                    findings.push(finding);
                }
            }
            findings.add_more(error.more);
            Err(asset.report(findings))
        }
    }
}

/// A node that has its number, and is not finished.
struct Entered {
    index: usize,
    on_path: bool,
}

/// A node of which the children are being made.
struct Begun<'a, H: Host> {
    it: &'a AssetNode,
    entered: Entered,
    services: Vec<(f64, HostLeaf<H>)>,
    when: Option<When<H>>,
    waiting: std::vec::IntoIter<&'a AssetNode>,
    children: Vec<Node<H>>,
}

/// The state of the pass, which goes over the nodes in pre-order: the number of a node is its index
/// in the tree.
struct Builder<'a, H: Host> {
    registry: &'a Registry<H>,
    findings: Findings,
    /// The keys that the current node sees, and others: a growing copy of what the tree's schema
    /// will be.
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
            let entered = self.enter(Place::Whole);
            let mut children: Vec<Node<H>> = interrupts.into_iter().map(|it| self.interrupt(it)).collect();
            children.push(self.node(&asset.root));
            self.leave(entered, core::reactive_selector(children))
        };
        match asset.note() {
            Some(note) if asset.root.note.is_none() && asset.interrupts.is_empty() => root.with_note(note),
            _ => root,
        }
    }

    fn interrupt(&mut self, interrupt: &'a Interrupt) -> Node<H> {
        let entered = self.enter(Place::Interrupt(interrupt));
        let when = self.when(Some(&interrupt.when));
        let run = self.node(&interrupt.run);
        self.leave(entered, core::guard(when, run))
    }

    /// Gives the node its number; until it is left, it is the innermost.
    fn enter(&mut self, place: Place<'a>) -> Entered {
        let index = self.places.len();
        self.places.push(place);
        // Past the limit the core refuses the tree for its size: what keys a node sees no longer
        // matters.
        let id = NodeId::new(index);
        self.path.extend(id);
        Entered { index, on_path: id.is_some() }
    }

    fn leave(&mut self, entered: Entered, node: Node<H>) -> Node<H> {
        if entered.on_path {
            self.path.pop();
        }
        node.from_origin(u32::try_from(entered.index).unwrap_or(u32::MAX))
    }

    /// A node with all below it. Takes no more stack for a deep tree than for a flat one.
    fn node(&mut self, it: &'a AssetNode) -> Node<H> {
        let mut open = vec![self.begin(it)];
        loop {
            let top = open.last_mut().expect("the loop ends with the last");
            match top.waiting.next() {
                Some(child) => open.push(self.begin(child)),
                None => {
                    let done = open.pop().map(|it| self.finish(it)).expect("there is a top");
                    match open.last_mut() {
                        Some(parent) => parent.children.push(done),
                        None => return done,
                    }
                }
            }
        }
    }

    /// Everything about a node that comes before its children.
    fn begin(&mut self, it: &'a AssetNode) -> Begun<'a, H> {
        let entered = self.enter(Place::Node(it));
        let (mut services, mut when, mut waiting) = (Vec::new(), None, Vec::new());
        let mut children = Vec::new();
        if let Body::BuiltIn(own) = &it.body {
            self.declare(&own.keys);
            // Leaves get their indices in pre-order, which does not depend on when these are made:
            // they have no nodes.
            let enabled = own.services.iter().filter(|it| !it.run.disabled);
            services = enabled.map(|it| (seconds(&it.every), self.service(&it.run))).collect();
            when = (own.kind == Kind::Guard).then(|| self.when(own.field("when")));
            match self.children(it, own) {
                Some(it) => waiting = it,
                None => children.push(core::fail()),
            }
        }
        Begun { it, entered, services, when, waiting: waiting.into_iter(), children }
    }

    fn finish(&mut self, begun: Begun<'a, H>) -> Node<H> {
        let Begun { it, entered, services, when, waiting: _, children } = begun;
        let node = match &it.body {
            Body::BuiltIn(own) => self.built_in(it, own, services, when, children),
            // In place of a leaf that cannot be made, so that the rest can be checked.
            Body::Leaf(_) => self.leaf(it).map_or_else(core::fail, core::leaf),
        };
        let mut node = self.leave(entered, node);
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

    fn when(&mut self, field: Option<&'a Argument>) -> When<H> {
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

    /// The enabled children; `None` if there are none, and that has been reported.
    fn children(&mut self, it: &'a AssetNode, own: &'a BuiltIn) -> Option<Vec<&'a AssetNode>> {
        let enabled: Vec<&AssetNode> = own.children.iter().filter(|it| !it.disabled).collect();
        if enabled.is_empty() && !own.children.is_empty() {
            let name = own.kind.name();
            let (message, help) = if own.kind.arity() == core::Arity::Decorator {
                (format!("the child of this `{name}` is disabled"), format!("disable the `{name}` too"))
            } else {
                (format!("all children of this `{name}` are disabled"), format!("disable the `{name}` itself"))
            };
            self.findings.push(Finding::error(it.kind.span, message).help(help));
            return None;
        }
        (!enabled.is_empty() || !it.broken).then_some(enabled)
    }

    fn built_in(
        &mut self,
        it: &'a AssetNode,
        own: &'a BuiltIn,
        services: Vec<(f64, HostLeaf<H>)>,
        when: Option<When<H>>,
        children: Vec<Node<H>>,
    ) -> Node<H> {
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
        let Some(Argument { value: Param::Texts(scores), span, .. }) = own.field("scores") else { return };
        let children = own.children.len();
        if scores.len() != children && !it.broken {
            let kind = ProblemKind::Count { found: scores.len(), children };
            self.findings.push(Finding::error(*span, format!("`scores`: {kind}")));
        }
    }
}

fn seconds(field: &Argument) -> f64 {
    match &field.value {
        Param::Number(it) => it.value,
        _ => 0.0,
    }
}
