//! Chunks that are ticked side by side, on pools of threads that all scenarios share.

use std::sync::LazyLock;

use pleach_core::{
    Forest, TickReport,
    error::DtError,
    trace::{Traced, Tracer},
};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::stage::{Stage, StageCx};

/// The numbers of threads of the pools.
pub(crate) const THREADS: [usize; 3] = [1, 2, 8];

static POOLS: LazyLock<[ThreadPool; 3]> = LazyLock::new(|| {
    THREADS.map(|it| ThreadPoolBuilder::new().num_threads(it).build().expect("there is room for a few threads"))
});

/// The pool with this many of [`THREADS`].
pub(crate) fn pool(threads: usize) -> &'static ThreadPool {
    POOLS.iter().find(|it| it.current_num_threads() == threads).expect("it is one of THREADS")
}

/// A tick in which each chunk has its own context.
pub(super) fn tick<T: Tracer + Send + Sync>(
    pool: &ThreadPool,
    forest: &mut Traced<'_, Forest<Stage>, T>,
    cx: &mut StageCx,
    dt: f32,
) -> Result<TickReport, DtError> {
    let of_chunk = cx.of_chunk();
    pool.install(|| forest.tick_parallel(dt, |_| of_chunk.of_chunk(), |it| cx.take_in(it)))
}
