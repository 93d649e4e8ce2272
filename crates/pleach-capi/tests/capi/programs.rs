//! Programs in C and C++ that use the library: with the shared one, with the static one and
//! AddressSanitizer, and in Valgrind.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use pleach_asset::{Library, Registry};
use pleach_core::record::{RecordedTree, Replay};
use pleach_core::{Host, Status};

use super::code::code_of;
use super::{built, here};

/// The trees of `all.c` and `brains.c` that these record.
const GUARD: &str = r#"Tree(version: 1, name: "guard", root: Sequence([Wait(1), Subtree("rest.ron")]))"#;
const WATCHFUL: &str = r#"Tree(version: 1, name: "guard", blackboard: { "n": Int(0) }, group: { "alarm": Bool(false) },
    global: { "hour": Float(12) },
    root: Selector([Sequence(name: "fight", abort: Both, children: [Check("group.alarm"), Step]), Wait(9)]))"#;
const SHORT: &str = r#"Tree(version: 1, name: "guard", group: { "alarm": Bool(false) }, root: Selector([
    Sequence(name: "fight", abort: Both, children: [Check("group.alarm"), Step]), Log("so")]))"#;
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-pedantic"];
/// What the static library needs of the system.
const SYSTEM: [&str; 4] = ["-lpthread", "-ldl", "-lm", "-lrt"];

/// Runs a command, and fails with what it wrote if it does.
pub(super) fn run(command: &mut Command) -> String {
    // Cargo's has a folder in which an older library may be.
    let done = command.env_remove("LD_LIBRARY_PATH").output().unwrap_or_else(|it| panic!("{command:?}: {it}"));
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (said(&done.stdout), said(&done.stderr));
    assert!(done.status.success(), "{command:?}: {}\n{out}{err}", done.status);
    out
}

/// Compiles a program, and says where it is.
fn compile(source: &Path, compiler: &str, more: &[&str], link: &[&str]) -> PathBuf {
    let name = source.file_name().and_then(OsStr::to_str).expect("it is a file");
    let how = more.join("").replace(['/', '='], "");
    let program = built().join(format!("capi-{}-{compiler}-{how}", name.replace('.', "-")));
    let mut command = Command::new(compiler);
    command.args(WARNINGS).args(["-g", "-O1"]).args(more).arg("-I").arg(here().join("include"));
    run(command.arg(source).args(link).arg("-o").arg(&program));
    program
}

/// Compiles a program with the shared library.
pub(super) fn with_library(source: &Path, compiler: &str, more: &[&str]) -> PathBuf {
    let folder = built();
    let (search, path) = (format!("-L{}", folder.display()), format!("-Wl,-rpath,{}", folder.display()));
    compile(source, compiler, more, &[&search, &path, "-lpleach_capi"])
}

fn test_file(name: &str) -> PathBuf {
    here().join("tests/c").join(name)
}

