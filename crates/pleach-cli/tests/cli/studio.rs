//! The server of `studio`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::replays::guards;
use super::{Place, command, refused};

/// A studio that serves a recording.
pub(super) struct Studio {
    child: Child,
    port: u16,
    token: String,
}

impl Studio {
    pub(crate) fn of(file: &str) -> Self {
        Self::by(command(&["studio", file, "--no-open"]))
    }

    pub(super) fn by(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let rest = line.trim().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = rest.split_once("/#token=").unwrap();
        Studio { child, port: port.parse().unwrap(), token: token.to_owned() }
    }

    /// The head and the body of the answer to a request with these lines.
    fn sent(&self, lines: &[&str], body: &[u8]) -> (String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let head = format!("{}\r\nConnection: close\r\n\r\n", lines.join("\r\n"));
        stream.write_all(head.as_bytes()).unwrap();
        // A body that is too long is not read to its end.
        _ = stream.write_all(body);
        let mut answer = Vec::new();
        _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        (head.to_owned(), body.to_owned())
    }

    /// Sends a signal to the program.
    #[cfg(unix)]
    pub(super) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Connections on which requests have begun.
    fn begun(&self, count: usize, request: &str) -> Vec<TcpStream> {
        let connect = || {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            stream
        };
        std::iter::repeat_with(connect).take(count).collect()
    }

    /// The begin of a request with a question, up to its length.
    fn head(&self) -> String {
        format!("POST /ask HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 60000\r\n", self.port)
    }

    fn get(&self, path: &str, more: &[&str]) -> (String, String) {
        let (get, host) = (format!("GET {path} HTTP/1.1"), format!("Host: 127.0.0.1:{}", self.port));
        self.sent(&[&[&*get, &*host][..], more].concat(), b"")
    }

    /// The status and the body of the answer to a question.
    pub(super) fn asked(&self, question: &str, more: &[&str]) -> (u16, String) {
        let host = format!("Host: localhost:{}", self.port);
        let length = format!("Content-Length: {}", question.len());
        let lines = [&["POST /ask HTTP/1.1", &*host, &*length][..], more].concat();
        let (head, body) = self.sent(&lines, question.as_bytes());
        (head.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or_default(), body)
    }

    pub(super) fn ask(&self, question: &str) -> (u16, String) {
        self.asked(question, &[&format!("Authorization: Bearer {}", self.token)])
    }
}

