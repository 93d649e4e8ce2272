//! Behaviour trees for games: RON trees, exact aborts, thousands of agents, no engine required.
//!
//! Depend on this crate; it re-exports what a game needs from [`pleach_core`] (the runtime) and
//! [`pleach_asset`] (RON). Leaves that are structs also need `serde` with its feature `derive`.
//!
//! | you want | look at |
//! |---|---|
//! | to name what your leaves see | [`Host`], and its `Cx` |
//! | to write a leaf | a function with [`macro@leaf`]; with state per agent, [`Action`] and [`Condition`]; both receive a [`Context`] |
//! | to read trees from RON | [`Registry`], [`load_str`]; [`check_str`] warns as well |
//! | to ship trees without RON | [`Library::bake`] or `pleach bake`, and [`load_baked`] |
//! | to write trees in Rust | [`Tree::builder`], [`nodes`] |
//! | to run many agents | [`Forest`]; a few agents, each in your own struct: [`Brain`] |
//! | to have keys that work after every reload | [`macro@Keys`] with [`Forest::bind`], [`Brain::bind`] and [`Registry::keys`] |
//! | to tell agents something | [`Key`] with [`Forest::keys_mut`], [`GroupMut::keys_mut`](handles::GroupMut::keys_mut), [`Forest::globals_mut`]; [`PopulationMut::update_agents`](handles::PopulationMut::update_agents), [`PopulationMut::update_column`](handles::PopulationMut::update_column); [`Event`] with [`AgentMut::send`](handles::AgentMut::send) |
//! | to know whose body an agent moves | [`Spawn::entity`], [`Entity::from_index`]; [`Context::entity`] in leaves, [`KeysMut::entity`] in sensors, [`PopulationRef::entities`](handles::PopulationRef::entities) |
//! | to let a squad talk | [`Forest::new_group`]; `Emit(.., to: Group)` in trees, [`Context::send_to_group`] in leaves; brains share a [`SharedBoard`] |
//! | to afford a large crowd | sleep ([`Context::sleep`]), batches ([`Settings::batched`]), [`PopulationMut::update_rates`](handles::PopulationMut::update_rates), [`Forest::tick_within`], `Forest::tick_parallel` |
//! | to check and draw trees without the game | [`asset::Manifest`], [`Registry::check_only`]; `pleach check --leaves` |
//! | to build trees from other trees | [`Library`]; `Subtree` and `Slot` in trees, [`AgentMut::fill`](handles::AgentMut::fill) |
//! | to change a tree while it runs | [`Library::reload`]; or [`load_str`] again, and [`Forest::replace_tree`]; for trees that share what changes, [`Forest::replace_trees`]; for brains, [`Library::poll`] and [`Brain::replace_tree`] |
//! | to go back, for network rollback | [`Forest::snapshot`], [`Forest::rollback`] |
//! | to let players save | `Forest::save`, `Forest::save_agents`, `Forest::restore`, `Brain::save`, `Brain::restore` (feature `save`) |
//! | to know what agents do, and why | [`AgentRef::current`](handles::AgentRef::current), [`AgentRef::explain`](handles::AgentRef::explain), [`AgentRef::why_not`](handles::AgentRef::why_not), [`AgentRef::inspect`](handles::AgentRef::inspect), [`Forest::traced`], [`draw`] |
//! | to watch and steer the game while it runs | `Tap` and `pleach studio` (feature `tap`) |
//! | to know exactly what happens | `SEMANTICS.md` in the repository |
//!
//! # A whole game
//!
//! ```
//! use pleach::{Action, Context, Entity, Event, Forest, Host, Key, Registry, Spawn, Status, leaf, load_str};
//! use serde::Deserialize;
//!
//! /// The game's own data. Each agent knows which entity it is: here that of its body's index.
//! struct World {
//!     bodies: Vec<[f32; 2]>,
//!     night: bool,
//! }
//!
//! /// What leaves see is lent to the forest for one call: the world, or a struct of borrows.
//! struct Game;
//! impl Host for Game {
//!     type Cx<'a> = World;
//! }
//!
//! // Serde reads the parameters, a `Key` is looked up at load.
//! #[derive(Deserialize)]
//! struct WalkTo {
//!     place: Key<[f32; 2]>,
//!     speed: f32,
//! }
//! /// `WalkTo(place: "home", speed: 2.0)` in trees. This text, at the `impl`, is the leaf's for tools.
//! #[leaf] // callbacks that are not here are not called
//! impl Action<Game> for WalkTo {
//!     /// What it remembers of each agent, in a column: here the metres since it set off.
//!     type State = f32;
//!
//!     fn start(&self, walked: &mut f32, _: &mut Context<'_, '_, Game>) {
//!         *walked = 0.0;
//!     }
//!
//!     fn update(&self, walked: &mut f32, cx: &mut Context<'_, '_, Game>) -> Status {
//!         let (to, step) = (cx.get(self.place), self.speed * cx.dt());
//!         let body = cx.entity().index().and_then(|it| cx.host.bodies.get_mut(it));
//!         let Some(at) = body else { return Status::Failure };
//!         let way = [to[0] - at[0], to[1] - at[1]];
//!         let left = way[0].hypot(way[1]);
//!         if left <= step {
//!             *at = to;
//!             return Status::Success;
//!         }
//!         *at = [at[0] + way[0] / left * step, at[1] + way[1] / left * step];
//!         *walked += step;
//!         Status::Running
//!     }
//! }
//!
//! /// `Night` in trees. What it depends on the runtime cannot know, so it is asked in every tick while it is watched.
//! #[leaf]
//! fn night(cx: &mut Context<'_, '_, Game>) -> bool {
//!     cx.host.night
//! }
//!
//! const GUARD: &str = r#"Tree(
//!     version: 1,
//!     name: "guard",
//!     blackboard: { "home": Vec2(0, 0), "suspect": Vec2(0, 0), "health": Float(1.0) },
//!     events: { "noise": Vec2 },
//!     root: Selector(children: [
//!         // Both: it interrupts what stands below, and ends when the condition no longer holds.
//!         Sequence(name: "go home", abort: Both, children: [Night, WalkTo(place: "home", speed: 2.0), Idle]),
//!         Sequence(name: "look", abort: LowerPriority, children: [
//!             OnEvent(event: "noise", into: "suspect"),
//!             Check("health >= 0.5"),
//!             WalkTo(place: "suspect", speed: 4.0),
//!             Wait(3.0),
//!         ]),
//!         Idle(name: "stand"),
//!     ]),
//! )"#;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let mut registry = Registry::<Game>::new();
//!     registry.action::<WalkTo>("WalkTo")?.leaf_fn::<night>()?;
//!     // An error displays as a report: every problem, at its line and column.
//!     let tree = load_str("guard.ron", GUARD, &registry)?;
//!     let home = tree.key::<[f32; 2]>("home")?;
//!
//!     let mut world = World { bodies: vec![[0.0, 0.0]], night: false };
//!     let mut forest = Forest::<Game>::new(7); // the seed of all chance
//!     let guards = forest.add_tree(tree)?;
//!
//!     let spawn = Spawn { entity: Entity::from_index(0), ..Spawn::default() };
//!     let guard = forest.spawn_with(&mut world, guards, spawn)?;
//!     forest.keys_mut(guard)?.set(home, [6.0, 8.0]);
//!
//!     let dt = 1.0 / 60.0;
//!     forest.tick(&mut world, dt)?;
//!     assert_eq!(forest.agent(guard)?.inspect().to_string(), "stand");
//!
//!     forest.agent_mut(guard)?.send(Event::new("noise").with([3.0_f32, 4.0]))?;
//!     for _ in 0..120 {
//!         forest.tick(&mut world, dt)?;
//!     }
//!     assert_eq!(world.bodies[0], [3.0, 4.0]);
//!     assert_eq!(forest.agent(guard)?.inspect().to_string(), "Wait");
//!
//!     world.night = true;
//!     forest.tick(&mut world, dt)?;
//!     let expected = "\
//! guard, 2.033 s, active
//!   does     n0 Selector > n1 Sequence \"go home\" > n3 WalkTo(place: \"home\", speed: 2.0)
//!   watches  n2 Night: was success, only the game knows
//!   aborted  at 2.033 s: n2 Night, which was failure, changed; n5 Sequence \"look\" ended, n0 Selector went on";
//!     assert_eq!(forest.agent(guard)?.explain().to_string(), expected);
//!     Ok(())
//! }
//! ```
//!
//! # Assets
//!
//! A file is one `Tree(version: 1, name: "..", blackboard: {..}, group: {..}, global: {..}, events:
//! {..}, interrupts: [..], root: ..)`. Declare keys with their type and default: `"health":
//! Float(1.0)`, and `Bool`, `Int`, `Vec2`, `Vec3`, `Entity`, `Time`, `Symbol("idle", ["idle",
//! "alert"])`. Declare events with the type of their payload, or `()`: `"noise": Vec2`. An
//! interrupt is `(when:
//! "health <= 0", run: ..)`: as soon as `when` holds, everything else ends and `run` runs, until it
//! ends or `when` no longer holds; then the root restarts. Every node may have `name`, `id`, `note`
//! and `disabled: true`. A node without other fields can omit parameter names: `Wait(2.0)`,
//! `Check("health < 0.3")`, `Inverter(Night)`.
//!
//! Spans, counts and probabilities are numbers or expressions: `Wait("rest / 2")`. A `jitter` of
//! 0.5 makes a span up to half a second longer or shorter, at random. Services are leaves of the
//! game that a composite runs at a fixed interval while it is active: `(every: "pace", jitter: 0.1,
//! run: LookOut(..))`; use them to look around and write keys. A squad is a group:
//! [`Forest::new_group`], [`Spawn::group`], the keys under `group: {..}`
//! ([`GroupMut::keys_mut`](handles::GroupMut::keys_mut)), and `Emit(event: "seen", to: Group)`,
//! which the other members receive.
//!
//! During development files change: [`Library::reload`] gives running agents the new version of
//! their tree. They carry on where they were if that node still exists.
//!
//! [`pleach_asset`] describes the whole format, [`expr`] the expression language.
//!
#![doc = include_str!("nodes.md")]
//!
//! # Why does it do that?
//!
//! - [`AgentRef::explain`](handles::AgentRef::explain) answers in a few lines, as above: what the
//!   agent does; what it watches, with the old and new status and the keys read; and the last
//!   abort, with its time and cause.
//! - [`AgentRef::why_not`](handles::AgentRef::why_not) says what keeps an agent from running a
//!   node.
//! - [`AgentRef::inspect`](handles::AgentRef::inspect) returns the same as data,
//!   [`AgentRef::current`](handles::AgentRef::current) only the running node, at almost no cost.
//! - Lend a [`Recorder`](trace::Recorder) to a call ([`Forest::traced`]): it keeps everything that
//!   happens to some or all agents, or only the latest events; [`draw::TraceLine`] prints each
//!   [`TraceEvent`](trace::TraceEvent). Calls without a tracer cost nothing extra.
//! - [`draw::Drawing`] draws a tree, or an agent in it, as text, Graphviz or SVG:
//!
//! ```
//! use pleach::draw::{Drawing, TraceLine};
//! use pleach::{Forest, Host, Tree, nodes, trace::Recorder};
//! # struct Game;
//! # impl Host for Game {
//! #     type Cx<'a> = ();
//! # }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tree = Tree::<Game>::builder("nap").build(nodes::selector([nodes::wait(2.0), nodes::idle()]))?;
//! let (mut forest, mut recorder) = (Forest::new(7), Recorder::all());
//! let naps = forest.add_tree(tree)?;
//! let agent = forest.spawn(&mut (), naps)?;
//! forest.traced(&mut recorder).tick(&mut (), 0.1)?;
//!
//! let drawn = Drawing::of_agent(&forest.agent(agent)?.inspect()).text().to_string();
//! assert_eq!(drawn, "• Selector\n▶ ├─ Wait  2 s\n  └─ Idle\n");
//! for entry in recorder.take() {
//!     println!("{}", TraceLine::of(forest.tree(naps)?, entry.event)); // update    n1 Wait(2 s) -> running
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! On by default: all but `notify`, `rayon`, `save` and `tap`. With none, Cargo compiles 12 crates.
//!
//! | feature | what it adds | more crates |
//! |---|---|---|
//! | `baked` | [`load_baked`]: trees that were checked when the game was built; like `assets`, it turns on `registry`: [`Registry`], leaves by their names | 2 |
//! | `assets` | trees from RON: [`load_str`], [`check_str`], parameters of leaves | 3 |
//! | `reports` | asset reports drawn with the source line and a caret, optionally in colour, the `ron` crate's messages for malformed numbers and strings, and what tools ask of a game ([`asset::Manifest`]); needs `assets` | 10 |
//! | `draw` | [`draw`]: trees, agents and traces as text, Graphviz and SVG | 1 |
//! | `macros` | [`macro@leaf`]: functions as leaves, and no calls to callbacks that you do not implement | 1 beside `reports`, 4 beside `assets` alone |
//! | `notify` | `asset::Watch`: the system says when files of a [`Library`] have changed, so the game need not poll; needs `assets` | 9 on Linux |
//! | `rayon` | `Forest::tick_parallel`: chunks of agents on several threads | 7 |
//! | `save` | `save` and `restore` of a [`Forest`] and a [`Brain`]: running agents in any serde format | 14, or 12 beside `assets` |
//! | `tap` | `Tap`: `pleach studio` watches and steers the running game; needs `save` | 1 |
//!
//! A game that ships checked trees needs only `assets`. It reads the same files as the same trees,
//! and still reports each problem in one line ([`Report::plain`]): where it is, and what to do.
//!
//! # What it costs
//!
//! - **Memory**: agents share a tree. An agent takes 85-165 bytes, which [`Tree::footprint`] breaks
//!   down; a tick touches 30-75 of those and the state of the running leaf.
//! - **Time**: that of the leaves, plus a few nanoseconds per agent.
//! - A condition over keys is evaluated when one of them has changed; a host condition that does
//!   not say what it [`observes`](Condition::observes) in every tick while it is watched.
//! - An agent that only waits is skipped until it is due, but not below a reactive composite or an
//!   interrupt. A tick allocates nothing; spawning, sending events, inspecting and tracing may.
//! - The same seed, calls and inputs produce the same run on every machine.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "assets")]
#[cfg_attr(docsrs, doc(cfg(feature = "assets")))]
pub use pleach_asset::{Asset, Library, Report, check_str, load_str};
#[cfg(feature = "registry")]
#[cfg_attr(docsrs, doc(cfg(feature = "registry")))]
pub use pleach_asset::{FloatExpr, Registry};
#[cfg(feature = "baked")]
#[cfg_attr(docsrs, doc(cfg(feature = "baked")))]
pub use pleach_asset::{is_baked, load_baked};
#[doc(hidden)]
pub use pleach_core::EveryReason;
pub use pleach_core::{
    Action, AgentContext, AgentId, Bands, BatchContext, BatchLeaf, BlackboardType, Brain, BrainSnapshot, Budget,
    Completion, Condition, Context, End, Entity, Event, EventName, Forest, GroupId, Host, InstanceRef, Keep, Key,
    KeySet, Keys, KeysMut, NoTime, NodeId, NodeRef, Observes, Outcome, Phase, Rate, Reason, Replace, Settings,
    SharedBoard, Snapshot, Spawn, Status, Stream, Symbol, SymbolEnum, TickReport, Ticket, Time, Tree, TreeBuilder,
    TreeId, Type, Value, handles, inspect, limits, schema, trace,
};
#[cfg(feature = "save")]
#[cfg_attr(docsrs, doc(cfg(feature = "save")))]
pub use pleach_core::{BrainSave, Save, record};
#[cfg(feature = "tap")]
#[cfg_attr(docsrs, doc(cfg(feature = "tap")))]
pub use pleach_tap::Tap;

