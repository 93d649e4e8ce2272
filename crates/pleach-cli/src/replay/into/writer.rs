//! Plays an agent beside its replay, and notes what a case must contain for it.

use std::collections::BTreeMap;

use pleach::expr::KeyIndex;
use pleach::limits::MAX_DT;
use pleach::record::{Given, Replay};
use pleach::schema::{Schema, Scope};
use pleach::tools::kinds::NodeKind;
use pleach::tools::text::plain;
use pleach::trace::{Recorder, TraceEvent};
use pleach::{AgentId, Entity, NodeId, NodeRef, Outcome, Phase, Save, Status, Symbol, Tree, Value};

use super::super::{NEAR, cut_off, lost};
use crate::args::ReplayArgs;
use crate::failure::Failure;
use crate::paths::shown;
use crate::stage::{self, Answer, Loaded, Paper, Reply, Scene, Stage, When, Whom, called, whom, word};
use crate::test::{CaseText, StepText};

/// The most keys of a tick for which every subset is tried.
const MOST_KEYS: usize = 6;

/// The agent in the replay, and in the case that is written.
pub(super) struct Writer<'l> {
    loaded: &'l Loaded,
    paths: Vec<String>,
    scene: Paper,
    recorder: Recorder,
    /// The last answers of nodes that were written.
    standing: BTreeMap<NodeId, Vec<Status>>,
    steps: BTreeMap<u32, StepText>,
    /// Values of keys that were noted but not set.
    noted: BTreeMap<KeyIndex, Value>,
    pub(super) case: CaseText,
    tick: u32,
    dt: Option<f32>,
}

/// A tick of the recorded agent.
#[derive(Default)]
struct Tick {
    dt: f64,
    given: Vec<Given>,
    /// The values of the given keys after the tick.
    held: Vec<(KeyIndex, Value)>,
    events: Vec<TraceEvent>,
}

impl<'l> Writer<'l> {
    pub(super) fn new(loaded: &'l Loaded, save: &Save) -> Result<Self, Failure> {
        let paths = stage::paths(&loaded.tree);
        let mut case = CaseText { seed: 1, ..CaseText::default() };
        loaded.answers.put_back(stage::Said::default());
        for leaf in loaded.leaves.keys() {
            let of_condition = loaded.tree.nodes().any(|it| called(it) == Some(leaf) && answers_bool(it));
            let status = if of_condition { Status::Failure } else { Status::Running };
            case.leaves.push((leaf.clone(), word(status, of_condition).to_owned()));
            loaded.answers.say(Whom::Leaf(leaf.clone()), answer(&[status], of_condition));
        }
        let scene = Paper::restored(&loaded.tree, save).map_err(lost)?;
        let recorder = Recorder::of([scene.agent()]);
        let (standing, steps) = (BTreeMap::new(), BTreeMap::new());
        Ok(Writer { loaded, paths, scene, recorder, standing, steps, case, noted: BTreeMap::new(), tick: 0, dt: None })
    }

