//! Behavior Designer: JSON, alone or as a string in a YAML file of Unity. Up to version 1.5 a field
//! is `SharedFloatspeed`, from 1.6 on `BehaviorDesigner.Runtime.SharedFloat,speed`.

mod yaml;

use std::sync::LazyLock;

use pleach::tools::file_stem;

use crate::item::{Data, Declared, Given, Item, Sort, Tree};
use crate::json::{self, Data as JsonData, Json};
use crate::keys::{Kind, key_name};
use crate::place::{Place, Text};
use crate::profile::Profile;
use crate::report::{Line, Notes};

static PROFILE: LazyLock<Profile> = LazyLock::new(|| {
    let source = include_str!("behavior_designer/behavior_designer.profile.ron");
    Profile::read("behavior_designer.profile.ron", source).expect("a test reads it")
});

/// How its tasks map to pleach.
pub(crate) fn profile() -> &'static Profile {
    &PROFILE
}

/// Where its own tasks are.
const OWN: &str = "BehaviorDesigner.Runtime.Tasks.";
/// Its tasks for components of Unity, each in a group: `UnityTransform.GetPosition`.
const UNITY: &str = "BehaviorDesigner.Runtime.Tasks.Unity.";
/// The deepest nesting.
const MAX_DEPTH: usize = 200;

/// Fields of the editor, or those that are read by name.
const DESIGN: [&str; 9] = ["Type", "ObjectType", "NodeData", "ID", "Name", "Instant", "Disabled", "Children", "Owner"];
/// Types that the name of a field can begin with, up to version 1.5.
const TYPES: [&str; 15] = [
    "AbortType",
    "Single",
    "Double",
    "Int32",
    "Int64",
    "UInt32",
    "Boolean",
    "String",
    "Vector2",
    "Vector3",
    "Vector4",
    "Quaternion",
    "Color",
    "LayerMask",
    "GameObject",
];

/// Whether a text is a file of this format.
pub(crate) fn is_one(text: &str) -> bool {
    match text.starts_with('{') {
        true => text.contains("\"RootTask\""),
        false => text.contains(yaml::FIELD) && (text.starts_with("%YAML") || text.starts_with("---")),
    }
}

pub(crate) fn read(files: &[(usize, &Text)], notes: &mut Notes) -> Vec<Tree> {
    let mut trees = Vec::new();
    for (file, text) in files {
        let stem = file_stem(&text.name);
        let found = yaml::strings(&text.text);
        let count = found.len();
        for (number, string) in found.into_iter().enumerate() {
            let id = if count > 1 { format!("{stem} {}", number + 1) } else { stem.to_owned() };
            let made = string.and_then(|string| {
                let place = |at: usize| string.place(at);
                let json = json::read(&string.text).map_err(|(at, why)| (place(at), why))?;
                Reader { file: *file, place: &place, keys: Vec::new(), notes }.tree(id, &json)
            });
            match made {
                Ok(tree) => trees.extend(tree),
                Err((at, why)) => notes.add(Place { file: *file, at }, Line::Error(why)),
            }
        }
    }
    trees
}

struct Reader<'r> {
    file: usize,
    /// From a place in the JSON to one in the file.
    place: &'r dyn Fn(usize) -> usize,
    /// Variables as tasks use them: global ones are declared nowhere else.
    keys: Vec<Declared>,
    notes: &'r mut Notes,
}

