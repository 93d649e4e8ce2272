//! Saves with one change: refused with a message, and the forest stays as it was; or restored, and
//! everything in it lives.

use pleach_core::limits::{MAX_DEPTH, MAX_NODES};
use pleach_core::{AgentId, Budget, Forest, GroupId, Save};
use serde_json::{Value, json};

use crate::support::{Game, World};
use crate::{lived, new_forest};

/// The last id, counter or time that a save can write.
const MOST: u64 = u64::MAX;
const OLD: &str = "the save is damaged: it is older than time can be";
const OLD_AGENT: &str = "the save is damaged, in the tree \"guard\": it is older than time can be";

/// A save with a change.
fn edited(save: &Save, change: impl FnOnce(&mut Value)) -> Save {
    let mut json = serde_json::to_value(save).unwrap();
    change(&mut json[1]);
    serde_json::from_value(json).unwrap()
}

/// The same for what agents wait for.
fn waits_edited(change: impl FnOnce(&mut Value)) -> Result<Forest<Game>, String> {
    let mut json = serde_json::to_value(lived().0.save().unwrap()).unwrap();
    change(&mut json[2]);
    restored(new_forest(), &serde_json::from_value(json).unwrap())
}

#[test]
fn an_agent_waits_for_what_it_can() {
    let text = ", in the tree \"guard\": an agent waits for something that its tree does not have";
    let json = serde_json::to_value(lived().0.save().unwrap()).unwrap();
    let is = |phase: &'static str| move |it: &Value| it["phase"] == phase;
    let [active, paused, off] = ["Active", "Paused", "Off"]
        .map(|it| json[1]["trees"][0]["agents"].as_array().unwrap().iter().position(is(it)).unwrap());
    // No clock goes beyond 2^63 - 1, and a later time means never.
    for (at, moment, fits) in
        [(active, 1_u64 << 63, true), (active, (1 << 63) + 1, false), (paused, 0, true), (off, 7, false)]
    {
        let result = waits_edited(|it| it[0]["agents"][at]["wake"] = json!(moment));
        if fits {
            assert_eq!(result.unwrap().len(), 7);
        } else {
            assert_eq!(error(result), text);
        }
    }
    // An agent that is neither asleep nor paused is never skipped.
    let left_alone = waits_edited(|it| {
        (it[0]["agents"][active]["wake"], it[0]["agents"][active]["awake"]) = (Value::Null, json!(false))
    });
    assert_eq!(error(left_alone), text);
    let dirty = |node: u16| move |it: &mut Value| it[0]["agents"][0]["dirty"] = json!([node]);
    assert_eq!(waits_edited(dirty(2)).unwrap().len(), 7);
    for node in [0, 3, 900] {
        assert_eq!(error(waits_edited(dirty(node))), text);
    }
    let fewer = |it: &mut Value| drop(it[0]["agents"].as_array_mut().unwrap().pop());
    assert_eq!(error(waits_edited(fewer)), text);
    let more = |it: &mut Value| it.as_array_mut().unwrap().push(json!({ "fingerprint": 1, "agents": [] }));
    assert_eq!(error(waits_edited(more)), ": it does not say for every tree what its agents wait for");
    // For another tree it has no meaning.
    let other = |it: &mut Value| (it[0]["fingerprint"], it[0]["agents"][0]["dirty"]) = (json!(1), json!([900]));
    assert_eq!(waits_edited(other).unwrap().len(), 7);
}

/// Restores a save, and lets all of it live. Returns the forest, or the error's text.
fn restored(mut forest: Forest<Game>, save: &Save) -> Result<Forest<Game>, String> {
    let facts = |it: &Forest<Game>| postcard::to_stdvec(&it.save().unwrap()).unwrap();
    let (mut world, before, had) = (World::default(), facts(&forest), forest.len());
    if let Err(error) = forest.restore(&mut world, save) {
        assert!(facts(&forest) == before, "it is as it was");
        assert_eq!(world.log.len(), 0);
        return Err(error.to_string());
    }
    assert_eq!(forest.len(), had + save.len());
    let tree = forest.trees().next().unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    forest.tick_within(&mut world, 0.1, Budget::Agents(3)).unwrap();
    forest.spawn(&mut world, tree).unwrap();
    let group = forest.new_group();
    assert!(forest.group(group).unwrap().members().is_empty());
    for _ in 0..10 {
        forest.tick(&mut world, 0.1).unwrap();
    }
    assert_eq!(forest.save().unwrap().len(), had + save.len() + 1);
    Ok(forest)
}

/// The result of a whole save with a change.
fn whole(change: impl FnOnce(&mut Value)) -> Result<Forest<Game>, String> {
    restored(new_forest(), &edited(&lived().0.save().unwrap(), change))
}

