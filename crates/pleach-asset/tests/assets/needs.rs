//! Keys that the game relies on: files that lack one are refused where it should stand, and keys
//! that only the game uses give no warning.

use std::collections::BTreeMap;

use pleach_asset::{Library, Manifest, Registry, Report, check_str, load_baked, load_str};
use pleach_core::schema::{Access, KeyFinder, NeededWords, Scope};
use pleach_core::{Forest, Host, Key, KeySet, Status, Symbol, SymbolEnum, Type};

use super::common::{Game, compare};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Range {
    Near,
    Far,
}

impl SymbolEnum for Range {
    const ALL: &'static [Self] = &[Range::Near, Range::Far];
    const WORDS: &'static [&'static str] = &["near", "far"];
    const SYMBOLS: &'static [Symbol] = &[Symbol::new("near"), Symbol::new("far")];
    fn symbol(self) -> Symbol {
        Self::SYMBOLS[self as usize]
    }
}

struct GuardKeys {
    sees: Key<bool>,
    range: Key<Range>,
    plan: Key<i64>,
    alarm: Key<bool>,
}

impl KeySet for GuardKeys {
    fn find(keys: &mut KeyFinder<'_>) -> Option<Self> {
        let sees = keys.key("sees", Scope::Agent, Some(Access::Write), "Whether it sees \"anybody\".");
        let range = keys.key("range", Scope::Agent, Some(Access::ReadWrite), "");
        let plan = keys.key("plan", Scope::Group, None, "");
        let alarm = keys.key("alarm", Scope::Global, Some(Access::Read), "");
        let _nerve: Option<Option<Key<f32>>> = keys.key("nerve", Scope::Agent, None, "");
        Some(GuardKeys { sees: sees?, range: range?, plan: plan?, alarm: alarm? })
    }
}

const GUARD: &str = r#"Tree(
    version: 1,
    blackboard: { "sees": Bool(false), "range": Symbol("far", ["near", "far"]), "nerve": Float(0.5) },
    group: { "plan": Int(0) },
    global: { "alarm": Bool(false) },
    root: Idle,
)
"#;

fn registry() -> Registry<Game> {
    let mut registry = Registry::new();
    registry.keys::<GuardKeys>("guard").unwrap();
    registry
}

fn plain(report: &Report) -> String {
    report.plain().to_string()
}

/// The problems of the guard, if its file has this instead.
fn wrong(changes: &[(&str, &str)]) -> String {
    let source = changes.iter().fold(GUARD.to_owned(), |it, (from, to)| {
        assert!(it.contains(from), "{from}");
        it.replace(from, to)
    });
    load_str("guard.ron", &source, &registry()).err().map(|it| plain(&it)).unwrap_or_default()
}

#[test]
fn a_reload_that_renames_a_key_of_the_game_is_refused_with_its_place() {
    let registry = Registry::<Game>::new();
    let mut forest = Forest::new(1);
    let mut library = Library::new(BTreeMap::from([("guard.ron".to_owned(), GUARD.to_owned())]));
    let tree = library.add_tree("guard.ron", &registry, &mut forest).unwrap();
    let keys: GuardKeys = forest.bind(tree).unwrap();
    let agent = forest.spawn(&mut (), tree).unwrap();

    library.source_mut().insert("guard.ron".into(), GUARD.replace("sees", "seen"));
    let reload = library.reload(&registry, &mut forest, &mut ()).unwrap();
    assert!(reload.replaced.is_empty() && reload.refused.is_empty());
    compare("tests/needs/reload.txt", &format!("{reload}\n"));
    // The old tree keeps running, with its keys.
    assert!(forest.keys_mut(agent).unwrap().set(keys.sees, true));
    assert!(library.reload(&registry, &mut forest, &mut ()).is_none(), "it is told once");

    // Mended, with other keys before: the keys of the game work on.
    let moved = GUARD.replace("blackboard: {", "blackboard: { \"first\": Bool(true),");
    library.source_mut().insert("guard.ron".into(), moved);
    let reload = library.reload(&registry, &mut forest, &mut ()).unwrap();
    assert_eq!(reload.replaced.len(), 1, "{reload}");
    let mut it = forest.keys_mut(agent).unwrap();
    assert!(it.get(keys.sees) && it.set(keys.sees, false) && it.set(keys.range, Range::Near));
    assert!(it.set(keys.plan, 4) && it.set(keys.alarm, true));
}

