//! How many public items there are.

use std::collections::BTreeMap;
use std::fmt;

use proc_macro2::TokenTree;

use super::source::{Source, inside, word};

/// Items that are `pub` and no less (`pub(crate)` is less), by their keyword. Functions of types and
/// traits count, fields, variants and re-exports do not; nor does what is compiled for tests only.
#[derive(Default)]
pub(super) struct Public(BTreeMap<&'static str, usize>);

const KEYWORDS: [&str; 9] = ["const", "enum", "fn", "mod", "static", "struct", "trait", "type", "union"];

pub(super) fn count(sources: &[&Source]) -> Public {
    let mut public = Public::default();
    for source in sources {
        walk(&source.shipped(), &mut public);
    }
    public
}

fn walk(tokens: &[TokenTree], public: &mut Public) {
    for (at, token) in tokens.iter().enumerate() {
        if word(Some(token)).as_deref() == Some("pub") {
            let mut words = tokens[at + 1..].iter().map_while(|it| word(Some(it)));
            let first = words.next().unwrap_or_default();
            // `pub const fn` is a function.
            let function =
                ["const", "async", "unsafe", "extern"].contains(&first.as_str()) && words.take(3).any(|it| it == "fn");
            let keyword = if function { "fn" } else { &first };
            if let Some(known) = KEYWORDS.iter().find(|it| **it == keyword) {
                *public.0.entry(known).or_default() += 1;
            }
        }
        if let Some(tokens) = inside(token) {
            walk(&tokens, public);
        }
    }
}

impl fmt::Display for Public {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.values().sum::<usize>())?;
        for (index, (keyword, count)) in self.0.iter().enumerate() {
            write!(f, "{}{count} {keyword}", if index == 0 { " (" } else { ", " })?;
        }
        f.write_str(if self.0.is_empty() { "" } else { ")" })
    }
}
