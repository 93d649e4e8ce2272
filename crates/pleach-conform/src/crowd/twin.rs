//! One agent, played twice: by a brain and by the only agent of a forest. Both must do the same, to
//! the callback, the trace and the key.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use pleach_core as core;
use pleach_core::record::{RecordedTree, Recording, Replay};
use pleach_core::{
    AgentId, Brain, BrainSave, Completion, Event, Forest, NodeId, Outcome, Phase, Replace, Save, Settings, Spawn, Tree,
    Value,
    inspect::{AbortView, AgentView, MonitorView},
    trace::{NoTracer, Traced, Tracer},
};

use super::Prepared;
use crate::dice::Dice;
use crate::happening::Happening;
use crate::runner::stage::{Boom, HappeningLog, Heard, Scribe, Slot, Stage, StageCx};
use crate::runner::{self, core_event, core_value};
use crate::scenario::{Call, Scenario};

/// How both are played.
#[derive(Clone, Debug)]
pub struct Twins {
    /// Whether both are traced.
    pub traced: bool,
    /// Whether the brain is recorded and replayed.
    pub recorded: bool,
    /// Whether leaves have no callback except their update, if they need no other.
    pub bare: bool,
    /// Whether every condition is evaluated in every tick.
    pub every_tick: bool,
    /// Whether they sleep while they have nothing to do.
    pub sleep: bool,
    /// What they do when their root has ended.
    pub completion: Completion,
    /// The seconds of each frame.
    pub frames: Vec<u8>,
    /// The frames in which the first action that is updated panics.
    pub bombs: Vec<u32>,
    /// Before these frames the tree is replaced by itself; the flag: whether running nodes go on.
    pub replaced: Vec<(u32, bool)>,
}

impl Twins {
    /// A random way to play both, which needs no more than one agent.
    #[must_use]
    pub fn roll(scenario: &Scenario, seed: u64) -> Twins {
        let mut dice = Dice::new(seed);
        let frames = scenario.ticks.saturating_add(dice.between(0, 3)).max(1);
        let (uneven, bombs, replaced) = (dice.chance(25), dice.chance(30), dice.chance(15));
        let replaced_at: Vec<u32> = (1..=frames).filter(|_| replaced && dice.chance(20)).collect();
        Twins {
            traced: dice.chance(30),
            recorded: dice.chance(30),
            bare: dice.chance(50),
            every_tick: dice.chance(30),
            sleep: dice.chance(60),
            completion: if dice.chance(50) { Completion::Stop } else { Completion::Restart },
            frames: (0..frames).map(|_| if uneven { dice.pick(&[0, 1, 1, 2, 3]) } else { 1 }).collect(),
            bombs: (1..=frames).filter(|_| bombs && dice.chance(20)).collect(),
            replaced: replaced_at.into_iter().map(|it| (it, dice.chance(50))).collect(),
        }
    }

    fn configure(&self, settings: &mut Settings) {
        (settings.reevaluate_every_tick, settings.sleep) = (self.every_tick, self.sleep);
    }

    /// Plays a scenario.
    ///
    /// # Errors
    /// The first difference.
    pub fn check(&self, scenario: &Prepared<'_>) -> Result<(), String> {
        self.check_with(scenario, scenario)
    }

    /// The same, with the leaves of another scenario for the brain.
    ///
    /// # Errors
    /// The first difference.
    pub fn check_with(&self, scenario: &Prepared<'_>, of_brain: &Prepared<'_>) -> Result<(), String> {
        let scribe = |seen: &Arc<HappeningLog>| Scribe { seen: Arc::clone(seen), names: Arc::clone(&scenario.names) };
        let recording = &mut Recording::new().keys_every(3);
        let played = match (self.traced, self.recorded) {
            (true, false) => self.play(scenario, of_brain, scribe, scribe),
            (false, false) => self.play(scenario, of_brain, |_| NoTracer, |_| NoTracer),
            (true, true) => self.play(scenario, of_brain, scribe, |seen| (scribe(seen), &mut *recording)),
            (false, true) => self.play(scenario, of_brain, |_| NoTracer, |_| &mut *recording),
        };
        let played = played.and_then(|stood| self.check_recording(of_brain, recording, &stood));
        played.map_err(|it| format!("{self:?}\n{it}"))
    }

