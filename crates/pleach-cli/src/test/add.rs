//! Adds a case to a test file.

use std::path::{Path, PathBuf};

use pleach::Save;
use pleach::asset::format_str;
use pleach::tools::ron::{Arguments, Datum, Document, Problem, Shape};

use super::cases::looked_up;
use super::file::TestFile;
use super::play::play;
use super::read;
use super::write::CaseText;
use crate::failure::Failure;
use crate::paths::is_file;
use crate::stage::{Loaded, Paper};
use crate::{files, output, rewrite};

/// A test file to which a case is added.
pub(crate) struct Cases {
    path: PathBuf,
    name: String,
    /// The file of the tree.
    tree: String,
    /// The file as it is, if it exists.
    before: Option<(String, TestFile)>,
    text: String,
}

impl Cases {
    /// Reads the file if it exists. `tree` is the file of the tree, beside it.
    ///
    /// # Errors
    /// It is not a test file.
    pub(crate) fn open(path: &Path, tree: &str) -> Result<Self, Failure> {
        let name = files::name(path);
        let before = if is_file(path) {
            let text = files::read(path)?;
            let file = read::read(&name, &text).map_err(|it| files::told(&it))?;
            Some((text, file))
        } else {
            None
        };
        Ok(Cases { path: path.into(), name, tree: tree.into(), before, text: String::new() })
    }

    /// A name that no case has: this one, perhaps with a number.
    pub(crate) fn free_name(&self, name: &str) -> String {
        let cases = self.before.as_ref().map_or(&[][..], |it| &it.1.cases);
        let is_free = |name: &String| cases.iter().all(|it| it.name.it != *name);
        let again = (2..).map(|it| format!("{name} ({it})"));
        let found = std::iter::once(name.to_owned()).chain(again).find(is_free);
        found.unwrap_or_default()
    }

    /// Adds the case after all others.
    ///
    /// # Errors
    /// The text cannot be formatted.
    pub(crate) fn add(&mut self, case: &CaseText) -> Result<(), Failure> {
        let text = match &self.before {
            None => case.file(&self.tree),
            Some((text, file)) => {
                let tree = Some(&*self.tree).filter(|it| tree_of(&file.document) != Some(it));
                let mut text = text.clone();
                let (end, last) = end_of_cases(&file.document, &text).unwrap_or((text.len(), None));
                text.insert_str(end, &format!("\n{}", case.entry(tree, true)));
                last.into_iter().for_each(|it| text.insert(it, ','));
                text
            }
        };
        self.text = format_str(&self.name, &text).map_err(|it| files::told(&it))?;
        Ok(())
    }

    /// Plays the case of this name with leaves that answer as the case says.
    ///
    /// # Errors
    /// It cannot be read, or does not pass.
    pub(crate) fn check(&self, name: &str, loaded: &Loaded, save: &Save) -> Result<(), String> {
        let file = read::read(&self.name, &self.text).map_err(|it| it.to_string())?;
        let case = file.cases.iter().find(|it| it.name.it == name).ok_or("the case is not in its file")?;
        let problems = |all: Vec<Problem>| file.document.report(all).to_string();
        let (plan, answers) = looked_up(case, loaded).map_err(problems)?;
        loaded.answers.forget();
        for (whom, answer) in answers {
            loaded.answers.say(whom, answer.clone());
        }
        let mut scene = Paper::restored(&loaded.tree, save)?;
        let played = play(&mut scene, &plan, &loaded.answers, &case.name.span, case.dt, false)?;
        played.failed.map_or(Ok(()), |failed| {
            let misses: Vec<String> = failed.misses.into_iter().map(|it| it.message).collect();
            Err(format!("the case does not pass at tick {}: {}", failed.tick, misses.join("; ")))
        })
    }

    /// Writes the file.
    ///
    /// # Errors
    /// The system's, or the file has changed since.
    pub(crate) fn write(&self) -> Result<(), Failure> {
        match &self.before {
            Some((before, _)) => rewrite::replace(&self.path, before, &self.text),
            None => output::write(&self.path, &self.text),
        }
    }
}

/// The tree of all cases of a file.
fn tree_of(document: &Document) -> Option<&str> {
    match &field(document, "tree")?.shape {
        Shape::Text(it) => Some(it),
        _ => None,
    }
}

fn field<'d>(document: &'d Document, name: &str) -> Option<&'d Datum> {
    let Shape::Call(_, Arguments::Named(fields)) = &document.root().shape else { return None };
    fields.iter().find(|it| it.0.text == name).map(|it| &it.1)
}

/// Where another case can be inserted, and where a comma is missing before it.
fn end_of_cases(document: &Document, text: &str) -> Option<(usize, Option<usize>)> {
    let cases = field(document, "cases")?;
    let Shape::Map(entries) = &cases.shape else { return None };
    let (last, end) = (entries.last()?.1.span.end, cases.span.end - 1);
    Some((end, Some(last).filter(|_| !has_comma(&text[last..end]))))
}

/// Whether there is a comma outside of comments.
fn has_comma(mut text: &str) -> bool {
    loop {
        text = text.trim_start();
        let after = if let Some(line) = text.strip_prefix("//") {
            line.split_once('\n')
        } else if let Some(block) = text.strip_prefix("/*") {
            block.split_once("*/")
        } else {
            return text.starts_with(',');
        };
        text = after.map_or("", |it| it.1);
    }
}
