//! Functions as leaves, and which callbacks of structs are called.

use pleach::{
    Action, Condition, Context, End, Entity, EventName, FloatExpr, Forest, Host, Key, Registry, Status, Symbol,
    SymbolEnum, Tree, TreeId, Type,
    asset::{Access, LeafFn, LeafKind, Presence, ValueType},
    error::RegistryError,
    leaf, load_str,
    nodes::{action_of, sequence},
};

struct Game;
impl Host for Game {
    type Cx<'a> = Vec<String>;
}
type Cx<'a, 'h> = Context<'a, 'h, Game>;

/// Adds to a key.
///
/// And says so.
#[leaf(reads(total), writes(total))]
fn add_to(
    cx: &mut Context<'_, '_, Game>,
    /// The key that it adds to.
    total: Key<i64>,
    #[default(1)] mut by: i64,
    times: Option<u8>,
    words: &[String],
    sign: &str,
) -> Status {
    by *= i64::from(times.unwrap_or(1));
    let sum = cx.get(total) + by;
    cx.set(total, sum);
    cx.host.push(format!("{sum}{sign}{}", words.join("")));
    Status::Success
}

#[leaf(name = "Lower", observes(key, than))]
fn is_lower(cx: &mut Cx<'_, '_>, key: Key<f32>, than: &FloatExpr) -> bool {
    cx.host.push("asked".into());
    cx.get(key) < than.get(cx)
}

#[leaf(observes())]
fn once(cx: &mut Cx<'_, '_>) -> bool {
    cx.host.push("once".into());
    true
}

#[leaf(every = 1)]
fn now_and_then(cx: &mut Cx<'_, '_>) -> bool {
    cx.host.push("now".into());
    true
}

#[leaf]
fn r#loop(_: &mut Cx<'_, '_>, r#type: u8) -> Status {
    Status::from_bool(r#type > 0)
}

