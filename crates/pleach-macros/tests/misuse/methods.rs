//! A function that belongs to a type is no leaf.

use pleach::{Context, Host, Status, leaf};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}
type Cx<'a, 'h> = Context<'a, 'h, Game>;

impl Game {
    #[leaf]
    fn walk(_: &mut Cx<'_, '_>, far: bool) -> Status {
        Status::from_bool(far)
    }
}

fn main() {}
