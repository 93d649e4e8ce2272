//! Who is in the world: their columns, one array per property, and how they come and go.

use crate::error::{ActorError, BadNumber, SpawnError};
use crate::geometry::{Point, direction, length};
use crate::{ActorId, Cursor, MAX_ACTORS, RouteId, World};
use bitflags::bitflags;

/// What an actor is. It decides nothing by itself; leaves and demos tell actors apart by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Patrols, investigates, fights, flees.
    Guard,
    /// Pursues and fights whatever bears the right tag.
    Fighter,
    /// Patrols, and eats carrots.
    Rabbit,
    /// Walks about by dice if [`World::wander`] says so.
    Player,
    /// Stands there.
    Dummy,
}

bitflags! {
    /// A set of [`Kind`]s: the tags that a look can be limited to.
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
        }
    }
}

/// Whose side an actor is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Team {
    /// Nobody's friend and nobody's enemy.
    Neutral,
    /// The garrison, in the demo.
    Red,
    /// The players, in the demo.
    Blue,
    /// A third party.
    Green,
}

impl Team {
    pub(crate) const COUNT: usize = 4;
    const ALL: [Team; Self::COUNT] = [Team::Neutral, Team::Red, Team::Blue, Team::Green];

    /// Whether two sides fight each other: both take part, and they are not the same.
    #[must_use]
    pub fn is_enemy_of(self, other: Team) -> bool {
        self != other && self != Team::Neutral && other != Team::Neutral
    }

    pub(crate) fn lane(self) -> u8 {
        match self {
            Team::Neutral => 0,
            Team::Red => 1,
            Team::Blue => 2,
            Team::Green => 3,
        }
    }

    pub(crate) fn enemy_lanes(self) -> [bool; Self::COUNT] {
        Self::ALL.map(|other| self.is_enemy_of(other))
    }

    pub(crate) fn own_lane(self) -> [bool; Self::COUNT] {
        Self::ALL.map(|other| self == other)
    }
}

/// What to spawn. Begin with [`ActorSpec::guard`] and its siblings and change what differs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActorSpec {
    /// What it is.
    pub kind: Kind,
    /// Whose side it is on.
    pub team: Team,
    /// Where it stands. Must be free.
    pub position: Point,
    /// Where it looks; any length but 0.
    pub facing: Point,
    /// How much room it takes, in metres. Walls keep that distance; other actors do not.
    pub radius: f32,
    /// Health when it is well. Above 0; it starts with all of it.
    pub max_hp: f32,
    /// How far it hears, in metres.
    pub hearing: f32,
    /// Where it flees to, heals and comes back to life. Must be free.
    pub home: Point,
    /// What it patrols, from the first waypoint on.
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

    /// A guard of team Red, whose home is where it stands and who hears 10 m.
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

    /// A player of team Blue, who comes back to life after 5 s.
    #[must_use]
    pub fn player(position: Point) -> Self {
        ActorSpec { respawn: Some(5.0), ..Self::of(Kind::Player, Team::Blue, position) }
    }

    /// Something of team Green to hit.
    #[must_use]
    pub fn dummy(position: Point) -> Self {
        Self::of(Kind::Dummy, Team::Green, position)
    }
}

/// The columns. A slot is an index into each of them.
///
/// A1: all columns have the same length. A2: a slot is in the actor grid exactly while it is
/// `present`, at `position`. A3: `position` is on the map, in no wall, and `facing` is a unit
/// vector. A4: `alive` exactly while `hp` is above 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Actors {
    pub(crate) generation: Vec<u16>,
    pub(crate) present: Vec<bool>,
    /// Slots to let again, the next one last.
    pub(crate) free: Vec<u32>,
    pub(crate) kind: Vec<Kind>,
    pub(crate) team: Vec<Team>,
    pub(crate) position: Vec<Point>,
    pub(crate) facing: Vec<Point>,
    pub(crate) velocity: Vec<Point>,
    /// Whether it has moved since the last step, which stops the others.
    pub(crate) moved: Vec<bool>,
    pub(crate) radius: Vec<f32>,
    pub(crate) alive: Vec<bool>,
    pub(crate) hp: Vec<f32>,
    pub(crate) max_hp: Vec<f32>,
    pub(crate) hearing: Vec<f32>,
    pub(crate) home: Vec<Point>,
    pub(crate) route: Vec<Option<RouteId>>,
    pub(crate) cursor: Vec<Cursor>,
    /// World time at which each skill slot is ready.
    pub(crate) ready: Vec<[f64; crate::combat::SLOTS]>,
    pub(crate) respawn: Vec<Option<f32>>,
    /// World time of coming back to life, for the dead who do.
    pub(crate) respawn_at: Vec<f64>,
    pub(crate) meals: Vec<u32>,
}

