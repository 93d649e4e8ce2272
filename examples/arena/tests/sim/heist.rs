//! The heist without its window: who plays, signs, the panel, files that change.

use std::path::Path;

use super::common::steps;
use pleach_arena::{DAY, Gait, Kinds, Offer};
use pleach_example_arena::camera::Camera;
use pleach_example_arena::pace::STEP;
use pleach_example_arena::panel::{Fold, Row};
use pleach_example_arena::sim::{Scene, Sim};
use pleach_example_arena::tell;

/// A copy of the trees of the heist.
struct Trees(std::path::PathBuf);

impl Trees {
    fn new(name: &str) -> Self {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trees");
        let to = std::env::temp_dir().join(format!("pleach-heist-{name}-{}", std::process::id()));
        for folder in ["heist", "heist/sentinel", "heist/warden", "heist/townsman"] {
            std::fs::create_dir_all(to.join(folder)).unwrap();
            for file in std::fs::read_dir(from.join(folder)).unwrap().map(|it| it.unwrap().path()) {
                if file.is_file() {
                    std::fs::copy(&file, to.join(folder).join(file.file_name().unwrap())).unwrap();
                }
            }
        }
        std::fs::copy(from.join("rabbit.ron"), to.join("rabbit.ron")).unwrap();
        Trees(to)
    }
}

impl Drop for Trees {
    fn drop(&mut self) {
        // Files left in a temporary folder do no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn heist(crowd: u32) -> Sim {
    Sim::new(Scene::Heist, Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trees"), crowd, 7).unwrap()
}

#[test]
fn all_of_them_play_and_a_run_can_be_repeated() {
    let (mut a, mut b) = (heist(100), heist(100));
    for sim in [&mut a, &mut b] {
        let to = sim.user_at();
        assert!(sim.go([to[0] + 20.0, to[1]], Gait::Run, STEP) && sim.noise([to[0] + 5.0, to[1]]));
        steps(sim, 600);
    }
    assert_eq!(a.world().digest(), b.world().digest());
    assert_eq!((a.game().forest.len(), a.crowd(), a.other_crowd(true), a.other_crowd(false)), (100, 100, 500, 100));
    let name = |kinds| a.name_of(a.world().actors_of(kinds).next().unwrap()).unwrap();
    assert!(name(Kinds::GUARD).starts_with("sentinel ") && name(Kinds::BOSS).starts_with("warden "));
    assert!(name(Kinds::CIVILIAN).starts_with("townsman ") && name(Kinds::PLAYER) == "you");
    let told = tell::line(&a, &Camera::over([0.0, 0.0], 10.0)).unwrap();
    assert!(told.starts_with("heist stage=GetIn at=") && told.contains(" agents=100 chosen=false "), "{told}");
}

#[test]
fn who_notices_something_has_a_sign() {
    let mut sim = heist(100);
    let guard = sim.world().actors_of(Kinds::GUARD).next().unwrap();
    steps(&mut sim, 10);
    assert_eq!(sim.sign(guard), None);
    let at = sim.world().position(guard).unwrap();
    assert!(sim.noise(at), "a coin falls as far towards it as it can be thrown");
    let heard = (0..30).any(|_| {
        steps(&mut sim, 1);
        sim.world().actors_of(Kinds::GUARD).any(|it| sim.sign(it).is_some())
    });
    assert!(heard);
    assert_eq!(sim.act(STEP), None::<Offer>, "there is nothing to do at the cart");
    assert!(!sim.strike());
}

#[test]
fn a_guard_that_is_clicked_late_tells_why_it_fights_and_what_it_knew() {
    let mut sim = heist(100);
    let lock = sim.world().heist().unwrap().plan().lock;
    let fights = (0..900).find_map(|_| {
        sim.go([lock[0], lock[1] + 16.0], Gait::Run, STEP);
        steps(&mut sim, 1);
        let mut guards = sim.world().actors_of(Kinds::GUARD);
        guards.find(|it| sim.behaviour(*it).is_some_and(|it| sim.behaviours().name(it) == "fight"))
    });
    steps(&mut sim, 18);
    sim.choose(sim.game().cast.agent_of(fights.unwrap())).unwrap();
    let view = sim.view().unwrap();
    let now = sim.panel(&view, None).unwrap().to_string();
    assert!(now.contains("\n  fight for 0.3 s: notice succeeded\ntree\n"), "{now}");
    assert!(now.contains("places are taken"), "{now}");
    // The recording of one agent does not know how many places the others held.
    let then = sim.panel(&view, Some(sim.game().forest.time() - 0.1)).unwrap().to_string();
    assert!(then.contains("\n  fight for 0.2 s: notice succeeded\n"), "{then}");
    assert!(!then.contains("not recorded") && !then.contains("places are taken"), "{then}");
}

#[test]
fn an_abort_within_a_branch_is_not_its_reason() {
    let mut sim = heist(20);
    let guard = sim.world().actors_of(Kinds::GUARD).next().unwrap();
    // Evening comes, and all guards get another patrol.
    let evening = |sim: &Sim| sim.world().time() > DAY + 1.0;
    let comes = (0..200).any(|_| {
        steps(&mut sim, 60);
        evening(&sim)
    });
    assert!(comes);
    sim.choose(sim.game().cast.agent_of(guard)).unwrap();
    let panel = sim.panel(&sim.view().unwrap(), None).unwrap().to_string();
    assert!(panel.contains("\n  patrol for at least ") && panel.contains(" s\ntree\n"), "{panel}");
    let within = panel.split("\nlast abort within this branch\n").nth(1).unwrap();
    assert!(within.contains(" s ago  patrol by day was aborted: Slot("), "{panel}");
}

#[test]
fn an_edit_is_unfolded_and_a_broken_file_is_told_with_its_line() {
    let trees = Trees::new("edit");
    let mut sim = Sim::new(Scene::Heist, trees.0.clone(), 100, 7).unwrap();
    let guard = sim.world().actors_of(Kinds::GUARD).next().unwrap();
    steps(&mut sim, 30);
    sim.choose(sim.game().cast.agent_of(guard)).unwrap();
    let file = trees.0.join("heist/sentinel.ron");
    let good = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, good.replace("Wait(0.8)", "Wait(0.25)")).unwrap();
    assert!(sim.look().unwrap().reloaded, "{:?}", sim.trouble());
    let view = sim.view().unwrap();
    let panel = sim.panel(&view, None).unwrap();
    let shown = panel.rows.iter().any(|row| match row {
        Row::Node { text, fold, .. } => *fold != Fold::Hidden && text.iter().any(|it| it.1.contains("< edited")),
        _ => false,
    });
    assert!(shown, "{panel}");
    std::fs::write(&file, good.replace("Check(\"hunting\")", "Check(\"huntign\")")).unwrap();
    let news = sim.look().unwrap();
    assert!(news.broken && !news.reloaded, "{news:?}");
    let told = sim.trouble().join("\n");
    assert!(told.contains("P0305") && told.contains("Check(\"huntign\")") && told.contains('^'), "{told}");
    // Half a file, and no file.
    std::fs::write(&file, &good[..good.len() / 2]).unwrap();
    assert!(sim.look().unwrap().broken);
    std::fs::remove_file(&file).unwrap();
    assert!(sim.look().unwrap().broken && sim.restart(100).is_err());
    steps(&mut sim, 30);
    std::fs::write(&file, good).unwrap();
    assert!(!sim.look().unwrap().broken, "{:?}", sim.trouble());
    sim.restart(500).unwrap();
    assert_eq!(sim.game().forest.len(), 500);
}