/// The result of a save of the squad with a change, in the forest that the squad has left.
fn squad(change: impl FnOnce(&mut Value)) -> Result<Forest<Game>, String> {
    let (mut forest, mut world, squad, agents) = lived();
    let save = forest.save_agents(agents.iter().copied()).unwrap();
    for agent in agents {
        forest.agent_mut(agent).unwrap().despawn(&mut world);
    }
    forest.group_mut(squad).unwrap().remove();
    restored(forest, &edited(&save, change))
}

/// The error's text, without the common part.
fn error(result: Result<Forest<Game>, String>) -> String {
    let text = result.map(|it| it.len()).unwrap_err();
    text.strip_prefix("the save is damaged").map_or(text.clone(), str::to_owned)
}

#[test]
fn nothing_changed_is_a_save() {
    assert_eq!(whole(|_| ()).unwrap().len(), 7);
    assert_eq!(squad(|_| ()).unwrap().len(), 7);
}

#[test]
fn an_agent_that_is_on_runs_from_its_root_on_or_begins() {
    let text = ", in the tree \"guard\": the phase of an agent does not fit what it runs";
    for change in [whole as fn(_) -> _, squad] {
        let idle: fn(&mut Value) = |it| {
            let agent = &mut it["trees"][0]["agents"][0];
            (agent["tops"], agent["memory"]) = (json!([]), json!([]));
        };
        assert_eq!(error(change(idle)), text);
        let branches: fn(&mut Value) = |it| {
            let tops = it["trees"][0]["agents"][0]["tops"].as_array_mut().unwrap();
            // Two branches, and the parallel on the root's stack.
            assert_eq!(tops.len(), 3, "{tops:?}");
            tops.pop();
        };
        assert_eq!(error(change(branches)), text);
        // A branch without which its parallel would wait for ever.
        let branch: fn(&mut Value) = |it| {
            it["trees"][0]["agents"][0]["tops"].as_array_mut().unwrap().remove(0);
        };
        let lost = error(change(branch));
        assert!(lost.starts_with(", in the tree \"guard\": a node has memory"), "{lost}");
        let anew: fn(&mut Value) = |it| {
            let agent = &mut it["trees"][0]["agents"][0];
            (agent["tops"], agent["memory"], agent["fresh"]) = (json!([]), json!([]), json!(true));
        };
        assert_eq!(change(anew).unwrap().len(), 7);
    }
}

/// The save has more children than its tree has now, so all agents restart.
#[test]
fn an_outline_has_no_more_nodes_than_a_tree_can_have() {
    let grown = |nodes: usize| {
        whole(|it| {
            let all = it["trees"][0]["nodes"].as_array_mut().unwrap();
            let mut child = all[0].clone();
            (child["kind"], child["parent"]) = (json!("Idle"), json!(0));
            all.resize(nodes, child);
        })
    };
    assert_eq!(grown(MAX_NODES).unwrap().len(), 7);
    for nodes in [MAX_NODES + 1, MAX_NODES + 2, 2 * MAX_NODES] {
        assert_eq!(error(grown(nodes)), ", in the tree \"guard\": its nodes do not form a tree");
    }
    let deep = whole(|it| {
        let all = it["trees"][0]["nodes"].as_array_mut().unwrap();
        let mut child = all[0].clone();
        child["kind"] = json!("Inverter");
        for depth in 0..MAX_DEPTH {
            child["parent"] = json!(if depth == 0 { 0 } else { all.len() - 1 });
            all.push(child.clone());
        }
        (child["kind"], child["parent"]) = (json!("Idle"), json!(all.len() - 1));
        all.push(child);
    });
    assert_eq!(error(deep), ", in the tree \"guard\": its nodes do not form a tree");
}

#[test]
fn a_leaf_is_in_one_place() {
    let twice = |it: &mut Value| it["trees"][0]["nodes"][0]["services"] = json!([0]);
    assert_eq!(error(whole(twice)), ", in the tree \"guard\": two nodes have the same leaf");
    let many = |it: &mut Value| it["trees"][0]["nodes"][0]["services"] = json!(vec![0; 100_000]);
    assert_eq!(error(whole(many)), ", in the tree \"guard\": two nodes have the same leaf");
    let missing = |it: &mut Value| it["trees"][0]["nodes"][0]["services"] = json!([u16::MAX]);
    assert_eq!(error(whole(missing)), ", in the tree \"guard\": a node names a leaf that does not exist");
}

