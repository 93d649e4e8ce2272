//! Values in a baked tree. Views of values trust their list, so the list is checked first.

use std::sync::Arc;

use pleach_core::__baked::Archive;
use pleach_core::limits::MAX_NAME;

use super::value::{Item, Sort, Values};
use crate::limits::MAX_PARAMETER_NESTING;
use crate::span::Span;

const SORTS: [Sort; 9] = [
    Sort::Word,
    Sort::Head,
    Sort::Text,
    Sort::Unescaped,
    Sort::Literal,
    Sort::List,
    Sort::Map,
    Sort::Tuple,
    Sort::Named,
];

impl Values {
    /// Writes it, or reads it.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>) {
        let Values { source, items, unescaped } = self;
        let mut text = source.to_string();
        archive.text(&mut text);
        *source = Arc::from(text);
        let empty = || Item { sort: Sort::Word, span: Span::default(), end: 0 };
        archive.list(items, empty, |archive, it| {
            archive.one_of(&mut it.sort, &SORTS);
            archive.number32(&mut it.span.start);
            archive.number32(&mut it.span.end);
            archive.number32(&mut it.end);
        });
        archive.list(
            unescaped,
            || (0, Box::default()),
            |archive, (at, text)| {
                archive.number32(at);
                let mut it = Some(std::mem::take(text));
                archive.maybe_str(&mut it);
                *text = it.unwrap_or_default();
            },
        );
    }

    /// The indices of the leaf calls, if these values are one list of them, and nothing in it
    /// differs from what a source could have.
    pub(crate) fn calls(&self) -> Option<Vec<u32>> {
        let Values { source, items, unescaped } = self;
        let count = u32::try_from(items.len()).ok()?;
        let root = items.first().filter(|it| it.sort == Sort::List && it.end == count)?;
        let mut open = vec![Open { sort: root.sort, end: root.end, inside: 0 }];
        let (mut calls, mut is_named) = (Vec::new(), false);
        // Where the previous token ends: no text is there twice.
        let mut before = 0;
        for (at, item) in (0..).zip(items).skip(1) {
            while open.last().is_some_and(|it| it.end == at) {
                open.pop().filter(Open::is_complete)?;
            }
            let top = open.last_mut()?;
            let Item { sort, span, end } = *item;
            source.get(span.start()..span.end())?;
            let is_bracket = matches!(sort, Sort::List | Sort::Map | Sort::Tuple | Sort::Named);
            let may_follow = match sort {
                // Its bracket comes next, and ends where it ends.
                Sort::Head => items
                    .get(at as usize + 1)
                    .is_some_and(|it| matches!(it.sort, Sort::Tuple | Sort::Named) && it.end == end),
                Sort::Text => source.get(span.start() + 1..span.end().checked_sub(1)?).is_some(),
                _ => true,
            };
            let has_end = if is_bracket || sort == Sort::Head { end > at } else { end == at + 1 };
            let is_behind = is_bracket || span.start() >= std::mem::replace(&mut before, span.end());
            if !may_follow || !has_end || !is_behind || end > top.end {
                return None;
            }
            // A name and the value after it are one value.
            if !std::mem::replace(&mut is_named, sort == Sort::Head) {
                if top.wants_name() && sort != Sort::Word {
                    return None;
                }
                top.inside += 1;
                if open.len() == 1 {
                    let is_call = matches!(sort, Sort::Word | Sort::Head) && span.end() - span.start() <= MAX_NAME;
                    is_call.then(|| calls.push(at))?;
                }
            }
            if is_bracket {
                open.push(Open { sort, end, inside: 0 });
            }
            if open.len() > MAX_PARAMETER_NESTING + 1 {
                return None;
            }
        }
        let mut escaped = (0..).zip(items).filter(|it| it.1.sort == Sort::Unescaped).map(|it: (u32, _)| it.0);
        let is_known = unescaped.iter().all(|it| escaped.next() == Some(it.0)) && escaped.next().is_none();
        (is_known && open.iter().all(Open::is_complete)).then_some(calls)
    }
}