fn registry() -> Registry<Game> {
    let mut registry = Registry::new();
    registry
        .leaf_fn::<add_to>()
        .and_then(|it| it.leaf_fn::<is_lower>())
        .and_then(|it| it.leaf_fn::<now_and_then>())
        .and_then(|it| it.leaf_fn::<once>())
        .and_then(|it| it.leaf_fn::<r#loop>())
        .and_then(|it| it.action_fn("Halt", |_| Status::Running))
        .expect("good names");
    registry
}

fn load(root: &str) -> Result<pleach::Tree<Game>, String> {
    let keys = "\"total\": Int(0), \"x\": Float(0), \"y\": Float(1)";
    let source = format!("Tree(version: 1, blackboard: {{ {keys} }}, root: {root})");
    load_str("a.ron", &source, &registry())
        .map_err(|it| it.diagnostics().iter().map(|it| it.message().to_owned()).collect::<Vec<_>>().join("\n"))
}

fn forest(root: &str) -> (Forest<Game>, TreeId) {
    let mut forest = Forest::new(0);
    let tree = forest.add_tree(load(root).expect("a good tree")).expect("no shared keys");
    (forest, tree)
}

#[test]
fn parameters_come_by_name_or_in_order() {
    let roots = [
        ("AddTo(total: \"total\", words: [\"a\", \"b\"], sign: \"!\")", "1!ab"),
        ("AddTo(sign: \"?\", words: [], by: 4, times: 2, total: \"agent.total\")", "8?"),
        ("AddTo(sign: \"?\", words: [], by: 4, times: Some(3), total: \"total\")", "12?"),
        ("AddTo(\"total\", 5, None, [\"w\"], \".\")", "5.w"),
    ];
    for (root, said) in roots {
        let (mut forest, tree) = forest(root);
        let mut log = Vec::new();
        forest.spawn(&mut log, tree).expect("room");
        forest.tick(&mut log, 0.1).expect("a good dt");
        assert_eq!(log, [said], "{root}");
    }
}

#[test]
fn bad_parameters_are_refused_as_those_of_structs_are() {
    let problem = |root: &str| load(root).err().unwrap_or_default();
    let cases = [
        ("AddTo(total: \"total\", words: [])", "`AddTo`: the parameter `sign` is missing"),
        ("AddTo(\"total\", 5)", "`AddTo`: the parameter `words` is missing"),
        ("AddTo(\"total\", 5, None, [], \".\", 6)", "`AddTo`: too many values"),
        ("AddTo", "`AddTo`: the parameter `total` is missing"),
        (
            "AddTo(total: \"x\", words: [], sign: \"\", toes: 5)",
            "`total` of `AddTo`: the key `x` is Float, not Int\n`AddTo` has no parameter `toes`",
        ),
        ("AddTo(total: \"total\", total: \"total\", words: [], sign: \"\")", "`AddTo` has two fields `total`"),
        (
            "AddTo(total: \"total\", by: 1.5, words: [], sign: \"\")",
            "`by` of `AddTo`: expected a whole number, found the number 1.5",
        ),
        (
            "AddTo(total: \"total\", times: 256, words: [], sign: \"\")",
            "`times` of `AddTo`: expected u8, found integer `256`",
        ),
        ("NowAndThen(every: 2)", "`NowAndThen` has no parameter `every`"),
        ("Loop(type: -1)", "`type` of `Loop`: expected u8, found integer `-1`"),
        ("IsLower(key: \"x\", than: 1)", "unknown node `IsLower`"),
    ];
    for (root, message) in cases {
        assert_eq!(problem(root), message, "{root}");
    }
}

#[test]
fn conditions_are_asked_by_their_keys_or_every_so_often() {
    let watched = |condition: &str| {
        let (mut forest, tree) =
            forest(&format!("Selector([Sequence(abort: LowerPriority, children: [{condition}, Fail]), Halt])"));
        let mut log = Vec::new();
        let agent = forest.spawn(&mut log, tree).expect("room");
        let y = forest.tree(tree).expect("here").key::<f32>("y").expect("declared");
        let mut asked = Vec::new();
        for frame in 0..3 {
            if frame == 2 {
                forest.keys_mut(agent).expect("here").set(y, -1.0);
            }
            log.clear();
            forest.tick(&mut log, 0.1).expect("a good dt");
            asked.push(log.len());
        }
        asked
    };
    // Once at the start, and then when `y` has changed, which only the second one reads: by the
    // pass, and by the visit that the abort leads to.
    assert_eq!(watched("Inverter(Lower(key: \"x\", than: 5))"), [1, 0, 0]);
    assert_eq!(watched("Lower(key: \"x\", than: \"y\")"), [1, 0, 2]);
    assert_eq!(watched("Inverter(NowAndThen)"), [1, 0, 0]);
    assert_eq!(watched("Inverter(Once)"), [1, 0, 0]);
    // Expressions are observed by all their keys; `time` in them in every tick.
    assert_eq!(watched("Lower(key: \"x\", than: \"min(y * 2, 5) - x\")"), [1, 0, 2]);
    assert_eq!(watched("Inverter(Lower(key: \"x\", than: \"5\"))"), [1, 0, 0]);
    assert_eq!(watched("Lower(key: \"x\", than: \"y * (time + 1)\")"), [1, 1, 2]);
}

#[test]
fn expressions_are_checked_and_evaluated() {
    let problem = |than: &str| load(&format!("Lower(key: \"x\", than: {than})")).err().unwrap_or_default();
    let expected = "`than` of `Lower`";
    assert_eq!(problem("\"yy * 2\""), format!("{expected}: unknown key `yy`"));
    assert_eq!(problem("\"y *\""), format!("{expected}: expected a value, but the expression ends here"));
    assert_eq!(problem("\"y < 1\""), format!("{expected}: the expression gives Bool, not a number"));
    assert_eq!(problem("\"\""), format!("{expected}: expected a value, but the expression ends here"));
    assert_eq!(
        problem("true"),
        format!("{expected}: expected a number, or an expression that gives one, found `true`")
    );
    // An int becomes a float.
    let (mut forest, tree) = forest("Sequence([Inverter(Lower(\"y\", \"total\")), Lower(\"y\", \"total + 2\"), Halt])");
    let mut log = Vec::new();
    let agent = forest.spawn(&mut log, tree).expect("room");
    forest.tick(&mut log, 0.1).expect("a good dt");
    assert_eq!(forest.agent(agent).expect("here").inspect().to_string(), "Halt");
}

/// Written without the lifetimes of its context.
#[leaf]
fn elided(cx: &mut Context<Game>, rounds: usize) -> Status {
    cx.host.push(format!("{rounds} rounds"));
    Status::Success
}

#[test]
fn the_lifetimes_of_a_context_can_be_left_out() {
    let mut registry = Registry::new();
    registry.leaf_fn::<elided>().expect("a good name");
    let tree = load_str("a.ron", "Tree(version: 1, root: Elided(3))", &registry).expect("a good tree");
    let (mut forest, mut log) = (Forest::new(0), Vec::new());
    let tree = forest.add_tree(tree).expect("no shared keys");
    forest.spawn(&mut log, tree).expect("room");
    forest.tick(&mut log, 0.1).expect("a good dt");
    assert_eq!(log, ["3 rounds"]);
}

/// Emits an event, and says whether it has heard one.
#[leaf]
fn shout(cx: &mut Cx<'_, '_>, event: EventName, #[default(false)] loud: bool) -> Status {
    let heard = cx.events().any(|it| event.is_of(it));
    cx.host.push(format!("{heard} {loud}"));
    cx.emit(event.into());
    cx.send(cx.agent(), event.into());
    Status::Running
}

#[test]
fn names_of_events_are_checked() {
    let mut registry = Registry::new();
    registry.leaf_fn::<shout>().expect("a good name");
    let types: Vec<_> = registry.leaves().filter_map(|it| it.parameters).flatten().map(|it| it.ty).collect();
    assert_eq!(types, [ValueType::Event, ValueType::Bool]);
    let load = |registry: &Registry<Game>, events: &str, name: &str| {
        let source = format!("Tree(version: 1, {events} root: Shout(event: {name}))");
        load_str("a.ron", &source, registry).map_err(|it| {
            let first = &it.diagnostics()[0];
            format!("{}; {}", first.message(), first.help().unwrap_or("no help"))
        })
    };
    let events = "events: { \"noise\": (), \"alarm\": Vec2 },";
    let error = |events: &str, name: &str| load(&registry, events, name).expect_err("it is wrong");
    assert_eq!(error(events, "\"nosie\""), "`event` of `Shout`: unknown event `nosie`; did you mean `noise`?");
    assert_eq!(error(events, "\"q\""), "`event` of `Shout`: unknown event `q`; the events are `noise` and `alarm`");
    assert_eq!(
        error("", "\"noise\""),
        "`event` of `Shout`: unknown event `noise`; there are no events: declare one in the tree, as in `events: { \"noise\": () }`"
    );
    assert_eq!(
        error(events, "\"\""),
        "`event` of `Shout`: \"\" cannot be the name of an event: it must have 1 to 256 bytes; no help"
    );
    assert_eq!(
        error(events, "noise"),
        "`event` of `Shout`: expected the name of an event, found `noise`; write `\"noise\"`"
    );

    let (mut forest, mut log) = (Forest::new(0), Vec::new());
    let tree = forest.add_tree(load(&registry, events, "\"noise\"").expect("good")).expect("no shared keys");
    forest.spawn(&mut log, tree).expect("room");
    for _ in 0..2 {
        forest.tick(&mut log, 0.1).expect("a good dt");
    }
    assert_eq!(log, ["false false", "true false"]);
    // The tree knows the host's declared events, and any event if the host allows that.
    registry.event("whistle", None).expect("a new event");
    assert!(load(&registry, events, "\"whistle\"").is_ok());
    registry.allow_any_event(true);
    assert!(load(&registry, "", "\"nosie\"").is_ok());
}

#[test]
fn the_registry_knows_its_leaves() {
    let mut registry = registry();
    registry.action::<Walk>("Walk").expect("a good name");
    let leaves: Vec<_> = registry.leaves().collect();
    let about = |name: &str| leaves.iter().find(|it| it.name == name).expect("registered");
    assert_eq!((&*about("AddTo").doc, about("AddTo").kind), ("Adds to a key.\n\nAnd says so.", LeafKind::Action));
    let of = |name: &str| {
        let all = about(name).parameters.clone().expect("known").into_iter();
        all.map(|it| (it.name, it.ty, it.presence, it.access, it.doc)).collect::<Vec<_>>()
    };
    use Presence::{Default, Required};
    use ValueType::{Int, Key, List, Text};
    let it = |name: &str, ty, presence, access, doc: &str| (name.to_owned(), ty, presence, access, doc.to_owned());
    let expected = [
        it("total", Key(Type::Int), Required, Some(Access::ReadWrite), "The key that it adds to."),
        it("by", Int, Default("1".into()), None, ""),
        it("times", ValueType::Option(Int.into()), Default("None".into()), None, ""),
        it("words", List(Text.into()), Required, None, ""),
        it("sign", Text, Required, None, ""),
    ];
    assert_eq!(of("AddTo"), expected);
    assert_eq!(about("Lower").kind, LeafKind::Condition);
    assert_eq!(of("Lower").iter().map(|it| it.3).collect::<Vec<_>>(), [Some(Access::Read); 2]);
    // For a struct, serde gives names and types, and its `impl` the documentation.
    assert_eq!((&*about("Walk").doc, about("Walk").kind), ("Walks.", LeafKind::Action));
    assert_eq!(of("Walk"), [it("speed", ValueType::Float, Required, None, "")]);
    assert_eq!(registry.leaf_fn::<add_to>().err(), Some(RegistryError::Doubled(add_to::NAME.into())));
}

#[derive(serde::Deserialize)]
struct Walk {
    speed: f32,
}
/// Walks.
#[leaf]
impl Action<Game> for Walk {
    type State = ();
    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        cx.host.push(format!("walk {}", self.speed));
        Status::Success
    }
    fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, _: End) {
        cx.host.push("end".into());
    }
}

