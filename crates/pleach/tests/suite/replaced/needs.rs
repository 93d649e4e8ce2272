//! Keys that the game relies on: a version of the tree that lacks one is refused, so that they
//! always work.

use pleach_core::error::{BindError, KeyProblemKind, KeysError, ReplaceTreeError};
use pleach_core::expr::KeyIndex;
use pleach_core::names::Help;
use pleach_core::nodes::{Abort, check, idle, selector, sequence, switch};
use pleach_core::schema::{Access, KeyDefault, KeyFinder, KeyNeed, NeededWords, Scope};
use pleach_core::{AgentId, Brain, Forest, Key, KeySet, NodeId, Symbol, SymbolEnum, Tree, TreeBuilder, Type, Value};

use crate::support::{Game, World};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Range {
    Near,
    Far,
}

impl SymbolEnum for Range {
    const ALL: &'static [Self] = &[Range::Near, Range::Far];
    const WORDS: &'static [&'static str] = &["near", "far"];
    const SYMBOLS: &'static [Symbol] = &[Symbol::new("near"), Symbol::new("far")];
    fn symbol(self) -> Symbol {
        Self::SYMBOLS[self as usize]
    }
}

/// What the game relies on: a key of each scope, one of words, one that a tree may do without.
#[derive(Clone, Copy, Debug)]
struct GuardKeys {
    sees: Key<bool>,
    range: Key<Range>,
    plan: Key<i64>,
    alarm: Key<bool>,
    nerve: Option<Key<f32>>,
}

impl KeySet for GuardKeys {
    fn find(keys: &mut KeyFinder<'_>) -> Option<Self> {
        let sees = keys.key("sees", Scope::Agent, Some(Access::Write), "whether it sees anybody");
        let range = keys.key("range", Scope::Agent, Some(Access::ReadWrite), "");
        let plan = keys.key("plan", Scope::Group, None, "");
        let alarm = keys.key("alarm", Scope::Global, None, "");
        let nerve = keys.key("nerve", Scope::Agent, Some(Access::Read), "");
        Some(GuardKeys { sees: sees?, range: range?, plan: plan?, alarm: alarm?, nerve: nerve? })
    }
}

/// The word of a symbol key, and all of them.
fn words(all: &[&str]) -> KeyDefault {
    KeyDefault::Symbol(all[0].into(), all.iter().map(|it| (*it).into()).collect())
}

type Decl = (Scope, &'static str, KeyDefault);

fn decls() -> Vec<Decl> {
    vec![
        (Scope::Agent, "sees", false.into()),
        (Scope::Agent, "range", words(&["near", "far"])),
        (Scope::Agent, "nerve", 0.5_f32.into()),
        (Scope::Group, "plan", 1_i64.into()),
        (Scope::Global, "alarm", false.into()),
    ]
}

fn tree_of(decls: &[Decl]) -> Tree<Game> {
    let mut builder = Tree::builder("guard");
    for (scope, name, default) in decls {
        builder.declare(*scope, name, default.clone());
    }
    builder.build(idle()).unwrap()
}

/// The same with one declaration changed, or left out.
fn but(name: &str, by: Option<Decl>) -> Tree<Game> {
    let mut all = decls();
    let at = all.iter().position(|it| it.1 == name).unwrap();
    all.remove(at);
    all.extend(by);
    tree_of(&all)
}

fn forest() -> (Forest<Game>, pleach_core::TreeId, AgentId, World) {
    let (mut forest, mut world) = (Forest::new(1), World::default());
    let tree = forest.add_tree(tree_of(&decls())).unwrap();
    let agent = forest.spawn(&mut world, tree).unwrap();
    (forest, tree, agent, world)
}

/// Writes every key, and so panics if one is gone.
fn write(forest: &mut Forest<Game>, agent: AgentId, keys: GuardKeys, on: bool) {
    let range = if on { Range::Far } else { Range::Near };
    let mut it = forest.keys_mut(agent).unwrap();
    assert!(it.set(keys.sees, on));
    assert!(it.set(keys.range, range));
    assert!(it.set(keys.plan, if on { 7 } else { 8 }));
    assert!(it.set(keys.alarm, on));
    assert!(it.set(keys.nerve.unwrap(), if on { 0.25 } else { 0.75 }));
    assert_eq!(it.get(keys.range), range);
    assert!(it.reset(keys.plan));
    assert!(!forest.globals_mut().set(keys.alarm, on), "it is the same key");
}

fn kinds(error: ReplaceTreeError) -> Vec<(String, KeyProblemKind)> {
    let ReplaceTreeError::Keys(errors) = error else { panic!("{error}") };
    errors.into_iter().flat_map(|it| it.problems).map(|it| (it.need.name, it.kind)).collect()
}

#[test]
fn a_version_that_renames_a_key_of_the_game_is_refused_and_the_key_works_on() {
    let (mut forest, tree, agent, mut world) = forest();
    let keys: GuardKeys = forest.bind(tree).unwrap();
    let renamed = but("sees", Some((Scope::Agent, "seen", false.into())));
    let error = forest.replace_tree(&mut world, tree, renamed).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the tree `guard`: the game relies on the agent key `sees` of type Bool, which this tree does not declare; \
         did you mean `seen`?"
    );
    write(&mut forest, agent, keys, true);
    assert!(forest.tree(tree).unwrap().schema().key::<bool>("sees").is_ok(), "the old tree runs on");
}

