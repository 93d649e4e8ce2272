//! A recorded game, and helpers for questions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pleach::record::{Recording, Replay};
use pleach::{AgentId, Forest, Registry, Status, Tree, TreeId, load_str};
use pleach_studio_core::{AskError, Session, Stage};
use serde::Serialize;
use serde_json::Value;

/// What tests may fail with.
pub(crate) type Done<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// A forest that is recorded from its first frame on.
pub(crate) struct Played {
    pub(crate) forest: Forest<Stage>,
    pub(crate) recording: Recording,
    pub(crate) trees: Vec<Arc<Tree<Stage>>>,
    /// Whether the condition `Smells` holds.
    pub(crate) smells: Arc<AtomicBool>,
    /// Whether the next update of `Trip` panics.
    pub(crate) trips: Arc<AtomicBool>,
}

impl Played {
    pub(crate) fn new() -> Self {
        Played {
            forest: Forest::new(7),
            recording: Recording::new(),
            trees: Vec::new(),
            smells: Arc::default(),
            trips: Arc::default(),
        }
    }

    /// A game with a tree and its agents.
    pub(crate) fn of(tree: &str, agents: usize) -> Done<(Self, Vec<AgentId>)> {
        let mut game = Played::new();
        let id = game.add(tree)?;
        let agents = (0..agents).map(|_| game.forest.spawn(&mut (), id)).collect::<Result<_, _>>()?;
        Ok((game, agents))
    }

    /// Leaves that run on, except for `Done`.
    pub(crate) fn registry(&self) -> Done<Registry<Stage>> {
        let mut registry = Registry::<Stage>::new();
        for leaf in ["Run", "Walk", "Eat"] {
            registry.action_fn(leaf, |_| Status::Running)?;
        }
        registry.action_fn("Done", |_| Status::Success)?;
        let (smells, trips) = (Arc::clone(&self.smells), Arc::clone(&self.trips));
        registry.condition_fn("Smells", move |_| smells.load(Ordering::Relaxed))?;
        registry.action_fn("Trip", move |_| {
            assert!(!trips.swap(false, Ordering::Relaxed), "there is a root");
            Status::Running
        })?;
        Ok(registry)
    }

    /// The tree of a text.
    pub(crate) fn tree(&mut self, text: &str) -> Done<Arc<Tree<Stage>>> {
        let tree = Arc::new(load_str("tree.ron", text, &self.registry()?).map_err(|it| it.to_string())?);
        self.trees.push(Arc::clone(&tree));
        Ok(tree)
    }

    pub(crate) fn add(&mut self, text: &str) -> Done<TreeId> {
        let tree = self.tree(text)?;
        Ok(self.forest.add_tree(tree)?)
    }

    /// Plays frames of a tenth of a second.
    pub(crate) fn play(&mut self, frames: usize) -> Done {
        for _ in 0..frames {
            self.forest.traced(&mut self.recording).tick(&mut (), 0.1)?;
        }
        Ok(())
    }

    pub(crate) fn session(&self) -> Done<Session> {
        Ok(self.opened(self.recording.to_bytes())?)
    }

    /// The trees in the order in which a recording has them.
    pub(crate) fn opened(&self, bytes: Vec<u8>) -> Result<Session, AskError> {
        let mut trees = Vec::new();
        Replay::open(&bytes, |recorded| {
            let tree = self.trees.iter().find(|it| recorded.is(it)).cloned();
            trees.extend(tree.clone());
            tree
        })?;
        Session::open("dog.rec", bytes, trees, Vec::new())
    }
}

/// An answer as lines: a field, or an entry of a list.
pub(crate) fn told(answer: &impl Serialize) -> Done<String> {
    let Value::Object(fields) = serde_json::to_value(answer)? else { return Err("an answer has fields".into()) };
    let mut text = String::new();
    for (name, value) in fields {
        match value {
            Value::Array(all) if all.iter().any(|it| it.is_object() || it.is_array()) => {
                text.push_str(&format!("{name}:\n"));
                all.iter().for_each(|it| text.push_str(&format!("    {it}\n")));
            }
            value => text.push_str(&format!("{name}: {value}\n")),
        }
    }
    Ok(text)
}

/// A dog that flees, comes when it is called, and otherwise does what it needs most while it barks.
pub(crate) const DOG: &str = r#"Tree(
    version: 1,
    name: "dog",
    blackboard: { "health": Float(1.0), "hunger": Float(0.2), "place": Vec2(0, 0), "luck": Int(3) },
    events: { "whistle": Vec2 },
    root: Selector(name: "dog", children: [
        Sequence(name: "flee", abort: Both, note: "first of all", children: [
            Check("health < 0.3"),
            Cooldown(seconds: 2.0, child: Run),
        ]),
        Sequence(name: "come", abort: LowerPriority, children: [
            OnEvent(event: "whistle", into: "place"),
            Wait(seconds: 0.5),
        ]),
        Sequence(name: "sniff", abort: LowerPriority, children: [Smells, Timeout(seconds: 0.4, child: Walk)]),
        Parallel(name: "live", children: [
            UtilitySelector(reevaluate: true, children: [
                (score: "hunger", child: Eat(name: "eat")),
                (score: "0.5", child: Repeat(count: 9, child: Wait(name: "rest", seconds: 0.3))),
            ]),
            Repeat(forever: true, child: Wait(name: "bark", seconds: 0.7)),
        ]),
    ]),
)"#;

/// Two dogs for six seconds, in which everything happens to the first one.
pub(crate) fn dogs() -> Done<Played> {
    let (mut game, dogs) = Played::of(DOG, 2)?;
    let dog = dogs[0];
    let health = game.forest.agent(dog)?.tree().key::<f32>("health")?;
    let hunger = game.forest.agent(dog)?.tree().key::<f32>("hunger")?;
    game.forest.agent_mut(dog)?.set_label("Rex");
    game.play(10)?;
    game.forest.keys_mut(dog)?.set(hunger, 0.8);
    game.play(5)?;
    game.forest.agent_mut(dog)?.send(pleach::Event::new("whistle").with([3.0_f32, 4.5]))?;
    game.play(10)?;
    game.smells.store(true, Ordering::Relaxed);
    game.play(6)?;
    game.smells.store(false, Ordering::Relaxed);
    game.play(4)?;
    game.forest.keys_mut(dog)?.set(health, 0.1);
    game.play(5)?;
    game.forest.keys_mut(dog)?.set(health, 0.9);
    game.play(20)?;
    Ok(game)
}
