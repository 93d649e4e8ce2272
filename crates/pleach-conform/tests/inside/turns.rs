//! The oracle's turns, by example.

use pleach_conform::oracle::turns::{CHUNK, TreeNumber, Turn, Turns};

/// This many agents of one tree, counted from 1.
fn chunk(agents: usize) -> Turns<usize> {
    let mut turns = Turns::default();
    let tree = turns.tree();
    (1..=agents).for_each(|it| turns.spawn(tree, it));
    turns
}

/// The agents that have a turn in the next frame. All of them are ticked.
fn frame(turns: &mut Turns<usize>, budget: Option<u64>) -> Vec<usize> {
    let mut had = Vec::new();
    turns.frame(budget, |it| {
        had.push(it);
        Turn::Ticked
    });
    had
}

#[test]
fn a_rate_and_a_place_say_when_an_agent_is_due() {
    let mut turns = chunk(4);
    (1..=4).for_each(|it| turns.set_rate(it, 3));
    turns.set_rate(3, 0);
    let had: Vec<_> = (0..4).map(|_| frame(&mut turns, None)).collect();
    assert_eq!(had, [vec![2], vec![], vec![1, 4], vec![2]]);
}

#[test]
fn a_due_agent_stays_due_at_another_rate_and_at_another_place() {
    let mut turns = chunk(4);
    assert!(frame(&mut turns, Some(0)).is_empty());
    turns.set_rate(2, 0);
    (2..=4).for_each(|it| turns.set_rate(it, 255));
    turns.despawn(1);
    // The fourth is at the first place now; the second was never to be ticked for a moment.
    assert_eq!(frame(&mut turns, None), [4, 3]);
    assert!(frame(&mut turns, None).is_empty());
}

#[test]
fn a_new_agent_stands_at_the_end_of_the_first_row_with_room() {
    let mut turns = chunk(2 * CHUNK);
    turns.despawn(7);
    turns.spawn(TreeNumber(0), 9_000);
    turns.spawn(TreeNumber(0), 9_001);
    let places = |it: &Turns<usize>| it.trees[0].iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(places(&turns), [CHUNK, CHUNK, 1]);
    assert_eq!((turns.trees[0][0][6].agent, turns.trees[0][0][CHUNK - 1].agent), (CHUNK, 9_000));
    assert_eq!(turns.trees[0][2][0].agent, 9_001);
}

#[test]
fn a_budget_begins_behind_the_last_agent() {
    let mut turns = chunk(5);
    assert_eq!(frame(&mut turns, Some(2)), [1, 2]);
    assert_eq!(frame(&mut turns, None), [1, 2, 3, 4, 5]);
    assert_eq!(frame(&mut turns, Some(2)), [3, 4]);
    assert_eq!(frame(&mut turns, Some(9)), [5, 1, 2, 3, 4]);
    assert_eq!(frame(&mut turns, Some(2)), [5, 1]);
}

#[test]
fn an_agent_that_is_not_ticked_costs_nothing() {
    let mut turns = chunk(5);
    let mut had = Vec::new();
    turns.frame(Some(2), |it| {
        had.push(it);
        if it == 2 { Turn::Free } else { Turn::Ticked }
    });
    assert_eq!(had, [1, 2, 3]);
    assert_eq!(frame(&mut turns, Some(1)), [4]);
}

#[test]
fn those_behind_a_panic_stay_due_and_the_next_budget_begins_with_them() {
    let mut turns = chunk(4);
    (1..=4).for_each(|it| turns.set_rate(it, 4));
    let at_two = |it| if it == 2 { Turn::Panicked } else { Turn::Ticked };
    turns.frame(Some(0), at_two);
    turns.frame(None, at_two);
    assert_eq!(frame(&mut turns, Some(9)), [3, 4]);
    assert_eq!(frame(&mut turns, None), [1]);
}
