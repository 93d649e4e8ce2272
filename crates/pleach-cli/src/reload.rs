//! `pleach run --reload`: takes over changes of a tree's files while it runs.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::builder::styling::Style;
use pleach::asset::Described;
use pleach::tools::text::plain;
use pleach::trace::NoTracer;
use pleach::{Host, Library, Registry, Report, Tree};

use crate::args::RunArgs;
use crate::ctrl_c::CtrlC;
use crate::failure::Failure;
use crate::files::{self, Disk, TreeFile, told_of_tree};
use crate::memory;
use crate::pace::Pace;
use crate::paint::{BAD, FAINT, GOOD, Parts, STRONG, painted};
use crate::paths::shown;
use crate::play::{Watchers, Witness};
use crate::unknown::Leaves;
use crate::world::World;

/// How often the files are looked at.
const EVERY: Duration = Duration::from_millis(100);
/// How many files are named. The others are counted.
const NAMED: usize = 4;

/// The files of the tree that is played.
pub(crate) struct Reload<'r, H: Host> {
    /// The name of the tree's own file.
    name: String,
    library: Library<Disk>,
    registry: &'r Registry<H>,
    agents: u32,
    began: Option<Instant>,
    looked: Instant,
}

/// A tree that is to be played.
pub(crate) struct Start<'r, H: Host> {
    pub(crate) tree: Tree<H>,
    /// Where its nodes are written, if that is to be known.
    pub(crate) described: Option<Described<H>>,
    /// The texts of its files, by their names.
    pub(crate) texts: Vec<(String, String)>,
    /// Its files, if they are to be looked at.
    pub(crate) reload: Option<Reload<'r, H>>,
}

/// What became of a change.
pub(crate) struct News<H: Host> {
    /// In some lines.
    lines: Vec<Parts>,
    /// What is wrong with the files.
    report: Option<Report>,
    /// The tree that is played now, if it is another one.
    pub(crate) tree: Option<Arc<Tree<H>>>,
}

impl<'r, H: Host> Reload<'r, H> {
    /// The tree that the arguments name.
    pub(crate) fn load(registry: &'r Registry<H>, game: &str, args: &RunArgs) -> Result<Start<'r, H>, Failure> {
        let told = |it| told_of_tree(&it, Leaves::OfProgram(game));
        let is_described = args.coverage.is_wanted();
        if !args.reload {
            let mut file = TreeFile::read(&args.file)?;
            let tree = file.load(registry).map_err(told)?;
            let described = is_described.then(|| file.describe(registry)).transpose().map_err(told)?;
            return Ok(Start { tree, described, texts: file.texts(), reload: None });
        }
        let (tree, library) = files::follow(registry, &args.file, Leaves::OfProgram(game))?;
        let name = files::name(&args.file);
        let reload = Reload { name, library, registry, agents: args.agents, began: None, looked: Instant::now() };
        let described = is_described.then(|| reload.describe()).transpose().map_err(told)?;
        Ok(Start { tree, described, texts: reload.texts(), reload: Some(reload) })
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

    /// Looks whether a file has changed, unless that is not long ago, and lets the game go on with
    /// the new tree. If it is broken, the game keeps the one that it has.
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
        let mut news = News { lines: Vec::new(), report: changes.report, tree: None };
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
    /// All of it, for printing.
    pub(crate) fn text(&self) -> String {
        let lines = self.lines.iter().map(|it| painted(it));
        lines.chain(self.report.as_ref().map(|it| it.styled().to_string())).collect::<Vec<_>>().join("\n")
    }

    /// All of it, for a screen: a line for each problem.
    pub(crate) fn into_lines(self) -> Vec<Parts> {
        let mut lines = self.lines;
        let report = self.report.map(|it| it.plain()).unwrap_or_default();
        lines.extend(report.lines().map(|it| vec![(Style::new(), format!("  {it}"))]));
        lines
    }
}
