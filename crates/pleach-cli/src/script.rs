//! `pleach play`: what one agent of a tree does while a script changes keys, sends events and lets
//! time pass. It needs no world: leaves of a game answer what the script says.

mod leaves;
mod stage;
mod steps;
mod values;

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use pleach::asset::CheckOnly;
use pleach::error::StaleError;
use pleach::expr::KeyIndex;
use pleach::tools::text::plain;
use pleach::trace::Recorder;
use pleach::{AgentId, Event, Forest, Host, Registry, Spawn, Symbol, Tree};
use pleach_draw::Drawing;

use crate::args::PlayArgs;
use crate::failure::Failure;
use crate::files::{TreeFile, told_of_tree};
use crate::leaves::registry;
use crate::paint::{FAINT, RESET, VALUE, painted, parts};
use crate::progress::bar;
use crate::trace::line;
use crate::unknown::{self, ADVICE};
use crate::words::{not_found, of_game, padded, value, widest};
use leaves::Leaves;
use stage::{Answers, LeafCounts, Stage, Whom};
use steps::{Step, Written, Wrong};

/// The least ticks of a quiet step that shows its progress.
const MANY_TICKS: u32 = 10_000;

pub(crate) fn script<H: Host>(own: &Registry<H>, game: &str, args: &PlayArgs) -> Result<(), Failure> {
    let (steps, mut wrong) = steps::parse(&args.script);
    let manifest = args.leaves.as_deref().map(|file| registry(file, [&*args.file])).transpose()?;
    let known = manifest.unwrap_or_else(|| own.check_only());
    let is_known = |name: &str| args.leaves.is_some() || own.contains(name);
    let loaded = Loaded::read(known, &steps, game, args);
    let Loaded { tree, leaves } = match loaded {
        Ok(loaded) => loaded,
        // The problems of the tree have been printed.
        Err(Failure::Problems) if !wrong.is_empty() => return Err(Failure::Usage(Wrong::told(wrong))),
        Err(failure) => return Err(failure),
    };
    let answers = rehearse(&tree, &leaves, &steps, &mut wrong)?;
    if !wrong.is_empty() {
        return Err(Failure::Usage(Wrong::told(wrong)));
    }
    let missing = leaves::unanswered(&tree, &leaves, is_known, &answers);
    if let Some(first) = missing.first() {
        let names: Vec<String> = missing.iter().map(|it| format!("`{}`", plain(it))).collect();
        return Err(Failure::Usage(format!(
            "unknown {}: {}. Say in the script what {}, as in `answer {} running`; or name the game's manifest {ADVICE}",
            if missing.len() == 1 { "leaf" } else { "leaves" },
            names.join(", "),
            if missing.len() == 1 { "it answers" } else { "they answer" },
            plain(first),
        )));
    }
    let out = BufWriter::new(anstream::stdout().lock());
    let mut player = Player::begin(&tree, &leaves, args.seed, out)?;
    for it in &steps {
        player.step(it.step)?;
    }
    Ok(player.out.flush()?)
}

/// The tree of a script, with leaves that answer what that says.
struct Loaded {
    tree: Arc<Tree<Stage>>,
    leaves: Leaves,
}

