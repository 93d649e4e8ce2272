//! Moments stored where they lose their meaning: in Float keys, and an agent's own time in keys
//! that others read.

use pleach_core::{Host, NodeRef, Type, kinds::NodeKind, schema::Scope};

use super::copies::Warning;
use super::flow::Flow;
use super::{Written, warning};
use crate::asset::Param;
use crate::code::Code;
use crate::finding::Finding;

pub(super) fn lint<H: Host>(written: &Written<'_, H>, flow: &Flow, warnings: &mut Vec<Warning>) {
    let sets = written.tree.nodes().filter(|it| it.node_kind() == NodeKind::Set && flow.is_reachable(*it));
    let found = sets.filter_map(|it| Some((it.id(), stamp(written, it)?)));
    warnings.extend(found.map(|(node, finding)| Warning { node, finding }));
}

fn stamp<H: Host>(written: &Written<'_, H>, node: NodeRef<'_, H>) -> Option<Finding> {
    let Some(Param::Text(name)) = written.value(node, "key") else { return None };
    let key = written.tree.schema().decl(node.key(name)?);
    let to = written.expressions(node).into_iter().next()?;
    // The type before the conversion to that of the key.
    let expr = node.expr(to.text, None).ok().filter(|it| it.ty() == Type::Time)?;
    let at = (written.file(node), to.span);
    if matches!(key.scope(), Scope::Group | Scope::Global) && expr.reads_time() {
        let message = format!("`time` is each agent's own, but agents share the {} key `{name}`", key.scope());
        return Some(warning(Code::Stamp, at, message).help("write `now`, the time of the forest"));
    }
    if key.ty() != Type::Float {
        return None;
    }
    let message = format!("`{}` is a Time, but `{name}` is a Float key, which rounds it more and more", to.text);
    Some(warning(Code::Stamp, at, message).help(format!("declare `\"{name}\": Time(0)`")))
}
