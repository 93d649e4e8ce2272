//! Saves of brains (SEMANTICS 12.2). Random lives and the conformance suite test that random trees,
//! too, continue in the same way.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pleach_core::error::{Damage, RestoreError, SaveError};
use pleach_core::nodes::{action_of, idle, log, parallel, selector, sequence, succeed, wait};
use pleach_core::schema::{KeyFinder, Scope};
use pleach_core::{
    Action, Brain, BrainSave, End, Entity, Event, Forest, Keep, Key, KeySet, Phase, Save, Spawn, Status, Symbol, Tree,
    trace::Recorder,
};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::support::{Cx, Game, World, probe};
use crate::{guard, lived, walk};

/// A guard in the middle of everything that a guard does.
fn lived_brain() -> (Brain<Game>, World) {
    let mut world = World::default();
    let spawn = Spawn { entity: Entity::from_bits(12), ..Spawn::default() };
    let mut brain = Brain::spawn_with(&mut world, guard(), 3, spawn);
    for _ in 0..4 {
        brain.tick(&mut world, 0.1).unwrap();
    }
    brain.keys_mut().set_value("spot", [f32::NAN, f32::INFINITY]).unwrap();
    brain.keys_mut().set_value("mood", Symbol::new("angry")).unwrap();
    brain.keys_mut().set_value("group.plan", 7_i64).unwrap();
    brain.keys_mut().set_value("global.hour", 9.5_f32).unwrap();
    brain.tick(&mut world, 0.1).unwrap();
    brain.send(Event::new("noise").with(3_i64)).unwrap();
    world.take();
    (brain, world)
}

/// A brain of another seed, into which a save can come.
fn other_brain() -> Brain<Game> {
    Brain::new(&mut World::default(), guard(), 99)
}

/// What it does next, in all lines.
fn follow(brain: &mut Brain<Game>) -> (Vec<String>, Vec<String>) {
    let (mut world, mut recorder, mut facts) = (World::default(), Recorder::all(), Vec::new());
    for frame in 0..12 {
        if frame == 6 {
            brain.keys_mut().set_value("alarm", true).unwrap();
        }
        brain.traced(&mut recorder).tick(&mut world, 0.1).unwrap();
        let keys = ["spot", "mood", "group.plan", "global.hour"].map(|it| brain.keys().value(it));
        facts.push(format!("{:?} {} {keys:?} {}", brain.phase(), brain.explain().unwrap(), brain.time()));
    }
    facts.extend(world.take());
    (recorder.take().iter().map(ToString::to_string).collect(), facts)
}

fn bytes(brain: &Brain<Game>) -> Vec<u8> {
    postcard::to_stdvec(&brain.save().unwrap()).unwrap()
}

fn formats(save: &BrainSave) -> [BrainSave; 4] {
    [
        save.clone(),
        ron::from_str(&ron::to_string(save).unwrap()).unwrap(),
        // JSON has no NaN, which a state of this brain contains; states are bytes there.
        postcard::from_bytes(&postcard::to_stdvec(save).unwrap()).unwrap(),
        ron::from_str(&ron::ser::to_string_pretty(save, ron::ser::PrettyConfig::default()).unwrap()).unwrap(),
    ]
}

#[test]
fn what_follows_a_save_of_a_brain_is_the_same_in_every_format() {
    let (mut brain, _) = lived_brain();
    let save = brain.save().unwrap();
    assert_eq!((save.tree(), save.time()), ("guard", brain.time()));
    let (saves, before, id) = (formats(&save), bytes(&brain), brain.agent());
    let first = follow(&mut brain);
    assert!(first.0.len() > 50 && first.1.iter().any(|it| it == "n12 says rested"), "{first:?}");
    for save in saves {
        let (mut again, mut world) = (other_brain(), World::default());
        let report = again.restore(&mut world, &save).unwrap();
        assert_eq!(report.to_string(), "guard: 1 agent kept running, 0 restarted; 7 nodes kept");
        assert_eq!(world.take(), ["walk restored at 5"]);
        assert_eq!(
            (again.agent(), again.entity(), again.inspect().unwrap().mail.len()),
            (id, Entity::from_bits(12), 1)
        );
        assert!(bytes(&again) == before, "the same is saved again");
        assert_eq!(follow(&mut again), first);
    }
}

