//! The language server of pleach: what an editor asks about trees while they are being written.
//!
//! `pleach lsp`, or [`serve_stdio`] in a program of a game, speaks the Language Server Protocol
//! over standard input and output. It reports the same problems as the loader, also for unsaved
//! texts, and knows the leaves of a [`Game`].
//!
//! A file that is being written is broken most of the time. So there are two readers: the loader's
//! decides what is right; `syntax` takes any text, and `fields` gives the role of each of its
//! values. All other modules use these.

mod actions;
mod complete;
mod covered;
mod desk;
mod diagnostics;
mod doc;
pub mod edit;
mod fields;
mod files;
mod format;
mod game;
mod hints;
mod hover;
mod names;
mod navigate;
mod outline;
mod paint;
mod place;
mod server;
mod stdio;
mod syntax;
mod targets;
mod test_fields;
mod uri;
mod workspace;

use lsp_server::Connection;

pub use desk::{Choice, Desk, Wrong};
pub use files::{Files, below};
pub use game::{Game, ServeError};
pub use test_fields::{Part, TEST_CASE, TEST_FILE, TEST_OTHERS, TEST_STEP, TestField, TestShape};
pub use uri::uri_path;

/// Serves one editor over standard input and output, until it sends `exit`.
///
/// # Errors
/// The editor goes away, or sends something that is not a message of the protocol.
pub fn serve_stdio(game: &Game<'_>) -> Result<(), ServeError> {
    stdio::serve(|connection| serve(connection, game))
}

/// Serves one editor over a connection, until it sends `exit`.
///
/// # Errors
/// As [`serve_stdio`].
pub fn serve(connection: &Connection, game: &Game<'_>) -> Result<(), ServeError> {
    server::serve(connection, game)
}
