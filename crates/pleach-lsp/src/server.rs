//! The loop: messages one after the other, and checks while there are none.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use pleach::tools::text::plain;
use serde_json::{Value as Json, json};

use crate::doc::Doc;
use crate::files::{MOST_BYTES, MOST_FILES};
use crate::game::{Game, ServeError};
use crate::workspace::{Changed, Workspace};
use crate::{actions, complete, diagnostics, format, hints, hover, navigate, outline, paint, uri};

/// Checks that take longer than this wait until nothing has been typed for [`PAUSE`].
const QUICK: Duration = Duration::from_millis(20);
const PAUSE: Duration = Duration::from_millis(150);

pub(crate) fn serve(connection: &Connection, game: &Game<'_>) -> Result<(), ServeError> {
    let params = initialized(connection)?;
    let mut server = Server {
        game,
        workspace: Workspace::new(&game.manifest, folders(&params)),
        connection,
        unchecked: BTreeSet::new(),
        told: HashMap::new(),
        last_check: Duration::ZERO,
        has_told_cut: false,
        requests: 0,
        is_shut_down: false,
        can_watch: params["capabilities"]["workspace"]["didChangeWatchedFiles"]["dynamicRegistration"] == true,
        has_snippets: params["capabilities"]["textDocument"]["completion"]["completionItem"]["snippetSupport"] == true,
    };
    server.run()
}

/// Waits for `initialize`, answers it, and returns its parameters.
fn initialized(connection: &Connection) -> Result<Json, ServeError> {
    let send = |it: Response| connection.sender.send(it.into()).map_err(|_| ServeError::Gone);
    loop {
        match connection.receiver.recv().map_err(|_| ServeError::Gone)? {
            Message::Request(Request { id, method, params }) if method == "initialize" => {
                let about = json!({ "capabilities": capabilities(), "serverInfo": { "name": "pleach" } });
                send(Response::new_ok(id, about))?;
                return Ok(params);
            }
            Message::Request(Request { id, method, .. }) => {
                let message = format!("the server has not begun: send `initialize` before `{}`", plain(&method));
                send(Response::new_err(id, ErrorCode::ServerNotInitialized as i32, message))?;
            }
            Message::Notification(it) if it.method == "exit" => return Err(ServeError::Gone),
            Message::Notification(_) | Message::Response(_) => {}
        }
    }
}

fn capabilities() -> Json {
    json!({
        "textDocumentSync": { "openClose": true, "change": 1, "save": false },
        "documentFormattingProvider": true,
        "documentSymbolProvider": true,
        "completionProvider": { "triggerCharacters": ["\"", "(", "[", "{", ":", "."] },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix", "source.fixAll.pleach"] },
        "semanticTokensProvider": { "legend": { "tokenTypes": paint::TYPES, "tokenModifiers": [] }, "full": true },
        "inlayHintProvider": true,
        "codeLensProvider": {},
        "renameProvider": { "prepareProvider": true },
    })
}

/// The folders that the editor has open.
fn folders(params: &Json) -> Vec<PathBuf> {
    let path = |uri: &Json| Some(uri::path(&uri::name(uri.as_str()?)));
    let listed = params["workspaceFolders"].as_array().into_iter().flatten();
    let mut folders: Vec<PathBuf> = listed.filter_map(|it| path(&it["uri"])).collect();
    if folders.is_empty() {
        folders.extend(path(&params["rootUri"]));
    }
    folders
}

struct Server<'g> {
    game: &'g Game<'g>,
    workspace: Workspace<'g>,
    connection: &'g Connection,
    /// The files that have changed since they were checked.
    unchecked: BTreeSet<String>,
    /// The problems that the editor shows.
    told: HashMap<String, Vec<Json>>,
    last_check: Duration,
    /// Whether the log says that some files are not read.
    has_told_cut: bool,
    /// How many requests were sent to the editor.
    requests: i32,
    /// Whether the editor has sent `shutdown`. Only `exit` can follow.
    is_shut_down: bool,
    /// Whether the editor can report files that change on the disk.
    can_watch: bool,
    /// Whether the editor supports snippets.
    has_snippets: bool,
}

/// Why a request is not answered.
pub(crate) struct Refusal(ErrorCode, String);

impl Refusal {
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Refusal(ErrorCode::RequestFailed, message.into())
    }

    fn params(method: &str) -> Self {
        Refusal(ErrorCode::InvalidParams, format!("the parameters of `{method}` are not those of the protocol"))
    }
}

