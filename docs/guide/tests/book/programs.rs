//! The programs of the book, which `build.rs` has written as modules, and what they print.

use std::cell::RefCell;
use std::error::Error;

use crate::chapter::{Chapter, chapters};

thread_local! {
    /// What the program of this thread has printed.
    static PRINTED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Stands in the programs of the book for what the standard library has.
macro_rules! println {
    ($($text:tt)*) => { $crate::programs::put(&(format!($($text)*) + "\n")) };
}

fn put(text: &str) {
    PRINTED.with_borrow_mut(|it| it.push_str(text));
}

/// What `main` returns.
trait Done {
    fn done(self) -> Result<(), String>;
}

impl Done for () {
    fn done(self) -> Result<(), String> {
        Ok(())
    }
}

impl Done for Result<(), Box<dyn Error>> {
    fn done(self) -> Result<(), String> {
        self.map_err(|error| error.to_string())
    }
}

#[allow(warnings, clippy::all, clippy::pedantic, reason = "they are written to be read")]
mod all {
    use super::{Done, put};
    include!(concat!(env!("OUT_DIR"), "/programs.rs"));

    pub(super) fn programs() -> &'static [(&'static str, fn() -> Result<(), String>)] {
        PROGRAMS
    }
}

/// What the program prints that stands at this place among those of the chapter.
pub(crate) fn printed(chapter: &Chapter, at: usize) -> Result<String, Box<dyn Error>> {
    let (_, run) =
        all::programs().iter().filter(|it| it.0 == chapter.name()).nth(at).ok_or("there is no such program")?;
    PRINTED.take();
    run()?;
    Ok(PRINTED.take())
}

#[test]
fn every_program_is_whole_and_shows_what_it_prints() {
    let mut count = 0;
    for chapter in chapters() {
        let blocks = chapter.blocks();
        for (at, block) in blocks.iter().enumerate().filter(|it| it.1.language == "rust") {
            let (text, place) = (chapter.text_of(block), chapter.place(block));
            assert!(text.contains("fn main()"), "{place}: a reader cannot run this: give it a `main`, or call it `rs`");
            let printed = blocks.get(at + 1).and_then(|it| it.says.as_deref());
            assert_eq!(printed, Some("printed"), "{place}: show what the program prints");
            count += 1;
        }
    }
    assert!(count > 15, "the book has programs: {count}");
}

#[test]
fn nothing_is_hidden() {
    for chapter in chapters() {
        for block in chapter.blocks().iter().filter(|it| it.language.starts_with('r')) {
            let hidden = chapter.text_of(block).lines().any(|it| it == "#" || it.starts_with("# "));
            assert!(!hidden, "{}: a line that a reader of the page as it is cannot compile", chapter.place(block));
        }
    }
}