#[test]
fn a_group_has_a_slot_that_there_can_be() {
    // The lower half is the slot, from 1 on; the upper half its version, odd while it is in use.
    for id in
        [0, 1, 1 << 32, 1 << 32 | 2, 1 << 32 | u64::from(u32::MAX), 1 << 31 | 1, 2 << 32 | 1, 4097 << 32 | 1, MOST]
    {
        let result = whole(|it| it["groups"][0]["id"] = json!(id));
        assert_eq!(error(result), ": its groups do not fit together", "{id:x}");
        if id != 1 << 32 | 2 {
            let text = "groups of the save cannot be restored: their ids have been reused";
            assert_eq!(error(squad(|it| it["groups"][0]["id"] = json!(id))), text, "{id:x}");
        }
    }
    // The last version, and a slot after all others.
    for id in [4095_u64 << 32 | 1, 1 << 32 | 1000] {
        let mut forest = squad(|it| it["groups"][0]["id"] = json!(id)).unwrap();
        let agents = lived().3;
        let group: GroupId = forest.agent(agents[0]).unwrap().group().unwrap();
        assert_eq!(forest.group(group).unwrap().members(), agents);
        forest.group_mut(group).unwrap().remove();
        assert!(forest.group(group).is_err());
    }
}

#[test]
fn counters_end_before_they_could_be_counted_on() {
    type Edit = fn(&mut Value, u64);
    let counters: [Edit; 4] = [
        |it, to| it["time"] = json!(to),
        |it, to| it["tickets"] = json!(to),
        |it, to| it["whole"]["frame"] = json!(to),
        |it, to| it["whole"]["spawned"] = json!(to),
    ];
    let spans: [Edit; 2] = [
        |it, to| it["trees"][0]["agents"][3]["time"] = json!(to),
        |it, to| it["trees"][0]["agents"][3]["turn"]["passed"] = json!(to),
    ];
    for (counters, text) in [(&counters[..], OLD), (&spans, OLD_AGENT)] {
        for (at, edit) in counters.iter().enumerate() {
            for most in [MOST, MOST / 2 + 1] {
                assert_eq!(whole(|it| edit(it, most)).map(|it| it.len()), Err(text.into()), "{at}");
            }
            assert_eq!(whole(|it| edit(it, MOST / 2)).map(|it| it.len()), Ok(7), "{at}");
        }
    }
    let all = whole(|it| counters.iter().chain(&spans).for_each(|edit| edit(it, MOST / 2))).unwrap();
    assert!((all.time() - 9.223_372_036e9).abs() < 10.0, "{}", all.time());
}

#[test]
fn what_nodes_remember_may_be_as_much_as_there_is_room_for() {
    // The deadlines of the Wait, of the Cooldown and of the order, and the remaining rounds of the
    // Repeat.
    let mut accepted = 0;
    let agents = serde_json::to_value(lived().0.save().unwrap()).unwrap()[1]["trees"][0]["agents"].clone();
    for (at, agent) in agents.as_array().unwrap().iter().enumerate() {
        for list in ["memory", "kept"] {
            for node in 0..agent[list].as_array().unwrap().len() {
                let most = |it: &mut Value| {
                    let words = it["trees"][0]["agents"][at][list][node][1].as_array_mut().unwrap();
                    words.fill(json!(u32::MAX));
                };
                match whole(most) {
                    Ok(_) => accepted += 1,
                    Err(text) => assert!(text.ends_with("a node has memory that its kind cannot have"), "{text}"),
                }
            }
        }
        let abort = |it: &mut Value| it["trees"][0]["agents"][at]["abort"] = json!([5, 2, u32::MAX]);
        assert_eq!(whole(abort).unwrap().len(), 7);
        let turn = |it: &mut Value| {
            it["trees"][0]["agents"][at]["turn"] = json!({ "rate": 255, "passed": 0, "due": true });
        };
        assert_eq!(whole(turn).unwrap().len(), 7);
    }
    assert!(accepted > 5, "{accepted}");
}

#[test]
fn a_cursor_of_a_budget_may_be_anywhere() {
    for cursor in
        [json!([u32::MAX, u32::MAX, u16::MAX]), json!([0, u32::MAX, 1024]), json!([0, 0, 1025]), json!([1, 0, 3])]
    {
        assert_eq!(whole(|it| it["whole"]["cursor"] = cursor).unwrap().len(), 7);
    }
}

