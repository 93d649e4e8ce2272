//! What each code means: the pages of `codes.md`.

use std::sync::LazyLock;

use super::{Code, Severity};

/// Title, and a section per code.
const TEXT: &str = include_str!("../codes.md");

/// What a code means, with an example that has the problem, and one that does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CodePage {
    /// The code, as `P0305`.
    pub code: &'static str,
    /// Whether it is an error or a warning.
    pub severity: Severity,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// The page in Markdown, without its title.
    pub text: &'static str,
}

/// The pages of all codes, in their order.
pub fn code_pages() -> impl Iterator<Item = &'static CodePage> {
    static PAGES: LazyLock<Vec<CodePage>> = LazyLock::new(|| Code::ALL.iter().filter_map(|it| page(*it)).collect());
    PAGES.iter()
}

fn page(code: Code) -> Option<CodePage> {
    let (_, section) = TEXT.split_once(&format!("\n## {}: ", code.number()))?;
    let section = section.split_once("\n## ").map_or(section, |it| it.0);
    let (title, text) = section.split_once('\n')?;
    Some(CodePage { code: code.number(), severity: code.severity(), title, text: text.trim() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_its_page_in_order() {
        let pages: Vec<&str> = code_pages().map(|it| it.code).collect();
        let codes: Vec<&str> = Code::ALL.iter().map(|it| it.number()).collect();
        assert_eq!(pages, codes);
        assert_eq!(TEXT.matches("\n## ").count(), codes.len());
        assert!(codes.is_sorted_by(|a, b| a < b), "each number once");
    }
}
