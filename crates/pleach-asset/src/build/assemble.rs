//! One node of the core out of a built-in node of an asset.

use pleach_core::{self as core, Host, Node, NodeKind, Outcome, Policy, When};

use crate::asset::{BuiltIn, Param, Subtree};

/// Makes the node without its children. What is missing has been reported, and is replaced by
/// something harmless, so that the rest of the tree can be checked. So many children it will have.
pub(super) fn assemble<H: Host>(
    it: Subtree<'_>,
    own: &BuiltIn<'_>,
    when: Option<When<H>>,
    mut children: usize,
) -> Node<H> {
    let p = Params(own);
    match own.kind {
        NodeKind::Sequence => core::sequence([]),
        NodeKind::Selector => core::selector([]),
        NodeKind::Parallel => {
            core::parallel_with(p.policy("success", Policy::All), p.policy("failure", Policy::Any), [])
        }
        NodeKind::ReactiveSequence => core::reactive_sequence([]),
        NodeKind::ReactiveSelector => core::reactive_selector([]),
        NodeKind::RandomSequence => core::random_sequence(p.weights(it), []),
        NodeKind::RandomSelector => core::random_selector(p.weights(it), []),
        NodeKind::UtilitySelector => {
            // Missing scores have been reported; the children are checked all the same.
            let scores = p.scores(it).into_iter().chain(std::iter::repeat("0.0".into()));
            core::utility_selector(p.flag("reevaluate"), scores.take(children).map(|it| (it, core::fail())))
        }
        NodeKind::Switch => {
            // If all children are disabled, something stands in place of the first.
            let disabled = it.children().all(|it| it.disabled);
            let cases = it.enabled_cases().chain(it.node().rest().cases.first().filter(|_| disabled));
            let cases: Vec<_> = cases.take(children).map(|it| (it.value.clone(), core::fail())).collect();
            children -= cases.len();
            let make = if p.flag("latch") { core::switch_latched } else { core::switch };
            // The empty text is no expression: the core complains, and what it says of a missing
            // field is dropped.
            make(p.text("on").unwrap_or_default(), cases, (children > 0).then(core::fail))
        }
        NodeKind::Inverter => core::inverter(core::fail()),
        NodeKind::ForceSuccess => core::force_success(core::fail()),
        NodeKind::ForceFailure => core::force_failure(core::fail()),
        NodeKind::UntilSuccess => core::until_success(core::fail()),
        NodeKind::UntilFailure => core::until_failure(core::fail()),
        NodeKind::Repeat => match (p.flag("forever"), p.flag("end_on_failure")) {
            (true, false) => core::repeat_forever(core::fail()),
            (true, true) => core::repeat_while_succeeding(None, core::fail()),
            (false, false) => core::repeat(p.count("count"), core::fail()),
            (false, true) => core::repeat_while_succeeding(Some(p.count("count")), core::fail()),
        },
        NodeKind::Guard => core::guard(when.unwrap_or_else(|| When::Expr("true".into())), core::fail()),
        NodeKind::Timeout => core::timeout(p.number("seconds"), p.outcome("result"), core::fail()),
        NodeKind::Cooldown => core::cooldown(p.number("seconds"), core::fail()),
        NodeKind::Limit => core::limit(p.count("count"), p.outcome("exhausted"), core::fail()),
        NodeKind::Delay => core::delay(p.number("seconds"), core::fail()),
        NodeKind::Probability => core::probability(p.number("p"), core::fail()),
        NodeKind::Action | NodeKind::Condition => unreachable!("the reader keeps leaves of the host apart"),
        NodeKind::Wait => core::wait(p.number("seconds")),
        NodeKind::WaitTicks => core::wait_ticks(p.count("ticks")),
        NodeKind::WaitUntil => core::wait_until(p.text("expr").unwrap_or("true")),
        NodeKind::Check => core::check(p.text("expr").unwrap_or("true")),
        NodeKind::OnEvent => core::on_event(p.text("event").unwrap_or("?"), p.text("into")),
        // No key has the empty name: see above.
        NodeKind::Set => core::set(p.text("key").unwrap_or_default(), p.text("to").unwrap_or("true")),
        NodeKind::Log => core::log(p.text("text").unwrap_or_default()),
        NodeKind::Emit => {
            let emit = core::emit(p.text("event").unwrap_or("?"), p.text("payload"));
            if p.is("to", "Group") { emit.to_group() } else { emit }
        }
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
pub(super) struct Params<'a>(pub(super) &'a BuiltIn<'a>);

impl<'a> Params<'a> {
    fn get(&self, name: &str) -> Option<&'a Param<'a>> {
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

    /// Whether a field is this word, one of those that are fixed for it.
    fn is(&self, name: &str, word: &'static str) -> bool {
        self.get(name) == Some(&Param::Word(word))
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

    fn weights(&self, it: Subtree<'a>) -> Option<Vec<f64>> {
        let Some(Param::Numbers(list)) = self.get("weights") else { return None };
        Some(it.enabled(list).map(|it| it.value).collect())
    }

    fn scores(&self, it: Subtree<'a>) -> Vec<String> {
        let Some(Param::Texts(list)) = self.get("scores") else { return Vec::new() };
        it.enabled(list).map(|it| it.text.to_owned()).collect()
    }
}
