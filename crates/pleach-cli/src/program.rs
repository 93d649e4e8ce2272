//! [`Program`]: the commands over a game's leaves and world.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use pleach::{Host, Registry};

use crate::args::{Cli, Command};
use crate::failure::Failure;
use crate::help::Named;
use crate::world::World;
use crate::{bench, check, nodes, run, show};

/// What a game without a world is called.
const NO_WORLD: &str = "the game";

/// A program with the commands of `pleach`, over the leaves of a game. The documentation of the
/// crate has an example.
#[derive(Debug)]
pub struct Program<H: Host> {
    registry: Registry<H>,
    name: &'static str,
    version: &'static str,
    about: &'static str,
    examples: Vec<(&'static str, &'static str)>,
}

impl<H: Host> Program<H> {
    /// A program of that name, as it is typed, with these leaves.
    #[must_use]
    pub fn new(name: &'static str, registry: Registry<H>) -> Self {
        let about = "Checks, draws and runs behaviour trees";
        Program { registry, name, version: "", about, examples: Vec::new() }
    }

    /// What `--version` says. At first that is nothing.
    #[must_use]
    pub fn version(mut self, version: &'static str) -> Self {
        self.version = version;
        self
    }

    /// What the help says of the program.
    #[must_use]
    pub fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// What the help of a command has as examples in place of ours: `run` with the name of a tree
    /// of the game, say.
    #[must_use]
    pub fn examples(mut self, command: &'static str, examples: &'static str) -> Self {
        self.examples.push((command, examples));
        self
    }

    /// Runs the program with the arguments of the process, without a world: `check`, `show` and
    /// `nodes` do all that they do, and `run` and `bench` say that there is none.
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

    fn command(&self, game: &str, has_world: bool) -> clap::Command {
        let command = Cli::command().name(self.name).bin_name(self.name).about(self.about).long_about(self.about);
        let command = if self.version.is_empty() { command } else { command.version(self.version) };
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
            _ => self.on_paper(command, W::NAME),
        }
    }

    /// What needs no world.
    fn on_paper(&self, command: &Command, game: &str) -> Result<(), Failure> {
        match command {
            Command::Run(_) | Command::Bench(_) => Err(Failure::Usage(format!(
                "`{}` knows leaves, but has no world to run trees in: it can check, show and list them",
                self.name
            ))),
            Command::Check(args) => check::check(&self.registry, args),
            Command::Show(args) => show::show(&self.registry, args),
            Command::Nodes(args) => nodes::nodes(&self.registry, game, args),
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
