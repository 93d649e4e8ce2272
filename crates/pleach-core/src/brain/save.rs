//! Converts a brain to plain data and back (SEMANTICS 12.2): the save of a forest in which its
//! agent is alone.

use std::sync::Arc;

use super::row::LoneRow;
use super::{Brain, Rest};
use crate::blackboard::Scope;
use crate::blackboard::board::BoardView;
use crate::blackboard::shared::SharedMap;
use crate::blackboard::shared::saved::Groups;
use crate::blackboard::shared::tokens::SavedHold;
use crate::clock::Moment;
use crate::error::{RestoreError, SaveError, StaleError};
use crate::forest::damage::Damage;
use crate::forest::lives::Lives;
use crate::forest::replaced::{KeyChange, ReplaceTally};
use crate::forest::restore::Bring;
use crate::forest::restored_tokens::bring_places;
use crate::forest::save::{Living, Writer, unsaved};
use crate::forest::saved_parts::{SAVE, check_counters, damaged, plan_groups, read_states};
use crate::forest::saved_tree::{Understood, changes, known_keys};
use crate::forest::{AgentState, Panics, ReplaceReport};
use crate::host::leaf::states::StateLists;
use crate::ids::GroupId;
use crate::ids::salted::{Salt, Vacant};
use crate::life::Flags;
use crate::machine::carry::Carry;
use crate::request::Requests;
use crate::row::Row;
use crate::save::brain::BrainSave;
use crate::save::model::{Body, SavedAgent, SavedWait, SavedWaiting, Whole};
use crate::trace::{NoTracer, Traced, Tracer};
use crate::{AgentId, Host, NodeId};

impl<H: Host> Brain<H> {
    /// The agent as it is now, to be written to a file: see [`Forest::save`](crate::Forest::save),
    /// which does the same for a forest. It holds the agent with everything that it does and
    /// remembers, its keys, events and random stream, the group and global keys that it sees, and
    /// its time. It does not hold the tree but its outline, nor the [`Settings`](crate::Settings),
    /// nor anything of the game. Needs the feature `save`.
    ///
    /// ```
    /// # use pleach_core::{Brain, BrainSave, Host, Spawn, Tree, nodes::wait};
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// let guard = || Tree::<Game>::builder("guard").build(wait(0.3));
    /// let mut brain = Brain::new(&mut (), guard()?, 7);
    /// brain.tick(&mut (), 0.1)?;
    /// let text = ron::to_string(&brain.save()?)?;
    ///
    /// // In another process:
    /// let save: BrainSave = ron::from_str(&text)?;
    /// let mut again = Brain::new(&mut (), guard()?, 0);
    /// again.restore(&mut (), &save)?;
    /// assert_eq!((again.agent(), again.time()), (brain.agent(), brain.time()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If leaves remember something and do not save it: all of them are named. If a state cannot be
    /// written. If requests of leaves are waiting, because a leaf panicked in the last call: tick
    /// once more. If the agent was despawned.
    ///
    /// # Panics
    /// If the `Serialize` of a state does.
    pub fn save(&self) -> Result<BrainSave, SaveError> {
        let (tree, id) = (&*self.shape.tree, self.row.id);
        if self.row.gone {
            return Err(StaleError::Agent(id).into());
        }
        if !self.call.requests.is_empty() {
            return Err(SaveError::Waiting);
        }
        let lost: Vec<_> = unsaved(tree).map(|it| (it, tree.name().to_owned())).collect();
        if !lost.is_empty() {
            return Err(SaveError::Leaves(lost));
        }
        let (writer, salt) = (Writer::of(tree), Salt::of_first(id));
        let agent = writer.agent(&self.living(self.call.now));
        let mut agent = agent.map_err(|(leaf, error)| {
            let tree = tree.name().into();
            SaveError::State { leaf, tree, agent: id, error }
        })?;
        agent.id = salt.plain(id);
        agent.mail = self.row.saved_mail(|it| salt.plain(it));
        let shared = self.rest.as_ref().map(|it| &it.shared);
        let group = shared.zip(self.row.group()).and_then(|(it, group)| it.saved_group(group, |_| true));
        let keys = |scope| shared.map_or_else(Vec::new, |it| it.saved_keys(scope));
        let whole = Whole {
            frame: self.frame,
            paced: false,
            spawned: 1,
            cursor: (0, 0, 0),
            global_keys: keys(Scope::Global),
            globals: shared.map_or_else(Vec::new, |it| it.saved_globals()),
            agents: Vacant::default(),
            groups: Vacant::default(),
        };
        let body = Body {
            seed: salt.seed(),
            time: self.call.now,
            tickets: self.call.requests.tickets(),
            whole: Some(whole),
            trees: vec![writer.tree(0, vec![1], vec![agent])],
            group_keys: keys(Scope::Group),
            groups: group.into_iter().collect(),
            waiting: vec![SavedWaiting { fingerprint: tree.fingerprint(), agents: vec![self.row.saved_wait(tree)] }],
            tokens: shared.map_or_else(Vec::new, |it| it.saved_tokens(self.call.now, |_| true, true)),
        };
        Ok(BrainSave { body })
    }

