//! Recordings that are torn or changed.

use super::game::{Done, dogs, told};

#[test]
fn a_torn_recording_is_told_up_to_there() -> Done {
    let game = dogs()?;
    let whole = game.recording.to_bytes();
    let mut session = game.opened(whole[..whole.len() - 40].to_vec())?;
    let overview = session.overview();
    assert!(overview.last < 60, "{}", overview.last);
    assert_eq!(overview.notes.len(), 1);
    assert!(overview.notes[0].starts_with("Only a part can be shown: the recording "), "{:?}", overview.notes);
    assert!(session.damage().is_some());
    let mut all = game.session()?;
    let last = overview.last;
    assert_eq!(told(&session.moment(0, last)?)?, told(&all.moment(0, last)?)?);
    assert_eq!(session.track(0, 0, 99)?.last, last);
    assert_eq!(session.agents(99, None, 9)?.count, 2);
    Ok(())
}

/// Where each frame of a recording begins and ends.
fn frames(bytes: &[u8]) -> Done<Vec<std::ops::Range<usize>>> {
    let header = u64::from_le_bytes(bytes[12..20].try_into()?);
    let (mut at, mut all) = (20 + usize::try_from(header)?, Vec::new());
    while at < bytes.len() {
        let (mut length, mut shift) = (0, 0);
        loop {
            length |= usize::from(bytes[at] & 127) << shift;
            (at, shift) = (at + 1, shift + 7);
            if bytes[at - 1] < 128 {
                break;
            }
        }
        all.push(at..at + length);
        at += length;
    }
    Ok(all)
}

#[test]
fn nothing_is_told_of_what_follows_damage() -> Done {
    let game = dogs()?;
    let whole = game.recording.to_bytes();
    let frames = frames(&whole)?;
    assert_eq!(frames.len(), 60);
    let mut all = game.session()?;
    let (mut damaged, mut whole_ends) = (0, 0);
    for (before, bytes) in frames.iter().enumerate().skip(10) {
        for at in bytes.clone() {
            let mut bytes = whole.clone();
            bytes[at] = 0xff;
            let mut session = game.opened(bytes)?;
            let last = session.overview().last;
            damaged += usize::from(session.damage().is_some());
            for agent in [0, 1] {
                let track = session.track(agent, 0, u64::MAX)?;
                assert!(track.last <= last, "{track:?}");
                assert!(track.spans.iter().all(|it| it.from <= last && it.to <= last), "{track:?}");
                assert!(track.marks.iter().all(|it| it.frame <= last), "{track:?}");
                assert!(session.moment(agent, last + 1).is_err());
                // The frames before the changed one are as they were.
                let before = u64::try_from(before)?;
                assert!(last >= before);
                assert_eq!(told(&session.moment(agent, before)?)?, told(&all.moment(agent, before)?)?);
                let report = session.report(agent, 0, u64::MAX)?;
                assert!(report.overview.last <= last && report.moments.iter().all(|it| it.frame <= last));
                whole_ends += usize::from(last == before && session.damage().is_some());
            }
        }
    }
    assert!(damaged > 20 && whole_ends > 20, "{damaged} {whole_ends}");
    Ok(())
}

#[test]
fn a_recording_of_no_playable_frame_has_no_report() -> Done {
    let game = dogs()?;
    let mut bytes = game.recording.to_bytes();
    let first = frames(&bytes)?[0].start;
    bytes.truncate(first + 1);
    let mut session = game.opened(bytes)?;
    let overview = session.overview();
    assert_eq!((overview.agents, overview.last, overview.times.len()), (0, 0, 0));
    let said = session.report(0, 0, u64::MAX).map(|_| ()).unwrap_err().to_string();
    assert!(said.starts_with("no frame can be played: the recording is damaged after 0 frames"), "{said}");
    let said = session.moment(0, 1).map(|_| ()).unwrap_err().to_string();
    assert!(said.starts_with("no frame can be played"), "{said}");
    Ok(())
}

#[test]
fn no_damage_makes_it_panic() -> Done {
    let game = dogs()?;
    let whole = game.recording.to_bytes();
    let number = |name, usual: u64| std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(usual);
    let (mut dice, count, mut opened) = (number("PLEACH_SEED", 7), number("PLEACH_COUNT", 200), 0);
    let mut roll = |sides: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(dice >> 33).map(|it| it % sides)
    };
    for _ in 0..count {
        let mut bytes = whole.clone();
        for _ in 0..=roll(3)? {
            let at = roll(bytes.len())?;
            bytes[at] = u8::try_from(roll(256)?)?;
        }
        bytes.truncate(bytes.len() - roll(40)?);
        let Ok(mut session) = game.opened(bytes) else { continue };
        opened += 1;
        for frame in [0, 5, 30, 60, u64::MAX] {
            for agent in [0, 1, 2] {
                // Any answer or error will do.
                _ = session.moment(agent, frame);
                _ = session.why_not(agent, frame, 3);
                _ = session.track(agent, 3, frame);
                _ = session.steps(agent, frame);
            }
            _ = session.agents(frame, Some("live"), 9);
        }
        _ = session.report(0, 0, 99);
    }
    assert!(opened > count / 10, "{opened}");
    Ok(())
}
