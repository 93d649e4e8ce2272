//! The names and expressions of a node, to change them.

use super::Expanded;
use crate::scenario::{Amount, CompositeKind, DecoratorKind, LeafKind, Shape, Test};

pub(super) type Change<'f> = &'f mut dyn FnMut(&mut String) -> Expanded<()>;

/// The keys that a node writes.
pub(super) fn written_keys(shape: &mut Shape, change: Change<'_>) -> Expanded<()> {
    match shape {
        Shape::Leaf(
            LeafKind::Set { key, .. }
            | LeafKind::Roll { key, .. }
            | LeafKind::OnEvent { into: Some(key), .. }
            | LeafKind::WaitFor { into: Some(key), .. },
        ) => change(key),
        _ => Ok(()),
    }
}

/// The expressions of a node.
pub(super) fn expressions(shape: &mut Shape, change: Change<'_>) -> Expanded<()> {
    match shape {
        Shape::Composite { kind, services, .. } => {
            for it in services {
                amount(&mut it.interval.ticks, change)?;
            }
            match kind {
                CompositeKind::UtilitySelector { scores, .. } => scores.iter_mut().try_for_each(change),
                CompositeKind::Switch { on, .. } => change(on),
                _ => Ok(()),
            }
        }
        Shape::Decorator { kind, .. } => match kind {
            DecoratorKind::Guard { test: Test::Expr(text), .. } => change(text),
            DecoratorKind::Repeater { count: Some(it), .. }
            | DecoratorKind::UntilSuccess { count: Some(it) }
            | DecoratorKind::UntilFailure { count: Some(it) }
            | DecoratorKind::Limit { count: it, .. } => amount(it, change),
            DecoratorKind::Timeout { ticks, .. } => amount(ticks, change),
            DecoratorKind::Cooldown { time: it, .. } | DecoratorKind::Delay(it) => amount(&mut it.ticks, change),
            DecoratorKind::Probability { p } => amount(p, change),
            _ => Ok(()),
        },
        Shape::Leaf(kind) => match kind {
            LeafKind::Check { expr }
            | LeafKind::WaitUntil { expr }
            | LeafKind::Set { expr, .. }
            | LeafKind::Emit { payload: Some(expr), .. } => change(expr),
            LeafKind::Wait(it) => amount(&mut it.ticks, change),
            LeafKind::WaitTicks { ticks } => amount(ticks, change),
            LeafKind::Roll { key: _, from, to } => change(from).and_then(|()| change(to)),
            _ => Ok(()),
        },
    }
}

fn amount<T>(it: &mut Amount<T>, change: Change<'_>) -> Expanded<()> {
    match it {
        Amount::Expr(text) => change(text),
        Amount::Literal(_) => Ok(()),
    }
}
