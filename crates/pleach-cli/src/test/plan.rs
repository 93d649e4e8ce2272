//! A case with all names looked up in its tree.

use std::sync::Arc;

use pleach::expr::{Expr, KeyIndex};
use pleach::tools::ron::Problem;
use pleach::{Event, Host, NodeId, Status, Symbol, Tree, Value};

use super::file::{At, Case, Deed, Expect, Moment, Rule, What};
use crate::stage::{self, Answer, Leaves, Whom, whom};

/// A case that can be played.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<PlannedStep>,
    pub(crate) rules: Vec<At<PlannedRule>>,
    /// The paths of nodes: see [`stage::paths`].
    pub(crate) paths: Arc<[String]>,
}

#[derive(Debug)]
pub(crate) struct PlannedStep {
    pub(crate) moment: At<Moment>,
    pub(crate) expects: Vec<At<Check>>,
    pub(crate) deeds: Vec<At<PlannedDeed>>,
}

/// The nodes that a name means: one node, or every node that calls a leaf.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    pub(crate) name: String,
    pub(crate) ids: Vec<NodeId>,
}

#[derive(Debug)]
pub(crate) enum Check {
    Running(Nodes),
    NotRunning(Nodes),
    Happened(What, Nodes),
    Aborted(Nodes, Nodes),
    Emitted(String, Symbol),
    Expr(Expr),
    Key(String, KeyIndex, Value),
    Status(Status),
}

#[derive(Debug)]
pub(crate) enum PlannedDeed {
    Write(KeyIndex, Value),
    Send(Event),
    Say(Whom, Answer),
    Pause,
    Unpause,
    Restart,
    Dt(f32),
    Others(Box<PlannedDeed>),
}

#[derive(Debug)]
pub(crate) enum PlannedRule {
    Never(Nodes),
    Always(Expr),
    Order(Vec<Nodes>),
    AtMost(Nodes, u32),
    AtLeast(Nodes, u32),
}

/// Looks up the names of a case. Names that do not exist are added to the problems.
pub(crate) fn plan<H: Host>(case: &Case, tree: &Tree<H>, leaves: &Leaves, problems: &mut Vec<Problem>) -> Plan {
    let mut planner = Planner { tree, leaves, paths: stage::paths(tree), problems };
    let steps = case.steps.iter().map(|step| PlannedStep {
        moment: step.moment.clone(),
        expects: step.expects.iter().filter_map(|it| planner.check(it)).collect(),
        deeds: step.deeds.iter().filter_map(|it| planner.deed(it)).collect(),
    });
    let steps = steps.collect();
    let rules = case.rules.iter().filter_map(|it| planner.rule(it)).collect();
    Plan { steps, rules, paths: planner.paths.into() }
}

struct Planner<'t, 'p, H: Host> {
    tree: &'t Tree<H>,
    leaves: &'t Leaves,
    paths: Vec<String>,
    problems: &'p mut Vec<Problem>,
}

impl<H: Host> Planner<'_, '_, H> {
    /// The value, or a problem at that place.
    fn found<T, U>(&mut self, at: &At<U>, found: Result<T, String>) -> Option<T> {
        found.map_err(|it| self.problems.push(problem(at, &it))).ok()
    }

    fn check(&mut self, at: &At<Expect>) -> Option<At<Check>> {
        let check = match &at.it {
            Expect::Running(name) => Check::Running(self.nodes(at, name)?),
            Expect::NotRunning(name) => Check::NotRunning(self.nodes(at, name)?),
            Expect::Happened(what, name) => Check::Happened(*what, self.nodes(at, name)?),
            Expect::Aborted(name, by) => Check::Aborted(self.nodes(at, name)?, self.nodes(at, by)?),
            Expect::Emitted(name) => {
                let names: Vec<&str> = self.tree.schema().events().map(|it| it.name()).collect();
                let is_known = names.is_empty() || names.contains(&name.as_str());
                let found = if is_known { Ok(()) } else { Err(stage::none("event", name, &names)) };
                self.found(at, found)?;
                Check::Emitted(name.clone(), Symbol::new(name))
            }
            Expect::Expr(text) => Check::Expr(self.expr(at, text)?),
            Expect::Key(name, text) => {
                let found = stage::key_value(self.tree, name, text);
                let (key, value) = self.found(at, found)?;
                Check::Key(name.clone(), key, value)
            }
            Expect::Status(status) => Check::Status(*status),
        };
        Some(At { it: check, span: at.span.clone() })
    }

    fn deed(&mut self, at: &At<Deed>) -> Option<At<PlannedDeed>> {
        let written = |(key, value)| PlannedDeed::Write(key, value);
        let deed = match &at.it {
            Deed::Others(it) => {
                let theirs = At { it: (**it).clone(), span: at.span.clone() };
                let it = PlannedDeed::Others(Box::new(self.deed(&theirs)?.it));
                return Some(At { it, span: at.span.clone() });
            }
            Deed::Set(name, text) => stage::key_value(self.tree, name, text).map(written),
            Deed::Send(name, text) => stage::event(self.tree, name, text.as_deref()).map(PlannedDeed::Send),
            Deed::Fill(slot, tree) => stage::slot(self.tree, slot, tree).map(written),
            Deed::Answer(name, answer) => {
                whom(self.tree, self.leaves, name).map(|it| PlannedDeed::Say(it, answer.clone()))
            }
            Deed::Pause => Ok(PlannedDeed::Pause),
            Deed::Unpause => Ok(PlannedDeed::Unpause),
            Deed::Restart => Ok(PlannedDeed::Restart),
            Deed::Dt(dt) => Ok(PlannedDeed::Dt(*dt)),
        };
        Some(At { it: self.found(at, deed)?, span: at.span.clone() })
    }

    fn rule(&mut self, at: &At<Rule>) -> Option<At<PlannedRule>> {
        let rule = match &at.it {
            Rule::Never(name) => PlannedRule::Never(self.nodes(at, name)?),
            Rule::Always(text) => PlannedRule::Always(self.expr(at, text)?),
            Rule::Order(names) => {
                let nodes: Vec<_> = names.iter().map(|it| self.nodes(it, &it.it)).collect();
                PlannedRule::Order(nodes.into_iter().collect::<Option<_>>()?)
            }
            Rule::AtMost(name, count) => PlannedRule::AtMost(self.nodes(at, name)?, *count),
            Rule::AtLeast(name, count) => PlannedRule::AtLeast(self.nodes(at, name)?, *count),
        };
        Some(At { it: rule, span: at.span.clone() })
    }

    fn expr<T>(&mut self, at: &At<T>, text: &str) -> Option<Expr> {
        let compiled = stage::test(self.tree, text);
        self.found(at, compiled)
    }

    fn nodes<T>(&mut self, at: &At<T>, name: &str) -> Option<Nodes> {
        let ids = stage::nodes(self.tree, &self.paths, name);
        Some(Nodes { name: name.to_owned(), ids: self.found(at, ids)? })
    }
}

/// What was probably meant goes into the help.
pub(crate) fn problem<T>(at: &At<T>, message: &str) -> Problem {
    match message.split_once(": did you mean ").or_else(|| message.split_once("; did you mean ")) {
        Some((what, meant)) => {
            Problem::new(&at.span, what).help(format!("did you mean {}", meant.replacen("?; t", "? T", 1)))
        }
        None => Problem::new(&at.span, message),
    }
}
