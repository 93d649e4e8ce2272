//! The options of `replay`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;

/// How a node ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ended {
    Success,
    Failure,
    /// From outside
    Aborted,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The recording; `-` is standard input
    pub(crate) file: PathBuf,
    /// Show this agent (numbered from 0 in the order in which they came): what it does when the
    /// replay stops, or what the options below ask for
    #[arg(allow_negative_numbers = true, long, short, value_name = "AGENT", value_parser = agent)]
    pub(crate) agent: Option<u32>,
    /// Start the trace, the search, or the case at this second of the game
    #[arg(allow_negative_numbers = true, long, value_name = "S", value_parser = second)]
    pub(crate) from: Option<f64>,
    /// Stop at this second of the game
    #[arg(allow_negative_numbers = true, long, value_name = "S", value_parser = second, conflicts_with = "frame")]
    pub(crate) to: Option<f64>,
    /// Stop after the frame with this number
    #[arg(allow_negative_numbers = true, long, value_name = "N", value_parser = frame)]
    pub(crate) frame: Option<u64>,
    /// Print everything that happens to the agent
    #[arg(long, requires = "agent")]
    pub(crate) trace: bool,
    /// Explain why the agent does what it does when the replay stops
    #[arg(long, requires = "agent")]
    pub(crate) explain: bool,
    /// Explain why this node (its name, id or path) of the agent does not run when the replay stops
    #[arg(long, value_name = "NODE", requires = "agent")]
    pub(crate) why: Option<String>,
    /// Draw the agent's tree, with what runs when the replay stops, to this SVG file
    #[arg(long, value_name = "FILE", requires = "agent")]
    pub(crate) svg: Option<PathBuf>,
    /// Write what happened to the agent as a case to a test file beside its tree, from --from
    /// (default: its first frame) to --to (default: the end); the file's name ends in `.test.ron`
    #[arg(long, value_name = "FILE", requires = "agent", conflicts_with_all = ["frame", "trace", "explain", "why", "svg", "with", "format"])]
    pub(crate) into: Option<PathBuf>,
    /// Write what the agent did and why to this self-contained HTML file, from --from (default: its
    /// first frame) to --to (default: the end)
    #[arg(long, value_name = "FILE", requires = "agent", conflicts_with_all = ["frame", "trace", "explain", "why", "svg", "with", "into", "find", "event", "condition", "format"])]
    pub(crate) report: Option<PathBuf>,
    /// Write what the agent did to this `.btlog` file, which Groot2 plays, from --from (default:
    /// its first frame) to --to (default: the end)
    #[arg(long, value_name = "FILE", requires = "agent", conflicts_with_all = ["frame", "trace", "explain", "why", "svg", "with", "into", "report", "find", "event", "condition", "format"])]
    pub(crate) btlog: Option<PathBuf>,
    /// Find where agents started a node (its name, id or path)
    #[arg(long, value_name = "NODE", conflicts_with_all = ["frame", "trace", "explain", "why", "svg", "with", "into"])]
    pub(crate) find: Option<String>,
    /// Find where the node ended in this way instead
    #[arg(long, value_enum, requires = "find")]
    pub(crate) ended: Option<Ended>,
    /// Find only where this condition (its name, id or path) aborted the node
    #[arg(long, value_name = "NODE", requires = "ended")]
    pub(crate) by: Option<String>,
    /// Find where agents received this event
    #[arg(long, value_name = "EVENT", conflicts_with_all = ["find", "frame", "trace", "explain", "why", "svg", "with", "into"])]
    pub(crate) event: Option<String>,
    /// Find only where this expression over the agent's keys is true; without --find and --event,
    /// find where the expression became true
    #[arg(
        long = "where",
        value_name = "EXPR",
        conflicts_with_all = ["frame", "trace", "explain", "why", "svg", "with", "into"]
    )]
    pub(crate) condition: Option<String>,
    /// Show what agents would have done under the edited trees of this file or directory, with the
    /// recorded inputs and answers
    #[arg(long, value_name = "TREE")]
    pub(crate) with: Option<PathBuf>,
    /// Show where agents decided differently in this other recording of the same session, to check
    /// that the game repeats exactly
    #[arg(long, value_name = "FILE", conflicts_with_all = ["with", "into", "report", "btlog", "find", "event", "condition"])]
    pub(crate) against: Option<PathBuf>,
    /// Use the leaves of this manifest instead of the one in the recording
    #[arg(long, value_name = "FILE")]
    pub(crate) leaves: Option<PathBuf>,
    /// The format of the output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

fn agent(text: &str) -> Result<u32, String> {
    super::whole(text, 0, u32::MAX)
}

fn frame(text: &str) -> Result<u64, String> {
    match super::is_whole(text) {
        true => text.parse().map_err(|_| format!("{text} is not in the range 0 to {}", u64::MAX)),
        false => Err(format!("`{text}` is not a whole number")),
    }
}

fn second(text: &str) -> Result<f64, String> {
    let second = text.parse().ok().filter(|it: &f64| it.is_finite() && *it >= 0.0);
    second.ok_or_else(|| format!("`{text}` is not a number of seconds, 0 or more"))
}

/// The options of `studio`.
#[cfg(feature = "studio")]
#[derive(Debug, Args)]
pub(crate) struct StudioArgs {
    /// The recording (`-` is standard input), or trees to edit: a directory, or one `.ron` file.
    /// Default: the game that listens
    pub(crate) file: Option<PathBuf>,
    /// Show the game with this name, if several listen
    #[arg(long, value_name = "NAME", conflicts_with = "file")]
    pub(crate) game: Option<String>,
    /// Save the breakpoints to this file, and set those already in it
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub(crate) breaks: Option<PathBuf>,
    /// Edit these trees beside the recording or the game: a directory, or one `.ron` file
    #[arg(long, value_name = "PATH")]
    pub(crate) trees: Option<PathBuf>,
    /// Serve the page on this local port; default: a free port
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Do not open the page in the browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Use the leaves of this manifest instead of the one in the recording
    #[arg(long, value_name = "FILE")]
    pub(crate) leaves: Option<PathBuf>,
}
