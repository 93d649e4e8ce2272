//! After a save or a snapshot everything continues as it would have, to the line of the trace:
//! agents sleep on, and no extra condition is asked (SEMANTICS 8.3, 11.2, 11.4). Under another tree
//! all wake.

use pleach_core::nodes::{action_of, check, guard, idle, on_event, selector, sequence, wait};
use pleach_core::{
    Action, AgentId, Budget, Event, Forest, Keep, Key, Phase, Save, Spawn, Status, Tree,
    nodes::{Abort, Node},
    schema::Scope,
    trace::Recorder,
};

use crate::support::{Cx, Game, World};
use crate::{through_json, through_postcard, through_ron};

/// Sleeps for this long in each update, and writes a key when it is restored.
struct Nap(f32, Option<Key<bool>>);

impl Action<Game> for Nap {
    type State = ();
    const KEEP: Keep<()> = Keep::cloned().saved();
    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        cx.sleep(self.0);
        Status::Running
    }
    fn restored(&self, (): &mut (), cx: &mut Cx<'_, '_>) {
        if let Some(sees) = self.1 {
            cx.set(sees, true);
        }
    }
}

/// Watches a key and an event beside a nap, and another key that cannot abort anything while it
/// naps.
fn watcher(seconds: f32, writes: bool) -> Tree<Game> {
    let mut builder = Tree::<Game>::builder("watcher");
    let sees = builder.key("sees", false);
    builder.key("tired", false);
    builder.key_in(Scope::Global, "storm", 0_i64);
    let flee = sequence([check("sees"), wait(0.35)]).aborts(Abort::LOWER_PRIORITY);
    let hide = sequence([check("global.storm > 3"), idle()]).aborts(Abort::LOWER_PRIORITY);
    let hear = sequence([on_event("hey"), wait(0.15)]).aborts(Abort::LOWER_PRIORITY);
    let walk = sequence([
        check("tired == false"),
        action_of(Nap(seconds, writes.then_some(sees))).of_kind("Nap").named("walk"),
    ]);
    builder.build(selector([flee, hear, hide, walk.aborts(Abort::LOWER_PRIORITY), idle()])).unwrap()
}

/// The same without conditions that are asked in every tick.
fn sleeper(root: impl FnOnce(Node<Game>) -> Node<Game>) -> Tree<Game> {
    let mut builder = Tree::<Game>::builder("sleeper");
    builder.key("sees", false);
    builder.key("tired", false);
    let flee = sequence([check("sees"), wait(0.35)]).aborts(Abort::LOWER_PRIORITY);
    let walk = sequence([check("tired == false"), idle().named("walk")]).aborts(Abort::SELF);
    builder.build(selector([flee, root(walk)])).unwrap()
}

fn forest(tree: Tree<Game>) -> Forest<Game> {
    let mut forest = Forest::new(3);
    forest.add_tree(tree).unwrap();
    forest
}

fn spawn(forest: &mut Forest<Game>, agents: usize) -> Vec<AgentId> {
    let tree = forest.trees().next().unwrap();
    (0..agents).map(|_| forest.spawn(&mut World::default(), tree).unwrap()).collect()
}

/// The lines of these frames, and their reports.
fn lines(forest: &mut Forest<Game>, frames: usize) -> Vec<String> {
    let (mut world, mut recorder) = (World::default(), Recorder::all());
    let mut lines = Vec::new();
    for frame in 0..frames {
        let mut forest = forest.traced(&mut recorder);
        let report = if frame % 3 == 1 {
            forest.tick_within(&mut world, 0.1, Budget::Agents(2))
        } else {
            forest.tick(&mut world, 0.1)
        };
        lines.push(format!("{:?}", report.unwrap()));
        lines.extend(recorder.take().iter().map(ToString::to_string));
    }
    lines.append(&mut world.log);
    lines
}

