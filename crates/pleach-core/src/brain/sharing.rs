//! Keys that several brains share: the game owns them, and lends them for a call (SEMANTICS 12.4).

use std::ops::{Deref, DerefMut};

use indexmap::IndexMap;

use super::Brain;
use crate::blackboard::Scope;
use crate::blackboard::shared::{Owner, Shared, Whose};
use crate::error::SharedKeyError;
use crate::handles::{SharedKeys, SharedKeysMut};
use crate::ids::salted::Salt;
use crate::keys::rows::AgentKeys;
use crate::row::Row;
use crate::schema::KeyDecl;
use crate::{AgentId, Host, Tree, Value};
#[cfg(feature = "save")]
use crate::{error::BoardError, save::board::SavedBoard};

/// Keys that several brains share: those of a group, or global ones. The game owns it, beside its
/// brains, and lends it to each of their calls with [`Brain::sharing`].
///
/// ```
/// # use pleach_core::{Brain, Context, Host, SharedBoard, Status, Tree, nodes, schema::Scope};
/// # use std::sync::Arc;
/// # struct Game;
/// # impl Host for Game { type Cx<'a> = (); }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut builder = Tree::<Game>::builder("guard");
/// let alarm = builder.key_in(Scope::Group, "alarm", false);
/// let tree = Arc::new(builder.build(nodes::selector([
///     nodes::sequence([nodes::check("alarm"), nodes::idle().named("fight")]),
///     nodes::idle().named("doze"),
/// ]))?);
///
/// let mut squad = SharedBoard::of_group(&tree);
/// let new = |seed| Brain::new(&mut (), Arc::clone(&tree), seed);
/// let mut guards: Vec<_> = (0..12).map(new).collect();
/// // One of them, or the game, raises the alarm.
/// guards[3].sharing(&mut squad)?.keys_mut().set(alarm, true);
/// for guard in &mut guards {
///     guard.sharing(&mut squad)?.tick(&mut (), 0.1)?;
///     assert_eq!(guard.inspect().expect("it is here").to_string(), "fight");
/// }
/// assert!(squad.keys().get(alarm));
/// # Ok(())
/// # }
/// ```
///
/// A game that clones it can go back to it, with the [snapshots](Brain::snapshot) of the brains.
/// With the feature `save` serde writes and reads it. Save it beside the brains: a save of a brain
/// holds only the values that this brain saw last. A save holds values by the names of keys, so a
/// board that was read has no keys until a tree declares them: call [`admit`](SharedBoard::admit)
/// with each tree of its brains. Before that, [`value`](SharedKeys::value) is an error and
/// [`get`](SharedKeys::get) panics.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "save", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "save", serde(into = "SavedBoard", try_from = "SavedBoard"))]
pub struct SharedBoard {
    shared: Shared,
    scope: Scope,
    whose: Whose,
    /// For each key, the name of the tree that declared it first.
    trees: IndexMap<Box<str>, Box<str>>,
    /// Values of a save whose keys no tree has declared so far.
    saved: IndexMap<String, Value>,
}

impl SharedBoard {
    /// The group keys of this tree, with their defaults: those that all members of a squad share.
    #[must_use]
    pub fn of_group<H: Host>(tree: &Tree<H>) -> Self {
        SharedBoard::with(Scope::Group, tree)
    }

    /// The global keys of this tree, with their defaults: those that all agents share.
    #[must_use]
    pub fn of_globals<H: Host>(tree: &Tree<H>) -> Self {
        SharedBoard::with(Scope::Global, tree)
    }

    fn with<H: Host>(scope: Scope, tree: &Tree<H>) -> Self {
        let mut board = SharedBoard::new(scope);
        board.follow(tree);
        board
    }

    fn new(scope: Scope) -> Self {
        let mut shared = Shared::new(Salt::of(0), Owner::Board);
        let group = shared.new_group_kept();
        let whose = if scope == Scope::Group { Whose::Group(group) } else { Whose::Forest };
        SharedBoard { shared, scope, whose, trees: IndexMap::new(), saved: IndexMap::new() }
    }

