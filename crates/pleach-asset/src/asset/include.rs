//! What an asset says of other files, and of what it is given when others include it.

use pleach_core::{nodes::Direction, schema::KeyDefault};

use crate::span::{Span, Word};
use crate::syntax::Value;

/// A port's declaration.
#[derive(Debug, PartialEq)]
pub(crate) struct PortEntry<'a> {
    pub(crate) name: Word<'a>,
    pub(crate) direction: Direction,
    /// Its type with a symbol's words, and its default if it has one.
    pub(crate) default: KeyDefault,
    pub(crate) has_default: bool,
    /// Where each of a symbol's words stands.
    pub(crate) words: Vec<Span>,
}

/// Another file in place of a node.
#[derive(Debug, PartialEq)]
pub(crate) struct Include<'a> {
    /// The file, as it is written.
    pub(crate) asset: Option<Word<'a>>,
    pub(crate) with: Vec<With<'a>>,
    /// Whether that is lost.
    pub(crate) lost_with: bool,
}

/// What a port is given.
#[derive(Debug, PartialEq)]
pub(crate) struct With<'a> {
    pub(crate) port: Word<'a>,
    pub(crate) value: Given<'a>,
    pub(crate) span: Span,
}

/// A key by its name, or a literal.
#[derive(Debug, PartialEq)]
pub(crate) enum Given<'a> {
    Key(&'a str),
    Literal(Value<'a>),
}
