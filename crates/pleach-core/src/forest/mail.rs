//! Mail on its way to the agents of a chunk (SEMANTICS 8.20).

#[cfg(feature = "save")]
use pleach_expr::runtime::hash_of;

use crate::event::{Mail, News};
use crate::ids::Ticket;
use crate::row::Row;
use crate::slack::{KEPT, QUIET};
use crate::{AgentId, Event, NodeId, Symbol, Value};

#[derive(Clone, Debug)]
struct Letter {
    to: Row,
    /// Keeps the events for one agent in the order in which they were sent.
    number: u32,
    /// Opened, or thrown away.
    done: bool,
    content: Content,
}

/// News for an agent.
#[derive(Clone, Copy, Debug)]
enum Content {
    /// An event without its spelled name: only senders need it.
    Event(Symbol, Option<Value>),
    Spawned(Ticket, AgentId),
    Start(NodeId),
}

impl Letter {
    fn news(&self) -> News {
        match self.content {
            Content::Event(name, payload) => News::Event(Event::of(name, payload)),
            Content::Spawned(ticket, agent) => News::Spawned(ticket, agent),
            Content::Start(node) => News::Start(node),
        }
    }
}

/// What waits for a chunk's agents.
#[derive(Clone, Debug, Default)]
pub(super) struct Inbox {
    letters: Vec<Letter>,
    /// For how many ticks in a row there were few letters compared to the room for them.
    quiet: u32,
}

impl Inbox {
    pub(super) fn put(&mut self, to: Row, news: News) {
        if self.quiet > QUIET {
            // Here and not in the tick, as giving back a part of the room allocates.
            self.letters.shrink_to(KEPT);
            self.quiet = 0;
        }
        // The number of letters cannot be used here: some may have been thrown away since the last
        // one arrived.
        let number = self.letters.last().map_or(0, |it| it.number + 1);
        let content = match news {
            News::Event(event) => Content::Event(event.name(), event.value()),
            News::Spawned(ticket, agent) => Content::Spawned(ticket, agent),
            News::Start(node) => Content::Start(node),
        };
        self.letters.push(Letter { to, number, done: false, content });
    }

    /// Sorts the letters by agent, for [`open`](Inbox::open).
    #[inline]
    pub(super) fn sort(&mut self) {
        if self.letters.capacity() > 0 {
            self.sort_letters();
        }
    }

    #[inline(never)]
    fn sort_letters(&mut self) {
        self.letters.retain(|it| !it.done);
        let few = self.letters.len() <= self.letters.capacity() / 4;
        self.quiet = if few { self.quiet.saturating_add(1) } else { 0 };
        if self.letters.is_empty() {
            if self.quiet > QUIET {
                self.letters = Vec::new();
            }
            return;
        }
        // Not the stable sort: that one allocates.
        self.letters.sort_unstable_by_key(|it| (it.to, it.number));
        for (number, letter) in (0..).zip(&mut self.letters) {
            letter.number = number;
        }
    }

    /// Hands over an agent's letters, in order.
    pub(super) fn open(&mut self, to: Row, opened: &mut Mail) {
        let first = self.letters.partition_point(|it| it.to < to);
        for letter in self.letters[first..].iter_mut().take_while(|it| it.to == to) {
            opened.push(letter.news());
            letter.done = true;
        }
    }

    /// The events that wait for an agent, in order. Looks at all letters.
    pub(super) fn waiting(&self, to: Row) -> impl Iterator<Item = Event> {
        self.letters.iter().filter(move |it| it.to == to && !it.done).filter_map(|it| match it.news() {
            News::Event(event) => Some(event),
            News::Spawned(..) | News::Start(_) => None,
        })
    }

    /// What waits for an agent, except nodes to start, in order; ids as they are saved.
    #[cfg(feature = "save")]
    pub(super) fn saved(&self, to: Row, plain: impl Fn(AgentId) -> u64) -> Vec<crate::save::model::SavedNews> {
        use crate::save::model::SavedNews;
        let saved = |it: &Letter| match it.content {
            Content::Event(name, payload) => Some(SavedNews::Event(hash_of(name), payload.map(Into::into))),
            Content::Spawned(ticket, agent) => Some(SavedNews::Spawned(ticket.0, plain(agent))),
            Content::Start(_) => None,
        };
        self.letters.iter().filter(|it| it.to == to && !it.done).filter_map(saved).collect()
    }

    /// The nodes of an agent to start again.
    #[cfg(feature = "save")]
    pub(super) fn starts(&self, to: Row) -> impl Iterator<Item = NodeId> {
        self.letters.iter().filter(move |it| it.to == to && !it.done).filter_map(|it| match it.content {
            Content::Start(node) => Some(node),
            _ => None,
        })
    }

    /// Takes out the nodes to start again, each with its agent, in the order of agents.
    pub(super) fn take_starts(&mut self) -> Vec<(Row, NodeId)> {
        let mut starts = Vec::new();
        self.letters.retain(|it| {
            if let Content::Start(node) = it.content {
                starts.extend((!it.done).then_some((it.to, node)));
                return false;
            }
            true
        });
        starts.sort_by_key(|it| it.0);
        starts
    }

    /// Throws an agent's letters away.
    pub(super) fn forget(&mut self, to: Row) {
        self.letters.retain(|it| it.to != to);
    }

    /// An agent's letters follow it to another row.
    pub(super) fn readdress(&mut self, from: Row, to: Row) {
        self.letters.iter_mut().filter(|it| it.to == from).for_each(|it| it.to = to);
    }
}
