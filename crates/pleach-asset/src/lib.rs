//! Behaviour trees as RON files: [`Asset`] reads and writes them, [`Registry`] knows the host's leaves, and [`Report`]
//! says everything that is wrong with a file, with the line and a caret.
//!
//! ```
//! use pleach_asset::{Registry, load_str};
//! use pleach_core::{Host, Status};
//!
//! struct Game;
//! impl Host for Game {
//!     type Cx<'a> = ();
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut registry = Registry::<Game>::new();
//! registry.action_fn("Flee", |_| Status::Running)?;
//! registry.action_fn("Patrol", |_| Status::Running)?;
//! let tree = load_str(
//!     "guard.ron",
//!     r#"Tree(
//!         version: 1,
//!         name: "guard",
//!         blackboard: { "health": Float(1.0) },
//!         root: Selector(children: [
//!             Sequence(abort: LowerPriority, children: [Check("health < 0.3"), Flee]),
//!             Patrol,
//!         ]),
//!     )"#,
//!     &registry,
//! )?;
//! assert_eq!(tree.len(), 5);
//! # Ok(())
//! # }
//! ```
//!
//! The whole format is described in the repository's documentation; every built-in node is in the tests of this crate.

mod asset;
mod build;
mod kind;
mod literal;
mod params;
mod read;
mod registry;
mod report;
mod scan;
mod span;
mod syntax;
mod write;

use pleach_core::{Host, Tree};

pub use asset::Asset;
pub use read::FORMAT_VERSION;
pub use registry::{ParamError, Registry, RegistryError};
pub use report::{Diagnostic, MAX_PROBLEMS, Report, Severity};
pub use scan::{MAX_NESTING, MAX_SOURCE};

/// Reads a tree. `file` is its name in messages; nothing is opened.
///
/// # Errors
/// A syntax error alone; else everything that is wrong, in file order.
pub fn load_str<H: Host>(file: &str, source: &str, registry: &Registry<H>) -> Result<Tree<H>, Report> {
    let (asset, findings) = Asset::read(file, source)?;
    build::build(&asset, registry, findings)
}
