//! Agents that come back from a snapshot in mid-recording.

use std::sync::Arc;

use pleach_core::record::{Recording, Replay};
use pleach_core::{Context, Forest, Key, Status, Tree, nodes};

use super::{Game, stands};

/// A reactive sequence runs its checks in every tick, but an agent leaves out a run that would do
/// the same. A replay runs all of them, with the answers that they had in the snapshot.
#[test]
fn checks_that_an_agent_leaves_out_answer_as_in_the_snapshot() {
    let mut builder = Tree::<Game>::builder("guard");
    let on: Key<bool> = builder.key("on", true);
    let work = nodes::action(|_: &mut Context<'_, '_, Game>| Status::Running);
    let guarded = nodes::guard(nodes::check("on"), nodes::action(|_: &mut Context<'_, '_, Game>| Status::Running));
    let works = nodes::reactive_sequence([nodes::check("on"), work]);
    let root = nodes::selector([works, nodes::reactive_selector([guarded, nodes::idle()])]);
    let tree = Arc::new(builder.build(root).expect("it is a tree"));
    for (then, later) in [(true, false), (false, true)] {
        let mut forest = Forest::<Game>::new(7);
        let guards = forest.add_tree(Arc::clone(&tree)).expect("it is the first");
        let guard = forest.spawn(&mut 0, guards).expect("there is room");
        let (mut recording, mut stood) = (Recording::new(), Vec::new());
        forest.keys_mut(guard).expect("it is here").set(on, then);
        let mut snapshot = None;
        for frame in 0..7 {
            match frame {
                3 => {
                    snapshot = Some(forest.snapshot().expect("no leaf has a state"));
                    forest.keys_mut(guard).expect("it is here").set(on, later);
                }
                4 => {
                    let snapshot = snapshot.take().expect("it was taken before");
                    forest.rollback(&snapshot).expect("it is of this forest");
                }
                _ => {}
            }
            forest.traced(&mut recording).tick(&mut 0, 0.1).expect("it is a time");
            stood.push(stands(&forest));
        }
        let bytes = recording.to_bytes();
        let mut replay = Replay::<Game>::open(&bytes, |_| Some(Arc::clone(&tree))).expect("it was just written");
        for (frame, stood) in stood.iter().enumerate() {
            assert!(replay.step(&mut 0).expect("it is whole"));
            assert_eq!((replay.divergences(), stands(replay.forest())), (&[][..], stood.clone()), "frame {frame}");
        }
    }
}
