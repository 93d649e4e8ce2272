//! What has changed in a library since it was last polled.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;

use pleach_asset::{Changes, Library, Source, SourceError, Stamp};

use super::common::{Game, Place, registry};
use super::library::files;

const IDLE: &str = "Tree(version: 1, root: Idle)";
const WAIT: &str = "Tree(version: 1, root: Wait(1.0))";
const BOTH: &str = r#"Tree(version: 1, root: Sequence([Subtree("parts/mid.ron"), Subtree("own.ron")]))"#;
const MID: &str = r#"Tree(version: 1, root: Inverter(Subtree("low.ron")))"#;

type Texts = BTreeMap<String, String>;

/// `a.ron` and `b.ron` include `parts/low.ron` through `parts/mid.ron`; `c.ron` includes nothing.
fn library() -> Library<Texts> {
    let alone = r#"Tree(version: 1, root: Subtree("parts/mid.ron"))"#;
    let list = [
        ("a.ron", BOTH),
        ("b.ron", alone),
        ("c.ron", IDLE),
        ("own.ron", IDLE),
        ("parts/low.ron", IDLE),
        ("parts/mid.ron", MID),
    ];
    let mut library = Library::new(files(&list));
    for name in ["a.ron", "b.ron", "c.ron"] {
        library.load(name, &registry()).unwrap();
    }
    library
}

fn put(library: &mut Library<Texts>, name: &str, text: &str) {
    library.source_mut().insert(name.into(), text.into());
}

/// What has changed, in a line: files, then trees with their nodes, then broken trees.
fn poll<S: Source>(library: &mut Library<S>) -> String {
    said(library.poll(&registry()))
}

fn said(changes: Changes<Game>) -> String {
    assert_eq!(changes.broken.is_empty(), changes.report.is_none());
    let nodes = |it: &pleach_core::Tree<Game>| it.nodes().map(|it| it.kind().to_owned()).collect::<Vec<_>>().join(" ");
    let trees: Vec<String> = changes.trees.iter().map(|(name, tree)| format!("{name} ({})", nodes(tree))).collect();
    format!("{} -> {} / {}", changes.files.join(", "), trees.join(", "), changes.broken.join(", "))
}

const NOTHING: &str = " ->  / ";

#[test]
fn a_file_changes_all_trees_that_include_it() {
    let mut library = library();
    assert_eq!(poll(&mut library), NOTHING);
    assert!(library.poll::<Game>(&registry()).is_empty());
    put(&mut library, "parts/low.ron", WAIT);
    let expected = "parts/low.ron -> a.ron (Sequence Inverter Wait Idle), b.ron (Inverter Wait) / ";
    assert_eq!(poll(&mut library), expected);
    assert_eq!(poll(&mut library), NOTHING, "it is told once");
    put(&mut library, "own.ron", WAIT);
    put(&mut library, "c.ron", WAIT);
    assert_eq!(poll(&mut library), "own.ron, c.ron -> a.ron (Sequence Inverter Wait Wait), c.ron (Wait) / ");
    // A file that no file includes, or that gets the same bytes, changes nothing.
    put(&mut library, "parts/other.ron", WAIT);
    put(&mut library, "c.ron", WAIT);
    assert_eq!(poll(&mut library), NOTHING);
    // Another comment makes another file.
    put(&mut library, "c.ron", &format!("// rests\n{WAIT}"));
    assert_eq!(poll(&mut library), "c.ron -> c.ron (Wait) / ");
}

