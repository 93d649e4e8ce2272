//! Several trees are replaced in one call, all or none: shared keys may change then (SEMANTICS
//! 8.10).

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pleach_core::nodes::{action_of, idle};
use pleach_core::{
    Action, AgentId, Context, Forest, Replace, Spawn, Status, Symbol, Tree, TreeId, Type, Value,
    error::{AddTreeError, Difference, EventConflict, ReplaceTreeError, SharedKeyError, StaleError},
    nodes::Node,
    schema::{KeyDefault, Scope},
    trace::{Recorder, TraceEvent},
};
use support::{Game, World, always, tree};

/// A tree with one group key and one global key.
fn sharing(name: &str, plan: impl Into<KeyDefault>, alarm: impl Into<KeyDefault>, root: Node<Game>) -> Tree<Game> {
    let mut builder = Tree::builder(name);
    builder.declare(Scope::Group, "plan", plan.into());
    builder.declare(Scope::Global, "alarm", alarm.into());
    builder.build(root).unwrap()
}

fn idling(name: &str, plan: impl Into<KeyDefault>, alarm: impl Into<KeyDefault>) -> Tree<Game> {
    sharing(name, plan, alarm, idle())
}

fn words(default: &str, all: &[&str]) -> KeyDefault {
    KeyDefault::Symbol(default.into(), all.iter().map(|&it| it.to_owned()).collect())
}

fn shared_error(error: ReplaceTreeError) -> SharedKeyError {
    match error {
        ReplaceTreeError::Shared(it) => it,
        other => panic!("{other:?}"),
    }
}

/// Two trees with the same shared keys, and one without; an agent of each of the first two in a
/// group, and one of each that is in none.
struct Place {
    world: World,
    forest: Forest<Game>,
    trees: [TreeId; 2],
    squad: [AgentId; 2],
    lone: [AgentId; 2],
}

impl Place {
    fn new(trees: [Tree<Game>; 2]) -> Self {
        let mut world = World::default();
        let mut forest = Forest::new(1);
        let trees = trees.map(|it| forest.add_tree(it).unwrap());
        forest.add_tree(tree(idle())).unwrap();
        let group = forest.new_group();
        let member = Spawn { group: Some(group), ..Spawn::default() };
        let squad = trees.map(|it| forest.spawn_with(&mut world, it, member).unwrap());
        let lone = trees.map(|it| forest.spawn(&mut world, it).unwrap());
        Place { world, forest, trees, squad, lone }
    }

    fn replace(&mut self, new: [Tree<Game>; 2]) -> Result<(), ReplaceTreeError> {
        self.forest.replace_trees(&mut self.world, self.trees.into_iter().zip(new)).map(|_| ())
    }

    /// The group keys of all agents, and the global key.
    fn values(&self) -> ([Value; 4], Value) {
        let [a, b] = self.squad;
        let [c, d] = self.lone;
        let plan = |it| self.forest.keys(it).unwrap().value("group.plan").unwrap();
        ([a, b, c, d].map(plan), self.forest.globals().value("alarm").unwrap())
    }
}

#[test]
fn numbers_that_trees_share_are_tuned_in_all_of_them_at_once() {
    let of = |plan: i64, alarm: f32| [idling("guard", plan, alarm), idling("thief", plan, alarm)];
    let mut place = Place::new(of(1, 10.0));
    place.forest.keys_mut(place.lone[0]).unwrap().set_value("group.plan", 7_i64).unwrap();
    // One alone is refused.
    let (guard, new) = (place.trees[0], idling("guard", 2_i64, 10.0));
    let error = shared_error(place.forest.replace_tree(&mut place.world, guard, new).unwrap_err());
    let message = "the trees `guard` and `thief` declare the group key `plan` differently: its default is Int(2) in the first, \
                   and Int(1) in the second; all trees of a forest must declare it in the same way";
    assert_eq!(error.to_string(), message);
    // Both take the new default in place of the old one; written values stay.
    place.replace(of(2, 20.0)).unwrap();
    let ints = |all: [i64; 4]| all.map(Value::Int);
    assert_eq!(place.values(), (ints([2, 2, 7, 2]), Value::Float(20.0)));
    place.forest.globals_mut().set_value("alarm", 21.0_f32).unwrap();
    place.replace(of(3, 30.0)).unwrap();
    assert_eq!(place.values(), (ints([3, 3, 7, 3]), Value::Float(21.0)));
    // New groups and resets have the new one, too, and a later tree must declare it.
    let group = place.forest.new_group();
    assert_eq!(place.forest.group(group).unwrap().keys().value("plan"), Ok(Value::Int(3)));
    place.forest.globals_mut().reset_value("alarm").unwrap();
    assert_eq!(place.values().1, Value::Float(30.0));
    let late = |plan| place.forest.add_tree(idling("late", plan, 30.0)).map(|_| ());
    assert!(matches!([1, 3].map(late), [Err(AddTreeError::Shared(_)), Ok(())]));
}

