//! What was measured.

use pleach_benches::Workload;

/// One implementation of one workload at one size. What was not measured is `None`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) workload: &'static str,
    pub(super) implementation: &'static str,
    /// In S6-load: nodes.
    pub(super) agents: u32,
    pub(super) ns_per_agent_tick: Option<f64>,
    pub(super) bytes_per_agent: Option<f64>,
    /// Per agent.
    pub(super) allocs_per_tick: Option<f64>,
    /// Why it was not measured.
    pub(super) skipped: Option<String>,
}

/// All of it, in the order in which it is reported.
#[derive(Debug, Default)]
pub(super) struct Rows(Vec<Row>);

impl Rows {
    pub(super) fn push(&mut self, row: Row) {
        self.0.push(row);
    }

    pub(super) fn of(&self, workload: Workload) -> impl Iterator<Item = &Row> {
        self.0.iter().filter(move |it| it.workload == workload.name())
    }

    pub(super) fn find(&self, workload: Workload, implementation: &str, agents: u32) -> Option<&Row> {
        self.of(workload).find(|it| it.implementation == implementation && it.agents == agents)
    }

    /// The time per agent and tick, in nanoseconds.
    pub(super) fn ns(&self, workload: Workload, implementation: &str, agents: u32) -> Option<f64> {
        self.find(workload, implementation, agents)?.ns_per_agent_tick
    }

    /// How many times as long `a` takes as `b`.
    pub(super) fn ratio(&self, workload: Workload, a: &str, b: &str, agents: u32) -> Option<f64> {
        Some(self.ns(workload, a, agents)? / self.ns(workload, b, agents)?)
    }

    /// A head and a line per row. What was not measured is empty.
    pub(super) fn to_csv(&self) -> String {
        let number = |it: Option<f64>| it.map_or_else(String::new, |it| it.to_string());
        let lines = self.0.iter().map(|it| {
            let [ns, bytes, allocations] = [it.ns_per_agent_tick, it.bytes_per_agent, it.allocs_per_tick].map(number);
            let skipped = it.skipped.as_deref().unwrap_or("");
            format!("{},{},{},{ns},{bytes},{allocations},{skipped}\n", it.workload, it.implementation, it.agents)
        });
        format!("workload,implementation,agents,ns,bytes,allocations,skipped\n{}", lines.collect::<String>())
    }
}

#[cfg(test)]
pub(super) fn row(workload: Workload, implementation: &'static str, agents: u32, ns: f64) -> Row {
    Row {
        workload: workload.name(),
        implementation,
        agents,
        ns_per_agent_tick: Some(ns),
        bytes_per_agent: Some(64.5),
        allocs_per_tick: Some(0.0),
        skipped: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_lines() {
        let mut rows = Rows::default();
        rows.push(row(Workload::Walk, "pleach", 1_000, 61.25));
        let skipped = Some("it would take 4.5 GB".into());
        rows.push(Row {
            ns_per_agent_tick: None,
            bytes_per_agent: None,
            allocs_per_tick: None,
            skipped,
            ..row(Workload::Walk, "bonsai-race", 1_000_000, 0.0)
        });
        assert_eq!(
            rows.to_csv(),
            "workload,implementation,agents,ns,bytes,allocations,skipped\n\
             S3,pleach,1000,61.25,64.5,0,\n\
             S3,bonsai-race,1000000,,,,it would take 4.5 GB\n"
        );
    }

    #[test]
    fn ratios_need_both() {
        let mut rows = Rows::default();
        rows.push(row(Workload::Walk, "pleach", 1_000, 60.0));
        rows.push(row(Workload::Walk, "hand", 1_000, 12.0));
        assert_eq!(rows.ratio(Workload::Walk, "pleach", "hand", 1_000), Some(5.0));
        assert_eq!(rows.ratio(Workload::Walk, "pleach", "hand", 100), None);
        assert_eq!(rows.ratio(Workload::Walk, "pleach", "naive", 1_000), None);
        assert_eq!(rows.ratio(Workload::Mixed, "pleach", "hand", 1_000), None);
    }
}
