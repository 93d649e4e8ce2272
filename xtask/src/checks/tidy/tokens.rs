//! Rules about tokens: what no Rust file may contain.

use proc_macro2::TokenTree;

use super::Finding;
use super::source::{Source, braces, inside, is_punct, line, word};

pub(super) fn check(source: &Source, findings: &mut Vec<Finding>) {
    let mut find = |line, what: &str, help: &str| findings.push(Finding::new(&source.path, line, what, help));
    walk(&source.tokens, &mut find);
}

fn walk(tokens: &[TokenTree], find: &mut impl FnMut(usize, &str, &str)) {
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        match word(Some(token)).as_deref() {
            Some("pub") => {
                // `pub(crate)` too.
                let visibility = next.is_some_and(|it| inside(it).is_some());
                let item = at + 1 + usize::from(visibility);
                if word(tokens.get(item)).as_deref() == Some("use") && is_glob(&tokens[item..]) {
                    find(line(token), "a glob re-export", "name what is exported");
                }
            }
            Some(name @ ("todo" | "unimplemented")) if is_punct(next, '!') => {
                find(line(token), &format!("`{name}!`"), "write what is missing, or return an error");
            }
            _ => {}
        }
        if is_punct(Some(token), '#')
            && let Some(attribute) = next.and_then(inside)
            && word(attribute.first()).as_deref() == Some("ignore")
        {
            find(line(token), "an ignored test", "mend what it tests, or delete it");
        }
        if let Some(tokens) = inside(token) {
            walk(&tokens, find);
        }
    }
}

/// Whether `use …;` has a star anywhere.
fn is_glob(tokens: &[TokenTree]) -> bool {
    let statement = tokens.iter().take_while(|it| !is_punct(Some(it), ';'));
    statement.into_iter().any(|it| is_punct(Some(it), '*') || braces(it).is_some_and(|it| is_glob(&it)))
}
