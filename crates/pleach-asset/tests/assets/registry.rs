//! Names that a registry refuses, and leaves that read their parameters.

use crate::common;

use std::sync::{Arc, Mutex};

use common::{Everything, Flee, Game, Inner, Say};
use pleach_asset::{Registry, RegistryError, SourceError, load_str};
use pleach_core::nodes::{action_of, on_event};
use pleach_core::{Event, Forest, Key, Observes, Status, Type};

#[test]
fn names_must_be_new_and_well_formed() {
    let mut registry = Registry::<Game>::new();
    let mut add = |name: &str| registry.action_fn(name, |_| Status::Running).map(|_| ());
    assert_eq!(add("Patrol"), Ok(()));
    assert_eq!(add("Patrol"), Err(RegistryError::Doubled("Patrol".into())));
    for name in ["Sequence", "Idle", "Tree", "Subtree", "Slot", "true", "None", "NaN"] {
        assert_eq!(add(name), Err(RegistryError::BuiltIn(name.into())), "{name}");
    }
    for name in ["", "1st", "go home", "a-b", "schön", "a.b", &"x".repeat(257)] {
        assert_eq!(add(name), Err(RegistryError::Malformed(name.into())), "{name}");
    }
    assert_eq!(add(&"x".repeat(256)), Ok(()));
    assert!(registry.contains("Patrol") && !registry.contains("patrol"));
    assert_eq!(registry.names().next(), Some("Patrol"));
}

#[test]
fn events_are_declared_once() {
    let mut registry = Registry::<Game>::new();
    registry.event("noise", Type::Vec2).unwrap().event("alarm", None).unwrap();
    let mut add = |name: &str, payload: Option<Type>| registry.event(name, payload).map(|_| ());
    let doubled = |payload| Err(RegistryError::DoubledEvent("noise".into(), Some(Type::Vec2), payload));
    assert_eq!(add("noise", Some(Type::Vec2)), doubled(Some(Type::Vec2)));
    assert_eq!(add("noise", None), doubled(None));
    let told = add("noise", None).unwrap_err().to_string();
    assert_eq!(told, "the event `noise` is already declared with Vec2, and now with no payload");
    assert_eq!(add("", None), Err(RegistryError::EventName(String::new())));
    assert_eq!(add(&"x".repeat(300), None), Err(RegistryError::EventName("x".repeat(256))));
    let events: Vec<_> = registry.events().collect();
    assert_eq!(events, [("noise", Some(Type::Vec2)), ("alarm", None)]);
}

#[test]
fn trees_know_the_events_of_their_host() {
    let tree = |registry: &Registry<Game>, source: &str| match load_str("a.ron", source, registry) {
        Ok(tree) => Ok(tree.schema().events().map(|it| (it.name().to_owned(), it.is_of_host())).collect::<Vec<_>>()),
        Err(report) => Err(report.diagnostics().iter().map(|it| it.message().to_owned()).collect::<Vec<_>>()),
    };
    let mut registry = Registry::<Game>::new();
    let named = "Tree(version: 1, root: OnEvent(\"noise\"))";
    assert_eq!(tree(&registry, named), Err(vec!["unknown event `noise`".into()]));
    // Like a host whose trees are older than event declarations.
    registry.allow_any_event(true);
    assert_eq!(tree(&registry, named), Ok(vec![]));
    registry.allow_any_event(false).event("noise", Type::Vec2).unwrap();
    assert_eq!(tree(&registry, named), Ok(vec![("noise".into(), true)]));
    let alike = "Tree(version: 1, events: { \"noise\": Vec2, \"own\": () }, root: OnEvent(\"noise\"))";
    assert_eq!(tree(&registry, alike), Ok(vec![("noise".into(), true), ("own".into(), false)]));
    let differs = "Tree(version: 1, events: { \"noise\": Int }, root: OnEvent(\"noise\"))";
    let told = "the event `noise` comes with Int in this tree, and with Vec2 in the declarations of the host: declare it the same way, or only there";
    assert_eq!(tree(&registry, differs), Err(vec![told.into()]));
    // Declared payloads bind even trees that may name any event.
    registry.allow_any_event(true);
    assert_eq!(tree(&registry, "Tree(version: 1, root: OnEvent(\"other\"))"), Ok(vec![("noise".into(), true)]));
    let wrong = "Tree(version: 1, root: Emit(\"noise\", \"1\"))";
    assert_eq!(tree(&registry, wrong), Err(vec!["expected Vec2, found Int".into()]));
}

