//! `pleach run --reload`: applies changes of a tree's files while it runs.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::builder::styling::Style;
use pleach::asset::Described;
use pleach::tools::text::plain;
use pleach::trace::NoTracer;
use pleach::{Host, Library, Registry, Report, Tree};

use crate::args::{Format, RunArgs};
use crate::ctrl_c::CtrlC;
use crate::failure::{Failure, say};
use crate::files::{self, Disk, TreeFile, told_of_tree};
use crate::memory;
use crate::pace::Pace;
use crate::paint::{BAD, FAINT, GOOD, Parts, STRONG, painted};
use crate::paths::shown;
use crate::play::{Watchers, Witness};
use crate::unknown::Leaves;
use crate::world::World;

/// How often the files are checked for changes.
const EVERY: Duration = Duration::from_millis(100);
/// How many files are named. The others are only counted.
const NAMED: usize = 4;

/// The files of the tree that is played.
pub(crate) struct Reload<'r, H: Host> {
    /// The name of the tree's own file.
    name: String,
    library: Library<Disk>,
    registry: &'r Registry<H>,
    agents: u32,
    /// Whether to print how many warnings a tree has.
    tells_warnings: bool,
    began: Option<Instant>,
    looked: Instant,
}

/// A tree to play.
pub(crate) struct Start<'r, H: Host> {
    pub(crate) tree: Tree<H>,
    /// Where its nodes are written, if needed.
    pub(crate) described: Option<Described<H>>,
    /// The texts of its files, by their names.
    pub(crate) texts: Vec<(String, String)>,
    /// Its files, if they are followed.
    pub(crate) reload: Option<Reload<'r, H>>,
}

/// The result of a change.
pub(crate) struct News<H: Host> {
    /// As lines.
    lines: Vec<Parts>,
    /// The problems of the files.
    report: Option<Report>,
    /// How many warnings the new tree has, in a line.
    warnings: Option<Parts>,
    /// The new tree, if it has changed.
    pub(crate) tree: Option<Arc<Tree<H>>>,
}

