//! Plays a crowd: the forest and the oracle, frame by frame.

use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use pleach_core as core;
use pleach_core::{
    AgentId, Forest, Spawn, TickReport, Tree,
    trace::{NoTracer, Traced, Tracer},
};

use super::judge::{Fault, Judge, Roles};
use super::saving::SavedPlay;
use super::shared::{Chunks, Shared};
use super::threads::Whole;
use super::{Crowd, MemberNumber, MemberPlan, Tracing, has_budgets, writes};
use crate::happening::{End, Happening, NodeIndex, Words};
use crate::oracle::{Agent, Completion, Event, Places, Setup, TreeNumber, Turn, Turns};
use crate::runner::stage::{HappeningLog, Names, Scribe, Slot, Stage, StageCx};
use crate::runner::{self, How, RunError, Stand};
use crate::scenario::{Call, Node, Scenario, Scope, Values, Whose};

/// An agent as the oracle's turns know it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// The agent that panics when the scenario says so. Its tree comes before the scenario's.
    Panicker,
    Member(MemberNumber),
}

/// What an agent sees of the shared keys in its turn.
enum On<'c, 's> {
    /// What all agents before it have written.
    All(&'c mut Shared),
    /// What the agents before it in its chunk, of this number, have written.
    Chunk(usize, &'c mut Chunks<'s>),
}

/// A scenario whose trees are built, for any number of crowds.
pub struct Prepared<'a> {
    pub(super) scenario: &'a Scenario,
    roots: Vec<Node>,
    setup: Setup<'a>,
    pub(super) names: Arc<Names>,
    /// One for each version of the tree.
    full: Vec<Cover>,
    bare: OnceCell<Vec<Cover>>,
}

impl fmt::Debug for Prepared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("scenario", &self.scenario.name).finish_non_exhaustive()
    }
}

/// A version of the tree, built for the interpreter, and what the host hears of its nodes.
pub(super) struct Cover {
    pub(super) tree: Arc<Tree<Stage>>,
    pub(super) roles: Roles,
}

impl Cover {
    /// All versions.
    fn all(roots: &[Node], scenario: &Scenario, bare: bool) -> Result<Vec<Cover>, RunError> {
        let trees = runner::trees(scenario, bare)?.into_iter();
        Ok(trees.zip(roots).map(|(tree, it)| Cover { tree, roles: Roles::new(it, scenario, bare) }).collect())
    }
}

/// An agent of a crowd: in the forest and in the oracle.
pub(super) struct Member<'a> {
    pub(super) number: MemberNumber,
    pub(super) id: AgentId,
    pub(super) agent: Agent<'a>,
    plan: &'a MemberPlan,
    pub(super) there: bool,
}

