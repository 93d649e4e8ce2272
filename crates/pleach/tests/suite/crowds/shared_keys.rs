//! Observers of group and global keys: an agent is ticked when a shared key that it watches has
//! changed, and sleeps while none does (SEMANTICS 8.3, 8.9). Any writer counts: an agent before or
//! after it, in its chunk, another chunk or another tree, or the game.

use crate::support;

use pleach_core::nodes::{action, check, guard, idle, selector, sequence, set, switch, wait_until};
use pleach_core::{
    AgentId, Forest, GroupId, Key, Phase, Replace, Spawn, Status, TickReport, Tree, TreeId,
    nodes::{Abort, Node},
    schema::Scope,
};
use support::{Cx, Game, World};

/// How a forest ticks its agents.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    InOrder,
    Batched,
    Threads,
}

const WAYS: [Way; 3] = [Way::InOrder, Way::Batched, Way::Threads];

/// A forest with trees of agents that watch `alarm` or, of their squad, `post`. Agents whose own
/// key `writes` is as high as the frame write both, once.
struct Crowd {
    forest: Forest<Game>,
    world: World,
    way: Way,
    frame: i64,
}

#[derive(Clone, Copy)]
struct Keys {
    alarm: Key<bool>,
    post: Key<i64>,
    /// In which frame the agent writes the alarm, if in any.
    writes: Key<i64>,
    frame: Key<i64>,
}

/// A tree with these keys.
fn tree(name: &str, root: impl FnOnce(Keys) -> Node<Game>) -> (Tree<Game>, Keys) {
    let mut builder = Tree::builder(name);
    let keys = Keys {
        alarm: builder.key_in(Scope::Global, "alarm", false),
        post: builder.key_in(Scope::Group, "post", 0_i64),
        writes: builder.key("writes", 0_i64),
        frame: builder.key("frame", 0_i64),
    };
    builder.key_in(Scope::Global, "noise", 0_i64);
    builder.key_in(Scope::Group, "chatter", 0_i64);
    (builder.build(root(keys)).expect("valid"), keys)
}

/// Idles until `test` holds.
fn until(test: &str) -> Node<Game> {
    selector([sequence([check(test), idle()]).aborts(Abort::BOTH), idle()])
}

impl Crowd {
    fn new(way: Way) -> Self {
        let mut forest = Forest::new(5);
        forest.configure(|it| it.batched = way == Way::Batched);
        Crowd { forest, world: World::default(), way, frame: 0 }
    }

    fn add(&mut self, tree: Tree<Game>, agents: usize) -> (TreeId, Vec<AgentId>) {
        let tree = self.forest.add_tree(tree).expect("its keys are declared alike");
        (tree, (0..agents).map(|_| self.forest.spawn(&mut self.world, tree).expect("room")).collect())
    }

    fn tick(&mut self) -> TickReport {
        self.frame += 1;
        match self.way {
            Way::InOrder | Way::Batched => self.forest.tick(&mut self.world, 0.125),
            Way::Threads => self.forest.tick_parallel(0.125, |_| World::default(), |_| ()),
        }
        .expect("a time")
    }

    /// Ticks until the agents have begun, and returns how many are ticked and how many sleep in the
    /// next tick.
    fn begun(&mut self) -> (u64, u64) {
        self.tick();
        self.tick();
        self.counts()
    }

    fn counts(&mut self) -> (u64, u64) {
        let TickReport { ticked, asleep, .. } = self.tick();
        (ticked, asleep)
    }

    fn idles_at(&self, agent: AgentId) -> usize {
        self.forest.agent(agent).expect("here").current().next().expect("it idles").index()
    }
}

