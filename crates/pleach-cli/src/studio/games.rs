//! Finds the game that listens.

use pleach_tap::studio::{self, Game};

use crate::failure::Failure;
use pleach::tools::text::plain;

/// The only game that listens, or the one of a name.
///
/// # Errors
/// There is none, or there are several.
pub(super) fn find(name: Option<&str>) -> Result<Game, Failure> {
    let games = studio::games().map_err(|it| Failure::Failed(format!("cannot look for games: {it}")))?;
    // Files of games that ended without removing them are removed by this.
    let is_there = |it: &Game| it.connect().is_ok();
    let mut games: Vec<Game> = games.into_iter().filter(is_there).collect();
    let listed = |games: &[Game]| {
        let all: Vec<String> = games.iter().map(|it| format!("`{}`", plain(it.name()))).collect();
        all.join(", ")
    };
    match (name, games.len()) {
        (None, 1) => Ok(games.remove(0)),
        (_, 0) => Err(Failure::Failed(
            "no game listens. Start one that has a `Tap`, or try `pleach run TREE --listen`; or name a recording"
                .into(),
        )),
        (None, _) => {
            Err(Failure::Usage(format!("several games listen: name one of them with --game: {}", listed(&games))))
        }
        (Some(name), _) => {
            let found = games.iter().position(|it| it.name() == name);
            found
                .map(|it| games.swap_remove(it))
                .ok_or_else(|| Failure::Usage(format!("no game `{}` listens, but {}", plain(name), listed(&games))))
        }
    }
}
