//! Crowds that are recorded and replayed (SEMANTICS 13): after each frame each agent is where it
//! was in the recording, and no input is left over. No leaf is called.

use std::collections::BTreeMap;
use std::sync::Arc;

use pleach_core::record::{RecordedTree, Recording, Replay, ReplayError};
use pleach_core::{AgentId, Forest, NodeId, Phase, Tree, Value, schema::KeyDecl, schema::Scope};

use super::Crowd;
use super::play::Prepared;
use crate::runner::stage::{Stage, StageCx};

/// The interval between two comparisons of keys, in frames. Comparing them takes most of the time.
const KEYS_EVERY: usize = 4;

/// What an agent runs, and the values of its keys and its nodes' keys, if they are noted.
#[derive(Debug)]
struct Stand {
    runs: bool,
    nodes: Vec<NodeId>,
    keys: Vec<Value>,
}

impl Stand {
    /// Whether this is the same as the other.
    fn is(&self, other: &Stand) -> bool {
        // A NaN differs from itself.
        let same = |(a, b): (&Value, &Value)| a == b || format!("{a:?}") == format!("{b:?}");
        (self.runs, &self.nodes) == (other.runs, &other.nodes) && self.keys.iter().zip(&other.keys).all(same)
    }
}

fn stands(forest: &Forest<Stage>, has_keys: bool) -> BTreeMap<AgentId, Stand> {
    let stand = |id| {
        let agent = forest.agent(id).expect("it is listed");
        let runs = matches!(agent.phase(), Phase::Active | Phase::Asleep);
        let is_own = |it: &&(KeyDecl, Value)| matches!(it.0.scope(), Scope::Node | Scope::Agent);
        let keys = if has_keys { agent.inspect().keys } else { Vec::new() };
        let keys = keys.iter().filter(is_own).map(|it| it.1).collect();
        (id, Stand { runs, nodes: agent.current().collect(), keys })
    };
    forest.agents().map(stand).collect()
}

impl Prepared<'_> {
    /// Plays a crowd with a recording and replays it, then with one that keeps its last seconds.
    ///
    /// # Errors
    /// The first difference, in words.
    pub fn check_recorded(&self, crowd: &Crowd) -> Result<(), String> {
        self.check_recording(crowd, Recording::new(), false)?;
        let last = Recording::new().last_seconds(4.0).keys_every(1);
        self.check_recording(crowd, last, true).map_err(|it| format!("the last seconds, with keys: {it}"))
    }

    fn check_recording(&self, crowd: &Crowd, mut recording: Recording, has_keys: bool) -> Result<(), String> {
        let mut recorded = Vec::new();
        let forest = &mut Forest::new(0);
        let has_keys = |frame: usize| has_keys && frame.is_multiple_of(KEYS_EVERY);
        let mut push = |it: &Forest<Stage>| recorded.push(stands(it, has_keys(recorded.len())));
        let played = self.play(crowd, forest.traced(&mut recording), None, &mut push);
        played.map_err(|fault| format!("recorded: {fault}\n{crowd:?}"))?;
        let failed = |what: &dyn std::fmt::Display| format!("{what}\n{crowd:?}");
        let bytes = recording.to_bytes();
        let all = self.all_trees(crowd.bare);
        let find = |tree: &RecordedTree<'_>| all.iter().find(|it| tree.is(it)).cloned();
        let mut replay = Replay::open(&bytes, find).map_err(|it| failed(&it))?;
        let mut cx = StageCx::new(Arc::clone(&self.names), None);
        let mut before: Option<BTreeMap<AgentId, Stand>> = None;
        // The frames before this one were dropped.
        let mut frame = recorded.len() - usize::try_from(recording.len()).expect("a crowd is short");
        loop {
            let more = replay.step(&mut cx).map_err(|it| failed(&it))?;
            if let (Some(now), Some(expected)) = (before.take(), frame.checked_sub(1).and_then(|it| recorded.get(it))) {
                for (id, stand) in &now {
                    // A change made after the frame is known from the next one.
                    let known = expected.get(id).filter(|_| more && !replay.changed().contains(id));
                    if known.is_some_and(|it| !it.is(stand)) {
                        return Err(failed(&format!(
                            "behind frame {frame}, agent {id:?}: recorded {known:?}, replayed {stand:?}"
                        )));
                    }
                }
            }
            if let Some(first) = replay.divergences().first() {
                return Err(failed(first));
            }
            if !more {
                break;
            }
            before = Some(stands(replay.forest(), has_keys(frame)));
            frame += 1;
        }
        self.check_edited(crowd, &bytes).map_err(|it| failed(&it))?;
        // All agents have come.
        let last = recorded.last().filter(|_| recording.complete_seconds() > 0.0);
        let missing = last.and_then(|it| it.keys().find(|id| !replay.forest().contains(**id)));
        missing.map_or(Ok(()), |id| Err(failed(&format!("the replay never had agent {id:?}"))))
    }
    /// Replays a recording under other trees: each agent gets the tree after its own.
    fn check_edited(&self, crowd: &Crowd, bytes: &[u8]) -> Result<(), String> {
        let all = self.all_trees(crowd.bare);
        let find = |tree: &RecordedTree<'_>| all.iter().find(|it| tree.is(it)).cloned();
        let failed = |it: ReplayError| format!("under other trees: {it}");
        let mut replay = Replay::open(bytes, find).map_err(failed)?;
        let next = |tree: &Arc<Tree<Stage>>| {
            let at = all.iter().position(|it| Arc::ptr_eq(it, tree))?;
            all.get((at + 1) % all.len()).cloned()
        };
        replay = replay.edited(next).map_err(failed)?;
        let mut cx = StageCx::new(Arc::clone(&self.names), None);
        loop {
            match replay.step(&mut cx) {
                Ok(true) => {}
                Ok(false) => break,
                // Versions of a tree may declare what they share differently.
                Err(ReplayError::Conflict(_)) => return Ok(()),
                Err(it) => return Err(failed(it)),
            }
        }
        if replay.played() == replay.len() { Ok(()) } else { Err("under other trees frames are missing".to_owned()) }
    }
}
