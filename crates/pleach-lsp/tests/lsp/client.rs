//! A scripted client, over a connection in memory.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use pleach::asset::Manifest;
use pleach_lsp::{Game, ServeError, serve};
use serde_json::{Value as Json, json};

/// The leaves of the game that all tests are about.
pub(crate) const LEAVES: &str = r#"Manifest(
    version: 1,
    events: [(name: "noise", payload: Some(Vec2))],
    leaves: [
        (name: "Flee", kind: Action, doc: "Runs away from what it sees.", parameters: Known([
            (name: "speed", type: FloatExpr, presence: Default("5.0"), doc: "Metres per second."),
        ])),
        (name: "MoveTo", kind: Action, doc: "Walks to a place.", parameters: Known([
            (name: "place", type: Key(Vec2), presence: Required, access: Some(Read), doc: "Where to."),
            (name: "gait", type: OneOf(["walk", "sneak"]), presence: Default("\"walk\""), doc: "How."),
        ])),
        (name: "Patrol", kind: Action, doc: "Walks its route.", parameters: Known([])),
        (name: "Sees", kind: Condition, doc: "Whether it sees the player.", parameters: Known([])),
    ],
    keys: [
        (tree: Some("scout"), name: "strength", scope: Agent, type: Float, words: [], optional: false, access: Some(Write), doc: "From 0 to 1."),
        (tree: Some("scout"), name: "mood", scope: Agent, type: Symbol, words: ["calm", "wild"], optional: true, access: Some(Read), doc: ""),
        (tree: Some("scout"), name: "signal", scope: Group, type: Bool, words: [], optional: true, access: None, doc: ""),
    ],
)"#;

/// How long a client waits for an expected message.
const LONG: Duration = Duration::from_secs(60);

pub(crate) struct Client {
    connection: Option<Connection>,
    server: Option<JoinHandle<Result<(), ServeError>>>,
    folder: PathBuf,
    requests: i32,
    /// The notifications that came in between.
    pub(crate) noticed: Vec<Notification>,
}

impl Client {
    /// A client in a folder with these files, with which it has been initialized.
    pub(crate) fn new(test: &str, files: &[(&str, &str)]) -> Self {
        let mut client = Client::silent(test, files);
        let folder = client.uri("");
        let item = json!({ "completionItem": { "snippetSupport": true } });
        let capabilities = json!({ "textDocument": { "completion": item } });
        let params = json!({ "capabilities": capabilities, "workspaceFolders": [{ "uri": folder }] });
        let answer = client.request("initialize", params);
        assert_eq!(answer.unwrap()["serverInfo"]["name"], "pleach");
        client.notify("initialized", json!({}));
        client
    }

    /// A client that has sent nothing yet.
    pub(crate) fn silent(test: &str, files: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("pleach-lsp-{}-{test}", std::process::id()));
        _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        // A link in the path would give it two names.
        let folder = folder.canonicalize().unwrap();
        let (ours, theirs) = Connection::memory();
        let server = std::thread::spawn(move || {
            let registry = Manifest::parse("game.leaves", LEAVES).unwrap().registry().unwrap();
            serve(&theirs, &Game::new(&registry))
        });
        let client = Client { connection: Some(ours), server: Some(server), folder, requests: 0, noticed: Vec::new() };
        for (name, text) in files {
            client.write(name, text);
        }
        client
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn uri(&self, name: &str) -> String {
        format!("file://{}/{name}", self.folder.display())
    }

    fn send(&self, message: Message) {
        self.connection.as_ref().unwrap().sender.send(message).unwrap();
    }

    fn receive(&self) -> Message {
        self.connection.as_ref().unwrap().receiver.recv_timeout(LONG).expect("the server says something")
    }

    pub(crate) fn notify(&self, method: &str, params: Json) {
        self.send(Notification { method: method.into(), params }.into());
    }

    pub(crate) fn request(&mut self, method: &str, params: Json) -> Result<Json, (i32, String)> {
        self.requests += 1;
        let id: RequestId = self.requests.into();
        self.send(Request { id: id.clone(), method: method.into(), params }.into());
        loop {
            match self.receive() {
                Message::Response(Response { id: of, result, error }) if of == id => {
                    return match error {
                        Some(it) => Err((it.code, it.message)),
                        None => Ok(result.unwrap_or(Json::Null)),
                    };
                }
                Message::Notification(it) => self.noticed.push(it),
                other => panic!("unexpected: {other:?}"),
            }
        }
    }

    /// A request about a place of a file, which is open.
    pub(crate) fn ask(&mut self, method: &str, name: &str, position: &Json) -> Json {
        let params = json!({ "textDocument": { "uri": self.uri(name) }, "position": position });
        self.request(method, params).unwrap()
    }