#[test]
fn each_problem_with_a_key_of_the_game_stands_at_its_place() {
    assert_eq!(wrong(&[]), "");
    assert_eq!(wrong(&[("\"nerve\": Float(0.5)", "")]), "", "it is optional");
    let source = r#"Tree(
    version: 1,
    blackboard: { "seen": Bool(false), "range": Symbol("far", ["near", "far", "touch"]), "nerve": Int(1) },
    global: { "plan": Int(0), "alarm": Float(1.0) },
    root: Nothing,
)
"#;
    let report = load_str("guard.ron", source, &registry()).unwrap_err();
    compare("tests/needs/guard.txt", &format!("{report}\n"));
    let bare = load_str("guard.ron", "Tree(version: 1, root: Idle)", &registry()).unwrap_err();
    compare("tests/needs/bare.txt", &format!("{bare}\n"));
    let missing = wrong(&[("[\"near\", \"far\"]", "[\"nearr\", \"far\"]")]);
    assert!(missing.contains("guard.ron:3:40: error[P0309]: the game relies on the word `near`"), "{missing}");
    assert!(missing.contains("did you mean `nearr`?"), "{missing}");
    let missing = wrong(&[("[\"near\", \"far\"]", "[\"far\"]")]);
    assert!(missing.contains("help: add `\"near\"` to its words"), "{missing}");
}

#[test]
fn a_declaration_that_is_wrong_itself_is_not_missing_too() {
    for (from, to) in [("Bool(false), \"range\"", "Bool(fals), \"range\""), ("Int(0)", "Whole(0)")] {
        let told = wrong(&[(from, to)]);
        assert!(!told.is_empty() && !told.contains("the game relies on"), "{told}");
    }
    let told = wrong(&[("blackboard: { \"sees\": Bool(false),", "blackboard: [ \"sees\": Bool(false),")]);
    assert!(!told.is_empty() && !told.contains("the game relies on"), "{told}");
}

#[test]
fn trees_of_other_names_and_parts_of_trees_are_not_asked() {
    let registry = registry();
    assert!(load_str("dog.ron", "Tree(version: 1, root: Idle)", &registry).is_ok());
    assert!(load_str("dog.ron", "Tree(version: 1, name: \"guard\", root: Idle)", &registry).is_err());
    assert!(load_str("a/guard.ron", "Tree(version: 1, root: Idle)", &registry).is_err());
    let files = BTreeMap::from([
        ("dog.ron", "Tree(version: 1, root: Subtree(\"guard.ron\"))"),
        ("guard.ron", "Tree(version: 1, root: Idle)"),
    ]);
    let mut library = Library::new(files);
    assert!(library.load("dog.ron", &registry).is_ok());
    assert!(library.load("guard.ron", &registry).is_err());
}

fn warnings<H: Host>(registry: &Registry<H>, source: &str) -> Vec<String> {
    let (_, report) = check_str("guard.ron", source, registry).unwrap();
    report.diagnostics().iter().map(|it| it.message().to_owned()).collect()
}

#[test]
fn keys_that_only_the_game_uses_are_no_warnings() {
    let all = GUARD.replace("\"nerve\"", "\"unused\": Int(0), \"nerve\"");
    let told = |key: &str| format!("the key `{key}` is not used in this tree");
    let expected = ["sees", "range", "unused", "nerve"].map(told);
    assert_eq!(warnings(&Registry::<Game>::new(), &all), expected);
    assert_eq!(warnings(&registry(), &all), [told("unused")]);
    // A tool that has only the manifest reports the same, errors included.
    let manifest = Manifest::of(&registry());
    let described = Manifest::parse("a", &manifest.to_ron()).unwrap().registry().unwrap();
    assert_eq!(warnings(&described, &all), [told("unused")]);
    let lacks = all.replace("sees", "seen");
    let of_game = load_str("guard.ron", &lacks, &registry()).unwrap_err();
    assert_eq!(plain(&load_str("guard.ron", &lacks, &described).unwrap_err()), plain(&of_game));
}

/// The key of a part of a tree.
struct PartKeys(Key<f32>);

impl KeySet for PartKeys {
    fn find(keys: &mut KeyFinder<'_>) -> Option<Self> {
        keys.key("fight.range", Scope::Agent, None, "").map(PartKeys)
    }
}

#[test]
fn the_key_of_a_part_has_its_full_name() {
    let mut registry = Registry::<Game>::new();
    registry.keys::<PartKeys>("guard").unwrap();
    let part = "Tree(version: 1, blackboard: { \"range\": Float(1.0) }, root: Idle)";
    let files = |part: &str| {
        let guard = "Tree(version: 1, root: Subtree(\"fight.ron\"))";
        BTreeMap::from([("guard.ron".to_owned(), guard.to_owned()), ("fight.ron".to_owned(), part.to_owned())])
    };
    let library = Library::new(files(part));
    let (tree, report) = library.check("guard.ron", &registry).unwrap();
    assert!(report.is_empty(), "{report}");
    let (mut forest, PartKeys(range)) = (Forest::new(1), tree.bind().unwrap());
    let id = forest.add_tree(tree).unwrap();
    let agent = forest.spawn(&mut (), id).unwrap();
    assert!(forest.keys_mut(agent).unwrap().set(range, 2.0));
}

