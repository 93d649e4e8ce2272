//! Keys of branches that only count up: nothing resets them.

use pleach_core::{Host, NodeRef, Type, expr::KeyIndex, kinds::NodeKind};

use super::copies::Warning;
use super::flow::Flow;
use super::uses::Uses;
use super::{Written, warning};
use crate::asset::{KeyEntry, Param};
use crate::code::Code;

pub(super) fn lint<'a, H: Host>(written: &Written<'a, H>, flow: &Flow, uses: &Uses<'a>, warnings: &mut Vec<Warning>) {
    for node in written.tree.nodes().filter(|it| flow.is_reachable(*it)) {
        let Some(own) = written.built_in(node).map(|it| it.node().rest()) else { continue };
        for KeyEntry { name, .. } in own.keys.iter().filter(|it| !it.local) {
            let Some(key) = node.key(name.text) else { continue };
            if !is_counter(written, uses, key) {
                continue;
            }
            let text = name.text;
            let message = format!(
                "`{text}` is only counted up: it keeps its count when this `{}` starts again",
                node.node_kind().name()
            );
            let help = format!("to reset it at each start, declare `{text}` in `locals` instead of `blackboard`");
            let finding = warning(Code::OnlyCountedUp, (written.file(node), name.span), message).help(help);
            warnings.push(Warning { node: node.id(), finding });
        }
    }
}

/// Whether only nodes that add to a number write it, and something depends on it.
fn is_counter<H: Host>(written: &Written<'_, H>, uses: &Uses<'_>, key: KeyIndex) -> bool {
    let is_number = matches!(written.tree.schema().decl(key).ty(), Type::Int | Type::Float);
    let mut writers = uses.writers(key).iter().filter_map(|it| written.tree.node(*it)).peekable();
    is_number
        && writers.peek().is_some()
        && writers.all(|it| adds(written, it))
        && !uses.is_given(key)
        && written.tree.nodes().any(|it| {
            uses.reads(it.id()).is_some_and(|it| it.keys.contains(&key))
                || (it.node_kind() == NodeKind::Switch && written.selects(it).keys.contains(&key))
        })
}

/// Whether a node is `Set(key: "n", to: "n + 1")`, with any number above zero.
fn adds<H: Host>(written: &Written<'_, H>, node: NodeRef<'_, H>) -> bool {
    let (Some(Param::Text(key)), Some(Param::Text(to))) = (written.value(node, "key"), written.value(node, "to"))
    else {
        return false;
    };
    let is_number = |it: &str| it.parse::<f64>().is_ok_and(|it| it > 0.0);
    let sum = to.split_once('+').map(|(a, b)| (a.trim(), b.trim()));
    sum.is_some_and(|(a, b)| (a == *key && is_number(b)) || (b == *key && is_number(a)))
}
