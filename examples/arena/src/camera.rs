//! The camera: which part of the world is on the screen, and how large.

use pleach_arena::Point;

/// The fewest and the most pixels per metre.
const SCALES: (f32, f32) = (0.12, 64.0);

/// A part of the plane, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// The corner with the smaller coordinates.
    pub min: Point,
    /// The other one.
    pub max: Point,
}

impl Area {
    /// Whether a box has something in it.
    #[must_use]
    pub fn touches(&self, min: Point, max: Point) -> bool {
        (0..2).all(|axis| max[axis] >= self.min[axis] && min[axis] <= self.max[axis])
    }

    /// Whether a point is in it, or within `near` of it.
    #[must_use]
    pub fn holds(&self, at: Point, near: f32) -> bool {
        (0..2).all(|axis| at[axis] >= self.min[axis] - near && at[axis] <= self.max[axis] + near)
    }

    /// The middle, and how far the corners are from it.
    #[must_use]
    pub fn circle(&self) -> (Point, f32) {
        let half = [(self.max[0] - self.min[0]) / 2.0, (self.max[1] - self.min[1]) / 2.0];
        ([self.min[0] + half[0], self.min[1] + half[1]], half[0].hypot(half[1]))
    }
}

/// Looks down upon a point of the world. `x` goes right and `y` down, on the screen as in the
/// world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// What is in the middle of the screen.
    pub centre: Point,
    /// How many pixels a metre has.
    pub scale: f32,
    /// The size of the screen, in pixels.
    pub screen: [f32; 2],
}

impl Camera {
    /// A camera over a point.
    #[must_use]
    pub fn over(centre: Point, scale: f32) -> Self {
        Camera { centre, scale, screen: [1.0, 1.0] }
    }

    /// Where a point of the world is on the screen.
    #[must_use]
    pub fn to_screen(&self, at: Point) -> Point {
        let on = |axis: usize| (at[axis] - self.centre[axis]) * self.scale + self.screen[axis] / 2.0;
        [on(0), on(1)]
    }

    /// Which point of the world is at a place of the screen.
    #[must_use]
    pub fn to_world(&self, at: Point) -> Point {
        let on = |axis: usize| (at[axis] - self.screen[axis] / 2.0) / self.scale + self.centre[axis];
        [on(0), on(1)]
    }

    /// What is on the screen.
    #[must_use]
    pub fn area(&self) -> Area {
        Area { min: self.to_world([0.0, 0.0]), max: self.to_world(self.screen) }
    }

    /// Moves the picture by this many pixels.
    pub fn drag(&mut self, by: Point) {
        let [x, y] = &mut self.centre;
        (*x, *y) = (*x - by[0] / self.scale, *y - by[1] / self.scale);
    }

    /// Magnifies, or shrinks with a factor below 1. What is at this place of the screen stays
    /// there.
    pub fn zoom(&mut self, factor: f32, at: Point) {
        if !(factor.is_finite() && factor > 0.0) {
            return;
        }
        let fixed = self.to_world(at);
        self.scale = (self.scale * factor).clamp(SCALES.0, SCALES.1);
        let now = self.to_world(at);
        for axis in 0..2 {
            self.centre[axis] += fixed[axis] - now[axis];
        }
    }

    /// Moves part of the way to a point, so that it follows smoothly; `seconds` have passed.
    pub fn follow(&mut self, at: Point, seconds: f32) {
        let part = 1.0 - (-6.0 * seconds.max(0.0)).exp();
        let [x, y] = &mut self.centre;
        (*x, *y) = (*x + (at[0] - *x) * part, *y + (at[1] - *y) * part);
    }

    /// Keeps the middle of the screen on the map.
    pub fn keep_on(&mut self, side: Point) {
        for (at, side) in self.centre.iter_mut().zip(side) {
            *at = if at.is_finite() { at.clamp(0.0, side) } else { side / 2.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: Point, b: Point) -> bool {
        (a[0] - b[0]).abs() < 1e-2 && (a[1] - b[1]).abs() < 1e-2
    }

    #[test]
    fn there_and_back() {
        let camera = Camera { screen: [1280.0, 720.0], ..Camera::over([48.0, 30.0], 12.0) };
        assert_eq!(camera.to_screen([48.0, 30.0]), [640.0, 360.0]);
        for at in [[0.0, 0.0], [96.0, 3.5]] {
            assert!(near(camera.to_world(camera.to_screen(at)), at));
        }
        let (middle, reach) = camera.area().circle();
        assert!(near(middle, [48.0, 30.0]) && reach > 53.0);
    }

    #[test]
    fn zoom_keeps_the_point_below_the_mouse() {
        let mut camera = Camera { screen: [1280.0, 720.0], ..Camera::over([48.0, 30.0], 12.0) };
        let before = camera.to_world([200.0, 100.0]);
        camera.zoom(1.5, [200.0, 100.0]);
        assert!(near(camera.to_world([200.0, 100.0]), before));
        for factor in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let old = camera;
            camera.zoom(factor, [0.0, 0.0]);
            assert_eq!(camera, old);
        }
        camera.zoom(1e9, [0.0, 0.0]);
        assert_eq!(camera.scale, SCALES.1);
    }

    #[test]
    fn a_tiny_screen_is_no_problem() {
        let mut camera = Camera { screen: [0.0, 1.0], ..Camera::over([48.0, 30.0], 12.0) };
        camera.zoom(2.0, [0.0, 0.0]);
        camera.drag([3.0, 4.0]);
        camera.keep_on([96.0, 96.0]);
        assert!(camera.area().circle().1.is_finite());
        camera.centre = [f32::NAN, 1.0];
        camera.keep_on([96.0, 96.0]);
        assert_eq!(camera.centre, [48.0, 1.0]);
    }
}
