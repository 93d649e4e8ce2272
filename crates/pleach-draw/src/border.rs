//! Which part of a drawing comes from which file.

use std::ops::Range;

use pleach_core::text::{plain, shorten};

/// Longer names are cut.
const LONGEST: usize = 60;

/// An instance, as a part of a drawing.
#[derive(Clone, Debug)]
pub(crate) struct Border<'a> {
    pub(crate) name: &'a str,
    pub(crate) file: Option<&'a str>,
    /// What its ports are bound to.
    pub(crate) ports: Vec<String>,
    pub(crate) note: Option<&'a str>,
    /// The indices of its nodes among those that are drawn.
    pub(crate) marks: Range<usize>,
    /// How many others contain it.
    pub(crate) level: usize,
}

impl Border<'_> {
    /// Its label with its note, for pictures.
    pub(crate) fn caption(&self) -> String {
        let note = self.note.map(|it| format!(" # {}", plain(it))).unwrap_or_default();
        self.label() + &note
    }

    /// Its name, its file, and what its ports are bound to: `fight: fight.ron with enemy: player`.
    pub(crate) fn label(&self) -> String {
        let mut label = plain(&shorten(self.name, LONGEST)).into_owned();
        if let Some(file) = self.file {
            label.push_str(": ");
            label.push_str(&plain(&shorten(file, LONGEST)));
        }
        if !self.ports.is_empty() {
            label.push_str(" with ");
            label.push_str(&plain(&self.ports.join(", ")));
        }
        label
    }
}
