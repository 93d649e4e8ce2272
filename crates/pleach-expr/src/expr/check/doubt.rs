//! [`Doubt`]: what is legal in an expression but probably a mistake.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::range::{Bounds, Interval};
use super::{Does, Meaning};
use crate::expr::code::{Arith, Cmp, Instruction};
use crate::expr::lex::Operator;
use crate::expr::parse::{Ast, Kind, NodeAt};
use crate::text::shorten;
use crate::value::{Type, Value};

/// The longest part that a message shows.
const LONGEST_PART: usize = 60;

/// A part of an expression that is legal but probably a mistake, for tools that warn of it. The
/// expression alone proves it, for all values of its keys:
///
/// - Whole numbers are divided and the quotient is used as a float, so that its fraction is lost:
///   `wounds / max > 0.2`. Or two literals are divided that leave a remainder: `1 / 2`.
/// - A comparison is never true: `length(v) < 0`, `n % 3 == 4`, `whole == 0.5`.
/// - Tests that `&&` joins are never true together: `hp < 0.3 && hp > 0.5`.
///
/// A comparison of literals is not a doubt: `1 > 2` is a way to switch something off. Neither is
/// one with a port that has been given a literal: the file that gives it may well mean that.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Doubt {
    /// The part, in bytes of the source.
    pub span: Range<usize>,
    /// What it does.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// All doubts about a checked expression, in the order of the source.
pub(in crate::expr) fn doubts(source: &str, ast: &Ast, meanings: &[Meaning]) -> Vec<Doubt> {
    let mut doubter = Doubter { source, ast, meanings, ranges: Vec::with_capacity(ast.nodes.len()), found: Vec::new() };
    doubter.divisions();
    for at in (0..ast.nodes.len()).map(NodeAt) {
        let range = doubter.range(at);
        doubter.ranges.push(range);
        doubter.comparison(at);
    }
    doubter.joined();
    doubter.found.sort_by_key(|it| (it.span.start, it.span.end));
    doubter.found
}

struct Doubter<'a> {
    source: &'a str,
    ast: &'a Ast,
    meanings: &'a [Meaning],
    /// The range of each node's number; anything for a node that is not a number.
    ranges: Vec<Interval>,
    found: Vec<Doubt>,
}

impl<'a> Doubter<'a> {
    fn op(&self, at: NodeAt) -> Option<Instruction> {
        if let Does::Apply(op) = self.meanings[at.0].does { Some(op) } else { None }
    }

