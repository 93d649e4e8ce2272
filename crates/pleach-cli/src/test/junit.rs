//! Results in the format of JUnit, which CI services read.

use std::path::Path;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::cases::{Case, Ended, Tests};
use crate::failure::Failure;
use crate::output;
use crate::paths::shown;

/// # Errors
/// The file has the name of a tree, or cannot be written.
pub(crate) fn write(path: &Path, tests: &Tests, cases: &[Case], told: impl Fn(&Case) -> String) -> Result<(), Failure> {
    let mut report = Report::new("pleach test");
    for (at, file) in tests.files.iter().enumerate() {
        let mut suite = TestSuite::new(file.name.as_str());
        for case in cases.iter().filter(|it| it.at.file == at) {
            let status = match &case.ended {
                Ended::Passed { .. } => TestCaseStatus::success(),
                Ended::Failed(failed, _) => {
                    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                    status.set_message(failed.misses.first().map_or("failed", |it| &it.message));
                    status.set_description(told(case));
                    status
                }
                Ended::Broken(_) | Ended::Tree(_) | Ended::Stopped(_) => {
                    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
                    status.set_message("the case could not be played");
                    status.set_description(told(case));
                    status
                }
            };
            let mut result = TestCase::new(file.cases[case.at.case].name.it.as_str(), status);
            result.set_classname(file.name.as_str()).set_time(case.took);
            suite.add_test_case(result);
        }
        if suite.tests > 0 {
            report.add_test_suite(suite);
        }
    }
    for (name, why) in &tests.broken {
        let mut suite = TestSuite::new(name.as_str());
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message("the file could not be read").set_description(why.as_str());
        suite.add_test_case(TestCase::new("the file", status));
        report.add_test_suite(suite);
    }
    let text = report.to_string().map_err(|it| Failure::Failed(format!("cannot write `{}`: {it}", shown(path))))?;
    output::write(path, &text)
}
