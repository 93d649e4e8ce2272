//! All kinds of hosts: contexts that borrow, brains in structs, several hosts and trees at once,
//! every kind of `dt`.

use pleach_core::limits::MAX_DT;
use pleach_core::nodes::{action, emit, log, sequence, wait};
use pleach_core::{Brain, Context, Event, Forest, Host, Outcome, Phase, Status, Tree, error::DtError};

/// A game's data. None of it is shared, reference-counted or locked.
struct World {
    steps: Vec<String>,
    score: u32,
}

struct Game;
struct GameCx<'a> {
    name: &'a str,
    world: &'a mut World,
}
impl Host for Game {
    type Cx<'a> = GameCx<'a>;

    fn on_emit(cx: &mut GameCx<'_>, _: pleach_core::AgentId, event: Event) {
        cx.world.steps.push(format!("{} hears {:?}", cx.name, event.value()));
    }
    fn on_log(cx: &mut GameCx<'_>, _: pleach_core::AgentId, _: pleach_core::NodeId, text: &str) {
        cx.world.steps.push(text.to_owned());
    }
}

#[test]
fn a_context_borrows_the_world_mutably() {
    let name = String::from("mill");
    let mut builder = Tree::<Game>::builder("worker");
    let done = builder.key("done", 0_i64);
    let tree = builder
        .build(sequence([
            action(move |cx: &mut Context<'_, '_, Game>| {
                cx.host.world.score += 1;
                let so_far = cx.get(done);
                cx.set(done, so_far + 1);
                Status::Success
            }),
            emit("done").payload("done"),
            log("worked"),
        ]))
        .unwrap();
    let mut forest = Forest::<Game>::new(0);
    let id = forest.add_tree(tree).unwrap();
    let mut world = World { steps: Vec::new(), score: 0 };
    {
        let mut cx = GameCx { name: &name, world: &mut world };
        forest.spawn(&mut cx, id).unwrap();
        forest.tick(&mut cx, 0.1).unwrap();
        forest.tick(&mut cx, 0.1).unwrap();
    }
    assert_eq!(world.score, 2);
    assert_eq!(world.steps, ["mill hears Some(Int(1))", "worked", "mill hears Some(Int(2))", "worked"]);
}

struct Plain;
impl Host for Plain {
    type Cx<'a> = u32;
}

/// A struct of the host with a brain inside.
struct Enemy {
    brain: Brain<Plain>,
    health: u32,
}

#[test]
fn brains_live_in_structs_and_know_nothing_of_each_other() {
    let mut builder = Tree::<Plain>::builder("enemy");
    let mood = builder.key("mood", 0.0_f32);
    let shared = builder.key_in(pleach_core::schema::Scope::Global, "shared", 0_i64);
    let tree = builder
        .build(sequence([
            wait(0.5),
            action(|cx: &mut Context<'_, '_, Plain>| {
                *cx.host += 1;
                Status::Success
            }),
        ]))
        .unwrap();
    let tree = std::sync::Arc::new(tree);
    let mut hits = 0;
    let mut enemies: Vec<Enemy> = (0..3)
        .map(|seed| Enemy { brain: Brain::new(&mut hits, std::sync::Arc::clone(&tree), seed), health: 3 })
        .collect();
    enemies[0].brain.keys_mut().set(mood, 0.5);
    enemies[0].brain.keys_mut().set(shared, 7);
    assert_eq!((enemies[0].brain.keys().get(mood), enemies[1].brain.keys().get(mood)), (0.5, 0.0));
    assert_eq!((enemies[0].brain.keys().get(shared), enemies[1].brain.keys().get(shared)), (7, 0));
    for enemy in &mut enemies {
        assert_eq!(enemy.brain.tick(&mut hits, 0.25), Ok(None));
        assert_eq!(enemy.brain.tick(&mut hits, 0.25), Ok(None));
        assert_eq!(enemy.brain.tick(&mut hits, 0.25), Ok(Some(Outcome::Success)));
        assert_eq!(enemy.brain.phase(), Phase::Active);
        enemy.health -= 1;
    }
    assert_eq!(hits, 3);
    assert_eq!(enemies.iter().map(|it| it.health).sum::<u32>(), 6);
}

#[test]
fn a_brain_whose_leaf_despawns_it_is_off() {
    let tree = Tree::<Plain>::builder("moth")
        .build(action(|cx: &mut Context<'_, '_, Plain>| {
            let me = cx.agent();
            cx.despawn(me);
            Status::Success
        }))
        .unwrap();
    let mut brain = Brain::new(&mut 0, tree, 0);
    for _ in 0..2 {
        assert_eq!(brain.tick(&mut 0, 0.1), Ok(None));
        brain.send(Event::new("anyone?")).unwrap();
        assert_eq!((brain.phase(), brain.current().next()), (Phase::Off, None));
        assert!(brain.inspect().is_none());
    }
}

