//! The answers about two dogs.

use std::sync::atomic::AtomicBool;

use insta::assert_snapshot;
use pleach::AgentId;
use pleach::trace::TraceEvent;
use pleach_studio_core::model::{Ended, FindQuestion, How};
use pleach_studio_core::{Search, Seeking};

use super::game::{Done, Played, dogs, told};

#[test]
fn an_overview_has_the_trees() -> Done {
    assert_snapshot!(told(&dogs()?.session()?.overview())?);
    Ok(())
}

#[test]
fn a_track_has_what_an_agent_did_and_why() -> Done {
    assert_snapshot!(told(&dogs()?.session()?.track(0, 0, 99)?)?);
    Ok(())
}

#[test]
fn a_stretch_of_a_track_is_cut_out_of_it() -> Done {
    let mut session = dogs()?.session()?;
    let (whole, part) = (session.track(0, 0, 99)?, session.track(0, 12, 20)?);
    assert!(part.spans.iter().all(|it| it.from <= 20 && it.to >= 12 && it.to <= 20));
    let reaching = whole.spans.iter().filter(|it| it.from <= 20 && it.to >= 12);
    assert_eq!(part.spans.len(), reaching.count());
    assert!(part.marks.iter().all(|it| (12..=20).contains(&it.frame)) && !part.marks.is_empty());
    // A key's value at the start dates from before.
    let hunger = part.keys.iter().find(|it| it.key == 1).ok_or("it is read")?;
    assert!(hunger.points[0].0 <= 12, "{hunger:?}");
    assert_eq!((part.first, part.last), (whole.first, whole.last));
    Ok(())
}

#[test]
fn the_heat_of_a_tree_is_what_all_tracks_say() -> Done {
    let mut session = dogs()?.session()?;
    let heat = session.finder().heat(0)?;
    let mut counted = vec![[0; 4]; heat.nodes.len()];
    for agent in [0, 1] {
        for it in session.track(agent, 0, u64::MAX)?.spans {
            let (node, times) = (&mut counted[it.node], it.times.unwrap_or(1));
            node[0] += times;
            match it.how {
                How::Success => node[1] += times,
                How::Failure => node[2] += times,
                How::Aborted => node[3] += times,
                How::Running | How::Outside => {}
            }
        }
    }
    assert_eq!((heat.agents, heat.last, &heat.nodes), (2, 60, &counted));
    let why = session.finder().heat(1).unwrap_err().to_string();
    assert_eq!(why, "tree 1 does not exist: the trees have the numbers 0 to 0");
    // Frame by frame.
    let finder = session.finder();
    let mut counter = finder.counter(0)?;
    for frame in 1..=60 {
        assert_eq!(counter.count(&finder, || true)?.last, frame);
    }
    assert_eq!(counter.count(&finder, || false)?, &heat);
    assert!(counter.is_of(&finder, 0) && !counter.is_of(&finder, 1));
    assert!(!counter.is_of(&dogs()?.session()?.finder(), 0));
    Ok(())
}

#[test]
fn a_track_ends_with_the_recording() -> Done {
    let mut session = dogs()?.session()?;
    let track = session.track(0, 0, u64::MAX)?;
    assert!(track.spans.iter().all(|it| it.to <= 60), "{:?}", track.spans);
    assert_eq!(track.spans, session.track(0, 0, 60)?.spans);
    assert_eq!(session.agents(u64::MAX, None, 9)?.frame, 60);
    Ok(())
}

#[test]
fn keys_that_no_expression_reads_are_told_where_they_were_noted() -> Done {
    const TREE: &str = r#"Tree(version: 1, blackboard: { "ammo": Int(9), "heat": Float(0) }, root: Wait(99.0))"#;
    let mut game = Played::new();
    game.recording = pleach::record::Recording::new().keys_every(5);
    let tree = game.add(TREE)?;
    let agent = game.forest.spawn(&mut (), tree)?;
    let ammo = game.forest.agent(agent)?.tree().key::<i64>("ammo")?;
    let heat = game.forest.agent(agent)?.tree().key::<f32>("heat")?;
    game.play(10)?;
    for left in (5..9).rev() {
        let mut keys = game.forest.keys_mut(agent)?;
        keys.set(ammo, left);
        // It is a different value each time, but looks the same.
        keys.set(heat, f32::NAN);
        game.play(5)?;
    }
    let mut session = game.session()?;
    let track = session.track(0, 0, 99)?;
    let points = &track.keys[0].points;
    let values: Vec<serde_json::Value> = points.iter().map(|it| serde_json::json!(it.1)).collect();
    assert_eq!(values, [9.0, 8.0, 7.0, 6.0, 5.0], "{points:?}");
    for (nth, point) in points.iter().enumerate().skip(1) {
        let came = 5 + 5 * nth as u64;
        assert!((came..=came + 5).contains(&point.0) && track.changes.contains(&point.0), "{points:?}");
        let before = session.moment(0, point.0 - 1)?.keys[0].text.clone();
        let after = session.moment(0, point.0)?.keys[0].text.clone();
        assert_eq!((before, after), ((10 - nth).to_string(), (9 - nth).to_string()));
    }
    assert!(track.changes.len() <= 6, "{:?}", track.changes);
    Ok(())
}

