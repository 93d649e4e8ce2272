//! A symbol key holds one of its words, however it is written. A payload is stored only in a key
//! that can hold it (SEMANTICS 8.20, 8.21).

use crate::support;

use pleach_core::nodes::{action, idle, on_event, sequence, set};
use pleach_core::{
    AgentId, Brain, Event, Forest, Key, NodeId, Outcome, Phase, Status, Symbol, Tree, TreeBuilder, TreeId,
    error::AccessError,
    schema::{KeyDefault, Scope},
};
use support::{Cx, Game, World};

const CALM: Symbol = Symbol::new("calm");
const ALERT: Symbol = Symbol::new("alert");
/// A word of another key.
const RED: Symbol = Symbol::new("red");

const SCOPES: [Scope; 3] = [Scope::Agent, Scope::Group, Scope::Global];

fn words(first: &str, all: &[&str]) -> KeyDefault {
    KeyDefault::Symbol(first.into(), all.iter().map(|&it| it.into()).collect())
}

fn not_a_word<T>(key: &str) -> Result<T, AccessError> {
    Err(AccessError::NotAWord { key: key.into() })
}

/// The key `mode` in that scope. A key of another type comes before it, so that its column is not
/// the first.
fn moody(scope: Scope) -> TreeBuilder<Game> {
    let mut builder = Tree::builder("t");
    builder.key_in(scope, "first", 0_i64);
    builder.declare(scope, "mode", words("calm", &["calm", "alert"]));
    builder.declare(scope, "light", words("green", &["green", "red", "alert"]));
    builder
}

fn alone(tree: Tree<Game>) -> (Forest<Game>, TreeId, AgentId, Key<Symbol>) {
    let mode = tree.key("mode").unwrap();
    let mut forest = Forest::new(0);
    let id = forest.add_tree(tree).unwrap();
    let agent = forest.spawn(&mut World::default(), id).unwrap();
    (forest, id, agent, mode)
}

#[test]
fn a_call_from_outside_writes_only_the_keys_words() {
    for scope in SCOPES {
        let (mut forest, _, agent, mode) = alone(moody(scope).build(idle()).unwrap());
        assert!(forest.keys_mut(agent).unwrap().set(mode, ALERT));
        assert!(!forest.keys_mut(agent).unwrap().set(mode, ALERT));
        for bad in [RED, Symbol::new("Alert"), Symbol::new("")] {
            assert_eq!(forest.keys_mut(agent).unwrap().try_set(mode, bad), not_a_word("mode"));
        }
        assert_eq!(forest.keys(agent).unwrap().get(mode), ALERT);
        assert!(forest.keys_mut(agent).unwrap().reset(mode));
    }
    let tree = moody(Scope::Agent).build(idle()).unwrap();
    let mode = tree.key("mode").unwrap();
    let mut brain = Brain::new(&mut World::default(), tree, 0);
    assert_eq!(
        (brain.keys_mut().try_set(mode, RED), brain.keys_mut().try_set(mode, ALERT)),
        (not_a_word("mode"), Ok(true))
    );
}

#[test]
fn a_node_key_has_words_of_its_own() {
    let root = sequence([idle()]).with_key("mode", words("low", &["low", "high"]));
    let tree = moody(Scope::Agent).build(root).unwrap();
    let inner: Key<Symbol> = tree.key_at(NodeId::new(1).unwrap(), "mode").unwrap();
    let (mut forest, _, agent, mode) = alone(tree);
    assert!(forest.keys_mut(agent).unwrap().set(inner, Symbol::new("high")));
    assert_eq!(forest.keys_mut(agent).unwrap().try_set(inner, ALERT), not_a_word("mode"));
    assert_eq!(forest.keys_mut(agent).unwrap().try_set(mode, Symbol::new("high")), not_a_word("mode"));
}

#[test]
fn whole_columns() {
    let (mut forest, id, first, mode) = alone(moody(Scope::Agent).build(idle()).unwrap());
    let mut world = World::default();
    let [second, third] = [0; 2].map(|_| forest.spawn(&mut world, id).unwrap());
    let new = |agent, old| match agent {
        _ if agent == first => ALERT,
        _ if agent == second => RED,
        _ => old,
    };
    assert_eq!(forest.population_mut(id).unwrap().update_column(mode, new), not_a_word("mode"));
    assert_eq!([first, second, third].map(|it| forest.keys(it).unwrap().get(mode)), [ALERT, CALM, CALM]);
    assert_eq!(forest.population_mut(id).unwrap().update_column(mode, |_, _| ALERT), Ok(2));
}

#[test]
fn a_global_key_holds_nothing_but_its_words() {
    let (mut forest, _, agent, mode) = alone(moody(Scope::Global).build(idle()).unwrap());
    assert_eq!(forest.globals_mut().set_value("mode", RED), not_a_word("mode"));
    assert_eq!(forest.keys_mut(agent).unwrap().try_set(mode, RED), not_a_word("mode"));
    assert_eq!(forest.globals_mut().set_value("mode", ALERT), Ok(true));
    assert_eq!(forest.keys(agent).unwrap().get(mode), ALERT);
}

