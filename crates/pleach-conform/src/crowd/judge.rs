//! Compares an agent of the forest with the oracle's, and describes the first difference.

use std::fmt;
use std::sync::Arc;

use pleach_core as core;
use pleach_core::Forest;

use super::Crowd;
use super::play::Member;
use crate::happening::{Happening, NodeIndex, Words, stacks_line};
use crate::oracle::Phase;
use crate::runner::stage::{Callback, HappeningLog, Heard, Slot, Stage, StageCx};
use crate::runner::{self};
use crate::scenario::{CompositeKind, DecoratorKind, LeafKind, Node, Outcome, Scenario, Shape, Status, Test, Value};

/// The first difference, in words.
pub(super) struct Fault(String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Fault {
    fn new(member: &Member<'_>, frame: u32, what: &str, expected: &str, found: &str) -> Fault {
        let who = format!("agent {} (slot {}) of the crowd", member.number.0, Slot::of(member.id));
        Fault(format!("{who}, frame {frame}, {what}:\n--- expected\n{expected}\n+++ found\n{found}"))
    }

    /// A difference that concerns no single agent.
    pub(super) fn of_all(frame: u32, expected: &str, found: &str) -> Fault {
        Fault(format!("frame {frame}, what the tick reports:\n--- expected\n{expected}\n+++ found\n{found}"))
    }
}

/// What the host hears of a node.
#[derive(Clone, Copy, Debug, Default)]
struct Role {
    /// It updates the node.
    asked: bool,
    /// It hears that the node starts, ends, pauses.
    told: bool,
    /// It hears that the node is restored.
    restored: bool,
    /// It does not hear of the node's event.
    to_group: bool,
    /// A lazy forest may skip the rerun of the node by a reactive composite (SEMANTICS 8.37).
    left_out: bool,
}

/// What the host hears of each node, and the texts of the nodes.
pub(super) struct Roles {
    roles: Vec<Role>,
    pub(super) words: Words,
}

/// Compares both sides of an agent.
pub(super) struct Judge<'p> {
    of: &'p Roles,
    /// The forest may skip work that changes nothing.
    lazy: bool,
    /// Agents are ticked on several threads, where the host does not add logs to the trace.
    threads: bool,
    /// What the forest's tracer has recorded, if it has one.
    seen: Option<Arc<HappeningLog>>,
}

impl Roles {
    pub(super) fn new(root: &Node, scenario: &Scenario, bare: bool) -> Roles {
        fn add(node: &Node, scenario: &Scenario, bare: bool, rerun: bool, roles: &mut Vec<Role>) {
            let role = match &node.shape {
                Shape::Leaf(LeafKind::Action) => {
                    let can_be_bare = scenario.actions.get(node.label()).is_none_or(|it| it.can_be_bare());
                    let told = !(bare && can_be_bare);
                    Role { asked: true, told, restored: told, ..Role::default() }
                }
                Shape::Leaf(LeafKind::Condition) => {
                    Role { asked: true, told: !bare, restored: !bare, ..Role::default() }
                }
                Shape::Decorator { kind: DecoratorKind::Guard { test: Test::When(_), .. }, .. } => {
                    Role { asked: true, restored: !bare, ..Role::default() }
                }
                Shape::Leaf(LeafKind::Emit { to_group, .. }) => Role { to_group: *to_group, ..Role::default() },
                Shape::Leaf(_) | Shape::Decorator { .. } | Shape::Composite { .. } => Role::default(),
            };
            let does = role.asked || role.to_group || does_something(node);
            roles.push(Role { left_out: rerun && !does, ..role });
            let children = node.children();
            for (at, child) in children.iter().enumerate() {
                let rerun = rerun || is_reactive(node) && at + 1 < children.len();
                add(child, scenario, bare, rerun, roles);
            }
        }
        let mut roles = Vec::new();
        add(root, scenario, bare, false, &mut roles);
        Roles { roles, words: Words::of(root) }
    }

