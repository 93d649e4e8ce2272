//! The command line: its options and their help.

mod fmt;
mod import;
mod new;
mod recorded;
mod replay;

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
pub(crate) use fmt::FmtArgs;
pub(crate) use import::{ExportArgs, ExportTo, ImportArgs};
pub(crate) use new::NewArgs;
pub(crate) use recorded::RecordedKeys;
#[cfg(feature = "studio")]
pub(crate) use replay::StudioArgs;
pub(crate) use replay::{Ended, ReplayArgs};

/// The most agents of one run.
pub(crate) const MAX_AGENTS: u32 = 250_000;
/// The most frames that a bench measures: a quarter of an hour of game time.
pub(crate) const MAX_FRAMES: u32 = 54_000;
/// The longest run, in seconds: a day.
pub(crate) const MAX_SECONDS: f64 = 86_400.0;

/// The most frames per second.
const MAX_HZ: u32 = 1_000;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Runs, measures, checks and draws behaviour trees.
#[derive(Debug, Parser)]
#[command(styles = STYLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write the trees that come with this program to a folder, as a start
    New(NewArgs),
    /// Run agents of a tree, and show what they cost and do
    Run(RunArgs),
    /// Play a recording without its game, and show what its agents did and why
    Replay(ReplayArgs),
    /// Show a recording in the browser (what each agent did, when, and why), or edit trees
    #[cfg(feature = "studio")]
    Studio(StudioArgs),
    /// Measure what trees cost per agent and tick, and what sleep and evaluation on change save
    Bench(BenchArgs),
    /// Find every error in trees, and warn about probable mistakes
    Check(CheckArgs),
    /// Explain a code of `check`, with an example
    Explain(ExplainArgs),
    /// Write trees in one style, with their comments
    Fmt(FmtArgs),
    /// Show what changed between two versions of trees, and what a reload keeps
    Diff(DiffArgs),
    /// Draw a tree as text, Graphviz or SVG
    Show(ShowArgs),
    /// Run the cases of test files, and report which fail
    Test(TestArgs),
    /// Run one agent from a script, without a world, and print everything that happens to it
    Play(PlayArgs),
    /// Write trees as bytes that a game loads without RON
    Bake(BakeArgs),
    /// Convert trees of other systems to RON, and report the result for each node
    Import(ImportArgs),
    /// Write trees for other tools: XML of BehaviorTree.CPP, JSON, Graphviz
    Export(ExportArgs),
    /// List what trees can be made of: nodes, leaves, functions for expressions
    Nodes(NodesArgs),
    /// Serve an editor: problems, completion and more as you type
    Lsp(LspArgs),
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The tree; `-` is standard input
    pub(crate) file: PathBuf,
    /// How many agents
    #[arg(allow_negative_numbers = true, long, short = 'n', default_value_t = 1_000, value_name = "N", value_parser = agents)]
    pub(crate) agents: u32,
    /// Length of the run, in seconds of game time
    #[arg(allow_negative_numbers = true, long, short, default_value_t = 30.0, value_name = "S", value_parser = seconds)]
    pub(crate) seconds: f64,
    /// The seed of all random numbers: the same seed gives the same run
    #[arg(allow_negative_numbers = true, long, default_value_t = 1, value_name = "SEED", value_parser = seed)]
    pub(crate) seed: u64,
    /// Frames per second
    #[arg(allow_negative_numbers = true, long, default_value_t = 60, value_name = "HZ", value_parser = hertz)]
    pub(crate) hz: u32,
    /// Print everything that happens to this agent (the first is 0) instead of the table
    #[arg(allow_negative_numbers = true, long, value_name = "AGENT", value_parser = agent, conflicts_with_all = ["watch", "explain", "coverage", "coverage_json", "lcov"])]
    pub(crate) trace: Option<u32>,
    /// Show what this agent (the first is 0) is doing: live, with keyboard control, if standard
    /// input and output are a terminal; otherwise at every change
    #[arg(allow_negative_numbers = true, long, value_name = "AGENT", value_parser = agent, conflicts_with_all = ["explain", "coverage", "coverage_json", "lcov"])]
    pub(crate) watch: Option<u32>,
    /// At the end of the run, explain why this agent (the first is 0) does what it does
    #[arg(allow_negative_numbers = true, long, value_name = "AGENT", value_parser = agent, conflicts_with_all = ["coverage", "coverage_json", "lcov"])]
    pub(crate) explain: Option<u32>,
    /// Reload the tree's files when they change, and report what happened to the agents. The
    /// run is then no faster than real time
    #[arg(long)]
    pub(crate) reload: bool,
    /// Write a key of the agents: KEY=VALUE. `at S` sets the second (default: the first frame),
    /// `until S` holds the value until then, `for 30%` or `for agent 7` selects the agents
    #[arg(long, value_name = "KEY=VALUE [at S] [until S] [for N%]")]
    pub(crate) set: Vec<String>,
    /// Fill a slot of the agents: SLOT=TREE, with times and shares as for --set
    #[arg(long, value_name = "SLOT=TREE [at S] [for N%]")]
    pub(crate) fill: Vec<String>,
    /// Send an event to the agents: EVENT, or EVENT=VALUE with its payload; with times and shares
    /// as for --set
    #[arg(long, value_name = "EVENT[=VALUE] [at S] [for N%]")]
    pub(crate) send: Vec<String>,
    /// Stop the run where agents first start a node (its name, id or path), and explain one of them
    #[arg(long, value_name = "NODE", conflicts_with_all = ["trace", "watch", "explain", "reload", "coverage", "coverage_json", "lcov", "format"])]
    pub(crate) find: Option<String>,
    /// Stop where the node ended in this way instead
    #[arg(long, value_enum, requires = "find")]
    pub(crate) ended: Option<Ended>,
    /// Stop only where this condition (its name, id or path) aborted the node
    #[arg(long, value_name = "NODE", requires = "ended")]
    pub(crate) by: Option<String>,
    /// Stop only where this expression over the agent's keys is true; without --find, stop where it
    /// became true
    #[arg(long = "where", value_name = "EXPR", conflicts_with_all = ["trace", "watch", "explain", "reload", "coverage", "coverage_json", "lcov", "format"])]
    pub(crate) condition: Option<String>,
    /// Let `pleach studio` watch and steer the run, as a game of this name. The run is then no
    /// faster than real time
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "run", conflicts_with_all = ["trace", "watch", "explain", "find", "condition", "coverage", "coverage_json", "lcov", "format"])]
    pub(crate) listen: Option<String>,
    /// The format of the table
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with_all = ["trace", "watch", "explain"])]
    pub(crate) format: Format,
    /// Record the run to this file, for `replay`
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Which keys to record; a replay shows the values of recorded keys
    #[arg(long, value_enum, default_value_t = RecordedKeys::Sampled, requires = "record")]
    pub(crate) record_keys: RecordedKeys,
    #[command(flatten)]
    pub(crate) coverage: CoverageArgs,
}

