//! Trees as SVG: one self-contained file, for pages, READMEs and bug reports.

mod card;
mod icon;
mod outline;
mod scene;
mod spread;
#[cfg(test)]
mod tests;

use std::fmt::{self, Write};

use pleach_core::kinds::NodeClass;

use crate::escape::xml;
use crate::fate::Fate;
use crate::measure::Font;
use crate::shape::{Direction, Drawing};
use crate::wrap::wrap;
use card::Card;
use outline::outline;
use scene::{Frame, Rect, Scene, Tab, Wire};
use spread::spread;

/// The space around the whole picture.
const MARGIN: f64 = 28.0;
/// The width of a page. A wider picture is scaled down there, with its texts.
const PAGE: f64 = 850.0;
/// The same without the margins.
const PAGE_WIDTH: f64 = PAGE - 2.0 * MARGIN;
/// The height of the name of the tree and the legend, without lines about the tree.
const HEADER: f64 = 64.0;
/// The font of small texts, that of the title, and the line spacing of labels.
const SUB: Font = Font::Sans(11.5);
const HEAD: Font = Font::Bold(20.0);
const LABEL_LINE: f64 = 14.0;
/// The font and the height of lines about the whole tree.
const FACT: Font = Font::Mono(12.0);
const FACT_LINE: f64 = 17.0;
/// The space around them.
const FACTS: f64 = 8.0;
/// The space beside a label.
const LABEL: f64 = 8.0;

