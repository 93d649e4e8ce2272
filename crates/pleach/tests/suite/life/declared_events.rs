//! Declared events: a wrong name is a problem of the tree, and sending an undeclared one is an
//! error (SEMANTICS 8.27).

use crate::support;

use allocation_counter::measure;
use pleach_core::limits::MAX_DRAWN_PROBLEMS;
use pleach_core::nodes::{action, emit, idle, on_event, selector, sequence};
use pleach_core::{
    AgentId, Brain, Event, Forest, Host, Replace, Spawn, Status, Symbol, Tree, TreeBuilder, Type,
    error::{AddTreeError, EventConflict, EventError, Help, ReplaceTreeError, SendError, TreeError},
    nodes::Node,
};
use support::{Cx, Game, World};

fn builder() -> TreeBuilder<Game> {
    let mut builder = Tree::builder("guard");
    builder.event("noise", Type::Vec2);
    builder.event("alarm", None);
    builder.event("hurt", Type::Float);
    builder
}

fn problems(builder: TreeBuilder<Game>, root: Node<Game>) -> Vec<String> {
    let TreeError { problems, .. } = builder.build(root).unwrap_err();
    problems.iter().map(ToString::to_string).collect()
}

/// A tree that logs the events of its ticks.
fn hears(name: &str, declare: impl Fn(&mut TreeBuilder<Game>)) -> Tree<Game> {
    let mut builder = Tree::builder(name);
    declare(&mut builder);
    let listen = action(|cx: &mut Cx<'_, '_>| {
        let heard: Vec<_> = cx.events().map(|it| it.value()).collect();
        cx.host.log.extend(heard.iter().map(|it| format!("{it:?}")));
        Status::Running
    });
    builder.build(listen).unwrap()
}

fn guard(declare: &mut TreeBuilder<Game>) {
    declare.event("noise", Type::Vec2);
    declare.event("alarm", None);
}

#[test]
fn wrong_names_and_payloads_are_problems() {
    let mut tree = builder();
    tree.key("n", 1_i64);
    tree.key("place", [0.0_f32; 2]);
    let root = sequence([
        on_event("nosie"),
        on_event("noise").into_key("n"),
        on_event("noise").into_key("place"),
        on_event("alarm").into_key("n"),
        emit("alrm"),
        emit("zzz"),
        emit("noise"),
        emit("noise").payload("n"),
        emit("alarm").payload("n"),
        emit("hurt").payload("place"),
        emit("hurt").payload("n + 1"),
        emit("noise").payload("place * 2"),
    ]);
    assert_eq!(
        problems(tree, root),
        [
            "Sequence/OnEvent[0]: `event`: unknown event `nosie`: did you mean `noise`?",
            "Sequence/OnEvent[1]: `into`: the event `noise` comes with Vec2, not with Int",
            "Sequence/OnEvent[3]: `into`: the event `alarm` comes with no payload, not with Int",
            "Sequence/Emit[4]: `event`: unknown event `alrm`: did you mean `alarm`?",
            "Sequence/Emit[5]: `event`: unknown event `zzz`: the events are `noise`, `alarm` and `hurt`",
            "Sequence/Emit[6]: `event`: the event `noise` comes with Vec2, not with no payload",
            "Sequence/Emit[7]: `payload`: expected Vec2, found Int",
            "Sequence/Emit[8]: `payload`: the event `alarm` comes with no payload, not with Int",
            "Sequence/Emit[9]: `payload`: expected Float, found Vec2",
        ]
    );
}

/// Looking for a similar name costs a comparison with every event.
#[test]
fn nothing_is_suggested_where_nobody_reads_it() {
    let wrong = (0..MAX_DRAWN_PROBLEMS + 5).map(|_| on_event("nosie"));
    let TreeError { problems, .. } = builder().build(sequence(wrong)).unwrap_err();
    let helps: Vec<bool> = problems.into_iter().map(|mut it| it.kind.take_help().is_some()).collect();
    assert!(helps[..MAX_DRAWN_PROBLEMS].iter().all(|it| *it) && !helps[MAX_DRAWN_PROBLEMS + 4]);
}

