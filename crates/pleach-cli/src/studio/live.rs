//! A running game: its recording grows, and it takes requests.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::sleep;
use std::time::{Duration, Instant};

use pleach::Host;
use pleach::tools::text::plain;
use pleach_studio_core::Session;
use pleach_studio_core::model::{ForcedView, GameView, Steer};
use pleach_tap::studio::{self, Asker, Connection, Game, News, Request};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::breaks;
use crate::failure::Failure;
use crate::replay::Growing;

/// The interval at which the studio sends a ping to the game.
const PING: Duration = Duration::from_secs(1);
/// How long a game may take to carry out a request.
const PATIENCE: Duration = Duration::from_secs(3);

type Answer = Result<(), String>;

/// A game, while it runs and after it.
pub(super) struct Live {
    game: Mutex<GameView>,
    asker: Mutex<Asker>,
    /// The requests that are not answered yet.
    asked: Mutex<BTreeMap<u32, oneshot::Sender<Answer>>>,
    next: AtomicU32,
    delay: Mutex<Delay>,
    /// Sends whenever something is new.
    news: watch::Sender<()>,
    /// The page is not served any more.
    has_ended: AtomicBool,
    /// Where the breakpoints are kept.
    breaks: Option<PathBuf>,
}

fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How late what the game sends is taken in: the time from a ping to its answer, which comes after
/// everything sent before it.
#[derive(Default)]
struct Delay {
    /// The last ping whose answer is awaited.
    asked: Option<(u32, Instant)>,
    last: Option<Duration>,
}

impl Delay {
    /// The number of the next ping: 0 while another one is not answered.
    fn ask(&mut self, number: impl FnOnce() -> u32) -> u32 {
        if self.asked.is_some() {
            return 0;
        }
        let number = number();
        self.asked = Some((number, Instant::now()));
        number
    }

    fn answered(&mut self, number: u32) {
        if let Some((_, asked)) = self.asked.take_if(|it| it.0 == number) {
            self.last = Some(asked.elapsed());
        }
    }

    /// Of whole seconds. A game of an earlier version does not answer.
    fn seconds(&self) -> u64 {
        let waits = self.asked.map(|it| it.1.elapsed());
        self.last.map_or(0, |it| waits.map_or(it, |waits| waits.max(it)).as_secs())
    }
}

impl Live {
    pub(super) fn new(connection: &Connection, breaks: Option<PathBuf>) -> io::Result<Self> {
        Ok(Live {
            game: Mutex::new(GameView { speed: 1.0, ..GameView::default() }),
            asker: Mutex::new(connection.asker()?),
            asked: Mutex::default(),
            next: AtomicU32::new(1),
            delay: Mutex::default(),
            news: watch::channel(()).0,
            has_ended: AtomicBool::new(false),
            breaks,
        })
    }

    /// The state of the game.
    pub(super) fn view(&self) -> GameView {
        GameView { late: lock(&self.delay).seconds(), ..lock(&self.game).clone() }
    }

    /// Tells the game that the studio is still there, and measures how late its answers come.
    fn ping(&self) {
        let number = lock(&self.delay).ask(|| self.number());
        // If the game is gone, the other thread hears of it.
        _ = lock(&self.asker).ask(number, &Request::Ping);
    }

    /// Becomes ready when something is new.
    pub(super) fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    /// Announces that the breakpoints have changed, and saves them.
    ///
    /// # Errors
    /// Their file cannot be written. They are set nevertheless.
    pub(super) fn keep(&self, session: &Session) -> Answer {
        self.change(|_| {});
        self.breaks.as_ref().map_or(Ok(()), |file| breaks::write(file, session))
    }

    fn change(&self, change: impl FnOnce(&mut GameView)) {
        let mut game = lock(&self.game);
        change(&mut game);
        game.state += 1;
        drop(game);
        self.news.send_replace(());
    }

    /// Lets go of the game, so that [`follow`] ends.
    pub(super) fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
        lock(&self.asker).close();
    }

    /// The number of the next request.
    fn number(&self) -> u32 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    /// Asks the game for something.
    ///
    /// # Errors
    /// Why it was not done.
    pub(super) async fn steer(&self, steer: &Steer) -> Answer {
        if let Some(why) = self.view().gone {
            return Err(why);
        }
        let request = match steer {
            Steer::Break { .. } | Steer::Unbreak { .. } => return Ok(()),
            Steer::Pause => Request::Pause,
            Steer::Go => Request::Go,
            Steer::Step { frames } => Request::Step(*frames),
            Steer::Speed { times } => Request::Speed(*times),
            Steer::Set { agent, key, value } => Request::Set { agent: *agent, key, value },
            Steer::Send { agent, event, payload } => Request::Send { agent: *agent, event, payload },
            Steer::Force { agent, node, result, seconds } => {
                Request::Force { agent: *agent, node: *node, status: result.map(Into::into), seconds: *seconds }
            }
        };
        let number = self.number();
        let (sender, answer) = oneshot::channel();
        lock(&self.asked).insert(number, sender);
        let asked = lock(&self.asker).ask(number, &request).map_err(|it| format!("the game cannot be asked: {it}"));
        let answer = match asked {
            Ok(()) => timeout(PATIENCE, answer).await,
            Err(why) => Ok(Ok(Err(why))),
        };
        lock(&self.asked).remove(&number);
        match answer {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err("the game has ended".to_owned()),
            Err(_) => Err(format!("the game has not answered within {} s", PATIENCE.as_secs())),
        }
    }
}

