//! A small tree for each kind of node, for the book.

use pleach_core::kinds::NodeKind;

/// What its tree declares beside the root, and its root.
pub(super) type Example = (&'static str, &'static str);

/// The example of a kind that is built in.
pub(super) fn example(kind: NodeKind) -> Option<Example> {
    let hungry = "blackboard: { \"hungry\": Bool(true) },";
    let some = match kind {
        NodeKind::Sequence => (
            hungry,
            r#"Sequence(children: [
        Check("hungry"),
        Wait(name: "eat", seconds: 2.0),
        Set(key: "hungry", to: "false"),
    ])"#,
        ),
        NodeKind::Selector => (
            hungry,
            r#"Selector(children: [
        Sequence(abort: LowerPriority, children: [Check("hungry"), Wait(name: "eat", seconds: 2.0)]),
        Idle(name: "stroll"),
    ])"#,
        ),
        NodeKind::Parallel => (
            "",
            r#"Parallel(success: Any, failure: All, children: [
        Wait(name: "walk", seconds: 3.0),
        Repeat(forever: true, child: Wait(name: "look round", seconds: 0.5)),
    ])"#,
        ),
        NodeKind::ReactiveSequence => (
            "blackboard: { \"sees\": Bool(true), \"arrows\": Int(3) },",
            r#"ReactiveSequence(children: [Check("sees"), Check("arrows > 0"), Idle(name: "aim")])"#,
        ),
        NodeKind::ReactiveSelector => (
            "blackboard: { \"sees\": Bool(true) },",
            r#"ReactiveSelector(children: [
        ReactiveSequence(children: [Check("sees"), Idle(name: "fight")]),
        Idle(name: "patrol"),
    ])"#,
        ),
        NodeKind::RandomSequence => (
            "",
            r#"RandomSequence(children: [
        Wait(name: "water the flowers", seconds: 2.0),
        Wait(name: "sweep the yard", seconds: 2.0),
    ])"#,
        ),
        NodeKind::RandomSelector => (
            "",
            r#"RandomSelector(weights: [3.0, 1.0], children: [
        Wait(name: "yawn", seconds: 1.0),
        Wait(name: "stretch", seconds: 1.0),
    ])"#,
        ),
        NodeKind::UtilitySelector => (
            "blackboard: { \"hunger\": Float(0.2), \"sleepiness\": Float(0.5) },",
            r#"UtilitySelector(scores: ["hunger", "sleepiness"], reevaluate: true, children: [
        Idle(name: "fish"),
        Idle(name: "sleep"),
    ])"#,
        ),
        NodeKind::Switch => (
            "blackboard: { \"mood\": Symbol(\"calm\", [\"calm\", \"playful\", \"angry\"]) },",
            r#"Switch(
        on: "mood",
        cases: { "calm": Idle(name: "purr"), "playful": Idle(name: "chase the tail") },
        default: Idle(name: "hiss"),
    )"#,
        ),
        NodeKind::Inverter => {
            (hungry, r#"Sequence(abort: Self, children: [Inverter(Check("hungry")), Idle(name: "stroll")])"#)
        }
        NodeKind::ForceSuccess => (
            hungry,
            r#"Sequence(children: [
        ForceSuccess(Sequence([Check("hungry"), Wait(name: "eat", seconds: 2.0)])),
        Wait(name: "work", seconds: 5.0),
    ])"#,
        ),
        NodeKind::ForceFailure => (
            "",
            r#"Selector(children: [
        ForceFailure(Log("nobody is here")),
        Idle(name: "patrol"),
    ])"#,
        ),
        NodeKind::UntilSuccess => {
            ("", r#"UntilSuccess(Probability(p: 0.3, child: Wait(name: "cast the line", seconds: 2.0)))"#)
        }
        NodeKind::UntilFailure => (
            "blackboard: { \"arrows\": Int(3) },",
            r#"UntilFailure(Sequence([
        Check("arrows > 0"),
        Set(key: "arrows", to: "arrows - 1"),
        Wait(name: "shoot", seconds: 1.0),
    ]))"#,
        ),
        NodeKind::Repeat => ("", r#"Repeat(count: 3, child: Wait(name: "knock", seconds: 0.5))"#),
        NodeKind::Guard => (
            "blackboard: { \"daylight\": Bool(true) },",
            r#"Selector(children: [
        Guard(when: "daylight", child: Idle(name: "graze")),
        Wait(name: "sleep", seconds: 60.0),
    ])"#,
        ),
        NodeKind::Timeout => ("", r#"Timeout(seconds: 5.0, result: Success, child: Idle(name: "search"))"#),
        NodeKind::Cooldown => (
            "events: { \"hail\": () },",
            r#"Selector(children: [
        Cooldown(seconds: 10.0, jitter: 2.0, child: Emit("hail")),
        Wait(name: "fight", seconds: 1.0),
    ])"#,
        ),
        NodeKind::Limit => (
            "",
            r#"Selector(children: [
        Limit(count: 2, child: Wait(name: "warn", seconds: 1.0)),
        Idle(name: "attack"),
    ])"#,
        ),
        NodeKind::Delay => ("", r#"Delay(seconds: 1.0, jitter: 0.5, child: Log("Halt!"))"#),
        NodeKind::Probability => (
            "",
            r#"Selector(children: [
        Probability(p: 0.3, child: Wait(name: "whistle", seconds: 2.0)),
        Wait(name: "walk on", seconds: 2.0),
    ])"#,
        ),
        NodeKind::Check => (
            "blackboard: { \"health\": Float(1.0), \"mood\": Symbol(\"calm\", [\"calm\", \"angry\"]) },",
            r#"Sequence(abort: Self, children: [Check("health > 0.3 && mood == angry"), Idle(name: "fight")])"#,
        ),
        NodeKind::OnEvent => (
            "blackboard: { \"place\": Vec2(0, 0) },\n    events: { \"noise\": Vec2 },",
            r#"Selector(children: [
        Sequence(abort: LowerPriority, children: [
            OnEvent(event: "noise", into: "place"),
            Wait(name: "listen", seconds: 3.0),
        ]),
        Idle(name: "patrol"),
    ])"#,
        ),
        NodeKind::Wait => ("blackboard: { \"pause\": Float(2.0) },", r#"Wait(seconds: "pause * 2", jitter: 0.5)"#),
        NodeKind::WaitTicks => ("", "WaitTicks(ticks: 3)"),
        NodeKind::WaitUntil => (
            "blackboard: { \"health\": Float(0.2) },",
            r#"Sequence(children: [WaitUntil(name: "recover", expr: "health >= 0.8"), Idle(name: "fight")])"#,
        ),
        NodeKind::Set => ("blackboard: { \"arrows\": Int(3) },", r#"Set(key: "arrows", to: "max(arrows - 1, 0)")"#),
        NodeKind::Roll => ("blackboard: { \"eyes\": Int(1) },", r#"Roll(key: "eyes", from: 1, to: 6)"#),
        NodeKind::Log => ("", r#"Log(text: "Halt!")"#),
        NodeKind::Emit => (
            "blackboard: { \"place\": Vec2(0, 0) },\n    events: { \"alarm\": Vec2 },",
            r#"Emit(event: "alarm", payload: "place", to: Group)"#,
        ),
        NodeKind::Succeed => ("", "Succeed"),
        NodeKind::Fail => ("", "Fail"),
        NodeKind::Idle => ("", "Idle"),
        NodeKind::Action | NodeKind::Condition => return None,
    };
    Some(some)
}
