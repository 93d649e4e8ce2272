//! Baked trees: they read back as they were written, and nothing in the bytes is trusted.

use std::fmt::Write;

use pleach_asset::{Library, Registry, is_baked, load_baked};
use pleach_core::{Forest, Status, Tree, Type};

use super::common::{Game, Place, Rng, registry};
use super::library::files;

const ALL: &str = include_str!("../trees/all.ron");

/// Every way to include other files.
const MAIN: &str = r#"Tree(version: 1, name: "main", note: "the whole",
    blackboard: { "prey": Vec3(1, 2, 3), "mood": Symbol("calm", ["calm", "mad"]), "met": Time(0.000000001) }, group: { "alarm": Bool(false) },
    events: { "noise": Vec2 },
    templates: { "twice": (ports: { "pause": In(Float) }, root: Repeat(2, Wait("pause"))) },
    root: Selector([
        Subtree(asset: "parts/hunt.ron", with: { "prey": "prey", "range": 4.5 }, name: "first", id: "h", nodes: {
            "first": Use(template: "twice", id: "t", with: { "pause": 0.5 }), "then": [Check("mood == mad"), Say("x")] }),
        Subtree(asset: "parts/hunt.ron", with: { "prey": "prey" }),
        Use(template: "twice", with: { "pause": 1.5 }),
        Slot(name: "rest", trees: ["nap.ron", "parts/yawn.ron"], initial: "nap"),
    ]))"#;
const HUNT: &str = r#"Tree(version: 1, name: "hunt", note: "a part",
    ports: { "prey": In(Vec3), "range": In(Float, 2.0) }, nodes: { "first": One(default: Check("rounds > 0")), "then": Many(default: []) },
    blackboard: { "rounds": Int(-7) }, group: { "alarm": Bool(false) },
    root: Sequence(services: [(every: "range", jitter: 0.5, run: Say("a \"word\"\n"))], children: [
        Check("rounds < range"), MoveTo(target: "prey", speed: 0x10, gait: Some(Run(factor: 2.5))), Set("rounds", "rounds + 1"),
        Node("first"), Nodes("then"),
    ]))"#;

const NAP: &str = "Tree(version: 1, root: Wait(seconds: 2.0, jitter: 0.5))";
const YAWN: &str = r#"Tree(version: 1, interrupts: [(when: Tired, run: Patrol)], root: Switch(on: "n", cases: { 1: Idle, -2: Fail }, default: Succeed), blackboard: { "n": Int(1) })"#;

fn library() -> Library<std::collections::BTreeMap<String, String>> {
    let list =
        [("main.ron", MAIN), ("parts/hunt.ron", HUNT), ("nap.ron", NAP), ("parts/yawn.ron", YAWN), ("all.ron", ALL)];
    Library::new(files(&list))
}

/// Everything visible of a tree, except origins.
fn seen(tree: &Tree<Game>) -> String {
    let mut seen = format!("{:?} {:?}\n", tree.name(), tree.footprint());
    tree.schema().keys().for_each(|it| writeln!(seen, "{it:?}").expect("a string"));
    tree.schema().events().for_each(|it| writeln!(seen, "{it:?}").expect("a string"));
    for it in tree.nodes() {
        let shown = (it.kind(), it.name(), it.id_text(), it.note(), it.detail(), it.abort(), it.path());
        writeln!(seen, "{it} {shown:?}").expect("a string");
    }
    for it in tree.instances() {
        let shown = (it.full_name(), it.file(), it.id_text(), it.note(), it.root().id());
        writeln!(seen, "{shown:?}").expect("a string");
    }
    seen
}

fn baked(name: &str) -> Vec<u8> {
    library().bake(name, &registry()).unwrap_or_else(|it| panic!("{it}"))
}

#[test]
fn a_baked_tree_is_the_tree() {
    for name in ["main.ron", "all.ron", "parts/yawn.ron"] {
        let read = library().load(name, &registry()).unwrap_or_else(|it| panic!("{it}"));
        let again = load_baked(name, &baked(name), &registry()).unwrap();
        assert_eq!(seen(&again), seen(&read));
        // A registry that knows the leaves only by their descriptions can bake it.
        let manifest = pleach_asset::Manifest::of(&registry()).registry().unwrap();
        assert_eq!(library().bake(name, &manifest).unwrap(), baked(name), "{name}");
    }
    assert!(is_baked(&baked("main.ron")) && !is_baked(ALL.as_bytes()));
}