fn key(forest: &mut Forest<Game>, agent: AgentId, name: &str, value: bool) {
    forest.keys_mut(agent).unwrap().set_value(name, value).unwrap();
}

/// The forest as it was, and the same after a save and a snapshot.
fn all_ways(mut old: Forest<Game>, new: impl Fn() -> Forest<Game>, frames: usize) -> Vec<String> {
    let (save, snapshot) = (old.save().unwrap(), old.snapshot().unwrap());
    let first = lines(&mut old, frames);
    for through in [Save::clone, through_ron, through_json, through_postcard] {
        let mut forest = new();
        forest.restore(&mut World::default(), &through(&save)).unwrap();
        assert_eq!(postcard::to_stdvec(&forest.save().unwrap()), postcard::to_stdvec(&save));
        assert_eq!(lines(&mut forest, frames), first);
    }
    old.rollback(&snapshot).unwrap();
    assert_eq!(lines(&mut old, frames), first);
    first
}

#[test]
fn a_sleeper_sleeps_on_and_prints_nothing() {
    for agents in [1, 3, 40] {
        let mut old = forest(sleeper(|walk| walk));
        let ids = spawn(&mut old, agents);
        lines(&mut old, 2);
        assert_eq!(old.agent(ids[0]).unwrap().phase(), Phase::Asleep);
        let told = all_ways(old, || forest(sleeper(|walk| walk)), 5);
        assert_eq!(told.len(), 5, "{told:?}");
    }
}

#[test]
fn what_is_asked_after_a_save_is_what_would_have_been_asked() {
    for agents in [1, 3, 40] {
        let new = || forest(watcher(0.25, false));
        let mut old = new();
        let ids = spawn(&mut old, agents);
        lines(&mut old, 3);
        // A changed key that makes no difference, one that matters, an event, a pause.
        key(&mut old, ids[0], "tired", true);
        old.agent_mut(ids[agents - 1]).unwrap().send(Event::new("hey")).unwrap();
        if agents > 1 {
            old.agent_mut(ids[1]).unwrap().pause(&mut World::default());
            key(&mut old, ids[2], "sees", true);
        }
        assert!(all_ways(old, new, 8).len() > 8);
    }
}

/// A key that was seen where it could abort nothing stays pending, and is asked when it can abort.
#[test]
fn a_change_that_could_abort_nothing_is_kept_by_a_save() {
    let new = || forest(sleeper(|walk| guard("tired == false", walk)));
    let mut old = new();
    let ids = spawn(&mut old, 2);
    lines(&mut old, 1);
    key(&mut old, ids[0], "sees", true);
    lines(&mut old, 1);
    // It flees, so its earlier branch is not asked.
    key(&mut old, ids[0], "tired", true);
    lines(&mut old, 1);
    all_ways(old, new, 9);
}

#[test]
fn some_agents_sleep_on_in_another_forest_and_see_its_shared_keys() {
    let new = || forest(watcher(9.0, false));
    let mut old = new();
    let ids = spawn(&mut old, 20);
    lines(&mut old, 2);
    let save = through_ron(&old.save_agents(ids.iter().copied()).unwrap());
    for storm in [0_i64, 7] {
        let mut forest = new();
        lines(&mut forest, 7);
        forest.globals_mut().set_value("storm", storm).unwrap();
        forest.restore(&mut World::default(), &save).unwrap();
        lines(&mut forest, 1);
        for &id in &ids {
            let runs = forest.agent(id).unwrap().inspect().to_string();
            assert_eq!(runs, if storm == 0 { "walk" } else { "Idle" });
        }
    }
    let (mut old, mut there) = (forest(sleeper(|walk| walk)), forest(sleeper(|walk| walk)));
    let ids = spawn(&mut old, 20);
    lines(&mut old, 2);
    let save = through_ron(&old.save_agents(ids.iter().copied()).unwrap());
    lines(&mut there, 7);
    there.restore(&mut World::default(), &save).unwrap();
    let told = lines(&mut there, 3);
    assert_eq!(told.len(), 3, "{told:?}");
    key(&mut there, ids[7], "sees", true);
    assert_eq!(there.tick(&mut World::default(), 0.1).unwrap().aborts, 1);
}

