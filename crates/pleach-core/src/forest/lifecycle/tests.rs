//! A forest that is full.

use super::*;

struct Nothing;
impl Host for Nothing {
    type Cx<'a> = ();
}

#[test]
fn a_full_forest_says_so_and_goes_on() {
    let mut forest = Forest::<Nothing>::new(0);
    forest.most = 3;
    let tree =
        forest.add_tree(Tree::builder("idle").build(crate::nodes::idle()).expect("valid")).expect("no other keys");
    let agents: Vec<_> = (0..3).map(|_| forest.spawn(&mut (), tree)).collect::<Result<_, _>>().expect("room for three");
    assert_eq!(forest.spawn(&mut (), tree), Err(SpawnError::Full));
    assert_eq!(forest.tick(&mut (), 0.1).map(|it| it.ticked), Ok(3));
    assert_eq!(forest.despawn(&mut (), agents[1]), Ok(()));
    assert!(forest.spawn(&mut (), tree).is_ok());
    assert_eq!(forest.spawn(&mut (), tree), Err(SpawnError::Full));
}
