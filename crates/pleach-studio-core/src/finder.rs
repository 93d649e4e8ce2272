//! A recording that several threads can read, and searches in it.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pleach::record::{Replay, ReplayError};
use pleach::tools::text::plain;
use pleach::{AgentId, NodeId, Tree};

use crate::crowd::Looks;
use crate::error::AskError;
use crate::find::{Search, Seeking, Wrong};
use crate::model::{Ended, FindQuestion, FoundView, Hit};
use crate::stage::Stage;
use crate::timeline::Timeline;

/// The default number of hits of a search.
const HITS: usize = 1_000;
/// The most rows or hits of an answer.
pub(crate) const MOST: usize = 100_000;
/// The most bytes of a name or an expression.
const MOST_BYTES: usize = 1 << 10;

/// A recording, and the data from playing it once.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    /// The recording, and the pieces that came since, if it grows.
    pub(crate) pieces: Vec<Arc<[u8]>>,
    pub(crate) trees: Vec<Arc<Tree<Stage>>>,
    /// The frames that can be played. Frames after a damaged one are unknown, even if a single
    /// agent could be played past it.
    pub(crate) timeline: Timeline,
    /// What all agents did, now and then.
    pub(crate) looks: Looks,
    /// What is damaged, if not all frames can be played.
    pub(crate) damage: Option<String>,
}

impl Recorded {
    /// A replay positioned before the first frame.
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
        // "When last" is asked as often as "when first".
        let (mut earliest, mut latest) = (Vec::new(), VecDeque::new());
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
            // A single agent could be played past the damage of others.
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
            // Ids are never reused, so a known number stays right.
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
                let tree = replay.forest().agent(it.agent).ok().map(|it| Arc::clone(it.tree()));
                if earliest.len() < limit - limit / 2 {
                    earliest.push((frame, number, it.node, tree));
                } else {
                    latest.push_back((frame, number, it.node, tree));
                    if latest.len() > limit / 2 {
                        latest.pop_front();
                    }
                }
            }
        }
        let hits = earliest.into_iter().chain(latest).map(|(frame, agent, node, tree)| {
            let text = hit_in_words(tree.as_deref(), node, seeking);
            Hit { frame, seconds: recorded.timeline.time(frame), agent, node: node.map(NodeId::index), text }
        });
        view.hits = hits.collect();
        let is_whole = question.condition.is_none() && from.is_none() && to.is_none();
        if view.count == 0 && is_whole && view.note.is_none() && search.in_vain() > 0 {
            let times = if search.in_vain() == 1 { "once".to_owned() } else { format!("{} times", search.in_vain()) };
            view.note = Some(format!("It was entered {times}, and never got past its conditions."));
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
pub(crate) fn hit_in_words(tree: Option<&Tree<Stage>>, node: Option<NodeId>, seeking: Seeking<'_>) -> String {
    match (node, seeking.event, seeking.condition) {
        (Some(node), ..) => {
            let named = tree.and_then(|it| it.node(node));
            named.map_or_else(|| node.to_string(), |it| it.to_string())
        }
        (None, Some(event), _) => format!("was told of `{}`", plain(event)),
        (None, None, condition) => format!("`{}` became true", plain(condition.unwrap_or_default())),
    }
}