#[test]
fn every_agent_wakes_under_another_tree() {
    let mut old = forest(sleeper(|walk| walk));
    let ids = spawn(&mut old, 3);
    lines(&mut old, 2);
    let save = through_ron(&old.save().unwrap());
    let changed = |change: fn(Node<Game>) -> Node<Game>| move || sleeper(change);
    let named: Box<dyn Fn() -> Tree<Game>> = Box::new(changed(|it| it.named("more")));
    let others: [Box<dyn Fn() -> Tree<Game>>; 4] = [
        named,
        Box::new(changed(|it| it.aborts(Abort::SELF | Abort::LOWER_PRIORITY))),
        Box::new(|| {
            let mut builder = Tree::<Game>::builder("sleeper");
            builder.key("sees", false);
            builder.key("tired", false);
            let flee = sequence([check("sees"), wait(0.36)]).aborts(Abort::LOWER_PRIORITY);
            let walk = sequence([check("tired == false"), idle().named("walk")]).aborts(Abort::SELF);
            builder.build(selector([flee, walk])).unwrap()
        }),
        Box::new(|| {
            let mut builder = Tree::<Game>::builder("sleeper");
            builder.key("sees", false);
            builder.key("tired", false);
            builder.key("more", 0_i64);
            let flee = sequence([check("sees"), wait(0.35)]).aborts(Abort::LOWER_PRIORITY);
            let walk = sequence([check("tired == false"), idle().named("walk")]).aborts(Abort::SELF);
            builder.build(selector([flee, walk])).unwrap()
        }),
    ];
    for (number, other) in others.iter().enumerate() {
        let mut forest = forest(other());
        forest.restore(&mut World::default(), &save).unwrap();
        let report = forest.tick(&mut World::default(), 0.1).unwrap();
        assert_eq!((report.ticked, report.asleep), (3, 0), "{number}");
        assert_eq!(forest.agent(ids[0]).unwrap().phase(), Phase::Asleep);
    }
}

#[test]
fn an_agent_that_may_not_sleep_is_awake_after_a_restore_and_a_rollback() {
    let mut old = forest(sleeper(|walk| walk));
    let ids = spawn(&mut old, 3);
    lines(&mut old, 2);
    let (save, snapshot) = (through_ron(&old.save().unwrap()), old.snapshot().unwrap());
    for (sleep, every_tick) in [(false, false), (true, true), (false, true)] {
        let mut forest = forest(sleeper(|walk| walk));
        forest.configure(|it| (it.sleep, it.reevaluate_every_tick) = (sleep, every_tick));
        forest.restore(&mut World::default(), &save).unwrap();
        assert_eq!(forest.tick(&mut World::default(), 0.1).unwrap().ticked, 3);
        old.configure(|it| (it.sleep, it.reevaluate_every_tick) = (sleep, every_tick));
        old.rollback(&snapshot).unwrap();
        assert_eq!(old.tick(&mut World::default(), 0.1).unwrap().ticked, 3);
        assert_eq!(old.agent(ids[0]).unwrap().phase(), Phase::Active);
    }
}

#[test]
fn a_leaf_that_writes_a_key_when_it_is_restored_wakes_its_agent() {
    let mut old = forest(watcher(9.0, false));
    let ids = spawn(&mut old, 20);
    lines(&mut old, 2);
    let save = through_ron(&old.save().unwrap());
    let mut forest = forest(watcher(9.0, true));
    forest.restore(&mut World::default(), &save).unwrap();
    assert_eq!(forest.tick(&mut World::default(), 0.1).unwrap().aborts, 20);
    assert!(ids.iter().all(|it| forest.agent(*it).unwrap().inspect().to_string() == "Wait"));
}

