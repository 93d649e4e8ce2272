//! What an agent did in its lifetime: collected once, by playing it alone.

mod causes;

use std::collections::BTreeMap;
use std::sync::Arc;

use pleach::expr::KeyIndex;
use pleach::handles::AgentRef;
use pleach::inspect::AgentView;
use pleach::record::{Given, Replay};
use pleach::trace::TraceEvent;
use pleach::{NodeId, Outcome, Phase, Status, Tree, Value};

use crate::model::{Entered, How, KeyTrack, KeyValue, Mark, MarkKind, Span, TrackView, TreeSpan};
use crate::notes::Notes;
use crate::stage::Stage;
use causes::Causes;
use pleach_view::rounded;

/// Everything about an agent, from the frame in which it came to the one in which it left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Story {
    /// The first and the last frame after which it exists.
    pub(crate) life: Option<(u64, u64)>,
    pub(crate) trees: Vec<TreeSpan>,
    spans: Vec<Span>,
    pub(crate) marks: Vec<Mark>,
    keys: BTreeMap<(usize, usize), Vec<(u64, KeyValue)>>,
    /// In order.
    changes: Vec<u64>,
}

/// The end of an open span.
const OPEN: u64 = u64::MAX;

/// Builds the story of an agent, with the state of the agent between two frames.
#[derive(Default)]
pub(crate) struct Teller {
    number: u32,
    all: Vec<Arc<Tree<Stage>>>,
    story: Story,
    /// The index of its tree among all trees, if the agent exists.
    tree: Option<usize>,
    /// The open activations, by node, with their indices among the spans.
    open: BTreeMap<usize, usize>,
    /// The last answers of conditions and guards that are asked again.
    said: BTreeMap<NodeId, Status>,
    phase: Option<Phase>,
    held: Vec<Value>,
}

impl Teller {
    pub(crate) fn new(number: u32) -> Self {
        Teller { number, ..Teller::default() }
    }

    /// Plays on up to this number of frames with a replay of the agent alone, which is where the
    /// last call left it. Returns the story so far.
    pub(crate) fn tell(&mut self, replay: &mut Replay<Stage>, all: &[Arc<Tree<Stage>>], frames: u64) -> Story {
        self.all.extend_from_slice(&all[self.all.len()..]);
        let mut notes = Notes::default();
        while replay.played() < frames && replay.step_traced(&mut (), &mut notes).unwrap_or(false) {
            self.frame(replay, notes.0.drain(..).map(|it| it.1).collect());
        }
        let mut story = self.story.clone();
        story.spans.sort_by_key(|it| (it.from, it.tree));
        story.spans = joined(std::mem::take(&mut story.spans));
        story.changes.sort_unstable();
        story.changes.dedup();
        story
    }
}

impl Story {
    /// The story of an agent in the first `frames` frames, which the replay plays alone.
    pub(crate) fn of(replay: &mut Replay<Stage>, number: u32, all: &[Arc<Tree<Stage>>], frames: u64) -> Story {
        Teller::new(number).tell(replay, all, frames)
    }

    /// From one frame to another.
    pub(crate) fn track(&self, agent: u32, from: u64, to: u64) -> TrackView {
        let (first, last) = self.life.unwrap_or_default();
        let is_inside = |frame: u64| (from..=to).contains(&frame);
        let spans = self.spans.iter().filter(|it| it.from <= to && it.to >= from);
        let spans = spans.map(|it| cut(it, from, to, last));
        let keys = self.keys.iter().filter_map(|(&(tree, key), points)| {
            let begun = points.iter().rposition(|it| it.0 <= from);
            let points = points[begun.unwrap_or(0)..].iter().take_while(|it| it.0 <= to);
            let points: Vec<(u64, KeyValue)> = points.cloned().collect();
            (!points.is_empty()).then_some(KeyTrack { tree, key, points })
        });
        let begun = self.trees.iter().rposition(|it| it.from <= from).unwrap_or(0);
        TrackView {
            agent,
            from,
            to,
            first,
            last,
            trees: self.trees[begun..].iter().filter(|it| it.from <= to).copied().collect(),
            spans: spans.collect(),
            marks: self.marks.iter().filter(|it| is_inside(it.frame)).cloned().collect(),
            keys: keys.collect(),
            changes: self.changes.iter().copied().filter(|it| is_inside(*it)).collect(),
            life: self.entered(from, to),
        }
    }

