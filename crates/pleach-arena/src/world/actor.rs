//! The actors: what they are, and how they enter and leave the world.

use super::kind::{Kind, Kinds, Team};
use super::{Cursor, SkillSlot, World};
use crate::error::{ActorError, ActorSpawnError, BadNumber};
use crate::geometry::{Point, direction, has_direction, length};
use crate::grid::{Cell, Grid};
use crate::id::{ActorId, RouteId};
use crate::limits::MAX_ACTORS;

/// What to spawn. Begin with [`ActorSpec::guard`] or another of the functions below, and change
/// what differs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActorSpec {
    /// What it is.
    pub kind: Kind,
    /// Its team.
    pub team: Team,
    /// Where it stands. Must be free.
    pub position: Point,
    /// Where it looks. Any length except 0.
    pub facing: Point,
    /// Its radius in metres. Walls keep this distance from it; other actors do not.
    pub radius: f32,
    /// Its full health in points, above 0. It starts with full health.
    pub max_hp: f32,
    /// How far it hears, in metres.
    pub hearing: f32,
    /// Where it flees to, heals and comes back to life. Must be free.
    pub home: Point,
    /// The route that it patrols, from the first waypoint on.
    pub route: Option<RouteId>,
    /// How long after its death it comes back to life at home, in seconds; `None` for never.
    pub respawn: Option<f32>,
}

impl ActorSpec {
    fn of(kind: Kind, team: Team, position: Point) -> Self {
        ActorSpec {
            kind,
            team,
            position,
            facing: [1.0, 0.0],
            radius: 0.4,
            max_hp: 100.0,
            hearing: 0.0,
            home: position,
            route: None,
            respawn: None,
        }
    }

    /// A guard of team Red. Its home is where it stands, and it hears 10 m far.
    #[must_use]
    pub fn guard(position: Point) -> Self {
        ActorSpec { hearing: 10.0, ..Self::of(Kind::Guard, Team::Red, position) }
    }

    /// A fighter of team Red; deaf.
    #[must_use]
    pub fn fighter(position: Point) -> Self {
        Self::of(Kind::Fighter, Team::Red, position)
    }

    /// A rabbit, small and neutral.
    #[must_use]
    pub fn rabbit(position: Point) -> Self {
        ActorSpec { radius: 0.2, max_hp: 10.0, ..Self::of(Kind::Rabbit, Team::Neutral, position) }
    }

    /// A player of team Blue. It comes back to life after 5 s.
    #[must_use]
    pub fn player(position: Point) -> Self {
        ActorSpec { respawn: Some(5.0), ..Self::of(Kind::Player, Team::Blue, position) }
    }

    /// A civilian: neutral, and hears 14 m far.
    #[must_use]
    pub fn civilian(position: Point) -> Self {
        ActorSpec { hearing: 14.0, ..Self::of(Kind::Civilian, Team::Neutral, position) }
    }

    /// A boss of team Red: large and tough, and hears 15 m far.
    #[must_use]
    pub fn boss(position: Point) -> Self {
        ActorSpec { radius: 0.6, max_hp: 300.0, hearing: 15.0, ..Self::of(Kind::Boss, Team::Red, position) }
    }

    /// A target of team Green.
    #[must_use]
    pub fn dummy(position: Point) -> Self {
        Self::of(Kind::Dummy, Team::Green, position)
    }
}

/// The state of an actor, as far as most frames read it. The rest is its [`Record`].
///
/// A1: an actor is in the grid exactly while it is in the world, in its `cell`, which is that of
/// its `position`. A2: `position` is on the map and in no wall, and `ahead` has a [`direction`].
/// A3: `alive` exactly while `hp` is above 0. A4: an actor has a record exactly while it is in the
/// world.
#[derive(Clone, Debug)]
pub(super) struct Actor {
    pub(super) kind: Kind,
    pub(super) team: Team,
    pub(super) position: Point,
    pub(super) cell: Cell,
    /// Where it looks, as a vector of any length. A walker turns in every frame, and few actors are
    /// asked where they look.
    pub(super) ahead: Point,
    pub(super) velocity: Point,
    /// Whether it has moved since the last step. The step stops all others.
    pub(super) moved: bool,
    pub(super) alive: bool,
    /// Whether it is in a hiding place: only actors next to it see it.
    pub(super) hidden: bool,
    pub(super) radius: f32,
    pub(super) hp: f32,
    pub(super) max_hp: f32,
    pub(super) home: Point,
    pub(super) route: Option<RouteId>,
    pub(super) cursor: Cursor,
}

/// The part of an actor that is read only when it fights, is dead, eats, or there is a noise. It is
/// kept apart, so that the actors of a crowd are half as large.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) hearing: f32,
    /// World time at which each skill slot is ready, by [`SkillSlot::index`].
    pub(super) ready: [f64; SkillSlot::COUNT],
    pub(super) respawn: Option<f32>,
    /// World time at which a dead actor comes back to life; infinity for never.
    pub(super) respawn_at: f64,
    pub(super) meals: u32,
}

