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

/// The squared distance. Ranges are compared squared: that needs no root, and rounds once less.
pub(crate) fn distance2(a: Point, b: Point) -> f32 {
    let d = sub(a, b);
    dot(d, d)
}

/// The unit vector from `a` to `b`. `None` if they are one point, or so near or so far that their
/// squared distance is 0 or infinite.
pub(crate) fn direction(a: Point, b: Point) -> Option<Point> {
    let d = sub(b, a);
    let len = length(d);
    (len > 1e-15 && len.is_finite()).then(|| [d[0] / len, d[1] / len])
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
