//! Random files with templates, and the same files with the templates' nodes written out in place
//! of each `Use` (SEMANTICS 9.2). Both become the same tree: the same nodes, keys and ids, and
//! agents that do the same, line by line. Given nodes are written out in place of their hole
//! (SEMANTICS 9.6).
//!
//! `PLEACH_SEED` and `PLEACH_COUNT` say which cases, and how many.

mod library;
mod made;
mod written;

use std::collections::BTreeMap;

use pleach_asset::{Library, Registry};
use pleach_core::schema::KeyDecl;
use pleach_core::{
    AgentId, Condition, Context, Event, Forest, Key, NodeRef, Spawn, Status, Symbol, Tree, Value,
    trace::{Recorder, TraceEntry},
};
use serde::Deserialize;

use super::common::Game;
use made::{Dice, WORDS};

/// A leaf of the host that has a key, and writes it.
#[derive(Deserialize)]
struct Count {
    of: Key<i64>,
}

impl pleach_core::Action<Game> for Count {
    type State = ();
    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, Game>) -> Status {
        let more = cx.get(self.of).wrapping_add(1);
        cx.set(self.of, more);
        [Status::Success, Status::Running, Status::Failure][usize::try_from(more.rem_euclid(3)).expect("below 3")]
    }
}

/// A condition that has one.
#[derive(Deserialize)]
struct Calm {
    mode: Key<Symbol>,
}

impl Condition<Game> for Calm {
    type State = ();
    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, Game>) -> Status {
        if cx.get(self.mode) == Symbol::new(WORDS[0]) { Status::Success } else { Status::Failure }
    }
}

fn registry() -> Registry<Game> {
    let mut registry = Registry::new();
    registry.action::<Count>("Count").and_then(|it| it.condition::<Calm>("Calm")).expect("good names");
    registry
}

/// A name in the tree, the same for instances and for their written out names.
fn plain(name: &str) -> String {
    name.replace('.', "_")
}

/// What a tree is made of.
#[derive(Debug, PartialEq)]
struct Facts {
    nodes: Vec<String>,
    /// By their names; those of nodes have a number before.
    keys: BTreeMap<String, String>,
    stacks: usize,
}

fn key_name(it: &KeyDecl) -> String {
    it.node().map_or_else(|| plain(it.name()), |node| format!("{} {}", node.index(), it.name()))
}

fn facts(tree: &Tree<Game>) -> Facts {
    let schema = tree.schema();
    let key = |it: &KeyDecl| {
        let words: Vec<&str> = it.words().collect();
        (key_name(it), format!("{} {} {words:?}", it.scope(), schema.describe(it.default())))
    };
    let node = |it: NodeRef<'_, Game>| {
        let id = it.id_text().map(plain);
        format!("{:?} {:?} {id:?} {} {}", it.node_kind(), it.abort(), it.subtree().len(), it.services())
    };
    Facts { nodes: tree.nodes().map(node).collect(), keys: schema.keys().map(key).collect(), stacks: tree.run_stacks() }
}

/// What two agents of a squad do with the tree, line by line, and the final values of these keys.
/// `on_change`: whether a trace may lack checks of keys that have not changed.
fn life(
    tree: Tree<Game>,
    of: &BTreeMap<String, String>,
    seed: u64,
    on_change: bool,
) -> (Vec<TraceEntry>, Vec<BTreeMap<String, String>>) {
    let known = tree.schema().keys().filter(|it| it.node().is_none() && of.contains_key(&key_name(it)));
    let names: BTreeMap<String, (String, Value)> =
        known.map(|it| (key_name(it), (it.name().to_owned(), it.default()))).collect();
    let names: Vec<(String, Value)> = names.into_values().collect();
    let mut dice = Dice::new(seed);
    let mut recorder = Recorder::all();
    let mut forest = Forest::<Game>::new(seed);
    let every_tick = dice.chance(50) || !on_change;
    forest.configure(|it| it.reevaluate_every_tick = every_tick);
    let mut forest = forest.traced(&mut recorder);
    let tree = forest.add_tree(tree).expect("it is the only one");
    let squad = forest.new_group();
    let spawn = || Spawn { group: Some(squad), ..Spawn::default() };
    let agents: Vec<AgentId> =
        (0..2).map(|_| forest.spawn_with(&mut (), tree, spawn()).expect("there is room")).collect();
    for _ in 0..14 {
        for &agent in &agents {
            for _ in 0..dice.below(4) {
                let (name, default) = dice.pick(&names);
                let value = dice.value_like(default);
                forest.keys_mut(agent).expect("it is here").set_value(&name, value).expect("it is of its type");
            }
            if dice.chance(30) {
                let event = if dice.chance(50) { Event::new("bang") } else { Event::new("count").with(3_i64) };
                forest.agent_mut(agent).expect("it is here").send(event).expect("it is declared");
            }
        }
        forest.tick(&mut (), 1.0).expect("it is a time");
    }
    let keys = |it: AgentId| {
        let view = forest.agent(it).expect("it is here").inspect();
        let known = view.keys.iter().map(|it| (key_name(&it.0), format!("{:?}", it.1)));
        known.filter(|it| of.contains_key(&it.0)).collect()
    };
    let keys = agents.iter().map(|&it| keys(it)).collect();
    (recorder.take(), keys)
}

