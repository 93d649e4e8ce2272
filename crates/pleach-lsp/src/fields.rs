//! The role of a value in a file ([`Role`]), and the fields that it can have.

use pleach::asset::{Manifest, ParameterInfo, Presence, ValueType};
use pleach::tools::kinds::{FieldDefault, FieldShape, NodeField, NodeKind};
use pleach::tools::{INCLUDES, Include, IncludeShape, TREE_FIELDS};

use crate::test_fields::{TEST_CASE, TEST_FILE, TEST_OTHERS, TEST_STEP, TestField, TestShape};

/// The role of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Role<'g> {
    Unknown,
    /// The whole file.
    File,
    /// The name of a field.
    Field,
    /// One of a few words.
    Words(&'static [&'static str]),
    Text,
    Expr,
    /// A number, or a string with an expression.
    Number,
    /// The value of a parameter of a leaf.
    Parameter(&'g ValueType),
    /// A name that this declares.
    Declares(Sort),
    /// The name of something that is declared.
    Names(Sort),
    Node(Stands),
    /// `(score: .., child: ..)`, `(weight: .., child: ..)`.
    Entry(NodeKind),
    Service,
    Interrupt,
    Template,
    /// The value of a `Switch` case.
    CaseValue,
    /// The declaration of a key.
    KeyType,
    EventType,
    PortType,
    HoleType,
    /// What is connected to a port: the name of a key, or a literal.
    Connected,
    /// The name of an event, a list of names, or a map from names to payloads.
    Events,
    ListOf(Items),
    MapOf(Entries),
    /// A test file's case and step, and what a step does to other agents.
    Case,
    Step,
    Others,
    /// The name of a node of the tree that is tested, or a list of them.
    NodeName,
    /// The name of a leaf in that tree, or of a node that calls one.
    LeafName,
    /// A leaf's answer in a test.
    Answer,
}

/// Which nodes can stand somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stands {
    Any,
    /// An action of the host.
    Service,
    /// A condition of the host; or an expression, in quotes.
    Test,
    /// A leaf that is called at once.
    Instant,
    /// A node or a list of nodes.
    Filling,
}

/// The sorts of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Sort {
    Key,
    Event,
    /// The name of a port where it is connected.
    Port,
    Hole,
    Template,
    File,
    Token,
    /// The word of a slot's initial tree.
    SlotWord,
}

/// The items of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Items {
    Nodes(Stands),
    Entries(NodeKind),
    Services,
    Interrupts,
    Files,
    Steps,
}

/// The entries of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entries {
    Keys,
    Events,
    Ports,
    Holes,
    Templates,
    Connected,
    Fillings,
    Switch,
    Cases,
    /// Keys that a test sets.
    SetKeys,
    /// How often nodes start, and which nodes abort them.
    Counts,
    Aborted,
    /// The answers of leaves.
    Answers,
    /// The trees of slots.
    Fill,
}

/// A field that a value can have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'g> {
    pub(crate) name: &'g str,
    pub(crate) what: What<'g>,
    pub(crate) doc: &'g str,
    pub(crate) need: Need<'g>,
    pub(crate) role: Role<'g>,
    /// Whether every node has it.
    pub(crate) is_common: bool,
}

/// What can be written for a field, in words.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What<'g> {
    Words(&'g str),
    Type(&'g ValueType),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need<'g> {
    Required,
    Optional,
    Default(&'g str),
}

impl std::fmt::Display for What<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            What::Words(it) => f.write_str(it),
            What::Type(it) => it.fmt(f),
        }
    }
}

pub(crate) const TYPES: &[&str] = &["Bool", "Int", "Float", "Vec2", "Vec3", "Entity", "Symbol", "Time"];
pub(crate) const DIRECTIONS: &[&str] = &["In", "Out", "InOut"];
const BOOL: &[&str] = &["true", "false"];

/// The built-in node of that name.
pub(crate) fn built_in(name: &str) -> Option<NodeKind> {
    NodeKind::from_name(name).filter(|it| it.is_built_in())
}

