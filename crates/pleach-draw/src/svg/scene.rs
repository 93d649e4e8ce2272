//! The places of everything in a picture.

/// A box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Rect {
    pub(crate) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

/// A node's fields in its parent: on the upper edge of its card.
#[derive(Clone, Debug)]
pub(crate) struct Tab {
    pub(crate) rect: Rect,
    pub(crate) lines: Vec<String>,
}

/// The border of an instance.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) rect: Rect,
    /// Where its label is.
    pub(crate) label: Rect,
    pub(crate) lines: Vec<String>,
}

/// The line from a parent to a child, by their indices: from corner to corner.
#[derive(Clone, Debug)]
pub(crate) struct Wire {
    pub(crate) child: usize,
    pub(crate) corners: Vec<(f64, f64)>,
}

/// A picture. Nothing in it overlaps, except a frame and its content.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scene {
    /// The card of each node.
    pub(crate) cards: Vec<Rect>,
    /// By node.
    pub(crate) tabs: Vec<Option<Tab>>,
    pub(crate) wires: Vec<Wire>,
    pub(crate) frames: Vec<Frame>,
}

impl Scene {
    /// The width and the height.
    pub(crate) fn size(&self) -> (f64, f64) {
        let tabs = self.tabs.iter().flatten().map(|it| it.rect);
        let frames = self.frames.iter().map(|it| it.rect);
        let all = self.cards.iter().copied().chain(tabs).chain(frames);
        all.fold((0.0, 0.0), |(width, height), it| (it.right().max(width), it.bottom().max(height)))
    }
}
