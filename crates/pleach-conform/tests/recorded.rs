//! Random crowds that are recorded and replayed: 3 000 scenarios by default. `PLEACH_SEED` moves
//! the range of seeds, `PLEACH_COUNT` makes it longer.

use pleach_conform::compare;

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} must be a whole number, not {text:?}")),
        Err(_) => default,
    }
}

#[test]
fn crowds_stand_where_they_stood() {
    let (first, count) = (setting("PLEACH_SEED", 0), setting("PLEACH_COUNT", 3_000));
    for seed in first..first + count {
        if let Err(difference) = compare::check_recorded(&compare::scenario(seed), 1) {
            panic!("seed {seed}: {difference}");
        }
    }
}
