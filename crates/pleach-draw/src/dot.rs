//! Trees for Graphviz: `dot -Tsvg tree.dot`.

use std::fmt::Write;

use pleach_core::kinds::NodeClass;

use crate::escape::dot as escaped;
use crate::highlight::monitor_words;
use crate::shape::{Direction, Drawing, Mark, abort_words};
use crate::wrap::wrap;

/// The most characters in a line of a box. Longer texts take several lines.
const LINE: f64 = 40.0;

impl Drawing<'_> {
    /// As a program for Graphviz's `dot`.
    #[must_use]
    pub fn dot(&self) -> String {
        let mut out = String::new();
        write(self, &mut out).expect("a string takes everything");
        out
    }
}

fn write(drawing: &Drawing<'_>, out: &mut String) -> std::fmt::Result {
    let Drawing { name, facts: _, marks, borders: _, highlight, direction } = drawing;
    let rankdir = match direction {
        Direction::Fit | Direction::Down => "TB",
        Direction::Right | Direction::Outline => "LR",
    };
    writeln!(out, "digraph \"{}\" {{", escaped(name))?;
    // `ordering=out` keeps siblings in their order.
    writeln!(out, "  graph [rankdir={rankdir}, ordering=out, nodesep=0.25, ranksep=0.4];")?;
    writeln!(out, "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=11, penwidth=1.2];")?;
    writeln!(out, "  edge [arrowsize=0.6, color=\"#94a3b8\"];")?;
    for mark in marks {
        let node = mark.node;
        let (border, fill) = match mark.class() {
            NodeClass::Composite => ("#2563eb", "#dbeafe"),
            NodeClass::Decorator => ("#64748b", "#f1f5f9"),
            NodeClass::Condition => ("#d97706", "#fef3c7"),
            NodeClass::Action => ("#059669", "#d1fae5"),
        };
        let label: Vec<String> = label(mark, highlight.monitor(node).map(monitor_words).as_deref());
        write!(out, "  {node} [label=\"{}\", color=\"{border}\"", label.join("\\n"))?;
        if highlight.is_top(node) {
            write!(out, ", fillcolor=\"{border}\", fontcolor=\"white\", penwidth=3")?;
        } else {
            write!(out, ", fillcolor=\"{fill}\"")?;
            if highlight.is_active(node) {
                write!(out, ", penwidth=3")?;
            }
            if mark.is_never() {
                write!(out, ", style=\"rounded,dashed\", fontcolor=\"#94a3b8\"")?;
            }
        }
        if let Some(note) = mark.note {
            write!(out, ", tooltip=\"{}\"", escaped(note))?;
        }
        writeln!(out, "];")?;
        if let Some(parent) = mark.parent.map(|it| marks[it].node) {
            let mut looks = Vec::new();
            if let Some(place) = &mark.words.place {
                looks.push(format!("label=\"{}\", fontname=\"Helvetica\", fontsize=10", lines(place).join("\\n")));
            }
            if highlight.is_active(node) {
                looks.push("penwidth=3, color=\"#334155\"".into());
            }
            let looks = if looks.is_empty() { String::new() } else { format!(" [{}]", looks.join(", ")) };
            writeln!(out, "  {parent} -> {node}{looks};")?;
        }
    }
    clusters(drawing, out)?;
    writeln!(out, "}}")
}

/// The instances, nested as they are.
fn clusters(drawing: &Drawing<'_>, out: &mut String) -> std::fmt::Result {
    // A node is named in the innermost one.
    let mut inside = vec![None; drawing.marks.len()];
    for (number, border) in drawing.borders.iter().enumerate() {
        inside[border.marks.clone()].fill(Some(number));
    }
    let mut open: Vec<usize> = Vec::new();
    for (number, border) in drawing.borders.iter().enumerate() {
        while open.pop_if(|end| *end <= border.marks.start).is_some() {
            writeln!(out, "  }}")?;
        }
        open.push(border.marks.end);
        let label = escaped(&border.caption());
        write!(out, "  subgraph cluster_{number} {{ label=\"{label}\"; style=dashed; color=\"#7c3aed\";")?;
        for mark in border.marks.clone().filter(|it| inside[*it] == Some(number)).map(|it| &drawing.marks[it]) {
            write!(out, " {};", mark.node)?;
        }
        writeln!(out)?;
    }
    open.iter().try_for_each(|_| writeln!(out, "  }}"))
}

