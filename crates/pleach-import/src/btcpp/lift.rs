//! Moves conditions to where pleach can check them. A skipped node counts as nothing there, and
//! here as success or failure: so a condition that skips the child of a decorator skips the
//! decorator, and a composite whose children are all skipped is skipped itself.

use crate::item::{Conditions, Item, Sort, Tree};
use crate::profile::Skip;
use crate::script::Expr;

/// Decorators that are skipped with their child, and whether they ask for it only once.
const DECORATORS: [(&str, bool); 10] = [
    ("RunOnce", true),
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
    if let Some(is_exact) = passes(item)
        && let Some(child) = item.children.first_mut()
    {
        let from = &mut child.conditions;
        // Conditions that decide its result are checked first.
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
            into.notes.push(match &*item.kind {
                "Delay" => "what skips its child is asked before the delay here, and behind it there".into(),
                _ => "what skips its child is asked once here, and there in each round".into(),
            });
        }
    } else if let Some(children) = together(item) {
        let all: Option<Vec<Expr>> = children.iter().map(skipped).collect();
        item.conditions.all_skipped = all.and_then(|it| it.into_iter().reduce(Expr::and));
    }
    let notes = notes(item);
    item.conditions.notes.extend(notes.into_iter().map(Into::into));
}

/// What differs, regardless of its children.
fn notes(item: &Item) -> Vec<&'static str> {
    let mut notes = Vec::new();
    match (&*item.kind, &*item.children) {
        ("IfThenElse" | "WhileDoElse", [first, ..]) => {
            let conditions = &first.conditions;
            if decides(conditions).is_some() || conditions.may_skip() {
                notes.push("there it can forget to ask the conditions of its first child again");
            }
            if item.kind == "WhileDoElse" && may_run(first) {
                notes.push("while its first child is running, the others are aborted here; there they wait");
            }
        }
        ("Parallel", [_, others @ ..]) if others.iter().any(asks_again) => {
            notes.push("in a tick, what a reactive node asks again comes before the branches beside it; there behind");
        }
        _ => {}
    }
    notes
}

/// Whether a node can be running. A node that runs its child in rounds takes a tick for each.
fn may_run(item: &Item) -> bool {
    match &*item.children {
        [] => item.sort != Sort::Condition && !matches!(&*item.kind, "ScriptCondition" | "Script"),
        children => DECORATORS.contains(&(&*item.kind, false)) || children.iter().any(may_run),
    }
}

/// Whether a node, or one below it, asks earlier children again while a later one runs.
fn asks_again(item: &Item) -> bool {
    item.kind.starts_with("Reactive") || item.kind == "WhileDoElse" || item.children.iter().any(asks_again)
}

/// Whether a node is skipped with its first child, and if so, whether it asks for it only once.
fn passes(item: &Item) -> Option<bool> {
    if COMPOSITES.contains(&&*item.kind) && item.children.len() == 1 {
        return Some(item.kind != "Parallel");
    }
    let decorator = DECORATORS.iter().find(|it| it.0 == item.kind && !is_once(item));
    decorator.filter(|_| item.children.len() == 1).map(|it| it.1)
}

/// Whether a `RunOnce` keeps its result, and does not ask its child again.
fn is_once(item: &Item) -> bool {
    item.kind == "RunOnce" && item.text("then_skip").is_some_and(|it| matches!(it.trim(), "false" | "0"))
}

/// The children of which at least one must not be skipped, or the node is.
fn together(item: &Item) -> Option<&[Item]> {
    match &*item.children {
        [children @ .., _] if item.kind == "TryCatch" => Some(children),
        children if COMPOSITES.contains(&&*item.kind) => Some(children),
        _ => None,
    }
    .filter(|it| !it.is_empty())
}

/// How the engine may skip a node at its place.
#[derive(Clone, Copy)]
pub(super) struct Skips {
    pub(super) at_all: bool,
    /// For a reason other than its conditions.
    pub(super) itself: bool,
    /// Because nodes below it are skipped, which no expression tells at its start.
    with_others: bool,
}

impl Skips {
    /// Visits everything below the node once.
    pub(super) fn of(item: &Item, trees: &[Tree]) -> Self {
        let below: Vec<Skips> = item.children.iter().map(|it| Skips::of(it, trees)).collect();
        let others = match (together(item), passes(item)) {
            (Some(children), _) => children.len(),
            (None, Some(_)) => 1,
            (None, None) => 0,
        };
        let pairs = || item.children.iter().zip(&below).take(others);
        let is_said = |(it, skips): (&Item, &Skips)| it.conditions.while_true.is_none() && !skips.itself;
        let with_others = pairs().all(|it| it.1.at_all) && !pairs().all(is_said);
        let itself = with_others
            || match &*item.kind {
                "RunOnce" => !is_once(item),
                "Precondition" => item.text("else").is_some_and(|it| it.trim() == "SKIPPED"),
                "IfThenElse" | "WhileDoElse" => below.iter().skip(1).any(|it| it.at_all),
                kind if kind.starts_with("Switch") => below.iter().any(|it| it.at_all),
                _ => false,
            }
            // One level: trees may use each other often.
            || item.tree.and_then(|it| trees.get(it)).is_some_and(|it| Skips::of(&it.root, &[]).at_all);
        Skips { at_all: itself || item.conditions.may_skip(), itself, with_others }
    }
}

/// What differs because a node is skipped with the nodes below it, where a skipped node counts as
/// `within`.
pub(super) fn differs(item: &Item, trees: &[Tree], within: Skip, below: Skip) -> Option<&'static str> {
    let is_same = together(item).is_some() && within == below;
    (!is_same && Skips::of(item, trees).with_others).then_some(if below == Skip::Failure {
        "if what is below it is skipped, that is a failure here; there it is skipped itself"
    } else {
        "if what is below it is skipped, that is a success here; there it is skipped itself"
    })
}

/// When a node is skipped at its start.
fn skipped(item: &Item) -> Option<Expr> {
    let conditions = &item.conditions;
    let stopped = conditions.while_true.clone().map(Expr::not);
    let skips = [conditions.skip_if.clone(), conditions.all_skipped.clone(), stopped].into_iter().flatten();
    let skips = skips.reduce(Expr::or)?;
    Some(decides(conditions).into_iter().fold(skips, |skips, decides| skips.and(decides.not())))
}

/// When its result is decided before the node starts, and before its skip conditions are checked.
fn decides(conditions: &Conditions) -> Option<Expr> {
    joined(conditions.fail_if.clone(), conditions.succeed_if.clone(), Expr::or)
}

fn joined(a: Option<Expr>, b: Option<Expr>, join: fn(Expr, Expr) -> Expr) -> Option<Expr> {
    match (a, b) {
        (Some(a), Some(b)) => Some(join(a, b)),
        (a, b) => a.or(b),
    }
}
