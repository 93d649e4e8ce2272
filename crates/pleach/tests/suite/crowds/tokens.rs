//! Tokens (SEMANTICS 8.36): which agent gets a place, in which order, on threads and after a save;
//! and what gives a place back.

use crate::dice::Dice;
use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach_core::nodes::{action, check, free, guard, idle, reactive_selector, selector, sequence, token, wait};
use pleach_core::{
    AgentId, Brain, Forest, GroupId, Phase, Rate, Save, Spawn, Status, Tree, TreeId,
    error::{AddTreeError, Field, Problem, ProblemKind, TokenProblem},
    inspect::AgentView,
    nodes::{Abort, Node},
};
use support::{Game, World};

/// Holds a place of `t` as long as its key says so, and asks in every tick for one.
fn taker(of: impl FnOnce(Node<Game>) -> Node<Game>) -> Tree<Game> {
    named("taker", of)
}

fn named(name: &str, of: impl FnOnce(Node<Game>) -> Node<Game>) -> Tree<Game> {
    let mut builder = Tree::builder(name);
    builder.key("wants", false);
    builder.build(reactive_selector([guard("wants", of(idle().named("held"))), idle()])).unwrap()
}

fn want(forest: &mut Forest<Game>, agent: AgentId, wants: bool) {
    forest.keys_mut(agent).unwrap().set_value("wants", wants).unwrap();
}

fn holds(forest: &Forest<Game>, agent: AgentId) -> bool {
    does_hold(&forest.agent(agent).unwrap().inspect())
}

fn does_hold(view: &AgentView<Game>) -> bool {
    view.stacks.iter().flatten().any(|it| view.tree.node(*it).unwrap().name() == Some("held"))
}

/// A forest with agents of a tree in one group.
fn squad(tree: Tree<Game>, size: usize) -> (Forest<Game>, TreeId, GroupId, Vec<AgentId>) {
    squad_in_chunks(tree, size, 1024)
}

/// The same in chunks of `chunk` agents.
fn squad_in_chunks(tree: Tree<Game>, size: usize, chunk: usize) -> (Forest<Game>, TreeId, GroupId, Vec<AgentId>) {
    let mut forest = Forest::new(7);
    forest.configure(|it| it.chunk_size = chunk);
    let tree = forest.add_tree(tree).unwrap();
    let group = forest.new_group();
    let spawn = || Spawn { group: Some(group), ..Spawn::default() };
    let agents = (0..size).map(|_| forest.spawn_with(&mut World::default(), tree, spawn()).unwrap()).collect();
    (forest, tree, group, agents)
}

fn tick(forest: &mut Forest<Game>) {
    forest.tick(&mut World::default(), 1.0).unwrap();
}

fn tick_on(forest: &mut Forest<Game>, threads: usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| forest.tick_parallel(1.0, |_| World::default(), drop)).unwrap();
}

/// The rule as lists: an agent asks in its turn, and gets a place if more are free than wait before
/// it.
struct Model {
    count: usize,
    rest: u32,
    holders: Vec<usize>,
    rests: Vec<u32>,
    queue: Vec<usize>,
}

impl Model {
    fn tick(&mut self, wants: &[bool]) {
        self.rests.iter_mut().for_each(|it| *it -= 1);
        self.rests.retain(|it| *it > 0);
        for (agent, &wants) in wants.iter().enumerate() {
            let held = self.holders.iter().position(|it| *it == agent);
            match (held, wants) {
                (Some(at), false) => {
                    self.holders.remove(at);
                    self.rests.extend(Some(self.rest).filter(|it| *it > 0));
                }
                (Some(_), true) => {}
                (None, false) => self.queue.retain(|it| *it != agent),
                (None, true) => {
                    let free = self.count - self.holders.len() - self.rests.len();
                    let before = self.queue.iter().position(|it| *it == agent);
                    if free > before.unwrap_or(self.queue.len()) {
                        self.queue.retain(|it| *it != agent);
                        self.holders.push(agent);
                    } else if before.is_none() {
                        self.queue.push(agent);
                    }
                }
            }
        }
    }
}

