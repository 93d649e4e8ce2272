//! Builds the interpreter's tree of a scenario.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use pleach_core as core;
use pleach_core::__baked::Archive;
use pleach_core::nodes::{Binding, Instance, NodeList, action_of, condition_of};
use pleach_core::{Tree, error::TreeError, kinds::NodeKind, nodes, schema::KeyDefault};

use super::core_value;
use super::stage::{self, Bare, Stage};
use crate::scenario::{
    Abort, Amount, CompositeKind, DecoratorKind, Direction, Ending, File, Given, Jittered, Key, KeyName, LeafKind,
    Node, Outcome, Policy, Port, Scenario, Scope, Shape, Slot, Subtree, Test, Token, Value, ValueType,
};

/// The versions of a scenario's tree, from its source. With `bare`, leaves have no callback except
/// their update, if they need no other, and the nodes go through bytes, as in a baked tree.
pub(crate) fn trees(scenario: &Scenario, bare: bool) -> Result<Vec<Arc<Tree<Stage>>>, TreeError> {
    let scenario = &*scenario.as_written();
    scenario.roots().iter().map(|it| tree(it, scenario, bare)).collect()
}

/// The kind of the root of a scenario's tree, as the interpreter has it.
///
/// # Errors
/// The interpreter rejects the tree.
pub fn root_kind(scenario: &Scenario) -> Result<NodeKind, TreeError> {
    trees(scenario, false).map(|it| it[0].root().node_kind())
}

fn tree(root: &Node, scenario: &Scenario, bare: bool) -> Result<Arc<Tree<Stage>>, TreeError> {
    let mut builder = Tree::<Stage>::builder(scenario.name.clone());
    for (name, key) in scenario.keys.iter() {
        builder.declare(core_scope(name.scope), &name.name, core_default(&key.default, &key.words));
    }
    let mut list = NodeList::default();
    for (name, key) in slots(root) {
        builder.declare(core::schema::Scope::Agent, &name, core_default(&key.default, &key.words));
    }
    if let Some(events) = &scenario.events {
        builder.strict_events(true);
        for (name, payload) in events {
            builder.event(name, payload.map(core_type));
        }
    }
    let scripts = Scripts { scenario, bare, leaves: RefCell::default() };
    push(&mut list, root, &scripts, None);
    if bare {
        list = baked(list, scripts.leaves.into_inner());
    }
    builder.build(list.into_node().expect("there is one root")).map(Arc::new)
}

/// The same nodes, written to bytes and read again.
fn baked(mut list: NodeList<Stage>, leaves: Vec<core::nodes::Node<Stage>>) -> NodeList<Stage> {
    let mut bytes = Archive::writing();
    list.archive(&mut bytes, &mut nodes::fail);
    let bytes = bytes.finish().expect("each node can be written");
    let (mut again, mut leaves) = (NodeList::default(), leaves.into_iter());
    let mut archive = Archive::reading(&bytes);
    again.archive(&mut archive, &mut || leaves.next().expect("there are as many leaves as were written"));
    archive.finish().expect("what was written is read");
    assert!(leaves.next().is_none(), "a leaf was written, and not read");
    again
}

pub(crate) fn core_scope(scope: Scope) -> core::schema::Scope {
    match scope {
        Scope::Agent => core::schema::Scope::Agent,
        Scope::Group => core::schema::Scope::Group,
        Scope::Global => core::schema::Scope::Global,
    }
}

fn core_default(value: &Value, words: &[String]) -> KeyDefault {
    match value {
        Value::Symbol(word) => KeyDefault::Symbol(word.clone(), words.to_vec()),
        other => KeyDefault::Value(core_value(other)),
    }
}

/// The keys of a tree's slots.
fn slots(root: &Node) -> Vec<(String, Key)> {
    let mut found = Vec::new();
    let mut left = vec![root];
    while let Some(node) = left.pop() {
        found.extend(node.slot().map(|it| (Slot::key_of(node.label()), it.key())));
        left.extend(node.children());
    }
    found
}

