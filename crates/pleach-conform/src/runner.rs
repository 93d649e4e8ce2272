//! The interpreter's side: a scenario as a pleach tree, run in a forest of one, with its trace in the words of the format.

use std::cell::RefCell;
use std::rc::Rc;

use pleach_core as core;
use pleach_core::{
    AgentId, Completion, Context, End, Entity, Event, Forest, HostLeaf, KeyDefault, NoTracer, NodeId, Spawn, Symbol,
    TraceEvent, Tracer, Tree, TreeError,
};

use crate::scenario::{
    Abort, ActionScript, Call, CompositeKind, ConditionScript, DecoratorKind, LeafKind, Node, Outcome, Policy,
    Scenario, Scope, Shape, Status, Test, Value,
};
use crate::stack;

/// How the forest is set for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Traced, everything evaluated in every tick: SEMANTICS to the letter.
    Traced,
    /// Without a tracer, which lets the interpreter follow continuations.
    Quiet,
    /// Without a tracer, with conditions evaluated on change, and sleep.
    Lazy,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The trace, in [`Mode::Traced`]; else only the lines that the host can see: calls and stacks.
    pub trace: Vec<String>,
    /// Every callback of a host's leaf, which is the same in every mode.
    pub callbacks: Vec<String>,
}

/// A scenario that the interpreter cannot run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The tree is refused.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// The host: a clock of whole ticks, and where lines go.
struct Stage;

struct StageCx {
    now: usize,
    lines: Rc<RefCell<Vec<String>>>,
    callbacks: Vec<String>,
    labels: Rc<Labels>,
}

/// How nodes, services and events are written.
struct Labels {
    nodes: Vec<String>,
    services: Vec<Vec<String>>,
    events: Vec<String>,
    /// Every word that a symbol can be.
    words: Vec<String>,
}

impl Labels {
    fn node(&self, id: NodeId) -> &str {
        &self.nodes[id.index()]
    }

    fn event(&self, event: &Event) -> String {
        let name = self.events.iter().find(|it| event.is(it)).map_or("?", |it| it);
        match event.value() {
            None => name.into(),
            Some(value) => format!("{name} {}", self.value(value)),
        }
    }

    fn value(&self, value: core::Value) -> String {
        match value {
            core::Value::Bool(it) => it.to_string(),
            core::Value::Int(it) => it.to_string(),
            core::Value::Float(it) => format!("{it:?}"),
            core::Value::Vec2([x, y]) => format!("({x:?}, {y:?})"),
            core::Value::Vec3([x, y, z]) => format!("({x:?}, {y:?}, {z:?})"),
            core::Value::Entity(it) => format!("#{}", it.0),
            core::Value::Symbol(it) => {
                self.words.iter().find(|word| Symbol::new(word) == it).map_or("?", |it| it).into()
            }
        }
    }
}

impl StageCx {
    fn say(&self, line: String) {
        self.lines.borrow_mut().push(line);
    }
}

impl core::Host for Stage {
    type Cx<'a> = StageCx;

    fn on_emit(cx: &mut StageCx, _: AgentId, event: Event) {
        let line = format!("emit {}", cx.labels.event(&event));
        cx.callbacks.push(line);
    }

    fn on_log(cx: &mut StageCx, _: AgentId, node: NodeId, text: &str) {
        let line = format!("log {} {text}", cx.labels.node(node));
        cx.callbacks.push(line.clone());
        cx.say(line);
    }
}

impl core::Condition<Stage> for ConditionScript {
    type State = ();
    fn start(&self, (): &mut (), cx: &mut Context<'_, '_, Stage>) {
        called(cx, "start", "");
    }
    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, Stage>) -> core::Status {
        let status = self.0[cx.host.now.clamp(1, self.0.len()) - 1];
        called(cx, "update", letter(status));
        core_status(status)
    }
    fn end(&self, (): &mut (), cx: &mut Context<'_, '_, Stage>, end: End) {
        called(cx, "end", &format!("{end:?}"));
    }
    fn pause(&self, (): &mut (), cx: &mut Context<'_, '_, Stage>, paused: bool) {
        called(cx, "pause", &paused.to_string());
    }
}

