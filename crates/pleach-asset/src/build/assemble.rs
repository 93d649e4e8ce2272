//! Makes a node of the core from a built-in node of an asset.

use pleach_core::{
    self as core, Host, Outcome,
    kinds::EveryNodeKind,
    nodes::{self, Ending, Node, Policy},
};

use crate::asset::{BuiltIn, Param, Subtree};
use crate::literal;

/// Makes the node without its children; it will have `children` of them. What is missing has been
/// reported, and is replaced by something harmless, so that the rest of the tree can be checked.
pub(super) fn assemble<H: Host>(
    it: Subtree<'_>,
    own: &BuiltIn<'_>,
    when: Option<Node<H>>,
    mut children: usize,
) -> Node<H> {
    let p = Params(own);
    match own.kind.every() {
        EveryNodeKind::Sequence => nodes::sequence([]),
        EveryNodeKind::Selector => nodes::selector([]),
        EveryNodeKind::Parallel => {
            nodes::parallel([]).success(p.policy("success", Policy::All)).failure(p.policy("failure", Policy::Any))
        }
        EveryNodeKind::ReactiveSequence => nodes::reactive_sequence([]),
        EveryNodeKind::ReactiveSelector => nodes::reactive_selector([]),
        EveryNodeKind::RandomSequence => with(nodes::random_sequence([]), p.weights(it), Node::weights),
        EveryNodeKind::RandomSelector => with(nodes::random_selector([]), p.weights(it), Node::weights),
        EveryNodeKind::RandomChoice => with(nodes::random_choice([]), p.weights(it), Node::weights),
        EveryNodeKind::UtilitySelector => {
            // Missing scores have been reported; the children are checked all the same.
            let scores = p.scores(it).into_iter().chain(std::iter::repeat("0.0".into()));
            let node = nodes::utility_selector(scores.take(children).map(|it| (it, nodes::fail())));
            let node = if p.flag("reevaluate") { node.reevaluate() } else { node };
            with(node, p.get("inertia").and_then(literal), Node::inertia)
        }
        EveryNodeKind::Switch => {
            // If all children are disabled, a placeholder takes the place of the first.
            let disabled = it.children().all(|it| it.disabled);
            let cases = it.enabled_cases().chain(it.node().rest().cases.first().filter(|_| disabled));
            let cases: Vec<_> = cases.take(children).map(|it| (it.value.clone(), nodes::fail())).collect();
            children -= cases.len();
            // The empty text is not an expression: the core reports it, and that report is dropped
            // for a missing field.
            let node = nodes::switch(p.text("on").unwrap_or_default(), cases);
            let node = with(node, (children > 0).then(nodes::fail), Node::default);
            if p.flag("latch") { node.latch() } else { node }
        }
        EveryNodeKind::Inverter => nodes::inverter(nodes::fail()),
        EveryNodeKind::ForceSuccess => nodes::force_success(nodes::fail()),
        EveryNodeKind::ForceFailure => nodes::force_failure(nodes::fail()),
        EveryNodeKind::UntilSuccess => with(nodes::until_success(nodes::fail()), p.attempts(), Node::count),
        EveryNodeKind::UntilFailure => with(nodes::until_failure(nodes::fail()), p.attempts(), Node::count),
        EveryNodeKind::Repeat => {
            let forever = p.flag("forever");
            let node = if forever {
                nodes::repeat_forever(nodes::fail())
            } else {
                nodes::repeat(p.count("count"), nodes::fail())
            };
            if p.flag("end_on_failure") { node.end_on_failure() } else { node }
        }
        EveryNodeKind::Guard => {
            nodes::guard(when.unwrap_or_else(|| nodes::check("true")), nodes::fail()).result(p.outcome("result"))
        }
        EveryNodeKind::Timeout => nodes::timeout(p.number("seconds"), nodes::fail()).result(p.outcome("result")),
        EveryNodeKind::Cooldown => with(nodes::cooldown(p.number("seconds"), nodes::fail()), p.after(), Node::after),
        EveryNodeKind::Limit => nodes::limit(p.count("count"), nodes::fail()).exhausted(p.outcome("exhausted")),
        EveryNodeKind::Delay => nodes::delay(p.number("seconds"), nodes::fail()),
        EveryNodeKind::Probability => nodes::probability(p.number("p"), nodes::fail()),
        EveryNodeKind::Token => match p.text("token") {
            Some(token) => {
                let node = with(
                    nodes::token(token, p.count("count"), nodes::fail()),
                    p.get("rest").and_then(literal),
                    Node::rest,
                );
                if p.is("of", "Global") { node.global() } else { node }
            }
            None => nodes::force_failure(nodes::fail()),
        },
        // Its child is the first that it will have.
        EveryNodeKind::Finally => with(nodes::finally([], nodes::fail()), p.ending(), Node::on),
        EveryNodeKind::Action | EveryNodeKind::Condition => unreachable!("the reader keeps leaves of the host apart"),
        EveryNodeKind::Wait => nodes::wait(p.number("seconds")),
        EveryNodeKind::WaitTicks => nodes::wait_ticks(p.count("ticks")),
        EveryNodeKind::WaitUntil => nodes::wait_until(p.text("expr").unwrap_or("true")),
        EveryNodeKind::Check => nodes::check(p.text("expr").unwrap_or("true")),
        EveryNodeKind::WaitFor => with(nodes::wait_for(p.text("event").unwrap_or("?")), p.text("into"), Node::into_key),
        EveryNodeKind::OnEvent => with(nodes::on_event(p.text("event").unwrap_or("?")), p.text("into"), Node::into_key),
        EveryNodeKind::Free => p.text("token").map_or_else(nodes::fail, nodes::free),
        // No key has the empty name: see above.
        EveryNodeKind::Set => nodes::set(p.text("key").unwrap_or_default(), p.text("to").unwrap_or("true")),
        EveryNodeKind::Roll => nodes::roll(p.text("key").unwrap_or_default(), p.bound("from"), p.bound("to")),
        EveryNodeKind::Log => nodes::log(p.text("text").unwrap_or_default()),
        EveryNodeKind::Emit => {
            let emit = with(nodes::emit(p.text("event").unwrap_or("?")), p.text("payload"), Node::payload);
            if p.is("to", "Group") { emit.to_group() } else { emit }
        }
        EveryNodeKind::Succeed => nodes::succeed(),
        EveryNodeKind::Fail => nodes::fail(),
        EveryNodeKind::Idle => nodes::idle(),
    }
}

