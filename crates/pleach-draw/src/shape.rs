//! What all three drawings are made from: the shape of a tree without its host type, so that the
//! code of the drawings is compiled only once.

use pleach_core::{
    Host, InstanceRef, NodeId, Tree,
    expr::KeyIndex,
    inspect::{AgentView, NodeWords},
    kinds::{NodeClass, NodeKind},
    nodes::Abort,
    text::{self, shorten},
};

use crate::border::Border;
use crate::counts::NodeCounts;
use crate::fate::{Change, Fate};
use crate::highlight::Highlight;

/// Where children are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Fits a page: [`Down`](Direction::Down) if the picture is then at most 850 pixels wide, else
    /// as an [`Outline`](Direction::Outline). Graphviz draws `Down`.
    #[default]
    Fit,
    /// Below their parent, the first at the left, as in most editors.
    Down,
    /// To the right of their parent, the first on top: better for trees with many long texts.
    Right,
    /// In lines below their parent, indented, as in text; at most 850 pixels wide. Graphviz draws
    /// `Right`.
    Outline,
}

/// One node of a drawing.
#[derive(Debug)]
pub(crate) struct Mark<'a> {
    pub(crate) node: NodeId,
    /// As written.
    pub(crate) kind: &'a str,
    pub(crate) node_kind: NodeKind,
    pub(crate) name: Option<&'a str>,
    pub(crate) note: Option<&'a str>,
    /// Its fields, and those beside it in its parent.
    pub(crate) words: NodeWords<'a>,
    pub(crate) abort: Abort,
    /// The keys that it reads and the game writes.
    pub(crate) written: Vec<&'a str>,
    /// The index of its parent.
    pub(crate) parent: Option<usize>,
    pub(crate) depth: usize,
    /// Whether no sibling comes after it.
    pub(crate) last: bool,
    /// How many nodes below it are hidden.
    pub(crate) hidden: usize,
    pub(crate) counts: Option<NodeCounts>,
    /// Its fate, in a picture of what changed.
    pub(crate) change: Option<Change>,
}

/// A tree that is about to be drawn. Making one costs a pass over the nodes.
#[derive(Debug)]
pub struct Drawing<'a> {
    pub(crate) name: &'a str,
    /// The lines about the whole tree below its name.
    pub(crate) facts: Vec<String>,
    /// In pre-order.
    pub(crate) marks: Vec<Mark<'a>>,
    /// The instances, outer ones first.
    pub(crate) borders: Vec<Border<'a>>,
    pub(crate) highlight: Highlight,
    pub(crate) direction: Direction,
}

impl<'a> Drawing<'a> {
    /// The drawing of a tree, without an agent.
    #[must_use]
    pub fn of<H: Host>(tree: &'a Tree<H>) -> Self {
        Drawing::with(tree, |key| tree.key_use(key).is_some_and(|it| it.writes()))
    }

    /// The same; `is_written` says whether the game is known to write a key.
    fn with<H: Host>(tree: &'a Tree<H>, is_written: impl Fn(KeyIndex) -> bool) -> Self {
        let keys = tree.schema().keys().enumerate().map(|(at, key)| (KeyIndex::new(at), key.name()));
        let written: Vec<Option<&str>> =
            keys.map(|(at, name)| at.filter(|it| is_written(*it)).and(Some(name))).collect();
        let mut marks: Vec<Mark<'a>> = Vec::with_capacity(tree.len());
        for node in tree.nodes() {
            marks.push(Mark {
                node: node.id(),
                kind: node.kind(),
                node_kind: node.node_kind(),
                name: node.name(),
                note: node.note(),
                words: node.in_words(),
                abort: node.abort(),
                written: node.reads().iter().filter_map(|it| written[it.index()]).collect(),
                // In pre-order the index of a node is its id.
                parent: node.parent().map(|it| it.id().index()),
                depth: node.depth(),
                last: true,
                hidden: 0,
                counts: None,
                change: None,
            });
        }
        let levels = |it: InstanceRef<'a, H>| std::iter::successors(it.parent(), |it| it.parent()).count();
        let borders = tree.instances().map(|it| Border {
            name: it.full_name(),
            file: it.file(),
            ports: it.ports_in_words(),
            note: it.note(),
            marks: it.root().id().index()..it.root().id().index() + it.root().subtree().len(),
            level: levels(it),
        });
        let (highlight, direction) = (Highlight::default(), Direction::default());
        let (name, facts, borders) = (tree.name(), Vec::new(), borders.collect());
        let mut drawing = Drawing { name, facts, marks, borders, highlight, direction };
        drawing.find_last();
        drawing
    }

