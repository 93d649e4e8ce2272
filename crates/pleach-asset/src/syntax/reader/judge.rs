//! The reader agrees with the `ron` crate: both accept the same texts, with the same meaning.

use std::path::Path;

use ron::Value as Ron;
use ron::value::RawValue;

use super::Values;
use crate::finding::Finding;
use crate::syntax::{Args, Data, List, Value};

fn read(source: &str) -> Result<Values, Finding> {
    super::read(&source.into())
}

/// Whether both accept it or both refuse it. Ranges, which no asset has, are refused sooner without
/// `ron`.
fn agree(here: &Result<Values, Finding>, there: bool, source: &str) -> bool {
    let is_range = !cfg!(feature = "reports") && source.contains("..");
    here.is_ok() == there || (is_range && there)
}

/// Any `LENGTH` of these in a row are accepted exactly when `ron` accepts them.
#[test]
fn brackets_hold_what_they_hold_in_ron() {
    const LENGTH: u32 = 6;
    const TOKENS: [&str; 11] = ["(", ")", "[", "]", "{", "}", ",", ":", "a", "1", "\"s\""];
    let mut accepted = 0;
    for number in 0..TOKENS.len().pow(LENGTH) {
        let mut rest = number;
        let mut source = String::new();
        for _ in 0..LENGTH {
            source.push_str(TOKENS[rest % TOKENS.len()]);
            // Not `aa` or `a1`, which would be one word.
            source.push(' ');
            rest /= TOKENS.len();
        }
        let here = read(&source);
        accepted += usize::from(here.is_ok());
        assert!(agree(&here, ron::from_str::<&RawValue>(&source).is_ok(), &source), "{source}: {here:?}");
    }
    assert!(accepted > 100, "{accepted}");
}

/// Any word, number or string made of `LENGTH` of these is accepted exactly when `ron` accepts it,
/// and read the same.
#[test]
fn words_and_literals_are_what_they_are_in_ron() {
    const LENGTH: u32 = 5;
    const LETTERS: [char; 14] = ['a', 'r', '_', '0', '1', '7', '.', '-', 'e', '"', '\\', '#', 'é', ' '];
    let mut accepted = 0;
    for number in 0..LETTERS.len().pow(LENGTH) {
        let mut rest = number;
        let mut source = String::from("[");
        for _ in 0..LENGTH {
            source.push(LETTERS[rest % LETTERS.len()]);
            rest /= LETTERS.len();
        }
        source.push(']');
        let here = read(&source);
        assert!(agree(&here, ron::from_str::<&RawValue>(&source).is_ok(), &source), "{source}: {here:?}");
        let Ok(here) = here else { continue };
        let Data::List(items) = here.root().data() else { continue };
        let Some(item) = items.only() else { continue };
        accepted += 1;
        match (item.data(), ron::from_str::<Ron>(&source)) {
            (Data::Text(text), Ok(Ron::Seq(strings))) => {
                assert_eq!(strings, [Ron::String(text.to_string())], "{source}");
            }
            (Data::Literal(text), Ok(Ron::Seq(numbers))) => {
                assert_eq!(ron::from_str::<Ron>(text), Ok(numbers[0].clone()), "{source}");
            }
            _ => {}
        }
    }
    assert!(accepted > 1_000, "{accepted}");
}

/// SplitMix64: enough for choosing what to put together.
struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((it ^ (it >> 31)) % limit as u64).expect("below a usize")
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// Whether both accept it, with the same result.
fn judge(source: &str) -> bool {
    let here = read(source);
    // It refuses a comment that nothing ends, not even a line break.
    let ended = format!("{source}\n");
    let there = ron::from_str::<&RawValue>(&ended);
    assert!(agree(&here, there.is_ok(), source), "{source:?}: {here:?}");
    if let (Ok(here), Ok(there)) = (&here, ron::from_str::<Ron>(source)) {
        assert!(is_same(here.root(), &there), "{source:?}: {here:?} {there:?}");
    }
    here.is_ok()
}

/// `ron` keeps neither names of structs nor fields that come twice.
fn is_same(here: Value<'_>, there: &Ron) -> bool {
    let all = |here: List<'_>, there: &[Ron]| {
        here.count() == there.len() && here.zip(there).all(|(here, there)| is_same(here, there))
    };
    match (here.data(), there) {
        (Data::Text(text), Ron::String(it)) => text == it,
        (Data::Literal(text), it) => ron::from_str(text).as_ref() == Ok(it),
        (Data::List(here) | Data::Call(_, Args::Tuple(here)), Ron::Seq(there)) => all(here, there),
        (Data::Map(here), Ron::Map(there)) => {
            let found = |it: (Value<'_>, Value<'_>)| {
                there.iter().any(|(key, value)| is_same(it.0, key) && is_same(it.1, value))
            };
            here.entries().count() > there.len() || here.entries().all(found)
        }
        (Data::Call(_, Args::Named(mut here)), Ron::Map(there)) => {
            let value = |name: &str| there.get(&Ron::String(name.into()));
            here.count() > there.len() || here.all(|it| value(it.0.text).is_some_and(|there| is_same(it.1, there)))
        }
        (Data::Call(_, Args::Tuple(here)), Ron::Unit) => here.is_empty(),
        (Data::Call(_, Args::Tuple(here)), Ron::Option(Some(there))) => all(here, std::slice::from_ref(there)),
        (Data::Call(Some(_), Args::None), Ron::Unit) => true,
        (Data::Call(Some(name), Args::None), it) => ron::from_str(name.text).as_ref() == Ok(it),
        _ => false,
    }
}

