//! The recording of the last minute: the time line of an agent that was not chosen, and its file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::common::{Copy, sim, steps};
use pleach::AgentId;
use pleach::record::Replay;
use pleach_arena::{Arena, Kinds};
use pleach_example_arena::sim::{ROLES, Role, Scene, Sim};
use pleach_example_arena::timeline::Row;

/// What the time line shows: the rows and bars, and what was aborted.
fn track(sim: &Sim) -> (Vec<String>, Vec<f64>) {
    let timeline = sim.timeline().unwrap();
    let label = |row| timeline.row(row).map(|it| it.label.clone()).unwrap();
    let mut bars: Vec<String> =
        timeline.bars().map(|it| format!("{} from {:.4} to {:?}", label(it.row), it.from, it.to)).collect();
    bars.sort();
    (bars, timeline.interruptions().map(|it| it.time).collect())
}

fn guard(sim: &Sim) -> (AgentId, pleach_arena::ActorId) {
    let actor = sim.world().actors_of(Kinds::GUARD).next().unwrap();
    (sim.game().cast.agent_of(actor).unwrap(), actor)
}

#[test]
fn an_agent_that_is_clicked_late_has_the_time_line_of_one_that_was_looked_at() {
    for (role, Role { name, .. }) in ROLES.iter().enumerate() {
        let mut sim = sim(200);
        let agent = sim.nearest(role, sim.user_at()).unwrap();
        sim.choose(Some(agent)).unwrap();
        for step in 0..12 {
            steps(&mut sim, 100);
            let actor = sim.chosen_actor().unwrap();
            match step {
                3 | 9 => _ = sim.noise(sim.world().position(actor).unwrap()),
                5 => _ = sim.hurt(actor),
                _ => {}
            }
        }
        let (bars, aborts) = track(&sim);
        let past: Vec<(f64, String, _)> = {
            let moments = sim.history().unwrap().moments();
            moments.skip(1).map(|it| (it.time, format!("{:?}", it.view.stacks), it.behaviour)).collect()
        };
        sim.choose(None).unwrap();
        sim.choose(Some(agent)).unwrap();
        assert!(bars.len() > 3 && past.len() == 1_200, "{bars:?}");
        // Before the first frame nothing was recorded.
        let late = track(&sim);
        assert_eq!(late.1, aborts, "{name}");
        let later = |bars: &[String]| bars.iter().filter(|it| !it.contains("from 0.0")).cloned().collect::<Vec<_>>();
        assert_eq!(later(&late.0), later(&bars), "{name}");
        let moments = sim.history().unwrap().moments();
        let played: Vec<_> = moments.map(|it| (it.time, format!("{:?}", it.view.stacks), it.behaviour)).collect();
        assert_eq!(played, past);
    }
}

#[test]
fn the_record_of_a_click_has_aborts_from_before_it() {
    let mut sim = sim(200);
    let (agent, actor) = guard(&sim);
    steps(&mut sim, 60);
    sim.noise(sim.world().position(actor).unwrap());
    steps(&mut sim, 60);
    sim.choose(Some(agent)).unwrap();
    steps(&mut sim, 60);
    let view = sim.view().unwrap();
    let panel = sim.panel(&view, None).unwrap().to_string();
    assert!(panel.contains("\n  investigate for 2.0 s: patrol was aborted by"), "{panel}");
    let said = sim.under_timeline(&view, None).unwrap();
    assert!(said.starts_with("2.0 s ago patrol was aborted by investigate: OnEvent(noise): the event came"), "{said}");
    // The world was not recorded then, but all keys of the agent.
    let then = sim.panel(&view, Some(0.5)).unwrap();
    let text = then.to_string();
    assert!(then.subtitle.iter().all(|it| !it.1.contains("health")) && sim.was_at(0.5).is_none(), "{text}");
    assert!(text.contains("health ") && text.contains("player_pos") && text.contains("  1\n"), "{text}");
    assert!(!text.contains("not recorded") && text.contains("\nblackboard then\n"), "{text}");
    let now = sim.panel(&view, None).unwrap();
    assert!(now.to_string().contains("100 % health") && !now.to_string().contains("not recorded"), "{now}");
    assert!(sim.was_at(2.5).is_some());
    sim.choose(None).unwrap();
    assert_eq!(sim.under_timeline(&view, None), None);
}

#[test]
fn a_time_line_goes_back_a_minute_and_no_further() {
    let mut sim = sim(20);
    steps(&mut sim, 7_300);
    sim.choose(Some(guard(&sim).0)).unwrap();
    let timeline = sim.timeline().unwrap();
    assert!((timeline.now() - timeline.since() - 60.0).abs() < 0.1, "{}", timeline.since());
    assert!((3_599..=3_602).contains(&sim.history().unwrap().moments().len()));
    sim.restart(200).unwrap();
    sim.choose(Some(guard(&sim).0)).unwrap();
    assert_eq!(sim.history().unwrap().moments().len(), 1, "another world has another past");
}

