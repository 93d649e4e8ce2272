//! The studio's side.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::time::Duration;

use pleach_core::{NodeId, Status};

use crate::places::{self, Place};
use crate::wire::{Body, Decoder, Kind, Message, VERSION, number_of, status_of};

/// The longest message of a game, in bytes: a frame of about two million agents.
const MOST: usize = 256 << 20;
/// How long a game may take to answer the first message.
const PATIENCE: Duration = Duration::from_secs(3);
/// How many bytes are read at once.
const READ: usize = 256 << 10;

/// A game that listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game(Place);

/// The games on this machine that listen, in the folder that [`Tap::listen`](crate::Tap::listen)
/// names. Some may have ended without removing their files: [`connect`](Game::connect) finds out.
///
/// # Errors
/// The folder cannot be read, or others can.
pub fn games() -> io::Result<Vec<Game>> {
    games_in(&places::folder())
}

/// The same in another folder.
///
/// # Errors
/// As [`games`].
pub fn games_in(folder: &Path) -> io::Result<Vec<Game>> {
    Ok(places::all(folder)?.into_iter().map(Game).collect())
}

impl Game {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The file that says where it listens.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.0.file
    }

    /// Connects with it. Waits up to 3 seconds for its answer.
    ///
    /// # Errors
    /// It is gone: its file is then removed. Or it refuses, with a reason.
    pub fn connect(&self) -> io::Result<Connection> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.0.port));
        if stream.as_ref().is_err_and(|it| it.kind() == io::ErrorKind::ConnectionRefused) {
            _ = std::fs::remove_file(&self.0.file);
        }
        let stream = stream?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut ends = Connection { stream, decoder: Decoder::new(MOST), bytes: vec![0; READ], piece: None };
        let hello = Message::new(Kind::Hello).number(VERSION).text(&self.0.token);
        ends.say(&hello)?;
        let welcome = match ends.hear() {
            Err(it) if matches!(it.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                let why = format!("it has not answered within {} s: does it call `pump`?", PATIENCE.as_secs());
                return Err(io::Error::new(io::ErrorKind::TimedOut, why));
            }
            it => it?,
        };
        match welcome.kind {
            Kind::Welcome => {}
            Kind::Bye => return Err(io::Error::other(bye(&welcome))),
            _ => return Err(invalid("what listens there is not a game")),
        }
        ends.stream.set_read_timeout(None)?;
        Ok(ends)
    }
}

/// The received bytes are not from a game.
fn invalid(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// The leaves that a message lists.
fn forced(body: &mut Body<'_>) -> Option<Vec<(u32, NodeId, Status)>> {
    let count = body.number()?;
    let leaf = |body: &mut Body<'_>| {
        let (agent, node) = (body.number()?, NodeId::new(body.number()? as usize)?);
        Some((agent, node, status_of(body.number()?)??))
    };
    (0..count).map(|_| leaf(body)).collect()
}

fn bye(message: &Message) -> String {
    message.read().text().unwrap_or("it gave no reason").to_owned()
}

/// A connection with a game, to listen to.
pub struct Connection {
    stream: TcpStream,
    decoder: Decoder,
    bytes: Vec<u8>,
    /// The received part of an incomplete piece.
    piece: Option<(Kind, Vec<u8>)>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("stream", &self.stream).finish_non_exhaustive()
    }
}

/// A message from a game.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum News {
    /// A recording begins: see [`Piece::Begin`](pleach_core::record::Piece::Begin).
    Begin(Vec<u8>),
    /// It goes on: see [`Piece::More`](pleach_core::record::Piece::More).
    More(Vec<u8>),
    /// How the clock of the game runs.
    Clock {
        /// Whether it is stopped.
        is_paused: bool,
        /// How fast it runs: 1 is as usual.
        speed: f32,
    },
    /// The leaves whose results are forced now: number of the agent, node, result.
    Forced(Vec<(u32, NodeId, Status)>),
    /// A message of the game for the people who watch it; empty if there is none any more.
    Said(String),
    /// A request was carried out, or why it was not.
    Answer(u32, Result<(), String>),
    /// The game ends the connection, and says why.
    Bye(String),
}

