//! Whether holes are declared, and given what they take (SEMANTICS 9.6).

use pleach_core::names::near;

use super::{File, Files};
use crate::asset::{AssetNode, HoleEntry, Sort, Subtree, Takes, Template};
use crate::code::Code;
use crate::finding::{FileAt, Finding, Findings};
use crate::span::Word;
use crate::suggest::{did_you_mean, list};

/// What a node includes: its file, its name, and its holes.
type Target<'f, 'a> = (FileAt, String, &'f [HoleEntry<'a>]);

/// A file without its templates, or a template.
#[derive(Clone, Copy)]
struct Region<'f, 'a> {
    file: FileAt,
    template: Option<&'f Template<'a>>,
    holes: &'f [HoleEntry<'a>],
    /// The holes of the file around a template.
    around: &'f [HoleEntry<'a>],
}

/// Whether a hole must be given something.
fn is_open(it: &HoleEntry<'_>) -> bool {
    it.takes.is_some() && it.default.is_none()
}

impl<'a> Files<'a> {
    /// Reports what is wrong with the holes of a file, and with those that it fills.
    pub(super) fn link_holes(&self, file: FileAt, findings: &mut Findings) {
        let Some(File { tree: Some(tree), .. }) = self.get(file) else { return };
        if !tree.includes {
            return;
        }
        let mut found = Vec::new();
        let whole = Region { file, template: None, holes: &tree.holes, around: &[] };
        for it in tree.own_trees() {
            self.holes_below(whole, it, &mut found);
        }
        for template in &tree.templates {
            let region = Region { file, template: Some(template), holes: &template.holes, around: &tree.holes };
            template.trees().for_each(|it| self.holes_below(region, it, &mut found));
        }
        found.into_iter().for_each(|it| _ = findings.push(it.in_file(file)));
    }

    /// Whether a file is only a part of trees, not a tree.
    pub(in crate::build) fn is_part(&self, file: FileAt) -> bool {
        self.get(file).and_then(|it| it.tree.as_ref()).is_some_and(|it| !it.has_root || it.holes.iter().any(is_open))
    }

    /// Reports the holes of a file without a default, which keep it from being a tree.
    pub(in crate::build) fn refuse_part(&self, file: FileAt, findings: &mut Findings) {
        let Some(File { name, tree: Some(tree), .. }) = self.get(file) else { return };
        let own = name.rsplit('/').next().unwrap_or_default();
        if !tree.has_root {
            let message = "this file has only templates for other files, and no `root`";
            let help = format!("write `templates_from: [\"{own}\"]` in the file that uses them");
            findings
                .push(Finding::new(Code::FileIsPart, tree.root.whole().kind.span, message).help(help).in_file(file));
        }
        for hole in tree.holes.iter().filter(|it| is_open(it)) {
            let hole_name = hole.name.text;
            let message = format!("this file is not a tree by itself: its hole `{hole_name}` has no default");
            let help = format!(
                "include it, as in `Subtree(asset: \"{own}\", nodes: {{ \"{hole_name}\": .. }})`, or give the hole a default"
            );
            findings.push(Finding::new(Code::FileIsPart, hole.name.span, message).help(help).in_file(file));
        }
    }

    fn holes_below(&self, region: Region<'_, 'a>, tree: Subtree<'_>, found: &mut Vec<Finding>) {
        for it in tree.enabled_subtrees() {
            let Some(include) = it.node().include() else { continue };
            match (include.sort, include.asset) {
                (Sort::Hole(takes), Some(name)) => found.extend(self.stands_for(region, it.node(), name, takes)),
                (Sort::Hole(_), None) => {}
                _ => {
                    found.extend(self.rootless(region.file, it.node()));
                    self.targets(region.file, it.node()).for_each(|target| fills(region.file, it, &target, found));
                }
            }
        }
    }

