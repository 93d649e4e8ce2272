//! A leaf whose state cannot be made for one agent: that spawn fails, and nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use pleach_core::{Action, Context, Forest, Host, HostLeaf, Status, Tree, action, parallel};

struct Game;
impl Host for Game {
    type Cx<'a> = u32;
}

static BROKEN: AtomicBool = AtomicBool::new(false);

struct Fragile;

struct State;
impl Default for State {
    fn default() -> Self {
        assert!(!BROKEN.load(Ordering::Relaxed), "the state cannot be made");
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

    BROKEN.store(true, Ordering::Relaxed);
    assert!(catch_unwind(AssertUnwindSafe(|| forest.spawn(&mut ticks, tree))).is_err());
    BROKEN.store(false, Ordering::Relaxed);
    assert_eq!((forest.len(), forest.population(tree)), (1, Ok(1)));

    let last = forest.spawn(&mut ticks, tree).unwrap();
    assert_eq!(forest.tick(&mut ticks, 0.1).unwrap().ticked, 2);
    assert_eq!(ticks, 2);
    forest.despawn(&mut ticks, last).unwrap();
    assert_eq!(forest.tick(&mut ticks, 0.1).unwrap().ticked, 1);
}