    /// What its nodes did up to a frame. `from` is the first frame that is looked at.
    fn entered(&self, from: u64, to: u64) -> Vec<Entered> {
        let mut all: BTreeMap<(usize, usize), Entered> = BTreeMap::new();
        for it in self.spans.iter().filter(|it| it.from <= to) {
            let span = cut(it, 0, to, to);
            let none = Entered { node: it.node, tree: it.tree, times: 0, ended: [0; 4], before: None };
            let entered = all.entry((it.tree, it.node)).or_insert(none);
            let times = span.times.unwrap_or(1);
            entered.times += times;
            let how = [How::Success, How::Failure, How::Aborted, How::Outside].iter().position(|it| *it == span.how);
            how.into_iter().for_each(|how| entered.ended[how] += times);
            if it.to < from {
                entered.before = Some((it.to, it.how));
            }
        }
        all.into_values().collect()
    }

    /// The frame of the last conditional abort by this condition, up to a frame, and its cause.
    pub(crate) fn last_abort(&self, frame: u64, by: NodeId) -> Option<(u64, &str)> {
        let is_it = |it: &&Mark| it.kind == MarkKind::Abort && it.frame <= frame && it.node == Some(by.index());
        self.marks.iter().rfind(is_it).map(|it| (it.frame, it.text.as_str()))
    }
}

/// The part of a span from one frame to another. `last` is the last frame of the agent.
fn cut(it: &Span, from: u64, to: u64, last: u64) -> Span {
    match it.times {
        Some(times) => {
            let is_each = times == it.to - it.from + 1;
            let (from, to) = (it.from.max(from), it.to.min(to));
            Span { from, to, times: Some(if is_each { to - from + 1 } else { times }), ..*it }
        }
        None if it.to > to || it.to == OPEN => Span { to: to.min(last).max(it.from), how: How::Running, ..*it },
        None => *it,
    }
}

/// Joins successive activations that each lasted within a frame: a tree that checks its conditions
/// in every tick has thousands of them.
fn joined(spans: Vec<Span>) -> Vec<Span> {
    let mut all: Vec<Span> = Vec::with_capacity(spans.len());
    let mut last: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for it in spans {
        let place = last.insert((it.tree, it.node), all.len());
        let before = place.map(|place| (place, all[place]));
        let is_short = |it: &Span| it.from == it.to || it.times.is_some();
        match before.filter(|(_, old)| is_short(old) && is_short(&it) && old.how == it.how && it.from <= old.to + 1) {
            Some((place, old)) => {
                last.insert((it.tree, it.node), place);
                all[place] = Span { to: it.to, times: Some(old.times.unwrap_or(1) + 1), ..old };
            }
            None => all.push(it),
        }
    }
    all
}

