//! Baked trees: checked, with everything they include, as bytes that need no parser.
//!
//! The bytes hold what the core's nodes are made of, and the leaves' parameters as values, as a
//! source has them. So a baked tree goes through the same checks as one that was just read: each
//! leaf reads its parameters, and the core checks the whole. Nothing in the bytes is trusted.

mod error;
#[cfg(feature = "text")]
mod write;

use std::borrow::Cow;
use std::sync::Arc;

use pleach_core::__baked::{Archive, instance};
use pleach_core::nodes::{self, Instance, Node, NodeList};
use pleach_core::schema::NodeKeys;
use pleach_core::{Host, Tree, error::LeafError};

use crate::Registry;
use crate::finding::{Finding, Findings};
use crate::limits::MAX_PARAMETERS;
use crate::syntax::{HostCall, Values};
pub use error::BakedError;
use error::Wrong;
#[cfg(feature = "text")]
pub(crate) use write::{BakedCall, write};

/// Every baked tree begins with this.
const MAGIC: [u8; 6] = *b"pleach";

/// The version of the format that follows, up to 31. Any change to the format changes it.
const FORM: u32 = 4;

/// A leaf of the host, in the order in which the core asks for them.
#[derive(Clone, Copy, Debug, Default)]
struct BakedLeaf {
    /// Its index among the distinct calls of all leaves.
    call: u32,
    /// Whether it has to be a condition.
    is_test: bool,
}

/// The header before the nodes of a tree.
#[derive(Debug, Default)]
struct Head {
    values: Values,
    leaves: Vec<BakedLeaf>,
}

impl Head {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        self.values.archive(archive);
        archive.list(&mut self.leaves, BakedLeaf::default, |archive, it| {
            archive.number32(&mut it.call);
            archive.flag(&mut it.is_test);
        });
    }
}

/// Makes a tree from what `Library::bake` or `pleach bake` has written. `file` is its name in
/// messages; nothing is opened. The tree equals its original, except for origins.
///
/// The leaves are those of `registry`. They read their parameters as from a text, so a leaf that
/// has changed since reports what it lacks.
///
/// ```
/// # mod pleach { pub use pleach_asset::{Library, Registry, load_baked}; pub use pleach_core::{Host, Status}; }
/// use std::collections::BTreeMap;
/// use pleach::{Host, Library, Registry, Status, load_baked};
/// # struct Game;
/// # impl Host for Game { type Cx<'a> = (); }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut registry = Registry::<Game>::new();
/// registry.action_fn("Bark", |_| Status::Success)?;
/// // When the game is built:
/// let files = BTreeMap::from([("dog.ron", "Tree(version: 1, root: Sequence([Bark, Wait(2.0)]))")]);
/// let bytes = Library::new(files).bake("dog.ron", &registry)?;
/// // When it runs:
/// let tree = load_baked("dog.baked", &bytes, &registry)?;
/// assert_eq!(tree.len(), 3);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The bytes are not a baked tree, have another format version, or are broken; or its leaves are no
/// longer those of the game: then every problem, with the paths of the nodes.
pub fn load_baked<H: Host>(file: &str, bytes: &[u8], registry: &Registry<H>) -> Result<Tree<H>, BakedError> {
    read(bytes, registry).map_err(|wrong| BakedError::new(file, wrong))
}

/// Whether bytes begin like a baked tree, of any format version.
#[must_use]
pub fn is_baked(bytes: &[u8]) -> bool {
    // A version is a small number; what follows in a text or a recording is a printable character.
    bytes.strip_prefix(&MAGIC).is_some_and(|rest| rest.first().is_none_or(|it| *it < b' '))
}

fn read<H: Host>(bytes: &[u8], registry: &Registry<H>) -> Result<Tree<H>, Wrong> {
    let mut archive = Archive::reading(bytes);
    let mut magic = [0; 6];
    archive.bytes(&mut magic);
    if !is_baked(bytes) {
        return Err(Wrong::NotBaked);
    }
    let mut form = 0;
    archive.number32(&mut form);
    if form != FORM {
        return Err(Wrong::Form(form));
    }
    let mut head = Head::default();
    head.archive(&mut archive);
    let places = head.values.calls();
    if places.is_none() {
        archive.refuse();
    }
    let places = places.unwrap_or_default();
    let size = |it: &BakedLeaf| places.get(it.call as usize).map_or(0, |it| head.values.at(*it).span().size());
    if head.leaves.iter().map(size).sum::<usize>() > MAX_PARAMETERS {
        archive.refuse();
    }
    let (values, registry_of_leaves) = (Arc::new(head.values), registry.share());
    let mut leaves = head.leaves.iter().map(|it| Some((*places.get(it.call as usize)?, it.is_test)));
    let mut is_lacking = false;
    let mut leaf = || match leaves.next().flatten() {
        Some((place, is_test)) => deferred(&values, place, is_test, registry_of_leaves.share()),
        None => {
            is_lacking = true;
            nodes::idle()
        }
    };
    let (mut whole, mut list) = (Instance::named(""), NodeList::default());
    instance(&mut archive, &mut whole);
    list.archive(&mut archive, &mut leaf);
    if is_lacking || leaves.next().is_some() {
        archive.refuse();
    }
    archive.finish().map_err(|at| Wrong::Broken { at, of: bytes.len() })?;
    let root = list.into_node().ok_or(Wrong::Broken { at: bytes.len(), of: bytes.len() })?;
    registry.declared(whole, true).build(root).map_err(Wrong::Tree)
}

/// A leaf, made once the core knows the keys that it sees.
fn deferred<H: Host>(values: &Arc<Values>, place: u32, is_test: bool, registry: Registry<H>) -> Node<H> {
    let values = Arc::clone(values);
    nodes::deferred(move |keys: &NodeKeys<'_>| {
        let mut findings = Findings::default();
        let call = HostCall { value: values.at(place), without: Cow::Borrowed(&[]) };
        let leaf = registry.make(&call, is_test, keys, &mut findings);
        leaf.map(|it| call.describe(it, &mut String::new())).ok_or_else(|| LeafError::Other(in_words(findings)))
    })
}

/// The problems of a leaf with what to do about them; bytes have no places to show.
fn in_words(findings: Findings) -> String {
    let words = |it: Finding| match it.help {
        Some(help) => format!("{}: {}", it.message, help.text),
        None => it.message,
    };
    findings.into_parts().0.into_iter().map(words).collect::<Vec<_>>().join("; ")
}
