//! Which thread may call the leaves of a registry: one at a time, unless all of them are declared
//! as safe on several.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::error::{Failure, PLEACH_ERROR_BUSY};

/// A thread without calls.
const NO_THREAD: u64 = 0;

/// The gate to the leaves of a registry. Its trees share it, and who runs them.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    /// The first leaf that is not declared as safe on several threads.
    leaf: OnceLock<String>,
    /// The number of the thread that is inside, or `NO_THREAD`.
    thread: AtomicU64,
    /// In how many calls it is, one in the other: a leaf may tick another forest. Only the thread
    /// that is inside uses this.
    calls: AtomicU32,
}

fn this_thread() -> u64 {
    static THREADS: AtomicU64 = AtomicU64::new(NO_THREAD + 1);
    thread_local! {
        static THIS: u64 = THREADS.fetch_add(1, Ordering::Relaxed);
    }
    THIS.with(|it| *it)
}

impl Gate {
    /// Notes a leaf of the registry.
    pub(crate) fn note(&self, leaf: &str, thread_safe: bool) {
        if !thread_safe {
            self.leaf.get_or_init(|| leaf.to_owned());
        }
    }

    /// A leaf that only one thread at a time may call, if there is one.
    pub(crate) fn leaf(&self) -> Option<&str> {
        self.leaf.get().map(String::as_str)
    }

    fn enter(&self, leaf: &str) -> Result<(), Failure> {
        let this = this_thread();
        if self.thread.load(Ordering::Relaxed) != this {
            // Writes of the last thread inside are visible from here on.
            let entered = self.thread.compare_exchange(NO_THREAD, this, Ordering::Acquire, Ordering::Relaxed);
            entered.map_err(|_| busy(leaf))?;
        }
        self.calls.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn leave(&self) {
        if self.calls.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.thread.store(NO_THREAD, Ordering::Release);
        }
    }
}

#[cold]
fn busy(leaf: &str) -> Failure {
    let message = format!(
        "the leaf `{leaf}` is not declared `thread_safe`, and another thread is in a call with leaves of its registry: \
         declare all leaves of the registry so, or use a registry for each thread"
    );
    Failure::new(PLEACH_ERROR_BUSY, message)
}

/// A call in which leaves are called. When it is dropped, another thread may.
pub(crate) struct Inside(Vec<Arc<Gate>>);

impl Inside {
    /// Goes through these gates, or through none of them.
    pub(crate) fn of<'a>(gates: impl IntoIterator<Item = &'a Arc<Gate>>) -> Result<Self, Failure> {
        let mut inside = Inside(Vec::new());
        for gate in gates {
            if let Some(leaf) = gate.leaf() {
                gate.enter(leaf)?;
                inside.0.push(Arc::clone(gate));
            }
        }
        Ok(inside)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.iter().for_each(|it| it.leave());
    }
}