/// A number that the environment gives, for longer runs.
fn number(name: &str, or: u64) -> u64 {
    std::env::var(name).ok().map_or(or, |it| it.parse().unwrap_or_else(|_| panic!("{name} is a number: {it}")))
}

fn load(files: &BTreeMap<String, String>, registry: &Registry<Game>) -> Tree<Game> {
    let text = || files.iter().map(|(name, text)| format!("--- {name}\n{text}\n")).collect::<String>();
    Library::new(files.clone()).load("main.ron", registry).unwrap_or_else(|it| panic!("{it}\n{}", text()))
}

#[test]
fn what_templates_become_is_what_is_written_out() {
    let registry = registry();
    let first = number("PLEACH_SEED", 0);
    let (mut used, mut inner, mut own, mut spare, mut given, mut lines) = (0, 0, 0, 0, 0, 0);
    let count = number("PLEACH_COUNT", 4_000);
    for seed in first..first + count {
        let library = library::roll(seed);
        let (with, without) = (library.written(true), library.written(false));
        assert!(!without["main.ron"].contains("Use(") && !without["part.ron"].contains("Use("), "seed {seed}");
        let (one, other) = (load(&with, &registry), load(&without, &registry));
        let told = |what: &str, one: &dyn std::fmt::Debug, other: &dyn std::fmt::Debug| {
            let files = |it: &BTreeMap<String, String>| it.values().cloned().collect::<Vec<_>>().join("\n");
            panic!(
                "seed {seed}, {what}:\n--- written out\n{other:#?}\n{}\n+++ with templates\n{one:#?}\n{}",
                files(&without),
                files(&with)
            )
        };
        let (mut a, b) = (facts(&one), facts(&other));
        // A port that is passed on may be a key where a constant would do.
        let all = a.keys.len();
        a.keys.retain(|name, key| b.keys.contains_key(name) || !key.starts_with("agent ") || !key.ends_with(" []"));
        if a != b {
            told("what the trees are", &a, &b);
        }
        let is_spare = a.keys.len() < all;
        if is_spare {
            spare += 1;
        } else if one.footprint() != other.footprint() {
            told("what an agent costs", &one.footprint(), &other.footprint());
        }
        used += one.instances().filter(|it| it.file().is_none()).count();
        inner += one.instances().filter(|it| it.file().is_none() && it.parent().is_some()).count();
        given += with.values().map(|it| it.matches("nodes: { \"h\": ").count()).sum::<usize>();
        own += one.schema().keys().filter(|it| it.name().contains('.')).count();
        // An expression that reads a key is checked when others that it reads change, where one
        // that reads the constant may not need these.
        let (a, b) = (life(one, &b.keys, seed, !is_spare), life(other, &b.keys, seed, !is_spare));
        // A NaN differs from itself, but is written alike.
        if a != b && format!("{a:?}") != format!("{b:?}") {
            told("what agents do", &a, &b);
        }
        lines += a.0.len();
    }
    if count >= 2_000 {
        assert!(
            used > 2_000 && inner > 500 && own > 500 && given > 2_000 && lines > 100_000,
            "{used} {inner} {own} {given} {lines}"
        );
        assert!(spare < count / 4, "{spare}");
    }
}
