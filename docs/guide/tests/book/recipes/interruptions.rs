//! `cookbook-interruptions.md`.

use pleach::{Event, Value};

use super::life::Life;

#[test]
fn a_looter_without_ammunition_gets_to_the_crate() {
    let mut life = Life::of("looter.ron");
    for _ in 0..11 {
        life.set("sees", true);
        life.ticks(1);
        life.set("sees", false);
        life.ticks(1);
    }
    assert_eq!(life.story(), ["walk to the crate", "open it", "walk to the crate"]);
    assert_eq!(life.value("ammo"), Value::Int(6));
    life.set("sees", true);
    life.ticks(1);
    life.set("sees", false);
    life.ticks(4);
    assert_eq!(
        life.story(),
        ["walk to the crate: cut short", "shoot", "walk to the crate"],
        "now it can, and finishes"
    );
    assert_eq!(life.value("ammo"), Value::Int(5));
}

#[test]
fn a_looter_sleeps_while_it_walks() {
    let mut life = Life::of("looter.ron");
    life.ticks(2);
    assert_eq!(life.ticked, 0);
}

#[test]
fn a_healer_goes_on_following_while_the_spell_cools() {
    let mut life = Life::of("healer.ron");
    life.set("hurt", true);
    life.ticks(7);
    assert_eq!(life.story(), ["cast", "catch up"]);
    life.ticks(38);
    assert_eq!(life.story(), ["keep up"], "nothing breaks it off for four seconds");
    life.ticks(5);
    assert_eq!(life.story(), ["cast", "keep up: cut short"], "then the spell does");
    life.ticks(100);
    assert_eq!(life.value("mana"), Value::Int(0));
    life.story();
    life.ticks(100);
    assert!(!life.story().contains(&"cast".to_owned()), "no mana, no spell");
    life.set("mana", 1);
    life.set("hurt", false);
    life.ticks(100);
    assert!(!life.story().contains(&"cast".to_owned()), "nobody is hurt");
}

#[test]
fn a_guard_ends_its_own_branch_and_no_other() {
    let mut life = Life::of("reader.ron");
    life.ticks(5);
    life.set("light", false);
    life.ticks(1);
    assert_eq!(life.story(), ["read", "read: cut short", "sleep"]);
    life.set("light", true);
    life.ticks(79);
    assert_eq!(life.story(), [""; 0], "light does not wake him");
    life.ticks(2);
    assert_eq!(life.story(), ["read"]);
}

#[test]
fn a_watchman_goes_on_at_the_post_where_he_was() {
    let mut life = Life::of("watchman.ron");
    life.ticks(8);
    assert_eq!(life.story(), ["gate", "tower"]);
    life.set("noise", true);
    life.ticks(15);
    assert_eq!(life.story(), ["tower: cut short", "listen", "tower", "yard"]);
    life.ticks(12);
    assert_eq!(life.story(), ["cellar", "gate"], "no post is left out, and none comes twice");
}

#[test]
fn a_swing_is_never_cut_short() {
    let mut life = Life::of("swordsman.ron");
    life.ticks(12);
    assert_eq!(life.now(), "swing");
    life.set("hurt", true);
    life.ticks(11);
    assert_eq!(life.story(), ["walk up", "swing", "recover", "step back"], "after the swing, at once");
    life.set("hurt", false);
    life.ticks(20);
    life.set("hurt", true);
    life.ticks(1);
    assert_eq!(life.story(), ["walk up", "walk up: cut short", "step back"], "a walk gives way at once");
    for _ in 0..3000 {
        let hurt = life.chance(20);
        life.set("hurt", hurt);
        life.ticks(1);
    }
    let story = life.story();
    assert!(story.contains(&"walk up: cut short".to_owned()) && story.contains(&"swing".to_owned()));
    for never in ["swing: cut short", "recover: cut short", "step back: cut short"] {
        assert!(!story.contains(&never.to_owned()), "{never}");
    }
}

#[test]
fn an_archer_does_other_things_between_attacks() {
    let mut life = Life::of("archer.ron");
    life.ticks(3);
    life.set("enemy_near", true);
    life.ticks(7);
    assert_eq!(life.story(), ["aim", "loose", "stab"], "the shot first");
    life.set("enemy_near", false);
    life.ticks(70);
    let quiver = ["aim", "loose", "aim", "loose", "fill the quiver", "aim", "loose", "aim", "loose"];
    assert_eq!(life.story()[..9], quiver);
    for _ in 0..3000 {
        let near = life.chance(5);
        life.set("enemy_near", near);
        life.ticks(1);
    }
    let story = life.story();
    assert!(story.contains(&"fill the quiver".to_owned()));
    assert!(!story.iter().any(|it| it.ends_with("cut short")));
}