impl Loaded {
    fn read(
        mut known: Registry<CheckOnly>,
        steps: &[Written<'_>],
        game: &str,
        args: &PlayArgs,
    ) -> Result<Self, Failure> {
        if args.leaves.is_none() {
            known.allow_any_leaf(true);
        }
        let mut file = TreeFile::read(&args.file)?;
        let asked = LeafCounts::default();
        let mut load = |conditions: &BTreeSet<String>| -> Result<Loaded, Failure> {
            let registry = stage::leaves(&known, conditions, &asked);
            asked.take();
            let tree = file
                .load(&registry)
                .map_err(|it| told_of_tree(&it, unknown::Leaves::new(args.leaves.as_deref(), game)))?;
            Ok(Loaded { tree: tree.into(), leaves: asked.take() })
        };
        // What answers `true` or `false` is a condition. Of a node that is only known in the tree.
        let of_condition = steps.iter().filter_map(|it| match it.step {
            Step::Answer(name, answer) if answer.of_condition => Some(name),
            _ => None,
        });
        let first = load(&BTreeSet::new())?;
        let conditions: BTreeSet<String> = of_condition
            .filter_map(|name| Some(leaves::whom(&first.tree, &first.leaves, name).ok()?.leaf().to_owned()))
            .collect();
        if conditions.is_empty() { Ok(first) } else { load(&conditions) }
    }
}

/// Does all steps but ticks with an agent of its own, to find out which are wrong before the first
/// one is played. Returns for whom the script answers.
fn rehearse(
    tree: &Arc<Tree<Stage>>,
    leaves: &Leaves,
    steps: &[Written<'_>],
    wrong: &mut Vec<Wrong>,
) -> Result<Vec<Whom>, Failure> {
    let mut player = Player::begin(tree, leaves, 0, io::sink())?;
    let mut answers = Vec::new();
    for it in steps {
        let done = match it.step {
            Step::Answer(name, _) => {
                leaves::whom(tree, leaves, name).map(|it| answers.push(it)).map_err(Failure::Usage)
            }
            Step::Set(..) | Step::Get(_) | Step::Send(..) | Step::Fill(..) | Step::Why(_) => player.step(it.step),
            _ => Ok(()),
        };
        match done {
            Ok(()) => {}
            Err(Failure::Usage(why)) => wrong.push(Wrong::new(it.number, it.text, why)),
            Err(failure) => return Err(failure),
        }
    }
    Ok(answers)
}

/// The agent of a script.
struct Player<'l, W> {
    forest: Forest<Stage>,
    agent: AgentId,
    leaves: &'l Leaves,
    answers: Answers,
    recorder: Recorder,
    traces: bool,
    out: W,
}

impl<'l, W: Write> Player<'l, W> {
    fn begin(tree: &Arc<Tree<Stage>>, leaves: &'l Leaves, seed: u64, out: W) -> Result<Self, Failure> {
        let failed = |error: &dyn std::error::Error| Failure::Failed(error.to_string());
        let (mut forest, mut answers) = (Forest::new(seed), Answers::default());
        let tree = forest.add_tree(Arc::clone(tree)).map_err(|it| failed(&it))?;
        // A group of its own, so that it has group keys.
        let spawn = Spawn { group: Some(forest.new_group()), ..Spawn::default() };
        let agent = forest.spawn_with(&mut answers, tree, spawn).map_err(|it| failed(&it))?;
        Ok(Player { forest, agent, leaves, answers, recorder: Recorder::of([agent]), traces: true, out })
    }

