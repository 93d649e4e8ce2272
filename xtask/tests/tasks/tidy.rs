//! What `xtask tidy` finds. Each test plants one fault into a small workspace that is tidy.

use std::fs;
use std::path::{Path, PathBuf};

/// A workspace of two crates in its own folder; `app` uses `pleach-base`.
struct Workspace {
    root: PathBuf,
}

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

impl Workspace {
    fn new(test: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tidy").join(test);
        // It may be left from an earlier run.
        let _ = fs::remove_dir_all(&root);
        let workspace = Self { root };
        workspace.write("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"app\", \"base\"]\n");
        workspace.write("ARCHITECTURE.md", "# The map\n\nArrows point one way: app → base.\n");
        let package = |name: &str| format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n\n[dependencies]\n");
        workspace.write("app/Cargo.toml", &(package("app") + "pleach-base = { path = \"../base\" }\n"));
        workspace.write("base/Cargo.toml", &package("pleach-base"));
        workspace.write("app/src/main.rs", "//! The program.\n\nfn main() {}\n");
        workspace.write(
            "base/src/lib.rs",
            "//! The library.\n\nmod high;\nmod low;\n\npub use high::High;\npub use low::{Low, Lower};\n",
        );
        workspace.write("base/src/high.rs", "//! Above.\n\nuse crate::Low;\n\npub struct High(pub Low);\n");
        workspace.write("base/src/low.rs", "//! Below.\n\npub struct Low;\npub struct Lower;\n");
        for document in ["SEMANTICS.md", "trees/conformance/FORMAT.md"] {
            let text = fs::read_to_string(Path::new(REPOSITORY).join(document)).expect("a part of the repository");
            workspace.write(document, &text);
        }
        workspace
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
    }

    /// Appends to a file.
    fn add(&self, path: &str, text: &str) {
        let before = fs::read_to_string(self.root.join(path)).expect("there is one");
        self.write(path, &(before + text));
    }

    fn replace(&self, path: &str, from: &str, to: &str) {
        let before = fs::read_to_string(self.root.join(path)).expect("there is one");
        assert!(before.contains(from), "{path} has no `{from}`");
        self.write(path, &before.replacen(from, to, 1));
    }

    /// The exit code and the whole output.
    fn tidy(&self) -> (i32, String) {
        let output = crate::xtask(&["tidy", &self.root.to_string_lossy()]);
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        (output.status.code().expect("it ends by itself"), String::from_utf8(output.stdout).expect("UTF-8"))
    }

    /// The only finding.
    fn finding(&self) -> String {
        let findings = self.findings();
        assert_eq!(findings.len(), 1, "{findings:#?}");
        findings.into_iter().next().expect("one")
    }

    fn findings(&self) -> Vec<String> {
        let (code, out) = self.tidy();
        let mut findings: Vec<String> = out.lines().filter(|it| is_finding(it)).map(str::to_owned).collect();
        assert_eq!(code, i32::from(!findings.is_empty()), "{out}");
        assert!(out.ends_with(&format!("\n{} findings\n", findings.len())), "{out}");
        findings.sort();
        findings
    }
}

/// `path:line: what; what to do`.
fn is_finding(line: &str) -> bool {
    let mut parts = line.split(':');
    let path = parts.next().unwrap_or_default();
    path.contains('.') && parts.next().is_some_and(|it| it.parse::<usize>().is_ok()) && line.contains("; ")
}

#[test]
fn the_small_workspace_is_tidy_and_its_arrows_point_down() {
    let workspace = Workspace::new("tidy");
    let (code, out) = workspace.tidy();
    assert_eq!(code, 0, "{out}");
    assert!(out.starts_with("crates:\n    app → base\n    base\n\n"), "{out}");
    let base = "pleach-base: 3 modules, 1 arrows, 0 of them upward\n    high → low\n    lib\n    low\n";
    assert!(out.contains(&format!("{base}    public items: 3 (3 struct)\n    names that it hands on: 3\n")), "{out}");
    assert!(out.contains("\nlines of Rust: 19\n    app: 3 in src, 0 elsewhere\n    pleach-base: 16 in src"), "{out}");
    assert!(out.ends_with("\n0 findings\n"), "{out}");
}

