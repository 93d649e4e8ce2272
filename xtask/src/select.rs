//! Workloads by name.

use std::str::FromStr;

use pleach_benches::Workload;
use thiserror::Error;

/// One workload, or several with a common prefix: `S1` is `S1-observed` and `S1-polled`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selection(Vec<Workload>);

impl Selection {
    pub(crate) fn has(&self, workload: Workload) -> bool {
        self.0.contains(&workload)
    }
}

/// No workload has that name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no such workload; did you mean `{nearest}`? There are {}", Workload::ALL.map(Workload::name).join(", "))]
pub(crate) struct UnknownWorkload {
    nearest: &'static str,
}

impl FromStr for Selection {
    type Err = UnknownWorkload;

    fn from_str(text: &str) -> Result<Self, UnknownWorkload> {
        let wanted = text.to_lowercase();
        let is_meant = |it: &Workload| {
            let name = it.name().to_lowercase();
            name == wanted || name.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('-'))
        };
        let found: Vec<_> = Workload::ALL.into_iter().filter(is_meant).collect();
        if !found.is_empty() {
            return Ok(Self(found));
        }
        let near = |name: &str| strsim::jaro_winkler(&name.to_lowercase(), &wanted);
        let nearest = Workload::ALL.map(Workload::name).into_iter().max_by(|a, b| near(a).total_cmp(&near(b)));
        Err(UnknownWorkload { nearest: nearest.expect("there are workloads") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&'static str> {
        text.parse::<Selection>().unwrap().0.into_iter().map(Workload::name).collect()
    }

    #[test]
    fn names_and_their_beginnings_select() {
        assert_eq!(names("S2"), ["S2"]);
        assert_eq!(names("s1-POLLED"), ["S1-polled"]);
        assert_eq!(names("S1"), ["S1-observed", "S1-polled"]);
        assert_eq!(names("S4"), ["S4", "S4-still"]);
        assert_eq!(
            names("threads"),
            ["threads-S1-observed", "threads-S1-polled", "threads-S2", "threads-squads-1", "threads-squads-8"]
        );
        assert_eq!(
            names("S6"),
            ["S6-load", "S6-spawn", "S6-despawn", "S6-reload", "S6-keep", "S6-snapshot", "S6-save"]
        );
    }

    #[test]
    fn unknown_names_are_errors_with_a_suggestion() {
        for (text, meant) in [("S1-observd", "S1-observed"), ("S6-lod", "S6-load"), ("S4still", "S4-still")] {
            let error = text.parse::<Selection>().unwrap_err().to_string();
            assert!(error.contains(&format!("did you mean `{meant}`?")), "{error}");
            assert!(error.contains("S6-despawn"), "{error}");
        }
        for text in ["", "S", "S1-", "S22", "-"] {
            assert!(text.parse::<Selection>().is_err(), "{text}");
        }
    }
}
