//! The interpreter against the oracle, on one random scenario.

use crate::runner::{self, Mode, Run};
use crate::scenario::Scenario;
use crate::suite::difference;
use crate::{generator, oracle};

/// The scenario of a seed: most are small, some are not.
#[must_use]
pub fn scenario(seed: u64) -> Scenario {
    const SIZES: [usize; 8] = [4, 6, 8, 10, 13, 17, 24, 40];
    let size = SIZES[usize::try_from(seed % 8).unwrap_or(0)];
    generator::scenario(seed, size)
}

/// Compares the interpreter with the oracle, and the interpreter's ways with each other: without a tracer it follows
/// continuations, and lazily it evaluates on change and sleeps; the host must not be able to tell.
///
/// # Errors
/// The first difference, with the scenario in which it is.
pub fn check(scenario: &Scenario) -> Result<(), String> {
    let failed = |what: &str, how: &dyn std::fmt::Display| format!("{what}: {how}\n\n{}", scenario.to_json());
    let expected = oracle::trace(scenario);
    let traced = runner::run(scenario, Mode::Traced).map_err(|it| failed("the tree is refused", &it))?;
    if let Some(it) = difference(&expected, &traced.trace) {
        return Err(failed("the oracle and the interpreter differ", &it));
    }
    check_modes(scenario, &traced)
}

/// Compares a traced run with what the host sees of the same scenario untraced, and run lazily.
///
/// # Errors
/// The first difference, with the scenario in which it is.
pub fn check_modes(scenario: &Scenario, traced: &Run) -> Result<(), String> {
    let failed = |what: &str, how: &dyn std::fmt::Display| format!("{what}: {how}\n\n{}", scenario.to_json());
    let stacks = |lines: &[String]| -> Vec<String> {
        lines.iter().filter(|it| it.starts_with("stacks") || it.starts_with("tick")).cloned().collect()
    };
    for mode in [Mode::Quiet, Mode::Lazy] {
        let run = runner::run(scenario, mode).map_err(|it| failed("the tree is refused", &it))?;
        if let Some(it) = difference(&stacks(&traced.trace), &stacks(&run.trace)) {
            return Err(failed(&format!("the stacks differ when run as {mode:?}"), &it));
        }
        if let Some(it) = difference(&traced.callbacks, &run.callbacks) {
            return Err(failed(&format!("the callbacks differ when run as {mode:?}"), &it));
        }
    }
    Ok(())
}

/// Checks the scenarios of a range of seeds.
///
/// # Errors
/// The first that fails, with its seed.
pub fn check_seeds(seeds: std::ops::Range<u64>) -> Result<(), String> {
    for seed in seeds {
        check(&scenario(seed)).map_err(|it| format!("seed {seed}: {it}"))?;
    }
    Ok(())
}
