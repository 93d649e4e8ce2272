//! The files that the server reads: open ones, those of the folders, and what they include.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use pleach::asset::Manifest;
use pleach::tools::{included_name, standard_templates};

use crate::doc::{Doc, Form};
use crate::fields::{Role, Sort};
use crate::files::{self, Files, MOST_BYTES, Stamp};
use crate::{names, uri};

/// The name of the file of the standard templates, which is on no disk.
pub(crate) const STANDARD: &str = "pleach:standard";

#[derive(Debug)]
pub(crate) struct Workspace<'g> {
    pub(crate) manifest: &'g Manifest,
    docs: BTreeMap<String, Doc<'g>>,
    includes: BTreeMap<String, Vec<String>>,
    open: HashMap<String, Open>,
    /// The stamps of files that are not open, from when they were read.
    stamps: HashMap<String, Stamp>,
    folders: Vec<PathBuf>,
    is_searched: bool,
    /// Whether a folder has more files than are read.
    is_cut: bool,
    pub(crate) standard: Doc<'g>,
}

/// A file that is open in the editor.
#[derive(Clone, Copy, Debug)]
struct Open {
    version: i64,
    is_too_large: bool,
}

/// The result of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Changed {
    Taken,
    /// It is older than the current text.
    Late,
    NotOpen,
    TooLarge,
}

impl<'g> Workspace<'g> {
    pub(crate) fn new(manifest: &'g Manifest, folders: Vec<PathBuf>) -> Self {
        let templates: Vec<&str> = standard_templates().iter().map(|it| it.source).collect();
        let text = format!("Tree(version: 1, templates: {{\n        {}\n}})", templates.join(",\n        "));
        Workspace {
            manifest,
            docs: BTreeMap::new(),
            includes: BTreeMap::new(),
            open: HashMap::new(),
            stamps: HashMap::new(),
            folders,
            is_searched: false,
            is_cut: false,
            standard: Doc::new(manifest, STANDARD, &text),
        }
    }

    pub(crate) fn open(&mut self, name: &str, text: &str, version: i64) -> Changed {
        self.search();
        let is_too_large = text.len() > MOST_BYTES;
        self.open.insert(name.to_owned(), Open { version, is_too_large });
        if is_too_large {
            self.forget(name);
            return Changed::TooLarge;
        }
        self.put(name, text);
        if self.docs.get(name).is_some_and(|it| it.form() == Form::Begun) {
            self.load_siblings(name);
        }
        Changed::Taken
    }

    pub(crate) fn change(&mut self, name: &str, text: &str, version: i64) -> Changed {
        match self.open.get(name) {
            None => Changed::NotOpen,
            Some(it) if version <= it.version => Changed::Late,
            Some(_) => self.open(name, text, version),
        }
    }

    /// Closes a file. Its text is then that of the disk.
    pub(crate) fn close(&mut self, name: &str) {
        self.open.remove(name);
        self.refresh(name);
    }

    /// Reads a file again that has changed on the disk.
    pub(crate) fn refresh(&mut self, name: &str) {
        if self.open.contains_key(name) {
            return;
        }
        self.forget(name);
        self.load(name);
    }

    /// The unopened files that have changed since they were read. Editors need not report them.
    pub(crate) fn stale(&self) -> Vec<String> {
        let is_stale = |name: &&String| self.stamps.get(*name).copied() != files::stamp(&uri::path(name));
        self.docs.keys().filter(|it| !self.is_open(it)).filter(is_stale).cloned().collect()
    }

    /// Whether a change of a file on the disk matters.
    pub(crate) fn is_looked_at(&self, name: &str) -> bool {
        let is_known = self.docs.contains_key(name) || self.users(name).next().is_some();
        is_known || self.folders.iter().any(|it| files::is_looked_at(it, &uri::path(name)))
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(crate) fn is_open(&self, name: &str) -> bool {
        self.open.contains_key(name)
    }

    pub(crate) fn version(&self, name: &str) -> Option<i64> {
        Some(self.open.get(name)?.version)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Doc<'g>> {
        if name == STANDARD { Some(&self.standard) } else { self.docs.get(name) }
    }

    /// A file for this server: of one of our forms, or begun beside such a file.
    pub(crate) fn ours(&self, name: &str) -> Option<&Doc<'g>> {
        let doc = self.docs.get(name)?;
        match doc.form() {
            Form::Tree | Form::Tests | Form::Manifest => Some(doc),
            Form::Begun => Some(doc).filter(|_| self.siblings(name).any(|it| it.form() == Form::Tree)),
            Form::Foreign => None,
        }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Doc<'g>> {
        self.docs.values()
    }

