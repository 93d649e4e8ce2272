//! What a path on the command line means: a file, standard input, or the file that standard output
//! goes into.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pleach::tools::text::plain;
use same_file::Handle;

/// The name of a file, for messages: always on one line.
pub(crate) fn shown(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".into() } else { plain(&path.to_string_lossy()).into() }
}

/// The path of a file without links, if it exists.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The name of a file relative to a directory: so `./guard.ron` and `trees/guard.ron` are one name
/// if they are one file. A file that is not below the directory has its full path. With `/` on
/// every system.
pub(crate) fn from_directory(directory: &Path, file: &Path) -> String {
    let full = canonical(file);
    let below = full.strip_prefix(canonical(directory)).unwrap_or(&full);
    let name = if is_stdin(file) { shown(file) } else { plain(&below.to_string_lossy()).into() };
    if cfg!(windows) { name.replace('\\', "/") } else { name }
}

/// The directory that a file is in.
pub(crate) fn directory_of(file: &Path) -> &Path {
    file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether a path stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether this is a regular file.
pub(crate) fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|it| it.is_file())
}

/// Whether two paths lead to the same file. Only regular files and standard input are opened:
/// opening a pipe can take for ever.
pub(crate) fn same_file(a: &Path, b: &Path) -> bool {
    let comparable = |it: &Path| is_file(it) || is_stdin(it);
    let same = || Ok::<_, io::Error>(open(a)? == open(b)?);
    comparable(a) && comparable(b) && same().unwrap_or(false)
}

/// Whether standard output goes into this file.
pub(crate) fn is_stdout(file: &Path) -> bool {
    // A terminal or a pipe can be read and written at the same time; only a regular file cannot.
    let regular = |it: &Handle| it.as_file().metadata().is_ok_and(|it| it.is_file());
    let stdout = Handle::stdout().ok().filter(regular);
    stdout.is_some_and(|it| (is_file(file) || is_stdin(file)) && open(file).is_ok_and(|file| file == it))
}

fn open(path: &Path) -> io::Result<Handle> {
    if is_stdin(path) { Handle::stdin() } else { Handle::from_path(path) }
}
