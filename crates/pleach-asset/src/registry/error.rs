//! What can be wrong with a leaf that is registered, and with its parameters.

use std::fmt;

use pleach_core::Type;
use pleach_core::limits::MAX_NAME;

/// Why a leaf cannot be registered.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegistryError {
    /// There is a leaf of that name.
    Doubled(String),
    /// A built-in node has that name, or it means something else in assets.
    BuiltIn(String),
    /// Not a name that could be written in an asset.
    Malformed(String),
    /// An event of that name is declared: with this payload, and now with that one.
    DoubledEvent(String, Option<Type>, Option<Type>),
    /// An event whose name is empty or too long.
    EventName(String),
    /// The game relies on the key of a node, which has no name outside.
    KeyOfNode {
        /// The key.
        key: String,
    },
    /// The game relies on a key of the same trees twice, with different types or words.
    KeyDiffers {
        /// The key.
        key: String,
    },
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegistryError::Doubled(it) => write!(f, "a leaf `{it}` is already registered: give this one another name"),
            RegistryError::BuiltIn(it) => write!(f, "`{it}` is built in: give the leaf another name"),
            RegistryError::DoubledEvent(name, first, second) => {
                let [first, second] = [first, second].map(|it| it.map_or("no payload".into(), |it| it.to_string()));
                write!(f, "the event `{name}` is already declared with {first}, and now with {second}")
            }
            RegistryError::EventName(it) => {
                write!(f, "{it:?} cannot be the name of an event: it must have 1 to {MAX_NAME} bytes")
            }
            RegistryError::KeyOfNode { key } => write!(f, "`{key}` is the key of a node: the game cannot rely on it"),
            RegistryError::KeyDiffers { key } => {
                write!(f, "the game relies on the key `{key}` twice, with different types or words")
            }
            RegistryError::Malformed(it) => write!(
                f,
                "`{it}` cannot be the name of a leaf: use ASCII letters, digits and `_`, no digit first, at most {MAX_NAME} bytes"
            ),
        }
    }
}

impl fmt::Debug for RegistryError {
    /// The text, because `main` prints the error it returns with `Debug`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for RegistryError {}

/// Why a leaf's parameters cannot be used, for what serde cannot see: `min` above `max`, say.
#[derive(Clone, PartialEq, Eq)]
pub struct ParamError {
    pub(super) message: String,
    pub(super) parameter: Option<String>,
    pub(super) help: Option<String>,
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParamError { message, parameter: _, help: _ } = self;
        write!(f, "{message}")
    }
}

impl fmt::Debug for ParamError {
    /// The text, because `main` prints the error it returns with `Debug`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for ParamError {}

impl ParamError {
    /// What is wrong.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        ParamError { message: message.into(), parameter: None, help: None }
    }

    /// Which parameter is wrong: its value is shown in the report.
    #[must_use]
    pub fn at(mut self, parameter: impl Into<String>) -> Self {
        self.parameter = Some(parameter.into());
        self
    }

    /// What to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
