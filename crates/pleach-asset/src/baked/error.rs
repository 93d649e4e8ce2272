//! Why bytes are not a usable baked tree.

use std::fmt;

use pleach_core::error::TreeError;

use super::FORM;

/// Why a baked tree cannot be loaded. Its text says what to do; `{:#}` only says what is wrong.
pub struct BakedError {
    file: String,
    wrong: Wrong,
}

/// What is wrong with it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wrong {
    /// It does not begin like a baked tree.
    NotBaked,
    /// It has another format version.
    Form(u32),
    /// The bytes there are invalid.
    Broken { at: usize, of: usize },
    /// The core or the leaves refuse it.
    Tree(TreeError),
}

impl BakedError {
    pub(super) fn new(file: &str, wrong: Wrong) -> Self {
        BakedError { file: file.to_owned(), wrong }
    }

    /// The name that the bytes were given.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The problems of its nodes, if the bytes are intact but the game's leaves have changed.
    #[must_use]
    pub fn tree(&self) -> Option<&TreeError> {
        if let Wrong::Tree(error) = &self.wrong { Some(error) } else { None }
    }
}

impl fmt::Display for BakedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = pleach_core::text::plain(&self.file);
        let help = |help: &'static str| if f.alternate() { "" } else { help };
        match &self.wrong {
            Wrong::NotBaked => {
                let help = help(": make one from a RON file with `pleach bake`");
                write!(f, "`{file}` is not a baked tree{help}")
            }
            Wrong::Form(form) => {
                let help = help(": bake it again");
                write!(f, "`{file}` was baked in form {form}, but this version of pleach reads form {FORM}{help}")
            }
            Wrong::Broken { at, of } => {
                let help = help("; bake it again");
                write!(f, "`{file}` is damaged: invalid data before byte {at} of {of}{help}")
            }
            Wrong::Tree(error) => {
                let help = help(": bake it again, with its leaves");
                write!(f, "`{file}` does not fit this game{help}; {error}")
            }
        }
    }
}

impl fmt::Debug for BakedError {
    /// The text, because `main` prints the error it returns with `Debug`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for BakedError {}
