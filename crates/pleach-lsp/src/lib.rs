//! The language server of pleach: what an editor asks about trees while somebody writes them.
//!
//! `pleach lsp`, or [`serve_stdio`] in a program of a game, speaks the Language Server Protocol
//! over standard input and output. It reports what [`Library::check_files`] reports, also of texts
//! that are not saved, and knows the leaves of a [`Game`].
//!
//! A file that is being written is broken most of the time. So there are two readers: the loader's
//! decides what is right; `syntax` takes any text, and `fields` says what each of its values is.
//! All other modules ask these.

mod actions;
mod complete;
mod diagnostics;
mod doc;
mod fields;
mod files;
mod format;
mod hints;
mod hover;
mod names;
mod navigate;
mod outline;
mod paint;
mod place;
mod server;
mod syntax;
mod targets;
mod uri;
mod workspace;

use std::fmt;

use lsp_server::Connection;
use pleach::asset::Manifest;
use pleach::{Host, Library, Registry, Report};

pub use files::Files;

type Check<'r> = Box<dyn Fn(&Library<Files>, &[String]) -> Report + 'r>;
type CheckTests<'r> = Box<dyn Fn(&str, &str) -> Option<Report> + 'r>;

/// What a server knows of a game.
pub struct Game<'r> {
    manifest: Manifest,
    check: Check<'r>,
    check_tests: Option<CheckTests<'r>>,
}

impl<'r> Game<'r> {
    /// The game with these leaves.
    #[must_use]
    pub fn new<H: Host>(registry: &'r Registry<H>) -> Self {
        Game {
            manifest: Manifest::of(registry),
            check: Box::new(move |library, names| library.check_files(names, registry)),
            check_tests: None,
        }
    }

    /// Says how test files are checked: by their name and text. Without it they are not.
    #[must_use]
    pub fn check_tests(mut self, check: impl Fn(&str, &str) -> Option<Report> + 'r) -> Self {
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
            ServeError::Gone => f.write_str("the editor closed the connection without `shutdown` and `exit`"),
        }
    }
}

impl std::error::Error for ServeError {}

/// Serves one editor over standard input and output, until it says `exit`.
///
/// # Errors
/// The editor goes away, or sends what is no message of the protocol.
pub fn serve_stdio(game: &Game<'_>) -> Result<(), ServeError> {
    let (connection, threads) = Connection::stdio();
    let served = serve(&connection, game);
    // The threads end when nobody writes any more.
    drop(connection);
    match threads.join() {
        Err(error) => Err(ServeError::Protocol(error.to_string())),
        Ok(()) => served,
    }
}

/// Serves one editor over a connection, until it says `exit`.
///
/// # Errors
/// As [`serve_stdio`].
pub fn serve(connection: &Connection, game: &Game<'_>) -> Result<(), ServeError> {
    server::serve(connection, game)
}
