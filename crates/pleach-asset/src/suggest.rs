//! What was probably meant, and lists of what there is, in words.

/// The most similar of some names.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> Option<&'a str> {
    // One slip in a short name is too much for the measure that the core uses.
    let slip = |it: &&str| it.len() > 2 && strsim::osa_distance(&name.to_lowercase(), &it.to_lowercase()) <= 1;
    let long = name.len() > 2 && name.len() <= 64;
    candidates
        .clone()
        .into_iter()
        .find(|it| long && slip(it))
        .or_else(|| if name.len() <= 256 { pleach_core::names::nearest(name, candidates) } else { None })
}

/// [`nearest`] as a help text.
pub(crate) fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> Option<String> {
    did_you_mean(nearest(name, candidates))
}

pub(crate) fn did_you_mean(near: Option<&str>) -> Option<String> {
    near.map(|it| format!("did you mean `{it}`?"))
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
