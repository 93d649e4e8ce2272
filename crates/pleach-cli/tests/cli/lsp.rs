//! `lsp`: the language server as an editor starts it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};

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

    /// How it ends when nothing more comes, and what it says of it.
    fn end(mut self) -> (ExitStatus, String) {
        drop(self.server.stdin.take());
        let mut said = String::new();
        self.server.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.server.wait().unwrap(), said)
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
