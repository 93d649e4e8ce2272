//! A leaf whose state cannot be made or dropped for one agent: that call fails, and nothing else.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach_core::nodes::{action, action_of, parallel};
use pleach_core::{Action, Context, End, Event, Forest, Host, Status, Tree};
use pleach_macros::leaf;

struct Game;
impl Host for Game {
    type Cx<'a> = u32;
}

thread_local! {
    static BROKEN_HERE: Cell<bool> = const { Cell::new(false) };
}

struct Fragile;

/// A leaf whose state may panic when it is dropped.
struct Sticky;

#[derive(Default)]
struct Stuck(u32);
impl Drop for Stuck {
    fn drop(&mut self) {
        assert!(self.0 == 0 || !BROKEN_HERE.get(), "the state cannot be dropped");
    }
}

#[leaf(crate = pleach_core)]
impl Action<Game> for Sticky {
    type State = Stuck;
    fn update(&self, state: &mut Stuck, cx: &mut Context<'_, '_, Game>) -> Status {
        state.0 += 1;
        *cx.host = state.0;
        Status::Running
    }
    fn end(&self, _: &mut Stuck, cx: &mut Context<'_, '_, Game>, _: End) {
        assert!(*cx.host < 100, "the end fails, too");
    }
}

struct State;
impl Default for State {
    fn default() -> Self {
        assert!(!BROKEN_HERE.get(), "the state cannot be made");
        State
    }
}

impl Action<Game> for Fragile {
    type State = State;
    fn update(&self, _: &mut State, cx: &mut Context<'_, '_, Game>) -> Status {
        *cx.host += 1;
        Status::Running
    }
}

#[test]
fn a_state_that_panics_costs_one_spawn() {
    let mut ticks = 0;
    let mut forest = Forest::<Game>::new(1);
    let leaves = parallel([action(|_| Status::Running), action_of(Fragile)]);
    let tree = forest.add_tree(Tree::builder("fragile").build(leaves).unwrap()).unwrap();
    forest.spawn(&mut ticks, tree).unwrap();

    BROKEN_HERE.set(true);
    assert!(catch_unwind(AssertUnwindSafe(|| forest.spawn(&mut ticks, tree))).is_err());
    BROKEN_HERE.set(false);
    assert_eq!((forest.len(), forest.population(tree).map(|it| it.len())), (1, Ok(1)));

    let last = forest.spawn(&mut ticks, tree).unwrap();
    assert_eq!(forest.tick(&mut ticks, 0.1).unwrap().ticked, 2);
    assert_eq!(ticks, 2);
    forest.agent_mut(last).unwrap().despawn(&mut ticks);
    assert_eq!(forest.tick(&mut ticks, 0.1).unwrap().ticked, 1);
}

struct Keep;
impl Action<Game> for Keep {
    type State = u32;
    fn update(&self, state: &mut u32, cx: &mut Context<'_, '_, Game>) -> Status {
        *state += 1;
        *cx.host = *state;
        Status::Running
    }
}

#[test]
fn no_agent_gets_a_state_that_a_failed_spawn_left() {
    let mut seen = 0;
    let mut forest = Forest::<Game>::new(1);
    let leaves = parallel([action_of(Fragile), action_of(Keep)]);
    let leaves = parallel([action_of(Keep), leaves]);
    let tree = forest.add_tree(Tree::builder("fragile").build(leaves).unwrap()).unwrap();
    let first = forest.spawn(&mut seen, tree).unwrap();
    forest.spawn(&mut seen, tree).unwrap();
    forest.tick(&mut seen, 0.1).unwrap();

    BROKEN_HERE.set(true);
    assert!(catch_unwind(AssertUnwindSafe(|| forest.spawn(&mut seen, tree))).is_err());
    BROKEN_HERE.set(false);
    // The second agent moves into the first one's place, with its own states.
    forest.agent_mut(first).unwrap().despawn(&mut seen);
    forest.tick(&mut seen, 0.1).unwrap();
    assert_eq!(seen, 2);
}

#[test]
fn a_state_whose_drop_panics_costs_one_despawn() {
    for end_fails in [false, true] {
        let mut seen = 0;
        let mut forest = Forest::<Game>::new(1);
        let leaves = parallel([action_of(Sticky), action_of(Keep)]);
        let tree = forest.add_tree(Tree::builder("sticky").build(leaves).unwrap()).unwrap();
        let agents: Vec<_> = (0..3).map(|_| forest.spawn(&mut seen, tree).unwrap()).collect();
        for _ in 0..4 {
            forest.tick(&mut seen, 0.1).unwrap();
        }
        forest.agent_mut(agents[0]).unwrap().send(Event::new("noise")).unwrap();
        if end_fails {
            seen = 100;
        }
        BROKEN_HERE.set(true);
        assert!(
            catch_unwind(AssertUnwindSafe(|| forest.agent_mut(agents[0]).map(|it| it.despawn(&mut seen)))).is_err()
        );
        BROKEN_HERE.set(false);
        seen = 0;

        assert!(!forest.contains(agents[0]));
        assert_eq!(forest.population(tree).unwrap().agents().collect::<Vec<_>>(), [agents[2], agents[1]]);
        // The others still have their own states, and no agent inherits a state or mail.
        let newborn = forest.spawn(&mut seen, tree).unwrap();
        assert_eq!(forest.agent(newborn).unwrap().inspect().mail, []);
        forest.agent_mut(agents[1]).unwrap().despawn(&mut seen);
        assert_eq!(forest.tick(&mut seen, 0.1).unwrap().ticked, 2);
        assert_eq!(seen, 1, "the newborn's first update comes last");
        forest.agent_mut(newborn).unwrap().despawn(&mut seen);
        assert_eq!(forest.tick(&mut seen, 0.1).unwrap().ticked, 1);
        assert_eq!(seen, 6);
    }
}
