//! Writes drawings to files, but never over a tree.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::failure::Failure;
use crate::paths::{directory_of, is_file, is_stdin, same_file, shown};

/// How many bytes of a file are searched for the first word of a tree. Comments may come before it.
const LOOKED_AT: u64 = 1 << 20;

/// Refuses to write a drawing, or something else that is made from trees, over a tree. `input` is
/// the only tree.
///
/// # Errors
/// The file is the tree itself, by any path, or another tree. Any other file may be an older output
/// and is overwritten.
pub(crate) fn refuse_trees(output: &Path, input: Option<&Path>, extension: &str) -> Result<(), Failure> {
    let refuse = |what: &str| {
        let shown = shown(output);
        let other = other_name(output, extension);
        Err(Failure::Usage(format!("`{shown}` is {what}: give it another name, for example `{other}`")))
    };
    if is_file(output) && input.is_some_and(|it| same_file(it, output)) {
        return refuse("the tree itself");
    }
    if output.extension().is_some_and(|it| it.eq_ignore_ascii_case("ron")) {
        return refuse("the name of a tree");
    }
    if is_file(output) && beginning(output).is_ok_and(|it| begins_a_tree(&it)) {
        return refuse("another tree");
    }
    Ok(())
}

/// Refuses a file that cannot be there, before a long run whose result would be lost.
///
/// # Errors
/// It is standard output or a directory, or its directory is missing.
pub(crate) fn refuse_missing(output: &Path) -> Result<(), Failure> {
    let (shown, directory) = (shown(output), directory_of(output));
    let why = if is_stdin(output) {
        "`-` is not a file: give the name of one".to_owned()
    } else if output.is_dir() {
        format!("`{shown}` is a directory: name a file in it")
    } else if !directory.is_dir() {
        format!("`{shown}` cannot be written: the directory `{}` does not exist", crate::paths::shown(directory))
    } else {
        return Ok(());
    };
    Err(Failure::Usage(why))
}

/// Writes a drawing, or something else that is made from trees.
///
/// # Errors
/// The system's, with the name of the file.
pub(crate) fn write(output: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    File::create(output)
        .and_then(|mut it| it.write_all(content.as_ref()))
        .map_err(|error| Failure::Failed(format!("cannot write `{}`: {error}", shown(output))))
}

/// The beginning of a file. The file may be too large for a tree, or not be text: it may still be a
/// tree by mistake.
fn beginning(file: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(file)?.take(LOOKED_AT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A similar name that a drawing can have.
fn other_name(output: &Path, extension: &str) -> String {
    let other = output.with_extension(extension);
    if other != output {
        return shown(&other);
    }
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    shown(&output.with_file_name(format!("{stem}-drawing.{extension}")))
}

/// Whether this is the source of a tree, with or without problems: `Tree(` after comments and
/// attributes.
fn begins_a_tree(source: &str) -> bool {
    let mut rest = skip(source.strip_prefix('\u{feff}').unwrap_or(source));
    while let Some(attribute) = rest.strip_prefix("#!") {
        rest = skip(attribute.split_once(']').map_or("", |it| it.1));
    }
    let name = rest.strip_prefix("r#").unwrap_or(rest).strip_prefix("Tree");
    name.is_some_and(|it| skip(it).starts_with('('))
}

/// What follows white space and comments.
fn skip(mut source: &str) -> &str {
    loop {
        source = source.trim_start();
        if let Some(line) = source.strip_prefix("//") {
            source = line.split_once('\n').map_or("", |it| it.1);
        } else if let Some(mut comment) = source.strip_prefix("/*") {
            let mut level = 1;
            while level > 0 {
                let Some(at) = comment.find(['/', '*']) else { return "" };
                comment = &comment[at..];
                let (by, length) = match comment.get(..2) {
                    Some("/*") => (1, 2),
                    Some("*/") => (-1, 2),
                    _ => (0, 1),
                };
                level += by;
                comment = &comment[length..];
            }
            source = comment;
        } else {
            return source;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_known_by_how_they_begin() {
        for tree in ["Tree(", " \n// a\n/* b /* c */ * / */Tree\t/**/(version", "\u{feff}#![enable(x)] #![y]\nr#Tree("]
        {
            assert!(begins_a_tree(tree), "{tree}");
        }
        for other in
            ["", "Tree", "Trees(", "(", "/* Tree(", "// Tree(", "/*/ Tree(", "#![", "digraph \"Tree(\" {", "/*é"]
        {
            assert!(!begins_a_tree(other), "{other}");
        }
    }

    #[test]
    fn another_name_is_another() {
        assert_eq!(other_name(Path::new("a/b.ron"), "svg"), "a/b.svg");
        assert_eq!(other_name(Path::new("a/b.svg"), "svg"), "a/b-drawing.svg");
    }
}
