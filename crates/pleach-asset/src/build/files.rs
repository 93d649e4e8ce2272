//! [`Files`]: the files that a tree is made of, and which of them includes which.

mod holes;
mod templates;

use std::collections::{BTreeSet, HashMap, HashSet};

use pleach_core::names::{Near, near};

use super::lint::keys;
use crate::asset::{Asset, AssetNode, AssetTree, Given, Include, Sort};
use crate::code::Code;
use crate::finding::{FileAt, Finding, Findings};
use crate::path;
use crate::span::{Span, Word, narrow};
use crate::suggest::{Edit, did_you_mean};
use templates::Visible;

/// A file.
pub(crate) struct File<'a> {
    /// Its name in the library.
    pub(crate) name: &'a str,
    pub(crate) asset: &'a Asset,
    /// Its contents; `None` if it cannot be read.
    pub(crate) tree: Option<AssetTree<'a>>,
}

/// Files that may include each other.
pub(crate) struct Files<'a> {
    list: Vec<File<'a>>,
    /// By their names in the library; `None` if there is no library.
    by_name: Option<HashMap<&'a str, FileAt>>,
    /// Why files of these names cannot be read.
    unread: Option<&'a HashMap<String, String>>,
    /// Other files that may be meant by the name of one that is not there.
    near: Option<&'a BTreeSet<String>>,
    /// Includes that are cut, already reported: their files and places.
    cut: HashSet<(FileAt, u32)>,
    /// The templates that each file can use, by name.
    visible: Vec<HashMap<&'a str, Visible>>,
    /// The file of the standard templates, if any is used.
    standard: Option<FileAt>,
    /// The ports of each file that have to be keys.
    needed: Vec<HashSet<&'a str>>,
}

/// How far the search has come with a file.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    /// Including it now would be a cycle.
    Open,
    Done,
}

impl<'a> Files<'a> {
    /// One file without others.
    pub(super) fn alone(asset: &'a Asset, tree: AssetTree<'a>) -> Self {
        let list = vec![File { name: asset.file(), asset, tree: Some(tree) }];
        Files {
            list,
            by_name: None,
            unread: None,
            near: None,
            cut: HashSet::new(),
            visible: Vec::new(),
            standard: None,
            needed: Vec::new(),
        }
    }

    /// The files of a library, why others cannot be read, and files near those that are missing.
    pub(crate) fn of_library(
        list: Vec<File<'a>>,
        unread: &'a HashMap<String, String>,
        near: &'a BTreeSet<String>,
    ) -> Self {
        let by_name = list.iter().enumerate().map(|(at, it)| (it.name, narrow(at))).collect();
        Files {
            list,
            by_name: Some(by_name),
            unread: Some(unread),
            near: Some(near),
            cut: HashSet::new(),
            visible: Vec::new(),
            standard: None,
            needed: Vec::new(),
        }
    }

    pub(crate) fn get(&self, at: FileAt) -> Option<&File<'a>> {
        self.list.get(at as usize)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (FileAt, &File<'a>)> {
        self.list.iter().enumerate().map(|(at, it)| (narrow(at), it))
    }

    /// Whether there is anything to make a tree from.
    pub(super) fn is_read(&self, at: FileAt) -> bool {
        self.get(at).is_some_and(|it| it.tree.is_some())
    }

    /// Whether a file's event declarations are lost, so that its events are not known.
    pub(super) fn lost_events(&self) -> bool {
        self.list.iter().filter_map(|it| it.tree.as_ref()).any(|it| it.broken.all_events)
    }

    /// The file named there, unless it has been reported as missing.
    pub(super) fn target(&self, file: FileAt, asset: Word<'_>) -> Option<FileAt> {
        if self.cut.contains(&(file, asset.span.start)) {
            return None;
        }
        let name = path::resolve(self.get(file)?.name, asset.text).ok()?;
        self.by_name.as_ref()?.get(&*name).copied()
    }

