//! Where an actor is on its patrol. The world holds the cursor, not the leaf: a patrol that is
//! aborted for a fight and runs again later continues to the same waypoint.

use super::World;
use crate::error::ActorError;
use crate::geometry::Point;
use crate::id::{ActorId, RouteId};

/// What comes after the last waypoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize)]
pub enum PatrolMode {
    /// There is no patrol.
    None,
    /// The patrol is over.
    Once,
    /// The first waypoint again.
    #[default]
    Loop,
    /// The same way back.
    RoundTrip,
}

/// The waypoint that an actor heads for, and the direction in which it walks its route.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cursor {
    /// Index of the waypoint. An index past the route's end stands for its last waypoint.
    pub at: u16,
    /// Whether a round trip is on its way back.
    pub back: bool,
}

impl Cursor {
    /// The cursor after this waypoint of a route of `len`, or `None` when the patrol is over.
    #[must_use]
    pub fn next(self, len: usize, mode: PatrolMode) -> Option<Cursor> {
        let last = u16::try_from(len.checked_sub(1)?).ok()?;
        let at = self.at.min(last);
        match mode {
            PatrolMode::None => None,
            PatrolMode::Once => (at < last).then(|| Cursor { at: at + 1, back: false }),
            PatrolMode::Loop => Some(Cursor { at: if at < last { at + 1 } else { 0 }, back: false }),
            PatrolMode::RoundTrip => {
                // The ends set the direction, so that a cursor set by hand stays on the route.
                let back = if at == last { true } else { self.back && at > 0 };
                let at = if back { at.saturating_sub(1) } else { at + 1 };
                Some(Cursor { at, back })
            }
        }
    }
}

impl World {
    /// The waypoint that an actor heads for; `None` without a route or for a stale id.
    #[must_use]
    pub fn waypoint(&self, id: ActorId) -> Option<Point> {
        let actor = self.actors.get(id)?;
        let route = self.map.route(actor.route?)?;
        let at = usize::from(actor.cursor.at);
        route.get(at).or(route.last()).copied()
    }

    /// Sends an actor on to its next waypoint. Returns false, and the cursor stays, if there is
    /// none: no route, mode `None`, or the end of a patrol `Once`.
    ///
    /// # Errors
    /// The id is stale.
    pub fn advance_waypoint(&mut self, id: ActorId, mode: PatrolMode) -> Result<bool, ActorError> {
        let actor = self.actors.get_mut(id).ok_or(ActorError::Stale(id))?;
        let len = actor.route.and_then(|route| self.map.route(route)).map_or(0, <[Point]>::len);
        let next = actor.cursor.next(len, mode);
        if let Some(next) = next {
            actor.cursor = next;
        }
        Ok(next.is_some())
    }

    /// The route and the cursor of an actor.
    #[must_use]
    pub fn route_of(&self, id: ActorId) -> Option<(RouteId, Cursor)> {
        let actor = self.actors.get(id)?;
        Some((actor.route?, actor.cursor))
    }

    /// Puts an actor on a route, at a cursor, or takes it off every route.
    ///
    /// # Errors
    /// The id is stale, or the map does not have the route.
    pub fn set_route(&mut self, id: ActorId, route: Option<RouteId>, cursor: Cursor) -> Result<(), ActorError> {
        let actor = self.actors.get_mut(id).ok_or(ActorError::Stale(id))?;
        if let Some(route) = route.filter(|r| self.map.route(*r).is_none()) {
            return Err(ActorError::NoRoute(route));
        }
        actor.route = route;
        actor.cursor = cursor;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::ActorSpec;
    use super::*;
    use crate::map::Map;

    fn walk(len: usize, mode: PatrolMode) -> Vec<u16> {
        let mut cursor = Cursor::default();
        let mut seen = vec![cursor.at];
        while let Some(next) = cursor.next(len, mode).filter(|_| seen.len() < 8) {
            seen.push(next.at);
            cursor = next;
        }
        seen
    }

    #[test]
    fn each_mode_has_its_order() {
        assert_eq!(walk(3, PatrolMode::None), [0]);
        assert_eq!(walk(3, PatrolMode::Once), [0, 1, 2]);
        assert_eq!(walk(3, PatrolMode::Loop), [0, 1, 2, 0, 1, 2, 0, 1]);
        assert_eq!(walk(3, PatrolMode::RoundTrip), [0, 1, 2, 1, 0, 1, 2, 1]);
        assert_eq!(walk(2, PatrolMode::RoundTrip), [0, 1, 0, 1, 0, 1, 0, 1]);
        assert_eq!(walk(1, PatrolMode::Once), [0]);
        assert_eq!(walk(1, PatrolMode::RoundTrip), [0; 8]);
        assert_eq!(walk(0, PatrolMode::Loop), [0]);
    }

    #[test]
    fn a_cursor_past_the_end_is_the_last_waypoint() {
        let far = Cursor { at: u16::MAX, back: false };
        assert_eq!(far.next(3, PatrolMode::Loop), Some(Cursor { at: 0, back: false }));
        assert_eq!(far.next(3, PatrolMode::Once), None);
        assert_eq!(far.next(3, PatrolMode::RoundTrip), Some(Cursor { at: 1, back: true }));
        assert_eq!(Cursor { at: 0, back: true }.next(3, PatrolMode::RoundTrip), Some(Cursor { at: 1, back: false }));
    }

    #[test]
    fn an_actor_walks_its_route_and_keeps_its_place() {
        let mut map = Map::open([20.0, 20.0]).unwrap();
        let route = map.add_route(&[[1.0, 1.0], [5.0, 1.0]]).unwrap();
        let mut world = World::new(map, 1);
        let id = world.spawn(&ActorSpec { route: Some(route), ..ActorSpec::guard([2.0, 2.0]) }).unwrap();
        assert_eq!(world.waypoint(id), Some([1.0, 1.0]));
        assert_eq!(world.advance_waypoint(id, PatrolMode::Once), Ok(true));
        assert_eq!(world.advance_waypoint(id, PatrolMode::Once), Ok(false));
        assert_eq!(world.waypoint(id), Some([5.0, 1.0]));
        assert_eq!(world.route_of(id), Some((route, Cursor { at: 1, back: false })));
        assert_eq!(world.set_route(id, Some(RouteId(9)), Cursor::default()), Err(ActorError::NoRoute(RouteId(9))));
        world.set_route(id, None, Cursor::default()).unwrap();
        assert_eq!((world.waypoint(id), world.advance_waypoint(id, PatrolMode::Loop)), (None, Ok(false)));
        world.despawn(id).unwrap();
        assert_eq!(world.waypoint(id), None);
        assert_eq!(world.advance_waypoint(id, PatrolMode::Loop), Err(ActorError::Stale(id)));
    }
}
