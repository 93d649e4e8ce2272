//! Searches a recording for what agents did.

use std::collections::BTreeSet;
use std::sync::Arc;

use pleach::expr::Expr;
use pleach::handles::AgentRef;
use pleach::record::{Given, Replay, ReplayError};
use pleach::tools::names::nearest;
use pleach::tools::text::plain;
use pleach::trace::{TraceEvent, Tracer};
use pleach::{AgentId, NodeId, NodeRef, Outcome, Symbol, Tree, Value};

use crate::model::Ended;
use crate::named;
use crate::stage::Stage;

/// What is looked for: of a node, an event or an expression one at least.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seeking<'a> {
    /// Where this node started, by its name, number or path.
    pub node: Option<&'a str>,
    /// Where the node ended so instead.
    pub ended: Option<Ended>,
    /// Where agents were told of this event.
    pub event: Option<&'a str>,
    /// Only where this expression is true after the frame; alone, where it became true.
    pub condition: Option<&'a str>,
}

/// A part of what is looked for that no tree has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The node, and why.
    Node(String),
    /// The event, and why.
    Event(String),
    /// The expression, and why.
    Condition(String),
}

/// An agent, and the node to which it happened; none of an event or an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The agent.
    pub agent: AgentId,
    /// The node.
    pub node: Option<NodeId>,
}

/// What is looked for, in one of the trees.
#[derive(Debug)]
struct Sought {
    tree: Arc<Tree<Stage>>,
    /// The nodes that are meant; of an expression alone, none.
    nodes: Vec<NodeId>,
    condition: Option<Expr>,
}

/// A search, frame by frame. As in tests, a composite has started when it got past its conditions:
/// when an action in it starts, or when it succeeds.
#[derive(Debug)]
pub struct Search {
    sought: Vec<Sought>,
    has_node: bool,
    ended: Option<Ended>,
    event: Option<Symbol>,
    /// Composites that run and have not got past their conditions.
    begun: BTreeSet<(AgentId, NodeId)>,
    /// The agents for which the expression was true after the frame before.
    held: BTreeSet<AgentId>,
}

/// Notes what all agents do, and lets them sleep.
#[derive(Default)]
struct Notes(Vec<(AgentId, TraceEvent)>);

impl Tracer for Notes {
    const ENABLED: bool = true;
    fn wants(&self, _: AgentId) -> bool {
        true
    }
    fn wants_updates(&self, _: AgentId) -> bool {
        false
    }
    fn record(&mut self, agent: AgentId, event: TraceEvent) {
        if let TraceEvent::Start(_) | TraceEvent::End(..) | TraceEvent::Aborted(..) = event {
            self.0.push((agent, event));
        }
    }
}

