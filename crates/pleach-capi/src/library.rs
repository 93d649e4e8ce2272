//! Libraries: trees in files that include each other, on the disk or in memory.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

use pleach_asset::{Directory, Library, LoadError, Report, Source as _};

use crate::error::{Failure, PLEACH_ERROR_FILE, entry, pleach_result};
use crate::forest::{self, ForestObject, pleach_forest};
use crate::input::{self, pleach_write_fn};
use crate::out::Out;
use crate::registry::{RegistryObject, pleach_registry};
use crate::table::{self, Object};
use crate::tree::{TreeObject, give, pleach_problem_fn, pleach_tree, warn};
use crate::value::pleach_tree_id;
use crate::watch::Watch;

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

impl LibraryObject {
    /// Adds the files of all loaded trees to a recording, if there is one. A file that
    /// a broken tree names and that is not there has none.
    fn record(&self, watch: &mut Watch) {
        let Some(recording) = &mut watch.tracers.0 else { return };
        library!(self, it => for name in it.files() {
            if let Ok(content) = it.source().read(name) {
                recording.add_file(name, content);
            }
        });
    }
}

/// Opens the library of a directory and everything below it.
///
/// # Safety
/// `directory` ends with a zero byte; `library` points to a pleach_library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_library_open(directory: *const c_char, library: *mut pleach_library) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let library = unsafe { Out::new(library, "library") }?;
        // SAFETY: as the caller promises.
        let directory = unsafe { input::text(directory, "directory") }?;
        let opened = Library::open(directory)
            .map_err(|it| Failure::new(PLEACH_ERROR_FILE, format!("cannot open the library `{directory}`: {it}")))?;
        let id = table::keep(LibraryObject::Directory(opened));
        library.put(pleach_library { id });
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
        // SAFETY: as the caller promises.
        let library = unsafe { Out::new(library, "library") }?;
        let id = table::keep(LibraryObject::Memory(Library::new(BTreeMap::new())));
        library.put(pleach_library { id });
        Ok(())
    })
}

/// Frees a library. One with id 0 is fine.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_library_free(library: pleach_library) -> pleach_result {
    entry(|| table::free::<LibraryObject>(library.id))
}

/// Puts a file into a library of pleach_library_new(), replacing any file of that name. The bytes
/// are copied.
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
        // SAFETY: as the caller promises.
        let tree = unsafe { Out::new(tree, "tree") }?;
        // SAFETY: as the caller promises.
        let name = unsafe { input::text(name, "name") }?;
        let (loaded, gate) = with_both(library, registry, |library, registry| {
            let loaded = library!(library, it => it.load(name, &registry.registry));
            Ok((loaded.map_err(|it| Failure::report(&it))?, Arc::clone(&registry.gate)))
        })?;
        give(loaded, gate, tree);
        Ok(())
    })
}

fn with_both<R>(
    library: pleach_library,
    registry: pleach_registry,
    then: impl FnOnce(&mut LibraryObject, &RegistryObject) -> Result<R, Failure>,
) -> Result<R, Failure> {
    table::with(library.id, |library| table::read(registry.id, |registry| then(library, registry)))
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
        // SAFETY: as the caller promises.
        let id = unsafe { Out::new(id, "id") }?;
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
                object.note_leaves(&registry.gate);
                Ok(added)
            })
        })?;
        id.put(pleach_tree_id::of(added));
        Ok(())
    })
}

/// Replaces the trees that pleach_library_add_tree() added by their new versions, if their files
/// have changed. Writes to `changed`, which may be null, whether any has. The report, a few lines
/// of text, goes to `write`, which may be null. If a tree has errors now, the old one keeps
/// running, and the result is PLEACH_ERROR_REPORT. If the forest is traced or recorded, the trace
/// and the recording include the change, and the recording gets the new texts of all files.
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
        // SAFETY: as the caller promises.
        let changed = unsafe { Out::optional(changed, "changed") }?;
        let (reload, closed) = with_both(library, registry, |library, registry| {
            forest::call(forest, Some(&registry.gate), |object, cx| {
                let ForestObject { forest, watch, .. } = object;
                let mut forest = forest.traced(&mut watch.tracers);
                let reload = library!(library, it => it.reload_traced(&registry.registry, &mut forest, cx));
                if reload.as_ref().is_some_and(|it| !it.replaced.is_empty()) {
                    library.record(watch);
                    object.note_leaves(&registry.gate);
                }
                Ok(reload)
            })
        })?;
        changed.put(u8::from(reload.is_some()));
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

/// Receives a tree, and the name of the file that it was loaded from. The name does not end with a
/// zero byte, and is valid during the call; free the tree with pleach_tree_free().
pub type pleach_tree_fn =
    Option<unsafe extern "C" fn(user: *mut c_void, name: *const c_char, length: usize, tree: pleach_tree)>;

/// Looks for changed files of the trees that pleach_library_load() made. `take` receives each new
/// version: for brains, which switch to it with pleach_brain_replace_tree(). A tree that has errors
/// now is not among them, and the result is PLEACH_ERROR_REPORT.
///
/// # Safety
/// `take` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_library_poll(
    library: pleach_library,
    registry: pleach_registry,
    take: pleach_tree_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        let take = take.ok_or_else(|| Failure::argument("`take` is null"))?;
        let (changes, gate) = with_both(library, registry, |library, registry| {
            let changes = library!(library, it => it.poll(&registry.registry));
            Ok((changes, Arc::clone(&registry.gate)))
        })?;
        for (name, tree) in changes.trees {
            let id = table::keep(TreeObject { tree, gate: Arc::clone(&gate) });
            // SAFETY: as the caller promises; the name lives during the call.
            unsafe { take(user, name.as_ptr().cast(), name.len(), pleach_tree { id }) };
        }
        changes.report.map_or(Ok(()), |it| Err(Failure::report(&it)))
    })
}

/// Adds the texts of all files that the loaded trees of a library are made of to the recording of a
/// forest, so that tools can show them. Does the same as pleach_record_file() for each file, under
/// its name in the library.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_library_record(library: pleach_library, forest: pleach_forest) -> pleach_result {
    entry(|| {
        table::read(library.id, |library: &LibraryObject| {
            table::with(forest.id, |it: &mut ForestObject| {
                it.watch.recording()?;
                library.record(&mut it.watch);
                Ok(())
            })
        })
    })
}

/// Reports probable mistakes in the trees that were loaded from a library.
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
