//! Answers questions about a recording.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use pleach::inspect::AgentView;
use pleach::record::{Replay, ReplayError};
use pleach::tools::text::plain;
use pleach::{AgentId, NodeId, Tree};
use thiserror::Error;

use crate::agents::{self, Filter};
use crate::find::{Found, Search, Seeking, Wrong};
use crate::model::{
    AgentsView, FindQuestion, FoundView, Hit, Kind, MomentView, Overview, Place, Question, TrackView, WhyNotView,
};
use crate::moment::{self, At};
use crate::stage::Stage;
use crate::story::Story;
use crate::timeline::Timeline;
use crate::tree;

/// How many agents are kept that were asked for last, each with a replay of its own.
const KEPT: usize = 4;
/// How many hits a search returns if nothing else is asked for.
const HITS: usize = 1_000;
/// How many rows or hits an answer has at most.
const MOST: usize = 100_000;

/// Why a question has no answer.
#[derive(Debug, Error)]
pub enum AskError {
    /// The recording cannot be opened.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The question cannot be read.
    #[error("the question cannot be read: {0}")]
    Question(serde_json::Error),
    /// An answer could not be written.
    #[error("the answer cannot be written: {0}")]
    Answer(serde_json::Error),
    /// There is no such agent.
    #[error("agent {number} does not exist: {there}")]
    NoAgent {
        /// Its number.
        number: u32,
        /// Which there are.
        there: String,
    },
    /// The agent is not there in that frame.
    #[error("agent {number} is not there after frame {frame}: it is there from frame {first} to {last}")]
    NotThere {
        /// Its number.
        number: u32,
        /// The frame.
        frame: u64,
        /// The first frame after which it is there.
        first: u64,
        /// The last one.
        last: u64,
    },
    /// The agent's tree has no such node.
    #[error("the tree of agent {number} has no node n{node}: its nodes are n0 to n{last}")]
    NoNode {
        /// The agent.
        number: u32,
        /// The node.
        node: usize,
        /// The last node.
        last: usize,
    },
    /// What is looked for is in no tree.
    #[error("{0}")]
    Sought(String),
}

/// A recording that is asked questions. It keeps where it stands, so that the next question about a
/// moment nearby is answered in well under a millisecond; answers do not depend on it.
pub struct Session {
    title: String,
    bytes: Vec<u8>,
    trees: Vec<Arc<Tree<Stage>>>,
    places: Vec<Vec<Place>>,
    /// All agents.
    crowd: Replay<Stage>,
    timeline: Timeline,
    /// How many agents there are, and the numbers of the first and the last.
    agents: usize,
    numbers: Option<(u32, u32)>,
    notes: Vec<String>,
    damage: Option<String>,
    /// Agents that were asked for, the latest last.
    alone: VecDeque<Alone>,
}

/// One agent.
struct Alone {
    number: u32,
    replay: Replay<Stage>,
    story: Story,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("title", &self.title).field("agents", &self.agents).finish_non_exhaustive()
    }
}

impl Session {
    /// Plays a recording once. `trees` are those that were recorded, in the order in which
    /// [`Replay::open_with`] asks for them, and `places` says where the nodes of each are written,
    /// if that is known. A recording that is damaged can be asked up to the damage, and its
    /// overview says so. Costs a replay of all agents.
    ///
    /// # Errors
    /// The recording cannot be opened with these trees.
    pub fn open(
        title: impl Into<String>,
        bytes: Vec<u8>,
        trees: Vec<Arc<Tree<Stage>>>,
        places: Vec<Vec<Place>>,
    ) -> Result<Self, AskError> {
        let mut crowd = open(&bytes, &trees)?;
        let (mut timeline, mut notes, mut damage) = (Timeline::new(), Vec::new(), None);
        loop {
            let next = crowd.played() + 1;
            match crowd.seek(next, &mut ()) {
                Ok(()) if crowd.played() == next => {
                    timeline.push(crowd.frame(), crowd.forest().time(), crowd.last_step());
                }
                Ok(()) => {
                    let (played, all) = (crowd.played(), crowd.len());
                    if played < all {
                        damage = Some(format!("the recording ends after {played} of {all} frames"));
                    }
                    break;
                }
                Err(error) => {
                    damage = Some(error.to_string());
                    break;
                }
            }
        }
        notes.extend(damage.as_ref().map(|it| format!("Only a part can be shown: {it}.")));
        if crowd.complete_after() > 0 {
            let whole = timeline.frame(crowd.complete_after());
            notes.push(match whole {
                Some((frame, time)) => format!(
                    "Frames before the first were dropped: all agents are there from frame {frame} ({time:.3} s) on."
                ),
                None => "Frames before the first were dropped, and some agents are missing.".to_owned(),
            });
        }
        match crowd.divergences().len() {
            0 => {}
            1 => notes.push("The replay diverges from the recording, once.".to_owned()),
            count => notes.push(format!("The replay diverges from the recording, {count} times.")),
        }
        let agents = crowd.agents().len();
        let numbers = crowd.agents().next().zip(crowd.agents().last()).map(|it| (it.0.0, it.1.0));
        // Where a frame is damaged, some of it may have been played.
        crowd.seek(0, &mut ())?;
        let title = plain(&title.into()).into_owned();
        Ok(Session {
            title,
            bytes,
            trees,
            places,
            crowd,
            timeline,
            agents,
            numbers,
            notes,
            damage,
            alone: VecDeque::new(),
        })
    }