#[test]
fn a_brain_is_restored_as_what_it_was_paused_off_finished_or_panicked() {
    let changes: [fn(&mut Brain<Game>, &mut World); 4] = [
        |brain, world| brain.pause(world),
        |brain, world| brain.disable(world),
        |brain, _| brain.set_completion(pleach_core::Completion::Stop),
        |brain, world| {
            // The walk has lost its handle.
            let save = brain.save().unwrap();
            let tree = selector([action_of(Forgets), walk()]);
            brain.replace_tree(world, Tree::builder("guard").build(tree).unwrap()).unwrap();
            assert!(catch_unwind(AssertUnwindSafe(|| brain.tick(world, 0.1))).is_err());
            brain.replace_tree(world, guard()).unwrap();
            drop(save);
        },
    ];
    for change in changes {
        let (mut brain, mut world) = lived_brain();
        change(&mut brain, &mut world);
        let mut again = other_brain();
        again.restore(&mut world, &brain.save().unwrap()).unwrap();
        assert_eq!((again.phase(), again.last_outcome()), (brain.phase(), brain.last_outcome()));
        assert!(bytes(&again) == bytes(&brain));
        for it in [&mut brain, &mut again] {
            it.unpause(&mut world);
            it.enable(&mut world);
        }
        assert_eq!(follow(&mut again), follow(&mut brain));
    }
}

/// Panics in its update.
struct Forgets;

impl Action<Game> for Forgets {
    type State = ();
    fn update(&self, (): &mut (), _: &mut Cx<'_, '_>) -> Status {
        panic!("in update")
    }
}

#[test]
fn under_another_version_of_its_tree_a_brain_goes_on_as_far_as_it_can() {
    let tree = |root| Tree::builder("guard").build(root).unwrap();
    let (mut world, old) = (World::default(), tree(selector([sequence([succeed(), walk()]), idle()])));
    let mut brain = Brain::new(&mut world, old, 1);
    for _ in 0..3 {
        brain.tick(&mut world, 0.1).unwrap();
    }
    let save = brain.save().unwrap();
    let restored = |new| {
        let mut world = World::default();
        let mut again = Brain::new(&mut world, tree(new), 2);
        world.take();
        let report = again.restore(&mut world, &save).unwrap().to_string();
        let told = world.take();
        again.tick(&mut world, 0.1).unwrap();
        (report, told, world.take())
    };
    let (report, told, next) = restored(selector([sequence([succeed(), log("more"), walk()]), idle()]));
    assert_eq!(report, "guard: 1 agent kept running, 0 restarted; 3 nodes kept");
    assert_eq!((told, next), (vec!["walk restored at 3".to_owned()], vec!["step 4".to_owned()]));
    // No `end` is called for nodes that are not kept.
    let (report, told, _) = restored(selector([sequence([succeed(), wait(1.0)]), idle()]));
    assert!(report.starts_with("guard: 0 agents kept running, 1 restarted"), "{report}");
    assert_eq!(told, Vec::<String>::new());
}

#[test]
fn the_agent_that_was_there_ends_when_another_is_restored() {
    let save = lived_brain().0.save().unwrap();
    let (mut brain, mut world) = lived_brain();
    brain.restore(&mut world, &save).unwrap();
    assert_eq!(world.take(), ["walk end", "walk restored at 5"]);
    // One that was despawned has ended.
    brain.despawn(&mut world);
    assert!(matches!(brain.save(), Err(SaveError::Stale(_))));
    world.take();
    brain.restore(&mut world, &save).unwrap();
    assert_eq!((world.take(), brain.phase()), (vec!["walk restored at 5".to_owned()], Phase::Active));
}