impl Search {
    /// A search in agents of these trees. Those that do not have what is looked for are left out.
    ///
    /// # Errors
    /// No tree has it.
    pub fn new<'t>(
        trees: impl IntoIterator<Item = &'t Arc<Tree<Stage>>>,
        seeking: Seeking<'_>,
    ) -> Result<Self, Vec<Wrong>> {
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
            held: BTreeSet::new(),
        })
    }

    /// Plays the next frame, and says where in it was what is looked for. `None` if there is no
    /// next frame.
    ///
    /// # Errors
    /// The frame cannot be read.
    pub fn step(&mut self, replay: &mut Replay<Stage>) -> Result<Option<Vec<Found>>, ReplayError> {
        if !self.has_node {
            let found = match (replay.step(&mut ())?, self.event) {
                (false, _) => return Ok(None),
                (true, Some(event)) => self.told(replay, event),
                (true, None) => self.became(replay),
            };
            return Ok(Some(found));
        }
        let mut notes = Notes::default();
        if !replay.step_traced(&mut (), &mut notes)? {
            return Ok(None);
        }
        let mut found = Vec::new();
        for (id, event) in notes.0 {
            let Ok(agent) = replay.forest().agent(id) else { continue };
            let nodes = self.happened(&agent, event);
            if !nodes.is_empty() && self.of(&agent).is_some_and(|it| it.holds(&agent)) {
                found.extend(nodes.into_iter().map(|node| Found { agent: id, node: Some(node) }));
            }
        }
        Ok(Some(found))
    }

    fn of(&self, agent: &AgentRef<'_, Stage>) -> Option<&Sought> {
        self.sought.iter().find(|it| Arc::ptr_eq(&it.tree, agent.tree()))
    }

    /// The nodes to which what is looked for happened.
    fn happened(&mut self, agent: &AgentRef<'_, Stage>, event: TraceEvent) -> Vec<NodeId> {
        let (id, tree) = (agent.agent(), agent.tree());
        let Some(sought) = self.sought.iter().find(|it| Arc::ptr_eq(&it.tree, tree)) else { return Vec::new() };
        let is_sought = |node: NodeId| sought.nodes.contains(&node);
        let (mut started, mut ended) = (Vec::new(), None);
        match event {
            TraceEvent::Start(node) => {
                let Some(it) = tree.node(node) else { return Vec::new() };
                let is_leaf = it.children().len() == 0;
                if is_leaf && !it.is_condition() {
                    let above = std::iter::successors(it.parent(), |it| it.parent()).map(NodeRef::id);
                    started.extend(above.filter(|it| self.begun.remove(&(id, *it))));
                }
                if is_leaf && is_sought(node) {
                    started.push(node);
                } else if is_sought(node) {
                    self.begun.insert((id, node));
                }
            }
            TraceEvent::End(node, outcome) if is_sought(node) => {
                let is_past = !self.begun.remove(&(id, node));
                if !is_past && outcome == Outcome::Success {
                    started.push(node);
                }
                let is_so = match self.ended {
                    Some(Ended::Success) => outcome == Outcome::Success,
                    Some(Ended::Failure) => outcome == Outcome::Failure && is_past,
                    _ => false,
                };
                ended = is_so.then_some(node);
            }
            TraceEvent::Aborted(node, _) if is_sought(node) => {
                let is_past = !self.begun.remove(&(id, node));
                ended = (is_past && self.ended == Some(Ended::Aborted)).then_some(node);
            }
            _ => {}
        }
        if self.ended.is_some() { ended.into_iter().collect() } else { started }
    }

    /// The agents for which the expression is true, and was not after the frame before.
    fn became(&mut self, replay: &Replay<Stage>) -> Vec<Found> {
        let forest = replay.forest();
        let agents = forest.trees().filter_map(|it| forest.population(it).ok()).flat_map(|it| it.agents());
        let now = agents.filter(|it| {
            forest.agent(*it).is_ok_and(|agent| self.of(&agent).is_some_and(|sought| sought.holds(&agent)))
        });
        let now: BTreeSet<AgentId> = now.collect();
        let new = now.difference(&self.held).map(|it| Found { agent: *it, node: None }).collect();
        self.held = now;
        new
    }

    /// The agents that were told of an event in the frame that was played last.
    fn told(&self, replay: &Replay<Stage>, name: Symbol) -> Vec<Found> {
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
    fn in_tree(self, tree: &Arc<Tree<Stage>>) -> Result<Sought, Vec<Wrong>> {
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
        let nodes = match self.node {
            Some(name) => named::nodes(tree, &named::paths(tree), name).map_err(Wrong::Node),
            None => Ok(Vec::new()),
        };
        let condition = self.condition.map(|it| named::test(tree, it)).transpose().map_err(Wrong::Condition);
        match (nodes, condition) {
            (Ok(nodes), Ok(condition)) => Ok(Sought { tree: Arc::clone(tree), nodes, condition }),
            (nodes, condition) => Err(nodes.err().into_iter().chain(condition.err()).collect()),
        }
    }
}

impl Sought {
    fn holds(&self, agent: &AgentRef<'_, Stage>) -> bool {
        self.condition.as_ref().is_none_or(|it| agent.eval(it) == Value::Bool(true))
    }
}

impl Wrong {
    /// Why, in words.
    #[must_use]
    pub fn into_text(self) -> String {
        match self {
            Wrong::Node(it) | Wrong::Event(it) | Wrong::Condition(it) => it,
        }
    }
}
