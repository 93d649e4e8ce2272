//! Reads the model from JSON: the fields of each object, and their shapes.

mod words;

use std::collections::BTreeMap;

use serde::Deserialize;

use super::fields::{Fields, Json, Spot, error};
use super::files::{Direction, File, Filling, Given, Hole, Port, Slot, Subtree, Takes};
use super::{
    Abort, ActionScript, Amount, Call, CompositeKind, ConditionScript, DecoratorKind, Ending, Interrupt, Jittered, Key,
    Keys, LeafKind, Node, Outcome, Policy, Problem, Scenario, ScenarioError, Scope, Service, Shape, Status, Test,
    TimedCall, Token, Value, ValueType, Whose,
};
use super::{amount, expand};
use crate::keys::SLOT;
use words::{ending, outcome, policy};

type Read<T> = Result<T, ScenarioError>;

pub(super) fn scenario(text: &str) -> Read<Scenario> {
    // The depth has been checked already.
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    let json = Json::deserialize(&mut deserializer).and_then(|json| deserializer.end().map(|()| json));
    let json = json.map_err(|e| error("", Problem::Json(e)))?;
    let mut f = Spot { json: &json, at: String::new() }.fields()?;
    let mut scenario = Scenario {
        name: f.need("name")?.string()?.to_owned(),
        about: f.need("about")?.string()?.to_owned(),
        notation: f.get("notation").map(|s| owned(&s)).transpose()?,
        seed: f.or("seed", 0, |s| s.int("a whole number >= 0"))?,
        keys: keys(&mut f)?,
        events: f.get("events").map(|s| map(&s, payload_type)).transpose()?,
        squad: f.or("squad", false, |s| s.bool())?,
        stranger: f.or("stranger", false, |s| s.bool())?,
        tree: node(&f.need("tree")?)?,
        interrupts: f.or("interrupts", Vec::new(), |s| list(s, interrupt))?,
        conditions: f.or("conditions", BTreeMap::new(), |s| map(s, condition))?,
        actions: f.or("actions", BTreeMap::new(), |s| map(s, action))?,
        ops: f.or("ops", Vec::new(), |s| list(s, op))?,
        ticks: f.need("ticks")?.int("a number of ticks")?,
        trace: f.or("trace", Vec::new(), |s| list(s, owned))?,
        written: None,
    };
    let files = f.get("files").map(|s| map(&s, file)).transpose()?;
    f.done()?;
    if let Some(files) = files {
        expand::scenario(&mut scenario, files)?;
    }
    Ok(scenario)
}

fn keys(f: &mut Fields<'_>) -> Read<Keys> {
    let mut keys = Keys::default();
    for scope in Scope::ALL {
        for (name, spot) in f.get(scope.field()).map(|s| s.entries()).transpose()?.unwrap_or_default() {
            keys.declare(scope, name, key(&spot)?);
        }
    }
    Ok(keys)
}

fn key(spot: &Spot<'_>) -> Read<Key> {
    if let Json::Object(fields) = spot.json
        && fields.iter().any(|(name, _)| name == "symbol")
    {
        let mut f = spot.fields()?;
        let default = Value::Symbol(owned(&f.need("symbol")?)?);
        let words = list(&f.need("words")?, owned)?;
        f.done()?;
        return Ok(Key { default, words });
    }
    spot.value().map(Key::from)
}

fn payload_type(spot: &Spot<'_>) -> Read<Option<ValueType>> {
    if let Json::Null = spot.json {
        return Ok(None);
    }
    let found = ValueType::ALL.into_iter().find(|it| it.name() == spot.string().unwrap_or_default());
    let names: Vec<&str> = ValueType::ALL.iter().map(|it| it.name()).collect();
    found.map(Some).ok_or_else(|| spot.expected(format!("null or one of {}", names.join(", "))))
}

fn owned(spot: &Spot<'_>) -> Read<String> {
    spot.string().map(str::to_owned)
}

fn list<T>(spot: &Spot<'_>, read: impl Fn(&Spot<'_>) -> Read<T>) -> Read<Vec<T>> {
    spot.array()?.iter().map(read).collect()
}

fn map<T>(spot: &Spot<'_>, read: impl Fn(&Spot<'_>) -> Read<T>) -> Read<BTreeMap<String, T>> {
    spot.entries()?.iter().map(|(name, spot)| Ok(((*name).to_owned(), read(spot)?))).collect()
}

