//! Agents whose leaves panicked, and agents that never came because a leaf did (SEMANTICS 8.6).

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach_core::nodes::{action_of, parallel, wait};
use pleach_core::{Action, AgentId, End, Entity, Event, Forest, Keep, Outcome, Phase, Save, Spawn, Status, Tree};
use serde::{Deserialize, Serialize};

use crate::support::{Cx, Game, World};
use crate::through_ron;

thread_local! {
    /// This many states of a [`Fuse`] can be made; then it panics. Tests have a thread each.
    static STATES: Cell<u32> = const { Cell::new(u32::MAX) };
}

/// Remembers the entity of its agent.
struct Note;

impl Action<Game> for Note {
    type State = u64;
    const KEEP: Keep<u64> = Keep::cloned().saved();
    fn awake(&self, state: &mut u64, cx: &mut Cx<'_, '_>) {
        *state = cx.entity().to_bits();
        assert!(*state != 13, "in awake");
    }
    fn update(&self, state: &mut u64, cx: &mut Cx<'_, '_>) -> Status {
        let line = format!("{state} of {}", cx.entity().to_bits());
        cx.host.log.push(line);
        assert!(cx.host.count != *state, "in update");
        Status::Running
    }
}

/// Panics when its state is made.
struct Lit;

#[derive(Clone, Serialize, Deserialize)]
struct Fuse(u64);

impl Default for Fuse {
    fn default() -> Self {
        STATES.set(STATES.get().checked_sub(1).expect("in default"));
        Fuse(0)
    }
}

impl Action<Game> for Lit {
    type State = Fuse;
    const KEEP: Keep<Fuse> = Keep::cloned().saved();
    fn update(&self, Fuse(state): &mut Fuse, cx: &mut Cx<'_, '_>) -> Status {
        *state = if *state == 0 { cx.entity().to_bits() } else { *state };
        let line = format!("{state} lit by {}", cx.entity().to_bits());
        cx.host.log.push(line);
        Status::Running
    }
}

fn forest() -> Forest<Game> {
    let mut forest = Forest::new(3);
    let mut builder = Tree::builder("fire");
    builder.key("spot", 0_i64);
    let [note, other] = [(); 2].map(|()| action_of(Note).of_kind("Note"));
    let [lit, more] = [(); 2].map(|()| action_of(Lit).of_kind("Lit"));
    forest.add_tree(builder.build(parallel([note, lit, other, more, wait(9.0)])).unwrap()).unwrap();
    forest
}

fn spawn(forest: &mut Forest<Game>, world: &mut World, entity: u64) -> AgentId {
    let tree = forest.trees().next().unwrap();
    forest.spawn_with(world, tree, Spawn { entity: Entity::from_bits(entity), ..Spawn::default() }).unwrap()
}

/// Panics in every `end` while the world's count is not 0, and notes what its agent hears.
struct Ear;

impl Action<Game> for Ear {
    type State = ();
    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        let heard = format!("hears {}", cx.events().count());
        cx.host.log.push(heard);
        Status::Running
    }
    fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, _: End) {
        assert!(cx.host.count == 0, "in end");
    }
}

#[test]
fn an_agent_that_panicked_outside_of_its_turn_hears_the_same_with_and_without_a_save() {
    let new = || {
        let mut forest = Forest::<Game>::new(3);
        let tree = forest.add_tree(Tree::builder("ear").build(action_of(Ear).of_kind("Ear")).unwrap()).unwrap();
        (forest, tree)
    };
    let ((mut old, tree), mut world) = (new(), World::default());
    let agent = old.spawn(&mut world, tree).unwrap();
    old.tick(&mut world, 0.1).unwrap();
    old.agent_mut(agent).unwrap().send(Event::new("noise")).unwrap();
    world.count = 1;
    assert!(catch_unwind(AssertUnwindSafe(|| old.agent_mut(agent).unwrap().restart(&mut world))).is_err());
    let (mut forest, _) = new();
    forest.restore(&mut World::default(), &through_ron(&old.save().unwrap())).unwrap();
    for mut forest in [old, forest] {
        let mut world = World::default();
        assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Panicked);
        forest.agent_mut(agent).unwrap().enable(&mut world);
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(world.take(), ["hears 0"]);
    }
}

