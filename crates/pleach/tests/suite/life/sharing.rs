//! Keys that brains share (SEMANTICS 12.4).

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use allocation_counter::measure;
use pleach_core::nodes::{action, check, idle, parallel, selector, sequence, set, wait};
use pleach_core::{
    Brain, Entity, Event, Forest, Key, KeySet, Phase, SharedBoard, Spawn, Status, Tree, Value,
    error::Difference,
    nodes::{Abort, Node},
    schema::{KeyDefault, KeyFinder, Scope},
    trace::Recorder,
};
use support::{Cx, Game, World};

/// Says who updates it, and what it sees.
fn says(word: &'static str) -> Node<Game> {
    action(move |cx: &mut Cx<'_, '_>| {
        let line = format!("{} {word} at {:.1}", cx.entity().to_bits(), cx.time());
        cx.host.log.push(line);
        Status::Running
    })
}

/// A guard that hears a noise raises the alarm of its squad, and the whole squad fights until the
/// storm comes.
fn guard() -> Arc<Tree<Game>> {
    let mut builder = Tree::<Game>::builder("guard");
    builder.key("hears", false);
    builder.key_in(Scope::Group, "alarm", false);
    builder.key_in(Scope::Global, "storm", 0_i64);
    let fight = sequence([check("alarm and storm < 3"), says("fights")]).aborts(Abort::BOTH);
    let raise = sequence([check("hears"), set("alarm", "true"), set("storm", "storm + 1"), says("calls")]);
    let look = selector([raise.aborts(Abort::LOWER_PRIORITY), parallel([says("looks"), wait(0.25)])]);
    Arc::new(builder.build(selector([fight, look, idle()])).unwrap())
}

/// What happens to guards in a frame, without their ids.
fn happens(frame: usize, mut set: impl FnMut(usize, &str, bool)) {
    match frame {
        3 => set(2, "hears", true),
        6 => set(2, "hears", false),
        9 => (0..4).for_each(|it| set(it, "hears", it % 2 == 0)),
        _ => {}
    }
}

#[test]
fn brains_that_share_do_what_a_squad_of_a_forest_does() {
    let (mut world, mut own) = (World::default(), World::default());
    let mut forest = Forest::<Game>::new(1);
    forest.configure(|it| it.batched = false);
    let tree = guard();
    let id = forest.add_tree(Arc::clone(&tree)).unwrap();
    let squad = forest.new_group();
    let spawn = |at| Spawn { entity: Entity::from_bits(at), seed: Some(at), ..Spawn::default() };
    let agents: Vec<_> = (0..4)
        .map(|it| forest.spawn_with(&mut world, id, Spawn { group: Some(squad), ..spawn(it) }).unwrap())
        .collect();
    let (mut group, mut global) = (SharedBoard::of_group(&tree), SharedBoard::of_globals(&tree));
    let mut brains: Vec<_> = (0..4).map(|it| Brain::spawn_with(&mut own, Arc::clone(&tree), it, spawn(it))).collect();
    let mut fights = 0;
    for frame in 0..30 {
        happens(frame, |at, key, value| {
            forest.keys_mut(agents[at]).unwrap().set_value(key, value).unwrap();
            brains[at].keys_mut().set_value(key, value).unwrap();
        });
        if frame == 15 {
            forest.group_mut(squad).unwrap().keys_mut().set_value("alarm", false).unwrap();
            group.keys_mut().set_value("alarm", false).unwrap();
        }
        if frame == 20 {
            forest.globals_mut().set_value("storm", -9_i64).unwrap();
            global.keys_mut().set_value("storm", -9_i64).unwrap();
        }
        forest.tick(&mut world, 0.1).unwrap();
        for brain in &mut brains {
            brain.sharing(&mut group).unwrap().sharing(&mut global).unwrap().tick(&mut own, 0.1).unwrap();
        }
        let (lines, expected) = (own.take(), world.take());
        fights += lines.iter().filter(|it| it.contains("fights")).count();
        assert_eq!(lines, expected, "frame {frame}");
        assert_eq!(group.keys().value("alarm"), forest.group(squad).unwrap().keys().value("alarm"));
        assert_eq!(global.keys().value("storm"), forest.globals().value("storm"));
    }
    assert!(fights > 10, "{fights}");
}

