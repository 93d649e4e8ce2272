//! The functions that make nodes, one per kind, for trees written in Rust. Each returns a [`Node`],
//! whose methods set its options: `random_selector(..).weights([2.0, 1.0])`. SEMANTICS.md has the
//! rules of each node. Nothing is checked before [`TreeBuilder::build`](crate::TreeBuilder::build),
//! which reports everything that is wrong.
//!
//! ```
//! use pleach_core::nodes::{action, check, condition, selector, sequence, timeout, wait};
//! # use pleach_core::{Host, Outcome, Status, Tree, nodes::Abort};
//! # struct Game;
//! # impl Host for Game {
//! #     type Cx<'a> = bool;
//! # }
//! let mut tree = Tree::<Game>::builder("guard");
//! tree.key("health", 1.0_f32);
//! let flee = action(|_| Status::Running).named("flee");
//! let tree = tree.build(selector([
//!     sequence([check("health < 0.3"), timeout(5.0, flee).result(Outcome::Success)]).aborts(Abort::BOTH),
//!     sequence([condition(|cx| *cx.host), wait(2.0).jitter(0.5)]),
//! ]));
//! assert!(tree.is_ok());
//! ```

use std::marker::PhantomData;

pub use super::amount::{Bound, Count, Number};
pub use super::instance::{Binding, Instance, Port};
pub use super::node::{Abort, Case, Ending, Node, Policy};
use super::node::{Build, LeafError};
pub use super::node_list::NodeList;
use super::part::{HostLeaf, Part, Source};
use super::problem::Field;
pub use crate::blackboard::Direction;
use crate::blackboard::NodeKeys;
use crate::host::leaf::{ActionFn, ActionLeaf, BatchedLeaf, ConditionFn, ConditionLeaf, Leaf};
use crate::{Action, BatchLeaf, Condition, Context, Host, Observes, Status};

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

/// Runs all children at once; fails when one fails, succeeds when all succeed, or as
/// [`success`](Node::success) and [`failure`](Node::failure) say. Failure is checked first.
pub fn parallel<H: Host>(children: impl IntoIterator<Item = Node<H>>) -> Node<H> {
    Node::new(Build::Parallel { success: None, failure: None }, children)
}

/// A sequence in an order drawn at each start; with [`weights`](Node::weights), likelier children
/// come sooner.
pub fn random_sequence<H: Host>(children: impl IntoIterator<Item = Node<H>>) -> Node<H> {
    Node::new(Build::RandomSequence { weights: None }, children)
}

/// A selector in an order drawn at each start; with [`weights`](Node::weights), likelier children
/// come sooner.
pub fn random_selector<H: Host>(children: impl IntoIterator<Item = Node<H>>) -> Node<H> {
    Node::new(Build::RandomSelector { weights: None }, children)
}

/// Draws one of its children at each start, runs only that one, and ends as that child ends.
/// Weights make some likelier: [`Node::weights`].
#[must_use]
pub fn random_choice<H: Host>(children: impl IntoIterator<Item = Node<H>>) -> Node<H> {
    Node::new(Build::RandomChoice { weights: None }, children)
}

/// A selector that tries its children by descending score. Each comes with its score: an expression
/// over the blackboard. Scores are evaluated at the start; with [`reevaluate`](Node::reevaluate) in
/// every tick.
pub fn utility_selector<H: Host, S: Into<String>>(children: impl IntoIterator<Item = (S, Node<H>)>) -> Node<H> {
    let (scores, children): (Vec<_>, Vec<_>) = children.into_iter().map(|(score, node)| (score.into(), node)).unzip();
    Node::new(Build::UtilitySelector { scores, reevaluate: false, inertia: None }, children)
}

