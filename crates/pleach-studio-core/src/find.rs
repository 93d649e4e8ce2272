//! Searches a recording, or a running game, for what agents did.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pleach::expr::Expr;
use pleach::handles::AgentRef;
use pleach::record::{Given, Replay, ReplayError};
use pleach::tools::names::nearest;
use pleach::tools::text::plain;
use pleach::trace::TraceEvent;
use pleach::{AgentId, Forest, Host, NodeId, NodeRef, Outcome, Reason, Symbol, Tree, Value};

use crate::model::Ended;
use crate::named;
use crate::notes::Notes;
use crate::stage::Stage;

/// What to look for: at least one of a node, an event and an expression.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seeking<'a> {
    /// Where this node started, by its name, number or path.
    pub node: Option<&'a str>,
    /// Where the node ended this way instead.
    pub ended: Option<Ended>,
    /// Where this condition aborted the node, by its name, number or path.
    pub by: Option<&'a str>,
    /// Where agents received this event.
    pub event: Option<&'a str>,
    /// Only where this expression is true after the frame; on its own, where it became true.
    pub condition: Option<&'a str>,
}

/// A part of the search that no tree has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The node, and why.
    Node(String),
    /// The condition that aborts, and why.
    By(String),
    /// The event, and why.
    Event(String),
    /// The expression, and why.
    Condition(String),
}

/// An agent, and the node to which it happened; no node for an event or an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The agent.
    pub agent: AgentId,
    /// The node.
    pub node: Option<NodeId>,
}

/// The search in one of the trees.
#[derive(Debug)]
struct Sought<H: Host> {
    tree: Arc<Tree<H>>,
    /// The nodes to look for; none for an expression alone.
    nodes: Vec<NodeId>,
    /// The conditions to look for, if only their aborts count.
    by: Option<Vec<NodeId>>,
    condition: Option<Expr>,
}

/// A search, frame by frame. As in tests, a composite has started when it got past its conditions:
/// when an action in it starts, or when it succeeds. What happens to an agent in its last frame is
/// not found, as it is gone afterwards.
#[derive(Debug)]
pub struct Search<H: Host = Stage> {
    sought: Vec<Sought<H>>,
    has_node: bool,
    ended: Option<Ended>,
    event: Option<Symbol>,
    /// Running composites that have not got past their conditions.
    begun: BTreeSet<(AgentId, NodeId)>,
    /// How often agents entered a wanted composite, and whether one ever got past its conditions.
    tried: u64,
    is_past: bool,
    /// The nodes that an abort has ended, until its condition is known.
    aborted: BTreeMap<AgentId, Vec<NodeId>>,
    /// The agents for which the expression was true after the previous frame.
    held: BTreeSet<AgentId>,
}

/// Whether a search looks at an event.
fn is_wanted(event: TraceEvent) -> bool {
    matches!(event, TraceEvent::Start(_) | TraceEvent::End(..) | TraceEvent::Aborted(..) | TraceEvent::Abort { .. })
}

impl<H: Host> Search<H> {
    /// A search in agents of these trees. Trees without the wanted node, event or expression are
    /// left out.
    ///
    /// # Errors
    /// No tree has it.
    pub fn new<'t>(trees: impl IntoIterator<Item = &'t Arc<Tree<H>>>, seeking: Seeking<'_>) -> Result<Self, Vec<Wrong>>
    where
        H: 't,
    {
        let (mut sought, mut wrong) = (Vec::new(), Vec::new());
        for tree in trees {
            match seeking.in_tree(tree) {
                Ok(it) => sought.push(it),
                Err(mut it) => wrong.append(&mut it),
            }
        }
        wrong.dedup();
        if sought.is_empty() && !wrong.is_empty() {
            return Err(wrong);
        }
        Ok(Search {
            sought,
            has_node: seeking.node.is_some(),
            ended: seeking.ended,
            event: seeking.event.map(Symbol::new),
            begun: BTreeSet::new(),
            tried: 0,
            is_past: false,
            aborted: BTreeMap::new(),
            held: BTreeSet::new(),
        })
    }

