//! Trees as text, one line per node.

use std::fmt;

use pleach_core::NodeId;
use pleach_core::text::plain;

use crate::highlight::monitor_words;
use crate::shape::{Drawing, abort_words};

/// What a part of a line is. It decides the colour of the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The marker of an active node. Drawn only if an agent is shown.
    Marker,
    /// The lines that lead from parents to children.
    Branch,
    /// The node's value in its parent: its case, score or weight.
    Place,
    /// The node's kind.
    Kind,
    /// The node's name.
    Name,
    /// Its main parameters, or another field that differs from its default.
    Detail,
    /// Its abort type.
    Abort,
    /// Its services.
    Services,
    /// What its monitor has stored.
    Monitor,
    /// Marks the cause of the agent's last abort.
    LastAbort,
    /// Its note.
    Note,
    /// Where an instance begins and ends, beside the tree.
    Border,
    /// The name and the file of an instance that begins with the node.
    Instance,
    /// How many nodes below it are hidden.
    Hidden,
    /// How often it was started and how it ended.
    Counts,
}

/// Whether a node is active in the agent that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// It is not active, or no agent is shown.
    Idle,
    /// It is active, and a node below it is on top of the run stack.
    Active,
    /// It is on top of a run stack.
    Top,
}

/// One node of a drawing. Displays as its plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The node.
    pub node: NodeId,
    /// Whether it is active.
    pub state: State,
    /// The parts of the line, from left to right.
    pub spans: Vec<(Role, String)>,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spans.iter().try_for_each(|(_, text)| f.write_str(text))
    }
}

/// A drawing as text. Displays as its lines, each with its line break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// A line for each node, in pre-order.
    pub lines: Vec<Line>,
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|it| writeln!(f, "{it}"))
    }
}

impl Drawing<'_> {
    /// As lines of text. Costs the number of nodes times their depth.
    #[must_use]
    pub fn text(&self) -> Text {
        text(self)
    }
}

impl Drawing<'_> {
    /// The greatest nesting of instances.
    pub(crate) fn gutter(&self) -> usize {
        self.borders.iter().map(|it| it.level + 1).max().unwrap_or(0)
    }

    /// The borders beside the line of a node, outer ones first; nothing if the tree has none.
    pub(crate) fn beside(&self, at: usize, gutter: usize) -> String {
        let mut text = vec![' '; gutter];
        for border in self.borders.iter().filter(|it| it.marks.contains(&at)) {
            let (first, last) = (border.marks.start == at, border.marks.end == at + 1);
            text[border.level] = match (first, last) {
                (true, true) => '─',
                (true, false) => '╭',
                (false, true) => '╰',
                (false, false) => '│',
            };
        }
        if gutter > 0 {
            text.push(' ');
        }
        text.into_iter().collect()
    }
}