/// Runs the child whose case equals `on`, an expression over the blackboard: a bool, an int or a
/// symbol. When the value changes, the child of its new case takes over from the running one,
/// unless the switch [latches](Node::latch). With neither a case nor a [`default`](Node::default)
/// it fails. The cost of selecting a child grows with the number of cases.
///
/// ```
/// # use pleach_core::nodes::{idle, switch, wait};
/// # use pleach_core::{Host, Tree};
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = ();
/// # }
/// let mut builder = Tree::<Game>::builder("door");
/// builder.key("locked", true);
/// let tree = builder.build(switch("locked", [(true, idle())]).default(wait(2.0)));
/// assert!(tree.is_ok());
/// ```
pub fn switch<H: Host, C: Into<Case>>(on: impl Into<String>, cases: impl IntoIterator<Item = (C, Node<H>)>) -> Node<H> {
    let (cases, children): (Vec<_>, Vec<_>) = cases.into_iter().map(|(case, node)| (case.into(), node)).unzip();
    Node::new(Build::Switch { on: on.into(), cases, default: false, latch: false }, children)
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
    /// Runs the child again until it succeeds; an instant child once per tick. With a
    /// [`count`](Node::count) it fails after that many attempts.
    until_success() => Build::UntilSuccess { count: None };
    /// Runs the child again until it fails, and then fails; an instant child once per tick. With a
    /// [`count`](Node::count) it succeeds after that many attempts.
    until_failure() => Build::UntilFailure { count: None };
    /// Runs the child `count` times; an instant child once per tick. With
    /// [`end_on_failure`](Node::end_on_failure) it fails as soon as the child fails.
    repeat(count: impl Into<Count>) => Build::Repeat { count: Some(count.into()), end_on_failure: false };
    /// Runs the child again for ever.
    repeat_forever() => Build::Repeat { count: None, end_on_failure: false };
    /// Ends the child after this many seconds, with failure or the [`result`](Node::result).
    timeout(seconds: impl Into<Number>) => Build::Timeout { seconds: seconds.into(), result: None };
    /// Fails until this many seconds have passed since the child last ended, or ended as
    /// [`after`](Node::after) says.
    cooldown(seconds: impl Into<Number>) => Build::Cooldown { seconds: seconds.into(), after: None };
    /// Starts the child at most `count` times, then fails or ends as
    /// [`exhausted`](Node::exhausted) says.
    limit(count: impl Into<Count>) => Build::Limit { count: count.into(), exhausted: None };
    /// Starts the child this many seconds later.
    delay(seconds: impl Into<Number>) => Build::Delay { seconds: seconds.into() };
    /// Runs the child with probability `p`, else fails.
    probability(p: impl Into<Number>) => Build::Probability { p: p.into() };
    /// Runs the child while the agent holds one of `count` places, which the agents of its group
    /// share; fails if none is free. Tokens of one name share their places. A place that is given
    /// back may [`rest`](Node::rest), and all agents share the places of a [`global`](Node::global)
    /// token. `count` is a literal of at least 1.
    ///
    /// ```
    /// # use pleach_core::nodes::{idle, selector, token, wait};
    /// # use pleach_core::{Host, Tree};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// // Two of a squad attack at a time; the others wait.
    /// let tree = Tree::<Game>::builder("guard").build(selector([token("attack", 2, wait(3.0)), idle()]));
    /// assert!(tree.is_ok());
    /// ```
    token(token: &str, count: impl Into<Count>) =>
        Build::Token { token: token.into(), count: count.into(), rest: None, global: false };
}

