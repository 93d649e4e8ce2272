//! The options of `import` and `export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use pleach_import::Format;

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Files, and directories of files; included files must be named, too
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The output directory
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) into: PathBuf,
    /// The format of all files, if it cannot be detected: btcpp, behavior3, behavior3-nested,
    /// limboai, beehave, behavior-designer, behaviac, maikire or starbound
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<Format>,
    /// How nodes are written in these files: a profile file, or `nav2`. It takes precedence over
    /// the profile of the format
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Vec<PathBuf>,
    /// Exit with 1 if a node is lost
    #[arg(long)]
    pub(crate) strict: bool,
    /// Overwrite existing files
    #[arg(long)]
    pub(crate) force: bool,
    /// Also list the nodes that convert exactly
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Trees, and directories of .ron files
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// What to write
    #[arg(long, value_enum)]
    pub(crate) to: ExportTo,
    /// The output directory
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) into: PathBuf,
    /// Overwrite existing files
    #[arg(long)]
    pub(crate) force: bool,
    /// Use the leaves of this manifest instead of the program's own
    #[arg(long, value_name = "FILE")]
    pub(crate) leaves: Option<PathBuf>,
}

/// What trees are exported to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportTo {
    /// XML of BehaviorTree.CPP 4, for Groot2
    Btcpp,
    /// Graphviz
    Dot,
    /// JSON, for other tools
    Json,
}