#[test]
fn what_the_agent_that_was_there_requested_is_dropped() {
    let root = || {
        probe("leaf", |call, cx| {
            if matches!(call, crate::support::Call::End(_)) {
                let me = cx.agent();
                cx.despawn(me);
                cx.send(me, Event::new("late"));
            }
            Status::Running
        })
    };
    let tree = || Tree::builder("leaf").build(root().of_kind("Leaf")).unwrap();
    let mut world = World::default();
    let [mut one, mut other] = [(); 2].map(|()| Brain::new(&mut world, tree(), 5));
    other.tick(&mut world, 0.1).unwrap();
    one.restore(&mut world, &other.save().unwrap()).unwrap();
    other.restore(&mut world, &one.save().unwrap()).unwrap();
    assert_eq!(other.phase(), Phase::Active);
    assert!(other.inspect().unwrap().mail.is_empty());
}

#[test]
fn a_save_for_a_brain_of_another_tree_is_refused() {
    let save = lived_brain().0.save().unwrap();
    let mut world = World::default();
    let mut dog = Brain::new(&mut world, Tree::builder("dog").build(wait(1.0)).unwrap(), 1);
    dog.tick(&mut world, 0.1).unwrap();
    let before = bytes(&dog);
    let error = dog.restore(&mut world, &save).unwrap_err();
    assert_eq!(error, RestoreError::Tree { save: "guard".into(), here: "dog".into() });
    assert_eq!(
        error.to_string(),
        "the save is of a brain with the tree \"guard\", and this one has the tree \"dog\": make a brain of that tree, \
         and restore the save there"
    );
    assert!(bytes(&dog) == before);
}

/// Writes one, and reads it as the other.
fn taken<A: Serialize, B: DeserializeOwned>(save: &A) -> [String; 3] {
    let text = |it: Result<B, String>| it.map(|_| ()).unwrap_err();
    [
        text(ron::from_str::<B>(&ron::to_string(save).unwrap()).map_err(|it| it.to_string())),
        text(serde_json::to_value(save).and_then(serde_json::from_value::<B>).map_err(|it| it.to_string())),
        text(postcard::from_bytes::<B>(&postcard::to_stdvec(save).unwrap()).map_err(|it| it.to_string())),
    ]
}

#[test]
fn a_save_of_a_forest_is_none_of_a_brain_and_the_reverse() {
    let (forest, brain) = (lived().0, lived_brain().0);
    let [ron, json, _] = taken::<Save, BrainSave>(&forest.save().unwrap());
    for text in [ron, json] {
        assert!(text.contains("the word `brain`, which begins a brain's save"), "{text}");
    }
    let [ron, json, _] = taken::<BrainSave, Save>(&brain.save().unwrap());
    for text in [ron, json] {
        assert!(text.contains("the version of a forest's save"), "{text}");
    }
    // A false claim: agents of a forest after the word.
    let mut world = World::default();
    let mut other = other_brain();
    for save in [forest.save().unwrap(), forest.save_agents(forest.agents().take(1)).unwrap()] {
        let mut json = serde_json::to_value(brain.save().unwrap()).unwrap();
        json[2] = serde_json::to_value(&save).unwrap()[1].take();
        let save: BrainSave = serde_json::from_value(json).unwrap();
        let error = other.restore(&mut world, &save).unwrap_err().to_string();
        assert!(error.starts_with("the save is damaged") && error.ends_with(&Damage::NotABrain.to_string()), "{error}");
    }
    let json = serde_json::to_string(&brain.save().unwrap()).unwrap();
    assert!(json.starts_with("[\"brain\",3,{"), "{}", &json[..40]);
    let error = serde_json::from_str::<BrainSave>(&json.replacen(",3,", ",9,", 1)).unwrap_err().to_string();
    assert!(error.starts_with("the save is of version 9, and this game reads versions up to"), "{error}");
}

