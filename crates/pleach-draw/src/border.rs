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
    pub(crate) note: Option<&'a str>,
    /// The places of its nodes among those that are drawn.
    pub(crate) marks: Range<usize>,
    /// In how many others it is.
    pub(crate) level: usize,
}

impl Border<'_> {
    /// Its name, and its file.
    pub(crate) fn label(&self) -> String {
        let name = plain(&shorten(self.name, LONGEST)).into_owned();
        match self.file {
            Some(file) => format!("{name}: {}", plain(&shorten(file, LONGEST))),
            None => name,
        }
    }
}
