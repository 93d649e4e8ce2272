//! What the agents of a tree share about their boards: where each key's cells are, their initial
//! values, and which observers read them.

use super::columns::{Columns, TYPES, typed};
use super::flips::{Flips, Watches};
use super::place::{ColumnPlace, KeyPlace};
use super::shared_watch::SharedWatch;
use super::types::stored::Stored;
use super::{Key, Schema, Scope};
use crate::row::restride;
use crate::{BlackboardType, Entity, Symbol, Type, Value};

/// A column of cells: one key's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnOf {
    /// The tag that typed keys of this column carry.
    tag: u32,
    pub(super) key: KeyPlace,
    pub(super) watched: Watched,
}

/// To which observers a change of a key matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watched {
    /// To none: it need not be tracked.
    Never,
    /// To observers that read the key.
    Always,
    /// To some of them only if a comparison with a constant flips.
    Compared,
    /// The same, or a comparison with another key, or always to some of them.
    Mixed,
}

/// Where a key's cells are, and their initial values.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyColumn {
    pub(super) default: Value,
    column: ColumnPlace,
}

impl KeyColumn {
    pub(super) fn index(self) -> usize {
        self.column.index()
    }
}

/// The node and agent keys of a tree, as its agents' boards hold them.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(super) keys: Vec<KeyColumn>,
    /// The columns of each type, in their order on the board.
    columns: [Vec<ColumnOf>; TYPES.len()],
    /// Words of observer bits per agent; see `tree::observers`.
    pub(super) words: usize,
    /// Per key: the observers to which each change matters.
    watch: Vec<u64>,
    /// Per key, if there are observers that compare it: which flips matter to which observers.
    flips: Box<[Option<Box<Flips>>]>,
    /// Which observers read shared keys, if one does.
    shared: Option<Box<SharedWatch>>,
    /// The initial cells of one agent.
    defaults: Columns,
}

impl Layout {
    pub(crate) fn new(schema: &Schema, watches: Watches, words: usize) -> Self {
        let keys: Vec<KeyColumn> =
            schema.columned().map(|it| KeyColumn { default: it.default(), column: it.column() }).collect();
        let (watch, flips, shared) = watches.finish(|key| keys[key.index()].default.ty());
        let mut layout = Layout { keys, words, watch, flips, shared, ..Layout::default() };
        for decl in schema.columned() {
            let (tag, key) = (decl.tag(), decl.place());
            let watched = match layout.flips(key) {
                Some(it) if it.compare_constants() => Watched::Compared,
                Some(_) => Watched::Mixed,
                None if layout.watch_of(key).iter().any(|&it| it != 0) => Watched::Always,
                None => Watched::Never,
            };
            layout.columns[decl.ty() as usize].push(ColumnOf { tag, key, watched });
        }
        layout.defaults = defaults(&layout);
        layout
    }

    /// The layout of a schema without observers.
    #[cfg(test)]
    pub(crate) fn of_shared(schema: &Schema) -> Self {
        Layout::new(schema, Watches::default(), 0)
    }

    /// The cells of an agent outside any chunk, with their defaults.
    pub(crate) fn cells_of_one(&self) -> Columns {
        self.defaults.clone()
    }

    /// The columns of a type.
    #[inline(always)]
    pub(super) fn columns<T: BlackboardType>(&self) -> &[ColumnOf] {
        &self.columns[T::TYPE as usize]
    }

    /// The column of a typed key, if the key belongs to this tree.
    #[inline(always)]
    pub(super) fn column<T: BlackboardType>(&self, key: Key<T>) -> Option<&ColumnOf> {
        self.columns::<T>().get(key.column().index()).filter(|it| it.tag == key.tag())
    }

    /// Which flips of a key matter to which observers, if there are observers that compare it.
    #[inline]
    pub(super) fn flips(&self, key: KeyPlace) -> Option<&Flips> {
        self.flips.get(key.index())?.as_deref()
    }

    /// Whether a write may matter to observers that compare the key. A separate function, so that
    /// the writes of other keys stay short.
    #[inline(never)]
    pub(super) fn may_matter<T: Stored>(&self, key: KeyPlace, from: T, to: T) -> bool {
        self.flips(key).is_some_and(|it| it.quick.may_matter(it, from, to))
    }

    /// Which changes of which keys matter to which observers.
    #[cfg(feature = "save")]
    pub(crate) fn watches(&self) -> impl std::fmt::Debug {
        (&self.watch, &self.flips, &self.shared)
    }

    /// The observers to which each change of a key matters.
    #[inline]
    pub(super) fn watch_of(&self, key: KeyPlace) -> &[u64] {
        &self.watch[key.index() * self.words..(key.index() + 1) * self.words]
    }

    /// The observers that read a group or global key; `None` if there are none.
    pub(crate) fn watch_of_shared(&self, scope: Scope, key: KeyPlace) -> Option<&[u64]> {
        Some(self.shared.as_ref()?.of(scope, key)).filter(|it| it.iter().any(|&it| it != 0))
    }

    /// Whether an observer reads a group or global key.
    #[inline(always)]
    pub(crate) fn watches_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// The observers that read any group or global key, if there are some.
    pub(crate) fn watch_of_any_shared(&self) -> Option<&[u64]> {
        self.shared.as_ref().map(|it| it.of_any())
    }

    /// The observers that read any group key, if there are some.
    pub(crate) fn watch_of_group(&self) -> Option<&[u64]> {
        self.shared.as_ref().map(|it| it.of_group())
    }

    /// The bytes of an agent's cells.
    pub(crate) fn bytes(&self) -> usize {
        self.keys.iter().map(|it| typed!(it.default.ty(), T => size_of::<T>())).sum()
    }

    /// The bytes of what an agent's observers have to look at.
    pub(crate) fn tracking_bytes(&self) -> usize {
        self.words * 8
    }
}

/// The initial cells of one agent.
fn defaults(layout: &Layout) -> Columns {
    let mut columns = Columns::default();
    for ty in TYPES {
        typed!(ty, T => {
            let many = layout.columns::<T>().len();
            if many > 0 {
                restride(T::boxed(&mut columns), many, 0, 1, 0, T::BLANK);
            }
        });
    }
    for key in &layout.keys {
        let default = key.default;
        typed!(default.ty(), T => T::of_mut(&mut columns)[key.index()] = T::from_value(default).expect("B1"));
    }
    columns
}