/// The node with an option, if that is written.
fn with<H: Host, T>(node: Node<H>, option: Option<T>, set: impl FnOnce(Node<H>, T) -> Node<H>) -> Node<H> {
    match option {
        Some(option) => set(node, option),
        None => node,
    }
}

/// A number or an expression.
pub(super) fn number(param: &Param) -> core::nodes::Number {
    match param {
        Param::Text(it) => core::nodes::Number::Expr(it.to_string()),
        _ => core::nodes::Number::Literal(literal(param).unwrap_or(0.0)),
    }
}

/// A number that is not an expression.
pub(super) fn literal(param: &Param) -> Option<f64> {
    if let Param::Number(it) = param { Some(it.value) } else { None }
}

/// The parameters of a node, by name. An optional one that is missing has its default here.
pub(super) struct Params<'a>(pub(super) &'a BuiltIn<'a>);

impl<'a> Params<'a> {
    fn get(&self, name: &str) -> Option<&'a Param<'a>> {
        self.0.field(name).map(|it| &it.value)
    }

    pub(super) fn number(&self, name: &str) -> core::nodes::Number {
        self.get(name).map_or(core::nodes::Number::Literal(0.0), number)
    }

    /// An end of a roll, whole if it is written so.
    fn bound(&self, name: &str) -> core::nodes::Bound {
        match self.get(name) {
            Some(Param::Number(it)) => match literal::whole(it.text) {
                Some(whole) => core::nodes::Bound::Int(whole),
                None => core::nodes::Bound::Float(it.value),
            },
            Some(Param::Text(it)) => core::nodes::Bound::Expr(it.to_string()),
            _ => core::nodes::Bound::Int(0),
        }
    }

    pub(super) fn count(&self, name: &str) -> core::nodes::Count {
        match self.get(name) {
            Some(Param::Count(it)) => core::nodes::Count::Literal(*it),
            Some(Param::Text(it)) => core::nodes::Count::Expr(it.to_string()),
            _ => core::nodes::Count::Literal(1),
        }
    }

    /// How many attempts there are, if they are counted.
    pub(super) fn attempts(&self) -> Option<core::nodes::Count> {
        self.get("count").map(|_| self.count("count"))
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

    /// The outcome of its child that starts a cooldown; `None` for every end.
    pub(super) fn after(&self) -> Option<Outcome> {
        [("Success", Outcome::Success), ("Failure", Outcome::Failure)]
            .into_iter()
            .find_map(|(word, outcome)| self.is("after", word).then_some(outcome))
    }

    /// Which ends of its child a finally waits for.
    fn ending(&self) -> Option<Ending> {
        [("Aborted", Ending::Aborted), ("Success", Ending::Success), ("Failure", Ending::Failure)]
            .into_iter()
            .find_map(|(word, ending)| self.is("on", word).then_some(ending))
    }

    pub(super) fn outcome(&self, name: &str) -> Outcome {
        if let Some(Param::Outcome(it)) = self.get(name) { *it } else { Outcome::Failure }
    }

    pub(super) fn policy(&self, name: &str, default: Policy) -> Policy {
        if let Some(Param::Policy(it)) = self.get(name) { *it } else { default }
    }

    fn weights(&self, it: Subtree<'a>) -> Option<Vec<f64>> {
        let Some(Param::Numbers(list)) = self.get("weight") else { return None };
        let weights: Vec<f64> = it.enabled(list).map(|it| it.value).collect();
        // None if all children are disabled: something else stands in their place.
        (!weights.is_empty()).then_some(weights)
    }

    fn scores(&self, it: Subtree<'a>) -> Vec<String> {
        let Some(Param::Texts(list)) = self.get("score") else { return Vec::new() };
        it.enabled(list).map(|it| it.text.to_owned()).collect()
    }
}
