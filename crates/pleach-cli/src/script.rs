//! `pleach play`: what one agent of a tree does while a script changes keys, sends events and lets
//! time pass. It needs no world: leaves of a game give the answers of the script.

mod as_test;
mod steps;

use std::io::{self, BufWriter, Write};
use std::path::Path;

use pleach::error::StaleError;
use pleach::expr::KeyIndex;
use pleach::tools::text::plain;
use pleach::trace::Recorder;
use pleach::{Host, Registry, Value};
use pleach_draw::Drawing;

use crate::args::PlayArgs;
use crate::failure::Failure;
use crate::files::{self, TreeFile, told_of_tree};
use crate::leaves::registry;
use crate::paint::{BAD, FAINT, RESET, VALUE, painted, parts};
use crate::paths::is_stdin;
use crate::progress::bar;
use crate::stage::{self, Answer, Answers, Leaves, Loaded, Paper, Reply, Scene, Turn, When, Whom};
use crate::trace::line;
use crate::unknown::{self, ADVICE};
use crate::words::{of_game, padded, value, widest};
use as_test::AsTest;
use steps::{Expected, Step, Written, Wrong};

/// The least ticks of a quiet step that shows its progress.
const MANY_TICKS: u32 = 10_000;

pub(crate) fn script<H: Host>(own: &Registry<H>, game: &str, args: &PlayArgs) -> Result<(), Failure> {
    let text = match (&args.script, &args.script_file) {
        (Some(text), None) => text.clone(),
        (None, Some(file)) => read_script(file, args)?,
        _ => return Err(Failure::Usage("give the script, or its file with --script".into())),
    };
    let (steps, mut wrong) = steps::parse(&text);
    let manifest = args.leaves.as_deref().map(|file| registry(file, [&*args.file])).transpose()?;
    let known = manifest.unwrap_or_else(|| own.check_only());
    let is_known = |name: &str| args.leaves.is_some() || own.contains(name);
    let mut known = known;
    if args.leaves.is_none() {
        known.allow_any_leaf(true);
    }
    // Leaves that answer `true` or `false` are conditions.
    let conditions = steps.iter().filter_map(|it| match it.step {
        Step::Answer(name, answer) if answer.of_condition => Some(name),
        _ => None,
    });
    let mut file = TreeFile::read(&args.file)?;
    let loaded = match Loaded::read(|it| file.load(it), &known, conditions) {
        Ok(loaded) => loaded,
        Err(report) => {
            let failure = told_of_tree(&report, unknown::Leaves::new(args.leaves.as_deref(), game));
            // The problems of the tree have been printed.
            return Err(if wrong.is_empty() { failure } else { Failure::Usage(Wrong::told(wrong)) });
        }
    };
    let answers = rehearse(&loaded, &steps, &mut wrong)?;
    if !wrong.is_empty() {
        return Err(Failure::Usage(Wrong::told(wrong)));
    }
    let missing = stage::unanswered(&loaded.tree, &loaded.leaves, is_known, &answers);
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
    match &args.leaves {
        Some(leaves) => file.tell_warnings(&known, Some(leaves)),
        None => file.tell_warnings(own, None),
    }
    let out: Box<dyn Write> = match args.as_test {
        true => Box::new(io::sink()),
        false => Box::new(BufWriter::new(anstream::stdout().lock())),
    };
    let mut player = Player::begin(&loaded, args.seed, out)?;
    player.as_test = args.as_test.then(|| AsTest::new(&loaded));
    for it in &steps {
        let noted = player.note_case(&it.step);
        noted.map_err(|why| Failure::Usage(Wrong::told(vec![Wrong::new(it.number, it.text, why)])))?;
        player.step(it.step)?;
    }
    player.out.flush()?;
    if let Some(case) = player.as_test.take() {
        let text = case.text(&args.file, args.seed, &|| player.running());
        anstream::stdout().lock().write_all(text.as_bytes())?;
    }
    match player.failed {
        0 => Ok(()),
        1 => Err(Failure::Failed("1 expectation does not hold".into())),
        many => Err(Failure::Failed(format!("{many} expectations do not hold"))),
    }
}

fn read_script(file: &Path, args: &PlayArgs) -> Result<String, Failure> {
    let is_used = is_stdin(&args.file) || args.leaves.as_deref().is_some_and(is_stdin);
    if is_stdin(file) && is_used {
        return Err(Failure::Usage("standard input cannot be both the script and the tree or its leaves".into()));
    }
    files::read_unmarked(file)
}