#[test]
fn without_the_board_a_brain_sees_what_it_saw_last() {
    let (tree, mut world) = (guard(), World::default());
    let mut squad = SharedBoard::of_group(&tree);
    let mut brain = Brain::new(&mut world, tree, 1);
    squad.keys_mut().set_value("alarm", true).unwrap();
    assert_eq!(brain.keys().value("group.alarm"), Ok(false.into()));
    assert_eq!(brain.sharing(&mut squad).unwrap().keys().value("group.alarm"), Ok(true.into()));
    squad.keys_mut().set_value("alarm", false).unwrap();
    assert_eq!(brain.keys().value("group.alarm"), Ok(true.into()));
    // A value written to the brain alone stays there, and is lost when it shares again.
    brain.keys_mut().set_value("group.alarm", true).unwrap();
    assert_eq!(squad.keys().value("alarm"), Ok(false.into()));
    assert_eq!(brain.sharing(&mut squad).unwrap().keys().value("group.alarm"), Ok(false.into()));
    // This board does not have global keys.
    brain.sharing(&mut squad).unwrap().keys_mut().set_value("global.storm", 5_i64).unwrap();
    assert!(squad.keys().value("storm").is_err());
    assert_eq!(brain.keys().value("global.storm"), Ok(5_i64.into()));
}

#[test]
fn what_a_leaf_wrote_before_it_panicked_is_on_the_board() {
    let mut builder = Tree::<Game>::builder("bomb");
    let alarm = builder.key_in(Scope::Group, "alarm", false);
    let bomb = action(move |cx: &mut Cx<'_, '_>| {
        cx.set(alarm, true);
        panic!("boom")
    });
    let tree = Arc::new(builder.build(bomb).unwrap());
    let (mut world, mut squad) = (World::default(), SharedBoard::of_group(&tree));
    let mut brain = Brain::new(&mut world, tree, 1);
    let tick = AssertUnwindSafe(|| brain.sharing(&mut squad).unwrap().tick(&mut world, 0.1));
    assert!(catch_unwind(tick).is_err());
    assert!(squad.keys().get(alarm));
}

fn dog(default: i64) -> Arc<Tree<Game>> {
    let mut builder = Tree::<Game>::builder("dog");
    builder.key_in(Scope::Group, "alarm", default);
    Arc::new(builder.build(idle()).unwrap())
}

#[test]
fn a_brain_whose_tree_declares_a_shared_key_otherwise_is_refused() {
    let mut world = World::default();
    let mut squad = SharedBoard::of_group(&guard());
    let mut brain = Brain::new(&mut world, dog(4), 1);
    let before = format!("{squad:?}");
    let error = brain.sharing(&mut squad).unwrap_err();
    assert!(matches!(error.difference, Difference::Type(..)), "{error}");
    assert_eq!((&*error.name, error.trees.clone()), ("alarm", ["dog".into(), "guard".into()]));
    assert_eq!(squad.admit(&dog(4)).unwrap_err(), error);
    assert_eq!((format!("{squad:?}"), brain.keys().value("group.alarm")), (before, Ok(4_i64.into())));
    // A brain without such keys shares nothing.
    let mut still = Brain::<Game>::new(&mut world, Tree::builder("still").build(idle()).unwrap(), 1);
    assert!(still.sharing(&mut squad).unwrap().tick(&mut world, 0.1).is_ok());
}

#[test]
fn a_board_follows_a_tree_that_was_reloaded() {
    let mut world = World::default();
    let mut pack = SharedBoard::of_group(&dog(4));
    let mut dogs = [1, 2].map(|it| Brain::new(&mut world, dog(4), it));
    dogs[0].sharing(&mut pack).unwrap().tick(&mut world, 0.1).unwrap();
    // With the board that it shares, and alone.
    dogs[0].sharing(&mut pack).unwrap().replace_tree(&mut world, dog(5)).unwrap();
    dogs[1].replace_tree(&mut world, dog(5)).unwrap();
    assert_eq!(pack.keys().value("alarm"), Ok(4_i64.into()), "the board waits to be told");
    let error = dogs[1].sharing(&mut pack).unwrap_err();
    assert!(matches!(error.difference, Difference::Default(..)), "{error}");
    pack.follow(dogs[0].tree());
    // A key with the old default takes the new one.
    assert_eq!(pack.keys().value("alarm"), Ok(5_i64.into()));
    for dog in &mut dogs {
        assert_eq!(dog.sharing(&mut pack).unwrap().keys().value("group.alarm"), Ok(5_i64.into()));
    }
    pack.keys_mut().set_value("alarm", 9_i64).unwrap();
    pack.follow(&dog(6));
    assert_eq!(pack.keys().value("alarm"), Ok(9_i64.into()), "a value stays");
}