/// An included file whose nodes are added.
#[derive(Clone, Copy)]
struct Part<'p> {
    file: &'p File,
    /// The subtree that gives it nodes, and that subtree's part.
    user: Option<(&'p Subtree, Option<&'p Part<'p>>)>,
}

/// Adds a node with everything below it. Returns the number of added nodes that are below no other.
fn push(list: &mut NodeList<Stage>, node: &Node, with: &Scripts<'_>, part: Option<&Part<'_>>) -> usize {
    if let Some((hole, _)) = node.hole() {
        let part = part.expect("only files have holes");
        let Some(((_, given), around)) = part.user.and_then(|(it, around)| Some((it.given_for(hole)?, around))) else {
            let default = part.file.holes[hole].default.iter().flatten();
            return default.map(|it| push(list, it, with, Some(part))).sum();
        };
        let count = given.iter().map(|it| push(list, it, with, around)).sum();
        list.given(count);
        return count;
    }
    if let Some(it) = node.subtree() {
        let name = node.name.as_ref().unwrap_or(&it.file);
        push_file(list, name, (node.id.clone(), &it.file, &it.with), with, Some((it, part)));
        return 1;
    }
    if let Some(it) = node.slot() {
        let cases: Vec<_> = it.files.iter().map(|it| (it.as_str(), nodes::fail())).collect();
        for file in &it.files {
            push_file(list, &format!("{}.{file}", node.label()), (None, file, &it.with), with, None);
        }
        let switch = nodes::switch(Slot::key_of(node.label()), cases).named(node.label()).of_kind("switch");
        list.push(node.id.iter().fold(switch, |switch, id| switch.with_id(id)), it.files.len());
        return 1;
    }
    let children = node.children().iter().map(|it| push(list, it, with, part)).sum();
    list.push(built(node, with), children);
    1
}

/// Adds the root of a file with everything below it, as an instance.
fn push_file(
    list: &mut NodeList<Stage>,
    name: &str,
    (id, of, given): (Option<String>, &str, &BTreeMap<String, Given>),
    with: &Scripts<'_>,
    user: Option<(&Subtree, Option<&Part<'_>>)>,
) {
    let written = with.scenario.written.as_ref().expect("it is of a scenario with files");
    let file = &written.files[of];
    push(list, &file.root(), with, Some(&Part { file, user }));
    list.instance(Instance { file: Some(of.to_owned()), id, ..instance(name, given, file) });
}

/// The instance of a file in place of a node.
fn instance(name: &str, given: &BTreeMap<String, Given>, file: &File) -> Instance {
    let port = |(name, port): (&String, &Port)| {
        let constant = if file.needs_key(name) { Binding::Own } else { Binding::Constant };
        let (value, binding) = match given.get(name) {
            Some(Given::Key(key)) => (&port.key.default, Binding::Key(key.clone())),
            Some(Given::Literal(value)) => (value, constant),
            None => (&port.key.default, constant),
        };
        let direction = match port.direction {
            Direction::In => core::nodes::Direction::In,
            Direction::Out => core::nodes::Direction::Out,
            Direction::InOut => core::nodes::Direction::InOut,
        };
        let default = core_default(value, &port.key.words);
        core::nodes::Port { name: name.clone(), direction, default, binding }
    };
    let key = |(name, key): (&KeyName, &Key)| {
        (core_scope(name.scope), name.name.clone(), core_default(&key.default, &key.words))
    };
    let slots = file.trees().into_iter().flat_map(slots);
    let slots = slots.map(|(name, key)| (core::schema::Scope::Agent, name, core_default(&key.default, &key.words)));
    Instance {
        keys: file.keys.iter().map(key).chain(slots).collect(),
        events: file.events.iter().map(|(name, it)| (name.clone(), it.map(core_type))).collect(),
        ports: file.ports.iter().map(port).collect(),
        ..Instance::named(name)
    }
}

fn core_type(of: ValueType) -> core::Type {
    match of {
        ValueType::Bool => core::Type::Bool,
        ValueType::Int => core::Type::Int,
        ValueType::Float => core::Type::Float,
        ValueType::Vec2 => core::Type::Vec2,
        ValueType::Vec3 => core::Type::Vec3,
        ValueType::Entity => core::Type::Entity,
        ValueType::Symbol => core::Type::Symbol,
        ValueType::Time => core::Type::Time,
    }
}

struct Scripts<'a> {
    scenario: &'a Scenario,
    bare: bool,
    /// For bare trees, all leaves once more, in order.
    leaves: RefCell<Vec<core::nodes::Node<Stage>>>,
}

