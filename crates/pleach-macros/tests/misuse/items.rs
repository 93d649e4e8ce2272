//! What cannot be a leaf.

use pleach::{Context, Host, Status, leaf};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}
type Cx<'a, 'h> = Context<'a, 'h, Game>;

#[leaf]
struct Walk;

#[leaf]
impl Walk {
    fn far(&self) {}
}

#[leaf(name = "Run")]
impl pleach::Action<Game> for Walk {
    type State = ();
    fn update(&self, (): &mut (), _: &mut Cx<'_, '_>) -> Status {
        Status::Running
    }
}

fn register(registry: &mut pleach::Registry<Game>) {
    let _ = registry.leaf_fn::<Walk>();
}

fn main() {}
