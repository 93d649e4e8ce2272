//! From RON to a test file, with everything that is wrong.

mod fields;
mod steps;

use std::collections::BTreeSet;
use std::ops::Range;

use pleach::limits::MAX_DT;
use pleach::tools::ron::{Arguments, Datum, Document, Problem, Shape};
use pleach::{Report, Status};
use pleach_lsp::{TEST_CASE, TEST_FILE};

use super::file::{At, Case, Rule, Stub, TestFile};
use crate::stage::{Answer, Reply, When};
use fields::{Fields, list, names};

/// The version of test files.
const VERSION: u64 = 1;
/// The default length of a tick, in seconds.
const TICK: f32 = 0.1;
/// The most ticks of a case.
pub(crate) const MOST_TICKS: u32 = 1_000_000;

/// The most other agents of a case.
const MOST_OTHERS: u64 = 1_000;

const BEGIN: &str =
    "a test file is `Tests(version: 1, tree: \"guard.ron\", cases: { \"what it shows\": (steps: [..]) })`";

/// Reads a test file; `name` is its name in messages.
///
/// # Errors
/// Everything that is wrong with it.
pub(crate) fn read(name: &str, text: &str) -> Result<TestFile, Report> {
    let document = Document::read(name, text, "`Tests(..)`")?;
    let mut reader = Reader { document: &document, problems: Vec::new() };
    let cases = reader.file();
    let problems = reader.problems;
    if problems.is_empty() {
        Ok(TestFile { name: name.to_owned(), cases: cases.unwrap_or_default(), document })
    } else {
        Err(document.report(problems))
    }
}

/// The settings of a file for all of its cases, or of a case for itself.
#[derive(Clone, Default)]
struct Settings {
    tree: Option<At<String>>,
    seed: Option<u64>,
    dt: Option<f32>,
    world: Option<bool>,
    leaves: Vec<(At<String>, Stub)>,
}

struct Reader<'d> {
    document: &'d Document,
    problems: Vec<Problem>,
}

impl<'d> Reader<'d> {
    fn wrong(&mut self, span: &Range<usize>, message: impl Into<String>) {
        self.problems.push(Problem::new(span, message));
    }

    fn wrong_with(&mut self, span: &Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(Problem::new(span, message).help(help));
    }

    fn file(&mut self) -> Option<Vec<Case>> {
        let root = self.document.root();
        let first = root.span.start..root.span.end.min(root.span.start + 1);
        let (head, args) = match &root.shape {
            Shape::Call(Some(name), args) if name.text == "Tests" => (name.span.clone(), args),
            _ => {
                self.wrong_with(&first, format!("this is not a test file: expected `Tests(..)`, found {root}"), BEGIN);
                return None;
            }
        };
        let fields = self.fields(&head, args, "a test file", &names(TEST_FILE))?;
        match fields.get("version") {
            None => {
                self.wrong_with(&head, "the file does not say its `version`", format!("write `version: {VERSION}`"))
            }
            Some(it) => match self.whole(it, "version", 0, u64::MAX) {
                Some(VERSION) | None => {}
                Some(other) => {
                    // With another version, the other problems may be false.
                    self.problems.clear();
                    let message = format!("unknown version {other} of test files: this pleach reads version {VERSION}");
                    self.wrong(&it.span, message);
                    return None;
                }
            },
        }
        let all = self.settings(&fields);
        let Some(cases) = fields.get("cases") else {
            self.wrong_with(&head, "the file has no `cases`", BEGIN);
            return None;
        };
        let Shape::Map(entries) = &cases.shape else {
            let help = "write `cases: { \"what it shows\": (steps: [..]) }`";
            self.wrong_with(&cases.span, format!("`cases` must be a map, not {cases}"), help);
            return None;
        };
        if entries.is_empty() {
            self.wrong(&cases.span, "the file has no cases");
        }
        let (mut read, mut names) = (Vec::new(), BTreeSet::new());
        for (name, case) in entries {
            let Some(name) = self.text(name, "the name of a case") else { continue };
            if name.it.trim().is_empty() {
                self.wrong(&name.span, "a case has no name: say what it shows");
            }
            if !names.insert(name.it.clone()) {
                self.wrong(&name.span, format!("two cases are called `{}`", name.it));
            }
            read.extend(self.case(name, case, &all, fields.get("tree").is_some_and(|_| all.tree.is_none())));
        }
        Some(read)
    }

