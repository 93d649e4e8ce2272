//! What a leaf can see and do during a callback.

mod agent;
mod runtime;

use std::ops::Range;

use crate::blackboard::board::CellRows;
use crate::blackboard::{EventError, Schema};
use crate::clock::Moment;
use crate::host::access::Access;
use crate::host::call::Call;
use crate::rng::Stream;
use crate::row::Row;
use crate::ties::Ties;
use crate::{
    AgentId, BlackboardType, Entity, Event, GroupId, Host, Key, NodeId, Spawn, Ticket, Time, TreeId, error::AccessError,
};

/// One callback's view of the game and of its agent.
///
/// What changes agents (stop, restart, spawn, despawn, send) is a request. Requests are carried out
/// at the end of the forest's tick, in the order in which they were made (SEMANTICS 8.8). So no
/// callback ever finds its own agent gone. Requests of a callback outside a tick (while an agent is
/// spawned, disabled or paused) are carried out at the end of that call.
///
/// # The host and the agent at once
///
/// A method borrows the whole context. So while something of [`host`](Context::host) is borrowed,
/// `cx.get(..)` is refused. Either read the agent first, or borrow both separately with
/// [`split`](Context::split): the second part has every method of a context that needs no host.
///
/// ```
/// # use pleach_core as pleach;
/// use pleach::{Context, Host, Key, Status};
///
/// struct World {
///     bodies: Vec<f32>,
/// }
/// struct Game;
/// impl Host for Game {
///     type Cx<'a> = World;
/// }
///
/// fn fall(cx: &mut Context<'_, '_, Game>, speed: Key<f32>) -> Status {
///     let (world, agent) = cx.split();
///     for body in &mut world.bodies {
///         *body -= agent.get(speed) * agent.dt(); // with `cx` it would be E0502
///     }
///     Status::Running
/// }
/// ```
pub struct Context<'a, 'h, H: Host> {
    /// The host's own context, as it was lent to the call.
    pub host: &'a mut H::Cx<'h>,
    pub(crate) agent: AgentContext<'a>,
}

impl<H: Host> std::fmt::Debug for Context<'_, '_, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("agent", &self.agent.agent())
            .field("node", &self.agent.node)
            .finish_non_exhaustive()
    }
}

/// Everything in a [`Context`] but the host: see [`Context::split`]. Its methods are the context's.
pub struct AgentContext<'a> {
    /// The agent's row.
    pub(crate) at: Row,
    /// The agents of the call.
    pub(crate) ids: &'a [AgentId],
    /// Entities and groups, if an agent of the call has any.
    pub(crate) ties: Option<&'a Ties>,
    pub(crate) schema: &'a Schema,
    /// The keys of its board. They are here for every kind of access, so that a leaf reads and
    /// writes a key without checking that.
    pub(crate) cells: CellRows<'a>,
    pub(crate) access: Access<'a>,
    pub(crate) node: NodeId,
    pub(crate) call: &'a mut Call,
    /// The latest moment at which the leaf that is being updated wants to be updated again. The
    /// start of time means the next tick.
    pub(crate) sleep: Moment,
}

impl std::fmt::Debug for AgentContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentContext").field("agent", &self.agent()).field("node", &self.node).finish_non_exhaustive()
    }
}

impl<'a> AsRef<AgentContext<'a>> for AgentContext<'a> {
    fn as_ref(&self) -> &AgentContext<'a> {
        self
    }
}

impl<'a, H: Host> AsRef<AgentContext<'a>> for Context<'a, '_, H> {
    fn as_ref(&self) -> &AgentContext<'a> {
        &self.agent
    }
}

impl<'a, 'h, H: Host> Context<'a, 'h, H> {
    /// The host's context and everything else, borrowed separately: see [`Context`].
    #[inline]
    pub fn split(&mut self) -> (&mut H::Cx<'h>, &mut AgentContext<'a>) {
        (self.host, &mut self.agent)
    }

    /// The agent whose callback this is.
    #[must_use]
    pub fn agent(&self) -> AgentId {
        self.agent.agent()
    }

    /// Which of the game's entities the agent is: what [`Spawn::entity`] or
    /// [`AgentMut::set_entity`](crate::handles::AgentMut::set_entity) said, or [`Entity::NONE`].
    #[must_use]
    pub fn entity(&self) -> Entity {
        self.agent.entity()
    }

    /// The agent's group, if it is in one. Leaves reach the other members by
    /// [`send_to_group`](Context::send_to_group) and by group keys; the forest lists them
    /// ([`GroupRef::members`](crate::handles::GroupRef::members)), but not during a tick.
    #[must_use]
    pub fn group(&self) -> Option<GroupId> {
        self.agent.group()
    }

    /// The node whose callback this is.
    #[must_use]
    pub fn node(&self) -> NodeId {
        self.agent.node()
    }

