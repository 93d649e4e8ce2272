//! Saves of every past version, one file each, can still be restored.

use std::path::Path;

use pleach_core::Save;

use crate::new_forest;
use crate::support::World;

/// With `PLEACH_WRITE_SAVE` in the environment it writes one of today, `new.ron`, to be named by
/// its version.
#[test]
fn saves_of_every_version_are_restored() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/saves/versions");
    if std::env::var_os("PLEACH_WRITE_SAVE").is_some() {
        let (forest, ..) = crate::lived();
        let text = ron::ser::to_string_pretty(&forest.save().unwrap(), ron::ser::PrettyConfig::new().depth_limit(3));
        std::fs::write(folder.join("new.ron"), text.unwrap()).unwrap();
    }
    let mut versions = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let save: Save = ron::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let (mut forest, mut world) = (new_forest(), World::default());
        let report = forest.restore(&mut world, &save).unwrap_or_else(|it| panic!("{}: {it}", path.display()));
        assert_eq!((report.agents, forest.len(), world.log.len()), (6, 6, 5), "{}", path.display());
        for _ in 0..12 {
            forest.tick(&mut world, 0.1).unwrap();
        }
        versions.push(path.file_stem().unwrap().to_string_lossy().into_owned());
    }
    versions.sort();
    assert_eq!(versions, ["1", "2"]);
}
