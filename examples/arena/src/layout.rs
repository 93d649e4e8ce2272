//! The places of everything on the screen.

/// A rectangle of the screen, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// The left edge.
    pub x: f32,
    /// The upper edge.
    pub y: f32,
    /// The width.
    pub w: f32,
    /// The height.
    pub h: f32,
}

impl Rect {
    /// Whether a point is in it.
    #[must_use]
    pub fn holds(&self, at: [f32; 2]) -> bool {
        at[0] >= self.x && at[0] < self.x + self.w && at[1] >= self.y && at[1] < self.y + self.h
    }

    /// Whether it has no area.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.w <= 0.0 || self.h <= 0.0
    }

    /// Whether two rectangles have a common area.
    #[must_use]
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.x < other.x + other.w
            && other.x < self.x + self.w
            && self.y < other.y + other.h
            && other.y < self.y + self.h
    }
}

/// The space around the edge of the screen and between parts.
const MARGIN: f32 = 10.0;

/// The parts of the screen. A part that has no room is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Layout {
    /// The size of text, in pixels.
    pub text: f32,
    /// The height of a line.
    pub line: f32,
    /// Frame rate, agents, time of day.
    pub status: Rect,
    /// The meanings of the colours.
    pub legend: Rect,
    /// The chosen agent.
    pub panel: Rect,
    /// Its last minute.
    pub timeline: Rect,
    /// The objective of a heist.
    pub objective: Rect,
    /// The problems of the files.
    pub report: Rect,
    /// What has just happened, and how to get help.
    pub hint: Rect,
    /// The help.
    pub help: Rect,
}

/// How many lines the status, the legend and the help have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Needs {
    /// Lines of the status.
    pub status: usize,
    /// Lines of the legend.
    pub legend: usize,
    /// Lines of the help.
    pub help: usize,
    /// Rows of the time line.
    pub timeline: usize,
    /// Whether an agent is chosen.
    pub agent: bool,
    /// Lines of the objective.
    pub objective: usize,
}

impl Layout {
    /// The parts of a screen of that size.
    #[must_use]
    pub fn of(width: f32, height: f32, needs: Needs) -> Layout {
        let text = if height >= 1000.0 && width >= 1600.0 { 16.0 } else { 13.0 };
        let line = (text * 1.24_f32).round();
        let mut layout = Layout { text, line, ..Layout::default() };
        let tall = |lines: usize| lines as f32 * line + 2.0 * MARGIN;
        if width < 420.0 || height < 200.0 {
            return layout;
        }
        let left = (text * 19.0).round();
        let mut right_of_left = MARGIN;
        if needs.status > 0 {
            let status = tall(needs.status).min(height - 2.0 * MARGIN);
            layout.status = Rect { x: MARGIN, y: MARGIN, w: left, h: status };
            right_of_left += left + MARGIN;
        }
        let mut right = width - MARGIN;
        let mut bottom = height - MARGIN;
        if needs.agent && width >= 800.0 {
            let panel = (text * 39.0).round().min(width * 0.46);
            layout.panel = Rect { x: width - MARGIN - panel, y: MARGIN, w: panel, h: height - 2.0 * MARGIN };
            right = layout.panel.x - MARGIN;
        }
        if needs.agent && height >= 360.0 {
            // Its rows, the seconds above them, and the legend and two lines of text below.
            let h = (needs.timeline as f32 + 4.4) * line + MARGIN;
            layout.timeline = Rect { x: MARGIN, y: bottom - h, w: right - MARGIN, h };
            bottom = layout.timeline.y - MARGIN;
        }
        let below = layout.status.y + layout.status.h + MARGIN;
        let legend = tall(needs.legend);
        if needs.legend > 0 && below + legend <= bottom {
            layout.legend = Rect { x: MARGIN, y: below, w: left, h: legend };
        }
        let h = tall(1);
        if right - right_of_left > 200.0 {
            layout.hint = Rect { x: right_of_left, y: bottom - h, w: right - right_of_left, h };
            let mut top = MARGIN;
            if needs.objective > 0 && top + tall(needs.objective) + MARGIN <= layout.hint.y {
                layout.objective =
                    Rect { x: right_of_left, y: top, w: right - right_of_left, h: tall(needs.objective) };
                top += layout.objective.h + MARGIN;
            }
            let most = (layout.hint.y - MARGIN - top).min(height * 0.5);
            if most > line {
                layout.report = Rect { x: right_of_left, y: top, w: right - right_of_left, h: most };
            }
        }
        let (w, h) = ((text * 44.0).min(width - 2.0 * MARGIN), tall(needs.help).min(height - 2.0 * MARGIN));
        layout.help = Rect { x: ((width - w) / 2.0).round(), y: ((height - h) / 2.0).round(), w, h };
        layout
    }

    /// Whether a place belongs to a part, so that clicks there do not reach the world.
    #[must_use]
    pub fn covers(&self, at: [f32; 2]) -> bool {
        [self.status, self.legend, self.panel, self.timeline].iter().any(|it| it.holds(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEEDS: Needs = Needs { status: 9, legend: 11, help: 29, timeline: 6, agent: true, objective: 3 };

    #[test]
    fn nothing_overlaps_and_nothing_is_off_the_screen() {
        for width in (1..2000).step_by(37).chain([1280, 1920]) {
            for height in (1..1200).step_by(29).chain([720, 1080]) {
                for agent in [false, true] {
                    let (w, h) = (width as f32, height as f32);
                    let it = Layout::of(w, h, Needs { agent, ..NEEDS });
                    let parts = [it.status, it.legend, it.panel, it.timeline, it.objective, it.report, it.hint];
                    for (at, a) in parts.iter().enumerate().filter(|it| !it.1.is_empty()) {
                        assert!(a.x >= 0.0 && a.y >= 0.0 && a.x + a.w <= w && a.y + a.h <= h, "{w} {h} {at} {it:?}");
                        for b in parts.iter().skip(at + 1).filter(|it| !it.is_empty()) {
                            assert!(!a.overlaps(b), "{w} {h}: {a:?} {b:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_usual_screens_have_room_for_all() {
        for (w, h) in [(1280.0, 720.0), (1920.0, 1080.0)] {
            let it = Layout::of(w, h, NEEDS);
            for part in [it.status, it.legend, it.panel, it.timeline, it.report, it.hint, it.help] {
                assert!(!part.is_empty(), "{w} {h} {it:?}");
            }
        }
        assert_eq!(Layout::of(1.0, 1.0, NEEDS).panel, Rect::default());
    }
}
