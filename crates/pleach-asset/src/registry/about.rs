//! What a registry knows of a leaf, apart from its name.

use std::sync::Arc;

use crate::function::{self, Answer, LeafFn};
use crate::info::{LeafInfo, LeafKind, ParameterInfo};
use crate::parameter::FromAsset;
use crate::probe;

/// What is known of a leaf. The parameters of those in Rust are found only when tools ask: without
/// reports none does, and the code for it is not compiled for each leaf.
#[derive(Clone)]
pub(crate) enum About {
    Rust { doc: &'static str, kind: LeafKind, parameters: fn() -> Option<Vec<ParameterInfo>> },
    Described(Arc<LeafInfo>),
}

impl About {
    /// A leaf that is made from these parameters.
    pub(super) fn made_from<P: FromAsset + 'static>(is_condition: Option<bool>, doc: &'static str) -> Self {
        About::Rust { doc, kind: LeafKind::of(is_condition), parameters: made_of::<P> }
    }

    /// A function.
    pub(super) fn function<L: LeafFn>() -> Self {
        let kind = LeafKind::of(Some(L::Answer::IS_CONDITION));
        About::Rust { doc: L::DOC, kind, parameters: taken_by::<L> }
    }

    pub(super) fn of(&self, name: &str) -> LeafInfo {
        match self {
            About::Rust { doc, kind, parameters } => {
                LeafInfo { kind: *kind, doc: (*doc).into(), parameters: parameters(), ..LeafInfo::named(name) }
            }
            About::Described(it) => LeafInfo::clone(it),
        }
    }
}

fn made_of<P: FromAsset + 'static>() -> Option<Vec<ParameterInfo>> {
    if cfg!(feature = "reports") { probe::parameters::<P>() } else { None }
}

fn taken_by<L: LeafFn>() -> Option<Vec<ParameterInfo>> {
    if cfg!(feature = "reports") { Some(function::parameters::<L>()) } else { None }
}
