//! Names that nodes have in other systems, and what they are here.

use crate::kind;
use crate::suggest::{Advice, Edit, meant};

/// Other systems' names of nodes, and what to write here.
const NAMES: [(&str, &str); 116] = [
    ("Action", "the leaf itself, by its own name, as in `Wait(1.0)`"),
    ("ActiveSelector", "`ReactiveSelector`"),
    ("AlwaysFail", "`ForceFailure`, or the leaf `Fail`"),
    ("AlwaysFailure", "`ForceFailure`, or the leaf `Fail`"),
    ("AlwaysRunning", "`Idle`"),
    ("AlwaysSucceed", "`ForceSuccess`, or the leaf `Succeed`"),
    ("AlwaysSuccess", "`ForceSuccess`, or the leaf `Succeed`"),
    ("BehaviorTree", "`Tree(version: 1, root: ..)` at the top of a file, `Subtree(\"file.ron\")` below"),
    ("BlackboardCheck", "`Check(\"..\")` as the first child, and `abort` on the composite"),
    ("BlackboardCondition", "`Check(\"..\")` as the first child, and `abort` on the composite"),
    ("Broadcast", "`Emit(event: \"..\", to: Group)`"),
    ("Chance", "`Probability(p: 0.5, child: ..)`"),
    ("CheckBlackboard", "`Check(\"..\")`"),
    ("CompareBlackboard", "`Check(\"..\")`"),
    ("Composite", "`Sequence`, `Selector` or another composite"),
    ("Condition", "`Check(\"..\")` over keys, or a condition of the game by its own name"),
    ("ConditionalEvaluator", "`Guard(when: \"..\", child: ..)`"),
    ("ConditionalLoop", "`UntilFailure` of a `Sequence` that begins with a `Check`"),
    ("DebugLog", "`Log(\"..\")`"),
    ("Decorator", "`Inverter`, `Repeat` or another decorator"),
    ("DynamicSelector", "`ReactiveSelector`"),
    ("DynamicSequence", "`ReactiveSequence`"),
    ("EternalGuard", "`Guard(when: \"..\", child: ..)`"),
    ("Executor", "`Repeat(forever: true, child: ..)`"),
    ("ExternalBehaviorTree", "`Subtree(\"file.ron\")`"),
    ("Failer", "`ForceFailure`, or the leaf `Fail`"),
    ("Failure", "`Fail`"),
    ("Fallback", "`Selector`"),
    ("FallbackStar", "`Selector`"),
    ("Filter", "`Guard(when: \"..\", child: ..)`"),
    ("Forever", "`Repeat(forever: true, child: ..)`"),
    ("HasReceivedEvent", "`OnEvent(\"..\")`"),
    ("If", "`Guard(when: \"..\", child: ..)`, or `Switch(on: \"..\", cases: { true: .., false: .. })`"),
    ("Interrupt", "`Guard(when: \"..\", child: ..)`, or an `abort` type on a composite"),
    ("Invert", "`Inverter`"),
    ("KeepRunningUntilFailure", "`UntilFailure`"),
    ("Loop", "`Repeat(count: 3, child: ..)` or `Repeat(forever: true, child: ..)`"),
    ("MemorySelector", "`Selector`"),
    ("MemorySequence", "`Sequence`"),
    ("MemSelector", "`Selector`"),
    ("MemSequence", "`Sequence`"),
    ("Monitor", "`Guard(when: \"..\", child: ..)`"),
    ("MonitorSelector", "`ReactiveSelector`"),
    ("MonitorSequence", "`ReactiveSequence`"),
    ("Negate", "`Inverter`"),
    ("NonReactiveSelector", "`Selector`"),
    ("NonReactiveSequence", "`Sequence`"),
    ("Noop", "`Succeed`, or `Idle` to keep running"),
    ("Not", "`Inverter`"),
    ("Nothing", "`Succeed`, or `Idle` to keep running"),
    ("Once", "`Limit(count: 1, exhausted: Success, child: ..)`"),
    ("OneShot", "`Use(template: \"RunOnce\", nodes: { \"body\": .. })`"),
    ("ParallelAll", "`Parallel(success: All, failure: Any, children: ..)`"),
    ("ParallelAny", "`Parallel(success: Any, failure: All, children: ..)`"),
    ("ParallelComplete", "`Parallel(success: Any, failure: Any, children: ..)`"),
    ("ParallelSelector", "`Parallel(success: Any, failure: All, children: ..)`"),
    ("ParallelSequence", "`Parallel(success: All, failure: Any, children: ..)`"),
    ("PipelineSequence", "`ReactiveSequence`, if the earlier children end at once"),
    ("Precondition", "`Guard(when: \"..\", child: ..)`"),
    ("Print", "`Log(\"..\")`"),
    ("Priority", "`Selector`, with the most urgent child first"),
    ("PrioritySelector", "`Selector` if the order decides, `UtilitySelector` if scores do"),
    ("ProbabilitySelector", "`RandomChoice(children: [(weight: 3.0, child: ..), ..])`"),
    ("Race", "`Parallel(success: Any, failure: Any, children: ..)`"),
    ("Random", "`RandomSelector`, `RandomSequence` or `RandomChoice`"),
    ("RandomChance", "`Probability(p: 0.5, child: ..)`"),
    ("RandomFallback", "`RandomSelector`"),
    ("Randomizer", "`RandomSelector`, or `RandomChoice` for one draw that stands"),
    ("RandomProbability", "`Probability(p: 0.5, child: ..)`"),
    ("RateController", "`Cooldown(seconds: 0.5, child: ..)`, or `services: [(every: 0.5, run: ..)]` of a composite"),
    ("ReactiveFallback", "`ReactiveSelector`"),
    ("ReceiveEvent", "`OnEvent(\"..\")`"),
    ("Repeater", "`Repeat(count: 3, child: ..)` or `Repeat(forever: true, child: ..)`"),
    ("RepeatForever", "`Repeat(forever: true, child: ..)`"),
    ("RepeatUntilFail", "`UntilFailure`"),
    ("RepeatUntilFailure", "`UntilFailure`"),
    ("RepeatUntilSuccess", "`UntilSuccess`"),
    ("RetryUntilSuccessful", "`UntilSuccess(count: 3, child: ..)`"),
    ("ReturnFailure", "`ForceFailure`, or the leaf `Fail`"),
    ("ReturnSuccess", "`ForceSuccess`, or the leaf `Succeed`"),
    ("Root", "`Tree(version: 1, root: ..)`"),
    ("RoundRobin", "`Switch(on: \"next\", cases: { 0: .., 1: .. })` over a key that a `Set` in each child counts on"),
    ("RunBehavior", "`Subtree(\"file.ron\")`"),
    ("RunBehaviorDynamic", "`Slot(name: \"..\", trees: [..])`"),
    ("RunLimit", "`Limit(count: 3, child: ..)`"),
    ("Script", "`Set(key: \"..\", to: \"..\")` for each assignment"),
    ("ScriptCondition", "`Check(\"..\")`"),
    ("Sel", "`Selector`"),
    ("Select", "`Selector`"),
    ("SelectorEvaluator", "`ReactiveSelector`"),
    ("SelectorWithMemory", "`Selector`"),
    ("SendEvent", "`Emit(event: \"..\")`"),
    ("Seq", "`Sequence`"),
    ("SequenceStar", "`Sequence`"),
    ("SequenceWithMemory", "`Sequence`"),
    ("Service", "a field of composites: `services: [(every: 0.5, run: ..)]`"),
    ("SetBlackboard", "`Set(key: \"..\", to: \"..\")`"),
    ("SetVariable", "`Set(key: \"..\", to: \"..\")`"),
    ("Shuffle", "`RandomSequence`, or `RandomSelector`"),
    ("ShuffleSelector", "`RandomSelector`"),
    ("ShuffleSequence", "`RandomSequence`"),
    ("SimpleParallel", "`Parallel(success: Any, failure: Any, children: ..)`"),
    ("Sleep", "`Wait(1.0)`"),
    ("StatefulSelector", "`Selector`"),
    ("StatefulSequence", "`Sequence`"),
    ("SubTreePlus", "`Subtree(\"file.ron\")`"),
    ("Succeeder", "`ForceSuccess`, or the leaf `Succeed`"),
    ("Task", "the leaf itself, by its own name, as in `Wait(1.0)`"),
    ("TimeLimit", "`Timeout(seconds: 2.0, child: ..)`"),
    ("UntilFail", "`UntilFailure`"),
    ("Utility", "`UtilitySelector`"),
    ("WaitEvent", "`WaitFor(\"..\")`"),
    ("WaitForEvent", "`WaitFor(\"..\")`"),
    ("WeightedRandom", "`RandomChoice(children: [(weight: 3.0, child: ..), ..])`"),
    ("WeightedSelector", "`RandomSelector(children: [(weight: 3.0, child: ..), ..])`"),
    ("While", "`Guard(when: \"..\", child: ..)`, with a `Repeat(forever: true, child: ..)` below it"),
];

