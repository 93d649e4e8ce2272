//! `pleach play`.

use crate::{Place, pleach, refused};

const FARMER: &str = r#"Tree(
    version: 1,
    name: "farmer",
    blackboard: { "wolf": Bool(false), "at": Vec2(0, 0), "mood": Symbol("calm", ["calm", "angry"]) },
    group: { "alarm": Bool(false) },
    events: { "howl": (), "noise": Vec2 },
    root: Selector([
        Sequence(name: "hide", abort: Both, children: [Check("wolf || alarm"), WalkTo(place: "at"), Wait(1.0)]),
        Sequence(abort: LowerPriority, children: [Sees(what: "wolf"), Idle(name: "stare")]),
        Idle(name: "mow"),
    ]),
)"#;

const KNOWN: &str = "answer WalkTo running; answer Sees false";

#[test]
fn a_script_plays_an_agent() {
    let place = Place::new("plays");
    let file = place.file("farmer.ron", FARMER);
    let script = format!("{KNOWN}; quiet; tick; trace; set wolf true; tick; answer WalkTo success; tick 0.25");
    let (code, out, err) = pleach(&["play", &file, &script]);
    assert_eq!((code, err.as_str()), (0, ""));
    let expected = r#"-- WalkTo answers running
-- Sees answers false
-- wolf = true
-- tick at 0.2 s
recheck   n2 Check(wolf || alarm) -> success
end       n8 Idle "mow" -> ended: aborted
abort     n0 Selector goes on at n2 Check(wolf || alarm)
start     n1 Sequence "hide"
start     n2 Check(wolf || alarm)
update    n2 Check(wolf || alarm) -> success
end       n2 Check(wolf || alarm) -> success
start     n3 WalkTo(place: "at")
update    n3 WalkTo(place: "at") -> running
-- WalkTo answers success
-- tick at 0.45 s
update    n3 WalkTo(place: "at") -> success
end       n3 WalkTo(place: "at") -> success
start     n4 Wait(1 s)
update    n4 Wait(1 s) -> running
"#;
    assert_eq!(out, expected);
}

#[test]
fn all_steps_do_something() {
    let place = Place::new("plays-steps");
    let file = place.file("farmer.ron", FARMER);
    let script = format!(
        "{KNOWN}; tick 0.5 x 2; set at (3, 4); set mood angry; set alarm true; send howl; send noise 1, 2; quiet; tick; \
         answer Sees true; set alarm false; tick; show; explain; why hide; pause; unpause; restart"
    );
    let (code, out, err) = pleach(&["play", &file, &script]);
    assert_eq!((code, err.as_str()), (0, ""));
    for part in [
        "-- tick at 0.5 s\n",
        "-- tick at 1.0 s\n",
        "-- at = (3, 4)\n",
        "-- event noise 1, 2\n",
        "\u{25b6} \u{2502}  \u{2514}\u{2500} Idle \"stare\"",
        "farmer, 1.200 s",
        "why not n1 Sequence \"hide\"?",
        "-- pause\n-- unpause\n-- restart\n",
    ] {
        assert!(out.contains(part), "no {part} in {out}");
    }
}

