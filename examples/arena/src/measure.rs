//! The cost of steps, without a window: for machines that draw more slowly than they think.

use std::fmt;

use pleach_arena::FrameError;

use crate::pace::STEP;
use crate::sim::{Limits, Sim, StepReport};

/// How many microseconds the agents may think in a frame.
pub const THINK: u64 = 8_000;
/// How many microseconds the agents may look around in a frame.
pub const LOOK: u64 = 3_000;
/// A frame of a screen with 60 Hz, in microseconds.
const FRAME: u64 = 16_667;

/// The costs of a run's steps, each in microseconds.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    agents: usize,
    /// The budget of a step, if there was one.
    think: Option<u64>,
    reports: Vec<StepReport>,
}

/// Steps a world for `seconds` of its time, one step after the other.
///
/// # Errors
/// A step was refused.
pub fn run(sim: &mut Sim, seconds: f64, limits: &mut Limits<'_>) -> Result<Measured, FrameError> {
    let mut measured = Measured { agents: sim.game().forest.len(), think: limits.think, ..Measured::default() };
    let until = sim.world().time() + seconds;
    while sim.world().time() < until {
        measured.reports.push(sim.step(STEP, limits)?);
    }
    Ok(measured)
}

/// The cost of a part of a step, in microseconds.
type Part = fn(&StepReport) -> u64;

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measured { agents, reports, .. } = self;
        let count = reports.len().max(1);
        writeln!(f, "{agents} agents, {} steps of 1/60 s; all times are milliseconds per step", reports.len())?;
        writeln!(f, "{:<12}{:>9}{:>9}{:>9}{:>9}", "", "mean", "median", "99 %", "worst")?;
        let parts: [(&str, Part); 5] = [
            ("see", |it| it.perceive),
            ("think", |it| it.think),
            ("see + think", |it| it.perceive + it.think),
            ("world", |it| it.world),
            ("step", |it| it.perceive + it.think + it.world),
        ];
        for (name, of) in parts {
            let mut all: Vec<u64> = reports.iter().map(of).collect();
            all.sort_unstable();
            let mean = all.iter().sum::<u64>() as f64 / count as f64;
            let at = |part: usize| all.get((count * part / 100).min(count - 1)).copied().unwrap_or(0) as f64;
            let figures = [mean, at(50), at(99), all.last().copied().unwrap_or(0) as f64];
            let figures: String = figures.iter().map(|it| format!("{:>9.2}", it / 1e3)).collect();
            writeln!(f, "{name:<12}{figures}")?;
        }
        let within = reports.iter().filter(|it| it.perceive + it.think <= FRAME).count();
        let sum = |of: Part| reports.iter().map(of).sum::<u64>() as f64 / count as f64;
        let (ticked, asleep) = (sum(|it| it.tick.ticked), sum(|it| it.tick.asleep));
        let shares = reports.iter().map(|it| it.shares).sum::<usize>() as f64 / count as f64;
        let held = reports.iter().filter(|it| it.held).count();
        writeln!(
            f,
            "see + think fit into a frame of 60 Hz in {:.1} % of the steps",
            100.0 * within as f64 / count as f64
        )?;
        write!(f, "per step {ticked:.0} agents ticked, {asleep:.0} asleep, one in {shares:.1} looks around")?;
        match self.think {
            Some(think) => write!(
                f,
                "\nthinking spent its budget of {:.0} ms per step in {:.0} % of the steps; \
                 it looks at the clock between agents, so it can take longer",
                think as f64 / 1e3,
                100.0 * held as f64 / count as f64
            ),
            None => write!(f, "\nthinking had no budget"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_line() {
        let report =
            StepReport { perceive: 2_000, think: 15_000, world: 500, shares: 2, held: true, ..StepReport::default() };
        let quick = StepReport { perceive: 1_000, think: 3_000, world: 500, shares: 1, ..StepReport::default() };
        let text = Measured { agents: 7, think: Some(8_000), reports: vec![report, quick] }.to_string();
        assert!(text.contains("think            9.00") && text.contains("see + think     10.50"), "{text}");
        assert!(text.contains("in 50.0 % of the steps") && text.contains("budget of 8 ms per step in 50 %"), "{text}");
        assert!(text.contains("all times are milliseconds per step"), "{text}");
        let none = Measured::default().to_string();
        assert!(none.contains("0 steps") && none.ends_with("thinking had no budget"), "{none}");
    }
}
