//! What cannot be a parameter.

use pleach::{Context, Host, leaf};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}
type Cx<'a, 'h> = Context<'a, 'h, Game>;

#[leaf]
fn copied(_: &mut Cx<'_, '_>, text: String, list: Vec<f32>) -> bool {
    text.len() == list.len()
}

#[leaf]
fn changed(_: &mut Cx<'_, '_>, count: &mut u32) -> bool {
    *count > 0
}

#[leaf]
fn kept(_: &mut Cx<'_, '_>, text: &'static str) -> bool {
    text.is_empty()
}

#[leaf]
fn any(_: &mut Cx<'_, '_>, speed: impl Into<f32>) -> bool {
    speed.into() > 0.0
}

#[leaf]
fn parts(_: &mut Cx<'_, '_>, [x, y]: [f32; 2]) -> bool {
    x > y
}

#[leaf]
fn taken(_: &mut Cx<'_, '_>, name: &str, #[default(1)] #[default(2)] count: u32) -> bool {
    name.len() > count as usize
}

fn main() {}