/// Waits for the first piece of a game's recording.
///
/// # Errors
/// The game is gone, or a tree cannot be made.
pub(super) fn begin<H: Host>(
    game: &Game,
    connection: &mut Connection,
    growing: &mut Growing<'_, H>,
) -> Result<Session, Failure> {
    let lost = |it: io::Error| Failure::Failed(format!("the game `{}`: {it}", game.name()));
    let mut asker = connection.asker().map_err(lost)?;
    std::thread::scope(|threads| {
        let (done, is_done) = mpsc::channel::<()>();
        // A game that has not recorded a frame yet hears that the studio is waiting.
        threads.spawn(move || {
            while is_done.recv_timeout(PING) == Err(mpsc::RecvTimeoutError::Timeout) {
                if asker.ask(0, &Request::Ping).is_err() {
                    return;
                }
            }
        });
        let session = loop {
            match connection.news().map_err(lost)? {
                News::Begin(bytes) => break growing.begin(bytes)?,
                News::Bye(why) => return Err(lost(io::Error::other(why))),
                _ => {}
            }
        };
        drop(done);
        Ok(session)
    })
}

/// Follows a game as long as the page is served: if the game ends, waits for it to begin again.
pub(super) fn follow<H: Host>(
    mut connection: Connection,
    game: &Game,
    growing: &mut Growing<'_, H>,
    session: &Mutex<Session>,
    live: &Live,
) {
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !live.has_ended() {
                sleep(PING);
                live.ping();
            }
        });
        loop {
            let why = listen(&mut connection, growing, session, live);
            lock(&live.asked).clear();
            live.change(|it| (it.gone, it.forced, it.says) = (Some(why), Vec::new(), None));
            let Some(it) = again(game, live) else { return };
            connection = it;
            if let Ok(asker) = connection.asker() {
                *lock(&live.asker) = asker;
                *lock(&live.delay) = Delay::default();
            }
        }
    });
}

/// Handles the game's messages until it ends. Returns why it ended.
fn listen<H: Host>(
    connection: &mut Connection,
    growing: &mut Growing<'_, H>,
    session: &Mutex<Session>,
    live: &Live,
) -> String {
    // Without one of its trees a recording cannot be followed until it starts again.
    let mut is_lost = false;
    let lost = |it: Failure| {
        let why = match it {
            Failure::Problems => "its trees cannot be read: the terminal of the studio says why".to_owned(),
            it => it.to_string(),
        };
        live.change(|it| it.gone = Some(format!("the studio cannot follow it: {why}")));
        true
    };
    loop {
        match connection.news() {
            Ok(News::Begin(bytes)) => match growing.begin(bytes) {
                Ok(mut it) => {
                    let mut session = lock(session);
                    it.follows(&session);
                    *session = it;
                    drop(session);
                    live.change(|it| {
                        it.begun += 1;
                        it.gone = None;
                    });
                    is_lost = false;
                }
                Err(it) => is_lost = lost(it),
            },
            Ok(News::More(_)) if is_lost => {}
            Ok(News::More(bytes)) => {
                // Release the session before asking the game.
                let taken = growing.more(&mut lock(session), bytes);
                match taken {
                    // The answer does not matter: the game reports when its clock has stopped.
                    Ok(true) => _ = lock(&live.asker).ask(live.number(), &Request::Pause),
                    Ok(false) => {}
                    Err(it) => is_lost = lost(it),
                }
                live.news.send_replace(());
            }
            Ok(News::Clock { is_paused, speed }) => {
                live.change(|it| (it.paused, it.speed) = (is_paused, speed));
            }
            Ok(News::Forced(leaves)) => {
                let forced = leaves.into_iter().map(|(agent, node, status)| ForcedView {
                    agent,
                    node: node.index(),
                    result: status.into(),
                });
                live.change(|it| it.forced = forced.collect());
            }
            Ok(News::Said(text)) => {
                let lines: Vec<_> = text.lines().map(plain).collect();
                live.change(|it| it.says = (!lines.is_empty()).then(|| lines.join("\n")));
            }
            Ok(News::Answer(number, answer)) => {
                lock(&live.delay).answered(number);
                if let Some(sender) = lock(&live.asked).remove(&number) {
                    // The page may have gone away.
                    _ = sender.send(answer);
                }
            }
            Ok(News::Bye(why)) => return why,
            Ok(_) => {}
            Err(error) => return error.to_string(),
        }
    }
}

/// Waits until a game of that name listens. `None` if the page is not served any more.
fn again(game: &Game, live: &Live) -> Option<Connection> {
    while !live.has_ended() {
        sleep(PING);
        let games = studio::games().unwrap_or_default();
        let of_name = games.into_iter().filter(|it| it.name() == game.name());
        if let Some(it) = of_name.filter_map(|it| it.connect().ok()).next() {
            return Some(it);
        }
    }
    None
}
