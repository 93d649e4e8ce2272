//! The only way into a [`Tree`]: validation and flattening, in one pre-order pass over the nodes.

mod instances;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use pleach_expr::runtime::Compiler;

use super::compile::{Use, Waiting, detail};
use super::kind::{Arity, NodeKind};
use super::lists::Lists;
use super::memory::Memory;
use super::node::{Build, Node, Spec};
use super::part::Part;
use super::preorder::{PreOrder, preorder};
use super::problem::{Field, Problem, ProblemKind, Problems, TreeError};
use super::record::{Cools, Hooks, Op, Record, Then};
use super::{Info, InstanceRef, Tree, observers};
use crate::blackboard::layout::Layout;
use crate::blackboard::{
    Default as KeyDefault, FrameId, KeyDecl, KeyNeed, KeyProblem, Schema, SchemaError, Scope, Sight,
};
use crate::host::leaf::states::LeafTypes;
use crate::index::{LeafId, ObserverId, Observers, PerStack, StackId, Stacks, narrow};

use crate::limits::{MAX_DEPTH, MAX_DRAWN_PROBLEMS, MAX_NAME, MAX_NODES};
use crate::{Host, NodeId, Type, nodes::Abort};

/// What is wrong with a key of the tree as a whole.
pub(super) fn of_key(scope: Scope, name: &str, error: SchemaError) -> Problem {
    Problem {
        kind: ProblemKind::Key(error),
        node: None,
        path: String::new(),
        origin: None,
        field: Some(Field::Key(scope, name.to_owned())),
        span: None,
    }
}

/// The state of the pass.
pub(super) struct Flatten<H: Host> {
    pub(super) tree: Tree<H>,
    /// The keys of the tree, which gets them at the end: until then they are lent to the code that
    /// makes leaves.
    pub(super) schema: Rc<Schema>,
    pub(super) problems: Problems,
    ids: HashMap<Box<str>, NodeId>,
    pub(super) memory: Memory,
    /// The node that is being compiled: what it sees.
    pub(super) sight: Rc<Sight>,
    /// Scratch space for compiling expressions.
    pub(super) compiler: Compiler,
    /// The host's leaves, which are made last.
    pub(super) waiting: Vec<Waiting<H>>,
    /// A buffer for texts that are put together.
    pub(super) text: String,
}

/// The part of a name that fits.
fn shortened(name: &str) -> &str {
    &name[..(0..=MAX_NAME.min(name.len())).rfind(|&at| name.is_char_boundary(at)).unwrap_or(0)]
}

impl<H: Host> Flatten<H> {
    pub(super) fn new(name: String, schema: Schema, problems: Problems) -> Self {
        let tree = Tree {
            name: name.into(),
            records: Vec::new(),
            infos: Vec::new(),
            children: Lists::default(),
            child_conditions: Lists::default(),
            leaves: Vec::new(),
            stateful: LeafTypes::default(),
            leaf_nodes: Vec::new(),
            exprs: Vec::new(),
            spans: Vec::new(),
            texts: Vec::new(),
            weights: Vec::new(),
            cases: Vec::new(),
            tokens: Vec::new(),
            services: Vec::new(),
            resets: Vec::new(),
            service_kinds: Vec::new(),
            service_details: Vec::new(),
            trace_names: std::sync::OnceLock::new(),
            instances: Vec::new(),
            frames: Box::default(),
            schema: Schema::default(),
            needs: Vec::new(),
            layout: Layout::default(),
            bottoms: PerStack::default(),
            observers: observers::table(
                &[],
                Vec::new(),
                (&[], &[], &[]),
                &|_| crate::Observes::EveryTick,
                &|_| 0,
                &Lists::default(),
                &Schema::default(),
            )
            .0,
            entry: Then::Climb,
            watch: Default::default(),
            needs_no_scratch: false,
            memory: 0,
            resume: None,
            scores: 0,
            lifecycle: Vec::new(),
            #[cfg(feature = "save")]
            fingerprint: std::sync::OnceLock::new(),
        };
        let schema = Rc::new(schema);
        Flatten {
            tree,
            schema,
            problems,
            ids: HashMap::new(),
            memory: Memory::default(),
            sight: Rc::default(),
            compiler: Compiler::default(),
            waiting: Vec::new(),
            text: String::new(),
        }
    }

