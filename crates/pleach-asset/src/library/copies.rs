//! Files as they are read during one call, each once, and what is known of them from calls before.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::finding::Finding;
use crate::source::{Source, SourceError, Stamp};
use crate::{Asset, path};

/// The bytes that a file has, by their mark, or why it cannot be read.
pub(super) type Content = Result<Stamp, SourceError>;

/// What is known of files that were looked at in calls before.
#[derive(Debug, Default)]
pub(super) struct Known(HashMap<String, KnownFile>);

#[derive(Debug)]
struct KnownFile {
    stamp: Content,
    content: Content,
    /// Whether the content can be told from the stamp. A file that changes twice within what its
    /// source can tell apart, a tick of the clock of a disk, has the stamp of the first change. So
    /// one that has changed is read once more in the next call.
    settled: bool,
}

impl Known {
    /// Forgets all other files.
    pub(super) fn retain(&mut self, names: &HashSet<&str>) {
        self.0.retain(|name, _| names.contains(&**name));
    }
}

/// A file as it was read.
pub(super) struct ReadFile {
    pub(super) name: String,
    pub(super) asset: Asset,
    /// Why it says nothing.
    pub(super) wrong: Option<Finding>,
}

impl ReadFile {
    /// Its name, and those of the files whose templates it can use: any of them may come to hide
    /// one of another.
    pub(super) fn with_lenders(&self) -> Vec<String> {
        let lenders = self.asset.values.lenders().filter_map(|it| path::resolve(&self.name, it).ok());
        [self.name.clone()].into_iter().chain(lenders.map(Cow::into_owned)).collect()
    }
}

/// Files as they are during one call.
pub(super) struct Copies<'l, S> {
    source: &'l S,
    /// Missing if nothing is to be remembered.
    known: Option<&'l mut Known>,
    contents: HashMap<String, Content>,
    read: HashMap<String, Result<Arc<ReadFile>, SourceError>>,
}

impl<'l, S: Source> Copies<'l, S> {
    pub(super) fn new(source: &'l S, known: Option<&'l mut Known>) -> Self {
        Copies { source, known, contents: HashMap::new(), read: HashMap::new() }
    }

    pub(super) fn source(&self) -> &'l S {
        self.source
    }

    /// What a file says.
    pub(super) fn get(&mut self, name: &str) -> Result<Arc<ReadFile>, SourceError> {
        if let Some(it) = self.read.get(name) {
            return it.clone();
        }
        // The stamp comes first: if the file changes in between, its next stamp is another one.
        let stamp = self.known.is_some().then(|| self.source.stamp(name));
        self.fetch(name, stamp)
    }

    /// Which bytes a file has. It is read if that cannot be known without.
    pub(super) fn content(&mut self, name: &str) -> Content {
        if let Some(it) = self.contents.get(name) {
            return it.clone();
        }
        let stamp = self.source.stamp(name);
        let known = self.known.as_ref().and_then(|it| it.0.get(name));
        if let Some(known) = known.filter(|it| it.settled && it.stamp == stamp) {
            let content = known.content.clone();
            self.contents.insert(name.to_owned(), content.clone());
            return content;
        }
        // What is wrong with the file stands in its content as well.
        let _ = self.fetch(name, Some(stamp));
        self.contents.get(name).cloned().unwrap_or(Err(SourceError::Missing))
    }

    fn fetch(&mut self, name: &str, stamp: Option<Content>) -> Result<Arc<ReadFile>, SourceError> {
        let bytes = self.source.read(name);
        if let (Some(known), Some(stamp)) = (&mut self.known, stamp) {
            let content = bytes.as_ref().map(|it| Stamp::of(&**it)).map_err(SourceError::clone);
            let same = known.0.get(name).is_some_and(|it| it.stamp == stamp && it.content == content);
            let settled = same || stamp == content;
            known.0.insert(name.to_owned(), KnownFile { stamp, content: content.clone(), settled });
            self.contents.insert(name.to_owned(), content);
        }
        let read = bytes.map(|bytes| {
            let (asset, wrong) = Asset::read_bytes(&self.source.shown(name), &bytes);
            Arc::new(ReadFile { name: name.to_owned(), asset, wrong })
        });
        self.read.insert(name.to_owned(), read.clone());
        read
    }
}