#[derive(Default)]
struct Progress {
    starts: usize,
    updates: u32,
}

impl core::Action<Stage> for ActionScript {
    type State = Progress;
    fn start(&self, state: &mut Progress, cx: &mut Context<'_, '_, Stage>) {
        state.starts += 1;
        state.updates = 0;
        called(cx, "start", "");
    }
    fn update(&self, state: &mut Progress, cx: &mut Context<'_, '_, Stage>) -> core::Status {
        state.updates += 1;
        let status = if self.ticks > 0 && state.updates >= self.ticks {
            match self.results[(state.starts - 1) % self.results.len()] {
                Outcome::Success => Status::Success,
                Outcome::Failure => Status::Failure,
            }
        } else {
            Status::Running
        };
        called(cx, "update", letter(status));
        core_status(status)
    }
    fn end(&self, _: &mut Progress, cx: &mut Context<'_, '_, Stage>, end: End) {
        called(cx, "end", &format!("{end:?}"));
    }
    fn pause(&self, _: &mut Progress, cx: &mut Context<'_, '_, Stage>, paused: bool) {
        called(cx, "pause", &paused.to_string());
    }
}

fn called(cx: &mut Context<'_, '_, Stage>, what: &str, how: &str) {
    let line = format!("{what} {} {how}", cx.node());
    cx.host.callbacks.push(line);
}

fn core_status(status: Status) -> core::Status {
    match status {
        Status::Success => core::Status::Success,
        Status::Failure => core::Status::Failure,
        Status::Running => core::Status::Running,
    }
}

fn letter(status: Status) -> &'static str {
    match status {
        Status::Success => "S",
        Status::Failure => "F",
        Status::Running => "R",
    }
}

/// Writes what happens in the words of the format.
struct Scribe {
    lines: Rc<RefCell<Vec<String>>>,
    labels: Rc<Labels>,
}

impl Tracer for Scribe {
    const ENABLED: bool = true;
    fn wants(&self, _: AgentId) -> bool {
        true
    }
    fn record(&mut self, _: AgentId, event: TraceEvent) {
        let node = |id| self.labels.node(id);
        let status = |status| match status {
            core::Status::Success => "S",
            core::Status::Failure => "F",
            core::Status::Running => "R",
        };
        let line = match event {
            TraceEvent::Tick | TraceEvent::TickEnd => return,
            TraceEvent::Start(id) => format!("start {}", node(id)),
            TraceEvent::Update(id, it) => format!("update {} {}", node(id), status(it)),
            TraceEvent::Recheck(id, it) => format!("recheck {} {}", node(id), status(it)),
            TraceEvent::Check(id, it) => format!("check {} {}", node(id), if it { "S" } else { "F" }),
            TraceEvent::Service(id, at) => format!("service {} {}", node(id), self.labels.services[id.index()][at]),
            TraceEvent::Switch(id) => format!("switch {}", node(id)),
            TraceEvent::Emit(id, event) => format!("emit {} {}", node(id), self.labels.event(&event)),
            TraceEvent::End(id, it) => format!("end {} {}", node(id), status(it.into())),
            TraceEvent::Interrupted(id, _) => format!("end {} I", node(id)),
            TraceEvent::Abort { scope, by } => format!("abort {} by {}", node(scope), node(by)),
            TraceEvent::Pause(id) => format!("pause {}", node(id)),
            TraceEvent::Unpause(id) => format!("unpause {}", node(id)),
        };
        self.lines.borrow_mut().push(line);
    }
}

/// Runs a scenario.
///
/// # Errors
/// If the interpreter refuses the tree.
pub fn run(scenario: &Scenario, mode: Mode) -> Result<Run, RunError> {
    stack::with_room_for(scenario.levels(), || on_this_stack(scenario, mode))
}