#[test]
fn agents_go_on_from_the_one_form_to_the_other() {
    let read = library().load("main.ron", &registry()).unwrap();
    let again = load_baked("main", &baked("main.ron"), &registry()).unwrap();
    let mut forest = Forest::<Game>::new(7);
    let tree = forest.add_tree(read).unwrap();
    let agent = forest.spawn(&mut (), tree).unwrap();
    forest.tick(&mut (), 0.1).unwrap();
    let does = forest.agent(agent).unwrap().inspect().to_string();
    let report = forest.replace_tree(&mut (), tree, again).unwrap();
    assert_eq!((report.agents_kept, report.agents_restarted, report.keys), (1, 0, Vec::new()));
    assert_eq!((&*does, forest.agent(agent).unwrap().inspect().to_string()), ("MoveTo", does.clone()));
}

#[test]
fn baked_trees_are_the_same_wherever_they_are_baked() {
    let list =
        [("game/main.ron", MAIN), ("game/parts/hunt.ron", HUNT), ("game/nap.ron", NAP), ("game/parts/yawn.ron", YAWN)];
    let bytes = Library::new(files(&list)).bake("game/main.ron", &registry()).unwrap();
    assert_eq!(bytes, baked("main.ron"));
    let place = Place::new("baked");
    list.iter().for_each(|(name, text)| place.write(name, text));
    assert_eq!(place.library().bake("game/main.ron", &registry()).unwrap(), bytes);
}

#[test]
fn each_file_that_stands_in_no_other_is_baked() {
    let names: Vec<String> =
        ["nap.ron", "main.ron", "parts/hunt.ron", "all.ron"].iter().map(|&it| it.to_owned()).collect();
    let all = library().bake_files(&names, &registry()).unwrap();
    let found: Vec<&str> = all.iter().map(|it| &*it.0).collect();
    assert_eq!(found, ["main.ron", "all.ron"]);
    assert!(all.iter().all(|it| it.1 == baked(&it.0)));
}

#[test]
fn what_is_included_again_and_again_is_bounded() {
    let uses = "Use(template: \"t\"), ".repeat(100);
    let main = |size: usize| {
        let say = format!("Say(\"{}\")", "x".repeat(size));
        format!("Tree(version: 1, templates: {{ \"t\": (root: {say}) }}, root: Sequence([{uses}]))")
    };
    let library = |size| Library::new(files(&[("a.ron", &main(size))]));
    let bytes = library(600_000).bake("a.ron", &registry()).unwrap();
    assert!(bytes.len() < 610_000);
    assert_eq!(load_baked("a.baked", &bytes, &registry()).unwrap().len(), 101);
    let report = library(700_000).bake("a.ron", &registry()).unwrap_err();
    assert!(report.plain().contains("the parameters of leaves take more than 64 MiB"), "{}", report.plain());
    assert_eq!(report.diagnostics().len(), 1);
}

#[test]
fn what_is_wrong_is_not_baked() {
    let library = Library::new(files(&[
        ("good.ron", "Tree(version: 1, root: Idle)"),
        ("bad.ron", "Tree(version: 1, root: Sequence([Patroll, Wait(true)]))"),
    ]));
    let report = library.bake("bad.ron", &registry()).unwrap_err();
    assert_eq!(report.diagnostics().len(), 2);
    let names = ["good.ron".to_owned(), "bad.ron".to_owned()];
    assert_eq!(library.bake_files(&names, &registry()).unwrap_err().plain(), report.plain());
    assert!(library.bake("none.ron", &registry()).is_err());
}

/// The error for a baked tree that cannot be loaded.
fn refused(bytes: &[u8], registry: &Registry<Game>) -> String {
    load_baked("a.baked", bytes, registry).expect_err("it is wrong").to_string()
}

#[test]
fn a_game_whose_leaves_have_changed_says_what_is_missing() {
    let mut other = Registry::<Game>::new();
    other.action_fn("MoveTo", |_| Status::Success).unwrap();
    other.action_fn("Say", |_| Status::Success).unwrap();
    other.condition_fn("Patrol", |_| true).unwrap();
    let said = refused(&baked("main.ron"), &other);
    for part in [
        "`a.baked` does not fit this game: bake it again, with its leaves; the tree has ",
        "\n  Selector/first:Sequence[0]/MoveTo[1]: `MoveTo` has no parameter `target`: `MoveTo` takes no parameters",
        "\n  Selector/first:Sequence[0]: `services[0]`: `Say`: it takes no parameters",
        "unknown node `Tired`: no leaf of that name is registered",
    ] {
        assert!(said.contains(part), "no {part:?} in {said}");
    }
    // Events of the host are not the tree's.
    let mut host = registry();
    host.event("bark", None).unwrap();
    let listens = Library::new(files(&[("a.ron", "Tree(version: 1, root: OnEvent(\"bark\"))")]));
    let bytes = listens.bake("a.ron", &host).unwrap();
    assert!(load_baked("a.baked", &bytes, &host).is_ok());
    assert!(refused(&bytes, &registry()).contains("unknown event `bark`"));
    let mut other = registry();
    other.event("noise", Type::Bool).unwrap();
    let error = load_baked("a.baked", &baked("main.ron"), &other).unwrap_err();
    assert!(error.tree().is_some_and(|it| it.problems.len() == 1), "{error}");
}

