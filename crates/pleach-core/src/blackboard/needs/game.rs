//! What the game does with a key of a tree: [`KeyUse`].

use std::fmt;

use pleach_expr::expr::KeyIndex;

use super::{Access, KeyNeed};
use crate::blackboard::Schema;

/// What the game does with a key of a tree, according to all [`KeyNeed`]s for this key. Displays as
/// `written by the game`, `read by the game`, `read and written by the game`, or `used by the game`
/// if the needs do not say which.
///
/// [`Tree::key_use`](crate::Tree::key_use) and
/// [`AgentView::key_use`](crate::inspect::AgentView::key_use) make it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyUse<'a> {
    /// What it does with the key; `None` if no need says it.
    pub access: Option<Access>,
    /// The first description of the key in the needs; else empty.
    pub doc: &'a str,
}

impl<'a> KeyUse<'a> {
    /// `None` if none of the needs is for the key.
    pub(crate) fn of(
        key: KeyIndex,
        needs: impl IntoIterator<Item = &'a KeyNeed>,
        schema: &Schema,
    ) -> Option<KeyUse<'a>> {
        let means = |it: &&KeyNeed| it.find_in(schema).is_ok_and(|it| it == Some(key));
        needs.into_iter().filter(means).map(|it| KeyUse { access: it.access, doc: &it.doc }).reduce(KeyUse::and)
    }

    fn and(self, other: KeyUse<'a>) -> KeyUse<'a> {
        let access = match (self.access, other.access) {
            (Some(one), Some(two)) if one != two => Some(Access::ReadWrite),
            (one, two) => one.or(two),
        };
        KeyUse { access, doc: if self.doc.is_empty() { other.doc } else { self.doc } }
    }

    /// Whether it is known that the game writes the key.
    #[must_use]
    pub fn writes(&self) -> bool {
        matches!(self.access, Some(Access::Write | Access::ReadWrite))
    }
}

impl fmt::Display for KeyUse<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.access {
            Some(Access::Read) => "read by the game",
            Some(Access::Write) => "written by the game",
            Some(Access::ReadWrite) => "read and written by the game",
            None => "used by the game",
        })
    }
}
