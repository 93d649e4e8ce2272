//! Behaviour trees as RON files: [`Asset`] reads and writes them, [`Library`] loads files that
//! include each other, [`Registry`] knows the host's leaves, [`Manifest`] describes them to tools
//! that run without the game, and [`Report`] lists every problem, with the line and a caret.
//!
//! ```
//! # mod pleach {
//! #     pub use pleach_asset::{Registry, load_str};
//! #     pub use pleach_core::{Host, Status};
//! # }
//! use pleach::{Host, Registry, Status, load_str};
//!
//! struct Game;
//! impl Host for Game {
//!     type Cx<'a> = ();
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut registry = Registry::<Game>::new();
//! registry.action_fn("Flee", |_| Status::Running)?;
//! registry.action_fn("Patrol", |_| Status::Running)?;
//! let tree = load_str(
//!     "guard.ron",
//!     r#"Tree(
//!         version: 1,
//!         name: "guard",
//!         blackboard: { "health": Float(1.0) },
//!         root: Selector(children: [
//!             Sequence(abort: LowerPriority, children: [Check("health < 0.3"), Flee]),
//!             Patrol,
//!         ]),
//!     )"#,
//!     &registry,
//! )?;
//! assert_eq!(tree.len(), 5);
//! # Ok(())
//! # }
//! ```
//!
//! # The format
//!
//! A file is one `Tree(version: 1, name: "..", note: "..", allow: [..], blackboard: {..}, group:
//! {..}, global: {..}, events: {..}, ports: {..}, nodes: {..}, templates: {..}, templates_from:
//! [..], interrupts: [..], root: ..)`; only `version` and `root` are required. Comments are RON's.
//! Writing an asset again keeps notes but drops comments.
//!
//! - **Keys** are declared with a type and a default: `Bool(true)`, `Int(3)`, `Float(1.0)`,
//!   `Vec2(0, 0)`, `Vec3(0, 0, 0)`, `Entity(none)`, `Time(0)`,
//!   `Symbol("idle", ["idle", "alert"])`. The words follow the rules for key names, and must
//!   not be names of symbol keys. `blackboard` on a
//!   composite or decorator declares keys of that node.
//! - **Events** are declared with the type of their payload, or with `()` if they have none: `{
//!   "noise": Vec2, "alarm": () }`. Naming an event that neither the tree nor its host
//!   ([`Registry::event`]) declares is an error, unless the host allows it
//!   ([`Registry::allow_any_event`]).
//! - **Interrupts** are `(when: .., run: ..)`: `when` is an expression or a condition of the host,
//!   `run` a node.
//! - **Other files** take the place of nodes: `Subtree(asset: "parts/fight.ron", with: { "target":
//!   "suspect", "speed": 4.5 })`, which a [`Library`] finds. Such a file declares its ports:
//!   `ports: { "target": In(Vec2), "speed": In(Float, 3.0), "found": Out(Bool) }`. In `with` a
//!   string is a key of the including file; literals are for `In` ports, with symbol words
//!   unquoted. All other keys of a file are its own, wherever it is included. `Slot(name: "weapon",
//!   trees: ["sword.ron", "bow.ron"], initial: "sword")` holds one of several files per agent: the
//!   game fills it.
//! - **Templates** are parts used in several places of their file: `templates: { "go": (ports:
//!   {..}, root: ..) }`, and `Use(template: "go", with: {..})`. `templates_from: ["other.ron"]`
//!   makes those of other files usable. Some ship with the loader: `pleach nodes` lists them.
//! - **Holes** are places that the user of a file or a template fills. It declares `nodes: {
//!   "body": One, "steps": Many(default: []) }`, `Node("body")` and `Nodes("steps")` stand there,
//!   and `Use` and `Subtree` give `nodes: { "body": .., "steps": [..] }`.
//! - **Every node** may have `name`, `id`, `note`, `allow: ["P1006"]`, which silences that warning
//!   for the node and what is written below it, and `disabled: true`, which leaves it out of the
//!   tree. Services and the conditions of guards and interrupts are not nodes; of these fields
//!   services have only `disabled`. `allow` on the file counts for all of it.
//! - **Composites** have `children: [..]`, `abort: None | Self | LowerPriority | Both`, and
//!   `services: [(every: 0.5, run: ..)]`. `Sequence`, `Selector`, `ReactiveSequence`,
//!   `ReactiveSelector`, `Parallel(success: All, failure: Any)` (or `AtLeast(n)`),
//!   `RandomSequence`, `RandomSelector` and `RandomChoice`, whose children can have weights:
//!   `children: [(weight: 3.0, child: ..), ..]`; `UtilitySelector(reevaluate: true, inertia: 0.1)`,
//!   whose children have scores: `children: [(score: "..", child: ..), ..]`. `Switch(on: "..",
//!   cases: { "word": .., .. }, default: .., latch: true)` has its children in `cases` and
//!   `default`; cases are words, ints or bools.
//! - **Decorators** have `child: ..`. `Inverter`, `ForceSuccess`, `ForceFailure`, `UntilSuccess`,
//!   `UntilFailure`, `Repeat(count: 3)` or `Repeat(forever: true)` (`end_on_failure: true`),
//!   `Guard(when: ..)`, `Timeout(seconds: 2.0, result: Failure)`, `Cooldown(seconds: 2.0)`,
//!   `Limit(count: 3, exhausted: Failure)`, `Delay(seconds: 2.0)`, `Probability(p: 0.5)`,
//!   `Token(token: "attack", count: 2, rest: 1.0, of: Group)`,
//!   `Finally(do: [Set(..), Log(..)], on: Any | Aborted | Success | Failure)`, whose `do` is called
//!   however the child ends.
//! - **Numbers** of seconds, times and ticks, and `p`, are literals or expressions: `Wait(seconds:
//!   2.0)`, `Wait(seconds: "pause * 2")`, `Repeat(count: "rounds", ..)`, `services: [(every:
//!   "pace", run: ..)]`. `Wait`, `Delay`, `Cooldown` and services take a literal `jitter` in
//!   seconds, which makes them randomly longer or shorter each time: `Wait(seconds: 2.0, jitter:
//!   0.5)`.
//! - **Leaves** are `Wait(seconds: 2.0)`, `WaitTicks(ticks: 3)`, `WaitUntil(expr: "..")`,
//!   `WaitFor(event: "answer", into: "key")`, `Check(expr: "..")`, `OnEvent(event: "noise", into:
//!   "key")`, `Free(token: "attack")`, `Set(key: "k", to: "k + 1")`, `Roll(key: "k", from: 1, to:
//!   6)`, `Log(text: "..")`, `Emit(event: "shout", payload: "k", to: Group)`, `Succeed`, `Fail`,
//!   `Idle`, and the host's leaves under their own names, with their own parameters.
//! - Without other fields, you can **omit parameter names**: `Wait(2.0)`, `Sequence([..])`,
//!   `Inverter(..)`, `Guard("..", ..)`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(feature = "reports"),
    allow(dead_code, unreachable_pub, unused_imports, reason = "looked at with that feature")
)]

