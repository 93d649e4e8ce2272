//! Walks actors, turns them, and puts them at places.

use super::World;
use crate::error::{ActorError, BadNumber};
use crate::geometry::{Point, distance, has_direction, is_finite, sub};
use crate::id::ActorId;

/// The distance at which an actor has arrived: a millimetre. Rounding errors are much smaller.
const ARRIVED: f32 = 1e-3;

/// The progress of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Progress {
    /// It is there.
    Arrived,
    /// It is on its way.
    Moving,
    /// It cannot get any further. A pocket of walls, the edge of the map or a target inside a wall
    /// holds it, or it is dead.
    Blocked,
}

impl Progress {
    /// Whether it is there.
    #[must_use]
    pub fn has_arrived(self) -> bool {
        self == Progress::Arrived
    }
}

impl World {
    /// Walks an actor for `dt` seconds at `speed` metres per second towards a target, until the
    /// distance is at most `within` metres. It slides along walls, goes round an isolated wall, and
    /// looks where it walks. On the estate of a heist it finds the way through doors.
    ///
    /// # Errors
    /// The id is stale, the target is not finite, or `within`, `speed` or `dt` is negative or not
    /// finite.
    pub fn move_towards(
        &mut self,
        id: ActorId,
        target: Point,
        within: f32,
        speed: f32,
        dt: f32,
    ) -> Result<Progress, ActorError> {
        let actor = self.actors.get_mut(id).ok_or(ActorError::Stale(id))?;
        BadNumber::check_point("the target", target)?;
        for (what, value) in [("within", within), ("speed", speed), ("dt", dt)] {
            BadNumber::check(what, value)?;
        }
        if !actor.alive {
            return Ok(Progress::Blocked);
        }
        let from = actor.position;
        let left = distance(from, target);
        if left <= within + ARRIVED {
            return Ok(Progress::Arrived);
        }
        let step = (speed * dt).min(left - within);
        if step == 0.0 {
            // The speed or `dt` is 0. The actor does not move, but nothing blocks it.
            return Ok(Progress::Moving);
        }
        let aim = match &mut self.heist {
            Some(heist) => heist.paths.aim(&self.map, from, target),
            None => target,
        };
        let left = distance(from, aim);
        let to = if step >= left {
            aim
        } else {
            let part = step / left;
            [from[0] + (aim[0] - from[0]) * part, from[1] + (aim[1] - from[1]) * part]
        };
        let end = self.map.slide(from, to, aim, actor.radius);
        let way = sub(end, from);
        if !has_direction(way) {
            return Ok(Progress::Blocked);
        }
        actor.ahead = way;
        actor.go(id, end, &mut self.grid);
        // `dt` is above 0 here. If it is so small that the quotient overflows, the speed counts as
        // 0.
        let velocity = way.map(|d| d / dt);
        actor.velocity = if is_finite(velocity) { velocity } else { [0.0; 2] };
        actor.moved = true;
        Ok(if distance(end, target) <= within + ARRIVED { Progress::Arrived } else { Progress::Moving })
    }

    /// Turns an actor to look at a point. If it stands at that point, it does not turn.
    ///
    /// # Errors
    /// The id is stale, or the point is not finite.
    pub fn face(&mut self, id: ActorId, at: Point) -> Result<(), ActorError> {
        let actor = self.actors.get_mut(id).ok_or(ActorError::Stale(id))?;
        BadNumber::check_point("the point", at)?;
        let ahead = sub(at, actor.position);
        if has_direction(ahead) {
            actor.ahead = ahead;
        }
        Ok(())
    }

