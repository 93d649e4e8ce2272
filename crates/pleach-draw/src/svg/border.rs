//! Where instances begin and end: a line around their boxes.

use std::fmt::{self, Write};

use super::Px;
use crate::border::Border;
use crate::escape::xml;
use crate::shape::{Direction, Drawing};

/// The space between a border and what is in it.
const PADDING: f64 = 7.0;

/// Two pairs: a corner and a size, or from where to where, across and along.
type Area = ((f64, f64), (f64, f64));

impl Drawing<'_> {
    /// Draws the borders below boxes that stand at these places.
    pub(crate) fn write_borders(&self, out: &mut String, boxes: &[Area]) -> fmt::Result {
        let gutter = self.gutter();
        for border in &self.borders {
            // What is inside has a border, too.
            let padding = PADDING * (1.0 + 0.5 * (gutter - 1 - border.level).min(3) as f64);
            let levels = self.levels(border, boxes, padding);
            let Some(&(across, along)) = levels.first() else { continue };
            let left = levels.iter().flat_map(|&((low, _), (start, end))| [(low, start), (low, end)]);
            let right = levels.iter().rev().flat_map(|&((_, high), (start, end))| [(high, end), (high, start)]);
            let point = |(across, along): (f64, f64)| if self.is_down() { (across, along) } else { (along, across) };
            write!(out, r#"<path class="instance" d="M"#)?;
            for (x, y) in left.chain(right).map(point) {
                write!(out, "{} {} ", Px(x), Px(y))?;
            }
            let (x, y) = point((across.0, along.0));
            let label = xml(&border.label());
            writeln!(out, r#"Z"/><text class="sub" x="{}" y="{}">{label}</text>"#, Px(x + 4.0), Px(y - 3.0))?;
        }
        Ok(())
    }

    fn is_down(&self) -> bool {
        self.direction == Direction::Down
    }

    /// Of each level of an instance how far it goes, across the levels and along them.
    fn levels(&self, border: &Border<'_>, boxes: &[Area], padding: f64) -> Vec<Area> {
        let mut levels: Vec<Area> = Vec::new();
        let Some(top) = self.marks.get(border.marks.start).map(|it| it.depth) else { return levels };
        for at in border.marks.clone() {
            let (Some(mark), Some(&((x, y), (width, height)))) = (self.marks.get(at), boxes.get(at)) else { continue };
            let ((low, high), (start, end)) =
                if self.is_down() { ((x, x + width), (y, y + height)) } else { ((y, y + height), (x, x + width)) };
            let own = ((low - padding, high + padding), (start - padding, end + padding));
            match levels.get_mut(mark.depth - top) {
                Some((across, along)) => {
                    *across = (across.0.min(own.0.0), across.1.max(own.0.1));
                    *along = (along.0.min(own.1.0), along.1.max(own.1.1));
                }
                None => levels.push(own),
            }
        }
        // Between two levels the border changes its width half-way.
        for at in 1..levels.len() {
            let middle = f64::midpoint(levels[at - 1].1.1, levels[at].1.0);
            levels[at - 1].1.1 = middle;
            levels[at].1.0 = middle;
        }
        levels
    }
}
