//! Plays a case, and reports what differs from its expectations.

mod history;

use std::ops::Range;

use pleach::expr::Expr;
use pleach::inspect::AgentView;
use pleach::tools::text::plain;
use pleach::trace::{Recorder, TraceEvent};
use pleach::{AgentId, Status};
use pleach_draw::Drawing;

use super::file::{At, Moment, What};
use super::plan::{Check, Nodes, Plan, PlannedDeed, PlannedRule, PlannedStep};
use super::trace::Trace;
use crate::paint::{painted, parts};
use crate::stage::{self, Answers, Scene, Turn};
use crate::words::value;
pub(crate) use history::NodeHistory;

/// The most lines of the trace that are shown with a failure.
const SHOWN_LINES: usize = 24;

/// An expectation that was not met.
#[derive(Clone, Debug)]
pub(crate) struct Miss {
    /// Where the test file says what is expected.
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
}

/// The result of a failed case.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    /// At least one.
    pub(crate) misses: Vec<Miss>,
    /// When it was.
    pub(crate) tick: u32,
    pub(crate) time: f64,
    /// The tree with what ran in it, the latest lines of the trace, and why not.
    pub(crate) scene: String,
}

/// A case that was played.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) failed: Option<Failed>,
    pub(crate) ticks: u32,
    pub(crate) seen: NodeHistory,
    /// Its whole trace, if that is wanted.
    pub(crate) trace: Option<String>,
}

/// Plays a case. `place` is its position in its file.
///
/// # Errors
/// The scene cannot continue.
pub(crate) fn play<S: Scene>(
    scene: &mut S,
    plan: &Plan,
    answers: &Answers,
    place: &Range<usize>,
    dt: f32,
    keeps_trace: bool,
) -> Result<Played, String> {
    let tree = scene.forest().agent(scene.agent()).map_err(|it| it.to_string())?.tree().clone();
    let recorder = Recorder::of([scene.agent()]);
    let trace = Trace::new(&tree, &plan.paths, keeps_trace);
    let seen = NodeHistory::new(&tree);
    let reached = vec![0; plan.rules.len()];
    let mut player = Player { scene, plan, answers, place, dt, tick: 0, recorder, trace, seen, reached };
    answers.forget();
    let failed = player.case()?;
    let Player { tick: ticks, seen, trace, .. } = player;
    Ok(Played { failed, ticks, seen, trace: trace.whole() })
}

struct Player<'a, S> {
    scene: &'a mut S,
    plan: &'a Plan,
    answers: &'a Answers,
    place: &'a Range<usize>,
    dt: f32,
    tick: u32,
    recorder: Recorder,
    trace: Trace,
    seen: NodeHistory,
    /// How many nodes of each `order` have started one after the other.
    reached: Vec<usize>,
}

