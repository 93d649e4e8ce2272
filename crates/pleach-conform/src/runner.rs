//! Runs a scenario with the interpreter: as a pleach tree in a forest.

mod build;
mod saving;
pub(crate) mod stage;
mod threads;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use pleach_core as core;
use pleach_core::{
    AgentId, Budget, Completion, Entity, Event, Forest, GroupId, Rate, Replace, Settings, Spawn, Symbol, TickReport,
    Tree, TreeId,
    error::{SendError, TreeError},
    trace::{Traced, Tracer},
};
use rayon::ThreadPool;

use crate::happening::{NodeIndex, Words, stacks_line};
use crate::scenario::{Call, Scenario, Value, Whose};
use crate::stack;
pub use build::root_kind;
pub(crate) use build::{core_scope, trees};
pub(crate) use saving::{restored, saved};
use stage::{Boom, HappeningLog, Names, Scribe, Stage, StageCx, boom};
pub(crate) use threads::{THREADS, pool};

/// A scenario that the interpreter cannot run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The tree is rejected.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// Runs a scenario and returns its trace. Every condition is evaluated in every tick, exactly as
/// SEMANTICS says.
///
/// # Errors
/// The interpreter rejects the tree.
pub fn run(scenario: &Scenario) -> Result<Vec<String>, RunError> {
    stack::with_room_for(scenario.levels(), || on_this_stack(scenario))
}

fn on_this_stack(scenario: &Scenario) -> Result<Vec<String>, RunError> {
    let roots = scenario.roots();
    let names = Arc::new(Names::of(&roots, scenario));
    let mut versions = trees(scenario, false)?.into_iter().zip(roots.iter().map(Words::of));
    let (mut tree, mut words) = versions.next().expect("there is a tree");
    let seen = Arc::new(HappeningLog::new(false));
    let mut cx = StageCx::new(Arc::clone(&names), Some(Arc::clone(&seen)));
    let mut scribe = Scribe { seen: Arc::clone(&seen), names: Arc::clone(&names) };
    let mut forest = Forest::new(0);
    let mut forest = forest.traced(&mut scribe);
    let settings = |it: &mut Settings| (it.reevaluate_every_tick, it.sleep) = (true, false);
    forest.configure(settings);
    let mut save = None;
    let mut lines = vec![Call::Enable.to_string()];
    let mut stand = Stand::new(&mut forest, scenario, &tree);
    let group = scenario.squad.then(|| forest.new_group());
    let spawn = Spawn { completion: Completion::Stop, seed: Some(scenario.seed), group, ..Spawn::default() };
    let agent = forest.spawn_with(&mut cx, stand.tree, spawn).expect("the forest is empty");
    cx.seat(agent);
    let happened = |lines: &mut Vec<String>, words: &Words| {
        seen.of(stage::Slot::of(agent), |it| lines.extend(it.drain(..).map(|it| words.line(&it))));
    };
    stand.spawn_panicker(&mut forest, &mut cx);
    let mut mate = group.map(|it| Mate::spawn(&mut forest, &mut cx, it, scenario.stranger));
    for frame in 1..=scenario.ticks {
        let mut how = How::default();
        for op in scenario.ops.iter().filter(|it| it.before == frame) {
            lines.push(match &op.call {
                Call::Set { key, value } => format!("set {key} {}", names.value(core_value(value))),
                call => call.to_string(),
            });
            how.say(&op.call);
            if let Call::Replace { keeps, .. } = op.call {
                let (new, new_words) = versions.next().expect("there is one for each");
                replace(&mut forest, &mut cx, stand.tree, &new, keeps);
                happened(&mut lines, &words);
                (tree, words) = (new, new_words);
                continue;
            }
            if let Call::Save = op.call {
                save = Some((saved(&forest), mate.as_ref().map_or(0, |it| it.seen)));
                continue;
            }
            if let Call::Restore { tree: new } = &op.call {
                if new.is_some() {
                    (tree, words) = versions.next().expect("there is one for each");
                }
                let (save, seen) = save.as_ref().expect("the scenario was checked");
                *forest = Forest::new(1);
                forest.configure(settings);
                stand = stand.anew(&mut forest, scenario, &tree);
                if let Some(mate) = &mut mate {
                    Mate::add_tree(&mut forest, scenario.stranger);
                    mate.seen = *seen;
                }
                restored(&mut forest, &mut cx, save);
                happened(&mut lines, &words);
                continue;
            }
            if !call(&mut forest, &mut cx, &tree, agent, &op.call) {
                lines.push("refused".to_owned());
            }
            happened(&mut lines, &words);
        }
        lines.push(format!("tick {frame}"));
        cx.frame = frame;
        stand.tick(&mut forest, &mut cx, 1.0, how);
        happened(&mut lines, &words);
        lines.push(stacks_line(&stacks(&forest.agent(agent).expect("it is never despawned").inspect())));
        let heard = mate.as_mut().map_or_else(Vec::new, |it| it.heard(&forest));
        lines.extend(heard.into_iter().map(|it| names.heard(it)));
    }
    Ok(lines)
}

