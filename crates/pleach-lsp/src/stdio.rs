//! Messages over standard input and output. `lsp-server` has this too, but there a message that
//! claims to be huge ends the program for lack of memory, and the first that is not JSON ends the
//! server.

use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc;
use std::thread;

use lsp_server::{Connection, ErrorCode, Message};
use pleach::tools::text::{plain, shorten};
use serde_json::{Value as Json, json};

use crate::game::ServeError;

/// The longest message that is read, in bytes. Longer ones are skipped.
const MOST_BYTES: u64 = 256 << 20;

/// The longest line of a message's header, in bytes.
const MOST_LINE: u64 = 4 << 10;

/// Runs a server over standard input and output.
pub(crate) fn serve(run: impl FnOnce(&Connection) -> Result<(), ServeError>) -> Result<(), ServeError> {
    let (near, Connection { sender, receiver }) = Connection::memory();
    let (tell, told) = mpsc::channel();
    // It may wait for the editor for ever, so it is not joined.
    thread::spawn(move || {
        let take = |it| sender.send(it).is_ok();
        if let Err(why) = read(&mut io::stdin().lock(), take, |refusal| send(&mut io::stdout().lock(), &refusal)) {
            // The server notices when it next waits for a message: `sender` is gone then.
            _ = tell.send(why);
        }
    });
    let writer = thread::spawn(move || -> io::Result<()> {
        // A message holds the lock, so that refusals come between two messages.
        receiver.iter().try_for_each(|it| it.write(&mut io::stdout().lock()))
    });
    let served = run(&near);
    // The writer ends when no sender is left.
    drop(near);
    let is_written = writer.join().is_ok_and(|it| it.is_ok());
    match (served, told.try_recv()) {
        (Err(ServeError::Gone), Ok(why)) => Err(ServeError::Protocol(why)),
        (Ok(()), _) if !is_written => Err(ServeError::Gone),
        (served, _) => served,
    }
}

/// Reads messages until `exit`, the end, or until `take` returns that no receiver is left. Refuses
/// anything that is not a message of the protocol, and reads the next one.
///
/// # Errors
/// The start of the next message can no longer be found.
fn read(
    input: &mut impl BufRead,
    mut take: impl FnMut(Message) -> bool,
    mut refuse: impl FnMut(Json) -> io::Result<()>,
) -> Result<(), String> {
    while let Some(length) = header(input)? {
        let message = if length > MOST_BYTES {
            let message = format!(
                "a message of {length} bytes is too long: this server reads messages of up to {} MiB",
                MOST_BYTES >> 20
            );
            Err((ErrorCode::InvalidRequest, message))
        } else {
            // Allocates for the bytes that arrive, not for those announced.
            let mut bytes = Vec::new();
            input.take(length).read_to_end(&mut bytes).map_err(|it| it.to_string())?;
            if (bytes.len() as u64) < length {
                return Ok(());
            }
            message(&bytes)
        };
        match message {
            Ok(message) => {
                let is_exit = matches!(&message, Message::Notification(it) if it.method == "exit");
                if !take(message) || is_exit {
                    return Ok(());
                }
            }
            Err((code, message)) => {
                let error = json!({ "code": code as i32, "message": message });
                refuse(json!({ "jsonrpc": "2.0", "id": null, "error": error })).map_err(|it| it.to_string())?;
            }
        }
        if length > MOST_BYTES {
            io::copy(&mut input.take(length), &mut io::sink()).map_err(|it| it.to_string())?;
        }
    }
    Ok(())
}

/// The length of the next message; `None` at the end.
fn header(input: &mut impl BufRead) -> Result<Option<u64>, String> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        input.take(MOST_LINE).read_until(b'\n', &mut line).map_err(|it| it.to_string())?;
        if line.len() as u64 == MOST_LINE {
            return Err(format!("a line of a header is longer than {} KiB", MOST_LINE >> 10));
        }
        if line.last() != Some(&b'\n') {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let shown = || plain(&shorten(line.trim(), 60)).into_owned();
        match line.trim().split_once(':') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("Content-Length") => {
                length = Some(value.trim().parse().map_err(|_| format!("`{}` does not say a length", shown()))?);
            }
            Some(_) => {}
            None if !line.trim().is_empty() => {
                return Err(format!(
                    "expected the header of a message, such as `Content-Length: 42`, found `{}`",
                    shown()
                ));
            }
            None if length.is_none() => return Err("a message has no `Content-Length`".into()),
            None => return Ok(length),
        }
    }
}

