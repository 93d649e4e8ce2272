//! What `new` is told.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// The folder, in which `trees` is made
    pub(crate) folder: PathBuf,
}