/// The problems of a guard that needs `fight.range`, if its files have this.
fn wrong_part(guard: &str, fight: &str) -> String {
    let mut registry = Registry::<Game>::new();
    registry.keys::<PartKeys>("guard").unwrap();
    let files = BTreeMap::from([("guard.ron", guard), ("fight.ron", fight)]);
    let told = Library::new(files).load("guard.ron", &registry).err().map(|it| plain(&it)).unwrap_or_default();
    told.replace(
        " error[P0309]: the game relies on the agent key `fight.range` of type Float, which this tree does not declare;",
        "",
    )
}

const FIGHT: &str = "Tree(version: 1,\n    blackboard: { \"range\": Float(1.0) }, root: Idle)";

#[test]
fn a_renamed_key_of_an_instance_is_told_in_the_file_of_the_instance() {
    let guard =
        "Tree(version: 1, blackboard: { \"x\": Int(0) }, root: Sequence([Check(\"x > 0\"), Subtree(\"fight.ron\")]))";
    assert_eq!(wrong_part(guard, FIGHT), "");
    let told = wrong_part(guard, &FIGHT.replace("range", "rnge"));
    assert!(told.starts_with("fight.ron:2:5: in: Tree; did you mean `range`?: fight.ron:2:19; "), "{told}");
    assert!(told.ends_with("; help: declare it in `blackboard`: `\"range\": Float(0.0)`"), "{told}");
    let told = wrong_part(guard, &FIGHT.replace("Float(1.0)", "Int(1)"));
    assert!(
        told.starts_with(
            "fight.ron:2:19: error[P0309]: the game relies on the agent key `fight.range` of type Float, which is Int"
        ),
        "{told}"
    );
}

#[test]
fn a_key_of_an_instance_that_is_not_there_is_told_at_one_with_a_similar_name() {
    let help = "help: `fight.range` is a key of an instance: give a `Subtree` or `Use` the name `fight`, and declare `range` in its file";
    let guard = |node: &str| format!("Tree(version: 1,\n  root: Sequence([\n    {node},\n    Idle]))");
    for (node, place) in [
        ("Subtree(asset: \"fight.ron\", name: \"fihgt\")", "guard.ron:3:39: "),
        ("Subtree(asset: \"fight.ron\", name: \"other\")", "guard.ron:1:1: "),
        ("Idle", "guard.ron:1:1: "),
    ] {
        let told = wrong_part(&guard(node), FIGHT);
        assert!(told.starts_with(place) && told.contains(help), "{told}");
    }
    let told = wrong_part(&guard("Subtree(asset: \"fight.ron\", disabled: true)"), FIGHT);
    assert!(
        told.starts_with("guard.ron:3:5: ") && told.contains("is a key of this instance, which is disabled"),
        "{told}"
    );
    // What is missing because of a missing file has been reported.
    let told = wrong_part(&guard("Subtree(asset: \"fihgt.ron\", name: \"fight\")"), FIGHT);
    assert!(told.contains("there is no file `fihgt.ron`") && !told.contains("fight.range"), "{told}");
}

#[test]
fn a_key_of_a_template_is_told_where_the_template_is_used() {
    let guard = "Tree(version: 1, templates: { \"fight\": (root: Idle) },\n  root: Use(\"fight\"))";
    let told = wrong_part(guard, FIGHT);
    assert!(told.starts_with("guard.ron:2:9: ") && !told.contains("help"), "{told}");
}

#[test]
fn keys_of_all_trees_are_asked_of_each() {
    let mut registry = Registry::<Game>::new();
    registry.keys::<PartKeys>(None).unwrap();
    for name in ["guard.ron", "dog.ron"] {
        assert!(load_str(name, "Tree(version: 1, root: Idle)", &registry).is_err(), "{name}");
    }
}

#[test]
fn baked_trees_are_asked_too() {
    let bytes = Library::new(BTreeMap::from([("guard.ron", "Tree(version: 1, root: Idle)")]))
        .bake("guard.ron", &Registry::<Game>::new())
        .unwrap();
    let error = load_baked("guard.baked", &bytes, &registry()).unwrap_err().to_string();
    assert!(error.contains("the game relies on the agent key `sees` of type Bool"), "{error}");
    // Nor is one baked that lacks a key.
    let lacking = Library::new(BTreeMap::from([("guard.ron", "Tree(version: 1, root: Idle)")]));
    assert!(lacking.bake("guard.ron", &registry()).is_err());
    assert!(registry().builder("guard").build(pleach_core::nodes::idle()).is_err());
    assert!(registry().builder("dog").build(pleach_core::nodes::idle()).is_ok());
}

