//! What a leaf cannot return.

use pleach::{Context, Host, Status, leaf};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}
type Cx<'a, 'h> = Context<'a, 'h, Game>;

#[leaf]
fn nothing(_: &mut Cx<'_, '_>) {}

#[leaf]
fn unit(_: &mut Cx<'_, '_>) -> () {}

#[leaf]
fn number(_: &mut Cx<'_, '_>) -> u32 {
    7
}

#[leaf]
fn hidden(_: &mut Cx<'_, '_>) -> impl Into<Status> {
    Status::Running
}

fn main() {}