#[test]
fn agents_under_a_global_key_sleep_until_it_changes() {
    for way in WAYS {
        // Few agents of a chunk, one chunk, and several.
        for agents in [1, 7, 300, 2500] {
            let mut crowd = Crowd::new(way);
            let (_, all) = crowd.add(tree("reader", |_| until("global.alarm")).0, agents);
            let count = agents as u64;
            assert_eq!(crowd.begun(), (0, count), "{way:?}");
            crowd.forest.globals_mut().set_value("alarm", true).expect("a key");
            assert_eq!(crowd.idles_at(all[agents - 1]), 4);
            assert_eq!(crowd.counts(), (count, 0), "{way:?}");
            assert_eq!(crowd.counts(), (0, count), "{way:?}");
            assert!(all.iter().all(|&it| crowd.idles_at(it) == 3));
            // A key that no agent watches, and an unchanged value, wake no agent.
            crowd.forest.globals_mut().set_value("noise", 7_i64).expect("a key");
            crowd.forest.globals_mut().set_value("alarm", true).expect("a key");
            assert_eq!(crowd.counts(), (0, count), "{way:?}");
            crowd.forest.globals_mut().reset_all();
            assert_eq!(crowd.counts(), (count, 0), "{way:?}");
            assert!(all.iter().all(|&it| crowd.idles_at(it) == 4));
        }
    }
}

#[test]
fn a_change_of_a_group_key_wakes_the_members_of_that_group_alone() {
    for way in WAYS {
        let mut crowd = Crowd::new(way);
        let tree = crowd.forest.add_tree(tree("reader", |_| until("group.post > 0")).0).expect("its keys are alike");
        let squads: Vec<GroupId> = (0..60).map(|_| crowd.forest.new_group()).collect();
        // Members of a squad are far apart in the order; every sixth agent is in none.
        let spawn = |at: usize| Spawn { group: squads.get(at % 72).copied(), ..Spawn::default() };
        let all: Vec<_> =
            (0..1440).map(|at| crowd.forest.spawn_with(&mut crowd.world, tree, spawn(at)).expect("room")).collect();
        assert_eq!(crowd.begun(), (0, 1440), "{way:?}");
        crowd.forest.group_mut(squads[3]).expect("here").keys_mut().set_value("post", 1_i64).expect("a key");
        assert_eq!(crowd.counts(), (20, 1420), "{way:?}");
        assert_eq!(crowd.counts(), (0, 1440), "{way:?}");
        let woken = |at: &usize| crowd.idles_at(all[*at]) == 3;
        assert!((0..1440).filter(woken).eq((0..1440).filter(|it| it % 72 == 3)));
        crowd.forest.group_mut(squads[3]).expect("here").keys_mut().set_value("chatter", 1_i64).expect("a key");
        assert_eq!(crowd.counts(), (0, 1440), "{way:?}");
        // Through an agent, also one that is alone.
        crowd.forest.keys_mut(all[5]).expect("here").set_value("post", 1_i64).expect("a key");
        crowd.forest.keys_mut(all[70]).expect("here").set_value("post", 1_i64).expect("a key");
        assert_eq!(crowd.counts(), (21, 1419), "{way:?}");
        // The group of one that is alone can be written to as well.
        let own = crowd.forest.agent(all[71]).expect("here").group().expect("its own");
        crowd.forest.group_mut(own).expect("here").keys_mut().set_value("post", 1_i64).expect("a key");
        assert_eq!(crowd.counts(), (1, 1439), "{way:?}");
        // Through all agents: each squad once.
        crowd.forest.population_mut(tree).expect("here").update_agents(|it| {
            it.set_value("post", 2_i64).expect("a key");
        });
        assert_eq!(crowd.counts(), (1440, 0), "{way:?}");
        assert_eq!(crowd.counts(), (0, 1440), "{way:?}");
    }
}

/// Writes the alarm in the frame that the agent's key says, and otherwise runs.
fn writer(keys: Keys) -> Node<Game> {
    action(move |cx: &mut Cx<'_, '_>| {
        let frame = cx.get(keys.frame) + 1;
        cx.set(keys.frame, frame);
        if frame == cx.get(keys.writes) {
            let alarm = cx.get(keys.alarm);
            cx.set(keys.alarm, !alarm);
            let post = cx.get(keys.post);
            cx.set(keys.post, post + 1);
        }
        Status::Running
    })
}

