//! `pleach play`: what one agent of a tree does while a script changes keys, sends events and lets
//! time pass. It needs no world: leaves of a game answer what the script says.

mod stage;
mod steps;

use std::io::{BufWriter, Write};

use pleach::error::StaleError;
use pleach::text::plain;
use pleach::trace::Recorder;
use pleach::{AgentId, Entity, Event, Forest, Host, Registry, Spawn, Symbol, Tree, Type, Value};
use pleach_draw::Drawing;

use crate::args::PlayArgs;
use crate::failure::Failure;
use crate::files::{TreeFile, told};
use crate::leaves;
use crate::paint::{FAINT, RESET, painted, parts};
use crate::trace::line;
use stage::{Answers, Asked, Stage};
use steps::Step;

pub(crate) fn script<H: Host>(own: &Registry<H>, args: &PlayArgs) -> Result<(), Failure> {
    let steps = steps::parse(&args.script)?;
    let asked = Asked::default();
    let registry = match &args.leaves {
        Some(file) => stage::leaves(&leaves::registry(file, [&*args.file])?, &steps, &asked),
        None => stage::leaves(own.check_only().allow_any_leaf(true), &steps, &asked),
    };
    let tree = TreeFile::read(&args.file)?.load(&registry).map_err(|it| told(&it))?;
    check_leaves(own, args, &steps, &asked)?;
    let out = BufWriter::new(anstream::stdout().lock());
    let mut player = Player::begin(tree, args.seed, out)?;
    for step in steps {
        player.step(step)?;
    }
    Ok(player.out.flush()?)
}

/// # Errors
/// A leaf is not known, and the script does not say what it answers; or the script has an answer
/// of a leaf that the tree does not have.
fn check_leaves<H: Host>(own: &Registry<H>, args: &PlayArgs, steps: &[Step<'_>], asked: &Asked) -> Result<(), Failure> {
    let names = asked.names();
    let answered = |name: &str| steps.iter().any(|it| matches!(it, Step::Answer(leaf, _) if *leaf == name));
    // With a manifest, the loader has refused those that it does not have.
    let known = |name: &str| args.leaves.is_some() || own.contains(name) || answered(name);
    if let Some(name) = names.iter().find(|it| !known(it)) {
        return Err(Failure::Usage(format!(
            "`{name}` is not known here: say in the script what it answers, as in `answer {name} running`"
        )));
    }
    for step in steps {
        if let Step::Answer(leaf, _) = step
            && !names.contains(*leaf)
        {
            return Err(Failure::Usage(format!("the script: the tree has no leaf `{}`", plain(leaf))));
        }
    }
    Ok(())
}

/// The agent of a script.
struct Player<W> {
    forest: Forest<Stage>,
    agent: AgentId,
    answers: Answers,
    recorder: Recorder,
    traces: bool,
    out: W,
}

impl<W: Write> Player<W> {
    fn begin(tree: Tree<Stage>, seed: u64, out: W) -> Result<Self, Failure> {
        let failed = |error: &dyn std::error::Error| Failure::Failed(error.to_string());
        let (mut forest, mut answers) = (Forest::new(seed), Answers::default());
        let tree = forest.add_tree(tree).map_err(|it| failed(&it))?;
        // A group of its own, so that it has group keys.
        let spawn = Spawn { group: Some(forest.new_group()), ..Spawn::default() };
        let agent = forest.spawn_with(&mut answers, tree, spawn).map_err(|it| failed(&it))?;
        Ok(Player { forest, agent, answers, recorder: Recorder::of([agent]), traces: true, out })
    }

    fn step(&mut self, step: Step<'_>) -> Result<(), Failure> {
        let id = self.agent;
        match step {
            Step::Tick(dt, times) => (0..times).try_for_each(|_| self.tick(dt))?,
            Step::Set(key, text) => {
                let schema = self.forest.agent(id).map_err(lost)?.tree().schema();
                let names: Vec<&str> = schema.keys().map(|it| it.name()).collect();
                let decl = schema.keys().find(|it| it.name() == key);
                let ty = decl.map(|it| it.ty()).ok_or_else(|| none("key", key, &names))?;
                let value = value(ty, text).ok_or_else(|| no_value(text, ty))?;
                let set = self.forest.keys_mut(id).map_err(lost)?.set_value(key, value);
                set.map_err(|error| wrong(format!("set {key} {text}"), &error))?;
                self.note(&format!("{key} = {text}"))?;
            }
            Step::Send(name, text) => {
                let schema = self.forest.agent(id).map_err(lost)?.tree().schema();
                let names: Vec<&str> = schema.events().map(|it| it.name()).collect();
                let decl = schema.events().find(|it| it.name() == name);
                let payload = decl.map(|it| it.payload()).ok_or_else(|| none("event", name, &names))?;
                let event = Event::named(Symbol::new(name));
                let event = match (payload, text) {
                    (Some(ty), Some(text)) => event.with(value(ty, text).ok_or_else(|| no_value(text, ty))?),
                    _ => event,
                };
                let sent = self.forest.agent_mut(id).map_err(lost)?.send(event);
                sent.map_err(|error| wrong(format!("send {name}"), &error))?;
                self.note(&text.map_or_else(|| format!("event {name}"), |it| format!("event {name} {it}")))?;
            }
            Step::Fill(slot, tree) => {
                let filled = self.forest.agent_mut(id).map_err(lost)?.fill(slot, tree);
                filled.map_err(|error| wrong(format!("fill {slot} {tree}"), &error))?;
                self.note(&format!("slot {slot} = {tree}"))?;
            }
            Step::Answer(leaf, answer) => {
                self.answers.say(leaf, answer.status);
                let said = if answer.of_condition {
                    format!("{}", answer.status == pleach::Status::Success)
                } else {
                    answer.status.to_string()
                };
                self.note(&format!("{leaf} answers {said}"))?;
            }
            Step::Pause => {
                self.forest.agent_mut(id).map_err(lost)?.pause(&mut self.answers);
                self.note("pause")?;
            }
            Step::Unpause => {
                self.forest.agent_mut(id).map_err(lost)?.unpause(&mut self.answers);
                self.note("unpause")?;
            }
            Step::Restart => {
                self.forest.agent_mut(id).map_err(lost)?.restart(&mut self.answers);
                self.note("restart")?;
            }
            Step::Show => {
                let view = self.forest.agent(id).map_err(lost)?.inspect();
                for line in &Drawing::of_agent(&view).text().lines {
                    writeln!(self.out, "{}", painted(&parts(line)))?;
                }
            }
            Step::Explain => writeln!(self.out, "{}", self.forest.agent(id).map_err(lost)?.explain())?,
            Step::Why(name) => {
                let agent = self.forest.agent(id).map_err(lost)?;
                let node = agent.tree().find_one(name).map_err(|error| wrong(format!("why {name}"), &error))?.id();
                if let Some(why) = agent.why_not(node) {
                    writeln!(self.out, "{why}")?;
                }
            }
            Step::Trace(on) => self.traces = on,
        }
        Ok(())
    }

    fn tick(&mut self, dt: f32) -> Result<(), Failure> {
        let ticked = self.forest.traced(&mut self.recorder).tick(&mut self.answers, dt);
        ticked.map_err(|error| Failure::Failed(error.to_string()))?;
        let entries = self.recorder.take();
        if self.traces {
            self.note(&format!("tick at {} s", seconds(self.forest.time())))?;
            let tree = self.forest.agent(self.agent).map_err(lost)?.tree();
            for line in entries.iter().filter_map(|it| line(tree, it.event)) {
                writeln!(self.out, "{line}")?;
            }
        }
        Ok(())
    }

    /// What the script did.
    fn note(&mut self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(self.out, "{FAINT}-- {}{RESET}", plain(text))?)
    }
}

