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

#[test]
fn no_damage_makes_it_panic() -> Done {
    let game = dogs()?;
    let whole = game.recording.to_bytes();
    let (mut dice, mut opened) = (7_u64, 0);
    let mut roll = |sides: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(dice >> 33).map(|it| it % sides)
    };
    for _ in 0..200 {
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
            }
            _ = session.agents(frame, Some("live"), 9);
        }
        _ = session.report(0, 0, 99);
    }
    assert!(opened > 20, "{opened}");
    Ok(())
}
