//! Sleepers as a scan of deadlines.

use crate::crowd::{Crowd, Totals};
use crate::sleep::Sleep;

/// A crowd of hand-written sleepers. The deadlines lie together, so that one instruction scans
/// several.
#[derive(Debug)]
pub struct HandSleepers {
    waits: [u32; 2],
    /// The frame in which each wakes.
    deadlines: Vec<u32>,
    /// Whether each sleeps for the second of the waits.
    second: Vec<bool>,
    /// How often any agent has woken.
    woken: u64,
}

/// How many deadlines are compared before one is looked at alone: a cache line.
const SPAN: usize = 16;

impl Crowd for HandSleepers {
    type Scene = Sleep;
    const NAME: &'static str = super::NAME;

    fn new(agents: u32, scene: Sleep) -> Self {
        let waits = scene.waits();
        let deadlines = (0..agents).map(|id| scene.phase(id) + waits[0]).collect();
        Self { waits, deadlines, second: (0..agents).map(|_| false).collect(), woken: 0 }
    }

    fn frame(&mut self, frame: u32) {
        let (waits, woken) = (self.waits, &mut self.woken);
        let mut wake = |deadlines: &mut [u32], second: &mut [bool]| {
            for (deadline, second) in deadlines.iter_mut().zip(second) {
                if *deadline == frame {
                    *woken += 1;
                    *second = !*second;
                    *deadline += waits[usize::from(*second)];
                }
            }
        };
        let mut deadlines = self.deadlines.chunks_exact_mut(SPAN);
        let mut second = self.second.chunks_exact_mut(SPAN);
        for (deadlines, second) in deadlines.by_ref().zip(second.by_ref()) {
            // Without a branch for each, so that they are not compared one at a time.
            if deadlines.iter().fold(false, |due, it| due | (*it == frame)) {
                wake(deadlines, second);
            }
        }
        wake(deadlines.into_remainder(), second.into_remainder());
    }

    fn totals(&self) -> Totals {
        Totals { woken: self.woken, ..Totals::default() }
    }
}
