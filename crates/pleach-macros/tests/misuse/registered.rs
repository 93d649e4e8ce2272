//! Leaves with mistakes that are registered and used: only the mistakes are reported.

use pleach::{Action, Context, Host, Key, Registry, Status, SymbolEnum, leaf};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}
type Cx<'a, 'h> = Context<'a, 'h, Game>;

#[leaf]
fn walk(_: &mut Cx<'_, '_>, text: String) -> Status {
    let _ = text;
    Status::Running
}

#[leaf(nom = "Run")]
fn run(_: &mut Cx<'_, '_>) -> Status {
    Status::Running
}

#[leaf(reads(r#type), observes(fast))]
fn none(speed: f32) -> bool {
    speed > 0.0
}

#[leaf]
fn nothing(_: &mut Cx<'_, '_>) {}

mod inner {
    use super::Cx;

    #[pleach::leaf(every = "second")]
    pub(crate) fn far(_: &mut Cx<'_, '_>) -> bool {
        true
    }
}

#[derive(serde::Deserialize)]
struct Hit;
#[leaf(nom = "Hit")]
impl Action<Game> for Hit {
    type State = u32;
    fn update(&self, _: &mut u32, _: &mut Cx<'_, '_>) -> Status {
        Status::Success
    }
}

#[derive(Clone, Copy, Debug, PartialEq, SymbolEnum)]
enum Mood {
    Calm(u32),
}

#[leaf]
fn feel(cx: &mut Cx<'_, '_>, mood: Key<Mood>, at_first: Mood) -> bool {
    cx.get(mood) == at_first
}

fn main() {
    let mut registry = Registry::<Game>::new();
    let _ = registry.leaf_fn::<walk>();
    let _ = registry.leaf_fn::<run>();
    let _ = registry.leaf_fn::<none>();
    let _ = registry.leaf_fn::<nothing>();
    let _ = registry.leaf_fn::<inner::far>();
    let _ = registry.leaf_fn::<feel>();
    let _ = registry.action::<Hit>("Hit");
    let _ = walk;
    let mut other = Registry::new();
    let _ = other.leaf_fn::<walk>();
}
