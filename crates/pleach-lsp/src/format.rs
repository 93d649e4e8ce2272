//! Formatting: the same as `pleach fmt`.

use pleach::asset::format_str;
use serde_json::{Value as Json, json};

use crate::doc::Doc;

/// The edits that format a file: none, or one of the lines that differ.
///
/// # Errors
/// The file is not RON.
pub(crate) fn format(doc: &Doc<'_>) -> Result<Json, String> {
    let formatted = format_str(&doc.name, &doc.text).map_err(|it| it.plain())?;
    let (old, new) = (&*doc.text, &*formatted);
    if old == new {
        return Ok(json!([]));
    }
    let before: usize = old
        .split_inclusive('\n')
        .zip(new.split_inclusive('\n'))
        .take_while(|it| it.0 == it.1)
        .map(|it| it.0.len())
        .sum();
    let (rest_old, rest_new) = (&old[before..], &new[before..]);
    let same = |it: &(&str, &str)| it.0 == it.1;
    let behind: usize = rest_old
        .split_inclusive('\n')
        .rev()
        .zip(rest_new.split_inclusive('\n').rev())
        .take_while(same)
        .map(|it| it.0.len())
        .sum();
    let range = doc.lines.range(old, &(before..old.len() - behind));
    // A byte order mark is not part of the text that an editor shows.
    let text = rest_new[..rest_new.len() - behind].trim_start_matches('\u{feff}');
    Ok(json!([{ "range": range, "newText": text }]))
}
