//! behaviac: XML of its designer, with types in all operands: `int Self.Agent::hp`, `const int 3`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use pleach::tools::file_stem;

use crate::item::{Data, Declared, Given, Item, Sort, Tree, When};
use crate::keys::{Kind, key_name};
use crate::map::Mapper;
use crate::place::{Place, Text};
use crate::profile::{Profile, Skip};
use crate::report::{Fate, Line, Notes};
use crate::ron::Node;
use crate::xml::{self, Element};

static PROFILE: LazyLock<Profile> = LazyLock::new(|| {
    Profile::read("behaviac.profile.ron", include_str!("behaviac/behaviac.profile.ron")).expect("a test reads it")
});

/// How its nodes map to pleach.
pub(crate) fn profile() -> &'static Profile {
    &PROFILE
}

/// Attributes of the designer, not of the node.
const DESIGN: [&str; 13] = [
    "Class",
    "Enable",
    "HasOwnPrefabData",
    "Id",
    "PrefabName",
    "PrefabNodeId",
    "Opl",
    "Opr",
    "Opr1",
    "Opr2",
    "Operator",
    "Method",
    "DecorateWhenChildEnds",
];

pub(crate) fn read(files: &[(usize, &Text)], notes: &mut Notes) -> Vec<Tree> {
    let mut trees = Vec::new();
    for (file, text) in files {
        let mut warn = |at, message| notes.add(Place { file: *file, at }, Line::Warning(message));
        let read = xml::read(&text.text, &mut warn);
        let tree = read.and_then(|root| Reader { file: *file, keys: BTreeMap::new() }.tree(&root, text));
        match tree {
            Ok(tree) => trees.extend(tree),
            Err((at, why)) => notes.add(Place { file: *file, at }, Line::Error(why)),
        }
    }
    let name = |tree: &Tree| {
        let file = files.iter().find(|it| it.0 == tree.at.file).map_or("", |it| &it.1.name);
        file.rsplit_once('.').map_or(file, |it| it.0).to_owned()
    };
    let names: Vec<String> = trees.iter().map(name).collect();
    trees.iter_mut().for_each(|it| connect(&mut it.root, &names));
    trees
}

/// Finds trees by their paths below a folder of the designer's, or by their names if those are
/// unique.
fn connect(item: &mut Item, names: &[String]) {
    if item.sort == Sort::Tree {
        let ends =
            |name: &str, path: &str| name.strip_suffix(path).is_some_and(|it| it.is_empty() || it.ends_with('/'));
        let last = item.kind.rsplit('/').next().unwrap_or_default();
        let mut by_name = names.iter().enumerate().filter(|it| ends(it.1, last)).map(|it| it.0);
        let only = by_name.next().filter(|_| by_name.next().is_none());
        item.tree = names.iter().position(|it| ends(it, &item.kind)).or(only);
    }
    item.children.iter_mut().for_each(|it| connect(it, names));
}

struct Reader {
    file: usize,
    keys: BTreeMap<String, Kind>,
}

impl Reader {
    /// The tree of a file, unless it holds something else.
    fn tree(mut self, root: &Element, text: &Text) -> Result<Option<Tree>, (usize, String)> {
        if root.name != "Behavior" {
            return Ok(None);
        }
        let behaviour = root.children.iter().find(|it| it.name == "Node");
        let behaviour = behaviour.ok_or((root.at, "there is no `<Node>` in this behaviour".to_owned()))?;
        let mut roots = self.children(behaviour);
        if roots.len() != 1 {
            return Err((behaviour.at, format!("the behaviour has {} roots, not one", roots.len())));
        }
        // `<Parameter Name="tries" Type="int" DefaultValue="7"/>`
        let mut values = BTreeMap::new();
        for it in behaviour.children.iter().filter(|it| it.name == "Parameters").flat_map(|it| &it.children) {
            let (Some(name), Some(ty)) = (it.value("Name"), it.value("Type")) else { continue };
            self.keys.insert(key_name(name), kind_of(ty));
            values.extend(it.value("DefaultValue").map(|value| (key_name(name), value.trim_matches('"').to_owned())));
        }
        let declared = |(name, kind): (String, Kind)| Declared { value: values.remove(&name), name, kind };
        let keys = self.keys.into_iter().map(declared).collect();
        let at = Place { file: self.file, at: behaviour.at };
        let id = file_stem(&text.name).to_owned();
        Ok(Some(Tree { id, root: roots.remove(0), keys, is_main: true, at, ..Tree::default() }))
    }

