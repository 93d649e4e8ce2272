//! The fields of a tree as a whole, for the loader and for tools.

/// A field of `Tree(..)` in assets.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TreeField {
    /// Its name.
    pub name: &'static str,
    /// What it holds, in words.
    pub what: &'static str,
    /// What it says, in a sentence.
    pub doc: &'static str,
    /// Whether it has to be there.
    pub is_required: bool,
}

const fn field(name: &'static str, what: &'static str, doc: &'static str) -> TreeField {
    TreeField { name, what, doc, is_required: false }
}

const KEYS: &str = "a map from names to keys, as in `{ \"health\": Float(1.0) }`";

/// The fields of a tree.
pub const TREE_FIELDS: [TreeField; 15] = [
    TreeField { is_required: true, ..field("version", "a whole number", "The version of the format.") },
    field("name", "a string", "The name of the tree. Without it, the tree is named after its file."),
    field("note", "a string", "A note for people."),
    field("allow", "a list of codes", "Codes of warnings that are silenced in this file."),
    field("ports", "a map from names to ports", "The parameters of the file, for the files that include it."),
    field("nodes", "a map from names to `One` or `Many`", "The holes of the file, for the files that include it."),
    field("blackboard", KEYS, "Keys with a value for each agent."),
    field("locals", KEYS, "Keys that get their defaults back whenever the root of the file starts."),
    field("group", KEYS, "Keys that the agents of a group share."),
    field("global", KEYS, "Keys that all agents share."),
    field("events", "a map from names to types, or `()`", "Events with the types of their payloads."),
    field("templates", "a map from names to templates", "Parts that are used in several places."),
    field("templates_from", "a list of strings", "Other files whose templates this file can use."),
    field(
        "interrupts",
        "a list of `(when: .., run: ..)`",
        "Branches that take over from the root while their condition holds.",
    ),
    field("root", "a node", "What the tree does. Only a file of templates for others has none."),
];
