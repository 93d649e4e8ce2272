//! How often the host is called: counts that need no valgrind.

use std::sync::Arc;

use pleach::nodes::{action, condition, on_event, selector, sequence};
use pleach::{
    Brain, Context, Event, Forest, Host, Key, Status, Tree,
    nodes::{Abort, Node},
};

/// Calls of conditions and of actions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Calls {
    asked: u32,
    done: u32,
}

struct Game;

impl Host for Game {
    type Cx<'a> = &'a mut Calls;
}

const DT: f32 = 1.0 / 60.0;
const AGENTS: u32 = 100;
const FRAMES: u32 = 10;
/// The number of conditions of each sort that could abort the patrol.
const WATCHED: u32 = 3;

fn patrol() -> Node<Game> {
    action(|cx: &mut Context<'_, '_, Game>| {
        cx.host.done += 1;
        Status::Running
    })
}

/// A patrol that conditions over a key and conditions on events would abort. Whether the former say
/// what they read.
fn tree(observed: bool) -> (Tree<Game>, Key<bool>) {
    let mut tree = Tree::<Game>::builder("guard");
    let alarm = tree.key("alarm", false);
    let watched = (0..WATCHED).flat_map(|at| {
        let test = move |cx: &mut Context<'_, '_, Game>| {
            cx.host.asked += 1;
            cx.get(alarm)
        };
        let asked: Node<Game> = if observed { condition(test).observes([alarm.index()]) } else { condition(test) };
        [asked, on_event(&format!("noise-{at}"))]
    });
    let aborting = |it| -> Node<Game> { sequence([it, patrol()]).aborts(Abort::LOWER_PRIORITY) };
    let root = selector(watched.map(aborting).chain([patrol()]));
    (tree.build(root).expect("valid"), alarm)
}

/// The calls of all agents in ten frames in which nothing happens to them, and then in one frame in
/// which a key of the first changes.
fn calls(batched: bool, observed: bool, mail: bool) -> [Calls; 2] {
    let (tree, alarm) = tree(observed);
    let (mut forest, mut calls) = (Forest::<Game>::new(7), Calls::default());
    forest.configure(|it| it.batched = batched);
    let tree = forest.add_tree(tree).expect("the first tree");
    let agents: Vec<_> = (0..AGENTS).map(|_| forest.spawn(&mut &mut calls, tree).expect("room")).collect();
    let tick = |forest: &mut Forest<Game>| {
        let mut calls = Calls::default();
        forest.tick(&mut &mut calls, DT).expect("a time");
        calls
    };
    // The first frame starts the patrol, and evaluates all conditions.
    tick(&mut forest);
    let mut quiet = Calls::default();
    for _ in 0..FRAMES {
        if mail {
            agents.iter().for_each(|&it| {
                forest.agent_mut(it).expect("it is here").send(Event::new("rain")).expect("it is here")
            });
        }
        let Calls { asked, done } = tick(&mut forest);
        quiet = Calls { asked: quiet.asked + asked, done: quiet.done + done };
    }
    forest.keys_mut(agents[0]).expect("its key").set(alarm, true);
    [quiet, tick(&mut forest)]
}

#[test]
fn conditions_that_say_what_they_read_are_asked_when_that_changes() {
    for batched in [false, true] {
        for mail in [false, true] {
            let [quiet, changed] = calls(batched, true, mail);
            assert_eq!(quiet, Calls { asked: 0, done: AGENTS * FRAMES }, "{batched} {mail}");
            // The first is true: it aborts the patrol before the others are evaluated.
            assert!((1..=WATCHED).contains(&changed.asked), "{batched} {mail}: {changed:?}");
            assert_eq!(changed.done, AGENTS, "{batched} {mail}");
        }
    }
}

#[test]
fn conditions_that_do_not_are_asked_in_every_tick() {
    for batched in [false, true] {
        let [quiet, _] = calls(batched, false, false);
        assert_eq!(quiet, Calls { asked: WATCHED * AGENTS * FRAMES, done: AGENTS * FRAMES }, "{batched}");
    }
}

#[test]
fn a_brain_asks_as_a_forest_does() {
    for (observed, asked) in [(true, 0), (false, WATCHED * FRAMES)] {
        let mut calls = Calls::default();
        let mut brain = Brain::new(&mut &mut calls, Arc::new(tree(observed).0), 7);
        brain.tick(&mut &mut calls, DT).expect("a time");
        calls = Calls::default();
        for _ in 0..FRAMES {
            brain.tick(&mut &mut calls, DT).expect("a time");
        }
        assert_eq!(calls, Calls { asked, done: FRAMES });
    }
}
