//! What was probably meant, and lists of what there is, in words.

use pleach_core::names::{Help, nearest};

use crate::kind;

/// The most similar of some names, as a help text.
pub(crate) fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    did_you_mean(nearest(name, candidates))
}

pub(crate) fn did_you_mean(near: Option<&str>) -> Option<String> {
    near.map(|it| Help::Meant(it.into()).to_string())
}

/// Help of the core, with what an asset can do.
pub(crate) fn in_asset(help: &Help) -> String {
    match help {
        Help::Events(events, _) if events.is_empty() => {
            format!("{help}: declare one in the tree, as in `events: {{ \"noise\": () }}`")
        }
        _ => help.to_string(),
    }
}

/// Help for a word where a string is wanted.
pub(crate) fn unquoted(word: &str) -> Option<String> {
    (!kind::RESERVED.contains(&word)).then(|| format!("write `\"{word}\"`"))
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