    /// Plays the next frame, and returns the matches in it. `None` if there is no next frame.
    ///
    /// # Errors
    /// The frame cannot be read.
    pub fn step(&mut self, replay: &mut Replay<H>, cx: &mut H::Cx<'_>) -> Result<Option<Vec<Found>>, ReplayError> {
        let mut notes = Notes::default();
        let is_there = match self.has_node {
            true => replay.step_traced(cx, &mut notes)?,
            false => replay.step(cx)?,
        };
        Ok(is_there.then(|| self.look(replay, notes.0)))
    }

    /// The matches in the frame that was played last. `happened` is what a tracer saw of it.
    pub(crate) fn look(
        &mut self,
        replay: &Replay<H>,
        happened: impl IntoIterator<Item = (AgentId, TraceEvent)>,
    ) -> Vec<Found> {
        match self.event.filter(|_| !self.has_node) {
            Some(event) => self.told(replay, event),
            None => self.frame(replay.forest(), happened),
        }
    }

    /// The matches in a frame that was just played, except events. `happened` is what a tracer saw
    /// of it.
    pub fn frame(
        &mut self,
        forest: &Forest<H>,
        happened: impl IntoIterator<Item = (AgentId, TraceEvent)>,
    ) -> Vec<Found> {
        if !self.has_node {
            return self.became(forest);
        }
        self.aborted.clear();
        let mut found = Vec::new();
        for (id, event) in happened.into_iter().filter(|it| is_wanted(it.1)) {
            let Ok(agent) = forest.agent(id) else { continue };
            let nodes = self.happened(&agent, event);
            if !nodes.is_empty() && self.of(&agent).is_some_and(|it| it.holds(&agent)) {
                found.extend(nodes.into_iter().map(|node| Found { agent: id, node: Some(node) }));
            }
        }
        self.begun.retain(|it| forest.agent(it.0).is_ok());
        found
    }

    /// How often agents entered a wanted composite, if none ever got past its conditions.
    pub(crate) fn in_vain(&self) -> u64 {
        if self.is_past { 0 } else { self.tried }
    }

    fn of(&self, agent: &AgentRef<'_, H>) -> Option<&Sought<H>> {
        self.sought.iter().find(|it| Arc::ptr_eq(&it.tree, agent.tree()))
    }

    /// The nodes that match.
    fn happened(&mut self, agent: &AgentRef<'_, H>, event: TraceEvent) -> Vec<NodeId> {
        let (id, tree) = (agent.agent(), agent.tree());
        let Some(sought) = self.sought.iter().find(|it| Arc::ptr_eq(&it.tree, tree)) else { return Vec::new() };
        let is_sought = |node: NodeId| sought.nodes.contains(&node);
        if let TraceEvent::Start(_) | TraceEvent::End(..) = event {
            // Nodes that ended before were not aborted by a condition.
            self.aborted.remove(&id);
        }
        let (mut started, mut ended) = (Vec::new(), None);
        match event {
            TraceEvent::Start(node) => {
                let Some(it) = tree.node(node) else { return Vec::new() };
                let is_leaf = it.children().len() == 0;
                if is_leaf && !it.is_condition() {
                    let above = std::iter::successors(it.parent(), |it| it.parent()).map(NodeRef::id);
                    started.extend(above.filter(|it| self.begun.remove(&(id, *it))));
                    self.is_past |= !started.is_empty();
                }
                if is_leaf && is_sought(node) {
                    started.push(node);
                } else if is_sought(node) {
                    self.tried += 1;
                    self.begun.insert((id, node));
                }
            }
            TraceEvent::End(node, outcome) if is_sought(node) => {
                let is_past = !self.begun.remove(&(id, node));
                if !is_past && outcome == Outcome::Success {
                    self.is_past = true;
                    started.push(node);
                }
                let is_so = match self.ended {
                    Some(Ended::Success) => outcome == Outcome::Success,
                    Some(Ended::Failure) => outcome == Outcome::Failure && is_past,
                    _ => false,
                };
                ended = is_so.then_some(node);
            }
            TraceEvent::Aborted(node, reason) if is_sought(node) => {
                let is_past = !self.begun.remove(&(id, node));
                let is_so = is_past && self.ended == Some(Ended::Aborted);
                if sought.by.is_none() {
                    ended = is_so.then_some(node);
                } else if is_so && reason == Reason::Abort {
                    self.aborted.entry(id).or_default().push(node);
                }
            }
            TraceEvent::Abort { by, .. } => {
                let nodes = self.aborted.remove(&id).unwrap_or_default();
                let is_by = sought.by.as_ref().is_some_and(|it| it.contains(&by));
                return if is_by { nodes } else { Vec::new() };
            }
            _ => {}
        }
        if self.ended.is_some() { ended.into_iter().collect() } else { started }
    }