    /// The whole agent, as it is at this time.
    pub(super) fn living(&self, now: Moment) -> Living<'_, H> {
        Living {
            seen: AgentState { now, ..self.seen() },
            entity: self.row.entity(),
            starts: self.row.starts().to_vec(),
            board: BoardView::of_one(&self.shape.tree.layout, &self.row.columns),
            states: &self.row.states,
            row: Row::FIRST,
        }
    }

    /// Replaces this agent with that of a save. This one ends as by [`despawn`](Brain::despawn),
    /// and its requests are dropped. The new agent has the id of the save. What follows is the same
    /// as without the save, to the line of the trace, if the tree is unchanged. Under another
    /// version of the tree the agent carries on as after [`replace_tree`](Brain::replace_tree), but
    /// `end` is not called on what does not: the process that started it is gone. The
    /// [`Settings`](crate::Settings) stay. Needs the feature `save`.
    ///
    /// If the agent is enabled, its leaves are notified: [`restored`](crate::Action::restored) is
    /// called on those that were in the save, active or not, and [`awake`](crate::Action::awake) on
    /// new ones. As in any `awake`, restarts that they request are dropped (SEMANTICS 8.8).
    ///
    /// # Errors
    /// If the tree has another name, the save is damaged, or a state cannot be read: see
    /// [`RestoreError`]. The brain is unchanged, and carries on.
    ///
    /// # Panics
    /// If a `restored`, an `awake`, or an `end` of the old agent does: the agent of the save is
    /// here then, and [`Panicked`](crate::Phase::Panicked) if it was one of its own leaves. Also if
    /// making a leaf's state or its `Deserialize` panics; nothing has changed then.
    pub fn restore(&mut self, cx: &mut H::Cx<'_>, save: &BrainSave) -> Result<ReplaceReport, RestoreError> {
        self.traced(&mut NoTracer).restore(cx, save)
    }

    /// Checks everything that can be wrong. It changes nothing.
    fn plan<'s>(&self, save: &'s BrainSave) -> Result<Plan<'s, H>, RestoreError> {
        let body = &save.body;
        check_counters(body)?;
        let ([saved], Some(whole)) = (&*body.trees, &body.whole) else {
            return Err(RestoreError::Damaged { tree: SAVE, what: Damage::NotABrain });
        };
        let tree = &*self.shape.tree;
        if saved.name != tree.name() {
            return Err(RestoreError::Tree { save: saved.name.clone(), here: tree.name().into() });
        }
        let [agent] = &*saved.agents else { return Err(damaged(saved, Damage::NotABrain)) };
        let salt = Salt::of(body.seed);
        let id: AgentId = salt.key(agent.id);
        if id != salt.first() || body.groups.len() > 1 || body.groups.iter().any(|it| !it.own) {
            return Err(damaged(saved, Damage::NotABrain));
        }
        let understood = Understood::of(saved).map_err(|what| damaged(saved, what))?;
        understood.check(agent).map_err(|what| damaged(saved, what))?;
        // Shared keys are found by their names, as this brain's tree declares them.
        let mut rest = Rest::new(id);
        let map = rest.shared.admit(&tree.schema, &tree.layout);
        let groups = plan_groups(&rest.shared, body, salt)?;
        rest.shared.restore_globals(&whole.global_keys, &whole.globals);
        let waits = body.waiting.first().map_or(Ok(None), |it| it.under(tree, &saved.agents));
        let wait = waits.map_err(|what| damaged(saved, what))?.and_then(<[_]>::first);
        let carry = understood.carry(tree);
        let states = read_states(&understood, &carry, tree, std::slice::from_ref(agent))?;
        let keys = changes(saved, tree);
        Ok(Plan { id, agent, saved: understood, wait, carry, states, keys, groups, rest, map })
    }
}

