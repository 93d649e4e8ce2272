//! Libraries: trees in files that include each other, on the disk or in memory.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};

use pleach_asset::{Directory, Library, LoadError, Report};

use crate::error::{Failure, PLEACH_ERROR_FILE, entry, pleach_result};
use crate::forest::{ForestObject, note_leaves, pleach_forest};
use crate::input::{self, pleach_write_fn};
use crate::registry::{RegistryObject, pleach_registry};
use crate::table::{self, Object};
use crate::tree::{give, pleach_problem_fn, pleach_tree, warn};
use crate::value::pleach_tree_id;

/// Trees in files that include each other. Freed by pleach_library_free().
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pleach_library {
    /// The id of the handle; 0 is null.
    pub id: u64,
}

/// Where its files come from.
enum LibraryObject {
    Directory(Library<Directory>),
    Memory(Library<BTreeMap<String, Vec<u8>>>),
}

impl Object for LibraryObject {
    const NAME: &'static str = "a library";
}

/// The library of its kind, whatever that is.
macro_rules! library {
    ($object:expr, $it:ident => $then:expr) => {
        match $object {
            LibraryObject::Directory($it) => $then,
            LibraryObject::Memory($it) => $then,
        }
    };
}

/// Opens the library of a directory and everything below it.
///
/// # Safety
/// `directory` ends with a zero byte; `library` points to a pleach_library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_library_open(directory: *const c_char, library: *mut pleach_library) -> pleach_result {
    entry(|| {
        input::pointer(library, "library")?;
        // SAFETY: as the caller promises.
        let directory = unsafe { input::text(directory, "directory") }?;
        let opened = Library::open(directory)
            .map_err(|it| Failure::new(PLEACH_ERROR_FILE, format!("cannot open the library `{directory}`: {it}")))?;
        let id = table::keep(LibraryObject::Directory(opened));
        // SAFETY: as the caller promises.
        unsafe { input::put(library, pleach_library { id }) };
        Ok(())
    })
}

/// Makes a library without files, which pleach_library_put() adds.
///
/// # Safety
/// `library` points to a pleach_library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_library_new(library: *mut pleach_library) -> pleach_result {
    entry(|| {
        input::pointer(library, "library")?;
        let id = table::keep(LibraryObject::Memory(Library::new(BTreeMap::new())));
        // SAFETY: as the caller promises.
        unsafe { input::put(library, pleach_library { id }) };
        Ok(())
    })
}

/// Frees a library. One with id 0 is fine.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_library_free(library: pleach_library) -> pleach_result {
    entry(|| table::free::<LibraryObject>(library.id))
}

/// Puts a file into a library of pleach_library_new(), in place of one of that name. The bytes are
/// copied.
///
/// # Safety
/// `name` ends with a zero byte; `text` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_library_put(
    library: pleach_library,
    name: *const c_char,
    text: *const c_char,
    length: usize,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let (name, bytes) = unsafe { (input::text(name, "name")?, input::list(text.cast::<u8>(), length, "text")?) };
        table::with(library.id, |it: &mut LibraryObject| match it {
            LibraryObject::Memory(it) => {
                it.source_mut().insert(name.into(), bytes.into());
                Ok(())
            }
            LibraryObject::Directory(_) => Err(Failure::refused("the library is of a directory: write the file there")),
        })
    })
}

/// Loads the tree of a file with everything that it includes.
///
/// # Safety
/// `name` ends with a zero byte; `tree` points to a pleach_tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_library_load(
    library: pleach_library,
    registry: pleach_registry,
    name: *const c_char,
    tree: *mut pleach_tree,
) -> pleach_result {
    entry(|| {
        input::pointer(tree, "tree")?;
        // SAFETY: as the caller promises.
        let name = unsafe { input::text(name, "name") }?;
        let (loaded, thread_safe) = with_both(library, registry, |library, registry| {
            let loaded = library!(library, it => it.load(name, &registry.registry));
            Ok((loaded.map_err(|it| Failure::report(&it))?, registry.thread_safe))
        })?;
        // SAFETY: as the caller promises.
        unsafe { give(loaded, thread_safe, tree) };
        Ok(())
    })
}

