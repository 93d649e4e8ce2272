//! Functions without a context.

use pleach::{Context, Host, Status, leaf};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}
type Cx<'a, 'h> = Context<'a, 'h, Game>;

#[leaf]
fn none() -> Status {
    Status::Running
}

#[leaf]
fn shared(_: &Cx<'_, '_>) -> Status {
    Status::Running
}

#[leaf]
fn other(_: &mut u32) -> Status {
    Status::Running
}

struct Walk;
impl Walk {
    #[leaf]
    fn method(&self, _: &mut Cx<'_, '_>) -> Status {
        Status::Running
    }
}

fn main() {}