#[test]
fn what_a_tree_includes_is_what_its_files_say_now() {
    let mut library = library();
    put(&mut library, "b.ron", r#"Tree(version: 1, root: Inverter(Subtree("new.ron")))"#);
    put(&mut library, "new.ron", IDLE);
    assert_eq!(poll(&mut library), "b.ron -> b.ron (Inverter Idle) / ");
    put(&mut library, "parts/low.ron", WAIT);
    assert_eq!(poll(&mut library), "parts/low.ron -> a.ron (Sequence Inverter Wait Idle) / ", "not b.ron");
    put(&mut library, "new.ron", WAIT);
    assert_eq!(poll(&mut library), "new.ron -> b.ron (Inverter Wait) / ");
}

#[test]
fn only_what_a_tree_is_made_of_counts() {
    let main = r#"Tree(version: 1, blackboard: { "key": Int(1) }, root: Sequence([
        Subtree("part.ron", { "port": "key" }), Subtree(asset: "off.ron", disabled: true), Idle]))"#;
    let part = r#"Tree(version: 1, ports: { "port": In(Int) }, root: Check("port > 0"))"#;
    let mut library = Library::new(files(&[("main.ron", main), ("part.ron", part), ("off.ron", IDLE)]));
    library.load("main.ron", &registry()).unwrap();
    // Names of keys are no files, even if there are files of these names.
    put(&mut library, "key", "no tree");
    put(&mut library, "port", "no tree");
    put(&mut library, "off.ron", "no tree");
    assert_eq!(poll(&mut library), NOTHING);
}

#[test]
fn what_is_broken_is_told_once_and_comes_when_it_is_mended() {
    let mut library = library();
    put(&mut library, "parts/low.ron", "Tree(version: 1, root: Idl");
    let changes = library.poll(&registry());
    let report = changes.report.as_ref().unwrap();
    assert_eq!(report.diagnostics().len(), 1, "two trees have the same problem: {report}");
    assert_eq!(report.diagnostics()[0].file(), "parts/low.ron");
    assert_eq!(said(changes), "parts/low.ron ->  / a.ron, b.ron");
    assert_eq!(poll(&mut library), NOTHING);

    put(&mut library, "parts/low.ron", "Tree(version: 1, root: Idl)");
    let changes = library.poll(&registry());
    assert_eq!(changes.report.as_ref().unwrap().diagnostics()[0].message(), "unknown node `Idl`");
    assert_eq!(said(changes), "parts/low.ron ->  / a.ron, b.ron");
    // A broken tree is reported again when another of its files changes, as that does not count
    // either.
    put(&mut library, "own.ron", WAIT);
    let changes = library.poll(&registry());
    assert_eq!(changes.report.as_ref().unwrap().diagnostics().len(), 1);
    assert_eq!(said(changes), "own.ron ->  / a.ron");
    assert_eq!(poll(&mut library), NOTHING);

    put(&mut library, "parts/low.ron", IDLE);
    let expected = "parts/low.ron -> a.ron (Sequence Inverter Idle Wait), b.ron (Inverter Idle) / ";
    assert_eq!(poll(&mut library), expected);
    assert_eq!(poll(&mut library), NOTHING);
}

