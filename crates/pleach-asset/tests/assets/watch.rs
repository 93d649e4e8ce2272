//! When a directory is worth a poll.

use std::fs;
use std::time::{Duration, Instant};

use pleach_asset::{Directory, Watch};

use super::common::{Game, Place, registry};

const IDLE: &str = "Tree(version: 1, root: Idle)";

/// Waits until something is reported.
fn wait(watch: &Watch, what: &str) {
    let begin = Instant::now();
    while !watch.changed() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{what} is never told");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_changes_on_the_disk_is_told() {
    let place = Place::new("watch");
    place.write("main.ron", "Tree(version: 1, root: Subtree(\"parts/part.ron\"))");
    place.write("parts/part.ron", IDLE);
    let mut library = place.library();
    let watch = library.source().watch().unwrap();
    library.load::<Game>("main.ron", &registry()).unwrap();
    assert!(watch.changed(), "something may have changed before");
    let mut polled = |what: &str, files: &[&str], trees: usize| {
        wait(&watch, what);
        let changes = library.poll::<Game>(&registry());
        assert_eq!(
            (changes.files, changes.trees.len()),
            (files.iter().map(|it| (*it).to_owned()).collect(), trees),
            "{what}"
        );
        // A poll reads files, which is not a change. Everything about the last change has arrived.
        std::thread::sleep(Duration::from_millis(200));
        if watch.changed() {
            assert!(library.poll::<Game>(&registry()).is_empty(), "{what}");
            std::thread::sleep(Duration::from_millis(200));
            assert!(!watch.changed(), "{what}: a poll is no change");
        }
    };
    let part = place.0.join("parts/part.ron");
    place.write("parts/part.ron", "Tree(version: 1, root: Wait(1.0))");
    polled("a write", &["parts/part.ron"], 1);
    place.write("parts/part.ron", "Tree(version: 1, root: Wa");
    polled("half a file", &["parts/part.ron"], 0);
    place.write("parts/part.ron~", IDLE);
    fs::rename(place.0.join("parts/part.ron~"), &part).unwrap();
    polled("a file that is put in its place", &["parts/part.ron"], 1);
    fs::remove_file(&part).unwrap();
    polled("a file that is gone", &["parts/part.ron"], 0);
    fs::remove_dir(place.0.join("parts")).unwrap();
    polled("a directory that is gone", &[], 0);
    place.write("parts/part.ron", IDLE);
    polled("a new directory", &["parts/part.ron"], 1);
    fs::write(&part, "Tree(version: 1, root: Wait(2.0))").unwrap();
    polled("a file of a new directory", &["parts/part.ron"], 1);
}

#[test]
fn a_directory_that_is_gone_cannot_be_watched() {
    let place = Place::new("gone");
    place.write("deep/a.ron", IDLE);
    let directory = Directory::open(place.0.join("deep")).unwrap();
    fs::remove_dir_all(place.0.join("deep")).unwrap();
    let error = directory.watch().unwrap_err().to_string();
    assert!(error.starts_with("cannot watch `") && error.ends_with("; poll without a watch"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_is_not_followed() {
    let place = Place::new("out");
    place.write("a.ron", IDLE);
    std::os::unix::fs::symlink("/", place.0.join("out")).unwrap();
    let watch = Directory::open(&place.0).unwrap().watch().unwrap();
    assert!(watch.changed());
    place.write("a.ron", "Tree(version: 1, root: Wait(1.0))");
    wait(&watch, "a write");
}