// The macros come before the modules, which use them.

/// The key of its type, whatever that is: `with_key!(key, it => it.to_bits())`.
#[cfg(feature = "reports")]
#[doc(hidden)]
#[macro_export]
macro_rules! with_key {
    ($key:expr, $it:ident => $then:expr) => {
        match $key {
            $crate::AnyKey::Bool($it) => $then,
            $crate::AnyKey::Int($it) => $then,
            $crate::AnyKey::Float($it) => $then,
            $crate::AnyKey::Vec2($it) => $then,
            $crate::AnyKey::Vec3($it) => $then,
            $crate::AnyKey::Entity($it) => $then,
            $crate::AnyKey::Time($it) => $then,
            $crate::AnyKey::Symbol($it) => $then,
        }
    };
}

/// A key of a type, made by an expression that gives any type of key:
/// `key_of_type!(ty, Key::from_bits(bits))`.
#[cfg(feature = "reports")]
#[doc(hidden)]
#[macro_export]
macro_rules! key_of_type {
    ($ty:expr, $key:expr) => {
        match $ty {
            $crate::__Type::Bool => $crate::AnyKey::Bool($key),
            $crate::__Type::Int => $crate::AnyKey::Int($key),
            $crate::__Type::Float => $crate::AnyKey::Float($key),
            $crate::__Type::Vec2 => $crate::AnyKey::Vec2($key),
            $crate::__Type::Vec3 => $crate::AnyKey::Vec3($key),
            $crate::__Type::Entity => $crate::AnyKey::Entity($key),
            $crate::__Type::Time => $crate::AnyKey::Time($key),
            $crate::__Type::Symbol => $crate::AnyKey::Symbol($key),
        }
    };
}