#[test]
fn agents_of_a_save_of_version_1_wake() {
    let mut old = forest(sleeper(|walk| walk));
    spawn(&mut old, 3);
    lines(&mut old, 2);
    let mut json = serde_json::to_value(old.save().unwrap()).unwrap();
    json[0] = 1.into();
    // Without the fields that later versions appended.
    json.as_array_mut().unwrap().truncate(2);
    let save: Save = serde_json::from_value(json).unwrap();
    let mut forest = forest(sleeper(|walk| walk));
    forest.restore(&mut World::default(), &save).unwrap();
    assert_eq!(forest.tick(&mut World::default(), 0.1).unwrap().ticked, 3);
}

#[test]
fn an_agent_that_is_spawned_later_is_none_of_the_save() {
    let mut old = forest(sleeper(|walk| walk));
    spawn(&mut old, 3);
    lines(&mut old, 2);
    let save = through_ron(&old.save().unwrap());
    let mut forest = forest(sleeper(|walk| walk));
    forest.restore(&mut World::default(), &save).unwrap();
    let tree = forest.trees().next().unwrap();
    forest.spawn_with(&mut World::default(), tree, Spawn::default()).unwrap();
    let report = forest.tick(&mut World::default(), 0.1).unwrap();
    assert_eq!((report.ticked, report.asleep), (1, 3));
}

/// Watches a group key, a global key, and both beside a key of its own.
fn shared_watcher() -> Tree<Game> {
    let mut builder = Tree::<Game>::builder("shared");
    builder.key("hp", 9_i64);
    builder.key_in(Scope::Group, "post", 0_i64);
    builder.key_in(Scope::Global, "storm", 0_i64);
    let hide = sequence([check("global.storm > 3"), idle()]).aborts(Abort::BOTH);
    let fight = sequence([check("group.post > 0"), idle()]).aborts(Abort::BOTH);
    let flee = sequence([check("hp < 5 and group.post + global.storm > -5"), idle()]).aborts(Abort::BOTH);
    builder.build(selector([hide, fight, flee, idle().named("walk")])).unwrap()
}

/// Two squads of `agents` agents, and as many agents in none. All are asleep.
fn squads(agents: usize) -> (Forest<Game>, Vec<AgentId>) {
    let mut forest = forest(shared_watcher());
    let ids = spawn(&mut forest, 3 * agents);
    for ids in ids[..2 * agents].chunks(agents) {
        let squad = forest.new_group();
        ids.iter().for_each(|&it| forest.agent_mut(it).unwrap().join(Some(squad)).unwrap());
    }
    lines(&mut forest, 3);
    assert!(ids.iter().all(|&it| forest.agent(it).unwrap().phase() == Phase::Asleep));
    (forest, ids)
}

fn write_to_squad(forest: &mut Forest<Game>, member: AgentId, post: i64) {
    let squad = forest.agent(member).unwrap().group().unwrap();
    forest.group_mut(squad).unwrap().keys_mut().set_value("post", post).unwrap();
}

/// How many agents the next frame ticks.
fn ticked(forest: &mut Forest<Game>) -> u64 {
    forest.tick(&mut World::default(), 0.1).unwrap().ticked
}

fn idles_at(forest: &Forest<Game>, agent: AgentId) -> usize {
    forest.agent(agent).unwrap().current().next().unwrap().index()
}

#[test]
fn agents_that_watch_shared_keys_sleep_on_and_print_nothing() {
    for agents in [1, 3, 40] {
        let told = all_ways(squads(agents).0, || forest(shared_watcher()), 5);
        assert_eq!(told.len(), 5, "{told:?}");
    }
}

