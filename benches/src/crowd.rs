//! An implementation is a crowd of agents that plays a scene. It is checked before it is timed.

use std::error::Error;
use std::fmt;

use crate::Workload;

/// A crowd of agents, each ticked once per frame.
pub trait Crowd: Sized + 'static {
    /// What it can play.
    type Scene: Scene;

    /// The name under which results are reported.
    const NAME: &'static str;
    /// The largest crowd that is measured.
    const MOST: u32 = u32::MAX;

    /// `agents` agents with ids from 0, ready for their first frame. Cost: O(agents).
    fn new(agents: u32, scene: Self::Scene) -> Self;

    /// Plays one frame: in order of id each agent gets its event, if the scene has events, and one
    /// tick. Frames are numbered from 0.
    fn frame(&mut self, frame: u32);

    /// What all agents together have done so far. Cost: O(agents).
    fn totals(&self) -> Totals;
}

/// A kind of workload that crowds play, with what must come out of it.
pub trait Scene: Copy + fmt::Debug + 'static {
    /// The scene of a workload, if it is of this kind.
    fn of(workload: Workload) -> Option<Self>;

    /// How many frames [`check`] plays.
    fn check_frames(self) -> u32;

    /// What [`CHECK_AGENTS`] agents must have done after these frames.
    fn expected(self) -> Totals;
}

/// How many agents [`check`] plays.
pub const CHECK_AGENTS: u32 = 1_000;

/// What a crowd has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Times that Flee succeeded.
    pub flee: u64,
    /// Times that Attack succeeded.
    pub attack: u64,
    /// Times that MoveToNoise succeeded.
    pub noise: u64,
    /// Times that Wait succeeded.
    pub wait: u64,
    /// Times that Approach succeeded.
    pub approach: u64,
    /// Updates of Patrol.
    pub waypoint: u64,
    /// Host actions of the walk tree.
    pub walked: u64,
    /// Times that a sleeper woke.
    pub woken: u64,
    /// What squads have counted.
    pub counted: u64,
}

/// Plays `scene` with [`CHECK_AGENTS`] agents for [`Scene::check_frames`] frames.
///
/// # Errors
/// The agents did not do exactly what [`Scene::expected`] says.
pub fn check<C: Crowd>(scene: C::Scene) -> Result<(), Wrong> {
    let mut crowd = C::new(CHECK_AGENTS, scene);
    for frame in 0..scene.check_frames() {
        crowd.frame(frame);
    }
    let (found, expected) = (crowd.totals(), scene.expected());
    if found == expected {
        return Ok(());
    }
    Err(Wrong {
        name: C::NAME,
        scene: format!("{scene:?}"),
        what: format!(
            "after {} frames of {CHECK_AGENTS} agents it reports {found:?} instead of {expected:?}",
            scene.check_frames()
        ),
    })
}

/// An implementation did something other than what the workload requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The implementation.
    pub name: &'static str,
    /// The scene it played.
    pub scene: String,
    /// What came out, and what should have.
    pub what: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, scene, what } = self;
        write!(f, "`{name}` does not play {scene}: {what}; do not compare its time before this is mended")
    }
}

impl Error for Wrong {}