/// Does all steps except ticks with an agent of its own, to find wrong ones before the first one is
/// played. Returns the leaves and nodes for which the script answers.
fn rehearse(loaded: &Loaded, steps: &[Written<'_>], wrong: &mut Vec<Wrong>) -> Result<Vec<Whom>, Failure> {
    let Loaded { tree, leaves, .. } = loaded;
    let mut player = Player::begin(loaded, 0, io::sink())?;
    let mut answers = Vec::new();
    for it in steps {
        let done = match it.step {
            Step::Answer(name, _) => stage::whom(tree, leaves, name).map(|it| answers.push(it)).map_err(Failure::Usage),
            Step::Expect(_) | Step::Set(..) | Step::Get(_) | Step::Send(..) | Step::Fill(..) | Step::Why(_) => {
                player.step(it.step)
            }
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
    scene: Paper,
    leaves: &'l Leaves,
    answers: &'l Answers,
    recorder: Recorder,
    traces: bool,
    paths: Vec<String>,
    /// How many expectations did not hold.
    failed: usize,
    as_test: Option<AsTest>,
    out: W,
}

impl<'l, W: Write> Player<'l, W> {
    fn begin(Loaded { tree, leaves, answers }: &'l Loaded, seed: u64, out: W) -> Result<Self, Failure> {
        let scene = Paper::begin(tree, seed, 0).map_err(Failure::Failed)?;
        let recorder = Recorder::of([scene.agent()]);
        let paths = stage::paths(tree);
        Ok(Player { scene, leaves, answers, recorder, traces: true, paths, failed: 0, as_test: None, out })
    }

    /// # Errors
    /// [`Failure::Usage`]: the step is wrong.
    fn step(&mut self, step: Step<'_>) -> Result<(), Failure> {
        let id = self.scene.agent();
        match step {
            Step::Tick(dt, times) => self.ticks(dt, times)?,
            Step::Set(name, text) => {
                let tree = self.scene.forest().agent(id).map_err(lost)?.tree();
                let (key, value) = stage::key_value(tree, name, text).map_err(Failure::Usage)?;
                self.write(key, value)?;
                self.note(&format!("{name} = {text}"))?;
            }
            Step::Get(name) => self.get(name)?,
            Step::Send(name, text) => {
                let tree = self.scene.forest().agent(id).map_err(lost)?.tree();
                let event = stage::event(tree, name, text).map_err(Failure::Usage)?;
                self.scene
                    .forest_mut()
                    .agent_mut(id)
                    .map_err(lost)?
                    .send(event)
                    .map_err(|it| Failure::Usage(it.to_string()))?;
                self.note(&text.map_or_else(|| format!("event {name}"), |it| format!("event {name} {it}")))?;
            }
            Step::Fill(slot, tree) => {
                let held = self.scene.forest().agent(id).map_err(lost)?.tree();
                let (key, value) = stage::slot(held, slot, tree).map_err(Failure::Usage)?;
                self.write(key, value)?;
                self.note(&format!("slot {slot} = {tree}"))?;
            }
            Step::Answer(name, answer) => {
                let tree = self.scene.forest().agent(id).map_err(lost)?.tree();
                let whom = stage::whom(tree, self.leaves, name).map_err(Failure::Usage)?;
                let who = match &whom {
                    Whom::Leaf(leaf) => leaf.clone(),
                    Whom::Node(node, _) => tree.node(*node).map(|it| it.to_string()).unwrap_or_default(),
                };
                let said = if answer.of_condition {
                    format!("{}", answer.status == pleach::Status::Success)
                } else {
                    answer.status.to_string()
                };
                let reply = Reply { status: answer.status, when: answer.when };
                self.answers.say(whom, Answer { replies: vec![reply], of_condition: answer.of_condition });
                let when = if let When::Seconds(it) = answer.when { format!(" after {it} s") } else { String::new() };
                self.note(&format!("{who} answers {said}{when}"))?;
            }
            Step::Pause => {
                self.scene.turn(Turn::Pause).map_err(Failure::Failed)?;
                self.note("pause")?;
            }
            Step::Unpause => {
                self.scene.turn(Turn::Unpause).map_err(Failure::Failed)?;
                self.note("unpause")?;
            }
            Step::Restart => {
                self.scene.turn(Turn::Restart).map_err(Failure::Failed)?;
                self.note("restart")?;
            }
            Step::Show => {
                let view = self.scene.forest().agent(id).map_err(lost)?.inspect();
                for line in &Drawing::of_agent(&view).text().lines {
                    writeln!(self.out, "{}", painted(&parts(line)))?;
                }
            }
            Step::Explain => writeln!(self.out, "{}", self.scene.forest().agent(id).map_err(lost)?.explain())?,
            Step::Why(text) => {
                let agent = self.scene.forest().agent(id).map_err(lost)?;
                let node = stage::node(agent.tree(), &self.paths, text).map_err(Failure::Usage)?;
                if let Some(why) = agent.why_not(node) {
                    writeln!(self.out, "{why}")?;
                }
            }
            Step::Expect(expected) => self.expect(expected)?,
            Step::Trace(on) => self.traces = on,
        }
        Ok(())
    }

    fn expect(&mut self, expected: Expected<'_>) -> Result<(), Failure> {
        let view = self.scene.forest().agent(self.scene.agent()).map_err(lost)?.inspect();
        let nodes = |name| stage::nodes(&view.tree, &self.paths, unquoted(name)).map_err(Failure::Usage);
        let runs = |name| Ok::<bool, Failure>(nodes(name)?.into_iter().any(|it| view.is_active(it)));
        let miss = match expected {
            Expected::Running(name) if !runs(name)? => {
                Some(format!("`{}` does not run: {}", unquoted(name), stage::runs(&view, &self.paths)))
            }
            Expected::NotRunning(name) if runs(name)? => Some(format!("`{}` runs", unquoted(name))),
            Expected::Expr(text) => {
                let expr = stage::test(&view.tree, text).map_err(Failure::Usage)?;
                (!stage::holds(&view, &expr)).then(|| stage::is_false(&view, &expr))
            }
            Expected::Running(_) | Expected::NotRunning(_) => None,
        };
        if let Some(miss) = miss {
            self.failed += 1;
            writeln!(self.out, "{BAD}-- FAILED: {}{RESET}", plain(&miss))?;
        }
        Ok(())
    }

    /// Adds a step to the case made from the script.
    fn note_case(&mut self, step: &Step<'_>) -> Result<(), String> {
        let Some(mut case) = self.as_test.take() else { return Ok(()) };
        let noted = case.note(step, &|| self.running());
        self.as_test = Some(case);
        noted
    }

    /// The names of the running nodes.
    fn running(&self) -> Vec<String> {
        let agent = self.scene.forest().agent(self.scene.agent());
        agent.map(|it| it.current().map(|it| self.paths[it.index()].clone()).collect()).unwrap_or_default()
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
        self.scene.tick(dt, &mut self.recorder).map_err(Failure::Failed)?;
        let entries = self.recorder.take();
        if self.traces {
            self.note(&format!("tick at {} s", seconds(self.scene.forest().time())))?;
            let tree = self.scene.forest().agent(self.scene.agent()).map_err(lost)?.tree();
            for line in entries.iter().filter_map(|it| line(tree, it.event)) {
                writeln!(self.out, "{line}")?;
            }
        }
        Ok(())
    }

    /// Prints the value of a key, or those of all keys. A key that is not the agent's own is shown
    /// with its owner, and one that the game uses with what the game does with it.
    fn get(&mut self, name: Option<&str>) -> Result<(), Failure> {
        let view = self.scene.forest().agent(self.scene.agent()).map_err(lost)?.inspect();
        let schema = view.tree.schema();
        let from = match name {
            Some(name) => Some(stage::key(&view.tree, name).map_err(Failure::Usage)?.index()),
            None => None,
        };
        let keys = from.map_or(&view.keys[..], |it| &view.keys[it..][..1]);
        if keys.is_empty() {
            return self.note("the tree has no keys");
        }
        let width = widest(keys.iter().map(|it| it.0.name()));
        for (at, (key, held)) in (from.unwrap_or(0)..).zip(keys) {
            let place = stage::place(key);
            let place = if place == "agent" { String::new() } else { format!("  {FAINT}{place}{RESET}") };
            let (name, held) = (padded(key.name(), width), value(schema, *held));
            let used = KeyIndex::new(at).and_then(|it| view.key_use(it)).map(|it| of_game(&it)).unwrap_or_default();
            writeln!(self.out, "{name}  {VALUE}{held}{RESET}{place}{used}")?;
        }
        Ok(())
    }

    fn write(&mut self, key: KeyIndex, value: Value) -> Result<(), Failure> {
        let agent = self.scene.agent();
        let written = self.scene.forest_mut().keys_mut(agent).map_err(lost)?.set_value(key, value);
        written.map(|_| ()).map_err(|it| Failure::Usage(it.to_string()))
    }

    /// Prints what the script did.
    fn note(&mut self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(self.out, "{FAINT}-- {}{RESET}", plain(text))?)
    }
}

/// A name without quotes around it.
fn unquoted(name: &str) -> &str {
    name.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(name)
}

/// With at least one decimal place, and at most three.
fn seconds(time: f64) -> String {
    let text = format!("{time:.3}");
    let short = text.trim_end_matches('0');
    if short.ends_with('.') { format!("{short}0") } else { short.to_owned() }
}

fn lost(error: StaleError) -> Failure {
    Failure::Failed(error.to_string())
}
