//! Finds the game that listens.

use std::io::ErrorKind;

use pleach::tools::text::plain;
use pleach_tap::studio::{self, Connection, Game};

use crate::failure::Failure;

/// The only game that listens, or the one of this name, and a connection to it.
///
/// # Errors
/// There is none, there are several, or it refuses the connection, with its reason.
pub(super) fn find(name: Option<&str>) -> Result<(Game, Connection), Failure> {
    let games = studio::games().map_err(|it| Failure::Failed(format!("cannot look for games: {it}")))?;
    let (mut open, mut refused, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for game in games.into_iter().filter(|it| name.is_none_or(|name| it.name() == name)) {
        let shown = format!("`{}`", plain(game.name()));
        match game.connect() {
            Ok(it) => open.push((game, it)),
            // It has ended without removing its file, which `connect` has now removed.
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => continue,
            Err(error) => refused.push(format!("the game {shown} listens, but {error}")),
        }
        names.push(shown);
    }
    match (name, open.len()) {
        (_, 1) if refused.is_empty() => Ok(open.swap_remove(0)),
        (Some(_), 1..) => Ok(open.swap_remove(0)),
        (_, 0) if !refused.is_empty() => Err(Failure::Failed(refused.join("\n  "))),
        (None, 0) => Err(Failure::Failed(
            "no game listens. Start one that has a `Tap`, or try `pleach run TREE --listen`; or name a recording"
                .into(),
        )),
        (Some(name), 0) => Err(Failure::Usage(format!("no game `{}` listens{}", plain(name), others()))),
        (None, _) => {
            Err(Failure::Usage(format!("several games listen: name one of them with --game: {}", names.join(", "))))
        }
    }
}

/// Which other games there are.
fn others() -> String {
    let games = studio::games().unwrap_or_default();
    let names: Vec<String> = games.iter().map(|it| format!("`{}`", plain(it.name()))).collect();
    if names.is_empty() { String::new() } else { format!(", but {}", names.join(", ")) }
}
