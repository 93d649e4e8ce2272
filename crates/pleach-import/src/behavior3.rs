//! behavior3: JSON of behavior3js and its editor (classic: nodes by their ids, composites that
//! forget), and of behavior3-ts and behavior3lua (nested, composites that remember).

mod classic;
mod nested;

use std::sync::LazyLock;

use crate::format::Format;
use crate::item::{Data, Given, Item, Sort};
use crate::json::{self, Json};
use crate::keys::{Kind, Use, key_name};
use crate::map::Mapper;
use crate::place::Place;
use crate::profile::{Profile, Skip};
use crate::report::Fate;
use crate::ron::{Node, Value};
use crate::script::{Assignment, condition};
use crate::starbound;

pub(crate) use classic::read as classic;
pub(crate) use nested::read as nested;

static CLASSIC: LazyLock<Profile> = LazyLock::new(|| {
    Profile::read("behavior3.profile.ron", include_str!("behavior3/classic.profile.ron")).expect("a test reads it")
});
static NESTED: LazyLock<Profile> = LazyLock::new(|| {
    Profile::read("behavior3-nested.profile.ron", include_str!("behavior3/nested.profile.ron"))
        .expect("a test reads it")
});

/// How nodes of the classic format map to pleach.
pub(crate) fn classic_profile() -> &'static Profile {
    &CLASSIC
}

/// How nodes of the nested format map to pleach.
pub(crate) fn nested_profile() -> &'static Profile {
    &NESTED
}

/// Which of the formats in JSON a file has. Its reader reports what is wrong with a broken one.
pub(crate) fn format(text: &str) -> Option<Format> {
    let Ok(json) = json::read(text) else { return Some(Format::Behavior3Nested) };
    let is_classic = |it: &Json| it.get("trees").is_some() || it.get("nodes").is_some() && it.get("root").is_some();
    if is_classic(&json) || json.get("data").is_some_and(is_classic) || json.items().iter().any(is_classic) {
        return Some(Format::Behavior3);
    }
    if starbound::is_one(&json) {
        return Some(Format::Starbound);
    }
    json.get("root").and_then(|it| it.get("name")).map(|_| Format::Behavior3Nested)
}

/// Gives a node the values of an object.
fn give(item: &mut Item, json: Option<&Json>) {
    for (name, value) in json.map_or(&[][..], Json::fields) {
        let at = Place { at: value.at, ..item.at };
        match value.plain() {
            Some(it) => item.given.push(Given { name: name.clone(), value: Data::Text(it), how: None, at }),
            None if matches!(value.data, json::Data::Null) => {}
            None => item.conditions.lost.push(format!("its `{name}` is left out: it is a list or an object")),
        }
    }
}

/// The nodes that no profile can map.
pub(crate) fn special(mapper: &mut Mapper<'_>, item: &Item, within: Skip) -> Option<(Node, Fate)> {
    match &*item.kind {
        // All trees of an agent have the same keys.
        _ if item.sort == Sort::Tree => Some(mapper.shared_subtree(item)),
        "Let" | "Calculate" if item.children.is_empty() => Some(set(mapper, item)),
        "Switch" => switch(mapper, item, within),
        "Sequence" | "Priority" if item.children.iter().skip(1).any(remembers) => {
            let (node, fate) = mapper.shipped(item, within)?;
            let why = "what remembers below it begins anew here after an abort; behavior3js can miss that it ended";
            Some((node, fate.and(Fate::Rewritten(why.into()))))
        }
        _ => None,
    }
}

/// Whether a node, or one below it, is a composite of behavior3js that remembers its child.
fn remembers(item: &Item) -> bool {
    matches!(&*item.kind, "MemSequence" | "MemPriority") || item.children.iter().any(remembers)
}

/// A value, a key or an expression that goes into a key.
fn set(mapper: &mut Mapper<'_>, item: &Item) -> (Node, Fate) {
    let lost = |why: String| (Node::new("Succeed"), Fate::Lost(why));
    let Some(Data::Key(key)) = item.get("out1") else { return lost("it has no key to write".into()) };
    let value = match (item.get("in1"), item.text("value")) {
        (Some(Data::Key(from)), _) => Ok(crate::script::Expr::Name(from.clone())),
        (_, Some(text)) if item.kind == "Let" && Kind::of(text) == Kind::Word => {
            Ok(crate::script::Expr::Text(text.to_owned()))
        }
        (_, Some(text)) => condition(text),
        _ => Err("it has no value".into()),
    };
    let done = value.and_then(|value| mapper.set(&Assignment { key: key.clone(), value }, item));
    done.map_or_else(lost, |it| (it, Fate::Exact))
}

/// Cases, each a test and what runs if it succeeds: an `IfThenElse` in the `else` of another.
fn switch(mapper: &mut Mapper<'_>, item: &Item, within: Skip) -> Option<(Node, Fate)> {
    let is_case = |it: &Item| it.kind == "Case" && it.children.len() == 2;
    if item.children.is_empty() || !item.children.iter().all(is_case) {
        return None;
    }
    let cases: Vec<[Node; 2]> =
        item.children.iter().map(|it| [0, 1].map(|at| mapper.node(&it.children[at], within))).collect();
    let node = cases.into_iter().rev().fold(None, |other: Option<Node>, [test, then]| {
        let mut nodes = vec![("\"if\"".to_owned(), Value::Node(test)), ("\"then\"".to_owned(), Value::Node(then))];
        nodes.extend(other.map(|it| ("\"else\"".to_owned(), Value::Node(it))));
        Some(Node::new("Use").text("template", "IfThenElse").with("nodes", Value::Map(nodes)))
    });
    Some((node?, Fate::Rewritten("its cases are tests: `IfThenElse`, one in the `else` of another".into())))
}

/// Notes that a node reads or writes keys by their places: `in1`, `out1`.
fn keys(json: &Json, field: &str, prefix: &str, how: Use, file: usize) -> Vec<Given> {
    let items = json.get(field).map_or(&[][..], Json::items);
    let key = |(at, it): (usize, &Json)| {
        let key = it.text().filter(|it| !it.is_empty())?;
        let value = Data::Key(key_name(key));
        Some(Given { name: format!("{prefix}{}", at + 1), value, how: Some(how), at: Place { file, at: it.at } })
    };
    items.iter().enumerate().filter_map(key).collect()
}
