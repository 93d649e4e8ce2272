//! A leaf whose state cannot be made for one agent: that spawn fails, and nothing else.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach_core::{Action, Context, Forest, Host, HostLeaf, Status, Tree, action, parallel};

struct Game;
impl Host for Game {
    type Cx<'a> = u32;
}

thread_local! {
    static BROKEN_HERE: Cell<bool> = const { Cell::new(false) };
}

struct Fragile;

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
    let leaves = parallel([action(|_| Status::Running).into(), HostLeaf::action(Fragile).into()]);
    let tree = forest.add_tree(Tree::builder("fragile").build(leaves).unwrap()).unwrap();
    forest.spawn(&mut ticks, tree).unwrap();

    BROKEN_HERE.set(true);
    assert!(catch_unwind(AssertUnwindSafe(|| forest.spawn(&mut ticks, tree))).is_err());
    BROKEN_HERE.set(false);
    assert_eq!((forest.len(), forest.population(tree)), (1, Ok(1)));

    let last = forest.spawn(&mut ticks, tree).unwrap();
    assert_eq!(forest.tick(&mut ticks, 0.1).unwrap().ticked, 2);
    assert_eq!(ticks, 2);
    forest.despawn(&mut ticks, last).unwrap();
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
    let leaves = parallel([HostLeaf::action(Fragile).into(), HostLeaf::action(Keep).into()]);
    let leaves = parallel([HostLeaf::action(Keep).into(), leaves]);
    let tree = forest.add_tree(Tree::builder("fragile").build(leaves).unwrap()).unwrap();
    let first = forest.spawn(&mut seen, tree).unwrap();
    forest.spawn(&mut seen, tree).unwrap();
    forest.tick(&mut seen, 0.1).unwrap();

    BROKEN_HERE.set(true);
    assert!(catch_unwind(AssertUnwindSafe(|| forest.spawn(&mut seen, tree))).is_err());
    BROKEN_HERE.set(false);
    // The second agent moves into the first one's place, with its own states.
    forest.despawn(&mut seen, first).unwrap();
    forest.tick(&mut seen, 0.1).unwrap();
    assert_eq!(seen, 2);
}
