//! behavior-tree-lite 0.3: a tree of boxes per agent, whose leaves ask the game through a callback.
//!
//! It has no abort: a node is not notified when its branch is left, and a sequence with memory goes
//! on in the middle when it is entered again. So the guard is made of the library's reactive
//! composites, and its leaves have to know what is running ([`Recall`](crate::recall::Recall)). It
//! has no notion of time either.

mod guards;
mod walkers;

use std::any::Any;
use std::cell::Cell;

use behavior_tree_lite::{BehaviorCallback, BehaviorNode, BehaviorNodeContainer, BehaviorResult, Context, Registry};

use crate::recall::Answer;

pub use guards::LiteGuards;
pub use walkers::LiteWalkers;

/// The name under which results are reported.
const NAME: &str = "behavior-tree-lite";

/// A leaf asks the game to run it, and the game writes the answer into the question: a boxed answer
/// would be an allocation.
struct Question<L> {
    leaf: L,
    answer: Cell<Answer>,
}

struct LeafNode<L>(L);

impl<L: Copy + 'static> BehaviorNode for LeafNode<L> {
    fn tick(&mut self, ask: BehaviorCallback, _: &mut Context) -> BehaviorResult {
        let question = Question { leaf: self.0, answer: Cell::new(Answer::Failure) };
        ask(&question);
        match question.answer.get() {
            Answer::Running => BehaviorResult::Running,
            Answer::Success => BehaviorResult::Success,
            Answer::Failure => BehaviorResult::Fail,
        }
    }
}

fn leaf<L: Copy + 'static>(leaf: L) -> BehaviorNodeContainer {
    BehaviorNodeContainer::new_node(LeafNode(leaf))
}

/// A node of the library, by the name under which its registry makes it.
fn node(
    registry: &Registry,
    kind: &str,
    children: impl IntoIterator<Item = BehaviorNodeContainer>,
) -> BehaviorNodeContainer {
    let node = registry.build(kind).expect("the library registers its own nodes");
    let mut node = BehaviorNodeContainer::new_raw(node);
    for child in children {
        node.add_child(child).expect("the tree gives each node as many children as it takes");
    }
    node
}

/// Ticks an agent's tree. The context holds nothing of it: all agents share one.
fn tick<L: Copy + 'static>(root: &mut BehaviorNodeContainer, context: &mut Context, mut run: impl FnMut(L) -> Answer) {
    root.tick(
        &mut |asked: &dyn Any| {
            let question: &Question<L> = asked.downcast_ref()?;
            question.answer.set(run(question.leaf));
            None
        },
        context,
    );
}
