//! The forms with children below or to the right of their parent.

use super::card::{Card, Stand};
use super::scene::{Frame, Rect, Scene, Tab, Wire};
use super::{LABEL, LABEL_LINE, SUB};
use crate::layout::{Frames, centres};
use crate::shape::{Direction, Drawing};
use crate::wrap::wrap;

/// The greatest width of a card's texts, and of a frame's.
const TEXTS: f64 = 176.0;
const LABELS: f64 = 190.0;
/// The space between a frame and its content.
const PADDING: f64 = 8.0;
/// The space between two levels without frames. Wires turn in its middle.
const WIRES: f64 = 32.0;
/// The space around the text of a tab.
const TAB: f64 = 12.0;

/// What is known of a frame before anything is placed, by instance.
struct Border {
    lines: Vec<String>,
    width: f64,
    /// How far it extends above the level of its root and below that of its deepest node.
    before: f64,
    after: f64,
    /// These levels.
    levels: (usize, usize),
}

impl Border {
    /// The height of its label, on the label's side.
    fn label_height(&self) -> f64 {
        LABEL_LINE * self.lines.len() as f64 + 3.0
    }

    fn label(&mut self, text: &str, room: f64) {
        self.lines = wrap(text, (room, room), &|it| SUB.letter(it));
        self.width = self.lines.iter().map(|it| SUB.width(it)).fold(0.0, f64::max);
    }
}

/// Places everything; returns the cards, too.
pub(super) fn spread(drawing: &Drawing<'_>, direction: Direction) -> (Vec<Card>, Scene) {
    let down = direction != Direction::Right;
    let cards: Vec<Card> = drawing.marks.iter().map(|it| Card::of(drawing, it, TEXTS, Stand::Column)).collect();
    let tabs: Vec<Option<Tab>> = drawing.marks.iter().map(|it| it.words.place.as_deref().map(tab)).collect();
    let tab_height = |at: usize| tabs[at].as_ref().map_or(0.0, |it| it.rect.height);
    let tab_width = |at: usize| tabs[at].as_ref().map_or(0.0, |it| it.rect.width);
    // The box of a node is its card with its tab. To the right of a parent, the card is in the
    // middle of the box, where the wire is.
    let size = |at: usize| {
        let width = cards[at].width.max(tab_width(at));
        let height = cards[at].height + tab_height(at) * if down { 1.0 } else { 2.0 };
        if down { (width, height) } else { (height, width) }
    };
    let mut borders = frames(drawing);
    if down {
        drawing.borders.iter().zip(&mut borders).for_each(|(it, border)| border.label(&it.caption(), LABELS));
    }
    for at in (0..borders.len()).rev() {
        let own = PADDING + if down { borders[at].label_height() } else { 0.0 };
        let inside = drawing.borders.get(at + 1).filter(|it| it.marks.start == drawing.borders[at].marks.start);
        borders[at].before = own + inside.map_or(0.0, |_| borders[at + 1].before);
    }
    let levels = Levels::of(drawing, &borders, &|at| size(at).1);
    if !down {
        for (it, border) in drawing.borders.iter().zip(&mut borders) {
            let (from, to) = levels.of_frame(border);
            border.label(&it.caption(), to - from - 2.0 * LABEL);
        }
    }
    let parents: Vec<Option<usize>> = drawing.marks.iter().map(|it| it.parent).collect();
    let breadths: Vec<f64> = (0..cards.len()).map(|it| size(it).0).collect();
    let roots: Vec<usize> = drawing.borders.iter().map(|it| it.marks.start).collect();
    let around = |frame: usize, (low, high): (f64, f64)| {
        let border = &borders[frame];
        let (low, high) = (low - PADDING, high + PADDING);
        if !down {
            return (low - border.label_height(), high);
        }
        // The wire to the root runs through the middle.
        match parents[roots[frame]] {
            Some(_) if border.width + 2.0 * LABEL > -low => (low, high.max(border.width + 2.0 * LABEL)),
            Some(_) => (low, high),
            None => (low, high.max(low + border.width + 2.0 * LABEL)),
        }
    };
    let (centres, edges) = centres(&parents, &breadths, &Frames { roots: &roots, around: &around });

    let mut scene = Scene { tabs, ..Scene::default() };
    for (at, mark) in drawing.marks.iter().enumerate() {
        let (card, tab) = (&cards[at], &mut scene.tabs[at]);
        let along = levels.starts[mark.depth - 1];
        let over = tab.as_ref().map_or(0.0, |it| it.rect.height);
        let (x, y) = if down {
            (centres[at] - card.width / 2.0, along + over)
        } else {
            (along, centres[at] - card.height / 2.0)
        };
        scene.cards.push(Rect { x, y, width: card.width, height: card.height });
        if let Some(Tab { rect, .. }) = tab {
            rect.x = if down { centres[at] - rect.width / 2.0 } else { along };
            rect.y = y - over;
        }
    }
    for (at, parent) in parents.iter().enumerate() {
        let Some(parent) = *parent else { continue };
        let turn = levels.turns[drawing.marks[parent].depth - 1];
        let (from, to) = (centres[parent], centres[at]);
        let end = levels.starts[drawing.marks[at].depth - 1];
        let start = if down { scene.cards[parent].bottom() } else { scene.cards[parent].right() };
        let mut corners = vec![(from, start), (from, turn), (to, turn), (to, end)];
        if (from - to).abs() < 0.1 {
            corners = vec![(to, start), (to, end)];
        }
        if !down {
            corners.iter_mut().for_each(|it| *it = (it.1, it.0));
        }
        scene.wires.push(Wire { child: at, corners });
    }
    for (at, border) in borders.into_iter().enumerate() {
        let ((low, high), (from, to)) = (edges[at], levels.of_frame(&border));
        let (x, y, right, bottom) = if down { (low, from, high, to) } else { (from, low, to, high) };
        let root = roots[at];
        let is_beside = down && parents[root].is_some() && border.width + 2.0 * LABEL > centres[root] - low;
        let label_x = if is_beside { centres[root] } else { x } + LABEL;
        let height = LABEL_LINE * border.lines.len() as f64;
        let label = Rect { x: label_x, y: y + 2.0, width: border.width, height };
        let rect = Rect { x, y, width: right - x, height: bottom - y };
        scene.frames.push(Frame { rect, label, lines: border.lines });
    }
    (cards, scene)
}

