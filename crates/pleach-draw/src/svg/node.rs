//! One box of the picture.

use std::fmt::{self, Write};

use pleach_core::text::shorten;
use pleach_core::{kinds::NodeClass, nodes::Abort};

use super::{Px, icon};
use crate::escape::xml;
use crate::highlight::monitor_words;
use crate::measure;
use crate::shape::{Drawing, Mark};

const PADDING: f64 = 12.0;
const ICON: f64 = 16.0;
const TITLE: f64 = 14.0;
const SUB: f64 = 11.5;
const CODE: f64 = 12.0;
const PILL: f64 = 11.0;
const PILL_HEIGHT: f64 = 16.0;
/// Longer texts are cut in the box. The tooltip has them in full.
const LONGEST: usize = 40;
/// Longer parameters of actions are cut. Actions stand side by side, so long ones make pictures
/// wide.
const LONGEST_OF_ACTION: usize = 22;

/// A box: its texts and its size.
#[derive(Debug)]
pub(crate) struct Card {
    title: String,
    /// The kind, if the title is a name.
    sub: Option<String>,
    code: Option<String>,
    /// The pills on the upper edge, from the right.
    above: Vec<(&'static str, String)>,
    /// The pills on the lower edge.
    below: Vec<(&'static str, String)>,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Card {
    pub(crate) fn of(drawing: &Drawing<'_>, mark: &Mark<'_>) -> Card {
        let title = shorten(mark.label(), LONGEST).into_owned();
        let sub = mark.name.map(|_| shorten(mark.kind, LONGEST).into_owned());
        let most = if mark.class() == NodeClass::Action { LONGEST_OF_ACTION } else { LONGEST };
        let code = (!mark.detail.is_empty()).then(|| shorten(mark.detail, most).into_owned());
        let above = match mark.abort {
            Abort::SELF => vec![("abort", "SELF".to_string())],
            Abort::LOWER_PRIORITY => vec![("abort", "LOWER".to_string())],
            Abort::BOTH => vec![("abort", "BOTH".to_string())],
            _ => Vec::new(),
        };
        let mut below = Vec::new();
        below.extend(mark.services_in_words().map(|it| ("extra", it)));
        below.extend(mark.written_in_words().map(|it| ("extra", it)));
        match mark.hidden {
            0 => {}
            1 => below.push(("extra", "1 NODE BELOW".to_string())),
            n => below.push(("extra", format!("{n} NODES BELOW"))),
        }
        if let Some(monitor) = drawing.highlight.monitor(mark.node) {
            below.push(("seen", monitor_words(monitor).to_uppercase()));
        }
        if drawing.highlight.is_last_abort(mark.node) {
            below.push(("abort", "LAST ABORT".to_string()));
        }
        let texts = [
            ICON + 7.0 + measure::sans_bold(&title, TITLE),
            sub.as_ref().map_or(0.0, |it| ICON + 7.0 + measure::sans(it, SUB)),
            code.as_ref().map_or(0.0, |it| ICON + 7.0 + measure::mono(it, CODE)),
        ];
        let pills = [&above, &below].map(|it| it.iter().map(|it| pill_width(&it.1) + 4.0).sum::<f64>());
        let width = texts.into_iter().fold(0.0, f64::max) + 2.0 * PADDING;
        let width = pills.into_iter().map(|it| it + 16.0).fold(width, f64::max);
        let lines = 16.0 * (usize::from(sub.is_some()) + usize::from(code.is_some())) as f64;
        Card { title, sub, code, above, below, width, height: 34.0 + lines }
    }

    /// Draws it with its upper left corner at `corner`.
    pub(crate) fn write(
        &self,
        out: &mut String,
        drawing: &Drawing<'_>,
        mark: &Mark<'_>,
        corner: (f64, f64),
    ) -> fmt::Result {
        let node = mark.node;
        let class = mark.class().name();
        let state = match &drawing.highlight {
            it if it.is_top(node) => " on top",
            it if it.is_active(node) => " on",
            it if it.is_shown() => " idle",
            _ => "",
        };
        write!(out, r#"<g class="{class}{state}" transform="translate({} {})">"#, Px(corner.0), Px(corner.1))?;
        write!(out, "<title>{}</title>", xml(&tooltip(mark)))?;
        let (w, h) = (Px(self.width), Px(self.height));
        write!(out, r#"<rect class="card" width="{w}" height="{h}" rx="9"/>"#)?;
        write!(out, r#"<rect class="tint" width="{w}" height="{h}" rx="9"/>"#)?;
        write!(out, r#"<g transform="translate({} 9)">{}</g>"#, Px(PADDING - 1.0), icon::of(mark.node_kind))?;
        let x = Px(PADDING + ICON + 6.0);
        let text = |out: &mut String, class: &str, y: f64, text: &str| {
            // The colour of a node is its stroke. Letters have no stroke.
            write!(out, r#"<text class="{class}" stroke="none" x="{x}" y="{}">{}</text>"#, Px(y), xml(text))
        };
        let mut y = 22.0;
        text(out, "title", y, &self.title)?;
        for (class, line) in [("sub", &self.sub), ("code", &self.code)] {
            if let Some(line) = line {
                y += 16.0;
                text(out, class, y, line)?;
            }
        }
        // A little outside the box, where they cover neither texts nor wires.
        for (pills, y) in [(&self.above, -3.0), (&self.below, self.height + 3.0)] {
            let mut right = self.width + 5.0;
            for (class, words) in pills {
                let width = pill_width(words);
                right -= width;
                write!(
                    out,
                    r#"<rect class="{class}" stroke="none" x="{}" y="{}" width="{}" height="{}" rx="{}"/>"#,
                    Px(right),
                    Px(y - PILL_HEIGHT / 2.0),
                    Px(width),
                    Px(PILL_HEIGHT),
                    Px(PILL_HEIGHT / 2.0)
                )?;
                let (x, y) = (Px(right + width / 2.0), Px(y + 4.0));
                write!(out, r#"<text class="pill" stroke="none" x="{x}" y="{y}">{words}</text>"#)?;
                right -= 4.0;
            }
        }
        writeln!(out, "</g>")
    }
}

fn pill_width(words: &str) -> f64 {
    measure::sans_bold(words, PILL) + 0.4 * words.len() as f64 + 12.0
}

/// Everything about the node, in full.
fn tooltip(mark: &Mark<'_>) -> String {
    let mut lines = vec![format!("{} {}", mark.node, mark.kind)];
    lines.extend(mark.name.map(|it| format!("name: {it}")));
    lines.extend(mark.id.map(|it| format!("id: {it}")));
    lines.extend((!mark.detail.is_empty()).then(|| mark.detail.to_string()));
    lines.extend(mark.note.map(str::to_string));
    lines.join("\n")
}
