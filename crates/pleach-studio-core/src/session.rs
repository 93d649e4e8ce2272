//! Answers questions about a recording.

mod grow;
mod reload;
mod steps;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pleach::inspect::AgentView;
use pleach::record::{Piece, Replay, ReplayError};
use pleach::tools::text::plain;
use pleach::{NodeId, Tree};

use crate::agents::{self, Filter};
use crate::breaks::Breaks;
use crate::crowd::Looks;
use crate::error::AskError;
use crate::finder::{Finder, MOST, Recorded, short_enough};
use crate::model::{
    AgentsView, CrowdTrack, FindQuestion, FoundView, Kind, MomentView, Overview, Place, Question, ReloadView, StepView,
    TrackView, WhyNotView,
};
use crate::stage::Stage;
use crate::story::{Story, Teller};
use crate::timeline::Timeline;
use crate::tree;
use pleach_view::At;

/// How many of the last agents are kept, each with a replay of its own.
const KEPT: usize = 4;

/// Answers questions about a recording. It keeps its position, so that the next question about a
/// moment nearby is answered in well under a millisecond; answers do not depend on it.
pub struct Session {
    title: String,
    recorded: Arc<Recorded>,
    places: Vec<Vec<Place>>,
    /// All agents.
    crowd: Replay<Stage>,
    /// All agents after the last frame, if the recording grows.
    edge: Option<Replay<Stage>>,
    breaks: Breaks,
    /// What happened to the agents in the last reload of a tree.
    reload: Option<ReloadView>,
    /// How many frames of a game are missing.
    missed: u64,
    /// How many agents there are, and the numbers of the first and the last.
    agents: usize,
    numbers: Option<(u32, u32)>,
    notes: Vec<String>,
    /// Whether files of trees can be edited beside it.
    edits: bool,
    /// Agents that were asked about, the latest last.
    alone: VecDeque<Alone>,
}

/// One agent.
struct Alone {
    number: u32,
    replay: Replay<Stage>,
    /// Positioned where the story ends.
    told: Replay<Stage>,
    teller: Teller,
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
    /// if known. A damaged recording can be asked about up to the damage, and its overview says so.
    /// Costs a replay of all agents.
    ///
    /// # Errors
    /// The recording cannot be opened with these trees.
    pub fn open(
        title: impl Into<String>,
        bytes: Vec<u8>,
        trees: Vec<Arc<Tree<Stage>>>,
        places: Vec<Vec<Place>>,
    ) -> Result<Self, AskError> {
        let pieces = vec![Arc::from(bytes)];
        let mut recorded = Recorded { pieces, trees, timeline: Timeline::new(), looks: Looks::new(), damage: None };
        let mut crowd = recorded.replay()?;
        // Seeking leaves marks, which let the replay go back.
        play(&mut crowd, &mut recorded, |it| {
            let next = it.played() + 1;
            it.seek(next, &mut ())?;
            Ok((it.played() == next, false))
        });
        if recorded.damage.is_some() {
            // Some of the damaged frame may have been played.
            crowd.seek(0, &mut ())?;
            crowd.seek(recorded.timeline.frames(), &mut ())?;
        }
        let title = plain(&title.into()).into_owned();
        let (recorded, agents) = (Arc::new(recorded), 0);
        let mut session = Session {
            title,
            recorded,
            places,
            crowd,
            edge: None,
            breaks: Breaks::default(),
            reload: None,
            missed: 0,
            edits: false,
            agents,
            numbers: None,
            notes: Vec::new(),
            alone: VecDeque::new(),
        };
        session.look_back();
        Ok(session)
    }