#[test]
fn all_findings_are_told_at_once_by_file_and_line() {
    let workspace = Workspace::new("all");
    workspace.write("base/src/low.rs", "pub struct Low;\npub struct Lower;\n");
    workspace.add("app/src/main.rs", "// todo!\nfn later() { todo!() }\n#[test]\n#[ignore = \"slow\"]\nfn slow() {}\n");
    let findings = workspace.findings();
    assert_eq!(
        findings,
        [
            "app/src/main.rs:5: `todo!`; write what is missing, or return an error",
            "app/src/main.rs:7: an ignored test; mend what it tests, or delete it",
            "base/src/low.rs:1: the file does not say what lives in it; begin it with a line `//! …`",
        ]
    );
}

#[test]
fn glob_re_exports_are_found_wherever_the_star_stands() {
    for (test, line) in [
        ("glob", "pub use low::*;"),
        ("nested_glob", "pub use {high::High as Higher, low::{Lower as Lowest, *}};"),
        ("glob_in_the_crate", "pub(crate) use low::*;"),
    ] {
        let workspace = Workspace::new(test);
        workspace.add("base/src/lib.rs", &format!("{line}\n"));
        assert_eq!(workspace.finding(), "base/src/lib.rs:8: a glob re-export; name what is exported");
    }
    let workspace = Workspace::new("glob_in_tests");
    workspace.add("base/src/low.rs", "#[cfg(test)]\nmod tests {\n    use super::*;\n}\n");
    assert_eq!(workspace.findings(), [""; 0]);
}

#[test]
fn wide_comments_are_found_but_for_tables_fences_and_long_words() {
    let words = ["word"; 20].join(" ");
    let workspace = Workspace::new("wide");
    let long = "x".repeat(120);
    workspace.add("base/src/low.rs", &format!("    /// {words}\nfn f() {{}}\n"));
    assert_eq!(workspace.finding(), "base/src/low.rs:5: the comment is 107 wide; wrap it at 100 columns");

    let workspace = Workspace::new("wide_enough");
    let fence = format!("// ```text\n// {words}\n// ```\n");
    let words_that_fit = format!("// {}\n", "a".repeat(97));
    let texts = format!("{fence}// | {words}|\n// https://{long}\n// [`x`]: {long}\n{words_that_fit}");
    workspace.add("base/src/low.rs", &texts);
    workspace.add("base/src/low.rs", &format!("pub const TEXT: &str = \"// {words}\";\n"));
    assert_eq!(workspace.findings(), [""; 0]);

    let workspace = Workspace::new("wide_manifest");
    workspace.add("base/Cargo.toml", &format!("# {words}\n"));
    assert!(workspace.finding().starts_with("base/Cargo.toml:6: the comment is 101 wide;"));
}

#[test]
fn long_files_are_found_those_of_tests_later() {
    let workspace = Workspace::new("long");
    workspace
        .write("base/src/low.rs", &format!("//! Below.\npub struct Low;\npub struct Lower;\n{}", "\n".repeat(497)));
    workspace.write("base/tests/all/main.rs", &format!("//! Tests.\n{}", "\n".repeat(599)));
    assert_eq!(workspace.findings(), [""; 0]);
    workspace.add("base/src/low.rs", "\n");
    assert!(workspace.finding().starts_with("base/src/low.rs:501: the file has 501 lines, 500 at most"));
    workspace.write("base/src/low.rs", "//! Below.\npub struct Low;\npub struct Lower;\n");
    workspace.add("base/tests/all/main.rs", "\n");
    assert!(workspace.finding().starts_with("base/tests/all/main.rs:601: the file has 601 lines, 600 at most"));
}