impl<S: Scene> Player<'_, S> {
    fn case(&mut self) -> Result<Option<Failed>, String> {
        for step in &self.plan.steps {
            if let Some(failed) = self.step(step)? {
                return Ok(Some(failed));
            }
        }
        let misses = self.at_the_end();
        if misses.is_empty() { Ok(None) } else { self.failed(misses, None).map(Some) }
    }

    fn step(&mut self, step: &PlannedStep) -> Result<Option<Failed>, String> {
        let from = self.scene.forest().time();
        match step.moment.it {
            Moment::Tick(tick) if tick < self.tick => {
                let message = format!("this step is at tick {tick}, and the one above it came at tick {}", self.tick);
                return self.failed(vec![Miss { span: step.moment.span.clone(), message }], None).map(Some);
            }
            Moment::Tick(_) | Moment::After(_) => {
                let until = match step.moment.it {
                    Moment::After(ticks) => self.tick.saturating_add(ticks),
                    Moment::Tick(tick) | Moment::Within(tick) => tick,
                };
                while self.tick < until {
                    if let Some(failed) = self.tick()? {
                        return Ok(Some(failed));
                    }
                }
            }
            Moment::Within(ticks) => {
                let until = self.tick.saturating_add(ticks);
                while self.tick < until && (self.tick == 0 || self.is_waiting(step)?) {
                    if let Some(failed) = self.tick()? {
                        return Ok(Some(failed));
                    }
                }
            }
        }
        let mut misses = self.misses(step)?;
        if !misses.is_empty() {
            misses.sort_by_key(|it| it.span.start);
            if let Moment::Within(_) = step.moment.it {
                let waited = seconds(self.scene.forest().time() - from);
                misses.iter_mut().for_each(|it| it.message.push_str(&format!(" (waited {waited} s)")));
            }
            let wanted = step.expects.iter().find_map(|it| match &it.it {
                Check::Running(nodes) | Check::Happened(_, nodes) => Some(nodes),
                _ => None,
            });
            return self.failed(misses, wanted).map(Some);
        }
        self.seen.step();
        for it in &step.deeds {
            if let Err(message) = self.deed(&it.it) {
                return self.failed(vec![Miss { span: it.span.clone(), message }], None).map(Some);
            }
        }
        Ok(None)
    }

    fn tick(&mut self) -> Result<Option<Failed>, String> {
        self.scene.tick(self.dt, &mut self.recorder)?;
        self.tick += 1;
        let events: Vec<TraceEvent> = self.recorder.take().into_iter().map(|it| it.event).collect();
        self.trace.tick(self.scene.forest().time(), &events);
        events.iter().for_each(|it| self.seen.note(it));
        self.follow_orders();
        if let Some((node, leaf)) = self.answers.missing() {
            let at = &self.plan.paths[node.index()];
            let message = format!(
                "the leaf `{leaf}` was called at `{at}`, and the case does not say what it answers: write it under \
                 `leaves`, as in `leaves: {{ \"{leaf}\": Running }}`"
            );
            return self.failed(vec![Miss { span: self.place.clone(), message }], None).map(Some);
        }
        let mut misses = Vec::new();
        for rule in &self.plan.rules {
            let message = match &rule.it {
                PlannedRule::Never(nodes) if self.started(nodes) > 0 => format!("`{}` started", nodes.name),
                PlannedRule::AtMost(nodes, most) if self.started(nodes) > u64::from(*most) => {
                    format!("`{}` started for the {} time, at most {most} expected", nodes.name, nth(most + 1))
                }
                PlannedRule::Always(expr) if !self.holds(expr)? => self.is_not(expr)?,
                PlannedRule::Order(nodes) => {
                    let firsts: Vec<&Nodes> =
                        (0..nodes.len()).filter(|it| !is_again(nodes, *it)).map(|it| &nodes[it]).collect();
                    let late = firsts.windows(2).find(|it| self.started(it[1]) > 0 && self.started(it[0]) == 0);
                    let Some([first, then]) = late else { continue };
                    format!("`{}` started before `{}`", then.name, first.name)
                }
                _ => continue,
            };
            misses.push(Miss { span: rule.span.clone(), message });
        }
        if misses.is_empty() { Ok(None) } else { self.failed(misses, None).map(Some) }
    }

    /// Notes which nodes of each `order` have started.
    fn follow_orders(&mut self) {
        for node in self.seen.take_started() {
            for (rule, reached) in self.plan.rules.iter().zip(&mut self.reached) {
                let PlannedRule::Order(nodes) = &rule.it else { continue };
                *reached += usize::from(nodes.get(*reached).is_some_and(|it| it.ids.contains(&node)));
            }
        }
    }

    /// Expectations that were not met by the end of the case.
    fn at_the_end(&self) -> Vec<Miss> {
        let mut misses = Vec::new();
        for (rule, reached) in self.plan.rules.iter().zip(&self.reached) {
            let message = match &rule.it {
                PlannedRule::AtLeast(nodes, least) if self.started(nodes) < u64::from(*least) => {
                    format!("`{}` started {}, at least {least} expected", nodes.name, times(self.started(nodes)))
                }
                PlannedRule::Order(nodes) => match nodes.iter().find(|it| self.started(it) == 0) {
                    Some(missing) => format!("`{}` did not start", missing.name),
                    // Without repeated nodes, each tick has checked the order.
                    None if *reached == nodes.len() || !(0..nodes.len()).any(|it| is_again(nodes, it)) => continue,
                    None => {
                        let again = if is_again(nodes, *reached) { " again" } else { "" };
                        let before = &nodes[reached.saturating_sub(1)].name;
                        format!("`{}` did not start{again} after `{before}`", nodes[*reached].name)
                    }
                },
                _ => continue,
            };
            misses.push(Miss { span: rule.span.clone(), message });
        }
        misses
    }

    fn started(&self, nodes: &Nodes) -> u64 {
        nodes.ids.iter().map(|it| self.seen.started(*it)).sum()
    }

    fn misses(&self, step: &PlannedStep) -> Result<Vec<Miss>, String> {
        let mut misses = Vec::new();
        if step.expects.is_empty() {
            return Ok(misses);
        }
        let view = self.view()?;
        let is_active = |nodes: &Nodes| nodes.ids.iter().any(|it| view.is_active(*it));
        for it in &step.expects {
            let message = match &it.it {
                Check::Running(nodes) if !is_active(nodes) => {
                    format!("`{}` does not run: {}", nodes.name, stage::runs(&view, &self.plan.paths))
                }
                Check::NotRunning(nodes) if is_active(nodes) => format!("`{}` runs", nodes.name),
                Check::Happened(what, nodes) if !nodes.ids.iter().any(|it| self.seen.since(*what, *it)) => {
                    let what = match what {
                        What::Started => "start",
                        What::Succeeded => "succeed",
                        What::Failed => "fail",
                    };
                    format!("`{}` did not {what} since the step before", nodes.name)
                }
                Check::Aborted(nodes, by) => match self.aborted(&view, nodes, by) {
                    Some(message) => message,
                    None => continue,
                },
                Check::Emitted(name, event) if !self.seen.has_emitted(*event) => {
                    format!("the event `{name}` was not emitted since the step before")
                }
                Check::Expr(expr) if !self.holds(expr)? => self.is_not(expr)?,
                Check::Key(name, key, wanted) if view.keys.get(key.index()).is_some_and(|it| it.1 != *wanted) => {
                    let schema = view.tree.schema();
                    let held = value(schema, view.keys[key.index()].1);
                    format!("`{name}` is {held}, not {}", value(schema, *wanted))
                }
                Check::Status(wanted) => {
                    let is_running = !view.stacks.is_empty();
                    let status = if is_running { Some(Status::Running) } else { view.last_outcome.map(Into::into) };
                    match status {
                        Some(it) if it == *wanted => continue,
                        Some(it) => format!("the status of the tree is {it}, not {wanted}"),
                        None => format!("the tree has no status yet, not {wanted}"),
                    }
                }
                _ => continue,
            };
            misses.push(Miss { span: it.span.clone(), message });
        }
        Ok(misses)
    }

    /// Whether something that a step expects does not hold yet. The usual expectations need no view
    /// of the agent, which costs more than a tick.
    fn is_waiting(&self, step: &PlannedStep) -> Result<bool, String> {
        let agent = self.scene.forest().agent(self.scene.agent()).map_err(|it| it.to_string())?;
        let is_active = |nodes: &Nodes| nodes.ids.iter().any(|it| agent.is_active(*it));
        let is_missing = |it: &At<Check>| match &it.it {
            Check::Running(nodes) => !is_active(nodes),
            Check::NotRunning(nodes) => is_active(nodes),
            Check::Happened(what, nodes) => !nodes.ids.iter().any(|it| self.seen.since(*what, *it)),
            Check::Emitted(_, event) => !self.seen.has_emitted(*event),
            Check::Aborted(..) | Check::Expr(_) | Check::Key(..) | Check::Status(_) => false,
        };
        Ok(step.expects.iter().any(is_missing) || !self.misses(step)?.is_empty())
    }

    /// Why `by` did not abort the nodes since the step before.
    fn aborted(&self, view: &AgentView<S::Host>, nodes: &Nodes, by: &Nodes) -> Option<String> {
        let aborts: Vec<_> = self.seen.aborts().filter(|it| nodes.ids.contains(&it.0)).collect();
        // The condition is `by` or is inside it; or `by` is inside the condition, as a `Check` in a
        // guard.
        let is_by = |condition| by.ids.iter().any(|it| view.tree.contains(*it, condition));
        if aborts.iter().any(|it| is_by(it.1)) {
            return None;
        }
        Some(match aborts.first() {
            Some((_, other)) => {
                format!("`{}` was aborted by `{}`, not by `{}`", nodes.name, self.plan.paths[other.index()], by.name)
            }
            None => format!("`{}` was not aborted since the step before", nodes.name),
        })
    }

    fn view(&self) -> Result<AgentView<S::Host>, String> {
        let agent = self.scene.forest().agent(self.scene.agent());
        Ok(agent.map_err(|_| "the agent is gone: the world or a leaf despawned it".to_owned())?.inspect())
    }

    fn holds(&self, expr: &Expr) -> Result<bool, String> {
        Ok(stage::holds(&self.view()?, expr))
    }

    /// That an expression is false, and what its keys hold.
    fn is_not(&self, expr: &Expr) -> Result<String, String> {
        Ok(stage::is_false(&self.view()?, expr))
    }

    fn deed(&mut self, deed: &PlannedDeed) -> Result<(), String> {
        self.deed_to(self.scene.agent(), deed)
    }

    fn deed_to(&mut self, agent: AgentId, deed: &PlannedDeed) -> Result<(), String> {
        let forest = self.scene.forest_mut();
        match deed {
            PlannedDeed::Others(deed) => {
                let others = self.scene.others().to_vec();
                others.into_iter().try_for_each(|it| self.deed_to(it, deed))
            }
            PlannedDeed::Write(key, value) => {
                let mut keys = forest.keys_mut(agent).map_err(|it| it.to_string())?;
                keys.set_value(*key, *value).map(|_| ()).map_err(|it| it.to_string())
            }
            PlannedDeed::Send(event) => {
                let mut agent = forest.agent_mut(agent).map_err(|it| it.to_string())?;
                agent.send(*event).map_err(|it| it.to_string())
            }
            PlannedDeed::Say(whom, answer) => {
                self.answers.say(whom.clone(), answer.clone());
                Ok(())
            }
            PlannedDeed::Pause => self.scene.turn(Turn::Pause),
            PlannedDeed::Unpause => self.scene.turn(Turn::Unpause),
            PlannedDeed::Restart => self.scene.turn(Turn::Restart),
            PlannedDeed::Dt(dt) => {
                self.dt = *dt;
                Ok(())
            }
        }
    }

    /// The failure with the tree, the trace, and why a `wanted` node does not run.
    fn failed(&self, misses: Vec<Miss>, wanted: Option<&Nodes>) -> Result<Failed, String> {
        let view = self.view()?;
        let mut scene = String::new();
        if let Some(label) = &view.label {
            scene.push_str(&format!("{}\n", plain(label)));
        }
        for line in &Drawing::of_agent(&view).text().lines {
            scene.push_str(&painted(&parts(line)));
            scene.push('\n');
        }
        let latest = self.trace.latest(SHOWN_LINES);
        if !latest.is_empty() {
            scene.push('\n');
            scene.push_str(&latest);
        }
        let node = wanted.and_then(|it| it.ids.iter().find(|it| !view.is_active(**it)));
        if let Some(why) = node.and_then(|it| view.why_not(*it)) {
            scene.push_str(&format!("\n{why}\n"));
        }
        Ok(Failed { misses, tick: self.tick, time: self.scene.forest().time(), scene })
    }
}

/// Whether an earlier entry of the order means the same nodes.
fn is_again(order: &[Nodes], at: usize) -> bool {
    order[..at].iter().any(|it| it.ids == order[at].ids)
}

/// With at most three decimal places.
pub(crate) fn seconds(time: f64) -> String {
    let text = format!("{time:.3}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    short.to_owned()
}

fn times(count: u64) -> String {
    match count {
        0 => "never".into(),
        1 => "once".into(),
        _ => format!("{count} times"),
    }
}

fn nth(count: u32) -> String {
    let end = match (count % 10, count % 100) {
        (1, it) if it != 11 => "st",
        (2, it) if it != 12 => "nd",
        (3, it) if it != 13 => "rd",
        _ => "th",
    };
    format!("{count}{end}")
}
