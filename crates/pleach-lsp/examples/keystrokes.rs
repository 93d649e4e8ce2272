//! How long an editor waits after a key press, in a tree of 2 000 nodes: `cargo run --profile
//! installed -p pleach-lsp --example keystrokes`.

use std::time::{Duration, Instant};

use lsp_server::{Connection, Message, Notification, Request};
use pleach::asset::Manifest;
use pleach_lsp::{Game, serve};
use serde_json::{Value, json};

const NODES: usize = 2_000;
const PRESSES: usize = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (client, server) = Connection::memory();
    let thread = std::thread::spawn(move || {
        let manifest = Manifest::parse("game.leaves", "Manifest(version: 1, leaves: [(name: \"Go\")])");
        let registry = manifest.map_err(|it| it.to_string())?.registry().map_err(|it| it.to_string())?;
        serve(&server, &Game::new(&registry)).map_err(|it| it.to_string())
    });
    let send = |method: &str, params: Value| client.sender.send(Notification { method: method.into(), params }.into());
    let ask = |method: &str, params: Value| {
        client.sender.send(Request { id: 1.into(), method: method.into(), params }.into())
    };
    let wait = |wanted: &str| -> Result<(), std::io::Error> {
        loop {
            match client.receiver.recv().map_err(std::io::Error::other)? {
                Message::Notification(it) if it.method == wanted => return Ok(()),
                Message::Response(_) if wanted.is_empty() => return Ok(()),
                _ => {}
            }
        }
    };
    ask("initialize", json!({ "capabilities": {} }))?;
    wait("")?;
    send("initialized", json!({}))?;
    let uri = "untitled:tree";
    let document = |version: usize, press: usize| json!({ "uri": uri, "version": version, "text": tree(press) });
    send("textDocument/didOpen", json!({ "textDocument": document(0, 0) }))?;
    wait("textDocument/publishDiagnostics")?;
    let place = json!({ "textDocument": { "uri": uri }, "position": { "line": 8, "character": 22 } });
    let (mut checks, mut lists) = (Vec::new(), Vec::new());
    for press in 1..=PRESSES {
        let text = tree(press);
        let start = Instant::now();
        let changes = json!([{ "text": text }]);
        send("textDocument/didChange", json!({ "textDocument": document(press, press), "contentChanges": changes }))?;
        ask("textDocument/completion", place.clone())?;
        wait("")?;
        lists.push(start.elapsed());
        wait("textDocument/publishDiagnostics")?;
        checks.push(start.elapsed());
    }
    println!("{NODES} nodes, {} bytes, {PRESSES} key presses", tree(0).len());
    println!("completion      {}", told(lists));
    println!("and diagnostics {}", told(checks));
    ask("shutdown", Value::Null)?;
    wait("")?;
    send("exit", Value::Null)?;
    thread.join().map_err(|_| "the server panicked")??;
    Ok(())
}

fn told(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let ms = |it: Duration| it.as_secs_f64() * 1e3;
    format!("{:6.2} ms mostly, {:6.2} ms at most", ms(times[times.len() / 2]), ms(times[times.len() - 1]))
}

/// A tree that is being edited in its first sequence.
fn tree(press: usize) -> String {
    let mut text = String::from("Tree(\n    version: 1,\n    name: \"large\",\n");
    text.push_str("    blackboard: { \"health\": Float(1.0), \"near\": Bool(false) },\n");
    text.push_str("    root: Selector(\n        children: [\n");
    text.push_str("            Sequence(children: [Go, Idle]),\n");
    for at in 0..NODES / 5 {
        let typed = if at == 0 { "h".repeat(press % 7) } else { String::new() };
        text.push_str(&format!(
            "            Sequence(\n                name: \"branch {at}\",\n                abort: Both,\n"
        ));
        text.push_str("                children: [\n");
        text.push_str(&format!("                    Check(\"health < 0.3 and not near{typed}\"),\n"));
        text.push_str("                    Timeout(2.0, Go),\n                    Wait(0.5),\n");
        text.push_str("                ],\n            ),\n");
    }
    text + "        ],\n    ),\n)\n"
}