#[test]
fn keys_of_the_game_work_after_every_version_that_has_them() {
    let (mut forest, tree, agent, mut world) = forest();
    let keys: GuardKeys = forest.bind(tree).unwrap();
    let mut all = decls();
    for round in 0..4 {
        // Others come before them, and they change places among each other.
        all.rotate_left(1);
        all.insert(0, (Scope::Agent, ["a", "b", "c", "d"][round], 1.0_f32.into()));
        forest.replace_tree(&mut world, tree, tree_of(&all)).unwrap();
        write(&mut forest, agent, keys, round % 2 == 0);
        let column = forest.population_mut(tree).unwrap().update_column(keys.nerve.unwrap(), |_, it| it + 1.0);
        assert_eq!(column, Ok(1));
    }
}

#[test]
fn all_that_is_wrong_with_the_keys_is_told_at_once() {
    let (mut forest, tree, agent, mut world) = forest();
    let keys: GuardKeys = forest.bind(tree).unwrap();
    let wrong = [
        (Scope::Global, "sees", false.into()),
        (Scope::Agent, "range", words(&["near", "far", "touch"])),
        (Scope::Group, "plan", 1.0_f32.into()),
        (Scope::Agent, "nerve", 0.5_f32.into()),
    ];
    let error = forest.replace_tree(&mut world, tree, tree_of(&wrong)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the tree `guard` does not have the keys that the game relies on:\n  \
         the game relies on the agent key `sees`, which is a global key in this tree\n  \
         the agent key `range` has the word `touch`, which the game does not know\n  \
         the game relies on the group key `plan` of type Int, which is Float in this tree\n  \
         the game relies on the global key `alarm` of type Bool, which this tree does not declare; \
         the only key is `sees`"
    );
    let expected = [
        ("sees", KeyProblemKind::Scope(Scope::Global)),
        ("range", KeyProblemKind::WordUnknown("touch".into())),
        ("plan", KeyProblemKind::Type(Type::Float)),
        ("alarm", KeyProblemKind::Missing(Some(Help::Keys(vec!["sees".into()], 0)))),
    ];
    assert_eq!(kinds(error), expected.map(|(name, kind)| (name.to_owned(), kind)));
    write(&mut forest, agent, keys, true);
}