#[test]
fn module_files_have_names() {
    let workspace = Workspace::new("mod_rs");
    fs::remove_file(workspace.root.join("base/src/low.rs")).expect("it is there");
    workspace.write("base/src/low/mod.rs", "//! Below.\n\npub struct Low;\npub struct Lower;\n");
    let finding = workspace.finding();
    assert!(finding.ends_with("a module in `mod.rs`; move it to `base/src/low.rs`, beside its folder"), "{finding}");
}

#[test]
fn a_seventh_test_program_is_found() {
    let workspace = Workspace::new("programs");
    for number in 0..5 {
        workspace.write(&format!("base/tests/t{number}.rs"), "//! Tests.\n");
    }
    workspace.write("base/tests/suite/main.rs", "//! Tests.\n");
    workspace.write("base/tests/suite/part.rs", "//! Tests.\n");
    workspace.write("base/tests/support/lib.rs", "//! What tests share.\n");
    assert_eq!(workspace.findings(), [""; 0]);
    workspace.write("base/tests/another/main.rs", "//! Tests.\n");
    assert!(workspace.finding().starts_with("base/Cargo.toml:1: the crate has 7 test programs, 6 at most"));
}

#[test]
fn crates_point_only_where_architecture_says() {
    let workspace = Workspace::new("crates");
    workspace.add("base/Cargo.toml", "\n[dev-dependencies]\napp = { path = \"../app\" }\n");
    assert_eq!(workspace.findings(), [""; 0], "tests may use what they like");
    workspace.replace("base/Cargo.toml", "[dev-dependencies]", "[build-dependencies]");
    assert_eq!(
        workspace.finding(),
        "base/Cargo.toml:1: base depends on app, which is not below it by ARCHITECTURE; \
         take the dependency out, or change the sentence on purpose"
    );

    let workspace = Workspace::new("crates_unsaid");
    workspace.replace("ARCHITECTURE.md", "app → base", "base");
    assert!(workspace.finding().starts_with("ARCHITECTURE.md:3: the arrows between crates leave out app; say `"));
    workspace.replace("ARCHITECTURE.md", "Arrows point one way: base.", "");
    assert!(workspace.finding().starts_with("ARCHITECTURE.md:1: it does not say how arrows between crates point;"));
}

const LIST: &str = "docs/design/modules.md";

#[test]
fn the_list_of_modules_names_every_module_once() {
    let workspace = Workspace::new("map");
    workspace.write("base/src/low/deep.rs", "//! Far below.\n");
    workspace.add("base/src/low.rs", "mod deep;\n");
    workspace.add("ARCHITECTURE.md", "\n## The map\n");
    assert!(
        workspace.finding().starts_with("docs/design/modules.md:1: the map of ARCHITECTURE needs a list of modules;")
    );
    let list = "# Modules\n\n## `app`\n\nThe program.\n\n## `base`\n\n- `low`: `deep`.\n- `high`\n";
    workspace.write(LIST, list);
    assert_eq!(workspace.findings(), [""; 0]);
    for (from, to, what) in [
        ("- `high`\n", "", "the list does not name `high` of base/"),
        ("- `high`\n", "- `high`, `low`\n", "the list names `low` of base/ more than once"),
        ("- `high`\n", "- `high`, `other`\n", "the list names `other`, which is not a module of base/"),
        ("`deep`", "`deep`, `deeper`", "the list names `deeper`, which is not a file of `low`"),
        ("## `app`", "## app", "the list has no section ## `app`"),
    ] {
        workspace.replace(LIST, from, to);
        assert!(workspace.finding().contains(what), "{what}");
        workspace.write(LIST, list);
    }
}

