//! `pleach.Board`: keys that several brains share.

use std::sync::{Arc, Mutex, MutexGuard};

use pleach_core::schema::Scope;
use pleach_core::{Brain, SharedBoard, Tree};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::error;
use crate::forest::{packed, unpacked};
use crate::host::Script;
use crate::key::no_pickle;
use crate::said;
use crate::shared::only;
use crate::tree::PyTree;
use crate::value;

/// A board, and trees that declare its keys.
pub(crate) struct BoardWithTrees {
    board: SharedBoard,
    trees: Vec<Arc<Tree<Script>>>,
}

/// The boards that a brain shares: of its group keys, and of its global keys.
#[derive(Clone, Default)]
pub(crate) struct Boards {
    group: Option<Arc<Mutex<BoardWithTrees>>>,
    global: Option<Arc<Mutex<BoardWithTrees>>>,
}

impl Boards {
    /// Makes a call of a brain while it has the values of its boards.
    pub(crate) fn share<R>(
        &self,
        brain: &mut Brain<Script>,
        call: impl FnOnce(&mut Brain<Script>) -> PyResult<R>,
    ) -> PyResult<R> {
        with_board(self.group.as_deref(), brain, |brain| with_board(self.global.as_deref(), brain, call))
    }

    pub(crate) fn put(&mut self, board: &PyBoard) {
        let place = if board.scope == Scope::Group { &mut self.group } else { &mut self.global };
        *place = Some(Arc::clone(&board.lent));
    }
}

fn with_board<R>(
    board: Option<&Mutex<BoardWithTrees>>,
    brain: &mut Brain<Script>,
    call: impl FnOnce(&mut Brain<Script>) -> PyResult<R>,
) -> PyResult<R> {
    let Some(board) = board else { return call(brain) };
    let mut lent = only(board, "board")?;
    let BoardWithTrees { board, trees } = &mut *lent;
    let tree = Arc::clone(brain.tree());
    let mut sharing = brain.sharing(board).map_err(error)?;
    know(trees, tree);
    call(&mut sharing)
}

/// Notes a tree, replacing any other version of it.
fn know(trees: &mut Vec<Arc<Tree<Script>>>, tree: Arc<Tree<Script>>) {
    if !trees.iter().any(|it| Arc::ptr_eq(it, &tree)) {
        trees.retain(|it| it.name() != tree.name());
        trees.push(tree);
    }
}

/// Group keys or global keys that several brains share: `Brain.share`.
#[pyclass(frozen, module = "pleach._pleach", name = "Board")]
pub(crate) struct PyBoard {
    lent: Arc<Mutex<BoardWithTrees>>,
    scope: Scope,
}

impl PyBoard {
    fn new(scope: Scope, board: SharedBoard, tree: &Arc<Tree<Script>>) -> Self {
        let lent = BoardWithTrees { board, trees: vec![Arc::clone(tree)] };
        PyBoard { lent: Arc::new(Mutex::new(lent)), scope }
    }

    fn lock(&self) -> PyResult<MutexGuard<'_, BoardWithTrees>> {
        only(&self.lent, "board")
    }
}

#[pymethods]
impl PyBoard {
    /// The group keys of a tree, with their defaults: those that a squad shares.
    #[staticmethod]
    fn of_group(tree: &Bound<'_, PyTree>) -> PyBoard {
        let tree = &tree.get().0.tree;
        PyBoard::new(Scope::Group, SharedBoard::of_group(tree), tree)
    }

    /// The global keys of a tree, with their defaults: those that all agents share.
    #[staticmethod]
    fn of_globals(tree: &Bound<'_, PyTree>) -> PyBoard {
        let tree = &tree.get().0.tree;
        PyBoard::new(Scope::Global, SharedBoard::of_globals(tree), tree)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        let lent = self.lock()?;
        said::value(py, &lent.trees, lent.board.keys().value(key).map_err(error)?)
    }

    fn __setitem__(&self, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let ty = self.lock()?.board.keys().value(key).map_err(error)?.ty();
        // Reading the value calls Python, which may call this board, so it is not locked here.
        let value = value::from_python(ty, value, &format!("the key `{key}`"))?;
        self.lock()?.board.keys_mut().set_value(key, value).map(drop).map_err(error)
    }

    /// Takes the declarations of a new version of a tree, once its brains have that version. Values
    /// stay.
    fn follow(&self, tree: &Bound<'_, PyTree>) -> PyResult<()> {
        let (mut lent, tree) = (self.lock()?, &tree.get().0.tree);
        lent.board.follow(tree);
        know(&mut lent.trees, Arc::clone(tree));
        Ok(())
    }

    /// The values of the keys as bytes, to be stored with the saves of the brains.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        packed(py, postcard::to_stdvec(&self.lock()?.board))
    }

    /// Restores it from a save.
    fn restore(&self, save: &[u8]) -> PyResult<()> {
        let saved: SharedBoard = unpacked(postcard::take_from_bytes(save))?;
        let mut lent = self.lock()?;
        let BoardWithTrees { board, trees } = &mut *lent;
        board.restore(saved, trees.iter().map(|it| &**it)).map_err(error)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Board"))
    }
}