/// The run stacks of an agent.
pub(crate) fn stacks(view: &core::inspect::AgentView<Stage>) -> Vec<Vec<NodeIndex>> {
    view.stacks.iter().map(|it| it.iter().map(|it| (*it).into()).collect()).collect()
}

/// How to call the next tick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct How {
    /// How many agents may be ticked.
    pub(crate) budget: Option<u64>,
    /// An agent that comes before all agents of the scenario panics.
    pub(crate) panics: bool,
    /// The threads that tick chunks, if there is no budget.
    pub(crate) pool: Option<&'static ThreadPool>,
}

impl How {
    /// Applies what this call says about the tick.
    pub(crate) fn say(&mut self, call: &Call) {
        match call {
            Call::Budget { agents } => self.budget = Some((*agents).into()),
            Call::Panic => self.panics = true,
            Call::Enable
            | Call::Disable
            | Call::Restart
            | Call::Pause
            | Call::Unpause
            | Call::Set { .. }
            | Call::Event { .. }
            | Call::Rate { .. }
            | Call::Fill { .. }
            | Call::Replace { .. }
            | Call::Save
            | Call::Restore { .. } => {}
        }
    }
}

/// Replaces a tree by another version.
pub(crate) fn replace<T: Tracer>(
    forest: &mut Traced<'_, Forest<Stage>, T>,
    cx: &mut StageCx,
    tree: TreeId,
    new: &Arc<Tree<Stage>>,
    keeps: bool,
) {
    forest.replace_tree(cx, tree, by(new, keeps)).expect("no other tree has keys");
}

/// What replaces a tree.
pub(crate) fn by(new: &Arc<Tree<Stage>>, keeps: bool) -> Replace<Stage> {
    let new = Arc::clone(new);
    if keeps { Replace::keep(new) } else { Replace::restart(new) }
}

/// The other member of the squad. It is paused, so events sent to it wait, and no tick is spent on
/// it.
struct Mate {
    agent: AgentId,
    /// How many of the waiting events have been looked at.
    seen: usize,
}

impl Mate {
    fn add_tree(forest: &mut Forest<Stage>, stranger: bool) -> TreeId {
        let mut builder = Tree::builder("mate");
        builder.strict_events(stranger);
        forest.add_tree(builder.build(core::nodes::idle()).expect("a leaf is a tree")).expect("it has no keys")
    }

    fn spawn<T: Tracer>(
        forest: &mut Traced<'_, Forest<Stage>, T>,
        cx: &mut StageCx,
        group: GroupId,
        stranger: bool,
    ) -> Mate {
        let tree = Mate::add_tree(forest, stranger);
        let spawn = Spawn { group: Some(group), ..Spawn::default() };
        let agent = forest.spawn_with(cx, tree, spawn).expect("there is room for three");
        forest.agent_mut(agent).expect("it was just spawned").pause(cx);
        Mate { agent, seen: 0 }
    }

    /// The events it was sent since the last call.
    fn heard(&mut self, forest: &Forest<Stage>) -> Vec<Event> {
        let new = forest.agent(self.agent).expect("it is never despawned").inspect().mail.split_off(self.seen);
        self.seen += new.len();
        new
    }
}

/// The trees of a forest: the scenario's tree, and before it the tree of an agent that panics, if
/// the scenario has one.
pub(crate) struct Stand {
    pub(crate) tree: TreeId,
    panickers: Option<TreeId>,
    panicker: Option<AgentId>,
}

impl Stand {
    /// The tree of the agent that panics.
    pub(crate) fn panicker() -> Tree<Stage> {
        Tree::builder("panicker").build(core::nodes::action(|_| boom())).expect("a leaf is a tree")
    }

    pub(crate) fn new(forest: &mut Forest<Stage>, scenario: &Scenario, tree: &Arc<Tree<Stage>>) -> Stand {
        let panics = scenario.ops.iter().any(|it| matches!(it.call, Call::Panic));
        let panickers = panics.then(|| forest.add_tree(Stand::panicker()).expect("it has no keys"));
        let tree = forest.add_tree(Arc::clone(tree)).expect("no other tree has keys");
        Stand { tree, panickers, panicker: None }
    }

    /// The same trees in the new forest that a save of this one is restored into.
    pub(crate) fn anew(&self, forest: &mut Forest<Stage>, scenario: &Scenario, tree: &Arc<Tree<Stage>>) -> Stand {
        // Ids stay the same.
        Stand { panicker: self.panicker, ..Stand::new(forest, scenario, tree) }
    }

    /// Spawns the agent that panics, disabled. It comes after the first agent of the scenario,
    /// which has the first slot.
    pub(crate) fn spawn_panicker<T: Tracer>(&mut self, forest: &mut Traced<'_, Forest<Stage>, T>, cx: &mut StageCx) {
        if let Some(tree) = self.panickers {
            let spawn = Spawn { enabled: false, ..Spawn::default() };
            let agent = forest.spawn_with(cx, tree, spawn).expect("there is room for two");
            self.panicker = Some(agent);
        }
    }

