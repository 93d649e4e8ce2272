//! Code actions: the fixes of problems as edits.

use serde_json::{Value as Json, json};

/// The fixes of problems that touch a range, the likeliest of each problem first; and all of them
/// at once.
pub(crate) fn actions(uri: &str, problems: &[Json], range: &Json) -> Json {
    let mut actions = Vec::new();
    for problem in problems.iter().filter(|it| touches(&it["range"], range)) {
        for (at, fix) in fixes(problem).iter().enumerate() {
            actions.push(json!({
                "title": fix["title"], "kind": "quickfix", "diagnostics": [problem], "isPreferred": at == 0,
                "edit": { "changes": { uri: fix["edits"] } },
            }));
        }
    }
    let all = all_at_once(problems);
    if !all.is_empty() {
        actions.push(json!({
            "title": "fix all problems that have a fix", "kind": "source.fixAll.pleach",
            "edit": { "changes": { uri: all } },
        }));
    }
    Json::Array(actions)
}

/// The edits of all fixes that can be applied together.
fn all_at_once(problems: &[Json]) -> Vec<Json> {
    let together = problems.iter().filter(|it| it["data"]["together"] == true).filter_map(|it| fixes(it).first());
    together.flat_map(|it| it["edits"].as_array().into_iter().flatten().cloned()).collect()
}

fn fixes(problem: &Json) -> &[Json] {
    problem["data"]["fixes"].as_array().map_or(&[], |it| it)
}

fn touches(one: &Json, other: &Json) -> bool {
    let place = |it: &Json| (it["line"].as_u64(), it["character"].as_u64());
    place(&one["start"]) <= place(&other["end"]) && place(&other["start"]) <= place(&one["end"])
}
