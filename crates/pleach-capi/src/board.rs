//! Boards: keys that several brains share.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, RwLock};

use pleach_core::schema::Scope;
use pleach_core::{Brain, SharedBoard, Tree};

use crate::error::{Failure, entry, pleach_result};
use crate::groups::{get, set};
use crate::host::Game;
use crate::input::{self, pleach_write_fn};
use crate::out::Out;
use crate::save::{pack, unpack};
use crate::table::{self, Object};
use crate::tree::{TreeObject, pleach_tree};
use crate::value::pleach_value;

/// Group keys or global keys that several brains share: pleach_brain_share(). Freed by
/// pleach_board_free(); brains that share it keep it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pleach_board {
    /// The id of the handle; 0 is null.
    pub id: u64,
}

pub(crate) struct BoardObject {
    board: SharedBoard,
    pub(crate) scope: Scope,
}

impl Object for BoardObject {
    const NAME: &'static str = "a board";
}

/// The boards that a brain shares: of its group keys, and of its global keys.
#[derive(Clone, Default)]
pub(crate) struct Boards {
    pub(crate) group: Option<Arc<RwLock<BoardObject>>>,
    pub(crate) global: Option<Arc<RwLock<BoardObject>>>,
}

impl Boards {
    /// Makes a call of a brain while it has what its boards hold.
    pub(crate) fn shared<R>(
        &self,
        brain: &mut Brain<Game>,
        call: impl FnOnce(&mut Brain<Game>) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        with_board(self.group.as_deref(), brain, |brain| with_board(self.global.as_deref(), brain, call))
    }
}

fn with_board<R>(
    board: Option<&RwLock<BoardObject>>,
    brain: &mut Brain<Game>,
    call: impl FnOnce(&mut Brain<Game>) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let Some(board) = board else { return call(brain) };
    table::change(board, |it| call(&mut *brain.sharing(&mut it.board).map_err(Failure::refused)?))
}

/// # Safety
/// `board` points to a pleach_board.
unsafe fn new(
    tree: pleach_tree,
    board: *mut pleach_board,
    (scope, of): (Scope, impl FnOnce(&Tree<Game>) -> SharedBoard),
) -> Result<(), Failure> {
    // SAFETY: as the caller promises.
    let out = unsafe { Out::new(board, "board") }?;
    let board = table::read(tree.id, |it: &TreeObject| Ok(of(&it.tree)))?;
    out.put(pleach_board { id: table::keep(BoardObject { board, scope }) });
    Ok(())
}

/// Makes a board of the group keys of a tree, with their defaults: those that a squad shares.
///
/// # Safety
/// `board` points to a pleach_board.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_board_of_group(tree: pleach_tree, board: *mut pleach_board) -> pleach_result {
    // SAFETY: as the caller promises.
    entry(|| unsafe { new(tree, board, (Scope::Group, SharedBoard::of_group)) })
}

/// Makes a board of the global keys of a tree, with their defaults: those that all agents share.
///
/// # Safety
/// `board` points to a pleach_board.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_board_of_globals(tree: pleach_tree, board: *mut pleach_board) -> pleach_result {
    // SAFETY: as the caller promises.
    entry(|| unsafe { new(tree, board, (Scope::Global, SharedBoard::of_globals)) })
}

/// Frees a board. One with id 0 is fine.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_board_free(board: pleach_board) -> pleach_result {
    entry(|| table::free::<BoardObject>(board.id))
}

/// Updates a board to the declarations of a new version of a tree, once its brains have that
/// version: pleach_brain_replace_tree(). Values stay.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_board_follow(board: pleach_board, tree: pleach_tree) -> pleach_result {
    entry(|| {
        let tree = table::read(tree.id, |it: &TreeObject| Ok(Arc::clone(&it.tree)))?;
        table::with(board.id, |it: &mut BoardObject| {
            it.board.follow(&tree);
            Ok(())
        })
    })
}

/// What a key of a board holds, by its name without a scope: "plan".
///
/// # Safety
/// `name` ends with a zero byte; `value` points to a pleach_value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_board_get(
    board: pleach_board,
    name: *const c_char,
    value: *mut pleach_value,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let (value, name) = unsafe { (Out::new(value, "value")?, input::text(name, "name")?) };
        value.put(table::read(board.id, |it: &BoardObject| get(it.board.keys(), name))?);
        Ok(())
    })
}

/// Writes a key of a board, by its name without a scope.
///
/// # Safety
/// `name` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_board_set(
    board: pleach_board,
    name: *const c_char,
    value: pleach_value,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let name = unsafe { input::text(name, "name") }?;
        table::with(board.id, |it: &mut BoardObject| set(it.board.keys_mut(), name, value))
    })
}

/// Saves a board as bytes, to be stored with the saves of its brains. They are handed to `write`,
/// in one call.
///
/// # Safety
/// `write` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_board_save(
    board: pleach_board,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        let bytes = table::read(board.id, |it: &BoardObject| pack(&it.board))?;
        // SAFETY: as the caller promises.
        unsafe { input::write(write, user, &bytes) }
    })
}

/// Restores a board from what pleach_board_save() wrote. Its keys are those of `tree`.
///
/// # Safety
/// `bytes` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_board_restore(
    board: pleach_board,
    tree: pleach_tree,
    bytes: *const c_void,
    length: usize,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let saved: SharedBoard = unpack(unsafe { input::list(bytes.cast::<u8>(), length, "bytes") }?)?;
        let tree = table::read(tree.id, |it: &TreeObject| Ok(Arc::clone(&it.tree)))?;
        table::with(board.id, |it: &mut BoardObject| it.board.restore(saved, [&*tree]).map_err(Failure::refused))
    })
}
