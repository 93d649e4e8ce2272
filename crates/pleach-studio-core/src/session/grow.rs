//! The growing recording of a running game.

use std::sync::Arc;

use pleach::Tree;
use pleach::record::RecordedTree;

use super::reload::{may_have_moved, reloaded, sizes};
use super::{Session, play};
use crate::error::AskError;
use crate::model::{FindQuestion, GameView, LiveView, Place};
use crate::notes::Notes;
use crate::stage::Stage;

impl Session {
    /// The same for the first piece of a growing recording: see [`extend`](Session::extend).
    ///
    /// # Errors
    /// As [`open`](Session::open).
    pub fn live(
        title: impl Into<String>,
        begin: Vec<u8>,
        trees: Vec<Arc<Tree<Stage>>>,
        places: Vec<Vec<Place>>,
    ) -> Result<Self, AskError> {
        let mut session = Self::open(title, begin, trees, places)?;
        let mut edge = session.recorded.replay()?;
        edge.seek(session.recorded.timeline.frames(), &mut ())?;
        session.edge = Some(edge);
        Ok(session)
    }

    /// Adds the next piece of a recording: see [`Replay::extend`](pleach::record::Replay::extend).
    /// `make` makes the trees that came with it, and says where their nodes are written. Returns
    /// whether a breakpoint stops the game. Costs a replay of its frames, and for each breakpoint a
    /// look at them.
    ///
    /// # Errors
    /// The piece does not fit.
    pub fn extend(
        &mut self,
        piece: Vec<u8>,
        mut make: impl FnMut(&RecordedTree<'_>) -> Option<(Arc<Tree<Stage>>, Vec<Place>)>,
    ) -> Result<bool, AskError> {
        let mut edge = match self.edge.take() {
            Some(it) => it,
            None => self.recorded.replay()?,
        };
        let (mut trees, mut places) = (Vec::new(), Vec::new());
        let extended = edge.extend(&piece, |it| {
            let (tree, at) = make(it)?;
            trees.push(Arc::clone(&tree));
            places.push(at);
            Some(tree)
        });
        let others = [&mut self.crowd].into_iter();
        let others = others.chain(self.alone.iter_mut().flat_map(|it| [&mut it.replay, &mut it.told]));
        let extended = extended.and_then(|()| {
            let mut others = others;
            others.try_for_each(|other| {
                let mut trees = trees.iter().map(Arc::clone);
                other.extend(&piece, |_| trees.next())
            })
        });
        if let Err(error) = extended {
            self.edge = Some(edge);
            return Err(error.into());
        }
        let recorded = Arc::make_mut(&mut self.recorded);
        recorded.pieces.push(Arc::from(piece));
        recorded.trees.extend(trees);
        self.places.extend(places);
        let mut stops = false;
        if recorded.damage.is_none() {
            let (breaks, all) = (&mut self.breaks, recorded.trees.clone());
            let (crowd, reload) = (&mut self.crowd, &mut self.reload);
            let mut before = sizes(&edge);
            stops = play(&mut edge, recorded, |edge| {
                let mut notes = Notes::default();
                let is_there =
                    if breaks.is_empty() { edge.step(&mut ())? } else { edge.step_traced(&mut (), &mut notes)? };
                let now = sizes(edge);
                if is_there && may_have_moved(&before, &now) {
                    crowd.seek(edge.played() - 1, &mut ())?;
                    *reload = reloaded(crowd, edge).or(reload.take());
                }
                before = now;
                Ok((is_there, is_there && breaks.look(edge, &all, &notes.0)))
            });
        }
        self.edge = Some(edge);
        self.look_back();
        Ok(stops)
    }

    /// Sets a breakpoint.
    ///
    /// # Errors
    /// No tree has what it names, or there are too many.
    pub fn set_break(&mut self, question: FindQuestion, nth: u32) -> Result<u32, AskError> {
        let edge = self.edge.as_ref().unwrap_or(&self.crowd);
        self.breaks.set(question, nth, &self.recorded.trees, edge)
    }

    /// Sets breakpoints that were set elsewhere. Those that no tree fits wait for one that does.
    pub fn keep_breaks(&mut self, all: impl IntoIterator<Item = (FindQuestion, u32)>) {
        let edge = self.edge.as_ref().unwrap_or(&self.crowd);
        for (question, nth) in all {
            self.breaks.keep(question, nth, &self.recorded.trees, edge);
        }
    }

    /// Continues an earlier session of the same game: keeps its breakpoints with their hits, how
    /// many frames are missing between the two, and whether files are edited beside it.
    pub fn follows(&mut self, before: &Session) {
        self.edits = before.edits;
        self.keep_breaks(before.breaks());
        // Otherwise the game has restarted, and has hit nothing yet.
        if self.recorded.timeline.last() >= before.recorded.timeline.last() {
            self.breaks.take_hits(&before.breaks);
        }
        let next = before.recorded.timeline.last() + 1;
        self.missed = before.missed + self.recorded.timeline.first().saturating_sub(next);
        self.look_back();
    }

    /// Removes a breakpoint. Returns whether it existed.
    pub fn remove_break(&mut self, id: u32) -> bool {
        self.breaks.remove(id)
    }

    /// The breakpoints, and at which time each stops the game.
    #[must_use]
    pub fn breaks(&self) -> Vec<(FindQuestion, u32)> {
        self.breaks.questions()
    }

    /// What has happened since a frame.
    #[must_use]
    pub fn since(&self, frame: u64) -> LiveView {
        let timeline = &self.recorded.timeline;
        LiveView {
            first: timeline.first(),
            last: timeline.last(),
            times: timeline.times(frame, timeline.last()),
            agents: self.agents,
            trees: self.recorded.trees.len(),
            notes: self.notes.clone(),
            keys_every: self.crowd.keys_every(),
            reload: self.reload.clone(),
            game: GameView::default(),
            breaks: self.breaks.views(),
        }
    }
}
