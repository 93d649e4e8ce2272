//! `check` for programs and beginners: codes, formats, fixes, watching.

use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::{DOUBTFUL, Place, command, pleach, refused};

const WRONG: &str = "Tree(version: 1, root: Sequence([\n  Wait(duration: 1.0),\n  Wiat(2.0),\n]))\n";
const RIGHT: &str = "Tree(version: 1, root: Sequence([\n  Wait(seconds: 1.0),\n  Wait(2.0),\n]))\n";

#[test]
fn codes_are_explained() {
    let (code, out, err) = pleach(&["explain", "P0305"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with("error[P0305]: No key has this name\n\n"), "{out}");
    assert!(out.contains("Wrong:\n\n    Tree(") && out.contains("Right:\n\n    Tree("), "{out}");
    assert_eq!(pleach(&["explain", "error[p0305]"]).1, out, "as it is copied from a report");
    refused(&["explain", "P0350"], 2, "unknown code `P0350`; did you mean `P0");
    refused(&["explain", "\u{1b}[2J"], 2, "unknown code");
    let (_, all, _) = pleach(&["explain"]);
    assert!(all.lines().count() > 60 && all.contains("P1006  Nothing asks a condition again\n"), "{all}");
    // Links lead nowhere in a terminal.
    for line in all.lines() {
        let (_, out, _) = pleach(&["explain", &line[..5]]);
        assert!(!out.contains("]("), "{out}");
    }
}

#[test]
fn a_file_that_is_meant_is_found_beside_the_one_that_is_checked() {
    let place = Place::new("check-near");
    place.file("help.ron", "Tree(version: 1, root: Idle)");
    let wrong = place.file("g1.ron", "Tree(version: 1, root: Subtree(\"hlep.ron\"))");
    let (code, out, _) = pleach(&["check", &wrong]);
    assert!(code == 1 && out.contains("did you mean `help.ron`?"), "{out}");
}

#[test]
fn programs_get_every_problem_with_its_place_and_fixes() {
    let place = Place::new("check-json");
    let wrong = place.file("a, b/wrong.ron", WRONG);
    place.file("broken.ron", b"\xff");
    let (code, out, err) = pleach(&["check", "--format", "json", &place.path()]);
    assert_eq!((code, err.as_str()), (1, ""));
    let all: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&all["files"], &all["errors"], &all["warnings"]), (&2.into(), &3.into(), &0.into()), "{out}");
    assert!(all["failures"][0].as_str().unwrap().contains("is not UTF-8"), "{out}");
    let it = &all["problems"][0];
    assert_eq!((&it["code"], &it["severity"], &it["file"]), (&"P0203".into(), &"error".into(), &wrong.as_str().into()));
    let at = &it["place"];
    assert_eq!((&at["line"], &at["column"], &at["end_column"]), (&2.into(), &8.into(), &16.into()), "{out}");
    let edit = &it["fixes"][0]["edits"][0];
    let [start, end] = ["start", "end"].map(|it| usize::try_from(edit[it].as_u64().unwrap()).unwrap());
    assert_eq!((&WRONG[start..end], &edit["text"]), ("duration", &"seconds".into()));

    let (code, out, _) = pleach(&["check", "--format", "github", &place.path()]);
    assert_eq!(code, 1);
    let shown = wrong.replace(',', "%2C");
    assert!(
        out.contains(&format!("::error file={shown},line=2,col=8,endColumn=16,title=P0203::`Wait` has no field")),
        "{out}"
    );
    assert!(out.contains("%0Ahelp: did you mean `seconds`?\n"), "{out}");
    assert!(out.lines().all(|it| it.starts_with("::")), "{out}");

    let (code, out, _) = pleach(&["check", "--format", "sarif", &place.path()]);
    assert_eq!(code, 1);
    let all: Value = serde_json::from_str(&out).unwrap();
    let run = &all["runs"][0];
    assert_eq!((&all["version"], run["results"].as_array().unwrap().len()), (&"2.1.0".into(), 2), "{out}");
    let result = &run["results"][0];
    let physical = &result["locations"][0]["physicalLocation"];
    assert_eq!((&result["ruleId"], &physical["region"]["startLine"]), (&"P0203".into(), &2.into()));
    assert!(physical["artifactLocation"]["uri"].as_str().unwrap().ends_with("a%2C%20b/wrong.ron"), "{out}");
    assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_right_is_nothing_in_every_format() {
    let place = Place::new("check-formats");
    let right = place.file("right.ron", RIGHT);
    let (code, out, _) = pleach(&["check", "--format", "json", &right]);
    let all: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, all["problems"].as_array().unwrap().len()), (0, 0));
    assert_eq!(pleach(&["check", "--format", "github", &right]), (0, String::new(), String::new()));
    let doubtful = place.file("doubtful.ron", DOUBTFUL);
    let (code, out, _) = pleach(&["check", "--format", "github", &doubtful]);
    assert!(code == 0 && out.starts_with("::warning file="), "{out}");
    assert_eq!(pleach(&["check", "--format", "github", "--deny-warnings", &doubtful]).0, 1);
    refused(&["check", "--format", "xml", &right], 2, "possible values: text, json, github, sarif");
    refused(&["check", "--format", "json", "--watch", &right], 2, "`--watch` prints text");
}

