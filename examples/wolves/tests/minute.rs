//! What must hold of every minute on the meadow.

use pleach::{Library, Value, trace::NoTracer};
use pleach_wolves::{Game, play};

fn eaten(game: &Game) -> usize {
    game.world.story.matches(" ate ").count()
}

#[test]
fn wolves_eat_sheep_and_the_same_ones_in_each_run() {
    let game = play(7, None).unwrap();
    let sheep = game.forest.population(game.sheep).unwrap().len();
    assert!(eaten(&game) > 10, "{}", game.world.story);
    assert_eq!(sheep + eaten(&game), 50);
    assert_eq!(game.forest.len(), 200 + sheep);

    assert_eq!(play(7, None).unwrap().world.story, game.world.story);
    assert_ne!(play(8, None).unwrap().world.story, game.world.story);
}

#[test]
fn a_tuned_number_takes_effect_while_the_wolves_live() {
    let (slow, fast) = (play(7, None).unwrap(), play(7, Some(8.0)).unwrap());
    for (game, run) in [(&slow, 6.5), (&fast, 8.0)] {
        for wolf in game.forest.population(game.wolves).unwrap().agents() {
            assert_eq!(game.forest.keys(wolf).unwrap().value("run"), Ok(Value::Float(run)));
        }
    }
    let tuned = fast.world.story.find("wolf.ron is loaded again").unwrap();
    assert_eq!(slow.world.story[..tuned], fast.world.story[..tuned]);
    assert!(eaten(&fast) > eaten(&slow), "{} and {}", eaten(&fast), eaten(&slow));
}

#[test]
fn packs_share_their_prey() {
    let mut game = Game::new(7).unwrap();
    let hunt = game.forest.tree(game.wolves).unwrap().find_one("hunt").unwrap().id();
    let mut most = 0;
    for _ in 0..30 {
        game.second(&mut NoTracer).unwrap();
        for &pack in &game.packs {
            let prey = game.forest.group(pack).unwrap().keys().value("prey").unwrap();
            let members = game.forest.group(pack).unwrap().members();
            assert_eq!(members.len(), 10);
            for &wolf in members {
                assert_eq!(game.forest.agent(wolf).unwrap().group(), Some(pack));
                assert_eq!(game.forest.keys(wolf).unwrap().value("prey"), Ok(prey));
            }
            let hunters = members.iter().filter(|it| game.forest.agent(**it).unwrap().is_active(hunt)).count();
            most = most.max(hunters);
        }
    }
    assert!(most > 2, "at most {most} wolves of a pack hunted together");
}

#[test]
fn the_story_tells_of_one_wolf() {
    let story = play(7, None).unwrap().world.story;
    for part in
        ["A second of wolf ", "  does     n0 Selector > ", ": why not n6 Sequence \"hunt\"?", "60 s: of the wolves "]
    {
        assert!(story.contains(part), "{part} is not in\n{story}");
    }
}

#[test]
fn nothing_in_the_trees_is_probably_a_mistake() {
    let game = Game::new(7).unwrap();
    let report = Library::open(env!("CARGO_MANIFEST_DIR")).unwrap().check_all(&game.registry);
    assert!(report.is_empty(), "{}", report.plain());
}