    fn settings(&mut self, fields: &Fields<'d>) -> Settings {
        Settings {
            tree: fields.get("tree").and_then(|it| self.text(it, "`tree`")),
            seed: fields.get("seed").and_then(|it| self.whole(it, "seed", 0, u64::MAX)),
            dt: fields.get("dt").and_then(|it| self.dt(it)),
            world: fields.get("world").and_then(|it| self.boolean(it, "world")),
            leaves: fields.get("leaves").map(|it| self.leaves(it)).unwrap_or_default(),
        }
    }

    /// `has_no_tree`: the problem with the file's tree has been reported.
    fn case(&mut self, name: At<String>, case: &'d Datum, all: &Settings, has_no_tree: bool) -> Option<Case> {
        let Shape::Call(None, args) = &case.shape else {
            self.wrong(&case.span, format!("a case is `(steps: [..], ..)`, not {case}"));
            return None;
        };
        let fields = self.fields(&case.span, args, "a case", &names(TEST_CASE))?;
        let own = self.settings(&fields);
        let dt = own.dt.or(all.dt).unwrap_or(TICK);
        let mut rules = Vec::new();
        self.rules(&fields, &mut rules);
        let steps = match fields.get("steps") {
            Some(it) => self.steps(it, dt),
            None => {
                self.wrong_with(&name.span, "the case has no `steps`", "write `steps: [(at: 1.0, running: \"node\")]`");
                Vec::new()
            }
        };
        let golden = fields.get("golden").and_then(|it| self.text(it, "`golden`"));
        if let Some(note) = fields.get("note") {
            self.text(note, "`note`");
        }
        let has_file_tree = own.tree.is_none();
        let tree = own.tree.or_else(|| all.tree.clone());
        if tree.is_none() && !has_no_tree && fields.get("tree").is_none() {
            let help = "write `tree: \"guard.ron\"` in the case, or in `Tests(..)` for all cases";
            self.wrong_with(&name.span, "the case names no tree", help);
        }
        let expects_nothing = rules.is_empty() && golden.is_none() && steps.iter().all(|it| it.expects.is_empty());
        let begin = fields.get("begin").and_then(|it| self.text(it, "`begin`"));
        let world = own.world.or(all.world.filter(|_| begin.is_none())).unwrap_or_default();
        if let Some(begin) = &begin {
            if let Some((field, value)) = fields.among(&["others", "seed"]).first() {
                self.wrong(
                    &value.span,
                    format!("a case that begins with a save has its one agent: leave out `{field}`"),
                );
            }
            if world {
                self.wrong(&begin.span, "a case that begins with a save is not played in a world: leave out `world`");
            }
        }
        Some(Case {
            name,
            begin,
            shared_leaves: all.leaves.len(),
            has_file_tree,
            tree: tree?,
            seed: own.seed.or(all.seed).unwrap_or(1),
            dt,
            others: fields
                .get("others")
                .and_then(|it| self.whole(it, "others", 0, MOST_OTHERS))
                .map_or(0, |it| u32::try_from(it).unwrap_or(0)),
            world,
            leaves: all.leaves.iter().cloned().chain(own.leaves).collect(),
            steps,
            rules,
            golden,
            expects_nothing,
        })
    }

    fn dt(&mut self, value: &Datum) -> Option<f32> {
        let dt = self.seconds(value, "dt")?;
        #[expect(clippy::cast_possible_truncation, reason = "ticks take 32-bit seconds")]
        let dt = dt as f32;
        if dt > 0.0 && dt <= MAX_DT {
            return Some(dt);
        }
        self.wrong(&value.span, format!("a tick takes more than 0 and at most {MAX_DT} seconds"));
        None
    }

