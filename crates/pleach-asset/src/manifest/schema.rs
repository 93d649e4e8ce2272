//! The JSON Schema of trees with the leaves of a manifest.

use pleach_core::kinds::{FieldDefault, FieldShape, NodeField, NodeKind};
use pleach_core::schema::Access;

use super::Manifest;
use super::json::{Json, object, of_ron};
use crate::includes::{INCLUDES, Include, IncludeShape};
use crate::info::{LeafInfo, LeafKind, ParameterInfo, Presence, ValueType};
use crate::read::FORMAT_VERSION;
use crate::tree_fields::TREE_FIELDS;

/// The types of keys and payloads.
const TYPES: [&str; 8] = ["Bool", "Int", "Float", "Vec2", "Vec3", "Entity", "Symbol", "Time"];

pub(super) fn schema(it: &Manifest) -> String {
    let mut defs = definitions();
    for kind in built_ins() {
        let fields: Vec<&NodeField> = kind.all_fields().collect();
        defs.push((format!("node.{}", kind.name()), fields_of(&fields).with("description", kind.doc())));
    }
    for it in &INCLUDES {
        defs.push((format!("node.{}", it.name), include(it)));
    }
    for it in &it.leaves {
        defs.push((format!("leaf.{}", it.name), leaf(it)));
    }
    let all = built_ins().map(|it| (it.name(), "node", kind_can_be_bare(it)));
    let all = all.chain(INCLUDES.iter().map(|it| (it.name, "node", false)));
    let leaves = || it.leaves.iter().map(|it| (&*it.name, "leaf", leaf_can_be_bare(it)));
    defs.push(("node".into(), one_of(all.chain(leaves()))));
    let of_kind = |kind: LeafKind| {
        let fits = it.leaves.iter().filter(move |it| it.kind == kind || it.kind == LeafKind::Unknown);
        one_of(fits.map(|it| (&*it.name, "leaf", leaf_can_be_bare(it))))
    };
    let expression = object([("type", "string".into()), ("description", "An expression that gives a Bool.".into())]);
    let test = any_of([expression, of_kind(LeafKind::Condition)]);
    defs.push(("test".into(), test.with("description", "An expression, or a condition of the game.")));
    defs.push(("action".into(), of_kind(LeafKind::Action).with("description", "An action of the game.")));
    tree().with("$defs", Json::Object(defs)).text()
}

fn built_ins() -> impl Iterator<Item = NodeKind> {
    NodeKind::ALL.into_iter().filter(|it| it.is_built_in())
}

/// The tree as a whole.
fn tree() -> Json {
    let doc = |name: &str| TREE_FIELDS.iter().find(|it| it.name == name).map_or("", |it| it.doc);
    let keys = |name: &'static str| (name, reference("keys").with("description", doc(name)));
    let fields = [
        ("version", object([("const", FORMAT_VERSION.into()), ("description", doc("version").into())])),
        ("name", described("string", doc("name"))),
        ("note", described("string", doc("note"))),
        ("allow", list(described("string", "The code of a warning.")).with("description", doc("allow"))),
        keys("blackboard"),
        keys("locals"),
        keys("group"),
        keys("global"),
        ("events", map(reference("payload")).with("description", doc("events"))),
        ("ports", reference("ports")),
        ("nodes", reference("holes")),
        ("templates", map(reference("template")).with("description", doc("templates"))),
        ("templates_from", list(described("string", "The name of a file.")).with("description", doc("templates_from"))),
        ("interrupts", list(reference("interrupt")).with("description", doc("interrupts"))),
        ("root", reference("node")),
    ];
    let whole = closed(fields.map(|(name, it)| (name.to_owned(), it)).into(), &["version"]);
    let Json::Object(whole) = whole else { return whole };
    let head = object([
        ("$schema", "https://json-schema.org/draft/2020-12/schema".into()),
        ("title", "A behaviour tree of pleach".into()),
        (
            "description",
            "A tree as serde writes it in JSON: a node is an object with one field, which has the name of its kind and \
             holds an object of its fields."
                .into(),
        ),
    ]);
    let Json::Object(mut fields) = head else { return head };
    fields.extend(whole);
    Json::Object(fields)
}

