//! Errors of declaring a key, and of looking one up.

use super::{Key, Refused, Schema, Scope};
use crate::ids::StaleError;
use crate::index::NodeId;
use crate::limits::{MAX_KEYS, MAX_NAME, MAX_WORDS};
use crate::names::Help;
use crate::value::{Symbol, Type, Value};

/// Why a key cannot be declared or found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// Two keys of one scope with one name.
    #[error("{scope} key `{name}` is declared twice")]
    Doubled {
        /// Its name.
        name: String,
        /// Its scope.
        scope: Scope,
    },
    /// The name is not an identifier, is reserved, or is too long.
    #[error(
        "`{0}` cannot be the name of a key: use letters, digits and `_`, at most {MAX_NAME} bytes, and none of the words of expressions"
    )]
    BadName(String),
    /// A node key without its node, or a node with a key that does not belong to it.
    #[error("the {scope} key `{name}` is declared in the wrong place: a node declares its own keys, and no others")]
    Misplaced {
        /// The key.
        name: String,
        /// Its scope.
        scope: Scope,
    },
    /// NaN or infinite.
    #[error("the default of `{0}` is not finite")]
    NotFinite(String),
    /// The default is not among the declared words.
    #[error("the default `{default}` of `{name}` is not one of its words")]
    NotAWord {
        /// The key.
        name: String,
        /// The default.
        default: String,
    },
    /// A word that no expression can write: see [`is_word`](crate::expr::is_word).
    #[error(
        "{word:?} cannot be a word of the key `{name}`: use letters, digits and `_`, no digit first, at most {MAX_NAME} bytes, and neither `true` nor `false`"
    )]
    BadWord {
        /// The key.
        name: String,
        /// The word; if it is very long, its beginning.
        word: String,
    },
    /// A word that no expression can write, because its name means a symbol key wherever this key
    /// is seen.
    #[error(
        "`{word}` cannot be a word of the key `{name}`: in an expression that name means the symbol key `{word}`; rename one of them"
    )]
    WordIsKey {
        /// The key.
        name: String,
        /// The word.
        word: String,
    },
    /// A symbol as a plain value: its words are unknown.
    #[error("the symbol key `{0}` must list its words")]
    NoWords(String),
    /// More than [`MAX_WORDS`] words.
    #[error("{count} words are too many for the key `{name}`: at most {MAX_WORDS}")]
    TooManyWords {
        /// The key.
        name: String,
        /// How many words it has.
        count: usize,
    },
    /// Two words with the same hash.
    #[error("the words `{0}` and `{1}` have the same hash: rename one")]
    Collision(String, String),
    /// More than [`MAX_KEYS`].
    #[error("more than {MAX_KEYS} keys")]
    TooMany,
    /// The node from which the name was to be looked up is not in the tree.
    #[error("{0} is not a node of this tree")]
    ForeignNode(NodeId),
    /// No key has that name.
    #[error("there is no key `{name}`{}", and(.help))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// Which key was meant, or which there are.
        help: Option<Help>,
    },
    /// The key has another type.
    #[error("the key `{name}` is {found}, not {wanted}")]
    WrongType {
        /// The key.
        name: String,
        /// Its type.
        found: Type,
        /// The type that was asked for.
        wanted: Type,
    },
    /// The key has another scope.
    #[error("the key `{name}` is a {found} key: this call is for {wanted} keys")]
    WrongScope {
        /// The key.
        name: String,
        /// Its scope.
        found: Scope,
        /// The scope that the call serves.
        wanted: Scope,
    },
}

impl SchemaError {
    /// Takes out what to do about it, for those who show that in another place: what is left says
    /// what is wrong, and no more.
    pub fn take_help(&mut self) -> Option<Help> {
        if let SchemaError::Unknown { name: _, help } = self { help.take() } else { None }
    }

    /// For a word that is none by [`is_word`](crate::expr::is_word).
    #[must_use]
    pub fn bad_word(key: &str, word: &str) -> SchemaError {
        SchemaError::BadWord { name: key.into(), word: word.chars().take(MAX_NAME).collect() }
    }
}

/// Two trees of one forest declare a shared key differently (SEMANTICS 8.9).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the {scope} key `{name}` {difference}: all trees of a forest must declare it alike")]
pub struct SharedKeyError {
    /// The key.
    pub name: String,
    /// `Group` or `Global`.
    pub scope: Scope,
    /// What differs.
    pub difference: Difference,
}

/// What differs between two declarations of a shared key. The new tree's comes first, then that of
/// a tree in the forest.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Difference {
    /// The type.
    #[error("is {0} in this tree, and {1} in one that is already here")]
    Type(Type, Type),
    /// What the key holds at first.
    #[error("is {0:?} at first in this tree, and {1:?} in one that is already here")]
    Default(Value, Value),
    /// The words of a symbol.
    #[error("has other words in this tree than in one that is already here")]
    Words,
}

/// A blackboard access that is not possible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AccessError {
    /// The agent, tree or group is not here.
    #[error(transparent)]
    Stale(#[from] StaleError),
    /// The key is of another tree.
    #[error("the key belongs to another tree than the agent")]
    ForeignKey,
    /// The key cannot be used in this call.
    #[error(transparent)]
    Key(#[from] SchemaError),
    /// The symbol is not one of the words that the key declares, so no comparison could ever find
    /// it.
    #[error("the symbol is not one of the words of `{key}`")]
    NotAWord {
        /// The key.
        key: String,
    },
    /// No tree of this forest declares such a group key.
    #[error("no tree of this forest declares the group key `{name}`{}", and(.help))]
    UnknownGroupKey {
        /// The name that was asked for.
        name: String,
        /// Which was meant.
        help: Option<Help>,
    },
    /// No tree of this forest declares such a global key.
    #[error("no tree of this forest declares the global key `{name}`{}", and(.help))]
    UnknownGlobal {
        /// The name that was asked for.
        name: String,
        /// Which was meant.
        help: Option<Help>,
    },
}

impl AccessError {
    /// A refused write through a typed key, as an error for the caller.
    #[cold]
    pub(crate) fn of<T>(refused: Refused, schema: &Schema, key: Key<T>) -> Self {
        match (refused, schema.own(key)) {
            (Refused::NotAWord, Some(decl)) => AccessError::NotAWord { key: decl.name().into() },
            (Refused::NotAWord | Refused::Foreign, _) => AccessError::ForeignKey,
        }
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

fn and(help: &Option<Help>) -> String {
    help.as_ref().map(|it| format!("; {it}")).unwrap_or_default()
}