    /// Collects the facts about the recording as a whole.
    fn look_back(&mut self) {
        let all = self.edge.as_ref().unwrap_or(&self.crowd);
        let (timeline, damage) = (&self.recorded.timeline, &self.recorded.damage);
        let mut notes = Vec::new();
        notes.extend(damage.as_ref().map(|it| format!("Only a part can be shown: {it}.")));
        if all.complete_after() > 0 {
            let whole = timeline.frame(all.complete_after());
            notes.push(match whole {
                Some((frame, time)) => format!(
                    "Frames before the first were dropped: all agents are there from frame {frame} ({time:.3} s) on."
                ),
                None => "Frames before the first were dropped, and some agents are missing.".to_owned(),
            });
        }
        if self.missed > 0 {
            let missed = if self.missed == 1 { "1 frame".to_owned() } else { format!("{} frames", self.missed) };
            notes.push(format!("{missed} of the game did not come: the studio reads slower than the game plays."));
        }
        match self.divergences() {
            0 => {}
            1 => notes.push("The replay diverges from the recording, once.".to_owned()),
            count => notes.push(format!("The replay diverges from the recording, {count} times.")),
        }
        let agents = all.agents();
        self.agents = agents.len();
        self.numbers = all.agents().next().zip(all.agents().last()).map(|it| (it.0.0, it.1.0));
        self.notes = notes;
    }

    /// Marks that files of trees can be edited beside it.
    pub fn beside_edits(&mut self) {
        self.edits = true;
    }

    /// How often agents diverged from what was recorded.
    #[must_use]
    pub fn divergences(&self) -> usize {
        self.edge.as_ref().unwrap_or(&self.crowd).divergences().len()
    }

    /// What is damaged, if the recording ends before its last frame.
    #[must_use]
    pub fn damage(&self) -> Option<&str> {
        self.recorded.damage.as_deref()
    }

    /// When the last playable frame ends, in seconds of the game.
    #[must_use]
    pub fn ends(&self) -> f64 {
        self.recorded.timeline.time(self.recorded.timeline.last())
    }

    /// The time after a frame, in seconds of the game.
    #[must_use]
    pub fn time(&self, frame: u64) -> f64 {
        self.recorded.timeline.time(frame)
    }

    /// The first frame that ends at a time, in seconds of the game, or later; the last frame if
    /// there is none.
    #[must_use]
    pub fn frame_at(&self, seconds: f64) -> u64 {
        self.recorded.timeline.frame_at(seconds)
    }

    /// Answers a question that is written as JSON, with JSON.
    ///
    /// # Errors
    /// It is not a question, or has no answer.
    pub fn ask(&mut self, question: &[u8]) -> Result<Vec<u8>, AskError> {
        self.answer(read(question)?)
    }

    /// Answers a question with JSON, or with the bytes of a file.
    ///
    /// # Errors
    /// It has no answer.
    pub fn answer(&mut self, question: Question) -> Result<Vec<u8>, AskError> {
        let answer = match question {
            Question::Overview => serde_json::to_vec(&self.overview()),
            Question::Agents { frame, find, limit } => {
                serde_json::to_vec(&self.agents(frame, find.as_deref(), limit)?)
            }
            Question::Track { agent, from, to } => serde_json::to_vec(&self.track(agent, from, to)?),
            Question::Moment { agent, frame } => serde_json::to_vec(&self.moment(agent, frame)?),
            Question::Steps { agent, frame } => serde_json::to_vec(&self.steps(agent, frame)?),
            Question::WhyNot { agent, frame, node } => serde_json::to_vec(&self.why_not(agent, frame, node)?),
            Question::Find(question) => serde_json::to_vec(&self.find(&question)?),
            Question::Heat { tree } => serde_json::to_vec(&self.finder().heat(tree)?),
            Question::Crowd => serde_json::to_vec(&self.crowd()),
            Question::Live { after, .. } => serde_json::to_vec(&self.since(after)),
            Question::Report { agent, from, to } => {
                return Ok(crate::page::report(&self.report(agent, from, to)?).map_err(AskError::Answer)?.into_bytes());
            }
            Question::Recording => return Ok(Piece::join(&self.recorded.pieces)?),
            Question::Steer(_) => return Err(AskError::NoGame),
            Question::Edit(_) => {
                return Err(AskError::Edit("no files are edited: start the studio with --trees".into()));
            }
        };
        answer.map_err(AskError::Answer)
    }

    /// What is recorded. Costs a picture of each tree.
    #[must_use]
    pub fn overview(&self) -> Overview {
        self.overview_of(&(0..self.recorded.trees.len()).collect::<Vec<_>>())
    }