    /// What is damaged, if the recording ends before its last frame.
    #[must_use]
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// When the last frame ends that can be played, in seconds of the game.
    #[must_use]
    pub fn ends(&self) -> f64 {
        self.timeline.time(self.timeline.last())
    }

    /// The time after a frame, in seconds of the game.
    #[must_use]
    pub fn time(&self, frame: u64) -> f64 {
        self.timeline.time(frame)
    }

    /// The first frame that ends at a time, in seconds of the game, or later; the last frame if
    /// there is none.
    #[must_use]
    pub fn frame_at(&self, seconds: f64) -> u64 {
        self.timeline.frame_at(seconds)
    }

    /// Answers a question that is written as JSON, with JSON.
    ///
    /// # Errors
    /// It is not a question, or has no answer.
    pub fn ask(&mut self, question: &[u8]) -> Result<Vec<u8>, AskError> {
        let answer = match serde_json::from_slice(question).map_err(AskError::Question)? {
            Question::Overview => serde_json::to_vec(&self.overview()),
            Question::Agents { frame, find, limit } => {
                serde_json::to_vec(&self.agents(frame, find.as_deref(), limit)?)
            }
            Question::Track { agent, from, to } => serde_json::to_vec(&self.track(agent, from, to)?),
            Question::Moment { agent, frame } => serde_json::to_vec(&self.moment(agent, frame)?),
            Question::WhyNot { agent, frame, node } => serde_json::to_vec(&self.why_not(agent, frame, node)?),
            Question::Find(question) => serde_json::to_vec(&self.find(&question)?),
        };
        answer.map_err(AskError::Answer)
    }

    /// What is recorded. Costs a picture of each tree.
    #[must_use]
    pub fn overview(&self) -> Overview {
        self.overview_of(&(0..self.trees.len()).collect::<Vec<_>>())
    }

    /// With these trees.
    pub(crate) fn overview_of(&self, trees: &[usize]) -> Overview {
        let (first, last) = (self.timeline.first(), self.timeline.last());
        let mut versions: BTreeMap<&str, usize> = BTreeMap::new();
        let mut views = Vec::new();
        for (at, tree) in self.trees.iter().enumerate() {
            let version = versions.entry(tree.name()).or_default();
            *version += 1;
            if trees.contains(&at) {
                let places = self.places.get(at).map_or(&[][..], Vec::as_slice);
                views.push(tree::view(&self.crowd, tree, *version, places));
            }
        }
        Overview {
            title: self.title.clone(),
            kind: Kind::Recording,
            first,
            last,
            times: self.timeline.times(first, last),
            agents: self.agents,
            trees: views,
            agent: None,
            from: None,
            to: None,
            notes: self.notes.clone(),
        }
    }

    /// All agents after a frame, of which `find` selects rows: see [`Question::Agents`]. Costs a
    /// replay of all agents from a mark nearby, and a look at each agent.
    ///
    /// # Errors
    /// No tree has what `find` names.
    pub fn agents(&mut self, frame: u64, find: Option<&str>, limit: usize) -> Result<AgentsView, AskError> {
        let find = find.filter(|it| !it.trim().is_empty());
        let filter = find.map(|it| Filter::of(&self.trees, it)).transpose().map_err(AskError::Sought)?;
        self.crowd.seek(self.timeline.played(frame), &mut ())?;
        Ok(agents::view(&self.crowd, &self.trees, frame, filter.as_ref(), limit.min(MOST)))
    }

    /// What an agent did from one frame to another. The first question about an agent costs a
    /// replay of that agent.
    ///
    /// # Errors
    /// There is no such agent.
    pub fn track(&mut self, agent: u32, from: u64, to: u64) -> Result<TrackView, AskError> {
        Ok(self.alone(agent)?.story.track(agent, from, to))
    }

    /// An agent after a frame.
    ///
    /// # Errors
    /// There is no such agent, or it is not there then.
    pub fn moment(&mut self, agent: u32, frame: u64) -> Result<MomentView, AskError> {
        let (view, at) = self.view(agent, frame)?;
        let story = &self.alone(agent)?.story;
        Ok(moment::moment(&view, at, |by| story.last_abort(frame, by)))
    }

