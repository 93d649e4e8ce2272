//! The cases of an edited tree, played with the current texts.

use std::collections::BTreeMap;
use std::path::Path;

use anstream::adapter::strip_str;
use pleach::Host;
use pleach::tools::text::plain;
use pleach_studio_core::model::{CaseView, Counted};

use super::cases::{Case, CaseAt, Covered, Known, NoWorld, Tests, beside};
use super::{read, told};
use crate::files::{TreeFile, name};

/// The results of the cases.
#[derive(Debug, Default)]
pub(crate) struct Tested {
    pub(crate) cases: Vec<CaseView>,
    /// How many need the world of the game, which is not available.
    pub(crate) left_out: usize,
    /// The counts at each place of the file: a line and a column.
    pub(crate) counts: BTreeMap<(usize, usize), Counted>,
}

/// Plays the cases whose tree is the file, or includes it. All files are known by their names, as
/// in the texts.
pub(crate) fn tested<H: Host>(known: &Known<'_, H>, texts: &BTreeMap<String, String>, file: &str) -> Tested {
    let mut tests = Tests::default();
    let mut tested = Tested::default();
    for (of, text) in texts.iter().filter(|it| it.0.ends_with(".test.ron")) {
        match read::read(of, text) {
            Ok(it) => tests.files.push(it),
            Err(report) => tested.cases.push(CaseView {
                file: plain(of).into_owned(),
                line: 1,
                name: "the file cannot be read".to_owned(),
                passed: false,
                text: report.to_string(),
            }),
        }
    }
    let mut uses: BTreeMap<String, bool> = BTreeMap::new();
    for (at, it) in tests.files.iter().enumerate() {
        for (case, its) in it.cases.iter().enumerate() {
            let tree = name(&beside(&it.name, &its.tree.it));
            let is_of_file = *uses.entry(tree).or_insert_with_key(|it| it == file || includes(known, texts, it, file));
            if is_of_file && its.world {
                tested.left_out += 1;
            } else if is_of_file {
                tests.selected.push(CaseAt { file: at, case });
            }
        }
    }
    tests.refuse_shared_goldens();
    tests.texts = texts.clone();
    for &at in &tests.selected {
        let ended = tests.run(at, known, &NoWorld, false);
        if let Some(covered) = ended.covered() {
            count(known, texts, file, covered, &mut tested.counts);
        }
        let of = &tests.files[at.file];
        let case = &of.cases[at.case];
        let (passed, took) = (ended.is_passed(), std::time::Duration::ZERO);
        tested.cases.push(CaseView {
            file: plain(&of.name).into_owned(),
            line: of.document.place(case.name.span.start).0,
            name: plain(&case.name.it).into_owned(),
            passed,
            text: strip_str(&told(&tests, &Case { at, ended, took })).to_string(),
        });
    }
    tested
}

/// Whether a tree is made of several files, and this is one of them.
fn includes<H: Host>(known: &Known<'_, H>, texts: &BTreeMap<String, String>, tree: &str, file: &str) -> bool {
    let described = TreeFile::of(tree, texts).ok().and_then(|it| it.describe(&known.paper).ok());
    described.is_some_and(|it| it.tree().nodes().any(|node| it.node(node.id()).file == file))
}

/// Adds the counts of a case at the nodes that are written in the file.
fn count<H: Host>(
    known: &Known<'_, H>,
    texts: &BTreeMap<String, String>,
    file: &str,
    covered: &Covered,
    counts: &mut BTreeMap<(usize, usize), Counted>,
) {
    let source = TreeFile::of(&name(Path::new(&covered.tree)), texts);
    let Some(described) = source.ok().and_then(|it| it.describe(&known.paper).ok()) else { return };
    for (node, counted) in described.tree().nodes().zip(covered.seen.counts()) {
        let written = described.node(node.id());
        let own = (&written.file, written.line, written.column);
        // A file that is included here has the counts of its first node.
        let uses = written.uses.iter().map(|it| (&it.0, it.1, it.2));
        for (_, line, column) in uses.chain([own]).filter(|it| it.0 == file) {
            let all = counts.entry((line, column)).or_default();
            let new = [counted.started, counted.succeeded, counted.failed, counted.aborted];
            all.iter_mut().zip(new).for_each(|(all, new)| *all = all.saturating_add(new));
        }
    }
}
