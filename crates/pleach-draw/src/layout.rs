//! The places of the boxes of a tree: after Reingold and Tilford, "Tidier Drawings of Trees"
//! (1981), for boxes of any size.
//!
//! Subtrees are packed as closely as their outlines allow. Packing from the left puts small
//! subtrees at the left of their gap, packing from the right at the right. The mean of both is as
//! narrow, and centres small subtrees. A frame around a subtree is as wide as its widest level, so
//! that nothing else is inside it. Nothing recurses: in pre-order every child comes after its
//! parent, so one pass backwards makes the outlines and one pass forwards the places. Costs at most
//! the number of nodes times their depth.
//!
//! All indices here are in pre-order.

/// The space between siblings.
const SIBLINGS: f64 = 18.0;
/// The space between boxes of one level that are not siblings.
const COUSINS: f64 = 30.0;

/// The left and right edge of a subtree on each level, as distances from the centre of its root.
/// The deepest level is the first, so that the level of a parent can be pushed.
#[derive(Default)]
struct Outline(Vec<(f64, f64)>);

impl Outline {
    /// The edges of a level. The level of the subtree's root is 0.
    fn level(&mut self, level: usize) -> &mut (f64, f64) {
        let last = self.0.len() - 1;
        &mut self.0[last - level]
    }

    /// The least distance of the root of `right` from the root of this outline.
    fn distance(&self, right: &Outline) -> f64 {
        let levels = self.0.iter().rev().zip(right.0.iter().rev());
        let apart = levels
            .enumerate()
            .map(|(level, (left, right))| left.1 - right.0 + if level == 0 { SIBLINGS } else { COUSINS });
        apart.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Adds another subtree, whose root is at `at`.
    fn join(&mut self, other: &Outline, at: f64, side: impl Fn(&mut (f64, f64), (f64, f64))) {
        for (level, it) in other.0.iter().rev().enumerate().take(self.0.len()) {
            side(self.level(level), (it.0 + at, it.1 + at));
        }
        if let Some(more @ 1..) = other.0.len().checked_sub(self.0.len()) {
            self.0.splice(0..0, other.0[..more].iter().map(|it| (it.0 + at, it.1 + at)));
        }
    }

    fn moved(&self, by: f64) -> Outline {
        Outline(self.0.iter().map(|it| (it.0 + by, it.1 + by)).collect())
    }
}

/// Frames around subtrees.
pub(crate) struct Frames<'f> {
    /// The root of each, in pre-order, outer ones first.
    pub(crate) roots: &'f [usize],
    /// The extent of a frame from that of its boxes, both measured from the centre of its root.
    pub(crate) around: &'f dyn Fn(usize, (f64, f64)) -> (f64, f64),
}

/// The centre of each box along the axis of siblings, and the extent of each frame. The leftmost
/// begins at 0. `breadths` are the sizes of the boxes on that axis, and `parents` is the parent of
/// each box; both are in pre-order.
pub(crate) fn centres(parents: &[Option<usize>], breadths: &[f64], frames: &Frames<'_>) -> (Vec<f64>, Vec<(f64, f64)>) {
    let children = children(parents);
    let mut outlines: Vec<Outline> = Vec::new();
    outlines.resize_with(parents.len(), Outline::default);
    // First relative to the parent, then absolute.
    let mut centres = vec![0.0; parents.len()];
    let mut edges = vec![(0.0, 0.0); frames.roots.len()];
    let mut next = frames.roots.len();
    for node in (0..parents.len()).rev() {
        let own = (-breadths[node] / 2.0, breadths[node] / 2.0);
        let kids: Vec<Outline> = children.of(node).iter().map(|&it| std::mem::take(&mut outlines[it])).collect();
        let mut outline = Outline::default();
        if !kids.is_empty() {
            let places = pack(&kids);
            for ((&kid, place), shape) in children.of(node).iter().zip(&places).zip(&kids) {
                centres[kid] = *place;
                if outline.0.is_empty() {
                    outline = shape.moved(*place);
                } else {
                    outline.join(shape, *place, |mine, it| mine.1 = it.1);
                }
            }
        }
        outline.0.push(own);
        // Inner ones first.
        while let Some(frame) = next.checked_sub(1).filter(|it| frames.roots[*it] == node) {
            let whole = outline.0.iter().fold(own, |all, it| (all.0.min(it.0), all.1.max(it.1)));
            edges[frame] = (frames.around)(frame, whole);
            outline.0.fill(edges[frame]);
            next = frame;
        }
        outlines[node] = outline;
    }
    for node in 1..parents.len() {
        centres[node] += parents[node].map_or(0.0, |it| centres[it]);
    }
    for (edge, root) in edges.iter_mut().zip(frames.roots) {
        *edge = (edge.0 + centres[*root], edge.1 + centres[*root]);
    }
    let boxes = centres.iter().zip(breadths).map(|(at, breadth)| at - breadth / 2.0);
    let left = boxes.chain(edges.iter().map(|it| it.0)).fold(f64::INFINITY, f64::min);
    centres.iter_mut().for_each(|it| *it -= left);
    edges.iter_mut().for_each(|it| *it = (it.0 - left, it.1 - left));
    (centres, edges)
}

