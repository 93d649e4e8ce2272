//! What the agents are doing all the time: samples of the tops of their run stacks, by named branch.

use std::collections::HashMap;

use pleach::{NodeId, NodeRef, Tracer, Tree};
use pleach_arena::{Arena, Game};

/// How many agents of a tree with parallels are asked per sample: looking at all stacks of an agent costs much more than
/// at its first.
const ASKED: usize = 2_000;

/// Counts behaviours. A behaviour is the nearest node above the top of a run stack that has a name, other than the root;
/// where none has, the top itself.
#[derive(Debug)]
pub(crate) struct Behaviours {
    labels: Vec<String>,
    /// Node -> label.
    label: Vec<usize>,
    counts: Vec<u64>,
    nothing: u64,
    asked: u64,
    parallel: bool,
}

impl Behaviours {
    pub(crate) fn of(tree: &Tree<Arena>) -> Self {
        let mut labels = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        let label = tree.nodes().map(|node| {
            let text = label_of(node);
            *known.entry(text).or_insert_with_key(|text| {
                labels.push(text.clone());
                labels.len() - 1
            })
        });
        let label = label.collect();
        let counts = vec![0; labels.len()];
        Behaviours { labels, label, counts, nothing: 0, asked: 0, parallel: tree.lanes() > 1 }
    }

    /// Asks the agents.
    pub(crate) fn sample<T: Tracer>(&mut self, game: &Game<T>) {
        if !self.parallel {
            for &agent in game.agents() {
                if let Ok(top) = game.forest.current(agent) {
                    self.count(top);
                }
            }
            return;
        }
        let step = game.agents().len().div_ceil(ASKED).max(1);
        for &agent in game.agents().iter().step_by(step) {
            let Ok(view) = game.forest.inspect(agent) else { continue };
            // A parallel is on top of its own stack while its children run on theirs: they say what is being done.
            let mut labels: Vec<usize> = view
                .tops()
                .filter(|top| !view.stacks.iter().any(|it| it[0] != *top && is_parent(&view.tree, *top, it[0])))
                .map(|top| self.label[top.index()])
                .collect();
            labels.sort_unstable();
            labels.dedup();
            self.asked += 1;
            self.nothing += u64::from(labels.is_empty());
            labels.iter().for_each(|&it| self.counts[it] += 1);
        }
    }

    fn count(&mut self, top: Option<NodeId>) {
        self.asked += 1;
        match top {
            Some(top) => self.counts[self.label[top.index()]] += 1,
            None => self.nothing += 1,
        }
    }

    /// Each behaviour with its share of the agents, the largest first. An agent in a parallel does several things at
    /// once and counts for each.
    pub(crate) fn shares(&self) -> Vec<(String, f64)> {
        let share = |count: u64| count as f64 / self.asked.max(1) as f64;
        let counted = self.labels.iter().zip(&self.counts).filter(|it| *it.1 > 0);
        let mut shares: Vec<(String, f64)> = counted.map(|(label, &count)| (label.clone(), share(count))).collect();
        if self.nothing > 0 {
            shares.push(("(nothing)".into(), share(self.nothing)));
        }
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        shares
    }
}

fn is_parent(tree: &Tree<Arena>, parent: NodeId, child: NodeId) -> bool {
    tree.node(child).and_then(NodeRef::parent).is_some_and(|it| it.id() == parent)
}

fn label_of(node: NodeRef<'_, Arena>) -> String {
    let above = std::iter::successors(Some(node), |it| it.parent());
    let named = above.filter(|it| it.parent().is_some()).find_map(NodeRef::name);
    let text = match (named, node.detail()) {
        (Some(name), _) => name.to_string(),
        (None, "") => node.kind().to_string(),
        (None, detail) => format!("{} {detail}", node.kind()),
    };
    text.escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pleach::{NoTracer, nodes};

    use super::*;

    fn shares(root: pleach::Node<Arena>) -> Vec<(String, f64)> {
        let tree = Arc::new(Tree::builder("guard").build(root).unwrap());
        let mut game = Game::new(Arc::clone(&tree), 4, 1, NoTracer).unwrap();
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
}
