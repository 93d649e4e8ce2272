//! Words that the project has given up: phrases in comments and documents, and names of types.

use std::ops::Range;

use proc_macro2::TokenTree;

use super::Finding;
use super::source::{File, Source, inside, line, word};

/// Each phrase in lower case, and what to write instead.
const PHRASES: [(&str, &str); 11] = [
    ("such a one", "repeat the noun"),
    ("so many", "write `that many`, or name the number"),
    ("whoever", "name the actor: the agent, the game, the caller"),
    ("is told", "say what it receives, or who notifies it"),
    ("are told", "say what they receive, or who notifies them"),
    ("takes some", "give the number, or write `takes a few`"),
    ("short way", "write `fast path` or `fast tick`"),
    ("all that", "write `everything`, or `every` and the noun"),
    ("nobody", "name the actor: no agent, no caller"),
    ("somebody", "name the actor: an agent, a caller"),
    ("anew", "write `again` or `restarts`"),
];

const TYPES: [&str; 13] =
    ["Led", "Lent", "Told", "Woken", "Begun", "Parted", "Coming", "Gone", "Here", "Called", "Seen", "Asked", "Left"];

/// Checks a document. Its fenced code is not prose.
pub(super) fn check_document(file: &File, findings: &mut Vec<Finding>) {
    let mut fenced = false;
    for (index, text) in file.text.lines().enumerate() {
        fenced ^= text.trim_start().starts_with("```");
        findings.extend(phrases(text).filter(|_| !fenced).map(|it| found(file, index + 1, it)));
    }
}

/// Checks the comments of a Rust file, and the types that it declares.
pub(super) fn check_source(file: &File, source: &Source, findings: &mut Vec<Finding>) {
    let mut strings = Vec::new();
    let mut find = |line, name: &str| findings.push(found(file, line, (name, "name what it holds")));
    walk(&source.tokens, &mut strings, &mut find);
    for (index, text) in file.text.lines().enumerate() {
        if !strings.iter().any(|it| it.contains(&index)) {
            findings.extend(phrases(comment(text)).map(|it| found(file, index + 1, it)));
        }
    }
}

fn found(file: &File, line: usize, (what, help): (&str, &str)) -> Finding {
    Finding::new(&file.path, line, format!("`{what}` is given up"), help)
}

/// The phrases of a text, as whole words.
fn phrases(text: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let text = text.to_lowercase();
    PHRASES.into_iter().filter(move |(phrase, _)| {
        let part = |it: char| it.is_alphanumeric() || it == '_';
        let mut places = text.match_indices(phrase).map(|it| it.0);
        places.any(|at| !text[..at].ends_with(part) && !text[at + phrase.len()..].starts_with(part))
    })
}

/// The comment at the end of a line, which comes after whole strings.
fn comment(text: &str) -> &str {
    let quotes = |it: &str| it.matches('"').count() - it.matches("\\\"").count();
    let mut slashes = text.match_indices("//").map(|it| it.0);
    slashes.find(|it| quotes(&text[..*it]).is_multiple_of(2)).map_or("", |it| &text[it..])
}

/// Finds the declared types, and the lines that begin inside a string, counted from 0.
fn walk(tokens: &[TokenTree], strings: &mut Vec<Range<usize>>, find: &mut impl FnMut(usize, &str)) {
    for (at, token) in tokens.iter().enumerate() {
        if let TokenTree::Literal(it) = token {
            strings.extend(Some(it.span().start().line..it.span().end().line).filter(|it| !it.is_empty()));
        }
        if let Some("struct" | "enum" | "type" | "trait") = word(Some(token)).as_deref()
            && let Some(name) = word(tokens.get(at + 1)).filter(|it| TYPES.contains(&it.as_str()))
        {
            find(line(token), &name);
        }
        if let Some(tokens) = inside(token) {
            walk(&tokens, strings, find);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let (file, mut findings) = (File { path: path.into(), text: text.into() }, Vec::new());
        match Source::parse(&file).ok().filter(|_| path.ends_with(".rs")) {
            Some(source) => check_source(&file, &source, &mut findings),
            None => check_document(&file, &mut findings),
        }
        findings.iter().map(|it| it.line).collect()
    }

    #[test]
    fn words_are_found_in_comments_documents_and_declared_types() {
        assert_eq!(
            lines("a.rs", "//! Whoever.\n/// Is told.\nfn f() {} // \"So many\"\nenum Seen { Told }\n"),
            [4, 1, 2, 3]
        );
        assert_eq!(
            lines("a.rs", "const A: &str = \"// anew\n// anew\n\"; // renewed anew_\nconst B: &str = \"nobody\";\n"),
            [0; 0]
        );
        assert_eq!(lines("a.md", "Not all. That, or `all that`.\n```\nnobody\n```\nStarts anew.\n"), [1, 5]);
    }
}
