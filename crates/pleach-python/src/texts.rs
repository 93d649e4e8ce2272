//! The texts of trees, which recordings keep so that tools can rebuild the trees.

use std::collections::BTreeMap;
use std::sync::Arc;

use pleach_asset::{Library, Manifest, Registry, Source};
use pleach_core::Tree;
use pyo3::prelude::*;

use crate::function::PyLeaves;
use crate::host::Script;

/// The name of the manifest of leaves in a recording. Tools know it by its extension.
pub(crate) const LEAVES: &str = "python.leaves";

/// The files that a tree was read from, and the manifest of its leaves.
#[derive(Default)]
pub(crate) struct Texts {
    pub(crate) files: BTreeMap<String, Arc<str>>,
}

impl Texts {
    /// For a tree that was read from one text.
    pub(crate) fn of_one(file: &str, text: &str, registry: &Registry<Script>) -> Arc<Self> {
        Texts::with([(file.to_owned(), text.into())].into(), registry)
    }

    /// For all trees that were loaded from a library. Texts equal to those in `before` are shared.
    pub(crate) fn of<S: Source>(library: &Library<S>, registry: &Registry<Script>, before: &Texts) -> Arc<Self> {
        let text = |name: &str| {
            let text = String::from_utf8(library.source().read(name).ok()?).ok()?;
            let known = before.files.get(name).filter(|it| ***it == *text);
            Some(known.cloned().unwrap_or_else(|| text.into()))
        };
        let files = library.files().into_iter().filter_map(|name| Some((name.to_owned(), text(name)?)));
        Texts::with(files.collect(), registry)
    }

    fn with(mut files: BTreeMap<String, Arc<str>>, registry: &Registry<Script>) -> Arc<Self> {
        files.insert(LEAVES.to_owned(), Manifest::of(registry).to_ron().into());
        Arc::new(Texts { files })
    }
}

/// A tree with its texts, and what keeps its leaves.
pub(crate) struct Loaded {
    pub(crate) tree: Arc<Tree<Script>>,
    pub(crate) texts: Arc<Texts>,
    pub(crate) leaves: Py<PyLeaves>,
}

impl Loaded {
    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Self {
        let Loaded { tree, texts, leaves } = self;
        Loaded { tree: Arc::clone(tree), texts: Arc::clone(texts), leaves: leaves.clone_ref(py) }
    }
}