/// The lines of a box, escaped.
fn label(mark: &Mark<'_>, monitor: Option<&str>) -> Vec<String> {
    let mut all = lines(mark.label());
    if mark.name.is_some() {
        all.extend(lines(mark.kind));
    }
    all.extend(lines(&mark.words.main));
    all.extend(mark.words.fields.iter().flat_map(|it| lines(it)));
    all.extend(abort_words(mark.abort).map(|it| format!("aborts {it}")));
    let more = [mark.services_in_words(), mark.written_in_words(), mark.hidden_in_words()];
    all.extend(more.iter().flatten().flat_map(|it| lines(it)));
    all.extend(mark.note.iter().flat_map(|it| lines(&format!("# {it}"))));
    all.extend(mark.counts.iter().flat_map(|it| lines(&it.to_string())));
    all.extend(monitor.map(|it| format!("[{it}]")));
    all
}

/// A text in lines, escaped; none if it is empty.
fn lines(text: &str) -> Vec<String> {
    let all = wrap(text, (LINE, LINE), &|_| 1.0);
    all.iter().filter(|it| !it.is_empty()).map(|it| escaped(it)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn instances_are_clusters_inside_of_each_other() {
        let drawn = Drawing::of(&sample::instances()).dot();
        let expected = "\
  subgraph cluster_0 { label=\"fight: parts/fight.ron\"; style=dashed; color=\"#7c3aed\"; n1; n2;
  subgraph cluster_1 { label=\"fight.pause: pause.ron\"; style=dashed; color=\"#7c3aed\"; n3;
  }
  }
}
";
        assert!(drawn.ends_with(expected), "{drawn}");
    }

    #[test]
    fn a_tree_is_a_program_for_dot() {
        let drawn = Drawing::of(&sample::tree()).dot();
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[0], r#"digraph "a <guard>" {"#);
        assert_eq!(lines[4], r##"  n0 [label="guard\nSelector\nid: <root>", color="#2563eb", fillcolor="#dbeafe"];"##);
        assert_eq!(
            lines[5],
            r##"  n1 [label="flee\nSequence\naborts both\nservice Action every 1 s\n# run &amp; hide", color="#2563eb", fillcolor="#dbeafe", tooltip="run &amp; hide"];"##
        );
        assert_eq!(lines[6], "  n0 -> n1;");
        assert_eq!(lines[7], r##"  n2 [label="Check\nhealth < 0.3", color="#d97706", fillcolor="#fef3c7"];"##);
        assert!(drawn.contains(r#"[label="a \"b\"\nFail","#), "{drawn}");
        assert_eq!(lines.last(), Some(&"}"));
        assert_eq!(drawn.matches(" -> ").count(), sample::tree().len() - 1);
    }

    #[test]
    fn a_node_that_reads_what_the_game_writes_says_so() {
        let drawn = Drawing::of(&sample::written()).dot();
        let line = r##"  n2 [label="Check\nhealth < 0.3\ngame writes health", color="#d97706", fillcolor="#fef3c7"];"##;
        assert_eq!(drawn.lines().nth(7), Some(line));
        assert_eq!(drawn.replace("\\ngame writes health", ""), Drawing::of(&sample::tree()).dot(), "nothing else");
    }

    #[test]
    fn an_agent_shows() {
        let mut run = sample::Run::new();
        run.tick();
        let drawn = run.with(|it| it.dot());
        assert!(drawn.contains(r##"n8 [label="Wait\n2 s", color="#059669", fillcolor="#059669""##), "{drawn}");
        assert!(drawn.contains("health < 0.3\\n[watched, was failure]"), "{drawn}");
        assert_eq!(drawn.matches("penwidth=3, color=\"#334155\"").count(), 1, "{drawn}");
    }
}