    /// Compares what the brain ran after each frame with a replay.
    fn check_recording(&self, of_brain: &Prepared<'_>, recording: &Recording, stood: &[Stand]) -> Result<(), String> {
        if !self.recorded {
            return Ok(());
        }
        let all = of_brain.all_trees(self.bare);
        let find = |tree: &RecordedTree<'_>| all.iter().find(|it| tree.is(it)).cloned();
        let mut replay = Replay::open(&recording.to_bytes(), find).map_err(|it| it.to_string())?;
        let mut cx = StageCx::new(Arc::clone(&of_brain.names), None);
        let mut before: Option<(Stand, &Stand)> = None;
        for expected in stood {
            if !replay.step(&mut cx).map_err(|it| it.to_string())? {
                return Err("the recording has too few frames".to_owned());
            }
            // A change made after the frame is known from the next one.
            if let Some((found, expected)) = before.filter(|it| replay.changed().is_empty() && it.0 != *it.1) {
                return Err(format!("before frame {}: recorded {expected:?}, replayed {found:?}", replay.frame()));
            }
            let agent = replay.agent(0).flatten().and_then(|it| replay.forest().agent(it).ok());
            let agent = agent.ok_or("the replay has no agent")?;
            let runs = matches!(agent.phase(), Phase::Active | Phase::Asleep);
            before = Some(((runs, agent.current().collect()), expected));
        }
        if let Some((found, expected)) = before.filter(|it| it.0 != *it.1) {
            return Err(format!("behind the last frame: recorded {expected:?}, replayed {found:?}"));
        }
        replay.divergences().first().map_or(Ok(()), |it| Err(it.to_string()))
    }

    /// Returns what the brain ran after each frame.
    fn play<T: Tracer, B: Tracer>(
        &self,
        prepared: &Prepared<'_>,
        of_brain: &Prepared<'_>,
        tracer: impl FnOnce(&Arc<HappeningLog>) -> T,
        brain_tracer: impl FnOnce(&Arc<HappeningLog>) -> B,
    ) -> Result<Vec<Stand>, String> {
        let (scenario, names) = (prepared.scenario, &prepared.names);
        let tree = |of: usize, version: usize| [prepared, of_brain][of].tree(self.bare, version);
        let spawn =
            Spawn { completion: self.completion, seed: Some(scenario.seed), enabled: false, ..Spawn::default() };
        let seen = [(); 2].map(|()| Arc::new(HappeningLog::new(false)));
        let [one, other] = &seen;
        let mut cx = [one, other].map(|it| StageCx::new(Arc::clone(names), Some(Arc::clone(it))));
        let [cx_of_forest, cx_of_brain] = &mut cx;
        let (mut forest, mut tracer, mut brain_tracer) = (Forest::new(0), tracer(one), brain_tracer(other));
        let mut forest = forest.traced(&mut tracer);
        forest.configure(|it| self.configure(it));
        let of = forest.add_tree(Arc::clone(tree(0, 0))).expect("no other tree has keys");
        let agent = forest.spawn_with(cx_of_forest, of, spawn).expect("the forest is empty");
        let mut brain = Brain::spawn_with(cx_of_brain, Arc::clone(tree(1, 0)), 0, spawn);
        let mut brain = brain.traced(&mut brain_tracer);
        brain.configure(|it| self.configure(it));
        if brain.agent() != agent {
            return Err(format!("the agent of the brain is {:?}, that of the forest {agent:?}", brain.agent()));
        }
        cx.iter_mut().for_each(|it| it.seat(agent));
        let (mut lone, mut brain) = (Lone { forest, agent, of, save: None }, LoneBrain { brain, save: None });
        let mut twins: [&mut dyn Twin; 2] = [&mut lone, &mut brain];
        let mut ended = [None; 2];
        let (mut version, mut stood) = (0, Vec::new());
        for (frame, &seconds) in (1_u32..).zip(&self.frames) {
            let before = version;
            for (of, ((twin, cx), ended)) in twins.iter_mut().zip(&mut cx).zip(&mut ended).enumerate() {
                version = before;
                if frame == 1 || self.bombs.contains(&frame.saturating_sub(2)) {
                    twin.call(cx, tree(of, version), &Call::Enable);
                }
                for op in scenario.ops.iter().filter(|it| it.before == frame) {
                    version += usize::from(op.call.version().is_some());
                    match op.call {
                        Call::Save => twin.save(),
                        Call::Restore { .. } => twin.restore(cx, tree(of, version), self),
                        Call::Replace { keeps, .. } => twin.replace(cx, runner::by(tree(of, version), keeps)),
                        _ => twin.call(cx, tree(of, version), &op.call),
                    }
                }
                for &(_, keeps) in self.replaced.iter().filter(|it| it.0 == frame) {
                    twin.replace(cx, runner::by(tree(of, version), keeps));
                }
                cx.frame = frame;
                cx.bomb = self.bombs.contains(&frame).then(|| Slot::of(agent));
                let tick = AssertUnwindSafe(|| twin.tick(cx, seconds.into()));
                let ticked = catch_unwind(tick);
                cx.bomb = None;
                *ended = match ticked {
                    Ok(outcome) => outcome,
                    Err(panic) if panic.is::<Boom>() => None,
                    Err(panic) => resume_unwind(panic),
                };
            }
            let facts = twins[1].facts();
            stood.push((matches!(facts.phase, Phase::Active | Phase::Asleep), facts.current));
            let slot = Slot::of(agent);
            let [found, expected] = [1, 0].map(|it: usize| Frame {
                heard: std::mem::take(&mut cx[it].seat_of(slot).heard),
                traced: seen[it].of(slot, std::mem::take),
                ended: ended[it],
                facts: twins[it].facts(),
            });
            // A NaN differs from itself, but its description is the same.
            if expected != found && expected.lines(prepared, version, before) != found.lines(prepared, version, before)
            {
                let [expected, found] = [expected, found].map(|it| it.lines(prepared, version, before).join("\n"));
                return Err(format!("frame {frame}: \n--- the forest\n{expected}\n+++ the brain\n{found}"));
            }
        }
        for (twin, cx) in twins.iter_mut().zip(&mut cx) {
            twin.despawn(cx);
        }
        let [expected, found] = cx.map(|mut it| format!("{:?}", it.seat_of(Slot::of(agent)).heard));
        if expected != found {
            return Err(format!("what the host hears at the end:\n--- expected\n{expected}\n+++ found\n{found}"));
        }
        Ok(stood)
    }
}

