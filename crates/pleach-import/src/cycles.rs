//! Which trees contain each other, and how many nodes they have including contained trees.

use crate::item::{Item, Tree};

/// For each tree a number: trees with the same one contain each other, or are the same tree. And
/// for each, how many nodes it has, including those of the trees in it.
pub(crate) fn cycles(trees: &[Tree]) -> (Vec<usize>, Vec<usize>) {
    let parts: Vec<Vec<usize>> = trees.iter().map(|it| parts(&it.root)).collect();
    let mut back = vec![Vec::new(); trees.len()];
    for (from, to) in parts.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |to| (from, *to))) {
        back[to].push(from);
    }
    // Kosaraju's algorithm: in reverse finishing order, everything that leads to a tree.
    let (mut order, mut seen) = (Vec::new(), vec![false; trees.len()]);
    for start in 0..trees.len() {
        let mut open = vec![(start, false)];
        while let Some((tree, is_done)) = open.pop() {
            if is_done {
                order.push(tree);
            } else if !std::mem::replace(&mut seen[tree], true) {
                open.push((tree, true));
                open.extend(parts[tree].iter().map(|it| (*it, false)));
            }
        }
    }
    let mut sizes = vec![0_usize; trees.len()];
    // Contained trees come before a tree, unless they contain each other.
    for tree in &order {
        let inner = parts[*tree].iter().fold(0_usize, |sum, it| sum.saturating_add(sizes[*it]));
        sizes[*tree] = count(&trees[*tree].root).saturating_add(inner);
    }
    let mut numbers = vec![usize::MAX; trees.len()];
    for start in order.into_iter().rev() {
        let mut open = vec![start];
        while let Some(tree) = open.pop() {
            if numbers[tree] == usize::MAX {
                numbers[tree] = start;
                open.extend(back[tree].iter().filter(|it| numbers[**it] == usize::MAX));
            }
        }
    }
    (numbers, sizes)
}

fn count(item: &Item) -> usize {
    1 + item.children.iter().map(count).sum::<usize>()
}

/// The trees in a tree.
fn parts(item: &Item) -> Vec<usize> {
    fn push(item: &Item, all: &mut Vec<usize>) {
        all.extend(item.tree);
        item.children.iter().for_each(|it| push(it, all));
    }
    let mut all = Vec::new();
    push(item, &mut all);
    all
}