    fn children(&mut self, element: &Element) -> Vec<Item> {
        let connectors = element.children.iter().filter(|it| it.name == "Connector");
        let nodes: Vec<&Element> = connectors.flat_map(|it| &it.children).filter(|it| it.name == "Node").collect();
        nodes.into_iter().map(|it| self.item(it)).collect()
    }

    fn item(&mut self, element: &Element) -> Item {
        let class = element.value("Class").unwrap_or_default();
        let class = class.rsplit('.').next().unwrap_or(class);
        let note = element.children.iter().find(|it| it.name == "Comment").and_then(|it| it.value("Text"));
        let mut item = Item {
            kind: class.to_owned(),
            note: note.filter(|it| !it.is_empty()).map(Into::into),
            is_disabled: element.value("Enable") == Some("false"),
            at: Place { file: self.file, at: element.at },
            ..Item::default()
        };
        for attribute in element.attributes.iter().filter(|it| !DESIGN.contains(&&*it.name)) {
            let value = self.operand(&attribute.value).unwrap_or_else(|| Data::Text(attribute.value.clone()));
            self.give(&mut item, &attribute.name, value);
        }
        // Decorators that report a running child as running.
        let is_plain = matches!(class, "DecoratorNot" | "DecoratorWeight" | "DecoratorLog");
        if element.value("DecorateWhenChildEnds") == Some("false") && !is_plain {
            let why =
                "there it also decides, or counts, in each tick in which its child runs (`DecorateWhenChildEnds`)";
            item.conditions.notes.push(why.into());
        }
        match class {
            "Action" => {
                self.method(&mut item, element.value("Method").unwrap_or_default(), Sort::Action);
                item = self.with_result(item, element);
            }
            "Condition" => match (element.value("Opl").and_then(method), element.value("Opr")) {
                (Some(_), Some("const bool true")) if element.value("Operator") == Some("Equal") => {
                    self.method(&mut item, element.value("Opl").unwrap_or_default(), Sort::Condition);
                }
                _ => self.code(&mut item, element, &["Opl", "Opr"]),
            },
            "Assignment" | "Compute" => match self.assignment(element) {
                Ok(code) => self.give(&mut item, "code", Data::Text(code)),
                Err(why) => item.conditions.lost.push(why),
            },
            "DecoratorWeight" => {
                let weight = item.text("Weight").map(str::to_owned);
                item.weight = weight.filter(|it| Kind::of(it).is_number());
                if item.weight.is_none() {
                    item.conditions.lost.push("its weight is not a number: it is 1 here".into());
                }
                item.given.clear();
            }
            "ReferencedBehavior" => {
                item.sort = Sort::Tree;
                item.kind = item.text("ReferenceBehavior").unwrap_or_default().trim_matches('"').to_owned();
            }
            _ => {}
        }
        item.children.extend(self.children(element));
        let is_on = |it: &&Element| it.name == "Attachment" && it.value("Enable") != Some("false");
        let attachments = element.children.iter().filter(is_on);
        let is_before = |it: &&Element| it.value("Class").is_some_and(|it| it.ends_with("Precondition"));
        // Effectors after a node do not run if it is not entered.
        let (before, behind): (Vec<&Element>, Vec<&Element>) = attachments.partition(is_before);
        for attachment in behind.into_iter().chain(before) {
            item = self.attached(item, attachment);
        }
        item
    }