#[test]
fn trees_in_rust_know_the_events_of_their_host() {
    let mut registry = Registry::<Game>::new();
    assert!(registry.builder("t").build(on_event("any")).is_ok());
    registry.event("noise", Type::Vec2).unwrap();
    assert!(registry.builder("t").build(on_event("any")).is_err());
    let tree = registry.builder("t").build(on_event("noise")).unwrap();
    assert!(tree.check_event(&Event::new("noise").with([0.0_f32, 0.0])).is_ok());
    assert!(tree.check_event(&Event::new("any")).is_err());
    registry.allow_any_event(true);
    assert!(registry.builder("t").build(on_event("any")).is_ok());
}

/// What a leaf of that name gets.
fn read(parameters: &str) -> Result<Everything, String> {
    let seen = Arc::new(Mutex::new(None));
    let mut registry = Registry::<Game>::new();
    let put = Arc::clone(&seen);
    registry
        .leaf("Everything", move |it: Everything| {
            *put.lock().expect("not poisoned") = Some(it);
            Ok(action_of(Say(String::new())))
        })
        .expect("a good name");
    let source = format!("Tree(version: 1, root: Everything{parameters})");
    match load_str("a.ron", &source, &registry) {
        Ok(_) => Ok(seen.lock().expect("not poisoned").take().expect("it was made")),
        Err(report) => {
            Err(report.diagnostics().iter().map(|it| it.message().to_owned()).collect::<Vec<_>>().join("\n"))
        }
    }
}

const GOOD: &str = "(flag: true, small: 0x10, large: 18446744073709551615, signed: -9_000, float: 1.5, letter: '(', \
                    text: \"a\\n\", list: [1, 2.5], triple: (0, 1, 2), maybe: None, map: {\"a\": 1}, inner: (a: (1, \"x\")))";

#[test]
fn parameters_of_every_type_arrive() {
    let expected = Everything {
        flag: true,
        small: 16,
        large: u64::MAX,
        signed: -9_000,
        float: 1.5,
        letter: '(',
        text: "a\n".into(),
        list: vec![1.0, 2.5],
        triple: [0.0, 1.0, 2.0],
        maybe: None,
        map: [("a".to_owned(), 1)].into(),
        inner: Inner { a: (1, "x".into()), b: None },
    };
    assert_eq!(read(GOOD), Ok(expected.clone()));
    let other = Everything { maybe: Some(3), ..expected };
    for maybe in ["maybe: 3", "maybe: Some(3)"] {
        assert_eq!(read(&GOOD.replace("maybe: None", maybe)), Ok(other.clone()));
    }
    let inner = "inner: Inner(a: (1, \"x\"), b: Some((a: (2, \"y\"), b: None)))";
    let inner = read(&GOOD.replace("inner: (a: (1, \"x\"))", inner)).expect("good").inner;
    assert_eq!(inner.b, Some(Box::new(Inner { a: (2, "y".into()), b: None })));
}

#[test]
fn numbers_and_keys_arrive_as_what_they_are() {
    let read = |speed: &str| {
        let seen = Arc::new(Mutex::new(None));
        let put = Arc::clone(&seen);
        let mut registry = Registry::<Game>::new();
        let make = move |it: Flee| {
            *put.lock().expect("not poisoned") = Some(it.speed.clone());
            Ok(action_of(it))
        };
        registry.leaf("Flee", make).expect("a good name");
        let keys = "blackboard: { \"pace\": Float(1) }, group: { \"march\": Float(1) }, global: { \"wind\": Float(0) }";
        let source = format!("Tree(version: 1, {keys}, root: Flee(speed: {speed}))");
        let tree = load_str("a.ron", &source, &registry).expect("a good tree");
        let speed = seen.lock().expect("not poisoned").take().expect("it was made");
        let keys = ["pace", "march", "wind"].map(|it| tree.schema().key::<f32>(it).expect("declared").index());
        (speed, keys)
    };
    assert_eq!(["0.1", "-3", "0x10"].map(|it| read(it).0.literal()), [Some(0.1), Some(-3.0), Some(16.0)]);
    for speed in ["\"agent.pace\"", "\"pace * 2 + 1\""] {
        let (speed, [pace, ..]) = read(speed);
        assert_eq!((speed.literal(), speed.observes()), (None, Observes::Keys(vec![pace])));
    }
    // Keys that other agents write, too.
    let (speed, [_, march, wind]) = read("\"group.march - wind\"");
    assert_eq!(speed.observes(), Observes::Keys(vec![march, wind]));
    let (speed, [_, march, _]) = read("\"march\"");
    assert_eq!(speed.observes(), Observes::Keys(vec![march]));
    assert_eq!(read("\"1 + 1\"").0.observes(), Observes::Keys(Vec::new()));
    assert_eq!(read("\"pace + time\"").0.observes(), Observes::EveryTick);
}