/// Every way to write an upward arrow from `low` to `high`.
#[test]
fn upward_arrows_are_found_however_they_are_written() {
    for (test, text) in [
        ("use", "use crate::high::High;\nfn f(_: High) {}\n"),
        ("re_export", "use crate::High;\nfn f(_: High) {}\n"),
        ("nested", "use crate::{low::Lower as Same, high::{self, High}};\nfn f(_: High, _: Same) {}\n"),
        ("renamed", "use crate::high as top;\nfn f(_: top::High) {}\n"),
        ("super", "fn f(_: super::High) {}\n"),
        ("inline", "fn f(_: crate::high::High) {}\n"),
        ("in_a_macro", "fn f() { println!(\"{}\", size_of::<crate::High>()) }\n"),
        ("in_a_module", "mod inner { fn f(_: super::super::high::High) {} }\n"),
    ] {
        let workspace = Workspace::new(&format!("upward_{test}"));
        workspace.add("base/src/low.rs", text);
        let findings = workspace.findings();
        assert!(!findings.is_empty(), "{test}");
        // Either of the two arrows may count as the upward one.
        let of_either = |it: &String| {
            it.starts_with("base/src/low.rs:") && it.contains("`low` of pleach-base uses `")
                || it.starts_with(
                    "base/src/high.rs:3: `high` of pleach-base uses `Low`, which points upward: low → high;",
                )
        };
        assert!(findings.iter().all(of_either), "{test}: {findings:#?}");
    }
}

#[test]
fn what_is_defined_in_the_root_is_above_the_modules_that_the_root_uses() {
    let workspace = Workspace::new("root");
    workspace.add("base/src/lib.rs", "pub const SIDE: u32 = 5;\n");
    workspace.add("base/src/low.rs", "pub const AREA: u32 = crate::SIDE * super::SIDE;\n");
    assert_eq!(workspace.findings(), [""; 0], "the root itself uses nothing");
    workspace.add("base/src/lib.rs", "pub fn area() -> u32 { low::AREA }\n");
    assert!(!workspace.findings().is_empty());
}

#[test]
fn what_does_not_lead_to_another_module_is_no_arrow() {
    for (test, text) in [
        ("docs", "/// See [`crate::High`] and `crate::high::High`.\nfn f() {}\n"),
        ("text", "const TEXT: &str = \"crate::High\"; // crate::High\n"),
        ("own", "use crate::Lower as One;\nuse self::Lower as Two;\nfn f(_: One, _: Two) {}\n"),
        ("foreign", "use std::high::High;\nfn f(_: High, _: other::crate_high::High) {}\n"),
        ("tests", "#[cfg(test)]\nuse crate::High;\n#[cfg(test)]\nmod tests {\n    use crate::High;\n}\n"),
    ] {
        let workspace = Workspace::new(&format!("no_arrow_{test}"));
        workspace.add("base/src/low.rs", text);
        assert_eq!(workspace.findings(), [""; 0], "{test}");
    }
    let workspace = Workspace::new("no_arrow_tests_in_a_file");
    workspace.add("base/src/low.rs", "#[cfg(test)]\nmod tests;\n");
    workspace.write("base/src/low/tests.rs", "//! Tests.\n\nuse crate::High;\n");
    assert_eq!(workspace.findings(), [""; 0]);
}

#[test]
fn a_cycle_over_several_modules_names_its_way() {
    let workspace = Workspace::new("cycle");
    workspace.replace("base/src/lib.rs", "mod low;", "mod low;\nmod middle;");
    workspace.write("base/src/middle.rs", "//! Between.\n\npub use crate::High;\n");
    workspace.add("base/src/low.rs", "pub use crate::middle;\n");
    let (_, out) = workspace.tidy();
    assert!(out.contains("pleach-base: 4 modules, 3 arrows, 1 of them upward\n"), "{out}");
    let finding = workspace.finding();
    let ways = ["high → low → middle;", "low → middle → high;", "middle → high → low;"];
    assert!(ways.iter().any(|it| finding.contains(it)), "{finding}");
}