#[test]
fn places_are_given_in_the_order_of_the_queue() {
    for seed in 0..40 {
        let mut dice = Dice(seed);
        let (count, rest, few) = (1 + dice.below(4), u32::try_from(dice.below(3)).unwrap(), 2 + dice.below(12));
        // Sixteen agents and more are ticked in batches, in every fourth seed.
        let size = if seed % 4 == 0 { few + 30 } else { few };
        let global = dice.below(2) == 0;
        let of = |child| {
            let node = token("t", u32::try_from(count).unwrap(), child).rest(rest.into());
            if global { node.global() } else { node }
        };
        let on_threads = dice.below(3) == 0;
        let chunk = if on_threads || size > 16 { 1024 } else { 1 + dice.below(5) };
        let (mut forest, _, _, agents) = squad_in_chunks(taker(of), size, chunk);
        forest.configure(|it| it.batched = seed % 2 == 0);
        let mut model = Model { count, rest, holders: Vec::new(), rests: Vec::new(), queue: Vec::new() };
        let mut wants = vec![false; size];
        let mut before = None;
        for frame in 0..60 {
            for at in 0..size {
                if dice.below(4) == 0 {
                    wants[at] = !wants[at];
                    want(&mut forest, agents[at], wants[at]);
                }
            }
            // One chunk on threads does what a plain tick does.
            if on_threads {
                tick_on(&mut forest, 2)
            } else {
                tick(&mut forest)
            }
            model.tick(&wants);
            let found: Vec<usize> = (0..size).filter(|it| holds(&forest, agents[*it])).collect();
            let mut expected = model.holders.clone();
            expected.sort_unstable();
            assert_eq!(found, expected, "seed {seed}, frame {frame}, {count} places, rest {rest}, {wants:?}");
            // A saved and restored forest, or a rolled back one, continues alike.
            if frame % 7 == 3 {
                let text = ron::to_string(&forest.save().unwrap()).unwrap();
                let save: Save = ron::from_str(&text).unwrap();
                let mut other = Forest::new(1);
                other.configure(|it| (it.chunk_size, it.batched) = (chunk, seed % 2 == 0));
                other.add_tree(taker(of)).unwrap();
                other.restore(&mut World::default(), &save).unwrap();
                before = Some(forest.snapshot().unwrap());
                (0..5).for_each(|_| tick(&mut forest));
                forest.rollback(before.as_ref().unwrap()).unwrap();
                forest = other;
            }
        }
        assert!(before.is_some());
    }
}

#[test]
fn on_threads_no_more_agents_hold_a_place_than_there_are() {
    const SIZE: usize = 60;
    for (seed, global) in [(1_u32, false), (2, true), (3, false), (4, true)] {
        let of = |child| {
            let node = token("t", 3, child).rest(f64::from(seed % 2));
            if global { node.global() } else { node }
        };
        let run = |threads: usize| {
            let (mut forest, tree, _, mut agents) = squad_in_chunks(taker(of), 0, 7);
            let groups = [forest.new_group(), forest.new_group()];
            for at in 0..SIZE {
                let spawn = Spawn { group: Some(groups[at % 2]), ..Spawn::default() };
                agents.push(forest.spawn_with(&mut World::default(), tree, spawn).unwrap());
            }
            let mut dice = Dice(seed.into());
            let (mut since, mut held, mut log) = (vec![None; SIZE], vec![0; SIZE], Vec::new());
            for frame in 0..400 {
                for at in 0..SIZE {
                    // An agent that wants a place keeps wanting it until it has held one for two
                    // frames.
                    if since[at].is_none() && dice.below(6) == 0 {
                        since[at] = Some(frame);
                        want(&mut forest, agents[at], true);
                    } else if held[at] == 2 {
                        (since[at], held[at]) = (None, 0);
                        want(&mut forest, agents[at], false);
                    }
                }
                tick_on(&mut forest, threads);
                let all: Vec<usize> = (0..SIZE).filter(|it| holds(&forest, agents[*it])).collect();
                for group in 0..2 {
                    let of_group = all.iter().filter(|it| global || **it % 2 == group).count();
                    assert!(of_group <= 3, "frame {frame}: {all:?}");
                }
                for &at in &all {
                    held[at] += 1;
                    since[at] = Some(frame);
                }
                // At worst all others come before it, in rounds of three of five frames.
                let longest = since.iter().flatten().map(|it| frame - it).max().unwrap_or(0);
                assert!(longest <= SIZE.div_ceil(3) * 6, "frame {frame}: one waits for {longest} frames");
                log.push(all);
            }
            assert!(log.iter().map(Vec::len).sum::<usize>() > 300, "places are used");
            log
        };
        let first = run(1);
        assert_eq!(first, run(2));
        assert_eq!(first, run(5));
    }
}

