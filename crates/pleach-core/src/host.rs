//! What the host implements: its context type, and its leaves.

pub(crate) mod access;
pub(crate) mod batch;
pub(crate) mod call;
pub(crate) mod context;
pub(crate) mod keep;
pub(crate) mod leaf;

use bitflags::bitflags;
use pleach_expr::expr::KeyIndex;

pub use batch::{BatchContext, BatchLeaf};
pub use keep::{Cloned, Keep, NotCloned, NotSaved, Saved, Saving};

use crate::{AgentId, Context, End, Event, NodeId, Status, error::SendError};

/// Names the data that a game lends to its leaves during a call. The context may borrow:
///
/// ```
/// # struct World;
/// struct Game;
/// struct GameCx<'a> {
///     world: &'a mut World,
/// }
/// # use pleach_core as pleach;
/// impl pleach::Host for Game {
///     type Cx<'a> = GameCx<'a>;
/// }
/// ```
pub trait Host: Sized + 'static {
    /// The context: lent to the forest for one call, and by the forest to each callback.
    type Cx<'a>;

    /// An [`Emit`](crate::nodes::emit) node ran that is not
    /// [to the group](crate::nodes::Node::to_group), or a leaf called [`Context::emit`].
    fn on_emit(cx: &mut Self::Cx<'_>, agent: AgentId, event: Event) {
        let _ = (cx, agent, event);
    }

    /// An agent's tree does not know an event that a leaf sent to the agent ([`Context::send`]), or
    /// not with this payload; `error` says which, and [who sent it](crate::error::EventSender). No
    /// agent receives it. For an event that a leaf sent to a group ([`Context::send_to_group`]),
    /// `agent` is the sender: neither its own tree nor that of any other member knows the event.
    /// Called when the request is carried out. This is a mistake in the leaf or in a declaration:
    /// the default panics.
    ///
    /// # Panics
    /// Always, unless it is implemented.
    fn on_refused(cx: &mut Self::Cx<'_>, agent: AgentId, event: Event, error: &SendError) {
        let _ = (cx, event);
        match error {
            SendError::Refused { sender: Some(by), .. } => panic!("{by} sent an event that is refused: {error}"),
            _ => panic!("an event that a leaf sent to {agent:?}, or to the group of that agent, is refused: {error}"),
        }
    }

    /// A [`Log`](crate::nodes::log) node ran.
    fn on_log(cx: &mut Self::Cx<'_>, agent: AgentId, node: NodeId, text: &str) {
        let _ = (cx, agent, node, text);
    }
}

bitflags! {
    /// Which callbacks of a leaf are implemented. The others are not called, which saves an
    /// indirect call each. `update` is always called.
    ///
    /// Games cannot name this type, so only `#[leaf]` leaves callbacks out: one that is implemented
    /// but left out is never called, without any warning.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Callbacks: u8 {
        /// [`Action::start`].
        const START = 1;
        /// [`Action::end`].
        const END = 2;
        /// [`Action::awake`], [`Action::restored`] and [`Action::pause`].
        const LIFECYCLE = 4;
    }
}