    pub(super) fn run(
        mut self,
        root: Node<H>,
        needs: Vec<KeyNeed>,
        locals: Vec<(String, KeyDefault)>,
    ) -> Result<Tree<H>, TreeError> {
        if root.size > MAX_NODES {
            self.whole(ProblemKind::TooManyNodes(root.size));
            return Err(self.problems.into_error());
        }
        if root.height > MAX_DEPTH {
            // Everything else costs at most nodes x depth: stop while that is bounded.
            self.whole(ProblemKind::TooDeep(root.height));
            return Err(self.problems.into_error());
        }
        let mut specs = root.below;
        specs.push(root.own);
        let layout = preorder(&specs);
        let (kinds, declares) = self.describe(&mut specs, &layout);
        let parents: Vec<Option<usize>> = layout.parents().collect();
        self.shape(&parents, &kinds);
        // Room for what most nodes need: growing copies everything.
        self.memory.reserve(specs.len());
        let count = |kind| kinds.iter().filter(|&&it| it == kind).count();
        let leaves = count(NodeKind::Action) + count(NodeKind::Condition);
        self.tree.leaves.reserve_exact(leaves);
        self.tree.leaf_nodes.reserve_exact(leaves);
        self.waiting.reserve(leaves);
        self.tree.exprs.reserve_exact(count(NodeKind::Check));
        for (name, default) in locals {
            let wrong = self.declare_local((NodeId::ROOT, FrameId::WHOLE), None, &name, default);
            wrong.into_iter().for_each(|it| self.problems.push(of_key(Scope::Node, &name, it)));
        }
        if declares {
            self.declare_below(&mut specs, &layout);
        }
        if kinds.iter().any(|it| matches!(it, NodeKind::Token | NodeKind::Free)) {
            self.declare_tokens(&specs, &layout);
        }
        let lacking: Vec<KeyProblem> = needs.iter().filter_map(|it| it.problem(&self.schema)).collect();
        lacking.into_iter().for_each(|it| self.lacks(it));
        self.tree.needs = needs;
        self.words_that_are_keys();
        self.words_that_are_keys_of_instances();
        for (index, &at) in layout.post.iter().enumerate() {
            let id = NodeId::new(index).expect("T1");
            self.see_from(id);
            self.memory.enter(&self.sight.path, kinds[index].runs_children_together());
            self.node(id, &mut specs[usize::from(at)]);
            self.memory.leave(&self.sight.path);
        }
        self.make_leaves();
        self.leaves_of_do();
        if !self.problems.is_empty() {
            return Err(self.problems.into_error());
        }
        self.finish();
        Ok(self.tree)
    }

    /// Adds a problem with a key that the game relies on: for the tree as a whole, or for the
    /// innermost instance whose key it should be.
    fn lacks(&mut self, problem: KeyProblem) {
        let name = &problem.need.name;
        let within = |it: &InstanceRef<'_, H>| name.strip_prefix(it.full_name())?.strip_prefix('.').map(str::to_owned);
        let instances = self.tree.instances().filter(|_| problem.need.scope == Scope::Agent);
        let found = instances.filter_map(|it| Some((it.origin(), within(&it)?)));
        let (origin, key) = found.min_by_key(|it| it.1.len()).unzip();
        let field = key.map(|it| Field::Key(problem.need.scope, it));
        let (kind, path) = (ProblemKind::Need(problem.into()), String::new());
        self.problems.push(Problem { kind, node: None, path, origin: origin.flatten(), field, span: None });
    }

    fn whole(&mut self, kind: ProblemKind) {
        self.problems.push(Problem { kind, node: None, path: String::new(), origin: None, field: None, span: None });
    }

