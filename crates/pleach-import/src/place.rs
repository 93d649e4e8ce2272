//! Texts by their names, and places in them.

use std::collections::BTreeSet;

/// An input file, as text.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A place in one of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) file: usize,
    /// In bytes.
    pub(crate) at: usize,
}

/// Finds lines and columns of places that come in their order, in one pass over each file.
#[derive(Debug)]
pub(crate) struct Walk {
    place: Place,
    line: usize,
    column: usize,
}

impl Default for Walk {
    fn default() -> Self {
        Walk { place: Place::default(), line: 1, column: 1 }
    }
}

impl Walk {
    /// The line and the column of a place, from 1, in characters.
    pub(crate) fn to(&mut self, place: Place, text: &str) -> (usize, usize) {
        if self.place.file != place.file || place.at < self.place.at {
            *self = Walk { place: Place { file: place.file, at: 0 }, ..Walk::default() };
        }
        let passed = text.get(self.place.at..).unwrap_or_default().char_indices();
        for (_, char) in passed.take_while(|it| self.place.at + it.0 < place.at) {
            (self.line, self.column) = if char == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        let mut at = place.at.min(text.len());
        while !text.is_char_boundary(at) {
            at += 1;
        }
        self.place.at = at;
        (self.line, self.column)
    }
}

/// How one file of trees names another: `../parts/fight.ron`. Both are given without `.ron`.
pub(crate) fn path(from: &str, to: &str) -> String {
    let (mut from, mut to): (Vec<&str>, Vec<&str>) = (from.split('/').collect(), to.split('/').collect());
    from.pop();
    let same = from.iter().zip(&to[..to.len() - 1]).take_while(|it| it.0 == it.1).count();
    from.drain(..same);
    to.drain(..same);
    format!("{}{}.ron", "../".repeat(from.len()), to.join("/"))
}

/// The most bytes of one file that is imported.
pub const MAX_FILE: usize = 4 << 20;

/// The most bytes of all files that are imported at once.
pub const MAX_FILES: usize = 32 << 20;

/// The text of a file.
///
/// # Errors
/// It is too large, or not UTF-8, with the place and what to do about it.
pub(crate) fn decode(bytes: &[u8]) -> Result<String, (usize, String)> {
    if bytes.len() > MAX_FILE {
        return Err((0, format!("the file has more than {} MiB: split it", MAX_FILE >> 20)));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err((0, "the file is UTF-16: save it as UTF-8".into()));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text).into()),
        Err(error) => Err((error.valid_up_to(), "a byte that is not UTF-8: save the file as UTF-8".into())),
    }
}

/// Keeps the last of values with the same name.
pub(crate) fn keep_last<T>(values: &mut Vec<T>, name: impl Fn(&T) -> &str) {
    let mut seen = BTreeSet::new();
    let is_last: Vec<bool> = values.iter().rev().map(|it| seen.insert(name(it))).collect();
    let mut is_last = is_last.into_iter().rev();
    values.retain(|_| is_last.next() == Some(true));
}
