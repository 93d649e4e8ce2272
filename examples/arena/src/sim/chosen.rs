//! The chosen agent: what is recorded of it, and what is reported about it.

use std::sync::Arc;

use pleach::inspect::AgentView;
use pleach::record::ReplayError;
use pleach::trace::Recorder;
use pleach::{Entity, Tree};
use pleach_arena::{ActorId, Arena, CarrotId, Point, ToEntity};

use super::{AgentId, Behaviour, NodeId, Sim};
use crate::history::{Body, History, Moment};
use crate::interruption::Interruption;
use crate::panel::{Abort, About, Panel, Past, Shown};
use crate::timeline::{Before, Timeline, kinds};

/// The chosen agent.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) agent: AgentId,
    pub(super) recorder: Recorder,
    timeline: Timeline<Arena>,
    history: History,
    /// The nodes that the last edit of the files has changed.
    edited: Vec<NodeId>,
}

impl Sim {
    /// The chosen agent.
    #[must_use]
    pub fn chosen(&self) -> Option<AgentId> {
        self.chosen.as_ref().map(|it| it.agent)
    }

    /// The actor of the chosen agent.
    #[must_use]
    pub fn chosen_actor(&self) -> Option<ActorId> {
        self.game.cast.actor_of(self.chosen()?)
    }

    /// Chooses an agent, or none. What it did in the last minute is replayed from the recording.
    ///
    /// # Errors
    /// The recording cannot be replayed. The agent is chosen, and its record begins now.
    pub fn choose(&mut self, agent: Option<AgentId>) -> Result<(), ReplayError> {
        self.chosen = None;
        let Some((agent, moment)) = agent.and_then(|it| Some((it, self.moment(it)?))) else { return Ok(()) };
        let (past, behaviours, now) = (&self.past, &self.behaviours, moment.time);
        let played = self.game.with_forest(|_, cx| past.of(agent, now, behaviours, cx));
        let (played, wrong) = match played {
            Ok(played) => (played, Ok(())),
            Err(why) => (None, Err(why)),
        };
        let (mut timeline, mut history) =
            played.unwrap_or_else(|| (Timeline::begin(&moment.view, now), History::default()));
        timeline.extend([], now, &moment.view);
        history.push(moment);
        let recorder = Recorder::of([agent]).only(kinds());
        self.chosen = Some(Chosen { agent, recorder, timeline, history, edited: Vec::new() });
        wrong
    }

    /// Takes the new version of the chosen agent's tree. Its record goes on.
    pub(super) fn choose_again(&mut self) {
        let Some(agent) = self.chosen() else { return };
        let Ok(new) = self.game.forest.agent(agent).map(|it| Arc::clone(it.tree())) else { return };
        let Some(chosen) = &mut self.chosen else { return };
        chosen.timeline.follow(&new);
        let old = chosen.history.moments().next_back().map(|it| &it.view.tree);
        // Otherwise another tree has a new version.
        if let Some(old) = old.filter(|it| !Arc::ptr_eq(it, &new)) {
            chosen.edited = edited(old, &new).unwrap_or_default();
        }
    }

    /// Everything visible of an agent now.
    fn moment(&self, agent: AgentId) -> Option<Moment> {
        let seen = self.game.forest.agent(agent).ok()?;
        let actor = self.game.cast.actor_of(agent)?;
        Some(Moment {
            time: self.game.forest.time(),
            view: seen.inspect(),
            behaviour: self.behaviours.of(seen),
            actor: Some(Body { health: self.world().health(actor)?, at: self.world().position(actor)? }),
        })
    }

    /// Records what the step has done to the chosen agent.
    pub(super) fn record(&mut self) {
        let Some(moment) = self.chosen().and_then(|it| self.moment(it)) else { return };
        let Some(chosen) = &mut self.chosen else { return };
        chosen.timeline.extend(chosen.recorder.take(), moment.time, &moment.view);
        chosen.history.push(moment);
    }

    /// What happened in that agent.
    #[must_use]
    pub fn timeline(&self) -> Option<&Timeline<Arena>> {
        self.chosen.as_ref().map(|it| &it.timeline)
    }

    /// What was visible of that agent.
    #[must_use]
    pub fn history(&self) -> Option<&History> {
        self.chosen.as_ref().map(|it| &it.history)
    }

    /// Everything visible of that agent now.
    #[must_use]
    pub fn view(&self) -> Option<AgentView<Arena>> {
        Some(self.game.forest.agent(self.chosen()?).ok()?.inspect())
    }

    /// Where the actor of that agent was, if the agent was chosen then.
    #[must_use]
    pub fn was_at(&self, time: f64) -> Option<Point> {
        Some(self.history()?.at(time)?.actor?.at)
    }

    /// The last time that something in that agent was ended from outside, up to a time.
    fn interruption(&self, until: f64) -> Option<Interruption> {
        self.timeline()?.interruptions().rfind(|it| it.time <= until + 1e-6).copied()
    }

