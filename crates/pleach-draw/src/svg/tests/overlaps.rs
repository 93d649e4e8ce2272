//! Boxes, labels and wires of random trees, measured: nothing overlaps, and what has to fit a page
//! does.

use pleach_core::nodes::{Abort, Case, Instance, Node, NodeList};
use pleach_core::nodes::{
    action, check, finally, idle, log, random_selector, selector, sequence, switch, timeout, utility_selector, wait,
};
use pleach_core::{NodeId, Status, Tree};

use super::super::{PAGE_WIDTH, placed};
use crate::sample::Game;
use crate::svg::card::Card;
use crate::svg::scene::{Rect, Scene};
use crate::{Difference, Direction, Drawing, NodeChange};

const NODES: usize = 100;

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    /// Some words, now and then a long one.
    fn words(&mut self, most: usize) -> String {
        const WORDS: [&str; 8] = [
            "a",
            "target:",
            "\"enemy\",",
            "4.0",
            "<&>",
            "木の葉",
            "game/trees/parts/of/a/very/long/path/without/spaces.ron",
            "x1",
        ];
        let count = 1 + self.roll(most);
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.roll(WORDS.len())]).collect();
        words.join(" ")
    }
}

/// Adds a node, with some of the remaining nodes below it.
fn grow(list: &mut NodeList<Game>, dice: &mut Dice, left: &mut usize, depth: usize) {
    *left -= 1;
    let most = if depth > 60 { 0 } else { (*left).min(6) };
    let mut children = if dice.roll(3) == 0 && *left < 60 { 0 } else { dice.roll(most + 1) };
    for made in 0..children {
        if *left == 0 {
            children = made;
            break;
        }
        grow(list, dice, left, depth + 1);
    }
    let below = || (0..children).map(|_| idle::<Game>());
    let mut node: Node<Game> = match (children, dice.roll(6)) {
        (0, 0) => log(&dice.words(30)),
        (0, 1) => check(&format!("k > {}", ["1", "2 && k < 1000 || k == 12345"][dice.roll(2)])),
        (0, _) => wait(2.0),
        (1, 0) => timeout(1.5, idle()),
        (_, 1) => utility_selector(below().map(|it| (["k", "clamp(k, 0, 1) + min(k, 1) * 100"][dice.roll(2)], it))),
        (_, 2) => random_selector(below()).weights((0..children).map(|it| it as f64 + 0.5)),
        (_, 3) => switch("k", (0_i64..).zip(below()).map(|(at, it)| (Case::Int(at), it))),
        (1, 4) => finally([], idle()),
        (_, 5) => selector(below()),
        _ => sequence(below()),
    };
    if children > 0 && node.detail().is_empty() && dice.roll(4) == 0 {
        node = node.with_id(format!("id{}", dice.0));
    }
    if children > 1 && dice.roll(3) == 0 {
        let look = action(|_| Status::Success).described(dice.words(6));
        node = node.aborts(Abort::BOTH).with_service(0.5, look);
    }
    if dice.roll(3) == 0 {
        node = node.named(dice.words(4));
    }
    list.push(node, children);
    for _ in 0..dice.roll(12).saturating_sub(8) {
        let name = dice.words(3);
        let file = (dice.roll(2) == 0).then(|| dice.words(3));
        list.instance(Instance { file, sees_file: true, ..Instance::named(format!("{name}{left}")) });
    }
}

fn random_tree(seed: u64) -> Tree<Game> {
    let mut dice = Dice(seed);
    let mut left = 1 + dice.roll(NODES).min(dice.roll(NODES));
    let mut list = NodeList::default();
    grow(&mut list, &mut dice, &mut left, 1);
    let mut builder = Tree::builder("random");
    builder.key("k", 0_i64);
    builder.build(list.into_node().unwrap()).unwrap_or_else(|it| panic!("{seed}: {it}"))
}

/// Whether two boxes share more than an edge.
fn overlap(one: Rect, other: Rect) -> bool {
    const NEAR: f64 = 0.01;
    one.x < other.right() - NEAR
        && other.x < one.right() - NEAR
        && one.y < other.bottom() - NEAR
        && other.y < one.bottom() - NEAR
}

