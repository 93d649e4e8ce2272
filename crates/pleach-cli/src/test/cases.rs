//! Cases, from test files to their results.

use std::collections::BTreeMap;
use std::fs;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pleach::asset::CheckOnly;
use pleach::tools::kinds::NodeKind;
use pleach::tools::names::nearest;
use pleach::tools::ron::Problem;
use pleach::tools::text::plain;
use pleach::{Host, Registry, Report, Save};

use super::file::{self, At, Deed, Stub, TestFile};
use super::golden::{self, Golden};
use super::plan::{Plan, plan, problem};
use super::play::{Failed, NodeHistory, Played, play};
use crate::failure::Failure;
use crate::files::{self, TreeFile, is_tree};
use crate::leaves::registry;
use crate::paths::{directory_of, shown};
use crate::stage::{Answer, InWorld, Loaded, Paper, Whom, whom};
use crate::unknown::{self, Leaves};
use crate::world::World;

/// The files of a run, and which of their cases are run.
#[derive(Debug, Default)]
pub(crate) struct Tests {
    pub(crate) files: Vec<TestFile>,
    /// The files that could not be read, and why.
    pub(crate) broken: Vec<(String, String)>,
    pub(crate) selected: Vec<CaseAt>,
    /// How many cases are not run.
    pub(crate) left_out: usize,
    /// The texts of files that are not to be read from the disk, by their names.
    pub(crate) texts: BTreeMap<String, String>,
    /// Cases whose golden file is that of another case.
    shared: BTreeMap<CaseAt, Problem>,
}

/// The file and the case, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CaseAt {
    pub(crate) file: usize,
    pub(crate) case: usize,
}

/// A case that was run.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) at: CaseAt,
    pub(crate) ended: Ended,
    pub(crate) took: Duration,
}

/// How a case ended.
#[derive(Debug)]
pub(crate) enum Ended {
    Passed {
        /// Something else to report.
        note: Option<String>,
        seen: Covered,
    },
    Failed(Failed, Covered),
    /// Names that do not exist.
    Broken(Vec<Problem>),
    /// What is wrong with its tree.
    Tree(String),
    /// It could not continue.
    Stopped(String),
}

impl Ended {
    pub(crate) fn is_passed(&self) -> bool {
        matches!(self, Ended::Passed { .. })
    }

    /// What it did in its tree.
    pub(crate) fn covered(&self) -> Option<&Covered> {
        match self {
            Ended::Passed { seen, .. } | Ended::Failed(_, seen) => Some(seen),
            Ended::Broken(_) | Ended::Tree(_) | Ended::Stopped(_) => None,
        }
    }
}

/// What a case did in its tree.
#[derive(Debug)]
pub(crate) struct Covered {
    /// The file of the tree.
    pub(crate) tree: PathBuf,
    pub(crate) seen: NodeHistory,
    pub(crate) paths: Arc<[String]>,
    /// The files of the instances in it.
    pub(crate) includes: Vec<String>,
}

/// Where trees can be played with the leaves of the game.
pub(crate) trait Place<H: Host>: Sync {
    /// # Errors
    /// The program has no such world, or the case cannot continue there.
    fn play(&self, job: &Job<'_, H>) -> Result<Played, String>;
}

/// A case that is ready.
pub(crate) struct Job<'a, H: Host> {
    loaded: &'a Loaded<H>,
    plan: &'a Plan,
    case: &'a file::Case,
}

/// No world.
pub(crate) struct NoWorld;
impl<H: Host> Place<H> for NoWorld {
    fn play(&self, _: &Job<'_, H>) -> Result<Played, String> {
        Err("the case is to be played in a world, and this program has none: leave out `world`".into())
    }
}

/// The world of the program.
pub(crate) struct InThatWorld<W>(PhantomData<fn() -> W>);
impl<W> InThatWorld<W> {
    pub(crate) fn new() -> Self {
        InThatWorld(PhantomData)
    }
}
impl<W: World> Place<W::Host> for InThatWorld<W> {
    fn play(&self, job: &Job<'_, W::Host>) -> Result<Played, String> {
        let Job { loaded, plan, case } = job;
        let run = || {
            let mut scene: InWorld<W> = InWorld::begin(&loaded.tree, case.seed, case.others)?;
            play(&mut scene, plan, &loaded.answers, &case.name.span, case.dt, case.golden.is_some())
        };
        // Code of the game runs here.
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|it| (*it).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Err(format!("{} panicked: {text}", W::NAME))
        })
    }
}

