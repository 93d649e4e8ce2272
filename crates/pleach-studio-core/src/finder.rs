//! A recording that several threads read, and searches in it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pleach::record::{Replay, ReplayError};
use pleach::tools::text::plain;
use pleach::{AgentId, NodeId, Tree};

use crate::error::AskError;
use crate::find::{Found, Search, Seeking, Wrong};
use crate::model::{Ended, FindQuestion, FoundView, Hit};
use crate::stage::Stage;
use crate::timeline::Timeline;

/// How many hits a search returns if nothing else is asked for.
const HITS: usize = 1_000;
/// How many rows or hits an answer has at most.
pub(crate) const MOST: usize = 100_000;
/// How many bytes a name or an expression has at most.
const MOST_BYTES: usize = 1 << 10;

/// A recording, and what was found out when it was played once.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    /// The recording, and what came since, if it grows.
    pub(crate) pieces: Vec<Arc<[u8]>>,
    pub(crate) trees: Vec<Arc<Tree<Stage>>>,
    /// The frames that can be played. What follows a damaged frame is not known, even where one
    /// agent alone could be played past it.
    pub(crate) timeline: Timeline,
    /// What is damaged, if not all frames can be played.
    pub(crate) damage: Option<String>,
}

impl Recorded {
    /// A replay that stands before the first frame.
    pub(crate) fn replay(&self) -> Result<Replay<Stage>, ReplayError> {
        let mut trees = self.trees.iter().map(Arc::clone);
        let (first, more) = self.pieces.split_first().expect("a recording has bytes");
        let mut replay = Replay::open_with(first, |_| trees.next())?;
        more.iter().try_for_each(|it| replay.extend(it, |_| trees.next()))?;
        Ok(replay)
    }
}

/// Searches a recording while its [`Session`](crate::Session) answers other questions.
#[derive(Clone, Debug)]
pub struct Finder(pub(crate) Arc<Recorded>);

impl Finder {
    /// Searches the recording from its first frame on, until `stop` is set. Costs a replay of all
    /// agents.
    ///
    /// # Errors
    /// No tree has what is looked for.
    pub fn find(&self, question: &FindQuestion, stop: &AtomicBool) -> Result<FoundView, AskError> {
        let recorded = &*self.0;
        let FindQuestion { agent, from, to, limit, .. } = question;
        let (mut search, seeking) = search(&recorded.trees, question)?;
        let limit = limit.unwrap_or(HITS).min(MOST);
        let mut view = FoundView { count: 0, agents: 0, hits: Vec::new(), note: None };
        let mut agents: BTreeSet<AgentId> = BTreeSet::new();
        let mut numbers: HashMap<AgentId, u32> = HashMap::new();
        let replay = recorded.replay()?;
        let mut replay = match agent {
            Some(agent) => replay.only(*agent),
            None => replay,
        };
        loop {
            if stop.load(Ordering::Relaxed) {
                view.note = Some("The search was stopped.".to_owned());
                break;
            }
            // One agent alone could be played past the damage of others.
            if replay.played() == recorded.timeline.frames() {
                view.note = recorded.damage.as_ref().map(|it| format!("The search ended early: {it}."));
                break;
            }
            let Some(found) = search.step(&mut replay, &mut ())? else { break };
            let frame = replay.frame();
            if to.is_some_and(|it| frame > it) {
                break;
            }
            if found.is_empty() || from.is_some_and(|it| frame < it) {
                continue;
            }
            // An id never comes back, so a number that is known stays right.
            if found.iter().any(|it| !numbers.contains_key(&it.agent)) {
                numbers.extend(replay.agents().filter_map(|(number, id)| Some((id?, number))));
            }
            for it in found {
                let Some(&number) = numbers.get(&it.agent) else { continue };
                if agent.is_some_and(|it| it != number) {
                    continue;
                }
                agents.insert(it.agent);
                view.count += 1;
                if view.hits.len() < limit {
                    let seconds = recorded.timeline.time(frame);
                    let node = it.node.map(NodeId::index);
                    let text = hit_in_words(&replay, it, seeking);
                    view.hits.push(Hit { frame, seconds, agent: number, node, text });
                }
            }
        }
        view.agents = agents.len();
        Ok(view)
    }
}

impl<'q> From<&'q FindQuestion> for Seeking<'q> {
    fn from(it: &'q FindQuestion) -> Self {
        Seeking {
            node: it.node.as_deref(),
            ended: it.ended,
            by: it.by.as_deref(),
            event: it.event.as_deref(),
            condition: it.condition.as_deref(),
        }
    }
}

/// A search for what a question asks.
///
/// # Errors
/// The question is incomplete, or no tree has what it asks for.
pub(crate) fn search<'q>(
    trees: &[Arc<Tree<Stage>>],
    question: &'q FindQuestion,
) -> Result<(Search, Seeking<'q>), AskError> {
    let FindQuestion { tree, node, ended, by, event, condition, .. } = question;
    let seeking = Seeking::from(question);
    let wrong = match (seeking.node, seeking.event, seeking.condition) {
        (None, None, None) => Some("name a node, an event or an expression to find"),
        (Some(_), Some(_), _) => Some("find a node or an event, not both"),
        (None, ..) if ended.is_some() => Some("say which node ended so"),
        _ if by.is_some() && *ended != Some(Ended::Aborted) => Some("a condition aborts: look for what was aborted"),
        _ => None,
    };
    if let Some(wrong) = wrong {
        return Err(AskError::Sought(wrong.to_owned()));
    }
    for text in [tree, node, by, event, condition].into_iter().flatten() {
        short_enough(text)?;
    }
    let is_meant = |it: &&Arc<Tree<Stage>>| tree.as_ref().is_none_or(|name| it.name() == name);
    let trees: Vec<&Arc<Tree<Stage>>> = trees.iter().filter(is_meant).collect();
    if let Some(name) = tree.as_ref().filter(|_| trees.is_empty()) {
        return Err(AskError::Sought(format!("no tree is called `{}`", plain(name))));
    }
    let said = |it: Vec<Wrong>| {
        let all: Vec<String> = it.into_iter().map(Wrong::into_text).collect();
        AskError::Sought(all.join("; "))
    };
    Ok((Search::new(trees, seeking).map_err(said)?, seeking))
}

/// # Errors
/// A name or an expression is too long to be one.
pub(crate) fn short_enough(text: &str) -> Result<(), AskError> {
    if text.len() <= MOST_BYTES {
        return Ok(());
    }
    let begin: String = text.chars().take(20).collect();
    Err(AskError::Sought(format!(
        "`{}…` is too long for a name or an expression: it has {} bytes, and {MOST_BYTES} are the most",
        plain(&begin),
        text.len()
    )))
}

/// What happened, in words.
pub(crate) fn hit_in_words(replay: &Replay<Stage>, found: Found, seeking: Seeking<'_>) -> String {
    match (found.node, seeking.event, seeking.condition) {
        (Some(node), ..) => {
            let agent = replay.forest().agent(found.agent).ok();
            let named = agent.as_ref().and_then(|it| it.tree().node(node));
            named.map_or_else(|| node.to_string(), |it| it.to_string())
        }
        (None, Some(event), _) => format!("was told of `{}`", plain(event)),
        (None, None, condition) => format!("`{}` became true", plain(condition.unwrap_or_default())),
    }
}