impl Scripts<'_> {
    fn action(&self, name: &str) -> core::nodes::Node<Stage> {
        let script = self.scenario.actions.get(name).cloned().unwrap_or_default();
        let is_bare = self.bare && script.can_be_bare();
        self.noted(|| if is_bare { action_of(Bare(script.clone())) } else { action_of(script.clone()) })
    }

    fn condition(&self, name: &str) -> core::nodes::Node<Stage> {
        let script = &self.scenario.conditions[name];
        self.noted(|| if self.bare { condition_of(Bare(script.clone())) } else { condition_of(script.clone()) })
    }

    fn service(&self, at: usize) -> core::nodes::Node<Stage> {
        self.noted(|| action_of(stage::ServiceLeaf(at)))
    }

    fn noted(&self, make: impl Fn() -> core::nodes::Node<Stage>) -> core::nodes::Node<Stage> {
        if self.bare {
            self.leaves.borrow_mut().push(make());
        }
        make()
    }
}

/// A node by itself. Its children are placeholders, as many as it has; the real ones follow.
fn built(node: &Node, with: &Scripts<'_>) -> core::nodes::Node<Stage> {
    let built = match &node.shape {
        Shape::Composite { kind, abort, services, children } => {
            let children = children.iter().map(|_| nodes::fail());
            let mut built = composite(kind, children).aborts(match abort {
                Abort::None => core::nodes::Abort::NONE,
                Abort::Own => core::nodes::Abort::SELF,
                Abort::LowerPriority => core::nodes::Abort::LOWER_PRIORITY,
                Abort::Both => core::nodes::Abort::BOTH,
            });
            for (at, service) in services.iter().enumerate() {
                built = built.with_service(seconds(&service.interval.ticks), with.service(at));
                built = jittered(built, &service.interval);
            }
            built
        }
        Shape::Decorator { kind: DecoratorKind::Finally { on }, children } => {
            let node = nodes::finally(children[1..].iter().map(|_| nodes::fail()), nodes::fail());
            match on {
                Ending::Any => node,
                Ending::Aborted => node.on(core::nodes::Ending::Aborted),
                Ending::Itself(Outcome::Success) => node.on(core::nodes::Ending::Success),
                Ending::Itself(Outcome::Failure) => node.on(core::nodes::Ending::Failure),
            }
        }
        Shape::Decorator { kind, children: _ } => decorator(kind, nodes::fail(), with),
        Shape::Leaf(kind) => leaf(kind, node, with),
    };
    let built = node.locals.iter().fold(built.of_kind(node.type_name()), core::nodes::Node::resetting);
    let built = match &node.name {
        Some(name) => built.named(name),
        None => built,
    };
    match &node.id {
        Some(id) => built.with_id(id),
        None => built,
    }
}

