//! A picture of what changed between two versions of a tree.

use std::collections::BTreeMap;

use pleach_core::{Host, NodeId, Tree};

use crate::border::Border;
use crate::fate::{Change, Fate};
use crate::shape::{Drawing, Mark};

/// What differs in a node that both versions have: see [`Difference::of`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeChange {
    /// Whether it has moved.
    pub moved: bool,
    /// What differs, in words: `seconds: 1.0 -> 1.5`.
    pub lines: Vec<String>,
}

/// A picture of what changed between two versions of a tree: the new version, with the removed
/// nodes at their old places.
///
/// ```
/// # mod pleach {
/// #     pub use pleach_core::{Host, Tree, nodes};
/// #     pub(crate) use pleach_draw as draw;
/// # }
/// use pleach::draw::{Difference, NodeChange};
/// use pleach::nodes::{idle, selector, wait};
/// use pleach::{Host, Tree};
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = ();
/// # }
/// let old = Tree::<Game>::builder("guard").build(selector([wait(1.0), idle().named("rest")]))?;
/// let new = Tree::<Game>::builder("guard").build(selector([wait(1.5), idle().named("sleep")]))?;
/// let lines = vec!["seconds: 1 -> 1.5".to_owned()];
/// let change = |node| (new.node(node)?.kind() == "Wait").then(|| NodeChange { moved: false, lines: lines.clone() });
/// let picture = Difference::of(&old, &new, change).svg();
/// for part in [">seconds: 1 -&gt; 1.5<", ">CHANGED<", ">ADDED<", ">REMOVED<"] {
///     assert_eq!(picture.matches(part).count(), 1);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Difference<'a>(pub(crate) Drawing<'a>);

impl<'a> Difference<'a> {
    /// What changed from one version to another. Nodes are matched as by
    /// [`compare`](Tree::compare); `change` returns what differs, if anything, in a node of the new
    /// version that the old one has too.
    ///
    /// # Panics
    /// If the `can_resume` of a leaf panics.
    #[must_use]
    pub fn of<H: Host>(old: &'a Tree<H>, new: &'a Tree<H>, change: impl Fn(NodeId) -> Option<NodeChange>) -> Self {
        let compared = old.compare(new);
        let new_of: Vec<Option<usize>> = old.nodes().map(|it| compared.new_of(it.id()).map(NodeId::index)).collect();
        let (was, mut is) = (Drawing::of(old), Drawing::of(new));
        let mut fates = vec![Fate::Added; is.marks.len()];
        new_of.iter().flatten().for_each(|it| fates[*it] = Fate::Same);
        for (mark, fate) in is.marks.iter_mut().zip(fates) {
            let differs = change(mark.node).filter(|_| fate == Fate::Same);
            let fate = match &differs {
                Some(it) if it.moved => Fate::Moved,
                Some(_) => Fate::Changed,
                None => fate,
            };
            mark.change = Some(Change { fate, lines: differs.unwrap_or_default().lines });
        }
        Difference(merged(was, is, &new_of))
    }

    /// A tree that the old version lacks.
    #[must_use]
    pub fn added<H: Host>(new: &'a Tree<H>) -> Self {
        Difference(all(Drawing::of(new), Fate::Added))
    }

    /// A tree that the new version lacks.
    #[must_use]
    pub fn removed<H: Host>(old: &'a Tree<H>) -> Self {
        Difference(all(Drawing::of(old), Fate::Removed))
    }

    /// Adds lines about the whole tree below its name: what differs in its keys, for example.
    #[must_use]
    pub fn facts(mut self, lines: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.0.facts.extend(lines.into_iter().map(Into::into));
        self
    }

    /// As an SVG picture, as by [`Drawing::svg`].
    #[must_use]
    pub fn svg(&self) -> String {
        self.0.svg()
    }
}