/// In one chunk: agents that write are among those that read. Which of them see the change in the
/// frame of the write is fixed in order (those after the writer), and in batches and on threads
/// those too, as they are asleep; the others in the next frame. Each is ticked once.
#[test]
fn readers_behind_a_writer_of_their_chunk_wake_in_the_same_frame_and_the_others_in_the_next() {
    for way in WAYS {
        for (agents, at) in [(9, 0), (9, 4), (9, 8), (300, 0), (300, 150), (300, 299)] {
            for test in ["global.alarm", "group.post > 0"] {
                let mut crowd = Crowd::new(way);
                let root = |keys: Keys| {
                    let role = check("writes > 0");
                    selector([sequence([role, writer(keys)]), until(test)])
                };
                let (tree, keys) = tree("mixed", root);
                let tree = crowd.forest.add_tree(tree).expect("its keys are alike");
                let squad = crowd.forest.new_group();
                let spawn = || Spawn { group: Some(squad), ..Spawn::default() };
                let all: Vec<_> = (0..agents)
                    .map(|_| crowd.forest.spawn_with(&mut crowd.world, tree, spawn()).expect("room"))
                    .collect();
                crowd.forest.keys_mut(all[at]).expect("here").set(keys.writes, 4);
                let (readers, before) = (agents as u64 - 1, at as u64);
                let what = format!("{way:?} {agents} {at} {test}");
                assert_eq!(crowd.begun(), (1, readers), "{what}");
                assert_eq!(crowd.counts(), (1 + readers - before, before), "{what}");
                assert_eq!(crowd.counts(), (1 + before, readers - before), "{what}");
                assert_eq!(crowd.counts(), (1, readers), "{what}");
                let woken = |it: &&AgentId| crowd.idles_at(**it) == 7;
                assert_eq!(all.iter().filter(woken).count(), agents - 1, "{what}");
            }
        }
    }
}

/// The next nodes of such an agent need updates: it must not be skipped in the next frames.
#[test]
fn a_reader_that_wakes_in_the_frame_of_the_write_is_ticked_in_the_next_ones_too() {
    for way in WAYS {
        for agents in [9, 300] {
            let mut crowd = Crowd::new(way);
            let root = |keys: Keys| {
                let count = action(move |cx: &mut Cx<'_, '_>| {
                    let frame = cx.get(keys.frame) + 1;
                    cx.set(keys.frame, frame);
                    Status::Running
                });
                let reader = selector([sequence([check("global.alarm"), count]).aborts(Abort::BOTH), idle()]);
                selector([sequence([check("writes > 0"), writer(keys)]), reader])
            };
            let (tree, keys) = tree("mixed", root);
            let (_, all) = crowd.add(tree, agents);
            crowd.forest.keys_mut(all[0]).expect("here").set(keys.writes, 3);
            for _ in 0..6 {
                crowd.tick();
            }
            let updates = |it: &AgentId| crowd.forest.keys(*it).expect("here").get(keys.frame);
            let updates: Vec<i64> = all[1..].iter().map(updates).collect();
            // They hear of the write in the third frame.
            assert_eq!(updates, vec![4; agents - 1], "{way:?}");
        }
    }
}

