//! Keys that the game relies on: a [`KeySet`] lists them, and is bound to a tree that has them.

mod game;
mod problem;

use std::collections::BTreeSet;

use pleach_expr::expr::{KeyIndex, Names};
use pleach_expr::known;
use pleach_expr::names::{self, Help, Near};

use super::{Key, KeyDecl, Schema, Scope};
use crate::{BlackboardType, Type};

pub use game::KeyUse;
pub use problem::{BindError, KeyProblem, KeyProblemKind, KeysError};

/// The keys of a tree that the game relies on, as the fields of a struct. `#[derive(Keys)]` of
/// `pleach` implements it.
///
/// [`Forest::bind`](crate::Forest::bind) and [`Brain::bind`](crate::Brain::bind) look all of them
/// up, and from then on refuse every version of the tree that lacks one. So these keys work after
/// every reload, and the game has nothing to do then. [`Tree::bind`](crate::Tree::bind) only looks
/// them up.
///
/// ```
/// # mod pleach { pub use pleach_core::{Forest, Host, Key, KeySet, Tree, nodes, schema}; }
/// use pleach::schema::{KeyFinder, Scope};
/// use pleach::{Forest, Host, Key, KeySet, Tree, nodes::idle};
/// # struct Game;
/// # impl Host for Game { type Cx<'a> = (); }
///
/// struct GuardKeys {
///     health: Key<f32>,
///     sees: Key<bool>,
/// }
/// // What `#[derive(Keys)]` writes:
/// impl KeySet for GuardKeys {
///     fn find(keys: &mut KeyFinder<'_>) -> Option<Self> {
///         let health = keys.key("health", Scope::Agent, None, "");
///         let sees = keys.key("sees", Scope::Agent, None, "");
///         Some(GuardKeys { health: health?, sees: sees? })
///     }
/// }
///
/// let guard = |sees: &str| {
///     let mut tree = Tree::<Game>::builder("guard");
///     tree.key("health", 1.0_f32);
///     tree.key(sees, false);
///     tree.build(idle())
/// };
/// let mut forest = Forest::new(7);
/// let guards = forest.add_tree(guard("sees")?)?;
/// let keys: GuardKeys = forest.bind(guards)?;
/// let agent = forest.spawn(&mut (), guards)?;
///
/// let refused = forest.replace_tree(&mut (), guards, guard("seen")?).unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "the tree `guard`: the game relies on the agent key `sees` of type Bool, which this tree does not declare; \
///      did you mean `seen`?"
/// );
/// // The old tree keeps running.
/// forest.keys_mut(agent)?.set(keys.sees, true);
/// # forest.keys_mut(agent)?.set(keys.health, 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait KeySet: Sized {
    /// Asks for each key, and makes the set if all exist. Ask for all of them first, so that
    /// everything that is wrong is reported.
    fn find(keys: &mut KeyFinder<'_>) -> Option<Self>;

    /// What the set needs from a tree, in the order in which [`find`](KeySet::find) asks.
    #[must_use]
    fn needs() -> Vec<KeyNeed> {
        let mut finder = KeyFinder { schema: None, needs: Vec::new(), problems: Vec::new() };
        _ = Self::find(&mut finder);
        finder.needs
    }
}

/// What the game, or a leaf, does with a key or an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// It reads the key, or hears the event.
    Read,
    /// It writes the key, or sends the event.
    Write,
    /// Both.
    ReadWrite,
}

/// One key that the game relies on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyNeed {
    /// Its name, without its scope. The key of an instance has its full name: `fight.range`.
    pub name: String,
    /// Its scope: the agent, the group or the forest. Keys of nodes have no name outside their
    /// node, so no game can rely on one.
    pub scope: Scope,
    /// Its type.
    pub ty: Type,
    /// Which words it has, if it is a symbol.
    pub words: NeededWords,
    /// Whether a tree may do without it.
    pub optional: bool,
    /// What the game does with it; `None` if that is not known.
    pub access: Option<Access>,
    /// The game's description of it.
    pub doc: String,
}

/// Which words a symbol key must have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NeededWords {
    /// Any: the key is looked up as a [`Symbol`](crate::Symbol).
    #[default]
    Any,
    /// These, and perhaps more: those that a key had when it was bound as a
    /// [`Symbol`](crate::Symbol).
    AtLeast(Vec<String>),
    /// These and no others: the key is looked up as an enum with [`SymbolEnum`](crate::SymbolEnum).
    Exactly(Vec<String>),
}

