//! The interpreter against the oracle, over random scenarios, each with one agent and in crowds,
//! some of these on threads: 100 000 by default, in eight tests so that they run side by side.
//! Also, 3 000 of them are recorded in a crowd, and in one on two threads, and replayed, each
//! with all frames and with the last ones.
//! `PLEACH_SEED` moves the range of seeds, `PLEACH_COUNT` makes it longer.

use pleach_conform::compare;

const SHARDS: u64 = 8;
const DEFAULT_COUNT: u64 = 100_000;

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} must be a whole number, not {text:?}")),
        Err(_) => default,
    }
}

fn shard(index: u64) {
    let (first, count) = (setting("PLEACH_SEED", 0), setting("PLEACH_COUNT", DEFAULT_COUNT));
    let from = first + count * index / SHARDS;
    let to = first + count * (index + 1) / SHARDS;
    if let Err(difference) = compare::check_seeds(from..to) {
        panic!("{difference}");
    }
}

macro_rules! shards {
    ($($name:ident $index:literal)*) => {$(
        #[test]
        fn $name() {
            shard($index);
        }
    )*};
}

shards! { shard_0 0 shard_1 1 shard_2 2 shard_3 3 shard_4 4 shard_5 5 shard_6 6 shard_7 7 }

#[test]
fn replayed_crowds_stand_where_they_stood() {
    let (first, count) = (setting("PLEACH_SEED", 0), setting("PLEACH_COUNT", 3_000));
    for seed in first..first + count {
        if let Err(difference) = compare::check_recorded(&compare::scenario(seed), 1) {
            panic!("seed {seed}: {difference}");
        }
    }
}
