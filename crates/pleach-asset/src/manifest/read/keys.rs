//! The keys that the game relies on.

use std::collections::HashMap;

use pleach_core::Type;
use pleach_core::expr::is_word;
use pleach_core::schema::{KeyNeed, NeededWords, Scope};

use super::Reader;
use crate::registry::RegistryError;
use crate::span::{Span, Word};
use crate::syntax::{List, Value};

const FIELDS: [&str; 8] = ["name", "tree", "scope", "type", "words", "optional", "access", "doc"];

/// The tree of a key, the place of its name, and the key itself.
type NeedEntry<'a> = (Option<&'a str>, Span, KeyNeed);

impl Reader {
    pub(super) fn keys(&mut self, items: List<'_>) -> Vec<(Option<String>, KeyNeed)> {
        let mut keys = Vec::new();
        let mut seen: HashMap<(&str, Scope), Vec<NeedEntry<'_>>> = HashMap::new();
        for item in items {
            let Some((name, tree, key)) = self.key(item) else { continue };
            let tree = tree.map(|it| it.text);
            let before = seen.entry((name.text, key.scope)).or_default();
            // A key of all trees is also one of each.
            let mut same = before.iter().filter(|it| tree.is_none() || it.0.is_none() || it.0 == tree);
            if let Some((_, first, _)) = same.find(|it| it.2.differs(&key)) {
                let error = RegistryError::KeyDiffers { key: key.name };
                self.error(name.span, error.to_string()).also = Some(Box::new((*first, "the first".into())));
                continue;
            }
            before.push((tree, name.span, key.clone()));
            keys.push((tree.map(Into::into), key));
        }
        keys
    }

    /// A key, with its name and that of its tree.
    fn key<'a>(&mut self, item: Value<'a>) -> Option<(Word<'a>, Option<Word<'a>>, KeyNeed)> {
        let (name, [_, tree, scope, ty, words, optional, access, doc]) = self.entry(item, "a key", FIELDS)?;
        if !name.text.split('.').all(is_word) {
            self.error(name.span, format!("`{}` cannot be the name of a key", name.text));
        }
        if ty.is_none() {
            self.error(name.span, format!("the key `{}` has no `type`", name.text));
        }
        let tree = tree.and_then(|it| self.optional(it)).and_then(|it| self.text(it, "tree"));
        let scope = scope.and_then(|it| {
            let at = self.word(it, "scope", &["Agent", "Group", "Global"])?.0;
            Some([Scope::Agent, Scope::Group, Scope::Global][at])
        });
        let words = words.and_then(|it| Some((it.span(), self.list(it, "words")?))).map(|(span, it)| {
            let all: Vec<String> = it.filter_map(|it| Some(self.text(it, "words")?.text.to_owned())).collect();
            (span, all)
        });
        let optional = optional.and_then(|it| self.boolean(it, "optional")).unwrap_or_default();
        let access = access.and_then(|it| self.access(it));
        let doc = doc.and_then(|it| self.text(it, "doc")).map_or("", |it| it.text).to_owned();
        let ty = self.key_type(ty?)?;
        let words = match words {
            Some((span, all)) if !all.is_empty() && ty != Type::Symbol => {
                self.error(span, format!("only a Symbol has words, and the key `{}` is {ty}", name.text));
                NeededWords::Any
            }
            Some((_, all)) if !all.is_empty() => NeededWords::Exactly(all),
            _ => NeededWords::Any,
        };
        let mut key = KeyNeed::new(name.text, scope.unwrap_or(Scope::Agent), ty);
        (key.words, key.optional, key.access, key.doc) = (words, optional, access, doc);
        Some((name, tree, key))
    }
}
