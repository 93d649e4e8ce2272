//! A parameter that would have to be copied.

use pleach::{Context, Host, leaf};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}
type Cx<'a, 'h> = Context<'a, 'h, Game>;

#[derive(serde::Deserialize)]
struct Route(Vec<[f32; 2]>);
impl pleach::asset::Parameter for Route {}

#[leaf]
fn follow(_: &mut Cx<'_, '_>, route: Route) -> bool {
    route.0.is_empty()
}

fn main() {}