fn on_this_stack(scenario: &Scenario, mode: Mode) -> Result<Run, RunError> {
    let root = scenario.root();
    let words = scenario.keys.iter().flat_map(|(_, key)| key.words.clone()).collect();
    let mut labels = Labels { nodes: Vec::new(), services: Vec::new(), events: Vec::new(), words };
    label(&root, &mut labels);
    for op in &scenario.ops {
        if let Call::Event { event, payload } = &op.call {
            labels.events.push(event.clone());
            if let Some(Value::Symbol(word)) = payload {
                labels.words.push(word.clone());
            }
        }
    }
    let mut builder = Tree::<Stage>::builder(scenario.name.clone());
    for (name, key) in scenario.keys.iter() {
        let scope = match name.scope {
            Scope::Agent => core::Scope::Agent,
            Scope::Group => core::Scope::Group,
            Scope::Global => core::Scope::Global,
        };
        let default = match &key.default {
            Value::Symbol(word) => KeyDefault::Symbol(word.clone(), key.words.clone()),
            other => KeyDefault::Value(core_value(other)),
        };
        builder.declare(scope, &name.name, default);
    }
    let tree = builder.build(build(&root, scenario))?;
    let lines = Rc::new(RefCell::new(Vec::new()));
    let labels = Rc::new(labels);
    let cx = StageCx { now: 0, lines: Rc::clone(&lines), callbacks: Vec::new(), labels: Rc::clone(&labels) };
    let callbacks = match mode {
        Mode::Traced => {
            let mut forest = Forest::with_tracer(0, Scribe { lines: Rc::clone(&lines), labels });
            forest.set_reevaluate_every_tick(true);
            forest.set_sleep(false);
            play(scenario, tree, forest, cx)
        }
        Mode::Quiet => {
            let mut forest = Forest::with_tracer(0, NoTracer);
            forest.set_reevaluate_every_tick(true);
            forest.set_sleep(false);
            play(scenario, tree, forest, cx)
        }
        Mode::Lazy => play(scenario, tree, Forest::with_tracer(0, NoTracer), cx),
    };
    let trace = lines.take();
    Ok(Run { trace, callbacks })
}

fn play<T: Tracer>(
    scenario: &Scenario,
    tree: Tree<Stage>,
    mut forest: Forest<Stage, T>,
    mut cx: StageCx,
) -> Vec<String> {
    cx.say("enable".into());
    let tree = forest.add_tree(tree).expect("the forest has no other tree");
    let spawn = Spawn { completion: Completion::Stop, seed: Some(scenario.seed), ..Spawn::default() };
    let agent = forest.spawn_with(&mut cx, tree, spawn).expect("the forest is empty");
    for tick in 1..=scenario.ticks {
        cx.now = tick as usize;
        for op in scenario.ops.iter().filter(|it| it.before == tick) {
            call(&mut forest, &mut cx, agent, &op.call);
        }
        cx.say(format!("tick {tick}"));
        forest.tick(&mut cx, 1.0).expect("a second is a valid dt");
        let view = forest.inspect(agent).expect("nobody despawns it");
        let stacks: Vec<String> = (view.stacks.iter())
            .map(|it| it.iter().map(|it| it.index().to_string()).collect::<Vec<_>>().join(" "))
            .collect();
        cx.say(format!("stacks [{}]", stacks.join(" | ")));
    }
    cx.callbacks
}

