//! What leaves request during a tick; carried out at its end (SEMANTICS 8.8).

use std::collections::VecDeque;

use pleach_expr::Entity;

use crate::event::Event;
use crate::ids::{AgentId, GroupId, Ticket, TreeId};
use crate::index::NodeId;
use crate::slack::Slack;

/// The agent that asks, and its node.
pub(crate) type Requester = (AgentId, NodeId);

/// One request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Request {
    Send(AgentId, Event, Requester),
    /// To the members of a group except the agent that asks.
    SendToGroup(GroupId, Event, Requester),
    Disable(AgentId),
    Restart(AgentId),
    Despawn(AgentId),
    /// The agent that asked gets the id with its ticket.
    Spawn(TreeId, Spawn, Asker, (AgentId, Ticket)),
}

/// Requests in the order in which they were made. Empty it takes eight bytes, as each brain has
/// one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requests(Option<Box<Queue>>);

#[derive(Clone, Debug, Default)]
struct Queue {
    requests: VecDeque<Request>,
    slack: Slack,
    /// How many tickets were given.
    tickets: u64,
}

impl Requests {
    pub(crate) fn push_back(&mut self, request: Request) {
        self.0.get_or_insert_default().requests.push_back(request);
    }

    /// A ticket that differs from all others of the same agent.
    pub(crate) fn ticket(&mut self) -> Ticket {
        let queue = self.0.get_or_insert_default();
        queue.tickets += 1;
        Ticket(queue.tickets)
    }

    /// How many tickets were given.
    #[cfg(feature = "save")]
    pub(crate) fn tickets(&self) -> u64 {
        self.0.as_ref().map_or(0, |it| it.tickets)
    }

    /// Sets the number of tickets given.
    #[cfg(feature = "save")]
    pub(crate) fn set_tickets(&mut self, tickets: u64) {
        if tickets > 0 {
            self.0.get_or_insert_default().tickets = tickets;
        }
    }

    /// From now on gives no ticket that another list has given so far.
    #[cfg(feature = "rayon")]
    pub(crate) fn follow(&mut self, other: &Requests) {
        let given = other.0.as_ref().map_or(0, |it| it.tickets);
        if given > 0 {
            let queue = self.0.get_or_insert_default();
            queue.tickets = queue.tickets.max(given);
        }
    }

    /// They are about to be carried out.
    pub(crate) fn note(&mut self) {
        if let Some(Queue { requests, slack, .. }) = self.0.as_deref_mut() {
            slack.note(requests.len());
        }
    }

    /// A frame begins: gives back room that a flood took, if no request waits. Giving back all of
    /// it allocates nothing.
    #[inline]
    pub(crate) fn begin_frame(&mut self) {
        if let Some(Queue { requests, slack, .. }) = self.0.as_deref_mut()
            && slack.begin_frame(requests.capacity())
            && requests.is_empty()
        {
            *requests = VecDeque::new();
        }
    }

    pub(crate) fn pop_front(&mut self) -> Option<Request> {
        self.0.as_mut()?.requests.pop_front()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |it| it.requests.len())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keeps those of the requests from `from` on for which `keep` returns true.
    pub(crate) fn retain_from(&mut self, from: usize, mut keep: impl FnMut(&mut Request) -> bool) {
        let Some(Queue { requests: all, .. }) = self.0.as_deref_mut() else { return };
        let mut kept = from;
        for at in from..all.len() {
            if keep(&mut all[at]) {
                all.swap(kept, at);
                kept += 1;
            }
        }
        all.truncate(kept);
    }

    /// Appends all requests of another list.
    #[cfg(feature = "rayon")]
    pub(crate) fn append(&mut self, others: &mut Requests) {
        self.follow(others);
        if let Some(others) = &mut others.0
            && !others.requests.is_empty()
        {
            others.slack.note(others.requests.len());
            self.0.get_or_insert_default().requests.append(&mut others.requests);
        }
    }
}

/// What requested the spawn of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    /// A callback other than `awake`.
    Callback,
    /// The `awake` of an agent of this origin.
    Awake(Origin),
}

/// An index into the origins that the forest keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin(pub(crate) u32);

/// What an agent does when its root has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Completion {
    /// Starts the root again in the next tick.
    #[default]
    Restart,
    /// Stays finished until it is enabled again.
    Stop,
}

/// How an agent is spawned.
#[derive(Clone, Copy, Debug)]
pub struct Spawn {
    /// What it does when its root has ended.
    pub completion: Completion,
    /// Which of the game's entities it is, as leaves get it from
    /// [`Context::entity`](crate::Context::entity).
    pub entity: Entity,
    /// Its group. Without one it gets a group of its own if its tree has group keys, else none.
    pub group: Option<GroupId>,
    /// The state of its random stream; without one it is drawn from the forest's seed and the
    /// number of agents spawned before.
    pub seed: Option<u64>,
    /// Whether it is enabled at once. If not, there is time to write its keys and to tell the game
    /// its id, before [`AgentMut::enable`](crate::handles::AgentMut::enable) calls an `awake`.
    pub enabled: bool,
}

impl Default for Spawn {
    /// Enabled, with nothing else set: no entity, no group, no seed of its own.
    fn default() -> Self {
        Spawn { completion: Completion::Restart, entity: Entity::NONE, group: None, seed: None, enabled: true }
    }
}
