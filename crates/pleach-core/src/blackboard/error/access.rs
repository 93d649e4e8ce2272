//! Why a blackboard access is not possible.

use std::fmt;

use pleach_expr::names::Help;
use pleach_expr::{Symbol, Type, Value};

use super::{SchemaError, and};
use crate::blackboard::{Key, KeyDecl, Refused, Schema, Scope};
use crate::ids::StaleError;

/// A blackboard access that is not possible.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum AccessError {
    /// The agent, tree or group does not exist.
    Stale(StaleError),
    /// The key belongs to another tree, which has a key of this name, scope and type, while the
    /// agent's tree has none.
    ForeignKey,
    /// The key is one of an earlier version of the tree, which was replaced, and the present one
    /// has none of this name, scope and type.
    GoneKey {
        /// Its name.
        key: String,
        /// Its type.
        ty: Type,
        /// The tree.
        tree: String,
        /// The type of the key that has its name now, if there is one.
        now: Option<Type>,
    },
    /// The key is looked up as an enum, and holds a word that the enum lacks: the tree was replaced
    /// by one in which the key has other words.
    OtherWord {
        /// The key.
        key: String,
    },
    /// The key cannot be used in this call.
    Key(SchemaError),
    /// The symbol is not one of the words that the key declares, so no comparison could ever find
    /// it.
    NotAWord {
        /// The key.
        key: String,
    },
    /// No tree of this forest declares such a group key.
    UnknownGroupKey {
        /// The name asked for.
        name: String,
        /// Which was meant.
        help: Option<Help>,
    },
    /// No tree of this forest declares such a global key.
    UnknownGlobal {
        /// The name asked for.
        name: String,
        /// Which was meant.
        help: Option<Help>,
    },
    /// No tree of this [board](crate::SharedBoard) declares such a key.
    UnknownOnBoard {
        /// The name asked for.
        name: String,
        /// The scope of the board's keys.
        scope: Scope,
        /// Which was meant.
        help: Option<Help>,
    },
    /// No tree of the forest or the board declares this typed group or global key.
    Undeclared {
        /// The key's scope.
        scope: Scope,
        /// Whether it is a [board](crate::SharedBoard).
        board: bool,
    },
    /// The typed key has another scope.
    OtherScope {
        /// Its scope.
        found: Scope,
        /// The scope that the call serves.
        wanted: Scope,
    },
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AccessError::Stale(it) => it.fmt(f),
            AccessError::ForeignKey => f.write_str("the key and the agent belong to different trees"),
            AccessError::GoneKey { key, ty, tree, now } => {
                write!(f, "the tree `{tree}` was replaced, and its key `{key}`, of type {ty}, ")?;
                match now {
                    None => f.write_str("is gone"),
                    Some(now) if now == ty => f.write_str("has another scope now"),
                    Some(now) => write!(f, "is {now} now"),
                }?;
                f.write_str(": look the key up in the current tree")
            }
            AccessError::OtherWord { key } => {
                write!(f, "`{key}` was looked up as an enum that lacks the word it now holds")
            }
            AccessError::Key(it) => it.fmt(f),
            AccessError::NotAWord { key } => write!(f, "the symbol is not one of the words of `{key}`"),
            AccessError::UnknownGroupKey { name, help } => {
                write!(f, "no tree of this forest declares the group key `{name}`{}", and(help))
            }
            AccessError::UnknownGlobal { name, help } => {
                write!(f, "no tree of this forest declares the global key `{name}`{}", and(help))
            }
            AccessError::UnknownOnBoard { name, scope, help } => {
                write!(f, "no tree of this board declares the {scope} key `{name}`; ")?;
                match help {
                    Some(help) => help.fmt(f),
                    None => f.write_str("`admit` a tree that does"),
                }
            }
            AccessError::Undeclared { scope, board: false } => {
                write!(f, "no tree of this forest declares this {scope} key now")
            }
            AccessError::Undeclared { scope, board: true } => {
                write!(f, "no tree of this board declares this {scope} key; `admit` a tree that does")
            }
            AccessError::OtherScope { found, wanted } => {
                write!(f, "this is {} key, and the call is for {wanted} keys", found.with_article())
            }
        }
    }
}

impl fmt::Debug for AccessError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for AccessError {}

impl From<StaleError> for AccessError {
    fn from(it: StaleError) -> Self {
        AccessError::Stale(it)
    }
}

impl From<SchemaError> for AccessError {
    fn from(it: SchemaError) -> Self {
        AccessError::Key(it)
    }
}

impl AccessError {
    /// A refused write through a typed key, as an error for the caller.
    #[cold]
    pub(crate) fn of<T>(refused: Refused, schema: &Schema, key: Key<T>) -> Self {
        match (refused, schema.own(key)) {
            (Refused::NotAWord, Some(decl)) => AccessError::NotAWord { key: decl.name().into() },
            (Refused::NotAWord | Refused::Foreign, _) => AccessError::foreign(schema, key),
        }
    }

    /// The error for a typed key that cannot be used in a tree.
    #[cold]
    pub(crate) fn foreign<T>(schema: &Schema, key: Key<T>) -> Self {
        if let Some(decl) = schema.own(key) {
            return AccessError::OtherWord { key: decl.name().into() };
        }
        let Some((name, ty, tree)) = schema.former(key.tag()) else { return AccessError::ForeignKey };
        let was = (key.scope(), ty);
        let now = schema.keys().find(|it| it.name() == name && (it.scope(), it.ty()) != was).map(KeyDecl::ty);
        AccessError::GoneKey { key: name.into(), ty, tree: tree.into(), now }
    }

    /// Whether a key of that type, with those words, can hold a value.
    pub(crate) fn check(name: &str, found: Type, words: &[Symbol], value: Value) -> Result<(), Self> {
        let wanted = value.ty();
        match value {
            _ if found != wanted => Err(SchemaError::WrongType { name: name.into(), found, wanted }.into()),
            Value::Symbol(symbol) if !words.contains(&symbol) => Err(AccessError::NotAWord { key: name.into() }),
            _ => Ok(()),
        }
    }
}