/// With at least one decimal place, and at most three.
fn seconds(time: f64) -> String {
    let text = format!("{time:.3}");
    let short = text.trim_end_matches('0');
    if short.ends_with('.') { format!("{short}0") } else { short.to_owned() }
}

/// The value of that type that a text says.
fn value(ty: Type, text: &str) -> Option<Value> {
    let numbers = || -> Option<Vec<f32>> {
        let inner = text.strip_prefix('(').map_or(Some(text), |it| it.strip_suffix(')'))?;
        inner.split(',').map(|it| it.trim().parse().ok()).collect()
    };
    match ty {
        Type::Bool => text.parse().ok().map(Value::Bool),
        Type::Int => text.parse().ok().map(Value::Int),
        Type::Float => text.parse().ok().map(Value::Float),
        Type::Vec2 => numbers()?.try_into().ok().map(Value::Vec2),
        Type::Vec3 => numbers()?.try_into().ok().map(Value::Vec3),
        Type::Entity if text == "none" => Some(Value::Entity(Entity::NONE)),
        Type::Entity => text.strip_prefix('#').unwrap_or(text).parse().ok().map(|it| Value::Entity(Entity(it))),
        Type::Symbol => Some(Value::Symbol(Symbol::new(text))),
    }
}

fn no_value(text: &str, ty: Type) -> Failure {
    let like = match ty {
        Type::Bool => "`true` or `false`",
        Type::Int => "a whole number",
        Type::Float => "a number",
        Type::Vec2 => "two numbers, as in `(3, 4)`",
        Type::Vec3 => "three numbers, as in `(3, 4, 0)`",
        Type::Entity => "a number, or `none`",
        Type::Symbol => "a word",
    };
    Failure::Usage(format!("the script: `{}` is no {ty}: write {like}", plain(text)))
}

fn none(what: &str, name: &str, names: &[&str]) -> Failure {
    let there = match names {
        [] => "it has none".to_owned(),
        _ => format!("it has {}", names.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")),
    };
    Failure::Usage(format!("the script: the tree has no {what} `{}`: {there}", plain(name)))
}

fn wrong(step: String, error: &dyn std::error::Error) -> Failure {
    Failure::Usage(format!("the script: `{}`: {error}", plain(&step)))
}

fn lost(error: StaleError) -> Failure {
    Failure::Failed(error.to_string())
}