/// A leaf that does something. One value of it serves all agents of a tree; its `State` holds what
/// it has to remember about one agent.
///
/// [`action_of`](crate::nodes::action_of) makes a node of it. For leaves without state and with no
/// callback but update, a closure is enough: see [`action`](crate::nodes::action).
///
/// With the attribute `#[leaf]` of `pleach` on the `impl`, callbacks that it does not implement are
/// not called. Without it all of them are, as nothing else says which exist: a useless indirect
/// call per activation for each of `start` and `end`. Tools show the doc comment of that `impl` as
/// the description of the leaf; the attribute cannot see that of its struct.
pub trait Action<H: Host>: Send + Sync + 'static {
    /// What it remembers about each agent: made when the agent is spawned, or its tree is replaced
    /// by this one, and kept as long as it has this tree. A zero-sized type that needs no drop,
    /// such as `()`, costs nothing: nothing is stored, and each call gets a new one. `Sync` because
    /// forests are `Sync`; as the state is lent with `&mut`, it needs no `Cell`.
    type State: Default + Send + Sync + 'static;

    /// How its states are copied, for [`Forest::snapshot`](crate::Forest::snapshot), and saved
    /// (feature `save`). With `#[leaf]` on the `impl` nothing has to be written here: the states
    /// are copied if they derive `Clone`, and saved if they derive `serde::Serialize` and
    /// `serde::Deserialize`. Without `#[leaf]` they are neither, unless the leaf has `const KEEP:
    /// Keep<Self::State> = Keep::cloned();` or `Keep::cloned().saved();`. A state that costs
    /// nothing needs neither.
    const KEEP: Keep<Self::State> = Keep::NOT;

    /// The callbacks that this action implements, as `#[leaf]` finds them.
    #[doc(hidden)]
    const CALLBACKS: Callbacks = Callbacks::all();

    /// What the doc comment of the `impl` says, as `#[leaf]` finds it, for tools.
    #[doc(hidden)]
    const DOC: &'static str = "";

    /// The agent was enabled (spawned, restarted). Called once per node, before any other callback.
    fn awake(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>) {
        let _ = (state, cx);
    }

    /// The agent was restored from a save, with this state (SEMANTICS 11.3): the leaf gets its
    /// handles from the game again. Called once per node of an enabled agent, in place of `awake`,
    /// active or not.
    fn restored(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>) {
        let _ = (state, cx);
    }

    /// An activation begins; an update follows in the same tick.
    fn start(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>) {
        let _ = (state, cx);
    }

    /// Does the work of one tick. [`Status::Running`] keeps the node active.
    fn update(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>) -> Status;

    /// The activation is over. Called exactly once for every `start`.
    fn end(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>, end: End) {
        let _ = (state, cx, end);
    }

    /// The agent was paused (`true`) or resumed (`false`) while this node was active.
    fn pause(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>, paused: bool) {
        let _ = (state, cx, paused);
    }

    /// Whether agents in which `before`, the older version of this leaf, is active carry on with it
    /// when their tree is replaced (SEMANTICS 10.3). Their states stay in any case. If not, it is
    /// ended for them, and started again in their next ticks. Asked once for all agents. By default
    /// they carry on, whatever its parameters are now.
    fn can_resume(&self, before: &Self) -> bool
    where
        Self: Sized,
    {
        let _ = before;
        true
    }
}

/// When a condition has to be asked again.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Observes {
    /// In every tick: the answer can change at any time.
    #[default]
    EveryTick,
    /// Only when one of these keys has changed its value: the answer depends on nothing else. The
    /// keys can be of any scope.
    Keys(Vec<KeyIndex>),
    /// Every this many seconds of the agent's own time, for an expensive answer (SEMANTICS 8.5).
    /// Different agents ask in different ticks. Zero, negative, NaN and more than
    /// [`MAX_SECONDS`](crate::limits::MAX_SECONDS) mean in every tick.
    Every(f32),
}

/// A leaf that answers a question. The reevaluation pass may ask it at any time, without `start`
/// and `end`, and so more often than it is started. [`condition_of`](crate::nodes::condition_of)
/// makes a node of it.
pub trait Condition<H: Host>: Send + Sync + 'static {
    /// What it remembers about each agent; see [`Action::State`].
    type State: Default + Send + Sync + 'static;

    /// How its states are copied and saved: with `#[leaf]` on the `impl`, if they derive `Clone`,
    /// and `serde::Serialize` and `serde::Deserialize`. See [`Action::KEEP`].
    const KEEP: Keep<Self::State> = Keep::NOT;

    /// The callbacks that this condition implements, as `#[leaf]` finds them.
    #[doc(hidden)]
    const CALLBACKS: Callbacks = Callbacks::all();

    /// What the doc comment of the `impl` says, as `#[leaf]` finds it, for tools.
    #[doc(hidden)]
    const DOC: &'static str = "";

    /// Which changes can change the answer. Called once, at load.
    fn observes(&self) -> Observes {
        Observes::EveryTick
    }

    /// The agent was enabled.
    fn awake(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>) {
        let _ = (state, cx);
    }

    /// The agent was restored from a save: see [`Action::restored`].
    fn restored(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>) {
        let _ = (state, cx);
    }

    /// An activation begins. A recheck in the pass has none.
    fn start(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>) {
        let _ = (state, cx);
    }

    /// The answer, as [`Status::Success`] or [`Status::Failure`]. A condition may also need more
    /// ticks and return [`Status::Running`].
    fn update(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>) -> Status;

    /// The activation is over.
    fn end(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>, end: End) {
        let _ = (state, cx, end);
    }

    /// The agent was paused or resumed while this node was active.
    fn pause(&self, state: &mut Self::State, cx: &mut Context<'_, '_, H>, paused: bool) {
        let _ = (state, cx, paused);
    }

    /// Whether agents in which `before`, the older version of this condition, is active carry on
    /// with it when their tree is replaced (SEMANTICS 10.3), and whether its last answer still
    /// counts. Their states stay in any case. If not, it is ended for them, and started again in
    /// their next ticks. Asked once for all agents. By default they carry on, whatever its
    /// parameters are now.
    fn can_resume(&self, before: &Self) -> bool
    where
        Self: Sized,
    {
        let _ = before;
        true
    }
}
