//! The functions that make nodes, one per kind, for people who write trees in Rust. The rules of
//! each node are those of SEMANTICS.md; nothing is checked before
//! [`TreeBuilder::build`](super::TreeBuilder::build).

use std::marker::PhantomData;
use std::sync::Arc;

use super::amount::{Count, Number};
use super::kind::Receiver;
use super::node::{AnyLeaf, Build, Case, DeferredLeaf, HostLeaf, LeafError, Node, Policy, When};
use crate::blackboard::NodeKeys;
use crate::host::leaf::{ActionFn, ActionLeaf, ConditionFn, ConditionLeaf};
use crate::{Action, Condition, Context, Host, Observes, Outcome, Status};

macro_rules! composites {
    ($($(#[$doc:meta])* $name:ident => $kind:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name<H: Host>(children: impl IntoIterator<Item = Node<H>>) -> Node<H> {
            Node::new(Build::$kind, children)
        }
    )*};
}

composites! {
    /// Runs its children in order until one fails.
    sequence => Sequence;
    /// Runs its children in order until one succeeds.
    selector => Selector;
    /// A sequence whose earlier children are run again in every tick while a later one is running.
    reactive_sequence => ReactiveSequence;
    /// A selector whose earlier children are run again in every tick while a later one is running.
    reactive_selector => ReactiveSelector;
}

/// Runs all children at once; fails when one fails, succeeds when all did.
pub fn parallel<H: Host>(children: impl IntoIterator<Item = Node<H>>) -> Node<H> {
    parallel_with(Policy::All, Policy::Any, children)
}

/// Runs all children at once; the policies say how many successes and failures decide. Failure is
/// looked at first.
pub fn parallel_with<H: Host>(
    success: Policy,
    failure: Policy,
    children: impl IntoIterator<Item = Node<H>>,
) -> Node<H> {
    Node::new(Build::Parallel { success, failure }, children)
}

/// A sequence in an order drawn at each start. With weights (one per child, not below zero),
/// likelier children come sooner.
pub fn random_sequence<H: Host>(weights: Option<Vec<f64>>, children: impl IntoIterator<Item = Node<H>>) -> Node<H> {
    Node::new(Build::RandomSequence { weights }, children)
}

/// A selector in an order drawn at each start; see [`random_sequence`].
pub fn random_selector<H: Host>(weights: Option<Vec<f64>>, children: impl IntoIterator<Item = Node<H>>) -> Node<H> {
    Node::new(Build::RandomSelector { weights }, children)
}

/// A selector that tries its children by descending score. Each comes with its score: an expression
/// over the blackboard. With `reevaluate`, scores are taken in every tick, and a better child takes
/// over from the running one.
pub fn utility_selector<H: Host, S: Into<String>>(
    reevaluate: bool,
    children: impl IntoIterator<Item = (S, Node<H>)>,
) -> Node<H> {
    let (scores, children): (Vec<_>, Vec<_>) = children.into_iter().map(|(score, node)| (score.into(), node)).unzip();
    Node::new(Build::UtilitySelector { scores, reevaluate }, children)
}

/// Runs the child of the case that `on` is, an expression over the blackboard: a bool, an int or a
/// symbol. When the value changes, the child of its new case takes over from the running one. With
/// neither a case nor a default it fails. Selecting a child costs the number of cases.
///
/// ```
/// # use pleach_core::{Host, Tree, idle, switch, wait};
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = ();
/// # }
/// let mut builder = Tree::<Game>::builder("door");
/// builder.key("locked", true);
/// let tree = builder.build(switch("locked", [(true, idle()), (false, wait(2.0))], None));
/// assert!(tree.is_ok());
/// ```
pub fn switch<H: Host, C: Into<Case>>(
    on: impl Into<String>,
    cases: impl IntoIterator<Item = (C, Node<H>)>,
    default: Option<Node<H>>,
) -> Node<H> {
    make_switch(on.into(), false, cases, default)
}

/// A [`switch`] that keeps the child which it started, whatever the value becomes.
pub fn switch_latched<H: Host, C: Into<Case>>(
    on: impl Into<String>,
    cases: impl IntoIterator<Item = (C, Node<H>)>,
    default: Option<Node<H>>,
) -> Node<H> {
    make_switch(on.into(), true, cases, default)
}

fn make_switch<H: Host, C: Into<Case>>(
    on: String,
    latch: bool,
    cases: impl IntoIterator<Item = (C, Node<H>)>,
    default: Option<Node<H>>,
) -> Node<H> {
    let (cases, children): (Vec<_>, Vec<_>) = cases.into_iter().map(|(case, node)| (case.into(), node)).unzip();
    Node::new(Build::Switch { on, cases, default: default.is_some(), latch }, children.into_iter().chain(default))
}

macro_rules! decorators {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*) => $build:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name<H: Host>($($arg: $ty,)* child: Node<H>) -> Node<H> {
            Node::new($build, [child])
        }
    )*};
}

