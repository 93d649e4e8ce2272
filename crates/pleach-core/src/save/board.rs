//! How the keys that brains share are saved: by their names, without trees.

use serde::{Deserialize, Serialize};

use super::number::SavedValue;

/// The values that are not the defaults, by the names of their keys.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedBoard {
    version: u32,
    /// Whether the keys are global ones, and not those of a group.
    pub(crate) global: bool,
    pub(crate) keys: Vec<(String, SavedValue)>,
}

impl SavedBoard {
    /// One in the present version of the format.
    pub(crate) fn new(global: bool, keys: Vec<(String, SavedValue)>) -> Self {
        SavedBoard { version: super::VERSION, global, keys }
    }

    /// Why it cannot be read, if it cannot.
    pub(crate) fn unreadable(&self) -> Option<String> {
        super::unreadable(self.version)
    }
}