    /// One tick. Returns its report, or `None` if an agent panicked.
    pub(crate) fn tick<T: Tracer + Send + Sync>(
        &self,
        forest: &mut Traced<'_, Forest<Stage>, T>,
        cx: &mut StageCx,
        dt: f32,
        how: How,
    ) -> Option<TickReport> {
        if how.panics {
            let panicker = self.panicker.expect("the scenario wanted one");
            forest.agent_mut(panicker).expect("it is never despawned").enable(cx);
        }
        let tick = AssertUnwindSafe(|| match (how.budget, how.pool) {
            (Some(agents), _) => forest.tick_within(cx, dt, Budget::Agents(agents)),
            (None, Some(pool)) => threads::tick(pool, forest, cx, dt),
            (None, None) => forest.tick(cx, dt),
        });
        let ticked = catch_unwind(tick);
        // Leaves that a finally calls outside of a tick do not panic.
        cx.bomb = None;
        match ticked {
            Ok(report) => Some(report.expect("whole seconds are a valid dt")),
            Err(panic) if panic.is::<Boom>() => None,
            Err(panic) => resume_unwind(panic),
        }
    }
}

/// Makes a call, if it concerns an agent. Returns whether it was carried out: an event can be
/// refused, and a slot may lack a word.
pub(crate) fn call<T: Tracer>(
    forest: &mut Traced<'_, Forest<Stage>, T>,
    cx: &mut StageCx,
    tree: &Tree<Stage>,
    agent: AgentId,
    call: &Call,
) -> bool {
    let here = "the agent is here";
    match call {
        Call::Enable => forest.agent_mut(agent).expect(here).enable(cx),
        Call::Disable => forest.agent_mut(agent).expect(here).disable(cx),
        Call::Restart => forest.agent_mut(agent).expect(here).restart(cx),
        Call::Pause => forest.agent_mut(agent).expect(here).pause(cx),
        Call::Unpause => forest.agent_mut(agent).expect(here).unpause(cx),
        Call::Set { key, value } => {
            let (mut keys, valid) = (forest.keys_mut(agent).expect(here), "the scenario was checked");
            match core_value(value) {
                core::Value::Bool(it) => keys.set(tree.key(key).expect(valid), it),
                core::Value::Int(it) => keys.set(tree.key(key).expect(valid), it),
                core::Value::Float(it) => keys.set(tree.key(key).expect(valid), it),
                core::Value::Vec2(it) => keys.set(tree.key(key).expect(valid), it),
                core::Value::Vec3(it) => keys.set(tree.key(key).expect(valid), it),
                core::Value::Entity(it) => keys.set(tree.key(key).expect(valid), it),
                core::Value::Symbol(it) => keys.set(tree.key(key).expect(valid), it),
                core::Value::Time(it) => keys.set(tree.key(key).expect(valid), it),
            };
        }
        Call::Event { event, payload } => {
            return match forest
                .agent_mut(agent)
                .map_err(Into::into)
                .and_then(|mut it| it.send(core_event(event, payload.as_ref())))
            {
                Ok(()) => true,
                Err(SendError::Refused { .. }) => false,
                Err(error) => panic!("{error}"),
            };
        }
        Call::Rate { frames } => forest.agent_mut(agent).map(|mut it| it.set_rate(rate(*frames))).expect(here),
        Call::Fill { slot, word, of } => {
            let group = forest.agent(agent).expect(here).group().filter(|_| *of == Whose::Group);
            return match (of, group) {
                (Whose::All, _) => {
                    let all = forest.agent(agent).expect(here).tree_id();
                    forest.population_mut(all).expect(here).fill(slot, word).is_ok()
                }
                (_, Some(group)) => forest.group_mut(group).expect(here).fill(slot, word).is_ok(),
                (_, None) => forest.agent_mut(agent).expect(here).fill(slot, word).is_ok(),
            };
        }
        Call::Budget { .. } | Call::Panic | Call::Replace { .. } | Call::Save | Call::Restore { .. } => {}
    }
    true
}

pub(crate) fn core_event(name: &str, payload: Option<&Value>) -> Event {
    let plain = Event::named(Symbol::new(name));
    payload.map_or(plain, |it| plain.with(core_value(it)))
}

/// A rate of one turn every `frames` frames. 0 is never.
pub(crate) fn rate(frames: u32) -> Rate {
    if frames == 0 { Rate::NEVER } else { Rate::every(frames).expect("the scenario was checked") }
}

pub(crate) fn core_value(value: &Value) -> core::Value {
    match value {
        Value::Bool(it) => core::Value::Bool(*it),
        Value::Int(it) => core::Value::Int(*it),
        Value::Float(it) => core::Value::Float(*it),
        Value::Vec2(it) => core::Value::Vec2(*it),
        Value::Vec3(it) => core::Value::Vec3(*it),
        Value::Entity(it) => core::Value::Entity(Entity::from_bits(*it)),
        Value::Symbol(it) => core::Value::Symbol(Symbol::new(it)),
        Value::Time(it) => core::Value::Time(core::Time::from_nanos(*it)),
    }
}