#[test]
fn documents_name_every_kind_of_node_and_no_other() {
    let workspace = Workspace::new("nodes");
    workspace.replace("SEMANTICS.md", "| Delay(seconds) |", "| Dellay(seconds) |");
    workspace.replace("SEMANTICS.md", "Succeed, Fail, Idle |", "Succeed, Fail, Idle, Succeed |");
    workspace.replace("SEMANTICS.md", "| `seconds`, `result` |", "| `seconds`, `outcome` |");
    workspace.replace("trees/conformance/FORMAT.md", "`log`: ", "`logg`: ");
    let findings = workspace.findings();
    let expected = [
        ("SEMANTICS.md:", "`Delay` is missing;"),
        ("SEMANTICS.md:", "`Dellay` is no kind of node;"),
        ("SEMANTICS.md:", "`Succeed` stands there twice;"),
        ("SEMANTICS.md:", "the field `result` of Timeout is missing;"),
        ("SEMANTICS.md:", "Timeout has no field `outcome`;"),
        ("trees/conformance/FORMAT.md:", "`log` is missing;"),
        ("trees/conformance/FORMAT.md:", "`logg` is no kind of node;"),
    ];
    assert_eq!(findings.len(), expected.len(), "{findings:#?}");
    for (path, what) in expected {
        assert!(findings.iter().any(|it| it.starts_with(path) && it.contains(what)), "{path} {what}: {findings:#?}");
    }
    fs::remove_file(workspace.root.join("trees/conformance/FORMAT.md")).expect("it is there");
    let findings = workspace.findings();
    assert!(
        findings.iter().any(|it| it.contains("FORMAT.md:1: the document that lists the kinds of nodes is missing;"))
    );
}

#[test]
fn public_items_are_counted_without_those_of_the_crate_and_of_tests() {
    let workspace = Workspace::new("public");
    workspace.add(
        "base/src/low.rs",
        "pub const fn one() {}\npub(crate) fn two() {}\npub const THREE: u8 = 3;\nimpl Low {\n    pub fn four(&self) {}\n}\n\
         #[cfg(test)]\nmod tests {\n    pub fn five() {}\n}\n",
    );
    let (_, out) = workspace.tidy();
    let expected = "    public items: 6 (1 const, 2 fn, 3 struct)\n    most public methods: 1, of Low\n";
    assert!(out.contains(expected), "{out}");
}

#[test]
fn methods_of_one_name_are_one_and_those_of_traits_are_none() {
    let workspace = Workspace::new("methods");
    workspace.add(
        "base/src/low.rs",
        "impl<const N: usize> Wide<N>\nwhere\n    (): Sized,\n{\n    pub fn one() {}\n    pub(crate) fn two() {}\n    fn three() {}\n}\n\
         impl Wide<1> {\n    pub fn one() {}\n    pub const fn four() {}\n}\n\
         impl Default for Lower {\n    fn default() -> Self { Lower }\n}\nimpl Lower {\n    pub fn five() {}\n}\n",
    );
    let (_, out) = workspace.tidy();
    assert!(out.contains("    most public methods: 2, of Wide\n"), "{out}");
}

#[test]
fn files_that_are_not_rust_are_told() {
    let workspace = Workspace::new("not_rust");
    workspace.add("base/src/low.rs", "fn f() {\n");
    let finding = workspace.finding();
    assert!(finding.starts_with("base/src/low.rs:") && finding.ends_with("; make it compile"), "{finding}");
}

#[test]
fn a_folder_without_a_workspace_is_an_error() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tidy/nothing");
    fs::create_dir_all(&root).expect("the folder can be made");
    let output = crate::xtask(&["tidy", &root.to_string_lossy()]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{text}");
    assert!(text.contains("cargo knows no workspace here; give its root:"), "{text}");
}

#[test]
fn the_repository_is_tidy() {
    let output = crate::xtask(&["tidy", REPOSITORY]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}