/// Parses a message from these bytes.
fn message(bytes: &[u8]) -> Result<Message, (ErrorCode, String)> {
    let json: Json = serde_json::from_slice(bytes)
        .map_err(|it| (ErrorCode::ParseError, format!("the message is not JSON: {it}")))?;
    serde_json::from_value(json).map_err(|_| {
        let message = "the message is neither a request nor a notification: it needs a `method`, and a request an `id`";
        (ErrorCode::InvalidRequest, message.to_owned())
    })
}

fn send(out: &mut impl Write, message: &Json) -> io::Result<()> {
    let text = message.to_string();
    write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(message: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{message}", message.len())
    }

    /// Which methods were read, which error codes were sent, and how it ended.
    fn heard(input: &[u8]) -> (Vec<String>, Vec<i64>, Result<(), String>) {
        let (mut methods, mut codes) = (Vec::new(), Vec::new());
        let take = |it| {
            match it {
                Message::Request(it) => methods.push(it.method),
                Message::Notification(it) => methods.push(it.method),
                Message::Response(it) => methods.push(format!("answer {}", it.id)),
            }
            true
        };
        let ended = read(&mut { input }, take, |it| {
            codes.extend(it["error"]["code"].as_i64());
            Ok(())
        });
        (methods, codes, ended)
    }

    #[test]
    fn what_is_no_message_is_refused_and_the_next_one_read() {
        let mut input = Vec::new();
        for it in ["{", "[]", r#"{"id":1.5}"#, r#"{"method":"a"}"#, "\u{0}", r#"{"id":"x","method":"b"}"#, ""] {
            input.extend(framed(it).bytes());
        }
        input.extend(b"content-length:1\nContent-Type: x\n\n\xff");
        input.extend(framed(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000))).bytes());
        input.extend(framed(r#"{"id":7,"result":null}"#).bytes());
        input.extend(framed(r#"{"method":"exit"}"#).bytes());
        input.extend(b"not read");
        let (methods, codes, ended) = heard(&input);
        assert_eq!(methods, ["a", "b", "answer 7", "exit"]);
        assert_eq!(codes, [-32700, -32600, -32600, -32700, -32700, -32700, -32700]);
        assert_eq!(ended, Ok(()));
    }

    #[test]
    fn a_huge_message_is_skipped() {
        let (_, codes, ended) = heard(b"Content-Length: 1000000000\r\n\r\n{");
        assert_eq!((&codes[..], ended), (&[-32600][..], Ok(())));
        // Below the limit, but none of it arrives.
        assert_eq!(heard(b"Content-Length: 200000000\r\n\r\n{").1, [0; 0]);
        let size = MOST_BYTES + 1;
        let head = format!("Content-Length: {size}\r\n\r\n");
        let tail = framed(r#"{"method":"next"}"#);
        let mut input = head.as_bytes().chain(io::repeat(b' ').take(size)).chain(tail.as_bytes());
        let mut methods = Vec::new();
        let take = |it: Message| {
            methods.push(format!("{it:?}"));
            true
        };
        assert_eq!(read(&mut io::BufReader::new(&mut input), take, |_| Ok(())), Ok(()));
        assert!(methods.len() == 1 && methods[0].contains("next"), "{methods:?}");
    }

    #[test]
    fn headers_that_lead_nowhere_end_it() {
        for (input, expected) in [
            (
                "tick; tick\r\n\r\n",
                "expected the header of a message, such as `Content-Length: 42`, found `tick; tick`",
            ),
            ("Content-Length: -1\r\n\r\n", "`Content-Length: -1` does not say a length"),
            (
                "Content-Length: 99999999999999999999\r\n\r\n",
                "`Content-Length: 99999999999999999999` does not say a length",
            ),
            ("Content-Type: x\r\n\r\n{}", "a message has no `Content-Length`"),
            (&"x".repeat(1 << 20), "a line of a header is longer than 4 KiB"),
        ] {
            assert_eq!(heard(input.as_bytes()).2, Err(expected.to_owned()));
        }
        for input in ["", "Content-Le", "Content-Length: 3\r\n", "Content-Length: 3\r\n\r\n{}"] {
            assert_eq!(heard(input.as_bytes()), (Vec::new(), Vec::new(), Ok(())), "{input}");
        }
    }
}