/// Everything that is about to be restored.
struct Plan<'s, H: Host> {
    id: AgentId,
    agent: &'s SavedAgent,
    saved: Understood<'s>,
    /// What it waits for, if the tree is unchanged.
    wait: Option<&'s SavedWait>,
    carry: Carry,
    states: StateLists<H>,
    keys: Vec<KeyChange>,
    groups: Groups,
    rest: Box<Rest>,
    map: SharedMap,
}

impl<H: Host> Brain<H> {
    /// Writes the whole agent, without a callback. Returns the Cooldowns that begin.
    fn bring(
        &mut self,
        body: &Body,
        plan: &mut Plan<'_, H>,
        tally: &mut ReplaceTally,
    ) -> (Vec<NodeId>, Vec<SavedHold>) {
        let (tree, salt) = (Arc::clone(&self.shape.tree), Salt::of(body.seed));
        self.row = LoneRow::with_states(&tree, plan.id, plan.agent.rng.clone(), std::mem::take(&mut plan.states));
        (self.call.now, self.call.before) = (body.time, body.time);
        self.call.requests = Requests::default();
        self.call.requests.set_tickets(body.tickets);
        self.frame = body.whole.as_ref().map_or(0, |it| it.frame);
        self.brought = self.brought.wrapping_add(1);
        let known = known_keys(plan.saved.saved, &tree);
        let cools = self.row.bring(Row::FIRST, plan.agent, (&plan.saved, &plan.carry, &tree), &known, body.time, tally);
        let holds = bring_places(&mut self.row, Row::FIRST, plan.agent, (&plan.saved, &plan.carry, &tree), plan.id);
        self.row.hand_saved(Row::FIRST, plan.agent, salt);
        if let Some(wait) = plan.wait {
            self.row.wait_on(wait, &tree, self.call.sleep && !self.call.every_tick);
        }
        for group in &body.groups {
            self.row.put_group(salt.key(group.id));
        }
        (cools, holds)
    }
}

impl<H: Host> Brain<H> {
    /// Places of tokens that the agent held, places that rest, and tokens that it waits for.
    fn bring_tokens(&mut self, body: &Body, holds: &[SavedHold]) {
        let (now, salt, tree) = (self.call.now, Salt::of(body.seed), Arc::clone(&self.shape.tree));
        let on = self.row.flags.contains(Flags::ENABLED) && !self.row.flags.contains(Flags::PAUSED);
        if let Some(rest) = &mut self.rest {
            rest.shared.bring_holds(holds, now);
            let may_wait = |_, group: Option<GroupId>, token: &str| {
                tree.terms_of(token, group.is_none()).filter(|_| on).map(|it| it.count)
            };
            rest.shared.bring_tokens(&body.tokens, (salt, now), |_| true, may_wait);
        }
    }
}

impl<H: Host, T: Tracer> Traced<'_, Brain<H>, T> {
    /// As [`Brain::restore`].
    ///
    /// # Errors
    /// If the tree has another name, the save is damaged, or a state cannot be read. The brain is
    /// unchanged then.
    ///
    /// # Panics
    /// If a `restored`, an `awake`, or an `end` of the old agent panics. Also if making a leaf's
    /// state or its `Deserialize` panics; nothing has changed then.
    pub fn restore(&mut self, cx: &mut H::Cx<'_>, save: &BrainSave) -> Result<ReplaceReport, RestoreError> {
        let (body, mut plan) = (&save.body, self.plan(save)?);
        let (mut panics, mut tally) = (Panics::default(), ReplaceTally::default());
        panics.catch(|| self.despawn(cx));
        let (cools, holds) = self.it.bring(body, &mut plan, &mut tally);
        let Plan { saved, carry, keys, groups, mut rest, map, .. } = plan;
        let tree = Arc::clone(&self.shape.tree);
        rest.shared.set_groups(groups);
        // What the game has bound to the tree stays bound.
        rest.needs = self.rest.take().map_or_else(Vec::new, |it| it.needs);
        let wanted = !map.is_empty() || self.row.group().is_some() || !rest.needs.is_empty();
        self.rest = wanted.then_some(rest);
        self.shape.map = map;
        self.make_rest();
        self.it.bring_tokens(body, &holds);
        let report = tally.finish(|it| saved.path(it), keys, tree.name());
        let new = carry.new_leaves(&tree);
        let kept: Vec<_> = tree.lifecycle.iter().copied().filter(|it| !new.contains(it)).collect();
        if !(cools.is_empty() && kept.is_empty() && new.is_empty()) {
            self.with_row(|row, shape, parts| {
                panics.catch(|| row.tell_restored(shape, cx, parts, Row::FIRST, (&cools, &kept, &new)));
            });
        }
        panics.go_on();
        self.carry_out(cx);
        Ok(report)
    }
}
