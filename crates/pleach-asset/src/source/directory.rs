//! Files of a directory.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{MAX_FILE, Source, SourceError, Stamp};

/// How many levels of directories are searched. Deeper ones are probably a loop.
const MAX_LEVELS: usize = 64;

/// How many folders are searched for a file that is meant by the name of a missing one, and about
/// how many files are looked at.
const MAX_NEAR_FOLDERS: usize = 256;
const MAX_NEAR: usize = 2_000;

/// The files in a directory and below it. They are read on request, and not kept.
///
/// [`names`](Source::names) lists those whose names end in `.ron`, but not in `.test.ron`. Hidden
/// files and directories are skipped, and links to directories are not followed. Only regular files
/// are opened: reading a pipe can take for ever.
///
/// A requested file may be a link, or lie in a linked directory, as long as its target is inside
/// the directory; [`links_may_leave`](Directory::links_may_leave) lifts that. The target of a link
/// is checked before the file is opened, so a link that changes while the game reads can lead
/// outside.
#[derive(Clone, Debug)]
pub struct Directory {
    pub(super) root: PathBuf,
    links_may_leave: bool,
}

impl Directory {
    /// The files of this directory.
    ///
    /// # Errors
    /// It does not exist, or is not a directory.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, SourceError> {
        let root = root.into();
        let shown = root.display();
        match fs::metadata(&root) {
            Ok(it) if it.is_dir() => Ok(Directory { root, links_may_leave: false }),
            Ok(_) => Err(SourceError::Other(format!("`{shown}` is not a directory, as a library must be"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(SourceError::Other(format!("there is no directory `{shown}`")))
            }
            Err(error) => Err(SourceError::Other(format!("cannot read `{shown}`: {error}"))),
        }
    }

    /// Whether a file may lie outside the directory, by a link or by its name. The default is no.
    /// For the game's own files, some of which are linked; not for those of strangers.
    ///
    /// ```no_run
    /// # mod pleach { pub mod asset { pub use pleach_asset::Directory; } pub use pleach_asset::Library; }
    /// use pleach::{Library, asset::Directory};
    ///
    /// let library = Library::new(Directory::open("assets/trees")?.links_may_leave(true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn links_may_leave(mut self, may: bool) -> Self {
        self.links_may_leave = may;
        self
    }

    /// What is known of a file without opening it.
    fn metadata(&self, name: &str) -> Result<Metadata, SourceError> {
        let path = self.root.join(name);
        let found = fs::metadata(&path).map_err(|error| SourceError::from(&error))?;
        if !self.links_may_leave {
            self.check_inside(name, &path)?;
        }
        let kind = found.file_type();
        if kind.is_file() { Ok(found) } else { Err(SourceError::NotAFile(what(kind).into())) }
    }

    /// # Errors
    /// The file lies outside the directory, or its name has a `:`.
    fn check_inside(&self, name: &str, path: &Path) -> Result<(), SourceError> {
        if name.contains(':') {
            return Err(SourceError::Other(
                "its name has a `:`, which means something else on Windows: rename it".into(),
            ));
        }
        let really = |path: &Path| fs::canonicalize(path).map_err(|error| SourceError::from(&error));
        if really(path)?.starts_with(really(&self.root)?) {
            return Ok(());
        }
        Err(SourceError::Other("a link or its name leads outside the library".into()))
    }

    /// The content of one directory: directories to search, and files.
    fn search(&self, name: &str, level: usize, found: &mut Found, waiting: &mut Vec<(String, usize)>) {
        let entries = match fs::read_dir(self.root.join(name)) {
            Ok(entries) => entries,
            Err(error) => return found.push(Err((name.to_owned(), SourceError::from(&error)))),
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    found.push(Err((name.to_owned(), SourceError::from(&error))));
                    continue;
                }
            };
            let own = entry.file_name();
            // A file whose name is not Unicode cannot be included either.
            let own = own.to_string_lossy();
            if own.starts_with('.') {
                continue;
            }
            let below = if name.is_empty() { own.to_string() } else { format!("{name}/{own}") };
            match entry.file_type() {
                Ok(it) if it.is_dir() && level == MAX_LEVELS => {
                    let why = format!("it is more than {MAX_LEVELS} directories deep");
                    found.push(Err((below, SourceError::Other(why))));
                }
                Ok(it) if it.is_dir() => waiting.push((below, level + 1)),
                // Tests are not for the game.
                Ok(_) if own.ends_with(".test.ron") => {}
                Ok(_) if Path::new(&*own).extension().is_none_or(|it| it != "ron") => {}
                Ok(_) => found.push(Ok(below)),
                Err(error) => found.push(Err((below, SourceError::from(&error)))),
            }
        }
    }
}

type Found = Vec<Result<String, (String, SourceError)>>;

impl Source for Directory {
    fn read(&self, name: &str) -> Result<Vec<u8>, SourceError> {
        self.metadata(name)?;
        let mut bytes = Vec::new();
        let file = File::open(self.root.join(name)).map_err(|error| SourceError::from(&error))?;
        file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| SourceError::from(&error))?;
        if bytes.len() as u64 > MAX_FILE { Err(SourceError::TooLarge) } else { Ok(bytes) }
    }

    fn names(&self) -> Vec<Result<String, (String, SourceError)>> {
        let mut found = Vec::new();
        let mut waiting = vec![(String::new(), 0)];
        while let Some((name, level)) = waiting.pop() {
            self.search(&name, level, &mut found, &mut waiting);
        }
        let name = |it: &Result<String, (String, SourceError)>| match it {
            Ok(name) | Err((name, _)) => name.clone(),
        };
        found.sort_by_cached_key(name);
        found
    }

    /// The files in the nearest folder that is there, and in those below it. A large folder is
    /// listed in part: this serves a suggestion.
    fn near(&self, name: &str) -> Vec<String> {
        let is_there = |it: &&str| fs::metadata(self.root.join(it)).is_ok_and(|it| it.is_dir());
        let above = name.rmatch_indices('/').map(|it| &name[..it.0]).find(is_there).unwrap_or_default();
        let mut found = Vec::new();
        let mut waiting = vec![(above.to_owned(), 0)];
        let mut next = 0;
        while next < waiting.len().min(MAX_NEAR_FOLDERS) && found.len() < MAX_NEAR {
            let (folder, level) = waiting[next].clone();
            self.search(&folder, level, &mut found, &mut waiting);
            next += 1;
        }
        found.into_iter().flatten().collect()
    }

    /// Does not open the file. The mark is of its length and of when it was changed; on Unix also
    /// of which file it is and of when it was put there, as a file that is renamed keeps the time
    /// of its last change.
    fn stamp(&self, name: &str) -> Result<Stamp, SourceError> {
        let found = self.metadata(name)?;
        let changed = (found.len(), found.modified().ok());
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Ok(Stamp::of((changed, found.dev(), found.ino(), found.ctime(), found.ctime_nsec())))
        }
        #[cfg(not(unix))]
        Ok(Stamp::of(changed))
    }

    fn shown(&self, name: &str) -> String {
        self.root.join(name).to_string_lossy().into_owned()
    }
}

impl From<&io::Error> for SourceError {
    fn from(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => SourceError::Missing,
            _ => SourceError::Other(format!("it cannot be read: {error}")),
        }
    }
}

/// What is there instead of a file.
fn what(kind: fs::FileType) -> &'static str {
    if kind.is_dir() {
        return "a directory";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    "something else"
}