#[cfg(feature = "reports")]
mod argument;
#[cfg(feature = "text")]
mod asset;
#[cfg(feature = "baked")]
mod baked;
#[cfg(feature = "text")]
mod build;
mod check_only;
mod code;
#[cfg(feature = "reports")]
mod document;
mod finding;
#[cfg(feature = "text")]
mod fixes;
mod float_expr;
mod foreign;
#[cfg(feature = "reports")]
mod format;
mod function;
#[cfg(feature = "reports")]
mod includes;
mod info;
mod kind;
#[cfg(feature = "text")]
mod lex;
#[cfg(feature = "text")]
mod library;
mod limits;
mod literal;
#[cfg(feature = "reports")]
mod manifest;
mod parameter;
mod params;
#[cfg(feature = "text")]
mod path;
mod probe;
#[cfg(feature = "text")]
mod read;
mod registry;
#[cfg(feature = "text")]
mod report;
#[cfg(feature = "text")]
mod source;
mod span;
#[cfg(feature = "text")]
mod standard;
mod suggest;
mod syntax;
#[cfg(feature = "reports")]
mod tokens;
#[cfg(feature = "text")]
mod tree_fields;
#[cfg(feature = "reports")]
mod write;
mod written;

#[cfg(feature = "text")]
use pleach_core::{Host, Tree};

#[cfg(feature = "reports")]
#[cfg_attr(docsrs, doc(cfg(feature = "reports")))]
pub use argument::{AnyKey, Argument};
#[cfg(feature = "text")]
#[cfg_attr(docsrs, doc(cfg(feature = "text")))]
pub use asset::Asset;
#[cfg(feature = "baked")]
#[cfg_attr(docsrs, doc(cfg(feature = "baked")))]
pub use baked::{BakedError, is_baked, load_baked};
pub use check_only::CheckOnly;
#[cfg(feature = "text")]
#[cfg_attr(docsrs, doc(cfg(feature = "text")))]
pub use code::Severity;
#[cfg(feature = "reports")]
#[cfg_attr(docsrs, doc(cfg(feature = "reports")))]
pub use code::{CodePage, code_pages};
#[cfg(feature = "reports")]
pub use document::{Arguments, Datum, Document, Name, Problem, Shape};
pub use float_expr::FloatExpr;
#[cfg(feature = "reports")]
#[cfg_attr(docsrs, doc(cfg(feature = "reports")))]
pub use format::format_str;
pub use function::LeafFn;
#[cfg(feature = "reports")]
#[cfg_attr(docsrs, doc(cfg(feature = "reports")))]
pub use includes::{INCLUDES, Include, IncludeField, IncludeShape};
#[cfg(feature = "reports")]
#[cfg_attr(docsrs, doc(cfg(feature = "reports")))]
pub use info::{LeafInfo, LeafKind, ParameterInfo, Presence, ValueType};
#[cfg(feature = "text")]
#[cfg_attr(docsrs, doc(cfg(feature = "text")))]
pub use library::{Changes, Library, LoadError, Reload};
pub use limits::{MAX_NESTING, MAX_PARAMETER_NESTING, MAX_PARAMETERS, MAX_SOURCE};
#[cfg(feature = "reports")]
#[cfg_attr(docsrs, doc(cfg(feature = "reports")))]
pub use manifest::{MANIFEST_VERSION, Manifest};
pub use parameter::{FromAsset, Parameter, ParameterType};
#[cfg(feature = "reports")]
pub use path::{file_stem, included_name, relative};
#[cfg(feature = "reports")]
#[doc(hidden)]
pub use pleach_core::Type as __Type;
#[cfg(feature = "reports")]
#[cfg_attr(docsrs, doc(cfg(feature = "reports")))]
pub use pleach_core::schema::Access;
#[cfg(feature = "text")]
#[cfg_attr(docsrs, doc(cfg(feature = "text")))]
pub use read::FORMAT_VERSION;
pub use registry::{ParamError, Registry, RegistryError};
#[cfg(feature = "text")]
#[cfg_attr(docsrs, doc(cfg(feature = "text")))]
pub use report::{Diagnostic, Edit, Fix, Label, Report};
#[cfg(feature = "notify")]
#[cfg_attr(docsrs, doc(cfg(feature = "notify")))]
pub use source::Watch;
#[cfg(feature = "text")]
#[cfg_attr(docsrs, doc(cfg(feature = "text")))]
pub use source::{Directory, MAX_FILE, Source, SourceError, Stamp};
#[cfg(feature = "reports")]
#[cfg_attr(docsrs, doc(cfg(feature = "reports")))]
pub use standard::{StandardTemplate, standard_templates};
#[cfg(feature = "reports")]
pub use tokens::{PlacedToken, TokenKind, tokens};
#[cfg(feature = "reports")]
pub use tree_fields::{TREE_FIELDS, TreeField};
#[cfg(feature = "reports")]
#[cfg_attr(docsrs, doc(cfg(feature = "reports")))]
pub use {build::WrittenNode, library::Described};