impl<'a> Prepared<'a> {
    /// Prepares a scenario that [`Scenario::check`] accepts.
    ///
    /// # Errors
    /// The interpreter rejects the tree.
    pub fn new(scenario: &'a Scenario) -> Result<Prepared<'a>, RunError> {
        let roots = scenario.roots();
        let full = Cover::all(&roots, scenario, false)?;
        let names = Arc::new(Names::of(&roots, scenario));
        Ok(Prepared { scenario, setup: Setup::of(scenario), names, full, bare: OnceCell::new(), roots })
    }

    /// The versions of the tree, with as few callbacks as possible or with all.
    fn covers(&self, bare: bool) -> &[Cover] {
        let all = || Cover::all(&self.roots, self.scenario, true).expect("the tree with all callbacks was taken");
        if bare { self.bare.get_or_init(all) } else { &self.full }
    }

    /// The interpreter's tree of this version.
    pub(super) fn tree(&self, bare: bool, version: usize) -> &Arc<Tree<Stage>> {
        &self.covers(bare)[version].tree
    }

    /// All trees that a forest may have.
    pub(super) fn all_trees(&self, bare: bool) -> Vec<Arc<Tree<Stage>>> {
        let panicker = Arc::new(Stand::panicker());
        self.covers(bare).iter().map(|it| Arc::clone(&it.tree)).chain([panicker]).collect()
    }

    /// The texts of a version's nodes.
    pub(super) fn words(&self, version: usize) -> &Words {
        &self.full[version].roles.words
    }

    /// Lets the forest play a different scenario from the oracle's, so that a check has a
    /// difference to find.
    ///
    /// # Panics
    /// The interpreter rejects the other tree.
    pub fn play_as(&mut self, other: &Scenario) {
        self.full[0].tree = runner::trees(other, false).expect("the tree is valid").remove(0);
    }

    /// Compares what the agents of a crowd do with what the oracle says; for batches also the order
    /// of their callbacks, with and without tracers.
    ///
    /// # Errors
    /// The first difference, in words.
    pub fn check(&self, crowd: &Crowd) -> Result<(), String> {
        self.played(crowd)?;
        if crowd.batched { self.check_order(crowd) } else { Ok(()) }
    }

    /// Compares what the agents of a crowd do with what the oracle says.
    ///
    /// # Errors
    /// The first difference, in words.
    pub fn played(&self, crowd: &Crowd) -> Result<Whole, String> {
        let played = match crowd.traced {
            Tracing::None => self.play(crowd, Forest::new(0).traced(&mut NoTracer), None, &mut |_| {}),
            Tracing::Some | Tracing::All => {
                let seen = Arc::new(HappeningLog::new(crowd.traced == Tracing::Some));
                let mut scribe = Scribe { seen: Arc::clone(&seen), names: Arc::clone(&self.names) };
                self.play(crowd, Forest::new(0).traced(&mut scribe), Some(seen), &mut |_| {})
            }
        };
        played.map_err(|fault| format!("{fault}\n{crowd:?}"))
    }

    /// The defaults of the keys of a scope, if the scenario writes any.
    fn shared(&self, scope: Scope) -> Values {
        let defaults = self.scenario.keys.defaults().into_iter().filter(|(name, _)| name.scope == scope);
        if writes(self.scenario, scope) { defaults.collect() } else { Values::new() }
    }

    /// Plays a crowd. `after` sees the forest after each frame.
    pub(super) fn play<T: Tracer + Send + Sync>(
        &self,
        crowd: &Crowd,
        mut forest: Traced<'_, Forest<Stage>, T>,
        seen: Option<Arc<HappeningLog>>,
        after: &mut dyn FnMut(&Forest<Stage>),
    ) -> Result<Whole, Fault> {
        forest.configure(|it| crowd.configure(it));
        let covers = self.covers(crowd.bare);
        let cover = &covers[0];
        let mut turns = Turns::in_chunks_of(crowd.chunk);
        let (panickers, tree) = (turns.tree(), turns.tree());
        turns.spawn(panickers, Who::Panicker);
        let stand = Stand::new(&mut forest, self.scenario, &cover.tree);
        let mut cx = StageCx::new(Arc::clone(&self.names), seen.clone());
        cx.order = crowd.threads.map(|_| Vec::new());
        let groups = crowd.plans.iter().filter_map(|it| it.group).max().map_or(0, |it| it.0 + 1);
        let groups: Vec<_> = (0..groups).map(|_| (forest.new_group(), self.shared(Scope::Group))).collect();
        let alone = crowd.plans.len() == 1;
        let world = if alone { Values::new() } else { self.shared(Scope::Global) };
        let judge = Judge::new(&cover.roles, crowd, seen);
        let members = Vec::with_capacity(crowd.plans.len());
        let mut play = Play {
            with: self,
            covers,
            crowd,
            forest,
            cx,
            judge,
            stand,
            turns,
            tree,
            members,
            shared: Shared {
                group_places: vec![Places::default(); groups.len()],
                world,
                groups,
                world_places: Places::default(),
            },
            saved: None,
            now: 0,
            reports: Vec::new(),
        };
        for (frame, &seconds) in (1..).zip(&crowd.frames) {
            play.come_and_go(frame)?;
            let mut how = How { pool: crowd.threads.map(runner::pool), ..How::default() };
            self.scenario.ops.iter().filter(|it| it.before == frame).for_each(|it| how.say(&it.call));
            if how.budget > Some(0) && !crowd.counts_budgets() {
                how.budget = Some(u64::MAX);
            }
            play.for_all(frame)?;
            play.call(frame)?;
            play.frame(frame, seconds, how)?;
            after(&play.forest);
            if crowd.detours.contains(&frame) {
                play.detour(frame);
            }
        }
        play.end()
    }
}

/// A crowd at play.
pub(super) struct Play<'p, 'a, 'f, T: Tracer> {
    pub(super) with: &'p Prepared<'a>,
    /// The current version of the tree, and the later ones.
    pub(super) covers: &'p [Cover],
    pub(super) crowd: &'p Crowd,
    pub(super) forest: Traced<'f, Forest<Stage>, T>,
    pub(super) cx: StageCx,
    pub(super) judge: Judge<'p>,
    pub(super) stand: Stand,
    pub(super) turns: Turns<Who>,
    /// The number of the scenario's tree in the oracle's turns.
    pub(super) tree: TreeNumber,
    pub(super) members: Vec<Member<'p>>,
    pub(super) shared: Shared,
    pub(super) saved: Option<Rc<SavedPlay>>,
    pub(super) now: u64,
    reports: Vec<Option<TickReport>>,
}

