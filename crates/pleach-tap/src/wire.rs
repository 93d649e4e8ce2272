//! Messages between a game and a studio, as bytes.
//!
//! A message is its length in 4 bytes, its kind in one, a number that joins answers to requests in
//! 4, and a body. Numbers are little-endian, texts are UTF-8 after their length in 4 bytes. A
//! reader skips kinds that it does not know.

use std::fmt;

use pleach_core::Status;

/// The version of the messages. A game and a studio of different versions do not talk.
pub(crate) const VERSION: u32 = 2;
/// How many bytes come before the body.
const HEAD: usize = 9;

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Message {
    pub(crate) kind: Kind,
    /// The number of a request, and of its answer.
    pub(crate) request: u32,
    pub(crate) body: Vec<u8>,
}

/// What a leaf is forced to give, as a number; `None` is its own result.
pub(crate) fn number_of(status: Option<Status>) -> u32 {
    match status {
        Some(Status::Running) => 0,
        Some(Status::Success) => 1,
        Some(Status::Failure) => 2,
        None => 3,
    }
}

/// What a number means: see [`number_of`].
pub(crate) fn status_of(number: u32) -> Option<Option<Status>> {
    [Some(Status::Running), Some(Status::Success), Some(Status::Failure), None].get(number as usize).copied()
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident = $number:literal,)*) => {
        /// What a message says. This list is the format: writer and reader are made from it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Kind {
            $($(#[doc = $doc])* $name,)*
            /// One that this version does not know.
            Unknown(u8),
        }

        impl Kind {
            fn number(self) -> u8 {
                match self {
                    $(Kind::$name => $number,)*
                    Kind::Unknown(it) => it,
                }
            }

            fn of(number: u8) -> Kind {
                match number {
                    $($number => Kind::$name,)*
                    it => Kind::Unknown(it),
                }
            }
        }
    };
}

kinds! {
    // From the studio.
    /// The first one: the version as a number, the token as text.
    Hello = 1,
    /// The studio is still there. A number other than 0 asks for an answer.
    Ping = 2,
    /// The game's clock stops: 1, or goes on: 0.
    Pause = 3,
    /// The clock stops after this number of frames.
    Step = 4,
    /// How fast the clock runs, as a float of 4 bytes.
    Speed = 5,
    /// An agent's key gets a value, or a slot a tree: number of the agent, name, value as an
    /// expression or name of the tree.
    Set = 6,
    /// An agent hears an event: number of the agent, name, payload as an expression or nothing.
    Send = 7,
    /// A leaf of the game gives a result for a time: number of the agent, index of the node, result
    /// (0 running, 1 success, 2 failure, 3 its own again), seconds of the game as a float.
    Force = 8,
    // From the game.
    /// The answer to `Hello`: the version as a number, the name of the game as text.
    Welcome = 64,
    /// The first piece of a recording, after the number of its bytes that are still to come.
    Begin = 65,
    /// The next piece, alike.
    More = 66,
    /// The state of the clock: 1 if it is stopped, and how fast it runs.
    Clock = 67,
    /// A request was carried out.
    Done = 68,
    /// A request was not carried out: why, as text.
    Refused = 69,
    /// The game ends the connection: why, as text.
    Bye = 70,
    /// The leaves that are forced now: their count, and of each number of the agent, index of the
    /// node, result as in `Force`.
    Forced = 71,
    /// The next bytes of a piece, alike.
    Rest = 72,
    /// A message of the game, as text; empty for none.
    Said = 73,
}

impl Message {
    pub(crate) fn new(kind: Kind) -> Self {
        Message { kind, request: 0, body: Vec::new() }
    }

    pub(crate) fn request(self, request: u32) -> Self {
        Message { request, ..self }
    }

    pub(crate) fn number(mut self, number: u32) -> Self {
        self.body.extend(number.to_le_bytes());
        self
    }

    pub(crate) fn float(mut self, float: f32) -> Self {
        self.body.extend(float.to_le_bytes());
        self
    }