/// A bracket whose content is being checked.
struct Open {
    sort: Sort,
    end: u32,
    /// How many values and field names there were.
    inside: usize,
}

impl Open {
    /// Whether the name of a field comes next.
    fn wants_name(&self) -> bool {
        self.sort == Sort::Named && self.inside.is_multiple_of(2)
    }

    /// Whether each key and each name has its value.
    fn is_complete(&self) -> bool {
        !matches!(self.sort, Sort::Map | Sort::Named) || self.inside.is_multiple_of(2)
    }
}

#[cfg(all(test, feature = "text"))]
mod tests {
    use super::*;
    use crate::syntax::read;

    fn written(source: &str) -> Values {
        read(&source.into()).expect("it is right")
    }

    fn count(values: &Values) -> Option<usize> {
        values.calls().map(|it| it.len())
    }

    #[test]
    fn a_list_of_calls_comes_back() {
        let source = r#"[Walk, Say("a\nb", ["c"]), Go(to: (1, x: 2), by: {"a": Fast(1), 'b': {}}), Stop()]"#;
        let source = source.replace("x: 2", "2");
        let mut values = written(&source);
        assert_eq!(count(&values), Some(4));
        let mut archive = Archive::writing();
        values.archive(&mut archive);
        let bytes = archive.finish().expect("values can be written");
        let mut again = Values::default();
        let mut archive = Archive::reading(&bytes);
        again.archive(&mut archive);
        assert_eq!(archive.finish(), Ok(Vec::new()));
        assert_eq!(again.calls(), values.calls());
        assert_eq!(again.root(), values.root());
    }

    #[test]
    fn what_is_no_list_of_calls_is_refused() {
        for source in ["Walk", "[1]", "[\"a\"]", "[[Walk]]", "[(a: 1)]", "{Walk: 1}"] {
            assert_eq!(count(&written(source)), None, "{source}");
        }
        let nested = |depth: usize| format!("[Walk{}{}]", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(count(&written(&nested(MAX_PARAMETER_NESTING))), Some(1));
        assert_eq!(count(&written(&nested(MAX_PARAMETER_NESTING + 1))), None);
    }

    #[test]
    fn no_text_is_there_twice() {
        let source = r#"[Say("abc", "def"), "#.to_owned() + &"A".repeat(MAX_NAME) + r#"("\n")]"#;
        assert_eq!(count(&written(&source)), Some(2));
        assert_eq!(count(&written(&source.replace("AA", "AAA"))), None);
        for (at, to) in [(4, 3), (5, 1)] {
            let mut values = written(&source);
            values.items[at].span = values.items[to].span;
            assert_eq!(count(&values), None, "{at}");
        }
        let mut values = written(&source);
        values.unescaped.push((3, "far too much".into()));
        assert_eq!(count(&values), None);
        values.unescaped.clear();
        assert_eq!(count(&values), None);
    }

    #[test]
    fn no_list_of_items_is_believed() {
        // Each number of each item, a little off and far off: whatever is accepted can be traversed
        // to its end.
        let source = r#"[Walk, Say("a", [1]), Go(to: (1, 2), by: {"a": 1})]"#;
        let (mut right, mut wrong) = (0, 0);
        for at in 0..written(source).items.len() {
            for change in [0_u32, 1, 2, 7, u32::MAX / 2, u32::MAX] {
                for part in 0..4 {
                    let mut values = written(source);
                    let item = &mut values.items[at];
                    match part {
                        0 => item.span.start = item.span.start.wrapping_add(change),
                        1 => item.span.end = item.span.end.wrapping_add(change),
                        2 => item.end = item.end.wrapping_add(change),
                        _ => item.sort = SORTS[(change % 9) as usize],
                    }
                    match values.calls() {
                        Some(_) => {
                            right += 1;
                            assert!(!format!("{:?}", values.root()).is_empty());
                        }
                        None => wrong += 1,
                    }
                }
            }
        }
        assert!(right > 50 && wrong > 200, "{right} {wrong}");
    }
}
