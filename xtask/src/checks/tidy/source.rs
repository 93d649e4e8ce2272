//! The files of the workspace, and Rust files as tokens.

use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::{Finding, TidyError};

/// A text file.
pub(super) struct File {
    /// From the root of the workspace, with slashes.
    pub(super) path: String,
    pub(super) text: String,
}

/// The kinds of files that rules apply to.
const EXTENSIONS: [&str; 3] = ["rs", "md", "toml"];

/// Every file of these kinds, by path. Skips the folders of git, cargo and npm.
pub(super) fn files(root: &Path) -> Result<Vec<File>, TidyError> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let failed = |error| TidyError::Read { path: folder.clone(), error };
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (path, name) = (entry.path(), entry.file_name());
            let kind = entry.file_type().map_err(failed)?;
            let hidden = name.to_string_lossy().starts_with('.') || name == "target" || name == "node_modules";
            if kind.is_dir() && !hidden {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|it| EXTENSIONS.iter().any(|known| it == *known)) {
                let text = fs::read_to_string(&path).map_err(|error| TidyError::Read { path: path.clone(), error })?;
                let parts = path.strip_prefix(root).expect("below the root").components();
                let parts: Vec<_> = parts.map(|it| it.as_os_str().to_string_lossy().into_owned()).collect();
                found.push(File { path: parts.join("/"), text });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

/// A Rust file.
pub(super) struct Source {
    pub(super) path: String,
    /// All its tokens. Comments are not tokens, and doc comments are attributes.
    pub(super) tokens: Vec<TokenTree>,
}

impl Source {
    pub(super) fn parse(file: &File) -> Result<Self, Finding> {
        match file.text.parse::<TokenStream>() {
            Ok(tokens) => Ok(Self { path: file.path.clone(), tokens: tokens.into_iter().collect() }),
            Err(error) => {
                let line = error.span().start().line;
                Err(Finding::new(&file.path, line, format!("not Rust: {error}"), "make it compile"))
            }
        }
    }

    /// The file without the items that are compiled only for tests.
    pub(super) fn shipped(&self) -> Vec<TokenTree> {
        without_tests(&self.tokens)
    }
}

/// Leaves out items under `#[cfg(test)]`.
fn without_tests(tokens: &[TokenTree]) -> Vec<TokenTree> {
    let mut left = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_punct(tokens.get(at), '#') && is_test_attribute(tokens.get(at + 1)) {
            // The rest of the item: to its body or its semicolon.
            let ends = |it: &TokenTree| is_punct(Some(it), ';') || braces(it).is_some();
            at = tokens[at..].iter().position(ends).map_or(tokens.len(), |it| at + it + 1);
            continue;
        }
        left.push(match &tokens[at] {
            TokenTree::Group(group) => {
                let inner: Vec<_> = group.stream().into_iter().collect();
                let mut copy = proc_macro2::Group::new(group.delimiter(), without_tests(&inner).into_iter().collect());
                copy.set_span(group.span());
                TokenTree::Group(copy)
            }
            token => token.clone(),
        });
        at += 1;
    }
    left
}

fn is_test_attribute(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.stream().to_string().replace(' ', "") == "cfg(test)")
}

pub(super) fn is_punct(token: Option<&TokenTree>, what: char) -> bool {
    matches!(token, Some(TokenTree::Punct(it)) if it.as_char() == what)
}

/// The word, if the token is one.
pub(super) fn word(token: Option<&TokenTree>) -> Option<String> {
    match token {
        Some(TokenTree::Ident(it)) => Some(it.to_string()),
        _ => None,
    }
}

/// The content between braces.
pub(super) fn braces(token: &TokenTree) -> Option<Vec<TokenTree>> {
    match token {
        TokenTree::Group(it) if it.delimiter() == Delimiter::Brace => Some(it.stream().into_iter().collect()),
        _ => None,
    }
}

/// The content between brackets of any kind.
pub(super) fn inside(token: &TokenTree) -> Option<Vec<TokenTree>> {
    match token {
        TokenTree::Group(it) => Some(it.stream().into_iter().collect()),
        _ => None,
    }
}

pub(super) fn line(token: &TokenTree) -> usize {
    token.span().start().line
}
