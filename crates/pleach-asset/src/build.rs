//! From an [`Asset`] to a tree: makes the leaves, hands the nodes to the core, and finds the places
//! of what it complains about.

mod amounts;
mod assemble;
mod lint;
mod place;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::Drain;

use pleach_core::limits::MAX_DEPTH;
use pleach_core::{self as core, DeferredLeaf, Host, LeafError, Node, NodeKind, ProblemKind, Tree, When};

use crate::Registry;
use crate::asset::{Argument, Asset, AssetNode, Body, BuiltIn, EventEntry, Interrupt, KeyEntry, Param, Role, Service};
use crate::finding::{Finding, Findings};
use crate::report::Report;
use crate::syntax::Data;
use crate::write;
use assemble::assemble;
use place::{Place, place};

/// Builds, with what has already been found.
pub(crate) fn build<H: Host>(asset: &Asset, registry: &Registry<H>, findings: Findings) -> Result<Tree<H>, Report> {
    with_places(asset, registry, findings).map(|it| it.0).map_err(|findings| asset.report(findings))
}

/// Builds and says of what is probably not meant. Without a tree that is what the asset alone
/// tells.
pub(crate) fn check<H: Host>(
    asset: &Asset,
    registry: &Registry<H>,
    findings: Findings,
) -> Result<(Tree<H>, Report), Report> {
    let amounts = amounts::warnings(asset);
    match with_places(asset, registry, findings) {
        Ok((tree, places)) => {
            let mut warnings = lint::warnings(asset, &tree, &places);
            warnings.extend(amounts);
            Ok((tree, asset.report(warnings)))
        }
        Err(mut findings) => {
            for warning in amounts {
                // What is only counted are errors.
                if findings.is_full() {
                    break;
                }
                findings.push(warning);
            }
            Err(asset.report(findings))
        }
    }
}

/// A tree, and where its nodes come from.
type Built<'a, H> = (Tree<H>, Vec<Place<'a>>);

fn with_places<'a, H: Host>(
    asset: &'a Asset,
    registry: &'a Registry<H>,
    findings: Findings,
) -> Result<Built<'a, H>, Findings> {
    let mut builder = registry.builder(asset.name());
    if !registry.allows_any_event() {
        builder.strict_events(true);
    }
    for KeyEntry { scope, name, default, words: _ } in &asset.keys {
        // What is wrong with them, the builder reports.
        builder.declare(*scope, &name.text, default.clone());
    }
    for EventEntry { name, payload } in &asset.events {
        builder.event(&name.text, *payload);
    }
    let findings = Shared(Arc::new(Mutex::new(Found { findings, text: String::new() })));
    let mut build = Builder { registry, findings: findings.clone(), places: Vec::new() };
    let root = build.whole(asset);
    let places = build.places;
    // Makes the leaves, too.
    let built = builder.build(root);
    let mut findings = std::mem::take(&mut findings.lock().findings);
    match built {
        Ok(tree) if findings.is_empty() => Ok((tree, places)),
        Ok(_) => Err(findings),
        Err(error) => {
            for problem in error.problems {
                if let Some(finding) = place(asset, &places, problem) {
                    findings.push(finding);
                }
            }
            findings.add_more(error.more);
            Err(findings)
        }
    }
}

/// What is found by the pass, and by the leaves when the core makes them.
#[derive(Default)]
struct Found {
    findings: Findings,
    /// For texts that are put together.
    text: String,
}

#[derive(Clone)]
struct Shared(Arc<Mutex<Found>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Found> {
        // A list of problems is as good after a panic of a leaf as before.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, finding: Finding) {
        self.lock().findings.push(finding);
    }
}

/// A node of which the children are being made.
struct PendingNode<'a, H: Host> {
    it: &'a AssetNode,
    origin: u32,
    services: Vec<(f64, DeferredLeaf<H>)>,
    when: Option<When<H>>,
    /// Whether something has to stand in place of its children: that there are none is reported.
    lacks_children: bool,
    /// Its children, those that are disabled too.
    waiting: std::slice::Iter<'a, AssetNode>,
    /// Where its children begin among those of all open nodes.
    children: usize,
}

