//! Crowds: which ones are rolled, and which differences are found in them.

use std::collections::BTreeSet;

use pleach_conform::crowd::{Crowd, MOST, MemberPlan, ONE_CHUNK, Prepared, Tracing, panics};
use pleach_conform::oracle::Completion;
use pleach_conform::scenario::Call;
use pleach_conform::{Scenario, compare};

fn scenario(ops: &str, ticks_of_a: u32) -> Scenario {
    let tree = r#"{"type": "repeater", "forever": true, "children": [{"type": "selector", "children": [
        {"type": "sequence", "abort": "lp", "children": [{"type": "condition", "name": "c"}, {"type": "action", "name": "b"}]},
        {"type": "sequence", "children": [{"type": "wait", "ticks": 2}, {"type": "action", "name": "a"}]}]}]}"#;
    let text = format!(
        r#"{{"name": "n", "about": "", "tree": {tree}, "conditions": {{"c": {{"script": "FFFFS", "every": 2}}}},
        "actions": {{"a": {{"ticks": {ticks_of_a}}}, "b": {{"ticks": 0}}}}, "ops": [{ops}], "ticks": 9}}"#
    );
    Scenario::from_json(&text).unwrap_or_else(|e| panic!("{e}"))
}

/// This many agents, with rates from 1 to 3.
fn many(agents: u32, plan: impl Fn(u32) -> MemberPlan) -> Crowd {
    Crowd {
        batched: false,
        bare: false,
        every_tick: false,
        sleep: false,
        chunk: ONE_CHUNK,
        threads: None,
        traced: Tracing::None,
        completion: Completion::Restart,
        plans: (0..agents).map(plan).collect(),
        frames: vec![1; 9],
        bombs: Vec::new(),
        detours: Vec::new(),
    }
}

fn check(scenario: &Scenario, crowd: &Crowd) -> Result<(), String> {
    Prepared::new(scenario).expect("the tree is valid").check(crowd)
}

#[test]
fn agents_of_several_rows_come_and_go() {
    let plan = |it: u32| MemberPlan {
        comes: 1 + it / 1_000,
        goes: it.is_multiple_of(7).then_some(4 + it % 3),
        rate: 1 + it % 3,
        late: 0,
        seed: 0,
        group: None,
    };
    for sleep in [false, true] {
        let crowd = Crowd { sleep, ..many(2_600, plan) };
        check(&scenario("", 2), &crowd).unwrap_or_else(|e| panic!("{e:.2000}"));
    }
}

#[test]
fn budgets_go_around_the_agents_of_several_rows() {
    let plan = |it: u32| MemberPlan { comes: 1, goes: None, rate: 1 + it % 3, late: 0, seed: 0, group: None };
    let budget = |tick: u32| format!(r#"{{"before": {tick}, "op": "budget", "agents": 700}}"#);
    let ops = [1, 2, 4, 5, 6, 8].map(budget).join(", ");
    check(&scenario(&ops, 2), &many(2_600, plan)).unwrap_or_else(|e| panic!("{e:.2000}"));
}

#[test]
fn a_scenario_without_ticks_has_its_crowds_as_well() {
    let empty = Scenario { ticks: 0, ..scenario("", 2) };
    assert!((0..50).all(|seed| !Crowd::roll(&empty, seed).frames.is_empty()));
}

#[test]
fn a_call_before_a_tick_that_is_never_run_does_nothing() {
    let plan = |_| MemberPlan { comes: 1, goes: None, rate: 1, late: 3, seed: 0, group: None };
    let ops = format!(r#"{{"before": {}, "op": "pause"}}"#, u32::MAX);
    check(&scenario(&ops, 2), &many(2, plan)).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn an_agent_that_does_something_else_is_found() {
    let (one, other) = (scenario("", 2), scenario("", 3));
    for traced in [Tracing::None, Tracing::All] {
        let plan = |_| MemberPlan { comes: 1, goes: None, rate: 1, late: 0, seed: 0, group: None };
        let crowd = Crowd { traced, ..many(3, plan) };
        let mut prepared = Prepared::new(&one).expect("the tree is valid");
        assert_eq!(prepared.check(&crowd), Ok(()));
        prepared.play_as(&other);
        let told = prepared.check(&crowd).expect_err("they differ");
        assert!(told.starts_with("agent 0 (slot 1) of the crowd, frame 4, what the host hears:"), "{told}");
        assert!(told.contains("Update(n7, Success)") && told.contains("Update(n7, Running)"), "{told}");
    }
}

#[test]
fn all_kinds_of_crowds_are_rolled() {
    let (mut kinds, mut sizes, mut others) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for seed in 0..8_000 {
        let crowd = Crowd::roll(&compare::scenario(seed), seed);
        let Crowd {
            batched, bare, every_tick, sleep, chunk, traced, completion, plans, frames, bombs, detours, ..
        } = &crowd;
        let traced = format!("{traced:?} {completion:?}");
        kinds.insert((*batched, *bare, *every_tick, *sleep, traced));
        sizes.insert(plans.len());
        let mut met = |what, is: bool| is && others.insert(what);
        met("comes later", plans.iter().any(|it| it.comes > 1));
        met("goes", plans.iter().any(|it| it.goes.is_some()));
        met("calls later", plans.iter().any(|it| it.late > 0));
        met("has a group", plans.iter().any(|it| it.group.is_some()));
        met("rate 3", plans.iter().any(|it| it.rate == 3));
        met("frames of other lengths", frames.iter().any(|it| *it != 1));
        met("bombs", !bombs.is_empty());
        let scenario = compare::scenario(seed);
        let saves = scenario.ops.iter().any(|it| matches!(it.call, Call::Save));
        met("bombs and saves", saves && !bombs.is_empty());
        met("others that panic, and saves", saves && panics(&scenario));
        met("detours", !detours.is_empty());
        met("several chunks", *chunk < plans.len());
        let in_chunks = Crowd::roll_in_chunks(&scenario, seed);
        met("groups in several chunks", in_chunks.plans.iter().filter(|it| it.group.is_some()).count() > chunk * 2);
    }
    assert_eq!(kinds.len(), 2 * 2 * 2 * 2 * 3 * 2);
    assert!(sizes.contains(&2) && sizes.contains(&MOST) && sizes.len() > 12, "{sizes:?}");
    assert_eq!(others.len(), 12, "{others:?}");
}
