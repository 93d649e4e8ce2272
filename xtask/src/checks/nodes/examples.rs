//! A small tree for each kind of node, for the book.

use pleach_core::kinds::{EveryNodeKind, NodeKind};

/// The declarations of its tree, and its root.
pub(super) type Example = (&'static str, &'static str);

/// The example of a kind that is built in.
pub(super) fn example(kind: NodeKind) -> Option<Example> {
    let hungry = "blackboard: { \"hungry\": Bool(true) },";
    let some = match kind.every() {
        EveryNodeKind::Sequence => (
            hungry,
            r#"Sequence(children: [
        Check("hungry"),
        Wait(name: "eat", seconds: 2.0),
        Set(key: "hungry", to: "false"),
    ])"#,
        ),
        EveryNodeKind::Selector => (
            hungry,
            r#"Selector(children: [
        Sequence(abort: LowerPriority, children: [Check("hungry"), Wait(name: "eat", seconds: 2.0)]),
        Idle(name: "stroll"),
    ])"#,
        ),
        EveryNodeKind::Parallel => (
            "",
            r#"Parallel(success: Any, failure: All, children: [
        Wait(name: "walk", seconds: 3.0),
        Repeat(forever: true, child: Wait(name: "look round", seconds: 0.5)),
    ])"#,
        ),
        EveryNodeKind::ReactiveSequence => (
            "blackboard: { \"sees\": Bool(true), \"arrows\": Int(3) },",
            r#"ReactiveSequence(children: [Check("sees"), Check("arrows > 0"), Idle(name: "aim")])"#,
        ),
        EveryNodeKind::ReactiveSelector => (
            "blackboard: { \"sees\": Bool(true) },",
            r#"ReactiveSelector(children: [
        ReactiveSequence(children: [Check("sees"), Idle(name: "fight")]),
        Idle(name: "patrol"),
    ])"#,
        ),
        EveryNodeKind::RandomSequence => (
            "",
            r#"RandomSequence(children: [
        Wait(name: "water the flowers", seconds: 2.0),
        Wait(name: "sweep the yard", seconds: 2.0),
    ])"#,
        ),
        EveryNodeKind::RandomSelector => (
            "",
            r#"RandomSelector(children: [
        (weight: 3.0, child: Wait(name: "yawn", seconds: 1.0)),
        Wait(name: "stretch", seconds: 1.0),
    ])"#,
        ),
        EveryNodeKind::RandomChoice => (
            "",
            r#"RandomChoice(children: [
        (weight: 3.0, child: Wait(name: "yawn", seconds: 1.0)),
        Sequence(name: "snack", children: [Wait(name: "look for crumbs", seconds: 2.0), Fail]),
    ])"#,
        ),
        EveryNodeKind::UtilitySelector => (
            "blackboard: { \"hunger\": Float(0.2), \"sleepiness\": Float(0.5) },",
            r#"UtilitySelector(reevaluate: true, inertia: 0.1, children: [
        (score: "hunger", child: Idle(name: "fish")),
        (score: "sleepiness", child: Idle(name: "sleep")),
    ])"#,
        ),
        EveryNodeKind::Switch => (
            "blackboard: { \"mood\": Symbol(\"calm\", [\"calm\", \"playful\", \"angry\"]) },",
            r#"Switch(
        on: "mood",
        cases: { "calm": Idle(name: "purr"), "playful": Idle(name: "chase the tail") },
        default: Idle(name: "hiss"),
    )"#,
        ),
        EveryNodeKind::Inverter => {
            (hungry, r#"Sequence(abort: Self, children: [Inverter(Check("hungry")), Idle(name: "stroll")])"#)
        }
        EveryNodeKind::ForceSuccess => (
            hungry,
            r#"Sequence(children: [
        ForceSuccess(Sequence([Check("hungry"), Wait(name: "eat", seconds: 2.0)])),
        Wait(name: "work", seconds: 5.0),
    ])"#,
        ),
        EveryNodeKind::ForceFailure => (
            "",
            r#"Selector(children: [
        ForceFailure(Log("nobody is here")),
        Idle(name: "patrol"),
    ])"#,
        ),
        EveryNodeKind::UntilSuccess => (
            "",
            r#"UntilSuccess(count: 5, child: Probability(p: 0.3, child: Wait(name: "cast the line", seconds: 2.0)))"#,
        ),
        EveryNodeKind::UntilFailure => (
            "blackboard: { \"arrows\": Int(3) },",
            r#"UntilFailure(Sequence([
        Check("arrows > 0"),
        Set(key: "arrows", to: "arrows - 1"),
        Wait(name: "shoot", seconds: 1.0),
    ]))"#,
        ),
        EveryNodeKind::Repeat => ("", r#"Repeat(count: 3, child: Wait(name: "knock", seconds: 0.5))"#),
        EveryNodeKind::Guard => (
            "blackboard: { \"daylight\": Bool(true), \"hungry\": Bool(true) },",
            r#"Selector(children: [
        Guard(when: "daylight", child: Sequence([
            Guard(when: "hungry", result: Success, child: Wait(name: "graze", seconds: 20.0)),
            Idle(name: "lie in the sun"),
        ])),
        Wait(name: "sleep", seconds: 60.0),
    ])"#,
        ),
        EveryNodeKind::Timeout => ("", r#"Timeout(seconds: 5.0, result: Success, child: Idle(name: "search"))"#),
        EveryNodeKind::Cooldown => (
            "events: { \"hail\": () },",
            r#"Selector(children: [
        Cooldown(seconds: 10.0, jitter: 2.0, after: Success, child: Emit("hail")),
        Wait(name: "fight", seconds: 1.0),
    ])"#,
        ),
        EveryNodeKind::Limit => (
            "",
            r#"Selector(children: [
        Limit(count: 2, child: Wait(name: "warn", seconds: 1.0)),
        Idle(name: "attack"),
    ])"#,
        ),
        EveryNodeKind::Delay => ("", r#"Delay(seconds: 1.0, jitter: 0.5, child: Log("Halt!"))"#),
        EveryNodeKind::Probability => (
            "",
            r#"Selector(children: [
        Probability(p: 0.3, child: Wait(name: "whistle", seconds: 2.0)),
        Wait(name: "walk on", seconds: 2.0),
    ])"#,
        ),
        EveryNodeKind::Token => (
            "",
            r#"Selector(children: [
        Token(token: "attack", count: 2, rest: 1.0, child: Wait(name: "attack", seconds: 2.0)),
        Wait(name: "circle", seconds: 1.0),
    ])"#,
        ),
        EveryNodeKind::Free => (
            "",
            r#"Selector(children: [
        Sequence(abort: LowerPriority, children: [
            Free("attack"),
            Token(token: "attack", count: 2, child: Wait(name: "attack", seconds: 2.0)),
        ]),
        Idle(name: "circle"),
    ])"#,
        ),
        EveryNodeKind::Finally => (
            "blackboard: { \"alarm\": Bool(false), \"lights\": Bool(false) },",
            r#"Selector(children: [
        Sequence(abort: LowerPriority, children: [Check("alarm"), Wait(name: "hide", seconds: 5.0)]),
        Finally(do: [Set(key: "lights", to: "false")], child: Sequence([
            Set(key: "lights", to: "true"),
            Wait(name: "drive", seconds: 20.0),
        ])),
    ])"#,
        ),
        EveryNodeKind::Check => (
            "blackboard: { \"health\": Float(1.0), \"mood\": Symbol(\"calm\", [\"calm\", \"angry\"]) },",
            r#"Sequence(abort: Self, children: [Check("health > 0.3 && mood == angry"), Idle(name: "fight")])"#,
        ),
        EveryNodeKind::OnEvent => (
            "blackboard: { \"place\": Vec2(0, 0) },\n    events: { \"noise\": Vec2 },",
            r#"Selector(children: [
        Sequence(abort: LowerPriority, children: [
            OnEvent(event: "noise", into: "place"),
            Wait(name: "listen", seconds: 3.0),
        ]),
        Idle(name: "patrol"),
    ])"#,
        ),
        EveryNodeKind::Wait => ("blackboard: { \"pause\": Float(2.0) },", r#"Wait(seconds: "pause * 2", jitter: 0.5)"#),
        EveryNodeKind::WaitTicks => ("", "WaitTicks(ticks: 3)"),
        EveryNodeKind::WaitUntil => (
            "blackboard: { \"health\": Float(0.2) },",
            r#"Sequence(children: [WaitUntil(name: "recover", expr: "health >= 0.8"), Idle(name: "fight")])"#,
        ),
        EveryNodeKind::WaitFor => (
            "blackboard: { \"place\": Vec2(0, 0) },\n    events: { \"answer\": Vec2, \"ask\": () },",
            r#"Sequence(children: [
        Emit(event: "ask"),
        Timeout(seconds: 5.0, child: WaitFor(event: "answer", into: "place")),
    ])"#,
        ),
        EveryNodeKind::Set => {
            ("blackboard: { \"arrows\": Int(3) },", r#"Set(key: "arrows", to: "max(arrows - 1, 0)")"#)
        }
        EveryNodeKind::Roll => ("blackboard: { \"eyes\": Int(1) },", r#"Roll(key: "eyes", from: 1, to: 6)"#),
        EveryNodeKind::Log => ("", r#"Log(text: "Halt!")"#),
        EveryNodeKind::Emit => (
            "blackboard: { \"place\": Vec2(0, 0) },\n    events: { \"alarm\": Vec2 },",
            r#"Emit(event: "alarm", payload: "place", to: Group)"#,
        ),
        EveryNodeKind::Succeed => ("", "Succeed"),
        EveryNodeKind::Fail => ("", "Fail"),
        EveryNodeKind::Idle => ("", "Idle"),
        EveryNodeKind::Action | EveryNodeKind::Condition => return None,
    };
    Some(some)
}
