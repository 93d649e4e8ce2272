//! What actors perceive: what they see, and which actors are near. Nothing here allocates or
//! changes the world, and every answer is exact at any moment. With a stale id, a range that is
//! negative or NaN, or a point that is not finite, nothing is perceived. An infinite range is the
//! whole map. Dead actors neither see nor are seen.

use super::World;
use super::actor::Actor;
use super::kind::{Kinds, Team};
use crate::geometry::{Point, distance2, dot, is_finite, sub};
use crate::grid::Layers;
use crate::id::ActorId;

/// How an actor sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// How far, in metres.
    pub range: f32,
    /// The cosine of half the angle of view: 1 is straight ahead only, 0 half a circle, -1 all
    /// around.
    pub half_angle_cos: f32,
    /// Whether it sees through walls.
    pub ignore_walls: bool,
}

impl Sight {
    /// 15 m and 90 degrees, with line of sight.
    pub const GUARD: Sight =
        Sight { range: 15.0, half_angle_cos: std::f32::consts::FRAC_1_SQRT_2, ignore_walls: false };

    /// 9 m and 90 degrees: the guards of an estate.
    pub const SENTINEL: Sight = Sight { range: 9.0, ..Sight::GUARD };

    /// The same sight through walls. A fighter has it while the running behaviour asks for it.
    #[must_use]
    pub fn through_walls(self) -> Sight {
        Sight { ignore_walls: true, ..self }
    }
}

/// The distance at which an actor in a hiding place is seen, in metres.
const HIDDEN: f32 = 1.5;

impl World {
    /// Whether one actor sees another: it is within range and within the angle of view, no wall is
    /// between them, and it is not hidden. An actor at the same place is seen.
    #[must_use]
    pub fn can_see(&self, viewer: ActorId, target: ActorId, sight: &Sight) -> bool {
        let (Some(viewer), Some(target)) = (self.living(viewer), self.living(target)) else {
            return false;
        };
        self.sees(viewer, target, sight)
    }

    /// Whether an actor would see a point.
    #[must_use]
    pub fn can_see_point(&self, viewer: ActorId, at: Point, sight: &Sight) -> bool {
        self.living(viewer).is_some_and(|viewer| is_finite(at) && self.in_view(viewer, at, sight))
    }

    fn living(&self, id: ActorId) -> Option<&Actor> {
        self.actors.get(id).filter(|actor| actor.alive)
    }

    fn sees(&self, viewer: &Actor, other: &Actor, sight: &Sight) -> bool {
        let found = !other.hidden || distance2(viewer.position, other.position) <= HIDDEN * HIDDEN;
        found && self.in_view(viewer, other.position, sight)
    }

    fn in_view(&self, viewer: &Actor, at: Point, sight: &Sight) -> bool {
        let eye = viewer.position;
        let d = sub(at, eye);
        let far2 = dot(d, d);
        // With a NaN on either side these comparisons are false.
        let near = sight.range >= 0.0 && far2 <= sight.range * sight.range;
        near && dot(d, viewer.facing()) >= sight.half_angle_cos * far2.sqrt()
            && (sight.ignore_walls || self.map.line_of_sight(eye, at))
    }

    /// The nearest living enemy within range, seen or not. Of two equally near ones it is the one
    /// with the lower id.
    #[must_use]
    pub fn nearest_enemy(&self, id: ActorId, range: f32) -> Option<ActorId> {
        self.nearest(self.actors.get(id)?, range, |_| true)
    }

    /// The nearest enemy of those kinds that an actor sees. Of two equally near ones it is the one
    /// with the lower id.
    #[must_use]
    pub fn nearest_visible(&self, viewer: ActorId, sight: &Sight, kinds: Kinds) -> Option<ActorId> {
        let me = self.living(viewer)?;
        self.nearest(me, sight.range, |other| kinds.contains(other.kind.into()) && self.sees(me, other, sight))
    }