#[test]
fn types_and_words_change_together_as_well() {
    let of = |plan: KeyDefault, alarm: KeyDefault| [idling("a", plan.clone(), alarm.clone()), idling("b", plan, alarm)];
    let mut place = Place::new(of(words("calm", &["calm", "alert", "angry"]), 1_i64.into()));
    let symbol = |word| Value::Symbol(Symbol::new(word));
    place.forest.keys_mut(place.squad[0]).unwrap().set_value("group.plan", symbol("alert")).unwrap();
    place.forest.keys_mut(place.lone[0]).unwrap().set_value("group.plan", symbol("angry")).unwrap();
    place.replace(of(words("bored", &["bored", "alert"]), true.into())).unwrap();
    let plans = ["alert", "alert", "bored", "bored"].map(symbol);
    assert_eq!(place.values(), (plans, Value::Bool(true)));
}

#[test]
fn a_key_that_goes_from_one_tree_to_another_keeps_its_value() {
    let mut place = Place::new([idling("a", 1_i64, 1_i64), tree(idle())]);
    let [a, b] = place.trees;
    place.forest.globals_mut().set_value("alarm", 5_i64).unwrap();
    place.forest.replace_trees(&mut place.world, [(b, idling("b", 1_i64, 2_i64)), (a, tree(idle()))]).unwrap();
    assert_eq!(place.forest.globals().value("alarm"), Ok(Value::Int(5)));
    place.forest.globals_mut().reset_value("alarm").unwrap();
    assert_eq!(place.forest.globals().value("alarm"), Ok(Value::Int(2)));
    // It goes with the last tree that declares it.
    place.forest.replace_trees(&mut place.world, [(b, tree(idle()))]).unwrap();
    assert!(place.forest.globals().value("alarm").is_err());
}

#[test]
fn all_ends_in_all_trees_before_the_new_ones_begin() {
    let of = |name| tree(always(name, Status::Running));
    let mut place = Place::new([of("a"), of("b")]);
    place.forest.tick(&mut place.world, 0.1).unwrap();
    place.world.take();
    let [a, b] = place.trees;
    let mut recorder = Recorder::all();
    let new = [(b, of("d")), (a, of("c"))].map(|(id, new)| (id, Replace::restart(new)));
    place.forest.traced(&mut recorder).replace_trees(&mut place.world, new).unwrap();
    let expected = [["b end Replaced"; 2], ["a end Replaced"; 2], ["d awake"; 2], ["c awake"; 2]];
    assert_eq!(place.world.take(), expected.concat());
    assert_eq!(recorder.entries().filter(|it| matches!(it.event, TraceEvent::Aborted { .. })).count(), 4);
    place.forest.tick(&mut place.world, 0.1).unwrap();
    assert_eq!(
        place.world.take(),
        [["c start", "c update"], ["d start", "d update"]].map(|it| [it; 2].concat()).concat()
    );
}