/// Sleeps until a place is free, and holds it for two seconds.
fn sleeper(name: &str, rest: f64) -> Tree<Game> {
    let take = token("t", 1, wait(2.0).named("held")).rest(rest).global();
    let root = selector([sequence([free("t"), take]).aborts(Abort::LOWER_PRIORITY), idle()]);
    Tree::builder(name).build(root).unwrap()
}

#[test]
fn a_place_that_is_free_again_wakes_who_sleeps() {
    for (threads, chunk, rest) in [(0, 1024, 0.0), (0, 1, 0.0), (0, 1024, 3.0), (2, 1, 0.0), (2, 1, 3.0)] {
        let mut forest = Forest::new(7);
        forest.configure(|it| it.chunk_size = chunk);
        let trees = ["a", "b"].map(|it| forest.add_tree(sleeper(it, rest)).unwrap());
        let agents = trees.map(|it| forest.spawn(&mut World::default(), it).unwrap());
        let (mut turns, mut slept) = (Vec::new(), 0);
        for _ in 0..16 {
            if threads > 0 {
                tick_on(&mut forest, threads)
            } else {
                tick(&mut forest)
            }
            let held = agents.map(|it| holds(&forest, it));
            assert!(held != [true, true]);
            slept += agents.iter().filter(|it| forest.agent(**it).unwrap().phase() == Phase::Asleep).count();
            turns.push(held);
        }
        turns.dedup();
        // The first finds the place when it has rested, and the second in the frame in which the
        // first lets go.
        assert!(turns.contains(&[true, false]) && (rest > 0.0 || turns.contains(&[false, true])), "{turns:?}");
        assert!(turns.len() >= 5, "{turns:?}");
        // Only the agent that has just let go is awake.
        assert!(slept >= 20, "{slept}");
    }
}

#[test]
fn a_brain_has_tokens_of_its_own() {
    let mut brains = [0, 1].map(|seed| Brain::new(&mut World::default(), sleeper("alone", 3.0), seed));
    for second in 1..=20 {
        for brain in &mut brains {
            brain.tick(&mut World::default(), 1.0).unwrap();
            // It holds the place for two seconds, and rests for three.
            let expected = (second - 1) % 5 < 2;
            assert_eq!(does_hold(&brain.inspect().unwrap()), expected, "second {second}");
        }
    }
}

#[test]
fn every_end_gives_the_place_back() {
    type Deed = fn(&mut Forest<Game>, AgentId);
    let ends: [(&str, Deed, bool); 7] = [
        ("despawn", |it, agent| it.agent_mut(agent).unwrap().despawn(&mut World::default()), true),
        ("disable", |it, agent| it.agent_mut(agent).unwrap().disable(&mut World::default()), true),
        ("restart", |it, agent| it.agent_mut(agent).unwrap().restart(&mut World::default()), false),
        ("pause", |it, agent| it.agent_mut(agent).unwrap().pause(&mut World::default()), false),
        ("leave", |it, agent| it.agent_mut(agent).unwrap().join(None).unwrap(), false),
        (
            "other group",
            |it, agent| {
                let other = it.new_group();
                it.agent_mut(agent).unwrap().join(Some(other)).unwrap();
            },
            false,
        ),
        ("nothing", |_, _| (), false),
    ];
    for (what, end, gives_back) in ends {
        let (mut forest, _, _, agents) = squad(taker(|child| token("t", 1, child)), 2);
        want(&mut forest, agents[0], true);
        tick(&mut forest);
        assert!(holds(&forest, agents[0]));
        end(&mut forest, agents[0]);
        want(&mut forest, agents[1], true);
        tick(&mut forest);
        assert_eq!(holds(&forest, agents[1]), gives_back, "{what}");
    }
}