#[test]
fn what_the_game_wrote_to_shared_keys_since_the_last_frame_goes_with_a_save() {
    type Write = fn(&mut Forest<Game>, &[AgentId]);
    let writes: [(&str, Write, u64); 5] = [
        ("a global key", |it, _| drop(it.globals_mut().set_value("storm", 7_i64)), 3),
        ("a global key, which makes no difference", |it, _| drop(it.globals_mut().set_value("storm", 2_i64)), 3),
        ("the key of a squad", |it, ids| write_to_squad(it, ids[0], 1), 1),
        ("the key of an agent that is in no squad", |it, ids| write_to_squad(it, ids[ids.len() - 1], 1), 0),
        ("through an agent", |it, ids| drop(it.keys_mut(ids[0]).unwrap().set_value("post", 3_i64)), 1),
    ];
    for agents in [1, 3, 40] {
        for (what, write, squads_told) in writes {
            let (mut old, ids) = squads(agents);
            write(&mut old, &ids);
            let save = old.save().unwrap();
            let told = all_ways(old, || forest(shared_watcher()), 5);
            assert!(told.len() > 5, "{what}");
            let mut restored = forest(shared_watcher());
            restored.restore(&mut World::default(), &save).unwrap();
            let expected = if squads_told == 0 { 1 } else { squads_told * agents as u64 };
            assert_eq!([ticked(&mut restored), ticked(&mut restored)], [expected, 0], "{what}");
        }
    }
}

#[test]
fn what_was_written_here_before_a_save_came_wakes_nobody_of_it() {
    let (old, ids) = squads(3);
    let mut here = forest(shared_watcher());
    here.globals_mut().set_value("storm", 7_i64).unwrap();
    here.restore(&mut World::default(), &old.save().unwrap()).unwrap();
    assert_eq!(ticked(&mut here), 0);
    assert_eq!(here.globals().value("storm"), Ok(0_i64.into()));
    // Writes after that are noticed.
    here.globals_mut().set_value("storm", 7_i64).unwrap();
    assert_eq!(ticked(&mut here), ids.len() as u64);
}

#[test]
fn some_agents_that_come_again_find_what_their_shared_keys_hold_here() {
    let (mut old, ids) = squads(3);
    let save = through_ron(&old.save_agents(ids[..3].iter().copied()).unwrap());
    ids[..2].iter().for_each(|&it| old.agent_mut(it).unwrap().despawn(&mut World::default()));
    assert_eq!(ticked(&mut old), 0);
    // One of the squad stays: while the others are away, its key changes.
    write_to_squad(&mut old, ids[2], 4);
    assert_eq!([ticked(&mut old), ticked(&mut old)], [1, 0]);
    old.agent_mut(ids[2]).unwrap().despawn(&mut World::default());
    old.restore(&mut World::default(), &save).unwrap();
    assert_eq!([ticked(&mut old), ticked(&mut old)], [3, 0]);
    let walking = idles_at(&old, ids[3]);
    assert!(ids[..3].iter().all(|&it| idles_at(&old, it) != walking));
    // They notice writes like all others.
    write_to_squad(&mut old, ids[0], 0);
    assert_eq!([ticked(&mut old), ticked(&mut old)], [3, 0]);
    assert!(ids[..3].iter().all(|&it| idles_at(&old, it) == walking));
}

/// Idles until two seconds of the forest's time.
fn until_two() -> Forest<Game> {
    let calm = sequence([check("now >= 2"), idle().named("late")]).aborts(Abort::LOWER_PRIORITY);
    forest(Tree::<Game>::builder("sleeper").build(selector([calm, idle()])).unwrap())
}

#[test]
fn who_waits_for_a_moment_sleeps_on_and_finds_it_passed_in_another_forest() {
    let mut old = until_two();
    let ids = spawn(&mut old, 3);
    lines(&mut old, 3);
    let save = through_ron(&old.save_agents(ids.iter().copied()).unwrap());
    all_ways(old, until_two, 25);
    let mut later = until_two();
    lines(&mut later, 30);
    later.restore(&mut World::default(), &save).unwrap();
    assert_eq!(later.tick(&mut World::default(), 0.1).unwrap().aborts, 3);
}