/// Tries all texts of `length` of these, and `random` longer ones: how many are accepted.
fn judge_all(before: &str, of: &[&str], after: &str, length: usize, random: usize) -> usize {
    let mut accepted = 0;
    for number in 0..of.len().pow(u32::try_from(length).expect("a few")) {
        let mut rest = number;
        let text: String = (0..length).map(|_| (of[rest % of.len()], rest /= of.len()).0).collect();
        accepted += usize::from(judge(&format!("{before}{text}{after}")));
    }
    let mut rng = Rng(length as u64);
    for _ in 0..random {
        let text: String = (0..=length + rng.below(5)).map(|_| rng.one(of)).collect();
        accepted += usize::from(judge(&format!("{before}{text}{after}")));
    }
    accepted
}

#[test]
fn numbers_are_what_they_are_in_ron() {
    let parts = ["0x", "0b", "0o", "f", "1", "2", "_", "-", "+", ".", "e", "inf", "255", "12345678901234567890"];
    let suffixes = ["i8", "u8", "i16", "u32", "i64", "u64", "f32", "f64", "..", "..="];
    let parts = [&parts[..], &suffixes].concat();
    let accepted: usize = ["[0", "[1", "[-"].iter().map(|it| judge_all(it, &parts, "]", 3, 50_000)).sum();
    assert!(accepted > 1_000, "{accepted}");
}

#[test]
fn strings_are_what_they_are_in_ron() {
    let parts = ["\\", "x", "4", "c3", "\\xa9", "u{", "}", "n", "0", "\n", "\r\n", " ", "\"", "'", "é"];
    let mut accepted = 0;
    for (before, after) in [("\"", "\""), ("b\"", "\""), ("r\"", "\""), ("br#\"", "\"#"), ("'", "'"), ("b'", "'")] {
        accepted += judge_all(before, &parts, after, 3, 20_000);
    }
    assert!(accepted > 5_000, "{accepted}");
}

#[test]
fn words_and_comments_are_what_they_are_in_ron() {
    let words = ["r#", "a", "é", "\u{301}", "·", "℘", "×", "_", "2", "-", ".", "true,", "Some(1)", "\u{1F333}"];
    let signs =
        ["(", ")", "[", "]", ":", ",", "\"", "#", "/*", "*/", "//", "\n", "\u{2028}", "\u{200e}", "\u{85}", "\0"];
    let parts = [&words[..], &signs].concat();
    let accepted = judge_all("[", &parts, "]", 3, 300_000) + judge_all("", &parts, "", 2, 100_000);
    assert!(accepted > 5_000, "{accepted}");
}

#[test]
fn attributes_are_what_they_are_in_ron() {
    let parts =
        ["#![", "enable(", "implicit_some", "unwrap_newtypes", "nothing", ",", ")", "]", "type", "=", "\"s\"", " "];
    let accepted = judge_all("#![enable(", &parts, ")]a", 3, 20_000);
    assert!(accepted > 15, "{accepted}");
}

#[test]
fn trees_are_what_they_are_in_ron() {
    let mut trees = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")];
    folders.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trees"));
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "ron") {
                trees.push(std::fs::read_to_string(path).expect("UTF-8"));
            }
        }
    }
    trees.sort();
    let accepted = trees.iter().filter(|it| judge(it)).count();
    assert!(accepted > 40, "{accepted}");
    // Those with a change or two.
    let parts =
        ["(", ")", "[", "]", "{", "}", ",", ":", "\"", "'", "\\", "/*", "*/", "//", "r#\"", "\"#", "b\"", "0x", "-"];
    let more =
        [".", "1e999", "name:", "é", "\0", "\r\n", "\u{2028}", "..", "r#", "\u{301}", "\\u{e9}", "'x'", "1_0", "5u8"];
    let (parts, mut rng, mut accepted) = ([&parts[..], &more].concat(), Rng(3), 0);
    for _ in 0..5_000 {
        let mut tree: Vec<char> = trees[rng.below(trees.len())].chars().collect();
        for _ in 0..=rng.below(2) {
            let at = rng.below(tree.len() + 1);
            let end = (at + rng.below(8)).min(tree.len());
            let part = if rng.below(2) == 0 { "" } else { rng.one(&parts) };
            tree.splice(at..end, part.chars());
        }
        accepted += usize::from(judge(&tree.into_iter().collect::<String>()));
    }
    assert!(accepted > 500, "{accepted}");
}
