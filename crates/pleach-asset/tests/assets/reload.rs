//! Trees of a forest that are replaced when their files change.

use std::collections::BTreeMap;

use pleach_asset::{Library, LoadError, Registry};
use pleach_core::trace::Recorder;
use pleach_core::{AgentId, Forest, TreeId, Value};

use super::common::{Game, Place, registry};
use super::library::files;

type Texts = BTreeMap<String, String>;

struct World {
    library: Library<Texts>,
    forest: Forest<Game>,
    registry: Registry<Game>,
}

impl World {
    fn new(list: &[(&str, &str)]) -> Self {
        World { library: Library::new(files(list)), forest: Forest::new(1), registry: registry() }
    }

    fn add(&mut self, name: &str) -> (TreeId, AgentId) {
        let tree = self.library.add_tree(name, &self.registry, &mut self.forest).unwrap();
        let agent = self.forest.spawn(&mut (), tree).unwrap();
        (tree, agent)
    }

    fn put(&mut self, name: &str, text: &str) {
        self.library.source_mut().insert(name.into(), text.into());
    }

    fn reload(&mut self) -> Option<String> {
        self.library.reload(&self.registry, &mut self.forest, &mut ()).map(|it| it.to_string())
    }

    fn tick(&mut self) {
        self.forest.tick(&mut (), 0.5).unwrap();
    }

    fn does(&self, agent: AgentId) -> String {
        self.forest.agent(agent).unwrap().inspect().to_string()
    }
}

const GUARD: &str = r#"Tree(version: 1, root: Sequence([Subtree("rest.ron"), Idle(name: "end")]))"#;
const REST: &str = "Tree(version: 1, root: Wait(name: \"rest\", seconds: 1.0))";

#[test]
fn a_tracer_sees_what_a_reload_ends() {
    let mut world = World::new(&[("guard.ron", GUARD), ("rest.ron", REST)]);
    let (_, agent) = world.add("guard.ron");
    world.tick();
    assert_eq!(world.library.files().into_iter().collect::<Vec<_>>(), ["guard.ron", "rest.ron"]);
    world.put("rest.ron", "Tree(version: 1, root: Idle(name: \"stand\"))");
    let (mut recorder, World { library, forest, registry }) = (Recorder::of([agent]), &mut world);
    let reload = library.reload_traced(registry, &mut forest.traced(&mut recorder), &mut ());
    assert_eq!(reload.expect("a file has changed").replaced.len(), 1);
    let ended: Vec<_> = recorder.take().iter().map(|it| it.to_string()).collect();
    assert!(ended.iter().any(|it| it.contains("Aborted(n1, Replaced)")), "{ended:?}");
}

#[test]
fn what_runs_goes_on_and_what_is_broken_stays() {
    let mut world = World::new(&[("guard.ron", GUARD), ("rest.ron", REST)]);
    let (_, agent) = world.add("guard.ron");
    world.tick();
    assert_eq!(world.reload(), None);

    world.put("rest.ron", &REST.replace("1.0", "1"));
    let expected = "rest.ron changed\nguard: 1 agent kept running, 0 restarted; 2 nodes kept";
    assert_eq!(world.reload().as_deref(), Some(expected));

    world.put("rest.ron", &REST[..30]);
    let told = world.reload().unwrap();
    assert!(told.starts_with("rest.ron changed\nerror[P0103]: "), "{told}");
    assert!(told.contains("--> rest.ron:1:") && told.contains("included by guard.ron:1:"), "{told}");
    assert_eq!((world.reload(), world.does(agent).as_str()), (None, "rest"));

    let other = REST.replace("Wait(name: \"rest\", seconds: 1.0)", "WaitTicks(name: \"count\", ticks: 9)");
    world.put("rest.ron", &other);
    let expected = "\
rest.ron changed
guard: 0 agents kept running, 1 restarted; 0 nodes kept
Sequence restarts in 1 agent: a node that ran has no match in the same place (Sequence/rest:rest[0])";
    assert_eq!(world.reload().as_deref(), Some(expected));
    world.tick();
    assert_eq!(world.does(agent), "count");
}

