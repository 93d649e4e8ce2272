//! Recordings of agents whose reruns are left out (SEMANTICS 8.37): a replay runs them again, and
//! they answer what they answered.

use std::sync::Arc;

use pleach_core::record::Recording;
use pleach_core::{AgentId, Context, Forest, Key, Save, Status, Tree, Value, nodes};

use super::{Game, replays, stands};

/// Works while it is on duty, and flees when it is hurt.
fn tree() -> Arc<Tree<Game>> {
    let mut builder = Tree::<Game>::builder("guard");
    builder.key("duty", true);
    builder.key("hp", 9_i64);
    let hurt = nodes::sequence([nodes::check("hp < 3"), nodes::wait(9.0)]);
    let near = nodes::guard(nodes::check("hp < 6"), nodes::check("hp < 5"));
    let at_work = nodes::reactive_selector([near, hurt, nodes::wait(9.0)]);
    let root = nodes::selector([nodes::reactive_sequence([nodes::check("duty"), at_work]), nodes::wait(9.0)]);
    Arc::new(builder.build(root).expect("it is a tree"))
}

fn set(forest: &mut Forest<Game>, agents: &[AgentId], key: &str, value: Value) {
    for agent in agents {
        forest.keys_mut(*agent).expect("it lives").set_value(key, value).expect("the key has this type");
    }
}

/// Ten agents, of which some are on duty.
fn guards(tree: &Arc<Tree<Game>>) -> (Forest<Game>, Vec<AgentId>) {
    let mut forest = Forest::<Game>::new(7);
    let guards = forest.add_tree(Arc::clone(tree)).expect("it is the first");
    let agents: Vec<AgentId> = (0..10).map(|_| forest.spawn(&mut 0, guards).expect("there is room")).collect();
    set(&mut forest, &agents[5..], "duty", Value::Bool(false));
    (forest, agents)
}

#[test]
fn a_recording_that_begins_while_reruns_are_left_out_is_replayed() {
    let tree = tree();
    let (mut forest, agents) = guards(&tree);
    for _ in 0..5 {
        forest.tick(&mut 0, 0.1).expect("it is a time");
    }
    let (mut recording, mut stood) = (Recording::new(), Vec::new());
    for frame in 0..20 {
        match frame {
            4 => set(&mut forest, &agents[..3], "hp", Value::Int(7)),
            8 => set(&mut forest, &agents[..2], "hp", Value::Int(2)),
            12 => set(&mut forest, &agents[..1], "duty", Value::Bool(false)),
            15 => set(&mut forest, &agents, "hp", Value::Int(8)),
            _ => {}
        }
        forest.traced(&mut recording).tick(&mut 0, 0.1).expect("it is a time");
        stood.push(stands(&forest));
    }
    assert_ne!(stood[3], stood[8]);
    assert_ne!(stood[8], stood[12]);
    replays(&recording, &tree, &stood);
}

#[test]
fn after_a_restore_reruns_answer_what_they_answered_before_the_save() {
    let tree = tree();
    let (mut forest, agents) = guards(&tree);
    let (mut recording, mut stood) = (Recording::new(), Vec::new());
    let mut save: Option<Save> = None;
    for frame in 0..15 {
        match frame {
            4 => save = Some(forest.save().expect("no leaf remembers anything")),
            5 => set(&mut forest, &agents, "hp", Value::Int(2)),
            7 => set(&mut forest, &agents[2..4], "duty", Value::Bool(false)),
            9 => {
                forest = Forest::new(7);
                forest.add_tree(Arc::clone(&tree)).expect("it is the first");
                forest.restore(&mut 0, save.as_ref().expect("it was saved")).expect("its tree is here");
            }
            12 => set(&mut forest, &agents[..2], "hp", Value::Int(1)),
            _ => {}
        }
        forest.traced(&mut recording).tick(&mut 0, 0.1).expect("it is a time");
        stood.push(stands(&forest));
    }
    assert_ne!(stood[8], stood[9]);
    assert_eq!(stood[4], stood[9]);
    replays(&recording, &tree, &stood);
}

#[test]
fn after_a_rollback_reruns_answer_what_they_answered_in_the_snapshot() {
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
        replays(&recording, &tree, &stood);
    }
}
