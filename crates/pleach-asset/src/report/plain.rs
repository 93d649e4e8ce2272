//! A report of one line per problem, for logs and for programs without the renderer.

use std::fmt::{self, Write};
use std::sync::Arc;

use pleach_core::text::{plain, shorten};

use super::{Diagnostic, Report, position};
use crate::lex::{self, Kind, Token};
use crate::limits::MAX_NESTING;
use crate::span;

/// How many of the nodes around a problem are named, counted from the inside.
const MAX_AROUND: usize = 8;

/// How much of a node's name is shown, in characters.
const MAX_SHOWN_NAME: usize = 40;

pub(super) fn text(report: &Report) -> String {
    let (shown, more) = report.shown();
    let mut lines = Vec::with_capacity(shown.len());
    for of_file in shown.chunk_by(|a, b| Arc::ptr_eq(&a.file, &b.file)) {
        let mut path = Path::new(&of_file[0].file.source);
        lines.extend(of_file.iter().map(|it| line(it, &mut path)));
    }
    if more > 0 {
        lines.push(plain(&report.more_text(more)).into_owned());
    }
    lines.join("\n")
}

fn line(it: &Diagnostic, path: &mut Path<'_>) -> String {
    path.go_to(it.span.start);
    let (file, line, column) = (&it.file.name, it.line, it.column);
    let mut text = format!("{file}:{line}:{column}: {}[{}]: {}{path}", it.severity(), it.code(), it.message);
    if let Some((span, label)) = &it.also {
        let (line, column) = position(&it.file.source, span.start);
        text.push_str(&format!("; {label}: {file}:{line}:{column}"));
    }
    if let Some((file, span, label)) = &it.other {
        let (line, column) = position(&file.source, span.start);
        text.push_str(&format!("; {label}: {}:{line}:{column}", file.name));
    }
    if let Some(included) = it.included_by() {
        text.push_str(&format!("; included by {included}"));
    }
    if let Some(help) = &it.help {
        text.push_str(&format!("; help: {help}"));
    }
    plain(&text).into_owned()
}

/// The surroundings of a place in the source: the words before the brackets that are open there,
/// which in an asset are its nodes. Found from the tokens, so that it also works for a source that
/// could not be read.
struct Path<'s> {
    source: &'s str,
    next: Token,
    /// The token before `next`.
    before: Kind,
    open: Vec<Option<Call<'s>>>,
    /// How many brackets are open beyond the allowed depth.
    deeper: usize,
    /// What begins at the place itself.
    here: Option<Call<'s>>,
}

/// A word with a bracket after it, and the name that is the first thing in it.
#[derive(Clone, Copy)]
struct Call<'s> {
    word: &'s str,
    name: Option<&'s str>,
}

impl<'s> Path<'s> {
    fn new(source: &'s str) -> Self {
        let next = lex::token(source, span::start(source));
        Path { source, next, before: Kind::End, open: Vec::new(), deeper: 0, here: None }
    }

    /// Goes on to a later place, or stays.
    fn go_to(&mut self, at: usize) {
        // After something unclosed, everything could be a string.
        while self.next.start() < at && !matches!(self.next.kind, Kind::End | Kind::Unclosed) {
            self.step();
        }
        let starts = self.next.start() == at && self.next.kind == Kind::Word;
        self.here = if starts { self.node(self.next) } else { None };
    }

    fn step(&mut self) {
        let token = self.next;
        self.next = lex::token(self.source, token.end());
        match token.kind {
            Kind::Word if self.next.kind == Kind::Sign('(') => {
                let call = self.call(token);
                self.next = lex::token(self.source, self.next.end());
                self.push(Some(call));
            }
            Kind::Sign('(' | '[' | '{') => self.push(None),
            Kind::Sign(')' | ']' | '}') if self.deeper > 0 => self.deeper -= 1,
            Kind::Sign(')' | ']' | '}') => _ = self.open.pop(),
            _ => {}
        }
        self.before = token.kind;
    }

    fn push(&mut self, call: Option<Call<'s>>) {
        if self.open.len() < MAX_NESTING {
            self.open.push(call);
        } else {
            self.deeper += 1;
        }
    }

