//! Sleepers as a scan of deadlines.

use crate::crowd::{Crowd, Totals};
use crate::sleep::{self, Sleep};

/// A crowd of hand-written sleepers. The deadlines lie together, so that the scan can look at many
/// in one instruction.
#[derive(Debug)]
pub struct HandSleepers {
    waits: [u32; 2],
    /// The frame in which each wakes.
    deadlines: Vec<u32>,
    /// How often each has woken.
    woken: Vec<u32>,
}

impl Crowd for HandSleepers {
    type Scene = Sleep;
    const NAME: &'static str = super::NAME;

    fn new(agents: u32, scene: Sleep) -> Self {
        let waits = scene.waits();
        let deadlines = (0..agents).map(|id| scene.phase(id) + waits[0]).collect();
        Self { waits, deadlines, woken: (0..agents).map(|_| 0).collect() }
    }

    fn frame(&mut self, frame: u32) {
        for (deadline, woken) in self.deadlines.iter_mut().zip(&mut self.woken) {
            if *deadline == frame {
                *woken += 1;
                *deadline += self.waits[*woken as usize % 2];
            }
        }
    }

    fn totals(&self) -> Totals {
        sleep::totals(self.woken.iter().copied())
    }
}
