//! `pleach run --watch`: what one agent is doing, as a drawing of its tree. It is live on a
//! terminal. Elsewhere each change of the active path gives a new drawing.

mod page;
mod screen;

use std::io::{BufWriter, IsTerminal, Write};

use clap::builder::styling::Style;
use pleach::expr::KeyIndex;
use pleach::tools::text::plain;
use pleach::{AgentId, Host, NodeId, NodeRef, inspect::AgentView};
use pleach_draw::{Drawing, Role, State};
use pleach_view::living;
use pleach_view::model::{MomentView, NodeNote};

use crate::agents;
use crate::failure::Failure;
use crate::paint::{ABORT, FAINT, GOOD, Parts, REMEMBERED, STRONG, VALUE, painted, parts};
use crate::session::Session;
use crate::words::{padded, widest};
use crate::world::World;

pub(crate) fn watch<W: World>(game: &mut W, agent: usize, session: &mut Session<'_, W::Host>) -> Result<(), Failure> {
    let dumb = std::env::var_os("TERM").is_some_and(|it| it == "dumb");
    if !dumb && std::io::stdout().is_terminal() && std::io::stdin().is_terminal() {
        screen::run(game, agent, session)
    } else {
        print_changes(game, agent, session)
    }
}

/// The agent that is watched.
struct Watched {
    number: usize,
    id: AgentId,
}

impl Watched {
    fn new(game: &impl World, number: usize) -> Self {
        Watched { number, id: game.agents()[number] }
    }

    fn view<W: World>(&self, game: &W) -> Result<AgentView<W::Host>, Failure> {
        game.forest().agent(self.id).map(|it| it.inspect()).map_err(|error| Failure::Failed(error.to_string()))
    }

    /// The line above the drawing.
    fn heading<H: Host>(&self, view: &AgentView<H>, moment: &MomentView, at: u32) -> Parts {
        heading(view, moment, self.number, at.into())
    }
}

/// The line above the drawing of an agent, in the frame of this number.
pub(crate) fn heading<H: Host>(view: &AgentView<H>, moment: &MomentView, number: usize, frame: u64) -> Parts {
    vec![
        (STRONG, plain(view.tree.name()).into()),
        (Style::new(), format!("  {}", agents::heading(view.label.as_deref(), number))),
        (FAINT, format!("  {:.2} s, frame {frame}, ", moment.seconds)),
        (if moment.phase == "active" { GOOD } else { FAINT }, moment.phase.clone()),
    ]
}

/// The lines of a drawing, and the one of them that must be visible: the top of a run stack.
#[derive(Clone, Debug, Default)]
struct TreeLines {
    lines: Vec<Parts>,
    top: usize,
}

impl TreeLines {
    /// With what nodes remember after their lines: the time left of a wait, for example.
    fn of<H: Host>(view: &AgentView<H>, moment: &MomentView, folded: bool) -> Self {
        let drawing = Drawing::of_agent(view);
        let text = if folded { drawing.folded() } else { drawing }.text();
        // Both are in pre-order. The nodes that a line has folded away come right after its own.
        let mut notes = moment.notes().into_iter().peekable();
        let mut lines: Vec<Parts> = Vec::new();
        for (at, line) in text.lines.iter().enumerate() {
            let mut parts = parts(line);
            // The source of a part is long, and the end of a line is cut off at the edge of the
            // terminal.
            let is_long = |it: &(Role, String)| matches!(it.0, Role::Instance | Role::Note);
            let mut place = line.spans.iter().position(is_long).unwrap_or(parts.len());
            let next = text.lines.get(at + 1).map(|it| it.node);
            while let Some(note) = notes.next_if(|it| next.is_none_or(|next| it.node < next.index())) {
                parts.insert(place, (REMEMBERED, format!("  [{}]", remembered(view, moment, note, line.node))));
                place += 1;
            }
            lines.push(parts);
        }
        let top = text.lines.iter().position(|it| it.state == State::Top).unwrap_or(0);
        TreeLines { lines, top }
    }
}

