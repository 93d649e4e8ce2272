//! Saves that cannot be made, and those that cannot be restored: an error, and nothing has changed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach_core::error::{RestoreError, RollbackError, SaveError};
use pleach_core::nodes::{action_of, idle, parallel, sequence, wait};
use pleach_core::{Action, Forest, Keep, Phase, Save, Status, Tree};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::support::{Cx, Game, World, probe};
use crate::{lived, new_forest};

/// Remembers something, without a way to save it.
struct Mute;

impl Action<Game> for Mute {
    type State = u8;
    const KEEP: Keep<u8> = Keep::cloned();
    fn update(&self, _: &mut u8, _: &mut Cx<'_, '_>) -> Status {
        Status::Running
    }
}

thread_local! {
    /// Which callback of a [`Fuse`] panics or fails. Tests have a thread each.
    static BLOWS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

fn blows(at: u32) -> bool {
    BLOWS.get() == at
}

#[derive(Clone, Debug, Default)]
struct Fuse {
    length: u8,
}

impl Serialize for Fuse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        assert!(!blows(1), "in serialize");
        if blows(2) { Err(S::Error::custom("it is wet")) } else { self.length.serialize(serializer) }
    }
}

impl<'de> Deserialize<'de> for Fuse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        assert!(!blows(3), "in deserialize");
        let length = u8::deserialize(deserializer)?;
        if blows(4) { Err(D::Error::custom("it is wet")) } else { Ok(Fuse { length }) }
    }
}

struct Burn;

impl Action<Game> for Burn {
    type State = Fuse;
    const KEEP: Keep<Fuse> = Keep::cloned().saved();
    fn restored(&self, _: &mut Fuse, cx: &mut Cx<'_, '_>) {
        cx.host.log.push("restored".into());
        cx.host.count += 1;
        assert!(!blows(5) || cx.host.count != 2, "in restored");
    }
    fn update(&self, _: &mut Fuse, cx: &mut Cx<'_, '_>) -> Status {
        cx.host.log.push("burns".into());
        Status::Running
    }
}

fn burning() -> Forest<Game> {
    let (mut forest, mut world) = (Forest::new(1), World::default());
    let tree = forest.add_tree(Tree::builder("fire").build(action_of(Burn).of_kind("Burn")).unwrap()).unwrap();
    for _ in 0..3 {
        forest.spawn(&mut world, tree).unwrap();
    }
    forest.tick(&mut world, 0.1).unwrap();
    forest
}

fn cold() -> Forest<Game> {
    let mut forest = Forest::new(1);
    forest.add_tree(Tree::builder("fire").build(action_of(Burn).of_kind("Burn")).unwrap()).unwrap();
    forest
}

#[test]
fn leaves_that_do_not_save_what_they_remember_are_all_named() {
    let mut forest = Forest::<Game>::new(1);
    let mut world = World::default();
    for name in ["one", "two"] {
        let root = sequence([action_of(Mute), action_of(Mute), idle()]);
        let tree = forest.add_tree(Tree::builder(name).build(root).unwrap()).unwrap();
        forest.spawn(&mut world, tree).unwrap();
    }
    let error = forest.save().unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot save, because the states of some leaves cannot be saved: saves::refused::Mute in the tree \"one\", \
         saves::refused::Mute in the tree \"two\"; let their states derive `Clone`, `serde::Serialize` and \
         `serde::Deserialize`, and put `#[leaf]` on their `impl` (without `#[leaf]` write `const KEEP: \
         Keep<Self::State> = Keep::cloned().saved();` there)"
    );
    assert!(forest.snapshot().is_ok(), "it can be cloned");
    let agent = forest.population(forest.trees().next().unwrap()).unwrap().agents().next().unwrap();
    assert!(matches!(forest.save_agents([agent]), Err(SaveError::Leaves(all)) if all.len() == 1));
    forest.agent_mut(agent).unwrap().despawn(&mut world);
    assert!(matches!(forest.save_agents([agent]), Err(SaveError::Stale(_))));
}

#[test]
fn a_state_that_cannot_be_written_is_an_error() {
    let forest = burning();
    BLOWS.set(2);
    let error = forest.save().unwrap_err().to_string();
    assert!(error.starts_with("the state of the leaf Burn of the tree \"fire\" in AgentId("), "{error}");
    assert!(error.ends_with("cannot be saved: it is wet"), "{error}");
    BLOWS.set(1);
    assert!(catch_unwind(AssertUnwindSafe(|| forest.save())).is_err());
    BLOWS.set(0);
    assert_eq!(forest.save().unwrap().len(), 3);
}

#[test]
fn a_state_that_cannot_be_read_changes_nothing() {
    let save = burning().save().unwrap();
    let (mut forest, mut world) = (cold(), World::default());
    BLOWS.set(4);
    let error = forest.restore(&mut world, &save).unwrap_err();
    assert_eq!(error.to_string(), "the saved state of the leaf Burn of the tree \"fire\" cannot be read: it is wet");
    BLOWS.set(3);
    assert!(catch_unwind(AssertUnwindSafe(|| forest.restore(&mut world, &save))).is_err());
    BLOWS.set(0);
    assert_eq!((forest.len(), forest.time(), world.take()), (0, 0.0, vec![]));
    forest.restore(&mut world, &save).unwrap();
    assert_eq!(forest.len(), 3);
}

