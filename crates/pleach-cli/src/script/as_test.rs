//! A script as a case of a test file: what it does, and what runs then.

use std::collections::BTreeMap;
use std::path::Path;

use pleach::tools::kinds::NodeKind;
use pleach::tools::text::plain;

use super::steps::{Answer, Expected, Step};
use crate::stage::{Loaded, When, called};

/// The tick that test files have if they do not say it.
const TICK: f32 = 0.1;

/// A case in the making.
#[derive(Debug, Default)]
pub(crate) struct AsTest {
    dt: Option<f32>,
    tick: u32,
    answers: Vec<(String, String)>,
    steps: Vec<CaseStep>,
}

/// The fields of a step, in the order in which test files do them.
#[derive(Debug, Default)]
struct CaseStep {
    tick: u32,
    running: Vec<String>,
    not_running: Vec<String>,
    expect: Vec<String>,
    set: BTreeMap<String, String>,
    send: Vec<(String, Option<String>)>,
    fill: BTreeMap<String, String>,
    answer: BTreeMap<String, String>,
    turns: Vec<&'static str>,
}

impl AsTest {
    /// With what leaves answer for which the script does not, as in `play`.
    pub(crate) fn new(loaded: &Loaded) -> Self {
        let is_condition = |leaf: &str| {
            let mut nodes = loaded.tree.nodes().filter(|it| called(*it) == Some(leaf));
            nodes.any(|it| it.is_condition() || it.node_kind() == NodeKind::Guard)
        };
        let answer = |leaf: &String| (leaf.clone(), if is_condition(leaf) { "false" } else { "Running" }.to_owned());
        AsTest { answers: loaded.leaves.keys().map(answer).collect(), ..AsTest::default() }
    }

    /// Notes a step, before it is done. `running` says what runs now.
    ///
    /// # Errors
    /// A case cannot say that.
    pub(crate) fn note(&mut self, step: &Step<'_>, running: &dyn Fn() -> Vec<String>) -> Result<(), String> {
        match *step {
            Step::Tick(dt, times) => {
                if self.dt.is_some_and(|it| it.to_bits() != dt.to_bits()) {
                    let before = self.dt.unwrap_or_default();
                    return Err(format!("the ticks of a case are equally long, and these take {before} and {dt} s"));
                }
                self.dt = Some(dt);
                self.tick = self.tick.saturating_add(times);
            }
            Step::Set(key, value) => _ = self.at(running).set.insert(key.into(), value.into()),
            Step::Send(event, value) => {
                let send = &mut self.at(running).send;
                let is_doubled = send.iter().any(|it| it.0 == event);
                if is_doubled && (value.is_some() || send.iter().any(|it| it.1.is_some())) {
                    return Err(format!("a step of a case sends the event `{}` once", plain(event)));
                }
                send.push((event.into(), value.map(Into::into)));
            }
            Step::Fill(slot, tree) => _ = self.at(running).fill.insert(slot.into(), tree.into()),
            Step::Answer(name, answer) => {
                if self.tick == 0 {
                    self.answers.retain(|it| it.0 != name);
                    self.answers.push((name.into(), written(answer)));
                } else {
                    self.at(running).answer.insert(name.into(), written(answer));
                }
            }
            Step::Pause => self.at(running).turns.push("Pause"),
            Step::Unpause => self.at(running).turns.push("Unpause"),
            Step::Restart => self.at(running).turns.push("Restart"),
            Step::Expect(Expected::Running(node)) => push(&mut self.at(running).running, node),
            Step::Expect(Expected::NotRunning(node)) => push(&mut self.at(running).not_running, node),
            Step::Expect(Expected::Expr(text)) => push(&mut self.at(running).expect, text),
            Step::Get(_) | Step::Show | Step::Explain | Step::Why(_) | Step::Trace(_) => {}
        }
        Ok(())
    }

    /// The step of now.
    fn at(&mut self, running: &dyn Fn() -> Vec<String>) -> &mut CaseStep {
        if self.steps.last().is_none_or(|it| it.tick != self.tick) {
            let running = if self.tick == 0 { Vec::new() } else { running() };
            self.steps.push(CaseStep { tick: self.tick, running, ..CaseStep::default() });
        }
        self.steps.last_mut().expect("it has just been pushed")
    }

