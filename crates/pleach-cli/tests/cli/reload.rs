//! Runs whose trees are edited while they run.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Lines, Read};
use std::process::{Child, ChildStdout, Command, Stdio};

use super::{Place, command, pleach, refused};

const MAIN: &str = r#"Tree(version: 1, name: "main", blackboard: { "pace": Float(1.0) }, root: Sequence(name: "main", children: [
    Subtree("parts/rest.ron"),
    Idle(name: "end"),
]))"#;
const REST: &str =
    r#"Tree(version: 1, root: Sequence(name: "look", children: [Wait(name: "rest", seconds: 9000.0), Idle]))"#;

impl Place {
    /// Replaces a file with another text, atomically.
    fn edit(&self, name: &str, text: &str) {
        let new = self.file("new.tmp", text);
        fs::rename(new, self.0.join(name)).unwrap();
    }
}

/// A program that does not outlive its test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It has ended already, if the test has not failed.
        let _ = self.0.kill();
    }
}

/// A program that runs until it is stopped, or for two minutes.
struct Run {
    child: Ended,
    lines: Lines<BufReader<ChildStdout>>,
    /// How many of them there were.
    reloads: usize,
    place: Place,
}

impl Run {
    fn begin(test: &str, options: &[&str]) -> Run {
        let place = Place::new(test);
        let main = place.file("main.ron", MAIN);
        place.file("parts/rest.ron", REST);
        let args = [&["run", &main, "--reload", "--seconds", "120", "--hz", "20"], options].concat();
        let mut child = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Run { child: Ended(child), lines, reloads: 0, place }
    }

    /// The lines up to the first that contains this, which must come.
    fn until(&mut self, what: &str) -> String {
        let (mut read, place) = (String::new(), format!("{}/", self.place.path()));
        for line in self.lines.by_ref() {
            let line = line.unwrap().replace(&place, "");
            read.push_str(&line);
            read.push('\n');
            self.reloads += usize::from(line.contains("  reloaded"));
            if line.contains(what) {
                return read;
            }
        }
        panic!("`{what}` does not come: {read}");
    }

    fn edit(&self, name: &str, text: &str) {
        self.place.edit(name, text);
    }

    /// Ends it as Ctrl-C does. Returns the rest of what it prints.
    fn end(self) -> String {
        let (rest, err, _) = self.interrupt();
        assert_eq!(err, "", "{rest}");
        rest
    }

    /// The same. Returns the rest of both streams, and the place of its files. Standard error
    /// begins with how many warnings there are, and says so again at each reload.
    fn interrupt(mut self) -> (String, String, Place) {
        let killed = Command::new("kill").args(["-INT", &self.child.0.id().to_string()]).status().unwrap();
        assert!(killed.success());
        let rest: Vec<String> = self.lines.map(Result::unwrap).collect();
        let mut err = String::new();
        self.child.0.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert_eq!(self.child.0.wait().unwrap().code(), Some(130), "{rest:?}{err}");
        let line = format!("2 warnings: `pleach check {}/main.ron`\n", self.place.path());
        let reloads = self.reloads + rest.iter().filter(|it| it.contains("  reloaded")).count();
        assert_eq!(err.matches(&line).count(), 1 + reloads, "{err}");
        (rest.join("\n"), err.replace(&line, ""), self.place)
    }
}

const TAKEN: &str = "reloaded\n";
const KEPT: &str = "rejected; the old tree keeps running\n";

#[test]
fn ten_thousand_agents_go_on_under_the_edited_tree() {
    let mut run = Run::begin("reload", &["--agents", "10000", "--watch", "7"]);
    run.until("pace  1");
    // The running node is gone: the nearest composite begins again.
    run.edit("parts/rest.ron", &REST.replace("\"rest\"", "\"pause\""));
    let expected = "
reload  parts/rest.ron  reloaded
  main: 0 agents kept running, 10000 restarted; 10000 nodes kept
  main/rest:look[0] restarts in 10000 agents: a node that ran has no match in the same place (main/rest:look[0]/rest[0])
";
    let told = run.until("pace  1");
    assert!(told.contains(expected) && told.contains("▶ │ │  ├─ Wait \"pause\"  9000 s"), "{told}");

    run.edit("main.ron", &MAIN.replace("1.0", "2.0"));
    let expected = "
reload  main.ron  reloaded
  main: 10000 agents kept running, 0 restarted; 30000 nodes kept
  the agent key `pace` has a different default
";
    let told = run.until("pace  2");
    assert!(told.contains(expected), "{told}");
    // A screen of the new tree follows at once, though the agent still does the same.
    assert!(told.contains("\n• ╭ ├─ Sequence \"look\"  (rest: parts/rest.ron)\n"), "{told}");
    assert_eq!(run.end(), "");
}

