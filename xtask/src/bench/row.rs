//! What was measured.

use pleach_benches::Workload;
use serde::Serialize;

/// One implementation of one workload at one size. What was not measured is `None`.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    #[serde(skip_serializing_if = "Option::is_none")]
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

    /// An array with a row per line.
    pub(super) fn to_json(&self) -> String {
        let lines: Vec<String> =
            self.0.iter().map(|row| serde_json::to_string(row).expect("a row has no maps and no NaN keys")).collect();
        format!("[\n{}\n]\n", lines.join(",\n"))
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
    fn rows_are_json() {
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
            rows.to_json(),
            r#"[
{"workload":"S3","implementation":"pleach","agents":1000,"ns_per_agent_tick":61.25,"bytes_per_agent":64.5,"allocs_per_tick":0.0},
{"workload":"S3","implementation":"bonsai-race","agents":1000000,"ns_per_agent_tick":null,"bytes_per_agent":null,"allocs_per_tick":null,"skipped":"it would take 4.5 GB"}
]
"#
        );
        assert_eq!(Rows::default().to_json().parse::<serde_json::Value>().unwrap(), serde_json::json!([]));
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
