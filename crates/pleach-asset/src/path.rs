//! Names of files that include each other: relative to the including file, inside the root.

use std::borrow::Cow;
use std::fmt;

/// Why a path leads to no file of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadPath {
    Empty,
    Absolute,
    Backslash,
    Colon,
    Outside,
}

impl fmt::Display for BadPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BadPath::Empty => "this path does not name a file",
            BadPath::Absolute => "a path must be relative to this file",
            BadPath::Backslash => "separate the parts of a path with `/`, on every system",
            BadPath::Colon => {
                "a path has no `:`: on Windows that names a drive, or a hidden part of a file, so no system takes it"
            }
            BadPath::Outside => "this path leads out of the folder whose files are read: no others can be included",
        })
    }
}

impl BadPath {
    /// What to do about it.
    pub(crate) fn help(self) -> Option<&'static str> {
        match self {
            BadPath::Outside => Some(
                "name the folder that holds both files: `pleach check ..` checks all of the one above; a game opens \
                 it as its library",
            ),
            BadPath::Absolute => Some("write the path from the folder of this file, as in `../common/x.ron`"),
            BadPath::Empty | BadPath::Backslash | BadPath::Colon => None,
        }
    }
}

/// The name of the file that `path` leads to from the file `from`.
pub(crate) fn resolve<'a>(from: &str, path: &'a str) -> Result<Cow<'a, str>, BadPath> {
    if path.contains('\\') {
        return Err(BadPath::Backslash);
    }
    if path.starts_with('/') || path.split('/').next().is_some_and(|it| it.ends_with(':')) {
        return Err(BadPath::Absolute);
    }
    if path.contains(':') {
        return Err(BadPath::Colon);
    }
    let directory = from.rfind('/').map_or("", |it| &from[..=it]);
    if directory.is_empty() && path.split('/').all(|it| !matches!(it, "" | "." | "..")) {
        return Ok(path.into());
    }
    let rooted = directory.starts_with('/');
    let mut parts: Vec<&str> = directory.split('/').filter(|it| !matches!(*it, "" | ".")).collect();
    let mut named = false;
    for part in path.split('/') {
        named = !matches!(part, "" | "." | "..");
        match part {
            "" | "." => {}
            // Above the known directories there is nothing to go up to.
            ".." if parts.last().is_none_or(|it| *it == "..") => return Err(BadPath::Outside),
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    if !named {
        return Err(BadPath::Empty);
    }
    Ok(format!("{}{}", if rooted { "/" } else { "" }, parts.join("/")).into())
}

/// The name of the file that `path` means in the file `from`: what a [`Library`](crate::Library)
/// requests from its [`Source`](crate::Source). `None` if no file can be included by that path,
/// such as one with `\\`.
#[must_use]
pub fn included_name(from: &str, path: &str) -> Option<String> {
    resolve(from, path).ok().map(Cow::into_owned)
}

/// The path by which the file `from` includes the file `to`: `../parts/help.ron`. Both are names in
/// a [`Library`](crate::Library).
#[must_use]
pub fn relative(from: &str, to: &str) -> String {
    let folders = |it: &'_ str| it.matches('/').count();
    let alike = from.split_inclusive('/').zip(to.split_inclusive('/'));
    let alike: usize = alike.take_while(|(a, b)| a == b && a.ends_with('/')).map(|it| it.0.len()).sum();
    format!("{}{}", "../".repeat(folders(&from[alike..])), &to[alike..])
}

/// The name of a file without its directory and extension: the word of a tree in a slot.
#[must_use]
pub fn file_stem(file: &str) -> &str {
    let file = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    if stem.is_empty() { "tree" } else { stem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_file_that_includes() {
        let right = [
            ("guard.ron", "fight.ron", "fight.ron"),
            ("guard.ron", "./parts/fight.ron", "parts/fight.ron"),
            ("a/guard.ron", "fight.ron", "a/fight.ron"),
            ("a/b/guard.ron", "../c/fight.ron", "a/c/fight.ron"),
            ("a/b/guard.ron", "..//./x.ron", "a/x.ron"),
            ("/tmp/a/guard.ron", "../x.ron", "/tmp/x.ron"),
            ("../a/guard.ron", "../x.ron", "../x.ron"),
            // The file that includes this one may be named with a drive.
            ("C:/a/guard.ron", "../x.ron", "C:/x.ron"),
        ];
        for (from, path, expected) in right {
            assert_eq!(resolve(from, path).as_deref(), Ok(expected), "{from} {path}");
        }
        let wrong = [
            ("guard.ron", "../x.ron", BadPath::Outside),
            ("a/guard.ron", "../../x.ron", BadPath::Outside),
            ("../a/guard.ron", "../../x.ron", BadPath::Outside),
            ("/a/guard.ron", "../../x.ron", BadPath::Outside),
            ("guard.ron", "/x.ron", BadPath::Absolute),
            ("guard.ron", "C:/x.ron", BadPath::Absolute),
            ("guard.ron", "a\\x.ron", BadPath::Backslash),
            ("guard.ron", "C:x.ron", BadPath::Colon),
            ("guard.ron", "parts/C:x.ron", BadPath::Colon),
            ("guard.ron", "x.ron:stream", BadPath::Colon),
            ("C:/a/guard.ron", "D:x.ron", BadPath::Colon),
            ("guard.ron", "a:b/x.ron", BadPath::Colon),
            ("guard.ron", "", BadPath::Empty),
            ("guard.ron", "parts/", BadPath::Empty),
            ("a/b.ron", "..", BadPath::Empty),
        ];
        for (from, path, expected) in wrong {
            assert_eq!(resolve(from, path), Err(expected), "{from} {path}");
        }
    }

    #[test]
    fn a_file_is_written_as_the_way_to_it() {
        for (from, to, expected) in [
            ("guard.ron", "parts/fight.ron", "parts/fight.ron"),
            ("a/guard.ron", "a/fight.ron", "fight.ron"),
            ("a/b/guard.ron", "a/c/fight.ron", "../c/fight.ron"),
            ("a/guard.ron", "fight.ron", "../fight.ron"),
            ("a.ron", "a.ron", "a.ron"),
            ("/tmp/a/guard.ron", "/tmp/x.ron", "../x.ron"),
        ] {
            assert_eq!(relative(from, to), expected);
            assert_eq!(resolve(from, expected).as_deref(), Ok(to));
        }
    }

    #[test]
    fn the_stem_is_what_people_call_a_file() {
        for (file, expected) in [("a/fight.ron", "fight"), ("fight.tree.ron", "fight"), (".ron", "tree"), ("", "tree")]
        {
            assert_eq!(file_stem(file), expected);
        }
    }
}