#[test]
fn readers_of_later_chunks_and_trees_wake_in_the_same_frame_but_on_threads_in_the_next() {
    for way in WAYS {
        for test in ["global.alarm", "group.post > 0"] {
            let mut crowd = Crowd::new(way);
            let squad = crowd.forest.new_group();
            let spawn = || Spawn { group: Some(squad), ..Spawn::default() };
            let (before, _) = tree("before", |_| until(test));
            let (writers, keys) = tree("writers", writer);
            let (behind, _) = tree("behind", |_| until(test));
            let mut add = |tree: Tree<Game>, agents: usize| {
                let tree = crowd.forest.add_tree(tree).expect("its keys are alike");
                let mut all = Vec::new();
                for _ in 0..agents {
                    all.push(crowd.forest.spawn_with(&mut crowd.world, tree, spawn()).expect("room"));
                }
                all
            };
            add(before, 1500);
            let writers = add(writers, 1);
            add(behind, 1500);
            crowd.forest.keys_mut(writers[0]).expect("here").set(keys.writes, 4);
            assert_eq!(crowd.begun(), (1, 3000), "{way:?} {test}");
            let expected = match way {
                Way::InOrder | Way::Batched => [(1501, 1500), (1501, 1500), (1, 3000)],
                Way::Threads => [(1, 3000), (3001, 0), (1, 3000)],
            };
            let found = [crowd.counts(), crowd.counts(), crowd.counts()];
            assert_eq!(found, expected, "{way:?} {test}");
        }
    }
}

/// On threads each of two chunks writes, and the last one counts: the agents of the first have seen
/// another value, and are asked again, even if the last one restored the value from before.
#[test]
fn on_threads_agents_that_saw_another_value_than_what_counts_are_asked_again() {
    for last_changes in [false, true] {
        let mut crowd = Crowd::new(Way::Threads);
        crowd.forest.configure(|it| it.chunk_size = 4);
        let mut builder = Tree::builder("two");
        let level = builder.key_in(Scope::Global, "level", 1_i64);
        let writes = builder.key("writes", 0_i64);
        let put = action(move |cx: &mut Cx<'_, '_>| {
            let value = cx.get(writes);
            cx.set(level, value);
            cx.set(writes, 0);
            Status::Success
        });
        let reader = selector([sequence([check("global.level == 5"), idle()]).aborts(Abort::BOTH), idle()]);
        let writer = sequence([check("writes > 0"), put]).aborts(Abort::BOTH);
        let tree = builder.build(selector([writer, reader])).expect("valid");
        let (_, all) = crowd.add(tree, 8);
        assert_eq!(crowd.begun(), (0, 8));
        crowd.forest.keys_mut(all[0]).expect("here").set(writes, 5);
        crowd.forest.keys_mut(all[4]).expect("here").set(writes, if last_changes { 7 } else { 1 });
        crowd.tick();
        for _ in 0..3 {
            crowd.tick();
        }
        let high = |it: &&AgentId| crowd.forest.keys(**it).expect("here").value("level") == Ok(5_i64.into());
        assert_eq!(all.iter().filter(high).count(), 0);
        assert!(all.iter().all(|&it| crowd.idles_at(it) == 8), "{last_changes}");
        assert_eq!(crowd.counts(), (0, 8));
    }
}

#[test]
fn all_that_observes_shared_keys_sleeps_and_wakes() {
    type Make = fn() -> Node<Game>;
    let roots: [(&str, Make); 5] = [
        ("a check below several composites", || until("global.alarm && writes == 0")),
        ("a guard", || selector([guard(check("!global.alarm"), idle()), idle()])),
        ("a switch", || switch("global.alarm", [(true, idle()), (false, idle())])),
        ("what waits", || sequence([wait_until("global.alarm"), idle()])),
        ("what two keys wake", || until("global.alarm || group.post == 9")),
    ];
    for (what, root) in roots {
        for way in WAYS {
            let mut crowd = Crowd::new(way);
            let (_, all) = crowd.add(tree("reader", |_| root()).0, 40);
            assert_eq!(crowd.begun(), (0, 40), "{what} {way:?}");
            let before = crowd.idles_at(all[0]);
            crowd.forest.globals_mut().set_value("alarm", true).expect("a key");
            assert_eq!(crowd.counts(), (40, 0), "{what} {way:?}");
            assert_eq!(crowd.counts(), (0, 40), "{what} {way:?}");
            assert!(all.iter().all(|&it| crowd.idles_at(it) != before), "{what} {way:?}");
        }
    }
}

