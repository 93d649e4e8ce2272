//! One node of the core out of a built-in node of an asset.

use std::vec::Drain;

use pleach_core::{self as core, Host, Node, NodeKind, Outcome, Policy, When};

use crate::asset::{BuiltIn, Param};

/// Makes the node. What is missing has been reported, and is replaced by something harmless, so
/// that the rest of the tree can be checked.
pub(super) fn assemble<H: Host>(own: &BuiltIn, when: Option<When<H>>, mut children: Drain<'_, Node<H>>) -> Node<H> {
    let p = Params(own);
    // Of a decorator the first and only child.
    let child = |mut children: Drain<'_, Node<H>>| children.next().unwrap_or_else(core::fail);
    match own.kind {
        NodeKind::Sequence => core::sequence(children),
        NodeKind::Selector => core::selector(children),
        NodeKind::Parallel => {
            core::parallel_with(p.policy("success", Policy::All), p.policy("failure", Policy::Any), children)
        }
        NodeKind::ReactiveSequence => core::reactive_sequence(children),
        NodeKind::ReactiveSelector => core::reactive_selector(children),
        NodeKind::RandomSequence => core::random_sequence(p.weights(), children),
        NodeKind::RandomSelector => core::random_selector(p.weights(), children),
        NodeKind::UtilitySelector => {
            let mut scores = p.scores().into_iter();
            // Missing scores have been reported; the children are checked all the same.
            let scored = children.by_ref().map(|it| (scores.next().unwrap_or_else(|| "0.0".into()), it));
            core::utility_selector(p.flag("reevaluate"), scored.collect::<Vec<_>>())
        }
        NodeKind::Switch => {
            // If all children are disabled, something stands in place of the first.
            let disabled = own.parent().children.iter().all(|it| it.disabled);
            let cases = own.enabled_cases().chain(own.parent().cases.first().filter(|_| disabled));
            let cases: Vec<_> = cases.map(|it| it.value.clone()).zip(children.by_ref()).collect();
            let make = if p.flag("latch") { core::switch_latched } else { core::switch };
            // The empty text is no expression: the core complains, and what it says of a missing
            // field is dropped.
            make(p.text("on").unwrap_or_default(), cases, children.next())
        }
        NodeKind::Inverter => core::inverter(child(children)),
        NodeKind::ForceSuccess => core::force_success(child(children)),
        NodeKind::ForceFailure => core::force_failure(child(children)),
        NodeKind::UntilSuccess => core::until_success(child(children)),
        NodeKind::UntilFailure => core::until_failure(child(children)),
        NodeKind::Repeat => match (p.flag("forever"), p.flag("end_on_failure")) {
            (true, false) => core::repeat_forever(child(children)),
            (true, true) => core::repeat_while_succeeding(None, child(children)),
            (false, false) => core::repeat(p.count("count"), child(children)),
            (false, true) => core::repeat_while_succeeding(Some(p.count("count")), child(children)),
        },
        NodeKind::Guard => core::guard(when.unwrap_or_else(|| When::Expr("true".into())), child(children)),
        NodeKind::Timeout => core::timeout(p.number("seconds"), p.outcome("result"), child(children)),
        NodeKind::Cooldown => core::cooldown(p.number("seconds"), child(children)),
        NodeKind::Limit => core::limit(p.count("count"), p.outcome("exhausted"), child(children)),
        NodeKind::Delay => core::delay(p.number("seconds"), child(children)),
        NodeKind::Probability => core::probability(p.number("p"), child(children)),
        NodeKind::Action | NodeKind::Condition => unreachable!("the reader keeps leaves of the host apart"),
        NodeKind::Wait => core::wait(p.number("seconds")),
        NodeKind::WaitTicks => core::wait_ticks(p.count("ticks")),
        NodeKind::WaitUntil => core::wait_until(p.text("expr").unwrap_or("true")),
        NodeKind::Check => core::check(p.text("expr").unwrap_or("true")),
        NodeKind::OnEvent => core::on_event(p.text("event").unwrap_or("?"), p.text("into")),
        // No key has the empty name: see above.
        NodeKind::Set => core::set(p.text("key").unwrap_or_default(), p.text("to").unwrap_or("true")),
        NodeKind::Log => core::log(p.text("text").unwrap_or_default()),
        NodeKind::Emit => core::emit(p.text("event").unwrap_or("?"), p.text("payload")),
        NodeKind::Succeed => core::succeed(),
        NodeKind::Fail => core::fail(),
        NodeKind::Idle => core::idle(),
    }
}

/// A number or an expression.
pub(super) fn number(param: &Param) -> core::Number {
    match param {
        Param::Text(it) => core::Number::Expr(it.to_string()),
        _ => core::Number::Literal(literal(param).unwrap_or(0.0)),
    }
}

/// A number that is no expression.
pub(super) fn literal(param: &Param) -> Option<f64> {
    if let Param::Number(it) = param { Some(it.value) } else { None }
}

/// The parameters of a node, by name. One that is missing where it is optional has its default
/// here.
pub(super) struct Params<'a>(pub(super) &'a BuiltIn);

impl<'a> Params<'a> {
    fn get(&self, name: &str) -> Option<&'a Param> {
        self.0.field(name).map(|it| &it.value)
    }

    pub(super) fn number(&self, name: &str) -> core::Number {
        self.get(name).map_or(core::Number::Literal(0.0), number)
    }

    pub(super) fn count(&self, name: &str) -> core::Count {
        match self.get(name) {
            Some(Param::Count(it)) => core::Count::Literal(*it),
            Some(Param::Text(it)) => core::Count::Expr(it.to_string()),
            _ => core::Count::Literal(1),
        }
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.get(name) == Some(&Param::Bool(true))
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        if let Some(Param::Text(it)) = self.get(name) { Some(it) } else { None }
    }

    pub(super) fn outcome(&self, name: &str) -> Outcome {
        if let Some(Param::Outcome(it)) = self.get(name) { *it } else { Outcome::Failure }
    }

    pub(super) fn policy(&self, name: &str, default: Policy) -> Policy {
        if let Some(Param::Policy(it)) = self.get(name) { *it } else { default }
    }

    fn weights(&self) -> Option<Vec<f64>> {
        let Some(Param::Numbers(list)) = self.get("weights") else { return None };
        Some(self.0.enabled(list).map(|it| it.value).collect())
    }

    fn scores(&self) -> Vec<String> {
        let Some(Param::Texts(list)) = self.get("scores") else { return Vec::new() };
        self.0.enabled(list).map(|it| it.text.to_string()).collect()
    }
}