#[test]
fn a_place_is_given_back_where_it_was_taken() {
    let (mut forest, _, _, agents) = squad(taker(|child| token("t", 1, child)), 3);
    agents[..2].iter().for_each(|it| want(&mut forest, *it, true));
    tick(&mut forest);
    let other = forest.new_group();
    for it in [agents[0], agents[2]] {
        forest.agent_mut(it).unwrap().join(Some(other)).unwrap();
    }
    // It holds a place of its old squad, so there is one in the new squad.
    want(&mut forest, agents[2], true);
    tick(&mut forest);
    assert_eq!([0, 1, 2].map(|it| holds(&forest, agents[it])), [true, false, true]);
    want(&mut forest, agents[0], false);
    tick(&mut forest);
    tick(&mut forest);
    assert_eq!([0, 1, 2].map(|it| holds(&forest, agents[it])), [false, true, true]);
}

#[test]
fn with_a_group_its_places_are_gone() {
    let (mut forest, _, group, agents) = squad(taker(|child| token("t", 1, child)), 2);
    agents.iter().for_each(|it| want(&mut forest, *it, true));
    tick(&mut forest);
    assert_eq!([0, 1].map(|it| holds(&forest, agents[it])), [true, false]);
    // Each has a group of its own now, and a place there; a holder keeps running.
    forest.group_mut(group).unwrap().remove();
    tick(&mut forest);
    tick(&mut forest);
    assert_eq!([0, 1].map(|it| holds(&forest, agents[it])), [true, true]);
    // A node that ends gives nothing back to a removed group.
    want(&mut forest, agents[0], false);
    tick(&mut forest);
    assert_eq!([0, 1].map(|it| holds(&forest, agents[it])), [false, true]);
}

#[test]
fn a_panic_gives_the_place_back_and_stops_waiting() {
    let mut builder = Tree::builder("bomb");
    builder.key("wants", false);
    builder.key("falls", false);
    let fall = sequence([check("falls"), action(|_| panic!("as it should"))]);
    let root = reactive_selector([fall, guard("wants", token("t", 1, idle().named("held"))), idle()]);
    let (mut forest, _, _, agents) = squad(builder.build(root).unwrap(), 3);
    agents.iter().for_each(|it| want(&mut forest, *it, true));
    tick(&mut forest);
    // The first holds the place, the second waits before the third.
    for at in [1, 0] {
        forest.keys_mut(agents[at]).unwrap().set_value("falls", true).unwrap();
        let fell = catch_unwind(AssertUnwindSafe(|| tick(&mut forest)));
        assert!(fell.is_err());
        assert_eq!(forest.agent(agents[at]).unwrap().phase(), Phase::Panicked);
    }
    tick(&mut forest);
    assert!(holds(&forest, agents[2]));
}

#[test]
fn who_does_not_ask_is_not_waited_for() {
    type Deed = fn(&mut Forest<Game>, AgentId);
    let stops: [Deed; 6] = [
        |it, agent| it.agent_mut(agent).unwrap().pause(&mut World::default()),
        |it, agent| it.agent_mut(agent).unwrap().set_rate(Rate::NEVER),
        |it, agent| it.agent_mut(agent).unwrap().disable(&mut World::default()),
        |it, agent| it.agent_mut(agent).unwrap().despawn(&mut World::default()),
        |it, agent| it.agent_mut(agent).unwrap().join(None).unwrap(),
        |it, agent| {
            want(it, agent, false);
            tick(it);
        },
    ];
    for stop in stops {
        let (mut forest, _, _, agents) = squad(taker(|child| token("t", 1, child)), 3);
        for &agent in &agents {
            want(&mut forest, agent, true);
            tick(&mut forest);
        }
        stop(&mut forest, agents[1]);
        want(&mut forest, agents[0], false);
        tick(&mut forest);
        assert!(holds(&forest, agents[2]));
    }
}

