//! `replay --find`, `--event` and `--where`: searches a recording for what agents did.

use std::collections::BTreeSet;
use std::sync::Arc;

use pleach::expr::Expr;
use pleach::handles::AgentRef;
use pleach::record::{Given, Replay};
use pleach::tools::names::nearest;
use pleach::tools::text::plain;
use pleach::trace::TraceEvent;
use pleach::{AgentId, NodeId, NodeRef, Outcome, Symbol, Tree, Value};
use serde_json::json;

use super::{NEAR, cut_off, gone};
use crate::args::{Ended, Format, ReplayArgs};
use crate::failure::Failure;
use crate::out::Out;
use crate::paint::{FAINT, GOOD, RESET, STRONG};
use crate::paths::shown;
use crate::progress::bar;
use crate::stage::{self, Stage};
use crate::words::{grouped, plural};

/// How many places are printed; of more, half of them are the first and half the last.
const TOLD: usize = 10;

/// What is looked for, in one of the trees.
struct Sought {
    tree: Arc<Tree<Stage>>,
    /// The nodes that are meant; of `--where` alone, none.
    nodes: Vec<NodeId>,
    condition: Option<Expr>,
}

/// An agent, and the node to which it happened; none of an event or an expression.
type Hit = (AgentId, Option<NodeId>);

/// Finds starts and ends of nodes. As in tests, a composite has started when it got past its
/// conditions: when an action in it starts, or when it succeeds.
struct Watch<'s> {
    sought: &'s [Sought],
    ended: Option<Ended>,
    /// Composites that run and have not got past their conditions.
    begun: BTreeSet<(AgentId, NodeId)>,
}

impl Watch<'_> {
    /// The nodes to which what is looked for happened.
    fn happened(&mut self, agent: &AgentRef<'_, Stage>, event: TraceEvent) -> Vec<NodeId> {
        let (id, tree) = (agent.agent(), agent.tree());
        let Some(sought) = of(self.sought, agent) else { return Vec::new() };
        let is_sought = |node: NodeId| sought.nodes.contains(&node);
        let (mut started, mut ended) = (Vec::new(), None);
        match event {
            TraceEvent::Start(node) => {
                let Some(it) = tree.node(node) else { return Vec::new() };
                let is_leaf = it.children().len() == 0;
                if is_leaf && !it.is_condition() {
                    let above = std::iter::successors(it.parent(), |it| it.parent()).map(NodeRef::id);
                    started.extend(above.filter(|it| self.begun.remove(&(id, *it))));
                }
                if is_leaf && is_sought(node) {
                    started.push(node);
                } else if is_sought(node) {
                    self.begun.insert((id, node));
                }
            }
            TraceEvent::End(node, outcome) if is_sought(node) => {
                let is_past = !self.begun.remove(&(id, node));
                if !is_past && outcome == Outcome::Success {
                    started.push(node);
                }
                let is_so = match self.ended {
                    Some(Ended::Success) => outcome == Outcome::Success,
                    Some(Ended::Failure) => outcome == Outcome::Failure && is_past,
                    _ => false,
                };
                ended = is_so.then_some(node);
            }
            TraceEvent::Aborted(node, _) if is_sought(node) => {
                let is_past = !self.begun.remove(&(id, node));
                ended = (is_past && self.ended == Some(Ended::Aborted)).then_some(node);
            }
            _ => {}
        }
        if self.ended.is_some() { ended.into_iter().collect() } else { started }
    }
}

/// Where it was found.
struct Place {
    frame: u64,
    time: f64,
    agent: u32,
    /// The node, and how it is called.
    node: Option<(NodeId, String)>,
}