/// Implements all of its callbacks, behind attributes and macros that hide them.
#[derive(serde::Deserialize)]
struct Hidden;
macro_rules! start {
    () => {
        fn start(&self, (): &mut (), cx: &mut Cx<'_, '_>) {
            cx.host.push("start".into());
        }
    };
}
#[leaf]
impl Condition<Game> for Hidden {
    type State = ();
    start!();
    #[cfg(test)]
    fn awake(&self, (): &mut (), cx: &mut Cx<'_, '_>) {
        cx.host.push("awake".into());
    }
    fn update(&self, (): &mut (), _: &mut Cx<'_, '_>) -> Status {
        Status::Success
    }
}

/// Without the attribute every callback is called.
#[derive(serde::Deserialize)]
struct Bare;
impl Action<Game> for Bare {
    type State = ();
    fn update(&self, (): &mut (), _: &mut Cx<'_, '_>) -> Status {
        Status::Success
    }
    fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, _: End) {
        cx.host.push("bare end".into());
    }
}

#[test]
fn what_is_implemented_is_called() {
    let mut registry = Registry::<Game>::new();
    registry
        .action::<Walk>("Walk")
        .and_then(|it| it.condition::<Hidden>("Hidden"))
        .and_then(|it| it.action::<Bare>("Bare"))
        .expect("good names");
    let source = "Tree(version: 1, root: Sequence([Hidden, Walk(speed: 2), Bare]))";
    let tree = load_str("a.ron", source, &registry).expect("a good tree");
    let (mut forest, mut log) = (Forest::new(0), Vec::new());
    let tree = forest.add_tree(tree).expect("no shared keys");
    forest.spawn(&mut log, tree).expect("room");
    forest.tick(&mut log, 0.1).expect("a good dt");
    assert_eq!(log, ["awake", "start", "walk 2", "end", "bare end"]);
}

