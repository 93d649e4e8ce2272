//! The templates that a file can use: its own, those of other files, and the standard ones
//! (SEMANTICS 9.2, 9.7).

use std::collections::{HashMap, HashSet};

use pleach_core::names::near;

use super::{File, Files, Mark, shorten};
use crate::asset::{AssetTree, Template};
use crate::code::Code;
use crate::finding::{FileAt, Finding, Findings};
use crate::span::{Span, Word, narrow};
use crate::standard;
use crate::suggest::did_you_mean;
use crate::syntax::{Args, Data, Value};

/// A template that a file can use.
#[derive(Clone, Copy)]
pub(super) struct Visible {
    file: FileAt,
    /// Its place there.
    at: usize,
    /// Another file with a template of that name, which does not give way.
    other: Option<FileAt>,
}

impl<'a> Files<'a> {
    /// The template named there with its file, unless it has been reported as missing.
    pub(in crate::build) fn template(&self, file: FileAt, name: Word<'_>) -> Option<(FileAt, &Template<'a>)> {
        if self.cut.contains(&(file, name.span.start)) {
            return None;
        }
        let Visible { file, at, .. } = *self.visible.get(file as usize)?.get(name.text)?;
        Some((file, self.tree(file)?.templates.get(at)?))
    }

    /// Records which templates a file can use, once that is known of the files it takes them from.
    pub(super) fn note_templates(&mut self, file: FileAt) {
        let mut visible: HashMap<&'a str, Visible> = HashMap::new();
        for (of, at, it) in self.templates_seen(file) {
            let first = visible.entry(it.name.text).or_insert(Visible { file: of, at, other: None });
            if first.file != of && first.file != file && !self.is_standard(of) {
                first.other.get_or_insert(of);
            }
        }
        self.visible[file as usize] = visible;
    }

    /// All templates that a file can use; those that hide others come first.
    fn templates_seen(&self, file: FileAt) -> impl Iterator<Item = (FileAt, usize, &Template<'a>)> {
        let from = self.tree(file).into_iter().flat_map(|it| &it.templates_from);
        let files = [file].into_iter().chain(from.filter_map(move |it| self.target(file, *it)));
        let files = files.chain(self.standard);
        let of = |file| self.tree(file).into_iter().flat_map(|it| &it.templates).enumerate();
        files.flat_map(move |file| of(file).map(move |(at, it)| (file, at, it)))
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
        let mut trees = self.list.iter().filter_map(|it| it.tree.as_ref());
        let uses_other = |tree: &AssetTree<'a>| {
            let own: HashSet<&str> = tree.templates.iter().map(|it| it.name.text).collect();
            tree.enabled().filter_map(|it| it.include()?.template()).any(|it| !own.contains(it.text))
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

    /// Reports a node with the name of a template that its file can use.
    pub(in crate::build) fn is_template(&self, file: FileAt, node: Word<'a>, value: Value<'a>) -> Option<Finding> {
        self.visible.get(file as usize)?.get(node.text)?;
        let is_word = matches!(value.data(), Data::Call(_, Args::None));
        let call = if is_word { "" } else { ", with: { .. }" };
        let help = format!("`{0}` is a template: write `Use(template: \"{0}\"{call})`", node.text);
        Some(Finding::new(Code::UnknownNode, node.span, format!("unknown node `{}`", node.text)).help(help))
    }

    /// What is wrong with the name of a template.
    fn no_template(&self, file: FileAt, tree: &AssetTree<'a>, used: Word<'a>) -> Option<Finding> {
        let visible = &self.visible[file as usize];
        if let Some(Visible { file: first, other, .. }) = visible.get(used.text).copied() {
            let second = other?;
            let name = |at| self.get(at).map_or("", |it| it.name);
            let message = format!("both `{}` and `{}` have a template `{}`", name(first), name(second), used.text);
            return Some(
                Finding::new(Code::UnknownTemplate, used.span, message)
                    .help("rename one of them, or take the templates of one"),
            );
        }
        // It may be in a file that cannot be read.
        if tree.templates_from.iter().any(|it| self.target(file, *it).is_none_or(|it| !self.is_read(it))) {
            return None;
        }
        let help = did_you_mean(near(used.text, visible.keys().copied()));
        Some(
            Finding::new(Code::UnknownTemplate, used.span, format!("this file has no template `{}`", used.text))
                .maybe_help(help),
        )
    }

    /// Warns of templates of a file that hide others of their name.
    pub(in crate::build) fn hiding(&self, file: FileAt) -> Vec<Finding> {
        let Some(tree) = self.tree(file).filter(|it| !it.templates.is_empty()) else { return Vec::new() };
        let standard = standard::file().tree().map(|it| it.0).ok();
        let standard = standard.iter().flat_map(|it| &it.templates).map(|it| (it.name.text, None));
        let others = self.templates_seen(file).filter(|it| it.0 != file && !self.is_standard(it.0));
        let others = others.map(|(of, _, it)| (it.name.text, Some((of, it.name.span))));
        // The first of a name is the one that is hidden.
        let mut hidden: HashMap<&str, Option<(FileAt, Span)>> = HashMap::new();
        others.chain(standard).for_each(|(name, of)| _ = hidden.entry(name).or_insert(of));
        let hides = |it: &Template<'_>| {
            let name = it.name.text;
            let of = *hidden.get(name)?;
            let message = match of {
                Some((of, _)) => format!("this hides the template `{name}` of `{}`", self.get(of)?.name),
                None => format!("this hides the standard template `{name}`"),
            };
            let finding = Finding::new(Code::Hides, it.name.span, message).in_file(file);
            let finding = of.into_iter().fold(finding, |finding, at| finding.also_at(at, "the hidden one"));
            Some(finding.help("give it another name if that is not meant"))
        };
        if self.is_standard(file) { Vec::new() } else { tree.templates.iter().filter_map(hides).collect() }
    }

    /// Reports templates that do not exist, or use themselves.
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
                let used = it.enabled().filter_map(|it| it.include()?.template());
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
                        wrong.push((word, Finding::new(Code::Cycle, word.span, message)));
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
