//! Leaves whose results a studio forces for a time.

use pleach_core::record::Recording;
use pleach_core::{AgentId, Forest, Host, NodeId};

use crate::wire::{Kind, Message, number_of};

/// The forced leaves, and for how much longer.
#[derive(Debug, Default)]
pub(crate) struct Held {
    leaves: Vec<(AgentId, NodeId, f32)>,
    /// How often the list has changed.
    pub(crate) changes: u32,
}

impl Held {
    /// Forces a leaf for a number of seconds, or frees it.
    pub(crate) fn put(&mut self, agent: AgentId, node: NodeId, seconds: Option<f32>) {
        self.leaves.retain(|it| (it.0, it.1) != (agent, node));
        self.leaves.extend(seconds.map(|it| (agent, node, it)));
        self.changes += 1;
    }

    /// Lets a number of seconds pass in the game.
    pub(crate) fn pass(&mut self, seconds: f32) {
        self.leaves.iter_mut().for_each(|it| it.2 -= seconds);
    }

    /// Frees the leaves whose time is over; all of them, if no studio is connected.
    pub(crate) fn free<H: Host>(&mut self, forest: &mut Forest<H>, recording: &mut Recording, is_watched: bool) {
        let before = self.leaves.len();
        self.leaves.retain(|&(agent, node, left)| {
            let stays = is_watched && left > 0.0 && forest.contains(agent);
            if !stays {
                // An agent that is gone has no leaf to free.
                _ = recording.force(forest, agent, node, None);
            }
            stays
        });
        self.changes += u32::from(self.leaves.len() < before);
    }

    /// The message about them.
    pub(crate) fn said(&self, recording: &Recording) -> Message {
        let numbered = recording.forced().filter_map(|it| Some((recording.number_of(it.0)?, it.1, it.2)));
        let all: Vec<_> = numbered.collect();
        let message = Message::new(Kind::Forced).number(count(all.len()));
        all.into_iter().fold(message, |message, (agent, node, status)| {
            message.number(agent).number(count(node.index())).number(number_of(Some(status)))
        })
    }
}

fn count(it: usize) -> u32 {
    u32::try_from(it).expect("a tree and a forest have fewer than 2^32 of them")
}
