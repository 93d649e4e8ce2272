//! The six trees of LuaBT: which branch runs, in which tick, when the keys that they read change.

use crate::common::Story;
use pleach::{
    Value,
    trace::{Recorder, TraceEvent},
};
use pleach_arena::{ActorSpec, Map, World};

fn story(file: &str) -> Story {
    let mut world = World::new(Map::open([10.0, 10.0]).unwrap(), 1);
    let actor = world.spawn(&ActorSpec::guard([5.0, 5.0])).unwrap();
    Story::of(crate::common::tree(&format!("luabt/{file}")), world, &[actor], Recorder::all())
}

/// The conditional aborts since the last call: at which composite, by which condition, as paths.
fn aborts(story: &mut Story) -> Vec<(String, String)> {
    let events = story.recorder.take();
    let tree = story.game.forest.tree(story.game.tree()).unwrap();
    let label = |id| tree.node(id).unwrap().path();
    let abort = |event| match event {
        TraceEvent::Abort { scope, by } => Some((label(scope), label(by))),
        _ => None,
    };
    events.into_iter().filter_map(|it| abort(it.event)).collect()
}

fn times(text: &str, n: usize) -> Vec<String> {
    vec![text.to_owned(); n]
}

#[test]
fn bt1_lower_priority_over_a_repeated_log_and_wait() {
    let mut story = story("bt1.ron");
    story.play(1.6);
    assert_eq!(story.logs(), times("all quiet", 4), "at 0.1, 0.6, 1.1 and 1.6 s");
    story.set("alarm", true);
    story.frame();
    assert_eq!(story.logs(), ["alarm!"], "in the very tick");
    assert_eq!(aborts(&mut story), [("bt1".into(), "bt1/alarmed[0]/Check[0]".into())]);
    story.set("alarm", false);
    story.play(0.9);
    assert!(story.logs().is_empty() && aborts(&mut story).is_empty(), "not Self: it is not interrupted itself");
    story.play(0.2);
    assert_eq!(story.logs(), ["all quiet"]);
}

#[test]
fn bt2_each_branch_of_a_parallel_aborts_alone() {
    let mut story = story("bt2.ron");
    story.frame();
    assert_eq!(story.logs(), ["left: no", "thrice", "right: no"]);
    story.set("left", true);
    let report = story.frame();
    assert_eq!((report.tick.aborts, story.logs()), (1, vec!["left: yes".to_owned()]));
    assert_eq!(aborts(&mut story).len(), 1);
    story.play(1.0);
    assert_eq!(story.logs(), times("thrice", 2), "the others went on undisturbed");
    story.set("right", true);
    story.frame();
    assert_eq!(story.logs(), times("right: yes", 2), "one round was interrupted, the next found it true at once");
    let ended =
        story.until("all three are done", |game| game.forest.agent(game.agents()[0]).unwrap().last_outcome().is_some());
    assert!(ended < 0.6, "{ended}");
}

#[test]
fn bt3_the_outer_of_two_lower_priorities_wins() {
    let mut story = story("bt3.ron");
    story.frame();
    assert_eq!(story.logs(), ["all quiet"]);
    story.set("thief", true);
    story.frame();
    assert_eq!(story.logs(), ["thief!"]);
    assert_eq!(aborts(&mut story)[0].0, "bt3", "the inner selector passes it on to the outer");
    story.set("fire", true);
    story.frame();
    assert_eq!(story.logs(), ["fire!"], "more urgent than a thief");
    assert_eq!(aborts(&mut story)[0].0, "bt3/guards[0]", "decided between the two");
    story.set("fire", false);
    story.play(1.1);
    assert_eq!(story.logs(), ["thief!"], "once the fire is dealt with");
    story.set("thief", false);
    story.play(1.1);
    assert_eq!(story.logs(), ["all quiet"]);

    story.set("fire", true);
    story.set("thief", true);
    story.recorder.take();
    story.frame();
    assert_eq!(story.logs(), ["fire!"]);
    assert_eq!(aborts(&mut story).len(), 1, "one abort a tick, the left one's");
}

#[test]
fn bt4_self_over_lower_priority_over_both() {
    let mut story = story("bt4.ron");
    story.frame();
    assert_eq!(story.logs(), ["unarmed"]);
    story.set("armed", true);
    story.frame();
    assert_eq!(story.logs(), ["armed"], "Both, as lower priority, at the choice");
    assert_eq!(aborts(&mut story)[0].0, "bt4/choice[0]");
    story.set("armed", false);
    story.frame();
    assert_eq!(story.logs(), ["unarmed"], "Both, as Self, at its own sequence");
    assert_eq!(aborts(&mut story)[0].0, "bt4/choice[0]/armed[0]");
    story.play(1.0);
    assert_eq!(story.logs(), ["rest"]);
    story.set("armed", true);
    story.frame();
    assert_eq!(story.logs(), ["armed"], "LowerPriority all the way up to the root");
    assert_eq!(aborts(&mut story)[0].0, "bt4");
    story.play(1.0);
    assert_eq!(story.logs(), ["rest"]);
}

#[test]
fn bt5_the_self_branches_of_a_parallel() {
    let mut story = story("bt5.ron");
    story.frame();
    assert_eq!(story.logs(), ["left", "right"]);
    story.set("open", false);
    let report = story.frame();
    assert_eq!(report.tick.aborts, 0, "a parallel's own condition aborts nothing");
    assert!(story.logs().is_empty());
    story.set("right", true);
    let report = story.frame();
    assert_eq!(report.tick.aborts, 1);
    assert_eq!(aborts(&mut story)[0].0, "bt5/right[2]");
    assert!(story.does("left") && !story.does("right"), "only that branch was touched: it succeeded at once");
    story.set("left", false);
    story.frame();
    assert_eq!(aborts(&mut story)[0].0, "bt5/left[1]");
    let ended = |story: &Story| story.game.forest.agent(story.agent).unwrap().last_outcome();
    assert_eq!(ended(&story), Some(pleach::Outcome::Failure), "a branch failed, so the parallel did");
    story.frame();
    assert!(story.logs().is_empty(), "and now its condition is run, and fails it at once");
}

#[test]
fn bt6_one_value_together_and_one_of_their_own() {
    let mut story = story("bt6.ron");
    story.play(4.0);
    let view = story.game.forest.agent(story.agent).unwrap().inspect();
    let values = |name: &str| -> Vec<Value> {
        view.keys.iter().filter(|(decl, _)| decl.name() == name).map(|(_, value)| *value).collect()
    };
    // Every half second and every second, from the first tick on.
    assert_eq!(values("own"), [Value::Int(8), Value::Int(4)]);
    assert_eq!(values("together"), [Value::Int(12)]);
}
