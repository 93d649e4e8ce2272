//! What happened in a frame, one event after the other.

use pleach_studio_core::AskError;

use super::game::{DOG, Done, Played, dogs};

#[test]
fn the_steps_of_a_frame_lead_from_the_moment_before_to_the_moment_after() -> Done {
    let mut session = dogs()?.session()?;
    let mut told = 0;
    for frame in 2..=60 {
        let (before, after) = (session.moment(0, frame - 1)?, session.moment(0, frame)?);
        let steps = session.steps(0, frame)?;
        let Some(last) = steps.last() else {
            assert_eq!((before.running, before.active), (after.running, after.active), "frame {frame}");
            continue;
        };
        assert_eq!((&last.running, &last.active), (&after.running, &after.active), "frame {frame}");
        told += steps.len();
    }
    assert!(told > 50, "{told}");
    Ok(())
}

#[test]
fn a_step_says_what_happened_and_what_is_active_behind_it() -> Done {
    let (mut game, dogs) = Played::of(DOG, 1)?;
    let health = game.forest.agent(dogs[0])?.tree().key::<f32>("health")?;
    game.play(3)?;
    game.forest.keys_mut(dogs[0])?.set(health, 0.1);
    game.play(2)?;
    let mut session = game.session()?;
    let texts: Vec<String> = session.steps(0, 4)?.into_iter().map(|it| it.text).collect();
    insta::assert_snapshot!("steps", texts.join("\n"));
    let steps = session.steps(0, 4)?;
    let fled = steps.iter().position(|it| it.text.starts_with("start n1 ")).ok_or("it starts to flee")?;
    assert!(!steps[fled - 1].active.contains(&1) && steps[fled].active.contains(&1));
    // Nothing happens in the next frames, and asking changes nothing.
    assert!(session.steps(0, 5)?.is_empty());
    assert_eq!(session.steps(0, 4)?, steps);
    assert!(matches!(session.steps(0, 99), Err(AskError::NotThere { .. })));
    assert!(matches!(session.steps(7, 4), Err(AskError::NoAgent { .. })));
    Ok(())
}
