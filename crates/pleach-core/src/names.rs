//! Suggestions for misspelt names.

/// The candidate most similar to `name`, if it is similar enough that a person may have meant it. The first of equals.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const SIMILAR: f64 = 0.75;
    let mut best = None;
    let mut score = SIMILAR;
    for candidate in candidates {
        let similarity = strsim::jaro_winkler(&name.to_lowercase(), &candidate.to_lowercase());
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
    }
}
