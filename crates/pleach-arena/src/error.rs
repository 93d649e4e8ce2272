//! The errors, one type per kind of call. No call of this crate panics on bad input, and a call
//! that fails changes nothing.

use thiserror::Error;

use crate::geometry::Point;
use crate::id::{ActorId, CarrotId, RouteId};
use crate::limits::{MAX_ACTORS, MAX_CARROTS, MAX_NOISES, MAX_ROUTES, MAX_SIDE, MAX_WALLS, MAX_WAYPOINTS};

/// A number that is not finite, or negative where that has no meaning.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("{what} is {value}: it must be a finite number and not negative")]
pub struct BadNumber {
    /// The name of the argument or field.
    pub what: &'static str,
    /// The given value.
    pub value: f32,
}

impl BadNumber {
    pub(crate) fn check(what: &'static str, value: f32) -> Result<(), BadNumber> {
        // A NaN is in no range.
        if (0.0..=f32::MAX).contains(&value) { Ok(()) } else { Err(BadNumber { what, value }) }
    }

    pub(crate) fn check_point(what: &'static str, at: Point) -> Result<(), BadNumber> {
        match at.into_iter().find(|v| !v.is_finite()) {
            None => Ok(()),
            Some(value) => Err(BadNumber { what, value }),
        }
    }
}

/// Why a place is not free.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// A coordinate is not a number.
    #[error(transparent)]
    BadNumber(#[from] BadNumber),
    /// The place, with the thing's radius around it, is not wholly on the map.
    #[error("{at:?} with radius {radius} is not on the map, whose corner is {side:?}")]
    Outside {
        /// The place.
        at: Point,
        /// The radius kept clear around it.
        radius: f32,
        /// The map's far corner.
        side: Point,
    },
    /// The place, with the thing's radius around it, cuts into a wall.
    #[error("{at:?} with radius {radius} is inside a wall: choose a place that `Map::is_free` finds free")]
    InWall {
        /// The place.
        at: Point,
        /// The radius kept clear around it.
        radius: f32,
    },
}

/// Why a map, a wall or a route was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MapError {
    /// A side is not a number, not positive, or too long.
    #[error("a side of the map is {0} m: it must be above 0 and at most {MAX_SIDE} m")]
    BadSide(f32),
    /// A wall or waypoint is not on the map, or not a number.
    #[error("{0:?} is not a point of the map")]
    Outside(Point),
    /// A wall's corners are not its lower left and upper right ones, or it has no area.
    #[error("a wall from {min:?} to {max:?} has no area: give its lower left corner first")]
    EmptyWall {
        /// The corner given first.
        min: Point,
        /// The corner given second.
        max: Point,
    },
    /// The route has no waypoint.
    #[error("a route needs at least one waypoint")]
    EmptyRoute,
    /// There are too many waypoints in one route.
    #[error("a route of {0} waypoints is longer than {MAX_WAYPOINTS}: split it")]
    RouteTooLong(usize),
    /// The map has the most routes it can have.
    #[error("the map has {MAX_ROUTES} routes already: actors may share one")]
    TooManyRoutes,
    /// The map has the most walls it can have.
    #[error("the map has {MAX_WALLS} walls already: join some")]
    TooManyWalls,
}

/// Why an actor could not be spawned.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ActorSpawnError {
    /// A field of the specification is out of range.
    #[error(transparent)]
    BadNumber(#[from] BadNumber),
    /// Its place or its home is not free.
    #[error("its {what}: {why}")]
    Place {
        /// `position` or `home`.
        what: &'static str,
        /// Why the place is not free.
        why: PlaceError,
    },
    /// The map has no such route.
    #[error("the map has no route {0}")]
    NoRoute(RouteId),
    /// The world has the most actors it can hold.
    #[error("the world holds {MAX_ACTORS} actors already: despawn some first")]
    Full,
}

/// Why an order to an actor was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ActorError {
    /// The actor has been despawned, or never existed.
    #[error("there is no actor {0}: it was despawned, or is of another world")]
    Stale(ActorId),
    /// An argument is not finite, or negative.
    #[error(transparent)]
    BadNumber(#[from] BadNumber),
    /// It cannot stand there.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The map has no such route.
    #[error("the map has no route {0}")]
    NoRoute(RouteId),
}

/// Why a skill did not hit. A miss costs nothing: no cooldown begins.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum Miss {
    /// The target is further away than the skill reaches.
    #[error("the target is {distance} m away, out of the skill's range")]
    OutOfRange {
        /// How far away it is.
        distance: f32,
    },
    /// The skill's slot is still cooling.
    #[error("the skill is ready in {ready_in} s")]
    Cooling {
        /// How long it still takes.
        ready_in: f32,
    },
    /// One of the two is dead.
    #[error("{0} is dead")]
    Dead(ActorId),
    /// One of the two has been despawned, or never existed.
    #[error("there is no actor {0}: it was despawned, or is of another world")]
    Stale(ActorId),
    /// The skill itself is out of range.
    #[error(transparent)]
    BadSkill(#[from] BadNumber),
}

/// Why a noise was not made.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum NoiseError {
    /// A coordinate or the radius is not finite, or negative.
    #[error(transparent)]
    BadNumber(#[from] BadNumber),
    /// There are too many at once.
    #[error("{MAX_NOISES} noises can be heard already: step the world so that some fade")]
    Full,
}

/// Why a carrot could not be planted.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CarrotError {
    /// The reach is not finite, or negative.
    #[error(transparent)]
    BadNumber(#[from] BadNumber),
    /// It cannot grow there.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The world has the most carrots it can have.
    #[error("the world has {MAX_CARROTS} carrots already")]
    Full,
}

/// Why a carrot was not eaten.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum EatError {
    /// It has been eaten, or it never existed.
    #[error("there is no carrot {0}: it has been eaten")]
    Gone(CarrotId),
    /// It is out of reach.
    #[error("the carrot is {distance} m away: move nearer first")]
    TooFar {
        /// How far away it is.
        distance: f32,
    },
    /// The dead do not eat.
    #[error("{0} is dead")]
    Dead(ActorId),
    /// The eater has been despawned, or never existed.
    #[error("there is no actor {0}: it was despawned, or is of another world")]
    Stale(ActorId),
}