#[test]
fn a_time_line_survives_reloads() {
    let copy = Copy::new("past");
    let mut sim = Sim::new(Scene::Camps, copy.0.clone(), 100, 7).unwrap();
    let (agent, actor) = guard(&sim);
    steps(&mut sim, 60);
    sim.noise(sim.world().position(actor).unwrap());
    steps(&mut sim, 60);
    // First with other numbers of nodes, then without the branch that was running.
    copy.edit("guard/investigate.ron", "seconds: 3.0)", "seconds: 3.0), Succeed");
    assert!(sim.look().unwrap().reloaded);
    steps(&mut sim, 120);
    copy.edit("guard.ron", "Subtree(\"guard/investigate.ron\", { \"place\": \"suspect\" }),", "");
    assert!(sim.look().unwrap().reloaded, "{:?}", sim.trouble());
    steps(&mut sim, 60);
    sim.choose(Some(agent)).unwrap();
    let view = sim.view().unwrap();
    let timeline = sim.timeline().unwrap();
    assert!(timeline.since() < 0.1, "{}", timeline.since());
    let rows = timeline.rows(9, |it| it.is_leaf);
    let rows: Vec<&Row> = rows.into_iter().map(|it| timeline.row(it).unwrap()).collect();
    let gone: Vec<&str> = rows.iter().filter(|it| it.node.is_none()).map(|it| &*it.label).collect();
    assert!(!gone.is_empty() && gone.len() < rows.len(), "{rows:?}");
    let trees: Vec<usize> =
        [0.5, 1.5, 3.0, 4.9].map(|at| sim.history().unwrap().at(at).unwrap().view.tree.len()).into();
    assert!(trees[0] == trees[1] && trees[2] == trees[1] + 1 && trees[3] < trees[2], "{trees:?}");
    let interruption = *timeline.interruptions().next().unwrap();
    assert!(sim.told(&view, &interruption).contains("OnEvent(noise): the event came"), "by the numbers of that tree");
    assert!(sim.panel(&view, Some(1.5)).unwrap().to_string().contains("OnEvent(noise): the event came"));
    // An agent that was chosen during it shows the same.
    let late = track(&sim);
    sim.choose(Some(agent)).unwrap();
    copy.edit("guard/investigate.ron", "seconds: 3.0", "seconds: 2.0");
    copy.edit("guard.ron", "\"health <= 0.3\"", "\"health <= 0.2\"");
    assert!(sim.look().unwrap().reloaded);
    assert_eq!(track(&sim), late);
    steps(&mut sim, 60);
    let live = track(&sim).1;
    sim.choose(Some(agent)).unwrap();
    assert_eq!(track(&sim).1, live);
}

fn replay(path: &Path, sim: &Sim) -> Replay<Arena> {
    let trees: Vec<_> = sim.game().trees().map(|it| Arc::clone(sim.game().forest.tree(it).unwrap())).collect();
    let bytes = std::fs::read(path).unwrap();
    Replay::open(&bytes, |it| trees.iter().find(|tree| it.is(tree)).cloned()).unwrap()
}

/// The names of recordings in a folder.
fn written(folder: &Path) -> Vec<PathBuf> {
    let names = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let mut names: Vec<_> = names.filter(|it| it.extension().is_some_and(|it| it == "rec")).collect();
    names.sort();
    names
}

#[test]
fn the_last_minute_is_written_and_no_file_is_overwritten() {
    let copy = Copy::new("saved");
    let mut sim = Sim::new(Scene::Camps, copy.0.clone(), 20, 7).unwrap();
    steps(&mut sim, 90);
    let files: Vec<PathBuf> = (0..2).map(|_| sim.save(&copy.0).unwrap()).collect();
    assert_eq!(files, [copy.0.join("arena-90.rec"), copy.0.join("arena-90-2.rec")]);
    assert_eq!(written(&copy.0).len(), 2);
    let replay = replay(&files[0], &sim);
    assert_eq!(replay.len(), 90);
    let missing = copy.0.join("no such folder");
    let why = sim.save(&missing).unwrap_err().to_string();
    assert!(why.contains("arena-90.rec: ") && why.contains("no such folder"), "{why}");
    steps(&mut sim, 10);
    assert!(sim.save(&copy.0).unwrap().ends_with("arena-100.rec"), "the game goes on");
}

#[test]
fn a_panic_writes_the_last_minute() {
    let copy = Copy::new("panic");
    let play = |panics: bool| {
        let mut sim = Sim::new(Scene::Camps, copy.0.clone(), 20, 7).unwrap();
        sim.save_on_panic(copy.0.clone());
        steps(&mut sim, 30);
        // A new world is written, too.
        sim.restart(20).unwrap();
        steps(&mut sim, 60);
        assert!(!panics, "a guard falls into a well");
        sim
    };
    play(false);
    assert_eq!(written(&copy.0), Vec::<PathBuf>::new());
    assert!(std::panic::catch_unwind(|| play(true)).is_err());
    assert_eq!(written(&copy.0), [copy.0.join("arena-60.rec")]);
    assert_eq!(replay(&copy.0.join("arena-60.rec"), &play(false)).len(), 60);
}