pub mod expr;
#[cfg(feature = "macros")]
mod keys;
pub mod nodes;
pub mod tools;

pub mod error {
    //! What can be wrong with a call, a tree, a key or an event.

    #[cfg(feature = "baked")]
    #[cfg_attr(docsrs, doc(cfg(feature = "baked")))]
    pub use pleach_asset::BakedError;
    #[cfg(feature = "assets")]
    #[cfg_attr(docsrs, doc(cfg(feature = "assets")))]
    pub use pleach_asset::LoadError;
    #[cfg(feature = "registry")]
    #[cfg_attr(docsrs, doc(cfg(feature = "registry")))]
    pub use pleach_asset::{ParamError, RegistryError};
    pub use pleach_core::error::{
        AccessError, AddTreeError, BandsError, BindError, DtError, EventConflict, EventError, EventSender, Field,
        FindError, KeyProblem, KeyProblemKind, KeysError, LeafError, Problem, ProblemKind, RateError, ReplaceTreeError,
        RollbackError, SchemaError, SendError, SharedKeyError, SnapshotError, SpawnError, StaleError, TokenConflict,
        TokenProblem, TokenTerms, TreeChange, TreeError,
    };
    #[cfg(feature = "save")]
    #[cfg_attr(docsrs, doc(cfg(feature = "save")))]
    pub use pleach_core::error::{BoardError, Damage, RestoreError, SaveError};
}

