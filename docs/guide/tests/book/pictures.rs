//! Pictures of trees are what the program draws.

use std::fs;
use std::path::Path;

use crate::chapter::{BOOK, Chapter};
use crate::outputs::{streams, words};

/// A picture that a comment in the line before it says how to draw.
struct Picture {
    line: usize,
    /// The arguments of the program; or `file` and a file that a command above has written.
    command: String,
    /// Its file, beside the chapters.
    file: String,
}

/// The pictures of a chapter. Without a command it is the tree of the last block above.
fn pictures(chapter: &Chapter) -> Vec<Picture> {
    let lines: Vec<&str> = chapter.text.lines().collect();
    let trees: Vec<_> = chapter.blocks().into_iter().filter(|it| it.language == "ron").collect();
    let mut pictures = Vec::new();
    for (at, pair) in lines.windows(2).enumerate() {
        let says = pair[0].strip_prefix("<!-- picture").and_then(|it| it.strip_suffix(" -->"));
        let Some(says) = says else { continue };
        let file = pair[1].strip_prefix("![").and_then(|it| it.split_once("](")?.1.strip_suffix(')'));
        let file = file.unwrap_or_else(|| panic!("{}.md:{}: a picture stands here", chapter.name(), at + 2));
        let command = match says.strip_prefix(": ") {
            Some(command) => command.to_owned(),
            None => {
                let last = trees.iter().rfind(|it| it.line <= at).expect("a tree stands above");
                let named = last.says.as_deref().and_then(|it| it.strip_prefix("file: "));
                let name = named.map_or_else(|| format!("line_{}.ron", last.line), str::to_owned);
                format!("show --leaves game.leaves {name} --svg")
            }
        };
        pictures.push(Picture { line: at + 2, command, file: file.to_owned() });
    }
    pictures
}

/// Compares the pictures of a chapter with what the program draws in its folder, after all of the
/// chapter's commands have run there. Returns what is wrong.
pub(crate) fn wrong(chapter: &Chapter, folder: &Path, bless: bool) -> String {
    let mut wrong = String::new();
    for Picture { line, command, file } in pictures(chapter) {
        let place = format!("docs/guide/src/{}.md:{line}", chapter.name());
        let (drawn, said) = match command.strip_prefix("file ") {
            Some(written) => (fs::read_to_string(folder.join(written)).unwrap(), String::new()),
            None => streams(folder, &words(&command)),
        };
        assert!(drawn.starts_with("<svg"), "{place}: {said}{drawn}");
        let path = Path::new(BOOK).join("src").join(&file);
        if bless {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &drawn).unwrap();
        } else if fs::read_to_string(&path).ok().as_ref() != Some(&drawn) {
            wrong += &format!("{place}: the program draws another picture than {file}\n");
        }
    }
    wrong
}
