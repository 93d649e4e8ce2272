//! How a parent reacts to the end of a child (the table of section 3).

use super::node::{AgentNode, Kind};
use crate::scenario::{CompositeKind, DecoratorKind, Outcome, Policy};

/// A child of `n` has ended by itself.
pub(super) fn told(n: &AgentNode, outcome: Outcome) {
    let children = n.children.len();
    let mut state = n.state();
    let state = &mut *state;
    if state.rerunning {
        return;
    }
    let turned = match outcome {
        Outcome::Success => Outcome::Failure,
        Outcome::Failure => Outcome::Success,
    };
    match &n.kind {
        Kind::Composite(CompositeKind::Parallel { success, failure }) => {
            match outcome {
                Outcome::Success => state.succeeded += 1,
                Outcome::Failure => state.failed += 1,
            }
            let met = |policy: Policy, ended: usize| match policy {
                Policy::All => ended >= children,
                Policy::Any => ended >= 1,
                Policy::AtLeast(n) => ended >= usize::try_from(n).unwrap_or(usize::MAX),
            };
            if state.verdict.is_none() {
                if met(*failure, state.failed) {
                    state.verdict = Some(Outcome::Failure);
                } else if met(*success, state.succeeded) {
                    state.verdict = Some(Outcome::Success);
                } else if state.succeeded + state.failed == children {
                    state.verdict = Some(Outcome::Failure);
                }
            }
        }
        Kind::Composite(CompositeKind::Switch { .. } | CompositeKind::RandomChoice { .. }) => {
            state.verdict = Some(outcome);
        }
        Kind::Composite(kind) => {
            if outcome == deciding(kind) || state.cursor + 1 == children {
                state.verdict = Some(outcome);
            } else {
                state.cursor += 1;
            }
        }
        Kind::Decorator(kind) => {
            state.verdict = match kind {
                DecoratorKind::Inverter => Some(turned),
                DecoratorKind::ReturnSuccess => Some(Outcome::Success),
                DecoratorKind::ReturnFailure => Some(Outcome::Failure),
                DecoratorKind::UntilSuccess { count } => {
                    state.counter += 1;
                    let last = count.is_some() && state.counter >= state.count;
                    (outcome == Outcome::Success || last).then_some(outcome)
                }
                DecoratorKind::UntilFailure { count } => {
                    state.counter += 1;
                    let last = count.is_some() && state.counter >= state.count;
                    (outcome == Outcome::Failure || last).then_some(outcome)
                }
                DecoratorKind::Repeater { count, end_on_failure } => {
                    state.counter += 1;
                    let failed = *end_on_failure && outcome == Outcome::Failure;
                    (failed || count.is_some() && state.counter >= state.count).then_some(outcome)
                }
                DecoratorKind::Guard { .. }
                | DecoratorKind::Timeout { .. }
                | DecoratorKind::Cooldown { .. }
                | DecoratorKind::Limit { .. }
                | DecoratorKind::Delay(_)
                | DecoratorKind::Probability { .. }
                | DecoratorKind::Token(_)
                | DecoratorKind::Finally { .. } => Some(outcome),
            };
        }
        Kind::Leaf(_) => panic!("{} is a leaf and has no child", n.name),
    }
}

/// The child outcome that decides a composite which tries its children in order.
pub(super) fn deciding(kind: &CompositeKind) -> Outcome {
    match kind {
        CompositeKind::Sequence | CompositeKind::ReactiveSequence | CompositeKind::RandomSequence { .. } => {
            Outcome::Failure
        }
        CompositeKind::Selector
        | CompositeKind::ReactiveSelector
        | CompositeKind::RandomSelector { .. }
        | CompositeKind::UtilitySelector { .. } => Outcome::Success,
        CompositeKind::Switch { .. } | CompositeKind::RandomChoice { .. } => panic!("it runs one child"),
        CompositeKind::Parallel { .. } => panic!("a parallel does not try its children one after the other"),
    }
}