/// For the code that the attribute `#[leaf]` generates. Not part of the interface.
#[doc(hidden)]
pub mod __leaf {
    pub use crate::function::{Answer, ContextOf, LeafFn, Params, copied, observed, observes};
    pub use crate::parameter::{FnParameter, Observed, Parameter};
    pub use pleach_core::__leaf::Callbacks;
    pub use pleach_core::{Context, Observes};

    // Under this name, as the compiler may show the path of its traits.
    pub use serde_core as serde;

    /// What a leaf says about a parameter.
    #[must_use]
    pub const fn parameter<T: Parameter>(
        name: &'static str,
        doc: &'static str,
        reads: bool,
        writes: bool,
    ) -> FnParameter {
        FnParameter::of::<T>(name, doc, reads, writes)
    }

    /// The word of an enum value, as an asset writes it.
    #[must_use]
    pub fn written_word<T: pleach_core::SymbolEnum>(value: T) -> Option<String> {
        crate::parameter::written_word(value)
    }

    /// Reads an enum value by its word.
    ///
    /// # Errors
    /// If it is not a string, or not a word of the enum.
    pub fn word<'de, T: pleach_core::SymbolEnum, D: serde::Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        crate::parameter::word(deserializer)
    }
}

/// Reads a tree from text. `file` is its name in messages; this opens no file.
///
/// # Errors
/// A syntax error alone; otherwise every problem, in file order.
#[cfg(feature = "text")]
#[cfg_attr(docsrs, doc(cfg(feature = "text")))]
pub fn load_str<H: Host>(file: &str, source: &str, registry: &Registry<H>) -> Result<Tree<H>, Report> {
    build::build(&Asset::read(file, source)?, registry)
}

/// As [`load_str`], with warnings about probable mistakes:
///
/// - missing abort types: a branch begins with a condition, and nothing evaluates it again while
///   what follows the branch runs;
/// - abort types, or halves of `Both`, that can never fire (with the composite that breaks their
///   chain), and conditions that are not watched because one composite has no abort type;
/// - conditions whose change ends what runs although the branch may fail at its next gate, and
///   conditions on an event that abort what they start, because the event is gone in the next tick;
/// - branches that nothing re-enters when their `Cooldown` ends;
/// - keys that a sequence sets and sets back, and that stay set if the sequence is ended from
///   outside;
/// - a `Switch` without a case for a value that the tree writes;
/// - what [`doubts`](pleach_core::expr::doubts) finds in the expressions of built-in nodes;
/// - children that are never reached, spans below zero and limits of zero;
/// - keys that neither the tree uses nor, as far as [`Registry::keys`] says, the host.
///
/// The book says what each warning looks for, and when it stays silent. Warnings assume nothing
/// about the host's leaves: a warning holds whatever they return. One warning assumes that an
/// action of the host may run for long.
///
/// # Errors
/// As [`load_str`]. If the file can be read, with the warnings that need no tree: spans below zero
/// and limits of zero.
#[cfg(feature = "text")]
#[cfg_attr(docsrs, doc(cfg(feature = "text")))]
pub fn check_str<H: Host>(file: &str, source: &str, registry: &Registry<H>) -> Result<(Tree<H>, Report), Report> {
    build::check(&Asset::read(file, source)?, registry)
}