    /// In pre-order the last child of a parent is the one that comes last.
    pub(crate) fn find_last(&mut self) {
        let mut seen = vec![false; self.marks.len()];
        for at in (0..self.marks.len()).rev() {
            let parent = self.marks[at].parent;
            self.marks[at].last = parent.is_none_or(|it| !std::mem::replace(&mut seen[it], true));
        }
    }

    /// Draws only a node with everything below it, to that many levels, if given; the node itself
    /// is the first. A node that is not in the tree leaves nothing.
    #[must_use]
    pub fn part(mut self, top: NodeId, levels: Option<usize>) -> Self {
        let base = self.marks.iter().find(|it| it.node == top).map_or(0, |it| it.depth);
        let from = self.marks.partition_point(|it| it.node < top);
        let below = self.marks[from..].iter().skip(1).take_while(|it| it.depth > base).count();
        let is_there = self.marks.get(from).is_some_and(|it| it.node == top);
        let all = if is_there { from..from + 1 + below } else { 0..0 };
        let (mut kept, mut places) = (Vec::new(), Vec::new());
        for (at, mut mark) in std::mem::take(&mut self.marks).into_iter().enumerate() {
            places.push(kept.len());
            if !all.contains(&at) {
                continue;
            }
            if mark.node == top {
                mark.parent = None;
                mark.words.place = None;
            }
            mark.depth = mark.depth + 1 - base;
            kept.push(mark);
        }
        let part = self.keep(kept, places);
        match levels {
            Some(levels) => part.fold(|it, _| it.depth < levels),
            None => part,
        }
    }

    /// Hides the nodes below inactive ones, and shows how many there are. What an agent is doing is
    /// still drawn, with the alternatives of each parent.
    ///
    /// ```
    /// # use pleach_core::{Forest, Host, Tree, nodes::{check, idle, selector, sequence, wait}};
    /// # use pleach_draw::Drawing;
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// let mut builder = Tree::<Game>::builder("guard");
    /// builder.key("sees", false);
    /// let fight = sequence([check("sees"), wait(0.5)]).named("fight");
    /// let tree = builder.build(selector([fight, idle()]))?;
    /// # let mut forest = Forest::new(7);
    /// # let guards = forest.add_tree(tree)?;
    /// # let guard = forest.spawn(&mut (), guards)?;
    /// # forest.tick(&mut (), 0.1)?;
    /// let expected = "\
    /// • Selector
    ///   ├─ Sequence \"fight\"  … 2 nodes below
    /// ▶ └─ Idle
    /// ";
    /// assert_eq!(Drawing::of_agent(&forest.agent(guard)?.inspect()).folded().text().to_string(), expected);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn folded(self) -> Self {
        self.fold(|it, highlight| highlight.is_active(it.node))
    }

    /// Hides the nodes below those that are not open.
    fn fold(mut self, is_open: impl Fn(&Mark<'a>, &Highlight) -> bool) -> Self {
        let (mut kept, mut places): (Vec<Mark<'a>>, _) = (Vec::new(), Vec::new());
        // The depth of the last kept node, if it is not open.
        let mut closed: Option<usize> = None;
        for mark in std::mem::take(&mut self.marks) {
            places.push(kept.len());
            match kept.last_mut().filter(|_| closed.is_some_and(|it| mark.depth > it)) {
                Some(above) => above.hidden += 1 + mark.hidden,
                None => {
                    closed = (!is_open(&mark, &self.highlight)).then_some(mark.depth);
                    kept.push(mark);
                }
            }
        }
        self.keep(kept, places)
    }

    /// With these marks. `places` gives for each old one how many of those before it are kept.
    fn keep(mut self, mut kept: Vec<Mark<'a>>, mut places: Vec<usize>) -> Self {
        places.push(kept.len());
        kept.iter_mut().for_each(|it| it.parent = it.parent.map(|it| places[it]));
        self.marks = kept;
        for border in &mut self.borders {
            border.marks = places[border.marks.start]..places[border.marks.end];
        }
        self.borders.retain(|it| !it.marks.is_empty());
        let outer = self.borders.iter().map(|it| it.level).min().unwrap_or(0);
        self.borders.iter_mut().for_each(|it| it.level -= outer);
        self.find_last();
        self
    }

    /// The drawing of an agent's tree, with what the agent is doing.
    #[must_use]
    pub fn of_agent<H: Host>(view: &'a AgentView<H>) -> Self {
        let is_written = |key| view.key_use(key).is_some_and(|it| it.writes());
        Drawing::with(&view.tree, is_written).highlight(Highlight::of(view))
    }

    /// Shows what an agent of this tree is doing. With its view at hand,
    /// [`of_agent`](Drawing::of_agent) is shorter.
    #[must_use]
    pub fn highlight(self, highlight: Highlight) -> Self {
        Drawing { highlight, ..self }
    }

    /// Shows how often each node was started and how it ended; nodes that never started are grey in
    /// pictures. `counts` returns the counts of a node, if known.
    ///
    /// ```
    /// # use pleach_core::{Host, Tree, nodes::{idle, selector, wait}};
    /// # use pleach_draw::{Drawing, NodeCounts};
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// let tree = Tree::<Game>::builder("guard").build(selector([wait(2.0), idle()]))?;
    /// let counts = NodeCounts { started: 3, succeeded: 2, failed: 0, aborted: 1 };
    /// let drawing = Drawing::of(&tree).counts(|node| (node.index() < 2).then_some(counts));
    /// let expected = "├─ Wait  2 s  [started 3, succeeded 2, failed 0, aborted 1]\n";
    /// assert!(drawing.text().to_string().contains(expected));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn counts(mut self, counts: impl Fn(NodeId) -> Option<NodeCounts>) -> Self {
        self.marks.iter_mut().for_each(|it| it.counts = counts(it.node));
        self
    }

    /// Where children are drawn, in Graphviz and SVG.
    #[must_use]
    pub fn direction(self, direction: Direction) -> Self {
        Drawing { direction, ..self }
    }
}

