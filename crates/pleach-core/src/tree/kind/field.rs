//! The fields of nodes: what can be written for them, and their defaults.

/// What can be written for a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldShape {
    /// A finite number, or a string with an expression that gives a Float or an Int.
    Number,
    /// A whole number from 0 to `u32::MAX`, or a string with an expression that gives an Int.
    Count,
    /// A whole number from 1 to `u32::MAX`.
    Whole,
    /// A finite number of at least 0.
    Amount,
    /// `true` or `false`.
    Bool,
    /// Any string.
    Text,
    /// A string with the name of a key.
    Key,
    /// A string with the name of an event.
    Event,
    /// A string with an expression.
    Expr,
    /// An [`Outcome`](crate::Outcome).
    Outcome,
    /// A [`Policy`](crate::nodes::Policy).
    Policy,
    /// Who gets an event: `Host` or `Group`.
    Receiver,
    /// Who shares the places of a token: `Group` or `Global`.
    Sharers,
    /// An end of the child: every one, `End`, or an [`Outcome`](crate::Outcome).
    ChildEnd,
    /// How the child of a Finally ends: an [`Ending`](crate::nodes::Ending).
    Ending,
    /// An expression or a condition of the host.
    Test,
    /// An [`Abort`](crate::nodes::Abort) type.
    Abort,
    /// A list of services: [`NodeKind::SERVICE_FIELDS`](super::NodeKind::SERVICE_FIELDS).
    Services,
    /// Keys by name, each with its type and default.
    Keys,
    /// A leaf of the host.
    Leaf,
    /// A node.
    Node,
    /// A list of nodes.
    Nodes,
    /// A list of nodes, each with its score.
    Scored,
    /// A list of nodes, each with its weight if that is not 1.
    Weighted,
    /// A list of instant actions: nodes that come after the child.
    Actions,
    /// A map from values, all of them bools, ints or words, to nodes.
    Cases,
    /// Codes of warnings.
    Codes,
}

/// Who gets the event of an emit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Receiver {
    /// The host.
    #[default]
    Host,
    /// The other members of the agent's group.
    Group,
}

/// What applies if a field is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldDefault {
    /// It is required.
    Required,
    /// The node does without it.
    Absent,
    /// This, as it would be written.
    Value(&'static str),
}

/// A field that a node accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeField {
    /// Its name.
    pub name: &'static str,
    /// What can be written for it.
    pub shape: FieldShape,
    /// What applies if it is not written.
    pub default: FieldDefault,
    /// What it means, in a sentence.
    pub doc: &'static str,
}

pub(super) const fn needs(name: &'static str, shape: FieldShape, doc: &'static str) -> NodeField {
    NodeField { name, shape, default: FieldDefault::Required, doc }
}

pub(super) const fn takes(name: &'static str, shape: FieldShape, doc: &'static str) -> NodeField {
    NodeField { name, shape, default: FieldDefault::Absent, doc }
}

pub(super) const fn or(name: &'static str, shape: FieldShape, default: &'static str, doc: &'static str) -> NodeField {
    NodeField { name, shape, default: FieldDefault::Value(default), doc }
}

impl NodeField {
    /// Whether it is required.
    #[must_use]
    pub const fn is_required(&self) -> bool {
        matches!(self.default, FieldDefault::Required)
    }
}

impl FieldShape {
    /// What can be written, as in "must be …".
    #[must_use]
    pub const fn what(self) -> &'static str {
        match self {
            FieldShape::Number => "a number, or a string with an expression",
            FieldShape::Count => "a whole number from 0 to 4294967295, or a string with an expression",
            FieldShape::Whole => "a whole number from 1 to 4294967295",
            FieldShape::Amount => "a number",
            FieldShape::Bool => "`true` or `false`",
            FieldShape::Text | FieldShape::Key | FieldShape::Event => "a string",
            FieldShape::Expr => "a string with an expression",
            FieldShape::Outcome => "`Success` or `Failure`",
            FieldShape::Policy => "`All`, `Any` or `AtLeast(n)`",
            FieldShape::Receiver => "`Host` or `Group`",
            FieldShape::Sharers => "`Group` or `Global`",
            FieldShape::ChildEnd => "`End`, `Success` or `Failure`",
            FieldShape::Ending => "`Any`, `Aborted`, `Success` or `Failure`",
            FieldShape::Test => "a string with an expression, or a condition",
            FieldShape::Abort => "`None`, `Self`, `LowerPriority` or `Both`",
            FieldShape::Services => "a list of services, as in `[(every: 0.5, run: ..)]`",
            FieldShape::Keys => "a map of keys",
            FieldShape::Leaf => "a leaf of the host",
            FieldShape::Node => "a node",
            FieldShape::Nodes => "a list of nodes",
            FieldShape::Scored => "a list of nodes with scores, as in `[(score: \"..\", child: ..)]`",
            FieldShape::Weighted => "a list of nodes, with weights as in `[(weight: 3.0, child: ..)]`",
            FieldShape::Actions => "a list of actions, as in `[Set(key: .., to: ..)]`",
            FieldShape::Cases => "a map from values to nodes",
            FieldShape::Codes => "a list of codes, as in `[\"P1006\"]`",
        }
    }

    /// The names that can be written for it, where they are fixed.
    #[must_use]
    pub const fn words(self) -> &'static [&'static str] {
        match self {
            FieldShape::Bool => &["true", "false"],
            FieldShape::Outcome => &["Success", "Failure"],
            FieldShape::Policy => &["All", "Any", "AtLeast"],
            FieldShape::Receiver => &["Host", "Group"],
            FieldShape::Sharers => &["Group", "Global"],
            FieldShape::ChildEnd => &["End", "Success", "Failure"],
            FieldShape::Ending => &["Any", "Aborted", "Success", "Failure"],
            FieldShape::Abort => &["None", "Self", "LowerPriority", "Both"],
            FieldShape::Number
            | FieldShape::Count
            | FieldShape::Whole
            | FieldShape::Amount
            | FieldShape::Text
            | FieldShape::Key
            | FieldShape::Event
            | FieldShape::Expr
            | FieldShape::Test
            | FieldShape::Services
            | FieldShape::Keys
            | FieldShape::Leaf
            | FieldShape::Node
            | FieldShape::Nodes
            | FieldShape::Scored
            | FieldShape::Weighted
            | FieldShape::Actions
            | FieldShape::Cases
            | FieldShape::Codes => &[],
        }
    }
}
