//! Common parts of the tests of the simulation.

use std::path::{Path, PathBuf};

use pleach_example_arena::pace::STEP;
use pleach_example_arena::sim::{Limits, ROLES, Scene, Sim};

fn trees() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trees")
}

pub(crate) fn sim(guards: u32) -> Sim {
    Sim::new(Scene::Camps, trees(), guards, 7).unwrap()
}

pub(crate) fn steps(sim: &mut Sim, count: u32) {
    let mut limits = Limits { look: None, think: None, clock: &mut || 0 };
    for _ in 0..count {
        sim.step(STEP, &mut limits).unwrap();
    }
}

/// A copy of the trees that can be broken.
pub(crate) struct Copy(pub(crate) PathBuf);

impl Copy {
    pub(crate) fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("pleach-arena-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("guard")).unwrap();
        for file in ROLES.map(|it| it.file) {
            std::fs::copy(trees().join(file), folder.join(file)).unwrap();
        }
        for file in std::fs::read_dir(trees().join("guard")).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), folder.join("guard").join(file.file_name())).unwrap();
        }
        Copy(folder)
    }

    pub(crate) fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.0.join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        std::fs::write(path, text.replace(from, to)).unwrap();
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        // Files left in a temporary folder do no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
