//! S6: the nodes of [`source`] read by serde into plain types, without making a tree: the cost of
//! reading alone.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::source;
use crate::crowd::Wrong;
use crate::racer::{Racer, Task};
use crate::stopwatch::timed;
use crate::workload::Workload;

/// A whole file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename = "Tree")]
pub struct Plain {
    version: u32,
    name: String,
    blackboard: BTreeMap<String, PlainKey>,
    root: PlainNode,
}

#[derive(Debug, Serialize, Deserialize)]
enum PlainKey {
    Float(f32),
    Int(i64),
    Vec2(f32, f32),
}

#[derive(Debug, Default, Serialize, Deserialize)]
enum PlainAbort {
    #[default]
    None,
    LowerPriority,
}

#[derive(Debug, Serialize, Deserialize)]
enum PlainNode {
    Selector {
        #[serde(default)]
        abort: PlainAbort,
        children: Vec<PlainNode>,
    },
    Sequence {
        #[serde(default)]
        abort: PlainAbort,
        #[serde(default)]
        name: String,
        children: Vec<PlainNode>,
    },
    Check(String),
    MoveTo {
        target: String,
        speed: f32,
        within: f32,
    },
    Wait(f32),
    Patrol {
        speed: f32,
        pause: f32,
    },
}

impl PlainNode {
    /// The number of nodes, with everything below it.
    fn count(&self) -> usize {
        match self {
            PlainNode::Selector { children, .. } | PlainNode::Sequence { children, .. } => {
                1 + children.iter().map(PlainNode::count).sum::<usize>()
            }
            PlainNode::Check(_) | PlainNode::MoveTo { .. } | PlainNode::Wait(_) | PlainNode::Patrol { .. } => 1,
        }
    }
}

/// A format, and what reads it.
pub trait Format: 'static {
    /// The name under which results are reported.
    const NAME: &'static str;

    /// The nodes of the asset, written in this format.
    fn source(asset: String) -> String;

    /// Reads them.
    fn read(source: &str) -> Plain;
}

/// The text of the asset itself.
#[derive(Debug)]
pub struct PlainRon;
/// The same nodes as JSON.
#[derive(Debug)]
pub struct PlainJson;

const OURS: &str = "the text is our own";

impl Format for PlainRon {
    const NAME: &'static str = "ron";

    fn source(asset: String) -> String {
        asset
    }

    fn read(source: &str) -> Plain {
        ron::from_str(source).expect(OURS)
    }
}

impl Format for PlainJson {
    const NAME: &'static str = "serde_json";

    fn source(asset: String) -> String {
        serde_json::to_string(&PlainRon::read(&asset)).expect(OURS)
    }

    fn read(source: &str) -> Plain {
        serde_json::from_str(source).expect(OURS)
    }
}

/// Reads one text, again and again; keeps the last nodes.
pub struct PlainLoad<F> {
    source: String,
    plain: Plain,
    format: PhantomData<F>,
}

impl<F> fmt::Debug for PlainLoad<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlainLoad").field("nodes", &self.plain.root.count()).finish_non_exhaustive()
    }
}

impl<F: Format> Task for PlainLoad<F> {
    const NAME: &'static str = F::NAME;
    const WORKLOAD: Workload = Workload::Load;

    fn new(size: u32) -> Self {
        let source = F::source(source(size));
        let plain = F::read(&source);
        Self { source, plain, format: PhantomData }
    }

    fn check() -> Result<(), Wrong> {
        for &size in Self::WORKLOAD.sizes() {
            let nodes = Self::new(size).plain.root.count();
            if nodes != size as usize {
                let what = format!("it reads {nodes} nodes instead of {size}");
                return Err(Wrong { name: Self::NAME, scene: Self::WORKLOAD.to_string(), what });
            }
        }
        Ok(())
    }
}

impl<F: Format> Racer for PlainLoad<F> {
    fn play(&mut self, times: u32) -> Duration {
        let mut took = Duration::ZERO;
        for _ in 0..times {
            let (plain, time) = timed(|| F::read(&self.source));
            took += time;
            self.plain = plain;
        }
        took
    }
}