    /// Adds the keys of another tree, with their defaults, or with the values of the save that this
    /// was read from. A brain that shares this for the first time does the same.
    ///
    /// # Errors
    /// If this has a key that the tree declares with another type, default, or other words. Nothing
    /// has changed then.
    pub fn admit<H: Host>(&mut self, tree: &Tree<H>) -> Result<(), SharedKeyError> {
        for decl in self.own(tree) {
            if let Some(difference) = self.shared.differs(decl) {
                let first = self.trees.get(decl.name()).map_or("", |it| it);
                let trees = [tree.name().into(), first.into()];
                let (name, scope) = (decl.name().into(), self.scope);
                return Err(SharedKeyError { name, scope, trees, difference, board: true });
            }
        }
        if self.own(tree).any(|it| !self.shared.declares(it)) {
            self.follow(tree);
        }
        Ok(())
    }

    /// Updates this to the declarations of a tree. After a reload, call this with the new version
    /// once [`Brain::replace_tree`] has accepted it, and before a brain shares this again. A brain
    /// that refuses the new version keeps the old one: do not call this then, and it keeps sharing.
    /// Bind the same keys to all brains of a tree, so that all accept it or none does. A key that
    /// several trees of this board declare has to change in all of them: brains with the other
    /// trees are refused until then.
    ///
    /// Values stay. A changed key that cannot hold its value, or holds its old default, gets its
    /// new default (SEMANTICS 8.10).
    pub fn follow<H: Host>(&mut self, tree: &Tree<H>) {
        for decl in tree.schema().keys().filter(|it| it.scope() == self.scope) {
            if !self.shared.declares(decl) || self.shared.differs(decl).is_some() {
                self.trees.insert(decl.name().into(), tree.name().into());
            }
            self.shared.declare(decl);
            if let Some(value) = self.saved.swap_remove(decl.name()) {
                // A removed word or type leaves the default.
                let _taken = self.shared.set_named(self.whose, decl.name(), value);
            }
        }
    }

    /// Replaces the values by those of a board that was read from a save. `trees` are those of the
    /// brains that share it. Needs the feature `save`.
    ///
    /// # Errors
    /// If the save is of a board with keys of another scope, or two of the trees declare a key
    /// differently. Nothing has changed then.
    #[cfg(feature = "save")]
    pub fn restore<'t, H: Host>(
        &mut self,
        mut save: SharedBoard,
        trees: impl IntoIterator<Item = &'t Tree<H>>,
    ) -> Result<(), BoardError> {
        if save.scope != self.scope {
            return Err(BoardError::Scope { save: save.scope, here: self.scope });
        }
        trees.into_iter().try_for_each(|it| save.admit(it)).map_err(BoardError::Key)?;
        *self = save;
        Ok(())
    }

    /// The keys, to read.
    #[must_use]
    pub fn keys(&self) -> SharedKeys<'_> {
        SharedKeys::new(&self.shared, self.whose)
    }

    /// The keys, to read and to write.
    pub fn keys_mut(&mut self) -> SharedKeysMut<'_> {
        SharedKeysMut::new(&mut self.shared, self.whose)
    }

    /// The values of keys that do not hold their defaults, including saved ones that no tree has
    /// declared so far.
    #[cfg(feature = "save")]
    fn changed(&self) -> Vec<(String, Value)> {
        let saved = self.saved.iter().map(|(name, value)| (name.clone(), *value));
        self.shared.changed(self.whose).into_iter().chain(saved).collect()
    }

    /// The keys of a tree that this is for.
    fn own<'t, H: Host>(&self, tree: &'t Tree<H>) -> impl Iterator<Item = &'t KeyDecl> + use<'t, H> {
        let scope = self.scope;
        tree.schema().keys().filter(move |it| it.scope() == scope)
    }
}