pub(crate) fn include(name: &str) -> Option<&'static Include> {
    INCLUDES.iter().find(|it| it.name == name)
}

/// The fields of a value of that role and name.
pub(crate) fn fields<'g>(manifest: &'g Manifest, role: Role<'g>, name: &str) -> Vec<Field<'g>> {
    match role {
        Role::File => file_fields(name),
        Role::Node(_) | Role::Connected => node_fields(manifest, name),
        Role::Entry(kind) => kind.child_value().into_iter().map(|it| of_node(kind, it)).chain([CHILD]).collect(),
        Role::Service => NodeKind::SERVICE_FIELDS.iter().map(|it| of_node(NodeKind::Action, it)).collect(),
        Role::Interrupt => NodeKind::INTERRUPT_FIELDS.iter().map(|it| of_node(NodeKind::Action, it)).collect(),
        Role::Template => ["note", "ports", "nodes", "locals", "root"].into_iter().filter_map(tree_field).collect(),
        Role::Case => TEST_CASE.iter().map(test_field).collect(),
        Role::Step => TEST_STEP.iter().map(test_field).collect(),
        Role::Others => TEST_STEP.iter().filter(|it| TEST_OTHERS.contains(&it.name)).map(test_field).collect(),
        _ => Vec::new(),
    }
}

/// The fields that can be written without their names, in this order.
pub(crate) fn positional<'g>(manifest: &'g Manifest, role: Role<'g>, name: &str) -> Vec<Field<'g>> {
    if !matches!(role, Role::Node(_)) {
        return Vec::new();
    }
    let all = fields(manifest, role, name);
    match built_in(name) {
        Some(kind) => {
            let is_child =
                |it: &Field<'_>| matches!(it.role, Role::Node(_) | Role::ListOf(_) | Role::MapOf(Entries::Switch));
            let own = |it: &Field<'_>| kind.fields().iter().any(|own| own.name == it.name);
            let needed = |it: &Field<'_>| it.need == Need::Required || (kind == NodeKind::Repeat && it.name == "count");
            let is_leaf = kind.child_fields().is_empty() && kind != NodeKind::Switch;
            let stands = |it: &Field<'_>| match (own(it), is_child(it)) {
                (true, is_child) => is_leaf || needed(it) || is_child,
                (false, _) => kind.child_fields().iter().any(|child| child.name == it.name),
            };
            all.into_iter().filter(stands).collect()
        }
        None => all.into_iter().filter(|it| !it.is_common).collect(),
    }
}

fn file_fields(name: &str) -> Vec<Field<'static>> {
    match name {
        "Tree" => TREE_FIELDS.iter().filter_map(|it| tree_field(it.name)).collect(),
        "Tests" => TEST_FILE.iter().map(test_field).collect(),
        _ => Vec::new(),
    }
}

fn test_field(it: &TestField) -> Field<'static> {
    let TestField { name, shape, doc, is_required, part: _ } = *it;
    let role = match shape {
        TestShape::Whole | TestShape::Seconds => Role::Unknown,
        TestShape::Bool => Role::Words(BOOL),
        TestShape::Text => Role::Text,
        TestShape::Tree => Role::Names(Sort::File),
        TestShape::Nodes => Role::NodeName,
        TestShape::Exprs => Role::Expr,
        TestShape::EventNames | TestShape::Events => Role::Events,
        TestShape::Status => Role::Words(&["Success", "Failure", "Running"]),
        TestShape::Turns => Role::Words(&["Pause", "Unpause", "Restart"]),
        TestShape::Cases => Role::MapOf(Entries::Cases),
        TestShape::Steps => Role::ListOf(Items::Steps),
        TestShape::Answers => Role::MapOf(Entries::Answers),
        TestShape::Counts => Role::MapOf(Entries::Counts),
        TestShape::Aborts => Role::MapOf(Entries::Aborted),
        TestShape::Keys => Role::MapOf(Entries::SetKeys),
        TestShape::Slots => Role::MapOf(Entries::Fill),
        TestShape::Others => Role::Others,
    };
    let need = if is_required { Need::Required } else { Need::Optional };
    Field { name, what: What::Words(shape.what()), doc, need, role, is_common: false }
}

