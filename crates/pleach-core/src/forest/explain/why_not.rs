//! "Why does it not do that?": what stands between an agent and a node that is not active.

use std::fmt;

use pleach_expr::text::plain;

use super::{Question, QuestionKind, Remaining};
use crate::forest::{AgentView, MonitorView, Phase};
use crate::kinds::ChildOrder;
use crate::tree::record::Op;
use crate::{Host, NodeId, Outcome, nodes::Ending};

/// What stands between an agent and a node. Displays as some lines:
///
/// ```text
/// guard, 3.150 s, active: why not n10 Sequence "fight"?
///   passed   n0 Selector "guard" runs n20 Patrol; a change of n11 Check(sees_player) brings it back
///   requires n11 Check(sees_player): is failure (sees_player = false)
/// ```
///
/// Made by [`AgentView::why_not`] and [`AgentRef::why_not`](crate::handles::AgentRef::why_not).
#[derive(Clone, Debug, PartialEq)]
pub struct WhyNot {
    /// The tree's name.
    pub tree: String,
    /// What the agent is doing, in one word.
    pub phase: Phase,
    /// Its own time, in seconds.
    pub time: f64,
    /// The node's line.
    pub node: String,
    /// Whether the node is active: then nothing stands before it.
    pub active: bool,
    /// What stands before it, from the root down.
    pub obstacles: Vec<Obstacle>,
}

/// Something that stands between an agent and a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// The agent is not ticked.
    Phase(Phase),
    /// A condition or guard on the way does not hold, or only the host knows whether it does. A
    /// switch on the way selects another child.
    Requires(Question),
    /// Another child of a composite comes first, and runs.
    Behind {
        /// The line of that child.
        runs: String,
    },
    /// A composite has passed the node, or the node's branch, and runs another child.
    Passed {
        /// The line of the composite.
        by: String,
        /// The line of the child that runs.
        runs: String,
        /// The lines of the conditions whose change brings the composite back. If there are none,
        /// the branch is not tried again until the composite restarts.
        watched: Vec<String>,
    },
    /// A condition whose change would bring a composite back to its branch, but that has not been
    /// asked: it is new in this version of the tree, or differs from the one before.
    Unasked {
        /// The line of the condition.
        node: String,
    },
    /// An earlier child would run first: its conditions hold now.
    Before {
        /// The line of that child.
        by: String,
        /// Its first conditions and guards, which all hold. Empty for a child that has none, or
        /// whose guard does not hold and ends with success.
        holds: Vec<Question>,
    },
    /// An earlier child of a sequence that has to succeed first, or one of a selector that has to
    /// fail first, and only running it shows whether it does.
    Unknown {
        /// The line of that child.
        node: String,
    },
    /// A decorator or composite on the way that decides by what it remembers, at random or by
    /// score.
    Decides {
        /// Its line.
        by: String,
        /// What is left of a cooldown or a limit; the order of an active composite.
        left: Option<Remaining>,
    },
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Phase(phase) => write!(f, "phase    the agent is {phase}"),
            Obstacle::Requires(question) => write!(f, "{question}"),
            Obstacle::Behind { runs } => write!(f, "behind   {runs} runs, and comes first"),
            Obstacle::Before { by, holds } => {
                write!(f, "before   {by}")?;
                let holding = |it: &Question| {
                    let label = if it.label == *by { String::new() } else { format!(" {}", it.label) };
                    format!("{label} holds{}", it.values())
                };
                let holds: Vec<String> = holds.iter().map(holding).collect();
                match &holds[..] {
                    [] => f.write_str(" comes first"),
                    [own] if own.starts_with(" holds") => f.write_str(own),
                    all => write!(f, ":{}", all.join(",")),
                }
            }
            Obstacle::Unknown { node } => write!(f, "unknown  {node}: how it ends is known only when it runs"),
            Obstacle::Passed { by, runs, watched } if watched.is_empty() => {
                write!(f, "passed   {by} runs {runs}; no watched condition will bring it back until it restarts")
            }
            Obstacle::Passed { by, runs, watched } => {
                write!(f, "passed   {by} runs {runs}; a change of {} brings it back", watched.join(" or "))
            }
            Obstacle::Unasked { node } => {
                write!(
                    f,
                    "unasked  {node}: this version of the tree has not asked it yet; it aborts nothing until then"
                )
            }
            Obstacle::Decides { by, left: None } => write!(f, "decides  {by}"),
            Obstacle::Decides { by, left: Some(left @ Remaining::Seconds(_)) } => {
                write!(f, "decides  {by}: {left} left")
            }
            Obstacle::Decides { by, left: Some(left @ Remaining::Places(_)) } => write!(f, "decides  {by}: {left}"),
            Obstacle::Decides { by, left: Some(left @ Remaining::Count(_)) } => write!(f, "decides  {by}: {left} left"),
            Obstacle::Decides { by, left: Some(left @ Remaining::Order(_)) } => {
                write!(f, "decides  {by}: in the order {left}")
            }
        }
    }
}