fn composite(
    kind: &CompositeKind,
    children: impl Iterator<Item = core::nodes::Node<Stage>>,
) -> core::nodes::Node<Stage> {
    match kind {
        CompositeKind::Sequence => nodes::sequence(children),
        CompositeKind::Selector => nodes::selector(children),
        CompositeKind::Parallel { success, failure } => {
            nodes::parallel(children).success(policy(*success)).failure(policy(*failure))
        }
        CompositeKind::ReactiveSequence => nodes::reactive_sequence(children),
        CompositeKind::ReactiveSelector => nodes::reactive_selector(children),
        CompositeKind::RandomSequence { weights } => weighted(nodes::random_sequence(children), weights.as_deref()),
        CompositeKind::RandomSelector { weights } => weighted(nodes::random_selector(children), weights.as_deref()),
        CompositeKind::RandomChoice { weights } => weighted(nodes::random_choice(children), weights.as_deref()),
        CompositeKind::UtilitySelector { scores, reevaluate, inertia } => {
            let node = nodes::utility_selector(scores.iter().cloned().zip(children));
            let node = if *reevaluate { node.reevaluate() } else { node };
            if *inertia == 0.0 { node } else { node.inertia(*inertia) }
        }
        CompositeKind::Switch { on, cases, default: _, latch } => {
            let mut children = children;
            let cases: Vec<_> = cases.iter().map(case).zip(children.by_ref()).collect();
            let node = nodes::switch(on.as_str(), cases);
            let node = if *latch { node.latch() } else { node };
            match children.next() {
                Some(default) => node.default(default),
                None => node,
            }
        }
    }
}

fn into_key(node: core::nodes::Node<Stage>, key: Option<&str>) -> core::nodes::Node<Stage> {
    match key {
        Some(key) => node.into_key(key),
        None => node,
    }
}

fn weighted(node: core::nodes::Node<Stage>, weights: Option<&[f64]>) -> core::nodes::Node<Stage> {
    match weights {
        Some(weights) => node.weights(weights.iter().copied()),
        None => node,
    }
}

fn case(value: &Value) -> core::nodes::Case {
    match value {
        Value::Bool(it) => (*it).into(),
        Value::Int(it) => (*it).into(),
        Value::Symbol(word) => word.as_str().into(),
        other => unreachable!("checking refuses the case {other}"),
    }
}

fn decorator(kind: &DecoratorKind, child: core::nodes::Node<Stage>, with: &Scripts<'_>) -> core::nodes::Node<Stage> {
    match kind {
        DecoratorKind::Inverter => nodes::inverter(child),
        DecoratorKind::ReturnSuccess => nodes::force_success(child),
        DecoratorKind::ReturnFailure => nodes::force_failure(child),
        DecoratorKind::UntilSuccess { count } => attempts(nodes::until_success(child), count.as_ref()),
        DecoratorKind::UntilFailure { count } => attempts(nodes::until_failure(child), count.as_ref()),
        DecoratorKind::Repeater { count: it, end_on_failure } => {
            let node = match it {
                Some(it) => nodes::repeat(count(it), child),
                None => nodes::repeat_forever(child),
            };
            if *end_on_failure { node.end_on_failure() } else { node }
        }
        DecoratorKind::Guard { test: Test::Expr(expr), result } => {
            nodes::guard(expr.as_str(), child).result(outcome(*result))
        }
        DecoratorKind::Guard { test: Test::When(name), result } => {
            nodes::guard(with.condition(name), child).result(outcome(*result))
        }
        DecoratorKind::Timeout { ticks, result } => nodes::timeout(seconds(ticks), child).result(outcome(*result)),
        DecoratorKind::Cooldown { time, after } => {
            let node = jittered(nodes::cooldown(seconds(&time.ticks), child), time);
            match after {
                Some(it) => node.after(outcome(*it)),
                None => node,
            }
        }
        DecoratorKind::Limit { count: it, exhausted } => nodes::limit(count(it), child).exhausted(outcome(*exhausted)),
        DecoratorKind::Delay(it) => jittered(nodes::delay(seconds(&it.ticks), child), it),
        DecoratorKind::Token(Token { token, count, rest, global }) => {
            let node = nodes::token(token, *count, child).rest(f64::from(*rest));
            if *global { node.global() } else { node }
        }
        DecoratorKind::Finally { .. } => unreachable!("it is built with its leaves"),
        DecoratorKind::Probability { p: Amount::Literal(p) } => nodes::probability(*p, child),
        DecoratorKind::Probability { p: Amount::Expr(p) } => nodes::probability(p.as_str(), child),
    }
}