#[test]
fn an_error_changes_nothing() {
    let of = |plan: i64, alarm: bool| {
        [
            sharing("a", plan, alarm, always("a", Status::Running)),
            sharing("b", plan, alarm, always("b", Status::Running)),
        ]
    };
    let mut place = Place::new(of(1, false));
    place.forest.tick(&mut place.world, 0.1).unwrap();
    place.world.take();
    let before = place.values();
    let [a, b] = place.trees;
    let key = |error: ReplaceTreeError| {
        let SharedKeyError { name, trees, difference, .. } = shared_error(error);
        (name, trees, difference)
    };
    let named = |one: &str, other: &str| [one.to_owned(), other.to_owned()];
    // The new ones differ from each other: the error names the key and both.
    let error = place.replace([idling("x", 2_i64, true), idling("y", 3_i64, true)]).unwrap_err();
    let difference = Difference::Default(Value::Int(3), Value::Int(2));
    assert_eq!(key(error), ("plan".into(), named("y", "x"), difference));
    let error = place.replace([idling("x", 2_i64, true), idling("y", 2_i64, 1.0)]).unwrap_err();
    assert_eq!(key(error), ("alarm".into(), named("y", "x"), Difference::Type(Type::Float, Type::Bool)));
    let error = place.replace([idling("x", words("p", &["p", "q"]), 1.0), idling("y", words("p", &["p"]), 1.0)]);
    assert_eq!(key(error.unwrap_err()), ("plan".into(), named("y", "x"), Difference::Words));
    // One that stays differs from both.
    let third = place.forest.add_tree(idling("third", 1_i64, false)).unwrap();
    let error = place.replace(of(2, false)).unwrap_err();
    let told = "; to change it in several trees together, replace them in one call of `replace_trees`";
    assert!(error.to_string().ends_with(told), "{error}");
    assert_eq!(key(error), ("plan".into(), named("a", "third"), Difference::Default(Value::Int(2), Value::Int(1))));
    // A tree is named twice, or does not exist.
    let forest = &mut place.forest;
    let twice = [a, b, a].map(|it| (it, Arc::new(idling("x", 1_i64, false))));
    let error = forest.replace_trees(&mut place.world, twice).unwrap_err();
    assert_eq!(error, ReplaceTreeError::Doubled(a));
    assert!(error.to_string().ends_with("is named twice in one call: name each tree once"), "{error}");
    forest.remove_tree(&mut place.world, third).unwrap();
    let gone = [a, third].map(|it| (it, idling("x", 1_i64, false)));
    assert_eq!(forest.replace_trees(&mut place.world, gone), Err(ReplaceTreeError::Stale(StaleError::Tree(third))));
    // Nothing to do is not an error.
    assert_eq!(forest.replace_trees::<Tree<Game>>(&mut place.world, []), Ok(Vec::new()));
    assert_eq!((place.values(), place.world.take()), (before, Vec::<String>::new()));
    place.forest.tick(&mut place.world, 0.1).unwrap();
    assert_eq!(place.world.take(), ["a update", "a update", "b update", "b update"]);
}

#[test]
fn events_of_trees_that_come_together_agree() {
    let of = |name: &str, payload: Option<Type>| {
        let mut builder = Tree::<Game>::builder(name);
        builder.event("noise", payload);
        builder.build(idle()).unwrap()
    };
    let mut place = Place::new([of("a", None), of("b", None)]);
    let conflict = |one: &str, other: &str, payloads| {
        let (event, trees) = ("noise".to_owned(), [one.to_owned(), other.to_owned()]);
        Err(ReplaceTreeError::Event(EventConflict { event, trees, payloads }))
    };
    let [int, float] = [Some(Type::Int), Some(Type::Float)];
    assert_eq!(place.replace([of("x", int), of("y", float)]), conflict("y", "x", [float, int]));
    assert_eq!(place.replace([of("x", int), of("y", int)]), Ok(()));
    // It holds for the forest's trees together: one alone may not differ, nor may a later one.
    let [a, _] = place.trees;
    let alone = place.forest.replace_tree(&mut place.world, a, of("x", None)).map(|_| ());
    assert_eq!(alone, conflict("x", "y", [None, int]));
    assert!(place.forest.add_tree(of("late", None)).is_err());
    assert!(place.forest.add_tree(of("late", int)).is_ok());
    assert_eq!(place.replace([of("x", None), of("y", None)]), conflict("x", "late", [None, int]));
}

struct Unmakable;

#[expect(dead_code, reason = "a state without bytes would not be made for an agent")]
struct Broken(u8);

impl Default for Broken {
    fn default() -> Self {
        panic!("it cannot be made");
    }
}

impl Action<Game> for Unmakable {
    type State = Broken;
    fn update(&self, _: &mut Broken, _: &mut Context<'_, '_, Game>) -> Status {
        Status::Running
    }
}

#[test]
fn a_state_that_cannot_be_made_leaves_all_trees_as_they_were() {
    let of = |name| sharing(name, 1_i64, false, always(name, Status::Running));
    let mut place = Place::new([of("a"), of("b")]);
    place.forest.tick(&mut place.world, 0.1).unwrap();
    place.world.take();
    let new = [idling("c", 2_i64, true), sharing("d", 2_i64, true, action_of(Unmakable))];
    assert!(catch_unwind(AssertUnwindSafe(|| place.replace(new))).is_err());
    assert_eq!(place.values(), ([Value::Int(1); 4], Value::Bool(false)));
    place.forest.tick(&mut place.world, 0.1).unwrap();
    assert_eq!(place.world.take(), ["a update", "a update", "b update", "b update"]);
    assert!(place.forest.add_tree(idling("late", 1_i64, false)).is_ok());
}