    /// With these trees.
    pub(crate) fn overview_of(&self, trees: &[usize]) -> Overview {
        let (first, last) = (self.recorded.timeline.first(), self.recorded.timeline.last());
        let mut versions: BTreeMap<&str, usize> = BTreeMap::new();
        let mut views = Vec::new();
        for (at, tree) in self.recorded.trees.iter().enumerate() {
            let version = versions.entry(tree.name()).or_default();
            *version += 1;
            if trees.contains(&at) {
                let places = self.places.get(at).map_or(&[][..], Vec::as_slice);
                views.push(tree::view(&self.crowd, tree, *version, places));
            }
        }
        Overview {
            title: self.title.clone(),
            kind: if self.edge.is_some() { Kind::Live } else { Kind::Recording },
            first,
            last,
            times: self.recorded.timeline.times(first, last),
            agents: self.agents,
            trees: views,
            agent: None,
            from: None,
            to: None,
            notes: self.notes.clone(),
            edits: self.edits.then_some(true),
        }
    }

    /// All agents after a frame, or after the last one if that is earlier. `find` selects rows: see
    /// [`Question::Agents`]. Costs a replay of all agents from a mark nearby, and a look at each
    /// agent.
    ///
    /// # Errors
    /// No tree has what `find` names.
    pub fn agents(&mut self, frame: u64, find: Option<&str>, limit: usize) -> Result<AgentsView, AskError> {
        let find = find.filter(|it| !it.trim().is_empty());
        find.map_or(Ok(()), short_enough)?;
        let filter = find.map(|it| Filter::of(&self.recorded.trees, it)).transpose().map_err(AskError::Sought)?;
        let frame = frame.min(self.recorded.timeline.last());
        self.crowd.seek(self.recorded.timeline.played(frame), &mut ())?;
        Ok(agents::view(&self.crowd, &self.recorded.trees, frame, filter.as_ref(), limit.min(MOST)))
    }

    /// What an agent did from one frame to another. The first question about an agent costs a
    /// replay of that agent.
    ///
    /// # Errors
    /// There is no such agent, or the first frame comes after the last.
    pub fn track(&mut self, agent: u32, from: u64, to: u64) -> Result<TrackView, AskError> {
        if from > to {
            return Err(AskError::Backwards { from, to });
        }
        Ok(self.alone(agent)?.story.track(agent, from, to))
    }

    /// An agent after a frame.
    ///
    /// # Errors
    /// There is no such agent, or it does not exist then.
    pub fn moment(&mut self, agent: u32, frame: u64) -> Result<MomentView, AskError> {
        let (view, at) = self.view(agent, frame)?;
        let story = &self.alone(agent)?.story;
        Ok(pleach_view::moment(&view, at, |by| story.last_abort(frame, by)))
    }

    /// What happened to an agent within a frame, one event after the other. Repeated answers of its
    /// conditions are left out while they stay the same.
    ///
    /// # Errors
    /// As [`moment`](Session::moment).
    pub fn steps(&mut self, agent: u32, frame: u64) -> Result<Vec<StepView>, AskError> {
        let (after, _) = self.view(agent, frame)?;
        let Some(before) = self.recorded.timeline.played(frame).checked_sub(1) else { return Ok(Vec::new()) };
        steps::steps(&mut self.alone(agent)?.replay, agent, before, &after)
    }

    /// Why an agent does not run a node after a frame.
    ///
    /// # Errors
    /// There is no such agent or node, or the agent does not exist then.
    pub fn why_not(&mut self, agent: u32, frame: u64, node: usize) -> Result<WhyNotView, AskError> {
        let (view, at) = self.view(agent, frame)?;
        let last = view.tree.len() - 1;
        let none = AskError::NoNode { number: agent, node, last };
        let node = NodeId::new(node).ok_or(none)?;
        let why = view.why_not(node).ok_or(AskError::NoNode { number: agent, node: node.index(), last })?;
        Ok(pleach_view::why_not(&view, &why, at, node))
    }

    /// What all agents did over the recording.
    #[must_use]
    pub fn crowd(&self) -> CrowdTrack {
        self.recorded.looks.track()
    }

    /// Searches the recording from its first frame on. Costs a replay of all agents. To ask other
    /// questions in the meantime, use a [`finder`](Session::finder).
    ///
    /// # Errors
    /// No tree has what is looked for.
    pub fn find(&self, question: &FindQuestion) -> Result<FoundView, AskError> {
        self.finder().find(question, &AtomicBool::new(false))
    }

