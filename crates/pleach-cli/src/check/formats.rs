//! The problems, for programs: as JSON, as commands of GitHub's workflows, as SARIF.

use std::collections::BTreeSet;

use pleach::Report;
use pleach::asset::{Diagnostic, Severity, code_pages};
use pleach::tools::text::plain;
use pleach_lsp::uri_path;
use serde_json::{Value, json};

use super::Outcome;

impl Outcome {
    fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        self.reports.iter().flat_map(Report::diagnostics)
    }
}

/// The line and the column of a place, from 1, in characters. A byte order mark is not part of the
/// first line.
fn position(source: &str, at: usize) -> (usize, usize) {
    let before = source.get(..at).unwrap_or(source);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.trim_start_matches('\u{feff}').chars().count() + 1)
}

/// One object. Places are bytes from 0, and lines and columns from 1.
pub(super) fn json(outcome: &Outcome) -> String {
    let place = |source: &str, span: &std::ops::Range<usize>| {
        let ((line, column), (end_line, end_column)) = (position(source, span.start), position(source, span.end));
        json!({
            "start": span.start, "end": span.end,
            "line": line, "column": column, "end_line": end_line, "end_column": end_column,
        })
    };
    let problem = |it: &Diagnostic| {
        let labels = it
            .labels()
            .map(|of| json!({ "file": of.file(), "place": place(of.source(), &of.span()), "text": of.text() }));
        let fixes = it.fixes().iter().map(|fix| {
            let edits = fix
                .edits()
                .iter()
                .map(|it| json!({ "start": it.span().start, "end": it.span().end, "text": it.text() }));
            json!({ "title": fix.title(), "edits": edits.collect::<Vec<_>>() })
        });
        json!({
            "code": it.code(),
            "severity": it.severity().to_string(),
            "file": it.file(),
            "place": place(it.source(), &it.span()),
            "message": it.message(),
            "help": it.help(),
            "included_by": it.included_by(),
            "labels": labels.collect::<Vec<_>>(),
            "fixes": fixes.collect::<Vec<_>>(),
        })
    };
    let failures = outcome.failures.iter().map(|it| it.1.to_string());
    let whole = json!({
        "files": outcome.count,
        "errors": outcome.errors,
        "warnings": outcome.warnings,
        "problems": outcome.problems().map(problem).collect::<Vec<_>>(),
        "failures": failures.collect::<Vec<_>>(),
        "help": outcome.help,
    });
    format!("{whole:#}\n")
}

/// A line for each problem, which GitHub shows at its place in a change.
pub(super) fn github(outcome: &Outcome) -> String {
    let data = |it: &str| it.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |it: &str| data(it).replace(':', "%3A").replace(',', "%2C");
    let mut out = String::new();
    for it in outcome.problems() {
        let (line, column) = position(it.source(), it.span().start);
        let (end_line, end_column) = position(it.source(), it.span().end);
        let place = if end_line == line {
            format!("line={line},col={column},endColumn={end_column}")
        } else {
            format!("line={line},endLine={end_line}")
        };
        let help = it.help().map(|it| format!("\nhelp: {it}")).unwrap_or_default();
        let text = data(&format!("{}{help}", it.message()));
        let (file, severity, code) = (property(it.file()), it.severity(), it.code());
        out += &format!("::{severity} file={file},{place},title={code}::{}\n", plain(&text));
    }
    for (_, failure) in &outcome.failures {
        out += &format!("::error::{}\n", plain(&data(&failure.to_string())));
    }
    if let Some(help) = &outcome.help {
        out += &format!("::notice::{}\n", plain(&data(help)));
    }
    out
}

/// A log as SARIF 2.1.0 has it.
pub(super) fn sarif(outcome: &Outcome) -> String {
    let level = |it: Severity| if it == Severity::Error { "error" } else { "warning" };
    let artifact = |file: &str| json!({ "uri": uri_path(file) });
    let location = |file: &str, source: &str, span: &std::ops::Range<usize>| {
        let ((line, column), (end_line, end_column)) = (position(source, span.start), position(source, span.end));
        json!({
            "artifactLocation": artifact(file),
            "region": { "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column },
        })
    };
    let result = |it: &Diagnostic| {
        let text = it.help().map_or_else(|| it.message().to_owned(), |help| format!("{}; help: {help}", it.message()));
        let related = it.labels().map(|of| {
            let place = location(of.file(), of.source(), &of.span());
            json!({ "physicalLocation": place, "message": { "text": of.text() } })
        });
        let fixes = it.fixes().iter().map(|fix| {
            let replacements = fix.edits().iter().map(|edit| {
                let (offset, length) = (edit.span().start, edit.span().len());
                json!({
                    "deletedRegion": { "byteOffset": offset, "byteLength": length },
                    "insertedContent": { "text": edit.text() },
                })
            });
            let replacements: Vec<Value> = replacements.collect();
            json!({
                "description": { "text": fix.title() },
                "artifactChanges": [{ "artifactLocation": artifact(it.file()), "replacements": replacements }],
            })
        });
        json!({
            "ruleId": it.code(),
            "level": level(it.severity()),
            "message": { "text": text },
            "locations": [{ "physicalLocation": location(it.file(), it.source(), &it.span()) }],
            "relatedLocations": related.collect::<Vec<_>>(),
            "fixes": fixes.collect::<Vec<_>>(),
        })
    };
    let used: BTreeSet<&str> = outcome.problems().map(Diagnostic::code).collect();
    let rules = code_pages().filter(|it| used.contains(it.code)).map(|page| {
        json!({
            "id": page.code,
            "shortDescription": { "text": page.title },
            "help": { "text": page.text, "markdown": page.text },
            "defaultConfiguration": { "level": level(page.severity) },
        })
    });
    let failures = outcome.failures.iter().map(|it| ("error", it.1.to_string()));
    let told = failures.chain(outcome.help.iter().map(|it| ("note", it.clone())));
    let told = told.map(|(level, text)| json!({ "level": level, "message": { "text": text } }));
    let whole = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "pleach",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": outcome.failures.is_empty(),
                "toolExecutionNotifications": told.collect::<Vec<_>>(),
            }],
            "results": outcome.problems().map(result).collect::<Vec<_>>(),
        }],
    });
    format!("{whole:#}\n")
}
