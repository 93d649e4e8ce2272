//! Files for a page.

use std::collections::BTreeMap;

use pleach::tools::kinds::NodeClass;
use pleach::tools::text::plain;
use pleach_lsp::edit::Written;
use pleach_lsp::{Choice, Wrong};

use super::Editor;
use super::history::Look;
use crate::error::AskError;
use crate::model::{
    CaseView, ChoiceView, Class, Counted, EditView, FieldView, FileRow, FileView, NodeView, Place, ProblemView,
    TestsView, TreeView,
};

impl Editor<'_> {
    /// All files, and one of them.
    pub(super) fn view(&mut self, look: Option<Look>, mut notes: Vec<String>) -> EditView {
        let shown = look.as_ref().and_then(|it| self.file(&it.0));
        let node = look.as_ref().and_then(|it| it.1).filter(|_| shown.is_some());
        if self.is_cut {
            notes.push("The directory has more files than can be edited at once: name a part of it.".to_owned());
        }
        if let Some((file, _)) = &look {
            let closed = self.files.get(file).and_then(|it| it.closed.as_ref());
            notes.extend(closed.map(|why| format!("`{}` cannot be read: {why}.", plain(file))));
        }
        let count = |file: &str, is_error: bool| {
            self.wrong.get(file).map_or(0, |it| it.iter().filter(|it| it.is_error == is_error).count())
        };
        let files = self.files.iter().filter(|(_, it)| it.text.is_some() || it.base.is_some() || it.closed.is_some());
        let files = files.map(|(name, it)| FileRow {
            name: name.clone(),
            state: it.state(),
            errors: count(name, true) + usize::from(it.closed.is_some()),
            warnings: count(name, false),
        });
        EditView {
            files: files.collect(),
            undo: self.history.undo_what().map(str::to_owned),
            redo: self.history.redo_what().map(str::to_owned),
            shown,
            node,
            notes,
        }
    }

    /// Finds the problems of a file, and of those that it is checked with.
    pub(super) fn check(&mut self, file: &str) {
        let (names, all) = self.desk.check(&self.disk.name(file));
        let of = |name: &str| self.disk.below(name).map(str::to_owned);
        let names: Vec<String> = names.iter().filter_map(|it| of(it)).collect();
        for name in &names {
            self.wrong.insert(name.clone(), Vec::new());
        }
        for it in all {
            // A problem of a file that is not edited is reported at this one.
            let (name, it) = match of(&it.file) {
                Some(name) => (name, it),
                None => {
                    (file.to_owned(), Wrong { message: format!("in `{}`: {}", it.file, it.message), span: 0..0, ..it })
                }
            };
            let known = self.wrong.entry(name).or_default();
            if !known.contains(&it) {
                known.push(it);
            }
        }
    }

    fn file(&mut self, file: &str) -> Option<FileView> {
        let it = self.files.get(file)?;
        let (text, state, seen) = (it.text.clone()?, it.state(), it.seen);
        self.check(file);
        let name = self.disk.name(file);
        let written = self.desk.written(&name);
        let starts = line_starts(&text);
        let line = |byte: usize| starts.partition_point(|it| *it <= byte);
        let lines: Vec<(usize, usize)> = written
            .iter()
            .map(|it| (line(it.span.start), line(it.span.end.saturating_sub(1).max(it.span.start))))
            .collect();
        let nodes = nodes(file, &text, &written);
        let wrong = self.wrong.get(file).map_or(&[][..], |it| it);
        let problems = wrong.iter().map(|it| {
            let node =
                written.iter().rposition(|node| node.span.start <= it.span.start && it.span.start <= node.span.end);
            let node = node.filter(|_| it.span.end > 0);
            let fields = || node.map(|at| self.desk.fields(&name, at)).unwrap_or_default();
            let is_there = |span: &std::ops::Range<usize>| span.start <= it.span.start && it.span.end <= span.end;
            let field = fields().into_iter().find(|field| field.span.as_ref().is_some_and(is_there));
            ProblemView {
                node,
                field: field.map(|it| it.name),
                line: it.line,
                column: it.column,
                error: it.is_error,
                code: it.code.clone(),
                message: it.help.as_ref().map_or_else(|| it.message.clone(), |help| format!("{}; {help}", it.message)),
            }
        });
        let tree = TreeView {
            name: plain(file).into_owned(),
            version: 1,
            nodes,
            keys: Vec::new(),
            events: Vec::new(),
            width: 0.0,
            height: 0.0,
        };
        let off = written.iter().enumerate().filter(|it| it.1.disabled).map(|it| it.0).collect();
        let problems = problems.collect();
        Some(FileView { name: file.to_owned(), state, seen, text, tree, lines, off, problems })
    }

    /// The results of the tests of a file, as JSON. `counts` are their counts at its places, each a
    /// line and a column.
    ///
    /// # Errors
    /// There is no such file.
    pub fn tests(
        &mut self,
        file: &str,
        cases: Vec<CaseView>,
        left_out: usize,
        counts: &BTreeMap<(usize, usize), Counted>,
    ) -> Result<Vec<u8>, AskError> {
        let shown = self.file(file).ok_or_else(|| AskError::Edit(format!("there is no file `{}`", plain(file))))?;
        let place = |it: &NodeView| it.place.as_ref().map(|it| (it.line, it.column));
        let counted = |it: &NodeView| place(it).and_then(|it| counts.get(&it)).copied();
        let nodes = shown.tree.nodes.iter().map(counted).collect();
        let view = TestsView { file: file.to_owned(), seen: shown.seen, cases, left_out, nodes };
        serde_json::to_vec(&view).map_err(AskError::Answer)
    }

    /// The name by which the desk knows a file, if its text is edited here.
    fn known(&self, file: &str) -> Option<String> {
        self.files.get(file).filter(|it| it.text.is_some() && it.closed.is_none()).map(|_| self.disk.name(file))
    }

    pub(super) fn fields(&self, file: &str, node: usize) -> Vec<FieldView> {
        let all = self.known(file).map(|it| self.desk.fields(&it, node)).unwrap_or_default().into_iter();
        all.map(|it| FieldView {
            name: it.name,
            value: it.value,
            what: it.what,
            doc: it.doc.replace('`', ""),
            default: it.default,
            required: it.is_required,
            common: it.is_common,
            words: it.words,
            is_name: it.is_name,
        })
        .collect()
    }

    pub(super) fn kinds(&self, file: &str, node: usize) -> Vec<ChoiceView> {
        self.known(file)
            .map(|it| self.desk.kinds(&it, node))
            .unwrap_or_default()
            .into_iter()
            .map(|it| choice(it, ""))
            .collect()
    }

    pub(super) fn complete(&self, file: &str, node: usize, field: &str, before: &str, after: &str) -> Vec<ChoiceView> {
        let typed = format!("{before}{after}");
        let known = self.known(file);
        let all = known.map(|it| self.desk.complete(&it, node, field, before, after)).unwrap_or_default();
        all.into_iter().map(|it| choice(it, &typed)).collect()
    }
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|it| it.0 + 1)).collect()
}

