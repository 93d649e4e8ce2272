//! Writes [`Pieces`], and decides for each bracket how it is broken.

use super::WIDTH;
use super::pieces::{Bracket, Piece, Pieces};

/// How far the items of a broken bracket are indented.
const STEP: usize = 4;

/// How a bracket is written.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Line,
    /// On one line except its last item.
    Hug,
    /// Each item on its own line.
    Broken,
}

/// A bracket that is being written.
struct Open {
    at: usize,
    mode: Mode,
    /// How far its lines are indented.
    indent: usize,
    /// How many items have begun.
    items: usize,
    /// Whether nothing stands on a line of its own yet.
    is_begin: bool,
    /// The width of what follows its end on the same line.
    tail: usize,
}

struct Out<'s> {
    source: &'s str,
    newline: &'static str,
    text: String,
    column: usize,
}

pub(super) fn write(source: &str, pieces: &Pieces, newline: &'static str) -> String {
    let mark = &source[..crate::span::start(source)];
    let mut out = Out { source, newline, text: String::with_capacity(source.len() + source.len() / 8), column: 0 };
    out.text.push_str(mark);
    let file = Open { at: 0, mode: Mode::Broken, indent: 0, items: 0, is_begin: true, tail: 0 };
    let mut open = vec![file];
    for piece in &pieces.list {
        let Some(top) = open.last_mut() else { break };
        match piece {
            Piece::Own { comment, blank } => {
                out.line(top, *blank);
                out.comment(comment.start(), comment.end());
            }
            Piece::Item { blank } => {
                match top.mode {
                    Mode::Broken => out.line(top, *blank),
                    _ if top.items > 0 => out.push(", "),
                    _ => {}
                }
                top.items += 1;
            }
            Piece::Before(it) => {
                out.push(&source[it.start()..it.end()]);
                out.push(" ");
            }
            Piece::Text(it) => out.push(&source[it.start()..it.end()]),
            Piece::Attribute(it) => out.push(it),
            Piece::Colon => out.push(": "),
            Piece::Open(at) => {
                let bracket = &pieces.brackets[*at];
                let inner = inside(top, *at, bracket, &pieces.brackets, out.column);
                out.push(sign(bracket.sign));
                out.space(bracket, inner.mode);
                open.push(inner);
            }
            Piece::Close => {
                let bracket = &pieces.brackets[top.at];
                let mode = top.mode;
                open.pop();
                let around = open.last().map_or(0, |it| it.indent);
                if mode == Mode::Broken {
                    out.text.push_str(newline);
                    out.indent(around);
                }
                out.space(bracket, mode);
                out.push(closing(bracket.sign));
            }
            Piece::After(it) => {
                out.push(" ");
                out.push(&source[it.start()..it.end()]);
            }
            Piece::End if top.mode == Mode::Broken && top.at != 0 => out.push(","),
            Piece::End => {}
            Piece::Behind(it) => {
                out.push(" ");
                out.comment(it.start(), it.end());
            }
        }
    }
    out.text.push_str(newline);
    out.text
}

/// How a bracket is written that opens at this column.
fn inside(around: &Open, at: usize, bracket: &Bracket, all: &[Bracket], column: usize) -> Open {
    let is_last = around.items == all[around.at].items;
    let tail = bracket.after
        + match around.mode {
            Mode::Broken => usize::from(around.at != 0),
            _ => 1 + around.tail,
        };
    let has_room = || column + bracket.width + tail <= WIDTH;
    let is_whole = !bracket.is_broken && !bracket.holds_broken;
    let mode = if around.mode == Mode::Line || around.mode == Mode::Hug && !is_last || is_whole && has_room() {
        Mode::Line
    } else if bracket.up_to_last.is_some_and(|it| column + it <= WIDTH) {
        Mode::Hug
    } else if bracket.items > 0 || bracket.is_broken {
        Mode::Broken
    } else {
        Mode::Line
    };
    let indent = around.indent + if mode == Mode::Broken { STEP } else { 0 };
    Open { at, mode, indent, items: 0, is_begin: true, tail }
}

impl Out<'_> {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.column = match text.rfind('\n') {
            Some(at) => text[at + 1..].chars().count(),
            None => self.column + text.chars().count(),
        };
    }

    /// Line comments lose trailing white space.
    fn comment(&mut self, start: usize, end: usize) {
        self.push(self.source[start..end].trim_end());
    }

    /// Begins a line of a broken bracket.
    fn line(&mut self, of: &mut Open, blank: bool) {
        let is_begin = std::mem::take(&mut of.is_begin);
        // The first line of the file has begun already.
        if of.at != 0 || !is_begin {
            self.text.push_str(self.newline);
        }
        if blank && !is_begin {
            self.text.push_str(self.newline);
        }
        self.indent(of.indent);
    }

    fn indent(&mut self, by: usize) {
        self.text.extend(std::iter::repeat_n(' ', by));
        self.column = by;
    }

    /// Between the braces of a map and its content.
    fn space(&mut self, bracket: &Bracket, mode: Mode) {
        if bracket.sign == '{' && bracket.items > 0 && mode == Mode::Line {
            self.push(" ");
        }
    }
}

fn sign(opening: char) -> &'static str {
    match opening {
        '[' => "[",
        '{' => "{",
        _ => "(",
    }
}

fn closing(opening: char) -> &'static str {
    match opening {
        '[' => "]",
        '{' => "}",
        _ => ")",
    }
}
