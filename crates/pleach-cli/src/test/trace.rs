//! The trace of a case: by paths instead of numbers, so that an added node does not change the
//! lines of nodes that have names.

use std::collections::VecDeque;
use std::sync::Arc;

use pleach::tools::text::plain;
use pleach::trace::{TraceEvent, TraceNames};
use pleach::{Host, NodeId, Tree};

use super::play::seconds;

/// How many ticks with new events are kept, for failures.
const KEPT: usize = 8;

/// What happened in a case.
#[derive(Debug)]
pub(crate) struct Trace {
    paths: Arc<[String]>,
    names: Arc<TraceNames>,
    whole: Option<String>,
    /// The latest ticks, as lines.
    latest: VecDeque<String>,
    last: Vec<TraceEvent>,
}

impl Trace {
    pub(crate) fn new<H: Host>(tree: &Tree<H>, paths: &Arc<[String]>, keeps_all: bool) -> Self {
        Trace {
            paths: Arc::clone(paths),
            names: Arc::clone(tree.trace_names()),
            whole: keeps_all.then(String::new),
            latest: VecDeque::new(),
            last: Vec::new(),
        }
    }

    /// A tick. One with the same events as the tick before it is left out: the time of the next one
    /// shows that.
    pub(crate) fn tick(&mut self, time: f64, events: &[TraceEvent]) {
        if events.is_empty() || events == self.last {
            return;
        }
        let mut text = format!("{} s\n", seconds(time));
        for line in events.iter().filter_map(|it| self.line(it)) {
            text.push_str("  ");
            text.push_str(&line);
            text.push('\n');
        }
        self.last = events.to_vec();
        if let Some(whole) = &mut self.whole {
            whole.push_str(&text);
        }
        if self.latest.len() == KEPT {
            self.latest.pop_front();
        }
        self.latest.push_back(text);
    }

    /// The latest lines.
    pub(crate) fn latest(&self, most: usize) -> String {
        let lines: Vec<&str> = self.latest.iter().flat_map(|it| it.lines()).collect();
        let from = lines.len().saturating_sub(most);
        let before = if from > 0 { "...\n" } else { "" };
        lines[from..].iter().fold(before.to_owned(), |text, it| text + it + "\n")
    }

    pub(crate) fn whole(self) -> Option<String> {
        self.whole
    }

    fn line(&self, event: &TraceEvent) -> Option<String> {
        let path = |it: NodeId| self.paths.get(it.index()).map_or("?", String::as_str);
        Some(match *event {
            TraceEvent::Start(node) => format!("start {}", path(node)),
            TraceEvent::Update(node, status) => format!("update {} -> {status}", path(node)),
            TraceEvent::Recheck(node, status) => format!("recheck {} -> {status}", path(node)),
            TraceEvent::Check(node, holds) => format!("check {} -> {holds}", path(node)),
            TraceEvent::Service(node, at) => {
                let kind = self.names.service(node, at).map_or_else(|| at.to_string(), |it| plain(it).into_owned());
                format!("service {kind} of {}", path(node))
            }
            TraceEvent::Switch(node) => format!("switch {}", path(node)),
            TraceEvent::Emit(node, event) => match event.value() {
                Some(value) => format!("emit {} {}", path(node), self.names.describe(value)),
                None => format!("emit {}", path(node)),
            },
            TraceEvent::End(node, outcome) => format!("end {} -> {outcome}", path(node)),
            TraceEvent::Aborted(node, reason) => format!("end {} -> ended: {reason}", path(node)),
            TraceEvent::Abort { scope, by } => format!("abort {} goes on at {}", path(scope), path(by)),
            TraceEvent::Pause(node) => format!("pause {}", path(node)),
            TraceEvent::Unpause(node) => format!("unpause {}", path(node)),
            TraceEvent::Tick | TraceEvent::TickEnd | _ => return None,
        })
    }
}
