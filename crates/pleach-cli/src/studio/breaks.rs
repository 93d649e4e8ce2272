//! Breakpoints in a file.

use std::io::ErrorKind;
use std::path::Path;

use pleach_studio_core::Session;
use pleach_studio_core::model::FindQuestion;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::output;
use crate::paths::shown;

/// A breakpoint as a file has it.
#[derive(Deserialize, Serialize)]
struct Written {
    find: FindQuestion,
    nth: u32,
}

/// Sets the breakpoints of a file. Without the file it sets none.
///
/// # Errors
/// The file cannot be read, or has something else in it.
pub(super) fn read(file: &Path, session: &mut Session) -> Result<(), Failure> {
    let bytes = match std::fs::read(file) {
        Ok(it) => it,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::Failed(format!("cannot read `{}`: {error}", shown(file)))),
    };
    let all: Vec<Written> = serde_json::from_slice(&bytes)
        .map_err(|it| Failure::Failed(format!("`{}` is not a file of breakpoints: {it}", shown(file))))?;
    session.keep_breaks(all.into_iter().map(|it| (it.find, it.nth)));
    Ok(())
}

/// Writes the breakpoints to a file.
///
/// # Errors
/// It cannot be written: why not.
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
