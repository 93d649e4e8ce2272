//! One test per file of `trees/conformance`.

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use pleach_conform::suite;

fn main() -> ExitCode {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trees/conformance");
    let files = suite::files(&dir).expect("the scenarios are part of the repository");
    assert!(files.len() >= 307, "scenarios are missing: {} found", files.len());
    let trials = files.into_iter().map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(name, move || suite::check_file(&path).map(drop).map_err(|it| Failed::from(it.to_string())))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}