impl Mark<'_> {
    /// The title of a box: the name, or else the kind.
    pub(crate) fn label(&self) -> &str {
        self.name.unwrap_or(self.kind)
    }

    /// Its services: `service Look every 0.5 s`, `services Look every 0.5 s, Listen every tick`.
    pub(crate) fn services_in_words(&self) -> Option<String> {
        let all = &self.words.services;
        let word = if all.len() == 1 { "service" } else { "services" };
        (!all.is_empty()).then(|| format!("{word} {}", all.join(", ")))
    }

    /// The keys that it reads and the game writes: `game writes sees, health`.
    pub(crate) fn written_in_words(&self) -> Option<String> {
        const MOST: usize = 4;
        let names: Vec<String> = self.written.iter().take(MOST).map(|it| shorten(it, 30).into_owned()).collect();
        let names = text::plain(&names.join(", ")).into_owned();
        match self.written.len() {
            0 => None,
            all if all > MOST => Some(format!("game writes {names} and {} more", all - MOST)),
            _ => Some(format!("game writes {names}")),
        }
    }

    /// How many nodes below it are hidden: `… 2 nodes below`.
    pub(crate) fn hidden_in_words(&self) -> Option<String> {
        let s = if self.hidden == 1 { "" } else { "s" };
        (self.hidden > 0).then(|| format!("… {} node{s} below", self.hidden))
    }

    /// Whether this is its fate.
    pub(crate) fn is(&self, fate: Fate) -> bool {
        self.change.as_ref().is_some_and(|it| it.fate == fate)
    }

    /// Whether it is known that it never started.
    pub(crate) fn is_never(&self) -> bool {
        self.counts.is_some_and(|it| it.started == 0)
    }

    pub(crate) fn class(&self) -> NodeClass {
        self.node_kind.class()
    }
}

/// The abort type in words, if there is one.
pub(crate) fn abort_words(abort: Abort) -> Option<&'static str> {
    // `Abort` is a set of two bits, so a match on its constants still needs a last arm.
    match abort {
        Abort::SELF => Some("self"),
        Abort::LOWER_PRIORITY => Some("lower priority"),
        Abort::BOTH => Some("both"),
        _ => None,
    }
}
