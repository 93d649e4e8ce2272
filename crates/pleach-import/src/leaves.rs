//! The leaves of the game, as the trees use them and as a model declares them.

use std::collections::BTreeMap;

use pleach::tools::is_name;
use pleach::tools::kinds::NodeKind;

use crate::item::{Data, Sort};
use crate::keys::{Kind, Use, key_name};
use crate::ron::{self, Value, quoted};

/// Parameters that every node has.
const TAKEN: [&str; 7] = ["name", "id", "note", "disabled", "allow", "true", "false"];
/// Names that mean something else in a file.
const RESERVED: [&str; 12] =
    ["Tree", "Subtree", "Use", "Slot", "Node", "Nodes", "true", "false", "Some", "None", "inf", "NaN"];

/// The longest name, in bytes. Longer ones are cut.
const MAX_NAME: usize = 100;

/// A leaf.
#[derive(Debug, Default)]
pub(crate) struct Leaf {
    /// Its name here.
    pub(crate) name: String,
    pub(crate) sort: Sort,
    pub(crate) doc: String,
    parameters: BTreeMap<String, Parameter>,
    /// How many nodes use it, in one run of the mapping.
    nodes: usize,
}

/// What is known of a parameter.
#[derive(Debug, Default)]
struct Parameter {
    name: String,
    /// The type that a model declares.
    declared: Kind,
    /// That of all values, and of all keys.
    values: Option<Kind>,
    keys: Option<Kind>,
    /// Keys of different types are given.
    is_mixed: bool,
    direction: Option<Use>,
    default: Option<String>,
    doc: String,
    /// It takes names without quotes.
    is_variant: bool,
    /// How many nodes give it, in one run.
    nodes: usize,
}

/// All leaves, by the names that they have there.
#[derive(Debug, Default)]
pub(crate) struct Leaves {
    all: BTreeMap<String, Leaf>,
    /// Names that are taken, and the last number appended to each.
    names: BTreeMap<String, usize>,
}

impl Leaves {
    /// A leaf that a model declares.
    pub(crate) fn declare(&mut self, foreign: &str, sort: Sort, doc: &str) {
        let leaf = self.leaf(foreign, sort);
        if leaf.doc.is_empty() {
            leaf.doc = doc.into();
        }
    }

    /// A parameter that a model declares.
    pub(crate) fn declare_parameter(
        &mut self,
        foreign: &str,
        name: &str,
        kind: Kind,
        direction: Use,
        default: Option<&str>,
        doc: &str,
    ) {
        let parameter = self.leaf(foreign, Sort::Unknown).parameter(name);
        parameter.declared = parameter.declared.max(kind);
        parameter.direction.get_or_insert(direction);
        parameter.default = parameter.default.take().or(default.map(Into::into));
        if parameter.doc.is_empty() {
            parameter.doc = doc.into();
        }
    }

    /// A parameter takes names without quotes.
    pub(crate) fn declare_variant(&mut self, foreign: &str, name: &str) {
        self.leaf(foreign, Sort::Unknown).parameter(name).is_variant = true;
    }

    /// The leaf of this name, which is created if it is new.
    pub(crate) fn leaf(&mut self, foreign: &str, sort: Sort) -> &mut Leaf {
        let names = &mut self.names;
        let leaf = self.all.entry(foreign.to_owned()).or_insert_with(|| {
            let base = leaf_name(foreign);
            let mut name = base.clone();
            while names.contains_key(&name) {
                let number = names.entry(base.clone()).or_insert(1);
                *number += 1;
                name = format!("{base}{number}");
            }
            names.insert(name.clone(), 1);
            Leaf { name, sort, ..Leaf::default() }
        });
        match (leaf.sort, sort) {
            (Sort::Unknown, it) => leaf.sort = it,
            (_, Sort::Unknown) => {}
            (a, b) if a != b => leaf.sort = Sort::Action,
            _ => {}
        }
        leaf
    }

    /// Resets the counts for a new run of the mapping.
    pub(crate) fn begin(&mut self) {
        for leaf in self.all.values_mut() {
            leaf.nodes = 0;
            for it in leaf.parameters.values_mut() {
                (it.nodes, it.is_mixed) = (0, false);
            }
        }
    }

    /// The manifest of all leaves.
    pub(crate) fn manifest(&self) -> String {
        let mut out = String::from("Manifest(version: 1, any_event: false, events: [], leaves: [\n");
        let mut all: Vec<&Leaf> = self.all.values().collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        for leaf in all {
            let kind = match leaf.sort {
                Sort::Action => "Action",
                Sort::Condition => "Condition",
                Sort::Inner | Sort::Tree | Sort::Unknown => "Unknown",
            };
            out += &format!(
                "(name: {}, kind: {kind}, doc: {}, parameters: Known([",
                quoted(&leaf.name),
                quoted(&leaf.doc)
            );
            out += &leaf.parameters.values().map(|it| it.written(leaf.nodes)).collect::<Vec<_>>().join(", ");
            out += "])),\n";
        }
        out + "])\n"
    }
}

impl Leaf {
    /// A node uses it.
    pub(crate) fn used(&mut self) {
        self.nodes += 1;
    }

    /// How it uses a key that a node gives it.
    pub(crate) fn direction(&mut self, parameter: &str, told: Option<Use>) -> Use {
        let it = self.parameter(parameter);
        it.direction = it.direction.or(told);
        it.direction.unwrap_or(Use::Either)
    }

