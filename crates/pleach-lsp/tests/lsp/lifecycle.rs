//! The beginning, the end, and clients that violate the protocol.

use pleach_lsp::ServeError;
use serde_json::{Value as Json, json};

use crate::client::Client;

#[test]
fn it_begins_and_ends() {
    let client = Client::new("ends", &[]);
    assert!(client.end().is_ok());
}

#[test]
fn a_client_may_go_away_at_any_time() {
    let client = Client::silent("silent", &[]);
    assert!(matches!(client.gone(), Err(ServeError::Gone)));
    let client = Client::new("gone", &[]);
    client.open("a.ron", "Tree(");
    client.notify("textDocument/didChange", json!({}));
    assert!(matches!(client.gone(), Err(ServeError::Gone)));
    let client = Client::new("exit", &[]);
    client.notify("exit", Json::Null);
    assert!(matches!(client.gone(), Err(ServeError::Gone)));
}

#[test]
fn nothing_is_answered_before_initialize() {
    let mut client = Client::silent("before", &[]);
    let (code, message) = client.request("textDocument/hover", json!({})).unwrap_err();
    assert_eq!((code, &*message), (-32002, "the server has not begun: send `initialize` before `textDocument/hover`"));
    client.notify("initialized", json!({}));
    client.notify("textDocument/didOpen", Json::Null);
    assert!(client.request("initialize", json!({ "capabilities": {} })).is_ok());
    let (code, message) = client.request("initialize", json!({ "capabilities": {} })).unwrap_err();
    assert_eq!((code, &*message), (-32600, "`initialize` came already"));
    assert!(client.end().is_ok());
}

#[test]
fn nothing_but_exit_follows_shutdown() {
    let mut client = Client::new("shutdown", &[]);
    client.open("a.ron", "Tree(");
    client.request("shutdown", Json::Null).unwrap();
    for method in ["textDocument/hover", "shutdown", "initialize", "dance"] {
        let (code, message) = client.request(method, json!({})).unwrap_err();
        assert_eq!((code, message), (-32600, format!("the server is shut down: send `exit`, not `{method}`")));
    }
    client.open("b.ron", "Tree(");
    client.notify("textDocument/didChange", json!(7));
    client.notify("exit", Json::Null);
    assert!(client.gone().is_ok());
    let mut client = Client::new("shutdown-gone", &[]);
    client.request("shutdown", Json::Null).unwrap();
    assert!(matches!(client.gone(), Err(ServeError::Gone)), "without `exit`");
}

#[test]
fn unknown_methods_are_refused() {
    let mut client = Client::new("unknown", &[]);
    let (code, message) = client.request("textDocument/dance", json!({})).unwrap_err();
    assert_eq!((code, &*message), (-32601, "this server does not know `textDocument/dance`"));
    // Methods that begin with `$` may be ignored, and so may other notifications.
    client.notify("$/dance", json!([1]));
    client.notify("dance", Json::Null);
    client.notify("$/cancelRequest", json!({ "id": 77 }));
    let (code, message) = client.request("textDocument/documentSymbol", json!({ "textDocument": 7 })).unwrap_err();
    assert_eq!(code, -32602, "{message}");
    assert!(client.end().is_ok());
}

#[test]
fn files_of_others_are_left_alone() {
    let mut client = Client::new("others", &[("scene.ron", "(resources: {}, entities: {})")]);
    for (name, text) in [("scene.ron", "(resources: {"), ("config.ron", "Config(a: ["), ("notes.ron", "")] {
        client.open(name, text);
        assert_eq!(client.problems(name), "");
        let symbols =
            client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": client.uri(name) } }));
        assert_eq!(symbols, Ok(Json::Null));
    }
}

#[test]
fn changes_out_of_order_are_ignored() {
    let mut client = Client::new("order", &[]);
    client.open("a.ron", "Tree(version: 1, root: Idle)");
    assert_eq!(client.problems("a.ron"), "");
    client.change("a.ron", 5, "Tree(version: 1, root: Idel)");
    assert!(client.problems("a.ron").contains("did you mean `Idle`?"));
    client.change("a.ron", 4, "Tree(version: 1, root: Idle)");
    let said = client.next("window/logMessage")["message"].as_str().unwrap().to_owned();
    assert_eq!(client.local(&said), "a change of `a.ron` came out of order: it is ignored");
    client.change("b.ron", 1, "Tree(");
    let said = client.next("window/logMessage")["message"].as_str().unwrap().to_owned();
    assert_eq!(client.local(&said), "a change of `b.ron`, which is not open, is ignored");
    let document = json!({ "uri": client.uri("a.ron"), "version": 6 });
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": document, "contentChanges": [{ "range": {}, "text": "" }] }),
    );
    let said = client.next("window/logMessage")["message"].as_str().unwrap().to_owned();
    assert!(said.ends_with("is not a whole text: it is ignored"), "{said}");
}

#[test]
fn a_file_of_50_megabytes_is_refused() {
    let mut client = Client::new("large", &[]);
    client.open("large.ron", &format!("Tree(version: 1, root: Log(\"{}\"))", "x".repeat(50 << 20)));
    let said = client.next("window/showMessage")["message"].as_str().unwrap().to_owned();
    assert_eq!(client.local(&said), "`large.ron` is larger than 4 MiB: the language server does not look at it");
    let problems = client.problems("large.ron");
    assert_eq!(problems, "0:0-0 error: this file is larger than 4 MiB: the language server does not look at it\n");
    client.change("large.ron", 2, "Tree(version: 1, root: Idle)");
    assert_eq!(client.problems("large.ron"), "");
}

#[test]
fn brackets_without_end_do_no_harm() {
    let mut client = Client::new("deep", &[]);
    client.open("deep.ron", &format!("Tree(root: {}", "Inverter(child: ".repeat(10_000)));
    assert!(client.problems("deep.ron").contains("nested too deep"));
    let symbols =
        client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": client.uri("deep.ron") } }));
    assert!(symbols.is_ok());
    client.change("deep.ron", 2, &format!("Tree(root: {}", ")]}".repeat(10_000)));
    assert!(!client.problems("deep.ron").is_empty());
}

#[test]
fn no_place_of_a_file_does_harm() {
    let mut client = Client::new("everywhere", &[]);
    let text = include_str!("../../../../trees/guard.ron").replace("guard", "gu\u{e4}rd \u{1f600}");
    let cuts = text.char_indices().map(|it| it.0).step_by(97);
    for (version, cut) in cuts.enumerate() {
        let half = &text[..cut];
        match version {
            0 => client.open("a.ron", half),
            _ => client.change("a.ron", i32::try_from(version).unwrap() + 1, half),
        }
        let line = half.matches('\n').count();
        for character in [0, 7, 23, 9_999] {
            for method in ["completion", "hover", "definition", "documentHighlight", "prepareRename"] {
                let place = json!({ "line": line.saturating_sub(character % 3), "character": character });
                let params = json!({ "textDocument": { "uri": client.uri("a.ron") }, "position": place });
                let answer = client.request(&format!("textDocument/{method}"), params);
                assert!(answer.is_ok() || method == "prepareRename", "{answer:?}");
            }
        }
        for method in ["documentSymbol", "semanticTokens/full", "inlayHint", "codeLens", "codeAction", "formatting"] {
            let params = json!({ "textDocument": { "uri": client.uri("a.ron") }, "range": {} });
            client.request(&format!("textDocument/{method}"), params).unwrap();
        }
    }
    assert!(client.end().is_ok());
}
