//! A crowd at play: the forest and the oracle, frame by frame.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use pleach_core as core;
use pleach_core::{AgentId, Forest, GroupId, NoTracer, Spawn, TickReport, Tracer, Tree};

use super::judge::{Fault, Judge, Roles};
use super::{Crowd, Life, Traced, has_budgets, writes};
use crate::happening::{End, Happening};
use crate::oracle::{Agent, Cast, Completion, Turn, Turns};
use crate::runner::stage::{Names, Scribe, Seen, Stage, StageCx, slot};
use crate::runner::{self, How, RunError, Stand};
use crate::scenario::{Call, Node, Scenario, Scope, Values};

/// Whoever panics stands in a tree before the scenario's, in the oracle's account; the agents
/// follow.
const PANICKER: usize = 0;

/// A scenario, ready for any number of crowds: its trees are built once.
pub(crate) struct Prepared<'a> {
    scenario: &'a Scenario,
    root: Node,
    cast: Cast<'a>,
    names: Rc<Names>,
    full: Cover,
    bare: OnceCell<Cover>,
}

/// The tree as the interpreter's, and what the host is told of its nodes.
struct Cover {
    tree: Arc<Tree<Stage>>,
    roles: Roles,
}

impl Cover {
    fn new(root: &Node, scenario: &Scenario, bare: bool) -> Result<Cover, RunError> {
        Ok(Cover { tree: runner::tree(root, scenario, bare)?, roles: Roles::new(root, scenario, bare) })
    }
}

/// Somebody of a crowd, twice: in the forest and in the oracle.
pub(super) struct Member<'a> {
    /// Its number among the lives, from 0.
    pub(super) number: usize,
    pub(super) id: AgentId,
    pub(super) agent: Agent<'a>,
    life: &'a Life,
    there: bool,
}

impl<'a> Prepared<'a> {
    /// Of a scenario that [`Scenario::check`] accepts.
    ///
    /// # Errors
    /// If the interpreter refuses the tree.
    pub(crate) fn new(scenario: &'a Scenario) -> Result<Prepared<'a>, RunError> {
        let root = scenario.root();
        let full = Cover::new(&root, scenario, false)?;
        let names = Rc::new(Names::of(&root, scenario));
        Ok(Prepared { scenario, cast: Cast::of(scenario), names, full, bare: OnceCell::new(), root })
    }

    /// The tree that a crowd plays.
    fn cover(&self, crowd: &Crowd) -> &Cover {
        let bare = || Cover::new(&self.root, self.scenario, true).expect("the tree with all callbacks was taken");
        if crowd.bare { self.bare.get_or_init(bare) } else { &self.full }
    }

    /// Plays another scenario, which the oracle is not told.
    #[cfg(test)]
    pub(super) fn play_as(&mut self, other: &Scenario) {
        self.full.tree = runner::tree(&other.root(), other, false).expect("the tree is valid");
    }

    /// Compares what the agents of a crowd do with what the oracle says.
    ///
    /// # Errors
    /// The first difference, in words.
    pub(crate) fn check(&self, crowd: &Crowd) -> Result<(), String> {
        let names = || Rc::clone(&self.names);
        let played = match crowd.traced {
            Traced::Nobody => self.play(crowd, Forest::with_tracer(0, NoTracer), None),
            Traced::Some | Traced::Everybody => {
                let seen = Rc::new(Seen::new(crowd.traced == Traced::Some));
                self.play(crowd, Forest::with_tracer(0, Scribe { seen: Rc::clone(&seen), names: names() }), Some(seen))
            }
        };
        played.map_err(|fault| format!("{fault}\n{crowd:?}"))
    }

    /// What keys of a scope hold at first, if they are written.
    fn shared(&self, scope: Scope) -> Values {
        let defaults = self.scenario.keys.defaults().into_iter().filter(|(name, _)| name.scope == scope);
        if writes(self.scenario, scope) { defaults.collect() } else { Values::new() }
    }

    fn play<T: Tracer>(
        &self,
        crowd: &Crowd,
        mut forest: Forest<Stage, T>,
        seen: Option<Rc<Seen>>,
    ) -> Result<(), Fault> {
        forest.set_batched(crowd.batched);
        forest.set_reevaluate_every_tick(crowd.every_tick);
        forest.set_sleep(crowd.sleep);
        let cover = self.cover(crowd);
        let mut turns = Turns::default();
        let (panickers, tree) = (turns.tree(), turns.tree());
        turns.spawn(panickers, PANICKER);
        let stand = Stand::new(&mut forest, self.scenario, &cover.tree);
        let cx = StageCx::new(Rc::clone(&self.names), seen.clone());
        let groups = crowd.lives.iter().filter_map(|it| it.group).max().map_or(0, |it| it + 1);
        let groups = (0..groups).map(|_| (forest.new_group(), self.shared(Scope::Group))).collect();
        let alone = crowd.lives.len() == 1;
        let world = if alone { Values::new() } else { self.shared(Scope::Global) };
        let judge = Judge::new(&cover.roles, crowd, seen);
        let members = Vec::with_capacity(crowd.lives.len());
        let mut play = Play { with: self, cover, crowd, forest, cx, judge, stand, turns, tree, members, world, groups };
        for (frame, &seconds) in (1..).zip(&crowd.frames) {
            play.come_and_go(frame)?;
            let mut how = How::default();
            self.scenario.ops.iter().filter(|it| it.before == frame).for_each(|it| how.say(&it.call));
            if how.budget > Some(0) && !crowd.counts_budgets() {
                how.budget = Some(u64::MAX);
            }
            play.call(frame)?;
            play.frame(frame, seconds, how)?;
        }
        play.end()
    }
}

/// A crowd at play.
struct Play<'p, 'a, T: Tracer> {
    with: &'p Prepared<'a>,
    cover: &'p Cover,
    crowd: &'p Crowd,
    forest: Forest<Stage, T>,
    cx: StageCx,
    judge: Judge<'p>,
    stand: Stand,
    turns: Turns,
    /// The scenario's among the trees of the account of turns.
    tree: usize,
    members: Vec<Member<'p>>,
    /// What global keys hold.
    world: Values,
    /// The groups that share keys, and what these hold.
    groups: Vec<(GroupId, Values)>,
}

impl Member<'_> {
    /// Lets the agent do something with the keys that it shares.
    fn with<R>(
        &mut self,
        world: &mut Values,
        groups: &mut [(GroupId, Values)],
        call: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let (mut nothing, group) = (Values::new(), self.life.group);
        let group = group.map_or(&mut nothing, |it| &mut groups[it].1);
        self.agent.swap(world);
        self.agent.swap(group);
        let result = call(self);
        self.agent.swap(world);
        self.agent.swap(group);
        result
    }
}

