//! Chapters, and the blocks in them.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The folder of the book.
pub(crate) const BOOK: &str = env!("CARGO_MANIFEST_DIR");

/// A chapter, as its file is.
pub(crate) struct Chapter {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// A block in a fence.
pub(crate) struct Block {
    /// What stands behind the fence: `rust`, `ron`.
    pub(crate) language: String,
    /// What the comment right before it says.
    pub(crate) says: Option<String>,
    /// Where its text is in the chapter.
    pub(crate) at: Range<usize>,
    /// The line of its fence.
    pub(crate) line: usize,
}

impl Chapter {
    pub(crate) fn name(&self) -> &str {
        self.path.file_stem().and_then(|it| it.to_str()).expect("chapters have plain names")
    }

    /// Where something stands, for messages.
    pub(crate) fn place(&self, block: &Block) -> String {
        format!("docs/guide/src/{}.md:{}", self.name(), block.line)
    }

    pub(crate) fn text_of(&self, block: &Block) -> &str {
        &self.text[block.at.clone()]
    }

    /// All blocks, in order.
    pub(crate) fn blocks(&self) -> Vec<Block> {
        let (mut blocks, mut says, mut open) = (Vec::new(), None, None::<(String, usize, usize)>);
        let mut at = 0;
        for (number, line) in self.text.split_inclusive('\n').enumerate() {
            let begin = at;
            at += line.len();
            let plain = line.trim_end();
            match (&open, plain.strip_prefix("```")) {
                (None, Some(language)) => open = Some((language.to_owned(), at, number + 1)),
                (Some(_), Some("")) => {
                    let (language, from, line) = open.take().expect("it is open");
                    blocks.push(Block { language, says: says.take(), at: from..begin, line });
                }
                (None, None) => {
                    let comment = plain.strip_prefix("<!-- ").and_then(|it| it.strip_suffix(" -->"));
                    if !plain.is_empty() {
                        says = comment.map(str::to_owned);
                    }
                }
                _ => {}
            }
        }
        assert!(open.is_none(), "{}: a block has no end", self.path.display());
        blocks
    }

    /// The trees in the texts of programs, as files, where a comment before the program names them.
    pub(crate) fn trees_of_programs(&self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        for block in self.blocks() {
            let Some(names) = block.says.as_deref().and_then(|it| it.strip_prefix("trees: ")) else { continue };
            let mut text = self.text_of(&block).to_owned();
            if block.language == "csharp" {
                text = text.replace("\"\"", "\"");
            }
            let mut rest = text.as_str();
            for name in names.split(", ") {
                let tree = first_tree(rest).unwrap_or_else(|| panic!("{}: {name} stands here", self.place(&block)));
                files.push((name.to_owned(), rest[tree.clone()].to_owned() + "\n"));
                rest = &rest[tree.end..];
            }
        }
        files
    }

    /// The files of the chapter: blocks that are called so, and trees that are not.
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        for block in self.blocks() {
            let text = self.text_of(&block).to_owned();
            let named = block.says.as_deref().and_then(|it| it.strip_prefix("file: "));
            match named {
                Some(name) => files.push((name.to_owned(), text)),
                // A command writes it.
                None if block.says.as_deref().is_some_and(|it| it.starts_with("shown: ")) => {}
                None if block.language == "ron" && text.contains("version: 1") => {
                    files.push((format!("line_{}.ron", block.line), text));
                }
                None => {}
            }
        }
        files
    }
}

/// Where the first tree in the text of a program is, with its brackets.
fn first_tree(text: &str) -> Option<Range<usize>> {
    const HEAD: &str = "Tree(";
    let starts = text.match_indices(HEAD).map(|it| it.0);
    let from = starts.into_iter().find(|it| text[it + HEAD.len()..].trim_start().starts_with("version: "))?;
    let (mut depth, mut quoted) = (0_usize, false);
    for (at, letter) in text[from..].char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted && depth == 1 => return Some(from..from + at + 1),
            ')' if !quoted => depth -= 1,
            _ => {}
        }
    }
    None
}

/// All chapters that the summary names, in its order.
pub(crate) fn chapters() -> Vec<Chapter> {
    let source = Path::new(BOOK).join("src");
    let summary = fs::read_to_string(source.join("SUMMARY.md")).expect("the book has a summary");
    let links = summary.split("](").skip(1).filter_map(|it| it.split_once(')').map(|it| it.0));
    let read = |name: &str| {
        let path = source.join(name);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Chapter { path, text }
    };
    links.map(read).collect()
}
