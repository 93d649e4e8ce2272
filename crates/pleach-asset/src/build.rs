//! From an [`Asset`] to a tree: makes the leaves, hands the nodes to the core, and finds the places
//! of the problems it reports.

mod allowed;
mod amounts;
mod assemble;
#[cfg(feature = "reports")]
mod described;
mod files;
mod holes;
mod include;
mod library;
mod lint;
mod place;
mod shared;
mod unused;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pleach_core::limits::MAX_DEPTH;
use pleach_core::{
    self as core, Host, Tree,
    error::{LeafError, ProblemKind},
    kinds::NodeKind,
    nodes::{self, Binding, Instance, Node, NodeList, Port},
    schema::Scope,
};

use crate::Registry;
use crate::asset::{
    Argument, Asset, AssetTree, Body, BuiltIn, Children, Interrupt, Param, PortEntry, Rest, Role, Service, Subtree,
};
#[cfg(feature = "baked")]
use crate::baked;
use crate::code::Code;
use crate::finding::{FileAt, Finding, Findings};
use crate::limits::MAX_PARAMETERS;
use crate::report::Report;
use crate::span::Word;
use crate::syntax::{HostCall, Values};
use allowed::without_allowed;
use assemble::{assemble, literal, number};
#[cfg(feature = "reports")]
pub use described::WrittenNode;
#[cfg(feature = "reports")]
pub(crate) use described::described;
pub(crate) use files::{File, Files};
use holes::Part;
pub(crate) use library::{Right, Warn, check_files};
use lint::Warnings;
use place::{Origin, Place, place};
use unused::{warnings_of_amounts, warnings_of_keys};

/// Builds.
pub(crate) fn build<H: Host>(asset: &Asset, registry: &Registry<H>) -> Result<Tree<H>, Report> {
    let built = asset.tree().and_then(|(tree, mut findings)| {
        let files = alone(asset, tree, &mut findings);
        Ok(with_places(&files, 0, registry, findings, Alone::Refused)?.0)
    });
    built.map_err(|findings| asset.report(findings))
}

/// Builds, and warns of probable mistakes. Without a tree, it gives only the warnings that need
/// none.
pub(crate) fn check<H: Host>(asset: &Asset, registry: &Registry<H>) -> Result<(Tree<H>, Report), Report> {
    let (written, mut findings) = asset.tree().map_err(|findings| asset.report(findings))?;
    let files = alone(asset, written, &mut findings);
    let amounts = warnings_of_amounts(&files);
    match with_places(&files, 0, registry, findings, Alone::Refused) {
        Ok((tree, places)) => {
            let mut of_nodes = Warnings::default();
            let sure = is_sure(&places, registry);
            of_nodes.add(&files, &tree, &places, sure);
            let mut warnings = of_nodes.agreed(&files);
            warnings.extend(warnings_of_keys(&files, registry));
            warnings.extend(amounts);
            Ok((tree, asset.report(without_allowed(&files, warnings, sure))))
        }
        Err(mut findings) => {
            findings.warn(without_allowed(&files, amounts, false));
            Err(asset.report(findings))
        }
    }
}

/// One file, which cannot include others.
fn alone<'a>(asset: &'a Asset, tree: AssetTree<'a>, findings: &mut Findings) -> Files<'a> {
    let includes = tree.includes;
    let mut files = Files::alone(asset, tree);
    if includes {
        // A template is visited wherever it is used.
        findings.tell_once();
        files.link(&[0], findings);
    }
    files
}

/// Whether it is known which leaves of a tree are conditions. If not, its nodes get no warnings.
fn is_sure<H: Host>(places: &[Origin<'_>], registry: &Registry<H>) -> bool {
    !places.iter().any(|it| match it.place {
        Place::Node(it) => matches!(it.node().body, Body::Leaf(_)) && registry.is_unsure(it.kind.text),
        Place::Interrupt(_) | Place::Whole | Place::Include(..) => false,
    })
}

/// What to do with a file that is only a part of other trees, with holes that lack defaults.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Alone {
    /// Report an error.
    Refused,
    /// Check it with a leaf in each of these holes.
    Checked,
}

/// A tree, and where its nodes come from.
type Built<'a, H> = (Tree<H>, Vec<Origin<'a>>);

