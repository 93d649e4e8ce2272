//! What is code in a source of C, C++ or C#.

/// A source without its comments and without what is in its strings: what is left is called.
pub(super) fn code_of(source: &str) -> String {
    let mut code = String::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |it| it + 2)
        } else if rest.starts_with("R\"(") {
            rest.find(")\"").map_or(rest.len(), |it| it + 2)
        } else if let Some(text) = rest.strip_prefix("@\"") {
            2 + end_of_text(text, '"', false)
        } else if first == '"' || first == '\'' && !code.ends_with(|it: char| it.is_ascii_alphanumeric()) {
            1 + end_of_text(&rest[1..], first, true)
        } else {
            code.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        code.push(' ');
        rest = &rest[skipped..];
    }
    code
}

/// How many bytes a string has with its closing quote. A verbatim one has no escapes: two quotes
/// are one there, which reads as the end of one string and the begin of another.
fn end_of_text(text: &str, quote: char, escapes: bool) -> usize {
    let mut escaped = false;
    for (at, it) in text.char_indices() {
        match it {
            _ if escaped => escaped = false,
            '\\' if escapes => escaped = true,
            _ if it == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[test]
fn comments_and_strings_are_no_code() {
    let source = r###"a("b \" //c"); // d()
        /* e() // */ f(R"( g "h" )"); '"' i @"\" + @"j ""k"" l" m"###;
    let words: Vec<&str> = source.split_whitespace().collect();
    assert!(words.len() > 10);
    assert_eq!(code_of(source).split_whitespace().collect::<Vec<_>>(), ["a(", ");", "f(", ");", "i", "+", "m"]);
}