impl<'g> Server<'g> {
    fn run(&mut self) -> Result<(), ServeError> {
        loop {
            let message = if self.unchecked.is_empty() {
                self.connection.receiver.recv().map_err(|_| ServeError::Gone)?
            } else {
                let pause = if self.last_check > QUICK { PAUSE } else { Duration::ZERO };
                match self.connection.receiver.recv_timeout(pause) {
                    Ok(message) => message,
                    Err(it) if it.is_timeout() => {
                        self.check()?;
                        continue;
                    }
                    Err(_) => return Err(ServeError::Gone),
                }
            };
            match message {
                Message::Request(request) => {
                    let Request { id, method, params } = request;
                    let response = match self.answer(&method, &params) {
                        Ok(it) => Response::new_ok(id, it),
                        Err(Refusal(code, message)) => Response::new_err(id, code as i32, message),
                    };
                    self.send(response.into())?;
                }
                Message::Notification(it) if it.method == "exit" => {
                    return if self.is_shut_down { Ok(()) } else { Err(ServeError::Gone) };
                }
                Message::Notification(_) if self.is_shut_down => {}
                Message::Notification(it) => self.notice(&it)?,
                // Answers to this server's requests, which needs none.
                Message::Response(_) => {}
            }
        }
    }

    fn send(&self, message: Message) -> Result<(), ServeError> {
        self.connection.sender.send(message).map_err(|_| ServeError::Gone)
    }

    fn notify(&self, method: &str, params: Json) -> Result<(), ServeError> {
        self.send(Notification { method: method.into(), params }.into())
    }

    /// A line in the log that the editor keeps of its servers.
    fn log(&self, message: &str) -> Result<(), ServeError> {
        self.notify("window/logMessage", json!({ "type": 2, "message": message }))
    }

    fn watch_files(&mut self) {
        self.requests += 1;
        let options = json!({ "watchers": [{ "globPattern": "**/*.ron" }] });
        let method = "workspace/didChangeWatchedFiles";
        let registration = json!({ "id": "files", "method": method, "registerOptions": options });
        let params = json!({ "registrations": [registration] });
        let request = Request { id: self.requests.into(), method: "client/registerCapability".into(), params };
        // If the editor is gone, the loop sees it.
        _ = self.send(request.into());
    }

