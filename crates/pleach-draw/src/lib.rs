//! Drawings of behaviour trees: text for terminals and logs, Graphviz, and SVG.
//!
//! A [`Drawing`] holds the shape of a tree and, optionally, the state of one agent in it: the
//! active path, the tops of the run stacks, the monitors, the last abort. It makes strings and
//! writes no files. Each part of a line has a [`Role`], by which the caller can choose a colour.
//!
//! ```
//! # mod pleach {
//! #     pub use pleach_core::{Forest, Host, Tree, nodes::{self, Abort}};
//! #     pub(crate) use pleach_draw as draw;
//! # }
//! use pleach::draw::Drawing;
//! use pleach::nodes::{check, idle, selector, sequence, wait};
//! use pleach::{Forest, Host, Tree, nodes::Abort};
//! # struct Game;
//! # impl Host for Game {
//! #     type Cx<'a> = ();
//! # }
//! let fight = sequence([check("sees"), wait(0.5)]).named("fight").aborts(Abort::LOWER_PRIORITY);
//! let mut builder = Tree::<Game>::builder("guard");
//! builder.key("sees", false);
//! let tree = builder.build(selector([fight, idle()]))?;
//! let expected = "\
//! Selector
//! ├─ Sequence \"fight\"  aborts lower priority
//! │  ├─ Check  sees
//! │  └─ Wait  0.5 s
//! └─ Idle
//! ";
//! assert_eq!(Drawing::of(&tree).text().to_string(), expected);
//!
//! // An agent of it, while it runs:
//! let mut forest = Forest::new(7);
//! let guards = forest.add_tree(tree)?;
//! let guard = forest.spawn(&mut (), guards)?;
//! forest.tick(&mut (), 0.1)?;
//! let expected = "\
//! • Selector
//!   ├─ Sequence \"fight\"  aborts lower priority
//!   │  ├─ Check  sees  [watched, was failure]
//!   │  └─ Wait  0.5 s
//! ▶ └─ Idle
//! ";
//! assert_eq!(Drawing::of_agent(&forest.agent(guard)?.inspect()).text().to_string(), expected);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`TraceLine`] does the same for trace events.

mod border;
mod counts;
mod difference;
mod dot;
mod escape;
mod fate;
mod highlight;
mod layout;
mod log;
mod measure;
mod shape;
mod svg;
mod text;
mod trace;
mod wrap;

pub use counts::NodeCounts;
pub use difference::{Difference, NodeChange};
pub use highlight::Highlight;
pub use log::Log;
pub use shape::{Direction, Drawing};
pub use svg::{Boxes, NodeBox};
pub use text::{Line, Role, State, Text};
pub use trace::{TraceLine, TraceRole};

#[cfg(test)]
mod sample;