/// Runs the child while `when` holds: an expression, a [`check`] or a condition of the host. The
/// condition is a part of the guard, and has neither a name nor any other setting of a node. When
/// it does not hold, the guard fails, or ends with the [`result`](Node::result).
///
/// ```
/// # use pleach_core::nodes::{condition, guard, idle, sequence};
/// # use pleach_core::{Host, Tree};
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = bool;
/// # }
/// let mut tree = Tree::<Game>::builder("guard");
/// tree.key("health", 1.0_f32);
/// let dark = condition(|cx| *cx.host).described("dark");
/// assert!(tree.build(guard("health > 0.3", guard(dark, idle()))).is_ok());
/// ```
pub fn guard<H: Host>(when: impl Into<Node<H>>, child: Node<H>) -> Node<H> {
    let mut wrong = Vec::new();
    let when = Part::of(when.into(), Some(&Field::Param("when")), &mut wrong);
    let mut node = Node::new(Build::Guard { when, result: None }, [child]);
    if !wrong.is_empty() {
        node.own.rest().wrong = wrong;
    }
    node
}

/// Runs the child, and ends as it does. However the child ends, by itself or from outside, each
/// leaf of `last` is then started, updated once and ended. The results of the leaves have no
/// effect. With [`on`](Node::on) only some ends count.
///
/// The leaves must be instant: [`set`], [`roll`], [`log`], [`emit`], or actions of the host. They
/// are nodes of the tree, and come after the child.
///
/// ```
/// # use pleach_core::nodes::{action, finally, set, sequence};
/// # use pleach_core::{Host, Status, Tree};
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = ();
/// # }
/// let mut tree = Tree::<Game>::builder("door");
/// tree.key("busy", false);
/// let open = action(|_| Status::Running);
/// assert!(tree.build(finally([set("busy", "false")], sequence([set("busy", "true"), open]))).is_ok());
/// ```
pub fn finally<H: Host>(last: impl IntoIterator<Item = Node<H>>, child: Node<H>) -> Node<H> {
    Node::new(Build::Finally { on: None }, [child].into_iter().chain(last))
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
    /// Runs for this many seconds, then succeeds.
    wait(seconds: impl Into<Number>) => Build::Wait { seconds: seconds.into() };
    /// Runs for this many ticks, then succeeds.
    wait_ticks(ticks: impl Into<Count>) => Build::WaitTicks { ticks: ticks.into() };
    /// Runs until the expression is true, then succeeds.
    wait_until(expr: &str) => Build::WaitUntil { expr: expr.into() };
    /// Runs until an event of this name is sent after the node's start, then succeeds. An event
    /// that is visible in the tick of the start does not count. [`Node::into_key`] keeps the
    /// payload.
    wait_for(event: &str) => Build::WaitFor { event: event.into(), into: None };
    /// A condition over the blackboard.
    check(expr: &str) => Build::Check { expr: expr.into() };
    /// A condition: whether an event of that name reached the agent for this tick. Its payload can
    /// be stored [`into_key`](Node::into_key).
    on_event(event: &str) => Build::OnEvent { event: event.into(), into: None };
    /// A condition: whether a [`token`] of this name would get a place for the agent.
    free(token: &str) => Build::Free { token: token.into() };
    /// Writes the value of an expression to a key, and succeeds. A word read from another key is
    /// not written if this key lacks it.
    set(key: &str, expr: &str) => Build::Set { key: key.into(), expr: expr.into() };
    /// Draws a number from the agent's own stream into a key, and succeeds. For an Int key both
    /// `from` and `to` can be drawn; a Float stays below `to`.
    roll(key: &str, from: impl Into<Bound>, to: impl Into<Bound>) => Build::Roll {
        key: key.into(),
        from: from.into(),
        to: to.into()
    };
    /// Hands a text to [`Host::on_log`], and succeeds.
    log(text: &str) => Build::Log { text: text.into() };
    /// Hands an event to [`Host::on_emit`], or sends it [to the group](Node::to_group), with a
    /// [`payload`](Node::payload) if it has one, and succeeds.
    emit(event: &str) => Build::Emit { event: event.into(), payload: None, to_group: false };
    /// Succeeds.
    succeed() => Build::Succeed;
    /// Fails.
    fail() => Build::Fail;
    /// Runs for ever.
    idle() => Build::Idle;
}

