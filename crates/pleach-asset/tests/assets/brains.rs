//! Brains that take the new versions of their trees from a library.

use std::collections::BTreeMap;
use std::sync::Arc;

use pleach_asset::Library;
use pleach_core::schema::{KeyFinder, Scope};
use pleach_core::{Brain, Forest, Key, KeySet, SharedBoard, Tree};

use super::common::{Game, registry};
use super::library::files;

const GUARD: &str =
    r#"Tree(version: 1, group: { "alarm": Int(1) }, root: Sequence([Subtree("rest.ron"), Idle(name: "end")]))"#;
const REST: &str = "Tree(version: 1, root: Wait(name: \"rest\", seconds: 1.0))";

type Texts = BTreeMap<String, String>;

fn library() -> (Library<Texts>, Arc<Tree<Game>>) {
    let mut library = Library::new(files(&[("guard.ron", GUARD), ("rest.ron", REST)]));
    let tree = Arc::new(library.load("guard.ron", &registry()).unwrap());
    (library, tree)
}

/// What every brain reports about a polled tree, if there is one; and what is broken.
fn reload(library: &mut Library<Texts>, brains: &mut [Brain<Game>]) -> (Vec<String>, String) {
    let changes = library.poll(&registry());
    let mut said = Vec::new();
    for (name, tree) in &changes.trees {
        assert_eq!(name, "guard.ron");
        said.extend(
            brains
                .iter_mut()
                .map(|it| it.replace_tree(&mut (), Arc::clone(tree)).expect("no keys are bound").to_string()),
        );
    }
    (said, changes.report.map_or_else(String::new, |it| it.to_string()))
}

fn does(brain: &Brain<Game>) -> String {
    brain.inspect().unwrap().to_string()
}

#[test]
fn brains_go_on_under_a_new_version_as_a_forest_does_and_a_broken_one_changes_nothing() {
    let (mut library, tree) = library();
    let mut beside = Library::new(files(&[("guard.ron", GUARD), ("rest.ron", REST)]));
    let mut forest = Forest::<Game>::new(1);
    let id = beside.add_tree("guard.ron", &registry(), &mut forest).unwrap();
    forest.spawn(&mut (), id).unwrap();
    let mut brains: Vec<_> = (0..3).map(|it| Brain::new(&mut (), Arc::clone(&tree), it)).collect();
    forest.tick(&mut (), 0.5).unwrap();
    brains.iter_mut().for_each(|it| assert_eq!(it.tick(&mut (), 0.5), Ok(None)));

    let texts = [
        REST.replace("1.0", "1"),
        REST.replace("1.0", "1.2"),
        "Tree(version: 1, root: Sequence([Log(\"up\"), Wait(1.0)]))".into(),
        "Tree(version: 1, root: Wa".into(),
        REST.into(),
    ];
    for text in texts {
        library.source_mut().insert("rest.ron".into(), text.clone());
        beside.source_mut().insert("rest.ron".into(), text);
        let (said, broken) = reload(&mut library, &mut brains);
        let expected = beside.reload(&registry(), &mut forest, &mut ()).unwrap();
        assert_eq!(expected.report.map_or_else(String::new, |it| it.to_string()), broken);
        let of_forest: Vec<String> = expected.replaced.iter().map(ToString::to_string).collect();
        assert!(said.iter().all(|it| of_forest.contains(it)) && said.len() == 3 * of_forest.len(), "{said:?}");
        assert_eq!(broken.is_empty(), !said.is_empty());
        forest.tick(&mut (), 0.1).unwrap();
        let agent = forest.agents().next().unwrap();
        for brain in &mut brains {
            brain.tick(&mut (), 0.1).unwrap();
            assert_eq!(does(brain), forest.agent(agent).unwrap().inspect().to_string());
        }
    }
    assert_eq!(reload(&mut library, &mut brains), (vec![], String::new()), "nothing has changed since");
}

#[test]
fn keys_that_brains_share_follow_a_new_version() {
    let (mut library, tree) = library();
    let mut squad = SharedBoard::of_group(&tree);
    let mut brains = [1, 2].map(|it| Brain::new(&mut (), Arc::clone(&tree), it));
    library.source_mut().insert("guard.ron".into(), GUARD.replace("Int(1)", "Int(2)"));
    reload(&mut library, &mut brains);
    let error = brains[0].sharing(&mut squad).unwrap_err().to_string();
    assert!(error.contains("declare the group key `alarm` differently"), "{error}");
    squad.follow(brains[0].tree());
    for brain in &mut brains {
        assert_eq!(brain.sharing(&mut squad).unwrap().keys().value("group.alarm"), Ok(2_i64.into()));
    }
}

/// The key that the game relies on.
struct AlarmKeys(Key<i64>);

impl KeySet for AlarmKeys {
    fn find(keys: &mut KeyFinder<'_>) -> Option<Self> {
        keys.key("alarm", Scope::Group, None, "").map(AlarmKeys)
    }
}

/// In the order that [`Library::poll`] documents: the board follows what the brains have accepted.
#[test]
fn a_squad_shares_on_after_a_version_that_its_brains_refuse() {
    let (mut library, tree) = library();
    let mut squad = SharedBoard::of_group(&tree);
    let mut brains = [1, 2].map(|it| Brain::new(&mut (), Arc::clone(&tree), it));
    let keys = brains.each_mut().map(|it| it.bind::<AlarmKeys>().unwrap());
    let mut refused = Vec::new();
    for (default, expected) in [("Float(0.5)", 1), ("Int(2)", 2)] {
        library.source_mut().insert("guard.ron".into(), GUARD.replace("Int(1)", default));
        for (_, tree) in library.poll(&registry()).trees {
            for brain in &mut brains {
                match brain.replace_tree(&mut (), Arc::clone(&tree)) {
                    Ok(_) => squad.follow(&tree),
                    Err(why) => refused.push(why.to_string()),
                }
            }
        }
        for (brain, AlarmKeys(alarm)) in brains.iter_mut().zip(&keys) {
            brain.sharing(&mut squad).unwrap().tick(&mut (), 0.1).unwrap();
            assert_eq!((brain.keys().get(*alarm), squad.keys().get(*alarm)), (expected, expected));
        }
    }
    let told = "the tree `guard`: the game relies on the group key `alarm` of type Int, which is Float in this tree";
    assert_eq!(refused, [told, told]);
}

#[test]
fn a_poll_says_where_a_key_of_a_brain_should_be_if_the_registry_knows_the_key() {
    let (mut library, _) = library();
    let mut registry = registry();
    registry.keys::<AlarmKeys>("guard").unwrap();
    library.source_mut().insert("guard.ron".into(), GUARD.replace("Int(1)", "Float(0.5)"));
    let changes = library.poll(&registry);
    assert!(changes.trees.is_empty() && changes.broken == ["guard.ron"]);
    let told = changes.report.unwrap().to_string();
    assert!(told.contains(" --> guard.ron:1:27\n"), "{told}");
    assert!(told.contains("help: declare it as `\"alarm\": Int(0)`"), "{told}");
}