    /// The agents for which the expression is true, and was not after the previous frame.
    fn became(&mut self, forest: &Forest<H>) -> Vec<Found> {
        let agents = forest.trees().filter_map(|it| forest.population(it).ok()).flat_map(|it| it.agents());
        let now = agents.filter(|it| {
            forest.agent(*it).is_ok_and(|agent| self.of(&agent).is_some_and(|sought| sought.holds(&agent)))
        });
        let now: BTreeSet<AgentId> = now.collect();
        let new = now.difference(&self.held).map(|it| Found { agent: *it, node: None }).collect();
        self.held = now;
        new
    }

    /// The agents that received an event in the frame that was played last.
    fn told(&self, replay: &Replay<H>, name: Symbol) -> Vec<Found> {
        let is_told = |it: &&(AgentId, Given)| matches!(it.1, Given::Event(event) if event.name() == name);
        let told = replay.given().iter().filter(is_told);
        let is_so = |id: &AgentId| {
            let agent = replay.forest().agent(*id);
            agent.is_ok_and(|agent| self.of(&agent).is_some_and(|it| it.holds(&agent)))
        };
        told.map(|it| it.0).filter(is_so).map(|it| Found { agent: it, node: None }).collect()
    }
}

impl Seeking<'_> {
    fn in_tree<H: Host>(self, tree: &Arc<Tree<H>>) -> Result<Sought<H>, Vec<Wrong>> {
        let schema = tree.schema();
        if let Some(event) = self.event
            && schema.has_only_declared_events()
            && !schema.events().any(|it| it.name() == event)
        {
            let names = schema.events().map(|it| it.name());
            let help = nearest(event, names).map(|it| format!(": did you mean `{}`?", plain(it))).unwrap_or_default();
            let (tree, event) = (plain(tree.name()), plain(event));
            return Err(vec![Wrong::Event(format!("the tree `{tree}` has no event `{event}`{help}"))]);
        }
        let named = |name: &str| named::nodes(tree, &named::paths(tree), name);
        let nodes = self.node.map(named).transpose().map_err(Wrong::Node);
        let by = self.by.map(named).transpose().map_err(Wrong::By);
        let condition = self.condition.map(|it| named::test(tree, it)).transpose().map_err(Wrong::Condition);
        match (nodes, by, condition) {
            (Ok(nodes), Ok(by), Ok(condition)) => {
                Ok(Sought { tree: Arc::clone(tree), nodes: nodes.unwrap_or_default(), by, condition })
            }
            (nodes, by, condition) => Err([nodes.err(), by.err(), condition.err()].into_iter().flatten().collect()),
        }
    }
}

impl<H: Host> Sought<H> {
    fn holds(&self, agent: &AgentRef<'_, H>) -> bool {
        self.condition.as_ref().is_none_or(|it| agent.eval(it) == Value::Bool(true))
    }
}

impl Wrong {
    /// Why, in words.
    #[must_use]
    pub fn into_text(self) -> String {
        match self {
            Wrong::Node(it) | Wrong::By(it) | Wrong::Event(it) | Wrong::Condition(it) => it,
        }
    }
}