/// Searches the recording, and prints what it has found.
///
/// # Errors
/// A node or a key is in no tree; the recording is damaged; nothing was found.
pub(super) fn search(replay: &mut Replay<Stage>, args: &ReplayArgs, out: &mut Out) -> Result<(), Failure> {
    let sought = sought(replay, args)?;
    let (mut places, mut damage) = (Vec::new(), None);
    let bar = bar(replay.len());
    let mut held: BTreeSet<AgentId> = BTreeSet::new();
    let mut watch = Watch { sought: &sought, ended: args.ended, begun: BTreeSet::new() };
    loop {
        let found: Vec<Hit> = if args.find.is_some() {
            let mut happened = Vec::new();
            let found = replay.find_next(&mut (), |agent, event| {
                let nodes = watch.happened(agent, event);
                let is_so = !nodes.is_empty() && of(&sought, agent).is_some_and(|it| holds(it, agent));
                happened.extend(nodes.into_iter().filter(|_| is_so).map(|it| (agent.agent(), Some(it))));
                is_so
            });
            match found {
                Ok(found) if found.is_empty() => break,
                Ok(_) => happened,
                Err(error) => {
                    damage = Some(error.to_string());
                    break;
                }
            }
        } else {
            match replay.step(&mut ()) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    damage = Some(error.to_string());
                    break;
                }
            }
            match &args.event {
                Some(event) => told(replay, &sought, event),
                None => became(replay, &sought, &mut held),
            }
        };
        bar.set_position(replay.played());
        let time = replay.forest().time();
        if args.to.is_some_and(|it| time > it + NEAR) {
            break;
        }
        if args.from.is_some_and(|it| time < it - NEAR) || found.is_empty() {
            continue;
        }
        note(replay, args, &sought, &found, &mut places);
    }
    bar.finish_and_clear();
    let ends = replay.forest().time();
    // What is damaged behind the end of the search does not matter to it.
    let is_over = args.to.is_some_and(|it| ends >= it - NEAR);
    let damage = damage.or_else(|| cut_off(replay)).filter(|_| !is_over);
    if places.is_empty() && damage.is_none() {
        nowhere(replay, args, ends)?;
    }
    match args.format {
        Format::Text => out.say(format_args!("{}", in_words(&places, args)))?,
        Format::Json => out.say(format_args!("{:#}\n", written(&places)))?,
    }
    match damage {
        Some(damage) => Err(Failure::Failed(format!("`{}`: {damage}", shown(&args.file)))),
        None if places.is_empty() => Err(Failure::Problems),
        None => Ok(()),
    }
}

/// # Errors
/// The search was for an agent or a time that the recording does not have.
fn nowhere(replay: &Replay<Stage>, args: &ReplayArgs, ends: f64) -> Result<(), Failure> {
    let mut wrong = Vec::new();
    if let Some(from) = args.from.filter(|it| *it > ends + NEAR) {
        wrong.push(format!("--from {from}: the recording ends at {ends:.3} s"));
    }
    if let Some(number) = args.agent.filter(|it| replay.agent(*it).is_none()) {
        wrong.push(gone(number, None, replay));
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Usage(wrong.join("\n  "))) }
}

/// The nodes and expressions that are meant in each tree that has them.
fn sought(replay: &Replay<Stage>, args: &ReplayArgs) -> Result<Vec<Sought>, Failure> {
    let (mut sought, mut wrong) = (Vec::new(), Vec::new());
    for tree in replay.trees() {
        let nodes = match &args.find {
            Some(name) => stage::nodes(tree, &stage::paths(tree), name).map_err(|it| format!("--find: {it}")),
            None => Ok(Vec::new()),
        };
        let condition = args.condition.as_ref().map(|it| stage::test(tree, it)).transpose();
        let schema = tree.schema();
        if let Some(event) = &args.event
            && schema.has_only_declared_events()
            && !schema.events().any(|it| it.name() == event)
        {
            let names = schema.events().map(|it| it.name());
            let help = nearest(event, names).map(|it| format!(": did you mean `{}`?", plain(it))).unwrap_or_default();
            wrong.push(format!("--event: the tree `{}` has no event `{}`{help}", plain(tree.name()), plain(event)));
            continue;
        }
        match (nodes, condition.map_err(|it| format!("--where: {it}"))) {
            (Ok(nodes), Ok(condition)) => sought.push(Sought { tree: Arc::clone(tree), nodes, condition }),
            (nodes, condition) => wrong.extend(nodes.err().into_iter().chain(condition.err())),
        }
    }
    wrong.dedup();
    if sought.is_empty() && !wrong.is_empty() { Err(Failure::Usage(wrong.join("\n  "))) } else { Ok(sought) }
}

fn of<'s>(sought: &'s [Sought], agent: &AgentRef<'_, Stage>) -> Option<&'s Sought> {
    sought.iter().find(|it| Arc::ptr_eq(&it.tree, agent.tree()))
}

fn holds(sought: &Sought, agent: &AgentRef<'_, Stage>) -> bool {
    sought.condition.as_ref().is_none_or(|it| agent.eval(it) == Value::Bool(true))
}

/// The agents for which the expression is true, and was not after the frame before.
fn became(replay: &Replay<Stage>, sought: &[Sought], held: &mut BTreeSet<AgentId>) -> Vec<Hit> {
    let forest = replay.forest();
    let agents = forest.trees().filter_map(|it| forest.population(it).ok()).flat_map(|it| it.agents());
    let now = agents.filter(|it| {
        forest.agent(*it).is_ok_and(|agent| of(sought, &agent).is_some_and(|sought| holds(sought, &agent)))
    });
    let now: BTreeSet<AgentId> = now.collect();
    let new = now.difference(held).map(|it| (*it, None)).collect();
    *held = now;
    new
}