    /// The test file with the case.
    pub(crate) fn text(mut self, tree: &Path, seed: u64, running: &dyn Fn() -> Vec<String>) -> String {
        if self.tick > 0 {
            self.at(running);
        }
        let tree = tree.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut text = format!("Tests(\n    version: 1,\n    tree: {tree:?},\n");
        text.push_str("    cases: {\n        \"say what it shows\": (\n");
        if seed != 1 {
            text.push_str(&format!("            seed: {seed},\n"));
        }
        if let Some(dt) = self.dt.filter(|it| it.to_bits() != TICK.to_bits()) {
            text.push_str(&format!("            dt: {dt:?},\n"));
        }
        if !self.answers.is_empty() {
            text.push_str("            leaves: {\n");
            for (name, answer) in &self.answers {
                text.push_str(&format!("                {name:?}: {answer},\n"));
            }
            text.push_str("            },\n");
        }
        text.push_str("            steps: [\n");
        for it in &self.steps {
            text.push_str(&format!("                ({}),\n", it.fields().join(", ")));
        }
        text.push_str("            ],\n        ),\n    },\n)\n");
        text
    }
}

impl CaseStep {
    fn fields(&self) -> Vec<String> {
        let CaseStep { tick, running, not_running, expect, set, send, fill, answer, turns } = self;
        let mut fields = Vec::new();
        if *tick > 0 {
            fields.push(format!("tick: {tick}"));
        }
        for (name, texts) in [("running", running), ("not_running", not_running), ("expect", expect)] {
            match &texts[..] {
                [] => {}
                [one] => fields.push(format!("{name}: {one:?}")),
                all => fields.push(format!("{name}: {all:?}")),
            }
        }
        let map = |entries: Vec<String>| format!("{{ {} }}", entries.join(", "));
        if !set.is_empty() {
            let value = |it: &str| if is_ron(it) { it.to_owned() } else { format!("{it:?}") };
            fields.push(format!("set: {}", map(set.iter().map(|it| format!("{:?}: {}", it.0, value(it.1))).collect())));
        }
        match &send[..] {
            [] => {}
            [(event, None)] => fields.push(format!("send: {event:?}")),
            all if all.iter().all(|it| it.1.is_none()) => {
                fields.push(format!("send: {:?}", all.iter().map(|it| &it.0).collect::<Vec<_>>()));
            }
            all => {
                let value = |it: &Option<String>| it.clone().unwrap_or_else(|| "()".into());
                let entries = all.iter().map(|(event, it)| format!("{event:?}: {}", value(it)));
                fields.push(format!("send: {}", map(entries.collect())));
            }
        }
        for (name, entries) in [("fill", fill), ("answer", answer)] {
            let quoted = |it: &str| if name == "fill" { format!("{it:?}") } else { it.to_owned() };
            if !entries.is_empty() {
                let entries = entries.iter().map(|it| format!("{:?}: {}", it.0, quoted(it.1)));
                fields.push(format!("{name}: {}", map(entries.collect())));
            }
        }
        match &turns[..] {
            [] => {}
            [one] => fields.push(format!("do: {one}")),
            all => fields.push(format!("do: [{}]", all.join(", "))),
        }
        fields
    }
}

fn push(texts: &mut Vec<String>, text: &str) {
    if !texts.iter().any(|it| it == text) {
        texts.push(text.to_owned());
    }
}

/// Whether a value of a script is one of RON as it is: words are in quotes there.
fn is_ron(value: &str) -> bool {
    let first = value.chars().next().unwrap_or_default();
    matches!(value, "true" | "false" | "none") || first.is_ascii_digit() || matches!(first, '-' | '+' | '(' | '"')
}

fn written(answer: Answer) -> String {
    use pleach::Status::{Failure, Running, Success};
    let word = match (answer.status, answer.of_condition) {
        (Success, true) => "true",
        (_, true) => "false",
        (Success, false) => "Success",
        (Failure, false) => "Failure",
        (Running, false) => "Running",
    };
    match answer.when {
        When::Seconds(seconds) => format!("{word}(after: {seconds:?})"),
        When::AtOnce | When::Tick(_) => word.into(),
    }
}