#[test]
fn who_joins_leaves_or_loses_a_group_is_asked_again() {
    for way in WAYS {
        let mut crowd = Crowd::new(way);
        let (_, all) = crowd.add(tree("reader", |_| until("group.post > 0")).0, 30);
        let squad = crowd.forest.new_group();
        crowd.forest.group_mut(squad).expect("here").keys_mut().set_value("post", 3_i64).expect("a key");
        assert_eq!(crowd.begun(), (0, 30));
        let woken = |crowd: &Crowd| all.iter().filter(|it| crowd.idles_at(**it) == 3).count();
        for &it in &all[..10] {
            crowd.forest.agent_mut(it).expect("here").join(Some(squad)).expect("here");
        }
        assert_eq!((crowd.counts(), woken(&crowd)), ((10, 20), 10), "{way:?}");
        crowd.forest.agent_mut(all[0]).expect("here").join(None).expect("here");
        assert_eq!((crowd.counts(), woken(&crowd)), ((1, 29), 9), "{way:?}");
        // A change that they have not seen yet, and then another group.
        crowd.forest.group_mut(squad).expect("here").keys_mut().set_value("post", 0_i64).expect("a key");
        crowd.forest.agent_mut(all[1]).expect("here").join(None).expect("here");
        assert_eq!((crowd.counts(), woken(&crowd)), ((9, 21), 0), "{way:?}");
        crowd.forest.group_mut(squad).expect("here").keys_mut().set_value("post", 4_i64).expect("a key");
        assert_eq!((crowd.counts(), woken(&crowd)), ((8, 22), 8), "{way:?}");
        crowd.forest.group_mut(squad).expect("here").remove();
        assert_eq!((crowd.counts(), woken(&crowd)), ((8, 22), 0), "{way:?}");
        assert_eq!(crowd.counts(), (0, 30));
    }
}

#[test]
fn within_a_budget_nobody_is_ticked_beyond_it_whom_a_writer_wakes() {
    use pleach_core::Budget;
    for batched in [false, true] {
        for budget in [1, 3, 40] {
            let mut crowd = Crowd::new(Way::InOrder);
            crowd.forest.configure(|it| it.batched = batched);
            let root = |keys: Keys| selector([sequence([check("writes > 0"), writer(keys)]), until("global.alarm")]);
            let (tree, keys) = tree("mixed", root);
            let (_, all) = crowd.add(tree, 100);
            crowd.forest.keys_mut(all[50]).expect("here").set(keys.writes, 6);
            let mut calls = 0;
            while all.iter().any(|&it| crowd.forest.agent(it).expect("here").current().next().is_none()) {
                let report = crowd.forest.tick_within(&mut crowd.world, 0.1, Budget::Agents(budget)).expect("a time");
                assert!(report.ticked <= budget);
            }
            while all.iter().any(|&it| it != all[50] && crowd.idles_at(it) != 7) {
                let report = crowd.forest.tick_within(&mut crowd.world, 0.1, Budget::Agents(budget)).expect("a time");
                assert!(report.ticked <= budget, "{report:?}");
                calls += 1;
                assert!(calls < 1000);
            }
            // All except the writer sleep.
            crowd.forest.tick_within(&mut crowd.world, 0.1, Budget::Agents(budget)).expect("a time");
            let asleep = all.iter().filter(|it| crowd.forest.agent(**it).expect("here").phase() == Phase::Asleep);
            assert_eq!(asleep.count(), 99);
        }
    }
}

