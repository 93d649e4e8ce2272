//! What the attribute does not accept.

use pleach::{Context, Host, Status, leaf};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}
type Cx<'a, 'h> = Context<'a, 'h, Game>;

use pleach::Key;

#[leaf(nom = "Walk")]
fn unknown(_: &mut Cx<'_, '_>) -> Status {
    Status::Running
}

#[leaf(name = "go home")]
fn go_home(_: &mut Cx<'_, '_>) -> Status {
    Status::Running
}

#[leaf]
fn größe(_: &mut Cx<'_, '_>) -> Status {
    Status::Running
}

#[leaf(every = "second")]
fn now(_: &mut Cx<'_, '_>) -> bool {
    true
}

#[leaf(every = 0.5, every = 0.6)]
fn twice(_: &mut Cx<'_, '_>) -> bool {
    true
}

#[leaf(every = 0.5)]
fn action(_: &mut Cx<'_, '_>) -> Status {
    Status::Running
}

#[leaf(observes(place), every = 0.5)]
fn both(_: &mut Cx<'_, '_>, place: Key<f32>) -> bool {
    let _ = place;
    true
}

#[leaf(observes(plaice))]
fn misspelt(_: &mut Cx<'_, '_>, place: Key<f32>) -> bool {
    let _ = place;
    true
}

#[leaf(observes(count))]
fn number(_: &mut Cx<'_, '_>, count: u32) -> bool {
    count > 0
}

fn main() {}