    /// Whether leaves take a port of a file as a key, or it passes it on to files whose leaves do.
    pub(super) fn needs_key(&self, file: FileAt, port: &str) -> bool {
        self.needed.get(file as usize).is_some_and(|it| it.contains(port))
    }

    /// Visits all files that these include, directly or not: reports what cannot be included, and
    /// returns the first include of each file.
    pub(crate) fn link(&mut self, entries: &[FileAt], findings: &mut Findings) -> Vec<Option<(FileAt, Span)>> {
        self.add_standard();
        let mut marks = vec![Mark::New; self.list.len()];
        let mut includers = vec![None; self.list.len()];
        self.needed = self.list.iter().map(|_| HashSet::new()).collect();
        self.visible = self.list.iter().map(|_| HashMap::new()).collect();
        for &entry in entries {
            if marks[entry as usize] == Mark::New {
                self.link_from(entry, &mut marks, &mut includers, findings);
            }
        }
        includers
    }

    fn link_from(
        &mut self,
        entry: FileAt,
        marks: &mut [Mark],
        includers: &mut [Option<(FileAt, Span)>],
        findings: &mut Findings,
    ) {
        // Files on the path, each with its includes still to visit, last first.
        let mut open: Vec<(FileAt, Vec<Word<'a>>)> = vec![(entry, self.includes(entry))];
        marks[entry as usize] = Mark::Open;
        while let Some((file, waiting)) = open.last_mut() {
            let file = *file;
            let Some(asset) = waiting.pop() else {
                open.pop();
                self.note_templates(file);
                self.note_needed(file);
                self.link_templates(file, findings);
                self.link_holes(file, findings);
                marks[file as usize] = Mark::Done;
                continue;
            };
            let found = match self.find(file, asset) {
                Ok(found) => found,
                Err(finding) => {
                    findings.push(finding.in_file(file));
                    self.cut.insert((file, asset.span.start));
                    continue;
                }
            };
            match marks[found as usize] {
                Mark::New => {
                    marks[found as usize] = Mark::Open;
                    includers[found as usize] = Some((file, asset.span));
                    let below = self.includes(found);
                    open.push((found, below));
                }
                Mark::Open => {
                    let from = open.iter().position(|it| it.0 == found).unwrap_or_default();
                    let chain = open[from..].iter().map(|it| it.0).chain([found]);
                    let chain: Vec<&str> = chain.filter_map(|it| Some(self.get(it)?.asset.file())).collect();
                    let (message, help) = match &chain[..] {
                        [one, _] if self.lends(file, asset) => (
                            format!("`{one}` takes templates from itself"),
                            "remove it: a file can use its own templates",
                        ),
                        [one, _] => (format!("`{one}` includes itself"), "remove this: a tree cannot contain itself"),
                        _ if self.lends(file, asset) => (
                            format!("these files take templates from each other: {}", shorten(&chain)),
                            "move the templates that both use into another file",
                        ),
                        _ => (
                            format!("these files include each other: {}", shorten(&chain)),
                            "remove one of these includes: a tree cannot contain itself",
                        ),
                    };
                    findings.push(Finding::new(Code::Cycle, asset.span, message).help(help).in_file(file));
                    self.cut.insert((file, asset.span.start));
                }
                // As it stands before this one among the files.
                Mark::Done => _ = includers[found as usize].get_or_insert((file, asset.span)),
            }
        }
    }

    /// Whether a file takes templates from the file named there.
    fn lends(&self, file: FileAt, named: Word<'a>) -> bool {
        let tree = self.get(file).and_then(|it| it.tree.as_ref());
        tree.is_some_and(|it| it.templates_from.iter().any(|it| it.span.start == named.span.start))
    }

    /// What a file includes, last first.
    fn includes(&self, file: FileAt) -> Vec<Word<'a>> {
        let Some(File { tree: Some(tree), .. }) = self.get(file) else { return Vec::new() };
        let of_nodes = tree.enabled().filter_map(AssetNode::include).flat_map(Include::files);
        let mut all: Vec<_> = tree.templates_from.iter().copied().chain(of_nodes).collect();
        all.reverse();
        all
    }

