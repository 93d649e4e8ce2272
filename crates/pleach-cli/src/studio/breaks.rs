//! Breakpoints in a file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use pleach_studio_core::Session;
use pleach_studio_core::model::FindQuestion;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::files::MARK;
use crate::output;
use crate::paths::shown;

/// The file beside the trees that keeps them, if no other file is named.
const FILE: &str = "studio.breaks";

/// The file for a directory of trees, or for one tree.
pub(super) fn beside(trees: &Path) -> PathBuf {
    if trees.is_dir() { trees.join(FILE) } else { trees.with_file_name(FILE) }
}

/// A breakpoint as a file has it.
#[derive(Deserialize, Serialize)]
struct Written {
    find: FindQuestion,
    nth: u32,
}

/// Sets the breakpoints of a file. Without the file it sets none.
///
/// # Errors
/// The file cannot be read, or contains something else.
pub(super) fn read(file: &Path, session: &mut Session) -> Result<(), Failure> {
    let bytes = match std::fs::read(file) {
        Ok(it) => it,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::Failed(format!("cannot read `{}`: {error}", shown(file)))),
    };
    let bytes = bytes.strip_prefix(MARK.as_bytes()).unwrap_or(&bytes);
    let all: Vec<Written> = serde_json::from_slice(bytes)
        .map_err(|it| Failure::Failed(format!("`{}` is not a file of breakpoints: {it}", shown(file))))?;
    session.keep_breaks(all.into_iter().map(|it| (it.find, it.nth)));
    Ok(())
}

/// Writes the breakpoints to a file.
///
/// # Errors
/// Why it cannot be written.
pub(super) fn write(file: &Path, session: &Session) -> Result<(), String> {
    let all: Vec<Written> = session.breaks().into_iter().map(|(find, nth)| Written { find, nth }).collect();
    let mut value = serde_json::to_value(all).map_err(|it| it.to_string())?;
    for it in value.as_array_mut().into_iter().flatten() {
        if let Some(find) = it.get_mut("find").and_then(|it| it.as_object_mut()) {
            find.retain(|_, it| !it.is_null());
        }
    }
    output::write(file, format!("{value:#}\n").as_bytes()).map_err(|it| it.to_string())
}