#[test]
fn what_needs_no_thought_is_mended() {
    let place = Place::new("check-fix");
    let wrong = place.file("wrong.ron", WRONG);
    let (code, out, err) = pleach(&["check", "--fix", &place.path()]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains(&format!("fixed: {wrong}:3:3: P0201: unknown node `Wiat`; did you mean `Wait`?\n")), "{out}");
    assert!(out.contains(&format!("fixed: {wrong}:2:8: P0203: ")), "{out}");
    assert!(out.ends_with("\n1 file, 0 errors, 0 warnings\n"), "{out}");
    assert_eq!(fs::read_to_string(&wrong).unwrap(), RIGHT);
    assert_eq!(fs::read_dir(&place.0).unwrap().count(), 1, "nothing else is left");
    assert_eq!(pleach(&["check", "--fix", &wrong]).1, "1 file, 0 errors, 0 warnings\n");
}

#[test]
fn a_diff_writes_nothing() {
    let place = Place::new("check-fix-diff");
    let wrong = place.file("wrong.ron", WRONG);
    let (code, out, _) = pleach(&["check", "--fix", "--diff", &wrong]);
    assert_eq!(code, 1);
    let expected = format!(
        "--- {wrong}\n+++ {wrong} (fixed)\n@@ -1,4 +1,4 @@\n Tree(version: 1, root: Sequence([\n-  Wait(duration: 1.0),\n-  Wiat(2.0),\n"
    );
    assert!(out.starts_with(&expected), "{out}");
    assert!(out.contains("\n+  Wait(seconds: 1.0),\n"), "{out}");
    assert_eq!(fs::read_to_string(&wrong).unwrap(), WRONG);
    refused(&["check", "--diff", &wrong], 2, "--fix");
}

