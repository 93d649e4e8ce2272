//! [`Desk`]: texts of files that are being edited, with everything that is known of them. It
//! answers the same questions as the language server, without a protocol.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use pleach::asset::{CheckOnly, Described, Diagnostic, Severity};
use pleach::tools::{INCLUDES, relative};
use pleach::{Library, Report};
use serde_json::Value as Json;

use crate::complete;
use crate::doc::{Doc, Form};
use crate::edit::{self, EditError, Edited, FieldText, Operation, Written};
use crate::fields::{built_in, include};
use crate::files::{Files, MOST_BYTES};
use crate::game::Game;
use crate::hover;
use crate::names;
use crate::navigate;
use crate::targets;
use crate::uri;
use crate::workspace::{Changed, Workspace};

/// The texts of files that are edited. The names of files are full paths with `/`; a file that is
/// not put here is read from the disk if another one includes it.
pub struct Desk<'g> {
    game: &'g Game<'g>,
    workspace: Workspace<'g>,
    versions: i64,
}

/// A problem of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The file.
    pub file: String,
    /// The bytes of its text.
    pub span: Range<usize>,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// Whether it is an error, not a warning.
    pub is_error: bool,
    /// Its code.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// A completion at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its label.
    pub label: String,
    /// The inserted text.
    pub text: String,
    /// What it is, in short.
    pub detail: String,
    /// What it does, in a paragraph.
    pub doc: String,
    /// What it replaces: bytes of the typed text.
    pub replaces: Range<usize>,
}

impl std::fmt::Debug for Desk<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("versions", &self.versions).finish_non_exhaustive()
    }
}

impl<'g> Desk<'g> {
    /// A desk without files.
    #[must_use]
    pub fn new(game: &'g Game<'g>) -> Self {
        Desk { game, workspace: Workspace::new(&game.manifest, Vec::new()), versions: 0 }
    }

    /// Sets the text of a file. Returns whether it is read: one that is too large is not.
    pub fn put(&mut self, file: &str, text: &str) -> bool {
        self.versions += 1;
        self.workspace.open(file, text, self.versions) != Changed::TooLarge
    }

    /// Forgets the text of a file.
    pub fn remove(&mut self, file: &str) {
        self.workspace.close(file);
    }

    /// Whether a file contains test cases.
    #[must_use]
    pub fn is_tests(&self, file: &str) -> bool {
        self.workspace.get(file).is_some_and(|it| it.form() == Form::Tests)
    }

    /// The name of a path.
    #[must_use]
    pub fn name(path: &Path) -> String {
        uri::of_path(path)
    }

    /// The files that a file names.
    #[must_use]
    pub fn includes(&self, file: &str) -> &[String] {
        self.workspace.included(file)
    }

    /// The nodes of a file, as far as they can be read.
    #[must_use]
    pub fn written(&self, file: &str) -> Vec<Written> {
        self.workspace.get(file).map(edit::of_doc).unwrap_or_default()
    }

    /// The nodes of another text of a file.
    #[must_use]
    pub fn written_in(&self, file: &str, text: &str) -> Vec<Written> {
        edit::written(&self.game.manifest, file, text)
    }

    /// The fields of a node.
    #[must_use]
    pub fn fields(&self, file: &str, node: usize) -> Vec<FieldText> {
        self.workspace.get(file).map(|it| edit::fields_of(&self.game.manifest, it, node)).unwrap_or_default()
    }

    /// The line and the column of a byte, from 1.
    #[must_use]
    pub fn place(&self, file: &str, byte: usize) -> Option<(usize, usize)> {
        let doc = self.workspace.get(file)?;
        let (line, _) = doc.lines.line_and_units(&doc.text, byte);
        let before = doc.text.get(..byte)?;
        let start = before.rfind('\n').map_or(0, |it| it + 1);
        Some((line + 1, before[start..].chars().count() + 1))
    }

