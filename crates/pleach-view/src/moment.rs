//! An agent after a frame, and why it does not run a node.

use pleach::inspect::{AgentView, Explanation, Obstacle, Question, Remaining, WhyNot};
use pleach::tools::text::plain;
use pleach::{Host, NodeId, NodeRef, Outcome, Phase};

use crate::model::{ConditionView, KeyText, LastAbort, Line, MomentView, NodeNote, WhyNotView};
use crate::words;

/// The parts of a second in which times are written.
const PARTS: f64 = 1e6;

/// The precision of written times, in seconds. Sums of steps are no more exact.
pub const PRECISION: f64 = 1.0 / PARTS;

/// A time as it is written.
#[must_use]
pub fn rounded(seconds: f64) -> f64 {
    (seconds * PARTS).round() / PARTS
}

/// The label of an agent, without control characters. `None` if it is only the agent's number, as
/// `pleach run` labels agents without a name.
#[must_use]
pub fn label(label: Option<&str>, number: u32) -> Option<String> {
    label.filter(|it| *it != format!("agent {number}")).map(|it| plain(it).into_owned())
}

/// The most lines about why a node does not run.
const MOST_LINES: usize = 100;

/// When an agent is looked at: its number, the frame, the time after it, and the index of its tree.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// The agent's number.
    pub agent: u32,
    /// The frame.
    pub frame: u64,
    /// The time of the game after it.
    pub seconds: f64,
    /// The tree, as an index.
    pub tree: usize,
}

/// An agent of a game in memory, at this time of the game: what a terminal or the game's own panel
/// shows is what the page shows. The numbers that only a recording gives are 0: those of the agent,
/// of the frame and of the tree. Costs as much as an explanation; allocates.
#[must_use]
pub fn living<H: Host>(view: &AgentView<H>, seconds: f64) -> MomentView {
    let at = At { agent: 0, frame: 0, seconds, tree: 0 };
    MomentView { phase: view.phase.to_string(), ..moment(view, at, |_| None) }
}

/// An agent after a frame. `abort_by` gives the frame in which a condition last aborted something,
/// and its cause, which has the values that the expression read then.
pub fn moment<'a, H: Host>(
    view: &AgentView<H>,
    at: At,
    abort_by: impl Fn(NodeId) -> Option<(u64, &'a str)>,
) -> MomentView {
    let explanation = view.explain();
    let mut active: Vec<usize> = view.stacks.iter().flatten().map(|it| it.index()).collect();
    active.sort_unstable();
    let now = |node: NodeId| explanation.questions.iter().find(|it| it.node == node).and_then(|it| it.now);
    let conditions = view.monitors.iter().map(|it| ConditionView {
        node: it.condition.index(),
        stored: it.stored == Outcome::Success,
        now: now(it.condition),
        watched: it.watched,
    });
    let keys = view.keys.iter().enumerate();
    let keys = keys.map(|(key, (_, value))| KeyText { key, text: words::value(view.tree.schema(), *value) });
    MomentView {
        agent: at.agent,
        label: label(view.label.as_deref(), at.agent),
        frame: at.frame,
        seconds: at.seconds,
        tree: at.tree,
        phase: phase(view.phase).to_string(),
        running: view.current().map(NodeId::index).collect(),
        active,
        nodes: notes(view, &explanation, at.seconds),
        conditions: conditions.collect(),
        explain: explained(view, &explanation, at.seconds),
        last_abort: view.last_abort.map(|it| {
            let known = abort_by(it.by);
            let text = || without_time(&it.describe(&view.tree)).to_owned();
            LastAbort {
                frame: known.map(|it| it.0),
                time: rounded(it.time),
                text: known.map_or_else(text, |it| it.1.to_owned()),
                node: it.by.index(),
            }
        }),
        keys: keys.collect(),
    }
}

/// A text that begins with a time, as in `at 1.200 s: n2 Check(late), which was failure, ..`.
fn without_time(text: &str) -> &str {
    text.strip_prefix("at ").and_then(|it| it.split_once(" s: ")).map_or(text, |it| it.1)
}

/// A replay does not know whether an agent slept.
fn phase(phase: Phase) -> Phase {
    if phase == Phase::Asleep { Phase::Active } else { phase }
}

