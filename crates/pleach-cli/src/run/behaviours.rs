//! What the agents do during a run: samples of the nodes that run, counted by named branch.

use std::collections::HashMap;

use pleach::{Host, Tree};
use pleach_studio_core::behaviour;

use crate::world::World;

/// How many run stacks are read per sample, at most, unless a single agent has more.
const STACKS: usize = 250_000;

/// Index into the labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Label(usize);

/// Counts [`behaviour`]s.
#[derive(Debug)]
pub(crate) struct Behaviours {
    labels: Vec<String>,
    /// The label of each node.
    label_of: Vec<Label>,
    /// How often each label was counted.
    counts: Vec<u64>,
    nothing: u64,
    sampled: u64,
    /// How many run stacks an agent can have.
    stacks: usize,
    samples: usize,
    /// The labels of the agent being sampled.
    labels_of_one: Vec<Label>,
}

impl Behaviours {
    pub(crate) fn of<H: Host>(tree: &Tree<H>) -> Self {
        let mut behaviours = Behaviours {
            labels: Vec::new(),
            label_of: Vec::new(),
            counts: Vec::new(),
            nothing: 0,
            sampled: 0,
            stacks: 1,
            samples: 0,
            labels_of_one: Vec::new(),
        };
        behaviours.go_on(tree);
        behaviours
    }

    /// Continues under another tree. A behaviour of the same name there is the same one.
    pub(crate) fn go_on<H: Host>(&mut self, tree: &Tree<H>) {
        let labels = &mut self.labels;
        let mut known: HashMap<String, Label> =
            labels.iter().enumerate().map(|(at, text)| (text.clone(), Label(at))).collect();
        let label_of = tree.nodes().map(|node| {
            let text = behaviour(node);
            *known.entry(text).or_insert_with_key(|text| {
                labels.push(text.clone());
                Label(labels.len() - 1)
            })
        });
        self.label_of = label_of.collect();
        self.counts.resize(self.labels.len(), 0);
        self.stacks = tree.run_stacks();
    }

    /// How many of `agents` agents are sampled at a time.
    pub(crate) fn at_a_time(&self, agents: usize) -> usize {
        agents.div_ceil(self.step(agents))
    }

    /// With this many agents, every n-th is sampled: returns n.
    fn step(&self, agents: usize) -> usize {
        agents.div_ceil((STACKS / self.stacks).max(1)).max(1)
    }

    /// Takes a sample.
    pub(crate) fn sample(&mut self, game: &impl World) {
        let step = self.step(game.agents().len());
        // Each sample starts at a different agent.
        let first = self.samples % step;
        self.samples += 1;
        for &agent in game.agents().iter().skip(first).step_by(step) {
            let Ok(running) = game.forest().agent(agent).map(|it| it.current()) else { continue };
            let labels = &mut self.labels_of_one;
            labels.clear();
            labels.extend(running.map(|it| self.label_of[it.index()]));
            labels.sort_unstable();
            labels.dedup();
            self.sampled += 1;
            self.nothing += u64::from(labels.is_empty());
            labels.iter().for_each(|it| self.counts[it.0] += 1);
        }
    }

