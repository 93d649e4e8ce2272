//! The program `pleach` as a library: a game's own program, with the game's leaves and world, is
//! some lines over it.
//!
//! [`Program::main`] needs nothing but a registry, and checks, draws, plays scripts and lists. A
//! game that implements [`World`] for its agents also runs, watches, traces and measures them, by
//! [`Program::main_in`]. The shipped program does that over the arena, which is left out without
//! the feature `arena`: `default-features = false`. The feature `studio` adds the command that
//! serves recordings to a browser, with a server; reports do without it.
//!
//! ```
//! use std::process::ExitCode;
//! use std::sync::Arc;
//!
//! use pleach::inspect::ReplaceReport;
//! use pleach::trace::Tracer;
//! use pleach::{AgentId, Context, Forest, Host, Registry, Status, Tree, leaf};
//! use pleach_cli::{FrameReport, Program, World, WorldError};
//!
//! struct Game;
//! impl Host for Game {
//!     type Cx<'a> = f32;
//! }
//!
//! /// Walks on.
//! #[leaf]
//! fn walk(cx: &mut Context<'_, '_, Game>, /** Metres per second. */ #[default(1.5)] speed: f32) -> Status {
//!     *cx.host += speed * cx.dt();
//!     Status::Running
//! }
//!
//! fn registry() -> Registry<Game> {
//!     let mut registry = Registry::new();
//!     registry.leaf_fn::<walk>().expect("a good name");
//!     registry
//! }
//!
//! /// Everything that `run` and `bench` need to know.
//! struct Meadow {
//!     metres: f32,
//!     forest: Forest<Game>,
//!     agents: Vec<AgentId>,
//! }
//! impl World for Meadow {
//!     type Host = Game;
//!     const NAME: &'static str = "the meadow";
//!
//!     fn begin(tree: Arc<Tree<Game>>, agents: u32, seed: u64) -> Result<Self, WorldError> {
//!         let mut meadow = Meadow { metres: 0.0, forest: Forest::new(seed), agents: Vec::new() };
//!         let tree = meadow.forest.add_tree(tree)?;
//!         for _ in 0..agents {
//!             meadow.agents.push(meadow.forest.spawn(&mut meadow.metres, tree)?);
//!         }
//!         Ok(meadow)
//!     }
//!     fn forest(&self) -> &Forest<Game> {
//!         &self.forest
//!     }
//!     fn forest_mut(&mut self) -> &mut Forest<Game> {
//!         &mut self.forest
//!     }
//!     fn agents(&self) -> &[AgentId] {
//!         &self.agents
//!     }
//!     fn think<T: Tracer>(&mut self, dt: f32, tracer: &mut T) -> Result<FrameReport, WorldError> {
//!         Ok(self.forest.traced(tracer).tick(&mut self.metres, dt)?.into())
//!     }
//!     fn replace_tree<T: Tracer>(&mut self, tree: Arc<Tree<Game>>, tracer: &mut T) -> Result<ReplaceReport, WorldError> {
//!         let id = self.forest.trees().next().ok_or("there is no tree")?;
//!         Ok(self.forest.traced(tracer).replace_tree(&mut self.metres, id, tree)?)
//!     }
//! }
//!
//! fn main() -> ExitCode {
//! #   if true { return ExitCode::SUCCESS }
//!     Program::new("meadow", registry()).version("0.1.0").main_in::<Meadow>()
//! }
//! ```

mod agents;
#[cfg(feature = "arena")]
mod arena;
mod args;
mod bake;
mod bench;
mod check;
mod counts;
mod coverage;
mod ctrl_c;
#[cfg(test)]
mod dice;
mod diff;
mod explain;
mod export;
mod failure;
mod files;
mod fmt;
mod help;
mod import;
mod leaves;
mod lsp;
mod memory;
mod new;
mod nodes;
mod out;
mod output;
mod pace;
mod paint;
mod paths;
mod play;
mod program;
mod progress;
mod reload;
mod replay;
mod rewrite;
mod run;
mod script;
mod session;
mod show;
mod sought;
mod stage;
#[cfg(feature = "studio")]
mod studio;
mod test;
mod times;
mod trace;
mod unknown;
mod watch;
mod words;
mod world;

pub use program::Program;
pub use world::{FrameReport, World, WorldError};