#[test]
fn what_is_there_twice_is_refused() {
    let group = |it: &mut Value| {
        let mut again = it["groups"][0].clone();
        again["members"] = json!([]);
        it["groups"].as_array_mut().unwrap().push(again);
    };
    assert_eq!(error(whole(group)), ": a group appears twice");
    assert_eq!(error(squad(group)), ": a group appears twice");

    let agent = |it: &mut Value| it["trees"][0]["agents"][1]["id"] = it["trees"][0]["agents"][0]["id"].clone();
    assert_eq!(error(whole(agent)), ": an agent appears twice");
    assert_eq!(error(squad(agent)), ": an agent appears twice");

    let member = |it: &mut Value| it["groups"][0]["members"][1] = it["groups"][0]["members"][0].clone();
    let text = ": an agent is in two groups, or a group has an agent that is not in the save";
    assert_eq!((error(whole(member)), error(squad(member))), (text.into(), text.into()));

    let tree = |it: &mut Value| {
        let mut again = it["trees"][0].clone();
        (again["agents"], again["chunks"]) = (json!([]), json!([]));
        it["trees"].as_array_mut().unwrap().push(again);
    };
    assert_eq!(error(whole(tree)), ": a tree appears twice");
    let key = |it: &mut Value| {
        let again = it["trees"][0]["agents"][1]["keys"][0].clone();
        it["trees"][0]["agents"][1]["keys"].as_array_mut().unwrap().push(again);
    };
    assert_eq!(error(whole(key)), ", in the tree \"guard\": a value has no declared key");
    let vacant = |it: &mut Value| {
        let again = it["whole"]["agents"]["next"][0].clone();
        it["whole"]["agents"]["next"].as_array_mut().unwrap().push(again);
    };
    assert_eq!(error(whole(vacant)), ": the ids of its agents do not fit together");
    let place = |it: &mut Value| it["trees"][0]["place"] = json!(u32::MAX);
    assert_eq!(
        error(whole(place)),
        "the forest lacks trees of the save: \"guard\" (number 4294967296 of that name); add them first"
    );
}

#[test]
fn ids_of_agents_have_slots_and_versions_that_there_can_be() {
    let with = |id: u64| {
        move |it: &mut Value| {
            let was = std::mem::replace(&mut it["trees"][0]["agents"][0]["id"], json!(id));
            for member in it["groups"][0]["members"].as_array_mut().unwrap() {
                if *member == was {
                    *member = json!(id);
                }
            }
        }
    };
    let slot = serde_json::to_value(lived().0.save().unwrap()).unwrap()[1]["trees"][0]["agents"][0]["id"].as_u64();
    let slot = slot.unwrap() & u64::from(u32::MAX);
    for id in [0, slot, 2 << 32 | slot, 4097 << 32 | slot, 1 << 32, 1 << 32 | u64::from(u32::MAX), MOST] {
        assert_eq!(error(whole(with(id))), ": the ids of its agents do not fit together", "{id:x}");
        let text = error(squad(with(id)));
        assert!(text.starts_with("agents of the save are already here, or their ids have been reused"), "{text}");
    }
    // The last version: its slot is never reused.
    for result in [whole(with(4095 << 32 | slot)), squad(with(4095 << 32 | slot))] {
        let (mut forest, mut world) = (result.unwrap(), World::default());
        let tree = forest.trees().next().unwrap();
        let agents: Vec<AgentId> = forest.population(tree).unwrap().agents().collect();
        for agent in agents {
            forest.agent_mut(agent).unwrap().despawn(&mut world);
        }
        for _ in 0..20 {
            forest.spawn(&mut world, tree).unwrap();
        }
        let mut next = new_forest();
        next.restore(&mut world, &forest.save().unwrap()).unwrap();
        assert_eq!(next.len(), 20);
    }
}

#[test]
fn slots_that_are_free_have_versions_that_there_can_be() {
    let agents = |version: u64| {
        whole(|it| {
            let next = &mut it["whole"]["agents"]["next"][0];
            *next = json!(version << 32 | next.as_u64().unwrap() & u64::from(u32::MAX));
        })
    };
    let groups = |version: u64| whole(|it| it["whole"]["groups"]["next"] = json!([version << 32 | 2]));
    for version in [3, 5, 4095] {
        assert_eq!((agents(version).unwrap().len(), groups(version).unwrap().len()), (7, 7), "{version}");
    }
    for version in [0, 1, 2, 4, 4097, u64::from(u32::MAX)] {
        assert_eq!(error(agents(version)), ": the ids of its agents do not fit together", "{version}");
        assert_eq!(error(groups(version)), ": its groups do not fit together", "{version}");
    }
}

#[test]
fn chunks_may_be_empty_but_for_the_last() {
    let chunks = |lengths: &[u64]| whole(|it| it["trees"][0]["chunks"] = json!(lengths)).map(|it| it.len());
    let tree = |what: &str| Err(format!("the save is damaged, in the tree \"guard\": {what}"));
    for lengths in [&[6][..], &[0, 6], &[1, 0, 5], &[0, 0, 3, 3]] {
        assert_eq!(chunks(lengths), Ok(7), "{lengths:?}");
    }
    for lengths in [&[6, 0][..], &[6, 0, 0, 0], &[0, 6, 0]] {
        assert_eq!(chunks(lengths), tree("its last chunk has no agents"), "{lengths:?}");
    }
    assert_eq!(chunks(&[]), tree("its chunks do not have as many agents as it has"));
    assert_eq!(chunks(&[6, 1025]), tree("a chunk has more agents than fit in it"));
}
