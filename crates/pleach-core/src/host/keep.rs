//! How the states of leaves are copied and saved.

use std::fmt;
use std::marker::PhantomData;

#[cfg(feature = "save")]
use crate::save::packed::{Packed, Unpacking};

/// How the states of a leaf are copied and saved: see [`Action::KEEP`](crate::Action::KEEP).
pub struct Keep<S> {
    copy: Option<CopyAll<S>>,
    #[cfg_attr(not(feature = "save"), expect(dead_code, reason = "nothing is saved"))]
    save: Saving<S>,
}

type CopyAll<S> = fn(&[S]) -> Vec<S>;

impl<S> Keep<S> {
    /// They are not. A forest with such a leaf has no snapshot and no save.
    pub const NOT: Self = Keep { copy: None, save: Saving::NOT };

    /// They are cloned, for snapshots.
    #[must_use]
    pub const fn cloned() -> Self
    where
        S: Clone,
    {
        Keep { copy: Some(<[S]>::to_vec), save: Saving::NOT }
    }

    /// The same, and they are saved with serde: `Keep::cloned().saved()`, or `Keep::NOT.saved()` if
    /// they cannot be cloned. The parts of a state that belong to the game, such as a handle, are
    /// skipped (`#[serde(skip)]`) and fetched again when the leaf is
    /// [`restored`](crate::Action::restored).
    #[cfg(feature = "save")]
    #[must_use]
    pub const fn saved(self) -> Self
    where
        S: serde::Serialize + serde::de::DeserializeOwned,
    {
        Keep { copy: self.copy, save: Saving::serde() }
    }

    /// The same, saved like this.
    #[doc(hidden)]
    #[must_use]
    pub const fn with(self, save: Saving<S>) -> Self {
        Keep { copy: self.copy, save }
    }

    /// How they are saved, if they are.
    #[cfg(feature = "save")]
    pub(crate) fn saving(&self) -> Option<SaveState<S>> {
        self.save.0
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
        f.debug_struct("Keep").field("copies", &self.copies()).finish_non_exhaustive()
    }
}

/// How the states of a leaf are saved.
#[doc(hidden)]
pub struct Saving<S>(#[cfg(feature = "save")] Option<SaveState<S>>, PhantomData<fn(S)>);

/// How a state is written and read.
#[cfg(feature = "save")]
pub(crate) struct SaveState<S> {
    pub(crate) save: fn(&S, &mut Packed) -> Result<(), String>,
    pub(crate) load: for<'a> fn(&mut Unpacking<'a>) -> Result<S, String>,
}

impl<S> Saving<S> {
    const NOT: Self = Saving(
        #[cfg(feature = "save")]
        None,
        PhantomData,
    );
}

#[cfg(feature = "save")]
impl<S: serde::Serialize + serde::de::DeserializeOwned> Saving<S> {
    const fn serde() -> Self {
        Saving(Some(SaveState { save: |state, to| to.push(state), load: |from| from.next() }), PhantomData)
    }
}

#[cfg(feature = "save")]
impl<S> Clone for SaveState<S> {
    fn clone(&self) -> Self {
        *self
    }
}

#[cfg(feature = "save")]
impl<S> Copy for SaveState<S> {}

impl<S> Clone for Saving<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Saving<S> {}

impl<S> fmt::Debug for Saving<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Saving")
    }
}

/// How `#[leaf]` finds whether states can be saved, as [`Cloned`] finds whether they can be cloned.
#[derive(Debug)]
pub struct Saved<S>(PhantomData<S>);

#[cfg(feature = "save")]
impl<S: serde::Serialize + serde::de::DeserializeOwned> Saved<S> {
    /// They are saved.
    pub const SAVING: Saving<S> = Saving::serde();
}

/// See [`Saved`].
pub trait NotSaved {
    /// The states.
    type State;
    /// They are not.
    const SAVING: Saving<Self::State> = Saving::NOT;
}

impl<S> NotSaved for Saved<S> {
    type State = S;
}

/// How `#[leaf]` finds whether states can be cloned: [`Cloned::KEEP`] exists if they can, and takes
/// precedence over [`NotCloned::KEEP`], which always exists.
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
