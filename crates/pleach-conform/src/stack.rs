//! Room on the stack for what nests deep.

/// So many levels fit the stack of any thread.
const SHALLOW: usize = 24;
/// What one level takes at most in bytes, in a build without optimisation too.
const PER_LEVEL: usize = 32 << 10;

/// Does work that recurses into so many levels: where they may be too many for this thread, on one
/// made for it.
///
/// # Panics
/// If the work does, or no thread can be had.
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
