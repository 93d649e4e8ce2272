//! Where games that listen are found: a file for each of them in a folder of the user.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The extension of these files.
const ENDING: &str = "game";
/// Their first line.
const FIRST: &str = "pleach game 1";
/// The most bytes of such a file, and the most characters of a name.
const MOST: u64 = 4 << 10;
const LONGEST: usize = 100;

/// The content of such a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: PathBuf,
    pub(crate) name: String,
    pub(crate) port: u16,
    pub(crate) token: String,
}

/// The folder: `PLEACH_GAMES`, or a folder of this user alone.
pub(crate) fn folder() -> PathBuf {
    let of = |name| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    if let Some(it) = of("PLEACH_GAMES") {
        return it;
    }
    if let Some(it) = of("XDG_RUNTIME_DIR") {
        return it.join("pleach");
    }
    let user = std::env::var("USER").or_else(|_| std::env::var("USERNAME")).unwrap_or_default();
    std::env::temp_dir().join(format!("pleach-{}", file_name(&user)))
}

/// 32 random bytes as text. On systems without `/dev/urandom` they come from the seed that the
/// standard library takes from the system for its hash maps, which has 128 bits.
pub(crate) fn token() -> String {
    let mut bytes = [0; 32];
    let read = File::open("/dev/urandom").and_then(|mut it| it.read_exact(&mut bytes));
    if read.is_err() {
        for (at, part) in bytes.chunks_mut(8).enumerate() {
            part.copy_from_slice(&RandomState::new().hash_one(at).to_le_bytes());
        }
    }
    bytes.iter().map(|it| format!("{it:02x}")).collect()
}

/// A name that any file system accepts.
fn file_name(name: &str) -> String {
    let plain = |it: char| if it.is_ascii_alphanumeric() || "-_.".contains(it) { it } else { '_' };
    name.chars().take(40).map(plain).collect()
}

/// Makes the folder, and ensures that others cannot read it.
fn make(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let refuse = |why: String| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        let (shown, found) = (folder.display(), fs::symlink_metadata(folder)?);
        if !found.is_dir() {
            return refuse(format!("`{shown}` is not a folder, but a link or a file: remove it"));
        }
        if found.mode() & 0o077 != 0 {
            return refuse(format!("others may read `{shown}` (mode {:o}): make it `chmod 700`", found.mode() & 0o777));
        }
        // A file created here belongs to this user.
        let own = folder.join(format!("owner-{}-{:x}", std::process::id(), RandomState::new().hash_one(0)));
        let owner = OpenOptions::new().write(true).create_new(true).open(&own).and_then(|it| it.metadata());
        _ = fs::remove_file(&own);
        if owner?.uid() != found.uid() {
            return refuse(format!("`{shown}` belongs to another user: name another folder in PLEACH_GAMES"));
        }
    }
    Ok(())
}

/// Writes the file of a game.
pub(crate) fn publish(folder: &Path, name: &str, port: u16, token: &str) -> io::Result<PathBuf> {
    if name.is_empty() || name.chars().count() > LONGEST {
        let why = format!("the name of a game has 1 to {LONGEST} characters");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    make(folder)?;
    let process = std::process::id();
    let file = folder.join(format!("{}-{process}-{port}.{ENDING}", file_name(name)));
    let half = file.with_extension("half");
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // A leftover of a process with the same number.
    _ = fs::remove_file(&half);
    let name = name.replace(char::is_control, " ");
    options.open(&half)?.write_all(format!("{FIRST}\n{port}\n{token}\n{name}\n").as_bytes())?;
    fs::rename(&half, &file)?;
    Ok(file)
}

/// The games of a folder, by their files' names; none if there is no folder.
pub(crate) fn all(folder: &Path) -> io::Result<Vec<Place>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    make(folder)?;
    let mut places = Vec::new();
    for entry in fs::read_dir(folder)? {
        let file = entry?.path();
        if file.extension().is_some_and(|it| it == ENDING)
            && let Some(place) = read(&file)
        {
            places.push(place);
        }
    }
    places.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(places)
}

/// A file, if it is one of these. It may disappear at any time.
fn read(file: &Path) -> Option<Place> {
    if fs::metadata(file).ok()?.len() > MOST {
        return None;
    }
    let text = fs::read_to_string(file).ok()?;
    let mut lines = text.lines();
    if lines.next()? != FIRST {
        return None;
    }
    let (port, token, name) = (lines.next()?.parse().ok()?, lines.next()?, lines.next()?);
    Some(Place { file: file.to_owned(), name: name.to_owned(), port, token: token.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pleach-tap-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn games_are_found_by_their_files_and_other_files_are_not() {
        let folder = empty("places");
        assert_eq!(all(&folder).unwrap(), []);
        let file = publish(&folder, "sheep / 7\n", 4711, "secret").unwrap();
        fs::write(folder.join("other.game"), "a game of chess").unwrap();
        fs::write(folder.join("large.game"), " ".repeat(1 << 16)).unwrap();
        let found = all(&folder).unwrap();
        let place = Place { file, name: "sheep / 7 ".into(), port: 4711, token: "secret".into() };
        assert_eq!(found, [place]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&found[0].file).unwrap().permissions().mode() & 0o777, 0o600);
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
            let error = all(&folder).unwrap_err().to_string();
            assert!(error.starts_with("others may read"), "{error}");
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
            let link = folder.with_extension("link");
            _ = fs::remove_file(&link);
            std::os::unix::fs::symlink(&folder, &link).unwrap();
            let error = all(&link).unwrap_err().to_string();
            assert!(error.contains("is not a folder"), "{error}");
            fs::remove_file(&link).unwrap();
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn tokens_differ_and_names_have_a_length() {
        let (one, other) = (token(), token());
        assert_eq!((one.len(), other.len()), (64, 64));
        let folder = empty("names");
        for name in ["", &*"x".repeat(101)] {
            let error = publish(&folder, name, 1, &one).unwrap_err().to_string();
            assert_eq!(error, "the name of a game has 1 to 100 characters");
        }
        publish(&folder, &"é".repeat(100), 1, &one).unwrap();
        assert_eq!(all(&folder).unwrap().len(), 1);
        fs::remove_dir_all(&folder).unwrap();
        assert_ne!(one, other);
    }
}
