//! What a replay has shown.

use std::collections::BTreeSet;

use pleach::record::Replay;

use crate::stage::Stage;

/// How many divergences are told one by one.
pub(super) const TOLD: usize = 10;

/// An input that an agent did not ask for.
#[derive(Clone, Debug)]
pub(super) struct Strayed {
    pub(super) frame: u64,
    pub(super) time: f64,
    /// Its number, if it has not left.
    pub(super) agent: Option<usize>,
    pub(super) node: Option<String>,
    pub(super) recorded: String,
}

/// What a replay has shown.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// How many bytes the file has.
    pub(super) size: usize,
    /// When the first frame began.
    pub(super) began: f64,
    /// The most agents in a frame.
    pub(super) most: usize,
    /// How long all agents lived together, in seconds.
    pub(super) agent_seconds: f64,
    /// The first divergences of each of the first agents that have diverged.
    pub(super) strayed: Vec<Strayed>,
    pub(super) agents: BTreeSet<Option<usize>>,
    /// How many divergences have been looked at.
    pub(super) looked: usize,
    /// The time behind the frame before.
    pub(super) last: Option<f64>,
    /// The lines of the trace, for programs.
    pub(super) trace: Vec<String>,
}

impl Found {
    /// Notes a frame that was just played.
    pub(super) fn note(&mut self, replay: &Replay<Stage>) {
        let (forest, time) = (replay.forest(), replay.forest().time());
        let step = replay.last_step();
        if self.last.is_none() {
            self.began = time - step;
        }
        self.last = Some(time);
        self.most = self.most.max(forest.len());
        #[expect(clippy::cast_precision_loss, reason = "a number of agents")]
        let agents = forest.len() as f64;
        self.agent_seconds += step * agents;
        for it in &replay.divergences()[self.looked..] {
            let it = super::strayed(replay, it);
            // Behind its first divergence an agent is another one, and strays again and again.
            if self.agents.insert(it.agent) {
                self.strayed.push(it);
            }
        }
        self.looked = replay.divergences().len();
    }
}