/// Whether the time of the agent goes on.
fn is_running(phase: Phase) -> bool {
    matches!(phase, Phase::Active | Phase::Asleep)
}

/// When the remaining time is over; `None` while the agent's time stands still.
fn until<H: Host>(view: &AgentView<H>, left: &Remaining, seconds: f64) -> Option<f64> {
    match left {
        Remaining::Seconds(left) if is_running(view.phase) => Some(rounded(seconds + left)),
        _ => None,
    }
}

/// What nodes remember.
fn notes<H: Host>(view: &AgentView<H>, explanation: &Explanation, seconds: f64) -> Vec<NodeNote> {
    let mut notes = Vec::new();
    for note in &explanation.notes {
        let Some(node) = view.tree.node(note.node) else { continue };
        let own = node.to_string();
        let until = until(view, &note.left, seconds);
        // `service Look of n3 Sequence`
        let whose = note.label.strip_suffix(&format!(" of {own}")).map(|it| format!("{it} "));
        let left = match &note.left {
            _ if until.is_some() => String::new(),
            Remaining::Order(children) => order(children),
            left => left.to_string(),
        };
        let text = format!("{}{left}", whose.unwrap_or_default()).trim_end().to_owned();
        notes.push(NodeNote { node: note.node.index(), word: note.left.word().into(), text, until, share: None });
        if let Remaining::Order(children) = &note.left {
            scores(node, children, &mut notes);
        }
    }
    notes
}

/// An order without its scores, which the children have: `n14, n10`.
fn order(children: &[(String, Option<f32>)]) -> String {
    let numbers: Vec<&str> = children.iter().map(|it| it.0.split(' ').next().unwrap_or_default()).collect();
    numbers.join(", ")
}

/// The scores of children, the best first, each as a line. Empty without scores.
fn scored(left: &Remaining) -> Vec<Line> {
    let Remaining::Order(children) = left else { return Vec::new() };
    let line = |(child, score): &(String, Option<f32>)| {
        score.map(|score| line("score", format!("{child}: {score:.3}"), numbered(child)))
    };
    children.iter().filter_map(line).collect()
}

/// The scores of the children of a utility composite.
fn scores<H: Host>(node: NodeRef<'_, H>, children: &[(String, Option<f32>)], notes: &mut Vec<NodeNote>) {
    let best = children.iter().filter_map(|it| it.1).fold(0.0_f32, f32::max);
    let mut scored: Vec<NodeNote> = Vec::new();
    for child in node.children() {
        let line = child.to_string();
        let Some(score) = children.iter().find(|it| it.0 == line).and_then(|it| it.1) else { continue };
        let share = f64::from(score / best);
        let share = (best > 0.0 && share.is_finite()).then(|| (share.clamp(0.0, 1.0) * 1000.0).round() / 1000.0);
        let text = format!("{score:.3}");
        scored.push(NodeNote { node: child.id().index(), word: "score".into(), text, until: None, share });
    }
    notes.append(&mut scored);
}

/// Why the agent does what it does.
fn explained<H: Host>(view: &AgentView<H>, explanation: &Explanation, seconds: f64) -> Vec<Line> {
    let mut lines = Vec::new();
    for (path, stack) in explanation.paths.iter().zip(&view.stacks) {
        lines.push(line("does", path.join(" > "), stack.last().copied()));
    }
    if explanation.paths.is_empty() {
        let text = match view.phase {
            Phase::Active | Phase::Asleep => "nothing yet: its root starts in its next tick".to_owned(),
            phase => format!("nothing: the agent is {phase}"),
        };
        lines.push(line("does", text, None));
    }
    lines.extend(explanation.questions.iter().map(asked));
    for note in &explanation.notes {
        let until = until(view, &note.left, seconds);
        let scores = scored(&note.left);
        let text = match until {
            None if scores.is_empty() => format!("{}: {}", note.label, note.left),
            _ => note.label.clone(),
        };
        lines.push(Line { until, ..line(note.left.word(), text, Some(note.node)) });
        lines.extend(scores);
    }
    if let (Some(abort), Some(text)) = (view.last_abort, &explanation.last_abort) {
        lines.push(line("aborted", text.clone(), Some(abort.by)));
    }
    lines
}