#[test]
fn a_version_that_lacks_a_word_of_the_game_is_refused() {
    let (mut forest, tree, agent, mut world) = forest();
    let keys: GuardKeys = forest.bind(tree).unwrap();
    let fewer = but("range", Some((Scope::Agent, "range", words(&["near"]))));
    let error = forest.replace_tree(&mut world, tree, fewer).unwrap_err();
    assert_eq!(kinds(error), [("range".to_owned(), KeyProblemKind::WordMissing("far".into()))]);
    write(&mut forest, agent, keys, true);
}

/// One key, of any words.
struct AnyWords(Key<Symbol>);

impl KeySet for AnyWords {
    fn find(keys: &mut KeyFinder<'_>) -> Option<Self> {
        keys.key("range", Scope::Agent, None, "").map(AnyWords)
    }
}

#[test]
fn words_that_a_key_had_when_it_was_bound_as_a_symbol_stay() {
    let (mut forest, tree, agent, mut world) = forest();
    let AnyWords(range) = forest.bind(tree).unwrap();
    let fewer = but("range", Some((Scope::Agent, "range", words(&["near"]))));
    let error = forest.replace_tree(&mut world, tree, fewer).unwrap_err();
    assert_eq!(kinds(error), [("range".to_owned(), KeyProblemKind::WordMissing("far".into()))]);
    let more = but("range", Some((Scope::Agent, "range", words(&["touch", "far", "near"]))));
    forest.replace_tree(&mut world, tree, more).unwrap();
    assert!(forest.keys_mut(agent).unwrap().set(range, Symbol::new("far")));
}

#[test]
fn an_optional_key_may_be_missing_but_not_go_once_it_is_bound() {
    let (mut forest, tree, agent, mut world) = forest();
    let without = || but("nerve", None);
    let lacking = forest.add_tree(without()).unwrap();
    assert!(forest.bind::<GuardKeys>(lacking).unwrap().nerve.is_none());
    let keys: GuardKeys = forest.bind(tree).unwrap();
    let error = forest.replace_tree(&mut world, tree, without()).unwrap_err();
    assert!(matches!(&kinds(error)[..], [(name, KeyProblemKind::Missing(_))] if name == "nerve"));
    write(&mut forest, agent, keys, true);

    // A key that is added later is found by binding again, and must stay after that.
    forest.replace_tree(&mut world, lacking, tree_of(&decls())).unwrap();
    forest.replace_tree(&mut world, lacking, without()).unwrap();
    forest.replace_tree(&mut world, lacking, tree_of(&decls())).unwrap();
    assert!(forest.bind::<GuardKeys>(lacking).unwrap().nerve.is_some());
    forest.replace_tree(&mut world, lacking, without()).unwrap_err();
}

#[test]
fn an_optional_key_of_another_type_is_a_problem_and_of_another_scope_another_key() {
    let (mut forest, mut world) = (Forest::<Game>::new(1), World::default());
    let of_group = forest.add_tree(but("nerve", Some((Scope::Group, "nerve", 0.5_f32.into())))).unwrap();
    assert!(forest.bind::<GuardKeys>(of_group).unwrap().nerve.is_none());
    let tree = forest.add_tree(but("nerve", Some((Scope::Agent, "nerve", 1_i64.into())))).unwrap();
    let Err(BindError::Keys(KeysError { problems, .. })) = forest.bind::<GuardKeys>(tree) else { panic!() };
    assert_eq!(problems.into_iter().map(|it| it.kind).collect::<Vec<_>>(), [KeyProblemKind::Type(Type::Int)]);

    // Once it is bound, it may not change its scope.
    forest.replace_tree(&mut world, tree, tree_of(&decls())).unwrap();
    _ = forest.bind::<GuardKeys>(tree).unwrap();
    let moved = but("nerve", Some((Scope::Group, "nerve", 0.5_f32.into())));
    let error = forest.replace_tree(&mut world, tree, moved).unwrap_err();
    assert_eq!(kinds(error), [("nerve".to_owned(), KeyProblemKind::Scope(Scope::Group))]);
    forest.remove_tree(&mut world, tree).unwrap();
    assert!(matches!(forest.bind::<GuardKeys>(tree), Err(BindError::Stale(_))), "the tree is gone");
    assert!(forest.key_needs(tree).is_err());
}

