//! Errors of declaring a key, and of looking one up.

mod access;

use std::fmt;

use pleach_expr::expr::{RESERVED, is_word};
use pleach_expr::names::Help;
use pleach_expr::{Symbol, Type, Value};

use super::{Default, Direction, KeyDecl, Scope};
use crate::index::NodeId;
use crate::limits::{MAX_KEYS, MAX_NAME, MAX_WORDS};
pub use access::AccessError;

/// Why a key cannot be declared or found.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum SchemaError {
    /// Two keys of one scope with one name.
    Doubled {
        /// Its name.
        name: String,
        /// Its scope.
        scope: Scope,
    },
    /// The name is not an identifier, is reserved, or is too long.
    BadName(String),
    /// A node key without its node, or a node with a key that does not belong to it.
    Misplaced {
        /// The key.
        name: String,
        /// Its scope.
        scope: Scope,
    },
    /// NaN or infinite.
    NotFinite(String),
    /// The default is not among the declared words.
    NotAWord {
        /// The key.
        name: String,
        /// The default.
        default: String,
    },
    /// A word that no expression can write: see [`is_word`](crate::expr::is_word).
    BadWord {
        /// The key.
        name: String,
        /// The word; if it is very long, its beginning.
        word: String,
    },
    /// A word that no expression can write, because its name means a symbol key wherever this key
    /// is seen.
    WordIsKey {
        /// The key.
        name: String,
        /// The word.
        word: String,
    },
    /// A symbol as a plain value: its words are unknown.
    NoWords(String),
    /// More than [`MAX_WORDS`] words.
    TooManyWords {
        /// The key.
        name: String,
        /// How many words it has.
        count: usize,
    },
    /// Two words with the same hash.
    Collision(String, String),
    /// More than [`MAX_KEYS`].
    TooMany,
    /// The node from which the name was to be looked up is not in the tree.
    ForeignNode(NodeId),
    /// No key has that name.
    Unknown {
        /// The name asked for.
        name: String,
        /// Which key was meant, or which keys exist.
        help: Option<Help>,
    },
    /// No symbol key of the tree has that word.
    UnknownWord {
        /// The word.
        word: String,
        /// Which word was meant.
        help: Option<Help>,
    },
    /// The key was looked up as an enum with other words.
    OtherWords {
        /// The key.
        name: String,
        /// A word that only one of the two has.
        word: String,
    },
    /// A port that is bound to a value, where a key is needed.
    Constant,
    /// An `In` port, where something is written.
    ReadOnly(String),
    /// A port that its instance writes, bound to one that can only be read.
    PortOfIn {
        /// The port.
        port: String,
        /// What it is bound to.
        key: String,
        /// What the instance does with it.
        direction: Direction,
    },
    /// A port that is bound to a key of another type.
    PortType {
        /// The port.
        port: String,
        /// The key.
        key: String,
        /// The type of the key.
        found: Type,
        /// The type of the port.
        wanted: Type,
    },
    /// A port that is bound to a symbol key with other words.
    PortWords {
        /// The port.
        port: String,
        /// The key.
        key: String,
        /// A word that only one of the two has.
        word: String,
    },
    /// The tree has no slot of that name.
    UnknownSlot {
        /// The name asked for.
        name: String,
        /// Which slot was meant, or which slots exist.
        help: Option<Help>,
    },
    /// A slot has no tree of that name.
    NotInSlot {
        /// The slot.
        slot: String,
        /// The word to fill it with.
        word: String,
        /// Which word was meant, or which words exist.
        help: Option<Help>,
    },
    /// A group or global key that another file of the tree declares differently.
    DeclaredOtherwise {
        /// The key.
        name: String,
        /// Its scope.
        scope: Scope,
    },
    /// The key has another type.
    WrongType {
        /// The key.
        name: String,
        /// Its type.
        found: Type,
        /// The type that was asked for.
        wanted: Type,
    },
    /// The key has another scope.
    WrongScope {
        /// The key.
        name: String,
        /// Its scope.
        found: Scope,
        /// The scope that the call serves.
        wanted: Scope,
    },
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemaError::Doubled { name, scope } => write!(f, "{scope} key `{name}` is declared twice"),
            SchemaError::BadName(it) => write!(
                f,
                "`{it}` cannot be the name of a key: use letters, digits and `_`, at most {MAX_NAME} bytes, and none of `{}`",
                RESERVED.join("`, `")
            ),
            SchemaError::Misplaced { name, scope } => write!(
                f,
                "the {scope} key `{name}` is declared in the wrong place: a node can only declare its own keys"
            ),
            SchemaError::NotFinite(it) => write!(f, "the default of `{it}` is not finite"),
            SchemaError::NotAWord { name, default } => {
                write!(f, "the default `{default}` of `{name}` is not one of its words")
            }
            SchemaError::BadWord { name, word } => write!(
                f,
                "{word:?} cannot be a word of the key `{name}`: use letters, digits and `_`, no digit first, at most {MAX_NAME} bytes, and none of `{}`",
                RESERVED.join("`, `")
            ),
            SchemaError::WordIsKey { name, word } => write!(
                f,
                "`{word}` cannot be a word of the key `{name}`: in an expression that name means the symbol key `{word}`; rename one of them"
            ),
            SchemaError::NoWords(it) => write!(f, "the symbol key `{it}` must list its words"),
            SchemaError::TooManyWords { name, count } => {
                write!(f, "{count} words are too many for the key `{name}`: at most {MAX_WORDS}")
            }
            SchemaError::Collision(one, other) => {
                write!(f, "the words `{one}` and `{other}` have the same hash: rename one")
            }
            SchemaError::TooMany => write!(f, "more than {MAX_KEYS} keys"),
            SchemaError::ForeignNode(it) => write!(f, "{it} is not a node of this tree"),
            SchemaError::Unknown { name, help } => write!(f, "there is no key `{name}`{}", and(help)),
            SchemaError::UnknownWord { word, help } => {
                write!(f, "no symbol key of this tree has the word `{word}`{}", and(help))
            }
            SchemaError::OtherWords { name, word } => {
                write!(
                    f,
                    "the key `{name}` and the enum that it is read as have different words: only one has `{word}`"
                )
            }
            SchemaError::Constant => f.write_str("this port was given a value, but a key is needed here"),
            SchemaError::ReadOnly(it) => write!(f, "`{it}` is an `In` port: it can only be read here"),
            SchemaError::UnknownSlot { name, help } => write!(f, "the tree has no slot `{name}`{}", and(help)),
            SchemaError::NotInSlot { slot, word, help } => {
                write!(f, "the slot `{slot}` has no tree `{word}`{}", and(help))
            }
            SchemaError::PortOfIn { port, key, direction } => {
                write!(f, "the port `{port}` is `{direction}`, and `{key}` is an `In` port, which can only be read")
            }
            SchemaError::PortType { port, key, found, wanted } => {
                write!(f, "the port `{port}` is of type {wanted}, and `{key}` of type {found}")
            }
            SchemaError::PortWords { port, key, word } => {
                write!(f, "the port `{port}` and the key `{key}` have different words: only one has `{word}`")
            }
            SchemaError::DeclaredOtherwise { name, scope } => {
                write!(f, "the {scope} key `{name}` is declared differently in another file of this tree")
            }
            SchemaError::WrongType { name, found, wanted } => write!(f, "the key `{name}` is {found}, not {wanted}"),
            SchemaError::WrongScope { name, found, wanted } => {
                write!(f, "the key `{name}` is {} key: this call is for {wanted} keys", found.with_article())
            }
        }
    }
}