fn text(drawing: &Drawing<'_>) -> Text {
    let Drawing { marks, highlight, .. } = drawing;
    // For each depth on the path to the current node: whether the node there is a last child.
    let mut ends: Vec<bool> = Vec::new();
    let mut lines = Vec::with_capacity(marks.len());
    let gutter = drawing.gutter();
    for (at, mark) in marks.iter().enumerate() {
        let node = mark.node;
        let state = if highlight.is_top(node) {
            State::Top
        } else if highlight.is_active(node) {
            State::Active
        } else {
            State::Idle
        };
        let mut spans = Vec::new();
        if highlight.is_shown() {
            let marker = match state {
                State::Idle => "  ",
                State::Active => "• ",
                State::Top => "▶ ",
            };
            spans.push((Role::Marker, marker.into()));
        }
        if gutter > 0 {
            spans.push((Role::Border, drawing.beside(at, gutter)));
        }
        ends.truncate(mark.depth - 1);
        let mut branch: String = ends.iter().skip(1).map(|&end| if end { "   " } else { "│  " }).collect();
        if mark.parent.is_some() {
            branch.push_str(if mark.last { "└─ " } else { "├─ " });
            spans.push((Role::Branch, branch));
        }
        ends.push(mark.last);

        if let Some(place) = &mark.words.place {
            spans.push((Role::Place, format!("{}: ", plain(place))));
        }
        spans.push((Role::Kind, plain(mark.kind).into()));
        if let Some(name) = mark.name {
            spans.push((Role::Name, format!(" \"{}\"", plain(name))));
        }
        if !mark.words.main.is_empty() {
            spans.push((Role::Detail, format!("  {}", plain(&mark.words.main))));
        }
        if !mark.words.fields.is_empty() {
            spans.push((Role::Detail, format!("  {}", plain(&mark.words.fields.join(", ")))));
        }
        if let Some(abort) = abort_words(mark.abort) {
            spans.push((Role::Abort, format!("  aborts {abort}")));
        }
        if let Some(services) = mark.services_in_words() {
            spans.push((Role::Services, format!("  {}", plain(&services))));
        }
        spans.extend(mark.hidden_in_words().map(|it| (Role::Hidden, format!("  {it}"))));
        spans.extend(mark.counts.map(|it| (Role::Counts, format!("  [{it}]"))));
        for border in drawing.borders.iter().filter(|it| it.marks.start == at) {
            spans.push((Role::Instance, format!("  ({})", border.label())));
        }
        if let Some(monitor) = highlight.monitor(node) {
            spans.push((Role::Monitor, format!("  [{}]", monitor_words(monitor))));
        }
        if highlight.is_last_abort(node) {
            spans.push((Role::LastAbort, "  ↯ last abort".into()));
        }
        if let Some(note) = mark.note {
            spans.push((Role::Note, format!("  # {}", plain(note))));
        }
        for note in drawing.borders.iter().filter(|it| it.marks.start == at).filter_map(|it| it.note) {
            spans.push((Role::Note, format!("  # {}", plain(note))));
        }
        lines.push(Line { node, state, spans });
    }
    Text { lines }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Highlight;
    use crate::sample;

    #[test]
    fn a_tree_is_drawn_with_all_that_was_written_on_it() {
        let expected = r#"Selector "guard"  id: <root>
├─ Sequence "flee"  aborts both  service Action every 1 s  # run & hide
│  ├─ Check  health < 0.3
│  └─ Timeout  4 s
│     └─ Inverter
│        └─ Idle
├─ Sequence  aborts self
│  └─ Fail "a\n"b""
└─ Wait  2 s
"#;
        assert_eq!(Drawing::of(&sample::tree()).text().to_string(), expected);
    }

    #[test]
    fn lines_of_text_do_not_repeat_what_the_game_writes() {
        let [one, other] = [sample::tree(), sample::written()].map(|it| Drawing::of(&it).text());
        assert_eq!(one, other);
    }

    #[test]
    fn an_agent_shows_its_path_and_its_monitors() {
        let mut run = sample::Run::new();
        run.tick();
        let drawn = run.draw();
        assert!(drawn.starts_with("• Selector \"guard\"  id: <root>\n  ├─ Sequence"), "{drawn}");
        assert!(drawn.contains("  │  ├─ Check  health < 0.3  [watched, was failure]\n"), "{drawn}");
        assert!(drawn.ends_with("▶ └─ Wait  2 s\n"), "{drawn}");
        run.hurt();
        run.tick();
        let drawn = run.draw();
        assert!(drawn.contains("  │  ├─ Check  health < 0.3  [watched, was success]  ↯ last abort\n"), "{drawn}");
        assert!(drawn.contains("▶ │        └─ Idle\n"), "{drawn}");
    }

    #[test]
    fn instances_have_borders() {
        let expected = "   Selector
╭  ├─ Sequence  (fight: parts/fight.ron)
│  │  ├─ Check  true
╰─ │  └─ Idle  (fight.pause: pause.ron)
   └─ Wait  2 s
";
        assert_eq!(Drawing::of(&sample::instances()).text().to_string(), expected);
    }

    #[test]
    fn a_part_is_drawn_alone() {
        let tree = sample::instances();
        let node = |at: usize| tree.nodes().nth(at).unwrap().id();
        let part = |at: usize, levels| Drawing::of(&tree).part(node(at), levels).text().to_string();
        let levels = "  Selector\n─ ├─ Sequence  … 2 nodes below  (fight: parts/fight.ron)\n  └─ Wait  2 s\n";
        assert_eq!(part(0, Some(2)), levels);
        let fight = "╭  Sequence  (fight: parts/fight.ron)\n│  ├─ Check  true\n╰─ └─ Idle  (fight.pause: pause.ron)\n";
        assert_eq!(part(1, None), fight);
        assert_eq!(part(0, Some(1)), "Selector  … 4 nodes below\n");
        assert_eq!(part(2, Some(7)), "─ Check  true  (fight: parts/fight.ron)\n");
        assert_eq!(part(0, None), Drawing::of(&tree).text().to_string());
        let beyond = pleach_core::NodeId::new(99).unwrap();
        assert_eq!(Drawing::of(&tree).part(beyond, None).text().to_string(), "");
        for at in 0..tree.len() {
            let drawing = Drawing::of(&tree).part(node(at), Some(2));
            assert!(!drawing.svg().contains("NaN") && drawing.dot().contains("digraph"));
        }
    }

    #[test]
    fn the_parts_make_the_line() {
        let tree = sample::tree();
        let text = Drawing::of(&tree).text();
        let roles: Vec<Role> = text.lines[1].spans.iter().map(|it| it.0).collect();
        assert_eq!(roles, [Role::Branch, Role::Kind, Role::Name, Role::Abort, Role::Services, Role::Note]);
        assert_eq!(text.lines.len(), tree.len());
        assert!(text.lines.iter().all(|it| it.state == State::Idle));
        assert!(!Highlight::default().is_shown());
    }
}
