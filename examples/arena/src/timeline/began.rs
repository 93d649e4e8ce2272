//! Since when and why a branch of the tree runs.

use std::sync::Arc;

use pleach::{Host, NodeId, Outcome, Tree};

use super::{Ended, Timeline};
use crate::behaviour::branch_of;
use crate::interruption::{Cause, Interruption};

/// Two times that differ by less are the same.
const LITTLE: f64 = 1e-6;

/// The start of a branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Began {
    /// The label of the branch.
    pub branch: String,
    /// When it started, in seconds of the forest.
    pub at: f64,
    /// Whether that is known. If not, it already ran then.
    pub is_known: bool,
    /// What ended right before it, if that is known.
    pub before: Option<Before>,
}

/// What ended right before a branch started.
#[derive(Clone, Debug, PartialEq)]
pub enum Before {
    /// The branch with that label, by itself.
    Ended(String, Outcome),
    /// Something was ended from outside.
    Aborted(Interruption),
}

impl<H: Host> Timeline<H> {
    /// Since when the branch of an active node runs, at a time, and what ended right before. `tree`
    /// is the version of the tree that the agent had at that time.
    #[must_use]
    pub fn began(&self, tree: &Arc<Tree<H>>, node: NodeId, time: f64) -> Option<Began> {
        let branch = branch_of(tree, tree.node(node)?);
        let row = self.row_of(tree, branch.id())?;
        let was =
            |from: f64, to: Option<(f64, Ended)>| from <= time + LITTLE && to.is_none_or(|(to, _)| to > time + LITTLE);
        let at = self.bars.iter().rfind(|it| it.row == row && was(it.from, it.to))?.from;
        let is_known = at > self.since + LITTLE;
        let before = if is_known { self.before(at) } else { None };
        Some(Began { branch: branch.label().to_owned(), at, is_known, before })
    }

    /// What ended right before a branch started at that time.
    fn before(&self, at: f64) -> Option<Before> {
        let branches = self.bars.iter().filter(|it| self.rows[it.row].is_branch);
        let ended = branches.filter_map(|it| Some((it.row, it.to?))).filter(|(_, (to, _))| *to <= at + LITTLE);
        let (row, (to, how)) = ended.max_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
        // A tree that has ended starts again in its next turn. If something ran in between, such
        // as another branch of a parallel, the end is not the reason.
        let between =
            |from: f64, end: Option<(f64, Ended)>| from < at - LITTLE && end.is_none_or(|(end, _)| end > to + LITTLE);
        if to < at - LITTLE && self.bars.iter().any(|it| between(it.from, it.to)) {
            return None;
        }
        // A condition that ends a part of its own branch makes that branch fail.
        let leads = |it: &&Interruption| {
            how == Ended::Aborted || matches!(it.cause, Cause::Condition(_) | Cause::Guard(_) | Cause::Timeout(_))
        };
        let interruption = self.interruptions.iter().filter(|it| (it.time - to).abs() <= LITTLE).rfind(leads);
        match (interruption, how) {
            (Some(it), _) => Some(Before::Aborted(*it)),
            (None, Ended::Itself(outcome)) => Some(Before::Ended(self.rows[row].label.clone(), outcome)),
            // A reload has ended it.
            (None, Ended::Aborted) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use pleach::nodes::{self, Abort};
    use pleach::trace::Recorder;
    use pleach::{Forest, Tree};

    use super::*;
    use crate::timeline::kinds;

    struct Plain;
    impl Host for Plain {
        type Cx<'a> = ();
    }

    #[test]
    fn a_branch_tells_since_when_and_why_it_runs() {
        let mut builder = Tree::<Plain>::builder("guard");
        let alarm = builder.key("alarm", false);
        let fight = nodes::sequence([nodes::check("alarm"), nodes::wait(1.0), nodes::fail()]);
        let fight = fight.named("fight").aborts(Abort::BOTH);
        let hunt = nodes::sequence([nodes::check("alarm"), nodes::wait(1.0)]).named("hunt");
        let patrol = nodes::sequence([nodes::wait(3.0)]).named("patrol");
        let tree = builder.build(nodes::selector([fight, hunt, patrol]).named("guard")).unwrap();
        let mut forest = Forest::new(7);
        let tree = forest.add_tree(tree).unwrap();
        let agent = forest.spawn(&mut (), tree).unwrap();
        let mut recorder = Recorder::of([agent]).only(kinds());
        let view = |forest: &Forest<Plain>| forest.agent(agent).unwrap().inspect();
        let mut timeline = Timeline::begin(&view(&forest), forest.time());
        let mut told = Vec::new();
        for tick in 0..60 {
            match tick {
                10 | 45 => _ = forest.keys_mut(agent).unwrap().set(alarm, true),
                50 => _ = forest.keys_mut(agent).unwrap().set(alarm, false),
                _ => {}
            }
            forest.traced(&mut recorder).tick(&mut (), 0.1).unwrap();
            let view = view(&forest);
            timeline.extend(recorder.take(), forest.time(), &view);
            let Some(node) = view.stacks.first().and_then(|it| it.last()) else { continue };
            let began = timeline.began(&view.tree, *node, forest.time()).unwrap();
            let before = match &began.before {
                None => "?".to_owned(),
                Some(Before::Ended(branch, how)) => format!("{branch} {how:?}"),
                Some(Before::Aborted(it)) => format!("n{} {:?}", it.ended.index(), it.cause),
            };
            let line = format!("{} {before}", began.branch);
            if told.last() != Some(&line) {
                told.push(line);
            }
        }
        let expected = [
            "patrol ?",
            "fight n8 Condition(n2)",
            "hunt fight Failure",
            "fight hunt Success",
            "hunt fight Failure",
            "patrol n5 Condition(n2)",
        ];
        assert_eq!(told, expected);
    }
}