impl Actor {
    fn new(spec: &ActorSpec, cell: Cell) -> Self {
        Actor {
            kind: spec.kind,
            team: spec.team,
            position: spec.position,
            cell,
            ahead: spec.facing,
            velocity: [0.0; 2],
            moved: false,
            alive: true,
            hidden: false,
            radius: spec.radius,
            hp: spec.max_hp,
            max_hp: spec.max_hp,
            home: spec.home,
            route: spec.route,
            cursor: Cursor::default(),
        }
    }

    /// Puts it somewhere else (A1).
    pub(super) fn go(&mut self, id: ActorId, to: Point, grid: &mut Grid<ActorId>) {
        self.position = to;
        self.cell = grid.relocate(id, self.cell, to);
    }

    /// Where it looks: a unit vector.
    pub(super) fn facing(&self) -> Point {
        direction(self.ahead).unwrap_or(self.ahead)
    }
}

impl Record {
    fn new(spec: &ActorSpec) -> Self {
        Record {
            hearing: spec.hearing,
            ready: [0.0; SkillSlot::COUNT],
            respawn: spec.respawn,
            respawn_at: f64::INFINITY,
            meals: 0,
        }
    }
}

impl World {
    /// Reserves room for `actors` actors in an empty world. Vectors that grow by doubling would
    /// take up to three times as much for a moment, and twice as much for ever.
    pub(super) fn make_room(&mut self, actors: usize) {
        self.actors.reserve(actors);
        // One more, because the ids of actors begin at 1.
        self.records.set_capacity(actors + 1);
        self.grid.make_room(actors + 1);
    }

    /// Puts an actor into the world.
    ///
    /// # Errors
    /// The place or the home is not free, a number is out of range, the map does not have the
    /// route, or the world is full.
    pub fn spawn(&mut self, spec: &ActorSpec) -> Result<ActorId, ActorSpawnError> {
        BadNumber::check("the radius", spec.radius)?;
        BadNumber::check("hearing", spec.hearing)?;
        BadNumber::check("respawn", spec.respawn.unwrap_or(0.0))?;
        BadNumber::check("max_hp", spec.max_hp)?;
        if spec.max_hp == 0.0 {
            return Err(BadNumber { what: "max_hp", value: 0.0 }.into());
        }
        BadNumber::check_point("facing", spec.facing)?;
        if !has_direction(spec.facing) {
            return Err(BadNumber { what: "the length of facing", value: length(spec.facing) }.into());
        }
        for (what, at) in [("position", spec.position), ("home", spec.home)] {
            self.map.check_place(at, spec.radius).map_err(|why| ActorSpawnError::Place { what, why })?;
        }
        if let Some(route) = spec.route.filter(|r| self.map.route(*r).is_none()) {
            return Err(ActorSpawnError::NoRoute(route));
        }
        if self.actors.len() == MAX_ACTORS {
            return Err(ActorSpawnError::Full);
        }
        let cell = self.grid.cell(spec.position);
        let id = self.actors.insert(Actor::new(spec, cell));
        self.records.insert(id, Record::new(spec));
        self.grid.insert(id, spec.team.layer(), cell);
        Ok(id)
    }

    /// Removes an actor from the world. Its id is stale from now on.
    ///
    /// # Errors
    /// The id is stale.
    pub fn despawn(&mut self, id: ActorId) -> Result<(), ActorError> {
        self.actors.remove(id).ok_or(ActorError::Stale(id))?;
        self.records.remove(id);
        self.grid.remove(id);
        self.despawned.id(id);
        Ok(())
    }

    /// All actors, the dead included, in the order of their ids. While no actor is despawned, that
    /// is the order in which they were spawned.
    pub fn actors(&self) -> impl Iterator<Item = ActorId> + '_ {
        self.actors.keys()
    }

    /// The actors of some kinds, the dead included, in the order of their ids.
    pub fn actors_of(&self, kinds: Kinds) -> impl Iterator<Item = ActorId> + '_ {
        self.actors.iter().filter(move |(_, actor)| kinds.contains(actor.kind.into())).map(|(id, _)| id)
    }

    /// How many actors there are, the dead included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.actors.len()
    }

    /// Whether there is no actor.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.actors.is_empty()
    }

    /// Whether the id names an actor of the world, dead or alive.
    #[must_use]
    pub fn contains(&self, id: ActorId) -> bool {
        self.actors.contains_key(id)
    }

    /// Whether an actor lives; false for a stale id.
    #[must_use]
    pub fn is_alive(&self, id: ActorId) -> bool {
        self.actors.get(id).is_some_and(|actor| actor.alive)
    }

    /// Where an actor looks: a unit vector. `None` for a stale id.
    #[must_use]
    pub fn facing(&self, id: ActorId) -> Option<Point> {
        self.actors.get(id).map(Actor::facing)
    }

    /// How far an actor hears, in metres. `None` for a stale id.
    #[must_use]
    pub fn hearing(&self, id: ActorId) -> Option<f32> {
        self.records.get(id).map(|record| record.hearing)
    }

    /// How many carrots an actor has eaten.
    #[must_use]
    pub fn meals(&self, id: ActorId) -> Option<u32> {
        self.records.get(id).map(|record| record.meals)
    }
}