impl Member<'_> {
    /// Calls `call` while the agent holds the values of its shared keys.
    pub(super) fn with<R>(&mut self, shared: &mut Shared, call: impl FnOnce(&mut Self) -> R) -> R {
        self.swap(shared);
        let result = call(self);
        self.swap(shared);
        result
    }

    fn swap(&mut self, shared: &mut Shared) {
        let Shared { world, groups, world_places, group_places } = shared;
        self.agent.swap(world);
        let [of_group, of_all] = &mut self.agent.places;
        std::mem::swap(of_all, world_places);
        if let Some(group) = self.plan.group {
            std::mem::swap(of_group, &mut group_places[group.0]);
            self.agent.swap(&mut groups[group.0].1);
        }
    }
}

impl<T: Tracer + Send + Sync> Play<'_, '_, '_, T> {
    fn come_and_go(&mut self, frame: u32) -> Result<(), Fault> {
        for number in (0..self.members.len()).map(MemberNumber) {
            let member = &self.members[number.0];
            let blurs = || has_budgets(self.with.scenario) && self.turns.would_blur(Who::Member(number));
            if member.there && member.plan.goes == Some(frame) && !blurs() {
                self.despawn(number, frame)?;
            }
        }
        while let Some(plan) = self.crowd.plans.get(self.members.len()).filter(|it| it.comes == frame) {
            let completion = match self.crowd.completion {
                Completion::Stop => core::Completion::Stop,
                Completion::Restart => core::Completion::Restart,
            };
            let group = plan.group.map(|it| self.shared.groups[it.0].0);
            let spawn = Spawn { completion, seed: Some(plan.seed), group, ..Spawn::default() };
            let id = self.forest.spawn_with(&mut self.cx, self.stand.tree, spawn).expect("a crowd is small");
            self.cx.seat(id);
            let number = MemberNumber(self.members.len());
            if self.members.is_empty() {
                self.stand.spawn_panicker(&mut self.forest, &mut self.cx);
            }
            let mut agent = Agent::new(&self.with.setup, plan.seed, Slot::of(id).0, self.crowd.completion);
            let version = self.version();
            agent.now = self.now;
            if version > 0 {
                agent.replace(version, false);
            }
            agent.call(&Call::Enable);
            self.turns.spawn(self.tree, Who::Member(number));
            if plan.rate != 1 {
                self.forest.agent_mut(id).expect("it is here").set_rate(runner::rate(plan.rate));
                self.turns.set_rate(Who::Member(number), plan.rate);
            }
            self.members.push(Member { number, id, agent, plan, there: true });
        }
        Ok(())
    }

    fn despawn(&mut self, number: MemberNumber, frame: u32) -> Result<(), Fault> {
        let member = &mut self.members[number.0];
        member.there = false;
        member.with(&mut self.shared, |it| it.agent.despawn());
        self.tell(number);
        let member = &mut self.members[number.0];
        self.forest.agent_mut(member.id).expect("it is here").despawn(&mut self.cx);
        self.turns.despawn(Who::Member(number));
        self.judge.between(member, frame, &mut self.cx)
    }

    /// Makes the calls for all agents, by the number of the frame.
    fn for_all(&mut self, frame: u32) -> Result<(), Fault> {
        for op in self.with.scenario.ops.iter().filter(|it| it.before == frame) {
            match &op.call {
                Call::Replace { keeps, .. } => self.replace(*keeps, frame)?,
                Call::Save => self.save(),
                Call::Restore { tree } => self.restore(tree.is_some(), frame)?,
                Call::Fill { slot, word, of: Whose::All } => {
                    self.members.iter_mut().filter(|it| it.there).for_each(|it| it.agent.call(&op.call));
                    let mut all = self.forest.population_mut(self.stand.tree).expect("it is there");
                    // An unknown slot or word changes nothing.
                    let _refused = all.fill(slot, word).is_err();
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The number of the tree's current version.
    pub(super) fn version(&self) -> usize {
        self.with.roots.len() - self.covers.len()
    }

    fn replace(&mut self, keeps: bool, frame: u32) -> Result<(), Fault> {
        self.covers = &self.covers[1..];
        let (version, new) = (self.version(), &self.covers[0]);
        runner::replace(&mut self.forest, &mut self.cx, self.stand.tree, &new.tree, keeps);
        for who in self.turns.of(self.tree) {
            let Who::Member(number) = who else { continue };
            let member = &mut self.members[number.0];
            member.with(&mut self.shared, |it| it.agent.replace(version, keeps));
            // It hears of the old tree's nodes.
            self.judge.between(member, frame, &mut self.cx)?;
        }
        (0..self.members.len()).for_each(|it| self.tell(MemberNumber(it)));
        self.judge.turn_to(&new.roles);
        Ok(())
    }

    /// Makes the scenario's calls for agents, each at the agent's own time.
    fn call(&mut self, frame: u32) -> Result<(), Fault> {
        for at in 0..self.members.len() {
            if !self.members[at].there {
                continue;
            }
            let member = &mut self.members[at];
            let age = frame + 1 - member.plan.comes;
            let bombs = || self.crowd.bombs.iter().filter(|it| it.member == member.number);
            let again = bombs().any(|it| it.frame + 2 == frame).then_some(&Call::Enable);
            let mut any = false;
            let before = age.checked_sub(member.plan.late);
            let own = self.with.scenario.ops.iter().filter(|it| Some(it.before) == before).map(|it| &it.call);
            for call in again.into_iter().chain(own) {
                any = true;
                let member = &mut self.members[at];
                match call {
                    Call::Rate { frames } => {
                        self.turns.set_rate(Who::Member(member.number), *frames);
                        member.with(&mut self.shared, |it| it.agent.get_rate(*frames));
                    }
                    Call::Budget { .. }
                    | Call::Panic
                    | Call::Replace { .. }
                    | Call::Save
                    | Call::Restore { .. }
                    | Call::Fill { of: Whose::All, .. } => continue,
                    Call::Fill { of: Whose::Group, .. } if member.plan.group.is_some() => {
                        let group = member.plan.group;
                        let mates = self.members.iter_mut().filter(|it| it.there && it.plan.group == group);
                        mates.for_each(|it| it.agent.call(call));
                    }
                    call => member.with(&mut self.shared, |it| it.agent.call(call)),
                }
                self.tell(MemberNumber(at));
                let id = self.members[at].id;
                runner::call(&mut self.forest, &mut self.cx, &self.covers[0].tree, id, call);
            }
            if any {
                self.judge.between(&mut self.members[at], frame, &mut self.cx)?;
            }
        }
        Ok(())
    }

    /// Outside of a frame: carries out what an agent has sent to its group.
    fn tell(&mut self, sender: MemberNumber) {
        for event in std::mem::take(&mut self.members[sender.0].agent.told) {
            self.hear(sender, &event);
        }
    }

    /// The other members of the sender's group receive an event.
    fn hear(&mut self, sender: MemberNumber, event: &Event) {
        let group = self.crowd.plans[sender.0].group;
        let others = self.members.iter_mut().filter(|it| it.there && it.number != sender);
        others.filter(|it| group.is_some() && it.plan.group == group).for_each(|it| it.agent.hear(event));
    }

    fn frame(&mut self, frame: u32, seconds: u8, how: How) -> Result<(), Fault> {
        let bomb = self.crowd.bombs.iter().find(|it| it.frame == frame).map(|it| it.member);
        self.cx.frame = frame;
        self.cx.bomb = bomb.and_then(|it| self.members.get(it.0)).filter(|it| it.there).map(|it| Slot::of(it.id));
        let report = self.stand.tick(&mut self.forest, &mut self.cx, f32::from(seconds), how);
        self.reports.push(report);
        self.shared.pass(seconds.into());
        self.pass_time(seconds.into());
        let (mut ticked, mut panicked, mut told) = (0, false, Vec::new());
        let Play { members, shared, .. } = self;
        let mut turn = |who, on: On<'_, '_>| {
            let turn = match who {
                Who::Panicker if how.panics => Turn::Panicked,
                Who::Panicker => Turn::Free,
                Who::Member(number) => {
                    let member = &mut members[number.0];
                    let age = frame + 1 - member.plan.comes;
                    let tick = |it: &mut Member<'_>| it.agent.turn(age, bomb == Some(number));
                    let turn = match on {
                        On::All(shared) => member.with(shared, tick),
                        On::Chunk(chunk, chunks) => {
                            let turn = member.with(chunks.seen_in(chunk), tick);
                            chunks.write(&member.agent.written, member.plan.group);
                            turn
                        }
                    };
                    told.extend(member.agent.told.drain(..).map(|event| (number, event)));
                    turn
                }
            };
            ticked += u64::from(turn == Turn::Ticked);
            panicked |= turn == Turn::Panicked;
            turn
        };
        if how.pool.is_some() && how.budget.is_none() {
            let mut chunks = Chunks::new(shared);
            self.turns.frame_on_threads(|chunk, who| turn(who, On::Chunk(chunk, &mut chunks)));
        } else {
            self.turns.frame(how.budget, |who| turn(who, On::All(shared)));
        }
        // Requests are carried out when the tick is over (8.8).
        told.iter().for_each(|(sender, event)| self.hear(*sender, event));
        let (mut ended, mut aborts) = (0, 0);
        let count = self.members.iter().filter(|it| it.there).count();
        // Comparing everything is slow: one agent at a time, and in crowds only in every other
        // frame.
        let looked_at = (count == 1 || frame.is_multiple_of(2)).then(|| frame as usize / 2 % count.max(1));
        for (index, member) in self.members.iter_mut().filter(|it| it.there).enumerate() {
            let happened = &member.agent.happened;
            ended +=
                happened.iter().filter(|it| matches!(it, Happening::End(NodeIndex(0), End::Itself(_)))).count() as u64;
            aborts += happened.iter().filter(|it| matches!(it, Happening::Abort { .. })).count() as u64;
            self.judge.turn(member, frame, &mut self.cx)?;
            self.judge.glance(member, frame, &self.forest)?;
            if Some(index) == looked_at {
                let look = |it: &mut Member<'_>| self.judge.look(it, frame, &self.forest);
                member.with(&mut self.shared, look)?;
            }
        }
        let expected = (!panicked).then(|| counted([ticked, 0, ended, aborts]));
        // It is unspecified how much work sleep skips.
        let found = report.map(|it| if self.crowd.sleep { counted([ticked, 0, it.ended, it.aborts]) } else { it });
        if expected != found {
            return Err(Fault::of_all(frame, &format!("{expected:?}"), &format!("{found:?}")));
        }
        Ok(())
    }

    /// Compares all agents, and despawns them.
    fn end(mut self) -> Result<Whole, Fault> {
        let frame = self.cx.frame;
        for number in (0..self.members.len()).map(MemberNumber) {
            if self.members[number.0].there {
                let look = |it: &mut Member<'_>| self.judge.look(it, frame, &self.forest);
                self.members[number.0].with(&mut self.shared, look)?;
                self.despawn(number, frame)?;
            }
        }
        Ok(Whole { reports: self.reports, order: self.cx.order.unwrap_or_default() })
    }
}

/// A report with these counts and no others.
fn counted([ticked, asleep, ended, aborts]: [u64; 4]) -> TickReport {
    let mut report = TickReport::default();
    (report.ticked, report.asleep, report.ended, report.aborts) = (ticked, asleep, ended, aborts);
    report
}
