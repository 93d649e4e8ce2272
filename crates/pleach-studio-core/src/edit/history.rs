//! What was changed, over all files: undo and redo.

use std::collections::BTreeMap;

/// How many bytes of changes are kept. Older ones cannot be undone.
const MOST_BYTES: usize = 64 << 20;

/// The text of a file; `None` if there is no such file.
pub(super) type Text = Option<String>;

/// A change of the text of a file.
#[derive(Debug)]
enum Delta {
    /// At a byte, one text replaced another.
    Splice { at: usize, before: String, after: String },
    /// It came or went.
    Whole { before: Text, after: Text },
}

impl Delta {
    fn of(before: &Text, after: &Text) -> Self {
        let (Some(old), Some(new)) = (before, after) else {
            return Delta::Whole { before: before.clone(), after: after.clone() };
        };
        let same = |(a, b): &(u8, u8)| a == b;
        let mut at = old.bytes().zip(new.bytes()).take_while(same).count();
        while !(old.is_char_boundary(at) && new.is_char_boundary(at)) {
            at -= 1;
        }
        let mut end = old[at..].bytes().rev().zip(new[at..].bytes().rev()).take_while(same).count();
        while !(old.is_char_boundary(old.len() - end) && new.is_char_boundary(new.len() - end)) {
            end -= 1;
        }
        let part = |it: &str| it[at..it.len() - end].to_owned();
        Delta::Splice { at, before: part(old), after: part(new) }
    }

    fn size(&self) -> usize {
        match self {
            Delta::Splice { before, after, .. } => before.len() + after.len(),
            Delta::Whole { before, after } => [before, after].into_iter().flatten().map(String::len).sum(),
        }
    }

    /// The text after the change, or before it if it is undone; `None` if this is not the text
    /// before or after the change.
    fn make(&self, text: &Text, is_undo: bool) -> Option<Text> {
        match self {
            Delta::Whole { before, after } => {
                let (from, to) = if is_undo { (after, before) } else { (before, after) };
                (text == from).then(|| to.clone())
            }
            Delta::Splice { at, before, after } => {
                let (from, to) = if is_undo { (after, before) } else { (before, after) };
                let mut text = text.clone()?;
                let range = *at..*at + from.len();
                if text.get(range.clone()) != Some(from) {
                    return None;
                }
                text.replace_range(range, to);
                Some(Some(text))
            }
        }
    }
}

/// A change, of one file or several.
#[derive(Debug)]
struct Step {
    what: String,
    deltas: Vec<(String, Delta)>,
    /// The file and the node to look at when it is undone, and when it is made again.
    looks: [Look; 2],
}

/// A file, and a node of it.
pub(super) type Look = (String, Option<usize>);

/// The texts of files, and where to look then.
pub(super) type Turned = (BTreeMap<String, Text>, Look);

/// All changes in their order.
#[derive(Debug, Default)]
pub(super) struct History {
    steps: Vec<Step>,
    /// How many of them are applied: the others were undone.
    made: usize,
}

impl History {
    /// Notes a new change. Those that were undone are forgotten.
    pub(super) fn note(&mut self, what: String, texts: &[(String, Text, Text)], looks: [Look; 2]) {
        self.steps.truncate(self.made);
        let deltas = texts.iter().map(|(file, before, after)| (file.clone(), Delta::of(before, after))).collect();
        self.steps.push(Step { what, deltas, looks });
        let size = |it: &Step| it.deltas.iter().map(|it| it.1.size()).sum::<usize>();
        let mut all: usize = self.steps.iter().map(size).sum();
        while all > MOST_BYTES && self.steps.len() > 1 {
            all -= size(&self.steps.remove(0));
        }
        self.made = self.steps.len();
    }

    pub(super) fn undo_what(&self) -> Option<&str> {
        Some(&self.steps.get(self.made.checked_sub(1)?)?.what)
    }

    pub(super) fn redo_what(&self) -> Option<&str> {
        Some(&self.steps.get(self.made)?.what)
    }

    /// The texts after the last change is undone, or the next one redone, and where to look; `None`
    /// if there is none.
    ///
    /// # Errors
    /// A file no longer has the text that the change expects: another program has written it.
    pub(super) fn turn(&mut self, is_undo: bool, text: impl Fn(&str) -> Text) -> Result<Option<Turned>, String> {
        let at = if is_undo { self.made.checked_sub(1) } else { Some(self.made) };
        let Some((at, step)) = at.and_then(|at| Some((at, self.steps.get(at)?))) else { return Ok(None) };
        let mut texts = BTreeMap::new();
        for (file, delta) in &step.deltas {
            let Some(text) = delta.make(&text(file), is_undo) else {
                let again = if is_undo { "taken back" } else { "made again" };
                return Err(format!("\"{}\" cannot be {again}: `{file}` is another file by now", step.what));
            };
            texts.insert(file.clone(), text);
        }
        self.made = if is_undo { at } else { at + 1 };
        Ok(Some((texts, step.looks[usize::from(!is_undo)].clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_small_and_go_back() {
        let cases = [("aéb", "aèb"), ("", "a"), ("aa", "aaa"), ("ab\ncd", "ab\nxcd"), ("é", "è"), ("abc", "abc")];
        for (before, after) in cases {
            let (old, new) = (Some(before.to_owned()), Some(after.to_owned()));
            let delta = Delta::of(&old, &new);
            assert_eq!((delta.make(&new, true), delta.make(&old, false)), (Some(old), Some(new)), "{before} {after}");
            assert!(delta.size() <= 4, "{before} {after}");
        }
    }

    #[test]
    fn a_new_change_forgets_what_was_taken_back() {
        let mut history = History::default();
        let look = || [("f".to_owned(), None), ("f".to_owned(), Some(1))];
        for it in ["b", "c"] {
            history.note(it.into(), &[("f".into(), Some("a".into()), Some(it.into()))], look());
        }
        assert_eq!(history.undo_what(), Some("c"));
        let (texts, look_at) = history.turn(true, |_| Some("c".into())).unwrap().unwrap();
        assert_eq!((texts["f"].as_deref(), look_at), (Some("a"), ("f".into(), None)));
        assert_eq!((history.undo_what(), history.redo_what()), (Some("b"), Some("c")));
        history.note("d".into(), &[("f".into(), None, Some("d".into()))], look());
        assert_eq!((history.undo_what(), history.redo_what()), (Some("d"), None));
        assert_eq!(history.turn(false, |_| None), Ok(None));
    }

    #[test]
    fn a_change_is_made_only_to_the_text_that_it_knows() {
        let (none, old, new) = (None, Some("old".to_owned()), Some("new".to_owned()));
        let other = Some("the text of another".to_owned());
        for (before, after) in [(&none, &new), (&old, &none), (&old, &new)] {
            let mut history = History::default();
            let look = || ("f".to_owned(), None);
            history.note("it".into(), &[("f".into(), before.clone(), after.clone())], [look(), look()]);
            let refused = history.turn(true, |_| other.clone()).unwrap_err();
            assert_eq!(refused, "\"it\" cannot be taken back: `f` is another file by now");
            assert_eq!(history.undo_what(), Some("it"), "it stays as it was");
            assert_eq!(history.turn(true, |_| after.clone()).unwrap().unwrap().0["f"], *before);
            let refused = history.turn(false, |_| other.clone()).unwrap_err();
            assert_eq!(refused, "\"it\" cannot be made again: `f` is another file by now");
            assert_eq!(history.turn(false, |_| before.clone()).unwrap().unwrap().0["f"], *after);
        }
    }
}
