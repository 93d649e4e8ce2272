//! Writes the model as JSON, in the layout of the files in `trees/conformance`. No JSON writer puts
//! a tree on one line and a trace on many, so this one is written by hand.

use std::fmt::Write;

use super::{
    Abort, ActionScript, Call, CompositeKind, ConditionScript, DecoratorKind, Ending, File, Given, Hole, Interrupt,
    Jittered, Key, Keys, LeafKind, Node, Outcome, Policy, Scenario, Scope, Service, Shape, Status, Takes, Test,
    TimedCall, Token, Value, ValueType, Whose,
};

pub(super) fn scenario(s: &Scenario) -> String {
    let mut lines = vec![("name", string(&s.name)), ("about", string(&s.about))];
    lines.extend(s.notation.as_ref().map(|n| ("notation", string(n))));
    if s.seed != 0 {
        lines.push(("seed", s.seed.to_string()));
    }
    lines.extend(keys(&s.keys));
    lines.extend(s.events.as_ref().map(|it| ("events", map(it.iter(), payload))));
    if s.squad {
        lines.push(("squad", true.to_string()));
    }
    if s.stranger {
        lines.push(("stranger", true.to_string()));
    }
    if let Some(written) = &s.written {
        lines.push(("files", map(written.files.iter(), file)));
    }
    lines.push(("tree", node(&s.tree)));
    if !s.interrupts.is_empty() {
        lines.push(("interrupts", list(&s.interrupts, interrupt)));
    }
    lines.push(("conditions", map(s.conditions.iter(), condition)));
    lines.push(("actions", map(s.actions.iter(), action)));
    if !s.ops.is_empty() {
        lines.push(("ops", list(&s.ops, op)));
    }
    lines.push(("ticks", s.ticks.to_string()));
    let trace: Vec<String> = s.trace.iter().map(|line| format!("\n    {}", string(line))).collect();
    lines.push(("trace", if trace.is_empty() { "[]".to_owned() } else { format!("[{}\n  ]", trace.join(",")) }));
    let lines: Vec<String> = lines.iter().map(|(name, json)| format!("  \"{name}\": {json}")).collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

fn keys(keys: &Keys) -> impl Iterator<Item = (&'static str, String)> {
    let one = |scope| keys.of(scope).fold(Object::default(), |object, (name, it)| object.with(name, key(it))).end();
    Scope::ALL.into_iter().map(move |it| (it.field(), one(it))).filter(|it| it.1 != "{}")
}

fn payload(payload: &Option<ValueType>) -> String {
    payload.map_or_else(|| "null".to_owned(), |it| string(it.name()))
}

fn file(file: &File) -> String {
    let ports = map(file.ports.iter(), |it| {
        Object::default().with(it.direction.name(), key(&it.key)).with_if(it.needed, "needed", "true").end()
    });
    let object = Object::default().with_if(!file.ports.is_empty(), "ports", ports);
    keys(&file.keys)
        .fold(object, |object, (field, it)| object.with(field, it))
        .with_if(!file.events.is_empty(), "events", map(file.events.iter(), payload))
        .with_if(!file.holes.is_empty(), "nodes", map(file.holes.iter(), hole))
        .with("tree", node(&file.tree))
        .with_if(!file.interrupts.is_empty(), "interrupts", list(&file.interrupts, interrupt))
        .end()
}

fn hole(hole: &Hole) -> String {
    let takes = string(if hole.takes == Takes::One { "one" } else { "many" });
    match &hole.default {
        None => takes,
        Some(nodes) => Object::default().with("takes", takes).with("default", of_hole(hole.takes, nodes)).end(),
    }
}

/// A node, or a list of nodes.
fn of_hole(takes: Takes, nodes: &[Node]) -> String {
    match (takes, nodes) {
        (Takes::One, [it]) => node(it),
        _ => list(nodes, node),
    }
}

fn given(given: &Given) -> String {
    match given {
        Given::Key(key) => string(key),
        Given::Literal(Value::Symbol(word)) => Object::default().with("word", string(word)).end(),
        Given::Literal(it) => value(it),
    }
}

/// The fields of one object, in order.
#[derive(Default)]
struct Object(String);

impl Object {
    fn with(mut self, name: &str, json: impl AsRef<str>) -> Object {
        let comma = if self.0.is_empty() { "" } else { ", " };
        write!(self.0, "{comma}{}: {}", string(name), json.as_ref()).expect("a String takes everything");
        self
    }

    fn with_if(self, there: bool, name: &str, json: impl AsRef<str>) -> Object {
        if there { self.with(name, json) } else { self }
    }

    fn end(self) -> String {
        format!("{{{}}}", self.0)
    }
}

fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn list<T>(items: &[T], write: impl Fn(&T) -> String) -> String {
    let items: Vec<String> = items.iter().map(write).collect();
    format!("[{}]", items.join(", "))
}

fn map<'a, T: 'a>(entries: impl Iterator<Item = (&'a String, &'a T)>, write: impl Fn(&T) -> String) -> String {
    entries.fold(Object::default(), |object, (name, item)| object.with(name, write(item))).end()
}

fn key(key: &Key) -> String {
    if key.words.is_empty() {
        return value(&key.default);
    }
    Object::default().with("symbol", value(&key.default)).with("words", list(&key.words, |w| string(w))).end()
}

fn value(value: &Value) -> String {
    let floats = |v: &[f32]| list(v, |x| format!("{x:?}"));
    match value {
        // The trace writes finite floats as JSON does.
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => value.to_string(),
        Value::Vec2(v) => floats(v),
        Value::Vec3(v) => floats(v),
        Value::Entity(v) => Object::default().with("entity", v.to_string()).end(),
        Value::Symbol(v) => string(v),
        Value::Time(v) => Object::default().with("time", v.to_string()).end(),
    }
}

fn condition(script: &ConditionScript) -> String {
    let letters = string(&script.results.iter().map(|s| s.letter()).collect::<String>());
    match script.every {
        None => letters,
        Some(every) => Object::default().with("script", letters).with("every", every.to_string()).end(),
    }
}

fn action(script: &ActionScript) -> String {
    let results: String = script.results.iter().map(|r| Status::from(*r).letter()).collect();
    Object::default().with("ticks", script.ticks.to_string()).with("result", string(&results)).end()
}

fn op(op: &TimedCall) -> String {
    let object = Object::default().with("before", op.before.to_string()).with("op", string(op.call.op_name()));
    match &op.call {
        Call::Enable
        | Call::Disable
        | Call::Restart
        | Call::Pause
        | Call::Unpause
        | Call::Panic
        | Call::Save
        | Call::Restore { tree: None } => object,
        Call::Restore { tree: Some(tree) } => object.with("tree", node(tree)),
        Call::Set { key, value: v } => object.with("key", string(key)).with("value", value(v)),
        Call::Event { event, payload } => {
            let object = object.with("event", string(event));
            payload.iter().fold(object, |object, v| object.with("payload", value(v)))
        }
        Call::Rate { frames } => object.with("frames", frames.to_string()),
        Call::Budget { agents } => object.with("agents", agents.to_string()),
        Call::Fill { slot, word, of } => {
            let object = object.with("slot", string(slot)).with("word", string(word));
            object.with_if(*of != Whose::Agent, "of", string(of.name()))
        }
        Call::Replace { tree, keeps } => object.with("tree", node(tree)).with_if(!keeps, "restart", "true"),
    }
    .end()
}

fn interrupt(interrupt: &Interrupt) -> String {
    test(Object::default(), &interrupt.test).with("run", node(&interrupt.run)).end()
}

fn test(object: Object, test: &Test) -> Object {
    match test {
        Test::When(name) => object.with("when", string(name)),
        Test::Expr(expr) => object.with("expr", string(expr)),
    }
}

fn node(n: &Node) -> String {
    let mut object = Object::default().with("type", string(n.type_name()));
    if let Some(name) = &n.name {
        object = object.with("name", string(name));
    }
    if let Some(id) = &n.id {
        object = object.with("id", string(id));
    }
    object = object.with_if(!n.locals.is_empty(), "locals", list(&n.locals, |it| string(it)));
    match &n.shape {
        Shape::Composite { kind, abort, services, children } => {
            let abort = match abort {
                Abort::None => "none",
                Abort::Own => "self",
                Abort::LowerPriority => "lp",
                Abort::Both => "both",
            };
            composite(object.with_if(abort != "none", "abort", string(abort)), kind)
                .with_if(!services.is_empty(), "services", list(services, service))
                .with("children", list(children, node))
        }
        Shape::Decorator { kind, children } => {
            let object = decorator(object, kind).with("children", list(&children[..1], node));
            object.with_if(matches!(kind, DecoratorKind::Finally { .. }), "do", list(&children[1..], node))
        }
        Shape::Leaf(kind) => leaf(object, kind),
    }
    .end()
}

fn composite(object: Object, kind: &CompositeKind) -> Object {
    match kind {
        CompositeKind::Sequence
        | CompositeKind::Selector
        | CompositeKind::ReactiveSequence
        | CompositeKind::ReactiveSelector
        | CompositeKind::RandomSequence { weights: None }
        | CompositeKind::RandomSelector { weights: None }
        | CompositeKind::RandomChoice { weights: None } => object,
        CompositeKind::Parallel { success, failure } => object
            .with_if(*success != Policy::All, "success", policy(*success))
            .with_if(*failure != Policy::Any, "failure", policy(*failure)),
        CompositeKind::RandomSequence { weights: Some(weights) }
        | CompositeKind::RandomSelector { weights: Some(weights) }
        | CompositeKind::RandomChoice { weights: Some(weights) } => {
            object.with("weights", list(weights, |w| format!("{w:?}")))
        }
        CompositeKind::UtilitySelector { scores, reevaluate, inertia } => object
            .with("scores", list(scores, |s| string(s)))
            .with_if(*reevaluate, "reevaluate", "true")
            .with_if(*inertia != 0.0, "inertia", format!("{inertia:?}")),
        CompositeKind::Switch { on, cases, default, latch } => object
            .with("on", string(on))
            .with("cases", list(cases, value))
            .with_if(*default, "default", "true")
            .with_if(*latch, "latch", "true"),
    }
}

fn policy(policy: Policy) -> String {
    match policy {
        Policy::All => string("all"),
        Policy::Any => string("any"),
        Policy::AtLeast(n) => n.to_string(),
    }
}

fn service(service: &Service) -> String {
    jittered(Object::default().with("name", string(&service.name)), "interval", &service.interval).end()
}

fn jittered(object: Object, name: &str, it: &Jittered) -> Object {
    object.with(name, it.ticks.json()).with_if(it.jitter != 0.0, "jitter", format!("{:?}", it.jitter))
}

fn decorator(object: Object, kind: &DecoratorKind) -> Object {
    let outcome = |o: Outcome| string(&Status::from(o).letter().to_string());
    match kind {
        DecoratorKind::Inverter | DecoratorKind::ReturnSuccess | DecoratorKind::ReturnFailure => object,
        DecoratorKind::UntilSuccess { count } | DecoratorKind::UntilFailure { count } => match count {
            Some(n) => object.with("count", n.json()),
            None => object,
        },
        DecoratorKind::Repeater { count, end_on_failure } => match count {
            Some(n) => object.with("count", n.json()),
            None => object.with("forever", "true"),
        }
        .with_if(*end_on_failure, "end_on_failure", "true"),
        DecoratorKind::Guard { test: it, result } => {
            test(object, it).with_if(*result != Outcome::Failure, "result", outcome(*result))
        }
        DecoratorKind::Timeout { ticks, result } => {
            object.with("ticks", ticks.json()).with_if(*result != Outcome::Failure, "result", outcome(*result))
        }
        DecoratorKind::Cooldown { time, after } => {
            let object = jittered(object, "ticks", time);
            match after {
                Some(it) => object.with("after", outcome(*it)),
                None => object,
            }
        }
        DecoratorKind::Delay(it) => jittered(object, "ticks", it),
        DecoratorKind::Limit { count, exhausted } => {
            object.with("count", count.json()).with_if(*exhausted != Outcome::Failure, "exhausted", outcome(*exhausted))
        }
        DecoratorKind::Probability { p } => object.with("p", p.json()),
        DecoratorKind::Token(Token { token, count, rest, global }) => {
            let object = object.with("token", string(token)).with("count", count.to_string());
            let object = object.with_if(*rest > 0, "rest", rest.to_string());
            object.with_if(*global, "of", string("global"))
        }
        DecoratorKind::Finally { on: Ending::Any } => object,
        DecoratorKind::Finally { on: Ending::Aborted } => object.with("on", string("I")),
        DecoratorKind::Finally { on: Ending::Itself(it) } => object.with("on", outcome(*it)),
    }
}

fn leaf(object: Object, kind: &LeafKind) -> Object {
    match kind {
        LeafKind::Action | LeafKind::Condition | LeafKind::Succeed | LeafKind::Fail | LeafKind::Idle => object,
        LeafKind::Check { expr } | LeafKind::WaitUntil { expr } => object.with("expr", string(expr)),
        LeafKind::OnEvent { event, into } | LeafKind::WaitFor { event, into } => {
            into.iter().fold(object.with("event", string(event)), |object, key| object.with("into", string(key)))
        }
        LeafKind::Free { token } => object.with("token", string(token)),
        LeafKind::Wait(it) => jittered(object, "ticks", it),
        LeafKind::WaitTicks { ticks } => object.with("ticks", ticks.json()),
        LeafKind::Set { key, expr } => object.with("key", string(key)).with("expr", string(expr)),
        LeafKind::Roll { key, from, to } => {
            object.with("key", string(key)).with("from", string(from)).with("to", string(to))
        }
        LeafKind::Log { text } => object.with("text", string(text)),
        LeafKind::Emit { event, payload, to_group } => {
            let object = object.with("event", string(event));
            let object = payload.iter().fold(object, |object, e| object.with("expr", string(e)));
            object.with_if(*to_group, "to", string("group"))
        }
        LeafKind::Subtree(it) => {
            let object = object.with("file", string(&it.file));
            let object = object.with_if(!it.with.is_empty(), "with", map(it.with.iter(), given));
            let filled = it.fillings.iter().fold(Object::default(), |object, filling| {
                let (takes, nodes) = it.given_for(&filling.hole).unwrap_or((filling.takes, &[]));
                object.with(&filling.hole, of_hole(takes, nodes))
            });
            object.with_if(!it.fillings.is_empty(), "nodes", filled.end())
        }
        LeafKind::Hole(hole, _) => object.with("hole", string(hole)),
        LeafKind::Slot(it) => {
            let object = object.with("files", list(&it.files, |it| string(it)));
            let object = it.initial.iter().fold(object, |object, it| object.with("initial", string(it)));
            object.with_if(!it.with.is_empty(), "with", map(it.with.iter(), given))
        }
    }
}