#[test]
fn moments_have_what_runs_and_what_is_left() -> Done {
    let mut session = dogs()?.session()?;
    for frame in [5, 18, 27, 37, 42] {
        let moment = session.moment(0, frame)?;
        assert_snapshot!(format!("moment_{frame}"), told(&moment)?);
    }
    Ok(())
}

#[test]
fn why_nodes_do_not_run() -> Done {
    let mut session = dogs()?.session()?;
    let mut text = String::new();
    for (frame, node) in [(5, 1), (5, 11), (5, 0), (18, 9), (37, 6), (45, 3), (45, 4)] {
        text.push_str(&format!("frame {frame}, n{node}\n{}\n", told(&session.why_not(0, frame, node)?)?));
    }
    assert_snapshot!(text);
    Ok(())
}

#[test]
fn answers_do_not_depend_on_earlier_questions() -> Done {
    let game = dogs()?;
    let (mut one, mut other) = (game.session()?, game.session()?);
    for frame in (1..=60).rev() {
        for agent in [0, 1] {
            let there = one.moment(agent, frame)?;
            one.agents(frame, None, 9)?;
            one.track(1, frame, frame)?;
            assert_eq!(there, other.moment(agent, frame)?);
        }
    }
    let mut fresh = game.session()?;
    assert_eq!(fresh.moment(0, 37)?, one.moment(0, 37)?);
    Ok(())
}

#[test]
fn all_agents_and_some_of_them() -> Done {
    let mut session = dogs()?.session()?;
    assert_snapshot!(told(&session.agents(37, None, 10)?)?);
    let rows =
        |found: pleach_studio_core::model::AgentsView| -> Vec<u32> { found.rows.iter().map(|it| it.number).collect() };
    assert_eq!(rows(session.agents(37, Some("flee"), 10)?), [0]);
    assert_eq!(rows(session.agents(37, Some("live & health > 0.5"), 10)?), [1]);
    assert_eq!(rows(session.agents(37, Some("live & health < 0.5"), 10)?), Vec::<u32>::new());
    assert_eq!(rows(session.agents(37, Some("health > 0.0 && luck == 3"), 1)?), [0]);
    assert_eq!(rows(session.agents(37, Some(" "), 10)?), [0, 1]);
    assert_eq!(rows(session.agents(37, Some("\"rex\" & flee"), 10)?), [0]);
    assert_eq!(rows(session.agents(37, Some("\"Max\""), 10)?), Vec::<u32>::new());
    let said = |find: &str, session: &mut pleach_studio_core::Session| {
        session.agents(37, Some(find), 9).map_err(|it| it.to_string())
    };
    assert_eq!(
        said("fle", &mut session).unwrap_err(),
        "the tree has no node `fle`: did you mean `flee`?; an expression over keys works, too, as in `health < 0.3`, and a label in quotes"
    );
    assert!(said("helth < 1", &mut session).unwrap_err().contains("helth"));
    Ok(())
}

#[test]
fn what_is_found() -> Done {
    let session = dogs()?.session()?;
    let ask = |question: FindQuestion| question;
    let node = |it: &str| FindQuestion { node: Some(it.into()), ..FindQuestion::default() };
    let mut text = String::new();
    for question in [
        node("flee"),
        ask(FindQuestion { ended: Some(Ended::Aborted), ..node("rest") }),
        ask(FindQuestion { agent: Some(1), limit: Some(2), ..node("bark") }),
        FindQuestion { event: Some("whistle".into()), ..FindQuestion::default() },
        FindQuestion { condition: Some("hunger > 0.5".into()), ..FindQuestion::default() },
        ask(FindQuestion { from: Some(20), to: Some(30), ..node("sniff") }),
    ] {
        text.push_str(&format!("{question:?}\n{}\n", told(&session.find(&question)?)?));
    }
    assert_snapshot!(text);
    Ok(())
}