/// Every rule begins with the picture's class, so that it changes nothing else in a page that
/// embeds the picture. No rule has a variable: not every viewer knows them.
const STYLE: &str = "
.pleach{font-family:Inter,'Segoe UI','Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif}
.pleach .paper{fill:#fbfcfe}
.pleach .card{fill:#fff;stroke-width:1.5}
.pleach .title{fill:#0f172a;font-weight:600;font-size:14px}
.pleach .head{fill:#0f172a;font-weight:700;font-size:20px}
.pleach .sub{fill:#64748b;font-size:11.5px}
.pleach .code{fill:#64748b;font-size:12px;font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace}
.pleach .edit{fill:#0f172a;font-size:12px;font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace}
.pleach .wire{fill:none;stroke:#a3b1c6;stroke-width:1.6;stroke-linecap:round}
.pleach text{stroke:none}
.pleach .pill{font-weight:700;font-size:11px;letter-spacing:.4px;fill:#fff;text-anchor:middle}
.pleach .abort{fill:#e11d48;stroke:none}
.pleach .is-added{fill:#15803d;stroke:none}
.pleach .is-removed{fill:#475569;stroke:none}
.pleach .is-changed{fill:#b45309;stroke:none}
.pleach .is-moved{fill:#7c3aed;stroke:none}
.pleach .extra{fill:#0e7490;font-size:11.5px}
.pleach .seen{fill:#64748b;font-size:11.5px;font-style:italic}
.pleach .place,.pleach .label{fill:#7c3aed;font-size:11.5px}
.pleach .tab{fill:#7c3aed;fill-opacity:.12}
.pleach .line{fill:none;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
.pleach .composite{stroke:#2563eb;color:#2563eb}
.pleach .decorator{stroke:#64748b;color:#64748b}
.pleach .condition{stroke:#d97706;color:#d97706}
.pleach .action{stroke:#059669;color:#059669}
.pleach .tint{stroke:none;fill:currentColor;fill-opacity:.13}
.pleach .idle{opacity:.5}
.pleach .never{stroke:#94a3b8;color:#94a3b8;opacity:.55}
.pleach .same{opacity:.6}
.pleach .added .card,.pleach .changed .card,.pleach .moved .card{stroke-width:3}
.pleach .removed .card{stroke-dasharray:5 4}
.pleach .removed{stroke:#94a3b8;color:#94a3b8;opacity:.75}
.pleach .removed text{text-decoration:line-through}
.pleach .removed .pill{text-decoration:none}
.pleach .wire.removed{stroke:#94a3b8;stroke-dasharray:5 4}
.pleach .on .card{stroke-width:3}
.pleach .wire.on{stroke:#334155;stroke-width:3}
.pleach .instance{fill:#7c3aed;fill-opacity:.03;stroke:#7c3aed;stroke-width:1.2;stroke-dasharray:5 4;stroke-linejoin:round}
.pleach .top .tint{fill-opacity:1}
.pleach .top text{fill:#fff}
.pleach .top .line{stroke:#fff;color:#fff}
@media (prefers-color-scheme:dark){
.pleach .paper{fill:#0b1120}
.pleach .card{fill:#111a2e}
.pleach .title,.pleach .head,.pleach .edit{fill:#e7edf6}
.pleach .sub,.pleach .code,.pleach .seen{fill:#9fb0c8}
.pleach .wire{stroke:#475a78}
.pleach .wire.on{stroke:#e7edf6}
.pleach .extra{fill:#67d3e6}
.pleach .place,.pleach .label{fill:#b79bff}
.pleach .top text{fill:#fff}
}
";

impl Drawing<'_> {
    /// As an SVG picture that loads no fonts, scripts or files. It follows the reader's light or
    /// dark theme if the viewer supports that.
    #[must_use]
    pub fn svg(&self) -> String {
        let mut out = String::new();
        write(self, &mut out).expect("a string takes everything");
        out
    }
}

/// Where the boxes of nodes stand in a picture: see [`Drawing::boxes`]. All numbers are pixels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Boxes {
    /// The box of each node that is drawn, in pre-order.
    pub nodes: Vec<NodeBox>,
    /// The width of the picture.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// The box of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeBox {
    /// The left edge.
    pub x: f64,
    /// The upper edge.
    pub y: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

impl Drawing<'_> {
    /// Where the boxes of the nodes are in the picture that [`svg`](Drawing::svg) draws, without
    /// its margins and its header: for programs that draw it themselves. Costs as much as the
    /// picture.
    #[must_use]
    pub fn boxes(&self) -> Boxes {
        let (_, scene) = placed(self);
        let (width, height) = scene.size();
        let node = |it: &Rect| NodeBox { x: it.x, y: it.y, width: it.width, height: it.height };
        Boxes { nodes: scene.cards.iter().map(node).collect(), width, height }
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

/// The cards of a drawing, and the places of everything.
fn placed(drawing: &Drawing<'_>) -> (Vec<Card>, Scene) {
    match drawing.direction {
        Direction::Down | Direction::Right => spread(drawing, drawing.direction),
        Direction::Outline => outline(drawing),
        // Two roots, an old and a new one, are placed one below the other.
        Direction::Fit => {
            let (cards, scene) = spread(drawing, Direction::Down);
            let is_whole = drawing.marks.iter().filter(|it| it.parent.is_none()).count() <= 1;
            if is_whole && scene.size().0 <= PAGE_WIDTH { (cards, scene) } else { outline(drawing) }
        }
    }
}

fn write(drawing: &Drawing<'_>, out: &mut String) -> fmt::Result {
    let (cards, scene) = placed(drawing);
    let title = HEAD.shortened(drawing.name, PAGE_WIDTH);
    let facts = facts(drawing);
    let of_facts = facts.iter().map(|it| FACT.width(it)).fold(0.0, f64::max);
    let (wide, high) = scene.size();
    let width = wide.max(HEAD.width(&title)).max(LEGEND_WIDTH).max(of_facts) + 2.0 * MARGIN;
    let header = HEADER + FACT_LINE * facts.len() as f64 + if facts.is_empty() { 0.0 } else { FACTS };
    let height = high + 2.0 * MARGIN + header;
    let title = xml(&title);
    // A tree that is narrower than its header is centred below it.
    let left = (width - wide) / 2.0;
    let (w, h) = (Px(width), Px(height));
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="pleach" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img" aria-label="{title}">"#
    )?;
    writeln!(out, "<style>{STYLE}</style>")?;
    writeln!(out, r#"<rect class="paper" width="{w}" height="{h}"/>"#)?;
    writeln!(out, r#"<text class="head" x="{}" y="{}">{title}</text>"#, Px(MARGIN), Px(MARGIN + 16.0))?;
    legend(out)?;
    for (at, fact) in facts.iter().enumerate() {
        let y = MARGIN + HEADER + 4.0 + FACT_LINE * at as f64;
        writeln!(out, r#"<text class="edit" x="{}" y="{}">{}</text>"#, Px(MARGIN), Px(y), xml(fact))?;
    }
    writeln!(out, r#"<g transform="translate({} {})">"#, Px(left), Px(MARGIN + header))?;
    scene.frames.iter().try_for_each(|it| frame(out, it))?;
    // Active wires lie over inactive ones.
    let is_on = |it: &&Wire| drawing.highlight.is_active(drawing.marks[it.child].node);
    for it in scene.wires.iter().filter(|it| !is_on(it)) {
        let is_removed = drawing.marks[it.child].is(Fate::Removed);
        wire(out, if is_removed { "wire removed" } else { "wire" }, &it.corners)?;
    }
    for it in scene.wires.iter().filter(is_on) {
        wire(out, "wire on", &it.corners)?;
    }
    for (at, mark) in drawing.marks.iter().enumerate() {
        if let Some(Tab { rect, lines }) = &scene.tabs[at] {
            let Rect { x, y, width, height } = *rect;
            let (w, h) = (Px(width), Px(height));
            writeln!(out, r#"<rect class="tab" x="{}" y="{}" width="{w}" height="{h}" rx="4"/>"#, Px(x), Px(y))?;
            texts(out, "place", (x + 6.0, y + 12.0), lines)?;
        }
        cards[at].write(out, drawing, mark, scene.cards[at])?;
    }
    writeln!(out, "</g>\n</svg>")
}

/// The lines about the whole tree.
fn facts(drawing: &Drawing<'_>) -> Vec<String> {
    let wrapped = |it: &String| wrap(it, (PAGE_WIDTH, PAGE_WIDTH), &|it| FACT.letter(it));
    drawing.facts.iter().flat_map(wrapped).collect()
}

/// Lines of a small text, the first at a place.
fn texts(out: &mut String, class: &str, (x, y): (f64, f64), lines: &[String]) -> fmt::Result {
    lines.iter().enumerate().try_for_each(|(at, line)| {
        let y = y + LABEL_LINE * at as f64;
        writeln!(out, r#"<text class="{class}" x="{}" y="{}">{}</text>"#, Px(x), Px(y), xml(line))
    })
}

fn frame(out: &mut String, Frame { rect, label, lines }: &Frame) -> fmt::Result {
    let (w, h) = (Px(rect.width), Px(rect.height));
    let (x, y) = (Px(rect.x), Px(rect.y));
    writeln!(out, r#"<rect class="instance" x="{x}" y="{y}" width="{w}" height="{h}" rx="6"/>"#)?;
    texts(out, "label", (label.x, label.y + 11.0), lines)
}

/// A line around corners, which are rounded.
fn wire(out: &mut String, class: &str, corners: &[(f64, f64)]) -> fmt::Result {
    const ROUND: f64 = 6.0;
    let [start, .., end] = corners else { return Ok(()) };
    write!(out, r#"<path class="{class}" d="M{} {}"#, Px(start.0), Px(start.1))?;
    for it in corners.windows(3) {
        let [before, at, after] = *it else { continue };
        // A point between the corner and its neighbour, at most half-way.
        let near = |to: (f64, f64)| {
            let (dx, dy) = (to.0 - at.0, to.1 - at.1);
            let length = dx.hypot(dy).max(f64::EPSILON);
            let part = (ROUND / length).min(0.5);
            (at.0 + dx * part, at.1 + dy * part)
        };
        let (from, to) = (near(before), near(after));
        write!(out, "L{} {}Q{} {} {} {}", Px(from.0), Px(from.1), Px(at.0), Px(at.1), Px(to.0), Px(to.1))?;
    }
    writeln!(out, r#"L{} {}"/>"#, Px(end.0), Px(end.1))
}

const LEGEND_WIDTH: f64 = 366.0;

/// The meaning of the colours.
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
        x += 18.0 + SUB.width(name) + 18.0;
    }
    Ok(())
}
