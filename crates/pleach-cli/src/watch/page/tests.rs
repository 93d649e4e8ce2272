//! Tests of what the live view shows.

use pleach::nodes::{
    Node, check, cooldown, idle, random_selector, selector, sequence, timeout, utility_selector, wait,
};
use pleach::{Forest, Host, Tree};
use pleach_view::living;

use super::*;
use crate::paint::fitted;

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}

fn line(text: &str) -> Parts {
    vec![(Style::new(), text.to_string())]
}

fn page(news: usize) -> Page {
    let numbered = |what: &str, count| (0..count).map(|it| line(&format!("{what} {it}"))).collect();
    let tree = TreeLines { lines: numbered("node", 10), top: 9 };
    let (heading, doing) = (line("heading"), line("doing"));
    Page { heading, news: numbered("news", news), doing, tree, is_folded: false, facts: numbered("fact", 10) }
}

fn text(shown: &Shown, columns: usize) -> Vec<String> {
    shown.lines.iter().chain([&shown.help]).map(|it| fitted(it, columns, true)).collect()
}

/// The lines above the help.
fn lines(columns: usize, rows: usize) -> Vec<String> {
    let mut lines = text(&page(0).shown(Look::default(), columns, rows + 1), 99);
    lines.pop();
    lines
}

#[test]
fn a_large_terminal_shows_all_with_space_between() {
    let lines = lines(80, 30);
    assert_eq!(lines.len(), 23);
    assert_eq!([&lines[0], &lines[1], &lines[2], &lines[12], &lines[22]], ["heading", "", "node 0", "", "fact 9"]);
}

#[test]
fn news_stand_below_the_heading_in_a_quarter_of_the_rows() {
    for (rows, expected) in [(40, 5), (16, 4), (4, 1), (3, 0)] {
        let lines = text(&page(5).shown(Look::default(), 80, rows + 1), 99);
        let below = lines.iter().skip_while(|it| *it != "heading").skip(1);
        assert_eq!(below.take_while(|it| it.starts_with("news")).count(), expected, "{lines:?}");
        assert_eq!(lines.iter().filter(|it| it.starts_with("news")).count(), expected, "{lines:?}");
        assert!(lines.len() <= rows + 1);
    }
}

#[test]
fn a_small_one_shows_the_leaf_first_and_the_blackboard_last() {
    assert_eq!(lines(20, 4), ["doing", "heading", "node 8", "node 9"]);
    assert_eq!(lines(80, 14)[..3], ["heading", "node 0", "node 1"]);
    assert_eq!(lines(80, 14)[11..], ["fact 0", "fact 1", "…"]);
    let short = lines(80, 12);
    assert_eq!([&short[..3], &short[8..]].concat(), ["doing", "heading", "node 3", "node 9", "fact 0", "fact 1", "…"]);
    assert_eq!(lines(20, 1), ["doing"]);
    assert_eq!(lines(20, 0), [""; 0]);
}

/// The first and the last of the scrolling lines, after these moves.
fn scrolled(rows: usize, moves: &[Move]) -> (String, String) {
    let mut look = Look::default();
    for it in moves {
        let shown = page(0).shown(look, 80, rows);
        look.go(*it, &shown);
    }
    let lines = text(&page(0).shown(look, 80, rows), 80);
    (lines[2].clone(), lines[lines.len() - 2].clone())
}

#[test]
fn two_rows_scroll_line_by_line() {
    let mut look = Look::default();
    let mut after = |it: Move, rows: usize| {
        let shown = page(0).shown(look, 20, rows);
        look.go(it, &shown);
        text(&page(0).shown(look, 20, rows), 20).join(", ")
    };
    assert_eq!(after(Move::Begin, 2), "node 0, 1/21 Enter");
    assert_eq!(after(Move::Lines(1), 2), "node 1, 2/21 Enter");
    assert_eq!(after(Move::End, 2), "fact 9, 21/21 Enter");
    assert_eq!(after(Move::Pages(-1), 2), "fact 8, 20/21 Enter");
    assert_eq!(after(Move::Lines(-1), 1), "19/21 Enter");
}

