//! A replay as JSON, for programs.

use pleach::AgentId;
use pleach::expr::KeyIndex;
use pleach::record::Replay;
use serde_json::{Value, json};

use super::found::Found;
use super::{explanation, lost, told, why_not};
use crate::args::ReplayArgs;
use crate::failure::Failure;
use crate::paths::shown;
use crate::stage::{self, Stage};
use crate::words;

/// Sums of steps are not exact to the nanosecond.
pub(super) fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// The same as the text: times in seconds, sizes in bytes, and where each diverged agent first
/// diverged. A recorded key holds what an expression last read.
pub(super) fn json(
    replay: &Replay<Stage>,
    agent: Option<(u32, AgentId)>,
    found: &Found,
    args: &ReplayArgs,
) -> Result<Value, Failure> {
    let trees: Vec<Value> = replay.trees().map(|it| json!({ "name": it.name(), "nodes": it.len() })).collect();
    let strayed: Vec<Value> = found
        .strayed
        .iter()
        .map(|it| {
            json!({
                "frame": it.frame, "time_s": rounded(it.time), "agent": it.agent, "node": it.node,
                "recorded": it.recorded, "runs": it.runs, "text": told::line(it),
            })
        })
        .collect();
    let turned: Vec<Value> = found
        .turned
        .iter()
        .map(|it| {
            json!({
                "frame": it.frame, "time_s": rounded(it.time), "agent": it.agent, "ran": it.was, "runs": it.is,
                "text": it.to_string(),
            })
        })
        .collect();
    let mut all = json!({
        "file": shown(&args.file),
        "frames": replay.len(),
        "frames_played": replay.played(),
        "frame": replay.frame(),
        "begin_s": rounded(found.began),
        "end_s": rounded(replay.forest().time()),
        "trees": trees,
        "agents": replay.forest().len(),
        "agents_at_most": found.most,
        "agents_that_came": replay.agents().len(),
        "keys_every": replay.keys_every(),
        "bytes": found.size,
        "bytes_per_agent_second": found.bytes_each(replay),
        "complete_from_s": found.whole_from.map(rounded),
        "divergences": found.diverged,
        "diverged": strayed,
    });
    if args.against.is_some() {
        all["frames_compared"] = json!(found.compared);
        all["other_damage"] = json!(found.other_damage);
        all["other_agents_diverged"] = json!(found.other_diverged);
        all["decided_differently"] = json!(turned);
    }
    if found.is_edited {
        let new_leaf = |(node, agents): (&String, &_)| json!({ "node": node, "agents": agents });
        all["decided_differently"] = json!(turned);
        all["new_leaves"] = found.new_leaves.iter().map(new_leaf).collect();
    }
    if let Some((number, id)) = agent {
        let view = replay.inspect(id).map_err(lost)?;
        let paths = stage::paths(&view.tree);
        let running: Vec<&str> = view.current().map(|it| &*paths[it.index()]).collect();
        let keys = view.keys.iter().enumerate().map(|(at, (key, held))| {
            let value = words::value(view.tree.schema(), *held);
            let recorded = KeyIndex::new(at).is_some_and(|it| replay.records(&view.tree, it));
            json!({ "name": key.name(), "of": stage::place(key), "value": value, "recorded": recorded })
        });
        let keys: Vec<Value> = keys.collect();
        let mut own = json!({
            "number": number,
            "tree": view.tree.name(),
            "phase": view.phase.to_string(),
            "running": running,
            "keys": keys,
        });
        if args.trace {
            own["trace"] = json!(found.trace);
        }
        if args.explain {
            own["explanation"] = json!(explanation(&view, number).to_string());
        }
        if let Some(name) = &args.why {
            own["why_not"] = json!(why_not(&view, name)?.map(|it| it.to_string()));
        }
        all["agent"] = own;
    }
    Ok(all)
}