/// The leaves that cases know.
pub(crate) struct Known<'a, H: Host> {
    pub(crate) own: &'a Registry<H>,
    pub(crate) paper: Registry<CheckOnly>,
    leaves: Leaves<'a>,
}

impl<'a, H: Host> Known<'a, H> {
    /// Those of a manifest, or else those of the program and any others.
    ///
    /// # Errors
    /// The manifest cannot be read.
    pub(crate) fn new(own: &'a Registry<H>, game: &'a str, manifest: Option<&'a Path>) -> Result<Self, Failure> {
        let paper = match manifest {
            Some(file) => registry(file, [])?,
            None => {
                let mut paper = own.check_only();
                paper.allow_any_leaf(true);
                paper
            }
        };
        Ok(Known { own, paper, leaves: Leaves::new(manifest, game) })
    }

    /// An unknown leaf of the tree for which the case has no answer, if its name is like that of a
    /// node, which was probably meant.
    pub(super) fn misspelt(&self, case: &file::Case, loaded: &Loaded) -> Option<Problem> {
        let is_known = |it: &str| self.paper.contains(it) || case.leaves.iter().any(|leaf| leaf.0.it == it);
        let built_in = NodeKind::ALL.into_iter().filter(|it| it.is_built_in()).map(|it| -> &str { it.name() });
        let mut names: Vec<&str> = self.paper.names().collect();
        names.extend(built_in);
        loaded.leaves.keys().filter(|it| !is_known(it)).find_map(|leaf| {
            let near = nearest(leaf, names.iter().copied())?;
            let message = format!("the tree has an unknown leaf `{}`", plain(leaf));
            let help =
                format!("did you mean `{near}`? If it is a leaf of the game, say under `leaves` what it answers");
            Some(Problem::new(&case.tree.span, message).help(help))
        })
    }

    /// What is wrong with a tree, and only once what to do about leaves of another game.
    fn told(&self, report: &Report) -> String {
        let help = unknown::help([report], self.leaves).map(|it| format!("\nhelp: {it}\n")).unwrap_or_default();
        format!("\n{}\n{help}", report.styled())
    }
}

impl Tests {
    /// Selects the cases whose `FILE: NAME` contains a text, or all.
    pub(crate) fn select(&mut self, filter: Option<&str>) {
        for (file, it) in self.files.iter().enumerate() {
            for (case, its) in it.cases.iter().enumerate() {
                let is_wanted = filter.is_none_or(|text| format!("{}: {}", it.name, its.name.it).contains(text));
                if is_wanted {
                    self.selected.push(CaseAt { file, case });
                } else {
                    self.left_out += 1;
                }
            }
        }
    }

    /// Notes the cases whose golden file is that of another case, selected or not.
    pub(crate) fn refuse_shared_goldens(&mut self) {
        let mut first: BTreeMap<PathBuf, String> = BTreeMap::new();
        for (file, it) in self.files.iter().enumerate() {
            for (case, its) in it.cases.iter().enumerate() {
                let Some(golden) = &its.golden else { continue };
                let path = golden::path(&it.name, &golden.it);
                let (line, _) = it.document.place(its.name.span.start);
                let place = format!("`{}` ({}:{line})", its.name.it, it.name);
                if let Some(other) = first.get(&golden::resolved(&path)) {
                    let message = format!("the golden file `{}` is that of another case: {other}", golden.it);
                    let problem = Problem::new(&golden.span, message).help("give each case a file of its own");
                    self.shared.insert(CaseAt { file, case }, problem);
                } else {
                    first.insert(golden::resolved(&path), place);
                }
            }
        }
    }