/// A fix may reveal more problems.
#[test]
fn a_diff_has_all_rounds_and_leaves_standard_output_to_programs() {
    let place = Place::new("check-fix-rounds");
    let text = "Tree(version: 1, root: Wiat(duration: 1.0))\n";
    let wrong = place.file("wrong.ron", text);
    let part = place.file("part.ron", text);
    let diff = |of: &str| {
        format!(
            "--- {of}\n+++ {of} (fixed)\n@@ -1 +1 @@\n-Tree(version: 1, root: Wiat(duration: 1.0))\n\
             +Tree(version: 1, root: Wait(seconds: 1.0))\n"
        )
    };
    let (code, out, err) = pleach(&["check", "--fix", "--diff", &wrong, &part, &wrong]);
    assert_eq!((code, err.as_str()), (1, ""));
    assert!(out.starts_with(&(diff(&wrong) + &diff(&part) + "error[P0201]: ")), "{out}");
    assert!(out.ends_with("2 files, 2 errors, 0 warnings\n"), "what is wrong now: {out}");
    for format in ["json", "sarif", "github"] {
        let (code, out, err) = pleach(&["check", "--fix", "--diff", "--format", format, &wrong]);
        assert_eq!((code, err), (1, diff(&wrong)), "{format}");
        assert_eq!(out, pleach(&["check", "--format", format, &wrong]).1);
    }
    assert_eq!(fs::read_to_string(&wrong).unwrap(), text, "nothing is written");
    // Also from standard input, which is read once.
    let mut child =
        command(&["check", "--fix", "--diff", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let out = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(out.starts_with(&diff("<stdin>")), "{out}");
    assert_eq!(pleach(&["check", "--fix", &wrong]).0, 0);
    assert_eq!(fs::read_to_string(&wrong).unwrap(), "Tree(version: 1, root: Wait(seconds: 1.0))\n");
}

/// What the schema of SARIF 2.1.0 requires of each object that is written.
#[test]
fn sarif_has_all_that_its_schema_requires() {
    let place = Place::new("check-sarif");
    place.file("wrong.ron", WRONG);
    place.file("doubtful.ron", DOUBTFUL);
    place.file("é \"木\".ron", "Tree(version: 1, root: Patroll, nmae: \"x\")");
    place.file("half.ron", "Tree(version: 1,\n  root: Sequence([");
    place.file("letters.ron", b"\xff");
    place.file("empty.ron", "");
    place.file("part.ron", "Tree(version: 1, ports: { \"p\": In(Int) }, root: Check(\"p\"))");
    place.file("whole.ron", "Tree(version: 1, root: Sequence([Subtree(\"part.ron\"), Subtree(\"none.ron\")]))");
    let (code, out, _) = pleach(&["check", "--format", "sarif", &place.path()]);
    assert_eq!(code, 1);
    let log: Value = serde_json::from_str(&out).unwrap();
    let text = |it: &Value| it["text"].as_str().is_some_and(|it| !it.is_empty());
    let list = |it: &Value| -> Vec<Value> { it.as_array().unwrap_or_else(|| panic!("a list, not {it}")).clone() };
    let unique = |it: &Value| {
        let all = list(it);
        all.iter().enumerate().all(|(at, one)| !all[..at].contains(one))
    };
    let artifact = |it: &Value| {
        let uri = it["uri"].as_str().expect("a URI");
        assert!(uri.is_ascii() && !uri.contains([' ', '"', '<', '>', '\\']), "{uri}");
    };
    let whole = |it: &Value, least: u64| it.as_u64().is_some_and(|it| it >= least);
    let location = |it: &Value| {
        let physical = &it["physicalLocation"];
        artifact(&physical["artifactLocation"]);
        let region = &physical["region"];
        for place in ["startLine", "startColumn", "endLine", "endColumn"] {
            assert!(whole(&region[place], 1), "{region}");
        }
        let at = |line: &str, column: &str| (region[line].as_u64(), region[column].as_u64());
        assert!(at("startLine", "startColumn") <= at("endLine", "endColumn"), "{region}");
    };
    let levels = ["none", "note", "warning", "error"];
    let level = |it: &Value| levels.contains(&it["level"].as_str().unwrap_or_default());

    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().is_some_and(|it| it.starts_with("https://")));
    assert_eq!(list(&log["runs"]).len(), 1);
    let run = &log["runs"][0];
    assert!(["utf16CodeUnits", "unicodeCodePoints"].contains(&run["columnKind"].as_str().unwrap()));
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "pleach");
    assert!(unique(&driver["rules"]));
    let mut rules = Vec::new();
    for rule in list(&driver["rules"]) {
        assert!(text(&rule["shortDescription"]) && text(&rule["help"]), "{rule}");
        assert!(level(&rule["defaultConfiguration"]), "{rule}");
        rules.push(rule["id"].as_str().expect("an id").to_owned());
    }
    for invocation in list(&run["invocations"]) {
        assert_eq!(invocation["executionSuccessful"], false, "a file could not be read");
        let told = list(&invocation["toolExecutionNotifications"]);
        assert!(!told.is_empty() && told.iter().all(|it| text(&it["message"]) && level(it)), "{told:?}");
    }
    let results = list(&run["results"]);
    let (mut fixes, mut related) = (0, 0);
    for result in &results {
        assert!(text(&result["message"]) && level(result), "{result}");
        assert!(rules.iter().any(|it| result["ruleId"] == **it), "{result}");
        list(&result["locations"]).iter().for_each(location);
        assert_eq!(list(&result["locations"]).len(), 1);
        assert!(unique(&result["relatedLocations"]) && unique(&result["fixes"]), "{result}");
        for it in list(&result["relatedLocations"]) {
            location(&it);
            assert!(text(&it["message"]), "{it}");
            related += 1;
        }
        for fix in list(&result["fixes"]) {
            assert!(text(&fix["description"]), "{fix}");
            let changes = list(&fix["artifactChanges"]);
            assert!(!changes.is_empty(), "{fix}");
            for change in changes {
                artifact(&change["artifactLocation"]);
                let replacements = list(&change["replacements"]);
                assert!(!replacements.is_empty(), "{fix}");
                for it in replacements {
                    let region = &it["deletedRegion"];
                    assert!(whole(&region["byteOffset"], 0) && whole(&region["byteLength"], 0), "{it}");
                    assert!(it["insertedContent"]["text"].is_string(), "{it}");
                }
            }
            fixes += 1;
        }
    }
    assert!(results.len() > 6 && fixes > 2 && related > 0, "{} {fixes} {related}", results.len());
}

