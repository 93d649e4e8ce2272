//! References within parameters, and what is taken by reference.

use pleach::{Context, FloatExpr, Host, leaf};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}
type Cx<'a, 'h> = Context<'a, 'h, Game>;

#[leaf]
fn say(_: &mut Cx<'_, '_>, text: Option<&str>) -> bool {
    text.is_some()
}

#[leaf]
fn list(_: &mut Cx<'_, '_>, texts: &[&str]) -> bool {
    texts.is_empty()
}

#[leaf]
fn run(cx: &mut Cx<'_, '_>, speed: FloatExpr) -> bool {
    speed.get(cx) > 1.0
}

fn main() {}