    pub(crate) fn open(&self, name: &str, text: &str) {
        let document = json!({ "uri": self.uri(name), "languageId": "ron", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Opens a file whose text has a cursor `|`, and returns the cursor's position.
    pub(crate) fn open_at(&self, name: &str, text: &str) -> Json {
        let (text, position) = cursor(text);
        self.open(name, &text);
        position
    }

    pub(crate) fn change(&self, name: &str, version: i32, text: &str) {
        let document = json!({ "uri": self.uri(name), "version": version });
        let changes = json!([{ "text": text }]);
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// The next notification of a method.
    pub(crate) fn next(&mut self, method: &str) -> Json {
        if let Some(at) = self.noticed.iter().position(|it| it.method == method) {
            return self.noticed.remove(at).params;
        }
        loop {
            match self.receive() {
                Message::Notification(it) if it.method == method => return it.params,
                Message::Notification(it) => self.noticed.push(it),
                other => panic!("unexpected: {other:?}"),
            }
        }
    }

    /// The next problems of a file, one per line.
    pub(crate) fn problems(&mut self, name: &str) -> String {
        let uri = self.uri(name);
        loop {
            let params = self.next("textDocument/publishDiagnostics");
            if params["uri"] == uri {
                return self.told(&params["diagnostics"]);
            }
        }
    }

    fn told(&self, problems: &Json) -> String {
        let mut out = String::new();
        for it in problems.as_array().unwrap() {
            let severity = if it["severity"] == 1 { "error" } else { "warning" };
            writeln!(out, "{} {severity}: {}", span(&it["range"]), it["message"].as_str().unwrap()).unwrap();
            for related in it["relatedInformation"].as_array().into_iter().flatten() {
                let location = &related["location"];
                let file = self.local(location["uri"].as_str().unwrap());
                let label = related["message"].as_str().unwrap();
                writeln!(out, "  {file} {}: {label}", span(&location["range"])).unwrap();
            }
        }
        out
    }

    /// A text with names of files in place of URIs.
    pub(crate) fn local(&self, text: &str) -> String {
        text.replace(&self.uri(""), "").replace(&format!("{}/", self.folder.display()), "")
    }

    /// Shuts the server down, and returns its result.
    pub(crate) fn end(mut self) -> Result<(), ServeError> {
        self.request("shutdown", Json::Null).unwrap();
        self.notify("exit", Json::Null);
        self.gone()
    }

    /// Disconnects without a word.
    pub(crate) fn gone(mut self) -> Result<(), ServeError> {
        self.connection = None;
        self.server.take().unwrap().join().expect("the server does not panic")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.connection = None;
        if let Some(server) = self.server.take() {
            let ended = server.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the server panicked");
        }
        _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A text without its cursor `|`, and where it was.
pub(crate) fn cursor(text: &str) -> (String, Json) {
    let (before, behind) = text.split_once('|').expect("a cursor");
    let line = before.matches('\n').count();
    let character = before.rsplit('\n').next().unwrap().encode_utf16().count();
    (format!("{before}{behind}"), json!({ "line": line, "character": character }))
}

/// `2:4-9`, from 0 as in the protocol.
pub(crate) fn span(range: &Json) -> String {
    let (start, end) = (&range["start"], &range["end"]);
    match start["line"] == end["line"] {
        true => format!("{}:{}-{}", start["line"], start["character"], end["character"]),
        false => format!("{}:{}-{}:{}", start["line"], start["character"], end["line"], end["character"]),
    }
}

/// A text after edits of the protocol.
pub(crate) fn edited(text: &str, edits: &Json) -> String {
    let byte = |position: &Json| {
        let number = |field: &str| usize::try_from(position[field].as_u64().unwrap()).unwrap();
        let line = number("line");
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let mut left = number("character");
        let rest = text[start..].char_indices().find(|it| {
            let is_there = left == 0;
            left = left.saturating_sub(it.1.len_utf16());
            is_there
        });
        start + rest.map_or(text.len() - start, |it| it.0)
    };
    let mut edits: Vec<(usize, usize, &str)> = (edits.as_array().unwrap().iter())
        .map(|it| (byte(&it["range"]["start"]), byte(&it["range"]["end"]), it["newText"].as_str().unwrap()))
        .collect();
    edits.sort_by_key(|it| std::cmp::Reverse(it.0));
    let mut text = text.to_owned();
    edits.into_iter().for_each(|(start, end, new)| text.replace_range(start..end, new));
    text
}

/// Compares with a file of `expected`, or writes it with `PLEACH_BLESS=1`.
#[track_caller]
pub(crate) fn expect(name: &str, found: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/lsp/expected").join(format!("{name}.txt"));
    if std::env::var_os("PLEACH_BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(expected == found, "{name}: expected\n{expected}\nfound\n{found}\nPLEACH_BLESS=1 writes it");
}