#[test]
fn wrong_declarations_are_problems() {
    let mut tree = builder();
    tree.event("noise", Type::Vec2);
    tree.event("", None);
    tree.event(&"x".repeat(300), None);
    tree.host_event("alarm", None);
    tree.host_event("hurt", Type::Int);
    tree.host_event("seen", Type::Entity);
    tree.event("seen", Type::Entity);
    tree.event("seen", None);
    let found = problems(tree, idle());
    assert_eq!(found[0], "event `noise`: the event `noise` is declared twice");
    assert_eq!(found[1], "event ``: \"\" cannot be the name of an event: it must have 1 to 256 bytes");
    assert!(found[2].ends_with("cannot be the name of an event: it must have 1 to 256 bytes"), "{}", found[2]);
    let told = "event `hurt`: the event `hurt` comes with Float in this tree, and with Int in the declarations of the host: declare it the same way, or only there";
    assert_eq!(found[3], told);
    let told = "event `seen`: the event `seen` comes with no payload in this tree, and with Entity in the declarations of the host: declare it the same way, or only there";
    assert_eq!((&*found[4], found.len()), (told, 5));
}

#[test]
fn there_are_so_many_at_most() {
    let mut tree = Tree::<Game>::builder("t");
    for at in 0..=pleach_core::limits::MAX_EVENTS {
        tree.event(&format!("e{at}"), None);
    }
    assert_eq!(problems(tree, idle()), ["event `e4096`: more than 4096 events"]);
}

#[test]
fn a_tree_knows_any_event_until_one_is_declared() {
    let tree = Tree::<Game>::builder("t").build(on_event("any")).unwrap();
    assert!(!tree.schema().has_only_declared_events());
    assert_eq!(tree.check_event(&Event::new("other").with(1_i64)), Ok(()));
    let mut tree = Tree::<Game>::builder("t");
    tree.host_event("noise", Type::Vec2);
    assert_eq!(problems(tree, on_event("any")), ["OnEvent: `event`: unknown event `any`: the only event is `noise`"]);
    let mut tree = Tree::<Game>::builder("t");
    tree.strict_events(true);
    assert_eq!(problems(tree, on_event("any")), ["OnEvent: `event`: unknown event `any`: there are no events"]);
    // Declared payloads still bind.
    let mut tree = builder();
    tree.strict_events(false);
    let tree = tree.build(on_event("any")).unwrap();
    assert_eq!(tree.check_event(&Event::new("other").with(1_i64)), Ok(()));
    assert!(tree.check_event(&Event::new("noise").with(1_i64)).is_err());
    let declared: Vec<_> = tree.schema().events().map(|it| (it.name(), it.payload(), it.is_of_host())).collect();
    assert_eq!(
        declared,
        [("noise", Some(Type::Vec2), false), ("alarm", None, false), ("hurt", Some(Type::Float), false)]
    );
}