/// What nodes and trees refer to.
fn definitions() -> Vec<(String, Json)> {
    let payload = any_of([
        object([("enum", TYPES.into_iter().collect())]),
        object([("type", "null".into()), ("description", "It has none.".into())]),
    ]);
    let number = || object([("type", "number".into())]);
    let numbers = |count: u64| list(number()).with("minItems", count).with("maxItems", count);
    let of_type = |name: &str, value: Json| closed(vec![(name.to_owned(), value)], &[name]);
    let words = list(described("string", "A word.")).with("minItems", 1);
    let symbol = object([
        ("type", "array".into()),
        ("prefixItems", [described("string", "The default."), words].into_iter().collect()),
    ]);
    let key = any_of([
        of_type("Bool", object([("type", "boolean".into())])),
        of_type("Int", object([("type", "integer".into())])),
        of_type("Float", number()),
        of_type("Vec2", numbers(2)),
        of_type("Vec3", numbers(3)),
        of_type("Entity", object([])),
        of_type("Time", number().with("minimum", 0_u64)),
        of_type("Symbol", symbol.with("minItems", 2).with("maxItems", 2)),
    ]);
    let port = closed(["In", "Out", "InOut"].map(|it| (it.to_owned(), object([]))).into(), &[]);
    let port = port.with("minProperties", 1).with("maxProperties", 1);
    let hole = |takes: &str, default: Json| {
        closed(vec![(takes.into(), closed(vec![("default".into(), default)], &[]))], &[takes])
    };
    let hole = any_of([
        object([("enum", ["One", "Many"].into_iter().collect())]),
        hole("One", reference("node")),
        hole("Many", list(reference("node"))),
    ]);
    let template = [("ports", "ports"), ("nodes", "holes"), ("locals", "keys"), ("root", "node")];
    let template = template.map(|(name, to)| (name.to_owned(), reference(to)));
    let note = ("note".to_owned(), described("string", "A note for people."));
    let template = closed([note].into_iter().chain(template).collect(), &["root"]);
    let service: Vec<&NodeField> = NodeKind::SERVICE_FIELDS.iter().collect();
    let interrupt: Vec<&NodeField> = NodeKind::INTERRUPT_FIELDS.iter().collect();
    vec![
        ("keys".into(), map(reference("key"))),
        ("key".into(), key.with("description", "The type of a key, with its default.")),
        ("payload".into(), payload),
        ("ports".into(), map(port).with("description", "The ports of the tree: names for what its includer connects.")),
        ("holes".into(), map(hole).with("description", "The holes of the tree: places that its includer fills.")),
        ("template".into(), template),
        ("service".into(), fields_of(&service)),
        ("interrupt".into(), fields_of(&interrupt)),
    ]
}

/// A node that includes other files, with what it takes.
fn include(it: &Include) -> Json {
    let own = it.fields.iter().filter(|own| !(it.has_common_fields && crate::kind::is_common(own.name)));
    let fields = own.map(|field| {
        let shape = match field.shape {
            IncludeShape::Text => described("string", field.doc),
            IncludeShape::Files => list(described("string", "The name of a file.")).with("description", field.doc),
            IncludeShape::Ports => map(object([])).with("description", field.doc),
            IncludeShape::Nodes => {
                map(any_of([reference("node"), list(reference("node"))])).with("description", field.doc)
            }
            IncludeShape::Bool => described("boolean", field.doc),
        };
        (field.name.to_owned(), shape)
    });
    let needed: Vec<&str> = it.fields.iter().filter(|it| it.is_required).map(|it| it.name).collect();
    let fields = if it.has_common_fields { with_common(fields.collect()) } else { fields.collect() };
    closed(fields, &needed).with("description", it.doc)
}

/// The fields of a built-in.
fn fields_of(fields: &[&NodeField]) -> Json {
    let needed: Vec<&str> = fields.iter().filter(|it| it.is_required()).map(|it| it.name).collect();
    let schemas = fields.iter().map(|it| {
        let schema = shape(it.shape).with("description", it.doc);
        let default = match it.default {
            FieldDefault::Value(text) => of_ron(text),
            FieldDefault::Required | FieldDefault::Absent => None,
        };
        (it.name.to_owned(), default.into_iter().fold(schema, |schema, it| schema.with("default", it)))
    });
    closed(schemas.collect(), &needed)
}