#[test]
fn a_leaf_may_ask() {
    for scope in SCOPES {
        let mut other = moody(scope);
        let strange: Key<i64> = other.key_in(scope, "strange", 0_i64);
        let builder = moody(scope);
        let mode: Key<Symbol> = moody(scope).build(idle()).unwrap().key("mode").unwrap();
        let leaf = action(move |cx: &mut Cx<'_, '_>| {
            assert_eq!(cx.try_set(mode, ALERT), Ok(true));
            assert_eq!(cx.try_set(mode, ALERT), Ok(false));
            assert_eq!(cx.try_set(mode, RED), not_a_word("mode"));
            assert_eq!(cx.try_set(strange, 1), Err(AccessError::ForeignKey));
            assert_eq!(cx.get(mode), ALERT);
            assert!(cx.reset(mode));
            Status::Success
        });
        let (mut forest, ..) = alone(builder.build(leaf).unwrap());
        assert_eq!(forest.tick(&mut World::default(), 0.1).unwrap().ended, 1);
    }
}

#[test]
fn a_leaf_that_does_not_ask_panics() {
    for scope in SCOPES {
        let builder = moody(scope);
        let mode: Key<Symbol> = moody(scope).build(idle()).unwrap().key("mode").unwrap();
        let leaf = action(move |cx: &mut Cx<'_, '_>| {
            cx.set(mode, RED);
            Status::Success
        });
        let (mut forest, _, agent, _) = alone(builder.build(leaf).unwrap());
        let tick = std::panic::AssertUnwindSafe(|| forest.tick(&mut World::default(), 0.1));
        let panic = std::panic::catch_unwind(tick).unwrap_err();
        let message = panic.downcast_ref::<String>().unwrap();
        assert!(message.contains("none of the words of `mode`, which are `calm`, `alert`"), "{message}");
        assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Panicked);
        assert_eq!(forest.keys(agent).unwrap().get(mode), CALM);
    }
}

#[test]
fn a_payload_that_the_key_cannot_hold_is_not_stored() {
    for scope in SCOPES {
        let root = sequence([on_event("word").into_key("mode"), on_event("number").into_key("first")]);
        let tree = moody(scope).build(root).unwrap();
        let first: Key<i64> = tree.key("first").unwrap();
        let (mut forest, _, agent, mode) = alone(tree);
        let mut world = World::default();
        let mut send = |forest: &mut Forest<Game>, word: Event, number: Event| {
            forest.agent_mut(agent).unwrap().send(word).unwrap();
            forest.agent_mut(agent).unwrap().send(number).unwrap();
            forest.tick(&mut world, 0.1).unwrap();
            assert_eq!(forest.agent(agent).unwrap().last_outcome(), Some(Outcome::Success));
            (forest.keys(agent).unwrap().get(mode), forest.keys(agent).unwrap().get(first))
        };
        let (word, number) = (Event::new("word"), Event::new("number"));
        assert_eq!(send(&mut forest, word.with(ALERT), number.with(3_i64)), (ALERT, 3));
        for (bad_word, bad_number) in [
            (word.with(RED), number.with(1.0_f32)),
            (word.with(1_i64), number.with(CALM)),
            (word, number),
            (word.with([0.0_f32; 2]), number.with(true)),
        ] {
            assert_eq!(send(&mut forest, bad_word, bad_number), (ALERT, 3));
        }
    }
}

#[test]
fn a_word_out_of_another_key_is_written_only_if_both_have_it() {
    for scope in SCOPES {
        let (mut forest, _, agent, mode) = alone(moody(scope).build(set("mode", "light")).unwrap());
        let light: Key<Symbol> = forest.agent(agent).unwrap().inspect().tree.key("light").unwrap();
        let mut world = World::default();
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(
            (forest.agent(agent).map(|it| it.last_outcome()), forest.keys(agent).unwrap().get(mode)),
            (Ok(Some(Outcome::Success)), CALM)
        );
        forest.keys_mut(agent).unwrap().set(light, ALERT);
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(forest.keys(agent).unwrap().get(mode), ALERT);
    }
}

#[test]
fn the_key_of_another_tree_brings_no_words() {
    let mut builder = Tree::<Game>::builder("other");
    builder.key("zero", 0_i64);
    builder.declare(Scope::Agent, "mode", words("red", &["red"]));
    let foreign: Key<Symbol> = builder.build(idle()).unwrap().key("mode").unwrap();
    let (mut forest, _, agent, mode) = alone(moody(Scope::Agent).build(idle()).unwrap());
    // A key of the same name, scope, type and column is the same key.
    assert_eq!(foreign, mode);
    assert_eq!(forest.keys_mut(agent).unwrap().try_set(foreign, RED), not_a_word("mode"));
    assert!(forest.keys_mut(agent).unwrap().set(foreign, ALERT));
}
