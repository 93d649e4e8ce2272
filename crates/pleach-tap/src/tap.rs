//! The game's side.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pleach_core::record::{Piece, Reader, Recording};
use pleach_core::{Forest, Host};

use crate::carry_out::carry_out;
use crate::held::Held;
use crate::link::Link;
use crate::places;
use crate::wire::{Kind, Message, VERSION};

/// The longest request, in bytes.
const MOST_IN: usize = 64 << 10;
/// While more bytes than these wait to be sent to a studio, nothing is read from it.
const MOST_WAITING: usize = 256 << 10;
/// How many requests of a studio are carried out in a frame.
const MOST_REQUESTS: usize = 64;
/// About how many bytes of a recording are sent in a frame. A frame that takes more is sent whole.
const MOST_OUT: usize = 128 << 10;
/// The most studios.
const MOST_STUDIOS: usize = 4;
/// The most connections that have not sent the token yet. Another one ends the oldest of them.
const MOST_STRANGERS: usize = 8;
/// A connection that is silent for this long, or has not sent the token by then, is closed.
const SILENCE: Duration = Duration::from_secs(3);
/// How many characters of a reason are sent.
const LONGEST_REASON: usize = 500;
/// How fast the clock of a game may run.
const SPEEDS: std::ops::RangeInclusive<f32> = 0.05..=8.0;

/// Lets a studio on this machine watch a game and steer it.
///
/// It listens on 127.0.0.1, at a port that the system chooses. Port and token are in a file that
/// only this user can read, where `pleach studio` looks for games. No thread is started and none
/// waits: everything happens in [`pump`](Tap::pump), once a frame.
///
/// ```no_run
/// # use pleach_core as pleach;
/// # use pleach_tap as tap;
/// # struct Game;
/// # impl pleach::Host for Game { type Cx<'a> = (); }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pleach::Forest;
/// use pleach::record::Recording;
/// use tap::Tap;
///
/// # let mut forest = Forest::<Game>::new(7);
/// let mut recording = Recording::new().last_seconds(30.0).at_most(16 << 20).keys_every(15);
/// let mut tap = Tap::listen("guards")?;
/// loop {
///     if let Some(dt) = tap.pace(1.0 / 60.0) {
///         forest.traced(&mut recording).tick(&mut (), dt)?;
///     }
///     tap.pump(&mut forest, &mut recording);
///     // Draw, and wait for the next frame.
/// }
/// # }
/// ```
pub struct Tap {
    name: String,
    token: String,
    listener: TcpListener,
    file: PathBuf,
    links: Vec<Watcher>,
    /// How many of the connections served in this frame are studios.
    studios: usize,
    clock: Clock,
    held: Held,
    /// What the game says, and how often that has changed.
    said: (String, u32),
}

/// How the clock of the game should run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Clock {
    /// How many frames it still runs; for ever, if there is no number.
    frames: Option<u32>,
    speed: f32,
}

impl Clock {
    const USUAL: Clock = Clock { frames: None, speed: 1.0 };

    fn said(self) -> Message {
        Message::new(Kind::Clock).number((self.frames == Some(0)).into()).float(self.speed)
    }
}

/// A studio.
struct Watcher {
    link: Link,
    /// It has sent the token.
    is_known: bool,
    /// When it was last heard; for a stranger, when it connected.
    heard: Instant,
    reader: Reader,
    /// The state of the clock that was last sent to it.
    clock: Option<Clock>,
    /// The number of changes up to the list of forced leaves that was last sent to it.
    held: u32,
    /// The same for what the game says.
    said: u32,
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tap").field("name", &self.name).field("file", &self.file).finish_non_exhaustive()
    }
}

impl Tap {
    /// Listens, and lets `pleach studio` find this game by a name for people. The file is in the
    /// folder of the environment variable `PLEACH_GAMES`; without it, in `pleach` in
    /// `XDG_RUNTIME_DIR`; without that, in a folder of the user among temporary files.
    ///
    /// # Errors
    /// No port can be opened, the file cannot be written, or others may read its folder. A game
    /// then goes on without a studio.
    pub fn listen(name: &str) -> io::Result<Self> {
        Self::listen_in(&places::folder(), name)
    }