fn shape(shape: FieldShape) -> Json {
    let words = || object([("enum", shape.words().iter().copied().collect())]);
    let text = || object([("type", "string".into())]);
    let count = || object([("type", "integer".into()), ("minimum", 0.into()), ("maximum", u64::from(u32::MAX).into())]);
    match shape {
        FieldShape::Number => any_of([object([("type", "number".into())]), text()]),
        FieldShape::Count => any_of([count(), text()]),
        FieldShape::Whole => {
            object([("type", "integer".into()), ("minimum", 1.into()), ("maximum", u64::from(u32::MAX).into())])
        }
        FieldShape::Amount => object([("type", "number".into()), ("minimum", 0.into())]),
        FieldShape::Bool => object([("type", "boolean".into())]),
        FieldShape::Text | FieldShape::Key | FieldShape::Event | FieldShape::Expr => text(),
        FieldShape::Outcome
        | FieldShape::Receiver
        | FieldShape::ChildEnd
        | FieldShape::Sharers
        | FieldShape::Ending
        | FieldShape::Abort => words(),
        FieldShape::Policy => {
            let at_least = closed(vec![("AtLeast".into(), count())], &["AtLeast"]);
            any_of([object([("enum", ["All", "Any"].into_iter().collect())]), at_least])
        }
        FieldShape::Test => reference("test"),
        FieldShape::Services => list(reference("service")),
        FieldShape::Keys => reference("keys"),
        FieldShape::Leaf => reference("action"),
        FieldShape::Node => reference("node"),
        FieldShape::Nodes => list(reference("node")).with("minItems", 1),
        FieldShape::Scored => list(entry(NodeKind::UtilitySelector)).with("minItems", 1),
        FieldShape::Weighted => list(any_of([reference("node"), entry(NodeKind::RandomSelector)])).with("minItems", 1),
        FieldShape::Actions => list(reference("node")),
        FieldShape::Codes => list(text()),
        FieldShape::Cases => map(reference("node")).with("minProperties", 1),
    }
}

/// A child with the values beside it.
fn entry(kind: NodeKind) -> Json {
    let value = kind.child_value().map(|it| (it.name.to_owned(), shape(it.shape).with("description", it.doc)));
    let needed: Vec<&str> = kind.child_value().map(|it| it.name).into_iter().chain(["child"]).collect();
    closed(value.into_iter().chain([("child".into(), reference("node"))]).collect(), &needed)
}

/// Whether its name alone is a node.
fn kind_can_be_bare(kind: NodeKind) -> bool {
    kind.all_fields().all(|it| !it.is_required())
}

fn leaf_can_be_bare(leaf: &LeafInfo) -> bool {
    leaf.parameters.iter().flatten().all(|it| it.presence != Presence::Required)
}

fn leaf(it: &LeafInfo) -> Json {
    let LeafInfo { name: _, kind, doc, parameters } = it;
    let what = match kind {
        LeafKind::Action => "An action of the game.",
        LeafKind::Condition => "A condition of the game.",
        LeafKind::Unknown => "A leaf of the game.",
    };
    let doc = if doc.is_empty() { what.to_owned() } else { format!("{doc}\n\n{what}") };
    let Some(parameters) = parameters else { return object([("description", doc.into())]) };
    let needed: Vec<&str> =
        parameters.iter().filter(|it| it.presence == Presence::Required).map(|it| &*it.name).collect();
    let fields = parameters.iter().map(|it| (it.name.clone(), parameter(it))).collect();
    closed(with_common(fields), &needed).with("description", doc)
}

