//! What all agents do, counted; and how that changed over a recording.

use std::sync::Arc;

use pleach::Tree;
use pleach::handles::AgentRef;
use pleach::record::Replay;

use crate::behaviour::behaviour;
use crate::model::{BehaviourTrack, CrowdTrack, Share};
use crate::stage::Stage;

/// The initial number of frames between two looks.
const EVERY: u64 = 15;
/// The most looks that are kept. When there are more, every second one is dropped.
const LOOKS: usize = 512;
/// How many behaviours have a count of their own: the most frequent ones. The others are summed.
const ALONE: usize = 7;
/// The behaviour of agents that run no node.
const NOTHING: &str = "(nothing)";

/// Counts agents by what they do. Keeps the names of the behaviours.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crowd {
    names: Vec<String>,
    /// The index of the name of each node, by tree.
    of: Vec<Vec<Option<usize>>>,
    /// Those of the agent being counted.
    own: Vec<usize>,
}

impl Crowd {
    /// Adds an agent to each of its behaviours. `tree` is the index of its tree.
    pub(crate) fn add(&mut self, agent: &AgentRef<'_, Stage>, tree: usize, counts: &mut Vec<u32>) {
        self.own.clear();
        if self.of.len() <= tree {
            self.of.resize_with(tree + 1, Vec::new);
        }
        for node in agent.current() {
            let known = self.of[tree].get(node.index()).copied().flatten();
            let number = known.unwrap_or_else(|| {
                let number = self.number(&agent.tree().node(node).map(behaviour).unwrap_or_default());
                self.of[tree].resize(agent.tree().len(), None);
                self.of[tree][node.index()] = Some(number);
                number
            });
            self.own.push(number);
        }
        if self.own.is_empty() {
            let nothing = self.number(NOTHING);
            self.own.push(nothing);
        }
        self.own.sort_unstable();
        self.own.dedup();
        counts.resize(self.names.len(), 0);
        self.own.iter().for_each(|&it| counts[it] += 1);
    }

    fn number(&mut self, name: &str) -> usize {
        self.names.iter().position(|it| it == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    /// The shares, the most frequent first.
    pub(crate) fn shares(&self, counts: &[u32]) -> Vec<Share> {
        let share = |(name, count): (&String, &u32)| Share { behaviour: name.clone(), count: *count as usize };
        let mut shares: Vec<Share> = self.names.iter().zip(counts).filter(|it| *it.1 > 0).map(share).collect();
        shares.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.behaviour.cmp(&other.behaviour)));
        shares
    }
}

/// The index of an agent's tree. `last` is that of the previous agent, usually the same.
pub(crate) fn place(trees: &[Arc<Tree<Stage>>], agent: &AgentRef<'_, Stage>, last: &mut usize) -> usize {
    if trees.get(*last).is_none_or(|it| !Arc::ptr_eq(it, agent.tree())) {
        *last = trees.iter().position(|it| Arc::ptr_eq(it, agent.tree())).unwrap_or_default();
    }
    *last
}

/// What the crowd did, sampled while a recording was played.
#[derive(Clone, Debug)]
pub(crate) struct Looks {
    crowd: Crowd,
    every: u64,
    all: Vec<Look>,
}

#[derive(Clone, Debug)]
struct Look {
    frame: u64,
    agents: u32,
    counts: Vec<u32>,
}

impl Looks {
    pub(crate) fn new() -> Self {
        Looks { crowd: Crowd::default(), every: EVERY, all: Vec::new() }
    }

    /// Looks at all agents after the frame that was played last, if it is time.
    pub(crate) fn after(&mut self, replay: &Replay<Stage>, trees: &[Arc<Tree<Stage>>]) {
        if !replay.played().saturating_sub(1).is_multiple_of(self.every) {
            return;
        }
        let (frame, forest) = (replay.frame(), replay.forest());
        // A game that goes back does different things from there.
        self.all.retain(|it| it.frame < frame);
        let mut look = Look { frame, agents: 0, counts: Vec::new() };
        let mut last = 0;
        for (_, id) in replay.agents() {
            let Some(agent) = id.and_then(|it| forest.agent(it).ok()) else { continue };
            self.crowd.add(&agent, place(trees, &agent, &mut last), &mut look.counts);
            look.agents += 1;
        }
        self.all.push(look);
        if self.all.len() > LOOKS {
            let mut nth = 0;
            self.all.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
            self.every *= 2;
        }
    }

    pub(crate) fn track(&self) -> CrowdTrack {
        let counts = |it: usize| self.all.iter().map(move |look| look.counts.get(it).copied().unwrap_or_default());
        let mut order: Vec<(usize, u64)> =
            (0..self.crowd.names.len()).map(|it| (it, counts(it).map(u64::from).sum())).collect();
        order.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
        let (alone, others) = order.split_at(order.len().min(ALONE));
        let mut behaviours: Vec<BehaviourTrack> = alone
            .iter()
            .map(|it| BehaviourTrack {
                behaviour: Some(self.crowd.names[it.0].clone()),
                counts: counts(it.0).collect(),
            })
            .collect();
        if !others.is_empty() {
            let sum = |look: &Look| others.iter().filter_map(|it| look.counts.get(it.0)).sum();
            behaviours.push(BehaviourTrack { behaviour: None, counts: self.all.iter().map(sum).collect() });
        }
        let (frames, agents) = self.all.iter().map(|it| (it.frame, it.agents)).unzip();
        CrowdTrack { frames, agents, behaviours }
    }
}