#[test]
fn manifests_hold_the_keys_of_the_game() {
    let mut registry = registry();
    registry.keys::<PartKeys>("guard").unwrap().keys::<PartKeys>(None).unwrap();
    let manifest = Manifest::of(&registry);
    let text = manifest.to_ron();
    let again = Manifest::parse("a", &text).unwrap();
    assert_eq!(again, manifest);
    assert_eq!(again.to_ron(), text);
    assert_eq!(Manifest::of(&manifest.registry().unwrap()), manifest);
    let names: Vec<_> = again.keys.iter().map(|(tree, key)| (tree.as_deref(), &*key.name, key.scope, key.ty)).collect();
    assert_eq!(names[0], (Some("guard"), "sees", Scope::Agent, Type::Bool));
    assert_eq!(names[3], (Some("guard"), "alarm", Scope::Global, Type::Bool));
    assert_eq!(names[6], (None, "fight.range", Scope::Agent, Type::Float));
    let [sees, range, ..] = &again.keys[..] else { panic!() };
    assert_eq!((&*sees.1.doc, sees.1.access), ("Whether it sees \"anybody\".", Some(Access::Write)));
    assert_eq!(range.1.words, NeededWords::Exactly(vec!["near".into(), "far".into()]));
    assert!(again.keys[4].1.optional);
    // Stand-ins for the leaves ask for the same keys.
    let paper: Registry<Game> = registry.stubbed(|_, _| pleach_core::nodes::action(|_| Status::Success));
    assert!(load_str("guard.ron", "Tree(version: 1, root: Idle)", &paper).is_err());
}

/// A key of another type than that of the guards.
struct Otherwise;

impl KeySet for Otherwise {
    fn find(keys: &mut KeyFinder<'_>) -> Option<Self> {
        let plan: Option<Key<f32>> = keys.key("plan", Scope::Group, None, "");
        plan.map(|_| Otherwise)
    }
}

/// The key of a node.
struct OfNode;

impl KeySet for OfNode {
    fn find(keys: &mut KeyFinder<'_>) -> Option<Self> {
        let own: Option<Key<f32>> = keys.key("own", Scope::Node, None, "");
        own.map(|_| OfNode)
    }
}

#[test]
fn keys_that_no_tree_can_have_are_not_registered() {
    let mut registry = registry();
    assert!(registry.keys::<GuardKeys>("guard").is_ok(), "the same again");
    assert!(registry.keys::<Otherwise>("dog").is_ok());
    assert!(registry.keys::<Otherwise>(None).is_err(), "guards are among all trees");
    let error = registry.keys::<Otherwise>("guard").unwrap_err().to_string();
    assert_eq!(error, "the game relies on the key `plan` twice, with different types or words");
    let error = registry.keys::<OfNode>("guard").unwrap_err().to_string();
    assert_eq!(error, "`own` is the key of a node: the game cannot rely on it");
}

#[test]
fn keys_for_a_tree_of_a_name_that_no_file_has_are_a_warning_if_all_files_are_checked() {
    let mut registry = Registry::<Game>::new();
    registry.keys::<PartKeys>("gaurd").unwrap().keys::<PartKeys>(None).unwrap();
    let mut files =
        BTreeMap::from([("guard.ron", "Tree(version: 1, root: Subtree(\"fight.ron\"))"), ("fight.ron", FIGHT)]);
    let all = |files: &BTreeMap<_, _>| Library::new(files.clone()).check_all(&registry);
    let told = plain(&all(&files));
    assert!(
        told.ends_with(
            "warning[P1017]: keys are declared for the tree `gaurd`, but no file here has that name; help: did you mean `guard`?"
        ),
        "{told}"
    );
    assert_eq!(all(&files).diagnostics().len(), 1);
    assert!(
        Library::new(files.clone()).check_files(&["guard.ron".into()], &registry).is_empty(),
        "there may be others"
    );
    // The tree may be in a file that cannot be read.
    files.insert("broken.ron", "Tree(");
    assert!(!plain(&all(&files)).contains("gaurd"));
    files.insert("broken.ron", "Tree(version: 1, name: \"gaurd\", root: Subtree(\"fight.ron\"))");
    assert!(all(&files).is_empty());
}
