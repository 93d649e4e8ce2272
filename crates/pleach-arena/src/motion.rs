//! Walking, turning and being put somewhere.

use crate::error::{ActorError, BadNumber};
use crate::geometry::{Point, direction, distance};
use crate::{ActorId, World};

/// How near counts as there: a millimetre, which rounding stays well below.
const ARRIVED: f32 = 1e-3;

/// How a walk goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Progress {
    /// It is there.
    Arrived,
    /// It is on its way.
    Moving,
    /// It did not get any further: a pocket of walls, the edge of the map, a target inside a wall,
    /// or it is dead.
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
    /// Walks an actor for `dt` seconds at `speed` towards a target, until it is `within` that
    /// distance of it. It slides along walls and rounds those that stand alone, and looks where it
    /// walks.
    ///
    /// # Errors
    /// A stale id, a target that is not finite, or a `within`, `speed` or `dt` that is negative or
    /// not finite.
    pub fn move_towards(
        &mut self,
        id: ActorId,
        target: Point,
        within: f32,
        speed: f32,
        dt: f32,
    ) -> Result<Progress, ActorError> {
        let slot = self.actors.slot(id).ok_or(ActorError::Stale(id))?;
        BadNumber::check_point("the target", target)?;
        for (what, value) in [("within", within), ("speed", speed), ("dt", dt)] {
            BadNumber::check(what, value)?;
        }
        if !self.actors.alive[slot] {
            return Ok(Progress::Blocked);
        }
        let from = self.actors.position[slot];
        let left = distance(from, target);
        if left <= within + ARRIVED {
            return Ok(Progress::Arrived);
        }
        let step = (speed * dt).min(left - within);
        if step == 0.0 {
            // Nobody asked it to move in this frame, which is not the same as being held.
            return Ok(Progress::Moving);
        }
        let to = if step >= left {
            target
        } else {
            let part = step / left;
            [from[0] + (target[0] - from[0]) * part, from[1] + (target[1] - from[1]) * part]
        };
        let end = self.map.slide(from, to, target, self.actors.radius[slot]);
        let Some(heading) = direction(from, end) else {
            return Ok(Progress::Blocked);
        };
        self.actors.facing[slot] = heading;
        self.actors.position[slot] = end;
        self.grid.relocate(slot, end);
        // A step that is not 0 took some time; one so short that the quotient overflows has no
        // speed to speak of.
        let velocity = [(end[0] - from[0]) / dt, (end[1] - from[1]) / dt];
        self.actors.velocity[slot] =
            if velocity[0].is_finite() && velocity[1].is_finite() { velocity } else { [0.0; 2] };
        self.actors.moved[slot] = true;
        Ok(if distance(end, target) <= within + ARRIVED { Progress::Arrived } else { Progress::Moving })
    }

    /// Turns an actor to look at a point; at its own place it keeps looking where it did.
    ///
    /// # Errors
    /// A stale id or a point that is not finite.
    pub fn face(&mut self, id: ActorId, at: Point) -> Result<(), ActorError> {
        let slot = self.actors.slot(id).ok_or(ActorError::Stale(id))?;
        BadNumber::check_point("the point", at)?;
        if let Some(heading) = direction(self.actors.position[slot], at) {
            self.actors.facing[slot] = heading;
        }
        Ok(())
    }

    /// Puts an actor somewhere without a way there.
    ///
    /// # Errors
    /// A stale id, or a place that is off the map or in a wall.
    pub fn place(&mut self, id: ActorId, at: Point) -> Result<(), ActorError> {
        let slot = self.actors.slot(id).ok_or(ActorError::Stale(id))?;
        self.map.check_place(at, self.actors.radius[slot])?;
        self.actors.position[slot] = at;
        self.grid.relocate(slot, at);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ActorSpec, Map};

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
        // Numbers that are finite but absurd stay on the map.
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
