//! One agent, for hosts that keep it inside their own struct. [`row`] is its state, [`keys`] its
//! blackboard, [`calls`] what runs its leaves, [`tick`] its tick.

mod calls;
mod keys;
#[cfg(feature = "save")]
mod record;
mod row;
#[cfg(feature = "save")]
mod save;
mod sharing;
mod snapshot;
mod tick;

use std::sync::Arc;

use crate::blackboard::KeyNeed;
use crate::blackboard::shared::{Owner, Shared, SharedMap};
use crate::clock::{DtError, Step};
use crate::forest::lives::Lives;
use crate::forest::parts::Shape;
use crate::forest::{
    AgentState, AgentView, Current, Explanation, Footprint, Phase, Replace, ReplaceReport, Settings, TokenView,
};
use crate::host::call::Call;
use crate::ids::salted::Salt;
use crate::life::Flags;
use crate::machine::scratch::Scratch;
use crate::row::Row;
use crate::trace::{NoTracer, Traced, Tracer};
use crate::{
    AgentId, Completion, Entity, Event, Host, NodeId, Outcome, Spawn, Time, Tree, error::KeysError, error::SendError,
    inspect::WhyNot, rng,
};
use row::LoneRow;
pub use sharing::{SharedBoard, Sharing};
pub use snapshot::BrainSnapshot;

/// One agent with its own tree, clock and blackboard, outside any forest: for a few agents that
/// live inside other structs. Up to about ten agents per tree are faster as brains; from about a
/// hundred, agents are faster in a [`Forest`](crate::Forest). A brain does what the only agent of a
/// forest does, and takes a few hundred bytes. **Dropping a brain calls no `end`**, as `drop` has
/// no context to lend: to end what is active, call [`despawn`](Brain::despawn) first.
///
/// A brain has what an agent of a forest has: tracers, [`explain`](Brain::explain) and
/// [`why_not`](Brain::why_not), events, `save` and `restore` (feature `save`),
/// [`snapshot`](Brain::snapshot), [`replace_tree`](Brain::replace_tree), which takes what
/// `Library::poll` gives when files change, and [`Settings`]. It has no rate, budget or batches:
/// the game decides when to tick which brain. A brain is one agent and knows no other. Its leaves
/// can stop, restart and despawn it and send it events; it drops what they request for another
/// agent, a group or another tree ([`Context::spawn`](crate::Context::spawn), whose ticket then
/// stands for none). Group and global keys belong to this brain alone, unless the game lends it a
/// [`SharedBoard`](crate::SharedBoard) for a call: see [`sharing`](Brain::sharing).
///
/// After a leaf or the game despawns the agent, the brain is [`Phase::Off`] and calls that would
/// change the agent do nothing, until you restore a save into it or roll it back to a snapshot.
///
/// # In a struct of the game
/// A tick borrows the brain and, as its context, the game. So the context lends everything except
/// the brain: the other fields of its struct, the other structs, and the rest of the world.
///
/// ```
/// # mod pleach { pub use pleach_core::{Brain, Context, Host, Status, Tree, nodes}; }
/// # use std::sync::Arc;
/// use pleach::{Brain, Context, Host, Status, Tree, nodes};
///
/// struct World {
///     animals: Vec<Animal>,
///     grass: u32,
/// }
/// struct Animal {
///     brain: Brain<Game>,
///     body: Body,
/// }
/// #[derive(Default)]
/// struct Body {
///     fed: u32,
/// }
///
/// /// What leaves see: one animal's body, the animals before and behind it, the rest.
/// struct Cx<'a> {
///     body: &'a mut Body,
///     others: [&'a mut [Animal]; 2],
///     grass: &'a mut u32,
/// }
/// struct Game;
/// impl Host for Game {
///     type Cx<'a> = Cx<'a>;
/// }
///
/// fn think(world: &mut World, dt: f32) -> Result<(), pleach_core::error::DtError> {
///     for at in 0..world.animals.len() {
///         let (before, rest) = world.animals.split_at_mut(at);
///         let Some((Animal { brain, body }, behind)) = rest.split_first_mut() else { break };
///         brain.tick(&mut Cx { body, others: [before, behind], grass: &mut world.grass }, dt)?;
///     }
///     Ok(())
/// }
/// #
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
///
/// let graze = nodes::action(|cx: &mut Context<'_, '_, Game>| {
///     *cx.host.grass -= 1;
///     cx.host.body.fed += 1 + cx.host.others.iter().map(|it| it.len() as u32).sum::<u32>();
///     Status::Success
/// });
/// let tree = Arc::new(Tree::builder("sheep").build(graze)?);
/// let mut world = World { animals: Vec::new(), grass: 9 };
/// for seed in 0..3 {
///     let (mut body, mut nothing) = (Body::default(), 0);
///     let mut cx = Cx { body: &mut body, others: [&mut [], &mut []], grass: &mut nothing };
///     let brain = Brain::new(&mut cx, Arc::clone(&tree), seed);
///     world.animals.push(Animal { brain, body });
/// }
/// think(&mut world, 0.1)?;
/// assert_eq!((world.grass, world.animals[1].body.fed), (6, 3));
/// # Ok(())
/// # }
/// ```
///
/// If leaves need the whole world, `world.animals[at].brain.tick(&mut world, dt)` does not compile
/// (E0499): the brain is part of what it lends. Keep brains in their own list beside the world, and
/// let the context say whose tick it is. Or make the field an `Option<Brain<Game>>`: take the brain
/// out for the call, and put it back. The book's chapter on embedding has a program for each way.
pub struct Brain<H: Host> {
    shape: Shape<H>,
    row: LoneRow<H>,
    call: Call,
    step: Step,
    /// Rarely used parts.
    rest: Option<Box<Rest>>,
    /// The number of ticks so far.
    frame: u64,
    /// How often a save or a snapshot has replaced the agent.
    brought: u32,
}

