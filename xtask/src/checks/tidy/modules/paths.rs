//! The paths in a Rust file to other modules of its crate.

use proc_macro2::TokenTree;

use crate::checks::tidy::source::{braces, inside, is_punct, line, word};

/// A path, from the root of the crate.
#[derive(Debug)]
pub(super) struct Path {
    pub(super) line: usize,
    /// One at least.
    pub(super) segments: Vec<String>,
    /// In the root of the crate a path may begin with a module, or with anything else.
    pub(super) relative: bool,
    /// The name that a `use` introduces.
    pub(super) imported_as: Option<String>,
    /// Whether it is from a `pub use`.
    pub(super) exported: bool,
}

/// Every path in the tokens of a module that begins at the root of the crate, and in the root every
/// path that begins with a name.
pub(super) fn paths(tokens: &[TokenTree], module: &[String]) -> Vec<Path> {
    let mut found = Vec::new();
    walk(tokens, module, &mut found);
    found
}

/// The modules declared by the tokens of a module, nested ones included.
pub(super) fn declared(tokens: &[TokenTree], module: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if word(Some(token)).as_deref() == Some("mod")
            && let Some(name) = word(tokens.get(at + 1))
        {
            let inner = [module, &[name]].concat();
            if let Some(body) = tokens.get(at + 2).and_then(braces) {
                found.extend(declared(&body, &inner));
            }
            found.push(inner);
        }
    }
    found
}

fn walk(tokens: &[TokenTree], module: &[String], found: &mut Vec<Path>) {
    let mut at = 0;
    while at < tokens.len() {
        let (token, next) = (&tokens[at], tokens.get(at + 1));
        match word(Some(token)).as_deref() {
            Some("mod") if tokens.get(at + 2).is_some_and(|it| braces(it).is_some()) => {
                let name = word(next).unwrap_or_default();
                walk(&braces(&tokens[at + 2]).unwrap_or_default(), &[module, &[name]].concat(), found);
                at += 3;
                continue;
            }
            // Not the `use<…>` of a type.
            Some("use") if !is_punct(next, '<') => {
                let end = tokens[at..].iter().position(|it| is_punct(Some(it), ';')).map_or(tokens.len(), |it| at + it);
                let exported = is_public(&tokens[..at]);
                for mut leaf in use_tree(&tokens[at + 1..end], &[]) {
                    leaf.exported = exported;
                    found.extend(absolute(leaf, module));
                }
                at = end;
            }
            Some(_) if is_separator(tokens, at + 1) && !(at > 1 && is_separator(tokens, at - 2)) => {
                let mut path = Path {
                    line: line(token),
                    segments: word(Some(token)).into_iter().collect(),
                    relative: false,
                    imported_as: None,
                    exported: false,
                };
                while is_separator(tokens, at + 1)
                    && let Some(segment) = word(tokens.get(at + 3))
                {
                    path.segments.push(segment);
                    at += 3;
                }
                found.extend(absolute(path, module));
            }
            _ => {
                if let Some(tokens) = inside(token) {
                    walk(&tokens, module, found);
                }
            }
        }
        at += 1;
    }
}

/// Whether the tokens end in `pub` or `pub(…)`.
fn is_public(before: &[TokenTree]) -> bool {
    let before =
        if before.last().is_some_and(|it| inside(it).is_some()) { &before[..before.len() - 1] } else { before };
    word(before.last()).as_deref() == Some("pub")
}

/// `::`.
fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')
}

/// The leaves of the tree after `use`, or of a part of it, each with its prefix.
fn use_tree(tokens: &[TokenTree], prefix: &[String]) -> Vec<Path> {
    let mut leaves = Vec::new();
    for tree in tokens.split(|it| is_punct(Some(it), ',')).filter(|it| !it.is_empty()) {
        let (mut segments, mut renamed) = (prefix.to_vec(), None);
        let mut at = 0;
        let mut nested = false;
        while let Some(token) = tree.get(at) {
            match word(Some(token)).as_deref() {
                Some("as") => {
                    renamed = word(tree.get(at + 1));
                    break;
                }
                // `a::{self}` is `a`.
                Some("self") if !segments.is_empty() => {}
                Some(name) => segments.push(name.into()),
                None if is_punct(Some(token), '*') => segments.push("*".into()),
                None => {
                    if let Some(inner) = braces(token) {
                        leaves.extend(use_tree(&inner, &segments));
                        nested = true;
                    }
                }
            }
            at += 1;
        }
        if !nested && !segments.is_empty() {
            let imported_as = renamed.or_else(|| segments.last().cloned());
            leaves.push(Path { line: line(&tree[0]), segments, relative: false, imported_as, exported: false });
        }
    }
    leaves
}

/// The path from the root of the crate, if it may refer to another module.
fn absolute(mut path: Path, module: &[String]) -> Option<Path> {
    let mut base = module.to_vec();
    let mut rest = path.segments.as_slice();
    match rest[0].as_str() {
        "crate" => (base, rest) = (Vec::new(), &rest[1..]),
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|it| it == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        // A name without a prefix in a module is below it, or was imported.
        _ if module.is_empty() => path.relative = true,
        _ => return None,
    }
    path.segments = [base.as_slice(), rest].concat();
    (!path.segments.is_empty()).then_some(path)
}
