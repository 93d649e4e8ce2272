//! The limits of maps and worlds.

/// The longest side of a map, in metres. At this distance from the origin an `f32` still resolves a
/// millimetre.
pub const MAX_SIDE: f32 = 16_384.0;
/// How many walls a map may have.
pub const MAX_WALLS: usize = 1 << 20;
/// How many routes a map may have.
pub const MAX_ROUTES: usize = 1 << 16;
/// How many waypoints a route may have.
pub const MAX_WAYPOINTS: usize = 1 << 16;
/// How many actors a world may hold at once.
pub const MAX_ACTORS: usize = 1 << 18;
/// How many carrots a world may hold, including eaten ones that will grow again.
pub const MAX_CARROTS: usize = 1 << 16;
/// How many noises may be heard at once.
pub const MAX_NOISES: usize = 1 << 16;