    fn nearest(&self, me: &Actor, range: f32, wanted: impl Fn(&Actor) -> bool) -> Option<ActorId> {
        let enemies = self.grid.inhabited(me.team.enemy_layers(), me.cell, range);
        // Most looks of a crowd end here.
        if enemies == Layers::NONE {
            return None;
        }
        let mut best: Option<(f32, ActorId)> = None;
        self.each_within(enemies, me.position, range, |id, actor, far2| {
            // `wanted` costs most, so it is asked last.
            if best.is_none_or(|best| (far2, id) < best) && wanted(actor) {
                best = Some((far2, id));
            }
        });
        best.map(|(_, id)| id)
    }

    /// Calls `f` for every living actor within a radius of a point. The order is arbitrary, but the
    /// same in every run with the same calls.
    pub fn neighbours(&self, at: Point, radius: f32, mut f: impl FnMut(ActorId)) {
        self.each_within(Layers::ALL, at, radius, |id, _, _| f(id));
    }

    /// Calls `f` for every actor within a radius of a point, dead or alive, to draw them. The order
    /// is arbitrary, as in [`World::neighbours`].
    pub fn bodies(&self, at: Point, radius: f32, mut f: impl FnMut(ActorId)) {
        if !is_finite(at) || radius.is_nan() || radius < 0.0 {
            return;
        }
        self.grid.visit(Layers::ALL, at, radius, |id| {
            if distance2(at, self.actors[id].position) <= radius * radius {
                f(id);
            }
        });
    }

    /// Calls `f` for every other living member of an actor's team within a radius of it. Neutral
    /// actors have no allies. The order is arbitrary, as in [`World::neighbours`].
    pub fn allies(&self, id: ActorId, radius: f32, mut f: impl FnMut(ActorId)) {
        let Some(me) = self.actors.get(id).filter(|actor| actor.team != Team::Neutral) else {
            return;
        };
        self.each_within(Layers::of(me.team.layer()), me.position, radius, |other, _, _| {
            if other != id {
                f(other);
            }
        });
    }