    /// An action whose result is not that of its method.
    fn with_result(&self, mut item: Item, element: &Element) -> Item {
        let around = match element.value("ResultOption") {
            Some("BT_SUCCESS") => "DecoratorAlwaysSuccess",
            Some("BT_FAILURE") => "DecoratorAlwaysFailure",
            Some("BT_RUNNING") => "DecoratorAlwaysRunning",
            _ => {
                if let Some(functor) = element.value("ResultFunctor").filter(|it| !matches!(*it, "" | "\"\"")) {
                    item.conditions.lost.push(format!("`{functor}` makes its result there, and here its method does"));
                }
                return item;
            }
        };
        let note = item.note.take();
        let is_disabled = std::mem::take(&mut item.is_disabled);
        Item { kind: around.into(), note, is_disabled, at: item.at, children: vec![item], ..Item::default() }
    }

    /// A precondition is a node around its node; an effector, a script after it.
    fn attached(&mut self, mut item: Item, attachment: &Element) -> Item {
        let class = attachment.value("Class").unwrap_or_default();
        let phase = attachment.value("Phase").unwrap_or_default();
        if class.ends_with("Precondition") {
            let kind = if phase == "Enter" { "PreconditionEnter" } else { "PreconditionUpdate" };
            let at = Place { file: self.file, at: attachment.at };
            let mut around = Item { kind: kind.into(), weight: item.weight.take(), at, ..Item::default() };
            self.code(&mut around, attachment, &["Opl", "Opr2"]);
            if attachment.value("BinaryOperator") == Some("Or") {
                around.conditions.lost.push("it stands beside others with `Or`, and here with `And`".into());
            }
            around.children.push(item);
            return around;
        }
        if class.ends_with("Effector") {
            let when = match phase {
                "Success" => When::Success,
                "Failure" => When::Failure,
                _ => When::Any,
            };
            match self.assignment(attachment) {
                Ok(code) => item.conditions.then.push((when, code)),
                Err(why) => item.conditions.lost.push(why),
            }
        } else {
            item.conditions.lost.push(format!("an attachment is left out: {class}"));
        }
        item
    }

    fn give(&self, item: &mut Item, name: &str, value: Data) {
        item.given.push(Given { name: name.into(), value, how: None, at: item.at });
    }

    /// A comparison as a script.
    fn code(&mut self, item: &mut Item, element: &Element, operands: &[&str; 2]) {
        let sides = operands.map(|it| self.script(element.value(it).unwrap_or_default()));
        let operator = element.value("Operator").unwrap_or("Equal");
        let sign = match operator {
            "Equal" => "==",
            "NotEqual" => "!=",
            "Greater" => ">",
            "GreaterEqual" => ">=",
            "Less" => "<",
            "LessEqual" => "<=",
            _ => {
                let why = format!("its condition is left out: the operator `{operator}` compares nothing");
                return item.conditions.lost.push(why);
            }
        };
        match sides {
            [Ok(left), Ok(right)] => self.give(item, "code", Data::Text(format!("{left} {sign} {right}"))),
            [Err(why), _] | [_, Err(why)] => item.conditions.lost.push(why),
        }
    }

    /// `Opl = Opr`, or `Opl = Opr1 + Opr2`.
    fn assignment(&mut self, element: &Element) -> Result<String, String> {
        let mut side = |name: &str| self.script(element.value(name).unwrap_or_default());
        let key = side("Opl")?;
        let sign = match element.value("Operator") {
            Some("Add") => "+",
            Some("Sub") => "-",
            Some("Mul") => "*",
            Some("Div") => "/",
            _ => {
                let value = if element.value("Opr").is_some() { "Opr" } else { "Opr2" };
                return Ok(format!("{key} := {}", side(value)?));
            }
        };
        Ok(format!("{key} := {} {sign} {}", side("Opr1")?, side("Opr2")?))
    }