#[test]
fn tree_and_facts_scroll_together() {
    let of = |rows, moves: &[Move]| {
        let (first, last) = scrolled(rows, moves);
        format!("{first}, {last}")
    };
    // Two lines stay, and one is help.
    assert_eq!(of(8, &[]), "node 5, node 9");
    assert_eq!(of(8, &[Move::Lines(1)]), "node 6, ");
    assert_eq!(of(8, &[Move::Lines(-1)]), "node 4, node 8");
    assert_eq!(of(8, &[Move::Pages(1)]), "node 9, fact 2");
    assert_eq!(of(8, &[Move::Pages(-1)]), "node 1, node 5");
    assert_eq!(of(8, &[Move::Begin, Move::Lines(-1)]), "node 0, node 4");
    assert_eq!(of(8, &[Move::End, Move::Lines(1), Move::Pages(9)]), "fact 5, fact 9");
    assert_eq!(of(8, &[Move::Begin, Move::Follow]), "node 5, node 9");
    assert_eq!(of(4, &[Move::End, Move::Pages(-1)]), "fact 8, fact 8");
}

#[test]
fn what_fits_does_not_scroll() {
    for it in [Move::Begin, Move::End, Move::Lines(3), Move::Pages(-1)] {
        let mut look = Look::default();
        let shown = page(0).shown(look, 80, 30);
        look.go(it, &shown);
        assert_eq!(look, Look::default(), "{it:?}");
    }
    // A view that was scrolled scrolls back if everything fits.
    let mut look = Look::default();
    look.go(Move::End, &page(0).shown(look, 80, 8));
    assert_eq!(text(&page(0).shown(look, 80, 30), 80)[0], "heading");
    assert_eq!(text(&page(0).shown(look, 80, 4), 80)[2], "fact 5");
}

/// A guard that has fled, and now digs.
fn guard() -> Result<AgentView<Game>, Box<dyn std::error::Error>> {
    let flee = sequence([check("hurt"), cooldown(10.0, wait(0.5))]).named("flee");
    let dig: [Node<Game>; 2] = [wait(1.0).named("dig"), wait(3.0)];
    let work = sequence([timeout(4.0, sequence(dig)), idle()]).named("work");
    let mut builder = Tree::builder("guard");
    let hurt = builder.key("hurt", true);
    let tree = builder.build(selector([flee.aborts(pleach::nodes::Abort::LOWER_PRIORITY), work]))?;
    let mut forest = Forest::new(7);
    let guards = forest.add_tree(tree)?;
    let guard = forest.spawn(&mut (), guards)?;
    for _ in 0..3 {
        forest.tick(&mut (), 0.25)?;
    }
    forest.keys_mut(guard)?.set(hurt, false);
    for _ in 0..4 {
        forest.tick(&mut (), 0.25)?;
    }
    Ok(forest.agent(guard)?.inspect())
}

#[track_caller]
fn looks(look: Look, (columns, rows): (usize, usize), expected: &str) {
    let view = guard().unwrap();
    let heading = line("guard  agent 0  1.75 s, frame 7, asleep");
    let shown = shown(heading, &[], (&view, &living(&view, 1.75)), look, (columns, rows));
    let text = text(&shown, columns).join("\n");
    assert_eq!(text, expected.trim_start_matches('\n'), "\n{text}\n");
}

#[test]
fn all_is_shown_with_what_nodes_remember() {
    looks(
        Look::default(),
        (80, 16),
        r#"
guard  agent 0  1.75 s, frame 7, asleep

• Selector
  ├─ Sequence "flee"  aborts lower priority
  │  ├─ Check  hurt  [watched, was failure]
  │  └─ Cooldown  10 s  [left: 9.000 s]
  │     └─ Wait  0.5 s
• └─ Sequence "work"
•    ├─ Timeout  4 s  [left: 3.250 s]
•    │  └─ Sequence
▶    │     ├─ Wait "dig"  1 s  [left: 0.250 s]
     │     └─ Wait  3 s
     └─ Idle

hurt  false
space stop/go  n one frame  ←→ agent  ↑↓ scroll  f fold  +- speed  q quit"#,
    );
}