fn with_both<R>(
    library: pleach_library,
    registry: pleach_registry,
    then: impl FnOnce(&mut LibraryObject, &mut RegistryObject) -> Result<R, Failure>,
) -> Result<R, Failure> {
    table::with(library.id, |library| table::with(registry.id, |registry| then(library, registry)))
}

/// Loads the tree of a file into a forest, for pleach_library_reload() to replace when its files
/// change. A library serves one forest in this way.
///
/// # Safety
/// `name` ends with a zero byte; `id` points to a pleach_tree_id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_library_add_tree(
    library: pleach_library,
    registry: pleach_registry,
    name: *const c_char,
    forest: pleach_forest,
    id: *mut pleach_tree_id,
) -> pleach_result {
    entry(|| {
        input::pointer(id, "id")?;
        // SAFETY: as the caller promises.
        let name = unsafe { input::text(name, "name") }?;
        let added = with_both(library, registry, |library, registry| {
            table::with(forest.id, |object: &mut ForestObject| {
                let forest = &mut object.forest;
                let added = library!(library, it => it.add_tree(name, &registry.registry, forest));
                let added = added.map_err(|it| match it {
                    LoadError::Report(it) => Failure::report(&it),
                    other => Failure::refused(other),
                })?;
                note_leaves(object, registry.thread_safe);
                Ok(added)
            })
        })?;
        // SAFETY: as the caller promises.
        unsafe { input::put(id, pleach_tree_id::of(added)) };
        Ok(())
    })
}

/// Gives the trees that pleach_library_add_tree() added their new versions, if their files have
/// changed. Writes to `changed`, which may be null, whether any has. What came of it, some lines
/// for people, goes to `write`, which may be null. A tree that is broken now stays as it is, and
/// the result is PLEACH_ERROR_REPORT.
///
/// # Safety
/// `changed` is null or points to a uint8_t; `write` is null or can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_library_reload(
    library: pleach_library,
    registry: pleach_registry,
    forest: pleach_forest,
    changed: *mut u8,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        let (reload, closed) = with_both(library, registry, |library, registry| {
            table::with(forest.id, |object: &mut ForestObject| {
                let mut cx = object.cx();
                if object.watchers.0.is_some() {
                    return Err(Failure::refused("a forest that is recorded is not reloaded: end the recording first"));
                }
                let forest = &mut object.forest;
                let reload = library!(library, it => it.reload(&registry.registry, forest, &mut cx));
                note_leaves(object, registry.thread_safe);
                Ok((reload, object.close(&cx.problems)))
            })
        })?;
        // SAFETY: as the caller promises.
        unsafe { input::put(changed, u8::from(reload.is_some())) };
        let Some(reload) = reload else { return closed };
        if write.is_some() {
            // SAFETY: as the caller promises.
            unsafe { input::write(write, user, reload.to_string().as_bytes()) }?;
        }
        match (&reload.report, reload.refused.first()) {
            (Some(report), _) => Err(Failure::report(report)),
            (None, Some((name, why))) => Err(Failure::refused(format!("{name}: {why}"))),
            (None, None) => closed,
        }
    })
}

/// Tells of probable mistakes in the trees that were loaded from a library.
///
/// # Safety
/// `tell` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_library_warnings(
    library: pleach_library,
    registry: pleach_registry,
    tell: pleach_problem_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        let report: Report = with_both(library, registry, |library, registry| {
            Ok(library!(library, it => it.warnings(&registry.registry)))
        })?;
        // SAFETY: as the caller promises.
        unsafe { warn(&report, tell, user) };
        Ok(())
    })
}

/// Makes the tree of a file with everything that it includes, and writes it as bytes for
/// pleach_tree_load_baked(). The bytes are handed to `write`, in one call.
///
/// # Safety
/// `name` ends with a zero byte; `write` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_library_bake(
    library: pleach_library,
    registry: pleach_registry,
    name: *const c_char,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let name = unsafe { input::text(name, "name") }?;
        let bytes = with_both(library, registry, |library, registry| {
            library!(library, it => it.bake(name, &registry.registry)).map_err(|it| Failure::report(&it))
        })?;
        // SAFETY: as the caller promises.
        unsafe { input::write(write, user, &bytes) }
    })
}