    /// The same with another folder for the file.
    ///
    /// # Errors
    /// As [`listen`](Tap::listen).
    pub fn listen_in(folder: &Path, name: &str) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let (port, token) = (listener.local_addr()?.port(), places::token());
        let file = places::publish(folder, name, port, &token)?;
        let (name, links) = (name.to_owned(), Vec::new());
        let (clock, held, said) = (Clock::USUAL, Held::default(), (String::new(), 0));
        Ok(Tap { name, token, listener, file, links, studios: 0, clock, held, said })
    }

    /// The file that says where the game listens. It is removed when this is dropped.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Whether a studio is connected. A game that records only then begins with all agents as they
    /// are; one that always records also shows the studio the seconds before.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.links.iter().any(|it| it.is_known)
    }

    /// Whether a studio has stopped the clock.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.clock.frames == Some(0)
    }

    /// Shows a text in the studio until there is another one: that the game has refused a tree, for
    /// example. An empty text removes it.
    pub fn say(&mut self, text: &str) {
        if self.said.0 != text {
            self.said = (text.chars().take(LONGEST_REASON).collect(), self.said.1 + 1);
        }
    }

    /// The time that the next frame takes: `dt` at the speed that a studio has chosen. `None` while
    /// it has stopped the clock: then let no time pass, but keep drawing and calling
    /// [`pump`](Tap::pump). Call it once a frame.
    #[must_use]
    pub fn pace(&mut self, dt: f32) -> Option<f32> {
        match &mut self.clock.frames {
            Some(0) => return None,
            Some(left) => *left -= 1,
            None => {}
        }
        let dt = dt * self.clock.speed;
        self.held.pass(dt);
        Some(dt)
    }

    /// Carries out what studios ask, and sends them what was recorded. Call it once a frame, even
    /// while the clock is stopped. It never waits. Without a studio it costs a look at the port;
    /// with one it sends at most about 128 KiB a frame. A studio that reads too slowly misses
    /// frames, and starts again with those that the recording still has.
    pub fn pump<H: Host>(&mut self, forest: &mut Forest<H>, recording: &mut Recording) {
        let mut links = std::mem::take(&mut self.links);
        self.studios = links.iter().filter(|it| it.is_known).count();
        links.retain_mut(|it| self.serve(it, forest, recording).is_ok());
        self.links.append(&mut links);
        self.accept();
        if !self.is_watched() {
            self.clock = Clock::USUAL;
        }
        self.held.free(forest, recording, self.is_watched());
    }

    fn accept(&mut self) {
        // An error concerns a single connection, or the system has no room for more.
        while let Ok((stream, _)) = self.listener.accept() {
            let Ok(link) = Link::new(stream, MOST_IN) else { continue };
            let strangers = || self.links.iter().enumerate().filter(|it| !it.1.is_known);
            if strangers().count() == MOST_STRANGERS
                && let Some((oldest, _)) = strangers().next()
            {
                self.links.remove(oldest);
            }
            let (heard, reader) = (Instant::now(), Reader::default());
            self.links.push(Watcher { link, is_known: false, heard, reader, clock: None, held: 0, said: 0 });
        }
    }

    /// # Errors
    /// The studio is gone, or must be disconnected.
    fn serve<H: Host>(
        &mut self,
        it: &mut Watcher,
        forest: &mut Forest<H>,
        recording: &mut Recording,
    ) -> Result<(), io::Error> {
        // A studio that does not read is not listened to.
        let is_heard = it.link.waiting() <= MOST_WAITING && it.link.read()?;
        if is_heard && it.is_known {
            it.heard = Instant::now();
        } else if it.heard.elapsed() > SILENCE {
            return Err(io::ErrorKind::TimedOut.into());
        }
        // One piece is sent at a time: the rest stays in the recording.
        let is_free = it.link.is_sent();
        for _ in 0..MOST_REQUESTS {
            if it.link.waiting() > MOST_WAITING {
                break;
            }
            let Some(message) = it.link.next()? else { break };
            if it.is_known {
                self.answer(&message, forest, recording).iter().for_each(|answer| it.link.put(answer));
                continue;
            }
            match self.greet(&message) {
                Ok(welcome) => {
                    (it.is_known, it.heard) = (true, Instant::now());
                    self.studios += 1;
                    it.link.put(&welcome);
                }
                Err(why) => {
                    it.link.put(&Message::new(Kind::Bye).text(&why));
                    _ = it.link.send();
                    return Err(io::Error::other(why));
                }
            }
        }
        if it.is_known && is_free {
            let piece = recording.read(&mut it.reader, MOST_OUT);
            let (kind, bytes) = match piece {
                Some(Piece::Begin(bytes)) => (Kind::Begin, bytes),
                Some(Piece::More(bytes)) => (Kind::More, bytes),
                Some(Piece::Rest(bytes)) => (Kind::Rest, bytes),
                None => (Kind::More, Vec::new()),
            };
            let rest = it.reader.rest();
            let is_last = bytes.len() < MOST_OUT && rest == 0;
            if !bytes.is_empty() {
                it.link.put(&Message::new(kind).number(u32::try_from(rest).unwrap_or(u32::MAX)).bytes(&bytes));
            }
            // After the frames that were played before the clock stopped.
            if is_last && it.clock.map(Clock::said) != Some(self.clock.said()) {
                it.link.put(&self.clock.said());
                it.clock = Some(self.clock);
            }
            if it.said != self.said.1 {
                it.link.put(&Message::new(Kind::Said).text(&self.said.0));
                it.said = self.said.1;
            }
            if it.held != self.held.changes {
                it.link.put(&self.held.said(recording));
                it.held = self.held.changes;
            }
        }
        it.link.send()
    }

    /// The answer to the first message.
    fn greet(&self, message: &Message) -> Result<Message, String> {
        let mut body = message.read();
        let said = (message.kind == Kind::Hello).then(|| body.number().zip(body.text())).flatten();
        let (version, token) = said.ok_or("a studio says its token first")?;
        if !same_token(token, &self.token) {
            return Err("the token is wrong".to_owned());
        }
        if version != VERSION {
            return Err(format!(
                "this game speaks version {VERSION} of the messages, and the studio version {version}: build both with \
                 one version of pleach"
            ));
        }
        if self.studios == MOST_STUDIOS {
            return Err(format!("{MOST_STUDIOS} studios are connected with this game, which is the most"));
        }
        Ok(Message::new(Kind::Welcome).number(VERSION).text(&self.name))
    }

    /// Carries out a request. Returns the answer, if there is one.
    fn answer<H: Host>(
        &mut self,
        message: &Message,
        forest: &mut Forest<H>,
        recording: &mut Recording,
    ) -> Option<Message> {
        let mut body = message.read();
        let malformed = || "the request is malformed".to_owned();
        let done = match message.kind {
            // Its answer comes after everything sent before, so it tells how late the studio is.
            Kind::Ping if message.request == 0 => return None,
            Kind::Ping => Ok(()),
            Kind::Pause => body.number().map(|it| self.clock.frames = (it != 0).then_some(0)).ok_or_else(malformed),
            Kind::Step => body.number().map(|it| self.clock.frames = Some(it)).ok_or_else(malformed),
            Kind::Speed => match body.float().filter(|it| SPEEDS.contains(it)) {
                Some(speed) => {
                    self.clock.speed = speed;
                    Ok(())
                }
                None => Err(format!("the speed is a number from {} to {}", SPEEDS.start(), SPEEDS.end())),
            },
            _ => carry_out(forest, recording, &mut self.held, message),
        };
        let answer = match done {
            Ok(()) => Message::new(Kind::Done),
            Err(why) => Message::new(Kind::Refused).text(&why.chars().take(LONGEST_REASON).collect::<String>()),
        };
        Some(answer.request(message.request))
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        for it in &mut self.links {
            it.link.put(&Message::new(Kind::Bye).text("the game has ended"));
            _ = it.link.send();
        }
        _ = std::fs::remove_file(&self.file);
    }
}

