//! The outline form: a line for each node, below its parent and indented.

use super::card::{Card, Stand};
use super::scene::{Frame, Rect, Scene, Wire};
use super::{LABEL, LABEL_LINE, PAGE_WIDTH, SUB};
use crate::shape::Drawing;
use crate::wrap::wrap;

/// How far children are indented, and how far the deepest may be in total.
const INDENT: f64 = 24.0;
const DEEPEST: f64 = 320.0;
/// The space between two lines.
const ROWS: f64 = 6.0;
/// The least space between two frames at the right, and the most for all of them.
const FRAMES: f64 = 4.0;
const ALL_FRAMES: f64 = 80.0;
/// The width of a card beside its texts, with some room for the end of long ones.
const BESIDES_TEXT: f64 = 64.0;

/// Places everything; returns the cards, too.
pub(super) fn outline(drawing: &Drawing<'_>) -> (Vec<Card>, Scene) {
    let depth = drawing.marks.iter().map(|it| it.depth).max().unwrap_or(1);
    let indent = INDENT.min(DEEPEST / depth as f64);
    let gutter = drawing.gutter();
    let inset = FRAMES.min(ALL_FRAMES / gutter.max(1) as f64);
    let right = PAGE_WIDTH - inset * gutter as f64;
    let left = |depth: usize| indent * (depth as f64 - 0.5);
    let mut scene = Scene { tabs: vec![None; drawing.marks.len()], ..Scene::default() };
    let mut cards = Vec::with_capacity(drawing.marks.len());
    let mut open: Vec<usize> = Vec::new();
    let mut borders = drawing.borders.iter().enumerate().peekable();
    let mut y = 0.0;
    for (at, mark) in drawing.marks.iter().enumerate() {
        let x = left(mark.depth);
        let first = scene.frames.len();
        while let Some((number, border)) = borders.next_if(|it| it.1.marks.start == at) {
            let lines = wrap(&border.caption(), (right - x - LABEL, right - x - LABEL), &|it| SUB.letter(it));
            let width = lines.iter().map(|it| SUB.width(it)).fold(0.0, f64::max);
            let label = Rect { x, y: y + 4.0, width, height: LABEL_LINE * lines.len() as f64 };
            let outer = inset * border.level as f64;
            let rect = Rect { x: 0.0, y, width: PAGE_WIDTH - outer, height: 0.0 };
            y = label.bottom() + ROWS;
            scene.frames.push(Frame { rect, label, lines });
            open.push(number);
        }
        // Between the wire of the parent and the card, outer ones further left.
        let here = &mut scene.frames[first..];
        let step = 0.35 * indent / here.len().max(1) as f64;
        let outwards = here.iter_mut().rev().enumerate();
        outwards.for_each(|(rank, it)| it.rect.x = x - step * (rank + 1) as f64);
        here.iter_mut().for_each(|it| it.rect.width -= it.rect.x);

        let card = Card::of(drawing, mark, right - x - BESIDES_TEXT, Stand::Row);
        let rect = Rect { x, y, width: card.width, height: card.height };
        if let Some(parent) = mark.parent {
            let parent: Rect = scene.cards[parent];
            let (down, across) = (parent.x + indent / 2.0, y + 17.0);
            let corners = vec![(down, parent.bottom()), (down, across), (x, across)];
            scene.wires.push(Wire { child: at, corners });
        }
        y = rect.bottom() + ROWS;
        scene.cards.push(rect);
        cards.push(card);
        while let Some(number) = open.pop_if(|it| drawing.borders[*it].marks.end == at + 1) {
            let rect = &mut scene.frames[number].rect;
            rect.height = y - rect.y;
            y += ROWS;
        }
    }
    (cards, scene)
}
