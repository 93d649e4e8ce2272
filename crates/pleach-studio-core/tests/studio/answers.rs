//! What is told of two dogs.

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
    // What a key held at the begin it has held since before.
    let hunger = part.keys.iter().find(|it| it.key == 1).ok_or("it is read")?;
    assert!(hunger.points[0].0 <= 12, "{hunger:?}");
    assert_eq!((part.first, part.last), (whole.first, whole.last));
    Ok(())
}

#[test]
fn the_heat_of_a_tree_is_what_all_tracks_say() -> Done {
    let mut session = dogs()?.session()?;
    let heat = session.finder().heat(0, &AtomicBool::new(false))?;
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
    let why = session.finder().heat(1, &AtomicBool::new(false)).unwrap_err().to_string();
    assert_eq!(why, "tree 1 does not exist: the trees have the numbers 0 to 0");
    let stopped = session.finder().heat(0, &AtomicBool::new(true))?;
    assert_eq!(stopped.agents, 0);
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
        // It is another value each time, and reads the same.
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
    let said = |find: &str, session: &mut pleach_studio_core::Session| {
        session.agents(37, Some(find), 9).map_err(|it| it.to_string())
    };
    assert_eq!(
        said("fle", &mut session).unwrap_err(),
        "the tree has no node `fle`: did you mean `flee`?; an expression over keys works, too, as in `health < 0.3`"
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
