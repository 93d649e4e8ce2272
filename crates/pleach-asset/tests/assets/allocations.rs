//! Loading allocates for what stays in the tree and little more, however long the asset is.

use std::fmt::Write;

use allocation_counter::measure;
use pleach_asset::load_str;

use crate::common::registry;

/// A selector over eight times `groups` sequences, of four nodes each: an expression, a leaf of the
/// host with a key and parameters, and a wait. Every other sequence watches its expression, and the
/// others have a name.
fn source(groups: usize) -> String {
    let mut text = String::from(
        "Tree(version: 1, blackboard: { \"health\": Float(1.0), \"enemies\": Int(0), \"home\": Vec3(0, 0, 0) },
        root: Selector(children: [\n",
    );
    for group in 0..groups {
        text.push_str("    Selector(abort: LowerPriority, children: [\n");
        for branch in 0..8 {
            let head = if branch % 2 == 0 { "abort: LowerPriority".into() } else { format!("name: \"b{group}\"") };
            writeln!(
                text,
                "        Sequence({head}, children: [Check(\"health < 0.{branch} && enemies > {group}\"), \
                 MoveTo(target: \"home\", speed: {branch}.5, gait: Walk), Wait(1.{branch})]),"
            )
            .expect("a string takes all");
        }
        text.push_str("    ]),\n");
    }
    text.push_str("]))\n");
    text
}

#[test]
fn ten_thousand_nodes_take_less_than_two_and_a_half_allocations_each() {
    let (source, registry) = (source(303), registry());
    let mut loaded = None;
    let counted = measure(|| loaded = Some(load_str("large.ron", &source, &registry)));
    let nodes = loaded.expect("it was loaded").expect("the asset is right").len();
    assert_eq!(nodes, 1 + 303 * (1 + 8 * 4));
    assert!(counted.count_total <= 12 * nodes as u64 / 5, "{} for {nodes} nodes", counted.count_total);
}
