//! The derive for keys that the game relies on.

/// Makes a struct of the keys that the game relies on, a [`KeySet`](crate::KeySet):
/// [`Forest::bind`](crate::Forest::bind) looks all of them up at once, and from then on every
/// version of the tree that lacks one is refused.
///
/// ```
/// use pleach::{Forest, Host, Key, Keys, Spawn, SymbolEnum, nodes};
///
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = ();
/// # }
/// #[derive(Clone, Copy, Debug, PartialEq, SymbolEnum)]
/// enum Range {
///     Near,
///     Far,
/// }
///
/// #[derive(Keys)]
/// struct GuardKeys {
///     /// From 0 to 1.
///     #[key(reads, writes)]
///     health: Key<f32>,
///     #[key(writes)]
///     range: Key<Range>,
///     /// The key is called `type` in trees.
///     #[key("type")]
///     sort: Key<i64>,
///     #[key(group, reads)]
///     plan: Key<i64>,
///     #[key(global)]
///     alarm: Key<bool>,
///     /// Some guards have no nerve.
///     nerve: Option<Key<f32>>,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut tree = pleach::Tree::<Game>::builder("guard");
/// # tree.key("health", 1.0_f32);
/// # tree.declare(pleach::schema::Scope::Agent, "range", pleach::schema::KeyDefault::Symbol("far".into(), vec!["near".into(), "far".into()]));
/// # tree.key("type", 1_i64);
/// # tree.key_in(pleach::schema::Scope::Group, "plan", 1_i64);
/// # tree.key_in(pleach::schema::Scope::Global, "alarm", false);
/// # let tree = tree.build(nodes::idle())?;
/// let mut forest = Forest::<Game>::new(7);
/// let guards = forest.add_tree(tree)?;
/// let keys: GuardKeys = forest.bind(guards)?;
///
/// let guard = forest.spawn(&mut (), guards)?;
/// let mut it = forest.keys_mut(guard)?;
/// let health = it.get(keys.health) - 0.25;
/// it.set(keys.health, health);
/// it.set(keys.range, Range::Near);
/// # it.set(keys.sort, 2);
/// # let _ = it.get(keys.plan);
/// assert!(keys.nerve.is_none());
/// forest.globals_mut().set(keys.alarm, true);
/// # Ok(())
/// # }
/// ```
///
/// A field is a [`Key`](crate::Key), or an `Option` of one for a key that a tree may do without.
/// Its name is that of the key, or what `#[key("..")]` says (`"fight.range"` for a key of an
/// instance). Keys are those of the agent, if `#[key(group)]` or `#[key(global)]` says nothing
/// else. `reads` and `writes` say what the game does with the key; they and the field's
/// documentation are for tools, to which [`Registry::keys`](crate::Registry::keys) tells them.
pub use pleach_macros::Keys;