    /// Each behaviour with its share of the agents, the largest first. An agent in a parallel has
    /// several behaviours at once and counts for each.
    pub(crate) fn shares(&self) -> Vec<(String, f64)> {
        let share = |count: u64| count as f64 / self.sampled.max(1) as f64;
        let counted = self.labels.iter().zip(&self.counts).filter(|it| *it.1 > 0);
        let mut shares: Vec<(String, f64)> = counted.map(|(label, &count)| (label.clone(), share(count))).collect();
        if self.nothing > 0 {
            shares.push(("(nothing)".into(), share(self.nothing)));
        }
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        shares
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pleach::nodes;
    use pleach_arena::{Arena, Game};

    use super::*;

    fn shares(root: pleach::nodes::Node<Arena>) -> Vec<(String, f64)> {
        let tree = Arc::new(Tree::builder("guard").build(root).unwrap());
        let mut game = Game::new(Arc::clone(&tree), 4, 1).unwrap();
        let mut behaviours = Behaviours::of(&tree);
        behaviours.sample(&game);
        assert_eq!(behaviours.shares(), [("(nothing)".to_string(), 1.0)]);
        for _ in 0..3 {
            game.frame(0.1).unwrap();
            behaviours.sample(&game);
        }
        behaviours.shares()
    }

    #[test]
    fn the_nearest_name_counts_but_not_the_root_s() {
        let share = |label: &str| (label.to_string(), 0.75);
        let rest = ("(nothing)".to_string(), 0.25);
        let branch = nodes::sequence([nodes::wait(9.0)]).named("rest");
        assert_eq!(shares(nodes::selector([branch]).named("root")), [share("rest"), rest.clone()]);
        assert_eq!(shares(nodes::selector([nodes::wait(9.0)]).named("root")), [share("Wait 9 s"), rest.clone()]);
        let both = nodes::parallel([nodes::idle(), nodes::wait(9.0).named("w")]);
        assert_eq!(shares(both), [share("Idle"), share("w"), rest]);
    }

    #[test]
    fn what_has_the_same_name_under_another_tree_is_counted_on() {
        let of = |name: &str, seconds: f64| -> Arc<Tree<Arena>> {
            let wait = nodes::wait(seconds).named(name);
            Tree::builder("guard").build(nodes::sequence([wait, nodes::idle().named("end")])).unwrap().into()
        };
        let mut game = Game::new(of("rest", 9.0), 4, 1).unwrap();
        let mut behaviours = Behaviours::of(&of("rest", 9.0));
        for tree in [of("rest", 9.0), of("rest", 8.0), of("look", 8.0)] {
            game.replace_tree(Arc::clone(&tree), &mut pleach::trace::NoTracer).unwrap();
            behaviours.go_on(&tree);
            game.frame(0.1).unwrap();
            behaviours.sample(&game);
        }
        let share = |label: &str, share: f64| (label.to_string(), share);
        assert_eq!(behaviours.shares(), [share("rest", 2.0 / 3.0), share("look", 1.0 / 3.0)]);
    }

    #[test]
    fn a_large_agent_is_sampled_more_rarely() {
        let of = |branches: usize| {
            let root = nodes::parallel((0..branches).map(|_| nodes::idle()));
            Behaviours::of::<Arena>(&Tree::builder("t").build(root).unwrap())
        };
        assert_eq!([0, 1, 83_333, 83_334].map(|it| of(2).at_a_time(it)), [0, 1, 83_333, 41_667]);
        assert_eq!([1, 24, 25, 99].map(|it| of(10_000).at_a_time(it)), [1, 24, 13, 20]);
        let (tree, single) = (of(60_000), Behaviours::of::<Arena>(&Tree::builder("t").build(nodes::idle()).unwrap()));
        assert_eq!((tree.at_a_time(250_000), single.at_a_time(250_000)), (4, 250_000));
    }

    #[test]
    fn another_part_is_sampled_each_time() {
        let branches: Vec<_> = (0..60_000).map(|_| nodes::idle()).collect();
        let tree: Arc<Tree<Arena>> = Tree::builder("guard").build(nodes::parallel(branches)).unwrap().into();
        let mut game = Game::new(Arc::clone(&tree), 6, 1).unwrap();
        let agent = game.agents()[2];
        game.frame(0.1).unwrap();
        game.with_forest(|forest, cx| forest.agent_mut(agent).map(|it| it.disable(cx))).unwrap();
        let mut behaviours = Behaviours::of(&tree);
        for nothing in [1, 1, 2, 2, 3, 3] {
            behaviours.sample(&game);
            assert_eq!(behaviours.nothing, nothing);
        }
    }
}
