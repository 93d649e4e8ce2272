//! [`Piece`]s of a source in the order of writing, with its comments where they belong, and what is
//! known of each [`Bracket`] before it is written.

mod comments;

use crate::lex::{self, Kind, Token};
use crate::span::{self, Span};
use comments::{Comment, Gap};

/// A source as it will be written.
#[derive(Debug)]
pub(super) struct Pieces {
    pub(super) list: Vec<Piece>,
    /// The first is the file.
    pub(super) brackets: Vec<Bracket>,
}

#[derive(Debug)]
pub(super) enum Piece {
    /// A comment on a line of its own, perhaps below a blank line.
    Own {
        comment: Span,
        blank: bool,
    },
    /// The next item of a bracket begins.
    Item {
        blank: bool,
    },
    /// A comment `/* .. */` that is followed by its item on the same line.
    Before(Span),
    Text(Span),
    /// An attribute, which is not written as it stands.
    Attribute(String),
    Colon,
    /// A bracket by its place.
    Open(usize),
    Close,
    /// A comment `/* .. */` between a value and what follows it.
    After(Span),
    /// The item ends.
    End,
    /// A comment that ends the line of the item or opening bracket before it.
    Behind(Span),
}

/// A bracket, or the whole file. Widths are in characters, of the bracket on one line.
#[derive(Debug, Default)]
pub(super) struct Bracket {
    /// The opening one.
    pub(super) sign: char,
    pub(super) items: usize,
    /// Whether something in it needs lines of its own.
    pub(super) is_broken: bool,
    /// Whether a bracket in it is broken, directly or deeper.
    pub(super) holds_broken: bool,
    /// With both signs.
    pub(super) width: usize,
    /// If it may stay on its line while its last item is broken: how wide it is up to where that
    /// one opens.
    pub(super) up_to_last: Option<usize>,
    /// The comments between its end and what follows it.
    pub(super) after: usize,
}

/// Of a source that is RON.
pub(super) fn of(source: &str) -> Pieces {
    let start = span::start(source);
    let file = Bracket { is_broken: true, ..Bracket::default() };
    let mut builder = Builder { source, pieces: Vec::new(), brackets: vec![file], open: vec![Open::default()] };
    let (mut end, mut next) = (start, lex::token(source, start));
    let mut is_first = true;
    while next.kind == Kind::Sign('#') {
        end = builder.attribute(Gap::before(source, end, next, is_first), next);
        next = lex::token(source, end);
        is_first = false;
    }
    loop {
        let gap = Gap::before(source, end, next, is_first);
        is_first = false;
        end = next.end();
        match next.kind {
            Kind::End => break builder.end_of_bracket(gap),
            Kind::Sign(',') => builder.comma(gap),
            Kind::Sign('(' | '[' | '{') => builder.bracket(gap, next),
            Kind::Sign(')' | ']' | '}') => builder.close(gap),
            Kind::Sign(_) => builder.token(gap, Piece::Colon, 2),
            _ => builder.token(gap, Piece::Text(next.span), width(next.text(source))),
        }
        next = lex::token(source, end);
    }
    Pieces { list: builder.pieces, brackets: builder.brackets }
}

struct Builder<'s> {
    source: &'s str,
    pieces: Vec<Piece>,
    brackets: Vec<Bracket>,
    open: Vec<Open>,
}

/// A bracket that has been opened, or the file.
#[derive(Default)]
struct Open {
    at: usize,
    item: Item,
    /// The width of what is in it.
    inside: usize,
    /// How many brackets in it are broken.
    broken: usize,
    /// The bracket that the last item ends with, and the width up to where that one opens.
    last: Option<(usize, usize)>,
    up_to_last: usize,
    /// Comments that are to follow the item, and come before the next.
    late: Gap,
}

/// How far an item has been read.
#[derive(Default)]
enum Item {
    /// None has begun since the last comma.
    #[default]
    None,
    /// It has begun, and may still get comments before it.
    Head { blank: bool, own: Vec<Span>, before: Vec<Span>, pieces: Vec<(Piece, usize)> },
    /// What has been read of it stands among the pieces.
    Written,
}