/// What coverage to report.
#[derive(Debug, Args)]
pub(crate) struct CoverageArgs {
    /// Print how often each node was started and how it ended; `test` prints only trees with nodes
    /// that were never started
    #[arg(long)]
    pub(crate) coverage: bool,
    /// Write how often each node was started and how it ended to this file, as JSON, for
    /// `show --coverage`
    #[arg(long, value_name = "FILE")]
    pub(crate) coverage_json: Option<PathBuf>,
    /// Write how often the nodes of each line were started to this file, in LCOV format
    #[arg(long, value_name = "FILE")]
    pub(crate) lcov: Option<PathBuf>,
}

impl CoverageArgs {
    /// Whether any coverage is requested.
    pub(crate) fn is_wanted(&self) -> bool {
        self.coverage || self.coverage_json.is_some() || self.lcov.is_some()
    }
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Trees, and directories of .ron files; `-` is standard input
    #[arg(required = true, value_name = "TREE")]
    pub(crate) paths: Vec<PathBuf>,
    /// Number of agents per tree; a tenth of that number is measured too
    #[arg(allow_negative_numbers = true, long, short = 'n', default_value_t = 10_000, value_name = "N", value_parser = agents)]
    pub(crate) agents: u32,
    /// Number of frames to measure, at 60 Hz
    #[arg(allow_negative_numbers = true, long, short, default_value_t = 300, value_name = "F", value_parser = frames)]
    pub(crate) frames: u32,
    /// The seed of all random numbers: the same seed gives the same run
    #[arg(allow_negative_numbers = true, long, default_value_t = 1, value_name = "SEED", value_parser = seed)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Files, and directories of .ron files; `-` is standard input
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Exit with 1 for warnings too
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    /// Apply the fixes that need no decision: every "did you mean", and every "write .." with one
    /// possible text
    #[arg(long)]
    pub(crate) fix: bool,
    /// With --fix: write nothing, and show the changes as a unified diff; with a --format for
    /// programs, the diff goes to standard error
    #[arg(long, requires = "fix")]
    pub(crate) diff: bool,
    /// Check again whenever a file changes, until Ctrl-C
    #[arg(long, conflicts_with = "fix")]
    pub(crate) watch: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t = CheckFormat::Text)]
    pub(crate) format: CheckFormat,
    /// Check against the leaves of this manifest instead of the program's own; `-` is standard
    /// input
    #[arg(long, value_name = "FILE")]
    pub(crate) leaves: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// Reports for people
    Text,
    /// One JSON object
    Json,
    /// Workflow commands for GitHub, which shows each problem at its line
    Github,
    /// A SARIF 2.1.0 log, for code scanning
    Sarif,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The code, such as `P0305`; default: list all codes
    pub(crate) code: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// Two files, or two directories of .ron files; `-` is standard input. With --git: one path;
    /// default: the current directory
    #[arg(value_name = "PATH", num_args = 0..=2)]
    pub(crate) paths: Vec<PathBuf>,
    /// Compare this revision with the files on disk, or compare two revisions: `HEAD~1`, `v1..v2`
    #[arg(long, value_name = "REVISION")]
    pub(crate) git: Option<String>,
    /// Use the leaves of this manifest instead of the program's own; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) leaves: Option<PathBuf>,
    /// The format of the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Draw the changes in one tree as an SVG picture
    #[arg(long, conflicts_with = "format")]
    pub(crate) svg: bool,
    /// Write to this file instead of standard output. An existing file is replaced, but never a
    /// tree
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Lines for people
    Text,
    /// One JSON object for programs
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The tree; `-` is standard input
    pub(crate) file: PathBuf,
    /// Use the leaves of this manifest instead of the program's own; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) leaves: Option<PathBuf>,
    /// Draw in Graphviz's DOT language, for `dot`
    #[arg(long, conflicts_with = "svg")]
    pub(crate) dot: bool,
    /// Draw as an SVG picture
    #[arg(long)]
    pub(crate) svg: bool,
    /// Where children are drawn, in Graphviz and SVG
    #[arg(long, value_enum, default_value_t = Towards::Fit, value_name = "SIDE")]
    pub(crate) direction: Towards,
    /// Show how often each node was started and how it ended, read from a file that
    /// `--coverage-json` of `test` or `run` wrote. In pictures, nodes that never started are grey
    #[arg(long, value_name = "FILE")]
    pub(crate) coverage: Option<PathBuf>,
    /// Draw only this many levels
    #[arg(allow_negative_numbers = true, long, value_name = "N", value_parser = levels)]
    pub(crate) depth: Option<usize>,
    /// Draw only this node and the nodes below it. Give its name, id or number, its path (such as
    /// `Selector/fight[1]`) or the end of the path, or the name of an instance
    #[arg(long, value_name = "PATH")]
    pub(crate) node: Option<String>,
    /// Write to this file instead of standard output. An existing drawing is replaced, but never a
    /// tree
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    /// The tree; `-` is standard input
    pub(crate) file: PathBuf,
    /// What happens: steps with `;` between them, as in "tick; set wolf true; tick"
    #[arg(required_unless_present = "script_file", conflicts_with = "script_file")]
    pub(crate) script: Option<String>,
    /// Read the script from this file; `-` is standard input
    #[arg(long = "script", value_name = "FILE")]
    pub(crate) script_file: Option<PathBuf>,
    /// Print the script as a case of a test file that expects the nodes running after each step,
    /// instead of printing what happens
    #[arg(long)]
    pub(crate) as_test: bool,
    /// Use the leaves of this manifest instead of the program's own; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) leaves: Option<PathBuf>,
    /// The seed of all random numbers: the same seed gives the same run
    #[arg(allow_negative_numbers = true, long, default_value_t = 1, value_name = "SEED", value_parser = seed)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Test files, and directories of .test.ron files
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Run only cases whose "FILE: NAME" contains this text
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Write the golden files of cases that otherwise pass, instead of comparing with them
    #[arg(long)]
    pub(crate) bless: bool,
    /// Number of cases to run in parallel [default: one per processor]
    #[arg(allow_negative_numbers = true, long, short, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<u32>,
    #[command(flatten)]
    pub(crate) coverage: CoverageArgs,
    /// Exit with 1 if less than this percentage of nodes was started, counted over all trees in the
    /// directories and all trees that the cases play
    #[arg(allow_negative_numbers = true, long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) fail_under: Option<f64>,
    /// Exit with 1 if a node was never started: the same as `--fail-under 100`
    #[arg(long, conflicts_with = "fail_under")]
    pub(crate) all_nodes: bool,
    /// Also write the results to this file, in JUnit format
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Use the leaves of this manifest instead of the program's own
    #[arg(long, value_name = "FILE")]
    pub(crate) leaves: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct BakeArgs {
    /// Files, and directories of .ron files
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// The output directory: `guard.ron` becomes `guard.baked` in it
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) into: PathBuf,
    /// Use the leaves of this manifest instead of the program's own; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) leaves: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct NodesArgs {
    /// Show everything about this node, leaf or function of expressions
    pub(crate) name: Option<String>,
    /// Use the leaves of this manifest instead of the program's own; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) leaves: Option<PathBuf>,
    /// Write what is known about the leaves as a manifest, for `--leaves`
    #[arg(long, conflicts_with_all = ["name", "schema"])]
    pub(crate) manifest: bool,
    /// Write a JSON Schema of trees with these leaves, for tools that build forms from it
    #[arg(long, conflicts_with = "name")]
    pub(crate) schema: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LspArgs {
    /// Use the leaves of this manifest instead of the program's own
    #[arg(long, value_name = "FILE")]
    pub(crate) leaves: Option<PathBuf>,
    /// Accepted because editors add it: standard input and output are always used
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Towards {
    /// Below their parent, or as an outline if that would be wider than 850 pixels
    Fit,
    /// Below their parent
    Down,
    /// To its right
    Right,
    /// In lines below their parent, indented; at most 850 pixels wide
    Outline,
}

/// A number of agents.
fn agents(text: &str) -> Result<u32, String> {
    whole(text, 1, MAX_AGENTS)
}

/// The number of an agent. The run checks that the agent exists.
fn agent(text: &str) -> Result<u32, String> {
    whole(text, 0, MAX_AGENTS - 1)
}

fn frames(text: &str) -> Result<u32, String> {
    whole(text, 1, MAX_FRAMES)
}

fn percent(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|it| (0.0..=100.0).contains(it));
    percent.ok_or_else(|| format!("`{text}` is not a number from 0 to 100"))
}

