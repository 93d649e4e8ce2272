//! Recordings that grow, and breakpoints in them.

use pleach::record::{Piece, Reader, RecordedTree, Recording};
use pleach::{Event, NodeId};
use pleach_studio_core::model::{Ended, FindQuestion, Kind, LiveView, Place};
use pleach_studio_core::{AskError, Session};

use super::game::{DOG, Done, Played, told};

/// A session that follows a game.
pub(crate) struct Follower {
    reader: Reader,
    session: Option<Session>,
    begun: usize,
    stops: usize,
}

impl Follower {
    pub(crate) fn new() -> Self {
        Follower { reader: Reader::default(), session: None, begun: 0, stops: 0 }
    }

    /// Takes everything new, in pieces of about `most` bytes.
    pub(crate) fn follow(&mut self, game: &Played, most: usize) -> Done {
        let make = |recorded: &RecordedTree<'_>| {
            let tree = game.trees.iter().find(|it| recorded.is(it)).cloned();
            tree.map(|it| (it, Vec::<Place>::new()))
        };
        while let Some(mut piece) = game.recording.read(&mut self.reader, most) {
            let (Piece::Begin(whole) | Piece::More(whole) | Piece::Rest(whole)) = &mut piece;
            while self.reader.rest() > 0 {
                let Some(Piece::Rest(bytes)) = game.recording.read(&mut self.reader, most) else {
                    return Err("the rest of a piece follows it".into());
                };
                assert!(bytes.len() <= most.max(1));
                whole.extend(bytes);
            }
            match (piece, &mut self.session) {
                (Piece::More(bytes), Some(session)) => self.stops += usize::from(session.extend(bytes, make)?),
                (Piece::More(_), None) | (Piece::Rest(_), _) => return Err("a recording begins with its begin".into()),
                (Piece::Begin(bytes), _) => {
                    let mut trees = Vec::new();
                    pleach::record::Replay::open(&bytes, |recorded| {
                        let tree = make(recorded)?.0;
                        trees.push(tree.clone());
                        Some(tree)
                    })?;
                    let mut session = Session::live("dog.rec", bytes, trees, Vec::new())?;
                    self.session.iter().for_each(|it| session.follows(it));
                    self.session = Some(session);
                    self.begun += 1;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn session(&mut self) -> Done<&mut Session> {
        self.session.as_mut().ok_or_else(|| "nothing was recorded".into())
    }
}

/// The answers to all questions about two dogs after some frames.
fn answers(session: &mut Session, frames: &[u64]) -> Done<String> {
    let mut text = told(&session.crowd())?;
    for agent in [0, 1] {
        text += &told(&session.track(agent, 0, u64::MAX)?)?;
        for &frame in frames {
            text += &told(&session.moment(agent, frame)?)?;
            text += &told(&session.why_not(agent, frame, 4)?)?;
        }
    }
    text += &told(&session.agents(frames[0], Some("health < 0.5"), 9)?)?;
    text += &told(&session.find(&FindQuestion { node: Some("rest".into()), ..FindQuestion::default() })?)?;
    Ok(text)
}

/// Two dogs: the first is called, hurt and healed, and both get another tree. `each` is called
/// after each frame.
fn play(mut game: Played, dog: pleach::AgentId, mut each: impl FnMut(&Played, u64) -> Done) -> Done<Played> {
    let health = game.forest.agent(dog)?.tree().key::<f32>("health")?;
    for frame in 1..=60 {
        match frame {
            8 => game.forest.agent_mut(dog)?.send(Event::new("whistle").with([3.0_f32, 4.5]))?,
            20 => _ = game.forest.keys_mut(dog)?.set(health, 0.1),
            31 => _ = game.forest.keys_mut(dog)?.set(health, 0.8),
            40 => {
                let new = game.tree(&DOG.replace("seconds: 0.7", "seconds: 0.9"))?;
                let old = game.forest.agent(dog)?.tree_id();
                game.forest.replace_tree(&mut (), old, new)?;
            }
            _ => {}
        }
        game.play(1)?;
        each(&game, frame)?;
    }
    Ok(game)
}

#[test]
fn a_session_that_grows_answers_as_one_of_the_whole() -> Done {
    for (every, most) in [(1, 1), (1, 1 << 16), (7, 0), (7, 40), (25, 1 << 16)] {
        let (game, dogs) = Played::of(DOG, 2)?;
        let mut follower = Follower::new();
        let mut asked = 0;
        let mut counter = None;
        let game = play(game, dogs[0], |game, frame| {
            if frame % every == 0 {
                follower.follow(game, most)?;
                // Questions between pieces change nothing.
                asked += answers(follower.session()?, &[frame, frame / 2 + 1, 1])?.len();
                let finder = follower.session()?.finder();
                let counter = counter.get_or_insert(finder.counter(0)?);
                assert!(counter.is_of(&finder, 0));
                let stops = frame % 2 == 0;
                counter.count(&finder, || stops)?;
            }
            Ok(())
        })?;
        follower.follow(&game, most)?;
        assert!(asked > 1_000);
        let grown = follower.session()?;
        let counted = counter.ok_or("it counts")?.count(&grown.finder(), || false)?.clone();
        assert_eq!(counted, game.session()?.finder().heat(0)?);
        let frames = [60, 1, 21, 39, 40, 41, 30];
        assert_eq!(answers(grown, &frames)?, answers(&mut game.session()?, &frames)?, "every {every}, {most} bytes");
        let overview = grown.overview();
        assert_eq!((overview.kind, overview.last, overview.trees.len()), (Kind::Live, 60, 2));
        assert_eq!(follower.begun, 1);
    }
    Ok(())
}

#[test]
fn what_is_new_since_a_frame_is_told() -> Done {
    let (mut game, _) = Played::of(DOG, 2)?;
    let mut follower = Follower::new();
    game.play(10)?;
    follower.follow(&game, 1 << 16)?;
    let LiveView { first, last, times, agents, trees, .. } = follower.session()?.since(0);
    assert_eq!((first, last, agents, trees), (1, 10, 2, 1));
    assert_eq!(times, [(1, 0.1), (10, 1.0)]);
    game.play(5)?;
    follower.follow(&game, 1 << 16)?;
    assert_eq!(follower.session()?.since(10).times, [(10, 1.0), (15, 1.5)]);
    Ok(())
}

#[test]
fn a_reader_that_is_too_late_begins_anew() -> Done {
    let (mut game, dogs) = Played::of(DOG, 2)?;
    game.recording = Recording::new().last_seconds(1.0);
    let mut follower = Follower::new();
    game.play(1)?;
    follower.follow(&game, 1 << 16)?;
    let bark = FindQuestion { node: Some("bark".into()), ..FindQuestion::default() };
    follower.session()?.set_break(bark, 1)?;
    follower.session()?.beside_edits();
    for _ in 0..4 {
        game.play(5)?;
        follower.follow(&game, 1 << 16)?;
    }
    let hit = follower.session()?.since(0).breaks.remove(0);
    assert!(hit.hits > 0 && hit.last.is_some(), "{hit:?}");
    game.play(100)?;
    follower.follow(&game, 1 << 16)?;
    assert_eq!(follower.begun, 2);
    let session = follower.session()?;
    let kept = session.since(0).breaks.remove(0);
    assert_eq!((kept.hits, kept.last), (hit.hits, hit.last));
    assert_eq!(session.overview().edits, Some(true));
    assert_eq!(session.since(0).last, 121);
    let first = session.overview().first;
    assert!(first > 50, "{first}");
    let missed =
        format!("{} frames of the game did not come: the studio reads slower than the game plays.", first - 22);
    assert!(session.since(0).notes.contains(&missed), "{:?}", session.since(0).notes);
    let then = session.moment(0, 121)?;
    let now = game.forest.agent(dogs[0])?.inspect();
    let running: Vec<usize> = now.current().map(NodeId::index).collect();
    assert_eq!(then.running, running);
    // With another recording too.
    game.recording = Recording::new();
    game.play(3)?;
    follower.follow(&game, 1 << 16)?;
    assert_eq!((follower.begun, follower.session()?.since(0).first), (3, 122));
    Ok(())
}

#[test]
fn a_piece_that_does_not_fit_changes_nothing() -> Done {
    let (mut game, _) = Played::of(DOG, 2)?;
    let (mut other, _) = Played::of(DOG, 2)?;
    other.forest = pleach::Forest::new(8);
    let mut follower = Follower::new();
    game.play(10)?;
    follower.follow(&game, 1 << 16)?;
    let mut reader = Reader::default();
    let make = |_: &RecordedTree<'_>| None;
    other.play(1)?;
    assert!(other.recording.read(&mut reader, usize::MAX).is_some());
    other.play(1)?;
    let Some(Piece::More(strange)) = other.recording.read(&mut reader, usize::MAX) else {
        return Err("it goes on".into());
    };
    let session = follower.session()?;
    let before = answers(session, &[10, 3])?;
    for piece in [strange, b"pleachrc".to_vec(), Vec::new()] {
        let error = session.extend(piece, make).unwrap_err();
        assert!(matches!(error, AskError::Replay(_)), "{error}");
    }
    assert_eq!(answers(session, &[10, 3])?, before);
    // A piece that fits continues from there.
    game.play(1)?;
    follower.follow(&game, 1 << 16)?;
    assert_eq!(follower.session()?.since(0).last, 11);
    Ok(())
}

#[test]
fn breakpoints_stop_at_the_frame_in_which_it_happens() -> Done {
    let find = |node: &str| FindQuestion { node: Some(node.into()), ..FindQuestion::default() };
    let cases = [
        (find("flee"), 1, 20, "`flee` starts"),
        (find("bark"), 3, 14, "`bark` starts"),
        (
            FindQuestion { ended: Some(Ended::Aborted), by: Some("n2".into()), ..find("rest") },
            1,
            20,
            "`rest` is aborted by `n2`",
        ),
        (FindQuestion { event: Some("whistle".into()), ..FindQuestion::default() }, 1, 8, "the event `whistle` comes"),
        (
            FindQuestion { condition: Some("health < 0.3".into()), ..FindQuestion::default() },
            1,
            20,
            "`health < 0.3` becomes true",
        ),
        (FindQuestion { agent: Some(1), ..find("flee") }, 1, 0, "`flee` starts, agent 1"),
    ];
    for (question, nth, at, text) in cases {
        let (mut game, dogs) = Played::of(DOG, 2)?;
        let mut follower = Follower::new();
        game.play(1)?;
        follower.follow(&game, 1 << 16)?;
        let id = follower.session()?.set_break(question, nth)?;
        let mut stopped = 0;
        play(game, dogs[0], |game, _| {
            let before = follower.stops;
            follower.follow(game, 1 << 16)?;
            if follower.stops > before && stopped == 0 {
                // `play` counts from the second frame of the forest.
                stopped = follower.session()?.since(0).last - 1;
            }
            Ok(())
        })?;
        let session = follower.session()?;
        let view = session.since(0).breaks.remove(0);
        assert_eq!(view.find.agent.is_some(), text.contains("agent"));
        assert_eq!((stopped, &*view.text, view.nth), (at, text, nth), "{view:?}");
        assert_eq!(view.last.is_some(), at > 0);
        assert!(session.remove_break(id) && !session.remove_break(id));
    }
    Ok(())
}

#[test]
fn what_is_so_already_does_not_become_so() -> Done {
    let (mut game, _) = Played::of(DOG, 2)?;
    let mut follower = Follower::new();
    game.play(1)?;
    follower.follow(&game, 1 << 16)?;
    let question = FindQuestion { condition: Some("health > 0.5".into()), ..FindQuestion::default() };
    follower.session()?.set_break(question, 1)?;
    game.play(3)?;
    follower.follow(&game, 1 << 16)?;
    assert_eq!((follower.stops, follower.session()?.since(0).breaks[0].hits), (0, 0));
    Ok(())
}

#[test]
fn a_breakpoint_stops_the_game_each_time_from_its_number_on() -> Done {
    let (mut game, _) = Played::of(DOG, 1)?;
    let mut follower = Follower::new();
    game.play(1)?;
    follower.follow(&game, 1 << 16)?;
    let bark = FindQuestion { node: Some("bark".into()), tree: Some("dog".into()), ..FindQuestion::default() };
    follower.session()?.set_break(bark, 2)?;
    for _ in 0..40 {
        game.play(1)?;
        follower.follow(&game, 1 << 16)?;
    }
    let hits = follower.session()?.since(0).breaks[0].hits;
    assert!(hits >= 4);
    assert_eq!(follower.stops, usize::try_from(hits)? - 1);
    Ok(())
}

#[test]
fn breakpoints_that_wait_for_nothing_are_refused() -> Done {
    let (mut game, _) = Played::of(DOG, 1)?;
    let mut follower = Follower::new();
    game.play(1)?;
    follower.follow(&game, 1 << 16)?;
    let session = follower.session()?;
    let nothing = session.set_break(FindQuestion::default(), 1).unwrap_err().to_string();
    assert_eq!(nothing, "name a node, an event or an expression to find");
    let other = FindQuestion { node: Some("fly".into()), ..FindQuestion::default() };
    assert!(session.set_break(other, 1).unwrap_err().to_string().contains("fly"));
    let by = FindQuestion { node: Some("flee".into()), by: Some("n2".into()), ..FindQuestion::default() };
    let why = session.set_break(by, 1).unwrap_err().to_string();
    assert_eq!(why, "a condition aborts: look for what was aborted");
    let flee = FindQuestion { node: Some("flee".into()), ..FindQuestion::default() };
    for _ in 0..64 {
        session.set_break(flee.clone(), 1)?;
    }
    let why = session.set_break(flee, 1).unwrap_err().to_string();
    assert_eq!(why, "64 breakpoints are set, which is the most: remove one");
    assert_eq!(session.breaks().len(), 64);
    Ok(())
}
