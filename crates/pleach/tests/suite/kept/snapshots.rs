//! Snapshots and rollback (SEMANTICS 11.4). Random crowds of the conformance suite test that the
//! continuation is the same again.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use allocation_counter::measure;
use pleach_core::nodes::{action_of, check, idle, parallel, selector, sequence, wait};
use pleach_core::{
    Action, AgentId, Event, Forest, Keep, Phase, Rate, Spawn, Status, Tree,
    error::{RollbackError, TreeChange},
    nodes::Abort,
    schema::Scope,
    trace::Recorder,
};
use support::{Cx, Game, World, counting};

/// A guard with everything that an agent can have: keys of all scopes, a watched condition, waits,
/// stacks.
fn guard() -> Tree<Game> {
    let mut builder = Tree::<Game>::builder("guard");
    builder.key("alarm", false);
    builder.key_in(Scope::Group, "plan", 1_i64);
    builder.key_in(Scope::Global, "hour", 6.0_f32);
    let flee = sequence([check("alarm"), wait(0.35)]).aborts(Abort::LOWER_PRIORITY);
    builder.build(selector([flee, parallel([counting(Status::Running), wait(0.55)])])).unwrap()
}

#[test]
fn all_that_agents_have_is_back() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(3);
    let tree = forest.add_tree(guard()).unwrap();
    let alarm = forest.tree(tree).unwrap().key::<bool>("alarm").unwrap();
    let squad = forest.new_group();
    let spawn = Spawn { group: Some(squad), ..Spawn::default() };
    let agents: Vec<AgentId> = (0..5).map(|_| forest.spawn_with(&mut world, tree, spawn).unwrap()).collect();
    forest.tick(&mut world, 0.1).unwrap();
    forest.keys_mut(agents[1]).unwrap().set(alarm, true);
    forest.agent_mut(agents[2]).unwrap().send(Event::new("noise")).unwrap();
    forest.agent_mut(agents[3]).unwrap().set_rate(Rate::every(3).unwrap());
    forest.agent_mut(agents[4]).unwrap().pause(&mut world);
    forest.group_mut(squad).unwrap().keys_mut().set_value("plan", 7_i64).unwrap();
    forest.globals_mut().set_value("hour", 9.5_f32).unwrap();
    let before = forest.snapshot().unwrap();
    assert_eq!((before.len(), before.is_empty()), (5, false));
    assert!((before.time() - 0.1).abs() < 1e-6);

    let live = |forest: &mut Forest<Game>, world: &mut World| {
        let mut recorder = Recorder::all();
        for _ in 0..12 {
            forest.traced(&mut recorder).tick(world, 0.1).unwrap();
        }
        let spawned = forest.spawn_with(world, tree, spawn).unwrap();
        let grown = forest.new_group();
        forest.traced(&mut recorder).tick(world, 0.1).unwrap();
        let facts: Vec<String> =
            agents.iter().map(|&it| format!("{:?}", forest.agent(it).unwrap().explain().to_string())).collect();
        let lines: Vec<String> = recorder.take().iter().map(ToString::to_string).collect();
        (spawned, grown, lines, facts)
    };
    let first = live(&mut forest, &mut world);
    // All of it changes.
    forest.agent_mut(agents[0]).unwrap().despawn(&mut world);
    forest.agent_mut(agents[1]).unwrap().disable(&mut world);
    forest.group_mut(squad).unwrap().remove();
    forest.globals_mut().set_value("hour", 23.0_f32).unwrap();
    for _ in 0..2 {
        forest.rollback(&before).unwrap();
        assert_eq!(forest.len(), 5);
        assert_eq!(forest.group(squad).unwrap().members(), agents);
        assert_eq!(forest.group(squad).unwrap().keys().value("plan").unwrap(), 7_i64.into());
        assert_eq!(forest.globals().value("hour").unwrap(), 9.5_f32.into());
        assert_eq!(forest.agent(agents[4]).unwrap().phase(), Phase::Paused);
        assert_eq!(forest.agent(agents[3]).unwrap().rate(), Rate::every(3).unwrap());
        assert_eq!(forest.agent(agents[2]).unwrap().inspect().mail.len(), 1);
        assert_eq!(live(&mut forest, &mut world), first);
    }
}

#[test]
fn settings_stay_as_they_are() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(3);
    let tree = forest.add_tree(Tree::builder("nap").build(wait(5.0)).unwrap()).unwrap();
    let agent = forest.spawn(&mut world, tree).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Asleep);
    let before = forest.snapshot().unwrap();
    forest.configure(|it| (it.sleep, it.batched) = (false, false));
    forest.rollback(&before).unwrap();
    assert!(forest.configure(|it| !it.sleep && !it.batched));
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Active, "it does not sleep any more");
}

#[test]
fn a_snapshot_of_another_forest_or_of_other_trees_is_refused() {
    let mut world = World::default();
    let empty = || Tree::<Game>::builder("still").build(idle()).unwrap();
    let (mut one, mut other) = (Forest::<Game>::new(3), Forest::<Game>::new(3));
    let (mine, _) = (one.add_tree(empty()).unwrap(), other.add_tree(empty()).unwrap());
    let (first, second) = (one.snapshot().unwrap(), other.snapshot().unwrap());
    assert_eq!(one.rollback(&second), Err(RollbackError::Foreign));
    assert_eq!(Forest::<Game>::new(3).rollback(&first), Err(RollbackError::Foreign));
    assert_eq!(one.rollback(&first), Ok(()));

    let refused = |forest: &mut Forest<Game>, change| {
        let count = forest.len();
        let error = forest.rollback(&first).unwrap_err();
        assert_eq!(error, RollbackError::Trees { tree: "still".into(), change });
        assert_eq!(forest.len(), count, "nothing has changed");
        error.to_string()
    };
    let agent = one.spawn(&mut world, mine).unwrap();
    let added = one.add_tree(empty()).unwrap();
    let text = refused(&mut one, TreeChange::Added);
    assert_eq!(text, "the tree \"still\" was added since the snapshot; take a new one");
    one.remove_tree(&mut world, added).unwrap();
    assert_eq!(one.rollback(&first), Ok(()), "the trees are the same again");
    assert!(!one.contains(agent));
    one.replace_tree(&mut world, mine, empty()).unwrap();
    refused(&mut one, TreeChange::Replaced);
    one.remove_tree(&mut world, mine).unwrap();
    refused(&mut one, TreeChange::Removed);
}