decorators! {
    /// Success becomes failure and failure success.
    inverter() => Build::Inverter;
    /// Succeeds however the child ends.
    force_success() => Build::ForceSuccess;
    /// Fails however the child ends.
    force_failure() => Build::ForceFailure;
    /// Runs the child again until it succeeds; an instant child once per tick.
    until_success() => Build::UntilSuccess;
    /// Runs the child again until it fails, and then fails; an instant child once per tick.
    until_failure() => Build::UntilFailure;
    /// Runs the child `count` times; an instant child once per tick.
    repeat(count: impl Into<Count>) => Build::Repeat { count: Some(count.into()), end_on_failure: false };
    /// Runs the child `count` times, or for ever if that is `None`; fails as soon as it fails. With
    /// `None` it does what [`until_failure`] does.
    repeat_while_succeeding(count: Option<Count>) => Build::Repeat { count, end_on_failure: true };
    /// Runs the child again for ever.
    repeat_forever() => Build::Repeat { count: None, end_on_failure: false };
    /// Ends the child after so many seconds, with `result`.
    timeout(seconds: impl Into<Number>, result: Outcome) => Build::Timeout { seconds: seconds.into(), result };
    /// Fails until so many seconds have passed since the child last ended.
    cooldown(seconds: impl Into<Number>) => Build::Cooldown { seconds: seconds.into() };
    /// Starts the child at most `count` times, then answers `exhausted`.
    limit(count: impl Into<Count>, exhausted: Outcome) => Build::Limit { count: count.into(), exhausted };
    /// Starts the child so many seconds later.
    delay(seconds: impl Into<Number>) => Build::Delay { seconds: seconds.into() };
    /// Runs the child with probability `p`, else fails.
    probability(p: impl Into<Number>) => Build::Probability { p: p.into() };
}

/// Runs the child while `when` holds.
pub fn guard<H: Host>(when: impl Into<When<H>>, child: Node<H>) -> Node<H> {
    Node::new(Build::Guard { when: when.into() }, [child])
}

macro_rules! leaves {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*) => $build:expr;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name<H: Host>($($arg: $ty),*) -> Node<H> {
            Node::new($build, [])
        }
    )*};
}

leaves! {
    /// Runs for so many seconds, then succeeds.
    wait(seconds: impl Into<Number>) => Build::Wait { seconds: seconds.into() };
    /// Runs for so many ticks, then succeeds.
    wait_ticks(ticks: impl Into<Count>) => Build::WaitTicks { ticks: ticks.into() };
    /// Runs until the expression is true, then succeeds.
    wait_until(expr: &str) => Build::WaitUntil { expr: expr.into() };
    /// A condition over the blackboard.
    check(expr: &str) => Build::Check { expr: expr.into() };
    /// A condition: whether an event of that name reached the agent for this tick. Stores the
    /// payload of the first such event into a key. A payload of another type than the key, or a
    /// word that the key lacks, is not stored; the answer is the same.
    on_event(event: &str, into: Option<&str>) => Build::OnEvent { event: event.into(), into: into.map(Into::into) };
    /// Writes the value of an expression to a key, and succeeds. A word that the key lacks, read
    /// from another key, is not written.
    set(key: &str, expr: &str) => Build::Set { key: key.into(), expr: expr.into() };
    /// Hands a text to [`Host::on_log`], and succeeds.
    log(text: &str) => Build::Log { text: text.into() };
    /// Hands an event to [`Host::on_emit`], or sends it to the agent's group
    /// ([`Node::to_group`]), and succeeds.
    emit(event: &str, payload: Option<&str>) => Build::Emit { event: event.into(), payload: payload.map(Into::into) };
    /// Succeeds.
    succeed() => Build::Succeed;
    /// Fails.
    fail() => Build::Fail;
    /// Runs for ever.
    idle() => Build::Idle;
}

/// A host's leaf as a node.
pub fn leaf<H: Host>(leaf: impl Into<AnyLeaf<H>>) -> Node<H> {
    Node::new(Build::Host { leaf: leaf.into() }, [])
}