/// The state of the pass, which goes over the nodes in pre-order.
struct Builder<'a, H: Host> {
    registry: &'a Registry<H>,
    findings: Shared,
    /// Where nodes come from, by their origins.
    places: Vec<Place<'a>>,
}

impl<'a, H: Host> Builder<'a, H> {
    fn whole(&mut self, asset: &'a Asset) -> Node<H> {
        let interrupts: Vec<&Interrupt> = asset.interrupts.iter().filter(|it| !it.run.disabled).collect();
        let root = if interrupts.is_empty() {
            self.node(&asset.root, 1)
        } else {
            let origin = self.origin(Place::Whole);
            let mut children: Vec<Node<H>> = interrupts.into_iter().map(|it| self.interrupt(it)).collect();
            children.push(self.node(&asset.root, 2));
            core::reactive_selector(children).from_origin(origin)
        };
        match asset.note() {
            Some(note) if asset.root.note.is_none() && asset.interrupts.is_empty() => root.with_note(note),
            _ => root,
        }
    }

    fn interrupt(&mut self, interrupt: &'a Interrupt) -> Node<H> {
        let origin = self.origin(Place::Interrupt(interrupt));
        let when = self.when(Some(&interrupt.when));
        let run = self.node(&interrupt.run, 3);
        core::guard(when, run).from_origin(origin)
    }

    /// Notes where a node comes from. The core gives the number back with what is wrong.
    fn origin(&mut self, place: Place<'a>) -> u32 {
        let origin = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        self.places.push(place);
        origin
    }

    /// A node at that depth with all below it. Takes no more stack for a deep tree than for a flat
    /// one.
    fn node(&mut self, it: &'a AssetNode, depth: usize) -> Node<H> {
        let mut open = vec![self.begin(it, 0)];
        // The children of all open nodes that are done, of the outermost first.
        let mut children: Vec<Node<H>> = Vec::new();
        loop {
            let top = open.last_mut().expect("the loop ends with the last");
            match top.waiting.find(|it| !it.disabled) {
                Some(child) => {
                    let begun = self.begin(child, children.len());
                    if begun.waiting.as_slice().is_empty() {
                        let done = self.finish(begun, depth + open.len(), &mut children);
                        children.push(done);
                    } else {
                        open.push(begun);
                    }
                }
                None => {
                    let at = depth + open.len() - 1;
                    let done = open.pop().map(|it| self.finish(it, at, &mut children)).expect("there is a top");
                    if open.is_empty() {
                        return done;
                    }
                    children.push(done);
                }
            }
        }
    }