#[test]
fn of_trees_that_come_together_none_is_replaced_if_one_lacks_a_key() {
    let (mut forest, tree, agent, mut world) = forest();
    let other = forest.add_tree(tree_of(&decls())).unwrap();
    let keys: GuardKeys = forest.bind(tree).unwrap();
    _ = forest.bind::<GuardKeys>(other).unwrap();
    let more = |lacks: &str| {
        let mut all = decls();
        all.retain(|it| it.1 != lacks);
        all.push((Scope::Agent, "more", 1_i64.into()));
        tree_of(&all)
    };
    let trees = [(tree, more("")), (other, more("sees"))];
    assert_eq!(kinds(forest.replace_trees(&mut world, trees).unwrap_err()).len(), 1);
    assert!(forest.tree(tree).unwrap().schema().keys().all(|it| it.name() != "more"));
    let trees = [(tree, more("sees")), (other, more("range"))];
    assert_eq!(kinds(forest.replace_trees(&mut world, trees).unwrap_err()).len(), 2, "those of both are told");
    forest.replace_trees(&mut world, [(tree, more("")), (other, more(""))]).unwrap();
    write(&mut forest, agent, keys, true);
}

/// A set that fails for a reason that pleach does not know.
struct GivesUp;

impl KeySet for GivesUp {
    fn find(keys: &mut KeyFinder<'_>) -> Option<Self> {
        let sees: Option<Key<bool>> = keys.key("sees", Scope::Agent, None, "");
        sees.and(None)
    }
}

#[test]
fn a_set_that_is_not_made_though_all_its_keys_are_there_says_that() {
    assert_eq!(
        tree_of(&decls()).bind::<GivesUp>().err().unwrap().to_string(),
        "`KeySet::find` returned `None`, though the tree `guard` has every key that it asked for"
    );
}

#[test]
fn a_key_that_is_an_agent_key_in_the_tree_is_told_in_good_english() {
    let moved = but("plan", Some((Scope::Agent, "plan", 1_i64.into())));
    assert_eq!(
        moved.bind::<GuardKeys>().unwrap_err().to_string(),
        "the tree `guard`: the game relies on the group key `plan`, which is an agent key in this tree"
    );
}

#[test]
fn what_is_bound_twice_is_needed_once_and_is_what_the_set_says() {
    let (mut forest, tree, ..) = forest();
    for _ in 0..3 {
        _ = forest.bind::<GuardKeys>(tree).unwrap();
    }
    let needs = forest.key_needs(tree).unwrap();
    let names: Vec<_> = needs.iter().map(|it| (&*it.name, it.scope, it.ty, it.access)).collect();
    let expected = [
        ("sees", Scope::Agent, Type::Bool, Some(Access::Write)),
        ("range", Scope::Agent, Type::Symbol, Some(Access::ReadWrite)),
        ("plan", Scope::Group, Type::Int, None),
        ("alarm", Scope::Global, Type::Bool, None),
        ("nerve", Scope::Agent, Type::Float, Some(Access::Read)),
    ];
    assert_eq!(names, expected);
    let of_set = GuardKeys::needs();
    assert_eq!(of_set[0].doc, "whether it sees anybody");
    assert_eq!(of_set[1].words, NeededWords::Exactly(vec!["near".into(), "far".into()]));
    assert!(of_set[4].optional && !needs[4].optional);
}