    /// Runs a case.
    pub(crate) fn run<H: Host, P: Place<H>>(&self, at: CaseAt, known: &Known<'_, H>, place: &P, bless: bool) -> Ended {
        let file = &self.files[at.file];
        let case = &file.cases[at.case];
        let golden = match self.golden(at) {
            Ok(golden) => golden,
            Err(problem) => return Ended::Broken(vec![*problem]),
        };
        let save = match case.begin.as_ref().map(|it| begin(&file.name, it)).transpose() {
            Ok(save) => save,
            Err(problem) => return Ended::Broken(vec![*problem]),
        };
        let tree = beside(&file.name, &case.tree.it);
        let mut source = match TreeFile::among(&self.texts, &tree) {
            Ok(source) => source,
            Err(failure) => {
                let directory = directory_of(&tree);
                let beside = self.texts.keys().map(PathBuf::from).filter(|it| directory_of(it) == directory);
                let problem = Problem::new(&case.tree.span, failure.to_string());
                let found = found_beside(&tree).into_iter().chain(beside);
                return Ended::Broken(vec![with_near_tree(problem, &case.tree.it, found)]);
            }
        };
        let played = if case.world {
            match Loaded::in_world(|it| source.load(it), known.own, case.stubs()) {
                Ok(loaded) => run(case, &loaded, |job| place.play(job)),
                Err(report) => return Ended::Tree(known.told(&report)),
            }
        } else {
            match Loaded::read(|it| source.load(it), &known.paper, case.conditions()) {
                Ok(loaded) => known
                    .misspelt(case, &loaded)
                    .map_or(Ok(()), |it| Err(Box::new(Ended::Broken(vec![it]))))
                    .and_then(|()| {
                        run(case, &loaded, |Job { loaded, plan, case }| {
                            let mut scene = match &save {
                                Some(save) => Paper::restored(&loaded.tree, save)
                                    .map_err(|it| format!("cannot begin with the save: {it}"))?,
                                None => Paper::begin(&loaded.tree, case.seed, case.others)?,
                            };
                            play(&mut scene, plan, &loaded.answers, &case.name.span, case.dt, case.golden.is_some())
                        })
                    }),
                Err(report) => return Ended::Tree(known.told(&report)),
            }
        };
        let (played, paths, includes) = match played {
            Ok(it) => it,
            Err(ended) => return *ended,
        };
        let Played { failed, ticks, seen, trace } = played;
        let covered = Covered { tree, seen, paths, includes };
        if let Some(failed) = failed {
            return Ended::Failed(failed, covered);
        }
        match golden.zip(trace).map(|(golden, trace)| golden.judge(&trace, bless, ticks)) {
            None | Some(Ok(None)) => Ended::Passed { note: None, seen: covered },
            Some(Ok(note)) => Ended::Passed { note, seen: covered },
            Some(Err(failed)) => Ended::Failed(*failed, covered),
        }
    }

    fn golden(&self, at: CaseAt) -> Result<Option<Golden>, Box<Problem>> {
        if let Some(problem) = self.shared.get(&at) {
            return Err(Box::new(problem.clone()));
        }
        let (file, case) = (&self.files[at.file], &self.files[at.file].cases[at.case]);
        case.golden.as_ref().map(|it| Golden::new(file, case, it)).transpose().map_err(Box::new)
    }
}

/// The save in which a case begins.
fn begin(file: &str, name: &At<String>) -> Result<Save, Box<Problem>> {
    let path = beside(file, &name.it);
    let wrong = |message: String| Box::new(Problem::new(&name.span, message));
    let bytes = files::read_bytes(&path).map_err(|it| wrong(it.to_string()))?;
    let bytes = bytes.strip_prefix(files::MARK.as_bytes()).unwrap_or(&bytes);
    serde_json::from_slice(bytes).map_err(|it| wrong(format!("`{}` is not a save: {it}", shown(&path))))
}

/// What leaves answer at first.
type Answered<'c> = Vec<(Whom, &'c Answer)>;

type Run = Result<(Played, Arc<[String]>, Vec<String>), Box<Ended>>;