impl Builder<'_> {
    fn top(&mut self) -> &mut Open {
        self.open.last_mut().expect("the file is never closed")
    }

    fn here(&mut self) -> &mut Bracket {
        let at = self.top().at;
        &mut self.brackets[at]
    }

    fn text(&self, span: Span) -> &str {
        &self.source[span.start()..span.end()]
    }

    /// An attribute of the file. Returns where it ends.
    fn attribute(&mut self, gap: Gap, first: Token) -> usize {
        self.begin(gap);
        let (mut text, mut token) = (String::new(), first);
        while token.kind != Kind::Sign(']') {
            let next = lex::token(self.source, token.end());
            match token.kind {
                Kind::Sign(',') if next.kind == Kind::Sign(')') => {}
                Kind::Sign(',') => text.push_str(", "),
                Kind::Sign('=') => text.push_str(" = "),
                _ => text.push_str(token.text(self.source)),
            }
            self.hoist(Gap::before(self.source, token.end(), next, false));
            token = next;
        }
        text.push(']');
        self.push_of_item(Piece::Attribute(text), 0);
        self.end_item();
        token.end()
    }

    /// A part of an item that is not a bracket.
    fn token(&mut self, gap: Gap, piece: Piece, width: usize) {
        self.begin(gap);
        if matches!(piece, Piece::Text(it) if self.text(it).contains('\n')) {
            self.here().is_broken = true;
        }
        self.push_of_item(piece, width);
    }

    fn bracket(&mut self, gap: Gap, token: Token) {
        self.begin(gap);
        self.write_head();
        let at = self.brackets.len();
        let sign = token.text(self.source).chars().next().unwrap_or_default();
        self.brackets.push(Bracket { sign, ..Bracket::default() });
        let top = self.top();
        top.up_to_last = 1 + top.inside + 1;
        self.pieces.push(Piece::Open(at));
        self.open.push(Open { at, ..Open::default() });
    }

    fn comma(&mut self, gap: Gap) {
        let rest = self.behind_value(gap);
        self.top().late.append(rest);
        self.end_item();
    }

    fn close(&mut self, gap: Gap) {
        self.end_of_bracket(gap);
        let Some(open) = self.open.pop() else { return };
        let of_file = self.open.len() == 1;
        let inner = open.last.map(|(at, up_to)| (&self.brackets[at], up_to));
        let hugs = inner.filter(|(it, up_to)| {
            let is_broken = it.is_broken || it.holds_broken;
            it.items > 0 && open.broken == usize::from(is_broken) && (is_broken || it.width > *up_to)
        });
        let up_to_last = hugs.map(|it| it.1);
        let bracket = &mut self.brackets[open.at];
        let spaces = if bracket.sign == '{' && bracket.items > 0 { 2 } else { 0 };
        bracket.width = open.inside + 2 + spaces;
        bracket.holds_broken = open.broken > 0;
        bracket.up_to_last = up_to_last.filter(|_| bracket.sign == '(' && !of_file && !bracket.is_broken);
        let (width, is_broken) = (bracket.width, bracket.is_broken || bracket.holds_broken);
        self.pieces.push(Piece::Close);
        let top = self.top();
        top.inside += width;
        top.broken += usize::from(is_broken);
        top.last = Some((open.at, top.up_to_last));
    }

    /// Makes room for a token of an item: of the next, if none has begun.
    fn begin(&mut self, gap: Gap) {
        match self.top().item {
            Item::None => self.first(gap),
            _ => self.hoist(gap),
        }
    }

    /// The comments before the first token of an item.
    fn first(&mut self, gap: Gap) {
        let gap = self.behind_line(gap);
        let (own, before) = gap.of_next(self.source);
        let blank = before.first().map_or(gap.last, |it| it.lines) > 1;
        for it in own {
            self.own(it);
        }
        let is_first = self.here().items == 0;
        let bracket = self.here();
        bracket.items += 1;
        bracket.is_broken |= blank && !is_first || is_first && gap.begins_line();
        let before = before.iter().map(|it| it.span).collect();
        self.top().item = Item::Head { blank, own: Vec::new(), before, pieces: Vec::new() };
    }

    /// Comments within an item go before it, or after it if a bracket of it has been written: the
    /// key of a map.
    fn hoist(&mut self, gap: Gap) {
        for it in gap.comments {
            let is_short = it.is_short(self.source);
            match &mut self.top().item {
                Item::Head { before, .. } if is_short => before.push(it.span),
                Item::Head { own, .. } => own.push(it.span),
                _ => self.top().late.append(Gap::of(Comment { lines: 1, ..it })),
            }
        }
    }

    fn push_of_item(&mut self, piece: Piece, width: usize) {
        match &mut self.top().item {
            Item::Head { pieces, .. } => pieces.push((piece, width)),
            _ => {
                self.pieces.push(piece);
                let top = self.top();
                top.inside += width;
                top.last = None;
            }
        }
    }

    /// Writes what may no longer get comments before it.
    fn write_head(&mut self) {
        let item = std::mem::replace(&mut self.top().item, Item::Written);
        let Item::Head { mut blank, own, before, pieces } = item else { return };
        for comment in own {
            self.own(Comment { span: comment, lines: 1 + usize::from(std::mem::take(&mut blank)) });
        }
        let is_first = self.here().items == 1;
        self.pieces.push(Piece::Item { blank });
        let comments: usize = before.iter().map(|it| width(self.text(*it)) + 1).sum();
        let widths: usize = pieces.iter().map(|it| it.1).sum();
        self.pieces.extend(before.into_iter().map(Piece::Before));
        self.pieces.extend(pieces.into_iter().map(|it| it.0));
        let top = self.top();
        top.inside += comments + widths + if is_first { 0 } else { 2 };
        top.last = None;
    }

    fn end_item(&mut self) {
        self.write_head();
        self.pieces.push(Piece::End);
        self.top().item = Item::None;
    }

    /// A comment on a line of its own.
    fn own(&mut self, it: Comment) {
        self.here().is_broken = true;
        self.pieces.push(Piece::Own { comment: it.span, blank: it.lines > 1 });
    }

    fn after(&mut self, it: &Comment) {
        let width = 1 + width(self.text(it.span));
        self.pieces.push(Piece::After(it.span));
        let top = self.top();
        top.inside += width;
        if let Some((at, _)) = top.last {
            self.brackets[at].after += width;
        }
    }

    /// Short comments directly after a value stay there. Returns the others.
    fn behind_value(&mut self, mut gap: Gap) -> Gap {
        self.write_head();
        let count = gap.comments.iter().take_while(|it| it.lines == 0 && it.is_short(self.source)).count();
        for it in gap.comments.drain(..count) {
            self.after(&it);
        }
        gap
    }

    /// Comments on the line of a comma or of an opening bracket stay there, unless something else
    /// follows them. Returns the others.
    fn behind_line(&mut self, gap: Gap) -> Gap {
        let mut late = std::mem::take(&mut self.top().late);
        late.append(gap);
        let count = late.on_line();
        let is_followed = count == late.comments.len() && late.last == 0;
        if count > 0 && !is_followed {
            self.here().is_broken = true;
            self.pieces.extend(late.comments.drain(..count).map(|it| Piece::Behind(it.span)));
        }
        late
    }

    /// The comments before a closing bracket, or before the end of the file.
    fn end_of_bracket(&mut self, gap: Gap) {
        let mut gap = gap;
        if matches!(self.top().item, Item::None) {
            gap = self.behind_line(gap);
            // Only comments on the line of the last comma, which is omitted.
            let moves =
                self.here().items > 0 && gap.comments.iter().all(|it| it.lines == 0 && it.is_short(self.source));
            if moves && !gap.comments.is_empty() && matches!(self.pieces.last(), Some(Piece::End)) {
                self.pieces.pop();
                gap.comments.drain(..).for_each(|it| self.after(&it));
                self.pieces.push(Piece::End);
            }
        } else {
            let rest = self.behind_value(gap);
            self.end_item();
            self.top().late.append(rest);
            let mut late = std::mem::take(&mut self.top().late);
            let count = late.on_line();
            if count > 0 {
                self.here().is_broken = true;
                self.pieces.extend(late.comments.drain(..count).map(|it| Piece::Behind(it.span)));
            }
            gap = late;
        }
        for it in gap.comments {
            self.own(it);
        }
    }
}

/// How many columns a text takes on one line.
fn width(text: &str) -> usize {
    text.chars().count()
}