    /// For searches in parallel, on another thread.
    #[must_use]
    pub fn finder(&self) -> Finder {
        Finder(Arc::clone(&self.recorded))
    }

    pub(crate) fn trees(&self) -> &[Arc<Tree<Stage>>] {
        &self.recorded.trees
    }

    pub(crate) fn timeline(&self) -> &Timeline {
        &self.recorded.timeline
    }

    /// An agent after a frame.
    pub(crate) fn view(&mut self, number: u32, frame: u64) -> Result<(AgentView<Stage>, At), AskError> {
        let timeline = &self.recorded.timeline;
        let (played, seconds, end) = (timeline.played(frame), timeline.time(frame), timeline.last());
        let alone = self.alone(number)?;
        let (first, last) = alone.story.life.unwrap_or_default();
        if frame > end {
            return Err(AskError::NotThere { number, frame, first, last });
        }
        alone.replay.seek(played, &mut ())?;
        let there = alone.replay.agent(number).flatten();
        let view = there.and_then(|it| alone.replay.inspect(it).ok());
        let view = view.ok_or(AskError::NotThere { number, frame, first, last })?;
        let tree = self.recorded.trees.iter().position(|it| Arc::ptr_eq(it, &view.tree)).unwrap_or_default();
        Ok((view, At { agent: number, frame, seconds, tree }))
    }

    /// The replay of one agent, and its story.
    fn alone(&mut self, number: u32) -> Result<&mut Alone, AskError> {
        let known = self.alone.iter().position(|it| it.number == number);
        let recorded = &self.recorded;
        let mut alone = match known.and_then(|it| self.alone.remove(it)) {
            Some(alone) => alone,
            None => {
                if let Some(damage) = recorded.damage.as_ref().filter(|_| recorded.timeline.frames() == 0) {
                    return Err(AskError::Nothing(damage.clone()));
                }
                let (replay, told) = (recorded.replay()?.only(number), recorded.replay()?.only(number));
                Alone { number, replay, told, teller: Teller::new(number), story: Story::default() }
            }
        };
        let frames = recorded.timeline.frames();
        if alone.told.played() < frames {
            alone.story = alone.teller.tell(&mut alone.told, &recorded.trees, frames);
        }
        if alone.story.life.is_none() {
            return Err(AskError::NoAgent { number, there: self.there() });
        }
        if self.alone.len() == KEPT {
            self.alone.pop_front();
        }
        self.alone.push_back(alone);
        Ok(self.alone.back_mut().expect("it has just been put there"))
    }

    /// Which agents there are.
    fn there(&self) -> String {
        let damage = self.damage().map(|it| format!("; only a part can be played: {it}")).unwrap_or_default();
        self.known() + &damage
    }

    fn known(&self) -> String {
        match self.numbers {
            None => "the recording has no agents".to_owned(),
            Some((first, _)) if self.agents == 1 => format!("the only agent is agent {first}"),
            Some((first, last)) => format!("the {} agents have the numbers {first} to {last}", self.agents),
        }
    }
}

/// Plays the rest of a recording. `step` plays a frame, and returns whether there was one, and
/// whether it stops the game. Returns whether one did.
fn play(
    replay: &mut Replay<Stage>,
    recorded: &mut Recorded,
    mut step: impl FnMut(&mut Replay<Stage>) -> Result<(bool, bool), ReplayError>,
) -> bool {
    let mut stops = false;
    loop {
        match step(replay) {
            Ok((true, is_stop)) => {
                recorded.timeline.push(replay.frame(), replay.forest().time(), replay.last_step());
                recorded.looks.after(replay, &recorded.trees);
                stops |= is_stop;
            }
            Ok((false, _)) => {
                let (played, all) = (replay.played(), replay.len());
                if played < all {
                    recorded.damage = Some(format!("the recording ends after {played} of {all} frames"));
                }
                return stops;
            }
            Err(error) => {
                recorded.damage = Some(error.to_string());
                return stops;
            }
        }
    }
}

/// A question that is written as JSON.
///
/// # Errors
/// It is not a question.
pub fn read(question: &[u8]) -> Result<Question, AskError> {
    serde_json::from_slice(question).map_err(AskError::Question)
}