/// Looks up the names of a case, and plays it.
fn run<H: Host>(
    case: &file::Case,
    loaded: &Loaded<H>,
    play: impl FnOnce(&Job<'_, H>) -> Result<Played, String>,
) -> Run {
    let (plan, answers) = looked_up(case, loaded).map_err(|it| Box::new(Ended::Broken(it)))?;
    for (whom, answer) in answers {
        loaded.answers.say(whom, answer.clone());
    }
    let paths = Arc::clone(&plan.paths);
    let played = play(&Job { loaded, plan: &plan, case });
    let includes = loaded.tree.instances().filter_map(|it| it.file()).map(ToOwned::to_owned).collect();
    played.map(|it| (it, paths, includes)).map_err(|it| Box::new(Ended::Stopped(it)))
}

/// The names of a case in its tree: the plan to play, and the first answers of leaves.
///
/// # Errors
/// All names that do not exist.
pub(super) fn looked_up<'c, H: Host>(
    case: &'c file::Case,
    loaded: &Loaded<H>,
) -> Result<(Plan, Answered<'c>), Vec<Problem>> {
    let (mut wrong, mut stubbed) = (Vec::new(), Vec::new());
    for (at, (name, stub)) in case.leaves.iter().enumerate() {
        match (stub, whom(&loaded.tree, &loaded.leaves, &name.it)) {
            // The file's settings are for its tree. A case with another tree ignores those that do
            // not fit.
            (_, Err(_)) if at < case.shared_leaves && !case.has_file_tree => {}
            (_, Err(message)) => wrong.push(problem(name, &message)),
            (Stub::Answer(answer), Ok(whom)) => stubbed.push((whom, answer)),
            (Stub::Own, Ok(_)) if case.world => {}
            (Stub::Own, Ok(_)) => {
                let help = "play the case in the world of the program with `world: true`";
                wrong.push(Problem::new(&name.span, "a leaf has its own answer in a world only").help(help));
            }
        }
    }
    // In a world the other leaves are those of the game, and answer as they like.
    for it in case.steps.iter().flat_map(|it| &it.deeds).filter(|_| case.world) {
        let Deed::Answer(name, _) = &it.it else { continue };
        let Ok(whom) = whom(&loaded.tree, &loaded.leaves, name) else { continue };
        let is_stubbed = |it: &Whom| *it == whom || matches!(it, Whom::Leaf(leaf) if leaf == whom.leaf());
        if !stubbed.iter().any(|it| is_stubbed(&it.0)) {
            let message = format!("`{}` does what it does in the world, and cannot answer later", plain(name));
            wrong.push(Problem::new(&it.span, message).help("say under `leaves` what it answers at first"));
        }
    }
    let plan = plan(case, &loaded.tree, &loaded.leaves, &mut wrong);
    if case.expects_nothing {
        let help = "say in a step what holds then: `running: \"node\"`";
        wrong.push(Problem::new(&case.name.span, "the case expects nothing, so it cannot fail").help(help));
    }
    if wrong.is_empty() { Ok((plan, stubbed)) } else { Err(wrong) }
}

/// The files in the directory of a missing tree.
fn found_beside(tree: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory_of(tree)).into_iter().flatten();
    entries.filter_map(|it| Some(it.ok()?.path())).collect()
}

/// The problem of a missing tree, with a hint if one of the `files` in its directory is a tree with
/// a similar name.
pub(super) fn with_near_tree(problem: Problem, written: &str, files: impl IntoIterator<Item = PathBuf>) -> Problem {
    let name = |it: &Path| it.file_name().and_then(|it| it.to_str()).map(ToOwned::to_owned);
    let mut names: Vec<String> = files.into_iter().filter(|it| is_tree(it)).filter_map(|it| name(&it)).collect();
    names.sort_unstable();
    let wanted = name(Path::new(written)).unwrap_or_default();
    match nearest(&wanted, names.iter().map(String::as_str)).filter(|it| *it != wanted) {
        Some(near) => {
            let near = files::name(&Path::new(written).with_file_name(near));
            problem.help(format!("did you mean `{}`?", plain(&near)))
        }
        None => problem,
    }
}

/// The path of a file that a test file names.
pub(crate) fn beside(file: &str, name: &str) -> PathBuf {
    files::name(&Path::new(file).parent().unwrap_or(Path::new("")).join(name)).into()
}