macro_rules! getters {
    ($($(#[$doc:meta])* $field:ident: $type:ty),* $(,)?) => {
        impl World {$(
            $(#[$doc])*
            ///
            /// `None` for a stale id.
            #[must_use]
            pub fn $field(&self, id: ActorId) -> Option<$type> {
                self.actors.get(id).map(|actor| actor.$field)
            }
        )*}
    };
}
getters! {
    /// What an actor is.
    kind: Kind,
    /// The team of an actor.
    team: Team,
    /// Where an actor is.
    position: Point,
    /// How fast an actor moved in this frame, in metres per second. 0 if it has not moved since the
    /// last step.
    velocity: Point,
    /// The radius of an actor, in metres.
    radius: f32,
    /// The health of an actor, in points.
    hp: f32,
    /// The full health of an actor, in points.
    max_hp: f32,
    /// Where an actor flees to, heals and comes back to life.
    home: Point,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::PlaceError;
    use crate::map::Map;

    fn world() -> World {
        let mut map = Map::open([40.0, 40.0]).unwrap();
        map.add_wall([20.0, 20.0], [22.0, 22.0]).unwrap();
        World::new(map, 1)
    }

    #[test]
    fn a_stale_id_names_nobody() {
        let mut world = world();
        let first = world.spawn(&ActorSpec::guard([5.0, 5.0])).unwrap();
        world.despawn(first).unwrap();
        let second = world.spawn(&ActorSpec::rabbit([6.0, 6.0])).unwrap();
        assert_ne!(first, second);
        assert_eq!((world.position(first), world.is_alive(first), world.contains(first)), (None, false, false));
        assert_eq!(world.despawn(first), Err(ActorError::Stale(first)));
        assert_eq!((world.kind(second), world.len()), (Some(Kind::Rabbit), 1));
        assert!(!world.contains(ActorId::default()));
    }

    #[test]
    fn ids_do_not_repeat() {
        let mut world = world();
        let mut seen = std::collections::HashSet::new();
        for _ in 0..40_000 {
            let id = world.spawn(&ActorSpec::guard([5.0, 5.0])).unwrap();
            assert!(seen.insert(id), "{id}");
            world.despawn(id).unwrap();
        }
        assert!(seen.iter().all(|id| !world.contains(*id)));
        assert_eq!(world.actors().count(), 0);
    }

    #[test]
    fn the_world_fills_up() {
        let mut world = world();
        let spec = ActorSpec::dummy([5.0, 5.0]);
        for _ in 0..MAX_ACTORS {
            world.spawn(&spec).unwrap();
        }
        assert_eq!(world.spawn(&spec), Err(ActorSpawnError::Full));
        let some = world.actors().nth(77).unwrap();
        world.despawn(some).unwrap();
        assert!(world.spawn(&spec).is_ok());
        assert_eq!(world.len(), MAX_ACTORS);
    }

    #[test]
    fn bad_specs_are_refused_and_change_nothing() {
        let mut world = world();
        let good = ActorSpec::guard([5.0, 5.0]);
        let before = world.digest();
        let bad = [
            ActorSpec { position: [f32::NAN, 1.0], ..good },
            ActorSpec { position: [0.1, 5.0], ..good },
            ActorSpec { position: [21.0, 21.0], ..good },
            ActorSpec { home: [21.0, 21.0], ..good },
            ActorSpec { radius: -1.0, ..good },
            ActorSpec { max_hp: 0.0, ..good },
            ActorSpec { max_hp: f32::INFINITY, ..good },
            ActorSpec { hearing: f32::NAN, ..good },
            ActorSpec { respawn: Some(-2.0), ..good },
            ActorSpec { facing: [0.0, 0.0], ..good },
            ActorSpec { facing: [f32::INFINITY, 0.0], ..good },
            ActorSpec { route: Some(RouteId(0)), ..good },
        ];
        for spec in bad {
            assert!(world.spawn(&spec).is_err(), "{spec:?}");
        }
        assert_eq!((world.digest(), world.is_empty()), (before, true));
        let wall = world.spawn(&bad[2]).unwrap_err();
        assert!(matches!(wall, ActorSpawnError::Place { what: "position", why: PlaceError::InWall { .. } }));
        assert!(wall.to_string().contains("inside a wall"), "{wall}");
    }

    #[test]
    fn kinds_select() {
        let mut world = world();
        let guard = world.spawn(&ActorSpec::guard([5.0, 5.0])).unwrap();
        let player = world.spawn(&ActorSpec::player([6.0, 5.0])).unwrap();
        let rabbit = world.spawn(&ActorSpec::rabbit([7.0, 5.0])).unwrap();
        assert_eq!(world.actors_of(Kinds::GUARD | Kinds::RABBIT).collect::<Vec<_>>(), [guard, rabbit]);
        assert_eq!(world.actors_of(Kinds::PLAYER).collect::<Vec<_>>(), [player]);
        assert!(Team::Red.is_enemy_of(Team::Blue));
        assert!(!Team::Red.is_enemy_of(Team::Red) && !Team::Neutral.is_enemy_of(Team::Blue));
    }
}
