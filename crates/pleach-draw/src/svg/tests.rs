//! Pictures: their content, and that nothing overlaps.

mod overlaps;

use super::*;
use crate::sample;

#[test]
fn a_tree_is_a_picture() {
    let drawn = Drawing::of(&sample::tree()).svg();
    assert!(drawn.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pleach\" width=\""), "{drawn}");
    assert!(drawn.contains("aria-label=\"a &lt;guard&gt;\""), "{drawn}");
    assert!(drawn.contains(">health &lt; 0.3</text>"), "{drawn}");
    assert!(drawn.contains("run &amp; hide"), "{drawn}");
    assert!(drawn.contains("id: &lt;root&gt;"), "{drawn}");
    assert!(drawn.contains(">BOTH</text>"), "{drawn}");
    assert!(drawn.ends_with("</svg>\n"));
    let nodes = sample::tree().len();
    assert_eq!(drawn.matches("class=\"card\"").count(), nodes);
    assert_eq!(drawn.matches("class=\"wire\"").count(), nodes - 1);
    for (open, close) in [("<g ", "</g>"), ("<text ", "</text>"), ("<title>", "</title>")] {
        assert_eq!(drawn.matches(open).count(), drawn.matches(close).count());
    }
    assert!(!drawn.contains("NaN") && !drawn.contains("inf"));
}

#[test]
fn instances_have_borders() {
    for direction in [Direction::Down, Direction::Right, Direction::Outline] {
        let drawn = Drawing::of(&sample::instances()).direction(direction).svg();
        assert_eq!(drawn.matches("class=\"instance\"").count(), 2);
        assert!(drawn.contains(">fight: parts/fight.ron</text>"), "{drawn}");
    }
}

#[test]
fn a_node_that_reads_what_the_game_writes_says_so() {
    let texts = |drawn: &str| drawn.matches(">game writes health</text>").count();
    assert_eq!(texts(&Drawing::of(&sample::written()).svg()), 1);
    assert_eq!(texts(&Drawing::of(&sample::tree()).svg()), 0);
}

#[test]
fn an_agent_shows() {
    let mut run = sample::Run::new();
    run.tick();
    let drawn = run.with(|it| it.svg());
    assert_eq!(drawn.matches("class=\"wire on\"").count(), 1);
    assert_eq!(drawn.matches(" on top\"").count(), 1);
    assert!(drawn.contains(">watched, was failure</text>"), "{drawn}");
}

#[test]
fn boxes_stand_where_the_cards_of_the_picture_do() {
    for direction in [Direction::Down, Direction::Right, Direction::Outline] {
        let tree = sample::instances();
        let drawing = Drawing::of(&tree).direction(direction);
        let boxes = drawing.boxes();
        assert_eq!(boxes.nodes.len(), tree.len());
        let drawn = drawing.svg();
        for it in &boxes.nodes {
            assert!(it.x + it.width <= boxes.width && it.y + it.height <= boxes.height, "{it:?} of {boxes:?}");
            assert!(drawn.contains(&format!("translate({} {})", Px(it.x), Px(it.y))), "{it:?}: {drawn}");
        }
    }
}

#[test]
fn places_are_short() {
    assert_eq!(format!("{} {} {}", Px(1.04), Px(-0.04), Px(2.96)), "1 0 3");
}
