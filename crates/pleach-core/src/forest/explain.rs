//! "Why does it do that?": what an agent is doing and what would change that, as lines for people.

mod remembered;
mod why_not;

use std::fmt;

use pleach_expr::expr::{Expr, KeyIndex, Read};
use pleach_expr::text::plain;

use crate::forest::{AgentView, Phase};
use crate::tree::record::Op;
use crate::{Host, NodeId, NodeRef, Outcome, Time, Value, schema::Scope, text};
pub use remembered::{Note, Remaining};
pub use why_not::{Obstacle, WhyNot};

/// What an agent is doing and what would change that. Displays as some lines:
///
/// ```text
/// guard, 3.150 s, active
///   does     n0 Selector "guard" > n10 Sequence "fight" > n12 Approach(target: "player")
///   watches  n2 Check(health <= 0): was failure, is failure (health = 0.8)
///   watches  n11 Check(sees_player): was success, is success (sees_player = true)
///   aborted  at 2.900 s: n11 Check(sees_player), which was failure, changed; n20 Patrol ended, n0 Selector "guard" went on
/// ```
///
/// Made by [`AgentView::explain`] and [`AgentRef::explain`](crate::handles::AgentRef::explain).
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The agent's label for people.
    pub label: Option<String>,
    /// The tree's name.
    pub tree: String,
    /// What the agent is doing, in one word.
    pub phase: Phase,
    /// Its own time, in seconds.
    pub time: f64,
    /// Its run stacks, each from bottom to top. Each node is written as its line, the `Display` of
    /// [`NodeRef`](crate::NodeRef).
    pub paths: Vec<Vec<String>>,
    /// What could change what it does, in pre-order.
    pub questions: Vec<Question>,
    /// What nodes remember, in pre-order: time, counts and orders.
    pub notes: Vec<Note>,
    /// The last conditional abort, in words.
    pub last_abort: Option<String>,
}

/// A condition, a decorator or leaf that asks one, or a switch, which asks for a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The node.
    pub node: NodeId,
    /// Its line.
    pub label: String,
    /// Why it matters.
    pub kind: QuestionKind,
    /// Its present answer, if it is an expression that holds or does not, or asks whether an event
    /// waits for the agent. Only the host knows what a condition of the host would answer.
    pub now: Option<bool>,
    /// The keys that it reads, and `time` and `now` if it reads these.
    pub keys: Vec<KeyRead>,
}

/// A key that a question reads, and its value. Displays as `sees = false`, and as `sees = false,
/// written by the game` if the game is known to write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRead {
    /// Its name, after its scope if it is not the agent's own; or `time` or `now`.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether the game is known to write it: see [`AgentView::key_use`].
    pub by_game: bool,
}

impl fmt::Display for KeyRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KeyRead { name, value, by_game } = self;
        write!(f, "{name} = {value}{}", if *by_game { ", written by the game" } else { "" })
    }
}

/// Why a question matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionKind {
    /// A condition with this status when it last ran; a change would abort something.
    Watched(Outcome),
    /// A condition with this status when it last ran; a change could abort nothing now.
    Remembered(Outcome),
    /// The guard of a child that is running. The child is ended when this no longer holds.
    Holds,
    /// A leaf that is running waits for it.
    Awaited,
    /// The value of a switch with a running child. The child is ended when it selects another one.
    Selects,
    /// It is left of the running child of a reactive composite, so every tick runs it again.
    Rerun,
    /// It guards a node that is not active.
    Required,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Question { node: _, label, kind, now, keys: _ } = self;
        match kind {
            QuestionKind::Watched(was) => write!(f, "watches  {label}: was {was}, ")?,
            QuestionKind::Remembered(was) => write!(f, "recalls  {label}: was {was}, ")?,
            QuestionKind::Holds => write!(f, "needs    {label}: ")?,
            QuestionKind::Awaited => write!(f, "awaits   {label}: ")?,
            QuestionKind::Rerun => write!(f, "reruns   {label}: ")?,
            QuestionKind::Selects => write!(f, "selects  {label}")?,
            QuestionKind::Required => write!(f, "requires {label}: ")?,
        }
        match now {
            _ if *kind == QuestionKind::Selects => {}
            Some(true) => f.write_str("is success")?,
            Some(false) => f.write_str("is failure")?,
            None => f.write_str("only the game knows")?,
        }
        f.write_str(&self.values())
    }
}

