//! [`Warnings`]: warnings about nodes that one file or template may put into several places.

use std::collections::{HashMap, HashSet};

use pleach_core::{Host, NodeId, Tree};

use super::Written;
use super::flow::Flow;
use crate::build::files::Files;
use crate::build::place::{Origin, Place};
use crate::code::Code;
use crate::finding::{FileAt, Finding};

/// A warning about one node of a tree.
pub(super) struct Warning {
    pub(super) node: NodeId,
    pub(super) finding: Finding,
}

/// The warnings found in several trees.
///
/// A node of a file has a *copy* wherever the file or the template is included. A warning is about
/// one node, and counts only if every copy of that node has it. A copy that is never reached does
/// not matter; nor, for a missing abort type, does one whose condition is a constant.
#[derive(Default)]
pub(in crate::build) struct Warnings {
    found: Vec<(About, Finding)>,
    /// How many copies can run.
    copies: HashMap<Spot, usize>,
    /// How many of them do not count for a code.
    uncounted: HashMap<(Code, Spot), usize>,
}

/// What a node is in its file.
type Spot = (FileAt, Option<u32>);

/// What a warning is about: its code, its node, and the span that is shown. Two warnings with the
/// same code and place are the same, even if worded differently: the words may name their
/// surroundings.
type About = (Code, Spot, (u32, u32));

impl Warnings {
    /// Adds all warnings about the nodes of a tree. If it is not known which of its leaves are
    /// conditions, there are none, and that overrules what other trees say of its files.
    pub(in crate::build) fn add<H: Host>(
        &mut self,
        files: &Files<'_>,
        tree: &Tree<H>,
        places: &[Origin<'_>],
        is_sure: bool,
    ) {
        let written = Written { files, tree, places };
        let flow = Flow::of(&written);
        for node in tree.nodes().filter(|it| flow.is_reachable(*it)) {
            if let Some(spot) = written.origin(node).map(spot) {
                *self.copies.entry(spot).or_default() += 1;
            }
        }
        if !is_sure {
            return;
        }
        let spot = |node| tree.node(node).and_then(|it| written.origin(it)).map(spot);
        let (warnings, uncounted) = super::warnings(&written, &flow);
        for Warning { node, finding } in warnings {
            let span = (finding.span.start, finding.span.end);
            self.found.extend(spot(node).map(|it| ((finding.code, it, span), finding)));
        }
        for (code, node) in uncounted {
            if let Some(spot) = spot(node) {
                *self.uncounted.entry((code, spot)).or_default() += 1;
            }
        }
    }

    /// The warnings on which all copies agree, each once. Leaves out standard
    /// templates, which users cannot edit.
    pub(in crate::build) fn agreed(self, files: &Files<'_>) -> Vec<Finding> {
        let mut counts: HashMap<_, usize> = HashMap::new();
        for (about, _) in &self.found {
            *counts.entry(*about).or_default() += 1;
        }
        let mut told = HashSet::new();
        let agreed = self.found.into_iter().filter(|(about, _)| {
            let &(code, spot, _) = about;
            let uncounted = self.uncounted.get(&(code, spot)).unwrap_or(&0);
            self.copies.get(&spot) == Some(&(counts[about] + uncounted)) && told.insert(*about)
        });
        let own = agreed.filter(|((_, spot, _), it)| {
            !files.is_standard(spot.0) && !it.file.is_some_and(|it| files.is_standard(it))
        });
        own.map(|it| it.1).collect()
    }
}

/// No two nodes begin at one place. The selector over interrupts and root begins at none.
fn spot(origin: &Origin<'_>) -> Spot {
    let start = match origin.place {
        Place::Node(it) | Place::Include(it, _) => Some(it.kind.span.start),
        Place::Interrupt(it) => Some(it.when.span.start),
        Place::Whole => None,
    };
    (origin.file, start)
}