#[test]
fn a_brain_refuses_versions_without_a_key_of_the_game() {
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, tree_of(&decls()), 1);
    let keys: GuardKeys = brain.bind().unwrap();
    let error = brain.replace_tree(&mut world, but("sees", None)).unwrap_err();
    assert!(error.to_string().contains("the agent key `sees`"), "{error}");
    assert_eq!(brain.key_needs().len(), 5);
    let mut all = decls();
    all.reverse();
    all.insert(0, (Scope::Agent, "first", true.into()));
    brain.replace_tree(&mut world, tree_of(&all)).unwrap();
    assert!(brain.keys_mut().set(keys.sees, true) && brain.keys_mut().set(keys.plan, 3));
    assert!(brain.keys_mut().set(keys.alarm, true) && brain.keys().get(keys.alarm));
    // A brain without shared keys gets some.
    let mut brain = Brain::new(&mut world, tree_of(&decls()[1..3]), 1);
    let AnyWords(range) = brain.bind().unwrap();
    brain.replace_tree(&mut world, tree_of(&all)).unwrap();
    assert!(brain.keys_mut().set(range, Symbol::new("far")));
    assert_eq!(brain.keys_mut().set_value("group.plan", Value::Int(9)), Ok(true));
    assert!(brain.bind::<GuardKeys>().is_ok());
}

/// Keys that nothing can have.
struct Nowhere;

impl KeySet for Nowhere {
    fn find(keys: &mut KeyFinder<'_>) -> Option<Self> {
        let of_node: Option<Key<bool>> = keys.key("own", Scope::Node, None, "");
        let scoped: Option<Key<bool>> = keys.key("global.alarm", Scope::Global, None, "");
        of_node.and(scoped).map(|_| Nowhere)
    }
}

#[test]
fn keys_of_nodes_and_names_with_a_scope_are_never_found() {
    let tree = tree_of(&decls());
    let error = tree.bind::<Nowhere>().err().unwrap();
    let missing = error.problems.iter().map(|it| matches!(it.kind, KeyProblemKind::Missing(_)));
    assert_eq!(missing.collect::<Vec<_>>(), [true, true], "{error}");
}

/// A tree that reads all keys, built to have these.
fn reading(needs: Vec<KeyNeed>) -> Tree<Game> {
    let mut builder = Tree::builder("guard");
    decls().into_iter().for_each(|(scope, name, default)| _ = builder.declare(scope, name, default));
    builder.require(needs);
    let fight = sequence([check("sees && nerve > 0.1"), idle()]).aborts(Abort::LOWER_PRIORITY);
    let help = sequence([check("global.alarm && group.plan > 0"), idle()]).aborts(Abort::LOWER_PRIORITY);
    let stand = switch("range", [("far", idle()), ("near", idle())]);
    builder.build(selector([fight, help, stand])).unwrap()
}

#[test]
fn an_explanation_says_which_keys_the_game_writes_however_it_said_so() {
    const BOUND: &str = "\
guard, 0.250 s, asleep
  does     n0 Selector > n7 Switch(range: far, near) > n9 Idle
  watches  n2 Check(sees && nerve > 0.1): was failure, is failure (sees = false, written by the game; nerve = 0.5)
  watches  n5 Check(global.alarm && group.plan > 0): was failure, is failure (group.plan = 1, global.alarm = false)
  selects  n7 Switch(range: far, near) (range = near, written by the game)";
    let unsaid = BOUND.replace(", written by the game", "").replace("; ", ", ");
    let explained = |tree: Tree<Game>, bind: bool| {
        let (mut forest, mut world) = (Forest::new(1), World::default());
        let tree = forest.add_tree(tree).unwrap();
        if bind {
            _ = forest.bind::<GuardKeys>(tree).unwrap();
        }
        let agent = forest.spawn(&mut world, tree).unwrap();
        forest.tick(&mut world, 0.25).unwrap();
        let agent = forest.agent(agent).unwrap();
        assert_eq!(
            agent.why_not(NodeId::new(1).unwrap()).unwrap().to_string().contains("(sees = false, written by the game;"),
            agent.explain().to_string() == BOUND
        );
        agent.explain().to_string()
    };
    assert_eq!(explained(reading(Vec::new()), false), unsaid, "as without declared keys");
    assert_eq!(explained(reading(Vec::new()), true), BOUND);
    assert_eq!(explained(reading(GuardKeys::needs()), false), BOUND);
    assert_eq!(explained(reading(GuardKeys::needs()), true), BOUND);

    let mut world = World::default();
    let mut brain = Brain::new(&mut world, reading(Vec::new()), 1);
    brain.tick(&mut world, 0.25).unwrap();
    assert_eq!(brain.explain().unwrap().to_string(), unsaid);
    _ = brain.bind::<GuardKeys>().unwrap();
    assert_eq!(brain.explain().unwrap().to_string(), BOUND);
}

