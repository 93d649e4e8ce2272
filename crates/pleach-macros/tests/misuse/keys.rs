//! What is not a type of a key.

use pleach::{Host, Tree};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}

fn look(tree: &Tree<Game>) {
    let _ = tree.key::<f64>("speed");
}

fn main() {}
