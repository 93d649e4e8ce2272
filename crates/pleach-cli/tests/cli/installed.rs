//! The program far from a checkout.

use std::fs;

use super::{Place, command};

#[test]
fn it_brings_along_what_its_first_commands_need() {
    let place = Place::new("installed");
    let run = |args: &[&str]| {
        let output = command(args).current_dir(place.path()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said, err) = run(&["new", "."]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let commands: Vec<Vec<&str>> =
        said.lines().skip(1).map(|it| it.trim().split(' ').skip(1).collect()).collect::<Vec<_>>();
    assert_eq!(commands.len(), 3, "{said}");
    for command in commands {
        // A run without anything to watch ends soon.
        let command: Vec<&str> =
            if command[0] == "run" { vec!["run", command[1], "-n", "50", "-s", "2"] } else { command };
        let (code, said, err) = run(&command);
        assert_eq!(code, Some(0), "{command:?}: {said}{err}");
    }
    // Nothing is overwritten, and nothing is written if a file exists already.
    fs::write(format!("{}/trees/guard.ron", place.path()), "mine").unwrap();
    fs::remove_file(format!("{}/trees/fighter.ron", place.path())).unwrap();
    let (code, _, err) = run(&["new", "."]);
    assert!(code == Some(1) && err.contains("is there already: name another folder"), "{err}");
    assert_eq!(fs::read_to_string(format!("{}/trees/guard.ron", place.path())).unwrap(), "mine");
    assert!(!fs::exists(format!("{}/trees/fighter.ron", place.path())).unwrap());
    let (code, _, err) = run(&["new", "trees/guard.ron"]);
    assert!(code == Some(1) && err.contains("cannot make the folder"), "{err}");
}