/// The places of siblings around the middle between the first and the last.
fn pack(kids: &[Outline]) -> Vec<f64> {
    let mut from_left = vec![0.0; kids.len()];
    let mut done = kids[0].moved(0.0);
    for (at, kid) in kids.iter().enumerate().skip(1) {
        from_left[at] = done.distance(kid);
        done.join(kid, from_left[at], |mine, it| mine.1 = it.1);
    }
    let last = kids.len() - 1;
    let mut from_right = vec![0.0; kids.len()];
    let mut done = kids[last].moved(0.0);
    for (at, kid) in kids.iter().enumerate().rev().skip(1) {
        from_right[at] = -kid.distance(&done);
        done.join(kid, from_right[at], |mine, it| mine.0 = it.0);
    }
    // Both packings have the same width: that of the longest chain of boxes between the first and
    // the last. So the mean is centred at 0.
    from_left.iter().zip(&from_right).map(|(left, right)| (left + right) / 2.0).collect()
}

/// All lists of children, one after the other.
struct Children {
    all: Vec<usize>,
    from: Vec<usize>,
}

impl Children {
    fn of(&self, node: usize) -> &[usize] {
        &self.all[self.from[node]..self.from[node + 1]]
    }
}

fn children(parents: &[Option<usize>]) -> Children {
    let mut from = vec![0; parents.len() + 1];
    parents.iter().flatten().for_each(|&it| from[it + 1] += 1);
    for at in 1..from.len() {
        from[at] += from[at - 1];
    }
    let mut all = vec![0; parents.iter().flatten().count()];
    let mut next = from.clone();
    for (node, parent) in parents.iter().enumerate() {
        if let Some(parent) = *parent {
            all[next[parent]] = node;
            next[parent] += 1;
        }
    }
    Children { all, from }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_FRAMES: Frames<'_> = Frames { roots: &[], around: &|_, it| it };

    fn centres(parents: &[Option<usize>], breadths: &[f64]) -> Vec<f64> {
        super::centres(parents, breadths, &NO_FRAMES).0
    }

    /// No two boxes of a level overlap, and siblings keep their order.
    fn assert_tidy(parents: &[Option<usize>], breadths: &[f64]) {
        let centres = centres(parents, breadths);
        let mut depth = vec![0; parents.len()];
        let mut edges: Vec<f64> = Vec::new();
        for node in 0..parents.len() {
            depth[node] = parents[node].map_or(0, |it| depth[it] + 1);
            if edges.len() == depth[node] {
                edges.push(-SIBLINGS);
            }
            let edge = &mut edges[depth[node]];
            let begins = centres[node] - breadths[node] / 2.0;
            assert!(begins >= *edge + SIBLINGS - 1e-6, "box {node} begins at {begins}, its neighbour ends at {edge}");
            *edge = centres[node] + breadths[node] / 2.0;
        }
    }

    #[test]
    fn a_parent_stands_over_the_middle_of_its_children() {
        let parents = [None, Some(0), Some(0), Some(0)];
        assert_eq!(centres(&parents, &[10.0; 4]), [33.0, 5.0, 33.0, 61.0]);
        assert_eq!(centres(&[None], &[10.0]), [5.0]);
    }

    #[test]
    fn small_subtrees_stand_in_the_middle_of_their_gap() {
        // A wide subtree on each side, a leaf between them.
        let parents = [None, Some(0), Some(1), Some(1), Some(0), Some(0), Some(5), Some(5)];
        let centres = centres(&parents, &[10.0, 10.0, 100.0, 100.0, 10.0, 10.0, 100.0, 100.0]);
        assert_eq!(centres[4], (centres[1] + centres[5]) / 2.0);
        assert_eq!(centres[6] - centres[3], 100.0 + COUSINS);
        assert_tidy(&parents, &[10.0, 10.0, 100.0, 100.0, 10.0, 10.0, 100.0, 100.0]);
    }

    #[test]
    fn random_trees_are_tidy() {
        let mut dice = 7_u64;
        let mut roll = |sides: usize| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(dice >> 33).unwrap() % sides
        };
        for nodes in [2, 3, 5, 10, 40, 400] {
            for _ in 0..50 {
                // In pre-order the next node's parent is the last node or one of its ancestors.
                let mut parents = vec![None];
                let mut path = vec![0];
                for node in 1..nodes {
                    path.truncate(path.len() - roll(path.len()));
                    parents.push(path.last().copied());
                    path.push(node);
                }
                let breadths: Vec<f64> = (0..nodes).map(|_| 10.0 + roll(100) as f64).collect();
                assert_tidy(&parents, &breadths);
            }
        }
    }

    #[test]
    fn the_largest_trees_are_laid_out() {
        const NODES: usize = 65_535;
        let flat: Vec<_> = (0..NODES).map(|it| (it > 0).then_some(0)).collect();
        let comb: Vec<_> = (0..NODES).map(|it| it.checked_sub(1).map(|it| it / 255 * 255)).collect();
        for parents in [flat, comb] {
            let centres = centres(&parents, &vec![80.0; NODES]);
            assert!(centres.iter().all(|it| it.is_finite()));
        }
    }
}
