//! [`Include`]: what includes other files and templates in a tree, for tools.

/// What is written as a node and includes another file or a template, or marks a hole (SEMANTICS
/// 9).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Include {
    /// Its name in assets.
    pub name: &'static str,
    /// What stands there.
    pub doc: &'static str,
    /// One as an asset has it.
    pub example: &'static str,
    /// Its fields, except those that every node has.
    pub fields: &'static [IncludeField],
    /// Whether it has those as well.
    pub has_common_fields: bool,
}

/// A field of an [`Include`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct IncludeField {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// What it holds.
    pub shape: IncludeShape,
    /// Whether it has to be there.
    pub is_required: bool,
}

/// What a field of an [`Include`] holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IncludeShape {
    /// A string.
    Text,
    /// A list of names of files.
    Files,
    /// Keys and values by the names of ports.
    Ports,
    /// Nodes by the names of holes.
    Nodes,
    /// `true` or `false`.
    Bool,
}

impl IncludeShape {
    /// What it is, in words.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            IncludeShape::Text => "a string",
            IncludeShape::Files => "a list of strings",
            IncludeShape::Ports => "a map from the names of ports to keys and values",
            IncludeShape::Nodes => "a map from the names of holes to nodes and lists of nodes",
            IncludeShape::Bool => "`true` or `false`",
        }
    }
}

const fn required(name: &'static str, doc: &'static str, shape: IncludeShape) -> IncludeField {
    IncludeField { name, doc, shape, is_required: true }
}

const fn optional(name: &'static str, doc: &'static str, shape: IncludeShape) -> IncludeField {
    IncludeField { name, doc, shape, is_required: false }
}

const WITH: IncludeField = optional("with", "The keys and values connected to its ports.", IncludeShape::Ports);

const NODES: IncludeField = optional("nodes", "The nodes given for its holes.", IncludeShape::Nodes);

const HOLE: &[IncludeField] = &[
    required("hole", "The name of the hole.", IncludeShape::Text),
    optional("disabled", "Leaves it out of the tree.", IncludeShape::Bool),
];

/// All of them.
pub const INCLUDES: [Include; 5] = [
    Include {
        name: "Subtree",
        doc: "Inserts another file.",
        example: r#"Subtree(asset: "fight.ron", with: { "target": "player" })"#,
        fields: &[required("asset", "The name of the file.", IncludeShape::Text), WITH, NODES],
        has_common_fields: true,
    },
    Include {
        name: "Use",
        doc: "Inserts a template.",
        example: r#"Use(template: "go", with: { "to": "home" })"#,
        fields: &[required("template", "The name of the template.", IncludeShape::Text), WITH, NODES],
        has_common_fields: true,
    },
    Include {
        name: "Slot",
        doc: "Holds one of several files, chosen for each agent.",
        example: r#"Slot(name: "weapon", trees: ["sword.ron", "bow.ron"], initial: "sword")"#,
        fields: &[
            required("name", "The name used to fill it.", IncludeShape::Text),
            required("trees", "The files that it can hold.", IncludeShape::Files),
            optional("initial", "Which of them it holds at first.", IncludeShape::Text),
            WITH,
        ],
        has_common_fields: true,
    },
    Include {
        name: "Node",
        doc: "Stands for the node that is given for a hole of this file or template.",
        example: r#"Node("body")"#,
        fields: HOLE,
        has_common_fields: false,
    },
    Include {
        name: "Nodes",
        doc: "Stands for the list of nodes that is given for a hole of this file or template.",
        example: r#"Sequence([Nodes("steps")])"#,
        fields: HOLE,
        has_common_fields: false,
    },
];
