//! Names that are markup, and trees of the largest possible size.

use pleach_studio_core::page;

use super::game::{Done, Played};

const TREE: &str = r#"Tree(
    version: 1,
    name: "</script><script>alert(1)</script>",
    blackboard: { "a": Symbol("calm", ["calm", "odd"]) },
    root: Sequence(name: "<img src=x onerror=alert(1)>\u{202e}\n", note: "<!--<script>", children: [
        Check(expr: "a == calm", name: "]]>&lt;"),
        Wait(name: "\u{0}\u{1b}[2J", seconds: 9.0),
    ]),
)"#;

#[test]
fn no_name_ends_the_script_of_a_report() -> Done {
    let (mut game, agents) = Played::of(TREE, 1)?;
    game.forest.agent_mut(agents[0])?.set_label("</script><b>\u{2028}");
    game.play(5)?;
    let mut session = game.session()?;
    let report = session.report(0, 0, 99)?;
    let page = page::report(&report)?;
    let own = page.replace(page::SCRIPT, "").replace(page::STYLE, "");
    assert!(!own.contains("alert") && !own.contains('\u{2028}'), "{own}");
    // Nothing is lost.
    let read: serde_json::Value = serde_json::from_slice(&page::data_of(&page).ok_or("it has data")?)?;
    assert_eq!(read, serde_json::to_value(&report)?);
    assert_eq!(read["overview"]["trees"][0]["name"], "</script><script>alert(1)</script>");
    // Control characters are escaped, as everywhere.
    assert_eq!(read["overview"]["trees"][0]["nodes"][0]["name"], "<img src=x onerror=alert(1)>\\u{202e}\\n");
    assert_eq!(own.matches("<script").count(), 2, "{own}");
    assert_eq!(own.matches("</script").count(), 2);
    Ok(())
}

#[test]
fn a_report_loads_nothing() -> Done {
    let (mut game, _) = Played::of(TREE, 1)?;
    game.play(5)?;
    let page = page::report(&game.session()?.report(0, 0, 99)?)?;
    let policy = page.split_once("Content-Security-Policy\" content=\"").ok_or("it has a policy")?.1;
    let policy = policy.split_once('"').ok_or("it ends")?.0;
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"));
    // The server forbids scripts within its page.
    assert!(!page::STUDIO.contains("<script>") && !page::STUDIO.contains("<style"));
    Ok(())
}

#[test]
fn the_largest_tree_is_told() -> Done {
    let waits: Vec<String> = (0..65_000).map(|it| format!("Wait(name: \"w{it}\", seconds: 1.0)")).collect();
    let tree = format!("Tree(version: 1, name: \"wide\", root: Sequence(children: [{}]))", waits.join(","));
    let (mut game, _) = Played::of(&tree, 1)?;
    game.play(30)?;
    let mut session = game.session()?;
    let overview = session.overview();
    assert_eq!(overview.trees[0].nodes.len(), 65_001);
    assert_eq!(session.moment(0, 25)?.running, [3]);
    let why = session.why_not(0, 25, 65_000)?;
    let report = session.report(0, 0, 25)?;
    assert!(report.overview.notes[0].starts_with("Why nodes do not run is left out: the tree `wide` has 65001 nodes"));
    assert!(report.why_not[0].iter().all(Vec::is_empty));
    assert_eq!((why.active, why.lines[0].text.as_str()), (false, "n3 Wait(1 s) \"w2\" runs, and comes first"));
    Ok(())
}

#[test]
fn a_long_list_of_reasons_is_cut() -> Done {
    let steps = vec!["Walk"; 300].join(",");
    let tree = format!("Tree(version: 1, name: \"long\", root: Sequence(children: [Wait(9.0), {steps}]))");
    let (mut game, _) = Played::of(&tree, 1)?;
    game.play(3)?;
    let why = game.session()?.why_not(0, 2, 301)?;
    assert_eq!(why.lines.len(), 101);
    let last = why.lines.last().ok_or("it has lines")?;
    assert_eq!((last.word.as_str(), last.text.as_str()), ("and", "200 more nodes are in the way"));
    Ok(())
}