/// What a brain needs for a tree with shared keys, for one whose ticks need scratch, or for one to
/// which keys are bound.
struct Rest {
    shared: Shared,
    scratch: Scratch,
    /// The keys that the game relies on.
    needs: Vec<KeyNeed>,
}

impl Rest {
    fn new(id: AgentId) -> Box<Self> {
        Box::new(Rest {
            shared: Shared::new(Salt::of_first(id), Owner::Brain),
            scratch: Scratch::default(),
            needs: Vec::new(),
        })
    }
}

impl<H: Host> std::fmt::Debug for Brain<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Brain")
            .field("agent", &self.row.id)
            .field("tree", &self.shape.tree)
            .field("phase", &self.phase())
            .finish_non_exhaustive()
    }
}

impl<H: Host> Brain<H> {
    /// An enabled brain that runs `tree`. `seed` determines its random stream.
    ///
    /// # Panics
    /// If an `awake` does, or creating a leaf's state.
    #[must_use]
    pub fn new(cx: &mut H::Cx<'_>, tree: impl Into<Arc<Tree<H>>>, seed: u64) -> Self {
        Brain::spawn_with(cx, tree, seed, Spawn::default())
    }

    /// A brain with all the options of an agent. It is the only agent of its group, for any group
    /// you choose. `seed` determines its id, and its random stream if `spawn` has no seed.
    ///
    /// # Panics
    /// As [`new`](Brain::new).
    #[must_use]
    pub fn spawn_with(cx: &mut H::Cx<'_>, tree: impl Into<Arc<Tree<H>>>, seed: u64, spawn: Spawn) -> Self {
        let tree = tree.into();
        let rng = spawn.seed.map_or_else(|| rng::stream(seed, 0), rng::exact);
        let row = LoneRow::new(&tree, Salt::of(seed).first(), rng);
        let mut brain = Brain {
            shape: Shape::new(tree, SharedMap::default()),
            row,
            call: Call::default(),
            step: Step::default(),
            rest: None,
            frame: 0,
            brought: 0,
        };
        brain.make_rest();
        if spawn.entity != Entity::NONE {
            brain.row.put_entity(spawn.entity);
        }
        if spawn.completion == Completion::Stop {
            brain.row.flags |= Flags::STOPS;
        }
        if spawn.enabled {
            brain.enable(cx);
        }
        brain
    }

    /// Makes what the tree needs of the rest.
    fn make_rest(&mut self) {
        let tree = Arc::clone(&self.shape.tree);
        let [_, group, global] = tree.schema.columns();
        if group + global > 0 && self.rest.is_none() {
            self.shape.map = self.rest().shared.admit(&tree.schema, &tree.layout);
        }
        if self.shape.grouped && self.row.group().is_none() {
            let id = self.row.id;
            let group = self.rest().shared.new_group(id);
            self.row.put_group(group);
        }
        if !tree.needs_no_scratch {
            self.rest().scratch.fit(&tree);
        }
    }

    fn rest(&mut self) -> &mut Rest {
        self.rest.get_or_insert_with(|| Rest::new(self.row.id))
    }

    /// The brain with a tracer, which sees what the agent does in calls made through the returned
    /// value: see [`Traced`].
    pub fn traced<'a, T: Tracer>(&'a mut self, tracer: &'a mut T) -> Traced<'a, Self, T> {
        Traced { it: self, tracer }
    }