    /// The agent's own time in seconds. It stands still while the agent is paused.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.agent.time()
    }

    /// The forest's time, which is `now` in expressions; for a brain its own. Keys of type `Time`
    /// hold it.
    #[must_use]
    pub fn now(&self) -> Time {
        self.agent.now()
    }

    /// The agent's own time since its last turn, in seconds (SEMANTICS 8.2). A turn through which
    /// the agent sleeps counts as a turn; a frame in which it has no turn does not. 0 in callbacks
    /// outside a tick.
    #[must_use]
    pub fn dt(&self) -> f32 {
        self.agent.dt()
    }

    /// The agent's own random stream, seeded when the agent was spawned: the same on every machine
    /// (SEMANTICS 8.13).
    pub fn rng(&mut self) -> &mut Stream {
        self.agent.rng()
    }

    /// A random number of at least 0 and less than 1.
    pub fn random(&mut self) -> f64 {
        self.agent.random()
    }

    /// A random number in a range, from the agent's own stream, uniformly distributed. The start is
    /// included, the end is not. An empty range gives its start, and a range that is not finite
    /// gives no useful number. One number is drawn in any case.
    ///
    /// ```
    /// # use pleach_core::nodes::action;
    /// # use pleach_core::{Host, Status};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// let wander = action::<Game, _>(|cx| {
    ///     let turn = cx.random_range(-0.5..0.5);
    ///     assert!((-0.5..0.5).contains(&turn));
    ///     Status::Success
    /// });
    /// # drop(wander);
    /// ```
    pub fn random_range(&mut self, range: Range<f32>) -> f32 {
        self.agent.random_range(range)
    }

    /// What a key holds.
    ///
    /// # Panics
    /// If the key belongs to another tree (another name, scope or type). A key from this tree's
    /// builder, schema or asset never panics.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn get<T: BlackboardType>(&self, key: Key<T>) -> T {
        self.agent.get(key)
    }

    /// What a key holds, or `None` if it belongs to another tree.
    #[inline]
    #[must_use]
    pub fn try_get<T: BlackboardType>(&self, key: Key<T>) -> Option<T> {
        self.agent.try_get(key)
    }

    /// Writes a key, and returns whether that changed its value. Conditions that observe the key
    /// are asked again only if it did. A float need not be finite: see [`BlackboardType`].
    ///
    /// # Panics
    /// As [`get`](Context::get), and if the value is a symbol that is not one of the key's words.
    #[inline]
    #[track_caller]
    pub fn set<T: BlackboardType>(&mut self, key: Key<T>, value: T) -> bool {
        self.agent.set(key, value)
    }

    /// Writes a key, and returns whether that changed its value. For keys that may belong to
    /// another tree, and symbols that may not be one of the key's words.
    ///
    /// # Errors
    /// If the key belongs to another tree, or the value is a symbol that is not one of the key's
    /// words.
    pub fn try_set<T: BlackboardType>(&mut self, key: Key<T>, value: T) -> Result<bool, AccessError> {
        self.agent.try_set(key, value)
    }

    /// Resets a key to its default, and returns whether that changed its value.
    ///
    /// # Panics
    /// As [`get`](Context::get).
    #[track_caller]
    pub fn reset<T: BlackboardType>(&mut self, key: Key<T>) -> bool {
        self.agent.reset(key)
    }

    /// Resets a key to its default, and returns whether that changed its value.
    ///
    /// # Errors
    /// If the key belongs to another tree.
    pub fn try_reset<T: BlackboardType>(&mut self, key: Key<T>) -> Result<bool, AccessError> {
        self.agent.try_reset(key)
    }

    /// Resets all node and agent keys of the agent to their defaults.
    pub fn reset_all(&mut self) {
        self.agent.reset_all();
    }

    /// The events that this tick delivers to the agent, in the order in which they were sent
    /// (SEMANTICS 8.20).
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.agent.events()
    }

    /// The first event of that name that this tick delivers.
    ///
    /// # Panics
    /// If the agent's tree knows no such event (SEMANTICS 8.27): no tick could ever deliver it.
    #[must_use]
    #[track_caller]
    pub fn event(&self, name: &str) -> Option<Event> {
        self.agent.event(name)
    }

    /// Hands an event to the host, at once: see [`Host::on_emit`].
    ///
    /// # Panics
    /// If the agent's tree does not know the event, or not with this payload (SEMANTICS 8.27).
    #[track_caller]
    pub fn emit(&mut self, event: Event) {
        if let Err(error) = event.check(self.agent.schema) {
            unheard_of(&error);
        }
        self.hand_over(event);
    }

    /// The same for a node, whose event is known.
    pub(crate) fn hand_over(&mut self, event: Event) {
        H::on_emit(self.host, self.agent.agent(), event);
    }

    /// Sends an event to an agent, itself included, for its next tick. Nothing happens if that
    /// agent is gone or off by then. If its tree does not know the event, or not with this
    /// payload, the host is notified: see [`Host::on_refused`].
    pub fn send(&mut self, to: AgentId, event: Event) {
        self.agent.send(to, event);
    }

    /// Sends an event to all members of a group except this agent, for their next ticks: to those
    /// whose trees know it. Nothing happens if the group is gone by the end of the tick. If neither
    /// the agent's own tree nor that of any member knows the event, or one declares it with another
    /// payload, it is refused ([`Host::on_refused`], SEMANTICS 8.27). See [`Context::group`].
    pub fn send_to_group(&mut self, group: GroupId, event: Event) {
        self.agent.send_to_group(group, event);
    }

    /// Stops this agent: its nodes end with [`Reason::Stopped`](crate::Reason::Stopped), and it
    /// stays off until it is enabled again.
    pub fn stop(&mut self) {
        self.agent.stop();
    }

    /// Restarts this agent from scratch. In an `awake` this does nothing: the agent is just being
    /// started.
    pub fn restart(&mut self) {
        self.agent.restart();
    }

    /// Despawns an agent, this one or another. Nothing happens if it is gone by then.
    pub fn despawn(&mut self, agent: AgentId) {
        self.agent.despawn(agent);
    }

    /// Spawns an agent of a tree. Nothing happens if the tree or the group is gone by then, or the
    /// forest is full. The ticket stands for the new agent's id: this agent's next tick can ask
    /// [`spawned`](Context::spawned) for it.
    ///
    /// In an `awake` nothing happens either if `tree` is the agent's own tree, or the tree of an
    /// agent whose `awake` requested this one, directly or through others: they would request each
    /// other for ever (SEMANTICS 8.8).
    pub fn spawn(&mut self, tree: TreeId, spawn: Spawn) -> Ticket {
        self.agent.spawn(tree, spawn)
    }

    /// The id of the agent that was spawned for a ticket of this agent. It is available throughout
    /// this agent's next tick after the request, and in no other, as an event is; a leaf that needs
    /// it for longer keeps it. An agent that sleeps is woken for it (SEMANTICS 8.8).
    ///
    /// `None` in that tick means that nothing was spawned: the tree or the group was gone, the
    /// forest full, or the request dropped, as all requests of a [`Brain`](crate::Brain)'s leaves
    /// are. An agent that is off when the other one is spawned never gets the id.
    ///
    /// ```
    /// # use pleach_core as pleach;
    /// use pleach::nodes::{action_of, idle};
    /// use pleach::{Action, AgentId, Context, Forest, Host, Spawn, Status, Ticket, Tree, TreeId};
    ///
    /// struct World {
    ///     wolves: TreeId,
    ///     pack: Vec<AgentId>,
    /// }
    /// struct Game;
    /// impl Host for Game {
    ///     type Cx<'a> = World;
    /// }
    ///
    /// struct Call;
    /// impl Action<Game> for Call {
    ///     type State = Option<Ticket>;
    ///     fn start(&self, called: &mut Option<Ticket>, cx: &mut Context<'_, '_, Game>) {
    ///         *called = Some(cx.spawn(cx.host.wolves, Spawn::default()));
    ///     }
    ///     fn update(&self, called: &mut Option<Ticket>, cx: &mut Context<'_, '_, Game>) -> Status {
    ///         if let Some(wolf) = called.and_then(|it| cx.spawned(it)) {
    ///             cx.host.pack.push(wolf);
    ///         }
    ///         Status::Running
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut forest = Forest::<Game>::new(7);
    /// let wolves = forest.add_tree(Tree::builder("wolf").build(idle())?)?;
    /// let howls = forest.add_tree(Tree::builder("howl").build(action_of(Call))?)?;
    /// let mut world = World { wolves, pack: Vec::new() };
    /// forest.spawn(&mut world, howls)?;
    /// forest.tick(&mut world, 0.1)?;
    /// assert!(world.pack.is_empty());
    /// forest.tick(&mut world, 0.1)?;
    /// assert_eq!(forest.agent(world.pack[0])?.tree_id(), wolves);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn spawned(&self, ticket: Ticket) -> Option<AgentId> {
        self.agent.spawned(ticket)
    }

    /// Says that this leaf, if it returns Running, need not be updated for this many seconds. This
    /// is only a hint (SEMANTICS 8.3): the leaf may be updated sooner, when the rest of its agent
    /// needs a tick, a key that the agent watches changes, or an event comes.
    ///
    /// The update that ends the sleep has the [`dt`](Context::dt) of its turn, as the turns in
    /// between count as had. A leaf that needs to know how long it slept remembers
    /// [`time`](Context::time).
    ///
    /// NaN and times below zero count as zero.
    pub fn sleep(&mut self, seconds: f32) {
        self.agent.sleep(seconds);
    }

    /// Says that this leaf, if it returns Running, need not be updated before a condition that its
    /// agent watches can answer differently (SEMANTICS 8.3), or an event comes. This is only a
    /// hint, as with [`sleep`](Context::sleep). A leaf that waits for each change of a key needs a
    /// watched condition of the host that [observes](crate::Observes::Keys) the key.
    pub fn sleep_until_change(&mut self) {
        self.agent.sleep_until_change();
    }
}

#[cold]
#[track_caller]
fn unheard_of(error: &EventError) -> ! {
    panic!("{error}")
}