/// The agents that were told of an event in the frame that was played last.
fn told(replay: &Replay<Stage>, sought: &[Sought], event: &str) -> Vec<Hit> {
    let name = Symbol::new(event);
    let is_told = |it: &&(AgentId, Given)| matches!(it.1, Given::Event(event) if event.name() == name);
    let told = replay.given().iter().filter(is_told);
    let is_so = |id: &AgentId| {
        let agent = replay.forest().agent(*id);
        agent.is_ok_and(|agent| of(sought, &agent).is_some_and(|it| holds(it, &agent)))
    };
    told.map(|it| it.0).filter(is_so).map(|it| (it, None)).collect()
}

/// Notes what was found in the frame that was played last.
fn note(replay: &Replay<Stage>, args: &ReplayArgs, sought: &[Sought], found: &[Hit], places: &mut Vec<Place>) {
    let (frame, time) = (replay.frame(), replay.forest().time());
    let ids: BTreeSet<AgentId> = found.iter().map(|it| it.0).collect();
    let numbers: Vec<(u32, AgentId)> =
        replay.agents().filter_map(|(number, id)| Some((number, id.filter(|it| ids.contains(it))?))).collect();
    for &(id, node) in found {
        let Some(&(agent, _)) = numbers.iter().find(|it| it.1 == id) else { continue };
        if args.agent.is_some_and(|it| it != agent) {
            continue;
        }
        let tree = replay.forest().agent(id).ok().and_then(|it| of(sought, &it)).map(|it| &it.tree);
        let node = node.zip(tree).and_then(|(node, tree)| Some((node, tree.node(node)?.to_string())));
        places.push(Place { frame, time, agent, node });
    }
}

/// What was found, for people.
fn in_words(places: &[Place], args: &ReplayArgs) -> String {
    let what = match (&args.find, args.ended) {
        (Some(node), None) => format!("`{}` started", plain(node)),
        (Some(node), Some(Ended::Success)) => format!("`{}` succeeded", plain(node)),
        (Some(node), Some(Ended::Failure)) => format!("`{}` failed", plain(node)),
        (Some(node), Some(Ended::Aborted)) => format!("`{}` was aborted", plain(node)),
        (None, _) if args.event.is_some() => format!("`{}` came", plain(args.event.as_deref().unwrap_or_default())),
        (None, _) => format!("`{}` became true", plain(args.condition.as_deref().unwrap_or_default())),
    };
    let with = match (args.find.as_ref().or(args.event.as_ref()), &args.condition) {
        (Some(_), Some(condition)) => format!(" where `{}`", plain(condition)),
        _ => String::new(),
    };
    let Some(last) = places.last() else { return format!("{what}{with}: never\n") };
    let agents: BTreeSet<u32> = places.iter().map(|it| it.agent).collect();
    let by = if args.agent.is_some() { String::new() } else { format!(", {}", plural(agents.len(), "agent")) };
    let mut text = format!("{STRONG}{what}{with}{RESET}: {}{by}\n", plural(places.len(), "time"));
    let (first, rest) = if places.len() > TOLD {
        (&places[..TOLD / 2], &places[places.len() - TOLD / 2..])
    } else {
        (places, &places[..0])
    };
    first.iter().for_each(|it| text.push_str(&line(it)));
    if !rest.is_empty() {
        let between = u64::try_from(places.len() - TOLD).unwrap_or(u64::MAX);
        text.push_str(&format!("{FAINT}  … {} more{RESET}\n", grouped(between)));
        rest.iter().for_each(|it| text.push_str(&line(it)));
    }
    text.push_str(&format!("Why the last one: {GOOD}--agent {} --frame {} --explain{RESET}\n", last.agent, last.frame));
    text
}

fn line(it: &Place) -> String {
    let node = it.node.as_ref().map(|it| format!(": {}", it.1)).unwrap_or_default();
    format!("  frame {}, {:.3} s, agent {}{node}\n", it.frame, it.time, it.agent)
}

/// The same for programs.
fn written(places: &[Place]) -> serde_json::Value {
    let agents: BTreeSet<u32> = places.iter().map(|it| it.agent).collect();
    let all: Vec<serde_json::Value> = places
        .iter()
        .map(|it| {
            let node = it.node.as_ref().map(|it| it.0.to_string());
            json!({ "frame": it.frame, "time_s": super::json::rounded(it.time), "agent": it.agent, "node": node })
        })
        .collect();
    json!({ "times": places.len(), "agents": agents.len(), "found": all })
}
