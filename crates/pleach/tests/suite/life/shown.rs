//! What people are shown of agents, nodes and errors.

use crate::support::{Game, World};

use pleach_core::nodes::{Abort, action, check, condition, idle, log, reactive_selector, selector, sequence, wait};
use pleach_core::{
    AgentId, Completion, Forest, Spawn, Status, Tree,
    error::{AccessError, AddTreeError, SchemaError},
    nodes::Node,
    schema::Scope,
};

fn says(status: Status) -> Node<Game> {
    action(move |_| status)
}

fn forest_of(tree: Tree<Game>) -> (Forest<Game>, AgentId, World) {
    let (mut forest, mut world) = (Forest::new(1), World::default());
    let tree = forest.add_tree(tree).unwrap();
    let agent = forest.spawn(&mut world, tree).unwrap();
    (forest, agent, world)
}

/// Why not the node of this name: all lines except the first, without their prefixes.
fn why_not(forest: &Forest<Game>, agent: AgentId, name: &str) -> Vec<String> {
    let it = forest.agent(agent).unwrap();
    let why = it.why_not(it.tree().find_one(name).unwrap().id()).unwrap().to_string();
    why.lines().skip(1).map(|it| it.trim().to_owned()).collect()
}

#[test]
fn why_not_lists_what_would_run_before() {
    let mut builder = Tree::<Game>::builder("wolf");
    let keys = ["scared", "full", "sees"].map(|it| builder.key(it, true));
    let branch = |name: &str, key: &str| sequence([check(key), idle()]).named(name).aborts(Abort::BOTH);
    let [shy, digest, attack] = [branch("shy", "scared"), branch("digest", "full"), branch("attack", "sees")];
    let look = sequence([says(Status::Failure), idle()]).named("look");
    let roam = idle().named("roam");
    let (mut forest, agent, mut world) = forest_of(builder.build(selector([shy, digest, look, attack, roam])).unwrap());
    forest.tick(&mut world, 0.1).unwrap();
    let unknown = "unknown  n7 Sequence \"look\": how it ends is known only when it runs";
    let expected = [
        "behind   n1 Sequence \"shy\" runs, and comes first",
        "before   n4 Sequence \"digest\": n5 Check(full) holds (full = true)",
        unknown,
    ];
    assert_eq!(why_not(&forest, agent, "attack"), expected);
    // A condition that does not hold is not an obstacle, and nodes to the left have been tried.
    forest.keys_mut(agent).unwrap().set(keys[0], false);
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(why_not(&forest, agent, "attack"), ["behind   n4 Sequence \"digest\" runs, and comes first", unknown]);
    // But a watched condition comes back.
    forest.keys_mut(agent).unwrap().set(keys[0], true);
    let shy = "before   n1 Sequence \"shy\": n2 Check(scared) holds (scared = true)";
    assert!(why_not(&forest, agent, "attack").contains(&shy.to_owned()));
    for key in keys {
        forest.keys_mut(agent).unwrap().set(key, false);
    }
    forest.tick(&mut world, 0.1).unwrap();
    let passed = "passed   n0 Selector runs n13 Idle \"roam\"; a change of n2 Check(scared) or n5 Check(full) or n11 Check(sees) brings it back";
    let requires = "requires n11 Check(sees): is failure (sees = false)";
    assert_eq!(why_not(&forest, agent, "attack"), [passed, requires], "nothing else is in the way");
    forest.keys_mut(agent).unwrap().set(keys[1], true);
    assert_eq!(
        why_not(&forest, agent, "attack"),
        [passed, "before   n4 Sequence \"digest\": n5 Check(full) holds (full = true)", requires]
    );
}

#[test]
fn why_not_lists_actions_that_only_running_tells() {
    let attack = sequence([says(Status::Failure).named("see"), log("seen"), idle().named("bite")]).named("attack");
    let (mut forest, agent, mut world) =
        forest_of(Tree::builder("wolf").build(selector([attack, idle().named("roam")])).unwrap());
    forest.tick(&mut world, 0.1).unwrap();
    let passed =
        "passed   n0 Selector runs n5 Idle \"roam\"; no watched condition will bring it back until it restarts";
    let unknown = "unknown  n2 Action \"see\": how it ends is known only when it runs";
    assert_eq!(why_not(&forest, agent, "bite"), [passed, unknown]);

    let hidden = condition(|_| false).named("hidden");
    let root =
        reactive_selector([hidden, says(Status::Failure).named("see"), wait(9.0).named("rest"), idle().named("roam")]);
    let (forest, agent, _) = forest_of(Tree::builder("wolf").build(root).unwrap());
    let expected = [
        "unknown  n1 Condition \"hidden\": how it ends is known only when it runs",
        "unknown  n2 Action \"see\": how it ends is known only when it runs",
        "before   n3 Wait(9 s) \"rest\" comes first",
    ];
    assert_eq!(why_not(&forest, agent, "roam"), expected);
}

