//! [`CheckOnly`]: the host of trees that can be checked and drawn, but not run.

use std::convert::Infallible;

use pleach_core::__leaf::Callbacks;
use pleach_core::nodes::{Node, action_of, condition_of};
use pleach_core::{Action, Condition, Context, Host, Status};

/// The host of trees whose leaves are known by their descriptions alone: see
/// [`Manifest::registry`](crate::Manifest::registry) and
/// [`Registry::check_only`](crate::Registry::check_only).
///
/// Such a tree can be inspected, drawn and checked, but not run: the context of this host is a type
/// without values, and no agent is spawned or ticked without a context.
///
/// ```compile_fail
/// # mod pleach { pub use pleach_asset::{CheckOnly, Registry, load_str}; pub use pleach_core::Forest; }
/// use pleach::{CheckOnly, Forest, Registry, load_str};
///
/// let tree = load_str("a.ron", "Tree(version: 1, root: Idle)", &Registry::<CheckOnly>::new()).unwrap();
/// let mut forest = Forest::new(7);
/// let tree = forest.add_tree(tree).unwrap();
/// forest.spawn(&mut (), tree); // there is nothing to lend
/// ```
#[derive(Clone, Copy, Debug)]
pub enum CheckOnly {}

impl Host for CheckOnly {
    type Cx<'a> = Infallible;
}

/// A leaf that exists only to be inspected.
struct Described;

impl Action<CheckOnly> for Described {
    type State = ();
    const CALLBACKS: Callbacks = Callbacks::empty();
    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, CheckOnly>) -> Status {
        match *cx.host {}
    }
}

impl Condition<CheckOnly> for Described {
    type State = ();
    const CALLBACKS: Callbacks = Callbacks::empty();
    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, CheckOnly>) -> Status {
        match *cx.host {}
    }
}

/// A leaf of that kind, which cannot be run.
pub(crate) fn leaf(is_condition: bool) -> Node<CheckOnly> {
    if is_condition { condition_of(Described) } else { action_of(Described) }
}