fn condition(spot: &Spot<'_>) -> Read<ConditionScript> {
    if let Json::Object(_) = spot.json {
        let mut f = spot.fields()?;
        let results = letters(&f.need("script")?)?;
        let every = Some(f.need("every")?.int("a number of seconds")?);
        f.done()?;
        return Ok(ConditionScript { results, every });
    }
    letters(spot).map(ConditionScript::from)
}

fn letters(spot: &Spot<'_>) -> Read<Vec<Status>> {
    let what = "a string of S, F and R";
    let letter = |c| match c {
        'S' => Ok(Status::Success),
        'F' => Ok(Status::Failure),
        'R' => Ok(Status::Running),
        _ => Err(spot.expected(what)),
    };
    spot.string()?.chars().map(letter).collect()
}

fn outcome_letter(spot: &Spot<'_>, c: char) -> Read<Outcome> {
    match c {
        'S' => Ok(Outcome::Success),
        'F' => Ok(Outcome::Failure),
        _ => Err(spot.expected("S or F")),
    }
}

fn action(spot: &Spot<'_>) -> Read<ActionScript> {
    let mut f = spot.fields()?;
    let default = ActionScript::default();
    let script = ActionScript {
        ticks: f.or("ticks", default.ticks, |s| s.int("a number of ticks"))?,
        results: f.or("result", default.results, |s| s.string()?.chars().map(|c| outcome_letter(s, c)).collect())?,
    };
    f.done()?;
    Ok(script)
}

fn op(spot: &Spot<'_>) -> Read<TimedCall> {
    let mut f = spot.fields()?;
    let before = f.need("before")?.int("the number of a tick")?;
    let name = f.need("op")?;
    let call = match name.string()? {
        "enable" => Call::Enable,
        "disable" => Call::Disable,
        "restart" => Call::Restart,
        "pause" => Call::Pause,
        "unpause" => Call::Unpause,
        "set" => Call::Set { key: owned(&f.need("key")?)?, value: f.need("value")?.value()? },
        "event" => {
            Call::Event { event: owned(&f.need("event")?)?, payload: f.get("payload").map(|s| s.value()).transpose()? }
        }
        "rate" => Call::Rate { frames: f.need("frames")?.int("a number of frames")? },
        "budget" => Call::Budget { agents: f.need("agents")?.int("a number of agents")? },
        "panic" => Call::Panic,
        "fill" => Call::Fill {
            slot: owned(&f.need("slot")?)?,
            word: owned(&f.need("word")?)?,
            of: f.or("of", Whose::Agent, |s| {
                let found = Whose::ALL.into_iter().find(|it| s.string().is_ok_and(|text| it.name() == text));
                found.ok_or_else(|| s.expected("agent, group or all"))
            })?,
        },
        "replace" => {
            Call::Replace { tree: Box::new(node(&f.need("tree")?)?), keeps: !f.or("restart", false, |s| s.bool())? }
        }
        "save" => Call::Save,
        "restore" => Call::Restore { tree: f.get("tree").map(|it| node(&it).map(Box::new)).transpose()? },
        _ => {
            let ops = "enable, disable, restart, pause, unpause, set, event, rate, budget, panic, fill, replace, save or restore";
            return Err(name.expected(ops));
        }
    };
    f.done()?;
    Ok(TimedCall { before, call })
}

fn file(spot: &Spot<'_>) -> Read<File> {
    let mut f = spot.fields()?;
    let file = File {
        ports: f.or("ports", BTreeMap::new(), |s| map(s, port))?,
        keys: keys(&mut f)?,
        events: f.or("events", BTreeMap::new(), |s| map(s, payload_type))?,
        holes: f.or("nodes", BTreeMap::new(), |s| map(s, hole))?,
        tree: node(&f.need("tree")?)?,
        interrupts: f.or("interrupts", Vec::new(), |s| list(s, interrupt))?,
    };
    f.done()?;
    Ok(file)
}

fn port(spot: &Spot<'_>) -> Read<Port> {
    let mut f = spot.fields()?;
    let values: Vec<_> = Direction::ALL.into_iter().filter_map(|it| Some((it, f.get(it.name())?))).collect();
    let [(direction, value)] = &*values else {
        return Err(error(&*spot.at, Problem::Value("a port has one of `in`, `out` and `inout`".into())));
    };
    let port = Port { direction: *direction, key: key(value)?, needed: f.or("needed", false, |s| s.bool())? };
    f.done()?;
    Ok(port)
}

