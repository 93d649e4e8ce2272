//! Test files as tests of `cargo test`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anstream::adapter::strip_str;
use libtest_mimic::{Arguments, Trial};
use pleach::{Host, Registry};

use super::cases::{Case, CaseAt, Known, Place, Tests};
use super::{read_all, told};
use crate::failure::Failure;

/// If set, golden files are written.
const BLESS: &str = "PLEACH_BLESS";

/// What the tests share.
struct Suite<H: Host, P> {
    own: Registry<H>,
    place: P,
    game: &'static str,
    tests: Tests,
    bless: bool,
}

/// Runs each case of these files as a test, with the arguments of the process.
pub(crate) fn run<H: Host, P: Place<H> + Send + 'static>(
    own: Registry<H>,
    place: P,
    game: &'static str,
    paths: &[PathBuf],
) -> ExitCode {
    let args = Arguments::from_args();
    let tests = match read_all(paths) {
        Ok(mut tests) => {
            tests.select(None);
            tests.refuse_shared_goldens();
            tests
        }
        Err(failure) => {
            failure.tell();
            return failure.code();
        }
    };
    let bless = std::env::var_os(BLESS).is_some();
    let suite = Arc::new(Suite { own, place, game, tests, bless });
    let broken = suite.tests.broken.iter().map(|(name, why)| {
        let why = strip_str(why).to_string();
        Trial::test(name.clone(), move || Err(why.into()))
    });
    let cases = suite.tests.selected.iter().map(|&at| {
        let file = &suite.tests.files[at.file];
        let (name, suite) = (format!("{}: {}", file.name, file.cases[at.case].name.it), Arc::clone(&suite));
        Trial::test(name, move || suite.run(at).map_err(Into::into))
    });
    libtest_mimic::run(&args, broken.chain(cases).collect()).exit_code()
}

impl<H: Host, P: Place<H>> Suite<H, P> {
    fn run(&self, at: CaseAt) -> Result<(), String> {
        let known = Known::new(&self.own, self.game, None).map_err(|it: Failure| it.to_string())?;
        let ended = self.tests.run(at, &known, &self.place, self.bless);
        if ended.is_passed() {
            return Ok(());
        }
        let case = Case { at, ended, took: std::time::Duration::ZERO };
        let why = strip_str(&told(&self.tests, &case)).to_string();
        Err(format!("\n{}", why.trim_end()))
    }
}
