//! Time stops after 2^63 - 1 nanoseconds, about 292 years (SEMANTICS 8.1): agents live on, and
//! their saves are valid.

use pleach_core::limits::MAX_DT;
use pleach_core::nodes::{action_of, condition, idle, on_event, selector, sequence, wait, wait_until};
use pleach_core::{
    Action, AgentId, Event, Forest, Keep, Phase, Status, Tree, TreeId,
    nodes::{Abort, Node},
};

use crate::support::{Cx, Game, World};
use crate::{through_postcard, through_ron};

/// Logs its agent's own time and `dt`.
struct Clock;

impl Action<Game> for Clock {
    type State = ();
    const KEEP: Keep<()> = Keep::cloned().saved();
    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        let line = format!("{:.3} {:.3}", cx.time(), cx.dt());
        cx.host.log.push(line);
        Status::Running
    }
}

fn clock() -> Node<Game> {
    action_of(Clock).of_kind("Clock")
}

/// The trees `clock`, `waits` (a second), `key` (waits for its key), `event` (waits for an event)
/// and `sensor` (a condition that is asked every second).
fn forest() -> (Forest<Game>, [TreeId; 5]) {
    let mut forest = Forest::<Game>::new(3);
    let mut add = |name, root: Node<Game>| {
        let mut builder = Tree::builder(name);
        builder.key("go", false);
        forest.add_tree(builder.build(root).unwrap()).unwrap()
    };
    let woken = |by: Node<Game>| selector([sequence([by, clock()]).aborts(Abort::LOWER_PRIORITY), idle()]);
    let trees = [
        add("clock", clock()),
        add("waits", sequence([wait(1.0), clock()])),
        add("key", sequence([wait_until("go"), clock()])),
        add("event", woken(on_event("hey"))),
        add("sensor", woken(condition(|cx: &mut Cx<'_, '_>| cx.host.count > 0).of_kind("Sees").every(1.0))),
    ];
    (forest, trees)
}

/// Half a second before the end of time.
fn nearly(forest: &mut Forest<Game>, world: &mut World) {
    for _ in 0..9_223 {
        forest.tick(world, MAX_DT).unwrap();
    }
    forest.tick(world, 372_036.3).unwrap();
    world.take();
}

fn spawn(forest: &mut Forest<Game>, world: &mut World, trees: [TreeId; 5]) -> [AgentId; 5] {
    trees.map(|it| forest.spawn(world, it).unwrap())
}

const END: f64 = 9_223_372_036.854_776;

#[test]
fn at_the_end_of_time_a_forest_is_saved_restored_and_lives_on() {
    let ((mut old, trees), mut world) = (forest(), World::default());
    let first = spawn(&mut old, &mut world, trees);
    nearly(&mut old, &mut world);
    let late = spawn(&mut old, &mut world, trees);
    for _ in 0..3 {
        old.tick(&mut world, 1.0).unwrap();
    }
    assert_eq!(old.time(), END);
    let last = spawn(&mut old, &mut world, trees);
    old.tick(&mut world, 1.0).unwrap();
    world.take();
    for through in [through_ron, through_postcard] {
        let save = through(&old.save().unwrap());
        let ((mut forest, _), mut world) = (self::forest(), World::default());
        forest.restore(&mut world, &save).unwrap();
        assert_eq!(forest.time(), END);
        forest.tick(&mut world, 1.0).unwrap();
        // The clocks go on: the earlier ones, and the one whose Wait ended long ago.
        let end = format!("{END:.3} 0.000");
        assert_eq!(world.take(), [&*end, "0.555 0.000", "0.000 0.000", &*end]);
        // Nothing ends early, and keys and events still wake.
        for agents in [first, late, last] {
            let phases = agents.map(|it| forest.agent(it).unwrap().phase());
            assert_eq!(phases[2..4], [Phase::Asleep; 2], "{phases:?}");
        }
        for agents in [first, late, last] {
            forest.keys_mut(agents[2]).unwrap().set_value("go", true).unwrap();
            forest.agent_mut(agents[3]).unwrap().send(Event::new("hey")).unwrap();
        }
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(world.take().len(), 4 + 6);
        // Agents that come now live, too, and so does the next save.
        let new = spawn(&mut forest, &mut world, trees);
        for _ in 0..3 {
            forest.tick(&mut world, 2.0).unwrap();
        }
        let lines = world.take();
        assert_eq!(lines.iter().filter(|it| *it == "0.000 0.000").count(), 6 + 3 + 3, "{lines:?}");
        assert_eq!(forest.agent(new[1]).unwrap().inspect().to_string(), "Wait");
        let again = through(&forest.save().unwrap());
        self::forest().0.restore(&mut World::default(), &again).unwrap();
    }
}

#[test]
fn a_wait_that_would_end_behind_the_end_of_time_never_does() {
    for sleep in [true, false] {
        let ((mut forest, trees), mut world) = (forest(), World::default());
        forest.configure(|it| it.sleep = sleep);
        let agents = [(); 20].map(|()| forest.spawn(&mut world, trees[1]).unwrap());
        for agent in agents {
            forest.agent_mut(agent).unwrap().disable(&mut world);
        }
        // One agent's own time equals the forest's; that of the others does not.
        let old = forest.spawn(&mut world, trees[1]).unwrap();
        nearly(&mut forest, &mut world);
        for agent in agents.into_iter().chain([old]) {
            forest.agent_mut(agent).unwrap().restart(&mut world);
            forest.agent_mut(agent).unwrap().enable(&mut world);
        }
        for _ in 0..4 {
            forest.tick(&mut world, 1.0).unwrap();
        }
        assert_eq!(world.take(), [""; 0], "{sleep}");
    }
}

#[test]
fn an_agent_that_is_older_than_its_forest_comes_to_the_end_of_its_own_time() {
    let ((mut old, trees), mut world) = (forest(), World::default());
    let agents = spawn(&mut old, &mut world, trees);
    nearly(&mut old, &mut world);
    let save = through_ron(&old.save_agents(agents).unwrap());
    let ((mut forest, _), mut world) = (self::forest(), World::default());
    forest.restore(&mut world, &save).unwrap();
    forest.tick(&mut world, 0.25).unwrap();
    for _ in 0..3 {
        forest.tick(&mut world, 7.0).unwrap();
        let times = agents.map(|it| forest.agent(it).unwrap().inspect().time);
        assert_eq!(times, [END; 5]);
        forest.agent_mut(agents[0]).unwrap().pause(&mut world);
        forest.agent_mut(agents[0]).unwrap().unpause(&mut world);
    }
    let again = through_ron(&forest.save_agents(agents).unwrap());
    let whole = through_ron(&forest.save().unwrap());
    for save in [again, whole] {
        let ((mut forest, _), mut world) = (self::forest(), World::default());
        forest.restore(&mut world, &save).unwrap();
        forest.keys_mut(agents[2]).unwrap().set_value("go", true).unwrap();
        forest.agent_mut(agents[3]).unwrap().send(Event::new("hey")).unwrap();
        forest.tick(&mut world, 1.0).unwrap();
        assert_eq!(world.take().len(), 4);
    }
}
