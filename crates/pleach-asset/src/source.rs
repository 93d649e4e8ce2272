//! Where the files of a library come from: [`Source`].

mod directory;
#[cfg(feature = "notify")]
mod watch;

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

pub use directory::Directory;
#[cfg(feature = "notify")]
pub use watch::Watch;

/// The largest file, in bytes, that is read to its end: the loader takes no tree that is larger.
pub const MAX_FILE: u64 = 32 << 20;

/// Files by their names: a directory ([`Directory`]), a map from names to texts
/// ([`BTreeMap`]), or an archive of the game.
///
/// The name of a file is its path in the source, with `/` between its parts on every system, and
/// neither `.` nor `..` among them.
///
/// ```
/// # mod pleach { pub use pleach_asset::{Library, Registry, Source, SourceError}; pub use pleach_core::Host; }
/// use pleach::{Library, Registry, Source, SourceError};
/// # struct Game;
/// # impl pleach::Host for Game { type Cx<'a> = (); }
///
/// /// An archive, of which only the trees are of interest.
/// struct Archive(Vec<(String, Vec<u8>)>);
///
/// impl Source for Archive {
///     fn read(&self, name: &str) -> Result<Vec<u8>, SourceError> {
///         self.0.iter().find(|it| it.0 == name).map(|it| it.1.clone()).ok_or(SourceError::Missing)
///     }
///     fn names(&self) -> Vec<Result<String, (String, SourceError)>> {
///         self.0.iter().map(|it| Ok(it.0.clone())).collect()
///     }
/// }
///
/// let archive = Archive(vec![("idle.ron".into(), b"Tree(version: 1, root: Idle)".to_vec())]);
/// let tree = Library::new(archive).load("idle.ron", &Registry::<Game>::new());
/// assert!(tree.is_ok());
/// ```
pub trait Source {
    /// The bytes of a file.
    ///
    /// # Errors
    /// There is no such file, or it cannot be read.
    fn read(&self, name: &str) -> Result<Vec<u8>, SourceError>;

    /// The names of all files, in the order of reports; for anything that could not be searched,
    /// its name and the reason. Used by checks of everything and by suggestions; a source that does
    /// not know its files returns none.
    fn names(&self) -> Vec<Result<String, (String, SourceError)>> {
        Vec::new()
    }

    /// Names of files that may be meant by this name, which no file has, for suggestions. The
    /// default returns all names.
    fn near(&self, name: &str) -> Vec<String> {
        let _ = name;
        self.names().into_iter().filter_map(Result::ok).collect()
    }

    /// A mark of the state of a file, such as a version or the time of the last change, which
    /// changes whenever the file may have changed. [`Library::poll`](crate::Library::poll) asks for
    /// it, and reads the file only if the mark differs from the last one. The default reads the
    /// file and marks its bytes.
    ///
    /// # Errors
    /// As [`read`](Source::read).
    fn stamp(&self, name: &str) -> Result<Stamp, SourceError> {
        self.read(name).map(|it| Stamp::of(&*it))
    }

    /// The name of a file in messages: its name, perhaps after that of the source.
    fn shown(&self, name: &str) -> String {
        name.into()
    }
}

/// A mark of the state of a file: see [`Source::stamp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(u64);

impl Stamp {
    /// The mark of this: a version, a time, all bytes. Marks of different values are equal once in
    /// 2^64 pairs.
    #[must_use]
    pub fn of(it: impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        it.hash(&mut hasher);
        Stamp(hasher.finish())
    }
}

/// Why a file of a source cannot be read.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceError {
    /// It is not there.
    Missing,
    /// It exists, but is not a file: `a directory`, `a pipe`.
    NotAFile(String),
    /// It has more than [`MAX_FILE`] bytes.
    TooLarge,
    /// Another reason, in words.
    Other(String),
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Missing => f.write_str("it does not exist"),
            SourceError::NotAFile(it) => write!(f, "it is {it}, not a file"),
            SourceError::TooLarge => write!(f, "it is larger than {} MiB, too large for a tree", MAX_FILE >> 20),
            SourceError::Other(it) => f.write_str(it),
        }
    }
}

impl fmt::Debug for SourceError {
    /// The text, because `main` prints the error it returns with `Debug`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SourceError {}

/// Texts, or bytes, by name.
impl<K: Borrow<str> + Ord, V: AsRef<[u8]>> Source for BTreeMap<K, V> {
    fn read(&self, name: &str) -> Result<Vec<u8>, SourceError> {
        self.get(name).map(|it| it.as_ref().to_vec()).ok_or(SourceError::Missing)
    }

    fn names(&self) -> Vec<Result<String, (String, SourceError)>> {
        self.keys().map(|it| Ok(it.borrow().to_owned())).collect()
    }
}

impl<S: Source + ?Sized> Source for Box<S> {
    fn read(&self, name: &str) -> Result<Vec<u8>, SourceError> {
        (**self).read(name)
    }
    fn names(&self) -> Vec<Result<String, (String, SourceError)>> {
        (**self).names()
    }
    fn near(&self, name: &str) -> Vec<String> {
        (**self).near(name)
    }
    fn stamp(&self, name: &str) -> Result<Stamp, SourceError> {
        (**self).stamp(name)
    }
    fn shown(&self, name: &str) -> String {
        (**self).shown(name)
    }
}
