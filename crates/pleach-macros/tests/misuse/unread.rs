//! Types that do not derive `Deserialize`, in every place where assets would give them.

use pleach::{Action, Condition, Context, Host, Registry, Status, leaf};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}
type Cx<'a, 'h> = Context<'a, 'h, Game>;

#[derive(Clone, Copy)]
enum Gait {
    Walk,
}
impl pleach::asset::Parameter for Gait {}

#[leaf]
fn go(_: &mut Cx<'_, '_>, _gait: Gait) -> Status {
    Status::Running
}

struct Walk;
#[leaf]
impl Action<Game> for Walk {
    type State = ();
    fn update(&self, (): &mut (), _: &mut Cx<'_, '_>) -> Status {
        Status::Running
    }
}

struct Near;
#[leaf]
impl Condition<Game> for Near {
    type State = ();
    fn update(&self, (): &mut (), _: &mut Cx<'_, '_>) -> Status {
        Status::Success
    }
}

struct Speed;

fn main() {
    let mut registry = Registry::<Game>::new();
    let _ = registry.leaf_fn::<go>();
    let _ = registry.action::<Walk>("Walk");
    let _ = registry.condition::<Near>("Near");
    let _ = registry.action_with("Run", |_: &Speed, _| Status::Running);
}
