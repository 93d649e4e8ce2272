//! Smoke.
#![cfg(feature = "save")]
use pleach_core::{Forest, Host, Tree, nodes, record::{Recording, Replay}, Status, Context, Key};
use std::sync::Arc;
struct Game;
impl Host for Game { type Cx<'a> = u64; }
#[test]
fn smoke() {
    let mut forest = Forest::<Game>::new(7);
    let mut b = Tree::<Game>::builder("guard");
    let key = b.key("n", 0.0_f32);
    let act = nodes::action(move |cx: &mut Context<'_, '_, Game>| { *cx.host += 1; if *cx.host % 7 == 0 { cx.set(key, (*cx.host % 13) as f32); Status::Success } else { Status::Running } });
    let _: Key<f32> = key;
    let root = nodes::selector([nodes::sequence([nodes::check("n > 5"), nodes::wait(0.3)]), act]);
    let tree = Arc::new(b.build(root).unwrap());
    let guards = forest.add_tree(Arc::clone(&tree)).unwrap();
    let mut ids = vec![];
    for _ in 0..5 { ids.push(forest.spawn(&mut 0, guards).unwrap()); }
    let mut recording = Recording::new();
    let mut n = 0;
    let mut states = vec![];
    for i in 0..200 {
        forest.traced(&mut recording).tick(&mut n, 0.1).unwrap();
        if i == 50 { forest.agent_mut(ids[2]).unwrap().despawn(&mut n);  }
        if i == 60 { forest.agent_mut(ids[1]).unwrap().restart(&mut n); }
        states.push(ids.iter().filter(|it| forest.contains(**it) ).map(|it| forest.agent(*it).unwrap().current().collect::<Vec<_>>()).collect::<Vec<_>>());
    }
    let bytes = recording.to_bytes();
    println!("{recording} {}", bytes.len());
    let mut replay = Replay::<Game>::open(&bytes, |_| Some(Arc::clone(&tree))).unwrap();
    let mut i = 0;
    while replay.step(&mut 0).unwrap() {
        let now: Vec<_> = ids.iter().filter(|it| replay.forest().contains(**it)).map(|it| replay.forest().agent(*it).unwrap().current().collect::<Vec<_>>()).collect();
        if i != 60 && i != 50 { assert_eq!(now, states[i], "frame {i}"); }
        i += 1;
    }
    assert_eq!(i, 200);
    assert!(replay.divergences().is_empty(), "{:?}", replay.divergences());
}
