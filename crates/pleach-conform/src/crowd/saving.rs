//! Passing time, saving and restoring for crowds: in the forest and in the oracle.

use std::rc::Rc;

use pleach_core::{Forest, trace::Tracer};

use super::judge::Fault;
use super::play::{Play, Who};
use super::shared::Shared;
use crate::oracle::{Saved, Turns};
use crate::runner;

/// A saved crowd: in the forest and in the oracle.
pub(super) struct SavedPlay {
    forest: String,
    /// `None`: the agent did not exist.
    members: Vec<Option<Saved>>,
    turns: Turns<Who>,
    shared: Shared,
    now: u64,
    begun: Vec<u32>,
}

impl<T: Tracer + Send + Sync> Play<'_, '_, '_, T> {
    /// The forest's time goes on, and with it the time of the existing members.
    pub(super) fn pass_time(&mut self, seconds: u64) {
        self.now += seconds;
        for member in self.members.iter_mut().filter(|it| it.there) {
            member.agent.pass_time(seconds);
        }
    }

    pub(super) fn save(&mut self) {
        self.saved = Some(Rc::new(SavedPlay {
            forest: runner::saved(&self.forest),
            members: self.members.iter().map(|it| it.there.then(|| it.agent.save())).collect(),
            turns: self.turns.clone(),
            shared: self.shared.clone(),
            now: self.now,
            begun: self.cx.begun(),
        }));
    }

    /// Restores the last save into a new forest, under this or another version of the tree.
    pub(super) fn restore(&mut self, other: bool, frame: u32) -> Result<(), Fault> {
        let saved = Rc::clone(self.saved.as_ref().expect("the scenario was checked"));
        self.covers = &self.covers[usize::from(other)..];
        let (version, cover) = (self.version(), &self.covers[0]);
        *self.forest = Forest::new(1);
        let crowd = self.crowd;
        self.forest.configure(|it| crowd.configure(it));
        self.stand = self.stand.anew(&mut self.forest, self.with.scenario, &cover.tree);
        self.judge.turn_to(&cover.roles);
        self.turns = saved.turns.clone();
        self.shared.clone_from(&saved.shared);
        self.now = saved.now;
        self.cx.begin(&saved.begun);
        runner::restored(&mut self.forest, &mut self.cx, &saved.forest);
        for (number, member) in self.members.iter_mut().enumerate() {
            let was = saved.members.get(number).and_then(Option::as_ref);
            member.there = was.is_some();
            if let Some(was) = was {
                member.agent.restore_keys(was);
                member.with(&mut self.shared, |it| it.agent.restore(was, version));
                self.judge.between(member, frame, &mut self.cx)?;
            }
        }
        Ok(())
    }
}
