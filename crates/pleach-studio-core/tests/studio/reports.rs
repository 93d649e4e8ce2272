//! A report contains the answers of its session.

use pleach_studio_core::model::{Kind, Line, MomentChange, NodeNote, Report};

use super::game::{DOG, Done, Played, dogs};

/// The moments of a report as a page puts them together, each with its lines.
fn moments(report: &Report) -> Vec<(MomentChange, Vec<Line>)> {
    let mut all: Vec<(MomentChange, Vec<Line>)> = Vec::new();
    let mut now = MomentChange::default();
    for it in report.moments.iter().cloned() {
        let is_same_tree = it.tree.is_none();
        let keys = match (now.keys.take().filter(|_| is_same_tree), it.keys) {
            (Some(mut keys), new) => {
                for new in new.unwrap_or_default() {
                    let key = new.key;
                    keys[key] = new;
                }
                Some(keys)
            }
            (None, new) => new,
        };
        now = MomentChange {
            frame: it.frame,
            label: it.label.or(now.label),
            tree: it.tree.or(now.tree),
            phase: it.phase.or(now.phase),
            running: it.running.or(now.running),
            active: it.active.or(now.active),
            nodes: it.nodes.or(now.nodes),
            conditions: it.conditions.or(now.conditions),
            explain: it.explain.or(now.explain),
            last_abort: it.last_abort.or(now.last_abort),
            keys,
        };
        let lines = now.explain.iter().flatten().map(|it| report.lines[*it].clone()).collect();
        all.push((now.clone(), lines));
    }
    all
}

#[test]
fn every_answer_is_that_of_the_session() -> Done {
    let mut session = dogs()?.session()?;
    for (agent, from, to) in [(0, 0, 99), (0, 12, 40), (1, 30, 31)] {
        let report = session.report(agent, from, to)?;
        assert_eq!((report.overview.kind, report.overview.agent), (Kind::Report, Some(agent)));
        assert_eq!(report.moments[0].frame, from.max(1));
        let mut differ = 0;
        for (moment, lines) in moments(&report) {
            let asked = session.moment(agent, moment.frame)?;
            assert_eq!(lines, asked.explain);
            assert_eq!(moment.running, Some(asked.running));
            assert_eq!(moment.active, Some(asked.active));
            let notes: Vec<NodeNote> = moment.nodes.iter().flatten().map(|it| report.notes[*it].clone()).collect();
            assert_eq!(notes, asked.nodes);
            assert_eq!(moment.conditions, Some(asked.conditions));
            assert_eq!(moment.keys, Some(asked.keys));
            assert_eq!((moment.label, moment.last_abort), (Some(asked.label), Some(asked.last_abort)));
            for node in 0..report.overview.trees[0].nodes.len() {
                let asked = session.why_not(agent, moment.frame, node)?;
                let answers = &report.why_not[0][node];
                let answer = &answers[answers.partition_point(|it| it.0 <= moment.frame) - 1].1;
                let lines = answer.as_ref().map(|it| it.iter().map(|it| report.lines[*it].clone()).collect());
                assert_eq!(lines, (!asked.active).then_some(asked.lines), "n{node} after frame {}", moment.frame);
                differ += usize::from(answers.len() > 1);
            }
        }
        assert!(differ > 0 || to == 31);
    }
    Ok(())
}

#[test]
fn between_two_moments_nothing_changes() -> Done {
    let mut session = dogs()?.session()?;
    let changes = session.track(0, 0, 99)?.changes;
    let mut before = session.moment(0, 1)?;
    for frame in 2..=60 {
        let mut now = session.moment(0, frame)?;
        if !changes.contains(&frame) {
            // Only a remaining time may have ended.
            let seconds = now.seconds;
            now.nodes.retain(|it| it.until.is_none());
            now.explain.retain(|it| it.until.is_none());
            before.nodes.retain(|it| it.until.is_none());
            before.explain.retain(|it| it.until.is_none());
            (before.frame, before.seconds) = (frame, seconds);
            assert_eq!(before, now);
        }
        before = session.moment(0, frame)?;
    }
    Ok(())
}

#[test]
fn a_report_is_cut_to_the_life_of_its_agent() -> Done {
    let (mut game, dogs) = Played::of(DOG, 1)?;
    let tree = game.forest.agent(dogs[0])?.tree_id();
    game.play(10)?;
    game.forest.spawn(&mut (), tree)?;
    game.play(10)?;
    let mut session = game.session()?;
    let report = session.report(1, 0, 99)?;
    assert_eq!((report.overview.first, report.overview.last), (11, 20));
    assert_eq!(report.overview.times, [(11, 1.1), (20, 2.0)]);
    let said = session.report(1, 2, 7).map(|_| ()).unwrap_err().to_string();
    assert_eq!(said, "agent 1 is not there after frame 2: it is there from frame 11 to 20");
    let said = session.report(9, 0, 99).map(|_| ()).unwrap_err().to_string();
    assert_eq!(said, "agent 9 does not exist: the 2 agents have the numbers 0 to 1");
    Ok(())
}