    /// Goes on with the replay to the end of the case. Returns when that was.
    pub(super) fn write(
        mut self,
        replay: &mut Replay<Stage>,
        (number, agent): (u32, AgentId),
        args: &ReplayArgs,
    ) -> Result<(Self, f64), Failure> {
        // The save does not contain the global keys.
        let mut tick = Tick { given: globals(replay, agent), ..Tick::default() };
        let mut ended = replay.forest().time();
        let mut stood: Option<(Vec<NodeId>, Option<Outcome>)> = None;
        loop {
            let time = replay.forest().time();
            if args.to.is_some_and(|it| time >= it - NEAR) {
                break;
            }
            let mut recorder = Recorder::of([agent]);
            match replay.step_traced(&mut (), &mut recorder) {
                Ok(true) => {}
                Ok(false) => match cut_off(replay) {
                    None => break,
                    Some(damage) => return Err(Failure::Failed(format!("`{}`: {damage}", shown(&args.file)))),
                },
                Err(error) => return Err(Failure::Failed(format!("`{}`: {error}", shown(&args.file)))),
            }
            let time = replay.forest().time();
            let wrong = |what: &str| {
                let frame = replay.frame();
                let help = "end the case before that with --to, or begin it after that with --from";
                Failure::Failed(format!("agent {number}, frame {frame}, {time:.3} s: {what}; {help}"))
            };
            if replay.changed().contains(&agent) {
                return Err(wrong("the game has changed the agent, which a case cannot say"));
            }
            let Ok(seen) = replay.forest().agent(agent) else {
                return Err(wrong("the agent has left"));
            };
            tick.dt += replay.last_step();
            let own = replay.given().iter().filter(|it| it.0 == agent).map(|it| it.1);
            let (noted, given): (Vec<Given>, Vec<Given>) = own.partition(|it| matches!(it, Given::Noted(..)));
            tick.given.extend(given);
            let events = recorder.take().into_iter().map(|it| it.event);
            tick.events.extend(events);
            let is_ticked = tick.events.iter().any(|it| matches!(it, TraceEvent::Tick));
            if !is_ticked && seen.phase() != Phase::Asleep {
                self.note(&noted);
                continue;
            }
            tick.held = held(replay, agent, &tick.given);
            self.tick(std::mem::take(&mut tick)).map_err(|it| wrong(&it))?;
            self.note(&noted);
            ended = time;
            let now: Vec<NodeId> = seen.current().collect();
            let agent = self.scene.forest().agent(self.scene.agent());
            if !agent.is_ok_and(|it| it.current().eq(now.iter().copied())) {
                return Err(wrong("the agent alone does not run what it ran in the game"));
            }
            let outcome = seen.last_outcome().filter(|_| now.is_empty());
            let stands = Some((now, outcome));
            if stands != stood {
                if let Some((running, outcome)) = &stood {
                    // It stayed so until one tick before.
                    self.expect(self.tick - 1, running, *outcome);
                }
                if let Some((running, outcome)) = &stands {
                    self.expect(self.tick, running, *outcome);
                }
                stood = stands;
            }
        }
        if self.tick == 0 {
            return Err(Failure::Usage("nothing happens between --from and --to".into()));
        }
        if let Some((now, outcome)) = stood {
            self.expect(self.tick, &now, outcome);
        }
        self.case.dt = self.steps.get(&0).and_then(|it| it.dt);
        if let Some(first) = self.steps.get_mut(&0) {
            first.dt = None;
        }
        let is_empty = |it: &StepText| it.tick == 0 && it.fields().is_empty();
        let steps = std::mem::take(&mut self.steps).into_values().filter(|it| !is_empty(it));
        self.case.steps = steps.flat_map(StepText::with_each_event_once).collect();
        Ok((self, ended))
    }

    /// Notes the values after a tick of keys that expressions read.
    fn note(&mut self, noted: &[Given]) {
        for it in noted {
            if let Given::Noted(key, value) = *it
                && self.loaded.tree.reads(key)
            {
                self.noted.insert(key, value);
            }
        }
    }

    /// The step after that tick.
    fn at(&mut self, tick: u32) -> &mut StepText {
        self.steps.entry(tick).or_insert_with(|| StepText { tick, ..StepText::default() })
    }

    /// What runs after that tick.
    fn expect(&mut self, tick: u32, running: &[NodeId], outcome: Option<Outcome>) {
        let names: Vec<String> = running.iter().map(|it| self.paths[it.index()].clone()).collect();
        let step = self.at(tick);
        step.running = names;
        if step.running.is_empty() {
            step.status = outcome.map(|it| word(it.into(), false).to_owned());
        }
    }