    /// Lets `dt` seconds pass and ticks the agent. Then carries out what its leaves requested.
    /// Returns how its root ended, if it ended in this tick and no request despawned the agent.
    ///
    /// # Errors
    /// If `dt` is negative, NaN, infinite or too long: nothing happens then.
    ///
    /// # Panics
    /// If a leaf does: the agent is then [`Phase::Panicked`], with nothing active, and no `end` is
    /// called.
    pub fn tick(&mut self, cx: &mut H::Cx<'_>, dt: f32) -> Result<Option<Outcome>, DtError> {
        self.traced(&mut NoTracer).tick(cx, dt)
    }

    /// Enables the agent if it is off: it starts afresh, with its blackboard as it is.
    ///
    /// # Panics
    /// If an `awake` does: the agent is [`Phase::Panicked`] then.
    pub fn enable(&mut self, cx: &mut H::Cx<'_>) {
        self.traced(&mut NoTracer).enable(cx)
    }

    /// Ends everything active. The agent stays off until you enable it. Its waiting events are
    /// dropped.
    ///
    /// # Panics
    /// If an `end` does: as in [`enable`](Brain::enable).
    pub fn disable(&mut self, cx: &mut H::Cx<'_>) {
        self.traced(&mut NoTracer).disable(cx)
    }

    /// Disables and enables the agent, but keeps its waiting events.
    ///
    /// # Panics
    /// If an `end` or `awake` does: as in [`enable`](Brain::enable).
    pub fn restart(&mut self, cx: &mut H::Cx<'_>) {
        self.traced(&mut NoTracer).restart(cx)
    }

    /// Pauses the agent: it is not ticked, and its own time stands still.
    ///
    /// # Panics
    /// If a `pause` does: as in [`enable`](Brain::enable).
    pub fn pause(&mut self, cx: &mut H::Cx<'_>) {
        self.traced(&mut NoTracer).pause(cx)
    }

    /// Continues the agent after a [`pause`](Brain::pause).
    ///
    /// # Panics
    /// If a `pause` does: as in [`enable`](Brain::enable).
    pub fn unpause(&mut self, cx: &mut H::Cx<'_>) {
        self.traced(&mut NoTracer).unpause(cx)
    }

    /// Ends everything active with [`Reason::Despawned`](crate::Reason::Despawned). The agent is
    /// then gone: only `restore` and [`rollback`](Brain::rollback) bring one back. Call this before
    /// you drop a brain that has something to end, such as a radio that one of its leaves has
    /// taken: dropping a brain calls no `end`.
    ///
    /// # Panics
    /// If an `end` does. The agent is still gone.
    pub fn despawn(&mut self, cx: &mut H::Cx<'_>) {
        self.traced(&mut NoTracer).despawn(cx)
    }

    /// Gives the agent another tree, such as a new version after a file change: see
    /// [`Forest::replace_tree`](crate::Forest::replace_tree). Written keys keep their values where
    /// the new tree has a key of the same name, scope and type; all others start with its defaults.
    /// The tree may declare group and global keys differently, as they belong to this brain alone;
    /// a board that it [shares](Brain::sharing) must then [follow](crate::SharedBoard::follow) the
    /// tree, once the brain has accepted it. `Library::poll` returns new versions of trees when
    /// their files have changed.
    ///
    /// # Errors
    /// If the new tree lacks a key that the game relies on ([`bind`](Brain::bind)). Nothing changes
    /// then: report the error, and keep the old tree running. If the registry also knows these keys
    /// (`Registry::keys` of `pleach`), the report of `Library::poll` shows their place in the file.
    ///
    /// # Panics
    /// If an `end` or `awake` does: the agent is [`Phase::Panicked`] then, under the new tree. Also
    /// if creating a leaf's state does; nothing changes then.
    pub fn replace_tree(&mut self, cx: &mut H::Cx<'_>, new: impl Into<Replace<H>>) -> Result<ReplaceReport, KeysError> {
        self.traced(&mut NoTracer).replace_tree(cx, new)
    }

    /// Sends the agent an event for its next tick. An agent that is off receives nothing.
    ///
    /// # Errors
    /// If its tree does not know the event, or not with this payload (SEMANTICS 8.27).
    pub fn send(&mut self, event: Event) -> Result<(), SendError> {
        self.shape.tree.hears(&event)?;
        if !self.row.gone {
            Lives::<H>::deliver(&mut self.row, Row::FIRST, event);
        }
        Ok(())
    }

    /// Changes what the agent does when its root has ended.
    pub fn set_completion(&mut self, completion: Completion) {
        if self.row.gone {
            return;
        }
        self.row.flags.set(Flags::STOPS, completion == Completion::Stop);
    }