/// Restores what can be read, and lets it live. Returns what happened to it.
fn try_out(bytes: &[u8]) -> &'static str {
    let Ok(save) = postcard::from_bytes::<BrainSave>(bytes) else { return "unreadable" };
    let (mut brain, mut world) = (other_brain(), World::default());
    let before = postcard::to_stdvec(&brain.save().unwrap()).unwrap();
    if let Err(error) = brain.restore(&mut world, &save) {
        assert!(!error.to_string().is_empty());
        let after = postcard::to_stdvec(&brain.save().unwrap()).unwrap();
        assert_eq!((after == before, world.log.len()), (true, 0), "it is as it was");
        return "refused";
    }
    for _ in 0..12 {
        brain.tick(&mut world, 0.1).unwrap();
    }
    brain.save().unwrap();
    "restored"
}

#[test]
fn a_damaged_save_of_a_brain_is_never_a_panic() {
    let whole = bytes(&lived_brain().0);
    assert_eq!(try_out(&whole), "restored");
    for end in 0..whole.len() {
        assert_eq!(try_out(&whole[..end]), "unreadable", "{end} of {}", whole.len());
    }
    let number = |name, or| std::env::var(name).ok().map_or(or, |it| it.parse::<u64>().expect("a number"));
    let (mut random, mut counts) = (number("PLEACH_SEED", 7), std::collections::BTreeMap::new());
    for _ in 0..number("PLEACH_COUNT", 10_000) {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(random >> 20).unwrap() % (whole.len() * 8);
        let mut bytes = whole.clone();
        bytes[at / 8] ^= 1 << (at % 8);
        *counts.entry(try_out(&bytes)).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 3, "{counts:?}");
}

#[test]
fn a_save_of_a_brain_that_was_edited_tells_what_is_wrong() {
    type Edit = fn(&mut serde_json::Value);
    let save = lived_brain().0.save().unwrap();
    let edits: [(Edit, Damage); 9] = [
        (|it| it["trees"] = serde_json::json!([]), Damage::NotABrain),
        (|it| it["whole"] = serde_json::Value::Null, Damage::NotABrain),
        (|it| it["trees"][0]["agents"][0]["id"] = ((1_u64 << 32) + 2).into(), Damage::NotABrain),
        (|it| it["trees"][0]["agents"] = serde_json::json!([]), Damage::NotABrain),
        (|it| it["groups"][0]["own"] = false.into(), Damage::NotABrain),
        (|it| it["groups"][0]["id"] = 5_u64.into(), Damage::GroupIds),
        (|it| it["groups"][0]["members"] = serde_json::json!([7]), Damage::Members),
        (|it| it["time"] = u64::MAX.into(), Damage::Time),
        (|it| it["trees"][0]["nodes"][0]["kind"] = "Chooser".into(), Damage::UnknownKind),
    ];
    for (edit, what) in edits {
        let mut json = serde_json::to_value(&save).unwrap();
        edit(&mut json[2]);
        let (mut brain, mut world) = (other_brain(), World::default());
        match brain.restore(&mut world, &serde_json::from_value(json).unwrap()) {
            Err(RestoreError::Damaged { what: found, .. }) => assert_eq!(found, what),
            other => panic!("{what:?}: {other:?}"),
        }
        assert_eq!((brain.time(), world.take()), (0.0, vec![]));
    }
}

thread_local! {
    /// What a [`Fuse`] does next: panics or fails while it is written or read, or in a callback.
    static BLOWS: Cell<&'static str> = const { Cell::new("") };
}

#[derive(Clone, Default)]
struct Fuse(u8);

