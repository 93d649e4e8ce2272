//! [`Program`]: the commands over a game's leaves and world.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use pleach::{Host, Registry};

use crate::args::{Cli, Command};
use crate::failure::Failure;
use crate::help::Named;
#[cfg(feature = "studio")]
use crate::studio;
use crate::world::World;
use crate::{bake, bench, check, diff, explain, export, fmt, import, lsp, new, nodes, replay, run, script, show, test};

/// The name of a game without a world.
const NO_WORLD: &str = "the game";

/// A program with the commands of `pleach`, over the leaves of a game. The documentation of the
/// crate has an example.
#[derive(Debug)]
pub struct Program<H: Host> {
    registry: Registry<H>,
    name: &'static str,
    version: &'static str,
    about: Option<&'static str>,
    examples: Vec<(&'static str, &'static str)>,
    trees: &'static [(&'static str, &'static str)],
}

impl<H: Host> Program<H> {
    /// A program of that name, as it is typed, with these leaves.
    #[must_use]
    pub fn new(name: &'static str, registry: Registry<H>) -> Self {
        Program { registry, name, version: "", about: None, examples: Vec::new(), trees: &[] }
    }

    /// Sets the output of `--version`, which is empty by default.
    #[must_use]
    pub fn version(mut self, version: &'static str) -> Self {
        self.version = version;
        self
    }

    /// Sets the description of the program in its help.
    #[must_use]
    pub fn about(mut self, about: &'static str) -> Self {
        self.about = Some(about);
        self
    }

    /// Replaces the examples in the help of a command: `run` with the name of a tree of the game,
    /// say.
    #[must_use]
    pub fn examples(mut self, command: &'static str, examples: &'static str) -> Self {
        self.examples.push((command, examples));
        self
    }

    /// The trees that come with the program, for `new`: their texts by their names below `trees`.
    #[must_use]
    pub fn trees(mut self, trees: &'static [(&'static str, &'static str)]) -> Self {
        self.trees = trees;
        self
    }

    /// Runs the program with the arguments of the process, without a world: `run` and
    /// `bench` then say that there is none, and all other commands work.
    ///
    /// Ends the process if the arguments are wrong, or ask for help.
    #[must_use]
    pub fn main(self) -> ExitCode {
        let done = self.parse(NO_WORLD, false, std::env::args_os()).and_then(|it| self.on_paper(&it, NO_WORLD));
        code(done)
    }

    /// Runs the program with the arguments of the process, in this world.
    ///
    /// Ends the process if the arguments are wrong, or ask for help.
    #[must_use]
    pub fn main_in<W: World<Host = H>>(self) -> ExitCode {
        let done = self.parse(W::NAME, true, std::env::args_os()).and_then(|it| self.in_world::<W>(&it));
        code(done)
    }

    /// Runs each case of test files, and of those in directories, as a test of `cargo test`,
    /// without a world. That is the `main` of a test without a harness (`harness = false`): it
    /// takes the arguments of `cargo test`. With `PLEACH_BLESS=1` it writes golden files.
    ///
    /// ```no_run
    /// # use pleach::{Host, Registry};
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// # fn registry() -> Registry<Game> { Registry::new() }
    /// // tests/trees.rs
    /// fn main() -> std::process::ExitCode {
    ///     pleach_cli::Program::new("meadow", registry()).test(["trees"])
    /// }
    /// ```
    #[must_use]
    pub fn test(self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> ExitCode {
        let paths: Vec<PathBuf> = paths.into_iter().map(Into::into).collect();
        test::run_trials(self.registry, test::NoWorld, NO_WORLD, &paths)
    }

    /// As [`test`](Program::test), in this world where a case says `world: true`.
    #[must_use]
    pub fn test_in<W: World<Host = H> + 'static>(
        self,
        paths: impl IntoIterator<Item = impl Into<PathBuf>>,
    ) -> ExitCode {
        let paths: Vec<PathBuf> = paths.into_iter().map(Into::into).collect();
        test::run_trials(self.registry, test::InThatWorld::<W>::new(), W::NAME, &paths)
    }

