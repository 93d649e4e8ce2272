//! Editing of trees: files, one undo over all of them, and saving.

mod diff;
mod disk;
mod history;
mod operations;
mod views;

use std::collections::BTreeMap;
use std::path::Path;

use pleach::tools::text::plain;
use pleach_lsp::{Desk, Game, Wrong};

use crate::error::AskError;
use crate::model::{EditQuestion, EditView, FileState};
use disk::{Disk, MOST_FILES};
use history::{History, Look, Text};

/// The most files that are all checked when opened. If there are more, only shown ones are checked.
const MOST_CHECKED: usize = 300;

/// The files of a directory while they are edited. Only [`EditQuestion::Save`] writes texts to the
/// disk.
pub struct Editor<'g> {
    desk: Desk<'g>,
    disk: Disk,
    /// The file that was named, if it is not the whole directory.
    only: Option<String>,
    files: BTreeMap<String, File>,
    history: History,
    /// Counts texts, so that each has a number of its own.
    seen: u64,
    /// The problems of checked files, by their paths.
    wrong: BTreeMap<String, Vec<Wrong>>,
    /// Whether the directory has more files than are edited.
    is_cut: bool,
}

/// A file that is edited.
#[derive(Debug)]
struct File {
    text: Text,
    /// The text on the disk when it was last read or written.
    base: Text,
    /// The text on the disk, if it has changed there and here.
    theirs: Option<Text>,
    seen: u64,
    /// The text before the last one was taken from the disk, and its number.
    replaced: Option<(u64, String)>,
    /// Why it cannot be read.
    closed: Option<String>,
}

impl File {
    /// Its text on the disk.
    fn on_disk(&self) -> &Text {
        self.theirs.as_ref().unwrap_or(&self.base)
    }

    fn state(&self) -> FileState {
        match (&self.closed, &self.theirs) {
            (Some(_), _) => FileState::Closed,
            (None, Some(None)) => FileState::Deleted,
            (None, Some(_)) => FileState::Conflict,
            (None, None) if self.text == self.base => FileState::Saved,
            (None, None) => FileState::Unsaved,
        }
    }
}

impl std::fmt::Debug for Editor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Editor").field("disk", &self.disk).field("files", &self.files.len()).finish_non_exhaustive()
    }
}