#[test]
fn a_write_that_is_not_yet_told_goes_with_a_snapshot() {
    for way in WAYS {
        let mut crowd = Crowd::new(way);
        let (_, all) = crowd.add(tree("reader", |_| until("global.alarm")).0, 50);
        assert_eq!(crowd.begun(), (0, 50));
        let calm = crowd.forest.snapshot().expect("states are copied");
        crowd.forest.globals_mut().set_value("alarm", true).expect("a key");
        let raised = crowd.forest.snapshot().expect("states are copied");
        assert_eq!(crowd.counts(), (50, 0));
        crowd.forest.rollback(&raised).expect("its trees");
        assert_eq!(crowd.counts(), (50, 0));
        assert!(all.iter().all(|&it| crowd.idles_at(it) == 3));
        crowd.forest.rollback(&calm).expect("its trees");
        assert_eq!(crowd.counts(), (0, 50));
        crowd.forest.globals_mut().set_value("alarm", true).expect("a key");
        crowd.forest.rollback(&calm).expect("its trees");
        assert_eq!(crowd.counts(), (0, 50));
        assert!(all.iter().all(|&it| crowd.idles_at(it) == 4));
    }
}

#[test]
fn another_version_of_a_tree_watches_what_it_reads() {
    for way in WAYS {
        let mut crowd = Crowd::new(way);
        let (id, all) = crowd.add(tree("reader", |_| until("global.noise > 3")).0, 50);
        let (other, _) = tree("other", |_| until("global.alarm"));
        let (_, others) = crowd.add(other, 50);
        assert_eq!(crowd.begun(), (0, 100));
        // The first version is asked once more, and gone when its key changes.
        crowd.forest.globals_mut().set_value("noise", 9_i64).expect("a key");
        let again = Replace::restart(tree("reader", |_| until("global.alarm")).0);
        crowd.forest.replace_tree(&mut crowd.world, id, again).expect("alike");
        assert_eq!(crowd.begun(), (0, 100), "{way:?}");
        crowd.forest.globals_mut().set_value("noise", 2_i64).expect("a key");
        assert_eq!(crowd.counts(), (0, 100), "{way:?}");
        // A kept condition is watched under the new version too. A write from before that was not
        // seen yet is found then.
        crowd.forest.globals_mut().set_value("alarm", true).expect("a key");
        crowd.forest.replace_tree(&mut crowd.world, id, tree("reader", |_| until("global.alarm")).0).expect("alike");
        assert_eq!(crowd.counts(), (100, 0), "{way:?}");
        assert!(all.iter().chain(&others).all(|&it| crowd.idles_at(it) == 3), "{way:?}");
        // Removing a tree takes nothing from the other.
        crowd.forest.remove_tree(&mut crowd.world, id).expect("here");
        crowd.forest.globals_mut().set_value("alarm", false).expect("a key");
        assert_eq!(crowd.counts(), (50, 0), "{way:?}");
    }
}

/// An agent's own write wakes it, as with its own keys.
#[test]
fn an_agent_that_changes_what_it_watches_is_asked_again_as_with_its_own_keys() {
    for way in WAYS {
        let ticked = |scope| {
            let mut crowd = Crowd::new(way);
            let mut builder = Tree::builder("counter");
            let count = builder.key_in(scope, "count", 0_i64);
            let word = match scope {
                Scope::Agent | Scope::Node => "count",
                Scope::Group => "group.count",
                Scope::Global => "global.count",
            };
            let up = action(move |cx: &mut Cx<'_, '_>| {
                let value = cx.get(count);
                cx.set(count, value + 1);
                Status::Success
            });
            let even = sequence([check(&format!("{word} % 2 == 0 && {word} < 6")), up, idle()]).aborts(Abort::BOTH);
            let odd =
                sequence([check(&format!("{word} % 2 == 1 && {word} < 6")), set(word, &format!("{word} + 1")), idle()]);
            let tree = builder.build(selector([even, odd.aborts(Abort::BOTH), idle()])).expect("valid");
            let (_, all) = crowd.add(tree, 1);
            let ticked: Vec<u64> = (0..10).map(|_| crowd.counts().0).collect();
            assert_eq!(crowd.forest.keys(all[0]).expect("here").get(count), 6, "{scope:?} {way:?}");
            ticked
        };
        let own = ticked(Scope::Agent);
        assert_eq!(own.last(), Some(&0));
        assert_eq!([ticked(Scope::Group), ticked(Scope::Global)], [own.clone(), own], "{way:?}");
    }
}