/// A leaf that is made while the tree is built, with the keys that its node then sees: those of the
/// tree, and those that the node and the nodes above it declare. `make` is called once.
///
/// ```
/// # use pleach_core::{Host, Status, Tree, action, deferred, sequence};
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = ();
/// # }
/// let count = deferred(|keys| {
///     let rounds = keys.key::<i64>("rounds")?;
///     Ok(action(move |cx| {
///         let next = cx.get(rounds) + 1;
///         cx.set(rounds, next);
///         Status::Success
///     }))
/// });
/// let tree = Tree::<Game>::builder("count").build(sequence([count.into()]).with_key("rounds", 0_i64));
/// assert!(tree.is_ok());
/// ```
pub fn deferred<H: Host, F>(make: F) -> DeferredLeaf<H>
where
    F: FnOnce(&NodeKeys<'_>) -> Result<HostLeaf<H>, LeafError> + Send + Sync + 'static,
{
    DeferredLeaf { make: Box::new(make) }
}

impl<H: Host> Node<H> {
    /// Makes a span longer or shorter by up to so many seconds, by chance and each time anew, so
    /// that agents do not all act in one frame. For `wait`, `delay` and `cooldown`; behind
    /// [`with_service`](Node::with_service) it is about the interval of that service.
    ///
    /// ```
    /// # use pleach_core::{Host, Status, Tree, action, idle, sequence, wait};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// let look = action(|_| Status::Success);
    /// let root = sequence([wait(2.0).jitter(0.5), idle()]).with_service(0.5, look).jitter(0.1);
    /// assert!(Tree::<Game>::builder("guard").build(root).is_ok());
    /// ```
    #[must_use]
    pub fn jitter(mut self, seconds: f64) -> Self {
        let rest = self.own.rest();
        match rest.services.last_mut() {
            Some(service) => service.jitter = Some(seconds),
            None => rest.jitter = Some(seconds),
        }
        self
    }

    /// Sends the event of an `emit` to the other members of the agent's group, for their next
    /// ticks, and not to the host. An agent without a group sends it to nobody. As
    /// [`Context::send_to_group`].
    ///
    /// ```
    /// # use pleach_core::{Host, Tree, emit, idle, sequence};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// let root = sequence([emit("alarm", None).to_group(), idle()]);
    /// assert!(Tree::<Game>::builder("guard").build(root).is_ok());
    /// ```
    #[must_use]
    pub fn to_group(mut self) -> Self {
        self.own.rest().to = Receiver::Group;
        self
    }
}

impl<H: Host> HostLeaf<H> {
    /// An action.
    pub fn action<A: Action<H>>(action: A) -> Self {
        HostLeaf { leaf: Box::new(ActionLeaf(Arc::new(action))), detail: Box::default() }
    }

    /// A condition.
    pub fn condition<C: Condition<H>>(condition: C) -> Self {
        HostLeaf { leaf: Box::new(ConditionLeaf(Arc::new(condition))), detail: Box::default() }
    }

    /// The same with its parameters in words, which tell it from others of its kind in drawings,
    /// traces and explanations: [`NodeRef::detail`](crate::NodeRef::detail). Of a guard's condition
    /// they should name it too.
    ///
    /// ```
    /// # use pleach_core::{Host, HostLeaf, Status, Tree, action};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// fn walk(metres: u32) -> HostLeaf<Game> {
    ///     action(|_| Status::Running).described(format!("{metres} m"))
    /// }
    /// let tree = Tree::builder("walk").build(walk(3).into()).unwrap();
    /// assert_eq!(tree.root().to_string(), "n0 Action(3 m)");
    /// ```
    #[must_use]
    pub fn described(self, parameters: impl Into<String>) -> Self {
        HostLeaf { detail: parameters.into().into(), ..self }
    }

    /// What [`described`](HostLeaf::described) was given.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// Whether it is a condition.
    #[must_use]
    pub fn is_condition(&self) -> bool {
        self.leaf.is_condition()
    }
}

/// A closure as an action: called in every tick while it says that it is running.
pub fn action<H: Host, F>(update: F) -> HostLeaf<H>
where
    F: Fn(&mut Context<'_, '_, H>) -> Status + Send + Sync + 'static,
{
    HostLeaf::action(ActionFn(update, PhantomData))
}

/// A closure as a condition, asked in every tick while it is watched.
pub fn condition<H: Host, F>(test: F) -> HostLeaf<H>
where
    F: Fn(&mut Context<'_, '_, H>) -> bool + Send + Sync + 'static,
{
    HostLeaf::condition(ConditionFn(test, Observes::Everything, PhantomData))
}

/// A closure as a condition whose answer depends on these keys alone, and which is asked again only
/// when one of them changed.
pub fn condition_over<H: Host, F>(keys: impl IntoIterator<Item = crate::expr::KeyIndex>, test: F) -> HostLeaf<H>
where
    F: Fn(&mut Context<'_, '_, H>) -> bool + Send + Sync + 'static,
{
    HostLeaf::condition(ConditionFn(test, Observes::Keys(keys.into_iter().collect()), PhantomData))
}

/// A closure as a condition that is asked again every so many seconds: see [`Observes::Every`].
pub fn condition_every<H: Host, F>(seconds: f32, test: F) -> HostLeaf<H>
where
    F: Fn(&mut Context<'_, '_, H>) -> bool + Send + Sync + 'static,
{
    HostLeaf::condition(ConditionFn(test, Observes::Every(seconds), PhantomData))
}

impl<H: Host> From<DeferredLeaf<H>> for Node<H> {
    fn from(it: DeferredLeaf<H>) -> Self {
        leaf(it)
    }
}

impl<H: Host> From<HostLeaf<H>> for Node<H> {
    fn from(it: HostLeaf<H>) -> Self {
        leaf(it)
    }
}
