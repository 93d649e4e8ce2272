//! Templates that ship with the loader (SEMANTICS 9.7).

use std::sync::LazyLock;

use crate::Asset;
#[cfg(feature = "reports")]
use crate::asset::Template;

/// The name of their file in messages.
pub(crate) const NAME: &str = "the standard templates";

static FILE: LazyLock<Asset> =
    LazyLock::new(|| Asset::read(NAME, include_str!("standard.ron")).expect("its syntax is right"));

/// The file that declares them.
pub(crate) fn file() -> &'static Asset {
    &FILE
}

/// A template that every file can use: `Use(template: "Retry", ..)`.
#[cfg(feature = "reports")]
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StandardTemplate {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub note: &'static str,
    /// Its text in that file, to read or to copy.
    pub source: &'static str,
}

/// The templates that every file can use without declaring them.
#[cfg(feature = "reports")]
#[must_use]
pub fn standard_templates() -> Vec<StandardTemplate> {
    let (tree, _) = file().tree().expect("it says something");
    let of = |it: Template<'static>| StandardTemplate {
        name: it.name.text,
        note: it.note.map_or("", |it| it.text),
        source: &file().source[it.name.span.start()..it.span.end()],
    };
    tree.templates.into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_wrong_with_them() {
        let (tree, findings) = file().tree().expect("it says something");
        assert!(findings.is_empty() && tree.templates.len() == 6 && !tree.has_root);
        let mut names: Vec<&str> = tree.templates.iter().map(|it| it.name.text).collect();
        names.sort_unstable();
        assert_eq!(names, crate::foreign::TEMPLATES, "reports lead to them by their names");
    }
}
