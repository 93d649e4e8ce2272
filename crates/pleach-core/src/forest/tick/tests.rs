//! Which agents a tick looks at.

use crate::nodes::{action, check, idle, selector, sequence};
use crate::{Forest, Host, Status, Tree, nodes::Abort};

struct Nothing;
impl Host for Nothing {
    type Cx<'a> = ();
}

#[test]
fn an_agent_that_is_paused_or_off_is_looked_at_once_and_misses_no_change() {
    let modes = [(true, false), (true, true), (false, false), (false, true)];
    // Few agents, and many.
    for (count, (paused, batched)) in [3, 20].into_iter().flat_map(|count| modes.map(|it| (count, it))) {
        let mut builder = Tree::<Nothing>::builder("watch");
        let alarm = builder.key("alarm", false);
        let watch = sequence([check("alarm"), idle()]).aborts(Abort::LOWER_PRIORITY);
        let root = selector([watch, action(|_| Status::Running)]);
        let mut forest = Forest::new(0);
        forest.configure(|it| it.batched = batched);
        let tree = forest.add_tree(builder.build(root).expect("valid")).expect("no other keys");
        let agents: Vec<_> = (0..count).map(|_| forest.spawn(&mut (), tree).expect("room")).collect();
        forest.tick(&mut (), 0.1).expect("a time");
        for &it in &agents {
            let agent = forest.agent_mut(it).expect("here");
            if paused { agent.pause(&mut ()) } else { agent.disable(&mut ()) }
        }
        let all = forest.population_mut(tree).expect("here").update_column(alarm, |_, _| true);
        assert_eq!(all, Ok(count));
        for _ in 0..2 {
            forest.tick(&mut (), 0.1).expect("a time");
        }
        let bits = forest.trees.get(tree).expect("here").chunks[0].run.bits();
        assert_eq!((bits.first_dirty(), bits.awake()[0]), (0, 0));
        for &it in &agents {
            let agent = forest.agent_mut(it).expect("here");
            if paused { agent.unpause(&mut ()) } else { agent.enable(&mut ()) }
        }
        assert_eq!(forest.tick(&mut (), 0.1).expect("a time").aborts, if paused { count as u64 } else { 0 });
        let idles = |&it| forest.agent(it).expect("here").inspect().to_string() == "Idle";
        assert!(agents.iter().all(idles), "{count} {paused} {batched}");
    }
}

#[test]
fn a_change_that_does_not_matter_marks_one_of_few_agents_for_one_tick() {
    let mut builder = Tree::<Nothing>::builder("watch");
    let alarm = builder.key("alarm", false);
    let watch = sequence([check("alarm"), idle()]).aborts(Abort::SELF);
    let mut forest = Forest::new(0);
    let root = selector([watch, action(|_| Status::Running)]);
    let tree = forest.add_tree(builder.build(root).expect("valid")).expect("no other keys");
    let agent = forest.spawn(&mut (), tree).expect("room");
    forest.tick(&mut (), 0.1).expect("a time");
    forest.keys_mut(agent).expect("here").set(alarm, true);
    let marks = |forest: &Forest<Nothing>| forest.trees.get(tree).expect("here").chunks[0].run.bits().first_dirty();
    assert_eq!(marks(&forest), 1);
    assert_eq!(forest.tick(&mut (), 0.1).expect("a time").aborts, 0);
    assert_eq!(marks(&forest), 0);
}
