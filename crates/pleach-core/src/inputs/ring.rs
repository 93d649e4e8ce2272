//! The frames of a recording: all of them, or the last ones.
//!
//! They are in parts. In the course of a part every agent is noted as a whole, so a recording may
//! begin with any part, and knows all agents when that part is over. The oldest part is dropped
//! when the others are enough.

use std::collections::VecDeque;

use super::log::{put_number, take_number};
use crate::clock::Span;

/// A part takes no more than this share of the maximum bytes. So there is room for a whole one, for
/// the one before it that is being dropped, and for what follows.
const SHARE: usize = 4;

/// Frames as bytes, each after its length.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    parts: VecDeque<Part>,
    /// How many parts were dropped.
    dropped: u64,
    /// How long they are kept; all, if there is no limit.
    pub(crate) keeps: Option<Span>,
    /// How many bytes they may take.
    pub(crate) most: Option<usize>,
}

/// How far frames have been read: the part, by its number among all parts so far, and the place in
/// its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    part: u64,
    at: usize,
    /// How many bytes are left of a frame whose first bytes have been read.
    pub(crate) rest: usize,
}

#[derive(Debug, Default)]
struct Part {
    bytes: Vec<u8>,
    frames: u64,
    span: Span,
    /// All agents are noted in its first frame, if any can be known.
    begins_whole: bool,
}

impl Frames {
    /// How many there are.
    pub(crate) fn len(&self) -> u64 {
        self.parts.iter().map(|it| it.frames).sum()
    }

    /// How many bytes they take.
    pub(crate) fn bytes(&self) -> usize {
        self.parts.iter().map(|it| it.bytes.len()).sum()
    }

    /// Their bytes, in pieces.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        self.parts.iter().map(|it| &*it.bytes)
    }

    /// The place of the oldest frame that is kept.
    pub(crate) fn oldest(&self) -> Place {
        Place { part: self.dropped, at: 0, rest: 0 }
    }

    /// The frames from a place on, `most` bytes of them. The first one is cut if it is longer: see
    /// [`Frames::rest`]. Moves the place after them. Returns how many there are. `None` if frames
    /// from there on were dropped.
    pub(crate) fn read(&self, place: &mut Place, most: usize, to: &mut Vec<u8>) -> Option<u64> {
        let (mut frames, begin) = (0, to.len());
        loop {
            // The first part begins with the first frame.
            let Some(part) = self.parts.get(self.index(*place)?) else { return Some(frames) };
            let mut rest = &part.bytes[place.at..];
            while !rest.is_empty() {
                let mut after = rest;
                let length = usize::try_from(take_number(&mut after)?).ok()?;
                let (all, room) = (rest.len() - after.len() + length, most - (to.len() - begin));
                if all > room && frames > 0 {
                    return Some(frames);
                }
                let now = all.min(room);
                to.extend(&rest[..now]);
                rest = &rest[now..];
                (place.at, frames) = (place.at + now, frames + 1);
                if now < all {
                    place.rest = all - now;
                    return Some(frames);
                }
            }
            if self.parts.len() as u64 + self.dropped <= place.part + 1 {
                return Some(frames);
            }
            *place = Place { part: place.part + 1, at: 0, rest: 0 };
        }
    }

    /// The next `most` bytes of a frame that was cut. `None` if it was dropped.
    pub(crate) fn rest(&self, place: &mut Place, most: usize) -> Option<Vec<u8>> {
        let part = self.parts.get(self.index(*place)?)?;
        let bytes = part.bytes[place.at..][..place.rest.min(most)].to_vec();
        (place.at, place.rest) = (place.at + bytes.len(), place.rest - bytes.len());
        Some(bytes)
    }

    /// The index of a place's part among those that are kept. `None` if it was dropped.
    fn index(&self, place: Place) -> Option<usize> {
        usize::try_from(place.part.checked_sub(self.dropped)?).ok()
    }

    /// The first part, if frames before it were dropped: some agents are known only when it is
    /// over.
    fn partial(&self) -> Option<&Part> {
        self.parts.front().filter(|it| !it.begins_whole)
    }

    /// After how many frames all agents are known.
    pub(crate) fn whole_after(&self) -> u64 {
        self.partial().map_or(0, |it| it.frames)
    }

    /// The time up to now for which all agents are known.
    pub(crate) fn whole(&self) -> Span {
        let first = usize::from(self.partial().is_some());
        Span(self.parts.iter().skip(first).map(|it| it.span.0).sum())
    }

    /// The length of a part: half of `keeps`.
    fn part(&self) -> Option<Span> {
        self.keeps.map(|it| Span(it.0 / 2))
    }

    /// Whether the next frame begins a part.
    pub(crate) fn part_is_over(&self) -> bool {
        let Some(last) = self.parts.back() else { return true };
        let is_large = |most: usize| last.bytes.len() > most / SHARE;
        self.part().is_some_and(|it| last.span >= it) || self.most.is_some_and(is_large)
    }

    /// How much of the present part is over, if parts are dropped.
    pub(crate) fn share_of_part(&self) -> Option<f64> {
        let (last, part) = (self.parts.back()?, self.part());
        if last.begins_whole || part.is_none() && self.most.is_none() {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let of_time = part.map_or(0.0, |it| last.span.0 as f64 / it.0.max(1) as f64);
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let of_bytes = self.most.map_or(0.0, |it| last.bytes.len() as f64 / (it / SHARE).max(1) as f64);
        Some(of_time.max(of_bytes).min(1.0))
    }

    /// A part begins, which follows the one before or not.
    pub(crate) fn begin_part(&mut self, follows: bool) {
        self.parts.push_back(Part { begins_whole: !follows, ..Part::default() });
    }

    /// A frame of this length of time.
    pub(crate) fn push(&mut self, head: &[u8], entries: &[u8], step: Span) {
        let Some(last) = self.parts.back_mut() else { return };
        put_number(&mut last.bytes, (head.len() + entries.len()) as u64);
        last.bytes.extend(head);
        last.bytes.extend(entries);
        last.frames += 1;
        last.span = Span(last.span.0.saturating_add(step.0));
        self.drop_old();
    }

    fn drop_old(&mut self) {
        while self.parts.len() > 1 {
            let others = self.parts.iter().skip(2).map(|it| it.span.0).sum::<u64>();
            let enough = self.keeps.is_some_and(|it| others >= it.0);
            let too_large = self.most.is_some_and(|it| self.bytes() > it);
            if !enough && !too_large {
                return;
            }
            self.parts.pop_front();
            self.dropped += 1;
        }
    }
}
