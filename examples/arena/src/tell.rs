//! The state of a heist, in a line: for scripts that play it.

use pleach_arena::Point;

use crate::camera::Camera;
use crate::sim::Sim;

/// The line; nothing in another scene.
#[must_use]
pub fn line(sim: &Sim, camera: &Camera) -> Option<String> {
    let world = sim.world();
    let heist = world.heist()?;
    let (plan, thief) = (heist.plan(), heist.thief());
    let at = |at: Point| format!("{:.2},{:.2}", at[0], at[1]);
    Some(format!(
        "heist stage={:?} at={} hp={:.0} down={} seen={} hidden={} score={} lives={} coins={} door={} agents={} chosen={} \
         camera={} scale={:.3} lock={} treasure={} exit={}",
        heist.stage(),
        at(world.position(thief).unwrap_or_default()),
        world.hp(thief).unwrap_or_default(),
        !world.is_alive(thief),
        heist.is_seen(),
        world.is_hidden(thief),
        heist.score(world.time()).total(),
        heist.lives(),
        heist.coins(),
        if heist.lock().is_some() { "shut" } else { "open" },
        sim.crowd(),
        sim.chosen().is_some(),
        at(camera.centre),
        camera.scale,
        at(plan.lock),
        at(plan.treasure),
        at(plan.exit),
    ))
}