/// Whether an agent runs, and what it runs.
type Stand = (bool, Vec<NodeId>);

/// The only agent of a forest.
struct Lone<'f, T: Tracer> {
    forest: Traced<'f, Forest<Stage>, T>,
    agent: AgentId,
    of: core::TreeId,
    save: Option<Save>,
}

/// A brain.
struct LoneBrain<'b, T: Tracer> {
    brain: Traced<'b, Brain<Stage>, T>,
    save: Option<BrainSave>,
}

/// What the twins can do.
trait Twin {
    fn call(&mut self, cx: &mut StageCx, tree: &Tree<Stage>, call: &Call);
    /// How the root ended, if it did.
    fn tick(&mut self, cx: &mut StageCx, dt: f32) -> Option<Outcome>;
    fn replace(&mut self, cx: &mut StageCx, by: Replace<Stage>);
    /// Makes no save while requests are pending because a leaf has panicked.
    fn save(&mut self);
    /// Restores the last save elsewhere, under this tree, or replaces the tree if there is none.
    fn restore(&mut self, cx: &mut StageCx, tree: &Arc<Tree<Stage>>, how: &Twins);
    fn despawn(&mut self, cx: &mut StageCx);
    fn facts(&self) -> Facts;
}

/// What is visible of an agent from outside.
#[derive(Debug, PartialEq)]
struct Facts {
    phase: Phase,
    time: f64,
    last_outcome: Option<Outcome>,
    stacks: Vec<Vec<NodeId>>,
    monitors: Vec<MonitorView>,
    last_abort: Option<AbortView>,
    keys: Vec<Value>,
    mail: Vec<Event>,
    current: Vec<NodeId>,
}

impl Facts {
    fn of(view: AgentView<Stage>, current: impl Iterator<Item = NodeId>) -> Facts {
        let AgentView { phase, time, last_outcome, stacks, monitors, last_abort, keys, mail, .. } = view;
        let keys = keys.iter().map(|it| it.1).collect();
        Facts { phase, time, last_outcome, stacks, monitors, last_abort, keys, mail, current: current.collect() }
    }
}

/// The result of a frame.
#[derive(Debug, PartialEq)]
struct Frame {
    heard: Vec<Heard>,
    traced: Vec<Happening>,
    ended: Option<Outcome>,
    facts: Facts,
}

