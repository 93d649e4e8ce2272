//! Saving forests as text, and restoring them.

use pleach_core::{
    Forest,
    trace::{Traced, Tracer},
};

use super::stage::{Stage, StageCx};

/// The forest as text.
pub(crate) fn saved(forest: &Forest<Stage>) -> String {
    let save = forest.save().expect("all states are saved, and nothing waits");
    serde_json::to_string(&save).expect("all states can be written")
}

/// Restores a save into a new forest with the same trees, or other versions of them.
pub(crate) fn restored<T: Tracer>(forest: &mut Traced<'_, Forest<Stage>, T>, cx: &mut StageCx, save: &str) {
    let save = serde_json::from_str(save).expect("it was written by itself");
    forest.restore(cx, &save).unwrap_or_else(|it| panic!("{it}"));
}