#[test]
fn one_who_waits_seldom_keeps_its_turn() {
    let (mut forest, _, _, agents) = squad(taker(|child| token("t", 1, child)), 3);
    want(&mut forest, agents[0], true);
    tick(&mut forest);
    want(&mut forest, agents[1], true);
    tick(&mut forest);
    forest.agent_mut(agents[1]).unwrap().set_rate(Rate::every(5).unwrap());
    want(&mut forest, agents[2], true);
    want(&mut forest, agents[0], false);
    for _ in 0..5 {
        tick(&mut forest);
        assert!(!holds(&forest, agents[2]));
    }
    assert!(holds(&forest, agents[1]));
}

#[test]
fn without_a_group_an_agent_has_places_of_its_own() {
    let mut forest = Forest::new(7);
    let tree = forest.add_tree(taker(|child| token("t", 1, child))).unwrap();
    let agents = [0; 3].map(|_| forest.spawn(&mut World::default(), tree).unwrap());
    agents.iter().for_each(|it| want(&mut forest, *it, true));
    tick(&mut forest);
    assert!(agents.iter().all(|it| holds(&forest, *it)));
}

#[test]
fn some_agents_come_back_with_their_places() {
    let (mut forest, _, _, agents) = squad(taker(|child| token("t", 1, child)), 3);
    want(&mut forest, agents[0], true);
    tick(&mut forest);
    let save = forest.save_agents([agents[0]]).unwrap();
    forest.agent_mut(agents[0]).unwrap().despawn(&mut World::default());
    want(&mut forest, agents[1], true);
    tick(&mut forest);
    assert!(holds(&forest, agents[1]));
    forest.restore(&mut World::default(), &save).unwrap();
    want(&mut forest, agents[2], true);
    tick(&mut forest);
    let held = |it: &Forest<Game>| [0, 1, 2].map(|at| holds(it, agents[at]));
    // Two hold the only place: no other gets one until both have given it back.
    assert_eq!(held(&forest), [true, true, false]);
    want(&mut forest, agents[1], false);
    tick(&mut forest);
    assert_eq!(held(&forest), [true, false, false]);
    want(&mut forest, agents[0], false);
    (0..2).for_each(|_| tick(&mut forest));
    assert_eq!(held(&forest), [false, false, true]);
}

#[test]
fn all_trees_of_a_forest_say_the_same() {
    let of = |count, rest: f64| move |child| token("t", count, child).rest(rest);
    let mut forest = Forest::new(7);
    let one = forest.add_tree(named("one", of(1, 2.0))).unwrap();
    let other = forest.add_tree(named("other", of(1, 2.0))).unwrap();
    for tree in [named("third", of(2, 2.0)), named("third", of(1, 0.0)), named("third", |it| of(1, 2.0)(it).global())] {
        let error = forest.add_tree(tree).unwrap_err();
        assert!(matches!(error, AddTreeError::Token(_)), "{error}");
    }
    let error = forest.add_tree(named("third", of(2, 2.0))).unwrap_err().to_string();
    let expected = "the trees `third` and `one` have different Tokens `t`: count 2, rest 2 s, of Group in the first, and \
                    count 1, rest 2 s, of Group in the second; all trees of a forest must have the same";
    assert_eq!(error, expected);
    let new = |name| named(name, of(2, 1.0));
    assert!(forest.replace_tree(&mut World::default(), one, new("one")).is_err());
    forest.replace_trees(&mut World::default(), [(one, new("one")), (other, new("other"))]).unwrap();
    assert!(forest.add_tree(named("third", of(2, 1.0))).is_ok());
}

