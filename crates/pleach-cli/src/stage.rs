//! The stage on which `play` and `test` play a tree without its game: leaves give the answers of a
//! script or a test.

mod acts;
mod answers;
mod expect;
mod leaves;
mod loaded;
mod scene;
mod values;

pub(crate) use acts::{event, key_value, slot};
pub(crate) use answers::{Answer, Answers, Reply, Said, When, Whom, word};
pub(crate) use expect::{holds, is_false, runs};
pub(crate) use leaves::{Leaves, unanswered, whom};
pub(crate) use loaded::Loaded;
pub(crate) use scene::{InWorld, Paper, Scene, Turn};
pub(crate) use values::{key, none};

pub(crate) use pleach_studio_core::Stage;
pub(crate) use pleach_studio_core::named::{called, node, nodes, paths, test};
pub(crate) use pleach_view::words::owner as place;
