//! `pleach explain`: what a code means.

use std::fmt::Write;

use pleach::asset::{CodePage, Severity, code_pages};
use pleach::tools::names::nearest;

use crate::args::ExplainArgs;
use crate::failure::Failure;
use crate::out::Out;
use crate::paint::{BAD, DOUBTFUL, FAINT, RESET, STRONG};

pub(crate) fn explain(args: &ExplainArgs) -> Result<(), Failure> {
    let mut out = Out::new();
    let Some(code) = &args.code else {
        for page in code_pages() {
            out.say(format_args!("{STRONG}{}{RESET}  {}\n", page.code, page.title))?;
        }
        return Ok(());
    };
    // As it is copied from a report: `error[P0305]`.
    let bare = code.rsplit_once('[').map_or(&**code, |it| it.1).trim_end_matches(']').to_ascii_uppercase();
    let Some(page) = code_pages().find(|it| it.code == bare) else {
        let near = nearest(&bare, code_pages().map(|it| it.code));
        let meant = near.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
        return Err(Failure::Usage(format!("there is no code `{code}`{meant} Without a code, `explain` lists all")));
    };
    out.say(format_args!("{}", written(page)))
}

/// The page for a terminal: examples are indented, and links are their text.
fn written(page: &CodePage) -> String {
    let style = if page.severity == Severity::Error { BAD } else { DOUBTFUL };
    let mut text = format!("{style}{}[{}]:{RESET} {STRONG}{}{RESET}\n\n", page.severity, page.code, page.title);
    let mut is_example = false;
    for line in page.text.lines() {
        if line.starts_with("```") {
            is_example = !is_example;
        } else if is_example {
            let style = if line.starts_with("//") { FAINT } else { clap::builder::styling::Style::new() };
            _ = writeln!(text, "    {style}{line}{RESET}");
        } else {
            _ = writeln!(text, "{}", without_links(line));
        }
    }
    text
}

/// `[text](target)` as `text`.
fn without_links(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, link)) = rest.split_once('[') {
        out.push_str(before);
        match link.split_once("](").and_then(|(text, behind)| Some((text, behind.split_once(')')?.1))) {
            Some((text, behind)) if !text.contains('`') && !text.contains('[') => {
                out.push_str(text);
                rest = behind;
            }
            _ => {
                out.push('[');
                rest = link;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_their_text() {
        assert_eq!(
            without_links("see [Aborts](aborts.md#chains), `[ ]` and [that](x.md)."),
            "see Aborts, `[ ]` and that."
        );
        assert_eq!(without_links("a list `[..]`, a map"), "a list `[..]`, a map");
    }
}
