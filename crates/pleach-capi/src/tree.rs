//! Trees: loaded from text or baked bytes, and what they know of themselves.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use pleach_asset::{Report, Severity, check_str, load_baked, load_str};
use pleach_core::error::FindError;
use pleach_core::{NodeRef, Tree};
use pleach_dynamic::any_key;

use crate::error::{Failure, OwnedProblem, PLEACH_ERROR_REPORT, PLEACH_OK, entry, pleach_problem, pleach_result};
use crate::gate::Gate;
use crate::host::Game;
use crate::input::{self, pleach_write_fn};
use crate::out::Out;
use crate::registry::{RegistryObject, pleach_registry};
use crate::table::{self, Object};
use crate::value::{PLEACH_TYPE_NONE, number, pleach_key, pleach_type, type_from, type_of};

/// A tree. Any number of forests and brains run it. Freed by pleach_tree_free(); forests and brains
/// that run it keep it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pleach_tree {
    /// The id of the handle; 0 is null.
    pub id: u64,
}

#[derive(Clone)]
pub(crate) struct TreeObject {
    pub(crate) tree: Arc<Tree<Game>>,
    /// That of its registry.
    pub(crate) gate: Arc<Gate>,
}

impl Object for TreeObject {
    const NAME: &'static str = "a tree";
}

/// Receives a warning. The problem is valid during the call.
pub type pleach_problem_fn = Option<unsafe extern "C" fn(user: *mut c_void, problem: *const pleach_problem)>;

/// Tells of all warnings of a report.
///
/// # Safety
/// `tell` can be called with `user`.
pub(crate) unsafe fn warn(report: &Report, tell: pleach_problem_fn, user: *mut c_void) {
    let Some(tell) = tell else { return };
    for it in report.diagnostics().iter().filter(|it| it.severity() != Severity::Error) {
        let told = OwnedProblem::of(PLEACH_OK, it);
        let problem = told.problem();
        // SAFETY: as the caller promises.
        unsafe { tell(user, &raw const problem) };
    }
}

/// Keeps a tree, and writes its handle.
pub(crate) fn give(tree: Tree<Game>, gate: Arc<Gate>, to: Out<pleach_tree>) {
    let id = table::keep(TreeObject { tree: Arc::new(tree), gate });
    to.put(pleach_tree { id });
}

/// Loads a tree from text that includes no other file. `file` is its name in messages; no file is
/// opened. If `warn` is not null, it receives probable mistakes. If something is wrong,
/// pleach_last_error() has every problem with its line and column.
///
/// # Safety
/// `file` ends with a zero byte, `text` points to `length` bytes, `tree` points to a
/// pleach_tree, and `warn` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_tree_load(
    registry: pleach_registry,
    file: *const c_char,
    text: *const c_char,
    length: usize,
    warn: pleach_problem_fn,
    user: *mut c_void,
    tree: *mut pleach_tree,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let tree = unsafe { Out::new(tree, "tree") }?;
        // SAFETY: as the caller promises.
        let (file, text) = unsafe { (input::text(file, "file")?, input::sized_text(text, length, "text")?) };
        let (loaded, warnings, gate) = table::read(registry.id, |it: &RegistryObject| {
            let registry = &it.registry;
            let (tree, warnings) = if warn.is_some() {
                let (tree, warnings) = check_str(file, text, registry).map_err(|it| Failure::report(&it))?;
                (tree, Some(warnings))
            } else {
                (load_str(file, text, registry).map_err(|it| Failure::report(&it))?, None)
            };
            Ok((tree, warnings, Arc::clone(&it.gate)))
        })?;
        // SAFETY: as the caller promises. The registry is free meanwhile.
        warnings.iter().for_each(|it| unsafe { self::warn(it, warn, user) });
        give(loaded, gate, tree);
        Ok(())
    })
}

