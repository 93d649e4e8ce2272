//! Formatting: the shipped files, files at random, and text that is not RON.

use std::path::{Path, PathBuf};

use pleach_asset::{Asset, Manifest, format_str};

use crate::common::{self, Rng};
use crate::fuzz::{mutate, number};

/// Every `.ron` file below a directory.
fn files(directory: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, all);
        } else if path.extension().is_some_and(|it| it == "ron") {
            all.push(path);
        }
    }
}

#[test]
fn shipped_files_are_formatted() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    ["trees", "examples", "crates/pleach-asset/src"].iter().for_each(|it| files(&top.join(it), &mut all));
    assert!(all.len() > 40, "{all:?}");
    for path in all {
        let source = std::fs::read_to_string(&path).unwrap();
        let formatted = format_str("x.ron", &source).unwrap();
        assert!(formatted == source, "run `pleach fmt trees examples`: {}", path.display());
        if !path.to_string_lossy().ends_with(".test.ron") {
            assert_eq!(Asset::parse("x.ron", &formatted).unwrap(), Asset::parse("x.ron", &source).unwrap());
        }
    }
}

#[test]
fn a_manifest_stays_as_it_is_written() {
    let manifest = Manifest::of(&common::registry()).to_ron();
    let formatted = format_str("game.leaves", &manifest).unwrap();
    assert_eq!(Manifest::parse("x", &formatted).unwrap(), Manifest::parse("x", &manifest).unwrap());
    // Except lines that are too long.
    let kept = |text: &str| text.lines().filter(|it| manifest.lines().any(|of| of == *it)).count();
    assert!(kept(&formatted) * 10 > manifest.lines().count() * 8, "{formatted}");
}

/// A random value with white space and comments between all of its tokens, which are recorded.
struct Random {
    rng: Rng,
    source: String,
    tokens: String,
    comments: Vec<String>,
}

impl Random {
    fn gap(&mut self) {
        for _ in 0..[0, 0, 0, 1, 1, 2][self.rng.below(6)] {
            self.white();
            let number = self.comments.len();
            let comment = match self.rng.below(4) {
                0 => format!("/*{number}\n ( */"),
                1 => format!("/* /*,*/ {number} */"),
                _ => format!("// \"{number} ["),
            };
            self.source.push_str(&comment);
            self.source.push_str(if comment.starts_with("//") { "  \n" } else { "" });
            self.comments.push(comment);
        }
        self.white();
    }

    fn white(&mut self) {
        let white = ["", "", "", " ", "\n", "\n\n", "\r\n", "\t\n \n", "\u{2028}"][self.rng.below(9)];
        self.source.push_str(white);
    }

    fn token(&mut self, text: &str) {
        self.gap();
        self.source.push_str(text);
        self.tokens.push_str(text);
    }

    fn one_of(&mut self, texts: &[&str]) {
        let at = self.rng.below(texts.len());
        self.token(texts[at]);
    }

    /// A comma between items, or perhaps one after the last.
    fn comma(&mut self, is_last: bool) {
        if !is_last {
            self.token(",");
        } else if self.rng.below(2) == 0 {
            self.gap();
            self.source.push(',');
        }
    }

    fn value(&mut self, depth: usize) {
        let kind = if depth == 0 { self.rng.below(3) } else { self.rng.below(9) };
        let count = self.rng.below(4);
        match kind {
            0 => self.one_of(&["1", "-2.5e3", "0xFF", "'c'"]),
            1 => self.one_of(&["\"a\"", "\"a\\\"//b\"", "r#\"\"a\"\"#", "\"two\nlines\"", "b\"x\""]),
            2 => self.one_of(&["a", "Idle", "r#b-c", "a_word_that_is_long_enough_to_break_a_line_when_it_is_repeated"]),
            3 | 4 => {
                self.token("[");
                for it in 0..count {
                    self.value(depth - 1);
                    self.comma(it + 1 == count);
                }
                self.token("]");
            }
            5 => {
                self.token("{");
                for it in 0..count {
                    self.value(depth - 1);
                    self.token(":");
                    self.value(depth - 1);
                    self.comma(it + 1 == count);
                }
                self.token("}");
            }
            _ => {
                if self.rng.below(3) > 0 {
                    self.token("Name");
                }
                self.token("(");
                let is_named = self.rng.below(3) > 0;
                for it in 0..count {
                    if is_named {
                        self.token("field");
                        self.token(":");
                    }
                    self.value(depth - 1);
                    self.comma(it + 1 == count);
                }
                self.token(")");
            }
        }
    }
}

