//! What a server knows of a game, and why it ends.

use std::fmt;

use pleach::asset::{CheckOnly, Described, Manifest};
use pleach::{Host, Library, Registry, Report};

use crate::files::Files;

type Check<'r> = Box<dyn Fn(&Library<Files>, &[String]) -> Report + 'r>;
type Describe<'r> = Box<dyn Fn(&Library<Files>, &str) -> Result<Described<CheckOnly>, Report> + 'r>;
type CheckTests<'r> = Box<dyn Fn(&mut Library<Files>, &str, &str) -> Option<Report> + 'r>;

/// What a server knows of a game.
pub struct Game<'r> {
    pub(crate) manifest: Manifest,
    pub(crate) check: Check<'r>,
    pub(crate) describe: Describe<'r>,
    pub(crate) check_tests: Option<CheckTests<'r>>,
}

impl<'r> Game<'r> {
    /// The game with these leaves.
    #[must_use]
    pub fn new<H: Host>(registry: &'r Registry<H>) -> Self {
        // A tree with a leaf that is not known yet can be compared, too.
        let mut described = registry.check_only();
        described.allow_any_leaf(true).allow_any_event(true);
        Game {
            manifest: Manifest::of(registry),
            check: Box::new(move |library, names| library.check_files(names, registry)),
            describe: Box::new(move |library, name| library.describe(name, &described)),
            check_tests: None,
        }
    }

    /// Sets how test files are checked: given the library with their trees, their name, and their
    /// text. Without it they are not checked.
    #[must_use]
    pub fn check_tests(mut self, check: impl Fn(&mut Library<Files>, &str, &str) -> Option<Report> + 'r) -> Self {
        self.check_tests = Some(Box::new(check));
        self
    }
}

impl fmt::Debug for Game<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Game").field("manifest", &self.manifest).finish_non_exhaustive()
    }
}

/// Why a server ended too early.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The client does not speak the protocol.
    Protocol(String),
    /// The client went away without `shutdown` and `exit`.
    Gone,
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::Protocol(it) => write!(f, "the editor does not speak the Language Server Protocol: {it}"),
            ServeError::Gone => f.write_str("the editor went away without `shutdown` and `exit`"),
        }
    }
}

impl std::error::Error for ServeError {}