#[test]
fn a_broken_tree_is_reported_and_the_old_one_goes_on() {
    let mut run = Run::begin("broken", &["--agents", "20", "--watch", "7"]);
    run.until("pace  1");
    // For a while, half a file is on the disk.
    run.edit("parts/rest.ron", &REST[..32]);
    let expected =
        format!("\nreload  parts/rest.ron  {KEPT}error[P0103]: this `(` is never closed\n --> parts/rest.ron:1:32\n");
    let told = run.until("included by main.ron:2:13");
    assert!(told.contains(&expected), "{told}");
    run.edit("parts/rest.ron", &REST.replace("9000.0", "8000.0"));
    let told = run.until("pace  1");
    let goes_on = "  main: 20 agents kept running, 0 restarted; 60 nodes kept\n";
    assert!(told.starts_with(&format!("\nreload  parts/rest.ron  {TAKEN}{goes_on}")), "once, and then mended: {told}");
    assert!(told.contains("Wait \"rest\"  8000 s"), "{told}");

    fs::remove_file(run.place.0.join("parts/rest.ron")).unwrap();
    let told = run.until("^^^^");
    let expected =
        format!("\nreload  parts/rest.ron  {KEPT}error[P0601]: there is no file `parts/rest.ron` to include\n");
    assert!(told.contains(&expected), "{told}");
    fs::remove_file(run.place.0.join("main.ron")).unwrap();
    let told = run.until("it does not exist");
    assert!(told.contains(&format!("\nreload  main.ron  {KEPT}error[P0601]: cannot read `main.ron`: ")), "{told}");
    run.edit("main.ron", "Tree(version: 1, name: \"main\", root: Idle(name: \"alone\"))");
    let told = run.until("▶");
    assert!(told.contains(&format!("\nreload  main.ron  {TAKEN}  main: 0 agents kept running, 20 restart")), "{told}");
    assert!(told.ends_with("▶ Idle \"alone\"\n"), "{told}");
    // This tree has no warnings.
    run.reloads -= 1;

    // A valid tree that this game cannot play.
    run.edit("main.ron", "Tree(version: 1, name: \"main\", blackboard: { \"health\": Bool(true) }, root: Idle)");
    let told = run.until("error: ");
    assert!(told.contains(&format!("\nreload  main.ron  {KEPT}  error: ")) && told.contains("`health`"), "{told}");
    assert_eq!(run.end(), "");
}

#[test]
fn the_table_and_the_trace_go_on_under_the_new_tree() {
    let mut run = Run::begin("table", &["--agents", "20", "--coverage"]);
    // Nothing shows when it has begun, so the file is edited until a reload happens.
    let place = Place(run.place.0.clone());
    let (done, over) = std::sync::mpsc::channel::<()>();
    let editor = std::thread::spawn(move || {
        for at in 1.. {
            place.edit("parts/rest.ron", &REST.replace("9000.0", &format!("{at}000.0")));
            if over.recv_timeout(std::time::Duration::from_millis(200)).is_ok() {
                return;
            }
        }
    });
    let told = run.until("nodes kept");
    done.send(()).unwrap();
    editor.join().unwrap();
    let expected = "reload  parts/rest.ron  reloaded\n  main: 20 agents kept running, 0 restarted; 60 nodes";
    assert!(told.starts_with(expected), "{told}");
    let table = run.end();
    assert!(table.contains("\nended early after "), "{table}");
    // Counts from before a reload remain for nodes that have stayed.
    assert!(table.contains("/main.ron  3 of 5 nodes started\n"), "{table}");
    assert!(table.contains("\n      20         -         -         -  │ │  ├─ Wait \"rest\"  "), "{table}");

    let mut run = Run::begin("trace", &["--agents", "1", "--trace", "0"]);
    run.until("n2 ");
    run.edit("parts/rest.ron", &REST.replace("rest", "pause"));
    let told = run.until("start     n2 rest: Wait(9000 s) \"pause\"");
    let ends = "\n  end       n2 rest: Wait(9000 s) \"rest\" -> ended: the tree was replaced\n";
    assert!(told.contains("\nreload  parts/rest.ron  reloaded\n") && told.contains(ends), "{told}");
    run.end();
}

#[test]
fn standard_input_is_not_reloaded() {
    refused(&["run", "-", "--reload"], 2, "standard input can only be read once: name a file for --reload");
    refused(&["run", "none.ron", "--reload"], 2, "there is no file `none.ron`");
}

#[test]
fn a_recording_knows_all_versions_of_its_tree() {
    let directory = Place::new("reload_recorded_to");
    let file = format!("{}/run.rec", directory.path());
    let mut run = Run::begin("reload_recorded", &["--agents", "3", "--trace", "1", "--record", &file]);
    run.until("tick 1,");
    // Other parameters, then other nodes.
    run.edit("parts/rest.ron", &REST.replace("9000.0", "8000.0"));
    run.until("reloaded");
    run.until("tick ");
    run.edit("parts/rest.ron", &REST.replace("Idle", "WaitTicks(3), Idle"));
    run.until("reloaded");
    run.until("tick ");
    let (_, err, _) = run.interrupt();
    assert!(err.starts_with("recorded ") && err.contains("run.rec` ("), "{err}");
    let (code, out, err) = pleach(&["replay", &file]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("  trees         main (5 nodes), main (6 nodes)\n"), "{out}");
    let (code, out, _) = pleach(&["replay", &file, "--agent", "1"]);
    assert!(code == 0 && out.contains("WaitTicks"), "{out}");
}