/// A program with the shared library, in Valgrind. Without Valgrind it is run as it is, unless
/// `PLEACH_VALGRIND` is set, as `.ci/run` does.
fn in_valgrind(name: &str, compiler: &str, more: &[&str]) {
    let program = with_library(&test_file(name), compiler, more);
    let has_valgrind = Command::new("valgrind").arg("--version").output().is_ok_and(|it| it.status.success());
    assert!(has_valgrind || std::env::var_os("PLEACH_VALGRIND").is_none(), "PLEACH_VALGRIND is set: install valgrind");
    let mut command = if has_valgrind {
        let mut command = Command::new("valgrind");
        command.args(["--quiet", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=definite"]);
        command.arg("--errors-for-leak-kinds=definite").arg(&program);
        command
    } else {
        // Not by `eprintln`, which the test harness keeps for itself.
        let _ = writeln!(std::io::stderr(), "{name} runs without valgrind, which is not installed");
        Command::new(&program)
    };
    assert!(run(command.current_dir(here())).contains("fine"), "{name}");
}

/// A program with the static library and AddressSanitizer.
fn with_sanitizer(name: &str, compiler: &str, standard: &str) {
    let library = built().join("libpleach_capi.a");
    let library = library.to_str().expect("the path is text");
    let link: Vec<&str> = [library].into_iter().chain(SYSTEM).collect();
    let program = compile(&test_file(name), compiler, &[standard, "-fsanitize=address,undefined"], &link);
    assert!(run(Command::new(program).current_dir(here())).contains("fine"), "{name}");
}

#[test]
fn a_crowd_in_c() {
    in_valgrind("crowd.c", "cc", &["-std=c99"]);
    with_sanitizer("crowd.c", "cc", "-std=c99");
}

#[test]
fn wrong_input_in_c() {
    in_valgrind("wrong.c", "cc", &["-std=c99"]);
    with_sanitizer("wrong.c", "cc", "-std=c99");
}

#[test]
fn all_functions_in_c() {
    in_valgrind("all.c", "cc", &["-std=c99", "-D_POSIX_C_SOURCE=200809L"]);
    with_sanitizer("all.c", "cc", "-std=gnu99");
}

/// What a program records is what this replays, with these leaves that are never called.
fn replays(program: &str, trees: &[(&str, &[(&str, &str)])]) {
    struct Game;
    impl Host for Game {
        type Cx<'a> = ();
    }
    let mut registry = Registry::<Game>::new();
    registry.action_fn("Step", |_| Status::Running).expect("it is a leaf");
    let of = |(name, files): &(&str, &[(&str, &str)])| {
        Arc::new(Library::new(files.iter().copied().collect::<BTreeMap<_, _>>()).load(name, &registry).expect("a tree"))
    };
    let trees: Vec<_> = trees.iter().map(of).collect();
    let file = built().join(format!("capi-{program}.plr"));
    // The last one gives the program a name of its own, as another test compiles it at the same
    // time.
    let how = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-DRECORDS"];
    run(Command::new(with_library(&test_file(program), "cc", &how)).arg(&file).current_dir(here()));
    let bytes = std::fs::read(&file).expect("it was recorded");
    let found = |it: &RecordedTree<'_>| trees.iter().find(|tree| it.is(tree)).cloned();
    let mut replay = Replay::<Game>::open(&bytes, found).expect("it is a recording of these trees");
    while replay.step(&mut ()).expect("it is replayed") {}
    assert!(replay.played() > 1 && replay.divergences().is_empty(), "{:?}", replay.divergences());
}

#[test]
fn a_reload_is_replayed() {
    let rest = |it| [("guard.ron", GUARD), ("rest.ron", it)];
    replays(
        "all.c",
        &[
            ("guard.ron", &rest("Tree(version: 1, root: Sequence([Step, Wait(2)]))")),
            ("guard.ron", &rest("Tree(version: 1, root: Wait(2.25))")),
        ],
    );
}

#[test]
fn a_brain_is_replayed() {
    replays("brains.c", &[("guard.ron", &[("guard.ron", WATCHFUL)]), ("guard.ron", &[("guard.ron", SHORT)])]);
}

#[test]
fn what_leaves_can_do_in_c() {
    in_valgrind("leaves.c", "cc", &["-std=c99"]);
    with_sanitizer("leaves.c", "cc", "-std=c99");
}

#[test]
fn brains_in_c() {
    in_valgrind("brains.c", "cc", &["-std=c99"]);
    with_sanitizer("brains.c", "cc", "-std=c99");
}

#[test]
fn threads_in_c() {
    in_valgrind("threads.c", "cc", &["-std=c99", "-D_POSIX_C_SOURCE=200809L"]);
    with_sanitizer("threads.c", "cc", "-std=gnu99");
}

#[test]
fn effects_in_c() {
    in_valgrind("effects.c", "cc", &["-std=c99"]);
    with_sanitizer("effects.c", "cc", "-std=c99");
}

#[test]
fn files_in_c() {
    in_valgrind("files.c", "cc", &["-std=c99", "-D_XOPEN_SOURCE=700"]);
    with_sanitizer("files.c", "cc", "-std=gnu99");
}

#[test]
fn a_frame_is_the_same_on_any_number_of_threads() {
    let program = with_library(&test_file("parallel.c"), "cc", &["-std=c99", "-D_POSIX_C_SOURCE=200809L"]);
    let state_of = |threads: u32| {
        let file = built().join(format!("capi-parallel-{threads}.save"));
        let mut command = Command::new(&program);
        command.env("RAYON_NUM_THREADS", threads.max(1).to_string()).arg(threads.to_string()).arg(&file);
        assert!(run(&mut command).contains("fine"));
        std::fs::read(&file).expect("it was written")
    };
    let by_tick = state_of(0);
    assert!(by_tick.len() > 100_000);
    for threads in [1, 2, 4] {
        assert!(state_of(threads) == by_tick, "{threads} threads give other states than `pleach_tick`");
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|it| panic!("{}: {it}", path.display()))
}

/// The names with `pleach_` that are called in C.
fn called(text: &str) -> BTreeSet<String> {
    let words = text.split('(').filter_map(|it| it.rsplit(|it| !is_of_name(it)).next());
    // The header makes a value in C++ by `pleach_value()`.
    words.filter(|it| it.starts_with("pleach_") && *it != "pleach_value").map(str::to_owned).collect()
}

fn is_of_name(it: char) -> bool {
    it.is_ascii_alphanumeric() || it == '_'
}

fn functions_of_the_header() -> BTreeSet<String> {
    let functions = called(&code_of(&read(&here().join("include/pleach.h"))));
    assert!(functions.len() > 100, "{functions:?}");
    functions
}

/// Each function of the header is in a test program, so that it is called.
#[test]
fn no_function_goes_without_a_test() {
    let mut tested = BTreeSet::new();
    for file in std::fs::read_dir(here().join("tests/c")).expect("it is there") {
        let path = file.expect("it is read").path();
        if path.extension() == Some(OsStr::new("c")) {
            tested.extend(called(&code_of(&read(&path))));
        }
    }
    let functions = functions_of_the_header();
    let missing: Vec<_> = functions.difference(&tested).collect();
    assert!(missing.is_empty(), "no program in tests/c calls {missing:?}");
}

/// In C++ a `symbol` is made of a name, so that these, which take a name, have nothing to add.
const BY_NAME: [&str; 5] =
    ["pleach_call_event", "pleach_call_send", "pleach_call_send_group", "pleach_call_emit", "pleach_word"];

#[test]
fn the_wrapper_has_each_function() {
    let text = code_of(&read(&here().join("include/pleach.hpp")));
    let used: BTreeSet<&str> = text.split(|it| !is_of_name(it)).collect();
    let functions = functions_of_the_header();
    let missing: Vec<_> = functions.iter().map(String::as_str).filter(|it| !used.contains(it)).collect();
    let expected: BTreeSet<_> = BY_NAME.into_iter().collect();
    assert_eq!(missing, expected.into_iter().collect::<Vec<_>>(), "what pleach.hpp lacks, and what it may lack");
}

#[test]
fn the_wrapper_in_cpp() {
    in_valgrind("wrapper.cpp", "c++", &["-std=c++17"]);
    with_sanitizer("wrapper.cpp", "c++", "-std=c++17");
}

#[test]
fn the_header_is_cpp_too() {
    in_valgrind("crowd.c", "c++", &["-std=c++17", "-xc++"]);
}
