//! How many public items there are, and which type has the most methods.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use proc_macro2::TokenTree;

use super::source::{Source, braces, inside, is_punct, word};

/// Items that are `pub` (not `pub(crate)`), by keyword. Functions of types and traits count;
/// fields, variants, re-exports and items compiled only for tests do not.
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

/// How many names the root of a crate re-exports, including those in its inline modules; names that
/// begin with two underscores are not part of the interface. A re-exported module counts as one.
pub(super) fn names(sources: &[&Source]) -> usize {
    let root = sources.iter().find(|it| it.path.ends_with("src/lib.rs"));
    root.map_or(0, |it| handed_on(&it.shipped()))
}

fn handed_on(tokens: &[TokenTree]) -> usize {
    let mut count = 0;
    for (at, token) in tokens.iter().enumerate() {
        let name = |at: usize| word(tokens.get(at)).unwrap_or_default();
        match word(Some(token)).as_deref() {
            Some("use") if at > 0 && name(at - 1) == "pub" => {
                let end = tokens[at..].iter().position(|it| is_punct(Some(it), ';')).map_or(tokens.len(), |it| at + it);
                count += leaves(&tokens[at + 1..end]);
            }
            Some("mod") if !name(at + 1).starts_with("__") => {
                count += tokens.get(at + 2).and_then(braces).map_or(0, |it| handed_on(&it));
            }
            _ => {}
        }
    }
    count
}

/// The names at the ends of the paths of a `use`.
fn leaves(tokens: &[TokenTree]) -> usize {
    let leaf = |at: usize| match tokens.get(at + 1) {
        None => true,
        next => is_punct(next, ','),
    };
    let count = |(at, token): (usize, &TokenTree)| match braces(token) {
        Some(inner) => leaves(&inner),
        None => usize::from(word(Some(token)).is_some() && leaf(at)),
    };
    tokens.iter().enumerate().map(count).sum()
}

/// The type of a crate that has the most public inherent methods. Methods of one name in several
/// `impl`s, such as with and without a feature, count once.
pub(super) fn widest(sources: &[&Source]) -> Option<(usize, String)> {
    let mut methods = BTreeMap::<String, BTreeSet<String>>::new();
    for source in sources {
        let tokens = source.shipped();
        for (at, _) in tokens.iter().enumerate().filter(|(_, it)| word(Some(it)).as_deref() == Some("impl")) {
            if let Some((name, body)) = of_type(&tokens[at + 1..]) {
                let known = methods.entry(name).or_default();
                let public = body.iter().enumerate().filter(|(_, it)| word(Some(it)).as_deref() == Some("pub"));
                known.extend(public.filter_map(|(at, _)| {
                    let mut words = body[at + 1..].iter().map_while(|it| word(Some(it)));
                    words.find(|it| it == "fn").and_then(|_| words.next())
                }));
            }
        }
    }
    let counts = methods.into_iter().map(|(name, methods)| (methods.len(), name));
    counts.max_by(|one, other| (one.0, &other.1).cmp(&(other.0, &one.1)))
}

/// The name and the body of an inherent `impl`; `None` for a trait's.
fn of_type(tokens: &[TokenTree]) -> Option<(String, Vec<TokenTree>)> {
    let (mut depth, mut name) = (0_usize, None);
    for (at, token) in tokens.iter().enumerate() {
        let arrow = at > 0 && is_punct(tokens.get(at - 1), '-');
        match word(Some(token)) {
            _ if is_punct(Some(token), '<') => depth += 1,
            _ if is_punct(Some(token), '>') && !arrow => depth = depth.saturating_sub(1),
            Some(it) if depth == 0 && it == "for" => return None,
            Some(it) if depth == 0 && it == "where" => {
                let body = tokens[at..].iter().find_map(braces)?;
                return Some((name?, body));
            }
            Some(it) if depth == 0 => name = Some(it),
            _ if depth == 0 && braces(token).is_some() => return Some((name?, braces(token)?)),
            _ => {}
        }
    }
    None
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
