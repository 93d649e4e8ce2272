//! S6: from the text of an asset to a tree, and from its baked form.

mod plain;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::marker::PhantomData;
use std::time::Duration;

use pleach::{Library, Registry, Tree, load_baked, load_str};
use pleach_arena::Arena;

pub use plain::{PlainJson, PlainLoad, PlainRon};

use super::PLEACH;
use crate::crowd::Wrong;
use crate::racer::{Racer, Task};
use crate::stopwatch::timed;
use crate::workload::Workload;

/// Nodes of one branch of the asset, and branches of one group.
const BRANCH: u32 = 4;
const GROUP: u32 = 8;

/// An asset with this many nodes: a selector of selectors of short sequences. Every other sequence
/// watches its condition.
///
/// # Panics
/// For fewer than two nodes.
#[must_use]
pub fn source(nodes: u32) -> String {
    let mut left = nodes.checked_sub(1).filter(|&it| it > 0).expect("a selector has children");
    let mut text = String::from(
        "Tree(\n    version: 1,\n    name: \"bench\",\n    \
         blackboard: { \"health\": Float(1.0), \"enemies\": Int(0), \"place\": Vec2(0, 0) },\n    \
         root: Selector(children: [\n",
    );
    while left > 1 + BRANCH {
        let branches = ((left - 1) / BRANCH).min(GROUP);
        left -= 1 + branches * BRANCH;
        text.push_str("        Selector(abort: LowerPriority, children: [\n");
        for branch in 0..branches {
            let head =
                if branch % 2 == 0 { "abort: LowerPriority".into() } else { format!("name: \"b{left}-{branch}\"") };
            writeln!(
                text,
                "            Sequence({head}, children: [\n                \
                 Check(\"health < 0.{branch} && enemies > {left}\"),\n                \
                 MoveTo(target: \"place\", speed: {branch}.5, within: 1.0),\n                \
                 Wait(1.{branch}),\n            ]),"
            )
            .expect("a string takes all");
        }
        text.push_str("        ]),\n");
    }
    text.push_str(&"        Patrol(speed: 1.5, pause: 2.0),\n".repeat(left as usize));
    text.push_str("    ]),\n)\n");
    text
}

/// A form of assets.
pub trait Form: 'static {
    /// Its name in the race.
    const NAME: &'static str;

    /// An asset in this form.
    fn of(source: String, registry: &Registry<Arena>) -> Vec<u8>;

    /// The tree of an asset.
    fn load(asset: &[u8], registry: &Registry<Arena>) -> Tree<Arena>;
}

/// The text itself.
#[derive(Debug)]
pub enum Text {}

impl Form for Text {
    const NAME: &'static str = PLEACH;

    fn of(source: String, _: &Registry<Arena>) -> Vec<u8> {
        source.into_bytes()
    }

    fn load(asset: &[u8], registry: &Registry<Arena>) -> Tree<Arena> {
        let source = std::str::from_utf8(asset).expect("it is a text");
        load_str("bench.ron", source, registry).expect("the asset is right")
    }
}

/// The tree, baked.
#[derive(Debug)]
pub enum Baked {}

impl Form for Baked {
    const NAME: &'static str = "pleach-baked";

    fn of(source: String, registry: &Registry<Arena>) -> Vec<u8> {
        let library = Library::new(BTreeMap::from([("bench.ron", source)]));
        library.bake("bench.ron", registry).expect("the asset is right")
    }

    fn load(asset: &[u8], registry: &Registry<Arena>) -> Tree<Arena> {
        load_baked("bench.baked", asset, registry).expect("it was just baked")
    }
}

/// Loads one asset, again and again; keeps the last tree.
pub struct Load<F> {
    asset: Vec<u8>,
    registry: Registry<Arena>,
    tree: Tree<Arena>,
    form: PhantomData<F>,
}

impl<F> std::fmt::Debug for Load<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Load").field("nodes", &self.tree.len()).finish_non_exhaustive()
    }
}

impl<F: Form> Task for Load<F> {
    const NAME: &'static str = F::NAME;
    const WORKLOAD: Workload = Workload::Load;

    fn new(size: u32) -> Self {
        let registry = pleach_arena::registry();
        let asset = F::of(source(size), &registry);
        let tree = F::load(&asset, &registry);
        Self { asset, registry, tree, form: PhantomData }
    }

    fn check() -> Result<(), Wrong> {
        for &size in Self::WORKLOAD.sizes() {
            let nodes = Self::new(size).tree.len();
            if nodes != size as usize {
                let what = format!("the asset has {nodes} nodes instead of {size}");
                return Err(Wrong { name: Self::NAME, scene: Self::WORKLOAD.to_string(), what });
            }
        }
        Ok(())
    }
}

impl<F: Form> Racer for Load<F> {
    fn play(&mut self, times: u32) -> Duration {
        let mut took = Duration::ZERO;
        for _ in 0..times {
            let (tree, time) = timed(|| F::load(&self.asset, &self.registry));
            took += time;
            self.tree = tree;
        }
        took
    }
}