#[test]
fn what_is_no_baked_tree_says_so() {
    let registry = registry();
    let is_none = "`a.baked` is not a baked tree: make one from a RON file with `pleach bake`";
    for bytes in [&b""[..], b"pleac", b"Tree(version: 1, root: Idle)", b"\x7fELF", b"pleach is nice", b"pleachrc"] {
        assert_eq!(refused(bytes, &registry), is_none);
    }
    let good = baked("main.ron");
    let mut newer = good.clone();
    newer[6] = 31;
    let said = refused(&newer, &registry);
    assert!(said.contains("was baked in form 31") && said.ends_with(": bake it again"), "{said}");
    // Cut at every place, and with a byte too many.
    for end in 7..good.len() {
        let said = refused(&good[..end], &registry);
        assert!(said.starts_with("`a.baked` is damaged"), "{end}: {said}");
    }
    let longer = [&good[..], &[0]].concat();
    let of = longer.len();
    assert_eq!(
        refused(&longer, &registry),
        format!("`a.baked` is damaged: invalid data before byte {} of {of}; bake it again", good.len())
    );
    // A name that would break the line.
    let error = load_baked("a\nb", b"", &registry).unwrap_err().to_string();
    assert!(error.starts_with("`a\\nb` is no"), "{error}");
}

#[test]
fn broken_bytes_make_a_tree_or_an_error() {
    let registry = registry();
    let seeds = [baked("main.ron"), baked("all.ron"), baked("parts/yawn.ron")];
    let count = std::env::var("PLEACH_COUNT").ok().and_then(|it| it.parse().ok()).unwrap_or(20_000);
    let seed = std::env::var("PLEACH_SEED").ok().and_then(|it| it.parse().ok()).unwrap_or(7);
    let mut rng = Rng(seed);
    let (mut trees, mut broken, mut unfit) = (0, 0, 0);
    for _ in 0..count {
        let mut bytes = seeds[rng.below(3)].clone();
        for _ in 0..=rng.below(3) {
            let at = 7 + rng.below(bytes.len() - 7);
            let end = (at + rng.below(9)).min(bytes.len());
            match rng.below(5) {
                0 => drop(bytes.drain(at..end)),
                1 => {
                    let part = bytes[at..end].to_vec();
                    let to = 7 + rng.below(bytes.len() - 7);
                    bytes.splice(to..to, part).for_each(drop);
                }
                // A little more or less of something: a count, an index, a kind.
                2 => bytes[at] = bytes[at].wrapping_add(1),
                3 => bytes[at] = bytes[at].wrapping_sub(1),
                _ => bytes[at] = u8::try_from(rng.below(256)).expect("below 256"),
            }
        }
        match load_baked("a.baked", &bytes, &registry) {
            Ok(tree) => {
                trees += 1;
                assert!(!seen(&tree).is_empty());
            }
            Err(error) if error.tree().is_some() => unfit += 1,
            Err(_) => broken += 1,
        }
    }
    assert!(trees * 100 > count && unfit * 100 > count && broken * 10 > count, "{trees} {unfit} {broken} of {count}");
}

/// Bytes of this format, as a game has shipped them.
#[test]
fn the_form_stays_what_it_is() {
    for name in ["all", "main"] {
        let path = format!("{}/tests/baked/{name}_4.baked", env!("CARGO_MANIFEST_DIR"));
        let (asset, bytes) = (format!("{name}.ron"), baked(&format!("{name}.ron")));
        if std::env::var_os("PLEACH_BLESS").is_some() {
            std::fs::write(&path, &bytes).expect("the file can be written");
        }
        let shipped = std::fs::read(&path).expect("the file is there");
        assert!(
            shipped == bytes,
            "the form of baked trees has changed: count `FORM` up, name the files by it, and set PLEACH_BLESS=1"
        );
        let read = library().load(&asset, &registry()).unwrap();
        assert_eq!(seen(&load_baked(name, &shipped, &registry()).unwrap()), seen(&read));
    }
}