impl Teller {
    fn frame(&mut self, replay: &Replay<Stage>, events: Vec<TraceEvent>) {
        let frame = replay.frame();
        let here = replay.agent(self.number).flatten();
        let Some((id, agent)) = here.and_then(|it| Some((it, replay.forest().agent(it).ok()?))) else {
            if self.tree.take().is_some() {
                self.close_all(frame);
                self.mark(frame, MarkKind::Left, None, "the agent left".to_owned());
            }
            return;
        };
        let tree = self.all.iter().position(|it| Arc::ptr_eq(it, agent.tree()));
        let Some(at) = tree else { return };
        let first = self.story.life.map_or(frame, |it| it.0);
        self.story.life = Some((first, frame));
        let came = replay.changed().contains(&id);
        let is_new = self.tree != Some(at);
        if is_new {
            self.close_all(frame);
            self.held.clear();
            self.said.clear();
            let (kind, text) = match (self.tree, first == frame) {
                (Some(_), _) => (
                    MarkKind::Reload,
                    format!("the agent continues with version {} of its tree", version(&self.all, at)),
                ),
                (None, true) => (MarkKind::Came, came_in_words(replay)),
                (None, false) => (MarkKind::Came, "the agent is back".to_owned()),
            };
            self.mark(frame, kind, None, text);
            self.story.trees.push(TreeSpan { from: frame, tree: at });
            self.tree = Some(at);
        }
        let phase = agent.phase();
        let panicked = phase == Phase::Panicked && self.phase != Some(Phase::Panicked);
        let is_quiet = |it: &TraceEvent| said(it).is_some_and(|it| self.said.get(&it.0) == Some(&it.1));
        let given: Vec<Given> = replay.given().iter().filter(|it| it.0 == id).map(|it| it.1).collect();
        let events: Vec<TraceEvent> = events.into_iter().filter(|it| !is_quiet(it)).collect();
        if events.is_empty() && given.is_empty() && !came && !is_new && Some(phase) == self.phase {
            // Some frames only bring the values of keys.
            if replay.keys_every() > 0 && self.keys(frame, at, &agent) {
                self.change(frame);
            }
            return;
        }
        let view = agent.inspect();
        self.given(frame, &view, &given);
        let causes = Causes::of(&view, &events);
        for event in &events {
            self.event(frame, at, *event);
        }
        for (kind, node, text) in causes.marks {
            self.mark(frame, kind, node, text);
        }
        if panicked {
            // With several branches it is unknown which one panicked.
            let running = self.open.keys().filter_map(|it| view.tree.nodes().nth(*it));
            let mut tops = running.filter(|it| it.children().len() == 0);
            let top = tops.next().filter(|_| tops.next().is_none());
            let name = top.map(|it| it.to_string());
            let top = top.map(|it| it.id().index());
            let text = format!("{} panicked, and the agent stopped", name.as_deref().unwrap_or("a leaf"));
            self.mark(frame, MarkKind::Panic, top, text);
            self.close_all(frame);
        } else if came {
            let is_other = self.reconcile(frame, at, &view) || self.phase.is_some_and(|it| it != phase);
            if is_other && !is_new {
                self.mark(frame, MarkKind::Changed, None, "the game changed the agent".to_owned());
            }
        }
        self.keys(frame, at, &agent);
        self.phase = Some(phase);
        self.change(frame);
    }

    fn given(&mut self, frame: u64, view: &AgentView<Stage>, given: &[Given]) {
        for it in given {
            if let Given::Event(event) = it {
                let text = format!("was told of {}", causes::event(&view.tree, event));
                self.mark(frame, MarkKind::Event, None, text);
            }
        }
    }

    fn event(&mut self, frame: u64, tree: usize, event: TraceEvent) {
        match event {
            TraceEvent::Start(node) => self.begin(frame, tree, node.index()),
            TraceEvent::End(node, outcome) => {
                let how = if outcome == Outcome::Success { How::Success } else { How::Failure };
                self.end(frame, tree, node.index(), how);
            }
            TraceEvent::Aborted(node, _) => self.end(frame, tree, node.index(), How::Aborted),
            _ => self.said.extend(said(&event)),
        }
    }

    fn begin(&mut self, frame: u64, tree: usize, node: usize) {
        let place = self.story.spans.len();
        self.story.spans.push(Span { node, tree, from: frame, to: OPEN, how: How::Running, times: None });
        if let Some(old) = self.open.insert(node, place) {
            let span = &mut self.story.spans[old];
            (span.to, span.how) = (frame, How::Outside);
        }
    }

    /// A node that was active before its agent came counts from when the agent came.
    fn end(&mut self, frame: u64, tree: usize, node: usize, how: How) {
        if !self.open.contains_key(&node) {
            self.begin(frame, tree, node);
        }
        if let Some(place) = self.open.remove(&node) {
            let span = &mut self.story.spans[place];
            (span.to, span.how) = (frame, how);
        }
    }