    /// What the host hears of something that happens.
    fn callback(&self, happening: &Happening) -> Option<Callback> {
        let (told, asked) = (|n: NodeIndex| self.roles[n.0].told, |n: NodeIndex| self.roles[n.0].asked);
        match *happening {
            Happening::Start(n) => told(n).then_some(Callback::Start(n)),
            Happening::End(n, end) => told(n).then_some(Callback::End(n, end)),
            Happening::Pause(n) => told(n).then_some(Callback::Pause(n)),
            Happening::Unpause(n) => told(n).then_some(Callback::Unpause(n)),
            Happening::Restored(n) => self.roles[n.0].restored.then_some(Callback::Restored(n)),
            Happening::Update(n, status) | Happening::Recheck(n, status) => {
                asked(n).then_some(Callback::Update(n, status))
            }
            Happening::Check(n, true) => asked(n).then_some(Callback::Update(n, Status::Success)),
            Happening::Check(n, false) => asked(n).then_some(Callback::Update(n, Status::Failure)),
            Happening::Service(n, at) => Some(Callback::Service(n, at)),
            Happening::Log(n) => Some(Callback::Log(n, self.words.text(n).to_owned())),
            Happening::Emit(n, ref payload) => {
                (!self.roles[n.0].to_group).then(|| Callback::Emit(self.words.event(n, payload.as_deref())))
            }
            Happening::Abort { .. } | Happening::Switch(_) => None,
        }
    }

    /// Whether a lazy forest must trace this, too. It may skip an evaluation that does not call the
    /// host and changes nothing.
    fn matters(&self, happening: &Happening) -> bool {
        match happening {
            Happening::Start(n) | Happening::Update(n, _) | Happening::Check(n, _) | Happening::End(n, _)
                if self.roles[n.0].left_out =>
            {
                false
            }
            Happening::Update(n, Status::Running) | Happening::Recheck(n, _) | Happening::Check(n, true) => {
                self.roles[n.0].asked
            }
            _ => true,
        }
    }
}

