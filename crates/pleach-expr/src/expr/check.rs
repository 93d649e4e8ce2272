//! Names and types: what every node of a syntax tree means. Visits each node once, operands first,
//! and reports all errors.

mod call;
mod doubt;
mod range;

pub use call::{FunctionInfo, functions};
pub use doubt::Doubt;
pub(super) use doubt::doubts;

use std::ops::Range;

use super::code::{Arith, Cmp, Component, Instruction};
use super::error::{ExprError, ExprErrorKind};
use super::lex::Operator;
use super::parse::{Ast, Kind, NodeAt};
use super::{KeyIndex, Names, SCOPES};
use crate::known;
use crate::names::{self, Help, Near};
use crate::time::{NANOS, Time, signed_nanoseconds};
use crate::value::{Entity, Symbol, Type, Value};

/// What a node means, once it is checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meaning {
    ty: Ty,
    /// The type of the node, int or Time, where it is converted to a float.
    pub(super) to_float: Option<Type>,
    pub(super) does: Does,
}

/// What the names and literals of a checked expression load and push, in the order of the source.
pub(super) fn names_and_literals(meanings: &[Meaning]) -> Box<[Instruction]> {
    let op = |it: &Meaning| match it.does {
        Does::Apply(op @ (Instruction::Load(..) | Instruction::LoadPart(..) | Instruction::Push(_))) => Some(op),
        _ => None,
    };
    meanings.iter().filter_map(op).collect()
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Does {
    /// It has an error, or is still a [`Ty::Word`].
    Nothing,
    /// The operands, if any, then this.
    Apply(Instruction),
    /// `&&` or `||`.
    Join,
    /// `if`.
    Choose,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ty {
    Known(Type),
    /// A name without a key, or an `if` between such names: a symbol if wanted, else an error.
    Word,
    /// An error has been reported, or will be when the operands are checked.
    Bad,
}

/// Finds the meaning of every node, replacing the earlier ones, and the type of the whole.
pub(super) fn check(
    source: &str,
    ast: &Ast,
    names: &dyn Names,
    expected: Option<Type>,
    target: Option<KeyIndex>,
    meanings: &mut Vec<Meaning>,
) -> Result<Type, Vec<ExprError>> {
    meanings.clear();
    let mut checker = Checker { source, ast, names, meanings, errors: Vec::new() };
    for node in &ast.nodes {
        let (ty, does) = checker.node(&node.kind, &node.span);
        checker.meanings.push(Meaning { ty, to_float: None, does });
    }
    let root = ast.root();
    let ty = match expected {
        Some(Type::Symbol) if checker.wordable(root) => {
            let keys = target.map_or_else(|| checker.symbol_keys(), |key| vec![key]);
            checker.take_words(root, &keys);
            Some(Type::Symbol)
        }
        Some(ty) => {
            checker.demand(root, ty);
            Some(ty)
        }
        None => checker.settle(root),
    };
    match ty {
        Some(ty) if checker.errors.is_empty() => Ok(ty),
        _ => {
            checker.errors.sort_by_key(|error| (error.span.start, error.span.end));
            Err(checker.errors)
        }
    }
}

struct Checker<'a> {
    source: &'a str,
    ast: &'a Ast,
    names: &'a dyn Names,
    /// The meanings of the nodes so far.
    meanings: &'a mut Vec<Meaning>,
    errors: Vec<ExprError>,
}

impl Checker<'_> {
    fn node(&mut self, kind: &Kind, span: &Range<usize>) -> (Ty, Does) {
        match *kind {
            Kind::Bool(value) => typed(Type::Bool, Instruction::Push(Value::Bool(value))),
            Kind::Int(value) => typed(Type::Int, Instruction::Push(Value::Int(value))),
            Kind::Float(value) => typed(Type::Float, Instruction::Push(Value::Float(value))),
            Kind::Name(ref name) => match (self.names.resolve(None, self.text(name)), self.text(name)) {
                (Some(key), _) => self.loads(key),
                (None, "none") => typed(Type::Entity, Instruction::Push(Value::Entity(Entity::NONE))),
                (None, "time") => typed(Type::Time, Instruction::Time),
                (None, "now") => typed(Type::Time, Instruction::Now),
                (None, _) => (Ty::Word, Does::Nothing),
            },
            Kind::Path(ref first, ref second) => self.path(first, second),
            Kind::Component(of, ref name) => match self.settle(of) {
                Some(ty) => match self.part(ty, name) {
                    Some(part) => typed(Type::Float, Instruction::Component(part)),
                    None => BAD,
                },
                None => BAD,
            },
            Kind::Not(of) => {
                self.demand(of, Type::Bool);
                typed(Type::Bool, Instruction::Not)
            }
            Kind::Negate(of) => match self.settle(of) {
                Some(Type::Int) => typed(Type::Int, Instruction::NegateInt),
                Some(Type::Time) => {
                    self.make_floats(&[of]);
                    typed(Type::Float, Instruction::Negate(Type::Float))
                }
                Some(ty @ (Type::Float | Type::Vec2 | Type::Vec3)) => typed(ty, Instruction::Negate(ty)),
                Some(found) => self.bad(span, ExprErrorKind::WrongOperand { op: "-", found }),
                None => BAD,
            },
            Kind::Binary(Operator::And | Operator::Or, left, right) => {
                self.demand(left, Type::Bool);
                self.demand(right, Type::Bool);
                (Ty::Known(Type::Bool), Does::Join)
            }
            Kind::Binary(Operator::Compare(cmp), left, right) => self.comparison(cmp, left, right, span),
            Kind::Binary(Operator::Arith(arith), left, right) => self.arithmetic(arith, left, right, span),
            Kind::Call(ref name, ref arguments) => self.call(name, arguments),
        }
    }

    /// `first.second`
    fn path(&mut self, first: &Range<usize>, second: &Range<usize>) -> (Ty, Does) {
        let scope = self.text(first);
        let is_scope = SCOPES.contains(&scope);
        if is_scope && let Some(key) = self.names.resolve(Some(scope), self.text(second)) {
            return self.loads(key);
        }
        let is_part = matches!(self.text(second), "x" | "y" | "z");
        if let Some(key) = self.names.resolve(None, scope).filter(|_| is_part || !is_scope) {
            return match self.part(self.names.key_type(key), second) {
                Some(part) => match self.names.constant(key) {
                    Some(value) => typed(Type::Float, Instruction::Push(Value::Float(part.of(value)))),
                    None => typed(Type::Float, Instruction::LoadPart(key, part)),
                },
                None => BAD,
            };
        }
        if !is_scope {
            let scopes = SCOPES.into_iter().filter(|it| self.names.resolve(Some(it), self.text(second)).is_some());
            let meant = self.meant(scope, || self.names.names().into_iter().chain(scopes));
            return self.unknown_key(first, scope.to_owned(), meant, None);
        }
        let in_scope = || self.names.names().into_iter().filter(|it| self.names.resolve(Some(scope), it).is_some());
        let meant = self.meant(self.text(second), in_scope).map(|it| it.in_scope(scope));
        let name = format!("{scope}.{}", self.text(second));
        self.unknown_key(&(first.start..second.end), name, meant, Some(scope))
    }

    fn comparison(&mut self, cmp: Cmp, left: NodeAt, right: NodeAt, span: &Range<usize>) -> (Ty, Does) {
        let equality = matches!(cmp, Cmp::Eq | Cmp::Ne);
        if equality {
            self.exchange_words(left, right);
        }
        let unsettled = [left, right].map(|it| self.ty(it));
        match unsettled {
            // In `mode == alret` with a misspelt `mode`, `alret` is not reported as a missing key.
            [Ty::Bad, Ty::Word] | [Ty::Word, Ty::Bad] if equality => return (Ty::Known(Type::Bool), Does::Nothing),
            [Ty::Word, Ty::Word] if equality => {
                let keys = self.symbol_keys();
                let [a, b] = [left, right].map(|it| self.are_words(it, &keys));
                if a != b {
                    self.settle(if a { right } else { left });
                    return (Ty::Known(Type::Bool), Does::Nothing);
                }
            }
            _ => {}
        }
        let does = match (self.settle(left), self.settle(right)) {
            (Some(Type::Int), Some(Type::Int)) => Does::Apply(Instruction::CompareInt(cmp)),
            (Some(a), Some(b)) if [a, b].contains(&Type::Time) && is_numeric(a) && is_numeric(b) => {
                Does::Apply(Instruction::CompareTime(cmp, a, b))
            }
            (Some(Type::Int | Type::Float), Some(Type::Int | Type::Float)) => {
                self.make_floats(&[left, right]);
                Does::Apply(Instruction::CompareFloat(cmp))
            }
            (Some(a), Some(b)) if a == b && equality => {
                Does::Apply(if cmp == Cmp::Eq { Instruction::Equal(a) } else { Instruction::NotEqual(a) })
            }
            (Some(left), Some(right)) => {
                self.bad(span, ExprErrorKind::WrongOperands { op: cmp.text(), left, right });
                Does::Nothing
            }
            _ => Does::Nothing,
        };
        (Ty::Known(Type::Bool), does)
    }

    fn arithmetic(&mut self, arith: Arith, left: NodeAt, right: NodeAt, span: &Range<usize>) -> (Ty, Does) {
        let (Some(a), Some(b)) = (self.settle(left), self.settle(right)) else { return BAD };
        match (a, b) {
            (Type::Int, Type::Int) => typed(Type::Int, Instruction::Int(arith)),
            (Type::Time, Type::Time) if arith == Arith::Sub => typed(Type::Float, Instruction::Seconds),
            (Type::Time, Type::Int | Type::Float) if matches!(arith, Arith::Add | Arith::Sub) => {
                typed(Type::Time, Instruction::OfTimes(arith, a, b))
            }
            (Type::Int | Type::Float, Type::Time) if arith == Arith::Add => {
                typed(Type::Time, Instruction::OfTimes(arith, a, b))
            }
            (a, b) if is_numeric(a) && is_numeric(b) => {
                self.make_floats(&[left, right]);
                typed(Type::Float, Instruction::Float(arith))
            }
            (Type::Vec2, Type::Vec2) | (Type::Vec3, Type::Vec3) if arith == Arith::Add => {
                typed(a, Instruction::AddVectors(a))
            }
            (Type::Vec2, Type::Vec2) | (Type::Vec3, Type::Vec3) if arith == Arith::Sub => {
                typed(a, Instruction::SubVectors(a))
            }
            (Type::Vec2 | Type::Vec3, b) if is_numeric(b) && matches!(arith, Arith::Mul | Arith::Div) => {
                self.make_floats(&[right]);
                typed(a, if arith == Arith::Mul { Instruction::MulVector(a) } else { Instruction::DivVector(a) })
            }
            (a, Type::Vec2 | Type::Vec3) if is_numeric(a) && arith == Arith::Mul => {
                self.make_floats(&[left]);
                typed(b, Instruction::VectorAfter(b))
            }
            _ => self.bad(span, ExprErrorKind::WrongOperands { op: arith.text(), left: a, right: b }),
        }
    }

    /// The component with that name of a value of type `ty`. If there is none, reports an error.
    fn part(&mut self, ty: Type, name: &Range<usize>) -> Option<Component> {
        match (ty, self.text(name)) {
            (Type::Vec2 | Type::Vec3, "x") => Some(Component::X),
            (Type::Vec2 | Type::Vec3, "y") => Some(Component::Y),
            (Type::Vec3, "z") => Some(Component::Z),
            (found, component) => {
                let component = component.to_owned();
                self.bad(name, ExprErrorKind::NoComponent { found, component });
                None
            }
        }
    }

    /// Requires a node to be of type `ty`, or reports that it cannot be.
    fn demand(&mut self, at: NodeAt, ty: Type) {
        match self.settle(at) {
            Some(Type::Int | Type::Time) if ty == Type::Float => self.make_floats(&[at]),
            Some(Type::Int | Type::Float) if ty == Type::Time && self.take_moment(at) => {}
            Some(found) if found != ty => {
                self.bad(&self.span(at), ExprErrorKind::Mismatch { expected: ty, found });
            }
            _ => {}
        }
    }

    /// The type of a node where no symbol is wanted. A bare word in it was meant as a key.
    fn settle(&mut self, at: NodeAt) -> Option<Type> {
        match self.ty(at) {
            Ty::Known(ty) => Some(ty),
            Ty::Bad => None,
            Ty::Word => {
                for at in self.through_ifs(at) {
                    if let Some(span) = self.bare_word(at) {
                        let name = self.text(&span);
                        // Only in the spelling of other languages: many words are like `none`.
                        let is_none = ["none", "null", "nil"].iter().any(|it| it.eq_ignore_ascii_case(name));
                        let meant = || {
                            self.meant(name, || self.names.names().into_iter().chain(["true", "false", "time", "now"]))
                        };
                        let meant = if is_none { Some(known::meant("none")) } else { meant() };
                        self.unknown_key(&span, name.to_owned(), meant, None);
                    }
                    if self.ty(at) == Ty::Word {
                        self.meanings[at.0].ty = Ty::Bad;
                    }
                }
                None
            }
        }
    }

    /// If one of the nodes is a symbol, reads the words of the other as symbols.
    fn exchange_words(&mut self, a: NodeAt, b: NodeAt) {
        for (symbol, word) in [(a, b), (b, a)] {
            let is_symbol = self.ty(symbol) == Ty::Known(Type::Symbol);
            if is_symbol && self.ty(word) != Ty::Known(Type::Symbol) && self.wordable(word) {
                let keys: Vec<KeyIndex> = self.through_ifs(symbol).filter_map(|at| self.loaded(at)).collect();
                self.take_words(word, &keys);
            }
        }
    }

    /// Whether the node can be read as words: a bare name, or an `if` between bare names. The name
    /// may be that of a key that is not a Symbol, as that key would be an error anyway.
    fn wordable(&self, at: NodeAt) -> bool {
        self.ty(at) != Ty::Known(Type::Symbol)
            && self.through_ifs(at).all(|at| match self.ast.node(at).kind {
                Kind::Name(_) => self.ty(at) != Ty::Known(Type::Symbol),
                _ => matches!(self.meanings[at.0].does, Does::Choose),
            })
    }

    /// Turns the words in a node into symbols, if `keys` declare them.
    fn take_words(&mut self, at: NodeAt, keys: &[KeyIndex]) {
        for at in self.through_ifs(at) {
            let (was, key) = (self.ty(at), self.loaded(at));
            (self.meanings[at.0].ty, self.meanings[at.0].to_float) = (Ty::Known(Type::Symbol), None);
            let Kind::Name(ref span) = self.ast.node(at).kind else { continue };
            let word = self.text(span);
            match was {
                Ty::Known(Type::Symbol) => {}
                _ if self.declared(word, keys) => {
                    self.meanings[at.0].does = Does::Apply(Instruction::Push(Value::Symbol(Symbol::new(word))));
                }
                Ty::Known(found) if key.is_some() => {
                    self.bad(span, ExprErrorKind::Mismatch { expected: Type::Symbol, found });
                }
                _ => {
                    let words = || keys.iter().flat_map(|&key| self.names.words(key));
                    let help = self.meant(word, words);
                    let lists = self.errors.len() < SUGGESTED;
                    let help = help.or_else(|| if lists { known::words(words()) } else { None });
                    self.bad(span, ExprErrorKind::UnknownWord { word: word.to_owned(), help });
                }
            }
        }
    }

    /// Whether every bare word in a node is one that `keys` declare.
    fn are_words(&self, at: NodeAt, keys: &[KeyIndex]) -> bool {
        self.through_ifs(at).filter_map(|at| self.bare_word(at)).all(|span| self.declared(self.text(&span), keys))
    }

    fn declared(&self, word: &str, keys: &[KeyIndex]) -> bool {
        keys.iter().any(|&key| self.names.has_word(key, word))
    }

    /// Where the word is, if the node is an undecided word.
    fn bare_word(&self, at: NodeAt) -> Option<Range<usize>> {
        match self.ast.node(at).kind {
            Kind::Name(ref span) if self.ty(at) == Ty::Word => Some(span.clone()),
            _ => None,
        }
    }

    /// A node; if it is an `if`, also its possible results, and so on.
    fn through_ifs(&self, at: NodeAt) -> impl Iterator<Item = NodeAt> + use<> {
        let mut found = vec![at];
        let mut next = 0;
        while let Some(&at) = found.get(next) {
            next += 1;
            if let (Does::Choose, Kind::Call(_, arguments)) = (self.meanings[at.0].does, &self.ast.node(at).kind) {
                found.extend(arguments.iter().skip(1));
            }
        }
        found.into_iter()
    }

    fn loads(&self, key: KeyIndex) -> (Ty, Does) {
        let ty = self.names.key_type(key);
        typed(ty, self.names.constant(key).map_or(Instruction::Load(key, ty), Instruction::Push))
    }

    /// The key that a node reads.
    fn loaded(&self, at: NodeAt) -> Option<KeyIndex> {
        if let Does::Apply(op) = self.meanings[at.0].does { op.key() } else { None }
    }

    /// What may have been meant: only for the first errors, as looking takes time.
    fn meant<'b, C: IntoIterator<Item = &'b str>>(&self, name: &str, candidates: impl FnOnce() -> C) -> Option<Help> {
        if self.errors.len() < SUGGESTED { names::near(name, candidates()).map(Near::help) } else { None }
    }

    /// Reports which keys there are, if it is not known what was meant: those of the scope, if one
    /// was written.
    fn unknown_key(
        &mut self,
        span: &Range<usize>,
        name: String,
        meant: Option<Help>,
        scope: Option<&str>,
    ) -> (Ty, Does) {
        let known = || {
            let names = self.names.names().into_iter();
            let Some(scope) = scope else { return known::keys(names) };
            let names = names.filter(|it| self.names.resolve(Some(scope), it).is_some());
            let names: Vec<String> = names.map(|it| format!("{scope}.{it}")).collect();
            known::keys(names.iter().map(String::as_str))
        };
        let help = meant.or_else(|| names::random(&name));
        let help = help.or_else(|| if self.errors.len() < SUGGESTED { known() } else { None });
        self.bad(span, ExprErrorKind::UnknownKey { name, help })
    }

    /// Every Symbol key of the schema; none after the first errors, as for
    /// [`meant`](Checker::meant).
    fn symbol_keys(&self) -> Vec<KeyIndex> {
        if self.errors.len() >= SUGGESTED {
            return Vec::new();
        }
        let scopes = || SCOPES.into_iter().map(Some).chain([None]);
        let keys = self.names.names().into_iter().flat_map(|it| scopes().map(move |scope| (scope, it)));
        let mut keys: Vec<KeyIndex> = keys
            .filter_map(|(scope, name)| self.names.resolve(scope, name))
            .filter(|&key| self.names.key_type(key) == Type::Symbol)
            .collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Makes a Time from a literal number of seconds. Other numbers are mostly spans.
    fn take_moment(&mut self, at: NodeAt) -> bool {
        let nanos = match self.ast.node(at).kind {
            Kind::Int(it) => i128::from(it) * i128::from(NANOS),
            Kind::Float(it) => signed_nanoseconds(it).unwrap_or(0),
            _ => return false,
        };
        let does = Does::Apply(Instruction::Push(Value::Time(Time::ZERO.moved(nanos))));
        (self.meanings[at.0].ty, self.meanings[at.0].does) = (Ty::Known(Type::Time), does);
        true
    }

    /// Converts the nodes that are ints or Times.
    fn make_floats(&mut self, nodes: &[NodeAt]) {
        for at in nodes {
            let meaning = &mut self.meanings[at.0];
            if let Ty::Known(ty @ (Type::Int | Type::Time)) = meaning.ty {
                (meaning.to_float, meaning.ty) = (Some(ty), Ty::Known(Type::Float));
            }
        }
    }

    fn bad(&mut self, span: &Range<usize>, kind: ExprErrorKind) -> (Ty, Does) {
        self.errors.push(ExprError { span: span.clone(), kind });
        BAD
    }

    fn ty(&self, at: NodeAt) -> Ty {
        self.meanings[at.0].ty
    }

    fn span(&self, at: NodeAt) -> Range<usize> {
        self.ast.node(at).span.clone()
    }
}

impl<'a> Checker<'a> {
    /// A part of the source. It borrows the source, not the checker.
    fn text(&self, span: &Range<usize>) -> &'a str {
        &self.source[span.clone()]
    }
}

/// For this many errors of one expression, the checker looks for what may have been meant.
const SUGGESTED: usize = 8;

/// Whether it is a number, or converts to one.
fn is_numeric(ty: Type) -> bool {
    matches!(ty, Type::Int | Type::Float | Type::Time)
}

const BAD: (Ty, Does) = (Ty::Bad, Does::Nothing);

fn typed(ty: Type, op: Instruction) -> (Ty, Does) {
    (Ty::Known(ty), Does::Apply(op))
}