    fn rules(&mut self, fields: &Fields<'d>, rules: &mut Vec<At<Rule>>) {
        let texts = |reader: &mut Self, field: &str| fields.get(field).map(|it| reader.texts(it, field));
        for it in texts(self, "never").into_iter().flatten() {
            rules.push(At { it: Rule::Never(it.it), span: it.span });
        }
        for it in texts(self, "always").into_iter().flatten() {
            rules.push(At { it: Rule::Always(it.it), span: it.span });
        }
        if let Some(value) = fields.get("order") {
            let names = self.texts(value, "order");
            if names.len() < 2 {
                self.wrong_with(&value.span, "`order` takes two nodes or more", "write `order: [\"first\", \"then\"]`");
            }
            rules.push(At { it: Rule::Order(names), span: value.span.clone() });
        }
        for (field, rule) in [
            ("at_most", Rule::AtMost as fn(String, u32) -> Rule),
            ("at_least", Rule::AtLeast as fn(String, u32) -> Rule),
        ] {
            for (name, count) in fields.get(field).map(|it| self.map(it, field, "{ \"node\": 2 }")).unwrap_or_default()
            {
                if let Some(count) = self.whole(count, field, 0, u32::MAX.into()) {
                    let count = u32::try_from(count).unwrap_or(u32::MAX);
                    rules.push(At { it: rule(name.it, count), span: name.span });
                }
            }
        }
    }

    /// The answers of leaves: `{ "Flee": Success(after: 2.0), "See": true }`.
    fn leaves(&mut self, value: &'d Datum) -> Vec<(At<String>, Stub)> {
        let entries = self.map(value, "leaves", "{ \"Leaf\": Success }");
        entries.into_iter().filter_map(|(name, it)| Some((name, self.stub(it)?))).collect()
    }

    fn stub(&mut self, value: &'d Datum) -> Option<Stub> {
        match &value.shape {
            Shape::Call(Some(name), Arguments::None) if name.text == "Own" => Some(Stub::Own),
            _ => self.answer(value).map(Stub::Answer),
        }
    }

    /// `Success`, `Success(after: 2.0)`, `true`, or a list of these.
    fn answer(&mut self, value: &'d Datum) -> Option<Answer> {
        let one = std::slice::from_ref(value);
        let items = match &value.shape {
            Shape::List(items) => items,
            _ => one,
        };
        if items.is_empty() {
            self.wrong(&value.span, "a leaf has no answer: write one at least");
            return None;
        }
        let mut answer = Answer { replies: Vec::new(), of_condition: false };
        for it in items {
            let (reply, of_condition) = self.reply(it)?;
            answer.of_condition |= of_condition;
            answer.replies.push(reply);
        }
        Some(answer)
    }

    fn reply(&mut self, value: &'d Datum) -> Option<(Reply, bool)> {
        const WORDS: [&str; 6] = ["Success", "Failure", "Running", "true", "false", "Own"];
        let Shape::Call(Some(name), args) = &value.shape else {
            let message = format!("a leaf answers `Success`, `Failure`, `Running`, `true` or `false`, not {value}");
            self.wrong(&value.span, message);
            return None;
        };
        let (status, of_condition) = match &*name.text {
            "Success" => (Status::Success, false),
            "Failure" => (Status::Failure, false),
            "Running" => (Status::Running, false),
            "true" => (Status::Success, true),
            "false" => (Status::Failure, true),
            "Own" => {
                self.wrong(&value.span, "`Own` stands by itself, not in a list");
                return None;
            }
            other => {
                let near = pleach::tools::names::near(other, WORDS);
                let help = near.map_or_else(|| format!("use {}", list(&WORDS)), |it| it.help().to_string());
                self.wrong_with(&name.span, format!("unknown answer `{other}`"), help);
                return None;
            }
        };
        if *args == Arguments::None {
            return Some((Reply { status, when: When::AtOnce }, of_condition));
        }
        if status == Status::Running || of_condition {
            self.wrong(&value.span, format!("`{}` takes nothing in parentheses", name.text));
            return None;
        }
        let owner = format!("`{}`", name.text);
        let fields = self.fields(&name.span, args, &owner, &["after", "ticks"])?;
        let when = match (fields.get("after"), fields.get("ticks")) {
            (Some(it), None) => When::Seconds(self.seconds(it, "after")?),
            (None, Some(it)) => {
                When::Tick(u32::try_from(self.whole(it, "ticks", 1, MOST_TICKS.into())?).unwrap_or(MOST_TICKS))
            }
            _ => {
                self.wrong(&value.span, "say one of `after: 2.0`, in seconds, and `ticks: 3`");
                return None;
            }
        };
        Some((Reply { status, when }, false))
    }
}