    fn command(&self, game: &str, has_world: bool) -> clap::Command {
        let ours = match has_world {
            true => "Runs, measures, checks and draws behaviour trees",
            false => "Checks and draws behaviour trees",
        };
        let about = self.about.unwrap_or(ours);
        let command = Cli::command().name(self.name).bin_name(self.name).about(about).long_about(about);
        let command = if self.version.is_empty() { command } else { command.version(self.version) };
        let command = command.mut_subcommand("new", |it| it.hide(self.trees.is_empty()));
        Named { name: self.name, game, has_world, examples: &self.examples }.dress(command)
    }

    /// Wrong arguments end the program here, with exit code 2.
    fn parse(&self, game: &str, has_world: bool, args: impl IntoIterator<Item = OsString>) -> Result<Command, Failure> {
        let mut command = self.command(game, has_world);
        let mut matches = command.clone().get_matches_from(args);
        match Cli::from_arg_matches_mut(&mut matches) {
            Ok(cli) => Ok(cli.command),
            Err(error) => error.format(&mut command).exit(),
        }
    }

    fn in_world<W: World<Host = H>>(&self, command: &Command) -> Result<(), Failure> {
        match command {
            Command::Run(args) => run::run::<W>(&self.registry, args),
            Command::Bench(args) => bench::bench::<W>(&self.registry, args),
            Command::Test(args) => test::test(&self.registry, &test::InThatWorld::<W>::new(), W::NAME, args),
            _ => self.on_paper(command, W::NAME),
        }
    }

    /// What needs no world.
    fn on_paper(&self, command: &Command, game: &str) -> Result<(), Failure> {
        match command {
            Command::Run(_) | Command::Bench(_) => Err(Failure::Usage(format!(
                "`{}` knows leaves, but has no world to run trees in: it can check, show, play, test, bake and list them",
                self.name
            ))),
            Command::New(args) => new::new(self.trees, self.name, args),
            Command::Check(args) => check::check(&self.registry, game, args),
            Command::Explain(args) => explain::explain(args),
            Command::Fmt(args) => fmt::fmt(args),
            Command::Diff(args) => diff::diff(&self.registry, game, args),
            Command::Show(args) => show::show(&self.registry, game, args),
            Command::Replay(args) => replay::replay(&self.registry, game, args),
            #[cfg(feature = "studio")]
            Command::Studio(args) => studio::studio(&self.registry, game, args),
            Command::Test(args) => test::test(&self.registry, &test::NoWorld, game, args),
            Command::Play(args) => script::script(&self.registry, game, args),
            Command::Bake(args) => bake::bake(&self.registry, game, args),
            Command::Import(args) => import::import(args),
            Command::Export(args) => export::export(&self.registry, game, args),
            Command::Nodes(args) => nodes::nodes(&self.registry, game, args),
            Command::Lsp(args) => lsp::lsp(&self.registry, game, args),
        }
    }
}

