//! Trees of other systems as pleach's: [`import`] reads a set of files, and gives RON files, a
//! manifest of the game's leaves, and a report of what happened to each node.
//!
//! It does no I/O: it is given the files, and reads nothing else. The same files give the same
//! result.
//!
//! A reader of a format gives trees of items; a [`Profile`] maps each item to pleach, and code does
//! so where no template can; facts about keys and leaves are collected on the way, over several
//! runs, until nothing new is found.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use pleach_import::{Options, import};
//!
//! let source = r#"<root BTCPP_format="4">
//!     <BehaviorTree ID="Guard">
//!         <Fallback><Condition ID="SeesThief"/><Action ID="Patrol" speed="1.5"/></Fallback>
//!     </BehaviorTree>
//! </root>"#;
//! let files = BTreeMap::from([("guard.xml".to_owned(), source.as_bytes().to_vec())]);
//! let imported = import(&files, &Options::default());
//! assert!(imported.files["guard.ron"].contains("Selector([SeesThief, Patrol(speed: 1.5)])"));
//! assert_eq!(imported.report.counts().exact, 3);
//! ```

mod behaviac;
mod behavior3;
mod behavior_designer;
mod btcpp;
mod cycles;
mod export;
mod format;
mod godot;
mod instances;
mod item;
mod json;
mod keys;
mod leaves;
mod maikire;
mod map;
mod names;
mod place;
mod profile;
mod report;
mod ron;
mod run;
mod script;
mod starbound;
mod verify;
mod write;
mod xml;

pub use export::{BtLog, Exported, Target, export};
pub use format::Format;
pub use place::{MAX_FILE, MAX_FILES};
pub use profile::Profile;
pub use report::{Counts, Entry, Fate, Line, Report};
pub use run::{Imported, Options, import};
pub use write::LEAVES;