impl Question {
    /// The keys that it reads, in words.
    fn values(&self) -> String {
        let keys: Vec<String> = self.keys.iter().map(ToString::to_string).collect();
        let between = if self.keys.iter().any(|it| it.by_game) { "; " } else { ", " };
        if keys.is_empty() { String::new() } else { format!(" ({})", keys.join(between)) }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explanation { label, tree, phase, time, paths, questions, notes, last_abort } = self;
        match label {
            Some(label) => write!(f, "{} ({})", plain(label), plain(tree))?,
            None => f.write_str(&plain(tree))?,
        }
        write!(f, ", {time:.3} s, {phase}")?;
        for path in paths {
            write!(f, "\n  does     {}", path.join(" > "))?;
        }
        if paths.is_empty() && *phase == Phase::Active {
            f.write_str("\n  does     nothing yet: its root starts in its next tick")?;
        }
        for question in questions {
            write!(f, "\n  {question}")?;
        }
        for note in notes {
            write!(f, "\n  {note}")?;
        }
        match last_abort {
            Some(abort) => write!(f, "\n  aborted  {abort}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Active => "active",
            Phase::Asleep => "asleep",
            Phase::Paused => "paused",
            Phase::Off => "off",
            Phase::Panicked => "panicked",
        })
    }
}