#[test]
fn an_agent_between_two_runs_is_shown_as_such() {
    let tree = || Tree::<Game>::builder("t").build(sequence([wait(0.1), log("x")])).unwrap();
    let (mut forest, agent, mut world) = forest_of(tree());
    let shown = |forest: &Forest<Game>, agent| forest.agent(agent).unwrap().inspect().to_string();
    assert_eq!(shown(&forest, agent), "(not started)");
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(shown(&forest, agent), "Wait");
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(shown(&forest, agent), "(between runs, last: success)");
    forest.agent_mut(agent).unwrap().pause(&mut world);
    assert_eq!(shown(&forest, agent), "(Paused)");
    let tree = forest.add_tree(tree()).unwrap();
    let once = forest.spawn_with(&mut world, tree, Spawn { completion: Completion::Stop, ..Spawn::default() }).unwrap();
    (0..3).for_each(|_| assert!(forest.tick(&mut world, 0.1).is_ok()));
    assert_eq!(shown(&forest, once), "(Off)");
}

#[test]
fn services_are_named() {
    let root = sequence([idle()])
        .named("hunt")
        .with_service(0.5, says(Status::Success).of_kind("KeepPrey"))
        .with_service(0.0, says(Status::Success));
    let (mut forest, agent, mut world) = forest_of(Tree::builder("wolf").build(root).unwrap());
    let kinds: Vec<_> = forest.agent(agent).unwrap().tree().root().service_kinds().collect();
    assert_eq!(kinds, ["KeepPrey", "Action"]);
    forest.tick(&mut world, 0.1).unwrap();
    let told = forest.agent(agent).unwrap().explain().to_string();
    let left: Vec<_> = told.lines().filter(|it| it.contains("left ")).collect();
    assert_eq!(left, ["  left     service KeepPrey of n0 Sequence \"hunt\": 0.500 s"]);
}

#[test]
fn agents_and_groups_are_listed() {
    let tree = |grouped| {
        let mut builder = Tree::<Game>::builder("t");
        if grouped {
            builder.key_in(Scope::Group, "plan", 1_i64);
        }
        builder.build(idle()).unwrap()
    };
    let (mut forest, mut world) = (Forest::new(1), World::default());
    assert_eq!((forest.agents().count(), forest.groups().count()), (0, 0));
    let [one, other] = [false, true].map(|it| forest.add_tree(tree(it)).unwrap());
    let groups = [(); 3].map(|()| forest.new_group());
    let trees = [other, one, other, one];
    let agents = trees.map(|it| forest.spawn(&mut world, it).unwrap());
    assert_eq!(forest.agents().collect::<Vec<_>>(), [agents[1], agents[3], agents[0], agents[2]]);
    assert!(forest.agent(agents[0]).unwrap().group().is_some(), "one of its own, which is not listed");
    assert_eq!(forest.groups().collect::<Vec<_>>(), groups);
    forest.group_mut(groups[1]).unwrap().remove();
    assert_eq!(forest.groups().collect::<Vec<_>>(), [groups[0], groups[2]]);
}

#[test]
fn errors_are_readable_where_main_returns_them() {
    let tree = |night: bool| {
        let mut builder = Tree::<Game>::builder("wolf");
        builder.key_in(Scope::Global, "night", night);
        builder.build(idle()).unwrap()
    };
    let mut forest = Forest::<Game>::new(1);
    forest.add_tree(tree(true)).unwrap();
    let error: AddTreeError = forest.add_tree(tree(false)).unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
    assert!(error.to_string().contains("night"), "{error}");
    let error = SchemaError::OtherWords { name: "hunger".into(), word: "mad".into() };
    assert_eq!(format!("{error:?}"), error.to_string());
    assert_eq!(format!("{:?}", AccessError::Key(error.clone())), error.to_string());
}