/// Every leaf of these agents remembers its own agent.
fn check(forest: &mut Forest<Game>, world: &mut World, entities: &[u64]) {
    world.take();
    forest.tick(world, 0.1).unwrap();
    let mut lines = world.take();
    let mut wanted: Vec<String> =
        entities.iter().flat_map(|it| [format!("{it} of {it}"), format!("{it} lit by {it}")]).collect();
    lines.sort();
    wanted.sort();
    let twice: Vec<&String> = wanted.iter().flat_map(|it| [it, it]).collect();
    assert_eq!(lines.iter().collect::<Vec<_>>(), twice);
}

/// The first column of states has a row more than the second, or the second half a row, when other
/// agents come.
#[test]
fn states_stay_with_their_agents_behind_a_spawn_that_panicked() {
    // What the panic leaves: no state of the second column, one of them, or, of an `awake`, none.
    for (states, entity) in [(0, 7), (1, 7), (u32::MAX, 13)] {
        let (mut forest, mut world) = (forest(), World::default());
        // The panicked one takes the id of the last that goes.
        let [_, second, third, last] = [1, 2, 3, 9].map(|it| spawn(&mut forest, &mut world, it));
        check(&mut forest, &mut world, &[1, 2, 3, 9]);
        let some = through_ron(&forest.save_agents([second, third]).unwrap());
        for agent in [second, third, last] {
            forest.agent_mut(agent).unwrap().despawn(&mut world);
        }
        STATES.set(states);
        let blown = catch_unwind(AssertUnwindSafe(|| spawn(&mut forest, &mut world, entity)));
        assert!(blown.is_err());
        STATES.set(u32::MAX);
        let whole = through_ron(&forest.save().unwrap());
        assert_eq!(whole.len(), 1);

        forest.restore(&mut world, &some).unwrap();
        spawn(&mut forest, &mut world, 4);
        check(&mut forest, &mut world, &[1, 2, 3, 4]);
        let save = through_ron(&forest.save().unwrap());
        for (save, entities) in [(save, &[1, 2, 3, 4][..]), (whole, &[1])] {
            let mut forest = self::forest();
            forest.restore(&mut world, &save).unwrap();
            check(&mut forest, &mut world, entities);
        }
    }
}

#[test]
fn a_panicked_agent_comes_back_as_such_with_all_that_it_has() {
    let (mut old, mut world) = (forest(), World::default());
    let agents = [1, 2, 3].map(|it| spawn(&mut old, &mut world, it));
    check(&mut old, &mut world, &[1, 2, 3]);
    let squad = old.new_group();
    old.agent_mut(agents[1]).unwrap().join(Some(squad)).unwrap();
    old.keys_mut(agents[1]).unwrap().set_value("spot", 5_i64).unwrap();
    world.count = 2;
    assert!(catch_unwind(AssertUnwindSafe(|| old.tick(&mut world, 0.1))).is_err());
    world.count = 0;
    let all = old.save().unwrap();
    let some = old.save_agents([agents[1]]).unwrap();
    for save in [all, some] {
        let (mut forest, mut world) = (forest(), World::default());
        forest.restore(&mut world, &through_ron(&save)).unwrap();
        let bytes = |it: &Save| postcard::to_stdvec(it).unwrap();
        let again = if save.is_whole() { forest.save() } else { forest.save_agents([agents[1]]) };
        assert!(!save.is_whole() || bytes(&again.unwrap()) == bytes(&save));
        let agent = forest.agent(agents[1]).unwrap();
        assert_eq!(
            (agent.phase(), agent.last_outcome(), agent.group()),
            (Phase::Panicked, None::<Outcome>, Some(squad))
        );
        assert_eq!((agent.entity(), agent.keys().value("spot").unwrap()), (Entity::from_bits(2), 5_i64.into()));
        // It stays off, and then restarts with the states that it had.
        let others: &[u64] = if save.is_whole() { &[1, 3] } else { &[] };
        check(&mut forest, &mut world, others);
        assert_eq!(forest.agent(agents[1]).unwrap().phase(), Phase::Panicked);
        forest.agent_mut(agents[1]).unwrap().enable(&mut world);
        check(&mut forest, &mut world, &[others, &[2]].concat());
    }
}
