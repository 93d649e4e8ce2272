//! Plane vectors as arrays, and the operations on them.

/// A point or a direction in the plane: `[x, y]`, in metres. The same shape as a blackboard's
/// `Vec2`.
pub type Point = [f32; 2];

pub(crate) fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

pub(crate) fn dot(a: Point, b: Point) -> f32 {
    a[0] * b[0] + a[1] * b[1]
}

pub(crate) fn length(a: Point) -> f32 {
    dot(a, a).sqrt()
}

pub(crate) fn distance(a: Point, b: Point) -> f32 {
    length(sub(a, b))
}

/// The squared distance. Ranges are compared squared: that needs no root, and saves a rounding.
pub(crate) fn distance2(a: Point, b: Point) -> f32 {
    let d = sub(a, b);
    dot(d, d)
}

/// Whether a vector is long enough, and short enough, to have a [`direction`].
pub(crate) fn has_direction(d: Point) -> bool {
    let square = dot(d, d);
    square > 1e-30 && square.is_finite()
}

/// The unit vector that points the same way. `None` if the vector is 0, or so short or so long that
/// its square is 0 or infinite.
pub(crate) fn direction(d: Point) -> Option<Point> {
    let len = length(d);
    has_direction(d).then(|| [d[0] / len, d[1] / len])
}

/// `from` moved towards `to` by at most `by`; exactly `to` when that is enough.
pub(crate) fn toward(from: f32, to: f32, by: f32) -> f32 {
    if (to - from).abs() <= by {
        to
    } else if to > from {
        from + by
    } else {
        from - by
    }
}

pub(crate) fn is_finite(a: Point) -> bool {
    a[0].is_finite() && a[1].is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_is_as_long_as_one() {
        for d in [[3.0, 4.0], [-1e-14, 0.0], [1e18, 1e18], [0.0, -0.5]] {
            let unit = direction(d).unwrap();
            assert!((length(unit) - 1.0).abs() < 1e-6 && dot(unit, d) > 0.0, "{d:?}");
        }
        for d in [[0.0; 2], [1e-16, 0.0], [1e20, 0.0], [f32::NAN, 1.0], [f32::INFINITY, 0.0]] {
            assert_eq!(direction(d), None, "{d:?}");
        }
    }
}
