//! A connection that never waits.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;

use crate::wire::{Decoder, Message};

/// How many bytes are read at once, and how often in a frame.
const READ: usize = 16 << 10;
const READS: usize = 4;
/// How many bytes of capacity are kept for later messages.
const KEPT: usize = 64 << 10;

/// A connection, with the received bytes and those still to send.
#[derive(Debug)]
pub(crate) struct Link {
    stream: TcpStream,
    decoder: Decoder,
    out: Vec<u8>,
    /// How much of `out` was sent.
    sent: usize,
}

impl Link {
    /// `most` is the length of the longest accepted message.
    pub(crate) fn new(stream: TcpStream, most: usize) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        Ok(Link { stream, decoder: Decoder::new(most), out: Vec::new(), sent: 0 })
    }

    /// Reads what has arrived. Returns whether anything did.
    ///
    /// # Errors
    /// The other side is gone.
    pub(crate) fn read(&mut self) -> io::Result<bool> {
        let mut bytes = [0; READ];
        for at in 0..READS {
            match self.stream.read(&mut bytes) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.decoder.feed(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(at > 0),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// The next message that has come.
    ///
    /// # Errors
    /// It is too long.
    pub(crate) fn next(&mut self) -> io::Result<Option<Message>> {
        self.decoder.next().map_err(|it| io::Error::new(ErrorKind::InvalidData, it))
    }

    /// Adds a message to those to send.
    pub(crate) fn put(&mut self, message: &Message) {
        message.put(&mut self.out);
    }

    /// Whether everything was sent.
    pub(crate) fn is_sent(&self) -> bool {
        self.out.is_empty()
    }

    /// How many bytes are still to send.
    pub(crate) fn waiting(&self) -> usize {
        self.out.len() - self.sent
    }

    /// How many bytes it takes in memory.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> usize {
        self.out.capacity() + self.decoder.kept()
    }

    /// Sends as much as the other side accepts now.
    ///
    /// # Errors
    /// The other side is gone.
    pub(crate) fn send(&mut self) -> io::Result<()> {
        while self.sent < self.out.len() {
            match self.stream.write(&self.out[self.sent..]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.out.clear();
        self.out.shrink_to(KEPT);
        self.sent = 0;
        Ok(())
    }
}
