//! The clock of the race.

use std::time::Duration;

/// Does `work`, and returns how long it took by a [`Stopwatch`].
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let watch = Stopwatch::start();
    let out = run(work);
    (out, watch.elapsed())
}

/// Never inlined in any build: instructions are counted from its start to its end ([`COUNTED`]),
/// and it encloses nothing but the work.
#[inline(never)]
fn run<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// The function that encloses the timed work, as a callgrind pattern.
pub const COUNTED: &str = "*pleach_benches*stopwatch*run*";

/// Measures the processor time of this thread, if the system provides it. It stops while another
/// program has the processor, so a busy machine disturbs a measurement less. On other systems it is
/// an ordinary clock.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Reading);

impl Stopwatch {
    /// Starts it.
    #[must_use]
    pub fn start() -> Self {
        Self(now())
    }

    /// The time since the start.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        since(self.0)
    }
}

#[cfg(unix)]
type Reading = Duration;

#[cfg(unix)]
fn now() -> Reading {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("processor time is not negative")
}

#[cfg(unix)]
fn since(before: Reading) -> Duration {
    now().saturating_sub(before)
}

#[cfg(not(unix))]
type Reading = std::time::Instant;

#[cfg(not(unix))]
fn now() -> Reading {
    Reading::now()
}

#[cfg(not(unix))]
fn since(before: Reading) -> Duration {
    before.elapsed()
}