/// Names of fields in other systems, after the name here.
const FIELDS: [(&str, &[&str]); 21] = [
    ("asset", &["file", "path", "tree"]),
    ("blackboard", &["variables", "vars", "keys", "memory"]),
    ("cases", &["branches", "options"]),
    ("child", &["node", "body", "do"]),
    ("children", &["nodes"]),
    ("count", &["times", "n", "num_cycles", "max", "limit"]),
    ("default", &["else", "otherwise", "fallback"]),
    ("every", &["interval", "period", "rate", "seconds"]),
    ("expr", &["expression", "condition", "test", "when", "check"]),
    ("note", &["comment", "description"]),
    ("p", &["probability", "chance"]),
    ("ports", &["inputs", "params", "parameters", "args"]),
    ("root", &["tree", "behavior", "behaviour"]),
    ("run", &["action", "task", "leaf", "do"]),
    ("score", &["weight", "utility"]),
    ("seconds", &["time", "duration", "interval", "delay", "timeout"]),
    ("to", &["value", "set"]),
    ("trees", &["assets", "files", "paths"]),
    ("weight", &["score", "probability", "chance"]),
    ("when", &["condition", "if", "check", "expr"]),
    ("with", &["params", "parameters", "args", "inputs", "bindings"]),
];

/// Which of these fields has this name in another system.
pub(crate) fn field<'a>(name: &str, fields: &[&'a str]) -> Option<&'a str> {
    let ours = FIELDS.iter().filter(|it| it.1.contains(&name));
    ours.filter_map(|it| fields.iter().copied().find(|field| *field == it.0)).next()
}

