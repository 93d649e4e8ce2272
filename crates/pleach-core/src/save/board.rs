//! How the keys that brains share are saved: by their names, without trees.

use serde::{Deserialize, Serialize};

use super::VERSION;
use super::number::SavedValue;
use crate::SharedBoard;
use crate::blackboard::Scope;

/// The values that are not the defaults, by the names of their keys.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedBoard {
    version: u32,
    scope: SavedScope,
    keys: Vec<(String, SavedValue)>,
}

/// What a board is for.
#[derive(Serialize, Deserialize)]
enum SavedScope {
    Group,
    Global,
}

impl From<SharedBoard> for SavedBoard {
    fn from(board: SharedBoard) -> Self {
        let scope = if board.scope == Scope::Group { SavedScope::Group } else { SavedScope::Global };
        let keys = board.changed().into_iter().map(|(name, value)| (name, value.into())).collect();
        SavedBoard { version: VERSION, scope, keys }
    }
}

impl TryFrom<SavedBoard> for SharedBoard {
    type Error = String;

    fn try_from(saved: SavedBoard) -> Result<Self, String> {
        if let Some(why) = super::unreadable(saved.version) {
            return Err(why);
        }
        let scope = match saved.scope {
            SavedScope::Group => Scope::Group,
            SavedScope::Global => Scope::Global,
        };
        let mut board = SharedBoard::new(scope);
        board.saved.extend(saved.keys.into_iter().map(|(name, value)| (name, value.into())));
        Ok(board)
    }
}