    /// The report about that agent: now, or at a time of its time line. `view` is its current
    /// state.
    #[must_use]
    pub fn panel(&self, view: &AgentView<Arena>, at: Option<f64>) -> Option<Panel> {
        let chosen = self.chosen.as_ref()?;
        let actor = self.game.cast.actor_of(chosen.agent)?;
        let agent = self.game.forest.agent(chosen.agent).ok()?;
        let moment = at.and_then(|at| chosen.history.at(at));
        let (behaviour, health) = match moment {
            Some(moment) => (moment.behaviour, moment.actor.map(|it| it.health)),
            None => (self.behaviours.of(agent), Some(self.world().health(actor)?)),
        };
        let about = About { name: self.name_of(actor)?, behaviour: self.behaviours.name(behaviour).into(), health };
        let time = moment.map_or(chosen.timeline.now(), |it| it.time);
        let seen = moment.map_or(view, |it| &it.view);
        let running = seen.stacks.first().and_then(|it| it.last());
        let began = running.and_then(|it| chosen.timeline.began(&seen.tree, *it, time));
        let abort = |it: Interruption| self.abort(view, it);
        let cause = began.as_ref().and_then(|it| match it.before {
            Some(Before::Aborted(it)) => Some(abort(it)),
            _ => None,
        });
        let within = |it: &Interruption| began.as_ref().is_none_or(|began| it.time > began.at + 1e-6);
        let shown = Shown {
            view: seen,
            past: moment.map(|it| Past {
                ago: chosen.timeline.now() - it.time,
                now: view,
                is_replayed: it.actor.is_none(),
            }),
            time,
            last: self.interruption(time).filter(within).map(abort),
            cause,
            began,
            edited: if moment.is_some() { &[] } else { &chosen.edited },
        };
        Some(Panel::of(&shown, &about, |key, it| self.name_in(key, it)))
    }

    /// The text below the time line: how long ago the shown moment was, or what was ended last. The
    /// record knows of no abort from before it began; the panel may.
    #[must_use]
    pub fn under_timeline(&self, view: &AgentView<Arena>, at: Option<f64>) -> Option<String> {
        let timeline = self.timeline()?;
        let now = timeline.now();
        Some(match (at, timeline.interruptions().next_back()) {
            (Some(at), _) => format!("{:.1} s ago; drag on, or Esc to see it now", now - at),
            (None, Some(last)) => format!("{:.1} s ago {}", now - last.time, self.told(view, last)),
            (None, None) => {
                let length = now - timeline.since().max(timeline.first());
                format!("no abort in this record of {length:.1} s; click or drag here to look back")
            }
        })
    }

    /// Why something in that agent was ended from outside, in one line.
    #[must_use]
    pub fn told(&self, view: &AgentView<Arena>, interruption: &Interruption) -> String {
        crate::panel::why::line(&self.abort(view, *interruption), &|key, it| self.name_in(key, it))
    }

    /// What is known of something that was ended from outside.
    fn abort<'a>(&'a self, view: &'a AgentView<Arena>, it: Interruption) -> Abort<'a> {
        let around = self.history().and_then(|history| history.around(it.time));
        Abort { it, tree: self.tree_at(it.time).unwrap_or(&view.tree), around }
    }

    /// The version of that agent's tree at a time.
    fn tree_at(&self, time: f64) -> Option<&Arc<Tree<Arena>>> {
        Some(&self.history()?.at(time)?.view.tree)
    }

    /// The name of an entity that a key holds. Carrots and actors have the same numbers, so the
    /// name of the key decides which it is.
    fn name_in(&self, key: &str, it: Entity) -> Option<String> {
        if !key.ends_with("carrot") {
            return self.name_of(ActorId::from_entity(it)?);
        }
        let carrot = CarrotId::from_entity(it)?;
        let gone = if self.world().carrot_position(carrot).is_none() { ", gone" } else { "" };
        Some(format!("carrot {}{gone}", it.to_bits() & 0xFFFF_FFFF))
    }

    /// The behaviour that a node of that agent belongs to.
    #[must_use]
    pub fn behaviour_of_node(&self, node: NodeId) -> Behaviour {
        let agent = self.chosen().and_then(|it| self.game.forest.agent(it).ok());
        agent.map_or(Behaviour::NONE, |it| self.behaviours.of_node(it.tree_id(), node))
    }
}

/// The nodes whose text differs between two versions of a tree; empty if both are the same tree.
/// `None` if nodes or keys differ otherwise, so that numbers mean something else.
fn edited(old: &Tree<Arena>, new: &Tree<Arena>) -> Option<Vec<NodeId>> {
    let shape = |tree: &Tree<Arena>| {
        let nodes = tree.nodes().map(|it| (it.parent().map(|it| it.id()), it.node_kind(), it.label().to_owned()));
        let keys = tree.schema().keys().map(|it| (it.name().to_owned(), it.scope(), it.ty()));
        (nodes.collect::<Vec<_>>(), keys.collect::<Vec<_>>())
    };
    if shape(old) != shape(new) {
        return None;
    }
    let differ = old.nodes().zip(new.nodes()).filter(|(old, new)| old.to_string() != new.to_string());
    Some(differ.map(|(_, new)| new.id()).collect())
}
