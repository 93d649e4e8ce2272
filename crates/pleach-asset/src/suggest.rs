//! What was probably meant, and lists of what there is, in words.

use pleach_core::names::{Help, nearest};

/// The most similar of some names, as a help text.
pub(crate) fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    did_you_mean(nearest(name, candidates))
}

pub(crate) fn did_you_mean(near: Option<&str>) -> Option<String> {
    near.map(|it| Help::Meant(it.into()).to_string())
}

/// `a`, `b` and `c`.
pub(crate) fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