#[test]
fn another_brain_that_is_put_in_the_place_of_one_that_shares_writes_nothing() {
    let (tree, mut world) = (guard(), World::default());
    let mut squad = SharedBoard::of_group(&tree);
    squad.keys_mut().set_value("alarm", true).unwrap();
    let mut brain = Brain::new(&mut world, Arc::clone(&tree), 1);
    let mut sharing = brain.sharing(&mut squad).unwrap();
    *sharing = Brain::new(&mut world, tree, 2);
    drop(sharing);
    assert_eq!(squad.keys().value("alarm"), Ok(true.into()));
}

#[test]
fn an_agent_that_a_rollback_brings_while_it_shares_writes_nothing_to_the_board() {
    let (tree, mut world) = (guard(), World::default());
    let (mut squad, mut all) = (SharedBoard::of_group(&tree), SharedBoard::of_globals(&tree));
    let mut brain = Brain::new(&mut world, tree, 1);
    let before = brain.snapshot().unwrap();
    squad.keys_mut().set_value("alarm", true).unwrap();
    all.keys_mut().set_value("storm", 5_i64).unwrap();
    brain.sharing(&mut squad).unwrap().sharing(&mut all).unwrap().rollback(&before).unwrap();
    assert_eq!((squad.keys().value("alarm"), all.keys().value("storm")), (Ok(true.into()), Ok(5_i64.into())));
    // It sees the board when it shares again, and its writes then go there.
    let mut sharing = brain.sharing(&mut squad).unwrap();
    assert_eq!(sharing.keys().value("group.alarm"), Ok(true.into()));
    sharing.keys_mut().set_value("group.alarm", false).unwrap();
    drop(sharing);
    assert_eq!(squad.keys().value("alarm"), Ok(false.into()));
}

#[cfg(feature = "save")]
#[test]
fn an_agent_that_a_save_brings_while_it_shares_writes_nothing_to_the_board() {
    let (tree, mut world) = (guard(), World::default());
    let mut squad = SharedBoard::of_group(&tree);
    let mut brains = [1, 2].map(|it| Brain::new(&mut world, Arc::clone(&tree), it));
    let saves = brains.each_ref().map(|it| it.save().unwrap());
    squad.keys_mut().set_value("alarm", true).unwrap();
    // Its own earlier save, with which it keeps its id, and that of another agent.
    for save in &saves {
        let mut sharing = brains[0].sharing(&mut squad).unwrap();
        sharing.restore(&mut world, save).unwrap();
        assert_eq!(sharing.keys().value("group.alarm"), Ok(false.into()));
        drop(sharing);
        assert_eq!(squad.keys().value("alarm"), Ok(true.into()));
        assert_eq!(brains[0].sharing(&mut squad).unwrap().keys().value("group.alarm"), Ok(true.into()));
    }
}

/// The key of the squad that the game relies on.
struct PlanKeys {
    plan: Key<i64>,
}

impl KeySet for PlanKeys {
    fn find(keys: &mut KeyFinder<'_>) -> Option<Self> {
        Some(PlanKeys { plan: keys.key("plan", Scope::Group, None, "")? })
    }
}

fn planner(plan: impl Into<KeyDefault>) -> Arc<Tree<Game>> {
    let mut builder = Tree::<Game>::builder("guard");
    builder.declare(Scope::Group, "plan", plan.into());
    Arc::new(builder.build(idle()).unwrap())
}

#[test]
fn brains_that_refuse_a_version_share_the_old_one_and_follow_the_next() {
    let (tree, mut world) = (planner(1_i64), World::default());
    let mut squad = SharedBoard::of_group(&tree);
    let mut brains = [1, 2].map(|it| Brain::new(&mut world, Arc::clone(&tree), it));
    let keys = brains.each_mut().map(|it| it.bind::<PlanKeys>().unwrap());
    for (version, expected) in [(planner(0.5_f32), 1), (planner(2_i64), 2)] {
        for brain in &mut brains {
            if brain.replace_tree(&mut world, Arc::clone(&version)).is_ok() {
                squad.follow(&version);
            }
        }
        for (brain, keys) in brains.iter_mut().zip(&keys) {
            brain.sharing(&mut squad).unwrap().tick(&mut world, 0.1).unwrap();
            assert_eq!((brain.keys().get(keys.plan), squad.keys().get(keys.plan)), (expected, expected));
        }
    }
}

