//! The nodes that no profile can map.

use super::lift::{Skips, differs};
use super::{own, subtree};
use crate::item::{Data, Item, Sort};
use crate::keys::{Kind, Use, key_name};
use crate::map::Mapper;
use crate::profile::Skip;
use crate::report::{Fate, shortened};
use crate::ron::{self, Node, Value};
use crate::script::{Assignment, Expr};

pub(crate) fn special(mapper: &mut Mapper<'_>, item: &Item, within: Skip) -> Option<(Node, Fate)> {
    Some(match &*item.kind {
        _ if item.sort == Sort::Tree => {
            let (node, fate) = subtree::subtree(mapper, item);
            let root = item.tree.map(|it| &mapper.trees[it].root);
            let differs = within != Skip::Success && root.is_some_and(|it| Skips::of(it, mapper.trees).at_all);
            let why = "if the root of the tree is skipped, it has succeeded here";
            (node, if differs { fate.and(Fate::Rewritten(why.into())) } else { fate })
        }
        kind if own::include(kind).is_some() => own::included(mapper, item, own::include(kind)?),
        kind if own::kind(kind).is_some() => own::node(mapper, item, own::kind(kind)?),
        "Script" => script(mapper, item),
        "SetBlackboard" => set_blackboard(mapper, item),
        "Parallel" => parallel(mapper, item),
        "ParallelAll" | "SequenceWithMemory" if item.children.is_empty() => lost("it has no child"),
        "ParallelAll" => parallel_all(mapper, item),
        "SequenceWithMemory" => sequence_with_memory(mapper, item),
        kind if kind.strip_prefix("Switch").is_some_and(|it| it.len() == 1 && it.as_bytes()[0].is_ascii_digit()) => {
            switch(mapper, item, within)
        }
        "Repeat" | "RetryUntilSuccessful" | "RetryUntilSuccesful" if counts_by_key(item) => {
            let (node, fate) = mapper.shipped(item, within)?;
            let why = "if the key holds a negative number, it goes on for ever there, and not here";
            let skips = differs(item, mapper.trees, within, mapper.shipped.skipped(&item.kind, within));
            let fate = skips.into_iter().fold(fate, |fate, why| fate.and(Fate::Rewritten(why.into())));
            (node, fate.and(Fate::Rewritten(why.into())))
        }
        kind => {
            let why = differs(item, mapper.trees, within, mapper.shipped.skipped(kind, within))?;
            let (node, fate) = mapper.shipped(item, within)?;
            (node, fate.and(Fate::Rewritten(why.into())))
        }
    })
}

/// Whether a key holds how often its child runs.
fn counts_by_key(item: &Item) -> bool {
    ["num_cycles", "num_attempts"].iter().any(|it| matches!(item.get(it), Some(Data::Key(_))))
}

fn lost(why: impl Into<String>) -> (Node, Fate) {
    (Node::new("Succeed"), Fate::Lost(why.into()))
}

fn script(mapper: &mut Mapper<'_>, item: &Item) -> (Node, Fate) {
    let Some(code) = item.text("code") else { return lost("it has no `code`") };
    mapper.script(code, item)
}

fn set_blackboard(mapper: &mut Mapper<'_>, item: &Item) -> (Node, Fate) {
    let (Some(value), Some(Data::Key(key) | Data::Text(key))) = (item.get("value"), item.get("output_key")) else {
        return lost("it lacks `value` or `output_key`");
    };
    let value = match value {
        Data::Key(key) => Expr::Name(key.clone()),
        Data::Text(text) => match Kind::of(text) {
            Kind::Bool => Expr::Bool(text.trim() == "true"),
            Kind::Int => Expr::Number(text.trim().into(), true),
            Kind::Float => Expr::Number(text.trim().into(), false),
            _ if Kind::is_foreign(text) => {
                return lost(format!("`{}` is a list, or a value of the game", shortened(text)));
            }
            _ => Expr::Text(text.clone()),
        },
    };
    match mapper.set(&Assignment { key: key.clone(), value }, item) {
        Ok(node) => (node, Fate::Exact),
        Err(why) => lost(why),
    }
}

