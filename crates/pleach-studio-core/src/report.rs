//! A part of one agent's life with all answers.

use std::collections::{BTreeSet, HashMap};

use pleach::NodeId;
use pleach::tools::text::plain;

use crate::error::AskError;
use crate::model::{KeyText, Kind, Line, MomentChange, MomentView, NodeNote, Overview, Reasons, Report};
use crate::session::Session;

/// The why-not answers of a larger tree would take long, and more room than the rest.
const MOST_NODES: usize = 2_000;

/// Lines or notes, each once.
struct Table<T> {
    all: Vec<T>,
    /// By word, text, node and time.
    places: HashMap<(String, String, Option<usize>, Option<u64>), usize>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { all: Vec::new(), places: HashMap::new() }
    }
}

impl<T> Table<T> {
    fn place(&mut self, it: T, key: impl Fn(&T) -> (&str, &str, Option<usize>, Option<f64>)) -> usize {
        let (word, text, node, until) = key(&it);
        let key = (word.to_owned(), text.to_owned(), node, until.map(f64::to_bits));
        let next = self.all.len();
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.all.push(it);
        }
        place
    }
}

/// What moments have in common.
#[derive(Default)]
struct Tables {
    lines: Table<Line>,
    notes: Table<NodeNote>,
}

impl Tables {
    fn lines(&mut self, lines: Vec<Line>) -> Vec<usize> {
        let all = lines.into_iter();
        all.map(|it| self.lines.place(it, |it| (&it.word, &it.text, it.node, it.until))).collect()
    }

    /// The share of a score follows from those of its siblings, so it belongs to the key.
    fn notes(&mut self, notes: Vec<NodeNote>) -> Vec<usize> {
        let all = notes.into_iter();
        all.map(|it| self.notes.place(it, |it| (&it.word, &it.text, Some(it.node), it.until.or(it.share)))).collect()
    }
}

impl Session {
    /// A stretch of one agent, from one frame to another, with the answers to all questions about
    /// its moments and about why it does not run its nodes. The stretch is cut to the life of the
    /// agent. Costs a look at each node for each frame in which something changed. For trees with
    /// more than 2 000 nodes, the reasons why nodes do not run are left out, and the overview says
    /// so.
    ///
    /// # Errors
    /// There is no such agent, or it is not there between these frames.
    pub fn report(&mut self, agent: u32, from: u64, to: u64) -> Result<Report, AskError> {
        let whole = self.track(agent, from, to)?;
        let (first, last) = (whole.first, whole.last);
        if from > last || to < first {
            return Err(AskError::NotThere { number: agent, frame: from, first, last });
        }
        let (from, to) = (from.max(first), to.min(last));
        let mut track = self.track(agent, from, to)?;
        track.life = Vec::new();
        let mut trees: Vec<usize> = track.trees.iter().map(|it| it.tree).collect();
        trees.sort_unstable();
        trees.dedup();
        let mut frames: BTreeSet<u64> = track.changes.iter().copied().collect();
        frames.insert(from);

        let mut tables = Tables::default();
        let mut moments: Vec<MomentChange> = Vec::new();
        let mut before: Option<MomentView> = None;
        let nodes = |at: &usize| self.trees()[*at].len();
        let mut why_not: Vec<Vec<Reasons>> = trees.iter().map(|it| vec![Reasons::new(); nodes(it)]).collect();
        for &frame in &frames {
            let Ok(mut moment) = self.moment(agent, frame) else { continue };
            let Ok(tree) = trees.binary_search(&moment.tree) else { continue };
            moment.tree = tree;
            let (view, at) = self.view(agent, frame)?;
            let mut is_new = false;
            for node in view.tree.nodes().map(|it| it.id()).filter(|_| view.tree.len() <= MOST_NODES) {
                let Some(why) = view.why_not(node) else { continue };
                let answer = match why.active {
                    true => None,
                    false => Some(tables.lines(pleach_view::why_not(&view, &why, at, node).lines)),
                };
                let answers = &mut why_not[tree][NodeId::index(node)];
                if answers.last().is_none_or(|it| it.1 != answer) {
                    answers.push((frame, answer));
                    is_new = true;
                }
            }
            let change = change(before.as_ref(), &moment, &mut tables);
            if is_new || change != (MomentChange { frame, ..MomentChange::default() }) {
                moments.push(change);
                before = Some(moment);
            }
        }
        let shown = |it: &u64| {
            let is_marked = track.marks.binary_search_by_key(it, |it| it.frame).is_ok();
            is_marked || moments.binary_search_by_key(it, |it| it.frame).is_ok()
        };
        let changes: Vec<u64> = track.changes.iter().copied().filter(shown).collect();
        track.changes = changes;
        for it in &mut track.trees {
            it.tree = trees.binary_search(&it.tree).unwrap_or_default();
        }
        track.spans.iter_mut().for_each(|it| it.tree = trees.binary_search(&it.tree).unwrap_or_default());
        track.keys.iter_mut().for_each(|it| it.tree = trees.binary_search(&it.tree).unwrap_or_default());
        let times = self.timeline().times(from, to);
        let mut notes = self.overview_of(&[]).notes;
        if let Some(large) = trees.iter().map(|it| &self.trees()[*it]).find(|it| it.len() > MOST_NODES) {
            let (name, count) = (plain(large.name()), large.len());
            notes.push(format!(
                "Why nodes do not run is left out: the tree `{name}` has {count} nodes, more than {MOST_NODES}."
            ));
        }
        let overview = Overview {
            notes,
            kind: Kind::Report,
            first: from,
            last: to,
            times,
            agent: Some(agent),
            from: Some(from),
            to: Some(to),
            ..self.overview_of(&trees)
        };
        let Tables { lines, notes } = tables;
        Ok(Report { version: 1, overview, track, lines: lines.all, notes: notes.all, moments, why_not })
    }
}

/// The differences from the previous moment.
fn change(before: Option<&MomentView>, now: &MomentView, tables: &mut Tables) -> MomentChange {
    fn if_new<'m, T: PartialEq + Clone + 'm>(
        before: Option<&'m MomentView>,
        now: &'m MomentView,
        field: impl Fn(&'m MomentView) -> &'m T,
    ) -> Option<T> {
        before.is_none_or(|it| field(it) != field(now)).then(|| field(now).clone())
    }
    let is_same_tree = before.is_some_and(|it| it.tree == now.tree);
    let held = |it: &KeyText| is_same_tree && before.is_some_and(|before| before.keys.get(it.key) == Some(it));
    let keys: Vec<KeyText> = now.keys.iter().filter(|it| !held(it)).cloned().collect();
    MomentChange {
        frame: now.frame,
        label: if_new(before, now, |it| &it.label),
        tree: if_new(before, now, |it| &it.tree),
        phase: if_new(before, now, |it| &it.phase),
        running: if_new(before, now, |it| &it.running),
        active: if_new(before, now, |it| &it.active),
        nodes: if_new(before, now, |it| &it.nodes).map(|it| tables.notes(it)),
        conditions: if_new(before, now, |it| &it.conditions),
        explain: if_new(before, now, |it| &it.explain).map(|it| tables.lines(it)),
        last_abort: if_new(before, now, |it| &it.last_abort),
        keys: (before.is_none() || !keys.is_empty()).then_some(keys),
    }
}
