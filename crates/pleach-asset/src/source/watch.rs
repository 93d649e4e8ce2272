//! [`Watch`]: when to look at a directory again.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::{Directory, SourceError};

/// How long a directory has to be quiet before a poll is worthwhile. Editors write a file in
/// several steps, within a few milliseconds.
const QUIET: Duration = Duration::from_millis(50);
/// When a poll is worthwhile even if the directory is never quiet.
const LONGEST: Duration = Duration::from_millis(500);

/// Says when something has changed in a [`Directory`], so that it is time to
/// [`poll`](crate::Library::poll) (feature `notify`).
///
/// A poll asks the disk for the metadata of each file. That is cheap for some files, a few times
/// per second. The system can also report changes, in a different way on each system; the crate
/// `notify` knows them all. It does not say reliably what has changed, so that is left to the poll:
/// false alarms do no harm.
///
/// It waits for bursts to end: [`changed`](Watch::changed) returns `true` when the directory has
/// been quiet for 50 ms, or has not been for half a second. Changes behind links to directories,
/// and those on most network drives, go unnoticed: poll without a watch there.
///
/// ```no_run
/// # mod pleach { pub use pleach_asset::{Library, Registry}; pub use pleach_core::{Forest, Host}; }
/// # use pleach::{Forest, Host, Library, Registry};
/// # struct Game;
/// # impl Host for Game { type Cx<'a> = (); }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (registry, mut forest) = (Registry::<Game>::new(), Forest::new(7));
/// let mut library = Library::open("trees")?;
/// let watch = library.source().watch()?;
/// let guards = library.add_tree("guard.ron", &registry, &mut forest)?;
/// # let _ = guards;
/// // In the game loop, each frame:
/// if watch.changed()
///     && let Some(reload) = library.reload(&registry, &mut forest, &mut ())
/// {
///     eprintln!("{reload}");
/// }
/// # Ok(())
/// # }
/// ```
#[cfg_attr(docsrs, doc(cfg(feature = "notify")))]
pub struct Watch {
    news: Arc<Mutex<News>>,
    /// It reports as long as it lives.
    _watcher: RecommendedWatcher,
}

/// What was reported and not yet asked for.
#[derive(Debug)]
struct News {
    /// When the first and the last report came.
    waiting: Option<[Instant; 2]>,
    /// When it was last asked for. Kept if the system has said that it cannot report everything:
    /// then a poll is always worthwhile.
    unsure: Option<Instant>,
}

impl News {
    fn came(&mut self, event: &notify::Result<Event>, now: Instant) {
        match event {
            // Reading a file is an event too, and polls do that.
            Ok(Event { kind: EventKind::Access(kind), .. }) if *kind != AccessKind::Close(AccessMode::Write) => return,
            Ok(_) => {}
            Err(_) => self.unsure = Some(now),
        }
        let first = self.waiting.map_or(now, |it| it[0]);
        self.waiting = Some([first, now]);
    }

    fn taken(&mut self, now: Instant) -> bool {
        let quiet = |[first, last]: [Instant; 2]| now - last >= QUIET || now - first >= LONGEST;
        let changed = self.waiting.is_some_and(quiet) || self.unsure.is_some_and(|it| now - it >= LONGEST);
        if changed {
            self.waiting = None;
            self.unsure = self.unsure.map(|_| now);
        }
        changed
    }
}

impl Directory {
    /// Watches this directory and everything below it, from now on. The first call of
    /// [`Watch::changed`] returns `true` in any case.
    ///
    /// # Errors
    /// The system cannot watch the directory, or not everything below it: there may be a limit. It
    /// can still be polled.
    #[cfg_attr(docsrs, doc(cfg(feature = "notify")))]
    pub fn watch(&self) -> Result<Watch, SourceError> {
        let refused = |why: &dyn fmt::Display| {
            SourceError::Other(format!("cannot watch `{}`: {why}; poll without a watch", self.root.display()))
        };
        let begin = Instant::now().checked_sub(LONGEST).unwrap_or_else(Instant::now);
        let news = Arc::new(Mutex::new(News { waiting: Some([begin; 2]), unsure: None }));
        let heard = Arc::clone(&news);
        let tell = move |event: notify::Result<Event>| {
            heard.lock().unwrap_or_else(PoisonError::into_inner).came(&event, Instant::now());
        };
        // A link may lead out of the library, to the root of the disk.
        let config = Config::default().with_follow_symlinks(false);
        let mut watcher = RecommendedWatcher::new(tell, config).map_err(|error| refused(&error))?;
        let root = self.root.canonicalize().map_err(|error| refused(&error))?;
        watcher.watch(&root, RecursiveMode::Recursive).map_err(|error| refused(&error))?;
        Ok(Watch { news, _watcher: watcher })
    }
}

impl Watch {
    /// Whether something may have changed since the last call. Costs a look at the clock, and
    /// touches no disk.
    #[must_use = "it is told once"]
    pub fn changed(&self) -> bool {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).taken(Instant::now())
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("news", &self.news).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{DataChange, ModifyKind};

    use super::*;

    const WRITTEN: EventKind = EventKind::Modify(ModifyKind::Data(DataChange::Any));

    #[test]
    fn a_burst_is_told_once_when_it_is_over() {
        let at = |begin: Instant, ms: u64| begin + Duration::from_millis(ms);
        let begin = Instant::now();
        let mut news = News { waiting: None, unsure: None };
        let event = |kind| Ok(Event::new(kind));
        news.came(&event(EventKind::Access(AccessKind::Open(AccessMode::Any))), begin);
        assert!(!news.taken(at(begin, 900)), "a file was read");
        for ms in [1_000, 1_020, 1_040] {
            news.came(&event(WRITTEN), at(begin, ms));
            assert!(!news.taken(at(begin, ms + 10)));
        }
        assert!(news.taken(at(begin, 1_090)));
        assert!(!news.taken(at(begin, 2_000)), "it is told once");
        // Endless writes do not keep it from reporting.
        let told = (0..100).filter(|it| {
            news.came(&event(WRITTEN), at(begin, 3_000 + it * 20));
            news.taken(at(begin, 3_010 + it * 20))
        });
        assert_eq!(told.count(), 3);
    }

    #[test]
    fn a_watch_that_is_not_sure_tells_again_and_again() {
        let begin = Instant::now();
        let mut news = News { waiting: None, unsure: None };
        news.came(&Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch)), begin);
        let told = (1..=20).filter(|it| news.taken(begin + Duration::from_millis(it * 100)));
        assert_eq!(told.count(), 4);
    }
}