fn hole(spot: &Spot<'_>) -> Read<Hole> {
    let takes = |text: &str| match text {
        "one" => Ok(Takes::One),
        "many" => Ok(Takes::Many),
        _ => Err(spot.expected("one or many")),
    };
    let Json::Object(_) = spot.json else { return Ok(Hole { takes: takes(spot.string()?)?, default: None }) };
    let mut f = spot.fields()?;
    let takes = takes(f.need("takes")?.string()?)?;
    let default = f.need("default")?;
    let default = if takes == Takes::One { vec![node(&default)?] } else { list(&default, node)? };
    f.done()?;
    Ok(Hole { takes, default: Some(default) })
}

/// Adds to a subtree what it gives to holes.
fn filled(mut subtree: Subtree, given: BTreeMap<String, (Takes, Vec<Node>)>) -> Subtree {
    for (hole, (takes, nodes)) in given {
        subtree.fillings.push(Filling { hole, takes, count: nodes.len() });
        subtree.nodes.extend(nodes);
    }
    subtree
}

fn filling(spot: &Spot<'_>) -> Read<(Takes, Vec<Node>)> {
    match spot.json {
        Json::Array(_) => Ok((Takes::Many, list(spot, node)?)),
        _ => Ok((Takes::One, vec![node(spot)?])),
    }
}

fn given(spot: &Spot<'_>) -> Read<Given> {
    match spot.json {
        Json::String(key) => Ok(Given::Key(key.clone())),
        Json::Object(fields) if fields.iter().any(|it| it.0 == "word") => {
            let mut f = spot.fields()?;
            let word = owned(&f.need("word")?)?;
            f.done()?;
            Ok(Given::Literal(Value::Symbol(word)))
        }
        _ => spot.value().map(Given::Literal),
    }
}

fn interrupt(spot: &Spot<'_>) -> Read<Interrupt> {
    let mut f = spot.fields()?;
    let interrupt = Interrupt { test: test(&mut f, &spot.at)?, run: node(&f.need("run")?)? };
    f.done()?;
    Ok(interrupt)
}

fn test(f: &mut Fields<'_>, at: &str) -> Read<Test> {
    match (f.get("when"), f.get("expr")) {
        (Some(when), None) => Ok(Test::When(owned(&when)?)),
        (None, Some(expr)) => Ok(Test::Expr(owned(&expr)?)),
        (None, None) => Err(error(at, Problem::Missing("when"))),
        (Some(_), Some(_)) => Err(error(at, Problem::Value("either `when` or `expr`, not both".into()))),
    }
}

