//! A small deterministic 2D world without an engine. The command line runs trees in it, tests play
//! stories in it, and benches load it.
//!
//! A [`Map`] (walls and patrol routes) never changes once a [`World`] stands on it. The world holds
//! actors, noises and carrots. The game drives the actors with calls ([`World::move_towards`],
//! [`World::use_skill`], [`World::eat`], [`World::make_noise`]) and then [`World::step`], once per
//! frame. Questions ([`World::can_see`], [`World::nearest_enemy`], [`World::allies`]) take `&self`,
//! allocate nothing and are always up to date: they need no step in between.
//!
//! Units are metres, seconds and unit vectors. There are no angles, because `sin` and `cos` differ
//! between platforms in the last bit. The operations in use (`+ - * /` and `sqrt`) are exact by
//! IEEE 754. So the same map, seed and calls give the same [`World::digest`] on every machine.
//!
//! A [`Game`] puts brains into the actors: a forest of agents that run one tree, with the leaves of
//! [`registry`]. Each frame its sensors write the keys that the tree declares among these:
//!
//! | key | type | |
//! |---|---|---|
//! | `health` | Float | from 0 (dead) to 1 (full) |
//! | `pos`, `home` | Vec2 | where it is, and where it heals |
//! | `sees_player`, `player` | Bool, Entity | whether it sees an enemy player, and the nearest |
//! | `target` | Entity | the nearest prey in sight; walls do not count while a behaviour asks for that |
//! | `player_pos`, `target_pos` | Vec2 | where these two are, or were when last seen |
//!
//! and it sends the event `noise`, with the place, to those who hear it; `alarm`,
//! if it is a blow, a scream or a bell (see [`Sound`]). Actors of one kind that
//! walk one route are a squad: their agents are in one group, and call each other by
//! `Emit(event: "alarm", payload: "player_pos", to: Group)`.
//!
//! A day of [`DAY`] seconds and a night of [`NIGHT`] seconds follow each other; the world begins at
//! dawn. At night agents see 60 % as far. At dawn and at dusk the game fills the slot `patrol` of
//! all agents with `patrol_by_day` or `patrol_by_night`, if their tree has that. The leaves:
//!
//! | leaf | |
//! |---|---|
//! | `MoveTo(target, speed, within: 0)` | goes to a place; fails when walls do not let it |
//! | `Flee(speed, within: 0)` | goes home |
//! | `Approach(target, speed, within)` | goes to an actor |
//! | `Pursuit(target, speed, within)` | the same, and sees through walls |
//! | `Patrol(speed, pause: 0, within: 0, mode: Loop)` | walks its route; also `None`, `Once`, `RoundTrip` |
//! | `Attack(target, range: 2.5, damage: 10, interval: 1.2, ignore_walls: false)` | waits, hits once; fails out of range |
//! | `EatCarrot(carrot, speed)` | goes there and eats it |
//! | `Dead`, `Play(animation)` | lies there; shows an animation |
//! | `FoundTarget(target)`, `LostTarget(target)` | whether a key names an actor, or none |
//! | `SeesPlayer`, `SeesCarrot(range: 2, into)`, `Death` | evaluated in every tick, as the world is no key |
//!
//! | `Circle(target, distance, speed)` | goes round an actor at a distance |
//! | `FleeFrom(place, distance, speed)` | runs away from a place |
//! | `NextSpot(around, within, into)` | finds the nearest place that no guard has searched lately |
//! | `LookAround(seconds)` | turns around in place |
//! | `Shout(sound, carries)` | makes a noise |
//!
//! `target`, `carrot` and `into` are names of keys; a `speed` is a number or an
//! expression.
//!
//! An [`Estate`] is a world with a goal: the user is a thief who takes the treasure out of a vault
//! ([`World::thief_goes`], [`World::thief_acts`], [`World::throw_coin`], [`World::thief_strikes`]),
//! and [`Heist`] holds its state. There, and only there, walkers find doors and bodies keep apart.
//!
//! What is deliberately absent: a clock, threads, path-finding outside of an estate (a mover slides
//! around one wall at a time), projectiles.
//!
//! ```
//! use pleach_arena::{ActorSpec, Map, Sight, World};
//!
//! let mut map = Map::open([40.0, 40.0])?;
//! map.add_wall([18.0, 10.0], [20.0, 30.0])?;
//! let mut world = World::new(map, 7);
//! let guard = world.spawn(&ActorSpec::guard([10.0, 20.0]))?;
//! let player = world.spawn(&ActorSpec::player([25.0, 20.0]))?;
//! world.face(guard, [25.0, 20.0])?;
//! assert!(!world.can_see(guard, player, &Sight::GUARD), "there is a wall between them");
//! world.place(player, [15.0, 20.0])?;
//! assert!(world.can_see(guard, player, &Sight::GUARD));
//! world.move_towards(guard, [15.0, 20.0], 2.0, 4.0, 0.1)?;
//! world.step(0.1)?;
//! assert_eq!(world.position(guard), Some([10.4, 20.0]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod digest;
mod error;
mod game;
mod geometry;
mod grid;
mod host;
mod id;
mod leaves;
mod limits;
mod map;
mod sensors;
mod trees;
mod world;

pub use error::{
    ActorError, ActorSpawnError, BadNumber, CarrotError, EatError, MapError, Miss, NoiseError, PlaceError,
};
pub use game::{FrameError, FrameReport, Game, GameError};
pub use geometry::Point;
pub use host::{Animation, Arena, ArenaCx, Cast, Entry, Journal, Said, Share, ToEntity};
pub use id::{ActorId, CarrotId, NoiseId, RouteId};
pub use leaves::registry;
pub use limits::{MAX_ACTORS, MAX_CARROTS, MAX_NOISES, MAX_ROUTES, MAX_SIDE, MAX_WALLS, MAX_WAYPOINTS};
pub use map::{Map, Wall};
pub use trees::TREES;
pub use world::{
    ActorSpec, Blow, CAMP_SIDE, Cursor, DAY, Daytime, Demo, Estate, Gait, Heist, Hit, Kind, Kinds, Look, Loot, NIGHT,
    Noise, Offer, PatrolMode, Plan, Progress, Score, Sight, Skill, SkillSlot, Sound, Stage, Team, World,
};
