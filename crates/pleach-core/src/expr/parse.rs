//! Tokens to a syntax tree, kept as an array with every node after its operands, so that nothing later recurses.

use std::fmt;
use std::ops::Range;

use super::code::Arith;
use super::error::{ExprError, ExprErrorKind};
use super::lex::{Lexer, Operator, Token};
use super::{MAX_DEPTH, MAX_SOURCE};

/// A node's place in its [`Ast`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeAt(pub(super) usize);

impl fmt::Debug for NodeAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

#[derive(Debug)]
pub(super) enum Kind {
    Bool(bool),
    Int(i64),
    Float(f32),
    /// A word that stands alone. Here and below the range is that of the word; the node's span has its parentheses too.
    Name(Range<usize>),
    /// `first.second`: a key in a scope, or a component of a key.
    Path(Range<usize>, Range<usize>),
    /// A component of anything but a plain name.
    Component(NodeAt, Range<usize>),
    Not(NodeAt),
    Negate(NodeAt),
    Binary(Operator, NodeAt, NodeAt),
    /// The function's name, and its arguments.
    Call(Range<usize>, Box<[NodeAt]>),
}

/// At least one node; operands come before what uses them, and the last is the root.
#[derive(Debug)]
pub(super) struct Ast {
    pub(super) nodes: Vec<Node>,
}

impl Ast {
    pub(super) fn root(&self) -> NodeAt {
        NodeAt(self.nodes.len() - 1)
    }

    pub(super) fn node(&self, at: NodeAt) -> &Node {
        &self.nodes[at.0]
    }
}

/// Parses a whole source. Stops at the first error.
pub(super) fn parse(source: &str) -> Result<Ast, ExprError> {
    if source.len() > MAX_SOURCE {
        return Err(ExprError { span: 0..source.len(), kind: ExprErrorKind::TooLong { len: source.len() } });
    }
    let mut lexer = Lexer::new(source);
    let (token, span) = lexer.next()?;
    let mut parser = Parser { source, lexer, token, span, nodes: Vec::new() };
    parser.binary(0, 0)?;
    match parser.token {
        Token::End => Ok(Ast { nodes: parser.nodes }),
        _ => Err(parser.unexpected(parser.operator_meant().unwrap_or("an operator or the end"))),
    }
}

struct Parser<'a> {
    source: &'a str,
    lexer: Lexer<'a>,
    /// The token to look at next.
    token: Token,
    span: Range<usize>,
    nodes: Vec<Node>,
}

