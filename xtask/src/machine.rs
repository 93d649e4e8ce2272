//! The machine that the figures were measured on.

use std::fmt;
use std::fs;
use std::process::Command;
use std::thread;

/// The machine, the compiler and the commit, as far as they can be found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    cpu: String,
    cores: usize,
    system: String,
    rustc: String,
    commit: Option<String>,
}

impl Machine {
    /// What changes instruction counts: the compiler and its target.
    pub(crate) fn compiler(&self) -> String {
        format!("{}, {}", self.rustc, self.system)
    }

    pub(crate) fn here() -> Self {
        let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let changed = || output("git", &["status", "--porcelain"]).is_some_and(|it| !it.is_empty());
        let commit = output("git", &["log", "-1", "--format=%h of %cs"]);
        Self {
            cpu: cpu(&cpus).unwrap_or_else(|| "a CPU of unknown model".into()),
            cores: thread::available_parallelism().map_or(1, Into::into),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            rustc: output("rustc", &["--version"]).unwrap_or_else(|| "rustc of unknown version".into()),
            commit: commit.map(|it| if changed() { it + ", with changes" } else { it }),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cpu, cores, system, rustc, commit } = self;
        let s = if *cores == 1 { "" } else { "s" };
        write!(f, "{cpu}, {cores} core{s}, {system}; {rustc}")?;
        commit.iter().try_for_each(|it| write!(f, "; commit {it}"))
    }
}

/// The model in the text of `/proc/cpuinfo`.
fn cpu(text: &str) -> Option<String> {
    let value = |key| {
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_owned())
    };
    let model = value("model name").filter(|it| !it.is_empty())?;
    // Virtual machines often hide the rest of the name.
    let numbers = value("cpu family").zip(value("model"));
    Some(numbers.map_or(model.clone(), |(family, number)| format!("{model} (family {family}, model {number})")))
}

/// The output of a program, if it can be run and succeeds.
fn output(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).output().ok().filter(|it| it.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_have_names() {
        let text = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n\nprocessor\t: 1\n";
        assert_eq!(cpu(text).unwrap(), "AMD EPYC (family 25, model 17)");
        assert_eq!(cpu("model name : Some CPU\n").unwrap(), "Some CPU");
        assert_eq!(cpu(""), None);
        assert_eq!(output("a program that is not there", &[]), None);
    }

    #[test]
    fn machines_are_told_in_a_line() {
        let machine = Machine {
            cpu: "AMD EPYC".into(),
            cores: 2,
            system: "linux x86_64".into(),
            rustc: "rustc 1.95.0".into(),
            commit: None,
        };
        assert_eq!(machine.to_string(), "AMD EPYC, 2 cores, linux x86_64; rustc 1.95.0");
        let machine = Machine { cores: 1, commit: Some("abc of 2026-11-21".into()), ..machine };
        assert!(
            machine.to_string().contains("1 core, ") && machine.to_string().ends_with("; commit abc of 2026-11-21")
        );
    }
}
