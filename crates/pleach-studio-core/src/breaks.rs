//! Breakpoints: conditions that stop a game.

use std::collections::HashMap;
use std::sync::Arc;

use pleach::record::Replay;
use pleach::trace::TraceEvent;
use pleach::{AgentId, NodeId, Tree};

use crate::error::AskError;
use crate::find::Search;
use crate::finder::{hit_in_words, search};
use crate::model::{BreakView, Ended, FindQuestion, Hit};
use crate::stage::Stage;

/// The most breakpoints: each is checked in every frame.
const MOST: usize = 64;

/// All breakpoints.
#[derive(Debug, Default)]
pub(crate) struct Breaks {
    all: Vec<Break>,
    next: u32,
}

#[derive(Debug)]
struct Break {
    id: u32,
    question: FindQuestion,
    nth: u32,
    /// `None` if no tree has what it names.
    search: Option<Search>,
    trees: usize,
    hits: u32,
    last: Option<Hit>,
    wrong: Option<String>,
}

impl Breaks {
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Sets one. Returns its number. `edge` is positioned after the last frame.
    ///
    /// # Errors
    /// No tree has what it names, there are too many, or it asks for a time range.
    pub(crate) fn set(
        &mut self,
        question: FindQuestion,
        nth: u32,
        trees: &[Arc<Tree<Stage>>],
        edge: &Replay<Stage>,
    ) -> Result<u32, AskError> {
        if self.all.len() == MOST {
            return Err(AskError::Sought(format!("{MOST} breakpoints are set, which is the most: remove one")));
        }
        if question.from.is_some() || question.to.is_some() || question.limit.is_some() {
            return Err(AskError::Sought(
                "a breakpoint has no `from`, `to` or `limit`: it waits for what comes".into(),
            ));
        }
        let search = primed(trees, &question, edge)?;
        let id = self.next;
        self.add(question, nth, Some(search), trees.len(), None);
        Ok(id)
    }

    /// The same, but if no tree has what it names, it waits for one that has.
    pub(crate) fn keep(&mut self, question: FindQuestion, nth: u32, trees: &[Arc<Tree<Stage>>], edge: &Replay<Stage>) {
        match primed(trees, &question, edge) {
            Ok(search) => self.add(question, nth, Some(search), trees.len(), None),
            Err(error) => self.add(question, nth, None, trees.len(), Some(error.to_string())),
        }
    }

    fn add(&mut self, question: FindQuestion, nth: u32, search: Option<Search>, trees: usize, wrong: Option<String>) {
        let (id, nth) = (self.next, nth.max(1));
        self.next += 1;
        self.all.push(Break { id, question, nth, search, trees, hits: 0, last: None, wrong });
    }

    /// Takes over the hits of an earlier session of the same game, whose breakpoints these are, in
    /// order.
    pub(crate) fn take_hits(&mut self, before: &Breaks) {
        for (it, old) in self.all.iter_mut().zip(&before.all) {
            (it.hits, it.last) = (old.hits, old.last.clone());
        }
    }

    /// Removes one. Returns whether it existed.
    pub(crate) fn remove(&mut self, id: u32) -> bool {
        let before = self.all.len();
        self.all.retain(|it| it.id != id);
        self.all.len() < before
    }

    /// The breakpoints, for setting them again elsewhere.
    pub(crate) fn questions(&self) -> Vec<(FindQuestion, u32)> {
        self.all.iter().map(|it| (it.question.clone(), it.nth)).collect()
    }

    pub(crate) fn views(&self) -> Vec<BreakView> {
        let view = |it: &Break| BreakView {
            id: it.id,
            text: in_words(&it.question),
            find: it.question.clone(),
            hits: it.hits,
            nth: it.nth,
            last: it.last.clone(),
            wrong: it.wrong.clone(),
        };
        self.all.iter().map(view).collect()
    }

    /// Checks the frame that was played last. Returns whether one of them stops the game.
    pub(crate) fn look(
        &mut self,
        replay: &Replay<Stage>,
        trees: &[Arc<Tree<Stage>>],
        happened: &[(AgentId, TraceEvent)],
    ) -> bool {
        let mut stops = false;
        let mut numbers: Option<HashMap<AgentId, u32>> = None;
        for it in &mut self.all {
            if it.trees != trees.len() {
                // Agents may carry on with a new version of their tree.
                it.trees = trees.len();
                match primed(trees, &it.question, replay) {
                    Ok(new) => (it.search, it.wrong) = (Some(new), None),
                    Err(error) => (it.search, it.wrong) = (None, Some(error.to_string())),
                }
            }
            let Some(search) = &mut it.search else { continue };
            for found in search.look(replay, happened.iter().copied()) {
                let numbers = numbers
                    .get_or_insert_with(|| replay.agents().filter_map(|(number, id)| Some((id?, number))).collect());
                let number = numbers.get(&found.agent).copied();
                let Some(agent) = number.filter(|number| it.question.agent.is_none_or(|it| it == *number)) else {
                    continue;
                };
                it.hits = it.hits.saturating_add(1);
                stops |= it.hits >= it.nth;
                let tree = replay.forest().agent(found.agent).ok().map(|it| Arc::clone(it.tree()));
                it.last = Some(Hit {
                    frame: replay.frame(),
                    seconds: replay.forest().time(),
                    agent,
                    node: found.node.map(NodeId::index),
                    text: hit_in_words(tree.as_deref(), found.node, (&it.question).into()),
                });
            }
        }
        stops
    }
}

/// A search that knows what already holds, so that it finds only changes.
fn primed(trees: &[Arc<Tree<Stage>>], question: &FindQuestion, edge: &Replay<Stage>) -> Result<Search, AskError> {
    let mut search = search(trees, question)?.0;
    _ = search.look(edge, []);
    Ok(search)
}

/// What a breakpoint waits for.
fn in_words(question: &FindQuestion) -> String {
    let FindQuestion { tree, node, ended, by, event, condition, agent, .. } = question;
    let mut words = match (node, ended, event) {
        (Some(node), None, _) => format!("`{node}` starts"),
        (Some(node), Some(Ended::Success), _) => format!("`{node}` succeeds"),
        (Some(node), Some(Ended::Failure), _) => format!("`{node}` fails"),
        (Some(node), Some(Ended::Aborted), _) => format!("`{node}` is aborted"),
        (None, _, Some(event)) => format!("the event `{event}` comes"),
        (None, ..) => String::new(),
    };
    if let Some(by) = by {
        words.push_str(&format!(" by `{by}`"));
    }
    if let Some(condition) = condition {
        words.push_str(&if words.is_empty() {
            format!("`{condition}` becomes true")
        } else {
            format!(" while `{condition}`")
        });
    }
    if let Some(tree) = tree {
        words.push_str(&format!(", tree `{tree}`"));
    }
    if let Some(agent) = agent {
        words.push_str(&format!(", agent {agent}"));
    }
    words
}
