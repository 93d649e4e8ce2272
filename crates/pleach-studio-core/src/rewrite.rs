//! Rewrites files of users: whole or not at all, and never over a change.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Replaces a file whole or not at all, if it has not changed since it was read.
///
/// # Errors
/// Why it stays as it is.
pub fn replace(path: &Path, before: &str, after: &str) -> Result<(), String> {
    // A link stays, and its target is written.
    let target = fs::canonicalize(path).map_err(|it| it.to_string())?;
    let permissions = fs::metadata(&target).map_err(|it| it.to_string())?.permissions();
    if permissions.readonly() {
        return Err("it is read-only".to_owned());
    }
    // A file that the user may not write is not replaced either.
    File::options().write(true).open(&target).map_err(|it| it.to_string())?;
    if has_other_names(&target).map_err(|it| it.to_string())? {
        return Err("it has several names (hard links), of which only one would change".to_owned());
    }
    beside(&target, |file, new| {
        file.write_all(after.as_bytes())?;
        file.set_permissions(permissions)?;
        file.sync_all()?;
        if fs::read(&target)? != before.as_bytes() {
            return Err(io::Error::other("it has changed since it was read; try again"));
        }
        fs::rename(new, &target)
    })
}

/// Writes a file that does not exist, whole or not at all.
///
/// # Errors
/// Why it is not written: there is one by now, say.
pub fn create(path: &Path, text: &str) -> Result<(), String> {
    beside(path, |file, new| {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        // Unlike a rename it does not replace a file created in the meantime; not all systems have
        // it.
        match fs::hard_link(new, path) {
            Ok(()) => fs::remove_file(new),
            Err(_) if fs::symlink_metadata(path).is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(new, path),
        }
    })
}

/// Writes a new file beside one, and removes it on failure.
fn beside(target: &Path, write: impl FnOnce(&mut File, &Path) -> io::Result<()>) -> Result<(), String> {
    let new = name_beside(target);
    // Never someone else's: an existing file is not opened.
    let mut file = File::create_new(&new).map_err(|it| it.to_string())?;
    write(&mut file, &new).map_err(|error| {
        // The existing file stays even if this fails.
        _ = fs::remove_file(&new);
        error.to_string()
    })
}

/// Whether a file has more than one directory entry.
#[cfg(unix)]
fn has_other_names(target: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(fs::metadata(target)?.nlink() > 1)
}

/// Unknown on this system.
#[cfg(not(unix))]
fn has_other_names(_: &Path) -> io::Result<bool> {
    Ok(false)
}

/// The name of a hidden file beside one.
fn name_beside(target: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".new-{}", std::process::id()));
    target.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_meanwhile_is_not_replaced() {
        let folder = std::env::temp_dir().join(format!("pleach-rewrite-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.ron");
        create(&path, "(1 )").unwrap();
        let error = replace(&path, "( 1)", "(1)\n").unwrap_err();
        assert!(error.contains("it has changed since it was read"), "{error}");
        assert!(create(&path, "( 1)").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "(1 )");
        replace(&path, "(1 )", "(1)\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "(1)\n");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left");
        #[cfg(unix)]
        {
            fs::hard_link(&path, folder.join("b.ron")).unwrap();
            let error = replace(&path, "(1)\n", "( 1)").unwrap_err();
            assert!(error.contains("hard links"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), "(1)\n");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