#[cfg(feature = "registry")]
#[cfg_attr(docsrs, doc(cfg(feature = "registry")))]
pub mod asset {
    //! What a [`Registry`](crate::Registry) knows about leaves and their parameters, also as a file
    //! ([`Manifest`]); where a [`Library`](crate::Library) gets its files and how it detects
    //! changes; and the parts of a [`Report`](crate::Report).

    #[cfg(feature = "notify")]
    #[cfg_attr(docsrs, doc(cfg(feature = "notify")))]
    pub use pleach_asset::Watch;
    #[cfg(feature = "reports")]
    #[cfg_attr(docsrs, doc(cfg(feature = "reports")))]
    pub use pleach_asset::{
        Access, AnyKey, Argument, CodePage, Described, LeafInfo, LeafKind, MANIFEST_VERSION, Manifest, ParameterInfo,
        Presence, ValueType, WrittenNode, code_pages, format_str,
    };
    #[cfg(feature = "assets")]
    #[cfg_attr(docsrs, doc(cfg(feature = "assets")))]
    pub use pleach_asset::{
        Changes, Diagnostic, Directory, Edit, Fix, Label, MAX_FILE, Reload, Severity, Source, SourceError, Stamp,
    };
    pub use pleach_asset::{CheckOnly, FromAsset, LeafFn, Parameter, ParameterType};
}

