//! Bodies keep apart: overlapping bodies are pushed apart, half each, walls permitting.

use slotmap::SlotMap;

use super::actor::Actor;
use crate::geometry::{Point, distance2, is_finite};
use crate::grid::{Grid, Layers};
use crate::id::ActorId;
use crate::map::Map;

/// A body: who, where, how large.
type Body = (ActorId, Point, f32);

/// The list of bodies of a step, which keeps its capacity.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    near: Vec<Body>,
}

impl Bodies {
    /// Pushes the living apart around a place. Places and ids alone decide the order of pushes.
    pub(super) fn part(
        &mut self,
        actors: &mut SlotMap<ActorId, Actor>,
        grid: &mut Grid<ActorId>,
        map: &Map,
        at: Point,
        reach: f32,
    ) {
        if !is_finite(at) {
            return;
        }
        self.near.clear();
        grid.visit(Layers::ALL, at, reach, |id| {
            let actor = &actors[id];
            if actor.alive && distance2(actor.position, at) <= reach * reach {
                self.near.push((id, actor.position, actor.radius));
            }
        });
        // From left to right, so that only neighbours on the list can touch.
        self.near.sort_unstable_by(|a, b| a.1[0].total_cmp(&b.1[0]).then(a.0.cmp(&b.0)));
        let widest = self.near.iter().map(|it| it.2).fold(0.0, f32::max);
        for first in 0..self.near.len() {
            for second in first + 1..self.near.len() {
                let (a, b) = (self.near[first], self.near[second]);
                if b.1[0] - a.1[0] > a.2 + widest {
                    break;
                }
                let Some(push) = push(a, b) else { continue };
                for (index, by) in [(first, [-push[0], -push[1]]), (second, push)] {
                    let (id, from, radius) = self.near[index];
                    let to = [from[0] + by[0], from[1] + by[1]];
                    let end = map.slide(from, to, to, radius);
                    self.near[index].1 = end;
                    if let Some(actor) = actors.get_mut(id) {
                        actor.go(id, end, grid);
                    }
                }
            }
        }
    }
}

/// How far the second of two bodies is pushed away from the first, and the first the other way;
/// `None` if they do not touch.
fn push(a: Body, b: Body) -> Option<Point> {
    let room = a.2 + b.2;
    let d = [b.1[0] - a.1[0], b.1[1] - a.1[1]];
    let far2 = d[0] * d[0] + d[1] * d[1];
    if far2 >= room * room {
        return None;
    }
    let far = far2.sqrt();
    // Two at the same place are pushed sideways.
    let way = if far > 1e-3 { [d[0] / far, d[1] / far] } else { [1.0, 0.0] };
    let by = (room - far) / 2.0;
    Some([way[0] * by, way[1] * by])
}
