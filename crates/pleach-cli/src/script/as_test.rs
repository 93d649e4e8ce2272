//! A script as a case of a test file: what it does, and what runs then.

use std::path::Path;

use pleach::tools::kinds::NodeKind;
use pleach::tools::text::plain;

use super::steps::{Answer, Expected, Step};
use crate::stage::{Loaded, When, called, word};
use crate::test::{CaseText, StepText};

/// A case in the making.
#[derive(Debug, Default)]
pub(crate) struct AsTest {
    dt: Option<f32>,
    tick: u32,
    answers: Vec<(String, String)>,
    steps: Vec<StepText>,
}

impl AsTest {
    /// With answers for the leaves that the script does not answer for, as in `play`.
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
    fn at(&mut self, running: &dyn Fn() -> Vec<String>) -> &mut StepText {
        if self.steps.last().is_none_or(|it| it.tick != self.tick) {
            let running = if self.tick == 0 { Vec::new() } else { running() };
            self.steps.push(StepText { tick: self.tick, running, ..StepText::default() });
        }
        self.steps.last_mut().expect("it has just been pushed")
    }

    /// The test file with the case.
    pub(crate) fn text(mut self, tree: &Path, seed: u64, running: &dyn Fn() -> Vec<String>) -> String {
        if self.tick > 0 {
            self.at(running);
        }
        let tree = tree.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let case = CaseText {
            name: "say what it shows".into(),
            seed,
            dt: self.dt,
            begin: None,
            leaves: self.answers,
            steps: self.steps,
        };
        case.file(&tree)
    }
}

fn push(texts: &mut Vec<String>, text: &str) {
    if !texts.iter().any(|it| it == text) {
        texts.push(text.to_owned());
    }
}

fn written(answer: Answer) -> String {
    let word = word(answer.status, answer.of_condition);
    match answer.when {
        When::Seconds(seconds) => format!("{word}(after: {seconds:?})"),
        When::AtOnce | When::Tick(_) => word.into(),
    }
}