/// The straight parts of a wire, a little thinner than drawn.
fn segments(corners: &[(f64, f64)]) -> Vec<Rect> {
    let segment = |it: &[(f64, f64)]| {
        let (from, to) = (it[0], it[1]);
        assert!((from.0 - to.0).abs() < 0.01 || (from.1 - to.1).abs() < 0.01, "wires go straight: {it:?}");
        let (x, y) = (from.0.min(to.0), from.1.min(to.1));
        Rect { x: x - 0.1, y: y - 0.1, width: (from.0 - to.0).abs() + 0.2, height: (from.1 - to.1).abs() + 0.2 }
    };
    corners.windows(2).map(segment).collect()
}

/// The bounding box of some boxes.
fn around(parts: &[Rect]) -> Rect {
    parts.iter().skip(1).fold(parts[0], |all, it| {
        let (x, y) = (all.x.min(it.x), all.y.min(it.y));
        Rect { x, y, width: all.right().max(it.right()) - x, height: all.bottom().max(it.bottom()) - y }
    })
}

fn is_in(inner: Rect, outer: Rect) -> bool {
    const NEAR: f64 = 0.01;
    inner.x >= outer.x - NEAR
        && inner.y >= outer.y - NEAR
        && inner.right() <= outer.right() + NEAR
        && inner.bottom() <= outer.bottom() + NEAR
}

/// Texts are in their card, and do not overlap.
fn assert_texts(card: &Card) {
    for (at, run) in card.runs.iter().enumerate() {
        assert!(34.0 + run.x + run.width <= card.width - 11.9, "{run:?} in a card of {}", card.width);
        let same = card.runs[at + 1..].iter().find(|it| it.line == run.line);
        assert!(same.is_none_or(|it| it.x >= run.x + run.width), "{run:?} {same:?}");
    }
}

fn assert_tidy(what: &str, drawing: &Drawing<'_>, (cards, scene): &(Vec<Card>, Scene)) {
    cards.iter().for_each(assert_texts);
    let (width, height) = scene.size();
    let whole = Rect { x: 0.0, y: 0.0, width, height };
    // Boxes that must not overlap, each with its node.
    let of_cards = scene.cards.iter().enumerate().map(|it| ("card", it.0, *it.1));
    let tab = |it: (usize, &Option<crate::svg::scene::Tab>)| Some(("tab", it.0, it.1.as_ref()?.rect));
    let tabs = scene.tabs.iter().enumerate().filter_map(tab);
    let labels = scene.frames.iter().zip(&drawing.borders).map(|(it, border)| ("label", border.marks.start, it.label));
    let boxes: Vec<(&str, usize, Rect)> = of_cards.chain(tabs).chain(labels).collect();
    for (at, one) in boxes.iter().enumerate() {
        assert!(is_in(one.2, whole), "{what}: {one:?} is outside");
        let other = boxes[at + 1..].iter().find(|it| overlap(one.2, it.2));
        assert!(other.is_none(), "{what}: {one:?} and {other:?}");
    }
    let wires: Vec<(usize, usize, Vec<Rect>)> = scene
        .wires
        .iter()
        .map(|it| (drawing.marks[it.child].parent.unwrap(), it.child, segments(&it.corners)))
        .collect();
    let roots = drawing.marks.iter().filter(|it| it.parent.is_none()).count();
    assert_eq!(wires.len() + roots, scene.cards.len());
    for (at, (parent, child, parts)) in wires.iter().enumerate() {
        let bounds = around(parts);
        for (kind, node, it) in boxes.iter().filter(|it| overlap(it.2, bounds)) {
            // It touches the edges of its ends.
            let is_end = *kind != "label" && (node == parent || node == child);
            let room = if is_end { 0.2 } else { 0.0 };
            let it =
                Rect { x: it.x + room, y: it.y + room, width: it.width - 2.0 * room, height: it.height - 2.0 * room };
            assert!(!parts.iter().any(|part| overlap(*part, it)), "{what}: the wire to {child} and a {kind} of {node}");
        }
        for (other, to, theirs) in wires[at + 1..].iter().filter(|it| it.0 != *parent && overlap(around(&it.2), bounds))
        {
            let crossed = parts.iter().any(|it| theirs.iter().any(|other| overlap(*it, *other)));
            assert!(!crossed, "{what}: wires {parent} to {child} and {other} to {to}");
        }
    }
    for (at, (frame, border)) in scene.frames.iter().zip(&drawing.borders).enumerate() {
        let rect = frame.rect;
        assert!(is_in(frame.label, rect) && is_in(rect, whole), "{what}: label or frame {at}");
        for (kind, node, it) in boxes.iter().filter(|it| it.0 != "label") {
            match border.marks.contains(node) {
                true => assert!(is_in(*it, rect), "{what}: {kind} of {node} leaves frame {at}"),
                false => assert!(!overlap(*it, rect), "{what}: {kind} of {node} and frame {at}"),
            }
        }
        for (other, theirs) in scene.frames.iter().zip(&drawing.borders).skip(at + 1) {
            let (inner, apart) = (is_in(other.rect, rect), !overlap(other.rect, rect));
            let is_inner = border.marks.contains(&theirs.marks.start);
            assert!(if is_inner { inner } else { apart }, "{what}: frames {at} and {}", theirs.name);
        }
        for (parent, child, parts) in &wires {
            let is_inside = (border.marks.contains(parent), border.marks.contains(child));
            let fine = match is_inside {
                (true, true) => parts.iter().all(|it| is_in(*it, rect)),
                (false, false) => parts.iter().all(|it| !overlap(*it, rect)),
                // It leads to the root of the instance.
                _ => *child == border.marks.start,
            };
            assert!(fine, "{what}: the wire from {parent} to {child} and frame {at}");
        }
    }
}