impl<H: Host> AgentView<H> {
    /// Why the agent does what it does: the active path; what is watched, with the last and the
    /// present answer; what nodes remember, such as the remaining time; and the last abort. Costs a
    /// look at each node, and the evaluation of the expressions on the active path. Allocates.
    ///
    /// ```
    /// # use pleach_core::nodes::{check, idle, selector, sequence, wait};
    /// # use pleach_core::{Forest, Host, Tree, nodes::Abort};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut builder = Tree::<Game>::builder("guard");
    /// let sees = builder.key("sees", false);
    /// let fight = sequence([check("sees"), wait(2.0)]).named("fight").aborts(Abort::LOWER_PRIORITY);
    /// let tree = builder.build(selector([fight, idle().named("patrol")]))?;
    ///
    /// let mut forest = Forest::new(7);
    /// let guards = forest.add_tree(tree)?;
    /// let guard = forest.spawn(&mut (), guards)?;
    /// forest.tick(&mut (), 0.5)?;
    /// forest.keys_mut(guard)?.set(sees, true);
    /// let expected = "\
    /// guard, 0.500 s, asleep
    ///   does     n0 Selector > n4 Idle \"patrol\"
    ///   watches  n2 Check(sees): was failure, is success (sees = true)";
    /// assert_eq!(forest.agent(guard)?.explain().to_string(), expected);
    ///
    /// forest.tick(&mut (), 0.5)?;
    /// let abort = forest.agent(guard)?.inspect().last_abort.expect("it left its patrol");
    /// assert_eq!(abort.to_string(), "at 1.000 s: n2, which was failure, changed; n4 ended, n0 went on");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn explain(&self) -> Explanation {
        let mut questions: Vec<Question> = self
            .monitors
            .iter()
            .map(|it| {
                let kind =
                    if it.watched { QuestionKind::Watched(it.stored) } else { QuestionKind::Remembered(it.stored) };
                self.question(it.condition, kind)
            })
            .collect();
        for &node in self.stacks.iter().flatten() {
            match self.tree.rec(node).op {
                Op::Guard { .. } => questions.push(self.question(node, QuestionKind::Holds)),
                Op::Switch { latch: false, .. } => questions.push(self.question(node, QuestionKind::Selects)),
                Op::WaitUntil { .. } | Op::WaitFor { .. } => questions.push(self.question(node, QuestionKind::Awaited)),
                Op::ReactiveSequence { .. } | Op::ReactiveSelector { .. } => {
                    let children = self.tree.children.of(node).iter().copied();
                    let left = children.take_while(|&it| !self.is_active(it));
                    // A node that asks nothing itself has no line: a sequence below an interrupt,
                    // for example.
                    let asks = left.filter(|&it| matches!(self.tree.rec(it).op, Op::Guard { .. }) || self.asks(it));
                    questions.extend(asks.map(|it| self.question(it, QuestionKind::Rerun)));
                }
                _ => {}
            }
        }
        questions.sort_by_key(|it| it.node);
        // A condition below a reactive composite may also have a monitor, which says more.
        questions.dedup_by_key(|it| it.node);
        Explanation {
            label: self.label.as_deref().map(Into::into),
            tree: self.tree.name().into(),
            phase: self.phase,
            time: self.time,
            paths: self.stacks.iter().map(|path| path.iter().map(|&it| self.line(it)).collect()).collect(),
            questions,
            notes: self.notes(),
            last_abort: self.last_abort.map(|it| it.describe(&self.tree)),
        }
    }

    fn asks(&self, node: NodeId) -> bool {
        self.tree.rec(node).is_condition()
    }

    fn line(&self, node: NodeId) -> String {
        self.tree.node(node).map_or_else(|| node.to_string(), |it| it.to_string())
    }

    fn question(&self, node: NodeId, kind: QuestionKind) -> Question {
        let expr = self.tree.node(node).and_then(NodeRef::asked);
        let now = match self.tree.rec(node).op {
            Op::Switch { .. } => None,
            Op::OnEvent { event, .. } | Op::WaitFor { event, .. } => {
                Some(self.mail.iter().any(|it| it.name() == event))
            }
            Op::Free { token } => Some(self.tokens[token.index()].free),
            _ => expr.map(|it| it.eval_bool(self)),
        };
        let mut keys = expr.map(|it| self.keys_of(it)).unwrap_or_default();
        if let Op::Free { token } = self.tree.rec(node).op {
            let token = &self.tokens[token.index()];
            keys.push(KeyRead { name: token.token.clone(), value: token.to_string(), by_game: false });
        }
        Question { node, label: self.line(node), kind, now, keys }
    }

    fn keys_of(&self, expr: &Expr) -> Vec<KeyRead> {
        let name = |scope: Scope, name: &str| match scope {
            Scope::Node | Scope::Agent => text::plain(name).into_owned(),
            Scope::Group | Scope::Global => format!("{scope}.{}", text::plain(name)),
        };
        let keys = expr.keys().iter().map(|it| {
            let (key, value) = &self.keys[it.index()];
            KeyRead {
                name: name(key.scope(), key.name()),
                value: self.tree.schema().describe(*value),
                by_game: self.key_use(*it).is_some_and(|it| it.writes()),
            }
        });
        let clock = |name: &str, it: Time| KeyRead {
            name: name.into(),
            value: format!("{:.3}", it.as_secs_f64()),
            by_game: false,
        };
        let time = expr.reads_time().then(|| clock("time", self.own.time()));
        let now = expr.reads_now().then(|| clock("now", self.now));
        keys.chain(time).chain(now).collect()
    }
}

/// What its expressions would read now.
impl<H: Host> Read for &AgentView<H> {
    fn value(&mut self, key: KeyIndex) -> Value {
        self.keys[key.index()].1
    }
    fn time(&mut self) -> Time {
        self.own.time()
    }
    fn now(&mut self) -> Time {
        self.now
    }
}
