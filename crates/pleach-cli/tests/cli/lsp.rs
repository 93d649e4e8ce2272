//! `lsp`: the language server as an editor starts it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

use crate::Place;

struct Editor {
    server: Child,
}

impl Editor {
    fn start(arguments: &[&str]) -> Editor {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pleach"));
        command.arg("lsp").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Editor { server: command.spawn().unwrap() }
    }

    fn say(&mut self, message: &str) {
        let stdin = self.server.stdin.as_mut().unwrap();
        write!(stdin, "Content-Length: {}\r\n\r\n{message}", message.len()).unwrap();
        stdin.flush().unwrap();
    }

    /// The next message of the server.
    fn hear(&mut self, from: &mut impl BufRead) -> String {
        let (mut length, mut line) = (0, String::new());
        while from.read_line(&mut line).unwrap() > 2 {
            length = line.trim().strip_prefix("Content-Length: ").map_or(length, |it| it.parse().unwrap());
            line.clear();
        }
        let mut message = vec![0; length];
        from.read_exact(&mut message).unwrap();
        String::from_utf8(message).unwrap()
    }

    /// How it ends when its input ends, and its message.
    fn end(mut self) -> (ExitStatus, String) {
        drop(self.server.stdin.take());
        let mut said = String::new();
        self.server.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.server.wait().unwrap(), said)
    }
}