fn jobs(text: &str) -> Result<u32, String> {
    whole(text, 1, 1_024)
}

fn levels(text: &str) -> Result<usize, String> {
    whole(text, 1, 1_000).map(|it| it as usize)
}

fn hertz(text: &str) -> Result<u32, String> {
    whole(text, 1, MAX_HZ)
}

fn whole(text: &str, least: u32, most: u32) -> Result<u32, String> {
    if !is_whole(text) {
        return Err(format!("`{text}` is not a whole number"));
    }
    // A number that does not fit in the type is not in the range either.
    text.parse()
        .ok()
        .filter(|it| (least..=most).contains(it))
        .ok_or_else(|| format!("{text} is not in the range {least} to {most}"))
}

fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit())
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    // A NaN is in no range.
    if seconds > 0.0 && seconds <= MAX_SECONDS {
        Ok(seconds)
    } else {
        Err(format!("a run lasts more than 0 and at most {MAX_SECONDS} seconds"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn a_crowd_has_a_sensible_size() {
        assert_eq!((agents("1"), agents("250000"), agents("+7")), (Ok(1), Ok(MAX_AGENTS), Ok(7)));
        for bad in ["0", "-1", "250001", "4000000000", "99999999999999999999", "", "-", "many", "1e3", "1.5", "٣"] {
            assert!(agents(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_run_lasts_a_sensible_time() {
        assert_eq!(seconds("0.5"), Ok(0.5));
        for bad in ["0", "-1", "NaN", "inf", "1e9", "", "1m"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