impl Studio {
    /// The status and the answer to a question.
    pub(super) fn ask_json(&self, question: serde_json::Value) -> (u16, serde_json::Value) {
        let (code, body) = self.ask(&question.to_string());
        (code, serde_json::from_str(&body).unwrap_or(serde_json::Value::String(body)))
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

const OVERVIEW: &str = "{\"ask\":\"overview\"}";

#[test]
fn the_studio_answers_its_page() {
    let place = Place::new("studio");
    let studio = Studio::of(&guards(&place, &[]));
    let (head, page) = studio.get("/", &[]);
    assert!(head.starts_with("HTTP/1.1 200 OK") && page.starts_with("<!doctype html>"), "{head}");
    assert!(head.contains("content-security-policy: default-src 'none'; script-src 'self';"), "{head}");
    assert!(head.contains("x-content-type-options: nosniff") && head.contains("cache-control: no-store"), "{head}");
    // Without the token, nothing of the recording is revealed.
    assert!(!page.contains("guard") && !page.contains(&studio.token), "{page}");
    for (path, ty) in [("/studio.js", "text/javascript"), ("/studio.css", "text/css")] {
        let (head, _) = studio.get(path, &[]);
        assert!(head.starts_with("HTTP/1.1 200 OK") && head.contains(&format!("content-type: {ty}")), "{head}");
    }
    let (code, overview) = studio.ask(OVERVIEW);
    let overview: serde_json::Value = serde_json::from_str(&overview).unwrap();
    assert_eq!((code, &overview["agents"], &overview["last"]), (200, &30.into(), &480.into()));
    let (code, moment) = studio.ask("{\"ask\":\"moment\",\"agent\":17,\"frame\":300}");
    assert!(code == 200 && moment.starts_with("{\"agent\":17,\"frame\":300,\"seconds\":5.0,"), "{moment}");
}

#[test]
fn the_studio_refuses_everybody_else() {
    let place = Place::new("studio_refuses");
    let studio = Studio::of(&guards(&place, &[]));
    let token = format!("Authorization: Bearer {}", studio.token);
    let wrong = format!("Authorization: Bearer {}x", &studio.token[1..]);
    for more in [&[][..], &["Authorization: Bearer "], &[&wrong], &["Authorization: Basic x"], &[&token, &token]] {
        let (code, body) = studio.asked(OVERVIEW, more);
        assert!(code == 401 && body.contains("the token is missing or wrong: open the address"), "{more:?}: {body}");
    }
    let own = format!("Origin: http://127.0.0.1:{}", studio.port);
    assert_eq!(studio.asked(OVERVIEW, &[&token, &own]).0, 200);
    let secure = own.replace("http:", "https:");
    let twice = format!("{own}\r\n{own}");
    let more = [&*secure, "Origin: http://127.0.0.1:1", &twice, "Origin: http://évil.example", "Origin: "];
    for origin in ["Origin: http://evil.example", "Origin: null"].into_iter().chain(more) {
        let (code, body) = studio.asked(OVERVIEW, &[&token, origin]);
        assert!(code == 403 && body.contains("does not answer pages of other sites"), "{origin}: {body}");
    }
    // A name that another site has given to this machine.
    for host in ["Host: evil.example", "Host: 127.0.0.1", "Host: 127.0.0.1:1"] {
        let (head, body) = studio.sent(&["GET / HTTP/1.1", host], b"");
        assert!(head.starts_with("HTTP/1.1 403") && body.contains("answers to no other name"), "{host}: {head}");
    }
    let (head, body) = studio.get("/../Cargo.toml", &[]);
    assert!(head.starts_with("HTTP/1.1 404") && body.contains("this page does not exist"), "{head}");
    assert!(studio.get("/ask", &[&token]).0.starts_with("HTTP/1.1 405"));
}

#[test]
fn the_studio_bears_bad_questions() {
    let place = Place::new("studio_bad");
    let studio = Studio::of(&guards(&place, &[]));
    let (code, body) = studio.ask("{\"ask\":\"fly\"}");
    assert!(code == 400 && body.contains("the question cannot be read: unknown variant `fly`"), "{body}");
    let (code, body) = studio.ask("{\"ask\":\"moment\",\"agent\":99,\"frame\":1}");
    assert!(code == 400 && body.contains("agent 99 does not exist: the 30 agents have the numbers 0 to 29"), "{body}");
    let (code, body) = studio.ask(&format!("{{\"ask\":\"{}\"}}", "x".repeat(70_000)));
    assert!(code == 413 && body.contains("the question is too long: 65536 bytes at most"), "{code} {body}");
    let length = format!("Content-Length: {}", 1_u64 << 40);
    let host = format!("Host: 127.0.0.1:{}", studio.port);
    let token = format!("Authorization: Bearer {}", studio.token);
    let (head, _) = studio.sent(&["POST /ask HTTP/1.1", &host, &token, &length], &[b'x'; 200_000]);
    assert!(head.starts_with("HTTP/1.1 413"), "{head}");
    assert!(studio.sent(&["nonsense"], b"").0.starts_with("HTTP/1.1 400"));
    assert_eq!(studio.ask(OVERVIEW).0, 200);
}

#[test]
fn two_browsers_may_ask_at_once() {
    let place = Place::new("studio_two");
    let studio = Studio::of(&guards(&place, &[]));
    let ask = |agent: usize| {
        let mut all = Vec::new();
        for frame in (10..400).step_by(60) {
            all.push(studio.ask(&format!("{{\"ask\":\"moment\",\"agent\":{agent},\"frame\":{frame}}}")));
            all.push(studio.ask(&format!("{{\"ask\":\"agents\",\"frame\":{frame},\"limit\":3}}")));
        }
        all
    };
    let alone = [3, 17].map(ask);
    let both = std::thread::scope(|scope| {
        let threads = [3, 17].map(|agent| scope.spawn(move || ask(agent)));
        threads.map(|it| it.join().unwrap())
    });
    assert_eq!(both, alone);
    assert!(both.iter().flatten().all(|it| it.0 == 200));
}

#[test]
fn who_is_slow_or_has_no_token_takes_no_room() {
    let place = Place::new("studio_slow");
    let studio = Studio::of(&guards(&place, &[]));
    // The server checks the token before it reads the body.
    let mut refused = studio.begun(80, &format!("{}\r\n{{\"a", studio.head()));
    for stream in &mut refused {
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 401");
    }
    let token = format!("Authorization: Bearer {}\r\n", studio.token);
    let slow = studio.begun(40, &format!("{}{token}\r\n{{\"a", studio.head()));
    let slower = studio.begun(40, &studio.head());
    let idle = studio.begun(40, "");
    let begin = Instant::now();
    assert_eq!(studio.ask(OVERVIEW).0, 200);
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
    drop((refused, slow, slower, idle));
}

#[cfg(unix)]
#[test]
fn the_studio_bears_more_connections_than_it_may_open() {
    let place = Place::new("studio_files");
    let file = guards(&place, &[]);
    let mut few = Command::new("sh");
    let program = command(&[]).get_program().to_owned();
    few.args(["-c", "ulimit -n 40; exec \"$0\" \"$@\""]).arg(program).args(["studio", &file, "--no-open"]);
    let studio = Studio::by(few);
    let idle = studio.begun(100, "");
    std::thread::sleep(Duration::from_millis(300));
    drop(idle);
    assert_eq!(studio.ask(OVERVIEW).0, 200);
}

#[test]
fn searches_that_are_broken_off_make_room() {
    let place = Place::new("studio_searches");
    let studio = Studio::of(&guards(&place, &[]));
    let question = "{\"ask\":\"find\",\"node\":\"Attack\"}";
    let (length, token) = (question.len(), &studio.token);
    let head = format!("POST /ask HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {length}\r\n", studio.port);
    drop(studio.begun(8, &format!("{head}Authorization: Bearer {token}\r\n\r\n{question}")));
    assert_eq!(studio.ask(OVERVIEW).0, 200);
    let (code, found) = studio.ask(question);
    assert!(code == 200 && found.contains("\"hits\":[{\"frame\":"), "{found}");
}

#[test]
fn what_is_no_recording_is_not_served() {
    let place = Place::new("studio_wrong");
    let file = place.file("no.rec", "no recording");
    refused(&["studio", &file, "--no-open"], 1, "this is not a recording of pleach");
    refused(&["studio", "nothing.rec", "--no-open"], 2, "nothing.rec");
    refused(&["studio", &file, "--port", "99999"], 2, "99999");
    let studio = Studio::of(&guards(&place, &[]));
    let port = studio.port.to_string();
    let said = format!("cannot serve at port {port}: ");
    refused(&["studio", &guards(&place, &[]), "--no-open", "--port", &port], 1, &said);
}

#[test]
fn a_torn_recording_is_served_up_to_there() {
    let place = Place::new("studio_torn");
    let file = guards(&place, &[]);
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() - 500]).unwrap();
    let (code, overview) = Studio::of(&file).ask(OVERVIEW);
    assert!(code == 200 && overview.contains("\"notes\":[\"Only a part can be shown: the recording "), "{overview}");
}
