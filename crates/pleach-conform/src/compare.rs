//! Compares the interpreter with the oracle on one scenario.

use crate::crowd::{Crowd, Mode, Prepared, Twins};
use crate::dice::Dice;
use crate::generator;
use crate::scenario::Scenario;
use crate::stack;

/// The random scenario of a seed. Most are small.
#[must_use]
pub fn scenario(seed: u64) -> Scenario {
    const SIZES: [usize; 8] = [4, 6, 8, 10, 13, 17, 24, 40];
    let size = SIZES[usize::try_from(seed % 8).unwrap_or(0)];
    generator::scenario(seed, size)
}

/// How many random ways a brain plays a scenario beside a forest of one.
const TWINS: u32 = 3;

/// Compares the interpreter with the oracle. One agent is run traced, untraced (the interpreter
/// then follows continuations) and lazily (it then evaluates on change, and sleeps). Then a brain
/// plays it beside a forest of one, in some random ways; both must do the same. Then come `crowds`
/// random crowds, which depend on the scenario alone, and `on_threads` crowds that are ticked on
/// one thread, on two and on eight. Returns the number of agents in these crowds.
///
/// # Errors
/// The first difference, with its scenario.
pub fn check(scenario: &Scenario, crowds: u32, on_threads: u32) -> Result<usize, String> {
    stack::with_room_for(scenario.levels(), || on_this_stack(scenario, crowds, on_threads))
}

fn on_this_stack(scenario: &Scenario, crowds: u32, on_threads: u32) -> Result<usize, String> {
    let failed = |what: &str, how: &dyn std::fmt::Display| format!("{what}: {how}\n\n{}", scenario.to_json());
    scenario.check().map_err(|it| failed("the scenario makes no sense", &it))?;
    let mut dice = Dice::new(lot(scenario));
    let prepared = Prepared::new(scenario).map_err(|it| failed("the tree is refused", &it))?;
    for mode in Mode::ALL {
        let differs = |it: String| failed(&format!("the oracle and the interpreter differ, run as {mode:?}"), &it);
        prepared.check(&Crowd::alone(scenario, mode)).map_err(differs)?;
    }
    let mut others = Dice::new(!lot(scenario));
    for _ in 0..TWINS {
        let twins = Twins::roll(scenario, others.bits());
        twins.check(&prepared).map_err(|it| failed("a brain and a forest of one differ", &it))?;
    }
    let mut agents = 0;
    for _ in 0..crowds {
        let crowd = Crowd::roll(scenario, dice.bits());
        prepared.check(&crowd).map_err(|it| failed("the oracle and a crowd differ", &it))?;
        agents += crowd.plans.len();
    }
    for _ in 0..on_threads {
        let crowd = Crowd::roll_in_chunks(scenario, dice.bits());
        prepared.check_on_threads(&crowd).map_err(|it| failed("the oracle and a crowd on threads differ", &it))?;
        agents += crowd.plans.len();
    }
    Ok(agents)
}

/// Compares random crowds of a scenario with replays of their recordings: `crowds` of them on one
/// thread, and as many on two.
///
/// # Errors
/// The first difference, with its scenario.
pub fn check_recorded(scenario: &Scenario, crowds: u32) -> Result<(), String> {
    stack::with_room_for(scenario.levels(), || {
        let failed = |how: &dyn std::fmt::Display| format!("{how}\n\n{}", scenario.to_json());
        let prepared = Prepared::new(scenario).map_err(|it| failed(&it))?;
        let mut dice = Dice::new(lot(scenario));
        for _ in 0..crowds {
            prepared.check_recorded(&Crowd::roll(scenario, dice.bits())).map_err(|it| failed(&it))?;
            let on_threads = Crowd::roll_in_chunks(scenario, dice.bits()).on_threads(2);
            prepared.check_recorded(&on_threads).map_err(|it| failed(&it))?;
        }
        Ok(())
    })
}

/// A seed that differs between scenarios. Scenarios of files mostly have the same seed, but all
/// have different names.
fn lot(scenario: &Scenario) -> u64 {
    // FNV-1a.
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    scenario.name.bytes().fold(0xcbf2_9ce4_8422_2325 ^ scenario.seed, mix)
}

/// Checks the scenario of a seed with one or two crowds, every seventeenth with one more on
/// threads. Returns the number of agents in them.
///
/// # Errors
/// The first difference, with the scenario in which it is.
pub fn check_seed(seed: u64) -> Result<usize, String> {
    // The size depends on the remainder of 8, so those on threads have all sizes. They are few, as
    // threads that wait for work take the processor from other tests.
    check(&scenario(seed), if seed.is_multiple_of(8) { 2 } else { 1 }, seed.is_multiple_of(17).into())
}

/// Checks the scenarios of a range of seeds, most with one crowd, some with more.
///
/// # Errors
/// The first scenario that fails, with its seed.
pub fn check_seeds(seeds: std::ops::Range<u64>) -> Result<(), String> {
    for seed in seeds {
        check_seed(seed).map_err(|it| format!("seed {seed}: {it}"))?;
    }
    Ok(())
}