/// What a node remembers: `left: 1.200 s`. A node that has no line of its own is named.
fn remembered<H: Host>(view: &AgentView<H>, moment: &MomentView, note: &NodeNote, line: NodeId) -> String {
    let amount = moment.amount(note, 3, |it| Some(leaf_line(node(view, it)?)));
    let whose = (note.node != line.index()).then(|| node(view, note.node)).flatten();
    let whose = whose.map(|it| format!(" of {it}")).unwrap_or_default();
    format!("{}{whose}: {amount}", note.word)
}

/// The node with this index.
fn node<H: Host>(view: &AgentView<H>, index: usize) -> Option<NodeRef<'_, H>> {
    view.tree.node(NodeId::new(index)?)
}

/// What the agent is doing, in a line: the nodes that run.
fn doing<H: Host>(view: &AgentView<H>, moment: &MomentView) -> Parts {
    let running: Vec<String> = moment.running.iter().filter_map(|it| Some(leaf_line(node(view, *it)?))).collect();
    vec![(GOOD, format!("▶ {}", if running.is_empty() { moment.phase.clone() } else { running.join(", ") }))]
}

/// The lines below the drawing: the last abort, and every key. Keys that are not recorded are
/// marked.
fn facts<H: Host>(view: &AgentView<H>, moment: &MomentView, is_recorded: impl Fn(KeyIndex) -> bool) -> Vec<Parts> {
    let width = widest(view.keys.iter().map(|it| it.0.name()));
    let mut lines: Vec<Parts> = Vec::new();
    if let Some(abort) = &moment.last_abort {
        let text = format!("at {:.3} s: {}", abort.time, abort.text);
        lines.push(vec![(ABORT, "last abort  ".into()), (Style::new(), text)]);
    }
    for ((key, held), shown) in view.keys.iter().zip(&moment.keys) {
        let changed = *held != key.default();
        let mut line = vec![
            (FAINT, format!("{}  ", padded(key.name(), width))),
            (if changed { VALUE } else { FAINT }, shown.text.clone()),
        ];
        if !KeyIndex::new(shown.key).is_some_and(&is_recorded) {
            line.push((FAINT, "  may be out of date: no expression reads it".into()));
        }
        lines.push(line);
    }
    lines
}

/// A node without its number, for small terminals.
fn leaf_line<H: Host>(node: NodeRef<'_, H>) -> String {
    let line = node.to_string();
    line.split_once(' ').map_or(line.clone(), |it| it.1.to_string())
}

/// The tree with its running nodes, and the values of the agent's keys. Keys that are not recorded
/// are marked.
pub(crate) fn drawing<H: Host>(
    view: &AgentView<H>,
    moment: &MomentView,
    is_recorded: impl Fn(KeyIndex) -> bool,
) -> String {
    let (tree, facts) = (TreeLines::of(view, moment, false), facts(view, moment, is_recorded));
    tree.lines.iter().chain(&facts).map(|it| painted(it) + "\n").collect()
}

fn print_changes<W: World>(game: &mut W, agent: usize, session: &mut Session<'_, W::Host>) -> Result<(), Failure> {
    let pace = session.pace;
    let watched = Watched::new(game, agent);
    let mut out = BufWriter::new(anstream::stdout().lock());
    let mut path: Option<Vec<Vec<NodeId>>> = None;
    for at in 1..=pace.frames {
        session.wait(at);
        if let Some(news) = session.look(game, None) {
            if path.is_some() {
                writeln!(out)?;
            }
            writeln!(out, "{}", news.text())?;
            news.tell_warnings();
            out.flush()?;
            // Nodes have other numbers in another tree.
            path = path.filter(|_| news.tree.is_none()).or(Some(Vec::new()));
        }
        session.frame(game, None)?;
        let view = watched.view(game)?;
        if path.as_ref() != Some(&view.stacks) {
            if path.is_some() {
                writeln!(out)?;
            }
            let moment = living(&view, pace.seconds(at));
            writeln!(out, "{}", painted(&watched.heading(&view, &moment, at)))?;
            out.write_all(drawing(&view, &moment, |_| true).as_bytes())?;
            // The reader of the pipe sees each drawing at once.
            out.flush()?;
            path = Some(view.stacks);
        }
        if session.ctrl_c.pressed() {
            return Err(Failure::EndedEarly);
        }
    }
    Ok(())
}
