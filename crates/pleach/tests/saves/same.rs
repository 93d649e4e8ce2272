//! After a save everything continues as it would have without one, in every format.

use pleach_core::nodes::action_of;
use pleach_core::{Action, Forest, Phase, Rate, Save, Status, Tree};

use crate::support::{Cx, Game, World};
use crate::{follow, lived, new_forest, through_json, through_postcard, through_ron};

#[test]
fn what_follows_is_the_same_in_every_format() {
    let (mut forest, _, squad, agents) = lived();
    let save = forest.save().unwrap();
    assert_eq!((save.len(), save.is_empty(), save.is_whole()), (6, false, true));
    assert_eq!(save.trees().collect::<Vec<_>>(), [("guard", 6)]);
    assert!((save.time() - forest.time()).abs() < 1e-9);
    let formats = [Save::clone, through_ron, through_postcard];
    let saves: Vec<Save> = formats.iter().map(|it| it(&save)).collect();
    let first = follow(&mut forest, &agents, squad);
    assert!(first.2.len() > 50);
    for save in saves {
        let (mut forest, mut world) = (new_forest(), World::default());
        let report = forest.restore(&mut world, &save).unwrap();
        assert_eq!((report.agents, report.trees.len(), &report.trees[0].restarts), (6, 1, &vec![]));
        assert_eq!(report.trees[0].keys, []);
        let told = world.take();
        assert_eq!((told.len(), told.iter().all(|it| it.starts_with("walk restored"))), (5, true), "{told:?}");
        assert_eq!(forest.group(squad).unwrap().members(), agents);
        assert_eq!(forest.agent(agents[4]).unwrap().phase(), Phase::Paused);
        assert_eq!(forest.agent(agents[5]).unwrap().phase(), Phase::Off);
        assert_eq!(forest.agent(agents[3]).unwrap().rate(), Rate::every(3).unwrap());
        assert_eq!(follow(&mut forest, &agents, squad), first);
    }
}

#[test]
fn json_holds_all_but_floats_that_are_none_in_states() {
    let (forest, _, squad, agents) = lived();
    let save = forest.save().unwrap();
    // JSON has no NaN, and the format of a state is up to the game.
    let error = new_forest().restore(&mut World::default(), &through_json(&save));
    assert_eq!(error.map(|it| it.agents), Ok(6), "NaN in an Option is None");
    let mut forest = new_forest();
    forest.restore(&mut World::default(), &through_json(&save)).unwrap();
    assert_eq!(forest.group(squad).unwrap().members(), agents);
    let spot = forest.keys(agents[1]).unwrap().value("spot").unwrap();
    assert_eq!(format!("{spot:?}"), "Vec2([NaN, inf])");
}

#[derive(Default)]
struct Mark;

/// Remembers nothing, and has no way to save it.
struct Marked;

impl Action<Game> for Marked {
    type State = Mark;
    fn restored(&self, _: &mut Mark, cx: &mut Cx<'_, '_>) {
        cx.host.log.push("restored".into());
    }
    fn update(&self, _: &mut Mark, _: &mut Cx<'_, '_>) -> Status {
        Status::Running
    }
}

#[test]
fn a_state_without_bytes_needs_no_place_in_a_save() {
    let new = || {
        let mut forest = Forest::<Game>::new(1);
        let tree = forest.add_tree(Tree::builder("mark").build(action_of(Marked).of_kind("Marked")).unwrap()).unwrap();
        (forest, tree)
    };
    let ((mut forest, tree), mut world) = (new(), World::default());
    let agent = forest.spawn(&mut world, tree).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    let save = forest.save().unwrap();
    let (mut other, _) = new();
    other.restore(&mut world, &save).unwrap();
    assert_eq!(world.take(), ["restored"]);
    assert_eq!(other.agent(agent).unwrap().inspect().to_string(), forest.agent(agent).unwrap().inspect().to_string());
}
