//! Drawings of behaviour trees: text for terminals and logs, Graphviz, and SVG that needs nothing else.
//!
//! A [`Drawing`] takes the shape of a tree and, if asked to, the state of one agent in it: the active path, the tops of
//! the run stacks, the monitors, the last abort. It makes strings and writes nothing anywhere; colours are the caller's
//! business, who gets the parts of each line with their [`Role`].
//!
//! ```
//! use pleach_core::{Abort, Host, Tree, check, idle, selector, sequence, wait};
//! use pleach_draw::Drawing;
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
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dot;
mod escape;
mod highlight;
mod layout;
mod measure;
mod shape;
mod svg;
mod text;

pub use highlight::Highlight;
pub use shape::{Category, Direction, Drawing};
pub use text::{Line, Role, State, Text};

#[cfg(test)]
mod sample;
