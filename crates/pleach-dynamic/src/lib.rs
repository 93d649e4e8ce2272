//! Leaves that are known at run time only, for bindings of pleach to other languages.
//!
//! A binding implements [`Calls`] for its host type: what it keeps of each leaf (a function
//! pointer, an object of a script) and how it calls that. [`Description`] has a leaf's name, the
//! parameters it takes and what it observes; [`register`] puts it into a
//! [`Registry`](pleach_asset::Registry). The runtime then calls the leaf for whole batches of
//! agents ([`BatchContext`](pleach_core::BatchContext)), with a [`Leaf`]: the parameters that one
//! node gives it.
//!
//! # When a leaf goes wrong
//!
//! A leaf that raises an error (an exception, an error code) ends with failure for that agent, and
//! the error goes to the host's [`Problems`]. The frame goes on, and the agents are as consistent
//! as after any failure; a replay does the same. The binding reports the problems when the call of
//! the runtime is over. A panic of a leaf in Rust would turn the agent off (SEMANTICS 8.6), which
//! is too much for a script that divides by zero, and impossible without unwinding.
//!
//! ```
//! use pleach_asset::{LeafKind, Registry, ValueType, load_str};
//! use pleach_core::{BatchContext, Forest, Host, Status};
//! use pleach_dynamic::{Calls, Description, Leaf, Problems, register};
//!
//! /// What this binding keeps of a leaf.
//! type Function = fn(f64) -> Result<Status, String>;
//!
//! struct Script;
//! impl Host for Script {
//!     type Cx<'a> = Problems;
//! }
//! impl Calls for Script {
//!     type Function = Function;
//!     fn update(leaf: &Leaf<Self>, batch: &mut BatchContext<'_, '_, '_, Self>) {
//!         for agent in 0..batch.len() {
//!             match leaf.function()(leaf.float("speed").unwrap_or_default()) {
//!                 Ok(status) => batch.answer(agent, status),
//!                 Err(message) => leaf.fail(batch, agent, message),
//!             }
//!         }
//!     }
//!     fn problems<'a>(cx: &'a mut Self::Cx<'_>) -> &'a mut Problems {
//!         cx
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let walk: Function = |speed| if speed > 0.0 { Ok(Status::Running) } else { Err("it never arrives".into()) };
//! let mut registry = Registry::<Script>::new();
//! register(&mut registry, Description::new("Walk", LeafKind::Action, walk).parameter("speed", ValueType::Float))?;
//! let tree = load_str("walk.ron", "Tree(version: 1, root: Walk(speed: 0))", &registry)?;
//!
//! let (mut problems, mut forest) = (Problems::default(), Forest::new(7));
//! let walkers = forest.add_tree(tree)?;
//! forest.spawn(&mut problems, walkers)?;
//! forest.tick(&mut problems, 0.1)?;
//! assert_eq!(problems.all()[0].message, "it never arrives");
//! # Ok(())
//! # }
//! ```

mod calls;
mod description;
mod keys;
mod problem;

pub use calls::{Calls, Leaf};
pub use description::{Description, DescriptionError, register, register_manifest};
pub use keys::{any_key, read, write};
pub use problem::{MAX_PROBLEMS, Problem, Problems};
