//! The samples of each format: the fates of their nodes, and what is written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pleach_import::{Options, Profile, import};

use crate::checked;

fn files(directory: &Path, below: &str, all: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            files(&path, &format!("{name}/"), all);
        } else {
            all.insert(name, fs::read(&path).unwrap());
        }
    }
}

fn samples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let mut all = Vec::new();
    for format in fs::read_dir(root).unwrap() {
        let found = fs::read_dir(format.unwrap().path()).unwrap().map(|it| it.unwrap().path());
        all.extend(found.filter(|it| it.is_dir()));
    }
    all.sort();
    all
}

/// `PLEACH_BLESS=1` writes the expectations. Read them: from then on they are what is wanted.
#[test]
fn each_sample_has_its_fates_and_its_files() {
    let mut wrong = Vec::new();
    for sample in samples() {
        let mut given = BTreeMap::new();
        files(&sample, "", &mut given);
        let mut options = Options::default();
        options.profiles.extend(Profile::shipped("nav2").filter(|_| sample.ends_with("nav")));
        let imported = import(&given, &options);
        assert_eq!(imported.report, import(&given, &options).report, "it is deterministic");
        let mut out = String::new();
        for entry in &imported.report.entries {
            out += &format!("{entry}\n");
        }
        for (name, text) in &imported.files {
            out += &format!("\n== {name}\n{text}");
        }
        let checked = checked(&imported);
        if !checked.is_empty() {
            out += &format!("\n== pleach check\n{checked}\n");
        }
        let expected = sample.with_extension("txt");
        if std::env::var_os("PLEACH_BLESS").is_some() {
            fs::write(&expected, &out).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != out {
            wrong.push(format!("{}:\n{out}", expected.display()));
        }
        assert!(!checked.contains("error["), "{}: {checked}", sample.display());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