/// Looks up the keys of a [`KeySet`], and notes what is wrong.
#[derive(Debug)]
pub struct KeyFinder<'a> {
    /// Where they are looked up; `None` to find out only which they are.
    schema: Option<&'a Schema>,
    needs: Vec<KeyNeed>,
    problems: Vec<KeyProblem>,
}

impl KeyFinder<'_> {
    /// The key of this name and scope, for a field of the type `Key<..>` or, if a tree may do
    /// without it, `Option<Key<..>>`. `access` says what the game does with it, if that is known;
    /// `doc` is a text for people.
    pub fn key<F: KeyField>(&mut self, name: &str, scope: Scope, access: Option<Access>, doc: &str) -> Option<F> {
        let words = F::WORDS.map(|it| NeededWords::Exactly(it.iter().map(|it| (*it).to_owned()).collect()));
        let need = KeyNeed {
            words: words.unwrap_or_default(),
            optional: F::OPTIONAL,
            access,
            doc: doc.to_owned(),
            ..KeyNeed::new(name, scope, F::TYPE)
        };
        let found = self.schema.and_then(|schema| match need.find_in(schema) {
            Ok(found) => F::found(found.map(|it| (it, schema.decl(it)))),
            Err(kind) => {
                self.problems.push(KeyProblem { need: need.clone(), kind });
                None
            }
        });
        self.needs.push(need);
        found
    }
}

/// The types of the fields of a [`KeySet`]: [`Key`], and `Option` of it.
#[diagnostic::on_unimplemented(
    message = "a key that the game relies on cannot be a `{Self}`",
    label = "neither `Key<..>` nor `Option<Key<..>>`"
)]
pub trait KeyField: sealed::Found {}

impl<T: BlackboardType> KeyField for Key<T> {}
impl<T: BlackboardType> KeyField for Option<Key<T>> {}

mod sealed {
    use super::{BlackboardType, Key, KeyDecl, KeyIndex, Type};

    pub trait Found: Sized {
        const TYPE: Type;
        const WORDS: Option<&'static [&'static str]>;
        const OPTIONAL: bool;
        fn found(key: Option<(KeyIndex, &KeyDecl)>) -> Option<Self>;
    }

    impl<T: BlackboardType> Found for Key<T> {
        const TYPE: Type = T::TYPE;
        const WORDS: Option<&'static [&'static str]> = T::KEY_WORDS;
        const OPTIONAL: bool = false;
        fn found(key: Option<(KeyIndex, &KeyDecl)>) -> Option<Self> {
            key.map(|(index, decl)| Key::new(index, decl))
        }
    }

    impl<T: BlackboardType> Found for Option<Key<T>> {
        const TYPE: Type = T::TYPE;
        const WORDS: Option<&'static [&'static str]> = T::KEY_WORDS;
        const OPTIONAL: bool = true;
        fn found(key: Option<(KeyIndex, &KeyDecl)>) -> Option<Self> {
            Some(Key::found(key))
        }
    }
}

impl KeyNeed {
    /// A key of this name, scope and type that every tree must have, with any words.
    #[must_use]
    pub fn new(name: impl Into<String>, scope: Scope, ty: Type) -> Self {
        let words = NeededWords::Any;
        KeyNeed { name: name.into(), scope, ty, words, optional: false, access: None, doc: String::new() }
    }

    /// Whether no tree can have both keys: they have the same name and scope, but other types or
    /// words.
    #[must_use]
    pub fn differs(&self, other: &KeyNeed) -> bool {
        let words = |it: &NeededWords| match it {
            NeededWords::Exactly(all) => Some(all.iter().cloned().collect::<BTreeSet<_>>()),
            NeededWords::Any | NeededWords::AtLeast(_) => None,
        };
        let (one, two) = (words(&self.words), words(&other.words));
        (self.scope, &self.name) == (other.scope, &other.name)
            && (self.ty != other.ty || one.is_some() && two.is_some() && one != two)
    }

    /// What is wrong with the keys of a tree, considering only this need.
    #[must_use]
    pub fn problem(&self, schema: &Schema) -> Option<KeyProblem> {
        self.find_in(schema).err().map(|kind| KeyProblem { need: self.clone(), kind })
    }