fn code(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell();
            failure.code()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::sync::Arc;

    use pleach::inspect::ReplaceReport;
    use pleach::trace::Tracer;
    use pleach::{AgentId, Context, Forest, Status, Tree};

    use super::*;
    use crate::world::{FrameReport, WorldError};

    struct Steps;
    impl Host for Steps {
        type Cx<'a> = u32;
    }

    /// A world that counts steps, and allows a limited number of them.
    struct Road {
        steps: u32,
        most: u32,
        forest: Forest<Steps>,
        agents: Vec<AgentId>,
    }

    impl World for Road {
        type Host = Steps;
        const NAME: &'static str = "the road";

        fn begin(tree: Arc<Tree<Steps>>, agents: u32, seed: u64) -> Result<Self, WorldError> {
            if agents > 100 {
                return Err("100 are the most on a road".into());
            }
            let mut road = Road { steps: 0, most: 500, forest: Forest::new(seed), agents: Vec::new() };
            let tree = road.forest.add_tree(tree)?;
            for _ in 0..agents {
                road.agents.push(road.forest.spawn(&mut road.steps, tree)?);
            }
            Ok(road)
        }
        fn forest(&self) -> &Forest<Steps> {
            &self.forest
        }
        fn forest_mut(&mut self) -> &mut Forest<Steps> {
            &mut self.forest
        }
        fn agents(&self) -> &[AgentId] {
            &self.agents
        }
        fn think<T: Tracer>(&mut self, dt: f32, tracer: &mut T) -> Result<FrameReport, WorldError> {
            Ok(self.forest.traced(tracer).tick(&mut self.steps, dt)?.into())
        }
        fn replace_tree<T: Tracer>(
            &mut self,
            tree: Arc<Tree<Steps>>,
            tracer: &mut T,
        ) -> Result<ReplaceReport, WorldError> {
            let id = self.forest.agent(self.agents[0])?.tree_id();
            Ok(self.forest.traced(tracer).replace_tree(&mut self.steps, id, tree)?)
        }
        fn step(&mut self, _: f32) -> Result<(), WorldError> {
            if self.steps > self.most { Err("the road ends".into()) } else { Ok(()) }
        }
    }

    fn program() -> Program<Steps> {
        let mut registry = Registry::new();
        let step = |cx: &mut Context<'_, '_, Steps>| {
            *cx.host += 1;
            Status::Running
        };
        registry.action_fn("Step", step).unwrap();
        Program::new("road", registry).version("7.0")
    }

    /// The error of the program, in a world or without one.
    fn failure(has_world: bool, args: &[&str]) -> Option<String> {
        let args = ["road"].iter().chain(args).map(OsString::from);
        let program = program();
        let done = match has_world {
            true => program.parse(Road::NAME, true, args).and_then(|it| program.in_world::<Road>(&it)),
            false => program.parse(NO_WORLD, false, args).and_then(|it| program.on_paper(&it, NO_WORLD)),
        };
        done.err().map(|it| it.to_string())
    }

    fn tree(name: &str, root: &str) -> Result<String, Box<dyn Error>> {
        let folder = std::env::temp_dir().join(format!("pleach-program-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let path = folder.join(name);
        std::fs::write(&path, format!("Tree(version: 1, root: {root})"))?;
        Ok(path.display().to_string())
    }

    #[test]
    fn a_game_has_its_own_program() -> Result<(), Box<dyn Error>> {
        let tree = tree("own.ron", "Step")?;
        let short = ["--agents", "2", "--seconds", "0.1"];
        for args in [
            &["check", &tree][..],
            &["show", &tree],
            &["play", &tree, "tick; show"],
            &["nodes", "Step"],
            &["bench", &tree, "--agents", "2", "--frames", "3"],
        ] {
            assert_eq!(failure(true, args), None, "{args:?}");
        }
        for more in [&[][..], &["--trace", "1"], &["--watch", "1"], &["--explain", "1"]] {
            assert_eq!(failure(true, &[&["run", &tree], &short[..], more].concat()), None, "{more:?}");
        }
        Ok(())
    }

    #[test]
    fn a_game_has_its_own_tests() -> Result<(), Box<dyn Error>> {
        let steps = tree("tested.ron", "Step(name: \"step\")")?;
        let test = |case: &str| -> Result<String, Box<dyn Error>> {
            let path = steps.replace("tested.ron", "tested.test.ron");
            let cases = format!("Tests(version: 1, tree: \"tested.ron\", cases: {{ \"it steps\": ({case}) }})");
            std::fs::write(&path, cases)?;
            Ok(path)
        };
        let own = test("world: true, steps: [(at: 1.0, running: \"step\")]")?;
        assert_eq!(failure(true, &["test", &own]), None);
        assert_eq!(failure(false, &["test", &own]).as_deref(), Some("problems were found"));
        // The road ends after 500 steps.
        let long = test("world: true, steps: [(at: 60.0, running: \"step\")]")?;
        assert_eq!(failure(true, &["test", &long]).as_deref(), Some("problems were found"));
        let stubbed = test("world: true, leaves: { \"step\": Success }, steps: [(at: 60.0, status: Success)]")?;
        assert_eq!(failure(true, &["test", &stubbed]), None);
        let alone = test("leaves: { \"step\": Failure }, steps: [(at: 60.0, status: Failure)]")?;
        assert_eq!(failure(false, &["test", &alone]), None);
        Ok(())
    }

    #[test]
    fn a_world_says_why_it_does_not_go_on() -> Result<(), Box<dyn Error>> {
        let tree = tree("ends.ron", "Step")?;
        let said = failure(true, &["run", &tree, "--agents", "100"]);
        assert_eq!(said.as_deref(), Some("the road stopped: the road ends"));
        let said = failure(true, &["run", &tree, "--agents", "101"]).unwrap_or_default();
        assert!(said.ends_with("ends.ron` in the road: 100 are the most on a road"), "{said}");
        Ok(())
    }

    #[test]
    fn a_run_is_recorded_up_to_a_panic() -> Result<(), Box<dyn Error>> {
        let mut registry = Registry::<Steps>::new();
        registry.action_fn("Trip", |cx: &mut Context<'_, '_, Steps>| {
            *cx.host += 1;
            assert!(*cx.host < 20, "there is a root");
            Status::Running
        })?;
        let tree = tree("trips.ron", "Sequence(name: \"walk\", children: [Trip])")?;
        let (file, program) = (tree.replace("trips.ron", "trips.rec"), Program::new("road", registry));
        let play = |args: &[&str]| {
            let args = ["road"].iter().chain(args).map(OsString::from);
            program.parse(Road::NAME, true, args).and_then(|it| program.in_world::<Road>(&it))
        };
        let run = || play(&["run", &tree, "--agents", "2", "--record", &file]);
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
        assert!(play(&["replay", &file, "--agent", "1"]).is_ok());
        // Another program knows none of its leaves.
        assert_eq!(failure(false, &["replay", &file, "--agent", "1", "--why", "walk"]), None);
        // A game may record without files.
        let registry = Registry::<Steps>::new();
        let idle = pleach::load_str("idle.ron", "Tree(version: 1, root: Idle(name: \"rest\"))", &registry)?;
        let (mut forest, mut recording) = (Forest::new(7), pleach::record::Recording::new());
        let id = forest.add_tree(idle)?;
        forest.spawn(&mut 0, id)?;
        forest.traced(&mut recording).tick(&mut 0, 0.1)?;
        std::fs::write(&file, recording.to_bytes())?;
        let said = failure(false, &["replay", &file]).unwrap_or_default();
        assert!(
            said.ends_with("has agents of the tree `idle`, and no file of it: name the tree with --with"),
            "{said}"
        );
        let rest = self::tree("rest.ron", "Idle(name: \"rest\")")?;
        assert_eq!(failure(false, &["replay", &file, "--with", &rest]), None);
        let said = failure(false, &["replay", &file, "--with", &tree]).unwrap_or_default();
        assert!(said.ends_with("n0 Idle \"rest\" was recorded, but here it is n0 Sequence \"walk\""), "{said}");
        Ok(())
    }

    #[test]
    fn agents_without_a_label_get_their_number() -> Result<(), Box<dyn Error>> {
        let wait: Tree<Steps> = Tree::builder("wait").build(pleach::nodes::wait(1.0))?;
        let mut road = Road::begin(Arc::new(wait), 2, 1).map_err(|it| it.to_string())?;
        road.forest.agent_mut(road.agents[0])?.set_label("walker");
        crate::agents::label(&mut road);
        let labels: Vec<_> = road.agents.iter().filter_map(|it| road.forest.agent(*it).ok()?.label()).collect();
        assert_eq!(labels, ["walker", "agent 1"]);
        Ok(())
    }

    #[test]
    fn without_a_world_nothing_runs() -> Result<(), Box<dyn Error>> {
        let tree = tree("paper.ron", "Step")?;
        for args in [&["check", &tree][..], &["show", &tree], &["nodes", "--manifest"], &["nodes", "--schema"]] {
            assert_eq!(failure(false, args), None, "{args:?}");
        }
        let said =
            "`road` knows leaves, but has no world to run trees in: it can check, show, play, test, bake and list them";
        for command in ["run", "bench"] {
            assert_eq!(failure(false, &[command, &tree]).as_deref(), Some(said));
        }
        Ok(())
    }

    #[test]
    fn the_help_names_the_program_and_the_game() {
        let help = |has_world: bool, of: &str| {
            let mut command = program().command(Road::NAME, has_world);
            command.build();
            let command = if of.is_empty() { &mut command } else { command.find_subcommand_mut(of).unwrap() };
            command.render_long_help().to_string()
        };
        for of in ["", "run", "bench", "check", "show", "play", "test", "bake", "nodes", "lsp"] {
            let text = help(true, of);
            assert!(
                text.contains("Examples:\n  road ") && !text.contains("{name}") && !text.contains("{game}"),
                "{text}"
            );
            assert!(text.contains("Exit codes:\n  0  "), "{text}");
        }
        assert!(help(true, "nodes").contains("every leaf of the road"));
        assert!(help(true, "").contains("  run "));
        let text = help(false, "");
        assert!(!text.contains(" run ") && !text.contains(" bench ") && text.contains("road check trees"), "{text}");
        assert_eq!(program().command(Road::NAME, true).render_version(), "road 7.0\n");
    }
}