    /// Every problem of a file and of those that it is checked with, whose names come first.
    #[must_use]
    pub fn check(&self, file: &str) -> (Vec<String>, Vec<Wrong>) {
        let form = |name: &str| self.workspace.ours(name).map(|it| it.form());
        let together = self.workspace.together(file);
        let trees: Vec<String> = together.into_iter().filter(|it| form(it) == Some(Form::Tree)).collect();
        let mut wrong = Vec::new();
        if !trees.is_empty() {
            of_report(&(self.game.check)(&Library::new(self.workspace.files()), &trees), &mut wrong);
        }
        let doc = self.workspace.get(file);
        if let (Some(Form::Tests), Some(doc), Some(check)) = (doc.map(|it| it.form()), doc, &self.game.check_tests) {
            let report = check(&mut Library::new(self.workspace.files()), file, &doc.text);
            report.iter().for_each(|it| of_report(it, &mut wrong));
        }
        if doc.is_some_and(|it| matches!(it.form(), Form::Begun | Form::Foreign)) {
            wrong.push(whole(file, "this is not a tree: a file begins with `Tree(version: 1, `"));
        }
        if self.workspace.is_too_large(file) {
            wrong.push(whole(
                file,
                &format!("this file is larger than {} MiB: it can only be edited as text", MOST_BYTES >> 20),
            ));
        }
        (std::iter::once(file.to_owned()).chain(trees.into_iter().filter(|it| it != file)).collect(), wrong)
    }

