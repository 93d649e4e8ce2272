//! What `xtask counts` says before it counts anything, with and without valgrind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PAGE: &str = "Counted with rustc 1, valgrind-3.\n\n## S3\n\n| agents | hand |\n| -----: | ---: |\n| 1 | 2.5 |\n";

fn counts(args: &[&str]) -> Output {
    crate::xtask(&[&["counts"], args].concat())
}

/// A separate file for each test.
fn file(test: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("counts");
    fs::create_dir_all(&folder).expect("the folder can be made");
    let file = folder.join(test).with_extension("md");
    fs::write(&file, text).expect("the file can be written");
    file
}

/// Runs it without any programs in the path, checks that it cannot count, and returns its message.
fn without_programs(args: &[&str]) -> String {
    let program = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("counts").args(args).env("PATH", "").output();
    refused(&program.expect("it can be run"))
}

fn refused(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(output.stdout.is_empty());
    text
}

#[test]
fn unknown_workloads_are_usage_errors_with_a_suggestion() {
    let text = refused(&counts(&["--workload", "S2", "--workload", "S5-mixed"]));
    assert!(text.contains("'S5-mixed'") && text.contains("did you mean `S5`?"), "{text}");
}

#[test]
fn workloads_of_threads_are_not_counted() {
    let text = without_programs(&["--workload", "threads-S2"]);
    assert_eq!(text, "threads-S2 is not counted: threads take turns below valgrind\n");
}

#[test]
fn without_valgrind_it_says_what_to_install() {
    let page = file("there", PAGE);
    for args in [&["--check", "--page", &page.to_string_lossy()][..], &["--workload", "S3"]] {
        let text = without_programs(args);
        assert_eq!(text, "there is no `valgrind` to count with; install it: `apt-get install valgrind`\n");
    }
}

#[test]
fn a_page_that_is_missing_or_makes_no_sense_is_told_before_anything_is_counted() {
    let nowhere = file("nowhere", "").with_extension("txt");
    let text = without_programs(&["--check", "--page", &nowhere.to_string_lossy()]);
    assert!(text.starts_with("cannot read `") && text.contains("nowhere.txt`: "), "{text}");
    assert!(text.ends_with("; `cargo run --profile race -p xtask -- counts` writes it\n"), "{text}");

    let edited = file("edited", &PAGE.replace("2.5", "two"));
    let text = without_programs(&["--check", "--page", &edited.to_string_lossy()]);
    assert!(text.contains("edited.md:7: `two` is no count; `cargo run"), "{text}");

    let binary = file("binary", "");
    fs::write(&binary, [0xff, 0xfe]).expect("the file can be written");
    let text = without_programs(&["--check", "--page", &binary.to_string_lossy()]);
    assert!(text.starts_with("cannot read `"), "{text}");
}

#[test]
fn a_page_that_cannot_be_written_is_told_before_anything_is_counted() {
    let text = without_programs(&["--page", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml/counts.md")]);
    assert!(text.contains("cannot write `") && text.contains("Cargo.toml/counts.md"), "{text}");
}

/// The repository's page has all rows, and can be read.
#[test]
fn the_page_can_be_checked() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/benchmarks/counts.md");
    let text = without_programs(&["--check", "--page", page]);
    assert!(text.starts_with("there is no `valgrind`"), "{text}");
}