/// How many children: a count, or one from the end (-1: all).
fn threshold(item: &Item, names: [&str; 2], default: i64) -> Result<i64, String> {
    let Some(data) = names.iter().find_map(|it| item.get(it)) else { return Ok(default) };
    let count = item.children.len().try_into().unwrap_or(i64::MAX);
    match data {
        Data::Key(key) => Err(format!("its threshold is the key `{key}`, and here it must be a number")),
        Data::Text(text) => match text.trim().parse::<i64>() {
            Ok(it) if it < 0 => Ok((count + it + 1).max(0)),
            Ok(it) => Ok(it),
            Err(_) => Err(format!("its threshold is `{text}`, not a number")),
        },
    }
}

fn policy(needed: i64, count: i64) -> String {
    match needed {
        1 => "Any".into(),
        it if it == count => "All".into(),
        it => format!("AtLeast({it})"),
    }
}

/// The attributes for how many children of a Parallel must succeed.
const SUCCESS: [&str; 2] = ["success_count", "success_threshold"];

fn parallel(mapper: &mut Mapper<'_>, item: &Item) -> (Node, Fate) {
    let count = item.children.len().try_into().unwrap_or(i64::MAX);
    let success = threshold(item, SUCCESS, count);
    let failure = threshold(item, ["failure_count", "failure_threshold"], 1);
    let (success, failure) = match (success, failure) {
        (Ok(success), Ok(failure)) if success > 0 && success <= count && failure > 0 => (success, failure),
        (Ok(success), Ok(failure)) => {
            let why = format!("it needs {success} successes or {failure} failures of {count} children");
            return (mapper.own_template(item, &why), Fate::Lost(why));
        }
        (Err(why), _) | (_, Err(why)) => return (mapper.own_template(item, &why), Fate::Lost(why)),
    };
    // It also fails as soon as it cannot succeed.
    let failure = failure.min(count - success + 1);
    let mut node = Node::new("Parallel");
    // With one child, any is all; the defaults are `All` and `Any`.
    if success != count {
        node = node.raw("success", policy(success, count));
    }
    if failure != 1 {
        node = node.raw("failure", policy(failure, count));
    }
    // With a count of successes, a skipped child is asked again in each tick.
    let waits = SUCCESS.iter().find_map(|it| item.text(it)).is_some_and(|it| !it.trim().starts_with('-'));
    let within = if waits { Skip::Waits } else { Skip::Success };
    let children: Vec<Node> = item.children.iter().map(|it| mapper.node(it, within)).collect();
    let skips: Vec<Skips> = item.children.iter().map(|it| Skips::of(it, mapper.trees)).collect();
    let fate = if skips.iter().any(|it| if waits { it.itself } else { it.at_all }) {
        Fate::Rewritten("a child that is skipped has succeeded here; there it is asked again in each tick".into())
    } else if skips.iter().all(|it| it.at_all) {
        Fate::Rewritten("it waits while all its children are skipped; there it is skipped then".into())
    } else {
        Fate::Exact
    };
    (node.children(children), fate)
}

fn parallel_all(mapper: &mut Mapper<'_>, item: &Item) -> (Node, Fate) {
    let most = match threshold(item, ["max_failures", "max_failures"], 1) {
        Ok(it) => it,
        Err(why) => return (mapper.own_template(item, &why), Fate::Lost(why)),
    };
    let count = "failed_children";
    let children: Vec<Node> = item
        .children
        .iter()
        .map(|it| Node::selector([mapper.node(it, Skip::Success), Node::set(count, format!("{count} + 1"))]))
        .collect();
    let all = Node::new("Parallel").children(children);
    let node = Node::new("Sequence")
        .raw("locals", format!("{{ \"{count}\": Int(0) }}"))
        .children([all, Node::check(format!("{count} < {most}"))]);
    (node, Fate::Rewritten("a key counts the children that fail".into()))
}