#[test]
fn a_wrong_script_says_what_to_write() {
    let place = Place::new("plays-wrong");
    let file = place.file("farmer.ron", FARMER);
    for (script, message) in [
        ("", "the script has no steps"),
        ("jump", "step 1 of the script, `jump`: unknown step: write tick, expect, set, "),
        ("tick x", "`tick x`: write `tick`"),
        ("tick 1 x 40000000", "a script plays at most 10,000,000 ticks: use longer ticks"),
        ("tick 2000000", "a tick takes 0 to 1,000,000 seconds"),
    ] {
        refused(&["play", &file, script], 2, message);
    }
    for (step, message) in [
        ("answer Fly success", "the tree has neither a leaf nor a node `Fly`: the leaves are `Sees`, `WalkTo`"),
        ("answer See true", "the tree has neither a leaf nor a node `See`: did you mean `Sees`?"),
        ("answer hide success", "n1 Sequence \"hide\" is not a leaf of the game: the leaves are `Sees`, `WalkTo`"),
        ("answer n12 success", "the tree has no node n12: its nodes are n0 to n8"),
        ("set wolfe true", "the tree has no key `wolfe`: did you mean `wolf`?"),
        ("set speed 3", "the tree has no key `speed`: it has `wolf`, `at`, "),
        ("set wolf 3", "`3` is not a Bool: write `true` or `false`"),
        ("set at 3", "`3` is not a Vec2: write two numbers, as in `(3, 4)`"),
        ("set at (NaN, 1)", "`(NaN, 1)` is not a Vec2"),
        ("set mood sad", "`mood` has no word `sad`: it has `calm`, `angry`"),
        ("get wolfe", "the tree has no key `wolfe`: did you mean `wolf`?"),
        ("send hwol", "the tree has no event `hwol`: did you mean `howl`?"),
        ("send noise", "step 3 of the script, `send noise`: "),
        ("send howl 3", "`howl` has no payload: leave out `3`"),
        ("fill hand sword", "the tree has no slot `hand`"),
        ("why digest", "no node of `farmer` is called `digest`: the named nodes are `hide`, `stare` and `mow`"),
        ("why hidee", "did you mean `hide`?"),
    ] {
        let script = format!("{KNOWN}; {step}");
        refused(&["play", &file, &script], 2, message);
        refused(&["play", &file, &script], 2, &format!("step 3 of the script, `{step}`: "));
    }
    let bad = place.file("bad.ron", "Tree(version: 1, root: Check(\"wolf\"))");
    refused(&["play", &bad, "tick"], 1, "wolf");
}

#[test]
fn all_wrong_steps_are_told_before_the_first_one_is_played() {
    let place = Place::new("plays-all-wrong");
    let file = place.file("farmer.ron", FARMER);
    let script = format!("{KNOWN}; tick; set wolf 3; jump; tick; why digest; set mood sad; fill hand sword; tick x");
    let (code, out, err) = pleach(&["play", &file, &script]);
    assert_eq!((code, out.as_str()), (2, ""), "nothing is played");
    let expected = "error: 6 steps of the script are wrong, so none was played:
  step 4, `set wolf 3`: `3` is not a Bool: write `true` or `false`
  step 5, `jump`: unknown step: write tick, expect, set, get, send, fill, answer, show, explain, why, quiet, trace, pause, unpause or \
                    restart, with `;` between two steps
  step 7, `why digest`: no node of `farmer` is called `digest`: the named nodes are `hide`, `stare` and `mow`
  step 8, `set mood sad`: `mood` has no word `sad`: it has `calm`, `angry`
  step 9, `fill hand sword`: the tree has no slot `hand`
  step 10, `tick x`: write `tick`, `tick 0.5` or `tick 0.5 x 4`, in seconds
";
    assert_eq!(err, expected);
    // A tree that cannot be loaded hides no problem that can be found without it.
    let bad = place.file("bad.ron", "Tree(version: 1, root: Check(\"wolf\"))");
    let (code, out, err) = pleach(&["play", &bad, "jump; tick x"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("bad.ron:1:31") && err.contains("2 steps of the script are wrong"), "{err}");
}

#[test]
fn all_leaves_that_are_not_known_are_told_at_once_with_the_way_to_a_manifest() {
    let place = Place::new("plays-unknown");
    let file = place.file("farmer.ron", FARMER);
    let advice = "name the game's manifest with `--leaves game.leaves`. The game's own program writes that file: \
                  `nodes --manifest > game.leaves`.";
    for (script, told) in [
        (
            "tick",
            "error: unknown leaves: `Sees`, `WalkTo`. Say in the script what they answer, as in `answer Sees running`; or ",
        ),
        (
            "answer Sees true",
            "error: unknown leaf: `WalkTo`. Say in the script what it answers, as in `answer WalkTo running`; or ",
        ),
        ("answer Sees true; answer n6 false", "error: unknown leaf: `WalkTo`. "),
    ] {
        refused(&["play", &file, script], 2, told);
        refused(&["play", &file, script], 2, advice);
    }
    let (code, _, err) = pleach(&["play", &file, "answer n3 running; answer n6 false; tick"]);
    assert_eq!((code, err.as_str()), (0, ""), "each node that calls a leaf has an answer");
}

const DUEL: &str = r#"Tree(
    version: 1,
    name: "duel",
    root: Parallel(success: All, children: [
        Strike(name: "slam"),
        Strike(name: "long sweep"),
        Sequence([Guard(when: Near(far: 2), child: Strike), Strike(name: "Roar"), Roar]),
        Selector(services: [(every: 1.0, run: Look)], children: [Inverter(Near), Idle(name: "Near")]),
    ]),
)"#;