fn node(spot: &Spot<'_>) -> Read<Node> {
    let mut f = spot.fields()?;
    let kind = f.need("type")?;
    let name = f.get("name").map(|s| owned(&s)).transpose()?;
    let id = f.get("id").map(|s| owned(&s)).transpose()?;
    let shape = match kind.string()? {
        "sequence" => composite(&mut f, spot, CompositeKind::Sequence)?,
        "selector" => composite(&mut f, spot, CompositeKind::Selector)?,
        "parallel" => {
            let success = f.or("success", Policy::All, policy)?;
            let failure = f.or("failure", Policy::Any, policy)?;
            composite(&mut f, spot, CompositeKind::Parallel { success, failure })?
        }
        "reactive_sequence" => composite(&mut f, spot, CompositeKind::ReactiveSequence)?,
        "reactive_selector" => composite(&mut f, spot, CompositeKind::ReactiveSelector)?,
        "random_sequence" => {
            let weights = weights(&mut f)?;
            composite(&mut f, spot, CompositeKind::RandomSequence { weights })?
        }
        "random_selector" => {
            let weights = weights(&mut f)?;
            composite(&mut f, spot, CompositeKind::RandomSelector { weights })?
        }
        "random_choice" => {
            let weights = weights(&mut f)?;
            composite(&mut f, spot, CompositeKind::RandomChoice { weights })?
        }
        "utility_selector" => {
            let scores = list(&f.need("scores")?, owned)?;
            let reevaluate = f.or("reevaluate", false, |s| s.bool())?;
            let inertia = f.or("inertia", 0.0, |s| s.number())?;
            composite(&mut f, spot, CompositeKind::UtilitySelector { scores, reevaluate, inertia })?
        }
        "switch" => {
            let kind = CompositeKind::Switch {
                on: f.need("on").and_then(|it| on(&it))?,
                cases: list(&f.need("cases")?, |s| s.value())?,
                default: f.or("default", false, |s| s.bool())?,
                latch: f.or("latch", false, |s| s.bool())?,
            };
            composite(&mut f, spot, kind)?
        }
        "inverter" => decorator(&mut f, spot, DecoratorKind::Inverter)?,
        "return_success" => decorator(&mut f, spot, DecoratorKind::ReturnSuccess)?,
        "return_failure" => decorator(&mut f, spot, DecoratorKind::ReturnFailure)?,
        "until_success" => {
            let count = f.get("count").map(|s| times(&s)).transpose()?;
            decorator(&mut f, spot, DecoratorKind::UntilSuccess { count })?
        }
        "until_failure" => {
            let count = f.get("count").map(|s| times(&s)).transpose()?;
            decorator(&mut f, spot, DecoratorKind::UntilFailure { count })?
        }
        "repeater" => {
            let kind = repeater(&mut f, spot)?;
            decorator(&mut f, spot, kind)?
        }
        "guard" => {
            let test = test(&mut f, &spot.at)?;
            let result = f.or("result", Outcome::Failure, outcome)?;
            decorator(&mut f, spot, DecoratorKind::Guard { test, result })?
        }
        "timeout" => {
            let ticks = amount::seconds(&mut f, "ticks")?;
            let result = f.or("result", Outcome::Failure, outcome)?;
            decorator(&mut f, spot, DecoratorKind::Timeout { ticks, result })?
        }
        "cooldown" => {
            let time = Jittered::read(&mut f, "ticks")?;
            let after = f.get("after").map(|s| outcome(&s)).transpose()?;
            decorator(&mut f, spot, DecoratorKind::Cooldown { time, after })?
        }
        "limit" => {
            let count = times(&f.need("count")?)?;
            let exhausted = f.or("exhausted", Outcome::Failure, outcome)?;
            decorator(&mut f, spot, DecoratorKind::Limit { count, exhausted })?
        }
        "delay" => {
            let kind = DecoratorKind::Delay(Jittered::read(&mut f, "ticks")?);
            decorator(&mut f, spot, kind)?
        }
        "probability" => {
            let p = Amount::read(&f.need("p")?, |s| s.number())?;
            decorator(&mut f, spot, DecoratorKind::Probability { p })?
        }
        "token" => {
            let token = owned(&f.need("token")?)?;
            let count = f.need("count")?.int("a number of places")?;
            let rest = f.or("rest", 0, |s| s.int("a number of seconds"))?;
            let global = f.or("of", false, |s| match s.string()? {
                "group" => Ok(false),
                "global" => Ok(true),
                _ => Err(s.expected("group or global")),
            })?;
            decorator(&mut f, spot, DecoratorKind::Token(Token { token, count, rest, global }))?
        }
        "finally" => {
            let on = f.or("on", Ending::Any, ending)?;
            let leaves = list(&f.need("do")?, node)?;
            let mut finally = decorator(&mut f, spot, DecoratorKind::Finally { on })?;
            if let Shape::Decorator { children, .. } = &mut finally {
                children.extend(leaves);
            }
            finally
        }
        "action" => Shape::Leaf(LeafKind::Action),
        "condition" => Shape::Leaf(LeafKind::Condition),
        "check" => Shape::Leaf(LeafKind::Check { expr: owned(&f.need("expr")?)? }),
        "on_event" => Shape::Leaf(LeafKind::OnEvent {
            event: owned(&f.need("event")?)?,
            into: f.get("into").map(|s| owned(&s)).transpose()?,
        }),
        "free" => Shape::Leaf(LeafKind::Free { token: owned(&f.need("token")?)? }),
        "wait" => Shape::Leaf(LeafKind::Wait(Jittered::read(&mut f, "ticks")?)),
        "wait_ticks" => {
            Shape::Leaf(LeafKind::WaitTicks { ticks: Amount::read(&f.need("ticks")?, |s| s.int("a number of ticks"))? })
        }
        "wait_until" => Shape::Leaf(LeafKind::WaitUntil { expr: owned(&f.need("expr")?)? }),
        "wait_for" => Shape::Leaf(LeafKind::WaitFor {
            event: owned(&f.need("event")?)?,
            into: f.get("into").map(|s| owned(&s)).transpose()?,
        }),
        "set" => Shape::Leaf(LeafKind::Set { key: owned(&f.need("key")?)?, expr: owned(&f.need("expr")?)? }),
        "roll" => Shape::Leaf(LeafKind::Roll {
            key: owned(&f.need("key")?)?,
            from: owned(&f.need("from")?)?,
            to: owned(&f.need("to")?)?,
        }),
        "log" => Shape::Leaf(LeafKind::Log { text: owned(&f.need("text")?)? }),
        "emit" => Shape::Leaf(LeafKind::Emit {
            event: owned(&f.need("event")?)?,
            payload: f.get("expr").map(|s| owned(&s)).transpose()?,
            to_group: f.or("to", false, |s| match s.string()? {
                "host" => Ok(false),
                "group" => Ok(true),
                _ => Err(s.expected("host or group")),
            })?,
        }),
        "succeed" => Shape::Leaf(LeafKind::Succeed),
        "fail" => Shape::Leaf(LeafKind::Fail),
        "idle" => Shape::Leaf(LeafKind::Idle),
        "subtree" => {
            let (file, with) = (owned(&f.need("file")?)?, f.or("with", BTreeMap::new(), |s| map(s, given))?);
            let subtree = Subtree { file, with, fillings: Vec::new(), nodes: Vec::new() };
            let given = f.or("nodes", BTreeMap::new(), |s| map(s, filling))?;
            Shape::Leaf(LeafKind::Subtree(filled(subtree, given)))
        }
        "node" => Shape::Leaf(LeafKind::Hole(owned(&f.need("hole")?)?, Takes::One)),
        "nodes" => Shape::Leaf(LeafKind::Hole(owned(&f.need("hole")?)?, Takes::Many)),
        "slot" => Shape::Leaf(LeafKind::Slot(Slot {
            files: list(&f.need("files")?, owned)?,
            initial: f.get("initial").map(|s| owned(&s)).transpose()?,
            with: f.or("with", BTreeMap::new(), |s| map(s, given))?,
        })),
        other => return Err(error(kind.at, Problem::UnknownType(other.to_owned()))),
    };
    // A node that is replaced by others starts nothing.
    let stands_for = matches!(shape, Shape::Leaf(LeafKind::Subtree(_) | LeafKind::Slot(_) | LeafKind::Hole(..)));
    let locals = if stands_for { Vec::new() } else { f.or("locals", Vec::new(), |s| list(s, owned))? };
    f.done()?;
    Ok(Node { name, id, locals, shape })
}

