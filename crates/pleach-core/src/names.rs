//! Suggestions for misspelt names.

/// The longest name that is compared with others, in bytes. Comparing costs the product of the lengths, and slips in
/// longer names are seen without help.
pub(crate) const LONGEST: usize = 40;

/// The candidate most similar to `name`, if it is similar enough that a person may have meant it. The first of equals.
/// Names of more than 40 bytes are like nothing.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const SIMILAR: f64 = 0.75;
    if name.len() > LONGEST {
        return None;
    }
    let name = name.to_lowercase();
    let mut best = None;
    let mut score = SIMILAR;
    for candidate in candidates.into_iter().filter(|it| it.len() <= LONGEST) {
        let similarity = strsim::jaro_winkler(&name, &candidate.to_lowercase());
        if similarity > score {
            best = Some(candidate);
            score = similarity;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn suggests_what_is_near_and_nothing_else() {
        assert_eq!(nearest("helth", ["health", "mode"]), Some("health"));
        assert_eq!(nearest("sequence", ["Selector", "Sequence"]), Some("Sequence"));
        assert_eq!(nearest("xyz", ["health", "mode"]), None);
        let (long, longer) = ("k".repeat(super::LONGEST), "k".repeat(super::LONGEST + 1));
        assert_eq!(nearest(&long, [&*long]), Some(&*long));
        assert_eq!(nearest(&longer, [&*long]), None);
        assert_eq!(nearest(&long, [&*longer]), None);
    }
}