#[test]
fn one_node_answers_apart_from_the_others_of_its_leaf() {
    let place = Place::new("plays-nodes");
    let file = place.file("duel.ron", DUEL);
    let known = "answer Strike running; answer Near false; answer every Roar running; answer Look success";
    let play = |script: &str| {
        let (code, out, err) = pleach(&["play", &file, &format!("{known}; quiet; {script}; tick; trace; tick")]);
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        out
    };
    // By name, with quotes and without, by number, by path, and as traces print it.
    for (name, line) in [
        ("slam", "n1 Strike \"slam\""),
        ("\"slam\"", "n1 Strike \"slam\""),
        ("n1", "n1 Strike \"slam\""),
        ("n1 Strike \"slam\"", "n1 Strike \"slam\""),
        ("Parallel/slam[0]", "n1 Strike \"slam\""),
        ("long sweep", "n2 Strike \"long sweep\""),
    ] {
        let out = play(&format!("tick; answer {name} success"));
        assert!(out.contains(&format!("-- {line} answers success\n")), "{out}");
        assert!(!out.contains(&format!("update    {line} -> running")), "it has ended: {out}");
        let other = if name == "long sweep" { "n1 Strike \"slam\"" } else { "n2 Strike \"long sweep\"" };
        assert!(out.contains(&format!("update    {other} -> running")), "{out}");
    }
    // A guard that asks a leaf answers by itself; the other uses of the leaf do not.
    let out = play("answer n4 true");
    assert!(out.contains("-- n4 Guard(Near(far: 2)) answers true\n"), "{out}");
    assert!(out.contains("update    n5 Strike -> running"), "{out}");
    // The last answer counts.
    let out = play("answer slam success; answer Strike running");
    assert!(out.contains("update    n1 Strike \"slam\" -> running"), "{out}");
}

#[test]
fn a_name_that_is_a_leaf_and_a_node_is_refused_with_the_way_to_say_each() {
    let place = Place::new("plays-both");
    let file = place.file("duel.ron", DUEL);
    refused(
        &["play", &file, "answer Roar success"],
        2,
        "`Roar` names a leaf and the node n6: write `every Roar` for the leaf, or `n6` for the node",
    );
    let known = "answer Strike running; answer Near false; answer Look success; answer every Roar running";
    for (name, who) in [("every Roar", "Roar"), ("\"Roar\"", "n6 Strike \"Roar\""), ("n6", "n6 Strike \"Roar\"")] {
        let (code, out, err) = pleach(&["play", &file, &format!("{known}; answer {name} success")]);
        assert_eq!((code, err.as_str()), (0, ""));
        assert!(out.ends_with(&format!("-- {who} answers success\n")), "{out}");
    }
    // A node may have the name of a leaf that it does not call.
    assert_eq!(pleach(&["play", &file, &format!("{known}; answer Near true")]).0, 0);
    let twice = DUEL.replace("long sweep", "slam");
    let twice = place.file("twice.ron", twice);
    let several = "several nodes are called `slam`: write `Parallel/slam` or `Parallel/slam[2]`";
    refused(&["play", &twice, "answer slam success"], 2, several);
    refused(&["play", &twice, "why slam"], 2, several);
}

#[test]
fn a_node_without_a_name_can_be_asked_for_as_it_is_printed() {
    let place = Place::new("plays-unnamed");
    let unnamed = r#"Tree(version: 1, name: "nm", root: Selector([Sequence(abort: Both, children: [Check("time > 5"), Wait(1.0)]), Idle]))"#;
    let file = place.file("unnamed.ron", unnamed);
    let why = |text: &str| {
        let (code, out, err) = pleach(&["play", &file, &format!("quiet; tick; why {text}")]);
        assert_eq!((code, err.as_str()), (0, ""));
        out
    };
    let expected = why("n3");
    assert!(expected.contains(": why not n3 Wait(1 s)?"), "{expected}");
    for text in ["Selector/Sequence[0]/Wait[1]", "n3 Wait(1 s)"] {
        assert_eq!(why(text), expected, "{text}");
    }
    refused(&["play", &file, "why n45"], 2, "`nm` has no node n45: its nodes are n0 to n4");
    let (code, out, _) = pleach(&["show", &file, "--node", "n1"]);
    assert!(code == 0 && out.contains("\nSequence  aborts both\n\u{251c}\u{2500} Check"), "{out}");
}