#[test]
fn it_is_told_who_holds_the_places() {
    let root = || {
        let take = token("t", 1, idle().named("held")).rest(2.0);
        let wants = sequence([check("wants"), free("t"), take]).named("take");
        selector([wants.aborts(Abort::LOWER_PRIORITY), idle()])
    };
    let mut builder = Tree::builder("told");
    builder.key("wants", false);
    let (mut forest, tree, _, agents) = squad(builder.build(root()).unwrap(), 2);
    want(&mut forest, agents[0], true);
    tick(&mut forest);
    let told = |forest: &Forest<Game>| forest.agent(agents[0]).unwrap().explain().to_string();
    assert!(told(&forest).contains(&format!("1 of 1 place is taken (by {:?})", agents[0])), "{}", told(&forest));
    // A label takes the place of the id.
    forest.agent_mut(agents[0]).unwrap().set_label("guard 3");
    let taken = "n4 Token(t: 1, rest 2 s): 1 of 1 place is taken (by guard 3)";
    assert!(told(&forest).contains(&format!("places   {taken}")), "{}", told(&forest));
    want(&mut forest, agents[1], true);
    tick(&mut forest);
    let take = forest.tree(tree).unwrap().find("take").next().unwrap().children().last().unwrap().id();
    let why = forest.agent(agents[1]).unwrap().why_not(take).unwrap().to_string();
    let asked = "n3 Free(t): is failure (t = 1 of 1 place is taken (by guard 3))";
    assert!(why.contains(asked) && why.contains(&format!("decides  {taken}")), "{why}");
    forest.agent_mut(agents[0]).unwrap().despawn(&mut World::default());
    let why = forest.agent(agents[1]).unwrap().why_not(take).unwrap().to_string();
    assert!(why.contains("0 of 1 place is taken, 1 rests for 2.000 s"), "{why}");
}

/// The only problem of a root.
fn problem(root: Node<Game>) -> Problem {
    let mut all = Tree::builder("t").build(root).map(drop).expect_err("it has a problem").problems;
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn what_is_wrong_is_refused() {
    let of = |name: &str| token(name, 1, idle::<Game>());
    for name in ["", "two words", "1st", "a.b", &"a".repeat(300)] {
        assert!(matches!(problem(of(name)).kind, ProblemKind::Token(TokenProblem::BadName(_))), "{name:?}");
    }
    assert_eq!(problem(token("t", 0, idle())).kind, ProblemKind::Token(TokenProblem::NoPlaces));
    assert_eq!(problem(token("t", "n", idle())).field, Some(Field::Param("count")));
    for rest in [-1.0, 2e9, f64::INFINITY] {
        assert_eq!(problem(of("t").rest(rest)).kind, ProblemKind::Token(TokenProblem::Rest(rest)));
    }
    assert!(matches!(problem(of("t").rest(f64::NAN)).kind, ProblemKind::Token(TokenProblem::Rest(it)) if it.is_nan()));
    let differs = problem(sequence([of("t"), of("u"), token("t", 2, idle())]));
    let expected = "Tokens of one name must be alike, and this one has count 2, rest 0 s, of Group, but `t` has count 1, \
                    rest 0 s, of Group at";
    assert!(matches!(differs.kind, ProblemKind::Token(TokenProblem::Differs { .. })));
    assert!(differs.to_string().contains(expected), "{differs}");
    assert!(matches!(
        problem(sequence([of("t"), of("t").global()])).kind,
        ProblemKind::Token(TokenProblem::Differs { .. })
    ));
    let unknown = problem(sequence([free("atack"), of("attack")]));
    assert!(
        unknown.to_string().contains("no Token of this tree is called `atack`; did you mean `attack`?"),
        "{unknown}"
    );
    assert_eq!(problem(idle().rest(1.0)).field, Some(Field::Param("rest")));
    assert_eq!(problem(of("t").rest(1.0).rest(1.0)).kind, ProblemKind::OptionTwice { option: "rest" });
    let many = (0..65).map(|it| of(&format!("t{it}")));
    assert_eq!(problem(sequence(many)).kind, ProblemKind::Token(TokenProblem::TooMany));
    let done = action(|_| Status::Success);
    assert!(Tree::builder("t").build(sequence([of("t"), free("t"), done])).is_ok());
}
