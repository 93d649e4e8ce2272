//! Crowds that are saved and restored: in the forest and in the oracle.

use std::rc::Rc;

use pleach_core::{Forest, GroupId, trace::Tracer};

use super::judge::Fault;
use super::play::{Play, Who};
use crate::oracle::{Saved, Turns};
use crate::runner::{self, Stand};
use crate::scenario::Values;

/// A crowd at play as it was saved: in the forest and in the oracle.
pub(super) struct SavedPlay {
    forest: String,
    /// `None`: it was not there.
    members: Vec<Option<Saved>>,
    turns: Turns<Who>,
    world: Values,
    groups: Vec<(GroupId, Values)>,
    begun: Vec<u32>,
}

impl<T: Tracer> Play<'_, '_, '_, T> {
    pub(super) fn save(&mut self) {
        self.saved = Some(Rc::new(SavedPlay {
            forest: runner::saved(&self.forest),
            members: self.members.iter().map(|it| it.there.then(|| it.agent.save())).collect(),
            turns: self.turns.clone(),
            world: self.world.clone(),
            groups: self.groups.clone(),
            begun: self.cx.begun(),
        }));
    }

    /// The last save comes into a new forest, under this or another version of the tree.
    pub(super) fn restore(&mut self, other: bool, frame: u32) -> Result<(), Fault> {
        let saved = Rc::clone(self.saved.as_ref().expect("the scenario was checked"));
        self.covers = &self.covers[usize::from(other)..];
        let (version, cover) = (self.version(), &self.covers[0]);
        *self.forest = Forest::new(1);
        let crowd = self.crowd;
        self.forest.configure(|it| crowd.configure(it));
        self.stand = Stand::new(&mut self.forest, self.with.scenario, &cover.tree);
        self.judge.turn_to(&cover.roles);
        self.turns = saved.turns.clone();
        self.world.clone_from(&saved.world);
        self.groups.clone_from(&saved.groups);
        self.cx.begin(&saved.begun);
        runner::restored(&mut self.forest, &mut self.cx, &saved.forest);
        for (number, member) in self.members.iter_mut().enumerate() {
            let was = saved.members.get(number).and_then(Option::as_ref);
            member.there = was.is_some();
            if let Some(was) = was {
                member.agent.restore_keys(was);
                member.with(&mut self.world, &mut self.groups, |it| it.agent.restore(was, version));
                self.judge.between(member, frame, &mut self.cx)?;
            }
        }
        Ok(())
    }
}