/// Makes a tree from a file and everything it includes.
fn with_places<'a, H: Host>(
    files: &'a Files<'a>,
    entry: FileAt,
    registry: &'a Registry<H>,
    mut findings: Findings,
    part: Alone,
) -> Result<Built<'a, H>, Findings> {
    let Some(File { asset, tree: Some(written), .. }) = files.get(entry) else { return Err(findings) };
    let builder = registry.declared(whole(asset, written), !files.lost_events());
    findings.set_file(entry);
    if part == Alone::Refused {
        files.refuse_part(entry, &mut findings);
    }
    let found = Mutex::new(Found { findings, text: String::new() });
    let making = Arc::new(Making { registry: registry.share(), found });
    let mut build = Builder::new(files, entry, asset, written.root.0.len(), &making);
    build.begin_part(&written.holes, None);
    build.stands_in = part == Alone::Checked;
    build.whole(written);
    let root = build.nodes.into_node().expect("one node is left");
    let places = build.places;
    // Makes the leaves, too.
    let built = builder.build(root);
    let mut findings = std::mem::take(&mut making.lock().findings);
    match built {
        Ok(tree) if findings.is_empty() => Ok((tree, places)),
        Ok(_) => Err(findings),
        Err(error) => {
            for problem in error.problems {
                let is_leaf = |name: &str| registry.contains(name);
                if let Some(finding) = place(files, entry, &places, &is_leaf, problem) {
                    findings.push(finding);
                }
            }
            findings.add_more(error.more);
            Err(findings)
        }
    }
}

/// The declarations of a file that is a whole tree.
fn whole(asset: &Asset, written: &AssetTree<'_>) -> Instance {
    // A port with the name of a key has been reported.
    let is_key = |name: &str| written.keys.iter().any(|it| it.scope == Scope::Agent && it.name.text == name);
    let ports = written.ports.iter().filter(|it| !is_key(it.name.text));
    let ports = ports.map(|PortEntry { name, direction, default, .. }| Port {
        name: name.text.to_owned(),
        direction: *direction,
        default: default.clone(),
        binding: Binding::Own,
    });
    Instance { ports: ports.collect(), ..include::declared(asset.name(), written, written.own()) }
}

/// A correct tree, with everything it includes, as bytes.
#[cfg(feature = "baked")]
pub(crate) fn bake<H: Host>(files: &Files<'_>, entry: FileAt, registry: &Registry<H>) -> Result<Vec<u8>, Findings> {
    let Some(File { asset, tree: Some(written), .. }) = files.get(entry) else { return Err(Findings::default()) };
    let making = Arc::new(Making { registry: registry.share(), found: Mutex::default() });
    let mut build = Builder::new(files, entry, asset, written.root.0.len(), &making);
    build.called = Some(Vec::new());
    build.begin_part(&written.holes, None);
    build.whole(written);
    let called = build.called.unwrap_or_default();
    baked::write(whole(asset, written), build.nodes, &called).map_err(|it| vec![it.in_file(entry)].into())
}

/// What the pass finds, and the leaves when the core makes them.
#[derive(Default)]
struct Found {
    findings: Findings,
    /// A buffer for composed texts.
    text: String,
}

/// What makes the leaves, and what is found. Shared by the pass and all leaves, each of which holds
/// a reference.
struct Making<H: Host> {
    registry: Registry<H>,
    found: Mutex<Found>,
}

impl<H: Host> Making<H> {
    fn lock(&self) -> MutexGuard<'_, Found> {
        // A leaf's panic leaves the list of problems intact.
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, finding: Finding) {
        _ = self.lock().findings.push(finding);
    }
}

/// A node whose children are being made.
struct PendingNode<'a> {
    it: Subtree<'a>,
    origin: u32,
    /// Whether it needs a placeholder for its missing children, which have been reported.
    lacks_children: bool,
    /// Its children, including disabled ones.
    waiting: Children<'a>,
    /// How many of them are done.
    children: usize,
}

/// The state of the pass, which goes over the nodes in pre-order.
struct Builder<'a, H: Host> {
    files: &'a Files<'a>,
    /// The current file.
    file: FileAt,
    values: &'a Arc<Values>,
    /// The index of the part whose holes the current nodes can name.
    part: usize,
    /// The files and templates around the current node, the outermost first.
    parts: Vec<Part<'a>>,
    /// How many files and templates are around it.
    level: usize,
    /// Whether the holes of the tree's own file get stand-ins.
    stands_in: bool,
    /// How many holes were filled.
    filled: usize,
    /// The holes that the current nodes fill once more.
    copies: Vec<(FileAt, Word<'a>)>,
    /// The ids that were reported to be on copies.
    copied_ids: HashSet<(FileAt, u32)>,
    /// How many bytes the parameters of leaves take.
    parameters: usize,
    making: Arc<Making<H>>,
    /// Where nodes come from, by their origins.
    places: Vec<Origin<'a>>,
    nodes: NodeList<H>,
    /// The tree's own file.
    #[cfg(feature = "baked")]
    entry: FileAt,
    /// The leaves of the host, in the order of their nodes, if they are to be written.
    #[cfg(feature = "baked")]
    called: Option<Vec<baked::BakedCall<'a>>>,
}

