//! Plays one agent by a script, and says what it does.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;

use pleach::draw::{Drawing, TraceLine};
use pleach::trace::{Recorder, TraceKinds};
use pleach::{AgentId, Context, Event, Forest, Host, Library, Registry, Status, Symbol, Type, Value};

/// The host of trees that need no world.
struct Stage;
impl Host for Stage {
    type Cx<'a> = ();
}

/// The files of a chapter, to load trees from.
fn library(files: &[(String, String)]) -> Library<BTreeMap<&str, &str>> {
    Library::new(files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect())
}

/// The drawing of a tree without leaves of a game.
pub(crate) fn drawn(files: &[(String, String)], file: &str) -> Result<String, Box<dyn Error>> {
    let tree = library(files).load(file, &Registry::<Stage>::new())?;
    Ok(Drawing::of(&tree).text().to_string())
}

/// The agent of a script.
struct Player {
    forest: Forest<Stage>,
    agent: AgentId,
    recorder: Recorder,
    traces: bool,
    out: String,
}

/// What one agent of a tree does. The script names the file, and then steps:
///
/// - `tick`, `tick 0.5`, `tick 0.5 x 4`: lets time pass;
/// - `set key value`, `send event`, `fill slot tree`, `pause`, `unpause`, `restart`;
/// - `show`, `explain`, `why node`: says what there is to say;
/// - `quiet`, `trace`: whether ticks are traced.
pub(crate) fn play(files: &[(String, String)], script: &str) -> Result<String, Box<dyn Error>> {
    let mut registry = Registry::<Stage>::new();
    registry.action_fn("LookOut", |_: &mut Context<'_, '_, Stage>| Status::Success)?;
    let mut steps = script.split(';').map(str::trim);
    let file = steps.next().unwrap_or_default();
    let mut forest = Forest::new(7);
    let tree = library(files).add_tree(file, &registry, &mut forest)?;
    let agent = forest.spawn(&mut (), tree)?;
    let kinds = TraceKinds::all().difference(TraceKinds::TICKS);
    let recorder = Recorder::of([agent]).only(kinds);
    let mut player = Player { forest, agent, recorder, traces: true, out: String::new() };
    for step in steps {
        player.step(step).map_err(|error| format!("{step}: {error}"))?;
    }
    Ok(player.out)
}

impl Player {
    fn step(&mut self, step: &str) -> Result<(), Box<dyn Error>> {
        let words: Vec<&str> = step.split_whitespace().collect();
        let cx = &mut ();
        match words[..] {
            ["tick"] => self.tick(0.1, 1)?,
            ["tick", dt] => self.tick(dt.parse()?, 1)?,
            ["tick", dt, "x", times] => self.tick(dt.parse()?, times.parse()?)?,
            ["set", key, value] => {
                writeln!(self.out, "-- {key} = {value}")?;
                let schema = self.forest.agent(self.agent)?.tree().schema();
                let decl = schema.keys().find(|it| it.name() == key).ok_or("no such key")?;
                let value = match decl.ty() {
                    Type::Bool => Value::Bool(value.parse()?),
                    Type::Int => Value::Int(value.parse()?),
                    Type::Float => Value::Float(value.parse()?),
                    Type::Symbol => Value::Symbol(Symbol::new(value)),
                    other => return Err(format!("keys of type {other} are not set here").into()),
                };
                self.forest.keys_mut(self.agent)?.set_value(key, value)?;
            }
            ["send", event] => {
                writeln!(self.out, "-- event {event}")?;
                self.forest.agent_mut(self.agent)?.send(Event::new(event.to_owned().leak() as &str))?;
            }
            ["fill", slot, tree] => {
                writeln!(self.out, "-- slot {slot} = {tree}")?;
                self.forest.agent_mut(self.agent)?.fill(slot, tree)?;
            }
            ["pause"] => self.forest.agent_mut(self.agent)?.pause(cx),
            ["unpause"] => self.forest.agent_mut(self.agent)?.unpause(cx),
            ["restart"] => self.forest.agent_mut(self.agent)?.restart(cx),
            ["show"] => {
                let view = self.forest.agent(self.agent)?.inspect();
                write!(self.out, "{}", Drawing::of_agent(&view).text())?;
            }
            ["explain"] => writeln!(self.out, "{}", self.forest.agent(self.agent)?.explain())?,
            ["why", ..] => {
                let name = words[1..].join(" ");
                let agent = self.forest.agent(self.agent)?;
                let node = agent.tree().find_one(&name)?.id();
                writeln!(self.out, "{}", agent.why_not(node).ok_or("no such node")?)?;
            }
            ["quiet"] => self.traces = false,
            ["trace"] => self.traces = true,
            _ => return Err("no such step".into()),
        }
        Ok(())
    }

    fn tick(&mut self, dt: f32, times: u32) -> Result<(), Box<dyn Error>> {
        for _ in 0..times {
            self.forest.traced(&mut self.recorder).tick(&mut (), dt)?;
            let entries = self.recorder.take();
            if self.traces {
                writeln!(self.out, "-- tick at {:.1} s", self.forest.time())?;
                let tree = self.forest.agent(self.agent)?.tree();
                for entry in entries {
                    writeln!(self.out, "{}", TraceLine::of(tree, entry.event))?;
                }
            }
        }
        Ok(())
    }
}