/// Turns a function into a leaf; on an `impl` of [`Action`] or [`Condition`], avoids calls to
/// callbacks that the block does not implement.
///
/// ```
/// use pleach::{Context, FloatExpr, Host, Key, Registry, Status, leaf, load_str};
///
/// struct World {
///     at: [f32; 2],
/// }
/// struct Game;
/// impl Host for Game {
///     type Cx<'a> = World;
/// }
///
/// /// Walks to a place.
/// #[leaf]
/// fn walk_to(cx: &mut Context<'_, '_, Game>, place: Key<[f32; 2]>, #[default(FloatExpr::from(2.0))] speed: &FloatExpr) -> Status {
///     let (to, step) = (cx.get(place), speed.get(cx) * cx.dt());
///     let at = &mut cx.host.at;
///     let way = [to[0] - at[0], to[1] - at[1]];
///     let left = way[0].hypot(way[1]);
///     if left <= step {
///         *at = to;
///         return Status::Success;
///     }
///     *at = [at[0] + way[0] / left * step, at[1] + way[1] / left * step];
///     Status::Running
/// }
///
/// /// Whether the place is near.
/// #[leaf]
/// fn is_near(cx: &mut Context<'_, '_, Game>, place: Key<[f32; 2]>) -> bool {
///     let (to, at) = (cx.get(place), cx.host.at);
///     (to[0] - at[0]).hypot(to[1] - at[1]) < 1.0
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut registry = Registry::<Game>::new();
/// registry.leaf_fn::<walk_to>()?.leaf_fn::<is_near>()?;
/// let tree = load_str(
///     "home.ron",
///     r#"Tree(version: 1, blackboard: { "home": Vec2(3, 4) }, root: Selector([
///         IsNear("home"),
///         WalkTo(place: "home", speed: 5.0),
///     ]))"#,
///     &registry,
/// )?;
/// # let _ = tree;
/// # Ok(())
/// # }
/// ```
///
/// # Functions
///
/// - The first parameter is the context, `&mut Context<'_, '_, Game>`, with or without lifetimes,
///   or an alias of that. The others are the leaf's parameters, which the loader reads from the
///   asset by name; all agents share them. [`asset::Parameter`] lists the possible types. Take
///   types that are not `Copy` by reference: `text: &str`, `route: &[[f32; 2]]`, `speed:
///   &FloatExpr`.
/// - `-> Status` makes an action, `-> bool` a condition.
/// - `walk_to` is `WalkTo` in assets; `#[leaf(name = "..")]` gives it another name.
/// - An asset can omit a parameter that is an `Option` (then it is `None`), or has a default:
///   `#[default(2.0)] speed: f32`.
/// - The doc comments of the function and its parameters are the leaf's documentation:
///   [`Registry::leaves`] and an [`asset::Manifest`] give them to tools, with the names, types and
///   defaults of the parameters. `#[leaf(reads(place), writes(found))]` adds what the leaf does
///   with the keys or events that parameters name; observed keys and keys in expressions count as
///   read.
/// - A condition only answers a question. The runtime can evaluate it at any time, and more than
///   once: a condition that writes what it depends on aborts itself. To look around and write keys,
///   use a service or a sensor of the game.
/// - The runtime evaluates a condition in every tick in which it is watched; with
///   `#[leaf(observes(place))]`, only when the keys that these parameters read have changed
///   ([`Observes::Keys`]); with `#[leaf(every = 0.5)]`, every half second ([`Observes::Every`]).
/// - The function remains a function that you can call and test. The attribute adds a type of the
///   same name, which [`Registry::leaf_fn`] takes.
///
/// A leaf that keeps state per agent, or needs more callbacks than `update`, is a struct that
/// implements [`Action`] or [`Condition`].
///
/// # Implementations
///
/// The doc comment of the `impl` is the leaf's documentation for tools. That of the struct is not,
/// as the attribute cannot see it. On an `impl` of [`Action`] or [`Condition`] the attribute also
/// finds which callbacks the block implements. The runtime then never calls the others, which saves
/// an indirect call each. Without the attribute it calls all of them. There is no other way to
/// leave one out, so you cannot do so by mistake.
///
/// ```
/// # use pleach::{Action, Context, End, Host, Status, leaf};
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = u32;
/// # }
/// struct Hold;
/// /// Stands still, and counts how often.
/// #[leaf]
/// impl Action<Game> for Hold {
///     type State = ();
///     fn update(&self, (): &mut (), _: &mut Context<'_, '_, Game>) -> Status {
///         Status::Running
///     }
///     fn end(&self, (): &mut (), cx: &mut Context<'_, '_, Game>, _: End) {
///         *cx.host += 1;
///     }
/// }
/// ```
///
/// A crate that renames `pleach` names it: `#[leaf(crate = other)]`.
#[cfg(feature = "macros")]
#[cfg_attr(docsrs, doc(cfg(feature = "macros")))]
pub use pleach_macros::leaf;