impl fmt::Display for WhyNot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WhyNot { tree, phase, time, node, active, obstacles } = self;
        write!(f, "{}, {time:.3} s, {phase}: why not {node}?", plain(tree))?;
        match (active, obstacles.is_empty()) {
            (true, _) => f.write_str("\n  runs     it is active"),
            (false, true) => f.write_str("\n  nothing  is in the way: the next tick that reaches it starts it"),
            (false, false) => obstacles.iter().try_for_each(|it| write!(f, "\n  {it}")),
        }
    }
}

impl<H: Host> AgentView<H> {
    /// Why a node is not active: the conditions and guards on the way to it that do not hold, with
    /// the values of the keys that they read; what runs in its place; and what would run before it,
    /// as its conditions hold now. What only the host knows, or only running it shows, is listed
    /// too. `None` if the tree has no such node.
    ///
    /// It looks at the tree as it is, and runs nothing. Where several things have to change, it
    /// lists them all. Its cost grows with the nodes on the way and their children. Allocates.
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
    /// builder.key("sees", false);
    /// let fight = sequence([check("sees"), wait(2.0)]).named("fight").aborts(Abort::LOWER_PRIORITY);
    /// let tree = builder.build(selector([fight, idle().named("patrol")]))?;
    ///
    /// let mut forest = Forest::new(7);
    /// let guards = forest.add_tree(tree)?;
    /// let guard = forest.spawn(&mut (), guards)?;
    /// forest.tick(&mut (), 0.5)?;
    /// let fight = forest.tree(guards)?.find("fight").next().expect("it has one").id();
    /// let expected = "\
    /// guard, 0.500 s, asleep: why not n1 Sequence \"fight\"?
    ///   passed   n0 Selector runs n4 Idle \"patrol\"; a change of n2 Check(sees) brings it back
    ///   requires n2 Check(sees): is failure (sees = false)";
    /// assert_eq!(forest.agent(guard)?.why_not(fight).expect("it is a node of the tree").to_string(), expected);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn why_not(&self, node: NodeId) -> Option<WhyNot> {
        let target = self.tree.node(node)?;
        let mut obstacles = Vec::new();
        if let Phase::Paused | Phase::Off | Phase::Panicked = self.phase {
            obstacles.push(Obstacle::Phase(self.phase));
        }
        if !self.is_active(node) {
            let mut path: Vec<NodeId> =
                std::iter::successors(Some(target), |it| it.parent()).map(crate::NodeRef::id).collect();
            path.reverse();
            for pair in path.windows(2) {
                self.way(pair[0], pair[1], &mut obstacles);
            }
            self.begins(node, &mut obstacles);
        }
        Some(WhyNot {
            tree: self.tree.name().into(),
            phase: self.phase,
            time: self.time,
            node: target.to_string(),
            active: self.is_active(node),
            obstacles,
        })
    }

    /// What keeps a parent from its child.
    fn way(&self, parent: NodeId, child: NodeId, obstacles: &mut Vec<Obstacle>) {
        if self.is_active(child) {
            return;
        }
        let children = self.tree.children.of(parent);
        let at = children.iter().position(|&it| it == child).unwrap_or_default();
        let running = children.iter().position(|&it| self.is_active(it));
        let by = || Obstacle::Decides { by: self.line(parent), left: self.left(parent) };
        match self.tree.rec(parent).op {
            // It starts all its children, each once.
            Op::Parallel { .. } => obstacles.extend(running.map(|it| self.passed(parent, child, children[it]))),
            Op::Selector => {
                obstacles.extend(self.aside(parent, child, at, running));
                obstacles.extend(running.filter(|it| at < *it).and_then(|_| self.unasked(parent, child)));
                // Children left of the running child are not tried again, unless they are watched.
                let from = running.map_or(0, |it| it + 1).min(at);
                for (place, &other) in children[..at].iter().enumerate().filter(|it| Some(it.0) != running) {
                    let tried = place >= from;
                    if tried || self.is_watched(other) {
                        obstacles.extend(self.comes_first(other, tried));
                    }
                }
            }
            Op::Sequence => {
                obstacles.extend(self.aside(parent, child, at, running));
                // A running child has been started already.
                let from = running.map_or(0, |it| it + 1).min(at);
                children[from..at].iter().for_each(|&it| self.has_to_succeed(it, obstacles));
            }
            // Their passes run the children left of the running one again.
            Op::ReactiveSelector { .. } => {
                obstacles.extend(self.aside(parent, child, at, running.filter(|&it| it < at)));
                let others = children[..at].iter().filter(|&&it| !self.is_active(it));
                obstacles.extend(others.filter_map(|&it| self.comes_first(it, true)));
            }
            Op::ReactiveSequence { .. } => {
                obstacles.extend(self.aside(parent, child, at, running.filter(|&it| it < at)));
                let others = children[..at].iter().filter(|&&it| !self.is_active(it));
                others.for_each(|&it| self.has_to_succeed(it, obstacles));
            }
            Op::Switch { on, cases, latch, .. } => {
                // Without the latch its pass selects again.
                if latch {
                    obstacles.extend(self.aside(parent, child, at, running));
                }
                let value = self.tree.expr(on).eval(self);
                if self.tree.cases[cases.index()].select(value) != Some(child) {
                    obstacles.push(Obstacle::Requires(self.question(parent, QuestionKind::Selects)));
                }
            }
            Op::RandomChoice { .. } => obstacles.push(self.aside(parent, child, at, running).unwrap_or_else(by)),
            Op::RandomSequence { .. } | Op::RandomSelector { .. } | Op::UtilitySelector { .. } => {
                obstacles.push(by());
            }
            // A leaf of `do` runs when the child has ended, if it ended in the right way.
            Op::Finally { on } if at > 0 => {
                obstacles.extend(self.aside(parent, child, at, running));
                obstacles.extend((on != Ending::Any).then(by));
            }
            _ => self.begins_itself(parent, obstacles),
        }
    }

    /// Which other child of a composite runs, if one does.
    fn aside(&self, parent: NodeId, child: NodeId, at: usize, running: Option<usize>) -> Option<Obstacle> {
        let running = running.filter(|&it| it != at)?;
        let other = self.tree.children.of(parent)[running];
        let selects = self.tree.rec(parent).kind.order() == Some(ChildOrder::Selected);
        Some(if running < at && !selects {
            Obstacle::Behind { runs: self.line(other) }
        } else {
            self.passed(parent, child, other)
        })
    }

    /// A composite has passed a child. A change of a watched condition in an earlier child brings
    /// it back to that one, from which it gets to this one again.
    fn passed(&self, parent: NodeId, child: NodeId, runs: NodeId) -> Obstacle {
        let until = self.tree.rec(child).end;
        let watched = self.watched(parent, until).map(|it| self.line(it.condition)).collect();
        Obstacle::Passed { by: self.line(parent), runs: self.line(runs), watched }
    }

    /// The condition with which an earlier child of a selector begins, if that would be watched but
    /// was not asked. Unless a tree was replaced, the selector has asked it on its way.
    fn unasked(&self, selector: NodeId, child: NodeId) -> Option<Obstacle> {
        let first = match self.tree.rec(child).op {
            Op::Sequence => *self.tree.children.of(child).first()?,
            _ => child,
        };
        let node = self.tree.node(first).filter(|it| it.is_condition())?;
        let is_watched = node.watched_at(crate::NodeRef::abort).any(|(at, _)| at.id() == selector);
        let is_known = self.monitors.iter().any(|it| it.condition == first);
        (is_watched && !is_known).then(|| Obstacle::Unasked { node: self.line(first) })
    }

    /// Whether a change of a condition in a subtree could abort something now.
    fn is_watched(&self, node: NodeId) -> bool {
        self.watched(node, self.tree.rec(node).end).next().is_some()
    }

    /// The monitors of conditions from one node up to another whose change could abort something
    /// now.
    fn watched(&self, from: NodeId, until: NodeId) -> impl Iterator<Item = &MonitorView> {
        let first = self.monitors.partition_point(|it| it.condition < from);
        self.monitors[first..].iter().take_while(move |it| it.condition < until).filter(|it| it.watched)
    }

    /// An earlier child of a selector would be chosen: its first conditions hold. If that is not
    /// known, and the child is `tried` before the node in question, only running it shows.
    fn comes_first(&self, child: NodeId, tried: bool) -> Option<Obstacle> {
        let (mut holds, mut known, mut skips) = (Vec::new(), true, false);
        for node in self.first_of(child) {
            match self.tree.rec(node).op {
                _ if self.skips(node) => skips = true,
                Op::Check { .. } | Op::OnEvent { .. } | Op::Free { .. } | Op::Condition { .. } | Op::Guard { .. } => {
                    let question = self.question(node, QuestionKind::Required);
                    match question.now {
                        Some(true) => holds.push(question),
                        Some(false) => return None,
                        None => known = false,
                    }
                }
                Op::Fail => return None,
                Op::Token { token, .. } if !self.tokens[token.index()].free => return None,
                Op::Token { .. } => {}
                Op::Cooldown { .. } | Op::Limit { .. } | Op::Probability { .. } => known = false,
                _ => {}
            }
        }
        let op = self.tree.rec(child).op;
        // The answers of these do not matter: any other child has succeeded or runs.
        let is_built_in = matches!(
            op,
            Op::Wait { .. }
                | Op::WaitTicks { .. }
                | Op::WaitUntil { .. }
                | Op::WaitFor { .. }
                | Op::Set { .. }
                | Op::Roll { .. }
                | Op::Log { .. }
                | Op::Emit { .. }
                | Op::Succeed
                | Op::Idle
        );
        if known && (!holds.is_empty() || is_built_in || skips) {
            Some(Obstacle::Before { by: self.line(child), holds })
        } else {
            tried.then(|| Obstacle::Unknown { node: self.line(child) })
        }
    }

    /// What keeps an earlier child of a sequence from success, as far as that is known.
    fn has_to_succeed(&self, child: NodeId, obstacles: &mut Vec<Obstacle>) {
        if self.skips(child) {
            return;
        }
        let first = self.first_of(child);
        first.into_iter().filter(|&it| !self.skips(it)).for_each(|it| self.begins_itself(it, obstacles));
        let mut below = (child.index()..self.tree.rec(child).end.index()).filter_map(NodeId::new);
        // Only the host knows what its actions return. `begins` asks for the answers of conditions.
        if below.any(|it| matches!(self.tree.rec(it).op, Op::Action { .. }) && !self.tree.is_in_do(it)) {
            obstacles.push(Obstacle::Unknown { node: self.line(child) });
        }
    }

    /// What keeps a node from carrying on when it is started: its own condition or guard, and those
    /// that come first below it.
    fn begins(&self, node: NodeId, obstacles: &mut Vec<Obstacle>) {
        self.first_of(node).into_iter().for_each(|it| self.begins_itself(it, obstacles));
    }

    /// A node and what begins with it: the conditions and guards that come first below it, and the
    /// nodes on the way to them.
    fn first_of(&self, node: NodeId) -> Vec<NodeId> {
        let (mut left, mut first_of) = (vec![node], Vec::new());
        while let Some(node) = left.pop() {
            first_of.push(node);
            let children = self.tree.children.of(node);
            let first = match self.tree.rec(node).op {
                Op::Sequence | Op::ReactiveSequence { .. } => {
                    let tests = |it: NodeId| self.asks(it) || matches!(self.tree.rec(it).op, Op::Guard { .. });
                    let first = children.iter().take_while(|&&it| tests(it)).count();
                    left.extend(children[..first].iter().rev().filter(|&&it| !self.skips(it)));
                    continue;
                }
                Op::Guard { .. } if self.skips(node) => 0,
                // What is below these may hold or not without their own answer being known.
                Op::Selector
                | Op::ReactiveSelector { .. }
                | Op::Parallel { .. }
                | Op::Switch { .. }
                | Op::RandomChoice { .. }
                | Op::RandomSequence { .. }
                | Op::RandomSelector { .. }
                | Op::UtilitySelector { .. }
                | Op::Inverter
                | Op::ForceSuccess
                | Op::ForceFailure => 0,
                // The others are the leaves of `do`.
                Op::Finally { .. } => 1,
                _ => children.len(),
            };
            left.extend(children[..first].iter().rev());
        }
        first_of
    }

    /// Whether a guard would now end with success instead of running its child.
    fn skips(&self, node: NodeId) -> bool {
        matches!(self.tree.rec(node).op, Op::Guard { result: Outcome::Success, .. })
            && self.question(node, QuestionKind::Required).now == Some(false)
    }

    fn begins_itself(&self, node: NodeId, obstacles: &mut Vec<Obstacle>) {
        match self.tree.rec(node).op {
            Op::Check { .. } | Op::OnEvent { .. } | Op::Free { .. } | Op::Condition { .. } | Op::Guard { .. } => {
                let question = self.question(node, QuestionKind::Required);
                if question.now != Some(true) {
                    obstacles.push(Obstacle::Requires(question));
                }
            }
            Op::Token { token, .. } if self.tokens[token.index()].free => {}
            Op::Cooldown { .. } | Op::Limit { .. } | Op::Probability { .. } | Op::Token { .. } | Op::Delay { .. } => {
                obstacles.push(Obstacle::Decides { by: self.line(node), left: self.left(node) });
            }
            _ => {}
        }
    }
}