#[test]
fn parameters_of_wrong_types_are_refused() {
    let cases = [
        ("flag: true", "flag: 1", "`flag` of `Everything`: expected `true` or `false`, found the number 1"),
        ("small: 0x10", "small: 256", "`small` of `Everything`: expected u8, found integer `256`"),
        ("small: 0x10", "small: 1.5", "`small` of `Everything`: expected a whole number, found the number 1.5"),
        ("float: 1.5", "float: \"1\"", "`float` of `Everything`: expected a number, found a string"),
        ("float: 1.5", "float: inf", "`float` of `Everything`: parameters must be finite numbers"),
        ("float: 1.5", "float: 1e999", "`float` of `Everything`: parameters must be finite numbers"),
        ("list: [1, 2.5]", "list: [1, NaN]", "`list` of `Everything`: parameters must be finite numbers"),
        ("list: [1, 2.5]", "list: [1e39]", "`list` of `Everything`: parameters must be finite numbers"),
        (
            "triple: (0, 1, 2)",
            "triple: (0, 1)",
            "`triple` of `Everything`: expected an array of length 3, found 2 values",
        ),
        ("triple: (0, 1, 2)", "triple: [0, 1, 2, 3]", "`triple` of `Everything`: too many values"),
        ("map: {\"a\": 1}", "map: [1]", "`map` of `Everything`: expected a map, found a list"),
        ("letter: '('", "letter: \"ab\"", "`letter` of `Everything`: expected a character, found a string"),
        ("text: \"a\\n\"", "text: hello", "`text` of `Everything`: expected a string, found `hello`"),
        ("flag: true, ", "", "`Everything`: the parameter `flag` is missing"),
        ("(a: (1, \"x\"))", "(a: (1, \"x\"), c: 1)", "the struct `Inner` has no field `c`"),
        ("(a: (1, \"x\"))", "(a: (1, \"x\"), a: (1, \"x\"))", "`inner` of `Everything`: duplicate field `a`"),
    ];
    for (from, to, message) in cases {
        assert_eq!(read(&GOOD.replace(from, to)), Err(message.to_owned()), "{to}");
    }
    // A missing part has the name of another parameter, which is there.
    #[derive(serde::Deserialize)]
    #[expect(dead_code, reason = "only read")]
    struct Outer {
        a: i32,
        inner: Inner,
    }
    let mut registry = Registry::<Game>::new();
    registry.leaf("Outer", |_: Outer| Ok(action_of(Say(String::new())))).expect("a good name");
    let report = load_str("a.ron", "Tree(version: 1, root: Outer(a: 1, inner: ()))", &registry).expect_err("no `a`");
    assert_eq!(report.diagnostics()[0].message(), "`inner` of `Outer`: the parameter `a` is missing");
    // All of them at once.
    let many = GOOD.replace("flag: true", "flog: true").replace("small: 0x10", "small: -1").replace("1.5", "x");
    assert_eq!(
        read(&many),
        Err("`Everything` has no parameter `flog`\n`small` of `Everything`: expected u8, found integer `-1`\n`float` of \
             `Everything`: expected a number, found `x`"
            .to_owned())
    );
}