    /// Plays a tick as it was recorded.
    ///
    /// # Errors
    /// A case cannot say what happened.
    fn tick(&mut self, tick: Tick) -> Result<(), String> {
        if tick.given.iter().any(|it| matches!(it, Given::Drawn(_))) {
            return Err("its leaves have drawn random numbers, which a case cannot say".into());
        }
        #[expect(clippy::cast_possible_truncation, reason = "ticks take 32-bit seconds")]
        let dt = tick.dt as f32;
        if dt <= 0.0 || dt > MAX_DT {
            return Err(format!("a tick took {dt} s, and those of a case take more than 0 and at most {MAX_DT} s"));
        }
        let before = self.tick;
        if self.dt.is_none_or(|it| it.to_bits() != dt.to_bits()) {
            self.at(before).dt = Some(dt);
            self.dt = Some(dt);
        }
        for (node, statuses) in self.answers(&tick.events) {
            if self.standing.get(&node) == Some(&statuses) && statuses.len() == 1 {
                continue;
            }
            self.say(node, &statuses)?;
            self.standing.insert(node, statuses);
        }
        let schema = self.loaded.tree.schema();
        let mut keys: Vec<(KeyIndex, Value)> = Vec::new();
        for given in &tick.given {
            match *given {
                Given::Key(key, value) => {
                    self.noted.remove(&key);
                    keys.retain(|it| it.0 != key);
                    keys.push((key, value));
                }
                Given::Event(event) => {
                    let decl = schema.events().find(|it| Symbol::new(it.name()) == event.name());
                    let name =
                        decl.map(|it| it.name().to_owned()).ok_or("it was told of an event that is not declared")?;
                    let value = event.value().map(|it| written(schema, it)).transpose()?;
                    self.at(before).send.push((name, value));
                    let agent = self.scene.agent();
                    let sent = self.scene.forest_mut().agent_mut(agent).map_err(|it| it.to_string())?.send(event);
                    sent.map_err(|it| it.to_string())?;
                }
                _ => {}
            }
        }
        self.play(dt, &keys, &tick.held, &acts(&self.loaded.tree, &tick.events))
    }

    /// Plays a tick with the keys, or with a part of them: the tree may write the others itself. If
    /// the result differs, values noted earlier for other keys matter too.
    fn play(
        &mut self,
        dt: f32,
        keys: &[(KeyIndex, Value)],
        held: &[(KeyIndex, Value)],
        wanted: &[TraceEvent],
    ) -> Result<(), String> {
        let snapshot = self.scene.forest().snapshot().map_err(|it| it.to_string())?;
        let said = self.loaded.answers.copy();
        let all = (1_usize << keys.len().min(MOST_KEYS)) - 1;
        let rest = keys.get(MOST_KEYS..).unwrap_or_default();
        let mut first = None;
        let noted: Vec<(KeyIndex, Value)> = self.noted.iter().map(|it| (*it.0, *it.1)).collect();
        let with_noted = [&[][..], &noted];
        let tries = with_noted.into_iter().take(1 + usize::from(!noted.is_empty()));
        for (noted, part) in tries.flat_map(|noted| (0..=all).rev().map(move |part| (noted, part))) {
            let few = keys.iter().enumerate().filter(|it| it.0 < MOST_KEYS && part & (1 << it.0) != 0).map(|it| it.1);
            let set: Vec<(KeyIndex, Value)> = noted.iter().chain(few).chain(rest).copied().collect();
            let events = self.try_tick(dt, &set)?;
            if acts(&self.loaded.tree, &events) == wanted && self.holds(held) {
                let before = self.tick;
                for (key, _) in noted {
                    self.noted.remove(key);
                }
                for (key, value) in set {
                    let (name, value) = self.key(key, value)?;
                    self.at(before).set.insert(name, value);
                }
                self.tick += 1;
                return Ok(());
            }
            first.get_or_insert(events);
            self.scene.forest_mut().rollback(&snapshot).map_err(|it| it.to_string())?;
            self.loaded.answers.put_back(said.clone());
        }
        let events = acts(&self.loaded.tree, &first.unwrap_or_default());
        let at = events.iter().zip(wanted).take_while(|it| it.0 == it.1).count();
        if at == events.len().max(wanted.len()) {
            return Err(
                "a key does not hold what it held in the game: perhaps a leaf writes it in the middle of the tick"
                    .into(),
            );
        }
        let line = |it: Option<&TraceEvent>| {
            it.and_then(|it| crate::trace::line(&self.loaded.tree, *it)).unwrap_or_else(|| "nothing more".into())
        };
        Err(format!(
            "the agent alone does not do what it did in the game: `{}` was recorded, and the case has `{}`. Perhaps other \
             agents hold a token, or a leaf writes a key in the middle of the tick",
            line(wanted.get(at)).trim(),
            line(events.get(at)).trim()
        ))
    }