fn sequence_with_memory(mapper: &mut Mapper<'_>, item: &Item) -> (Node, Fate) {
    let count = item.children.len();
    let step = "steps_done";
    let mut children = Vec::new();
    for (at, child) in item.children.iter().enumerate() {
        let child = mapper.node(child, Skip::Success);
        let done = Node::set(step, (at + 1).to_string());
        children.push(match at + 1 == count {
            true => Node::sequence([child, Node::set(step, "0")]),
            false => Node::selector([Node::check(format!("{step} > {at}")), Node::sequence([child, done])]),
        });
    }
    let node = Node::new("Sequence").raw("blackboard", format!("{{ \"{step}\": Int(0) }}")).children(children);
    (node, Fate::Rewritten("a key says how many steps are done; there it can wait a tick behind a step".into()))
}

fn switch(mapper: &mut Mapper<'_>, item: &Item, within: Skip) -> (Node, Fate) {
    let count = item.children.len().saturating_sub(1);
    let on = match item.get("variable") {
        Some(Data::Key(key)) => key_name(key),
        _ => {
            let why = "its `variable` is not a key".to_owned();
            return (mapper.own_template(item, &why), Fate::Lost(why));
        }
    };
    let cases: Option<Vec<String>> =
        (1..=count).map(|it| item.text(&format!("case_{it}")).map(|it| it.trim().to_owned())).collect();
    let Some(cases) = cases.filter(|it| !it.is_empty()) else {
        let why = "it lacks a `case_..`, or one is a key".to_owned();
        return (mapper.own_template(item, &why), Fate::Lost(why));
    };
    if item.kind.strip_prefix("Switch").and_then(|it| it.parse().ok()) != Some(count) {
        let why = format!("it has {} children, and needs one for each case and one more", item.children.len());
        return (mapper.own_template(item, &why), Fate::Lost(why));
    }
    let kind = cases.iter().map(|it| Kind::of(it)).max().unwrap_or_default();
    if kind == Kind::Float {
        let why = "its cases have fractions".to_owned();
        return (mapper.own_template(item, &why), Fate::Lost(why));
    }
    let kind = mapper.keys.used(mapper.tree, &on, item.at, Use::Read, kind);
    let is_one = |case: &String| match kind {
        Kind::Word => true,
        Kind::Int => matches!(Kind::of(case), Kind::Int | Kind::Bool),
        kind => kind == Kind::Bool && Kind::of(case) == Kind::Bool,
    };
    if (1..cases.len()).any(|it| cases[..it].contains(&cases[it])) {
        let why = "two of its cases are the same: the second never runs there".to_owned();
        return (mapper.own_template(item, &why), Fate::Lost(why));
    }
    if !cases.iter().all(is_one) {
        let why = format!("its cases are not of the type of `{on}`, {}", kind.name());
        return (mapper.own_template(item, &why), Fate::Lost(why));
    }
    let mut map = Vec::new();
    for (case, child) in cases.iter().zip(&item.children) {
        let case = match kind {
            Kind::Word => ron::quoted(&mapper.keys.word(mapper.tree, &on, item.at, case)),
            Kind::Int if case == "true" => "1".into(),
            Kind::Int if case == "false" => "0".into(),
            _ => case.clone(),
        };
        map.push((case, Value::Node(mapper.node(child, within))));
    }
    let default = item.children.last().map(|it| (mapper.node(it, within), Node::new("Fail")));
    // A switch without a default fails.
    let default = default.filter(|it| it.0.kind != it.1.kind || !it.0.fields.is_empty()).map(|it| it.0);
    let node = Node::new("Switch").text("on", on).with("cases", Value::Map(map));
    (default.into_iter().fold(node, |it, default| it.with("default", Value::Node(default))), Fate::Exact)
}