#[test]
fn a_tree_with_more_lines_than_the_screen_is_folded_around_what_runs() {
    looks(
        Look::default(),
        (80, 11),
        r#"
▶ Wait(1 s) "dig"
guard  agent 0  1.75 s, frame 7, asleep
• Selector
  ├─ Sequence "flee"  aborts lower priority  … 3 nodes below  [left of n3 Cooldo
• └─ Sequence "work"
•    ├─ Timeout  4 s  [left: 3.250 s]
•    │  └─ Sequence
▶    │     ├─ Wait "dig"  1 s  [left: 0.250 s]
     │     └─ Wait  3 s
     └─ Idle
space stop/go  n one frame  ←→ agent  ↑↓ scroll  f unfold  +- speed  q quit"#,
    );
}

#[test]
fn the_fold_is_turned_by_a_key_and_the_tree_scrolled() {
    let view = guard().unwrap();
    let mut look = Look::default();
    for it in [Move::Fold, Move::Lines(1)] {
        look.go(it, &shown(line("guard"), &[], (&view, &living(&view, 1.75)), look, (80, 8)));
    }
    looks(
        look,
        (80, 8),
        r#"
▶ Wait(1 s) "dig"
guard  agent 0  1.75 s, frame 7, asleep
•    │  └─ Sequence
▶    │     ├─ Wait "dig"  1 s  [left: 0.250 s]
     │     └─ Wait  3 s
     └─ Idle

lines 8-12 of 13  ↑↓ PgUp PgDn Home End scroll  Enter follow  q quit"#,
    );
    let mut look = Look::default();
    look.go(Move::Fold, &shown(line("guard"), &[], (&view, &living(&view, 1.75)), look, (100, 30)));
    looks(
        look,
        (100, 30),
        r#"
guard  agent 0  1.75 s, frame 7, asleep

• Selector
  ├─ Sequence "flee"  aborts lower priority  … 3 nodes below  [left of n3 Cooldown(10 s): 9.000 s]
• └─ Sequence "work"
•    ├─ Timeout  4 s  [left: 3.250 s]
•    │  └─ Sequence
▶    │     ├─ Wait "dig"  1 s  [left: 0.250 s]
     │     └─ Wait  3 s
     └─ Idle

hurt  false
space stop/go  n one frame  ←→ agent  ↑↓ scroll  f unfold  +- speed  q quit"#,
    );
}

#[test]
fn twenty_columns_and_five_lines_are_enough() {
    looks(
        Look::default(),
        (20, 5),
        r#"
▶ Wait(1 s) "dig"
guard  agent 0  1.75
•    │  └─ Sequence
▶    │     ├─ Wait "
space n ←→ ↑↓ f +- q"#,
    );
    let mut look = Look::default();
    let view = guard().unwrap();
    look.go(Move::End, &shown(line("guard"), &[], (&view, &living(&view, 1.75)), look, (20, 5)));
    looks(
        look,
        (20, 5),
        r#"
▶ Wait(1 s) "dig"
guard  agent 0  1.75

hurt  false
9-10/10 Enter"#,
    );
    looks(Look::default(), (1, 1), "s");
    looks(Look::default(), (0, 0), "");
}

#[test]
fn scores_stand_at_their_children_and_an_order_has_names() {
    let tree = |root: Node<Game>| Tree::builder("choices").build(root).unwrap();
    let shown = |root| {
        let mut forest = Forest::new(7);
        let tree = forest.add_tree(tree(root)).unwrap();
        let agent = forest.spawn(&mut (), tree).unwrap();
        forest.tick(&mut (), 0.25).unwrap();
        let view = forest.agent(agent).unwrap().inspect();
        super::super::drawing(&view, &living(&view, forest.time()), |_| true)
    };
    let scored = shown(utility_selector([("0.25", idle()), ("0.75", wait(1.0).named("rest"))]));
    let scored = anstream::adapter::strip_str(&scored).to_string();
    assert!(scored.contains("Idle  [score: 0.250]") && !scored.contains("order"), "{scored}");
    assert!(scored.contains("Wait \"rest\"  1 s  [score: 0.750]  [left: 1.000 s]"), "{scored}");
    let shuffled = shown(random_selector([wait(1.0).named("one"), wait(2.0).named("other")]));
    let shuffled = anstream::adapter::strip_str(&shuffled).to_string();
    let names = ["Wait(1 s) \"one\"", "Wait(2 s) \"other\""];
    let orders = [[names[0], names[1]], [names[1], names[0]]].map(|it| format!("[order: {}]", it.join(", ")));
    assert!(orders.iter().any(|it| shuffled.contains(it)), "{shuffled}");
}