    /// Calls `f` for every living actor in the chosen layers within range, with its squared
    /// distance.
    pub(super) fn each_within(&self, layers: Layers, at: Point, range: f32, mut f: impl FnMut(ActorId, &Actor, f32)) {
        if !is_finite(at) || range.is_nan() || range < 0.0 {
            return;
        }
        let range2 = range * range;
        self.grid.visit(layers, at, range, |id| {
            let actor = &self.actors[id];
            let far2 = distance2(at, actor.position);
            if far2 <= range2 && actor.alive {
                f(id, actor, far2);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ActorSpec, Demo, Kind};
    use super::*;
    use crate::digest::Dice;
    use crate::map::Map;

    /// A viewer at the middle of a walled map that looks right, and a player.
    fn pair(at: Point) -> (World, ActorId, ActorId) {
        let mut map = Map::open([60.0, 60.0]).unwrap();
        map.add_wall([35.0, 30.5], [36.0, 40.0]).unwrap();
        let mut world = World::new(map, 1);
        let guard = world.spawn(&ActorSpec::guard([30.0, 30.0])).unwrap();
        let player = world.spawn(&ActorSpec::player(at)).unwrap();
        (world, guard, player)
    }

    #[test]
    fn sight_has_a_range_and_an_angle() {
        let (mut world, guard, player) = pair([44.9, 30.0]);
        let mut sees = |at| {
            world.place(player, at).unwrap();
            world.can_see(guard, player, &Sight::GUARD)
        };
        assert!(sees([44.9, 30.0]) && sees([45.0, 30.0]) && !sees([45.1, 30.0]));
        assert!(sees([34.0, 26.1]) && !sees([34.0, 25.9]), "45 degrees to either side");
        assert!(sees([34.0, 33.9]) && !sees([34.0, 34.1]));
        assert!(!sees([25.0, 30.0]), "behind");
        assert!(sees([30.0, 30.0]), "on top");
    }

    #[test]
    fn a_wall_hides_unless_it_is_ignored() {
        let (mut world, guard, player) = pair([40.0, 33.0]);
        assert!(!world.can_see(guard, player, &Sight::GUARD));
        assert!(world.can_see(guard, player, &Sight::GUARD.through_walls()));
        assert_eq!(world.nearest_visible(guard, &Sight::GUARD, Kinds::all()), None);
        assert_eq!(world.nearest_visible(guard, &Sight::GUARD.through_walls(), Kinds::PLAYER), Some(player));
        assert_eq!(world.nearest_visible(guard, &Sight::GUARD.through_walls(), Kinds::DUMMY), None);
        assert_eq!(world.nearest_enemy(guard, 15.0), Some(player));
        assert!(world.can_see_point(guard, [40.0, 30.0], &Sight::GUARD));
        assert!(!world.can_see_point(guard, [40.0, 33.0], &Sight::GUARD));
        world.place(player, [40.0, 30.0]).unwrap();
        assert!(world.can_see(guard, player, &Sight::GUARD));
    }

    #[test]
    fn the_dead_the_stale_and_the_absurd_perceive_nothing() {
        let (mut world, guard, player) = pair([33.0, 30.0]);
        for bad in [f32::NAN, -1.0] {
            assert!(!world.can_see(guard, player, &Sight { range: bad, ..Sight::GUARD }));
            assert_eq!(world.nearest_enemy(guard, bad), None);
            world.neighbours([30.0, 30.0], bad, |id| panic!("{id}"));
        }
        assert!(!world.can_see(guard, player, &Sight { half_angle_cos: f32::NAN, ..Sight::GUARD }));
        assert!(!world.can_see_point(guard, [f32::NAN, 1.0], &Sight::GUARD));
        world.neighbours([f32::NAN, 30.0], 5.0, |id| panic!("{id}"));
        assert_eq!(world.nearest_enemy(guard, f32::INFINITY), Some(player));
        world.set_hp(player, 0.0).unwrap();
        assert!(!world.can_see(guard, player, &Sight::GUARD), "dead");
        assert_eq!(world.nearest_enemy(guard, 9.0), None);
        world.set_hp(player, 1.0).unwrap();
        world.set_hp(guard, 0.0).unwrap();
        assert!(!world.can_see(guard, player, &Sight::GUARD), "the viewer is");
        assert_eq!(world.nearest_visible(guard, &Sight::GUARD, Kinds::all()), None);
        world.despawn(player).unwrap();
        assert!(!world.can_see(guard, player, &Sight::GUARD));
        assert_eq!(world.nearest_enemy(player, 9.0), None);
    }

    #[test]
    fn allies_are_the_others_of_the_team() {
        let (mut world, guard, _) = pair([31.0, 30.0]);
        let friend = world.spawn(&ActorSpec::guard([32.0, 30.0])).unwrap();
        let fighter = world.spawn(&ActorSpec::fighter([33.0, 30.0])).unwrap();
        let dead = world.spawn(&ActorSpec::guard([33.0, 31.0])).unwrap();
        let far = world.spawn(&ActorSpec::guard([39.0, 30.0])).unwrap();
        let rabbit = world.spawn(&ActorSpec::rabbit([30.0, 31.0])).unwrap();
        world.spawn(&ActorSpec::rabbit([30.0, 32.0])).unwrap();
        world.set_hp(dead, 0.0).unwrap();
        let mut called = Vec::new();
        world.allies(guard, 8.0, |id| called.push(id));
        called.sort_unstable();
        assert_eq!(called, [friend, fighter]);
        world.allies(rabbit, 8.0, |id| panic!("{id}"));
        world.despawn(far).unwrap();
        world.allies(far, 8.0, |id| panic!("{id}"));
    }

    #[test]
    fn questions_equal_brute_force() {
        let mut world = World::demo(&Demo { guards: 150, fighters: 60, rabbits: 60, ..Demo::new(9) }).unwrap();
        let ids: Vec<ActorId> = world.actors().collect();
        let (mut sightings, mut meetings) = (0, 0);
        for round in 0..40_u16 {
            // Actors move, die, leave and come, so that the lists of the grid change.
            for (i, id) in ids.iter().enumerate() {
                let home = world.home(*id);
                if (i + usize::from(round)) % 17 == 0 {
                    let _ = world.set_hp(*id, f32::from(round % 2) * 5.0);
                } else if i % 50 == 7 && round == 20 {
                    world.despawn(*id).unwrap();
                } else if let Some(home) = home {
                    let target = [home[1], home[0]];
                    let _ = world.move_towards(*id, target, 0.0, 5.0, f32::from(round % 4) * 2.0);
                }
            }
            world.step(0.5).unwrap();
            for &id in ids.iter().step_by(3) {
                let Some(at) = world.position(id) else {
                    assert_eq!(world.nearest_enemy(id, 9.0), None);
                    continue;
                };
                let range = 1.0 + f32::from(round);
                let sight = Sight { range: range * 2.0, half_angle_cos: 0.3, ignore_walls: round % 2 == 0 };
                let kinds = if round % 3 == 0 { Kinds::all() } else { Kinds::PLAYER };
                let far2 = |other: &ActorId| distance2(at, world.position(*other).unwrap());
                let living = || world.actors().filter(|other| world.is_alive(*other));
                let enemies =
                    || living().filter(|other| world.team(id).unwrap().is_enemy_of(world.team(*other).unwrap()));
                let nearest = |all: &mut dyn Iterator<Item = ActorId>| {
                    all.min_by(|a, b| far2(a).total_cmp(&far2(b)).then(a.cmp(b)))
                };

                let expected = nearest(&mut enemies().filter(|other| far2(other) <= range * range));
                assert_eq!(world.nearest_enemy(id, range), expected);
                meetings += u32::from(expected.is_some());

                let kind = |other: &ActorId| kinds.contains(world.kind(*other).unwrap().into());
                let expected = nearest(&mut enemies().filter(|o| kind(o) && world.can_see(id, *o, &sight)));
                assert_eq!(world.nearest_visible(id, &sight, kinds), expected);
                sightings += u32::from(expected.is_some());

                let mut near = Vec::new();
                world.neighbours(at, range, |other| near.push(other));
                near.sort_unstable();
                assert_eq!(near, living().filter(|other| far2(other) <= range * range).collect::<Vec<_>>());
            }
        }
        assert!(world.actors_of(Kinds::PLAYER).all(|p| world.kind(p) == Some(Kind::Player)));
        assert!(sightings > 100 && meetings > 100, "{sightings} {meetings}");
    }

    /// A small world of up to three walls and forty actors of all teams and kinds. Some stand on
    /// the edges of cells, some on one another, some are dead.
    fn random_world(dice: &mut Dice) -> World {
        let side = [dice.between(2.0, 110.0), dice.between(2.0, 110.0)];
        let mut map = Map::open(side).unwrap();
        for _ in 0..dice.below(4) {
            let low = [dice.between(0.0, side[0] - 1.0), dice.between(0.0, side[1] - 1.0)];
            let high = [dice.between(low[0] + 0.5, side[0]), dice.between(low[1] + 0.5, side[1])];
            map.add_wall(low, [high[0].min(low[0] + 8.0), high[1].min(low[1] + 8.0)]).unwrap();
        }
        let mut world = World::new(map, 1);
        for _ in 0..=dice.below(40) {
            let (kinds, teams) = ([Kind::Guard, Kind::Fighter, Kind::Rabbit, Kind::Player, Kind::Dummy], Team::ALL);
            let facing = dice.around([0.0; 2], 1.0);
            let spec = ActorSpec {
                kind: kinds[dice.below(5) as usize],
                team: teams[dice.below(4) as usize],
                radius: 0.0,
                facing: if facing == [0.0; 2] { [1.0, 0.0] } else { facing },
                ..ActorSpec::guard(random_place(&world, dice))
            };
            // A place in a wall is refused. There are others.
            if let Ok(id) = world.spawn(&spec)
                && dice.below(8) == 0
            {
                world.set_hp(id, 0.0).unwrap();
            }
        }
        world
    }

    fn random_place(world: &World, dice: &mut Dice) -> Point {
        let side = world.map().side();
        let place = [dice.between(0.0, side[0]), dice.between(0.0, side[1])];
        match dice.below(4) {
            0 => place.map(|v| (v / 16.0).floor() * 16.0),
            1 => place.map(f32::floor),
            _ => place,
        }
    }

    /// The specification of [`World::nearest_visible`], in the plainest way: a look at every actor.
    fn brute_force(world: &World, viewer: ActorId, sight: &Sight, kinds: Kinds) -> Option<ActorId> {
        let (eye, facing) = (world.position(viewer)?, world.facing(viewer)?);
        let mut best: Option<(f32, ActorId)> = None;
        for other in world.actors().filter(|_| world.is_alive(viewer)) {
            let at = world.position(other)?;
            let (dx, dy) = (at[0] - eye[0], at[1] - eye[1]);
            let far2 = dx * dx + dy * dy;
            let seen = world.is_alive(other)
                && world.team(viewer)?.is_enemy_of(world.team(other)?)
                && kinds.contains(world.kind(other)?.into())
                && far2 <= sight.range * sight.range
                && dx * facing[0] + dy * facing[1] >= sight.half_angle_cos * far2.sqrt()
                && (sight.ignore_walls || world.line_of_sight(eye, at));
            if seen && best.is_none_or(|best| (far2, other) < best) {
                best = Some((far2, other));
            }
        }
        best.map(|(_, other)| other)
    }

    #[test]
    fn in_random_worlds_the_nearest_in_sight_equals_brute_force() {
        let mut dice = Dice::new(11);
        let (mut seen, mut unseen) = (0, 0);
        for _ in 0..400 {
            let mut world = random_world(&mut dice);
            for _ in 0..4 {
                let ids: Vec<ActorId> = world.actors().collect();
                for &id in &ids {
                    // About as far as the width of a cell, less, more, and everywhere.
                    let range = match dice.below(6) {
                        0 => 16.0,
                        1 => f32::INFINITY,
                        2 => dice.between(0.0, 120.0),
                        _ => dice.between(0.0, 20.0),
                    };
                    let half_angle_cos = dice.between(-1.0, 0.9);
                    let sight = Sight { range, half_angle_cos, ignore_walls: dice.below(2) == 0 };
                    let kinds = if dice.below(2) == 0 { Kinds::all() } else { Kinds::PLAYER };
                    let expected = brute_force(&world, id, &sight, kinds);
                    assert_eq!(world.nearest_visible(id, &sight, kinds), expected, "{id} {sight:?} {world:?}");
                    *if expected.is_some() { &mut seen } else { &mut unseen } += 1;
                }
                for id in ids {
                    let at = random_place(&world, &mut dice);
                    // Some walk, turn, jump, die or leave. Whether they can does not matter.
                    let _ = match dice.below(16) {
                        0 => world.despawn(id),
                        1 => world.set_hp(id, dice.between(-0.5, 1.0).max(0.0)),
                        2..6 => world.place(id, at),
                        6..8 => world.face(id, at),
                        _ => world.move_towards(id, at, 0.0, 10.0, 1.0).map(|_| ()),
                    };
                }
            }
        }
        assert!(seen > 1_000 && unseen > 1_000, "{seen} {unseen}");
    }
}