impl<'g> Editor<'g> {
    /// Opens a directory with all its files, or one file with those that it includes below its
    /// directory.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub fn open(game: &'g Game<'g>, path: &Path) -> Result<Self, AskError> {
        let refused = |why: String| AskError::Edit(format!("cannot edit `{}`: {why}", plain(&path.to_string_lossy())));
        let is_file = path.is_file();
        let full = std::fs::canonicalize(path).map_err(|it| refused(it.to_string()))?;
        let directory = if is_file { full.parent().unwrap_or(Path::new("/")) } else { &full };
        let disk = Disk::open(directory).map_err(refused)?;
        let only = full.file_name().filter(|_| is_file).map(|it| it.to_string_lossy().into_owned());
        if let Some(only) = &only {
            disk.path(only).map_err(refused)?;
        }
        let mut editor = Editor {
            desk: Desk::new(game),
            disk,
            only,
            files: BTreeMap::new(),
            history: History::default(),
            seen: 0,
            wrong: BTreeMap::new(),
            is_cut: false,
        };
        editor.look();
        if editor.files.len() <= MOST_CHECKED {
            let all: Vec<String> = editor.files.keys().cloned().collect();
            for file in all {
                if !editor.wrong.contains_key(&file) {
                    editor.check(&file);
                }
            }
        }
        Ok(editor)
    }

    /// Answers a question with JSON.
    ///
    /// # Errors
    /// It has no answer.
    pub fn answer(&mut self, question: EditQuestion) -> Result<Vec<u8>, AskError> {
        let answer = match question {
            EditQuestion::Files { file, seen } => {
                self.look();
                let is_new = |it: &String| seen.is_none() || self.files.get(it).map(|it| it.seen) != seen;
                serde_json::to_vec(&self.view(file.filter(is_new).map(|it| (it, None)), Vec::new()))
            }
            EditQuestion::Fields { file, node } => serde_json::to_vec(&self.fields(&file, node)),
            EditQuestion::Kinds { file, node } => serde_json::to_vec(&self.kinds(&file, node)),
            EditQuestion::Complete { file, node, field, before, after } => {
                serde_json::to_vec(&self.complete(&file, node, &field, &before, &after))
            }
            EditQuestion::Do { file, seen, change } => {
                let look = self.change(&file, seen, &change)?;
                serde_json::to_vec(&self.view(Some(look), Vec::new()))
            }
            EditQuestion::Undo => serde_json::to_vec(&self.turn(true)?),
            EditQuestion::Redo => serde_json::to_vec(&self.turn(false)?),
            EditQuestion::Save => {
                let notes = self.save();
                serde_json::to_vec(&self.view(None, notes))
            }
            EditQuestion::Settle { file, mine } => {
                self.settle(&file, mine)?;
                serde_json::to_vec(&self.view(Some((file, None)), Vec::new()))
            }
            EditQuestion::Difference { file } => serde_json::to_vec(&self.difference(&file)?),
            EditQuestion::Tests { .. } => {
                return Err(AskError::Edit("this studio cannot play tests".to_owned()));
            }
            EditQuestion::WhatIf { .. } => {
                return Err(AskError::Edit(
                    "the studio has no recording to play: start it with one and --trees".to_owned(),
                ));
            }
        };
        answer.map_err(AskError::Answer)
    }

    /// The texts of all files, by their paths below the directory.
    #[must_use]
    pub fn texts(&self) -> BTreeMap<String, String> {
        self.files.iter().filter_map(|(file, it)| Some((file.clone(), it.text.clone()?))).collect()
    }

    /// Compares all files with the disk. A file that has changed only there is taken from there;
    /// one that has changed here too is a conflict.
    fn look(&mut self) {
        let mut names: Vec<String> = match self.only.clone() {
            None => {
                let (names, is_all) = self.disk.files();
                self.is_cut = !is_all || names.len() > MOST_FILES;
                names
            }
            Some(only) => vec![only],
        };
        let known: Vec<String> = self.files.keys().filter(|it| !names.contains(it)).cloned().collect();
        names.extend(known);
        let mut at = 0;
        while let Some(file) = names.get(at).cloned() {
            at += 1;
            self.look_at(&file);
            if self.only.is_some() {
                let included: Vec<String> = self.desk.includes(&self.disk.name(&file)).to_vec();
                for it in included.iter().filter_map(|it| self.disk.below(it)) {
                    if !names.iter().any(|other| other == it) && self.disk.path(it).is_ok() {
                        names.push(it.to_owned());
                    }
                }
            }
        }
        self.files.retain(|_, it| it.text.is_some() || it.base.is_some() || it.closed.is_some());
    }

    fn look_at(&mut self, file: &str) {
        let read = self.disk.read(file);
        let Some(it) = self.files.get_mut(file) else {
            let (text, closed) = match read {
                Ok(text) => (text, None),
                Err(why) => (None, Some(why)),
            };
            let new = File { base: text.clone(), text: None, theirs: None, seen: 0, replaced: None, closed };
            self.files.insert(file.to_owned(), new);
            self.put(file, text);
            return;
        };
        match read {
            // It did not exist, or was closed, and can be read now.
            Ok(now) if it.text.is_none() && (it.base.is_none() || it.closed.is_some()) => {
                (it.closed, it.theirs, it.base) = (None, None, now.clone());
                self.put(file, now);
            }
            Ok(now) => {
                it.closed = None;
                if now == it.base {
                    it.theirs = None;
                } else if now == it.text {
                    (it.base, it.theirs) = (now, None);
                } else if it.text == it.base && now.is_some() && it.base.is_some() {
                    let seen = it.seen;
                    let before = std::mem::replace(&mut it.base, now.clone());
                    let look = (file.to_owned(), None);
                    let what = format!("change of `{file}` on the disk");
                    let replaced = before.clone().map(|it| (seen, it));
                    self.history.note(what, &[(file.to_owned(), before, now.clone())], [look.clone(), look]);
                    self.put(file, now).replaced = replaced;
                } else {
                    it.theirs = Some(now);
                }
            }
            // Typed text stays; the file cannot be saved until it can be read.
            Err(_) if it.text != it.base => {}
            Err(why) => it.closed = Some(why),
        }
    }

    /// Sets the text of a file.
    fn put(&mut self, file: &str, text: Text) -> &mut File {
        self.seen += 1;
        let name = self.disk.name(file);
        match &text {
            Some(it) => _ = self.desk.put(&name, it),
            None => self.desk.remove(&name),
        }
        let seen = self.seen;
        let new = || File { text: None, base: None, theirs: None, seen, replaced: None, closed: None };
        let it = self.files.entry(file.to_owned()).or_insert_with(new);
        (it.text, it.seen, it.replaced) = (text, seen, None);
        it
    }

    /// Sets the texts of files, as one change.
    fn make(&mut self, what: String, texts: BTreeMap<String, Text>, looks: [Look; 2]) {
        let of = |file: &str| self.files.get(file).and_then(|it| it.text.clone());
        let changes: Vec<(String, Text, Text)> =
            texts.into_iter().map(|(file, text)| (file.clone(), of(&file), text)).filter(|it| it.1 != it.2).collect();
        if changes.is_empty() {
            return;
        }
        self.history.note(what, &changes, looks);
        for (file, _, text) in changes {
            self.put(&file, text);
        }
    }

    fn turn(&mut self, is_undo: bool) -> Result<EditView, AskError> {
        let files = &self.files;
        let turned = self.history.turn(is_undo, |file| files.get(file).and_then(|it| it.text.clone()));
        let Some((texts, look)) = turned.map_err(AskError::Edit)? else { return Ok(self.view(None, Vec::new())) };
        for (file, text) in texts {
            self.put(&file, text);
        }
        Ok(self.view(Some(look), Vec::new()))
    }

    /// Writes all changed files. Returns the errors.
    fn save(&mut self) -> Vec<String> {
        self.look();
        let mut notes = Vec::new();
        for (file, it) in &mut self.files {
            match it.state() {
                FileState::Saved | FileState::Closed => {}
                FileState::Deleted => {
                    notes.push(format!("`{file}` is not saved: it is gone from the disk. Choose whether to keep it."))
                }
                FileState::Conflict => notes
                    .push(format!("`{file}` is not saved: it has changed on the disk, too. Choose which text stays.")),
                FileState::Unsaved => match self.disk.write(file, &it.base, &it.text) {
                    Ok(()) => it.base = it.text.clone(),
                    Err(why) => notes.push(format!("`{file}` is not saved: {why}.")),
                },
            }
        }
        notes
    }

    fn settle(&mut self, file: &str, mine: bool) -> Result<(), AskError> {
        let it = self.files.get_mut(file).filter(|it| it.theirs.is_some());
        let Some(it) = it else { return Err(AskError::Edit(format!("`{}` has no conflict", plain(file)))) };
        let theirs = it.theirs.take().unwrap_or_default();
        it.base = theirs.clone();
        if !mine {
            let look = (file.to_owned(), None);
            let texts = BTreeMap::from([(file.to_owned(), theirs)]);
            self.make(format!("taking `{file}` from the disk"), texts, [look.clone(), look]);
        }
        Ok(())
    }
}
