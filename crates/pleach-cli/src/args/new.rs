//! The options of `new`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// The folder in which to create `trees`
    pub(crate) folder: PathBuf,
}