fn parameter(it: &ParameterInfo) -> Json {
    let ParameterInfo { name: _, ty, presence, access, doc } = it;
    let mut says = vec![doc.clone()];
    match ty {
        ValueType::Unknown => {}
        ty => {
            let does = match (access, ty) {
                (Some(Access::Read), ValueType::Event) => ", which it hears",
                (Some(Access::Write), ValueType::Event) => ", which it sends",
                (Some(Access::ReadWrite), ValueType::Event) => ", which it hears and sends",
                (Some(Access::Read), ValueType::Key(_)) => ", which it reads",
                (Some(Access::Write), ValueType::Key(_)) => ", which it writes",
                (Some(Access::ReadWrite), ValueType::Key(_)) => ", which it reads and writes",
                _ => "",
            };
            let words = ty.to_string();
            let mut letters = words.chars();
            let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
            says.push(format!("{first}{}{does}.", letters.as_str()));
        }
    }
    says.retain(|it| !it.is_empty());
    let mut schema = value_type(ty);
    if !says.is_empty() {
        schema = schema.with("description", says.join("\n\n"));
    }
    match presence {
        Presence::Default(it) => of_ron(it).into_iter().fold(schema, |schema, it| schema.with("default", it)),
        Presence::Required | Presence::Optional | Presence::Unknown => schema,
    }
}

fn value_type(ty: &ValueType) -> Json {
    let of = |name: &str| object([("type", name.into())]);
    match ty {
        ValueType::Unknown => object([]),
        ValueType::Bool => of("boolean"),
        ValueType::Int => of("integer"),
        ValueType::Float => of("number"),
        ValueType::Char => of("string").with("minLength", 1).with("maxLength", 1),
        ValueType::Text | ValueType::Word | ValueType::Event | ValueType::Key(_) => of("string"),
        ValueType::OneOf(words) => object([("enum", words.iter().map(|it| &**it).collect())]),
        ValueType::Variant(names) => {
            let bare = object([("enum", names.iter().map(|it| &**it).collect())]);
            let full = closed(names.iter().map(|it| (it.clone(), object([]))).collect(), &[]);
            any_of([bare, full.with("minProperties", 1).with("maxProperties", 1)])
        }
        ValueType::FloatExpr => any_of([of("number"), of("string")]),
        ValueType::Option(it) => any_of([value_type(it), of("null")]),
        ValueType::List(it) => list(value_type(it)),
        ValueType::Array(it, count) => {
            list(value_type(it)).with("minItems", *count as u64).with("maxItems", *count as u64)
        }
    }
}

/// One of these nodes, by the names of their kinds: with its fields, or its name alone.
fn one_of<'a>(all: impl Iterator<Item = (&'a str, &'static str, bool)>) -> Json {
    let (mut bare, mut full) = (Vec::new(), Vec::new());
    for (name, sort, can_be_bare) in all {
        if can_be_bare {
            bare.push(name);
        }
        full.push((name.to_owned(), reference(&format!("{sort}.{name}"))));
    }
    let full = closed(full, &[]).with("minProperties", 1).with("maxProperties", 1);
    if bare.is_empty() { any_of([full]) } else { any_of([object([("enum", bare.into_iter().collect())]), full]) }
}

/// Fields, with those that every node has. A parameter of such a name is never read.
fn with_common(mut fields: Vec<(String, Json)>) -> Vec<(String, Json)> {
    fields.retain(|it| NodeKind::COMMON_FIELDS.iter().all(|common| common.name != it.0));
    let common: Vec<&NodeField> = NodeKind::COMMON_FIELDS.iter().collect();
    if let Json::Object(all) = fields_of(&common)
        && let Some((_, Json::Object(common))) = all.into_iter().find(|it| it.0 == "properties")
    {
        fields.extend(common);
    }
    fields
}

/// An object of these fields and no others.
fn closed(fields: Vec<(String, Json)>, needed: &[&str]) -> Json {
    let it = object([("type", "object".into()), ("properties", Json::Object(fields))]);
    let it = if needed.is_empty() { it } else { it.with("required", needed.iter().copied().collect::<Json>()) };
    it.with("additionalProperties", false)
}

/// An object of any fields whose values are like this.
fn map(values: Json) -> Json {
    object([("type", "object".into()), ("additionalProperties", values)])
}

fn list(items: Json) -> Json {
    object([("type", "array".into()), ("items", items)])
}

fn any_of<const N: usize>(schemas: [Json; N]) -> Json {
    object([("anyOf", schemas.into_iter().collect())])
}

fn reference(to: &str) -> Json {
    object([("$ref", format!("#/$defs/{to}").into())])
}

fn described(ty: &str, doc: &str) -> Json {
    object([("type", ty.into()), ("description", doc.into())])
}