impl Actors {
    /// The slot of an actor that is there.
    pub(crate) fn slot(&self, id: ActorId) -> Option<usize> {
        let slot = id.slot();
        (self.generation.get(slot) == Some(&id.generation()) && self.present[slot]).then_some(slot)
    }

    pub(crate) fn id(&self, slot: usize) -> ActorId {
        ActorId::new(u32::try_from(slot).expect("below MAX_ACTORS"), self.generation[slot])
    }

    pub(crate) fn len(&self) -> usize {
        self.present.len()
    }

    /// A free slot, with its columns filled for the newcomer.
    fn take(&mut self, spec: &ActorSpec, facing: Point) -> Option<usize> {
        let slot = match self.free.pop() {
            Some(slot) => slot as usize,
            None if self.len() < MAX_ACTORS => self.len(),
            None => return None,
        };
        fn put<T>(column: &mut Vec<T>, slot: usize, value: T) {
            if slot < column.len() {
                column[slot] = value;
            } else {
                column.push(value);
            }
        }
        if slot == self.len() {
            self.generation.push(0);
        }
        put(&mut self.present, slot, true);
        put(&mut self.kind, slot, spec.kind);
        put(&mut self.team, slot, spec.team);
        put(&mut self.position, slot, spec.position);
        put(&mut self.facing, slot, facing);
        put(&mut self.velocity, slot, [0.0; 2]);
        put(&mut self.moved, slot, false);
        put(&mut self.radius, slot, spec.radius);
        put(&mut self.alive, slot, true);
        put(&mut self.hp, slot, spec.max_hp);
        put(&mut self.max_hp, slot, spec.max_hp);
        put(&mut self.hearing, slot, spec.hearing);
        put(&mut self.home, slot, spec.home);
        put(&mut self.route, slot, spec.route);
        put(&mut self.cursor, slot, Cursor::default());
        put(&mut self.ready, slot, [0.0; crate::combat::SLOTS]);
        put(&mut self.respawn, slot, spec.respawn);
        put(&mut self.respawn_at, slot, f64::INFINITY);
        put(&mut self.meals, slot, 0);
        Some(slot)
    }

    fn give_back(&mut self, slot: usize) {
        self.present[slot] = false;
        if self.generation[slot] < ActorId::LAST_GENERATION {
            self.generation[slot] += 1;
            self.free.push(u32::try_from(slot).expect("below MAX_ACTORS"));
        }
    }
}

impl World {
    /// Puts an actor into the world.
    ///
    /// # Errors
    /// A place or home that is not free, numbers out of range, a route that the map does not have,
    /// a full world.
    pub fn spawn(&mut self, spec: &ActorSpec) -> Result<ActorId, SpawnError> {
        BadNumber::check("the radius", spec.radius)?;
        BadNumber::check("hearing", spec.hearing)?;
        BadNumber::check("respawn", spec.respawn.unwrap_or(0.0))?;
        BadNumber::check("max_hp", spec.max_hp)?;
        if spec.max_hp == 0.0 {
            return Err(BadNumber { what: "max_hp", value: 0.0 }.into());
        }
        BadNumber::check_point("facing", spec.facing)?;
        let facing = direction([0.0; 2], spec.facing)
            .ok_or(BadNumber { what: "the length of facing", value: length(spec.facing) })?;
        for (what, at) in [("position", spec.position), ("home", spec.home)] {
            self.map.check_place(at, spec.radius).map_err(|why| SpawnError::Place { what, why })?;
        }
        if let Some(route) = spec.route.filter(|r| self.map.route(*r).is_none()) {
            return Err(SpawnError::NoRoute(route));
        }
        let slot = self.actors.take(spec, facing).ok_or(SpawnError::Full)?;
        self.grid.insert(slot, spec.team.lane(), spec.position);
        self.present += 1;
        Ok(self.actors.id(slot))
    }