    /// The files in the same folder.
    fn siblings(&self, name: &str) -> impl Iterator<Item = &Doc<'g>> {
        let name = name.to_owned();
        self.docs.values().filter(move |it| folder(&name) == folder(&it.name) && it.name != name)
    }

    fn put(&mut self, name: &str, text: &str) {
        let doc = Doc::new(self.manifest, name, text);
        let includes = included(&doc);
        self.docs.insert(name.to_owned(), doc);
        self.includes.insert(name.to_owned(), includes.clone());
        let mut waiting = includes;
        while let Some(name) = waiting.pop() {
            if !self.docs.contains_key(&name) && self.load(&name) {
                waiting.extend(self.includes.get(&name).into_iter().flatten().cloned());
            }
        }
    }

    fn forget(&mut self, name: &str) {
        self.docs.remove(name);
        self.includes.remove(name);
        self.stamps.remove(name);
    }

    /// Reads a file from the disk. Returns whether there is one to read.
    fn load(&mut self, name: &str) -> bool {
        // First, so that a write during the read is noticed.
        let stamp = files::stamp(&uri::path(name));
        let Ok(bytes) = files::read(&uri::path(name)) else { return false };
        let Ok(text) = String::from_utf8(bytes) else { return false };
        if text.len() > MOST_BYTES {
            return false;
        }
        let doc = Doc::new(self.manifest, name, &text);
        self.includes.insert(name.to_owned(), included(&doc));
        self.docs.insert(name.to_owned(), doc);
        self.stamps.extend(stamp.map(|it| (name.to_owned(), it)));
        true
    }

    /// Searches the folders for files, once: when the first file is opened.
    fn search(&mut self) {
        if std::mem::replace(&mut self.is_searched, true) {
            return;
        }
        for folder in self.folders.clone() {
            let (names, is_all) = files::below(&folder);
            self.is_cut |= !is_all;
            for name in names {
                if !self.docs.contains_key(&name) {
                    self.load(&name);
                }
            }
        }
    }

    fn load_siblings(&mut self, name: &str) {
        let Ok(entries) = std::fs::read_dir(Path::new(folder(name))) else { return };
        let names = entries.flatten().map(|it| uri::of_path(&it.path())).filter(|it| it.ends_with(".ron"));
        let names: Vec<String> = names.take(files::MOST_FILES).collect();
        for name in names {
            if !self.docs.contains_key(&name) {
                self.load(&name);
            }
        }
    }

    /// A tree with everything that includes it or is included, directly or not, except through test
    /// files: the problems of one of them may depend on the others.
    pub(crate) fn together(&self, name: &str) -> BTreeSet<String> {
        let is_tree = |name: &str| self.docs.get(name).is_some_and(|it| it.form() != Form::Tests);
        let mut users: HashMap<&str, Vec<&str>> = HashMap::new();
        for (user, included) in self.includes.iter().filter(|it| is_tree(it.0)) {
            included.iter().for_each(|it| users.entry(it).or_default().push(user));
        }
        let mut found = BTreeSet::from([name.to_owned()]);
        let mut waiting = vec![name.to_owned()];
        while let Some(name) = waiting.pop() {
            let included = self.includes.get(&name).filter(|_| is_tree(&name));
            let included = included.into_iter().flatten().map(String::as_str);
            let users = users.get(&*name).into_iter().flatten().copied();
            for near in included.chain(users).filter(|it| is_tree(it)) {
                if found.insert(near.to_owned()) {
                    waiting.push(near.to_owned());
                }
            }
        }
        found
    }

    /// The test files that play a tree, or a tree that includes it, directly or not.
    pub(crate) fn tests_of(&self, name: &str) -> Vec<String> {
        let trees = self.together(name);
        let plays = |included: &[String]| included.iter().any(|it| trees.contains(it));
        let is_test = |name: &str| self.docs.get(name).is_some_and(|it| it.form() == Form::Tests);
        self.includes.iter().filter(|it| is_test(it.0) && plays(it.1)).map(|it| it.0.clone()).collect()
    }

    /// The files that include a file, or play it.
    pub(crate) fn users(&self, name: &str) -> impl Iterator<Item = &String> {
        self.includes.iter().filter(move |it| it.1.iter().any(|it| it == name)).map(|it| it.0)
    }

    /// The current includes of a file.
    pub(crate) fn included(&self, name: &str) -> &[String] {
        self.includes.get(name).map_or(&[], |it| it)
    }

    /// The open files for the loader.
    pub(crate) fn files(&self) -> Files {
        let texts = self.docs.iter().filter(|it| self.is_open(it.0));
        Files { open: texts.map(|it| (it.0.clone(), it.1.text.clone())).collect() }
    }

    pub(crate) fn is_too_large(&self, name: &str) -> bool {
        self.open.get(name).is_some_and(|it| it.is_too_large)
    }

    /// The tree that a test file, or the case around a value, plays.
    pub(crate) fn tested<'w>(&'w self, doc: &'w Doc<'g>, at: crate::syntax::At) -> Option<&'w Doc<'g>> {
        let named = |of| doc.field(of, "tree");
        let tree =
            doc.syntax.chain(at).filter(|it| matches!(doc.role(*it), Role::Case | Role::File)).find_map(named)?;
        self.get(&included_name(&doc.name, doc.word(tree))?)
    }
}

fn folder(name: &str) -> &str {
    name.rfind('/').map_or("", |it| &name[..=it])
}

/// The names of the files that a file refers to.
fn included(doc: &Doc<'_>) -> Vec<String> {
    let names = names::names(doc).into_iter().filter(|it| it.sort == Sort::File);
    names.filter_map(|it| included_name(&doc.name, &doc.text[it.span])).collect()
}