    pub(super) fn problem(&mut self, id: NodeId, field: Option<Field>, kind: ProblemKind) {
        self.stop_suggesting_past_the_first();
        let node = self.tree.node(id).expect("described");
        // Making a path takes longer than finding a problem, and no report shows this many.
        let path = if self.problems.is_full() { String::new() } else { node.path() };
        let origin = node.origin();
        self.problems.push(Problem { kind, node: Some(id), path, origin, field, span: None });
    }

    fn stop_suggesting_past_the_first(&mut self) {
        if self.problems.count() >= MAX_DRAWN_PROBLEMS {
            Rc::make_mut(&mut self.schema).stop_suggesting();
        }
    }

    /// Counts problems of a leaf that are reported in another way.
    pub(super) fn told_elsewhere(&mut self, count: usize) {
        self.problems.told_elsewhere(count);
        self.stop_suggesting_past_the_first();
    }

    /// Names, kinds and children lists: everything that a path in a message needs. Returns the
    /// kinds, and whether any node may have something to declare.
    fn describe(&mut self, specs: &mut [Spec<H>], layout: &PreOrder) -> (Vec<NodeKind>, bool) {
        let tree = &mut self.tree;
        let mut declares = false;
        let mut kinds = Vec::with_capacity(specs.len());
        tree.infos.reserve_exact(specs.len());
        for (&at, &depth) in layout.post.iter().zip(&layout.depths) {
            let spec = &mut specs[usize::from(at)];
            kinds.push(spec.build.kind());
            // A name that is too long will be refused: until then it only appears in paths.
            let name = match spec.name.as_deref().filter(|it| it.len() > MAX_NAME) {
                None => spec.name.take(),
                Some(too_long) => Some(shortened(too_long).into()),
            };
            let rest = spec.rest.as_deref_mut();
            declares |= rest.is_some();
            let jitter = rest.as_ref().and_then(|it| it.jitter);
            let (id, note) = rest.map_or((None, None), |it| (it.id.take(), it.note.take()));
            self.text.clear();
            detail(&mut self.text, &spec.build, jitter);
            tree.infos.push(Info {
                kind: spec.kind.take(),
                name,
                id,
                note,
                detail: self.text.as_str().into(),
                depth,
                origin: spec.origin,
            });
        }
        let node = |it| NodeId::new(it).expect("T1");
        let pairs = layout.parents().enumerate().filter_map(|(index, parent)| Some((node(parent?), node(index))));
        tree.children = Lists::new(kinds.len(), pairs);
        (kinds, declares)
    }

    /// Parents, subtree ends, nearest composites and stacks.
    fn shape(&mut self, parents: &[Option<usize>], kinds: &[NodeKind]) {
        let total = parents.len();
        let mut ends: Vec<usize> = (1..=total).collect();
        for index in (1..total).rev() {
            let parent = parents[index].expect("only the root has none");
            ends[parent] = ends[parent].max(ends[index]);
        }
        let is_parallel = |it: usize| kinds[it] == NodeKind::Parallel;
        let mut bottoms: Vec<usize> = (0..total).filter(|&it| parents[it].is_none_or(is_parallel)).collect();
        // T4: a branch ends before or with its parallel's own stack, whose bottom is further left.
        bottoms.sort_by_key(|&it| (ends[it], std::cmp::Reverse(it)));
        let mut stack_of = vec![StackId::FIRST; total];
        for (stack, &bottom) in bottoms.iter().enumerate() {
            stack_of[bottom] = StackId::new(stack);
        }
        self.tree.records.reserve_exact(total);
        for index in 0..total {
            let parent = parents[index];
            let bottom = parent.is_none_or(is_parallel);
            if let (false, Some(parent)) = (bottom, parent) {
                stack_of[index] = stack_of[parent];
            }
            let nearest_composite = parent.map_or(NodeId::NONE, |parent| match kinds[parent].arity() {
                Arity::Composite => NodeId::new(parent).expect("T1"),
                Arity::Decorator | Arity::Leaf => self.tree.records[parent].nearest_composite,
            });
            self.tree.records.push(Record {
                op: Op::Fail,
                kind: kinds[index],
                then: [Then::Climb; 2],
                parent: parent.map_or(NodeId::NONE, |it| NodeId::new(it).expect("T1")),
                end: NodeId::end(ends[index]),
                nearest_composite,
                stack: stack_of[index],
                stacks: Stacks::default(),
                observers: Observers::default(),
                monitor: ObserverId::NONE,
                abort: Abort::NONE,
                bottom,
                cools: Cools::No,
                serves: false,
                loud: false,
                resets: false,
                hooks: Hooks::empty(),
                streak: 0,
                leaf: LeafId::NONE,
                mask: 0,
            });
        }
        // The stacks strictly below a node: by T4 they are contiguous, right before the node's own
        // if it is a bottom.
        let mut first = vec![u16::MAX; total];
        let mut count = vec![0_u16; total];
        for (stack, &bottom) in bottoms.iter().enumerate() {
            let mut at = parents[bottom];
            while let Some(above) = at {
                first[above] = first[above].min(narrow(stack));
                count[above] += 1;
                at = parents[above];
            }
        }
        for index in 0..total {
            if count[index] > 0 {
                let first = usize::from(first[index]);
                let to = StackId::new(first + usize::from(count[index]));
                self.tree.records[index].stacks = Stacks { from: StackId::new(first), to };
            }
        }
        self.tree.bottoms = bottoms.into_iter().map(|it| NodeId::new(it).expect("T1")).collect();
    }