    /// # Errors
    /// [`Failure::Usage`]: the step is wrong.
    fn step(&mut self, step: Step<'_>) -> Result<(), Failure> {
        let id = self.agent;
        match step {
            Step::Tick(dt, times) => self.ticks(dt, times)?,
            Step::Set(name, text) => {
                let tree = self.forest.agent(id).map_err(lost)?.tree();
                let key = values::key(tree, name).map_err(Failure::Usage)?;
                let value = values::of_key(tree.schema().decl(key), text).map_err(Failure::Usage)?;
                self.forest.keys_mut(id).map_err(lost)?.set_value(key, value).map_err(|it| wrong(&it))?;
                self.note(&format!("{name} = {text}"))?;
            }
            Step::Get(name) => self.get(name)?,
            Step::Send(name, text) => {
                let schema = self.forest.agent(id).map_err(lost)?.tree().schema();
                let names: Vec<&str> = schema.events().map(|it| it.name()).collect();
                let decl = schema.events().find(|it| it.name() == name);
                let payload = decl.map(|it| it.payload());
                let payload = payload.ok_or_else(|| Failure::Usage(values::none("event", name, &names)))?;
                let event = Event::named(Symbol::new(name));
                let event = match (payload, text) {
                    (Some(ty), Some(text)) => event.with(values::of_type(ty, text).map_err(Failure::Usage)?),
                    (None, Some(text)) => {
                        let (name, text) = (plain(name), plain(text));
                        return Err(Failure::Usage(format!("`{name}` has no payload: leave out `{text}`")));
                    }
                    (_, None) => event,
                };
                self.forest.agent_mut(id).map_err(lost)?.send(event).map_err(|it| wrong(&it))?;
                self.note(&text.map_or_else(|| format!("event {name}"), |it| format!("event {name} {it}")))?;
            }
            Step::Fill(slot, tree) => {
                self.forest.agent_mut(id).map_err(lost)?.fill(slot, tree).map_err(|it| wrong(&it))?;
                self.note(&format!("slot {slot} = {tree}"))?;
            }
            Step::Answer(name, answer) => {
                let tree = self.forest.agent(id).map_err(lost)?.tree();
                let whom = leaves::whom(tree, self.leaves, name).map_err(Failure::Usage)?;
                let who = match &whom {
                    Whom::Leaf(leaf) => leaf.clone(),
                    Whom::Node(node, _) => tree.node(*node).map(|it| it.to_string()).unwrap_or_default(),
                };
                let said = if answer.of_condition {
                    format!("{}", answer.status == pleach::Status::Success)
                } else {
                    answer.status.to_string()
                };
                self.answers.say(whom, answer.status);
                self.note(&format!("{who} answers {said}"))?;
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
            Step::Why(text) => {
                let agent = self.forest.agent(id).map_err(lost)?;
                let node = agent.tree().find_printed(text).map_err(|it| Failure::Usage(not_found(&it)))?;
                if let Some(why) = agent.why_not(node.id()) {
                    writeln!(self.out, "{why}")?;
                }
            }
            Step::Trace(on) => self.traces = on,
        }
        Ok(())
    }

    fn ticks(&mut self, dt: f32, times: u32) -> Result<(), Failure> {
        if self.traces || times < MANY_TICKS {
            return (0..times).try_for_each(|_| self.tick(dt));
        }
        let bar = bar(times.into());
        for at in 1..=times {
            self.tick(dt)?;
            bar.set_position(at.into());
        }
        bar.finish_and_clear();
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

    /// Prints the value of a key, or those of all keys. Beside a key that is not the agent's own
    /// stands whose it is, and beside one that the game uses what the game does with it.
    fn get(&mut self, name: Option<&str>) -> Result<(), Failure> {
        let view = self.forest.agent(self.agent).map_err(lost)?.inspect();
        let schema = view.tree.schema();
        let from = match name {
            Some(name) => Some(values::key(&view.tree, name).map_err(Failure::Usage)?.index()),
            None => None,
        };
        let keys = from.map_or(&view.keys[..], |it| &view.keys[it..][..1]);
        if keys.is_empty() {
            return self.note("the tree has no keys");
        }
        let width = widest(keys.iter().map(|it| it.0.name()));
        for (at, (key, held)) in (from.unwrap_or(0)..).zip(keys) {
            let place = values::place(key);
            let place = if place == "agent" { String::new() } else { format!("  {FAINT}{place}{RESET}") };
            let (name, held) = (padded(key.name(), width), value(schema, *held));
            let used = KeyIndex::new(at).and_then(|it| view.key_use(it)).map(|it| of_game(&it)).unwrap_or_default();
            writeln!(self.out, "{name}  {VALUE}{held}{RESET}{place}{used}")?;
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

/// That the forest refuses a step.
fn wrong(error: &dyn std::error::Error) -> Failure {
    Failure::Usage(error.to_string())
}

fn lost(error: StaleError) -> Failure {
    Failure::Failed(error.to_string())
}