    /// The word as a node, if it can be one: the name of a field is not, nor is its value, unless
    /// that has brackets.
    fn node(&self, word: Token) -> Option<Call<'s>> {
        let behind = lex::token(self.source, word.end());
        match (behind.kind, self.before) {
            (Kind::Sign('('), _) => Some(self.call(word)),
            (Kind::Sign(':'), _) | (_, Kind::Sign(':')) => None,
            _ => Some(Call { word: word.text(self.source), name: None }),
        }
    }

    fn call(&self, word: Token) -> Call<'s> {
        let next = |it: Token| lex::token(self.source, it.end());
        let field = next(next(word));
        let colon = next(field);
        let value = next(colon);
        let is_name = field.kind == Kind::Word && field.text(self.source) == "name";
        let name = is_name && colon.kind == Kind::Sign(':') && value.kind == Kind::Text;
        Call { word: word.text(self.source), name: name.then(|| value.text(self.source)) }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let around: Vec<&Call<'_>> = self.open.iter().flatten().chain(&self.here).collect();
        let hidden = around.len().saturating_sub(MAX_AROUND);
        for (nth, call) in around[hidden..].iter().enumerate() {
            f.write_str(match (nth, hidden) {
                (0, 0) => "; in: ",
                (0, _) => "; in: … > ",
                _ => " > ",
            })?;
            f.write_str(&shorten(call.word, MAX_SHOWN_NAME))?;
            if let Some(name) = call.name {
                f.write_char(' ')?;
                f.write_str(&shorten(name, MAX_SHOWN_NAME))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::report::Report;
    use crate::{Asset, Registry, check_str};
    use pleach_core::Host;
    use pleach_core::limits::MAX_DRAWN_PROBLEMS;

    struct Game;
    impl Host for Game {
        type Cx<'a> = ();
    }

    fn errors(source: &str) -> Report {
        check_str("t.ron", source, &Registry::<Game>::new()).map(|it| it.1).expect_err("it is wrong")
    }

    #[test]
    fn a_line_has_place_node_and_what_to_do() {
        let source = "Tree(\n  version: 1,\n  blackboard: { \"health\": Float(1.0) },\n  root: Selector(children: [\n    \
                      Sequence(name: \"look\", children: [Check(\"helth < 1\")]),\n    Idel,\n  ]),\n)";
        let expected = "\
t.ron:5:46: error[P0305]: unknown key `helth`; in: Tree > Selector > Sequence \"look\" > Check; help: did you mean `health`?
t.ron:6:5: error[P0201]: unknown node `Idel`; in: Tree > Selector > Idel; help: did you mean `Idle`?";
        assert_eq!(errors(source).plain(), expected);
    }

    #[test]
    fn a_second_place_is_named() {
        let source = "Tree(version: 1, root: Sequence(children: [\n  Idle]\n  }))";
        let expected = "t.ron:3:3: error[P0103]: expected `)`, found `}`; in: Tree > Sequence; opened here: t.ron:1:32";
        assert_eq!(errors(source).plain(), expected);
    }

    #[test]
    fn warnings_say_that_they_are() {
        let source = "Tree(version: 1, root: Wait(-1.0))";
        let (_, report) = check_str("t.ron", source, &Registry::<Game>::new()).expect("it is right");
        let text = report.plain();
        assert!(text.starts_with("t.ron:1:29: warning[P1013]: ") && text.contains("; in: Tree > Wait"), "{text}");
    }

    #[test]
    fn a_problem_is_one_line_whatever_it_quotes() {
        let source = "Tree(version: 1, root: Wait(name: \"a\nb\u{1b}[2J\u{202e}\", sekonds: 1.0))";
        let text = errors(source).plain();
        assert_eq!(text.lines().count(), errors(source).diagnostics().len(), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']) && text.contains("Wait \"a\\nb\\u{1b}[2J\\u{202e}\""), "{text}");
    }

    #[test]
    fn what_is_not_shown_is_counted() {
        let nodes = "Nix,".repeat(MAX_DRAWN_PROBLEMS + 2);
        let text = errors(&format!("Tree(version: 1, root: Sequence(children: [{nodes}]))")).plain();
        assert_eq!(text.lines().count(), MAX_DRAWN_PROBLEMS + 1);
        assert_eq!(text.lines().last(), Some("... and 2 more problems in t.ron"));
    }

    #[test]
    fn of_many_nodes_the_innermost_are_named() {
        let source = format!("Tree(version: 1, root: {}Nix{})", "Inverter(".repeat(20), ")".repeat(20));
        let text = errors(&source).plain();
        let around = "Inverter > ".repeat(7);
        assert!(text.contains(&format!("; in: … > {around}Nix")), "{text}");
    }

    #[test]
    fn sources_that_are_no_assets_have_a_line_too() {
        let deep = "(".repeat(100_000);
        for source in
            ["", "\u{feff}", "(", ")", "]]]]", "Tree(\"", "/*", "\u{e9}(", "Tree(version: 1, root: 12x)", &deep]
        {
            let text = errors(source).plain();
            assert!(text.starts_with("t.ron:1:") && text.lines().count() == 1, "{source:.20}: {text}");
        }
        let text = Asset::parse_bytes("t.ron", b"Tree(\xff)").expect_err("it is wrong").plain();
        assert!(text.starts_with("t.ron:1:6: error[P0101]: "), "{text}");
    }
}
