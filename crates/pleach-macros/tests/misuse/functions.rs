//! Functions that no asset could call.

use pleach::{Context, Host, Status, leaf};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}
type Cx<'a, 'h> = Context<'a, 'h, Game>;

#[leaf]
fn generic<T: Copy>(_: &mut Cx<'_, '_>, _it: T) -> Status {
    Status::Running
}

#[leaf]
fn lifetimes<'a>(_: &mut Cx<'a, '_>) -> Status {
    Status::Running
}

#[leaf]
async fn later(_: &mut Cx<'_, '_>) -> Status {
    Status::Running
}

#[leaf]
unsafe fn risky(_: &mut Cx<'_, '_>) -> Status {
    Status::Running
}

fn main() {}
