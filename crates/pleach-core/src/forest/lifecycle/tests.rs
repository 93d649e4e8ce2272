//! A full forest: of agents, or of chunks.

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
    forest.agent_mut(agents[1]).unwrap().despawn(&mut ());
    assert!(forest.spawn(&mut (), tree).is_ok());
    assert_eq!(forest.spawn(&mut (), tree), Err(SpawnError::Full));
}

#[test]
fn a_forest_has_so_many_chunks_at_most() {
    let mut forest = Forest::<Nothing>::new(0);
    forest.trees.chunks = 2;
    forest.configure(|it| it.chunk_size = 1);
    let tree =
        forest.add_tree(Tree::builder("idle").build(crate::nodes::idle()).expect("valid")).expect("no other keys");
    let agents: Vec<_> = (0..2).map(|_| forest.spawn(&mut (), tree)).collect::<Result<_, _>>().expect("room for two");
    for _ in 0..2 {
        assert_eq!(forest.spawn(&mut (), tree), Err(SpawnError::Full));
    }
    assert_eq!(forest.tick(&mut (), 0.1).map(|it| it.ticked), Ok(2));
    forest.agent_mut(agents[0]).unwrap().despawn(&mut ());
    assert!(forest.spawn(&mut (), tree).is_ok());
    assert_eq!(forest.spawn(&mut (), tree), Err(SpawnError::Full));
}