impl<'a, H: Host> Builder<'a, H> {
    fn new(files: &'a Files<'a>, file: FileAt, asset: &'a Asset, nodes: usize, making: &Arc<Making<H>>) -> Self {
        Builder {
            files,
            file,
            values: &asset.values,
            part: 0,
            parts: Vec::new(),
            level: 0,
            stands_in: false,
            filled: 0,
            copies: Vec::new(),
            copied_ids: HashSet::new(),
            parameters: 0,
            making: Arc::clone(making),
            places: Vec::with_capacity(nodes),
            nodes: NodeList::with_capacity(nodes),
            #[cfg(feature = "baked")]
            entry: file,
            #[cfg(feature = "baked")]
            called: None,
        }
    }

    fn whole(&mut self, written: &'a AssetTree<'a>) {
        let AssetTree { root, interrupts, note, .. } = written;
        let mut enabled = interrupts.iter().filter(|it| !it.run.whole().disabled).peekable();
        if enabled.peek().is_none() {
            // Without interrupts the root's note may stand beside it.
            let note = note.filter(|_| root.whole().rest().note.is_none() && interrupts.is_empty());
            self.node(root.whole(), 1, note);
            return;
        }
        let origin = self.origin(Place::Whole);
        let mut children = 1;
        for it in enabled {
            self.interrupt(it);
            children += 1;
        }
        self.node(root.whole(), 2, None);
        self.nodes.push(nodes::reactive_selector([]).from_origin(origin), children);
    }

    fn interrupt(&mut self, interrupt: &'a Interrupt<'a>) {
        let origin = self.origin(Place::Interrupt(interrupt));
        self.node(interrupt.run.whole(), 3, None);
        let when = self.when(Some(&interrupt.when));
        self.nodes.push(nodes::guard(when, nodes::fail()).from_origin(origin), 1);
    }

    /// Records where a node comes from. The core returns the number with each problem.
    fn origin(&mut self, place: Place<'a>) -> u32 {
        let origin = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        self.places.push(Origin { file: self.file, place, is_copy: !self.copies.is_empty() });
        origin
    }

    /// Makes a subtree at that depth, with the same stack for a deep tree as for a flat one. `note`
    /// serves as its own. Returns how many nodes it becomes: one, except for a hole.
    fn node(&mut self, it: Subtree<'a>, depth: usize, note: Option<Word<'a>>) -> usize {
        if it.include().is_some() {
            return self.include(it);
        }
        let mut open = vec![self.begin(it)];
        while let Some(top) = open.last_mut() {
            match top.waiting.find(|it| !it.disabled) {
                Some(child) if child.include().is_some() => {
                    let count = self.include(child);
                    open.last_mut().expect("it is the top").children += count;
                }
                Some(child) => {
                    top.children += 1;
                    open.push(self.begin(child));
                }
                None => {
                    let at = depth + open.len() - 1;
                    let note = note.filter(|_| open.len() == 1);
                    open.pop().into_iter().for_each(|it| self.finish(&it, at, note));
                }
            }
        }
        1
    }

