//! [`Manifest`]: what tools without the game know of its leaves and events.

mod json;
mod read;
mod schema;
mod write;

use std::sync::Arc;

use pleach_core::{Host, Type, schema::KeyNeed};

use crate::check_only::{self, CheckOnly};
use crate::info::{LeafInfo, LeafKind};
use crate::registry::{About, Make, Registry, RegistryError, arguments};
use crate::report::Report;

/// The version of the format of manifests that this crate reads and writes.
pub const MANIFEST_VERSION: u64 = 1;

/// What a registry knows of its leaves and events, and of the keys that the game relies on, as a
/// file: with it, tools check and draw trees of a game that they do not have.
///
/// ```
/// # mod pleach { pub use pleach_asset::{Manifest, Registry, load_str}; pub use pleach_core::{Host, Status, Type}; }
/// use pleach::{Host, Manifest, Registry, Status, Type, load_str};
/// use serde::Deserialize;
/// # struct Game;
/// # impl Host for Game { type Cx<'a> = (); }
///
/// #[derive(Deserialize)]
/// struct Walk {
///     speed: f32,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // The game writes it ..
/// let mut registry = Registry::<Game>::new();
/// registry.action_with::<Walk>("Walk", |_, _| Status::Running)?.event("noise", Type::Vec2)?;
/// let file = Manifest::of(&registry).to_ron();
///
/// // .. and a tool reads it.
/// let registry = Manifest::parse("game.leaves", &file)?.registry()?;
/// let check = |root: &str| load_str("a.ron", &format!("Tree(version: 1, root: {root})"), &registry);
/// assert!(check("Walk(speed: 2.0)").is_ok());
/// assert!(check("Walk(sped: 2.0)").is_err() && check("Walk(speed: true)").is_err() && check("Run").is_err());
/// # Ok(())
/// # }
/// ```
///
/// # The format
///
/// ```ron
/// Manifest(
///     version: 1,
///     any_event: false,
///     events: [(name: "noise", payload: Some(Vec2))],
///     leaves: [
///         (
///             name: "WalkTo",
///             kind: Action,
///             doc: "Walks to a place.",
///             parameters: Known([
///                 (name: "place", type: Key(Vec2), presence: Required, access: Some(Read), doc: "Where to."),
///                 (name: "speed", type: FloatExpr, presence: Default("2.0"), access: Some(Read), doc: ""),
///             ]),
///         ),
///     ],
///     keys: [
///         (
///             tree: Some("guard"), name: "range", scope: Agent, type: Symbol, words: ["near", "far"],
///             optional: false, access: Some(Write), doc: "How far away the enemy is.",
///         ),
///     ],
/// )
/// ```
///
/// It is plain RON, which serde reads into structs of these fields. Required are only `version` and
/// `leaves`, the names of leaves and parameters, and a key's `name` and `type`; anything else that
/// is left out is unknown or empty.
///
/// - `kind` is `Action`, `Condition` or `Unknown`.
/// - `parameters` is `Unknown`, or `Known([..])` with all of them, in the order in which they can
///   be written without their names.
/// - `type` is `Bool`, `Int`, `Float`, `Char`, `Text`, `Word` (of a symbol key), `OneOf(["a",
///   "b"])`, `Variant(["Walk", "Run"])` (of an enum, without quotes), `Event`, `Key(Float)`,
///   `FloatExpr`, `Option(Int)`, `List(Float)`, `Array(Float, 2)` or `Unknown`.
/// - `presence` is `Required`, `Optional`, `Default("2.0")` (as an asset would write it) or
///   `Unknown`.
/// - `access` is what the leaf does with the key, or event, that the parameter names: `None` if it
///   is not known, or `Some(Read)`, `Some(Write)`, `Some(ReadWrite)`. Receiving an event reads it.
/// - `keys` are those that the game relies on. `tree` is the name of the trees that must have the
///   key, as `Some("guard")`, or `None` for all trees; `scope` is `Agent` (the default), `Group` or
///   `Global`, and `words` are all words of a symbol, or `[]` for any. `optional: true` is a key
///   that a tree may do without.
///
/// # What it cannot know
///
/// Which values of the right type a leaf refuses; what is `Unknown` in it; and what leaves do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Manifest {
    /// Whether trees may name events that neither they nor the host declare: see
    /// [`Registry::allow_any_event`](crate::Registry::allow_any_event).
    pub any_event: bool,
    /// The events that the host declares, with the types of their payloads.
    pub events: Vec<(String, Option<Type>)>,
    /// The leaves.
    pub leaves: Vec<LeafInfo>,
    /// The keys that the game relies on, each with the name of the trees that must have it, or
    /// `None` for all trees: see [`Registry::keys`](crate::Registry::keys).
    pub keys: Vec<(Option<String>, KeyNeed)>,
}