fn tree_field(name: &str) -> Option<Field<'static>> {
    let it = TREE_FIELDS.iter().find(|it| it.name == name)?;
    let role = match name {
        "name" | "note" => Role::Text,
        "ports" => Role::MapOf(Entries::Ports),
        "nodes" => Role::MapOf(Entries::Holes),
        "blackboard" | "locals" | "group" | "global" => Role::MapOf(Entries::Keys),
        "events" => Role::MapOf(Entries::Events),
        "templates" => Role::MapOf(Entries::Templates),
        "templates_from" => Role::ListOf(Items::Files),
        "interrupts" => Role::ListOf(Items::Interrupts),
        "root" => Role::Node(Stands::Any),
        _ => Role::Unknown,
    };
    let need = if it.is_required { Need::Required } else { Need::Optional };
    Some(Field { name: it.name, what: What::Words(it.what), doc: it.doc, need, role, is_common: false })
}

const CHILD: Field<'static> = Field {
    name: "child",
    what: What::Words("a node"),
    doc: "The child.",
    need: Need::Required,
    role: Role::Node(Stands::Any),
    is_common: false,
};

fn node_fields<'g>(manifest: &'g Manifest, name: &str) -> Vec<Field<'g>> {
    if let Some(kind) = built_in(name) {
        let own = kind.fields().iter().chain(kind.child_fields());
        let every = kind.class().fields().iter().chain(NodeKind::COMMON_FIELDS);
        let common = every.map(|it| Field { is_common: true, ..of_node(kind, it) });
        return own.map(|it| of_node(kind, it)).chain(common).collect();
    }
    if let Some(include) = include(name) {
        let own = include.fields.iter().map(|it| {
            let need = if it.is_required { Need::Required } else { Need::Optional };
            let role = include_role(it.name, it.shape);
            Field { name: it.name, what: What::Words(it.shape.what()), doc: it.doc, need, role, is_common: false }
        });
        let is_own = |it: &&NodeField| include.fields.iter().any(|own| own.name == it.name);
        let common = NodeKind::COMMON_FIELDS.iter().filter(|it| include.has_common_fields && !is_own(it));
        return own.chain(common.map(|it| Field { is_common: true, ..of_node(NodeKind::Action, it) })).collect();
    }
    let common = NodeKind::COMMON_FIELDS.iter().map(|it| Field { is_common: true, ..of_node(NodeKind::Action, it) });
    let own = manifest.leaf(name).into_iter().flat_map(|it| it.parameters.iter().flatten()).map(of_leaf);
    own.chain(common).collect()
}

fn of_leaf(it: &ParameterInfo) -> Field<'_> {
    let need = match &it.presence {
        Presence::Required => Need::Required,
        Presence::Default(it) => Need::Default(it),
        Presence::Optional | Presence::Unknown => Need::Optional,
    };
    Field {
        name: &it.name,
        what: What::Type(&it.ty),
        doc: &it.doc,
        need,
        role: parameter_role(&it.ty),
        is_common: false,
    }
}

/// The role of a parameter's value.
pub(crate) fn parameter_role(ty: &ValueType) -> Role<'_> {
    match ty {
        ValueType::Bool => Role::Words(BOOL),
        ValueType::Key(_) => Role::Names(Sort::Key),
        ValueType::Event => Role::Names(Sort::Event),
        ValueType::FloatExpr => Role::Number,
        ValueType::Option(it) => parameter_role(it),
        other => Role::Parameter(other),
    }
}

fn include_role(field: &str, shape: IncludeShape) -> Role<'static> {
    match (shape, field) {
        (_, "asset") => Role::Names(Sort::File),
        (_, "template") => Role::Names(Sort::Template),
        (_, "hole") => Role::Names(Sort::Hole),
        (_, "initial") => Role::Names(Sort::SlotWord),
        (IncludeShape::Files, _) => Role::ListOf(Items::Files),
        (IncludeShape::Ports, _) => Role::MapOf(Entries::Connected),
        (IncludeShape::Nodes, _) => Role::MapOf(Entries::Fillings),
        (IncludeShape::Bool, _) => Role::Words(BOOL),
        (IncludeShape::Text, _) => Role::Text,
        _ => Role::Unknown,
    }
}