impl Parser<'_> {
    /// Operands joined by operators that bind at least as tightly as `least`. It recurses at most once per precedence
    /// before `depth` grows, so [`MAX_DEPTH`] bounds it.
    fn binary(&mut self, least: u8, depth: usize) -> Result<NodeAt, ExprError> {
        let mut left = self.prefix(depth)?;
        let mut compared = false;
        while let Token::Operator(operator) = self.token {
            if operator.precedence() < least {
                break;
            }
            if let Operator::Compare(_) = operator {
                if compared {
                    return Err(ExprError { span: self.span.clone(), kind: ExprErrorKind::ChainedComparison });
                }
                compared = true;
            } else {
                compared = false;
            }
            self.advance()?;
            let right = self.binary(operator.precedence() + 1, depth)?;
            let span = self.node_span(left).start..self.node_span(right).end;
            left = self.push(Kind::Binary(operator, left, right), span);
        }
        Ok(left)
    }

    fn prefix(&mut self, depth: usize) -> Result<NodeAt, ExprError> {
        let start = self.span.start;
        let negate = match self.token {
            Token::Not => false,
            Token::Operator(Operator::Arith(Arith::Sub)) => true,
            _ => return self.postfix(depth),
        };
        let depth = self.deeper(depth)?;
        self.advance()?;
        if let (true, Token::Int(magnitude)) = (negate, self.token) {
            // With its sign, since -2^63 is in range and 2^63 is not.
            let span = start..self.span.end;
            let value = 0_i64.checked_sub_unsigned(magnitude).ok_or_else(|| self.out_of_range(span.clone()))?;
            self.advance()?;
            return Ok(self.push(Kind::Int(value), span));
        }
        let operand = self.prefix(depth)?;
        let span = start..self.node_span(operand).end;
        Ok(self.push(if negate { Kind::Negate(operand) } else { Kind::Not(operand) }, span))
    }

    fn postfix(&mut self, depth: usize) -> Result<NodeAt, ExprError> {
        let mut node = self.primary(depth)?;
        while self.token == Token::Dot {
            self.advance()?;
            let name = self.name("`x`, `y` or `z`")?;
            let span = self.node_span(node).start..name.end;
            node = self.push(Kind::Component(node, name), span);
        }
        Ok(node)
    }

    fn primary(&mut self, depth: usize) -> Result<NodeAt, ExprError> {
        let span = self.span.clone();
        match self.token {
            Token::Int(magnitude) => {
                let value = i64::try_from(magnitude).map_err(|_| self.out_of_range(span.clone()))?;
                self.advance()?;
                Ok(self.push(Kind::Int(value), span))
            }
            Token::Float(value) => {
                self.advance()?;
                Ok(self.push(Kind::Float(value), span))
            }
            Token::Name => {
                self.advance()?;
                self.after_name(span, depth)
            }
            Token::Open => {
                let depth = self.deeper(depth)?;
                self.advance()?;
                let inner = self.binary(0, depth)?;
                let end = self.span.end;
                self.expect(Token::Close, "an operator or `)`")?;
                self.nodes[inner.0].span = span.start..end;
                Ok(inner)
            }
            Token::Operator(_) | Token::Not | Token::Close | Token::Comma | Token::Dot | Token::End => {
                Err(self.unexpected("a value"))
            }
        }
    }

    /// What a name that was just read turns out to be.
    fn after_name(&mut self, name: Range<usize>, depth: usize) -> Result<NodeAt, ExprError> {
        match (&self.source[name.clone()], self.token) {
            ("true", _) => Ok(self.push(Kind::Bool(true), name)),
            ("false", _) => Ok(self.push(Kind::Bool(false), name)),
            (_, Token::Open) => {
                let depth = self.deeper(depth)?;
                self.advance()?;
                let mut arguments = Vec::new();
                if self.token != Token::Close {
                    arguments.push(self.binary(0, depth)?);
                    while self.token == Token::Comma {
                        self.advance()?;
                        arguments.push(self.binary(0, depth)?);
                    }
                }
                let span = name.start..self.span.end;
                self.expect(Token::Close, "an operator, `,` or `)`")?;
                Ok(self.push(Kind::Call(name, arguments.into()), span))
            }
            (_, Token::Dot) => {
                self.advance()?;
                let second = self.name("a name")?;
                let span = name.start..second.end;
                Ok(self.push(Kind::Path(name, second), span))
            }
            _ => Ok(self.push(Kind::Name(name.clone()), name)),
        }
    }

    fn name(&mut self, expected: &'static str) -> Result<Range<usize>, ExprError> {
        let span = self.span.clone();
        self.expect(Token::Name, expected)?;
        Ok(span)
    }

    fn expect(&mut self, token: Token, expected: &'static str) -> Result<(), ExprError> {
        if self.token != token {
            return Err(self.unexpected(self.operator_meant().unwrap_or(expected)));
        }
        self.advance()
    }

    fn advance(&mut self) -> Result<(), ExprError> {
        (self.token, self.span) = self.lexer.next()?;
        Ok(())
    }

    fn deeper(&self, depth: usize) -> Result<usize, ExprError> {
        if depth < MAX_DEPTH {
            Ok(depth + 1)
        } else {
            Err(ExprError { span: self.span.clone(), kind: ExprErrorKind::TooDeep })
        }
    }

    fn push(&mut self, kind: Kind, span: Range<usize>) -> NodeAt {
        self.nodes.push(Node { kind, span });
        NodeAt(self.nodes.len() - 1)
    }

    fn node_span(&self, at: NodeAt) -> &Range<usize> {
        &self.nodes[at.0].span
    }

    /// Where an operator could stand: the one that people write as a word in other languages.
    fn operator_meant(&self) -> Option<&'static str> {
        match &self.source[self.span.clone()] {
            "and" => Some("`&&`"),
            "or" => Some("`||`"),
            _ => None,
        }
    }

    fn unexpected(&self, expected: &'static str) -> ExprError {
        let found = self.source[self.span.clone()].to_owned();
        let kind = match self.token {
            Token::End => ExprErrorKind::UnexpectedEnd { expected },
            _ => ExprErrorKind::UnexpectedToken { found, expected },
        };
        ExprError { span: self.span.clone(), kind }
    }

    fn out_of_range(&self, span: Range<usize>) -> ExprError {
        let text = self.source[span.clone()].to_owned();
        ExprError { span, kind: ExprErrorKind::NumberOutOfRange { text } }
    }
}
