//! The order of all callbacks of a crowd, in batches and traced.

use pleach_conform::compare;
use pleach_conform::crowd::{Crowd, Prepared, entangled};

#[test]
fn batches_change_the_order_of_many_crowds_and_tracers_of_none() {
    let (mut changed, mut panicked) = (0, 0);
    for seed in 0..400 {
        let scenario = compare::scenario(seed);
        let prepared = Prepared::new(&scenario).expect("the tree is valid");
        let batched = Crowd { batched: true, ..Crowd::roll(&scenario, seed) };
        prepared.check_order(&batched).unwrap_or_else(|e| panic!("seed {seed}: {e:.3000}"));
        let plain = prepared.hear_untraced(&entangled(&batched));
        let ordered = prepared.hear_untraced(&entangled(&Crowd { batched: false, ..batched }));
        changed += usize::from(plain.order != ordered.order);
        panicked += usize::from(plain.reports.contains(&None));
    }
    assert!(changed > 40 && panicked > 40, "{changed}, {panicked}");
}