impl Editor {
    fn open(&mut self, uri: &str, version: u32, text: &str) {
        let document = json!({ "uri": uri, "languageId": "ron", "version": version, "text": text });
        let (method, params) = match version {
            1 => ("textDocument/didOpen", json!({ "textDocument": document })),
            _ => ("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [{ "text": text }] })),
        };
        self.say(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// The next problems of a file, without places.
    fn problems(&mut self, from: &mut impl BufRead, uri: &str) -> Vec<String> {
        loop {
            let message: Value = serde_json::from_str(&self.hear(from)).unwrap();
            if message["params"]["uri"] == uri {
                let problems = message["params"]["diagnostics"].as_array().unwrap();
                return problems.iter().map(|it| it["message"].as_str().unwrap().to_owned()).collect();
            }
        }
    }
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;

#[test]
fn an_editor_starts_and_ends_it() {
    let mut editor = Editor::start(&["--stdio"]);
    let mut out = BufReader::new(editor.server.stdout.take().unwrap());
    editor.say(INITIALIZE);
    let about = editor.hear(&mut out);
    assert!(about.contains(r#""serverInfo":{"name":"pleach"}"#), "{about}");
    editor.say(r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#);
    let document = r#"{"uri":"untitled:a","languageId":"ron","version":1,"text":"Tree(version: 1, root: Fle)"}"#;
    editor
        .say(&format!(r#"{{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{{"textDocument":{document}}}}}"#));
    // The leaves are those of the program.
    let problems = editor.hear(&mut out);
    assert!(problems.contains("did you mean `Flee`?") && problems.contains("untitled:a"), "{problems}");
    editor.say(r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#);
    assert!(editor.hear(&mut out).contains(r#""id":2"#));
    editor.say(r#"{"jsonrpc":"2.0","method":"exit"}"#);
    let (status, said) = editor.end();
    assert!(status.success() && said.is_empty(), "{said}");
}

#[test]
fn test_files_are_checked_against_their_trees() {
    let place = Place::new("lsp-tests");
    let path = std::fs::canonicalize(place.path()).unwrap();
    let (tree, test) =
        (format!("file://{}/dog.ron", path.display()), format!("file://{}/dog.test.ron", path.display()));
    let mut editor = Editor::start(&[]);
    let mut out = BufReader::new(editor.server.stdout.take().unwrap());
    editor.say(INITIALIZE);
    editor.hear(&mut out);
    let cases = r#"Tests(version: 1, tree: "dog.ron", leaves: { "Flee": Running }, cases: {
        "it flees": (steps: [(set: { "wolf": true }), (at: 1.0, running: "run", expect: "wolf")]),
        "it rests": (steps: [(at: 1.0, running: "rest")], always: "not wolf"),
    })"#;
    editor.open(&test, 1, cases);
    assert_eq!(editor.problems(&mut out, &test), ["cannot read `dog.ron`: it does not exist"]);
    // The tree appears, without the names that the cases use.
    editor.open(
        &tree,
        1,
        r#"Tree(version: 1, root: Selector(children: [Flee(name: "ran", speed: 5.0), Wait(name: "rest", seconds: 9)]))"#,
    );
    let problems = editor.problems(&mut out, &test);
    assert_eq!(problems.len(), 4, "{problems:?}");
    for (problem, name) in problems.iter().zip(["`wolf`", "`run`", "`wolf`", "`wolf`"]) {
        assert!(problem.contains(name), "{problems:?}");
    }
    assert!(problems[1].contains("did you mean `ran`?"), "{problems:?}");
    let keys = r#"blackboard: { "wolf": Bool(false) }"#;
    let root = r#"Selector(children: [Sequence(children: [Check("wolf"), Flee(name: "run", speed: 5.0)]), Wait(name: "rest", seconds: 9)])"#;
    editor.open(&tree, 2, &format!("Tree(version: 1, {keys}, root: {root}"));
    assert_eq!(editor.problems(&mut out, &test).len(), 1, "the tree has errors");
    editor.open(&tree, 3, &format!("Tree(version: 1, {keys}, root: {root})"));
    assert_eq!(editor.problems(&mut out, &test), [""; 0]);
    editor.open(&test, 2, &cases.replace("Flee", "Fle"));
    let problems = editor.problems(&mut out, &test);
    assert!(problems.len() == 1 && problems[0].contains("did you mean `Flee`?"), "{problems:?}");
    assert_eq!(editor.end().0.code(), Some(1));
}

#[test]
fn an_editor_that_goes_away_ends_it() {
    let mut editor = Editor::start(&[]);
    let mut out = BufReader::new(editor.server.stdout.take().unwrap());
    editor.say(INITIALIZE);
    editor.hear(&mut out);
    let (status, said) = editor.end();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(said.contains("without `shutdown` and `exit`"), "{said}");
}

#[test]
fn what_is_no_json_is_refused_and_a_huge_message_takes_no_memory() {
    let mut editor = Editor::start(&[]);
    let mut out = BufReader::new(editor.server.stdout.take().unwrap());
    editor.say("{\"jsonrpc\":");
    let refused = editor.hear(&mut out);
    assert!(refused.contains("\"code\":-32700") && refused.contains("\"id\":null"), "{refused}");
    editor.say(INITIALIZE);
    assert!(editor.hear(&mut out).contains("serverInfo"));
    editor.server.stdin.as_mut().unwrap().write_all(b"Content-Length: 1000000000\r\n\r\n").unwrap();
    let refused = editor.hear(&mut out);
    assert!(refused.contains("a message of 1000000000 bytes is too long"), "{refused}");
    let (status, said) = editor.end();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(said.contains("without `shutdown` and `exit`"), "{said}");
}

#[test]
fn what_is_no_message_ends_it_too() {
    let mut editor = Editor::start(&[]);
    editor.server.stdin.as_mut().unwrap().write_all(b"tick; tick\r\n\r\n").unwrap();
    let (status, said) = editor.end();
    assert_eq!(status.code(), Some(1), "{said}");
    let expected = "the editor does not speak the Language Server Protocol: expected the header of a message, such as \
                    `Content-Length: 42`, found `tick; tick`";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn the_manifest_cannot_be_standard_input() {
    let (status, said) = Editor::start(&["--leaves", "-"]).end();
    assert_eq!(status.code(), Some(2), "{said}");
    assert!(said.contains("name a file for --leaves"), "{said}");
}