fn call<T: Tracer>(forest: &mut Forest<Stage, T>, cx: &mut StageCx, agent: AgentId, call: &Call) {
    let here = "nobody despawns the agent";
    match call {
        Call::Enable => {
            cx.say("enable".into());
            forest.enable(cx, agent).expect(here);
        }
        Call::Disable => {
            cx.say("disable".into());
            forest.disable(cx, agent).expect(here);
        }
        Call::Restart => {
            cx.say("restart".into());
            forest.restart(cx, agent).expect(here);
        }
        Call::Pause => {
            cx.say("pause".into());
            forest.pause(cx, agent).expect(here);
        }
        Call::Unpause => {
            cx.say("unpause".into());
            forest.unpause(cx, agent).expect(here);
        }
        Call::Set { key, value } => {
            let value = core_value(value);
            cx.say(format!("set {key} {}", cx.labels.value(value)));
            let tree = forest.trees().next().and_then(|it| forest.tree(it).ok().cloned()).expect("there is one tree");
            let valid = "the scenario was checked";
            match value {
                core::Value::Bool(it) => forest.set(agent, tree.key(key).expect(valid), it),
                core::Value::Int(it) => forest.set(agent, tree.key(key).expect(valid), it),
                core::Value::Float(it) => forest.set(agent, tree.key(key).expect(valid), it),
                core::Value::Vec2(it) => forest.set(agent, tree.key(key).expect(valid), it),
                core::Value::Vec3(it) => forest.set(agent, tree.key(key).expect(valid), it),
                core::Value::Entity(it) => forest.set(agent, tree.key(key).expect(valid), it),
                core::Value::Symbol(it) => forest.set(agent, tree.key(key).expect(valid), it),
            }
            .expect(here);
        }
        Call::Event { event, payload } => {
            let plain = Event::new(event);
            let event = payload.as_ref().map_or(plain, |it| plain.with(core_value(it)));
            cx.say(format!("event {}", cx.labels.event(&event)));
            forest.send(agent, event).expect(here);
        }
    }
}

fn core_value(value: &Value) -> core::Value {
    match value {
        Value::Bool(it) => core::Value::Bool(*it),
        Value::Int(it) => core::Value::Int(*it),
        Value::Float(it) => core::Value::Float(*it),
        Value::Vec2(it) => core::Value::Vec2(*it),
        Value::Vec3(it) => core::Value::Vec3(*it),
        Value::Entity(it) => core::Value::Entity(Entity(*it)),
        Value::Symbol(it) => core::Value::Symbol(Symbol::new(it)),
    }
}

fn label(node: &Node, labels: &mut Labels) {
    labels.nodes.push(format!("{}:{}", labels.nodes.len(), node.label()));
    let services = match &node.shape {
        Shape::Composite { services, .. } => services.iter().map(|it| it.name.clone()).collect(),
        Shape::Decorator { .. } | Shape::Leaf(_) => Vec::new(),
    };
    labels.services.push(services);
    if let Shape::Leaf(LeafKind::Emit { event, .. }) = &node.shape {
        labels.events.push(event.clone());
    }
    for child in node.children() {
        label(child, labels);
    }
}

fn build(node: &Node, scenario: &Scenario) -> core::Node<Stage> {
    let built = match &node.shape {
        Shape::Composite { kind, abort, services, children } => {
            let children = children.iter().map(|it| build(it, scenario));
            let mut built = composite(kind, children).aborts(match abort {
                Abort::None => core::Abort::empty(),
                Abort::Own => core::Abort::SELF,
                Abort::LowerPriority => core::Abort::LOWER_PRIORITY,
                Abort::Both => core::Abort::BOTH,
            });
            for service in services {
                let every = f64::from(service.interval);
                built = built.with_service(every, core::action(|_| core::Status::Success));
            }
            built
        }
        Shape::Decorator { kind, child } => decorator(kind, build(child, scenario), scenario),
        Shape::Leaf(kind) => leaf(kind, node, scenario),
    };
    let built = built.of_kind(node.type_name());
    match &node.name {
        Some(name) => built.named(name),
        None => built,
    }
}