    /// Why an agent does not run a node after a frame.
    ///
    /// # Errors
    /// There is no such agent or node, or the agent is not there then.
    pub fn why_not(&mut self, agent: u32, frame: u64, node: usize) -> Result<WhyNotView, AskError> {
        let (view, at) = self.view(agent, frame)?;
        let last = view.tree.len() - 1;
        let none = AskError::NoNode { number: agent, node, last };
        let node = NodeId::new(node).ok_or(none)?;
        let why = view.why_not(node).ok_or(AskError::NoNode { number: agent, node: node.index(), last })?;
        Ok(moment::why_not(&view, &why, at, node))
    }

    /// Searches the recording from its first frame on. Costs a replay of all agents.
    ///
    /// # Errors
    /// No tree has what is looked for.
    pub fn find(&mut self, question: &FindQuestion) -> Result<FoundView, AskError> {
        let FindQuestion { node, ended, event, condition, agent, from, to, limit } = question;
        let seeking = Seeking {
            node: node.as_deref(),
            ended: *ended,
            by: None,
            event: event.as_deref(),
            condition: condition.as_deref(),
        };
        let wrong = match (seeking.node, seeking.event, seeking.condition) {
            (None, None, None) => Some("name a node, an event or an expression to find"),
            (Some(_), Some(_), _) => Some("find a node or an event, not both"),
            (None, ..) if ended.is_some() => Some("say which node ended so"),
            _ => None,
        };
        if let Some(wrong) = wrong {
            return Err(AskError::Sought(wrong.to_owned()));
        }
        let said = |it: Vec<Wrong>| {
            let all: Vec<String> = it.into_iter().map(Wrong::into_text).collect();
            AskError::Sought(all.join("; "))
        };
        let mut search = Search::new(&self.trees, seeking).map_err(said)?;
        let limit = limit.unwrap_or(HITS).min(MOST);
        let mut view = FoundView { count: 0, agents: 0, hits: Vec::new(), note: None };
        let mut agents: BTreeSet<AgentId> = BTreeSet::new();
        let mut numbers: HashMap<AgentId, u32> = HashMap::new();
        // One that stands elsewhere would lose its marks on the way back.
        let replay = open(&self.bytes, &self.trees)?;
        let mut replay = match agent {
            Some(agent) => replay.only(*agent),
            None => replay,
        };
        loop {
            let found = match search.step(&mut replay, &mut ()) {
                Ok(Some(found)) => found,
                Ok(None) => break,
                Err(error) => {
                    view.note = Some(format!("The search ended early: {error}."));
                    break;
                }
            };
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
                    let seconds = self.timeline.time(frame);
                    let node = it.node.map(NodeId::index);
                    let text = hit_in_words(&replay, it, seeking);
                    view.hits.push(Hit { frame, seconds, agent: number, node, text });
                }
            }
        }
        view.agents = agents.len();
        Ok(view)
    }

    pub(crate) fn trees(&self) -> &[Arc<Tree<Stage>>] {
        &self.trees
    }

    pub(crate) fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// An agent after a frame.
    pub(crate) fn view(&mut self, number: u32, frame: u64) -> Result<(AgentView<Stage>, At), AskError> {
        let (played, seconds) = (self.timeline.played(frame), self.timeline.time(frame));
        let alone = self.alone(number)?;
        let (first, last) = alone.story.life.unwrap_or_default();
        alone.replay.seek(played, &mut ())?;
        let there = alone.replay.agent(number).flatten();
        let view = there.and_then(|it| alone.replay.inspect(it).ok());
        let view = view.ok_or(AskError::NotThere { number, frame, first, last })?;
        let tree = self.trees.iter().position(|it| Arc::ptr_eq(it, &view.tree)).unwrap_or_default();
        Ok((view, At { agent: number, frame, seconds, tree }))
    }

    /// The replay of one agent, and its story.
    fn alone(&mut self, number: u32) -> Result<&mut Alone, AskError> {
        let known = self.alone.iter().position(|it| it.number == number);
        let alone = match known.and_then(|it| self.alone.remove(it)) {
            Some(alone) => alone,
            None => {
                let mut replay = open(&self.bytes, &self.trees)?.only(number);
                let story = Story::of(&mut replay, number, &self.trees);
                if story.life.is_none() {
                    return Err(AskError::NoAgent { number, there: self.there() });
                }
                Alone { number, replay, story }
            }
        };
        if self.alone.len() == KEPT {
            self.alone.pop_front();
        }
        self.alone.push_back(alone);
        Ok(self.alone.back_mut().expect("it has just been put there"))
    }

    /// Which agents there are.
    fn there(&self) -> String {
        match self.numbers {
            None => "the recording has no agents".to_owned(),
            Some((first, _)) if self.agents == 1 => format!("the only agent is agent {first}"),
            Some((first, last)) => format!("the {} agents have the numbers {first} to {last}", self.agents),
        }
    }
}

fn hit_in_words(replay: &Replay<Stage>, found: Found, seeking: Seeking<'_>) -> String {
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

fn open(bytes: &[u8], trees: &[Arc<Tree<Stage>>]) -> Result<Replay<Stage>, ReplayError> {
    let mut next = trees.iter();
    Replay::open_with(bytes, |_| next.next().map(Arc::clone))
}