#[test]
fn keys_are_printed_one_or_all() {
    let place = Place::new("plays-get");
    let file = place.file("farmer.ron", FARMER);
    let script = format!("{KNOWN}; quiet; tick; set at (3, 4); set mood \"angry\"; get mood; get; get group.alarm");
    let (code, out, err) = pleach(&["play", &file, &script]);
    assert_eq!((code, err.as_str()), (0, ""));
    let expected = "\
mood  angry
wolf   false
at     (3, 4)
mood   angry
alarm  false  group
alarm  false  group
";
    assert!(out.ends_with(expected), "{out}");
    let idle = place.file("idle.ron", "Tree(version: 1, root: Idle)");
    assert_eq!(pleach(&["play", &idle, "get"]), (0, "-- the tree has no keys\n".into(), String::new()));
}

#[test]
fn values_of_keys_with_wide_names_stand_below_each_other() {
    let place = Place::new("plays-wide");
    let keys = r#"Tree(version: 1, blackboard: { "здоровье": Float(1.0), "気分": Symbol("穏", ["穏"]), "n": Int(3) }, root: Idle)"#;
    let file = place.file("wide.ron", keys);
    let (_, out, _) = pleach(&["play", &file, "get"]);
    assert_eq!(out, "здоровье  1\n気分      穏\nn         3\n");
    let (_, out, _) = pleach(&["show", &file]);
    assert!(
        out.contains("  здоровье  agent  Float  1\n  気分      agent  Symbol 穏\n  n         agent  Int    3\n"),
        "{out}"
    );
    let (_, out, _) = pleach(&["run", &file, "--agents", "1", "--seconds", "0.1", "--watch", "0"]);
    assert!(out.contains("\n気分      穏\n"), "{out}");
}