    /// Changes how the brain runs: see [`Forest::configure`](crate::Forest::configure). It has no
    /// chunks and no batches.
    pub fn configure<R>(&mut self, change: impl FnOnce(&mut Settings) -> R) -> R {
        let mut settings = Settings::of(&self.call);
        let result = change(&mut settings);
        if settings.put(&mut self.call) {
            self.row.forget_fast_tick();
            Lives::<H>::wake(&mut self.row, Row::FIRST);
        }
        result
    }

    /// The agent's id, as its leaves see it.
    #[must_use]
    pub fn agent(&self) -> AgentId {
        self.row.id
    }

    /// The game's entity for this agent: see [`Context::entity`](crate::Context::entity).
    #[must_use]
    pub fn entity(&self) -> Entity {
        self.row.entity()
    }

    /// Sets the game's entity for this agent.
    pub fn set_entity(&mut self, entity: Entity) {
        if !self.row.gone {
            self.row.put_entity(entity);
        }
    }

    /// Its label for people.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        self.row.label().map(|it| &**it)
    }

    /// Sets its label for people: see [`AgentMut::set_label`](crate::handles::AgentMut::set_label).
    pub fn set_label(&mut self, label: impl Into<Arc<str>>) {
        if !self.row.gone {
            self.row.put_label(label.into());
        }
    }

    /// Its tree.
    #[must_use]
    pub fn tree(&self) -> &Arc<Tree<H>> {
        &self.shape.tree
    }

    /// What the agent is doing, in one word.
    #[must_use]
    pub fn phase(&self) -> Phase {
        if self.row.gone { Phase::Off } else { Phase::of(self.row.flags) }
    }

    /// How the root last ended, if it ever did.
    #[must_use]
    pub fn last_outcome(&self) -> Option<Outcome> {
        self.row.ended().filter(|_| !self.row.gone)
    }

    /// The seconds that have passed for this brain. [`inspect`](Brain::inspect) has the agent's own
    /// time, which stands still while the agent is paused or off.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.call.now.seconds()
    }

    /// The same as keys and expressions have it: `now`.
    #[must_use]
    pub fn now(&self) -> Time {
        self.call.now.time()
    }

    /// Everything about the agent; `None` if a leaf despawned it.
    #[must_use]
    pub fn inspect(&self) -> Option<AgentView<H>> {
        if self.row.gone {
            return None;
        }
        let keys = self.keys();
        let (shape, who) = (&self.shape, (self.row.id, self.row.group()));
        let tokens = match &self.rest {
            Some(rest) => {
                let label = |it| self.row.label().filter(|_| it == self.row.id).cloned();
                TokenView::all(&shape.tree, (&shape.map, &rest.shared), who, self.call.now, label)
            }
            None => Vec::new(),
        };
        let mail = self.row.waiting().to_vec();
        Some(self.seen().view(&shape.tree, |decl| keys.read(decl), mail, tokens, self.key_needs()))
    }

    /// The run state, for questions about the agent.
    fn seen(&self) -> AgentState<'_> {
        let LoneRow { id, agent, run, flags, .. } = &self.row;
        AgentState {
            label: self.row.label(),
            agent: *id,
            flags: *flags,
            life: &agent.life,
            now: self.call.now,
            last_outcome: self.row.ended(),
            tops: run.tops(),
            monitors: run.monitors(),
            statuses: run.statuses(),
            memory: run.memory(),
        }
    }

    /// Why the agent does what it does, for printing: see [`AgentView::explain`]. `None` if a leaf
    /// despawned it.
    #[must_use]
    pub fn explain(&self) -> Option<Explanation> {
        self.inspect().map(|it| it.explain())
    }

    /// Why a node is not active, for printing: see [`AgentView::why_not`]. `None` if the tree has
    /// no such node, or a leaf despawned the agent.
    #[must_use]
    pub fn why_not(&self, node: NodeId) -> Option<WhyNot> {
        self.inspect()?.why_not(node)
    }

    /// The running nodes, in pre-order: see
    /// [`AgentRef::current`](crate::handles::AgentRef::current).
    #[must_use]
    pub fn current(&self) -> Current<'_> {
        let tops = if self.row.gone { &[] } else { self.row.run.tops() };
        Current::new(&self.shape.tree, tops, self.row.flags)
    }

    /// Whether a node is active: see [`AgentRef::is_active`](crate::handles::AgentRef::is_active).
    #[must_use]
    pub fn is_active(&self, node: NodeId) -> bool {
        self.current().is_active(node)
    }

    /// The bytes that the agent takes in a forest, by purpose. A brain takes a few more, for what a
    /// forest stores once for all agents.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        self.shape.tree.footprint()
    }
}
