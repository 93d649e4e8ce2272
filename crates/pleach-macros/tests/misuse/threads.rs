//! Threads without the feature `rayon`, which this crate does not ask for.

use pleach::{Forest, Host};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}

fn main() {
    let mut forest = Forest::<Game>::new(7);
    let _ = forest.tick_parallel(0.1, |_| (), drop);
    let _ = forest.traced(&mut pleach::trace::NoTracer).tick_parallel(0.1, |_| (), drop);
}