impl Frame {
    /// The same in words, between two versions of the tree.
    fn lines(&self, prepared: &Prepared<'_>, version: usize, before: usize) -> Vec<String> {
        let words = |it: &Happening| {
            if before == version { prepared.words(version).line(it) } else { format!("{it:?}") }
        };
        let heard = self.heard.iter().map(|it| format!("heard {it:?}"));
        let traced = self.traced.iter().map(|it| format!("traced {}", words(it)));
        heard.chain(traced).chain([format!("ended {:?}", self.ended), format!("{:?}", self.facts)]).collect()
    }
}

impl<T: Tracer> Twin for Lone<'_, T> {
    fn call(&mut self, cx: &mut StageCx, tree: &Tree<Stage>, call: &Call) {
        if !matches!(call, Call::Rate { .. }) {
            runner::call(&mut self.forest, cx, tree, self.agent, call);
        }
    }
    fn tick(&mut self, cx: &mut StageCx, dt: f32) -> Option<Outcome> {
        let report = self.forest.tick(cx, dt).expect("whole seconds are a valid dt");
        self.forest.agent(self.agent).expect("it is here").last_outcome().filter(|_| report.ended > 0)
    }
    fn replace(&mut self, cx: &mut StageCx, by: Replace<Stage>) {
        self.forest.replace_tree(cx, self.of, by).expect("no other tree has keys");
    }
    fn save(&mut self) {
        self.save = self.forest.save().ok();
    }
    fn restore(&mut self, cx: &mut StageCx, tree: &Arc<Tree<Stage>>, how: &Twins) {
        let Some(save) = &self.save else { return self.replace(cx, runner::by(tree, true)) };
        *self.forest = Forest::new(1);
        self.forest.configure(|it| how.configure(it));
        self.of = self.forest.add_tree(Arc::clone(tree)).expect("no other tree has keys");
        self.forest.restore(cx, save).expect("it was saved");
    }
    fn despawn(&mut self, cx: &mut StageCx) {
        self.forest.agent_mut(self.agent).expect("it is here").despawn(cx);
    }
    fn facts(&self) -> Facts {
        let agent = self.forest.agent(self.agent).expect("it is here");
        Facts::of(agent.inspect(), agent.current())
    }
}

impl<T: Tracer> Twin for LoneBrain<'_, T> {
    fn call(&mut self, cx: &mut StageCx, _: &Tree<Stage>, call: &Call) {
        match call {
            Call::Enable => self.brain.enable(cx),
            Call::Disable => self.brain.disable(cx),
            Call::Restart => self.brain.restart(cx),
            Call::Pause => self.brain.pause(cx),
            Call::Unpause => self.brain.unpause(cx),
            Call::Set { key, value } => {
                self.brain.keys_mut().set_value(key, core_value(value)).expect("the scenario was checked");
            }
            Call::Event { event, payload } => {
                // A refused call does nothing, as in a forest.
                let _refused = self.brain.send(core_event(event, payload.as_ref())).is_err();
            }
            Call::Fill { slot, word, of: _ } => {
                let _refused = self.brain.keys_mut().fill(slot, word).is_err();
            }
            Call::Rate { .. }
            | Call::Budget { .. }
            | Call::Panic
            | Call::Replace { .. }
            | Call::Save
            | Call::Restore { .. } => {}
        }
    }
    fn tick(&mut self, cx: &mut StageCx, dt: f32) -> Option<Outcome> {
        self.brain.tick(cx, dt).expect("whole seconds are a valid dt")
    }
    fn replace(&mut self, cx: &mut StageCx, by: Replace<Stage>) {
        self.brain.replace_tree(cx, by).expect("no keys are bound");
    }
    fn save(&mut self) {
        self.save = self.brain.save().ok();
    }
    fn restore(&mut self, cx: &mut StageCx, tree: &Arc<Tree<Stage>>, how: &Twins) {
        let Some(save) = &self.save else { return self.replace(cx, runner::by(tree, true)) };
        let spawn = Spawn { enabled: false, ..Spawn::default() };
        *self.brain = Brain::spawn_with(cx, Arc::clone(tree), 1, spawn);
        self.brain.configure(|it| how.configure(it));
        self.brain.restore(cx, save).expect("it was saved");
    }
    fn despawn(&mut self, cx: &mut StageCx) {
        self.brain.despawn(cx);
    }
    fn facts(&self) -> Facts {
        Facts::of(self.brain.inspect().expect("it is here"), self.brain.current())
    }
}
