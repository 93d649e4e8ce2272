//! What agents do in a frame of a replay.

use pleach::AgentId;
use pleach::trace::{TraceEvent, Tracer};

/// Notes what all agents do, and lets them sleep as in a replay without a tracer: it does not ask
/// for updates of leaves.
#[derive(Default)]
pub(crate) struct Notes(pub(crate) Vec<(AgentId, TraceEvent)>);

impl Tracer for Notes {
    const ENABLED: bool = true;
    fn wants(&self, _: AgentId) -> bool {
        true
    }
    fn wants_updates(&self, _: AgentId) -> bool {
        false
    }
    fn record(&mut self, agent: AgentId, event: TraceEvent) {
        if !matches!(event, TraceEvent::Tick | TraceEvent::TickEnd | TraceEvent::Update(..)) {
            self.0.push((agent, event));
        }
    }
}