    /// Everything about a node that comes before its children, which will begin at that place.
    fn begin(&mut self, it: &'a AssetNode, children: usize) -> PendingNode<'a, H> {
        let origin = self.origin(Place::Node(it));
        let (mut services, mut when) = (Vec::new(), None);
        let (mut lacks_children, mut waiting) = (false, [].iter());
        if let Body::BuiltIn(own) = &it.body {
            let enabled = own.parent().services.iter().filter(|it| !it.run.disabled);
            let leaf = |it: &Service| Some((seconds(&it.every), self.leaf(&it.run, Role::Service)?));
            services = enabled.filter_map(leaf).collect();
            when = (own.kind == NodeKind::Guard).then(|| self.when(own.field("when")));
            lacks_children = self.lacks_children(it, own);
            waiting = own.parent().children.iter();
        }
        PendingNode { it, origin, services, when, lacks_children, waiting, children }
    }

    fn finish(&mut self, begun: PendingNode<'a, H>, depth: usize, children: &mut Vec<Node<H>>) -> Node<H> {
        let PendingNode { it, origin, services, when, lacks_children, waiting: _, children: from } = begun;
        let mut node = match &it.body {
            // What stands for its children would be too deep.
            Body::BuiltIn(_) if lacks_children && depth == MAX_DEPTH => core::fail(),
            Body::BuiltIn(own) => {
                children.extend(lacks_children.then(core::fail));
                self.built_in(it, own, services, when, children.drain(from..))
            }
            Body::Leaf(_) => self.leaf(it, Role::Node).map_or_else(core::fail, core::leaf).of_kind(&*it.kind.text),
        };
        node = node.from_origin(origin);
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

    /// A leaf of the host, which is made when the core knows the keys that it sees.
    fn leaf(&self, it: &AssetNode, role: Role) -> Option<DeferredLeaf<H>> {
        let Body::Leaf(call) = &it.body else { return None };
        let call = Arc::clone(call);
        let (registry, findings) = (self.registry.share(), self.findings.clone());
        Some(core::deferred(move |keys| {
            let Found { findings, text } = &mut *findings.lock();
            let before = findings.count();
            let leaf = registry.make(&call, keys, findings).filter(|it| {
                let fits = role != Role::Service || !it.is_condition();
                if !fits {
                    // The core would say so too, but of the interval.
                    findings.push(Finding::error(call.span, ProblemKind::ConditionAsService.to_string()));
                }
                fits
            });
            let Some(leaf) = leaf else { return Err(LeafError::Told(findings.count() - before)) };
            // Unless the host has said it in words of its own.
            let Data::Call(Some(head), args) = &call.data else { return Ok(leaf) };
            let leaf = if leaf.detail().is_empty() {
                text.clear();
                write::args(text, args);
                leaf.described(&**text)
            } else {
                leaf
            };
            Ok(match (role, leaf.detail()) {
                (Role::Node | Role::Service, _) => leaf,
                (Role::Test, "") => leaf.described(&*head.text),
                (Role::Test, parameters) => {
                    let whole = format!("{}({parameters})", head.text);
                    leaf.described(whole)
                }
            })
        }))
    }

    fn when(&self, argument: Option<&'a Argument>) -> When<H> {
        let when = match argument.map(|it| &it.value) {
            Some(Param::Text(expr)) => Some(When::Expr(expr.to_string())),
            Some(Param::Leaf(node)) => self.leaf(node, Role::Test).map(Into::into),
            _ => None,
        };
        // Missing, and reported: something that compiles.
        when.unwrap_or_else(|| When::Expr("true".into()))
    }

    /// Whether it has no enabled children, and that has been reported.
    fn lacks_children(&mut self, it: &AssetNode, own: &BuiltIn) -> bool {
        if own.parent().children.iter().any(|it| !it.disabled) {
            return false;
        }
        if !own.parent().children.is_empty() {
            let name = own.kind.name();
            let (message, help) = if own.kind.arity() == core::Arity::Decorator {
                (format!("the child of this `{name}` is disabled"), format!("disable the `{name}` too"))
            } else {
                (format!("all children of this `{name}` are disabled"), format!("disable the `{name}` itself"))
            };
            self.findings.push(Finding::error(it.kind.span, message).help(help));
            return true;
        }
        it.broken
    }

    fn built_in(
        &mut self,
        it: &'a AssetNode,
        own: &'a BuiltIn,
        services: Vec<(f64, DeferredLeaf<H>)>,
        when: Option<When<H>>,
        children: Drain<'_, Node<H>>,
    ) -> Node<H> {
        if own.kind == NodeKind::UtilitySelector {
            self.scores(it, own);
        }
        let mut node = assemble(own, when, children).aborts(own.parent().abort.map(|it| it.0).unwrap_or_default());
        for (every, leaf) in services {
            node = node.with_service(every, leaf);
        }
        for key in &own.parent().keys {
            node = node.with_key(&*key.name.text, key.default.clone());
        }
        node
    }

    /// The core takes scores and children in pairs, so one too many or few is for us to notice.
    fn scores(&mut self, it: &AssetNode, own: &BuiltIn) {
        let Some(Argument { value: Param::Texts(scores), span, .. }) = own.field("scores") else { return };
        let children = own.parent().children.len();
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