#[test]
fn each_tree_is_judged_by_itself() {
    let mut library = library();
    // Wrong where `a.ron` includes it, right by itself.
    put(&mut library, "own.ron", r#"Tree(version: 1, ports: { "n": In(Int) }, root: Check("n > 0"))"#);
    library.load("own.ron", &registry()).unwrap();
    let changes = library.poll(&registry());
    assert!(changes.report.as_ref().unwrap().plain().starts_with("a.ron:1:"));
    assert_eq!(said(changes), "own.ron ->  / a.ron");
    // The cycle is in both, but the file outside it does not keep the other one from being right
    // again.
    put(&mut library, "parts/low.ron", r#"Tree(version: 1, root: Subtree("mid.ron"))"#);
    put(&mut library, "own.ron", IDLE);
    let changes = library.poll(&registry());
    assert_eq!(changes.report.as_ref().unwrap().diagnostics().len(), 1);
    assert_eq!(said(changes), "own.ron, parts/low.ron -> own.ron (Idle) / a.ron, b.ron");
    put(&mut library, "b.ron", r#"Tree(version: 1, root: Subtree("b.ron"))"#);
    let changes = library.poll(&registry());
    assert!(changes.report.as_ref().unwrap().plain().contains("`b.ron` includes itself"));
    assert_eq!(said(changes), "b.ron ->  / b.ron");
}

#[test]
fn files_come_and_go() {
    let mut library = library();
    let low = library.source_mut().remove("parts/low.ron").unwrap();
    let changes = library.poll(&registry());
    let told = changes.report.as_ref().unwrap().plain();
    assert!(
        told.starts_with("parts/mid.ron:1:41: error[P0601]: there is no file `parts/low.ron` to include"),
        "{told}"
    );
    assert_eq!(said(changes), "parts/low.ron ->  / a.ron, b.ron");
    put(&mut library, "parts/low.ron", &low);
    assert_eq!(poll(&mut library), "parts/low.ron -> a.ron (Sequence Inverter Idle Idle), b.ron (Inverter Idle) / ");
    // The tree's own file.
    library.source_mut().remove("c.ron").unwrap();
    let changes = library.poll(&registry());
    assert_eq!(
        changes.report.as_ref().unwrap().plain(),
        "c.ron:1:1: error[P0601]: cannot read `c.ron`: it does not exist"
    );
    assert_eq!((said(changes), poll(&mut library)), ("c.ron ->  / c.ron".into(), NOTHING.into()));
    put(&mut library, "c.ron", IDLE);
    assert_eq!(poll(&mut library), "c.ron -> c.ron (Idle) / ");
}

#[test]
fn a_tree_that_never_was_right_is_told_when_it_is() {
    let mut library = Library::new(files(&[("a.ron", r#"Tree(version: 1, root: Subtree("b.ron"))"#)]));
    assert!(library.load("a.ron", &registry()).is_err());
    assert_eq!(poll(&mut library), NOTHING, "the load has told it");
    put(&mut library, "b.ron", IDLE);
    assert_eq!(poll(&mut library), "b.ron -> a.ron (Idle) / ");
}

#[test]
fn a_second_load_hides_no_change_from_whoever_has_the_first_tree() {
    let mut library = library();
    put(&mut library, "c.ron", WAIT);
    assert_eq!(library.load("c.ron", &registry()).unwrap().root().kind(), "Wait");
    // A load of another tree does not either.
    put(&mut library, "parts/low.ron", WAIT);
    library.load("parts/mid.ron", &registry()).unwrap();
    let expected =
        "parts/low.ron, c.ron -> a.ron (Sequence Inverter Wait Idle), b.ron (Inverter Wait), c.ron (Wait) / ";
    assert_eq!(poll(&mut library), expected);
    assert!(library.forget("c.ron") && !library.forget("c.ron"));
    put(&mut library, "c.ron", IDLE);
    assert_eq!(poll(&mut library), NOTHING);
}

type Version = (u64, Result<String, SourceError>);

/// Files with versions, some unreadable; counts reads.
#[derive(Default)]
struct Archive {
    files: RefCell<BTreeMap<String, Version>>,
    reads: Cell<usize>,
}

impl Archive {
    fn put(&self, name: &str, version: u64, text: Result<&str, SourceError>) {
        self.files.borrow_mut().insert(name.into(), (version, text.map(str::to_owned)));
    }
}

impl Source for &Archive {
    fn read(&self, name: &str) -> Result<Vec<u8>, SourceError> {
        self.reads.set(self.reads.get() + 1);
        self.files.borrow().get(name).map_or(Err(SourceError::Missing), |it| it.1.clone().map(String::into_bytes))
    }
    fn stamp(&self, name: &str) -> Result<Stamp, SourceError> {
        self.files.borrow().get(name).map(|it| Stamp::of(it.0)).ok_or(SourceError::Missing)
    }
    fn names(&self) -> Vec<Result<String, (String, SourceError)>> {
        let shut = ("shut".to_owned(), SourceError::Other("it is shut".into()));
        self.files.borrow().keys().map(|it| Ok(it.clone())).chain([Err(shut)]).collect()
    }
}

#[test]
fn files_are_read_if_their_stamp_is_new_and_once_more() {
    let archive = Archive::default();
    archive.put("a.ron", 1, Ok(r#"Tree(version: 1, root: Subtree("b.ron"))"#));
    archive.put("b.ron", 1, Ok(IDLE));
    archive.put("c.ron", 1, Ok(r#"Tree(version: 1, root: Inverter(Subtree("b.ron")))"#));
    let mut library = Library::new(&archive);
    for name in ["a.ron", "c.ron"] {
        library.load(name, &registry()).unwrap();
    }
    let mut polled = || (poll(&mut library), archive.reads.replace(0));
    assert_eq!(polled(), (NOTHING.into(), 4 + 2), "`b.ron` has been read for both trees");
    assert_eq!(polled(), (NOTHING.into(), 0));
    // Both trees have it, and the other file of each is read to make it.
    archive.put("b.ron", 2, Ok(WAIT));
    assert_eq!(polled(), ("b.ron -> a.ron (Wait), c.ron (Inverter Wait) / ".into(), 3));
    // It changes twice within the resolution of the stamp.
    archive.put("b.ron", 2, Ok(IDLE));
    assert_eq!(polled().0, "b.ron -> a.ron (Idle), c.ron (Inverter Idle) / ");
    polled();
    assert_eq!(polled(), (NOTHING.into(), 0));
    // The stamp is new, and the bytes are the old ones.
    archive.put("b.ron", 3, Ok(IDLE));
    assert_eq!(polled(), (NOTHING.into(), 1));
    archive.put("b.ron", 4, Err(SourceError::Other("it is locked".into())));
    assert_eq!(polled().0, "b.ron ->  / a.ron, c.ron");
    archive.put("b.ron", 5, Ok(IDLE));
    assert_eq!(polled().0, "b.ron -> a.ron (Idle), c.ron (Inverter Idle) / ");
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_read() {
    let archive = Archive::default();
    archive.put("a.ron", 1, Ok("Tree(version: 1, root: Nix)"));
    archive.put("b.ron", 1, Err(SourceError::Other("it is locked".into())));
    archive.put("c.ron", 1, Ok(IDLE));
    let told = Library::new(&archive).check_all(&registry()).plain();
    let expected = "\
a.ron:1:24: error[P0201]: unknown node `Nix`; in: Tree; help: no leaf of that name is registered
b.ron:1:1: error[P0601]: cannot read `b.ron`: it is locked
shut:1:1: error[P0601]: cannot read `shut`: it is shut";
    assert_eq!(told, expected);
    let mut library = Library::new(&archive);
    for name in ["a.ron", "b.ron", "c.ron"] {
        let _ = library.load(name, &registry());
    }
    archive.put("a.ron", 2, Ok("Tree(version: 1, root: Nox)"));
    archive.put("c.ron", 2, Ok(WAIT));
    assert_eq!(poll(&mut library), "a.ron, c.ron -> c.ron (Wait) / a.ron");
}

#[test]
fn one_broken_file_of_two_hundred_is_told_once() {
    let name = |at: usize| format!("f{at:03}.ron");
    let user = r#"Tree(version: 1, root: Sequence([Subtree("part.ron"), Idle]))"#;
    let mut texts: Texts = (0..199).map(|at| (name(at), user.to_owned())).collect();
    texts.insert("part.ron".into(), IDLE.into());
    let mut library = Library::new(texts);
    for at in 0..199 {
        library.load(&name(at), &registry()).unwrap();
    }
    put(&mut library, "part.ron", "Tree(version: 1, root: Idl)");
    put(&mut library, "f007.ron", IDLE);
    let changes = library.poll(&registry());
    let report = changes.report.unwrap();
    assert_eq!((report.diagnostics().len(), report.more()), (1, 0), "{report}");
    assert_eq!((changes.broken.len(), changes.trees.len()), (198, 1));
    assert_eq!(changes.trees[0].0, "f007.ron");
    put(&mut library, "part.ron", WAIT);
    assert_eq!(library.poll::<Game>(&registry()).trees.len(), 198);
}

#[test]
fn many_problems_of_several_trees_are_counted_once() {
    let user = r#"Tree(version: 1, root: Sequence([Subtree("many.ron"), Nix]))"#;
    let mut library = Library::new(files(&[("a.ron", user), ("b.ron", user), ("many.ron", IDLE)]));
    for name in ["a.ron", "b.ron"] {
        assert_eq!(library.load::<Game>(name, &registry()).unwrap_err().diagnostics().len(), 1);
    }
    put(&mut library, "many.ron", &format!("Tree(version: 1, root: Sequence([{}]))", "Nix, ".repeat(1_200)));
    let report = library.poll::<Game>(&registry()).report.unwrap();
    assert_eq!(report.diagnostics().len(), pleach_core::limits::MAX_PROBLEMS);
    assert!(report.more() >= 200, "{}", report.more());
    let parts = report.split();
    let mut names: Vec<&str> = parts.iter().map(|it| it.file()).collect();
    names.sort_unstable();
    assert!(names.is_sorted_by(|a, b| a < b), "those of a file stand behind each other: {names:?}");
}

/// What has changed on the disk, and the first line of the report, without the directory and the
/// place in the tree.
fn polled(place: &Place, library: &mut Library) -> (String, String) {
    let changes = library.poll(&registry());
    let report = changes.report.as_ref().map(|it| it.plain().replace(&format!("{}/", place.0.display()), ""));
    let line = report.and_then(|it| it.split(['\n', ';']).next().map(str::to_owned));
    (said(changes), line.unwrap_or_default())
}

const MAIN: &str = "Tree(version: 1, root: Sequence([Subtree(\"part.ron\"), Idle]))";

#[test]
fn whatever_becomes_of_a_file_on_the_disk_is_told_and_mended_by_mending_it() {
    let place = Place::new("poll");
    place.write("main.ron", MAIN);
    place.write("part.ron", IDLE);
    let mut library = place.library();
    library.load("main.ron", &registry()).unwrap();
    let path = place.0.join("part.ron");
    let mut poll = || polled(&place, &mut library);
    let nothing = (NOTHING.to_owned(), String::new());
    let right = |kind: &str| (format!("part.ron -> main.ron (Sequence {kind} Idle) / "), String::new());
    assert_eq!(poll(), nothing);

    let wrong = "part.ron ->  / main.ron";
    let mut broken = |what: &str| {
        let (said, told) = poll();
        assert_eq!(said, wrong, "{told}");
        assert!(told.starts_with(what), "{told}");
        assert_eq!(poll(), nothing, "it is told once");
        place.write("mended.ron", WAIT);
        // As many editors save: under another name, and then renamed.
        fs::rename(place.0.join("mended.ron"), &path).unwrap();
        assert_eq!(poll(), right("Wait"));
    };
    place.write("part.ron", &WAIT[..20]);
    broken("part.ron:1:5: error[P0103]: ");
    fs::write(&path, [b'T', 0xff, 0xfe]).unwrap();
    broken("part.ron:1:2: error[P0101]: the file is not UTF-8");
    fs::write(&path, "").unwrap();
    broken("part.ron:1:1: error[P0101]: ");
    fs::remove_file(&path).unwrap();
    broken("main.ron:1:42: error[P0601]: there is no file `part.ron` to include");
    fs::rename(&path, place.0.join("prt.ron")).unwrap();
    broken("main.ron:1:42: error[P0601]: there is no file `part.ron` to include");
    let large = fs::File::create(&path).unwrap();
    large.set_len(pleach_asset::MAX_FILE + 1).unwrap();
    broken("main.ron:1:42: error[P0601]: cannot include `part.ron`: it is larger than 32 MiB");

    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let (said, told) = poll();
    assert_eq!(said, wrong);
    assert_eq!(told, "main.ron:1:42: error[P0601]: cannot include `part.ron`: it is a directory, not a file");
    assert_eq!(poll(), nothing);
    fs::remove_dir(&path).unwrap();
    let (said, told) = poll();
    assert!(said == wrong && told.contains("there is no file `part.ron`"), "{told}");
    place.write("part.ron", IDLE);
    assert_eq!(poll(), right("Idle"));
}

#[test]
fn changes_of_the_same_length_in_quick_succession_are_all_seen() {
    let place = Place::new("quick");
    place.write("main.ron", "Tree(version: 1, root: Wait(0.0))");
    let mut library = place.library();
    library.load("main.ron", &registry()).unwrap();
    let mut last = String::new();
    for at in 0..200 {
        // It is changed twice between two polls, so at times between two ticks of the disk's clock.
        place.write("main.ron", &format!("Tree(version: 1, root: Wait({}.0))", at % 9 + 1));
        for (_, tree) in library.poll::<Game>(&registry()).trees {
            last = tree.root().to_string();
        }
        place.write("main.ron", &format!("Tree(version: 1, root: Wait({}.5))", at % 9 + 1));
        for (_, tree) in library.poll::<Game>(&registry()).trees {
            last = tree.root().to_string();
        }
        assert_eq!(last, format!("n0 Wait({}.5 s)", at % 9 + 1), "round {at}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_are_not_opened_and_links_are_followed() {
    use std::os::unix::fs::symlink;
    let place = Place::new("links");
    place.write("main.ron", MAIN);
    place.write("part.ron", IDLE);
    let mut library = place.library();
    library.load("main.ron", &registry()).unwrap();
    let path = place.0.join("part.ron");
    let mut poll = || polled(&place, &mut library);
    let wrong = |why: &str| ("part.ron ->  / main.ron".to_owned(), format!("main.ron:1:42: error[P0601]: {why}"));

    fs::remove_file(&path).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
    assert_eq!(poll(), wrong("cannot include `part.ron`: it is a pipe, not a file"));
    fs::remove_file(&path).unwrap();
    symlink("part.ron", &path).unwrap();
    let (said, told) = poll();
    assert_eq!(said, wrong("").0);
    assert!(told.starts_with("main.ron:1:42: error[P0601]: cannot include `part.ron`: it cannot be read: "), "{told}");
    fs::remove_file(&path).unwrap();
    symlink("other.ron", &path).unwrap();
    assert_eq!(poll(), wrong("there is no file `part.ron` to include"));
    assert_eq!(poll().0, NOTHING);
    place.write("other.ron", WAIT);
    assert_eq!(poll().0, "part.ron -> main.ron (Sequence Wait Idle) / ");
    place.write("other.ron", "Tree(version: 1, root: Wait(2.0))");
    assert_eq!(poll().0, "part.ron -> main.ron (Sequence Wait Idle) / ");

    // A check of everything names links that lead nowhere among files that can be read.
    symlink("nowhere.ron", place.0.join("dangling.ron")).unwrap();
    symlink("loop.ron", place.0.join("loop.ron")).unwrap();
    place.write("wrong.ron", "Tree(version: 1, root: Nix)");
    let everything = place.everything();
    let lines: Vec<&str> = everything.lines().collect();
    assert_eq!(lines.len(), 3, "{everything}");
    assert!(lines[0].starts_with("dangling.ron:1:1: error[P0601]: cannot read `dangling.ron`: it does not exist"));
    assert!(lines[1].starts_with("loop.ron:1:1: error[P0601]: cannot read `loop.ron`: it cannot be read: "));
    assert!(lines[2].starts_with("wrong.ron:1:24: error[P0201]: unknown node `Nix`"));
}