    /// Refuses words that no expression can write since their name means a key. Runs when all keys
    /// are known.
    fn words_that_are_keys(&mut self) {
        let (tree, schema) = (&self.tree, &self.schema);
        let mut found = Vec::new();
        let own = |it: &&KeyDecl| it.node().is_none_or(|it| self.tree.frame(it).is_whole()) && !it.is_of_instance();
        let symbols = schema.keys().filter(|it| it.ty() == Type::Symbol && it.slot().is_none());
        for decl in symbols.filter(own) {
            // This node and everything below it see the key.
            let top = decl.node().unwrap_or(NodeId::ROOT);
            let path: Vec<NodeId> = std::iter::successors(Some(top), |it| tree.rec(*it).parent.some()).collect();
            let sight = Sight { path, frame: FrameId::WHOLE };
            let is_below = |it| tree.contains(top, it);
            // A word may be listed many times, and looking it up takes time.
            let mut seen = HashSet::new();
            let names = decl.words().filter(|it| schema.is_named(FrameId::WHOLE, it) && seen.insert(*it));
            for word in names.filter(|it| schema.is_hidden(it, &sight, is_below)) {
                found.push((decl.scope(), decl.node(), decl.name().to_owned(), word.to_owned()));
            }
        }
        for (scope, node, name, word) in found {
            let error = SchemaError::WordIsKey { name: name.clone(), word };
            match node {
                Some(id) => self.problem(id, Some(Field::Key(Scope::Node, name.clone())), ProblemKind::Key(error)),
                None => self.problems.push(of_key(scope, &name, error)),
            }
        }
    }

