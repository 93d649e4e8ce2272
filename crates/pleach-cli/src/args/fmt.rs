//! The options of `fmt`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct FmtArgs {
    /// Files, and directories of .ron files; `-` formats standard input to standard output
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Write nothing: list the files that are not formatted, and exit with 1 if there are any
    #[arg(long)]
    pub(crate) check: bool,
    /// Write nothing: show what would change as a unified diff
    #[arg(long)]
    pub(crate) diff: bool,
}