    /// Takes an actor out of the world for good; its id is stale from now on.
    ///
    /// # Errors
    /// A stale id.
    pub fn despawn(&mut self, id: ActorId) -> Result<(), ActorError> {
        let slot = self.actors.slot(id).ok_or(ActorError::Stale(id))?;
        self.grid.remove(slot);
        self.actors.give_back(slot);
        self.present -= 1;
        Ok(())
    }

    /// All actors, the dead included, in slot order: the order of their spawning while nobody is
    /// despawned.
    pub fn actors(&self) -> impl Iterator<Item = ActorId> + '_ {
        (0..self.actors.len()).filter(|slot| self.actors.present[*slot]).map(|slot| self.actors.id(slot))
    }

    /// The actors of some kinds, the dead included, in slot order.
    pub fn actors_of(&self, kinds: Kinds) -> impl Iterator<Item = ActorId> + '_ {
        self.actors().filter(move |id| kinds.contains(self.actors.kind[id.slot()].into()))
    }

    /// How many actors there are, the dead included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.present
    }

    /// Whether nobody is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.present == 0
    }

    /// Whether the id names an actor that is there, dead or alive.
    #[must_use]
    pub fn contains(&self, id: ActorId) -> bool {
        self.actors.slot(id).is_some()
    }

    /// Whether an actor lives; false for a stale id.
    #[must_use]
    pub fn is_alive(&self, id: ActorId) -> bool {
        self.actors.slot(id).is_some_and(|slot| self.actors.alive[slot])
    }

    /// How many carrots an actor has eaten.
    #[must_use]
    pub fn meals(&self, id: ActorId) -> Option<u32> {
        self.actors.slot(id).map(|slot| self.actors.meals[slot])
    }
}

macro_rules! columns {
    ($($(#[$doc:meta])* $column:ident: $type:ty),* $(,)?) => {
        impl World {$(
            $(#[$doc])*
            ///
            /// `None` for a stale id.
            #[must_use]
            pub fn $column(&self, id: ActorId) -> Option<$type> {
                self.actors.slot(id).map(|slot| self.actors.$column[slot])
            }
        )*}
    };
}
columns! {
    /// What an actor is.
    kind: Kind,
    /// Whose side an actor is on.
    team: Team,
    /// Where an actor is.
    position: Point,
    /// Where an actor looks: a unit vector.
    facing: Point,
    /// How fast an actor moved in this frame, in metres per second; 0 if nobody moved it since the
    /// last step.
    velocity: Point,
    /// How much room an actor takes.
    radius: f32,
    /// The health of an actor, in points.
    hp: f32,
    /// The health of an actor when it is well, in points.
    max_hp: f32,
    /// How far an actor hears, in metres.
    hearing: f32,
    /// Where an actor flees to, heals and comes back to life.
    home: Point,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Map;
    use crate::error::PlaceError;

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
        assert_eq!(first.slot(), second.slot());
        assert_ne!(first, second);
        assert_eq!((world.position(first), world.is_alive(first), world.contains(first)), (None, false, false));
        assert_eq!(world.despawn(first), Err(ActorError::Stale(first)));
        assert_eq!((world.kind(second), world.len()), (Some(Kind::Rabbit), 1));
        assert!(!world.contains(ActorId::from_bits(u32::MAX)));
    }

    #[test]
    fn a_slot_retires_before_its_ids_repeat() {
        let mut world = world();
        for _ in 0..=ActorId::LAST_GENERATION {
            let id = world.spawn(&ActorSpec::guard([5.0, 5.0])).unwrap();
            assert_eq!(id.slot(), 0);
            world.despawn(id).unwrap();
        }
        assert_eq!(world.spawn(&ActorSpec::guard([5.0, 5.0])).unwrap().slot(), 1);
        assert_eq!(world.actors().count(), 1);
    }

    #[test]
    fn the_world_fills_up() {
        let mut world = world();
        let spec = ActorSpec::dummy([5.0, 5.0]);
        for _ in 0..MAX_ACTORS {
            world.spawn(&spec).unwrap();
        }
        assert_eq!(world.spawn(&spec), Err(SpawnError::Full));
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
        assert!(matches!(wall, SpawnError::Place { what: "position", why: PlaceError::InWall { .. } }));
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
