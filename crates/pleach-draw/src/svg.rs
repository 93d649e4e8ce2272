//! Trees as SVG: one file that needs no other, for pages, READMEs and bug reports.

mod border;
mod icon;
mod node;

use std::fmt::{self, Write};

use pleach_core::text::shorten;
use pleach_core::{NodeId, kinds::NodeClass};

use crate::escape::xml;
use crate::layout::centres;
use crate::measure;
use crate::shape::{Direction, Drawing};
use node::Card;

/// The space around the whole picture.
const MARGIN: f64 = 28.0;
/// The space between two levels, by direction. Wires from a side need more space than wires from
/// below.
const LEVELS_DOWN: f64 = 40.0;
const LEVELS_RIGHT: f64 = 60.0;
/// The height of the name of the tree and the legend.
const HEADER: f64 = 64.0;
/// Longer names of trees are cut.
const LONGEST_TITLE: usize = 60;

/// Every rule begins with the picture's class, so that it changes nothing else in a page that holds
/// the picture.
const STYLE: &str = "
.pleach{--paper:#fbfcfe;--card:#fff;--ink:#0f172a;--dim:#64748b;--wire:#a3b1c6;font-family:Inter,'Segoe UI','Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif}
.pleach .paper{fill:#fbfcfe;fill:var(--paper)}
.pleach .card{fill:#fff;fill:var(--card);stroke-width:1.5}
.pleach .title{fill:#0f172a;fill:var(--ink);font-weight:600;font-size:14px}
.pleach .head{fill:#0f172a;fill:var(--ink);font-weight:700;font-size:20px}
.pleach .sub{fill:#64748b;fill:var(--dim);font-size:11.5px}
.pleach .code{fill:#64748b;fill:var(--dim);font-size:12px;font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace}
.pleach .wire{fill:none;stroke:#a3b1c6;stroke:var(--wire);stroke-width:1.6;stroke-linecap:round}
.pleach .pill{font-weight:700;font-size:11px;letter-spacing:.4px;fill:#fff;text-anchor:middle}
.pleach .abort{fill:#e11d48}
.pleach .extra{fill:#0e7490}
.pleach .seen{fill:#64748b}
.pleach .line{fill:none;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
.pleach .composite{stroke:#2563eb;color:#2563eb}
.pleach .decorator{stroke:#64748b;color:#64748b}
.pleach .condition{stroke:#d97706;color:#d97706}
.pleach .action{stroke:#059669;color:#059669}
.pleach .tint{stroke:none;fill:currentColor;fill-opacity:.13}
.pleach .idle{opacity:.5}
.pleach .on .card{stroke-width:3}
.pleach .wire.on{stroke:#334155;stroke:var(--ink);stroke-width:3}
.pleach .instance{fill:none;stroke:#7c3aed;stroke-width:1.2;stroke-dasharray:5 4;stroke-linejoin:round}
.pleach .top .tint{fill-opacity:1}
.pleach .top .title,.pleach .top .sub,.pleach .top .code{fill:#fff}
.pleach .top .line{stroke:#fff;color:#fff}
@media (prefers-color-scheme:dark){.pleach{--paper:#0b1120;--card:#111a2e;--ink:#e7edf6;--dim:#9fb0c8;--wire:#475a78}}
";

impl Drawing<'_> {
    /// As an SVG picture that loads no fonts, scripts or files. It follows the reader's light or
    /// dark theme if the viewer knows it.
    #[must_use]
    pub fn svg(&self) -> String {
        let mut out = String::new();
        write(self, &mut out).expect("a string takes everything");
        out
    }
}

/// A distance or place, to a tenth of a pixel.
pub(crate) struct Px(pub(crate) f64);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round() / 10.0;
        // Without this a rounded -0.04 would print as -0.
        write!(f, "{}", if tenths == 0.0 { 0.0 } else { tenths })
    }
}

fn write(drawing: &Drawing<'_>, out: &mut String) -> fmt::Result {
    let cards: Vec<Card> = drawing.marks.iter().map(|mark| Card::of(drawing, mark)).collect();
    let corners = place(drawing, &cards);
    let title = xml(&shorten(drawing.name, LONGEST_TITLE));
    let far = |corner: &dyn Fn(usize) -> f64| (0..cards.len()).map(corner).fold(0.0, f64::max);
    let header = measure::sans_bold(&shorten(drawing.name, LONGEST_TITLE), 20.0).max(LEGEND_WIDTH);
    let width = far(&|it| corners[it].0 + cards[it].width).max(header) + 2.0 * MARGIN;
    let height = far(&|it| corners[it].1 + cards[it].height) + 2.0 * MARGIN + HEADER;
    // A tree that is narrower than its header is centred below it.
    let left = (width - far(&|it| corners[it].0 + cards[it].width)) / 2.0;
    let (w, h) = (Px(width), Px(height));
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="pleach" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img" aria-label="{title}">"#
    )?;
    writeln!(out, "<style>{STYLE}</style>")?;
    writeln!(out, r#"<rect class="paper" width="{w}" height="{h}"/>"#)?;
    writeln!(out, r#"<text class="head" x="{}" y="{}">{title}</text>"#, Px(MARGIN), Px(MARGIN + 16.0))?;
    legend(out)?;
    writeln!(out, r#"<g transform="translate({} {})">"#, Px(left), Px(MARGIN + HEADER))?;
    let boxes: Vec<_> = corners.iter().zip(&cards).map(|(at, it)| (*at, (it.width, it.height))).collect();
    drawing.write_borders(out, &boxes)?;
    let placed = |node: NodeId| (corners[drawing.at(node)], &cards[drawing.at(node)]);
    for mark in &drawing.marks {
        if let Some(parent) = mark.parent {
            let on = drawing.highlight.is_active(mark.node);
            wire(out, drawing.direction, on, placed(parent), placed(mark.node))?;
        }
    }
    for mark in &drawing.marks {
        let (corner, card) = placed(mark.node);
        card.write(out, drawing, mark, corner)?;
    }
    writeln!(out, "</g>\n</svg>")
}

/// The upper left corner of each box.
fn place(drawing: &Drawing<'_>, cards: &[Card]) -> Vec<(f64, f64)> {
    let down = drawing.direction == Direction::Down;
    let parents: Vec<Option<usize>> = drawing.marks.iter().map(|it| it.parent.map(|it| drawing.at(it))).collect();
    let breadths: Vec<f64> = cards.iter().map(|it| if down { it.width } else { it.height }).collect();
    let centres = centres(&parents, &breadths);
    // A level is as deep as its deepest box.
    let mut levels: Vec<f64> = Vec::new();
    for (mark, card) in drawing.marks.iter().zip(cards) {
        levels.resize(levels.len().max(mark.depth), 0.0);
        let depth = &mut levels[mark.depth - 1];
        *depth = depth.max(if down { card.height } else { card.width });
    }
    let mut next = 0.0;
    for level in &mut levels {
        let depth = std::mem::replace(level, next);
        next += depth + if down { LEVELS_DOWN } else { LEVELS_RIGHT };
    }
    let places = drawing.marks.iter().zip(centres).zip(breadths);
    places
        .map(|((mark, centre), breadth)| {
            let (across, along) = (centre - breadth / 2.0, levels[mark.depth - 1]);
            if down { (across, along) } else { (along, across) }
        })
        .collect()
}

/// The line from a parent to a child.
fn wire(
    out: &mut String,
    direction: Direction,
    on: bool,
    (from, parent): ((f64, f64), &Card),
    (to, child): ((f64, f64), &Card),
) -> fmt::Result {
    let class = if on { "wire on" } else { "wire" };
    let (start, end, bend) = match direction {
        Direction::Down => {
            let start = (from.0 + parent.width / 2.0, from.1 + parent.height);
            let end = (to.0 + child.width / 2.0, to.1);
            // Boxes of a level differ in height. The bend is measured from the lower end, where the
            // wires to siblings part.
            let bend = (end.1 - start.1) / 2.0;
            (start, end, [(start.0, start.1 + bend), (end.0, end.1 - bend)])
        }
        Direction::Right => {
            let start = (from.0 + parent.width, from.1 + parent.height / 2.0);
            let end = (to.0, to.1 + child.height / 2.0);
            let bend = (end.0 - start.0) / 2.0;
            (start, end, [(start.0 + bend, start.1), (end.0 - bend, end.1)])
        }
    };
    let [a, b] = bend;
    writeln!(
        out,
        r#"<path class="{class}" d="M{} {}C{} {} {} {} {} {}"/>"#,
        Px(start.0),
        Px(start.1),
        Px(a.0),
        Px(a.1),
        Px(b.0),
        Px(b.1),
        Px(end.0),
        Px(end.1)
    )
}

const LEGEND_WIDTH: f64 = 366.0;

/// Which colour is what.
fn legend(out: &mut String) -> fmt::Result {
    let mut x = MARGIN;
    for class in [NodeClass::Composite, NodeClass::Decorator, NodeClass::Condition, NodeClass::Action] {
        let name = class.name();
        let y = MARGIN + 31.0;
        writeln!(
            out,
            r#"<g class="{name}" transform="translate({} {}) scale(.8)">{}</g><text class="sub" x="{}" y="{}">{name}</text>"#,
            Px(x),
            Px(y),
            icon::of_class(class),
            Px(x + 18.0),
            Px(y + 10.5)
        )?;
        x += 18.0 + measure::sans(name, 11.5) + 18.0;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_tree_is_a_picture() {
        let drawn = Drawing::of(&sample::tree()).svg();
        assert!(drawn.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pleach\" width=\""), "{drawn}");
        assert!(drawn.contains("aria-label=\"a &lt;guard&gt;\""), "{drawn}");
        assert!(drawn.contains(">health &lt; 0.3</text>"), "{drawn}");
        assert!(drawn.contains("run &amp; hide"), "{drawn}");
        assert!(drawn.contains("id: &lt;root&gt;"), "{drawn}");
        assert!(drawn.contains(">BOTH</text>"), "{drawn}");
        assert!(drawn.ends_with("</svg>\n"));
        let nodes = sample::tree().len();
        assert_eq!(drawn.matches("class=\"card\"").count(), nodes);
        assert_eq!(drawn.matches("class=\"wire\"").count(), nodes - 1);
        for (open, close) in [("<g ", "</g>"), ("<text ", "</text>"), ("<title>", "</title>")] {
            assert_eq!(drawn.matches(open).count(), drawn.matches(close).count());
        }
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"));
    }

    #[test]
    fn instances_have_borders() {
        for direction in [Direction::Down, Direction::Right] {
            let drawn = Drawing::of(&sample::instances()).direction(direction).svg();
            assert_eq!(drawn.matches("class=\"instance\"").count(), 2);
            assert!(drawn.contains(">fight: parts/fight.ron</text>"), "{drawn}");
        }
    }

    #[test]
    fn a_node_that_reads_what_the_game_writes_has_a_pill() {
        let pills = |drawn: &str| drawn.matches(">game writes health</text>").count();
        assert_eq!(pills(&Drawing::of(&sample::written()).svg()), 1);
        assert_eq!(pills(&Drawing::of(&sample::tree()).svg()), 0);
    }

    #[test]
    fn an_agent_shows() {
        let mut run = sample::Run::new();
        run.tick();
        let drawn = run.with(|it| it.svg());
        assert_eq!(drawn.matches("class=\"wire on\"").count(), 1);
        assert_eq!(drawn.matches(" on top\"").count(), 1);
        assert!(drawn.contains(">WATCHED, WAS FAILURE</text>"), "{drawn}");
    }

    #[test]
    fn places_are_short() {
        assert_eq!(format!("{} {} {}", Px(1.04), Px(-0.04), Px(2.96)), "1 0 3");
    }
}
