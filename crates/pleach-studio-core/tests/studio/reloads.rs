//! What a session reports about agents that get another version of their tree.

use pleach::Event;

use super::game::{DOG, Done, Played};
use super::growing::Follower;

#[test]
fn a_reload_says_of_how_many_agents_what_the_game_says() -> Done {
    let waits = DOG.replace("seconds: 0.7", "seconds: 0.9");
    let comes = DOG.replace("Wait(seconds: 0.5)", "Done");
    let is_back = |text: &str| text == DOG;
    let (mut game, dogs) = Played::of(DOG, 3)?;
    let mut follower = Follower::new();
    game.play(1)?;
    follower.follow(&game, 1 << 16)?;
    assert_eq!(follower.session()?.since(0).reload, None);
    game.forest.agent_mut(dogs[1])?.send(Event::new("whistle").with([3.0_f32, 4.5]))?;
    let mut said = Vec::new();
    for text in [&*comes, &*waits, DOG] {
        game.play(2)?;
        // Agents that come or go are not a reload.
        let came = game.forest.spawn(&mut (), game.forest.agent(dogs[0])?.tree_id())?;
        game.play(1)?;
        game.forest.agent_mut(came)?.despawn(&mut ());
        let new = if is_back(text) { game.trees[0].clone() } else { game.tree(text)? };
        let old = game.forest.agent(dogs[0])?.tree_id();
        let report = game.forest.replace_tree(&mut (), old, new)?.to_string();
        game.play(1)?;
        follower.follow(&game, 1 << 16)?;
        let reload = follower.session()?.since(0).reload.ok_or("there was a reload")?;
        // The game does not report what is no longer watched.
        assert_eq!(reload.text.split(". ").next(), report.lines().next());
        assert_eq!(reload.frame, follower.session()?.since(0).last);
        said.push(reload.text);
    }
    assert!(said.iter().any(|it| it.contains("2 agents kept running, 1 restarted")), "{said:?}");
    assert!(said.iter().any(|it| it.contains("3 agents kept running, 0 restarted")), "{said:?}");
    Ok(())
}

#[test]
fn a_condition_that_a_reload_has_changed_is_said_to_be_unasked() -> Done {
    let (mut game, dogs) = Played::of(DOG, 1)?;
    let mut follower = Follower::new();
    game.play(3)?;
    follower.follow(&game, 1 << 16)?;
    let new = game.tree(&DOG.replace("health < 0.3", "health < 3"))?;
    let old = game.forest.agent(dogs[0])?.tree_id();
    game.forest.replace_tree(&mut (), old, new)?;
    game.play(1)?;
    follower.follow(&game, 1 << 16)?;
    let session = follower.session()?;
    let reload = session.since(0).reload.ok_or("there was a reload")?;
    let sentence = ". 1 agent no longer watches n2 Check(health < 3) until the tree asks it next";
    assert!(reload.text.ends_with(sentence), "{}", reload.text);
    // The node below the condition, before and after.
    let lines = |session: &mut pleach_studio_core::Session, frame| -> Done<Vec<String>> {
        Ok(session.why_not(0, frame, 4)?.lines.into_iter().map(|it| format!("{} {}", it.word, it.text)).collect())
    };
    let last = session.since(0).last;
    let (before, after) = (lines(session, last - 1)?, lines(session, last)?);
    let unasked =
        "unasked n2 Check(health < 3): this version of the tree has not asked it yet; it aborts nothing until then";
    assert!(!before.iter().any(|it| it.contains("unasked")), "{before:?}");
    assert!(after.iter().any(|it| it == unasked), "{after:?}");
    Ok(())
}
