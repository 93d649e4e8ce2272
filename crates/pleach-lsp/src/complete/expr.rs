//! Inside expressions: keys, functions, scopes and words.

use pleach::tools::{SCOPES, functions};

use super::List;
use super::insert::{Insert, Kind};
use crate::names::{self, ExprKind, ExprWord, Key, expr_words};
use crate::syntax::At;

impl List<'_, '_> {
    pub(super) fn expr(&mut self, at: At) {
        let span = self.doc.syntax.word_span(&self.doc.text, at);
        let words = expr_words(&self.doc.text[span.clone()], span.start);
        let is_word = |it: &&ExprWord| !matches!(it.kind, ExprKind::Operator | ExprKind::Number);
        let here = words.iter().filter(is_word).find(|it| it.span.start <= self.byte && self.byte <= it.span.end);
        let replaced = here.map_or(self.byte..self.byte, |it| it.span.clone());
        let before: Vec<&ExprWord> = words.iter().filter(|it| it.span.end <= replaced.start).collect();
        let text = |it: &ExprWord| self.doc.text[it.span.clone()].to_owned();
        let written: Vec<String> = before.iter().map(|it| text(it)).collect();
        let mut found = Vec::new();
        let (there, keys) = self.keys();
        match &written[..] {
            [.., scope, dot] if dot == "." && SCOPES.contains(&&**scope) => {
                let of_scope = keys.iter().filter(|it| it.scope == scope);
                found.extend(of_scope.map(|it| self.key(there, it, true)));
            }
            [.., _, dot] if dot == "." => found.extend(["x", "y", "z"].map(|it| Insert::new(it, Kind::Field))),
            _ => {
                found.extend(self.words_of_compared(&written, &keys));
                found.extend(keys.iter().map(|it| self.key(there, it, true)));
                for it in functions() {
                    let insert = Insert::new(it.name, Kind::Leaf).snippet(&format!("{}($1)", it.name));
                    found.push(insert.detail(it.usage).docs(it.doc.to_owned()).rank(2));
                }
                let is_shared = |scope: &str| keys.iter().any(|it| it.scope == scope);
                let scopes = SCOPES.into_iter().filter(|it| is_shared(it));
                let dot = if self.doc.text[replaced.end..].starts_with('.') { "" } else { "." };
                found.extend(scopes.map(|it| Insert::new(it, Kind::Keyword).with(dot).rank(3)));
                found.extend(names::keywords().map(|it| Insert::new(it, Kind::Keyword).rank(3)));
            }
        }
        found.into_iter().for_each(|it| self.push_at(it, &replaced));
    }

    /// After `mode ==` the words of `mode`.
    fn words_of_compared(&self, before: &[String], keys: &[Key]) -> Vec<Insert> {
        // The lexer returns each sign on its own.
        let signs = before.iter().rev().take_while(|it| matches!(&***it, "=" | "!")).count();
        let Some(name) = before.iter().rev().nth(2).filter(|_| signs == 2) else { return Vec::new() };
        let (there, _) = self.keys();
        let key = keys.iter().find(|it| there.word(it.name) == name);
        let words = key.and_then(|it| it.value).map(|it| names::symbol_words(there, it)).unwrap_or_default();
        words.into_iter().map(|it| Insert::new(there.word(it), Kind::Word).rank(0)).collect()
    }
}
