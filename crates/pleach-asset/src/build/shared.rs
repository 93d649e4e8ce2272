//! Checks that trees which no file includes declare alike what the trees of a forest share: group
//! and global keys (SEMANTICS 8.9), and events (8.27).

use std::collections::HashMap;

use pleach_core::Type;
use pleach_core::schema::{KeyDefault, Scope};

use super::files::Files;
use crate::code::Code;
use crate::finding::{FileAt, Finding};
use crate::span::Span;

/// What some trees declare for their forest.
#[derive(Default)]
pub(super) struct Shared<'a> {
    keys: HashMap<(Scope, &'a str), (&'a KeyDefault, FileAt, Span)>,
    events: HashMap<&'a str, (Option<Type>, FileAt, Span)>,
    found: Vec<Finding>,
}

impl<'a> Shared<'a> {
    /// Compares the declarations of a tree's file with earlier ones. Files of one tree are known to
    /// agree.
    pub(super) fn add(&mut self, files: &'a Files<'_>, at: FileAt) {
        let Some(tree) = files.get(at).and_then(|it| it.tree.as_ref()) else { return };
        for key in tree.keys.iter().filter(|it| matches!(it.scope, Scope::Group | Scope::Global)) {
            let (name, span) = (key.name.text, key.name.span);
            let &mut (first, file, there) = self.keys.entry((key.scope, name)).or_insert((&key.default, at, span));
            if *first != key.default {
                let what = format!("the {} key `{name}` is declared differently in another tree", key.scope);
                self.found.push(differs(at, span, what, (file, there)));
            }
        }
        for event in &tree.events {
            let (name, span) = (event.name.text, event.name.span);
            let &mut (first, file, there) = self.events.entry(name).or_insert((event.payload, at, span));
            if first != event.payload {
                let payload = |it: Option<Type>| it.map_or("no payload".to_owned(), |it| it.to_string());
                let (here, other) = (payload(event.payload), payload(first));
                let what = format!("the event `{name}` comes with {here} here, and with {other} in another tree");
                self.found.push(differs(at, span, what, (file, there)));
            }
        }
    }

    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.found
    }
}

fn differs(at: FileAt, span: Span, what: String, there: (FileAt, Span)) -> Finding {
    let finding = Finding::new(Code::SharedDiffers, span, what).in_file(at).also_at(there, "declared here");
    finding.help(
        "a forest rejects the second of these trees: all its trees must declare shared keys and events in the same way",
    )
}