#[cfg(feature = "macros")]
#[cfg_attr(docsrs, doc(cfg(feature = "macros")))]
pub use keys::Keys;
/// Makes the variants of an enum the words of a symbol key, so that the key is a `Key<Mood>`:
///
/// ```
/// use pleach::{Context, Host, Key, Registry, Status, SymbolEnum, leaf, load_str};
///
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = ();
/// # }
/// #[derive(Clone, Copy, Debug, PartialEq, SymbolEnum)]
/// enum Mood {
///     Calm,
///     #[word("mad")]
///     Angry,
/// }
///
/// /// `Vent(mood: "mood", until: "calm")` in trees.
/// #[leaf]
/// fn vent(cx: &mut Context<'_, '_, Game>, mood: Key<Mood>, until: Mood) -> Status {
///     match cx.get(mood) {
///         Mood::Angry => cx.set(mood, Mood::Calm),
///         Mood::Calm => false,
///     };
///     Status::from_bool(cx.get(mood) == until)
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut registry = Registry::<Game>::new();
/// registry.leaf_fn::<vent>()?;
/// let load = |words: &str| {
///     let key = format!("\"mood\": Symbol(\"calm\", {words})");
///     let root = "Vent(mood: \"mood\", until: \"calm\")";
///     load_str("a.ron", &format!("Tree(version: 1, blackboard: {{ {key} }}, root: {root})"), &registry)
/// };
/// assert!(load(r#"["calm", "mad"]"#).is_ok());
/// assert!(load(r#"["calm", "mad", "sad"]"#).is_err()); // the enum has no such variant
/// # Ok(())
/// # }
/// ```
///
/// `VeryAngry` is the word `very_angry`; `#[word("..")]` gives it another. A parameter of the
/// enum's type is one of the words, as a string; the derive reads it, so do not also derive
/// `Deserialize`.
#[cfg(feature = "macros")]
#[cfg_attr(docsrs, doc(cfg(feature = "macros")))]
pub use pleach_macros::SymbolEnum;

/// Drawings of trees: text, Graphviz, SVG.
#[cfg(feature = "draw")]
#[cfg_attr(docsrs, doc(cfg(feature = "draw")))]
#[doc(inline)]
pub use pleach_draw as draw;

/// The names that the output of `#[leaf]` needs. Not part of the interface.
#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod __leaf {
    #[cfg(feature = "registry")]
    pub use pleach_asset::__leaf::{
        Answer, ContextOf, FnParameter, LeafFn, Observed, Parameter, Params, copied, observed, observes, parameter,
        serde, word, written_word,
    };
    pub use pleach_core::__leaf::{Callbacks, Cloned, Needs, NotCloned, NotSaved, Saved, Saving};
    pub use pleach_core::{Context, Observes};
}

// The examples of the READMEs are compiled and run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../README.md")]
struct Readme;