impl<T: Tracer> Play<'_, '_, T> {
    fn come_and_go(&mut self, frame: u32) -> Result<(), Fault> {
        for number in 0..self.members.len() {
            let member = &self.members[number];
            let blurs = || has_budgets(self.with.scenario) && self.turns.would_blur(number + 1);
            if member.there && member.life.goes == Some(frame) && !blurs() {
                self.despawn(number, frame)?;
            }
        }
        while let Some(life) = self.crowd.lives.get(self.members.len()).filter(|it| it.comes == frame) {
            let completion = match self.crowd.completion {
                Completion::Stop => core::Completion::Stop,
                Completion::Restart => core::Completion::Restart,
            };
            let group = life.group.map(|it| self.groups[it].0);
            let spawn = Spawn { completion, seed: Some(life.seed), group, off: false };
            let id = self.forest.spawn_with(&mut self.cx, self.stand.tree, spawn).expect("a crowd is small");
            self.cx.seat(id);
            let number = self.members.len();
            if number == 0 {
                self.stand.spawn_panicker(&mut self.forest, &mut self.cx);
            }
            let slot = u32::try_from(slot(id)).expect("32 bits");
            let mut agent = Agent::new(&self.with.cast, life.seed, slot, self.crowd.completion);
            agent.call(&Call::Enable);
            self.turns.spawn(self.tree, number + 1);
            if life.rate != 1 {
                self.forest.set_rate(id, runner::rate(life.rate)).expect("it is here");
                self.turns.set_rate(number + 1, life.rate);
            }
            self.members.push(Member { number, id, agent, life, there: true });
        }
        Ok(())
    }

    fn despawn(&mut self, number: usize, frame: u32) -> Result<(), Fault> {
        let member = &mut self.members[number];
        member.there = false;
        member.agent.despawn();
        self.forest.despawn(&mut self.cx, member.id).expect("it is here");
        self.turns.despawn(number + 1);
        self.judge.between(member, frame, &mut self.cx)
    }

