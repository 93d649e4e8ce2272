//! A case as the text of a test file.

use std::collections::BTreeMap;

/// The default tick of test files.
const TICK: f32 = 0.1;

/// A case, as it is written.
#[derive(Debug, Default)]
pub(crate) struct CaseText {
    pub(crate) name: String,
    pub(crate) seed: u64,
    pub(crate) dt: Option<f32>,
    /// The file of the save in which it begins.
    pub(crate) begin: Option<String>,
    /// The first answers of leaves, by name.
    pub(crate) leaves: Vec<(String, String)>,
    pub(crate) steps: Vec<StepText>,
}

/// The fields of a step, in the order in which test files do them.
#[derive(Debug, Default)]
pub(crate) struct StepText {
    pub(crate) tick: u32,
    pub(crate) running: Vec<String>,
    pub(crate) not_running: Vec<String>,
    pub(crate) expect: Vec<String>,
    /// `Success` or `Failure`, if the whole tree has ended that way.
    pub(crate) status: Option<String>,
    pub(crate) dt: Option<f32>,
    pub(crate) set: BTreeMap<String, String>,
    pub(crate) send: Vec<(String, Option<String>)>,
    pub(crate) fill: BTreeMap<String, String>,
    pub(crate) answer: BTreeMap<String, String>,
    pub(crate) turns: Vec<&'static str>,
}

impl CaseText {
    /// A test file with this case alone.
    pub(crate) fn file(&self, tree: &str) -> String {
        format!("Tests(\n    version: 1,\n    tree: {tree:?},\n    cases: {{\n{}    }},\n)\n", self.entry(None, false))
    }

    /// Its entry in the cases of a file: with its tree, if the file has another one, and with the
    /// default tick, if the file may have another one.
    pub(crate) fn entry(&self, tree: Option<&str>, says_dt: bool) -> String {
        let mut text = format!("        {:?}: (\n", self.name);
        if let Some(tree) = tree {
            text.push_str(&format!("            tree: {tree:?},\n"));
        }
        if let Some(begin) = &self.begin {
            text.push_str(&format!("            begin: {begin:?},\n"));
        }
        if self.seed != 1 {
            text.push_str(&format!("            seed: {},\n", self.seed));
        }
        if let Some(dt) = self.dt.filter(|it| says_dt || it.to_bits() != TICK.to_bits()) {
            text.push_str(&format!("            dt: {dt:?},\n"));
        }
        if !self.leaves.is_empty() {
            text.push_str("            leaves: {\n");
            for (name, answer) in &self.leaves {
                text.push_str(&format!("                {name:?}: {answer},\n"));
            }
            text.push_str("            },\n");
        }
        text.push_str("            steps: [\n");
        for it in &self.steps {
            text.push_str(&format!("                ({}),\n", it.fields().join(", ")));
        }
        text.push_str("            ],\n        ),\n");
        text
    }
}

impl StepText {
    /// The step, and one more at its tick for each repeated event: a step sends an event only once.
    pub(crate) fn with_each_event_once(mut self) -> Vec<StepText> {
        let mut more: Vec<StepText> = Vec::new();
        let mut sent: Vec<(String, Option<String>)> = Vec::new();
        for event in std::mem::take(&mut self.send) {
            if !sent.iter().any(|it| it.0 == event.0) && more.is_empty() {
                sent.push(event);
                continue;
            }
            match more.last_mut().filter(|it| !it.send.iter().any(|it| it.0 == event.0)) {
                Some(last) => last.send.push(event),
                None => more.push(StepText { tick: self.tick, send: vec![event], ..StepText::default() }),
            }
        }
        self.send = sent;
        more.insert(0, self);
        more
    }

    pub(crate) fn fields(&self) -> Vec<String> {
        let StepText { tick, running, not_running, expect, set, send, fill, answer, status, dt, turns } = self;
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
        if let Some(status) = status {
            fields.push(format!("status: {status}"));
        }
        if let Some(dt) = dt {
            fields.push(format!("dt: {dt:?}"));
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

/// Whether a value of a script is valid RON as it is: words are quoted there.
fn is_ron(value: &str) -> bool {
    let first = value.chars().next().unwrap_or_default();
    matches!(value, "true" | "false" | "none") || first.is_ascii_digit() || matches!(first, '-' | '+' | '(' | '"')
}