/// The nodes of a text, with their places in it.
pub(super) fn nodes(file: &str, text: &str, written: &[Written]) -> Vec<NodeView> {
    let starts = line_starts(text);
    let place = |it: &Written| {
        let line = starts.partition_point(|start| *start <= it.span.start);
        let before = text.get(starts[line - 1]..it.span.start).unwrap_or_default();
        Place { file: file.to_owned(), line, column: before.chars().count() + 1 }
    };
    written.iter().enumerate().map(|(id, it)| node(id, it, place(it))).collect()
}

fn node(id: usize, it: &Written, place: Place) -> NodeView {
    let shown = |it: &String| plain(it).into_owned();
    let kind = shown(&it.kind);
    let label = std::iter::once(kind.clone()).chain(it.detail.iter().map(shown)).collect::<Vec<_>>().join(" ");
    NodeView {
        id,
        parent: it.parent,
        depth: it.depth,
        kind,
        kind_is: match it.class {
            Some(NodeClass::Composite) | None => Class::Composite,
            Some(NodeClass::Decorator) => Class::Decorator,
            Some(NodeClass::Condition) => Class::Condition,
            Some(NodeClass::Action) => Class::Action,
        },
        of_game: false,
        label,
        name: it.name.as_ref().map(shown),
        detail: it.detail.iter().map(shown).collect(),
        edge: it.edge.as_ref().map(shown),
        part: None,
        place: Some(place),
        note: None,
        conditionals: Vec::new(),
        x: 0.0,
        y: 0.0,
        w: 0.0,
        h: 0.0,
    }
}

fn choice(it: Choice, typed: &str) -> ChoiceView {
    let units = |byte: usize| typed.get(..byte).unwrap_or(typed).encode_utf16().count();
    let (from, to) = (units(it.replaces.start), units(it.replaces.end));
    ChoiceView { label: it.label, text: it.text, detail: it.detail, doc: it.doc, from, to }
}