    fn notice(&mut self, it: &Notification) -> Result<(), ServeError> {
        let document = &it.params["textDocument"];
        let name = document["uri"].as_str().map(uri::name);
        if it.method == "initialized" && self.can_watch {
            self.watch_files();
        }
        let version = document["version"].as_i64().unwrap_or(0);
        match (&*it.method, name) {
            ("textDocument/didOpen", Some(name)) => {
                let Some(text) = document["text"].as_str() else { return self.log("`didOpen` without a text") };
                self.changed(&name, |it| it.open(&name, text, version))
            }
            ("textDocument/didChange", Some(name)) => {
                // The whole text each time, so that only the last change counts.
                let changes = it.params["contentChanges"].as_array();
                let last = changes.and_then(|it| it.last());
                match last.and_then(|it| it["text"].as_str()).filter(|_| last.is_some_and(|it| it["range"].is_null())) {
                    Some(text) => self.changed(&name, |it| it.change(&name, text, version)),
                    None => self.log(&format!("`didChange` of `{name}` is not a whole text: it is ignored")),
                }
            }
            ("textDocument/didClose", Some(name)) => {
                self.replace(&name, |it| it.close(&name));
                Ok(())
            }
            ("workspace/didChangeWatchedFiles", _) => {
                for change in it.params["changes"].as_array().into_iter().flatten() {
                    let Some(name) = change["uri"].as_str().map(uri::name) else { continue };
                    if self.workspace.is_looked_at(&name) {
                        self.replace(&name, |it| it.refresh(&name));
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn changed(&mut self, name: &str, change: impl FnOnce(&mut Workspace<'g>) -> Changed) -> Result<(), ServeError> {
        let before = self.workspace.included(name).to_vec();
        let was_too_large = self.workspace.is_too_large(name);
        match change(&mut self.workspace) {
            Changed::Late => return self.log(&format!("a change of `{name}` came out of order: it is ignored")),
            Changed::NotOpen => return self.log(&format!("a change of `{name}`, which is not open, is ignored")),
            Changed::TooLarge if !was_too_large => {
                let message = format!(
                    "`{name}` is larger than {} MiB: the language server does not look at it",
                    MOST_BYTES >> 20
                );
                self.notify("window/showMessage", json!({ "type": 2, "message": message }))?;
            }
            Changed::TooLarge | Changed::Taken => {}
        }
        self.mark(name, before);
        if self.workspace.is_cut() && !std::mem::replace(&mut self.has_told_cut, true) {
            let message = format!("a folder holds more than {MOST_FILES} `.ron` files: the others are not looked at");
            self.log(&message)?;
        }
        Ok(())
    }

    fn replace(&mut self, name: &str, change: impl FnOnce(&mut Workspace<'g>)) {
        let before = self.workspace.included(name).to_vec();
        change(&mut self.workspace);
        self.mark(name, before);
    }

    /// Queues a changed file for a check, with the files that it no longer includes, and the tests
    /// of all trees that may have changed.
    fn mark(&mut self, name: &str, before: Vec<String>) {
        let now = self.workspace.included(name);
        self.unchecked.extend(before.into_iter().filter(|it| !now.contains(it)));
        self.unchecked.extend(self.workspace.tests_of(name));
        self.unchecked.insert(name.to_owned());
    }

    /// Checks one of the changed files, with those that it is checked with.
    fn check(&mut self) -> Result<(), ServeError> {
        match self.unchecked.pop_first() {
            Some(name) => self.check_file(&name),
            None => Ok(()),
        }
    }

    fn check_file(&mut self, name: &str) -> Result<(), ServeError> {
        let start = Instant::now();
        let (checked, mut found) = diagnostics::check(self.game, &self.workspace, name);
        for name in &checked {
            self.unchecked.remove(name);
            found.entry(name.clone()).or_default();
        }
        self.last_check = start.elapsed();
        for (name, problems) in found {
            // At first the editor shows none.
            if *self.told.get(&name).unwrap_or(&Vec::new()) == problems && !self.workspace.is_open(&name) {
                continue;
            }
            let mut params = json!({ "uri": uri::of(&name), "diagnostics": problems });
            if let Some(version) = self.workspace.version(&name) {
                params["version"] = version.into();
            }
            self.notify("textDocument/publishDiagnostics", params)?;
            self.told.insert(name, problems);
        }
        Ok(())
    }

    fn answer(&mut self, method: &str, params: &Json) -> Result<Json, Refusal> {
        match method {
            _ if self.is_shut_down => {
                let why = format!("the server is shut down: send `exit`, not `{}`", plain(method));
                return Err(Refusal(ErrorCode::InvalidRequest, why));
            }
            "initialize" => {
                return Err(Refusal(ErrorCode::InvalidRequest, "`initialize` came already".into()));
            }
            "shutdown" => {
                self.is_shut_down = true;
                self.unchecked.clear();
                return Ok(Json::Null);
            }
            _ => {}
        }
        let name = params["textDocument"]["uri"].as_str().map(uri::name);
        // Fixes are edits of the current text.
        let is_old = name.as_ref().is_some_and(|it| self.unchecked.contains(it));
        if let (Some(name), "textDocument/codeAction", true) = (&name, method, is_old) {
            // If the editor is gone, the loop sees it.
            _ = self.check_file(name);
        }
        // The edits of files that are not open must fit the disk.
        if method == "textDocument/rename" {
            for name in self.workspace.stale() {
                self.replace(&name, |it| it.refresh(&name));
            }
        }
        let doc = || name.as_deref().map(|it| self.workspace.ours(it)).ok_or_else(|| Refusal::params(method));
        let of_doc = |answer: &dyn Fn(&Doc<'g>) -> Json| Ok(doc()?.map_or(Json::Null, answer));
        let at_place = |answer: &dyn Fn(&Doc<'g>, usize) -> Result<Json, Refusal>| {
            let Some(doc) = doc()? else { return Ok(Json::Null) };
            let byte = doc.byte(&params["position"]).ok_or_else(|| Refusal::params(method))?;
            answer(doc, byte)
        };
        match method {
            "textDocument/codeAction" => {
                let problems = name.as_ref().and_then(|it| self.told.get(it)).map_or(&[][..], |it| it);
                of_doc(&|doc| actions::actions(&uri::of(&doc.name), problems, &params["range"]))
            }
            "textDocument/semanticTokens/full" => of_doc(&paint::tokens),
            "textDocument/inlayHint" => of_doc(&|doc| hints::hints(&self.workspace, doc, &params["range"])),
            "textDocument/codeLens" => of_doc(&|doc| hints::lenses(&self.workspace, doc)),
            "textDocument/documentSymbol" => of_doc(&outline::outline),
            "textDocument/completion" => {
                at_place(&|doc, byte| Ok(complete::complete(&self.workspace, doc, byte, self.has_snippets)))
            }
            "textDocument/hover" => {
                at_place(&|doc, byte| Ok(hover::hover(&self.workspace, doc, byte).unwrap_or_default()))
            }
            "textDocument/definition" => at_place(&|doc, byte| Ok(navigate::definition(&self.workspace, doc, byte))),
            "textDocument/references" => at_place(&|doc, byte| {
                let with_declaration = params["context"]["includeDeclaration"] == true;
                Ok(navigate::references(&self.workspace, doc, byte, with_declaration))
            }),
            "textDocument/documentHighlight" => {
                at_place(&|doc, byte| Ok(navigate::highlights(&self.workspace, doc, byte)))
            }
            "textDocument/prepareRename" => {
                at_place(&|doc, byte| navigate::prepare(&self.workspace, doc, byte).map_err(Refusal::failed))
            }
            "textDocument/rename" => at_place(&|doc, byte| {
                let new = params["newName"].as_str().ok_or_else(|| Refusal::params(method))?;
                navigate::rename(&self.workspace, doc, byte, new).map_err(Refusal::failed)
            }),
            "textDocument/formatting" => match doc()?.map(format::format) {
                None => Ok(Json::Null),
                Some(Ok(edits)) => Ok(edits),
                Some(Err(why)) => {
                    // The report is already shown: a message at each save would be too much.
                    _ = self.log(&format!("not formatted: {why}"));
                    Ok(Json::Null)
                }
            },
            _ => Err(Refusal(ErrorCode::MethodNotFound, format!("this server does not know `{}`", plain(method)))),
        }
    }
}