#[test]
fn a_brain_tells_how_its_own_root_ended_and_only_once() {
    let mut hits = 0;
    let once = |ticks| sequence([pleach_core::nodes::wait_ticks(ticks)]);
    let build = |root| Tree::<Plain>::builder("t").build(root).unwrap();
    let mut brain = Brain::new(&mut hits, build(once(2)), 0);
    let mut outcomes = Vec::new();
    for _ in 0..6 {
        assert!(brain.tick(&mut hits, f32::NAN).is_err());
        outcomes.push(brain.tick(&mut hits, 0.1).unwrap());
        let seen = outcomes.iter().flatten().last().copied();
        assert_eq!((brain.last_outcome(), brain.inspect().unwrap().last_outcome), (seen, seen));
    }
    let success = Some(pleach_core::Outcome::Success);
    assert_eq!(outcomes, [None, None, success, None, None, success]);
}

#[test]
fn two_hosts_and_many_trees_side_by_side() {
    let mut plain = Forest::<Plain>::new(0);
    let mut game = Forest::<Game>::new(0);
    let mut world = World { steps: Vec::new(), score: 0 };
    let count: u32 = 40;
    let mut hits = 0;
    for number in 0..count {
        let leaf = action(move |cx: &mut Context<'_, '_, Plain>| {
            *cx.host += number;
            Status::Running
        });
        let id = plain.add_tree(Tree::builder("t").build(leaf).unwrap()).unwrap();
        plain.spawn(&mut hits, id).unwrap();
    }
    let id = game.add_tree(Tree::builder("t").build(log("hello")).unwrap()).unwrap();
    let mut cx = GameCx { name: "w", world: &mut world };
    game.spawn(&mut cx, id).unwrap();
    plain.tick(&mut hits, 0.1).unwrap();
    game.tick(&mut cx, 0.1).unwrap();
    assert_eq!((hits, cx.world.steps.len()), (count * (count - 1) / 2, 1));
    assert_eq!((plain.trees().count(), plain.len()), (40, 40));
}

#[test]
fn senseless_time_is_refused_and_changes_nothing() {
    let leaf = action(|cx: &mut Context<'_, '_, Plain>| {
        *cx.host += 1;
        Status::Running
    });
    let mut forest = Forest::<Plain>::new(0);
    let id = forest.add_tree(Tree::builder("t").build(leaf).unwrap()).unwrap();
    let mut hits = 0;
    let agent = forest.spawn(&mut hits, id).unwrap();
    assert!(matches!(forest.tick(&mut hits, f32::NAN), Err(DtError::NotFinite(_))));
    assert!(matches!(forest.tick(&mut hits, f32::INFINITY), Err(DtError::NotFinite(_))));
    assert!(matches!(forest.tick(&mut hits, f32::NEG_INFINITY), Err(DtError::NotFinite(_))));
    assert!(matches!(forest.tick(&mut hits, -0.001), Err(DtError::Negative(_))));
    assert!(matches!(forest.tick(&mut hits, MAX_DT * 2.0), Err(DtError::TooLong(_))));
    assert_eq!((hits, forest.time()), (0, 0.0));
    // Zero, minus zero, nearly zero, and the largest `dt`.
    for dt in [0.0, -0.0, f32::MIN_POSITIVE, MAX_DT] {
        forest.tick(&mut hits, dt).unwrap();
    }
    assert_eq!(hits, 4);
    // At the end of time (292 years) time stands still, and agents go on (SEMANTICS 8.1).
    for _ in 0..20_000 {
        forest.tick(&mut hits, MAX_DT).unwrap();
    }
    assert_eq!(hits, 20_004);
    forest.agent_mut(agent).unwrap().pause(&mut hits);
    forest.agent_mut(agent).unwrap().unpause(&mut hits);
    forest.spawn(&mut hits, id).unwrap();
    forest.tick(&mut hits, 0.1).unwrap();
    assert_eq!(hits, 20_006);
}

#[test]
fn a_wait_beyond_the_end_of_time_is_never_over() {
    for sleep in [true, false] {
        let mut forest = Forest::<Plain>::new(0);
        forest.configure(|it| it.sleep = sleep);
        for _ in 0..9_223 {
            forest.tick(&mut 0, MAX_DT).unwrap();
        }
        // Half a second is left.
        forest.tick(&mut 0, 372_036.3).unwrap();
        let leaf = action(|cx: &mut Context<'_, '_, Plain>| {
            *cx.host += 1;
            Status::Running
        });
        let id = forest.add_tree(Tree::builder("t").build(sequence([wait(1.0), leaf])).unwrap()).unwrap();
        let mut hits = 0;
        for _ in 0..2 {
            forest.spawn(&mut hits, id).unwrap();
        }
        for _ in 0..4 {
            forest.tick(&mut hits, 1.0).unwrap();
        }
        assert_eq!(hits, 0, "{sleep}");
    }
}