    /// Whether keys have the values that they had in the game.
    fn holds(&self, held: &[(KeyIndex, Value)]) -> bool {
        let agent = self.scene.forest().agent(self.scene.agent());
        agent.is_ok_and(|agent| held.iter().all(|(key, value)| agent.keys().value(*key) == Ok(*value)))
    }

    fn try_tick(&mut self, dt: f32, keys: &[(KeyIndex, Value)]) -> Result<Vec<TraceEvent>, String> {
        let agent = self.scene.agent();
        let forest = self.scene.forest_mut();
        for &(key, value) in keys {
            let mut held = forest.keys_mut(agent).map_err(|it| it.to_string())?;
            held.set_value(key, value).map_err(|it| it.to_string())?;
        }
        self.scene.tick(dt, &mut self.recorder)?;
        Ok(self.recorder.take().into_iter().map(|it| it.event).collect())
    }

    /// The answers of each node's leaf in a tick: a single one if it was always the same.
    fn answers(&self, events: &[TraceEvent]) -> BTreeMap<NodeId, Vec<Status>> {
        let mut answers: BTreeMap<NodeId, Vec<Status>> = BTreeMap::new();
        for event in events {
            let (node, status) = match *event {
                TraceEvent::Update(node, status) | TraceEvent::Recheck(node, status) => (node, status),
                TraceEvent::Check(node, holds) => (node, if holds { Status::Success } else { Status::Failure }),
                _ => continue,
            };
            if self.loaded.tree.node(node).and_then(called).is_some() {
                answers.entry(node).or_default().push(status);
            }
        }
        for statuses in answers.values_mut() {
            if statuses.iter().all(|it| *it == statuses[0]) {
                statuses.truncate(1);
            }
        }
        answers
    }

    /// Sets the answers of a node's leaf from the next tick on.
    fn say(&mut self, node: NodeId, statuses: &[Status]) -> Result<(), String> {
        let tree = &self.loaded.tree;
        let Some(it) = tree.node(node) else { return Ok(()) };
        let leaf = called(it).unwrap_or_default();
        let of_condition = answers_bool(it);
        let answer = answer(statuses, of_condition);
        let means = |name: &str| whom(tree, &self.loaded.leaves, name).ok();
        let is_only = tree.nodes().filter(|it| called(*it) == Some(leaf)).count() == 1;
        let of_leaf = is_only && means(leaf) == Some(Whom::Leaf(leaf.to_owned()));
        let of_node = Whom::Node(node, leaf.to_owned());
        let names = [self.paths[node.index()].clone(), node.to_string()];
        let (name, whom) = if of_leaf {
            (leaf.to_owned(), Whom::Leaf(leaf.to_owned()))
        } else {
            let name = names.into_iter().find(|it| means(it) == Some(of_node.clone()));
            (name.ok_or_else(|| format!("no name means {it} alone"))?, of_node)
        };
        self.loaded.answers.say(whom, answer);
        let words: Vec<&str> = statuses.iter().map(|it| word(*it, of_condition)).collect();
        let text = if let [word] = words[..] { word.to_owned() } else { format!("[{}]", words.join(", ")) };
        let before = self.tick;
        if before > 0 {
            self.at(before).answer.insert(name, text);
            return Ok(());
        }
        match self.case.leaves.iter_mut().find(|it| it.0 == name) {
            Some(it) => it.1 = text,
            None => self.case.leaves.push((name, text)),
        }
        Ok(())
    }