/// A closure as an action: called in every tick while it returns `Running`.
pub fn action<H: Host, F>(update: F) -> Node<H>
where
    F: Fn(&mut Context<'_, '_, H>) -> Status + Send + Sync + 'static,
{
    action_of(ActionFn(update, PhantomData))
}

/// An action with a state per agent, or with more callbacks than its update.
pub fn action_of<H: Host, A: Action<H>>(action: A) -> Node<H> {
    made(Box::new(ActionLeaf(action, ())))
}

/// A closure as a condition, asked in every tick while it is watched, or as
/// [`observes`](Node::observes) or [`every`](Node::every) says.
pub fn condition<H: Host, F>(test: F) -> Node<H>
where
    F: Fn(&mut Context<'_, '_, H>) -> bool + Send + Sync + 'static,
{
    condition_of(ConditionFn(test, PhantomData))
}

/// A condition with a state per agent, or with more callbacks than its update.
pub fn condition_of<H: Host, C: Condition<H>>(condition: C) -> Node<H> {
    made(Box::new(ConditionLeaf(condition, None)))
}

/// An action that updates all agents of a batch in one call.
///
/// ```
/// # use pleach_core as pleach;
/// use pleach::nodes::batch_action;
/// use pleach::{BatchContext, BatchLeaf, Forest, Host, Status, Tree};
///
/// struct Game;
/// impl Host for Game {
///     type Cx<'a> = Vec<usize>;
/// }
///
/// struct Dig;
/// impl BatchLeaf<Game> for Dig {
///     fn update(&self, batch: &mut BatchContext<'_, '_, '_, Game>) {
///         let agents = batch.len();
///         batch.host().push(agents);
///         batch.answers().fill(Status::Success);
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (mut calls, mut forest) = (Vec::new(), Forest::<Game>::new(7));
/// let tree = forest.add_tree(Tree::builder("dog").build(batch_action(Dig))?)?;
/// for _ in 0..100 {
///     forest.spawn(&mut calls, tree)?;
/// }
/// forest.tick(&mut calls, 0.1)?;
/// assert_eq!(calls, [100]);
/// # Ok(())
/// # }
/// ```
pub fn batch_action<H: Host, L: BatchLeaf<H>>(leaf: L) -> Node<H> {
    made(Box::new(BatchedLeaf { leaf, is_condition: false, observes: Observes::EveryTick }))
}

/// A condition that is asked for all agents of a batch in one call: in every tick while it is
/// watched, or as [`observes`](Node::observes) or [`every`](Node::every) says.
pub fn batch_condition<H: Host, L: BatchLeaf<H>>(leaf: L) -> Node<H> {
    made(Box::new(BatchedLeaf { leaf, is_condition: true, observes: Observes::EveryTick }))
}

fn made<H: Host>(leaf: Box<dyn Leaf<H>>) -> Node<H> {
    Node::new(Build::Host { leaf: HostLeaf::new(Source::Made(leaf)) }, [])
}

/// A leaf that is made while the tree is built, with the keys that its node then sees: those of the
/// tree, and those that the node and the nodes above it declare. `make` is called once. It makes an
/// action or a condition of the host. Names and other settings are given to the node, not to what
/// it makes; the parameters in words ([`described`](Node::described)) and what a condition observes
/// can be given to either.
///
/// ```
/// # use pleach_core::nodes::{action, deferred, sequence};
/// # use pleach_core::{Host, Status, Tree};
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
/// let tree = Tree::<Game>::builder("count").build(sequence([count]).with_key("rounds", 0_i64));
/// assert!(tree.is_ok());
/// ```
pub fn deferred<H: Host, F>(make: F) -> Node<H>
where
    F: FnOnce(&NodeKeys<'_>) -> Result<Node<H>, LeafError> + Send + Sync + 'static,
{
    Node::new(Build::Host { leaf: HostLeaf::new(Source::Deferred(Box::new(make))) }, [])
}
