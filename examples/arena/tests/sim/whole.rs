//! All kinds, the user, the panel, and files that change.

use std::collections::BTreeSet;

use super::common::{Copy, sim, steps};
use pleach::Value;
use pleach_arena::{Gait, Kind, Kinds};
use pleach_example_arena::pace::STEP;
use pleach_example_arena::panel::{Fold, Panel, Row};
use pleach_example_arena::sim::{CROWDS, Limits, ROLES, Scene, Sim};
use pleach_view::living;

#[test]
fn all_kinds_live_in_one_world_and_a_run_can_be_repeated() {
    let (mut a, mut b) = (sim(200), sim(200));
    for sim in [&mut a, &mut b] {
        steps(sim, 3_000);
    }
    assert_eq!(a.world().digest(), b.world().digest());
    assert_eq!(a.game().forest.len(), 250);
    let of = |kind: Kinds| a.world().actors_of(kind).filter_map(|it| a.behaviour(it)).collect::<Vec<_>>();
    assert_eq!((of(Kinds::GUARD).len(), of(Kinds::FIGHTER).len(), of(Kinds::RABBIT).len()), (200, 10, 40));
    let names: Vec<&str> = a.behaviours().names().iter().map(|it| &**it).collect();
    for name in ["patrol", "fight", "flee", "help", "investigate", "dead", "hunt", "feed"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(a.world().actors_of(Kinds::RABBIT).any(|it| a.world().meals(it) > Some(0)), "a rabbit has eaten");
}

#[test]
fn the_user_walks_is_heard_and_hurts() {
    let mut sim = sim(200);
    let began = sim.user_at();
    for _ in 0..60 {
        sim.walk([1.0, 0.0], Gait::Run, STEP);
        steps(&mut sim, 1);
    }
    assert!(sim.user_at()[0] > began[0] + 2.0, "{began:?} {:?}", sim.user_at());
    assert!(sim.world().noises().iter().any(|it| it.source == Some(sim.user())));
    for direction in [[0.0, 0.0], [f32::NAN, 1.0]] {
        let at = sim.user_at();
        sim.walk(direction, Gait::Walk, STEP);
        assert_eq!(sim.user_at(), at);
    }
    assert!(!sim.noise([-5.0, 1.0]) && !sim.noise([f32::NAN, 1.0]) && sim.noise([5.0, 5.0]));

    let agent = sim.nearest(0, sim.user_at()).unwrap();
    let actor = sim.game().cast.actor_of(agent).unwrap();
    let place = sim.world().position(actor).unwrap();
    assert_eq!(sim.pick(place, 0.5), Some(actor));
    assert_eq!(sim.pick([-50.0, -50.0], 0.5), None);
    let blows = (0..9).filter(|_| sim.hurt(actor)).count();
    assert!((1..=4).contains(&blows) && !sim.world().is_alive(actor), "{blows}");
    steps(&mut sim, 3);
    let dead = sim.behaviour(actor).unwrap();
    assert_eq!(sim.behaviours().name(dead), "dead");
}

#[test]
fn an_agent_tells_what_it_does_and_did() {
    let mut sim = sim(200);
    assert!(sim.view().is_none() && sim.timeline().is_none());
    let guard = sim.world().actors_of(Kinds::GUARD).next().unwrap();
    sim.choose(sim.game().cast.agent_of(guard)).unwrap();
    steps(&mut sim, 120);
    sim.noise(sim.world().position(guard).unwrap());
    steps(&mut sim, 120);
    assert_eq!(sim.chosen_actor(), Some(guard));
    let view = sim.view().unwrap();
    let panel = sim.panel(&view, None).unwrap();
    assert!(panel.title.starts_with("guard "), "{}", panel.title);
    let headings: Vec<&str> =
        panel.rows.iter().filter_map(|it| if let Row::Heading(text) = it { Some(*text) } else { None }).collect();
    assert!(headings.iter().any(|it| it.starts_with("watches")), "{headings:?}");
    let phases = ["  active: gets turns, costs time", "  asleep: waits, costs nothing"];
    assert!(panel.subtitle.iter().any(|it| phases.contains(&&*it.1)), "{:?}", panel.subtitle);
    assert!(headings.contains(&"tree") && headings.contains(&"blackboard"), "{headings:?}");
    let active = |panel: &pleach_example_arena::panel::Panel| {
        let nodes =
            panel.rows.iter().filter(|it| matches!(it, Row::Node { state, .. } if *state != pleach::draw::State::Idle));
        nodes.count()
    };
    assert_eq!(active(&panel), view.stacks.iter().flatten().count());
    let timeline = sim.timeline().unwrap();
    let noise = *timeline.interruptions().next().unwrap();
    assert_eq!(timeline.interruptions().len(), 1, "the noise");
    assert!(sim.told(&view, &noise).contains("OnEvent(noise): the event came"), "{}", sim.told(&view, &noise));
    let past = sim.panel(&view, Some(noise.time - 0.1)).unwrap();
    assert!(active(&past) > 0 && past != panel && past.subtitle[0].1.contains("s ago"));
    assert!(!past.to_string().contains("was aborted") && panel.to_string().contains("was aborted"));
    // `ago` counts from now. The facts of a past moment count from that moment.
    let why = ": patrol was aborted by investigate: OnEvent(noise): the event came\n";
    let later = sim.panel(&view, Some(noise.time + 0.5)).unwrap().to_string();
    assert!(later.contains(&format!("\n  investigate for 0.5 s{why}")), "{later}");
    assert_eq!(later.matches("s ago").count(), 1, "the head: {later}");
    assert!(panel.to_string().contains(&format!("\n  investigate for 2.0 s{why}")), "{panel}");
    assert!(past.to_string().contains("\n  patrol for 1.9 s\n"), "it was the first: {past}");
    assert_eq!(sim.under_timeline(&view, Some(noise.time)).unwrap(), "2.0 s ago; drag on, or Esc to see it now");
    sim.choose(None).unwrap();
    assert!(sim.panel(&view, None).is_none());
}

#[test]
fn the_past_has_its_own_keys_conditions_and_aborts() {
    let mut sim = sim(200);
    let guard = sim.world().actors_of(Kinds::GUARD).next().unwrap();
    sim.choose(sim.game().cast.agent_of(guard)).unwrap();
    steps(&mut sim, 60);
    let well = sim.game().forest.time();
    sim.hurt(guard);
    sim.hurt(guard);
    sim.hurt(guard);
    steps(&mut sim, 60);
    let hurt = sim.game().forest.time();
    assert!(sim.hurt(guard), "it was alive");
    steps(&mut sim, 60);
    let view = sim.view().unwrap();
    let [now, then, before] = [None, Some(hurt), Some(well)].map(|at| sim.panel(&view, at).unwrap().to_string());
    assert!(now.contains("Check(health <= 0): health changed from 0.25 to 0"), "{now}");
    assert!(then.contains("Check(health <= 0.3): health changed from 1 to 0.25"), "{then}");
    assert!(then.contains("0.25  now 0\n") && then.contains("\nwatched then\n"), "{then}");
    assert!(before.contains("1  now 0\n") && !before.contains("was aborted"), "{before}");
    assert!(before.contains("Check(health <= 0)  failure\n"), "{before}");
    let place = sim.was_at(well).unwrap();
    assert_ne!(Some(place), sim.world().position(guard), "it fled");
    steps(&mut sim, 3_660);
    let history = sim.history().unwrap();
    assert!((3_590..=3_610).contains(&history.moments().len()), "a minute: {}", history.moments().len());
}

#[test]
fn a_veteran_weighs_what_to_do() {
    let mut sim = sim(200);
    let role = ROLES.iter().position(|it| it.name == "veteran").unwrap();
    let veteran = sim.nearest(role, sim.user_at()).unwrap();
    assert_eq!(sim.role_of(veteran), Some(role));
    sim.choose(Some(veteran)).unwrap();
    let actor = sim.chosen_actor().unwrap();
    assert!(sim.name_of(actor).unwrap().starts_with("veteran "));
    let (mut done, mut told) = (BTreeSet::new(), String::new());
    for step in 0..6_000 {
        if step == 5_000 {
            sim.hurt(actor);
            sim.hurt(actor);
        }
        steps(&mut sim, 1);
        let view = sim.view().unwrap();
        let it = sim.panel(&view, None).unwrap().to_string();
        let scores: Vec<&str> = it.split("scores\n").nth(1).unwrap_or_default().lines().take(4).collect();
        let runs = scores.iter().find_map(|it| it.trim_start().strip_prefix("> "));
        // A child that has just ended has not restarted.
        let Some((name, score)) = runs.and_then(|it| it.split_once(' ')) else { continue };
        done.insert(name.to_owned());
        let best = scores.iter().filter_map(|it| it.rsplit(' ').next()?.parse::<f32>().ok()).fold(0.0, f32::max);
        assert!(score.parse::<f32>().unwrap() >= best - 0.011, "{it}");
        let last = sim.timeline().unwrap().interruptions().last().copied();
        told += &last.map(|last| sim.told(&view, &last) + "\n").unwrap_or_default();
    }
    assert!(["patrol", "rest", "retreat"].iter().all(|it| done.contains(*it)), "{done:?}");
    // The panel and the page of the studio show one model.
    let view = sim.view().unwrap();
    let moment = living(&view, sim.game().forest.time());
    let panel = sim.panel(&view, None).unwrap();
    let shown =
        panel.rows.iter().filter_map(|it| if let Row::Score { score, .. } = it { Some(&**score) } else { None });
    let scores: Vec<&str> = moment.nodes.iter().filter(|it| it.word == "score").map(|it| &*it.text).collect();
    assert_eq!((shown.collect::<Vec<_>>(), scores.len()), (scores, 4), "{panel}");
    assert!(!panel.to_string().contains("UtilitySelector \"veteran\"  n"), "scores give the order: {panel}");
    let (text, keys) = (panel.to_string(), view.keys.iter().zip(&moment.keys));
    let numbers = keys.filter(|((_, value), _)| matches!(value, Value::Float(_) | Value::Vec2(_)));
    let lines: Vec<String> = numbers.map(|((key, _), held)| format!("  {} {}", key.name(), held.text)).collect();
    let squeezed: Vec<String> =
        text.lines().map(|it| format!("  {}", it.split_whitespace().collect::<Vec<_>>().join(" "))).collect();
    assert!(lines.len() > 1 && lines.iter().all(|it| squeezed.contains(it)), "{lines:?} {panel}");
    assert!(told.contains("patrol was aborted: rest 0.300 beats patrol 0.300"), "{told}");
}

#[test]
fn a_carrot_is_no_actor() {
    let mut sim = sim(200);
    let fed = (0..3_000).find_map(|_| {
        steps(&mut sim, 1);
        sim.world().actors_of(Kinds::RABBIT).find(|it| sim.world().meals(*it) > Some(0))
    });
    sim.choose(sim.game().cast.agent_of(fed.unwrap())).unwrap();
    let panel = sim.panel(&sim.view().unwrap(), None).unwrap().to_string();
    assert!(panel.contains("carrot  carrot "), "{panel}");
}

#[test]
fn a_guard_that_ends_something_is_told() {
    let mut sim = sim(200);
    let role = ROLES.iter().position(|it| it.name == "fighter").unwrap();
    let fighter = sim.nearest(role, sim.user_at()).unwrap();
    sim.choose(Some(fighter)).unwrap();
    let actor = sim.chosen_actor().unwrap();
    let (mut told, mut since) = (String::new(), 0.0);
    for _ in 0..7_200 {
        // The user comes in sight, at a distance that makes the fighter run after them.
        let ([x, y], [u, v]) = (sim.world().position(actor).unwrap(), sim.user_at());
        let far = (x - u).hypot(y - v);
        let way = if far < 7.0 { -1.0 } else { 1.0 };
        if !(7.0..8.0).contains(&far) {
            sim.walk([(x - u) * way, (y - v) * way], Gait::Run, STEP);
        }
        steps(&mut sim, 1);
        let (view, timeline) = (sim.view().unwrap(), sim.timeline().unwrap());
        for it in timeline.interruptions().filter(|it| it.time > since) {
            told += &(sim.told(&view, it) + "\n");
        }
        since = timeline.now();
    }
    assert!(told.contains("no longer holds: target changed from "), "{told}");
}

#[test]
fn a_changed_file_is_taken_over_and_a_broken_one_is_told() {
    let copy = Copy::new("reload");
    let mut sim = Sim::new(Scene::Camps, copy.0.clone(), 100, 7).unwrap();
    let guard = sim.world().actors_of(Kinds::GUARD).next().unwrap();
    sim.choose(sim.game().cast.agent_of(guard)).unwrap();
    steps(&mut sim, 60);
    assert_eq!(sim.look(), None);
    copy.edit("guard/investigate.ron", "seconds: 3.0", "seconds: 4.0");
    let news = sim.look().unwrap();
    assert!(!news.broken && news.said.contains("guard/investigate.ron"), "{news:?}");
    assert_eq!(sim.trouble().len(), 0);
    // The record goes on, as the nodes are the same. The edited one is unfolded and has a mark.
    assert!(sim.timeline().unwrap().since() < 0.1, "{}", sim.timeline().unwrap().since());
    assert_eq!(sim.history().unwrap().moments().len(), 61);
    let panel = |sim: &Sim, at| sim.panel(&sim.view().unwrap(), at).unwrap();
    let edited = |panel: &Panel| {
        let rows = panel.rows.iter().filter(|it| matches!(it, Row::Node { fold: Fold::Shown, .. }));
        rows.filter(|it| format!("{it:?}").contains("< edited")).count()
    };
    assert_eq!(edited(&panel(&sim, None)), 1, "{}", panel(&sim, None));
    assert!(panel(&sim, None).to_string().contains("4 s"), "{}", panel(&sim, None));
    assert_eq!(edited(&panel(&sim, Some(0.5))), 0, "that was before the edit");
    assert!(panel(&sim, Some(0.5)).to_string().contains("3 s"), "{}", panel(&sim, Some(0.5)));
    // Another tree is not news for this agent.
    copy.edit("rabbit.ron", "range: 2.0", "range: 2.5");
    assert!(sim.look().unwrap().reloaded);
    assert_eq!((edited(&panel(&sim, None)), sim.history().unwrap().moments().len()), (1, 61));
    // With one more node their numbers mean something else. The record goes on all the same.
    copy.edit("guard/investigate.ron", "seconds: 4.0)", "seconds: 4.0), Succeed");
    assert!(sim.look().unwrap().reloaded);
    assert_eq!((edited(&panel(&sim, None)), sim.history().unwrap().moments().len()), (0, 61));
    assert!(!sim.timeline().unwrap().active_at(sim.game().forest.time()).is_empty());
    copy.edit("rabbit.ron", "range: 2.5", "range: 2.0");
    sim.look();

    copy.edit("guard.ron", "WaitUntil(", "WaitUntill(");
    let news = sim.look().unwrap();
    assert!(news.broken && !news.reloaded, "the report says it: {news:?}");
    let lines: Vec<&str> = sim.trouble()[0].lines().collect();
    assert!(lines[0].contains("WaitUntill") && lines[1].starts_with("WaitUntill("), "{lines:?}");
    assert_eq!((lines.len(), lines[2]), (3, "^"), "{lines:?}");
    copy.edit("rabbit.ron", "range: 2.0", "range: 3.0");
    let news = sim.look().unwrap();
    assert!(
        news.broken && news.reloaded && news.said.contains("rabbit.ron: reloaded"),
        "the guards are still wrong: {news:?}"
    );
    assert!(sim.restart(200).is_err(), "no new world begins with broken trees");
    assert_eq!(sim.crowd(), 100);
    steps(&mut sim, 10);
    copy.edit("guard.ron", "WaitUntill(", "WaitUntil(");
    assert!(!sim.look().unwrap().broken);
    assert_eq!((sim.trouble().len(), sim.look()), (0, None));

    copy.edit("guard.ron", "\"health\": Float(1.0)", "\"health\": Int(1)");
    sim.look();
    assert!(!sim.trouble().is_empty(), "a sensor's key has a different type");
    steps(&mut sim, 10);
}

#[test]
fn a_budget_leaves_agents_for_later() {
    let mut sim = sim(2_000);
    let mut now = 0;
    // A clock that advances by 50 microseconds with each reading.
    let mut clock = || {
        now += 50;
        now
    };
    let mut limits = Limits { look: Some(20), think: Some(400), clock: &mut clock };
    let reports: Vec<_> = (0..60).map(|_| sim.step(STEP, &mut limits).unwrap()).collect();
    assert!(reports.iter().all(|it| it.held && (1..1_000).contains(&it.tick.ticked)), "{reports:?}");
    assert!(reports.iter().map(|it| it.tick.ticked).sum::<u64>() > 2_000, "each has had a turn");
    assert_eq!((reports[0].shares, reports[59].shares), (1, 8), "a look takes 50 microseconds, and has 20");
    assert!(sim.step(f32::NAN, &mut limits).is_err());
}

#[test]
fn crowds_can_be_chosen() {
    let mut sim = sim(CROWDS[0]);
    assert_eq!((sim.other_crowd(true), sim.other_crowd(false)), (CROWDS[1], CROWDS[0]));
    sim.restart(CROWDS[1]).unwrap();
    assert_eq!(sim.world().actors_of(Kinds::GUARD).count(), 2_000);
    assert_eq!(sim.world().kind(sim.user()), Some(Kind::Player));
    assert_eq!(sim.other_crowd(false), CROWDS[0]);
    let missing = Sim::new(Scene::Camps, "no such folder".into(), 1, 1).unwrap_err().to_string();
    assert!(missing.contains("no such folder") && missing.contains("--trees"), "{missing}");
}