/// Loads a tree from bytes that pleach_library_bake() or `pleach bake` wrote. `file` is its name in
/// messages.
///
/// # Safety
/// `file` ends with a zero byte, `bytes` points to `length` bytes, and `tree` to a
/// pleach_tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_tree_load_baked(
    registry: pleach_registry,
    file: *const c_char,
    bytes: *const c_void,
    length: usize,
    tree: *mut pleach_tree,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let tree = unsafe { Out::new(tree, "tree") }?;
        // SAFETY: as the caller promises.
        let (file, bytes) = unsafe { (input::text(file, "file")?, input::list(bytes.cast::<u8>(), length, "bytes")?) };
        let (loaded, gate) = table::read(registry.id, |it: &RegistryObject| {
            let loaded = load_baked(file, bytes, &it.registry);
            Ok((loaded.map_err(|it| Failure::new(PLEACH_ERROR_REPORT, it.to_string()))?, Arc::clone(&it.gate)))
        })?;
        give(loaded, gate, tree);
        Ok(())
    })
}

/// Frees a tree. One with id 0 is fine.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_tree_free(tree: pleach_tree) -> pleach_result {
    entry(|| table::free::<TreeObject>(tree.id))
}

/// Writes the name of a tree.
///
/// # Safety
/// `write` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_tree_name(
    tree: pleach_tree,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        let tree = table::read(tree.id, |it: &TreeObject| Ok(Arc::clone(&it.tree)))?;
        // SAFETY: as the caller promises.
        unsafe { input::write(write, user, tree.name().as_bytes()) }
    })
}

/// Draws a tree as text, a line for each node.
///
/// # Safety
/// `write` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_tree_draw(
    tree: pleach_tree,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        let tree = table::read(tree.id, |it: &TreeObject| Ok(Arc::clone(&it.tree)))?;
        let text = pleach_draw::Drawing::of(&tree).text().to_string();
        // SAFETY: as the caller promises.
        unsafe { input::write(write, user, text.as_bytes()) }
    })
}

/// How many nodes a tree has. Nodes are numbered from 0.
///
/// # Safety
/// `count` points to a uint32_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_tree_nodes(tree: pleach_tree, count: *mut u32) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let count = unsafe { Out::new(count, "count") }?;
        let nodes = table::read(tree.id, |it: &TreeObject| Ok(it.tree.len()))?;
        count.put(u32::try_from(nodes).unwrap_or(u32::MAX));
        Ok(())
    })
}

/// A node by its name, its id, its path or as "n12".
pub(crate) fn find<'a>(tree: &'a Tree<Game>, name: &str) -> Result<NodeRef<'a, Game>, Failure> {
    let found = tree.find_id(name).map(|it| it.id()).or_else(|| tree.find_path(name).map(|it| it.id()));
    let found = found.map_or_else(|| tree.find_printed(name).map(|it| it.id()), Ok);
    let found: Result<_, FindError> = found.or_else(|why| tree.find_one(name).map(|it| it.id()).map_err(|_| why));
    tree.node(found.map_err(Failure::missing)?).ok_or_else(|| Failure::missing("the tree has no node with this number"))
}

/// The number of a node, by its name, its id, its path ("Selector/Sequence[0]") or as "n12".
///
/// # Safety
/// `name` ends with a zero byte; `node` points to a uint32_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_tree_find(tree: pleach_tree, name: *const c_char, node: *mut u32) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let node = unsafe { Out::new(node, "node") }?;
        // SAFETY: as the caller promises.
        let name = unsafe { input::text(name, "name") }?;
        node.put(table::read(tree.id, |it: &TreeObject| Ok(number(find(&it.tree, name)?.id())))?);
        Ok(())
    })
}

/// A key of a tree by its name: "speed", "group.plan", "global.alarm". `type` is the type that it
/// must have, or PLEACH_TYPE_NONE for any; the key holds its type.
///
/// # Safety
/// `name` ends with a zero byte; `key` points to a pleach_key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_tree_key(
    tree: pleach_tree,
    name: *const c_char,
    r#type: pleach_type,
    key: *mut pleach_key,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let key = unsafe { Out::new(key, "key") }?;
        // SAFETY: as the caller promises.
        let name = unsafe { input::text(name, "name") }?;
        let wanted = type_from(r#type)?;
        let found = table::read(tree.id, |it: &TreeObject| any_key(it.tree.schema(), name).map_err(Failure::missing))?;
        if r#type != PLEACH_TYPE_NONE && type_of(found.ty()) != r#type {
            let wanted = wanted.map_or(String::new(), |it| it.to_string());
            return Err(Failure::argument(format!("the key `{name}` is of type {}, not {wanted}", found.ty())));
        }
        key.put(pleach_key::of(found));
        Ok(())
    })
}
