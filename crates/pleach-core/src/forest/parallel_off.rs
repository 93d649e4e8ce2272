//! What `tick_parallel` does without the feature `rayon`.

use super::{Forest, TickReport};
use crate::Host;
use crate::clock::DtError;

#[diagnostic::on_unimplemented(
    message = "`tick_parallel` needs the feature `rayon` of pleach",
    label = "this forest is compiled without threads",
    note = "in Cargo.toml: pleach = {{ version = \"…\", features = [\"rayon\"] }}"
)]
pub trait HasThreads {}

impl<H: Host> Forest<H> {
    /// Needs the feature `rayon`.
    #[doc(hidden)]
    pub fn tick_parallel<'a>(
        &mut self,
        dt: f32,
        make: impl Fn(usize) -> H::Cx<'a> + Sync,
        done: impl FnMut(H::Cx<'a>),
    ) -> Result<TickReport, DtError>
    where
        Self: HasThreads,
    {
        let _ = (dt, make, done);
        unreachable!("no forest has threads without the feature")
    }
}
