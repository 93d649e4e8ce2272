//! A recording played with edited trees, compared with what was recorded.

use std::fmt;
use std::sync::Arc;

use pleach::record::Replay;
use pleach::{AgentId, Tree};

use crate::error::AskError;
use crate::finder::{Finder, Recorded};
use crate::model::{MarkKind, WhatIfView};
use crate::named::paths;
use crate::stage::Stage;
use crate::story::Story;
use crate::tree;

/// Where an agent first runs something else under edited trees, or in another recording.
#[derive(Clone, Debug)]
pub struct Turned {
    /// The frame.
    pub frame: u64,
    /// The time after it.
    pub time: f64,
    /// The number of the agent.
    pub agent: u32,
    /// What it ran originally: the numbers and paths of its nodes.
    pub was: Vec<String>,
    /// What it runs now.
    pub is: Vec<String>,
}

impl fmt::Display for Turned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Turned { frame, time, agent, was, is } = self;
        let runs = |nodes: &[String]| if nodes.is_empty() { "nothing".to_owned() } else { nodes.join(", ") };
        let (is, was) = (runs(is), runs(was));
        write!(f, "agent {agent} decided differently at frame {frame}, {time:.3} s: {is} instead of {was}")
    }
}

/// Compares what an agent runs after a frame with what it ran originally.
#[must_use]
pub fn turned(number: u32, then: &Replay<Stage>, now: &Replay<Stage>) -> Option<Turned> {
    let (was, is) = (then.agent(number).flatten(), now.agent(number).flatten());
    let is_same = match (was, is) {
        (Some(was), Some(is)) => {
            let (then, agent) = (then.forest().agent(was).ok()?, now.forest().agent(is).ok()?);
            then.current().map(|it| now.edited_node(is, it)).eq(agent.current().map(Some))
        }
        (was, is) => was.is_none() && is.is_none(),
    };
    if is_same {
        return None;
    }
    let runs = |replay: &_, id: Option<AgentId>| id.map_or(vec!["no agent".to_owned()], |it| running(replay, it));
    let (frame, time) = (now.frame(), now.forest().time());
    Some(Turned { frame, time, agent: number, was: runs(then, was), is: runs(now, is) })
}

/// What an agent runs: the numbers and paths of its nodes.
#[must_use]
pub fn running(replay: &Replay<Stage>, agent: AgentId) -> Vec<String> {
    let Ok(agent) = replay.forest().agent(agent) else { return Vec::new() };
    let paths = paths(agent.tree());
    agent.current().map(|it| format!("{it} {}", paths[it.index()])).collect()
}

impl Finder {
    /// The bytes of the recording.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0.pieces[0]
    }

    /// What an agent would have done with edited trees: for each recorded tree the edited one, if
    /// there is one. Costs four replays of that agent.
    ///
    /// # Errors
    /// There is no such agent, or the recording cannot be played so.
    pub fn what_if(&self, edits: Vec<Option<Arc<Tree<Stage>>>>, agent: u32) -> Result<WhatIfView, AskError> {
        let recorded: &Recorded = &self.0;
        let edited = || {
            let mut next = edits.iter();
            recorded.replay()?.edited(|_| next.next().cloned().flatten()).map(|it| it.only(agent))
        };
        let original = recorded.trees.iter();
        let trees: Vec<Arc<Tree<Stage>>> = original
            .enumerate()
            .map(|(at, it)| edits.get(at).cloned().flatten().unwrap_or_else(|| Arc::clone(it)))
            .collect();
        let frames = recorded.timeline.frames();
        let (mut then, mut now) = (recorded.replay()?.only(agent), edited()?);
        let mut first = None;
        let mut is_there = false;
        while first.is_none() && now.played() < frames && now.step(&mut ())? && then.step(&mut ())? {
            is_there |= now.agent(agent).is_some();
            first = turned(agent, &then, &now);
        }
        if !is_there {
            return Err(AskError::Edit(format!("agent {agent} does not exist")));
        }
        let new_leaves = now.divergences().iter().filter(|it| it.is_new_leaf).count();
        let mut now = edited()?;
        let story = Story::of(&mut now, agent, &trees, frames);
        let (begin, end) = (recorded.timeline.first(), recorded.timeline.last());
        let text = match &first {
            None => format!("Agent {agent} decides as it did."),
            Some(it) => {
                let abort = |story: &Story| {
                    let at = story.marks.iter().find(|mark| mark.kind == MarkKind::Abort && mark.frame == it.frame);
                    at.map(|mark| mark.text.clone())
                };
                let mut then = recorded.replay()?.only(agent);
                let mut was = || abort(&Story::of(&mut then, agent, &recorded.trees, frames));
                let why = abort(&story).map(|it| format!(". {it}"));
                let why = why.or_else(|| was().map(|it| format!(". It did not happen that {it}")));
                let text = it.to_string();
                let (a, rest) = text.split_at(1);
                format!("{}{rest}{}.", a.to_uppercase(), why.unwrap_or_default())
            }
        };
        let asked = match new_leaves {
            0 => "",
            _ => " Up to there it asks leaves that were not recorded: conditions among them fail, actions go on.",
        };
        let views = trees.iter().map(|it| tree::view(&now, it, 1, &[])).collect();
        Ok(WhatIfView {
            trees: views,
            track: story.track(agent, begin, end),
            frame: first.map(|it| it.frame),
            text: text + asked,
        })
    }
}