#[test]
fn a_shared_key_can_be_changed_in_one_file_after_the_other() {
    let of = |alarm: u32| {
        format!(r#"Tree(version: 1, global: {{ "alarm": Int({alarm}) }}, root: Sequence([Check("alarm > 0"), Idle]))"#)
    };
    let other = "Tree(version: 1, root: Idle)";
    let mut world = World::new(&[("guard.ron", &of(1)), ("thief.ron", &of(1)), ("other.ron", other)]);
    world.add("guard.ron");
    world.add("thief.ron");
    let (_, bystander) = world.add("other.ron");
    world.tick();

    world.put("guard.ron", &of(2));
    world.put("other.ron", "Tree(version: 1, root: Idle(name: \"stand\"))");
    let told = world.reload().unwrap();
    assert!(told.starts_with("guard.ron, other.ron changed\nother: "), "the other one is not held up: {told}");
    assert!(told.contains("\nguard.ron was rejected, the old tree keeps running: "), "{told}");
    world.tick();
    assert_eq!(world.does(bystander), "stand");
    assert_eq!(world.forest.globals().value("alarm").unwrap(), Value::Int(1));
    assert_eq!(world.reload(), None, "it is told once");

    world.put("thief.ron", &of(2));
    let told = world.reload().unwrap();
    assert!(told.starts_with("thief.ron changed\nguard: 1 agent kept running, "), "{told}");
    assert!(told.contains("\nthief: 1 agent kept running, ") && !told.contains("stays"), "{told}");
    assert_eq!(world.forest.globals().value("alarm").unwrap(), Value::Int(2));

    // A tree that was refused and put back is as it was.
    world.put("guard.ron", &of(3));
    assert!(world.reload().unwrap().contains("guard.ron was rejected"));
    world.put("guard.ron", &of(2));
    assert!(world.reload().unwrap().starts_with("guard.ron changed\nguard: 1 agent kept running, "));
}

#[test]
fn each_looks_after_its_own_trees() {
    let mut world = World::new(&[("guard.ron", GUARD), ("rest.ron", REST)]);
    world.library.load("guard.ron", &world.registry).unwrap();
    let (first, _) = world.add("guard.ron");
    let (second, agent) = world.add("guard.ron");
    world.put("rest.ron", &REST.replace("1.0", "2.0"));
    let changes = world.library.poll(&world.registry);
    assert_eq!((changes.files.as_slice(), changes.trees.len()), (&["rest.ron".to_owned()][..], 1));
    assert_eq!(world.reload().unwrap().matches("\nguard: ").count(), 2, "both are replaced");
    assert!(world.library.poll(&world.registry).is_empty());

    world.forest.remove_tree(&mut (), first).unwrap();
    world.put("rest.ron", REST);
    assert_eq!(world.reload().unwrap().matches("\nguard: ").count(), 1);
    world.tick();
    assert_eq!(world.does(agent), "rest");
    world.forest.remove_tree(&mut (), second).unwrap();
    world.put("rest.ron", "no tree");
    assert_eq!(world.reload(), None, "nobody runs it");
}

#[test]
fn what_cannot_be_added_says_why() {
    let of = |alarm: u32| format!(r#"Tree(version: 1, global: {{ "alarm": Int({alarm}) }}, root: Check("alarm > 0"))"#);
    let mut world = World::new(&[("a.ron", &of(1)), ("b.ron", &of(2)), ("c.ron", "no tree")]);
    world.add("a.ron");
    let mut add = |name: &str| world.library.add_tree(name, &world.registry, &mut world.forest).unwrap_err();
    assert!(matches!(add("b.ron"), LoadError::Refused(_)) && add("b.ron").to_string().contains("`alarm`"));
    assert!(matches!(add("c.ron"), LoadError::Report(_)) && add("none.ron").to_string().contains("it does not exist"));
    // `main` prints the error it returns with `Debug`.
    assert_eq!(format!("{:?}", add("b.ron")), add("b.ron").to_string());
    assert_eq!(format!("{:?}", add("c.ron")), add("c.ron").to_string());
    // None of that is followed.
    world.put("b.ron", "no tree");
    world.put("c.ron", "Tree(version: 1, root: Idle)");
    assert_eq!(world.reload(), None);
}

#[test]
fn a_hundred_files_that_change_are_counted() {
    let name = |at: usize| format!("f{at:02}.ron");
    let parts: String = (0..100).map(|at| format!("Subtree(\"{}\"),", name(at))).collect();
    let mut list: Vec<(String, String)> = (0..100).map(|at| (name(at), REST.to_owned())).collect();
    list.push(("main.ron".into(), format!("Tree(version: 1, root: Sequence([{parts}]))")));
    let list: Vec<(&str, &str)> = list.iter().map(|it| (&*it.0, &*it.1)).collect();
    let mut world = World::new(&list);
    world.add("main.ron");
    (0..100).for_each(|at| world.put(&name(at), &REST.replace("1.0", "2.0")));
    let told = world.reload().unwrap();
    assert!(told.starts_with("f00.ron, f01.ron, f02.ron, "), "{told}");
    assert!(told.contains("f07.ron and 92 more changed\nmain: 1 agent kept running, "), "{told}");
}

#[test]
fn files_of_a_directory_are_reloaded_while_ten_thousand_agents_run() {
    let place = Place::new("reload");
    place.write("guard.ron", GUARD);
    place.write("rest.ron", &REST.replace("1.0", "100.0"));
    let (mut library, registry, mut forest) = (place.library(), registry(), Forest::<Game>::new(1));
    let tree = library.add_tree("guard.ron", &registry, &mut forest).unwrap();
    for _ in 0..10_000 {
        forest.spawn(&mut (), tree).unwrap();
    }
    forest.tick(&mut (), 0.5).unwrap();
    place.write("rest.ron", REST);
    let reload = library.reload(&registry, &mut forest, &mut ()).unwrap();
    assert_eq!(reload.files, ["rest.ron"]);
    assert_eq!((reload.replaced[0].agents_kept, reload.replaced[0].agents_restarted), (10_000, 0));
    std::fs::remove_file(place.0.join("guard.ron")).unwrap();
    let reload = library.reload(&registry, &mut forest, &mut ()).unwrap();
    assert!(reload.replaced.is_empty() && reload.report.unwrap().plain().ends_with("it does not exist"));
    assert!(library.reload(&registry, &mut forest, &mut ()).is_none());
    assert_eq!(forest.tick(&mut (), 0.5).unwrap().ended, 0);
}
