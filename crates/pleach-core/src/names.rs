//! Suggestions for misspelt names.

use std::collections::HashSet;

/// The longest name that is compared with others, in bytes. A comparison costs the product of the
/// lengths, and people see a slip in a longer name without help.
pub(crate) const LONGEST: usize = 40;

/// The candidate most similar to `name`, if it is so similar that it may have been meant. The first
/// of equally similar ones. A name of more than 40 bytes is similar to nothing.
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

/// Which keys there are, in words, for a name that is similar to none of them. `None` if there are
/// no keys.
pub(crate) fn keys<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    const SHOWN: usize = 8;
    let mut seen = HashSet::new();
    let mut keys: Vec<String> = names.into_iter().filter(|it| seen.insert(*it)).map(|it| format!("`{it}`")).collect();
    let more = keys.len().saturating_sub(SHOWN);
    keys.truncate(SHOWN);
    if more > 0 {
        keys.push(format!("{more} more"));
    }
    let last = keys.pop()?;
    Some(if keys.is_empty() {
        format!("the only key is {last}")
    } else {
        format!("the keys are {} and {last}", keys.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::{keys, nearest};

    #[test]
    fn lists_some_keys() {
        assert_eq!(keys([]), None);
        assert_eq!(keys(["a", "a"]).as_deref(), Some("the only key is `a`"));
        assert_eq!(keys(["b", "a", "b", "c"]).as_deref(), Some("the keys are `b`, `a` and `c`"));
        let many = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"];
        assert_eq!(keys(many).as_deref(), Some("the keys are `1`, `2`, `3`, `4`, `5`, `6`, `7`, `8` and 2 more"));
    }

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
