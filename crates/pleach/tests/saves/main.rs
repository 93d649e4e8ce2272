//! Saves (SEMANTICS 11.1 to 11.3, 11.5). The conformance suite tests that random crowds, too,
//! continue in the same way.

mod asleep;
mod brains;
mod damaged;
mod edited;
mod end_of_time;
mod other_trees;
mod panicked;
mod refused;
mod same;
mod some;
#[path = "../support/lib.rs"]
mod support;
mod turns;
mod versions;

use pleach_core::nodes::{
    action_of, check, cooldown, log, parallel, random_selector, repeat, selector, sequence, wait,
};
use pleach_core::{
    Action, AgentId, Event, Forest, GroupId, Keep, Rate, Save, Spawn, Status, Symbol, Tree,
    nodes::{Abort, Node},
    schema::{KeyDefault, Scope},
    trace::Recorder,
};
use serde::{Deserialize, Serialize};
use support::{Cx, Game, World};

/// A walk that knows how far it has come, and has a handle of the game that no save holds.
struct Walk;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Walked {
    steps: u32,
    far: Option<f32>,
    mood: Mood,
    seen: Vec<AgentId>,
    #[serde(skip)]
    handle: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
enum Mood {
    #[default]
    Calm,
    Afraid {
        of: Symbol,
    },
}

impl Action<Game> for Walk {
    type State = Walked;
    const KEEP: Keep<Walked> = Keep::cloned().saved();

    fn awake(&self, state: &mut Walked, cx: &mut Cx<'_, '_>) {
        state.handle = Some(cx.host.count);
        cx.host.log.push("walk awake".into());
    }
    fn restored(&self, state: &mut Walked, cx: &mut Cx<'_, '_>) {
        assert_eq!(state.handle, None);
        state.handle = Some(cx.host.count);
        cx.host.log.push(format!("walk restored at {}", state.steps));
    }
    fn update(&self, state: &mut Walked, cx: &mut Cx<'_, '_>) -> Status {
        assert!(state.handle.is_some(), "it has its handle");
        state.steps += 1;
        state.far = (state.steps > 1).then_some(f32::NAN);
        state.mood = if state.steps > 2 { Mood::Afraid { of: Symbol::new("wolf") } } else { Mood::Calm };
        state.seen.push(cx.agent());
        cx.host.log.push(format!("step {}", state.steps));
        Status::Running
    }
    fn end(&self, _: &mut Walked, cx: &mut Cx<'_, '_>, _: pleach_core::End) {
        cx.host.log.push("walk end".into());
    }
}

fn walk() -> Node<Game> {
    action_of(Walk).of_kind("Walk")
}

fn words() -> KeyDefault {
    KeyDefault::Symbol("calm".into(), vec!["calm".into(), "angry".into()])
}

/// A guard with everything that an agent can have: keys of all scopes, a watched condition, waits,
/// stacks.
fn guard() -> Tree<Game> {
    let mut builder = Tree::<Game>::builder("guard");
    builder.key("alarm", false);
    builder.key("spot", [0.0_f32, 1.0]);
    builder.declare(Scope::Agent, "mood", words());
    builder.key_in(Scope::Group, "plan", 1_i64);
    builder.key_in(Scope::Global, "hour", 6.0_f32);
    let flee = sequence([check("alarm"), wait(0.35)]).aborts(Abort::LOWER_PRIORITY);
    let rest = sequence([random_selector([wait(0.55), wait(0.25)]), cooldown(0.3, log("rested"))]);
    builder.build(selector([flee, parallel([walk(), repeat(3, rest)])])).unwrap()
}

/// A forest with five guards, each in a different state.
fn lived() -> (Forest<Game>, World, GroupId, Vec<AgentId>) {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(3);
    let tree = forest.add_tree(guard()).unwrap();
    let alarm = forest.tree(tree).unwrap().key::<bool>("alarm").unwrap();
    let squad = forest.new_group();
    let spawn = Spawn { group: Some(squad), ..Spawn::default() };
    let gone: Vec<AgentId> = (0..4).map(|_| forest.spawn(&mut world, tree).unwrap()).collect();
    let agents: Vec<AgentId> = (0..6).map(|_| forest.spawn_with(&mut world, tree, spawn).unwrap()).collect();
    for at in [2, 0, 3, 1] {
        forest.agent_mut(gone[at]).unwrap().despawn(&mut world);
    }
    for _ in 0..4 {
        forest.tick(&mut world, 0.1).unwrap();
    }
    forest.keys_mut(agents[1]).unwrap().set(alarm, true);
    forest.keys_mut(agents[1]).unwrap().set_value("spot", [f32::NAN, f32::INFINITY]).unwrap();
    forest.keys_mut(agents[2]).unwrap().set_value("mood", Symbol::new("angry")).unwrap();
    forest.agent_mut(agents[2]).unwrap().send(Event::new("noise").with(3_i64)).unwrap();
    forest.agent_mut(agents[3]).unwrap().set_rate(Rate::every(3).unwrap());
    forest.agent_mut(agents[4]).unwrap().pause(&mut world);
    forest.agent_mut(agents[5]).unwrap().disable(&mut world);
    forest.group_mut(squad).unwrap().keys_mut().set_value("plan", 7_i64).unwrap();
    forest.globals_mut().set_value("hour", 9.5_f32).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    world.take();
    (forest, world, squad, agents)
}

/// What it does next, in all lines, with new agents and groups.
fn follow(
    forest: &mut Forest<Game>,
    agents: &[AgentId],
    squad: GroupId,
) -> (AgentId, GroupId, Vec<String>, Vec<String>) {
    let (mut world, mut recorder) = (World::default(), Recorder::all());
    let tree = forest.trees().next().unwrap();
    let mut facts = Vec::new();
    let spawned = forest.spawn(&mut world, tree).unwrap();
    let grown = forest.new_group();
    for _ in 0..12 {
        forest.traced(&mut recorder).tick(&mut world, 0.1).unwrap();
        let facts_of = |it: &AgentId| {
            let agent = forest.agent(*it).unwrap();
            let keys = format!("{:?} {:?}", agent.keys().value("spot"), agent.keys().value("mood"));
            format!("{:?} {:?} {} {keys}", agent.phase(), agent.last_outcome(), agent.explain())
        };
        facts.extend(agents.iter().map(facts_of));
    }
    facts.push(format!("{:?}", forest.group(squad).unwrap().keys().value("plan")));
    facts.push(format!("{:?} {}", forest.globals().value("hour"), forest.time()));
    let lines = recorder.take().iter().map(ToString::to_string).collect();
    facts.extend(world.take());
    (spawned, grown, lines, facts)
}

fn through_ron(save: &Save) -> Save {
    let text = ron::ser::to_string_pretty(save, ron::ser::PrettyConfig::default()).unwrap();
    ron::from_str(&text).unwrap()
}

fn through_json(save: &Save) -> Save {
    serde_json::from_str(&serde_json::to_string(save).unwrap()).unwrap()
}

fn through_postcard(save: &Save) -> Save {
    postcard::from_bytes(&postcard::to_stdvec(save).unwrap()).unwrap()
}

fn new_forest() -> Forest<Game> {
    let mut forest = Forest::new(99);
    forest.add_tree(guard()).unwrap();
    forest
}