/// A request of a studio to a game.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Request<'a> {
    /// Nothing: the studio is still there. A game continues as usual when it has heard nothing for
    /// 3 seconds.
    Ping,
    /// The clock stops.
    Pause,
    /// The clock runs.
    Go,
    /// The clock stops after this number of frames.
    Step(u32),
    /// The clock runs so much faster, from 0.05 to 8.
    Speed(f32),
    /// An agent's key gets a value.
    Set {
        /// The agent's number in the recording.
        agent: u32,
        /// The name of a key of the agent, `group.name` and the like, or the name of a slot.
        key: &'a str,
        /// The value as an expression over the agent's keys; of a slot the name of a tree.
        value: &'a str,
    },
    /// An agent hears an event.
    Send {
        /// The agent's number in the recording.
        agent: u32,
        /// The name of the event.
        event: &'a str,
        /// The payload as an expression; empty for none.
        payload: &'a str,
    },
    /// A leaf of the game gives a result for a time, without being updated.
    Force {
        /// The agent's number in the recording.
        agent: u32,
        /// The leaf.
        node: u32,
        /// The result; `None` lets it answer by itself again.
        status: Option<Status>,
        /// For how many seconds of the game.
        seconds: f32,
    },
}

impl Request<'_> {
    fn message(&self) -> Message {
        match *self {
            Request::Ping => Message::new(Kind::Ping),
            Request::Pause => Message::new(Kind::Pause).number(1),
            Request::Go => Message::new(Kind::Pause).number(0),
            Request::Step(frames) => Message::new(Kind::Step).number(frames),
            Request::Speed(times) => Message::new(Kind::Speed).float(times),
            Request::Set { agent, key, value } => Message::new(Kind::Set).number(agent).text(key).text(value),
            Request::Send { agent, event, payload } => Message::new(Kind::Send).number(agent).text(event).text(payload),
            Request::Force { agent, node, status, seconds } => {
                Message::new(Kind::Force).number(agent).number(node).number(number_of(status)).float(seconds)
            }
        }
    }
}

impl Connection {
    /// Makes an [`Asker`], usable from any thread.
    ///
    /// # Errors
    /// The system's.
    pub fn asker(&self) -> io::Result<Asker> {
        Ok(Asker(self.stream.try_clone()?))
    }

    /// Waits for the next message of the game.
    ///
    /// # Errors
    /// The game is gone, or sends something that is not a message.
    pub fn news(&mut self) -> io::Result<News> {
        loop {
            let message = self.hear()?;
            let mut body = message.read();
            return Ok(match message.kind {
                Kind::Begin | Kind::More | Kind::Rest => {
                    let Some(rest) = body.number() else { continue };
                    let before = self.piece.take().filter(|_| message.kind == Kind::Rest);
                    let (kind, mut piece) = before.unwrap_or((message.kind, Vec::new()));
                    piece.extend(body.bytes());
                    if rest as usize > MOST - piece.len().min(MOST) {
                        return Err(invalid("a piece has more than 256 MiB"));
                    }
                    if rest > 0 {
                        self.piece = Some((kind, piece));
                        continue;
                    }
                    match kind {
                        Kind::Begin => News::Begin(piece),
                        Kind::More => News::More(piece),
                        _ => return Err(invalid("the rest of a piece came without its beginning")),
                    }
                }
                Kind::Clock => {
                    let Some((stands, speed)) = body.number().zip(body.float()) else { continue };
                    News::Clock { is_paused: stands != 0, speed }
                }
                Kind::Forced => {
                    let Some(leaves) = forced(&mut body) else { continue };
                    News::Forced(leaves)
                }
                Kind::Said => News::Said(body.text().unwrap_or_default().to_owned()),
                Kind::Done => News::Answer(message.request, Ok(())),
                Kind::Refused => News::Answer(message.request, Err(bye(&message))),
                Kind::Bye => News::Bye(bye(&message)),
                _ => continue,
            });
        }
    }

    fn say(&mut self, message: &Message) -> io::Result<()> {
        let mut bytes = Vec::new();
        message.put(&mut bytes);
        self.stream.write_all(&bytes)
    }

    fn hear(&mut self) -> io::Result<Message> {
        loop {
            if let Some(it) = self.decoder.next().map_err(invalid)? {
                return Ok(it);
            }
            match self.stream.read(&mut self.bytes) {
                Ok(0) => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the game is gone")),
                Ok(count) => self.decoder.feed(&self.bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Asks a game.
#[derive(Debug)]
pub struct Asker(TcpStream);

impl Asker {
    /// Asks for something. The game carries it out in its next frame, and answers with this number,
    /// except to a [`Ping`](Request::Ping) of number 0: see [`News::Answer`].
    ///
    /// # Errors
    /// The game is gone.
    pub fn ask(&mut self, number: u32, request: &Request<'_>) -> io::Result<()> {
        let mut bytes = Vec::new();
        request.message().request(number).put(&mut bytes);
        self.0.write_all(&bytes)
    }

    /// Ends the connection.
    pub fn close(&self) {
        // It may have ended already.
        _ = self.0.shutdown(std::net::Shutdown::Both);
    }
}