#[cfg(feature = "save")]
impl From<SharedBoard> for SavedBoard {
    fn from(board: SharedBoard) -> Self {
        let keys = board.changed().into_iter().map(|(name, value)| (name, value.into())).collect();
        SavedBoard::new(board.scope == Scope::Global, keys)
    }
}

#[cfg(feature = "save")]
impl TryFrom<SavedBoard> for SharedBoard {
    type Error = String;

    fn try_from(saved: SavedBoard) -> Result<Self, String> {
        if let Some(why) = saved.unreadable() {
            return Err(why);
        }
        let mut board = SharedBoard::new(if saved.global { Scope::Global } else { Scope::Group });
        board.saved.extend(saved.keys.into_iter().map(|(name, value)| (name, value.into())));
        Ok(board)
    }
}

impl<H: Host> Brain<H> {
    /// The brain with keys that it shares with others. While the returned value lives, the brain's
    /// group keys, or its global ones, hold what the board holds; afterwards the board has what the
    /// brain or the game wrote to them. So lend it for each call:
    /// `brain.sharing(&mut squad)?.tick(&mut cx, dt)?`. With a board for each scope:
    /// `brain.sharing(&mut squad)?.sharing(&mut world)?.tick(&mut cx, dt)?`.
    ///
    /// Conditions that read such a key notice in the next tick what others have written. A call
    /// without the board sees the values of the last call with it. Costs a look-up by name for each
    /// shared key of the tree before and after the call.
    ///
    /// # Errors
    /// If the board has a key that the brain's tree declares differently: see
    /// [`SharedBoard::admit`], and [`SharedBoard::follow`] after a reload. Nothing has changed
    /// then.
    pub fn sharing<'a>(&'a mut self, board: &'a mut SharedBoard) -> Result<Sharing<'a, H>, SharedKeyError> {
        board.admit(&self.shape.tree)?;
        let mut rows = self.keys_mut().rows;
        let schema = rows.schema;
        for decl in schema.keys().filter(|it| it.scope() == board.scope) {
            let value = board.shared.named(board.whose, decl.name()).expect("it was admitted");
            rows.write(Row::FIRST, decl, value);
        }
        let agent = self.present();
        Ok(Sharing { brain: self, board, agent })
    }

    /// The present agent, and how often one was restored.
    fn present(&self) -> (AgentId, u32) {
        (self.row.id, self.brought)
    }
}

/// A brain with keys that it shares: see [`Brain::sharing`]. It has all methods of a [`Brain`].
///
/// An agent that `restore` or [`rollback`](Brain::rollback) restores has not seen the board: the
/// board keeps its values, and the agent takes them when it shares again.
pub struct Sharing<'a, H: Host> {
    brain: &'a mut Brain<H>,
    board: &'a mut SharedBoard,
    /// The agent that has the values of the board.
    agent: (AgentId, u32),
}

impl<H: Host> Deref for Sharing<'_, H> {
    type Target = Brain<H>;
    fn deref(&self) -> &Brain<H> {
        self.brain
    }
}

impl<H: Host> DerefMut for Sharing<'_, H> {
    fn deref_mut(&mut self) -> &mut Brain<H> {
        self.brain
    }
}

impl<H: Host> std::fmt::Debug for Sharing<'_, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sharing").field("brain", self.brain).field("board", self.board).finish()
    }
}

/// Returns the values of the brain's keys to the board, also when a leaf panicked.
impl<H: Host> Drop for Sharing<'_, H> {
    fn drop(&mut self) {
        let Sharing { brain, board, agent } = self;
        // Another agent, or an earlier state of this one, has not seen the board.
        if brain.present() != *agent {
            return;
        }
        let keys = brain.keys();
        for decl in board.own(&brain.shape.tree) {
            // A tree that was added since may declare it differently: the board waits for `follow`.
            if board.shared.declares(decl) && board.shared.differs(decl).is_none() {
                let _changed = board.shared.set_named(board.whose, decl.name(), keys.read(decl));
            }
        }
    }
}
