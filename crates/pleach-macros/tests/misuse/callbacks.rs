//! Callbacks that are declared by hand.

use pleach::{Context, Host, Status, leaf};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}
type Cx<'a, 'h> = Context<'a, 'h, Game>;

use pleach::Callbacks;

struct Walk;
#[leaf]
impl pleach::Action<Game> for Walk {
    type State = ();
    const CALLBACKS: Callbacks = Callbacks::START;
    fn update(&self, (): &mut (), _: &mut Cx<'_, '_>) -> Status {
        Status::Running
    }
}

fn main() {}