impl fmt::Debug for SchemaError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SchemaError {}

impl SchemaError {
    /// Takes out what to do about it, for callers that show that in another place: the rest only
    /// says what is wrong.
    pub fn take_help(&mut self) -> Option<Help> {
        match self {
            SchemaError::Unknown { name: _, help }
            | SchemaError::UnknownWord { word: _, help }
            | SchemaError::UnknownSlot { name: _, help }
            | SchemaError::NotInSlot { help, .. } => help.take(),
            _ => None,
        }
    }

    /// For a word that [`is_word`](crate::expr::is_word) rejects.
    #[must_use]
    pub fn bad_word(key: &str, word: &str) -> SchemaError {
        SchemaError::BadWord { name: key.into(), word: word.chars().take(MAX_NAME).collect() }
    }
}

/// Two trees of one forest declare a shared key differently (SEMANTICS 8.9), or a tree and a
/// [`SharedBoard`](crate::SharedBoard) (SEMANTICS 12.4).
#[derive(Clone, PartialEq)]
pub struct SharedKeyError {
    /// The key.
    pub name: String,
    /// `Group` or `Global`.
    pub scope: Scope,
    /// The names of the trees: the new one, and one that is in the forest or is added with it, or
    /// from which the board has the key.
    pub trees: [String; 2],
    /// What differs.
    pub difference: Difference,
    /// Whether the second declaration is that of a board.
    pub board: bool,
}

