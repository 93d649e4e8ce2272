//! LimboAI: a resource per task, whose type is its kind.

use std::collections::{BTreeMap, BTreeSet};

use pleach::tools::file_stem;

use super::read::{self, Section, Value};
use super::{Scripts, connect, left_out};
use crate::item::{Data, Declared, Given, Item, Sort, Tree};
use crate::keys::{Kind, key_name};
use crate::map::Mapper;
use crate::place::{Place, Text};
use crate::profile::Skip;
use crate::report::{Fate, Line, Notes};
use crate::ron::{self, Node};
use crate::script::{Assignment, condition};

/// The deepest nesting.
const MAX_DEPTH: usize = 200;

pub(crate) fn read(files: &[(usize, &Text)], notes: &mut Notes) -> Vec<Tree> {
    let (mut trees, mut scripts) = (Vec::new(), Scripts::default());
    for (file, text) in files {
        match tree(*file, text, &mut scripts, notes) {
            Ok(tree) => trees.push(tree),
            Err((at, why)) => notes.add(Place { file: *file, at }, Line::Error(why)),
        }
    }
    connect(&mut trees, files);
    trees
}

struct Reader<'r> {
    file: usize,
    inner: BTreeMap<&'r str, &'r Section>,
    paths: BTreeMap<&'r str, &'r str>,
    used: BTreeSet<&'r str>,
    scripts: &'r mut Scripts,
}

fn tree(file: usize, text: &Text, scripts: &mut Scripts, notes: &mut Notes) -> Result<Tree, (usize, String)> {
    let sections = read::read(&text.text)?;
    let of = |tag: &'static str| sections.iter().filter(move |it| it.tag == tag);
    let mut reader = Reader {
        file,
        inner: of("sub_resource").filter_map(|it| Some((it.head("id")?, it))).collect(),
        paths: of("ext_resource").filter_map(|it| Some((it.head("id")?, it.head("path")?))).collect(),
        used: BTreeSet::new(),
        scripts,
    };
    let resource = of("resource").next().ok_or((0, "there is no `[resource]`".to_owned()))?;
    let root = resource.resource("root_task").ok_or((resource.at, "this resource has no `root_task`".to_owned()))?;
    let plan = resource.resource("blackboard_plan").and_then(|it| reader.inner.get(it)).copied();
    for (name, value, at) in plan.iter().flat_map(|it| &it.values) {
        let bound = name.strip_prefix("var/").and_then(|it| it.strip_suffix("/bind_to_property"));
        if let Some(key) = bound.filter(|_| value.text().is_none_or(|it| !it.is_empty())) {
            let why = format!("`{key}` is bound to a property there: let the game write the key");
            notes.add(Place { file, at: *at }, Line::Warning(why));
        }
    }
    let keys = plan.map(self::plan);
    let root = reader.item(root, resource.at, 0)?;
    let note = resource.get("description").and_then(Value::text).map(Into::into);
    let id = file_stem(&text.name).to_owned();
    let keys = keys.unwrap_or_default();
    Ok(Tree { id, root, keys, note, is_main: true, at: Place { file, at: resource.at }, ..Tree::default() })
}

