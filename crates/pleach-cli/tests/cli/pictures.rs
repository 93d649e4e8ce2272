//! The drawings in the README are what `show` draws, and large enough to read.

use std::fs;
use std::path::{Path, PathBuf};

use super::pleach;

/// How wide the text of a page on the web is, in pixels. A wider picture is scaled down.
const PAGE: f64 = 850.0;
/// The smallest text that people read with ease, in pixels.
const LEGIBLE: f64 = 11.0;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The numbers right after a text, wherever it occurs.
fn numbers<'a>(svg: &'a str, before: &'a str) -> impl Iterator<Item = f64> {
    svg.split(before).skip(1).map(|it| {
        let end = it.find(|it: char| !(it.is_ascii_digit() || it == '.')).unwrap_or(it.len());
        it[..end].parse().expect("a number")
    })
}

/// How large the smallest text of a drawing is on a page.
fn smallest_text(svg: &str) -> f64 {
    let width = numbers(svg, "width=\"").next().expect("its width");
    let smallest = numbers(svg, "font-size:").fold(f64::INFINITY, f64::min);
    assert!(smallest.is_finite(), "it has text");
    smallest * (PAGE / width).min(1.0)
}

#[test]
fn text_in_the_pictures_of_the_readme_is_large_enough_on_a_page() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let pictures: Vec<&str> = readme.split("](").filter_map(|it| it.split(')').next()?.strip_suffix(".svg")).collect();
    assert!(!pictures.is_empty(), "the README shows a tree");
    for picture in pictures {
        let size = smallest_text(&fs::read_to_string(root().join(format!("{picture}.svg"))).unwrap());
        assert!(size >= LEGIBLE, "{picture}.svg: text of {size:.1} px on a page {PAGE} px wide");
    }
    // The measure works: the whole guard, drawn downwards, is too wide.
    let guard = root().join("trees/guard.ron");
    let (code, wide, err) = pleach(&["show", guard.to_str().unwrap(), "--svg", "--direction", "down"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(smallest_text(&wide) < LEGIBLE / 2.0);
}

#[test]
fn text_in_the_picture_of_each_tree_is_large_enough_on_a_page() {
    let folder = root().join("trees");
    let mut count = 0;
    for folder in [folder.clone(), folder.join("cookbook"), folder.join("guard"), folder.join("luabt")] {
        for file in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
            let name = file.to_string_lossy();
            if !name.ends_with(".ron") || name.ends_with(".test.ron") {
                continue;
            }
            let (code, drawn, _) = pleach(&["show", &name, "--svg"]);
            assert_eq!(code, 0, "{name}");
            assert!(smallest_text(&drawn) >= LEGIBLE, "{name}");
            count += 1;
        }
    }
    assert!(count > 40, "{count}");
}

/// Compares a picture of the README or the book; `PLEACH_BLESS=1` writes it.
fn is_as_drawn(picture: &str, drawn: &str) {
    let file = root().join(picture);
    if std::env::var_os("PLEACH_BLESS").is_some() {
        fs::write(&file, drawn).unwrap();
    }
    assert!(fs::read_to_string(&file).is_ok_and(|it| it == drawn), "PLEACH_BLESS=1 draws {picture} again");
}

#[test]
fn the_picture_of_what_changed_is_what_diff_draws() {
    let place = super::Place::new("pictures-diff");
    let page = fs::read_to_string(root().join("docs/guide/src/comparing.md")).unwrap();
    for name in ["old/guard.ron", "new/guard.ron"] {
        let (_, rest) = page.split_once(&format!("<!-- file: {name} -->\n```ron\n")).unwrap();
        place.file(name, rest.split_once("```").unwrap().0);
    }
    let args = ["diff", "old/guard.ron", "new/guard.ron", "--svg"];
    let output = super::command(&args).current_dir(&place.0).output().unwrap();
    assert!(output.status.code() == Some(1) && output.stderr.is_empty(), "{output:?}");
    let drawn = String::from_utf8(output.stdout).unwrap();
    for (part, count) in [("ADDED", 1), ("REMOVED", 1), ("MOVED", 1), ("CHANGED", 1), ("seconds: 4.0 -&gt; 6.0", 1)] {
        assert_eq!(drawn.matches(&format!(">{part}</text>")).count(), count, "{part}");
    }
    assert!(!drawn.contains("var("), "not every viewer knows variables");
    assert!(smallest_text(&drawn) >= LEGIBLE);
    is_as_drawn("docs/guide/src/changed.svg", &drawn);
}

#[test]
fn the_pictures_of_the_readme_and_the_book_are_what_show_draws() {
    let pictures = [("trees/guard/fight.ron", "docs/fight.svg"), ("trees/guard.ron", "docs/guide/src/guard.svg")];
    for (tree, picture) in pictures {
        // The tree's path is in the picture, so it is named as a reader would.
        let output = super::command(&["show", tree, "--svg"]).current_dir(root()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let drawn = String::from_utf8(output.stdout).unwrap();
        is_as_drawn(picture, &drawn);
    }
}