    /// Puts an actor at a place. It does not walk there.
    ///
    /// # Errors
    /// The id is stale, or the place is off the map or in a wall.
    pub fn place(&mut self, id: ActorId, at: Point) -> Result<(), ActorError> {
        let actor = self.actors.get_mut(id).ok_or(ActorError::Stale(id))?;
        self.map.check_place(at, actor.radius)?;
        actor.go(id, at, &mut self.grid);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::ActorSpec;
    use super::*;
    use crate::map::Map;

    fn world() -> (World, ActorId) {
        let mut map = Map::open([40.0, 40.0]).unwrap();
        map.add_wall([18.0, 5.0], [20.0, 35.0]).unwrap();
        let mut world = World::new(map, 1);
        let id = world.spawn(&ActorSpec::guard([10.0, 20.0])).unwrap();
        (world, id)
    }

    #[test]
    fn a_walk_ends_exactly_there() {
        let (mut world, id) = world();
        let mut frames = 0;
        while !world.move_towards(id, [10.0, 23.0], 0.0, 2.0, 0.1).unwrap().has_arrived() {
            frames += 1;
            world.step(0.1).unwrap();
            let v = world.velocity(id).unwrap();
            assert!(v[0] == 0.0 && (v[1] - 2.0).abs() < 1e-4, "{v:?}");
        }
        assert_eq!((world.position(id), world.facing(id)), (Some([10.0, 23.0]), Some([0.0, 1.0])));
        assert!((14..=15).contains(&frames), "{frames}");
        world.step(0.1).unwrap();
        world.step(0.1).unwrap();
        assert_eq!(world.velocity(id), Some([0.0, 0.0]), "standing still");
    }

    #[test]
    fn within_stops_short_and_never_steps_back() {
        let (mut world, id) = world();
        assert_eq!(world.move_towards(id, [10.0, 30.0], 2.5, 100.0, 1.0), Ok(Progress::Arrived));
        let at = world.position(id).unwrap();
        assert!((distance(at, [10.0, 30.0]) - 2.5).abs() < 1e-3, "{at:?}");
        assert_eq!(world.move_towards(id, [10.0, 30.0], 5.0, 100.0, 1.0), Ok(Progress::Arrived));
        assert_eq!(world.position(id), Some(at));
    }

    #[test]
    fn a_wall_in_the_way_is_rounded() {
        let (mut world, id) = world();
        let mut frames = 0;
        while !world.move_towards(id, [30.0, 21.0], 0.0, 5.0, 0.1).unwrap().has_arrived() {
            frames += 1;
            assert!(frames < 200, "{:?}", world.position(id));
        }
        assert_eq!(world.position(id), Some([30.0, 21.0]));
    }

    #[test]
    fn a_target_in_a_wall_or_off_the_map_is_never_reached() {
        let (mut world, id) = world();
        let mut progress = Progress::Moving;
        for _ in 0..100 {
            progress = world.move_towards(id, [-5.0, 20.0], 0.0, 5.0, 0.1).unwrap();
        }
        assert_eq!((progress, world.position(id)), (Progress::Blocked, Some([0.4, 20.0])));
        for _ in 0..500 {
            assert!(!world.move_towards(id, [19.0, 20.0], 0.0, 5.0, 0.1).unwrap().has_arrived());
        }
    }

    #[test]
    fn bad_orders_are_refused_and_move_nobody() {
        let (mut world, id) = world();
        let before = world.digest();
        for bad in [f32::NAN, f32::INFINITY, -1.0] {
            assert!(world.move_towards(id, [1.0, 1.0], bad, 1.0, 0.1).is_err());
            assert!(world.move_towards(id, [1.0, 1.0], 0.0, bad, 0.1).is_err());
            assert!(world.move_towards(id, [1.0, 1.0], 0.0, 1.0, bad).is_err());
            assert!(world.place(id, [bad, 1.0]).is_err());
        }
        assert!(world.move_towards(id, [f32::NAN, 1.0], 0.0, 1.0, 0.1).is_err());
        assert!(world.face(id, [1.0, f32::NAN]).is_err());
        assert!(world.place(id, [19.0, 20.0]).is_err());
        assert_eq!(world.digest(), before);
        // Finite but absurd numbers stay on the map.
        let _ = world.move_towards(id, [f32::MAX, f32::MIN], 0.0, f32::MAX, f32::MAX).unwrap();
        world.face(id, [f32::MAX, f32::MAX]).unwrap();
        let facing = world.facing(id).unwrap();
        assert!(
            world.map().is_free(world.position(id).unwrap(), 0.4) && (distance(facing, [0.0; 2]) - 1.0).abs() < 1e-3
        );
        world.despawn(id).unwrap();
        assert_eq!(world.move_towards(id, [1.0, 1.0], 0.0, 1.0, 0.1), Err(ActorError::Stale(id)));
        assert_eq!(world.face(id, [1.0, 1.0]), Err(ActorError::Stale(id)));
    }

    #[test]
    fn no_time_and_no_life_mean_no_move() {
        let (mut world, id) = world();
        assert_eq!(world.move_towards(id, [1.0, 1.0], 0.0, 5.0, 0.0), Ok(Progress::Moving));
        assert_eq!(world.position(id), Some([10.0, 20.0]));
        world.set_hp(id, 0.0).unwrap();
        assert_eq!(world.move_towards(id, [1.0, 1.0], 0.0, 5.0, 0.1), Ok(Progress::Blocked));
        assert_eq!(world.position(id), Some([10.0, 20.0]));
    }
}
