//! What a replay has shown.

use std::collections::{BTreeMap, BTreeSet};

use pleach::record::Replay;
use pleach_studio_core::{Turned, turned};

use crate::stage::Stage;

/// The most agents whose first divergences are printed.
pub(super) const TOLD: usize = 10;

/// An input that an agent did not ask for.
#[derive(Clone, Debug)]
pub(super) struct Strayed {
    pub(super) frame: u64,
    pub(super) time: f64,
    /// Its number, if it has not left.
    pub(super) agent: Option<u32>,
    pub(super) node: Option<String>,
    pub(super) recorded: String,
    /// The nodes that it runs after the frame.
    pub(super) runs: Vec<String>,
}

/// What a replay has shown.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// How many bytes the file has.
    pub(super) size: usize,
    /// When the first frame began.
    pub(super) began: f64,
    /// The time from which all agents exist.
    pub(super) whole_from: Option<f64>,
    /// The most agents in a frame.
    pub(super) most: usize,
    /// How long all agents lived together, in seconds.
    pub(super) agent_seconds: f64,
    /// The first divergences of each of the first agents that have diverged.
    pub(super) strayed: Vec<Strayed>,
    pub(super) agents: BTreeSet<Option<u32>>,
    /// How many divergences have been looked at, and how many of them are not new leaves.
    looked: usize,
    pub(super) diverged: usize,
    /// Whether edited trees are played, and compared with what agents ran originally.
    pub(super) is_edited: bool,
    /// How many frames were compared.
    pub(super) compared: u64,
    /// What is damaged in the other recording, and how many of its agents diverged.
    pub(super) other_damage: Option<String>,
    pub(super) other_diverged: usize,
    /// The leaves of edited trees that were not recorded, and the agents that have asked them.
    pub(super) new_leaves: BTreeMap<String, BTreeSet<Option<u32>>>,
    /// Where agents first run something else, in the order of frames.
    pub(super) turned: Vec<Turned>,
    turned_agents: BTreeSet<u32>,
    /// The time after the previous frame.
    last: Option<f64>,
    /// The lines of the trace, for programs.
    pub(super) trace: Vec<String>,
}

impl Found {
    /// Empty results, for a file of `size` bytes.
    pub(super) fn new(size: usize, is_edited: bool) -> Self {
        Found { size, is_edited, ..Found::default() }
    }

    /// Whether all agents did the same as in the recording.
    pub(super) fn is_as_recorded(&self) -> bool {
        self.strayed.is_empty() && self.turned.is_empty() && self.new_leaves.is_empty() && self.other_diverged == 0
    }

    /// The bytes that frames take per agent and second, if all were played and hold all agents.
    pub(super) fn bytes_each(&self, replay: &Replay<Stage>) -> Option<f64> {
        let is_whole = replay.played() == replay.len() && replay.complete_after() == 0 && self.agent_seconds > 0.0;
        #[expect(clippy::cast_precision_loss, reason = "a size")]
        is_whole.then(|| replay.bytes() as f64 / self.agent_seconds)
    }

    /// Plays the next frame of what is compared. Returns whether there was one.
    pub(super) fn step_other(&mut self, then: &mut Replay<Stage>) -> bool {
        let (is_there, damage) = match then.step(&mut ()) {
            Ok(true) => (true, None),
            Ok(false) => (false, super::cut_off(then)),
            Err(error) => (false, Some(error.to_string())),
        };
        self.other_damage = self.other_damage.take().or(damage);
        is_there
    }

    /// Compares what agents run after a frame with what they ran originally, or in another
    /// recording.
    pub(super) fn compare(&mut self, then: &Replay<Stage>, now: &Replay<Stage>) {
        self.compared += 1;
        let numbers: BTreeSet<u32> = now.agents().chain(then.agents()).map(|it| it.0).collect();
        for number in numbers {
            if self.turned_agents.contains(&number) {
                continue;
            }
            if let Some(it) = turned(number, then, now) {
                self.turned_agents.insert(number);
                self.turned.push(it);
            }
        }
    }

    /// Notes a frame that was just played.
    pub(super) fn note(&mut self, replay: &Replay<Stage>) {
        let (forest, time) = (replay.forest(), replay.forest().time());
        let step = replay.last_step();
        if self.last.is_none() {
            self.began = time - step;
        }
        self.last = Some(time);
        if self.whole_from.is_none() && replay.played() > replay.complete_after() {
            self.whole_from = Some(time - step);
        }
        self.most = self.most.max(forest.len());
        #[expect(clippy::cast_precision_loss, reason = "a number of agents")]
        let agents = forest.len() as f64;
        self.agent_seconds += step * agents;
        for it in &replay.divergences()[self.looked..] {
            let is_new_leaf = it.is_new_leaf;
            let it = super::strayed(replay, it);
            if let Some(node) = it.node.as_ref().filter(|_| is_new_leaf) {
                self.new_leaves.entry(node.clone()).or_default().insert(it.agent);
                continue;
            }
            self.diverged += 1;
            // After its first divergence an agent is in another state, and keeps diverging.
            if self.agents.insert(it.agent) {
                self.strayed.push(it);
            }
        }
        self.looked = replay.divergences().len();
    }
}