fn composite(kind: &CompositeKind, children: impl Iterator<Item = core::Node<Stage>>) -> core::Node<Stage> {
    match kind {
        CompositeKind::Sequence => core::sequence(children),
        CompositeKind::Selector => core::selector(children),
        CompositeKind::Parallel { success, failure } => {
            core::parallel_with(policy(*success), policy(*failure), children)
        }
        CompositeKind::ReactiveSequence => core::reactive_sequence(children),
        CompositeKind::ReactiveSelector => core::reactive_selector(children),
        CompositeKind::RandomSequence { weights } => core::random_sequence(weights.clone(), children),
        CompositeKind::RandomSelector { weights } => core::random_selector(weights.clone(), children),
        CompositeKind::UtilitySelector { scores, reevaluate } => {
            core::utility_selector(*reevaluate, scores.iter().cloned().zip(children))
        }
    }
}

fn decorator(kind: &DecoratorKind, child: core::Node<Stage>, scenario: &Scenario) -> core::Node<Stage> {
    match kind {
        DecoratorKind::Inverter => core::inverter(child),
        DecoratorKind::ReturnSuccess => core::force_success(child),
        DecoratorKind::ReturnFailure => core::force_failure(child),
        DecoratorKind::UntilSuccess => core::until_success(child),
        DecoratorKind::UntilFailure => core::until_failure(child),
        DecoratorKind::Repeater { count: Some(count), end_on_failure: false } => core::repeat(*count, child),
        DecoratorKind::Repeater { count: Some(count), end_on_failure: true } => {
            core::repeat_while_succeeding(*count, child)
        }
        DecoratorKind::Repeater { count: None, end_on_failure: false } => core::repeat_forever(child),
        DecoratorKind::Repeater { count: None, end_on_failure: true } => core::repeat_until_failure(child),
        DecoratorKind::Guard(Test::Expr(expr)) => core::guard(expr.as_str(), child),
        DecoratorKind::Guard(Test::When(name)) => {
            core::guard(HostLeaf::condition(scenario.conditions[name].clone()), child)
        }
        DecoratorKind::Timeout { ticks, result } => core::timeout(f64::from(*ticks), outcome(*result), child),
        DecoratorKind::Cooldown { ticks } => core::cooldown(f64::from(*ticks), child),
        DecoratorKind::Limit { count, exhausted } => core::limit(*count, outcome(*exhausted), child),
        DecoratorKind::Delay { ticks } => core::delay(f64::from(*ticks), child),
        DecoratorKind::Probability { p } => core::probability(*p, child),
    }
}

fn leaf(kind: &LeafKind, node: &Node, scenario: &Scenario) -> core::Node<Stage> {
    let name = node.label();
    match kind {
        LeafKind::Action => {
            let script = scenario.actions.get(name).cloned().unwrap_or_default();
            core::leaf(HostLeaf::action(script))
        }
        LeafKind::Condition => core::leaf(HostLeaf::condition(scenario.conditions[name].clone())),
        LeafKind::Check { expr } => core::check(expr),
        LeafKind::OnEvent { event, into } => core::on_event(event, into.as_deref()),
        LeafKind::Wait { ticks } => core::wait(f64::from(*ticks)),
        LeafKind::WaitTicks { ticks } => core::wait_ticks(*ticks),
        LeafKind::WaitUntil { expr } => core::wait_until(expr),
        LeafKind::Set { key, expr } => core::set(key, expr),
        LeafKind::Log { text } => core::log(text),
        LeafKind::Emit { event, payload } => core::emit(event, payload.as_deref()),
        LeafKind::Succeed => core::succeed(),
        LeafKind::Fail => core::fail(),
        LeafKind::Idle => core::idle(),
    }
}

fn policy(policy: Policy) -> core::Policy {
    match policy {
        Policy::All => core::Policy::All,
        Policy::Any => core::Policy::Any,
        // Past the limit means past the number of children, which validation refuses.
        Policy::AtLeast(count) => core::Policy::AtLeast(u16::try_from(count).unwrap_or(u16::MAX)),
    }
}

fn outcome(outcome: Outcome) -> core::Outcome {
    match outcome {
        Outcome::Success => core::Outcome::Success,
        Outcome::Failure => core::Outcome::Failure,
    }
}