/// Counts its clones and drops, and panics on request.
struct Fuse {
    alive: bool,
    host: &'static Bench,
}

#[derive(Default)]
struct Bench {
    clones: AtomicUsize,
    drops: AtomicUsize,
    clone_panics: AtomicBool,
    drop_panics: AtomicBool,
}

static BENCH: Bench = Bench {
    clones: AtomicUsize::new(0),
    drops: AtomicUsize::new(0),
    clone_panics: AtomicBool::new(false),
    drop_panics: AtomicBool::new(false),
};

impl Default for Fuse {
    fn default() -> Self {
        Fuse { alive: false, host: &BENCH }
    }
}

impl Clone for Fuse {
    fn clone(&self) -> Self {
        assert!(!self.host.clone_panics.load(Ordering::Relaxed), "a clone panics");
        self.host.clones.fetch_add(1, Ordering::Relaxed);
        Fuse { ..*self }
    }
}

impl Drop for Fuse {
    fn drop(&mut self) {
        self.host.drops.fetch_add(1, Ordering::Relaxed);
        assert!(!self.host.drop_panics.swap(false, Ordering::Relaxed), "a drop panics");
    }
}

struct Burns;
impl Action<Game> for Burns {
    type State = Fuse;
    const KEEP: Keep<Fuse> = Keep::cloned();
    fn update(&self, fuse: &mut Fuse, cx: &mut Cx<'_, '_>) -> Status {
        cx.host.count += u64::from(fuse.alive);
        fuse.alive = true;
        Status::Running
    }
}

#[test]
fn a_panic_in_a_clone_or_a_drop_leaves_a_forest_that_works() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(3);
    let tree = forest.add_tree(Tree::builder("fuse").build(action_of(Burns)).unwrap()).unwrap();
    forest.spawn(&mut world, tree).unwrap();
    let before = forest.snapshot().unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    BENCH.clone_panics.store(true, Ordering::Relaxed);
    assert!(catch_unwind(AssertUnwindSafe(|| forest.snapshot().map(drop))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| forest.rollback(&before))).is_err());
    BENCH.clone_panics.store(false, Ordering::Relaxed);
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.count, 1, "a clone that panics changes nothing");

    BENCH.drop_panics.store(true, Ordering::Relaxed);
    assert!(catch_unwind(AssertUnwindSafe(|| forest.rollback(&before))).is_err());
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.count, 1, "the forest went back all the same");
    drop((forest, before));
    let (clones, drops) = (BENCH.clones.load(Ordering::Relaxed), BENCH.drops.load(Ordering::Relaxed));
    assert!(drops > clones && clones > 1, "{clones} {drops}");
}

#[test]
fn a_rollback_without_states_allocates_next_to_nothing() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(3);
    let tree = forest.add_tree(Arc::new(guard())).unwrap();
    for _ in 0..1_000 {
        forest.spawn(&mut world, tree).unwrap();
    }
    forest.tick(&mut world, 0.1).unwrap();
    let before = forest.snapshot().unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    // A group of each agent has its values, which stay where they are.
    let allocations = measure(|| forest.rollback(&before).unwrap()).count_total;
    assert!(allocations < 20, "{allocations}");
}

#[test]
fn members_of_squads_are_copied_when_somebody_comes_or_goes() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(3);
    let tree = forest.add_tree(Tree::builder("idle").build(idle()).unwrap()).unwrap();
    let squads: Vec<_> = (0..100).map(|_| forest.new_group()).collect();
    let spawn = |squad| Spawn { group: Some(squad), ..Spawn::default() };
    let agents: Vec<AgentId> =
        squads.iter().cycle().take(1_000).map(|it| forest.spawn_with(&mut world, tree, spawn(*it)).unwrap()).collect();
    let mut snapshots = Vec::new();
    let allocations = measure(|| snapshots.push(forest.snapshot().unwrap())).count_total;
    assert!(allocations < 40, "{allocations}");

    let there: Vec<_> = forest.group(squads[0]).unwrap().members().to_vec();
    forest.spawn_with(&mut world, tree, spawn(squads[0])).unwrap();
    forest.agent_mut(agents[1]).unwrap().despawn(&mut world);
    forest.group_mut(squads[2]).unwrap().remove();
    snapshots.push(forest.snapshot().unwrap());
    let sizes = |forest: &Forest<Game>| -> Vec<_> {
        squads[..4].iter().map(|it| forest.group(*it).ok().map(|it| it.members().len())).collect()
    };
    for _ in 0..2 {
        forest.rollback(&snapshots[0]).unwrap();
        assert_eq!(sizes(&forest), [Some(10); 4]);
        assert_eq!(forest.group(squads[0]).unwrap().members(), there);
        forest.rollback(&snapshots[1]).unwrap();
        assert_eq!(sizes(&forest), [Some(11), Some(9), None, Some(10)]);
    }
}
