//! A game that sends anything to a studio.

use std::io::Write as _;
use std::net::TcpListener;
use std::time::Duration;

use pleach_tap::studio::{Connection, News, games_in};

use super::{Done, VERSION, dice, folder, message, seeds};

/// Connects to a peer that sends these bytes, and then ends.
fn connected(name: &str, bytes: Vec<u8>) -> Done<std::io::Result<Connection>> {
    let folder = folder(name);
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let file = pleach_tap::Tap::listen_in(&folder, name)?.file().to_owned();
    let text = format!("pleach game 1\n{}\nsecret\n{name}\n", listener.local_addr()?.port());
    std::fs::write(&file, text)?;
    let game = games_in(&folder)?.remove(0);
    let says = std::thread::spawn(move || -> std::io::Result<()> {
        let (mut stream, _) = listener.accept()?;
        stream.write_all(&bytes)?;
        // Let the studio send its part, and read everything.
        stream.shutdown(std::net::Shutdown::Write)?;
        stream.set_read_timeout(Some(Duration::from_millis(20)))?;
        _ = std::io::copy(&mut stream, &mut std::io::sink());
        Ok(())
    });
    let connection = game.connect();
    // It may have ended the connection first.
    _ = says.join().expect("the game does not panic");
    std::fs::remove_dir_all(&folder)?;
    Ok(connection)
}

fn welcome() -> Vec<u8> {
    let mut body = VERSION.to_le_bytes().to_vec();
    body.extend(4_u32.to_le_bytes());
    body.extend(b"bear");
    message(64, &body)
}

/// What is heard until it ends, and why it ends.
fn heard(connection: &mut Connection) -> (usize, String) {
    let mut count = 0;
    loop {
        match connection.news() {
            Ok(News::Begin(bytes) | News::More(bytes)) => count += 1 + bytes.len(),
            Ok(_) => count += 1,
            Err(error) => return (count, error.to_string()),
        }
    }
}

#[test]
fn pieces_that_are_too_long_or_have_no_beginning_are_refused() -> Done {
    let piece = |kind, rest: u32, bytes: &[u8]| message(kind, &[&rest.to_le_bytes(), bytes].concat());
    let cases = [
        (piece(65, u32::MAX, b"x"), "a piece has more than 256 MiB"),
        (piece(66, 256 << 20, b"x"), "a piece has more than 256 MiB"),
        ([piece(65, 8, b"x"), piece(72, u32::MAX, b"y")].concat(), "a piece has more than 256 MiB"),
        (piece(72, 0, b"x"), "the rest of a piece came without its beginning"),
        ((u32::MAX).to_le_bytes().to_vec(), "a message has 4294967295 bytes"),
        (piece(65, 8, b"x"), "the game is gone"),
        (message(71, &u32::MAX.to_le_bytes()), "the game is gone"),
        (message(71, &[1, 0, 0, 0, 2, 0, 0, 0, 255, 255, 255, 255, 1, 0, 0, 0]), "the game is gone"),
        (message(67, &[1]), "the game is gone"),
        (Vec::new(), "the game is gone"),
    ];
    for (at, (bytes, why)) in cases.into_iter().enumerate() {
        let mut connection = connected("hostile", [welcome(), bytes].concat())??;
        let (_, told) = heard(&mut connection);
        assert!(told.starts_with(why), "{at}: {told}");
    }
    Ok(())
}

#[test]
fn a_game_that_says_anything_is_heard_without_a_panic() -> Done {
    let mut all = 0;
    for case in seeds() {
        let mut next = dice(case);
        let mut bytes = if next(8) == 0 { Vec::new() } else { welcome() };
        for _ in 0..next(200) {
            #[expect(clippy::cast_possible_truncation, reason = "bytes")]
            let body: Vec<u8> = (0..next(40)).map(|_| if next(2) == 0 { next(3) } else { next(256) } as u8).collect();
            #[expect(clippy::cast_possible_truncation, reason = "a kind")]
            let mut message = message(62 + next(12) as u8, &body);
            // Now and then its length or one of its bytes is changed.
            if next(10) == 0 {
                let at = usize::try_from(next(message.len() as u64))?;
                message[at] ^= 1 << next(8);
            }
            bytes.extend(message);
        }
        if let Ok(mut connection) = connected("random_game", bytes)? {
            all += heard(&mut connection).0;
        }
    }
    assert!(all > 0, "something is understood");
    Ok(())
}
