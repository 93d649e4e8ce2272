//! Edited versions of the trees of a recording.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use pleach::asset::CheckOnly;
use pleach::{Host, Registry, Tree};

use super::trees::Open;
use crate::failure::Failure;
use crate::stage::Stage;

/// Makes edited trees of a recording.
#[derive(Clone, Copy)]
pub(crate) struct Edits<'a, H: Host> {
    /// The leaves of this program, and those of `--leaves`.
    pub(crate) own: &'a Registry<H>,
    pub(crate) given: Option<&'a Registry<CheckOnly>>,
    pub(crate) game: &'a str,
    /// The recording, and the manifest of `--leaves`.
    pub(crate) file: &'a Path,
    pub(crate) leaves: Option<&'a Path>,
}

impl<H: Host> Edits<'_, H> {
    /// For each tree of a recording the edited one, if one of these files makes it.
    ///
    /// # Errors
    /// What is wrong with the texts, or none of them makes a tree that was recorded.
    pub(crate) fn trees(
        &self,
        bytes: &[u8],
        texts: &BTreeMap<String, String>,
    ) -> Result<Vec<Option<Arc<Tree<Stage>>>>, Failure> {
        let Edits { own, given, game, file, leaves } = *self;
        Open { bytes, own, given, game, file, with: None, leaves, wants_places: false, in_studio: true }.edits(texts)
    }
}
