//! Errors of scenario files: the field, and what is wrong with it. In `limits`: how large scenarios
//! may be.

mod files;
mod limits;

use pleach_conform::Scenario;

/// A scenario with this tree, these further top-level fields, and scripts for `c` and `a`.
fn with(tree: &str, more: &str) -> String {
    format!(
        r#"{{"name": "n", "about": "", "keys": {{"hp": 1.0, "n": 3, "on": false}}, "tree": {{"type": "sequence", "children":
        [{{"type": "condition", "name": "c"}}, {{"type": "action", "name": "a"}}, {tree}]}}, "conditions": {{"c": "SF", "r": "SR"}},
        "actions": {{"a": {{"ticks": 2, "result": "S"}}}}, "ticks": 3 {more}}}"#
    )
    .replace(r#", "r": "SR""#, if tree.contains(r#""r""#) { r#", "r": "SR""# } else { "" })
}

fn error(text: &str) -> String {
    match Scenario::from_json(text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(e) => e.to_string(),
    }
}

#[track_caller]
fn tree(node: &str, message: &str) {
    assert_eq!(error(&with(node, "")), message, "{node}");
}

#[track_caller]
fn top(more: &str, message: &str) {
    assert_eq!(error(&with(r#"{"type": "idle"}"#, more)), message, "{more}");
}

#[test]
fn the_frame_is_right() {
    Scenario::from_json(&with(r#"{"type": "idle"}"#, "")).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn fields() {
    tree(
        r#"{"type": "inverter", "abort": "self", "children": [{"type": "idle"}]}"#,
        "tree.children[2]: unknown field `abort`; here stand: type, name, id, children, locals",
    );
    tree(
        r#"{"type": "idle", "children": []}"#,
        "tree.children[2]: unknown field `children`; here stand: type, name, id, locals",
    );
    tree(
        r#"{"type": "idle", "ticks": 1}"#,
        "tree.children[2]: unknown field `ticks`; here stand: type, name, id, locals",
    );
    tree(r#"{"name": "x"}"#, "tree.children[2]: field `type` is missing");
    tree(r#"{"type": "sequnce"}"#, "tree.children[2].type: there is no node type `sequnce`");
    tree(r#"{"type": "finally", "children": [{"type": "idle"}]}"#, "tree.children[2]: field `do` is missing");
    tree(
        r#"{"type": "finally", "on": "R", "children": [{"type": "idle"}], "do": []}"#,
        "tree.children[2].on: expected I, S or F, found \"R\"",
    );
    tree(
        r#"{"type": "finally", "children": [{"type": "idle"}], "do": [{"type": "fail"}, {"type": "wait", "ticks": 0}]}"#,
        "tree.children[2].do[1]: a wait is not done at once",
    );
    tree(r#"{"type": "wait", "ticks": true}"#, "tree.children[2].ticks: expected a number of seconds, found true");
    tree(r#"{"type": "wait_ticks", "ticks": -1}"#, "tree.children[2].ticks: expected a number of ticks, found -1");
    tree(
        r#"{"type": "emit", "event": "e", "to": "Group"}"#,
        "tree.children[2].to: expected host or group, found \"Group\"",
    );
    top(r#", "squad": 1"#, "squad: expected true or false, found 1");
    top(r#", "stranger": true"#, "stranger: the agent is in no group");
    tree(r#"{"type": "wait"}"#, "tree.children[2]: field `ticks` is missing");
    tree(
        r#"{"type": "log", "text": "two\nlines"}"#,
        r#"tree.children[2].text: "two\nlines" is empty or holds control characters"#,
    );
    top(
        r#", "tick": 3"#,
        "unknown field `tick`; here stand: name, about, notation, seed, keys, group, global, events, squad, stranger, tree, interrupts, conditions, actions, ops, ticks, trace, files",
    );
    top(r#", "seed": -1"#, "seed: expected a whole number >= 0, found -1");
    top(r#", "trace": "enable""#, "trace: expected a list, found \"enable\"");
    top(r#", "ticks": 4"#, "not JSON: field `ticks` is given twice at line 3 column 75");
    assert_eq!(error("{"), "not JSON: EOF while parsing an object at line 1 column 1");
    assert_eq!(error("[]"), "expected an object, found a list of 0");
}

#[test]
fn children() {
    tree(
        r#"{"type": "inverter", "children": [{"type": "idle"}, {"type": "idle"}]}"#,
        "tree.children[2]: `inverter` has exactly one child, here are 2",
    );
    tree(
        r#"{"type": "guard", "expr": "on", "children": []}"#,
        "tree.children[2]: `guard` has exactly one child, here are 0",
    );
    tree(r#"{"type": "selector", "children": []}"#, "tree.children[2]: `selector` has at least one child, here are 0");
    tree(r#"{"type": "selector"}"#, "tree.children[2]: field `children` is missing");
    tree(
        r#"{"type": "random_selector", "weights": [1, 2], "children": [{"type": "idle"}]}"#,
        "tree.children[2].weights: 2 for 1 children",
    );
    tree(
        r#"{"type": "random_sequence", "weights": [1, -2], "children": [{"type": "idle"}, {"type": "idle"}]}"#,
        "tree.children[2].weights[1]: a weight is finite and not negative",
    );
    tree(
        r#"{"type": "utility_selector", "scores": [], "children": [{"type": "idle"}]}"#,
        "tree.children[2].scores: 0 for 1 children",
    );
    tree(
        r#"{"type": "parallel", "success": 3, "children": [{"type": "idle"}, {"type": "idle"}]}"#,
        "tree.children[2].success: 3 is impossible with 2 children",
    );
    tree(
        r#"{"type": "parallel", "failure": "some", "children": [{"type": "idle"}]}"#,
        "tree.children[2].failure: expected all, any or a number of children, found \"some\"",
    );
}

#[test]
fn numbers_that_are_expressions() {
    let under = |fields: &str| format!(r#"{{"type": {fields}, "children": [{{"type": "idle"}}]}}"#);
    let type_of = |node: &str, field: &str, must: &str, is: &str| {
        tree(node, &format!("tree.children[2].{field}: must be {must}, is {is}"));
    };
    type_of(r#"{"type": "wait", "ticks": "on"}"#, "ticks", "a number", "bool");
    type_of(r#"{"type": "wait_ticks", "ticks": "hp"}"#, "ticks", "int", "float");
    type_of(&under(r#""repeater", "count": "on""#), "count", "int", "bool");
    type_of(&under(r#""limit", "count": "1.0""#), "count", "int", "float");
    type_of(&under(r#""timeout", "ticks": "on""#), "ticks", "a number", "bool");
    type_of(&under(r#""probability", "p": "on""#), "p", "a number", "bool");
    let served = under(r#""sequence", "services": [{"name": "s", "interval": "on"}]"#);
    type_of(&served, "services[0].interval", "a number", "bool");
    tree(
        r#"{"type": "wait", "ticks": 2, "jitter": 2.5}"#,
        "tree.children[2].jitter: 2.5 is no jitter: from 0 to 2 seconds",
    );
    tree(
        r#"{"type": "wait", "ticks": -2, "jitter": 0.5}"#,
        "tree.children[2].jitter: 0.5 is no jitter: from 0 to 0 seconds",
    );
    tree(
        r#"{"type": "wait", "ticks": "hp", "jitter": -1}"#,
        "tree.children[2].jitter: -1.0 is no jitter: from 0 to 1000000000 seconds",
    );
    tree(
        &under(r#""timeout", "ticks": 2, "jitter": 1"#),
        "tree.children[2]: unknown field `jitter`; here stand: type, name, id, ticks, result, children, locals",
    );
    tree(
        &under(r#""sequence", "services": [{"name": "s", "interval": 1, "jitter": 2}]"#),
        "tree.children[2].services[0].jitter: 2.0 is no jitter: from 0 to 1 seconds",
    );
}

#[test]
fn parameters() {
    tree(
        r#"{"type": "sequence", "abort": "lower", "children": [{"type": "idle"}]}"#,
        "tree.children[2].abort: expected none, self, lp or both, found \"lower\"",
    );
    tree(
        r#"{"type": "probability", "p": 1.5, "children": [{"type": "idle"}]}"#,
        "tree.children[2].p: 1.5 is not between 0 and 1",
    );
    tree(
        r#"{"type": "repeater", "count": 2, "forever": true, "children": [{"type": "idle"}]}"#,
        "tree.children[2]: either `count` or `forever`, not both",
    );
    tree(r#"{"type": "guard", "children": [{"type": "idle"}]}"#, "tree.children[2]: field `when` is missing");
    tree(
        r#"{"type": "guard", "when": "c", "expr": "on", "children": [{"type": "idle"}]}"#,
        "tree.children[2]: either `when` or `expr`, not both",
    );
    tree(
        r#"{"type": "guard", "when": "r", "children": [{"type": "idle"}]}"#,
        "tree.children[2].when: the script `r` has an R, but a guard's test is true or false",
    );
    tree(
        r#"{"type": "timeout", "ticks": 1, "result": "R", "children": [{"type": "idle"}]}"#,
        "tree.children[2].result: expected S or F, found \"R\"",
    );
    tree(
        r#"{"type": "selector", "services": [{"name": "s"}], "children": [{"type": "idle"}]}"#,
        "tree.children[2].services[0]: field `interval` is missing",
    );
}

#[test]
fn names() {
    tree(r#"{"type": "condition", "name": "d"}"#, "tree.children[2].name: `conditions` has no script `d`");
    tree(
        r#"{"type": "condition", "name": "c"}"#,
        "tree.children[2].name: two nodes are named `c`, which selects a script",
    );
    tree(
        r#"{"type": "action", "name": "a"}"#,
        "tree.children[2].name: two nodes are named `a`, which selects a script",
    );
    tree(r#"{"type": "action"}"#, "tree.children[2]: field `name` is missing");
    tree(
        r#"{"type": "guard", "when": "d", "children": [{"type": "idle"}]}"#,
        "tree.children[2].when: `conditions` has no script `d`",
    );
    tree(r#"{"type": "set", "key": "mp", "expr": "1"}"#, "tree.children[2].key: `keys` has no `mp`");
    tree(r#"{"type": "on_event", "event": "e", "into": "mp"}"#, "tree.children[2].into: `keys` has no `mp`");
    top(
        r#", "interrupts": [{"when": "d", "run": {"type": "idle"}}]"#,
        "interrupts[0].when: `conditions` has no script `d`",
    );
    top(r#", "ops": [{"before": 1, "op": "set", "key": "mp", "value": 1}]"#, "ops[0].key: `keys` has no `mp`");
    for key in ["", "2x", "a-b", "min", "true", "vec2", "none", "group"] {
        let text =
            format!(r#"{{"name": "n", "about": "", "keys": {{"{key}": 1}}, "tree": {{"type": "idle"}}, "ticks": 1}}"#);
        assert!(error(&text).starts_with(&format!("keys: `{key}` cannot be a name")), "{key}");
    }
}

#[test]
fn expressions() {
    tree(
        r#"{"type": "check", "expr": "hp <"}"#,
        "tree.children[2].expr: in \"hp <\": expected a number, a key, true, false, ( or a function (at character 4)",
    );
    tree(
        r#"{"type": "wait_until", "expr": "mp < 1"}"#,
        "tree.children[2].expr: in \"mp < 1\": `keys` has no `mp` (at character 0)",
    );
    tree(r#"{"type": "check", "expr": "n + 1"}"#, "tree.children[2].expr: must be bool, is int");
    tree(r#"{"type": "set", "key": "hp", "expr": "n"}"#, "tree.children[2].expr: must be float, is int");
    tree(
        r#"{"type": "guard", "expr": "hp", "children": [{"type": "idle"}]}"#,
        "tree.children[2].expr: must be bool, is float",
    );
    tree(
        r#"{"type": "utility_selector", "scores": ["on"], "children": [{"type": "idle"}]}"#,
        "tree.children[2].scores[0]: must be a number, is bool",
    );
    tree(
        r#"{"type": "emit", "event": "e", "expr": "on + 1"}"#,
        "tree.children[2].expr: in \"on + 1\": this cannot be done to bool and int (at character 3)",
    );
}

#[test]
fn scripts_and_calls() {
    let script = |c: &str, a: &str| {
        let nodes = r#"[{"type": "condition", "name": "c"}, {"type": "action", "name": "a"}]"#;
        let tree = format!(r#"{{"type": "sequence", "children": {nodes}}}"#);
        format!(
            r#"{{"name": "n", "about": "", "tree": {tree}, "conditions": {{"c": {c}}}, "actions": {{"a": {a}}}, "ticks": 1}}"#
        )
    };
    assert_eq!(error(&script(r#""SX""#, "{}")), "conditions.c: expected a string of S, F and R, found \"SX\"");
    assert_eq!(error(&script(r#""""#, "{}")), "conditions.c: the script is empty");
    assert_eq!(error(&script(r#""S""#, r#"{"result": "R"}"#)), "actions.a.result: expected S or F, found \"R\"");
    assert_eq!(error(&script(r#""S""#, r#"{"result": ""}"#)), "actions.a.result: the script is empty");
    assert_eq!(
        error(&script(r#""S""#, r#"{"tick": 1}"#)),
        "actions.a: unknown field `tick`; here stand: ticks, result"
    );
    top(
        r#", "ops": [{"before": 1, "op": "stop"}]"#,
        "ops[0].op: expected enable, disable, restart, pause, unpause, set, event, rate, budget, panic, fill, replace, save or restore, found \"stop\"",
    );
    top(
        r#", "ops": [{"before": 1, "op": "pause", "key": "n"}]"#,
        "ops[0]: unknown field `key`; here stand: before, op",
    );
    top(r#", "ops": [{"before": 0, "op": "pause"}]"#, "ops[0].before: there is no tick 0");
    top(r#", "ops": [{"before": 1, "op": "set", "key": "hp", "value": 1}]"#, "ops[0].value: must be float, is int");
    top(
        r#", "ops": [{"before": 1, "op": "set", "key": "hp", "value": 1e39}]"#,
        "ops[0].value: expected a number that fits into 32 bits, found 1e39",
    );
    let payload = |json: &str| format!(r#", "ops": [{{"before": 1, "op": "event", "event": "e", "payload": {json}}}]"#);
    top(
        &payload("null"),
        "ops[0].payload: expected a bool, a whole number, a float, a vector, an entity, a time or a word, found null",
    );
    top(&payload("[1]"), "ops[0].payload: expected a list of two or three numbers, found a list of 1");
    top(&payload("[1, true]"), "ops[0].payload[1]: expected a number, found true");
    top(&payload("[1, 1e39]"), "ops[0].payload[1]: expected a number that fits into 32 bits, found 1e39");
    top(&payload(r#"{"entity": -1}"#), "ops[0].payload.entity: expected a whole number >= 0, found -1");
    top(&payload(r#"{"enemy": 1}"#), "ops[0].payload: field `entity` is missing");
    top(&payload(r#""""#), r#"ops[0].payload: "" is empty or holds control characters"#);
}

#[test]
fn conditions_that_are_asked_every_so_often() {
    let script = |c: &str| {
        let tree = r#"{"type": "condition", "name": "c"}"#;
        error(&format!(r#"{{"name": "n", "about": "", "tree": {tree}, "conditions": {{"c": {c}}}, "ticks": 1}}"#))
    };
    assert_eq!(
        script(r#"{"script": "SX", "every": 2}"#),
        "conditions.c.script: expected a string of S, F and R, found \"SX\""
    );
    assert_eq!(script(r#"{"script": "", "every": 2}"#), "conditions.c: the script is empty");
    assert_eq!(script(r#"{"script": "S"}"#), "conditions.c: field `every` is missing");
    assert_eq!(script(r#"{"every": 2}"#), "conditions.c: field `script` is missing");
    assert_eq!(
        script(r#"{"script": "S", "every": 0.5}"#),
        "conditions.c.every: expected a number of seconds, found 0.5"
    );
    assert_eq!(
        script(r#"{"script": "S", "every": 16777217}"#),
        "conditions.c.every: 16777217 seconds are more than 16777216, up to which 32-bit floats are exact"
    );
    assert_eq!(
        script(r#"{"script": "S", "every": 2, "phase": 1}"#),
        "conditions.c: unknown field `phase`; here stand: script, every"
    );
}

#[test]
fn calls_about_turns() {
    let ops = |json: &str| format!(r#", "ops": [{json}]"#);
    top(&ops(r#"{"before": 1, "op": "rate"}"#), "ops[0]: field `frames` is missing");
    top(&ops(r#"{"before": 1, "op": "rate", "frames": -1}"#), "ops[0].frames: expected a number of frames, found -1");
    top(
        &ops(r#"{"before": 1, "op": "rate", "frames": 256}"#),
        "ops[0].frames: every 256th frame is no rate: the rarest is every 255th, and 0 is never",
    );
    top(&ops(r#"{"before": 1, "op": "budget"}"#), "ops[0]: field `agents` is missing");
    top(&ops(r#"{"before": 1, "op": "panic", "agents": 1}"#), "ops[0]: unknown field `agents`; here stand: before, op");
    let panic = r#"{"before": 2, "op": "panic"}"#;
    let budget = r#"{"before": 2, "op": "budget", "agents": 1}"#;
    for (one, other, names) in [
        (panic, panic, "`panic` and `panic`"),
        (budget, budget, "`budget` and `budget`"),
        (panic, budget, "`panic` and `budget`"),
        (budget, panic, "`budget` and `panic`"),
    ] {
        let between = r#"{"before": 1, "op": "panic"}, {"before": 2, "op": "rate", "frames": 2}"#;
        top(
            &ops(&format!("{one}, {between}, {other}")),
            &format!("ops[3]: {names} before tick 2: only one of them can be"),
        );
    }
}

#[test]
fn declarations() {
    let keys = |group: &str| {
        error(&format!(
            r#"{{"name": "n", "about": "", "group": {{"k": {group}, "x": 1}}, "tree": {{"type": "idle"}}, "ticks": 1}}"#
        ))
    };
    assert_eq!(keys(r#""idle""#), "group.k: a symbol is declared with its words");
    assert_eq!(keys(r#"{"symbol": "idle"}"#), "group.k: field `words` is missing");
    assert_eq!(keys(r#"{"symbol": "idle", "words": []}"#), "group.k: a symbol is declared with its words");
    assert_eq!(keys(r#"{"symbol": "idle", "words": ["alert"]}"#), "group.k.symbol: `idle` is none of the key's words");
    assert_eq!(keys(r#"{"symbol": "x", "words": ["x"]}"#), "group.k.words: `x` is a key as well");
    assert!(keys(r#"{"symbol": "a b", "words": ["a b"]}"#).starts_with("group.k.words: `a b` cannot be a name"));
    top(
        r#", "group": {"mode": {"symbol": "a", "words": ["a", "b"]}}, "ops": [{"before": 1, "op": "set", "key": "group.mode", "value": "c"}]"#,
        "ops[0].value: `c` is none of the key's words",
    );
    top(
        r#", "global": {"g": 1}, "ops": [{"before": 1, "op": "set", "key": "group.g", "value": 1}]"#,
        "ops[0].key: `keys` has no `group.g`",
    );
}

#[test]
fn files() {
    let missing = std::env::temp_dir().join("pleach-conform-no-such-file.json");
    let error = Scenario::load(&missing).expect_err("there is no such file").to_string();
    assert!(error.contains("pleach-conform-no-such-file.json: cannot be read: "), "{error}");
}

#[test]
fn versions_of_the_tree() {
    let ops = |ops: &str| format!(r#", "ops": [{ops}]"#);
    let replace = |before: u32, tree: &str| format!(r#"{{"before": {before}, "op": "replace", "tree": {tree}}}"#);
    top(&ops(r#"{"before": 1, "op": "replace"}"#), "ops[0]: field `tree` is missing");
    top(
        &ops(&replace(1, r#"{"type": "check", "expr": "nothing"}"#)).replace("}}", r#"}, "restart": 1}"#),
        "ops[0].restart: expected true or false, found 1",
    );
    top(&ops(&replace(1, r#"{"type": "idel"}"#)), "ops[0].tree.type: there is no node type `idel`");
    let twins = r#"{"type": "sequence", "children": [{"type": "idle", "id": "a"}, {"type": "idle", "id": "a"}]}"#;
    top(&ops(&replace(1, twins)), "ops[0].tree.children[1].id: another node has the id `a`");
    tree(r#"{"type": "idle", "id": ""}"#, r#"tree.children[2].id: "" is empty or holds control characters"#);
    let (late, early) = (replace(3, r#"{"type": "idle"}"#), replace(2, r#"{"type": "idle"}"#));
    top(&ops(&format!("{late}, {early}")), "ops[1].before: `replace` before tick 2 stands behind one before tick 3");
    let mut deep = r#"{"type": "idle"}"#.to_owned();
    for _ in 0..256 {
        deep = format!(r#"{{"type": "inverter", "children": [{deep}]}}"#);
    }
    top(&ops(&replace(1, &deep)), "ops[0].tree: nested 257 levels deep, the most is 256");
}
