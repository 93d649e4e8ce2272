//! A type that assets cannot give.

use pleach::{Context, Host, leaf};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}
type Cx<'a, 'h> = Context<'a, 'h, Game>;

#[derive(Clone, Copy)]
struct Place;

#[leaf]
fn strange(_: &mut Cx<'_, '_>, place: Place) -> bool {
    let _ = place;
    true
}

fn main() {}