impl Serialize for Fuse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        assert!(BLOWS.get() != "serialize", "in serialize");
        if BLOWS.get() == "written" {
            return Err(serde::ser::Error::custom("it is wet"));
        }
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Fuse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        assert!(BLOWS.get() != "deserialize", "in deserialize");
        let length = u8::deserialize(deserializer)?;
        if BLOWS.get() == "read" { Err(D::Error::custom("it is wet")) } else { Ok(Fuse(length)) }
    }
}

struct Burn;

impl Action<Game> for Burn {
    type State = Fuse;
    const KEEP: Keep<Fuse> = Keep::cloned().saved();
    fn restored(&self, Fuse(length): &mut Fuse, cx: &mut Cx<'_, '_>) {
        cx.host.log.push(format!("restored {length}"));
        assert!(BLOWS.get() != "restored", "in restored");
    }
    fn update(&self, Fuse(length): &mut Fuse, _: &mut Cx<'_, '_>) -> Status {
        *length += 1;
        Status::Running
    }
    fn end(&self, _: &mut Fuse, cx: &mut Cx<'_, '_>, end: End) {
        cx.host.log.push(format!("{end:?}"));
        assert!(BLOWS.get() != "end", "in end");
    }
}

fn burning() -> (Brain<Game>, World) {
    let mut world = World::default();
    let mut builder = Tree::builder("fire");
    builder.key("heat", 0_i64);
    let mut brain = Brain::new(&mut world, builder.build(action_of(Burn).of_kind("Burn")).unwrap(), 1);
    brain.tick(&mut world, 0.1).unwrap();
    (brain, world)
}

fn blown<R>(what: &'static str, call: impl FnOnce() -> R) -> bool {
    BLOWS.set(what);
    let blown = catch_unwind(AssertUnwindSafe(call)).is_err();
    BLOWS.set("");
    blown
}

#[test]
fn a_leaf_that_panics_or_fails_while_a_brain_is_saved_or_read_changes_nothing() {
    let (mut brain, mut world) = burning();
    let save = brain.save().unwrap();
    brain.tick(&mut world, 0.1).unwrap();
    let before = bytes(&brain);
    assert!(blown("serialize", || brain.save()));
    BLOWS.set("written");
    let error = brain.save().unwrap_err().to_string();
    assert!(error.starts_with("the state of the leaf Burn of the tree \"fire\" in AgentId("), "{error}");
    assert!(blown("deserialize", || brain.restore(&mut world, &save)));
    BLOWS.set("read");
    let error = brain.restore(&mut world, &save).unwrap_err().to_string();
    BLOWS.set("");
    assert_eq!(error, "the saved state of the leaf Burn of the tree \"fire\" cannot be read: it is wet");
    assert!(bytes(&brain) == before);
    assert_eq!(world.take(), Vec::<String>::new());
}

#[test]
fn a_brain_is_panicked_whose_leaf_panics_in_restored_and_keeps_the_rest() {
    let (mut brain, mut world) = burning();
    brain.keys_mut().set_value("heat", 4_i64).unwrap();
    let save = brain.save().unwrap();
    let (mut again, _) = burning();
    assert!(blown("restored", || again.restore(&mut world, &save)));
    assert_eq!((again.phase(), again.keys().value("heat")), (Phase::Panicked, Ok(4_i64.into())));
    assert_eq!(world.take(), ["Aborted(Despawned)", "restored 1"]);
    again.enable(&mut world);
    assert_eq!(again.phase(), Phase::Active);
}

#[test]
fn a_brain_is_restored_though_the_end_of_the_agent_before_panics() {
    let (brain, mut world) = burning();
    let save = brain.save().unwrap();
    let (mut again, _) = burning();
    assert!(blown("end", || again.restore(&mut world, &save)));
    assert_eq!((again.phase(), world.take()), (Phase::Active, vec!["Aborted(Despawned)".into(), "restored 1".into()]));
    assert!(bytes(&again) == bytes(&brain));
}

/// Remembers something that is not saved.
struct Mute;