#[test]
fn nothing_overlaps_in_random_trees() {
    let mut outlines = 0;
    for seed in 0..1_000 {
        let tree = random_tree(seed);
        for direction in [Direction::Down, Direction::Right, Direction::Outline] {
            let drawing = Drawing::of(&tree).direction(direction);
            let scene = placed(&drawing);
            assert_tidy(&format!("{direction:?} of {seed}"), &drawing, &scene);
            if direction == Direction::Outline {
                assert!(scene.1.size().0 <= PAGE_WIDTH + 0.01, "{seed}: {:?}", scene.1.size());
            }
        }
        let drawing = Drawing::of(&tree);
        assert!(placed(&drawing).1.size().0 <= PAGE_WIDTH + 0.01, "{seed}");
        outlines += usize::from(drawing.svg() == Drawing::of(&tree).direction(Direction::Outline).svg());
    }
    assert!((200..900).contains(&outlines), "large trees are outlines, small ones are not: {outlines}");
}

#[test]
fn nothing_overlaps_in_pictures_of_random_changes() {
    let mut removed = 0;
    for seed in 0..300 {
        let (old, new) = (random_tree(seed), random_tree(seed + 1 - seed % 2));
        let lines =
            vec!["seconds: 1.0 -> 2.0".to_owned(), "to: \"a\" -> \"a very long text of many words\"".to_owned()];
        let change = |node: NodeId| {
            node.index()
                .is_multiple_of(3)
                .then(|| NodeChange { moved: node.index().is_multiple_of(2), lines: lines.clone() })
        };
        for (old, new) in [(&old, &new), (&new, &old), (&old, &old)] {
            let Difference(drawing) = Difference::of(old, new, change);
            let scene = placed(&drawing);
            assert_tidy(&format!("difference {seed}"), &drawing, &scene);
            removed += drawing.marks.iter().filter(|it| it.is(crate::fate::Fate::Removed)).count();
            assert!(scene.1.size().0 <= PAGE_WIDTH + 0.01, "{seed}");
        }
    }
    assert!(removed > 1_000, "{removed}");
}

/// A chain is as deep as a tree can be with that many nodes, with nearly the most nested instances.
#[test]
fn a_chain_fits_a_page() {
    let mut list = NodeList::<Game>::default();
    list.push(log(&"x".repeat(500)), 0);
    for at in 1..NODES {
        list.push(timeout(1.0, idle()).named(format!("{at}")), 1);
        // Two of some nodes.
        let frames = [usize::from(at % 2 == 0), 2][usize::from(at > 90)];
        (0..frames).for_each(|it| list.instance(Instance::named(format!("part {at} {it}"))));
    }
    let tree = Tree::builder("chain").build(list.into_node().unwrap()).unwrap();
    for direction in [Direction::Outline, Direction::Fit] {
        let drawing = Drawing::of(&tree).direction(direction);
        let scene = placed(&drawing);
        assert_tidy("a chain", &drawing, &scene);
        assert!(scene.1.size().0 <= PAGE_WIDTH + 0.01);
    }
}
