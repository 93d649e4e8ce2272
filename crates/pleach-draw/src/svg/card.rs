//! The box of a node: its texts, and its size.

use std::fmt::{self, Write};

use pleach_core::nodes::Abort;
use pleach_core::text::plain;

use super::{Px, icon, scene::Rect};
use crate::escape::xml;
use crate::fate::Fate;
use crate::highlight::monitor_words;
use crate::measure::Font;
use crate::shape::{Drawing, Mark};
use crate::wrap::wrap;

const PADDING: f64 = 12.0;
/// Where texts begin: after the icon.
const TEXT: f64 = PADDING + 22.0;
/// The least space between two texts of a line.
const GAP: f64 = 9.0;
/// The lines: the place of the first, and the line spacing.
const FIRST: f64 = 22.0;
const LINE: f64 = 16.0;
const PILL_HEIGHT: f64 = 16.0;

/// How a text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Look {
    Place,
    Title,
    Sub,
    Code,
    /// With the class of its background.
    Pill(&'static str),
    Extra,
    Seen,
    Edit,
}

impl Look {
    fn class(self) -> &'static str {
        match self {
            Look::Place => "place",
            Look::Title => "title",
            Look::Sub => "sub",
            Look::Code => "code",
            Look::Pill(_) => "pill",
            Look::Extra => "extra",
            Look::Seen => "seen",
            Look::Edit => "edit",
        }
    }

    fn font(self) -> Font {
        match self {
            Look::Place | Look::Sub | Look::Extra | Look::Seen => super::SUB,
            Look::Title => Font::Bold(14.0),
            Look::Code | Look::Edit => Font::Mono(12.0),
            Look::Pill(_) => Font::Bold(11.0),
        }
    }
}

/// A piece of text in a card.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    look: Look,
    pub(crate) x: f64,
    pub(crate) line: usize,
    pub(crate) width: f64,
    text: String,
}

/// A box: its texts and its size.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    pub(crate) runs: Vec<Run>,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// How the texts of a card are arranged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stand {
    /// One below the other.
    Column,
    /// Side by side, with the fields that the parent has beside the node.
    Row,
}

impl Card {
    /// The card of a node. Its texts break into several lines rather than exceed `room`.
    pub(crate) fn of(drawing: &Drawing<'_>, mark: &Mark<'_>, room: f64, stand: Stand) -> Card {
        let mut card = Card { runs: Vec::new(), width: 0.0, height: 0.0 };
        let (mut x, mut line) = (0.0, 0);
        for (look, text) in texts(drawing, mark, stand) {
            if stand == Stand::Column && !matches!(look, Look::Pill(_)) && x > 0.0 {
                (x, line) = (0.0, line + 1);
            }
            let gap = if x > 0.0 { GAP } else { 0.0 };
            if let Look::Pill(_) = look {
                let width = pill_width(&text);
                if x > 0.0 && x + gap + width > room {
                    (x, line) = (0.0, line + 1);
                } else {
                    x += gap;
                }
                card.runs.push(Run { look, x, line, width, text });
                x += width;
                continue;
            }
            let font = look.font();
            let lines = wrap(&text, (room - x - gap, room), &|it| font.letter(it));
            for (at, text) in lines.into_iter().enumerate() {
                (x, line) = if at > 0 { (0.0, line + 1) } else { (x + gap, line) };
                let width = font.width(&text);
                if !text.is_empty() {
                    card.runs.push(Run { look, x, line, width, text });
                }
                x += width;
            }
        }
        let right = card.runs.iter().map(|it| it.x + it.width).fold(0.0, f64::max);
        card.width = TEXT + right + PADDING;
        card.height = 34.0 + LINE * line as f64;
        card
    }