    /// The calls of the scenario that are about an agent, each at the agent's own time.
    fn call(&mut self, frame: u32) -> Result<(), Fault> {
        for member in self.members.iter_mut().filter(|it| it.there) {
            let age = frame + 1 - member.life.comes;
            let bombs = || self.crowd.bombs.iter().filter(|it| it.whose == member.number);
            let again = bombs().any(|it| it.frame + 2 == frame).then_some(&Call::Enable);
            let mut any = false;
            let before = age.checked_sub(member.life.late);
            let own = self.with.scenario.ops.iter().filter(|it| Some(it.before) == before).map(|it| &it.call);
            for call in again.into_iter().chain(own) {
                any = true;
                match call {
                    Call::Rate { frames } => self.turns.set_rate(member.number + 1, *frames),
                    Call::Budget { .. } | Call::Panic => continue,
                    call => member.with(&mut self.world, &mut self.groups, |it| it.agent.call(call)),
                }
                runner::call(&mut self.forest, &mut self.cx, &self.cover.tree, member.id, call);
            }
            if any {
                self.judge.between(member, frame, &mut self.cx)?;
            }
        }
        Ok(())
    }

    fn frame(&mut self, frame: u32, seconds: u8, how: How) -> Result<(), Fault> {
        let bomb = self.crowd.bombs.iter().find(|it| it.frame == frame).map(|it| it.whose);
        self.cx.frame = frame;
        self.cx.bomb = bomb.and_then(|it| self.members.get(it)).filter(|it| it.there).map(|it| slot(it.id));
        let report = self.stand.tick(&mut self.forest, &mut self.cx, f32::from(seconds), how);
        for member in self.members.iter_mut().filter(|it| it.there) {
            member.agent.pass_time(seconds.into());
        }
        let (mut ticked, mut panicked) = (0, false);
        let Play { members, world, groups, .. } = self;
        self.turns.frame(how.budget, |whose| {
            let turn = match whose.checked_sub(PANICKER + 1) {
                None if how.panics => Turn::Panicked,
                None => Turn::Free,
                Some(number) => {
                    let age = frame + 1 - members[number].life.comes;
                    members[number].with(world, groups, |it| it.agent.turn(age, bomb == Some(number)))
                }
            };
            ticked += u64::from(turn == Turn::Ticked);
            panicked |= turn == Turn::Panicked;
            turn
        });
        let (mut ended, mut aborts) = (0, 0);
        let count = self.members.iter().filter(|it| it.there).count();
        // A long look is dear: at one agent, and in crowds only in every other frame.
        let looked_at = (count == 1 || frame.is_multiple_of(2)).then(|| frame as usize / 2 % count.max(1));
        for (index, member) in self.members.iter_mut().filter(|it| it.there).enumerate() {
            let happened = &member.agent.happened;
            ended += happened.iter().filter(|it| matches!(it, Happening::End(0, End::Itself(_)))).count() as u64;
            aborts += happened.iter().filter(|it| matches!(it, Happening::Abort { .. })).count() as u64;
            self.judge.turn(member, frame, &mut self.cx)?;
            self.judge.glance(member, frame, &self.forest)?;
            if Some(index) == looked_at {
                let look = |it: &mut Member<'_>| self.judge.look(it, frame, &self.forest);
                member.with(&mut self.world, &mut self.groups, look)?;
            }
        }
        let expected = (!panicked).then_some(TickReport { ticked, asleep: 0, ended, aborts });
        // What sleep may leave out is not fixed.
        let found = report.map(|it| if self.crowd.sleep { TickReport { ticked, asleep: 0, ..it } } else { it });
        if expected != found {
            return Err(Fault::of_all(frame, &format!("{expected:?}"), &format!("{found:?}")));
        }
        Ok(())
    }

    /// Everybody is looked at, and leaves.
    fn end(mut self) -> Result<(), Fault> {
        let frame = self.cx.frame;
        for number in 0..self.members.len() {
            if self.members[number].there {
                let look = |it: &mut Member<'_>| self.judge.look(it, frame, &self.forest);
                self.members[number].with(&mut self.world, &mut self.groups, look)?;
                self.despawn(number, frame)?;
            }
        }
        Ok(())
    }
}