impl Action<Game> for Mute {
    type State = u8;
    const KEEP: Keep<u8> = Keep::cloned();
    fn update(&self, _: &mut u8, _: &mut Cx<'_, '_>) -> Status {
        Status::Running
    }
}

#[test]
fn a_brain_with_leaves_that_are_not_saved_names_them() {
    let mut world = World::default();
    let tree = Tree::builder("one").build(parallel([action_of(Mute), action_of(Mute), idle()])).unwrap();
    let brain = Brain::new(&mut world, tree, 1);
    let error = brain.save().unwrap_err().to_string();
    let says = "cannot be saved: saves::brains::Mute in the tree \"one\"; let their states derive `Clone`, `serde";
    assert!(error.contains(says), "{error}");
    assert!(brain.snapshot().is_ok(), "it can be cloned");
}

#[test]
fn a_brain_whose_requests_wait_is_saved_after_the_next_tick() {
    let mut world = World::default();
    let root = probe("blow", |call, cx| {
        if call == crate::support::Call::Update && cx.host.count == 0 {
            cx.host.count = 1;
            cx.restart();
            panic!("after a request");
        }
        Status::Running
    });
    let mut brain = Brain::new(&mut world, Tree::builder("x").build(root).unwrap(), 1);
    assert!(catch_unwind(AssertUnwindSafe(|| brain.tick(&mut world, 0.1))).is_err());
    assert_eq!(brain.save().unwrap_err(), SaveError::Waiting);
    brain.tick(&mut world, 0.1).unwrap();
    assert!(brain.save().is_ok());
}

#[test]
fn a_brain_with_the_group_of_an_earlier_tree_keeps_it() {
    let mut world = World::default();
    let with = || {
        let mut builder = Tree::<Game>::builder("guard");
        builder.key_in(Scope::Group, "plan", 1_i64);
        Arc::new(builder.build(idle()).unwrap())
    };
    let without = || Arc::new(Tree::<Game>::builder("guard").build(idle()).unwrap());
    let mut brain = Brain::new(&mut world, with(), 4);
    brain.replace_tree(&mut world, without()).unwrap();
    let save = brain.save().unwrap();
    // From a tree with group keys into one without, and the reverse.
    for tree in [with(), without()] {
        let mut again = Brain::new(&mut world, tree, 9);
        again.restore(&mut world, &save).unwrap();
        again.replace_tree(&mut world, with()).unwrap();
        assert_eq!(again.keys_mut().set_value("group.plan", 2_i64), Ok(true));
        let mut last = Brain::new(&mut world, with(), 9);
        last.restore(&mut world, &again.save().unwrap()).unwrap();
        assert_eq!(last.keys().value("group.plan"), Ok(2_i64.into()));
        let agent = last.agent();
        let forest = Forest::<Game>::new(4);
        assert!(!forest.contains(agent));
    }
}

/// The key that the game relies on.
struct Tired(Key<bool>);

impl KeySet for Tired {
    fn find(keys: &mut KeyFinder<'_>) -> Option<Self> {
        keys.key("tired", Scope::Agent, None, "").map(Tired)
    }
}

#[test]
fn keys_that_are_bound_to_a_brain_stay_bound_after_a_restore_and_a_rollback() {
    let version = |key| {
        let mut builder = Tree::<Game>::builder("sleeper");
        builder.key(key, false);
        builder.build(idle()).unwrap()
    };
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, version("tired"), 7);
    let (save, snapshot) = (brain.save().unwrap(), brain.snapshot().unwrap());
    let Tired(key) = brain.bind().unwrap();
    for is_saved in [true, false] {
        if is_saved {
            brain.restore(&mut world, &save).unwrap();
        } else {
            brain.rollback(&snapshot).unwrap();
        }
        assert_eq!(brain.key_needs().len(), 1);
        assert!(brain.replace_tree(&mut world, version("sleepy")).is_err());
        assert!(brain.keys_mut().set(key, true));
    }
}