fn of_node(kind: NodeKind, it: &'static NodeField) -> Field<'static> {
    let need = match it.default {
        FieldDefault::Required => Need::Required,
        FieldDefault::Absent => Need::Optional,
        FieldDefault::Value(it) => Need::Default(it),
    };
    let role = match it.shape {
        FieldShape::Number | FieldShape::Count => Role::Number,
        FieldShape::Whole | FieldShape::Amount | FieldShape::Codes => Role::Unknown,
        FieldShape::Text if it.name == "token" => match kind {
            NodeKind::Token => Role::Declares(Sort::Token),
            _ => Role::Names(Sort::Token),
        },
        FieldShape::Text => Role::Text,
        FieldShape::Key => Role::Names(Sort::Key),
        FieldShape::Event => Role::Names(Sort::Event),
        FieldShape::Expr => Role::Expr,
        FieldShape::Bool
        | FieldShape::Outcome
        | FieldShape::Policy
        | FieldShape::Receiver
        | FieldShape::Sharers
        | FieldShape::ChildEnd
        | FieldShape::Ending
        | FieldShape::Abort => Role::Words(it.shape.words()),
        FieldShape::Test => Role::Node(Stands::Test),
        FieldShape::Services => Role::ListOf(Items::Services),
        FieldShape::Keys => Role::MapOf(Entries::Keys),
        FieldShape::Leaf => Role::Node(Stands::Service),
        FieldShape::Node => Role::Node(Stands::Any),
        FieldShape::Nodes => Role::ListOf(Items::Nodes(Stands::Any)),
        FieldShape::Scored | FieldShape::Weighted => Role::ListOf(Items::Entries(kind)),
        FieldShape::Actions => Role::ListOf(Items::Nodes(Stands::Instant)),
        FieldShape::Cases => Role::MapOf(Entries::Switch),
    };
    Field { name: it.name, what: What::Words(it.shape.what()), doc: it.doc, need, role, is_common: false }
}

/// The role of a list's items.
pub(crate) fn item_role(items: Items, is_nameless: bool) -> Role<'static> {
    match items {
        Items::Nodes(it) => Role::Node(it),
        Items::Entries(kind) if is_nameless => Role::Entry(kind),
        Items::Entries(_) => Role::Node(Stands::Any),
        Items::Services => Role::Service,
        Items::Interrupts => Role::Interrupt,
        Items::Files => Role::Names(Sort::File),
        Items::Steps => Role::Step,
    }
}

/// The roles of a map's keys and values.
pub(crate) fn entry_roles(entries: Entries) -> (Role<'static>, Role<'static>) {
    match entries {
        Entries::Keys => (Role::Declares(Sort::Key), Role::KeyType),
        Entries::Events => (Role::Declares(Sort::Event), Role::EventType),
        Entries::Ports => (Role::Declares(Sort::Key), Role::PortType),
        Entries::Holes => (Role::Declares(Sort::Hole), Role::HoleType),
        Entries::Templates => (Role::Declares(Sort::Template), Role::Template),
        Entries::Connected => (Role::Names(Sort::Port), Role::Connected),
        Entries::Fillings => (Role::Names(Sort::Hole), Role::Node(Stands::Filling)),
        Entries::Switch => (Role::CaseValue, Role::Node(Stands::Any)),
        Entries::Cases => (Role::Text, Role::Case),
        Entries::SetKeys => (Role::Names(Sort::Key), Role::Unknown),
        Entries::Counts => (Role::NodeName, Role::Unknown),
        Entries::Aborted => (Role::NodeName, Role::NodeName),
        Entries::Answers => (Role::LeafName, Role::Answer),
        Entries::Fill => (Role::Text, Role::Text),
    }
}
