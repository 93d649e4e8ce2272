//! Files as read during one call, each once, and what is known of them from earlier calls.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::finding::Finding;
use crate::source::{Source, SourceError, Stamp};
use crate::{Asset, path};

/// The stamp of a file's bytes, or why it cannot be read.
pub(super) type Content = Result<Stamp, SourceError>;

/// What is known of files from earlier calls.
#[derive(Debug, Default)]
pub(super) struct Known(HashMap<String, KnownFile>);

#[derive(Debug)]
struct KnownFile {
    stamp: Content,
    content: Content,
    /// Whether the stamp identifies the content. A file that changes twice within the resolution of
    /// its source, such as a tick of a disk's clock, keeps the stamp of the first change. So one
    /// that has changed is read once more in the next call.
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
    /// `None` if nothing is to be remembered.
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

    /// The contents of a file.
    pub(super) fn get(&mut self, name: &str) -> Result<Arc<ReadFile>, SourceError> {
        if let Some(it) = self.read.get(name) {
            return it.clone();
        }
        // The stamp comes first: if the file changes in between, its next stamp is another one.
        let stamp = self.known.is_some().then(|| self.source.stamp(name));
        self.fetch(name, stamp)
    }

    /// The content of a file. Reads it only if that cannot be known otherwise.
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
        // The problems of the file are in its content as well.
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
