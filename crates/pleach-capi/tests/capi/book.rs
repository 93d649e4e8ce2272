//! The listings of the chapter "From C and C++" compile, and its programs run.

use std::fs;
use std::process::Command;

use super::programs::{run, with_library};
use super::{built, here};

/// The blocks of the chapter in a language.
fn listings(language: &str) -> Vec<String> {
    let chapter = fs::read_to_string(here().join("../../docs/guide/src/c.md")).expect("the chapter is read");
    let blocks = chapter.split("\n```").skip(1).step_by(2);
    blocks.filter_map(|it| it.strip_prefix(&format!("{language}\n")).map(str::to_owned)).collect()
}

/// Compiles the listings of a language. Those with a `main` are run, and print this.
fn compile(language: &str, compiler: &str, standard: &str, parts: usize) {
    let all = listings(language);
    let (programs, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|it| it.contains("int main"));
    assert_eq!((programs.len(), others.len()), (1, parts), "{language}");
    let source = built().join(format!("capi-book.{language}"));
    fs::write(&source, &programs[0]).expect("it is written");
    let program = with_library(&source, compiler, &[standard]);
    assert_eq!(run(&mut Command::new(program)), "all quiet\nhalt!\n");
    // An unused function is not an error in a book.
    let others = format!("#include <pleach.h>\n#include <stdio.h>\n{}", others.join("\n"));
    fs::write(&source, others).expect("it is written");
    let mut command = Command::new(compiler);
    command.args([standard, "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-fsyntax-only", "-I"]);
    run(command.arg(here().join("include")).arg(&source));
}

#[test]
fn the_chapter_in_c() {
    compile("c", "cc", "-std=c99", 4);
}

#[test]
fn the_chapter_in_cpp() {
    compile("cpp", "c++", "-std=c++17", 0);
}
