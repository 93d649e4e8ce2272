//! Tests of games.

use pleach::{
    BlackboardType, Entity, Key, Status,
    nodes::{self, Node},
    schema::Scope,
};

use super::*;
use crate::map::Map;
use crate::world::{ActorSpec, Skill};

fn tree(name: &str, root: Node<Arena>, keys: &[(&str, pleach::Value)]) -> Arc<Tree<Arena>> {
    let mut builder = Tree::builder(name);
    for (key, value) in keys {
        builder.declare(Scope::Agent, key, (*value).into());
    }
    builder.build(root).unwrap().into()
}

fn idle(name: &str) -> Arc<Tree<Arena>> {
    tree(name, nodes::idle(), &[])
}

#[test]
fn a_demo_is_of_the_kind_that_the_tree_is_for() {
    for (name, kind) in [
        ("guard", Kind::Guard),
        ("City Guard", Kind::Guard),
        ("rabbit", Kind::Rabbit),
        ("fighter", Kind::Fighter),
        ("bt1", Kind::Guard),
    ] {
        let game = Game::new(idle(name), 7, 1).unwrap();
        let actors: Vec<_> = game.agents().iter().map(|agent| game.actor_of(*agent).unwrap()).collect();
        assert_eq!(actors.len(), 7, "{name}");
        for (agent, actor) in game.agents().iter().zip(&actors) {
            assert_eq!(game.world.kind(*actor), Some(kind), "{name}");
            assert_eq!(game.cast.agent_of(*actor), Some(*agent));
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let game = |tree| Game::new(tree, 1, 1);
    assert_eq!(Game::new(idle("a"), MAX_ACTORS, 1).unwrap_err(), GameError::TooMany(MAX_ACTORS));
    assert_eq!(Game::new(idle("a"), usize::MAX, 1).unwrap_err(), GameError::TooMany(usize::MAX));
    assert!(Game::new(idle("a"), 0, 1).unwrap().frame(0.1).is_ok(), "no agents are no problem");
    let wrong = game(tree("a", nodes::idle(), &[("health", true.into())])).unwrap_err();
    assert!(
        matches!(&wrong, GameError::Sensor(_)) && wrong.to_string().contains("`health` of type Float, which is Bool")
    );
    let world = World::demo(&Demo::new(1)).unwrap();
    let gone = ActorId::default();
    let stale = Game::with_world(idle("a"), world, &[gone], 1).unwrap_err();
    assert_eq!(stale, GameError::Stale(gone));
    let mut game = game(idle("a")).unwrap();
    let digest = game.world.digest();
    for dt in [f32::NAN, f32::INFINITY, -1.0, f32::MAX] {
        assert!(game.frame(dt).is_err(), "{dt}");
    }
    assert_eq!(game.world.digest(), digest);
}

#[test]
fn sensors_write_what_a_tree_declares() {
    let keys = [
        ("health", 0.0_f32.into()),
        ("pos", [0.0_f32; 2].into()),
        ("sees_player", false.into()),
        ("player", Entity::NONE.into()),
        ("player_pos", [0.0_f32; 2].into()),
    ];
    let tree = tree("guard", nodes::idle(), &keys);
    let mut world = World::new(Map::open([40.0, 40.0]).unwrap(), 1);
    let guard = world.spawn(&ActorSpec::guard([10.0, 10.0])).unwrap();
    let player = world.spawn(&ActorSpec::player([14.0, 10.0])).unwrap();
    let mut game = Game::with_world(Arc::clone(&tree), world, &[guard], 1).unwrap();
    let agent = game.agents()[0];
    game.world.use_skill(player, guard, &Skill { range: 9.0, ..Skill::PLAYER }).unwrap();
    game.frame(0.1).unwrap();
    fn read<V: BlackboardType>(game: &Game, tree: &Tree<Arena>, name: &str) -> V {
        let key: Key<V> = tree.key(name).unwrap();
        game.forest.keys(game.agents()[0]).unwrap().get(key)
    }
    assert_eq!(read::<f32>(&game, &tree, "health"), 0.85);
    assert_eq!(read::<[f32; 2]>(&game, &tree, "pos"), [10.0, 10.0]);
    assert!(read::<bool>(&game, &tree, "sees_player"));
    assert_eq!(read::<Entity>(&game, &tree, "player"), player.to_entity());
    game.world.place(player, [6.0, 10.0]).unwrap();
    game.frame(0.1).unwrap();
    assert!(!read::<bool>(&game, &tree, "sees_player"), "behind");
    assert_eq!(read::<Entity>(&game, &tree, "player"), Entity::NONE);
    assert_eq!(read::<[f32; 2]>(&game, &tree, "player_pos"), [14.0, 10.0], "where it was last seen");
    game.with_forest(|forest, cx| forest.agent_mut(agent).map(|it| it.despawn(cx))).unwrap();
    game.world.make_noise([10.0, 10.0], 5.0, None).unwrap();
    assert_eq!(game.frame(0.1).unwrap(), FrameReport::default(), "an agent that is gone hears nothing");
}

#[test]
fn a_tree_is_replaced_with_its_sensors() {
    let (old, new) = (idle("guard"), tree("guard", nodes::idle(), &[("health", 0.0_f32.into())]));
    let mut game = Game::new(old, 3, 1).unwrap();
    game.frame(0.1).unwrap();
    let wrong = tree("guard", nodes::idle(), &[("health", true.into())]);
    assert!(matches!(game.replace_tree(wrong, &mut NoTracer), Err(GameError::Sensor(_))));
    let report = game.replace_tree(Arc::clone(&new), &mut NoTracer).unwrap();
    assert_eq!((report.agents_kept, report.agents_restarted), (3, 0));
    game.frame(0.1).unwrap();
    let key: Key<f32> = new.key("health").unwrap();
    assert_eq!(game.forest.keys(game.agents()[2]).unwrap().get(key), 1.0);
}

#[test]
fn noises_and_words_are_counted_and_kept() {
    let root = nodes::selector([
        nodes::sequence([nodes::on_event("noise"), nodes::log("what was that?"), nodes::emit("alert")]),
        nodes::action(|_| Status::Success),
    ]);
    let mut game = Game::new(tree("guard", root, &[]), 1, 1).unwrap();
    let agent = game.agents()[0];
    let at = game.world.position(game.actor_of(agent).unwrap()).unwrap();
    game.world.make_noise(at, 5.0, None).unwrap();
    assert_eq!(game.frame(0.1).unwrap().events, 2, "one heard, one emitted");
    assert_eq!(game.journal.entries().len(), 0, "they were not asked for");
    game.journal.set_room(3);
    for _ in 0..3 {
        game.world.make_noise(at, 5.0, None).unwrap();
        game.frame(0.1).unwrap();
    }
    let said: Vec<_> = game.journal.entries().map(|entry| matches!(entry.said, crate::Said::Emitted(_))).collect();
    assert_eq!(said, [true, false, true], "the latest three");
    assert_eq!(game.frame(0.1).unwrap().events, 0, "a noise is told once");
}

#[test]
fn several_trees_have_agents_in_one_game() {
    let keys = [("sees_player", false.into())];
    let (guards, rabbits) = (tree("guard", nodes::idle(), &keys), tree("rabbit", nodes::idle(), &[]));
    let mut world = World::new(Map::open([40.0, 40.0]).unwrap(), 1);
    let guard = world.spawn(&ActorSpec::guard([10.0, 10.0])).unwrap();
    let rabbit = world.spawn(&ActorSpec::rabbit([30.0, 30.0])).unwrap();
    world.spawn(&ActorSpec::player([14.0, 10.0])).unwrap();
    let mut forest = Forest::new(1);
    let ids = [forest.add_tree(Arc::clone(&guards)).unwrap(), forest.add_tree(rabbits).unwrap()];
    let none = Game::with_forest_of(Forest::new(1), world.clone(), &[]).unwrap_err();
    assert_eq!(none, GameError::Trees(0));
    let foreign = Game::with_forest_of(Forest::new(1), world.clone(), &[(ids[0], &[guard])]).unwrap_err();
    assert!(matches!(foreign, GameError::NoTree(_)), "{foreign}");
    let mut game = Game::with_forest_of(forest, world, &[(ids[0], &[guard]), (ids[1], &[rabbit])]).unwrap();
    assert_eq!((game.trees().collect::<Vec<_>>(), game.tree()), (ids.to_vec(), ids[0]));
    let sees: Key<bool> = guards.key("sees_player").unwrap();
    let saw = |game: &Game| game.forest.keys(game.agents()[0]).unwrap().get(sees);

    // It is the first of two agents, so it looks with the first of two shares.
    game.perceive_share(Share { part: 1, of: 2 }).unwrap();
    assert!(!saw(&game));
    game.perceive_share(Share { part: 2, of: 2 }).unwrap();
    assert!(saw(&game));
    game.think_within(0.1, Budget::Agents(1), &mut NoTracer).unwrap();
    let tick = game.frame(0.1).unwrap().tick;
    assert_eq!(tick.ticked + tick.asleep, 2);

    // As a library does: replaces trees of the forest directly.
    let wrong = tree("guard", nodes::idle(), &[("health", true.into())]);
    game.with_forest(|forest, cx| forest.replace_tree(cx, ids[0], wrong)).unwrap();
    assert!(matches!(game.trees_changed(), Err(GameError::Sensor(_))));
    game.frame(0.1).unwrap();
    game.with_forest(|forest, cx| forest.replace_tree(cx, ids[0], guards)).unwrap();
    assert_eq!(game.trees_changed(), Ok(()));
    game.frame(0.1).unwrap();
    assert!(saw(&game));
}

#[test]
fn the_registry_says_what_the_arena_writes_in_its_own_trees_and_in_no_others() {
    let source =
        |name: &str, key: &str| format!("Tree(version: 1, name: \"{name}\", blackboard: {{ {key} }}, root: Idle)");
    let check = |name: &str, key: &str| {
        let loaded = pleach::check_str("a.ron", &source(name, key), &crate::registry());
        loaded.map_or_else(|report| report.plain(), |(_, report)| report.plain())
    };
    for name in ["guard", "fighter", "veteran", "sentinel", "warden"] {
        // Nothing in the tree reads it, but the arena writes it.
        assert_eq!(check(name, "\"health\": Float(1.0)"), "", "{name}");
        let wrong = check(name, "\"health\": Int(1)");
        assert!(
            wrong.contains("the game relies on the agent key `health` of type Float, which is Int in this tree"),
            "{wrong}"
        );
        assert!(check(name, "").is_empty(), "each key is optional");
    }
    let own = check("mine", "\"health\": Int(1)");
    assert!(own.contains("warning[P1014]: the key `health` is not used") && !own.contains("error"), "{own}");

    let (mut library, registry) = (pleach::Library::open(TREES).unwrap(), crate::registry());
    assert!(library.check_all(&registry).is_empty());
    let tree = library.load("veteran.ron", &registry).unwrap();
    let schema = tree.schema();
    let writes = |at: usize| tree.key_use(pleach::expr::KeyIndex::new(at).unwrap()).is_some_and(|it| it.writes());
    let written: Vec<&str> = schema.keys().enumerate().filter(|it| writes(it.0)).map(|it| it.1.name()).collect();
    assert_eq!(written, ["health", "pos", "target", "target_pos"]);
}

const TREES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees");
