//! Moves conditions to where pleach can ask them. A skipped node counts as nothing there, and here
//! as success or failure: so what skips the child of a decorator skips the decorator, and a
//! composite of which all children are skipped is skipped itself.

use crate::item::{Conditions, Item};
use crate::script::Expr;

/// Decorators that are skipped with their child, and whether they ask for it only once.
const DECORATORS: [(&str, bool); 9] = [
    ("Inverter", true),
    ("ForceSuccess", true),
    ("ForceFailure", true),
    ("Timeout", true),
    ("Delay", false),
    ("Repeat", false),
    ("RetryUntilSuccessful", false),
    ("RetryUntilSuccesful", false),
    ("KeepRunningUntilFailure", false),
];
/// Composites that are skipped if all their children are.
const COMPOSITES: [&str; 9] = [
    "Sequence",
    "SequenceStar",
    "SequenceWithMemory",
    "ReactiveSequence",
    "AsyncSequence",
    "Fallback",
    "ReactiveFallback",
    "AsyncFallback",
    "Parallel",
];

/// Moves the conditions of a tree, from its leaves to its root.
pub(super) fn lift(item: &mut Item) {
    item.children.iter_mut().for_each(lift);
    let decorator = DECORATORS.iter().find(|it| it.0 == item.kind);
    if let (Some((_, is_exact)), [child]) = (decorator, &mut *item.children) {
        let from = &mut child.conditions;
        // What decides its result is asked first.
        let decides = decides(from);
        let skips = [from.skip_if.take(), from.all_skipped.take()].into_iter().flatten().reduce(Expr::or);
        let skips = skips.map(|it| decides.clone().into_iter().fold(it, |it, decides| it.and(decides.not())));
        let holds = from.while_true.take();
        let is_moved = skips.is_some() || holds.is_some();
        let into = &mut item.conditions;
        if holds.is_some() && decides.is_some() {
            into.notes
                .push("`_while` of its child does not hold it while `_failureIf` or `_successIf` would decide".into());
        }
        let holds = holds.map(|it| decides.into_iter().fold(it, Expr::or));
        into.skip_if = joined(into.skip_if.take(), skips, Expr::or);
        into.while_true = joined(into.while_true.take(), holds, Expr::and);
        if is_moved && !is_exact {
            into.notes.push("what skips its child is asked once here, and there in each round".into());
        }
    } else if COMPOSITES.contains(&&*item.kind) && !item.children.is_empty() {
        let all: Option<Vec<Expr>> = item.children.iter().map(skipped).collect();
        item.conditions.all_skipped = all.and_then(|it| it.into_iter().reduce(Expr::and));
    }
}

/// When a node is skipped at its start.
fn skipped(item: &Item) -> Option<Expr> {
    let conditions = &item.conditions;
    let stopped = conditions.while_true.clone().map(Expr::not);
    let skips = [conditions.skip_if.clone(), conditions.all_skipped.clone(), stopped].into_iter().flatten();
    let skips = skips.reduce(Expr::or)?;
    Some(decides(conditions).into_iter().fold(skips, |skips, decides| skips.and(decides.not())))
}

/// When its result is decided before the node starts, and before what skips it is asked.
fn decides(conditions: &Conditions) -> Option<Expr> {
    joined(conditions.fail_if.clone(), conditions.succeed_if.clone(), Expr::or)
}

fn joined(a: Option<Expr>, b: Option<Expr>, join: fn(Expr, Expr) -> Expr) -> Option<Expr> {
    match (a, b) {
        (Some(a), Some(b)) => Some(join(a, b)),
        (a, b) => a.or(b),
    }
}
