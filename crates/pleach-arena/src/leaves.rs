//! The leaves of the arena, one file per family, and the registry that knows them by name.

mod carrots;
mod combat;
mod movement;
mod params;
mod patrol;
mod senses;
mod show;
mod squad;

use pleach::Type;
use pleach_asset::Registry;

use crate::host::{Arena, Cx, ToEntity};
use crate::id::ActorId;
use crate::sensors::Sensors;

const OURS: &str = "the names are listed here, each once, and none is a built-in's";

/// Registers each leaf under its name.
macro_rules! leaves {
    (actions { $($action:ty => $action_name:literal,)* } conditions { $($condition:ty => $condition_name:literal,)* }) => {
        /// All leaves of the arena, under their names in trees; its events; and the keys that it
        /// writes in its own trees `guard`, `fighter`, `veteran`, `sentinel` and `warden`, if they
        /// declare them. It writes them in other trees too, but those may be of another game, for
        /// which `health` means something else.
        #[must_use]
        pub fn registry() -> Registry<Arena> {
            let mut registry = Registry::new();
            $(registry.action::<$action>($action_name).expect(OURS);)*
            $(registry.condition::<$condition>($condition_name).expect(OURS);)*
            // The events of agents, each with its place: the world sends both, the squad an alarm.
            registry.event("noise", Type::Vec2).expect(OURS).event("alarm", Type::Vec2).expect(OURS);
            for tree in ["guard", "fighter", "veteran", "sentinel", "warden"] {
                registry.keys::<Sensors>(tree).expect(OURS);
            }
            registry
        }
    };
}

leaves! {
    actions {
        movement::MoveTo => "MoveTo",
        movement::Flee => "Flee",
        movement::Approach => "Approach",
        movement::Pursuit => "Pursuit",
        patrol::Patrol => "Patrol",
        combat::Attack => "Attack",
        combat::Dead => "Dead",
        carrots::EatCarrot => "EatCarrot",
        show::Play => "Play",
        squad::Circle => "Circle",
        squad::NextSpot => "NextSpot",
        squad::FleeFrom => "FleeFrom",
        squad::LookAround => "LookAround",
        squad::Shout => "Shout",
    }
    conditions {
        combat::Death => "Death",
        senses::SeesPlayer => "SeesPlayer",
        senses::FoundTarget => "FoundTarget",
        senses::LostTarget => "LostTarget",
        carrots::SeesCarrot => "SeesCarrot",
    }
}

/// The actor that the agent of a callback plays.
fn me(cx: &Cx<'_, '_>) -> Option<ActorId> {
    ActorId::from_entity(cx.entity())
}