    pub(crate) fn text(mut self, text: &str) -> Self {
        let length = u32::try_from(text.len()).expect("a text is shorter than 4 GB");
        self.body.extend(length.to_le_bytes());
        self.body.extend(text.as_bytes());
        self
    }

    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.body.extend(bytes);
        self
    }

    /// Writes it.
    pub(crate) fn put(&self, to: &mut Vec<u8>) {
        let length = u32::try_from(self.body.len() + HEAD - 4).expect("a message is shorter than 4 GB");
        to.extend(length.to_le_bytes());
        to.push(self.kind.number());
        to.extend(self.request.to_le_bytes());
        to.extend(&self.body);
    }

    /// Its body, to be read.
    pub(crate) fn read(&self) -> Body<'_> {
        Body(&self.body)
    }
}

/// The rest of a body.
pub(crate) struct Body<'a>(&'a [u8]);

impl<'a> Body<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    pub(crate) fn number(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    pub(crate) fn float(&mut self) -> Option<f32> {
        self.take().map(f32::from_le_bytes)
    }

    /// The rest of the body.
    pub(crate) fn bytes(self) -> &'a [u8] {
        self.0
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }
}

/// A message is longer than its reader accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLong {
    bytes: u64,
    most: usize,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a message has {} bytes, and {} are the most", self.bytes, self.most)
    }
}

impl std::error::Error for TooLong {}

/// Makes messages from bytes as they arrive.
#[derive(Debug)]
pub(crate) struct Decoder {
    bytes: Vec<u8>,
    /// How far they have been taken.
    at: usize,
    /// How long a message may be.
    most: usize,
}

impl Decoder {
    pub(crate) fn new(most: usize) -> Self {
        Decoder { bytes: Vec::new(), at: 0, most }
    }

    #[cfg(test)]
    pub(crate) fn kept(&self) -> usize {
        self.bytes.capacity()
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.at);
        self.at = 0;
        self.bytes.extend(bytes);
    }

    /// The next message, if it is complete.
    pub(crate) fn next(&mut self) -> Result<Option<Message>, TooLong> {
        let rest = &self.bytes[self.at..];
        let Some((length, rest)) = rest.split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length);
        let bytes = usize::try_from(length).ok().filter(|it| *it <= self.most);
        let Some(length) = bytes else { return Err(TooLong { bytes: length.into(), most: self.most }) };
        let Some(message) = rest.get(..length) else { return Ok(None) };
        self.at += 4 + length;
        let Some((&kind, rest)) = message.split_first() else { return Ok(Some(Message::new(Kind::Unknown(0)))) };
        let Some((request, body)) = rest.split_first_chunk() else {
            return Ok(Some(Message::new(Kind::Unknown(kind))));
        };
        let request = u32::from_le_bytes(*request);
        Ok(Some(Message { kind: Kind::of(kind), request, body: body.to_vec() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_however_they_are_cut() {
        let all = [
            Message::new(Kind::Hello).number(VERSION).text("token"),
            Message::new(Kind::Set).request(7).number(3).text("health").text("0.3"),
            Message::new(Kind::Unknown(200)).bytes(&[1, 2, 3]),
            Message::new(Kind::Speed).float(0.5),
        ];
        let mut bytes = Vec::new();
        all.iter().for_each(|it| it.put(&mut bytes));
        for size in 1..bytes.len() {
            let mut decoder = Decoder::new(1 << 10);
            let mut read = Vec::new();
            for piece in bytes.chunks(size) {
                decoder.feed(piece);
                while let Some(it) = decoder.next().unwrap() {
                    read.push(it);
                }
            }
            assert_eq!(read, all);
        }
        let mut body = all[1].read();
        assert_eq!(
            (body.number(), body.text(), body.text(), body.text()),
            (Some(3), Some("health"), Some("0.3"), None)
        );
    }

    #[test]
    fn a_message_that_is_too_long_is_refused_by_its_length_alone() {
        let mut decoder = Decoder::new(1 << 16);
        decoder.feed(&(1_u32 << 30).to_le_bytes());
        let error = decoder.next().unwrap_err().to_string();
        assert_eq!(error, "a message has 1073741824 bytes, and 65536 are the most");
    }

    #[test]
    fn bytes_at_random_are_read_without_a_panic() {
        let mut state = 7_u64;
        for _ in 0..20_000 {
            let mut decoder = Decoder::new(64);
            for _ in 0..8 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let word = (state >> 24).to_le_bytes();
                decoder.feed(&word[..(state >> 60) as usize % 8]);
                decoder.feed(&[word[0] % 16, 0, 0, 0]);
                while let Ok(Some(it)) = decoder.next() {
                    let mut body = it.read();
                    _ = (body.number(), body.text(), body.float());
                }
            }
        }
    }
}
