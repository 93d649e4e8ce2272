//! Checks that a crowd fits in memory before it is made. A program that runs out of memory ends
//! without a message.

use pleach::Tree;
use pleach::tools::text::plain;
use sysinfo::{MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, System};

use crate::failure::Failure;
use crate::words::{bytes, grouped, plural};
use crate::world::World;

/// The bytes of address space that allocators reserve for our threads, whether they use them or
/// not.
const RESERVED: u64 = 192 << 20;

/// The memory that agents take.
#[derive(Clone, Copy, Debug)]
struct Demand {
    agents: u32,
    /// How many such crowds exist at once.
    crowds: usize,
    /// The bytes of each agent.
    each: u64,
}

/// Refuses crowds that do not fit in memory: `crowds` of them at once, of `agents` each.
///
/// # Errors
/// They take more than is available.
pub(crate) fn refuse_too_large<W: World>(tree: &Tree<W::Host>, agents: u32, crowds: usize) -> Result<(), Failure> {
    let demand = Demand { agents, crowds, each: tree.footprint().total() as u64 + W::BYTES_PER_AGENT };
    match available().and_then(|it| demand.refusal(tree.name(), it)) {
        Some(refusal) => Err(Failure::Usage(refusal)),
        None => Ok(()),
    }
}

impl Demand {
    fn bytes(self) -> u64 {
        self.each.saturating_mul(self.crowds as u64).saturating_mul(u64::from(self.agents))
    }

    /// Why it does not fit in `available` bytes.
    fn refusal(self, tree: &str, available: u64) -> Option<String> {
        // The estimate does not count everything, and a machine needs some memory for itself.
        let usable = available / 8 * 7;
        if self.bytes() <= usable {
            return None;
        }
        let Demand { agents, crowds, each } = self;
        let ways = if crowds > 1 { format!(" in each of {crowds} ways, side by side,") } else { String::new() };
        let fit = rounded_down(usable / each / crowds as u64);
        let advice = match fit {
            0 => "not even one fits".to_string(),
            1 => "one fits: `--agents 1`".to_string(),
            _ => format!("about {} fit: `--agents {fit}`", grouped(fit)),
        };
        Some(format!(
            "{} of `{}`{ways} would take {} of memory, {} B each, but only {} are available: {advice}",
            plural(agents as usize, "agent"),
            plain(tree),
            bytes(self.bytes() as f64),
            grouped(each),
            bytes(usable as f64),
        ))
    }
}

/// Rounds down to two digits. The other digits change from one moment to the next.
fn rounded_down(number: u64) -> u64 {
    let unit = 10_u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(1));
    number / unit * unit
}

/// The bytes that this process can still get: what the machine, its control group and its own limit
/// leave. `None` if none of them is known.
fn available() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let machine = Some(system.available_memory()).filter(|it| *it > 0);
    let own = sysinfo::get_current_pid().ok();
    if let Some(own) = own {
        let what = ProcessRefreshKind::nothing().with_memory().without_tasks();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[own]), false, what);
    }
    let process = own.and_then(|it| system.process(it));
    let group = process.and_then(|it| it.cgroup_limits()).map(|it| it.free_memory);
    let limit = process.and_then(|it| {
        let left = address_space()?.saturating_sub(it.virtual_memory());
        Some(left - RESERVED.min(left / 2))
    });
    [machine, group, limit].into_iter().flatten().min()
}

/// The limit of the address space of this process in bytes (`ulimit -v`), if it has one.
fn address_space() -> Option<u64> {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::As).current;
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use allocation_counter::measure;
    use pleach_arena::{Game, registry};

    use super::*;
    use crate::files::TreeFile;

    #[test]
    fn a_crowd_takes_what_was_estimated() {
        for name in ["guard", "fighter", "rabbit", "minimal"] {
            let path = format!("{}/../../trees/{name}.ron", env!("CARGO_MANIFEST_DIR"));
            let tree = Arc::new(TreeFile::read(Path::new(&path)).unwrap().load(&registry()).unwrap());
            for agents in [1_000_u32, 1_025, 3_000] {
                let each = tree.footprint().total() as u64 + Game::BYTES_PER_AGENT;
                let estimated = Demand { agents, crowds: 1, each }.bytes();
                let taken = measure(|| {
                    let mut game = Game::new(Arc::clone(&tree), agents as usize, 1).unwrap();
                    for _ in 0..60 {
                        game.frame(1.0 / 60.0).unwrap();
                    }
                });
                let taken = taken.bytes_max;
                assert!(taken <= estimated && estimated < taken * 3, "{agents} of {name}: {taken}, not {estimated}");
            }
        }
    }

    #[test]
    fn a_refusal_says_how_many_fit() {
        let refusal = |agents, crowds, each, available| Demand { agents, crowds, each }.refusal("a", available);
        assert_eq!(refusal(7_000, 1, 1 << 20, 8_000 << 20), None);
        assert_eq!(
            refusal(7_001, 1, 1 << 20, 8_000 << 20).unwrap(),
            "7,001 agents of `a` would take 6.84 GiB of memory, 1,048,576 B each, but only 6.84 GiB are available: about \
             7,000 fit: `--agents 7000`"
        );
        assert_eq!(
            refusal(250_000, 4, 1_500, 800_000_000).unwrap(),
            "250,000 agents of `a` in each of 4 ways, side by side, would take 1.40 GiB of memory, 1,500 B each, but only \
             668 MiB are available: about 110,000 fit: `--agents 110000`"
        );
        assert!(refusal(2, 1, 70, 80).unwrap().ends_with("one fits: `--agents 1`"));
        assert!(refusal(1, 4, 70, 80).unwrap().ends_with("not even one fits"));
    }

    #[test]
    fn there_is_memory() {
        assert!(available().is_none_or(|it| it > 1 << 20));
    }

    #[test]
    fn numbers_are_rounded_down() {
        assert_eq!([0, 7, 99, 100, 119, 65_536].map(rounded_down), [0, 7, 99, 100, 110, 65_000]);
    }
}