#[test]
fn line_ends_and_marks_stay() {
    let place = Place::new("check-fix-crlf");
    let wrong = place.file("wrong.ron", format!("\u{feff}{}", WRONG.replace('\n', "\r\n")));
    assert_eq!(pleach(&["check", "--fix", &wrong]).0, 0);
    assert_eq!(fs::read_to_string(&wrong).unwrap(), format!("\u{feff}{}", RIGHT.replace('\n', "\r\n")));
}

#[test]
fn standard_input_is_neither_mended_nor_watched() {
    refused(&["check", "--fix", "-"], 2, "`--fix` works on files, and `-` is standard input");
    refused(&["check", "--watch", "-"], 2, "`--watch` works on files, and `-` is standard input");
    refused(&["check", "--watch", "--fix", "a.ron"], 2, "cannot be used with");
}

#[cfg(unix)]
#[test]
fn read_only_files_and_links_stay_what_they_are() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new("check-fix-links");
    let shut = place.file("shut.ron", WRONG);
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o444)).unwrap();
    let (code, _, err) = pleach(&["check", "--fix", &shut]);
    assert_eq!(code, 1);
    assert!(err.contains(&format!("`{shut}` stays as it is: it is read-only")), "{err}");
    assert_eq!(fs::read_to_string(&shut).unwrap(), WRONG);
    let target = place.file("target", WRONG);
    let link = place.0.join("link.ron");
    symlink(&target, &link).unwrap();
    assert_eq!(pleach(&["check", "--fix", &link.display().to_string()]).0, 0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&target).unwrap(), RIGHT);
}

/// Files that another names are not touched unless they are named too.
#[test]
fn only_named_files_are_mended() {
    let place = Place::new("check-fix-named");
    let part = place.file("part.ron", WRONG);
    let main = place.file("main.ron", "Tree(version: 1, root: Subtree(\"part.ron\"))");
    let (code, out, _) = pleach(&["check", "--fix", &main]);
    assert!(code == 1 && !out.contains("fixed:"), "{out}");
    assert_eq!(fs::read_to_string(&part).unwrap(), WRONG);
}

#[cfg(unix)]
#[test]
fn a_change_is_checked_again_until_ctrl_c() {
    use rustix::process::{Pid, Signal, kill_process};
    let place = Place::new("check-watch");
    let file = place.file("wrong.ron", WRONG);
    let mut child =
        command(&["check", "--watch", &place.path()]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut shown = String::new();
    let mut read_until = |text: &str| {
        let mut bytes = [0; 4096];
        while !shown.contains(text) {
            let count = out.read(&mut bytes).unwrap();
            assert!(count > 0, "{shown}");
            shown.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
        assert!(!shown.contains('\u{1b}'), "nothing is cleared: {shown}");
        shown.clear();
    };
    read_until("1 file, 2 errors, 0 warnings\n");
    // It polls ten times a second, and also compares sizes.
    std::thread::sleep(Duration::from_millis(300));
    fs::write(&file, RIGHT).unwrap();
    read_until("1 file, 0 errors, 0 warnings\n");
    std::thread::sleep(Duration::from_millis(300));
    place.file("more.ron", DOUBTFUL);
    read_until("2 files, 0 errors,");
    std::thread::sleep(Duration::from_millis(300));
    fs::remove_file(&file).unwrap();
    read_until("1 file, 0 errors,");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn the_page_of_test_files_is_right() {
    let (_, page, _) = pleach(&["explain", "P0702"]);
    let examples: Vec<&str> = page.split(":\n\n    ").skip(1).map(|it| it.lines().next().unwrap()).collect();
    let place = Place::new("check-page-of-tests");
    place.file("guard.ron", RIGHT);
    for (example, expected) in examples.iter().zip([1, 0]) {
        let file = place.file("guard.test.ron", example);
        let (code, out, err) = pleach(&["test", &file]);
        assert_eq!(code, expected, "{out}{err}");
        assert_eq!(format!("{out}{err}").contains("error[P0702]"), expected == 1, "{out}{err}");
    }
}
