//! The problems, for the editor.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use pleach::asset::{Diagnostic, Manifest, Severity};
use pleach::{Library, Report};
use serde_json::{Value as Json, json};

use crate::doc::Form;
use crate::files::MOST_BYTES;
use crate::game::Game;
use crate::place::Lines;
use crate::uri;
use crate::workspace::Workspace;

/// The problems of files by name. A file without problems has no entry.
pub(crate) type Found = BTreeMap<String, Vec<Json>>;

/// Every problem of a file and of those that it is checked with, whose names are returned too.
pub(crate) fn check(game: &Game<'_>, workspace: &Workspace<'_>, name: &str) -> (Vec<String>, Found) {
    let doc = workspace.ours(name);
    let form = doc.map(|it| it.form());
    let of_trees = |it: &String| matches!(workspace.ours(it).map(|it| it.form()), Some(Form::Tree | Form::Begun));
    // If it is not a tree, or missing: the trees that include it.
    let trees: Vec<String> = workspace.together(name).into_iter().filter(of_trees).collect();
    let mut found = match trees.is_empty() {
        true => Found::new(),
        false => of_report(&(game.check)(&Library::new(workspace.files()), &trees)),
    };
    let own = match (form, doc) {
        (Some(Form::Manifest), Some(doc)) => Manifest::parse(name, &doc.text).err(),
        (Some(Form::Tests), Some(doc)) => {
            let check = game.check_tests.as_ref();
            check.and_then(|check| check(&mut Library::new(workspace.files()), name, &doc.text))
        }
        _ => None,
    };
    for (name, problems) in own.iter().flat_map(of_report) {
        found.entry(name).or_default().extend(problems);
    }
    if workspace.is_too_large(name) {
        found.entry(name.to_owned()).or_default().push(too_large());
    }
    let others = trees.into_iter().filter(|it| it != name);
    (std::iter::once(name.to_owned()).chain(others).collect(), found)
}

fn of_report(report: &Report) -> Found {
    let (mut found, mut places) = (Found::new(), Places::default());
    let together = report.fixes();
    for it in report.diagnostics() {
        let mut told = told(&mut places, it);
        if together.iter().any(|other| std::ptr::eq(other.0, it)) {
            told["data"]["together"] = true.into();
        }
        found.entry(it.file().to_owned()).or_default().push(told);
    }
    if let (more @ 1.., Some(last)) = (report.more(), found.values_mut().next_back()) {
        let message = format!("... and {more} more problems");
        let has_error = report.diagnostics().iter().any(|it| it.severity() == Severity::Error);
        let severity = if has_error { 1 } else { 2 };
        last.push(json!({ "range": top(), "severity": severity, "source": "pleach", "message": message }));
    }
    found
}

/// Places in the texts that were checked. The disk may be newer than what was read for the editor.
#[derive(Default)]
struct Places<'r> {
    lines: HashMap<&'r str, Lines>,
}

impl<'r> Places<'r> {
    fn range(&mut self, file: &'r str, source: &str, span: &Range<usize>) -> Json {
        self.lines.entry(file).or_insert_with(|| Lines::of(source)).range(source, span)
    }
}

fn told<'r>(places: &mut Places<'r>, it: &'r Diagnostic) -> Json {
    let range = places.range(it.file(), it.source(), &it.span());
    let message = match it.help() {
        Some(help) => format!("{}\nhelp: {help}", it.message()),
        None => it.message().to_owned(),
    };
    let severity = match it.severity() {
        Severity::Error => 1,
        Severity::Warning => 2,
    };
    let mut told =
        json!({ "range": range, "severity": severity, "code": it.code(), "source": "pleach", "message": message });
    let related: Vec<Json> = it
        .labels()
        .map(|label| {
            let range = places.range(label.file(), label.source(), &label.span());
            json!({ "location": { "uri": uri::of(label.file()), "range": range }, "message": label.text() })
        })
        .collect();
    if !it.fixes().is_empty() {
        let fixes = it.fixes().iter().map(|fix| {
            let edits = fix.edits().iter().map(|edit| {
                let range = places.range(it.file(), it.source(), &edit.span());
                json!({ "range": range, "newText": edit.text() })
            });
            json!({ "title": fix.title(), "edits": edits.collect::<Vec<_>>() })
        });
        // The editor hands it back, and `actions` reads its fixes from here.
        told["data"] = json!({ "fixes": fixes.collect::<Vec<_>>() });
    }
    if !related.is_empty() {
        told["relatedInformation"] = Json::Array(related);
    }
    told
}

fn top() -> Json {
    let start = json!({ "line": 0, "character": 0 });
    json!({ "start": start, "end": start })
}

fn too_large() -> Json {
    let message = format!("this file is larger than {} MiB: the language server does not look at it", MOST_BYTES >> 20);
    json!({ "range": top(), "severity": 1, "source": "pleach", "message": message })
}
