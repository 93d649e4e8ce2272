//! The templates that a file can use: its own, those of other files, and the standard ones
//! (SEMANTICS 9.2, 9.7).

use std::collections::{HashMap, HashSet};

use pleach_core::names::nearest;

use super::{File, Files, Mark, shorten};
use crate::asset::{AssetTree, Template};
use crate::finding::{FileAt, Finding, Findings};
use crate::span::{Word, narrow};
use crate::standard;
use crate::suggest::did_you_mean;

impl<'a> Files<'a> {
    /// The template that is written there with its file, unless it has been reported that there is
    /// none.
    pub(in crate::build) fn template(&self, file: FileAt, name: Word<'_>) -> Option<(FileAt, &Template<'a>)> {
        if self.cut.contains(&(file, name.span.start)) {
            return None;
        }
        self.templates_seen(file).find(|it| it.1.name.text == name.text)
    }

    /// All templates that a file can use, those first that hide others.
    fn templates_seen(&self, file: FileAt) -> impl Iterator<Item = (FileAt, &Template<'a>)> {
        let from = self.tree(file).into_iter().flat_map(|it| &it.templates_from);
        let files = [file].into_iter().chain(from.filter_map(move |it| self.target(file, *it)));
        let files = files.chain(self.standard);
        files.flat_map(|at| self.tree(at).into_iter().flat_map(|it| &it.templates).map(move |it| (at, it)))
    }

    fn tree(&self, file: FileAt) -> Option<&AssetTree<'a>> {
        self.get(file)?.tree.as_ref()
    }

    /// The files whose templates others use.
    pub(in crate::build) fn lenders(&self) -> HashSet<FileAt> {
        let from = |(at, it): (FileAt, &File<'a>)| {
            let words = it.tree.iter().flat_map(|it| &it.templates_from);
            words.filter_map(|it| self.target(at, *it)).collect::<Vec<_>>()
        };
        self.iter().flat_map(from).collect()
    }

    /// Adds the file of the standard templates, if a file may use one.
    pub(super) fn add_standard(&mut self) {
        let is_own = |tree: &AssetTree<'_>, used: Word<'_>| tree.templates.iter().any(|it| it.name.text == used.text);
        let mut trees = self.list.iter().filter_map(|it| it.tree.as_ref());
        let uses_other = |tree: &AssetTree<'a>| {
            let mut used = tree.enabled().filter_map(|it| it.include()?.template());
            used.any(|it| !is_own(tree, it))
        };
        if trees.any(uses_other) {
            let asset = standard::file();
            let tree = asset.tree().map(|it| it.0).ok();
            self.standard = Some(narrow(self.list.len()));
            self.list.push(File { name: standard::NAME, asset, tree });
        }
    }

    /// Whether a file is that of the standard templates.
    pub(in crate::build) fn is_standard(&self, file: FileAt) -> bool {
        self.standard == Some(file)
    }

    /// What is wrong with the name of a template.
    fn no_template(&self, file: FileAt, tree: &AssetTree<'a>, used: Word<'a>) -> Option<Finding> {
        let mut found = self.templates_seen(file).filter(|it| it.1.name.text == used.text);
        if let Some((first, _)) = found.next() {
            let (second, _) = found.next().filter(|it| first != file && !self.is_standard(it.0) && it.0 != first)?;
            let name = |at| self.get(at).map_or("", |it| it.name);
            let message = format!("both `{}` and `{}` have a template `{}`", name(first), name(second), used.text);
            return Some(Finding::error(used.span, message).help("rename one of them, or take the templates of one"));
        }
        // The file that has it may be one that cannot be read.
        if tree.templates_from.iter().any(|it| self.target(file, *it).is_none_or(|it| !self.is_read(it))) {
            return None;
        }
        let help = did_you_mean(nearest(used.text, self.templates_seen(file).map(|it| it.1.name.text)));
        Some(Finding::error(used.span, format!("this file has no template `{}`", used.text)).maybe_help(help))
    }

    /// Warns of templates of a file that hide others of their name.
    pub(in crate::build) fn hiding(&self, file: FileAt) -> Vec<Finding> {
        let Some(tree) = self.tree(file) else { return Vec::new() };
        let standard = standard::file().tree().map(|it| it.0).ok();
        let is_standard = |name: &str| standard.iter().flat_map(|it| &it.templates).any(|it| it.name.text == name);
        let hides = |it: &Template<'_>| {
            let name = it.name.text;
            let mut others = self.templates_seen(file).filter(|it| it.0 != file && it.1.name.text == name);
            let of = match others.next() {
                Some((of, other)) if !self.is_standard(of) => Some((of, other.name.span)),
                _ if is_standard(name) => None,
                _ => return None,
            };
            let message = match of {
                Some((of, _)) => format!("this hides the template `{name}` of `{}`", self.get(of)?.name),
                None => format!("this hides the standard template `{name}`"),
            };
            let finding = Finding::warning(it.name.span, message).in_file(file);
            let finding = of.into_iter().fold(finding, |finding, at| finding.also_at(at, "the hidden one"));
            Some(finding.help("give it another name if that is not meant"))
        };
        if self.is_standard(file) { Vec::new() } else { tree.templates.iter().filter_map(hides).collect() }
    }

    /// Reports templates that are not there, or use themselves.
    pub(super) fn link_templates(&mut self, file: FileAt, findings: &mut Findings) {
        let Some(File { tree: Some(tree), .. }) = self.get(file) else { return };
        let names: Vec<&str> = tree.templates.iter().map(|it| it.name.text).collect();
        let by_name: HashMap<&str, usize> = names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        let mut wrong: Vec<(Word<'a>, Finding)> = Vec::new();
        for used in tree.enabled().filter_map(|it| it.include()?.template()) {
            wrong.extend(self.no_template(file, tree, used).map(|it| (used, it)));
        }
        let uses: Vec<Vec<(usize, Word<'a>)>> = tree
            .templates
            .iter()
            .map(|it| {
                let used = it.root.enabled().filter_map(|it| it.include()?.template());
                used.filter_map(|it| Some((*by_name.get(it.text)?, it))).collect()
            })
            .collect();
        let mut marks = vec![Mark::New; uses.len()];
        for start in 0..uses.len() {
            let mut open = vec![(start, 0)];
            while let Some((at, next)) = open.last_mut() {
                let at = *at;
                if *next == 0 && marks[at] != Mark::New {
                    open.pop();
                    continue;
                }
                marks[at] = Mark::Open;
                let Some(&(used, word)) = uses[at].get(*next) else {
                    marks[at] = Mark::Done;
                    open.pop();
                    continue;
                };
                *next += 1;
                match marks[used] {
                    Mark::New => open.push((used, 0)),
                    Mark::Done => {}
                    Mark::Open => {
                        let from = open.iter().position(|it| it.0 == used).unwrap_or_default();
                        let chain: Vec<&str> = open[from..].iter().map(|it| names[it.0]).chain([names[used]]).collect();
                        let message = format!("a template cannot use itself: {}", shorten(&chain));
                        wrong.push((word, Finding::error(word.span, message)));
                    }
                }
            }
        }
        for (word, finding) in wrong {
            findings.push(finding.in_file(file));
            self.cut.insert((file, word.span.start));
        }
    }
}