#[test]
fn a_panic_in_restored_stops_its_agent_alone() {
    let save = burning().save().unwrap();
    let (mut forest, mut world) = (cold(), World::default());
    BLOWS.set(5);
    assert!(catch_unwind(AssertUnwindSafe(|| forest.restore(&mut world, &save))).is_err());
    assert_eq!(world.take(), ["restored"; 3]);
    let population = forest.population(forest.trees().next().unwrap()).unwrap();
    let phases: Vec<Phase> = population.agents().map(|it| forest.agent(it).unwrap().phase()).collect();
    assert_eq!(phases, [Phase::Active, Phase::Panicked, Phase::Active]);
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["burns"; 2]);
    // A panicked agent is saved as such.
    BLOWS.set(0);
    let save = forest.save().unwrap();
    let mut forest = cold();
    forest.restore(&mut world, &save).unwrap();
    assert_eq!(world.take(), ["restored"; 2]);
}

#[test]
fn requests_that_wait_are_not_lost() {
    let (mut forest, mut world) = (Forest::<Game>::new(1), World::default());
    let tree = |root| Tree::builder("x").build(root).unwrap();
    let once = probe("blow", |_, cx| {
        if cx.host.count == 0 {
            cx.host.count = 1;
            let me = cx.agent();
            cx.despawn(me);
            panic!("after a request");
        }
        Status::Running
    });
    let id = forest.add_tree(tree(parallel([wait(1.0), once.of_kind("Once")]))).unwrap();
    let agent = forest.spawn_with(&mut world, id, pleach_core::Spawn { enabled: false, ..Default::default() }).unwrap();
    // The `awake` is the first callback.
    let blown = catch_unwind(AssertUnwindSafe(|| forest.agent_mut(agent).unwrap().enable(&mut world)));
    assert!(blown.is_err());
    let error = forest.save().unwrap_err();
    assert_eq!(error, SaveError::Waiting);
    assert!(error.to_string().contains("tick once more"));
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!((forest.len(), forest.save().map(|it| it.len())), (0, Ok(0)));
}

#[test]
fn a_whole_forest_needs_a_new_one_with_its_trees() {
    let (forest, mut world, ..) = lived();
    let save = forest.save().unwrap();
    let mut full = new_forest();
    let tree = full.trees().next().unwrap();
    let agent = full.spawn(&mut world, tree).unwrap();
    assert_eq!(full.restore(&mut world, &save).unwrap_err(), RestoreError::NotEmpty);
    assert_eq!(full.len(), 1);
    full.agent_mut(agent).unwrap().despawn(&mut world);
    let group = full.new_group();
    assert_eq!(full.restore(&mut world, &save).unwrap_err(), RestoreError::NotEmpty);
    full.group_mut(group).unwrap().remove();
    full.restore(&mut world, &save).unwrap();

    let mut other = Forest::<Game>::new(1);
    other.add_tree(Tree::builder("rabbit").build(idle()).unwrap()).unwrap();
    let error = other.restore(&mut world, &save).unwrap_err();
    assert_eq!(error.to_string(), "the forest lacks trees of the save: \"guard\"; add them first");
}

#[test]
fn a_snapshot_of_before_a_whole_forest_came_is_one_of_another_forest() {
    let (old, mut world, _, agents) = lived();
    let save = old.save().unwrap();
    // The seed is the same, and so are ids and trees.
    let mut forest = Forest::new(3);
    forest.add_tree(crate::guard()).unwrap();
    let before = forest.snapshot().unwrap();
    let group = forest.new_group();
    assert_eq!(forest.restore(&mut world, &save).unwrap_err(), RestoreError::NotEmpty);
    forest.rollback(&before).unwrap();
    assert!(forest.group(group).is_err());

    forest.restore(&mut world, &save).unwrap();
    let bytes = |it: &Forest<Game>| postcard::to_stdvec(&it.save().unwrap()).unwrap();
    let restored = bytes(&forest);
    let error = forest.rollback(&before).unwrap_err();
    assert_eq!(error, RollbackError::Foreign);
    assert!(
        error.to_string().ends_with("or was taken before a whole save was restored into this one; take a new one"),
        "{error}"
    );
    assert_eq!((forest.len(), bytes(&forest) == restored), (6, true));
    let after = forest.snapshot().unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    forest.rollback(&after).unwrap();
    assert!(bytes(&forest) == restored);

    // Some agents are gone again, as if they had been spawned.
    let some = forest.save_agents([agents[2]]).unwrap();
    forest.agent_mut(agents[2]).unwrap().despawn(&mut world);
    let without = forest.snapshot().unwrap();
    for _ in 0..2 {
        forest.restore(&mut world, &some).unwrap();
        assert!(forest.contains(agents[2]));
        forest.rollback(&without).unwrap();
        assert!(!forest.contains(agents[2]));
    }
}

#[test]
fn a_later_version_is_refused_by_name() {
    let (forest, ..) = lived();
    let json = serde_json::to_string(&forest.save().unwrap()).unwrap();
    assert!(json.starts_with("[3,{"), "{}", &json[..40]);
    let error = serde_json::from_str::<Save>(&json.replacen("[3,", "[4,", 1)).unwrap_err().to_string();
    assert!(error.starts_with("the save is of version 4, and this game reads versions up to 3"), "{error}");
    let error = serde_json::from_str::<Save>("[0,{}]").unwrap_err().to_string();
    assert!(error.contains("or it is not a save"), "{error}");
}
