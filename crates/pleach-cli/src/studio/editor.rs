//! Editing of trees, on a thread of its own that answers questions.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc;

use pleach::asset::CheckOnly;
use pleach::{Host, Registry};
use pleach_lsp::Game;
use pleach_studio_core::model::EditQuestion;
use pleach_studio_core::{AskError, Editor, Finder, Session};
use tokio::sync::oneshot;

use crate::args::StudioArgs;
use crate::failure::Failure;
use crate::files;
use crate::leaves;
use crate::paths::{directory_of, shown};
use crate::replay::Edits;
use crate::test::{self, Known};

type Answer = Result<Vec<u8>, AskError>;

/// Where questions about edits go.
pub(super) struct EditorThread {
    questions: mpsc::Sender<(EditQuestion, oneshot::Sender<Answer>)>,
    /// What is edited.
    pub(super) title: String,
}

impl EditorThread {
    /// # Errors
    /// The thread has ended, which says why on standard error.
    pub(super) async fn ask(&self, question: EditQuestion) -> Result<Answer, String> {
        let (send, answer) = oneshot::channel();
        let gone = "the part that edits trees has failed: start the studio again";
        self.questions.send((question, send)).map_err(|_| gone.to_owned())?;
        answer.await.map_err(|_| gone.to_owned())
    }
}

/// Whether a path means trees to edit, not a recording.
pub(super) fn is_trees(path: &Path) -> bool {
    path.is_dir() || path.extension().is_some_and(|it| it == "ron")
}

/// Opens trees, and answers questions about them from then on.
///
/// # Errors
/// They cannot be opened.
pub(super) fn start<H: Host>(
    own: &Registry<H>,
    game: &str,
    trees: &Path,
    args: &StudioArgs,
    session: Option<&mut Session>,
) -> Result<EditorThread, Failure> {
    let registry: Registry<CheckOnly> = match args.leaves.as_deref() {
        Some(file) => leaves::registry(file, [])?,
        None => own.check_only(),
    };
    // The recording of a running game is not played with other trees while it grows.
    let recording = session.and_then(|session| {
        session.beside_edits();
        Some((session.finder(), args.file.clone()?))
    });
    let root = if trees.is_file() { directory_of(trees).to_owned() } else { trees.to_owned() };
    let given = args.leaves.is_some();
    let (questions, asked) = mpsc::channel::<(EditQuestion, oneshot::Sender<Answer>)>();
    let (opened, is_open) = mpsc::channel();
    let (path, game, leaves) = (trees.to_owned(), game.to_owned(), args.leaves.clone());
    std::thread::spawn(move || {
        let known = match Known::new(&registry, &game, leaves.as_deref()) {
            Ok(known) => known,
            Err(failure) => return drop(opened.send(Err(failure))),
        };
        let edits = |file| Edits {
            own: &registry,
            given: given.then_some(&registry),
            game: &game,
            file,
            leaves: leaves.as_deref(),
        };
        let known_game =
            Game::new(&registry).check_tests(|library, name, text| test::problems(&known, library, name, text));
        // The texts by the names that the program knows files by.
        let named = |texts: BTreeMap<String, String>| -> BTreeMap<String, String> {
            texts.into_iter().map(|(name, text)| (files::name(&root.join(name)), text)).collect()
        };
        let mut editor = match Editor::open(&known_game, &path) {
            Ok(editor) => editor,
            Err(error) => return drop(opened.send(Err(Failure::Usage(error.to_string())))),
        };
        _ = opened.send(Ok(()));
        for (question, answer) in asked {
            let answered = catch_unwind(AssertUnwindSafe(|| match (question, &recording) {
                (EditQuestion::WhatIf { agent }, Some((finder, file))) => {
                    what_if(finder, &edits(file), &named(editor.texts()), agent)
                }
                (EditQuestion::Tests { file }, _) => {
                    let name = files::name(&root.join(&file));
                    let mut tested = test::tested(&known, &named(editor.texts()), &name);
                    let above = files::name(&root.join(""));
                    for it in &mut tested.cases {
                        it.file = it.file.strip_prefix(&above).unwrap_or(&it.file).trim_start_matches('/').to_owned();
                    }
                    editor.tests(&file, tested.cases, tested.left_out, &tested.counts)
                }
                (question, _) => editor.answer(question),
            }));
            // A bug of ours must not lose unsaved changes.
            let failed =
                |_| Err(AskError::Edit("pleach failed to answer; please report this, and save your files".into()));
            let answered = answered.unwrap_or_else(failed);
            // The asker may have gone.
            _ = answer.send(answered);
        }
    });
    let lost = |_| Failure::Failed(format!("`{}` cannot be opened", shown(trees)));
    is_open.recv().map_err(lost)??;
    let name = trees.file_name().map(|it| it.to_string_lossy().into_owned());
    let title = name.unwrap_or_else(|| shown(trees));
    Ok(EditorThread { questions, title: pleach::tools::text::plain(&title).into_owned() })
}

/// What an agent of a recording would have done under these texts of trees.
fn what_if(finder: &Finder, edits: &Edits<'_, CheckOnly>, texts: &BTreeMap<String, String>, agent: u32) -> Answer {
    let trees = edits.trees(finder.bytes(), texts).map_err(|it| AskError::Edit(it.to_string()))?;
    serde_json::to_vec(&finder.what_if(trees, agent)?).map_err(AskError::Answer)
}