    /// The tree of a file, as these texts make it, without those of the desk. Leaves that the game
    /// does not know are taken as written.
    ///
    /// # Errors
    /// The text has errors, or one that it includes.
    pub fn describe(
        &self,
        file: &str,
        texts: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Described<CheckOnly>, Report> {
        let open = texts.into_iter().map(|(name, text)| (name, text.into())).collect();
        (self.game.describe)(&Library::new(Files { open }), file)
    }

    /// What can be written in a field of a node, with `before` typed before the cursor, and `after`
    /// after it.
    #[must_use]
    pub fn complete(&self, file: &str, node: usize, field: &str, before: &str, after: &str) -> Vec<Choice> {
        let Some(doc) = self.workspace.get(file) else { return Vec::new() };
        let Some((text, start)) = edit::with_value(&self.game.manifest, file, &doc.text, (node, field), before, after)
        else {
            return Vec::new();
        };
        let draft = Doc::new(&self.game.manifest, file, &text);
        let Json::Array(items) = complete::complete(&self.workspace, &draft, start + before.len(), false) else {
            return Vec::new();
        };
        let typed = before.len() + after.len();
        let inner = |it: &Json| Some(draft.byte(it)?.saturating_sub(start).min(typed));
        let choice = |it: &Json| {
            let range = &it["textEdit"]["range"];
            Some(Choice {
                label: it["label"].as_str()?.to_owned(),
                text: it["textEdit"]["newText"].as_str()?.to_owned(),
                detail: it["detail"].as_str().unwrap_or_default().to_owned(),
                doc: plain(it["documentation"]["value"].as_str().unwrap_or_default()),
                replaces: inner(&range["start"])?..inner(&range["end"])?,
            })
        };
        items.iter().filter_map(choice).collect()
    }

    /// The nodes that can be made in a file: kinds, leaves, templates, other files.
    #[must_use]
    pub fn kinds(&self, file: &str, node: usize) -> Vec<Choice> {
        let Some(doc) = self.workspace.get(file) else { return Vec::new() };
        let nodes = edit::of_doc(doc);
        let at = nodes.get(node).and_then(|it| doc.syntax.innermost(it.span.start));
        let keys = at.map(|it| names::keys_at(doc, it)).unwrap_or_default();
        let key = keys.first().map(|it| doc.word(it.name));
        let one = |name: &str| {
            let text = edit::made(&self.game.manifest, name, key);
            let leaf = self.game.manifest.leaf(name).map(|it| it.doc.clone());
            let built_in = built_in(name).map(|it| it.doc().to_owned());
            let doc = built_in.or(include(name).map(|it| it.doc.to_owned())).or(leaf).unwrap_or_default();
            Choice {
                label: name.to_owned(),
                text,
                detail: hover::detail(&self.workspace, name),
                doc: plain(&doc),
                replaces: 0..0,
            }
        };
        let mut all: Vec<Choice> = self.game.manifest.leaves.iter().map(|it| one(&it.name)).collect();
        all.extend(hover::kinds().map(|it| one(it.name())));
        for it in targets::templates(&self.workspace, doc) {
            let name = it.doc.word(it.name);
            let note = it.value.and_then(|value| it.doc.field(value, "note")).map(|it_note| it.doc.word(it_note));
            all.push(Choice {
                label: name.to_owned(),
                text: format!("Use(template: \"{name}\")"),
                detail: "template".to_owned(),
                doc: note.unwrap_or_default().to_owned(),
                replaces: 0..0,
            });
        }
        let trees = self.workspace.all().filter(|it| it.form() == Form::Tree && it.name != doc.name);
        all.extend(trees.map(|it| {
            let path = relative(&doc.name, &it.name);
            let text = format!("Subtree(asset: \"{path}\")");
            Choice { label: path, text, detail: "file".to_owned(), doc: String::new(), replaces: 0..0 }
        }));
        let holes = INCLUDES.iter().filter(|it| matches!(it.name, "Slot" | "Node" | "Nodes"));
        all.extend(holes.map(|it| one(it.name)));
        all
    }

    /// Edits a file. The desk keeps its text: put the new one.
    ///
    /// # Errors
    /// The operation is not possible: see [`edit()`](edit::edit).
    pub fn edit(&self, file: &str, operation: &Operation) -> Result<Edited, EditError> {
        match self.workspace.get(file) {
            Some(doc) => edit::edit(&self.game.manifest, file, &doc.text, operation),
            None => edit::refused("this file can only be edited as text"),
        }
    }

    /// Moves a node to a file of its own: the edit of its file, and the text of the new one.
    ///
    /// # Errors
    /// As [`extract`](edit::extract).
    pub fn extract(&self, file: &str, node: usize, new: &str) -> Result<(Edited, String), EditError> {
        match self.workspace.get(file) {
            Some(doc) => edit::extract(&self.game.manifest, file, &doc.text, node, new),
            None => edit::refused("this file can only be edited as text"),
        }
    }

    /// Renames what a field of a node declares or names: the new texts of all files that change.
    ///
    /// # Errors
    /// The field holds no name, or the new name is not possible.
    pub fn rename(
        &self,
        file: &str,
        node: usize,
        field: &str,
        new: &str,
    ) -> Result<BTreeMap<String, String>, EditError> {
        let held = self.fields(file, node).into_iter().find(|it| it.name == field).and_then(|it| it.span);
        let (Some(doc), Some(span)) = (self.workspace.get(file), held) else {
            return edit::refused(format!("there is no field `{field}` to rename"));
        };
        let inner = doc.syntax.innermost(span.start).map_or(span.clone(), |it| doc.syntax.word_span(&doc.text, it));
        let changes = navigate::rename(&self.workspace, doc, inner.start, new).or_else(edit::refused)?;
        let mut texts = BTreeMap::new();
        for (uri, edits) in changes["changes"].as_object().into_iter().flatten() {
            let name = uri::name(uri);
            let Some(doc) = self.workspace.get(&name) else { continue };
            let byte = |it: &Json| doc.byte(it).unwrap_or_default();
            let mut ranges: Vec<Range<usize>> = edits
                .as_array()
                .into_iter()
                .flatten()
                .map(|it| byte(&it["range"]["start"])..byte(&it["range"]["end"]))
                .collect();
            ranges.sort_by_key(|it| it.start);
            let mut text = doc.text.to_string();
            for it in ranges.into_iter().rev() {
                text.replace_range(it, new);
            }
            texts.insert(name, text);
        }
        Ok(texts)
    }
}

fn whole(file: &str, message: &str) -> Wrong {
    Wrong {
        file: file.to_owned(),
        span: 0..0,
        line: 1,
        column: 1,
        is_error: true,
        code: String::new(),
        message: message.to_owned(),
        help: None,
    }
}

fn of_report(report: &Report, wrong: &mut Vec<Wrong>) {
    let told = |it: &Diagnostic| Wrong {
        file: it.file().to_owned(),
        span: it.span(),
        line: it.line(),
        column: it.column(),
        is_error: it.severity() == Severity::Error,
        code: it.code().to_owned(),
        message: it.message().to_owned(),
        help: it.help().map(str::to_owned),
    };
    wrong.extend(report.diagnostics().iter().map(told));
    if let (more @ 1.., Some(last)) = (report.more(), wrong.last().map(|it| it.file.clone())) {
        wrong.push(whole(&last, &format!("... and {more} more problems")));
    }
}

/// The first paragraph that is not an example, without Markdown signs.
fn plain(text: &str) -> String {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if !is_code && line.trim().is_empty() && !lines.is_empty() {
            break;
        } else if !is_code {
            lines.push(line.trim());
        }
    }
    lines.join(" ").replace('`', "").trim().to_owned()
}