    /// Draws it there.
    pub(crate) fn write(&self, out: &mut String, drawing: &Drawing<'_>, mark: &Mark<'_>, at: Rect) -> fmt::Result {
        let node = mark.node;
        let class = mark.class().name();
        let state = match &drawing.highlight {
            it if it.is_top(node) => " on top",
            it if it.is_active(node) => " on",
            it if it.is_shown() => " idle",
            _ if mark.is_never() => " never",
            _ => match mark.change.as_ref().map(|it| it.fate) {
                None => "",
                Some(Fate::Same) => " same",
                Some(Fate::Added) => " added",
                Some(Fate::Removed) => " removed",
                Some(Fate::Moved) => " moved",
                Some(Fate::Changed) => " changed",
            },
        };
        write!(out, r#"<g class="{class}{state}" transform="translate({} {})">"#, Px(at.x), Px(at.y))?;
        write!(out, "<title>{}</title>", xml(&tooltip(mark)))?;
        let (w, h) = (Px(at.width), Px(at.height));
        write!(out, r#"<rect class="card" width="{w}" height="{h}" rx="9"/>"#)?;
        write!(out, r#"<rect class="tint" width="{w}" height="{h}" rx="9"/>"#)?;
        write!(out, r#"<g transform="translate({} 9)">{}</g>"#, Px(PADDING - 1.0), icon::of(mark.node_kind))?;
        for Run { look, x, line, width, text } in &self.runs {
            let (mut x, y) = (TEXT + x, FIRST + LINE * *line as f64);
            if let Look::Pill(ground) = look {
                let (rect_y, height) = (Px(y - 12.0), Px(PILL_HEIGHT));
                write!(
                    out,
                    r#"<rect class="{ground}" x="{}" y="{rect_y}" width="{}" height="{height}" rx="8"/>"#,
                    Px(x),
                    Px(*width)
                )?;
                x += width / 2.0;
            }
            write!(out, r#"<text class="{}" x="{}" y="{}">{}</text>"#, look.class(), Px(x), Px(y), xml(text))?;
        }
        writeln!(out, "</g>")
    }
}

/// The texts of a card.
fn texts(drawing: &Drawing<'_>, mark: &Mark<'_>, stand: Stand) -> Vec<(Look, String)> {
    let mut all = Vec::new();
    let place = mark.words.place.as_ref().filter(|_| stand == Stand::Row);
    all.extend(place.map(|it| (Look::Place, it.clone())));
    all.push((Look::Title, mark.label().to_owned()));
    let abort = match mark.abort {
        Abort::SELF => Some("SELF"),
        Abort::LOWER_PRIORITY => Some("LOWER"),
        Abort::BOTH => Some("BOTH"),
        _ => None,
    };
    all.extend(abort.map(|it| (Look::Pill("abort"), it.to_owned())));
    all.extend(drawing.highlight.is_last_abort(mark.node).then(|| (Look::Pill("abort"), "LAST ABORT".to_owned())));
    let fate = match mark.change.as_ref().map(|it| it.fate) {
        None | Some(Fate::Same) => None,
        Some(Fate::Added) => Some(("is-added", "ADDED")),
        Some(Fate::Removed) => Some(("is-removed", "REMOVED")),
        Some(Fate::Moved) => Some(("is-moved", "MOVED")),
        Some(Fate::Changed) => Some(("is-changed", "CHANGED")),
    };
    all.extend(fate.map(|(ground, words)| (Look::Pill(ground), words.to_owned())));
    all.extend(mark.name.map(|_| (Look::Sub, mark.kind.to_owned())));
    let main = Some(&*mark.words.main).filter(|it| !it.is_empty());
    all.extend(main.map(|it| (Look::Code, it.to_owned())));
    all.extend(mark.words.fields.iter().map(|it| (Look::Code, it.clone())));
    let extra = [mark.services_in_words(), mark.written_in_words(), mark.hidden_in_words()];
    all.extend(extra.into_iter().flatten().map(|it| (Look::Extra, it)));
    all.extend(mark.note.map(|it| (Look::Seen, format!("# {}", plain(it)))));
    all.extend(drawing.highlight.monitor(mark.node).map(|it| (Look::Seen, monitor_words(it))));
    all.extend(mark.counts.map(|it| (Look::Seen, it.to_string())));
    let edits = mark.change.iter().flat_map(|it| &it.lines);
    all.extend(edits.map(|it| (Look::Edit, it.clone())));
    all
}

fn pill_width(words: &str) -> f64 {
    Look::Pill("").font().width(words) + 0.4 * words.len() as f64 + 12.0
}

/// Everything about the node, in full.
fn tooltip(mark: &Mark<'_>) -> String {
    let words = &mark.words;
    let mut lines = vec![format!("{} {}", mark.node, mark.kind)];
    lines.extend(mark.name.map(|it| format!("name: {it}")));
    lines.extend(words.place.clone());
    lines.extend((!words.main.is_empty()).then(|| words.main.to_string()));
    lines.extend(words.fields.iter().cloned());
    lines.extend(mark.services_in_words());
    lines.extend(mark.note.map(str::to_string));
    lines.join("\n")
}
