//! Recordings with all keys.

use std::sync::Arc;

use pleach_core::record::{Recording, Replay};
use pleach_core::{AgentId, Context, Forest, Key, Status, Tree, Value, nodes};

use super::Game;

/// Flees from what is near. No expression reads how far it has walked.
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

/// The keys of an agent.
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

#[test]
fn a_replay_shows_all_keys_that_were_noted() {
    let (every, none) = (behind(1), behind(0));
    assert_eq!(every.0, 0);
    assert!(none.0 > 50, "{none:?}");
    let some = behind(10);
    assert!((1..10).contains(&some.0), "{some:?}");
    assert!(none.1 < some.1 && some.1 < every.1, "{none:?} {some:?} {every:?}");
}