fn all(mut drawing: Drawing<'_>, fate: Fate) -> Drawing<'_> {
    drawing.marks.iter_mut().for_each(|it| it.change = Some(Change { fate, lines: Vec::new() }));
    drawing
}

/// A node of the picture, by its index in its version.
#[derive(Clone, Copy)]
enum Of {
    New(usize),
    /// It is gone.
    Old(usize),
}

/// The new version with the removed nodes of the old one.
fn merged<'a>(mut was: Drawing<'a>, mut is: Drawing<'a>, new_of: &[Option<usize>]) -> Drawing<'a> {
    was = all(was, Fate::Removed);
    let mut children = Children::of(&was, &is, new_of);
    let take = |of: &mut Drawing<'a>| std::mem::take(&mut of.marks).into_iter().map(Some).collect();
    let (mut old, mut new): (Vec<Option<Mark<'a>>>, Vec<Option<Mark<'a>>>) = (take(&mut was), take(&mut is));
    // The new index of each node.
    let (mut old_at, mut new_at) = (vec![0; old.len()], vec![0; new.len()]);
    let mut marks: Vec<Mark<'a>> = Vec::with_capacity(new.len());
    let mut open = vec![(Of::New(0), None)];
    // A removed root is not below any node.
    open.extend(new_of.first().is_some_and(Option::is_none).then_some((Of::Old(0), None)));
    while let Some((of, parent)) = open.pop() {
        let here = marks.len();
        let mark = match of {
            Of::New(at) => {
                new_at[at] = here;
                new[at].take()
            }
            Of::Old(at) => {
                old_at[at] = here;
                old[at].take()
            }
        };
        let Some(mut mark) = mark else { continue };
        mark.parent = parent;
        mark.depth = parent.map_or(1, |it: usize| marks[it].depth + 1);
        marks.push(mark);
        open.extend(children.below(of).into_iter().rev().map(|it| (it, Some(here))));
    }
    let mut ends: Vec<usize> = (1..=marks.len()).collect();
    for at in (0..marks.len()).rev() {
        if let Some(parent) = marks[at].parent {
            ends[parent] = ends[parent].max(ends[at]);
        }
    }
    let placed = |it: Border<'a>, start: usize| Border { marks: start..ends[start], ..it };
    let kept = std::mem::take(&mut is.borders).into_iter().map(|it| (new_at[it.marks.start], it));
    let gone = was.borders.into_iter().filter(|it| new_of[it.marks.start].is_none());
    let gone = gone.map(|it| (old_at[it.marks.start], it));
    let mut borders: Vec<Border<'a>> = kept.chain(gone).map(|(start, it)| placed(it, start)).collect();
    borders.sort_by_key(|it| (it.marks.start, std::cmp::Reverse(it.marks.end)));
    let mut around: Vec<usize> = Vec::new();
    for border in &mut borders {
        around.retain(|end| *end > border.marks.start);
        border.level = around.len();
        around.push(border.marks.end);
    }
    let mut drawing = Drawing { marks, borders, ..is };
    drawing.find_last();
    drawing
}

/// The children of each node of the picture.
struct Children {
    /// Of the new nodes.
    new: Vec<Vec<usize>>,
    /// The removed children of removed old nodes.
    gone: Vec<Vec<usize>>,
    /// The removed children of a node of the new version, by the sibling before them.
    between: BTreeMap<(usize, Option<usize>), Vec<usize>>,
}

impl Children {
    fn of(was: &Drawing<'_>, is: &Drawing<'_>, new_of: &[Option<usize>]) -> Children {
        let mut new = vec![Vec::new(); is.marks.len()];
        for (at, mark) in is.marks.iter().enumerate() {
            if let Some(parent) = mark.parent {
                new[parent].push(at);
            }
        }
        let (mut gone, mut between) = (vec![Vec::new(); was.marks.len()], BTreeMap::<_, Vec<usize>>::new());
        // The last child of each old node that is still below it.
        let mut last = vec![None; was.marks.len()];
        for (at, mark) in was.marks.iter().enumerate() {
            let Some(parent) = mark.parent else { continue };
            match (new_of[parent], new_of[at]) {
                (Some(parent_now), Some(now)) if is.marks[now].parent == Some(parent_now) => last[parent] = Some(now),
                (_, Some(_)) => {}
                (Some(parent_now), None) => between.entry((parent_now, last[parent])).or_default().push(at),
                (None, None) => gone[parent].push(at),
            }
        }
        Children { new, gone, between }
    }

    fn below(&mut self, of: Of) -> Vec<Of> {
        let at = match of {
            Of::Old(at) => return self.gone[at].drain(..).map(Of::Old).collect(),
            Of::New(at) => at,
        };
        let mut gone = |after| self.between.remove(&(at, after)).unwrap_or_default().into_iter().map(Of::Old);
        let mut all: Vec<Of> = gone(None).collect();
        for child in self.new[at].drain(..) {
            all.push(Of::New(child));
            all.extend(gone(Some(child)));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use pleach_core::nodes::{Node, check, idle, selector, sequence, wait};

    use super::*;
    use crate::sample::{self, Game};

    fn tree(root: Node<Game>) -> Tree<Game> {
        Tree::builder("t").build(root).unwrap()
    }

    /// A line for each node: its depth, its fate, its kind.
    fn drawn(difference: &Difference<'_>) -> String {
        let line = |it: &Mark<'_>| {
            let Change { fate, lines } = it.change.as_ref().unwrap();
            format!("{}{fate:?} {} {}\n", "  ".repeat(it.depth - 1), it.label(), lines.join("; "))
        };
        difference.0.marks.iter().map(line).collect()
    }

    fn named(name: &str) -> Node<Game> {
        wait(1.0).named(name.to_owned())
    }

    #[test]
    fn what_is_gone_stands_where_it_was() {
        let old = tree(selector([
            named("a"),
            sequence([named("b"), named("c")]).named("gone"),
            named("d"),
            named("e"),
            sequence([named("f"), named("g"), named("h")]).named("kept"),
        ]));
        let new = tree(selector([
            named("new"),
            named("d"),
            named("a"),
            sequence([named("f"), named("h"), named("i")]).named("kept"),
        ]));
        let change = |node: NodeId| {
            let change =
                |moved, lines: &[&str]| NodeChange { moved, lines: lines.iter().map(|it| (*it).into()).collect() };
            match new.node(node)?.name()? {
                "d" => Some(change(true, &["was 2"])),
                "f" => Some(change(false, &["x: 1 -> 2", "y: 3 -> 4"])),
                // A new node has no differences.
                "i" => Some(change(false, &["never"])),
                _ => None,
            }
        };
        let expected = "\
Same Selector 
  Added new 
  Moved d was 2
  Removed e 
  Same a 
  Removed gone 
    Removed b 
    Removed c 
  Same kept 
    Changed f x: 1 -> 2; y: 3 -> 4
    Removed g 
    Same h 
    Added i 
";
        let difference = Difference::of(&old, &new, change).facts(["key k: Int 1 -> Int 2"]);
        assert_eq!(drawn(&difference), expected);
        let picture = difference.svg();
        assert_eq!(picture.matches("class=\"card\"").count(), 13);
        assert_eq!(picture.matches("class=\"wire removed\"").count(), 5);
        assert!(picture.contains(">key k: Int 1 -&gt; Int 2</text>"), "{picture}");
        assert!(!picture.contains("var(") && !picture.contains("NaN"), "{picture}");
    }

    #[test]
    fn an_old_root_stands_above_the_new_one() {
        let (old, new) = (tree(sequence([named("a"), idle()])), tree(selector([named("a")])));
        let difference = Difference::of(&old, &new, |_| None);
        let expected = "Removed Sequence \n  Removed a \n  Removed Idle \nAdded Selector \n  Added a \n";
        assert_eq!(drawn(&difference), expected);
        assert_eq!(difference.svg().matches("class=\"wire").count(), 3);
        let all = |it: &Difference<'_>| drawn(it).lines().map(|it| it.trim().split(' ').next().unwrap().len()).max();
        assert_eq!((all(&Difference::added(&new)), all(&Difference::removed(&new))), (Some(5), Some(7)));
    }

    #[test]
    fn files_that_are_gone_keep_their_borders() {
        let (old, new) = (sample::instances(), tree(selector([check("true"), wait(2.0)])));
        let borders = |it: &Difference<'_>| -> Vec<(std::ops::Range<usize>, usize)> {
            it.0.borders.iter().map(|it| (it.marks.clone(), it.level)).collect()
        };
        let difference = Difference::of(&old, &new, |_| None);
        let before = drawn(&difference);
        assert!(before.contains("  Removed Sequence \n    Removed Check \n    Removed Idle \n"), "{before}");
        assert_eq!(borders(&difference), [(1..4, 0), (3..4, 1)]);
        let back = Difference::of(&new, &old, |_| None);
        assert!(borders(&back).iter().all(|it| back.0.marks[it.0.clone()].iter().all(|it| it.is(Fate::Added))));
        assert_eq!(borders(&Difference::of(&old, &old, |_| None)), [(1..4, 0), (3..4, 1)]);
    }
}