    /// Validates one node and compiles its parameters.
    fn node(&mut self, id: NodeId, spec: &mut Spec<H>) {
        let Spec { build, children, kind: _, name, rest, abort, origin: _ } = spec;
        let (children, abort) = (*children, *abort);
        let jitter = rest.as_deref().and_then(|it| it.jitter);
        let services = rest.as_deref_mut().map(|it| std::mem::take(&mut it.services)).unwrap_or_default();
        let kind = |of: &Self| of.tree.node(id).expect("described").kind().to_owned();
        let arity = self.tree.rec(id).kind.arity();
        let wrong = match (arity, children) {
            (Arity::Composite, 0) => Some(ProblemKind::NoChildren { kind: kind(self) }),
            // The children after the first are the leaves of `do`.
            (Arity::Decorator, found) if found == 0 || found > 1 && !matches!(build, Build::Finally { .. }) => {
                Some(ProblemKind::ChildCount { kind: kind(self), wanted: 1, found })
            }
            (Arity::Leaf, found) if found != 0 => Some(ProblemKind::ChildCount { kind: kind(self), wanted: 0, found }),
            _ => None,
        };
        if let Some(wrong) = wrong {
            self.problem(id, None, wrong);
        }
        if arity != Arity::Composite && !abort.is_none() {
            let kind = kind(self);
            self.problem(id, Some(Field::Abort), ProblemKind::AbortWithoutComposite { kind });
        }
        self.tree.records[id.index()].abort = abort;
        // A name that is too long, in full.
        let too_long = name.take();
        if too_long.is_some() || self.tree.infos[id.index()].name.as_deref() == Some("") {
            self.name(id, Field::Name, too_long.as_deref().unwrap_or_default());
        }
        if let Some(stable) = self.tree.infos[id.index()].id.clone() {
            let prefix = self.id_prefix(self.tree.instance_at(id)).map_or(0, |it| it.len() + 1);
            self.name(id, Field::Id, stable.get(prefix..).unwrap_or_default());
            if let Some(&other) = self.ids.get(&stable) {
                let other = self.tree.node(other).expect("described").path();
                self.problem(id, Some(Field::Id), ProblemKind::DoubledId { id: stable.into(), other });
            } else {
                self.ids.insert(stable, id);
            }
        }
        // Services take their memory and expressions nothing: before the node's own, so that both
        // stay in node order.
        for (index, service) in services.into_iter().enumerate() {
            let field = Field::Service(index);
            if arity != Arity::Composite {
                let kind = kind(self);
                self.problem(id, Some(field), ProblemKind::ServiceWithoutComposite { kind });
                continue;
            }
            let jitter = service.jitter.map(|it| (Field::Jitter(index), it));
            let interval = self.span(id, field.clone(), service.interval, jitter);
            match service.run {
                None => {}
                Some(Part::Check(_)) => self.problem(id, Some(field), ProblemKind::ConditionAsService),
                Some(Part::Leaf(leaf, kind)) => {
                    let slot = self.memory.words(2);
                    self.tree.service_kinds.push(kind);
                    self.later(id, leaf, Use::Service { index, interval, slot });
                }
            }
        }
        for (field, kind) in rest.as_deref_mut().map(|it| std::mem::take(&mut it.wrong)).unwrap_or_default() {
            self.problem(id, field, kind);
        }
        let build = self.weighed(id, std::mem::replace(build, Build::Fail));
        if let Build::Cooldown { after, .. } = build {
            for &child in self.tree.children.of(id) {
                self.tree.records[child.index()].cools = after.map_or(Cools::End, Cools::After);
            }
        }
        let op = self.op(id, build, children, jitter);
        self.tree.records[id.index()].op = op;
    }

    /// Refuses nodes that are not allowed in the `do` of a Finally. Runs when all leaves are made,
    /// as the kinds of deferred ones are not known before.
    fn leaves_of_do(&mut self) {
        for index in 0..self.tree.records.len() {
            let id = NodeId::new(index).expect("T1");
            let NodeKind::Finally = self.tree.rec(id).kind else { continue };
            for leaf in self.tree.children.of(id).iter().skip(1).copied().collect::<Vec<_>>() {
                if !self.tree.rec(leaf).kind.is_instant() {
                    let kind = self.tree.node(leaf).expect("described").kind().to_owned();
                    self.problem(leaf, None, ProblemKind::NotInstant { kind });
                }
            }
        }
    }

    /// Checks each weight of a draw. Wrong ones become 0, as they have been reported.
    fn weighed(&mut self, id: NodeId, mut build: Build<H>) -> Build<H> {
        if let Build::RandomSequence { weights: Some(weights) }
        | Build::RandomSelector { weights: Some(weights) }
        | Build::RandomChoice { weights: Some(weights) } = &mut build
        {
            for (index, weight) in weights.iter_mut().enumerate().filter(|it| !it.1.is_finite() || *it.1 < 0.0) {
                self.problem(id, Some(Field::Item("weights", index)), ProblemKind::Weight(*weight));
                *weight = 0.0;
            }
            if !weights.iter().sum::<f64>().is_finite() {
                self.problem(id, Some(Field::Param("weights")), ProblemKind::WeightSum);
            }
        }
        build
    }
}
