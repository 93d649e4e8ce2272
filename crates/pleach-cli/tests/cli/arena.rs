//! `replay` of recordings of the arena in its window.

use std::fs;
use std::path::Path;

use pleach_example_arena::pace::STEP;
use pleach_example_arena::sim::{Limits, ROLES, Scene, Sim};

use super::{Place, pleach};

const TREES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees");

fn steps(sim: &mut Sim, count: u32) {
    let mut limits = Limits { look: None, think: None, clock: &mut || 0 };
    (0..count).for_each(|_| _ = sim.step(STEP, &mut limits).unwrap());
}

/// Edits a file while the arena runs.
fn edit(sim: &mut Sim, path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{} has no {from}", path.display());
    fs::write(path, text.replace(from, to)).unwrap();
    assert!(sim.look().unwrap().reloaded, "{:?}", sim.trouble());
}

#[test]
fn the_last_minute_of_the_arena_is_replayed_without_options() {
    let place = Place::new("replay_arena");
    let trees = Path::new(&place.path()).join("trees");
    fs::create_dir_all(trees.join("guard")).unwrap();
    for file in ROLES.map(|it| it.file.to_owned()).into_iter().chain(
        fs::read_dir(Path::new(TREES).join("guard"))
            .unwrap()
            .map(|it| format!("guard/{}", it.unwrap().file_name().to_str().unwrap())),
    ) {
        fs::copy(Path::new(TREES).join(&file), trees.join(&file)).unwrap();
    }
    let mut sim = Sim::new(Scene::Camps, trees.clone(), 40, 7).unwrap();
    steps(&mut sim, 60);
    let (guard, rabbit) = (trees.join("guard.ron"), trees.join("rabbit.ron"));
    let patrol = trees.join("guard/patrol_by_day.ron");
    // Other parameters, in files of one tree after the other; then other nodes.
    edit(&mut sim, &guard, "Flee(speed: 5.0)", "Flee(speed: 6.0)");
    steps(&mut sim, 60);
    edit(&mut sim, &patrol, "pause: 2.0", "pause: 2.5");
    steps(&mut sim, 60);
    edit(&mut sim, &rabbit, "range: 2.0", "range: 2.5");
    steps(&mut sim, 60);
    edit(&mut sim, &rabbit, "range: 2.5", "range: 3.0");
    edit(&mut sim, &guard, "Subtree(\"guard/investigate.ron\", { \"place\": \"suspect\" }),", "");
    steps(&mut sim, 60);
    let file = sim.save(Path::new(&place.path())).unwrap();
    let file = file.to_str().unwrap();

    let (code, out, err) = pleach(&["replay", file]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("  frames        300, 0.000 s to 5.000 s\n"), "{out}");
    assert!(out.contains("guard (28 nodes)") && out.contains("rabbit (") && out.contains("veteran ("), "{out}");
    assert!(out.ends_with("  divergences   none\n"), "{out}");
    // Each time gives the trees that were played then.
    let tree = |agent: &str, to: &str| {
        let (code, out, err) = pleach(&["replay", file, "--agent", agent, "--to", to]);
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        out
    };
    let has = |text: &str, what: &[&str]| assert!(what.iter().all(|it| text.contains(it)), "{what:?} {text}");
    has(&tree("0", "0.5"), &["speed: 5.0", "pause: 2.0,", "investigate"]);
    has(&tree("0", "1.5"), &["speed: 6.0", "pause: 2.0,", "investigate"]);
    has(&tree("0", "2.5"), &["speed: 6.0", "pause: 2.5,", "investigate"]);
    has(&tree("0", "3.5"), &["speed: 6.0", "pause: 2.5,", "investigate"]);
    assert!(!tree("0", "4.5").contains("investigate"));
    let first_rabbit = "44";
    has(&tree(first_rabbit, "2.5"), &["rabbit  rabbit 45 (agent 44)", "range: 2.0"]);
    has(&tree(first_rabbit, "3.5"), &["range: 2.5"]);
    has(&tree(first_rabbit, "4.5"), &["range: 3.0"]);
}