#[test]
fn of_many_hits_the_first_and_the_last_are_listed() -> Done {
    let session = dogs()?.session()?;
    let bark = |limit| FindQuestion { node: Some("bark".into()), limit, ..FindQuestion::default() };
    let all = session.find(&bark(None))?;
    assert!(all.count > 6 && all.hits.len() == all.count, "{}", all.count);
    let some = session.find(&bark(Some(5)))?;
    assert_eq!((some.count, some.agents), (all.count, all.agents));
    let (first, last) = (&all.hits[..3], &all.hits[all.count - 2..]);
    assert_eq!(some.hits, [first, last].concat());
    Ok(())
}

/// A composite has started when it got past its conditions; a page counts how often it was entered.
#[test]
fn what_was_entered_and_never_started_is_told() -> Done {
    const TREE: &str = r#"Tree(version: 1, name: "guard", blackboard: { "health": Float(1.0) }, root:
        Repeat(forever: true, child: Selector(children: [
            Sequence(name: "flee", children: [Check("health < 0.3"), Run]),
            Sequence(name: "walk", children: [Wait(0.35)]),
        ])))"#;
    let (mut game, _) = Played::of(TREE, 2)?;
    game.play(10)?;
    let session = game.session()?;
    let node = |it: &str| FindQuestion { node: Some(it.into()), ..FindQuestion::default() };
    let note = |question: &FindQuestion| session.find(question).map(|it| (it.count, it.note.unwrap_or_default()));
    let said = "It was entered 6 times, and never got past its conditions.";
    assert_eq!(note(&node("flee"))?, (0, said.to_owned()));
    assert_eq!(note(&FindQuestion { ended: Some(Ended::Failure), ..node("flee") })?.1, said);
    assert_eq!(note(&FindQuestion { agent: Some(1), ..node("flee") })?.1, said.replace('6', "3"));
    assert_eq!(note(&node("walk"))?, (6, String::new()));
    assert_eq!(note(&FindQuestion { ended: Some(Ended::Aborted), ..node("walk") })?, (0, String::new()));
    Ok(())
}

#[test]
fn the_crowd_is_counted_now_and_then() -> Done {
    let mut session = dogs()?.session()?;
    let track = session.crowd();
    assert_eq!((&track.frames[..], &track.agents[..]), (&[1, 16, 31, 46][..], &[2; 4][..]));
    for (at, &frame) in track.frames.iter().enumerate() {
        let mut here: Vec<(String, usize)> =
            session.agents(frame, None, 0)?.crowd.into_iter().map(|it| (it.behaviour, it.count)).collect();
        let told = track.behaviours.iter().filter(|it| it.counts[at] > 0);
        let mut told: Vec<(String, usize)> =
            told.map(|it| (it.behaviour.clone().unwrap_or_default(), it.counts[at] as usize)).collect();
        here.sort_unstable();
        told.sort_unstable();
        assert_eq!(here, told, "frame {frame}");
    }
    Ok(())
}

/// A long recording has no more looks than a short one, and rare behaviours are summed.
#[test]
fn the_looks_at_a_crowd_are_few() -> Done {
    let leaves: String = (0..12).map(|it| format!("Wait(name: \"w{it:02}\", seconds: 0.3),")).collect();
    let tree = format!("Tree(version: 1, root: Repeat(forever: true, child: Sequence([{leaves}])))");
    let (mut game, _) = Played::of(&tree, 1)?;
    game.play(12_000)?;
    let track = game.session()?.crowd();
    assert!((200..=512).contains(&track.frames.len()), "{}", track.frames.len());
    let steps: Vec<u64> = track.frames.windows(2).map(|it| it[1] - it[0]).collect();
    assert!(steps.iter().all(|it| it == &steps[0]), "{steps:?}");
    assert_eq!(track.behaviours.len(), 8);
    assert_eq!(track.behaviours[7].behaviour, None);
    for at in 0..track.frames.len() {
        assert_eq!(track.behaviours.iter().map(|it| it.counts[at]).sum::<u32>(), 1);
    }
    Ok(())
}