/// `PLEACH_SEED` and `PLEACH_COUNT` say which cases, and how many.
#[test]
fn fuzz_formatted_values_say_the_same() {
    let (first, count) = (number("PLEACH_SEED", 0), number("PLEACH_COUNT", 3_000));
    let mut broken = 0;
    for seed in first..first + count {
        let mut random = Random { rng: Rng(seed), source: String::new(), tokens: String::new(), comments: Vec::new() };
        let depth = 1 + random.rng.below(5);
        random.value(depth);
        random.gap();
        let Random { source, mut tokens, comments, .. } = random;
        let once = format_str("once.ron", &source).unwrap_or_else(|it| panic!("seed {seed}: {it}\n{source}"));
        let twice = format_str("twice.ron", &once).unwrap_or_else(|it| panic!("seed {seed}: {it}\n{once}"));
        assert_eq!(once, twice, "seed {seed} is not a fixed point\n{source}");
        let mut rest = once.clone();
        for comment in comments {
            let at = rest.find(&comment).unwrap_or_else(|| panic!("seed {seed} lost {comment}\n{source}\n{once}"));
            rest.replace_range(at..at + comment.len(), "");
        }
        tokens.retain(|it| !it.is_whitespace());
        rest.retain(|it| !it.is_whitespace());
        for closing in [",)", ",]", ",}"] {
            rest = rest.replace(closing, &closing[1..]);
        }
        assert_eq!(rest, tokens, "seed {seed}\n{source}\n{once}");
        broken += usize::from(once.lines().count() > 1);
    }
    assert!(count < 100 || broken > 10, "{broken}");
}

/// As above.
#[test]
fn fuzz_broken_files_are_refused_as_by_the_loader() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trees");
    let mut seeds = vec![include_str!("../trees/all.ron").to_owned()];
    let mut all = Vec::new();
    files(&top, &mut all);
    all.sort();
    seeds.extend(all.iter().map(|it| std::fs::read_to_string(it).unwrap()));
    let mut rng = Rng(number("PLEACH_SEED", 5));
    let mut good = 0;
    for case in 0..number("PLEACH_COUNT", 5_000) {
        let source = String::from_utf8_lossy(&mutate(&seeds[rng.below(seeds.len())], &mut rng)).into_owned();
        match format_str("fuzz.ron", &source) {
            Ok(once) => {
                good += 1;
                let twice = format_str("fuzz.ron", &once).unwrap_or_else(|it| panic!("case {case}: {it}\n{once}"));
                assert_eq!(once, twice, "case {case}\n{source}");
                if let Ok(asset) = Asset::parse("fuzz.ron", &source) {
                    assert_eq!(Asset::parse("fuzz.ron", &once).unwrap(), asset, "case {case}\n{source}");
                }
            }
            Err(report) => {
                let of_loader = Asset::parse("fuzz.ron", &source).expect_err("it is wrong");
                assert_eq!(report.plain(), of_loader.plain(), "case {case}");
            }
        }
    }
    assert!(good > 100 || std::env::var_os("PLEACH_COUNT").is_some(), "{good}");
}

#[test]
fn large_and_deep_sources_take_no_stack() {
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let formatted = std::thread::Builder::new().stack_size(128 << 10).spawn(move || format_str("deep.ron", &deep));
    assert_eq!(formatted.unwrap().join().unwrap().unwrap().lines().count(), 2 * 500 - 1);
    let large = format!("[{}]", "A(b: 1), // c\n".repeat(200_000));
    assert_eq!(format_str("large.ron", &large).unwrap().lines().count(), 200_002);
    // Comments within one item.
    let many = format!("(a: {} 1)", "/* b */ ".repeat(200_000));
    assert!(format_str("many.ron", &many).is_ok());
    assert!(format_str("huge.ron", &" ".repeat(50 << 20)).unwrap_err().plain().contains("too many for one file"));
}