    fn close_all(&mut self, frame: u64) {
        for place in std::mem::take(&mut self.open).into_values() {
            let span = &mut self.story.spans[place];
            (span.to, span.how) = (frame.max(span.from), How::Outside);
        }
    }

    /// Notes what an agent that was added as a whole does. Returns whether it did something else.
    fn reconcile(&mut self, frame: u64, tree: usize, view: &AgentView<Stage>) -> bool {
        let active: Vec<usize> = view.stacks.iter().flatten().map(|it| it.index()).collect();
        let ended: Vec<usize> = self.open.keys().copied().filter(|it| !active.contains(it)).collect();
        for node in &ended {
            self.end(frame, tree, *node, How::Outside);
        }
        let begun: Vec<usize> = active.into_iter().filter(|it| !self.open.contains_key(it)).collect();
        begun.iter().for_each(|it| self.begin(frame, tree, *it));
        !ended.is_empty() || !begun.is_empty()
    }

    /// Notes the keys that have changed. Returns whether any has.
    fn keys(&mut self, frame: u64, tree: usize, agent: &AgentRef<'_, Stage>) -> bool {
        let (schema, keys) = (agent.tree().schema(), agent.keys());
        let mut is_any = false;
        // The keys of tokens come last.
        for (at, _) in schema.keys().enumerate().filter(|it| !it.1.is_token()) {
            let Some(value) = KeyIndex::new(at).and_then(|it| keys.value(it).ok()) else { continue };
            match self.held.get_mut(at) {
                Some(held) if *held == value => continue,
                Some(held) => *held = value,
                None => self.held.push(value),
            }
            let points = self.story.keys.entry((tree, at)).or_default();
            let value = key_value(schema, value);
            // A NaN differs from itself.
            if points.last().is_none_or(|it| it.1 != value) {
                points.push((frame, value));
                is_any = true;
            }
        }
        is_any
    }

    fn mark(&mut self, frame: u64, kind: MarkKind, node: Option<usize>, text: String) {
        self.change(frame);
        self.story.marks.push(Mark { frame, kind, node, text });
    }

    fn change(&mut self, frame: u64) {
        if self.story.changes.last() != Some(&frame) {
            self.story.changes.push(frame);
        }
    }
}

/// The answer of a condition that is asked again and again.
fn said(event: &TraceEvent) -> Option<(NodeId, Status)> {
    match *event {
        TraceEvent::Recheck(node, status) => Some((node, status)),
        TraceEvent::Check(node, holds) => Some((node, Status::from_bool(holds))),
        _ => None,
    }
}

/// The version of a tree among those of its name, from 1.
fn version(all: &[Arc<Tree<Stage>>], at: usize) -> usize {
    all[..=at].iter().filter(|it| it.name() == all[at].name()).count()
}

/// How a new agent came. If frames were dropped, it may have existed before.
fn came_in_words(replay: &Replay<Stage>) -> String {
    match replay.played() {
        1 => "the recording begins".to_owned(),
        played if played <= replay.complete_after() => "the recording has the agent from here on".to_owned(),
        _ => "the agent came".to_owned(),
    }
}

/// The value of a key.
fn key_value(schema: &pleach::schema::Schema, value: Value) -> KeyValue {
    let number = |it: f32| rounded(f64::from(it));
    match value {
        Value::Bool(it) => KeyValue::Flag(it),
        #[expect(clippy::cast_precision_loss, reason = "a page has no other numbers")]
        Value::Int(it) => KeyValue::Number(it as f64),
        Value::Float(it) if it.is_finite() => KeyValue::Number(number(it)),
        Value::Time(it) => KeyValue::Number(rounded(it.as_secs_f64())),
        Value::Vec2(it) if it.iter().all(|it| it.is_finite()) => KeyValue::Numbers(it.map(number).into()),
        Value::Vec3(it) if it.iter().all(|it| it.is_finite()) => KeyValue::Numbers(it.map(number).into()),
        other => KeyValue::Text(pleach_view::words::value(schema, other)),
    }
}
