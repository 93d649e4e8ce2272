//! How what a leaf remembers of agents is copied.

use std::fmt;
use std::marker::PhantomData;

/// How the states of a leaf are copied: see [`Action::KEEP`](crate::Action::KEEP).
pub struct Keep<S> {
    copy: Option<CopyAll<S>>,
}

type CopyAll<S> = fn(&[S]) -> Vec<S>;

impl<S> Keep<S> {
    /// They are not. A forest with such a leaf has no snapshot.
    pub const NOT: Self = Keep { copy: None };

    /// They are cloned, for snapshots.
    #[must_use]
    pub const fn cloned() -> Self
    where
        S: Clone,
    {
        Keep { copy: Some(<[S]>::to_vec) }
    }

    /// Copies some states, if they are copied at all.
    pub(crate) fn copy(&self, states: &[S]) -> Option<Vec<S>> {
        Some((self.copy?)(states))
    }

    pub(crate) fn copies(&self) -> bool {
        self.copy.is_some()
    }
}

impl<S> Clone for Keep<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Keep<S> {}

impl<S> fmt::Debug for Keep<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keep").field("copies", &self.copies()).finish()
    }
}

/// How `#[leaf]` finds whether states can be cloned: [`Cloned::KEEP`] is there if they can, and
/// comes before [`NotCloned::KEEP`], which is always there.
#[derive(Debug)]
pub struct Cloned<S>(PhantomData<S>);

impl<S: Clone> Cloned<S> {
    /// They are cloned.
    pub const KEEP: Keep<S> = Keep::cloned();
}

/// See [`Cloned`].
pub trait NotCloned {
    /// The states.
    type State;
    /// They are not.
    const KEEP: Keep<Self::State> = Keep::NOT;
}

impl<S> NotCloned for Cloned<S> {
    type State = S;
}
