//! Random trees with random changes: the figures of `diff` add up. `PLEACH_SEED` and `PLEACH_COUNT`
//! say which trees, and how many.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach::asset::{CheckOnly, Described};
use pleach::{Library, Registry};
use pleach_draw::Drawing;
use pleach_studio_core::changes::{self, Change, Node, TreeChanges};

use super::{Compared, Outcome, picture, told};
use crate::dice::{Dice, seeds};

/// A node as a file has it.
#[derive(Clone)]
struct Made {
    kind: &'static str,
    /// With their values in RON; the field is left out if the value is empty.
    fields: Vec<(&'static str, String)>,
    children: Vec<Made>,
}

const LEAVES: [&str; 7] = ["Wait", "Check", "Log", "Idle", "Set", "Strange", "Use"];
const COMPOSITES: [&str; 7] =
    ["Sequence", "Selector", "ReactiveSelector", "Parallel", "UtilitySelector", "RandomSelector", "Switch"];
const DECORATORS: [&str; 5] = ["Inverter", "Timeout", "Repeat", "Cooldown", "Guard"];

/// The value of a field.
fn value(field: &str, dice: &mut Dice) -> String {
    let number = format!("{}.5", dice.roll(4));
    match field {
        "seconds" | "speed" => number,
        "when" | "expr" => format!("\"n > {}\"", dice.roll(3)),
        "to" | "score" => format!("\"{}\"", dice.roll(3)),
        "count" => (1 + dice.roll(3)).to_string(),
        "text" | "note" => (*dice.one(&["\"a\"", "\"b \\\"c\\\" <&> \\n\"", "\"木\""])).to_owned(),
        "abort" => (*dice.one(&["Self", "LowerPriority", "Both"])).to_owned(),
        "key" | "on" => "\"n\"".to_owned(),
        "template" => format!("\"{}\"", dice.one(&["s", "t"])),
        _ => format!("\"{}\"", dice.one(&["a", "b", "c", "d"])),
    }
}

fn made(kind: &'static str, dice: &mut Dice, children: Vec<Made>) -> Made {
    let own: &[&str] = match kind {
        "Wait" | "Timeout" | "Cooldown" => &["seconds"],
        "Check" => &["expr"],
        "Guard" => &["when"],
        "Log" => &["text"],
        "Set" => &["key", "to"],
        "Strange" => &["speed"],
        "Use" => &["template"],
        "Switch" => &["on"],
        _ => &[],
    };
    let mut fields: Vec<_> = own.iter().map(|it| (*it, value(it, dice))).collect();
    for more in ["name", "note"] {
        fields.extend((dice.roll(3) == 0).then(|| (more, value(more, dice))));
    }
    if kind == "Sequence" || kind == "Selector" {
        fields.extend((dice.roll(3) == 0).then(|| ("abort", value("abort", dice))));
    }
    Made { kind, fields, children }
}

fn grow(dice: &mut Dice, levels: usize) -> Made {
    if levels == 0 || dice.roll(4) == 0 {
        return made(LEAVES[dice.roll(LEAVES.len())], dice, Vec::new());
    }
    if dice.roll(4) == 0 {
        let child = grow(dice, levels - 1);
        return made(DECORATORS[dice.roll(DECORATORS.len())], dice, vec![child]);
    }
    let children = (0..1 + dice.roll(3)).map(|_| grow(dice, levels - 1)).collect();
    made(COMPOSITES[dice.roll(COMPOSITES.len())], dice, children)
}

/// In pre-order, the n-th node.
fn nth<'m>(of: &'m mut Made, left: &mut usize) -> Option<&'m mut Made> {
    if *left == 0 {
        return Some(of);
    }
    *left -= 1;
    of.children.iter_mut().find_map(|it| nth(it, left))
}

fn size(of: &Made) -> usize {
    1 + of.children.iter().map(size).sum::<usize>()
}

/// Does something to a node of a tree.
fn edit(tree: &mut Made, dice: &mut Dice) {
    let mut at = dice.roll(size(tree));
    let Some(node) = nth(tree, &mut at) else { return };
    let is_composite = COMPOSITES.contains(&node.kind);
    match dice.roll(8) {
        0 | 1 => {
            let at = dice.roll(node.fields.len());
            if let Some((field, text)) = node.fields.get_mut(at) {
                *text = value(field, dice);
            }
        }
        2 => node.fields.retain(|it| it.0 != "name" && it.0 != "note"),
        3 if is_composite => {
            let (at, new) = (dice.roll(node.children.len() + 1), grow(dice, 2));
            node.children.insert(at, new);
        }
        4 if is_composite && node.children.len() > 1 => {
            let at = dice.roll(node.children.len());
            drop(node.children.remove(at));
        }
        5 if is_composite => {
            let (one, other) = (dice.roll(node.children.len()), dice.roll(node.children.len()));
            node.children.swap(one, other);
        }
        6 => {
            let inner = std::mem::replace(node, made("Idle", dice, Vec::new()));
            *node = made("Inverter", dice, vec![inner]);
        }
        _ => *node = grow(dice, 2),
    }
}

