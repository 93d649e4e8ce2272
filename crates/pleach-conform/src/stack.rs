//! Stack memory for deep recursion.

/// The number of levels that fit on the stack of any thread.
const SHALLOW: usize = 24;
/// The most bytes that one level takes. A build without optimisation may take more: this crate is
/// compiled with it in all profiles.
const PER_LEVEL: usize = 32 << 10;

/// Does work that recurses `levels` deep. If that is too deep for this thread, another thread with
/// a larger stack does it.
///
/// # Panics
/// The work panics, or no thread can be started.
pub(crate) fn with_room_for<T: Send>(levels: usize, work: impl FnOnce() -> T + Send) -> T {
    if levels <= SHALLOW {
        return work();
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(levels.saturating_mul(PER_LEVEL));
        let thread = thread.spawn_scoped(scope, work).expect("there is memory for a stack");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