    /// What is wrong with including files that have no root.
    fn rootless(&self, file: FileAt, node: &AssetNode<'a>) -> Vec<Finding> {
        let files = node.include().into_iter().flat_map(|it| it.files());
        let rootless = files.filter(|it| {
            let tree = self.target(file, *it).and_then(|it| self.get(it)?.tree.as_ref());
            tree.is_some_and(|it| !it.has_root)
        });
        let wrong = |it: Word<'_>| {
            let message = format!("`{}` has only templates, and no `root`", it.text);
            let help = format!("write `templates_from: [\"{}\"]` in this file, and `Use(\"..\")` here", it.text);
            Finding::new(Code::FileIsPart, it.span, message).help(help)
        };
        rootless.map(wrong).collect()
    }

    /// What a node includes, except what has been reported as missing.
    fn targets<'f>(&'f self, file: FileAt, node: &'f AssetNode<'a>) -> impl Iterator<Item = Target<'f, 'a>> {
        let include = node.include();
        let is_lost = self.get(file).and_then(|it| it.tree.as_ref()).is_some_and(|it| it.broken.holes);
        let template = include.and_then(|it| self.template(file, it.template()?)).filter(|_| !is_lost);
        let template = template.map(|(at, it)| (at, format!("the template `{}`", it.name.text), &*it.holes));
        let files = include.into_iter().flat_map(|it| it.files()).filter_map(move |asset| {
            let at = self.target(file, asset)?;
            let File { name, tree, .. } = self.get(at)?;
            let tree = tree.as_ref().filter(|it| !it.broken.holes)?;
            Some((at, format!("`{name}`"), &*tree.holes))
        });
        template.into_iter().chain(files)
    }

    /// What is wrong with a node that stands for a hole.
    fn stands_for(
        &self,
        region: Region<'_, 'a>,
        node: &AssetNode<'_>,
        name: Word<'_>,
        takes: Takes,
    ) -> Option<Finding> {
        let Region { file, template, holes, around } = region;
        let is_lost = self.get(file).and_then(|it| it.tree.as_ref()).is_some_and(|it| it.broken.holes);
        let Some(hole) = holes.iter().find(|it| it.name.text == name.text) else {
            if is_lost {
                return None;
            }
            let (of, field) = match template {
                Some(it) => (format!("the template `{}`", it.name.text), "the template"),
                None => ("this file".to_owned(), "`Tree(..)`"),
            };
            let what = if takes == Takes::One { "One" } else { "Many" };
            let near = did_you_mean(near(name.text, holes.iter().map(|it| it.name.text)));
            let help = near.unwrap_or_else(|| match around.iter().any(|it| it.name.text == name.text) {
                true => format!(
                    "a template sees only its own holes: declare `nodes: {{ \"{0}\": {what} }}` in it, and give it `nodes: {{ \"{0}\": {1}(\"{0}\") }}`",
                    name.text, takes.written(),
                )
                .into(),
                false => format!("declare it in {field}: `nodes: {{ \"{}\": {what} }}`", name.text).into(),
            });
            return Some(
                Finding::new(Code::UnknownHole, name.span, format!("{of} has no hole `{}`", name.text)).help(help),
            );
        };
        if hole.takes.is_none_or(|it| it == takes) {
            return None;
        }
        let (message, help) = match takes {
            Takes::Many => ("takes one node", format!("write `Node(\"{}\")`", name.text)),
            Takes::One => {
                ("takes any number of nodes", format!("write `Nodes(\"{}\")`, in a list of children", name.text))
            }
        };
        let finding = Finding::new(Code::HoleNodes, node.kind.span, format!("the hole `{}` {message}", name.text));
        Some(finding.help(help).also(hole.name.span, "the hole"))
    }
}

/// Reports the problems of what is given for holes.
fn fills(file: FileAt, it: Subtree<'_>, (of, called, holes): &Target<'_, '_>, found: &mut Vec<Finding>) {
    let Some(include) = it.node().include() else { return };
    for filling in &include.fillings {
        let name = filling.hole.text;
        if holes.iter().any(|it| it.name.text == name) {
            continue;
        }
        let names: Vec<&str> = holes.iter().map(|it| it.name.text).collect();
        let help = did_you_mean(near(name, names.iter().copied())).unwrap_or_else(|| match names.len() {
            0 => "it has no holes: declare one, as in `nodes: { \"body\": One }`".into(),
            1 => format!("its only hole is {}", list(&names)).into(),
            _ => format!("its holes are {}", list(&names)).into(),
        });
        found.push(
            Finding::new(Code::UnknownHole, filling.hole.span, format!("{called} has no hole `{name}`")).help(help),
        );
    }
    // Children that could not be read are missing from what is given.
    let is_lost = include.lost_fillings || it.node().broken;
    let given = it.given();
    for hole in *holes {
        let Some(takes) = hole.takes else { continue };
        let name = hole.name.text;
        let finding = match (given.get(name), takes) {
            (None, _) if hole.default.is_some() || is_lost => continue,
            (None, _) => {
                let what = if takes == Takes::One { "a node" } else { "a list of nodes" };
                let help = match include.sort {
                    Sort::Slot => "give the hole a default: a `Slot` gives no nodes".to_owned(),
                    _ => format!("write `nodes: {{ \"{name}\": .. }}`, with {what}"),
                };
                let message = format!("nothing is given for the hole `{name}` of {called}");
                Finding::new(Code::HoleNotFilled, it.kind.span, message).help(help)
            }
            (Some((filling, _)), Takes::One) if filling.takes == Takes::Many => {
                let message = format!("the hole `{name}` takes one node, and this is a list");
                Finding::new(Code::HoleNodes, filling.span, message)
                    .help("put the nodes into one, as in `Sequence([..])`")
            }
            (Some((filling, _)), Takes::Many) if filling.takes == Takes::One => {
                let message = format!("the hole `{name}` takes a list of nodes, and this is one node");
                Finding::new(Code::HoleNodes, filling.span, message).help("put it into a list: `[..]`")
            }
            (Some((filling, nodes)), Takes::One) if nodes.is_empty() && hole.default.is_none() => {
                if is_lost {
                    continue;
                }
                let message = format!("the node that is given for the hole `{name}` is disabled");
                let help = format!("disable the whole `{}`, or give the hole a default", it.kind.text);
                Finding::new(Code::HoleNodes, filling.span, message).help(help)
            }
            (Some(_), _) => continue,
        };
        found.push(finding.in_file(file).also_at((*of, hole.name.span), "the hole"));
    }
}
