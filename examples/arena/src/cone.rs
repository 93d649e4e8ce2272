//! The outline of what an actor sees: a sector that walls cut.

use pleach_arena::{Point, Sight, Wall};

/// How many rays make an outline.
pub const RAYS: usize = 25;

/// How far a ray goes before it meets a wall, at most `range`. Costs a look at each wall.
fn reach(eye: Point, ray: Point, range: f32, walls: &[Wall]) -> f32 {
    let mut reach = range;
    for wall in walls {
        let (mut enter, mut leave) = (0.0_f32, reach);
        for axis in 0..2 {
            if ray[axis].abs() < 1e-6 {
                if eye[axis] <= wall.min[axis] || eye[axis] >= wall.max[axis] {
                    leave = -1.0;
                }
            } else {
                let (t, u) = ((wall.min[axis] - eye[axis]) / ray[axis], (wall.max[axis] - eye[axis]) / ray[axis]);
                enter = enter.max(t.min(u));
                leave = leave.min(t.max(u));
            }
        }
        if enter < leave {
            reach = enter;
        }
    }
    reach
}

/// The ends of the rays of an actor at `eye` that looks along `facing`, from one side to the other.
/// `walls` are those that may be in the way.
#[must_use]
pub fn outline(eye: Point, facing: Point, sight: &Sight, walls: &[Wall]) -> [Point; RAYS] {
    let half = sight.half_angle_cos.clamp(-1.0, 1.0).acos();
    let walls = if sight.ignore_walls { &[] } else { walls };
    let mut ends = [eye; RAYS];
    for (at, end) in ends.iter_mut().enumerate() {
        let angle = half * (2.0 * at as f32 / (RAYS - 1) as f32 - 1.0);
        let (sin, cos) = angle.sin_cos();
        let ray = [facing[0] * cos - facing[1] * sin, facing[0] * sin + facing[1] * cos];
        let far = reach(eye, ray, sight.range, walls);
        *end = [eye[0] + ray[0] * far, eye[1] + ray[1] * far];
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_cuts_the_rays_that_meet_it() {
        let wall = Wall { min: [5.0, -1.0], max: [6.0, 1.0] };
        let ends = outline([0.0, 0.0], [1.0, 0.0], &Sight::GUARD, &[wall]);
        let middle = ends[RAYS / 2];
        assert!((middle[0] - 5.0).abs() < 1e-3 && middle[1].abs() < 1e-3, "{middle:?}");
        for side in [ends[0], ends[RAYS - 1]] {
            assert!((side[0].hypot(side[1]) - 15.0).abs() < 1e-3, "{side:?}");
        }
        let through = outline([0.0, 0.0], [1.0, 0.0], &Sight::GUARD.through_walls(), &[wall]);
        assert!((through[RAYS / 2][0] - 15.0).abs() < 1e-3);
    }

    #[test]
    fn what_is_drawn_is_what_is_seen() {
        let wall = Wall { min: [4.0, 2.0], max: [9.0, 3.0] };
        let mut map = pleach_arena::Map::open([40.0, 40.0]).unwrap();
        map.add_wall(wall.min, wall.max).unwrap();
        let eye = [6.0, 6.0];
        for end in outline(eye, [0.0, -1.0], &Sight { range: 5.9, ..Sight::GUARD }, &[wall]) {
            let before = [eye[0] + (end[0] - eye[0]) * 0.98, eye[1] + (end[1] - eye[1]) * 0.98];
            assert!(map.line_of_sight(eye, before), "{before:?}");
        }
    }
}