fn ron(node: &Made, dice: &mut Dice) -> String {
    let mut fields: Vec<String> = node.fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let children: Vec<String> = node.children.iter().map(|it| ron(it, dice)).collect();
    let of_each = |field: &str, values: Vec<String>| {
        let each = values.iter().zip(&children).map(|(value, it)| format!("({field}: {value}, child: {it})"));
        format!("children: [{}]", each.collect::<Vec<_>>().join(", "))
    };
    // Scores and weights of a child are removed with it.
    fields.push(match node.kind {
        _ if children.is_empty() => String::new(),
        "UtilitySelector" => of_each("score", children.iter().map(|_| value("score", dice)).collect()),
        "RandomSelector" => of_each("weight", children.iter().map(|_| value("seconds", dice)).collect()),
        "Switch" => {
            let cases = children.iter().enumerate().map(|(at, it)| format!("{at}: {it}"));
            format!("cases: {{ {} }}", cases.collect::<Vec<_>>().join(", "))
        }
        kind if DECORATORS.contains(&kind) => format!("child: {}", children[0]),
        _ => format!("children: [{}]", children.join(", ")),
    });
    fields.retain(|it| !it.is_empty());
    format!("{}({})", node.kind, fields.join(", "))
}

fn file(tree: &Made, dice: &mut Dice) -> String {
    let (n, seconds) = (dice.roll(2), dice.roll(2));
    format!(
        "Tree(version: 1, name: \"t\", blackboard: {{ \"n\": Int({n}) }}, templates: {{ \"s\": (root: Wait({seconds}.5)), \"t\": (root: \
         Sequence([Check(\"n > 1\"), Log(\"x\")])) }}, root: {})",
        ron(tree, dice)
    )
}

fn described(text: String) -> Option<Described<CheckOnly>> {
    let mut registry = Registry::<CheckOnly>::new();
    registry.allow_any_leaf(true);
    Library::new(BTreeMap::from([("t.ron".to_owned(), text)])).describe("t.ron", &registry).ok()
}

/// How many nodes were added and removed.
fn counts(changes: &TreeChanges) -> (usize, usize) {
    let (mut added, mut removed) = (0, 0);
    for it in &changes.nodes {
        match it {
            Node::Added(_, below) => added += 1 + below,
            Node::Removed { below, .. } => removed += 1 + below,
            Node::Changed { moved, fields, .. } => {
                assert!(*moved || !fields.is_empty());
                assert!(fields.iter().all(|Change { old, new, .. }| old != new));
            }
        }
    }
    (added, removed)
}

/// The figures for two versions add up. Returns whether anything differs.
fn judge(old: &Described<CheckOnly>, new: &Described<CheckOnly>) -> bool {
    let (was, is) = (old.tree(), new.tree());
    let (changes, back) = (changes::of(old, new), changes::of(new, old));
    let ((added, removed), (lost, gained)) = (counts(&changes), counts(&back));
    assert_eq!(was.len() + added - removed, is.len());
    assert_eq!((added, removed), (gained, lost), "what is added one way is removed the other way");
    assert!(changes.kept + removed <= changes.all && changes.all == was.len());
    assert_eq!(changes.restarts.iter().map(|it| it.nodes).sum::<usize>() + changes.kept, changes.all);
    let differs = !changes.are_none();
    assert_eq!(differs, !back.are_none());
    if !differs {
        // A drawing has every field.
        assert_eq!(Drawing::of(was).text().to_string(), Drawing::of(is).text().to_string());
        assert_eq!(changes.kept, changes.all);
    }
    let compared = Compared {
        old: Some("old.ron".to_owned()),
        new: Some("new.ron".to_owned()),
        outcome: Outcome::Both(changes),
        picture: None,
    };
    let drawn = picture::of(Some(old), Some(new), &compared);
    assert_eq!(drawn.matches("class=\"card\"").count(), is.len() + removed);
    assert_eq!(drawn.matches(">REMOVED</text>").count(), removed);
    assert_eq!(drawn.matches(">ADDED</text>").count(), added);
    let all = [compared];
    let json: serde_json::Value = serde_json::from_str(&told::json(&all)).expect("JSON");
    assert_eq!(json["trees"].as_array().map(Vec::len), Some(usize::from(differs)));
    assert!(told::text(&all).ends_with(if differs {
        "1 tree differs, 0 equal\n"
    } else {
        "0 trees differ, 1 equal\n"
    }));
    differs
}

#[test]
fn what_is_said_of_random_changes_adds_up() {
    let (mut pairs, mut different) = (0, 0);
    for seed in seeds(500) {
        let mut dice = Dice::new(seed);
        let tree = grow(&mut dice, 4);
        let mut edited = tree.clone();
        (0..dice.roll(5)).for_each(|_| edit(&mut edited, &mut dice));
        let beside = dice.roll(1_000) as u64;
        // Scores, weights and declarations are now and then those of the other version.
        let text = |tree: &Made, other: u64| file(tree, &mut Dice::new(beside + other));
        let other = dice.roll(2) as u64;
        let (old, new) = (text(&tree, 0), text(&edited, other));
        let told = format!("seed {seed}:\n{old}\n{new}");
        let (Some(old), Some(new)) = (described(old), described(new)) else { continue };
        let judged = catch_unwind(AssertUnwindSafe(|| {
            assert!(!judge(&old, &old), "a tree does not differ from itself");
            judge(&old, &new)
        }));
        different += usize::from(judged.unwrap_or_else(|_| panic!("{told}")));
        pairs += 1;
    }
    assert!(pairs > 100 && different > pairs / 2 && different < pairs, "{pairs} {different}");
}