#[test]
fn a_script_can_let_a_day_pass() {
    let place = Place::new("plays-day");
    let file = place.file("wait.ron", "Tree(version: 1, root: Sequence([Wait(86000), Idle(name: \"awake\")]))");
    let (code, out, err) = pleach(&["play", &file, "tick; tick 86400"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        out.contains("-- tick at 86400.1 s\n") && out.ends_with("update    n2 Idle \"awake\" -> running\n"),
        "{out}"
    );
    let (code, out, err) = pleach(&["play", &file, "quiet; tick 1 x 86400; explain"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("86400.000 s") && out.contains("n2 Idle"), "{out}");
}

#[test]
fn slots_and_their_words_are_named() {
    let place = Place::new("plays-slots");
    place.file("sword.ron", "Tree(version: 1, root: Idle)");
    place.file("phase.ron", r#"Tree(version: 1, root: Slot(name: "weapon", trees: ["sword.ron"]))"#);
    let file = place.file("boss.ron", r#"Tree(version: 1, root: Subtree(asset: "phase.ron", name: "storm"))"#);
    for (step, message) in [
        ("fill weapon sword", "the tree has no slot `weapon`; did you mean `storm.weapon`?"),
        ("fill hand sword", "the tree has no slot `hand`; the only slot is `storm.weapon`"),
        (
            "fill storm.weapon trebuchet",
            "the slot `storm.weapon` has no tree `trebuchet`; the trees are `sword` and `empty`",
        ),
    ] {
        refused(&["play", &file, &format!("tick; {step}")], 2, message);
    }
    assert_eq!(pleach(&["play", &file, "fill storm.weapon sword; tick"]).0, 0);
}

#[test]
fn a_manifest_says_which_leaves_are_conditions() {
    let place = Place::new("plays-leaves");
    let file = place.file("farmer.ron", FARMER);
    let leaves = r#"Manifest(version: 1, leaves: [(name: "WalkTo", kind: Action), (name: "Sees", kind: Condition)])"#;
    let leaves = place.file("game.leaves", leaves);
    let (code, out, err) = pleach(&["play", &file, "tick; answer Sees success; tick", "--leaves", &leaves]);
    assert_eq!((code, err), (0, format!("1 warning: `pleach check --leaves {leaves} {file}`\n")));
    assert!(out.contains("recheck   n6 Sees(what: \"wolf\") -> success"), "{out}");
    let less = place.file("less.leaves", r#"Manifest(version: 1, leaves: [(name: "Sees", kind: Condition)])"#);
    refused(&["play", &file, "tick", "--leaves", &less], 1, "unknown node `WalkTo`");
}

#[test]
fn nodes_of_one_name_are_offered_by_the_names_of_their_instances() {
    let place = Place::new("plays-instances");
    place.file("look.ron", r#"Tree(version: 1, root: Sequence([Look(name: "see"), Look(name: "go home")]))"#);
    let subtree = |name: &str| format!(r#"Subtree(asset: "look.ron", name: "{name}")"#);
    let twice = place.file(
        "twice.ron",
        format!("Tree(version: 1, root: Sequence([{}, {}, Look(name: \"rest\")]))", subtree("one"), subtree("two")),
    );
    let known = "answer Look success";
    let several = "several nodes are called `see`: write `one.see` or `two.see`";
    refused(&["play", &twice, &format!("{known}; answer see failure")], 2, several);
    refused(&["play", &twice, &format!("{known}; why see")], 2, several);
    let there = "the tree has neither a leaf nor a node `Attack`: the leaves are `Look`; named nodes that call one are `one.see`, \
                 `one.go home`, `two.see`, `two.go home`, `rest`";
    refused(&["play", &twice, &format!("{known}; answer Attack failure")], 2, there);
    assert_eq!(pleach(&["play", &twice, &format!("{known}; answer two.see failure; tick")]).0, 0);
}

#[test]
fn a_leaf_that_several_unnamed_nodes_call_is_answered_by_its_name() {
    let place = Place::new("plays-several");
    let file = place
        .file("several.ron", "Tree(version: 1, root: Sequence([Look, Look, Selector([Jab, Guard(\"1 > 2\", Jab)])]))");
    let (code, out, err) =
        pleach(&["play", &file, "answer Look success; answer Jab running; tick; why Guard; why Look[7]"]);
    assert!(code == 2 && err.contains("step 5 of the script, `why Look[7]`"), "{out}{err}");
    let (code, out, err) = pleach(&["play", &file, "answer Look success; answer Jab running; quiet; tick; why Guard"]);
    assert!(code == 0 && err.is_empty() && out.contains("why not n5 Guard"), "{out}{err}");
    refused(
        &["play", &file, "answer Look success; answer Jab running; why Jab"],
        2,
        "several nodes are called `Jab`: write `Sequence/Selector/Jab` or `Sequence/Selector/Guard/Jab`",
    );
}

#[test]
fn a_node_is_asked_for_by_a_line_of_the_trace() {
    let place = Place::new("plays-lines");
    let file = place.file("farmer.ron", FARMER);
    for text in ["update    n8 Idle \"mow\" -> running", "end       n8 Idle \"mow\" -> ended: aborted", "Idle \"mow\""]
    {
        let (code, out, err) = pleach(&["play", &file, &format!("{KNOWN}; quiet; set wolf true; tick; why {text}")]);
        assert!(code == 0 && out.contains("why not n8 Idle \"mow\"?"), "{text}: {out}{err}");
    }
}

#[test]
fn a_value_of_another_type_says_what_to_write() {
    let place = Place::new("plays-values");
    let keys = r#""b": Bool(false), "i": Int(0), "f": Float(0), "v": Vec2(0, 0), "w": Vec3(0, 0, 0), "e": Entity(none), "t": Time(0)"#;
    let file = place.file("keys.ron", format!("Tree(version: 1, blackboard: {{ {keys} }}, root: Idle)"));
    for (step, told) in [
        ("set b 3", "`3` is not a Bool: write `true` or `false`"),
        ("set i 3.5", "`3.5` is not a whole number"),
        ("set f x", "`x` is not a number"),
        ("set v 3", "`3` is not a Vec2: write two numbers, as in `(3, 4)`"),
        ("set w 3", "`3` is not a Vec3: write three numbers, as in `(3, 4, 0)`"),
        ("set e x", "`x` is not an Entity: write a number, or `none`"),
        ("set t x", "`x` is not a Time: write seconds since 0, as in `3.5`"),
        ("set t -1", "`-1` is not a Time: write seconds since 0, as in `3.5`"),
    ] {
        refused(&["play", &file, step], 2, &format!("{told}\n"));
    }
    assert!(pleach(&["play", &file, "set t 3.5; get t"]).1.ends_with("t  3.5 s\n"));
}

#[test]
fn set_fills_a_slot_by_its_key_as_fill_does() {
    let place = Place::new("plays-set-slot");
    place.file("sword.ron", "Tree(version: 1, root: Idle)");
    let file = place.file("boss.ron", r#"Tree(version: 1, root: Slot(name: "weapon", trees: ["sword.ron"]))"#);
    let played = ["set slot:weapon sword", "fill weapon sword"]
        .map(|it| pleach(&["play", &file, &format!("quiet; {it}; tick; get; show")]).1);
    let [set, fill] = played.map(|it| it.split_once('\n').unwrap().1.to_owned());
    assert!(set.contains("slot:weapon  sword"), "{set}");
    assert_eq!(set, fill);
    let help = pleach(&["play", "--help"]).1;
    assert!(help.contains("`set slot:SLOT TREE`") && help.contains("the same as `fill`"), "{help}");
}

#[test]
fn a_script_in_a_file_expects_and_has_comments() {
    let place = Place::new("plays-expect");
    let file = place.file("farmer.ron", FARMER);
    let script = format!(
        "// The wolf comes.\n{KNOWN}; quiet // be short\ntick\nexpect running mow; expect not running hide\nset wolf true\n\
         answer WalkTo success after 0.5\ntick\nexpect running \"hide\"; expect wolf && !alarm\ntick 0.5; expect running hide/Wait\n"
    );
    let path = place.file("wolf.play", &script);
    let (code, out, err) = pleach(&["play", &file, "--script", &path]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.ends_with("-- wolf = true\n-- WalkTo answers success after 0.5 s\n"), "{out}");
    let path = place.file("wolf.play", script + "expect alarm; expect running mow; expect not running hide");
    let (code, out, err) = pleach(&["play", &file, "--script", &path]);
    assert_eq!((code, err.as_str()), (1, "error: 3 expectations do not hold\n"));
    let expected = "-- FAILED: `alarm` is false: alarm = false\n-- FAILED: `mow` does not run: `hide/Wait` does\n\
                    -- FAILED: `hide` runs\n";
    assert!(out.ends_with(expected), "{out}");
    for (step, message) in [
        ("expect running mwo", "the tree has no node `mwo`: did you mean `mow`?"),
        ("expect wolff", "in `wolff`: unknown key `wolff`: did you mean `wolf`?"),
        ("expect", "write `expect running NODE`"),
        ("answer WalkTo success after -2", "is not a number of seconds, 0 or more"),
    ] {
        refused(&["play", &file, &format!("{KNOWN}; {step}")], 2, message);
    }
    refused(&["play", &file], 2, "required arguments were not provided");
    refused(&["play", &file, "--script", "gone.play"], 2, "there is no file `gone.play`");
    refused(&["play", "-", "--script", "-"], 2, "standard input cannot be both");
}

#[test]
fn a_script_becomes_a_test() {
    let place = Place::new("plays-as-test");
    let file = place.file("farmer.ron", FARMER);
    let script = format!(
        "{KNOWN}; tick 0.1 x 3; set wolf true; set mood angry; expect running mow; tick; get; send howl; \
         send noise (1, 2); expect mood == angry; tick; answer WalkTo success after 0.5; restart; tick"
    );
    let (code, out, err) = pleach(&["play", &file, &script, "--as-test", "--seed", "7"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let expected = r#"Tests(
    version: 1,
    tree: "farmer.ron",
    cases: {
        "say what it shows": (
            seed: 7,
            leaves: {
                "WalkTo": Running,
                "Sees": false,
            },
            steps: [
                (tick: 3, running: "mow", set: { "mood": "angry", "wolf": true }),
                (tick: 4, running: "hide/WalkTo", expect: "mood == angry", send: { "howl": (), "noise": (1, 2) }),
                (tick: 5, running: "hide/WalkTo", answer: { "WalkTo": Success(after: 0.5) }, do: Restart),
                (tick: 6, running: "hide/WalkTo"),
            ],
        ),
    },
)
"#;
    assert_eq!(out, expected);
    let test = place.file("farmer.test.ron", out);
    let (code, out, _) = pleach(&["test", &test]);
    assert_eq!(code, 0, "{out}");
    let uneven = format!("{KNOWN}; tick; tick 0.5");
    refused(
        &["play", &file, &uneven, "--as-test"],
        2,
        "the ticks of a case are equally long, and these take 0.1 and 0.5 s",
    );
    let doubled = format!("{KNOWN}; send noise (1, 2); send noise (3, 4)");
    refused(&["play", &file, &doubled, "--as-test"], 2, "a step of a case sends the event `noise` once");
}

const SQUAD: &str = r#"Tree(
    version: 1,
    name: "squad",
    blackboard: { "wolf": Bool(false) },
    root: Selector([
        Sequence(name: "work", children: [Check("!wolf"), Inverter(Sequence([Harvest, Carry, Wait(1.0), Wait(2.0)]))]),
        Subtree("fight.ron"),
        Selector([Sequence([Harvest, Idle(name: "rest")]), Wait(3.0)]),
    ]),
)"#;

/// Paths as golden files, failures of tests, `play --as-test`, traces and `explain` print them, and
/// the ends of paths: each with the number of its node.
const PRINTED: [(&str, &str); 14] = [
    ("work/Inverter/Sequence/Harvest", "n5"),
    ("Inverter/Sequence/Harvest", "n5"),
    ("Selector/work[0]/Inverter[1]/Sequence[0]/Carry[1]", "n6"),
    ("Sequence[0]/Carry[1]", "n6"),
    ("Sequence/Carry", "n6"),
    ("Inverter/Sequence/Wait", "n7"),
    ("work/Inverter/Sequence/Wait[2]", "n8"),
    ("fight:Strike", "n10"),
    ("fight: Strike", "n10"),
    ("fight/Strike", "n10"),
    ("Selector/fight:fight[1]/Strike[0]", "n10"),
    ("Selector/Sequence/Harvest", "n14"),
    ("Sequence/rest", "n15"),
    ("\"Selector/Wait\"", "n16"),
];

#[test]
fn every_command_takes_the_paths_that_are_printed() {
    let place = Place::new("plays-paths");
    place.file("fight.ron", "Tree(version: 1, root: Sequence(name: \"fight\", children: [Strike, Idle]))");
    let squad = place.file("squad.ron", SQUAD);
    let known = "answer Harvest running; answer Carry running; answer Strike running; quiet; tick";
    for (path, node) in PRINTED {
        let [by_path, by_number] = [path, node].map(|it| pleach(&["play", &squad, &format!("{known}; why {it}")]));
        assert_eq!(by_path, by_number, "{path}");
        assert_eq!(by_path.0, 0, "{path}: {}", by_path.2);
        let [by_path, by_number] = [path, node].map(|it| pleach(&["show", &squad, "--node", it]));
        assert_eq!(by_path, by_number, "{path}");
        assert_eq!(by_path.0, 0, "{path}: {}", by_path.2);
        let expect = if node == "n5" { "running" } else { "not running" };
        let (code, _, err) = pleach(&["play", &squad, &format!("{known}; expect {expect} {path}")]);
        assert_eq!((code, err.as_str()), (0, ""), "{path}");
    }
    for (path, who) in [("Sequence/Carry", "n6 Carry"), ("fight:Strike", "n10 fight: Strike")] {
        let (code, out, err) = pleach(&["play", &squad, &format!("{known}; answer {path} success")]);
        assert_eq!((code, err.as_str()), (0, ""), "{path}");
        assert!(out.ends_with(&format!("-- {who} answers success\n")), "{out}");
    }
    let several = "several nodes are called `Sequence/Harvest`: write `work/Inverter/Sequence/Harvest` or \
                   `Selector/Selector/Sequence/Harvest`\n";
    refused(&["play", &squad, &format!("{known}; why Sequence/Harvest")], 2, several);
    refused(&["play", &squad, &format!("{known}; answer Sequence/Harvest success")], 2, several);
    refused(&["show", &squad, "--node", "Sequence/Harvest"], 2, several);
    for (path, told) in [
        ("work/Harvst", "`work/Harvst`"),
        ("vest", "the tree has no node `vest`"),
        ("/Carry", "`/Carry`"),
        ("Carry[0]", "`Carry[0]`"),
        ("n99", "n99"),
    ] {
        refused(&["show", &squad, "--node", path], 2, told);
    }
}