    /// The type of keys that a node gives it: what a model declares, or what other nodes give.
    pub(crate) fn wanted(&mut self, parameter: &str) -> Kind {
        let it = self.parameter(parameter);
        let values = it.values.filter(|it| it.is_number()).unwrap_or_default();
        let keys = it.keys.filter(|_| !it.is_mixed).unwrap_or_default();
        if it.declared == Kind::Unknown { values.max(keys) } else { it.declared }
    }

    /// A value that a node gives it, with what is known of its key: the field that is written.
    pub(crate) fn given(&mut self, parameter: &str, data: &Data, key: Kind) -> (String, Value) {
        let it = self.parameter(parameter);
        it.nodes += 1;
        let value = match data {
            Data::Key(name) => {
                // A type that is still unknown may be known in the next run.
                it.is_mixed |= it.keys.is_some_and(|it| it.min(key) != Kind::Unknown && it != key);
                it.keys = Some(it.keys.map_or(key, |before| before.max(key)));
                Value::Text(key_name(name))
            }
            Data::Text(text) => {
                let kind = Kind::of(text);
                // Whole numbers are fine where others are not; everything else is a text.
                let joined = match it.values {
                    None => kind,
                    Some(before) if before == kind => kind,
                    Some(before) if before.is_number() && kind.is_number() => Kind::Float,
                    Some(_) => Kind::Word,
                };
                it.values = Some(joined);
                match it.value_kind() {
                    _ if it.is_variant && is_name(text) => Value::Raw(text.clone()),
                    Kind::Bool => Value::Raw(text.trim().into()),
                    Kind::Int => Value::Raw(ron::number(text)),
                    Kind::Float => Value::Raw(ron::float(text)),
                    _ => Value::Text(text.clone()),
                }
            }
        };
        (it.name.clone(), value)
    }

    fn parameter(&mut self, foreign: &str) -> &mut Parameter {
        if !self.parameters.contains_key(foreign) {
            let mut name = key_name(foreign);
            while TAKEN.contains(&&*name) || self.parameters.values().any(|it| it.name == name) {
                name.push('_');
            }
            self.parameters.insert(foreign.into(), Parameter { name, ..Parameter::default() });
        }
        self.parameters.get_mut(foreign).expect("it was put there")
    }
}

impl Parameter {
    /// The type of its values.
    fn value_kind(&self) -> Kind {
        let values = self.values.unwrap_or_default();
        match self.declared {
            Kind::Float if values.is_number() => Kind::Float,
            Kind::Word | Kind::Object if self.values.is_some() => Kind::Word,
            _ => values,
        }
    }

    fn written(&self, nodes: usize) -> String {
        let keys = self.keys.map(|it| if it == Kind::Unknown { self.declared } else { it });
        let ty = match (self.values.map(|_| self.value_kind()), keys) {
            (_, Some(_)) if self.is_mixed => "Unknown".into(),
            _ if self.is_variant => "Unknown".into(),
            (None, None) => match self.declared {
                Kind::Bool => "Bool".into(),
                Kind::Int => "Int".into(),
                Kind::Float => "FloatExpr".into(),
                Kind::Word => "Text".into(),
                _ => "Unknown".into(),
            },
            (None, Some(Kind::Unknown)) => "Unknown".into(),
            (None, Some(kind)) => format!("Key({})", kind.name()),
            (Some(values), Some(keys)) if values.is_number() && keys.is_number() => "FloatExpr".into(),
            (Some(_), Some(_)) => "Unknown".into(),
            (Some(Kind::Bool), None) => "Bool".into(),
            (Some(Kind::Int), None) => "Int".into(),
            (Some(Kind::Float), None) => "Float".into(),
            (Some(_), None) => "Text".to_owned(),
        };
        let presence = match &self.default {
            Some(_) => "Optional",
            None if nodes > 0 && self.nodes == nodes => "Required",
            None => "Optional",
        };
        let access = match self.direction {
            _ if ty == "FloatExpr" => "Some(Read)",
            _ if !ty.starts_with("Key") => "None",
            Some(Use::Read) => "Some(Read)",
            Some(Use::Write) => "Some(Write)",
            Some(Use::Either) => "Some(ReadWrite)",
            None => "None",
        };
        let doc = match &self.default {
            Some(it) if !it.is_empty() => format!("{} (default: {it})", self.doc).trim_start().to_owned(),
            _ => self.doc.clone(),
        };
        let (name, doc) = (quoted(&self.name), quoted(&doc));
        format!("(name: {name}, type: {ty}, presence: {presence}, access: {access}, doc: {doc})")
    }
}

/// The name of a leaf here: the valid part of its own name, which is ASCII.
fn leaf_name(foreign: &str) -> String {
    let mut name = String::new();
    let mut is_new = false;
    for char in foreign.chars() {
        if name.len() >= MAX_NAME {
            break;
        }
        if char.is_ascii_alphanumeric() || char == '_' {
            match is_new {
                true => name.push(char.to_ascii_uppercase()),
                false => name.push(char),
            }
            is_new = false;
        } else {
            is_new = true;
        }
    }
    if !is_name(&name) {
        name.insert_str(0, "Leaf");
    }
    if is_taken(&name) {
        name.insert_str(0, "Game");
    }
    name
}

/// Whether a name means something in every file.
pub(crate) fn is_taken(name: &str) -> bool {
    NodeKind::from_name(name).is_some() || RESERVED.contains(&name)
}