fn attempts(node: core::nodes::Node<Stage>, most: Option<&Amount<u32>>) -> core::nodes::Node<Stage> {
    match most {
        Some(it) => node.count(count(it)),
        None => node,
    }
}

fn leaf(kind: &LeafKind, node: &Node, with: &Scripts<'_>) -> core::nodes::Node<Stage> {
    let name = node.label();
    match kind {
        LeafKind::Action => with.action(name),
        LeafKind::Condition => with.condition(name),
        LeafKind::Check { expr } => nodes::check(expr),
        LeafKind::OnEvent { event, into } => into_key(nodes::on_event(event), into.as_deref()),
        LeafKind::WaitFor { event, into } => into_key(nodes::wait_for(event), into.as_deref()),
        LeafKind::Free { token } => nodes::free(token),
        LeafKind::Wait(it) => jittered(nodes::wait(seconds(&it.ticks)), it),
        LeafKind::WaitTicks { ticks } => nodes::wait_ticks(count(ticks)),
        LeafKind::WaitUntil { expr } => nodes::wait_until(expr),
        LeafKind::Set { key, expr } => nodes::set(key, expr),
        LeafKind::Roll { key, from, to } => nodes::roll(key, bound(from), bound(to)),
        LeafKind::Log { text } => nodes::log(text),
        LeafKind::Emit { event, payload, to_group } => {
            let emit = match payload {
                Some(expr) => nodes::emit(event).payload(expr),
                None => nodes::emit(event),
            };
            if *to_group { emit.to_group() } else { emit }
        }
        LeafKind::Succeed => nodes::succeed(),
        LeafKind::Fail => nodes::fail(),
        LeafKind::Idle => nodes::idle(),
        LeafKind::Subtree(_) | LeafKind::Slot(_) | LeafKind::Hole(..) => unreachable!("files stand in its place"),
    }
}

fn seconds(it: &Amount<i32>) -> core::nodes::Number {
    match it {
        Amount::Literal(it) => f64::from(*it).into(),
        Amount::Expr(expr) => expr.as_str().into(),
    }
}

/// A literal if it is one, else an expression.
fn bound(text: &str) -> core::nodes::Bound {
    let float = |_| text.parse::<f64>().ok().filter(|it| it.is_finite()).map(Into::into);
    text.parse::<i64>().map_or_else(float, |it| Some(it.into())).unwrap_or_else(|| text.into())
}

fn count(it: &Amount<u32>) -> core::nodes::Count {
    match it {
        Amount::Literal(it) => (*it).into(),
        Amount::Expr(expr) => expr.as_str().into(),
    }
}

/// Gives a node its jitter, or that of its last service.
fn jittered(node: core::nodes::Node<Stage>, it: &Jittered) -> core::nodes::Node<Stage> {
    if it.jitter == 0.0 { node } else { node.jitter(it.jitter) }
}

fn policy(policy: Policy) -> core::nodes::Policy {
    match policy {
        Policy::All => core::nodes::Policy::All,
        Policy::Any => core::nodes::Policy::Any,
        // A count above the limit is above the number of children, and validation refuses it.
        Policy::AtLeast(count) => core::nodes::Policy::AtLeast(u16::try_from(count).unwrap_or(u16::MAX)),
    }
}

fn outcome(outcome: Outcome) -> core::Outcome {
    match outcome {
        Outcome::Success => core::Outcome::Success,
        Outcome::Failure => core::Outcome::Failure,
    }
}