/// The standard templates. Their file is read further up.
pub(crate) const TEMPLATES: [&str; 6] = ["ForEach", "IfThenElse", "Recovery", "Retry", "RunOnce", "WhileDoElse"];

/// The prefixes and suffixes of names in other systems. A prefix comes after those that it begins.
const PREFIXES: [&str; 9] =
    ["BTComposite_", "BTDecorator_", "BTService_", "BTTask_", "BTD_", "BTS_", "BTT_", "BT", "Bt"];
const SUFFIXES: [&str; 5] = ["Node", "Composite", "Decorator", "Task", "Action"];

/// What to write for a name of another system, as a help text.
pub(crate) fn help(name: &str) -> Option<Advice> {
    let template = |it: &str| {
        TEMPLATES.contains(&it).then(|| Advice::from(format!("it is a template: `Use(template: \"{it}\", ..)`")))
    };
    let ours = |it: &str| {
        let found = NAMES.iter().find(|of| of.0.eq_ignore_ascii_case(it));
        found.map(|of| ours_is(of.1)).or_else(|| template(it))
    };
    let bare = PREFIXES.iter().find_map(|it| name.strip_prefix(it)).filter(|it| !it.is_empty()).unwrap_or(name);
    let short = SUFFIXES.iter().find_map(|it| bare.strip_suffix(it)).filter(|it| !it.is_empty()).unwrap_or(bare);
    let built_in = |it: &str| kind::names().find(|of| of.eq_ignore_ascii_case(it)).map(meant);
    [name, bare, short].into_iter().find_map(ours).or_else(|| [bare, short].into_iter().find_map(built_in))
}

/// What to write here, and where that is nothing but another name, as an edit.
fn ours_is(what: &str) -> Advice {
    let advice = Advice::from(format!("in pleach this is {what}"));
    match what.strip_prefix('`').and_then(|it| it.strip_suffix('`')) {
        Some(name) if name.bytes().all(|it| it.is_ascii_alphanumeric()) => advice.edit(Edit::Name(name.into())),
        _ => advice,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(name: &str) -> Option<String> {
        help(name).map(|it| it.text)
    }

    #[test]
    fn each_name_leads_to_a_node_of_ours() {
        assert!(NAMES.is_sorted_by(|a, b| a.0.to_ascii_lowercase() < b.0.to_ascii_lowercase()), "in their order");
        for (name, text) in NAMES {
            assert!(!kind::names().any(|it| it.eq_ignore_ascii_case(name)), "{name} is one of ours");
            assert_eq!(words(name), Some(format!("in pleach this is {text}")));
            // The first quoted text can be written, except for fields.
            let ours = text.split('`').nth(1).unwrap_or_default();
            let ours = ours.split(['(', ':']).next().unwrap_or_default();
            let is_ours = ours == "Tree" || ours == "services" || kind::names().any(|it| it == ours);
            assert!(is_ours, "{name}: {ours}");
        }
    }

    #[test]
    fn prefixes_and_suffixes_do_not_count() {
        assert_eq!(words("BTSequence").as_deref(), Some("did you mean `Sequence`?"));
        assert_eq!(words("BTDynamicSelector").as_deref(), Some("in pleach this is `ReactiveSelector`"));
        assert_eq!(words("SelectorNode").as_deref(), Some("did you mean `Selector`?"));
        assert_eq!(words("fallback").as_deref(), Some("in pleach this is `Selector`"));
        assert_eq!(words("Retry").as_deref(), Some("it is a template: `Use(template: \"Retry\", ..)`"));
        for wait in ["BTT_Wait", "BTTask_Wait", "BTWait"] {
            assert_eq!(words(wait).as_deref(), Some("did you mean `Wait`?"), "{wait}");
        }
        for other in ["", "BT", "BTT_", "BTTask_Patrol", "Patrol", "WalkAction"] {
            assert_eq!(help(other), None, "{other}");
        }
    }
}