/// The value of a switch. No expression can name the key of a slot.
fn on(spot: &Spot<'_>) -> Read<String> {
    let text = spot.string()?;
    if text.contains(SLOT) { Err(spot.expected("an expression")) } else { Ok(text.to_owned()) }
}

fn composite(f: &mut Fields<'_>, spot: &Spot<'_>, kind: CompositeKind) -> Read<Shape> {
    let abort = f.or("abort", Abort::None, |s| match s.string()? {
        "none" => Ok(Abort::None),
        "self" => Ok(Abort::Own),
        "lp" => Ok(Abort::LowerPriority),
        "both" => Ok(Abort::Both),
        _ => Err(s.expected("none, self, lp or both")),
    })?;
    let services = f.or("services", Vec::new(), |s| list(s, service))?;
    let children = list(&f.need("children")?, node)?;
    if children.is_empty() {
        let node = kind.type_name().to_owned();
        return Err(error(spot.at.clone(), Problem::Children { node, must: "at least one child", found: 0 }));
    }
    Ok(Shape::Composite { kind, abort, services, children })
}

fn decorator(f: &mut Fields<'_>, spot: &Spot<'_>, kind: DecoratorKind) -> Read<Shape> {
    let children = list(&f.need("children")?, node)?;
    if children.len() == 1 {
        return Ok(Shape::Decorator { kind, children });
    }
    let node = kind.type_name().to_owned();
    let problem = Problem::Children { node, must: "exactly one child", found: children.len() };
    Err(error(spot.at.clone(), problem))
}

fn service(spot: &Spot<'_>) -> Read<Service> {
    let mut f = spot.fields()?;
    let service = Service { name: owned(&f.need("name")?)?, interval: Jittered::read(&mut f, "interval")? };
    f.done()?;
    Ok(service)
}

fn weights(f: &mut Fields<'_>) -> Read<Option<Vec<f64>>> {
    f.get("weights").map(|s| list(&s, |s| s.number())).transpose()
}

fn repeater(f: &mut Fields<'_>, spot: &Spot<'_>) -> Read<DecoratorKind> {
    let forever = f.or("forever", false, |s| s.bool())?;
    let count = f.get("count").map(|s| times(&s)).transpose()?;
    if forever && count.is_some() {
        return Err(error(spot.at.clone(), Problem::Value("either `count` or `forever`, not both".into())));
    }
    let end_on_failure = f.or("end_on_failure", false, |s| s.bool())?;
    Ok(DecoratorKind::Repeater {
        count: if forever { None } else { Some(count.unwrap_or(Amount::Literal(1))) },
        end_on_failure,
    })
}

fn times(spot: &Spot<'_>) -> Read<Amount<u32>> {
    Amount::read(spot, |s| s.int("a number of times"))
}