#[test]
fn the_use_of_a_key_is_put_together_from_all_who_say_something_of_it() {
    let need = |name: &str, scope, ty, access, doc: &str| {
        let mut need = KeyNeed::new(name, scope, ty);
        (need.access, need.doc) = (access, doc.to_owned());
        need.optional = true;
        need
    };
    let used = |needs: Vec<KeyNeed>| {
        let tree = reading(needs);
        let uses = (0..5).map(|at| tree.key_use(KeyIndex::new(at).unwrap()));
        uses.map(|it| it.map_or(String::new(), |it| format!("{it}: {}", it.doc))).collect::<Vec<_>>()
    };
    let none = String::new;
    let sees = |access, doc| need("sees", Scope::Agent, Type::Bool, access, doc);
    assert_eq!(used(vec![]), [none(), none(), none(), none(), none()]);
    assert_eq!(used(vec![sees(None, "")])[0], "used by the game: ");
    assert_eq!(used(vec![sees(None, ""), sees(Some(Access::Read), "sight")])[0], "read by the game: sight");
    let both = vec![sees(Some(Access::Write), "eyes"), sees(Some(Access::Read), "sight"), sees(None, "")];
    assert_eq!(used(both)[0], "read and written by the game: eyes");
    assert_eq!(used(vec![sees(Some(Access::Write), ""), sees(Some(Access::Write), "")])[0], "written by the game: ");
    // In another scope it is another key, which this tree does without.
    let group = need("sees", Scope::Group, Type::Bool, Some(Access::Write), "");
    let plan = need("plan", Scope::Group, Type::Int, Some(Access::Write), "");
    assert_eq!(used(vec![group, plan]), [none(), none(), none(), "written by the game: ".into(), none()]);
}

#[test]
fn a_builder_reports_the_keys_that_it_lacks_with_all_else_that_is_wrong() {
    let mut builder: TreeBuilder<Game> = Tree::builder("guard");
    builder.require(GuardKeys::needs());
    builder.key("bad name", 1.0_f32);
    builder.key("sees", 1_i64);
    let problems = builder.build(idle()).unwrap_err().to_string();
    for part in ["`bad name` cannot be", "`sees` of type Bool, which is Int", "`plan`", "`alarm`", "`range`"] {
        assert!(problems.contains(part), "{part}: {problems}");
    }
    assert!(!problems.contains("nerve"), "{problems}");
}

#[test]
fn keys_of_one_hash_cannot_be_relied_on() {
    // Among ten thousand or so names, two share a hash of thirty bits.
    let name = |at: u32| format!("k{at}");
    let tag = |name: &str| {
        let text = format!("agent.{name}:Bool");
        text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)) & !3
    };
    let mut seen = std::collections::HashMap::new();
    let (one, other) = (0..).find_map(|it| Some((seen.insert(tag(&name(it)), it)?, it))).unwrap();
    let decl = |at: u32| -> Decl { (Scope::Agent, Box::leak(name(at).into_boxed_str()), true.into()) };
    let need = pleach_core::schema::KeyNeed::new(name(one), Scope::Agent, Type::Bool);
    assert_eq!(need.problem(tree_of(&[decl(one)]).schema()), None);
    let problem = need.problem(tree_of(&[decl(one), decl(other)]).schema()).unwrap();
    assert_eq!(problem.kind, KeyProblemKind::SameHash(name(other)));
}