    /// An operand as a script has it.
    fn script(&mut self, operand: &str) -> Result<String, String> {
        match self.operand(operand) {
            Some(Data::Key(key)) => Ok(key),
            Some(Data::Text(text)) if text.starts_with('{') => Err(format!("`{text}` is a struct")),
            Some(Data::Text(text)) if Kind::of(&text) == Kind::Word => Ok(format!("'{}'", text.trim_matches('"'))),
            Some(Data::Text(text)) => Ok(text),
            None if operand.contains('[') => Err(format!("`{operand}` is in a list: let a leaf write it into a key")),
            None => Err(format!("`{operand}` is the game's: let a leaf write it into a key")),
        }
    }

    /// `const int 3` is a value, `int Self.Agent::hp` a key; a call is neither.
    fn operand(&mut self, text: &str) -> Option<Data> {
        if let Some(constant) = text.strip_prefix("const ") {
            return constant.split_once(' ').map(|it| Data::Text(it.1.trim_matches('"').into()));
        }
        let (ty, path) = text.split_once(' ')?;
        // `Self.Agent::hp`; what another agent or the world has belongs to the game.
        let is_own = !path.contains(['(', '[']) && path.starts_with("Self.");
        let name = path.rsplit("::").next().filter(|_| path.contains("::") && is_own)?;
        self.keys.insert(key_name(name), kind_of(ty));
        Some(Data::Key(name.into()))
    }

    /// A call of the game: `Self.Agent::Say("hello", int Self.Agent::hp)`.
    fn method(&mut self, item: &mut Item, call: &str, sort: Sort) {
        let Some((name, arguments)) = method(call) else {
            item.conditions.lost.push(format!("`{call}` is not a call"));
            return;
        };
        (item.kind, item.sort) = (name.to_owned(), sort);
        item.given.clear();
        for (at, argument) in arguments_of(arguments).into_iter().enumerate() {
            let value = self.operand(argument).unwrap_or_else(|| Data::Text(argument.trim_matches('"').into()));
            self.give(item, &format!("arg{}", at + 1), value);
        }
    }
}

/// A type of behaviac.
fn kind_of(ty: &str) -> Kind {
    match ty {
        "bool" => Kind::Bool,
        "float" | "double" => Kind::Float,
        "string" | "behaviac::string" => Kind::Word,
        "int" | "uint" | "short" | "ushort" | "long" | "ulong" | "llong" | "ullong" | "sbyte" | "ubyte" => Kind::Int,
        _ => Kind::Unknown,
    }
}

/// The name and the arguments of a call.
fn method(call: &str) -> Option<(&str, &str)> {
    let (path, arguments) = call.split_once('(')?;
    let name = path.rsplit("::").next()?;
    Some((name, arguments.trim_end().strip_suffix(')')?))
}

/// The arguments of a call: a text in one may have commas.
fn arguments_of(arguments: &str) -> Vec<&str> {
    let mut is_text = false;
    let mut depth = 0_i32;
    let ends = move |it: char| {
        match it {
            '"' => is_text = !is_text,
            '(' | '{' if !is_text => depth += 1,
            ')' | '}' if !is_text => depth -= 1,
            _ => {}
        }
        it == ',' && !is_text && depth == 0
    };
    arguments.split(ends).map(str::trim).filter(|it| !it.is_empty()).collect()
}

/// The nodes that no profile can map.
pub(crate) fn special(mapper: &mut Mapper<'_>, item: &Item, _: Skip) -> Option<(Node, Fate)> {
    match &*item.kind {
        // All trees of an agent have its members as keys.
        _ if item.sort == Sort::Tree => Some(mapper.shared_subtree(item)),
        "Assignment" | "Compute" => Some(match item.text("code") {
            Some(code) => mapper.script(code, item),
            None => (Node::new("Succeed"), Fate::Exact),
        }),
        _ => None,
    }
}