impl Reader<'_> {
    fn at(&self, json: &Json) -> Place {
        Place { file: self.file, at: (self.place)(json.at) }
    }

    fn tree(&mut self, id: String, json: &Json) -> Result<Option<Tree>, (usize, String)> {
        let Some(root) = json.get("RootTask") else {
            return Err(((self.place)(json.at), "this tree has no `RootTask`".into()));
        };
        for detached in json.get("DetachedTasks").map_or(&[][..], Json::items) {
            let name = detached.text_of("Name").unwrap_or("a task");
            let why = format!("the task `{name}` has no parent, and is left out");
            self.notes.add(self.at(detached), Line::Warning(why));
        }
        let mut keys: Vec<Declared> =
            json.get("Variables").map_or(&[][..], Json::items).iter().filter_map(declared).collect();
        let root = self.item(root, 0)?;
        keys.append(&mut self.keys);
        Ok(Some(Tree { id, root, keys, is_main: true, at: self.at(json), ..Tree::default() }))
    }

    fn item(&mut self, json: &Json, depth: usize) -> Result<Item, (usize, String)> {
        let wrong = |why: &str| Err(((self.place)(json.at), why.to_owned()));
        if depth > MAX_DEPTH {
            return wrong("tasks are nested too deep");
        }
        let Some(class) = json.text_of("ObjectType").or(json.text_of("Type")) else {
            return wrong("this task has no type");
        };
        let kind = kind(class);
        let mut item = Item {
            // Its editor names a task after its class, with spaces.
            title: json.text_of("Name").filter(|it| it.replace(' ', "") != kind).map(Into::into),
            kind,
            note: json.get("NodeData").and_then(|it| it.text_of("Comment")).map(Into::into),
            is_disabled: json.get("Disabled").and_then(Json::plain).as_deref() == Some("true"),
            at: self.at(json),
            ..Item::default()
        };
        for (field, value) in json.fields().iter().filter(|it| !DESIGN.contains(&&*it.0)) {
            self.give(&mut item, field, value);
        }
        if matches!(json.get("Instant").map(|it| &it.data), Some(JsonData::Bool(false))) {
            item.conditions.notes.push("it waits a tick there before the next task, and not here".into());
        }
        let children = json.get("Children").map_or(&[][..], Json::items);
        for child in children {
            item.children.push(self.item(child, depth + 1)?);
        }
        if !children.is_empty() {
            item.sort = Sort::Inner;
        }
        Ok(item)
    }

    fn give(&mut self, item: &mut Item, field: &str, value: &Json) {
        let name = field_name(field, value);
        let data = match (shared_name(value), value.plain()) {
            (Some(key), _) => {
                self.keys.extend(declared(value).map(|it| Declared { value: None, ..it }));
                Data::Key(key.into())
            }
            (None, Some(plain)) => Data::Text(plain),
            // A value of its own, or a reference to a thing of the game.
            (None, None) => match held(value) {
                Some(held) => Data::Text(held),
                None => {
                    let is_empty = matches!(&value.data, JsonData::Null) || value.items().is_empty();
                    if !is_empty || !value.fields().is_empty() {
                        item.conditions
                            .lost
                            .push(format!("`{name}` is a list or a thing of the game, and is left out"));
                    }
                    return;
                }
            },
        };
        if let (Data::Key(key), Some(true)) = (&data, value.get("IsGlobal").map(is_true)) {
            item.conditions.notes.push(format!("the global variable `{key}` is a key of the tree here"));
        }
        item.given.push(Given { name: name.into(), value: data, how: None, at: self.at(value) });
    }
}

fn is_true(json: &Json) -> bool {
    matches!(json.data, JsonData::Bool(true))
}

/// The name of a variable that a field is connected to.
fn shared_name(value: &Json) -> Option<&str> {
    let is_shared = ["IsShared", "IsGlobal", "IsDynamic"].iter().any(|it| value.get(it).is_some_and(is_true));
    value.text_of("Name").filter(|_| is_shared)
}

/// The value of a variable: `SinglemValue`, `System.Single,mValue`.
fn held(variable: &Json) -> Option<String> {
    variable.fields().iter().find(|it| it.0.ends_with("mValue")).and_then(|it| it.1.plain())
}

/// The name of a field without its type.
fn field_name<'f>(field: &'f str, value: &Json) -> &'f str {
    if let Some((_, name)) = field.rsplit_once(',') {
        return name.trim();
    }
    let ty = value.text_of("Type").map(last);
    let name = ty.into_iter().chain(TYPES).find_map(|it| field.strip_prefix(it));
    name.filter(|it| !it.is_empty()).unwrap_or(field)
}

fn last(path: &str) -> &str {
    let path = path.split(',').next().unwrap_or(path).trim();
    path.rsplit(['.', '+']).next().unwrap_or(path)
}

/// A class as the profile names it; another class of the same name keeps its namespace.
fn kind(class: &str) -> String {
    let path = class.split(',').next().unwrap_or(class).trim();
    if let Some(group) = path.strip_prefix(UNITY) {
        return group.replace('.', "");
    }
    let is_own = path.strip_prefix(OWN).is_some_and(|it| !it.contains('.'));
    let name = last(path);
    if is_own || !profile().knows(name) { name.into() } else { path.into() }
}

/// A variable of a tree.
fn declared(json: &Json) -> Option<Declared> {
    let ty = last(json.text_of("Type")?);
    let kind = match ty {
        "SharedBool" => Kind::Bool,
        "SharedInt" => Kind::Int,
        "SharedFloat" => Kind::Float,
        "SharedString" => Kind::Word,
        "SharedVector2" => Kind::Vec2,
        "SharedVector3" => Kind::Vec3,
        _ => Kind::Object,
    };
    let held = held(json).filter(|it| !it.trim().is_empty());
    let value = match kind {
        Kind::Object => None,
        Kind::Vec2 | Kind::Vec3 => held.and_then(|it| vector(&it, if kind == Kind::Vec2 { 2 } else { 3 })),
        _ => held,
    };
    Some(Declared { name: key_name(json.text_of("Name")?), kind, value })
}

/// `(1,2,3)` as `1, 2, 3`.
fn vector(text: &str, count: usize) -> Option<String> {
    let parts: Vec<&str> = text.trim().strip_prefix('(')?.strip_suffix(')')?.split(',').map(str::trim).collect();
    let is_vector = parts.len() == count && parts.iter().all(|it| Kind::of(it).is_number());
    is_vector.then(|| parts.into_iter().map(crate::ron::float).collect::<Vec<_>>().join(", "))
}
