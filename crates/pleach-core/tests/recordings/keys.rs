//! Recordings with all keys.

use std::sync::Arc;

use pleach_core::record::{Recording, Replay};
use pleach_core::{AgentId, Context, Forest, Key, Status, Tree, Value, nodes};

use super::Game;

/// Flees when something is near. No expression reads how far it has walked.
fn tree() -> Arc<Tree<Game>> {
    let mut builder = Tree::<Game>::builder("hare");
    let (danger, walked): (Key<f32>, Key<i64>) = (builder.key("danger", 0.0), builder.key("walked", 0));
    let walk = nodes::action(move |cx: &mut Context<'_, '_, Game>| {
        cx.set(walked, cx.get(walked) + 1);
        // A comparison flips now and then.
        cx.set(danger, (cx.get(walked) % 7) as f32 / 10.0);
        Status::Running
    });
    let flee = nodes::sequence([nodes::check("danger > 0.5"), nodes::wait(0.1)]).aborts(nodes::Abort::LOWER_PRIORITY);
    Arc::new(builder.build(nodes::selector([flee, walk])).expect("it is a tree"))
}

/// The values of an agent's keys.
fn held(forest: &Forest<Game>, agent: AgentId) -> Vec<Value> {
    forest.agent(agent).expect("it is here").inspect().keys.iter().map(|it| it.1).collect()
}

/// How far the keys of a replay are behind those of the game, in frames, at most; and the bytes.
fn behind(every: u32) -> (usize, usize) {
    let (tree, mut forest) = (tree(), Forest::<Game>::new(7));
    let hares = forest.add_tree(Arc::clone(&tree)).expect("it is the first");
    let agent = forest.spawn(&mut 0, hares).expect("there is room");
    let mut recording = Recording::new().keys_every(every);
    let mut then = vec![held(&forest, agent)];
    for _ in 0..100 {
        forest.traced(&mut recording).tick(&mut 0, 0.1).expect("it is a time");
        then.push(held(&forest, agent));
    }
    let bytes = recording.to_bytes();
    let mut replay = Replay::<Game>::open(&bytes, |_| Some(Arc::clone(&tree))).expect("it was just written");
    assert_eq!(replay.keys_every(), every);
    let walked = pleach_core::expr::KeyIndex::new(1).expect("a tree has two keys");
    assert_eq!(replay.records(&tree, walked), every > 0);
    assert!(!tree.reads(walked));
    let mut most = 0;
    for frame in 1..=100 {
        assert!(replay.step(&mut 0).expect("it is whole"));
        let now = held(replay.forest(), agent);
        most = most.max(then[..=frame].iter().rev().position(|it| *it == now).unwrap_or(frame));
    }
    assert_eq!(replay.divergences(), []);
    (most, recording.bytes())
}

/// A key that flips a comparison and comes back unread, and one that the tree itself writes and the
/// game writes back.
#[test]
fn a_look_says_what_keys_hold_though_they_changed_and_came_back() {
    let mut builder = Tree::<Game>::builder("ogre");
    let (hp, k): (Key<f32>, Key<i64>) = (builder.key("hp", 100.0), builder.key("k", 0));
    let hurt = nodes::sequence([nodes::check("hp < 50"), nodes::set("k", "2"), nodes::wait(0.1)]);
    let hurt = hurt.aborts(nodes::Abort::BOTH);
    let tree = Arc::new(builder.build(nodes::selector([hurt, nodes::idle()])).expect("it is a tree"));
    let mut forest = Forest::<Game>::new(7);
    let ogres = forest.add_tree(Arc::clone(&tree)).expect("it is the first");
    let agent = forest.spawn(&mut 0, ogres).expect("there is room");
    let mut recording = Recording::new().keys_every(10).last_seconds(4.0);
    let mut then = vec![held(&forest, agent)];
    for frame in 1..=100 {
        let mut keys = forest.keys_mut(agent).expect("it is here");
        match frame % 20 {
            3 => _ = keys.set(hp, 40.0),
            4 => _ = keys.set(hp, 60.0),
            5 => _ = keys.set(hp, 100.0),
            6 => _ = keys.set(k, 0),
            // So that each look finds what the last one found.
            _ => {}
        }
        forest.traced(&mut recording).tick(&mut 0, 0.1).expect("it is a time");
        then.push(held(&forest, agent));
    }
    let bytes = recording.keys_every(1).to_bytes();
    let mut replay = Replay::<Game>::open(&bytes, |_| Some(Arc::clone(&tree))).expect("it was just written");
    assert_eq!(replay.keys_every(), 10, "a later call does nothing");
    let mut looks = 0;
    while replay.step(&mut 0).expect("it is whole") {
        let frame = usize::try_from(replay.frame()).expect("a few");
        if frame.is_multiple_of(10) && replay.played() > replay.complete_after() {
            looks += 1;
            assert_eq!(held(replay.forest(), agent), then[frame], "frame {frame}");
        }
    }
    assert!(looks >= 4, "{looks}");
    assert_eq!(replay.divergences(), []);
}

#[test]
fn a_replay_shows_all_keys_that_were_noted() {
    let (every, none) = (behind(1), behind(0));
    assert_eq!(every.0, 0);
    assert!(none.0 > 50, "{none:?}");
    let some = behind(10);
    assert!((1..10).contains(&some.0), "{some:?}");
    assert!(none.1 < some.1 && some.1 < every.1, "{none:?} {some:?} {every:?}");
}