#[derive(serde::Deserialize)]
struct Feel {
    mood: Key<Symbol>,
    to: Symbol,
}

#[leaf]
fn feels(cx: &mut Cx<'_, '_>, mood: Key<Symbol>, what: Option<Symbol>) -> bool {
    what.is_none_or(|it| cx.get(mood) == it)
}

#[test]
fn symbols_are_words_of_the_tree() {
    let mut registry = Registry::<Game>::new();
    registry
        .leaf_fn::<feels>()
        .and_then(|it| {
            it.action_with::<Feel>("Feel", |feel, cx| {
                cx.set(feel.mood, feel.to);
                Status::Success
            })
        })
        .expect("good names");
    let keys = "\"mood\": Symbol(\"calm\", [\"calm\", \"angry\"]), \"foe\": Entity(none)";
    let load = |root: &str| {
        load_str("a.ron", &format!("Tree(version: 1, blackboard: {{ {keys} }}, root: {root})"), &registry).map_err(
            |it| it.diagnostics().iter().map(|it| (it.message().to_owned(), it.help().map(Into::into))).collect(),
        )
    };
    let tree = load(
        "Sequence([Feels(\"mood\", \"calm\"), Feel(mood: \"mood\", to: \"angry\"), Feels(\"mood\", \"angry\"), Idle])",
    );
    let tree = tree.expect("a good tree");
    let foe = tree.key::<Entity>("foe").expect("declared");
    let (mut forest, mut log) = (Forest::new(0), Vec::new());
    let tree = forest.add_tree(tree).expect("no shared keys");
    let agent = forest.spawn(&mut log, tree).expect("room");
    forest.tick(&mut log, 0.1).expect("a good dt");
    assert_eq!(forest.agent(agent).expect("here").inspect().to_string(), "Idle");
    assert_eq!(forest.keys(agent).unwrap().get(foe), Entity::NONE);

    let problem = |root: &str| -> (String, Option<String>) {
        let problems: Vec<_> = load(root).err().unwrap_or_default();
        problems.into_iter().next().expect("it is wrong")
    };
    let wrong = ("`what` of `Feels`: no symbol key of this tree has the word `angri`", Some("did you mean `angry`?"));
    let (message, help) = problem("Feels(mood: \"mood\", what: \"angri\")");
    assert_eq!((&*message, help.as_deref()), wrong);
    let (message, help) = problem("Feel(mood: \"mood\", to: \"\")");
    assert_eq!((&*message, help), ("`to` of `Feel`: no symbol key of this tree has the word ``", None));
    let (message, _) = problem("Feel(mood: \"mood\", to: angry)");
    assert_eq!(message, "`to` of `Feel`: expected a word as a string, found `angry`");
    let outside = without_a_tree();
    assert_eq!(outside, "this can only be read as a parameter of a leaf");
}