fn line(word: &str, text: String, node: Option<NodeId>) -> Line {
    Line { word: word.into(), text, node: node.map(NodeId::index), until: None }
}

/// A question: its first word says why it matters.
fn asked(question: &Question) -> Line {
    let text = question.to_string();
    let (word, text) = text.split_once(' ').unwrap_or((&text, ""));
    line(word, text.trim_start().to_owned(), Some(question.node))
}

/// Why an agent does not run a node.
#[must_use]
pub fn why_not<H: Host>(view: &AgentView<H>, why: &WhyNot, at: At, node: NodeId) -> WhyNotView {
    let mut lines: Vec<Line> = Vec::new();
    if !why.active {
        for it in why.obstacles.iter().take(MOST_LINES) {
            lines.push(obstacle(view, it, at.seconds));
            if let Obstacle::Decides { left: Some(left), .. } = it {
                lines.extend(scored(left));
            }
        }
        if why.obstacles.len() > MOST_LINES {
            let text = format!("{} more nodes are in the way", why.obstacles.len() - MOST_LINES);
            lines.push(line("and", text, None));
        }
        if lines.is_empty() {
            let text = "is in the way: the next tick that reaches it starts it".to_owned();
            lines.push(line("nothing", text, None));
        }
    }
    WhyNotView { agent: at.agent, frame: at.frame, node: node.index(), active: why.active, lines }
}

fn obstacle<H: Host>(view: &AgentView<H>, obstacle: &Obstacle, seconds: f64) -> Line {
    let text = obstacle.to_string();
    let (word, text) = text.split_once(' ').unwrap_or((&text, ""));
    let text = text.trim_start();
    match obstacle {
        Obstacle::Phase(_) => line(word, text.to_owned(), None),
        Obstacle::Requires(question) => line(word, text.to_owned(), Some(question.node)),
        Obstacle::Decides { by, left: Some(left) } if until(view, left, seconds).is_some() => {
            Line { until: until(view, left, seconds), ..line(word, by.clone(), numbered(by)) }
        }
        Obstacle::Decides { by, left: Some(left) } if !scored(left).is_empty() => {
            line(word, format!("{by}: in this order"), numbered(by))
        }
        Obstacle::Behind { runs: of }
        | Obstacle::Passed { by: of, .. }
        | Obstacle::Before { by: of, .. }
        | Obstacle::Unknown { node: of }
        | Obstacle::Unasked { node: of }
        | Obstacle::Decides { by: of, .. } => line(word, text.to_owned(), numbered(of)),
    }
}

/// The node that a line names, which begins with its number.
fn numbered(line: &str) -> Option<NodeId> {
    let number = line.strip_prefix('n')?;
    let end = number.find(|it: char| !it.is_ascii_digit()).unwrap_or(number.len());
    NodeId::new(number[..end].parse().ok()?)
}

#[cfg(test)]
mod tests {
    use pleach::{Forest, Tree, nodes};

    use super::*;

    struct Plain;
    impl Host for Plain {
        type Cx<'a> = ();
    }

    #[test]
    fn a_label_controls_nothing() -> Result<(), Box<dyn std::error::Error>> {
        let mut forest = Forest::<Plain>::new(7);
        let tree = forest.add_tree(Tree::builder("it").build(nodes::idle())?)?;
        let agent = forest.spawn(&mut (), tree)?;
        forest.agent_mut(agent)?.set_label("Rex\u{1b}[2J\n");
        let at = At { agent: 0, frame: 1, seconds: 0.1, tree: 0 };
        let told = moment(&forest.agent(agent)?.inspect(), at, |_| None);
        assert_eq!(told.label.as_deref(), Some("Rex\\u{1b}[2J\\n"));
        // Its number is shown beside it anyway.
        forest.agent_mut(agent)?.set_label("agent 0");
        assert_eq!(moment(&forest.agent(agent)?.inspect(), at, |_| None).label, None);
        Ok(())
    }

    #[test]
    fn a_text_without_its_time() {
        assert_eq!(without_time("at 1.200 s: n2 Check(\"a s: b\") ended"), "n2 Check(\"a s: b\") ended");
        assert_eq!(without_time("n2 ended"), "n2 ended");
    }
}
