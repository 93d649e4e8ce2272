//! The content of a test file. [`read`](super::read) makes it.

use std::ops::Range;

use pleach::Status;
use pleach::tools::ron::Document;

use crate::stage::Answer;

/// Something with its place in the file.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) it: T,
    pub(crate) span: Range<usize>,
}

/// A test file that could be read.
#[derive(Debug)]
pub(crate) struct TestFile {
    /// As it is shown.
    pub(crate) name: String,
    pub(crate) document: Document,
    pub(crate) cases: Vec<Case>,
}

/// One case.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: At<String>,
    /// The tree's file, from the directory of the test file.
    pub(crate) tree: At<String>,
    pub(crate) seed: u64,
    /// Seconds of a tick.
    pub(crate) dt: f32,
    /// The save in which it begins, by the name of its file.
    pub(crate) begin: Option<At<String>>,
    /// How many other agents of the tree are in its group.
    pub(crate) others: u32,
    /// Whether it is played in the world of the program.
    pub(crate) world: bool,
    /// Those of the file first.
    pub(crate) leaves: Vec<(At<String>, Stub)>,
    /// How many of these the file sets for all cases.
    pub(crate) shared_leaves: usize,
    /// Whether its tree is that of the file.
    pub(crate) has_file_tree: bool,
    pub(crate) steps: Vec<Step>,
    pub(crate) rules: Vec<At<Rule>>,
    /// The file of its whole trace.
    pub(crate) golden: Option<At<String>>,
    /// Whether nothing in it can fail.
    pub(crate) expects_nothing: bool,
}

impl Case {
    /// The leaves and nodes that answer `true` or `false`.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &str> {
        let is_condition = |it: &Stub| matches!(it, Stub::Answer(it) if it.of_condition);
        let later = self.steps.iter().flat_map(|it| &it.deeds).filter_map(|it| match &it.it {
            Deed::Answer(name, answer) if answer.of_condition => Some(&**name),
            _ => None,
        });
        self.leaves.iter().filter(move |it| is_condition(&it.1)).map(|it| &*it.0.it).chain(later)
    }

    /// The leaves and nodes that the case names in a world, each with whether it answers in place
    /// of the game.
    pub(crate) fn stubs(&self) -> impl Iterator<Item = (&str, bool)> {
        self.leaves.iter().map(|it| (&*it.0.it, it.1 != Stub::Own))
    }
}

/// What a leaf does in a case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stub {
    /// What it does in the world.
    Own,
    Answer(Answer),
}

/// A moment of a case: its expectations and its actions.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) moment: At<Moment>,
    pub(crate) expects: Vec<At<Expect>>,
    pub(crate) deeds: Vec<At<Deed>>,
}

/// When a step is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Moment {
    /// After the n-th tick; 0 is before the first one.
    Tick(u32),
    /// This many ticks after the step before.
    After(u32),
    /// As soon as everything holds, and at most this many ticks after the step before.
    Within(u32),
}

/// What holds at a step.
#[derive(Clone, Debug)]
pub(crate) enum Expect {
    Running(String),
    NotRunning(String),
    /// Since the step before.
    Happened(What, String),
    /// The node was ended from outside since the step before: by a condition in the other node, or
    /// by that node.
    Aborted(String, String),
    /// The tree gave the event to the game since the step before.
    Emitted(String),
    /// A Bool expression is true.
    Expr(String),
    /// A key has the value.
    Key(String, String),
    /// The status of the root: how it last ended, or that it is running.
    Status(Status),
}

/// What can happen to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Started,
    Succeeded,
    Failed,
}

/// What is done at a step.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Set(String, String),
    Send(String, Option<String>),
    Fill(String, String),
    Answer(String, Answer),
    Pause,
    Unpause,
    Restart,
    /// From now on each tick takes this many seconds.
    Dt(f32),
    /// The same to all other agents: a key is set, an event sent, a slot filled.
    Others(Box<Deed>),
}

/// What holds for a whole case.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    /// The node never starts.
    Never(String),
    /// A Bool expression is true after every tick.
    Always(String),
    /// The first start of a node comes before the first start of the next one. A node that is
    /// listed again starts again, after the one before it.
    Order(Vec<At<String>>),
    AtMost(String, u32),
    AtLeast(String, u32),
}