/// The keys of a blackboard plan: `var/speed/type = 3`.
fn plan(section: &Section) -> Vec<Declared> {
    let mut keys = BTreeMap::<&str, Declared>::new();
    for (name, value, _) in &section.values {
        let mut parts = name.split('/');
        let (Some("var"), Some(key), Some(field)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let declared = keys.entry(key).or_insert_with(|| Declared { name: key_name(key), ..Declared::default() });
        match (field, value.text()) {
            ("type", Some(ty)) => {
                declared.kind = match ty {
                    "1" => Kind::Bool,
                    "2" => Kind::Int,
                    "3" => Kind::Float,
                    "5" => Kind::Vec2,
                    "9" => Kind::Vec3,
                    "4" | "21" => Kind::Word,
                    _ => Kind::Object,
                };
            }
            ("value", Some(value)) => declared.value = Some(value.to_owned()),
            ("value", None) => declared.value = value.vector(),
            _ => {}
        }
    }
    keys.into_values().collect()
}

impl<'r> Reader<'r> {
    fn item(&mut self, id: &'r str, at: usize, depth: usize) -> Result<Item, (usize, String)> {
        let section = *self.inner.get(id).ok_or((at, format!("there is no resource `{id}`")))?;
        if depth > MAX_DEPTH || !self.used.insert(id) {
            return Err((section.at, format!("the task `{id}` has two parents, or is too deep")));
        }
        let ty = section.head("type").unwrap_or("BTTask");
        let path = |name: &str| section.resource(name).and_then(|it| self.paths.get(it)).copied();
        let (kind, sort) = match (ty, path("script"), path("subtree")) {
            ("BTSubtree", _, Some(tree)) => (tree.to_owned(), Sort::Tree),
            ("BTCondition", Some(script), _) => (self.scripts.leaf(script), Sort::Condition),
            ("BTAction", Some(script), _) => (self.scripts.leaf(script), Sort::Action),
            (_, Some(script), _) => (self.scripts.leaf(script), Sort::Inner),
            (ty, None, _) => (ty.to_owned(), Sort::Unknown),
        };
        let weight = section.get("metadata/_weight_").and_then(Value::text);
        let mut item = Item {
            kind,
            sort,
            title: section.get("custom_name").and_then(Value::text).filter(|it| !it.is_empty()).map(Into::into),
            // A task without weight is never drawn, and nor is one that is left out.
            is_disabled: section.get("enabled").and_then(Value::text) == Some("false")
                || weight.is_some_and(|it| it.parse() == Ok(0.0)),
            weight: weight.map(Into::into),
            at: Place { file: self.file, at: section.at },
            ..Item::default()
        };
        for (name, value, at) in &section.values {
            let is_own =
                matches!(&**name, "script" | "children" | "custom_name" | "subtree" | "enabled" | "resource_name");
            if !is_own && !name.starts_with("metadata/") {
                match self.given(name, value, *at) {
                    Some(it) => item.given.push(it),
                    None if value.text().is_some_and(str::is_empty) => {}
                    None => item.conditions.lost.push(left_out(name)),
                }
            }
        }
        let children: &'r [Value] = section.get("children").map_or(&[], Value::items);
        for id in children.iter().filter_map(Value::resource) {
            let is_comment = self.inner.get(id).is_some_and(|it| it.head("type") == Some("BTComment"));
            if is_comment {
                let text = self.inner[id].get("custom_name").and_then(Value::text).unwrap_or_default();
                item.note = Some(item.note.map_or_else(|| text.to_owned(), |it| it + "\n" + text));
            } else {
                item.children.push(self.item(id, section.at, depth + 1)?);
            }
        }
        Ok(item)
    }

    /// A value: that of a parameter that may be a variable is a resource of its own.
    fn given(&self, name: &str, value: &Value, at: usize) -> Option<Given> {
        let inner = value.resource().and_then(|it| self.inner.get(it));
        let variable = inner.and_then(|it| it.get("variable")).and_then(Value::text).filter(|it| !it.is_empty());
        let is_name = name.ends_with("_var") || name == "variable";
        let value = match (variable, inner) {
            (Some(key), _) => Data::Key(key.into()),
            (None, Some(inner)) => Data::Text(inner.get("saved_value")?.plain()?),
            (None, None) if is_name => Data::Key(value.text().filter(|it| !it.is_empty())?.into()),
            (None, None) => Data::Text(value.plain()?),
        };
        Some(Given { name: name.into(), value, how: None, at: Place { file: self.file, at } })
    }
}

/// The tasks that no profile can map.
pub(crate) fn special(mapper: &mut Mapper<'_>, item: &Item, _: Skip) -> Option<(Node, Fate)> {
    let number = |name: &str, default: f64| item.text(name).map_or(Some(default), |it| it.parse().ok());
    Some(match &*item.kind {
        "BTSubtree" => (Node::new("Fail"), Fate::Lost("it names no tree: set its `subtree`".into())),
        _ if item.sort == Sort::Tree => match mapper.part(item) {
            Some(tree) => {
                let why = "its keys are its own: connect them by ports if they are shared".to_owned();
                (mapper.subtree(item, tree, Vec::new()), Fate::Rewritten(why))
            }
            None => mapper.no_part(item),
        },
        "BTRandomWait" => {
            let (least, most) = (number("min_duration", 1.0)?, number("max_duration", 2.0)?);
            let (middle, half) = ((least + most) / 2.0, (most - least).abs() / 2.0);
            let wait = Node::new("Wait").raw("seconds", ron::float(&rounded(middle)));
            (wait.raw("jitter", ron::float(&rounded(half))), Fate::Exact)
        }
        "BTCheckVar" => {
            let sign = ["==", "<", "<=", ">", ">=", "!="]
                [item.text("check_type").unwrap_or("0").parse::<usize>().ok().filter(|it| *it < 6)?];
            let done = expression(item, sign).and_then(|expr| {
                let at = mapper.at(item.at);
                crate::script::emit(&condition(&expr)?, Kind::Bool, mapper.keys, at)
            });
            done.map_or_else(|why| (Node::new("Fail"), Fate::Lost(why)), |it| (Node::check(it), Fate::Exact))
        }
        "BTSetVar" => {
            let operation = item.text("operation").unwrap_or("0");
            let sign = ["", "+", "-", "*", "/"].get(operation.parse::<usize>().ok()?);
            let done =
                sign.ok_or_else(|| format!("its operation {operation} is not one of expressions")).and_then(|sign| {
                    let (key, value) = operands(item)?;
                    let expr = if sign.is_empty() { value } else { format!("{key} {sign} {value}") };
                    let key = key.to_owned();
                    mapper.set(&Assignment { key, value: condition(&expr)? }, item)
                });
            done.map_or_else(|why| (Node::new("Succeed"), Fate::Lost(why)), |it| (it, Fate::Exact))
        }
        _ => return None,
    })
}

fn rounded(number: f64) -> String {
    // Removes the error of binary fractions.
    format!("{}", (number * 1e6).round() / 1e6)
}

fn expression(item: &Item, sign: &str) -> Result<String, String> {
    let (key, value) = operands(item)?;
    Ok(format!("{key} {sign} {value}"))
}

/// A key, and a value or another key, as a script has them.
fn operands(item: &Item) -> Result<(&str, String), String> {
    let Some(Data::Key(key)) = item.get("variable") else { return Err("it names no variable".into()) };
    let value = match item.get("value") {
        Some(Data::Key(key)) => key.clone(),
        Some(Data::Text(text)) if Kind::of(text) == Kind::Word => format!("'{text}'"),
        Some(Data::Text(text)) => text.clone(),
        None => return Err("it has no value that expressions can write".into()),
    };
    Ok((key, value))
}
