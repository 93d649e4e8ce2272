//! The trees of the arena, with their tests, for programs that are installed without a checkout.

macro_rules! files {
    ($($name:literal,)*) => {
        /// The files, by their names below `trees`.
        pub const TREES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../../trees/", $name)))),*];
    };
}

files! {
    "fighter.ron",
    "fighter.test.ron",
    "guard.ron",
    "guard.test.ron",
    "guard/fight.ron",
    "guard/fight.trace",
    "guard/help.ron",
    "guard/investigate.ron",
    "guard/patrol_by_day.ron",
    "guard/patrol_by_night.ron",
    "heist/sentinel.ron",
    "heist/sentinel.test.ron",
    "heist/sentinel/fight.ron",
    "heist/sentinel/help.ron",
    "heist/sentinel/investigate.ron",
    "heist/sentinel/patrol_by_day.ron",
    "heist/sentinel/patrol_by_night.ron",
    "heist/sentinel/search.ron",
    "heist/townsman.ron",
    "heist/townsman.test.ron",
    "heist/townsman/patrol_by_day.ron",
    "heist/townsman/patrol_by_night.ron",
    "heist/warden.ron",
    "heist/warden.test.ron",
    "heist/warden/brawl.ron",
    "heist/warden/duel.ron",
    "heist/warden/patrol_by_day.ron",
    "heist/warden/patrol_by_night.ron",
    "heist/warden/rampage.ron",
    "minimal.ron",
    "minimal.test.ron",
    "rabbit.ron",
    "rabbit.test.ron",
    "veteran.ron",
    "veteran.test.ron",
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::TREES;

    /// These belong to the book and to the judge.
    const OTHERS: [&str; 3] = ["conformance", "cookbook", "luabt"];

    fn names(folder: &Path, root: &Path, all: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).expect("a folder").map(|it| it.expect("an entry")) {
            let path = entry.path();
            if path.is_dir() && !OTHERS.iter().any(|it| entry.file_name() == **it) {
                names(&path, root, all);
            } else if path.is_file() {
                all.insert(path.strip_prefix(root).expect("below").to_string_lossy().replace('\\', "/"));
            }
        }
    }

    #[test]
    fn no_file_of_the_folder_is_left_out() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trees");
        let mut all = BTreeSet::new();
        names(&root, &root, &mut all);
        assert_eq!(TREES.iter().map(|it| it.0.to_owned()).collect::<BTreeSet<_>>(), all);
    }
}