/// Help for a missing key stands by the problem about that key, and by no other.
#[test]
fn help_for_keys_stays_with_its_problem() {
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only read")]
    enum KeyOrText {
        Key(pleach_core::Key<f32>),
        Text(String),
    }
    #[derive(serde::Deserialize)]
    #[expect(dead_code, reason = "only read")]
    struct Loose {
        first: KeyOrText,
        second: i32,
    }
    #[derive(serde::Deserialize)]
    #[expect(dead_code, reason = "only read")]
    struct Strict(pleach_core::Key<f32>, i32);
    let mut registry = Registry::<Game>::new();
    registry.leaf("Loose", |_: Loose| Ok(action_of(Say(String::new())))).expect("a good name");
    registry.leaf("Strict", |_: Strict| Ok(action_of(Say(String::new())))).expect("a good name");
    let found = |root: &str| {
        let source = format!("Tree(version: 1, blackboard: {{ \"health\": Float(1.0) }}, root: {root})");
        let report = load_str("a.ron", &source, &registry).expect_err("something is wrong");
        let found = report.diagnostics().iter();
        found.map(|it| (it.message().to_owned(), it.help().map(ToOwned::to_owned))).collect::<Vec<_>>()
    };
    // The text is like a key, but is read as a text: that is not the problem.
    let second = "`second` of `Loose`: expected a whole number, found `true`".to_owned();
    assert_eq!(found("Loose(first: \"helth\", second: true)"), [(second, None)]);
    let missing = "`Strict`: there is no key `helth`".to_owned();
    assert_eq!(found("Strict(\"helth\", 1)"), [(missing, Some("did you mean `health`?".to_owned()))]);
}

/// Closures over parameters: their problems are reported as those of a struct, and each leaf has
/// its own parameters.
#[test]
fn closures_have_parameters_of_their_own() {
    #[derive(serde::Deserialize)]
    struct Add {
        to: Key<i64>,
        #[serde(default)]
        by: i64,
    }
    let mut registry = Registry::<Game>::new();
    registry
        .action_with::<Add>("Add", |add, cx| {
            cx.set(add.to, cx.get(add.to) + add.by);
            Status::Success
        })
        .and_then(|it| it.condition_with::<Add>("Below", |below, cx| cx.get(below.to) < below.by))
        .expect("good names");
    assert!(registry.action_with::<Add>("Add", |_, _| Status::Success).is_err());
    assert!(registry.condition_with::<Add>("Wait", |_, _| true).is_err());
    let load = |root: &str| {
        let source = format!("Tree(version: 1, blackboard: {{ \"n\": Int(0), \"x\": Float(0) }}, root: {root})");
        load_str("a.ron", &source, &registry)
            .map_err(|it| it.diagnostics().iter().map(|it| it.message().to_owned()).collect::<Vec<_>>().join("\n"))
    };
    let tree = load(
        "Sequence([Add(to: \"n\", by: 2), Below(to: \"n\", by: 9), Add(to: \"n\", by: 3), Inverter(Below(to: \"n\", by: 5))])",
    );
    let tree = tree.expect("a good tree");
    let n = tree.key::<i64>("n").expect("declared");
    let mut forest = Forest::<Game>::new(0);
    let tree = forest.add_tree(tree).expect("no shared keys");
    let [first, second] = [(); 2].map(|()| forest.spawn(&mut (), tree).expect("room"));
    forest.tick(&mut (), 0.1).expect("a good dt");
    assert_eq!([first, second].map(|it| forest.keys(it).expect("here").get(n)), [5, 5]);
    let message = |root: &str| load(root).err().unwrap_or_default();
    assert_eq!(message("Add(to: \"x\")"), "`to` of `Add`: the key `x` is Float, not Int");
    assert_eq!(message("Add(by: 1)"), "`Add`: the parameter `to` is missing");
    assert_eq!(message("Below(to: \"n\", bye: 1)"), "`Below` has no parameter `bye`");
}

/// `main` prints the error it returns with `Debug`.
#[test]
fn errors_are_shown_as_texts() {
    let error = Registry::<Game>::new().action_fn("Idle", |_| Status::Success).map(|_| ()).expect_err("a built-in");
    assert_eq!(format!("{error:?}"), error.to_string());
    assert_eq!(format!("{:?}", SourceError::Missing), "it does not exist");
}