/// Compares in constant time, wherever two tokens differ.
#[doc(hidden)]
#[must_use]
pub fn same_token(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).fold(0, |all, it| all | (it.0 ^ it.1)) == 0
}

#[cfg(test)]
mod tests {
    use pleach_core::{Host, Tree, nodes};

    use super::*;

    struct Guards;
    impl Host for Guards {
        type Cx<'a> = ();
    }

    #[test]
    fn what_waits_for_a_studio_that_does_not_read_takes_less_than_a_mebibyte() {
        let folder = std::env::temp_dir().join(format!("pleach-tap-waits-{}", std::process::id()));
        let mut tap = Tap::listen_in(&folder, "waits").unwrap();
        let mut builder = Tree::builder("guard");
        builder.key("health", 0.0_f32);
        let mut forest = Forest::<Guards>::new(7);
        let id = forest.add_tree(builder.build(nodes::wait(900.0)).unwrap()).unwrap();
        let agents: Vec<_> = (0..2_000).map(|_| forest.spawn(&mut (), id).unwrap()).collect();
        let key = forest.agent(agents[0]).unwrap().tree().key::<f32>("health").unwrap();
        let mut recording = Recording::new().at_most(4 << 20).keys_every(1);
        let mut stream = std::net::TcpStream::connect(tap.listener.local_addr().unwrap()).unwrap();
        let said = |message: Message| {
            let mut bytes = Vec::new();
            message.put(&mut bytes);
            bytes
        };
        let hello = said(Message::new(Kind::Hello).number(VERSION).text(&tap.token));
        std::io::Write::write_all(&mut stream, &hello).unwrap();
        let (mut waited, mut most) = (0, 0);
        for frame in 0..1_000_u16 {
            for &agent in &agents {
                forest.keys_mut(agent).unwrap().set(key, f32::from(frame));
            }
            forest.traced(&mut recording).tick(&mut (), 0.01).unwrap();
            std::io::Write::write_all(&mut stream, &said(Message::new(Kind::Ping))).unwrap();
            tap.pump(&mut forest, &mut recording);
            for it in &tap.links {
                waited += usize::from(it.link.waiting() > 0);
                most = most.max(it.link.kept());
            }
        }
        assert!(waited > 100, "it waits in {waited} frames");
        assert!(most < 1 << 20, "{most} bytes");
        drop(tap);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
