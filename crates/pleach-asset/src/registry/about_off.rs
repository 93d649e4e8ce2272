//! Without the feature `tools` nobody asks what is known of a leaf besides its name.

use crate::function::LeafFn;
use crate::parameter::FromAsset;

#[derive(Clone)]
pub(crate) struct About;

#[expect(clippy::extra_unused_type_parameters, reason = "those of the type that tools ask")]
impl About {
    pub(super) fn made_from<P: FromAsset + 'static>(_: Option<bool>, _: &'static str) -> Self {
        About
    }

    pub(super) fn function<L: LeafFn>() -> Self {
        About
    }
}