impl Manifest {
    /// What this registry knows. For structs, it finds that by reading sample values into them.
    #[must_use]
    pub fn of<H: Host>(registry: &Registry<H>) -> Manifest {
        Manifest {
            any_event: registry.allows_any_event(),
            events: registry.events().map(|(name, payload)| (name.to_owned(), payload)).collect(),
            leaves: registry.leaves().collect(),
            keys: registry.key_needs().map(|(tree, key)| (tree.map(Into::into), key.clone())).collect(),
        }
    }

    /// Reads a manifest. `file` is its name in messages; nothing is opened.
    ///
    /// # Errors
    /// A syntax error alone; otherwise every problem, in file order: another version, a leaf twice,
    /// an unknown kind.
    pub fn parse(file: &str, source: &str) -> Result<Manifest, Report> {
        read::manifest(file, source)
    }

    /// Writes it as RON, always in the same form. Reading that gives an equal manifest.
    #[must_use]
    pub fn to_ron(&self) -> String {
        write::manifest(self)
    }

    /// A [JSON Schema](https://json-schema.org) (draft 2020-12) of trees with these leaves, for
    /// editors and tools.
    ///
    /// It describes trees as serde writes such RON in JSON: a node is an object with one field,
    /// which has its kind's name and holds an object of its fields (`{ "Wait": { "seconds": 2.0 }
    /// }`); a kind without fields may also be its name alone (`"Idle"`). Fields and parameters have
    /// their names, as JSON cannot mix named and nameless values. Each leaf is an object of its own
    /// below `$defs`, `leaf.WalkTo`, with the types, defaults and descriptions of its parameters;
    /// so is each built-in, `node.Wait`. Tools that know RON can use these alone.
    ///
    /// A schema cannot say whether keys, events and expressions are right.
    #[must_use]
    pub fn to_json_schema(&self) -> String {
        schema::schema(self)
    }

    /// The leaf of that name.
    #[must_use]
    pub fn leaf(&self, name: &str) -> Option<&LeafInfo> {
        self.leaves.iter().find(|it| it.name == name)
    }

    /// A registry of these leaves, for trees that are checked and drawn, but not run: their names,
    /// kinds, and the names and types of their parameters are checked.
    ///
    /// A leaf of unknown kind counts as an action, but stands for a condition where one is needed.
    /// Trees with such leaves get no warnings about their nodes.
    ///
    /// # Errors
    /// A leaf or an event occurs twice, or has an invalid name; or a key occurs twice with
    /// different types or words. A manifest that was [read](Manifest::parse) has none of these.
    pub fn registry(&self) -> Result<Registry<CheckOnly>, RegistryError> {
        let mut registry = Registry::new();
        registry.declare(self)?;
        for leaf in &self.leaves {
            let leaf = Arc::new(leaf.clone());
            let about = About::Described(Arc::clone(&leaf));
            let (name, is_unsure) = (leaf.name.clone(), leaf.kind == LeafKind::Unknown);
            let make: Make<CheckOnly> = Arc::new(move |call| {
                let is_condition = leaf.kind.is_condition(call.is_test);
                arguments::read(&leaf, call).map(|_| check_only::leaf(is_condition))
            });
            registry.add_made(&name, about, is_unsure, make)?;
        }
        Ok(registry)
    }
}

impl<H: Host> Registry<H> {
    /// Declares the events of a manifest and the keys that the game relies on, but not its leaves.
    ///
    /// # Errors
    /// An event or a key is declared already, with another type or other words.
    pub fn declare(&mut self, manifest: &Manifest) -> Result<&mut Self, RegistryError> {
        for (name, payload) in &manifest.events {
            self.event(name, *payload)?;
        }
        self.allow_any_event(manifest.any_event);
        for (tree, key) in &manifest.keys {
            self.need(tree.as_deref(), key.clone())?;
        }
        Ok(self)
    }
}