fn tab(text: &str) -> Tab {
    let lines = wrap(text, (TEXTS, TEXTS), &|it| SUB.letter(it));
    let width = lines.iter().map(|it| SUB.width(it)).fold(0.0, f64::max) + TAB;
    let height = LABEL_LINE * lines.len() as f64 + 4.0;
    Tab { rect: Rect { x: 0.0, y: 0.0, width, height }, lines }
}

/// The frames, without labels.
fn frames(drawing: &Drawing<'_>) -> Vec<Border> {
    let depth = |at: usize| drawing.marks[at].depth - 1;
    let frame = |it: &crate::border::Border<'_>| {
        let deepest = it.marks.clone().map(depth).max().unwrap_or(0);
        let levels = (depth(it.marks.start), deepest);
        Border { lines: Vec::new(), width: 0.0, before: 0.0, after: PADDING, levels }
    };
    let mut all: Vec<Border> = drawing.borders.iter().map(frame).collect();
    for at in (0..all.len()).rev() {
        let outer = drawing.borders[..at].iter().rposition(|it| it.level + 1 == drawing.borders[at].level);
        if let Some(outer) = outer {
            all[outer].after = all[outer].after.max(all[at].after + PADDING);
        }
    }
    all
}

/// Where each level begins, and where its wires turn.
struct Levels {
    starts: Vec<f64>,
    ends: Vec<f64>,
    turns: Vec<f64>,
}

impl Levels {
    fn of(drawing: &Drawing<'_>, borders: &[Border], size: &dyn Fn(usize) -> f64) -> Levels {
        let count = drawing.marks.iter().map(|it| it.depth).max().unwrap_or(0);
        let (mut sizes, mut before, mut after) = (vec![0.0_f64; count], vec![0.0_f64; count], vec![0.0_f64; count]);
        for (at, mark) in drawing.marks.iter().enumerate() {
            let it = &mut sizes[mark.depth - 1];
            *it = it.max(size(at));
        }
        for it in borders {
            before[it.levels.0] = before[it.levels.0].max(it.before);
            after[it.levels.1] = after[it.levels.1].max(it.after);
        }
        let mut levels = Levels { starts: Vec::new(), ends: Vec::new(), turns: Vec::new() };
        let mut next = 0.0;
        for at in 0..count {
            let start = next + before[at];
            let end = start + sizes[at];
            levels.starts.push(start);
            levels.ends.push(end);
            levels.turns.push(end + after[at] + WIRES / 2.0);
            next = end + after[at] + WIRES;
        }
        levels
    }

    /// The extent of a frame, along the levels.
    fn of_frame(&self, it: &Border) -> (f64, f64) {
        (self.starts[it.levels.0] - it.before, self.ends[it.levels.1] + it.after)
    }
}