    /// How a key and its value are written.
    fn key(&self, key: KeyIndex, value: Value) -> Result<(String, String), String> {
        let schema = self.loaded.tree.schema();
        let decl = schema.decl(key);
        let full = format!("{}.{}", stage::place(decl), decl.name());
        let names = [decl.name().to_owned(), full];
        let name = names.into_iter().find(|it| stage::key(&self.loaded.tree, it) == Ok(key));
        Ok((
            name.ok_or_else(|| format!("no name means the key `{}` alone", plain(decl.name())))?,
            written(schema, value)?,
        ))
    }
}

/// The keys of all agents that do not hold their defaults.
fn globals(replay: &Replay<Stage>, agent: AgentId) -> Vec<Given> {
    let Ok(view) = replay.inspect(agent) else { return Vec::new() };
    let keys = view.keys.iter().enumerate();
    let global = keys.filter(|(_, (decl, held))| decl.scope() == Scope::Global && decl.default() != *held);
    global.filter_map(|(at, (_, held))| Some(Given::Key(KeyIndex::new(at)?, *held))).collect()
}

/// The current values of the keys that an agent was given.
fn held(replay: &Replay<Stage>, agent: AgentId, given: &[Given]) -> Vec<(KeyIndex, Value)> {
    let Ok(agent) = replay.forest().agent(agent) else { return Vec::new() };
    let value = |it: &Given| match it {
        Given::Key(key, _) => Some((*key, agent.keys().value(*key).ok()?)),
        _ => None,
    };
    given.iter().filter_map(value).collect()
}

/// Whether the leaf of a node answers yes or no.
fn answers_bool(node: NodeRef<'_, Stage>) -> bool {
    node.is_condition() || node.node_kind() == NodeKind::Guard
}

fn answer(statuses: &[Status], of_condition: bool) -> Answer {
    let replies = statuses.iter().map(|it| Reply { status: *it, when: When::AtOnce }).collect();
    Answer { replies, of_condition }
}

/// A value as test files write it, to the bit.
fn written(schema: &Schema, value: Value) -> Result<String, String> {
    let floats = |all: &[f32]| match all.iter().all(|it| it.is_finite()) {
        true => Ok(all.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>().join(", ")),
        false => Err("a key holds a number that is not finite, which a case cannot say".to_owned()),
    };
    Ok(match value {
        Value::Bool(it) => it.to_string(),
        Value::Int(it) => it.to_string(),
        Value::Float(it) => floats(&[it])?,
        Value::Vec2(it) => format!("({})", floats(&it)?),
        Value::Vec3(it) => format!("({})", floats(&it)?),
        Value::Entity(it) if it == Entity::NONE => "none".into(),
        Value::Entity(it) => it.to_bits().to_string(),
        Value::Time(it) => it.to_string(),
        Value::Symbol(it) => match schema.word(it) {
            Some(word) => format!("{word:?}"),
            None => return Err("a key holds a word that the tree does not know".into()),
        },
    })
}

/// What an agent did in a tick: starts and ends of actions, and events. A replay asks conditions
/// that a game does not, as nothing that they read has changed.
fn acts(tree: &Tree<Stage>, events: &[TraceEvent]) -> Vec<TraceEvent> {
    let is_action = |node: NodeId| tree.node(node).is_some_and(|it| it.children().len() == 0 && !it.is_condition());
    let is_act = |it: &&TraceEvent| match **it {
        TraceEvent::Start(node) | TraceEvent::End(node, _) | TraceEvent::Aborted(node, _) => is_action(node),
        TraceEvent::Emit(..) | TraceEvent::Pause(_) | TraceEvent::Unpause(_) => true,
        _ => false,
    };
    events.iter().filter(is_act).copied().collect()
}