#[test]
fn a_wolf_flees_until_it_is_well() {
    let mut life = Life::of("wolf.ron");
    life.ticks(1);
    for (health, does) in
        [(0.31, "hunt"), (0.29, "run and lick wounds"), (0.31, "run and lick wounds"), (0.79, "run and lick wounds")]
    {
        life.set("health", health);
        life.ticks(1);
        assert_eq!(life.now(), does, "{health}");
    }
    life.set("health", 0.81);
    life.ticks(2);
    assert_eq!(life.now(), "hunt");
    life.set("health", 0.31);
    life.ticks(1);
    assert_eq!(life.now(), "hunt", "not again at once");
}

#[test]
fn a_stun_ends_all_branches() {
    let mut life = Life::of("brawler.ron");
    life.ticks(7);
    assert_eq!(life.now(), "block, shout");
    life.story();
    life.send(Event::new("stunned").with(1.5_f32));
    life.ticks(15);
    assert_eq!(life.story(), ["block: cut short", "shout: cut short", "stagger"], "and nothing else begins");
    life.ticks(12);
    assert_eq!(life.story(), ["punch", "shout", "block", "punch"]);
}

#[test]
fn a_story_goes_on_after_a_fight() {
    let mut life = Life::of("storyteller.ron");
    life.ticks(25);
    assert_eq!(life.story(), ["there was a king", "he had a daughter"]);
    life.set("enemy", true);
    life.ticks(5);
    life.set("enemy", false);
    life.ticks(56);
    let rest = [
        "he had a daughter: cut short",
        "strike",
        "where was I?",
        "he had a daughter",
        "and she had a sword",
        "whittle",
    ];
    assert_eq!(life.story(), rest);
    life.set("enemy", true);
    life.ticks(2);
    life.set("enemy", false);
    life.ticks(3);
    assert_eq!(life.story(), ["whittle: cut short", "strike", "whittle"], "a story that is over is not taken up");
    life.set("line", 0);
    life.ticks(1);
    assert_eq!(life.story(), ["whittle: cut short", "there was a king"], "the game asks for it again");
}

#[test]
fn a_drinker_strikes_on_his_feet() {
    let mut life = Life::of("drinker.ron");
    life.ticks(2);
    life.set("threat", true);
    life.ticks(5);
    assert_eq!(life.story(), ["sit and drink", "sit and drink: cut short", "get up", "strike"], "nothing between");
    life.set("fire", true);
    life.ticks(1);
    assert_eq!(life.story(), ["strike: cut short", "run out"], "he stands already");
    life.set("fire", false);
    life.ticks(1);
    life.set("threat", false);
    life.ticks(1);
    assert_eq!(life.story(), ["run out: cut short", "strike", "strike: cut short", "sit and drink"], "all is quiet");
    for _ in 0..3000 {
        let (threat, fire) = (life.chance(3), life.chance(5));
        life.set("threat", threat);
        life.set("fire", fire);
        life.ticks(1);
        if ["strike", "run out"].contains(&life.now().as_str()) {
            assert_eq!(life.value("seated"), Value::Bool(false));
        }
    }
    assert!(life.story().contains(&"get up: cut short".to_owned()), "that is hard on him, too");
}

#[test]
fn a_smith_never_keeps_the_hammer_in_hand() {
    let mut life = Life::of("smith.ron");
    life.ticks(3);
    assert_eq!((life.now().as_str(), life.value("hammer_in_hand")), ("hit the iron", true.into()));
    life.set("thief", true);
    life.ticks(1);
    assert_eq!((life.now().as_str(), life.value("hammer_in_hand")), ("run after the thief", false.into()));
    life.set("thief", false);
    // The chase lasts two seconds, and then one stroke.
    life.ticks(21);
    assert_eq!((life.now().as_str(), life.value("hammer_in_hand")), ("hit the iron", true.into()));
    life.set("iron", false);
    for _ in 0..12 {
        life.ticks(1);
        assert_eq!(life.value("hammer_in_hand") == true.into(), life.is_active("hit the iron"));
    }
    assert_eq!(life.now(), "rest");
}
