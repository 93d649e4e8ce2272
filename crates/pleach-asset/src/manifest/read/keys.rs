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

impl Reader {
    pub(super) fn keys(&mut self, items: List<'_>) -> Vec<(String, KeyNeed)> {
        let mut keys = Vec::new();
        let mut seen: HashMap<(&str, &str, Scope), (Span, KeyNeed)> = HashMap::new();
        for item in items {
            let Some((name, tree, key)) = self.key(item) else { continue };
            let first = seen.entry((tree.text, name.text, key.scope)).or_insert_with(|| (name.span, key.clone()));
            if (first.1.ty, &first.1.words) != (key.ty, &key.words) {
                let error = RegistryError::KeyDiffers { tree: tree.text.to_owned(), key: key.name };
                self.error(name.span, error.to_string()).also = Some((first.0, "the first".into()));
                continue;
            }
            keys.push((tree.text.to_owned(), key));
        }
        keys
    }

    /// A key, with its name and that of its tree.
    fn key<'a>(&mut self, item: Value<'a>) -> Option<(Word<'a>, Word<'a>, KeyNeed)> {
        let (name, [_, tree, scope, ty, words, optional, access, doc]) = self.entry(item, "a key", FIELDS)?;
        if !name.text.split('.').all(is_word) {
            self.error(name.span, format!("`{}` cannot be the name of a key", name.text));
        }
        let lacks = |this: &mut Self, field: &str| {
            this.error(name.span, format!("the key `{}` has no `{field}`", name.text));
        };
        if tree.is_none() {
            lacks(self, "tree");
        }
        if ty.is_none() {
            lacks(self, "type");
        }
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
        let (tree, ty) = (self.text(tree?, "tree")?, self.key_type(ty?)?);
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