    /// Everything about a node that comes before its children.
    fn begin(&mut self, it: Subtree<'a>) -> PendingNode<'a> {
        let origin = self.origin(Place::Node(it));
        let lacks_children = it.built_in().is_some_and(|own| self.lacks_children(it, own));
        let waiting = if lacks_children { Children::default() } else { it.children() };
        PendingNode { it, origin, lacks_children, waiting, children: 0 }
    }

    fn finish(&mut self, begun: &PendingNode<'a>, depth: usize, note: Option<Word<'a>>) {
        let &PendingNode { it, origin, lacks_children, waiting: _, mut children } = begun;
        let mut node = match &it.node().body {
            // A placeholder child would be too deep.
            Body::BuiltIn(_) if lacks_children && depth == MAX_DEPTH => nodes::fail(),
            Body::BuiltIn(own) => {
                if lacks_children && own.kind.arity() != core::kinds::Arity::Leaf {
                    self.nodes.push(nodes::fail(), 0);
                    children = 1;
                } else if children == 0 && !it.children().is_empty() {
                    if !it.broken {
                        self.nothing_given(it);
                    }
                    self.nodes.push(nodes::fail(), 0);
                    children = 1;
                }
                self.built_in(it, own, children)
            }
            Body::Leaf(_) => self.leaf(it, Role::Node).unwrap_or_else(nodes::fail).of_kind(it.kind.text),
            Body::Include(_) => nodes::fail(),
        };
        node = node.from_origin(origin);
        if let Some(name) = &it.name {
            node = node.named(name.text);
        }
        if let Some(id) = self.id(it) {
            node = node.with_id(id);
        }
        if let Some(note) = it.rest().note.or(note) {
            node = node.with_note(note.text);
        }
        self.nodes.push(node, children);
    }

    /// Records a problem of the current file.
    fn push(&self, finding: Finding) {
        self.making.push(finding.in_file(self.file));
    }

    /// A leaf of the host, made once the core knows the keys that it sees.
    fn leaf(&mut self, it: Subtree<'a>, role: Role) -> Option<Node<H>> {
        let Body::Leaf(HostCall { value, without }) = &it.node().body else { return None };
        // Few files have templates.
        if let Some(finding) = self.files.is_template(self.file, it.kind, *value)
            && !self.making.registry.knows(it.kind.text)
        {
            self.push(finding);
            return None;
        }
        let had_room = self.parameters <= MAX_PARAMETERS;
        self.parameters += value.span().size();
        if self.parameters > MAX_PARAMETERS {
            if had_room {
                let message = "counting what is included, the parameters of leaves take more than";
                let message = format!("{message} {} MiB", MAX_PARAMETERS >> 20);
                self.push(
                    Finding::new(Code::Limit, it.kind.span, message)
                        .help("include this less often, or read it from a file"),
                );
            }
            return None;
        }
        #[cfg(feature = "baked")]
        if let Some(called) = &mut self.called {
            called.push((HostCall { value: *value, without: Cow::Borrowed(without) }, role == Role::Test));
        }
        let (values, place, without) = (Arc::clone(self.values), value.place(), without.to_vec());
        let (making, file) = (Arc::clone(&self.making), self.file);
        let leaf = nodes::deferred(move |keys| {
            let Found { findings, text } = &mut *making.lock();
            findings.set_file(file);
            let before = findings.count();
            let call = HostCall { value: values.at(place), without: Cow::Borrowed(&without) };
            let leaf = making.registry.make(&call, role == Role::Test, keys, findings).filter(|it| {
                let fits = role != Role::Service || !it.is_condition();
                if !fits {
                    // The core would report this too, but for the interval.
                    findings.push(Finding::new(
                        Code::Misplaced,
                        call.head().span,
                        ProblemKind::ConditionAsService.to_string(),
                    ));
                }
                fits
            });
            let told = || LeafError::Told(findings.count() - before);
            leaf.map(|it| call.describe(it, text)).ok_or_else(told)
        });
        // A guard shows its condition by name, a composite its services. For a node the caller does
        // this.
        Some(if role == Role::Node { leaf } else { leaf.of_kind(it.kind.text) })
    }

    fn when(&mut self, argument: Option<&'a Argument<'a>>) -> Node<H> {
        let when = match argument.map(|it| &it.value) {
            Some(Param::Text(expr)) => Some((*expr).into()),
            Some(Param::Leaf(node)) => self.leaf(node.whole(), Role::Test),
            _ => None,
        };
        // Missing, and reported: use something that compiles.
        when.unwrap_or_else(|| nodes::check("true"))
    }

    /// Whether it has no enabled children, and that has been reported.
    fn lacks_children(&mut self, it: Subtree<'a>, own: &BuiltIn<'_>) -> bool {
        // The leaves in the `do` of a Finally do not count as children.
        let all = if own.kind == NodeKind::Finally { 1 } else { usize::MAX };
        if it.children().take(all).any(|it| !it.disabled) {
            return false;
        }
        if !it.children().is_empty() {
            let name = own.kind.name();
            let (message, help) = if own.kind.arity() == core::kinds::Arity::Decorator {
                (format!("the child of this `{name}` is disabled"), format!("disable the `{name}` too"))
            } else {
                (format!("all children of this `{name}` are disabled"), format!("disable the `{name}` itself"))
            };
            self.push(Finding::new(Code::NoChildren, it.kind.span, message).help(help));
            return true;
        }
        it.broken
    }

    fn built_in(&mut self, it: Subtree<'a>, own: &'a BuiltIn<'a>, children: usize) -> Node<H> {
        let when = (own.kind == NodeKind::Guard).then(|| self.when(own.field("when")));
        let mut node = assemble(it, own, when, children);
        if let Some((abort, _)) = it.abort {
            node = node.aborts(abort);
        }
        // Before the services: after one, it would apply to that service.
        if let Some(jitter) = own.field("jitter").and_then(|it| literal(&it.value)) {
            node = node.jitter(jitter);
        }
        let Rest { services, keys, .. } = it.node().rest();
        for Service { every, jitter, run } in services.iter().filter(|it| !it.run.whole().disabled) {
            if let Some(leaf) = self.leaf(run.whole(), Role::Service) {
                node = node.with_service(number(&every.value), leaf);
                if let Some(jitter) = jitter.as_ref().and_then(|it| literal(&it.value)) {
                    node = node.jitter(jitter);
                }
            }
        }
        for key in keys {
            let (name, default) = (key.name.text, key.default.clone());
            node = if key.local { node.with_local(name, default) } else { node.with_key(name, default) };
        }
        node
    }
}
