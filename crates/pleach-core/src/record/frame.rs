//! A frame of a recording.

use crate::clock::{Moment, Span};
use crate::inputs::log::{Before, Entry, Input, JUMP, PART, STEP, take_number};

/// The contents of a frame.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) jump: Option<(u64, Moment)>,
    /// The same for a frame that follows the one before, if there is one.
    pub(super) part: Option<(u64, Moment)>,
    pub(super) step: Option<Span>,
    pub(super) entries: Vec<Entry>,
}

impl Frame {
    /// Reads one; of its entries those of `only` this agent, and those for several agents. `None`
    /// if they are malformed.
    pub(super) fn read(mut bytes: &[u8], only: Option<u32>) -> Option<Frame> {
        let mut frame = Frame::default();
        let Some((&kinds, rest)) = bytes.split_first() else { return Some(frame) };
        bytes = rest;
        let mut when = || Some((take_number(&mut bytes)?, Moment(take_number(&mut bytes)?)));
        if kinds & JUMP != 0 {
            frame.jump = Some(when()?);
        } else if kinds & PART != 0 {
            frame.part = Some(when()?);
        }
        if kinds & STEP != 0 {
            frame.step = Some(Span(take_number(&mut bytes)?));
        }
        let mut before = Before::default();
        while !bytes.is_empty() {
            let entry = Entry::take(&mut bytes, &mut before, |it| only.is_none_or(|only| only == it))?;
            let is_of_several = matches!(entry.input, Input::Missed(_) | Input::Stood(_) | Input::Looked(_));
            if entry.input != Input::Rewind && (is_of_several || only.is_none_or(|it| it == entry.agent)) {
                frame.entries.push(entry);
            }
        }
        Some(frame)
    }
}