#[test]
fn what_a_board_refuses_names_the_key_and_what_to_call() {
    let mut world = World::default();
    let (old, new) = (planner(1_i64), planner(0.5_f32));
    let plan: Key<i64> = old.key("plan").unwrap();
    let mut squad = SharedBoard::of_group(&old);
    let mut brain = Brain::new(&mut world, Arc::clone(&new), 1);
    assert_eq!(
        brain.sharing(&mut squad).unwrap_err().to_string(),
        "the tree `guard` and the board, which has the key from the tree `guard`, declare the group key `plan` \
         differently: it is Float in the first, and Int in the second; all trees of a board must declare it in the same way: if \
         the tree is a new version, call `follow` with it"
    );
    assert_eq!(
        squad.keys().value("plam").unwrap_err().to_string(),
        "no tree of this board declares the group key `plam`; did you mean `plan`?"
    );
    assert_eq!(
        squad.keys_mut().set_value("alarm", true).unwrap_err().to_string(),
        "no tree of this board declares the group key `alarm`; `admit` a tree that does"
    );
    squad.follow(&new);
    assert_eq!(squad.keys_mut().try_set(plan, 2).unwrap_err().to_string(), "the key `plan` is Float, not Int");
    assert_eq!(panic_text(|| squad.keys().get(plan)), "Key<Int>(group k0): the key `plan` is Float, not Int");
    let mut other = SharedBoard::of_group(&guard());
    let told = "no tree of this board declares this group key; `admit` a tree that does";
    assert_eq!(other.keys_mut().try_set(plan, 2).unwrap_err().to_string(), told);
    assert_eq!(other.keys_mut().try_reset(plan).unwrap_err().to_string(), told);
    assert_eq!(panic_text(|| other.keys().get(plan)), format!("Key<Int>(group k0): {told}"));
    let storm: Key<i64> = guard().key("storm").unwrap();
    let told = "this is a global key, and the call is for group keys";
    assert_eq!(other.keys_mut().try_set(storm, 2).unwrap_err().to_string(), told);
}

fn panic_text<R>(call: impl FnOnce() -> R) -> String {
    let panic = catch_unwind(AssertUnwindSafe(|| drop(call()))).unwrap_err();
    *panic.downcast::<String>().unwrap()
}

#[test]
fn a_call_that_shares_allocates_nothing() {
    let (tree, mut world) = (guard(), World::default());
    let (mut squad, mut all) = (SharedBoard::of_group(&tree), SharedBoard::of_globals(&tree));
    let mut builder = Tree::<Game>::builder("quiet");
    builder.key_in(Scope::Group, "alarm", false);
    builder.key_in(Scope::Global, "storm", 0_i64);
    let quiet = selector([sequence([check("alarm or storm > 2"), idle()]).aborts(Abort::LOWER_PRIORITY), idle()]);
    let mut brain = Brain::new(&mut world, builder.build(quiet).unwrap(), 1);
    let mut play = |squad: &mut SharedBoard| {
        for frame in 0..100 {
            squad.keys_mut().set_value("alarm", frame % 3 == 0).unwrap();
            brain.sharing(squad).unwrap().sharing(&mut all).unwrap().tick(&mut world, 0.1).unwrap();
        }
    };
    play(&mut squad);
    assert_eq!(measure(|| play(&mut squad)).count_total, 0);
}

#[test]
fn a_clone_of_a_board_is_a_snapshot() {
    let (tree, mut world) = (guard(), World::default());
    let mut squad = SharedBoard::of_group(&tree);
    let mut brain = Brain::new(&mut world, tree, 1);
    let before = (squad.clone(), brain.snapshot().unwrap());
    brain.sharing(&mut squad).unwrap().keys_mut().set_value("group.alarm", true).unwrap();
    squad.clone_from(&before.0);
    brain.rollback(&before.1).unwrap();
    assert_eq!(brain.sharing(&mut squad).unwrap().keys().value("group.alarm"), Ok(false.into()));
    brain.sharing(&mut squad).unwrap().send(Event::new("noise")).unwrap();
    assert_eq!(brain.inspect().unwrap().mail.len(), 1);
}