#[test]
fn questions_that_have_no_answer() -> Done {
    let mut session = dogs()?.session()?;
    let mut ask = |question: &str| match session.ask(question.as_bytes()) {
        Ok(_) => "it was answered".to_owned(),
        Err(error) => error.to_string(),
    };
    let mut text = String::new();
    for question in [
        r#"{"ask":"moment","agent":2,"frame":5}"#,
        r#"{"ask":"why_not","agent":1,"frame":5,"node":70000}"#,
        r#"{"ask":"why_not","agent":1,"frame":5,"node":77}"#,
        r#"{"ask":"moment","agent":1,"frame":61}"#,
        r#"{"ask":"moment","agent":1,"frame":18446744073709551615}"#,
        r#"{"ask":"track","agent":1,"from":20,"to":12}"#,
        r#"{"ask":"find"}"#,
        r#"{"ask":"find","node":"flee","event":"whistle"}"#,
        r#"{"ask":"find","ended":"failure","where":"health < 1"}"#,
        r#"{"ask":"find","event":"whistl"}"#,
        r#"{"ask":"find","where":"health"}"#,
        r#"{"ask":"play"}"#,
        r#"{"ask":"moment","agent":-1,"frame":5}"#,
        "",
        "[[[[",
    ] {
        text.push_str(&format!("{question}\n    {}\n", ask(question)));
    }
    assert_snapshot!(text);
    Ok(())
}

#[test]
fn names_and_expressions_have_an_end() -> Done {
    let mut session = dogs()?.session()?;
    let slashes = "/".repeat(60_000);
    let question = |node: &str| FindQuestion { node: Some(node.into()), ..FindQuestion::default() };
    let said = [
        session.agents(5, Some(&slashes), 9).map(|_| ()),
        session.find(&question(&slashes)).map(|_| ()),
        session.find(&FindQuestion { condition: Some(slashes.clone()), ..question("flee") }).map(|_| ()),
        session.find(&FindQuestion { event: Some(slashes), ..FindQuestion::default() }).map(|_| ()),
    ];
    for said in said {
        let said = said.unwrap_err().to_string();
        let end = "…` is too long for a name or an expression: it has 60000 bytes, and 1024 are the most";
        assert!(said.ends_with(end) && said.len() < 200, "{said}");
    }
    Ok(())
}

#[test]
fn a_search_that_is_stopped_ends() -> Done {
    let finder = dogs()?.session()?.finder();
    let question = FindQuestion { node: Some("flee".into()), ..FindQuestion::default() };
    let found = finder.find(&question, &AtomicBool::new(true))?;
    assert_eq!((found.count, found.note.as_deref()), (0, Some("The search was stopped.")));
    assert!(finder.find(&question, &AtomicBool::new(false))?.count > 0);
    Ok(())
}

#[test]
fn a_search_forgets_agents_that_left() -> Done {
    const TREE: &str = r#"Tree(version: 1, name: "it", root:
        Sequence(name: "wait", children: [Repeat(forever: true, child: Smells)]))"#;
    let (mut game, agents) = Played::of(TREE, 2)?;
    game.smells.store(true, std::sync::atomic::Ordering::Relaxed);
    let seeking = Seeking { node: Some("wait"), ..Seeking::default() };
    let mut search = Search::new(&game.trees, seeking).map_err(|it| format!("{it:?}"))?;
    let mut waiting = |game: &mut Played, events: &[TraceEvent]| {
        let all: Vec<(AgentId, TraceEvent)> = agents.iter().flat_map(|id| events.iter().map(|it| (*id, *it))).collect();
        search.frame(&game.forest, all);
        format!("{search:?}")
            .split_once("begun: {")
            .map(|it| it.1.split_once('}').map_or(0, |it| it.0.matches(", n0)").count()))
    };
    game.play(1)?;
    let root = pleach::NodeId::new(0).ok_or("it is one")?;
    assert_eq!(waiting(&mut game, &[TraceEvent::Start(root)]), Some(2));
    game.forest.agent_mut(agents[0])?.despawn(&mut ());
    assert_eq!(waiting(&mut game, &[]), Some(1));
    Ok(())
}

#[test]
fn a_recording_without_frames_has_an_overview() -> Done {
    let (game, _) = Played::of(super::game::DOG, 1)?;
    let mut session = game.session()?;
    let overview = session.overview();
    assert_eq!((overview.agents, overview.first, overview.last, overview.times.len()), (0, 0, 0, 0));
    let said = session.moment(0, 1).map_err(|it| it.to_string());
    assert_eq!(said.unwrap_err(), "agent 0 does not exist: the recording has no agents");
    assert_eq!(session.agents(5, None, 5)?.count, 0);
    Ok(())
}