/// A symbol without a tree has no words to be one of.
fn without_a_tree() -> String {
    use serde::Deserialize;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, StrDeserializer};
    let word: StrDeserializer<'_, Error> = "calm".into_deserializer();
    Symbol::deserialize(word).expect_err("no tree is lent").to_string()
}

#[derive(Clone, Copy, Debug, PartialEq, SymbolEnum)]
enum Mood {
    Calm,
    VeryAngry,
    #[word("so_so")]
    Middling,
}

#[leaf]
fn turn(cx: &mut Cx<'_, '_>, mood: Key<Mood>, to: Mood, times: Key<u32>) -> Status {
    let line = format!("{:?} {}", cx.get(mood), cx.get(times));
    cx.host.push(line);
    cx.set(mood, to);
    cx.set(times, cx.get(times) + 1);
    Status::Success
}

#[test]
fn enums_are_words_and_counts_are_ints() {
    let mut registry = Registry::<Game>::new();
    registry.leaf_fn::<turn>().expect("a good name");
    let load = |words: &str, to: &str| {
        let keys = format!("\"mood\": Symbol(\"calm\", {words}), \"times\": Int(-2)");
        let root = format!("Turn(mood: \"mood\", to: \"{to}\", times: \"times\")");
        load_str("a.ron", &format!("Tree(version: 1, blackboard: {{ {keys} }}, root: {root})"), &registry).map_err(
            |it| {
                let first = &it.diagnostics()[0];
                (first.message().to_owned(), first.help().unwrap_or_default().to_owned())
            },
        )
    };
    let all = r#"["so_so", "calm", "very_angry"]"#;
    let tree = load(all, "very_angry").expect("a good tree");
    let (mood, times) = (tree.key::<Mood>("mood").expect("its words"), tree.key::<u32>("times").expect("an int"));
    let int = tree.key::<i64>("times").expect("an int");
    let word = tree.key::<Symbol>("mood").expect("a symbol");
    let (mut forest, mut log) = (Forest::new(0), Vec::new());
    let id = forest.add_tree(tree).expect("no shared keys");
    let agent = forest.spawn(&mut log, id).expect("room");
    forest.tick(&mut log, 0.1).expect("a good dt");
    forest.tick(&mut log, 0.1).expect("a good dt");
    // Below zero is 0.
    assert_eq!(log, ["Calm 0", "VeryAngry 1"]);
    let keys = forest.keys(agent).unwrap();
    assert_eq!((keys.get(mood), keys.get(times)), (Mood::VeryAngry, 2));
    assert_eq!(forest.keys(agent).unwrap().get(word), Symbol::new("very_angry"));
    assert!(forest.keys_mut(agent).unwrap().set(mood, Mood::Middling));
    assert!(!forest.keys_mut(agent).unwrap().set(mood, Mood::Middling));
    assert!(forest.keys_mut(agent).unwrap().set(int, i64::MAX));
    assert_eq!(forest.keys(agent).unwrap().get(times), u32::MAX);
    forest.keys_mut(agent).unwrap().set(times, u32::MAX);
    assert_eq!(forest.keys(agent).unwrap().get(int), u32::MAX.into());
    let updated = forest
        .population_mut(id)
        .map_err(Into::into)
        .and_then(|mut it| it.update_column(mood, |_, it| if it == Mood::Middling { Mood::Calm } else { it }));
    assert_eq!((updated, forest.keys(agent).unwrap().get(mood)), (Ok(1), Mood::Calm));

    // With other words the old key belongs to another tree, as soon as the agent has such a word.
    let wider = all.replace("so_so", "glad");
    let source = format!("Tree(version: 1, blackboard: {{ \"mood\": Symbol(\"glad\", {wider}) }}, root: Idle)");
    let other = load_str("a.ron", &source, &registry).expect("a good tree");
    assert!(other.key::<Mood>("mood").is_err());
    forest.replace_tree(&mut log, id, other).expect("no shared keys");
    assert_eq!(forest.keys(agent).unwrap().get(word), Symbol::new("glad"));
    assert!(forest.keys(agent).unwrap().try_get(mood).is_none());

    let different =
        "`mood` of `Turn`: the key `mood` and the enum that it is read as have different words: only one has ";
    for (words, word) in
        [(r#"["calm", "so_so"]"#, "`very_angry`"), (r#"["calm", "sad", "so_so", "very_angry"]"#, "`sad`")]
    {
        assert_eq!(load(words, "calm").err(), Some((format!("{different}{word}"), String::new())));
    }
    let (message, help) = load(all, "very_angri").expect_err("no such word");
    assert_eq!((&*message, &*help), ("`to` of `Turn`: unknown value `very_angri`", "did you mean `very_angry`?"));
    let parameters = registry.leaves().next().expect("registered").parameters;
    assert_eq!(parameters.expect("known")[1].ty.to_string(), "one of `calm`, `very_angry`, `so_so`");
}

/// The host is borrowed while keys are read and written, and requests are made.
#[leaf]
fn count_up(cx: &mut Cx<'_, '_>, total: Key<i64>, by: &FloatExpr) -> Status {
    let whole = (cx.agent(), cx.entity(), cx.group(), cx.node(), cx.time(), cx.dt());
    let (log, agent) = cx.split();
    log.clear();
    let part = (agent.agent(), agent.entity(), agent.group(), agent.node(), agent.time(), agent.dt());
    for line in ["a", "b"] {
        log.push(format!("{line} {} {} {}", agent.get(total), by.get(agent), whole == part));
        let line = &mut log[0];
        agent.set(total, agent.get(total) + 1);
        line.push_str(if agent.event("stop").is_some() { "!" } else { "." });
    }
    if agent.event("stop").is_some() {
        agent.stop();
    }
    let last = format!("{}", by.get(cx));
    cx.host.push(last);
    Status::Running
}

#[test]
fn a_context_can_be_split() {
    let mut registry = Registry::<Game>::new();
    registry.leaf_fn::<count_up>().expect("a good name");
    let source = r#"Tree(version: 1, blackboard: { "total": Int(3), "x": Float(0.5) }, events: { "stop": () },
        root: CountUp("total", "x"))"#;
    let (mut forest, mut log) = (Forest::new(0), Vec::new());
    let tree = forest.add_tree(load_str("a.ron", source, &registry).expect("a good tree")).expect("no shared keys");
    let agent = forest.spawn(&mut log, tree).expect("room");
    forest.tick(&mut log, 0.1).expect("a good dt");
    assert_eq!(log, ["a 3 0.5 true..", "b 4 0.5 true", "0.5"]);
    forest.agent_mut(agent).expect("here").send(pleach::Event::new("stop")).expect("here");
    forest.tick(&mut log, 0.1).expect("a good dt");
    assert_eq!(log, ["a 5 0.5 true!!", "b 6 0.5 true", "0.5"]);
    assert_eq!(forest.agent(agent).expect("here").inspect().phase, pleach::Phase::Off);
}

/// A leaf's function can be called like any other.
#[test]
fn a_function_stays_a_function() {
    let mut forest = Forest::<Game>::new(0);
    let node = pleach::nodes::action(|cx| r#loop(cx, 0));
    let tree = pleach::Tree::builder("t").build(node).expect("valid");
    let tree = forest.add_tree(tree).expect("no shared keys");
    let mut log = Vec::new();
    let agent = forest.spawn(&mut log, tree).expect("room");
    forest.tick(&mut log, 0.1).expect("a good dt");
    assert_eq!(forest.agent(agent).expect("here").inspect().last_outcome, Some(pleach::Outcome::Failure));
}

#[derive(Clone, Default)]
struct Steps(u32);
/// Cannot be cloned.
#[derive(Default)]
struct Handle(u32);

struct Counts;
#[leaf]
impl Action<Game> for Counts {
    type State = Steps;
    fn update(&self, steps: &mut Steps, cx: &mut Cx<'_, '_>) -> Status {
        steps.0 += 1;
        cx.host.push(steps.0.to_string());
        Status::Running
    }
}

struct Holds;
#[leaf]
impl Action<Game> for Holds {
    type State = Handle;
    fn update(&self, handle: &mut Handle, _: &mut Cx<'_, '_>) -> Status {
        handle.0 += 1;
        Status::Running
    }
}

#[test]
fn states_that_can_be_cloned_are_kept_in_snapshots() {
    let (mut forest, mut said) = (Forest::<Game>::new(1), Vec::new());
    let tree = forest.add_tree(Tree::builder("counts").build(action_of(Counts)).unwrap()).unwrap();
    forest.spawn(&mut said, tree).unwrap();
    forest.tick(&mut said, 0.1).unwrap();
    let before = forest.snapshot().unwrap();
    forest.tick(&mut said, 0.1).unwrap();
    forest.rollback(&before).unwrap();
    forest.tick(&mut said, 0.1).unwrap();
    assert_eq!(said, ["1", "2", "2"]);

    let held = sequence([action_of(Holds).named("one"), action_of(Holds)]);
    forest.add_tree(Tree::builder("holds").build(held).unwrap()).unwrap();
    let error = forest.snapshot().unwrap_err();
    let expected = "cannot take a snapshot, because the states of some leaves cannot be copied: leaf::Holds in the tree \"holds\"; \
                    let their states derive `Clone`, and put `#[leaf]` on their `impl` (without `#[leaf]` write \
                    `const KEEP: Keep<Self::State> = Keep::cloned();` there)";
    assert_eq!(error.to_string(), expected);
}