#[test]
fn a_board_is_saved_by_the_names_of_its_keys() {
    use pleach_core::Symbol;

    let words = |all: &[&str]| KeyDefault::Symbol("calm".into(), all.iter().map(|it| (*it).into()).collect());
    let tree = |all: &[&str]| {
        let mut builder = Tree::<Game>::builder("guard");
        builder.key_in(Scope::Group, "alarm", false);
        builder.key_in(Scope::Group, "plan", 1_i64);
        builder.declare(Scope::Group, "mood", words(all));
        builder.build(idle()).unwrap()
    };
    let mut squad = SharedBoard::of_group(&tree(&["calm", "angry"]));
    squad.keys_mut().set_value("alarm", true).unwrap();
    squad.keys_mut().set_value("mood", Symbol::new("angry")).unwrap();
    let text = ron::to_string(&squad).unwrap();
    let json = serde_json::to_string(&squad).unwrap();
    let bytes = postcard::to_stdvec(&squad).unwrap();
    let all: [SharedBoard; 4] = [
        ron::from_str(&text).unwrap(),
        serde_json::from_str(&json).unwrap(),
        postcard::from_bytes(&bytes).unwrap(),
        // Once more, before any tree has declared the keys.
        ron::from_str(&ron::to_string(&ron::from_str::<SharedBoard>(&text).unwrap()).unwrap()).unwrap(),
    ];
    for mut board in all {
        assert!(board.keys().value("alarm").is_err(), "no tree has declared it");
        let mut brain = Brain::new(&mut World::default(), tree(&["calm", "angry"]), 1);
        let keys = brain.sharing(&mut board).unwrap();
        let values = ["alarm", "plan", "mood"].map(|it| keys.keys().value(&format!("group.{it}")).unwrap());
        assert_eq!(values, [true.into(), 1_i64.into(), Symbol::new("angry").into()]);
        drop(keys);
        assert_eq!(ron::to_string(&board).unwrap(), text);
    }
    // The game's own board takes the values, if it has these keys.
    let mut board = SharedBoard::of_group(&tree(&["calm", "angry"]));
    board.restore(ron::from_str(&text).unwrap(), [&tree(&["calm", "angry"])]).unwrap();
    assert_eq!(board.keys().value("alarm"), Ok(true.into()));
    let both = [&tree(&["calm", "angry"]), &tree(&["calm"])];
    let error = board.restore(ron::from_str(&text).unwrap(), both).unwrap_err().to_string();
    assert!(error.contains("the group key `mood`"), "{error}");
    let mut other = SharedBoard::of_globals(&tree(&["calm", "angry"]));
    let error = other.restore(ron::from_str(&text).unwrap(), both).unwrap_err().to_string();
    assert!(error.contains("a board of group keys, and this one is of global keys"), "{error}");
    assert!(other.keys().value("alarm").is_err());
    // A removed word leaves the default.
    let mut board: SharedBoard = ron::from_str(&text).unwrap();
    board.admit(&tree(&["calm"])).unwrap();
    assert_eq!(board.keys().value("mood"), Ok(Symbol::new("calm").into()));
    let error = ron::from_str::<SharedBoard>(&text.replacen("version:3", "version:9", 1)).unwrap_err().to_string();
    assert!(error.contains("the save is of version 9"), "{error}");
    let brain = Brain::<Game>::new(&mut World::default(), tree(&["calm"]), 1);
    let save = serde_json::to_value(brain.save().unwrap()).unwrap();
    assert!(serde_json::from_value::<SharedBoard>(save).is_err());
    for end in 0..bytes.len() {
        assert!(postcard::from_bytes::<SharedBoard>(&bytes[..end]).is_err());
    }
}

/// Idles until a key of the squad or the world says so, or both beside a key of its own.
fn watcher() -> Arc<Tree<Game>> {
    let mut builder = Tree::<Game>::builder("watcher");
    builder.key("hp", 9_i64);
    builder.key_in(Scope::Group, "alarm", false);
    builder.key_in(Scope::Group, "noise", 0_i64);
    builder.key_in(Scope::Global, "storm", 0_i64);
    let fight = sequence([check("group.alarm"), idle()]).aborts(Abort::BOTH);
    let flee = sequence([check("hp < 5 and global.storm > hp"), idle()]).aborts(Abort::BOTH);
    let hide = sequence([check("global.storm > 3"), idle()]).aborts(Abort::BOTH);
    Arc::new(builder.build(selector([fight, flee, hide, idle().named("doze")])).unwrap())
}

