//! Events on their way to the agents of a chunk (SEMANTICS 8.20).

use crate::Event;
use crate::row::Row;

#[derive(Debug)]
struct Letter {
    to: Row,
    /// Keeps the events for one agent in the order in which they were sent.
    number: u32,
    /// Opened, or thrown away.
    done: bool,
    event: Event,
}

/// What waits for a chunk's agents. Most have no letters, and no room for any.
#[derive(Debug, Default)]
pub(super) struct Inbox(Option<Box<Letters>>);

#[derive(Debug, Default)]
struct Letters {
    letters: Vec<Letter>,
    /// For how many ticks, one after the other, there were few letters against the room for them.
    quiet: u32,
}

/// After so many ticks with few letters the inbox gives room back.
const QUIET: u32 = 120;

impl Inbox {
    pub(super) fn put(&mut self, to: Row, event: Event) {
        let Letters { letters, quiet } = &mut **self.0.get_or_insert_default();
        if *quiet > QUIET {
            // Here and not in the tick, as to give back a part of the room allocates.
            letters.shrink_to(letters.capacity() / 2);
            *quiet = 0;
        }
        // The number of letters is no use here: some may have been thrown away since the last one
        // came.
        let number = letters.last().map_or(0, |it| it.number + 1);
        letters.push(Letter { to, number, done: false, event });
    }

    /// Sorts the letters by agent, for [`open`](Inbox::open).
    #[inline]
    pub(super) fn sort(&mut self) {
        if self.0.is_some() {
            self.sort_letters();
        }
    }

    fn sort_letters(&mut self) {
        let Some(Letters { letters, quiet }) = self.0.as_deref_mut() else { return };
        letters.retain(|it| !it.done);
        let few = letters.len() <= letters.capacity() / 4;
        *quiet = if few { *quiet + 1 } else { 0 };
        if letters.is_empty() && *quiet > QUIET {
            self.0 = None;
            return;
        }
        // Not the stable sort: that one allocates.
        letters.sort_unstable_by_key(|it| (it.to, it.number));
        for (number, letter) in (0..).zip(letters) {
            letter.number = number;
        }
    }

    fn letters(&self) -> &[Letter] {
        self.0.as_ref().map_or(&[], |it| &it.letters)
    }

    fn letters_mut(&mut self) -> &mut [Letter] {
        self.0.as_mut().map_or(&mut [], |it| &mut it.letters)
    }

    /// Hands over an agent's letters, in order.
    pub(super) fn open(&mut self, to: Row, opened: &mut Vec<Event>) {
        let letters = self.letters_mut();
        let first = letters.partition_point(|it| it.to < to);
        for letter in letters[first..].iter_mut().take_while(|it| it.to == to) {
            opened.push(letter.event);
            letter.done = true;
        }
    }

    /// What waits for an agent, in order. Looks at all letters.
    pub(super) fn waiting(&self, to: Row) -> impl Iterator<Item = Event> {
        self.letters().iter().filter(move |it| it.to == to && !it.done).map(|it| it.event)
    }

    /// Throws an agent's letters away.
    pub(super) fn forget(&mut self, to: Row) {
        if let Some(inbox) = &mut self.0 {
            inbox.letters.retain(|it| it.to != to);
        }
    }

    /// An agent's letters follow it to another row.
    pub(super) fn readdress(&mut self, from: Row, to: Row) {
        self.letters_mut().iter_mut().filter(|it| it.to == from).for_each(|it| it.to = to);
    }
}