    /// The file named there.
    fn find(&self, file: FileAt, asset: Word<'_>) -> Result<FileAt, Finding> {
        let from = self.get(file).map_or("", |it| it.name);
        let name = path::resolve(from, asset.text).map_err(|why| {
            let finding = Finding::new(Code::NoFile, asset.span, why.to_string());
            finding.maybe_help(why.help().map(Into::into))
        })?;
        let Some(by_name) = &self.by_name else {
            let message = "included files can only be found in a library";
            let help = "load this file with `Library::load` instead of `load_str`";
            return Err(Finding::new(Code::NoFile, asset.span, message).help(help));
        };
        if let Some(found) = by_name.get(&*name) {
            return Ok(*found);
        }
        match self.unread.and_then(|it| it.get(&*name)) {
            Some(why) => Err(Finding::new(Code::NoFile, asset.span, format!("cannot include `{name}`: {why}"))),
            None => {
                // A file does not mean itself.
                let unread = self.near.into_iter().flatten().map(|it| &**it).filter(|it| !by_name.contains_key(*it));
                let others = || by_name.keys().copied().chain(unread.clone()).filter(|it| *it != from);
                let elsewhere = || {
                    let mut all = others().filter(|it| it.rsplit('/').next() == name.rsplit('/').next());
                    all.next().map(|it| Near { name: it, tie: all.next(), slips: None })
                };
                let near = near(&name, others()).or_else(elsewhere);
                let message = format!("there is no file `{name}` to include");
                let finding = Finding::new(Code::NoFile, asset.span, message);
                let Some(near) = near else { return Err(finding) };
                // As one writes it in this file.
                let (one, tie) = (path::relative(from, near.name), near.tie.map(|it| path::relative(from, it)));
                let help = did_you_mean(Some(Near { name: &one, tie: tie.as_deref(), ..near }));
                Err(finding.maybe_help(match tie {
                    None => help.map(|it| it.edit(Edit::Instead(format!("{one:?}")))),
                    Some(_) => help,
                }))
            }
        }
    }

    /// Records which ports of a file have to be keys, once that is known of the files it includes.
    fn note_needed(&mut self, file: FileAt) {
        let Some(File { tree: Some(tree), .. }) = self.get(file) else { return };
        if tree.ports.is_empty() {
            return;
        }
        let mut words = HashSet::new();
        let tests = tree.interrupts.iter().map(|it| &it.when.value);
        words.extend(keys::of_leaves(tree.enabled(), tests).into_iter().map(str::to_owned));
        for include in tree.enabled().filter_map(AssetNode::include) {
            let targets: Vec<FileAt> = include.files().filter_map(|it| self.target(file, it)).collect();
            for with in &include.with {
                // The port of a template may be a key: assuming that costs no more than a key.
                if let Given::Key(key) = with.value
                    && (include.sort == Sort::Use || targets.iter().any(|it| self.needs_key(*it, with.port.text)))
                {
                    words.insert(key.strip_prefix("agent.").unwrap_or(key).to_owned());
                }
            }
        }
        let needed = tree.ports.iter().map(|it| it.name.text).filter(|it| words.contains(*it)).collect();
        self.needed[file as usize] = needed;
    }
}

/// A chain of files, without its middle if it is long.
fn shorten(chain: &[&str]) -> String {
    const SHOWN: usize = 12;
    if chain.len() <= SHOWN {
        return chain.join(" -> ");
    }
    let (head, tail) = (&chain[..SHOWN / 2], &chain[chain.len() - SHOWN / 2..]);
    format!("{} -> ({} more) -> {}", head.join(" -> "), chain.len() - SHOWN, tail.join(" -> "))
}