#[test]
fn a_brain_sleeps_while_its_board_does_not_change_and_wakes_when_it_does() {
    let tree = watcher();
    let (mut group, mut global) = (SharedBoard::of_group(&tree), SharedBoard::of_globals(&tree));
    let mut brains: Vec<_> = (0..3).map(|it| Brain::new(&mut World::default(), Arc::clone(&tree), it)).collect();
    const NOBODY: [usize; 0] = [];
    /// Which of them log something in a frame.
    fn woken(brains: &mut [Brain<Game>], boards: [&mut SharedBoard; 2]) -> Vec<usize> {
        let [group, global] = boards;
        let prints = |brain: &mut Brain<Game>| {
            let mut recorder = Recorder::all();
            let mut brain = brain.sharing(group).unwrap();
            let mut brain = brain.sharing(global).unwrap();
            brain.traced(&mut recorder).tick(&mut World::default(), 0.1).unwrap();
            !recorder.take().is_empty()
        };
        let all: Vec<bool> = brains.iter_mut().map(prints).collect();
        (0..all.len()).filter(|it| all[*it]).collect()
    }
    let mut frame = |brains: &mut [Brain<Game>], write: &dyn Fn(&mut SharedBoard, &mut SharedBoard)| {
        write(&mut group, &mut global);
        woken(brains, [&mut group, &mut global])
    };
    let nothing = |_: &mut SharedBoard, _: &mut SharedBoard| {};
    frame(&mut brains, &nothing);
    assert_eq!(frame(&mut brains, &nothing), NOBODY);
    assert!(brains.iter().all(|it| it.phase() == Phase::Asleep));
    // A group key, a key that no brain watches, and a value that it already has.
    let put = |board: &mut SharedBoard, name: &str, value: Value| drop(board.keys_mut().set_value(name, value));
    assert_eq!(frame(&mut brains, &|it, _| put(it, "alarm", true.into())), [0, 1, 2]);
    assert_eq!(frame(&mut brains, &nothing), NOBODY);
    assert_eq!(frame(&mut brains, &|it, _| put(it, "noise", 7_i64.into())), NOBODY);
    assert_eq!(frame(&mut brains, &|it, _| put(it, "alarm", true.into())), NOBODY);
    assert_eq!(frame(&mut brains, &|it, _| put(it, "alarm", false.into())), [0, 1, 2]);
    // A global key, compared with a constant and with a key of its own.
    assert_eq!(frame(&mut brains, &|_, it| put(it, "storm", 9_i64.into())), [0, 1, 2]);
    assert_eq!(frame(&mut brains, &|_, it| put(it, "storm", 3_i64.into())), [0, 1, 2]);
    assert_eq!(frame(&mut brains, &nothing), NOBODY);
    // A key of its own.
    let alone = brains[1].keys_mut().set_value("hp", 2_i64);
    assert_eq!(alone, Ok(true));
    assert_eq!(frame(&mut brains, &nothing), [1]);
    assert_eq!(frame(&mut brains, &nothing), NOBODY);
    assert!(brains.iter().all(|it| it.phase() == Phase::Asleep));
    // It sleeps on after a save, and then sees the values of the board.
    {
        let save = brains[2].save().unwrap();
        brains[2] = Brain::new(&mut World::default(), Arc::clone(&tree), 9);
        brains[2].restore(&mut World::default(), &save).unwrap();
        assert_eq!(frame(&mut brains, &nothing), NOBODY);
        brains[2].restore(&mut World::default(), &save).unwrap();
        assert_eq!(frame(&mut brains, &|it, _| put(it, "alarm", true.into())), [0, 1, 2]);
    }
}

#[test]
fn a_sleeping_brain_wakes_when_the_game_writes_its_own_shared_keys() {
    let mut brain = Brain::new(&mut World::default(), watcher(), 1);
    let prints = |brain: &mut Brain<Game>| {
        let mut recorder = Recorder::all();
        brain.traced(&mut recorder).tick(&mut World::default(), 0.1).unwrap();
        !recorder.take().is_empty()
    };
    prints(&mut brain);
    assert!(!prints(&mut brain));
    for (name, value) in [("group.alarm", Value::from(true)), ("global.storm", Value::from(7_i64))] {
        let calm = brain.snapshot().unwrap();
        brain.keys_mut().set_value(name, value).unwrap();
        let written = brain.snapshot().unwrap();
        assert_eq!((prints(&mut brain), prints(&mut brain)), (true, false), "{name}");
        brain.rollback(&written).unwrap();
        assert_eq!((prints(&mut brain), prints(&mut brain)), (true, false), "{name}");
        brain.rollback(&calm).unwrap();
        assert!(!prints(&mut brain), "{name}");
    }
}