    /// The key, or `None` if the tree may do without it, and does.
    fn find_in(&self, schema: &Schema) -> Result<Option<KeyIndex>, KeyProblemKind> {
        let Some(index) = schema.outside(self.scope, &self.name) else {
            let others = [Scope::Agent, Scope::Group, Scope::Global].into_iter();
            return match others.filter(|it| schema.outside(*it, &self.name).is_some()).last() {
                // A key of another scope is a different key.
                _ if self.optional => Ok(None),
                Some(found) => Err(KeyProblemKind::Scope(found)),
                None => Err(KeyProblemKind::Missing(self.meant(schema))),
            };
        };
        let decl = schema.decl(index);
        if decl.ty() != self.ty {
            return Err(KeyProblemKind::Type(decl.ty()));
        }
        let (needed, exactly) = match &self.words {
            NeededWords::Any => (&[][..], false),
            NeededWords::AtLeast(it) => (&it[..], false),
            NeededWords::Exactly(it) => (&it[..], true),
        };
        if let Some(word) = needed.iter().find(|it| !decl.words().any(|own| own == **it)) {
            return Err(KeyProblemKind::WordMissing(word.clone()));
        }
        if let Some(word) = decl.words().find(|it| exactly && !needed.iter().any(|own| own == it)) {
            return Err(KeyProblemKind::WordUnknown(word.to_owned()));
        }
        // A typed key of another version is found only by its tag.
        match schema.keys().find(|it| it.tag() == decl.tag() && !std::ptr::eq(*it, decl)) {
            Some(other) => Err(KeyProblemKind::SameHash(other.name().to_owned())),
            None => Ok(Some(index)),
        }
    }

    /// Which of the tree's keys was probably meant, or which exist.
    fn meant(&self, schema: &Schema) -> Option<Help> {
        let view = schema.host_view();
        let names = view.names();
        let of_scope = || names.iter().copied().filter(|it| schema.outside(self.scope, it).is_some());
        names::near(&self.name, of_scope()).map(Near::help).or_else(|| known::keys(of_scope()))
    }

    /// The same for a key that the game has bound: what the tree has of it now must stay.
    pub(crate) fn bound_to(mut self, schema: &Schema) -> Self {
        let Ok(Some(index)) = self.find_in(schema) else { return self };
        self.optional = false;
        if self.ty == Type::Symbol && self.words == NeededWords::Any {
            self.words = NeededWords::AtLeast(schema.decl(index).words().map(Into::into).collect());
        }
        self
    }
}

impl Schema {
    /// All keys of a set, or everything that is wrong. `tree` is the name of the tree.
    pub(crate) fn bind_set<K: KeySet>(&self, tree: &str) -> Result<(K, Vec<KeyNeed>), KeysError> {
        let mut finder = KeyFinder { schema: Some(self), needs: Vec::new(), problems: Vec::new() };
        let found = K::find(&mut finder);
        match found {
            Some(keys) if finder.problems.is_empty() => {
                Ok((keys, finder.needs.into_iter().map(|it| it.bound_to(self)).collect()))
            }
            _ => Err(KeysError { tree: tree.into(), problems: finder.problems }),
        }
    }

    /// Whether this tree has all these keys.
    pub(crate) fn meets(&self, needs: &[KeyNeed], tree: &str) -> Result<(), KeysError> {
        let problems: Vec<KeyProblem> = needs.iter().filter_map(|it| it.problem(self)).collect();
        if problems.is_empty() { Ok(()) } else { Err(KeysError { tree: tree.into(), problems }) }
    }

    /// The key of that name and scope, as the host sees it.
    fn outside(&self, scope: Scope, name: &str) -> Option<KeyIndex> {
        let index = match scope {
            Scope::Node => None,
            Scope::Agent => self.host_view().resolve(Some("agent"), name),
            Scope::Group => self.host_view().resolve(Some("group"), name),
            Scope::Global => self.host_view().resolve(Some("global"), name),
        };
        index.filter(|it| it.index() < self.keys().len())
    }
}

/// Merges new needs with those bound before.
pub(crate) fn add(all: &mut Vec<KeyNeed>, more: Vec<KeyNeed>) {
    for need in more {
        if !all.contains(&need) {
            all.push(need);
        }
    }
}