impl<'p> Judge<'p> {
    pub(super) fn new(of: &'p Roles, crowd: &Crowd, seen: Option<Arc<HappeningLog>>) -> Judge<'p> {
        Judge { of, lazy: crowd.sleep || !crowd.every_tick, threads: crowd.threads.is_some(), seen }
    }

    /// From now on the agent has another version of the tree.
    pub(super) fn turn_to(&mut self, of: &'p Roles) {
        self.of = of;
    }

    /// What happened to an agent between two ticks.
    pub(super) fn between(&self, member: &mut Member<'_>, frame: u32, cx: &mut StageCx) -> Result<(), Fault> {
        self.happened(member, frame, None, cx)
    }

    /// What happened to it in a frame.
    pub(super) fn turn(&self, member: &mut Member<'_>, frame: u32, cx: &mut StageCx) -> Result<(), Fault> {
        self.happened(member, frame, Some(member.agent.dt), cx)
    }

    fn happened(&self, member: &mut Member<'_>, frame: u32, dt: Option<u64>, cx: &mut StageCx) -> Result<(), Fault> {
        let slot = Slot::of(member.id);
        let time = member.agent.time;
        let heard = &mut cx.seat_of(slot).heard;
        #[expect(clippy::cast_precision_loss, reason = "a crowd lives for seconds")]
        let is_time = |(at, since): (f64, f32)| at == time as f64 && dt.is_none_or(|it| since == it as f32);
        let is_as = |expected: Callback, found: &Heard| found.what == expected && found.when.is_none_or(is_time);
        let mut found = heard.iter();
        let mut alike = (member.agent.happened.iter())
            .filter_map(|it| self.of.callback(it))
            .all(|expected| found.next().is_some_and(|it| is_as(expected, it)));
        alike &= found.next().is_none();
        if !alike {
            let expected: Vec<String> = (member.agent.happened.iter())
                .filter_map(|it| self.of.callback(it))
                .map(|it| {
                    format!(
                        "{it:?} at {time} s{}",
                        dt.map(|it| format!(", {it} s after its last turn")).unwrap_or_default()
                    )
                })
                .collect();
            let found: Vec<String> = heard.iter().map(|it| format!("{it:?}")).collect();
            return Err(Fault::new(member, frame, "what the host hears", &expected.join("\n"), &found.join("\n")));
        }
        heard.clear();
        if let Some(seen) = self.seen.as_ref().filter(|it| it.wants(slot)) {
            let counts = |it: &&Happening| match it {
                // The host adds the line.
                Happening::Restored(n) => self.of.roles[n.0].restored,
                Happening::Log(_) if self.threads => false,
                it => !self.lazy || self.of.matters(it),
            };
            seen.of(slot, |seen| {
                let expected = member.agent.happened.iter().filter(counts);
                if !expected.clone().eq(seen.iter().filter(counts)) {
                    let line = |it: &Happening| self.of.words.line(it);
                    let expected = expected.map(line).collect::<Vec<_>>().join("\n");
                    let found = seen.iter().filter(counts).map(line).collect::<Vec<_>>().join("\n");
                    return Err(Fault::new(member, frame, "what is traced", &expected, &found));
                }
                seen.clear();
                Ok(())
            })?;
        }
        member.agent.happened.clear();
        Ok(())
    }

    /// Compares what an agent is doing, and its phase.
    pub(super) fn glance(&self, member: &Member<'_>, frame: u32, forest: &Forest<Stage>) -> Result<(), Fault> {
        let here = "it is here";
        let running: Vec<_> = forest.agent(member.id).expect(here).current().map(NodeIndex::from).collect();
        let phase = match forest.agent(member.id).expect(here).phase() {
            core::Phase::Active | core::Phase::Asleep => Phase::On,
            core::Phase::Paused => Phase::Paused,
            core::Phase::Off => Phase::Off,
            core::Phase::Panicked => Phase::Panicked,
        };
        let expected = (member.agent.running(), member.agent.phase);
        if (&running, phase) != (&expected.0, expected.1) {
            let (expected, found) = (format!("{expected:?}"), format!("{:?}", (running, phase)));
            return Err(Fault::new(member, frame, "what it is doing, and its phase", &expected, &found));
        }
        Ok(())
    }

    /// Compares an agent's stacks, time, outcome and keys.
    pub(super) fn look(&self, member: &Member<'_>, frame: u32, forest: &Forest<Stage>) -> Result<(), Fault> {
        let (view, agent) = (forest.agent(member.id).expect("it is here").inspect(), &member.agent);
        let outcome = view.last_outcome.map(|it| match it {
            core::Outcome::Success => Outcome::Success,
            core::Outcome::Failure => Outcome::Failure,
        });
        let (expected, found) = (agent.run_stacks(), runner::stacks(&view));
        if expected != found {
            return Err(Fault::new(member, frame, "its stacks", &stacks_line(&expected), &stacks_line(&found)));
        }
        #[expect(clippy::cast_precision_loss, reason = "a crowd lives for seconds")]
        let expected = (agent.time as f64, agent.last_outcome);
        if expected != (view.time, outcome) {
            let (expected, found) = (format!("{expected:?}"), format!("{:?}", (view.time, outcome)));
            return Err(Fault::new(member, frame, "its own time, and how it ended last", &expected, &found));
        }
        if agent.keys.len() != view.keys.len() {
            let (expected, found) = (agent.keys.len().to_string(), view.keys.len().to_string());
            return Err(Fault::new(member, frame, "the number of its keys", &expected, &found));
        }
        for (name, expected) in &agent.keys {
            let is_it =
                |it: &core::schema::KeyDecl| it.name() == name.name && runner::core_scope(name.scope) == it.scope();
            let found = view.keys.iter().find(|it| is_it(&it.0)).map(|it| it.1);
            if !found.is_some_and(|it| same(expected, it)) {
                let (expected, found) = (format!("{name:?} = {expected}"), format!("{found:?}"));
                return Err(Fault::new(member, frame, "a key", &expected, &found));
            }
        }
        Ok(())
    }
}

/// Whether a reactive composite, which runs the children left of the running child again.
fn is_reactive(node: &Node) -> bool {
    let kind = if let Shape::Composite { kind, .. } = &node.shape { Some(kind) } else { None };
    matches!(kind, Some(CompositeKind::ReactiveSequence | CompositeKind::ReactiveSelector))
}

/// Whether a node does something each time it runs.
fn does_something(node: &Node) -> bool {
    let Shape::Leaf(kind) = &node.shape else { return false };
    !matches!(kind, LeafKind::Check { .. } | LeafKind::OnEvent { .. } | LeafKind::Succeed | LeafKind::Fail)
}

fn same(value: &Value, other: core::Value) -> bool {
    let alike = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    match (value, other) {
        (Value::Float(a), core::Value::Float(b)) => alike(*a, b),
        (Value::Vec2(a), core::Value::Vec2(b)) => a.iter().zip(b).all(|(&a, b)| alike(a, b)),
        (Value::Vec3(a), core::Value::Vec3(b)) => a.iter().zip(b).all(|(&a, b)| alike(a, b)),
        (value, other) => runner::core_value(value) == other,
    }
}
