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
    // As it is copied from a report: `error[P0305]: unknown key`.
    let bare = code.split_once('[').map_or(&**code, |it| it.1);
    let bare = bare.split(']').next().unwrap_or_default().trim().to_ascii_uppercase();
    let Some(page) = code_pages().find(|it| it.code == bare) else {
        let near = nearest(&bare, code_pages().map(|it| it.code));
        let meant = near.map_or(".".to_owned(), |it| format!("; did you mean `{it}`?"));
        return Err(Failure::Usage(format!("unknown code `{code}`{meant} Without a code, `explain` lists all")));
    };
    out.say(format_args!("{}", written(page)))
}

/// The page for a terminal: examples are indented, and links are their text.
fn written(page: &CodePage) -> String {
    let style = if page.severity == Severity::Error { BAD } else { DOUBTFUL };
    let mut text = format!("{style}{}[{}]:{RESET} {STRONG}{}{RESET}\n\n", page.severity, page.code, page.title);
    for (nth, part) in page.text.split("```").enumerate() {
        if nth % 2 == 0 {
            text.push_str(&without_links(part));
            continue;
        }
        // Behind the fence is the name of the language.
        for line in part.trim_end().lines().skip(1) {
            let style = if line.starts_with("//") { FAINT } else { clap::builder::styling::Style::new() };
            _ = writeln!(text, "    {style}{line}{RESET}");
        }
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// `[text](target)` as `text`.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        out.push_str(before);
        match link.split_once("](").and_then(|(text, behind)| Some((text, behind.split_once(')')?.1))) {
            Some((shown, behind)) if !shown.contains('`') && !shown.contains('[') => {
                out.push_str(shown);
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