#[test]
fn what_is_sent_is_checked() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let id = forest.add_tree(hears("guard", guard)).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    let off = forest.spawn_with(&mut world, id, Spawn { enabled: false, ..Spawn::default() }).unwrap();
    let mut own = World::default();
    let mut brain = Brain::<Game>::new(&mut own, hears("guard", guard), 0);
    let refused = |error| Err(SendError::Refused { tree: "guard".into(), error, sender: None });
    let payload = |declared, found| {
        let name = if declared == Some(Type::Vec2) { "noise" } else { "alarm" };
        refused(EventError::Payload { name: name.into(), declared, found })
    };
    let unknown = |name: &str, help| refused(EventError::Unknown { name: name.into(), help: Some(help) });
    let all = || Help::Events(vec!["noise".into(), "alarm".into()], 0);
    let cases = [
        (Event::new("noise").with([1.0_f32, 2.0]), Ok(())),
        (Event::new("alarm"), Ok(())),
        (Event::named(Symbol::new("alarm")), Ok(())),
        (Event::new("noise"), payload(Some(Type::Vec2), None)),
        (Event::new("noise").with(1_i64), payload(Some(Type::Vec2), Some(Type::Int))),
        (Event::new("alarm").with(true), payload(None, Some(Type::Bool))),
        (Event::new("nosie"), unknown("nosie", Help::Meant("noise".into()))),
        (Event::new("zzz"), unknown("zzz", all())),
        (Event::named(Symbol::new("nosie")), unknown(&format!("{:?}", Symbol::new("nosie")), all())),
    ];
    for (event, expected) in cases {
        assert_eq!(forest.agent_mut(agent).unwrap().send(event), expected);
        assert_eq!(forest.agent_mut(off).unwrap().send(event), expected, "off or not");
        assert_eq!(brain.send(event), expected);
    }
    forest.tick(&mut world, 0.1).unwrap();
    brain.tick(&mut own, 0.1).unwrap();
    assert_eq!(world.take(), ["Some(Vec2([1.0, 2.0]))", "None", "None"], "nothing else was heard");
    assert_eq!(own.take().len(), 3);
    let told = forest
        .agent_mut(agent)
        .map_err(Into::into)
        .and_then(|mut it| it.send(Event::new("nosie")))
        .unwrap_err()
        .to_string();
    assert_eq!(told, "in the tree `guard`: unknown event `nosie`: did you mean `noise`?");
    assert!(matches!(
        forest.agent_mut(AgentId::default()).map_err(Into::into).and_then(|mut it| it.send(Event::new("nosie"))),
        Err(SendError::Stale(_))
    ));
}

#[test]
fn a_broadcast_reaches_those_that_know_it() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    assert_eq!(forest.broadcast(Event::new("nobody")), Ok(()), "there is no tree");
    let one = forest.add_tree(hears("guard", guard)).unwrap();
    let other = forest.add_tree(hears("rabbit", |it| it.event("carrot", None))).unwrap();
    forest.spawn(&mut world, one).unwrap();
    forest.spawn(&mut world, other).unwrap();
    assert_eq!(forest.broadcast(Event::new("carrot")), Ok(()));
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["None"]);
    let wrong = forest.broadcast(Event::new("noise")).unwrap_err();
    assert_eq!(wrong.to_string(), "the event `noise` comes with Vec2, not with no payload");
    let wrong = forest.broadcast(Event::new("carot")).unwrap_err();
    assert_eq!(wrong.to_string(), "unknown event `carot`: did you mean `carrot`?");
    let wrong = forest.broadcast(Event::new("zzz")).unwrap_err();
    assert_eq!(wrong.to_string(), "unknown event `zzz`: the events are `noise`, `alarm` and `carrot`");
    forest.tick(&mut world, 0.1).unwrap();
    assert!(world.take().is_empty());
    // A tree that knows any event hears what no other does.
    let id = forest.add_tree(hears("cat", |_| {})).unwrap();
    forest.spawn(&mut world, id).unwrap();
    assert_eq!(forest.broadcast(Event::new("zzz")), Ok(()));
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["None"]);
}