impl<'r, H: Host> Reload<'r, H> {
    /// The tree that the arguments name.
    pub(crate) fn load(registry: &'r Registry<H>, game: &str, args: &RunArgs) -> Result<Start<'r, H>, Failure> {
        let told = |it| told_of_tree(&it, Leaves::OfProgram(game));
        let is_described = args.coverage.is_wanted();
        let tells_warnings = args.format == Format::Text;
        if !args.reload {
            let mut file = TreeFile::read(&args.file)?;
            let tree = file.load(registry).map_err(told)?;
            let described = is_described.then(|| file.describe(registry)).transpose().map_err(told)?;
            if tells_warnings {
                file.tell_warnings(registry, None);
            }
            return Ok(Start { tree, described, texts: file.texts(), reload: None });
        }
        let (tree, library) = files::follow(registry, &args.file, Leaves::OfProgram(game))?;
        let name = files::name(&args.file);
        let (agents, looked) = (args.agents, Instant::now());
        let reload = Reload { name, library, registry, agents, tells_warnings, began: None, looked };
        reload.warnings().into_iter().for_each(|it| say(painted(&it)));
        let described = is_described.then(|| reload.describe()).transpose().map_err(told)?;
        Ok(Start { tree, described, texts: reload.texts(), reload: Some(reload) })
    }

    /// How many warnings the tree has, in a line, if that is to be printed.
    fn warnings(&self) -> Option<Parts> {
        let checked = || self.library.check_files(std::slice::from_ref(&self.name), self.registry);
        self.tells_warnings.then(checked).and_then(|it| files::warnings(&it, Path::new(&self.name), None))
    }

    /// The texts of the tree's files, by their names.
    pub(crate) fn texts(&self) -> Vec<(String, String)> {
        self.library.source().texts()
    }

    /// Where the nodes of the tree are written now.
    pub(crate) fn describe(&self) -> Result<Described<H>, Report> {
        self.library.describe(&self.name, self.registry)
    }

    /// Waits until it is time for a frame in real time, or until Ctrl-C is pressed. The first one
    /// begins at once; a run that has fallen behind does not wait.
    pub(crate) fn wait(&mut self, pace: Pace, frame: u32, ctrl_c: &CtrlC) {
        let began = *self.began.get_or_insert_with(Instant::now);
        let due = Duration::from_secs_f64(pace.seconds(frame - 1));
        while let Some(left) = due.checked_sub(began.elapsed()).filter(|it| !it.is_zero()) {
            if ctrl_c.pressed() {
                return;
            }
            std::thread::sleep(left.min(EVERY));
        }
    }

    /// Checks at intervals whether a file has changed, and gives the game the new tree. If that is
    /// broken, the game keeps its tree.
    pub(crate) fn look<W: World<Host = H>>(&mut self, game: &mut W, witness: Option<Witness<'_>>) -> Option<News<H>> {
        let mut watchers: Option<Watchers<'_>> = witness.map(|it| (Some(it), None));
        if self.looked.elapsed() < EVERY {
            return None;
        }
        self.looked = Instant::now();
        let changes = self.library.poll(self.registry);
        if changes.is_empty() {
            return None;
        }
        let mut files: Vec<String> = changes.files.iter().take(NAMED).map(|it| shown(Path::new(it))).collect();
        if changes.files.len() > NAMED {
            files.push(format!("and {} more", changes.files.len() - NAMED));
        }
        let mut heading = vec![(STRONG, "reload".to_owned()), (Style::new(), format!("  {}", files.join(", ")))];
        let mut news = News { lines: Vec::new(), report: changes.report, warnings: None, tree: None };
        let mut refused = None;
        for (_, tree) in changes.trees {
            let fits = memory::refuse_too_large::<W>(&tree, self.agents, 1).map_err(|it| it.to_string());
            let replaced = fits.and_then(|()| {
                let replaced = match &mut watchers {
                    Some(it) => game.replace_tree(Arc::clone(&tree), it),
                    None => game.replace_tree(Arc::clone(&tree), &mut NoTracer),
                };
                replaced.map_err(|it| it.to_string())
            });
            match replaced {
                Ok(report) => {
                    let told = report.to_string();
                    news.lines.extend(told.lines().map(|it| vec![(Style::new(), format!("  {it}"))]));
                    news.tree = Some(tree);
                }
                Err(why) => refused = Some(why),
            }
        }
        news.warnings = news.tree.as_ref().and_then(|_| self.warnings());
        heading.push(match news.tree {
            Some(_) => (GOOD, "  reloaded".to_owned()),
            None => (BAD, "  rejected".to_owned()),
        });
        if news.tree.is_none() {
            heading.push((FAINT, "; the old tree keeps running".to_owned()));
        }
        news.lines.insert(0, heading);
        news.lines.extend(refused.map(|it| vec![(BAD, "  error: ".to_owned()), (Style::new(), plain(&it).into())]));
        Some(news)
    }
}

impl<H: Host> News<H> {
    /// Prints on standard error how many warnings the new tree has.
    pub(crate) fn tell_warnings(&self) {
        self.warnings.iter().for_each(|it| say(painted(it)));
    }

    /// Everything except the warnings, for printing.
    pub(crate) fn text(&self) -> String {
        let lines = self.lines.iter().map(|it| painted(it));
        lines.chain(self.report.as_ref().map(|it| it.styled().to_string())).collect::<Vec<_>>().join("\n")
    }

    /// What the studio does not see by itself: that a tree was rejected, and why; or that a new one
    /// waits for the next frame of a stopped game.
    pub(crate) fn for_studio(&self, is_stopped: bool) -> String {
        if self.tree.is_some() {
            let waits = "The tree is reloaded. The agents go on with it in the next frame.";
            return if is_stopped { waits.to_owned() } else { String::new() };
        }
        let line = |it: &Parts| it.iter().map(|it| it.1.as_str()).collect::<String>();
        let mut lines: Vec<String> = self.lines.iter().map(line).collect();
        lines.extend(self.report.as_ref().map(Report::plain));
        lines.join("\n")
    }

    /// Everything, for a screen: a line for each problem.
    pub(crate) fn into_lines(self) -> Vec<Parts> {
        let mut lines = self.lines;
        let report = self.report.map(|it| it.plain()).unwrap_or_default();
        lines.extend(report.lines().map(|it| vec![(Style::new(), format!("  {it}"))]));
        lines.extend(self.warnings);
        lines
    }
}