    fn kind(&self, at: NodeAt) -> &'a Kind {
        &self.ast.node(at).kind
    }

    fn text(&self, at: NodeAt) -> &'a str {
        &self.source[self.ast.node(at).span.clone()]
    }

    /// The same for a message: an expression can have thousands of nested parts.
    fn shown(&self, at: NodeAt) -> Cow<'a, str> {
        shorten(self.text(at), LONGEST_PART)
    }

    fn doubt(&mut self, at: NodeAt, message: String, help: String) {
        self.found.push(Doubt { span: self.ast.node(at).span.clone(), message, help });
    }

    fn divisions(&mut self) {
        let count = self.ast.nodes.len();
        // Whether an int is a part of a number that becomes a float, and whether its fraction is
        // lost again anyway.
        let (mut floats, mut floored) = (vec![false; count], vec![false; count]);
        // Operands come before their operators.
        for at in (0..count).rev().map(NodeAt) {
            self.zero(at);
            let becomes_float = floats[at.0] || (self.is_widened(at) && !floored[at.0]);
            let parts: &[NodeAt] = match (self.kind(at), self.op(at)) {
                (Kind::Call(_, parts), Some(Instruction::Floor)) => {
                    parts.iter().for_each(|it| floored[it.0] = true);
                    &[]
                }
                (&Kind::Binary(_, left, right), Some(Instruction::Int(Arith::Div))) => {
                    self.division(at, [left, right], becomes_float);
                    &[]
                }
                (&Kind::Binary(_, left, right), Some(Instruction::Int(Arith::Add | Arith::Sub | Arith::Mul))) => {
                    &[left, right]
                }
                (&Kind::Negate(of), Some(Instruction::NegateInt)) => &[of],
                (
                    Kind::Call(_, parts),
                    Some(Instruction::Int(Arith::Min | Arith::Max) | Instruction::ClampInt | Instruction::AbsInt),
                ) => parts,
                (Kind::Call(_, parts), None) if matches!(self.meanings[at.0].does, Does::Choose) => &parts[1..],
                _ => &[],
            };
            parts.iter().filter(|_| becomes_float).for_each(|it| floats[it.0] = true);
        }
    }

    /// Warns of a division by a literal zero.
    fn zero(&mut self, at: NodeAt) {
        let Some(Instruction::Int(op) | Instruction::Float(op)) = self.op(at) else { return };
        let &Kind::Binary(_, left, right) = self.kind(at) else { return };
        let is_zero = match self.kind(right) {
            Kind::Int(it) => *it == 0,
            Kind::Float(it) => *it == 0.0,
            _ => false,
        };
        let sign = match op {
            Arith::Div => '/',
            Arith::Rem => '%',
            _ => return,
        };
        if is_zero {
            let [left, right] = [left, right].map(|it| self.shown(it));
            let message = format!("`{left} {sign} {right}` divides by zero");
            self.doubt(at, message, "divide by another number".into());
        }
    }

    fn division(&mut self, at: NodeAt, parts: [NodeAt; 2], becomes_float: bool) {
        let literal = |it| if let Kind::Int(it) = self.kind(it) { Some(*it) } else { None };
        let literals = parts.map(literal);
        let loses = match literals {
            [Some(a), Some(b)] => a.checked_rem(b).is_some_and(|it| it != 0),
            [_, Some(-1..=1)] => false,
            _ => becomes_float,
        };
        if loses {
            let [left, right] = parts.map(|it| self.shown(it));
            let message = format!("`{left} / {right}` divides whole numbers, and drops the fraction");
            let help = match literals {
                [Some(a), Some(b)] if !becomes_float => format!("it is {0}: write `{0}` if that is meant", a / b),
                [_, Some(by)] => format!("divide by a float: `{left} / {by}.0`"),
                [Some(it), _] => format!("divide a float: `{it}.0 / {right}`"),
                _ => format!("make one of them a float: `1.0 * {left} / {right}`"),
            };
            self.doubt(at, message, help);
        }
    }

    /// The range of a node's number. Its operands are known.
    fn range(&self, at: NodeAt) -> Interval {
        let of = |it: NodeAt| self.ranges[it.0];
        let range = match (self.kind(at), self.op(at)) {
            (&Kind::Int(it), _) => Interval::literal(int_as_f64(it)),
            (&Kind::Float(it), _) => Interval::literal(it.into()),
            (&Kind::Negate(it), Some(Instruction::NegateInt | Instruction::Negate(_))) => of(it).negate(),
            (&Kind::Binary(_, a, b), Some(Instruction::Int(op) | Instruction::Float(op))) => of(a).apply(op, of(b)),
            (Kind::Call(_, parts), op) => {
                let parts: Vec<Interval> = parts.iter().map(|it| of(*it)).collect();
                match (op, &parts[..]) {
                    (Some(Instruction::Int(op) | Instruction::Float(op)), &[a, b]) => a.apply(op, b),
                    (Some(Instruction::AbsInt | Instruction::Abs), [it]) => it.abs(),
                    (Some(Instruction::SignInt | Instruction::Sign), [_]) => Interval::between(-1.0, 1.0),
                    (Some(Instruction::Sqrt | Instruction::Length(_)), [_])
                    | (Some(Instruction::Distance(_)), [_, _]) => Interval::between(0.0, f64::INFINITY),
                    (Some(Instruction::Floor), [it]) => it.floor(),
                    (Some(Instruction::ClampInt | Instruction::Clamp), &[it, low, high]) => it.clamp(low, high),
                    (None, &[_, yes, no]) => yes.or(no),
                    _ => Interval::ANY,
                }
            }
            _ => Interval::ANY,
        };
        let range = if self.is_time(at) { Interval::between(0.0, f64::INFINITY) } else { range };
        match (self.is_whole(at), self.is_widened(at)) {
            (true, false) => range.whole(),
            (true, true) => range.whole().rounded(),
            (false, _) => range.rounded(),
        }
    }

    /// Whether a number is an int, perhaps one that becomes a float.
    fn is_whole(&self, at: NodeAt) -> bool {
        self.is_widened(at) || self.meanings[at.0].ty == super::Ty::Known(Type::Int)
    }

    /// Whether it is an int that becomes a float.
    fn is_widened(&self, at: NodeAt) -> bool {
        self.meanings[at.0].to_float == Some(Type::Int)
    }

    /// Whether it is a moment, perhaps one that becomes a float: never below 0.
    fn is_time(&self, at: NodeAt) -> bool {
        let Meaning { ty, to_float, does: _ } = self.meanings[at.0];
        to_float == Some(Type::Time) || ty == super::Ty::Known(Type::Time)
    }

    fn comparison(&mut self, at: NodeAt) {
        let (&Kind::Binary(Operator::Compare(_), left, right), Some(op)) = (self.kind(at), self.op(at)) else { return };
        let (Instruction::CompareInt(cmp) | Instruction::CompareFloat(cmp) | Instruction::CompareTime(cmp, ..)) = op
        else {
            return;
        };
        let (a, b) = (self.ranges[left.0], self.ranges[right.0]);
        if (a.is_literal() && b.is_literal()) || a.can(cmp, b) {
            return;
        }
        let message = format!("`{}` is never true", self.shown(at));
        let (shown, range) = if b.is_literal() { (left, a) } else { (right, b) };
        self.doubt(at, message, format!("`{}` is {range}", self.shown(shown)));
    }

    /// Warns of tests joined by `&&` that are never true together.
    fn joined(&mut self) {
        let mut inner = vec![false; self.ast.nodes.len()];
        for at in (0..self.ast.nodes.len()).rev().map(NodeAt) {
            if let (&Kind::Binary(Operator::And, left, right), false) = (self.kind(at), inner[at.0]) {
                let mut tests = Vec::new();
                let mut open = vec![right, left];
                while let Some(it) = open.pop() {
                    match *self.kind(it) {
                        Kind::Binary(Operator::And, left, right) => {
                            inner[it.0] = true;
                            open.extend([right, left]);
                        }
                        _ => tests.push(it),
                    }
                }
                if self.exclude_each_other(&tests) {
                    let message = format!("`{}` is never true: its parts exclude each other", self.shown(at));
                    self.doubt(at, message, "if one of them is enough, write `||`".into());
                }
            }
        }
    }

    fn exclude_each_other(&self, tests: &[NodeAt]) -> bool {
        let mut numbers: HashMap<String, Bounds> = HashMap::new();
        let mut words: HashMap<String, Value> = HashMap::new();
        let mut bools: HashMap<String, bool> = HashMap::new();
        let written = |it| self.text(it).split_whitespace().collect::<String>();
        tests.iter().any(|&at| match (self.kind(at), self.op(at)) {
            (
                &Kind::Binary(Operator::Compare(_), left, right),
                Some(Instruction::CompareInt(cmp) | Instruction::CompareFloat(cmp) | Instruction::CompareTime(cmp, ..)),
            ) => {
                let [a, b] = [left, right].map(|it| self.ranges[it.0]);
                let (what, cmp, to) = match (a.is_literal(), b.is_literal()) {
                    (false, true) => (left, cmp, b),
                    (true, false) => (right, turned(cmp), a),
                    _ => return false,
                };
                let bounds = numbers.entry(written(what)).or_default();
                bounds.narrow(cmp, to, self.is_whole(what));
                bounds.is_empty()
            }
            (&Kind::Binary(Operator::Compare(Cmp::Eq), left, right), Some(Instruction::Equal(Type::Symbol))) => {
                let word = |it| match self.op(it) {
                    Some(Instruction::Push(word)) => Some(word),
                    _ => None,
                };
                match (word(left), word(right)) {
                    (None, Some(word)) => *words.entry(written(left)).or_insert(word) != word,
                    (Some(word), None) => *words.entry(written(right)).or_insert(word) != word,
                    _ => false,
                }
            }
            (&Kind::Not(of), _) => *bools.entry(written(of)).or_insert(false),
            (Kind::Name(_) | Kind::Path(..), _) => !*bools.entry(written(at)).or_insert(true),
            _ => false,
        })
    }
}

/// The same comparison with its sides swapped.
fn turned(cmp: Cmp) -> Cmp {
    match cmp {
        Cmp::Lt => Cmp::Gt,
        Cmp::Le => Cmp::Ge,
        Cmp::Gt => Cmp::Lt,
        Cmp::Ge => Cmp::Le,
        Cmp::Eq | Cmp::Ne => cmp,
    }
}

#[allow(clippy::cast_precision_loss, reason = "what is that large counts as unbounded")]
fn int_as_f64(it: i64) -> f64 {
    it as f64
}
