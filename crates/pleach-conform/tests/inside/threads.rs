//! Crowds on threads: checks that the rolled ones contain what can go wrong.

use pleach_conform::compare;
use pleach_conform::crowd::{Crowd, Prepared};

#[test]
fn crowds_on_threads_have_chunks_that_share_keys_panic_and_are_replaced() {
    let (mut chunks, mut shared, mut panicked, mut replaced) = (0, 0, 0, 0);
    for seed in 0..600 {
        let scenario = compare::scenario(seed);
        let crowd = Crowd::roll_in_chunks(&scenario, seed);
        let prepared = Prepared::new(&scenario).expect("the tree is valid");
        prepared.check_on_threads(&crowd).unwrap_or_else(|e| panic!("seed {seed}: {e:.3000}"));
        let whole = prepared.played(&crowd.on_threads(2)).unwrap_or_else(|e| panic!("seed {seed}: {e:.3000}"));
        let several = crowd.plans.len() > crowd.chunk;
        chunks += usize::from(several);
        shared += usize::from(several && crowd.plans.iter().filter(|it| it.group.is_some()).count() > crowd.chunk);
        panicked += usize::from(several && whole.reports.contains(&None));
        replaced += usize::from(several && scenario.ops.iter().any(|it| it.call.version().is_some()));
    }
    let enough = chunks > 400 && shared > 30 && panicked > 50 && replaced > 80;
    assert!(enough, "{chunks} {shared} {panicked} {replaced}");
}
