//! Agents that read what others write. The agents of a chunk are marked when one of them writes a
//! group or global key, so that later ones see it in the same tick. All others are marked when the
//! tick of the chunk is over; and at the beginning of a frame, if the game has written.

use super::AgentId;
use super::trees::{Place, Trees};
use crate::Host;
use crate::blackboard::shared::{Cell, Shared};
use crate::ids::salted::SaltedMap;

impl<H: Host> Trees<H> {
    /// Marks the agents whose observers read a shared key that has changed since the last call.
    /// The agents of the chunk with the number `but` know already.
    ///
    /// Costs a step per member of each group in which a key has changed, and one per agent of the
    /// trees that read a changed global key. Nothing if no such key has changed.
    pub(super) fn tell(&mut self, shared: &mut Shared, places: &SaltedMap<AgentId, Place>, but: Option<u32>) {
        let changed = shared.lend_changed();
        for &cell in &changed {
            match cell {
                Cell::Group(group, _) => {
                    for member in shared.members(group).unwrap_or_default() {
                        let Some(&place) = places.get(*member) else { continue };
                        let (shape, chunk) = self.find_mut(place);
                        if Some(chunk.number) != but
                            && let Some(watch) = shape.map.readers(&shape.tree.layout, cell)
                        {
                            chunk.run.bits_mut().changes().mark(watch, place.row());
                        }
                    }
                }
                Cell::Global(_) => self.for_each(|population| {
                    let shape = &population.shape;
                    let Some(watch) = shape.map.readers(&shape.tree.layout, cell) else { return };
                    for chunk in population.chunks.iter_mut().filter(|it| Some(it.number) != but) {
                        let agents = chunk.len();
                        chunk.run.bits_mut().changes().mark_all(watch, agents);
                    }
                }),
            }
        }
        shared.forget_changed(changed);
    }
}
