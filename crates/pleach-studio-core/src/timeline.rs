//! The frames of a recording and their times.

use pleach_view::{PRECISION, rounded};

/// The frames that were played, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timeline {
    /// Each one's number, and the time after it.
    frames: Vec<(u64, f64)>,
    /// The frames where the step changes.
    turns: Vec<usize>,
    step: f64,
    /// Whether no frame has a lower number than one before it: the game has not gone back.
    is_ordered: bool,
}

impl Timeline {
    pub(crate) fn new() -> Self {
        Timeline { is_ordered: true, ..Timeline::default() }
    }

    /// Adds a frame: its number, the time after it, and how long it took.
    pub(crate) fn push(&mut self, frame: u64, time: f64, step: f64) {
        let follows = self.frames.last().is_none_or(|it| it.0 + 1 == frame);
        self.is_ordered &= self.frames.last().is_none_or(|it| it.0 < frame);
        #[expect(clippy::float_cmp, reason = "steps are whole nanoseconds")]
        let is_turn = self.frames.is_empty() || !follows || step != self.step;
        if is_turn {
            self.turns.push(self.frames.len());
        }
        self.step = step;
        self.frames.push((frame, time));
    }

    /// How many there are.
    pub(crate) fn frames(&self) -> u64 {
        self.frames.len() as u64
    }

    /// The number of the first frame; 0 if there is none.
    pub(crate) fn first(&self) -> u64 {
        self.frames.iter().map(|it| it.0).min().unwrap_or_default()
    }

    /// The number of the last frame; 0 if there is none.
    pub(crate) fn last(&self) -> u64 {
        self.frames.iter().map(|it| it.0).max().unwrap_or_default()
    }

    /// How many frames have been played after the last one of at most this number. If the game went
    /// back, the later of two frames with one number counts.
    pub(crate) fn played(&self, frame: u64) -> u64 {
        let place = match self.is_ordered {
            true => self.frames.partition_point(|it| it.0 <= frame),
            false => {
                let best = self.frames.iter().map(|it| it.0).filter(|it| *it <= frame).max();
                self.frames.iter().rposition(|it| Some(it.0) == best).map_or(0, |it| it + 1)
            }
        };
        place as u64
    }

    /// The frame that is played as the n-th, from 1, and the time after it.
    pub(crate) fn frame(&self, nth: u64) -> Option<(u64, f64)> {
        let at = usize::try_from(nth).ok()?.checked_sub(1)?;
        self.frames.get(at).copied()
    }

    /// The time after a frame, or after the last one before it.
    pub(crate) fn time(&self, frame: u64) -> f64 {
        let place = usize::try_from(self.played(frame)).unwrap_or(usize::MAX).saturating_sub(1);
        self.frames.get(place).map_or(0.0, |it| rounded(it.1))
    }

    /// The first frame that ends at a time or later; the last one if there is none.
    pub(crate) fn frame_at(&self, seconds: f64) -> u64 {
        // Times are sums of steps.
        let later = self.frames.iter().find(|it| it.1 >= seconds - PRECISION);
        later.map_or_else(|| self.last(), |it| it.0)
    }

    /// Frames with their times, from one frame to another: time runs evenly between them.
    pub(crate) fn times(&self, from: u64, to: u64) -> Vec<(u64, f64)> {
        let ends = self.turns.iter().flat_map(|&at| [at.checked_sub(1), Some(at)]).flatten();
        let mut places: Vec<usize> = ends.chain([0, self.frames.len().saturating_sub(1)]).collect();
        let inside = |it: &(u64, f64)| (from..=to).contains(&it.0);
        places.extend(self.frames.iter().position(inside));
        places.extend(self.frames.iter().rposition(inside));
        places.sort_unstable();
        places.dedup();
        let all = places.iter().filter_map(|it| self.frames.get(*it)).filter(|it| inside(it));
        let mut all: Vec<(u64, f64)> = all.map(|it| (it.0, rounded(it.1))).collect();
        // The frame before a turn is one step from it only if the turn takes the old step.
        all.dedup_by_key(|it| it.0);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(frames: &[(u64, f64)]) -> Timeline {
        let (mut timeline, mut before) = (Timeline::new(), 0.0);
        for &(frame, time) in frames {
            timeline.push(frame, time, rounded(time - before));
            before = time;
        }
        timeline
    }

    #[test]
    fn even_frames_take_two_entries() {
        let even = timeline(&[(1, 0.1), (2, 0.2), (3, 0.3), (4, 0.4)]);
        assert_eq!(even.times(0, 9), [(1, 0.1), (4, 0.4)]);
        assert_eq!(even.times(2, 3), [(2, 0.2), (3, 0.3)]);
        let slow = timeline(&[(1, 0.1), (2, 0.2), (3, 1.2), (4, 2.2), (5, 2.3)]);
        assert_eq!(slow.times(0, 9), [(1, 0.1), (2, 0.2), (3, 1.2), (4, 2.2), (5, 2.3)]);
        assert_eq!((slow.time(0), slow.time(3), slow.time(77)), (0.1, 1.2, 2.3));
        assert_eq!(Timeline::new().times(0, 9), []);
    }

    #[test]
    fn a_game_that_goes_back_plays_frames_twice() {
        let back = timeline(&[(10, 1.0), (11, 1.1), (12, 1.2), (11, 1.1), (12, 1.2), (13, 1.3)]);
        assert_eq!([9, 10, 11, 12, 13, 99].map(|it| back.played(it)), [0, 1, 4, 5, 6, 6]);
        assert_eq!((back.first(), back.last()), (10, 13));
    }
}
