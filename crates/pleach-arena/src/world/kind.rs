//! The kinds and the teams of actors.

use bitflags::bitflags;

use crate::grid::{Layer, Layers};

/// What an actor is. The world treats all kinds alike. Leaves and demos distinguish actors by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Patrols, investigates, fights, flees.
    Guard,
    /// Pursues and fights actors of some kinds.
    Fighter,
    /// Patrols, and eats carrots.
    Rabbit,
    /// Walks about at random if `World::wander` says so.
    Player,
    /// Stands there.
    Dummy,
    /// Strolls about, and is afraid of fights.
    Civilian,
    /// Guards the treasure of an estate.
    Boss,
}

bitflags! {
    /// A set of [`Kind`]s, to which a look can be limited.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Kinds: u8 {
        /// Guards.
        const GUARD = 1;
        /// Fighters.
        const FIGHTER = 1 << 1;
        /// Rabbits.
        const RABBIT = 1 << 2;
        /// Players.
        const PLAYER = 1 << 3;
        /// Dummies.
        const DUMMY = 1 << 4;
        /// Civilians.
        const CIVILIAN = 1 << 5;
        /// Bosses.
        const BOSS = 1 << 6;
    }
}

impl From<Kind> for Kinds {
    fn from(kind: Kind) -> Kinds {
        match kind {
            Kind::Guard => Kinds::GUARD,
            Kind::Fighter => Kinds::FIGHTER,
            Kind::Rabbit => Kinds::RABBIT,
            Kind::Player => Kinds::PLAYER,
            Kind::Dummy => Kinds::DUMMY,
            Kind::Civilian => Kinds::CIVILIAN,
            Kind::Boss => Kinds::BOSS,
        }
    }
}

/// The team of an actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Team {
    /// Has neither allies nor enemies.
    Neutral,
    /// The garrison, in the demo.
    Red,
    /// The players, in the demo.
    Blue,
    /// A third party.
    Green,
}

impl Team {
    pub(super) const ALL: [Team; 4] = [Team::Neutral, Team::Red, Team::Blue, Team::Green];

    /// Whether two teams fight each other: they differ, and neither is neutral.
    #[must_use]
    pub fn is_enemy_of(self, other: Team) -> bool {
        self != other && self != Team::Neutral && other != Team::Neutral
    }

    /// The layer of the grid that holds the team's actors.
    pub(super) fn layer(self) -> Layer {
        match self {
            Team::Neutral => Layer(0),
            Team::Red => Layer(1),
            Team::Blue => Layer(2),
            Team::Green => Layer(3),
        }
    }

    /// The layers of the teams that it [fights](Team::is_enemy_of).
    pub(super) fn enemy_layers(self) -> Layers {
        match self {
            Team::Neutral => Layers::NONE,
            Team::Red | Team::Blue | Team::Green => Layers::ALL.without(Team::Neutral.layer()).without(self.layer()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layers_of_enemies_are_those_of_the_teams_that_are_fought() {
        for team in Team::ALL {
            for other in Team::ALL {
                assert_eq!(team.enemy_layers().contains(other.layer()), team.is_enemy_of(other), "{team:?} {other:?}");
            }
        }
    }
}