impl fmt::Display for SharedKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SharedKeyError { name, scope, trees: [one, other], difference, board } = self;
        if *board {
            return write!(
                f,
                "the tree `{one}` and the board, which has the key from the tree `{other}`, declare the {scope} key `{name}` differently: {difference}; all trees of a board must declare it in the same way: if the tree is a new version, call `follow` with it"
            );
        }
        write!(
            f,
            "the trees `{one}` and `{other}` declare the {scope} key `{name}` differently: {difference}; all trees of a forest must declare it in the same way"
        )
    }
}

impl fmt::Debug for SharedKeyError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SharedKeyError {}

/// A saved board that cannot be restored. The board is unchanged.
#[cfg(feature = "save")]
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum BoardError {
    /// The save is of a board with keys of another scope.
    Scope {
        /// The scope of the save.
        save: Scope,
        /// The scope of this board.
        here: Scope,
    },
    /// Two trees declare a key differently.
    Key(SharedKeyError),
}

#[cfg(feature = "save")]
impl fmt::Display for BoardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoardError::Scope { save, here } => write!(
                f,
                "the save is of a board of {save} keys, and this one is of {here} keys: restore it into a board of {save} keys"
            ),
            BoardError::Key(it) => it.fmt(f),
        }
    }
}

#[cfg(feature = "save")]
impl fmt::Debug for BoardError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(feature = "save")]
impl std::error::Error for BoardError {}

/// What differs between two declarations of a shared key. The new tree's comes first, then that of
/// the other tree.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Difference {
    /// The type.
    Type(Type, Type),
    /// The initial value of the key.
    Default(Value, Value),
    /// The words of a symbol.
    Words,
}

impl Difference {
    /// The difference between a declaration and another one, with this default and these words.
    pub(crate) fn of(decl: &KeyDecl, default: Value, words: &[Symbol]) -> Option<Self> {
        if default.ty() != decl.ty() {
            Some(Difference::Type(decl.ty(), default.ty()))
        } else if words != decl.symbols() {
            Some(Difference::Words)
        } else if default != decl.default() {
            Some(Difference::Default(decl.default(), default))
        } else {
            None
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Type(new, old) => write!(f, "it is {new} in the first, and {old} in the second"),
            Difference::Default(new, old) => {
                write!(f, "its default is {new:?} in the first, and {old:?} in the second")
            }
            Difference::Words => f.write_str("its words in the first differ from those in the second"),
        }
    }
}

impl std::error::Error for Difference {}

fn and(help: &Option<Help>) -> String {
    help.as_ref().map(|it| format!("; {it}")).unwrap_or_default()
}

/// The problems with the words of a key.
pub(super) fn bad_words(name: &str, default: &Default) -> Vec<SchemaError> {
    let words = if let Default::Symbol(_, words) = default { &words[..] } else { &[] };
    words.iter().filter(|it| !is_word(it)).take(MAX_WORDS).map(|it| SchemaError::bad_word(name, it)).collect()
}

impl SchemaError {
    /// Replaces the first bad word by all of them.
    pub(super) fn with(self, bad: Vec<SchemaError>) -> Vec<SchemaError> {
        match self {
            SchemaError::BadWord { .. } => bad,
            first => vec![first],
        }
    }
}