#[test]
fn a_group_hears_what_a_member_knows() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let guards = forest.add_tree(hears("guard", guard)).unwrap();
    let rabbits = forest.add_tree(hears("rabbit", |it| it.event("carrot", None))).unwrap();
    let group = forest.new_group();
    assert_eq!(forest.group_mut(group).unwrap().send(Event::new("zzz")), Ok(()), "it has no members");
    for tree in [guards, guards, rabbits] {
        let spawn = Spawn { group: Some(group), ..Spawn::default() };
        forest.spawn_with(&mut world, tree, spawn).unwrap();
    }
    assert_eq!(forest.group_mut(group).unwrap().send(Event::new("alarm")), Ok(()));
    assert_eq!(forest.group_mut(group).unwrap().send(Event::new("carrot")), Ok(()));
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take().len(), 3);
    let told = forest
        .group_mut(group)
        .map_err(Into::into)
        .and_then(|mut it| it.send(Event::new("alrm")))
        .unwrap_err()
        .to_string();
    assert_eq!(told, "in the tree `guard`: unknown event `alrm`: did you mean `alarm`?");
    let told = forest
        .group_mut(group)
        .map_err(Into::into)
        .and_then(|mut it| it.send(Event::new("carrot").with(1_i64)))
        .unwrap_err()
        .to_string();
    assert_eq!(told, "in the tree `rabbit`: the event `carrot` comes with no payload, not with Int");
    forest.tick(&mut world, 0.1).unwrap();
    assert!(world.take().is_empty());
}

/// Requests of leaves send within a tick, which allocates nothing.
#[test]
fn an_event_that_some_do_not_know_costs_them_nothing() {
    let quiet = |name: &str, event: &str| {
        let mut builder = Tree::<Game>::builder(name);
        builder.event(event, None);
        builder.build(idle()).unwrap()
    };
    let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
    let guards = forest.add_tree(quiet("guard", "alarm")).unwrap();
    let rabbits = forest.add_tree(quiet("rabbit", "carrot")).unwrap();
    let group = forest.new_group();
    for tree in [rabbits, guards, rabbits] {
        let spawn = Spawn { group: Some(group), ..Spawn::default() };
        forest.spawn_with(&mut world, tree, spawn).unwrap();
    }
    let mut play = || {
        forest.group_mut(group).unwrap().send(Event::new("alarm")).unwrap();
        forest.broadcast(Event::new("carrot")).unwrap();
        forest.tick(&mut world, 0.1).unwrap();
    };
    (0..3).for_each(|_| play());
    assert_eq!(measure(play).count_total, 0);
}

#[test]
fn trees_of_a_forest_agree() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let first = forest.add_tree(hears("guard", guard)).unwrap();
    let second = forest.add_tree(hears("other guard", guard)).unwrap();
    let differs = || hears("rabbit", |it| it.event("noise", None));
    let conflict = EventConflict {
        event: "noise".into(),
        trees: ["rabbit".into(), "guard".into()],
        payloads: [None, Some(Type::Vec2)],
    };
    assert_eq!(
        conflict.to_string(),
        "the event `noise` comes with no payload in the tree `rabbit`, and with Vec2 in the tree `guard`: all trees of a forest must declare it in the same way"
    );
    assert_eq!(forest.add_tree(differs()), Err(AddTreeError::Event(conflict.clone())));
    let conflict = EventConflict { trees: ["rabbit".into(), "other guard".into()], ..conflict };
    let refused = Err(ReplaceTreeError::Event(conflict));
    assert_eq!(forest.replace_tree(&mut world, first, Replace::restart(differs())), refused);
    assert_eq!(forest.trees().count(), 2);
    // The only tree that declares it may change it.
    forest.remove_tree(&mut world, second).unwrap();
    forest.replace_tree(&mut world, first, Replace::restart(differs())).unwrap();
    assert!(forest.add_tree(hears("guard", guard)).is_err());
    forest.remove_tree(&mut world, first).unwrap();
    let again = forest.add_tree(hears("guard", guard)).unwrap();
    // A tree that is refused for its keys leaves nothing behind.
    let keyed = |default: bool, event| {
        let mut builder = Tree::<Game>::builder("keyed");
        builder.key_in(pleach_core::schema::Scope::Global, "alarm", default);
        builder.event(event, None);
        builder.build(idle()).unwrap()
    };
    forest.add_tree(keyed(true, "a")).unwrap();
    assert!(matches!(forest.add_tree(keyed(false, "b")), Err(AddTreeError::Shared(_))));
    forest.add_tree(hears("b", |it| it.event("b", Type::Int))).unwrap();
    forest.remove_tree(&mut world, again).unwrap();
}

