//! The figures of a run as JSON, for programs.

use pleach::Host;
use serde_json::{Value, json};

use super::table::RunTable;
use crate::coverage::TreeCoverage;

/// The same as the table, and what was covered if requested. A time is in the unit that its name
/// ends with; sums are over agents and frames; shares go from 0 to 1.
pub(super) fn json<H: Host>(table: &RunTable<'_, H>, coverage: Option<&TreeCoverage>) -> Value {
    let RunTable { args, tree, pace, ran, wall, trees, frames, sum, events, shares, sampled, columns: _ } = table;
    let spread = |[median, p99, longest]: [f64; 3]| json!({ "median": median, "p99": p99, "longest": longest });
    let size = tree.footprint();
    let bytes = json!({ "hot": size.hot, "cold": size.cold, "blackboard": size.blackboard, "leaves": size.leaves });
    let behaviours: Vec<Value> = shares.iter().map(|(name, share)| json!({ "name": name, "share": share })).collect();
    let mut all = json!({
        "tree": tree.name(),
        "agents": args.agents,
        "seed": args.seed,
        "hz": pace.hz,
        "frames": ran,
        "frames_wanted": pace.frames,
        "debug_build": cfg!(debug_assertions),
        "wall_s": wall.as_secs_f64(),
        "tick_ns": spread(trees.digest()),
        "frame_ns": spread(frames.digest()),
        "ticked": sum.ticked,
        "asleep": sum.asleep,
        "ended": sum.ended,
        "aborts": sum.aborts,
        "events": events,
        "bytes_per_agent": bytes,
        "behaviours": behaviours,
        "sampled_agents": sampled,
    });
    if let Some(it) = coverage {
        all["coverage"] = json!(it.nodes);
    }
    all
}