/// A host that is notified of refused events.
struct RefusalListener;

impl Host for RefusalListener {
    type Cx<'a> = Vec<String>;
    fn on_refused(cx: &mut Vec<String>, agent: AgentId, event: Event, error: &SendError) {
        cx.push(format!("{agent:?} {:?} {error}", event.value()));
    }
}

fn sender<H: Host>() -> Tree<H> {
    let mut builder = Tree::builder("sender");
    builder.event("noise", Type::Int);
    let send = action(|cx: &mut pleach_core::Context<'_, '_, H>| {
        let me = cx.agent();
        cx.send(me, Event::new("nosie").with(1_i64));
        cx.send(me, Event::new("noise").with(2_i64));
        Status::Success
    });
    let heard = sequence([on_event("noise"), idle()]);
    builder.build(selector([heard, sequence([send, idle()])])).unwrap()
}

#[test]
fn the_host_is_told_of_what_leaves_send_in_vain() {
    let mut told = Vec::new();
    let mut forest = Forest::<RefusalListener>::new(0);
    let id = forest.add_tree(sender()).unwrap();
    let agent = forest.spawn(&mut told, id).unwrap();
    forest.tick(&mut told, 0.1).unwrap();
    let line = format!("{agent:?} Some(Int(1)) in the tree `sender`: unknown event `nosie`: did you mean `noise`?");
    assert_eq!(told, [line]);
    assert_eq!(forest.agent(agent).unwrap().inspect().mail.len(), 1, "the other is on its way");
    let mut lines = Vec::new();
    let mut brain = Brain::<RefusalListener>::new(&mut lines, sender(), 0);
    brain.tick(&mut lines, 0.1).unwrap();
    assert_eq!((lines.len(), brain.inspect().unwrap().mail.len()), (1, 1));
}

/// The message of its panic.
fn panic_of(call: impl FnOnce()) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).expect_err("it panics");
    panic.downcast_ref::<String>().cloned().expect("a text")
}

#[test]
fn a_host_that_says_nothing_of_it_panics() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let id = forest.add_tree(sender()).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    let told = panic_of(|| {
        let _unreached = forest.tick(&mut world, 0.1);
    });
    assert_eq!(
        told,
        format!(
            "n5 Action of {agent:?}, of the tree `sender`, sent an event that is refused: in the tree `sender`: unknown \
             event `nosie`: did you mean `noise`?"
        )
    );
    // The agent carries on, and so do the later requests.
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(forest.agent(agent).unwrap().inspect().mail.len(), 1);
}

#[test]
fn leaves_ask_for_and_emit_what_is_declared() {
    fn of(leaf: impl Fn(&mut Cx<'_, '_>) + Send + Sync + 'static) -> impl FnOnce() {
        move || {
            let mut builder = builder();
            builder.key("n", 1_i64);
            let leaf = action(move |cx: &mut Cx<'_, '_>| {
                leaf(cx);
                Status::Success
            });
            let mut world = World::default();
            let mut brain = Brain::<Game>::new(&mut world, builder.build(leaf).unwrap(), 0);
            brain.tick(&mut world, 0.1).unwrap();
        }
    }
    let asks = of(|cx| assert!(cx.event("alram").is_none()));
    assert_eq!(panic_of(asks), "unknown event `alram`: did you mean `alarm`?");
    let emits = of(|cx| cx.emit(Event::new("noise").with(1_i64)));
    assert_eq!(panic_of(emits), "the event `noise` comes with Vec2, not with Int");
    of(|cx| {
        assert!(cx.event("alarm").is_none());
        cx.emit(Event::new("alarm"));
    })();
}
